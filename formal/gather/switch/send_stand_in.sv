// Stands in for gather_send in proofs of gather_pipe: it takes PRs when it likes, and makes any
// frames (`cached_ready`, `made_valid`, `made_beat` and `tag` of gather_pipe are cut). All else
// leaves the pipe as it is.
// verilog_lint: waive module-filename
module gather_send
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter cfg_t Cfg,
  parameter int unsigned Pipe = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [Cfg.ClockW-3:0] delay_i,
  input node_write_t           node_i,
  input address_t              own_i,

  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  output logic       out_valid_o,
  input  logic       out_ready_i,
  output beat_t      out_o,
  output frame_tag_t out_tag_o,

  output concat_obs_t obs_o,
  output logic        idle_o
);
  assign pr_ready_o  = 1'b0;
  assign out_valid_o = 1'b0;
  assign out_o       = '0;
  assign out_tag_o   = '0;
  assign obs_o       = '0;
  assign idle_o      = 1'b1;
endmodule
