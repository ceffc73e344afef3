// Binary floating point by its definition (IEEE 754-2019, 3.3 and 4.3.1); written apart from the
// RTL, as what it is held against.
//
// Nothing here aligns, normalises or rounds. A number is its value, an exact integer in units of
// the smallest FP32 subnormal, 2^-149. A result is right if the exact value lies between the points
// half-way to its two neighbours, and on such a point only if the result is even; the encodings of
// one sign are in order of value, so the neighbours are +-1.
package float_definition_pkg;

  /// Holds every finite FP32, and what would come behind the largest.
  localparam int unsigned ExactBits = 279;
  typedef logic [ExactBits-1:0] exact_t;

  localparam int unsigned Fp16Fraction = 10;
  localparam int unsigned Bf16Fraction = 7;

  /// The magnitude of an FP32 that is not infinite.
  function automatic exact_t of_fp32(logic [30:0] f);
    of_fp32 = (f[30:23] == 8'd0) ? exact_t'(f[22:0])
                                 : exact_t'({1'b1, f[22:0]}) << (f[30:23] - 8'd1);
  endfunction

  /// The magnitude of a 16-bit number, in halves of its format's smallest subnormal. `half`: plus
  /// half its last place.
  function automatic exact_t of_16(logic [14:0] h, int unsigned fraction, logic half);
    logic [7:0]  exponent;
    logic [15:0] significand;
    exponent    = 8'(h >> fraction);
    significand = 16'(h & 15'((1 << fraction) - 1)) | (16'(exponent != 8'd0) << fraction);
    of_16 = exact_t'({significand, half}) << ((exponent == 8'd0) ? 8'd0 : exponent - 8'd1);
  endfunction

  /// The same, in units of 2^-149; FP16 as prim_fp16_pkg widens it, to 2^-112 of its value.
  function automatic exact_t scaled_16(logic [14:0] h, int unsigned fraction, logic half);
    scaled_16 = of_16(h, fraction, half) << ((fraction == Fp16Fraction) ? 12 : 15);
  endfunction

  function automatic logic [14:0] infinity_16(int unsigned fraction);
    infinity_16 = 15'h7FFF & ~15'((1 << fraction) - 1);
  endfunction

  /// Is `h` what `exact` rounds to, nearest even? Both positive; `exact` in the units of scaled_16.
  function automatic logic rounds_to_16(exact_t exact, logic [14:0] h, int unsigned fraction);
    exact_t above, below;
    above = scaled_16(h, fraction, 1'b1);
    below = scaled_16(h - 15'd1, fraction, 1'b1);
    rounds_to_16 = h <= infinity_16(fraction) &&
        (h == 15'd0 || exact > below || (exact == below && !h[0])) &&
        (h == infinity_16(fraction) || exact < above || (exact == above && !h[0]));
  endfunction

endpackage
