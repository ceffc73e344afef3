// The deconcatenator in one piece, for its test: verified frames in, the PRs in them out.
//
// In the switch a crossbar stands between its two halves.
module gather_deconcat
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Longest frame, bytes.
  parameter int unsigned MaxFrameBytes = 1536
) (
  input logic clk_i,
  input logic rst_ni,

  // As gather_accept has them.
  input logic        own_only_i,
  input logic [31:0] own_node_i,
  input logic        cacheable_i,

  // Beats of whole frames; they wait for PRs to be taken.
  input  logic  beat_valid_i,
  output logic  beat_ready_o,
  input  beat_t beat_i,

  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // One pulse a frame.
  output logic         fate_valid_o,
  output gather_fate_e fate_o
);

  logic         packet_valid, data_valid, data_ready;
  packet_t      packet;
  packet_beat_t data;

  gather_accept #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(MaxFrameBytes)
  ) u_accept (
    .clk_i,
    .rst_ni,
    .own_only_i,
    .own_node_i,
    .cacheable_i,
    .beat_valid_i,
    .beat_ready_o,
    .beat_i,
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_valid_o  (data_valid),
    .data_ready_i  (data_ready),
    .data_o        (data),
    .fate_valid_o,
    .fate_o
  );

  gather_split u_split (
    .clk_i,
    .rst_ni,
    .packet_valid_i(packet_valid),
    .packet_i      (packet),
    .data_valid_i  (data_valid),
    .data_ready_o  (data_ready),
    .data_i        (data),
    .pr_valid_o,
    .pr_ready_i,
    .pr_o
  );

endmodule
