// gather_leave: who may have a turn, what is concatenated, what room is kept for it, and which wire
// goes where between the steps.
//
// What the steps make of it is left out of the circuit and free (`cuts` of the task): this holds
// whatever they do. They have proofs of their own, as gather_turns, gather_room, gather_hold and
// gather_out have.
module nic_leave_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  parameter int unsigned Users = 3,
  localparam cfg_t Cfg = nic_cfg(8, 2, 1500, 0, 0, 16, 8, 32, 8, 8, 256, 8, 8, 8, 0)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Cfg.ClockW-3:0] delay_i,
  input node_write_t           node_i,
  input address_t              own_i,
  input logic [31:0]           pause_limit_i,
  input logic [Users-1:0]      pr_valid_i,
  input pr_t  [Users-2:0]      read_i,
  input pr_beat_t              response_i,
  input logic                  m_axis_tready,
  input logic [Classes-1:0]    pause_i
);

  logic [Users-1:0]     pr_ready;
  logic                 m_axis_tvalid, m_axis_tlast, sent;
  logic [BeatBits-1:0]  m_axis_tdata;
  logic [BeatBytes-1:0] m_axis_tkeep;
  concat_obs_t          obs;
  stopped_obs_t         stopped;
  logic [Classes-1:0]   gives_up;

  gather_leave #(
    .Cfg  (Cfg),
    .Users(Users)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i,
    .node_i,
    .own_i,
    .pause_limit_i,
    .pr_valid_i,
    .pr_ready_o(pr_ready),
    .read_i,
    .response_i,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_i,
    .obs_o     (obs),
    .sent_o    (sent),
    .stopped_o (stopped),
    .gives_up_o(gives_up)
  );

  localparam int unsigned Server = Users - 1;
  logic [Users-1:0] turn;
  logic             ready, asks, serves;   // one asks in its turn; the turn is the server's
  assign turn   = u_dut.u_turns.turn_o;
  assign ready  = u_dut.u_send.pr_ready_o;
  assign serves = turn[Server];
  assign asks   = (turn & pr_valid_i) != '0;

  // The class of a turn has room for five PRs as long as can be: 18 beats each, headers and all.
  // That was so a cycle ago.
  logic       past_q, two_q;
  logic [1:0] may_q;
  initial {past_q, two_q} = '0;
  // What was taken: a PR that begins, of which class and length.
  logic        begins_q, response_q, keeps_q, keeps_response_q;
  logic [10:0] len_q, keeps_len_q;
  always_ff @(posedge clk_i) begin
    {past_q, two_q} <= {1'b1, past_q};
    for (int unsigned c = 0; c < 2; c++) may_q[c] <= 32'(u_dut.u_room.room_o[c]) > 89 && rst_ni;
    begins_q   <= rst_ni && asks && ready && (serves ? response_i.first : 1'b1);
    response_q <= serves;
    len_q      <= 11'(u_dut.u_pr.out_o);
    {keeps_q, keeps_response_q, keeps_len_q} <= {begins_q && rst_ni, response_q, len_q};
  end

  always_ff @(posedge clk_i) begin
    // Whose turn it is is picked of all, the server's responses last, and concatenated.
    a_picked : assert (u_dut.u_pr.in_i == {response_i.pr, read_i} && u_dut.u_pr.select_i == turn)
    else $error("another PR");
    a_sends : assert (u_dut.u_send.pr_valid_i == asks &&
                      u_dut.u_send.pr_i == pr_beat_t'{
      pr: u_dut.u_pr.out_o,
      // Reads are of one beat and bring nothing.
      first: serves ? response_i.first : 1'b1,
      last: serves ? response_i.last : 1'b1,
      data: serves ? response_i.data : BeatBits'(0)
    })
    else $error("sends: %b", u_dut.u_send.pr_valid_i);
    // It is taken when concatenation takes it; a turn ends with a PR's last beat.
    a_taken : assert (pr_ready == (turn & {Users{ready}}) && u_dut.u_turns.ready_i == ready &&
                      u_dut.u_turns.last_i == !(serves && !response_i.last) &&
                      u_dut.u_turns.valid_i == pr_valid_i)
    else $error("taken: %b", pr_ready);
    // Concatenation has its settings, and frames go on to their queues as they come.
    a_settings : assert ({u_dut.u_send.delay_i, u_dut.u_send.node_i, u_dut.u_send.own_i} ==
                         {delay_i, node_i, own_i} && u_dut.u_send.out_ready_i)
    else $error("settings");
    a_frames : assert ({u_dut.u_hold.in_valid_i, u_dut.u_hold.in_i, u_dut.u_hold.in_tag_i} ==
                       {u_dut.u_send.out_valid_o, u_dut.u_send.out_o, u_dut.u_send.out_tag_o})
    else $error("frames");
    // The port asks for a frame of those that wait, and gets its beats.
    a_asks : assert ({u_dut.u_hold.ask_i, u_dut.u_hold.ask_response_i, u_dut.u_hold.give_up_i} ==
                     {u_dut.u_out.ask_o, u_dut.u_out.ask_response_o, u_dut.u_out.give_up_o} &&
                     {u_dut.u_out.waits_i, u_dut.u_out.taken_i, u_dut.u_out.in_valid_i,
                      u_dut.u_out.in_i} == {u_dut.u_hold.waits_o, u_dut.u_hold.taken_o,
                      u_dut.u_hold.out_valid_o, u_dut.u_hold.out_o})
    else $error("asks: %b", u_dut.u_hold.ask_i);
    // The network says what it wants no more of, and how long is waited for it.
    a_pause : assert ({u_dut.u_out.pause_i, u_dut.u_out.pause_limit_i, u_dut.u_out.m_axis_tready} ==
                      {pause_i, pause_limit_i, m_axis_tready})
    else $error("pause");
    // Room that a frame did not need comes back when it was made, and that of a beat when it left.
    a_back : assert ({u_dut.u_room.made_i, u_dut.u_room.made_queue_i, u_dut.u_room.made_beats_i,
                      u_dut.u_room.left_i, u_dut.u_room.left_queue_i} ==
                     {u_dut.u_hold.made_o, u_dut.u_hold.made_queue_o, u_dut.u_hold.made_beats_o,
                      u_dut.u_hold.left_o, u_dut.u_hold.left_queue_o} && !u_dut.u_room.turn_i)
    else $error("back");
    // What leaves is what the port shows; a frame has left with its last beat.
    a_out : assert ({m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast} ==
                    {u_dut.u_out.m_axis_tvalid, u_dut.u_out.m_axis_tdata, u_dut.u_out.m_axis_tkeep,
                     u_dut.u_out.m_axis_tlast} &&
                    sent == (m_axis_tlast && m_axis_tready && m_axis_tvalid))
    else $error("out");
    // What is told is what the steps tell.
    a_told : assert ({obs, stopped, gives_up} ==
                     {u_dut.u_send.obs_o, u_dut.u_hold.stopped_o, u_dut.u_out.gives_up_o})
    else $error("told");
    // All are reset together.
    a_reset : assert ({u_dut.u_turns.rst_ni, u_dut.u_room.rst_ni, u_dut.u_send.rst_ni,
                       u_dut.u_hold.rst_ni, u_dut.u_out.rst_ni} == {5{rst_ni}})
    else $error("reset");
    if (past_q) begin
      // Who has a PR may have a turn while there is room for its class: reads of units, responses
      // of the server.
      a_may : assert (u_dut.u_turns.request_i == {may_q[1] ? pr_valid_i[Server] : 1'b0,
                      may_q[0] ? pr_valid_i[Server-1:0] : Server'(0)})
      else $error("may: %b", u_dut.u_turns.request_i);
      // Two cycles behind it room is kept for a PR: as many beats as its frame has if it is alone,
      // headers, 34 bytes around its property, and that (as far as five bits tell); of its class.
      a_keep : assert (!two_q || (u_dut.u_room.keep_i == keeps_q &&
                       u_dut.u_room.keep_queue_i == keeps_response_q &&
                       u_dut.u_room.keep_beats_i ==
                       9'(5'(2 + (34 + (keeps_response_q ? 32'(keeps_len_q) : 0)) / 64))))
      else $error("%0d beats are kept: %b", u_dut.u_room.keep_beats_i, u_dut.u_room.keep_i);
      // These help the proof.
      a_begins : assert ({u_dut.begins_q, u_dut.response_q, u_dut.len_q} ==
                         {begins_q, response_q, len_q})
      else $error("begins %b", u_dut.begins_q);

      // A response is chosen beside a read that may not.
      c_beside : cover (rst_ni && u_dut.u_turns.request_i[Server] && pr_valid_i == '1 &&
                        !u_dut.u_turns.request_i[0]);
    end
  end

endmodule
