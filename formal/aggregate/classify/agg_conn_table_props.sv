// agg_conn_table: each connection stands in it once, in one of its own two buckets, and is found
// exactly if it stands there, with its own ring and rank; who has claimed a rank is who stands
// there; a new one is given the place that docs/protocol.md names. A flush takes the learned
// connections of its ring and no other, at once, however long its walk takes: they are retired, are
// found as such, and have no claim; one that frees all frees them.
//
// Its user owes that it adds only what it has asked for last, while the walk waits (`e_set`), and
// the contracts; agg_lookup_props proves that it does. Its query may stand until then, as that of a
// registration does.
module agg_conn_table_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Connections.
  parameter int unsigned NumConns = 4,
  /// Ranks a ring may have.
  parameter int unsigned NumRanks = 2,
  /// 1: keys differ in eight bits, which meet in all pairs of buckets, and in each part that is
  /// compared. What there is to prove of two buckets is where a key belongs; that all of it is
  /// compared is proved with whole keys.
  parameter int unsigned FewKeys = 0,
  localparam int unsigned NumRings = 2,
  localparam int unsigned Ways = (NumConns >= 4) ? 2 : 1,
  localparam int unsigned All = 2 * Ways,
  localparam int unsigned Buckets = NumConns / All,
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             query_valid_i,
  input conn_key_t        asked_i,         // its key, in the cycle of its hash
  input logic             set_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  input logic             pause_i,
  input logic             act_i,
  input logic [ConnW-1:0] act_index_i,
  input logic             retire_i,
  input logic             release_i
);

  logic                              started_q, answers, hit, full, retired_hit, ready, walks;
  logic [ConnW-1:0]                  conn;
  logic [RingW-1:0]                  ring_of_hit;
  logic [RankW-1:0]                  rank_of_hit;
  logic [NumRings-1:0][NumRanks-1:0] claimed;
  conn_count_t                       count;
  logic                              act_alive, act_retired;
  initial started_q = 1'b0;

  function automatic conn_key_t bits_of_keys();
    bits_of_keys = (FewKeys != 0) ? '0 : '1;
    for (int unsigned k = 0; k < 8; k++) bits_of_keys[37*k] = 1'b1;
  endfunction
  localparam conn_key_t Bits = bits_of_keys();

  // A key comes a cycle behind its hash.
  conn_key_t asked, key1_q;
  assign asked = asked_i & Bits;
  always_ff @(posedge clk_i) key1_q <= asked;

  agg_conn_table #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .query_valid_i,
    .query_hash_i  (conn_hash(asked)),
    .query_key_i   (key1_q),
    .answer_valid_o(answers),
    .hit_o         (hit),
    .full_o        (full),
    .retired_o     (retired_hit),
    .conn_o        (conn),
    .ring_o        (ring_of_hit),
    .rank_o        (rank_of_hit),
    .claimed_o     (claimed),
    .ready_o       (ready),
    .walks_o       (walks),
    .count_o       (count),
    .set_i,
    .set_key_i,
    .set_ring_i,
    .set_rank_i,
    .set_learned_i,
    .flush_i,
    .flush_ring_i,
    .flush_free_i,
    .pause_i,
    .act_i,
    .act_index_i,
    .act_alive_o   (act_alive),
    .act_retired_o (act_retired),
    .retire_i,
    .release_i
  );

  // ---------------------------------------------------------------------------------------------
  // The table, and what its user has done to it: a plain copy, in which a flush takes no time.

  typedef struct packed {
    conn_state_t state;
    conn_key_t   key;
  } entry_t;

  entry_t [NumConns-1:0] table_q;
  logic                  changes;
  assign changes = set_i || flush_i || retire_i || release_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (set_i && conn == ConnW'(c)) begin
        table_q[c] <= '{state: '{used: 1'b1, retired: 1'b0, learned: set_learned_i,
                                 ring: set_ring_i, rank: set_rank_i}, key: set_key_i};
      end else if (flush_i && table_q[c].state.ring == flush_ring_i) begin
        if (table_q[c].state.learned) table_q[c].state.retired <= 1'b1;
        if (flush_free_i) table_q[c].state.used <= 1'b0;
      end else if (act_index_i == ConnW'(c)) begin
        if (retire_i) table_q[c].state.retired <= 1'b1;
        if (release_i) table_q[c].state.used <= 1'b0;
      end
      if (!rst_ni) table_q[c].state.used <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A query: [0] its hash, [1] its key, [2], answered in [3]. It is good if the table rests.

  logic       [3:1] good_q;      // no change since it came
  logic       [3:2] rests_q;     // and no step of the walk begins since its key came
  conn_key_t  [3:2] key_q;

  always_ff @(posedge clk_i) begin
    good_q[1]  <= rst_ni && query_valid_i && !changes;
    good_q[2]  <= rst_ni && good_q[1] && !changes;
    rests_q[2] <= pause_i;
    key_q[2]   <= key1_q;
    if (u_dut.query_q[2]) begin
      good_q[3]  <= rst_ni && good_q[2] && !changes;
      key_q[3]   <= key_q[2];
      rests_q[3] <= rests_q[2] && pause_i;
    end else begin
      good_q[3]  <= rst_ni && good_q[3] && !changes;
      rests_q[3] <= rests_q[3] && pause_i;
    end
  end

  // What stands in the table, and what has a key's bucket.
  logic [NumConns-1:0] holds, alive;      // the key that is answered
  logic                once, one_owner, in_place, right;
  logic [1:0]          room_left, room_right;
  logic [ConnW-1:0]    place;
  conn_hash_t          hash3;
  logic [NumRings-1:0][NumRanks-1:0] owned;
  entry_t              named;

  function automatic int unsigned bucket_of(conn_hash_t hash, int unsigned half);
    bucket_of = (Buckets > 1) ? 32'((half == 0) ? hash.left : hash.right) % Buckets : 0;
  endfunction

  assign hash3 = conn_hash(key_q[3]);
  assign named = table_q[32'(act_index_i) % NumConns];

  always_comb begin
    once       = 1'b1;
    one_owner  = 1'b1;
    in_place   = 1'b1;
    owned      = '0;
    room_left  = '0;
    room_right = '0;
    place      = '0;
    right      = hit == (holds != '0);
    for (int unsigned c = 0; c < NumConns; c++) begin
      conn_hash_t own;
      own      = conn_hash(table_q[c].key);
      holds[c] = table_q[c].state.used && table_q[c].key == key_q[3];
      alive[c] = table_q[c].state.used && !table_q[c].state.retired;
      if (table_q[c].state.used && c / All != bucket_of(own, (c % All) / Ways)) in_place = 1'b0;
      if (alive[c]) owned[table_q[c].state.ring[0]][table_q[c].state.rank[RankIdxW-1:0]] = 1'b1;
      if (holds[c] && (conn != ConnW'(c) || ring_of_hit != table_q[c].state.ring ||
                       rank_of_hit != table_q[c].state.rank ||
                       retired_hit != table_q[c].state.retired)) right = 1'b0;
      if (!table_q[c].state.used) begin
        if ((c % All) / Ways == 0 && c / All == bucket_of(hash3, 0)) begin
          room_left = room_left + 2'd1;
        end
        if ((c % All) / Ways == 1 && c / All == bucket_of(hash3, 1)) begin
          room_right = room_right + 2'd1;
        end
      end
      for (int unsigned d = 0; d < c; d++) begin
        if (table_q[c].state.used && table_q[d].state.used) begin
          if (table_q[c].key == table_q[d].key) once = 1'b0;
          if (alive[c] && alive[d] && table_q[c].state.ring == table_q[d].state.ring &&
              table_q[c].state.rank == table_q[d].state.rank) one_owner = 1'b0;
        end
      end
    end
    for (int c = NumConns - 1; c >= 0; c--) begin
      int unsigned half;
      half = (32'(c) % All) / Ways;
      if (!table_q[c].state.used && 32'(c) / All == bucket_of(hash3, half) &&
          (half == 1) == (room_right > room_left)) place = ConnW'(c);
    end
    if (holds == '0 && (full != (room_left == '0 && room_right == '0) ||
                        (!full && conn != place))) right = 1'b0;
  end

  // What the control plane looks at: so long the same entry, and nothing has changed.
  logic       [3:1] acts_q;
  logic [ConnW-1:0] act_index_q;
  always_ff @(posedge clk_i) begin
    act_index_q <= act_index_i;
    acts_q[1]   <= rst_ni && act_i && !changes;
    acts_q[2]   <= rst_ni && act_i && acts_q[1] && act_index_i == act_index_q && !changes;
    acts_q[3]   <= rst_ni && act_i && acts_q[2] && act_index_i == act_index_q && !changes;
    started_q   <= 1'b1;
  end

  logic [$clog2(NumConns)-1:0] at3, at_act;
  assign at3    = conn[$clog2(NumConns)-1:0];
  assign at_act = act_index_q[$clog2(NumConns)-1:0];

  logic pending;
  assign pending = {u_dut.u_count.added_q, u_dut.u_count.freed_q, u_dut.u_count.retired_q,
                    u_dut.u_count.unretired_q} != '0;

  logic [NumConns-1:0] used_all;
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) used_all[c] = table_q[c].state.used;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // What is added was asked for last, and the table has rested since; it is of a ring and a
      // rank that there are.
      e_set : assume (!set_i || (good_q[3] && rests_q[3] && pause_i && set_key_i == key_q[3]));
      e_named : assume (!set_i || (32'(set_ring_i) < NumRings && 32'(set_rank_i) < NumRanks));
      // Who is retired or released was looked at, and is in the table.
      e_act : assume (!(retire_i || release_i) || (acts_q[3] && act_i &&
          act_index_i == act_index_q));
      e_index : assume (!(retire_i || release_i) || 32'(act_index_i) < NumConns);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // No connection is in the table twice: its packets are never those of two workers.
      a_once : assert (once)
      else $error("two entries of one connection");
      // A rank of a ring belongs to one connection, until that is forgotten: two are never summed
      // as one worker.
      a_owner : assert (one_owner)
      else $error("two connections of one rank");
      // Each stands in a bucket of its own hash, where it is looked for.
      a_in_place : assert (in_place)
      else $error("in another one's bucket");
      // A connection that is in the table is found, with its own ring and rank, and one that is not
      // is not found; it is given the first free place of the bucket that has more, and none only
      // if there is none.
      a_found : assert (!good_q[3] || right)
      else $error("hit %b, entry %0d", hit, conn);
      // A rank counts as claimed exactly while a connection has it: none is lost, none is given
      // twice.
      a_claimed : assert (claimed == owned)
      else $error("claimed %b, owned %b", claimed, owned);
      // What the control plane is told of an entry is what it is: a flush that has not come to it
      // counts.
      a_told : assert (!acts_q[3] || (act_alive == alive[at_act] &&
          act_retired == (used_all[at_act] && !alive[at_act])))
      else $error("entry %0d", act_index_q);
      // While no flush is written down, the counts are of what is in the table, a cycle later.
      a_counted : assert (walks || !ready || pending ||
          (32'(count.used) == 32'($countones(used_all)) &&
          32'(count.retired) == 32'($countones(used_all & ~alive))))
      else $error("%0d in use, %0d retired", count.used, count.retired);
      // A connection is added while its query still stands.
      c_stands : cover (set_i && query_valid_i && u_dut.query_q == '1);
      // Who is retired, and only that, may be learned again in its place.
      c_anew : cover (set_i && hit);
      // A connection is added while a flush of another ring walks, to an entry that it has not come
      // to yet.
      c_beside : cover (set_i && walks && u_dut.old_used && !hit);
      // The last entry is found.
      c_last : cover (good_q[3] && hit && conn == ConnW'(NumConns - 1));
    end
  end

  // What stands in the RAMs, and what is on its way to them; helps the proof.
  conn_state_t [NumConns-1:0] table_state;
  conn_key_t   [NumConns-1:0] table_key;
  logic        [2:1][1:0][31:0] asks_bucket;
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      table_state[c] = table_q[c].state;
      table_key[c]   = table_q[c].key;
    end
    for (int unsigned h = 0; h < 2; h++) begin
      asks_bucket[1][h] = 32'(bucket_of(conn_hash(key1_q), h));
      asks_bucket[2][h] = 32'(bucket_of(conn_hash(key_q[2]), h));
    end
  end

  conn_table_inside_watch #(
    .NumConns(NumConns),
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .KeyBits (Bits)
  ) u_inside (
    .clk_i,
    .rst_ni,
    .state_i      (table_state),
    .key_i        (table_key),
    .alive_i      (alive),
    .good_i       (good_q),
    .rests_i      (rests_q),
    .asks_key_i   ({key_q, key1_q}),
    .asks_bucket_i(asks_bucket),
    .acts_i       (acts_q),
    .act_entry_i  (at_act),
    .hit_i        (hit),
    .full_i       (full),
    .entry_i      (at3),
    .ready_i      (ready),
    .walks_i      (walks),
    .count_i      (count),
    .pending_i    (pending)
  );

endmodule
