// Combines two 32-bit elements: sum, minimum or maximum, of FP32 or of signed integers.
//
// FP32 is IEEE 754 with subnormals, rounded to nearest even; any NaN result is 0x7FC00000. Minimum and maximum are NaN if an
// operand is, and take -0 as less than +0. Integer sums wrap. A missing operand passes the other one through, bit for bit.
// One pair a cycle, answered five cycles later; nobody waits.
//
// Stages: 1 order by magnitude | 2 align | 3 add | 4 normalise | 5 round. What needs no adder is settled in stage 1 and
// travels along.
module prim_fp32_reduce (
  input logic clk_i,

  input logic        valid_i,
  input logic        is_int_i,
  // 0 sum, 1 minimum, 2 maximum.
  input logic [1:0]  op_i,
  input logic        a_valid_i,
  input logic [31:0] a_i,
  input logic        b_valid_i,
  input logic [31:0] b_i,

  // Valid five cycles after `valid_i`.
  output logic [31:0] y_o
);

  /*verilator no_inline_module*/

  localparam logic [31:0] Nan = 32'h7FC0_0000;

  logic [4:1] valid_q;
  always_ff @(posedge clk_i) valid_q <= {valid_q[3:1], valid_i};

  // ---------------------------------------------------------------------------------------------
  // 1: which is larger; what needs no floating-point adder.

  /// {it is settled, result}.
  function automatic logic [32:0] settle(logic is_int, logic [1:0] op, logic a_valid,
                                         logic [31:0] a, logic b_valid, logic [31:0] b);
    logic        a_nan, b_nan, a_inf, b_inf, a_less;
    logic [31:0] a_key, b_key;
    a_nan = !is_int && a[30:0] > 31'h7F80_0000;
    b_nan = !is_int && b[30:0] > 31'h7F80_0000;
    a_inf = a[30:0] == 31'h7F80_0000;
    b_inf = b[30:0] == 31'h7F80_0000;
    // Keys that compare as unsigned numbers in the order of the elements.
    a_key  = {!a[31], a[30:0] ^ {31{a[31] && !is_int}}};
    b_key  = {!b[31], b[30:0] ^ {31{b[31] && !is_int}}};
    a_less = a_key < b_key;

    settle = {1'b1, a_valid ? a : b};
    if (a_valid && b_valid) begin
      if (a_nan || b_nan) settle[31:0] = Nan;
      else if (op == 2'd1) settle[31:0] = a_less ? a : b;
      else if (op == 2'd2) settle[31:0] = a_less ? b : a;
      else if (is_int) settle[31:0] = a + b;
      else if (a_inf && b_inf) settle[31:0] = (a[31] == b[31]) ? a : Nan;
      else if (a_inf || b_inf) settle[31:0] = a_inf ? a : b;
      else settle[32] = 1'b0;
    end
  endfunction

  logic [31:0] x, y;   // the larger one, the smaller one

  logic        settled1_q, sub1_q, sign1_q;
  logic [31:0] result1_q;
  logic [7:0]  exp1_q;
  logic [23:0] big1_q, small1_q;
  logic [7:0]  shift1_q;

  assign {x, y} = (a_i[30:0] < b_i[30:0]) ? {b_i, a_i} : {a_i, b_i};

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      {settled1_q, result1_q} <= settle(is_int_i, op_i, a_valid_i, a_i, b_valid_i, b_i);
      sub1_q   <= x[31] ^ y[31];
      sign1_q  <= x[31];
      // A subnormal has exponent 1 and no hidden one.
      exp1_q   <= (x[30:23] == 8'd0) ? 8'd1 : x[30:23];
      big1_q   <= {x[30:23] != 8'd0, x[22:0]};
      small1_q <= {y[30:23] != 8'd0, y[22:0]};
      shift1_q <= ((x[30:23] == 8'd0) ? 8'd1 : x[30:23]) - ((y[30:23] == 8'd0) ? 8'd1 : y[30:23]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 2: align the smaller one; three more bits, the last of them collects what is shifted out.

  function automatic logic [26:0] align(logic [23:0] smaller, logic [7:0] by);
    logic [26:0] shifted, lost;
    logic [4:0]  shift;
    shift   = (by > 8'd27) ? 5'd27 : by[4:0];
    shifted = {smaller, 3'd0} >> shift;
    lost    = {smaller, 3'd0} & ~(27'h7FF_FFFF << shift);
    align   = {shifted[26:1], shifted[0] || lost != '0};
  endfunction

  logic        settled2_q, sub2_q, sign2_q;
  logic [31:0] result2_q;
  logic [7:0]  exp2_q;
  logic [26:0] big2_q, small2_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      settled2_q <= settled1_q;
      result2_q  <= result1_q;
      sub2_q     <= sub1_q;
      sign2_q    <= sign1_q;
      exp2_q     <= exp1_q;
      big2_q     <= {big1_q, 3'd0};
      small2_q   <= align(small1_q, shift1_q);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 3: add or subtract.

  logic        settled3_q, sign3_q;
  logic [31:0] result3_q;
  logic [7:0]  exp3_q;
  logic [27:0] sum3_q, sum;

  assign sum = sub2_q ? {1'b0, big2_q} - {1'b0, small2_q} : {1'b0, big2_q} + {1'b0, small2_q};

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) begin
      settled3_q <= settled2_q;
      result3_q  <= result2_q;
      // An exact zero of a subtraction is +0.
      sign3_q    <= sign2_q && !(sub2_q && sum == '0);
      exp3_q     <= exp2_q;
      sum3_q     <= sum;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 4: normalise; a subnormal result stops where its exponent would fall below 1.

  /// Zeros in front of the first one, 27 if there is none.
  function automatic logic [4:0] leading_zeros(logic [26:0] value);
    logic [31:0] rest;
    rest = {value, 5'b10000};
    for (int unsigned i = 5; i > 0; i--) begin
      // Of the upper 2 ** i bits, are those of the upper half all zero?
      leading_zeros[i-1] = (rest >> (32 - 2 ** (i - 1))) == '0;
      if (leading_zeros[i-1]) rest = rest << 2 ** (i - 1);
    end
  endfunction

  /// {exponent, sum}.
  function automatic logic [35:0] normalise(logic [27:0] value, logic [7:0] exponent);
    logic [4:0] zeros, left;
    zeros = leading_zeros(value[26:0]);
    left  = (8'(zeros) < exponent) ? zeros : 5'(exponent - 8'd1);
    if (value[27]) normalise = {9'(exponent) + 9'd1, value[27:2], value[1] || value[0]};
    else normalise = {9'(exponent) - 9'(left), value[26:0] << left};
  endfunction

  logic        settled4_q, sign4_q;
  logic [31:0] result4_q;
  logic [8:0]  exp4_q;
  logic [26:0] sum4_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      settled4_q       <= settled3_q;
      result4_q        <= result3_q;
      sign4_q          <= sign3_q;
      {exp4_q, sum4_q} <= normalise(sum3_q, exp3_q);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 5: round to nearest, ties to even. The carry of the fraction moves into the exponent by itself.

  /// Exponent and fraction.
  function automatic logic [30:0] rounded(logic [26:0] value, logic [8:0] exponent);
    logic        up;
    logic [31:0] all;
    up  = value[2] && (value[3] || value[1:0] != 2'd0);
    all = {value[26] ? exponent : 9'd0, value[25:3]} + 32'(up);
    rounded = (all[31:23] >= 9'd255) ? 31'h7F80_0000 : all[30:0];
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) y_o <= settled4_q ? result4_q : {sign4_q, rounded(sum4_q, exp4_q)};
  end

endmodule
