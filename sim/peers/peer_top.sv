// The six-port device with a name for each stream, as cocotbext-axi looks for them.
module peer_top (
  input logic clk,
  input logic rst_n,

`define STREAMS(N) \
  input  logic         s``N``_axis_tvalid, \
  output logic         s``N``_axis_tready, \
  input  logic [511:0] s``N``_axis_tdata, \
  input  logic [63:0]  s``N``_axis_tkeep, \
  input  logic         s``N``_axis_tlast, \
  input  logic         s``N``_axis_tuser, \
  output logic         m``N``_axis_tvalid, \
  input  logic         m``N``_axis_tready, \
  output logic [511:0] m``N``_axis_tdata, \
  output logic [63:0]  m``N``_axis_tkeep, \
  output logic         m``N``_axis_tlast, \
  output logic         m``N``_axis_tuser,

  `STREAMS(0)
  `STREAMS(1)
  `STREAMS(2)
  `STREAMS(3)
  `STREAMS(4)
  `STREAMS(5)

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
  output logic [1:0]  s_axil_rresp
);

`define ALL(D, S) \
  {D``5_axis_``S, D``4_axis_``S, D``3_axis_``S, D``2_axis_``S, D``1_axis_``S, D``0_axis_``S}

  weir_aggregator u_device (
    .clk_i        (clk),
    .rst_ni       (rst_n),
    .s_axis_tvalid(`ALL(s, tvalid)),
    .s_axis_tready(`ALL(s, tready)),
    .s_axis_tdata (`ALL(s, tdata)),
    .s_axis_tkeep (`ALL(s, tkeep)),
    .s_axis_tlast (`ALL(s, tlast)),
    .s_axis_tuser (`ALL(s, tuser)),
    .m_axis_tvalid(`ALL(m, tvalid)),
    .m_axis_tready(`ALL(m, tready)),
    .m_axis_tdata (`ALL(m, tdata)),
    .m_axis_tkeep (`ALL(m, tkeep)),
    .m_axis_tlast (`ALL(m, tlast)),
    .m_axis_tuser (`ALL(m, tuser)),
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
    .pause_storm_i('0),
    .irq_o        (),
    .obs_state_o  (),
    .obs_flush_o  (),
    .obs_result_o ()
  );

endmodule
