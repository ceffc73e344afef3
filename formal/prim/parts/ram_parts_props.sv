// prim_ram_ecc with prim_ram_ecc_at around it, and prim_ram_checked: what their memories are asked
// and what is told of a word, whatever the memory and its code say of it; and prim_ram_deep, with
// its memories: any one word is a register.
module ram_parts_props #(
  parameter int unsigned Width = 70,   // two words of the code
  parameter int unsigned Depth = 8,
  /// Of the coded one, 2 or 3.
  parameter int unsigned Latency = 3,
  localparam int unsigned Aw = $clog2(Depth),
  /// A whole part of eight words, and one of four, of two, and of one.
  localparam int unsigned DeepWords = 15
) (
  input logic             clk_i,
  input logic             we_i,
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,
  input logic             re_i,
  input logic [Aw-1:0]    raddr_i,
  input logic             use_i,
  input logic             deep_we_i,
  input logic [3:0]       deep_waddr_i,
  input logic [1:0]       deep_wdata_i,
  input logic             deep_re_i,
  input logic [3:0]       deep_raddr_i,
  input logic [3:0]       word_i   // any, the same one all along
);

  logic [Width-1:0] rdata, checked;
  logic             corrected, bad, checked_bad;
  logic [Aw-1:0]    at, checked_at;
  logic [1:0]       deep;
  // Words that it has.
  logic             deep_we, deep_re;
  assign deep_we = deep_we_i && 32'(deep_waddr_i) < DeepWords;
  assign deep_re = deep_re_i && 32'(deep_raddr_i) < DeepWords;

  prim_ram_ecc_at #(
    .Width  (Width),
    .Depth  (Depth),
    .Latency(Latency),
    .Ecc    (1)
  ) u_at (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o    (rdata),
    .use_i,
    .corrected_o(corrected),
    .bad_o      (bad),
    .at_o       (at)
  );

  prim_ram_checked #(
    .Width(Width),
    .Depth(Depth),
    .Check(1)
  ) u_checked (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i,
    .re_i,
    .raddr_i,
    .rdata_o(checked),
    .use_i,
    .bad_o  (checked_bad),
    .at_o   (checked_at)
  );

  prim_ram_deep #(
    .Width    (2),
    .Depth    (DeepWords),
    .PartWords(8)
  ) u_deep (
    .clk_i,
    .we_i   (deep_we),
    .waddr_i(deep_waddr_i),
    .wdata_i(deep_wdata_i),
    .re_i   (deep_re),
    .raddr_i(deep_raddr_i),
    .rdata_o(deep)
  );

  // Reads of before, and what the code said in the last cycle.
  logic [3:1]         past_q, read_q, used_q;
  logic [3:1][Aw-1:0] raddr_q;
  logic [Width-1:0]   data_q, rdata_q;
  logic               corrected_q, bad_q, odd_q;

  // How many ones the two words of 64 bits, and what is beside them, have.
  function automatic logic [1:0] odd(logic [Width-1:0] word);
    odd = '0;
    for (int unsigned i = 0; i < Width; i++) odd[i/64] ^= word[i];
  endfunction
  logic [1:0] parity;
  assign parity = u_checked.gen_checked.u_ram.rdata_o[Width+:2];

  // The word of the deep one: what was written to it, and reads of one and two cycles ago.
  logic       set_q, written_q;
  logic [3:0] word_q, word;
  logic [1:0] value_q, deep_q;
  logic [2:1] deep_read_q, known_q;
  logic [2:1][1:0] due_q;
  assign word = set_q ? word_q : (32'(word_i) < DeepWords) ? word_i : '0;

  initial {past_q, set_q, written_q, deep_read_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[2:1], 1'b1};
    read_q  <= {read_q[2:1], re_i};
    used_q  <= {used_q[2:1], re_i && use_i};
    raddr_q <= {raddr_q[2:1], raddr_i};
    data_q  <= u_at.u_ram.gen_ecc.u_decode.data_o;
    rdata_q <= rdata;
    {corrected_q, bad_q} <= {u_at.u_ram.gen_ecc.u_decode.corrected_o,
                             u_at.u_ram.gen_ecc.u_decode.bad_o};
    odd_q   <= odd(checked) != parity;

    {set_q, word_q} <= {1'b1, word};
    if (deep_we && deep_waddr_i == word) {written_q, value_q} <= {1'b1, deep_wdata_i};
    deep_read_q <= {deep_read_q[1], deep_re};
    known_q     <= {known_q[1], written_q && deep_raddr_i == word};
    due_q       <= {due_q[1], value_q};
    deep_q      <= deep;
  end

  always_ff @(posedge clk_i) begin
    // What was read is shown as the code has it, and stays until the next one.
    a_shown : assert (past_q != '1 || rdata == (read_q[Latency] ? data_q : rdata_q))
    else $error("shown %h", rdata);
    // What the code found is told of words that are of use.
    a_found : assert (past_q != '1 || {corrected, bad} == ({corrected_q, bad_q} &
                                                           {2{used_q[Latency]}}))
    else $error("corrected %b, bad %b", corrected, bad);
    // And which word was asked for as long ago.
    a_at : assert (past_q != '1 || at == raddr_q[Latency])
    else $error("word %0d", at);
    // Beside a word that is looked at is, of each 64 bits, whether their ones are odd.
    a_parity : assert (u_checked.gen_checked.u_ram.wdata_i == {odd(wdata_i), wdata_i} &&
                       checked == u_checked.gen_checked.u_ram.rdata_o[Width-1:0])
    else $error("parity");
    // One that does not agree is told, if it is of use, a cycle behind it, and which one.
    a_checked : assert (past_q != '1 || (checked_bad == (used_q[2] && odd_q) &&
                                         checked_at == raddr_q[2]))
    else $error("bad %b", checked_bad);
    // A word of a deep memory reads as it was written last, whatever is written elsewhere.
    a_deep : assert (!(deep_read_q[2] && known_q[2]) || deep == due_q[2])
    else $error("word %0d", word);
    // What was read stands until the next one.
    a_stands : assert (past_q != '1 || deep_read_q[2] || deep == deep_q)
    else $error("changed");

    // A bad word of use behind one that is not; the last word of all.
    c_bad : cover (past_q == '1 && bad && corrected && !used_q[1] && checked_bad);
    c_last : cover (deep_read_q[2] && known_q[2] && 32'(word) == DeepWords - 1 && deep == 2'd2);
  end

endmodule
