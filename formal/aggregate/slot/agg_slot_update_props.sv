// One slot's record through any sequence of operations: the rules of docs/protocol.md, section
// "Slot", and what emission may rely on. What agg_slot_state adds is the pipeline; that it does not
// change this order is proved there.
//
// One rank and one message, both free, are followed; since they may be any, what holds for them
// holds for all.
module agg_slot_update_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3,
  /// 1: the device can be one of a tree, and has a bank more, but is not one in this ring.
  parameter int unsigned Tree = 0
) (
  input logic             clk_i,
  input logic             rst_ni,
  // An operation on this slot, or none.
  input logic             valid_i,
  input slot_op_t         op_i,
  // The operation behind it is on this slot, or on one that has this record.
  input logic             forward_i,
  input slot_rec_t        other_i,
  // The pair's place in the banks is the other slot's, and what its owner has there is needed.
  input logic             foreign_i,
  input logic             needed_i,
  // First packets of these ranks are in place with the operation's, if it is a commit of one; and
  // by which port the packet of each rank came.
  input logic [NumRanks-1:0]            with_i,
  input logic [MaxRanks-1:0][PortW-1:0] ports_i,
  // In the first cycle: the rank and the message that are followed, the ring's number of workers.
  input logic [RankW-1:0] rank_i,
  input logic [31:0]      msgid_i,
  input logic [RankW:0]   workers_i
);

  logic             started_q;
  logic [RankW-1:0] rank_q;
  logic [31:0]      msgid_q;
  logic [RankW:0]   workers_q;
  initial started_q = 1'b0;

  // With a bank more, nothing comes from a parent, and no packet is of a ring that has one or whose
  // children are devices.
  logic     valid;
  slot_op_t op;
  assign valid = valid_i && (Tree == 0 || 32'(op_i.rank) < NumRanks ||
      !(op_i.op == SlotDecide || op_i.op == SlotCommit));
  always_comb begin
    op = op_i;
    if (Tree != 0) {op.parent, op.devices} = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The record, as the pipeline's loop.

  slot_rec_t           rec_q, rec, next;
  logic                same, begins;    // what a packet said stays; is that of this operation
  logic [NumRanks-1:0] moved;           // ports of ranks are those of before, or of this commit
  slot_rel_t           rel;
  slot_result_t        result;
  logic [MaxRanks-1:0] rank, blocked;

  always_comb begin
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      rank[r] = op.rank == RankW'(r) && r < NumRanks + Tree;
    end
    if (Tree == 0 && op.op == SlotCommit && op.first) rank = rank | MaxRanks'(with_i);
  end
  assign rel = relate(op.msgid, op.kind, op.tensor_len,
                      rec_q.tag, rec_q.kind, rec_q.tensor_len);

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks + Tree)
  ) u_blocked (
    .port_i      (rec_q.port),
    .port_ready_i(op.port_ready),
    .blocked_o   (blocked)
  );

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks + Tree),
    .Devices (Tree),
    .Uplink  (Tree)
  ) u_dut (
    .op_i     (op),
    .rank_i   (rank),
    .port_i   (ports_i),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (rec_q),
    .foreign_i,
    .needed_i,
    .rel_i    (rel),
    .blocked_i(blocked),
    .rec_o    (rec),
    .foreign_o(),
    .needed_o (),
    .result_o (result),
    .forward_i,
    .other_i,
    .next_o   (next)
  );

  always_ff @(posedge clk_i) begin
    if (valid && op.touch) rec_q <= rec;
    if (!rst_ni) rec_q <= '0;
  end

  assign same   = {rec.kind, rec.tensor_len, rec.workers, rec.window_log2, rec.ring,
                   rec.offset} == {rec_q.kind, rec_q.tensor_len, rec_q.workers,
                   rec_q.window_log2, rec_q.ring, rec_q.offset};
  assign begins = {rec.tag, rec.kind, rec.tensor_len, rec.workers, rec.window_log2, rec.ring,
                   rec.offset} == {op.msgid, op.kind, op.tensor_len, op.workers,
                   op.window_log2, op.ring, op.offset};
  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      moved[r] = rec.port[r] == ((op.op == SlotCommit && rank[r] && rec_q.valid && rel.same_tag &&
                                  rec_q.accepted[r]) ? ports_i[r] : rec_q.port[r]);
    end
  end

  // What this slot's column has in the banks may be written over; who would begin one must wait.
  logic over, barred;
  assign over   = foreign_i && rec_q.valid && !rec_q.empty && !rec_q.complete;
  assign barred = foreign_i && needed_i;

  logic decide, commit, take, free, flush;
  assign decide = valid && op.op == SlotDecide;
  assign commit = valid && op.op == SlotCommit;
  assign take   = valid && op.op == SlotTake;
  assign free   = valid && op.op == SlotFree;
  assign flush  = valid && op.op == SlotFlush;

  // ---------------------------------------------------------------------------------------------
  // What the rest of the device does with this slot, seen from the followed rank. Packets that were
  // accepted get the rank's bank in the order of their decisions (bank_turns_props), but commits of
  // several ports overtake each other. So only the newest one is looked at: behind its commit the
  // bank is written by nobody before the next one is accepted, and holds its bytes. Of older ones
  // any number may be on their way.

  logic        any_q;      // a packet was accepted since the last flush; the newest one is
  logic [31:0] newest_q;   // of this message,
  logic        waits_q;    // on its way to the bank,
  logic        stored_q;   // or there, all of it
  logic        mine, accept, placed;

  assign mine   = rank[rank_q];
  assign accept = decide && op.touch && mine && result.fate == FateStored;
  assign placed = commit && mine && op.first;

  always_ff @(posedge clk_i) begin
    if (placed && op.msgid == newest_q) begin
      waits_q  <= 1'b0;
      stored_q <= 1'b1;
    end
    if (accept) begin
      any_q    <= 1'b1;
      newest_q <= op.msgid;
      waits_q  <= 1'b1;
      stored_q <= 1'b0;
    end
    if (flush) any_q <= 1'b0;
    if (!rst_ni) begin
      any_q    <= 1'b0;
      waits_q  <= 1'b0;
      stored_q <= 1'b0;
    end
  end

  // Results due to the followed rank, and jobs of the slot, counted from outside.
  logic due_q, job_q, completed_q;
  always_ff @(posedge clk_i) begin
    if (commit && (result.completes || (mine && !op.first && rec_q.complete &&
        rec.owed[rank_q]))) due_q <= 1'b1;
    if (take && result.take == TakeDone && result.ranks[rank_q]) due_q <= 1'b0;
    if ((decide && result.restart) || (free && result.set_tag) || flush) due_q <= 1'b0;
    if (commit && (result.push_first || result.push_again)) job_q <= 1'b1;
    if (take && (result.take == TakeGone || (result.take == TakeDone &&
        rec.owed == '0))) job_q <= 1'b0;
    if (commit && result.completes && rec_q.tag == msgid_q) completed_q <= 1'b1;
    if (flush) completed_q <= 1'b0;
    if (!rst_ni) begin
      due_q       <= 1'b0;
      job_q       <= 1'b0;
      completed_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {rank_q, msgid_q, workers_q} <= {rank_i, msgid_i, workers_i};
    // The first cycle is one of reset. Dropped: a record that nobody wrote.
    e_reset : assume (started_q || !rst_ni);
    // The followed rank is one of the ring's. Dropped: it waits for packets that nobody sends.
    e_workers : assume (!started_q || (32'(workers_q) <= NumRanks &&
        (RankW + 1)'(rank_q) < workers_q));
    if (valid) begin
      // An operation is of one kind; only a decision that look-up has made already touches nothing.
      // Dropped: a record changes twice at a time.
      e_kind : assume ($onehot(op.op) && (op.touch || op.op == SlotDecide));
      // All packets of a ring have its number of workers, and a rank below it; look-up sees to it.
      // Dropped: two ranks disagree when their column is complete.
      e_ranks : assume (!decide || (op.workers == workers_q &&
          (RankW + 1)'(op.rank) < workers_q));
      // All MsgIDs lie within half of the serial numbers. Only differences matter, so the oldest
      // may be called 0. Dropped: after 2^31 messages an old packet looks new.
      e_window : assume (!(decide || free) || op.msgid < 32'h7FFF_FFFF);
      // A packet that was accepted reports once that it is in its bank: the newest one, or one from
      // before it. Dropped: a column is complete with bytes that never came.
      e_placed : assume (!placed || (any_q && (op.msgid == newest_q ? waits_q :
                                               op.msgid < newest_q)));
      // The control plane flushes when nothing is on its way to a bank. Dropped: a packet of before
      // the flush is taken for one of after it.
      e_flush : assume (!flush || !waits_q);
      // The place of a column is given to another one only when nothing of it is on its way
      // (slot_pair). Dropped: a packet of before counts for the column that begins anew.
      e_over : assume (!decide || !over || (rec_q.accepted & rec_q.missing) == '0);
    end
  end

  // ---------------------------------------------------------------------------------------------

  slot_record_watch #(
    .NumRanks(NumRanks)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .rec_i    (rec_q),
    .job_i    (job_q),
    .workers_i(workers_q)
  );

  logic [MaxRanks-1:0] all;
  logic                holds;   // the record is of a column that the followed rank is in
  assign all   = ranks_of(workers_q);
  assign holds = rec_q.valid && rec_q.accepted[rank_q];

  // Ranks that a take gives a result although their port has no room, or beside another rank of
  // their port.
  logic [NumRanks-1:0] crowded;
  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      crowded[r] = result.ranks[r] && blocked[r];
      for (int unsigned other = 0; other < r; other++) begin
        if (result.ranks[r] && result.ranks[other] && rec_q.port[r] == rec_q.port[other]) begin
          crowded[r] = 1'b1;
        end
      end
    end
  end

  // Ranks whose results are due, and whose port gets none by a take.
  logic [NumRanks-1:0] served;
  always_comb begin
    served = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      for (int unsigned other = 0; other < NumRanks; other++) begin
        if (result.ranks[other] && rec_q.port[r] == rec_q.port[other]) served[r] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A sum is emitted only when every worker's packet of this very message, and nothing else, is
      // in the banks.
      a_sum : assert (!take || result.take != TakeDone ||
          (rec_q.valid && stored_q && newest_q == rec_q.tag));
      // No result leaves while a rank is missing.
      a_whole : assert (!take || result.take != TakeDone || (rec_q.missing == '0 &&
          rec_q.accepted == all));
      // A rank that is in and not missing is whole in its bank, with the bytes of the tag's
      // message.
      a_stored : assert (!holds || rec_q.missing[rank_q] || (stored_q && !waits_q &&
          newest_q == rec_q.tag));
      // A rank that is missing is on its way, and behind it nobody.
      a_coming : assert (!holds || !rec_q.missing[rank_q] || (waits_q && !stored_q &&
          newest_q == rec_q.tag));
      // Packets that are accepted are of messages that only get newer, but where a column that is
      // over begins anew; then nothing is on its way.
      a_order : assert ((!any_q || (rec_q.valid && newest_q <= rec_q.tag)) &&
                        (!accept || !any_q || op.msgid > newest_q ||
                         (op.msgid == newest_q && !waits_q)));
      // It is stored once: what is in its bank and counted is not written again.
      a_first : assert (!placed || !rec_q.valid || op.msgid != rec_q.tag ||
                        !rec_q.accepted[rank_q] || rec_q.missing[rank_q]);
      // A packet of the tag's message that is on its way is in the column.
      a_gone : assert ((!waits_q || newest_q != rec_q.tag || holds) && (!waits_q || any_q));
      // A repeated packet changes nothing at its decision.
      a_duplicate : assert (!decide || result.fate != FateDuplicate || !op.touch || rec == rec_q);
      // Nor, once in place, anything but where its result leaves and that one is due.
      a_again : assert (!commit || op.first || (rec.accepted == rec_q.accepted &&
          rec.missing == rec_q.missing &&
          rec.tag == rec_q.tag && rec.complete == rec_q.complete &&
              (rec.owed | rank) == (rec_q.owed | rank)));
      // The tag changes by a free or by a newer message's packet, never backwards, and takes all
      // bits along.
      a_newer : assert (!valid || !op.touch || !rec_q.valid || !rec.valid ||
          rec.tag == rec_q.tag ||
          ((decide || free) && rec.tag > rec_q.tag && rec.owed == '0 && !rec.complete &&
           (decide ? rec.accepted == rank : rec.accepted == '0)));
      // A newer message takes a slot from an older one only if that one is complete, was never
      // there, or is over.
      a_violation : assert (!decide || !op.touch || !rec_q.valid || rec_q.empty || over ||
          rec_q.complete || op.msgid == rec_q.tag ||
          (rec == rec_q && result.fate == (op.msgid < rec_q.tag ? FateStale :
              FateWindowViolation)));
      // A packet of the column's message is told for what it is: of another type, of another
      // length, there already, or taken.
      a_told : assert (!decide || !op.touch || !rec_q.valid || rec_q.empty || over ||
          op.msgid != rec_q.tag || result.fate == (
          op.kind != rec_q.kind ? FateTypeMismatch :
          op.tensor_len != rec_q.tensor_len ? FateLengthMismatch :
          (rec_q.accepted & rank) != '0 ? FateDuplicate : FateStored));
      // A column begins only while the other slot of the pair needs no packets; a packet that would
      // begin one is refused then, and nothing is changed.
      a_apart : assert (!decide || !result.restart || !barred);
      a_kept_out : assert (!decide || !op.touch || !barred || (rec_q.valid && !rec_q.empty &&
          !over && op.msgid == rec_q.tag) || (rec == rec_q && result.fate ==
          ((rec_q.valid && op.msgid < rec_q.tag) ? FateStale : FateWindowViolation)));
      // Of a column that is over nothing counts: a packet of its message or a newer one begins it
      // anew.
      a_anew : assert (!decide || !op.touch || !over || barred || op.msgid < rec_q.tag ||
          (result.restart && result.fate == FateStored && rec.tag == op.msgid &&
           rec.accepted == rank));
      // An older message's packet changes nothing.
      a_stale : assert (!decide || !op.touch || !rec_q.valid || op.msgid >= rec_q.tag ||
          (rec == rec_q && result.fate == FateStale));
      // A column completes once.
      a_completes : assert (!commit || !result.completes || rec_q.tag != msgid_q || !completed_q);
      a_completed : assert (!completed_q || (rec_q.valid && (rec_q.tag == msgid_q ? rec_q.complete :
          rec_q.tag > msgid_q)));
      // Completion makes one result due for each rank, a repeat one for its own; dues of a rank
      // merge.
      a_due : assert (rec_q.owed[rank_q] == due_q);
      a_result : assert (!take || result.take != TakeDone || !result.ranks[rank_q] || due_q);
      // Results leave only for ports with room, one a port, and dues that remain are those that did
      // not leave.
      a_room : assert (!take || result.take != TakeDone || (crowded == '0 && result.ranks != '0 &&
          (result.ranks & ~rec_q.owed) == '0 && rec.owed == (rec_q.owed & ~result.ranks)));
      // A take leaves by every port that a due result leaves by: none waits for another take.
      a_every_port : assert (!take || result.take != TakeDone ||
          (rec_q.owed[NumRanks-1:0] & ~served) == '0);
      a_all : assert (!commit || !result.completes || rec.owed == all);
      a_one_job : assert (!commit || !(result.push_first || result.push_again) || !job_q);
      // Type, length, ring and place are those of the packet that a column
      // began with, and stay with it.
      a_begins : assert (!decide || !op.touch || !result.restart || begins);
      a_keeps : assert (!valid || !op.touch || (decide && result.restart) || same);
      // A result leaves by the port of its rank's latest packet that is in place.
      a_ports : assert (!valid || !op.touch || moved == '1);
      // The operation right behind sees what this one has left, if it is on the same slot.
      a_next : assert (next == (forward_i ? rec : other_i) || rec.lost || other_i.lost);
      // A first emission of a column is told: it frees the slot of the message N before.
      a_frees : assert (!take || result.first_take ==
                        (result.take == TakeDone && rec_q.first_pending));
      // The device is in no tree.
      a_role : assert (!rec_q.parent && !rec_q.devices && !rec_q.answered);
      // A column with all ranks is emitted.
      c_emitted : cover (take && result.take == TakeDone && workers_q == (RankW + 1)'(NumRanks));
      // A repeated packet makes one result due again.
      c_again : cover (commit && result.push_again);
      // A packet of a message beyond the window is refused.
      c_violation : cover (decide && op.touch && result.fate == FateWindowViolation);
      // A complete column makes room for the next message.
      c_next : cover (decide && result.restart && rec_q.complete && rec_q.tag == msgid_q);
      // A freed slot meets a late packet of its old message.
      c_stale : cover (decide && op.touch && result.fate == FateStale && rec_q.empty);
      // A commit comes when its column is gone.
      c_late : cover (placed && op.msgid != rec_q.tag);
      // Packets of two ranks are in place at once, and complete a column that a third one began.
      c_joined : cover (commit && result.completes && $countones(rank & rec_q.missing) == 2 &&
          workers_q == (RankW + 1)'(3));
      // A job that has lost its dues serves for those of the next column.
      c_stray : cover (commit && result.completes && !result.push_first);
    end
  end

endmodule
