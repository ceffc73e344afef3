// uplink_leave: what begins to leave by which port, while links go down and come up; and that each
// beat leaves once, in its turn, as it came and with what was decided on its frame.
//
// One beat is followed; which one is free.
module uplink_leave_props
  import uplink_route_pkg::*;
  import uplink_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       up_i,
  input logic             in_valid_i,
  input logic             in_last_i,
  input logic             in_data_i,
  input logic             follow_i,
  input logic             decided_valid_i,
  input logic [2:0]       why_i,
  input logic             none_i,
  input logic [PortW-1:0] port_i,
  input logic             out_ready_i
);

  // The first beat of a frame is marked.
  logic within_q, started_q, in_ready, out_valid, out_last, out, out_data, gone, begins, drops;
  logic [2:0] to, to_q, up_q;
  decided_t decided, way;
  assign out_valid = to != '0;
  assign decided = '{why: uplink_way_e'(why_i), none: none_i, port: port_i};

  uplink_leave #(
    .T    (logic [1:0]),
    .NumUp(3),
    .Depth(3)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .up_i,
    .in_valid_i,
    .in_ready_o     (in_ready),
    .in_last_i,
    .in_i           ({in_data_i, !within_q}),
    .decided_valid_i,
    .decided_i      (decided),
    .out_to_o       (to),
    .out_ready_i,
    .out_last_o     (out_last),
    .out_o          ({out_data, out}),
    .gone_o         (gone),
    .begins_o       (begins),
    .drops_o        (drops),
    .way_o          (way)
  );

  // Frames whose first beat has come and that have not been decided on.
  logic [3:0] owed_q;
  logic inside_q, cut_q;   // a beat of a frame has left; its link went down then
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    up_q      <= up_i;
    if (in_valid_i && in_ready) within_q <= !in_last_i;
    owed_q <= owed_q + 4'(in_valid_i && in_ready && !within_q) - 4'(decided_valid_i);
    if (out_valid && out_ready_i) begin
      inside_q <= !out_last;
      to_q     <= to;
      cut_q    <= (to & ~up_i) != '0;
    end
    if (!rst_ni) begin
      within_q <= 1'b0;
      inside_q <= 1'b0;
      owed_q   <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // A frame is decided on once, behind its first beat.
    e_decided : assume (!rst_ni || !decided_valid_i || owed_q != '0);
  end

  // ---------------------------------------------------------------------------------------------
  // Beats inside; the followed one, how many are in front of it, and what was decided on its frame.

  typedef struct packed {
    logic last;
    logic data;
    logic first;
  } beat_t;

  logic             takes;
  logic [2:0]       held_q, ahead_q, behind;
  logic             followed_q, front, front_q;
  beat_t            beat_q;
  logic [3:0]       wait_q, to_come;   // decisions until that on its frame
  decided_t         way_q, latest_q;   // that one; the last one
  logic             begun_q;           // of a frame some beats have left or were dropped
  logic             dropped_q;         // its first one was dropped
  decided_t         begun_way_q;       // what was decided on it

  assign takes   = in_valid_i && in_ready;
  assign behind  = held_q - 3'(gone);
  assign to_come = owed_q + 4'(!within_q) - 4'(decided_valid_i);
  assign front   = followed_q && ahead_q == '0 && wait_q == '0;

  always_ff @(posedge clk_i) begin
    held_q <= behind + 3'(takes);
    if (decided_valid_i) latest_q <= decided;
    if (followed_q && gone) begin
      if (ahead_q == '0) followed_q <= 1'b0;
      else ahead_q <= ahead_q - 3'd1;
    end
    if (wait_q != '0 && decided_valid_i) begin
      wait_q <= wait_q - 4'd1;
      way_q  <= decided;
    end
    if (!followed_q && takes && follow_i) begin
      followed_q <= 1'b1;
      ahead_q    <= behind;
      beat_q     <= '{last: in_last_i, data: in_data_i, first: !within_q};
      wait_q     <= to_come;
      way_q      <= decided_valid_i ? decided : latest_q;
    end
    front_q <= front && !gone;
    if (gone) begin
      begun_q     <= !out_last;
      dropped_q   <= drops;
      begun_way_q <= way;
    end
    if (!rst_ni) begin
      held_q   <= '0;
      followed_q <= 1'b0;
      front_q    <= 1'b0;
      wait_q     <= '0;
      begun_q    <= 1'b0;
    end
  end

  // Links by which a frame may leave that was decided on so.
  function automatic logic [2:0] by(decided_t one);
    by = '0;
    for (int unsigned u = 0; u < 3; u++) by[u] = one.port == PortW'(u);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Where the followed beat is, and what is in front of it. These help the proof.

  logic       chained, placed, before_last, before_known;
  logic [1:0] at, lasts, ways;
  logic [2:0] place;
  logic [1:0] count, decisions;
  decided_t   before_way;
  beat_t      seen;

  assign count     = u_dut.u_beats.count_q;
  assign decisions = u_dut.u_ways.count_q;

  function automatic logic [1:0] past(logic [1:0] ptr, int unsigned more);
    past = (32'(ptr) + more >= 3) ? 2'(32'(ptr) + more - 3) : 2'(32'(ptr) + more);
  endfunction

  // Oldest first: each beat is a frame's first one if the one in front is a last one.
  always_comb begin
    chained      = 1'b1;
    placed       = 1'b1;
    place        = '0;
    before_last  = !begun_q;
    before_known = begun_q;
    before_way   = begun_way_q;
    if (u_dut.valid_q) begin
      seen    = '{last: u_dut.shown_q.last, data: u_dut.shown_q.data[1],
                  first: u_dut.shown_q.data[0]};
      chained = chained && seen.first == before_last &&
          u_dut.shown_q.to == by(u_dut.shown_q.way) &&
          (!before_known || before_last || u_dut.shown_q.way == before_way);
      if (ahead_q == place) placed = placed && seen == beat_q && wait_q == '0 &&
          u_dut.shown_q.way == way_q;
      place        = place + 3'd1;
      before_last  = seen.last;
      before_known = 1'b1;
      before_way   = u_dut.shown_q.way;
    end
    if (u_dut.spare_valid_q) begin
      seen    = '{last: u_dut.spare_q.last, data: u_dut.spare_q.data[1],
                  first: u_dut.spare_q.data[0]};
      chained = chained && u_dut.valid_q && seen.first == before_last &&
          u_dut.spare_q.to == by(u_dut.spare_q.way) &&
          (!before_known || before_last || u_dut.spare_q.way == before_way);
      if (ahead_q == place) placed = placed && seen == beat_q && wait_q == '0 &&
          u_dut.spare_q.way == way_q;
      place        = place + 3'd1;
      before_last  = seen.last;
      before_way   = u_dut.spare_q.way;
    end
    // The rest of a frame that has begun has its decision in front in the queue.
    if (!before_last) chained = chained && decisions != '0 &&
        u_dut.u_ways.mem_q[u_dut.u_ways.read_q] == before_way;
    lasts = '0;
    for (int unsigned i = 0; i < 3; i++) begin
      if (32'(count) > i) begin
        at      = past(u_dut.u_beats.read_q, i);
        seen    = '{last: u_dut.u_beats.mem_q[at].last, data: u_dut.u_beats.mem_q[at].data[1],
                    first: u_dut.u_beats.mem_q[at].data[0]};
        chained = chained && seen.first == before_last;
        if (ahead_q == place) placed = placed && seen == beat_q && (
            (lasts < decisions) ? wait_q == '0 &&
            u_dut.u_ways.mem_q[past(u_dut.u_ways.read_q, 32'(lasts))] == way_q :
            wait_q == 4'(lasts) - 4'(decisions) + 4'd1);
        place       = place + 3'd1;
        before_last = seen.last;
        if (seen.last) lasts = lasts + 2'd1;
      end
    end
    // Frames of which the end has not left the queue are decided on or owed.
    ways    = lasts + 2'(within_q);
    chained = chained && within_q == !before_last && 4'(ways) == 4'(decisions) + owed_q &&
        (decisions == '0 ||
         u_dut.u_ways.mem_q[past(u_dut.u_ways.read_q, 32'(decisions) - 1)] == latest_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // Each beat is shown in its turn, once, as it came and with what was decided on its frame, by
      // the port that was decided on.
      a_same : assert (!(followed_q && ahead_q == '0 && (gone || out_valid)) ||
          ({out_last, out_data, out} == beat_q && wait_q == '0 && way == way_q &&
           begins == beat_q.first && (!out_valid || to == by(way_q))))
      else $error("another beat is shown");
      // Nothing leaves that did not come.
      a_none : assert (!(gone || out_valid) || held_q != '0)
      else $error("a beat is shown, and none is there");
      // Who is in front and decided on is shown a cycle later.
      a_soon : assert (!(front && front_q) || gone || out_valid)
      else $error("a beat waits for nothing");
      // Beats wait in front of it only if as many are inside as the queue has places.
      a_takes : assert (in_ready || held_q >= 3'd3)
      else $error("%0d beats are inside, and none is taken", held_q);
      // A frame is dropped only if no uplink lived when it was decided on, or its own link was down
      // in the cycle in front of its first beat; and then whole.
      a_lost : assert (!(gone && drops) ||
                       (begins ? way.none || (by(way) & up_q) == '0 : dropped_q))
      else $error("a frame is dropped whose link is up");
      // Beats are where they should be. These help the proof.
      a_inside : assert (held_q == 3'(u_dut.valid_q) + 3'(u_dut.spare_valid_q) + 3'(count) &&
                         u_dut.within_q == begun_q)
      else $error("%0d beats are inside", held_q);
      a_to : assert (to == ((u_dut.valid_q && !drops) ? u_dut.shown_q.to : '0) &&
                     (!u_dut.valid_q || drops || to != '0) &&
                     (!begun_q || (drops == dropped_q && (drops || by(begun_way_q) != '0))) &&
                     inside_q == (begun_q && !dropped_q) &&
                     (!inside_q || to_q == by(begun_way_q)))
      else $error("ports %b are not those of the frame", to);
      a_room : assert (!(u_dut.spare_valid_q && u_dut.next_room_q))
      else $error("the spare place is taken twice");
      a_chain : assert (chained)
      else $error("beats of a frame do not follow each other");
      a_place : assert (!followed_q || (placed && ahead_q < held_q))
      else $error("the beat is not where it should be");
      a_pointers : assert (past(u_dut.u_beats.read_q, 32'(count)) == u_dut.u_beats.write_q &&
                           past(u_dut.u_ways.read_q, 32'(decisions)) == u_dut.u_ways.write_q)
      else $error("pointers do not agree with the count");
      // No frame begins to leave by a port that was dead a cycle ago.
      a_dead : assert (!out_valid || inside_q || (to & ~up_q) == '0)
      else $error("a frame begins to leave by ports %b, of which %b were up", to, up_q);
      // What leaves leaves by one port.
      a_one : assert ($onehot0(to))
      else $error("a beat by ports %b", to);
      // A frame leaves whole: its first beat first, all of it by the port by which it began.
      a_whole : assert (!out_valid || (out == !inside_q && (!inside_q || to == to_q)))
      else $error("beats of two frames are mixed, or one changes its port");
      // A frame is dropped from its begin to its end, or not at all.
      a_dropped : assert (!(gone && drops) || !inside_q)
      else $error("a frame is dropped that has begun to leave");
      // A frame goes on although its link went down; one is dropped because it did.
      c_goes_on : cover (out_valid && inside_q && cut_q && out_ready_i);
      c_dropped : cover (gone && drops && begins && !way.none);
    end
  end

endmodule
