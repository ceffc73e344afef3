// A middle pipe of the switch (NetSparse 6.2.1, figure 8): splits packets into PRs, lets each of
// them look into the property cache, and concatenates what comes out of it into new frames.
//
// A read that hits leaves as a response to its requester, all others as they came. So every PR that
// comes in goes out once.
//
// Who waits: packets for room where they leave, in their class at their port, and for each other.
// Inside nobody waits for what leaves: room was kept. So reads and responses never wait for each
// other, nor for other ports.
module gather_pipe
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The switch's sizes.
  parameter cfg_t Cfg,
  /// The number of this pipe.
  parameter int unsigned Pipe = 0,
  localparam int unsigned Waiting = Classes * Cfg.NumPorts
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings that concern a pipe, and the table of nodes, as gather_frame has it.
  // verilator lint_off UNUSEDSIGNAL
  input switch_settings_t settings_i,
  // verilator lint_on UNUSEDSIGNAL
  input node_write_t      node_i,

  // The port of each node, for reads and for responses that are in this pipe.
  input logic [Cfg.NumNodes-1:0][Cfg.PortW-1:0] read_port_i,
  input logic [Cfg.NumNodes-1:0][Cfg.PortW-1:0] response_port_i,

  // Beats at the ports, by class and port; a packet keeps the pipe to its last beat.
  input  logic   [Waiting-1:0] valid_i,
  input  enter_t [Waiting-1:0] in_i,
  output logic   [Waiting-1:0] taken_o,

  // Frames, as gather_hold has them.
  output logic [Classes-1:0][Cfg.NumPorts-1:0] waits_o,
  input  logic [Cfg.NumPorts-1:0]              ask_i,
  input  logic [Cfg.NumPorts-1:0]              ask_response_i,
  output logic [Cfg.NumPorts-1:0]              asked_o,
  input  logic [Classes-1:0][Cfg.NumPorts-1:0] give_up_i,
  output stopped_obs_t                         stopped_o,
  output logic                                 out_valid_o,
  output beat_t                                out_o,
  output logic [Cfg.PortW-1:0]                 out_port_o,

  // Observation only: of the cache, of concatenation; a PR came in, one went into concatenation.
  output cache_obs_t  cache_obs_o,
  output concat_obs_t concat_obs_o,
  output logic        pr_in_o,
  output logic        not_turned_o,
  // The cache is being cleared. Nothing is inside.
  output logic        clearing_o
);

  localparam int unsigned NumPorts = Cfg.NumPorts;
  localparam int unsigned PortW = Cfg.PortW;
  localparam int unsigned Queues = Classes * NumPorts;
  localparam int unsigned QueueW = $clog2(Queues);
  localparam int unsigned RoomW = $clog2(Cfg.HoldBeats + 1);
  /// Room for the longest packet, and for what may be kept meanwhile.
  localparam int unsigned Open = Cfg.MostKept + KeptUnseen;
  /// Room for a response, and for two more that are kept room for meanwhile.
  localparam int unsigned TurnOpen = 3 * MaxAlone;

  function automatic logic [QueueW-1:0] queue_of(logic response, logic [PortW-1:0] at);
    queue_of = QueueW'(32'(response) * NumPorts + 32'(at));
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Room where PRs leave, and packets for which there is some

  logic [Classes-1:0][NumPorts-1:0][RoomW-1:0] room;
  logic [Classes-1:0][NumPorts-1:0]            open_q;
  logic [NumPorts-1:0]                         turn_open_q, took, took_q, busy_q;
  logic              enters, enter_response, keeps, turns, give_response, made, left;
  logic [PortW-1:0]  enter_port, keep_port, give_port;
  logic [8:0]        enter_kept, made_beats;
  logic [4:0]        keep_beats, give_beats;
  logic [QueueW-1:0] made_queue, left_queue;
  logic              packet_valid, data_ready;
  packet_t           packet;
  packet_beat_t      data;

  // What is kept for packets that were chosen, and for reads that may turn. For the two cycles in
  // which it is not seen in `turn_open_q` no read turns to a port where responses entered.
  logic              keep_q;
  logic [QueueW-1:0] keep_queue_q;
  logic [8:0]        keep_beats_q;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      took[p] = enters && enter_response && enter_port == PortW'(p);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned c = 0; c < Classes; c++) open_q[c][p] <= 32'(room[c][p]) >= Open;
      turn_open_q[p] <= 32'(room[1][p]) >= TurnOpen;
    end
    keep_q       <= enters || keeps;
    keep_queue_q <= enters ? queue_of(enter_response, enter_port) : queue_of(1'b1, keep_port);
    keep_beats_q <= enters ? enter_kept : 9'(keep_beats);
    took_q       <= took;
    busy_q       <= took | took_q;
    if (!rst_ni) begin
      open_q      <= '0;
      turn_open_q <= '0;
      keep_q      <= 1'b0;
      took_q      <= '0;
      busy_q      <= '0;
    end
  end

  gather_room #(
    .Queues(Queues),
    .Beats (Cfg.HoldBeats)
  ) u_room (
    .clk_i,
    .rst_ni,
    .keep_i      (keep_q),
    .keep_queue_i(keep_queue_q),
    .keep_beats_i(keep_beats_q),
    .turn_i      (turns),
    .turn_queue_i(queue_of(give_response, give_port)),
    .turn_beats_i(give_beats),
    .made_i      (made),
    .made_queue_i(made_queue),
    .made_beats_i(made_beats),
    .left_i      (left),
    .left_queue_i(left_queue),
    .room_o      (room)
  );

  gather_enter #(
    .NumPorts(NumPorts),
    .Pipe    (Pipe)
  ) u_enter (
    .clk_i,
    .rst_ni,
    .valid_i,
    .in_i,
    .taken_o,
    .open_i        (open_q),
    .enters_o      (enters),
    .response_o    (enter_response),
    .out_port_o    (enter_port),
    .kept_o        (enter_kept),
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_o        (data),
    .data_ready_i  (data_ready)
  );

  // ---------------------------------------------------------------------------------------------
  // PRs

  logic     split_valid, split_ready, look_valid, look_ready, cached_valid, cached_ready;
  pr_beat_t split, look, cached;

  gather_split u_split (
    .clk_i,
    .rst_ni,
    .packet_valid_i(packet_valid),
    .packet_i      (packet),
    .data_valid_i  (packet_valid),
    .data_ready_o  (data_ready),
    .data_i        (data),
    .pr_valid_o    (split_valid),
    .pr_ready_i    (split_ready),
    .pr_o          (split)
  );

  gather_turn #(
    .NumNodes(Cfg.NumNodes),
    .NumPorts(NumPorts)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .enable_i       (settings_i.cache.enable),
    .read_port_i,
    .response_port_i,
    .pr_valid_i     (split_valid),
    .pr_ready_o     (split_ready),
    .pr_i           (split),
    .pr_valid_o     (look_valid),
    .pr_ready_i     (look_ready),
    .pr_o           (look),
    .back_i         (cached_valid && cached_ready && cached.first),
    .back_response_i(cached.pr.response),
    .open_i         (turn_open_q),
    .busy_i         (busy_q),
    .enters_i       (enters),
    .keep_o         (keeps),
    .keep_port_o    (keep_port),
    .keep_beats_o   (keep_beats),
    .give_o         (turns),
    .give_response_o(give_response),
    .give_port_o    (give_port),
    .give_beats_o   (give_beats),
    .not_turned_o
  );

  gather_cache #(
    .Sets     (Cfg.CacheSets),
    .IndexBits(Cfg.IndexBits)
  ) u_cache (
    .clk_i,
    .rst_ni,
    .enable_i    (settings_i.cache.enable),
    .mode_i      (settings_i.cache.mode),
    .generation_i(settings_i.cache.generation),
    .len_i       (settings_i.cache.len),
    .invalidate_i(settings_i.invalidate),
    .pr_valid_i  (look_valid),
    .pr_ready_o  (look_ready),
    .pr_i        (look),
    .pr_valid_o  (cached_valid),
    .pr_ready_i  (cached_ready),
    .pr_o        (cached),
    .obs_o       (cache_obs_o),
    .clearing_o
  );

  // ---------------------------------------------------------------------------------------------
  // Frames

  logic       made_valid;
  beat_t      made_beat;
  frame_tag_t tag;
  // verilator lint_off UNUSEDSIGNAL
  logic       send_idle;
  // verilator lint_on UNUSEDSIGNAL

  gather_send #(
    .Cfg (Cfg),
    .Pipe(Pipe)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i    ((Cfg.ClockW - 2)'(settings_i.delay)),
    .node_i,
    .own_i      (settings_i.own),
    .pr_valid_i (cached_valid),
    .pr_ready_o (cached_ready),
    .pr_i       (cached),
    .out_valid_o(made_valid),
    .out_ready_i(1'b1),
    .out_o      (made_beat),
    .out_tag_o  (tag),
    .obs_o      (concat_obs_o),
    .idle_o     (send_idle)
  );

  gather_hold #(
    .NumPorts(NumPorts),
    .Beats   (Cfg.HoldBeats)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .in_valid_i    (made_valid),
    .in_i          (made_beat),
    .in_tag_i      (tag),
    .waits_o,
    .ask_i,
    .ask_response_i,
    .taken_o       (asked_o),
    .give_up_i,
    .stopped_o,
    .out_valid_o,
    .out_o,
    .out_port_o,
    .made_o        (made),
    .made_queue_o  (made_queue),
    .made_beats_o  (made_beats),
    .left_o        (left),
    .left_queue_o  (left_queue)
  );

  assign pr_in_o = split_valid && split_ready && split.first;

endmodule
