// Says what the oldest message of a port is, for all rules that need nothing but the message, the
// set-up, and the number of the group's operation.
//
// Ports are looked at in turn. An answer waits until it is taken, and those behind it wait with it;
// with `flush_i` all are forgotten, and those ports get their turn again.
module llt_look
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t                  cfg_i,         // of the tree; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic         [15:0]       tree_i,        // this tree's number; cfg_i has the other's
  input low_message_t [NumPorts-1:0] message_i,   // oldest message of each port
  input low_message_t              cast_i,        // the parent's multicast, before its messages
  input logic         [NumPorts-1:0] not_i,       // ports of which none is looked at now
  // Of each group: it had an operation; the number of that, or of the one under way; and the
  // operation's code, as it went up or came down.
  input logic [Groups-1:0]         any_i,
  input logic [Groups-1:0][31:0]   sequence_no_i,
  input logic [Groups-1:0][7:0]    operation_i,

  // What was found is forgotten. The answer, and that it is taken.
  input  logic      flush_i,
  input  logic      ready_i,
  output low_seen_t seen_o
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t           want, pick, looks_q;   // looked at, or waiting to be decided on
  ports_t           parent_q;              // its port, or none; nobody asks in the first cycle
  logic [PortW-1:0] picked;
  logic             some, go;
  // verilator lint_off UNUSEDSIGNAL
  low_message_t     message_q;   // that there is one was seen by who asks
  // verilator lint_on UNUSEDSIGNAL
  sat_head_t        head;
  low_seen_t        seen1, seen1_q;
  logic             ask_q, asked_q, match;
  logic             cast, casted_q;   // it is the multicast
  logic [Groups-1:0] child_q;   // of these groups
  logic [PortW-1:0] port_q, looked_q;

  assign go = !seen_o.valid || ready_i;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      want[p] = ((message_i[p].valid && !not_i[p]) || (cast_i.valid && parent_q[p])) && !looks_q[p];
    end
  end

  prim_arb_rr #(
    .N(NumPorts)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i    (want),
    .advance_i(go),
    .gnt_o    (pick),
    .idx_o    (picked),
    .valid_o  (some)
  );

  // One that came since the port was picked goes first, too.
  assign cast = cast_i.valid && cfg_i.parent_valid && cfg_i.parent == 4'(port_q);

  // By itself.
  assign head = message_q.head;
  always_comb begin
    seen1           = '0;
    match           = 1'b0;
    seen1.valid     = asked_q;
    seen1.port      = 4'(looked_q);
    seen1.header    = message_q.whole && is_head(head);
    seen1.parent    = cfg_i.parent_valid && cfg_i.parent == 4'(looked_q);
    seen1.this_tree = head.tree == tree_i;
    seen1.that_tree = head.tree == cfg_i.tree;
    seen1.good      = head.length <= LowMost &&
        message_q.bytes == (head.flags.carries ? head.length[BytesW-1:0] : '0);
    seen1.head      = head;
    seen1.cast      = casted_q;
    // No two groups have the same number.
    for (int unsigned g = 0; g < Groups; g++) begin
      match = cfg_i.groups[g].valid && cfg_i.groups[g].id == head.group;
      seen1.known |= match;
      seen1.child |= match && child_q[g];
      seen1.group |= match ? GroupW'(g) : '0;
    end
  end

  // Of the difference only its sign.
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] sequence_no, behind;
  // verilator lint_on UNUSEDSIGNAL
  assign sequence_no = sequence_no_i[seen1_q.group];
  assign behind      = seen1_q.head.sequence_no - sequence_no;

  always_ff @(posedge clk_i) begin
    parent_q <= cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (go && pick[p]) looks_q[p] <= 1'b1;
      if (seen_o.valid && ready_i && seen_o.port == 4'(p)) looks_q[p] <= 1'b0;
    end
    if (go) begin
      ask_q     <= some;
      port_q    <= picked;
      asked_q   <= ask_q;
      looked_q  <= port_q;
      casted_q  <= cast;
      message_q <= cast ? cast_i : message_i[port_q];
      for (int unsigned g = 0; g < Groups; g++) begin
        child_q[g] <= cfg_i.groups[g].children[4'(port_q)];
      end
      seen1_q   <= seen1;
      seen_o       <= seen1_q;
      seen_o.good  <= seen1_q.this_tree && seen1_q.good;
      seen_o.same  <= any_i[seen1_q.group] && seen1_q.head.sequence_no == sequence_no;
      seen_o.ahead <= !any_i[seen1_q.group] ||
          (!behind[31] && seen1_q.head.sequence_no != sequence_no);
      seen_o.asked <= seen1_q.head.operation == operation_i[seen1_q.group] ||
          seen1_q.head.verdict != VerdictOk;
    end
    if (!rst_ni || flush_i) begin
      ask_q         <= 1'b0;
      asked_q       <= 1'b0;
      seen1_q.valid <= 1'b0;
      seen_o.valid  <= 1'b0;
      looks_q       <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is looked at stays until it is taken; else a decision would be about another message.
      a_there : assert (!seen_o.valid ||
                        (seen_o.cast ? cast_i.valid : message_i[seen_o.port[PortW-1:0]].valid))
      else $error("%m: port %0d has no message to look at", seen_o.port);
    end
  end

endmodule
