// Frames of a network interface to PRs: those that are for this node, taken apart.
//
// Who waits: the network for PRs to be taken.
module gather_arrive
  import roce_pkg::BeatBits;
  import roce_pkg::BeatBytes;
  import gather_pkg::packet_t;
  import gather_pkg::packet_beat_t;
  import gather_pkg::pr_beat_t;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Longest frame, bytes.
  parameter int unsigned MaxFrameBytes = 1536
) (
  input logic clk_i,
  input logic rst_ni,

  // The number of this node; packets to others are dropped.
  input logic [31:0] own_node_i,

  // Frames without FCS.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  // PRs for this node. Frames wait for them to be taken.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // Pulses for the counters, by port_counter_e.
  output logic [8:0] events_o
);

  // A beat with its packet.
  typedef struct packed {
    packet_t      packet;
    packet_beat_t data;
  } taken_t;

  logic   packet_valid, data_valid, data_ready, taken_valid, taken_ready;
  taken_t beat, taken;

  gather_receive #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(MaxFrameBytes)
  ) u_receive (
    .clk_i,
    .rst_ni,
    .own_only_i    (1'b1),
    .own_node_i,
    .cacheable_i   (1'b0),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .packet_valid_o(packet_valid),
    .packet_o      (beat.packet),
    .data_valid_o  (data_valid),
    .data_ready_i  (data_ready),
    .data_o        (beat.data),
    .events_o
  );

  // Whether there is room behind it takes a while to see; the queue of beats does not wait for
  // that.
  prim_skid #(
    .T(taken_t)
  ) u_taken (
    .clk_i,
    .rst_ni,
    .in_valid_i (packet_valid && data_valid),
    .in_ready_o (data_ready),
    .in_i       (beat),
    .out_valid_o(taken_valid),
    .out_ready_i(taken_ready),
    .out_o      (taken)
  );

  gather_split u_split (
    .clk_i,
    .rst_ni,
    .packet_valid_i(taken_valid),
    .packet_i      (taken.packet),
    .data_valid_i  (taken_valid),
    .data_ready_o  (taken_ready),
    .data_i        (taken.data),
    .pr_valid_o,
    .pr_ready_i,
    .pr_o
  );

endmodule
