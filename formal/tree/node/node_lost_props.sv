// tree_node: who is lost to the low-latency tree stays so as long as that tree is there. Faults of
// connections come and stay as rc_fault has them; what its halves and ports say else is free.
module node_lost_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input low_change_t change_i
);

  typedef logic [NumPorts-1:0] ports_t;

  tree_node #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid ('0),
    .s_axis_tready (),
    .s_axis_tdata  ('0),
    .s_axis_tkeep  ('0),
    .s_axis_tlast  ('0),
    .s_axis_tuser  ('0),
    .m_axis_tvalid (),
    .m_axis_tready ('1),
    .m_axis_tdata  (),
    .m_axis_tkeep  (),
    .m_axis_tlast  (),
    .open_i,
    .close_i,
    .cfg_i,
    .low_tree_i    ('0),
    .casts_i       ('0),
    .listens_i     (1'b0),
    .conn_cfg_i    ('0),
    .time_i        ('0),
    .change_i,
    .changed_o     (),
    .changed_good_o(),
    .low_down_o    (),
    .sat_down_o    (),
    .cells_o       (),
    .idle_o        (),
    .fault_o       (),
    .observed_o    (),
    .low_events_o  (),
    .sat_events_o  (),
    .conn_events_o (),
    .port_events_o (),
    .memory_o      ()
  );

  logic   begun_q, open_q, there, there_q, again_q, came_q, reset_q;
  ports_t lost, lost_q, set, set_q;

  // The tree is there, as llt_engine keeps it (`open_n`).
  assign there = rst_ni && !open_i && open_q;
  assign lost  = u_dut.u_low.lost_i;
  assign set   = ports_t'(cfg_i.children) |
      (cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : ports_t'(0));

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    open_q  <= ((open_q && !close_i) || open_i) && rst_ni;
    there_q <= there && begun_q;
    lost_q  <= lost;
    set_q   <= set;
    reset_q <= !rst_ni;
    came_q  <= there && lost != '0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // Who the neighbours are stands from one opening to the next.
    e_stands : assume (!begun_q || reset_q || open_i || set == set_q);

    if (begun_q) begin
      // Who is lost stays so as long as the low-latency tree is there; else it would owe him, and
      // wait for, what it has given up.
      a_lost : assert (!(there_q && there) || (lost_q & ~lost) == '0)
      else $error("ports %b were lost, and are there again", lost_q & ~lost);
      // One is lost, the trees are opened anew, and one is lost again.
      c_again : cover (again_q && there && lost != '0);
    end
  end

  initial again_q = 1'b0;
  always_ff @(posedge clk_i) again_q <= again_q || (came_q && open_i);

endmodule
