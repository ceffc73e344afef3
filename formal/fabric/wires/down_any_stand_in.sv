// Stands in for uplink_down in the proof of what uplink_core connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module uplink_down
  import shell_pkg::*;
  import uplink_pkg::*;
  import uplink_route_pkg::*;
#(
  parameter int unsigned Fan = 2,
  parameter int unsigned NumQueues = 2,
  parameter int unsigned Depth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned CountW = $clog2(Depth + 1),
  localparam int unsigned Sources = Fan * NumQueues
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [PortW-1:0] port_i,
  input  logic   [Fan-1:0][NumQueues-1:0] in_valid_i,
  output logic   [Fan-1:0][NumQueues-1:0] in_ready_o,
  input  bytes_t [Fan-1:0][NumQueues-1:0] in_data_i,
  input  keep_t  [Fan-1:0][NumQueues-1:0] in_keep_i,
  input  logic   [Fan-1:0][NumQueues-1:0] in_last_i,
  input  logic [NumQueues-1:0][CountW-1:0] level_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output bytes_t                           out_data_o,
  output keep_t                            out_keep_o,
  output logic                             out_last_o,
  output logic [2:0]                       out_prio_o,
  output source_obs_t [Fan-1:0][NumQueues-1:0] source_o
);

  assign {in_ready_o, out_valid_o, out_data_o, out_keep_o, out_last_o, out_prio_o, source_o} = '0;

endmodule
