// agg_job_lists, cycle by cycle and from any state: which list is chosen when, what is shown of it,
// and how its head comes and goes, whatever is pushed, begun and blocked. (agg_job_lists_props has
// the lists as queues, with jobs as slot state gives them, and whom room is withheld from.) One
// list is followed.
module list_steps_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumSlots = 3,
  localparam int unsigned Lists = 2 * NumRings,
  localparam int unsigned ListW = $clog2(Lists)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                first_i,
  input logic                again_i,
  input logic                left_i,
  input logic                ended_i,
  input logic                ring_i,
  input logic [1:0]          slot_i,
  input logic                start_i,
  input logic                blocked_i,
  input logic [NumPorts-1:0] needs_i,
  input logic [NumPorts-1:0] ready_i,
  input logic [NumPorts-1:0] stopped_i,
  input logic                flushed_i,
  input logic                flushed_ring_i,
  input logic [ListW-1:0]    list_i   // any
);

  job_t             job;
  logic             valid, none;
  logic [SlotW-1:0] slot;
  assign job = '{first: first_i, again: again_i, ended: ended_i, ring: RingW'(ring_i),
                 slot: SlotW'(slot_i)};

  agg_job_lists #(
    .NumPorts(NumPorts),
    .NumRings(NumRings),
    .NumSlots(NumSlots)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i         (job),
    .left_i,
    .none_o        (none),
    .valid_o       (valid),
    .slot_o        (slot),
    .start_i,
    .blocked_i,
    .needs_i,
    .ready_i,
    .stopped_i,
    .withheld_o    (),
    .flushed_i,
    .flushed_ring_i(RingW'(flushed_ring_i))
  );

  // The followed list: whose it is.
  logic             past_q;
  logic [ListW-1:0] list_q, l;
  logic             ring, of_again;
  initial past_q = 1'b0;
  assign l        = past_q ? list_q : list_i;
  assign of_again = l[1];
  assign ring     = l[0];

  // Now, and a cycle ago: what came, and what stood in the module.
  typedef struct packed {
    logic             job;       // one came, for whatever list
    logic             shown;     // it may be taken in its own cycle
    logic             comes;     // it is for the followed list
    logic             its;       // the list that it is for, if any, is the followed one
    logic [1:0]       slot;      // it is of
    logic             ends;      // one ended
    logic             start;
    logic             blocked;
    logic [Lists-1:0] some;      // these lists have jobs
    logic [Lists-1:0] waits;     // and are not passed over
    logic             one;       // the followed one has one job at most
    logic [1:0]       head;
    logic [1:0]       tail;
    logic             turn;      // a list's turn has come
    logic [Lists-1:0] whose;
    logic             chosen;    // its head is shown
    logic [Lists-1:0] from;
    logic [1:0]       chosen_slot;
    logic             chosen_l;  // it is the followed one
    logic             taken;     // a take was begun; of a list; its next head is read, and comes
    logic             listed;
    logic             reads;
    logic             loads;
    logic [1:0]       read;
    logic             ours;      // the take is of the followed list
    logic [1:0]       take;
    logic             ended;
    logic [3:0]       row;       // first results in front of a repetition that waits
  } state_t;
  state_t now, was_q;
  assign now = '{
    job: first_i || again_i || left_i, shown: first_i || again_i,
    comes: ring_i == ring && (of_again ? again_i : first_i || (left_i && !again_i)),
    its: ring_i == ring && again_i == of_again, slot: slot_i,
    ends: ended_i, start: start_i, blocked: blocked_i, some: u_dut.some_q,
    waits: u_dut.some_q & ~u_dut.blocked_q, one: u_dut.head_q[l] == u_dut.tail_q[l],
    head: u_dut.head_q[l], tail: u_dut.tail_q[l], turn: u_dut.turn_valid_q, whose: u_dut.turn_q,
    chosen: u_dut.chosen_q, from: u_dut.chosen_hot_q, chosen_slot: u_dut.chosen_slot_q,
    chosen_l: u_dut.chosen_list_q == l,
    taken: u_dut.started_q, listed: u_dut.listed_q, reads: u_dut.fetch_q, loads: u_dut.loading_q,
    read: u_dut.fetched, ours: u_dut.current_q == l, take: u_dut.current_slot_q,
    ended: u_dut.ended_q, row: u_dut.in_row_q
  };

  logic current_turn, current_from, note_q, none_q, reset_q;
  // A cycle ago: of the take's list, whether it had jobs; of the followed one, whether it had one
  // only, and whether one had come, in the cycle before.
  logic current_some_q, single_q, pushed_q;
  always_ff @(posedge clk_i) begin
    current_some_q <= u_dut.some_q[u_dut.current_q];
    single_q       <= was_q.one;
    pushed_q       <= was_q.comes && rst_ni && !reset_q;
  end

  // Nobody is chosen, and all lists are whole: a choice is made in this cycle.
  logic chooses, firsts, agains, last_turn, back, direct;
  assign chooses   = !(was_q.turn || was_q.chosen || was_q.taken || was_q.reads || was_q.loads);
  assign firsts    = was_q.waits[NumRings-1:0] != '0;
  assign agains    = was_q.waits[Lists-1:NumRings] != '0;
  assign last_turn = was_q.row == 4'd8;   // repetitions have let as many first results go
  // A job that came while no list had any, nor had one come in the cycle before.
  assign direct    = was_q.shown && none_q;
  // The job that goes back is of the list whose head is shown, or about to be.
  assign back = ((was_q.blocked || note_q) && was_q.turn && current_turn) ||
      (was_q.blocked && was_q.chosen && current_from);

  // Which ring's turn was last: of first results, of repetitions. Reset makes it the last one's.
  logic [1:0] last_q, last_d;
  logic       choice_again;
  assign choice_again = now.whose[Lists-1:NumRings] != '0;
  always_comb begin
    last_d = last_q;
    if (!reset_q && chooses && now.turn) last_d[choice_again] = now.whose[1] || now.whose[3];
    if (reset_q) last_d = 2'b11;
  end

  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    list_q       <= l;
    was_q        <= now;
    reset_q      <= !rst_ni;
    none_q       <= none;
    note_q       <= u_dut.note_q;
    current_turn <= u_dut.turn_q[u_dut.current_q];
    current_from <= u_dut.chosen_list_q == u_dut.current_q;
    last_q       <= last_d;
    // The first cycle is one of reset.
    e_reset : assume (past_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // In reset all lists become empty, and no take is under way.
      a_reset : assert (!reset_q || ({now.some, now.turn, now.chosen, now.taken, now.reads,
                        now.loads, none, now.row} == '0 && now.ended))
      else $error("some %b", now.some);
      // What is shown is the chosen list's head, or a job as it comes while there is no other.
      a_shown : assert (valid == (now.chosen || (now.shown && none)) &&
          (!valid || slot == SlotW'(now.chosen ? now.chosen_slot : now.slot)))
      else $error("slot %0d", slot);
      // Nothing is said to be there if no list had a job, and none came or went back.
      a_none : assert (reset_q || none == !(was_q.some != '0 || was_q.job || was_q.blocked))
      else $error("none %b", none);

      // A choice is made at once when it can be, if a list waits that is not passed over; the turn
      // is shown in the cycle after, and is over.
      a_turn : assert (reset_q || now.turn == (chooses && (firsts || agains)))
      else $error("turn of %b", now.whose);
      // It is the turn of one list that waited.
      a_one : assert (reset_q || !now.turn || ($onehot(now.whose) &&
                      (now.whose & ~was_q.waits) == '0))
      else $error("turn of %b", now.whose);
      // First results go before repetitions; but of these, one that waits lets eight go.
      a_kind : assert (reset_q || !now.turn || choice_again == (agains && (!firsts || last_turn)))
      else $error("turn of %b after %0d", now.whose, was_q.row);
      a_row : assert (reset_q || now.row == (!chooses ? was_q.row :
          (now.turn && choice_again) ? 4'd0 : was_q.row + 4'(agains)))
      else $error("%0d in a row", now.row);
      // Of each kind it is the turn of the ring whose turn was not last, if that waits.
      a_ring : assert (reset_q || !now.turn || !was_q.waits[{choice_again, !last_q[choice_again]}]
                       || now.whose[{choice_again, !last_q[choice_again]}])
      else $error("turn of %b", now.whose);
      // The order of the arbiters is that (helps the proof).
      a_firsts : assert (reset_q || u_dut.u_firsts.before_q ==
                         {1'b0, last_d[0], !last_d[0], 1'b0})
      else $error("%b", u_dut.u_firsts.before_q);
      a_agains : assert (reset_q || u_dut.u_agains.before_q ==
                         {1'b0, last_d[1], !last_d[1], 1'b0})
      else $error("%b", u_dut.u_agains.before_q);

      // A list whose turn it is is chosen, until a take is begun; not one that a job goes back to.
      a_chosen : assert (reset_q || now.chosen == (!back &&
                         (was_q.turn || (was_q.chosen && !was_q.start))))
      else $error("chosen %b", now.from);
      a_from : assert ((now.from == (was_q.turn ? was_q.whose : was_q.from)) &&
          (!was_q.turn || was_q.whose != Lists'(1) << l ||
           (now.chosen_slot == was_q.head && now.chosen_l)) && (was_q.turn ||
          {now.chosen_slot, now.chosen_l} == {was_q.chosen_slot, was_q.chosen_l}))
      else $error("chosen %b", now.from);

      // A take that is begun is of the list that was chosen, or of the one that the job came for.
      a_take : assert (reset_q || (now.taken == was_q.start && (was_q.start ?
          now.listed == was_q.chosen &&
          now.take == (was_q.chosen ? was_q.chosen_slot : was_q.slot) &&
          now.ours == (was_q.chosen ? was_q.chosen_l : was_q.its) :
          {now.listed, now.take, now.ours} == {was_q.listed, was_q.take, was_q.ours})))
      else $error("slot %0d", now.take);
      // Its job ends once; one that went back is noted in the cycle after.
      a_ended : assert (reset_q || (now.ended == (!was_q.start && (was_q.ends || was_q.ended)) &&
                                    u_dut.note_q == was_q.blocked))
      else $error("ended %b", now.ended);
      // The next head is read in the cycle after, if the list has more, and comes a cycle later.
      a_reads : assert (reset_q || (now.loads == was_q.reads && now.reads ==
          (was_q.taken && was_q.listed && current_some_q)))
      else $error("reads %b", now.reads);
      // A list has jobs from the cycle after one came, which was not taken at once, or went back;
      // until its only one is taken, and none had come meanwhile.
      a_some : assert (reset_q || now.some[l] == ((was_q.comes && !(direct && was_q.start)) ||
          (was_q.blocked && was_q.ours) || (was_q.some[l] && !(was_q.start && was_q.chosen &&
          was_q.from[l] && single_q && !pushed_q))))
      else $error("list %0d", l);
      // Its head is the job that went back; else one that came while it was empty; else the one
      // that was read behind its last head; else it stays. Its tail is what came last.
      a_head : assert (now.head == ((was_q.blocked && was_q.ours) ? was_q.take :
          (was_q.comes && !was_q.some[l]) ? was_q.slot :
          (was_q.loads && was_q.ours) ? was_q.read : was_q.head))
      else $error("head %0d", now.head);
      a_tail : assert (now.tail == (was_q.comes ? was_q.slot : was_q.tail))
      else $error("tail %0d", now.tail);

      // A second first result goes before a repetition; a job goes back to the chosen list.
      c_second : cover (now.turn && now.row == 4'd2);
      c_back : cover (!now.chosen && back && !reset_q);
    end
  end

endmodule
