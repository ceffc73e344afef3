// gather_hold with gather_room, of two ports: what was given room finds it, and none of the room is
// ever lost, whatever ports ask for and give up. So nobody in front ever waits for a receiver.
module gather_hold_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
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
  input logic [1:0]      ask_i,
  input logic [1:0]      ask_response_i,
  input logic [1:0][1:0] give_up_i
);

  localparam int unsigned NumPorts = 2;
  localparam int unsigned Queues = 4;
  localparam int unsigned Beats = 4;
  localparam int unsigned MaxBeats = 4;
  localparam int unsigned RoomW = $clog2(Beats + 1);
  localparam int unsigned PtrW = $clog2(Beats) + 1;

  logic started_q;

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
  // Ports ask for one frame at a time.

  logic [Classes-1:0][NumPorts-1:0] waits;
  logic [NumPorts-1:0]              ask, asked, pending_q;
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
    .ask_response_i,
    .taken_o       (asked),
    .give_up_i,
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

  assign ask = ask_i & ~pending_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (asked[p]) pending_q[p] <= 1'b1;
      else if (out_valid && out.last && out_port == 1'(p)) pending_q[p] <= 1'b0;
    end
    if (!rst_ni) pending_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Of each queue: beats that are inside, and that are on their way back.

  logic [Queues-1:0][6:0] held, coming_back;
  logic [PtrW-1:0]        ahead;     // the beat that is read, behind the one that leaves
  logic [PtrW-1:0]        written;   // beats of its queue that are known to be there

  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      held[q]        = 7'(PtrW'(u_hold.write_q[q] - u_hold.read_q[q]));
      coming_back[q] = 7'(u_room.back_q[q]) + 7'(u_room.left_q && u_room.left_queue_q == 2'(q)) +
          7'(left && left_queue == 2'(q)) +
          ((u_room.turn_q && u_room.turn_queue_q == 2'(q)) ? 7'(u_room.turn_beats_q) : 7'd0) +
          ((u_room.made_q && u_room.made_queue_q == 2'(q)) ? 7'(u_room.made_beats_q) : 7'd0);
    end
  end
  assign ahead   = u_hold.fetch_q - u_hold.read_q[u_hold.queue_q];
  assign written = u_hold.written_q - u_hold.read_q[u_hold.queue_q];

  // A beat has left two cycles ago.
  logic       left2_q;
  logic [1:0] left2_queue_q;
  always_ff @(posedge clk_i) begin
    left2_q       <= left;
    left2_queue_q <= left_queue;
    if (!rst_ni) left2_q <= 1'b0;
  end

  for (genvar q = 0; q < Queues; q++) begin : gen_sum
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Room is neither lost nor doubled: what is free, kept, inside and coming back is all there
        // is.
        a_sum : assert (7'(room[q]) + 7'(owed_q[q]) + held[q] + coming_back[q] ==
                        7'(Beats) + ((inside_q && frame_q == 2'(q)) ? 7'(length_q) : 7'd0))
        else $error("%0d free, %0d kept, %0d inside, %0d come back", room[q], owed_q[q], held[q],
                    coming_back[q]);
        // Each part of it is no more than all.
        a_parts : assert (32'(room[q]) <= Beats && 32'(owed_q[q]) <= Beats + MaxBeats &&
                          32'(held[q]) <= Beats && 32'(coming_back[q]) <= Beats)
        else $error("%0d of %0d beats are free", room[q], Beats);
        // A queue that is empty and said to wait, or thrown away, has just become empty.
        a_waits : assert (held[q] != '0 ||
                          ((!waits[q/2][q%2] || (left && left_queue == 2'(q))) &&
                           (!u_hold.throws_q[q] || (left && left_queue == 2'(q)) ||
                            (left2_q && left2_queue_q == 2'(q)))))
        else $error("queue %0d is empty, and waits", q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is kept for a frame is kept until its last beat is in.
      a_frame : assert (9'(length_q) == u_hold.length_q && (inside_q == (length_q != '0)) &&
                        (!inside_q || (9'(length_q) < frame_kept_q && frame_kept_q <= 9'd7 &&
                                       owed_q[frame_q] >= 6'(frame_kept_q) &&
                                       length_q < 3'(MaxBeats))))
      else $error("%0d beats of a frame for which %0d are kept", length_q, frame_kept_q);
      // What leaves is inside: nothing is sent that did not come.
      a_leaves : assert (!u_hold.active_q ? !u_hold.got_q :
                         (ahead == PtrW'(u_hold.got_q) && ahead <= written &&
                          7'(written) <= held[u_hold.queue_q]))
      else $error("%0d beats are read ahead, %0d are inside", ahead, held[u_hold.queue_q]);
      // The next turn is of a queue that has a frame and is not the one that leaves; it is its
      // port's only one.
      a_next : assert (!u_hold.next_q || (held[u_hold.next_queue] != '0 &&
                       !(u_hold.active_q && u_hold.queue_q == u_hold.next_queue) &&
                       (u_hold.next_throw_q ? !u_hold.active_q :
                        (pending_q[u_hold.next_port_q] || asked[u_hold.next_port_q]))))
      else $error("the next turn is of queue %0d", u_hold.next_queue);
      a_port : assert (!u_hold.active_q || u_hold.throw_q ||
                       (pending_q[u_hold.port_q] && u_hold.queue_q[0] == u_hold.port_q &&
                        !(u_hold.next_q && !u_hold.next_throw_q &&
                          u_hold.next_port_q == u_hold.port_q)))
      else $error("a frame for port %0d, which does not wait", u_hold.port_q);
      a_last : assert (!(out_valid && out.last) || (pending_q[out_port] &&
                       !(u_hold.active_q && !u_hold.throw_q && u_hold.port_q == out_port) &&
                       !(u_hold.next_q && !u_hold.next_throw_q && u_hold.next_port_q == out_port)))
      else $error("a frame for port %0d has left, and another one is under way", out_port);
      a_asked : assert ($onehot0(asked) && (asked & pending_q) == '0 && (asked == '0 ||
                        (u_hold.next_q && !u_hold.next_throw_q && asked[u_hold.next_port_q])))
      else $error("ports %b are told that their turn has come", asked);
      // While something is thrown away nobody's frame leaves, until it is known what is left.
      a_thrown : assert ((!(u_hold.next_q && u_hold.next_throw_q) || u_hold.throwing_q) &&
                         (!(u_hold.active_q && u_hold.throw_q) ||
                          (u_hold.throwing_q && !u_hold.next_q)) &&
                         (!left || u_hold.settle_q[1]) && (!left2_q || u_hold.settle_q[0]) &&
                         (!left || out_valid || u_hold.throwing_q))
      else $error("frames are thrown away beside others");
      // If nothing is under way, one of those that are asked for begins, or one is thrown away, and
      // never two of these in a row.
      a_serves : assert (!u_hold.quiet || u_hold.asks == '0 || u_hold.choose_send ||
                         (u_hold.choose_throw && !u_hold.threw_q))
      else $error("ports %b ask and nothing begins", u_hold.asks);
      // A queue is full, a frame leaves, one is thrown away.
      c_full : cover (held[1] == 7'(Beats));
      c_leaves : cover (out_valid && out.last && out_port);
      c_thrown : cover (stopped.valid && stopped.response);
    end
  end

endmodule
