// prim_fp32_reduce between its shifters: what they get of two elements, and the result of what they
// give, for any elements and whatever they give (fp32_shifts has them; with them together,
// prim_fp32_sum and prim_fp32_reduce say what the result is).
module fp32_steps_props #(
  parameter bit Ints = 1'b1,
  parameter bit MinMax = 1'b1
) (
  input logic        clk_i,
  input logic        valid_i,
  input logic        is_int_i,
  input logic [1:0]  op_i,
  input logic        a_valid_i,
  input logic [31:0] a_i,
  input logic        b_valid_i,
  input logic [31:0] b_i,
  input logic [2:0]  group_i   // any
);

  localparam logic [31:0] Nan = 32'h7FC0_0000;
  localparam logic [30:0] Infinity = 31'h7F80_0000;

  logic [31:0] y;

  prim_fp32_reduce #(
    .Ints  (Ints),
    .MinMax(MinMax)
  ) u_dut (
    .clk_i,
    .valid_i,
    .is_int_i,
    .op_i,
    .a_valid_i,
    .a_i,
    .b_valid_i,
    .b_i,
    .y_o(y)
  );

  typedef struct packed {
    logic        ints;    // signed integers
    logic [1:0]  op;      // 0 or 3: a sum
    logic        has_a;
    logic [31:0] a;
    logic        has_b;
    logic [31:0] b;
  } pair_t;

  logic [5:1] valid_q;
  logic [4:0] known_q;   // so many cycles have gone by
  pair_t      pair;   // in the cycle behind
  initial {valid_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    known_q <= {known_q[3:0], 1'b1};
    valid_q <= {valid_q[4:1], valid_i};
    pair    <= '{Ints && is_int_i, MinMax ? op_i : 2'd0, a_valid_i, a_i, b_valid_i, b_i};
  end

  // ---------------------------------------------------------------------------------------------
  // Two elements: which is the larger one of a sum, or the result of anything else.

  /// Is `x` less than `y`? -0 is less than +0.
  function automatic logic less(logic ints, logic [31:0] x, logic [31:0] y);
    if (ints) less = $signed(x) < $signed(y);
    else if (x[31] != y[31]) less = x[31];
    else less = x[31] ? x[30:0] > y[30:0] : x[30:0] < y[30:0];
  endfunction

  typedef struct packed {
    logic        sum;     // of finite FP32
    logic        sub;     // of opposite signs
    logic [31:0] word;    // the larger number, or the word that the other one is added to
    logic [31:0] other;   // the lesser number, what is added, or nothing
  } parts_t;

  logic   both, adds, special;
  parts_t parts, parts_q;
  always_comb begin
    both    = pair.has_a && pair.has_b;
    adds    = both && pair.op != 2'd1 && pair.op != 2'd2;
    special = pair.a[30:0] >= Infinity || pair.b[30:0] >= Infinity;
    parts   = '0;
    parts.sum = adds && !pair.ints && !special;
    parts.sub = parts.sum && pair.a[31] != pair.b[31];
    // One alone is the result, as it is.
    parts.word = pair.has_a ? pair.a : pair.b;
    if (adds) begin
      // By magnitude; of integers what is behind the sign.
      parts.word  = (pair.b[30:0] > pair.a[30:0]) ? pair.b : pair.a;
      parts.other = (pair.b[30:0] > pair.a[30:0]) ? pair.a : pair.b;
      if (!pair.ints && special) parts.other = '0;
    end else if (both && pair.op == 2'd1) begin
      parts.word = less(pair.ints, pair.b, pair.a) ? pair.b : pair.a;
    end else if (both) begin
      parts.word = less(pair.ints, pair.a, pair.b) ? pair.b : pair.a;
    end
    if (both && !pair.ints) begin
      // NaN makes NaN, and so do infinities that cancel.
      if (pair.a[30:0] > Infinity || pair.b[30:0] > Infinity) parts.word = Nan;
      if (adds && pair.a[30:0] == Infinity && pair.b[30:0] == Infinity &&
          pair.a[31] != pair.b[31]) parts.word = Nan;
    end
  end

  /// The exponent that a number's last place has, and its significand.
  function automatic logic [7:0] power(logic [31:0] f);
    power = (f[30:23] == 8'd0) ? 8'd1 : f[30:23];
  endfunction
  function automatic logic [23:0] significand(logic [31:0] f);
    significand = {f[30:23] != 8'd0, f[22:0]};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The sum, of what the first shifter gives, free, in the cycle after it got it.

  logic [26:0] aligned;
  logic [34:0] word;    // of what is no sum of numbers, 32 bits with three behind them
  logic [27:0] total;
  logic [7:0]  limit;   // the place of the limit, counted from the carry
  assign aligned = u_dut.u_align.lesser_o;
  always_comb begin
    word  = {parts_q.word, 3'd0} + {parts_q.other[31:24], aligned};
    total = 28'({significand(parts_q.word), 3'd0});
    if (parts_q.sub) total -= 28'(aligned);
    else total += 28'(aligned);
    if (!parts_q.sum) total = {1'b0, word[26:0]};
    limit = parts_q.sum ? power(parts_q.word) : 8'd1;
  end

  typedef struct packed {
    logic        sum;
    logic        sign;    // of the result
    logic [7:0]  exp;
    logic [27:0] total;
    logic [7:0]  limit;
  } summed_t;
  summed_t summed_q;

  // ---------------------------------------------------------------------------------------------
  // The result, of what the second shifter gives, free as well.

  logic [7:0]  exp;
  logic [25:0] value;
  logic        sum_q, sign_q, up;
  logic [30:0] cut;
  logic [31:0] result_q;
  logic [31:0] y_q;
  assign exp   = u_dut.u_normalize.exp_o;
  assign value = u_dut.u_normalize.value_o;
  always_comb begin
    // The hidden one tells a normal number; of another word the last bit of what would be the
    // exponent is there.
    cut = {value[25] ? exp : sum_q ? 8'd0 : exp & 8'hFE, value[24:2]};
    // More than half of a last place, or half of it behind an odd one; infinity is not rounded.
    up  = exp != 8'd255 && (value[1:0] == 2'd3 || (value[1:0] == 2'd2 && value[2]));
    if (sum_q && exp == 8'd255) cut[22:0] = '0;
  end

  always_ff @(posedge clk_i) begin
    parts_q  <= parts;
    summed_q <= '{
      sum:   parts_q.sum,
      sign:  parts_q.sum ? parts_q.word[31] && !(parts_q.sub && total == '0) : word[34],
      exp:   parts_q.sum ? power(parts_q.word) : {word[33:27], 1'b1},
      total: total,
      limit: limit
    };
    {sum_q, sign_q} <= {summed_q.sum, summed_q.sign};
    result_q <= {sign_q, cut + 31'(up)};
    y_q      <= y;
  end

  always_ff @(posedge clk_i) begin
    // The lesser number of a sum is shifted by as many places as its exponent is less.
    a_lesser : assert (!valid_q[1] || !parts.sum ||
                       (u_dut.u_align.lesser_i == significand(parts.other) &&
                        u_dut.u_align.by_i == power(parts.word) - power(parts.other)))
    else $error("%h and %h", parts.word, parts.other);
    // All else stays where it is: the lower part of an integer that is added, or nothing.
    a_plain : assert (!valid_q[1] || parts.sum ||
                      (u_dut.u_align.lesser_i == parts.other[23:0] && u_dut.u_align.by_i == '0))
    else $error("%h and %h", parts.word, parts.other);
    // The shifters are told when there is something.
    a_valid : assert ((!known_q[0] || u_dut.u_align.valid_i == valid_q[1]) &&
                      (!known_q[2] || u_dut.u_normalize.valid_i == valid_q[3]))
    else $error("valid");

    // Numbers of one sign are added, those of opposite signs subtracted, and any other word is
    // added to.
    a_total : assert (!valid_q[3] || u_dut.u_normalize.value_i == summed_q.total)
    else $error("total %h", u_dut.u_normalize.value_i);
    // The exponent is the larger number's, and the upper part of any other word.
    a_exponent : assert (!valid_q[3] || u_dut.u_normalize.exp_i == summed_q.exp)
    else $error("exponent %0d", u_dut.u_normalize.exp_i);
    // The limit is at the place that a number's exponent says, and at the first one of any other
    // word.
    a_limit : assert (!valid_q[3] || (u_dut.u_normalize.limit_i == summed_q.limit[1:0] &&
                      u_dut.u_normalize.above_i == 6'((9'(summed_q.limit) + 9'd1) >> 2)))
    else $error("limit %0d", summed_q.limit);
    // Of any group of four places: it is the limit's; it has any.
    a_limited : assert (!valid_q[3] || group_i > 3'd6 || u_dut.u_normalize.limited_i[group_i] ==
                        (summed_q.limit / 8'd4 == 8'(group_i)))
    else $error("group %0d", group_i);
    a_any : assert (!valid_q[3] || group_i > 3'd5 || u_dut.u_normalize.any_i[group_i] ==
                    (summed_q.limit / 8'd4 == 8'(group_i) ||
                     4'(summed_q.total >> (5'd24 - 5'(4 * group_i))) != '0))
    else $error("group %0d", group_i);

    // The result is rounded to the nearest, ties to even, and zero that is left of a subtraction
    // is +0.
    a_result : assert (!valid_q[5] || y == result_q)
    else $error("%h", y);
    // It stands until there is another one.
    a_stands : assert (!known_q[4] || valid_q[5] || y == y_q)
    else $error("%h", y);

    // Infinities cancel where there are sums; a number is rounded up beyond all of its fraction.
    c_cancel : cover (valid_q[1] && adds && pair.a[30:0] == Infinity && pair.b[30:0] == Infinity &&
                      parts.word == Nan);
    c_carry : cover (valid_q[5] && y[22:0] == '0 && y[30:23] == 8'd4);
  end

endmodule
