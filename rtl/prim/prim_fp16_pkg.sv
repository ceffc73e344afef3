// The 16-bit floating-point types, to FP32 and back: FP16 (IEEE 754 binary16) and BF16 (the upper half of an FP32).
//
// Widening is exact and keeps the payload of a NaN. Narrowing rounds to nearest, ties to even; what is too large becomes
// infinity; a NaN becomes the canonical one unless `keep_nan`, which cuts its payload instead and so undoes widening.
package prim_fp16_pkg;

  function automatic logic [31:0] fp16_widen(logic [15:0] h);
    logic [3:0] zeros;
    logic [8:0] fraction;
    zeros = 4'd10;
    for (int i = 0; i < 10; i++) begin
      if (h[i]) zeros = 4'(9 - i);
    end
    fraction = 9'(h[9:0] << zeros);
    if (h[14:10] == 5'd31) fp16_widen = {h[15], 8'd255, h[9:0], 13'd0};
    else if (h[14:10] != 5'd0) fp16_widen = {h[15], 8'(h[14:10]) + 8'd112, h[9:0], 13'd0};
    else if (h[9:0] == 10'd0) fp16_widen = {h[15], 31'd0};
    else fp16_widen = {h[15], 8'd112 - 8'(zeros), fraction, 14'd0};
  endfunction

  function automatic logic [31:0] bf16_widen(logic [15:0] h);
    bf16_widen = {h, 16'd0};
  endfunction

  /// A number cut to 16 bits, and whether it is to be rounded up. Adding `up` carries into the exponent where it must.
  typedef struct packed {
    logic        sign;
    logic [14:0] magnitude;
    logic        up;
  } cut_t;

  function automatic cut_t fp16_cut(logic [31:0] f, logic keep_nan);
    logic [7:0]  exponent;
    logic [4:0]  shift;
    logic [23:0] mantissa;
    logic [9:0]  kept;
    logic [25:0] lost;   // the bit in front of the cut, and all behind it
    logic        normal;
    exponent = f[30:23];
    normal   = exponent >= 8'd113;
    mantissa = {exponent != 8'd0, f[22:0]};
    // A result below 2^-14 loses one bit more for each power of two; below 2^-25 nothing is left.
    shift = normal ? 5'd13 : (exponent < 8'd101) ? 5'd25 : 5'(8'd126 - exponent);
    kept  = 10'(mantissa >> shift);
    lost  = {1'b0, mantissa, 1'b0} & ~(26'h3FF_FFFE << shift);
    fp16_cut.sign      = f[31];
    fp16_cut.magnitude = {normal ? 5'(exponent - 8'd112) : 5'd0, kept};
    // The first lost bit is worth a half.
    fp16_cut.up = lost[shift] && (kept[0] || (lost & ~(26'd1 << shift)) != '0);
    if (exponent == 8'd255 && f[22:0] != '0) begin
      fp16_cut = keep_nan ? '{sign: f[31], magnitude: {5'd31, f[22:13]}, up: 1'b0} :
          '{sign: 1'b0, magnitude: 15'h7E00, up: 1'b0};
    end else if (exponent >= 8'd143) begin
      fp16_cut.magnitude = 15'h7C00;
      fp16_cut.up        = 1'b0;
    end
  endfunction

  function automatic cut_t bf16_cut(logic [31:0] f, logic keep_nan);
    bf16_cut = '{sign: f[31], magnitude: f[30:16], up: f[15] && (f[16] || f[14:0] != '0)};
    if (f[30:23] == 8'd255 && f[22:0] != '0) begin
      bf16_cut.up = 1'b0;
      if (!keep_nan) {bf16_cut.sign, bf16_cut.magnitude} = 16'h7FC0;
    end
  endfunction

  function automatic logic [15:0] rounded(cut_t cut);
    rounded = {cut.sign, cut.magnitude + 15'(cut.up)};
  endfunction

endpackage
