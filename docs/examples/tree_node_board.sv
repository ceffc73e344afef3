// Example: a tree node behind the shells of its ports, with the streams of a MAC of the CMAC kind
// at each, and the registers as they are.
//
// docs/integration.md says what each connection is for. Its RC connections have retries of their
// own, so no priority has to be lossless; one queue each way does.
module tree_node_board #(
  parameter int unsigned NumPorts = 4
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers, AXI4-Lite.
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

  // The MACs, each with clocks of its own. There is no ready of what comes.
  input  logic [NumPorts-1:0]        rx_clk_i,
  input  logic [NumPorts-1:0]        rx_rst_ni,
  input  logic [NumPorts-1:0]        rx_axis_tvalid,
  input  logic [NumPorts-1:0][511:0] rx_axis_tdata,
  input  logic [NumPorts-1:0][63:0]  rx_axis_tkeep,
  input  logic [NumPorts-1:0]        rx_axis_tlast,
  input  logic [NumPorts-1:0]        rx_axis_tuser,
  input  logic [NumPorts-1:0]        tx_clk_i,
  input  logic [NumPorts-1:0]        tx_rst_ni,
  output logic [NumPorts-1:0]        tx_axis_tvalid,
  input  logic [NumPorts-1:0]        tx_axis_tready,
  output logic [NumPorts-1:0][511:0] tx_axis_tdata,
  output logic [NumPorts-1:0][63:0]  tx_axis_tkeep,
  output logic [NumPorts-1:0]        tx_axis_tlast,

  // Station addresses, for pause frames; counters, to the board's registers (shell_pkg::event_e).
  input  logic [NumPorts-1:0][47:0]      mac_i,
  output logic [NumPorts-1:0][5:0][31:0] count_o,

  // Interrupt line (registers IRQ_CAUSE and IRQ_ENABLE).
  output logic irq_o
);

  logic [NumPorts-1:0]        s_valid, s_ready, s_last, s_user, m_valid, m_ready, m_last;
  logic [NumPorts-1:0]        m_user, storm;
  logic [NumPorts-1:0][7:0]   expired;   // of each priority of a port
  logic [NumPorts-1:0][511:0] s_data, m_data;
  logic [NumPorts-1:0][63:0]  s_keep, m_keep;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    shell_port u_shell (
      .mac_i            (mac_i[p]),
      .untagged_i       (3'd0),
      .pfc_prios_i      (8'd0),
      .pfc_quanta_i     (16'd0),
      .watchdog_limit_i (16'd200),
      .watchdog_ignore_i(1'b1),
      .rx_clk_i         (rx_clk_i[p]),
      .rx_rst_ni        (rx_rst_ni[p]),
      .rx_axis_tvalid   (rx_axis_tvalid[p]),
      .rx_axis_tdata    (rx_axis_tdata[p]),
      .rx_axis_tkeep    (rx_axis_tkeep[p]),
      .rx_axis_tlast    (rx_axis_tlast[p]),
      .rx_axis_tuser    (rx_axis_tuser[p]),
      .rx_axis_tid      (1'b0),
      .tx_clk_i         (tx_clk_i[p]),
      .tx_rst_ni        (tx_rst_ni[p]),
      .tx_axis_tvalid   (tx_axis_tvalid[p]),
      .tx_axis_tready   (tx_axis_tready[p]),
      .tx_axis_tdata    (tx_axis_tdata[p]),
      .tx_axis_tkeep    (tx_axis_tkeep[p]),
      .tx_axis_tlast    (tx_axis_tlast[p]),
      .clk_i,
      .rst_ni,
      .m_axis_tvalid    (s_valid[p]),
      .m_axis_tready    (s_ready[p]),
      .m_axis_tdata     (s_data[p]),
      .m_axis_tkeep     (s_keep[p]),
      .m_axis_tlast     (s_last[p]),
      .m_axis_tuser     (s_user[p]),
      .s_axis_tvalid    (m_valid[p]),
      .s_axis_tready    (m_ready[p]),
      .s_axis_tdata     (m_data[p]),
      .s_axis_tkeep     (m_keep[p]),
      .s_axis_tlast     (m_last[p]),
      .s_axis_tuser     (m_user[p]),
      .s_axis_tid       (1'b0),
      .count_o          (count_o[p]),
      .expired_o        (expired[p]),
      // verilator lint_off PINCONNECTEMPTY
      .tx_axis_tuser    (),
      .tx_axis_tid      (),
      .m_axis_tid       (),
      .paused_o         (),
      .xoff_o           ()
      // verilator lint_on PINCONNECTEMPTY
    );
  end

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) storm[p] = expired[p] != '0;
  end

  weir_tree_node #(
    .NumPorts(NumPorts)
  ) u_node (
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
    .s_axis_tvalid(s_valid),
    .s_axis_tready(s_ready),
    .s_axis_tdata (s_data),
    .s_axis_tkeep (s_keep),
    .s_axis_tlast (s_last),
    .s_axis_tuser (s_user),
    .m_axis_tvalid(m_valid),
    .m_axis_tready(m_ready),
    .m_axis_tdata (m_data),
    .m_axis_tkeep (m_keep),
    .m_axis_tlast (m_last),
    .m_axis_tuser (m_user),
    .pause_storm_i(storm),
    .irq_o,
    // verilator lint_off PINCONNECTEMPTY
    .obs_o        ()
    // verilator lint_on PINCONNECTEMPTY
  );

endmodule
