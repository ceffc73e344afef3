// Stands in for agg_port_path in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module agg_port_path
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import agg_timing_pkg::*;
#(
  parameter cfg_t Cfg,
  parameter int unsigned Notes = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input port_setup_t setup_i,
  input  axis_t s_axis_i,
  output logic  s_axis_ready_o,
  output axis_t m_axis_o,
  input  logic  m_axis_ready_i,
  output lookup_req_t lookup_o,
  input  logic        lookup_ready_i,
  input  decide_rsp_t verdict_i,
  output bank_req_t bank_o,
  input  logic      grant_i,
  input  lock_t     lock_i,
  output commit_req_t commit_o,
  input  logic        commit_ready_i,
  input  result_t result_i,
  output credit_t credit_o,
  output port_events_t events_o,
  output obs_result_t obs_o
);

  assign {s_axis_ready_o, m_axis_o, lookup_o, bank_o, commit_o, credit_o, events_o, obs_o} = '0;

endmodule
