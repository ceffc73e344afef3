// PRs to frames: the concatenation point, and headers and ICRC of what it makes.
//
// Who waits: PRs as gather_concat says, for frames to leave in the end.
module gather_send
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg,
  /// The middle pipe of a switch that this is in.
  parameter int unsigned Pipe = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings: cycles that a PR may wait, changed only while nothing is queued; writes to the table
  // of nodes, as gather_frame has it; the device's own addresses.
  input logic [Cfg.ClockW-3:0] delay_i,
  input node_write_t           node_i,
  input address_t              own_i,

  // PRs wait for storage, for the expiry queue, for closed packets to leave.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // Frames, each with its tag beside all its beats.
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output beat_t      out_o,
  output frame_tag_t out_tag_o,

  // Observation only.
  output concat_obs_t obs_o,
  // No PR waits to be concatenated.
  output logic        idle_o
);

  logic         pr_valid, pr_ready, concat_idle;
  pr_beat_t     pr;
  logic         packet_valid, packet_ready, data_valid, data_ready;
  closed_t      packet;
  packet_beat_t data;

  // A skid buffer: `pr_ready` is late in its cycle.
  prim_skid #(
    .T(pr_beat_t)
  ) u_pr (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i),
    .in_ready_o (pr_ready_o),
    .in_i       (pr_i),
    .out_valid_o(pr_valid),
    .out_ready_i(pr_ready),
    .out_o      (pr)
  );
  assign idle_o = concat_idle && !pr_valid;

  gather_concat #(
    .NumNodes   (Cfg.NumNodes),
    .Mtu        (Cfg.Mtu),
    .Virtual    (Cfg.Virtual),
    .VirtualRows(Cfg.VirtualRows),
    .ExpiryDepth(Cfg.ExpiryDepth),
    .ClockW     (Cfg.ClockW)
  ) u_concat (
    .clk_i,
    .rst_ni,
    .delay_i,
    .pr_valid_i    (pr_valid),
    .pr_ready_o    (pr_ready),
    .pr_i          (pr),
    .packet_valid_o(packet_valid),
    .packet_ready_i(packet_ready),
    .packet_o      (packet),
    .data_valid_o  (data_valid),
    .data_ready_i  (data_ready),
    .data_o        (data),
    .obs_o,
    .idle_o        (concat_idle)
  );

  gather_frame #(
    .NumNodes(Cfg.NumNodes),
    .NumPorts(Cfg.NumPorts),
    .Pipe    (Pipe)
  ) u_frame (
    .clk_i,
    .rst_ni,
    .node_i,
    .own_i,
    .packet_valid_i(packet_valid),
    .packet_ready_o(packet_ready),
    .packet_i      (packet),
    .data_valid_i  (data_valid),
    .data_ready_o  (data_ready),
    .data_i        (data),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .out_tag_o
  );

endmodule
