// uplink_room: what becomes of each frame that a MAC hands over, beat by beat, and what its queue
// is told.
//
// What the queues make of it is left out of the circuit and free (`cuts` of the task), so this
// holds however much room they have. They have a proof of their own: prim_frame_fifo.
module room_steps_props #(
  parameter int unsigned NumQueues = 3,
  parameter int unsigned Depth = 8,
  parameter int unsigned MaxBeats = 5,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic                 in_last_i,
  input logic                 in_bad_i,
  input logic [NumQueues-1:0] in_to_i,
  input logic [1:0]           in_i,
  input logic [NumQueues-1:0] out_ready_i
);

  logic                             taken, drop_room, drop_long, drop_bad;
  logic [NumQueues-1:0]             out_valid, out_last, ready;
  logic [NumQueues-1:0][1:0]        out;
  logic [NumQueues-1:0][CountW-1:0] level;

  uplink_room #(
    .T        (logic [1:0]),
    .NumQueues(NumQueues),
    .Depth    (Depth),
    .MaxBeats (MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_last_i,
    .in_bad_i,
    .in_to_i,
    .in_i,
    .taken_o    (taken),
    .drop_room_o(drop_room),
    .drop_long_o(drop_long),
    .drop_bad_o (drop_bad),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (out),
    .level_o    (level)
  );

  // The frame that is coming: beats before this one, its queue, and whether one found no room.
  logic                 reset_q, inside_q, lost_q, lost, long, found, keeps;
  logic [2:0]           beats_q, beats;
  logic [NumQueues-1:0] to_q, to;
  initial reset_q = 1'b0;
  assign beats = inside_q ? beats_q : '0;
  assign to    = inside_q ? to_q : in_to_i;
  assign found = (to & ready) != '0;
  // It is too long if it goes on behind the last beat that a frame may have, and all had room.
  assign long  = inside_q && beats_q == 3'(MaxBeats) && !lost_q;
  assign lost  = (inside_q && lost_q) || (beats != 3'(MaxBeats) && !found);
  assign keeps = !long && !lost;

  // Its end, a cycle ago.
  logic ended_q, lost_end_q, long_end_q, bad_end_q;

  always_ff @(posedge clk_i) begin
    reset_q    <= reset_q || !rst_ni;
    ended_q    <= rst_ni && in_valid_i && in_last_i;
    lost_end_q <= lost;
    long_end_q <= long;
    bad_end_q  <= in_bad_i;
    if (in_valid_i) begin
      inside_q <= !in_last_i;
      to_q     <= to;
      lost_q   <= lost;
      if (beats != 3'(MaxBeats)) beats_q <= beats + 3'd1;
    end
    if (!rst_ni) inside_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // Each frame has one fate, in the cycle behind its end, and nothing else has.
      a_once : assert (ended_q ? $onehot({taken, drop_room, drop_long, drop_bad}) :
                       {taken, drop_room, drop_long, drop_bad} == '0)
      else $error("fates %b", {taken, drop_room, drop_long, drop_bad});
      // One that found its queue full, at any beat up to the longest, was dropped for that.
      a_room : assert (drop_room == (ended_q && lost_end_q))
      else $error("dropped for want of room: %b", drop_room);
      // Of the others one that was too long was dropped for that.
      a_long : assert (drop_long == (ended_q && !lost_end_q && long_end_q))
      else $error("dropped as too long: %b", drop_long);
      // Of the rest one that the MAC found in error.
      a_bad : assert (drop_bad == (ended_q && !lost_end_q && !long_end_q && bad_end_q))
      else $error("dropped as bad: %b", drop_bad);
      // All others are handed to the inside.
      a_taken : assert (taken == (ended_q && !lost_end_q && !long_end_q && !bad_end_q))
      else $error("taken: %b", taken);
      // A frame is under way from its first beat to its last, and its queue is the first one's.
      a_inside : assert (u_dut.within_q == inside_q && (!inside_q || u_dut.to_q == to_q))
      else $error("under way: %b", u_dut.within_q);
      // No more of it is kept once a beat found no room, or all that it may have were kept.
      a_stops : assert (u_dut.stops_q == (inside_q && (lost_q || beats_q == 3'(MaxBeats))))
      else $error("stops: %b behind %0d beats", u_dut.stops_q, beats_q);
      // Why is known then: for want of room (1), or else it was kept so far, or was too long (2).
      a_why : assert (!inside_q || (lost_q ? u_dut.fate_q == 2'd1 :
                                    u_dut.fate_q == 2'd0 ||
                                    (u_dut.fate_q == 2'd2 && beats_q == 3'(MaxBeats))))
      else $error("fate %0d", u_dut.fate_q);
      // Its beats are counted until then.
      a_beats : assert (!inside_q || u_dut.stops_q || u_dut.beats_q == beats_q)
      else $error("%0d beats instead of %0d", u_dut.beats_q, beats_q);

      // One is too long, and the one behind it has no room; one of the longest is kept.
      c_long : cover (rst_ni && drop_long && in_valid_i && in_last_i && lost);
      c_longest : cover (rst_ni && u_dut.gen_queue[2].u_fifo.commit_i && beats == 3'd4);
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    assign ready[q] = u_dut.gen_queue[q].u_fifo.in_ready_o;

    // A beat is this queue's.
    logic mine;
    assign mine = in_valid_i && to[q];

    always_ff @(posedge clk_i) begin
      if (reset_q) begin
        // A queue is given the beats of its own frames, as long as they may be kept.
        a_given : assert (u_dut.gen_queue[q].u_fifo.in_valid_i ==
                          (mine && !long && !(inside_q && lost_q)))
        else $error("given: %b", u_dut.gen_queue[q].u_fifo.in_valid_i);
        // What it has of one counts when all of it is in and good.
        a_commits : assert (!$onehot(to) || u_dut.gen_queue[q].u_fifo.commit_i ==
                            (mine && in_last_i && keeps && !in_bad_i))
        else $error("counts: %b", u_dut.gen_queue[q].u_fifo.commit_i);
        // It is forgotten when a beat is not kept, or as the MAC finds it in error.
        a_forgets : assert (!$onehot(to) || u_dut.gen_queue[q].u_fifo.rollback_i ==
                            (mine && (!keeps || (in_last_i && in_bad_i))))
        else $error("forgets: %b", u_dut.gen_queue[q].u_fifo.rollback_i);
      end
      // A beat goes in as it came, with the mark of a frame's last one.
      a_beat : assert (u_dut.gen_queue[q].u_fifo.in_i == {in_last_i, in_i} &&
                       u_dut.gen_queue[q].u_fifo.rst_ni == rst_ni)
      else $error("another beat");
      // What the queue shows is shown to the inside, which takes what it likes; how much is stored
      // is told.
      a_shown : assert (out_valid[q] == u_dut.gen_queue[q].u_fifo.out_valid_o &&
                        {out_last[q], out[q]} == u_dut.gen_queue[q].u_fifo.out_o &&
                        u_dut.gen_queue[q].u_fifo.out_ready_i == out_ready_i[q] &&
                        level[q] == u_dut.gen_queue[q].u_fifo.count_o)
      else $error("another beat is shown");
    end
  end

endmodule
