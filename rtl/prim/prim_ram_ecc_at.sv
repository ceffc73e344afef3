// prim_ram_ecc that says, too, which word it is that had flipped (prim_ram_checked).
module prim_ram_ecc_at #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 64,
  /// Words, 2 or more.
  parameter int unsigned Depth = 16,
  /// Cycles from `re_i` to `rdata_o`, as those of prim_ram_ecc.
  parameter int unsigned Latency = 2,
  /// 1: it is deeper than a block RAM.
  parameter bit Deep = 1'b0,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic clk_i,

  input logic             we_i,   // write port
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  // `rdata_o` is valid `Latency` cycles after `re_i`, and stays until the data of the next read.
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o,

  // With `re_i`: the word was written, and is of use. Pulses, with its data: it was corrected; it
  // is not what was written; and which word.
  input  logic          use_i,
  output logic          corrected_o,
  output logic          bad_o,
  output logic [Aw-1:0] at_o
);

  prim_ram_ecc #(
    .Width  (Width),
    .Depth  (Depth),
    .Latency(Latency),
    .Deep   (Deep),
    .Ecc    (Ecc)
  ) u_ram (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .poison_i(1'b0),
    .re_i,
    .raddr_i,
    .rdata_o,
    .use_i,
    .corrected_o,
    .bad_o
  );

  if (Ecc != 0) begin : gen_at
    logic [Latency:1][Aw-1:0] at_q;   // the word that was asked for so many cycles ago

    always_ff @(posedge clk_i) at_q <= {at_q[Latency-1:1], raddr_i};
    assign at_o = at_q[Latency];
  end else begin : gen_plain
    assign at_o = '0;
  end

endmodule
