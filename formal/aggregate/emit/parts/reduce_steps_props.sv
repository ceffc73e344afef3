// agg_reduce between its parts: which elements meet in which node, in which cycle, with what said
// of them, and what comes with them to the rounding and out. What lanes, nodes and rounding answer
// is free (`cuts` of the task; prim_row_widen_props, prim_fp32_sum_props, prim_row_round_props).
//
// The tree is that of three ranks: the third one has no neighbour. One rank, one lane and one bit
// of a row are followed, all free.
module reduce_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned WideLanes = 0,
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumRanks = 3,
  localparam int unsigned AtW = 3
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i,
  input logic                              in_keep_i,
  input logic                              in_kept_i,
  input logic [AtW-1:0]                    in_at_i,
  input ecc_t                              in_found_i,
  input logic [1:0]                        rank_i,   // any
  input logic [4:0]                        lane_i,   // any
  input logic [$clog2(BeatBits)-1:0]       bit_i     // any
);

  localparam int unsigned Lanes = (WideLanes != 0) ? 32 : 16;
  /// Cycles of a node, and from the tree's leaves to its root.
  localparam int unsigned Node = 5;
  localparam int unsigned Root = 10;

  logic                kept_re, out_valid, out_last, out_keep, out_kept;
  logic [AtW-1:0]      kept_at, out_at;
  logic [BeatBits-1:0] out_row;
  logic [MaxPorts-1:0] out_ports;
  ecc_t                out_found;

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(WideLanes),
    .Ecc      (Ecc),
    .AtW      (AtW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_rows_i,
    .in_workers_i,
    .in_kind_i,
    .in_last_i,
    .in_ports_i,
    .in_keep_i,
    .in_kept_i,
    .in_at_i,
    .in_found_i,
    .kept_re_o  (kept_re),
    .kept_at_o  (kept_at),
    .out_valid_o(out_valid),
    .out_row_o  (out_row),
    .out_last_o (out_last),
    .out_ports_o(out_ports),
    .out_keep_o (out_keep),
    .out_kept_o (out_kept),
    .out_at_o   (out_at),
    .out_found_o(out_found)
  );

  // ---------------------------------------------------------------------------------------------
  // What the lanes are given, and what comes along with it, so many cycles ago.

  typedef struct packed {
    logic                valid;
    logic                second;    // the upper half of a row
    logic [3:0]          element;
    logic [1:0]          operation;
    logic [RankW:0]      workers;
    logic                last;
    logic [MaxPorts-1:0] ports;
    logic                keep;
    logic                kept;
    logic [AtW-1:0]      at;
    ecc_t                found;
  } along_t;

  along_t          came, first_q, along;
  along_t [Root:0] ago_q;      // of a cycle ago first
  logic            again_q;    // the row of the cycle before has an upper half
  logic [Root+2:0] past_q;
  initial past_q = '0;
  assign came = '{in_valid_i, 1'b0, in_kind_i[3:0], in_kind_i[5:4], in_workers_i, in_last_i,
                  in_ports_i, in_keep_i, in_kept_i, in_at_i, (Ecc != 0) ? in_found_i : '0};
  always_comb begin
    along = came;
    if (again_q) begin
      along        = first_q;
      along.second = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[Root+1:0], 1'b1};
    again_q <= rst_ni && WideLanes == 0 && in_valid_i && is_half(in_kind_i[3:0]);
    if (in_valid_i) first_q <= came;
    ago_q   <= {ago_q[Root-1:0], along};
    if (!rst_ni) for (int unsigned s = 0; s <= Root; s++) ago_q[s].valid <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What is followed.

  logic [1:0]                  rank_q, r;
  logic [4:0]                  lane_q, l;
  logic [$clog2(BeatBits)-1:0] bit_q;
  assign r = (32'(rank_q) < NumRanks) ? rank_q : 2'd0;
  assign l = lane_q % Lanes;
  always_ff @(posedge clk_i) begin
    rank_q <= past_q[0] ? rank_q : rank_i;
    lane_q <= past_q[0] ? lane_q : lane_i;
    bit_q  <= past_q[0] ? bit_q : bit_i;
  end

  // Of any rank: what its lanes are told, and what they answer.
  logic [NumRanks-1:0]                  told_valid, told_high, told_half, told_bf16, told_bit;
  logic [NumRanks-1:0][Lanes-1:0][31:0] leaf;
  for (genvar n = 0; n < NumRanks; n++) begin : gen_told
    assign told_valid[n] = u_dut.gen_rank[n].u_widen.valid_i;
    assign told_high[n]  = u_dut.gen_rank[n].u_widen.high_i;
    assign told_half[n]  = u_dut.gen_rank[n].u_widen.half_i;
    assign told_bf16[n]  = u_dut.gen_rank[n].u_widen.bf16_i;
    assign told_bit[n]   = u_dut.gen_rank[n].u_widen.row_i[bit_q];
    assign leaf[n]       = u_dut.gen_rank[n].u_widen.lane_o;
  end

  // Of any lane: the node of the first two ranks, and the one above it.
  typedef struct packed {
    logic        valid, is_int;
    logic [1:0]  op;
    logic        a_there, b_there;
    logic [31:0] a, b;
  } operands_t;
  operands_t [1:0][Lanes-1:0]       node;
  logic      [1:0][Lanes-1:0][31:0] result;
  for (genvar n = 0; n < Lanes; n++) begin : gen_nodes
    assign node[0][n] = '{
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.valid_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.is_int_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.op_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.a_valid_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.b_valid_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.a_i,
      u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.b_i};
    assign node[1][n] = '{
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.valid_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.is_int_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.op_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.a_valid_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.b_valid_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.a_i,
      u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.b_i};
    assign result[0][n] = u_dut.gen_level[1].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.y_o;
    assign result[1][n] = u_dut.gen_level[2].gen_nodes.gen_node[0].gen_pair.gen_lane[n].u_lane.y_o;
  end

  // The third rank's element, for as long as a node takes.
  logic [Node-1:0][31:0] third_q;
  always_ff @(posedge clk_i) third_q <= {third_q[Node-2:0], leaf[2][l]};

  operands_t below, above;
  along_t    leaves, middle, root, ahead;
  assign below  = node[0][l];
  assign above  = node[1][l];
  assign leaves = ago_q[0];
  assign middle = ago_q[Node];
  assign root   = ago_q[Root];
  assign ahead  = ago_q[Root-Ecc];

  always_ff @(posedge clk_i) begin
    if (past_q[Root+2]) begin
      // Each rank's lanes get its row, and in the next cycle the upper half of one of 16-bit
      // elements, if they are as many as there are words.
      a_given : assert (told_valid[r] == along.valid && told_high[r] == again_q &&
                        told_bit[r] == in_rows_i[r][bit_q])
      else $error("rank %0d: valid %b, high %b", r, told_valid[r], told_high[r]);
      // They are told what its elements are.
      a_elements : assert (told_half[r] == is_half(along.element) &&
                           told_bf16[r] == (along.element == TypeBf16))
      else $error("rank %0d: half %b, BF16 %b", r, told_half[r], told_bf16[r]);
      // The first two ranks meet, if the ring has them.
      a_below : assert (below.a == leaf[0][l] && below.b == leaf[1][l] &&
                        below.a_there == (leaves.workers >= 1) &&
                        below.b_there == (leaves.workers >= 2))
      else $error("lane %0d: %0h and %0h", l, below.a, below.b);
      // What they make meets the third one's element of the same row.
      a_above : assert (above.a == result[0][l] && above.b == third_q[Node-1] &&
                        above.a_there == (middle.workers >= 1) &&
                        above.b_there == (middle.workers >= 3))
      else $error("lane %0d: %0h and %0h", l, above.a, above.b);
      // Nodes do what the packet asks for, with elements of its kind.
      a_asked : assert (below.valid == leaves.valid && below.op == leaves.operation &&
                        below.is_int == (leaves.element == TypeInt32))
      else $error("lane %0d: operation %0d", l, below.op);
      a_asked_above : assert (above.valid == middle.valid && above.op == middle.operation &&
                              above.is_int == (middle.element == TypeInt32))
      else $error("lane %0d: operation %0d", l, above.op);
      // The root's values are rounded, as what they are; those of a single rank stay.
      a_rounds : assert (u_dut.u_round.valid_i == root.valid &&
          u_dut.u_round.high_i == root.second && u_dut.u_round.half_i == is_half(root.element) &&
          u_dut.u_round.bf16_i == (root.element == TypeBf16) &&
          u_dut.u_round.single_i == (root.workers <= 1) &&
          u_dut.u_round.lane_i[l] == result[1][l])
      else $error("lane %0d: %0h", l, u_dut.u_round.lane_i[l]);
      // What came with the row goes along, and comes out with it.
      a_along : assert (u_dut.u_round.along_i ==
                        {root.last, root.ports, root.keep, root.kept, root.at, root.found})
      else $error("ports %b", root.ports);
      // A kept sum is read with the last pass of its row, in time for the cycle in which that
      // leaves.
      a_kept : assert (kept_at == ahead.at && kept_re == (ahead.valid && ahead.kept &&
          (ahead.second || WideLanes != 0 || !is_half(ahead.element))))
      else $error("%b at %0d", kept_re, kept_at);

      // The upper half of a row meets the third rank's.
      c_second : cover (middle.valid && (middle.second || WideLanes != 0) && middle.workers == 3 &&
                        is_half(middle.element) && !leaves.valid);
    end
    // What leaves is what rounding answers.
    a_out : assert (out_valid == u_dut.u_round.valid_o &&
        out_row[bit_q] == u_dut.u_round.row_o[bit_q] &&
        {out_last, out_ports, out_keep, out_kept, out_at, out_found} == u_dut.u_round.along_o)
    else $error("ports %b", out_ports);
  end

endmodule
