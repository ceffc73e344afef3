// gather_receive: which wire goes where between the ingress, gather_accept and those around them,
// and which event each frame is counted as. What the two make of frames is left out and free.
module gather_receive_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  own_only_i,
  input logic [31:0]           own_node_i,
  input logic                  cacheable_i,
  input logic                  tvalid_i,
  input logic [BeatBits-1:0]   tdata_i,
  input logic [BeatBytes-1:0]  tkeep_i,
  input logic                  tlast_i,
  input logic [0:0]            tuser_i,
  input logic                  data_ready_i
);

  logic                         tready, packet_valid, data_valid;
  packet_t                      packet;
  packet_beat_t                 data;
  logic [PortBadDest:PortRx]    events;

  gather_receive #(
    .NumNodes     (16),
    .MaxFrameBytes(1536)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .own_only_i,
    .own_node_i,
    .cacheable_i,
    .s_axis_tvalid (tvalid_i),
    .s_axis_tready (tready),
    .s_axis_tdata  (tdata_i),
    .s_axis_tkeep  (tkeep_i),
    .s_axis_tlast  (tlast_i),
    .s_axis_tuser  (tuser_i),
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_valid_o  (data_valid),
    .data_ready_i,
    .data_o        (data),
    .events_o      (events)
  );

  // The ingress drops a frame; gather_accept has a verdict on one.
  logic drops, ends;
  assign drops = u_dut.u_ingress.drop_valid_o;
  assign ends  = u_dut.u_accept.fate_valid_o;

  always_ff @(posedge clk_i) begin
    // Both are reset.
    a_reset : assert (u_dut.u_ingress.rst_ni == rst_ni && u_dut.u_accept.rst_ni == rst_ni)
    else $error("reset");
    // Frames come into the ingress, and wait for it.
    a_frames : assert ({u_dut.u_ingress.s_axis_tvalid, u_dut.u_ingress.s_axis_tlast,
                        u_dut.u_ingress.s_axis_tuser} == {tvalid_i, tlast_i, tuser_i} &&
                       u_dut.u_ingress.s_axis_tdata == tdata_i &&
                       u_dut.u_ingress.s_axis_tkeep == tkeep_i &&
                       tready == u_dut.u_ingress.s_axis_tready)
    else $error("another frame");
    // It is one without notifications of a tree, and its descriptors never wait.
    a_plain : assert (!u_dut.u_ingress.notes_i && u_dut.u_ingress.desc_ready_i)
    else $error("descriptors wait");
    // Frames that are not dropped are looked at, and wait for that.
    a_looks : assert (u_dut.u_accept.beat_valid_i == u_dut.u_ingress.beat_valid_o &&
                      u_dut.u_accept.beat_i == u_dut.u_ingress.beat_o &&
                      u_dut.u_ingress.beat_ready_i == u_dut.u_accept.beat_ready_o)
    else $error("another beat");
    // By the settings.
    a_settings : assert ({u_dut.u_accept.own_only_i, u_dut.u_accept.own_node_i,
                          u_dut.u_accept.cacheable_i} == {own_only_i, own_node_i, cacheable_i})
    else $error("other settings");
    // Packets are what that hands on, and their beats go when they are taken.
    a_packets : assert ({packet_valid, packet} == {u_dut.u_accept.packet_valid_o,
                                                   u_dut.u_accept.packet_o} &&
                        {data_valid, data} == {u_dut.u_accept.data_valid_o,
                                               u_dut.u_accept.data_o} &&
                        u_dut.u_accept.data_ready_i == data_ready_i)
    else $error("another packet");

    // Each frame is counted as it comes in.
    a_rx : assert (events[PortRx] == u_dut.u_ingress.rx_o)
    else $error("a frame came in: %b", events[PortRx]);
    // One that is dropped as what it was dropped for.
    a_dropped : assert ({events[PortInError], events[PortOversize], events[PortBadIcrc]} ==
                        {drops && u_dut.u_ingress.drop_fate_o == FateFrameError,
                         drops && u_dut.u_ingress.drop_fate_o == FateOversize,
                         drops && u_dut.u_ingress.drop_fate_o == FateBadIcrc})
    else $error("fate %0d: %b", u_dut.u_ingress.drop_fate_o, events);
    // One that was looked at by its fate.
    a_taken : assert (events[PortTaken] == (ends && u_dut.u_accept.fate_o == GatherTaken))
    else $error("taken %b", events[PortTaken]);
    a_foreign : assert (events[PortForeign] == (ends && u_dut.u_accept.fate_o == GatherForeign) &&
                        events[PortBadType] == (ends && u_dut.u_accept.fate_o == GatherBadType))
    else $error("fate %0d: %b", u_dut.u_accept.fate_o, events);
    a_bad : assert (events[PortBadLength] == (ends && u_dut.u_accept.fate_o == GatherBadLength) &&
                    events[PortBadDest] == (ends && u_dut.u_accept.fate_o == GatherBadDest))
    else $error("fate %0d: %b", u_dut.u_accept.fate_o, events);

    // A frame is dropped as another one is refused.
    c_both : cover (events[PortBadIcrc] && events[PortBadDest]);
  end

endmodule
