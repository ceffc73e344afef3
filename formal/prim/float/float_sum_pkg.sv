// The sum of two binary floating-point numbers by its definition (IEEE 754-2019, 4.3.1, 6.3), for
// FP32, FP16 and BF16.
//
// As in float_definition_pkg nothing is normalised or rounded: the exact sum, a wide integer, must
// lie between the points half-way to the result's neighbours. All are in units of what the last
// place of the operand with the smaller exponent is worth: exact numbers compare the same when both
// are multiplied by a power of two, and a solver need not find that out for every exponent anew.
//
// A sum of numbers whose exponents are further apart than the format has places is the larger one:
// with fraction + 4 or more between them the smaller one is less than an eighth of the larger one's
// last place, and no half-way point is nearer than a quarter.
package float_sum_pkg;

  localparam int unsigned Fp32Fraction = 23;
  /// Places behind the unit: the result's exponent is smaller by no more than this, and half its
  /// last place has one too.
  localparam int unsigned Behind = 25;
  localparam int unsigned MaxApart = Fp32Fraction + 3;
  localparam int unsigned ExactBits = 24 + MaxApart + 1 + Behind + 3;

  typedef logic [ExactBits-1:0] exact_t;

  /// A finite number's magnitude: significand * 2^exponent, in the format's own unit.
  typedef struct packed {
    logic [7:0]  exponent;      // 1 for subnormals
    logic [23:0] significand;
  } magnitude_t;

  function automatic magnitude_t decode(logic [30:0] f, int unsigned fraction);
    logic [7:0] exponent;
    exponent           = 8'(f >> fraction);
    decode.exponent    = (exponent == 8'd0) ? 8'd1 : exponent;
    decode.significand = 24'(f & 31'((1 << fraction) - 1)) | (24'(exponent != 8'd0) << fraction);
  endfunction

  /// By how many powers of two the units of a's and b's last places differ.
  function automatic logic [7:0] apart(logic [30:0] a, logic [30:0] b, int unsigned fraction);
    magnitude_t x, y;
    x = decode(a, fraction);
    y = decode(b, fraction);
    apart = (x.exponent > y.exponent) ? x.exponent - y.exponent : y.exponent - x.exponent;
  endfunction

  /// {it is in range, the point half-way between magnitude `f` and the next one}.
  function automatic logic [ExactBits:0] half_way(logic [30:0] f, int unsigned fraction,
                                                  logic [7:0] base);
    magnitude_t m;
    logic [9:0] shift;
    m     = decode(f, fraction);
    shift = 10'(m.exponent) + 10'(Behind - 1) - 10'(base);
    half_way = {shift <= 10'(MaxApart + Behind), exact_t'({m.significand, 1'b1}) << shift[5:0]};
  endfunction

  /// Is {r_sign, r} the sum of {a_sign, a} and {b_sign, b}? Both are finite and their exponents at
  /// most fraction + 3 apart; r may be infinite.
  function automatic logic is_near_sum(logic a_sign, logic [30:0] a, logic b_sign, logic [30:0] b,
                                       logic r_sign, logic [30:0] r, int unsigned fraction,
                                       logic [30:0] infinity);
    magnitude_t x, y;
    logic [7:0] base;
    logic       above_ok, below_ok, sign;
    exact_t     exact_a, exact_b, exact, above, below;
    x       = decode(a, fraction);
    y       = decode(b, fraction);
    base    = (x.exponent < y.exponent) ? x.exponent : y.exponent;
    exact_a = exact_t'(x.significand) << (6'(x.exponent - base) + 6'(Behind));
    exact_b = exact_t'(y.significand) << (6'(y.exponent - base) + 6'(Behind));
    exact   = (a_sign == b_sign) ? exact_a + exact_b :
        (exact_a > exact_b) ? exact_a - exact_b : exact_b - exact_a;
    sign    = (exact_a > exact_b) ? a_sign : b_sign;
    {above_ok, above} = half_way(r, fraction, base);
    {below_ok, below} = half_way(r - 31'd1, fraction, base);
    // A sum is a multiple of the smallest subnormal, so it is rounded to zero only if it is zero.
    // Then it is +0, unless both operands are -0.
    if (exact == '0 || r == '0) begin
      is_near_sum = exact == '0 && r == '0 && r_sign == (a_sign && b_sign);
    end else begin
      is_near_sum = r_sign == sign && r <= infinity &&
          below_ok && (exact > below || (exact == below && !r[0])) &&
          (r == infinity || (above_ok && (exact < above || (exact == above && !r[0]))));
    end
  endfunction

endpackage
