// FIFOs of several depths side by side, for test_prim_fifo.
module fifo_depths #(
  localparam int unsigned Fifos = 5
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic        in_valid_i [Fifos],
  output logic        in_ready_o [Fifos],
  input  logic [15:0] in_i       [Fifos],
  output logic        out_valid_o[Fifos],
  input  logic        out_ready_i[Fifos],
  output logic [15:0] out_o      [Fifos],
  output logic [3:0]  count_o    [Fifos]
);

  localparam int unsigned Depths[Fifos] = '{1, 2, 3, 5, 8};

  for (genvar f = 0; f < Fifos; f++) begin : gen_fifo
    logic [$clog2(Depths[f]+1)-1:0] count;

    prim_fifo #(
      .T    (logic [15:0]),
      .Depth(Depths[f])
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid_i[f]),
      .in_ready_o (in_ready_o[f]),
      .in_i       (in_i[f]),
      .out_valid_o(out_valid_o[f]),
      .out_ready_i(out_ready_i[f]),
      .out_o      (out_o[f]),
      .count_o    (count)
    );
    assign count_o[f] = 4'(count);
  end

endmodule
