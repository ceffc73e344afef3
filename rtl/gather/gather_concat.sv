// Collects PRs of one type and destination into packets: the concatenation point of NetSparse 6.1.2.
//
// A packet is closed in the cycle in which it has no room for another PR of its length, or when its
// oldest PR has waited for `delay_i` cycles (gather_expiry), or when a PR of another length comes.
// Its storage goes with it (gather_store), and the next PR to the same destination starts anew in
// storage from the pool, so PRs keep coming one a cycle while a packet leaves.
//
// Storage is a pool of units. Static: a unit has room for a packet, and there are as many as queues
// and a few more for packets that leave. Virtual (NetSparse 7.2): a unit is a row of 128 bytes, and
// the rows of a packet are linked. A PR is taken when there are units for all of it. If there are
// not and no packet is leaving, the oldest queue is closed.
//
// Who waits: PRs for storage, for an entry in the expiry queue, and for packets to leave. A packet
// whose time has come is closed at most this much later: two cycles for each packet due before it,
// one for each dead entry before it and for each packet that fills meanwhile, the beats of a PR
// that is just being written to it, four for the pipeline, and as long as eight closed packets wait.
module gather_concat
  import gather_pkg::*;
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
  /// Entries of the expiry queue; at least the largest delay. Power of two, 8 or more.
  parameter int unsigned ExpiryDepth = 128,
  /// Bits of the clock for expiry; delays are less than 2 ** (ClockW - 2).
  parameter int unsigned ClockW = 18
) (
  input logic clk_i,
  input logic rst_ni,

  // Cycles that a PR may wait. Changes only while nothing is queued.
  input logic [ClockW-3:0] delay_i,

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

  // Observation: a packet is closed, and why.
  output logic close_full_o,
  output logic close_late_o,
  output logic close_length_o,
  output logic close_room_o,
  // Cycles since the time of what is closed late.
  output logic [ClockW-1:0] lateness_o,
  // A PR waits: for storage; for the expiry queue or for closed packets to leave.
  output logic stall_pool_o,
  output logic stall_out_o,
  // Nothing is queued.
  output logic idle_o
);

  localparam int unsigned NodeW = $clog2(NumNodes);
  localparam int unsigned QueueW = NodeW + 1;
  localparam int unsigned NumQueues = 2 ** QueueW;
  /// Where the PRs of a full packet end at most.
  localparam int unsigned Limit = Mtu - AroundBytes + PrStart;
  localparam int unsigned UnitRows = Virtual ? 1 : (Limit + RowBytes - 1) / RowBytes;
  localparam int unsigned NumUnits = Virtual ? VirtualRows : 2 * NumNodes + Spare;
  localparam int unsigned UnitW = $clog2(NumUnits);
  localparam int unsigned FreeW = $clog2(NumUnits + 1);
  localparam int unsigned EntryW = $clog2(ExpiryDepth);
  /// Packets that are closed and wait for others to leave.
  localparam int unsigned Closed = 8;

  if (NumNodes < 2 || NumNodes > 1024) begin : gen_check_nodes
    $fatal(1, "%m: NumNodes must be 2 to 1024");
  end
  if (Mtu < AroundBytes + PrBytes + MaxLen || Mtu > 4000) begin : gen_check_mtu
    $fatal(1, "%m: Mtu must be %0d to 4000", AroundBytes + PrBytes + MaxLen);
  end
  if (Virtual && VirtualRows < 32) begin : gen_check_rows
    $fatal(1, "%m: VirtualRows must be 32 or more, for two packets");
  end

  typedef struct packed {
    logic [7:0]        count;
    logic [10:0]       len;
    logic [11:0]       stop;
    logic [UnitW-1:0]  first;
    logic [UnitW-1:0]  tail;
    logic [EntryW-1:0] entry;
  } queue_t;

  typedef struct packed {
    logic [QueueW-1:0] which;
    logic [7:0]        count;
    logic [10:0]       len;
    logic [11:0]       stop;
    logic [UnitW-1:0]  first;
  } record_t;

  // ---------------------------------------------------------------------------------------------
  // 0: a beat of a PR; its queue is read.

  logic              valid1_q, take, go;
  logic [QueueW-1:0] queue0, queue1_q;
  logic [10:0]       body0, part0, rest_q;
  pr_beat_t          pr1_q;
  logic [6:0]        bytes1_q;

  assign queue0     = {pr_i.pr.response, pr_i.pr.dest[NodeW-1:0]};
  assign body0      = pr_i.first ? carried(pr_i.pr.response, pr_i.pr.len) : rest_q;
  assign part0      = (body0 > 11'(BeatBytes)) ? 11'(BeatBytes) : body0;
  assign pr_ready_o = (!valid1_q || go) && rst_ni;
  assign take       = pr_valid_i && pr_ready_o;

  always_ff @(posedge clk_i) begin
    if (take) begin
      pr1_q    <= pr_i;
      queue1_q <= queue0;
      bytes1_q <= part0[6:0] + (pr_i.first ? 7'(PrBytes) : 7'd0);
      rest_q   <= body0 - part0;
    end
    valid1_q <= take || (valid1_q && !go);
    if (!rst_ni) valid1_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Queues: which are open, and what they hold. Written by PRs alone; read by PRs and by expiry.

  logic [NumQueues-1:0] open_q;
  queue_t               state1, state_due, next1;
  logic                 look, looked_q, due_valid, due_fire;
  logic [QueueW-1:0]    due_queue;

  gather_queues #(
    .T        (queue_t),
    .NumQueues(NumQueues)
  ) u_queues (
    .clk_i,
    .write_i      (go),
    .write_queue_i(queue1_q),
    .write_data_i (next1),
    .read_i       ({look, take}),
    .read_queue_i ({due_queue, queue0}),
    .read_data_o  ({state_due, state1})
  );

  // ---------------------------------------------------------------------------------------------
  // 1: what becomes of the beat.

  logic              opened, new_unit, crosses, short, mismatch, room, ends, full, due_hit;
  logic              mismatch_close, close1, opens, enters;
  logic [11:0]       base, stop, whole;
  logic [4:0]        rows_base, rows_stop, rows_whole, rows_more;
  logic [10:0]       pr_bytes;
  logic              pool_valid, expiry_ready;
  logic [UnitW-1:0]  unit;
  logic [FreeW-1:0]  free;
  logic [EntryW-1:0] entry, due_entry;

  assign opened     = open_q[queue1_q];
  assign base       = opened ? state1.stop : 12'(PrStart);
  assign stop       = base + 12'(bytes1_q);
  assign pr_bytes   = carried(pr1_q.pr.response, pr1_q.pr.len) + 11'(PrBytes);
  assign whole      = base + 12'(pr_bytes);
  // Rows that hold this many bytes.
  assign rows_base  = opened ? 5'((base + 12'(RowBytes - 1)) >> 7) : 5'd0;
  assign rows_stop  = 5'((stop + 12'(RowBytes - 1)) >> 7);
  assign rows_whole = 5'((whole + 12'(RowBytes - 1)) >> 7);
  assign rows_more  = rows_whole - rows_base;
  assign crosses    = rows_base != rows_stop;
  assign new_unit   = Virtual ? crosses : !opened;
  assign short      = pr1_q.first && (Virtual ? 32'(free) < 32'(rows_more) :
      (!opened && free == '0));
  assign mismatch   = pr1_q.first && opened && state1.len != pr1_q.pr.len;

  assign go = valid1_q && !mismatch && !short && (!new_unit || pool_valid) &&
      (opened || expiry_ready) && room;
  assign ends           = go && pr1_q.last;
  assign full           = 13'(stop) + 13'(pr_bytes) > 13'(Limit);
  assign due_hit        = due_valid && due_queue == queue1_q && opened;
  assign mismatch_close = valid1_q && mismatch && room;
  assign close1         = mismatch_close || (ends && (full || due_hit));
  assign opens          = go && !opened;
  // A packet that its first PR fills never gets an entry.
  assign enters         = opens && !close1;

  always_comb begin
    next1       = state1;
    next1.count = (opened ? state1.count : 8'd0) + 8'(pr1_q.first);
    next1.len   = pr1_q.pr.len;
    next1.stop  = stop;
    if (opens) begin
      next1.first = unit;
      next1.entry = entry;
    end
    if (new_unit) next1.tail = unit;
  end

  // A queue whose PR is half written is not closed.
  logic              partial_q;
  logic [QueueW-1:0] partial_queue_q;

  always_ff @(posedge clk_i) begin
    if (go) begin
      partial_q       <= !pr1_q.last;
      partial_queue_q <= queue1_q;
    end
    if (close1) open_q[queue1_q] <= 1'b0;
    else if (opens) open_q[queue1_q] <= 1'b1;
    if (due_fire) open_q[due_queue] <= 1'b0;
    if (!rst_ni) begin
      partial_q <= 1'b0;
      open_q    <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Expiry: the queue of a due entry is read, and closed in the next cycle unless a PR closes one or
  // is being added to this one.

  logic              leaving, due_late;
  logic [ClockW-1:0] lateness;

  gather_expiry #(
    .NumQueues(NumQueues),
    .Depth    (ExpiryDepth),
    .ClockW   (ClockW)
  ) u_expiry (
    .clk_i,
    .rst_ni,
    .delay_i,
    .force_i      (Virtual && valid1_q && short && !leaving),
    .open_ready_o (expiry_ready),
    .open_id_o    (entry),
    .open_valid_i (enters),
    .open_queue_i (queue1_q),
    .close_valid_i(close1 && opened),
    .close_id_i   (state1.entry),
    .due_valid_o  (due_valid),
    .due_ready_i  (due_fire),
    .due_queue_o  (due_queue),
    .due_id_o     (due_entry),
    .due_late_o   (due_late),
    .due_lateness_o(lateness)
  );

  assign look     = due_valid && !looked_q;
  assign due_fire = due_valid && looked_q && room && !close1 && !(go && queue1_q == due_queue) &&
      !(partial_q && partial_queue_q == due_queue);

  always_ff @(posedge clk_i) begin
    looked_q <= due_valid && !due_fire && !(close1 && opened && state1.entry == due_entry) &&
        rst_ni;
  end

  // ---------------------------------------------------------------------------------------------
  // Closed packets, two cycles later, when their last PR is written.

  record_t                     record, record1_q, record2_q;
  logic                        record_valid, record1_valid_q, record2_valid_q;
  logic                        record_ready, store_busy;
  logic [$clog2(Closed+1)-1:0] closed_count;
  // verilator lint_off UNUSEDSIGNAL
  queue_t                      closes;   // its tail and entry are of no use any more
  // verilator lint_on UNUSEDSIGNAL

  assign record_valid = close1 || due_fire;

  always_comb begin
    closes = next1;
    if (mismatch_close) closes = state1;
    if (due_fire) closes = state_due;
    record = '{which: due_fire ? due_queue : queue1_q, count: closes.count, len: closes.len,
               stop: closes.stop, first: closes.first};
  end

  always_ff @(posedge clk_i) begin
    record1_valid_q <= record_valid;
    record2_valid_q <= record1_valid_q;
    record1_q       <= record;
    record2_q       <= record1_q;
    if (!rst_ni) begin
      record1_valid_q <= 1'b0;
      record2_valid_q <= 1'b0;
    end
  end

  // The same packets for those behind.
  logic                        shown_ready;
  logic [$clog2(Closed+1)-1:0] shown_count;
  closed_t                     shown;

  assign shown = '{response: record2_q.which[QueueW-1], dest: 32'(record2_q.which[NodeW-1:0]),
                   len: record2_q.len, count: record2_q.count, stop: record2_q.stop};

  prim_fifo #(
    .T    (closed_t),
    .Depth(Closed)
  ) u_shown (
    .clk_i,
    .rst_ni,
    .in_valid_i (record2_valid_q),
    .in_ready_o (shown_ready),
    .in_i       (shown),
    .out_valid_o(packet_valid_o),
    .out_ready_i(packet_ready_i),
    .out_o      (packet_o),
    .count_o    (shown_count)
  );

  assign room = 32'(closed_count) + 32'(record1_valid_q) + 32'(record2_valid_q) < Closed &&
      32'(shown_count) + 32'(record1_valid_q) + 32'(record2_valid_q) < Closed;
  assign leaving = store_busy || record1_valid_q || record2_valid_q;

  // ---------------------------------------------------------------------------------------------
  // Storage

  gather_store #(
    .NumUnits(NumUnits),
    .UnitRows(UnitRows),
    .Linked  (Virtual),
    .Closed  (Closed)
  ) u_store (
    .clk_i,
    .rst_ni,
    .unit_valid_o  (pool_valid),
    .unit_o        (unit),
    .free_o        (free),
    .write_valid_i (go),
    .write_new_i   (new_unit),
    .write_opened_i(opened),
    .write_tail_i  (state1.tail),
    .write_at_i    (base),
    .write_bytes_i (bytes1_q),
    .write_data_i  (pr1_q.first ? {pr1_q.data, pr_header(pr1_q.pr)} :
                    (8*ChunkBytes)'(pr1_q.data)),
    .closed_valid_i(record2_valid_q),
    .closed_ready_o(record_ready),
    .closed_stop_i (record2_q.stop),
    .closed_first_i(record2_q.first),
    .closed_count_o(closed_count),
    .data_valid_o,
    .data_ready_i,
    .data_o,
    .busy_o        (store_busy)
  );

  // ---------------------------------------------------------------------------------------------

  assign close_full_o   = ends && full;
  assign close_late_o   = (due_fire && due_late) || (ends && due_hit && !full);
  assign lateness_o     = due_late ? lateness : '0;
  assign close_room_o   = due_fire && !due_late;
  assign close_length_o = mismatch_close;
  assign stall_pool_o   = valid1_q && !mismatch && (short || (new_unit && !pool_valid));
  assign stall_out_o    = valid1_q && !stall_pool_o && !(room && (opened || expiry_ready));
  assign idle_o         = !valid1_q && open_q == '0 && !leaving;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet holds a PR and is no longer than the MTU (NetSparse 6.1.1).
      a_packet : assert (!record_valid || (closes.count != '0 && closes.stop <= 12'(Limit)))
      else $error("%m: a packet of %0d PRs and %0d bytes", closes.count, closes.stop);
      // A closed packet finds room; else its PRs would be lost.
      a_record : assert (!record2_valid_q || (record_ready && shown_ready))
      else $error("%m: no room for a closed packet");
      // The destination has a queue; else PRs would go to another node.
      a_dest : assert (!take || pr_i.pr.dest < NumNodes)
      else $error("%m: a PR for node %0d", pr_i.pr.dest);
      // The beats of a PR come one behind the other.
      a_partial : assert (!valid1_q || pr1_q.first == !partial_q)
      else $error("%m: a PR begins inside another one");
    end
  end

endmodule
