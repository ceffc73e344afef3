// Collects PRs of one type and destination into packets: the concatenation point of NetSparse
// 6.1.2.
//
// A packet is closed when it has no room for another PR of its length, or when its oldest PR has
// waited for `delay_i` cycles (gather_expiry), or when a PR of another length comes. Its storage
// goes with it (gather_store), and the next PR to the same destination starts anew in storage from
// the pool, so PRs keep coming one a cycle while a packet leaves.
//
// Storage is a pool of units. Static: a unit has room for a packet, and there are as many as queues
// and a few more for packets that leave. Virtual (NetSparse 7.2): a unit is a row of 128 bytes, and
// the rows of a packet are linked. A PR is let in when there are units for the longest PR. If there
// are not and no packet is leaving, the oldest queue is closed.
//
// One pipeline for beats of PRs and for entries of the expiry queue whose time has come:
//   a let in | b its queue is read | c queue changes | d storage is written, a packet is closed
// gather_admit is a; whoever it lets in finds all that it may need and never waits behind that.
// gather_queue is b, c and d. gather_closed tells storage and those behind of closed packets.
//
// Who waits: PRs for storage, for an entry in the expiry queue, for packets to leave, and a cycle
// for each queue that is due. A packet whose time has come is closed at most this much later: a
// cycle for each packet due before it and for each dead entry before it, the beats of a PR that is
// just being written to it, nine for the pipelines, and as long as eight closed packets wait and a
// cycle more.
module gather_concat
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// Nodes, 2 to 1024. Destinations are 0 to NumNodes - 1.
  parameter int unsigned NumNodes = 16,
  /// Most bytes of an IP packet, 1108 to 4000.
  parameter int unsigned Mtu = 1500,
  /// 1: storage in linked rows.
  parameter bit Virtual = 1'b0,
  /// Rows of storage if Virtual, 32 or more. Otherwise it follows from the nodes.
  parameter int unsigned VirtualRows = 256,
  /// Packets that may leave while all queues are in use, if not Virtual. 2 or more.
  parameter int unsigned Spare = 8,
  /// Entries of the expiry queue; at least the largest delay. Power of two, 16 or more.
  parameter int unsigned ExpiryDepth = 128,
  /// Bits of the clock for expiry; delays are less than 2 ** (ClockW - 2).
  parameter int unsigned ClockW = 18
) (
  input logic clk_i,
  input logic rst_ni,

  // Cycles that a PR may wait. Changes only while nothing is queued.
  input logic [ClockW-3:0] delay_i,

  // PRs, beat by beat.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // Closed packets, and their beats from the second one on, in the same order. Up to eight packets
  // are shown ahead of their beats, for whoever has to make headers.
  output logic         packet_valid_o,
  input  logic         packet_ready_i,
  output closed_t      packet_o,
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // Observation only.
  output concat_obs_t obs_o,
  // Level: nothing is queued, and no packet is leaving.
  output logic        idle_o
);

  localparam int unsigned NodeW = $clog2(NumNodes);
  localparam int unsigned QueueW = NodeW + 1;
  localparam int unsigned NumQueues = 2 ** QueueW;
  /// Where the PRs of a full packet end at most.
  localparam int unsigned Limit = Mtu - AroundBytes + PrStart;
  localparam int unsigned UnitRows = Virtual ? 1 : (Limit + RowBytes - 1) / RowBytes;
  localparam int unsigned NumUnits = Virtual ? VirtualRows : 2 * NumNodes + Spare;
  localparam int unsigned UnitW = $clog2(NumUnits);
  localparam int unsigned EntryW = $clog2(ExpiryDepth);
  /// Packets that are closed and wait for others to leave, and as many that may be on their way
  /// there.
  localparam int unsigned Closed = 16;
  localparam int unsigned ClosedW = $clog2(Closed + 1);

  if (NumNodes < 2 || NumNodes > 1024) begin : gen_check_nodes
    $fatal(1, "%m: NumNodes must be 2 to 1024");
  end
  if (Mtu < AroundBytes + PrBytes + MaxLen || Mtu > 4000) begin : gen_check_mtu
    $fatal(1, "%m: Mtu must be %0d to 4000", AroundBytes + PrBytes + MaxLen);
  end
  if (Virtual && VirtualRows < 32) begin : gen_check_rows
    $fatal(1, "%m: VirtualRows must be 32 or more, for two packets");
  end

  // ---------------------------------------------------------------------------------------------
  // What is let in, and what becomes of its queue

  logic              go, enough, entries, room, moving, admit_idle, queue_idle;
  logic              take, refund, open_valid, close_valid;
  pr_beat_t          pr;
  logic [QueueW-1:0] pr_queue, open_queue;
  logic [6:0]        pr_bytes;
  logic [UnitW-1:0]  unit;
  logic [EntryW-1:0] open_entry, close_entry;

  logic              due_ready, due_taken, due_moves, due_late;
  logic [QueueW-1:0] due_queue, due_behind;
  logic [EntryW-1:0] due_entry;
  logic [ClockW-1:0] due_lateness, lateness;
  due_t              due;

  assign due = '{which: 11'(due_queue), entry: 16'(due_entry), late: due_late,
                 lateness: 32'(due_lateness)};

  logic     write_valid, closed_valid;
  part_t    write;
  closing_t closed;

  gather_admit #(
    .NumNodes(NumNodes)
  ) u_admit (
    .clk_i,
    .rst_ni,
    .pr_valid_i,
    .pr_ready_o,
    .pr_i,
    .due_ready_o (due_ready),
    .due_taken_i (due_taken),
    .due_queue_i (due_queue),
    .due_moves_i (due_moves),
    .due_behind_i(due_behind),
    .room_i      (room),
    .enough_i    (enough),
    .entries_i   (entries),
    .go_o        (go),
    .pr_o        (pr),
    .queue_o     (pr_queue),
    .bytes_o     (pr_bytes),
    .stall_pool_o(obs_o.stall_pool),
    .stall_out_o (obs_o.stall_out),
    .idle_o      (admit_idle)
  );

  gather_queue #(
    .NumNodes(NumNodes),
    .Limit   (Limit),
    .Virtual (Virtual),
    .UnitW   (UnitW),
    .EntryW  (EntryW),
    .ClockW  (ClockW)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .pr_valid_i    (go),
    .pr_i          (pr),
    .pr_queue_i    (pr_queue),
    .pr_bytes_i    (pr_bytes),
    .due_valid_i   (due_taken),
    .due_i         (due),
    .take_o        (take),
    .refund_o      (refund),
    .unit_i        (unit),
    .open_valid_o  (open_valid),
    .open_queue_o  (open_queue),
    .open_entry_i  (open_entry),
    .close_valid_o (close_valid),
    .close_entry_o (close_entry),
    .write_valid_o (write_valid),
    .write_o       (write),
    .closed_valid_o(closed_valid),
    .closed_o      (closed),
    .full_o        (obs_o.full),
    .late_o        (obs_o.late),
    .length_o      (obs_o.other_len),
    .room_o        (obs_o.for_room),
    .lateness_o    (lateness),
    .moving_o      (moving),
    .idle_o        (queue_idle)
  );

  // ---------------------------------------------------------------------------------------------
  // Expiry, closed packets, storage

  logic force_q;

  gather_expiry #(
    .NumQueues(NumQueues),
    .Depth    (ExpiryDepth),
    .ClockW   (ClockW)
  ) u_expiry (
    .clk_i,
    .rst_ni,
    .delay_i,
    .force_i       (force_q),
    .open_ready_o  (entries),
    .open_id_o     (open_entry),
    .open_valid_i  (open_valid),
    .open_queue_i  (open_queue),
    .close_valid_i (close_valid),
    .close_id_i    (close_entry),
    .due_ready_i   (due_ready),
    .due_taken_o   (due_taken),
    .due_queue_o   (due_queue),
    .due_moves_o   (due_moves),
    .due_behind_o  (due_behind),
    .due_id_o      (due_entry),
    .due_late_o    (due_late),
    .due_lateness_o(due_lateness)
  );

  logic               store_valid, store_ready, store_busy, closed_busy;
  logic [11:0]        store_stop;
  logic [UnitW-1:0]   store_first;
  logic [ClosedW-1:0] store_count;

  gather_closed #(
    .NumNodes(NumNodes),
    .UnitW   (UnitW),
    .Closed  (Closed)
  ) u_closed (
    .clk_i,
    .rst_ni,
    .closed_valid_i(closed_valid),
    .closed_i      (closed),
    .store_valid_o (store_valid),
    .store_ready_i (store_ready),
    .store_stop_o  (store_stop),
    .store_first_o (store_first),
    .store_count_i (store_count),
    .packet_valid_o,
    .packet_ready_i,
    .packet_o,
    .room_o        (room),
    .busy_o        (closed_busy)
  );

  gather_store #(
    .NumUnits(NumUnits),
    .UnitRows(UnitRows),
    .Linked  (Virtual),
    .Closed  (Closed)
  ) u_store (
    .clk_i,
    .rst_ni,
    .enough_o      (enough),
    .reserve_i     (go && (Virtual || pr.first)),
    .refund_i      (refund),
    .take_i        (take),
    .unit_o        (unit),
    .write_valid_i (write_valid),
    .write_i       (write),
    .closed_valid_i(store_valid),
    .closed_ready_o(store_ready),
    .closed_stop_i (store_stop),
    .closed_first_i(store_first),
    .closed_count_o(store_count),
    .data_valid_o,
    .data_ready_i,
    .data_o,
    .busy_o        (store_busy)
  );

  // ---------------------------------------------------------------------------------------------

  // A packet was closed and has not left: its storage will come back.
  logic leaving;
  assign leaving = store_busy || closed_busy;

  always_ff @(posedge clk_i) begin
    force_q <= Virtual && obs_o.stall_pool && !leaving && !due_taken && !go && !moving;
    if (!rst_ni) force_q <= 1'b0;
  end

  assign idle_o         = admit_idle && queue_idle && !leaving;
  assign obs_o.lateness = 32'(lateness);

endmodule
