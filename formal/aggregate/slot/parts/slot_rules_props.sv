// agg_slot_update: what each operation makes of any record, said for each kind of operation apart,
// as docs/protocol.md (section "Slot") and docs/relay.md do. (agg_slot_update_props follows a slot
// through many operations, and says what its users may rely on.)
module slot_rules_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned Devices = 1,
  parameter int unsigned Uplink = 1,
  parameter int unsigned Ecc = 1
) (
  input logic                           clk_i,
  input slot_op_t                       op_i,
  input logic [MaxRanks-1:0]            rank_i,
  input logic [MaxRanks-1:0][PortW-1:0] port_i,
  input logic [MaxRanks-1:0]            ranks_i,
  input slot_rec_t                      rec_i,
  input logic                           foreign_i,
  input logic                           needed_i,
  input slot_rel_t                      rel_i,
  input logic [MaxRanks-1:0]            blocked_i,
  input logic                           forward_i,
  input slot_rec_t                      other_i
);

  slot_rec_t    rec, next;
  slot_result_t result;
  logic         foreign, needed;

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Devices (Devices),
    .Uplink  (Uplink),
    .Ecc     (Ecc)
  ) u_dut (
    .op_i,
    .rank_i,
    .port_i,
    .ranks_i,
    .rec_i,
    .foreign_i,
    .needed_i,
    .rel_i,
    .blocked_i,
    .rec_o    (rec),
    .foreign_o(foreign),
    .needed_o (needed),
    .result_o (result),
    .forward_i,
    .other_i,
    .next_o   (next)
  );

  // Ranks of a record by what they have done: a worker's packet is in the column, is not in its
  // bank yet, is owed a result. And whether this packet, or one of these, is such a rank's.
  localparam int unsigned Last = NumRanks - 1;   // below a parent the parent's
  logic [NumRanks-1:0] accepted, missing, owed, its, joins, left;
  logic                its_accepted, any_owed, any_joins, all_there, some_on_way;
  assign accepted = rec_i.accepted[NumRanks-1:0];
  assign missing  = rec_i.missing[NumRanks-1:0];
  assign owed     = rec_i.owed[NumRanks-1:0];
  assign its      = rank_i[NumRanks-1:0];
  always_comb begin
    {its_accepted, any_owed, any_joins, all_there, some_on_way} = 5'b00010;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (its[r] && accepted[r]) its_accepted = 1'b1;
      if (owed[r]) any_owed = 1'b1;
      joins[r] = rec_i.valid && rel_i.same_tag && its[r] && accepted[r];
      if (joins[r]) any_joins = 1'b1;
      left[r] = missing[r] ? !joins[r] : 1'b0;
      if (left[r]) all_there = 1'b0;
      if (left[r] && accepted[r]) some_on_way = 1'b1;
    end
  end

  // What records and operations are: of ranks that there are; nobody waits for the parent's packet;
  // a lost record has no message; a packet is the record's or older, not both; commits join in no
  // tree.
  logic sane;
  assign sane = $onehot(op_i.op) && (op_i.op == SlotDecide || op_i.touch) &&
      {rec_i.accepted, rec_i.missing, rec_i.owed, rank_i, ranks_i} ==
      {MaxRanks'(accepted), MaxRanks'(missing), MaxRanks'(owed), MaxRanks'(its),
       MaxRanks'(ranks_i[NumRanks-1:0])} &&
      (rec_i.port >> (NumRanks * PortW)) == '0 && !(rel_i.same_tag && rel_i.older) &&
      (Ecc != 0 ? !(rec_i.lost && rec_i.valid) : !rec_i.lost) &&
      (Uplink == 0 || ($onehot(its) && !accepted[Last])) &&
      (Uplink != 0 || {rec_i.parent, rec_i.answered, rec_i.ends} == '0) &&
      (Devices != 0 || !rec_i.devices) && (op_i.op != SlotDecide || $onehot(its));

  logic lost, below, above, parents, over, anew;
  assign lost    = Ecc == 1 && rec_i.lost;
  assign below   = Uplink == 1 && rec_i.parent;     // the ring has a parent
  assign above   = Devices == 1 && rec_i.devices;   // its children are devices
  assign parents = Uplink == 1 && its[Last];        // the packet is the parent's result
  // The other slot of the pair has begun a column in their place, and this one was not complete.
  assign over    = foreign_i ? !rec_i.complete : 1'b0;
  // A packet begins a column where none is, or where its message's has no packets that count, or
  // in the place of an older message's that is complete or has none.
  always_comb begin
    anew = 1'b0;
    if (!rec_i.valid) anew = 1'b1;
    else if (rel_i.same_tag) anew = over ? 1'b1 : rec_i.empty;
    else if (!rel_i.older) anew = (over || rec_i.complete) ? 1'b1 : rec_i.empty;
  end

  // The fate of a packet that look-up leaves to slot state.
  fate_e fate;
  always_comb begin
    fate = FateStored;
    if (parents) begin
      // The parent's result is of a complete column, of its message, kind and length.
      if (!(rec_i.valid && rel_i.same_tag && rec_i.complete)) fate = FateStale;
      else if (!rel_i.same_kind) fate = FateTypeMismatch;
      else if (!rel_i.same_len) fate = FateLengthMismatch;
    end else if (anew) begin
      // A column may not begin while the other slot needs their place.
      if (foreign_i && needed_i) fate = FateWindowViolation;
    end else if (rel_i.same_tag) begin
      // Kind and length are those of the column's first packet, and a rank counts once.
      if (its_accepted) fate = FateDuplicate;
      if (!rel_i.same_len) fate = FateLengthMismatch;
      if (!rel_i.same_kind) fate = FateTypeMismatch;
    end else begin
      // An older message's packet is late; a newer one's is too early.
      fate = rel_i.older ? FateStale : FateWindowViolation;
    end
    if (lost) fate = FateMemoryError;
  end

  // A record without its column: its job, if one is out, is a stray.
  slot_rec_t cleared;
  always_comb begin
    cleared = rec_i;
    {cleared.complete, cleared.first_pending, cleared.held, cleared.answered} = '0;
    {cleared.accepted, cleared.missing, cleared.owed} = '0;
    cleared.empty = 1'b1;
    cleared.stray = rec_i.stray ? 1'b1 : any_owed;
  end

  // Dues of a take: the parent's go first and alone; of ranks behind one port the lowest goes.
  logic [NumRanks-1:0] wants, goes;
  logic                to_parent, roomy, note, done;
  assign to_parent = Uplink == 1 && owed[Last];
  assign note      = to_parent && below && !above && rec_i.port[Last][0];
  always_comb begin
    wants = to_parent ? NumRanks'(1) << Last : owed;
    roomy = 1'b1;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      goes[r] = wants[r];
      if (wants[r] && blocked_i[r] && !to_parent) roomy = 1'b0;
      for (int unsigned s = 0; s < r; s++) begin
        if (wants[s] && rec_i.port[s] == rec_i.port[r]) goes[r] = 1'b0;
      end
    end
    if (to_parent) roomy = op_i.port_ready[NumPorts-1];
    done = op_i.op == SlotTake && any_owed && roomy;
  end

  // The record behind each kind of operation.
  slot_rec_t due;
  logic      begins, joined, first, completes, again, result_came, frees;
  always_comb begin
    due = rec_i;
    {begins, joined, first, completes, again, result_came, frees} = '0;
    unique case (op_i.op)
      SlotDecide: if (op_i.touch) begin
        begins = fate == FateStored && !parents && anew;
        joined = fate == FateStored && !parents && !anew && !foreign_i;
        if (begins) begin
          due            = cleared;
          due.valid      = 1'b1;
          due.empty      = 1'b0;
          due.held       = 1'b1;
          due.accepted   = rank_i;
          due.missing    = ranks_i;
          {due.tag, due.kind, due.tensor_len, due.workers, due.window_log2, due.ring, due.offset} =
              {op_i.msgid, op_i.kind, op_i.tensor_len, op_i.workers, op_i.window_log2, op_i.ring,
               op_i.offset};
          {due.parent, due.ends} = (Uplink == 1) ? {op_i.parent, op_i.ends} : 2'b00;
          due.devices = Devices == 1 && op_i.devices;
        end
        for (int unsigned r = 0; r < NumRanks; r++) begin
          if (joined && its[r]) due.accepted[r] = 1'b1;
        end
        if (joined && op_i.ends && Uplink == 1) due.ends = 1'b1;
      end
      SlotCommit: begin
        // A packet that counts comes first, or again; the last one completes its column.
        first       = op_i.first && any_joins;
        completes   = first && all_there && !rec_i.complete;
        again       = !op_i.first && any_joins && rec_i.complete;
        result_came = parents && rec_i.valid && rel_i.same_tag && rec_i.complete;
        if (first) due.missing = MaxRanks'(left);
        for (int unsigned r = 0; r < NumRanks; r++) if (joins[r]) due.port[r] = port_i[r];
        if (completes) begin
          // Results are due to all, or what goes to the parent.
          due.complete      = 1'b1;
          due.first_pending = !below;
          due.owed          = below ? MaxRanks'(1) << Last : rec_i.accepted;
        end
        if (again) begin
          // To whoever repeats; below a parent once more to that, and to devices all at once.
          if (below) due.owed[Last] = 1'b1;
          else if (above) due.owed = rec_i.accepted;
          else for (int unsigned r = 0; r < NumRanks; r++) if (joins[r]) due.owed[r] = 1'b1;
        end
        if ((completes || again) && below && !above) due.port[Last] = PortW'(rec_i.ends);
        if (result_came) begin
          due.answered      = 1'b1;
          due.first_pending = 1'b1;
          for (int unsigned r = 0; r < NumRanks; r++) if (accepted[r]) due.owed[r] = 1'b1;
        end
      end
      SlotTake: begin
        due.stray = 1'b0;
        if (done && note) due.port[Last] = '0;
        else if (done) begin
          for (int unsigned r = 0; r < NumRanks; r++) if (goes[r]) due.owed[r] = 1'b0;
          if (!to_parent) due.first_pending = 1'b0;
          due.held = 1'b0;
        end
      end
      SlotFree: begin
        // It waits for the message one window ahead, unless it has that or a newer one already.
        frees = rec_i.valid && !rel_i.same_tag && !rel_i.older;
        if (frees) due = cleared;
        if (frees) due.tag = op_i.msgid;
      end
      default: begin
        due       = cleared;
        due.valid = 1'b0;
      end
    endcase
    if (lost) due.empty = 1'b1;
    due.lost = lost && op_i.op != SlotFlush;
  end

  // The record of an operation on another slot.
  slot_rec_t other;
  always_comb begin
    other = other_i;
    if (Ecc == 0) other.lost = 1'b0;
  end

  // Whether the place is needed, where it is this slot's: from a packet that is stored to the take
  // that reads the sum, but while all that are decided are in their banks and the column is not
  // complete.
  logic need;
  always_comb begin
    need = needed_i;
    if (first && !rec_i.complete) need = all_there || some_on_way;
    if (joined) need = 1'b1;
    if ((done && !note) || frees || op_i.op == SlotFlush || lost) need = 1'b0;
    if (foreign_i) need = needed_i;
    if (begins) need = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (sane) begin
      // A packet's fate is that of the rules; what look-up has decided stays.
      a_fate : assert (op_i.op != SlotDecide || result.fate == (op_i.touch ? fate : op_i.fate))
      else $error("fate %0d", result.fate);
      // Each bit of the record is what the operation makes of it, or as it was.
      a_record : assert (rec == due)
      else $error("another record behind operation %b", op_i.op);
      // The operation just behind on the slot has that record, any other its own.
      a_behind : assert (!forward_i || next == due)
      else $error("another record is forwarded");
      // Without a code no record is lost.
      a_other : assert (forward_i || next == other)
      else $error("not the other record");
      // The place goes over to the slot whose column begins.
      a_foreign : assert (begins ? !foreign : foreign == foreign_i)
      else $error("foreign %b", foreign);
      // And is needed while packets stand there, or are on their way there, whose sum is not taken.
      a_needed : assert (needed == need)
      else $error("needed %b", needed);
      // What is told of a commit: whose packets count, and whether the column is complete with it.
      a_commit : assert (result.moves == ((op_i.op == SlotCommit) ? MaxRanks'(joins) : '0) &&
                         result.completes == completes)
      else $error("moves %b, completes %b", result.moves, result.completes);
      // A job for first dues, unless a stray is out; for later dues, when none are left of others.
      a_jobs : assert (result.push_first == ((completes && !rec_i.stray) ||
                           (result_came && !rec_i.answered && !any_owed)) &&
                       result.push_again == (!any_owed && (again ||
                           (result_came && rec_i.answered))))
      else $error("first %b, again %b", result.push_first, result.push_again);
      // The tag is the operation's where a column begins or is waited for.
      a_tag : assert (result.restart == begins && result.set_tag == (begins || frees))
      else $error("restart %b, tag %b", result.restart, result.set_tag);
      // A take finds nothing owed, or ports without room, or is done.
      a_take : assert (op_i.op != SlotTake || result.take == (done ? TakeDone :
                       any_owed ? TakeBlocked : TakeGone))
      else $error("take %0d", result.take);
      // Then it is for those ranks; it reads the packets if nobody has taken their sum.
      a_ranks : assert (!done || (result.ranks == MaxRanks'(goes) && result.sum == rec_i.held))
      else $error("ranks %b", result.ranks);
      // The first results of a column free the other slot of the pair, and the parent's are none; a
      // notification goes in front of what is due to the parent.
      a_first : assert (result.first_take == (done && !to_parent && rec_i.first_pending) &&
                        result.note == (done && note))
      else $error("first %b, note %b", result.first_take, result.note);

      // The column's last packet; a result that has a job out; two ranks behind one port.
      c_completes : cover (completes && rec_i.stray);
      c_duplicate : cover (op_i.op == SlotDecide && op_i.touch && fate == FateDuplicate);
      c_shared : cover (done && goes != owed && !to_parent);
    end
  end

endmodule
