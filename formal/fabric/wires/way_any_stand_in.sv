// Stands in for uplink_way in the proof of what uplink_core connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module uplink_way
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  parameter int unsigned NumUp = 4,
  parameter int unsigned Places = 1024,
  parameter int unsigned Entries = 16
) (
  input logic clk_i,
  input logic rst_ni,
  input  way_settings_t                  settings_i,
  input  uplink_override_t [Entries-1:0] override_i,
  output logic                           busy_o,
  input logic [TimeW-1:0] now_i,
  input logic [NumUp-1:0] up_i,
  input logic [NumUp-1:0] live_i,
  input logic [PortW-1:0] least_i,
  input logic             hold_i,
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  bytes_t in_data_i,
  input  keep_t  in_keep_i,
  input  logic   in_last_i,
  output logic [NumUp-1:0] out_to_o,
  input  logic             out_ready_i,
  output bytes_t           out_data_o,
  output keep_t            out_keep_o,
  output logic             out_last_o,
  output logic [2:0]       out_prio_o,
  output logic  read_valid_o,
  output read_t read_o,
  output logic [NumWays:0][31:0] count_o,
  output source_obs_t            obs_o
);

  assign {busy_o, in_ready_o, out_to_o, out_data_o, out_keep_o, out_last_o, out_prio_o,
          read_valid_o, read_o, count_o, obs_o} = '0;

endmodule
