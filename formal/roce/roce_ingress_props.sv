// roce_ingress: what comes in on AXI4-Stream leaves whole or not at all.
//
// What the ICRC check and the parser say is left out of the circuit and free (`cuts` of the task):
// any verdict and any descriptor at any time. They are proved by themselves (roce_icrc_check,
// roce_parse); here it matters that the verdict of a frame is taken five cycles after its last beat
// was handed to them, and what is done with it. The proof goes as far as what is written into the
// two queues, committed and rolled back; prim_frame_fifo and prim_fifo prove that queues show what
// was committed, in order, once, unchanged, and nothing else.
module roce_ingress_props #(
  /// Beats of the frame FIFO.
  parameter int unsigned FifoBeats = 16,
  /// Longest frame, bytes.
  parameter int unsigned MaxFrameBytes = 100,
  /// Descriptors that may wait.
  parameter int unsigned DescFrames = 9
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         s_axis_tvalid,
  input logic [511:0] s_axis_tdata,
  input logic [63:0]  s_axis_tkeep,
  input logic         s_axis_tlast,
  input logic         s_axis_tuser,
  input logic         desc_ready_i,
  input logic         beat_ready_i
);
  import roce_pkg::*;

  logic        started_q, tready, desc_valid, beat_valid, rx, drop_valid;
  frame_desc_t desc;
  beat_t       beat;
  fate_e       drop_fate;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  roce_ingress #(
    .FifoBeats    (FifoBeats),
    .MaxFrameBytes(MaxFrameBytes),
    .DescFrames   (DescFrames)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready(tready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .notes_i      (1'b0),
    .desc_valid_o (desc_valid),
    .desc_ready_i,
    .desc_o       (desc),
    .beat_valid_o (beat_valid),
    .beat_ready_i,
    .beat_o       (beat),
    .rx_o         (rx),
    .drop_valid_o (drop_valid),
    .drop_fate_o  (drop_fate)
  );

  // ---------------------------------------------------------------------------------------------
  // Beats as they come, and as they are 1 to 6 cycles later.

  localparam int unsigned Stages = 6;
  localparam int unsigned MaxBeats = (MaxFrameBytes + 63) / 64;

  typedef struct packed {
    logic         first;
    logic         last;
    logic [8:0]   index;    // in its frame; stays at 511
    logic         shaped;   // `tkeep` is as the rule says, and so:
    logic [6:0]   bytes;
    logic         earlier;   // an error in the frame in front of this beat
    logic         error;    // with this beat
    logic [511:0] data;
  } came_t;

  /// The frame, up to this beat, is longer than it may be.
  function automatic logic too_long(came_t came);
    too_long = {1'b0, came.index, 6'd0} + 16'(came.bytes) > 16'(MaxFrameBytes);
  endfunction

  logic                   take, between_q;
  logic                   error_q;
  logic [8:0]             index_q;
  came_t                  now;
  logic  [Stages:1]       valid_q;
  came_t [Stages:1]       came_q;

  assign take = s_axis_tvalid && tready;

  always_comb begin
    now       = '0;
    now.first = between_q;
    now.last  = s_axis_tlast;
    now.index = between_q ? '0 : index_q + 9'(index_q != '1);
    now.data  = s_axis_tdata;
    for (int unsigned n = 1; n <= 64; n++) begin
      if (s_axis_tkeep == ~64'd0 >> (64 - n)) begin
        now.shaped = s_axis_tlast || n == 64;
        now.bytes  = 7'(n);
      end
    end
    now.earlier = !between_q && error_q;
    now.error  = now.earlier || s_axis_tuser || !now.shaped;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Stages-1:1], take};
    came_q  <= {came_q[Stages-1:1], now};
    if (take) begin
      between_q <= s_axis_tlast;
      error_q   <= now.error;
      index_q   <= now.index;
    end
    if (!rst_ni) begin
      valid_q   <= '0;
      between_q <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Six cycles after it came, a frame's last beat decides.

  logic        ends, good, bad, push;
  fate_e       fate;
  came_t       arrives;
  beat_t       kept;
  frame_desc_t described;

  assign arrives = came_q[Stages];
  assign ends    = valid_q[Stages] && arrives.last;
  assign good    = ends && fate == FatePassed;
  assign bad     = ends && fate != FatePassed;
  assign push    = valid_q[Stages] && 32'(arrives.index) < MaxBeats;

  always_comb begin
    if (arrives.error) fate = FateFrameError;
    else if (too_long(arrives)) fate = FateOversize;
    else if (u_dut.is_roce && (u_dut.ragged || !u_dut.icrc_good)) fate = FateBadIcrc;
    else fate = FatePassed;

    kept.last = arrives.last;
    kept.bytes = arrives.bytes;
    kept.data  = arrives.data;

    described       = u_dut.desc;
    described.beats = arrives.index + 9'd1;
  end

  logic [31:0] held, descs;   // inside the queues
  assign held  = 32'(u_dut.fifo_count);
  assign descs = 32'(u_dut.desc_count);

  logic  bad_q, quiet_q;
  fate_e fate_q;
  always_ff @(posedge clk_i) begin
    bad_q   <= rst_ni && bad;
    fate_q  <= fate;
    quiet_q <= rst_ni && held + 8 <= FifoBeats && descs + 8 <= DescFrames;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each frame that came is counted as received, once.
      a_received : assert (rx == (valid_q[1] && came_q[1].last))
      else $error("received %b", rx);
      // Each frame that is not handed on is counted as dropped, once, with the first reason that
      // holds: error, oversize, wrong ICRC. What is handed on is not counted as dropped.
      a_dropped : assert (drop_valid == bad_q && (!bad_q || drop_fate == fate_q))
      else $error("dropped %b for %0d", drop_valid, drop_fate);
      // Every beat goes into the queue once, in its turn and as it came, but those that only a
      // frame that is too long has; of a beat that breaks the rule of `tkeep` no length is known,
      // and its frame is dropped.
      a_written : assert (u_dut.u_beats.in_valid_i == push && (!push ||
                          (u_dut.beat.last == kept.last && u_dut.beat.data == kept.data &&
                          (!arrives.shaped || u_dut.beat.bytes == kept.bytes))))
      else $error("written %b, arrives %b", u_dut.write, push);
      // A frame's last beat commits the frame if it is good and takes all of it back if not;
      // nothing else does. So a frame with an error, or too long, or with a wrong ICRC leaves
      // nothing, and no frame's fate is left open.
      a_settled : assert (u_dut.u_beats.commit_i == good && u_dut.u_beats.rollback_i == bad)
      else $error("good %b, bad %b", good, bad);
      // A frame with a wrong ICRC, with an error from the MAC, or too long touches nothing: with
      // its last beat all of it is taken back, and it has no descriptor. So no port, no slot and no
      // sum ever sees a byte of it; it is only counted.
      a_untouched : assert (!bad || (u_dut.u_beats.rollback_i && !u_dut.u_beats.commit_i &&
                                     !u_dut.u_descs.in_valid_i))
      else $error("a bad frame is handed on");
      // A good frame, and no other, has a descriptor, made in the cycle in which its beats become
      // readable, with its number of beats and what the parser said of it.
      a_described : assert (u_dut.u_descs.in_valid_i == good &&
                            (!good || (u_dut.desc_full == described && push)))
      else $error("another descriptor");
      // With half of its queues free the port takes what comes: it never stands still by itself.
      a_takes : assert (!quiet_q || tready)
      else $error("not ready");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Helping invariants: the delay line holds what came.

  logic [Stages:1] same;
  always_comb begin
    same    = '0;
    same[1] = u_dut.valid1_q == valid_q[1] && (!valid_q[1] ||
        (u_dut.first1_q == came_q[1].first && u_dut.last1_q == came_q[1].last &&
         u_dut.index1_q == came_q[1].index && u_dut.data1_q == came_q[1].data &&
         shape_of(u_dut.keep1_q, u_dut.last1_q) == came_q[1].shaped &&
         (!came_q[1].shaped || u_dut.keep1_q == ~64'd0 >> (7'd64 - came_q[1].bytes)) &&
         came_q[1].error == (came_q[1].earlier || u_dut.user1_q || !came_q[1].shaped)));
    for (int unsigned s = 2; s <= Stages; s++) begin
      same[s] = u_dut.valid_q[s] == valid_q[s] && (!valid_q[s] ||
          (u_dut.last_q[s] == came_q[s].last && u_dut.index_q[s] == came_q[s].index &&
           u_dut.data_q[s] == came_q[s].data &&
           (!came_q[s].shaped || 7'(u_dut.top_q[s]) + 7'd1 == came_q[s].bytes)));
    end
    if (valid_q[2]) begin
      same[2] = same[2] && u_dut.first2_q == came_q[2].first &&
          came_q[2].error == (came_q[2].earlier || u_dut.bad2_q);
    end
    for (int unsigned s = 3; s <= Stages; s++) begin
      if (valid_q[s]) begin
        same[s] = same[s] && u_dut.error_q[s] == came_q[s].error &&
            (came_q[s].error || u_dut.long_q[s] == too_long(came_q[s]));
      end
    end
  end

  function automatic logic shape_of(logic [63:0] keep, logic last);
    shape_of = keep[0] && (keep & (keep + 64'd1)) == '0 && (last || keep[63]);
  endfunction

  // Errors in front of a beat are those of the beat in front of it, gaps or not.
  logic before_ok;
  always_comb begin
    before_ok = between_q || (valid_q[1] ? error_q == came_q[1].error :
                               valid_q[2] ? error_q == came_q[2].error :
                               error_q == u_dut.error_q[3]);
    if (valid_q[1] && !came_q[1].first) begin
      before_ok = before_ok && came_q[1].earlier ==
          (valid_q[2] ? came_q[2].error : u_dut.error_q[3]);
    end
    if (valid_q[2] && !came_q[2].first) begin
      before_ok = before_ok && came_q[2].earlier == u_dut.error_q[3];
    end
    for (int unsigned s = 1; s <= Stages; s++) begin
      if (valid_q[s] && came_q[s].first) before_ok = before_ok && !came_q[s].earlier;
      if (valid_q[s]) before_ok = before_ok && (came_q[s].shaped || came_q[s].error);
      if (valid_q[s]) begin
        before_ok = before_ok &&
            (!came_q[s].shaped || (came_q[s].bytes != '0 && came_q[s].bytes <= 7'd64));
      end
    end
  end

  // Beats and last beats in the delay line.
  logic [3:0] beats_under_way, lasts_under_way;
  always_comb begin
    beats_under_way = '0;
    lasts_under_way = '0;
    for (int unsigned s = 1; s <= Stages; s++) begin
      beats_under_way = beats_under_way + 4'(valid_q[s]);
      lasts_under_way = lasts_under_way + 4'(valid_q[s] && came_q[s].last);
    end
  end

  // Places whose descriptor agrees with its flag, and all that are empty.
  logic [DescFrames-1:0] flags;
  always_comb begin
    for (int unsigned i = 0; i < DescFrames; i++) begin
      flags[i] = (i + DescFrames - 32'(u_dut.u_descs.read_q)) % DescFrames >=
              32'(u_dut.u_descs.count_q) ||
          u_dut.u_descs.mem_q[i].candidate == u_dut.u_candidates.mem_q[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The delay line holds what came (helps the proof).
      a_same : assert (same == '1 && u_dut.between_q == between_q &&
                       (between_q || u_dut.index1_q == index_q))
      else $error("delay line");
      // Errors are remembered from beat to beat (helps the proof).
      a_before : assert (before_ok)
      else $error("errors");
      // The CRC is in step with the ICRC check (helps the proof).
      a_step : assert (u_dut.u_icrc_check.u_crc.valid_q == u_dut.u_icrc_check.valid_q[2:1] &&
          (u_dut.u_icrc_check.u_crc.valid_q & (u_dut.u_icrc_check.u_crc.last_q ^
                                               u_dut.u_icrc_check.ends_q[2:1])) == '0)
      else $error("out of step");
      // Descriptors and their flags stand in the same places (helps the proof).
      a_flags : assert (flags == '1 && u_dut.u_candidates.read_q == u_dut.u_descs.read_q &&
                        u_dut.u_candidates.write_q == u_dut.u_descs.write_q &&
                        32'(u_dut.u_descs.read_q) < DescFrames &&
                        32'(u_dut.u_descs.write_q) == (32'(u_dut.u_descs.read_q) +
                                                       32'(u_dut.u_descs.count_q)) % DescFrames &&
                        (u_dut.u_descs.count_q == '0 || u_dut.candidate ==
                         u_dut.u_candidates.mem_q[u_dut.u_descs.read_q]))
      else $error("flags %b", flags);
      // There is room for all that is under way (helps the proof).
      a_under_way : assert (held + 32'(beats_under_way) <= FifoBeats &&
                            descs + 32'(lasts_under_way) <= DescFrames &&
                            (!tready || (held + 7 <= FifoBeats &&
                                         descs + 7 <= DescFrames)))
      else $error("no room");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Helping invariants: the two queues.

  // Only `last` of the beats matters here, and that what has left the RAM is still in it.
  localparam int unsigned Aw = $clog2(FifoBeats);
  localparam int unsigned LastAt = $bits(beat_t) - 1;
  logic [FifoBeats-1:0] lasts;
  logic [Aw:0]          fetched_ahead, readable, older_q, older;
  logic                 still;

  assign fetched_ahead = u_dut.u_beats.gen_plain.u_fifo.fetch_q -
      u_dut.u_beats.gen_plain.u_fifo.read_q;
  assign readable      = u_dut.u_beats.gen_plain.u_fifo.commit_q -
      u_dut.u_beats.gen_plain.u_fifo.read_q;
  assign older         = older_q - u_dut.u_beats.gen_plain.u_fifo.read_q;

  always_comb begin
    for (int unsigned i = 0; i < FifoBeats; i++) begin
      lasts[i] = u_dut.u_beats.gen_plain.u_fifo.u_ram.mem[i][LastAt];
    end
    still = !u_dut.u_beats.gen_plain.u_fifo.valid_q ||
        u_dut.u_beats.gen_plain.u_fifo.ram_data[LastAt] ==
            lasts[Aw'(u_dut.u_beats.gen_plain.u_fifo.read_q)];
  end

  always_ff @(posedge clk_i) older_q <= rst_ni ? u_dut.u_beats.gen_plain.u_fifo.commit_q : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Pointers of the beats' queue (helps the proof).
      a_pointers : assert (readable <= (Aw + 1)'(held) && held <= FifoBeats &&
                           fetched_ahead <= readable &&
                           fetched_ahead == (Aw + 1)'(u_dut.u_beats.gen_plain.u_fifo.valid_q))
      else $error("pointers disagree");
      // What has left the RAM is still in it (helps the proof).
      a_still : assert (still)
      else $error("beats disagree");
      // What was committed a cycle ago is what is committed, or less (helps the proof).
      a_older : assert (older <= readable || older == '1)
      else $error("older than what was read");
      // A beat that was committed a cycle ago is shown, unless one in front of it is (helps the
      // proof).
      a_pulled : assert (older == '1 || older == '0 || u_dut.u_beats.gen_plain.u_fifo.valid_q)
      else $error("not fetched");
      // The newest of the readable beats is a frame's last (helps the proof).
      a_newest : assert ((readable == '0 ? !u_dut.inside_q :
                          lasts[Aw'(u_dut.u_beats.gen_plain.u_fifo.commit_q - (Aw + 1)'(1))]) &&
                         (older == '0 || older == '1 || lasts[Aw'(older_q - (Aw + 1)'(1))]) &&
                         (older != '0 || !u_dut.inside_q))
      else $error("half a frame is readable");
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame is rolled back while one in front of it is being read.
      c_rolled_back : cover (bad_q && beat_valid && !beat.last && fate_q == FateBadIcrc);
      // A frame is dropped because it is too long.
      c_oversize : cover (bad_q && fate_q == FateOversize);
      // The port has to wait for room.
      c_waits : cover (s_axis_tvalid && !tready && descs + 8 > DescFrames);
    end
  end

endmodule
