// The ports of Corundum's cmac_gty_wrapper that docs/examples/cmac_port.sv connects, for lint
// alone.
module cmac_gty_wrapper (
  input  logic         xcvr_ctrl_clk,
  input  logic         xcvr_ctrl_rst,
  input  logic         xcvr_ref_clk,
  output logic [3:0]   xcvr_txp,
  output logic [3:0]   xcvr_txn,
  input  logic [3:0]   xcvr_rxp,
  input  logic [3:0]   xcvr_rxn,
  output logic         tx_clk,
  output logic         tx_rst,
  input  logic [511:0] tx_axis_tdata,
  input  logic [63:0]  tx_axis_tkeep,
  input  logic         tx_axis_tvalid,
  output logic         tx_axis_tready,
  input  logic         tx_axis_tlast,
  input  logic [16:0]  tx_axis_tuser,
  output logic         rx_clk,
  output logic         rx_rst,
  output logic [511:0] rx_axis_tdata,
  output logic [63:0]  rx_axis_tkeep,
  output logic         rx_axis_tvalid,
  output logic         rx_axis_tlast,
  output logic [80:0]  rx_axis_tuser
);

  // Everything that comes in, so that nothing is unused.
  logic any;
  assign any = ^{xcvr_ctrl_clk, xcvr_ctrl_rst, xcvr_ref_clk, xcvr_rxp, xcvr_rxn, tx_axis_tdata,
                 tx_axis_tkeep, tx_axis_tvalid, tx_axis_tlast, tx_axis_tuser};
  assign {xcvr_txp, xcvr_txn}             = {8{any}};
  assign {tx_clk, tx_rst, tx_axis_tready} = {3{any}};
  assign {rx_clk, rx_rst}                 = {2{any}};
  assign {rx_axis_tdata, rx_axis_tkeep}   = {576{any}};
  assign {rx_axis_tvalid, rx_axis_tlast}  = {2{any}};
  assign rx_axis_tuser                    = {81{any}};

endmodule
