// Collects PRs of one type and destination into packets: the concatenation point of NetSparse 6.1.2.
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
// Whoever is let in finds all that it may need and never waits behind that. What a queue was made in
// c is handed to those that follow in the next three cycles, as it is not in memory yet.
//
// Who waits: PRs for storage, for an entry in the expiry queue, for packets to leave, and a cycle for
// each queue that is due. A packet whose time has come is closed at most this much later: a cycle
// for each packet due before it and for each dead entry before it, the beats of a PR that is just
// being written to it, nine for the pipelines, and as long as eight closed packets wait.
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
  /// Entries of the expiry queue; at least the largest delay. Power of two, 16 or more.
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
  localparam int unsigned EntryW = $clog2(ExpiryDepth);
  /// Packets that are closed and wait for others to leave, and as many that may be on their way there.
  localparam int unsigned Closed = 16;
  localparam int unsigned ClosedW = $clog2(Closed + 1);
  /// Cycles between an entry that is due and the packet that is seen closed.
  localparam int unsigned Closing = 4;

  if (NumNodes < 2 || NumNodes > 1024) begin : gen_check_nodes
    $fatal(1, "%m: NumNodes must be 2 to 1024");
  end
  if (Mtu < AroundBytes + PrBytes + MaxLen || Mtu > 4000) begin : gen_check_mtu
    $fatal(1, "%m: Mtu must be %0d to 4000", AroundBytes + PrBytes + MaxLen);
  end
  if (Virtual && VirtualRows < 32) begin : gen_check_rows
    $fatal(1, "%m: VirtualRows must be 32 or more, for two packets");
  end

  // What a queue holds; open is kept in registers, the rest in memory.
  typedef struct packed {
    logic [7:0]        count;
    logic [10:0]       len;
    logic [11:0]       stop;
    logic [UnitW-1:0]  first;
    logic [UnitW-1:0]  tail;
    logic [EntryW-1:0] entry;
  } held_t;

  typedef struct packed {
    logic  open;
    held_t held;
  } queue_t;

  typedef struct packed {
    logic [QueueW-1:0] which;
    logic [7:0]        count;
    logic [10:0]       len;
    logic [11:0]       stop;
    logic [UnitW-1:0]  first;
  } record_t;

  // What moves from b to c and is known by then.
  typedef struct packed {
    logic              due;       // an entry of the expiry queue, not a PR
    logic [QueueW-1:0] which;
    logic [EntryW-1:0] entry;
    logic              late;
    logic [ClockW-1:0] lateness;
    logic [6:0]        bytes;     // of the PR, in this beat
    logic [12:0]       most;      // signed: a packet that ends later has no room behind this PR
    logic [7:0]        row_most;  // a part that begins later in a row ends in the next one
  } op_t;

  // ---------------------------------------------------------------------------------------------
  // a: a beat of a PR waits for all that it may need; what is due goes first.

  logic              valid_a_q, take, go, issue, issue_due, room_q, enough, entries;
  logic [QueueW-1:0] queue_a_q, issue_queue;
  logic [10:0]       body_in, part_in, rest_q, pr_bytes_a;
  pr_beat_t          pr_a_q;
  logic [6:0]        bytes_a_q;
  op_t               op_a;

  logic              due_valid, due_late;
  logic [QueueW-1:0] due_queue;
  logic [EntryW-1:0] due_entry;
  logic [ClockW-1:0] due_lateness;

  // A queue whose PR is half written is not closed.
  logic              partial_q;
  logic [QueueW-1:0] partial_queue_q;

  assign body_in    = pr_i.first ? carried(pr_i.pr.response, pr_i.pr.len) : rest_q;
  assign part_in    = (body_in > 11'(BeatBytes)) ? 11'(BeatBytes) : body_in;
  assign pr_ready_o = (!valid_a_q || go) && rst_ni;
  assign take       = pr_valid_i && pr_ready_o;

  always_ff @(posedge clk_i) begin
    if (take) begin
      pr_a_q    <= pr_i;
      queue_a_q <= {pr_i.pr.response, pr_i.pr.dest[NodeW-1:0]};
      bytes_a_q <= part_in[6:0] + (pr_i.first ? 7'(PrBytes) : 7'd0);
      rest_q    <= body_in - part_in;
    end
    valid_a_q <= take || (valid_a_q && !go);
    if (!rst_ni) valid_a_q <= 1'b0;
  end

  assign issue_due   = due_valid && room_q && !(partial_q && partial_queue_q == due_queue);
  assign go          = valid_a_q && room_q && (!pr_a_q.first || (enough && entries)) && !issue_due;
  assign issue       = issue_due || go;
  assign issue_queue = issue_due ? due_queue : queue_a_q;
  assign pr_bytes_a  = carried(pr_a_q.pr.response, pr_a_q.pr.len) + 11'(PrBytes);

  always_comb begin
    op_a          = '0;
    op_a.due      = issue_due;
    op_a.which    = issue_queue;
    op_a.entry    = due_entry;
    op_a.late     = due_late;
    op_a.lateness = due_lateness;
    op_a.bytes    = bytes_a_q;
    op_a.most     = 13'(Limit) - 13'(pr_bytes_a) - 13'(bytes_a_q);
    op_a.row_most = 8'(RowBytes) - 8'(bytes_a_q);
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      partial_q       <= !pr_a_q.last;
      partial_queue_q <= queue_a_q;
    end
    if (!rst_ni) partial_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // b: the queue is read. Those in front, up to three, may have changed it since.

  logic [NumQueues-1:0] open_q;
  logic                 valid_b_q, valid_c_q, valid_d_q, valid_e_q, open_b_q;
  logic [2:0]           near_q;   // those one, two, three cycles in front are of the same queue
  op_t                  op_b_q;
  // verilator lint_off UNUSEDSIGNAL
  op_t                  op_c_q;   // its entry was compared
  // verilator lint_on UNUSEDSIGNAL
  pr_beat_t             pr_b_q, pr_c_q;
  logic [QueueW-1:0]    which_d_q;
  queue_t               state_b, state_c_q, state_d_q, state_e_q, next_c;
  held_t                read_b;
  // Of the queue as it is in memory, behind e, d and c: its length is not that of the PR; its entry
  // is the one that is due.
  logic [3:0]           others_b, mine_b;
  logic                 other_b, own_b;

  prim_ram_1r1w #(
    .Width  ($bits(held_t)),
    .Depth  (NumQueues),
    .Latency(1)
  ) u_queues (
    .clk_i,
    .we_i   (valid_d_q && rst_ni),
    .waddr_i(which_d_q),
    .wdata_i(state_d_q.held),
    .re_i   (issue && rst_ni),
    .raddr_i(issue_queue),
    .rdata_o(read_b)
  );

  always_ff @(posedge clk_i) begin
    valid_b_q <= issue;
    op_b_q    <= op_a;
    pr_b_q    <= pr_a_q;
    open_b_q  <= issue_due ? open_q[due_queue] : open_q[queue_a_q];
    near_q[0] <= valid_b_q && op_b_q.which == issue_queue;
    near_q[1] <= valid_c_q && op_c_q.which == issue_queue;
    near_q[2] <= valid_d_q && which_d_q == issue_queue;
    if (!rst_ni) valid_b_q <= 1'b0;
  end

  // What is in c leaves the queue with its own length.
  assign others_b = {(op_c_q.due ? state_c_q.held.len : pr_c_q.pr.len) != pr_b_q.pr.len,
                     state_d_q.held.len != pr_b_q.pr.len, state_e_q.held.len != pr_b_q.pr.len,
                     read_b.len != pr_b_q.pr.len};
  assign mine_b   = {next_c.held.entry == op_b_q.entry, state_d_q.held.entry == op_b_q.entry,
                     state_e_q.held.entry == op_b_q.entry, read_b.entry == op_b_q.entry};

  always_comb begin
    state_b = '{open: open_b_q, held: read_b};
    other_b = others_b[0];
    own_b   = mine_b[0];
    if (near_q[2]) begin
      state_b = state_e_q;
      other_b = others_b[1];
      own_b   = mine_b[1];
    end
    if (near_q[1]) begin
      state_b = state_d_q;
      other_b = others_b[2];
      own_b   = mine_b[2];
    end
    if (near_q[0]) begin
      state_b = next_c;
      other_b = others_b[3];
      own_b   = mine_b[3];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // c: what becomes of the queue.

  logic              is_pr_q, fresh_c_q, other_c_q, hit_c_q, opens_q, new_unit, full, close_c;
  logic [11:0]       base, stop;
  logic [UnitW-1:0]  unit;
  logic [EntryW-1:0] entry;

  always_ff @(posedge clk_i) begin
    valid_c_q <= valid_b_q;
    op_c_q    <= op_b_q;
    // As of the cycle in which it will be seen closed.
    op_c_q.lateness <= op_b_q.lateness + ClockW'(Closing);
    pr_c_q    <= pr_b_q;
    state_c_q <= state_b;
    // The PR begins a packet; because it does not go with what the queue holds; the entry that is due
    // is that of the packet.
    fresh_c_q <= pr_b_q.first && (!state_b.open || other_b);
    other_c_q <= valid_b_q && !op_b_q.due && pr_b_q.first && state_b.open && other_b;
    hit_c_q   <= valid_b_q && op_b_q.due && state_b.open && own_b;
    is_pr_q     <= valid_b_q && !op_b_q.due;
    opens_q     <= valid_b_q && !op_b_q.due && pr_b_q.first && (!state_b.open || other_b);
    if (!rst_ni) begin
      valid_c_q <= 1'b0;
      is_pr_q     <= 1'b0;
      opens_q     <= 1'b0;
      other_c_q <= 1'b0;
      hit_c_q   <= 1'b0;
    end
  end

  assign base     = fresh_c_q ? 12'(PrStart) : state_c_q.held.stop;
  assign stop     = base + 12'(op_c_q.bytes);
  assign full     = pr_c_q.last && $signed({1'b0, base}) > $signed(op_c_q.most);
  assign new_unit = fresh_c_q ||
      (Virtual && (base[6:0] == '0 || {1'b0, base[6:0]} > op_c_q.row_most));
  assign close_c  = is_pr_q && full;

  always_comb begin
    next_c = state_c_q;
    if (op_c_q.due) begin
      if (hit_c_q) next_c.open = 1'b0;
    end else begin
      next_c.open       = !full;
      next_c.held.count = (fresh_c_q ? 8'd0 : state_c_q.held.count) + 8'(pr_c_q.first);
      next_c.held.len   = pr_c_q.pr.len;
      next_c.held.stop  = stop;
      if (fresh_c_q) begin
        next_c.held.first = unit;
        next_c.held.entry = entry;
      end
      if (new_unit) next_c.held.tail = unit;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // d: memory and storage are written.

  typedef struct packed {
    logic                    fresh;
    logic [UnitW-1:0]        row_unit;
    logic [UnitW-1:0]        tail;
    logic [11:0]             base;
    logic [6:0]              bytes;
    logic [8*ChunkBytes-1:0] data;
  } write_t;

  logic   write_q, new_d_q, closes_q;
  write_t write_d_q;
  // The entry of what is closed before its time.
  logic [EntryW-1:0] closes_entry_q;

  always_ff @(posedge clk_i) begin
    valid_d_q <= valid_c_q;
    valid_e_q <= valid_d_q;
    which_d_q <= op_c_q.which;
    state_d_q <= next_c;
    state_e_q <= state_d_q;
    if (valid_d_q) open_q[which_d_q] <= state_d_q.open;
    write_q        <= is_pr_q;
    new_d_q        <= is_pr_q && new_unit;
    write_d_q      <= '{fresh: fresh_c_q, row_unit: unit, tail: state_c_q.held.tail, base: base,
                        bytes: op_c_q.bytes, data: pr_c_q.first ?
                        {pr_c_q.data, pr_header(pr_c_q.pr)} : (8*ChunkBytes)'(pr_c_q.data)};
    closes_q       <= close_c || other_c_q;
    closes_entry_q <= state_c_q.held.entry;
    if (!rst_ni) begin
      valid_d_q <= 1'b0;
      valid_e_q <= 1'b0;
      write_q   <= 1'b0;
      new_d_q   <= 1'b0;
      closes_q  <= 1'b0;
      open_q    <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Expiry

  logic force_q, leaving;

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
    .open_id_o     (entry),
    .open_valid_i  (opens_q),
    .open_queue_i  (op_c_q.which),
    .close_valid_i (closes_q),
    .close_id_i    (closes_entry_q),
    .due_valid_o   (due_valid),
    .due_ready_i   (issue_due),
    .due_queue_o   (due_queue),
    .due_id_o      (due_entry),
    .due_late_o    (due_late),
    .due_lateness_o(due_lateness)
  );

  // ---------------------------------------------------------------------------------------------
  // Closed packets, two cycles later, when their last PR is written.

  record_t            record_q, record1_q, record2_q;
  logic               record_valid_q, record1_valid_q, record2_valid_q, record_ready, store_busy;
  logic [ClosedW-1:0] closed_count;
  // verilator lint_off UNUSEDSIGNAL
  held_t              closes;   // its tail and entry are of no use any more
  // verilator lint_on UNUSEDSIGNAL

  // A PR of another length, and what is due, leave the queue as it was.
  assign closes = (other_c_q || hit_c_q) ? state_c_q.held : next_c.held;

  always_ff @(posedge clk_i) begin
    record_valid_q  <= close_c || other_c_q || hit_c_q;
    record_q        <= '{which: op_c_q.which, count: closes.count, len: closes.len,
                         stop: closes.stop, first: closes.first};
    record1_valid_q <= record_valid_q;
    record1_q       <= record_q;
    record2_valid_q <= record1_valid_q;
    record2_q       <= record1_q;
    if (!rst_ni) begin
      record_valid_q  <= 1'b0;
      record1_valid_q <= 1'b0;
      record2_valid_q <= 1'b0;
    end
  end

  // The same packets for those behind.
  logic               shown_ready;
  logic [ClosedW-1:0] shown_count;
  closed_t            shown;

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

  // Whoever is in b, c, d or behind may close a packet, and one more is let in before this is seen.
  assign leaving = store_busy || record_valid_q || record1_valid_q || record2_valid_q;
  always_ff @(posedge clk_i) begin
    room_q  <= 32'(closed_count) <= Closed - 8 && 32'(shown_count) <= Closed - 8;
    force_q <= Virtual && valid_a_q && pr_a_q.first && !enough && !leaving && !issue &&
        !valid_b_q && !valid_c_q;
    if (!rst_ni) begin
      room_q  <= 1'b0;
      force_q <= 1'b0;
    end
  end

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
    .enough_o      (enough),
    .reserve_i     (go && (Virtual || pr_a_q.first)),
    .refund_i      (is_pr_q && (Virtual || pr_c_q.first) && !new_unit),
    .take_i        (is_pr_q && new_unit),
    .unit_o        (unit),
    .write_valid_i (write_q),
    .write_new_i   (new_d_q),
    .write_unit_i  (write_d_q.row_unit),
    .write_opened_i(!write_d_q.fresh),
    .write_tail_i  (write_d_q.tail),
    .write_at_i    (write_d_q.base),
    .write_bytes_i (write_d_q.bytes),
    .write_data_i  (write_d_q.data),
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

  logic none_open_q;

  always_ff @(posedge clk_i) begin
    close_full_o   <= close_c;
    close_late_o   <= hit_c_q && op_c_q.late;
    close_room_o   <= hit_c_q && !op_c_q.late;
    close_length_o <= other_c_q;
    lateness_o     <= op_c_q.late ? op_c_q.lateness : '0;
    none_open_q    <= open_q == '0;
    if (!rst_ni) begin
      close_full_o   <= 1'b0;
      close_late_o   <= 1'b0;
      close_room_o   <= 1'b0;
      close_length_o <= 1'b0;
    end
  end

  assign stall_pool_o = valid_a_q && pr_a_q.first && !enough;
  assign stall_out_o  = valid_a_q && !stall_pool_o && !go;
  assign idle_o       = none_open_q && !valid_a_q && !valid_b_q && !valid_c_q && !valid_d_q &&
      !valid_e_q && !leaving;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet holds a PR and is no longer than the MTU (NetSparse 6.1.1).
      a_packet : assert (!record_valid_q || (record_q.count != '0 && record_q.stop <= 12'(Limit)))
      else $error("%m: a packet of %0d PRs and %0d bytes", record_q.count, record_q.stop);
      // A closed packet finds room; else its PRs would be lost.
      a_record : assert (!record2_valid_q || (record_ready && shown_ready))
      else $error("%m: no room for a closed packet");
      // An operation closes one packet at most; a second one would be lost.
      a_one : assert (32'(close_c) + 32'(other_c_q) + 32'(hit_c_q) <= 1)
      else $error("%m: two packets are closed by one PR");
      // The destination has a queue; else PRs would go to another node.
      a_dest : assert (!take || pr_i.pr.dest < NumNodes)
      else $error("%m: a PR for node %0d", pr_i.pr.dest);
      // The beats of a PR come one behind the other.
      a_partial : assert (!valid_a_q || pr_a_q.first == !partial_q)
      else $error("%m: a PR begins inside another one");
    end
  end

endmodule
