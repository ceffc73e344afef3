// What one operation makes of a slot's record: the rules of docs/protocol.md, section "Slot", as
// pure logic.
//
// This is the loop of the slot-state pipeline: a record goes in from a register and comes out in
// time for the next cycle's operation on the same slot. Comparisons with the packet (`rel_i`), the
// decoded rank, and the ranks that have no room (`blocked_i`) therefore come ready.
module agg_slot_update
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// 1: the children of some rings are devices (docs/relay.md). There a repeated packet makes
  /// results due for all ranks; else for its own.
  parameter int unsigned Devices = 0,
  /// 1: the last rank is the parent of some rings (docs/relay.md). There a complete column is due
  /// to it, with a notification in front if the children are workers and messages begin or end with
  /// it, and its packet is the result that makes results due for all others. Nobody waits for its
  /// packet.
  parameter int unsigned Uplink = 0,
  /// 1: memory may lose a record.
  parameter int unsigned Ecc = 0
) (
  /* verilator lint_off UNUSEDSIGNAL */
  input  slot_op_t            op_i,      // what was compared already is not used again
  /* verilator lint_on UNUSEDSIGNAL */
  // The operation's rank, one-hot; of a commit, all ranks that it is of. Port of each of those.
  input  logic [MaxRanks-1:0] rank_i,
  input  logic [MaxRanks-1:0][PortW-1:0] port_i,
  input  logic [MaxRanks-1:0] ranks_i,   // Decide: all ranks of the ring
  input  slot_rec_t           rec_i,
  input  logic                foreign_i, // the pair's place in the banks is the other slot's
  input  logic                needed_i,  // what its owner has there is needed
  input  slot_rel_t           rel_i,     // op_i against rec_i
  input  logic [MaxRanks-1:0] blocked_i, // Take: their ports in rec_i have no room
  output slot_rec_t           rec_o,
  output logic                foreign_o, // the place, when this has been done
  output logic                needed_o,
  output slot_result_t        result_o,
  // The record for the operation just behind: `rec_o` if that is on the same slot (`forward_i`),
  // else `other_i`.
  input  logic                forward_i,
  input  slot_rec_t           other_i,
  output slot_rec_t           next_o
);

  logic is_decide, is_commit, is_take, is_free, is_flush;
  assign is_decide = |(op_i.op & SlotDecide) && op_i.touch;
  assign is_commit = |(op_i.op & SlotCommit);
  assign is_take   = |(op_i.op & SlotTake);
  assign is_free   = |(op_i.op & SlotFree);
  assign is_flush  = |(op_i.op & SlotFlush);

  logic accepted, owing, newer, lost;
  // Who knows what a lost record held, or what is on its way: only a flush makes anything of it.
  assign lost     = Ecc != 0 && rec_i.lost;
  assign accepted = |(rec_i.accepted & rank_i);
  assign owing    = |rec_i.owed;
  assign newer    = !rel_i.same_tag && !rel_i.older;

  // In a tree: the parent, and whether this packet is its result. A column waits for all ranks but
  // this one, so its place in `port` is free: bit 0 says that a notification is due.
  localparam logic [MaxRanks-1:0] Parent = (Uplink != 0) ? MaxRanks'(1) << (NumRanks - 1) : '0;
  logic of_parent, note_due, up, below, above;
  assign below     = Uplink != 0 && rec_i.parent;
  assign above     = Devices != 0 && rec_i.devices;
  assign of_parent = |(rank_i & Parent);
  assign note_due  = below && !above && rec_i.port[NumRanks-1][0];
  assign up        = |(rec_i.owed & Parent);   // goes first

  // Decide. A record without any rank starts anew also for its own tag, so type and length come
  // from this packet; so does one whose packets another column of the pair has been let over. Not
  // while the other slot needs the place in the banks.
  logic  over, begins, barred, restart, join_column;
  fate_e fate;
  assign over    = foreign_i && !rec_i.complete;
  assign begins  = !rec_i.valid || (rel_i.same_tag && (rec_i.empty || over)) ||
      (newer && (rec_i.empty || over || rec_i.complete));
  assign barred  = foreign_i && needed_i;
  assign restart = is_decide && !of_parent && !lost && !barred && begins;
  assign join_column = is_decide && !of_parent && rec_i.valid && rel_i.same_tag && !rec_i.empty &&
      !foreign_i && rel_i.same_kind && rel_i.same_len && !accepted;

  always_comb begin
    fate = FateStored;
    if (!op_i.touch) fate = op_i.fate;
    else if (lost) fate = FateMemoryError;
    else if (of_parent) begin
      if (!rec_i.valid || !rel_i.same_tag || !rec_i.complete) fate = FateStale;
      else if (!rel_i.same_kind) fate = FateTypeMismatch;
      else if (!rel_i.same_len) fate = FateLengthMismatch;
    end
    else if (begins && barred) fate = FateWindowViolation;
    else if (!rec_i.valid) fate = FateStored;
    else if (rel_i.older) fate = FateStale;
    else if (!rel_i.same_tag) begin
      if (!rec_i.empty && !rec_i.complete && !over) fate = FateWindowViolation;
    end else if (!rec_i.empty && !over) begin
      if (!rel_i.same_kind) fate = FateTypeMismatch;
      else if (!rel_i.same_len) fate = FateLengthMismatch;
      else if (accepted) fate = FateDuplicate;
    end
  end

  // Commit, of one rank or of several: as if one came after the other. One whose column is gone
  // does nothing.
  logic                hit, store, completes, again, passes;
  logic [MaxRanks-1:0] hits, still_missing;
  assign hits          = (is_commit && rec_i.valid && rel_i.same_tag) ?
      rec_i.accepted & rank_i : '0;
  assign hit           = hits != '0;
  assign passes        = is_commit && of_parent && rec_i.valid && rel_i.same_tag &&
      rec_i.complete;
  assign still_missing = rec_i.missing & ~(rank_i & rec_i.accepted);
  assign store         = hit && op_i.first;
  assign completes     = store && !rec_i.complete && still_missing == '0;
  assign again         = hit && !op_i.first && rec_i.complete;

  // Take. Of several owed ranks behind one port the lowest goes, so the ports needed are those of
  // all owed ranks.
  logic [MaxRanks-1:0] due, pick, stuck;
  logic                done;
  assign due = up ? Parent : rec_i.owed;
  always_comb begin
    pick  = '0;
    stuck = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      pick[r]  = due[r];
      stuck[r] = due[r] && blocked_i[r];
      for (int unsigned lower = 0; lower < r; lower++) begin
        if (due[lower] && rec_i.port[lower] == rec_i.port[r]) pick[r] = 1'b0;
      end
    end
    // The last port leads to the parent.
    if (up) stuck = op_i.port_ready[NumPorts-1] ? '0 : Parent;
  end
  assign done = is_take && owing && stuck == '0;

  // Free: for a message that is one window ahead, so an equal or newer tag stays.
  logic empties;
  assign empties = is_free && rec_i.valid && newer;

  // Dues of a column end with it. Its job cannot be taken out of the queue: it is remembered as a
  // stray, which serves for the slot's next dues, or is found without any.
  logic clear;
  assign clear = restart || empties || is_flush;

  always_comb begin
    rec_o = rec_i;

    if (clear || is_take) rec_o.stray = clear && (rec_i.stray || owing);
    if (clear) begin
      rec_o.owed          = '0;
      rec_o.complete      = 1'b0;
      rec_o.first_pending = 1'b0;
      rec_o.held          = 1'b0;
      rec_o.answered      = 1'b0;
      rec_o.accepted      = '0;
      rec_o.missing       = '0;
      rec_o.empty         = 1'b1;
    end
    if (is_flush) rec_o.valid = 1'b0;
    if (lost) rec_o.empty = 1'b1;   // it holds packets no more
    if (restart || empties) rec_o.tag = op_i.msgid;

    if (restart) begin
      rec_o.valid       = 1'b1;
      rec_o.empty       = 1'b0;
      rec_o.held        = 1'b1;
      rec_o.accepted    = rank_i;
      rec_o.missing     = ranks_i;
      rec_o.kind        = op_i.kind;
      rec_o.tensor_len  = op_i.tensor_len;
      rec_o.workers     = op_i.workers;
      rec_o.window_log2 = op_i.window_log2;
      rec_o.ring        = op_i.ring;
      rec_o.offset      = op_i.offset;
      rec_o.parent      = op_i.parent;
      rec_o.devices     = op_i.devices;
      rec_o.ends        = op_i.ends;
    end
    if (join_column) begin
      rec_o.accepted = rec_i.accepted | rank_i;
      rec_o.ends     = rec_i.ends || op_i.ends;
    end

    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (hits[r]) rec_o.port[r] = port_i[r];
    end
    if (store) rec_o.missing = still_missing;
    if (completes) begin
      rec_o.complete      = 1'b1;
      rec_o.first_pending = !below;
      rec_o.owed          = below ? Parent : rec_i.accepted;
    end
    if (again) begin
      if (below) rec_o.owed = rec_i.owed | Parent;
      else rec_o.owed = above ? rec_i.accepted : (rec_i.owed | hits);
    end
    if (passes) begin
      rec_o.first_pending = 1'b1;
      rec_o.answered      = 1'b1;
      rec_o.owed          = rec_i.owed | rec_i.accepted;
    end
    if (below && !above && (completes || again)) begin
      rec_o.port[NumRanks-1] = PortW'(rec_i.ends);
    end

    if (done && up && note_due) begin
      rec_o.port[NumRanks-1] = '0;
    end else if (done) begin
      rec_o.owed = rec_i.owed & ~pick;
      if (!up) rec_o.first_pending = 1'b0;
      rec_o.held = 1'b0;   // whatever is taken first reads the sum
    end

    // The place in the banks. A lost column's packets are nobody's.
    foreign_o = foreign_i && !restart;
    needed_o  = needed_i;
    if (!foreign_i) begin
      if (store && !rec_i.complete) begin
        needed_o = still_missing == '0 || |(rec_i.accepted & still_missing);
      end
      if (join_column) needed_o = 1'b1;
      if (clear || lost || (done && !(up && note_due))) needed_o = 1'b0;
    end
    if (restart) needed_o = 1'b1;

    // What a configuration lacks costs no flops.
    rec_o.lost = lost && !is_flush;
    if (Uplink == 0) {rec_o.parent, rec_o.answered, rec_o.ends} = '0;
    if (Devices == 0) rec_o.devices = 1'b0;
    for (int unsigned r = NumRanks; r < MaxRanks; r++) begin
      rec_o.accepted[r] = 1'b0;
      rec_o.missing[r]  = 1'b0;
      rec_o.owed[r]     = 1'b0;
      rec_o.port[r]     = '0;
    end
  end

  always_comb begin
    next_o = forward_i ? rec_o : other_i;
    if (Ecc == 0) next_o.lost = 1'b0;
  end

  always_comb begin
    result_o            = '0;
    result_o.fate       = fate;
    result_o.restart    = restart;
    result_o.set_tag    = restart || empties;
    result_o.moves      = hits;
    result_o.completes  = completes;
    // A complete column with a stray job has dues.
    result_o.push_first = (completes && !rec_i.stray) || (passes && !rec_i.answered && !owing);
    result_o.push_again = (again || (passes && rec_i.answered)) && !owing;
    result_o.take       = done ? TakeDone : (owing ? TakeBlocked : TakeGone);
    result_o.ranks      = pick;
    result_o.first_take = done && !up && rec_i.first_pending;
    result_o.sum        = rec_i.held;
    result_o.note       = done && up && note_due;
  end

endmodule
