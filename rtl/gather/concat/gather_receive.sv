// Frames of a port to well-formed gather packets; everything else is dropped and counted.
//
// Who waits: frames for packets to be taken.
module gather_receive
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Longest frame, bytes; a longer one is dropped. At most 3584.
  parameter int unsigned MaxFrameBytes = 1536
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings, as gather_accept has them.
  input logic        own_only_i,
  input logic [31:0] own_node_i,
  input logic        cacheable_i,

  input  logic                 s_axis_tvalid,   // frames, without FCS
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  // Well-formed packets, as gather_accept shows them.
  output logic         packet_valid_o,
  output packet_t      packet_o,
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // Pulses for the counters, by port_counter_e.
  output logic [PortBadDest:PortRx] events_o
);

  localparam int unsigned FifoBeats = 64;

  logic         desc_valid, beat_valid, beat_ready, rx, drop, fate_valid;
  frame_desc_t  desc;
  beat_t        beat;
  fate_e        drop_fate;
  gather_fate_e fate;
  logic [2:0]   bad_unused;   // its memories are not corrected

  roce_ingress #(
    .FifoBeats    (FifoBeats),
    .MaxFrameBytes(MaxFrameBytes),
    .DescFrames   (16)
  ) u_ingress (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .notes_i      (1'b0),
    .desc_valid_o(desc_valid),
    .desc_ready_i(1'b1),
    .desc_o      (desc),
    .beat_valid_o(beat_valid),
    .beat_ready_i(beat_ready),
    .beat_o      (beat),
    .beat_bad_o  (bad_unused[0]),
    .rx_o        (rx),
    .drop_valid_o(drop),
    .drop_fate_o (drop_fate),
    .corrected_o (bad_unused[1]),
    .bad_o       (bad_unused[2])
  );
  // Descriptors speak of RC; a gather packet is known by its own headers.
  logic unused;
  assign unused = desc_valid ^ (^desc);

  gather_accept #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(MaxFrameBytes),
    .FifoBeats    (FifoBeats)
  ) u_accept (
    .clk_i,
    .rst_ni,
    .own_only_i,
    .own_node_i,
    .cacheable_i,
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_i      (beat),
    .packet_valid_o,
    .packet_o,
    .data_valid_o,
    .data_ready_i,
    .data_o,
    .fate_valid_o(fate_valid),
    .fate_o      (fate)
  );

  always_comb begin
    events_o[PortRx]       = rx;
    events_o[PortInError]  = drop && drop_fate == FateFrameError;
    events_o[PortOversize] = drop && drop_fate == FateOversize;
    events_o[PortBadIcrc]  = drop && drop_fate == FateBadIcrc;
    // The counters of fates stand in the order of gather_fate_e.
    for (int unsigned f = 0; f < 5; f++) begin
      events_o[PortTaken+f] = fate_valid && fate == gather_fate_e'(f);
    end
  end

endmodule
