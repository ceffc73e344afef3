// Stands in for gather_receive in proofs of gather_switch, which leave out what it answers
// (`cuts`).
// verilog_lint: waive module-filename
module gather_receive
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned NumNodes = 16,
  parameter int unsigned MaxFrameBytes = 1536
) (
  input logic clk_i,
  input logic rst_ni,

  input logic        own_only_i,
  input logic [31:0] own_node_i,
  input logic        cacheable_i,

  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  output logic         packet_valid_o,
  output packet_t      packet_o,
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  output logic [PortBadDest:PortRx] events_o
);
  assign s_axis_tready  = 1'b0;
  assign packet_valid_o = 1'b0;
  assign packet_o       = '0;
  assign data_valid_o   = 1'b0;
  assign data_o         = '0;
  assign events_o       = '0;
endmodule
