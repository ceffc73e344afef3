// Example: a 100G port of Corundum (`cmac_gty_wrapper`, AMD's CMAC with its transceivers; BSD) and
// the shell in front of a Weir device.
//
// docs/integration.md says what each connection is for. The MAC counts resets high, the shell low.
// Both of the MAC's resets are high while its link is down.
module cmac_port (
  // Transceivers; the wrapper's other ports (DRP, PTP) are left to the board.
  input  logic       xcvr_ctrl_clk,
  input  logic       xcvr_ctrl_rst,
  input  logic       xcvr_ref_clk,
  output logic [3:0] xcvr_txp,
  output logic [3:0] xcvr_txn,
  input  logic [3:0] xcvr_rxp,
  input  logic [3:0] xcvr_rxn,

  // Station address of the port, for the pause frames it sends.
  input logic [47:0] mac_i,

  // One port of the device: `m_axis_*` to its `s_axis_*`, and back.
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready,
  output logic [511:0] m_axis_tdata,
  output logic [63:0]  m_axis_tkeep,
  output logic         m_axis_tlast,
  output logic         m_axis_tuser,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,
  input  logic [511:0] s_axis_tdata,
  input  logic [63:0]  s_axis_tkeep,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tuser,

  // To the board's registers (shell_pkg::event_e).
  output logic [5:0][31:0] count_o,
  output logic [7:0]       paused_o,
  output logic [7:0]       expired_o,
  output logic [7:0]       xoff_o
);

  logic         rx_clk, rx_rst, tx_clk, tx_rst;
  logic [511:0] rx_data, tx_data;
  logic [63:0]  rx_keep, tx_keep;
  logic         rx_valid, rx_last, tx_valid, tx_ready, tx_last, tx_user;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [80:0] rx_user;      // bit 0: error; above it the time stamp
  logic        unused_id;
  logic        unused_tx_id;
  /* verilator lint_on UNUSEDSIGNAL */

  cmac_gty_wrapper u_mac (
    .xcvr_ctrl_clk,
    .xcvr_ctrl_rst,
    .xcvr_ref_clk,
    .xcvr_txp,
    .xcvr_txn,
    .xcvr_rxp,
    .xcvr_rxn,
    .tx_clk,
    .tx_rst,
    .tx_axis_tdata (tx_data),
    .tx_axis_tkeep (tx_keep),
    .tx_axis_tvalid(tx_valid),
    .tx_axis_tready(tx_ready),
    .tx_axis_tlast (tx_last),
    .tx_axis_tuser ({16'd0, tx_user}),
    .rx_clk,
    .rx_rst,
    .rx_axis_tdata (rx_data),
    .rx_axis_tkeep (rx_keep),
    .rx_axis_tvalid(rx_valid),
    .rx_axis_tlast (rx_last),
    .rx_axis_tuser (rx_user)
  );

  // Priority 3 is lossless and has a queue of its own each way.
  shell_port #(
    .UserW    (1),
    .IdW      (1),
    .NumQueues(2),
    .QueueOf  (24'o00001000)
  ) u_port (
    .mac_i,
    .untagged_i       (3'd0),
    .pfc_prios_i      (8'b0000_1000),
    .pfc_quanta_i     (16'hFFFF),
    .watchdog_limit_i (16'd200),
    .watchdog_ignore_i(1'b1),
    .rx_clk_i         (rx_clk),
    .rx_rst_ni        (!rx_rst),
    .rx_axis_tvalid   (rx_valid),
    .rx_axis_tdata    (rx_data),
    .rx_axis_tkeep    (rx_keep),
    .rx_axis_tlast    (rx_last),
    .rx_axis_tuser    (rx_user[0]),
    .rx_axis_tid      (1'b0),
    .tx_clk_i         (tx_clk),
    .tx_rst_ni        (!tx_rst),
    .tx_axis_tvalid   (tx_valid),
    .tx_axis_tready   (tx_ready),
    .tx_axis_tdata    (tx_data),
    .tx_axis_tkeep    (tx_keep),
    .tx_axis_tlast    (tx_last),
    .tx_axis_tuser    (tx_user),
    .tx_axis_tid      (unused_tx_id),
    .clk_i,
    .rst_ni,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tid       (unused_id),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tid       (1'b0),
    .count_o,
    .paused_o,
    .expired_o,
    .xoff_o
  );

endmodule
