// prim_row_widen and prim_row_round: any element of a row on its way into the lanes of a reduction,
// and back into a row; what lies between is anything. (prim_fp16_pkg's proof has the types.)
module row_passes_props
  import prim_fp16_pkg::*;
#(
  parameter int unsigned Words = 2,
  parameter int unsigned Lanes = 2,
  parameter int unsigned AlongW = 3,
  parameter bit Fp16 = 1'b1,
  parameter bit Bf16 = 1'b1,
  localparam int unsigned LaneW = $clog2(2 * Words)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   valid_i,
  input logic                   high_i,
  input logic                   half_i,
  input logic                   bf16_i,
  input logic                   single_i,
  input logic [32*Words-1:0]    row_i,
  input logic [Lanes-1:0][31:0] lane_i,
  input logic [AlongW-1:0]      along_i,
  input logic [LaneW-1:0]       element_i   // any, the same one all along
);

  localparam bit Wide = Lanes == 2 * Words;

  logic [Lanes-1:0][31:0]   lane;
  logic                     valid;
  logic [Words-1:0][31:0]   row;
  logic [2*Words-1:0][15:0] row_halves;
  logic [AlongW-1:0]        along;
  assign row_halves = row;

  prim_row_widen #(
    .Words(Words),
    .Lanes(Lanes),
    .Fp16 (Fp16),
    .Bf16 (Bf16)
  ) u_widen (
    .clk_i,
    .valid_i,
    .high_i,
    .half_i,
    .bf16_i,
    .row_i,
    .lane_o(lane)
  );

  prim_row_round #(
    .Words (Words),
    .Lanes (Lanes),
    .AlongW(AlongW),
    .Fp16  (Fp16),
    .Bf16  (Bf16)
  ) u_round (
    .clk_i,
    .rst_ni,
    .valid_i,
    .high_i,
    .half_i,
    .bf16_i,
    .single_i,
    .lane_i,
    .along_i,
    .valid_o(valid),
    .row_o  (row),
    .along_o(along)
  );

  // One element, and the type that 16-bit ones have.
  logic             set_q, past_q, bf16;
  logic [LaneW-1:0] element_q, element;
  initial {set_q, past_q} = '0;
  assign element = set_q ? element_q : element_i;
  assign bf16    = Fp16 ? Bf16 && bf16_i : 1'b1;
  always_ff @(posedge clk_i) begin
    set_q     <= 1'b1;
    past_q    <= set_q;   // two cycles have gone by
    element_q <= element;
  end

  // ---------------------------------------------------------------------------------------------
  // Into the lanes: the row of this pass, and the one whose upper half is still to come.

  logic [2*Words-1:0][15:0] now, last_q;
  logic [Words-1:0][31:0]   words;
  logic [15:0]              half;
  logic [31:0]              in, in_q;
  logic                     came_q, last_known_q;
  assign now   = row_i;
  assign words = row_i;
  always_comb begin
    half = now[element];
    if (!Wide && high_i) half = last_q[element ^ LaneW'(Words)];
    in = (32'(element) < Words) ? words[element[LaneW-2:0]] : '0;
    if (half_i && (Fp16 || Bf16)) in = bf16 ? bf16_widen(half) : fp16_widen(half);
  end
  initial {came_q, last_known_q} = '0;
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      in_q   <= in;
      came_q <= Wide || !high_i || !half_i || last_known_q;   // in_q is known
      if (!high_i) begin
        last_q       <= row_i;
        last_known_q <= 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Out of them. A cycle behind a pass: its element of 16 bits, that of the pass before, and of 32.

  logic [31:0]       mine, number_q;
  logic [15:0]       narrow_q, lower_q;
  logic              pass_q, half_q, ends_q, narrow_known_q, lower_known_q, number_known_q;
  logic [AlongW-1:0] along_q;
  // Another cycle behind it: the row that it has made.
  logic [31:0]       row_q;
  logic              row_half_q, row_known_q, valid_q, shown_q;
  logic [AlongW-1:0] row_along_q;
  assign mine = lane_i[Wide ? element : element & LaneW'(Words - 1)];
  initial {pass_q, narrow_known_q, lower_known_q, number_known_q} = '0;
  initial {row_known_q, valid_q, shown_q} = '0;
  always_ff @(posedge clk_i) begin
    pass_q  <= rst_ni && valid_i;
    half_q  <= half_i && (Fp16 || Bf16);
    ends_q  <= Wide || !half_i || high_i;
    along_q <= along_i;
    if (valid_i && half_i) begin
      narrow_q       <= rounded(bf16 ? bf16_cut(mine, single_i) : fp16_cut(mine, single_i));
      narrow_known_q <= 1'b1;
    end
    if (valid_i && !half_i) begin
      number_q       <= mine;
      number_known_q <= 1'b1;
    end

    valid_q <= rst_ni && pass_q && ends_q;
    if (pass_q) begin
      lower_q       <= narrow_q;
      lower_known_q <= narrow_known_q;
      row_half_q    <= half_q;
      row_q         <= !half_q ? number_q :
          32'((Wide || 32'(element) >= Words) ? narrow_q : lower_q);
      row_known_q   <= !half_q ? number_known_q :
          (Wide || 32'(element) >= Words) ? narrow_known_q : lower_known_q;
      row_along_q   <= along_q;
      shown_q       <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // A lane has its word of the row, or its 16-bit element widened: of the row's lower half, or of
    // the upper one of the row before; and keeps it until the next pass.
    a_widen : assert (!came_q || 32'(element) >= Lanes || lane[element] == in_q)
    else $error("lane %0d: %h", element, lane[element]);
    // A row comes with each pass of words, of all of a row, or of its upper half.
    a_valid : assert (!past_q || valid == valid_q)
    else $error("valid %b", valid);
    // A word of the row is its lane's, as it was.
    a_word : assert (!row_known_q || row_half_q || 32'(element) >= Words ||
                     row[element[LaneW-2:0]] == row_q)
    else $error("word %0d: %h", element, row);
    // A 16-bit element is its lane's, rounded: of this pass, or of the one before in the lower
    // half.
    a_half : assert (!row_known_q || !row_half_q || row_halves[element] == row_q[15:0])
    else $error("element %0d: %h", element, row);
    // What goes along is that of the last pass.
    a_along : assert (!shown_q || along == row_along_q)
    else $error("along %h", along);

    // A whole row of two passes; the upper half of one that came before.
    c_row : cover (valid && row_known_q && row_half_q && element == '0 && row_q == 32'h8001);
    c_upper : cover (came_q && element == '1 && in_q[31] && in_q[30:0] != '0);
  end

endmodule
