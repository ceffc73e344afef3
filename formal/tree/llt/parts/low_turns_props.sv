// llt_groups: where the operation of any group of a low-latency tree is, followed from when it
// begins until the last answer has left; and what llt_rules is told of it. What a message comes to
// llt_rules says (low_fate), when an operation is late llt_due; here they are as they are.
module low_turns_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic              clk_i,
  input logic              open_i,
  input sat_cfg_t          cfg_i,
  input logic [31:0]       time_i,
  input logic              looks_i,
  input low_seen_t         seen_i,
  input logic              low_down_i,
  input logic              sat_down_i,
  input logic              acts_i,
  input logic [GroupW-1:0] group_i,
  input sat_head_t         work_i,
  input logic              complete_i,
  input logic              decided_i,
  input logic              forget_i,
  input logic              anew_i,
  input logic [GroupW-1:0] anew_group_i,
  input logic [Groups-1:0] risen_i,
  input logic [Groups-1:0] owed_i,
  input logic [Groups-1:0] summing_i,
  input logic              sending_i,
  input logic [GroupW-1:0] sending_group_i,
  input logic [GroupW-1:0] any_group_i
);

  typedef logic [NumPorts-1:0] ports_t;

  low_fate_t               fate;
  ports_t                  at, take, keep, come_next;
  logic                    cast_take, cast_keep, all_come, expires;
  logic       [Groups-1:0] rise, any, from_parent, from_cast, idle;
  low_phase_e [Groups-1:0] phase;
  ports_t     [Groups-1:0] come, wants;
  logic [Groups-1:0][31:0] sequence_no;
  sat_head_t  [Groups-1:0] head;
  logic [GroupW-1:0]       due_group;

  llt_groups #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .open_i,
    .cfg_i,
    .time_i,
    .looks_i,
    .seen_i,
    .low_down_i,
    .sat_down_i,
    .acts_i,
    .group_i,
    .work_i,
    .complete_i,
    .decided_i,
    .forget_i,
    .anew_i,
    .anew_group_i,
    .risen_i,
    .owed_i,
    .summing_i,
    .sending_i,
    .sending_group_i,
    .fate_o       (fate),
    .at_o         (at),
    .take_o       (take),
    .keep_o       (keep),
    .cast_take_o  (cast_take),
    .cast_keep_o  (cast_keep),
    .come_next_o  (come_next),
    .all_o        (all_come),
    .rise_o       (rise),
    .phase_o      (phase),
    .come_o       (come),
    .wants_o      (wants),
    .any_o        (any),
    .sequence_no_o(sequence_no),
    .from_parent_o(from_parent),
    .from_cast_o  (from_cast),
    .idle_o       (idle),
    .head_o       (head),
    .expires_o    (expires),
    .due_group_o  (due_group)
  );

  // ---------------------------------------------------------------------------------------------
  // Any group, the same for ever; where its operation is, and what happens to it in this cycle.

  low_phase_e         phase_q;
  ports_t             come_q, wants_q;
  logic [CopiesW-1:0] copies_q;
  logic               any_q, parent_q, cast_q, idle_q;
  logic [31:0]        number_q;
  sat_head_t          head_q;
  logic              begun_q;
  logic [GroupW-1:0] g_q;
  logic              begins, joins, answers, copy, completes, decides, over;
  always_comb begin
    begins    = group_i == g_q && acts_i && fate.begins;
    joins     = group_i == g_q && acts_i && fate.joins;
    answers   = group_i == g_q && acts_i && fate.answers;
    copy      = group_i == g_q && acts_i && fate.copies;
    completes = group_i == g_q && complete_i;
    decides   = group_i == g_q && decided_i;
    // Nothing of its answer is left: it is owed to nobody, nor summed, nor being sent.
    over      = phase_q == LowAnswers && !owed_i[g_q] && !summing_i[g_q] &&
        !(sending_i && sending_group_i == g_q);
  end

  // What is known of it by now.
  logic               is_q, is_any_q, is_number_q, is_parent_q, is_cast_q, is_head_q, is_idle_q;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) g_q <= any_group_i;

    if (over) phase_q <= LowIdle;
    if (over) {come_q, wants_q} <= '0;
    if (phase_q == LowRises && risen_i[g_q]) phase_q <= LowWaits;
    if (begins) phase_q <= LowGathers;
    if (begins || joins) come_q <= come_next;
    if ((begins || joins) && work_i.flags.wants) wants_q <= wants_q | at;
    if (completes && cfg_i.groups[g_q].up) phase_q <= LowRises;
    if (decides) phase_q <= LowAnswers;
    if (answers && seen_i.cast) copies_q <= copies_q + CopiesW'(1);
    if (copy) copies_q <= copies_q - CopiesW'(1);
    if (forget_i) begin
      phase_q <= LowIdle;
      {come_q, wants_q, copies_q} <= '0;
      is_q <= 1'b1;
    end
    idle_q    <= phase_q == LowIdle && copies_q == '0;
    is_idle_q <= is_q;

    if (begins) {is_number_q, number_q, any_q} <= {1'b1, work_i.sequence_no, 1'b1};
    if (anew_i && anew_group_i == g_q) any_q <= 1'b0;
    if (!open_i) {is_any_q, any_q} <= 2'b10;
    if (answers) {is_parent_q, parent_q, is_cast_q, cast_q} <= {3'b111, seen_i.cast};
    if (completes) {is_parent_q, parent_q} <= 2'b10;
    if (completes || decides) {is_head_q, head_q} <= {1'b1, work_i};
    if (!begun_q) begin
      {is_q, is_any_q, is_number_q, is_parent_q, is_cast_q, is_head_q, is_idle_q} <= '0;
    end
  end

  // In the cycle before: who was late, and whether something moved on.
  logic              late_q, moved_q;
  logic [GroupW-1:0] late_group_q;
  always_ff @(posedge clk_i) begin
    late_group_q <= u_dut.due_group;
    late_q       <= u_dut.due && (phase[u_dut.due_group] == LowGathers ||
        phase[u_dut.due_group] == LowRises || phase[u_dut.due_group] == LowWaits);
    moved_q      <= (acts_i && fate.begins) || complete_i || decided_i || forget_i;
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      if (is_q) begin
        // An operation gathers from its first contribution on, rises when its header goes up, waits
        // when it has risen, answers when it is decided, and is over when nothing of its answer is
        // left.
        a_phase : assert (phase[g_q] == phase_q)
        else $error("group %0d: %0d", g_q, phase[g_q]);
        // Who has contributed stands until then.
        a_come : assert (come[g_q] == come_q)
        else $error("group %0d: %b", g_q, come[g_q]);
        // And of these, who wants the result.
        a_wants : assert (wants[g_q] == wants_q)
        else $error("group %0d: %b", g_q, wants[g_q]);
        // Multicast answers that were taken are counted, until their reliable copies come.
        a_copies : assert (u_dut.copies_q[g_q] == copies_q)
        else $error("group %0d: %0d", g_q, u_dut.copies_q[g_q]);
        // A contribution waits for the parent while the operation rises.
        a_rise : assert (rise[g_q] == (phase_q == LowRises))
        else $error("group %0d: %b", g_q, rise);
      end
      // A group with nothing under way and no copies to come is idle, a cycle later.
      a_idle : assert (!is_idle_q || idle[g_q] == idle_q)
      else $error("group %0d: %b", g_q, idle);
      // It has had an operation since the tree was opened, or since it became another group.
      a_any : assert (!is_any_q || any[g_q] == any_q)
      else $error("group %0d: %b", g_q, any);
      // Its number is that of the last one that began.
      a_number : assert (!is_number_q || sequence_no[g_q] == number_q)
      else $error("group %0d: %0d", g_q, sequence_no[g_q]);
      // The answer is the parent's if it came from there since all had contributed.
      a_parent : assert (!is_parent_q || from_parent[g_q] == parent_q)
      else $error("group %0d: %b", g_q, from_parent);
      // By multicast, or as a message.
      a_cast : assert (!is_cast_q || from_cast[g_q] == cast_q)
      else $error("group %0d: %b", g_q, from_cast);
      // Its header is the one that went up, and then that of the answer.
      a_head : assert (!is_head_q || head[g_q] == head_q)
      else $error("group %0d: %h", g_q, head[g_q]);

      if (is_q && seen_i.group == g_q) begin
        // A message is judged by its own group's operation,
        a_judged : assert (u_dut.u_rules.phase_i == phase_q && u_dut.u_rules.come_i == come_q &&
                           u_dut.u_rules.copies_i == copies_q &&
                           u_dut.u_rules.children_i == cfg_i.groups[g_q].children[NumPorts-1:0])
        else $error("group %0d", g_q);
        // and by how its last one ended.
        a_last : assert (!is_head_q || (u_dut.u_rules.last_i.verdict == head_q.verdict &&
                                        u_dut.u_rules.last_i.node == head_q.node &&
                                        u_dut.u_rules.last_i.port == head_q.port))
        else $error("group %0d", g_q);
      end
      // Messages leave and are kept as they come to, when that is done, and not before.
      a_acts : assert ({take, keep, cast_take, cast_keep} == (acts_i ?
          {u_dut.u_rules.take_o, u_dut.u_rules.keep_o, u_dut.u_rules.cast_take_o,
           u_dut.u_rules.cast_keep_o} : '0))
      else $error("%b %b", take, keep);
      // The patience with children begins with an operation, and that with the parent when all of
      // them have contributed.
      a_starts : assert (u_dut.u_due.start_i == ((acts_i && fate.begins) || complete_i) &&
                         u_dut.u_due.up_i == complete_i && u_dut.u_due.group_i == group_i)
      else $error("starts %b", u_dut.u_due.start_i);
      // It is counted until the operation is decided.
      a_timed : assert (!is_q || u_dut.timed[g_q] == (phase_q == LowGathers ||
                            phase_q == LowRises || phase_q == LowWaits))
      else $error("group %0d: %b", g_q, u_dut.timed);
      // What was late is told, unless something moved on just then.
      a_expires : assert (expires == (late_q && !moved_q))
      else $error("expires %b", expires);
      // And whose it was.
      a_whose : assert (due_group == late_group_q)
      else $error("group %0d", due_group);

      // An answer is over; copies are counted back.
      c_over : cover (is_q && phase_q == LowIdle && is_number_q && is_head_q && parent_q);
      c_back : cover (is_q && copy && copies_q == CopiesW'(2));
      c_expires : cover (is_q && expires && due_group == g_q);
    end
  end

endmodule
