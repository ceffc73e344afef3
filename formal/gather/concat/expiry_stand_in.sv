// Stands in for gather_expiry in proofs of gather_concat: gives any number that is not in use to a
// queue that is opened, or none, and shows any queue that is open as due, or none, whenever it
// likes. Which one it shows next it tells a cycle before.
//
// Sound because gather_expiry is proved to show only what was opened and not flushed (a_queue,
// a_once), not to give a number twice (a_own), to stay with what it has shown (a_stays), and to
// show next what it has told (a_next). A number that was taken is not given again in the four
// cycles after that: gather_expiry leaves so many unused. Which queue is due and when is left open:
// `any_id`, `any_room`, `any_due`, `any_show`, `any_late` and `any_behind` are cut.
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

  logic [Depth-1:0]             alive_q;
  logic [Depth-1:0][QueueW-1:0] which_q;
  logic [IdW-1:0]               any_id, any_due, id_q, next;
  logic [QueueW-1:0]            any_behind;
  logic                         any_room, any_show, any_late, due, stays, shown_q, there_q;

  assign any_id   = '0;
  assign any_due  = '0;
  assign any_room = 1'b0;
  assign any_show = 1'b0;
  assign any_late = 1'b0;
  assign any_behind = '0;

  assign open_ready_o   = any_room;
  // What was shown stays until it is flushed. What is shown was open in the cycle before.
  assign due            = any_show && there_q && alive_q[id_q];
  assign stays          = (shown_q || due) && alive_q[id_q] && !due_taken_o &&
      !(close_valid_i && close_id_i == id_q);
  assign next           = stays ? id_q : any_due;
  assign due_taken_o    = due && due_ready_i;
  assign due_id_o       = id_q;
  assign due_queue_o    = which_q[id_q];
  assign due_moves_o    = next != id_q;
  assign due_behind_o   = due_moves_o ? which_q[next] : any_behind;
  assign due_late_o     = any_late;
  assign due_lateness_o = '0;

  // What was taken in the four cycles before.
  logic [3:0][Depth-1:0] taken_q;
  logic [Depth-1:0]      rests;
  assign rests = taken_q[0] | taken_q[1] | taken_q[2] | taken_q[3];

  // Any number; if that is in use, another one. There are more of them than queues and what rests.
  always_comb begin
    open_id_o = any_id;
    if (alive_q[any_id] || rests[any_id]) begin
      for (int unsigned e = 0; e < Depth; e++) if (!alive_q[e] && !rests[e]) open_id_o = IdW'(e);
    end
  end

  always_ff @(posedge clk_i) begin
    taken_q <= {taken_q[2:0], due_taken_o ? Depth'(1) << due_id_o : Depth'(0)};
    if (open_valid_i) begin
      alive_q[open_id_o] <= 1'b1;
      which_q[open_id_o] <= open_queue_i;
    end
    if (close_valid_i) alive_q[close_id_i] <= 1'b0;
    if (due_taken_o) alive_q[due_id_o] <= 1'b0;
    id_q    <= next;
    shown_q <= stays;
    there_q <= alive_q[next];
    if (!rst_ni) begin
      alive_q <= '0;
      shown_q <= 1'b0;
      there_q <= 1'b0;
      taken_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A number that is in use, or was a moment ago, is not given.
      a_own : assert (!open_valid_i || (!alive_q[open_id_o] && !rests[open_id_o]))
      else $error("entry %0d is given twice", open_id_o);
      // What is flushed was open, or is taken for its time in these cycles.
      a_close : assert (!close_valid_i || alive_q[close_id_i] || rests[close_id_i])
      else $error("entry %0d is flushed twice", close_id_i);
    end
  end

endmodule
