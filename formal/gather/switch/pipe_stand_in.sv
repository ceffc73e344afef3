// Stand in for what is behind gather_enter in proofs of gather_pipe: PRs of any kind come when they
// like (`any_valid`, `any_pr`, `any_ready` of gather_split are cut), the cache takes them when it
// likes (its `any_ready` is cut), and nothing is made of them. Whatever the four do with PRs is
// among that; what they give back of the room is looked at in gather_hold and gather_turn.
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

module gather_hold
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned Beats = 512,
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1,
  localparam int unsigned QueueW = $clog2(Classes * NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic       in_valid_i,
  input beat_t      in_i,
  input frame_tag_t in_tag_i,

  output logic         [ Classes-1:0][NumPorts-1:0] waits_o,
  input  logic         [NumPorts-1:0]               ask_i,
  input  logic         [NumPorts-1:0]               ask_response_i,
  output logic         [NumPorts-1:0]               taken_o,
  input  logic         [ Classes-1:0][NumPorts-1:0] give_up_i,
  output stopped_obs_t                              stopped_o,

  output logic              out_valid_o,
  output beat_t             out_o,
  output logic  [PortW-1:0] out_port_o,

  output logic              made_o,
  output logic [QueueW-1:0] made_queue_o,
  output logic [       8:0] made_beats_o,
  output logic              left_o,
  output logic [QueueW-1:0] left_queue_o
);
  assign waits_o      = '0;
  assign taken_o      = '0;
  assign stopped_o    = '0;
  assign out_valid_o  = 1'b0;
  assign out_o        = '0;
  assign out_port_o   = '0;
  assign made_o       = 1'b0;
  assign made_queue_o = '0;
  assign made_beats_o = '0;
  assign left_o       = 1'b0;
  assign left_queue_o = '0;
endmodule
