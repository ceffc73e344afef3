// What waits to be sent to whom: answers of operations, refusals of messages, and that a tree is no
// more. Whoever is lost is owed nothing.
module llt_owed
  import sat_pkg::Groups;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [NumPorts-1:0] lost_i,   // ports of neighbours who are lost

  // Owed from the next cycle on: a group's answer, to those who want the vector and to the others;
  input low_owe_t            answer_i,
  input logic [GroupW-1:0]   answer_group_i,
  // a refusal, to these ports;
  input logic [NumPorts-1:0] reply_i,
  input low_blame_t          reply_why_i,
  // the end of the streaming tree or, with `low`, of both, to these neighbours; the latter ends all
  // operations, too.
  input logic                end_i,
  input logic                end_low_i,
  input low_blame_t          end_why_i,
  input logic [NumPorts-1:0] end_to_i,

  // What has left (llt_jobs) is owed no more.
  input logic [Groups-1:0][NumPorts-1:0] answered_i,
  input logic [1:0][NumPorts-1:0]        told_i,
  input logic [NumPorts-1:0]             replied_i,

  output logic       [Groups-1:0][NumPorts-1:0] want_o,
  output logic       [Groups-1:0][NumPorts-1:0] rest_o,
  output logic       [1:0][NumPorts-1:0]        tell_o,       // [1]: both trees have ended
  output low_blame_t [1:0]                      tell_why_o,
  output logic       [NumPorts-1:0]             reply_o,
  output low_blame_t [NumPorts-1:0]             reply_why_o
);

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      want_o[g] <= want_o[g] & ~answered_i[g] & ~lost_i;
      rest_o[g] <= rest_o[g] & ~answered_i[g] & ~lost_i;
      if (answer_i.valid && answer_group_i == GroupW'(g)) begin
        want_o[g] <= answer_i.want[NumPorts-1:0];
        rest_o[g] <= answer_i.rest[NumPorts-1:0];
      end
    end
    for (int unsigned t = 0; t < 2; t++) begin
      tell_o[t] <= tell_o[t] & ~told_i[t] & ~lost_i;
      if (end_i && end_low_i == 1'(t)) begin
        tell_o[t]     <= end_to_i;
        tell_why_o[t] <= end_why_i;
      end
    end
    reply_o <= (reply_o & ~replied_i) | reply_i;
    for (int unsigned p = 0; p < NumPorts; p++) if (reply_i[p]) reply_why_o[p] <= reply_why_i;
    if (!rst_ni || (end_i && end_low_i)) begin
      want_o <= '0;
      rest_o <= '0;
    end
    if (!rst_ni) begin
      tell_o  <= '0;
      reply_o <= '0;
    end
  end

endmodule
