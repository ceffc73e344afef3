// Stands in for gather_hold in proofs of gather_pipe: it says in any cycle that anything was made
// or has left (`made`, `left` and what goes with them are cut in gather_pipe). All else leaves the
// pipe as it is.
// verilog_lint: waive module-filename
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
