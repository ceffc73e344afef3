// Of agg_lookup_props: the table of connections, as look-up uses it. Each connection and each rank
// of a ring is in it once; a flush forgets what it should.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// there.
module lookup_table_watch
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2,
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumConns = 2,
  /// Parts in which keys are compared, bits of a part, and the bits of a key that may be set.
  parameter int unsigned Chunks = 8,
  parameter int unsigned ChunkBits = 36,
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
  // In the cycle before: it changed; it was asked, for this key; an entry was written.
  output logic                                   changed_o,
  output logic                                   query_o,
  output conn_key_t                              query_key_o,
  output logic                                   set_o
);

  logic      [NumConns-1:0]            used, learned, retired;
  conn_key_t [NumConns-1:0]            key;
  logic      [NumConns-1:0][RingW-1:0] ring;
  logic      [NumConns-1:0][RankW-1:0] rank;
  logic      [NumConns-1:0]            exists;
  logic                                changed_q;
  logic [NumRings-1:0][NumRanks-1:0]   taken;

  assign used    = u_dut.u_conns.used_q;
  assign learned = u_dut.u_conns.learned_q;
  assign key     = u_dut.u_conns.key_q;
  assign ring    = u_dut.u_conns.ring_q;
  assign rank    = u_dut.u_conns.rank_q;
  assign retired = u_dut.u_conns.retired_q;
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
  logic                query_q;
  conn_key_t           query_key_q;
  logic                set_q;
  logic    [ConnW-1:0] where_q;
  logic [NumConns-1:0] compared, learns;

  always_ff @(posedge clk_i) begin
    query_q     <= rst_ni && u_dut.u_conns.query_valid_i;
    query_key_q <= u_dut.u_conns.query_key_i;
    set_q       <= rst_ni && u_dut.u_conns.set_i;
    where_q     <= u_dut.u_conns.set_index_i;
    changed_q   <= !rst_ni || u_dut.u_conns.set_i || flush_conns_i ||
        u_dut.u_conns.retire_i || u_dut.u_conns.release_i;
  end

  assign changed_o   = changed_q;
  assign query_o     = query_q;
  assign query_key_o = query_key_q;
  assign set_o       = set_q;

  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      logic [Chunks*ChunkBits-1:0] difference;
      difference  = (Chunks * ChunkBits)'(key[c] ^ query_key_q);
      compared[c] = 1'b1;
      for (int unsigned k = 0; k < Chunks; k++) begin
        if (u_dut.u_conns.equal_q[c][k] != (difference[ChunkBits*k+:ChunkBits] == '0)) begin
          compared[c] = 1'b0;
        end
      end
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
    set_where_q    <= conn_set_i.index;
  end
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      left[c] = used[c] && ring[c] == flushed_ring_q && (!u_dut.u_messages.fresh_q[c] ||
          (learned[c] && !retired[c]) || flushed_free_q);
    end
  end

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
      // What the table says of itself is a cycle old (helps the proof).
      a_free : assert (changed_q || (u_dut.table_full == (used == '1) &&
          (used == '1 || u_dut.free_conn == ConnW'(used[0]))))
      else $error("free %0d", u_dut.free_conn);
      // The comparison is of what was asked (helps the proof).
      a_compared : assert (u_dut.u_conns.query_q == query_q && (!query_q ||
          ((compared[0] || (set_q && where_q == '0)) &&
           (compared[1] || (set_q && where_q == 8'd1)))))
      else $error("compared %b", compared);
      a_set : assert (!set_q || (changed_q && 32'(where_q) < NumConns && used[where_q[0]] &&
          (!query_q || query_key_q == key[where_q[0]])))
      else $error("set");
      // A connection is learned, and a flush forgets it.
      c_flush : cover (flush_conns_i && used[0] && learned[0] && ring[0] == flush_ring_i);
      // A claim and a learned connection.
      c_both : cover (used == '1 && learned == 2'b10);
    end
  end

endmodule
