// Puts check bits behind data of any width (prim_secded_pkg). Combinational.
module prim_secded_encode
  import prim_secded_pkg::*;
#(
  /// Bits of data, 1 or more.
  parameter int unsigned Width = 64,
  localparam int unsigned Words = secded_words(Width)
) (
  input  logic [Width-1:0]                    data_i,
  // What is not to be trusted any more: the code of every word says that two bits have flipped.
  input  logic                                poison_i,
  // Data in the low bits, then the check bits of its words.
  output logic [Width+Words*SecdedChecks-1:0] code_o
);

  if (Width < 1) begin : gen_check
    $fatal(1, "%m: Width must be 1 or more");
  end

  assign code_o[Width-1:0] = data_i;

  for (genvar w = 0; w < Words; w++) begin : gen_word
    localparam int unsigned First = w * SecdedBits;
    localparam int unsigned Bits = (Width - First < SecdedBits) ? Width - First : SecdedBits;
    logic [SecdedBits-1:0] word;
    assign word = SecdedBits'(data_i[First+:Bits]);
    assign code_o[Width+w*SecdedChecks+:SecdedChecks] =
        secded_check(word) ^ {{(SecdedChecks-2){1'b0}}, {2{poison_i}}};
  end

endmodule
