// What agg_reduce takes for granted of the rows that are read for it: a condition that the proofs
// of both sides look at, one that takes it for granted and one that shows it.
module rows_handover
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// 1: a row of 16-bit elements goes through the tree at once.
  parameter int unsigned WideLanes = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [7:0] kind_i,
  // No row comes right behind one of 16-bit elements, which takes two turns.
  output logic       spacing_o
);

  logic half_q;   // a row of 16-bit elements came

  always_ff @(posedge clk_i) begin
    half_q <= WideLanes == 0 && valid_i && is_half(kind_i[3:0]) && rst_ni;
  end

  assign spacing_o = !(valid_i && half_q);

endmodule
