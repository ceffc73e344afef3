// roce_out: passed frames and results leave by one port. Of each kind one beat, which one is free,
// is followed: what holds for any one holds for all. Bit 0 of every passed beat is 0 and of every
// result 1, so that it can be told at the output whose a beat is; the circuit does not look at
// data. Of a beat's data the first and the last byte are followed, to keep the proof small; the
// circuit treats all bytes alike.
module roce_out_props
  import roce_pkg::*;
#(
  /// Beats that passed frames may wait in.
  parameter int unsigned PassBeats = 8
) (
  input logic                clk_i,
  input logic                rst_ni,
  // In the first cycle: results keep behind passed frames that came before them.
  input logic                ordered_i,
  input logic [1:0]          follow_i,
  input logic                pass_valid_i,
  input logic                pass_last_i,
  input logic [BytesW-1:0]   pass_bytes_i,
  input logic [BeatBits-1:1] pass_data_i,
  input logic                result_valid_i,
  input logic                result_last_i,
  input logic [BytesW-1:0]   result_bytes_i,
  input logic [BeatBits-1:1] result_data_i,
  input logic                m_axis_tready
);

  logic                 started_q, ordered_q, pass_ready, result_ready;
  logic                 tvalid, tlast, tuser, tx_pass, tx_result;
  logic [9:0]           room;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;
  beat_t                pass, result;

  // What is given to the output has no hole.
  logic whole_pass, whole_result;
  whole_handover u_whole_pass (
    .valid_i(pass_valid_i), .beat_i (pass), .whole_o(whole_pass)
  );
  whole_handover u_whole_result (
    .valid_i(result_valid_i), .beat_i (result), .whole_o(whole_result)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) ordered_q <= ordered_i;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // A beat of a passed frame has 1 to BeatBytes bytes, and all of them unless it is the last.
      e_pass : assume (whole_pass);
      // So has a beat of a result.
      e_result : assume (whole_result);
    end
  end

  assign pass   = '{last: pass_last_i, bytes: pass_bytes_i, data: {pass_data_i, 1'b0}};
  assign result = '{last: result_last_i, bytes: result_bytes_i, data: {result_data_i, 1'b1}};

  roce_out #(
    .PassBeats(PassBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ordered_i     (started_q ? ordered_q : ordered_i),
    .pass_valid_i,
    .pass_ready_o  (pass_ready),
    .pass_i        (pass),
    .pass_bad_i    (1'b0),
    .pass_room_o   (room),
    .result_valid_i,
    .result_ready_o(result_ready),
    .result_i      (result),
    .result_bad_i  (1'b0),
    .m_axis_tvalid (tvalid),
    .m_axis_tready,
    .m_axis_tdata  (tdata),
    .m_axis_tkeep  (tkeep),
    .m_axis_tlast  (tlast),
    .m_axis_tuser  (tuser),
    .tx_pass_o     (tx_pass),
    .tx_result_o   (tx_result)
  );

  // ---------------------------------------------------------------------------------------------
  // [0] passed frames, [1] results: beats inside, and the followed one.

  typedef struct packed {
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [15:0]          data;   // first and last byte
  } sent_t;

  localparam int unsigned CountW = $clog2(PassBeats + 4);

  function automatic sent_t as_sent(beat_t beat);
    as_sent.last = beat.last;
    as_sent.keep = ~('1 << beat.bytes);
    as_sent.data = {beat.data[BeatBits-1-:8], beat.data[7:0]};
  endfunction

  logic  [1:0]             push, pop, followed_q;
  logic  [1:0][CountW-1:0] held_q, ahead_q;
  sent_t [1:0]             in, value_q;
  sent_t                   out;

  assign push = {result_valid_i && result_ready, pass_valid_i && pass_ready};
  assign in   = {as_sent(result), as_sent(pass)};
  assign out  = '{last: tlast, keep: tkeep, data: {tdata[BeatBits-1-:8], tdata[7:0]}};
  assign pop  = {2{tvalid && m_axis_tready}} & {tdata[0], !tdata[0]};

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < 2; s++) begin
      held_q[s] <= held_q[s] + CountW'(push[s]) - CountW'(pop[s]);
      if (!followed_q[s]) begin
        if (push[s] && follow_i[s]) begin
          followed_q[s] <= 1'b1;
          ahead_q[s]    <= held_q[s] - CountW'(pop[s]);
          value_q[s]    <= in[s];
        end
      end else if (pop[s]) begin
        if (ahead_q[s] == '0) followed_q[s] <= 1'b0;
        else ahead_q[s] <= ahead_q[s] - CountW'(1);
      end
      if (!rst_ni) begin
        held_q[s]     <= '0;
        followed_q[s] <= 1'b0;
      end
    end
  end

  // The first bytes, all of them unless the beat is the last.
  function automatic logic whole(sent_t beat);
    whole = beat.keep[0] && (beat.last || beat.keep[BeatBytes-1]) &&
        (beat.keep & ~{beat.keep[BeatBytes-2:0], 1'b1}) == '0;
  endfunction

  // The frame that is leaving.
  logic  inside_q, whose_q, was_held_q;
  sent_t shown_q;
  always_ff @(posedge clk_i) begin
    if (tvalid && m_axis_tready) begin
      inside_q <= !tlast;
      whose_q  <= tdata[0];
    end
    was_held_q <= rst_ni && tvalid && !m_axis_tready;
    shown_q    <= out;
    if (!rst_ni) inside_q <= 1'b0;
  end

  // What left a cycle ago; how much room there was.
  logic [1:0] left_q;
  logic       known_q, pushed_q;
  logic [9:0] room_q;
  always_ff @(posedge clk_i) begin
    left_q   <= rst_ni ? pop & {2{tlast}} : '0;
    known_q  <= rst_ni;
    pushed_q <= push[0];
    room_q   <= room;
  end

  logic [1:0][1:0] in_output;   // beats of each kind in the output's registers

  // The result at the front, seen from outside: whether it has been there for a cycle; passed
  // beats that were in the queue when it came and are yet; and whether the followed passed beat was
  // taken two cycles before it came, or earlier.
  logic              in_result_q, front, front_q, aged_q, earlier_q, earlier, leaves;
  logic [CountW-1:0] queued, older_q, older;

  assign queued  = held_q[0] - CountW'(in_output[0]);
  assign front   = result_valid_i && !in_result_q;
  assign leaves  = u_dut.pass_valid && u_dut.pass_ready;
  assign earlier = followed_q[0] && (front_q ? earlier_q : aged_q);
  assign older   = front_q ? older_q : queued;

  always_ff @(posedge clk_i) begin
    if (push[1]) in_result_q <= !result_last_i;
    front_q   <= (front || front_q) && !push[1];
    aged_q    <= followed_q[0] && !(pop[0] && ahead_q[0] == '0);
    earlier_q <= earlier;
    older_q   <= older - CountW'(leaves && older != '0);
    if (!rst_ni) begin
      in_result_q <= 1'b0;
      front_q     <= 1'b0;
      aged_q      <= 1'b0;
    end
  end

  // Frames of the other kind that started while one of this kind was waiting; with order, of passed
  // frames only those that were not there first.
  logic [1:0]      starts, waits;
  logic [1:0][1:0] overtaken_q;
  assign waits  = {result_valid_i, u_dut.pass_valid};
  assign starts = {2{u_dut.valid && u_dut.ready && !u_dut.inside_q}} &
      {u_dut.source, !u_dut.source};
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < 2; s++) begin
      if (starts[s] || !waits[s] || (u_dut.inside_q && u_dut.source_q == s[0])) begin
        overtaken_q[s] <= '0;
      end else if (starts[1-s] && overtaken_q[s] != '1 &&
          !(s == 1 && ordered_q && older != '0)) begin
        overtaken_q[s] <= overtaken_q[s] + 2'd1;
      end
    end
    if (!rst_ni) overtaken_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nothing leaves that did not come in: no beat leaves twice.
      a_nothing_invented : assert (!tvalid || held_q[tdata[0]] != '0)
      else $error("a beat leaves that did not come in");
      // Every beat leaves in its turn among those of its kind and as it came in, with as many
      // bytes: none is lost, overtaken or changed.
      a_in_order : assert (!(tvalid && followed_q[tdata[0]] && ahead_q[tdata[0]] == '0) ||
                           out == value_q[tdata[0]])
      else $error("another beat than the followed one leaves");
      // A frame leaves whole: no beat of a result leaves inside a passed frame, nor the other way.
      a_never_mixed : assert (!(tvalid && inside_q) || tdata[0] == whose_q)
      else $error("two frames are mixed");
      // What is shown to the MAC stays until it is taken, and is never marked as an error.
      a_stable : assert ((!was_held_q || (tvalid && out == shown_q)) && !tuser)
      else $error("withdrawn or changed");
      // Every beat that leaves is whole but for the last one, which has a byte or more: no frame
      // has a hole.
      a_whole : assert (!tvalid || whole(out))
      else $error("a hole: %h", tkeep);
      // A frame is counted as sent in the cycle after its last beat has left, as what it was.
      a_counted : assert ({tx_result, tx_pass} == left_q)
      else $error("frames are counted wrongly");
      // Room that was told stays until it is used, and with room a passed beat is taken at once: a
      // frame that was moved in because all of it fits never stops halfway.
      a_room : assert (32'(room) <= PassBeats && (pass_ready || room == '0) &&
                       (!known_q || 32'(room) + 32'(pushed_q) >= 32'(room_q)) &&
                       (32'(room) + 32'(u_dut.pass_count) == PassBeats ||
                        32'(room) + 32'(u_dut.pass_count) == PassBeats - 1))
      else $error("room for %0d, was %0d", room, room_q);
      // With order, a result starts only when passed frames that came before it have left the
      // queue: what a host sent before the packet that it answers reaches the next host before it.
      a_behind : assert (!(ordered_q && front && push[1]) || !earlier ||
          ahead_q[0] < CountW'(in_output[0]))
      else $error("a result overtakes an older frame");
      // Who waits with a frame sees one frame of the other kind start at most, and with order the
      // passed frames that were in the queue when a result came: nobody starves the other.
      a_fair : assert (overtaken_q[0] <= 2'd1 && overtaken_q[1] <= 2'd1)
      else $error("starved");
      // Who was overtaken is next (helps the proof).
      a_next : assert ((overtaken_q[0] == '0 || u_dut.source_q) &&
                       (overtaken_q[1] == '0 || !u_dut.source_q))
      else $error("not next");
      // A result is let go when it is known that nothing older is there, and not before; so it is
      // when it was overtaken (helps the proof).
      a_let : assert (!ordered_q || (u_dut.noted_q && u_dut.none_q) ||
          ((u_dut.kept_q || u_dut.source_q) && overtaken_q[1] == '0))
      else $error("let go");
      // The output is idle only when nothing waits, or when the rest of a frame that has begun has
      // not come yet: no frame gets stuck.
      a_works : assert (!u_dut.ready || u_dut.valid || (u_dut.inside_q ?
                        !waits[u_dut.source_q] : waits == '0))
      else $error("something waits for nothing");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where the beats are (helps the proof): the two places of the output, then the queue.

  localparam int unsigned Aw = $clog2(PassBeats);
  logic               first_valid, second_valid, first_of, second_of;
  logic [1:0]         where;           // the followed beat is where it should be
  logic [Aw:0]        at, fetched_ahead, count;
  logic [CountW-1:0]  behind;
  sent_t              first, second;

  assign first_valid  = u_dut.u_beats.valid_q;
  assign second_valid = u_dut.u_beats.count_q == 2'd2;
  assign first_of     = u_dut.u_beats.mem_q[u_dut.u_beats.read_q].source;
  assign second_of    = u_dut.u_beats.mem_q[~u_dut.u_beats.read_q].source;
  assign first        = {u_dut.u_beats.mem_q[u_dut.u_beats.read_q].last,
                         u_dut.u_beats.mem_q[u_dut.u_beats.read_q].keep,
                         u_dut.u_beats.mem_q[u_dut.u_beats.read_q].data[BeatBits-1-:8],
                         u_dut.u_beats.mem_q[u_dut.u_beats.read_q].data[7:0]};
  assign second       = {u_dut.u_beats.mem_q[~u_dut.u_beats.read_q].last,
                         u_dut.u_beats.mem_q[~u_dut.u_beats.read_q].keep,
                         u_dut.u_beats.mem_q[~u_dut.u_beats.read_q].data[BeatBits-1-:8],
                         u_dut.u_beats.mem_q[~u_dut.u_beats.read_q].data[7:0]};

  assign behind        = ahead_q[0] - CountW'(in_output[0]);
  assign at            = u_dut.u_pass.gen_plain.u_fifo.read_q + (Aw + 1)'(behind);
  assign fetched_ahead = u_dut.u_pass.gen_plain.u_fifo.fetch_q -
      u_dut.u_pass.gen_plain.u_fifo.read_q;
  assign count         = u_dut.u_pass.gen_plain.u_fifo.write_q -
      u_dut.u_pass.gen_plain.u_fifo.read_q;

  always_comb begin
    for (int unsigned s = 0; s < 2; s++) begin
      in_output[s] = 2'(first_valid && first_of == s[0]) + 2'(second_valid && second_of == s[0]);
      where[s]     = ((first_valid && first_of == s[0] && ahead_q[s] == '0) ? first : second) ==
          value_q[s];
    end
    if (ahead_q[0] >= CountW'(in_output[0])) begin
      if (32'(behind) >= 32'(fetched_ahead)) begin
        where[0] = as_sent(u_dut.u_pass.gen_plain.u_fifo.u_ram.mem[at[Aw-1:0]]) == value_q[0];
      end else begin
        where[0] = as_sent(u_dut.u_pass.gen_plain.u_fifo.ram_data) == value_q[0];
      end
    end
  end

  function automatic logic sized(beat_t beat);
    sized = !beat.data[0] && beat.bytes != '0 && beat.bytes <= BytesW'(BeatBytes) &&
        (beat.last || beat.bytes == BytesW'(BeatBytes));
  endfunction

  // All beats in the queue, and the one that is shown, have no hole, and bit 0 is 0.
  logic [PassBeats:0] right;
  always_comb begin
    right = '1;
    for (int unsigned i = 0; i < PassBeats; i++) begin
      right[i] = i >= 32'(count) || sized(u_dut.u_pass.gen_plain.u_fifo.u_ram.mem[
          Aw'(u_dut.u_pass.gen_plain.u_fifo.read_q + (Aw + 1)'(i))]);
    end
    right[PassBeats] = !u_dut.u_pass.gen_plain.u_fifo.valid_q ||
        sized(u_dut.u_pass.gen_plain.u_fifo.ram_data);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The front of the results and the older beats are those that the circuit knows of (helps the
      // proof).
      a_front : assert (in_result_q == (u_dut.inside_q && u_dut.source_q) &&
          !(in_result_q && front_q) && u_dut.ordered_q == ordered_q &&
          u_dut.noted_q == front_q && (!front_q ||
          (u_dut.older_q == older_q && u_dut.none_q == (older_q == '0))) &&
          32'(older) <= 32'(count))
      else $error("older: %0d, %0d", u_dut.older_q, older_q);
      // The followed beat is among them if it came earlier, and then one is shown (helps the
      // proof).
      a_among : assert (!earlier || !(front || front_q) || 32'(ahead_q[0]) < 32'(in_output[0]) ||
          (32'(behind) < 32'(older) && u_dut.pass_valid))
      else $error("older: %0d", older);
      a_aged : assert (!aged_q || (followed_q[0] && (u_dut.pass_valid ||
          32'(ahead_q[0]) < 32'(in_output[0]))))
      else $error("not shown");
      // Beats inside are those in the queue and in the output's registers, which are filled in
      // order (helps the proof).
      a_held : assert (held_q[0] == CountW'(count) + CountW'(in_output[0]) &&
                       held_q[1] == CountW'(in_output[1]) && (!second_valid || first_valid) &&
                       32'(count) <= PassBeats)
      else $error("%0d and %0d inside", held_q[0], held_q[1]);
      // The queue's pointers agree (helps the proof).
      a_pointers : assert (u_dut.u_pass.gen_plain.u_fifo.commit_q ==
          u_dut.u_pass.gen_plain.u_fifo.write_q &&
          fetched_ahead <= count &&
          fetched_ahead == (Aw + 1)'(u_dut.u_pass.gen_plain.u_fifo.valid_q) &&
          32'(count) <= PassBeats && pass_ready == (32'(count) < PassBeats))
      else $error("pointers disagree");
      // Bit 0 tells whose a beat is (helps the proof).
      a_whose : assert ((!first_valid || first_of == first.data[0]) &&
                        (!second_valid || second_of == second.data[0]))
      else $error("another source");
      // Of all in the queue it is 0, and none has a hole (helps the proof).
      a_zero : assert (right == '1)
      else $error("another source in the queue");
      // Beats in the output's registers are whole (helps the proof).
      a_wholes : assert ((!first_valid || whole(first)) && (!second_valid || whole(second)))
      else $error("a hole");
      // The output's second place is the one behind its first (helps the proof).
      a_places : assert ((u_dut.u_beats.write_q ^ u_dut.u_beats.read_q) == u_dut.u_beats.count_q[0])
      else $error("written to the wrong place");
      // The followed beats are where they should be (helps the proof).
      a_where : assert ((!followed_q[0] || (where[0] && ahead_q[0] < held_q[0])) &&
                        (!followed_q[1] || (where[1] && ahead_q[1] < held_q[1])))
      else $error("a followed beat is elsewhere");
      // The frame that is leaving is the one at the output's registers' front (helps the proof).
      a_frame : assert (second_valid ?
          (u_dut.inside_q == !second.last && u_dut.source_q == second_of &&
           (first.last || first_of == second_of) && (!inside_q || first_of == whose_q)) :
          first_valid ?
          (u_dut.inside_q == !first.last && u_dut.source_q == first_of &&
           (!inside_q || first_of == whose_q)) :
          (u_dut.inside_q == inside_q && (!inside_q || u_dut.source_q == whose_q)))
      else $error("frames disagree");
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A result leaves in front of a followed beat of a passed frame.
      c_turns : cover (pop[1] && tlast && followed_q[0] && ahead_q[0] == '0 && held_q[0] > 1);
      // A followed beat leaves after it had to wait.
      c_leaves : cover (pop[0] && followed_q[0] && ahead_q[0] == '0 && was_held_q);
      // Two passed frames that were there first leave in front of a result that waits for them.
      c_order : cover (front_q && starts[0] && older == CountW'(1) && ordered_q &&
          overtaken_q[1] == '0 && left_q[0] && u_dut.pass_valid);
      // All places are taken.
      c_full : cover (room == '0);
    end
  end

endmodule
