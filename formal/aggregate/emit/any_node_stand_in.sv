// Stands in for prim_fp32_reduce where nobody cares what a node makes of its operands: it answers
// anything, in any cycle (`any` is cut). What is proved with it holds for the real one.
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

  logic [31:0] any;
  assign any = a_i ^ b_i ^ 32'({valid_i, is_int_i, op_i, a_valid_i, b_valid_i, clk_i});
  assign y_o = any;

endmodule
