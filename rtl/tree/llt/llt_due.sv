// How long each group's operation may stand still: patience is counted in microseconds from the
// next one on, so that no wait is shorter than it says.
module llt_due
  import sat_pkg::*;
  import llt_pkg::*;
(
  input logic clk_i,

  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t    cfg_i,     // not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [31:0] time_i,    // microseconds, of a clock that all share

  // Patience with a group's children begins, or with its parent.
  input logic              start_i,
  input logic              up_i,
  input logic [GroupW-1:0] group_i,
  input logic [Groups-1:0] timed_i,    // operations that are waited for

  // The lowest of them that had taken too long in the cycle before, and no patience has begun
  // since.
  output logic              due_o,
  output logic [GroupW-1:0] group_o
);

  logic [Groups-1:0][31:0] deadline_q;
  logic [Groups-1:0]       late_q;

  always_ff @(posedge clk_i) begin
    due_o <= 1'b0;
    for (int unsigned g = Groups; g > 0; g--) begin
      late_q[g-1] <= timed_i[g-1] && $signed(time_i - deadline_q[g-1]) >= 0;
      if (late_q[g-1] && timed_i[g-1]) begin
        due_o   <= 1'b1;
        group_o <= GroupW'(g - 1);
      end
    end
    if (start_i) begin
      deadline_q[group_i] <= time_i + 32'd1 +
          (up_i ? 32'(cfg_i.patience_up) : 32'(cfg_i.patience));
      late_q[group_i]     <= 1'b0;
      due_o               <= 1'b0;
    end
  end

endmodule
