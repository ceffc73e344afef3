// Stands in for weir_control in proofs of the device: two rings of two workers with N = 1 and one
// packet a message, which software has set up and touches no more. Ring g has slots 2g and 2g + 1.
//
// Sound because the registers of a ring may only change while it is disabled or flushed, and a
// flush has its own proofs.
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

  input  ring_event_t             ring_event_i,
  input  logic [Cfg.NumPorts-1:0] pause_storm_i,
  input  logic                    memory_bad_i,
  output logic                    irq_o
);

  always_comb begin
    for (int unsigned g = 0; g < Cfg.NumRings; g++) begin
      rings_o[g] = '{enable: 1'b1, drop: 1'b0, learn: 1'b0, id: 16'(g), workers: (RankW + 1)'(2),
                     window_log2: 3'd0, stride: SlotW'(1), base: SlotW'(2 * g)};
    end
  end

  assign relays_o         = '0;
  assign self_o           = '0;
  assign open_o           = '0;
  assign epoch_o          = '0;
  assign down_o           = '0;
  assign age_limit_o      = '0;
  assign irq_o            = 1'b0;
  assign s_axil_awready   = 1'b0;
  assign s_axil_wready    = 1'b0;
  assign s_axil_bvalid    = 1'b0;
  assign s_axil_bresp     = '0;
  assign s_axil_arready   = 1'b0;
  assign s_axil_rvalid    = 1'b0;
  assign s_axil_rdata     = '0;
  assign s_axil_rresp     = '0;
  assign command_o        = '0;
  assign counter_port_o   = '0;
  assign counter_which_o  = '0;

endmodule
