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
