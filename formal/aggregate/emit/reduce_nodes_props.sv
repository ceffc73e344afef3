// agg_reduce around its nodes, whatever these answer: each node is given what the two below it
// answered, in their order, with the operation of its row and the ranks that the row's ring has;
// the first ones are given the row's elements, and what the last one answers is the result. With
// what a node makes of two operands five cycles later (prim_fp32_reduce, prim_fp32_sum), that is
// the tree of docs/wire.md: no stand-in for nodes is needed. Answers of nodes are free here (cuts).
module reduce_nodes_props
  import roce_pkg::*;
  import agg_pkg::*;
  import prim_fp16_pkg::*;
#(
  parameter int unsigned NumRanks = 6,
  parameter int unsigned WideLanes = 0,
  /// The lane of nodes that is followed, and the words of the row that it has; lanes are copies of
  /// each other in the RTL.
  parameter int unsigned Lane = 5
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i
);

  localparam int unsigned Levels = $clog2(NumRanks);
  localparam int unsigned Node = 5;   // cycles that a node takes
  localparam int unsigned Depth = Levels * Node;

  logic                out_valid;
  logic [BeatBits-1:0] out_row;

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(WideLanes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_rows_i,
    .in_workers_i,
    .in_kind_i,
    .in_last_i,
    .in_ports_i,
    .in_keep_i  (1'b0),
    .in_kept_i  (1'b0),
    .in_at_i    ('0),
    .in_found_i ('0),
    .kept_re_o  (),
    .kept_at_o  (),
    .out_valid_o(out_valid),
    .out_row_o  (out_row),
    .out_last_o (),
    .out_ports_o(),
    .out_keep_o (),
    .out_kept_o (),
    .out_at_o   (),
    .out_found_o()
  );

  // ---------------------------------------------------------------------------------------------
  // What has come in: [n] n cycles before its operands, one for each pass of a row.

  typedef struct packed {
    logic           valid;
    logic           high;
    logic           half;
    logic           bf16;
    logic           is_int;
    logic [1:0]     op;
    logic [RankW:0] workers;
  } pass_t;

  logic                            started_q;
  pass_t                           pass, row_q;     // the row in the cycle before
  pass_t             [Depth+2:0]   pass_q;
  logic [NumRanks-1:0][31:0]       leaf, leaf_q;
  logic [NumRanks-1:0][BeatBits-1:0] rows_q;
  initial started_q = 1'b0;

  always_comb begin
    pass         = '0;
    pass.valid   = in_valid_i && rst_ni;
    pass.half    = in_kind_i[3:0] == TypeFp16 || in_kind_i[3:0] == TypeBf16;
    pass.bf16    = in_kind_i[3:0] == TypeBf16;
    pass.is_int  = in_kind_i[3:0] == TypeInt32;
    pass.op      = in_kind_i[5:4];
    pass.workers = in_workers_i;
    // The second half of the row before.
    if (WideLanes == 0 && row_q.valid && row_q.half) begin
      pass      = row_q;
      pass.high = 1'b1;
    end
    for (int unsigned r = 0; r < NumRanks; r++) begin
      logic [BeatBits-1:0] row;
      logic [15:0]         half;
      row  = pass.high ? rows_q[r] : in_rows_i[r];
      half = row[16*(Lane+(pass.high?16:0))+:16];
      leaf[r] = pass.half ? (pass.bf16 ? bf16_widen(half) : fp16_widen(half)) :
          (Lane < 16) ? row[32*(Lane%16)+:32] : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    row_q     <= pass;
    if (pass.high) row_q.valid <= 1'b0;
    rows_q    <= in_rows_i;
    leaf_q    <= leaf;
    pass_q    <= {pass_q[Depth+1:0], pass};
    if (!rst_ni) begin
      row_q.valid <= 1'b0;
      for (int unsigned n = 0; n <= Depth + 2; n++) pass_q[n].valid <= 1'b0;
    end
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    // A ring has at least one rank, and no more than there are.
    e_workers : assume (!in_valid_i || (in_workers_i != '0 && 32'(in_workers_i) <= NumRanks));
  end

  // ---------------------------------------------------------------------------------------------
  // The tree of docs/wire.md: neighbours are combined, then pairs of the results, and so on; one
  // without a neighbour passes through, as late.

  for (genvar k = 0; k <= Levels; k++) begin : gen_level
    localparam int unsigned Nodes = (NumRanks + 2 ** k - 1) / 2 ** k;
    logic [Nodes-1:0][31:0] value;
    if (k == 0) begin : gen_leaves
      assign value = leaf_q;
      always_ff @(posedge clk_i) begin
        if (rst_ni) begin
          // The tree is given the elements of this row, of each rank, widened if they are of 16
          // bits.
          a_leaves : assert (!pass_q[0].valid || (
              u_dut.gen_level[0].value[0][Lane] == leaf_q[0] &&
              u_dut.gen_level[0].value[NumRanks-1][Lane] == leaf_q[NumRanks-1]));
        end
      end
    end else begin : gen_nodes
      localparam int unsigned Below = (NumRanks + 2 ** (k - 1) - 1) / 2 ** (k - 1);
      for (genvar j = 0; j < Nodes; j++) begin : gen_node
        if (2 * j + 1 < Below) begin : gen_pair
          assign value[j] =
              u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.y_o;
          pass_t now;
          assign now = pass_q[(k-1)*Node];
          always_ff @(posedge clk_i) begin
            if (rst_ni) begin
              // A node is given what those below it make of this row, left and right, ...
              a_operands : assert (!now.valid || (
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.a_i ==
                      gen_level[k-1].value[2*j] &&
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.b_i ==
                      gen_level[k-1].value[2*j+1]));
              // ... with the row's operation, and it combines ranks that the ring has.
              a_operation : assert (
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.valid_i ==
                      now.valid && (!now.valid || (
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.is_int_i
                      == now.is_int &&
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.op_i ==
                      now.op &&
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.a_valid_i
                      == (32'(now.workers) > 2 * j * 2 ** (k - 1)) &&
                  u_dut.gen_level[k].gen_nodes.gen_node[j].gen_pair.gen_lane[Lane].u_lane.b_valid_i
                      == (32'(now.workers) > (2 * j + 1) * 2 ** (k - 1)))));
            end
          end
        end else begin : gen_through
          logic [Node:1][31:0] was_q;
          always_ff @(posedge clk_i) was_q <= {was_q[Node-1:1], gen_level[k-1].value[2*j]};
          assign value[j] = was_q[Node];
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The result.

  logic [2:1][31:0] root_q;   // what the last node answered
  logic [3:3][31:0] root3_q;
  pass_t            last;
  logic             single;
  logic      [15:0] low, half;
  assign last   = pass_q[Depth+2];
  assign single = last.workers == (RankW + 1)'(1);

  function automatic logic [15:0] cut(logic [31:0] f, logic bf16, logic alone);
    cut = rounded(bf16 ? bf16_cut(f, alone) : fp16_cut(f, alone));
  endfunction

  assign low  = cut(root3_q[3], last.bf16, single);
  assign half = cut(root_q[2], last.bf16, single);

  logic [Depth:0]   along;
  logic [Depth+1:0] behind;   // the second pass of a row is behind its first one
  always_comb begin
    for (int unsigned n = 0; n <= Depth + 1; n++) begin
      behind[n] = !pass_q[n].valid || !pass_q[n].high || (pass_q[n].half && !pass_q[n+1].high &&
          pass_q[n+1] == {pass_q[n].valid, 1'b0, pass_q[n][$bits(pass_t)-3:0]});
    end
    for (int unsigned n = 0; n <= Depth; n++) begin
      along[n] = u_dut.pass_q[n].valid == pass_q[n].valid;
      if (pass_q[n].valid) begin
        if (pass_q[n].workers == '0 || u_dut.pass_q[n].high != pass_q[n].high ||
            u_dut.pass_q[n].half != pass_q[n].half ||
            u_dut.pass_q[n].bf16 != pass_q[n].bf16 ||
            u_dut.pass_q[n].is_int != pass_q[n].is_int || u_dut.pass_q[n].op != pass_q[n].op) begin
          along[n] = 1'b0;
        end
        for (int unsigned r = 0; r < NumRanks; r++) begin
          if (u_dut.pass_q[n].there[r] != (32'(pass_q[n].workers) > r)) along[n] = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    root_q     <= {root_q[1], gen_level[Levels].value[0]};
    root3_q[3] <= root_q[2];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A row leaves for each that came, with its only pass or its second one.
      a_leaves_once : assert (out_valid == (last.valid &&
          (WideLanes != 0 || !last.half || last.high)));
      // Its elements are what the last node answered, those of 16 bits cut once; a ring of one rank
      // keeps its NaNs.
      a_whole : assert (!out_valid || last.half || Lane >= 16 ||
          out_row[32*(Lane%16)+:32] == root_q[2]);
      a_half : assert (!out_valid || !last.half || (
          out_row[16*(Lane+(WideLanes!=0?0:16))+:16] == half &&
          (WideLanes != 0 || out_row[16*(Lane%16)+:16] == low)));
      // What goes along with a row is the row's (helps the proof).
      a_along : assert (along == '1 && behind == '1);
      // A row of 16-bit elements, behind one of 32 bits.
      c_kinds : cover (out_valid && last.half && pass_q[Depth+2-((WideLanes!=0)?1:0)].valid &&
                       last.workers == (RankW + 1)'(NumRanks));
    end
  end

endmodule
