// Many counters in one RAM, a row of some at each address, of which one row changes in a cycle.
//
// Reading, adding and writing take four cycles. A row may change in every cycle: what is on its
// way is seen by whoever comes behind it. Contents are not reset; a row that has been forgotten is
// 0, and after reset all are. Nobody waits.
module prim_tally #(
  /// Rows, 1 or more.
  parameter int unsigned Words = 64,
  /// Counters in a row.
  parameter int unsigned Lanes = 1,
  /// Bits of a counter, which wraps.
  parameter int unsigned Width = 48,
  /// Bits of what one grows by, with its sign.
  parameter int unsigned AmountW = 2,
  localparam int unsigned Aw = (Words > 1) ? $clog2(Words) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                          add_i,   // the row at `at_i` changes by that
  input logic [Aw-1:0]                 at_i,
  input logic [Lanes-1:0][AmountW-1:0] amount_i,

  // These are 0 from the next cycle on. Of what was added to them, what came in this cycle or later
  // counts; of the cycle before it may count or not.
  input logic [Words-1:0] forget_i,

  // One row, two cycles after it was named. What was added four cycles before that is in it.
  input  logic [Aw-1:0]               read_at_i,
  output logic [Lanes-1:0][Width-1:0] value_o
);

  if (Words < 1 || Lanes < 1) begin : gen_check
    $fatal(1, "%m: Words and Lanes must be 1 or more");
  end

  // Stage 1: the RAM's word is there; 2: the sum; 3: it is written; 4: and can be read.
  logic [4:1]               valid_q;
  logic [4:1][Aw-1:0]       at_q;
  logic [2:1][Lanes-1:0][AmountW-1:0] amount_q;
  logic [Words-1:0]         known_q;    // not forgotten
  logic                     known2_q, known3_q, next_q;
  logic [Lanes-1:0][Width-1:0] word, data2_q, base, sum3_q, sum4_q;

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[3:1], add_i};
    at_q     <= {at_q[3:1], at_i};
    amount_q <= {amount_q[1], amount_i};
    known2_q <= known_q[at_q[1]];
    known3_q <= known2_q;
    next_q   <= valid_q[2] && at_q[2] == at_q[1];
    if (valid_q[3] && at_q[3] == at_q[1]) data2_q <= sum3_q;
    else if (valid_q[4] && at_q[4] == at_q[1]) data2_q <= sum4_q;
    else data2_q <= word;
    for (int unsigned l = 0; l < Lanes; l++) begin
      sum3_q[l] <= base[l] + Width'($signed(amount_q[2][l]));
    end
    sum4_q <= sum3_q;
    // Rows that nothing happens to are left alone: to look at each would be most of what a counter
    // costs in simulation.
    if (valid_q[1]) known_q[at_q[1]] <= 1'b1;
    if (forget_i != '0) begin
      for (int unsigned w = 0; w < Words; w++) if (forget_i[w]) known_q[w] <= 1'b0;
    end
    if (!rst_ni) begin
      valid_q <= '0;
      known_q <= '0;
    end
  end

  assign base = !known2_q ? '0 : next_q ? sum3_q : data2_q;

  prim_ram_1r1w #(
    .Width  (Lanes * Width),
    .Depth  (Words),
    .Latency(1),
    .Block  (Words > 64)   // as many are taken for a block's worth
  ) u_words (
    .clk_i,
    .we_i   (valid_q[3] && rst_ni),
    .waddr_i(at_q[3]),
    .wdata_i(sum3_q),
    .re_i   (add_i && rst_ni),   // before the reset its place may be anything
    .raddr_i(at_i),
    .rdata_o(word)
  );

  // ---------------------------------------------------------------------------------------------
  // A second copy, to be read by others. One that grows for the first time is not there yet.

  logic                        read_known_q, growing;
  logic [Lanes-1:0][Width-1:0] read_word;

  assign growing = (valid_q[2] && at_q[2] == read_at_i && !known2_q) ||
      (valid_q[3] && at_q[3] == read_at_i && !known3_q);

  prim_ram_1r1w #(
    .Width  (Lanes * Width),
    .Depth  (Words),
    .Latency(1),
    .Block  (Words > 64)   // as many are taken for a block's worth
  ) u_copy (
    .clk_i,
    .we_i   (valid_q[3] && rst_ni),
    .waddr_i(at_q[3]),
    .wdata_i(sum3_q),
    .re_i   (rst_ni),
    .raddr_i(read_at_i),
    .rdata_o(read_word)
  );

  always_ff @(posedge clk_i) begin
    read_known_q <= known_q[read_at_i] && !growing;
    value_o      <= read_known_q ? read_word : '0;
  end

endmodule
