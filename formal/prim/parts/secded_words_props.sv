// prim_secded_decode: what is made of any word of bits, however many of them have flipped.
// (prim_secded's proof says what that means for words that were written.)
module secded_words_props
  import prim_secded_pkg::*;
#(
  parameter int unsigned Width = 77,
  localparam int unsigned Words = 2
) (
  input logic                     clk_i,
  input logic [Width+8*Words-1:0] code_i,
  input logic [6:0]               bit_i   // any
);

  logic [Width-1:0] data;
  logic             corrected, bad;

  prim_secded_decode #(
    .Width(Width)
  ) u_decode (
    .code_i,
    .data_o     (data),
    .corrected_o(corrected),
    .bad_o      (bad)
  );

  // By word: by which check bits it is off; whether these are what one of its data bits goes into,
  // or one check bit alone.
  logic [Words-1:0][7:0] off;
  logic [Words-1:0]      one, wrong;
  logic                  flips;   // that bit is the one
  always_comb begin
    flips = 1'b0;
    for (int unsigned w = 0; w < Words; w++) begin
      off[w] = code_i[Width+8*w+:8];
      for (int unsigned i = 0; i < Width; i++) begin
        if (i / 64 == w && code_i[i]) off[w] ^= SecdedColumns[i%64];
      end
      one[w] = $onehot(off[w]);
      for (int unsigned i = 0; i < Width; i++) begin
        if (i / 64 == w && off[w] == SecdedColumns[i%64]) begin
          one[w] = 1'b1;
          if (7'(i) == bit_i) flips = 1'b1;
        end
      end
      wrong[w] = off[w] != '0 && !one[w];
    end
  end

  always_ff @(posedge clk_i) begin
    // A data bit is turned round if the check bits that are off are those that it goes into.
    a_flips : assert (32'(bit_i) >= Width || data[bit_i] == (code_i[bit_i] ^ flips))
    else $error("bit %0d", bit_i);
    // Something was corrected if that is so of any of them, or of a check bit alone.
    a_corrected : assert (corrected == (one != '0))
    else $error("corrected %b", corrected);
    // A word is bad if its check bits are off in any other way.
    a_bad : assert (bad == (wrong != '0))
    else $error("bad %b", bad);

    // The short word is bad by what would be a bit of a longer one.
    c_short : cover (bad && wrong == 2'b10 && off[1] == SecdedColumns[40]);
  end

endmodule
