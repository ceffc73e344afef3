// roce_ingress between its parts: what parser and ICRC check are shown of each beat, what is
// written of it six cycles behind, and what its frame's end decides, for any beats and whatever the
// parts say. (That whole frames leave or nothing is roce_ingress's proof.)
module ingress_line_props
  import roce_pkg::*;
#(
  parameter int unsigned FifoBeats = 16,
  parameter int unsigned MaxFrameBytes = 100,
  parameter int unsigned DescFrames = 9,
  localparam int unsigned MaxBeats = 2
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 s_axis_tvalid,
  input logic [BeatBits-1:0]  s_axis_tdata,
  input logic [BeatBytes-1:0] s_axis_tkeep,
  input logic                 s_axis_tlast,
  input logic                 s_axis_tuser,
  input logic                 notes_i,
  input logic                 desc_ready_i,
  input logic                 beat_ready_i
);

  logic        tready, desc_valid, beat_valid, beat_bad, rx, drop_valid, corrected, bad;
  frame_desc_t desc;
  beat_t       beat;
  fate_e       drop_fate;

  roce_ingress #(
    .FifoBeats    (FifoBeats),
    .MaxFrameBytes(MaxFrameBytes),
    .DescFrames   (DescFrames),
    .Notes        (1),
    .Ecc          (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready(tready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .notes_i,
    .desc_valid_o (desc_valid),
    .desc_ready_i,
    .desc_o       (desc),
    .beat_valid_o (beat_valid),
    .beat_ready_i,
    .beat_o       (beat),
    .beat_bad_o   (beat_bad),
    .rx_o         (rx),
    .drop_valid_o (drop_valid),
    .drop_fate_o  (drop_fate),
    .corrected_o  (corrected),
    .bad_o        (bad)
  );

  // ---------------------------------------------------------------------------------------------
  // Beats as they were one to six cycles ago.

  typedef struct packed {
    logic                first;
    logic                last;
    logic [8:0]          index;   // in its frame, 511 at most
    logic [ByteW-1:0]    top;     // its last byte
    logic                error;   // with it, or in front of it in its frame
    logic [BeatBits-1:0] data;
  } came_t;

  logic        take, begins_q, past_error_q, hole;
  logic [8:0]  index_q;
  came_t       now;
  came_t [6:1] came_q;
  logic  [6:1] valid_q;
  logic        reset_q;
  assign take = s_axis_tvalid && tready;

  /// Where the ones of `tkeep` end, if they end once; else what its parts of 1, 2, 4 .. bytes that
  /// end say together.
  function automatic logic [ByteW-1:0] top(logic [BeatBytes-1:0] keep);
    top = '0;
    for (int unsigned b = 1; b < BeatBytes; b++) begin
      // The lowest one of its bits: the part that ends in front of that many bytes more.
      automatic int unsigned part = b & (~b + 1);
      automatic logic behind = (b + part < BeatBytes) ? keep[(b+part)%BeatBytes] : 1'b0;
      if (keep[b] && !behind) top |= ByteW'(part);
    end
  endfunction

  always_comb begin
    // Bytes are there from the first one on without a hole, and all of them but in the last beat.
    hole = !s_axis_tkeep[0] || (!s_axis_tlast && !s_axis_tkeep[BeatBytes-1]);
    for (int unsigned b = 1; b < BeatBytes; b++) begin
      if (s_axis_tkeep[b] && !s_axis_tkeep[b-1]) hole = 1'b1;
    end
    now.first = begins_q;
    now.last  = s_axis_tlast;
    now.index = begins_q ? 9'd0 : (index_q == 9'd511) ? index_q : index_q + 9'd1;
    now.top   = s_axis_tlast ? top(s_axis_tkeep) : '1;
    now.error = s_axis_tuser || hole || (!begins_q && past_error_q);
    now.data  = s_axis_tdata;
  end

  // In the last one of these cycles.
  came_t       ends_with;
  logic        ends, good, long_, writes;
  logic [16:0] length;
  fate_e       fate, fate_q;
  frame_desc_t whole;
  beat_t       written;
  always_comb begin
    ends_with = came_q[6];
    writes    = valid_q[6] && 32'(ends_with.index) < MaxBeats;
    ends      = valid_q[6] && ends_with.last;
    length    = 17'(ends_with.index) * 17'd64 + 17'(ends_with.top) + 17'd1;
    long_     = length > 17'(MaxFrameBytes);
    // What is wrong first is why it is dropped.
    fate = FatePassed;
    if (u_dut.u_parse.roce_o && (u_dut.u_parse.ragged_o || !u_dut.u_icrc_check.good_o))
      fate = FateBadIcrc;
    if (long_) fate = FateOversize;
    if (ends_with.error) fate = FateFrameError;
    good  = ends && fate == FatePassed;
    whole = u_dut.u_parse.desc_o;
    whole.beats   = ends_with.index + 9'd1;
    written       = '{ends_with.last, 7'(ends_with.top) + 7'd1, ends_with.data};
  end

  frame_desc_t shown;
  assign shown = u_dut.u_descs.out_o;

  logic dropped_q, room_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[5:1], take};
    came_q  <= {came_q[5:1], now};
    if (take) begin
      begins_q     <= s_axis_tlast;
      past_error_q <= now.error;
      index_q      <= now.index;
    end
    {dropped_q, fate_q} <= {rst_ni && ends && !good, fate};
    // There is room for eight more beats, and as many descriptors.
    room_q <= rst_ni && 32'(u_dut.u_beats.count_o) + 8 <= FifoBeats &&
        32'(u_dut.u_descs.count_o) + 8 <= DescFrames;
    if (!rst_ni) begin
      valid_q  <= '0;
      begins_q <= 1'b1;
      reset_q  <= 1'b1;
    end
  end

  // The frame's errors in front of the second stage, as they are kept between its beats.
  logic [6:1] same;
  logic       kept;
  always_comb begin
    same = '1;
    if (valid_q[2]) same[2] = came_q[2].error == (u_dut.bad2_q ||
                                                  (!came_q[2].first && u_dut.error_q[3]));
    for (int unsigned s = 3; s <= 6; s++) begin
      if (valid_q[s]) same[s] = u_dut.error_q[s] == came_q[s].error && u_dut.long_q[s] ==
          (17'(came_q[s].index) * 17'd64 + 17'(came_q[s].top) + 17'd1 > 17'(MaxFrameBytes));
    end
    for (int unsigned s = 2; s <= 6; s++) begin
      if (valid_q[s]) same[s] &= {u_dut.last_q[s], u_dut.index_q[s], u_dut.top_q[s],
                                  u_dut.data_q[s]} ==
          {came_q[s].last, came_q[s].index, came_q[s].top, came_q[s].data};
    end
    // Who is behind them all remembers the frame under way.
    kept = begins_q || valid_q[2] || valid_q[1] || past_error_q == u_dut.error_q[3];
    if (valid_q[2]) kept = begins_q || valid_q[1] || past_error_q == came_q[2].error;
    if (valid_q[1]) kept = begins_q || past_error_q == came_q[1].error;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // The delay line has what came (helps the proof).
      a_line : assert (u_dut.valid1_q == valid_q[1] && u_dut.valid_q == valid_q[6:2] &&
                       u_dut.between_q == begins_q && (begins_q || u_dut.index1_q == index_q) &&
                       same == '1 && kept)
      else $error("delay line");
      // A beat is shown to the finder of addresses, and the first 24 bytes of a frame's first one.
      a_first : assert (u_dut.u_locate.first_i == (valid_q[1] && came_q[1].first) &&
                        (!valid_q[1] || u_dut.u_locate.data_i == came_q[1].data[191:0]))
      else $error("first");
      // The parser sees each beat a cycle behind, and where its last byte is in another one.
      a_parser : assert (u_dut.u_parse.valid_i == valid_q[1] && (!valid_q[1] ||
                         {u_dut.u_parse.first_i, u_dut.u_parse.last_i, u_dut.u_parse.index_i,
                          u_dut.u_parse.data_i} ==
                         {came_q[1].first, came_q[1].last, came_q[1].index, came_q[1].data}) &&
                         (!valid_q[2] || u_dut.u_parse.at_i ==
                          {came_q[2].index, came_q[2].top}) && u_dut.u_parse.notes_i == notes_i)
      else $error("parser");
      // So does the ICRC check.
      a_check : assert (u_dut.u_icrc_check.valid_i == valid_q[1] && (!valid_q[1] ||
                        {u_dut.u_icrc_check.first_i, u_dut.u_icrc_check.index_i,
                         u_dut.u_icrc_check.data_i} ==
                        {came_q[1].first, came_q[1].index, came_q[1].data}))
      else $error("check");
      // A frame is counted as it has come.
      a_counted : assert (rx == (valid_q[1] && came_q[1].last))
      else $error("rx %b", rx);
      // A beat is written six cycles behind, but those that only a frame of more beats than the
      // longest has.
      a_written : assert (u_dut.u_beats.in_valid_i == writes &&
                          (!writes || u_dut.u_beats.in_i == written))
      else $error("written");
      // A frame's end takes it, or takes it back: with an error, too long, or with a wrong ICRC.
      a_settled : assert ({u_dut.u_beats.commit_i, u_dut.u_beats.rollback_i} ==
                          {good, ends && !good})
      else $error("settled");
      // A good one has a descriptor, and whether it may be a gradient stands beside it.
      a_described : assert (u_dut.u_descs.in_valid_i == good &&
                            u_dut.u_candidates.in_valid_i == good &&
                            (!good || (u_dut.u_descs.in_i == whole &&
                             u_dut.u_candidates.in_i == u_dut.u_parse.desc_o.candidate)))
      else $error("described");
      // Another one is told in the next cycle, and why.
      a_dropped : assert (drop_valid == dropped_q && (!dropped_q || drop_fate == fate_q))
      else $error("dropped %b for %0d", drop_valid, drop_fate);
      // The port takes beats when there was room for all that are under way then.
      a_ready : assert (tready == room_q)
      else $error("ready %b", tready);

      // A frame in error right in front of another one; one that is too long.
      c_error : cover (dropped_q && fate_q == FateFrameError && valid_q[6] && ends_with.last);
      c_long : cover (dropped_q && fate_q == FateOversize);
    end
    // What the check needs is what the finder of addresses says.
    a_found : assert ({u_dut.u_icrc_check.now_vlan_i, u_dut.u_icrc_check.now_v6_i,
                       u_dut.u_icrc_check.now_ends_i, u_dut.u_icrc_check.vlan_i,
                       u_dut.u_icrc_check.v6_i, u_dut.u_icrc_check.tail_quad_i} ==
                      {u_dut.u_locate.now_vlan_o, u_dut.u_locate.now_v6_o,
                       u_dut.u_locate.now_ends_o, u_dut.u_locate.vlan_o, u_dut.u_locate.v6_o,
                       u_dut.u_locate.tail_o[16:2]})
    else $error("found");
    // And what the parser needs.
    a_lengths : assert ({u_dut.u_parse.vlan_i, u_dut.u_parse.v6_i, u_dut.u_parse.ip_len_i,
                         u_dut.u_parse.tail_i} ==
                        {u_dut.u_locate.vlan_o, u_dut.u_locate.v6_o, u_dut.u_locate.ip_len_o,
                         u_dut.u_locate.tail_o})
    else $error("lengths");
    // Beats are shown as the queue has them, and what it has found is told.
    a_beats : assert ({beat_valid, beat, beat_bad, corrected, bad, u_dut.u_beats.out_ready_i} ==
                      {u_dut.u_beats.out_valid_o, u_dut.u_beats.out_o, u_dut.u_beats.out_bad_o,
                       u_dut.u_beats.corrected_o, u_dut.u_beats.bad_o, beat_ready_i})
    else $error("beats");
    // So are descriptors, with the flag that stands beside them.
    a_descs : assert (desc_valid == u_dut.u_descs.out_valid_o &&
                      desc.candidate == u_dut.u_candidates.out_o &&
                      {desc.beats, desc[$bits(desc)-11:0]} ==
                      {shown.beats, shown[$bits(desc)-11:0]} &&
                      u_dut.u_descs.out_ready_i == desc_ready_i &&
                      u_dut.u_candidates.out_ready_i == desc_ready_i)
    else $error("descriptors");
  end

endmodule
