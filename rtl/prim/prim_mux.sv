// One of several words by its number.
//
// A module of its own so that synthesis keeps it together: a LUT a bit for up to four words, two
// for up to seven.
module prim_mux #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words, 1 or more.
  parameter int unsigned Words = 4,
  localparam int unsigned SelectW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic [Words-1:0][Width-1:0] in_i,
  // Less than Words; else the output is arbitrary.
  input  logic [SelectW-1:0]          select_i,
  output logic [Width-1:0]            out_o
);

  assign out_o = in_i[select_i];

endmodule
