// Stands in for gather_pool: shows any number that nobody holds, or none, as it likes.
//
// Sound because gather_pool is proved to show only what nobody holds, and to count what is free.
// Which number it shows, and when, is left open here: `pick` and `show` are cut in the proofs that
// use it.
// verilog_lint: waive module-filename
module gather_pool #(
  parameter int unsigned Size = 16,
  localparam int unsigned IdW = $clog2(Size),
  localparam int unsigned CountW = $clog2(Size + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  output logic           valid_o,
  input  logic           take_i,
  output logic [IdW-1:0] id_o,

  input logic           give_i,
  input logic [IdW-1:0] give_id_i,

  output logic [CountW-1:0] free_o
);

  logic [Size-1:0] held_q;
  logic [IdW-1:0]  pick;
  logic            show;

  assign pick    = '0;
  assign show    = 1'b0;
  assign id_o    = pick;
  assign valid_o = show && !held_q[pick];

  always_comb begin
    free_o = '0;
    for (int unsigned n = 0; n < Size; n++) free_o = free_o + CountW'(!held_q[n]);
  end

  always_ff @(posedge clk_i) begin
    if (take_i && valid_o) held_q[id_o] <= 1'b1;
    if (give_i) held_q[give_id_i] <= 1'b0;
    if (!rst_ni) held_q <= '0;
  end

endmodule
