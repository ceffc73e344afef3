// gather_switch between its parts, with four ports and two pipes: which way packets and frames go,
// where nodes are, and what is counted as what. What the parts say is anything, in any cycle.
module gather_switch_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
(
  input logic                      clk_i,
  input logic                      rst_ni,
  input switch_settings_t          settings_i,
  input node_write_t               node_i,
  input logic [3:0]                tvalid_i,
  input logic [3:0][BeatBits-1:0]  tdata_i,
  input logic [3:0][BeatBytes-1:0] tkeep_i,
  input logic [3:0]                tlast_i,
  input logic [3:0]                tuser_i,
  input logic [3:0]                tready_i,
  input logic [3:0][1:0]           pause_i,
  input logic [2:0]                at_i   // any node
);

  localparam cfg_t Cfg = switch_cfg(4, 2, 8, 1108, 1'b0, 64, 16, 6, 2, 40, 512, 512, 192);

  logic [3:0]                             in_ready, tvalid, tlast;
  logic [3:0][BeatBits-1:0]               tdata;
  logic [3:0][BeatBytes-1:0]              tkeep;
  logic [3:0][1:0]                        pause;
  cache_obs_t   [1:0]                     obs;
  stopped_obs_t [1:0]                     stopped;
  logic [3:0][NumPortCounters-1:0][31:0]  count_port;
  logic [1:0][NumPipeCounters-1:0][31:0]  count_pipe;
  logic                                   clearing;

  gather_switch #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i,
    .node_i,
    .s_axis_tvalid(tvalid_i),
    .s_axis_tready(in_ready),
    .s_axis_tdata (tdata_i),
    .s_axis_tkeep (tkeep_i),
    .s_axis_tlast (tlast_i),
    .s_axis_tuser (tuser_i),
    .m_axis_tvalid(tvalid),
    .m_axis_tready(tready_i),
    .m_axis_tdata (tdata),
    .m_axis_tkeep (tkeep),
    .m_axis_tlast (tlast),
    .pause_o      (pause),
    .pause_i,
    .obs_o        (obs),
    .stopped_o    (stopped),
    .count_port_o (count_port),
    .count_pipe_o (count_pipe),
    .clearing_o   (clearing)
  );

  // What the pipes say, and where they are told that nodes are: for reads, for responses.
  logic  [1:0]           out_valid, pipe_clearing;
  beat_t [1:0]           out;
  logic  [1:0][1:0]      out_port;
  logic  [1:0][7:0]      taken;
  logic  [1:0][7:0][1:0] reads, responses;

  // A cycle ago: the same tables, and what was written to them.
  logic                  past_q;
  logic  [7:0][1:0]      reads_q;
  logic  [1:0][7:0][1:0] responses_q;
  node_write_t           node_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    reads_q     <= reads[0];
    responses_q <= responses;
    node_q      <= node_i;
  end
  logic writes;   // node `at_i` is
  assign writes = node_q.valid && node_q.node[2:0] == at_i;

  always_ff @(posedge clk_i) begin
    // Reads to a node leave by the port that was written for them last, of any pipe.
    a_reads : assert (!past_q || (reads[1] == reads[0] && reads[0][at_i] ==
                      ((writes && node_q.reads) ? node_q.out_port[1:0] : reads_q[at_i])))
    else $error("node %0d is behind port %0d", at_i, reads[0][at_i]);
    // The caches are cleared while one of them is.
    a_clearing : assert (clearing == (pipe_clearing[0] || pipe_clearing[1]))
    else $error("clearing %b", clearing);
  end

  for (genvar m = 0; m < 2; m++) begin : gen_pipe
    assign out_valid[m]     = u_dut.gen_pipe[m].u_pipe.out_valid_o;
    assign out[m]           = u_dut.gen_pipe[m].u_pipe.out_o;
    assign out_port[m]      = u_dut.gen_pipe[m].u_pipe.out_port_o;
    assign taken[m]         = u_dut.gen_pipe[m].u_pipe.taken_o;
    assign pipe_clearing[m] = u_dut.gen_pipe[m].u_pipe.clearing_o;
    assign reads[m]         = u_dut.gen_pipe[m].u_pipe.read_port_i;
    assign responses[m]     = u_dut.gen_pipe[m].u_pipe.response_port_i;

    concat_obs_t           concat;
    logic [PipeLatest-1:0] events;
    assign concat = u_dut.gen_pipe[m].u_pipe.concat_obs_o;
    assign events = u_dut.gen_pipe[m].u_tally.events_i;

    always_ff @(posedge clk_i) begin
      // Responses leave by the one that was written last for this pipe's.
      a_responses : assert (!past_q || responses[m][at_i] ==
                            ((writes && node_q.pipes[m]) ? node_q.out_port[1:0] :
                             responses_q[m][at_i]))
      else $error("node %0d is behind port %0d", at_i, responses[m][at_i]);
      // Each pipe is reset, set up, and told of nodes.
      a_set_up : assert ({u_dut.gen_pipe[m].u_pipe.rst_ni, u_dut.gen_pipe[m].u_tally.rst_ni,
                          u_dut.gen_pipe[m].u_latest.rst_ni} == {3{rst_ni}} &&
                         u_dut.gen_pipe[m].u_pipe.settings_i == settings_i &&
                         u_dut.gen_pipe[m].u_pipe.node_i == node_i)
      else $error("pipe %0d", m);
      // Who watches sees what it says.
      a_obs : assert (obs[m] == u_dut.gen_pipe[m].u_pipe.cache_obs_o &&
                      stopped[m] == u_dut.gen_pipe[m].u_pipe.stopped_o &&
                      u_dut.gen_pipe[m].u_latest.obs_i == concat)
      else $error("pipe %0d", m);
      // Its counters are in their places.
      a_counts : assert (count_pipe[m] == {u_dut.gen_pipe[m].u_latest.latest_o,
                                           u_dut.gen_pipe[m].u_tally.count_o})
      else $error("pipe %0d", m);
      // A read that hits is counted, and a response that is kept, and one that goes for it.
      a_cache : assert ({events[PipeHits], events[PipeInserted], events[PipeEvicted]} ==
                        (obs[m].valid ? {!obs[m].response && obs[m].hit, obs[m].insert,
                                         obs[m].evict} : 3'd0))
      else $error("pipe %0d: %b", m, events);
      // A PR that comes in, and one that may not turn for want of room.
      a_prs : assert ({events[PipePrs], events[PipeNotTurned]} ==
                      {u_dut.gen_pipe[m].u_pipe.pr_in_o, u_dut.gen_pipe[m].u_pipe.not_turned_o})
      else $error("pipe %0d: %b", m, events);
      // Why packets are closed, and cycles in which PRs wait.
      a_closed : assert ({events[PipeFull], events[PipeLate], events[PipeLength],
                          events[PipeRoom]} ==
                         {concat.full, concat.late, concat.other_len, concat.for_room} &&
                         {events[PipeStallPool], events[PipeStallOut]} ==
                         {concat.stall_pool, concat.stall_out})
      else $error("pipe %0d: %b", m, events);
      // A frame that is thrown away, by its class.
      a_thrown : assert ({events[PipeThrownResponses], events[PipeThrownReads]} ==
                         (!stopped[m].valid ? 2'b00 : stopped[m].response ? 2'b10 : 2'b01))
      else $error("pipe %0d: %b", m, events);
    end
  end

  for (genvar p = 0; p < 4; p++) begin : gen_port
    // Of the packet that this port looked up a cycle ago, and where it goes.
    packet_t        look;
    logic           response_q;
    logic [2:0]     to_q;
    logic [1:0]     comes, out_at;
    logic [13:0]    events;
    beat_t          beat;
    enter_t [1:0]   queue;
    assign look   = u_dut.gen_port[p].u_classes.look_o;
    assign events = u_dut.gen_port[p].u_tally.events_i;
    assign beat   = u_dut.gen_out[p].u_out.in_i;
    assign queue  = u_dut.gen_port[p].u_classes.out_o;
    assign comes  = {out_valid[1] && out_port[1] == 2'(p), out_valid[0] && out_port[0] == 2'(p)};
    always_ff @(posedge clk_i) begin
      response_q <= look.response;
      to_q       <= look.dest[2:0];
    end
    // Ports 0 and 1 belong to pipe 0, the others to pipe 1.
    assign out_at = response_q ? responses_q[p/2][to_q] : reads_q[to_q];

    always_ff @(posedge clk_i) begin
      // All parts of a port are reset.
      a_reset : assert ({u_dut.gen_port[p].u_receive.rst_ni, u_dut.gen_port[p].u_classes.rst_ni,
                         u_dut.gen_port[p].u_tally.rst_ni, u_dut.gen_out[p].u_out.rst_ni} ==
                        {4{rst_ni}})
      else $error("port %0d", p);
      // Its frames are received as they come.
      a_receives : assert ({u_dut.gen_port[p].u_receive.s_axis_tvalid,
                            u_dut.gen_port[p].u_receive.s_axis_tlast,
                            u_dut.gen_port[p].u_receive.s_axis_tuser} ==
                           {tvalid_i[p], tlast_i[p], tuser_i[p]} &&
                           u_dut.gen_port[p].u_receive.s_axis_tdata == tdata_i[p] &&
                           u_dut.gen_port[p].u_receive.s_axis_tkeep == tkeep_i[p] &&
                           in_ready[p] == u_dut.gen_port[p].u_receive.s_axis_tready)
      else $error("port %0d", p);
      // To any node, and never refused behind that; its setting says whether responses are kept.
      a_any : assert (!u_dut.gen_port[p].u_receive.own_only_i &&
                      u_dut.gen_port[p].u_receive.own_node_i == 32'd0 &&
                      u_dut.gen_port[p].u_receive.data_ready_i &&
                      u_dut.gen_port[p].u_receive.cacheable_i == settings_i.cache_ports[p])
      else $error("port %0d", p);
      // A beat of a packet waits by its class.
      a_queues : assert (u_dut.gen_port[p].u_classes.valid_i ==
                         (u_dut.gen_port[p].u_receive.packet_valid_o &&
                          u_dut.gen_port[p].u_receive.data_valid_o) &&
                         u_dut.gen_port[p].u_classes.packet_i ==
                         u_dut.gen_port[p].u_receive.packet_o &&
                         u_dut.gen_port[p].u_classes.data_i == u_dut.gen_port[p].u_receive.data_o)
      else $error("port %0d", p);
      // A packet leaves where its node is; a response in its port's own pipe, a read in the pipe of
      // the port that it leaves by.
      a_goes : assert (!past_q || (32'(u_dut.gen_port[p].u_classes.out_port_i) == 32'(out_at) &&
                       32'(u_dut.gen_port[p].u_classes.target_i) ==
                       (response_q ? p / 2 : 32'(out_at) / 2)))
      else $error("port %0d: to port %0d", p, out_at);
      // Both queues wait at all pipes, and go when one of them takes.
      a_waits : assert ({u_dut.gen_pipe[0].u_pipe.valid_i[4+p],
                         u_dut.gen_pipe[0].u_pipe.valid_i[p]} ==
                        u_dut.gen_port[p].u_classes.valid_o &&
                        {u_dut.gen_pipe[1].u_pipe.valid_i[4+p],
                         u_dut.gen_pipe[1].u_pipe.valid_i[p]} ==
                        u_dut.gen_port[p].u_classes.valid_o)
      else $error("port %0d", p);
      a_read_beat : assert (u_dut.gen_pipe[0].u_pipe.in_i[p] == queue[0] &&
                            u_dut.gen_pipe[1].u_pipe.in_i[p] == queue[0])
      else $error("port %0d", p);
      a_response_beat : assert (u_dut.gen_pipe[0].u_pipe.in_i[4+p] == queue[1] &&
                                u_dut.gen_pipe[1].u_pipe.in_i[4+p] == queue[1])
      else $error("port %0d", p);
      a_goes_on : assert (u_dut.gen_port[p].u_classes.ready_i ==
                          {taken[0][4+p] || taken[1][4+p], taken[0][p] || taken[1][p]})
      else $error("port %0d", p);

      // The port's way out sees what waits for it in each pipe and class, and its limit.
      a_sees : assert (u_dut.gen_out[p].u_out.waits_i ==
                       {u_dut.gen_pipe[1].u_pipe.waits_o[1][p],
                        u_dut.gen_pipe[1].u_pipe.waits_o[0][p],
                        u_dut.gen_pipe[0].u_pipe.waits_o[1][p],
                        u_dut.gen_pipe[0].u_pipe.waits_o[0][p]} &&
                       u_dut.gen_out[p].u_out.taken_i == {u_dut.gen_pipe[1].u_pipe.asked_o[p],
                                                          u_dut.gen_pipe[0].u_pipe.asked_o[p]} &&
                       u_dut.gen_out[p].u_out.pause_limit_i == settings_i.pause_limit &&
                       u_dut.gen_out[p].u_out.pause_i == pause_i[p])
      else $error("port %0d", p);
      // It asks each pipe for itself, and all of them for one class; all are told what it gives up.
      a_asks : assert ({u_dut.gen_pipe[1].u_pipe.ask_i[p], u_dut.gen_pipe[0].u_pipe.ask_i[p]} ==
                       u_dut.gen_out[p].u_out.ask_o &&
                       {u_dut.gen_pipe[1].u_pipe.ask_response_i[p],
                        u_dut.gen_pipe[0].u_pipe.ask_response_i[p]} ==
                       {2{u_dut.gen_out[p].u_out.ask_response_o}})
      else $error("port %0d", p);
      a_gives_up : assert ({u_dut.gen_pipe[1].u_pipe.give_up_i[1][p],
                            u_dut.gen_pipe[1].u_pipe.give_up_i[0][p],
                            u_dut.gen_pipe[0].u_pipe.give_up_i[1][p],
                            u_dut.gen_pipe[0].u_pipe.give_up_i[0][p]} ==
                           {2{u_dut.gen_out[p].u_out.give_up_o}})
      else $error("port %0d", p);
      // A beat comes for it when a pipe says so; that one's, and of two all that they say, as one
      // was asked.
      a_comes : assert (u_dut.gen_out[p].u_out.in_valid_i == (comes[0] || comes[1]))
      else $error("port %0d", p);
      a_beat : assert ((beat == out[0] || comes != 2'b01) && (beat == out[1] || comes != 2'b10) &&
                       (beat == '0 || comes != 2'b00) &&
                       (beat == (out[0] | out[1]) || comes != 2'b11))
      else $error("port %0d", p);
      // Its frames leave.
      a_leaves : assert ({tvalid[p], tlast[p]} == {u_dut.gen_out[p].u_out.m_axis_tvalid,
                                                   u_dut.gen_out[p].u_out.m_axis_tlast} &&
                         tdata[p] == u_dut.gen_out[p].u_out.m_axis_tdata &&
                         tkeep[p] == u_dut.gen_out[p].u_out.m_axis_tkeep &&
                         u_dut.gen_out[p].u_out.m_axis_tready == tready_i[p] &&
                         pause[p] == u_dut.gen_port[p].u_classes.pause_o)
      else $error("port %0d", p);
      // What it receives is counted, frames that have left, packets for which there was no room,
      // and classes that are given up, each in its place.
      a_counts : assert (events == {u_dut.gen_out[p].u_out.gives_up_o,
                                    u_dut.gen_port[p].u_classes.no_room_o,
                                    tvalid[p] && tlast[p] && tready_i[p],
                                    u_dut.gen_port[p].u_receive.events_o} &&
                         count_port[p] == u_dut.gen_port[p].u_tally.count_o)
      else $error("port %0d", p);

      // A response of its own pipe leaves by it as a read of the other one is looked up.
      c_leaves : cover (past_q && comes == 2'b01 && !response_q && out_at == 2'd3 &&
                        events[PortSent]);
    end
  end

endmodule
