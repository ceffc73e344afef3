// gather_cache: a read that hits leaves with the property that was kept last in this generation,
// and is of this generation itself.
//
// Generations begin at any time. A PR is of that in which it comes in, or of another one.
//
// One index, one way and one bit of the property are followed; which ones is free, the bit within
// its beat is a parameter. All other bits are zero, so that a wrong segment shows, too.
module gather_cache_props
  import gather_pkg::*;
#(
  /// A property takes 16 * 2 ** Mode bytes, all of them used.
  parameter int unsigned Mode = 2,
  /// Which of its beats is looked at, and which bit of that.
  parameter int unsigned Beat = 0,
  parameter int unsigned Bit = 0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       invalidate_i,
  input logic       valid_i,
  input logic       response_i,
  input logic [7:0] idx_i,
  input logic       bit_i,
  input logic       other_i,
  input logic       ready_i,
  input logic [7:0] watch_i,
  input logic [3:0] way_i
);

  localparam int unsigned Sets = 2;
  localparam int unsigned SetW = 1;
  localparam int unsigned IndexBits = 8;
  localparam int unsigned Len = 16 << Mode;
  localparam int unsigned Beats = (Len + BeatBytes - 1) / BeatBytes;
  localparam int unsigned SegW = 5;
  localparam int unsigned GroupW = SegW + SetW;

  // ---------------------------------------------------------------------------------------------
  // PRs of one length, beat by beat.

  logic       started_q, pr_ready, out_valid, clearing;
  logic [3:0] beat_q, out_beat_q;
  logic       response_q, response;
  // Enough bits to tell neighbours apart.
  logic [1:0] current_q, current_d, pr_generation_q, pr_generation;
  logic [7:0] idx_q, idx;
  pr_beat_t   pr, out;

  assign response = (beat_q == '0) ? response_i : response_q;
  assign idx      = (beat_q == '0) ? idx_i : idx_q;

  assign current_d     = current_q + 2'(invalidate_i);
  assign pr_generation = (beat_q == '0) ? (other_i ? ~current_d : current_d) : pr_generation_q;

  always_ff @(posedge clk_i) begin
    current_q <= current_d;
    if (valid_i && pr_ready) pr_generation_q <= pr_generation;
    if (!rst_ni) current_q <= '0;
  end

  always_comb begin
    pr              = '0;
    pr.pr.generation = 16'(pr_generation);
    pr.pr.response  = response;
    pr.pr.cacheable = 1'b1;
    pr.pr.idx       = 64'(idx);
    pr.pr.len       = 11'(Len);
    pr.first        = beat_q == '0;
    pr.last         = !response || beat_q == 4'(Beats - 1);
    pr.data[Bit]    = response && beat_q == 4'(Beat) && bit_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && pr_ready) begin
      response_q <= response;
      idx_q      <= idx;
      beat_q     <= pr.last ? '0 : beat_q + 4'd1;
    end
    if (!rst_ni) beat_q <= '0;
  end

  gather_cache #(
    .Sets          (Sets),
    .IndexBits     (IndexBits),
    .GenerationBits(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i      (1'b1),
    .mode_i        (3'(Mode)),
    .generation_i  (16'(current_d)),
    .len_i         (11'(Len)),
    .invalidate_i,
    .pr_valid_i    (valid_i),
    .pr_ready_o    (pr_ready),
    .pr_i          (pr),
    .pr_valid_o    (out_valid),
    .pr_ready_i    (ready_i),
    .pr_o          (out),
    .obs_o         (),
    .clearing_o    (clearing)
  );

  // ---------------------------------------------------------------------------------------------
  // What is followed: an index, and a way that it may be in.

  logic [7:0] watch_q;
  logic [3:0] way_q;
  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      watch_q <= watch_i;
      way_q   <= way_i;
    end
  end

  // The words of the memories where it would be.
  logic [GroupW-1:0]   group;
  logic [Segments-1:0] lines;
  assign group = {(watch_q[SetW+:5] >> Mode) << Mode, watch_q[SetW-1:0]};
  for (genvar s = 0; s < Segments; s++) begin : gen_line
    assign lines[s] = u_dut.u_data.gen_segment[s].u_ram.watch == {watch_q[SetW-1:0], way_q};
  end

  // A look-up in stage 2: which beat is there, and what the property is from there on.
  logic       mine2, keeps2, looks2;
  logic [3:0] beat2_q, beat2;
  logic       keep_q;     // its property is being kept, in the way that is followed
  logic       have_q, bit_q;
  logic       old3_q;     // what is in stage 3 came there before this generation

  assign mine2  = u_dut.valid2_q && u_dut.pr2_q.pr.idx == 64'(watch_q);
  assign beat2  = u_dut.pr2_q.first ? '0 : beat2_q + 4'd1;
  assign looks2 = mine2 && u_dut.pr2_q.first && u_dut.hit2 && !u_dut.pr2_q.pr.response;
  assign keeps2 = mine2 && (u_dut.pr2_q.first ? u_dut.insert2 : keep_q);

  // Of reads that hit, as they go on behind that: what they are to bring.
  logic want3_q, want4_q, follow3_q, follow4_q;

  always_ff @(posedge clk_i) begin
    if (u_dut.valid2_q && u_dut.advance) begin
      beat2_q <= beat2;
      keep_q  <= keeps2;
      if (keeps2 && beat2 == 4'(Beat)) bit_q <= u_dut.pr2_q.data[Bit];
      if (keeps2 && u_dut.pr2_q.first) have_q <= 1'b1;
    end
    if (invalidate_i) have_q <= 1'b0;
    if (u_dut.advance) begin
      follow3_q <= looks2 && u_dut.way2 == way_q;
      want3_q   <= bit_q;
    end
    if (u_dut.advance) old3_q <= 1'b0;
    if (invalidate_i) old3_q <= 1'b1;
    if (u_dut.u_data.out_ready) begin
      follow4_q <= follow3_q && u_dut.u_data.valid3_q;
      want4_q   <= want3_q;
    end
    if (out_valid && ready_i) out_beat_q <= out.last ? '0 : out_beat_q + 4'd1;
    if (!rst_ni) begin
      have_q     <= 1'b0;
      out_beat_q <= '0;
      follow3_q  <= 1'b0;
      old3_q     <= 1'b0;
      follow4_q  <= 1'b0;
    end
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The memories' words are those of the property. Dropped: any value is read.
    e_watch : assume (u_dut.u_tags.watch == group && (&lines));
    // The first cycle is one of reset. Dropped: the cache holds what nobody has put there.
    e_reset : assume (started_q || !rst_ni);
  end

  function automatic logic [GroupW-1:0] where(logic [63:0] index);
    where = {(index[SetW+:5] >> Mode) << Mode, index[SetW-1:0]};
  endfunction

  function automatic logic like(pr_beat_t beat);
    like = beat.pr.len == 11'(Len) && (Beats != 1 || beat.first) && beat.pr.idx[63:IndexBits] == '0;
  endfunction

  // The group as it is in memory, and where the index is by that.
  localparam int unsigned Ways = 16;
  localparam int unsigned TagW = IndexBits - SetW;
  typedef struct packed {
    logic [1:0]                generation;
    logic [Ways-1:0]           valid;
    logic [Ways-1:0][3:0]      age;
    logic [Ways-1:0][TagW-1:0] tag;
  } group_t;
  group_t            word;
  logic              cleared, current, pending;
  logic [Ways-1:0]   places;
  logic [SegW-1:0]   segment;    // the one that holds the bit
  logic [127:0]      stored;     // what that holds

  localparam int unsigned Place = (Mode < 2) ? 0 : 4 * Beat + Bit / 128;
  logic [Segments-1:0][127:0] words;
  for (genvar s = 0; s < Segments; s++) begin : gen_word
    assign words[s] = u_dut.u_data.gen_segment[s].u_ram.word_q;
  end

  assign word    = u_dut.u_tags.word_q;
  assign current = word.generation == u_dut.generation_q && !u_dut.clearing_q;
  // Clearing has been at the group.
  assign cleared = u_dut.clearing_q && u_dut.clear_q > group;
  assign segment = group[SetW+:SegW] + SegW'(Place);
  assign stored  = words[segment];
  // A beat in stage 3 is yet to be written there.
  assign pending = u_dut.u_data.valid3_q && u_dut.u_data.write3_q &&
      u_dut.u_data.line3_q == {watch_q[SetW-1:0], way_q} &&
      u_dut.u_data.segment3_q == group[SetW+:SegW] && u_dut.u_data.beat3_q == 4'(Beat);
  always_comb begin
    for (int unsigned w = 0; w < Ways; w++) begin
      places[w] = current && word.valid[w] && word.tag[w] == TagW'(watch_q >> SetW);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A read brings what was kept last for its index.
      a_last : assert (!(out_valid && follow4_q && out_beat_q == 4'(Beat)) ||
                       out.data[Bit] == want4_q)
      else $error("index %0d: %b instead of %b", watch_q, out.data[Bit], want4_q);
      // It is the response to that read.
      a_turned : assert (!(out_valid && follow4_q) ||
                         (out.pr.response && out.pr.idx == 64'(watch_q)))
      else $error("index %0d is answered with another one", watch_q);
      // What is found was put there in this generation.
      a_have : assert (!looks2 || have_q)
      else $error("index %0d is found and was not kept", watch_q);
      // Whatever looks is of the generation that the cache is of: no older PR hits, or is kept.
      a_same : assert ((!u_dut.looks1_q || u_dut.pr1_q.pr.generation == 16'(current_q)) &&
                       (!u_dut.looks2_q || u_dut.pr2_q.pr.generation == 16'(current_q)))
      else $error("a look-up of another generation");
      // Of the group that is followed an index is in one way at most.
      a_one : assert (!mine2 || !u_dut.looks2_q || $onehot0(u_dut.match2))
      else $error("index %0d in ways %b", watch_q, u_dut.match2);
      // What look-ups see is what is in memory, or what is being written to it.
      a_second : assert (!(u_dut.looks2_q && u_dut.group2_q == group) || u_dut.group2 == word)
      else $error("stage 2 sees an old group");
      a_wrote : assert (!(u_dut.wrote_q && u_dut.looks1_q) ||
                        (u_dut.u_data.valid3_q && !u_dut.clearing_q &&
                         (u_dut.wrote_group_q != group || u_dut.wrote == word)))
      else $error("what was written is not in memory");
      a_first : assert (!(u_dut.looks1_q && u_dut.group1_q == group) ||
                        (u_dut.wrote_q && u_dut.wrote_group_q == group) || u_dut.ram1 == word)
      else $error("stage 1 sees an old group");
      // Look-ups are of PRs that are there, and none while tags are cleared.
      a_looks : assert (
          (!u_dut.looks1_q || (u_dut.valid1_q && u_dut.pr1_q.first && !u_dut.clearing_q)) &&
          (!u_dut.looks2_q || (u_dut.valid2_q && u_dut.pr2_q.first && !u_dut.clearing_q)))
      else $error("a look-up of nothing");
      // A look-up is where its index belongs.
      a_where : assert ((!u_dut.looks1_q || u_dut.group1_q == where(u_dut.pr1_q.pr.idx)) &&
                        (!u_dut.looks2_q || (u_dut.group2_q == where(u_dut.pr2_q.pr.idx) &&
                                             u_dut.base2_q == u_dut.group2_q[SetW+:SegW])) &&
                        (!u_dut.looks1_q || u_dut.base1_q == u_dut.group1_q[SetW+:SegW]))
      else $error("a look-up in another group");
      // No group is of a later generation; what clearing has passed is of none.
      a_generation : assert (u_dut.generation_q != '0 &&
                             (u_dut.clearing_q ? !cleared || word.generation == '0 :
                              word.generation <= u_dut.generation_q))
      else $error("generation %0d", word.generation);
      // The index is in one way at most, and only if it was kept.
      a_place : assert ($onehot0(places) && (places == '0 || have_q))
      else $error("index %0d in %b", watch_q, places);
      // What is on its way into the segment is of the index that the tags tell.
      a_pending : assert (!pending || old3_q || (current && word.valid[way_q] &&
                                       word.tag[way_q] ==
                                       TagW'(u_dut.u_data.pr3_q.pr.idx >> SetW) &&
                                       u_dut.u_data.pr3_q.pr.idx[IndexBits-1:0] ==
                                       u_dut.u_data.pr3_q.pr.idx[63:0] &&
                                       where(u_dut.u_data.pr3_q.pr.idx) == group))
      else $error("a property is written that the tags do not tell");
      // PRs inside are as they came in; what is read or written in stage 3 is where its index
      // belongs.
      a_like : assert ((Beats != 1 || beat_q == '0) &&
                       (!u_dut.valid1_q || like(u_dut.pr1_q)) &&
                       (!u_dut.valid2_q || like(u_dut.pr2_q)) &&
                       (!u_dut.u_data.valid3_q || like(u_dut.u_data.pr3_q)))
      else $error("a PR of another kind");
      a_third : assert (!(u_dut.u_data.valid3_q &&
                          (u_dut.u_data.read3_q || u_dut.u_data.write3_q)) ||
                        (Beats != 1 || u_dut.u_data.beat3_q == '0) &&
                        {u_dut.u_data.segment3_q, u_dut.u_data.line3_q[4+:SetW]} ==
                        where(u_dut.u_data.pr3_q.pr.idx))
      else $error("a property in another segment");
      a_old : assert (!old3_q || places == '0)
      else $error("index %0d is found in a generation that has just begun", watch_q);
      // The segment holds the bit, or will.
      a_stored : assert (!places[way_q] || (pending ? u_dut.u_data.pr3_q.data[Bit] == bit_q :
                                            stored[Bit%128] == bit_q))
      else $error("the segment holds another property");
      // A read that hit is of the segment and way that are followed, and brings what is there.
      a_reads : assert (!(follow3_q && u_dut.u_data.valid3_q) ||
                        (u_dut.u_data.read3_q &&
                         u_dut.u_data.line3_q == {watch_q[SetW-1:0], way_q} &&
                         u_dut.u_data.segment3_q == group[SetW+:SegW] &&
                         stored[Bit%128] == want3_q &&
                         u_dut.u_data.pr3_q.pr.idx == 64'(watch_q)))
      else $error("a read of another segment");
      // A hit; one behind an insertion in the cycle before; one in the next generation.
      c_hit : cover (out_valid && follow4_q && want4_q && out_beat_q == 4'(Beat));
      // A read of another generation passes an index that is kept.
      c_older : cover (mine2 && u_dut.pr2_q.first && !u_dut.pr2_q.pr.response && have_q &&
                       u_dut.pr2_q.pr.generation != 16'(current_q) && places != '0);
      c_close : cover (looks2 && u_dut.wrote_q && have_q);
    end
  end

endmodule
