// Stands in for gather_split in proofs of gather_pipe: PRs of any kind come when they like
// (`any_valid` and `any_pr` are cut), and beats of packets are taken so (`any_ready` is cut).
// verilog_lint: waive module-filename
module gather_split
  import gather_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  input  logic         packet_valid_i,
  input  packet_t      packet_i,
  input  logic         data_valid_i,
  output logic         data_ready_o,
  input  packet_beat_t data_i,

  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o
);
  logic     any_valid, any_ready;
  pr_beat_t any_pr;
  assign any_valid    = 1'b0;
  assign any_ready    = 1'b0;
  assign any_pr       = '0;
  assign data_ready_o = any_ready;
  assign pr_valid_o   = any_valid;
  assign pr_o         = any_pr;
endmodule
