// A row of elements behind a reduction: lanes back to elements.
//
// FP16 and BF16 are rounded once, to nearest even; the two passes of a row that has them without
// wide lanes make one row again. The only operand of a pass keeps its bits. Nobody waits.
module prim_row_round
  import prim_fp16_pkg::*;
#(
  /// Words of 32 bits in a row.
  parameter int unsigned Words = 16,
  /// As many, or twice as many.
  parameter int unsigned Lanes = 16,
  /// Bits that go along with a pass.
  parameter int unsigned AlongW = 1,
  /// 0: no FP16, or no BF16, comes.
  parameter bit Fp16 = 1'b1,
  parameter bit Bf16 = 1'b1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                    valid_i,    // a pass
  input logic                    high_i,     // of the row's upper half
  input logic                    half_i,     // 16-bit elements
  input logic                    bf16_i,
  input logic                    single_i,   // there was one operand
  input logic [Lanes-1:0][31:0]  lane_i,
  input logic [AlongW-1:0]       along_i,

  // Two cycles later, one row: of one pass, or with the second of two.
  output logic              valid_o,
  output logic [32*Words-1:0] row_o,
  output logic [AlongW-1:0] along_o
);

  cut_t [Lanes-1:0]    cut_q;
  logic                valid_q, half_q, high_q;
  logic [AlongW-1:0]   along_q;
  logic [32*Words-1:0] whole_q, joined;
  logic [Lanes*16-1:0] narrow;

  for (genvar l = 0; l < Lanes; l++) begin : gen_narrow
    always_ff @(posedge clk_i) begin
      if (valid_i && half_i) begin
        cut_q[l] <= (!Fp16 ? 1'b1 : Bf16 ? bf16_i : 1'b0) ? bf16_cut(lane_i[l], single_i) :
            fp16_cut(lane_i[l], single_i);
      end
    end
    assign narrow[16*l+:16] = rounded(cut_q[l]);
  end

  if (Lanes == 2 * Words) begin : gen_wide
    assign joined = narrow;
  end else begin : gen_two
    logic [16*Words-1:0] lower_q;
    always_ff @(posedge clk_i) if (valid_q) lower_q <= narrow;
    assign joined = {narrow, lower_q};
  end

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    half_q  <= half_i;
    high_q  <= high_i;
    along_q <= along_i;
    if (valid_i && !half_i) begin
      for (int unsigned l = 0; l < Words; l++) whole_q[32*l+:32] <= lane_i[l];
    end
    valid_o <= valid_q && (Lanes == 2 * Words || !half_q || high_q);
    if (valid_q) begin
      along_o <= along_q;
      row_o   <= ((Fp16 || Bf16) ? half_q : 1'b0) ? joined : whole_q;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end
  end

endmodule
