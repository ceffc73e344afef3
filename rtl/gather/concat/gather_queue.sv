// What the queues of concatenation hold, and what becomes of a queue by a beat of a PR or by an
// entry of the expiry queue whose time has come.
//
// It exists so that operations on the same queue follow each other every cycle:
//   a let in (gather_admit) | b the queue is read | c it changes | d it is written
// What a queue was made in c is handed to those that follow in the next three cycles, as it is not
// in memory yet. Whether a queue is open is in registers, the rest in memory.
//
// A packet is closed when it has no room for another PR of its length, when a PR of another length
// or generation comes, or when its entry is due. An entry that was overtaken, because its queue was
// closed meanwhile, does nothing: its number is not that of the queue any more.
//
// Who waits: nobody. Whoever is let in finds storage, an entry and room for a packet.
module gather_queue
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Where the PRs of a full packet end at most, bytes of storage.
  parameter int unsigned Limit = 1446,
  /// 1: a unit of storage is a row, and rows of a packet are linked; 0: it has room for a packet.
  parameter bit Virtual = 1'b0,
  /// Bits of a unit's number.
  parameter int unsigned UnitW = 6,
  /// Bits of an entry's number.
  parameter int unsigned EntryW = 7,
  /// Bits of the clock for expiry.
  parameter int unsigned ClockW = 18,
  localparam int unsigned QueueW = $clog2(NumNodes) + 1
) (
  input logic clk_i,
  input logic rst_ni,

  // a: a beat of a PR is let in, with the bytes of the PR in it; or an entry that is due. Never
  // both.
  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic [QueueW-1:0] pr_queue_i,
  input logic [6:0]        pr_bytes_i,
  // Numbers have as many bits as the largest device needs.
  // verilator lint_off UNUSEDSIGNAL
  input logic              due_valid_i,
  input due_t              due_i,
  // verilator lint_on UNUSEDSIGNAL

  // c, pulses: a unit of storage is taken, `unit_i`; or the credit for one is given back.
  output logic             take_o,
  output logic             refund_o,
  input  logic [UnitW-1:0] unit_i,
  // c, a pulse: a queue is opened and gets an entry. d, a pulse: its entry is of no use any more.
  output logic              open_valid_o,
  output logic [QueueW-1:0] open_queue_o,
  input  logic [EntryW-1:0] open_entry_i,
  output logic              close_valid_o,
  output logic [EntryW-1:0] close_entry_o,

  // d: a part of a packet for storage.
  output logic  write_valid_o,
  output part_t write_o,

  // d: a packet is closed, and why: full, late (by how many cycles), for a PR of another length,
  // for room.
  output logic              closed_valid_o,
  output closing_t          closed_o,
  output logic              full_o,
  output logic              late_o,
  output logic              length_o,
  output logic              room_o,
  output logic [ClockW-1:0] lateness_o,

  // Level: an operation is in b or c, and may close a packet.
  output logic moving_o,
  // Level: no operation is here, and no queue is open.
  output logic idle_o
);

  localparam int unsigned NumQueues = 2 ** QueueW;
  /// Which queues are open is read in two steps, a row of as many queues in a first one.
  localparam int unsigned OpenRowW = (QueueW > 3) ? 2 : 1;
  localparam int unsigned OpenRow = 2 ** OpenRowW;
  /// Cycles between an entry that is due and the packet that is seen closed.
  localparam int unsigned Closing = 4;

  // What a queue holds; open is kept in registers, the rest in memory.
  typedef struct packed {
    logic [7:0]        count;
    logic [15:0]       generation;
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
  // a: what is let in

  logic              issue;
  logic [QueueW-1:0] issue_queue, due_queue;
  logic [10:0]       pr_bytes_a;
  op_t               op_a;

  assign issue       = due_valid_i || pr_valid_i;
  assign due_queue   = due_i.which[QueueW-1:0];
  assign issue_queue = due_valid_i ? due_queue : pr_queue_i;
  assign pr_bytes_a  = carried(pr_i.pr.response, pr_i.pr.len) + 11'(PrBytes);

  always_comb begin
    op_a          = '0;
    op_a.due      = due_valid_i;
    op_a.which    = issue_queue;
    op_a.entry    = due_i.entry[EntryW-1:0];
    op_a.late     = due_i.late;
    op_a.lateness = due_i.lateness[ClockW-1:0];
    op_a.bytes    = pr_bytes_i;
    op_a.most     = 13'(Limit) - 13'(pr_bytes_a) - 13'(pr_bytes_i);
    op_a.row_most = 8'(RowBytes) - 8'(pr_bytes_i);
  end

  // ---------------------------------------------------------------------------------------------
  // b: the queue is read. Those in front, up to three, may have changed it since.

  // What the PRs of a packet have in common.
  typedef struct packed {
    logic [15:0] generation;
    logic [10:0] len;
  } kind_t;
  kind_t kind_a, kind_b, kind_c, kind_d, kind_e, kind_read;

  logic [NumQueues-1:0] open_q;
  logic                 valid_b_q, valid_c_q, valid_d_q, valid_e_q;
  // A row of open queues, that of the entry and that of the PR: who is let in is known late.
  logic [OpenRow-1:0]   row_due_q, row_pr_q;
  // Those one, two, three cycles in front are of the same queue: as the entry, as the PR.
  logic [2:0]           near_due_q, near_pr_q, near;
  op_t                  op_b_q;
  // verilator lint_off UNUSEDSIGNAL
  op_t                  op_c_q;   // its entry was compared
  // verilator lint_on UNUSEDSIGNAL
  pr_beat_t             pr_b_q, pr_c_q;
  logic [QueueW-1:0]    which_d_q;
  queue_t               state_b, state_c_q, state_d_q, state_e_q, next_c;
  held_t                read_b;
  // Of the queue as it is in memory, behind e, d and c: its length or generation is not that of the
  // PR; its entry is the one that is due.
  logic [3:0]           others_b, mine_b;
  logic [3:1]           opens_b;   // behind e, d and c it is open
  // In memory it is open, as an entry and as a PR finds it. A PR finds none that is open and of its
  // kind; one of another kind. An entry finds its own.
  logic                 open_due, open_pr, fresh_b, other_b, own_b;
  logic                 differs_q;   // the PR in b from that in c
  logic                 opens_q;     // the PR in c begins a packet

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
    valid_b_q  <= issue;
    near_due_q <= {valid_d_q && which_d_q == due_queue, valid_c_q && op_c_q.which == due_queue,
                   valid_b_q && op_b_q.which == due_queue};
    near_pr_q  <= {valid_d_q && which_d_q == pr_queue_i, valid_c_q && op_c_q.which == pr_queue_i,
                   valid_b_q && op_b_q.which == pr_queue_i};
    op_b_q    <= op_a;
    pr_b_q    <= pr_i;
    differs_q <= kind_a != kind_b;
    for (int unsigned i = 0; i < OpenRow; i++) begin
      row_due_q[i] <= open_q[{due_queue[QueueW-1:OpenRowW], OpenRowW'(i)}];
      row_pr_q[i]  <= open_q[{pr_queue_i[QueueW-1:OpenRowW], OpenRowW'(i)}];
    end
    if (!rst_ni) valid_b_q <= 1'b0;
  end

  assign open_due = row_due_q[op_b_q.which[OpenRowW-1:0]];
  assign open_pr  = row_pr_q[op_b_q.which[OpenRowW-1:0]];
  assign near     = op_b_q.due ? near_due_q : near_pr_q;

  assign kind_a    = '{generation: pr_i.pr.generation, len: pr_i.pr.len};
  assign kind_b    = '{generation: pr_b_q.pr.generation, len: pr_b_q.pr.len};
  // A PR in c leaves the queue with its own length and generation, an entry as it was.
  assign kind_c    = '{generation: state_c_q.held.generation, len: state_c_q.held.len};
  assign kind_d    = '{generation: state_d_q.held.generation, len: state_d_q.held.len};
  assign kind_e    = '{generation: state_e_q.held.generation, len: state_e_q.held.len};
  assign kind_read = '{generation: read_b.generation, len: read_b.len};
  assign others_b  = {op_c_q.due ? kind_c != kind_b : differs_q, kind_d != kind_b,
                      kind_e != kind_b, kind_read != kind_b};
  assign mine_b    = {opens_q ? open_entry_i == op_b_q.entry :
                      state_c_q.held.entry == op_b_q.entry,
                      state_d_q.held.entry == op_b_q.entry,
                      state_e_q.held.entry == op_b_q.entry, read_b.entry == op_b_q.entry};
  assign opens_b   = {next_c.open, state_d_q.open, state_e_q.open};

  always_comb begin
    state_b = '{open: op_b_q.due ? open_due : open_pr, held: read_b};
    if (near[2]) state_b = state_e_q;
    if (near[1]) state_b = state_d_q;
    if (near[0]) state_b = next_c;
  end

  // What decides in c is chosen on its own, so that it need not wait for the rest.
  always_comb begin
    fresh_b = !open_pr || others_b[0];
    other_b = open_pr && others_b[0];
    own_b   = open_due && mine_b[0];
    for (int unsigned i = 1; i < 4; i++) begin
      if (near_pr_q[3-i]) begin
        fresh_b = !opens_b[i] || others_b[i];
        other_b = opens_b[i] && others_b[i];
      end
      if (near_due_q[3-i]) own_b = opens_b[i] && mine_b[i];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // c: what becomes of the queue.

  logic        is_pr_q, fresh_c_q, other_c_q, hit_c_q, new_unit, full, close_c;
  logic        fills_c_q;   // a packet that begins with this PR has no room behind it
  logic [11:0] base, stop;

  always_ff @(posedge clk_i) begin
    valid_c_q <= valid_b_q;
    op_c_q    <= op_b_q;
    // As of the cycle in which it will be seen closed.
    op_c_q.lateness <= op_b_q.lateness + ClockW'(Closing);
    pr_c_q    <= pr_b_q;
    state_c_q <= state_b;
    fills_c_q <= $signed(13'(PrStart)) > $signed(op_b_q.most);
    // The PR begins a packet; because it does not go with what the queue holds; the entry that is
    // due is that of the packet.
    fresh_c_q <= pr_b_q.first && fresh_b;
    other_c_q <= valid_b_q && !op_b_q.due && pr_b_q.first && other_b;
    hit_c_q   <= valid_b_q && op_b_q.due && own_b;
    is_pr_q   <= valid_b_q && !op_b_q.due;
    opens_q   <= valid_b_q && !op_b_q.due && pr_b_q.first && fresh_b;
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
  assign full     = pr_c_q.last && (fresh_c_q ? fills_c_q :
                                    $signed({1'b0, state_c_q.held.stop}) > $signed(op_c_q.most));
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
      next_c.held.generation = pr_c_q.pr.generation;
      next_c.held.stop  = stop;
      if (fresh_c_q) begin
        next_c.held.first = unit_i;
        next_c.held.entry = open_entry_i;
      end
      if (new_unit) next_c.held.tail = unit_i;
    end
  end

  assign take_o       = is_pr_q && new_unit;
  assign refund_o     = is_pr_q && (Virtual || pr_c_q.first) && !new_unit;
  assign open_valid_o = opens_q;
  assign open_queue_o = op_c_q.which;
  assign moving_o     = valid_b_q || valid_c_q;

  // ---------------------------------------------------------------------------------------------
  // d: memory is written, and storage, and a packet is closed.

  // verilator lint_off UNUSEDSIGNAL
  held_t closes;   // its tail and entry are of no use any more
  // verilator lint_on UNUSEDSIGNAL
  logic  none_open_q;

  // A PR of another length, and what is due, leave the queue as it was.
  assign closes = (other_c_q || hit_c_q) ? state_c_q.held : next_c.held;

  always_ff @(posedge clk_i) begin
    valid_d_q <= valid_c_q;
    valid_e_q <= valid_d_q;
    which_d_q <= op_c_q.which;
    state_d_q <= next_c;
    state_e_q <= state_d_q;
    if (valid_d_q) open_q[which_d_q] <= state_d_q.open;
    write_valid_o <= is_pr_q;
    write_o.fresh  <= is_pr_q && new_unit;
    write_o.unit   <= 16'(unit_i);
    write_o.opened <= !fresh_c_q;
    write_o.tail   <= 16'(state_c_q.held.tail);
    write_o.at     <= base;
    write_o.bytes  <= op_c_q.bytes;
    write_o.data   <= pr_c_q.first ? {pr_c_q.data, pr_header(pr_c_q.pr)} :
        (8*ChunkBytes)'(pr_c_q.data);
    close_valid_o  <= close_c || other_c_q;
    close_entry_o  <= state_c_q.held.entry;
    closed_valid_o <= close_c || other_c_q || hit_c_q;
    closed_o       <= '{which: 11'(op_c_q.which), count: closes.count,
                        generation: closes.generation, len: closes.len,
                        stop: closes.stop, first: 16'(closes.first)};
    full_o         <= close_c;
    late_o         <= hit_c_q && op_c_q.late;
    room_o         <= hit_c_q && !op_c_q.late;
    length_o       <= other_c_q;
    lateness_o     <= op_c_q.late ? op_c_q.lateness : '0;
    none_open_q    <= open_q == '0;
    if (!rst_ni) begin
      valid_d_q      <= 1'b0;
      valid_e_q      <= 1'b0;
      write_valid_o  <= 1'b0;
      write_o.fresh  <= 1'b0;
      close_valid_o  <= 1'b0;
      closed_valid_o <= 1'b0;
      full_o         <= 1'b0;
      late_o         <= 1'b0;
      room_o         <= 1'b0;
      length_o       <= 1'b0;
      open_q         <= '0;
    end
  end

  assign idle_o         = none_open_q && !valid_b_q && !valid_c_q && !valid_d_q && !valid_e_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet holds a PR and is no longer than the MTU (NetSparse 6.1.1).
      a_packet : assert (!closed_valid_o ||
                         (closed_o.count != '0 && closed_o.stop <= 12'(Limit)))
      else $error("%m: a packet of %0d PRs and %0d bytes", closed_o.count, closed_o.stop);
      // An operation closes one packet at most; a second one would be lost.
      a_one : assert (32'(close_c) + 32'(other_c_q) + 32'(hit_c_q) <= 1)
      else $error("%m: two packets are closed by one PR");
    end
  end

endmodule
