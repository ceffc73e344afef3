// Of agg_lookup_props: the table of connections, as look-up uses it. Each connection and each rank
// of a ring is in it once; a flush forgets what it should.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// there.
module lookup_table_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2,
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumConns = 2,
  /// The bits of a key that may be set.
  parameter conn_key_t KeyBits = '1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic             flush_conns_i,
  input logic [RingW-1:0] flush_ring_i,
  // A registration, its answer, and what it was a cycle ago.
  input conn_set_t        conn_set_i,
  input logic             set_ready_i,
  input logic             set_error_i,
  input conn_set_t        set_last_i,
  // Ports whose request was accepted and not yet answered, and the connection of that request.
  input logic      [NumPorts-1:0] waiting_i,
  input conn_key_t [NumPorts-1:0] asked_i,

  // What is in the table, and alive or retired; which ranks have a connection.
  output logic      [NumConns-1:0]               used_o,
  output logic      [NumConns-1:0]               retired_o,
  output conn_key_t [NumConns-1:0]               key_o,
  output logic      [NumConns-1:0][RingW-1:0]    ring_o,
  output logic      [NumConns-1:0][RankW-1:0]    rank_o,
  output logic      [NumRings-1:0][NumRanks-1:0] taken_o,
  // In the cycle before: it changed; a key was compared, and which one.
  output logic                                   changed_o,
  output logic                                   query_o,
  output conn_key_t                              query_key_o
);

  logic      [NumConns-1:0]            used, learned, retired;
  conn_key_t [NumConns-1:0]            key;
  logic      [NumConns-1:0][RingW-1:0] ring;
  logic      [NumConns-1:0][RankW-1:0] rank;
  logic      [NumConns-1:0]            exists;
  logic                                changed_q;
  logic [NumRings-1:0][NumRanks-1:0]   taken;

  logic      [NumConns-1:0]            fetched, compared, learns, walked, raw2;
  logic      [NumConns-1:0][1:0]       counts;
  conn_key_t                           query_key_q;

  // One bucket of one way in each half: entry c is way c. A flush under way counts.
  conn_state_t [NumConns-1:0] stored, copy;
  for (genvar c = 0; c < NumConns; c++) begin : gen_entry
    conn_state_t seen;
    assign stored[c]  = u_dut.u_conns.gen_way[c].u_way.u_states.mem[0];
    assign copy[c]    = u_dut.u_conns.gen_way[c].u_way.u_copy.mem[0];
    assign seen       = conn_flushed(stored[c], u_dut.u_conns.flush);
    assign used[c]    = seen.used && u_dut.table_ready;
    assign learned[c] = seen.learned;
    assign retired[c] = seen.retired && u_dut.table_ready;
    assign ring[c]    = seen.ring;
    assign rank[c]    = seen.rank;
    assign key[c]     = u_dut.u_conns.gen_way[c].u_way.u_keys.mem[0];
    // What a query has read; what it was compared with; what the walk has read.
    assign fetched[c]  = (!seen.used || u_dut.u_conns.gen_way[c].u_way.key == key[c]) &&
        u_dut.u_conns.gen_way[c].u_way.query1_q &&
        u_dut.u_conns.gen_way[c].u_way.bucket1_q == '0;
    assign compared[c] = u_dut.u_conns.state[c].used == seen.used && (!seen.used ||
        (u_dut.u_conns.state[c] == seen &&
         u_dut.u_conns.match[c] == (key[c] == query_key_q)));
    assign raw2[c]     = u_dut.u_conns.stored[c] == stored[c];
    assign counts[c]   = {stored[c].used, stored[c].used && stored[c].retired};
    assign walked[c]   = (!u_dut.u_conns.walk || u_dut.u_conns.look[c] == stored[c]) &&
        (!u_dut.u_conns.u_walk.all_q || u_dut.u_conns.walk || stored[c] == seen) &&
        (!u_dut.table_ready || (copy[c] == stored[c] && (stored[c].used || !stored[c].retired)));
  end

  assign used_o  = used;
  assign retired_o = retired;
  assign key_o   = key;
  assign ring_o  = ring;
  assign rank_o  = rank;
  assign taken_o = taken;

  always_comb begin
    taken = '0;
    for (int unsigned c = 0; c < NumConns; c++) begin
      exists[c] = 32'(ring[c]) < NumRings && 32'(rank[c]) < NumRanks;
      if (used[c] && !retired[c] && exists[c]) taken[ring[c][0]][rank[c][0]] = 1'b1;
    end
  end

  // What was asked of the table in the cycle before, and what has changed since.
  logic                query_q;   // the key that stands in stage 2 of the table
  logic                set_q;
  logic                changed2_q;
  logic [1:0]          row_q;     // of the entry that was written

  always_ff @(posedge clk_i) begin
    query_q     <= rst_ni && u_dut.u_conns.query_q[1];
    query_key_q <= u_dut.u_conns.query_key_i;
    set_q       <= rst_ni && u_dut.u_conns.set_i;
    row_q       <= {u_dut.u_conns.set_ring_i[0], u_dut.u_conns.set_rank_i[0]};
    changed_q   <= !rst_ni || u_dut.u_conns.set_i || flush_conns_i ||
        u_dut.u_conns.retire_i || u_dut.u_conns.release_i;
    changed2_q  <= changed_q || !rst_ni;
  end

  assign changed_o   = changed_q;
  assign query_o     = query_q;
  assign query_key_o = query_key_q;

  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      learns[c] = !used[c] || retired[c] || !exists[c] ||
          u_dut.u_conns.u_claims.learned_q[ring[c][0]][rank[c][0]] == learned[c];
    end
  end

  logic             flush_conns_q;
  logic [RingW-1:0] flushed_ring_q;
  logic             flushed_free_q;
  logic [NumConns-1:0] left;          // entries that a flush of the ring should have taken
  logic             set_done_q;
  logic [ConnW-1:0] set_where_q;
  always_ff @(posedge clk_i) begin
    flush_conns_q  <= rst_ni && flush_conns_i;
    flushed_ring_q <= flush_ring_i;
    flushed_free_q <= u_dut.flush_free_i;
    set_done_q     <= rst_ni && set_ready_i && !set_error_i && conn_set_i.act == ConnRegister;
    set_where_q    <= u_dut.conn;
  end
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      left[c] = used[c] && ring[c] == flushed_ring_q &&
          (!u_dut.u_message.u_messages.fresh_q[{ring[c][0], rank[c][0]}] ||
          (learned[c] && !retired[c]) || flushed_free_q);
    end
  end

  // What agg_conn_table_props takes for granted, with its registers: queries whose answer is good,
  // and what the control plane looks at.
  logic       [3:1] good_q, acts_q;
  logic       [3:2] rests_q;
  conn_key_t        key3_q;
  logic [ConnW-1:0] act_index_q;
  logic             changes;
  assign changes = u_dut.u_conns.set_i || u_dut.u_conns.flush_i || u_dut.u_conns.retire_i ||
      u_dut.u_conns.release_i;

  always_ff @(posedge clk_i) begin
    good_q[1]  <= rst_ni && u_dut.u_conns.query_valid_i && !changes;
    good_q[2]  <= rst_ni && good_q[1] && !changes;
    good_q[3]  <= rst_ni && (u_dut.u_conns.query_q[2] ? good_q[2] : good_q[3]) && !changes;
    rests_q[2] <= u_dut.u_conns.pause_i;
    rests_q[3] <= (u_dut.u_conns.query_q[2] ? rests_q[2] : rests_q[3]) && u_dut.u_conns.pause_i;
    if (u_dut.u_conns.query_q[2]) key3_q <= query_key_q;
    act_index_q <= u_dut.u_conns.act_index_i;
    acts_q[1]   <= rst_ni && u_dut.u_conns.act_i && !changes;
    acts_q[2]   <= acts_q[1] && rst_ni && u_dut.u_conns.act_i && !changes &&
        u_dut.u_conns.act_index_i == act_index_q;
    acts_q[3]   <= acts_q[2] && rst_ni && u_dut.u_conns.act_i && !changes &&
        u_dut.u_conns.act_index_i == act_index_q;
  end

  logic [4:1] alone;   // requests that may add their connection
  assign alone = u_dut.valid_q & {u_dut.s4_q.req.alone, u_dut.s3_q.alone, u_dut.s2_q.alone,
                                  u_dut.s1_q.alone};

  logic narrow;
  always_comb begin
    narrow = 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (waiting_i[p] && (asked_i[p] & ~KeyBits) != '0) narrow = 1'b0;
    end
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (used[c] && (key[c] & ~KeyBits) != '0) narrow = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Keys are as narrow as they come (helps the proof).
      a_narrow : assert (narrow)
      else $error("keys");
      // No connection is in the table twice: it is learned once.
      a_once : assert (used != '1 || key[0] != key[1])
      else $error("two entries of one connection");
      // A rank of a ring belongs to one connection that is alive.
      a_owner : assert (used != '1 || retired != '0 || ring[0] != ring[1] || rank[0] != rank[1])
      else $error("two connections of one rank");
      // Who has a rank is who is in the table: a rank is neither lost nor given twice.
      a_claimed : assert (u_dut.claimed == taken)
      else $error("claimed %b, taken %b", u_dut.claimed, taken);
      // Connections are of rings and ranks that there are.
      a_exists : assert ((used & ~exists) == '0)
      else $error("%b", used & ~exists);
      // A flush takes a learned connection's claim along (helps the proof).
      a_learned : assert (learns == '1)
      else $error("%b", learns);
      // Behind a flush no learned connection of the ring is alive, and none has a message: packets
      // of the old job are not taken for the new one's. Behind a release it has no connection.
      a_retired : assert ((retired & ~used) == '0)
      else $error("retired %b", retired);
      a_emptied : assert (!flush_conns_q || left == '0)
      else $error("left %b", left);
      // A claim that was granted is in the table.
      a_granted : assert (!set_done_q || (used[set_where_q[0]] &&
          (key[set_where_q[0]] == set_last_i.key) &&
          ring[set_where_q[0]] == set_last_i.ring && rank[set_where_q[0]] == set_last_i.rank))
      else $error("claim of entry %0d", set_where_q);
      // What a query has read, and was compared with, is what is there (helps the proof).
      a_read : assert (!u_dut.u_conns.query_q[1] || changed_q || fetched == '1)
      else $error("fetched %b", fetched);
      a_compared : assert (u_dut.u_conns.query_q[2] == query_q && (!query_q || changed_q ||
          changed2_q || compared == '1))
      else $error("compared %b", compared);
      // So is what is known of the entry that may be written, as it is stored (helps the proof).
      a_raw : assert ((!((u_dut.valid_q[2] && u_dut.s2_q.alone) || u_dut.u_set.wait_q[1]) ||
           (raw2 == '1 && !u_dut.u_conns.walk)) &&
          (!((u_dut.valid_q[3] && u_dut.s3_q.alone) || (u_dut.valid_q[4] && u_dut.s4_q.req.alone) ||
             u_dut.u_set.wait_q[2]) || (!u_dut.u_conns.walk &&
           u_dut.u_conns.old_used == stored[u_dut.conn[0]].used &&
           u_dut.u_conns.old_retired == stored[u_dut.conn[0]].retired)))
      else $error("raw");
      // Counts are of what is stored (helps the proof).
      a_counts : assert (u_dut.table_ready ? (
          u_dut.conn_count_o.used + ConnCountW'(u_dut.u_conns.u_count.added_q) -
          ConnCountW'($countones(u_dut.u_conns.u_count.freed_q)) ==
          ConnCountW'(counts[0][1]) + ConnCountW'(counts[1][1]) &&
          u_dut.conn_count_o.retired + ConnCountW'($countones(u_dut.u_conns.u_count.retired_q)) -
          ConnCountW'($countones(u_dut.u_conns.u_count.unretired_q)) ==
          ConnCountW'(counts[0][0]) + ConnCountW'(counts[1][0])) :
          (u_dut.conn_count_o == '0 && {
           u_dut.u_conns.u_count.added_q, u_dut.u_conns.u_count.freed_q,
           u_dut.u_conns.u_count.retired_q, u_dut.u_conns.u_count.unretired_q} == '0))
      else $error("counts");
      // The walk of a flush writes down what counts already (helps the proof).
      a_walked : assert (walked == '1 && (u_dut.flush_walks_o || !u_dut.u_conns.walk) &&
          (u_dut.table_ready || (!u_dut.flush_walks_o && u_dut.valid_q == '0 &&
           u_dut.u_message.valid_q == '0 &&
           u_dut.u_set.wait_q == '0 && u_dut.u_conns.query_q == '0)) &&
          u_dut.u_conns.walk_bucket == '0)
      else $error("walked %b", walked);
      // What is added to the table was asked for last, and the table has rested since: its answer
      // still stands.
      a_added : assert (!u_dut.u_conns.set_i || (good_q[3] && rests_q[3] && u_dut.u_conns.pause_i &&
          u_dut.u_conns.set_key_i == key3_q))
      else $error("good %b, rests %b", good_q, rests_q);
      // It is of a ring and a rank that there are.
      a_named : assert (!u_dut.u_conns.set_i || (32'(u_dut.u_conns.set_ring_i) < NumRings &&
          32'(u_dut.u_conns.set_rank_i) < NumRanks))
      else $error("ring %0d, rank %0d", u_dut.u_conns.set_ring_i, u_dut.u_conns.set_rank_i);
      // Who is retired or released was looked at, and is in the table.
      a_looked : assert (!(u_dut.u_conns.retire_i || u_dut.u_conns.release_i) || (acts_q[3] &&
          u_dut.u_conns.act_i && u_dut.u_conns.act_index_i == act_index_q &&
          32'(act_index_q) < NumConns))
      else $error("entry %0d", u_dut.u_conns.act_index_i);
      // From query to answer of who may add its connection (helps the proof).
      a_asking : assert ((!alone[1] || good_q[1]) && (!alone[2] || (good_q[2] && rests_q[2])) &&
          (!(alone[3] || alone[4]) || (good_q[3] && rests_q[3] && key3_q == u_dut.key_q)) &&
          (!u_dut.u_set.wait_q[0] || (good_q[1] && acts_q[1])) &&
          (!u_dut.u_set.wait_q[1] || (good_q[2] && rests_q[2] && acts_q[2])) &&
          (!u_dut.u_set.wait_q[2] || (good_q[3] && rests_q[3] && acts_q[3] &&
           key3_q == conn_set_i.key)) &&
          (u_dut.u_set.wait_q == '0 || act_index_q == conn_set_i.index))
      else $error("good %b, looks %b", good_q, acts_q);
      // Whoever is added to the table begins without messages: those of who had the rank before are
      // not his.
      a_fresh : assert (!set_q || u_dut.u_message.u_messages.fresh_q[row_q] ||
          (u_dut.u_message.u_messages.learned_q && u_dut.u_message.u_messages.read_fresh_q &&
           u_dut.u_message.u_messages.read_conn_q == row_q))
      else $error("messages of another connection");
      // A connection is learned, and a flush forgets it.
      c_flush : cover (flush_conns_i && used[0] && learned[0] && ring[0] == flush_ring_i);
      // A claim and a learned connection.
      c_both : cover (used == '1 && learned == 2'b10);
    end
  end

endmodule
