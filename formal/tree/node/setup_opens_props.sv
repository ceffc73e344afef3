// tree_setup: trees begin only when they are no more, with a parent that is none of their children
// and an MTU that is a power of two, which stands as long as they last; and groups change only when
// the node says that they may. Registers, and what the node answers, are free.
module setup_opens_props
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

  logic     opens, closes;
  sat_cfg_t cfg, cfg_q;

  tree_setup #(
    .NumPorts(NumPorts),
    .MostMtu (MostMtu)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .csr_i,
    .open_o    (opens),
    .close_o   (closes),
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

  logic                begun_q, reset_q, set_q, live_q, good_q, again_q;
  logic [12:0]         mtu_q;
  logic [MaxPorts-1:0] children, parent, children_q, parent_q;

  assign children = csr_i.TREE_PORTS.children.value;
  assign parent   = csr_i.TREE_PORTS.has_parent.value ?
      MaxPorts'(1) << csr_i.TREE_PORTS.parent.value : '0;

  initial begin
    begun_q = 1'b0;
    set_q   = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q    <= 1'b1;
    reset_q    <= !rst_ni;
    set_q      <= begun_q && (set_q || opens);
    live_q     <= rst_ni && (opens || (live_q && !closes));
    good_q     <= changed_i && changed_good_i;
    again_q    <= rst_ni && begun_q && (again_q || closes);
    cfg_q      <= cfg;
    mtu_q      <= csr_i.TREE_NODE.mtu.value;
    children_q <= children;
    parent_q   <= parent;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // In the cycle in which trees begin, three behind the command, nothing else is written.
    e_written : assume (!u_dut.open_q[u_dut.LookCycles] || (csr_i.TREE_NODE.mtu.value == mtu_q &&
        children == children_q && parent == parent_q));
    if (begun_q) begin
      // Trees begin only when those before are no more; else packets would be forgotten that are
      // under way.
      a_open : assert (!rst_ni || reset_q || !opens || !live_q)
      else $error("trees begin that are there");
      // No child is the parent, and the MTU is 256, 512, 1024, 2048 or 4096 bytes, ...
      a_set : assert (!(opens || set_q) || ((cfg.children & (cfg.parent_valid ?
          MaxPorts'(1) << cfg.parent : '0)) == '0 && cfg.mtu inside {LenW'(256), LenW'(512),
          LenW'(1024), LenW'(2048), LenW'(4096)}))
      else $error("the parent is a child, or an MTU of %0d bytes", cfg.mtu);
      // ... which stands until trees begin anew; and groups are others only behind a cycle in which
      // the node says that they may be.
      a_stands : assert (reset_q || opens || (cfg.mtu == cfg_q.mtu &&
          (good_q || cfg.groups == cfg_q.groups)))
      else $error("an MTU or a group is another one while the trees are there");
      // Helper: trees are there as long as they are kept as open.
      a_life : assert (!rst_ni || reset_q || !live_q || u_dut.is_open_o || closes);
      // Trees begin again.
      c_again : cover (rst_ni && opens && again_q);
    end
  end

endmodule
