// Memory with one write and one read port whose words are coded, if wanted: a flipped bit in each
// 64 of them is corrected, two are told (prim_secded_pkg).
//
// Without the code it is prim_ram_1r1w or prim_ram_deep, bit for bit and cycle for cycle. With it
// the word is decoded between the memory's last register and one of its own, so `Latency` is one
// more than that of the memory inside. What is corrected is not written back: a word stays as it is
// until it is written anew.
module prim_ram_ecc
  import prim_secded_pkg::*;
#(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 64,
  /// Words, 1 or more.
  parameter int unsigned Depth = 16,
  /// Cycles from `re_i` to `rdata_o`. Of a deep memory 2, else 1 or 2; with the code 3, else 2 or
  /// 3.
  parameter int unsigned Latency = 2,
  /// 1: it is deeper than a block RAM.
  parameter bit Deep = 1'b0,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,

  input logic             we_i,
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,
  // With the code: what is written is not to be trusted, and reads as bad.
  input logic             poison_i,

  // `rdata_o` is valid `Latency` cycles after `re_i`, and stays until the data of the next read.
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o,

  // With `re_i`: the word was written, and is of use. Pulses, with its data: it was corrected; it
  // is not what was written.
  input  logic use_i,
  output logic corrected_o,
  output logic bad_o
);

  localparam int unsigned Inside = Latency - Ecc;
  localparam int unsigned Bits = Width + Ecc * SecdedChecks * secded_words(Width);

  if (Ecc > 1) begin : gen_check_ecc
    $fatal(1, "%m: Ecc must be 0 or 1");
  end
  if (Latency < 1 + Ecc || Latency > 2 + Ecc || (Deep && Inside != 2)) begin : gen_check_latency
    $fatal(1, "%m: a latency of %0d cannot be", Latency);
  end

  logic [Bits-1:0] written, read;

  if (Deep) begin : gen_deep
    prim_ram_deep #(
      .Width(Bits),
      .Depth(Depth)
    ) u_ram (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i(written),
      .re_i,
      .raddr_i,
      .rdata_o(read)
    );
  end else begin : gen_flat
    prim_ram_1r1w #(
      .Width  (Bits),
      .Depth  (Depth),
      .Latency(Inside)
    ) u_ram (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i(written),
      .re_i,
      .raddr_i,
      .rdata_o(read)
    );
  end

  if (Ecc != 0) begin : gen_ecc
    logic [Width-1:0]  data;
    logic              corrected, bad;
    logic [Inside:1]   read_q, used_q;   // a read so many cycles ago, and one that is of use

    prim_secded_encode #(
      .Width(Width)
    ) u_encode (
      .data_i  (wdata_i),
      .poison_i,
      .code_o  (written)
    );

    prim_secded_decode #(
      .Width(Width)
    ) u_decode (
      .code_i     (read),
      .data_o     (data),
      .corrected_o(corrected),
      .bad_o      (bad)
    );

    always_ff @(posedge clk_i) begin
      read_q <= Inside'({read_q, re_i});
      used_q <= Inside'({used_q, re_i && use_i});
      if (read_q[Inside]) rdata_o <= data;
      corrected_o <= used_q[Inside] && corrected;
      bad_o       <= used_q[Inside] && bad;
    end
  end else begin : gen_plain
    assign written     = wdata_i;
    assign rdata_o     = read;
    assign corrected_o = 1'b0;
    assign bad_o       = 1'b0;
    logic unused;
    assign unused = poison_i || use_i;
  end

endmodule
