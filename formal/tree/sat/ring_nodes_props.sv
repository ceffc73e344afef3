// sat_ring around its nodes, whatever these answer: each node is given what the one before it in
// its half ring answered and the row of its port, with the operation and the children of that row;
// the last one is given both halves' sums, and what it answers is the result. With what a node
// makes of two operands five cycles later (prim_fp32_reduce, prim_fp32_sum), that are the half
// rings of docs/tree.md: no stand-in for nodes is needed. Answers of nodes are free here (cuts).
module ring_nodes_props
  import roce_pkg::*;
  import prim_fp16_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned WideLanes = 0,
  /// The lane of nodes that is followed, and the words of the row that it has; lanes are copies of
  /// each other in the RTL.
  parameter int unsigned Lane = 5
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [7:0]                        in_kind_i,
  input logic [NumPorts-1:0]               in_children_i,
  input logic [NumPorts-1:0][BeatBits-1:0] rows_i
);

  localparam int unsigned HalfPorts = NumPorts / 2;
  localparam int unsigned RowRead = 2;
  localparam int unsigned Node = 5;   // cycles that a node takes
  localparam int unsigned First = RowRead + 1;
  localparam int unsigned Root = First + Node * HalfPorts;

  logic                out_valid;
  logic [BeatBits-1:0] out_row;

  sat_ring #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .RowRead  (RowRead)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (),
    .in_kind_i,
    .in_children_i,
    .in_along_i (1'b0),
    .row_re_o   (),
    .row_i      (rows_i),
    .out_valid_o(out_valid),
    .out_row_o  (out_row),
    .out_along_o()
  );

  // ---------------------------------------------------------------------------------------------
  // What has come in: [n] n cycles before, one for each pass of a row.

  typedef struct packed {
    logic                valid;
    logic                high;
    logic                half;
    logic                bf16;
    logic                is_int;
    logic [1:0]          op;
    logic [NumPorts-1:0] children;
  } pass_t;

  logic                     started_q;
  pass_t                    pass, row_q;   // the row in the cycle before
  pass_t       [Root+2:0]   pass_q;
  initial started_q = 1'b0;

  always_comb begin
    pass          = '0;
    pass.valid    = in_valid_i && rst_ni;
    pass.half     = in_kind_i[3:0] == TypeFp16 || in_kind_i[3:0] == TypeBf16;
    pass.bf16     = in_kind_i[3:0] == TypeBf16;
    pass.is_int   = in_kind_i[3:0] == TypeInt32;
    pass.op       = in_kind_i[5:4];
    pass.children = in_children_i;
    // The second half of the row before.
    if (WideLanes == 0 && row_q.valid && row_q.half) begin
      pass      = row_q;
      pass.high = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    row_q     <= pass;
    if (pass.high) row_q.valid <= 1'b0;
    pass_q <= {pass_q[Root+1:0], pass};
    if (!rst_ni) begin
      row_q.valid <= 1'b0;
      for (int unsigned n = 0; n <= Root + 2; n++) pass_q[n].valid <= 1'b0;
    end
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  // ---------------------------------------------------------------------------------------------
  // The half rings of docs/tree.md: ports of a half one after the other, each with its row.

  for (genvar h = 0; h < 2; h++) begin : gen_half
    for (genvar p = 0; p < HalfPorts; p++) begin : gen_port
      localparam int unsigned Port = h * HalfPorts + p;
      localparam int unsigned Read = (p < 2) ? 0 : Node * (p - 1);
      pass_t               comes, now;   // its row comes; it is an operand
      logic [BeatBits-1:0] row_q, row;   // of the cycle before; of this pass
      logic [15:0]         half;
      logic [31:0]         leaf_q;
      assign comes = pass_q[Read+RowRead];
      assign now   = pass_q[Read+First];
      assign row   = comes.high ? row_q : rows_i[Port];
      assign half  = row[16*(Lane+((WideLanes==0&&comes.high)?16:0))+:16];
      always_ff @(posedge clk_i) begin
        row_q  <= rows_i[Port];
        leaf_q <= comes.half ? (comes.bf16 ? bf16_widen(half) : fp16_widen(half)) :
            (Lane < 16) ? row[32*(Lane%16)+:32] : '0;
      end
      if (p > 0) begin : gen_step
        logic [31:0] so_far;   // of this row: the first port's, or what the node before answers
        if (p == 1) begin : gen_second
          assign so_far = gen_half[h].gen_port[0].leaf_q;
        end else begin : gen_later
          assign so_far = u_dut.gen_half[h].gen_port[p-1].gen_step.gen_lane[Lane].u_lane.y_o;
        end
        always_ff @(posedge clk_i) begin
          if (rst_ni) begin
            // A node is given what the ports before make of this row, and the element of its own
            // port, widened if it is of 16 bits, ...
            a_operands : assert (!now.valid || ((now.children[h*HalfPorts+:p] == '0 ||
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.a_i == so_far) &&
                (!now.children[Port] ||
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.b_i == leaf_q)));
            // ... with the row's operation, and it combines ports that have a child.
            a_operation : assert (
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.valid_i == now.valid &&
                (!now.valid || (
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.is_int_i ==
                    now.is_int &&
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.op_i == now.op &&
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.a_valid_i ==
                    (now.children[h*HalfPorts+:p] != '0) &&
                u_dut.gen_half[h].gen_port[p].gen_step.gen_lane[Lane].u_lane.b_valid_i ==
                    now.children[Port])));
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Both halves, and the result.

  pass_t            meet, last;
  logic [2:1][31:0] root_q;   // what the last node answered
  logic [3:3][31:0] root3_q;
  logic             single;
  logic      [15:0] low, half;
  assign meet   = pass_q[Root-Node];
  assign last   = pass_q[Root+2];
  assign single = (last.children & (last.children - NumPorts'(1))) == '0;

  function automatic logic [15:0] cut(logic [31:0] f, logic bf16, logic alone);
    cut = rounded(bf16 ? bf16_cut(f, alone) : fp16_cut(f, alone));
  endfunction

  assign low  = cut(root3_q[3], last.bf16, single);
  assign half = cut(root_q[2], last.bf16, single);

  logic [Root:0]   along;
  logic [Root+1:0] behind;   // the second pass of a row is behind its first one
  always_comb begin
    for (int unsigned n = 0; n <= Root + 1; n++) begin
      behind[n] = !pass_q[n].valid || !pass_q[n].high || (pass_q[n].half && !pass_q[n+1].high &&
          pass_q[n+1] == {pass_q[n].valid, 1'b0, pass_q[n][$bits(pass_t)-3:0]});
    end
    for (int unsigned n = 0; n <= Root; n++) begin
      along[n] = u_dut.pass_q[n].valid == pass_q[n].valid && (!pass_q[n].valid || (
          u_dut.pass_q[n].high == pass_q[n].high && u_dut.pass_q[n].half == pass_q[n].half &&
          u_dut.pass_q[n].bf16 == pass_q[n].bf16 && u_dut.pass_q[n].is_int == pass_q[n].is_int &&
          u_dut.pass_q[n].op == pass_q[n].op && u_dut.pass_q[n].children == pass_q[n].children));
    end
  end

  always_ff @(posedge clk_i) begin
    root_q     <= {root_q[1], u_dut.gen_lane[Lane].u_lane.y_o};
    root3_q[3] <= root_q[2];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Both halves' sums of a row meet, left and right, with the row's operation, if they have a
      // child.
      a_meet : assert (u_dut.gen_lane[Lane].u_lane.valid_i == meet.valid && (!meet.valid || (
          u_dut.gen_lane[Lane].u_lane.a_i ==
              u_dut.gen_half[0].gen_port[HalfPorts-1].gen_step.gen_lane[Lane].u_lane.y_o &&
          u_dut.gen_lane[Lane].u_lane.b_i ==
              u_dut.gen_half[1].gen_port[HalfPorts-1].gen_step.gen_lane[Lane].u_lane.y_o &&
          u_dut.gen_lane[Lane].u_lane.is_int_i == meet.is_int &&
          u_dut.gen_lane[Lane].u_lane.op_i == meet.op &&
          u_dut.gen_lane[Lane].u_lane.a_valid_i == (meet.children[HalfPorts-1:0] != '0) &&
          u_dut.gen_lane[Lane].u_lane.b_valid_i == (meet.children[NumPorts-1:HalfPorts] != '0))));
      // A row leaves for each that came, with its only pass or its second one.
      a_leaves_once : assert (out_valid == (last.valid &&
          (WideLanes != 0 || !last.half || last.high)));
      // Its elements are what the last node answered, those of 16 bits cut once; an only child's
      // bits stay as they are.
      a_whole : assert (!out_valid || last.half || Lane >= 16 ||
          out_row[32*(Lane%16)+:32] == root_q[2]);
      a_half : assert (!out_valid || !last.half || (
          out_row[16*(Lane+(WideLanes!=0?0:16))+:16] == half &&
          (WideLanes != 0 || out_row[16*(Lane%16)+:16] == low)));
      // What goes along with a row is the row's (helps the proof).
      a_along : assert (along == '1 && behind == '1);
      // A row of 16-bit elements of all ports, behind one of 32 bits.
      c_kinds : cover (out_valid && last.half && pass_q[Root+2-((WideLanes!=0)?1:0)].valid &&
                       last.children == '1);
    end
  end

endmodule
