// Stands in for uplink_conns in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module uplink_conns
  import uplink_flow_pkg::*;
  import uplink_pkg::*;
#(
  parameter int unsigned NumSources = 4,
  parameter int unsigned Sets = 256,
  parameter int unsigned Ways = 2,
  localparam int unsigned Aw = $clog2(Sets),
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int unsigned SourceW = (NumSources > 1) ? $clog2(NumSources) : 1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic  [NumSources-1:0] valid_i,
  input read_t [NumSources-1:0] read_i,
  output logic [NumSources-1:0][NumOrder-1:0][31:0] count_o,
  input  logic clear_i,
  output logic busy_o,
  input  logic               ask_i,
  input  logic [SourceW-1:0] source_i,
  input  logic [Aw-1:0]      set_i,
  input  logic [WayW-1:0]    way_i,
  output logic               done_o,
  output conn_t              conn_o
);

  assign {count_o, busy_o, done_o, conn_o} = '0;

endmodule
