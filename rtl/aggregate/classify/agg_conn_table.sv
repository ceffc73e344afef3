// Which connection is this? Every known connection, compared in full with each query (NetReduce
// 3.2, CLT).
//
// The answer comes two cycles after the query. Entries change only while no query is on its way
// (agg_lookup sees to that), so an answer never speaks of a table that has changed since. Each
// (ring, rank) belongs to one connection that is alive. Who is not any more, by a flush or by the
// control plane, stays known as retired until it is released, or begins a message of a ring anew.
module agg_conn_table
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, 1 to 256.
  parameter int unsigned NumConns = 48
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic             query_valid_i,
  input  conn_key_t        query_key_i,
  // ConnAnswer cycles after the query: whether it is known; its entry, ring and rank if so.
  output logic             answer_valid_o,
  output logic             hit_o,
  // It is retired: ring and rank are those that it had.
  output logic             retired_o,
  output logic [ConnW-1:0] conn_o,
  output logic [RingW-1:0] ring_o,
  output logic [RankW-1:0] rank_o,

  // (ring, rank) pairs that have a connection; no entry is free; the first free entry (these two a
  // cycle behind the entries); entries in use.
  output logic [NumRings-1:0][NumRanks-1:0] claimed_o,
  output logic                              full_o,
  output logic [ConnW-1:0]                  free_o,
  output logic [NumConns-1:0]               used_o,

  // Writes one entry, a free or a retired one; with `learned`, a flush of its ring retires it.
  input logic             set_i,
  input logic [ConnW-1:0] set_index_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  // Retires the learned connections of a ring; with `free`, forgets all of it, retired ones too.
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  // Retires an entry that is alive, or frees one that is retired. Which one is known a cycle before.
  input logic [ConnW-1:0] act_index_i,
  input logic             retire_i,
  input logic             release_i,
  // In the same cycle: all connections of that ring, learned or not; their histories are void, too.
  output logic [NumConns-1:0] flushed_o,
  // Entries that are retired.
  output logic [NumConns-1:0] retired_entries_o
);

  if (NumConns < 1 || NumConns > 2 ** ConnW) begin : gen_check_conns
    $fatal(1, "%m: NumConns must be 1 to %0d", 2 ** ConnW);
  end

  localparam int unsigned KeyBits = $bits(conn_key_t);
  localparam int unsigned Chunks = 8;
  localparam int unsigned ChunkBits = (KeyBits + Chunks - 1) / Chunks;
  localparam int unsigned IndexW = (NumConns > 1) ? $clog2(NumConns) : 1;
  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;

  logic      [NumConns-1:0]            used_q, learned_q, retired_q;
  conn_key_t [NumConns-1:0]            key_q;
  logic      [NumConns-1:0][RingW-1:0] ring_q;
  logic      [NumConns-1:0][RankW-1:0] rank_q;

  // ---------------------------------------------------------------------------------------------
  // Compare: chunks in the first cycle, all of them and the index in the second.

  logic                            query_q;
  logic [NumConns-1:0][Chunks-1:0] equal_q;
  logic [NumConns-1:0]             match;

  for (genvar c = 0; c < NumConns; c++) begin : gen_entry
    logic [Chunks*ChunkBits-1:0] difference;
    assign difference = {{(Chunks * ChunkBits - KeyBits) {1'b0}}, key_q[c] ^ query_key_i};
    always_ff @(posedge clk_i) begin
      if (query_valid_i) begin
        for (int unsigned k = 0; k < Chunks; k++) begin
          equal_q[c][k] <= difference[ChunkBits*k+:ChunkBits] == '0;
        end
      end
    end
    assign match[c]     = used_q[c] && (&equal_q[c]);
    assign flushed_o[c] = used_q[c] && ring_q[c] == flush_ring_i;
  end

  // One entry at most matches.
  typedef struct packed {
    logic             retired;
    logic [ConnW-1:0] conn;
    logic [RingW-1:0] ring;
    logic [RankW-1:0] rank;
  } found_t;
  found_t found;

  always_comb begin
    found = '0;
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (match[c]) found |= {retired_q[c], ConnW'(c), ring_q[c], rank_q[c]};
    end
  end

  always_ff @(posedge clk_i) begin
    query_q        <= query_valid_i && rst_ni;
    answer_valid_o <= query_q && rst_ni;
    if (query_q) begin
      hit_o     <= |match;
      retired_o <= found.retired;
      conn_o    <= found.conn;
      ring_o    <= found.ring;
      rank_o    <= found.rank;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Who is taken.

  logic [ConnW-1:0] free;

  // The first free entry: the first of each eight, and the first eight that have one.
  localparam int unsigned Eights = (NumConns + 7) / 8;
  logic [Eights-1:0][7:0] taken;
  logic [Eights-1:0][2:0] first;

  always_comb begin
    taken = '1;
    for (int unsigned c = 0; c < NumConns; c++) taken[c/8][c%8] = used_q[c];
    free = '0;
    for (int unsigned e = 0; e < Eights; e++) begin
      first[e] = '0;
      for (int i = 7; i >= 0; i--) if (!taken[e][i]) first[e] = 3'(i);
    end
    for (int e = Eights - 1; e >= 0; e--) if (taken[e] != '1) free = {(ConnW - 3)'(e), first[e]};
  end

  // The entry that may be retired or freed; its ring and rank.
  logic [NumConns-1:0] act_hot_q, written, freed;
  logic [RingW-1:0]    act_ring_q;
  logic [RankW-1:0]    act_rank_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NumConns; c++) act_hot_q[c] <= act_index_i == ConnW'(c);
    act_ring_q <= ring_q[act_index_i[IndexW-1:0]];
    act_rank_q <= rank_q[act_index_i[IndexW-1:0]];
  end

  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      written[c] = set_i && set_index_i[IndexW-1:0] == IndexW'(c);
    end
    freed = (act_hot_q & {NumConns{release_i}}) | (flushed_o & {NumConns{flush_i && flush_free_i}});
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
    .clear_ring_i (act_ring_q),
    .clear_rank_i (act_rank_q),
    .claimed_o
  );

  always_ff @(posedge clk_i) begin
    free_o <= free;
    full_o <= &used_q;
  end

  assign used_o            = used_q;
  assign retired_entries_o = retired_q;

  always_ff @(posedge clk_i) begin
    if (set_i) begin
      learned_q[set_index_i[IndexW-1:0]] <= set_learned_i;
      key_q[set_index_i[IndexW-1:0]]     <= set_key_i;
      ring_q[set_index_i[IndexW-1:0]]    <= set_ring_i;
      rank_q[set_index_i[IndexW-1:0]]    <= set_rank_i;
    end
    // One change a cycle, so what is written comes last: it is known last.
    used_q    <= (used_q & ~freed) | written;
    retired_q <= (retired_q & ~freed & ~written) | (act_hot_q & {NumConns{retire_i}}) |
        (flushed_o & learned_q & {NumConns{flush_i && !flush_free_i}});
    if (!rst_ni) begin
      used_q    <= '0;
      retired_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet belongs to one connection; two hits would merge two of them.
      a_one_hit : assert ($onehot0(match) || !query_q)
      else $error("%m: two entries for one connection: %b", match);
      // An entry is never written over a living one.
      a_free : assert (!set_i || !used_q[set_index_i[IndexW-1:0]] ||
          retired_q[set_index_i[IndexW-1:0]])
      else $error("%m: entry %0d is in use", set_index_i);
      // Each (ring, rank) belongs to one connection; two would add up as one worker.
      a_unclaimed : assert (!set_i ||
          !claimed_o[set_ring_i[RingIdxW-1:0]][set_rank_i[RankIdxW-1:0]])
      else $error("%m: rank %0d of ring %0d is taken", set_rank_i, set_ring_i);
      // One change a cycle; an entry written as others are flushed would be lost, and its rank
      // claimed for ever.
      a_one_change : assert ($onehot0({set_i, flush_i, retire_i, release_i}))
      else $error("%m: entry %0d is written during a flush", set_index_i);
      // Retired is who was alive, free who was retired; a receiver could take what passes at once
      // for a sum.
      a_retire : assert ((!retire_i || (act_hot_q & used_q & ~retired_q) != '0) &&
          (!release_i || (act_hot_q & retired_q) != '0))
      else $error("%m: entry %0d is not alive, or not retired", act_index_i);
    end
  end

endmodule
