// Where the operation of each group of a low-latency tree is: who has contributed, who wants the
// answer, its number and header, and how long it may stand still; and by that what a message comes
// to (llt_rules). What else happens to an operation, llt_decide says.
module llt_groups
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,

  input logic        open_i,   // the tree is there
  input sat_cfg_t    cfg_i,
  input logic [31:0] time_i,

  // A message is looked at, and in the next cycle, with `acts`, done what it comes to. The trees
  // have ended.
  input logic      looks_i,
  // verilator lint_off UNUSEDSIGNAL
  input low_seen_t seen_i,     // not its tag
  // verilator lint_on UNUSEDSIGNAL
  input logic      low_down_i,
  input logic      sat_down_i,
  input logic      acts_i,

  // What happens to the operation of the group in work, which has this header: all have contributed
  // and the header to go up is known; its end is known.
  input logic [GroupW-1:0]   group_i,
  // verilator lint_off UNUSEDSIGNAL
  input sat_head_t           work_i,   // not all of it while it is not complete
  // verilator lint_on UNUSEDSIGNAL
  input logic                complete_i,
  input logic                decided_i,

  // All operations are no more. A group begins anew, and its first operation has any number.
  input logic              forget_i,
  input logic              anew_i,
  input logic [GroupW-1:0] anew_group_i,

  // What was sent, and what is still to be (llt_owed, llt_jobs).
  input logic [Groups-1:0] risen_i,
  input logic [Groups-1:0] owed_i,
  input logic [Groups-1:0] summing_i,
  input logic              sending_i,
  input logic [GroupW-1:0] sending_group_i,

  // What the message comes to (llt_rules); what is taken, and kept, is so with `acts`. Of a tree
  // that is no more nothing is kept, whatever is taken.
  output low_fate_t           fate_o,
  output logic [NumPorts-1:0] at_o,
  output logic [NumPorts-1:0] take_o,
  output logic [NumPorts-1:0] keep_o,
  output logic                cast_take_o,
  output logic                cast_keep_o,
  output logic [NumPorts-1:0] come_next_o,   // who has contributed then
  output logic                all_o,         // and these are all

  output logic       [Groups-1:0]               rise_o,          // contributions, to the parent
  output low_phase_e [Groups-1:0]               phase_o,
  output logic       [Groups-1:0][NumPorts-1:0] come_o,
  output logic       [Groups-1:0][NumPorts-1:0] wants_o,
  output logic       [Groups-1:0]               any_o,           // the group had an operation
  output logic       [Groups-1:0][31:0]         sequence_no_o,   // number of its last operation
  output logic       [Groups-1:0]               from_parent_o,   // the answer came from there
  output logic       [Groups-1:0]               from_cast_o,     // and by multicast
  // In the cycle before nothing was under way, and no copies of multicast answers to come.
  output logic       [Groups-1:0]               idle_o,
  output sat_head_t  [Groups-1:0]               head_o,

  // A group's operation has taken too long, and which group's; a cycle later.
  output logic              expires_o,
  output logic [GroupW-1:0] due_group_o
);

  logic [Groups-1:0][CopiesW-1:0] copies_q;   // of multicast answers, to come
  logic [NumPorts-1:0] take, keep;
  logic                cast_take, cast_keep, begins, joins, answers;

  llt_rules #(
    .NumPorts(NumPorts)
  ) u_rules (
    .clk_i,
    .looks_i,
    .seen_i,
    .node_i     (cfg_i.node),
    .low_down_i,
    .sat_down_i,
    .phase_i    (phase_o[seen_i.group]),
    .come_i     (come_o[seen_i.group]),
    .children_i (cfg_i.groups[seen_i.group].children[NumPorts-1:0]),
    .last_i     ('{verdict: head_o[seen_i.group].verdict, node: head_o[seen_i.group].node,
                   port: head_o[seen_i.group].port}),
    .copies_i   (copies_q[seen_i.group]),
    .fate_o,
    .at_o,
    .take_o     (take),
    .keep_o     (keep),
    .cast_take_o(cast_take),
    .cast_keep_o(cast_keep),
    .come_o     (come_next_o),
    .all_o
  );

  assign take_o      = acts_i ? take : '0;
  assign keep_o      = acts_i ? keep : '0;
  assign cast_take_o = acts_i && cast_take;
  assign cast_keep_o = acts_i && cast_keep;
  assign begins      = acts_i && fate_o.begins;
  assign joins       = acts_i && fate_o.joins;
  assign answers     = acts_i && fate_o.answers;

  always_comb for (int unsigned g = 0; g < Groups; g++) rise_o[g] = phase_o[g] == LowRises;
  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      idle_o[g] <= phase_o[g] == LowIdle && copies_q[g] == '0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  logic [Groups-1:0] timed;
  logic              due;
  logic [GroupW-1:0] due_group;

  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      timed[g] = phase_o[g] inside {LowGathers, LowRises, LowWaits};
    end
  end

  llt_due u_due (
    .clk_i,
    .cfg_i,
    .time_i,
    .start_i(begins || complete_i),
    .up_i   (complete_i),
    .group_i,
    .timed_i(timed),
    .due_o  (due),
    .group_o(due_group)
  );

  // Not what has moved on in this cycle.
  always_ff @(posedge clk_i) begin
    expires_o   <= due && timed[due_group] && !begins && !complete_i && !decided_i && !forget_i;
    due_group_o <= due_group;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      if (risen_i[g] && phase_o[g] == LowRises) phase_o[g] <= LowWaits;
      if (phase_o[g] == LowAnswers && !owed_i[g] && !summing_i[g] &&
          !(sending_i && sending_group_i == GroupW'(g))) begin
        phase_o[g] <= LowIdle;
        come_o[g]  <= '0;
        wants_o[g] <= '0;
      end
    end
    if (begins) begin
      phase_o[group_i]       <= LowGathers;
      sequence_no_o[group_i] <= work_i.sequence_no;
      any_o[group_i]         <= 1'b1;
    end
    if (begins || joins) begin
      come_o[group_i] <= come_next_o;
      if (work_i.flags.wants) wants_o[group_i] <= wants_o[group_i] | at_o;
    end
    if (answers) begin
      from_parent_o[group_i] <= 1'b1;
      from_cast_o[group_i]   <= seen_i.cast;
    end
    if (answers && seen_i.cast) copies_q[group_i] <= copies_q[group_i] + CopiesW'(1);
    if (acts_i && fate_o.copies) copies_q[group_i] <= copies_q[group_i] - CopiesW'(1);
    if (complete_i) begin
      head_o[group_i]        <= work_i;
      from_parent_o[group_i] <= 1'b0;
      if (cfg_i.groups[group_i].up) phase_o[group_i] <= LowRises;
    end
    if (decided_i) begin
      head_o[group_i]  <= work_i;
      phase_o[group_i] <= LowAnswers;
    end
    if (anew_i) any_o[anew_group_i] <= 1'b0;
    if (!open_i) any_o <= '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      if (forget_i) begin
        phase_o[g]  <= LowIdle;
        come_o[g]   <= '0;
        wants_o[g]  <= '0;
        copies_q[g] <= '0;
      end
    end
  end

endmodule
