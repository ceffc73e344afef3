// Watches what slot state does: what is true of every operation, of the record that it leaves, and
// of its slot's jobs. Assertions only; in the device it is nothing.
//
// A module of its own because these are the rules that a slot's life is built on, to be read beside
// each other, while agg_slot_state is about the stages that it takes. It keeps its own copy of an
// operation, taken in stage 5, so that the pipeline carries no field that only an assertion needs.
module agg_slot_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680
) (
  input logic clk_i,
  input logic rst_ni,

  // The operation in stage 5, its rank (or those of a commit), the record that it found, the one
  // that it leaves, and what it did. Not all of it is looked at.
  input logic                valid_i,
  input logic [MaxRanks-1:0] rank_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input slot_op_t            op_i,
  input slot_rec_t           old_i,
  input logic                foreign_i, // the pair's place in the banks is the other slot's,
  input logic                needed_i,  // and what its owner has there is needed
  input slot_rec_t           rec_i,
  input slot_result_t        result_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // The operation in stage 6 pushes a job of its slot, or ends it.
  input logic job_push_i,
  input logic job_ended_i
);

  localparam int unsigned AddrW = (NumSlots > 1) ? $clog2(NumSlots) : 1;

  // Stage 6.
  logic                valid_q;
  logic [MaxRanks-1:0] rank_q;
  /* verilator lint_off UNUSEDSIGNAL */
  slot_op_t            op_q;
  slot_rec_t           old_q, rec_q;
  slot_result_t        result_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [NumSlots-1:0] job_q;   // a job of the slot is out
  logic [AddrW-1:0]    at, pair_at;
  logic                decide, commit, take, owner_gone;
  logic                foreign_q, needed_q;
  // By slot: packets of it are needed in the banks; its column is complete, and its sum not taken.
  logic [NumSlots-1:0] needs_q, unsummed_q;

  always_ff @(posedge clk_i) begin
    valid_q  <= valid_i && rst_ni;
    op_q     <= op_i;
    rank_q   <= rank_i;
    old_q    <= old_i;
    rec_q    <= rec_i;
    result_q <= result_i;
    foreign_q <= foreign_i;
    needed_q  <= needed_i;
    if (valid_q && op_q.touch) begin
      needs_q[at]    <= needs_banks(rec_q);
      unsummed_q[at] <= rec_q.held && rec_q.complete;
    end
    if (job_push_i) job_q[at] <= 1'b1;
    if (job_ended_i) job_q[at] <= 1'b0;
    /* verilator lint_off WIDTHCONCAT */
    if (!rst_ni) {job_q, needs_q, unsummed_q} <= '0;   // thousands of bits: some a slot
    /* verilator lint_on WIDTHCONCAT */
  end

  assign at         = op_q.slot[AddrW-1:0];
  assign pair_at    = AddrW'(pair_of(op_q.slot));
  assign decide     = valid_q && |(op_q.op & SlotDecide);
  assign commit     = valid_q && |(op_q.op & SlotCommit);
  assign take       = valid_q && |(op_q.op & SlotTake);
  assign owner_gone = old_q.empty || old_q.complete || !old_q.valid || foreign_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && valid_q && op_q.touch) begin
      // No rank is accepted twice in a column; its gradient would be counted twice.
      a_once : assert (!decide || result_q.fate != FateStored ||
          result_q.restart || (old_q.accepted & rank_q) == '0)
      else $error("%m: rank %0d accepted twice in slot %0d", op_q.rank, op_q.slot);
      // A first commit is the first one; a second would mean that a bank was written twice.
      a_store_once : assert (!commit || !op_q.first || old_q.tag != op_q.msgid ||
          !old_q.valid || (old_q.accepted & rank_q & ~old_q.missing) == '0)
      else $error("%m: rank %0d stored twice in slot %0d", op_q.rank, op_q.slot);
      // Only accepted ranks are stored; a sum would hold somebody's bytes of another message.
      a_stored : assert (rec_q.empty || !rec_q.valid ||
          (ranks_of(rec_q.workers) & ~rec_q.missing & ~rec_q.accepted) == '0)
      else $error("%m: slot %0d has a stored rank that was not accepted", op_q.slot);
      // Results are due for complete columns only; a host would be given a partial sum.
      a_owed : assert (rec_q.owed == '0 || (rec_q.valid && rec_q.complete))
      else $error("%m: slot %0d owes results of an incomplete column", op_q.slot);
      // Complete means every worker's packet is in its bank.
      a_complete : assert (!rec_q.complete || (rec_q.valid && rec_q.missing == '0 &&
          rec_q.accepted == ranks_of(rec_q.workers)))
      else $error("%m: slot %0d is complete without all ranks", op_q.slot);
      // A stray job of a complete column serves its dues; a second one would be pushed for them.
      a_stray : assert (!rec_q.stray || !rec_q.complete || rec_q.owed != '0)
      else $error("%m: slot %0d has a stray job and nothing owed", op_q.slot);
      // A result leaves only when every worker's packet is in it.
      a_emit : assert (!take || result_q.take != TakeDone || (old_q.valid &&
          old_q.missing == '0 && old_q.accepted == ranks_of(old_q.workers)))
      else $error("%m: slot %0d emits a partial sum", op_q.slot);
      // A message leaves its slot only when it owns nothing there, or the window has moved past it.
      a_tag : assert (!old_q.valid || rec_q.tag == old_q.tag ||
          (|(op_q.op & SlotDecide) && owner_gone && result_q.restart) ||
          |(op_q.op & SlotFree))
      else $error("%m: slot %0d lost message %0d", op_q.slot, old_q.tag);
      // Messages in a slot only get newer; an old one would take its bits from a live one.
      a_newer : assert (!old_q.valid || !rec_q.valid ||
          32'(rec_q.tag - old_q.tag) < 32'h8000_0000)
      else $error("%m: slot %0d went back to message %0d", op_q.slot, rec_q.tag);
      // What is told of the pair's place in the banks is so.
      a_place : assert (needed_q == needs_q[foreign_q ? pair_at : at])
      else $error("%m: slots %0d and %0d: whose packets are needed is not known", at, pair_at);
      // No column begins over packets of the other slot that are on their way or still to be
      // summed; nor has a column that is still to be summed lost its place.
      a_pair : assert (!result_q.restart || !needs_q[pair_at])
      else $error("%m: slot %0d begins over packets of slot %0d", at, pair_at);
      a_own : assert (!(foreign_q && unsummed_q[at]) && !(!foreign_q && unsummed_q[pair_at]))
      else $error("%m: slots %0d and %0d: a sum to be taken is another's", at, pair_at);
      // A column without a sum holds its packets; others could overwrite them.
      a_held : assert (!rec_q.valid || rec_q.empty || rec_q.held ||
          (rec_q.complete && !(rec_q.first_pending && !rec_q.parent)))
      else $error("%m: slot %0d has given its packets up", at);
      // Operations name slots that exist; another slot's record would be changed.
      a_range : assert (32'(op_q.slot) < NumSlots)
      else $error("%m: slot %0d does not exist", op_q.slot);
    end
    if (rst_ni) begin
      // Each slot has one job at most; the job queues would overflow and forget somebody's result.
      a_one_job : assert (!job_push_i || !job_q[at])
      else $error("%m: second job of slot %0d", op_q.slot);
      // Dues always have a job, or their results would never leave.
      a_job : assert (!take || result_q.take == TakeGone || job_q[at])
      else $error("%m: slot %0d owed results without a job", op_q.slot);
    end
  end

endmodule
