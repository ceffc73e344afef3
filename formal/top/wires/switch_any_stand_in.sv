// Stands in for gather_switch in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module gather_switch
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,
  input switch_settings_t settings_i,
  input node_write_t      node_i,
  input  logic [Cfg.NumPorts-1:0]                s_axis_tvalid,
  output logic [Cfg.NumPorts-1:0]                s_axis_tready,
  input  logic [Cfg.NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [Cfg.NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [Cfg.NumPorts-1:0]                s_axis_tlast,
  input  logic [Cfg.NumPorts-1:0]                s_axis_tuser,
  output logic [Cfg.NumPorts-1:0]                m_axis_tvalid,
  input  logic [Cfg.NumPorts-1:0]                m_axis_tready,
  output logic [Cfg.NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [Cfg.NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [Cfg.NumPorts-1:0]                m_axis_tlast,
  output logic [Cfg.NumPorts-1:0][Classes-1:0]   pause_o,
  input  logic [Cfg.NumPorts-1:0][Classes-1:0]   pause_i,
  output cache_obs_t   [Cfg.NumPipes-1:0] obs_o,
  output stopped_obs_t [Cfg.NumPipes-1:0] stopped_o,
  output logic [Cfg.NumPorts-1:0][NumPortCounters-1:0][31:0] count_port_o,
  output logic [Cfg.NumPipes-1:0][NumPipeCounters-1:0][31:0] count_pipe_o,
  output logic                                               clearing_o
);

  assign {s_axis_tready, m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, pause_o, obs_o,
          stopped_o, count_port_o, count_pipe_o, clearing_o} = '0;

endmodule
