// Product of two registers of a CRC-32 as polynomials, modulo the CRC's own (prim_crc32_pkg).
//
// What bytes behind a message make of its CRC is such a product if they are zeros: so the CRC of a
// message's front, and that of its rest, are joined however long the rest is. Four bits of one
// factor a cycle, highest powers first.
module prim_crc32_times (
  input logic clk_i,
  input logic rst_ni,

  // A pulse, eight cycles or more behind the one before: `by_i` is taken, and `also_i`, times x^32
  // added to the product, as 16 bits behind a message are, first bit lowest.
  input logic        start_i,
  input logic [31:0] by_i,
  input logic [15:0] also_i,
  // The other factor, from the cycle behind `start_i` on for eight cycles.
  input logic [31:0] times_i,

  // Nine cycles behind the pulse, up to the next one.
  output logic [31:0] product_o
);
  import prim_crc32_pkg::*;

  localparam int unsigned Digit = 4;

  logic [31:0] by_q, sum_q, sum;
  logic [2:0]  at_q;
  logic        busy_q;

  logic [Digit-1:0] digit;
  assign digit = by_q[Digit*at_q+:Digit];

  always_comb begin
    sum = sum_q;
    for (int unsigned i = 0; i < Digit; i++) sum = step(sum) ^ (times_i & {32{digit[i]}});
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      by_q   <= by_i;
      at_q   <= '0;
      sum_q  <= {also_i, 16'd0};
      busy_q <= 1'b1;
    end else if (busy_q) begin
      at_q  <= at_q + 3'd1;
      sum_q <= sum;
      if (at_q == '1) busy_q <= 1'b0;
    end
    if (!rst_ni) busy_q <= 1'b0;
  end

  assign product_o = sum_q;

endmodule
