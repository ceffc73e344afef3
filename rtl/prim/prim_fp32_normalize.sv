// Moves a sum to the left until its first one is in its place, as stage 4 of prim_fp32_reduce.
//
// A module of its own because it is the deepest logic of its adder and has to be shallow: within the adder, whose carry chain takes
// longer, synthesis would save a few LUTs and make it twice as deep. So all groups are worked on side by side, and the first
// one's result is chosen last.
module prim_fp32_normalize (
  input logic clk_i,

  input logic        valid_i,
  input logic [7:0]  exp_i,
  // The upper bits of exp + 1. Of a plain word nobody asks.
  input logic [5:0]  above_i,
  // Bit 27 is the carry. Groups of four bits are counted from there.
  input logic [27:0] value_i,
  // Groups that have a one in them, or the limit; the last one is taken if no other has.
  input logic [5:0]  any_i,
  // The group that the limit is in, one-hot or none; and which of its bits: nothing moves further.
  input logic [6:0]  limited_i,
  input logic [1:0]  limit_i,

  // In the next cycle, after `valid_i`. Behind the fraction stay one bit and what tells whether there is more.
  output logic [7:0]  exp_o,
  output logic [25:0] value_o
);

  localparam int unsigned Groups = 7;

  /// By how many places a group moves further to the left, if it is the first one.
  function automatic logic [1:0] left_of(logic [2:0] f, logic limited, logic [1:0] limit);
    logic [1:0] most;
    most = limit | {2{!limited}};
    casez (f)
      3'b1??:  left_of = 2'd0;
      3'b01?:  left_of = {1'b0, most != '0};
      3'b001:  left_of = {most[1], most == 2'd1};
      default: left_of = most;
    endcase
  endfunction

  typedef struct packed {
    logic [7:0]  exp;
    logic [25:0] value;
  } normal_t;

  // A function, so that simulation computes it for valid sums only.
  function automatic normal_t normal();
    logic [Groups-1:0] first;   // one-hot
    logic [2:0]        group;
    logic [1:0]        left;
    logic [27:0]       coarse;
    logic              top;
    logic [5:0]        same, other;

    group  = '0;
    left   = '0;
    coarse = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      first[g] = (g == Groups - 1 || any_i[g]) && (any_i & (6'(1 << g) - 6'd1)) == '0;
      group  |= {3{first[g]}} & 3'(g);
      left   |= {2{first[g]}} & left_of(value_i[27-4*g-:3], limited_i[g], limit_i);
      coarse |= {28{first[g]}} & (value_i << (4 * g));
    end

    // exp + 1 - {group, left}. The lower two bits pass one on to the upper six, or take one: both outcomes are worked out
    // while `left` is not yet known.
    top   = exp_i[1:0] == 2'd3;
    same  = exp_i[7:2] - 6'(group);
    other = above_i + ~6'(group) + 6'(top);   // top: one more; else one less
    normal.exp[1:0] = exp_i[1:0] + 2'd1 - left;
    normal.exp[7:2] = (top ? left == 2'd0 : 3'(exp_i[1:0]) + 3'd1 < 3'(left)) ? other : same;

    case (left)
      2'd0:    normal.value = {coarse[27:3], coarse[2:0] != '0};
      2'd1:    normal.value = {coarse[26:2], coarse[1:0] != '0};
      2'd2:    normal.value = {coarse[25:1], coarse[0]};
      default: normal.value = {coarse[24:0], 1'b0};
    endcase
  endfunction

  always_ff @(posedge clk_i) if (valid_i) {exp_o, value_o} <= normal();

endmodule
