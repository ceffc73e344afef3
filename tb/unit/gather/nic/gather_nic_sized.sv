// gather_nic with its sizes as parameters of their own.
module gather_nic_sized
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter int unsigned NumNodes = 16,
  parameter int unsigned NumUnits = 2,
  parameter int unsigned IndexBits = 40,
  parameter int unsigned Pending = 256,
  parameter int unsigned MergeSlots = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input nic_settings_t settings_i,
  input node_write_t   node_i,
  input first_write_t  first_i,

  input  logic     [NumUnits-1:0] command_valid_i,
  output logic     [NumUnits-1:0] command_ready_o,
  input  command_t [NumUnits-1:0] command_i,
  output logic     [NumUnits-1:0] done_valid_o,
  input  logic     [NumUnits-1:0] done_ready_i,
  output logic     [NumUnits-1:0] done_failed_o,

  output host_req_t host_o,
  input  host_rsp_t host_i,

  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic                 pause_reads_o,
  input  logic [Classes-1:0]   pause_i,
  output stopped_obs_t         stopped_o,
  output merge_obs_t           merge_o,

  output logic [NumUnits-1:0][NumRigCounters-1:0][31:0] count_unit_o,
  output logic [NumNicCounters-1:0][31:0]               count_port_o
);

  gather_nic #(
    .Cfg(nic_cfg(NumNodes, NumUnits, 1500, 1'b0, 256, 512, 18, IndexBits, Pending, 2048, 1024, 64,
                 32, 64, MergeSlots))
  ) u_nic (
    .clk_i,
    .rst_ni,
    .settings_i,
    .node_i,
    .first_i,
    .command_valid_i,
    .command_ready_o,
    .command_i,
    .done_valid_o,
    .done_ready_i,
    .done_failed_o,
    .host_o,
    .host_i,
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
    .pause_reads_o,
    .pause_i,
    .stopped_o,
    .merge_o,
    .count_unit_o,
    .count_port_o
  );

endmodule
