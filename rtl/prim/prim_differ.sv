// In which parts two words differ, three bits a part.
//
// A module of its own so that a part stays one LUT: within a larger module synthesis spreads a wide
// comparison over more levels where its slowest path is elsewhere.
module prim_differ #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 13,
  localparam int unsigned Parts = (Width + 2) / 3
) (
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  // The words are equal if it is zero.
  output logic [Parts-1:0] differ_o
);

  logic [3*Parts-1:0] differs;
  assign differs = (3 * Parts)'(a_i) ^ (3 * Parts)'(b_i);

  always_comb begin
    for (int unsigned p = 0; p < Parts; p++) differ_o[p] = differs[3*p+:3] != '0;
  end

endmodule
