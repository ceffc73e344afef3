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
// Stages: 0 tags are read | 1 forward | 2 compare, order, write tags | 3 data | 4 out.
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

  localparam int unsigned Ways = 16;
  localparam int unsigned SegW = $clog2(Segments);
  localparam int unsigned TagW = IndexBits - SetW;
  localparam int unsigned Groups = Segments * Sets;
  localparam int unsigned GroupW = SegW + SetW;

  if (Sets < 2 || Sets > 4096 || Sets != 2 ** SetW) begin : gen_check_sets
    $fatal(1, "%m: Sets must be a power of two, 2 to 4096");
  end
  if (IndexBits > 64 || IndexBits < GroupW + 1) begin : gen_check_index
    $fatal(1, "%m: IndexBits must be %0d to 64", GroupW + 1);
  end

  typedef struct packed {
    logic [GenerationBits-1:0] generation;
    logic [Ways-1:0]           valid;
    logic [Ways-1:0][3:0]      age;   // 0 is the most recent one
    logic [Ways-1:0][TagW-1:0] tag;
  } group_t;

  logic advance;   // everything moves on by a stage

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
  // 0: which PRs look, and where.

  logic              looks0;
  logic [SegW-1:0]   segment0, base0;
  logic [GroupW-1:0] group0;
  logic              valid0;

  assign pr_ready_o = advance;
  assign valid0     = pr_valid_i && advance;
  assign segment0   = pr_i.pr.idx[SetW+:SegW];
  assign base0      = (segment0 >> mode_i) << mode_i;
  assign group0     = {base0, pr_i.pr.idx[SetW-1:0]};

  always_comb begin
    looks0 = pr_i.first && enable_i && !clearing_q && pr_i.pr.len == len_i &&
        pr_i.pr.generation == generation_i && pr_i.pr.cacheable;
    for (int unsigned b = IndexBits; b < 64; b++) if (pr_i.pr.idx[b]) looks0 = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // 1: tags come out of the RAM; what the two PRs in front wrote is not in them.

  logic              valid1_q, looks1_q, valid2_q, looks2_q, wrote_q;
  logic [GroupW-1:0] group1_q, group2_q, wrote_group_q;
  logic [SegW-1:0]   base1_q, base2_q;
  pr_beat_t          pr1_q, pr2_q;
  group_t            ram1, fresh, found1, group2, group2_d, wrote;
  logic              write2;

  prim_ram_1r1w #(
    .Width  ($bits(group_t)),
    .Depth  (Groups),
    .Latency(1)
  ) u_tags (
    .clk_i,
    .we_i   ((clearing_q || write2) && rst_ni),
    .waddr_i(clearing_q ? clear_q : group2_q),
    .wdata_i(clearing_q ? '0 : group2_d),
    .re_i   (valid0 && looks0),
    .raddr_i(group0),
    .rdata_o(ram1)
  );

  always_ff @(posedge clk_i) begin
    if (advance) begin
      valid1_q      <= pr_valid_i;
      looks1_q      <= pr_valid_i && looks0;
      pr1_q         <= pr_i;
      group1_q      <= group0;
      base1_q       <= base0;
      valid2_q      <= valid1_q;
      looks2_q      <= looks1_q;
      pr2_q         <= pr1_q;
      group2_q      <= group1_q;
      base2_q       <= base1_q;
      group2        <= found1;
      wrote_q       <= write2;
      wrote_group_q <= group2_q;
      wrote         <= group2_d;
    end
    // What has not looked may be of the generation that ends.
    if (invalidate_i) begin
      looks1_q <= 1'b0;
      looks2_q <= 1'b0;
    end
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      looks1_q <= 1'b0;
      valid2_q <= 1'b0;
      looks2_q <= 1'b0;
      wrote_q  <= 1'b0;
    end
  end

  always_comb begin
    found1 = ram1;
    if (wrote_q && wrote_group_q == group1_q) found1 = wrote;
    if (write2 && group2_q == group1_q) found1 = group2_d;
  end

  // ---------------------------------------------------------------------------------------------
  // 2: hit or not, which way, and the order behind it.

  logic [TagW-1:0] tag2;
  logic [Ways-1:0] match2;
  logic            hit2, insert2, touch2, evict2;
  logic [3:0]      hit_way2, old_way2, way2, age2;

  always_comb begin
    fresh = group2;
    // What another generation left: nothing is valid, and the order is any.
    if (group2.generation != generation_q) begin
      fresh.generation = generation_q;
      fresh.valid      = '0;
      for (int unsigned w = 0; w < Ways; w++) fresh.age[w] = 4'(w);
    end
  end

  assign tag2 = pr2_q.pr.idx[IndexBits-1:SetW];

  always_comb begin
    hit_way2 = '0;
    old_way2 = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      match2[w] = fresh.valid[w] && fresh.tag[w] == tag2;
      if (match2[w]) hit_way2 = hit_way2 | 4'(w);
      // Ways that hold nothing are older than all others.
      if (fresh.age[w] == 4'(Ways - 1)) old_way2 = old_way2 | 4'(w);
    end
  end

  assign hit2    = looks2_q && match2 != '0;
  assign insert2 = looks2_q && match2 == '0 && pr2_q.pr.response;
  assign touch2  = insert2 || (hit2 && !pr2_q.pr.response);
  assign write2  = touch2 && advance;
  assign way2    = hit2 ? hit_way2 : old_way2;
  assign evict2  = insert2 && fresh.valid[old_way2];
  assign age2    = fresh.age[way2];

  always_comb begin
    group2_d = fresh;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (4'(w) == way2) group2_d.age[w] = '0;
      else if (fresh.age[w] < age2) group2_d.age[w] = fresh.age[w] + 4'd1;
      if (insert2 && 4'(w) == way2) begin
        group2_d.valid[w] = 1'b1;
        group2_d.tag[w]   = tag2;
      end
    end
  end

  assign obs_o = '{valid: looks2_q && advance, response: pr2_q.pr.response, hit: hit2,
                   insert: insert2, evict: evict2, way: way2,
                   generation: pr2_q.pr.generation,
                   idx: 64'(pr2_q.pr.idx[IndexBits-1:0]),
                   evicted: 64'({fresh.tag[old_way2], pr2_q.pr.idx[SetW-1:0]})};

  // ---------------------------------------------------------------------------------------------
  // 3 and 4

  gather_cache_data #(
    .Sets(Sets)
  ) u_data (
    .clk_i,
    .rst_ni,
    .mode_i,
    .ready_o  (advance),
    .valid_i  (valid2_q),
    .pr_i     (pr2_q),
    .read_i   (hit2 && !pr2_q.pr.response),
    .write_i  (insert2),
    .line_i   ({pr2_q.pr.idx[SetW-1:0], way2}),
    .segment_i(base2_q),
    .pr_valid_o,
    .pr_ready_i,
    .pr_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A property is found in one way at most; two would be two versions of it.
      a_one_way : assert (!looks2_q || $onehot0(match2))
      else $error("%m: index %h in ways %b", pr2_q.pr.idx, match2);
      // What looks is of the cache's generation; else a property of the product before would be
      // given for one of this.
      a_generation : assert (!looks2_q || invalidate_i || pr2_q.pr.generation == generation_i)
      else $error("%m: index %h of generation %0d looks in generation %0d", pr2_q.pr.idx,
                  pr2_q.pr.generation, generation_i);
      // The kept length fits the mode; else properties would overlap.
      a_len : assert (!(looks2_q && pr2_q.first) || (mode_i <= 3'd5 &&
                      32'(len_i) <= 32'd16 << mode_i))
      else $error("%m: properties of %0d bytes in mode %0d", len_i, mode_i);
    end
  end

endmodule
