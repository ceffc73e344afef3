// prim_mux, prim_mux_tree, prim_pick, prim_rotate and prim_vote: small parts of many modules, each
// by what it is for.
module prim_parts_props #(
  parameter int unsigned Width = 8,
  parameter int unsigned Words = 7,
  parameter int unsigned Many = 21,
  parameter int unsigned Turned = 64,
  localparam int unsigned SelectW = $clog2(Words),
  localparam int unsigned ManyW = $clog2(Many)
) (
  input logic                         clk_i,
  input logic [Words-1:0][Width-1:0]  words_i,
  input logic [SelectW-1:0]           select_i,
  input logic [Words-1:0]             selected_i,
  input logic [Many-1:0][Width-1:0]   many_i,
  input logic [ManyW-1:0]             number_i,
  input logic                         load_i,
  input logic [4:0]                   by_i,
  input logic [Turned-1:0]            word_i,
  input logic [4:0][Width-1:0]        copies_i,
  input logic [$clog2(Width)-1:0]     bit_i   // any
);

  localparam int unsigned Base = 1;
  localparam int unsigned Step = 2;
  logic [Width-1:0]  one, one_of_many, picked, voted;
  logic [Turned-1:0] turned;
  logic              differ;

  // Numbers that a word has; for others the outputs are arbitrary.
  logic [SelectW-1:0] select;
  logic [ManyW-1:0]   number;
  assign select = 32'(select_i) < Words ? select_i : '0;
  assign number = 32'(number_i) < Many ? number_i : '0;

  prim_mux #(
    .Width(Width),
    .Words(Words)
  ) u_mux (
    .in_i    (words_i),
    .select_i(select),
    .out_o   (one)
  );

  prim_mux_tree #(
    .Width(Width),
    .Words(Many)
  ) u_tree (
    .in_i    (many_i),
    .select_i(number),
    .out_o   (one_of_many)
  );

  prim_pick #(
    .Width(Width),
    .Words(Words)
  ) u_pick (
    .in_i    (words_i),
    .select_i(selected_i),
    .out_o   (picked)
  );

  prim_rotate #(
    .Width(Turned),
    .Base (Base),
    .Step (Step),
    .ByW  (5)
  ) u_rotate (
    .clk_i,
    .load_i,
    .by_i,
    .in_i (word_i),
    .out_o(turned)
  );

  prim_vote #(
    .Width(Width)
  ) u_vote (
    .copies_i,
    .data_o  (voted),
    .differ_o(differ)
  );

  // That bit of each word; how many copies have it; whether any bit has copies of both kinds.
  logic [Words-1:0] of_words;
  logic [Many-1:0]  of_many;
  logic [4:0]       of_copies;
  logic             both;
  always_comb begin
    for (int unsigned w = 0; w < Words; w++) of_words[w] = words_i[w][bit_i];
    for (int unsigned w = 0; w < Many; w++) of_many[w] = many_i[w][bit_i];
    both = 1'b0;
    for (int unsigned c = 0; c < 5; c++) begin
      of_copies[c] = copies_i[c][bit_i];
      if (copies_i[c] != copies_i[0]) both = 1'b1;
    end
  end

  // The word that was loaded last, and where its bits are to go.
  logic              loaded_q;
  logic [Turned-1:0] word_q, want;
  logic [4:0]        by_q;
  always_comb begin
    for (int unsigned i = 0; i < Turned; i++) begin
      want[i] = word_q[(i + Turned - Base - Step * 32'(by_q)) % Turned];
    end
  end
  initial loaded_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      loaded_q <= 1'b1;
      word_q   <= word_i;
      by_q     <= by_i;
    end
  end

  always_ff @(posedge clk_i) begin
    // A word by its number.
    a_mux : assert (one[bit_i] == of_words[select])
    else $error("word %0d", select);
    // The same of many words.
    a_tree : assert (one_of_many[bit_i] == of_many[number])
    else $error("word %0d", number);
    // A bit is set where one of the selected words has it.
    a_pick : assert (picked[bit_i] == ((selected_i & of_words) != '0))
    else $error("picked %b of %b", picked[bit_i], selected_i);
    // A bit is what three of five copies say.
    a_vote : assert (voted[bit_i] == ($countones(of_copies) > 2))
    else $error("voted %b", of_copies);
    // Copies that are not all alike are told of.
    a_differ : assert (differ == both)
    else $error("differ %b", differ);
    // Each bit of the word that was loaded last has gone as far as was said then, round its end.
    a_turned : assert (!loaded_q || turned == want)
    else $error("turned by %0d", by_q);

    // The last of many; a word that is turned beyond its end.
    c_last : cover (32'(number) == Many - 1 && one_of_many != '0);
    c_round : cover (loaded_q && by_q == '1 && turned[0] && !turned[Turned-1]);
  end

endmodule
