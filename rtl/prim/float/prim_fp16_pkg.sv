// The 16-bit floating-point types, to FP32 and back: FP16 (IEEE 754 binary16) and BF16 (the upper
// half of an FP32).
//
// Widening is exact and keeps the payload of a NaN. Narrowing rounds to nearest, ties to even; what
// is too large becomes infinity; a NaN becomes the canonical one unless `keep_nan`, which cuts its
// payload instead and so undoes widening.
//
// An FP16 widened is 2^-112 of its value: its exponent stays the same number, and a subnormal is a
// subnormal of FP32. The order of numbers is the same, and so are sums: those of FP16 are multiples
// of 2^-24, which is 2^-136 here, well above the last place of a subnormal, and the largest is far
// from FP32's infinity.
package prim_fp16_pkg;

  function automatic logic [31:0] fp16_widen(logic [15:0] h);
    fp16_widen = {h[15], {3{h[14:10] == 5'd31}}, h[14:0], 13'd0};
  endfunction

  function automatic logic [31:0] bf16_widen(logic [15:0] h);
    bf16_widen = {h, 16'd0};
  endfunction

  /// A number cut to 16 bits, and whether it is to be rounded up. Adding `up` carries into the
  /// exponent where it must.
  typedef struct packed {
    logic        sign;
    logic [14:0] magnitude;
    logic        up;
  } cut_t;

  function automatic cut_t fp16_cut(logic [31:0] f, logic keep_nan);
    fp16_cut = '{sign: f[31], magnitude: f[27:13], up: f[12] && (f[13] || f[11:0] != '0)};
    if (f[30:23] == 8'd255 && f[22:0] != '0) begin
      fp16_cut.up = 1'b0;
      if (!keep_nan) {fp16_cut.sign, fp16_cut.magnitude} = 16'h7E00;
    end else if (f[30:23] >= 8'd31) begin
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
