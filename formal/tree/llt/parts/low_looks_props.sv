// llt_look: whose message is looked at next, and what is said of it: each fact from the message,
// from the set-up, and from the number of its group's operation, for any of them. What is looked at
// goes through three steps, which wait while what was found is not taken.
module low_looks_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input sat_cfg_t                    cfg_i,
  input logic         [15:0]         tree_i,
  input low_message_t [NumPorts-1:0] message_i,
  input low_message_t                cast_i,
  input logic         [NumPorts-1:0] not_i,
  input logic [Groups-1:0]           any_i,
  input logic [Groups-1:0][31:0]     sequence_no_i,
  input logic [Groups-1:0][7:0]      operation_i,
  input logic                        flush_i,
  input logic                        ready_i
);

  low_seen_t seen;
  logic      begun_q, rst_n;
  // The first cycle is one of reset.
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;
  assign rst_n = rst_ni && begun_q;

  llt_look #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni(rst_n),
    .cfg_i,
    .tree_i,
    .message_i,
    .cast_i,
    .not_i,
    .any_i,
    .sequence_no_i,
    .operation_i,
    .flush_i,
    .ready_i,
    .seen_o(seen)
  );

  // ---------------------------------------------------------------------------------------------
  // Whose turn it is: the first port behind the last one of whom a message is there, or the
  // parent's multicast, and that is not looked at.

  logic [NumPorts-1:0] asks, looked_q, parent_q;
  logic [PortW-1:0]    last_q, turn;
  logic                goes;
  int unsigned         p;
  always_comb begin
    for (int unsigned n = 0; n < NumPorts; n++) begin
      asks[n] = !looked_q[n] && ((message_i[n].valid && !not_i[n]) ||
                                 (cast_i.valid && parent_q[n]));
    end
    turn = '0;
    for (int unsigned n = NumPorts; n > 0; n--) begin
      p = (32'(last_q) + n) % NumPorts;
      if (asks[p]) turn = PortW'(p);
    end
    goes = !seen.valid || ready_i;
  end

  /// A message, and what was known when.
  typedef struct packed {
    logic              valid, cast, parent, this_tree, that_tree;
    logic [PortW-1:0]  port;
    low_message_t      m;
    logic [Groups-1:0] child;   // the port is one of these groups
    logic [Groups-1:0] its;     // it names these, which are there
  } step_t;
  step_t            first_q, second_q, third_q, fourth_q;
  logic             any_q, number_q, behind_q, casts;
  logic [7:0]       operation_q;

  // The multicast goes before a message of the parent's port.
  assign casts = cast_i.valid && cfg_i.parent_valid && cfg_i.parent == 4'(first_q.port);

  // The group that it names; 0 if there is none.
  function automatic logic [GroupW-1:0] group_of(logic [Groups-1:0] its);
    group_of = '0;
    for (int unsigned g = 0; g < Groups; g++) if (its[g]) group_of = GroupW'(g);
  endfunction

  always_ff @(posedge clk_i) begin
    parent_q <= '0;
    for (int unsigned n = 0; n < NumPorts; n++) begin
      if (cfg_i.parent_valid && cfg_i.parent == 4'(n)) parent_q[n] <= 1'b1;
    end
    if (goes && asks != '0) last_q <= turn;
    if (seen.valid && ready_i) looked_q[seen.port[PortW-1:0]] <= 1'b0;
    if (goes) begin
      if (asks != '0) looked_q[turn] <= 1'b1;
      first_q       <= '0;
      first_q.valid <= asks != '0;
      first_q.port  <= turn;

      second_q      <= first_q;
      second_q.cast <= casts;
      second_q.m    <= casts ? cast_i : message_i[first_q.port];
      for (int unsigned g = 0; g < Groups; g++) begin
        second_q.child[g] <= cfg_i.groups[g].children[4'(first_q.port)];
      end

      third_q           <= second_q;
      third_q.parent    <= cfg_i.parent_valid && cfg_i.parent == 4'(second_q.port);
      third_q.this_tree <= second_q.m.head.tree == tree_i;
      third_q.that_tree <= second_q.m.head.tree == cfg_i.tree;
      for (int unsigned g = 0; g < Groups; g++) begin
        third_q.its[g] <= cfg_i.groups[g].valid && cfg_i.groups[g].id == second_q.m.head.group;
      end

      fourth_q      <= third_q;
      any_q         <= any_i[u_dut.seen1_q.group];   // a_group says that it is its own
      number_q      <= u_dut.seen1_q.head.sequence_no == sequence_no_i[u_dut.seen1_q.group];
      behind_q      <= u_dut.seen1_q.head.sequence_no - sequence_no_i[u_dut.seen1_q.group] <
          32'h8000_0000;
      operation_q   <= operation_i[u_dut.seen1_q.group];
    end
    if (!rst_n || flush_i) begin
      {first_q.valid, second_q.valid, third_q.valid, fourth_q.valid} <= '0;
      looked_q <= '0;
    end
    if (!rst_n) last_q <= PortW'(NumPorts - 1);
  end

  // ---------------------------------------------------------------------------------------------

  // A header has the tag, and no kind, operation, verdict or flag that there is not.
  function automatic logic is_one(low_message_t m);
    return m.whole && m.head.tag == TreeTag &&
        m.head.kind inside {KindUp, KindDown, KindTeardown} &&
        m.head.operation inside {[8'd0:8'd5]} && m.head.verdict inside {[8'd0:8'd6]} &&
        m.head.flags.none == '0;
  endfunction

  // As much follows the header as it says: a vector of at most 1,024 bytes, or nothing.
  function automatic logic fits(low_message_t m);
    return m.head.length <= 32'd1024 &&
        32'(m.bytes) == (m.head.flags.carries ? m.head.length : 32'd0);
  endfunction

  // Ports in the steps.
  logic [NumPorts-1:0] steps;
  logic [2:0]          number;
  always_comb begin
    steps  = '0;
    number = 3'(first_q.valid) + 3'(second_q.valid) + 3'(third_q.valid) + 3'(fourth_q.valid);
    for (int unsigned n = 0; n < NumPorts; n++) begin
      steps[n] = (first_q.valid && first_q.port == PortW'(n)) ||
          (second_q.valid && second_q.port == PortW'(n)) ||
          (third_q.valid && third_q.port == PortW'(n)) ||
          (fourth_q.valid && fourth_q.port == PortW'(n));
    end
  end

  step_t f;
  assign f = fourth_q;

  always_ff @(posedge clk_i) begin
    if (begun_q && rst_n) begin
      // Ports have their turns, and none is looked at twice.
      a_turn : assert (u_dut.u_turn.last == NumPorts'(1) << last_q &&
                       u_dut.looks_q == looked_q && u_dut.parent_q == parent_q)
      else $error("%b %b", u_dut.u_turn.last, u_dut.looks_q);
      // Those are looked at that are in one of the steps, each in one.
      a_once : assert (looked_q == steps && 3'($countones(steps)) == number)
      else $error("%b, %0d of %b", looked_q, number, steps);
      // Whose turn it is, in the first step;
      a_first : assert (u_dut.ask_q == first_q.valid &&
                        (!first_q.valid || u_dut.port_q == first_q.port))
      else $error("port %0d", u_dut.port_q);
      // its message, in the second one;
      a_second : assert (u_dut.asked_q == second_q.valid && (!second_q.valid ||
          (u_dut.looked_q == second_q.port && u_dut.casted_q == second_q.cast &&
           u_dut.message_q == second_q.m && u_dut.child_q == second_q.child)))
      else $error("port %0d", u_dut.looked_q);
      // and what it says by itself, in the third one, the same that is found below.
      a_third : assert (u_dut.seen1_q.valid == third_q.valid && (!third_q.valid ||
          (u_dut.seen1_q.port == 4'(third_q.port) && u_dut.seen1_q.head == third_q.m.head &&
           u_dut.seen1_q.cast == third_q.cast && u_dut.seen1_q.parent == third_q.parent &&
           u_dut.seen1_q.header == is_one(third_q.m) && u_dut.seen1_q.good == fits(third_q.m) &&
           u_dut.seen1_q.this_tree == third_q.this_tree &&
           u_dut.seen1_q.that_tree == third_q.that_tree &&
           u_dut.seen1_q.known == (third_q.its != '0) &&
           u_dut.seen1_q.child == ((third_q.its & third_q.child) != '0) &&
           (!$onehot0(third_q.its) || u_dut.seen1_q.group == group_of(third_q.its)))))
      else $error("port %0d", u_dut.seen1_q.port);

      // Something is shown when a port had its turn, until it is taken or forgotten.
      a_valid : assert (seen.valid == f.valid)
      else $error("valid %b", seen.valid);
      if (f.valid) begin
        // It is of the port that had its turn, the parent's multicast or its oldest message.
        a_port : assert (seen.port == 4'(f.port) && seen.cast == f.cast)
        else $error("port %0d", seen.port);
        // With that message's header.
        a_head : assert (seen.head == f.m.head)
        else $error("%h", seen.head);
        // Which is one if it is long enough, has the tag and only codes that there are.
        a_header : assert (seen.header == is_one(f.m))
        else $error("header %b", seen.header);
        // It is of the parent if its port is.
        a_parent : assert (seen.parent == f.parent)
        else $error("parent %b", seen.parent);
        // The tree that it names is this one, or the streaming one.
        a_tree : assert (seen.this_tree == f.this_tree && seen.that_tree == f.that_tree)
        else $error("tree %b %b", seen.this_tree, seen.that_tree);
        // It is good if it is of this tree, and as long as it says.
        a_good : assert (seen.good == (f.this_tree && fits(f.m)))
        else $error("good %b", seen.good);
        // The group that it names is known if there is one of that number,
        a_known : assert (seen.known == (f.its != '0))
        else $error("known %b", seen.known);
        // is that one, or 0,
        a_group : assert (!$onehot0(f.its) || seen.group == group_of(f.its))
        else $error("group %0d", seen.group);
        // and has this child.
        a_child : assert (seen.child == ((f.its & f.child) != '0))
        else $error("child %b", seen.child);
        // Its number is that of the group's last operation,
        a_same : assert (seen.same == (any_q && number_q))
        else $error("same %b", seen.same);
        // or a later one; a group that had none may begin with any.
        a_ahead : assert (seen.ahead == (!any_q || (!number_q && behind_q)))
        else $error("ahead %b", seen.ahead);
        // It says how that operation ended, or that something failed.
        a_asked : assert (seen.asked == (f.m.head.operation == operation_q ||
                                         f.m.head.verdict != VerdictOk))
        else $error("asked %b", seen.asked);
      end

      // The multicast of the parent's port; a contribution to the last group.
      c_cast : cover (seen.valid && seen.cast && seen.good && seen.same);
      c_last : cover (seen.valid && seen.child && seen.group == '1 && seen.header && seen.ahead);
    end
  end

endmodule
