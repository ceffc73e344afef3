// gather_cache between its parts: generations, which PRs look and where, what is told of them, and
// how what came of it goes on. Look-up, queues and data say anything.
module cache_steps_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        enable_i,
  input logic [2:0]  mode_i,
  input logic [15:0] generation_i,
  input logic [10:0] len_i,
  input logic        invalidate_i,
  input logic        pr_valid_i,
  input pr_beat_t    pr_i,
  input logic        pr_ready_i
);

  localparam int unsigned SetW = 2;
  localparam int unsigned IndexBits = 20;
  localparam int unsigned TagW = IndexBits - SetW;
  localparam int unsigned GenerationBits = 4;
  localparam int unsigned GroupW = 5 + SetW;

  logic       ready, out_valid, clearing;
  pr_beat_t   out;
  cache_obs_t obs;

  gather_cache #(
    .Sets          (2 ** SetW),
    .IndexBits     (IndexBits),
    .GenerationBits(GenerationBits)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i,
    .mode_i,
    .generation_i,
    .len_i,
    .invalidate_i,
    .pr_valid_i,
    .pr_ready_o(ready),
    .pr_i,
    .pr_valid_o(out_valid),
    .pr_ready_i,
    .pr_o      (out),
    .obs_o     (obs),
    .clearing_o(clearing)
  );

  // The cycle before.
  typedef struct packed {
    logic                      run;   // no reset
    logic                      in;    // a beat came in
    logic                      enable;
    logic                      ends;
    logic                      clearing;
    logic [GroupW-1:0]         group;
    logic [GenerationBits-1:0] own;
    logic [2:0]                mode;
    logic [15:0]               generation;
    logic [10:0]               len;
  } before_t;

  logic              past_q;
  before_t           was_q;
  pr_t               pr_q;
  logic              first_q;
  logic [GroupW-1:0] group;
  logic [GenerationBits-1:0] own;
  logic [6:0]        looked;    // the group that is looked at, {segment, set}

  assign own    = u_dut.u_look.generation_i;
  assign group  = u_dut.u_look.clear_group_i;
  assign looked = u_dut.u_look.group_i;

  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    pr_q    <= pr_i.pr;
    first_q <= pr_i.first;
    was_q   <= '{run: rst_ni, in: pr_valid_i && ready, enable: enable_i, ends: invalidate_i,
                 clearing: clearing, group: group, own: own, mode: mode_i,
                 generation: generation_i, len: len_i};
  end

  // The last generation that there is has ended, or a reset was.
  logic used_up;
  assign used_up = !was_q.run || (was_q.ends && was_q.own == '1);

  // What came in looks: the first beat of a PR that may be kept, while the cache is on and its tags
  // are not cleared, of its generation and length, and of an index that counts.
  logic may;
  always_comb begin
    may = was_q.run && was_q.in && first_q && pr_q.cacheable;
    if (!was_q.enable || was_q.clearing || was_q.ends) may = 1'b0;
    if (pr_q.generation != was_q.generation || pr_q.len != was_q.len) may = 1'b0;
    if ((pr_q.idx >> IndexBits) != 64'd0) may = 1'b0;
  end

  // Of its segment what the mode does not ignore.
  logic [4:0] segment;
  always_comb begin
    for (int unsigned s = 0; s < 5; s++) begin
      segment[s] = s >= 32'(was_q.mode) && pr_q.idx[SetW+s];
    end
  end

  // A way as a number, said of each number.
  function automatic logic names(logic [15:0] ways, logic [3:0] number);
    names = 1'b1;
    if (ways == '0 && number != 4'd0) names = 1'b0;
    for (int unsigned w = 0; w < 16; w++) begin
      if (ways == 16'd1 << w && number != 4'(w)) names = 1'b0;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // Each end begins the next generation; behind the last one and a reset comes the first, as
      // generation 0 is that of cleared tags.
      a_own : assert (own == (used_up ? GenerationBits'(1) : was_q.own +
                              GenerationBits'(was_q.ends)))
      else $error("generation %0d", own);
      // Then tags are cleared, from the first group to the last, and not otherwise.
      a_clears : assert (clearing == (used_up || (was_q.clearing && was_q.group != '1)))
      else $error("clearing %b", clearing);
      a_group : assert (!clearing || group == (used_up ? GroupW'(0) : was_q.group + GroupW'(1)))
      else $error("group %0d is cleared", group);
      // A beat is looked up in the cycle behind.
      a_looks : assert (u_dut.u_look.valid_i == (was_q.run && was_q.in) &&
                        u_dut.u_look.looks_i == may)
      else $error("a PR looks: %b", u_dut.u_look.looks_i);
      // Its set is the low bits of its index, its tag all above them, and its segment those between
      // that the mode does not ignore.
      a_index : assert (looked[SetW-1:0] == pr_q.idx[SetW-1:0] &&
                        {u_dut.u_look.tag_i, looked[SetW-1:0]} == pr_q.idx[IndexBits-1:0] &&
                        {u_dut.u_look.response_i, u_dut.u_look.pr_generation_i} ==
                        {pr_q.response, pr_q.generation})
      else $error("tag %h", u_dut.u_look.tag_i);
      a_segment : assert (looked[6:SetW] == segment)
      else $error("segment %0d", looked[6:SetW]);
      // What is said of a PR is said in the mode of the cycle before.
      a_mode : assert (u_dut.u_saids.in_i[2:0] == was_q.mode)
      else $error("mode %0d", u_dut.u_saids.in_i[2:0]);
    end

    // Look-ups are told that a generation ends, and of clearing.
    a_told : assert (u_dut.u_look.void_i == invalidate_i && u_dut.u_look.clear_i == clearing)
    else $error("an end is told: %b", u_dut.u_look.void_i);
    // All beats wait in their queue meanwhile, as they came.
    a_waits : assert (u_dut.u_beats.in_valid_i == pr_valid_i && u_dut.u_beats.in_i == pr_i)
    else $error("another beat waits");
    // A read that hit becomes a response, a response that was inserted is kept: at the set and way
    // that were used, from its segment on.
    a_said : assert (u_dut.u_saids.in_valid_i == u_dut.u_look.valid_o &&
                     u_dut.u_saids.in_i[15:14] ==
                     {u_dut.u_look.hit_o && !u_dut.u_look.response_o, u_dut.u_look.insert_o} &&
                     u_dut.u_saids.in_i[13:12] == u_dut.u_look.group_o[SetW-1:0] &&
                     u_dut.u_saids.in_i[7:3] == u_dut.u_look.group_o[6:SetW] &&
                     names(u_dut.u_look.use_o, u_dut.u_saids.in_i[11:8]))
    else $error("another line");
    // A beat goes on when it is known what becomes of it and there is room, and both go.
    a_goes : assert (u_dut.u_beats.out_ready_i == (u_dut.u_saids.out_valid_o &&
                                                   u_dut.u_data.ready_o) &&
                     u_dut.u_saids.out_ready_i == u_dut.u_beats.out_ready_i &&
                     u_dut.u_data.valid_i == u_dut.u_saids.out_valid_o &&
                     u_dut.u_data.pr_i == u_dut.u_beats.out_o)
    else $error("a beat goes on: %b", u_dut.u_beats.out_ready_i);
    a_becomes : assert ({u_dut.u_data.read_i, u_dut.u_data.write_i, u_dut.u_data.line_i,
                         u_dut.u_data.segment_i, u_dut.u_data.mode_i} == u_dut.u_saids.out_o)
    else $error("a beat goes another way");
    // All parts are reset.
    a_reset : assert ({u_dut.u_look.rst_ni, u_dut.u_beats.rst_ni, u_dut.u_saids.rst_ni,
                       u_dut.u_data.rst_ni} == {4{rst_ni}})
    else $error("reset");
    // PRs are taken while there is room in the queue of beats, and leave by the data.
    a_ports : assert (ready == u_dut.u_beats.in_ready_o && out_valid == u_dut.u_data.pr_valid_o &&
                      out == u_dut.u_data.pr_o && u_dut.u_data.pr_ready_i == pr_ready_i)
    else $error("another PR leaves");
    // What observation says of a look-up: what it was, what it did, and the index as far as it
    // counts without its segment.
    a_obs : assert ({obs.valid, obs.response, obs.hit, obs.insert, obs.evict, obs.generation} ==
                    {u_dut.u_look.looks_o, u_dut.u_look.response_o, u_dut.u_look.hit_o,
                     u_dut.u_look.insert_o, u_dut.u_look.evict_o, u_dut.u_look.pr_generation_o} &&
                    names(u_dut.u_look.way_o, obs.way) &&
                    obs.idx == 64'({u_dut.u_look.tag_o, u_dut.u_look.group_o[SetW-1:0]}))
    else $error("observed: index %h", obs.idx);

    // The last segment of an index is looked at in the narrowest mode; the last group is cleared.
    c_last : cover (past_q && u_dut.u_look.looks_i && looked == '1 && was_q.mode == 3'd0);
    c_cleared : cover (past_q && was_q.clearing && !clearing);
  end

endmodule
