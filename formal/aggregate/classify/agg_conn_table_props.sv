// agg_conn_table: each connection stands in it once, is found exactly if it stands there, with its
// own ring and rank; who has claimed a rank is who stands there; a flush takes the learned
// connections of its ring and no other: they are retired, are found as such, and have no claim; one
// that retires its ring frees them.
//
// Its user owes that it adds only what is not in the table (`e_new`, and the contracts);
// agg_lookup_props proves that it does.
module agg_conn_table_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Connections.
  parameter int unsigned NumConns = 3,
  /// Ranks a ring may have.
  parameter int unsigned NumRanks = 2,
  localparam int unsigned NumRings = 2,
  localparam int unsigned IndexW = (NumConns > 1) ? $clog2(NumConns) : 1,
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             query_valid_i,
  input conn_key_t        query_key_i,
  input logic             set_i,
  input logic [ConnW-1:0] set_index_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  input logic [ConnW-1:0] act_index_i,
  input logic             retire_i,
  input logic             release_i
);

  logic                              started_q, hit, full, retired_hit;
  logic [ConnW-1:0]                  conn, free;
  logic [RingW-1:0]                  ring_of_hit;
  logic [RankW-1:0]                  rank_of_hit;
  logic [NumRings-1:0][NumRanks-1:0] claimed;
  logic [NumConns-1:0]               now_used, flushed, now_retired;
  initial started_q = 1'b0;

  logic                started_twice_q;
  initial started_twice_q = 1'b0;

  agg_conn_table #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .query_valid_i,
    .query_key_i,
    .hit_o    (hit),
    .retired_o(retired_hit),
    .conn_o   (conn),
    .ring_o   (ring_of_hit),
    .rank_o   (rank_of_hit),
    .claimed_o(claimed),
    .full_o   (full),
    .free_o   (free),
    .used_o   (now_used),
    .set_i,
    .set_index_i,
    .set_key_i,
    .set_ring_i,
    .set_rank_i,
    .set_learned_i,
    .flush_i,
    .flush_ring_i,
    .flush_free_i,
    .act_index_i,
    .retire_i,
    .release_i,
    .flushed_o(flushed),
    .retired_entries_o(now_retired)
  );

  // ---------------------------------------------------------------------------------------------
  // The table, and what its user has done to it: a plain copy.

  typedef struct packed {
    logic             used;
    logic             learned;
    logic             retired;
    conn_key_t        key;
    logic [RingW-1:0] ring;
    logic [RankW-1:0] rank;
  } entry_t;

  entry_t [NumConns-1:0]             table_q;
  logic   [NumConns-1:0]             known, same, learns, used, retired;
  entry_t                            named;      // entry that is written
  logic   [NumConns-1:0]             holds;      // the key that was asked
  logic                              once, one_owner;
  logic [NumRings-1:0][NumRanks-1:0] owned;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (set_i && set_index_i == ConnW'(c)) begin
        table_q[c] <= '{used: 1'b1, learned: set_learned_i, retired: 1'b0, key: set_key_i,
                        ring: set_ring_i, rank: set_rank_i};
      end else if (flush_i && table_q[c].ring == flush_ring_i) begin
        if (table_q[c].learned) table_q[c].retired <= 1'b1;
        if (flush_free_i) table_q[c].used <= 1'b0;
      end else if (act_index_i == ConnW'(c)) begin
        if (retire_i) table_q[c].retired <= 1'b1;
        if (release_i) table_q[c].used <= 1'b0;
      end
      if (!rst_ni) table_q[c].used <= 1'b0;
    end
  end

  // A query under way: asked in the cycle before, answered in this one.
  logic                  asked_q, answered_q, moved_q;
  conn_key_t             asked_key_q;
  entry_t [NumConns-1:0] then_q;      // the table when it was compared
  logic   [NumConns-1:0] found_q, compared;
  logic                  right;

  always_ff @(posedge clk_i) begin
    started_q   <= 1'b1;
    asked_q     <= rst_ni && query_valid_i;
    moved_q     <= set_i || flush_i || retire_i || release_i;
    asked_key_q <= query_key_i;
    answered_q  <= rst_ni && asked_q && !moved_q;
    then_q      <= table_q;
    found_q     <= holds;
  end

  assign named = table_q[act_index_i[IndexW-1:0]];

  logic [ConnW-1:0] act_index_q;
  logic             set_q, act_right;
  always_ff @(posedge clk_i) begin
    act_index_q <= act_index_i;
    set_q       <= set_i;
  end

  always_comb begin
    act_right = 1'b1;
    once      = 1'b1;
    one_owner = 1'b1;
    owned     = '0;
    right     = hit == (found_q != '0);
    for (int unsigned c = 0; c < NumConns; c++) begin
      used[c]    = table_q[c].used;
      if (u_dut.act_hot_q[c] != (act_index_q == ConnW'(c)) ||
          (u_dut.act_hot_q[c] && table_q[c].used && !set_q &&
           (u_dut.act_ring_q != table_q[c].ring || u_dut.act_rank_q != table_q[c].rank))) begin
        act_right = 1'b0;
      end
      retired[c] = table_q[c].used && table_q[c].retired;
      holds[c]  = table_q[c].used && table_q[c].key == asked_key_q;
      known[c]  = table_q[c].used && table_q[c].key == set_key_i &&
          !(table_q[c].retired && set_index_i == ConnW'(c));
      same[c]   = u_dut.used_q[c] == table_q[c].used && (!table_q[c].used ||
          (u_dut.learned_q[c] == table_q[c].learned &&
           u_dut.retired_q[c] == table_q[c].retired && u_dut.key_q[c] == table_q[c].key &&
           u_dut.ring_q[c] == table_q[c].ring && u_dut.rank_q[c] == table_q[c].rank &&
           32'(table_q[c].ring) < NumRings && 32'(table_q[c].rank) < NumRanks));
      learns[c] = !table_q[c].used || table_q[c].retired ||
          u_dut.u_claims.learned_q[table_q[c].ring[0]][
          table_q[c].rank[RankIdxW-1:0]] == table_q[c].learned;
      compared[c] = moved_q || (u_dut.match[c] == holds[c]);
      if (table_q[c].used && !table_q[c].retired) begin
        owned[table_q[c].ring[0]][table_q[c].rank[RankIdxW-1:0]] = 1'b1;
      end
      if (found_q[c] && (conn != ConnW'(c) || ring_of_hit != then_q[c].ring ||
                         rank_of_hit != then_q[c].rank ||
                         retired_hit != then_q[c].retired)) right = 1'b0;
      for (int unsigned d = 0; d < c; d++) begin
        if (table_q[c].used && table_q[d].used) begin
          if (table_q[c].key == table_q[d].key) once = 1'b0;
          if (!table_q[c].retired && !table_q[d].retired &&
              table_q[c].ring == table_q[d].ring && table_q[c].rank == table_q[d].rank) begin
            one_owner = 1'b0;
          end
        end
      end
    end
  end

  function automatic logic [NumConns-1:0] of_ring(logic [RingW-1:0] one);
    for (int unsigned c = 0; c < NumConns; c++) begin
      of_ring[c] = table_q[c].used && table_q[c].ring == one;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Only a connection is added that is not in the table, in an entry, of a ring and of a rank
      // that there are.
      e_new : assume (!set_i || (known == '0));
      e_named : assume (!set_i || (32'(set_index_i) < NumConns && 32'(set_ring_i) < NumRings &&
          32'(set_rank_i) < NumRanks));
      // Who asks while an entry is written asks for that one.
      e_asks : assume (!(set_i && query_valid_i) || query_key_i == set_key_i);
      // Of an entry that is alive it becomes a retired one, of that a free one; which one is known a
      // cycle before, and not just written.
      e_act : assume (!(retire_i || release_i) || (32'(act_index_i) < NumConns && named.used &&
          named.retired == release_i && act_index_i == act_index_q && !set_q));
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
      // A connection that is in the table is found, with its own ring and rank, and one that is not
      // is not found.
      a_found : assert (!answered_q || right)
      else $error("hit %b, entry %0d", hit, conn);
      // Entries are as they were written until a flush of their ring retires them; it retires the
      // learned ones, and those only, unless it frees all. A retired one stays until it is freed,
      // or learned anew.
      a_kept : assert (same == '1)
      else $error("same %b", same);
      // A rank counts as claimed exactly while a connection has it: none is lost, none is given
      // twice.
      a_claimed : assert (claimed == owned)
      else $error("claimed %b, owned %b", claimed, owned);
      // The flush is told which connections' messages it has to forget: all of the ring's, learned
      // or registered.
      a_flushed : assert (flushed == of_ring(flush_ring_i) && now_used == used &&
          now_retired == retired)
      else $error("flushed %b", flushed);
      // What is known of the entry that may be retired (helps the proof).
      a_act : assert (!started_twice_q || act_right)
      else $error("act %0d", act_index_q);
      // A flush takes a learned connection's claim along (helps the proof).
      a_learned : assert (learns == '1)
      else $error("learned %b", learns);
      // The comparison is of what was asked (helps the proof).
      a_compared : assert (u_dut.query_q == asked_q && (!asked_q || compared == '1))
      else $error("compared %b", compared);
      // Who is retired, and only that, may be learned again in its place, and found again.
      c_anew : cover (set_i && retired[set_index_i[IndexW-1:0]]);
      // A registered connection stays, and a learned one of the same ring goes.
      c_flush : cover (flush_i && table_q[0].used && !table_q[0].learned && table_q[1].used &&
          table_q[1].learned && table_q[0].ring == flush_ring_i &&
          table_q[1].ring == flush_ring_i);
      // The last entry is found.
      c_last : cover (answered_q && hit && conn == ConnW'(NumConns - 1) && used == '1);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What the table says of its room is a cycle old.

  logic [NumConns-1:0] used_q;
  always_ff @(posedge clk_i) begin
    used_q          <= used;
    started_twice_q <= started_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_twice_q) begin
      // A full table is known as such; otherwise the place for the next connection is a free one,
      // the first.
      a_free : assert (full == (used_q == '1) && (used_q == '1 ||
          (32'(free) < NumConns && !used_q[free[IndexW-1:0]])))
      else $error("full %b, free %0d", full, free);
    end
  end

endmodule
