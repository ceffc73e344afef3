// One of several words by a one-hot selection; zeros if none is selected.
//
// A module of its own so that synthesis keeps it two levels of LUTs deep for up to 18 words, which
// a larger module that is deeper elsewhere would give up for a few LUTs.
module prim_pick #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words, 1 or more.
  parameter int unsigned Words = 4,
  /// Bits that are looked at, ones; all others are 0 and cost nothing.
  parameter logic [Width-1:0] Kept = '1
) (
  input  logic [Words-1:0][Width-1:0] in_i,
  // One-hot or zero; with two bits set the output is the OR of two words.
  input  logic [Words-1:0]            select_i,
  output logic [Width-1:0]            out_o
);

  if (Kept == '1) begin : gen_all
    always_comb begin
      out_o = '0;
      for (int unsigned w = 0; w < Words; w++) if (select_i[w]) out_o = out_o | in_i[w];
    end
  end else begin : gen_kept
    always_comb begin
      out_o = '0;
      for (int unsigned w = 0; w < Words; w++) if (select_i[w]) out_o = out_o | (in_i[w] & Kept);
    end
  end

endmodule
