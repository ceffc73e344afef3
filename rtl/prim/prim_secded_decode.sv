// Corrects one flipped bit in each word of data with check bits, and says where there are two
// (prim_secded_pkg). Combinational: two levels of LUTs for the syndrome, two for the correction.
module prim_secded_decode
  import prim_secded_pkg::*;
#(
  /// Bits of data, 1 or more.
  parameter int unsigned Width = 64,
  localparam int unsigned Words = secded_words(Width)
) (
  // As prim_secded_encode made it, and what memory made of that.
  input  logic [Width+Words*SecdedChecks-1:0] code_i,
  output logic [Width-1:0]                    data_o,
  // A word had one flipped bit; a word has two, or more that look like none: the data is wrong.
  output logic                                corrected_o,
  output logic                                bad_o
);

  if (Width < 1) begin : gen_check
    $fatal(1, "%m: Width must be 1 or more");
  end

  logic [Words-1:0] single, wrong;
  assign corrected_o = |single;
  assign bad_o       = |wrong;

  for (genvar w = 0; w < Words; w++) begin : gen_word
    localparam int unsigned First = w * SecdedBits;
    localparam int unsigned Bits = (Width - First < SecdedBits) ? Width - First : SecdedBits;
    localparam logic [2**SecdedChecks-1:0] Wrong = secded_wrong(Bits);
    logic [SecdedBits-1:0]   word;
    logic [SecdedChecks-1:0] syndrome;
    logic [Bits-1:0]         flip;

    assign word      = SecdedBits'(code_i[First+:Bits]);
    assign syndrome  = secded_check(word) ^ code_i[Width+w*SecdedChecks+:SecdedChecks];
    assign wrong[w]  = Wrong[syndrome];
    assign single[w] = syndrome != '0 && !wrong[w];
    always_comb begin
      flip = '0;
      // Most words have none; simulation is quicker so.
      if (syndrome != '0) begin
        for (int unsigned i = 0; i < Bits; i++) flip[i] = syndrome == SecdedColumns[i];
      end
    end
    assign data_o[First+:Bits] = word[Bits-1:0] ^ flip;
  end

endmodule
