// The same memory with both read latencies, for test_prim_ram_1r1w.
module ram_latencies #(
  /// A number of words that is no power of two, and a width that is no multiple of 32.
  localparam int unsigned Width = 37,
  localparam int unsigned Depth = 12
) (
  input logic clk_i,

  input  logic             we_i,
  input  logic [3:0]       waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [3:0]       raddr_i,
  output logic [Width-1:0] rdata1_o,
  output logic [Width-1:0] rdata2_o
);

  prim_ram_1r1w #(
    .Width  (Width),
    .Depth  (Depth),
    .Latency(1)
  ) u_one (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o(rdata1_o)
  );

  prim_ram_1r1w #(
    .Width  (Width),
    .Depth  (Depth),
    .Latency(2)
  ) u_two (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o(rdata2_o)
  );

endmodule
