// Each job is in its list until its take is begun, in the order in which jobs came, and in front of
// it again if the take was blocked; a list is begun at its head, and a blocked one not before its
// ports had room; whoever may be begun is, in turn; room is not withheld for a list that waits for
// a stopped port.
module agg_job_lists_props
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
  input logic                flushed_ring_i
);

  logic started_q;
  initial started_q = 1'b0;

  job_t                job;
  logic                valid, push, direct;
  logic [ListW-1:0]    list, push_list;
  logic [SlotW-1:0]    slot;
  logic [NumPorts-1:0] withheld;

  assign job       = '{first: first_i, again: again_i, ended: ended_i, ring: RingW'(ring_i),
                       slot: SlotW'(slot_i)};
  assign push      = first_i || again_i || left_i;
  assign push_list = again_i ? ListW'(NumRings) + ListW'(ring_i) : ListW'(ring_i);

  // A job that no list has seen.
  assign direct = !u_dut.chosen_q;
  assign list   = direct ? push_list : u_dut.chosen_list_q;

  agg_job_lists #(
    .NumPorts(NumPorts),
    .NumRings(NumRings),
    .NumSlots(NumSlots)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i         (job),
    .left_i,
    .none_o        (),
    .valid_o       (valid),
    .slot_o        (slot),
    .start_i,
    .blocked_i,
    .needs_i,
    .ready_i,
    .stopped_i,
    .withheld_o    (withheld),
    .flushed_i,
    .flushed_ring_i(RingW'(flushed_ring_i))
  );

  // ---------------------------------------------------------------------------------------------
  // The lists as plain queues; the take that is under way.

  logic [Lists-1:0][NumSlots:0][1:0] queue_q, queue_d;
  logic [Lists-1:0][1:0]             count_q, count_d;
  logic [NumSlots-1:0]               job_q;        // slots that have a job
  logic                              taken;        // a take is under way
  logic                              ended;        // its job has ended
  logic [ListW-1:0]                  taken_list_q;
  logic [1:0]                        taken_slot, since;
  logic                              end_right, blocked_right, start_right;

  jobs_handover u_begun (
    .clk_i,
    .rst_ni,
    .job_i    (job),
    .valid_i  (valid),
    .slot_i   (slot),
    .start_i,
    .blocked_i,
    .end_o    (end_right),
    .blocked_o(blocked_right),
    .start_o  (start_right)
  );
  assign taken      = u_begun.taken_q;
  assign ended      = u_begun.ended_q;
  assign taken_slot = u_begun.taken_slot_q[1:0];
  assign since      = u_begun.since_q;

  always_comb begin
    queue_d = queue_q;
    count_d = count_q;
    for (int unsigned l = 0; l < Lists; l++) begin
      if (start_i && !direct && list == ListW'(l)) begin
        for (int unsigned i = 0; i < NumSlots; i++) queue_d[l][i] = queue_q[l][i+1];
        count_d[l] = count_q[l] - 2'd1;
      end
      if (push && push_list == ListW'(l) && !(start_i && direct)) begin
        queue_d[l][count_d[l]] = slot_i;
        count_d[l] = count_d[l] + 2'd1;
      end
      if (blocked_i && taken_list_q == ListW'(l)) begin
        for (int unsigned i = NumSlots; i > 0; i--) queue_d[l][i] = queue_d[l][i-1];
        queue_d[l][0] = taken_slot;
        count_d[l] = count_d[l] + 2'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    queue_q <= queue_d;
    count_q <= count_d;
    if (ended_i) job_q[slot_i] <= 1'b0;
    if (push) job_q[slot_i] <= 1'b1;
    if (start_i) taken_list_q <= list;
    if (!rst_ni) begin
      count_q <= '0;
      job_q   <= '0;
    end
  end

  // Lists that were blocked, and the ports of which they have not seen room yet: in one cycle all
  // of them must have it.
  logic [Lists-1:0]               waits_q;
  logic [Lists-1:0][NumPorts-1:0] needs_q;
  logic                           note_q;
  logic                           spared_q;   // a flush of its ring since the take was begun

  always_ff @(posedge clk_i) begin
    note_q <= blocked_i;
    if (flushed_i && ListW'(flushed_ring_i) == taken_list_q % ListW'(NumRings)) spared_q <= 1'b1;
    if (start_i) spared_q <= 1'b0;
    for (int unsigned l = 0; l < Lists; l++) begin
      if (!(note_q && taken_list_q == ListW'(l)) && (needs_q[l] & ~ready_i) == '0) begin
        waits_q[l] <= 1'b0;
      end
      if (blocked_i && !spared_q && taken_list_q == ListW'(l)) waits_q[l] <= 1'b1;
      if (flushed_i && ListW'(flushed_ring_i) == ListW'(l % NumRings)) waits_q[l] <= 1'b0;
      if (note_q && taken_list_q == ListW'(l)) needs_q[l] <= needs_i;
    end
    if (!rst_ni) begin
      waits_q <= '0;
      note_q  <= 1'b0;
    end
  end

  // A blocked take whose ring was flushed after it had begun; in the cycle after.
  logic after_q;
  always_ff @(posedge clk_i) after_q <= rst_ni && blocked_i && spared_q;

  // Takes of others since ring 0's first results could be begun.
  logic [3:0] others_q;
  logic       could;
  assign could = u_dut.some_q[0] && !u_dut.blocked_q[0];
  always_ff @(posedge clk_i) begin
    if (!could || (start_i && list == '0)) others_q <= '0;
    else if (start_i && others_q != '1) others_q <= others_q + 4'd1;
    if (!rst_ni) others_q <= '0;
  end

  // A cycle ago: the senior, whether it ceased to be, or another list could become it, and whom its
  // ports were withheld from.
  logic                ran_q, senior_q, ceased_q, could_be_q, gone_q;
  logic [ListW-1:0]    senior_at_q, senior_next;
  logic [NumPorts-1:0] wanted, withheld_q;

  assign wanted      = u_dut.needs_q[u_dut.senior_q];
  assign senior_next = (senior_at_q == ListW'(Lists - 1)) ? '0 : senior_at_q + ListW'(1);
  always_ff @(posedge clk_i) begin
    ran_q       <= rst_ni;
    gone_q      <= rst_ni && ended_i;
    senior_q    <= u_dut.senior_valid_q;
    senior_at_q <= u_dut.senior_q;
    ceased_q    <= (gone_q && u_dut.current_q == u_dut.senior_q) || (wanted & stopped_i) != '0;
    could_be_q  <= u_dut.blocked_q[u_dut.senior_q] && (wanted & stopped_i) == '0;
    withheld_q  <= (u_dut.senior_valid_q && u_dut.current_q != u_dut.senior_q) ? wanted : '0;
  end

  // Lists whose ports have had room at once since they were blocked, with none of these withheld
  // for another list; and those of which it has been told once which ports they need.
  logic [Lists-1:0] tried_q, told_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lists; l++) begin
      if (!note_q || taken_list_q != ListW'(l)) begin
        if ((needs_q[l] & ~ready_i) == '0 && (!u_dut.senior_valid_q ||
            u_dut.senior_q == ListW'(l) || (needs_q[l] & wanted) == '0)) tried_q[l] <= 1'b1;
      end else told_q[l] <= 1'b1;
      if (blocked_i && !spared_q && taken_list_q == ListW'(l)) tried_q[l] <= 1'b0;
      if (flushed_i && ListW'(flushed_ring_i) == ListW'(l % NumRings)) tried_q[l] <= 1'b1;
    end
    if (!rst_ni) begin
      tried_q <= '1;
      told_q  <= '0;
    end
  end

  // In the cycle before room was withheld at a port that has stopped.
  logic held_q;
  always_ff @(posedge clk_i) held_q <= rst_ni && (u_dut.withheld & stopped_i) != '0;

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset, and the only one. Dropped: jobs of nobody.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Slot state gives a slot one job at a time, and says one thing a cycle. Dropped: a list runs
      // in a circle.
      e_job : assume ($onehot0({first_i, again_i, ended_i}) && !(left_i && ended_i) &&
          slot_i < 2'(NumSlots) && (!push || !job_q[slot_i]));
      // The job that ends is that of the take under way, which was begun four cycles ago. Dropped:
      // another list's job goes.
      e_end : assume (end_right);
      // A take that was blocked has not ended its job, and is one that was begun. Dropped: a list
      // waits with nothing in it.
      e_blocked : assume (blocked_right);
      // Takes are begun when there is one, and the one before has ended or gone back. Dropped: a
      // job is forgotten.
      e_start : assume (start_right);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is begun is the oldest job of its list, or one that comes while there is no other.
      a_oldest : assert (!valid || (direct ?
          ((first_i || again_i) && slot == SlotW'(slot_i) && count_q == '0) :
          (count_q[list] != '0 && slot == SlotW'(queue_q[list][0]))));
      // A list whose ports had no room since it was blocked is not begun.
      a_waits : assert (!valid || !waits_q[list]);
      // A flush leaves no list of its ring waiting, and no take that was begun before it makes one
      // wait.
      a_flushed : assert (!after_q || !u_dut.blocked_q[taken_list_q]);
      // First results of a ring that may be begun wait for one take of each other ring at most, a
      // repetition's, and one that was chosen before.
      a_turn : assert (32'(others_q) <= NumRings + 1);
      // Who withholds room and needs a stopped port gives all of it free.
      a_stopped : assert (!held_q || u_dut.withheld == '0);
      // A blocked list becomes the senior when its turn comes, if none of its ports has stopped,
      // and is it until its head has gone or one of its ports stops. While there is no senior
      // the turn goes round, a list a cycle.
      a_senior : assert (!ran_q || (senior_q ?
          u_dut.senior_valid_q == !ceased_q &&
          u_dut.senior_q == (ceased_q ? senior_next : senior_at_q) :
          u_dut.senior_valid_q == could_be_q &&
          u_dut.senior_q == (could_be_q ? senior_at_q : senior_next)))
      else $error("senior %0d after %0d", u_dut.senior_q, senior_at_q);
      // The head that has gone is the job that ended (helps the proof).
      a_gone : assert (u_dut.gone_q == gone_q);
      // What the senior needs is withheld from the take of every other list, and nothing else is.
      a_withheld : assert (!ran_q || withheld == withheld_q)
      else $error("withheld %b, to be withheld %b", withheld, withheld_q);
      // Three jobs wait in one list.
      c_full : cover (count_q[0] == 2'd3);
      // A blocked list is begun again.
      c_again : cover (start_i && list == '0 && u_dut.senior_valid_q);
    end
  end

  for (genvar l = 0; l < Lists; l++) begin : gen_list
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A list is its queue, from head to tail; behind a head that was begun the next one is
        // shown four cycles later.
        a_list : assert (u_dut.some_q[l] == (count_q[l] != '0) &&
            (count_q[l] == '0 || ((u_dut.head_q[l] == queue_q[l][0] ||
            ((u_dut.started_q || u_dut.fetch_q || u_dut.loading_q) && taken_list_q == ListW'(l))) &&
            u_dut.tail_q[l] == queue_q[l][count_q[l]-2'd1])));
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // How the lists hold the queues between two cycles, which the proof needs: all that follows is
  // induction.

  // A take is under way, and its job has not ended; it went back to its list, and is not begun.
  logic under_way, returned;
  assign under_way = taken && !ended;
  assign returned  = !u_dut.ended_q && !taken;

  // Where each slot is: in a list, or under way.
  logic [NumSlots-1:0][3:0] found;
  logic                     there;   // no other slot is
  always_comb begin
    found = '0;
    there = !under_way || taken_slot < 2'(NumSlots);
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (under_way && taken_slot == 2'(s)) found[s] = found[s] + 4'd1;
      for (int unsigned l = 0; l < Lists; l++) begin
        for (int unsigned i = 0; i < NumSlots; i++) begin
          if (2'(i) < count_q[l] && queue_q[l][i] == 2'(s)) found[s] = found[s] + 4'd1;
        end
      end
    end
    for (int unsigned l = 0; l < Lists; l++) begin
      for (int unsigned i = 0; i < NumSlots; i++) begin
        if (2'(i) < count_q[l] && queue_q[l][i] >= 2'(NumSlots)) there = 1'b0;
      end
    end
  end
  logic [NumSlots-1:0] counted;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
    assign counted[s] = found[s] == 4'(job_q[s]);
  end

  // The take's list is being read for its next head.
  logic loads;
  assign loads = (u_dut.started_q && u_dut.listed_q && u_dut.some_q[u_dut.current_q]) ||
      u_dut.fetch_q || u_dut.loading_q;

  // A list that is chosen, or about to be.
  logic [Lists-1:0] picked;
  assign picked = u_dut.turn_valid_q ? u_dut.turn_q :
      u_dut.chosen_q ? u_dut.chosen_hot_q : '0;

  // Takes of others that may still come before ring 0's first results: one that is chosen, a
  // repetition, another ring's.
  logic       first_next, again_next, other_next;
  logic [4:0] ahead;
  assign first_next = u_dut.u_firsts.before_q[0] == '0;   // ring 0 is next in turn
  assign again_next = u_dut.in_row_q == 4'd8 || (u_dut.in_row_q == 4'd7 && !first_next);
  assign other_next = picked[Lists-1:1] != '0;
  assign ahead      = 5'(others_q) +
      (picked[0] ? 5'd0 : 5'(other_next) + 5'(again_next) + 5'(!first_next));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The take that is under way is the one that was begun last (helps the proof).
      a_way : assert ((u_dut.ended_q || (u_dut.current_q == taken_list_q &&
          u_dut.current_slot_q == taken_slot)) && (!taken || u_dut.ended_q == ended) &&
          (!taken || u_dut.since_q == 3'(since) + 3'd1) &&
          (!taken || u_dut.current_q == taken_list_q) &&
          u_dut.started_q == (taken && since == 2'd0) &&
          (!u_dut.fetch_q || (taken && since == 2'd1)) &&
          (!u_dut.loading_q || (taken && since == 2'd2)) &&
          (since == 2'd3 || !ended || !taken) &&
          (!taken || u_dut.spared_q == spared_q) && u_dut.note_q == note_q &&
          (!note_q || returned));
      // A job that went back stands in front of its list (helps the proof).
      a_returned : assert (!returned || (count_q[u_dut.current_q] != '0 &&
          queue_q[u_dut.current_q][0] == u_dut.current_slot_q));
      // Each job is at one place (helps the proof).
      a_places : assert (there && counted == '1);
      // No list has anything when it is said (helps the proof).
      a_none : assert (!u_dut.none_q || count_q == '0);
      // One job comes at a time (helps the proof).
      a_pushed : assert ($onehot0(u_dut.pushed_q));
      // What is chosen is the head of a list that may go (helps the proof).
      a_chosen : assert (!(u_dut.turn_valid_q && u_dut.chosen_q) &&
          (!u_dut.turn_valid_q || $onehot(u_dut.turn_q)) &&
          (!u_dut.chosen_q || u_dut.chosen_hot_q == Lists'(1) << u_dut.chosen_list_q) &&
          (!u_dut.chosen_q || u_dut.chosen_slot_q == queue_q[u_dut.chosen_list_q][0]) &&
          (picked == '0 || !(u_dut.started_q || u_dut.fetch_q || u_dut.loading_q)) &&
          (picked & ~u_dut.some_q) == '0 &&
          ((picked & u_dut.blocked_q) == '0 || (note_q && picked[u_dut.current_q])) &&
          (!u_dut.chosen_q || !(note_q && picked[u_dut.current_q])));
      // Turns (helps the proof).
      a_before : assert (ahead <= 5'(NumRings + 1) && u_dut.in_row_q <= 4'd8 &&
          (taken_list_q != '0 || !(under_way || note_q) || others_q == '0));
    end
  end

  for (genvar l = 0; l < Lists; l++) begin : gen_inside
    logic       ours, pair;         // the take came from this list; the youngest has one in front
    logic [1:0] last, front, next;
    logic       linked;             // each points to the one behind it
    assign ours  = (under_way || returned) && u_dut.current_q == ListW'(l);
    assign pair  = count_q[l] >= 2'd2 || (count_q[l] == 2'd1 && under_way && ours);
    assign last  = queue_q[l][count_q[l]-2'd1];
    assign front = (count_q[l] >= 2'd2) ? queue_q[l][count_q[l]-2'd2] : taken_slot;
    always_comb begin
      linked = 1'b1;
      for (int unsigned i = 0; i + 1 < NumSlots; i++) begin
        if (2'(i) + 2'd1 < count_q[l] && !(u_dut.pushed_q[l] && 2'(i) + 2'd2 == count_q[l]) &&
            u_dut.u_next.mem[queue_q[l][i]] != queue_q[l][i+1]) linked = 1'b0;
      end
      next = u_dut.u_next.mem[taken_slot];
      if (ours && under_way && count_q[l] != '0 && !(u_dut.pushed_q[l] && count_q[l] == 2'd1) &&
          next != queue_q[l][0]) linked = 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Heads, tails and links (helps the proof).
        a_head : assert (count_q[l] == '0 || u_dut.head_q[l] == queue_q[l][0] ||
            (loads && u_dut.current_q == ListW'(l)));
        a_loaded : assert (u_dut.current_q != ListW'(l) ||
            ((!u_dut.fetch_q || count_q[l] > 2'(u_dut.pushed_q[l])) &&
            (!u_dut.loading_q || (count_q[l] != '0 && u_dut.fetched == queue_q[l][0]))));
        a_tail : assert ((count_q[l] == '0) ? !(under_way && ours) ||
            u_dut.tail_q[l] == taken_slot : u_dut.tail_q[l] == last);
        a_linked : assert (linked);
        a_coming : assert (!u_dut.pushed_q[l] || (u_dut.linked_q[l] == pair &&
            (count_q[l] == '0 || u_dut.link_slot_q == last) &&
            (!pair || u_dut.before_q[l] == front)));
        // Whether what is chosen is the list's only job (helps the proof).
        a_only : assert (!picked[l] || (u_dut.pushed_q[l] ? count_q[l] >= 2'd2 :
            !u_dut.chosen_q || u_dut.single_q[l] == (count_q[l] == 2'd1)));
        // A blocked list is tried again as soon as all its ports have room and none is withheld
        // for another one, or its ring is flushed; not before.
        a_tried : assert (u_dut.blocked_q[l] == !tried_q[l])
        else $error("list %0d", l);
        // What it needs is what was told last (helps the proof).
        a_told : assert ((!told_q[l] || u_dut.needs_q[l] == needs_q[l]) &&
            (!u_dut.blocked_q[l] || told_q[l] || (note_q && taken_list_q == ListW'(l))) &&
            (!u_dut.senior_valid_q || u_dut.senior_q != ListW'(l) || told_q[l]));
        // Who waits (helps the proof).
        a_blocked : assert ((!u_dut.blocked_q[l] || (count_q[l] != '0 && !(under_way && ours))) &&
            (!waits_q[l] || u_dut.blocked_q[l]) && (!waits_q[l] ||
            (note_q && taken_list_q == ListW'(l)) || u_dut.needs_q[l] == needs_q[l]));
      end
    end
  end

endmodule
