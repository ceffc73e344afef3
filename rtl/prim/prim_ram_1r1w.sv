// Memory with one write and one read port, in a form that infers block RAM.
//
// Reading an address in the cycle in which it is written gives the old data. Contents are not
// reset.
module prim_ram_1r1w #(
  /// Bits of a word, 1 or more.
  parameter int unsigned Width = 32,
  /// Words, 1 or more.
  parameter int unsigned Depth = 16,
  /// Cycles from `re_i` to `rdata_o`: 1, or 2 with the RAM's output register.
  parameter int unsigned Latency = 2,
  /// 1: reading an address while it is written is an error of the user, and asserted.
  parameter bit ForbidCollision = 1'b0,
  /// 1: block RAM, however small it is: its address comes late in the cycle.
  // verilator lint_off UNUSEDPARAM
  parameter bit Block = 1'b0,   // only synthesis looks at it
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned Aw = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,

  input logic             we_i,   // write port
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,

  // `rdata_o` is valid `Latency` cycles after `re_i`, and stays until the data of the next read.
  input  logic             re_i,
  input  logic [Aw-1:0]    raddr_i,
  output logic [Width-1:0] rdata_o
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width must be 1 or more");
  end
  if (Depth < 1) begin : gen_check_depth
    $fatal(1, "%m: Depth must be 1 or more");
  end
  if (Latency < 1 || Latency > 2) begin : gen_check_latency
    $fatal(1, "%m: Latency must be 1 or 2");
  end

  (* ram_style = Block ? "block" : "auto" *)
  logic [Width-1:0] mem[Depth];
  logic [Width-1:0] read_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  always_ff @(posedge clk_i) begin
    if (re_i) read_q <= mem[raddr_i];
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

  always_ff @(posedge clk_i) begin
    // An address outside the memory would read or write nothing that anybody stored.
    a_waddr : assert (!we_i || 32'(waddr_i) < Depth)
    else $error("%m: write to %0d of %0d words", waddr_i, Depth);
    a_raddr : assert (!re_i || 32'(raddr_i) < Depth)
    else $error("%m: read of %0d of %0d words", raddr_i, Depth);
    // Where a user says it never reads what is being written, it does not.
    a_collision : assert (!ForbidCollision || !(we_i && re_i && waddr_i == raddr_i))
    else $error("%m: read and write of %0d in one cycle", raddr_i);
  end

endmodule
