// Look-ups in the tags of the property cache, one a cycle, each with all that those before it did.
//
// It exists so that no cycle has to read, compare, choose a way and be seen by the next look-up.
// A set's state is an order matrix: a bit for each pair of ways, which of the two was used later.
// To use a way sets its row and clears its column; the oldest way has no bit in its row. What a
// look-up did is passed to those behind it as {way, insertion, same index}, not as a group of tags:
// whether two look-ups meet in a group, or in an index, is known before either has read anything,
// because nothing here ever waits, so that look-ups keep their distance.
//
// Stages: 2 memories are read | 3 | 4 tags and generation are compared | 5 what is in front is
// added | 6 hit or not, which way | 7 told, and written. A look-up reads what others wrote that are
// six or more in front of it; of the five between it is told.
module gather_cache_look
  import gather_pkg::*;
#(
  /// Groups of lines that have tags of their own.
  parameter int unsigned Groups = 64,
  /// Bits of a tag.
  parameter int unsigned TagW = 34,
  /// Bits of a generation.
  parameter int unsigned GenerationBits = 8,
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input logic clk_i,
  input logic rst_ni,

  // What was written in another generation is not found. Pulse: it ends; look-ups that are not told
  // of yet do not look.
  input logic [GenerationBits-1:0] generation_i,
  input logic                      void_i,
  // Writes a group as one of generation 0. Not while anything looks.
  input logic                      clear_i,
  input logic [GroupW-1:0]         clear_group_i,

  // Stage 1: a beat that looks, or does not. Of one index there is one group.
  input logic              valid_i,
  input logic              looks_i,
  input logic              response_i,
  input logic [15:0]       pr_generation_i,
  input logic [GroupW-1:0] group_i,
  input logic [TagW-1:0]   tag_i,

  // Stage 7, six cycles later: what it did. `use` is the way that a read hit, or into which a
  // response goes, a one; none if nothing was changed. `way` holds it, or is the oldest one.
  output logic                 valid_o,
  output logic                 looks_o,
  output logic                 response_o,
  output logic                 hit_o,
  output logic                 insert_o,
  output logic                 evict_o,
  output logic [CacheWays-1:0] use_o,
  output logic [CacheWays-1:0] way_o,
  output logic [15:0]          pr_generation_o,
  output logic [GroupW-1:0]    group_o,
  output logic [TagW-1:0]      tag_o
);

  localparam int unsigned Ways = CacheWays;
  localparam int unsigned Pairs = Ways * (Ways - 1) / 2;
  /// Look-ups in front of one whose changes it does not read.
  localparam int unsigned Near = 5;

  /// A look-up on its way. Bit d: the look-up d in front of it is of the same group, or index.
  typedef struct packed {
    logic              valid;
    logic              looks;
    logic              response;
    logic [15:0]       generation;
    logic [GroupW-1:0] group;
    logic [TagW-1:0]   tag;
    logic [Near:1]     same_group;
    logic [Near:1]     same_index;
  } look_t;

  /// What a look-up knows of its group: ways that hold its index, that hold anything, their order.
  typedef struct packed {
    logic [Ways-1:0]  match;
    logic [Ways-1:0]  valid;
    logic [Pairs-1:0] order;   // of each pair: the one of the lower number was used later
  } known_t;

  typedef struct packed {
    logic [GenerationBits-1:0] generation;
    logic [Ways-1:0]           valid;
    logic [Pairs-1:0]          order;
  } state_t;

  /// What a look-up changed: the way that was used; its tag is new.
  typedef struct packed {
    logic            insert;
    logic [Ways-1:0] way;
  } change_t;

  function automatic int unsigned pair(int unsigned low, int unsigned high);
    pair = low * (2 * Ways - low - 1) / 2 + high - low - 1;
  endfunction

  function automatic logic [Pairs-1:0] used(logic [Pairs-1:0] order, logic [Ways-1:0] way);
    used = order;
    for (int unsigned low = 0; low < Ways - 1; low++) begin
      for (int unsigned high = low + 1; high < Ways; high++) begin
        if (way[low]) used[pair(low, high)] = 1'b1;
        else if (way[high]) used[pair(low, high)] = 1'b0;
      end
    end
  endfunction

  /// The way that was used before all others, as a one.
  function automatic logic [Ways-1:0] oldest(logic [Pairs-1:0] order);
    oldest = '1;
    for (int unsigned low = 0; low < Ways - 1; low++) begin
      for (int unsigned high = low + 1; high < Ways; high++) begin
        if (order[pair(low, high)]) oldest[low] = 1'b0;
        else oldest[high] = 1'b0;
      end
    end
  endfunction

  /// What a look-up knows once it is told of one in front of it.
  function automatic known_t told(known_t known, change_t change, logic same_group,
                                  logic same_index);
    logic [Ways-1:0] way;
    way        = change.way & {Ways{same_group}};
    told.order = used(known.order, way);
    told.valid = known.valid | (way & {Ways{change.insert}});
    told.match = known.match;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (way[w] && change.insert) told.match[w] = same_index;
    end
  endfunction

  // ---------------------------------------------------------------------------------------------
  // 1 to 7: look-ups move on each cycle.

  look_t       in;
  look_t [7:2] at_q;

  always_comb begin
    in = '{valid: valid_i, looks: looks_i, response: response_i, generation: pr_generation_i,
           group: group_i, tag: tag_i, same_group: '0, same_index: '0};
    for (int unsigned d = 1; d <= Near; d++) begin
      in.same_group[d] = group_i == at_q[1+d].group;
      in.same_index[d] = group_i == at_q[1+d].group && tag_i == at_q[1+d].tag;
    end
  end

  always_ff @(posedge clk_i) begin
    at_q <= {at_q[6:2], in};
    for (int unsigned s = 2; s <= 7; s++) begin
      if (void_i || !rst_ni) at_q[s].looks <= 1'b0;
      if (!rst_ni) at_q[s].valid <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 2 to 4: memories

  state_t                    state4, state7;
  logic [Ways-1:0][TagW-1:0] tag4;
  change_t                   change6, change7_q, change8_q, change9_q;
  logic                      write7_q;

  prim_ram_1r1w #(
    .Width  ($bits(state_t)),
    .Depth  (Groups),
    .Latency(2)
  ) u_states (
    .clk_i,
    .we_i   ((clear_i || write7_q) && rst_ni),
    .waddr_i(clear_i ? clear_group_i : at_q[7].group),
    .wdata_i(clear_i ? '0 : state7),
    .re_i   (at_q[2].looks),
    .raddr_i(at_q[2].group),
    .rdata_o(state4)
  );

  for (genvar w = 0; w < Ways; w++) begin : gen_way
    prim_ram_1r1w #(
      .Width  (TagW),
      .Depth  (Groups),
      .Latency(2)
    ) u_tags (
      .clk_i,
      .we_i   (change7_q.insert && change7_q.way[w]),
      .waddr_i(at_q[7].group),
      .wdata_i(at_q[7].tag),
      .re_i   (at_q[2].looks),
      .raddr_i(at_q[2].group),
      .rdata_o(tag4[w])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // 4 and 5: what is known of the group. What another generation left: nothing is valid, and the
  // order is any.

  known_t read4, known4, known5_q, known5, known6_q;
  logic   current4;

  assign current4 = state4.generation == generation_i;

  always_comb begin
    read4.order = current4 ? state4.order : '1;
    read4.valid = current4 ? state4.valid : '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      read4.match[w] = read4.valid[w] && tag4[w] == at_q[4].tag;
    end
    known4 = told(read4, change9_q, at_q[4].same_group[5], at_q[4].same_index[5]);
    known4 = told(known4, change8_q, at_q[4].same_group[4], at_q[4].same_index[4]);
    known4 = told(known4, change7_q, at_q[4].same_group[3], at_q[4].same_index[3]);
    known5 = told(known5_q, change7_q, at_q[5].same_group[2], at_q[5].same_index[2]);
    known5 = told(known5, change6, at_q[5].same_group[1], at_q[5].same_index[1]);
  end

  // ---------------------------------------------------------------------------------------------
  // 6: hit or not, which way.

  logic            hit6;
  logic [Ways-1:0] old6;

  assign hit6           = known6_q.match != '0;
  assign old6           = oldest(known6_q.order);
  assign change6.insert = at_q[6].looks && at_q[6].response && !hit6;
  always_comb begin
    change6.way = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (at_q[6].looks && hit6 != at_q[6].response) begin
        change6.way[w] = hit6 ? known6_q.match[w] : old6[w];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // 7: what was done.

  known_t          known7_q;
  logic [Ways-1:0] old7_q;
  logic            hit7_q;

  always_ff @(posedge clk_i) begin
    known5_q  <= known4;
    known6_q  <= known5;
    known7_q  <= known6_q;
    old7_q    <= old6;
    hit7_q    <= at_q[6].looks && hit6;
    write7_q  <= at_q[6].looks && hit6 != at_q[6].response;
    change7_q <= change6;
    change8_q <= change7_q;
    change9_q <= change8_q;
    if (void_i || !rst_ni) begin
      hit7_q    <= 1'b0;
      write7_q  <= 1'b0;
      change7_q <= '0;
      change8_q <= '0;
      change9_q <= '0;
    end
  end

  assign state7 = '{generation: generation_i,
                    valid: known7_q.valid | (change7_q.way & {Ways{change7_q.insert}}),
                    order: used(known7_q.order, change7_q.way)};

  assign valid_o         = at_q[7].valid;
  assign looks_o         = at_q[7].looks;
  assign response_o      = at_q[7].response;
  assign hit_o           = hit7_q;
  assign insert_o        = change7_q.insert;
  assign evict_o         = change7_q.insert && (known7_q.valid & change7_q.way) != '0;
  assign use_o           = change7_q.way;
  assign way_o           = hit7_q ? known7_q.match : old7_q;
  assign pr_generation_o = at_q[7].generation;
  assign group_o         = at_q[7].group;
  assign tag_o           = at_q[7].tag;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A property is found in one way at most; two would be two versions of it.
      a_one_way : assert (!at_q[6].looks || $onehot0(known6_q.match))
      else $error("%m: tag %h in ways %b", at_q[6].tag, known6_q.match);
      // There is one oldest way; else a property would be kept twice or nowhere.
      a_oldest : assert (!at_q[6].looks || $onehot(old6))
      else $error("%m: the oldest ways are %b", old6);
      // What is cleared is not looked at.
      a_clear : assert (!clear_i || !(write7_q || at_q[2].looks || at_q[6].looks))
      else $error("%m: a look-up while tags are cleared");
    end
  end

endmodule
