// A row of elements in front of a reduction: one operand a lane.
//
// 32-bit elements are taken as they are, in one pass. FP16 and BF16 are widened to FP32: in one
// pass where there is a lane for each, else in two, the row's lower half and then, in the next
// cycle, its upper half. What its lanes hold without a pass means nothing; nobody waits.
module prim_row_widen
  import prim_fp16_pkg::*;
#(
  /// Words of 32 bits in a row.
  parameter int unsigned Words = 16,
  /// As many, or twice as many.
  parameter int unsigned Lanes = 16,
  /// 0: no FP16, or no BF16, comes.
  parameter bit Fp16 = 1'b1,
  parameter bit Bf16 = 1'b1
) (
  input logic clk_i,

  input logic         valid_i,   // a pass
  // verilator lint_off UNUSEDSIGNAL
  input logic         high_i,    // of the row before's upper half; no row comes
  // verilator lint_on UNUSEDSIGNAL
  input logic         half_i,    // 16-bit elements
  input logic         bf16_i,    // BF16, not FP16
  input logic [32*Words-1:0] row_i,

  // A cycle later.
  output logic [Lanes-1:0][31:0] lane_o
);

  // The 16-bit elements of this pass; lanes beyond those of a 32-bit type get nothing.
  logic [Lanes*16-1:0] halves;
  if (Lanes == 2 * Words) begin : gen_wide
    assign halves = row_i;
  end else begin : gen_narrow
    logic [16*Words-1:0] upper_q;
    always_ff @(posedge clk_i) if (valid_i && !high_i) upper_q <= row_i[32*Words-1:16*Words];
    assign halves = high_i ? upper_q : row_i[16*Words-1:0];
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [15:0] half;
    logic [31:0] whole;
    assign half = halves[16*l+:16];
    if (l < Words) begin : gen_whole
      assign whole = row_i[32*l+:32];
    end else begin : gen_half_only
      assign whole = '0;
    end
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        lane_o[l] <= ((Fp16 || Bf16) ? !half_i : 1'b1) ? whole :
            (!Fp16 ? 1'b1 : Bf16 ? bf16_i : 1'b0) ? bf16_widen(half) : fp16_widen(half);
      end
    end
  end

endmodule
