// PRs to frames: the concatenation point, and headers and ICRC of what it makes.
//
// Who waits: PRs as gather_concat says, for frames to leave in the end.
module gather_send
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  /// As gather_concat and gather_frame have them.
  parameter int unsigned NumNodes = 16,
  parameter int unsigned NumPorts = 1,
  parameter int unsigned Mtu = 1500,
  parameter bit Virtual = 1'b0,
  parameter int unsigned VirtualRows = 256,
  parameter int unsigned ExpiryDepth = 128,
  parameter int unsigned ClockW = 18,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [ClockW-3:0] delay_i,
  input logic              node_we_i,
  input logic [NodeW-1:0]  node_i,
  input address_t          node_address_i,
  input logic [PortW-1:0]  node_port_i,
  input address_t          own_i,

  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output beat_t            out_o,
  output logic [PortW-1:0] out_port_o,

  // Observation: a packet was closed because it was full, late (by how many cycles), of another
  // length, or for room; a PR waits for storage, or for packets to leave; no PR waits to be
  // concatenated.
  output logic [3:0]        close_o,
  output logic [ClockW-1:0] lateness_o,
  output logic [1:0]        stall_o,
  output logic              idle_o
);

  logic         pr_valid, pr_ready, concat_idle;
  pr_beat_t     pr;
  logic         packet_valid, packet_ready, data_valid, data_ready;
  closed_t      packet;
  packet_beat_t data;

  // Whether there is room in concatenation takes a while to see; who sends does not wait for that.
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
    .NumNodes   (NumNodes),
    .Mtu        (Mtu),
    .Virtual    (Virtual),
    .VirtualRows(VirtualRows),
    .ExpiryDepth(ExpiryDepth),
    .ClockW     (ClockW)
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
    .close_full_o  (close_o[0]),
    .close_late_o  (close_o[1]),
    .close_length_o(close_o[2]),
    .close_room_o  (close_o[3]),
    .lateness_o,
    .stall_pool_o  (stall_o[0]),
    .stall_out_o   (stall_o[1]),
    .idle_o        (concat_idle)
  );

  gather_frame #(
    .NumNodes(NumNodes),
    .NumPorts(NumPorts)
  ) u_frame (
    .clk_i,
    .rst_ni,
    .node_we_i,
    .node_i,
    .node_address_i,
    .node_port_i,
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
    .out_port_o
  );

endmodule
