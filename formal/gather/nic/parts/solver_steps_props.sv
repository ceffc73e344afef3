// gather_solver around its queues: each step of the search for a column's node, for any partition,
// and who is let in.
//
// What the queue behind the search and the register at its end make of it is left out of the
// circuit and free (`cuts` of the task). They have proofs of their own: prim_fifo_ram, prim_skid.
module solver_steps_props #(
  parameter int unsigned NumNodes = 6,
  parameter int unsigned IndexBits = 12,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned Stages = 3 * NodeW,
  localparam int unsigned Room = 32
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 node_we_i,
  input logic [NodeW-1:0]     node_i,
  input logic [IndexBits-1:0] node_first_i,
  input logic                 valid_i,
  input logic [IndexBits-1:0] idx_i,
  input logic                 ready_i,
  input logic [31:0]          own_node_i
);

  logic                 ready, valid, own;
  logic [IndexBits-1:0] idx;
  logic [NodeW-1:0]     node;

  gather_solver #(
    .NumNodes (NumNodes),
    .IndexBits(IndexBits)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .node_we_i,
    .node_i,
    .node_first_i,
    .valid_i,
    .ready_o(ready),
    .idx_i,
    .valid_o(valid),
    .ready_i,
    .idx_o  (idx),
    .node_o (node),
    .own_node_i,
    .own_o  (own)
  );

  // ---------------------------------------------------------------------------------------------
  // Who is let in: counted from outside, modulo 64. What comes or goes is seen two cycles later.

  logic              past_q;   // it was reset once
  logic [5:0]        inside_q, late_q;
  logic              came_q, gone_q, ready_q;
  logic [Stages-1:0] there_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q   <= past_q || !rst_ni;
    came_q   <= valid_i && ready;
    gone_q   <= valid && ready_i;
    inside_q <= inside_q + 6'(valid_i && ready) - 6'(valid && ready_i);
    late_q   <= inside_q;
    ready_q  <= 32'(late_q) <= Room - 3;
    there_q  <= {there_q[Stages-2:0], valid_i && ready};
    if (!rst_ni) {came_q, gone_q, inside_q, late_q, ready_q, there_q} <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Where nodes begin, and what was written in the cycle before.

  logic [2**NodeW-1:0][IndexBits-1:0] first, begins, was_q;
  logic                               cycle_q, written_q;   // there was one
  logic [NodeW-1:0]                   node_q;
  logic [IndexBits-1:0]               told_q;
  initial cycle_q = 1'b0;
  assign first[0] = '0;
  for (genvar n = 0; n < 2 ** NodeW - 1; n++) begin : gen_where
    // Node n + 1: the step that looks at it is that of its lowest one.
    localparam int unsigned Low = (n % 2 == 0) ? 0 : (n % 4 == 1) ? 1 : 2;
    assign first[n+1] = u_dut.gen_step[NodeW-1-Low].first_q[(n+1)>>(Low+1)];
  end
  always_comb begin
    begins = was_q;
    if (written_q && node_q != '0) begins[node_q] = told_q;
  end
  always_ff @(posedge clk_i) begin
    {cycle_q, written_q, node_q, told_q} <= {1'b1, node_we_i, node_i, node_first_i};
    was_q <= first;
    // A node begins where it was told to, from the next cycle on, and no other one does.
    a_begins : assert (!cycle_q || first == begins)
    else $error("nodes begin elsewhere");
  end

  // A column in front of each step: the node whose upper bits are found. `known`: it began after
  // the first cycle.
  typedef struct packed {
    logic                 known;
    logic [IndexBits-1:0] idx;
    logic [NodeW-1:0]     node;
  } search_t;
  search_t [NodeW:0] front;
  assign front[0] = '{known: 1'b1, idx: idx_i, node: '0};

  for (genvar s = 0; s < NodeW; s++) begin : gen_step
    localparam int unsigned Bit = NodeW - 1 - s;
    logic [NodeW-1:0]     middle;   // the first node of the upper half of those that are left
    search_t              one_q, two_q, three_q;
    logic [IndexBits-1:0] begins1_q, begins2_q;
    logic                 there1_q, there2_q;
    initial {one_q.known, two_q.known, three_q.known} = '0;

    assign middle = front[s].node + NodeW'(1 << Bit);
    assign front[s+1] = three_q;
    always_ff @(posedge clk_i) begin
      one_q     <= front[s];
      begins1_q <= first[middle];
      there1_q  <= 32'(middle) < NumNodes;
      {two_q, begins2_q, there2_q} <= {one_q, begins1_q, there1_q};
      three_q   <= two_q;
      if (there2_q && two_q.idx >= begins2_q) three_q.node <= two_q.node + NodeW'(1 << Bit);
    end

    always_ff @(posedge clk_i) begin
      // Each step goes on in the upper half if that has nodes, and the column is none of those in
      // front of it.
      a_step : assert (!three_q.known || {u_dut.gen_step[s].found3_q.idx,
                       u_dut.gen_step[s].found3_q.node} == {three_q.idx, three_q.node})
      else $error("step %0d: node %0d", s, u_dut.gen_step[s].found3_q.node);
      // These help the proof.
      a_one : assert (!one_q.known || ({u_dut.gen_step[s].found1_q, u_dut.gen_step[s].is1_q} ==
                      {one_q.idx, one_q.node, there1_q} &&
                      u_dut.gen_step[s].middle_q == begins1_q))
      else $error("step %0d begins", s);
      a_two : assert (!two_q.known || ({u_dut.gen_step[s].found2_q, u_dut.gen_step[s].is2_q} ==
                      {two_q.idx, two_q.node, there2_q} &&
                      u_dut.gen_step[s].above == (two_q.idx >= begins2_q)))
      else $error("step %0d compares", s);
      a_zeros : assert (!front[s].known || (front[s].node & NodeW'((1 << (Bit + 1)) - 1)) == '0)
      else $error("step %0d is done", s);
    end
  end

  always_ff @(posedge clk_i) begin
    // What leaves is what the register shows.
    a_out : assert (valid == u_dut.u_out.out_valid_o && {idx, node, own} == u_dut.u_out.out_o &&
                    u_dut.u_out.out_ready_i == ready_i)
    else $error("out");
    // Columns go through it from the queue, all reset together.
    a_queue : assert (u_dut.u_out.in_valid_i == u_dut.u_solved.out_valid_o &&
                      u_dut.u_out.in_i == u_dut.u_solved.out_o &&
                      u_dut.u_solved.out_ready_i == u_dut.u_out.in_ready_o &&
                      {u_dut.u_solved.rst_ni, u_dut.u_out.rst_ni} == {2{rst_ni}})
    else $error("queue");
    // What is found is told of the last step, and whether it is this node.
    a_solved : assert (!front[NodeW].known || u_dut.u_solved.in_i == {front[NodeW].idx,
                       front[NodeW].node, own_node_i == 32'(front[NodeW].node)})
    else $error("solved");
    if (past_q) begin
      // Columns are let in while, with all that came and went until three cycles ago, there is room
      // for three more.
      a_ready : assert (ready == ready_q)
      else $error("ready %b", ready);
      // So many cycles later a column is solved.
      a_there : assert (u_dut.u_solved.in_valid_i == there_q[Stages-1] && u_dut.valid_q == there_q)
      else $error("inside %b", u_dut.valid_q);
      // This helps the proof.
      a_inside : assert (u_dut.inside_q == late_q && {u_dut.take_q, u_dut.give_q} ==
                         {came_q, gone_q} && inside_q == late_q + 6'(came_q) - 6'(gone_q))
      else $error("%0d inside", u_dut.inside_q);

      // The last node is found of a column that is not its first one.
      c_last : cover (rst_ni && u_dut.u_solved.in_valid_i && front[NodeW].known &&
                      front[NodeW].node == NodeW'(NumNodes - 1) &&
                      front[NodeW].idx > first[NumNodes-1]);
    end
  end

endmodule
