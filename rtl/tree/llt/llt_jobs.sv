// What is sent next: a contribution to the parent, an operation's answer to children that want the
// vector or to those that hear only how it ended, that a tree is no more, or a message's refusal.
//
// Only what has somewhere to go waits for nobody: an answer goes to those of its children whose
// ports have room, and to the others later. Groups take turns, and go first; of refusals, ports
// take turns. What was chosen is looked at once more in the next cycle, for it may have come to an
// end meanwhile.
module llt_jobs
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [NumPorts-1:0] parent_i,   // the parent's port, one-hot, or zero
  input logic [NumPorts-1:0] room_i,     // ports whose send buffer has room for a packet

  // Of each group: its contribution waits for the parent; its answer waits for these ports, with
  // the vector or without; that vector is still being summed, or is the parent's; the header.
  input logic      [Groups-1:0]               rise_i,
  input logic      [Groups-1:0][NumPorts-1:0] want_i,
  input logic      [Groups-1:0][NumPorts-1:0] rest_i,
  input logic      [Groups-1:0]               summing_i,
  input logic      [Groups-1:0]               from_parent_i,
  input sat_head_t [Groups-1:0]               head_i,
  // Neighbours who are to hear that a tree has ended: [0] the streaming one, [1] both.
  input logic       [1:0][NumPorts-1:0] tell_i,
  input low_blame_t [1:0]               tell_why_i,
  input logic       [1:0][15:0]         tell_tree_i,
  // Ports whose message goes back as a refusal, and why.
  input logic       [NumPorts-1:0]      reply_i,
  input low_blame_t [NumPorts-1:0]      reply_why_i,
  // verilator lint_off UNUSEDSIGNAL
  input low_message_t [NumPorts-1:0]    message_i,   // only the header
  // verilator lint_on UNUSEDSIGNAL

  // With the transfer of a job: what of the above it is.
  output logic [Groups-1:0]               risen_o,
  output logic [Groups-1:0][NumPorts-1:0] answered_o,
  output logic [1:0][NumPorts-1:0]        told_o,
  output logic [NumPorts-1:0]             replied_o,

  // The message to be sent next.
  output logic      valid_o,
  input  logic      ready_i,
  output low_send_t send_o
);

  typedef logic [NumPorts-1:0] ports_t;

  typedef enum logic [2:0] {
    JobRise,
    JobWant,
    JobRest,
    JobTell,
    JobReply
  } job_e;

  // ---------------------------------------------------------------------------------------------
  // Who can go.

  logic [Groups-1:0] rises, wants, rests, can_q;
  job_e              kind_q[Groups];
  logic [GroupW-1:0] group;
  logic [PortW-1:0]  port;
  logic              some_group, some_port, choose;
  logic [1:0]        can_tell_q;
  ports_t            can_reply_q;

  // Of the cycle before; what has gone since is found below.
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      rises[g] = rise_i[g] && !summing_i[g] && (parent_i & room_i) != '0;
      wants[g] = !summing_i[g] && (want_i[g] & room_i) != '0;
      rests[g] = (rest_i[g] & room_i) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      can_q[g]  <= rises[g] || wants[g] || rests[g];
      kind_q[g] <= rises[g] ? JobRise : wants[g] ? JobWant : JobRest;
    end
    for (int unsigned t = 0; t < 2; t++) can_tell_q[t] <= (tell_i[t] & room_i) != '0;
    can_reply_q <= reply_i & room_i;
    if (!rst_ni) begin
      can_q       <= '0;
      can_tell_q  <= '0;
      can_reply_q <= '0;
    end
  end

  prim_arb_rr #(
    .N(Groups)
  ) u_groups (
    .clk_i,
    .rst_ni,
    .req_i    (can_q),
    .advance_i(choose),
    // verilator lint_off PINCONNECTEMPTY
    .gnt_o    (),
    // verilator lint_on PINCONNECTEMPTY
    .idx_o    (group),
    .valid_o  (some_group)
  );

  prim_arb_rr #(
    .N(NumPorts)
  ) u_ports (
    .clk_i,
    .rst_ni,
    .req_i    (can_reply_q),
    .advance_i(choose && !some_group && can_tell_q == '0),
    // verilator lint_off PINCONNECTEMPTY
    .gnt_o    (),
    // verilator lint_on PINCONNECTEMPTY
    .idx_o    (port),
    .valid_o  (some_port)
  );

  logic              chosen_q, tell_q;
  job_e              job_q;
  logic [GroupW-1:0] group_q;
  logic [PortW-1:0]  port_q;

  assign choose = ready_i && !chosen_q;

  always_ff @(posedge clk_i) begin
    chosen_q <= choose && (some_group || can_tell_q != '0 || some_port);
    group_q  <= group;
    port_q   <= port;
    tell_q   <= !can_tell_q[0];
    job_q    <= some_group ? kind_q[group] : (can_tell_q != '0) ? JobTell : JobReply;
    if (!rst_ni) chosen_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // The message, if it is still to be sent.

  ports_t    to;
  sat_head_t head;

  always_comb begin
    head = head_i[group_q];
    unique case (job_q)
      JobRise: to = rise_i[group_q] ? parent_i & room_i : '0;
      JobWant: to = want_i[group_q] & room_i;
      JobRest: begin
        to         = rest_i[group_q] & room_i;
        head.flags = '0;
      end
      JobTell: begin
        to           = tell_i[tell_q] & room_i;
        head         = '0;
        head.tag     = TreeTag;
        head.kind    = KindTeardown;
        head.tree    = tell_tree_i[tell_q];
        head.verdict = tell_why_i[tell_q].verdict;
        head.node    = tell_why_i[tell_q].node;
        head.port    = tell_why_i[tell_q].port;
      end
      default: begin
        to           = (reply_i & room_i) & (ports_t'(1) << port_q);
        head         = answer_of(message_i[port_q].head, 1'b0);
        head.verdict = reply_why_i[port_q].verdict;
        head.node    = reply_why_i[port_q].node;
        head.port    = reply_why_i[port_q].port;
      end
    endcase
  end

  // The same for each by itself, for it is the beginning of long ways.
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      risen_o[g]    = chosen_q && job_q == JobRise && group_q == GroupW'(g) && rise_i[g] &&
          (parent_i & room_i) != '0;
      answered_o[g] = '0;
      if (chosen_q && group_q == GroupW'(g)) begin
        if (job_q == JobWant) answered_o[g] = want_i[g] & room_i;
        if (job_q == JobRest) answered_o[g] = rest_i[g] & room_i;
      end
    end
    for (int unsigned t = 0; t < 2; t++) begin
      told_o[t] = (chosen_q && job_q == JobTell && tell_q == 1'(t)) ? tell_i[t] & room_i : '0;
    end
    replied_o = (chosen_q && job_q == JobReply) ?
        (reply_i & room_i) & (ports_t'(1) << port_q) : '0;
  end

  // Perhaps to nobody any more.
  assign valid_o = chosen_q;
  always_comb begin
    send_o.head        = head;
    send_o.carries     = head.flags.carries && (job_q == JobRise || job_q == JobWant);
    send_o.from_parent = job_q == JobWant && from_parent_i[group_q];
    send_o.group       = group_q;
    send_o.to          = MaxPorts'(to);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is chosen is taken; else it would be lost.
      a_taken : assert (!chosen_q || ready_i)
      else $error("%m: nobody takes what was chosen");
    end
  end

endmodule
