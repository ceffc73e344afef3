// The room that gather_pipe keeps: what is kept for packets and for reads that turn is never more
// than what is free, though it is seen cycles later. What comes back is any of what was kept.
module gather_pipe_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
  import roce_pkg::beat_t;
(
  input logic              clk_i,
  input logic              rst_ni,
  input logic [3:0]        valid_i,
  input logic [3:0][8:0]   kept_i,
  input logic [3:0]        out_port_i,
  input logic [3:0]        mine_i,
  input logic [3:0]        last_i,
  input logic [1:0]        read_port_i,
  input logic [1:0]        response_port_i
);

  localparam cfg_t Cfg = switch_cfg(2, 1, 2, 1108, 1'b0, 64, 16, 6, 2, 40, 256, 512, 192);
  localparam int unsigned Waiting = 4;

  logic               started_q;
  switch_settings_t   settings;
  enter_t [Waiting-1:0] in, in_q;
  logic [Waiting-1:0] taken, stays_q;
  logic [1:0][1:0]    waits;
  logic [1:0]         asked;
  logic               out_valid, out_port, pr_in, not_turned, clearing;
  beat_t              out;
  stopped_obs_t       stopped;
  cache_obs_t         cache_obs;
  concat_obs_t        concat_obs;

  always_comb begin
    settings              = '0;
    settings.cache.enable = 1'b1;
    for (int unsigned r = 0; r < Waiting; r++) begin
      in[r]           = '0;
      in[r].target    = mine_i[r] ? 4'd0 : 4'd1;
      in[r].out_port  = 6'(out_port_i[r]);
      in[r].kept      = kept_i[r];
      in[r].data.last = last_i[r];
    end
  end

  gather_pipe #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i     (settings),
    .node_i         ('0),
    .read_port_i,
    .response_port_i,
    .valid_i,
    .in_i           (in),
    .taken_o        (taken),
    .waits_o        (waits),
    .ask_i          ('0),
    .ask_response_i ('0),
    .asked_o        (asked),
    .give_up_i      ('0),
    .stopped_o      (stopped),
    .out_valid_o    (out_valid),
    .out_o          (out),
    .out_port_o     (out_port),
    .cache_obs_o    (cache_obs),
    .concat_obs_o   (concat_obs),
    .pr_in_o        (pr_in),
    .not_turned_o   (not_turned),
    .clearing_o     (clearing)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: room is missing from the beginning.
    e_reset : assume (started_q || !rst_ni);
    in_q    <= in;
    stays_q <= rst_ni ? (valid_i & ~taken) : '0;
    // A property is no longer than the longest one (gather_accept). Dropped: more is kept than a
    // queue is asked for.
    e_len : assume (!u_dut.split_valid ||
                    (u_dut.split.pr.len <= 11'(MaxLen) && u_dut.split.pr.dest < 32'd2));
  end

  // By queue at a port, and by queue that PRs leave by.
  logic [Waiting-1:0] same, few, back;
  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      same[r] = !stays_q[r] || (valid_i[r] && in[r] == in_q[r]);
      few[r]  = !valid_i[r] || 32'(kept_i[r]) <= Cfg.MostKept;
      back[r] = 32'(u_dut.room[r/2][r%2]) + 32'(u_dut.u_room.back_q[r]) <= Cfg.HoldBeats;
    end
  end

  always_ff @(posedge clk_i) begin
    // A beat stays until it is taken. Dropped: room is kept of another packet.
    e_stays : assume (same == '1);
    // No more is kept for a packet than for the longest one (gather_accept counts its PRs).
    // Dropped: more is kept than a queue is asked for.
    e_kept : assume (few == '1);
    // Nothing comes back that was not kept (gather_hold a_sum, gather_turn a_gives). Dropped:
    // there is more room than there is.
    e_back : assume (back == '1);
  end

  // Of each queue at a port: its packets that were chosen and wait for their turn.
  logic [Waiting-1:0][2:0] turns;
  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      turns[r] = 3'(u_dut.u_enter.chosen_q[r]);
      for (int unsigned i = 0; i < 4; i++) begin
        turns[r] = turns[r] + 3'(i < 32'(u_dut.u_enter.u_turns.count_q) &&
            32'(u_dut.u_enter.u_turns.mem_q[2'(u_dut.u_enter.u_turns.read_q + 2'(i))]) == r);
      end
    end
  end

  for (genvar r = 0; r < Waiting; r++) begin : gen_queue
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A queue has one turn, from when its packet is chosen until its last beat is taken, and
        // asks for none meanwhile, but in the cycle in which nothing is chosen.
        a_turn : assert (turns[r] == 3'(u_dut.u_enter.held_q[r]) &&
                         !(u_dut.u_enter.request_q[r] && u_dut.u_enter.held_q[r] &&
                           !u_dut.u_enter.chosen_q[r]))
        else $error("queue %0d has %0d turns", r, turns[r]);
        // Who asks for its turn has a packet that goes through this pipe, and what is known of it
        // is so.
        a_asks : assert (!u_dut.u_enter.request_q[r] ||
                         (valid_i[r] && mine_i[r] &&
                          u_dut.u_enter.short_q[r] == (32'(kept_i[r]) < ShortKept)))
        else $error("queue %0d asks for a turn and has no packet", r);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is kept of a queue is free; else frames would be written over others.
      a_free : assert (!u_dut.keep_q ||
                       32'(u_dut.u_room.room_o[u_dut.keep_queue_q]) >= 32'(u_dut.keep_beats_q))
      else $error("%0d beats of queue %0d are kept", u_dut.keep_beats_q, u_dut.keep_queue_q);
      // The turn that is shown is the first one.
      a_first : assert (!u_dut.u_enter.u_turns.valid_q || u_dut.u_enter.u_turns.gen_head.head_q ==
                        u_dut.u_enter.u_turns.mem_q[u_dut.u_enter.u_turns.read_q])
      else $error("the turn of queue %0d is shown", u_dut.u_enter.from);
      a_count : assert (2'(u_dut.u_enter.u_turns.write_q - u_dut.u_enter.u_turns.read_q) ==
                        u_dut.u_enter.u_turns.count_q[1:0] &&
                        u_dut.u_enter.entered_q == (u_dut.u_enter.chosen_q != '0))
      else $error("%0d turns", u_dut.u_enter.u_turns.count_q);
      a_alone : assert (!u_dut.u_turn.valid_q || 32'(u_dut.u_turn.beside_q.alone) <= MaxAlone)
      else $error("%0d beats are kept for a response", u_dut.u_turn.beside_q.alone);
      // A packet enters while a read turns; a queue has no room.
      c_both : cover (u_dut.enters && u_dut.u_turn.valid_q && u_dut.u_turn.beside_q.kept);
      c_closed : cover (started_q && u_dut.open_q[1][0] == 1'b0 && u_dut.open_q[1][1] &&
                        u_dut.open_q[0] == '1);
    end
  end

endmodule
