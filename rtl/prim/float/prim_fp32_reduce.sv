// Combines two 32-bit elements: sum, minimum or maximum, of FP32 or of signed integers.
//
// FP32 is IEEE 754 with subnormals, rounded to nearest even; any NaN result is 0x7FC00000. Minimum
// and maximum are NaN if an operand is, and take -0 as less than +0. Integer sums wrap. A missing
// operand passes the other one through, bit for bit. One pair a cycle, answered five cycles later;
// nobody waits.
//
// Stages: 1 order by magnitude | 2 align | 3 add | 4 normalise | 5 round. What is no sum of finite
// FP32 takes the same way as a *plain* word of 32 bits, which is neither aligned nor rounded: a sum
// of integers; else `x`, chosen to be the result, plus zero.
module prim_fp32_reduce #(
  /// 0: no integers come.
  parameter bit Ints = 1'b1,
  /// 0: what comes is to be summed.
  parameter bit MinMax = 1'b1
) (
  input logic clk_i,

  // 1: signed integers; 0: FP32.
  input logic        valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input logic        is_int_i,
  // 0 sum, 1 minimum, 2 maximum.
  input logic [1:0]  op_i,
  // verilator lint_on UNUSEDSIGNAL
  // Operands; one that is not valid is missing.
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
  // 1: which is larger, or which is the result; by how much the smaller one must be shifted.

  typedef struct packed {
    logic        plain;
    logic        sub;
    logic        sign;
    logic [7:0]  exp;
    logic [7:0]  top;
    logic [7:0]  shift;
    logic [23:0] larger;
    logic [23:0] lesser;
  } ordered_t;

  ordered_t pair1_q;

  // What a stage computes stands in local variables of its register, so that simulation computes it
  // for valid pairs only; and in no function, so that all lanes share one compiled copy
  // (tb/drive/library/share.vlt).
  always_ff @(posedge clk_i) begin
    automatic logic        both, adds, adds_int, plain, a_nan, b_nan, nan, smaller, a_less, swap;
    automatic logic [31:0] x, y;  // the larger one or the result; the smaller one
    automatic logic [7:0]  a_exp, b_exp, x_exp, y_exp;
    automatic logic        x_lead, y_lead;

    if (valid_i) begin
      both     = a_valid_i && b_valid_i;
      adds     = MinMax ? both && op_i != 2'd1 && op_i != 2'd2 : both;
      adds_int = adds && (Ints ? is_int_i : 1'b0);
      plain    = !adds || (Ints ? is_int_i : 1'b0) || a_i[30:23] == 8'hFF || b_i[30:23] == 8'hFF;
      a_nan    = a_i[30:23] == 8'hFF && a_i[22:0] != '0;
      b_nan    = b_i[30:23] == 8'hFF && b_i[22:0] != '0;
      // Infinities of opposite signs, too.
      nan = both && !(Ints ? is_int_i : 1'b0) && (a_nan || b_nan ||
          (adds && a_i[30:23] == 8'hFF && b_i[30:23] == 8'hFF && a_i[31] != b_i[31]));

      // Sign and magnitude for FP32, two's complement for integers.
      smaller = a_i[30:0] < b_i[30:0];
      a_less  = (a_i[31] != b_i[31]) ? a_i[31] : smaller ^ (a_i[31] && !(Ints ? is_int_i : 1'b0));
      if (!both) swap = !a_valid_i;
      else if (MinMax ? op_i == 2'd1 : 1'b0) swap = !a_less;
      else if (MinMax ? op_i == 2'd2 : 1'b0) swap = a_less;
      else swap = smaller;

      // A subnormal has exponent 1.
      a_exp          = {a_i[30:24], a_i[23] || a_i[30:23] == '0};
      b_exp          = {b_i[30:24], b_i[23] || b_i[30:23] == '0};
      {x, y}         = swap ? {b_i, a_i} : {a_i, b_i};
      {x_exp, y_exp} = swap ? {b_exp, a_exp} : {a_exp, b_exp};
      // In front of the fraction: the hidden one, or the next bit of a plain word.
      x_lead = plain ? x[23] : x[30:23] != '0;
      y_lead = plain ? y[23] : y[30:23] != '0;

      pair1_q <= '{
        plain:  plain,
        sub:    !plain && (a_i[31] ^ b_i[31]),
        sign:   nan ? Nan[31] : x[31],
        exp:    nan ? Nan[30:23] : x_exp,
        top:    adds_int ? y[31:24] : '0,
        shift:  plain ? '0 : x_exp - y_exp,
        larger: nan ? Nan[23:0] : {x_lead, x[22:0]},
        lesser: (plain && !adds_int) ? '0 : {y_lead, y[22:0]}
      };
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 2: align the smaller one; three more bits, the last of them collects what is shifted out. The
  // upper eight bits are those of plain words.

  logic        plain2_q, sub2_q, sign2_q;
  logic [7:0]  exp2_q;
  logic [7:0]  top2_q;
  logic [26:0] aligned2_q;
  logic [34:0] big2_q, small2_q;

  prim_fp32_align u_align (
    .clk_i,
    .valid_i (valid_q[1]),
    .lesser_i(pair1_q.lesser),
    .by_i    (pair1_q.shift),
    .lesser_o(aligned2_q)
  );
  assign small2_q = {top2_q, aligned2_q};

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      plain2_q <= pair1_q.plain;
      sub2_q   <= pair1_q.sub;
      sign2_q  <= pair1_q.sign && !pair1_q.plain;
      // A plain word stays where it is as if it were a subnormal.
      exp2_q   <= pair1_q.plain ? 8'd1 : pair1_q.exp;
      big2_q   <= {pair1_q.plain ? {pair1_q.sign, pair1_q.exp[7:1]} : 8'd0, pair1_q.larger, 3'd0};
      top2_q   <= pair1_q.top;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 3: add or subtract. Bit 27 is the carry, or 0 for a plain word, whose upper bits travel as sign
  // and exponent.
  //
  // Places are counted from the carry, 0, on. The first one goes to place 1, unless it is behind
  // the place that the exponent numbers: there a subnormal's stays. So the place sought is that of
  // the first one among sum and limit, and it is sought by groups of four: which groups have any is
  // found here, the rest in stage 4.

  localparam int unsigned Groups = 7;

  typedef struct packed {
    logic              plain;
    logic              sub;
    logic              sign;
    logic [7:0]        exp;
    logic [5:0]        above;        // the upper bits of exp + 1; of a plain word nobody asks
    logic [27:0]       value;
    logic [Groups-2:0] any;
    logic [Groups-1:0] limited;      // the group that the limit is in, if any
    logic [1:0]        limit;
  } total_t;

  total_t total3_q;

  always_ff @(posedge clk_i) begin
    automatic logic [34:0]       sum;
    automatic logic              carry_unused;
    automatic logic [27:0]       value;
    automatic logic [Groups-1:0] limited = '0;
    automatic logic [Groups-2:0] any = '0;

    if (valid_q[2]) begin
      // One adder: the carry in completes the two's complement.
      {sum, carry_unused} = {big2_q, 1'b1} + {small2_q ^ {35{sub2_q}}, sub2_q};
      value               = {sum[27] && !plain2_q, sum[26:0]};
      for (int unsigned g = 0; g < Groups; g++) limited[g] = exp2_q[7:2] == 6'(g);
      for (int unsigned g = 0; g < Groups - 1; g++) any[g] = value[27-4*g-:4] != '0 || limited[g];

      total3_q <= '{
        plain:   plain2_q,
        sub:     sub2_q,
        sign:    plain2_q ? sum[34] : sign2_q,
        exp:     plain2_q ? {sum[33:27], 1'b1} : exp2_q,
        above:   exp2_q[7:2] + 6'(exp2_q[1:0] == 2'd3),
        value:   value,
        any:     any,
        limited: limited,
        limit:   exp2_q[1:0]
      };
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 4: normalise.

  typedef struct packed {
    logic        plain;
    logic        sign;
    logic [7:0]  exp;
    logic [25:0] value;
  } normal_t;

  logic        plain4_q, sign4_q;
  logic [7:0]  exp4;     // registers, too
  logic [25:0] value4;
  normal_t     normal4;
  assign normal4 = '{plain: plain4_q, sign: sign4_q, exp: exp4, value: value4};

  prim_fp32_normalize u_normalize (
    .clk_i,
    .valid_i  (valid_q[3]),
    .exp_i    (total3_q.exp),
    .above_i  (total3_q.above),
    .value_i  (total3_q.value),
    .any_i    (total3_q.any),
    .limited_i(total3_q.limited),
    .limit_i  (total3_q.limit),
    .exp_o    (exp4),
    .value_o  (value4)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      plain4_q <= total3_q.plain;
      // An exact zero of a subtraction is +0.
      sign4_q  <= total3_q.sign && !(total3_q.sub && total3_q.value == '0);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 5: round to nearest, ties to even. The carry of the fraction moves into the exponent by itself.

  always_ff @(posedge clk_i) begin
    automatic logic        infinite, up;
    automatic logic [7:0]  exponent;
    automatic logic [30:0] result;  // exponent and fraction

    if (valid_q[4]) begin
      infinite = normal4.exp == 8'hFF;
      // Behind a plain word there is nothing to round.
      up       = normal4.value[1] && (normal4.value[2] || normal4.value[0]) && !infinite;
      // 0 for a subnormal; a plain word has its own bits here.
      exponent = {
        normal4.exp[7:1] & {7{normal4.value[25] || normal4.plain}},
        normal4.exp[0] && normal4.value[25]
      };
      result   = {exponent, normal4.value[24:2]} + 31'(up);
      y_o <= {
        normal4.sign, result[30:23], (infinite && !normal4.plain) ? 23'd0 : result[22:0]
      };
    end
  end

endmodule
