// tree_setup: trees do not begin with an MTU that packets cannot have, whatever registers say, as
// long as nobody writes another one in the cycle in which they begin.
module setup_mtu_props
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned MostMtu = 4096
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input tree_csr_pkg::tree_csr__out_t csr_i,
  input logic                         changed_i,
  input logic                         changed_good_i,
  input logic                         sat_down_i,
  input logic                         low_down_i
);

  logic     opens;
  sat_cfg_t cfg;

  tree_setup #(
    .NumPorts(NumPorts),
    .MostMtu (MostMtu)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .csr_i,
    .open_o    (opens),
    .close_o   (),
    .cfg_o     (cfg),
    .low_tree_o(),
    .casts_o   (),
    .listens_o (),
    .conn_cfg_o(),
    .change_o  (),
    .changed_i,
    .changed_good_i,
    .sat_down_i,
    .low_down_i,
    .is_open_o (),
    .pending_o (),
    .error_o   (),
    .time_o    ()
  );

  logic        begun_q, opened_q;
  logic [12:0] mtu, mtu_q;
  assign mtu = csr_i.TREE_NODE.mtu.value;

  initial begin
    begun_q  = 1'b0;
    opened_q = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    opened_q <= begun_q && (opened_q || opens);
    mtu_q    <= mtu;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // In the cycle in which trees begin, three behind the command, no other MTU is written.
    e_written : assume (!u_dut.open_q[u_dut.LookCycles] || mtu == mtu_q);
    if (begun_q) begin
      // From the first opening on the MTU is one that packets may have: 256 bytes to the longest.
      a_mtu : assert (!(opens || opened_q) || (32'(cfg.mtu) >= 256 && 32'(cfg.mtu) <= MostMtu))
      else $error("an MTU of %0d bytes", cfg.mtu);
      // Trees begin with the longest.
      c_longest : cover (opens && 32'(cfg.mtu) == MostMtu);
    end
  end

endmodule
