// The segments of the property cache: 32 memories, 16 bytes wide (NetSparse 6.2.2, figure 9).
//
// A read that hit becomes the response that its requester waits for: it goes to its source, and
// carries the property in as many beats as that needs. A response that is inserted
// writes its beats on their way through. All else passes.
//
// Who waits: PRs for PRs to be taken, and for the further beats of a hit in front.
//
// Stages: 8 a beat, and which segments are its own | 9 what they hold | out, in a register.
module gather_cache_data
  import gather_pkg::*;
#(
  /// Sets, a power of two.
  parameter int unsigned Sets = 64,
  localparam int unsigned LineW = $clog2(Sets * CacheWays)
) (
  input logic clk_i,
  input logic rst_ni,

  // A beat, with what becomes of its PR: told with the PR's first beat. `line` is {set, way},
  // `segment` the first one of the property, which takes 16 * 2 ** mode bytes.
  output logic             ready_o,
  input  logic             valid_i,
  input  pr_beat_t         pr_i,
  input  logic             read_i,
  input  logic             write_i,
  input  logic [LineW-1:0] line_i,
  input  logic [4:0]       segment_i,
  input  logic [2:0]       mode_i,

  // The same PRs in the same order; reads that hit are responses.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o
);

  localparam int unsigned SegmentBits = 8 * SegmentBytes;
  /// Segments in a beat.
  localparam int unsigned BeatSegments = BeatBytes / SegmentBytes;
  localparam int unsigned Bundles = Segments / BeatSegments;

  // ---------------------------------------------------------------------------------------------
  // 8: the beat that stands here, and which beat of its property it is.

  logic                valid8_q, read8_q, write8_q, first8_q, last8_q, room9, step;
  pr_beat_t            pr8_q;
  logic [LineW-1:0]    line8_q;
  logic [2:0]          mode8_q, bundle8_q;   // the four segments that hold this beat,
  logic [1:0]          segment8_q;           // the first of them that is the property's,
  logic [Segments-1:0] enable8_q;            // and all that are; leftmost: segment 0
  logic [3:0]          more8_q, more;        // beats of a hit that are to come behind it

  // Of a read that hits as many as its property has, of all else none.
  assign more = (pr_i.first && read_i) ? 4'((pr_i.pr.len - 11'd1) >> $clog2(BeatBytes)) : '0;

  assign step    = valid8_q && room9;
  assign ready_o = !valid8_q || (step && last8_q);

  always_ff @(posedge clk_i) begin
    if (ready_o) valid8_q <= valid_i;
    if (ready_o && valid_i) begin
      pr8_q    <= pr_i;
      more8_q  <= more;
      first8_q <= 1'b1;
      last8_q  <= more == '0;
      if (pr_i.first) begin
        read8_q    <= read_i;
        write8_q   <= write_i;
        line8_q    <= line_i;
        mode8_q    <= mode_i;
        bundle8_q  <= segment_i[4:2];
        segment8_q <= segment_i[1:0];
        enable8_q  <= segment_mask(mode_i, segment_i);
      end else begin
        bundle8_q <= bundle8_q + 3'd1;
      end
    end else if (step && !last8_q) begin
      first8_q  <= 1'b0;
      more8_q   <= more8_q - 4'd1;
      last8_q   <= more8_q == 4'd1;
      bundle8_q <= bundle8_q + 3'd1;
    end
    if (!rst_ni) valid8_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Segments

  logic [Segments-1:0][SegmentBits-1:0] read;

  for (genvar s = 0; s < Segments; s++) begin : gen_segment
    localparam int unsigned Lane = s % BeatSegments;
    logic                   enabled;
    logic [1:0]             lane;
    logic [SegmentBits-1:0] data;

    assign enabled = step && enable8_q[Segments-1-s] && 3'(s / BeatSegments) == bundle8_q;

    // Properties of 16 and 32 bytes stand at the front of their beat.
    assign lane = (mode8_q == 3'd0) ? 2'd0 : (mode8_q == 3'd1) ? 2'(Lane % 2) : 2'(Lane);
    assign data = pr8_q.data[SegmentBits*lane+:SegmentBits];

    prim_ram_1r1w #(
      .Width  (SegmentBits),
      .Depth  (CacheWays * Sets),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i   (enabled && write8_q && rst_ni),
      .waddr_i(line8_q),
      .wdata_i(data),
      .re_i   (enabled && read8_q && rst_ni),
      .raddr_i(line8_q),
      .rdata_o(read[s])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // 9: what the segments hold, in front of a register.

  logic       valid9_q, read9_q, out_ready;
  pr_beat_t   pr9_q, out;
  logic [2:0] bundle9_q;
  logic [1:0] segment9_q;

  assign room9 = !valid9_q || out_ready;

  always_ff @(posedge clk_i) begin
    if (room9) begin
      valid9_q   <= valid8_q;
      read9_q    <= read8_q;
      pr9_q      <= pr8_q;
      bundle9_q  <= bundle8_q;
      segment9_q <= segment8_q;
      if (read8_q) begin
        pr9_q.pr.response  <= 1'b1;
        pr9_q.pr.cacheable <= 1'b0;
        pr9_q.pr.dest      <= pr8_q.pr.src;
        pr9_q.first        <= first8_q;
        pr9_q.last         <= last8_q;
      end
    end
    if (!rst_ni) valid9_q <= 1'b0;
  end

  logic [Bundles-1:0][BeatSegments-1:0][SegmentBits-1:0] bundles;
  logic [BeatSegments-1:0][SegmentBits-1:0]              four;
  assign bundles = read;
  assign four    = bundles[bundle9_q];

  always_comb begin
    out = pr9_q;
    if (read9_q) begin
      // Only the first one, or two, of these are the property in the narrow modes.
      out.data[0+:SegmentBits]           = four[segment9_q];
      out.data[SegmentBits+:SegmentBits] = four[{segment9_q[1], 1'b1}];
      out.data[2*SegmentBits+:2*SegmentBits] = four[3:2];
    end
  end

  prim_skid #(
    .T(pr_beat_t)
  ) u_out (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid9_q),
    .in_ready_o (out_ready),
    .in_i       (out),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o)
  );

endmodule
