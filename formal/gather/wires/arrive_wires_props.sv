// gather_arrive: which wire goes where between the network, the packets that are taken, and those
// that are taken apart.
//
// What the parts make of it is left out of the circuit and free. They have proofs of their own:
// gather_receive, prim_skid, gather_split.
module arrive_wires_props
  import roce_pkg::BeatBits;
  import roce_pkg::BeatBytes;
  import gather_pkg::pr_beat_t;
(
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [31:0]          own_node_i,
  input logic                 s_axis_tvalid,
  input logic [BeatBits-1:0]  s_axis_tdata,
  input logic [BeatBytes-1:0] s_axis_tkeep,
  input logic                 s_axis_tlast,
  input logic [0:0]           s_axis_tuser,
  input logic                 pr_ready_i
);

  logic       ready, pr_valid;
  pr_beat_t   pr;
  logic [8:0] events;

  gather_arrive #(
    .NumNodes     (16),
    .MaxFrameBytes(1536)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .own_node_i,
    .s_axis_tvalid,
    .s_axis_tready(ready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .pr_valid_o   (pr_valid),
    .pr_ready_i,
    .pr_o         (pr),
    .events_o     (events)
  );

  always_ff @(posedge clk_i) begin
    // Frames come in as the network shows them, and wait as long as receiving has it.
    a_frame : assert ({u_dut.u_receive.s_axis_tvalid, u_dut.u_receive.s_axis_tdata,
                       u_dut.u_receive.s_axis_tkeep, u_dut.u_receive.s_axis_tlast,
                       u_dut.u_receive.s_axis_tuser} ==
                      {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser} &&
                      ready == u_dut.u_receive.s_axis_tready)
    else $error("another frame");
    // Packets to other nodes are dropped, and no response of them is for a cache.
    a_own : assert (u_dut.u_receive.own_only_i && u_dut.u_receive.own_node_i == own_node_i &&
                    !u_dut.u_receive.cacheable_i)
    else $error("packets of another node");
    // A beat goes on when its packet is known and it is there, both together.
    a_beat : assert (u_dut.u_taken.in_valid_i == (u_dut.u_receive.packet_valid_o &&
                                                  u_dut.u_receive.data_valid_o))
    else $error("a beat: %b", u_dut.u_taken.in_valid_i);
    a_beside : assert (u_dut.u_taken.in_i == {u_dut.u_receive.packet_o, u_dut.u_receive.data_o} &&
                       u_dut.u_receive.data_ready_i == u_dut.u_taken.in_ready_o)
    else $error("a beat beside another packet");
    // A beat that was taken is taken apart beside its packet.
    a_split : assert ({u_dut.u_split.packet_valid_i, u_dut.u_split.packet_i,
                       u_dut.u_split.data_valid_i, u_dut.u_split.data_i} ==
                      {u_dut.u_taken.out_valid_o, u_dut.u_taken.out_o.packet,
                       u_dut.u_taken.out_valid_o, u_dut.u_taken.out_o.data} &&
                      u_dut.u_taken.out_ready_i == u_dut.u_split.data_ready_o)
    else $error("another beat is taken apart");
    // PRs are shown as they are taken apart, and wait to be taken.
    a_pr : assert ({pr_valid, pr} == {u_dut.u_split.pr_valid_o, u_dut.u_split.pr_o} &&
                   u_dut.u_split.pr_ready_i == pr_ready_i)
    else $error("another PR");
    // Events are counted as receiving tells them; all parts see the reset.
    a_events : assert (events == u_dut.u_receive.events_o &&
                       {u_dut.u_receive.rst_ni, u_dut.u_taken.rst_ni, u_dut.u_split.rst_ni} ==
                       {3{rst_ni}})
    else $error("events %b", events);

    // A beat comes while one is taken apart.
    c_both : cover (u_dut.u_taken.in_valid_i && pr_valid && u_dut.u_split.data_ready_o);
  end

endmodule
