// agg_emit_take between the lists of jobs and the count of room, whose answers are free (`cuts` of
// the task): when a take begins and of which slot, under which lock, what becomes of its answer,
// and what lists, ports and the reader are told. Below a parent, too. (agg_emit_take_props has the
// parts in their places, and shows that locks and room suffice.) One port is followed.
module take_steps_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned Uplink = 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input job_t                job_i,
  input ahead_t              soon_i,
  input logic                take_ready_i,
  input logic                take_rsp_valid_i,
  input take_rsp_t           take_rsp_i,
  input logic                writing_i,
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,
  input logic                flushed_i,
  input logic [RingW-1:0]    flushed_ring_i,
  input logic                read_ready_i,
  input logic                release_i,
  input logic                release_lock_i,
  input logic                port_i   // any
);

  ahead_t                ahead;
  logic                  take_valid, read_valid, read_now, read_lock;
  take_t                 take;
  take_rsp_t             read;
  logic [1:0]            lock_valid;
  logic [1:0][SlotW-1:0] lock_slot;
  logic [SlotW-1:0]      writing_slot;

  agg_emit_take #(
    .NumPorts (NumPorts),
    .NumRings (2),
    .NumSlots (2),
    .MaxRows  (2),
    .FifoRows (4),
    .HdrFrames(2),
    .Uplink   (Uplink)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i,
    .soon_i,
    .ahead_o       (ahead),
    .take_valid_o  (take_valid),
    .take_ready_i,
    .take_o        (take),
    .take_rsp_valid_i,
    .take_rsp_i,
    .lock_valid_o  (lock_valid),
    .lock_slot_o   (lock_slot),
    .writing_slot_o(writing_slot),
    .writing_i,
    .row_pop_i,
    .frame_pop_i,
    .flushed_i,
    .flushed_ring_i,
    .read_valid_o  (read_valid),
    .read_now_o    (read_now),
    .read_ready_i,
    .read_o        (read),
    .read_lock_o   (read_lock),
    .release_i,
    .release_lock_i
  );

  // The take under way: it has just begun, slot state has it, its answer waits in hand; without a
  // job; of which slot; and what is owed behind it: more of its slot, or a job for the lists.
  logic                  started_q, under_q, new_q, asked_q, hand_q, early_q, more_q, left_q;
  logic                  lock_q;
  logic [SlotW-1:0]      slot_q;
  logic [1:0]            locks_q;
  logic [1:0][SlotW-1:0] locked_q;
  logic                  writing_q, port_q, reserve_q, needs_q;
  take_rsp_t             answer_q;
  logic [8:0]            rows_q;
  initial started_q = 1'b0;

  logic job, idle, again, listed, early, begins, answered, done, chained, needs;
  logic [SlotW-1:0] slot;
  logic             port;
  assign port     = started_q ? port_q : port_i;
  assign job      = job_i.first || job_i.again;
  assign idle     = !under_q && !hand_q && !left_q && !locks_q[lock_q];
  // What is left of the last take comes first, then a job, then a column that is about to be
  // complete, if there is no job at all.
  assign again    = idle && more_q;
  assign listed   = idle && !more_q && u_dut.have;
  assign early    = idle && !more_q && !u_dut.have && u_dut.none && soon_i.valid;
  assign answered = asked_q && take_rsp_valid_i;
  assign done     = answered && take_rsp_i.status == TakeDone;
  // Below a parent the next job is begun with the answer, if that is all of it, is read at once,
  // and the other lock is free.
  assign chained  = Uplink == 1 && done && read_ready_i && !take_rsp_i.more && u_dut.have &&
      !locks_q[!lock_q];
  assign begins   = again || listed || early;
  always_comb begin
    slot = soon_i.slot;
    if (u_dut.have) slot = u_dut.slot_d;
    if (again) slot = slot_q;
    // A rank behind the followed port gets a result.
    needs = 1'b0;
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      if (take_rsp_i.ranks[r] && take_rsp_i.port[r] == {3'd0, port}) needs = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    port_q    <= port;
    writing_q <= writing_i;
    needs_q   <= needs;
    reserve_q <= done;
    rows_q    <= (take_rsp_i.tensor_len == '0) ? 9'd1 :
        9'((15'(take_rsp_i.tensor_len) + 15'd63) >> 6);
    new_q     <= begins || chained;
    if (take_valid && take_ready_i) asked_q <= 1'b1;
    if (!job) left_q <= 1'b0;
    if (answered) begin
      {under_q, asked_q, early_q} <= '0;
      answer_q <= take_rsp_i;
      hand_q   <= done && !read_ready_i;
      if (done && read_ready_i) lock_q <= !lock_q;
      if (!done) locks_q[lock_q] <= 1'b0;
      // What is left of it: it is taken again, but for one without a job, which leaves one.
      if (done) more_q <= take_rsp_i.more && !early_q;
      left_q <= early_q && (take_rsp_i.more || take_rsp_i.status == TakeBlocked);
    end
    if (hand_q && read_ready_i) begin
      hand_q <= 1'b0;
      lock_q <= !lock_q;
    end
    if (begins || chained) begin
      under_q <= 1'b1;
      slot_q  <= slot;
      early_q <= early;
      locks_q[chained ? !lock_q : lock_q]  <= 1'b1;
      locked_q[chained ? !lock_q : lock_q] <= slot;
    end
    if (begins) more_q <= 1'b0;
    if (release_i) locks_q[release_lock_i] <= 1'b0;
    if (!rst_ni) begin
      {under_q, new_q, asked_q, hand_q, early_q, more_q, left_q, lock_q, reserve_q} <= '0;
      locks_q <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A take is asked for from the second cycle behind its begin on, until it is accepted, when
      // no write to its slot was under way in the cycle before; with the ports that have room, but
      // what is withheld for others.
      a_take : assert (take_valid == (under_q && !new_q && !asked_q && !writing_q))
      else $error("asked %b", take_valid);
      a_asked : assert (!take_valid || (take.slot == slot_q && take.port_ready >> NumPorts == '0 &&
          take.port_ready[port_q] == (u_dut.withheld[port_q] ? 1'b0 : u_dut.ready[port_q])))
      else $error("slot %0d, ports %b", take.slot, take.port_ready);
      // Ports say of its slot whether a write is under way.
      a_writing : assert (!under_q || writing_slot == slot_q)
      else $error("slot %0d", writing_slot);
      // Its slot is locked from its begin on, until the reader gives the lock back, or the answer
      // brings nothing to be read.
      a_locks : assert (lock_valid == locks_q && (!locks_q[0] || lock_slot[0] == locked_q[0]) &&
                        (!locks_q[1] || lock_slot[1] == locked_q[1]))
      else $error("locks %b", lock_valid);
      // An answer with results is handed on in its cycle, or from hand, under the take's lock.
      a_read : assert (read_valid == (done || hand_q) && read_now == done &&
                       (!read_valid || read_lock == lock_q))
      else $error("read %b", read_valid);
      a_what : assert (!read_valid || read == (hand_q ? answer_q : take_rsp_i))
      else $error("slot %0d is read", read.slot);
      // Slot state hears of a take without a job until it has accepted it.
      a_ahead : assert (ahead.valid == (under_q && early_q && !asked_q) &&
                        (!ahead.valid || ahead.slot == slot_q))
      else $error("ahead %b of slot %0d", ahead.valid, ahead.slot);
      // The lists hear of jobs as they come. A job does not end with a take that had none; and what
      // is left of such a take is a job of its ring, when no other comes.
      a_job : assert ({u_dut.u_jobs.job_i.first, u_dut.u_jobs.job_i.again,
                       u_dut.u_jobs.job_i.ended} ==
                      {job_i.first, job_i.again, job_i.ended && !early_q} &&
                      (job ? {u_dut.u_jobs.job_i.ring, u_dut.u_jobs.job_i.slot} ==
                       {job_i.ring, job_i.slot} : (!left_q && !under_q) ||
                       (u_dut.u_jobs.job_i.slot == slot_q &&
                        (!left_q || u_dut.u_jobs.job_i.ring == answer_q.ring))))
      else $error("job of slot %0d", u_dut.u_jobs.job_i.slot);
      a_left : assert (u_dut.u_jobs.left_i == left_q && (!left_q || u_dut.rsp_q == answer_q))
      else $error("left %b", u_dut.u_jobs.left_i);
      // They hear that the job that they show is begun, and a cycle later which ports one needs
      // that was blocked.
      a_begun : assert (u_dut.u_jobs.start_i == (listed || chained) &&
          u_dut.u_jobs.blocked_i == (answered && !early_q && take_rsp_i.status == TakeBlocked) &&
          u_dut.u_jobs.needs_i[port_q] == needs_q)
      else $error("begun %b, blocked %b", u_dut.u_jobs.start_i, u_dut.u_jobs.blocked_i);
      // Room is reserved in the cycle behind the answer, for its rows at each of its ports.
      a_room : assert (u_dut.u_credits.reserve_i == reserve_q && (!reserve_q ||
          (u_dut.u_credits.reserve_ports_i[port_q] == needs_q &&
           u_dut.u_credits.reserve_rows_i == rows_q)))
      else $error("room for %0d rows", u_dut.u_credits.reserve_rows_i);

      // Where the take is: nowhere, begun, to be asked for, asked for, in hand (helps the proof).
      a_where : assert (u_dut.state_q == (hand_q ? 3'd4 : !under_q ? 3'd0 :
          new_q ? 3'd1 : asked_q ? 3'd3 : 3'd2) &&
          {u_dut.more_q, u_dut.left_q, u_dut.lock_q, u_dut.ahead_q} ==
          {more_q, left_q, lock_q, early_q} &&
          (u_dut.slot_q == slot_q || !(under_q || hand_q || more_q || left_q)))
      else $error("state %0d", u_dut.state_q);
      a_apart : assert (!(hand_q && under_q) && (under_q || !(new_q || asked_q || early_q)) &&
                        !(new_q && asked_q) && (!hand_q || u_dut.rsp_q == answer_q))
      else $error("a take in two places");

      // One is begun with the answer of the one before; a take without a job leaves one.
      c_chained : cover (new_q && take_rsp_valid_i && lock_valid == 2'b11 && reserve_q);
      c_left : cover (left_q && job);
    end
  end

endmodule
