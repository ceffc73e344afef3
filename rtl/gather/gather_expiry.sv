// Tells which concatenation queue has waited long enough: the expiration time queue (EQ) of
// NetSparse 6.1.2.
//
// A queue that is opened is entered here with its expiration time and gets the entry's number. The
// head is looked at every cycle. An entry whose queue was flushed meanwhile is dead: its valid bit
// was cleared, so a queue that has been opened again is not flushed by its old entry. With a
// constant delay the entries stand in the order of their times. The clock wraps; times are
// compared by their difference. It stands still while an entry is late by a quarter of what it
// counts, because nothing can leave: so no entry is ever so late that it seems early.
//
// Who waits: nobody. An entry is shown up to three cycles after it was entered.
module gather_expiry #(
  /// Concatenation queues, 2 or more.
  parameter int unsigned NumQueues = 32,
  /// Entries, dead ones included. Power of two, 8 or more.
  parameter int unsigned Depth = 128,
  /// Bits of the clock; the delay must be less than 2 ** (ClockW - 2).
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

  // A queue is opened, under the number `open_id_o`. Only if `open_ready_o`.
  output logic              open_ready_o,
  output logic [IdW-1:0]    open_id_o,
  input  logic              open_valid_i,
  input  logic [QueueW-1:0] open_queue_i,

  // A queue is flushed; its entry dies.
  input logic           close_valid_i,
  input logic [IdW-1:0] close_id_i,

  // A live entry whose time has come. It stays until it is taken.
  output logic              due_valid_o,
  input  logic              due_ready_i,
  output logic [QueueW-1:0] due_queue_o,
  output logic [IdW-1:0]    due_id_o,
  // Its time has come, it is not forced; cycles since then.
  output logic              due_late_o,
  output logic [ClockW-1:0] due_lateness_o
);

  typedef struct packed {
    logic [QueueW-1:0] which;
    logic [IdW-1:0]    id;
    logic [ClockW-1:0] at;
  } entry_t;

  if (ClockW < 4) begin : gen_check
    $fatal(1, "%m: ClockW must be 4 or more");
  end

  logic [ClockW-1:0] now_q, late;
  logic [IdW-1:0]    next_q;
  logic [Depth-1:0]  alive_q;
  logic              in_ready, head_valid, head_pop, alive;
  entry_t            entry, head;
  logic [IdW:0]      count;

  assign open_ready_o = in_ready;
  assign open_id_o    = next_q;
  assign entry        = '{which: open_queue_i, id: next_q, at: now_q + ClockW'(delay_i)};

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
    .out_ready_i(head_pop),
    .out_o      (head),
    .count_o    (count)
  );

  assign alive       = alive_q[head.id];
  assign late        = now_q - head.at;
  assign due_valid_o = head_valid && alive && (due_late_o || force_i);
  assign due_late_o  = !late[ClockW-1];
  assign due_queue_o = head.which;
  assign due_id_o    = head.id;

  assign due_lateness_o = late;
  assign head_pop    = head_valid && (!alive || (due_valid_o && due_ready_i));

  always_ff @(posedge clk_i) begin
    if (!(due_valid_o && late[ClockW-1:ClockW-2] == 2'b01)) now_q <= now_q + ClockW'(1);
    if (open_valid_i) begin
      next_q          <= next_q + IdW'(1);
      alive_q[next_q] <= 1'b1;
    end
    if (close_valid_i) alive_q[close_id_i] <= 1'b0;
    if (due_valid_o && due_ready_i) alive_q[head.id] <= 1'b0;
    if (!rst_ni) begin
      now_q   <= '0;
      next_q  <= '0;
      alive_q <= '0;
    end
  end

  // Time of the entry that was shown before, for the assertion alone.
  logic [ClockW-1:0] before_q, gap;
  logic              before_valid_q;
  assign gap = head.at - before_q;
  always_ff @(posedge clk_i) begin
    if (head_pop) before_q <= head.at;
    before_valid_q <= rst_ni && count != '0 && (before_valid_q || head_pop);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Entries expire in the order in which they stand; else one behind a later one would be late.
      a_sorted : assert (!head_valid || !before_valid_q || !gap[ClockW-1])
      else $error("%m: an entry of time %0d behind one of %0d", head.at, before_q);
      // Nobody opens a queue without an entry; it would never expire.
      a_room : assert (!open_valid_i || open_ready_o)
      else $error("%m: no entry for queue %0d", open_queue_i);
      // What is closed was open.
      a_close : assert (!close_valid_i || alive_q[close_id_i])
      else $error("%m: entry %0d is closed and was not alive", close_id_i);
    end
  end

endmodule
