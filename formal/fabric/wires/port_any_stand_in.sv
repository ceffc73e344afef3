// Stands in for uplink_port in the proof of what uplink_core connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module uplink_port
  import shell_pkg::*;
  import uplink_flow_pkg::*;
#(
  parameter type RxTag = logic,
  parameter type TxTag = logic,
  parameter int unsigned NumQueues = 2,
  parameter queue_of_t QueueOf = 24'o00001000,
  parameter int unsigned RoomDepth = 1024,
  parameter int unsigned HoldDepth = 256,
  parameter int unsigned MaxBeats = 144,
  parameter int unsigned RxQuantumStep = 39718,
  parameter int unsigned TxQuantumStep = 39719,
  parameter int unsigned TickCycles = 9375,
  parameter int unsigned RaisePercent = 80,
  parameter int unsigned ClearPercent = 70,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1),
  localparam int unsigned HoldW = $clog2(HoldDepth + 1)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [47:0]         mac_i,
  input logic [NumPrios-1:0] lossless_i,
  input logic [15:0]         quanta_i,
  input logic [RoomW-1:0]    xoff_level_i,
  input logic [RoomW-1:0]    xon_level_i,
  input logic [15:0]         limit_i,
  input logic   rx_valid_i,
  input bytes_t rx_data_i,
  input keep_t  rx_keep_i,
  input logic   rx_last_i,
  input logic   rx_error_i,
  input RxTag   rx_tag_i,
  output logic   [NumQueues-1:0] in_valid_o,
  input  logic   [NumQueues-1:0] in_ready_i,
  output bytes_t [NumQueues-1:0] in_data_o,
  output keep_t  [NumQueues-1:0] in_keep_o,
  output logic   [NumQueues-1:0] in_last_o,
  output RxTag   [NumQueues-1:0] in_tag_o,
  input  logic         to_valid_i,
  output logic         to_ready_o,
  input  bytes_t       to_data_i,
  input  keep_t        to_keep_i,
  input  logic         to_last_i,
  input  TxTag         to_tag_i,
  input  logic   [2:0] to_prio_i,
  output logic [NumQueues-1:0][HoldW-1:0] to_level_o,
  output logic   tx_valid_o,
  input  logic   tx_ready_i,
  output bytes_t tx_data_o,
  output keep_t  tx_keep_o,
  output logic   tx_last_o,
  output TxTag   tx_tag_o,
  output logic [NumPrios-1:0]       paused_o,
  output logic [NumPrios-1:0]       xoff_o,
  output logic [NumPrios-1:0]       storm_o,
  output logic [NumPrios-1:0]       stormed_o,
  output logic [NumPrios-1:0]       resumed_o,
  input  logic [NumPrios-1:0]       clear_stormed_i,
  input  logic [NumPrios-1:0]       clear_resumed_i,
  output logic [NumPrios-1:0][15:0] storms_o,
  output logic                      alarm_o,
  output logic                      alarmed_o,
  output logic [RoomW-1:0]          peak_o,
  input  logic                      clear_alarm_i,
  output logic [NumFlow-1:0][31:0] count_o
);

  assign {in_valid_o, in_data_o, in_keep_o, in_last_o, in_tag_o, to_ready_o, to_level_o,
          tx_valid_o, tx_data_o, tx_keep_o, tx_last_o, tx_tag_o, paused_o, xoff_o, storm_o,
          stormed_o, resumed_o, storms_o, alarm_o, alarmed_o, peak_o, count_o} = '0;

endmodule
