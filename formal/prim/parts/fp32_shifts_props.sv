// prim_fp32_align and prim_fp32_normalize: how far numbers are shifted in front of an addition and
// behind it, for any number, and any word of stage 3 of prim_fp32_reduce.
module fp32_shifts_props (
  input logic        clk_i,
  input logic        valid_i,
  input logic [23:0] lesser_i,
  input logic [7:0]  by_i,
  input logic [7:0]  exp_i,
  input logic [5:0]  above_i,
  input logic [27:0] value_i,
  input logic [5:0]  any_i,
  input logic [6:0]  limited_i,
  input logic [1:0]  limit_i,
  input logic [4:0]  bit_i   // any
);

  logic [26:0] aligned;
  logic [7:0]  exponent;
  logic [25:0] value;

  prim_fp32_align u_align (
    .clk_i,
    .valid_i,
    .lesser_i,
    .by_i,
    .lesser_o(aligned)
  );

  prim_fp32_normalize u_normalize (
    .clk_i,
    .valid_i,
    .exp_i,
    .above_i,
    .value_i,
    .any_i,
    .limited_i,
    .limit_i,
    .exp_o    (exponent),
    .value_o  (value)
  );

  // What came in last, and what came out before.
  logic        known_q, came_q;
  logic [26:0] lesser_q, aligned_q;
  logic [7:0]  by_q, exp_q, exponent_q;
  logic [5:0]  above_q;
  logic [27:0] value_q;
  logic [25:0] normal_q;
  logic [6:0]  any_q, limited_q;
  logic [1:0]  limit_q;
  initial {known_q, came_q} = '0;
  always_ff @(posedge clk_i) begin
    known_q   <= 1'b1;
    came_q    <= valid_i;
    lesser_q  <= {lesser_i, 3'd0};
    by_q      <= by_i;
    exp_q     <= exp_i;
    above_q   <= above_i;
    value_q   <= value_i;
    any_q     <= {1'b1, any_i};   // the last group is taken in any case
    limited_q <= limited_i;
    limit_q   <= limit_i;
    {aligned_q, exponent_q, normal_q} <= {aligned, exponent, value};
  end

  // ---------------------------------------------------------------------------------------------
  // To the right: the place that a bit comes from, and what falls off the end.

  logic [8:0]  from;
  logic        there;
  logic [26:0] off;   // bits that are shifted out, or into the last place
  always_comb begin
    from  = 9'(bit_i) + 9'(by_q);
    there = 1'b0;
    for (int unsigned i = 0; i < 27; i++) begin
      if (from == 9'(i)) there = lesser_q[i];
      off[i] = 9'(i) <= 9'(by_q) && lesser_q[i];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // To the left: places from the carry to the leading one, which is in the first group that has
  // any, or to the limit, if it is in that group and in front of the one.

  logic [4:0]  first, moved;
  logic        found;
  logic [30:0] shifted;
  logic [7:0]  exact;
  logic [5:0]  apart;      // how far the upper bits of exponent + 1 are from those that are said
  logic        borrowed;   // the upper bits change by more than whole groups
  always_comb begin
    first = '0;
    found = 1'b0;
    for (int unsigned g = 0; g < 7; g++) begin
      if (!found && any_q[g]) begin
        found = 1'b1;
        first = 5'(4 * g);
      end
    end
    // Of four places the last one is taken if the one is in no other.
    moved = first;
    for (int unsigned n = 0; n < 3; n++) begin
      if (moved == first + 5'(n) && !value_q[5'd27 - moved] &&
          !(limited_q[first/4] && limit_q == 2'(n))) moved += 5'd1;
    end
    shifted  = {value_q, 3'd0} << moved;
    exact    = exp_q + 8'd1 - 8'(moved);
    apart    = above_q - 6'((9'(exp_q) + 9'd1) >> 2);
    borrowed = exact[7:2] != exp_q[7:2] - 6'(first / 4);
  end

  always_ff @(posedge clk_i) begin
    // Each bit but the last has moved down by so many places; nothing of it is left from 32 on.
    a_align : assert (!came_q || bit_i == '0 || bit_i > 5'd26 || aligned[bit_i] == there)
    else $error("bit %0d by %0d", bit_i, by_q);
    // The last one says whether anything fell off; from 32 on there always was something, which is
    // too little to change a result.
    a_sticky : assert (!came_q || aligned[0] == (off != '0 || by_q >= 8'd32))
    else $error("by %0d: %h", by_q, aligned);
    // The significand has moved up by as many places as are in front of the one, or of the limit.
    // The last bit says whether anything was behind it.
    a_value : assert (!came_q || value == {shifted[30:6], shifted[5:3] != '0})
    else $error("%h by %0d: %h", value_q, moved, value);
    // Its exponent is one more than it was, less these places.
    a_exponent : assert (!came_q || apart != '0 || exponent == exact)
    else $error("%0d by %0d: %0d", exp_q, moved, exponent);
    // The upper bits that come along are looked at where the lower two carry or borrow, only.
    a_above : assert (!came_q || exponent == (borrowed ? exact + {apart, 2'd0} : exact))
    else $error("%0d by %0d: %0d", exp_q, moved, exponent);
    // What came out stands until the next word comes.
    a_stands : assert (!known_q || came_q ||
                       {aligned, exponent, value} == {aligned_q, exponent_q, normal_q})
    else $error("changed");

    // The limit stops a number that has a one behind it; a number in the last group.
    c_limit : cover (came_q && any_q[0] && limited_q[0] && limit_q == 2'd1 && moved == 5'd1 &&
                     value_q[27:26] == '0);
    c_last : cover (came_q && any_q[5:0] == '0 && moved == 5'd27);
  end

endmodule
