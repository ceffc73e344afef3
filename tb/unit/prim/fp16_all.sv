// All conversions of prim_fp16_pkg side by side, for test_prim_fp16.
module fp16_all
  import prim_fp16_pkg::*;
(
  input  logic [15:0] half_i,
  output logic [31:0] fp16_wide_o,
  output logic [31:0] bf16_wide_o,

  input  logic [31:0] float_i,
  input  logic        keep_nan_i,
  output logic [15:0] fp16_o,
  output logic [15:0] bf16_o
);

  assign fp16_wide_o = fp16_widen(half_i);
  assign bf16_wide_o = bf16_widen(half_i);
  assign fp16_o      = rounded(fp16_cut(float_i, keep_nan_i));
  assign bf16_o      = rounded(bf16_cut(float_i, keep_nan_i));

endmodule
