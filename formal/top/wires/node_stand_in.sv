// Stands in for tree_node in the proof of what a device connects: it says anything, in any cycle
// (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module tree_node
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_cfg_t;
  import sat_pkg::sat_events_t;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 8,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  parameter int unsigned MaxRows = RcMaxRows,
  parameter int unsigned NumCells = 2,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,
  input logic                             open_i,
  input logic                             close_i,
  input sat_cfg_t                         cfg_i,
  input logic         [15:0]              low_tree_i,
  input logic         [NumPorts-1:0]      casts_i,
  input logic                             listens_i,
  input rc_conn_cfg_t [NumPorts-1:0][1:0] conn_cfg_i,
  input logic         [31:0]              time_i,
  input  low_change_t change_i,
  output logic        changed_o,
  output logic        changed_good_o,
  output logic                               low_down_o,
  output logic                               sat_down_o,
  output lock_cell_t [NumCells-1:0]          cells_o,
  output logic       [NumPorts-1:0][1:0]     idle_o,
  output rc_fault_e  [NumPorts-1:0][1:0]     fault_o,
  output node_observed_t                       observed_o,
  output low_events_t                          low_events_o,
  output sat_events_t                          sat_events_o,
  output rc_conn_events_t [NumPorts-1:0][1:0]  conn_events_o,
  output rc_port_events_t [NumPorts-1:0]       port_events_o,
  output rc_memory_t                           memory_o
);

  assign {s_axis_tready, m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, changed_o,
          changed_good_o, low_down_o, sat_down_o, cells_o, idle_o, fault_o, observed_o,
          low_events_o, sat_events_o, conn_events_o, port_events_o, memory_o} = '0;

endmodule
