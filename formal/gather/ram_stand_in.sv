// Stands in for prim_ram_1r1w in the proofs of the property cache: one word of it, which one is
// free, is kept; all others give any value whenever they are read.
//
// Sound because a memory that gives back what was written is one of those that do as they like. The
// proofs follow one property, so one word of each memory is enough. (`watch` and `any` are cut,
// and `watch` is assumed to be what is followed.)
// verilog_lint: waive module-filename
module prim_ram_1r1w #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 16,
  parameter int unsigned Latency = 1,
  parameter bit ForbidCollision = 1'b0,
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,

  input logic             we_i,
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o
);

  logic [Aw-1:0]    watch;
  logic [Width-1:0] word_q, any, read_q;

  assign watch = '0;
  assign any   = '0;

  always_ff @(posedge clk_i) begin
    if (we_i && waddr_i == watch) word_q <= wdata_i;
    if (re_i) read_q <= (raddr_i == watch) ? word_q : any;
  end

  if (Latency == 2) begin : gen_output_register
    logic read_valid_q;
    always_ff @(posedge clk_i) begin
      read_valid_q <= re_i;
      if (read_valid_q) rdata_o <= read_q;
    end
  end else begin : gen_direct
    assign rdata_o = read_q;
  end

endmodule
