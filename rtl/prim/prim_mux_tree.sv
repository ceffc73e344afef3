// One of many words by its number: a tree of multiplexers of four, a level of LUTs each.
//
// It exists because synthesis makes half as many LUTs again of an index, and with 256 words three
// levels more.
module prim_mux_tree #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words, 2 or more.
  parameter int unsigned Words = 16,
  localparam int unsigned SelectW = $clog2(Words)
) (
  input  logic [Words-1:0][Width-1:0] in_i,
  // Less than Words; else the output is arbitrary.
  input  logic [SelectW-1:0]          select_i,
  output logic [Width-1:0]            out_o
);

  if (Words < 2) begin : gen_check
    $fatal(1, "%m: Words must be 2 or more, is %0d", Words);
  end

  localparam int unsigned Levels = (SelectW + 1) / 2;

  logic [2*Levels-1:0] select;
  assign select = (2 * Levels)'(select_i);

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Left = 4 ** (Levels - 1 - l);   // words behind this level
    logic [4*Left-1:0][Width-1:0] in;
    logic [Left-1:0][Width-1:0]   out;

    if (l == 0) begin : gen_first
      assign in = (4 * Left * Width)'(in_i);
    end else begin : gen_next
      assign in = gen_level[l-1].out;
    end

    for (genvar m = 0; m < Left; m++) begin : gen_mux
      prim_mux #(
        .Width(Width),
        .Words(4)
      ) u_mux (
        .in_i    (in[4*m+:4]),
        .select_i(select[2*l+:2]),
        .out_o   (out[m])
      );
    end
  end

  assign out_o = gen_level[Levels-1].out[0];

endmodule
