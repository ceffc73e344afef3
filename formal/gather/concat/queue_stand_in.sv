// Stands in for gather_queue in proofs of gather_concat: of each queue it knows how many PRs it
// holds, and closes it when it likes, but once at most for what comes in, and before it holds more
// than a packet has room for.
//
// Sound because gather_queue is proved, of any queue, to hold just the PRs that came for it and are
// in no closed packet (a_each), to close no empty one (a_packet), none inside a PR (a_between), one
// at most at a time (a_one), none that is too long (a_limit, a_room), and to be idle only when it
// holds nothing (a_idle). When it closes one is left open: `any_before`, `any_full` and `any_late`
// are cut.
// verilog_lint: waive module-filename
module gather_queue
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 16,
  parameter int unsigned Limit = 1446,
  parameter bit Virtual = 1'b0,
  parameter int unsigned UnitW = 6,
  parameter int unsigned EntryW = 7,
  parameter int unsigned ClockW = 18,
  localparam int unsigned QueueW = $clog2(NumNodes) + 1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic [QueueW-1:0] pr_queue_i,
  input logic [6:0]        pr_bytes_i,
  input logic              due_valid_i,
  input due_t              due_i,

  output logic             take_o,
  output logic             refund_o,
  input  logic [UnitW-1:0] unit_i,
  output logic              open_valid_o,
  output logic [QueueW-1:0] open_queue_o,
  input  logic [EntryW-1:0] open_entry_i,
  output logic              close_valid_o,
  output logic [EntryW-1:0] close_entry_o,

  output logic  write_valid_o,
  output part_t write_o,

  output logic              closed_valid_o,
  output closing_t          closed_o,
  output logic              full_o,
  output logic              late_o,
  output logic              length_o,
  output logic              room_o,
  output logic [ClockW-1:0] lateness_o,

  output logic moving_o,
  output logic idle_o
);

  localparam int unsigned NumQueues = 2 ** QueueW;
  /// PRs that have room in a packet, without a property.
  localparam int unsigned Most = (Limit - PrStart) / PrBytes;

  typedef struct packed {
    logic              valid;
    logic              due;
    logic              first;
    logic              last;
    logic [QueueW-1:0] which;
  } op_t;

  op_t                       b_q, c_q;
  logic [NumQueues-1:0][7:0] count_q;
  logic [7:0]                held, more, closes;
  logic                      any_before, any_full, any_late, ahead;

  assign any_before = 1'b0;
  assign any_full   = 1'b0;
  assign any_late   = 1'b0;

  // In c. A PR of another kind closes the packet in front of it; the last beat of one its own.
  assign held   = count_q[c_q.which];
  assign ahead  = !c_q.due && c_q.first && held != '0 && (any_before || 32'(held) >= Most);
  assign more   = (ahead ? 8'd0 : held) + 8'(c_q.first);

  always_comb begin
    closes = '0;
    if (c_q.valid && c_q.due && any_late) closes = held;
    if (c_q.valid && ahead) closes = held;
    if (c_q.valid && !c_q.due && !ahead && c_q.last && (any_full || 32'(more) >= Most)) begin
      closes = more;
    end
  end

  always_ff @(posedge clk_i) begin
    b_q <= '{valid: pr_valid_i || due_valid_i, due: due_valid_i, first: pr_i.first,
             last: pr_i.last, which: due_valid_i ? due_i.which[QueueW-1:0] : pr_queue_i};
    c_q <= b_q;
    if (c_q.valid && !c_q.due) count_q[c_q.which] <= (closes != '0 && !ahead) ? 8'd0 : more;
    if (c_q.valid && c_q.due && closes != '0) count_q[c_q.which] <= '0;
    closed_valid_o <= closes != '0;
    closed_o       <= '0;
    closed_o.which <= 11'(c_q.which);
    closed_o.count <= closes;
    if (!rst_ni) begin
      b_q.valid      <= 1'b0;
      c_q.valid      <= 1'b0;
      closed_valid_o <= 1'b0;
      count_q        <= '0;
    end
  end

  assign idle_o        = !b_q.valid && !c_q.valid && !closed_valid_o && count_q == '0;
  assign moving_o      = b_q.valid || c_q.valid;
  assign take_o        = 1'b0;
  assign refund_o      = 1'b0;
  assign open_valid_o  = 1'b0;
  assign open_queue_o  = '0;
  assign close_valid_o = 1'b0;
  assign close_entry_o = '0;
  assign write_valid_o = 1'b0;
  assign write_o       = '0;
  assign full_o        = 1'b0;
  assign late_o        = 1'b0;
  assign length_o      = 1'b0;
  assign room_o        = 1'b0;
  assign lateness_o    = '0;

endmodule
