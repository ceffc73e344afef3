// llt_owed: what a low-latency tree owes its neighbours, followed for any group and any port: from
// when it is decided until it has left, or whom it is owed to is lost. And llt_pending: what waits
// to be summed, each as it came, and the lowest group's first.
module low_owed_props
  import sat_pkg::Groups;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 6
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic [NumPorts-1:0]              lost_i,
  input low_owe_t                         answer_i,
  input logic [GroupW-1:0]                answer_group_i,
  input logic [NumPorts-1:0]              reply_i,
  input low_blame_t                       reply_why_i,
  input logic                             end_i,
  input logic                             end_low_i,
  input low_blame_t                       end_why_i,
  input logic [NumPorts-1:0]              end_to_i,
  input logic [Groups-1:0][NumPorts-1:0]  answered_i,
  input logic [1:0][NumPorts-1:0]         told_i,
  input logic [NumPorts-1:0]              replied_i,
  input logic                             put_i,
  input low_sum_t                         put_sum_i,
  input logic                             ready_i,
  input logic                             done_i,
  input logic [GroupW-1:0]                done_group_i,
  input logic [GroupW-1:0]                any_group_i,
  input logic [2:0]                       any_port_i
);

  logic       [Groups-1:0][NumPorts-1:0] want, rest;
  logic       [1:0][NumPorts-1:0]        tell;
  low_blame_t [1:0]                      tell_why;
  logic       [NumPorts-1:0]             reply;
  low_blame_t [NumPorts-1:0]             reply_why;
  logic       [Groups-1:0]               busy;
  logic                                  sum_valid;
  low_sum_t                              sum;

  llt_owed #(
    .NumPorts(NumPorts)
  ) u_owed (
    .clk_i,
    .rst_ni,
    .lost_i,
    .answer_i,
    .answer_group_i,
    .reply_i,
    .reply_why_i,
    .end_i,
    .end_low_i,
    .end_why_i,
    .end_to_i,
    .answered_i,
    .told_i,
    .replied_i,
    .want_o     (want),
    .rest_o     (rest),
    .tell_o     (tell),
    .tell_why_o (tell_why),
    .reply_o    (reply),
    .reply_why_o(reply_why)
  );

  llt_pending u_pending (
    .clk_i,
    .rst_ni,
    .put_i,
    .put_sum_i,
    .valid_o(sum_valid),
    .ready_i,
    .sum_o  (sum),
    .done_i,
    .done_group_i,
    .busy_o (busy)
  );

  // Any group and port, the same for ever; and what the port is owed, by who tells.
  logic              begun_q;
  logic [GroupW-1:0] g_q;
  logic [2:0]        n_q, p;
  logic              want_q, rest_q, reply_q, is_why_q;
  logic [1:0]        tell_q, is_tell_q;
  low_blame_t        why_q;
  low_blame_t [1:0]  tell_why_q;
  logic              ends;   // both trees end, and all operations with them

  assign p    = (32'(n_q) < NumPorts) ? n_q : '0;
  assign ends = end_i && end_low_i;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) begin
      g_q <= any_group_i;
      n_q <= any_port_i;
    end
    // An answer that leaves now is not owed any more, but a new one is.
    if (answered_i[g_q][p] || lost_i[p]) {want_q, rest_q} <= '0;
    if (answer_i.valid && answer_i.want[p] && answer_group_i == g_q) want_q <= 1'b1;
    if (answer_i.valid && answer_i.rest[p] && answer_group_i == g_q) rest_q <= 1'b1;
    if (answer_i.valid && !answer_i.want[p] && answer_group_i == g_q) want_q <= 1'b0;
    if (answer_i.valid && !answer_i.rest[p] && answer_group_i == g_q) rest_q <= 1'b0;
    if (ends) {want_q, rest_q} <= '0;
    // A refusal waits for its message's port, lost or not, with the last reason.
    if (replied_i[p]) reply_q <= 1'b0;
    if (reply_i[p]) begin
      reply_q <= 1'b1;
      why_q   <= reply_why_i;
    end
    if (reply_i[p]) is_why_q <= 1'b1;
    // The end of the streaming tree and that of both are told by themselves.
    for (int unsigned t = 0; t < 2; t++) begin
      if (told_i[t][p] || lost_i[p]) tell_q[t] <= 1'b0;
    end
    if (end_i) begin
      tell_q[end_low_i]     <= end_to_i[p];
      tell_why_q[end_low_i] <= end_why_i;
      is_tell_q[end_low_i]  <= 1'b1;
    end
    if (!rst_ni || !begun_q) {want_q, rest_q, reply_q, tell_q} <= '0;
    if (!begun_q) {is_why_q, is_tell_q} <= '0;
  end

  // Which groups' vectors wait, which are busy, and the followed group's vector.
  logic [Groups-1:0] waits_q, busy_q, below;
  low_sum_t          sum_q;
  logic              is_sum_q;
  assign below = Groups'((1 << g_q) - 1);   // groups in front of the followed one
  always_ff @(posedge clk_i) begin
    if (ready_i) begin
      for (int unsigned g = Groups; g > 0; g--) begin
        if (waits_q[g-1]) waits_q <= waits_q & ~Groups'(1 << (g - 1));
      end
    end
    if (done_i) busy_q[done_group_i] <= 1'b0;
    if (put_i) begin
      waits_q[put_sum_i.group] <= 1'b1;
      busy_q[put_sum_i.group]  <= 1'b1;
      if (put_sum_i.group == g_q) sum_q <= put_sum_i;
      if (put_sum_i.group == g_q) is_sum_q <= 1'b1;
    end
    if (!rst_ni || !begun_q) {waits_q, busy_q} <= '0;
    if (!begun_q) is_sum_q <= 1'b0;
  end

  // The first cycle is one of reset, by itself.
  logic reset_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) reset_q <= begun_q && (reset_q || !rst_ni);

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // A refusal is said with its own reason.
      a_why : assert (!is_why_q || reply_why[p] == why_q)
      else $error("port %0d: %h", p, reply_why[p]);
      // The end of a tree is told with the reason of that end.
      a_tell_why : assert ((!is_tell_q[0] || tell_why[0] == tell_why_q[0]) &&
                           (!is_tell_q[1] || tell_why[1] == tell_why_q[1]))
      else $error("%h %h", tell_why[0], tell_why[1]);
      // A group's vector is kept as it was put.
      a_kept : assert (!is_sum_q || u_pending.sum_q[g_q] == sum_q)
      else $error("group %0d: %h", g_q, u_pending.sum_q[g_q]);
    end
    if (begun_q && reset_q) begin
      // A group's answer is owed to who contributed to it, from when it is decided until it has
      // left, or he is lost, or both trees end.
      a_answer : assert (want[g_q][p] == want_q && rest[g_q][p] == rest_q)
      else $error("group %0d, port %0d: %b %b", g_q, p, want[g_q], rest[g_q]);
      // A refusal is owed until it has left.
      a_reply : assert (reply[p] == reply_q)
      else $error("port %0d: %b", p, reply);
      // The end of a tree is told to each neighbour who is to hear of it, and is not lost.
      a_tell : assert (tell[0][p] == tell_q[0] && tell[1][p] == tell_q[1])
      else $error("port %0d: %b %b", p, tell[0], tell[1]);
      // A vector waits from when it is put until it is taken.
      a_waits : assert (u_pending.waits_q == waits_q && sum_valid == (waits_q != '0))
      else $error("%b", u_pending.waits_q);
      // If none of a lower group waits it is the one that is shown, as it was put.
      a_shown : assert (!is_sum_q || !waits_q[g_q] || (waits_q & below) != '0 || sum == sum_q)
      else $error("group %0d: %h", g_q, sum);
      // If none waits none is.
      a_none : assert (sum_valid || sum == '0)
      else $error("%h", sum);
      // A group is busy until its sum is made.
      a_busy : assert (busy == busy_q)
      else $error("%b", busy);

      // An answer leaves as the next one is decided; a sum of one group is shown behind another's.
      c_next : cover (want_q && answered_i[g_q][p] && answer_i.valid && answer_group_i == g_q);
      c_second : cover (is_sum_q && waits_q[g_q] && (waits_q & below) != '0 && ready_i);
    end
  end

endmodule
