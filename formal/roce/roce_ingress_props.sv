// roce_ingress: what comes in on AXI4-Stream leaves whole or not at all.
//
// What the ICRC check and the parser say is left out of the circuit and free (`cuts` of the task): any verdict and any
// descriptor at any time. They are proved by themselves (roce_icrc_check, roce_parse); here it matters that the verdict of
// a frame is taken five cycles after its last beat was handed to them, and what is done with it. Of a beat's data the first
// and the last byte are followed, of a descriptor `beats`, PSN, `candidate` and `len_bad`, to keep the proof small; the
// circuit treats the rest alike.
module roce_ingress_props #(
  /// Beats of the frame FIFO.
  parameter int unsigned FifoBeats = 16,
  /// Longest frame, bytes.
  parameter int unsigned MaxFrameBytes = 200,
  /// Descriptors that may wait.
  parameter int unsigned DescFrames = 9
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         follow_beat_i,
  input logic         follow_desc_i,
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
    logic         long;     // the frame so far is longer than it may be
    logic [15:0]  data;     // first and last byte
  } came_t;

  /// What is followed of a beat and of a descriptor.
  typedef struct packed {
    logic        last;
    logic [6:0]  bytes;
    logic [15:0] data;
  } seen_t;

  typedef struct packed {
    logic [8:0]  beats;
    logic [23:0] psn;
    logic        candidate;
    logic        len_bad;
  } about_t;

  function automatic logic [15:0] ends_of(logic [511:0] data);
    ends_of = {data[511:504], data[7:0]};
  endfunction

  function automatic seen_t see(beat_t b);
    see = '{last: b.last, bytes: b.bytes, data: ends_of(b.data)};
  endfunction

  function automatic about_t tell(frame_desc_t d);
    tell = '{beats: d.beats, psn: d.psn, candidate: d.candidate, len_bad: d.len_bad};
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
    now.data  = ends_of(s_axis_tdata);
    for (int unsigned n = 1; n <= 64; n++) begin
      if (s_axis_tkeep == ~64'd0 >> (64 - n)) begin
        now.shaped = s_axis_tlast || n == 64;
        now.bytes  = 7'(n);
      end
    end
    now.earlier = !between_q && error_q;
    now.error  = now.earlier || s_axis_tuser || !now.shaped;
    now.long   = 32'(now.index) * 64 + 32'(now.bytes) > MaxFrameBytes;
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
  seen_t       kept;
  about_t      described;

  assign arrives = came_q[Stages];
  assign ends    = valid_q[Stages] && arrives.last;
  assign good    = ends && fate == FatePassed;
  assign bad     = ends && fate != FatePassed;
  assign push    = valid_q[Stages] && 32'(arrives.index) < MaxBeats;

  always_comb begin
    if (arrives.error) fate = FateFrameError;
    else if (arrives.long) fate = FateOversize;
    else if (u_dut.is_roce && (u_dut.ragged || !u_dut.icrc_good)) fate = FateBadIcrc;
    else fate = FatePassed;

    kept.last = arrives.last;
    // Of a beat that breaks the rule no length is known; its frame is dropped.
    kept.bytes = arrives.shaped ? arrives.bytes : u_dut.beat.bytes;
    kept.data  = arrives.data;

    described       = tell(u_dut.desc);
    described.beats = arrives.index + 9'd1;
  end

  localparam int unsigned BeatW = $clog2(FifoBeats + 2);
  localparam int unsigned DescW = $clog2(DescFrames + 2);
  logic [BeatW-1:0] held, readable, ahead;
  logic [DescW-1:0] descs, descs_readable, desc_ahead;
  logic             followed, desc_followed;
  seen_t            value;
  about_t           desc_value;

  // The beats of good frames, in order, once, as they came; of no other frame a beat is ever shown.
  queue_watch #(
    .Width  ($bits(seen_t)),
    .Places (FifoBeats),
    .Latency(3)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .follow_i   (follow_beat_i),
    .push_i     (push),
    .in_i       (kept),
    .commit_i   (good),
    .rollback_i (bad),
    .out_valid_i(beat_valid),
    .out_ready_i(beat_ready_i),
    .out_i      (see(beat)),
    .inside_o   (held),
    .readable_o (readable),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );

  // One descriptor for each good frame, made in the cycle in which its beats become readable.
  queue_watch #(
    .Width  ($bits(about_t)),
    .Places (DescFrames),
    .Latency(1)
  ) u_descs (
    .clk_i,
    .rst_ni,
    .follow_i   (follow_desc_i),
    .push_i     (good),
    .in_i       (described),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(desc_valid),
    .out_ready_i(desc_ready_i),
    .out_i      (tell(desc)),
    .inside_o   (descs),
    .readable_o (descs_readable),
    .followed_o (desc_followed),
    .ahead_o    (desc_ahead),
    .value_o    (desc_value)
  );

  logic  ended_q, bad_q, quiet_q;
  fate_e fate_q;
  always_ff @(posedge clk_i) begin
    ended_q <= rst_ni && ends;
    bad_q   <= rst_ni && bad;
    fate_q  <= fate;
    quiet_q <= rst_ni && 32'(held) + 8 <= FifoBeats && 32'(descs) + 8 <= DescFrames;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each frame that came is counted as received, once.
      a_received : assert (rx == (valid_q[1] && came_q[1].last))
      else $error("received %b", rx);
      // Each frame that is not handed on is counted as dropped, once, with the first reason that holds: error, oversize,
      // wrong ICRC. What is handed on is not counted as dropped.
      a_dropped : assert (drop_valid == bad_q && (!bad_q || drop_fate == fate_q))
      else $error("dropped %b for %0d", drop_valid, drop_fate);
      // A frame whose last beat is inside the device is handed on or dropped: its fate is never left open.
      a_settled : assert (u_dut.ends == ends && (!ends || u_dut.drop == (fate != FatePassed)))
      else $error("frame %b, dropped %b", u_dut.ends, u_dut.drop);
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
         u_dut.index1_q == came_q[1].index && ends_of(u_dut.data1_q) == came_q[1].data &&
         shape_of(u_dut.keep1_q, u_dut.last1_q) == came_q[1].shaped &&
         (!came_q[1].shaped || u_dut.keep1_q == ~64'd0 >> (7'd64 - came_q[1].bytes)) &&
         came_q[1].error == (came_q[1].earlier || u_dut.user1_q || !came_q[1].shaped)));
    for (int unsigned s = 2; s <= Stages; s++) begin
      same[s] = u_dut.valid_q[s] == valid_q[s] && (!valid_q[s] ||
          (u_dut.last_q[s] == came_q[s].last && u_dut.index_q[s] == came_q[s].index &&
           ends_of(u_dut.data_q[s]) == came_q[s].data &&
           (!came_q[s].shaped || 7'(u_dut.top_q[s]) + 7'd1 == came_q[s].bytes)));
    end
    if (valid_q[2]) begin
      same[2] = same[2] && u_dut.first2_q == came_q[2].first &&
          came_q[2].error == (came_q[2].earlier || u_dut.bad2_q);
    end
    for (int unsigned s = 3; s <= Stages; s++) begin
      if (valid_q[s]) begin
        same[s] = same[s] && u_dut.error_q[s] == came_q[s].error &&
            (came_q[s].error || u_dut.long_q[s] == came_q[s].long);
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
        before_ok = before_ok && came_q[s].long ==
            (32'(came_q[s].index) * 64 + 32'(came_q[s].bytes) > MaxFrameBytes) &&
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
      // There is room for all that is under way (helps the proof).
      a_under_way : assert (32'(held) + 32'(beats_under_way) <= FifoBeats &&
                            32'(descs) + 32'(lasts_under_way) <= DescFrames &&
                            (!tready || (32'(held) + 7 <= FifoBeats &&
                                         32'(descs) + 7 <= DescFrames)))
      else $error("no room");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Helping invariants: the two queues.

  localparam int unsigned Aw = $clog2(FifoBeats);
  localparam int unsigned Dw = $clog2(DescFrames);
  logic [Aw:0]   fetched_ahead, at, newest, older_q;
  logic [3:0]    front_same;
  logic          fetched_same;
  seen_t         at_beat, newest_beat, older_beat;
  logic [Dw-1:0] desc_at;
  logic [Dw:0]   desc_sum;

  assign fetched_ahead = u_dut.u_beats.fetch_q - u_dut.u_beats.read_q;
  assign at            = u_dut.u_beats.read_q + (Aw + 1)'(ahead);
  assign newest        = u_dut.u_beats.commit_q - (Aw + 1)'(1);
  assign at_beat       = see(u_dut.u_beats.u_ram.mem[at[Aw-1:0]]);
  assign newest_beat   = see(u_dut.u_beats.u_ram.mem[newest[Aw-1:0]]);
  assign older_beat    = see(u_dut.u_beats.u_ram.mem[Aw'(older_q - (Aw + 1)'(1))]);
  assign desc_sum      = (Dw + 1)'(u_dut.u_descs.read_q) + (Dw + 1)'(desc_ahead);
  assign desc_at       = (32'(desc_sum) >= DescFrames) ?
      Dw'(desc_sum - (Dw + 1)'(DescFrames)) : Dw'(desc_sum);

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      front_same[i] = i >= 32'(u_dut.u_beats.ahead_count) ||
          see(u_dut.u_beats.u_ahead.mem_q[2'(u_dut.u_beats.u_ahead.read_q + 2'(i))]) ==
          see(u_dut.u_beats.u_ram.mem[Aw'(u_dut.u_beats.read_q + (Aw + 1)'(i))]);
    end
    fetched_same = !u_dut.u_beats.fetched_q || see(u_dut.u_beats.ram_data) ==
        see(u_dut.u_beats.u_ram.mem[Aw'(u_dut.u_beats.fetch_q - (Aw + 1)'(1))]);
  end

  always_ff @(posedge clk_i) older_q <= rst_ni ? u_dut.u_beats.commit_q : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Pointers of the beats' queue (helps the proof).
      a_pointers : assert (u_dut.u_beats.write_q - u_dut.u_beats.read_q == (Aw + 1)'(held) &&
                           u_dut.u_beats.commit_q - u_dut.u_beats.read_q == (Aw + 1)'(readable) &&
                           32'(fetched_ahead) <= 32'(readable) && 32'(fetched_ahead) <= 4 &&
                           32'(fetched_ahead) == 32'(u_dut.u_beats.ahead_count) +
                               32'(u_dut.u_beats.fetched_q) &&
                           u_dut.u_beats.u_ahead.write_q == 2'(u_dut.u_beats.u_ahead.read_q +
                               2'(u_dut.u_beats.ahead_count)))
      else $error("pointers disagree");
      // What has left the RAM is still in it, and the followed beat is (helps the proof).
      a_where : assert (front_same == '1 && fetched_same && (!followed || at_beat == value))
      else $error("beats disagree");
      // A committed beat is left in the RAM for one cycle at most, unless one in front of it is just coming out or the front
      // queue is about full (helps the proof).
      a_pulled : assert (!((Aw + 1)'(older_q - u_dut.u_beats.read_q) <= (Aw + 1)'(FifoBeats) &&
                           (Aw + 1)'(older_q - u_dut.u_beats.read_q) > fetched_ahead) ||
                         u_dut.u_beats.fetched_q || 32'(u_dut.u_beats.ahead_count) >= 3)
      else $error("not fetched");
      // The newest of the readable beats is a frame's last (helps the proof).
      a_newest : assert ((readable == '0 ? !u_dut.inside_q : newest_beat.last) &&
                         (older_q == u_dut.u_beats.read_q || readable == '0 ||
                          32'((Aw + 1)'(older_q - u_dut.u_beats.read_q)) > FifoBeats ||
                          older_beat.last))
      else $error("half a frame is readable");
      // Pointers of the descriptors' queue (helps the proof).
      a_descs : assert (32'(u_dut.u_descs.count_q) == 32'(descs) &&
                        32'(u_dut.u_descs.read_q) < DescFrames &&
                        32'(u_dut.u_descs.write_q) < DescFrames &&
                        (32'(u_dut.u_descs.write_q) == 32'(u_dut.u_descs.read_q) + 32'(descs) ||
                         32'(u_dut.u_descs.write_q) + DescFrames ==
                             32'(u_dut.u_descs.read_q) + 32'(descs)) &&
                        (!desc_followed || tell(u_dut.u_descs.mem_q[desc_at]) == desc_value))
      else $error("descriptors disagree");
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame is rolled back while one in front of it is being read.
      c_rolled_back : cover (bad_q && beat_valid && !beat.last && fate_q == FateBadIcrc);
      // A frame is dropped because it is too long.
      c_oversize : cover (bad_q && fate_q == FateOversize);
      // The port has to wait for room.
      c_waits : cover (s_axis_tvalid && !tready && 32'(held) + 8 > FifoBeats);
    end
  end

endmodule
