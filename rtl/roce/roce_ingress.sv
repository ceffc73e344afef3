// Takes in the frames of one port, checks them, and hands on those that are whole, with a
// descriptor each.
//
// A frame's beats go down a delay line of fixed length while parser and ICRC check work on them. So
// the verdict stands when the last beat gets to the frame FIFO, and the frame is committed or
// rolled back right there, whatever else is already behind it. The delay line never stops; `tready`
// falls early enough that what is in it finds room. Short and long frames follow each other without
// gaps, one beat a cycle.
//
// A beat is in stage n of the delay line n cycles after it was taken; stage FrameAnswer + 1 writes
// the FIFO.
module roce_ingress
  import roce_pkg::*;
#(
  /// Beats of the frame FIFO. Power of two, at least 16, and enough for the longest frame and the
  /// delay line.
  parameter int unsigned FifoBeats = 512,
  /// Longest frame, bytes without FCS, 64 to 16383; a longer one is dropped.
  parameter int unsigned MaxFrameBytes = 9728,
  /// Frames whose descriptors may wait, at least 9.
  parameter int unsigned DescFrames = 32,
  /// 1: notifications of a tree are told from other packets (roce_parse).
  parameter int unsigned Notes = 0,
  /// 1: frames wait in a corrected memory.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Frames, without FCS. `tkeep` is contiguous from byte 0 and all ones but in the last beat;
  // `tuser` with any beat of a frame: it is in error. A frame that breaks the rule of `tkeep` is
  // taken as one in error. `tready` is a register, and waits for room in the FIFOs alone.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  // With `Notes`: notifications are told from other packets now. Changes only when registers do.
  input  logic notes_i,

  // Frames that were not dropped, in order: one descriptor a frame, and the frame's beats. A
  // descriptor may be taken before its beats, whose first one shows up to two cycles later, three
  // with Ecc; from then on they come without gap.
  output logic        desc_valid_o,
  input  logic        desc_ready_i,
  output frame_desc_t desc_o,
  output logic        beat_valid_o,
  input  logic        beat_ready_i,
  output beat_t       beat_o,
  output logic        beat_bad_o,   // the beat, but for `last`, is not what came in

  // Pulses: a frame came in; a frame was dropped, and why.
  output logic  rx_o,
  output logic  drop_valid_o,
  output fate_e drop_fate_o,
  // Pulses: what was found in frames that waited.
  output logic  corrected_o,
  output logic  bad_o
);

  localparam int unsigned Stages = FrameAnswer + 1;
  /// Beats that may still come when the FIFO's count says that they must not: delay line, count,
  /// `tready`.
  localparam int unsigned Slack = Stages + 2;
  localparam int unsigned MaxBeats = (MaxFrameBytes + BeatBytes - 1) / BeatBytes;

  if (MaxFrameBytes < BeatBytes || MaxFrameBytes > 16383) begin : gen_check_max
    $fatal(1, "%m: MaxFrameBytes must be %0d to 16383", BeatBytes);
  end
  if (FifoBeats < 16 || FifoBeats != 2 ** $clog2(FifoBeats)) begin : gen_check_fifo
    $fatal(1, "%m: FifoBeats must be a power of two, 16 or more");
  end
  if (MaxBeats + Slack > FifoBeats) begin : gen_check_room
    $fatal(1, "%m: FifoBeats must be MaxFrameBytes / %0d + %0d or more, for the longest",
           BeatBytes, Slack);
  end
  if (DescFrames <= Slack) begin : gen_check_desc
    $fatal(1, "%m: DescFrames must be more than %0d", Slack);
  end

  localparam int unsigned FifoCountW = $clog2(FifoBeats + 1);
  localparam int unsigned DescCountW = $clog2(DescFrames + 1);

  logic [FifoCountW-1:0] fifo_count;
  logic [DescCountW-1:0] desc_count;

  // ---------------------------------------------------------------------------------------------
  // Stage 1: a beat as it came.

  logic                 ready_q, take, between_q;
  logic                 valid1_q, first1_q, last1_q, user1_q;
  logic [8:0]           index1_q;
  logic [BeatBytes-1:0] keep1_q;
  logic [BeatBits-1:0]  data1_q;

  assign s_axis_tready = ready_q;
  assign take          = s_axis_tvalid && ready_q;

  always_ff @(posedge clk_i) begin
    ready_q <= fifo_count <= FifoCountW'(FifoBeats - Slack) &&
        desc_count <= DescCountW'(DescFrames - Slack);
    valid1_q <= take;
    if (take) begin
      between_q <= s_axis_tlast;
      first1_q  <= between_q;
      last1_q   <= s_axis_tlast;
      user1_q   <= s_axis_tuser[0];
      keep1_q   <= s_axis_tkeep;
      data1_q   <= s_axis_tdata;
      index1_q  <= between_q ? '0 : index1_q + 9'(index1_q != '1);
    end
    if (!rst_ni) begin
      ready_q   <= 1'b0;
      valid1_q  <= 1'b0;
      between_q <= 1'b1;
    end
  end

  assign rx_o = valid1_q && last1_q;

  /// Index of the last one, for ones that are contiguous from bit 0.
  function automatic logic [ByteW-1:0] top_byte(logic [BeatBytes-1:0] keep);
    logic [2*BeatBytes-1:0] ones;
    ones     = {BeatBytes'(0), keep};
    top_byte = '0;
    // Bit i: the ones end in an odd one of the pieces of 2**i bytes.
    for (int unsigned i = 0; i < ByteW; i++) begin
      for (int unsigned b = 2**i; b < BeatBytes; b += 2 * 2**i) begin
        if (ones[b] && !ones[b+2**i]) top_byte[i] = 1'b1;
      end
    end
  endfunction

  logic [BeatBytes-1:1] hole;
  assign hole = keep1_q[BeatBytes-1:1] & ~keep1_q[BeatBytes-2:0];

  // ---------------------------------------------------------------------------------------------
  // Delay line, stages 2 to 6. Data goes along without reset, as a shift register, which moves
  // while there is a beat in it.

  logic        now_vlan, now_v6, vlan, v6;
  logic [BeatBytes/4-1:FirstEnd] now_ends;
  logic [15:0] ip_len;
  logic [16:0] tail;

  logic [Stages:2]               valid_q, last_q;
  logic [Stages:2][8:0]          index_q;
  logic [Stages:2][ByteW-1:0]    top_q;     // last valid byte
  logic [Stages:2][BeatBits-1:0] data_q;
  logic                          first2_q, bad2_q;
  logic [Stages:3]               error_q, long_q;
  logic [8+ByteW:0]              at2;
  logic                          moves;

  assign moves = valid1_q || valid_q != '0;

  always_ff @(posedge clk_i) begin
    if (moves) begin
      valid_q  <= {valid_q[Stages-1:2], valid1_q};
      last_q   <= {last_q[Stages-1:2], last1_q};
      index_q  <= {index_q[Stages-1:2], index1_q};
      data_q   <= {data_q[Stages-1:2], data1_q};
      top_q    <= {top_q[Stages-1:2], last1_q ? top_byte(keep1_q) : '1};
      first2_q <= first1_q;
      bad2_q   <= user1_q || (hole != '0) || !keep1_q[0] || (!last1_q && !keep1_q[BeatBytes-1]);
      long_q   <= {long_q[Stages-1:3], at2 >= (9 + ByteW)'(MaxFrameBytes)};
      // One bad beat makes a bad frame; stage 3 remembers it from beat to beat.
      error_q[Stages:4] <= error_q[Stages-1:3];
    end
    if (valid_q[2]) error_q[3] <= bad2_q || (!first2_q && error_q[3]);
    if (!rst_ni) valid_q <= '0;
  end

  assign at2 = {index_q[2], top_q[2]};

  roce_locate u_locate (
    .clk_i,
    .first_i      (valid1_q && first1_q),
    .data_i       (data1_q[191:0]),
    .now_vlan_o   (now_vlan),
    .now_v6_o     (now_v6),
    .now_ends_o   (now_ends),
    .vlan_o       (vlan),
    .v6_o         (v6),
    .ip_len_o     (ip_len),
    .tail_o       (tail)
  );

  // ---------------------------------------------------------------------------------------------
  // Stages 1 to 6, side by side with the delay line: ICRC and headers.

  logic        icrc_good, is_roce, ragged;
  frame_desc_t desc;

  roce_icrc_check #(
    .Used(Without[WithoutIcrcCheck] ? 0 : 1)
  ) u_icrc_check (
    .clk_i,
    .rst_ni,
    .valid_i      (valid1_q),
    .first_i      (first1_q),
    .index_i      (index1_q),
    .data_i       (data1_q),
    .now_vlan_i   (now_vlan),
    .now_v6_i     (now_v6),
    .now_ends_i   (now_ends),
    .vlan_i       (vlan),
    .v6_i         (v6),
    .tail_quad_i  (tail[16:2]),
    .good_o       (icrc_good)
  );

  roce_parse #(
    .Notes  (Notes),
    .Without(Without)
  ) u_parse (
    .clk_i,
    .notes_i,
    .valid_i (valid1_q),
    .first_i (first1_q),
    .last_i  (last1_q),
    .index_i (index1_q),
    .data_i  (data1_q),
    .at_i    (at2),
    .vlan_i  (vlan),
    .v6_i    (v6),
    .ip_len_i(ip_len),
    .tail_i  (tail),
    .roce_o  (is_roce),
    .ragged_o(ragged),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // Stage 6: verdict.

  logic        ends, drop, write, fifo_ready, desc_ready;
  fate_e       fate;
  frame_desc_t desc_full, desc_shown;
  beat_t       beat;

  assign ends = valid_q[Stages] && last_q[Stages];
  // Beats behind the longest frame are thrown away: a frame without end must not fill the FIFO.
  assign write = valid_q[Stages] && index_q[Stages] < 9'(MaxBeats);

  always_comb begin
    fate = FatePassed;
    if (error_q[Stages]) begin
      fate = FateFrameError;
    end else if (long_q[Stages]) begin
      fate = FateOversize;
    end else if (is_roce && (ragged || !icrc_good)) begin
      fate = FateBadIcrc;
    end
    drop = fate != FatePassed;

    desc_full       = desc;
    desc_full.beats = index_q[Stages] + 9'd1;

    beat.last  = last_q[Stages];
    beat.bytes = {1'b0, top_q[Stages]} + BytesW'(1);
    beat.data  = data_q[Stages];
  end

  prim_frame_fifo_ecc #(
    .Width ($bits(beat_t)),
    .Depth (FifoBeats),
    .Around(1'b0),
    .Ecc   (Ecc)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i (write),
    .in_ready_o (fifo_ready),
    .in_i       (beat),
    .commit_i   (ends && !drop),
    .rollback_i (ends && drop),
    .out_valid_o(beat_valid_o),
    .out_ready_i(beat_ready_i),
    .out_o      (beat_o),
    .out_bad_o  (beat_bad_o),
    .count_o    (fifo_count),
    .corrected_o,
    .bad_o
  );

  prim_fifo #(
    .T    (frame_desc_t),
    .Depth(DescFrames),
    .Kept (desc_kept(Without))
  ) u_descs (
    .clk_i,
    .rst_ni,
    .in_valid_i (ends && !drop),
    .in_ready_o (desc_ready),
    .in_i       (desc_full),
    .out_valid_o(desc_valid_o),
    .out_ready_i(desc_ready_i),
    .out_o      (desc_shown),
    .count_o    (desc_count)
  );

  // Whether the frame is a candidate decides at once who may look up, so it is known at the start
  // of the cycle.
  logic                  candidate, candidate_ready, candidate_valid;
  logic [DescCountW-1:0] candidate_count;

  prim_fifo #(
    .T    (logic),
    .Depth(DescFrames),
    .Head (1'b1)
  ) u_candidates (
    .clk_i,
    .rst_ni,
    .in_valid_i (ends && !drop),
    .in_ready_o (candidate_ready),
    .in_i       (desc_full.candidate),
    .out_valid_o(candidate_valid),
    .out_ready_i(desc_ready_i),
    .out_o      (candidate),
    .count_o    (candidate_count)
  );

  always_comb begin
    desc_o           = desc_shown;
    desc_o.candidate = candidate;
  end

  always_ff @(posedge clk_i) begin
    drop_valid_o <= ends && drop && rst_ni;
    drop_fate_o  <= fate;
  end

  // ---------------------------------------------------------------------------------------------

  logic inside_q;  // the beat shown is not the first one of its frame
  always_ff @(posedge clk_i) begin
    if (beat_valid_o && beat_ready_i) inside_q <= !beat_o.last;
    if (!rst_ni) inside_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was taken finds room; a lost beat would corrupt a frame that was already found good.
      a_beat_room : assert (!write || fifo_ready)
      else $error("%m: frame FIFO overflows");
      // So does a descriptor; without it, all later descriptors would be of the wrong frames.
      a_desc_room : assert (!(ends && !drop) || desc_ready)
      else $error("%m: descriptor FIFO overflows");
      // Each descriptor has its own flag; else a gradient would pass by, or another packet be
      // looked up.
      a_candidate : assert (candidate_ready == desc_ready && candidate_valid == desc_valid_o &&
                            candidate_count == desc_count &&
                            (!desc_valid_o || candidate == desc_shown.candidate))
      else $error("%m: flag of another frame");
      // A frame is shown whole: whoever has started to read it never waits for its end.
      a_no_gap : assert (!inside_q || beat_valid_o)
      else $error("%m: gap inside a committed frame");
      // A passed-on frame was written whole.
      a_whole : assert (!(ends && !drop) || write)
      else $error("%m: frame of %0d beats handed on without its end", index_q[Stages]);
    end
  end

endmodule
