// prim_fp32_reduce, sums of FP32: every pair of finite numbers, with subnormals, gives the exact
// sum rounded to nearest even.
//
// prim_fp32_reduce_props has the rest: integers, minimum, maximum, infinities, NaN, missing
// operands.
module prim_fp32_sum_props
  import float_sum_pkg::*;
(
  input logic        clk_i,
  input logic        valid_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);

  localparam logic [30:0] Infinity = 31'h7F80_0000;

  logic [31:0] y;

  prim_fp32_reduce u_dut (
    .clk_i,
    .valid_i,
    .is_int_i (1'b0),
    .op_i     (2'd0),
    .a_valid_i(1'b1),
    .a_i,
    .b_valid_i(1'b1),
    .b_i,
    .y_o      (y)
  );

  // What came in one to five cycles ago.
  logic [5:1]       valid_q;
  logic [5:1][31:0] a_q, b_q;
  logic [31:0]      a, b;
  logic             finite, near;

  initial valid_q = '0;
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[4:1], valid_i};
    a_q     <= {a_q[4:1], a_i};
    b_q     <= {b_q[4:1], b_i};
  end

  assign a      = a_q[5];
  assign b      = b_q[5];
  assign finite = valid_q[5] && a[30:0] < Infinity && b[30:0] < Infinity;
  assign near   = apart(a[30:0], b[30:0], Fp32Fraction) <= 8'(MaxApart);

  always_ff @(posedge clk_i) begin
    // The sum of two finite numbers is the exact sum, rounded to nearest, ties to even; infinite
    // only if it is too large; of an exact zero the sign is plus unless both are -0.
    a_sum : assert (!finite || !near ||
                    is_near_sum(a[31], a[30:0], b[31], b[30:0], y[31], y[30:0], Fp32Fraction,
                                Infinity))
    else $error("%h + %h = %h", a, b, y);
    // A number that is too small to matter changes no bit of the other one.
    a_far : assert (!finite || near || y == ((a[30:0] > b[30:0]) ? a : b))
    else $error("%h + %h = %h", a, b, y);
    // Two numbers cancel to a subnormal.
    c_cancels : cover (finite && a[31] != b[31] && a[30:23] > 8'd2 && y[30:0] != '0 &&
        y[30:23] == 8'd0);
    // A finite sum becomes infinite.
    c_overflow : cover (finite && y[30:0] == Infinity);
    // Numbers so far apart that one of them is lost.
    c_far : cover (finite && !near && b[30:0] > a[30:0] && a[30:0] != '0);
    // Two subnormals make a normal number.
    c_carry : cover (finite && a[30:23] == 8'd0 && b[30:23] == 8'd0 && y[30:23] != 8'd0);
  end

endmodule
