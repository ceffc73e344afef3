// Shifts the lesser number of a sum to the right, as stage 2 of prim_fp32_reduce.
//
// A module of its own so that synthesis keeps it shallow: beside the adder's carry chain it would
// save a few LUTs and make it deeper.
module prim_fp32_align (
  input logic clk_i,

  // Significand of the lesser number, and by how many places it is shifted.
  input logic        valid_i,
  input logic [23:0] lesser_i,
  input logic [7:0]  by_i,

  // One cycle after `valid_i`: with guard, round and sticky bit, the last of which is the OR of all
  // that was shifted out.
  output logic [26:0] lesser_o
);

  // In no function: see prim_fp32_reduce.
  always_ff @(posedge clk_i) begin
    automatic logic [26:0] by_1, by_4 = '0, by_16;
    automatic logic        lost = 1'b0;

    if (valid_i) begin
      // The first step moves zeros out only.
      case (by_i[1:0])
        2'd0:    by_1 = {lesser_i, 3'd0};
        2'd1:    by_1 = {1'd0, lesser_i, 2'd0};
        2'd2:    by_1 = {2'd0, lesser_i, 1'd0};
        default: by_1 = {3'd0, lesser_i};
      endcase
      case (by_i[3:2])
        2'd0:    {by_4, lost} = {by_1, 1'b0};
        2'd1:    {by_4, lost} = {4'd0, by_1[26:4], by_1[3:0] != '0};
        2'd2:    {by_4, lost} = {8'd0, by_1[26:8], by_1[7:0] != '0};
        default: {by_4, lost} = {12'd0, by_1[26:12], by_1[11:0] != '0};
      endcase
      by_16 = by_4;
      if (by_i[4]) begin
        by_16 = {16'd0, by_4[26:16]};
        lost  = lost || by_4[15:0] != '0;
      end
      // From 32 on nothing of it is left but that there was something; an eighth of a last place
      // changes no result.
      if (by_i[7:5] != '0) {by_16, lost} = {27'd0, 1'b1};
      lesser_o <= {by_16[26:1], by_16[0] || lost};
    end
  end

endmodule
