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

  logic        a_nan, b_nan, a_inf, b_inf, a_less, swap;
  logic [31:0] a_key, b_key, x, y;
  logic        settled_d;
  logic [31:0] result_d;

  logic        settled1_q, sub1_q, sign1_q;
  logic [31:0] result1_q;
  logic [7:0]  exp1_q;
  logic [23:0] big1_q, small1_q;
  logic [7:0]  shift1_q;

  always_comb begin
    a_nan = !is_int_i && a_i[30:0] > 31'h7F80_0000;
    b_nan = !is_int_i && b_i[30:0] > 31'h7F80_0000;
    a_inf = a_i[30:0] == 31'h7F80_0000;
    b_inf = b_i[30:0] == 31'h7F80_0000;
    // Keys that compare as unsigned numbers in the order of the elements.
    a_key  = {!a_i[31], a_i[30:0] ^ {31{a_i[31] && !is_int_i}}};
    b_key  = {!b_i[31], b_i[30:0] ^ {31{b_i[31] && !is_int_i}}};
    a_less = a_key < b_key;
    swap   = a_i[30:0] < b_i[30:0];
    {x, y} = swap ? {b_i, a_i} : {a_i, b_i};

    settled_d = 1'b1;
    result_d  = a_valid_i ? a_i : b_i;
    if (a_valid_i && b_valid_i) begin
      if (a_nan || b_nan) result_d = Nan;
      else if (op_i == 2'd1) result_d = a_less ? a_i : b_i;
      else if (op_i == 2'd2) result_d = a_less ? b_i : a_i;
      else if (is_int_i) result_d = a_i + b_i;
      else if (a_inf && b_inf) result_d = (a_i[31] == b_i[31]) ? a_i : Nan;
      else if (a_inf || b_inf) result_d = a_inf ? a_i : b_i;
      else settled_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      settled1_q <= settled_d;
      result1_q  <= result_d;
      sub1_q     <= x[31] ^ y[31];
      sign1_q    <= x[31];
      // A subnormal has exponent 1 and no hidden one.
      exp1_q     <= (x[30:23] == 8'd0) ? 8'd1 : x[30:23];
      big1_q     <= {x[30:23] != 8'd0, x[22:0]};
      small1_q   <= {y[30:23] != 8'd0, y[22:0]};
      shift1_q   <= ((x[30:23] == 8'd0) ? 8'd1 : x[30:23]) - ((y[30:23] == 8'd0) ? 8'd1 : y[30:23]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 2: align the smaller one; three more bits, the last of them collects what is shifted out.

  logic        settled2_q, sub2_q, sign2_q;
  logic [31:0] result2_q;
  logic [7:0]  exp2_q;
  logic [26:0] big2_q, small2_q;
  logic [26:0] shifted, lost;
  logic [4:0]  shift;

  always_comb begin
    shift   = (shift1_q > 8'd27) ? 5'd27 : shift1_q[4:0];
    shifted = {small1_q, 3'd0} >> shift;
    lost    = {small1_q, 3'd0} & ~(27'h7FF_FFFF << shift);
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      settled2_q <= settled1_q;
      result2_q  <= result1_q;
      sub2_q     <= sub1_q;
      sign2_q    <= sign1_q;
      exp2_q     <= exp1_q;
      big2_q     <= {big1_q, 3'd0};
      small2_q   <= {shifted[26:1], shifted[0] || lost != '0};
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

  logic        settled4_q, sign4_q;
  logic [31:0] result4_q;
  logic [8:0]  exp4_q;
  logic [26:0] sum4_q;
  logic [4:0]  zeros, left;

  always_comb begin
    zeros = 5'd27;
    for (int i = 0; i < 27; i++) begin
      if (sum3_q[i]) zeros = 5'(26 - i);
    end
    left = (8'(zeros) < exp3_q) ? zeros : 5'(exp3_q - 8'd1);
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      settled4_q <= settled3_q;
      result4_q  <= result3_q;
      sign4_q    <= sign3_q;
      if (sum3_q[27]) begin
        exp4_q <= 9'(exp3_q) + 9'd1;
        sum4_q <= {sum3_q[27:2], sum3_q[1] || sum3_q[0]};
      end else begin
        exp4_q <= 9'(exp3_q) - 9'(left);
        sum4_q <= sum3_q[26:0] << left;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 5: round to nearest, ties to even. The carry of the fraction moves into the exponent by itself.

  logic [8:0]  exponent;
  logic [31:0] rounded;
  logic        up;

  always_comb begin
    exponent = sum4_q[26] ? exp4_q : 9'd0;
    up       = sum4_q[2] && (sum4_q[3] || sum4_q[1:0] != 2'd0);
    rounded  = {exponent, sum4_q[25:3]} + 32'(up);
    if (rounded[31:23] >= 9'd255) rounded = 32'h7F80_0000;
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) y_o <= settled4_q ? result4_q : {sign4_q, rounded[30:0]};
  end

endmodule
