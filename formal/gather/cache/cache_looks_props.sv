// gather_cache_look around its memories: what a look-up does, said of what it read and of the five
// in front of it, and what is written. What memories answer is anything. (That a property is found
// after it was kept is gather_cache_look's proof; which way is the oldest, gather_cache_order's.)
module cache_looks_props
  import gather_pkg::*;
#(
  parameter int unsigned Groups = 8,
  parameter int unsigned TagW = 4,
  parameter int unsigned GenerationBits = 3,
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic [GenerationBits-1:0] generation_i,
  input logic                      void_i,
  input logic                      clear_i,
  input logic [GroupW-1:0]         clear_group_i,
  input logic                      valid_i,
  input logic                      looks_i,
  input logic                      response_i,
  input logic [15:0]               pr_generation_i,
  input logic [GroupW-1:0]         group_i,
  input logic [TagW-1:0]           tag_i
);

  localparam int unsigned Ways = CacheWays;
  localparam int unsigned Pairs = Ways * (Ways - 1) / 2;

  // A look-up as it comes in and as it is told of, with what it did.
  typedef struct packed {
    logic              valid;
    logic              looks;
    logic              response;
    logic [15:0]       generation;
    logic [GroupW-1:0] group;
    logic [TagW-1:0]   tag;
  } look_t;

  look_t           in, told;
  logic            hit, insert, evict;
  logic [Ways-1:0] use_way, way;

  assign in = '{valid: valid_i, looks: looks_i, response: response_i, generation: pr_generation_i,
                group: group_i, tag: tag_i};

  gather_cache_look #(
    .Groups        (Groups),
    .TagW          (TagW),
    .GenerationBits(GenerationBits)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .generation_i,
    .void_i,
    .clear_i,
    .clear_group_i,
    .valid_i,
    .looks_i,
    .response_i,
    .pr_generation_i,
    .group_i,
    .tag_i,
    .valid_o        (told.valid),
    .looks_o        (told.looks),
    .response_o     (told.response),
    .hit_o          (hit),
    .insert_o       (insert),
    .evict_o        (evict),
    .use_o          (use_way),
    .way_o          (way),
    .pr_generation_o(told.generation),
    .group_o        (told.group),
    .tag_o          (told.tag)
  );

  // So many cycles ago: what came in, what was told, whether something ended; three cycles ago:
  // what memories answered, and in which generation.
  logic   [6:0]                   past_q;
  look_t  [6:1]                   in_q;
  logic   [6:1]                   ends_q, resets_q;
  look_t  [5:1]                   told_q;
  logic   [5:1]                   insert_q;
  logic   [5:1][Ways-1:0]         use_q;
  logic   [3:1][Ways-1:0]         held_q;
  logic   [3:1][Pairs-1:0]        order_q;
  logic   [3:1][GenerationBits-1:0] of_q, now_q;
  logic   [3:1][Ways-1:0][TagW-1:0] tags_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q   <= {past_q[5:0], 1'b1};
    in_q     <= {in_q[5:1], in};
    ends_q   <= {ends_q[5:1], void_i || !rst_ni};
    resets_q <= {resets_q[5:1], !rst_ni};
    told_q   <= {told_q[4:1], told};
    insert_q <= {insert_q[4:1], insert};
    use_q    <= {use_q[4:1], use_way};
    held_q   <= {held_q[2:1], u_dut.state4.valid};
    order_q  <= {order_q[2:1], u_dut.state4.order};
    of_q     <= {of_q[2:1], u_dut.state4.generation};
    now_q    <= {now_q[2:1], generation_i};
    tags_q   <= {tags_q[2:1], u_dut.tag4};
  end

  // What it knows: of each way whether it holds anything, and its own index; of each two ways
  // whether the first one was used later. What another generation left holds nothing.
  logic                      ours;
  logic [Ways-1:0]           holds, match, old, wanted;
  logic [Ways-1:0][Ways-1:0] later, after;
  logic [5:1]                near, same;   // who is so far in front is of its group, of its index
  logic [Pairs-1:0]          after_bits;

  assign ours = of_q[3] == now_q[3];
  always_comb begin
    for (int unsigned d = 1; d <= 5; d++) begin
      near[d] = told_q[d].group == told.group;
      same[d] = near[d] && told_q[d].tag == told.tag;
    end
    for (int unsigned w = 0; w < Ways; w++) begin
      holds[w] = ours && held_q[3][w];
      match[w] = holds[w] && tags_q[3][w] == told.tag;
      // The nearest one that put something into the way counts.
      for (int unsigned d = 5; d > 0; d--) begin
        if (near[d] && insert_q[d] && use_q[d][w]) {holds[w], match[w]} = {1'b1, same[d]};
      end
    end
  end

  // A bit for each two ways, of way 0 and all others first. The way that is used becomes the latest
  // of all.
  always_comb begin
    int unsigned k;
    k          = 0;
    later      = '0;
    after      = '0;
    after_bits = '0;
    for (int unsigned a = 0; a < Ways; a++) begin
      for (int unsigned b = a + 1; b < Ways; b++) begin
        later[a][b] = !ours || order_q[3][k];
        for (int unsigned d = 5; d > 0; d--) begin
          if (near[d] && use_q[d][b]) later[a][b] = 1'b0;
          if (near[d] && use_q[d][a]) later[a][b] = 1'b1;
        end
        later[b][a]   = !later[a][b];
        after[a][b]   = use_way[a] || (later[a][b] && !use_way[b]);
        after_bits[k] = after[a][b];
        k             = k + 1;
      end
    end
    for (int unsigned w = 0; w < Ways; w++) old[w] = later[w] == '0;
  end

  // A read that finds its index uses its way, a response that does not the oldest one.
  always_comb begin
    wanted = '0;
    if (told.looks && !told.response && match != '0) wanted = match;
    if (told.looks && told.response && match == '0) wanted = old;
  end

  // Of the look-up in stage 2: those so far in front of it, of its group, of its index. And of the
  // one behind the first stages, what it was told of these.
  logic [5:1]      meets, same_meets;
  logic [5:1]      group2_q, index2_q, group3_q, index3_q, group4_q, index4_q;
  always_comb begin
    for (int unsigned d = 1; d <= 5; d++) begin
      meets[d]      = u_dut.at_q[2].group == u_dut.at_q[2+d].group;
      same_meets[d] = meets[d] && u_dut.at_q[2].tag == u_dut.at_q[2+d].tag;
    end
  end
  always_ff @(posedge clk_i) begin
    {group2_q, index2_q} <= {u_dut.at_q[2].same_group, u_dut.at_q[2].same_index};
    {group3_q, index3_q} <= {u_dut.at_q[3].same_group, u_dut.at_q[3].same_index};
    {group4_q, index4_q} <= {u_dut.at_q[4].same_group, u_dut.at_q[4].same_index};
  end

  // Which tags are written; that one is of this look-up, and is read beside the state.
  logic [Ways-1:0] tags, same_tags;
  for (genvar w = 0; w < Ways; w++) begin : gen_way
    assign tags[w]      = u_dut.gen_way[w].u_tags.we_i;
    assign same_tags[w] = u_dut.gen_way[w].u_tags.waddr_i == told.group &&
        u_dut.gen_way[w].u_tags.wdata_i == told.tag &&
        u_dut.gen_way[w].u_tags.re_i == u_dut.u_states.re_i &&
        u_dut.gen_way[w].u_tags.raddr_i == u_dut.u_states.raddr_i;
  end

  always_ff @(posedge clk_i) begin
    if (past_q[5:0] == '1) begin
      // Each is told of six cycles later, as it came; it has looked if nothing ended meanwhile.
      a_passes : assert (told.valid == (in_q[6].valid && resets_q == '0) &&
                         told.looks == (in_q[6].looks && ends_q == '0) &&
                         {told.response, told.generation, told.group, told.tag} ==
                         {in_q[6].response, in_q[6].generation, in_q[6].group, in_q[6].tag})
      else $error("another look-up");
      if (ends_q == '0) begin
        // It finds what it knows of its index, and is told the way, or else the oldest one.
        a_hit : assert (hit == (told.looks && match != '0) && way == (hit ? match : old))
        else $error("hit %b, ways %b", hit, way);
        // A response that finds nothing is kept; what it takes the way of goes.
        a_keeps : assert (insert == (told.looks && told.response && match == '0) &&
                          use_way == wanted && evict == (insert && (holds & use_way) != '0))
        else $error("insert %b, ways %b", insert, use_way);
        // What is written of the group, in the generation that is: ways that hold anything, and
        // who was used later.
        a_state : assert (clear_i || !u_dut.u_states.we_i || u_dut.u_states.wdata_i ==
                          {generation_i, holds | (use_way & {Ways{insert}}), after_bits})
        else $error("another state of group %0d", told.group);
      end
      // When something has ended, nothing is found any more.
      a_ended : assert (!ends_q[1] || (!hit && !insert && use_way == '0 && !evict))
      else $error("hit %b, ways %b", hit, use_way);
    end
    if (past_q[0]) begin
      // A look-up is told which of the five in front of it are of its group, and of its index.
      a_meets : assert ({u_dut.at_q[2].same_group, u_dut.at_q[2].same_index} ==
                        {meets, same_meets})
      else $error("meets %b", u_dut.at_q[2].same_group);
      // It takes that along from stage to stage.
      a_along : assert ({u_dut.at_q[3].same_group, u_dut.at_q[3].same_index,
                         u_dut.at_q[4].same_group, u_dut.at_q[4].same_index,
                         u_dut.at_q[5].same_group[2:1], u_dut.at_q[5].same_index[2:1]} ==
                        {group2_q, index2_q, group3_q, index3_q, group4_q[2:1], index4_q[2:1]})
      else $error("meets %b", u_dut.at_q[3].same_group);
    end
    if (past_q[1:0] == '1) begin
      // What a look-up did is told to those behind for two cycles more, unless something ends.
      a_tells : assert (u_dut.change8_q == (ends_q[1] ? '0 : {insert_q[1], use_q[1]}) &&
                        u_dut.change9_q == ((ends_q[2:1] != '0) ? '0 : {insert_q[2], use_q[2]}))
      else $error("ways %b, %b", u_dut.change8_q, u_dut.change9_q);
    end
    if (past_q[0]) begin
      // The state is written if a way was used, and in clearing; not in reset.
      a_writes : assert (u_dut.u_states.we_i == (rst_ni && (clear_i || (told.looks && !ends_q[1] &&
                                                                        hit != told.response))))
      else $error("group %0d is written: %b", u_dut.u_states.waddr_i, u_dut.u_states.we_i);
      // It is that of the look-up's group, or in clearing of the one that is cleared, and nothing.
      a_where : assert (u_dut.u_states.waddr_i == (clear_i ? clear_group_i : told.group) &&
                        (!clear_i || u_dut.u_states.wdata_i == '0))
      else $error("group %0d is written", u_dut.u_states.waddr_i);
      // A tag is written where something is kept.
      a_tags : assert (tags == (insert ? use_way : Ways'(0)) && same_tags == '1)
      else $error("tags of ways %b are written", tags);
      // Memories are read for who looks, in the cycle behind.
      a_reads : assert (u_dut.u_states.re_i == (in_q[1].looks && !ends_q[1]) &&
                        u_dut.u_states.raddr_i == in_q[1].group)
      else $error("group %0d is read", u_dut.u_states.raddr_i);
    end

    // A read finds in a way what one in front of it put there since memory was read; a response
    // with five of its group in front evicts what the last way holds.
    c_near : cover (past_q == '1 && hit && !told.response && ours && !held_q[3][9] && use_way[9] &&
                    ends_q == '0);
    c_evict : cover (past_q == '1 && evict && near == '1 && use_way == 16'h8000 && ends_q == '0);
  end

endmodule
