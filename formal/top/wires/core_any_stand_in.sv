// Stands in for agg_core in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module agg_core
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input core_setup_t                    setup_i,
  input  command_req_t command_i,
  output command_rsp_t command_o,
  input  lookup_req_t [Cfg.NumPorts-1:0] lookup_i,
  output logic        [Cfg.NumPorts-1:0] lookup_ready_o,
  output decide_rsp_t                    verdict_o,
  input  bank_req_t   [Cfg.NumPorts-1:0] bank_i,
  output logic        [Cfg.NumPorts-1:0] grant_o,
  input  commit_req_t [Cfg.NumPorts-1:0] commit_i,
  output logic        [Cfg.NumPorts-1:0] commit_ready_o,
  output lock_t                          lock_o,
  output result_t [Cfg.NumPorts-1:0] result_o,
  input  credit_t [Cfg.NumPorts-1:0] credit_i,
  output core_events_t  events_o,
  output relay_status_t relay_o,
  output obs_core_t obs_o
);

  assign {command_o, lookup_ready_o, verdict_o, grant_o, commit_ready_o, lock_o, result_o,
          events_o, relay_o, obs_o} = '0;

endmodule
