// Moves a sum to the left until its first one is in its place, as stage 4 of prim_fp32_reduce.
//
// A module of its own because it is the deepest logic of its adder and has to be shallow: within the adder, whose carry chain takes
// longer, synthesis would save a few LUTs and make it twice as deep. So all groups are worked on side by side, and the first
// one's result is chosen last; in simulation only that one is worked on.
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

  /// By how many places a group moves further to the left, if it is the first one.
  function automatic logic [1:0] left_in(int unsigned g);
    logic [1:0] most;
    most = limit_i | {2{!limited_i[g]}};
    casez (value_i[27-4*g-:3])
      3'b1??:  left_in = 2'd0;
      3'b01?:  left_in = {1'b0, most != '0};
      3'b001:  left_in = {most[1], most == 2'd1};
      default: left_in = most;
    endcase
  endfunction

  typedef struct packed {
    logic [7:0]  exp;
    logic [25:0] value;
  } normal_t;

  // A function, so that simulation computes it for valid sums only.
  function automatic normal_t normal();
    logic [2:0]        group;
    logic [1:0]        left;
    logic [27:0]       coarse;
    logic              top;
    logic [5:0]        same, other;

    if (any_i[0]) begin
      group  = 3'd0;
      left   = left_in(0);
      coarse = value_i;
    end else if (any_i[1]) begin
      group  = 3'd1;
      left   = left_in(1);
      coarse = {value_i[23:0], 4'd0};
    end else if (any_i[2]) begin
      group  = 3'd2;
      left   = left_in(2);
      coarse = {value_i[19:0], 8'd0};
    end else if (any_i[3]) begin
      group  = 3'd3;
      left   = left_in(3);
      coarse = {value_i[15:0], 12'd0};
    end else if (any_i[4]) begin
      group  = 3'd4;
      left   = left_in(4);
      coarse = {value_i[11:0], 16'd0};
    end else if (any_i[5]) begin
      group  = 3'd5;
      left   = left_in(5);
      coarse = {value_i[7:0], 20'd0};
    end else begin
      group  = 3'd6;
      left   = left_in(6);
      coarse = {value_i[3:0], 24'd0};
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
