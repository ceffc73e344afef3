// Stands in for prim_fp32_reduce in the proof of agg_reduce: as late, and a missing operand passes
// the other one through; but the combination of two is an XOR of their bits, shuffled.
//
// Sound because agg_reduce looks at no data: whatever a node answers goes to the next node or is
// cut. And it sees all that can go wrong around the nodes: left and right are shuffled differently,
// so that every path of up to five nodes from a rank to the root puts the rank's bits in an order
// of its own; a rank missing, twice, in another's place, or combined in another order gives other
// bits.
// verilog_lint: waive module-filename
module prim_fp32_reduce #(
  parameter bit Ints = 1'b1,
  parameter bit MinMax = 1'b1
) (
  input logic clk_i,

  input logic        valid_i,
  input logic        is_int_i,
  input logic [1:0]  op_i,
  input logic        a_valid_i,
  input logic [31:0] a_i,
  input logic        b_valid_i,
  input logic [31:0] b_i,

  output logic [31:0] y_o
);
  import reduce_shuffle_pkg::*;

  logic [4:1][31:0] result_q;

  always_ff @(posedge clk_i) begin
    // Nobody may use an answer to no question.
    if (!valid_i) result_q[1] <= ~a_i;
    else if (a_valid_i && b_valid_i) result_q[1] <= shuffled(is_int_i, op_i, a_i, b_i);
    else result_q[1] <= a_valid_i ? a_i : b_i;
    result_q[4:2] <= result_q[3:1];
    y_o           <= result_q[4];
  end

endmodule
