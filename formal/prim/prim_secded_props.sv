// The error-correcting code of memories: one flipped bit of each word is taken back, two of one
// word are seen, and what was poisoned stays so. For any data, and for flips anywhere in a word,
// its check bits included.
module prim_secded_props
  import prim_secded_pkg::*;
#(
  /// Bits of data: words of 64 and a rest.
  parameter int unsigned Width = 70,
  localparam int unsigned Words = secded_words(Width),
  localparam int unsigned CodeBits = Width + Words * SecdedChecks
) (
  input logic             clk_i,
  input logic [Width-1:0] data_i,
  input logic             poison_i,
  // Two places of each word, data bits first; they may be the same. A place that the word does not
  // have means none.
  input logic [Words-1:0][6:0] first_i,
  input logic [Words-1:0][6:0] second_i
);

  logic [CodeBits-1:0]  code, flips, got;
  logic [Width-1:0]     data;
  logic                 corrected, bad;
  logic [Words-1:0]     one, two;
  logic [Width-1:0]     left;   // of words with two flips

  prim_secded_encode #(
    .Width(Width)
  ) u_encode (
    .data_i,
    .poison_i,
    .code_o(code)
  );

  prim_secded_decode #(
    .Width(Width)
  ) u_decode (
    .code_i     (got),
    .data_o     (data),
    .corrected_o(corrected),
    .bad_o      (bad)
  );

  assign got = code ^ flips;

  for (genvar w = 0; w < Words; w++) begin : gen_word
    localparam int unsigned First = w * SecdedBits;
    localparam int unsigned Bits = (Width - First < SecdedBits) ? Width - First : SecdedBits;
    localparam int unsigned All = Bits + SecdedChecks;
    logic [All-1:0] flip;
    logic           a, b;
    assign a = 32'(first_i[w]) < All;
    assign b = 32'(second_i[w]) < All && second_i[w] != first_i[w];
    always_comb begin
      flip = '0;
      for (int unsigned i = 0; i < All; i++) begin
        flip[i] = first_i[w] == 7'(i) || second_i[w] == 7'(i);
      end
    end
    assign flips[First+:Bits] = flip[Bits-1:0];
    assign flips[Width+w*SecdedChecks+:SecdedChecks] = flip[All-1:Bits];
    assign one[w] = a != b;
    assign two[w] = a && b;
    assign left[First+:Bits] = {Bits{two[w]}};
  end

  always_ff @(posedge clk_i) begin : check
    // With at most one flipped bit in each word the data is what was written, and nothing is called
    // bad.
    a_corrected : assert (poison_i || two != '0 || (data == data_i && !bad))
    else $error("one flip changes data, or is called two");
    // A word with two flips is left as it came.
    a_left : assert (poison_i || data == (data_i ^ (flips[Width-1:0] & left)))
    else $error("corrected what cannot be");
    // A flipped bit is counted, and only a flipped bit is, whatever other words have.
    a_counted : assert (poison_i || corrected == (one != '0))
    else $error("corrected without a flip, or a flip without a word");
    // Two flipped bits of a word are seen.
    a_detected : assert (poison_i || two == '0 || bad)
    else $error("two flips go unseen");
    // What was written as not to be trusted is not trusted when it is read.
    a_poison : assert (!poison_i || one != '0 || two != '0 || bad)
    else $error("poison has gone");
    // Nor when one bit flipped since, where there are several words.
    a_poison_flip : assert (!poison_i || Words == 1 || two != '0 || $countones(one) > 1 || bad)
    else $error("poison has been corrected");
    // A flip of a data bit; two flips.
    c_one : cover (!poison_i && two == '0 && corrected && data_i != '0 && flips[0]);
    c_two : cover (!poison_i && two != '0 && bad);
  end

endmodule
