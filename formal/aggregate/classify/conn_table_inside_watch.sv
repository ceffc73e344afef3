// Of agg_conn_table_props: what stands in the table's RAMs, and what is on its way to them and out
// of them. All of it helps the proof.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// there.
module conn_table_inside_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  parameter int unsigned NumConns = 4,
  parameter int unsigned NumRanks = 2,
  parameter int unsigned NumRings = 2,
  /// The bits of a key that may be set.
  parameter conn_key_t KeyBits = '1,
  localparam int unsigned Ways = (NumConns >= 4) ? 2 : 1,
  localparam int unsigned All = 2 * Ways,
  localparam int unsigned Buckets = NumConns / All,
  localparam int unsigned WayW = $clog2(All),
  localparam int unsigned EntryW = $clog2(NumConns),
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // The table as its user has written it, and who in it is alive.
  input conn_state_t [NumConns-1:0] state_i,
  input conn_key_t   [NumConns-1:0] key_i,
  input logic        [NumConns-1:0] alive_i,

  // A query by its steps: since it came the table has not changed, and no step of the walk has
  // begun since its key came; its key, and the bucket of that in each half.
  input logic        [3:1]            good_i,
  input logic        [3:2]            rests_i,
  input conn_key_t   [3:1]            asks_key_i,
  input logic        [2:1][1:0][31:0] asks_bucket_i,
  // So has the control plane looked at this entry.
  input logic        [3:1]            acts_i,
  input logic        [EntryW-1:0]     act_entry_i,

  // What the table says.
  input logic                         hit_i,
  input logic                         full_i,
  input logic        [EntryW-1:0]     entry_i,
  input logic                         ready_i,
  input logic                         walks_i,
  input conn_count_t                  count_i,
  // A change is not counted yet.
  input logic                         pending_i
);

  // An entry as it stands in the RAM; bucket and way are constants.
  logic        [NumConns-1:0] kept, copied, counted, walked;
  conn_state_t [NumConns-1:0] stored;
  conn_key_t   [NumConns-1:0] stored_key;

  for (genvar c = 0; c < NumConns; c++) begin : gen_entry
    assign stored[c]     = u_dut.gen_way[c%All].u_way.u_states.mem[c/All];
    assign stored_key[c] = u_dut.gen_way[c%All].u_way.u_keys.mem[c/All];
    assign copied[c]     = stored[c] == u_dut.gen_way[c%All].u_way.u_copy.mem[c/All];
    // Buckets behind the walk are as the flush leaves them.
    assign walked[c] = stored[c] == conn_flushed(stored[c], u_dut.flush) ||
        !(u_dut.u_walk.all_q || 32'(u_dut.u_walk.bucket_q) > c / All) ||
        (u_dut.walk && 32'(u_dut.walk_write_bucket) == c / All);
    // Until the table is clear, what is in front of the walk means nothing.
    always_comb begin
      conn_state_t seen;
      seen    = conn_flushed(stored[c], u_dut.flush);
      kept[c] = (!ready_i && 32'(u_dut.walk_bucket) <= c / All) || (
          seen.used == state_i[c].used && (seen.used || !seen.retired) &&
          (stored[c].used || !stored[c].retired) && (!seen.used || (
           seen == state_i[c] && stored_key[c] == key_i[c] &&
           (stored_key[c] & ~KeyBits) == '0 &&
           32'(seen.ring) < NumRings && 32'(seen.rank) < NumRanks)));
      counted[c] = stored[c].used;
    end
  end

  logic [NumConns-1:0] counted_retired;
  logic                learns;
  always_comb begin
    learns = 1'b1;
    for (int unsigned c = 0; c < NumConns; c++) begin
      counted_retired[c] = stored[c].used && stored[c].retired;
      if (alive_i[c] && u_dut.u_claims.learned_q[state_i[c].ring[0]][
          state_i[c].rank[RankIdxW-1:0]] != state_i[c].learned) learns = 1'b0;
    end
  end

  // Of each way: the query in [1] and [2], and the step of the walk.
  logic [All-1:0] one, two, old, step, ways1;
  for (genvar w = 0; w < All; w++) begin : gen_way
    localparam int unsigned Half = w / Ways;
    conn_state_t at1, at2;
    conn_key_t   key1, key2;
    logic [31:0] c1, c2, cw;
    assign ways1[w] = u_dut.gen_way[w].u_way.query1_q &&
        u_dut.gen_way[w].u_way.bucket1_q == u_dut.bucket1_q[Half];
    assign c1   = 32'(u_dut.bucket1_q[Half]) * All + w;
    assign c2   = 32'(u_dut.bucket2_q[Half]) * All + w;
    assign cw   = 32'(u_dut.walk_write_bucket) * All + w;
    assign at1  = state_i[c1[EntryW-1:0]];
    assign key1 = key_i[c1[EntryW-1:0]];
    assign at2  = state_i[c2[EntryW-1:0]];
    assign key2 = key_i[c2[EntryW-1:0]];
    always_comb begin
      conn_state_t raw;
      raw    = stored[c2[EntryW-1:0]];
      one[w] = !good_i[1] || !at1.used || u_dut.gen_way[w].u_way.key == key1;
      two[w] = !good_i[2] || (u_dut.state[w].used == at2.used && (!at2.used ||
          (u_dut.state[w] == at2 && u_dut.match[w] == (key2 == asks_key_i[2]))));
      old[w] = !good_i[2] || !rests_i[2] || u_dut.stored[w] == raw;
      step[w] = !u_dut.walk || u_dut.look[w] == stored[cw[EntryW-1:0]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What stands in the RAM, as the flush under way leaves it, is the table.
      a_kept : assert (kept == '1);
      // Both copies of the states are alike.
      a_copied : assert (!ready_i || copied == '1);
      // Nothing is asked before the table is clear.
      a_clears : assert (ready_i || (!walks_i && !u_dut.walk && good_i == '0 && acts_i == '0 &&
                                   count_i == '0 && !pending_i));
      // Behind the walk entries are as the flush leaves them.
      a_walked : assert (!walks_i || walked == '1);
      // The walk goes once through all buckets, and rests at the first.
      a_stops : assert ((walks_i || (!u_dut.walk && (!ready_i || u_dut.walk_bucket == '0))) &&
          (!u_dut.u_walk.all_q || u_dut.walk_bucket == '0 || !walks_i) &&
          32'(u_dut.walk_bucket) < Buckets &&
          (!u_dut.walk || 32'(u_dut.walk_write_bucket) < Buckets));
      // What the walk has read is what stands there.
      a_step : assert (step == '1);
      // Counts are of what is stored.
      a_counts : assert (!ready_i || (
          count_i.used + ConnCountW'(u_dut.u_count.added_q) -
          ConnCountW'($countones(u_dut.u_count.freed_q)) == ConnCountW'($countones(counted)) &&
          count_i.retired + ConnCountW'($countones(u_dut.u_count.retired_q)) -
          ConnCountW'($countones(u_dut.u_count.unretired_q)) ==
          ConnCountW'($countones(counted_retired))));
      // A flush takes a learned connection's claim along.
      a_learned : assert (learns);
      // What a query has read is what stands there.
      a_one : assert (one == '1 && (!good_i[1] || (u_dut.query_q[1] && ways1 == '1 &&
          (asks_key_i[1] & ~KeyBits) == '0 &&
          32'(u_dut.bucket1_q[0]) == asks_bucket_i[1][0] &&
          32'(u_dut.bucket1_q[1]) == asks_bucket_i[1][1])));
      // It was compared with the key.
      a_two : assert (two == '1 && (!good_i[2] || (u_dut.query_q[2] &&
          (asks_key_i[2] & ~KeyBits) == '0 &&
          32'(u_dut.bucket2_q[0]) == asks_bucket_i[2][0] &&
          32'(u_dut.bucket2_q[1]) == asks_bucket_i[2][1])));
      // What is known of the entry that may be written is what stands there.
      a_old : assert (old == '1 && (!good_i[3] || (asks_key_i[3] & ~KeyBits) == '0) &&
          (!good_i[3] || !rests_i[3] || (full_i && !hit_i) ||
          (u_dut.way_q == WayW'(entry_i) &&
           u_dut.old_used == stored[entry_i].used &&
           u_dut.old_retired == stored[entry_i].retired)));
      // So is what the control plane looks at.
      a_act : assert (!acts_i[3] || (u_dut.act_stored_q == stored[act_entry_i] &&
          u_dut.act_way_q == WayW'(act_entry_i) &&
          32'(u_dut.act_bucket_q) == 32'(act_entry_i) / All && u_dut.act1_q));
      // And it is on its way from the right bucket.
      a_act1 : assert (!acts_i[2] || (u_dut.act1_q && !u_dut.walk &&
          u_dut.look[WayW'(act_entry_i)] == stored[act_entry_i] &&
          u_dut.act_way1_q == WayW'(act_entry_i) &&
          32'(u_dut.act_bucket1_q) == 32'(act_entry_i) / All));
    end
  end

endmodule
