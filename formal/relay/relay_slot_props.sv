// One slot's record in a device below a parent (docs/relay.md), through any sequence of operations:
// what goes up, what comes down, and when a slot is freed. All else about a record is proved for a
// device without parent (agg_slot_update_props).
module relay_slot_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3   // two children and the parent
) (
  input logic     clk_i,
  input logic     rst_ni,
  // An operation on this slot, or none.
  input logic     valid_i,
  input slot_op_t op_i,
  // The pair's place in the banks is the other slot's, and what its owner has there is needed.
  input logic     foreign_i,
  input logic     needed_i
);

  localparam logic [MaxRanks-1:0] Parent = MaxRanks'(1) << (NumRanks - 1);
  localparam logic [RankW:0] Children = (RankW + 1)'(NumRanks - 1);

  logic started_q;
  initial started_q = 1'b0;

  slot_rec_t           rec_q, rec;
  logic                needed_next;
  slot_rel_t           rel;
  slot_result_t        result;
  logic [MaxRanks-1:0] rank, blocked;

  always_comb begin
    for (int unsigned r = 0; r < MaxRanks; r++) rank[r] = op_i.rank == RankW'(r) && r < NumRanks;
  end
  assign rel = relate(op_i.msgid, op_i.kind, op_i.tensor_len,
                      rec_q.tag, rec_q.kind, rec_q.tensor_len);

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked (
    .port_i      (rec_q.port),
    .port_ready_i(op_i.port_ready),
    .blocked_o   (blocked)
  );

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Uplink  (1)
  ) u_dut (
    .op_i,
    .rank_i   (rank),
    .port_i   ({MaxRanks{op_i.port}}),
    .ranks_i  (ranks_of(op_i.workers)),
    .rec_i    (rec_q),
    .foreign_i,
    .needed_i,
    .rel_i    (rel),
    .blocked_i(blocked),
    .rec_o    (rec),
    .foreign_o(),
    .needed_o (needed_next),
    .result_o (result),
    .forward_i(1'b1),
    .other_i  ('0),
    .next_o   ()
  );

  always_ff @(posedge clk_i) begin
    if (valid_i && op_i.touch) rec_q <= rec;
    if (!rst_ni) rec_q <= '0;
  end

  logic decide, commit, take, free, flush, of_parent;
  assign decide    = valid_i && op_i.op == SlotDecide;
  assign commit    = valid_i && op_i.op == SlotCommit;
  assign take      = valid_i && op_i.op == SlotTake;
  assign free      = valid_i && op_i.op == SlotFree;
  assign flush     = valid_i && op_i.op == SlotFlush;
  assign of_parent = rank == Parent;

  // The parent's result of this very column has come; and its sum has been taken to go up.
  logic passed_q, sent_q, answered_q, summed_q, emits;
  logic ends_q;   // some packet of the column says that its message begins or ends with it
  assign emits = take && result.take == TakeDone;
  always_ff @(posedge clk_i) begin
    if (commit && of_parent && rec_q.valid && rec_q.tag == op_i.msgid) passed_q <= 1'b1;
    if (emits && (result.ranks & Parent) != '0) sent_q <= 1'b1;
    if (emits && (result.ranks & Parent) != '0 && !result.note) summed_q <= 1'b1;
    if (commit && of_parent && rec_q.complete && rec_q.tag == op_i.msgid) answered_q <= 1'b1;
    if (decide && !of_parent && op_i.touch && result.fate == FateStored) begin
      ends_q <= op_i.ends || (ends_q && !result.restart);
    end
    if ((decide && result.restart) || (free && result.set_tag) || flush) begin
      passed_q   <= 1'b0;
      sent_q     <= 1'b0;
      summed_q   <= 1'b0;
      answered_q <= 1'b0;
    end
    if (!rst_ni) begin
      summed_q   <= 1'b0;
      passed_q   <= 1'b0;
      sent_q     <= 1'b0;
      answered_q <= 1'b0;
    end
  end

  logic hits_again;   // a repeated packet of this column is in its bank
  assign hits_again = commit && !of_parent && !op_i.first && rec_q.valid &&
      op_i.msgid == rec_q.tag && (rec_q.accepted & rank) != '0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: a record that nobody wrote.
    e_reset : assume (started_q || !rst_ni);
    if (valid_i) begin
      // An operation is of one kind; only a decision that look-up has made already touches nothing.
      // Dropped: a record changes twice at a time.
      e_kind : assume ($onehot(op_i.op) && (op_i.touch || op_i.op == SlotDecide));
      // All children of a ring agree on their number. Dropped: the parent is one of them.
      e_workers : assume (!decide || op_i.workers == Children);
      // The ring has a parent, and its children are workers. Dropped: a column is answered here.
      e_parent : assume (!decide || op_i.parent);
      // A packet is a child's or the parent's; look-up sees to it. Dropped: a column is nobody's.
      e_rank : assume (!decide || 32'(op_i.rank) < NumRanks);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A slot of the message N before is freed only when the parent's result has passed here,
      // never because this device's own children are complete: others may still lack that one.
      a_frees : assert (!valid_i || !result.first_take || passed_q);
      // A child is given a result only when the parent has sent one for this very column.
      a_down : assert (!emits || (result.ranks & ~Parent) == '0 || passed_q);
      // What goes up has one contribution of each child.
      a_up : assert (!emits || (result.ranks & Parent) == '0 ||
          (rec_q.complete && rec_q.missing == '0 && rec_q.accepted == ranks_of(Children)));
      // The children's packets are held until their sum has been taken to go up, which it is once;
      // a notification in front of it is not the sum, and what goes up again is the sum as it was
      // kept.
      a_held : assert (rec_q.held == (rec_q.valid && !rec_q.empty && !summed_q));
      a_sum : assert (!emits || result.note || result.sum == ((result.ranks & Parent) != '0 &&
                                                             !summed_q));
      // It is due to go up as long as they are held, before anything goes down (helps the proof).
      a_due : assert (!rec_q.held || !rec_q.complete || (rec_q.owed & Parent) != '0);
      // As long as the column's place is its own, what it has there is needed while it is complete
      // and not summed, or something is on its way; a notification ends that no more than a commit.
      a_place : assert (!valid_i || !op_i.touch || foreign_i || needed_i != needs_banks(rec_q) ||
          needed_next == needs_banks(rec));
      // Nobody is missing in a complete column; one that is not complete has its packets there, and
      // who is missing was not stored (helps the proof).
      a_record : assert (rec_q.complete == (rec_q.valid && !rec_q.empty && rec_q.missing == '0) &&
          (rec_q.complete || rec_q.held == (rec_q.valid && !rec_q.empty)) &&
          (rec_q.valid || (rec_q.accepted == '0 && !rec_q.held)) &&
          (!rec_q.valid || rec_q.empty == (rec_q.accepted == '0)));
      // A column begins only while the other slot of the pair needs no packets.
      a_apart : assert (!decide || !result.restart || !(foreign_i && needed_i));
      // No take goes up and down; a child would be sent the sum of its own leaf alone.
      a_one_way : assert (!emits || (result.ranks & Parent) == '0 || result.ranks == Parent);
      // The parent's packet is no contribution: its decision changes nothing, and it completes no
      // column.
      a_parent : assert (!of_parent || !(decide || commit) ||
          (rec.accepted == rec_q.accepted && rec.missing == rec_q.missing &&
           rec.complete == rec_q.complete && rec.tag == rec_q.tag &&
           !result.completes && !result.restart));
      a_parent_decides : assert (!decide || !of_parent || rec == rec_q);
      // It is kept only for a complete column of this message.
      a_parent_kept : assert (!decide || !of_parent || !op_i.touch || result.fate != FateStored ||
          (rec_q.valid && rec_q.complete && rec_q.tag == op_i.msgid));
      // A notification goes in front of what goes up, which stays due, where a message begins or
      // ends.
      a_note : assert (!valid_i || !result.note || (result.ranks == Parent && ends_q &&
          (rec.owed & Parent) != '0));
      // And there it is due with each completion, and each repetition.
      a_noted : assert (!commit || !(result.completes || (hits_again && rec_q.complete)) ||
          rec.port[NumRanks-1] == PortW'(ends_q));
      // It is due nowhere else (helps the proof).
      a_ends : assert ((!rec_q.valid || rec_q.empty || rec_q.ends == ends_q) &&
          (!rec_q.complete || rec_q.port[NumRanks-1] == '0 || ends_q));
      // Completion makes one packet due to the parent and nothing to children.
      a_completes : assert (!commit || !result.completes || rec.owed == Parent);
      // A repeated packet of a complete column makes it go up once more.
      a_again : assert (!commit || of_parent || op_i.first || !rec_q.valid || !rec_q.complete ||
          op_i.msgid != rec_q.tag || (rec_q.accepted & rank) == '0 || (rec.owed & Parent) != '0);
      // Dues of children, and the mark that frees, come from the parent alone.
      a_dues : assert ((rec_q.owed & ~Parent) == '0 || passed_q);
      // Whether a complete column still waits for the parent is known of it, however often its
      // result has been asked for again.
      a_answered : assert (rec_q.answered == answered_q && (!answered_q || rec_q.complete));
      a_mark : assert (!rec_q.first_pending || passed_q);
      a_complete : assert ((rec_q.owed == '0 && !rec_q.complete) || (rec_q.valid &&
          rec_q.complete && rec_q.missing == '0 && rec_q.accepted == ranks_of(Children)));
      a_workers : assert (!rec_q.valid || rec_q.empty || (rec_q.workers == Children &&
          (rec_q.accepted & ~ranks_of(Children)) == '0 && rec_q.accepted != '0 &&
          (rec_q.missing | rec_q.accepted) == ranks_of(Children)));
      a_role : assert (!rec_q.valid || rec_q.parent);
      a_empty : assert (!rec_q.empty || (rec_q.accepted == '0 && !rec_q.complete));
      // A sum goes up, its result comes down, and frees.
      c_round : cover (emits && sent_q && passed_q && result.first_take);
      // A notification is sent.
      c_note : cover (emits && result.note);
      // The parent's result comes when its column is gone.
      c_gone : cover (decide && of_parent && op_i.touch && result.fate == FateStale &&
          rec_q.valid && rec_q.empty);
    end
  end

endmodule
