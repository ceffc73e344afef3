// The property cache of a middle pipe (NetSparse 6.2): a read that finds its property becomes a
// response to its requester; the property of a response is kept if it is not there.
//
// An index is {tag, segment, set}. A property of 16 * 2 ** mode bytes lies in that many adjacent
// segments of one way, so the whole capacity is used in every mode. A set has its own tags, valid
// bits and true LRU order for every group of segments; the tag is all of the index above the set,
// so that indices which differ only in segment bits that the mode ignores never hit each other.
// Reads never allocate; a read hit makes its line the most recent, an insertion too, and a response
// that finds its line changes nothing. Everything becomes invalid at once with a new generation.
// PRs carry theirs: one of another generation than the cache's passes as it came, however late it
// is, and finds and leaves nothing. So a generation may begin while PRs are inside.
//
// PRs keep their order. Nothing in the cache makes them wait: one a cycle, whatever hits. A hit on
// a property of more than 64 bytes leaves in more beats than the read came in, and what is behind
// it waits for these beats, as everything waits for PRs to be taken.
//
// Nothing that waits is in the way of a look-up: beats wait in a queue while their PR is looked up
// beside it, and there is room in that for all that are inside. A PR takes 11 cycles of the 16 that
// the paper's cache has (NetSparse, table 5).
//
// Stages: 0 | 1 which PRs look, and where | 2 to 7 tags (gather_cache_look) | 8 to 10 data.
module gather_cache
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// Sets, a power of two, 2 to 4096. A set holds 8 KB.
  parameter int unsigned Sets = 64,
  /// Bits of an index that count; a property of a larger index is neither kept nor found.
  parameter int unsigned IndexBits = 40,
  /// Bits of a line's generation, which is the cache's own count. When they are used up, all tags
  /// are cleared.
  parameter int unsigned GenerationBits = 8,
  localparam int unsigned SetW = $clog2(Sets)
) (
  input logic clk_i,
  input logic rst_ni,

  // Properties of this generation and of `len_i` bytes are kept, of no other length; 2 to
  // 16 * 2 ** mode_i, mode 0 to 5. Changes only together with `invalidate_i`, in the same cycle.
  input logic        enable_i,
  input logic [2:0]  mode_i,
  input logic [15:0] generation_i,
  input logic [10:0] len_i,
  // One cycle: all that is kept becomes invalid; PRs inside that have not looked yet do not look.
  input logic        invalidate_i,

  // PRs as they come in; those that are `cacheable` look.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // The same in the same order; reads that hit are responses.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // Observation of look-ups. It carries no logic back.
  output cache_obs_t obs_o,
  // Level: tags are being cleared; PRs pass, and nothing is kept or found.
  output logic       clearing_o
);

  localparam int unsigned SegW = $clog2(Segments);
  localparam int unsigned TagW = IndexBits - SetW;
  localparam int unsigned Groups = Segments * Sets;
  localparam int unsigned GroupW = SegW + SetW;
  localparam int unsigned WayW = $clog2(CacheWays);
  /// Beats whose PRs are being looked up: the stages up to the queue of what came of it, and one.
  localparam int unsigned Inside = 12;

  if (Sets < 2 || Sets > 4096 || Sets != 2 ** SetW) begin : gen_check_sets
    $fatal(1, "%m: Sets must be a power of two, 2 to 4096");
  end
  if (IndexBits > 64 || IndexBits < GroupW + 1) begin : gen_check_index
    $fatal(1, "%m: IndexBits must be %0d to 64", GroupW + 1);
  end

  /// What a look-up says of a beat's PR.
  typedef struct packed {
    logic                 read;    // it hits, and becomes a response
    logic                 write;   // its property is kept
    logic [SetW+WayW-1:0] line;
    logic [SegW-1:0]      segment;
    logic [2:0]           mode;
  } said_t;

  // ---------------------------------------------------------------------------------------------
  // Generations. Tags are cleared after reset and when the number of generations is used up.

  logic [GenerationBits-1:0] generation_q;
  logic                      clearing_q;
  logic [GroupW-1:0]         clear_q;

  always_ff @(posedge clk_i) begin
    if (clearing_q) begin
      clear_q <= clear_q + GroupW'(1);
      if (clear_q == '1) clearing_q <= 1'b0;
    end
    if (invalidate_i) begin
      generation_q <= generation_q + GenerationBits'(1);
      // Generation 0 is that of cleared tags.
      if (generation_q == '1) begin
        generation_q <= GenerationBits'(1);
        clearing_q   <= 1'b1;
        clear_q      <= '0;
      end
    end
    if (!rst_ni) begin
      generation_q <= GenerationBits'(1);
      clearing_q   <= 1'b1;
      clear_q      <= '0;
    end
  end
  assign clearing_o = clearing_q;

  // ---------------------------------------------------------------------------------------------
  // 0: beats come into their queue.

  logic     in, beat_valid, beat_ready;
  pr_beat_t beat;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Inside+1)-1:0] beats, saids;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (pr_beat_t),
    .Depth(Inside)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i),
    .in_ready_o (pr_ready_o),
    .in_i       (pr_i),
    .out_valid_o(beat_valid),
    .out_ready_i(beat_ready),
    .out_o      (beat),
    .count_o    (beats)
  );

  assign in = pr_valid_i && pr_ready_o;

  // ---------------------------------------------------------------------------------------------
  // 0 and 1: which PRs look, and where.

  logic             valid1_q, may1_q, current1_q, len1_q, small1_q, response1_q;
  logic [15:0]      generation1_q;
  logic [SegW-1:0]  base1_q;
  logic [SetW-1:0]  set1_q;
  logic [TagW-1:0]  tag1_q;
  logic [2:0]       mode_q;      // of the cycle before: what ends with it is still of that
  logic             small0;

  always_comb begin
    small0 = 1'b1;
    for (int unsigned b = IndexBits; b < 64; b++) if (pr_i.pr.idx[b]) small0 = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    valid1_q      <= in;
    may1_q        <= in && pr_i.first && enable_i && !clearing_q && pr_i.pr.cacheable;
    current1_q    <= pr_i.pr.generation == generation_i;
    len1_q        <= pr_i.pr.len == len_i;
    small1_q      <= small0;
    response1_q   <= pr_i.pr.response;
    generation1_q <= pr_i.pr.generation;
    base1_q       <= (pr_i.pr.idx[SetW+:SegW] >> mode_i) << mode_i;
    set1_q        <= pr_i.pr.idx[SetW-1:0];
    tag1_q        <= pr_i.pr.idx[IndexBits-1:SetW];
    mode_q        <= mode_i;
    // What has not looked may be of the generation that ends.
    if (invalidate_i) may1_q <= 1'b0;
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      may1_q   <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 2 to 7: tags

  logic                 valid7, looks7, response7, hit7, insert7, evict7;
  logic [CacheWays-1:0] use7, way7;
  logic [15:0]          generation7;
  logic [GroupW-1:0]    group7;
  logic [TagW-1:0]      tag7;

  gather_cache_look #(
    .Groups        (Groups),
    .TagW          (TagW),
    .GenerationBits(GenerationBits)
  ) u_look (
    .clk_i,
    .rst_ni,
    .generation_i   (generation_q),
    .void_i         (invalidate_i),
    .clear_i        (clearing_q),
    .clear_group_i  (clear_q),
    .valid_i        (valid1_q),
    .looks_i        (may1_q && current1_q && len1_q && small1_q),
    .response_i     (response1_q),
    .pr_generation_i(generation1_q),
    .group_i        ({base1_q, set1_q}),
    .tag_i          (tag1_q),
    .valid_o        (valid7),
    .looks_o        (looks7),
    .response_o     (response7),
    .hit_o          (hit7),
    .insert_o       (insert7),
    .evict_o        (evict7),
    .use_o          (use7),
    .way_o          (way7),
    .pr_generation_o(generation7),
    .group_o        (group7),
    .tag_o          (tag7)
  );

  function automatic logic [WayW-1:0] number(logic [CacheWays-1:0] way);
    number = '0;
    for (int unsigned w = 0; w < CacheWays; w++) if (way[w]) number = number | WayW'(w);
  endfunction

  assign obs_o = '{valid: looks7, response: response7, hit: hit7, insert: insert7, evict: evict7,
                   way: number(way7), generation: generation7, idx: 64'({tag7, group7[SetW-1:0]})};

  // ---------------------------------------------------------------------------------------------
  // 8 to 10

  said_t said7, said;
  logic  said_valid, said_ready;

  assign said7 = '{read: hit7 && !response7, write: insert7,
                   line: {group7[SetW-1:0], number(use7)}, segment: group7[SetW+:SegW],
                   mode: mode_q};

  prim_fifo #(
    .T    (said_t),
    .Depth(Inside)
  ) u_saids (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid7),
    .in_ready_o (said_ready),
    .in_i       (said7),
    .out_valid_o(said_valid),
    .out_ready_i(beat_ready),
    .out_o      (said),
    .count_o    (saids)
  );

  logic data_ready;

  gather_cache_data #(
    .Sets(Sets)
  ) u_data (
    .clk_i,
    .rst_ni,
    .ready_o  (data_ready),
    .valid_i  (said_valid),
    .pr_i     (beat),
    .read_i   (said.read),
    .write_i  (said.write),
    .line_i   (said.line),
    .segment_i(said.segment),
    .mode_i   (said.mode),
    .pr_valid_o,
    .pr_ready_i,
    .pr_o
  );

  assign beat_ready = said_valid && data_ready;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is said is of the beat that is shown, and there is room for it; else a PR would be
      // answered with another one's property.
      a_step : assert ((!valid7 || said_ready) && (!said_valid || beat_valid))
      else $error("%m: beats and what is said of them are not in step");
      // What looks is of the cache's generation; else a property of the product before would be
      // given for one of this.
      a_generation : assert (!(may1_q && current1_q) || invalidate_i ||
                             generation1_q == generation_i)
      else $error("%m: tag %h of generation %0d looks in generation %0d", tag1_q, generation1_q,
                  generation_i);
      // The kept length fits the mode; else properties would overlap.
      a_len : assert (!may1_q || (mode_q <= 3'd5 && 32'(len_i) <= 32'd16 << mode_q) ||
                      invalidate_i)
      else $error("%m: properties of %0d bytes in mode %0d", len_i, mode_q);
    end
  end

endmodule
