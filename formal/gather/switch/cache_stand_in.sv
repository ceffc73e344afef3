// Stands in for gather_cache in proofs of gather_pipe: it takes PRs when it likes (`any_ready` is
// cut), and any leave in any cycle (`cached_valid` and `cached` of gather_pipe are cut). All else
// leaves the pipe as it is.
// verilog_lint: waive module-filename
module gather_cache
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned Sets = 64,
  parameter int unsigned IndexBits = 40
) (
  input logic clk_i,
  input logic rst_ni,

  input logic        enable_i,
  input logic [2:0]  mode_i,
  input logic [15:0] generation_i,
  input logic [10:0] len_i,
  input logic        invalidate_i,

  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  output cache_obs_t obs_o,
  output logic       clearing_o
);
  logic any_ready;
  assign any_ready  = 1'b0;
  assign pr_ready_o = any_ready;
  assign pr_valid_o = 1'b0;
  assign pr_o       = '0;
  assign obs_o      = '0;
  assign clearing_o = 1'b0;
endmodule
