// gather_nic whose units share reads: which wire goes where between units, server, network and
// host, and what is counted.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task): this holds
// whatever they do. They have proofs of their own, as gather_rig, gather_merge, gather_server,
// gather_host and gather_leave have.
module nic_wires_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter int unsigned NumNodes = 6,
  parameter int unsigned NumUnits = 3,
  localparam cfg_t Cfg = nic_cfg(NumNodes, NumUnits, 1500, 0, 0, 16, 8, 32, 8, 8, 256, 8, 8, 8, 8)
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input nic_settings_t           settings_i,
  input node_write_t             node_i,
  input first_write_t            first_i,
  input logic     [NumUnits-1:0] command_valid_i,
  input command_t [NumUnits-1:0] command_i,
  input logic     [NumUnits-1:0] done_ready_i,
  input host_rsp_t               host_i,
  input logic                    s_axis_tvalid,
  input logic [BeatBits-1:0]     s_axis_tdata,
  input logic [BeatBytes-1:0]    s_axis_tkeep,
  input logic                    s_axis_tlast,
  input logic [0:0]              s_axis_tuser,
  input logic                    m_axis_tready,
  input logic [Classes-1:0]      pause_i
);

  logic [NumUnits-1:0]                           command_ready, done_valid, done_failed;
  host_req_t                                     host;
  logic                                          s_axis_tready, m_axis_tvalid, m_axis_tlast, pause;
  logic [BeatBits-1:0]                           m_axis_tdata;
  logic [BeatBytes-1:0]                          m_axis_tkeep;
  stopped_obs_t                                  stopped;
  merge_obs_t                                    merge;
  logic [NumUnits-1:0][NumRigCounters-1:0][31:0] count_unit;
  logic [NumNicCounters-1:0][31:0]               count_port;

  gather_nic #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i,
    .node_i,
    .first_i,
    .command_valid_i,
    .command_ready_o(command_ready),
    .command_i,
    .done_valid_o   (done_valid),
    .done_ready_i,
    .done_failed_o  (done_failed),
    .host_o         (host),
    .host_i,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_reads_o  (pause),
    .pause_i,
    .stopped_o      (stopped),
    .merge_o        (merge),
    .count_unit_o   (count_unit),
    .count_port_o   (count_port)
  );

  // What comes in: a response for one of the units, a read of one of the nodes, or for nobody.
  pr_beat_t            in;
  logic                comes, response, read, stray;
  // A response as a unit gets it, and who takes his.
  pr_beat_t            to;
  logic [NumUnits-1:0] ready;
  logic                taken;
  assign in    = u_dut.u_arrive.pr_o;
  assign comes = u_dut.u_arrive.pr_valid_o;
  assign to    = u_dut.gen_merge.u_copy.pr_o;
  always_comb begin
    response = comes && in.pr.response && in.pr.tid < 16'(NumUnits);
    read     = comes && !in.pr.response && in.pr.src < 32'(NumNodes);
    stray    = comes && !response && !read;
    taken    = 1'b0;
    for (int unsigned u = 0; u < NumUnits; u++) if (32'(to.pr.tid) == u) taken = ready[u];
  end

  // What is counted of concatenation and of what comes in; and the rest.
  logic [NicLatest-1:0] events;
  concat_obs_t          closed;
  logic [7:0]           rest;
  assign closed = u_dut.u_leave.obs_o;
  always_comb begin
    events               = '0;
    for (int unsigned e = 0; e <= PortBadDest; e++) events[e] = u_dut.u_arrive.events_o[e];
    events[PortSent]     = u_dut.u_leave.sent_o;
    events[NicFull]      = closed.full;
    events[NicLate]      = closed.late;
    events[NicLength]    = closed.other_len;
    events[NicRoom]      = closed.for_room;
    events[NicStallPool] = closed.stall_pool;
    events[NicStallOut]  = closed.stall_out;
    events[NicServed]    = u_dut.u_reads.served_o;
    // For nobody, once each.
    events[NicNoUnit]    = stray && in.last;

    rest                                     = '0;
    rest[NicNotServed - NicNotServed]        = u_dut.u_reads.not_served_o;
    rest[NicNoRoom - NicNotServed]           = u_dut.u_reads.no_room_o;
    rest[NicStoppedReads - NicNotServed]     = u_dut.u_leave.gives_up_o[0];
    rest[NicStoppedResponses - NicNotServed] = u_dut.u_leave.gives_up_o[1];
    if (stopped.valid) begin
      rest[NicThrownReads - NicNotServed]     = !stopped.response;
      rest[NicThrownResponses - NicNotServed] = stopped.response;
    end
    rest[NicMerged - NicNotServed]           = u_dut.gen_merge.u_merge.merged_o;
    rest[NicCopied - NicNotServed]           = u_dut.gen_merge.u_copy.copied_o;
  end

  always_ff @(posedge clk_i) begin
    // Frames come in as they are, to this node.
    a_arrive : assert ({u_dut.u_arrive.s_axis_tvalid, u_dut.u_arrive.s_axis_tdata,
                        u_dut.u_arrive.s_axis_tkeep, u_dut.u_arrive.s_axis_tlast,
                        u_dut.u_arrive.s_axis_tuser, s_axis_tready, u_dut.u_arrive.own_node_i} ==
                       {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser,
                        u_dut.u_arrive.s_axis_tready, settings_i.own_node})
    else $error("frames");
    // Reads never wait, nor does what is for nobody; responses wait for the units' copies.
    a_takes : assert (!comes || u_dut.u_arrive.pr_ready_i ==
                      (response ? u_dut.gen_merge.u_copy.pr_ready_o : 1'b1))
    else $error("taken: %b", u_dut.u_arrive.pr_ready_i);
    // So it is also said while nothing comes.
    a_ready : assert (u_dut.u_arrive.pr_ready_i == (u_dut.gen_merge.u_copy.pr_ready_o ||
                      !in.pr.response || in.pr.tid >= 16'(NumUnits)))
    else $error("ready: %b", u_dut.u_arrive.pr_ready_i);
    // A response for a unit is copied for those that wait for it.
    a_brings : assert (u_dut.gen_merge.u_copy.pr_valid_i == response &&
                       u_dut.gen_merge.u_copy.pr_i == in &&
                       u_dut.gen_merge.u_copy.pr_ready_i == taken)
    else $error("brings: %b", u_dut.gen_merge.u_copy.pr_valid_i);
    // Who waits for it is looked up, and told in turn.
    a_looks : assert ({u_dut.gen_merge.u_merge.answer_valid_i, u_dut.gen_merge.u_merge.answer_i,
                       u_dut.gen_merge.u_merge.known_ready_i} ==
                      {u_dut.gen_merge.u_copy.look_valid_o, in.pr,
                       u_dut.gen_merge.u_copy.known_ready_o} &&
                      {u_dut.gen_merge.u_copy.look_ready_i, u_dut.gen_merge.u_copy.known_valid_i,
                       u_dut.gen_merge.u_copy.copies_i, u_dut.gen_merge.u_copy.ids_i} ==
                      {u_dut.gen_merge.u_merge.answer_ready_o,
                       u_dut.gen_merge.u_merge.known_valid_o, u_dut.gen_merge.u_merge.copies_o,
                       u_dut.gen_merge.u_merge.ids_o})
    else $error("looks");
    // A read of a node goes to those that wait for the server, with what is served.
    a_reads : assert (u_dut.u_reads.pr_valid_i == read && u_dut.u_reads.pr_i == in.pr &&
                      {u_dut.u_reads.serve_i, u_dut.u_reads.generation_i, pause} ==
                      {settings_i.serve, settings_i.generation, u_dut.u_reads.pause_o})
    else $error("reads: %b", u_dut.u_reads.pr_valid_i);
    a_served : assert ({u_dut.u_server.serve_i, u_dut.u_server.pr_valid_i, u_dut.u_server.pr_i,
                        u_dut.u_reads.read_ready_i} ==
                       {settings_i.serve, u_dut.u_reads.read_valid_o, u_dut.u_reads.read_o,
                        u_dut.u_server.pr_ready_o})
    else $error("served");
    // The server shares host memory with the units.
    a_server : assert ({u_dut.u_host.server_valid_i, u_dut.u_host.server_i,
                        u_dut.u_server.read_ready_i, u_dut.u_server.data_valid_i,
                        u_dut.u_server.data_i} ==
                       {u_dut.u_server.read_valid_o, u_dut.u_server.read_o,
                        u_dut.u_host.server_ready_o, u_dut.u_host.server_data_valid_o,
                        u_dut.u_host.server_data_o})
    else $error("the server");
    a_host : assert (host == u_dut.u_host.host_o && u_dut.u_host.host_i == host_i)
    else $error("the host");
    // What is left of the units' reads leaves, and the server's responses behind them.
    a_leave : assert ({u_dut.u_leave.pr_valid_i, u_dut.u_leave.read_i, u_dut.u_leave.response_i} ==
                      {u_dut.u_server.pr_valid_o, u_dut.gen_merge.u_merge.pr_valid_o,
                       u_dut.gen_merge.u_merge.pr_o, u_dut.u_server.pr_o} &&
                      {u_dut.u_server.pr_ready_i, u_dut.gen_merge.u_merge.pr_ready_i} ==
                      u_dut.u_leave.pr_ready_o)
    else $error("leaves");
    // Settings of what leaves.
    a_settings : assert ({u_dut.u_leave.node_i, u_dut.u_leave.own_i, u_dut.u_leave.pause_limit_i,
                          u_dut.u_leave.pause_i, u_dut.u_leave.m_axis_tready} ==
                         {node_i, settings_i.own, settings_i.pause_limit, pause_i, m_axis_tready} &&
                         16'(u_dut.u_leave.delay_i) == settings_i.delay % 16'd64 &&
                         u_dut.gen_merge.u_merge.enable_i == settings_i.merge)
    else $error("settings");
    // Frames leave as they are made, and what is thrown away is told; so is what units share.
    a_out : assert ({m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, stopped, merge} ==
                    {u_dut.u_leave.m_axis_tvalid, u_dut.u_leave.m_axis_tdata,
                     u_dut.u_leave.m_axis_tkeep, u_dut.u_leave.m_axis_tlast,
                     u_dut.u_leave.stopped_o, u_dut.gen_merge.u_merge.obs_o})
    else $error("out");
    // What is counted, in the order of nic_counter_e.
    a_events : assert (u_dut.u_tally.events_i == events && u_dut.u_latest.obs_i == closed)
    else $error("events %b", u_dut.u_tally.events_i);
    a_rest : assert (u_dut.u_rest.events_i == rest)
    else $error("events %b", u_dut.u_rest.events_i);
    a_counts : assert (count_port ==
                       {u_dut.u_rest.count_o, u_dut.u_latest.latest_o, u_dut.u_tally.count_o})
    else $error("counters");
    // All are reset together.
    a_reset : assert ({u_dut.u_arrive.rst_ni, u_dut.gen_merge.u_merge.rst_ni,
                       u_dut.gen_merge.u_copy.rst_ni, u_dut.u_reads.rst_ni, u_dut.u_server.rst_ni,
                       u_dut.u_host.rst_ni, u_dut.u_leave.rst_ni, u_dut.u_tally.rst_ni,
                       u_dut.u_latest.rst_ni, u_dut.u_rest.rst_ni} == {10{rst_ni}})
    else $error("reset");

    // A response for the last unit is taken while a read is for nobody.
    c_last : cover (rst_ni && taken && 32'(to.pr.tid) == NumUnits - 1 && stray);
  end

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    assign ready[u] = u_dut.gen_unit[u].u_rig.pr_ready_o;

    always_ff @(posedge clk_i) begin
      // A unit has its own command, and tells its own end.
      a_command : assert ({u_dut.gen_unit[u].u_rig.command_valid_i,
                           u_dut.gen_unit[u].u_rig.command_i,
                           u_dut.gen_unit[u].u_rig.done_ready_i, command_ready[u], done_valid[u],
                           done_failed[u]} ==
                          {command_valid_i[u], command_i[u], done_ready_i[u],
                           u_dut.gen_unit[u].u_rig.command_ready_o,
                           u_dut.gen_unit[u].u_rig.done_valid_o,
                           u_dut.gen_unit[u].u_rig.done_failed_o})
      else $error("unit %0d", u);
      // Its number is the tid; all know the settings and the partition.
      a_knows : assert ({u_dut.gen_unit[u].u_rig.own_node_i, u_dut.gen_unit[u].u_rig.tid_i,
                         u_dut.gen_unit[u].u_rig.timeout_i, u_dut.gen_unit[u].u_rig.generation_i,
                         u_dut.gen_unit[u].u_rig.first_we_i} ==
                        {settings_i.own_node, 16'(u), settings_i.timeout, settings_i.generation,
                         first_i.valid} &&
                        u_dut.gen_unit[u].u_rig.first_node_i == Cfg.NodeW'(first_i.node) &&
                        u_dut.gen_unit[u].u_rig.first_i == Cfg.IndexBits'(first_i.first) &&
                        u_dut.gen_unit[u].u_rig.rst_ni == rst_ni)
      else $error("unit %0d", u);
      // It shares the host's ports, and what it counts is shown.
      a_ports : assert (u_dut.u_host.unit_i[u] == u_dut.gen_unit[u].u_rig.host_o &&
                        u_dut.gen_unit[u].u_rig.host_i == u_dut.u_host.unit_o[u] &&
                        count_unit[u] == u_dut.gen_unit[u].u_rig.count_o)
      else $error("unit %0d", u);
      // Its reads are put together with those of others, by whether and in which gather it runs.
      a_asks : assert ({u_dut.gen_merge.u_merge.ask_valid_i[u], u_dut.gen_merge.u_merge.ask_i[u],
                        u_dut.gen_merge.u_merge.run_i[u], u_dut.gen_merge.u_merge.epoch_i[u],
                        u_dut.gen_unit[u].u_rig.pr_ready_i} ==
                       {u_dut.gen_unit[u].u_rig.pr_valid_o, u_dut.gen_unit[u].u_rig.pr_o,
                        u_dut.gen_unit[u].u_rig.run_o, u_dut.gen_unit[u].u_rig.epoch_o,
                        u_dut.gen_merge.u_merge.ask_ready_o[u]})
      else $error("unit %0d", u);
      // It gets the responses to it, and no other ones.
      a_gets : assert (u_dut.gen_unit[u].u_rig.pr_valid_i ==
                       (32'(to.pr.tid) == u ? u_dut.gen_merge.u_copy.pr_valid_o : 1'b0) &&
                       u_dut.gen_unit[u].u_rig.pr_i == to)
      else $error("unit %0d: %b", u, u_dut.gen_unit[u].u_rig.pr_valid_i);
    end
  end

endmodule
