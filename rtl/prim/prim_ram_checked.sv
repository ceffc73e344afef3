// Memory with one write and one read port whose words are looked at, if wanted: with a parity bit
// for each 64 of theirs a word of which one bit has flipped is told, and not corrected.
//
// It is prim_ram_1r1w with the latency that it has, for what is too short a way to be corrected on.
module prim_ram_checked #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 64,
  /// Words, 1 or more.
  parameter int unsigned Depth = 16,
  /// 1: words are looked at.
  parameter int unsigned Check = 0,
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,

  input logic             we_i,   // write port
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  // `rdata_o` is valid a cycle after `re_i`, and stays until the data of the next read.
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o,

  // With `re_i`: the word was written, and is of use. Pulse, two cycles later: it is not what was
  // written; and which word.
  input  logic          use_i,
  output logic          bad_o,
  output logic [Aw-1:0] at_o
);

  localparam int unsigned Parts = (Width + 63) / 64;

  if (Check > 1) begin : gen_check_check
    $fatal(1, "%m: Check must be 0 or 1");
  end

  if (Check != 0) begin : gen_checked
    function automatic logic [Parts-1:0] parity_of(logic [Width-1:0] word);
      logic [64*Parts-1:0] filled;
      filled = (64 * Parts)'(word);
      for (int unsigned p = 0; p < Parts; p++) parity_of[p] = ^filled[64*p+:64];
    endfunction

    logic [Parts-1:0] parity;
    logic             used_q;
    logic [Aw-1:0]    at_q;

    prim_ram_1r1w #(
      .Width  (Width + Parts),
      .Depth  (Depth),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i({parity_of(wdata_i), wdata_i}),
      .re_i,
      .raddr_i,
      .rdata_o({parity, rdata_o})
    );

    always_ff @(posedge clk_i) begin
      used_q <= re_i && use_i;
      bad_o  <= used_q && parity != parity_of(rdata_o);
      at_q   <= raddr_i;
      at_o   <= at_q;
    end
  end else begin : gen_plain
    prim_ram_1r1w #(
      .Width  (Width),
      .Depth  (Depth),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i,
      .re_i,
      .raddr_i,
      .rdata_o
    );

    assign bad_o = 1'b0;
    assign at_o  = '0;
    logic unused;
    assign unused = use_i;
  end

endmodule
