// Stands in for gather_expiry in proofs of gather_concat that look at no entries: any queue is due
// whenever it likes. Which one it shows next it tells a cycle before, as gather_expiry is proved to
// (a_next); all else is left open: `any_due`, `any_moves`, `any_queue` and `any_room` are cut.
// verilog_lint: waive module-filename
module gather_expiry #(
  parameter int unsigned NumQueues = 32,
  parameter int unsigned Depth = 128,
  parameter int unsigned ClockW = 18,
  localparam int unsigned QueueW = $clog2(NumQueues),
  localparam int unsigned IdW = $clog2(Depth)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [ClockW-3:0] delay_i,
  input logic force_i,

  output logic              open_ready_o,
  output logic [IdW-1:0]    open_id_o,
  input  logic              open_valid_i,
  input  logic [QueueW-1:0] open_queue_i,

  input logic           close_valid_i,
  input logic [IdW-1:0] close_id_i,

  input  logic              due_ready_i,
  output logic              due_taken_o,
  output logic [QueueW-1:0] due_queue_o,
  output logic              due_moves_o,
  output logic [QueueW-1:0] due_behind_o,
  output logic [IdW-1:0]    due_id_o,
  output logic              due_late_o,
  output logic [ClockW-1:0] due_lateness_o
);

  logic              any_due, any_moves, any_room;
  logic [QueueW-1:0] any_queue, which_q;

  assign any_due   = 1'b0;
  assign any_moves = 1'b0;
  assign any_room  = 1'b0;
  assign any_queue = '0;

  assign open_ready_o   = any_room;
  assign open_id_o      = '0;
  assign due_taken_o    = any_due && due_ready_i;
  assign due_queue_o    = which_q;
  assign due_moves_o    = any_moves;
  assign due_behind_o   = any_queue;
  assign due_id_o       = '0;
  assign due_late_o     = 1'b0;
  assign due_lateness_o = '0;

  always_ff @(posedge clk_i) begin
    if (any_moves) which_q <= any_queue;
  end

endmodule
