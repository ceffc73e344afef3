// weir_control with a parameter for each size, and each signal of its commands at a port, for
// test_weir_control.
module control_of_sizes
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  // As those of weir_aggregator.
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6,
  parameter int unsigned SlotBytes = 1024,
  parameter int unsigned NumSlots = 680,
  parameter int unsigned NumRings = 8,
  parameter int unsigned NumConns = 48,
  parameter int unsigned MaxWindow = 4,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned Spine = 0,
  parameter int unsigned Uplink = 0,
  parameter int unsigned NumRows = NumRings,
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  output ring_t       [NumRings-1:0] rings_o,
  output relay_ring_t [NumRings-1:0] relays_o,
  output relay_self_t                self_o,
  output logic        [NumPorts-1:0] open_o,
  output logic        [7:0]          epoch_o,
  output logic        [NumPorts-1:0] down_o,
  output logic        [31:0]         age_limit_o,

  output logic      conn_set_valid_o,
  input  logic      conn_set_ready_i,
  output conn_set_t conn_set_o,
  input  logic      conn_set_error_i,
  input  logic [ConnW-1:0] conn_set_index_i,
  input  conn_count_t      conn_count_i,

  output logic             flush_valid_o,
  input  logic             flush_ready_i,
  output logic [RingW-1:0] flush_ring_o,
  output logic             flush_release_o,
  output logic             flush_slots_o,

  output logic [PortW-1:0] counter_port_o,
  output logic [5:0]       counter_which_o,
  input  logic [47:0]      counter_value_i,

  input  ring_event_t         ring_event_i,
  input  logic [NumPorts-1:0] pause_storm_i,
  input  logic                memory_bad_i,
  output logic                irq_o
);

  command_req_t command;

  assign conn_set_valid_o = command.set_valid;
  assign conn_set_o       = command.conn;
  assign flush_valid_o    = command.flush_valid;
  assign flush_ring_o     = command.flush_ring;
  assign flush_release_o  = command.flush_release;
  assign flush_slots_o    = command.flush_slots;

  weir_control #(
    .Cfg(make_cfg(NumPorts, NumRanks, SlotBytes, NumSlots, NumRings, NumConns, MaxWindow, WideLanes,
                  Spine, Uplink, NumRows, 9728, 0, Without))
  ) u_control (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rdata,
    .s_axil_rresp,
    .rings_o,
    .relays_o,
    .self_o,
    .open_o,
    .epoch_o,
    .down_o,
    .age_limit_o,
    .command_o(command),
    .command_i('{set_ready: conn_set_ready_i, set_error: conn_set_error_i,
                 set_index: conn_set_index_i, conns: conn_count_i,
                 flush_ready: flush_ready_i}),
    .counter_port_o,
    .counter_which_o,
    .counter_value_i,
    .ring_event_i,
    .pause_storm_i,
    .memory_bad_i,
    .irq_o
  );

endmodule
