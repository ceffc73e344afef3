// Deep queue in block RAM: a frame FIFO that commits every entry at once.
//
// An entry is shown two cycles after it was taken, with `Around` one if the queue was empty; then
// one a cycle without gap.
module prim_fifo_ram #(
  /// What is queued.
  parameter type T = logic [7:0],
  /// Places, power of two, 8 or more.
  parameter int unsigned Depth = 16,
  /// 1: an entry that finds the queue empty is shown in the next cycle, for a register and a
  /// multiplexer of its width.
  parameter bit Around = 1'b1,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic in_valid_i,   // who writes waits for room
  output logic in_ready_o,
  input  T     in_i,

  output logic out_valid_o,   // the oldest entry
  input  logic out_ready_i,
  output T     out_o,

  // Entries inside.
  output logic [CountW-1:0] count_o
);

  prim_frame_fifo #(
    .T     (T),
    .Depth (Depth),
    .Around(Around)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .commit_i  (1'b1),
    .rollback_i(1'b0),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .count_o
  );

endmodule
