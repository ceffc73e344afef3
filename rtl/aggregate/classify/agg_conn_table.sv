// Which connection is this? A hash table in RAM: each key has a bucket in either half of the table,
// and all ways of both are compared with it in full (NetReduce 3.2, CLT).
//
// The answer comes two cycles after the key of a query, which comes a cycle after its hash. A new
// connection gets a place in the half whose bucket has more free ones (docs/protocol.md); the
// answer to its query says which, and the entry stays what it is until it is written. Entries are
// written only while no query is on its way (agg_lookup sees to that), but for the walk of a flush,
// which changes nothing that anybody sees. Each (ring, rank) belongs to one connection that is
// alive. Who is not any more, by a flush or by the control plane, stays known as retired until it
// is released, or begins a message of a ring anew.
module agg_conn_table
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, a power of two, 2 to 1,024.
  parameter int unsigned NumConns = 1024,
  /// 1: keys are coded (agg_conn_way), and all answers come a cycle later.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // A query: the hash of its key, and the key a cycle later.
  input  logic             query_valid_i,
  input  conn_hash_t       query_hash_i,
  input  conn_key_t        query_key_i,
  // ConnAnswer cycles after the key: whether it is known; its entry, ring and rank if so. Else
  // whether no place is free for it, or which one is.
  output logic             answer_valid_o,
  output logic             hit_o,
  output logic             full_o,
  // Or it is not known, but it may be: the key of an entry that could be its own is lost.
  output logic             lost_o,
  // It is retired: ring and rank are those that it had.
  output logic             retired_o,
  output logic [ConnW-1:0] conn_o,
  output logic [RingW-1:0] ring_o,
  output logic [RankW-1:0] rank_o,

  // (ring, rank) pairs that have a connection.
  output logic [NumRings-1:0][NumRanks-1:0] claimed_o,
  // After reset the table is cleared: not before `ready` may it be asked. A flush is under way.
  output logic                              ready_o,
  output logic                              walks_o,
  output conn_count_t                       count_o,
  // Pulses: what reading an entry that is in use found.
  output mem_event_t                        event_o,

  // Writes the entry of the last query's answer; with `learned`, a flush of its ring retires it.
  input logic             set_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  // Retires the learned connections of a ring; with `free`, forgets all of it, retired ones too. So
  // it is from the next cycle on; `walks_o` stays until it is written down.
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  // Somebody may write in this cycle or the next; the walk waits. Who writes what he was answered
  // has kept it waiting since the cycle of his key.
  input logic             pause_i,
  // The control plane looks at an entry; from the third cycle of that on: what it is. Then it may
  // retire an entry that is alive, or free one that is retired.
  input  logic             act_i,
  // Has the width of the largest configuration.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [ConnW-1:0] act_index_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic             act_alive_o,
  output logic             act_retired_o,
  input  logic             retire_i,
  input  logic             release_i
);

  localparam int unsigned Halves = 2;
  localparam int unsigned Ways = (NumConns >= 4) ? 2 : 1;   // of a half
  localparam int unsigned All = Halves * Ways;
  localparam int unsigned Buckets = NumConns / All;
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1;
  localparam int unsigned WayW = $clog2(All);

  if (NumConns < 2 || NumConns > 2 ** ConnW || NumConns != 2 ** $clog2(NumConns)) begin : gen_check
    $fatal(1, "%m: NumConns must be a power of two, 2 to %0d", 2 ** ConnW);
  end
  if (BucketW > $bits(query_hash_i.left)) begin : gen_check_hash
    $fatal(1, "%m: a hash has %0d bits, not %0d", $bits(query_hash_i.left), BucketW);
  end

  // An entry's number: its bucket, half and way.
  function automatic logic [ConnW-1:0] entry_of(logic [BucketW-1:0] bucket, logic [WayW-1:0] way);
    entry_of = ConnW'(32'(bucket) * All + 32'(way));
  endfunction
  function automatic logic [BucketW-1:0] bucket_of(logic [ConnW-1:0] entry);
    bucket_of = (Buckets > 1) ? BucketW'(entry >> WayW) : '0;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // A query: its buckets are read, compared in parts, and one of their entries chosen.

  logic [Halves-1:0][BucketW-1:0] bucket, bucket1_q, bucket2_q;
  logic [2:1]                     query_q;
  logic [Halves-1:0]              flushed;   // the walk wrote the bucket as its state was read
  logic [All-1:0]                 match, lost;
  ecc_t [All-1:0]                 found;
  conn_state_t [All-1:0]          state, stored;
  conn_flush_t                    flush;

  // With Ecc keys are there a cycle later than they are read, so the query begins a cycle later.
  logic                           query;
  logic [Halves-1:0][BucketW-1:0] query_bucket;
  conn_key_t                      query_key;

  if (Ecc != 0) begin : gen_later
    always_ff @(posedge clk_i) begin
      query        <= query_valid_i && rst_ni;
      query_bucket <= bucket;
      query_key    <= query_key_i;
    end
  end else begin : gen_now
    assign query        = query_valid_i;
    assign query_bucket = bucket;
    assign query_key    = query_key_i;
  end

  assign bucket[0] = (Buckets > 1) ? query_hash_i.left[BucketW-1:0] : '0;
  assign bucket[1] = (Buckets > 1) ? query_hash_i.right[BucketW-1:0] : '0;

  logic [WayW-1:0]                way;
  logic [BucketW-1:0]             bucket_of_way;
  logic                           full, found_retired;
  logic [RingW-1:0]               found_ring;
  logic [RankW-1:0]               found_rank;
  logic                           clear, walk, walk_q;
  logic [BucketW-1:0]             walk_bucket, walk_write_bucket, walk_write_q;

  agg_conn_choice #(
    .Ways   (Ways),
    .BucketW(BucketW)
  ) u_choice (
    .match_i  (match),
    .state_i  (state),
    .bucket_i (bucket2_q),
    .full_o   (full),
    .retired_o(found_retired),
    .ring_o   (found_ring),
    .rank_o   (found_rank),
    .way_o    (way),
    .bucket_o (bucket_of_way)
  );
  for (genvar h = 0; h < Halves; h++) begin : gen_half
    assign flushed[h] = walk_q && walk_write_q == bucket2_q[h];
  end

  // What stands in each entry that was looked at, and in that of the answer: which one that is is
  // known too late to choose before.
  logic [All-1:0]  stored_used_q, stored_retired_q;
  logic [WayW-1:0] way_q;
  logic            old_used, old_retired;

  assign old_used    = stored_used_q[way_q];
  assign old_retired = stored_retired_q[way_q];

  always_ff @(posedge clk_i) begin
    bucket1_q      <= query_bucket;
    walk_q         <= walk;
    walk_write_q   <= walk_write_bucket;
    bucket2_q      <= bucket1_q;
    query_q        <= {query_q[1], query};
    answer_valid_o <= query_q[2] && rst_ni;
    if (query_q[2]) begin
      hit_o     <= |match;
      full_o    <= full;
      lost_o    <= Ecc != 0 && match == '0 && lost != '0;
      retired_o <= found_retired;
      conn_o    <= entry_of(bucket_of_way, way);
      ring_o    <= found_ring;
      rank_o    <= found_rank;
      way_q     <= way;
      for (int unsigned w = 0; w < All; w++) begin
        stored_used_q[w]    <= stored[w].used;
        stored_retired_q[w] <= stored[w].retired;
      end
    end
    if (!rst_ni) query_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The walk, and what the control plane looks at.

  conn_state_t [All-1:0] look, walked;
  logic [WayW-1:0]       act_way1_q, act_way_q;
  logic [BucketW-1:0]    act_bucket1_q, act_bucket_q;
  conn_state_t           act_stored_q, act_seen;
  logic                  act1_q;

  agg_conn_walk #(
    .Buckets(Buckets)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .flush_i,
    .flush_ring_i,
    .flush_free_i,
    .pause_i       (pause_i || act_i),
    .clear_o       (clear),
    .busy_o        (walks_o),
    .flush_o       (flush),
    .bucket_o      (walk_bucket),
    .write_o       (walk),
    .write_bucket_o(walk_write_bucket)
  );

  assign ready_o = !clear;

  always_ff @(posedge clk_i) begin
    act1_q        <= act_i;
    act_way1_q    <= WayW'(act_index_i);
    act_bucket1_q <= bucket_of(act_index_i);
    if (act1_q) begin
      act_stored_q <= look[act_way1_q];
      act_way_q    <= act_way1_q;
      act_bucket_q <= act_bucket1_q;
    end
  end

  assign act_seen      = conn_flushed(act_stored_q, flush);
  assign act_alive_o   = act_seen.used && !act_seen.retired;
  assign act_retired_o = act_seen.used && act_seen.retired;

  // ---------------------------------------------------------------------------------------------
  // One write a cycle: of all ways of a bucket, or of one entry.

  logic [All-1:0]        we, key_we;
  logic [BucketW-1:0]    write_bucket;
  conn_state_t [All-1:0] write_state;
  conn_state_t           set_state, act_state;

  always_comb begin
    set_state = '{used: 1'b1, retired: 1'b0, learned: set_learned_i, ring: set_ring_i,
                  rank: set_rank_i};
    act_state         = act_seen;
    act_state.used    = !release_i;
    act_state.retired = !release_i;
    for (int unsigned w = 0; w < All; w++) walked[w] = conn_flushed(look[w], flush);
  end

  agg_conn_write #(
    .All    (All),
    .BucketW(BucketW)
  ) u_write (
    .rst_ni,
    .clear_i       (clear),
    .clear_bucket_i(walk_bucket),
    .walk_i        (walk),
    .walk_bucket_i (walk_write_bucket),
    .walked_i      (walked),
    .set_i,
    .set_way_i     (way_q),
    .set_bucket_i  (bucket_of(conn_o)),
    .set_state_i   (set_state),
    .act_i         (retire_i || release_i),
    .act_way_i     (act_way_q),
    .act_bucket_i  (act_bucket_q),
    .act_state_i   (act_state),
    .we_o          (we),
    .key_we_o      (key_we),
    .bucket_o      (write_bucket),
    .state_o       (write_state)
  );

  for (genvar w = 0; w < All; w++) begin : gen_way
    agg_conn_way #(
      .Buckets(Buckets),
      .Ecc    (Ecc),
      .Without(Without)
    ) u_way (
      .clk_i,
      .read_i        (query_valid_i),
      .read_bucket_i (bucket[w/Ways]),
      .query_i       (query),
      .query_bucket_i(query_bucket[w/Ways]),
      .query_key_i   (query_key),
      .flush_i       (flush),
      .flushed_i     (flushed[w/Ways]),
      .match_o       (match[w]),
      .state_o       (state[w]),
      .stored_o      (stored[w]),
      .lost_o        (lost[w]),
      .found_o       (found[w]),
      .look_i        (rst_ni),
      .look_bucket_i (act_i ? bucket_of(act_index_i) : walk_bucket),
      .look_o        (look[w]),
      .we_i          (we[w]),
      .key_we_i      (key_we[w]),
      .bucket_i      (write_bucket),
      .state_i       (write_state[w]),
      .key_i         (set_key_i)
    );
  end

  agg_conn_claims #(
    .NumRanks(NumRanks),
    .NumRings(NumRings)
  ) u_claims (
    .clk_i,
    .rst_ni,
    .set_i,
    .set_ring_i,
    .set_rank_i,
    .set_learned_i,
    .flush_i,
    .flush_ring_i,
    .flush_all_i  (flush_free_i),
    .clear_i      (retire_i),
    .clear_ring_i (act_stored_q.ring),
    .clear_rank_i (act_stored_q.rank),
    .claimed_o
  );

  // What was found, of the last way that has anything; what is bad goes first.
  if (Ecc != 0) begin : gen_event
    mem_event_t event_d;
    always_comb begin
      event_d = '0;
      for (int unsigned b = 0; b < 2; b++) begin
        for (int unsigned w = 0; w < All; w++) begin
          if (b == 0 ? found[w].corrected : found[w].bad) begin
            event_d.at = SlotW'(entry_of(bucket2_q[w/Ways], WayW'(w)));
          end
          event_d.found = event_d.found | found[w];
        end
      end
    end
    always_ff @(posedge clk_i) event_o <= query_q[2] && rst_ni ? event_d : '0;
  end else begin : gen_no_event
    assign event_o = '0;
    logic unused;
    assign unused = ^{lost, found};
  end

  // ---------------------------------------------------------------------------------------------
  // Entries in use, and retired ones, and what is always so.

  agg_conn_count #(
    .All(All)
  ) u_count (
    .clk_i,
    .rst_ni,
    .set_i,
    .set_used_i       (old_used),
    .set_retired_i    (old_retired),
    .walk_i           (walk),
    .old_i            (look),
    .new_i            (walked),
    .retire_i,
    .release_i,
    .release_retired_i(act_stored_q.retired),
    .count_o
  );

  // Keys are read a cycle before states: the query that comes with a write is compared with the old
  // key of a new entry. Nobody takes its answer.
  logic [3:1] beside_q;

  always_ff @(posedge clk_i) begin
    beside_q <= {beside_q[2:1], set_i};
    if (rst_ni) begin
      // A packet belongs to one connection; two hits would merge two of them.
      a_one_hit : assert ($onehot0(match) || !query_q[2] || beside_q[2] ||
                          (Ecc != 0 && beside_q[3]))
      else $error("%m: two entries for one connection: %b", match);
      // The table is asked when it is cleared; what was there before reset would be found.
      a_clear : assert (ready_o || !(query_valid_i || act_i || set_i || flush_i))
      else $error("%m: used before it is clear");
      // An entry is never written over a living one.
      a_free : assert (!set_i || (hit_o ? retired_o : !full_o))
      else $error("%m: entry %0d is in use", conn_o);
      // Each (ring, rank) belongs to one connection; two would add up as one worker.
      a_unclaimed : assert (!set_i || !claimed_o[32'(set_ring_i) % NumRings][
          32'(set_rank_i) % NumRanks])
      else $error("%m: rank %0d of ring %0d is taken", set_rank_i, set_ring_i);
      // Nobody joins a ring that is being flushed: he would be flushed with it.
      a_not_flushed : assert (!set_i || !flush.valid || set_ring_i != flush.ring)
      else $error("%m: a connection of ring %0d, which is being flushed", set_ring_i);
      // One change a cycle; an entry written as others are flushed would be lost, and its rank
      // claimed for ever.
      a_one_change : assert ($onehot0({set_i, flush_i, retire_i, release_i}))
      else $error("%m: entry %0d is written beside another one", conn_o);
      // The walk writes while nobody else does; one of the two would be lost.
      a_walk_alone : assert (!walk || !(set_i || retire_i || release_i))
      else $error("%m: entry %0d is written during a step of the walk", conn_o);
      // Retired is who was alive, free who was retired; a receiver could take what passes at once
      // for a sum.
      a_retire : assert ((!retire_i || act_alive_o) && (!release_i || act_retired_o))
      else $error("%m: entry %0d of bucket %0d is not alive, or not retired", act_way_q,
                  act_bucket_q);
      // No more than there are.
      a_count : assert (32'(count_o.used) <= NumConns && 32'(count_o.retired) <= NumConns)
      else $error("%m: %0d in use, %0d retired", count_o.used, count_o.retired);
    end
  end

endmodule
