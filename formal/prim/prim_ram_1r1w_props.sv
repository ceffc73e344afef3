// prim_ram_1r1w and prim_ram_deep: any one word is a register that is written and read by address.
module prim_ram_1r1w_props #(
  /// Words.
  parameter int unsigned Depth = 5,
  /// Cycles from read to data.
  parameter int unsigned Latency = 2,
  /// Words of a part of prim_ram_deep, or 0: prim_ram_1r1w.
  parameter int unsigned PartWords = 0,
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic          clk_i,
  input logic          we_i,
  input logic [Aw-1:0] waddr_i,
  input logic [1:0]    wdata_i,
  input logic          re_i,
  input logic [Aw-1:0] raddr_i,
  // Any word.
  input logic [Aw-1:0] word_i
);

  logic          started_q;
  logic [Aw-1:0] word_q;
  logic [1:0]    rdata;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) word_q <= word_i;
  end

  if (PartWords == 0) begin : gen_flat
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
  end else begin : gen_deep
    prim_ram_deep #(
      .Width    (2),
      .Depth    (Depth),
      .PartWords(PartWords)
    ) u_dut (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i,
      .re_i,
      .raddr_i,
      .rdata_o(rdata)
    );
  end

  // What was last written to the word; what the reads in flight must give, if they are of that word
  // and it was written.
  logic               written_q;
  logic [1:0]         value_q;
  logic [Latency:1]   known_q, reads_q;
  logic [Latency-1:0] known, reads;
  logic [1:0]         expected_q[Latency+1];
  logic               shown_q;        // something known stands at the output
  logic [1:0]         shown_value_q;

  initial begin
    written_q = 1'b0;
    reads_q   = '0;
    shown_q   = 1'b0;
  end
  assign reads = {reads_q, re_i && started_q};
  assign known = {known_q, written_q && raddr_i == word_q};

  always_ff @(posedge clk_i) begin
    if (started_q && we_i && waddr_i == word_q) begin
      written_q <= 1'b1;
      value_q   <= wdata_i;
    end
    reads_q       <= reads;
    known_q       <= known;
    expected_q[1] <= value_q;
    for (int unsigned i = 2; i <= Latency; i++) expected_q[i] <= expected_q[i-1];
    if (reads_q[Latency]) begin
      shown_q       <= known_q[Latency];
      shown_value_q <= expected_q[Latency];
    end
  end

  always_ff @(posedge clk_i) begin
    // A read gives what was last written to its address before the cycle of the read; a write in
    // the same cycle comes too late for it.
    a_data : assert (!(reads_q[Latency] && known_q[Latency]) || rdata == expected_q[Latency])
    else $error("%0d read, %0d written", rdata, expected_q[Latency]);
    // `rdata_o` keeps its value until the next read arrives.
    a_keeps : assert (!(shown_q && !reads_q[Latency]) || rdata == shown_value_q)
    else $error("%0d became %0d", shown_value_q, rdata);
    // The word is read in the cycle in which another value is written to it.
    c_collision : cover (we_i && re_i && waddr_i == word_q && raddr_i == word_q && written_q &&
                         wdata_i != value_q);
    // The word is read, and keeps standing at the output while it is overwritten.
    c_keeps : cover (shown_q && !reads_q[Latency] && shown_value_q != value_q);
  end

endmodule
