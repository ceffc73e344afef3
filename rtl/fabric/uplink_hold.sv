// Where frames wait for a port to send them, while the neighbour pauses their priority.
//
// A queue for each group of priorities, and whole frames in turn from those whose oldest frame is
// not held: a frame of a priority that is held does not begin, one that has begun ends, without a
// hole. While a priority is in a storm (uplink_watchdog) its frames are dropped as they come to the
// front, so that those behind them, and the inside, do not wait for a pause that may never end.
// What is held is looked up a cycle ahead: pauses and storms count from the cycle behind theirs on.
// The inside waits for a full queue, whichever it is.
module uplink_hold
  import shell_pkg::*;
#(
  /// What a beat carries beside the mark of a frame's last one.
  parameter type T = logic [7:0],
  /// Queues, 1 to 8, and which of them a priority has.
  parameter int unsigned NumQueues = 1,
  parameter queue_of_t QueueOf = '0,
  /// Beats of a queue; power of two, 8 or more, at least the longest frame's.
  parameter int unsigned Depth = 256,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic       in_valid_i,
  output logic       in_ready_o,  // depends on `in_prio_i`
  input  logic       in_last_i,
  input  logic [2:0] in_prio_i,   // with a frame's first beat
  input  T           in_i,

  input logic [NumPrios-1:0] paused_i,   // priorities that the neighbour pauses
  input logic [NumPrios-1:0] storm_i,   // and those in a storm

  // A frame was dropped, in each queue by itself.
  output logic [NumQueues-1:0] drop_o,

  // What is shown stays until it is taken.
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output logic                             out_last_o,
  output T                                 out_o,
  output logic [NumQueues-1:0][CountW-1:0] level_o
);

  if (NumQueues < 1 || NumQueues > NumPrios || highest(QueueOf) >= NumQueues) begin : gen_check
    $fatal(1, "%m: NumQueues must be 1 to 8, and QueueOf name no other queue");
  end

  typedef struct packed {
    logic       last;
    logic [2:0] prio;
    T           data;
  } entry_t;
  typedef struct packed {
    logic last;
    T     data;
  } shown_t;

  logic within_q, busy_q, request_any;
  logic [2:0] prio, prio_q;
  logic [NumQueues-1:0] to, to_q, ready, valid_q, last, request_q, grant, chosen, chosen_q;
  logic [NumQueues-1:0] drop, rest_q;
  // Of the entry that is shown: it is a frame's first and its priority may be sent, or is in a
  // storm; as pauses and storms were a cycle ago. What is leaving asks, too: nobody listens then.
  logic [NumQueues-1:0] storm_q;
  entry_t [NumQueues-1:0]                     entry_q;
  logic   [NumQueues-1:0][$bits(shown_t)-1:0] shown;
  shown_t                                     out;

  assign prio        = within_q ? prio_q : in_prio_i;
  assign in_ready_o  = (to & ready) != '0;
  assign chosen      = busy_q ? chosen_q : grant;
  assign out_valid_o = busy_q || request_any;
  assign out_last_o  = out.last;
  assign out_o       = out.data;

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) begin
      within_q <= !in_last_i;
      prio_q   <= prio;
      to_q     <= to;
    end
    busy_q   <= out_valid_o && !(out_ready_i && out_last_o);
    chosen_q <= chosen;
    if (!rst_ni) begin
      within_q <= 1'b0;
      busy_q   <= 1'b0;
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    entry_t written, next;
    logic mine, rest;        // it is this queue's frame that is leaving
    logic next_valid, turn;  // the next entry comes to be shown

    assign to[q]      = within_q ? to_q[q] : QueueOf[in_prio_i] == 3'(q);
    assign written    = '{last: in_last_i, prio: prio, data: in_i};
    assign mine       = busy_q && chosen_q[q];
    assign last[q]    = entry_q[q].last;
    assign shown[q]   = {entry_q[q].last, entry_q[q].data};
    assign drop[q]    = rest_q[q] || (valid_q[q] && !mine && storm_q[q]);
    assign turn       = !valid_q[q] || drop[q] || (chosen[q] && out_ready_i);
    assign rest       = drop[q] && !last[q];   // of the frame that is being dropped is to come

    prim_frame_fifo #(
      .T     (entry_t),
      .Depth (Depth),
      .Around(1'b0)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid_i && to[q]),
      .in_ready_o (ready[q]),
      .in_i       (written),
      .commit_i   (in_valid_i && to[q] && ready[q] && in_last_i),
      .rollback_i (1'b0),
      .out_valid_o(next_valid),
      .out_ready_i(turn),
      .out_o      (next),
      .count_o    (level_o[q])
    );

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Only what is shown asks, and not what is being dropped; else half a frame would leave.
        a_asks : assert (!request_q[q] || (valid_q[q] && !rest_q[q]))
        else $error("%m: queue %0d asks with nothing to send", q);
      end
    end

    always_ff @(posedge clk_i) begin
      if (turn) begin
        valid_q[q] <= next_valid;
        entry_q[q] <= next;
      end
      request_q[q] <= turn ? next_valid && !rest && !paused_i[next.prio] && !storm_i[next.prio] :
          !paused_i[entry_q[q].prio] && !storm_i[entry_q[q].prio];
      storm_q[q]   <= turn ? storm_i[next.prio] : storm_i[entry_q[q].prio];
      if (valid_q[q]) rest_q[q] <= rest;
      drop_o[q] <= drop[q] && valid_q[q] && last[q];
      if (!rst_ni) begin
        valid_q[q]   <= 1'b0;
        request_q[q] <= 1'b0;
        rest_q[q]    <= 1'b0;
        drop_o[q]    <= 1'b0;
      end
    end
  end

  prim_arb_rr #(
    .N(NumQueues)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (request_q),
    .advance_i(!busy_q && request_any),
    .gnt_o    (grant),
    /* verilator lint_off PINCONNECTEMPTY */
    .idx_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .valid_o  (request_any)
  );

  if (NumQueues == 1) begin : gen_one
    assign out = shown;
  end
  else begin : gen_pick
    prim_pick #(
      .Width($bits(shown_t)),
      .Words(NumQueues)
    ) u_pick (
      .in_i    (shown),
      .select_i(chosen),
      .out_o   (out)
    );
  end

  logic [CountW-1:0] beats_q;  // of the frame that is coming
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) beats_q <= in_last_i ? '0 : beats_q + CountW'(1);
    if (!rst_ni) beats_q <= '0;
    if (rst_ni) begin
      // A frame that has begun goes on every cycle; a MAC would underflow and cut it.
      a_no_hole : assert (!busy_q || (chosen_q & valid_q) != '0)
      else $error("%m: a hole inside a frame");
      // A frame has room in its queue; a longer one would wait for its own end for ever.
      a_fits : assert (!in_valid_i || 32'(beats_q) < Depth)
      else $error("%m: a frame of more than %0d beats", Depth);
    end
  end

endmodule
