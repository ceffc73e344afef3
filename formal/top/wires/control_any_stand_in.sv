// Stands in for weir_control in the proof of what a device connects: it says anything, in any
// cycle (all of its outputs are cut), so all holds for the real one.
// verilog_lint: waive module-filename
module weir_control
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  parameter cfg_t Cfg
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
  output ring_t [Cfg.NumRings-1:0] rings_o,
  output relay_ring_t [Cfg.NumRings-1:0] relays_o,
  output relay_self_t                self_o,
  output logic [Cfg.NumPorts-1:0]    open_o,
  output logic [7:0]                 epoch_o,
  output logic [Cfg.NumPorts-1:0]    down_o,
  output logic [31:0]                age_limit_o,
  output command_req_t command_o,
  input  command_rsp_t command_i,
  output logic [PortW-1:0] counter_port_o,
  output logic [5:0]       counter_which_o,
  input  logic [47:0]      counter_value_i,
  input ring_event_t             ring_event_i,
  input logic [Cfg.NumPorts-1:0] pause_storm_i,
  input logic                    memory_bad_i,
  output logic                   irq_o
);

  assign {s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_bresp, s_axil_arready,
          s_axil_rvalid, s_axil_rdata, s_axil_rresp, rings_o, relays_o, self_o, open_o, epoch_o,
          down_o, age_limit_o, command_o, counter_port_o, counter_which_o, irq_o} = '0;

endmodule
