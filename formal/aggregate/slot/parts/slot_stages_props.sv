// agg_slot_state between its parts: an operation meets each of them in its stage, with what belongs
// to it, and what comes of it is told of it and of no other. Operations, and what is made of
// records (agg_slot_update), are free (`cuts` of the task).
module slot_stages_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2,
  parameter int unsigned NumSlots = 2,
  parameter int unsigned Ecc = 0
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   rsp_valid_i,
  input lookup_rsp_t            rsp_i,
  input logic    [NumPorts-1:0] commit_valid_i,
  input commit_t [NumPorts-1:0] commit_i,
  input logic                   take_valid_i,
  input take_t                  take_i,
  input ahead_t                 ahead_i
);

  logic             verdict_valid, taken_valid, job_first, job_again, job_ended;
  verdict_t         verdict;
  take_rsp_t        taken;
  column_t          column;
  logic [RingW-1:0] job_ring;
  logic [SlotW-1:0] job_slot;

  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .parents_i       ('0),
    .devices_i       ('0),
    .rsp_valid_i,
    .rsp_ready_o     (),
    .rsp_i,
    .verdict_valid_o (verdict_valid),
    .verdict_o       (verdict),
    .commit_valid_i,
    .commit_ready_o  (),
    .commit_i,
    .waits_i         (1'b0),
    .soon_o          (),
    .ahead_i,
    .take_valid_i,
    .take_ready_o    (),
    .take_i,
    .take_rsp_valid_o(taken_valid),
    .take_rsp_o      (taken),
    .take_column_o   (column),
    .flush_valid_i   (1'b0),
    .flush_ready_o   (),
    .flush_slot_i    ('0),
    .job_first_o     (job_first),
    .job_again_o     (job_again),
    .job_ended_o     (job_ended),
    .job_ring_o      (job_ring),
    .job_slot_o      (job_slot),
    .ring_event_o    (),
    .mem_event_o     (),
    .obs_o           ()
  );

  // Operations, by the cycles since they were chosen; whether their take comes without a job.
  localparam int unsigned Made = 4 + Ecc;    // what an operation makes of its record is worked out
  localparam int unsigned Told = Made + 1;   // and is told, and written
  logic     [Told:1] valid_q, ahead_q;
  slot_op_t [Told:1] op_q;
  // The record, and what the operation has done, as they were worked out; the record in front.
  slot_rec_t                rec_q, front_q;
  slot_result_t             done_q;
  logic                     foreign_q, needed_q;
  logic [2:1][MaxRanks-1:0] ranks_q;
  logic [Told:0]            past_q;   // so many cycles have gone by
  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[Told-1:0], 1'b1};
    valid_q <= rst_ni ? {valid_q[Told-1:1], u_dut.op_in_valid} : '0;
    op_q    <= {op_q[Told-1:1], u_dut.op_in};
    ahead_q <= {ahead_q[Told-1:2], ahead_i.valid && (ahead_i.slot ^ op_q[1].slot) == '0, 1'b0};
    rec_q   <= u_dut.rec5_new;
    front_q <= u_dut.rec5_q;
    done_q  <= u_dut.result5;
    ranks_q <= {ranks_q[1], u_dut.ranks4};
    {foreign_q, needed_q} <= {u_dut.foreign5_new, u_dut.needed5_new};
  end

  slot_op_t  made, told;
  slot_rec_t rec;
  logic      decides, commits, takes, full;
  always_comb begin
    made         = op_q[Made];
    made.ahead   = ahead_q[Made];
    made.parent  = 1'b0;
    made.devices = 1'b0;
    told         = op_q[Told];
    rec          = rec_q;
    if (Ecc == 0) rec.lost = 1'b0;
    decides = valid_q[Told] && told.op[0];
    commits = valid_q[Told] && told.op[1];
    takes   = valid_q[Told] && told.op[2];
    full    = 1'b1;
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      if (rec.accepted[r] != (told.workers > (RankW + 1)'(r))) full = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q[Told]) begin
      // What an operation makes of its record is worked out with the operation as it was chosen,
      // and with whether emission makes a job of it itself; with its ranks, and those of its ring.
      a_made : assert (u_dut.u_update.op_i == made && u_dut.u_update.rank_i == ranks_q[1])
      else $error("operation on slot %0d", u_dut.u_update.op_i.slot);
      a_ring : assert (u_dut.u_update.ranks_i[0] == (made.workers != '0) &&
                       u_dut.u_update.ranks_i[1] == (made.workers >> 1 != '0) &&
                       u_dut.u_update.ranks_i[MaxRanks-1] == made.workers[RankW])
      else $error("ranks %b", u_dut.u_update.ranks_i);
      // A packet's verdict is told in the cycle behind, with what look-up knew of it.
      a_verdict : assert (verdict_valid == decides && {verdict.port, verdict.conn, verdict.rank,
          verdict.slot, verdict.msgid, verdict.fate} == {told.port, told.conn, told.rank,
          told.slot, told.msgid, done_q.fate})
      else $error("verdict of slot %0d", verdict.slot);
      // It fills its column if it is stored, and all ranks of the ring have been then.
      a_fills : assert (!verdict_valid || verdict.fills ==
                        (told.touch && done_q.fate == FateStored && full))
      else $error("fills %b", verdict.fills);
      // A take is answered as it was found, with the record that it leaves.
      a_taken : assert (taken_valid == takes && {taken.status, taken.sum, taken.ranks, taken.port,
          taken.ring, taken.workers, taken.kind, taken.tensor_len, taken.slot} == {done_q.take,
          done_q.sum, done_q.ranks, rec.port, rec.ring, rec.workers, rec.kind, rec.tensor_len,
          told.slot} && column == {done_q.note, rec.tag, rec.offset})
      else $error("take of slot %0d", taken.slot);
      a_more : assert (taken.kept != done_q.sum &&
                       taken.more == (done_q.take == TakeDone && rec.owed != '0))
      else $error("more %b", taken.more);
      // Jobs are those that were found due, but for first dues of a take that emission has begun;
      // one ends with a take of which nothing is left, and that was not for want of room.
      a_jobs : assert (job_first == (valid_q[Told] && done_q.push_first && !ahead_q[Told]) &&
                       job_again == (valid_q[Told] && done_q.push_again) &&
                       {job_ring, job_slot} == {rec.ring, told.slot})
      else $error("job of slot %0d", job_slot);
      a_ended : assert (job_ended == (takes && (done_q.take == TakeGone ||
          (done_q.take != TakeBlocked && !(done_q.take == TakeDone && rec.owed != '0)))))
      else $error("ended %b", job_ended);
      // The first results of a column free the other slot of the pair, for the message that is a
      // window ahead of that whose results they are.
      a_free : assert (u_dut.free_valid_q == (valid_q[Told] && done_q.first_take) &&
                       (u_dut.free_slot ^ told.slot) == SlotW'(1) &&
                       u_dut.free_msgid_q - front_q.tag == 32'd1 << front_q.window_log2)
      else $error("free of slot %0d", u_dut.free_slot);
      // The record is written where it was read, if the operation touches one; and with it the
      // place of the pair, which is the slot's own if it is not foreign.
      a_written : assert (u_dut.u_records.we_i == (valid_q[Told] && told.touch) &&
          u_dut.u_records.waddr_i == told.slot && u_dut.u_records.wdata_i == rec &&
          u_dut.u_records.place_i.second == (foreign_q != told.slot[0]) &&
          u_dut.u_records.place_i.needed == needed_q)
      else $error("slot %0d is written", u_dut.u_records.waddr_i);
      a_read : assert (u_dut.u_records.re_i == (valid_q[1] && op_q[1].touch) &&
                       u_dut.u_records.raddr_i == op_q[1].slot)
      else $error("slot %0d is read", u_dut.u_records.raddr_i);
      // The observer and the counters are told of that operation and that record.
      a_told : assert ({u_dut.u_tell.valid_i, u_dut.u_tell.decide_i, u_dut.u_tell.commit_i,
          u_dut.u_tell.take_i} == {valid_q[Told], decides, commits, takes} &&
          {u_dut.u_tell.op_i.touch, u_dut.u_tell.op_i.slot, u_dut.u_tell.op_i.msgid,
           u_dut.u_tell.op_i.port, u_dut.u_tell.op_i.rank, u_dut.u_tell.op_i.conn,
           u_dut.u_tell.op_i.ring, u_dut.u_tell.op_i.of_ring, u_dut.u_tell.op_i.offset} ==
          {told.touch, told.slot, told.msgid, told.port, told.rank, told.conn, told.ring,
           told.of_ring, told.offset} && u_dut.u_tell.rec_i == rec)
      else $error("told of slot %0d", u_dut.u_tell.op_i.slot);
      a_did : assert ({u_dut.u_tell.fate_i, u_dut.u_tell.completes_i, u_dut.u_tell.done_i} ==
          {done_q.fate, done_q.completes, !done_q.note && done_q.take == TakeDone} &&
          (commits ? u_dut.u_tell.ranks_i == ranks_q[2] : u_dut.u_tell.ranks_i == done_q.ranks))
      else $error("ranks %b", u_dut.u_tell.ranks_i);

      // A take of which something is left; a first due without a job.
      c_more : cover (taken_valid && taken.more);
      c_ahead : cover (valid_q[Told] && done_q.push_first && ahead_q[Told] && !job_first);
    end
  end

endmodule
