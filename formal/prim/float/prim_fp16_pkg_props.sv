// prim_fp16_pkg: widening keeps every number, cutting rounds every FP32 as IEEE 754 says; all 2^16
// and all 2^32 inputs.
module prim_fp16_pkg_props
  import prim_fp16_pkg::*;
  import float_definition_pkg::*;
#(
  /// 10: FP16, 7: BF16.
  parameter int unsigned Fraction = 10
) (
  input logic        clk_i,
  input logic [15:0] half_i,
  input logic [31:0] float_i
);

  localparam logic [14:0] Infinity = infinity_16(Fraction);

  logic [31:0] wide;
  logic [15:0] back, narrow, kept;

  assign wide   = (Fraction == Fp16Fraction) ? fp16_widen(half_i) : bf16_widen(half_i);
  assign back   = rounded((Fraction == Fp16Fraction) ? fp16_cut(wide, 1'b1) : bf16_cut(wide, 1'b1));
  assign narrow = rounded((Fraction == Fp16Fraction) ? fp16_cut(float_i, 1'b0) :
      bf16_cut(float_i, 1'b0));
  assign kept   = rounded((Fraction == Fp16Fraction) ? fp16_cut(float_i, 1'b1) :
      bf16_cut(float_i, 1'b1));

  logic nan, infinite;
  assign nan      = float_i[30:0] > 31'h7F80_0000;
  assign infinite = float_i[30:0] == 31'h7F80_0000;

  always_ff @(posedge clk_i) begin
    // A number widened is the same number (of FP16: 2^-112 of it), with its sign.
    a_widen : assert (half_i[14:0] >= Infinity || (wide[31] == half_i[15] &&
        wide[30:23] != 8'd255 && of_fp32(wide[30:0]) == scaled_16(half_i[14:0], Fraction, 1'b0)));
    // Infinity and NaN stay what they are; a NaN keeps its sign and its payload.
    a_widen_special : assert (half_i[14:0] < Infinity ||
        wide == {half_i[15], 8'd255, 23'(half_i[14:0] & ~Infinity) << (23 - Fraction)});
    // Widened and cut back, every input is there again bit by bit: so a ring of one rank changes
    // nothing.
    a_back : assert (back == half_i);
    // A number is cut to the nearest one of the narrow format, ties to even, with its sign; what is
    // too large for it becomes infinity, and what is half the smallest subnormal or less becomes
    // zero.
    a_cut : assert (nan || infinite || (narrow[15] == float_i[31] &&
        rounds_to_16(of_fp32(float_i[30:0]), narrow[14:0], Fraction)));
    // Infinity stays infinity, and a NaN becomes the canonical one.
    a_cut_special : assert (!(nan || infinite) ||
        narrow == (nan ? {1'b0, Infinity | (15'd1 << (Fraction - 1))} : {float_i[31], Infinity}));
    // Whether NaNs are kept makes no difference to anything else.
    a_kept : assert (nan || kept == narrow);
    // A tie is rounded up to the even neighbour.
    c_tie : cover (!nan && !infinite && narrow[14:0] != Infinity && narrow[14:0] > 15'd1 &&
        of_fp32(float_i[30:0]) == scaled_16(narrow[14:0] - 15'd1, Fraction, 1'b1));
    // A finite number becomes infinity.
    c_overflow : cover (!nan && !infinite && narrow[14:0] == Infinity);
    // Rounding up makes the largest subnormal the smallest normal number.
    c_carry : cover (narrow[14:0] == 15'(1 << Fraction) &&
        of_fp32(float_i[30:0]) < scaled_16(narrow[14:0], Fraction, 1'b0));
    // A subnormal is widened.
    c_subnormal : cover (half_i[14:0] == 15'd5);
  end

endmodule
