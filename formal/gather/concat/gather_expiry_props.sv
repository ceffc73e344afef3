// gather_expiry: queues expire in the order of their times, none early, none that was flushed.
module gather_expiry_props #(
  /// 1: whoever flushes what is due does so at once.
  parameter int unsigned Ready = 0,
  /// Entries.
  parameter int unsigned Depth = 16,
  /// Bits of the clock.
  parameter int unsigned ClockW = 5
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic [ClockW-3:0]        delay_i,
  input logic                     force_i,
  input logic                     open_i,
  input logic                     open_queue_i,
  input logic                     close_i,
  input logic [$clog2(Depth)-1:0] close_id_i,
  input logic                     due_ready_i,
  input logic                     follow_i
);

  localparam int unsigned IdW = $clog2(Depth);
  localparam int unsigned AgeW = ClockW + 1;

  logic              started_q, ready, due_valid, due_late, due_queue, open, close, due_ready;
  logic              may, taken, moves, behind, next_q, next_valid_q;
  logic [ClockW-3:0] delay_q;
  logic [IdW-1:0]    open_id, due_id;

  assign open      = open_i && ready;
  // It may be allowed to go before it is due.
  assign may       = Ready != 0 || due_ready_i;
  assign due_valid = u_dut.due;
  assign due_ready = due_valid && may;
  // What is open is flushed when it is full, or when it is due. It may still be flushed for the
  // former up to four cycles after it was taken for the latter, as gather_concat does.
  logic [Depth-1:0]      open_q;
  logic [3:0][Depth-1:0] taken_q;
  logic [Depth-1:0]      rests;
  assign rests = taken_q[0] | taken_q[1] | taken_q[2] | taken_q[3];
  assign close = close_i && (open_q[close_id_i] || rests[close_id_i]);

  gather_expiry #(
    .NumQueues(2),
    .Depth    (Depth),
    .ClockW   (ClockW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i      (delay_q),
    .force_i      (force_i && Ready == 0),
    .open_ready_o (ready),
    .open_id_o    (open_id),
    .open_valid_i (open),
    .open_queue_i,
    .close_valid_i(close),
    .close_id_i,
    .due_ready_i  (may),
    .due_taken_o  (taken),
    .due_queue_o  (due_queue),
    .due_moves_o  (moves),
    .due_behind_o (behind),
    .due_id_o     (due_id),
    .due_late_o   (due_late),
    .due_lateness_o()
  );

  always_ff @(posedge clk_i) begin
    taken_q <= {taken_q[2:0], (due_valid && due_ready) ? Depth'(1) << due_id : Depth'(0)};
    if (open) open_q[open_id] <= 1'b1;
    if (close) open_q[close_id_i] <= 1'b0;
    if (due_valid && due_ready) open_q[due_id] <= 1'b0;
    if (!rst_ni) begin
      open_q  <= '0;
      taken_q <= '0;
    end
  end

  // One entry, which one is free: from the cycle in which it is made until its number is given
  // again.
  logic            live_q, gone_q, queue_q;
  logic [IdW-1:0]  id_q;
  logic [AgeW-1:0] age_q;      // cycles since it was made, and not counted on at the end

  // What was shown and is neither taken nor flushed.
  logic           shown_q;
  logic [IdW-1:0] shown_id_q;
  always_ff @(posedge clk_i) begin
    if (due_valid) begin
      shown_q    <= !due_ready && !(close && close_id_i == due_id);
      shown_id_q <= due_id;
    end else if (close && close_id_i == shown_id_q) begin
      shown_q <= 1'b0;
    end
    if (!rst_ni) shown_q <= 1'b0;
  end

  // The queue of what is shown in the next cycle, as it was told.
  always_ff @(posedge clk_i) begin
    next_q       <= moves ? behind : due_queue;
    next_valid_q <= rst_ni;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: entries are there that nobody made.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) delay_q <= delay_i;
    if (age_q != '1) age_q <= age_q + AgeW'(1);
    if (open && follow_i && !live_q) begin
      live_q  <= 1'b1;
      gone_q  <= 1'b0;
      id_q    <= open_id;
      queue_q <= open_queue_i;
      age_q   <= AgeW'(1);
    end else begin
      if (open && open_id == id_q) gone_q <= 1'b0;
      if (live_q && ((close && close_id_i == id_q) ||
                     (due_valid && due_ready && due_id == id_q))) begin
        live_q <= 1'b0;
        gone_q <= 1'b1;
      end
    end
    if (!rst_ni) begin
      live_q <= 1'b0;
      gone_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A queue is not due by its time before its oldest PR has waited for the delay; else PRs
      // would leave alone that could have had company.
      a_not_early : assert (!(live_q && due_valid && due_late && due_id == id_q) ||
                            age_q >= AgeW'(delay_q))
      else $error("due after %0d cycles, not %0d", age_q, delay_q);
      // What is due is the queue that was opened.
      a_queue : assert (!(live_q && due_valid && due_id == id_q) || due_queue == queue_q)
      else $error("queue %0d is due for %0d", due_queue, queue_q);
      // A queue that was flushed is not due any more: no packet is empty, and a queue that was
      // opened again is not flushed by its old entry.
      a_once : assert (!(gone_q && due_valid && due_id == id_q))
      else $error("entry %0d is due again", id_q);
      // What was shown as due is shown until it is flushed, and nothing else before.
      a_stays : assert (!(shown_q && due_valid) || due_id == shown_id_q)
      else $error("entry %0d is due, and %0d was", due_id, shown_id_q);
      // It goes when it is due and may, and what is due is of the queue that was told before; else
      // a queue would be closed while a PR is written to it.
      a_next : assert (taken == due_ready && (!due_valid || !next_valid_q || due_queue == next_q))
      else $error("queue %0d is due, %0d was told", due_queue, next_q);
      // A number is not given to a second queue while the first one is open or may still be
      // flushed.
      a_own : assert (!open || (!open_q[open_id] && !rests[open_id]))
      else $error("entry %0d is given twice", open_id);
      // If what is due is flushed at once, no queue waits for more than eight cycles beyond the
      // delay.
      a_in_time : assert (Ready == 0 || !live_q || age_q <= AgeW'(delay_q) + AgeW'(8))
      else $error("waits for %0d cycles, not %0d", age_q, delay_q);
      // A queue expires; one that was flushed is passed over.
      c_expires : cover (live_q && due_valid && due_late && due_id == id_q && delay_q > 1);
      c_dead : cover (u_dut.valid3_q && !u_dut.alive3_q && gone_q);
    end
  end

endmodule
