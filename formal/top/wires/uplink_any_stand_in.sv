// Stands in for uplink_core in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module uplink_core
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  parameter int unsigned NumDown = 2,
  parameter int unsigned NumUp = 4,
  parameter int unsigned Places = 1024,
  parameter int unsigned Entries = 16,
  parameter int unsigned NumQueues = 2,
  parameter queue_of_t QueueOf = 24'o00001000,
  parameter int unsigned RoomDepth = 1024,
  parameter int unsigned HoldDepth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned NumPorts = NumDown + NumUp,
  localparam int unsigned NumSources = NumPorts * NumQueues,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1)
) (
  input logic clk_i,
  input logic rst_ni,
  input way_settings_t       way_i,
  input uplink_override_t [Entries-1:0] override_i,
  input logic [NumUp-1:0]    up_i,
  input logic [47:0]         mac_i,
  input logic [NumPrios-1:0] lossless_i,
  input logic [15:0]         quanta_i,
  input logic [RoomW-1:0]    xoff_level_i,
  input logic [RoomW-1:0]    xon_level_i,
  input logic [15:0]         limit_i,
  output logic               busy_o,
  input  logic   [NumPorts-1:0] rx_valid_i,
  input  bytes_t [NumPorts-1:0] rx_data_i,
  input  keep_t  [NumPorts-1:0] rx_keep_i,
  input  logic   [NumPorts-1:0] rx_last_i,
  input  logic   [NumPorts-1:0] rx_error_i,
  output logic   [NumPorts-1:0] tx_valid_o,
  input  logic   [NumPorts-1:0] tx_ready_i,
  output bytes_t [NumPorts-1:0] tx_data_o,
  output keep_t  [NumPorts-1:0] tx_keep_o,
  output logic   [NumPorts-1:0] tx_last_o,
  output logic   [NumPorts-1:0] tx_error_o,
  output logic [NumPorts-1:0][NumPrios-1:0] paused_o,
  output logic [NumPorts-1:0][NumPrios-1:0] xoff_o,
  output logic [NumPorts-1:0][NumPrios-1:0] storm_o,
  output logic [NumPorts-1:0][NumPrios-1:0] stormed_o,
  output logic [NumPorts-1:0][NumPrios-1:0] resumed_o,
  input  logic [NumPorts-1:0][NumPrios-1:0] clear_stormed_i,
  input  logic [NumPorts-1:0][NumPrios-1:0] clear_resumed_i,
  output logic [NumPorts-1:0]               alarm_o,
  output logic [NumPorts-1:0]               alarmed_o,
  output logic [NumPorts-1:0][RoomW-1:0]    peak_o,
  input  logic [NumPorts-1:0]               clear_alarm_i,
  output logic [NumPorts-1:0][NumFlow:0][31:0]          port_count_o,
  output logic [NumDown*NumQueues-1:0][NumWays:0][31:0] way_count_o,
  output logic  [NumDown*NumQueues-1:0] read_valid_o,
  output read_t [NumDown*NumQueues-1:0] read_o,
  output logic        [NumUp-1:0]      live_o,
  output source_obs_t [NumSources-1:0] source_o,
  output port_obs_t   [NumPorts-1:0]   port_o
);

  assign {busy_o, tx_valid_o, tx_data_o, tx_keep_o, tx_last_o, tx_error_o, paused_o, xoff_o,
          storm_o, stormed_o, resumed_o, alarm_o, alarmed_o, peak_o, port_count_o, way_count_o,
          read_valid_o, read_o, live_o, source_o, port_o} = '0;

endmodule
