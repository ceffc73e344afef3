// Stands in for gather_pipe in proofs of gather_switch, which leave out what it answers (`cuts`).
// verilog_lint: waive module-filename
module gather_pipe
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter cfg_t Cfg,
  parameter int unsigned Pipe = 0,
  localparam int unsigned Waiting = Classes * Cfg.NumPorts
) (
  input logic clk_i,
  input logic rst_ni,

  input switch_settings_t settings_i,
  input node_write_t      node_i,

  input logic [Cfg.NumNodes-1:0][Cfg.PortW-1:0] read_port_i,
  input logic [Cfg.NumNodes-1:0][Cfg.PortW-1:0] response_port_i,

  input  logic   [Waiting-1:0] valid_i,
  input  enter_t [Waiting-1:0] in_i,
  output logic   [Waiting-1:0] taken_o,

  output logic [Classes-1:0][Cfg.NumPorts-1:0] waits_o,
  input  logic [Cfg.NumPorts-1:0]              ask_i,
  input  logic [Cfg.NumPorts-1:0]              ask_response_i,
  output logic [Cfg.NumPorts-1:0]              asked_o,
  input  logic [Classes-1:0][Cfg.NumPorts-1:0] give_up_i,
  output stopped_obs_t                         stopped_o,
  output logic                                 out_valid_o,
  output beat_t                                out_o,
  output logic [Cfg.PortW-1:0]                 out_port_o,

  output cache_obs_t  cache_obs_o,
  output concat_obs_t concat_obs_o,
  output logic        pr_in_o,
  output logic        not_turned_o,
  output logic        clearing_o
);
  assign taken_o      = '0;
  assign waits_o      = '0;
  assign asked_o      = '0;
  assign stopped_o    = '0;
  assign out_valid_o  = 1'b0;
  assign out_o        = '0;
  assign out_port_o   = '0;
  assign cache_obs_o  = '0;
  assign concat_obs_o = '0;
  assign pr_in_o      = 1'b0;
  assign not_turned_o = 1'b0;
  assign clearing_o   = 1'b0;
endmodule
