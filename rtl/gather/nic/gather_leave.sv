// PRs of a network interface to frames: those of the server and of RIG units in turn, put into
// packets.
//
// Reads and responses are two classes with frames in queues of their own. A PR comes in when there
// is room for it where it leaves, as if it left alone; so none stands in the way of the other
// class.
//
// Who waits: PRs for each other, for concatenation, and for the network to take frames of their
// class, no longer than the pause watchdog allows (gather_out).
module gather_leave
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The network interface's sizes.
  parameter cfg_t Cfg,
  /// Senders of PRs: one unit or more, then the server.
  parameter int unsigned Users = 3
) (
  input logic clk_i,
  input logic rst_ni,

  // As gather_send has them.
  input logic [Cfg.ClockW-3:0] delay_i,
  input node_write_t           node_i,
  input address_t              own_i,
  // Cycles that a class may wait for the network, 0: for ever. Then what waits is thrown away until
  // the network takes again.
  input logic [31:0]           pause_limit_i,

  // PRs of the senders. The arbiter's grant lasts to the end of a PR.
  input  logic [Users-1:0]     pr_valid_i,
  output logic [Users-1:0]     pr_ready_o,
  input  pr_beat_t [Users-1:0] pr_i,

  // Frames without FCS.
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  // By class, levels: the network wants no more of it.
  input  logic [Classes-1:0]   pause_i,

  // Observation only: of concatenation; a frame has left, one is thrown away; by class, it is given
  // up.
  output concat_obs_t        obs_o,
  output logic               sent_o,
  output stopped_obs_t       stopped_o,
  output logic [Classes-1:0] gives_up_o
);

  localparam int unsigned UserW = $clog2(Users);

  localparam int unsigned RoomW = $clog2(Cfg.HoldBeats + 1);

  logic                         valid, ready, keeps, made, made_queue, left, left_queue;
  logic [UserW-1:0]             from;
  logic [Users-1:0]             request, inside_q;
  logic [Classes-1:0]           open_q;
  logic [Classes-1:0][RoomW-1:0] room;
  logic [8:0]                   made_beats;
  logic                         frame_valid;
  beat_t                        frame;
  frame_tag_t                   tag;
  // verilator lint_off UNUSEDSIGNAL
  logic                         idle;
  // verilator lint_on UNUSEDSIGNAL

  // What the PR in front has taken is not seen yet.
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) open_q[c] <= 32'(room[c]) >= 2 * MaxAlone;
    if (!rst_ni) open_q <= '0;
  end

  // A PR that has begun goes on; the server is the last one.
  always_comb begin
    for (int unsigned u = 0; u < Users; u++) begin
      request[u] = pr_valid_i[u] && (open_q[32'(u) == Users - 1] || inside_q[u]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned u = 0; u < Users; u++) begin
      if (valid && from == UserW'(u)) inside_q[u] <= !(ready && pr_i[u].last);
    end
    if (!rst_ni) inside_q <= '0;
  end

  gather_turns #(
    .NumUnits(Users - 1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .request_i(request),
    .valid_o  (valid),
    .from_o   (from),
    .ready_i  (ready),
    .last_i   (pr_i[from].last)
  );

  assign keeps = valid && ready && pr_i[from].first;

  gather_room #(
    .Queues(Classes),
    .Beats (Cfg.HoldBeats)
  ) u_room (
    .clk_i,
    .rst_ni,
    .keep_i      (keeps),
    .keep_queue_i(pr_i[from].pr.response),
    .keep_beats_i(9'(alone_beats(pr_i[from].pr.response, pr_i[from].pr.len))),
    .turn_i      (1'b0),
    .turn_queue_i('0),
    .turn_beats_i('0),
    .made_i      (made),
    .made_queue_i(made_queue),
    .made_beats_i(made_beats),
    .left_i      (left),
    .left_queue_i(left_queue),
    .room_o      (room)
  );

  always_comb begin
    for (int unsigned u = 0; u < Users; u++) pr_ready_o[u] = ready && valid && from == UserW'(u);
  end

  gather_send #(
    .Cfg(Cfg)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i,
    .node_i,
    .own_i,
    .pr_valid_i (valid),
    .pr_ready_o (ready),
    .pr_i       (pr_i[from]),
    .out_valid_o(frame_valid),
    .out_ready_i(1'b1),
    .out_o      (frame),
    .out_tag_o  (tag),
    .obs_o,
    .idle_o     (idle)
  );

  logic [Classes-1:0] waits, give_up;
  logic               ask, ask_response, asked, out_valid;
  beat_t              out;
  // verilator lint_off UNUSEDSIGNAL
  logic               out_port;
  // verilator lint_on UNUSEDSIGNAL

  gather_hold #(
    .NumPorts(1),
    .Beats   (Cfg.HoldBeats)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .in_valid_i    (frame_valid),
    .in_i          (frame),
    .in_tag_i      (tag),
    .waits_o       (waits),
    .ask_i         (ask),
    .ask_response_i(ask_response),
    .taken_o       (asked),
    .give_up_i     (give_up),
    .stopped_o     (stopped_o),
    .out_valid_o   (out_valid),
    .out_o         (out),
    .out_port_o    (out_port),
    .made_o        (made),
    .made_queue_o  (made_queue),
    .made_beats_o  (made_beats),
    .left_o        (left),
    .left_queue_o  (left_queue)
  );

  gather_out #(
    .NumPipes(1),
    .MaxBeats(Cfg.MaxFrameBeats)
  ) u_out (
    .clk_i,
    .rst_ni,
    .pause_limit_i,
    .pause_i,
    .waits_i       (waits),
    .ask_o         (ask),
    .ask_response_o(ask_response),
    .taken_i       (asked),
    .give_up_o     (give_up),
    .in_valid_i    (out_valid),
    .in_i          (out),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .gives_up_o
  );

  assign sent_o = m_axis_tvalid && m_axis_tready && m_axis_tlast;

endmodule
