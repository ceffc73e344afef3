// Memory that one clock writes and another reads, in a form that infers block RAM.
//
// Whoever reads must know that the word was written a while ago: a word that is written while it
// is read has no value. The memories of `rtl/prim` have one clock.
module shell_ram #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 32,
  /// Words, power of two, 2 or more.
  parameter int unsigned Depth = 16,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic             wr_clk_i,
  input logic             we_i,   // write port
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  // `rdata_o` is valid a cycle after `re_i`, and stays until the data of the next read.
  input  logic             rd_clk_i,
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width must be 1 or more");
  end
  if (Depth < 2 || Depth != 2 ** Aw) begin : gen_check_depth
    $fatal(1, "%m: Depth must be a power of two, 2 or more");
  end

  logic [Width-1:0] mem[Depth];

  always_ff @(posedge wr_clk_i) if (we_i) mem[waddr_i] <= wdata_i;
  always_ff @(posedge rd_clk_i) if (re_i) rdata_o <= mem[raddr_i];

endmodule
