// agg_lookup with agg_flush: who a packet is said to be from, and where it is said to go. A connection keeps its ring and
// rank, and no other has them; every request has one answer, in order; an answer's slot is the one that docs/protocol.md
// gives to its message and offset; a flush finds nothing inside.
//
// The history's answers are left out of the circuit and free (`cuts` of the task), but for what is proved elsewhere: a
// message that is found is one that its connection has begun and that was not forgotten (agg_message_table_props). What is begun is
// at its place (`a_begins`), the ring and rank of a connection do not change without a flush, and a flush forgets its
// messages (`a_emptied`): so a message that is found is at its place.
//
// All pairs of connections are one pair here: with two entries, what holds for both holds for any two of more
// (agg_conn_table_props has three).
module agg_lookup_props
  import roce_pkg::*;
  import agg_pkg::*;
  import slot_address_pkg::*;
#(
  /// Ranks a ring may have.
  parameter int unsigned NumRanks = 2,
  /// Largest window N.
  parameter int unsigned MaxWindow = 1,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRings = 2,
  localparam int unsigned NumConns = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] asks_i,
  input ring_t       [NumRings-1:0] rings_i,
  input logic                       rsp_ready_i,
  input logic                       conn_set_valid_i,
  input conn_set_t                  claims_i,
  input logic                       flush_valid_i,
  input logic           [RingW-1:0] flush_ring_i,
  input logic        [NumPorts-1:0] ports_busy_i,
  input logic                       slot_ready_i,
  input logic                       follow_i
);

  localparam int unsigned History = 2 * MaxWindow;
  localparam int unsigned Chunks = 8;
  localparam int unsigned ChunkBits = ($bits(conn_key_t) + Chunks - 1) / Chunks;

  // Keys differ in a few bits, one in each part that is compared by itself: look-up hands keys to the table and looks at none
  // of their bits, and agg_conn_table_props takes them whole.
  function automatic conn_key_t one_of_each();
    one_of_each = '0;
    for (int unsigned k = 0; k < Chunks; k++) one_of_each[ChunkBits*k] = 1'b1;
  endfunction
  localparam conn_key_t Bits = one_of_each();

  frame_desc_t [NumPorts-1:0] req_i;
  conn_set_t                  conn_set_i;
  always_comb begin
    req_i          = asks_i;
    conn_set_i     = claims_i;
    conn_set_i.key = claims_i.key & Bits;
    for (int unsigned p = 0; p < NumPorts; p++) req_i[p].key = asks_i[p].key & Bits;
  end

  logic                started_q;
  logic [NumPorts-1:0] req_ready;
  logic                rsp_valid, set_ready, set_error, hold, idle;
  logic                flush_conns, flush_done, flush_ready, slot_valid;
  logic    [RingW-1:0] flush_ring;
  logic    [SlotW-1:0] flush_slot;
  lookup_rsp_t         rsp;
  ring_t [NumRings-1:0] rings_q, rings;   // as software has set them
  initial started_q = 1'b0;

  agg_lookup #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .MaxWindow(MaxWindow),
    .SlotBytes(64)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o       (req_ready),
    .req_i,
    .rings_i           (rings),
    .rsp_valid_o       (rsp_valid),
    .rsp_ready_i,
    .rsp_o             (rsp),
    .conn_set_valid_i,
    .conn_set_ready_o  (set_ready),
    .conn_set_i,
    .conn_set_error_o  (set_error),
    .flush_hold_i      (hold),
    .idle_o            (idle),
    .flush_conns_i     (flush_conns),
    .flush_ring_i      (flush_ring),
    .flush_conns_done_o(flush_done)
  );

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_flush (
    .clk_i,
    .rst_ni,
    .flush_valid_i,
    .flush_ready_o     (flush_ready),
    .flush_ring_i,
    .rings_i           (rings),
    .hold_o            (hold),
    .lookup_idle_i     (idle),
    .ports_busy_i,
    .flush_conns_o     (flush_conns),
    .flush_conns_ring_o(flush_ring),
    .flush_conns_done_i(flush_done),
    .slot_valid_o      (slot_valid),
    .slot_ready_i,
    .slot_o            (flush_slot)
  );

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  logic        [NumPorts-1:0] waits_q, out_q, stays, fits;
  frame_desc_t [NumPorts-1:0] req_q;
  conn_key_t   [NumPorts-1:0] asked_q;    // connection of the request that was accepted last
  logic                       set_waits_q, flush_waits_q;
  conn_set_t                  claim_q;
  logic           [RingW-1:0] flush_ring_q;

  // Windows that the device has histories for; others do not exist here, which keeps products small.
  always_comb begin
    rings = rings_q;
    for (int unsigned g = 0; g < NumRings; g++) begin
      rings[g].window_log2 = rings_q[g].window_log2 & 3'($clog2(MaxWindow));
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      stays[p] = (!waits_q[p] || (req_valid_i[p] && req_i[p] == req_q[p])) &&
          !(req_valid_i[p] && (out_q[p] || !req_i[p].candidate));
    end
    for (int unsigned g = 0; g < NumRings; g++) begin
      fits[g] = rings[g].workers != '0 && 32'(rings[g].workers) <= NumRanks &&
          32'(rings[g].base) + slots_of(rings[g]) <= 32'd2 ** SlotW;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    if (!started_q) rings_q <= rings_i;
    waits_q       <= rst_ni ? req_valid_i & ~req_ready : '0;
    req_q         <= req_i;
    set_waits_q   <= rst_ni && conn_set_valid_i && !set_ready;
    claim_q       <= conn_set_i;
    flush_waits_q <= rst_ni && flush_valid_i && !flush_ready;
    flush_ring_q  <= flush_ring_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rsp_valid && rsp_ready_i && rsp.port == PortW'(p)) out_q[p] <= 1'b0;
      if (req_ready[p]) begin
        out_q[p]   <= 1'b1;
        asked_q[p] <= req_i[p].key;
      end
    end
    if (!rst_ni) out_q <= '0;

    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    // Software gives rings workers that the device has ranks for, and slots that it has; and changes none of it in a ring that is used.
    e_rings : assume (!started_q || fits == '1);
    if (rst_ni) begin
      // A port asks about candidates, until it is heard, and not again before it has its answer.
      e_request : assume (stays == '1);
      // A claim of a connection stays as it is until it is answered.
      e_claim : assume (!set_waits_q || (conn_set_valid_i && conn_set_i == claim_q));
      // A flush stays until it is done.
      e_flush : assume (!flush_waits_q || (flush_valid_i && flush_ring_i == flush_ring_q));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One answer for each request, in order.

  localparam int unsigned CountW = $clog2(NumPorts + 2);

  logic [PortW-1:0]  in_port, value;
  logic [CountW-1:0] total, ahead;
  logic              push, followed;

  assign push    = req_ready != '0;
  assign in_port = req_ready[1] ? PortW'(1) : PortW'(0);

  queue_watch #(
    .Width  (PortW),
    .Places (NumPorts),
    .Latency(4)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (push),
    .in_i       (in_port),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(rsp_valid),
    .out_ready_i(rsp_ready_i),
    .out_i      (rsp.port),
    .inside_o   (total),
    .readable_o (),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );

  // Answers inside, the oldest first: two places of the FIFO, then stages 7 to 5.
  logic [4:0]            held;
  logic [4:0][PortW-1:0] held_port;
  logic [CountW-1:0]     sum;
  logic                  placed;
  logic [NumPorts-1:0]   once;

  always_comb begin
    held[0]      = u_dut.u_answers.count_q != '0;
    held[1]      = u_dut.u_answers.count_q == 2'd2;
    held_port[0] = u_dut.u_answers.mem_q[u_dut.u_answers.read_q].port;
    held_port[1] = u_dut.u_answers.mem_q[!u_dut.u_answers.read_q].port;
    for (int unsigned i = 0; i < 3; i++) begin
      held[2+i]      = u_dut.back_valid_q[7-i];
      held_port[2+i] = u_dut.back_q[7-i].rsp.port;
    end
    sum    = '0;
    placed = 1'b1;
    for (int unsigned i = 0; i < 5; i++) begin
      if (held[i] && followed && sum == ahead && (held_port[i] != value ||
          (i >= 2 && 32'(u_watch.age_q) != 5 - i))) placed = 1'b0;
      if (held[i]) sum = sum + CountW'(1);
      if (held[i] && 32'(held_port[i]) >= NumPorts) placed = 1'b0;
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      logic [2:0] number;
      number = '0;
      for (int unsigned i = 0; i < 5; i++) begin
        if (held[i] && held_port[i] == PortW'(p)) number = number + 3'd1;
      end
      once[p] = number == 3'(out_q[p]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port that did not ask is not answered; one request is accepted at a time.
      a_asked : assert ($onehot0(req_ready) && (req_ready & ~req_valid_i) == '0)
      else $error("accepts %b", req_ready);
      // What is inside is counted (helps the proof).
      a_inside : assert (sum == total && once == '1)
      else $error("%0d inside", sum);
      // The followed request is where it should be, and all are of ports that there are (helps the proof).
      a_placed : assert (placed)
      else $error("overtaken");
      // The FIFO of answers (helps the proof).
      a_answers : assert (u_dut.u_answers.write_q ==
          (u_dut.u_answers.read_q ^ u_dut.u_answers.count_q[0]))
      else $error("pointers");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The table of connections.

  logic      [NumConns-1:0]            used, learned;
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

  always_comb begin
    taken = '0;
    for (int unsigned c = 0; c < NumConns; c++) begin
      exists[c] = 32'(ring[c]) < NumRings && 32'(rank[c]) < NumRanks;
      if (used[c] && exists[c]) taken[ring[c][0]][rank[c][0]] = 1'b1;
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
    changed_q   <= !rst_ni || u_dut.u_conns.set_i || flush_conns;
  end

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
      learns[c] = !used[c] || !exists[c] ||
          u_dut.u_conns.u_claims.learned_q[ring[c][0]][rank[c][0]] == learned[c];
    end
  end

  logic             flush_conns_q;
  logic [RingW-1:0] flushed_ring_q;
  logic [NumConns-1:0] left;          // entries that a flush of the ring should have taken
  logic             set_done_q;
  logic [ConnW-1:0] set_where_q;
  always_ff @(posedge clk_i) begin
    flush_conns_q  <= rst_ni && flush_conns;
    flushed_ring_q <= flush_ring;
    set_done_q     <= rst_ni && set_ready && !set_error;
    set_where_q    <= conn_set_i.index;
  end
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      left[c] = used[c] && ring[c] == flushed_ring_q &&
          (learned[c] || !u_dut.u_messages.fresh_q[c]);
    end
  end

  logic narrow;
  always_comb begin
    narrow = 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (out_q[p] && (asked_q[p] & ~Bits) != '0) narrow = 1'b0;
    end
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (used[c] && (key[c] & ~Bits) != '0) narrow = 1'b0;
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
      // A rank of a ring belongs to one connection, until a flush.
      a_owner : assert (used != '1 || ring[0] != ring[1] || rank[0] != rank[1])
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
      // Behind a flush the ring has no learned connection and no message: packets of the old job are not taken for the
      // new one's.
      a_emptied : assert (!flush_conns_q || left == '0)
      else $error("left %b", left);
      // A claim that was granted is in the table.
      a_granted : assert (!set_done_q || (used[set_where_q[0]] &&
          (key[set_where_q[0]] == claim_q.key) &&
          ring[set_where_q[0]] == claim_q.ring && rank[set_where_q[0]] == claim_q.rank))
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
      c_flush : cover (flush_conns && used[0] && learned[0] && ring[0] == flush_ring);
      // A claim and a learned connection.
      c_both : cover (used == '1 && learned == 2'b10);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 1 to 4: requests on their way are still shown at their port.

  logic [4:1] right, single;
  logic [3:0] number;
  logic [NumPorts-1:0] flies;

  function automatic logic [NumConns-1:0] find(conn_key_t one);
    for (int unsigned c = 0; c < NumConns; c++) find[c] = used[c] && key[c] == one;
  endfunction

  conn_key_t           key3, key4;
  logic [NumConns-1:0] found3, found4, found_set;
  frame_desc_t         four;
  logic                hit_right, four_right, set_right;
  logic                names;       // the header's ring is one of the enabled rings

  assign key3      = req_i[u_dut.front_q[3].port[0]].key;
  assign four      = req_i[u_dut.front_q[4].port[0]];
  assign key4      = four.key;
  assign found3    = find(key3);
  assign found4    = find(key4);
  assign found_set = find(conn_set_i.key);

  always_comb begin
    number = '0;
    flies  = '0;
    for (int unsigned s = 1; s <= 4; s++) begin
      frame_desc_t is;
      is = req_i[u_dut.front_q[s].port[0]];
      right[s] = !u_dut.front_valid_q[s] || (32'(u_dut.front_q[s].port) < NumPorts &&
          req_valid_i[u_dut.front_q[s].port[0]] &&
          u_dut.front_q[s].starts == is.starts && u_dut.front_q[s].has_ina == is.has_ina &&
          u_dut.front_q[s].psn == is.psn && u_dut.front_q[s].ina == is.ina &&
          u_dut.front_q[s].tensor_len == is.tensor_len && u_dut.front_q[s].len_bad == is.len_bad &&
          !u_dut.again_q[u_dut.front_q[s].port[0]]);
      single[s] = !u_dut.front_valid_q[s] || !u_dut.front_q[s].alone ||
          ((u_dut.front_valid_q & ~(4'd1 << (s - 1))) == '0 &&
           (u_dut.key_q == is.key));
      if (u_dut.front_valid_q[s]) begin
        number = number + 4'd1;
        if (u_dut.front_q[s].port[0]) flies[1] = 1'b1;
        else flies[0] = 1'b1;
      end
    end
    names     = 1'b0;
    hit_right = (u_dut.conn_hit == (found3 != '0)) && (!u_dut.conn_hit || (
        32'(u_dut.conn) < NumConns && used[u_dut.conn[0]] &&
        u_dut.conn_ring == ring[u_dut.conn[0]] && u_dut.conn_rank == rank[u_dut.conn[0]]));
    set_right = u_dut.conn_hit == (found_set != '0);
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (found3[c] && u_dut.conn != ConnW'(c)) hit_right = 1'b0;
    end
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (rings[g].enable && rings[g].id == four.ina.ring) names = 1'b1;
    end
  end

  // The first enabled ring of that RingID.
  function automatic logic [RingW-1:0] named(logic [15:0] id);
    named = (rings[0].enable && rings[0].id == id) ? '0 :
        ((rings[1].enable && rings[1].id == id) ? RingW'(1) : '0);
  endfunction

  function automatic logic knows(logic [15:0] id);
    knows = (rings[0].enable && rings[0].id == id) || (rings[1].enable && rings[1].id == id);
  endfunction

  logic [RingW-1:0] header4;
  assign header4 = named(four.ina.ring);

  logic [0:0] at4;      // entry of the connection
  assign at4 = u_dut.conn_q[0];

  always_comb begin
    four_right = u_dut.header_ring_q4 == names && (u_dut.hit_q || !u_dut.known_q) &&
        ((!four.has_ina && !u_dut.hit_q) || (u_dut.ring_of_4_q < RingW'(NumRings) &&
         u_dut.ring_q == rings[u_dut.ring_of_4_q[0]])) &&
        (!four.has_ina || (u_dut.ring_of_4_q == header4 && u_dut.claimed_q ==
         (32'(four.ina.rank) < NumRanks && taken[header4[0]][four.ina.rank[0]])));
    if (u_dut.hit_q) begin
      four_right = four_right && 32'(u_dut.conn_q) < NumConns && used[at4] &&
          u_dut.rank_q == rank[at4] && u_dut.known_q == rings[ring[at4][0]].enable &&
          (four.has_ina || u_dut.ring_of_4_q == ring[at4]) &&
          u_dut.mismatch_q == (ring[at4] != header4 || 8'(rank[at4]) != four.ina.rank);
    end
    four_right = four_right && u_dut.hit_q == (found4 != '0);
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (found4[c] && u_dut.conn_q != ConnW'(c)) four_right = 1'b0;
    end
  end

  // What the header rules say of a request, and who may not read a history yet.
  function automatic logic breaks(ring_t of, ina_t ina);
    breaks = 32'(ina.rank) >= 32'(of.workers) || ina.msglen == '0 ||
        32'(ina.msglen) > 32'(of.stride) || 32'(ina.workers) != 32'(of.workers) ||
        ina.kind[3:0] > TypeInt32 || ina.kind[7:4] > OpMax;
  endfunction

  logic                near_right;
  logic [NumRings-1:0] breaks3;
  ina_t                ina3;
  assign ina3 = req_i[u_dut.front_q[3].port[0]].ina;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) breaks3[g] = breaks(rings[g], ina3);
    near_right = !u_dut.hit_q || u_dut.near_q;
    if (u_dut.hit_q && !u_dut.near_q) begin
      near_right = 1'b1;
      for (int unsigned s = 5; s <= 6; s++) begin
        if (u_dut.back_valid_q[s] && u_dut.back_q[s].rsp.fate == FateStored &&
            u_dut.back_q[s].rsp.conn == u_dut.conn_q) near_right = 1'b0;
      end
    end
  end

  // Which bits of a MsgID are its message's place.
  logic [NumRings-1:0][$clog2(2 * MaxWindow)-1:0] masks;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      masks[g] = ($clog2(2 * MaxWindow))'((32'd2 << rings[g].window_log2) - 32'd1);
    end
  end

  logic [15:0] id2, id3;
  assign id2 = req_i[u_dut.front_q[2].port[0]].ina.ring;
  assign id3 = req_i[u_dut.front_q[3].port[0]].ina.ring;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Stages 1 to 4 hold what their ports show, each port once (helps the proof).
      a_front : assert (right == '1 && 32'(number) == 32'(flies[0]) + 32'(flies[1]) &&
          u_dut.flying_q == flies && (u_dut.again_q & ~(req_valid_i & ~flies)) == '0)
      else $error("front %b", right);
      // Who adds a connection is alone (helps the proof).
      a_single : assert (single == '1)
      else $error("beside another one");
      // The table rests while somebody asks (helps the proof).
      a_rests : assert (!changed_q || u_dut.front_empty)
      else $error("changed");
      // The key is compared in stage 2 (helps the proof).
      a_key : assert ((!u_dut.front_valid_q[1] ||
                       u_dut.key_q == req_i[u_dut.front_q[1].port[0]].key) &&
          (!u_dut.front_valid_q[2] || (query_q && !set_q &&
           (query_key_q == req_i[u_dut.front_q[2].port[0]].key) &&
           u_dut.ring_match_q[0] == (rings[0].enable && rings[0].id == id2) &&
           u_dut.ring_match_q[1] == (rings[1].enable && rings[1].id == id2))))
      else $error("key");
      // The table finds exactly the connection's own entry (helps the proof).
      a_found : assert (!u_dut.front_valid_q[3] || (hit_right &&
          u_dut.breaks_q == breaks3 &&
          u_dut.header_ring_known_q == knows(id3) && u_dut.header_ring_q == named(id3)))
      else $error("hit");
      a_masks : assert (u_dut.masks_q == masks)
      else $error("masks");
      a_four : assert (!u_dut.front_valid_q[4] ||
                       (u_dut.mask_q == masks[u_dut.ring_of_4_q[0]] && four_right && near_right &&
          u_dut.header_bad_q == breaks(rings[header4[0]], four.ina) &&
          u_dut.new_q == (four.has_ina && names && !u_dut.header_bad_q && !u_dut.hit_q &&
                          !u_dut.claimed_q)))
      else $error("stage 4");
      // A claim waits for the table (helps the proof).
      a_claim : assert (u_dut.set_wait_q == '0 || (conn_set_valid_i && set_waits_q &&
          u_dut.front_empty && !changed_q && !set_q &&
          (u_dut.set_wait_q & (u_dut.set_wait_q + 4'd1)) == '0 && u_dut.key_q == conn_set_i.key &&
          (!u_dut.set_wait_q[1] || (query_q && query_key_q == conn_set_i.key)) &&
          (!u_dut.set_wait_q[2] || set_right) &&
          (!u_dut.set_wait_q[3] || u_dut.set_ok_q == u_dut.set_ok)))
      else $error("claim");
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 5 to 7, the history, and the answer.

  // A message of a worker that its ring's slots have room for, at its place.
  function automatic logic sound(ring_t of, logic [RankW-1:0] from, message_t m);
    sound = m.base == slot_of(of, m.msgid, '0) && m.msglen != '0 && m.msglen <= of.stride &&
        (RankW + 1)'(from) < of.workers;
  endfunction

  logic [7:5] back_right;
  always_comb begin
    for (int unsigned s = 5; s <= 7; s++) begin
      logic [0:0] c;
      ring_t      of;
      c  = u_dut.back_q[s].rsp.conn[0];
      of = rings[ring[c][0]];
      back_right[s] = !u_dut.back_valid_q[s] || (32'(u_dut.back_q[s].rsp.port) < NumPorts &&
          (u_dut.back_q[s].rsp.fate != FateStored || (
           32'(u_dut.back_q[s].rsp.conn) < NumConns && used[c] &&
           (key[c] == asked_q[u_dut.back_q[s].rsp.port[0]]) &&
           u_dut.back_q[s].rsp.ring == ring[c] && u_dut.back_q[s].rsp.rank == rank[c] &&
           u_dut.back_q[s].rsp.workers == of.workers &&
           u_dut.back_q[s].rsp.window_log2 == of.window_log2 &&
           of.enable && u_dut.back_q[s].base == of.base &&
           u_dut.back_q[s].span == SlotW'(32'(of.stride) << of.window_log2) &&
           (!u_dut.back_q[s].starts ||
            ((RankW + 1)'(rank[c]) < of.workers &&
             SlotW'(u_dut.back_q[s].base + u_dut.back_q[s].step) ==
             slot_of(of, u_dut.back_q[s].rsp.msgid, '0) && u_dut.back_q[s].msglen != '0 &&
             u_dut.back_q[s].msglen <= of.stride)))));
    end
  end

  logic  six, seven;
  ring_t of5, of7;

  assign six   = u_dut.back_valid_q[6] && u_dut.back_q[6].rsp.fate == FateStored;
  assign seven = u_dut.back_valid_q[7] && u_dut.back_q[7].rsp.fate == FateStored;
  assign of5   = rings[ring[u_dut.back_q[5].rsp.conn[0]][0]];
  assign of7   = rings[ring[u_dut.back_q[7].rsp.conn[0]][0]];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The history finds only messages that the connection has begun and that were not forgotten, at an offset inside.
      e_message : assume (!seven || !u_dut.found ||
          (sound(of7, u_dut.back_q[7].rsp.rank, u_dut.message) &&
           u_dut.offset < u_dut.message.msglen));
    end
  end

  logic [SlotW-1:0] flush_size;
  assign flush_size = (u_flush.ring.stride << u_flush.ring.window_log2) << 1;

  lookup_rsp_t out;      // as it goes into the FIFO of answers
  assign out = u_dut.answer;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Whoever is said to have sent a packet is who sent it, and has its ring and rank from the table.
      a_hit : assert (!u_dut.back_valid_q[7] || out.fate != FateStored ||
          (32'(out.conn) < NumConns && used[out.conn[0]] &&
           (key[out.conn[0]] == asked_q[out.port[0]]) && out.ring == ring[out.conn[0]] &&
           out.rank == rank[out.conn[0]] && out.workers == rings[out.ring[0]].workers &&
           rings[out.ring[0]].enable))
      else $error("connection %0d", out.conn);
      // A stored packet is of one of the ring's workers: no rank outside the ring is summed.
      a_worker : assert (!u_dut.back_valid_q[7] || out.fate != FateStored ||
                         (RankW + 1)'(out.rank) < out.workers)
      else $error("rank %0d", out.rank);
      // A packet's slot is the one of its message and offset in its ring's region.
      a_slot : assert (!u_dut.back_valid_q[7] || out.fate != FateStored ||
          (out.slot == slot_of(of7, out.msgid, out.offset) && out.offset < of7.stride))
      else $error("slot %0d", out.slot);
      // The slot to be freed is that of the message N before, at the same offset.
      a_freed : assert (!u_dut.back_valid_q[7] || out.fate != FateStored ||
          out.free_slot == slot_of(of7, out.msgid - (32'd1 << of7.window_log2), out.offset))
      else $error("free slot %0d", out.free_slot);
      // The way from the ring's first slot to a message is its place times the stride (helps the proof).
      a_step : assert ((
          u_dut.four_back.step == SlotW'(32'(u_dut.entry) * 32'(u_dut.ring_q.stride)) &&
          7'(u_dut.entry) == (u_dut.four.ina.msgid[6:0] & 7'(History - 1) &
                              7'((8'd2 << u_dut.ring_q.window_log2) - 8'd1))))
      else $error("step %0d", u_dut.four_back.step);
      // A message that begins is one of a worker of the ring, no longer than the ring's messages may be, and at its place.
      a_begins : assert (!(u_dut.u_messages.query_valid_i && u_dut.u_messages.starts_i) ||
          sound(of5, u_dut.back_q[5].rsp.rank, u_dut.u_messages.message_i))
      else $error("message %0d", u_dut.begins.msgid);
      // Stages 5 to 7 hold what the table says (helps the proof).
      a_back : assert (back_right == '1)
      else $error("%b", back_right);
      a_fetched : assert (u_dut.u_messages.query_q == six && u_dut.answer_valid == seven &&
          (!u_dut.u_messages.query_valid_i ||
           u_dut.u_messages.read_conn_q == u_dut.back_q[5].rsp.conn[0]) &&
          (!six || u_dut.u_messages.conn_q == u_dut.back_q[6].rsp.conn[0]))
      else $error("history");
      // A flush begins with nothing inside (helps the proof).
      a_quiet : assert ((u_flush.state_q != 3'd2 && (u_flush.state_q != 3'd1 ||
          u_flush.quiet_q == '0 || (u_flush.quiet_q == 4'd1 && u_flush.busy_q))) || idle)
      else $error("not idle");
      a_state : assert (u_flush.state_q <= 3'd4 && (u_flush.state_q == '0 || flush_waits_q) &&
          (u_flush.state_q != 3'd3 || (u_flush.left_q <= flush_size &&
           SlotW'(flush_slot - u_flush.ring.base) == SlotW'(flush_size - u_flush.left_q) &&
           u_flush.slot_valid_q == (u_flush.left_q != '0))) &&
          (u_flush.state_q == 3'd3 || !u_flush.slot_valid_q) &&
          (u_flush.state_q == 3'd2 || !u_flush.flush_conns_q) &&
          u_flush.hold_q == (u_flush.state_q != '0) &&
          (u_flush.state_q != 3'd2 || u_flush.flush_conns_q ||
           (u_flush.left_q == flush_size && u_flush.slot_q == u_flush.ring.base)) &&
          (!flush_done || (u_flush.state_q == 3'd2 && !u_flush.flush_conns_q)))
      else $error("state %0d", u_flush.state_q);
      // A packet that starts no message is given its slot.
      c_middle : cover (u_dut.back_valid_q[7] && out.fate == FateStored && out.offset == 14'd2 &&
          !u_dut.back_q[7].starts);
    end
  end

endmodule
