// tree_setup: who the neighbours of the trees are changes only in the cycle in which they begin.
// Registers, and what the node answers, are free.
module setup_stands_props
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4
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
  sat_cfg_t cfg, cfg_q;

  tree_setup #(
    .NumPorts(NumPorts)
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

  logic begun_q, reset_q, before_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    reset_q  <= !rst_ni;
    cfg_q    <= cfg;
    before_q <= opens;
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // Who the children and the parent are stands until the trees begin anew; else connections
      // would be forgotten that nobody has closed.
      a_stands : assert (reset_q || opens || (cfg.children == cfg_q.children &&
          cfg.parent_valid == cfg_q.parent_valid && cfg.parent == cfg_q.parent))
      else $error("the neighbours are others while the trees are there");
      // Trees begin.
      c_opens : cover (before_q && rst_ni && cfg.children != '0);
    end
  end

endmodule
