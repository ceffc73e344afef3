// llt_jobs: what a low-latency tree sends next, whoever waits: whose turn it is, what the message
// says, to whom, and what is told of it. A job is chosen of what could go two cycles before, and
// goes to who is still owed it and has room.
module low_jobs_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic [NumPorts-1:0]             parent_i,
  input logic [NumPorts-1:0]             room_i,
  input logic [Groups-1:0]               rise_i,
  input logic [Groups-1:0][NumPorts-1:0] want_i,
  input logic [Groups-1:0][NumPorts-1:0] rest_i,
  input logic [Groups-1:0]               summing_i,
  input logic [Groups-1:0]               from_parent_i,
  input sat_head_t [Groups-1:0]          head_i,
  input logic [1:0][NumPorts-1:0]        tell_i,
  input low_blame_t [1:0]                tell_why_i,
  input logic [1:0][15:0]                tell_tree_i,
  input logic [NumPorts-1:0]             reply_i,
  input low_blame_t [NumPorts-1:0]       reply_why_i,
  input low_message_t [NumPorts-1:0]     message_i,
  input logic                            ready_i,
  input logic [GroupW-1:0]               group_i,   // any
  input logic                            end_i      // any
);

  logic [Groups-1:0]               risen;
  logic [Groups-1:0][NumPorts-1:0] answered;
  logic [1:0][NumPorts-1:0]        told;
  logic [NumPorts-1:0]             replied;
  logic                            valid, is_q, rst_n;
  low_send_t                       send;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && is_q;

  llt_jobs #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni(rst_n),
    .parent_i,
    .room_i,
    .rise_i,
    .want_i,
    .rest_i,
    .summing_i,
    .from_parent_i,
    .head_i,
    .tell_i,
    .tell_why_i,
    .tell_tree_i,
    .reply_i,
    .reply_why_i,
    .message_i,
    .risen_o   (risen),
    .answered_o(answered),
    .told_o    (told),
    .replied_o (replied),
    .valid_o   (valid),
    .ready_i,
    .send_o    (send)
  );

  // ---------------------------------------------------------------------------------------------
  // Whose turn it is: what could go in the cycle before, and who went last.

  logic [Groups-1:0]   up_q, want_q, rest_q;   // these groups could
  logic [1:0]          tell_q;
  logic [NumPorts-1:0] reply_q;
  logic [GroupW-1:0]   last_group_q, turn;
  logic [PortW-1:0]    last_port_q, port_turn;
  logic                some_group, some_port, chooses;
  int unsigned         g, p;

  always_comb begin
    turn = '0;
    for (int unsigned n = Groups; n > 0; n--) begin
      g = (32'(last_group_q) + n) % Groups;
      if (up_q[g] || want_q[g] || rest_q[g]) turn = GroupW'(g);
    end
    port_turn = '0;
    for (int unsigned n = NumPorts; n > 0; n--) begin
      p = (32'(last_port_q) + n) % NumPorts;
      if (reply_q[p]) port_turn = PortW'(p);
    end
    some_group = (up_q | want_q | rest_q) != '0;
    some_port  = reply_q != '0;
    chooses    = ready_i && !valid;
  end

  // What was chosen: of a group, news of a tree's end, or a refusal.
  logic              of_group_q, of_tell_q, of_reply_q, rises_q, wants_q, rests_q, both_q;
  logic [GroupW-1:0] group_q;
  logic [PortW-1:0]  port_q;

  initial is_q = 1'b0;
  always_ff @(posedge clk_i) begin
    is_q <= 1'b1;
    for (int unsigned n = 0; n < Groups; n++) begin
      // A vector waits until it is summed; how an operation ended does not.
      up_q[n]   <= rise_i[n] && !summing_i[n] && (parent_i & room_i) != '0;
      want_q[n] <= (want_i[n] & room_i) != '0 && !summing_i[n];
      rest_q[n] <= (rest_i[n] & room_i) != '0;
    end
    for (int unsigned n = 0; n < 2; n++) tell_q[n] <= (tell_i[n] & room_i) != '0;
    for (int unsigned n = 0; n < NumPorts; n++) reply_q[n] <= reply_i[n] && room_i[n];

    of_group_q <= chooses && some_group;
    of_tell_q  <= chooses && !some_group && tell_q != '0;
    of_reply_q <= chooses && !some_group && tell_q == '0 && some_port;
    rises_q    <= up_q[turn];
    wants_q    <= !up_q[turn] && want_q[turn];
    rests_q    <= !up_q[turn] && !want_q[turn];
    both_q     <= !tell_q[0];
    group_q    <= turn;
    port_q     <= port_turn;
    if (chooses && some_group) last_group_q <= turn;
    if (chooses && !some_group && tell_q == '0 && some_port) last_port_q <= port_turn;
    if (!rst_n) begin
      {up_q, want_q, rest_q, tell_q, reply_q} <= '0;
      {of_group_q, of_tell_q, of_reply_q}     <= '0;
      last_group_q <= GroupW'(Groups - 1);
      last_port_q  <= PortW'(NumPorts - 1);
    end
  end

  // Where the message goes, and what it says.
  logic [NumPorts-1:0] to;
  sat_head_t           head;
  logic                vector;
  always_comb begin
    to     = '0;
    vector = 1'b0;
    head   = head_i[group_q];
    if (of_group_q && rises_q) begin
      if (rise_i[group_q]) to = parent_i;
      vector = head.flags.carries;
    end
    if (of_group_q && wants_q) begin
      to     = want_i[group_q];
      vector = head.flags.carries;
    end
    if (of_group_q && rests_q) begin
      to         = rest_i[group_q];
      head.flags = '0;
    end
    to &= room_i;
  end

  always_ff @(posedge clk_i) begin
    if (is_q) begin
      // The next turn is behind who went last.
      a_turn : assert (u_dut.u_groups.last == Groups'(1) << last_group_q &&
                       u_dut.u_ports.last == NumPorts'(1) << last_port_q)
      else $error("%b %b", u_dut.u_groups.last, u_dut.u_ports.last);
      // Something is sent if it could go and nothing was chosen in the cycle before: groups first,
      // then news, then refusals.
      a_valid : assert (valid == (of_group_q || of_tell_q || of_reply_q))
      else $error("valid %b", valid);
      if (of_group_q) begin
        // A group's message has its header; who does not want the vector gets that alone.
        a_head : assert (send.head == head && send.carries == vector)
        else $error("%h", send.head);
        // It goes to the parent, or to those who want the vector, or to the rest: to all of them
        // with room.
        a_to : assert (send.to == MaxPorts'(to))
        else $error("%b", send.to);
        // The vector is the group's.
        a_group : assert (send.group == group_q)
        else $error("group %0d", send.group);
      end
      // The parent's vector goes to who wants one, if the answer came from there.
      a_from : assert (!valid || send.from_parent ==
                       (of_group_q && wants_q && from_parent_i[group_q]))
      else $error("%b", send.from_parent);
      // What is no group's has no vector.
      a_none : assert (!valid || of_group_q || (!send.carries && send.group == '0))
      else $error("group %0d", send.group);
      if (of_tell_q) begin
        // The end of a tree names it, and who is to blame for what; the streaming one goes first.
        a_tells : assert (send.head.tag == TreeTag && send.head.kind == KindTeardown &&
                          send.head.tree == tell_tree_i[both_q] &&
                          send.head.verdict == tell_why_i[both_q].verdict &&
                          send.head.node == tell_why_i[both_q].node &&
                          send.head.port == tell_why_i[both_q].port)
        else $error("%h", send.head);
        // And nothing else.
        a_bare : assert ({send.head.operation, send.head.elem, send.head.flags, send.head.group,
                          send.head.sequence_no, send.head.length, send.head.count,
                          send.head.holder_tree, send.head.holder_group} == '0)
        else $error("%h", send.head);
        // All hear of it who have room and have not heard.
        a_tells_to : assert (send.to == MaxPorts'(tell_i[both_q] & room_i))
        else $error("%b", send.to);
      end
      if (of_reply_q) begin
        // A refusal is its message's own header, on the way down, with the reason.
        a_replies : assert (send.head.kind == KindDown && send.head.flags == '0 &&
                            send.head.verdict == reply_why_i[port_q].verdict &&
                            send.head.node == reply_why_i[port_q].node &&
                            send.head.port == reply_why_i[port_q].port)
        else $error("%h", send.head);
        // Number and all else are the message's.
        a_same : assert ({send.head.tag, send.head.operation, send.head.elem, send.head.tree,
                          send.head.group, send.head.sequence_no, send.head.length,
                          send.head.count, send.head.holder_tree, send.head.holder_group} ==
                         {message_i[port_q].head.tag, message_i[port_q].head.operation,
                          message_i[port_q].head.elem, message_i[port_q].head.tree,
                          message_i[port_q].head.group, message_i[port_q].head.sequence_no,
                          message_i[port_q].head.length, message_i[port_q].head.count,
                          message_i[port_q].head.holder_tree,
                          message_i[port_q].head.holder_group})
        else $error("%h", send.head);
        // It goes back to where the message came from, if it has room.
        a_replies_to : assert (send.to == ((reply_i[port_q] && room_i[port_q]) ?
                                           MaxPorts'(1) << port_q : '0))
        else $error("%b", send.to);
      end

      // A contribution has risen when it is sent to a parent; of any group.
      a_risen : assert (risen[group_i] == (of_group_q && rises_q && group_q == group_i &&
                                           to != '0))
      else $error("%b", risen);
      // Who is sent an answer is owed it no more; of any group.
      a_answered : assert (answered[group_i] == ((of_group_q && !rises_q && group_q == group_i) ?
                                                 to : '0))
      else $error("%b", answered[group_i]);
      // Who is told of a tree's end has been told; of either.
      a_told : assert (told[end_i] == ((of_tell_q && both_q == end_i) ?
                                       tell_i[end_i] & room_i : '0))
      else $error("%b", told[end_i]);
      // A refusal that is sent is owed no more.
      a_replied : assert (replied == (of_reply_q ? send.to[NumPorts-1:0] : '0))
      else $error("%b", replied);

      // A group's second turn comes behind another one's; a refusal of the last port; nobody is
      // left.
      c_turn : cover (of_group_q && wants_q && group_q == GroupW'(2) && send.carries);
      c_reply : cover (of_reply_q && port_q == PortW'(NumPorts - 1) && send.to != '0);
      c_nobody : cover (valid && send.to == '0);
    end
  end

endmodule
