// gather_pipe between its parts, at four ports: whose room is kept and given back, and what those
// who choose packets and turn reads are told of it. What the parts say is anything, in any cycle.
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

  logic split_now;   // the first beat of a PR comes in

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
    .taken_o     (),
    .waits_o     (),
    .ask_i,
    .ask_response_i,
    .asked_o     (),
    .give_up_i,
    .stopped_o   (),
    .out_valid_o (),
    .out_o       (),
    .out_port_o  (),
    .cache_obs_o (),
    .concat_obs_o(),
    .pr_in_o     (split_now),
    .not_turned_o(),
    .clearing_o  ()
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

    // The last port has just room for a packet; both a packet and a read would keep some.
    c_open : cover (past_q[0] && port_q == 2'd3 && port_i == 2'd3 && said_q.run &&
                    32'(said_q.responses) == Cfg.MostKept + KeptUnseen);
    c_both : cover (past_q[0] && said_q.run && said_q.enters && said_q.keeps);
  end

endmodule
