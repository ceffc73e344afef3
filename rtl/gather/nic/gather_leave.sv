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

  // PRs: reads of the other senders, of one beat each, and the server's responses, which are last.
  input  logic [Users-1:0] pr_valid_i,
  output logic [Users-1:0] pr_ready_o,
  input  pr_t  [Users-2:0] read_i,
  input  pr_beat_t         response_i,

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

  localparam int unsigned RoomW = $clog2(Cfg.HoldBeats + 1);
  /// PRs, the one that is chosen among them, that have not taken their room when it is looked at.
  localparam int unsigned Unseen = 5;

  logic                          ready, taken, made, made_queue, left, left_queue;
  logic [Users-1:0]              request, turn;
  pr_beat_t                      pr;
  logic [Classes-1:0]            open_q;
  logic [Classes-1:0][RoomW-1:0] room;
  logic [8:0]                    made_beats;
  logic                          frame_valid;
  beat_t                         frame;
  frame_tag_t                    tag;
  // verilator lint_off UNUSEDSIGNAL
  logic                          idle;
  // verilator lint_on UNUSEDSIGNAL

  // ---------------------------------------------------------------------------------------------
  // One is chosen for whose class there is room; it goes to concatenation; then its room is kept.

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) open_q[c] <= 32'(room[c]) >= Unseen * MaxAlone;
    if (!rst_ni) open_q <= '0;
  end

  always_comb begin
    for (int unsigned u = 0; u < Users; u++) begin
      request[u] = pr_valid_i[u] && open_q[32'(u) == Users - 1];
    end
  end

  gather_turns #(
    .NumUnits(Users - 1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i  (pr_valid_i),
    .request_i(request),
    .turn_o   (turn),
    .ready_i  (ready),
    .last_i   (pr.last)
  );

  prim_pick #(
    .Width($bits(pr_t)),
    .Words(Users)
  ) u_pr (
    .in_i    ({response_i.pr, read_i}),
    .select_i(turn),
    .out_o   (pr.pr)
  );
  assign pr.first   = !turn[Users-1] || response_i.first;
  assign pr.last    = !turn[Users-1] || response_i.last;
  assign pr.data    = turn[Users-1] ? response_i.data : '0;
  assign pr_ready_o = ready ? turn : '0;
  assign taken      = (turn & pr_valid_i) != '0 && ready;

  logic        begins_q, response_q, keep_q, keep_queue_q;
  logic [10:0] len_q;
  logic [4:0]  keep_beats_q;

  always_ff @(posedge clk_i) begin
    begins_q     <= taken && pr.first;
    response_q   <= turn[Users-1];
    len_q        <= pr.pr.len;
    keep_q       <= begins_q;
    keep_queue_q <= response_q;
    keep_beats_q <= alone_beats(response_q, len_q);
    if (!rst_ni) begin
      begins_q <= 1'b0;
      keep_q   <= 1'b0;
    end
  end

  gather_room #(
    .Queues(Classes),
    .Beats (Cfg.HoldBeats)
  ) u_room (
    .clk_i,
    .rst_ni,
    .keep_i      (keep_q),
    .keep_queue_i(keep_queue_q),
    .keep_beats_i(9'(keep_beats_q)),
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

  // ---------------------------------------------------------------------------------------------
  // Frames

  gather_send #(
    .Cfg(Cfg)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i,
    .node_i,
    .own_i,
    .pr_valid_i ((turn & pr_valid_i) != '0),
    .pr_ready_o (ready),
    .pr_i       (pr),
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
