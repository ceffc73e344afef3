// gather_switch with its sizes as parameters of their own.
module gather_switch_sized
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned NumPipes = 2,
  parameter int unsigned NumNodes = 16,
  parameter bit Virtual = 1'b0,
  parameter int unsigned VirtualRows = 256,
  parameter int unsigned ExpiryDepth = 128,
  parameter int unsigned CacheSets = 4,
  parameter int unsigned HoldBeats = 512,
  parameter int unsigned ClassBeats = 512,
  parameter int unsigned Headroom = 192
) (
  input logic clk_i,
  input logic rst_ni,

  input switch_settings_t settings_i,
  input node_write_t      node_i,

  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,
  output logic [NumPorts-1:0][Classes-1:0]   pause_o,
  input  logic [NumPorts-1:0][Classes-1:0]   pause_i,

  output cache_obs_t [NumPipes-1:0]                      obs_o,
  output stopped_obs_t [NumPipes-1:0]                    stopped_o,
  output logic [NumPorts-1:0][NumPortCounters-1:0][31:0] count_port_o,
  output logic [NumPipes-1:0][NumPipeCounters-1:0][31:0] count_pipe_o,
  output logic                                           clearing_o
);

  gather_switch #(
    .Cfg(switch_cfg(NumPorts, NumPipes, NumNodes, 1500, Virtual, VirtualRows, ExpiryDepth, 18,
                    CacheSets, 40, HoldBeats, ClassBeats, Headroom))
  ) u_switch (
    .clk_i,
    .rst_ni,
    .settings_i,
    .node_i,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_o,
    .pause_i,
    .obs_o,
    .stopped_o,
    .count_port_o,
    .count_pipe_o,
    .clearing_o
  );

endmodule
