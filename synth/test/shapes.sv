// What the synthesis flow is tested on: logic whose cost and depth are known beforehand.

// A register behind seven others' parity: two levels, since a LUT takes six.
module shape_leaf (
  input  logic       clk_i,
  input  logic [6:0] data_i,
  output logic       parity_o
);
  logic [6:0] data_q;
  always_ff @(posedge clk_i) data_q <= data_i;
  assign parity_o = ^data_q;
endmodule

// A queue's memory that cannot be block RAM, because it is read without a clock.
module prim_ram_of_luts (
  input  logic        clk_i,
  input  logic        we_i,
  input  logic [6:0]  addr_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o
);
  logic [63:0] mem[128];
  always_ff @(posedge clk_i) if (we_i) mem[addr_i] <= data_i;
  assign data_o = mem[addr_i];
endmodule

// Seven leaves whose parities meet in one register: two levels in a leaf, two here, the path through both.
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
