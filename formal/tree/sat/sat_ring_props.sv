// sat_ring: the elements of a word of the reduced row are made of those of every child, once each,
// in the half rings' order (SHARP 3.1, Fig. 1b), and of nothing else; each port is asked for its
// rows once and in their order. What two elements make is prim_fp32_reduce's affair: see
// reduce_stand_in.
module sat_ring_props
  import roce_pkg::*;
  import prim_fp16_pkg::*;
  import reduce_shuffle_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned WideLanes = 0,
  /// Which 32 bits of the row; lanes are copies of each other in the RTL.
  parameter int unsigned Word = 0
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [7:0]                        in_kind_i,
  input logic [NumPorts-1:0]               in_children_i,
  input logic [1:0]                        in_along_i,
  input logic [NumPorts-1:0][31:0]         words_i,    // of the children's rows
  input logic [NumPorts-1:0][BeatBits-1:0] garbage_i   // what ports give unasked
);

  localparam int unsigned HalfPorts = NumPorts / 2;
  localparam int unsigned RowRead = 1;
  /// Cycles from a row to its result, if it needs one pass.
  localparam int unsigned Latency = 1 + RowRead + 1 + 5 * HalfPorts + 2;

  logic                              in_ready, out_valid;
  logic [BeatBits-1:0]               out_row;
  logic [1:0]                        out_along;
  logic [NumPorts-1:0]               row_re;
  logic [NumPorts-1:0][BeatBits-1:0] rows;

  sat_ring #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .RowRead  (RowRead),
    .AlongW   (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_kind_i,
    .in_children_i,
    .in_along_i,
    .row_re_o   (row_re),
    .row_i      (rows),
    .out_valid_o(out_valid),
    .out_row_o  (out_row),
    .out_along_o(out_along)
  );

  typedef logic [NumPorts-1:0][31:0] elements_t;

  /// One port after the other in each half, then both halves.
  function automatic logic [31:0] reduced(elements_t elements, logic [NumPorts-1:0] children,
                                          logic is_int, logic [1:0] op);
    logic [1:0][31:0] half;
    logic [1:0]       there;
    half  = '0;
    there = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (children[p]) begin
        half[p/HalfPorts] = there[p/HalfPorts] ?
            shuffled(is_int, op, half[p/HalfPorts], elements[p]) : elements[p];
        there[p/HalfPorts] = 1'b1;
      end
    end
    reduced = (there == 2'b11) ? shuffled(is_int, op, half[0], half[1]) : half[there[1]];
  endfunction

  function automatic logic [15:0] reduced_half(logic [NumPorts-1:0][15:0] halves,
                                               logic [NumPorts-1:0] children, logic bf16,
                                               logic [1:0] op);
    elements_t   elements;
    logic [31:0] root;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      elements[p] = bf16 ? bf16_widen(halves[p]) : fp16_widen(halves[p]);
    end
    root = reduced(elements, children, 1'b0, op);
    reduced_half = rounded(bf16 ? bf16_cut(root, $onehot(children)) :
                                  fp16_cut(root, $onehot(children)));
  endfunction

  typedef struct packed {
    logic                valid;
    logic                half;
    logic [NumPorts-1:0] children;
    logic [31:0]         bits;
    logic [1:0]          along;
  } result_t;

  logic                              begun_q;
  logic [NumPorts-1:0][15:0]         low, high;
  result_t                           now;
  result_t [Latency+1:1]             was_q;     // [n]: of n cycles ago
  logic [Latency:1][NumPorts-1:0][31:0] words_q;
  logic [NumPorts-1:0]               asked_q, due;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      low[p]  = words_i[p][15:0];
      high[p] = words_i[p][31:16];
    end
    now.valid    = in_valid_i && in_ready && rst_ni;
    now.half     = in_kind_i[3:0] == TypeFp16 || in_kind_i[3:0] == TypeBf16;
    now.along    = in_along_i;
    now.children = in_children_i;
    now.bits     = now.half ?
        {reduced_half(high, in_children_i, in_kind_i[3:0] == TypeBf16, in_kind_i[5:4]),
         reduced_half(low, in_children_i, in_kind_i[3:0] == TypeBf16, in_kind_i[5:4])} :
        reduced(words_i, in_children_i, in_kind_i[3:0] == TypeInt32, in_kind_i[5:4]);
  end

  // A port gives a row's word in the cycle that it was asked for it, and garbage in all others.
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    localparam int unsigned Asks = 1 + ((p % HalfPorts < 2) ? 0 : 5 * (p % HalfPorts - 1));
    assign due[p] = was_q[Asks].valid && was_q[Asks].children[p];
    always_comb begin
      rows[p] = garbage_i[p];
      if (asked_q[p]) rows[p][32*Word+:32] = words_q[Asks+RowRead][p];
    end
  end

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    was_q   <= {was_q[Latency:1], now};
    words_q <= {words_q[Latency-1:1], words_i};
    asked_q <= row_re;
    if (!rst_ni) for (int unsigned n = 1; n <= Latency + 1; n++) was_q[n].valid <= 1'b0;
  end

  // A row of 16-bit elements takes two turns of 16 lanes.
  logic    direct, twice;
  result_t expected;
  assign direct   = was_q[Latency].valid && !(was_q[Latency].half && WideLanes == 0);
  assign twice    = was_q[Latency+1].valid && was_q[Latency+1].half && WideLanes == 0;
  assign expected = twice ? was_q[Latency+1] : was_q[Latency];

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // Each child is asked for each of its rows once, in the cycle that is its port's, and nobody
      // else is.
      a_asked : assert (row_re == due)
      else $error("asks %b", row_re);
      // Every row is answered, in its turn, and nothing else is.
      a_answered : assert (out_valid == (direct || twice))
      else $error("valid %b", out_valid);
      // Each element of the answer's word is that element of all children, each once, in the half
      // rings' order; elements of 16 bits are widened before and cut once, at the end.
      a_row : assert (!out_valid || out_row[32*Word+:32] == expected.bits)
      else $error("word %0d", Word);
      // What goes along stays with its row.
      a_with : assert (!out_valid || out_along == expected.along)
      else $error("along %b", out_along);
      // Where an element has a lane of its own, and for 32-bit elements, a row is taken every
      // cycle.
      a_rate : assert (in_ready || (WideLanes == 0 && was_q[1].valid && was_q[1].half))
      else $error("not ready");
      // Rows of two kinds and of different children come out one behind the other.
      c_kinds : cover (direct && was_q[Latency-1].valid &&
          was_q[Latency].half != was_q[Latency-1].half &&
          was_q[Latency].children != was_q[Latency-1].children);
    end
  end

endmodule
