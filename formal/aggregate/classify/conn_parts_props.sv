// agg_conn_seen, agg_conn_choice, agg_conn_write and agg_conn_count: what small parts of the
// connection table answer, for any question. (agg_conn_table's proof has them in their places.)
module conn_parts_props
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  parameter int unsigned BucketW = 8,
  parameter int unsigned Parts = 5,
  localparam int unsigned All = 4,
  localparam int unsigned WayW = $clog2(All)
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input conn_state_t               stored_i,
  input conn_flush_t               flush_i,
  input logic                      flushed_i,
  input logic [Parts-1:0]          equal_i,
  input logic        [All-1:0]     match_i,
  input conn_state_t [All-1:0]     state_i,
  input logic [1:0][BucketW-1:0]   bucket_i,
  input logic                      clear_i,
  input logic [BucketW-1:0]        clear_bucket_i,
  input logic                      walk_i,
  input logic [BucketW-1:0]        walk_bucket_i,
  input conn_state_t [All-1:0]     walked_i,
  input logic                      set_i,
  input logic [WayW-1:0]           set_way_i,
  input logic [BucketW-1:0]        set_bucket_i,
  input conn_state_t               set_state_i,
  input logic                      act_i,
  input logic [WayW-1:0]           act_way_i,
  input logic [BucketW-1:0]        act_bucket_i,
  input conn_state_t               act_state_i,
  input logic                      retire_i,
  input logic                      release_i,
  input logic [WayW-1:0]           way_i   // any
);

  logic                      match, full, retired;
  conn_state_t               seen, stored;
  logic [RingW-1:0]          ring;
  logic [RankW-1:0]          rank;
  logic [WayW-1:0]           way;
  logic [BucketW-1:0]        bucket, written;
  logic        [All-1:0]     we, key_we;
  conn_state_t [All-1:0]     state;
  conn_count_t               count;

  agg_conn_seen #(
    .Parts(Parts)
  ) u_seen (
    .stored_i,
    .flush_i,
    .flushed_i,
    .equal_i,
    .match_o (match),
    .state_o (seen),
    .stored_o(stored)
  );

  agg_conn_choice #(
    .BucketW(BucketW)
  ) u_choice (
    .match_i,
    .state_i,
    .bucket_i,
    .full_o   (full),
    .retired_o(retired),
    .ring_o   (ring),
    .rank_o   (rank),
    .way_o    (way),
    .bucket_o (bucket)
  );

  agg_conn_write #(
    .All    (All),
    .BucketW(BucketW)
  ) u_write (
    .rst_ni,
    .clear_i,
    .clear_bucket_i,
    .walk_i,
    .walk_bucket_i,
    .walked_i,
    .set_i,
    .set_way_i,
    .set_bucket_i,
    .set_state_i,
    .act_i,
    .act_way_i,
    .act_bucket_i,
    .act_state_i,
    .we_o    (we),
    .key_we_o(key_we),
    .bucket_o(written),
    .state_o (state)
  );

  agg_conn_count #(
    .All(All)
  ) u_count (
    .clk_i,
    .rst_ni,
    .set_i,
    .set_used_i       (stored_i.used),
    .set_retired_i    (stored_i.retired),
    .walk_i,
    .old_i            (state_i),
    .new_i            (walked_i),
    .retire_i,
    .release_i,
    .release_retired_i(stored_i.retired),
    .count_o          (count)
  );

  // An entry as the flush leaves it.
  logic        ours;
  conn_state_t after;
  assign ours = flush_i.valid && flush_i.ring == stored_i.ring;
  always_comb begin
    after = stored_i;
    after.used    = stored_i.used && !(ours && flush_i.free);
    after.retired = !(ours && flush_i.free) &&
        (stored_i.retired || (ours && stored_i.used && stored_i.learned));
  end

  // Free ways of both buckets, and the first one of the bucket that has more of them.
  logic [1:0]      left, right;
  logic [WayW-1:0] first, matching;
  always_comb begin
    left    = 2'(!state_i[0].used) + 2'(!state_i[1].used);
    right   = 2'(!state_i[2].used) + 2'(!state_i[3].used);
    first   = (right > left) ? (state_i[2].used ? WayW'(3) : WayW'(2)) :
        (state_i[0].used ? WayW'(1) : WayW'(0));
    matching = '0;
    for (int unsigned w = 0; w < All; w++) if (match_i[w]) matching = WayW'(w);
  end

  // What a change makes of the numbers, where there is one; in the next cycle, and in the one
  // behind.
  logic        one, one_q, one2_q;
  logic [2:0]  past_q;   // so many cycles have gone by
  initial past_q = '0;
  conn_count_t more, more_q, more2_q, count_q;
  always_comb begin
    more = '0;
    for (int unsigned w = 0; w < All; w++) begin
      if (walk_i && state_i[w].used && !walked_i[w].used) more.used -= ConnCountW'(1);
      if (walk_i && state_i[w].retired && !walked_i[w].retired) more.retired -= ConnCountW'(1);
      if (walk_i && !state_i[w].retired && walked_i[w].retired) more.retired += ConnCountW'(1);
    end
    if (set_i && !stored_i.used) more.used = ConnCountW'(1);
    if (set_i && stored_i.used && stored_i.retired) more.retired = '1;
    if (release_i) more = '{used: '1, retired: stored_i.retired ? '1 : '0};
    if (retire_i) more.retired = ConnCountW'(1);
    one = $onehot0({walk_i, set_i, release_i, retire_i});
  end
  always_ff @(posedge clk_i) begin
    past_q            <= {past_q[1:0], 1'b1};
    {one_q, one2_q}   <= {rst_ni && one, rst_ni && one_q && past_q[0]};
    {more_q, more2_q} <= {more, more_q};
    count_q           <= count;
  end

  always_ff @(posedge clk_i) begin
    // A flush frees an entry of its ring, or retires it if it was learned; all else stays.
    a_seen : assert (seen == after && stored == (flushed_i ? after : stored_i))
    else $error("state %b, stored %b", seen, stored);
    // An entry that is in use then and has all of the key is the one.
    a_match : assert (match == (after.used && (~equal_i) == '0))
    else $error("match %b", match);
    // The way that has the key, or else the first free one of the bucket with more of them.
    a_way : assert (!$onehot0(match_i) || (match_i == '0 && full) ||
                    (way == ((match_i != '0) ? matching : first) &&
                     bucket == bucket_i[way >= WayW'(2)]))
    else $error("way %0d", way);
    // What is told of it is of the way that has the key, or nothing.
    a_whose : assert (!$onehot0(match_i) || {retired, ring, rank} == ((match_i == '0) ? '0 :
        {state_i[matching].retired, state_i[matching].ring, state_i[matching].rank}))
    else $error("ring %0d, rank %0d", ring, rank);
    // It is full without a free way.
    a_full : assert (full == (left == '0 && right == '0))
    else $error("full %b", full);
    // Of any way: a clearing and a walk write all of them, a connection that is added its own with
    // its key, an entry that is retired its own.
    a_write : assert (we[way_i] == (rst_ni && (clear_i || walk_i ||
                          (set_i && set_way_i == way_i) || (act_i && act_way_i == way_i))) &&
                      key_we[way_i] == (rst_ni && set_i && set_way_i == way_i))
    else $error("way %0d: %b %b", way_i, we[way_i], key_we[way_i]);
    // What is written is of whoever comes first in that order, and so is where.
    a_what : assert (clear_i ? state[way_i] == '0 && written == clear_bucket_i :
        walk_i ? state[way_i] == walked_i[way_i] && written == walk_bucket_i :
        set_i ? state[way_i] == set_state_i && written == set_bucket_i :
        state[way_i] == act_state_i && written == act_bucket_i)
    else $error("way %0d: %b", way_i, state[way_i]);
    // Two cycles behind one change the numbers have changed by what it was.
    a_used : assert (!rst_ni || !one2_q || !past_q[2] || count.used == count_q.used + more2_q.used)
    else $error("%0d in use", count.used);
    // And those of retired ones.
    a_retired : assert (!rst_ni || !one2_q || !past_q[2] ||
                        count.retired == count_q.retired + more2_q.retired)
    else $error("%0d retired", count.retired);

    // The right bucket has more free ways; a step of the walk retires all four.
    c_right : cover (match_i == '0 && !full && way == WayW'(3));
    c_four : cover (rst_ni && one2_q && past_q[2] &&
                    count.retired == count_q.retired + ConnCountW'(4));
  end

endmodule
