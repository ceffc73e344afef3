// Frames to AXI4-Stream, both directions registered.
module gather_axis
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Beats of frames.
  input  logic  in_valid_i,
  output logic  in_ready_o,
  input  beat_t in_i,

  output logic                 m_axis_tvalid,   // the same frames
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast
);

  beat_t out;

  prim_skid #(
    .T(beat_t)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .out_valid_o(m_axis_tvalid),
    .out_ready_i(m_axis_tready),
    .out_o      (out)
  );

  assign m_axis_tdata = out.data;
  assign m_axis_tlast = out.last;
  always_comb begin
    for (int unsigned b = 0; b < BeatBytes; b++) m_axis_tkeep[b] = 7'(b) < out.bytes;
  end

endmodule
