// gather_queue: what of a PR goes to storage with it, and what is told of an operation when its
// packet is closed, any PR, whatever the queues hold.
//
// Nothing but what queues hold is left of an operation after three cycles. What is read of their
// memory is left out of the circuit and free. (Which packet a PR is in is gather_queue's proof.)
module queue_passes_props
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 4,
  parameter bit Virtual = 1'b1,
  parameter int unsigned UnitW = 5,
  parameter int unsigned EntryW = 6,
  parameter int unsigned ClockW = 12,
  localparam int unsigned QueueW = $clog2(NumNodes) + 1
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic [QueueW-1:0] pr_queue_i,
  input logic [6:0]        pr_bytes_i,
  input logic              due_valid_i,
  input due_t              due_i,
  input logic [UnitW-1:0]  unit_i,
  input logic [EntryW-1:0] open_entry_i
);

  logic take, refund, opens, ends, valid, closes, full, late, length, makes_room, moving, idle;
  logic [QueueW-1:0] open_queue;
  logic [EntryW-1:0] end_entry;
  logic [ClockW-1:0] lateness;
  part_t             part;
  closing_t          closed;

  gather_queue #(
    .NumNodes(NumNodes),
    .Virtual (Virtual),
    .UnitW   (UnitW),
    .EntryW  (EntryW),
    .ClockW  (ClockW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pr_valid_i,
    .pr_i,
    .pr_queue_i,
    .pr_bytes_i,
    .due_valid_i,
    .due_i,
    .take_o        (take),
    .refund_o      (refund),
    .unit_i,
    .open_valid_o  (opens),
    .open_queue_o  (open_queue),
    .open_entry_i,
    .close_valid_o (ends),
    .close_entry_o (end_entry),
    .write_valid_o (valid),
    .write_o       (part),
    .closed_valid_o(closes),
    .closed_o      (closed),
    .full_o        (full),
    .late_o        (late),
    .length_o      (length),
    .room_o        (makes_room),
    .lateness_o    (lateness),
    .moving_o      (moving),
    .idle_o        (idle)
  );

  // An operation: a beat of a PR, or an entry that is due. Those of the latest three cycles.
  typedef struct packed {
    logic              pr_there;
    logic              due_there;
    logic [QueueW-1:0] which;
    pr_beat_t          pr;
    logic [6:0]        bytes;
    due_t              due;
  } op_t;

  op_t  [3:1]       op_q;
  logic [3:0]       past_q;   // so many cycles have gone by
  logic [UnitW-1:0] unit_q;
  logic             taken_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[2:0], 1'b1};
    op_q[1] <= '{pr_valid_i && !due_valid_i, due_valid_i,
                 due_valid_i ? due_i.which[QueueW-1:0] : pr_queue_i, pr_i, pr_bytes_i, due_i};
    op_q[2] <= op_q[1];
    op_q[3] <= op_q[2];
    unit_q  <= unit_i;
    taken_q <= take;
    if (!rst_ni) begin
      for (int unsigned s = 1; s <= 3; s++) begin
        op_q[s].pr_there  <= 1'b0;
        op_q[s].due_there <= 1'b0;
      end
      taken_q <= 1'b0;
    end
  end

  // A byte of the header: source, RIG unit, index and number, the most significant one first.
  logic [8*PrBytes-1:0] header;
  for (genvar b = 0; b < 4; b++) begin : gen_byte
    assign header[8*b+:8]      = op_q[3].pr.pr.src[8*(3-b)+:8];
    assign header[8*(14+b)+:8] = op_q[3].pr.pr.id[8*(3-b)+:8];
    assign header[8*(6+b)+:8]  = op_q[3].pr.pr.idx[8*(7-b)+:8];
    assign header[8*(10+b)+:8] = op_q[3].pr.pr.idx[8*(3-b)+:8];
  end
  assign header[8*4+:16] = {op_q[3].pr.pr.tid[7:0], op_q[3].pr.pr.tid[15:8]};

  logic known;
  assign known = past_q[2:0] == '1;

  always_ff @(posedge clk_i) begin
    // A beat of a PR is written to storage three cycles after it was let in, unless there was a
    // reset since; an entry that is due writes nothing.
    a_written : assert (!known || valid == op_q[3].pr_there)
    else $error("written: %b", valid);
    // The first beat of a PR has its header in front,
    a_header : assert (!known || !op_q[3].pr.first ||
                       (part.data[8*PrBytes-1:0] == header &&
                        part.data[8*ChunkBytes-1:8*PrBytes] == op_q[3].pr.data))
    else $error("another header");
    // the others are data alone, as many bytes as were told.
    a_data : assert (!known || op_q[3].pr.first || part.data == (8*ChunkBytes)'(op_q[3].pr.data))
    else $error("other data");
    a_bytes : assert (!known || part.bytes == op_q[3].bytes)
    else $error("%0d bytes", part.bytes);
    // It gets the unit that was shown a cycle before, and it is its own if it was taken then.
    // Numbers have no more bits than this device's units.
    a_unit : assert (!past_q[0] || (part.unit == 16'(unit_q) && part.fresh == taken_q))
    else $error("unit %0d", part.unit);
    a_small : assert (!past_q[0] || (32'(part.tail) < 2 ** UnitW && 32'(closed.first) < 2 ** UnitW))
    else $error("units %0d and %0d", part.tail, closed.first);
    // A packet is closed by a PR, which fills it or is of another kind, or by an entry, which is
    // late or makes room; one of these is told, and of an entry that is late by how much, as of
    // the cycle in which the packet is closed.
    a_why : assert (!known || closes == (full || length || late || makes_room))
    else $error("closed: %b", closes);
    a_pr : assert (!known || (!(full || length) || op_q[3].pr_there))
    else $error("a PR closes a packet and was not there");
    a_due : assert (!known || !(late || makes_room) ||
                    (op_q[3].due_there && late == op_q[3].due.late && makes_room == !late))
    else $error("late: %b, room: %b", late, makes_room);
    a_lateness : assert (!known || !op_q[3].due_there || lateness ==
                         (op_q[3].due.late ? op_q[3].due.lateness[ClockW-1:0] + ClockW'(4) : '0))
    else $error("late by %0d", lateness);
    // It is of the operation's queue. A PR that fills it is of its length and generation.
    a_which : assert (!known || closed.which == 11'(op_q[3].which))
    else $error("queue %0d is closed", closed.which);
    a_kind : assert (!known || !full || length || (closed.len == op_q[3].pr.pr.len &&
                                                   closed.generation == op_q[3].pr.pr.generation))
    else $error("a packet of PRs of %0d bytes", closed.len);
    // A PR that opens a queue opens its own. An entry is of no use any more when a PR closes its
    // packet.
    a_opens : assert (!known || !opens || (op_q[2].pr_there && op_q[2].pr.first &&
                                           open_queue == op_q[2].which))
    else $error("queue %0d opens", open_queue);
    a_ends : assert (!known || ends == (full || length))
    else $error("an entry ends: %b", ends);
    // A PR takes a unit or gives its credit back; in storage of whole packets its first beat alone
    // has one. Nothing else does.
    a_credit : assert (!known || (take || refund) ==
                       (op_q[2].pr_there && (Virtual || op_q[2].pr.first || take)) &&
                       !(take && refund))
    else $error("takes: %b, gives back: %b", take, refund);
    // What was let in one or two cycles ago may close a packet.
    a_moving : assert (!known || moving == (op_q[1].pr_there || op_q[1].due_there ||
                                            op_q[2].pr_there || op_q[2].due_there))
    else $error("moving: %b", moving);

    // A packet is full, and one is late.
    c_full : cover (known && full && op_q[3].pr.first);
    c_late : cover (known && late && lateness == ClockW'(9));
  end

endmodule
