// Tells which concatenation queue has waited long enough: the expiration time queue (EQ) of
// NetSparse 6.1.2.
//
// A queue that is opened is entered here with its expiration time and gets the entry's number. The
// head is looked at every cycle. An entry whose queue was flushed meanwhile is dead: its valid bit
// was cleared, so a queue that has been opened again is not flushed by its old entry. With a
// constant delay the entries stand in the order of their times. The clock wraps; times are
// compared by their difference. It stands still while an entry at the head is late by a quarter of
// what it counts, because nothing can leave. Dead entries in front of it let the clock go on, so an
// entry may be later than that by some cycles for each: 2 ** (ClockW - 2) must be far above Depth,
// as it is for the default sizes, or a very late entry seems early.
//
// The head is looked up in three steps: its entry; the bits of which one says whether it is alive;
// that one, and its time. An entry that dies in between is shown all the same if it is due; whoever
// takes it compares its number with that of the queue.
//
// Who waits: nobody. An entry is shown up to seven cycles after it was entered.
module gather_expiry #(
  /// Concatenation queues, 2 or more.
  parameter int unsigned NumQueues = 32,
  /// Entries, dead ones included. Power of two, 16 or more.
  parameter int unsigned Depth = 128,
  /// Bits of the clock; the delay must be less than 2 ** (ClockW - 2), and Depth far less.
  parameter int unsigned ClockW = 18,
  localparam int unsigned QueueW = $clog2(NumQueues),
  localparam int unsigned IdW = $clog2(Depth)
) (
  input logic clk_i,
  input logic rst_ni,

  // Cycles that the oldest PR of a queue may wait. Constant while there are entries.
  input logic [ClockW-3:0] delay_i,
  // Also a head whose time has not come is shown as due: somebody needs room.
  input logic force_i,

  // Pulse: a queue is opened, and its entry gets the number `open_id_o`. Only after `open_ready_o`,
  // which was seen four cycles before at most.
  output logic              open_ready_o,
  output logic [IdW-1:0]    open_id_o,
  input  logic              open_valid_i,
  input  logic [QueueW-1:0] open_queue_i,

  // Pulse: a queue is flushed, and its entry dies.
  input logic           close_valid_i,
  input logic [IdW-1:0] close_id_i,

  // An entry whose time has come and that was alive goes, `due_taken_o`, if it may,
  // `due_ready_i`. Its queue, or that of an entry that is not due; and of the one behind it, which
  // is shown in the next cycle if it moves.
  input  logic              due_ready_i,
  output logic              due_taken_o,
  output logic [QueueW-1:0] due_queue_o,
  output logic              due_moves_o,
  output logic [QueueW-1:0] due_behind_o,
  output logic [IdW-1:0]    due_id_o,
  // Its time has come: it is not only forced. Cycles since then, as of the cycle before.
  output logic              due_late_o,
  output logic [ClockW-1:0] due_lateness_o
);

  typedef struct packed {
    logic [QueueW-1:0] which;
    logic [IdW-1:0]    id;
    logic [ClockW-1:0] at;
  } entry_t;

  if (ClockW < 4 || Depth < 16) begin : gen_check
    $fatal(1, "%m: ClockW must be 4 or more, Depth 16 or more");
  end

  /// Entries in the queue, so that numbers stay unique: four more are looked up, three are being
  /// taken and four being opened.
  localparam int unsigned Most = Depth - 11;
  localparam int unsigned RowBits = 8;
  localparam int unsigned RowW = $clog2(RowBits);

  logic [ClockW-1:0] now, late2, late3, late, late_q;
  logic [IdW-1:0]    next_q;
  logic [Depth-1:0]  alive_q;
  logic              in_ready, head_valid, head_ready, stuck_q;
  entry_t            entry, head, entry1, entry2_q, entry3_q;
  logic [IdW:0]      count;
  logic              valid1, valid2_q, valid3_q, move1, move2, move3, alive2, alive2_q, alive3_q;
  logic              due, free3, is_late_q;
  logic [RowBits-1:0] row2_q;

  assign open_id_o = next_q;
  assign entry     = '{which: open_queue_i, id: next_q, at: now + ClockW'(delay_i)};

  prim_fifo_ram #(
    .T    (entry_t),
    .Depth(Depth)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .in_valid_i (open_valid_i),
    .in_ready_o (in_ready),
    .in_i       (entry),
    .out_valid_o(head_valid),
    .out_ready_i(head_ready),
    .out_o      (head),
    .count_o    (count)
  );

  prim_skid #(
    .T(entry_t)
  ) u_first (
    .clk_i,
    .rst_ni,
    .in_valid_i (head_valid),
    .in_ready_o (head_ready),
    .in_i       (head),
    .out_valid_o(valid1),
    .out_ready_i(move1),
    .out_o      (entry1)
  );

  gather_count #(
    .Width(ClockW)
  ) u_now (
    .clk_i,
    .rst_ni,
    .start_i(1'b0),
    .from_i ('0),
    .step_i (!stuck_q),
    .count_o(now)
  );

  // Dead ones vanish as soon as they are third; nobody is alive who is not there.
  assign due    = alive3_q && (due_late_o || force_i);
  assign free3  = !alive3_q || (due_ready_i && (due_late_o || force_i));
  assign move3  = valid3_q && free3;
  assign move2  = valid2_q && free3;
  assign move1  = valid1 && (!valid2_q || free3);
  assign alive2 = row2_q[entry2_q.id[RowW-1:0]] && alive2_q;
  assign late2  = now - entry2_q.at;
  assign late3  = now - entry3_q.at;
  assign late   = move2 ? late2 : late3;

  assign due_taken_o    = due && due_ready_i;
  assign due_late_o     = is_late_q;
  assign due_queue_o    = entry3_q.which;
  assign due_moves_o    = move2;
  assign due_behind_o   = entry2_q.which;
  assign due_id_o       = entry3_q.id;
  assign due_lateness_o = late_q;

  always_ff @(posedge clk_i) begin
    valid2_q <= move1 || (valid2_q && !move2);
    if (move1) begin
      entry2_q <= entry1;
      row2_q   <= alive_q[RowBits*entry1.id[IdW-1:RowW]+:RowBits];
      alive2_q <= !(close_valid_i && close_id_i == entry1.id);
    end else if (close_valid_i && close_id_i == entry2_q.id) begin
      alive2_q <= 1'b0;
    end
    valid3_q <= move2 || (valid3_q && !move3);
    if (move2) begin
      entry3_q <= entry2_q;
      alive3_q <= alive2 && !(close_valid_i && close_id_i == entry2_q.id);
    end else if (close_valid_i && close_id_i == entry3_q.id) begin
      alive3_q <= 1'b0;
    end else if (move3) begin
      alive3_q <= 1'b0;   // nothing is there
    end
    late_q       <= late;
    is_late_q    <= !late[ClockW-1];
    stuck_q      <= due && late_q[ClockW-1:ClockW-2] == 2'b01;
    open_ready_o <= 32'(count) < Most;
    if (open_valid_i) begin
      next_q          <= next_q + IdW'(1);
      alive_q[next_q] <= 1'b1;
    end
    if (close_valid_i) alive_q[close_id_i] <= 1'b0;
    if (!rst_ni) begin
      next_q       <= '0;
      valid2_q     <= 1'b0;
      valid3_q     <= 1'b0;
      alive3_q     <= 1'b0;
      stuck_q      <= 1'b0;
      open_ready_o <= 1'b0;
    end
  end

  // Time of the entry that was shown before, for the assertion alone.
  logic [ClockW-1:0] before_q, gap;
  logic              before_valid_q;
  assign gap = entry3_q.at - before_q;
  always_ff @(posedge clk_i) begin
    if (move3) before_q <= entry3_q.at;
    before_valid_q <= rst_ni && (count != '0 || valid1 || valid2_q || valid3_q) &&
        (before_valid_q || move3);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Entries expire in the order in which they stand; else one behind a later one would be late.
      a_sorted : assert (!valid3_q || !before_valid_q || !gap[ClockW-1])
      else $error("%m: an entry of time %0d behind one of %0d", entry3_q.at, before_q);
      // Nobody is due who is not there; else a queue would be closed for an entry that has gone.
      a_there : assert (!alive3_q || valid3_q)
      else $error("%m: entry %0d is alive and not there", due_id_o);
      // Nobody opens a queue without an entry; it would never expire.
      a_room : assert (!open_valid_i || in_ready)
      else $error("%m: no entry for queue %0d", open_queue_i);
    end
  end

endmodule
