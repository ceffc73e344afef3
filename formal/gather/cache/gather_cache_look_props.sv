// gather_cache_look: an index is found if and only if it was kept last in this generation and not
// evicted since, in the way into which it was put, whatever look-ups are close behind each other.
//
// One index is followed; which one is free. What memory says of it, and what is said of it in each
// stage, are compared with what look-ups have told.
module gather_cache_look_props
  import gather_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        void_i,
  input logic        looks_i,
  input logic        response_i,
  input logic [1:0]  group_i,
  input logic [2:0]  tag_i,
  input logic [1:0]  watch_group_i,
  input logic [2:0]  watch_tag_i
);

  localparam int unsigned Groups = 4;
  localparam int unsigned GroupW = 2;
  localparam int unsigned TagW = 3;
  localparam int unsigned Ways = CacheWays;
  localparam int unsigned Near = 5;

  // ---------------------------------------------------------------------------------------------
  // Generations, as the cache counts them.

  logic [1:0]        generation_q;
  logic [15:0]       number_q;      // of the generation, as PRs carry it
  logic              clearing_q, started_q;
  logic [GroupW-1:0] clear_q;

  always_ff @(posedge clk_i) begin
    if (clearing_q) begin
      clear_q <= clear_q + GroupW'(1);
      if (clear_q == '1) clearing_q <= 1'b0;
    end
    if (void_i) begin
      number_q     <= number_q + 16'd1;
      generation_q <= generation_q + 2'd1;
      if (generation_q == '1) begin
        generation_q <= 2'd1;
        clearing_q   <= 1'b1;
        clear_q      <= '0;
      end
    end
    if (!rst_ni) begin
      number_q     <= '0;
      generation_q <= 2'd1;
      clearing_q   <= 1'b1;
      clear_q      <= '0;
    end
  end

  logic              valid, looks, response, hit, insert, evict;
  logic [Ways-1:0]   use_way, way;
  logic [15:0]       pr_generation;
  logic [GroupW-1:0] group;
  logic [TagW-1:0]   tag;

  gather_cache_look #(
    .Groups        (Groups),
    .TagW          (TagW),
    .GenerationBits(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .generation_i   (generation_q),
    .void_i,
    .clear_i        (clearing_q),
    .clear_group_i  (clear_q),
    .valid_i        (looks_i),
    .looks_i        (looks_i && !clearing_q),
    .response_i,
    .pr_generation_i(number_q),
    .group_i,
    .tag_i,
    .valid_o        (valid),
    .looks_o        (looks),
    .response_o     (response),
    .hit_o          (hit),
    .insert_o       (insert),
    .evict_o        (evict),
    .use_o          (use_way),
    .way_o          (way),
    .pr_generation_o(pr_generation),
    .group_o        (group),
    .tag_o          (tag)
  );

  // ---------------------------------------------------------------------------------------------
  // The index that is followed.

  logic [GroupW-1:0] watch_group;
  logic [TagW-1:0]   watch_tag;
  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      watch_group <= watch_group_i;
      watch_tag   <= watch_tag_i;
    end
  end

  logic [Ways-1:0] states_watch;
  for (genvar w = 0; w < Ways; w++) begin : gen_watch
    assign states_watch[w] = u_dut.gen_way[w].u_tags.watch == watch_group;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The memories' words are those of its group. Dropped: any value is read.
    e_watch : assume (u_dut.u_states.watch == watch_group && (&states_watch));
    // The first cycle is one of reset. Dropped: the memory holds what nobody has put there.
    e_reset : assume (started_q || !rst_ni);
    // One way is the oldest. Dropped: an index is put into several, or nowhere.
    e_oldest : assume ($onehot(u_dut.old6));
  end

  // Where it is by what look-ups have told: kept in this generation, and not evicted since.
  logic            in_q;
  logic [Ways-1:0] way_q, from;
  logic [15:0]     put_q;     // the generation of the PR that has put it there
  logic            mine;

  assign mine = looks && group == watch_group && tag == watch_tag;
  assign from = in_q ? way_q : '0;

  always_ff @(posedge clk_i) begin
    if (insert && group == watch_group) begin
      if (tag == watch_tag) begin
        in_q  <= 1'b1;
        way_q <= use_way;
        put_q <= pr_generation;
      end else if (use_way == way_q) begin
        in_q <= 1'b0;
      end
    end
    if (void_i || !rst_ni) in_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What memory says of it.

  typedef struct packed {
    logic [1:0]                  generation;
    logic [Ways-1:0]             valid;
    logic [Ways*(Ways-1)/2-1:0]  order;
  } state_t;

  state_t                    word, read3, read4;
  logic [Ways-1:0][TagW-1:0] tags, tags3, tags4;
  logic                      current, cleared;
  logic [Ways-1:0]           match8, match7, valid8, valid7;

  assign word  = u_dut.u_states.word_q;
  assign read3 = u_dut.u_states.read_q;
  assign read4 = u_dut.state4;
  assign tags4 = u_dut.tag4;
  for (genvar w = 0; w < Ways; w++) begin : gen_word
    assign tags[w]  = u_dut.gen_way[w].u_tags.word_q;
    assign tags3[w] = u_dut.gen_way[w].u_tags.read_q;
  end

  assign current = word.generation == generation_q && !clearing_q;
  assign cleared = clearing_q && clear_q > watch_group;
  assign valid8  = current ? word.valid : '0;

  // Of look-ups that are told: their group is the one that is followed, their index is.
  logic [10:2]                near, same;
  logic [10:8][GroupW-1:0]    group_q;
  logic [10:8][TagW-1:0]      tag_q;
  logic [9:7]                 insert_q;
  logic [9:7][Ways-1:0]       put;

  always_ff @(posedge clk_i) begin
    group_q <= {group_q[9:8], u_dut.at_q[7].group};
    tag_q   <= {tag_q[9:8], u_dut.at_q[7].tag};
  end

  assign insert_q = {u_dut.change9_q.insert, u_dut.change8_q.insert, u_dut.change7_q.insert};
  assign put      = {u_dut.change9_q.way, u_dut.change8_q.way, u_dut.change7_q.way};

  always_comb begin
    for (int unsigned s = 2; s <= 7; s++) begin
      near[s] = u_dut.at_q[s].group == watch_group;
      same[s] = near[s] && u_dut.at_q[s].tag == watch_tag;
    end
    for (int unsigned s = 8; s <= 10; s++) begin
      near[s] = group_q[s] == watch_group;
      same[s] = near[s] && tag_q[s] == watch_tag;
    end
  end

  // Where an index is, once the look-up in stage s is told of.
  function automatic logic [Ways-1:0] then(logic [Ways-1:0] match, logic put_there,
                                           logic [Ways-1:0] where, logic is_it);
    then = match;
    for (int unsigned w = 0; w < Ways; w++) if (put_there && where[w]) then[w] = is_it;
  endfunction

  logic [Ways-1:0] raw3, raw4, after3, after4, valid3, valid4;

  always_comb begin
    for (int unsigned w = 0; w < Ways; w++) begin
      match8[w] = valid8[w] && tags[w] == watch_tag;
      raw3[w]   = read3.generation == generation_q && read3.valid[w] && tags3[w] == watch_tag;
      raw4[w]   = read4.generation == generation_q && read4.valid[w] && tags4[w] == watch_tag;
    end
    match7 = then(match8, near[7] && insert_q[7], put[7], same[7]);
    valid7 = valid8 | ((near[7] && insert_q[7]) ? put[7] : '0);
    // What was read two and three cycles ago, and what has been written since.
    after3 = then(raw3, near[8] && insert_q[8], put[8], same[8]);
    after4 = then(raw4, near[9] && insert_q[9], put[9], same[9]);
    after4 = then(after4, near[8] && insert_q[8], put[8], same[8]);
    valid3 = ((read3.generation == generation_q) ? read3.valid : '0) |
        ((near[8] && insert_q[8]) ? put[8] : '0);
    valid4 = ((read4.generation == generation_q) ? read4.valid : '0) |
        ((near[9] && insert_q[9]) ? put[9] : '0) | ((near[8] && insert_q[8]) ? put[8] : '0);
  end

  // Whether look-ups meet, as they were told when they came in.
  logic [6:2] met;
  always_comb begin
    for (int unsigned s = 2; s <= 6; s++) begin
      met[s] = 1'b1;
      for (int unsigned d = 1; d <= Near; d++) begin
        if (s + d <= 10) begin
          if (u_dut.at_q[s].same_group[d] != near[s+d]) met[s] = 1'b0;
          if (same[s] && u_dut.at_q[s].same_index[d] != same[s+d]) met[s] = 1'b0;
          if (!same[s] && same[s+d] && u_dut.at_q[s].same_index[d]) met[s] = 1'b0;
        end
      end
      if (!near[s] || !u_dut.at_q[s].looks) met[s] = 1'b1;
    end
  end

  logic [7:2] going, of_now;
  logic [6:2] looking;
  always_comb begin
    for (int unsigned s = 2; s <= 7; s++) begin
      going[s]  = u_dut.at_q[s].looks;
      of_now[s] = !going[s] || u_dut.at_q[s].generation == number_q;
    end
    looking = going[6:2] & near[6:2];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An index is found if it was kept and not evicted since, in the way into which it was put.
      a_found : assert (!mine || (hit == in_q && (!hit || way == way_q)))
      else $error("index %0d of group %0d: hit %b", watch_tag, watch_group, hit);
      // A read that hits uses that way; a response that is not there yet is kept in one way.
      a_used : assert (!mine || (insert == (response && !in_q) && (insert || use_way == (response ?
                                 '0 : from)) && (!insert || $onehot(use_way))))
      else $error("index %0d of group %0d is kept in %b", watch_tag, watch_group, use_way);
      // What is found was put there by a PR of the same generation: never by an older one.
      a_same : assert (!(mine && hit) || (in_q && put_q == pr_generation))
      else $error("generation %0d finds what %0d has put", pr_generation, put_q);
      a_number : assert ((!in_q || put_q == number_q) && (&of_now))
      else $error("a look-up of another generation");
      // Memory says where it is.
      a_place : assert (match8 == from && (!in_q || $onehot(way_q)))
      else $error("index %0d in ways %b", watch_tag, match8);
      // So does each stage, once it is told of all that is in front.
      a_third : assert (!looking[3] || (valid3 == valid8 && (!same[3] || after3 == match8)))
      else $error("stage 3 reads an old group");
      a_fourth : assert (!looking[4] || (valid4 == valid8 && (!same[4] || after4 == match8)))
      else $error("stage 4 reads an old group");
      a_fifth : assert (!looking[5] || (u_dut.known5_q.valid == valid8 &&
                                        (!same[5] || u_dut.known5_q.match == match8)))
      else $error("stage 5 knows an old group");
      a_sixth : assert (!looking[6] || (u_dut.known6_q.valid == valid7 &&
                                        (!same[6] || u_dut.known6_q.match == match7)))
      else $error("stage 6 knows an old group");
      a_seventh : assert (!(looks && near[7]) || (u_dut.known7_q.valid == valid8 &&
                          (!mine || (u_dut.known7_q.match == match8 &&
                                     u_dut.hit7_q == (match8 != '0) &&
                                     insert == (response && match8 == '0) &&
                                     (insert || use_way == (response ? '0 : match8))))))
      else $error("stage 7 knows an old group");
      a_met : assert (&met)
      else $error("look-ups that meet are not told so");
      // What is written is told, and the other way round.
      a_written : assert ((!insert || (looks && u_dut.write7_q && $onehot(use_way))) &&
                          (!u_dut.write7_q || (looks && !clearing_q)) &&
                          (!insert_q[8] || $onehot(put[8])) && (!insert_q[9] || $onehot(put[9])))
      else $error("a change of nothing");
      // Nothing looks while tags are cleared.
      a_quiet : assert (!clearing_q || going == '0)
      else $error("a look-up while tags are cleared");
      // No group is of a later generation; what clearing has passed is of none.
      a_generation : assert (generation_q != '0 &&
                             (clearing_q ? !cleared || word.generation == '0 :
                              word.generation <= generation_q))
      else $error("generation %0d", word.generation);
      // Memories that are read show what was read.
      a_reads : assert ((!u_dut.at_q[3].looks || u_dut.u_states.gen_output_register.read_valid_q))
      else $error("a look-up has not read");
      // A hit right behind what has put it there, one behind five others, one of what was read.
      c_next : cover (mine && hit && insert_q[8] && same[8]);
      c_near : cover (mine && hit && same[10] && near[8] && near[9] && u_dut.at_q[6].looks);
      c_far : cover (mine && hit && !(|near[10:8]));
      // An index is evicted, and looked for right behind that.
      c_evicted : cover (mine && !hit && insert_q[8] && near[8] && put[8] == way_q &&
                         put_q == number_q);
    end
  end

endmodule
