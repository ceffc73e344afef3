// A queue's memory that cannot be block RAM, because it is read without a clock.
module prim_ram_of_luts (
  input  logic        clk_i,
  input  logic        we_i,
  input  logic [6:0]  addr_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o
);
  logic [63:0] mem[128];
  always_ff @(posedge clk_i) if (we_i) mem[addr_i] <= data_i;
  assign data_o = mem[addr_i];
endmodule
