// gather_pipe between its parts, at four ports: whose room is kept and given back, what those who
// choose packets and turn reads are told of it, and which way PRs and frames go. What the parts say
// is anything, in any cycle.
module pipe_rooms_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
(
  input logic                  clk_i,
  input logic                  rst_ni,
  input switch_settings_t      settings_i,
  input node_write_t           node_i,
  input logic   [7:0][1:0]     read_port_i,
  input logic   [7:0][1:0]     response_port_i,
  input logic   [7:0]          valid_i,
  input enter_t [7:0]          in_i,
  input logic   [3:0]          ask_i,
  input logic   [3:0]          ask_response_i,
  input logic   [1:0][3:0]     give_up_i,
  input logic   [1:0]          port_i   // any
);

  localparam cfg_t Cfg = switch_cfg(4, 1, 8, 1108, 1'b0, 64, 16, 6, 2, 40, 512, 512, 192);

  logic [7:0]      taken;
  logic [1:0][3:0] waits;
  logic [3:0]      asked;
  stopped_obs_t    stopped;
  logic            out_valid, split_now, not_turned, clearing;   // a PR comes in now
  beat_t           out;
  logic [1:0]      out_port;
  cache_obs_t      cache_obs;
  concat_obs_t     concat_obs;

  gather_pipe #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i,
    .node_i,
    .read_port_i,
    .response_port_i,
    .valid_i,
    .in_i,
    .taken_o     (taken),
    .waits_o     (waits),
    .ask_i,
    .ask_response_i,
    .asked_o     (asked),
    .give_up_i,
    .stopped_o   (stopped),
    .out_valid_o (out_valid),
    .out_o       (out),
    .out_port_o  (out_port),
    .cache_obs_o (cache_obs),
    .concat_obs_o(concat_obs),
    .pr_in_o     (split_now),
    .not_turned_o(not_turned),
    .clearing_o  (clearing)
  );

  // What the parts said one and two cycles ago: a packet was chosen, for how much of which queue; a
  // read may turn; how much of the port's queues was free.
  typedef struct packed {
    logic       run;      // it was no cycle of reset
    logic       enters;
    logic       response;
    logic [1:0] at;
    logic [8:0] kept;
    logic       keeps;
    logic [1:0] keep_at;
    logic [4:0] keep_beats;
    logic [9:0] reads, responses;
  } said_t;

  said_t      now, said_q, said2_q;
  logic [1:0] past_q;   // so many cycles have gone by
  logic [1:0] port_q;

  assign now = '{
    run: rst_ni,
    enters: u_dut.u_enter.enters_o,
    response: u_dut.u_enter.response_o,
    at: u_dut.u_enter.out_port_o,
    kept: u_dut.u_enter.kept_o,
    keeps: u_dut.u_turn.keep_o,
    keep_at: u_dut.u_turn.keep_port_o,
    keep_beats: u_dut.u_turn.keep_beats_o,
    reads: u_dut.u_room.room_o[{1'b0, port_i}],
    responses: u_dut.u_room.room_o[{1'b1, port_i}]
  };

  // Responses were given room at the port, one or two cycles ago.
  function automatic logic took(said_t said, logic [1:0] at);
    took = said.run && said.enters && said.response && said.at == at;
  endfunction

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[0], 1'b1};
    port_q  <= port_i;
    said_q  <= now;
    said2_q <= said_q;
  end

  always_ff @(posedge clk_i) begin
    // In the cycle behind, room is kept for the packet that was chosen or else for the read.
    a_keeps : assert (!past_q[0] || u_dut.u_room.keep_i ==
                      (said_q.run && (said_q.enters || said_q.keeps)))
    else $error("room is kept: %b", u_dut.u_room.keep_i);
    // A packet's is of its class where it leaves, and as much as it says.
    a_packet : assert (!past_q[0] || !said_q.enters ||
                       (u_dut.u_room.keep_queue_i == {said_q.response, said_q.at} &&
                        u_dut.u_room.keep_beats_i == said_q.kept))
    else $error("%0d beats of queue %0d", u_dut.u_room.keep_beats_i, u_dut.u_room.keep_queue_i);
    // A read's is of responses where its response would leave.
    a_read : assert (!past_q[0] || said_q.enters || !said_q.keeps ||
                     (u_dut.u_room.keep_queue_i == {1'b1, said_q.keep_at} &&
                      32'(u_dut.u_room.keep_beats_i) == 32'(said_q.keep_beats)))
    else $error("%0d beats of queue %0d", u_dut.u_room.keep_beats_i, u_dut.u_room.keep_queue_i);
    // What is given back is of the class that is told, at the port that is.
    a_back : assert (u_dut.u_room.turn_i == u_dut.u_turn.give_o &&
                     u_dut.u_room.turn_beats_i == u_dut.u_turn.give_beats_o &&
                     u_dut.u_room.turn_queue_i ==
                     {u_dut.u_turn.give_response_o, u_dut.u_turn.give_port_o})
    else $error("queue %0d is given room back", u_dut.u_room.turn_queue_i);
    if (past_q[0] && port_q == port_i) begin
      // A class is open at a port if a cycle ago the longest packet and what is kept unseen had
      // room.
      a_open : assert ({u_dut.u_enter.open_i[1][port_i], u_dut.u_enter.open_i[0][port_i]} ==
                       {said_q.run && 32'(said_q.responses) >= Cfg.MostKept + KeptUnseen,
                        said_q.run && 32'(said_q.reads) >= Cfg.MostKept + KeptUnseen})
      else $error("port %0d is open", port_i);
      // Reads may turn at a port if three of the longest responses had.
      a_turns : assert (u_dut.u_turn.open_i[port_i] == (said_q.run &&
                                                         32'(said_q.responses) >= 3 * MaxAlone))
      else $error("reads turn at port %0d", port_i);
    end
    // They do not for two cycles behind responses that were given room there.
    a_busy : assert (past_q != '1 || u_dut.u_turn.busy_i[port_i] == (said_q.run &&
                     (took(said_q, port_i) || took(said2_q, port_i))))
    else $error("port %0d is busy", port_i);
    // Whoever turns reads is told of each PR once, as it leaves the cache, and that one enters.
    a_seen : assert (u_dut.u_turn.back_i == (u_dut.u_cache.pr_valid_o && u_dut.u_send.pr_ready_o &&
                                             u_dut.u_cache.pr_o.first) &&
                     u_dut.u_turn.back_response_i == u_dut.u_cache.pr_o.pr.response &&
                     u_dut.u_turn.enters_i == u_dut.u_enter.enters_o)
    else $error("a PR leaves the cache: %b", u_dut.u_turn.back_i);
    // A PR is counted with its first beat, when that is taken.
    a_counts : assert (split_now == (u_dut.u_split.pr_valid_o && u_dut.u_turn.pr_ready_o &&
                                     u_dut.u_split.pr_o.first))
    else $error("a PR is counted: %b", split_now);

    // All parts are reset.
    a_reset : assert ({u_dut.u_room.rst_ni, u_dut.u_enter.rst_ni, u_dut.u_split.rst_ni,
                       u_dut.u_turn.rst_ni, u_dut.u_cache.rst_ni, u_dut.u_send.rst_ni,
                       u_dut.u_hold.rst_ni} == {7{rst_ni}})
    else $error("reset");
    // Beats at the ports enter by gather_enter alone, and it says which are taken.
    a_ports : assert (u_dut.u_enter.valid_i == valid_i && u_dut.u_enter.in_i == in_i &&
                      taken == u_dut.u_enter.taken_o)
    else $error("other beats are taken: %b", taken);
    // What has entered is split, a beat of data with the packet that it is of; and waits for that.
    a_splits : assert ({u_dut.u_split.packet_valid_i, u_dut.u_split.data_valid_i} ==
                       {2{u_dut.u_enter.packet_valid_o}} &&
                       u_dut.u_split.packet_i == u_dut.u_enter.packet_o &&
                       u_dut.u_split.data_i == u_dut.u_enter.data_o &&
                       u_dut.u_enter.data_ready_i == u_dut.u_split.data_ready_o)
    else $error("another packet is split");
    // PRs pass by who turns reads, then the cache, and then are concatenated; each waits for the
    // next one.
    a_to_turn : assert (u_dut.u_turn.pr_valid_i == u_dut.u_split.pr_valid_o &&
                        u_dut.u_turn.pr_i == u_dut.u_split.pr_o &&
                        u_dut.u_split.pr_ready_i == u_dut.u_turn.pr_ready_o)
    else $error("another PR turns");
    a_to_cache : assert (u_dut.u_cache.pr_valid_i == u_dut.u_turn.pr_valid_o &&
                         u_dut.u_cache.pr_i == u_dut.u_turn.pr_o &&
                         u_dut.u_turn.pr_ready_i == u_dut.u_cache.pr_ready_o)
    else $error("another PR looks");
    a_to_send : assert (u_dut.u_send.pr_valid_i == u_dut.u_cache.pr_valid_o &&
                        u_dut.u_send.pr_i == u_dut.u_cache.pr_o &&
                        u_dut.u_cache.pr_ready_i == u_dut.u_send.pr_ready_o)
    else $error("another PR is concatenated");
    // Frames with their tags are held, and never wait to be.
    a_to_hold : assert (u_dut.u_hold.in_valid_i == u_dut.u_send.out_valid_o &&
                        u_dut.u_hold.in_i == u_dut.u_send.out_o &&
                        u_dut.u_hold.in_tag_i == u_dut.u_send.out_tag_o &&
                        u_dut.u_send.out_ready_i)
    else $error("another frame is held");
    // Room is freed as frames are made and leave.
    a_frees : assert ({u_dut.u_room.made_i, u_dut.u_room.made_queue_i, u_dut.u_room.made_beats_i} ==
                      {u_dut.u_hold.made_o, u_dut.u_hold.made_queue_o, u_dut.u_hold.made_beats_o} &&
                      {u_dut.u_room.left_i, u_dut.u_room.left_queue_i} ==
                      {u_dut.u_hold.left_o, u_dut.u_hold.left_queue_o})
    else $error("queue %0d or %0d is freed", u_dut.u_room.made_queue_i, u_dut.u_room.left_queue_i);
    // Ports ask who holds frames, and see what it says.
    a_asks : assert ({u_dut.u_hold.ask_i, u_dut.u_hold.ask_response_i, u_dut.u_hold.give_up_i} ==
                     {ask_i, ask_response_i, give_up_i} &&
                     {waits, asked} == {u_dut.u_hold.waits_o, u_dut.u_hold.taken_o})
    else $error("waits %b, taken %b", waits, asked);
    a_leaves : assert ({out_valid, out, out_port} ==
                       {u_dut.u_hold.out_valid_o, u_dut.u_hold.out_o, u_dut.u_hold.out_port_o})
    else $error("another frame leaves by port %0d", out_port);

    // The cache keeps what its settings say, and who turns reads knows whether it is on.
    a_mode : assert ({u_dut.u_cache.enable_i, u_dut.u_cache.mode_i, u_dut.u_cache.generation_i,
                      u_dut.u_cache.len_i} == settings_i.cache &&
                     u_dut.u_cache.invalidate_i == settings_i.invalidate &&
                     u_dut.u_turn.enable_i == settings_i.cache.enable)
    else $error("generation %0d", u_dut.u_cache.generation_i);
    // PRs wait as long as the setting says, which has two bits fewer than the clock of expiry.
    // Frames go to the nodes of the table, from this device.
    a_sends : assert (u_dut.u_send.delay_i == settings_i.delay[3:0] &&
                      u_dut.u_send.node_i == node_i && u_dut.u_send.own_i == settings_i.own)
    else $error("PRs wait %0d cycles", u_dut.u_send.delay_i);
    // Nodes are behind the ports that the tables say, in each class.
    a_nodes : assert (u_dut.u_turn.read_port_i == read_port_i &&
                      u_dut.u_turn.response_port_i == response_port_i)
    else $error("other ports");
    // Who watches hears of each part from that part.
    a_obs : assert ({cache_obs, clearing} == {u_dut.u_cache.obs_o, u_dut.u_cache.clearing_o} &&
                    {concat_obs, stopped, not_turned} ==
                    {u_dut.u_send.obs_o, u_dut.u_hold.stopped_o, u_dut.u_turn.not_turned_o})
    else $error("another observation");

    // The last port has just room for a packet; both a packet and a read would keep some.
    c_open : cover (past_q[0] && port_q == 2'd3 && port_i == 2'd3 && said_q.run &&
                    32'(said_q.responses) == Cfg.MostKept + KeptUnseen);
    c_both : cover (past_q[0] && said_q.run && said_q.enters && said_q.keeps);
  end

endmodule
