// agg_reduce: a rank without a neighbour goes through a level of the tree bit by bit as it came, in
// the time that a node takes, whatever the lane; any bit of the row is followed. Answers of nodes
// are free here (cuts).
module reduce_through_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  localparam int unsigned NumRanks = 3
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic [$clog2(BeatBits)-1:0]       bit_i   // any
);

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(0),
    .AtW      (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_rows_i,
    .in_workers_i,
    .in_kind_i,
    .in_last_i  (1'b0),
    .in_ports_i ('0),
    .in_keep_i  (1'b0),
    .in_kept_i  (1'b0),
    .in_at_i    ('0),
    .in_found_i ('0),
    .kept_re_o  (),
    .kept_at_o  (),
    .out_valid_o(),
    .out_row_o  (),
    .out_last_o (),
    .out_ports_o(),
    .out_keep_o (),
    .out_kept_o (),
    .out_at_o   (),
    .out_found_o()
  );

  // The followed bit: of the third rank's element as it goes in, of so many cycles ago, and behind
  // the first level, where that rank has no neighbour.
  localparam int unsigned Node = 5;
  logic [$clog2(BeatBits)-1:0] bit_q, at;
  logic [BeatBits-1:0]         goes, comes;
  logic [Node:1]               was_q, past_q;
  initial past_q = '0;
  assign at    = past_q[1] ? bit_q : bit_i;
  assign goes  = u_dut.operand[2];
  assign comes = u_dut.gen_level[1].value[1];

  always_ff @(posedge clk_i) begin
    past_q <= {past_q[Node-1:1], 1'b1};
    bit_q  <= at;
    was_q  <= {was_q[Node-1:1], goes[at]};
    if (past_q[Node]) begin
      // It meets what a node made of the first two ranks in the same time.
      a_through : assert (comes[at] == was_q[Node])
      else $error("bit %0d", at);
      // A bit of the last lane changes.
      c_last : cover (at == '1 && comes[at] && !was_q[Node-1]);
    end
  end

endmodule
