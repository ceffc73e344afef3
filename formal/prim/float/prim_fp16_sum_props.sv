// The sum of two 16-bit numbers, as agg_reduce makes it: widened, added by prim_fp32_reduce, cut.
// All 2^32 pairs.
//
// It is rounded twice, to FP32 and to 16 bits, and yet always to the nearest 16-bit number of the
// exact sum.
module prim_fp16_sum_props
  import prim_fp16_pkg::*;
  import float_sum_pkg::*;
#(
  /// 10: FP16, 7: BF16.
  parameter int unsigned Fraction = 10
) (
  input logic        clk_i,
  input logic [15:0] a_i,
  input logic [15:0] b_i
);

  localparam logic [14:0] Infinity = 15'h7FFF & ~15'((1 << Fraction) - 1);

  logic [31:0] wide;
  logic [15:0] sum;

  prim_fp32_reduce u_dut (
    .clk_i,
    .valid_i  (1'b1),
    .is_int_i (1'b0),
    .op_i     (2'd0),
    .a_valid_i(1'b1),
    .a_i      ((Fraction == 10) ? fp16_widen(a_i) : bf16_widen(a_i)),
    .b_valid_i(1'b1),
    .b_i      ((Fraction == 10) ? fp16_widen(b_i) : bf16_widen(b_i)),
    .y_o      (wide)
  );

  assign sum = rounded((Fraction == 10) ? fp16_cut(wide, 1'b0) : bf16_cut(wide, 1'b0));

  // What came in one to five cycles ago.
  logic [5:1]       known_q;
  logic [5:1][15:0] a_q, b_q;
  logic [15:0]      a, b;
  logic             finite, near;

  initial known_q = '0;
  always_ff @(posedge clk_i) begin
    known_q <= {known_q[4:1], 1'b1};
    a_q     <= {a_q[4:1], a_i};
    b_q     <= {b_q[4:1], b_i};
  end

  assign a      = a_q[5];
  assign b      = b_q[5];
  assign finite = known_q[5] && a[14:0] < Infinity && b[14:0] < Infinity;
  assign near   = apart(31'(a[14:0]), 31'(b[14:0]), Fraction) <= 8'(Fraction + 3);

  always_ff @(posedge clk_i) begin
    // The sum of two 16-bit numbers is the exact sum rounded once to the nearest 16-bit number,
    // ties to even.
    a_sum : assert (!finite || !near ||
                    is_near_sum(a[15], 31'(a[14:0]), b[15], 31'(b[14:0]), sum[15], 31'(sum[14:0]),
                                Fraction, 31'(Infinity)))
    else $error("%h + %h = %h", a, b, sum);
    // A number that is too small to matter changes no bit of the other one.
    a_far : assert (!finite || near || sum == ((a[14:0] > b[14:0]) ? a : b))
    else $error("%h + %h = %h", a, b, sum);
    // The sum is not exact.
    c_inexact : cover (finite && a[15] != b[15] && wide[12:0] != '0);
    // The sum of two finite numbers is infinite.
    c_overflow : cover (finite && sum[14:0] == Infinity);
  end

endmodule
