// gather_hold, gather_room and gather_out of two ports: what was given room finds it, and a class
// at a port waits for no other class and no other port.
module gather_hold_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic            keep_i,
  input logic [1:0]      keep_queue_i,
  input logic [1:0]      keep_beats_i,
  input logic            turn_i,
  input logic [1:0]      turn_queue_i,
  input logic            beat_i,
  input logic [1:0]      queue_i,
  input logic [2:0]      kept_i,
  input logic            last_i,
  input logic [1:0][1:0] pause_i,
  input logic [1:0]      ready_i,
  input logic [1:0]      watch_i,
  input logic            limit_i
);

  localparam int unsigned NumPorts = 2;
  localparam int unsigned Queues = 4;
  localparam int unsigned Beats = 8;
  localparam int unsigned MaxBeats = 4;
  localparam int unsigned RoomW = $clog2(Beats + 1);

  logic started_q;
  logic [1:0] watch_q;   // the queue that is followed: which one is free

  // ---------------------------------------------------------------------------------------------
  // Who makes frames: whatever it does, it keeps room first.

  logic [Queues-1:0][RoomW-1:0] room;
  logic [Queues-1:0][5:0]       owed_q;     // beats that are kept for what has not come yet
  logic                         inside_q;   // a frame is half in
  logic [1:0]                   frame_q;
  logic [8:0]                   frame_kept_q;
  logic [2:0]                   length_q;
  logic                         keep, turn, in_valid, last;
  logic [1:0]                   in_queue;
  logic [8:0]                   kept;
  logic [4:0]                   keep_beats;
  beat_t                        beat;
  frame_tag_t                   tag;
  logic                         made, left;
  logic [1:0]                   made_queue, left_queue;
  logic [8:0]                   made_beats;

  // A PR alone takes two beats or more.
  assign keep_beats = 5'(keep_beats_i) + 5'd2;
  assign keep       = keep_i && 32'(room[keep_queue_i]) >= 32'(keep_beats);
  assign in_queue   = inside_q ? frame_q : queue_i;
  assign kept       = inside_q ? frame_kept_q : 9'(kept_i);
  assign in_valid   = beat_i && (inside_q || (kept_i >= 3'd2 && owed_q[queue_i] >= 6'(kept_i)));
  // A frame has two beats or more, and no more than are kept, nor than the longest one.
  assign last       = inside_q && (last_i || 9'(length_q) + 9'd1 == kept ||
                                   length_q + 3'd1 == 3'(MaxBeats));
  assign turn       = turn_i && owed_q[turn_queue_i] >= 6'd2 &&
      !(turn_queue_i == in_queue && (inside_q || in_valid));

  always_comb begin
    beat         = '0;
    beat.last    = last;
    tag          = '0;
    tag.response = in_queue[1];
    tag.out_port = 6'(in_queue[0]);
    tag.kept     = kept;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: room is missing from the beginning.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) watch_q <= watch_i;
    for (int unsigned q = 0; q < Queues; q++) begin
      owed_q[q] <= owed_q[q] + ((keep && keep_queue_i == 2'(q)) ? 6'(keep_beats) : 6'd0) -
          ((turn && turn_queue_i == 2'(q)) ? 6'd2 : 6'd0) -
          ((in_valid && last && in_queue == 2'(q)) ? 6'(kept) : 6'd0);
    end
    if (in_valid) begin
      inside_q     <= !last;
      frame_q      <= in_queue;
      frame_kept_q <= kept;
      length_q     <= last ? '0 : length_q + 3'd1;
    end
    if (!rst_ni) begin
      owed_q   <= '0;
      inside_q <= 1'b0;
      length_q <= '0;
    end
  end

  gather_room #(
    .Queues(Queues),
    .Beats (Beats)
  ) u_room (
    .clk_i,
    .rst_ni,
    .keep_i      (keep),
    .keep_queue_i(keep_queue_i),
    .keep_beats_i(9'(keep_beats)),
    .turn_i      (turn),
    .turn_queue_i(turn_queue_i),
    .turn_beats_i(5'd2),
    .made_i      (made),
    .made_queue_i(made_queue),
    .made_beats_i(made_beats),
    .left_i      (left),
    .left_queue_i(left_queue),
    .room_o      (room)
  );

  // ---------------------------------------------------------------------------------------------

  logic [Classes-1:0][NumPorts-1:0] waits, give_up;
  logic [NumPorts-1:0]              ask, ask_response, asked, tvalid;
  logic                             out_valid, out_port;
  beat_t                            out;
  stopped_obs_t                     stopped;

  gather_hold #(
    .NumPorts(NumPorts),
    .Beats   (Beats)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .in_valid_i    (in_valid),
    .in_i          (beat),
    .in_tag_i      (tag),
    .waits_o       (waits),
    .ask_i         (ask),
    .ask_response_i(ask_response),
    .taken_o       (asked),
    .give_up_i     (give_up),
    .stopped_o     (stopped),
    .out_valid_o   (out_valid),
    .out_o         (out),
    .out_port_o    (out_port),
    .made_o        (made),
    .made_queue_o  (made_queue),
    .made_beats_o  (made_beats),
    .left_o        (left),
    .left_queue_o  (left_queue)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_out
    logic [Classes-1:0] gives_up, give_up_here;

    gather_out #(
      .NumPipes(1),
      .MaxBeats(MaxBeats)
    ) u_out (
      .clk_i,
      .rst_ni,
      .pause_limit_i (limit_i ? 32'd2 : 32'd0),
      .pause_i       (pause_i[p]),
      .waits_i       ({waits[1][p], waits[0][p]}),
      .ask_o         (ask[p]),
      .ask_response_o(ask_response[p]),
      .taken_i       (asked[p]),
      .give_up_o     (give_up_here),
      .in_valid_i    (out_valid && out_port == 1'(p)),
      .in_i          (out),
      .m_axis_tvalid (tvalid[p]),
      .m_axis_tready (ready_i[p]),
      .m_axis_tdata  (),
      .m_axis_tkeep  (),
      .m_axis_tlast  (),
      .gives_up_o    (gives_up)
    );
    assign give_up[0][p] = give_up_here[0];
    assign give_up[1][p] = give_up_here[1];
  end

  // ---------------------------------------------------------------------------------------------
  // Of the queue that is followed: beats that are free, that are inside, and that are on their way
  // back.

  logic [6:0]      free, coming_back, held;
  logic [3:0]      moving_q;   // cycles that a frame has been on its way out of the memory
  logic [1:0][1:0] pause_q;

  assign free        = 7'(room[watch_q]);
  assign held        = 7'(4'(u_hold.write_q[watch_q] - u_hold.read_q[watch_q]));
  assign coming_back = 7'((u_room.left_q && u_room.left_queue_q == watch_q) ? 1 : 0) +
      7'((left && left_queue == watch_q) ? 1 : 0) +
      ((u_room.turn_q && u_room.turn_queue_q == watch_q) ? 7'(u_room.turn_beats_q) : 7'd0) +
      ((u_room.made_q && u_room.made_queue_q == watch_q) ? 7'(u_room.made_beats_q) : 7'd0);

  always_ff @(posedge clk_i) begin
    pause_q <= pause_i;
    // For the rest of a frame that comes slowly it waits.
    if (!u_hold.active_q) moving_q <= '0;
    else if (u_hold.there) moving_q <= moving_q + 4'd1;
    if (!rst_ni) moving_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Room is neither lost nor doubled: what is free, kept, inside and coming back is all there
      // is.
      a_sum : assert (free + 7'(owed_q[watch_q]) + held + coming_back ==
                      7'(Beats) + ((inside_q && frame_q == watch_q) ? 7'(length_q) : 7'd0))
      else $error("%0d free, %0d kept, %0d inside, %0d come back", free, owed_q[watch_q], held,
                  coming_back);
      // A port asks for no class that was paused in the cycle before: what is paused never fills
      // the way out of the other class.
      a_asks : assert ((ask & {pause_q[1][ask_response[1]], pause_q[0][ask_response[0]]}) == '0)
      else $error("ports %b ask for classes that are paused", ask);
      // A frame that leaves the memory waits for no receiver: so it is soon the turn of another
      // port and class.
      a_moves : assert (32'(moving_q) <= MaxBeats + 1)
      else $error("a frame has been leaving for %0d cycles", moving_q);
      // If nobody's frame leaves, one of those that are asked for begins, or one is thrown away,
      // and never two of these in a row.
      a_serves : assert (u_hold.active_q || u_hold.asks == '0 || u_hold.begin_send ||
                         (u_hold.begin_throw && !u_hold.threw_q))
      else $error("ports %b ask and nothing begins", u_hold.asks);
      // A class waits while the other one is paused and has frames, and leaves.
      c_pass : cover (left && left_queue == watch_q && pause_q[watch_q[0]][!watch_q[1]] &&
                      waits[!watch_q[1]][watch_q[0]]);
      // A class is given up, and what waits is thrown away.
      c_thrown : cover (stopped.valid);
      // All room is in use.
      c_full : cover (held == 7'(Beats));
    end
  end

endmodule
