// Ports around gather_pkg::segment_mask, for its table.
module gather_segment_mask (
  input  logic [2:0]  mode_i,
  input  logic [4:0]  segment_i,
  output logic [31:0] mask_o
);

  assign mask_o = gather_pkg::segment_mask(mode_i, segment_i);

endmodule
