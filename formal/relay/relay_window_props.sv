// A ring's window in a device below a parent (docs/relay.md), and how a tree is made of such
// devices: children that keep to the window make a device that keeps to it, whatever is below them
// and above it. So depth is an induction: hosts keep to the window, and each level does if the one
// below does.
//
// What is assumed of a child is what is shown of the device towards its parent: who sends message m
// holds every result up to m - N. What is assumed of the parent is what is shown of the device
// towards its children: it gives the result of a message only to who has sent its part. To hold a
// result is, for a device, that its parent's has passed here.
//
// As in weir_window: the rules of a record are those of the RTL, for the slots of one offset,
// through any order of decisions, commits and takes; packets and results may be lost, repeated,
// late, and overtake each other. MsgIDs slide round 2^32. N is 1: message m has slot m mod 2.
module relay_window_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// The parent is the last rank, behind its children.
  parameter int unsigned NumRanks = 3,
  /// 1: the children are devices too.
  parameter int unsigned Devices = 0,
  localparam int unsigned Children = NumRanks - 1,
  localparam int unsigned WindowLog2 = 0,
  localparam int unsigned Window = 2 ** WindowLog2,
  localparam int unsigned NumSlots = 2 * Window,
  localparam int unsigned AddrW = WindowLog2 + 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  // An operation, or none.
  input logic                valid_i,
  input slot_op_t            op_i,
  // Children that are now given the oldest result that they lack, if it was sent to them.
  input logic [Children-1:0] hold_i,
  // In the first cycle: the first message's MsgID.
  input logic         [31:0] base_i
);

  localparam int unsigned NumPorts = 2;
  // So late a packet may be, in messages; MsgIDs further apart have no order.
  localparam logic [31:0] Late = 32'h8000_0000 - 32'(4 * Window);

  /// MsgID `a` is `b` or comes behind it.
  function automatic logic reaches(logic [31:0] a, logic [31:0] b);
    logic [31:0] ahead;
    ahead   = a - b;
    reaches = !ahead[31];
  endfunction

  logic         started_q;
  logic [31:0]  base_q;
  initial started_q = 1'b0;

  // ---------------------------------------------------------------------------------------------
  // Records, and the free that follows a first take before anything else does.

  slot_rec_t [NumSlots-1:0] rec_q;
  slot_place_t [Window-1:0] place_q;   // of each pair, of slots N apart
  slot_place_t              place;
  logic                     foreign, foreign_next, needed_next;
  slot_rec_t                rec, old;
  slot_rel_t                rel;
  slot_result_t             result;
  logic [MaxRanks-1:0]      rank, blocked;
  logic                     free_q, go;
  logic         [AddrW-1:0] free_slot_q, slot;
  logic              [31:0] free_msgid_q;
  slot_op_t                 op;

  always_comb begin
    op = op_i;
    // Packets go to their message's slot.
    op.slot        = SlotW'(op_i.msgid[AddrW-1:0]);
    op.window_log2 = 3'(WindowLog2);
    op.workers     = (RankW + 1)'(Children);
    op.parent      = 1'b1;
    op.devices     = Devices != 0;
    op.touch       = 1'b1;
    if (free_q) begin
      op.op    = SlotFree;
      op.slot  = SlotW'(free_slot_q);
      op.msgid = free_msgid_q;
    end
    for (int unsigned r = 0; r < MaxRanks; r++) rank[r] = op.rank == RankW'(r) && r < NumRanks;
  end

  assign go   = free_q || valid_i;
  assign slot = op.slot[AddrW-1:0];
  assign old  = rec_q[slot];

  always_comb begin
    place = '0;
    for (int unsigned i = 0; i < Window; i++) begin
      if ((slot & AddrW'(Window - 1)) == AddrW'(i)) place = place_q[i];
    end
  end
  assign foreign = place.second != slot[AddrW-1];
  assign rel  = relate(op.msgid, op.kind, op.tensor_len, old.tag, old.kind, old.tensor_len);

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
    .NumRanks(NumRanks),
    .Devices (Devices),
    .Uplink  (1)
  ) u_dut (
    .op_i     (op),
    .rank_i   (rank),
    .port_i   ({MaxRanks{op.port}}),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (old),
    .foreign_i(foreign),
    .needed_i (place.needed),
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

  localparam logic [MaxRanks-1:0] Parent = MaxRanks'(1) << Children;
  logic decide, take, of_parent, sends, passes;
  assign of_parent = op.rank == RankW'(Children);
  // A sum goes up; the parent's result passes.
  assign sends  = take && result.ranks == Parent && !result.note;
  assign passes = go && op.op == SlotCommit && of_parent && old.valid && old.complete &&
      old.tag == op.msgid;
  assign decide = go && op.op == SlotDecide && !of_parent;
  assign take   = go && op.op == SlotTake && result.take == TakeDone;

  always_ff @(posedge clk_i) begin
    if (go) begin
      rec_q[slot] <= rec;
      for (int unsigned i = 0; i < Window; i++) begin
        if ((slot & AddrW'(Window - 1)) == AddrW'(i)) begin
          place_q[i] <= '{second: foreign_next ^ slot[AddrW-1], needed: needed_next};
        end
      end
    end
    free_q       <= go && result.first_take;
    free_slot_q  <= slot ^ AddrW'(Window);
    free_msgid_q <= old.tag + (32'd1 << old.window_log2);
    if (!rst_ni) begin
      rec_q   <= '0;
      place_q <= '0;
      free_q  <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Children: results held (all of messages below held_q), and which of the next N were sent. The
  // device: all messages below up_q have gone up, and of all below given_q the parent's result has
  // passed.

  logic [Children-1:0][31:0]       held_q;
  logic [Children-1:0][Window-1:0] sent_q;
  logic [Children-1:0]             holds;
  logic [31:0]                     up_q, given_q;

  always_comb begin
    for (int unsigned r = 0; r < Children; r++) holds[r] = hold_i[r] && sent_q[r][0] && !free_q;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) base_q <= base_i;
    if (sends && old.tag == up_q) up_q <= up_q + 32'd1;
    if (passes && old.tag == given_q) given_q <= given_q + 32'd1;
    if (!rst_ni) begin
      up_q    <= started_q ? base_q : base_i;
      given_q <= started_q ? base_q : base_i;
    end
    for (int unsigned r = 0; r < Children; r++) begin
      for (int unsigned i = 0; i < Window; i++) begin
        if (take && !free_q && result.ranks[r] && old.tag == held_q[r] + i) sent_q[r][i] <= 1'b1;
      end
      if (holds[r] && !go) begin
        held_q[r] <= held_q[r] + 32'd1;
        sent_q[r] <= sent_q[r] >> 1;
      end
      if (!rst_ni) begin
        held_q[r] <= started_q ? base_q : base_i;
        sent_q[r] <= '0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  // Some slot has never had a message.
  logic young;
  always_comb begin
    young = 1'b0;
    for (int unsigned s = 0; s < NumSlots; s++) if (!rec_q[s].valid) young = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one. Dropped: a record that nobody wrote.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Decisions, commits and takes, of ranks that there are; a flush is the ring's end, and the
      // next ring's beginning is the reset here. Dropped: a ring that forgets its messages while
      // its hosts go on.
      e_kind : assume (!valid_i || (op_i.op inside {SlotDecide, SlotCommit, SlotTake} &&
          32'(op_i.rank) < NumRanks));
      // A child sends message m only when it holds all results up to m - N, and no packet is half
      // of the serial numbers late. Dropped: a child that runs ahead takes results away from those
      // that still need them.
      e_window : assume (!decide || 32'(held_q[op_i.rank] + Window - 1 - op_i.msgid) < Late);
      // Nobody sends a message from before the ring's first, as long as a slot is left that had
      // none. Dropped: it takes the place of the first.
      e_first : assume (!decide || !young || reaches(op_i.msgid, base_q));
      // The parent gives the result of a message only to who has sent its part, and none that is
      // half of the serial numbers late. Dropped: the slot goes on before its sum has gone up.
      e_parent : assume (!valid_i || op_i.op == SlotTake || !of_parent ||
          32'(up_q - 32'd1 - op_i.msgid) < Late);
    end
  end

  // ---------------------------------------------------------------------------------------------

  localparam int unsigned Pairs = Children * Children;

  logic [NumSlots-1:0] placed, sent_first, kept, taken_whole, used, given;
  logic [Pairs-1:0]    close, together;
  logic [Children-1:0] served, freed, passed;
  logic [NumSlots-1:0] whole, gone_up, over, owner, needs;
  logic [Window-1:0]   told;

  always_comb begin
    served = '1;
    freed  = '1;
    for (int unsigned s = 0; s < NumSlots; s++) begin
      placed[s]      = !rec_q[s].valid || (rec_q[s].tag[AddrW-1:0] == AddrW'(s) &&
          (!young || 32'(rec_q[s].tag - base_q) < 4 * Window));
      // It lacks a part, and its packets' place is that of the message N away.
      owner[s]       = place_q[s%Window].second == (s / Window != 0);
      over[s]        = rec_q[s].valid && !rec_q[s].empty && !rec_q[s].complete && !owner[s];
      // Packets of it are on their way or still to be summed.
      needs[s]       = rec_q[s].held &&
          (rec_q[s].complete || (rec_q[s].accepted & rec_q[s].missing) != '0);
      used[s]        = 1'b1;
      sent_first[s]  = 1'b1;
      kept[s]        = 1'b1;
      given[s]       = 1'b0;
      // A column that has been emitted has freed the slot of the message N before.
      taken_whole[s] = !rec_q[s].valid || !rec_q[s].answered || rec_q[s].first_pending ||
          (free_q && free_slot_q == (AddrW'(s) ^ AddrW'(Window)) &&
           free_msgid_q == rec_q[s].tag + Window) ||
          !rec_q[AddrW'(s)^AddrW'(Window)].valid ||
          reaches(rec_q[AddrW'(s)^AddrW'(Window)].tag, rec_q[s].tag + Window);
      if (!rec_q[s].valid && 32'(up_q - base_q) > 32'(AddrW'(AddrW'(s) - base_q[AddrW-1:0]))) begin
        used[s] = 1'b0;
      end
      for (int unsigned r = 0; r < Children; r++) begin
        if (rec_q[s].valid && rec_q[s].accepted[r] &&
            reaches(rec_q[s].tag, held_q[r] + Window)) begin
          sent_first[s] = 1'b0;
        end
        if (rec_q[s].valid && 32'(rec_q[s].tag + Window - held_q[r]) >= 3 * Window) begin
          kept[s] = 1'b0;
        end
        if (reaches(held_q[r], rec_q[s].tag + 32'd1)) given[s] = rec_q[s].valid;
        for (int unsigned i = 0; i < Window; i++) begin
          if (sent_q[r][i] && rec_q[s].tag == held_q[r] + i) given[s] = rec_q[s].valid;
        end
        if (!rec_q[s].valid &&
            32'(held_q[r] - base_q) > 32'(AddrW'(AddrW'(s) - base_q[AddrW-1:0]))) begin
          used[s] = 1'b0;
        end
        for (int unsigned i = 0; i < Window; i++) begin
          if (!rec_q[s].valid && sent_q[r][i] &&
              AddrW'(held_q[r][AddrW-1:0] + AddrW'(i)) == AddrW'(s)) used[s] = 1'b0;
        end
      end
      given[s] = given[s] && (!rec_q[s].complete || rec_q[s].held);
      // A complete column has a part of each child; what is due to them, and what frees, has come
      // from the parent; its packets are held until it has gone up.
      whole[s] = rec_q[s].empty == (rec_q[s].accepted == '0) || !rec_q[s].valid;
      if (rec_q[s].complete != (rec_q[s].valid && !rec_q[s].empty && rec_q[s].missing == '0) ||
          (!rec_q[s].complete && (rec_q[s].owed != '0 || rec_q[s].first_pending ||
                                  rec_q[s].answered))) whole[s] = 1'b0;
      if (rec_q[s].valid && !rec_q[s].empty && (!rec_q[s].parent ||
          rec_q[s].devices != (Devices != 0) || rec_q[s].workers != (RankW + 1)'(Children) ||
          (rec_q[s].missing | rec_q[s].accepted) != ranks_of((RankW + 1)'(Children)))) begin
        whole[s] = 1'b0;
      end
      if (!rec_q[s].valid && (rec_q[s].accepted != '0 || rec_q[s].missing != '0 ||
          rec_q[s].owed != '0 || rec_q[s].held || rec_q[s].complete)) whole[s] = 1'b0;
      if ((rec_q[s].accepted & ~ranks_of((RankW + 1)'(Children))) != '0 ||
          (rec_q[s].owed & ~Parent & ~rec_q[s].accepted) != '0) whole[s] = 1'b0;
      gone_up[s] = !rec_q[s].valid || (rec_q[s].held == (!rec_q[s].empty &&
          reaches(rec_q[s].tag, up_q)) && (!rec_q[s].held || !rec_q[s].complete ||
          (rec_q[s].owed & Parent) != '0) && (rec_q[s].empty || reaches(up_q, rec_q[s].tag)) &&
          (rec_q[s].complete || reaches(rec_q[s].tag, up_q)) &&
          rec_q[s].answered == (rec_q[s].complete && !reaches(rec_q[s].tag, given_q)) &&
          (((rec_q[s].owed & ~Parent) == '0 && !rec_q[s].first_pending) || rec_q[s].answered));
      if (rec_q[s].valid && !rec_q[s].empty && rec_q[s].window_log2 != 3'(WindowLog2)) begin
        placed[s] = 1'b0;
      end
    end
    for (int unsigned i = 0; i < Window; i++) begin
      told[i] = (needs & ~owner & (NumSlots'(1 << i) | NumSlots'(1 << (i + Window)))) == '0 &&
          place_q[i].needed == ((needs & owner & (NumSlots'(1 << i) |
                                                  NumSlots'(1 << (i + Window)))) != '0);
    end
    for (int unsigned r = 0; r < Children; r++) begin
      for (int unsigned o = 0; o < Children; o++) begin
        close[r*Children+o]    = reaches(held_q[o] + Window, held_q[r]);
        together[r*Children+o] = 1'b1;
        for (int unsigned i = 0; i < Window; i++) begin
          if (sent_q[r][i] && reaches(held_q[r] + i, held_q[o] + Window)) begin
            together[r*Children+o] = 1'b0;
          end
        end
      end
      // A result that was sent has moved the slot of the message N before on to the message N
      // behind.
      for (int unsigned i = 0; i < Window; i++) begin
        logic [AddrW-1:0] next;
        next = held_q[r][AddrW-1:0] + AddrW'(i) + AddrW'(Window);
        if (sent_q[r][i] && rec_q[next].valid &&
            !reaches(rec_q[next].tag, held_q[r] + i + Window) &&
            !(free_q && free_slot_q == next && free_msgid_q == held_q[r] + i + Window)) begin
          freed[r] = 1'b0;
        end
      end
      // Who was sent a result was sent it when the parent's had passed.
      passed[r] = 32'(up_q - held_q[r]) <= Window && 32'(given_q - held_q[r]) <= Window &&
          32'(up_q - given_q) <= Window;
      for (int unsigned i = 0; i < Window; i++) begin
        if (sent_q[r][i] && !reaches(given_q, held_q[r] + i + 32'd1)) passed[r] = 1'b0;
      end
      // Who still lacks the result of the message that leaves its slot.
      if (reaches(old.tag, held_q[r])) served[r] = 1'b0;
    end
  end

  logic tag_changes;
  assign tag_changes = go && old.valid && rec.valid && rec.tag != old.tag;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Towards its parent the device is a child that keeps to the window: it sends message m only
      // when the parent's result of m - N has passed.
      a_sends : assert (!sends || 32'(given_q + Window - 1 - old.tag) < Late);
      // Towards its children it is a parent: it gives a result only when each has sent its part,
      // and when its own parent's has passed.
      a_gives : assert (!take || (result.ranks & ~Parent) == '0 ||
          (old.accepted == ranks_of((RankW + 1)'(Children)) && reaches(given_q, old.tag + 32'd1)));
      // A slot goes on from message m to another one only when every child holds the result of m.
      a_needed : assert (!tag_changes || served == '1);
      // And only when the parent's result of m + N has passed: all that are elsewhere have sent
      // their part of that then, so they hold the result of m too.
      a_everywhere : assert (!tag_changes || reaches(given_q, old.tag + Window + 32'd1))
      else $error("message %0d goes, given %0d", old.tag, given_q);
      // It goes on to message m + 2N, by the free that the first emission of m + N causes.
      a_next : assert (!tag_changes || (op.op == SlotFree && rec.tag == old.tag + 2 * Window));
      // No packet meets an older message in its slot: none is refused as a violation of the window.
      a_no_violation : assert (!decide || result.fate != FateWindowViolation);
      // No column gives way to another message before it is whole.
      a_never_over : assert (over == '0)
      else $error("over %b", over);
      // What a rank still lacks and has sent its part of is still there or still to come: its
      // packet is never stale.
      a_not_stale : assert (!decide || !reaches(op.msgid, held_q[op.rank]) ||
          result.fate != FateStale);
      // Whose packets have a pair's place in the banks, and whether they are needed, is so (helps
      // the proof).
      a_told : assert (told == '1);
      // A slot holds messages of its own place in the window only (helps the proof).
      a_placed : assert (placed == '1);
      // A rank's packet is of a message that it may have sent (helps the proof).
      a_sent : assert (sent_first == '1);
      // No slot is more than a window behind a host, or two ahead of it (helps the proof).
      a_kept : assert (kept == '1);
      // A slot in which nothing was ever put is of a message that nobody was given a result of
      // (helps the proof).
      a_used : assert (used == '1);
      // A column whose result somebody was sent is complete, and holds its packets in the banks no
      // more (helps the proof).
      a_given : assert (given == '0);
      // Hosts are at most a window apart; who was sent a result was sent it because all had sent
      // their part (helps the proof).
      a_close : assert (close == '1 && together == '1);
      // A child was sent what the parent's result had passed for, and that what had gone up (helps
      // the proof).
      a_passed : assert (passed == '1);
      // What a record says of parts, dues and of what has gone up (helps the proof).
      a_records : assert (whole == '1 && gone_up == '1);
      // An emission has freed the slot of the message N before (helps the proof).
      a_freed : assert (taken_whole == '1 && freed == '1);
      // The free under way is that of a complete column whose result has passed (helps the proof).
      a_free : assert (!free_q || (free_msgid_q[AddrW-1:0] == free_slot_q &&
          rec_q[free_slot_q ^ AddrW'(Window)].valid &&
          rec_q[free_slot_q ^ AddrW'(Window)].tag + Window == free_msgid_q &&
          rec_q[free_slot_q ^ AddrW'(Window)].complete &&
          reaches(given_q, free_msgid_q - Window + 32'd1)));
      // The parent's result of the last MsgID of all passes.
      c_round : cover (passes && old.tag == 32'hFFFF_FFFF && old.tag == given_q);
      // A rank is given a result again after another one went on.
      c_late : cover (take && !reaches(old.tag, held_q[0]) && result.ranks[1] &&
                      held_q[1] == old.tag);
    end
  end

endmodule
