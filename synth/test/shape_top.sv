// What the synthesis flow is tested on: logic whose cost and depth are known beforehand.
//
// Seven leaves whose parities meet in one register: two levels in a leaf, two here, the path
// through both.
module shape_top (
  input  logic            clk_i,
  input  logic [6:0][6:0] data_i,
  output logic            parity_o,
  input  logic            we_i,
  input  logic [6:0]      addr_i,
  input  logic [63:0]     word_i,
  output logic [63:0]     word_o
);
  logic [6:0] parity;
  for (genvar i = 0; i < 7; i++) begin : gen_leaf
    shape_leaf u_leaf (
      .clk_i,
      .data_i  (data_i[i]),
      .parity_o(parity[i])
    );
  end
  always_ff @(posedge clk_i) parity_o <= ^parity;

  logic [31:0] count_q;
  always_ff @(posedge clk_i) count_q <= count_q + 32'(word_o[0]);

  prim_ram_of_luts u_ram (
    .clk_i,
    .we_i  (we_i && count_q[31]),
    .addr_i,
    .data_i(word_i),
    .data_o(word_o)
  );
endmodule
