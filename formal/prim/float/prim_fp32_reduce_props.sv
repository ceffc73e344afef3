// prim_fp32_reduce, all but sums of finite FP32, which prim_fp32_sum_props has: any two elements,
// five cycles later.
module prim_fp32_reduce_props (
  input logic        clk_i,
  input logic        valid_i,
  input logic        is_int_i,
  input logic [1:0]  op_i,
  input logic        a_valid_i,
  input logic [31:0] a_i,
  input logic        b_valid_i,
  input logic [31:0] b_i
);

  localparam logic [31:0] Nan = 32'h7FC0_0000;
  localparam logic [30:0] Infinity = 31'h7F80_0000;

  logic [31:0] y;

  prim_fp32_reduce u_dut (
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
    logic        valid;
    logic        is_int;
    logic [1:0]  op;
    logic        has_a;
    logic [31:0] a;
    logic        has_b;
    logic [31:0] b;
  } pair_t;

  // What came in one to five cycles ago.
  pair_t [5:1] pair_q;
  pair_t       pair;

  initial begin
    for (int unsigned n = 1; n <= 5; n++) pair_q[n].valid = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    pair_q[5:2] <= pair_q[4:1];
    pair_q[1]   <= '{valid_i, is_int_i, op_i, a_valid_i, a_i, b_valid_i, b_i};
  end
  assign pair = pair_q[5];

  /// Is `x` less than `y`? No NaN; -0 is less than +0.
  function automatic logic less(logic is_int, logic [31:0] x, logic [31:0] y);
    if (is_int) less = $signed(x) < $signed(y);
    else if (x[31] != y[31]) less = x[31];
    else less = x[31] ? x[30:0] > y[30:0] : x[30:0] < y[30:0];
  endfunction

  logic [31:0] a, b;
  logic        both, number, adds, a_infinite, b_infinite;
  assign a          = pair.a;
  assign b          = pair.b;
  assign both       = pair.valid && pair.has_a && pair.has_b;
  // Neither is NaN.
  assign number     = both && (pair.is_int || (a[30:0] <= Infinity && b[30:0] <= Infinity));
  assign adds       = number && !pair.is_int && pair.op == 2'd0;
  assign a_infinite = a[30:0] == Infinity;
  assign b_infinite = b[30:0] == Infinity;

  always_ff @(posedge clk_i) begin
    // Where one operand is missing the other one comes out, bit by bit, be it a NaN.
    a_missing : assert (!pair.valid || pair.has_a == pair.has_b || y == (pair.has_a ? a : b))
    else $error("%h", y);
    // With a NaN the result is the canonical NaN: of sums, minimum and maximum.
    a_nan : assert (!both || number || y == Nan)
    else $error("%h", y);
    // The minimum is one of the two, and neither is less than it; integers are signed, and -0 is
    // less than +0.
    a_minimum : assert (!number || pair.op != 2'd1 || ((y == a || y == b) &&
        !less(pair.is_int, a, y) && !less(pair.is_int, b, y)))
    else $error("minimum of %h and %h: %h", a, b, y);
    // The maximum is one of the two, and it is less than neither.
    a_maximum : assert (!number || pair.op != 2'd2 || ((y == a || y == b) &&
        !less(pair.is_int, y, a) && !less(pair.is_int, y, b)))
    else $error("maximum of %h and %h: %h", a, b, y);
    // Sums of integers wrap.
    a_integers : assert (!number || !pair.is_int || pair.op != 2'd0 || y == a + b)
    else $error("%h + %h = %h", a, b, y);
    // Infinity and anything finite is that infinity, and so is infinity with itself; of opposite
    // signs they are NaN.
    a_infinity : assert (!adds || !(a_infinite || b_infinite) ||
        y == ((a_infinite && b_infinite && a[31] != b[31]) ? Nan : a_infinite ? a : b))
    else $error("%h + %h = %h", a, b, y);
    // The minimum of two zeros of different sign.
    c_zeros : cover (number && !pair.is_int && pair.op == 2'd1 && a == 32'd0 && y == 32'h8000_0000);
    // A NaN passes a missing operand.
    c_nan_kept : cover (pair.valid && !pair.has_b && pair.has_a && a == 32'hFF80_0001 && y == a);
    // Infinities cancel.
    c_infinities : cover (adds && a_infinite && b_infinite && y == Nan);
    // An integer sum overflows.
    c_wraps : cover (number && pair.is_int && pair.op == 2'd0 && !a[31] && !b[31] && y[31]);
  end

endmodule
