// The segments of the property cache: 32 memories, 16 bytes wide (NetSparse 6.2.2, figure 9).
//
// A read that hit becomes the response that its requester waits for: it goes to its source, and
// carries the property in as many beats as that needs. A response that is inserted
// writes its beats on their way through. All else passes.
//
// Who waits: PRs for PRs to be taken, and for the further beats of a hit in front.
module gather_cache_data
  import gather_pkg::*;
#(
  /// Sets, a power of two.
  parameter int unsigned Sets = 64,
  localparam int unsigned LineW = $clog2(Sets) + 4
) (
  input logic clk_i,
  input logic rst_ni,

  // A property takes 16 * 2 ** mode bytes.
  input logic [2:0] mode_i,

  // A beat, with what becomes of its PR: told with the PR's first beat. `line` is {set, way},
  // `segment` the first one of the property.
  output logic             ready_o,
  input  logic             valid_i,
  input  pr_beat_t         pr_i,
  input  logic             read_i,
  input  logic             write_i,
  input  logic [LineW-1:0] line_i,
  input  logic [4:0]       segment_i,

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
  // 3: the beat that stands here, and which beat of its property it is.

  logic             valid3_q, read3_q, write3_q, out_ready, step, last3;
  pr_beat_t         pr3_q;
  logic [LineW-1:0] line3_q;
  logic [4:0]       segment3_q;
  logic [3:0]       beat3_q;
  logic [10:0]      rest;

  // Bytes of the property from this beat on.
  assign rest    = pr3_q.pr.len - {1'b0, beat3_q, 6'd0};
  assign last3   = read3_q ? rest <= 11'(BeatBytes) : 1'b1;
  assign step    = valid3_q && out_ready;
  assign ready_o = !valid3_q || (step && last3);

  always_ff @(posedge clk_i) begin
    if (ready_o) valid3_q <= valid_i;
    if (ready_o && valid_i) begin
      pr3_q   <= pr_i;
      beat3_q <= pr_i.first ? '0 : beat3_q + 4'd1;
      if (pr_i.first) begin
        read3_q    <= read_i;
        write3_q   <= write_i;
        line3_q    <= line_i;
        segment3_q <= segment_i;
      end
    end else if (step && !last3) begin
      beat3_q <= beat3_q + 4'd1;
    end
    if (!rst_ni) valid3_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Segments

  logic [Segments-1:0]                  enable;   // leftmost: segment 0
  logic [Segments-1:0][SegmentBits-1:0] read;
  logic [2:0]                           bundle;   // the four segments that hold this beat

  assign enable = segment_mask(mode_i, segment3_q);
  assign bundle = segment3_q[4:2] + beat3_q[2:0];

  for (genvar s = 0; s < Segments; s++) begin : gen_segment
    localparam int unsigned Lane = s % BeatSegments;
    logic                   enabled;
    logic [1:0]             lane;
    logic [SegmentBits-1:0] data;

    assign enabled = enable[Segments-1-s] && 3'(s / BeatSegments) == bundle && step && rst_ni;

    // Properties of 16 and 32 bytes stand at the front of their beat.
    assign lane = (mode_i == 3'd0) ? 2'd0 : (mode_i == 3'd1) ? 2'(Lane % 2) : 2'(Lane);
    assign data = pr3_q.data[SegmentBits*lane+:SegmentBits];

    prim_ram_1r1w #(
      .Width  (SegmentBits),
      .Depth  (16 * Sets),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i   (enabled && write3_q),
      .waddr_i(line3_q),
      .wdata_i(data),
      .re_i   (enabled && read3_q),
      .raddr_i(line3_q),
      .rdata_o(read[s])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // 4: the beat that leaves.

  logic       valid4_q, read4_q;
  pr_beat_t   pr4_q, pr4_d;
  logic [4:0] segment4_q;

  always_comb begin
    pr4_d = pr3_q;
    if (read3_q) begin
      pr4_d.pr.response  = 1'b1;
      pr4_d.pr.cacheable = 1'b0;
      pr4_d.pr.dest      = pr3_q.pr.src;
      pr4_d.first        = beat3_q == '0;
      pr4_d.last         = last3;
    end
  end

  assign out_ready = !valid4_q || pr_ready_i;

  always_ff @(posedge clk_i) begin
    if (out_ready) begin
      valid4_q   <= valid3_q;
      read4_q    <= read3_q;
      pr4_q      <= pr4_d;
      segment4_q <= {bundle, segment3_q[1:0]};
    end
    if (!rst_ni) valid4_q <= 1'b0;
  end

  logic [Bundles-1:0][BeatSegments-1:0][SegmentBits-1:0] bundles;
  logic [BeatSegments-1:0][SegmentBits-1:0]              four;
  assign bundles = read;
  assign four    = bundles[segment4_q[4:2]];

  always_comb begin
    pr_o = pr4_q;
    if (read4_q) begin
      // Only the first one, or two, of these are the property in the narrow modes.
      pr_o.data[0+:SegmentBits]           = four[segment4_q[1:0]];
      pr_o.data[SegmentBits+:SegmentBits] = four[{segment4_q[1], 1'b1}];
      pr_o.data[2*SegmentBits+:2*SegmentBits] = four[3:2];
    end
  end
  assign pr_valid_o = valid4_q;

endmodule
