// Memory with one write and one read port that is deeper than a block RAM.
//
// It is cut into parts as block RAM has them without loss, 4096 words of 9 bits each, then 2048 of
// 18, then 1024 of 36, then a rest, so that few parts are to be chosen from: one LUT a bit where
// there are up to four. As prim_ram_1r1w otherwise: an address read in the cycle in which it is
// written gives the old data, and contents are not reset.
module prim_ram_deep #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 32,
  /// Words, 1 or more.
  parameter int unsigned Depth = 16384,
  /// Words of the largest part, power of two, 4 or more.
  parameter int unsigned PartWords = 4096,
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,

  input logic             we_i,   // write port
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  // `rdata_o` is valid two cycles after `re_i`, and stays until the data of the next read.
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o
);

  if (PartWords < 4 || PartWords != 2 ** $clog2(PartWords)) begin : gen_check
    $fatal(1, "%m: PartWords must be a power of two, 4 or more");
  end

  localparam int unsigned Full = Depth / PartWords;
  localparam int unsigned Rest = Depth % PartWords;
  /// The rest is a half part, if it is that large, a quarter of one, and what is behind.
  localparam int unsigned Half = (Rest >= PartWords / 2) ? 1 : 0;
  localparam int unsigned Less = Rest - Half * PartWords / 2;
  localparam int unsigned Quarter = (Less >= PartWords / 4) ? 1 : 0;
  localparam int unsigned Last = Less - Quarter * PartWords / 4;
  localparam int unsigned Parts = Full + Half + Quarter + ((Last > 0) ? 1 : 0);
  localparam int unsigned SelectW = (Parts > 1) ? $clog2(Parts) : 1;

  function automatic int unsigned words(int unsigned part);
    if (part + 1 <= Full) return PartWords;
    if (part + 1 <= Full + Half) return PartWords / 2;
    return (part + 1 <= Full + Half + Quarter) ? PartWords / 4 : Last;
  endfunction

  function automatic int unsigned base(int unsigned part);
    base = 0;
    for (int unsigned p = 0; p < part; p++) base += words(p);
  endfunction

  function automatic logic [SelectW-1:0] part_of(logic [Aw-1:0] addr);
    part_of = '0;
    for (int unsigned p = 1; p < Parts; p++) if (32'(addr) >= base(p)) part_of = SelectW'(p);
  endfunction

  logic [SelectW-1:0]          write_part, read_part, select_q;
  logic [Parts-1:0][Width-1:0] read;
  logic                        read_valid_q;

  assign write_part = part_of(waddr_i);
  assign read_part  = part_of(raddr_i);

  for (genvar p = 0; p < Parts; p++) begin : gen_part
    localparam int unsigned Words = words(p);
    localparam int unsigned WordW = (Words > 1) ? $clog2(Words) : 1;

    prim_ram_1r1w #(
      .Width  (Width),
      .Depth  (Words),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i   (we_i && write_part == SelectW'(p)),
      .waddr_i(waddr_i[WordW-1:0]),
      .wdata_i,
      .re_i   (re_i && read_part == SelectW'(p)),
      .raddr_i(raddr_i[WordW-1:0]),
      .rdata_o(read[p])
    );
  end

  always_ff @(posedge clk_i) begin
    read_valid_q <= re_i;
    if (re_i) select_q <= read_part;
    if (read_valid_q) rdata_o <= read[select_q];
  end

  always_ff @(posedge clk_i) begin
    // An address outside the memory would read or write nothing that anybody stored.
    a_waddr : assert (!we_i || 32'(waddr_i) < Depth)
    else $error("%m: write to %0d of %0d words", waddr_i, Depth);
    a_raddr : assert (!re_i || 32'(raddr_i) < Depth)
    else $error("%m: read of %0d of %0d words", raddr_i, Depth);
  end

endmodule
