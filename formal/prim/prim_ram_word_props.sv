// prim_ram_1r1w: any one word that the memory has is a register, whatever else is written and read,
// inside the memory or outside it. So who follows one word need know nothing of other addresses.
module prim_ram_word_props #(
  /// Cycles from read to data.
  parameter int unsigned Latency = 1
) (
  input logic       clk_i,
  input logic       we_i,
  input logic [2:0] waddr_i,
  input logic [1:0] wdata_i,
  input logic       re_i,
  input logic [2:0] raddr_i,
  // The word that is followed.
  input logic [2:0] word_i
);

  /// Words, fewer than there are addresses.
  localparam int unsigned Depth = 5;

  logic       started_q;
  logic [2:0] word_q;
  logic [1:0] rdata;

  prim_ram_1r1w #(
    .Width  (2),
    .Depth  (Depth),
    .Latency(Latency)
  ) u_dut (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o(rdata)
  );

  // What was last written to the word; for each read in flight, the newest one on the right,
  // whether it is of the word and that was written, and what it must give.
  logic                    written_q;
  logic [1:0]              value_q, before_q;
  logic [Latency-1:0]      reads_q, known_q;
  logic [Latency-1:0][1:0] expected_q;
  logic [1:0]              since_q;   // cycles since the first one, from which reads are known of

  initial begin
    started_q = 1'b0;
    written_q = 1'b0;
    reads_q   = '0;
    since_q   = '0;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    since_q   <= {since_q[0], started_q};
    if (!started_q) word_q <= (32'(word_i) < Depth) ? word_i : '0;
    if (started_q && we_i && waddr_i == word_q) begin
      written_q <= 1'b1;
      value_q   <= wdata_i;
    end
    reads_q    <= Latency'({reads_q, re_i});
    known_q    <= Latency'({known_q, written_q && raddr_i == word_q});
    expected_q <= (2 * Latency)'({expected_q, value_q});
    before_q   <= rdata;
  end

  always_ff @(posedge clk_i) begin
    // A read of a word that the memory has gives what was last written to it before the cycle of
    // the read, wherever else was written meanwhile.
    a_word : assert (!(reads_q[Latency-1] && known_q[Latency-1]) ||
                     rdata == expected_q[Latency-1])
    else $error("%0d read, %0d written", rdata, expected_q[Latency-1]);
    // Whatever was read, of any address, stands at the output until the next read arrives.
    a_stands : assert (!since_q[1] || reads_q[Latency-1] || rdata == before_q)
    else $error("%0d became %0d", before_q, rdata);
    // The word is read and something was written outside of the memory in front of that.
    c_outside : cover (started_q && we_i && 32'(waddr_i) >= Depth && re_i && written_q &&
                       raddr_i == word_q);
    // The word is read in the cycle in which another value is written to it.
    c_collision : cover (we_i && re_i && waddr_i == word_q && raddr_i == word_q && written_q &&
                         wdata_i != value_q);
  end

endmodule
