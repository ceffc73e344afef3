// The two slots of a pair, those of messages N apart, and the one place in the banks that they
// share: no packet is written over another one before that one's column is summed, or over because
// it lacks a rank; and what is summed is what stands in the banks. Any sequence of operations on
// the two, whatever messages they are of: hosts keep to nothing.
//
// The rules are those of the RTL (agg_slot_update), with the record of either slot and what it is
// told of the other. That the pipeline changes no order, and tells the truth of the other slot, is
// proved of agg_slot_state. One rank, free, is followed into its bank.
module slot_pair_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  // What asks for an operation on the second slot of the pair, or on the first.
  input logic                       enable_i,
  input logic                       second_i,
  input logic                       rsp_valid_i,
  input lookup_rsp_t                rsp_i,
  input logic    [NumPorts-1:0]     commit_valid_i,
  input commit_t [NumPorts-1:0]     commit_i,
  input logic                       take_valid_i,
  input take_t                      take_i,
  input logic                       flush_valid_i,
  input logic                       free_valid_i,
  input logic [31:0]                free_msgid_i,
  // First packets of these ranks are in place with the operation's, if it is a commit of one.
  input logic [NumRanks-1:0] with_i,
  // In the first cycle: the rank that is followed, the ring's number of workers.
  input logic [RankW-1:0] rank_i,
  input logic [RankW:0]   workers_i
);

  logic             started_q;
  logic [RankW-1:0] rank_q;
  logic [RankW:0]   workers_q;
  initial started_q = 1'b0;

  slot_rec_t [1:0]     rec_q;
  slot_place_t         place_q;
  logic                foreign, foreign_next, needed_next;
  slot_rec_t           old, other, rec;
  slot_rel_t           rel;
  slot_result_t        result;
  logic [MaxRanks-1:0] rank, blocked;

  // Operations enter as in slot state: by its arbiter, which anybody asks for anything, takes as
  // near to each other as it can have them.
  logic     valid;
  slot_op_t op;

  agg_slot_arbiter #(
    .NumPorts (NumPorts),
    .FreeAfter(2)
  ) u_enters (
    .clk_i,
    .rst_ni,
    .enable_i,
    .rsp_valid_i,
    .rsp_ready_o   (),
    .rsp_i,
    .commit_valid_i,
    .commit_ready_o(),
    .commit_i,
    .take_valid_i,
    .take_ready_o  (),
    .take_i,
    .flush_valid_i,
    .flush_ready_o (),
    .flush_slot_i  ('0),
    .free_valid_i,
    .free_slot_i   ('0),
    .free_msgid_i,
    .op_valid_o    (valid),
    .op_o          (op),
    .joined_o      (),
    .waits_i       (1'b0),
    .soon_o        ()
  );

  assign old   = rec_q[second_i];
  assign other = rec_q[!second_i];
  assign foreign = place_q.second != second_i;
  assign rel   = relate(op.msgid, op.kind, op.tensor_len, old.tag, old.kind, old.tensor_len);
  always_comb begin
    for (int unsigned r = 0; r < MaxRanks; r++) rank[r] = op.rank == RankW'(r) && r < NumRanks;
    if (op.op == SlotCommit && op.first) rank = rank | MaxRanks'(with_i);
  end

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked (
    .port_i      (old.port),
    .port_ready_i(op.port_ready),
    .blocked_o   (blocked)
  );

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_dut (
    .op_i     (op),
    .rank_i   (rank),
    .port_i   ({MaxRanks{op.port}}),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (old),
    .foreign_i(foreign),
    .needed_i (place_q.needed),
    .rel_i    (rel),
    .blocked_i(blocked),
    .rec_o    (rec),
    .foreign_o(foreign_next),
    .needed_o (needed_next),
    .result_o (result),
    .forward_i(1'b1),
    .other_i  ('0),
    .next_o   ()
  );

  always_ff @(posedge clk_i) begin
    if (valid && op.touch) begin
      rec_q[second_i] <= rec;
      place_q         <= '{second: foreign_next ^ second_i, needed: needed_next};
    end
    if (!rst_ni) {rec_q, place_q} <= '0;
  end

  logic decide, commit, take, flush, emits;
  assign decide = valid && op.op == SlotDecide;
  assign commit = valid && op.op == SlotCommit;
  assign take   = valid && op.op == SlotTake;
  assign flush  = valid && op.op == SlotFlush;
  assign emits  = take && result.take == TakeDone;

  // ---------------------------------------------------------------------------------------------
  // The place in the followed rank's bank: of which slot and message the packet is that was
  // accepted last, and whether it is there. Banks are written in the order of decisions
  // (bank_turns_props), so nothing older is written behind it. A commit says that its packet is
  // there; those of packets of before, also of the other slot, may come at any time.

  logic       any_q, newest_second_q, waits_q, stored_q;
  logic [1:0] summed_q;   // the sum of the slot's column has been taken
  logic [1:0][31:0] last_q;     // message of each slot's latest packet
  logic [1:0]       some_q;     // it had one since its last flush
  logic             mine, accept, placed, of_newest;

  assign mine      = rank[rank_q];
  assign accept    = decide && op.touch && mine && result.fate == FateStored;
  assign placed    = commit && mine && op.first;
  assign of_newest = any_q && newest_second_q == second_i && op.msgid == last_q[second_i];

  always_ff @(posedge clk_i) begin
    if (placed && of_newest) begin
      waits_q  <= 1'b0;
      stored_q <= 1'b1;
    end
    if (accept) begin
      any_q            <= 1'b1;
      newest_second_q  <= second_i;
      last_q[second_i] <= op.msgid;
      some_q[second_i] <= 1'b1;
      waits_q          <= 1'b1;
      stored_q         <= 1'b0;
    end
    if (flush) some_q[second_i] <= 1'b0;
    if (flush && newest_second_q == second_i) any_q <= 1'b0;
    if (emits && result.sum) summed_q[second_i] <= 1'b1;
    if (decide && result.restart) summed_q[second_i] <= 1'b0;
    if (!rst_ni) begin
      any_q    <= 1'b0;
      waits_q  <= 1'b0;
      stored_q <= 1'b0;
      some_q   <= '0;
      summed_q <= '0;
    end
  end

  logic foreign_before_q;   // the column that is begun was over before
  always_ff @(posedge clk_i) begin
    if (decide && result.restart) begin
      foreign_before_q <= foreign && old.held && !old.complete && op.msgid == old.tag;
    end
    if (!rst_ni) foreign_before_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {rank_q, workers_q} <= {rank_i, workers_i};
    // The first cycle is one of reset. Dropped: a record that nobody wrote.
    e_reset : assume (started_q || !rst_ni);
    // The followed rank is one of the ring's. Dropped: it waits for packets that nobody sends.
    e_workers : assume (!started_q || (32'(workers_q) <= NumRanks &&
        (RankW + 1)'(rank_q) < workers_q));
    if (valid) begin
      // All packets of a ring have its number of workers, and a rank below it. Dropped: two ranks
      // disagree when their column is complete.
      e_ranks : assume (!decide || (op.workers == workers_q &&
          (RankW + 1)'(op.rank) < workers_q));
      // All MsgIDs lie within half of the serial numbers. Dropped: an old packet looks new.
      e_window : assume (!(decide || op.op == SlotFree) || op.msgid < 32'h7FFF_FFFF);
      // The control plane flushes when nothing is on its way to a bank. Dropped: a packet of before
      // the flush is taken for one of after it.
      e_flush : assume (!flush || !waits_q);
    end
  end

  // ---------------------------------------------------------------------------------------------

  // Of each slot: its column has packets in the banks, and is not over; something of it is on its
  // way, or it is complete.
  logic [1:0] live, needs;
  logic [1:0] in, there, coming, behind, marked, quiet;
  always_comb begin
    for (int unsigned s = 0; s < 2; s++) begin
      live[s]   = rec_q[s].held && (rec_q[s].complete || place_q.second == s[0]);
      needs[s]  = needs_banks(rec_q[s]);
      in[s]     = live[s] && rec_q[s].accepted[rank_q];
      there[s]  = !in[s] || rec_q[s].missing[rank_q] || (any_q && newest_second_q == s[0] &&
          last_q[s] == rec_q[s].tag && stored_q && !waits_q);
      coming[s] = !in[s] || !rec_q[s].missing[rank_q] || (any_q && newest_second_q == s[0] &&
          last_q[s] == rec_q[s].tag && waits_q);
      behind[s] = !some_q[s] || (rec_q[s].valid && last_q[s] <= rec_q[s].tag &&
          (last_q[s] != rec_q[s].tag || rec_q[s].accepted[rank_q] ||
           !(waits_q && newest_second_q == s[0])));
      quiet[s]  = !(rec_q[s].valid && rec_q[s].accepted[rank_q] && !rec_q[s].missing[rank_q] &&
          last_q[s] == rec_q[s].tag) || !(waits_q && newest_second_q == s[0]);
      marked[s] = rec_q[s].held == (rec_q[s].valid && !rec_q[s].empty && !summed_q[s]);
    end
  end

  for (genvar s = 0; s < 2; s++) begin : gen_watch
    slot_record_watch #(
      .NumRanks(NumRanks)
    ) u_watch (
      .clk_i,
      .rst_ni,
      .rec_i    (rec_q[s]),
      .job_i    (rec_q[s].owed != '0 || rec_q[s].stray),
      .workers_i(workers_q)
    );
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is summed is what stands in the banks: the packets of this column, all there, and
      // nothing that came behind them for the message N behind or before.
      a_summed : assert (!(emits && result.sum) || (any_q && newest_second_q == second_i &&
          last_q[second_i] == old.tag && stored_q && !waits_q && old.missing == '0 &&
          old.accepted == ranks_of(workers_q)));
      // No packet is let into the place of one whose column is still to be summed, unless that
      // column is given up: it is the same slot's, complete, and a newer message has come; or the
      // other slot's, lacks a rank, and nothing of it is on its way.
      a_not_over : assert (!accept || !live[!second_i] || (result.restart && !needs[!second_i]));
      // A column is summed once, and by its first results; each repetition has a sum that was kept.
      a_once : assert (!emits || result.sum == !summed_q[second_i]);
      a_first : assert (!emits || result.sum == old.first_pending);
      // Of a pair one column at a time holds packets, the one that the place is said to be of; and
      // whether they are needed is so.
      a_apart : assert (live != 2'b11 && !live[!place_q.second] &&
          place_q.needed == needs[place_q.second]);
      // Of a column that is over nothing is on its way.
      a_over : assert (live[!place_q.second] || !needs[!place_q.second]);
      // A free empties no column that is still to be summed: the message N before has been.
      a_free : assert (!valid || op.op != SlotFree || !result.set_tag || !live[second_i] ||
          !live[!second_i]);
      // A rank's packet that a column holds is in the bank, or the next to be written there (helps
      // the proof).
      a_there : assert (there == '1 && coming == '1 && (!waits_q || any_q));
      // Packets of a slot are of messages that only get newer; one that is in its bank is not on
      // its way (helps the proof).
      a_behind : assert (behind == '1 && quiet == '1);
      // What the mark says (helps the proof).
      a_marked : assert (marked == '1);
      // A message begins in the place of the one N before, which has been summed and is still
      // answered.
      c_over : cover (accept && other.valid && !other.empty && other.complete &&
                      other.owed[rank_q]);
      // A repetition of it leaves when the place is another's already.
      c_again : cover (emits && !result.sum && other.held && other.missing == '0);
      // A column that lacks a rank is over, and is whole when it has been begun anew.
      c_given_up : cover (accept && result.restart && live[!second_i]);
      c_anew : cover (emits && result.sum && foreign_before_q);
      // A message that comes too early is refused.
      c_refused : cover (decide && op.touch && other.held &&
                         result.fate == FateWindowViolation);
    end
  end

endmodule
