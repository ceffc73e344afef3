// Shifts a sum to the left until its leading one is in its place, as stage 4 of prim_fp32_reduce.
//
// A module of its own because it is the deepest logic of its adder and has to be shallow: within
// the adder, whose carry chain takes longer, synthesis would save a few LUTs and make it twice as
// deep. So all groups are worked on side by side, and the first one's result is chosen last; in
// simulation only that one is worked on.
module prim_fp32_normalize (
  input logic clk_i,

  // Biased exponent, and the upper six bits of exponent + 1, which plain words do not need.
  input logic        valid_i,
  input logic [7:0]  exp_i,
  input logic [5:0]  above_i,
  // Significand of the sum. Bit 27 is the carry out; groups of four bits are counted from there.
  input logic [27:0] value_i,
  // Groups that hold a one, or the limit; if none does, the last group (not in here) is taken.
  input logic [5:0]  any_i,
  // The limit, beyond which a subnormal is not shifted: its group, one-hot or none, and its bit
  // there.
  input logic [6:0]  limited_i,
  input logic [1:0]  limit_i,

  // One cycle after `valid_i`: the significand from the hidden one on, then round and sticky bit.
  output logic [7:0]  exp_o,
  output logic [25:0] value_o
);

  localparam int unsigned Groups = 7;

  // In no function: see prim_fp32_reduce.
  always_ff @(posedge clk_i) begin
    automatic logic [2:0]  group = '0;
    automatic logic [1:0]  most = '0, left = '0;
    automatic logic [27:0] coarse = '0;
    automatic logic        top;
    automatic logic [5:0]  same, other;
    automatic logic [1:0]  low;
    automatic logic [25:0] fine;

    if (valid_i) begin
      // The first group that has any is the last one to be taken.
      for (int unsigned g = Groups; g-- > 0;) begin
        if (g == Groups - 1 || any_i[3'(g)]) begin
          group  = 3'(g);
          coarse = value_i << 4 * g;
          // By how many places this group moves further to the left.
          most = limit_i | {2{!limited_i[g]}};
          casez (value_i[27-4*g-:3])
            3'b1??:  left = 2'd0;
            3'b01?:  left = {1'b0, most != '0};
            3'b001:  left = {most[1], most == 2'd1};
            default: left = most;
          endcase
        end
      end

      // exp + 1 - {group, left}. The lower two bits pass one on to the upper six, or take one: both
      // outcomes are worked out while `left` is not yet known.
      top   = exp_i[1:0] == 2'd3;
      same  = exp_i[7:2] - 6'(group);
      other = above_i + ~6'(group) + 6'(top);   // top: one more; else one less
      low   = exp_i[1:0] + 2'd1 - left;
      exp_o <= {(top ? left == 2'd0 : 3'(exp_i[1:0]) + 3'd1 < 3'(left)) ? other : same, low};

      case (left)
        2'd0:    fine = {coarse[27:3], coarse[2:0] != '0};
        2'd1:    fine = {coarse[26:2], coarse[1:0] != '0};
        2'd2:    fine = {coarse[25:1], coarse[0]};
        default: fine = {coarse[24:0], 1'b0};
      endcase
      value_o <= fine;
    end
  end

endmodule
