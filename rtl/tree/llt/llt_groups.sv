// Where the operation of each group of a low-latency tree is: who has contributed, who wants the
// answer, its number and header, and how long it may stand still. What happens to it, llt_decide
// says.
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

  // What happens to the operation of the group in work, which has this header: a contribution of
  // port `at` begins or joins it, and then the ports `come` have contributed; the parent answers;
  // all have contributed and the header to go up is known; its end is known.
  input logic [GroupW-1:0]   group_i,
  // verilator lint_off UNUSEDSIGNAL
  input sat_head_t           work_i,   // not all of it while it is not complete
  // verilator lint_on UNUSEDSIGNAL
  input logic                begins_i,
  input logic                joins_i,
  input logic [NumPorts-1:0] at_i,
  input logic [NumPorts-1:0] come_i,
  input logic                answers_i,
  input logic                cast_i,       // with `answers_i`: by multicast; a copy is to come
  input logic                copies_i,     // which is here
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

  output low_phase_e [Groups-1:0]               phase_o,
  output logic       [Groups-1:0][NumPorts-1:0] come_o,
  output logic       [Groups-1:0][NumPorts-1:0] wants_o,
  output logic       [Groups-1:0]               any_o,           // the group had an operation
  output logic       [Groups-1:0][31:0]         sequence_no_o,   // number of its last operation
  output logic       [Groups-1:0]               from_parent_o,   // the answer came from there
  output logic       [Groups-1:0]               from_cast_o,     // and by multicast
  output logic       [Groups-1:0][CopiesW-1:0]  copies_o,        // of multicast answers, to come
  output sat_head_t  [Groups-1:0]               head_o,

  // A group's operation has taken too long, and which group's.
  output logic              expires_o,
  output logic [GroupW-1:0] due_group_o
);

  logic [Groups-1:0] timed;
  logic              due;

  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      timed[g] = phase_o[g] inside {LowGathers, LowRises, LowWaits};
    end
  end

  llt_due u_due (
    .clk_i,
    .cfg_i,
    .time_i,
    .start_i(begins_i || complete_i),
    .up_i   (complete_i),
    .group_i,
    .timed_i(timed),
    .due_o  (due),
    .group_o(due_group_o)
  );

  assign expires_o = due && timed[due_group_o];

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
    if (begins_i) begin
      phase_o[group_i]       <= LowGathers;
      sequence_no_o[group_i] <= work_i.sequence_no;
      any_o[group_i]         <= 1'b1;
    end
    if (begins_i || joins_i) begin
      come_o[group_i] <= come_i;
      if (work_i.flags.wants) wants_o[group_i] <= wants_o[group_i] | at_i;
    end
    if (answers_i) begin
      from_parent_o[group_i] <= 1'b1;
      from_cast_o[group_i]   <= cast_i;
    end
    if (answers_i && cast_i) copies_o[group_i] <= copies_o[group_i] + CopiesW'(1);
    if (copies_i) copies_o[group_i] <= copies_o[group_i] - CopiesW'(1);
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
        copies_o[g] <= '0;
      end
    end
  end

endmodule
