// What is this packet? Connection, ring, rank, message, offset and slot of a candidate, or the fate that ends it here
// (NetReduce 3.2, CLT and RetrieveCLT; all rules in docs/protocol.md).
//
// A pipeline of eight stages, one request a cycle, answers in order. A request is accepted ("ready") in stage 4, once
// it is known that it changes nothing another one in flight relies on. One that would add a connection, or that comes
// within two cycles of one of the same connection by another port, is given back, waits until stages 1 to 4 are empty, and
// comes again alone. That is rare: once for each connection, and when a connection has just changed its port.
// Register writes and flushes of connections wait for the same moment. The answers never wait inside: the FIFO
// behind the pipeline has a place for every port, and a port has one request at a time.
module agg_lookup
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, 1 to 256.
  parameter int unsigned NumConns = 48,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024
) (
  input logic clk_i,
  input logic rst_ni,

  // A port's request stays until it is accepted; the next one comes only after its verdict.
  input  logic        [NumPorts-1:0] req_valid_i,
  output logic        [NumPorts-1:0] req_ready_o,
  // Beats of the frame are the port's business.
  // verilator lint_off UNUSEDSIGNAL
  input  frame_desc_t [NumPorts-1:0] req_i,
  // verilator lint_on UNUSEDSIGNAL

  // A ring's registers change only while it is disabled or flushed.
  input ring_t [NumRings-1:0] rings_i,

  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output lookup_rsp_t rsp_o,

  // The control plane registers a connection. `error` with `ready`: no such entry, entry in
  // use, connection known already, or (ring, rank) taken.
  input  logic      conn_set_valid_i,
  output logic      conn_set_ready_o,
  // What comes from elsewhere is agg_relay's business.
  // verilator lint_off UNUSEDSIGNAL
  input  conn_set_t conn_set_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic      conn_set_error_o,

  // While held, nothing is begun; idle: nothing inside, the FIFO of answers included.
  input  logic             flush_hold_i,
  output logic             idle_o,
  // Forgets a ring's learned connections and all its messages. Only while idle.
  input  logic             flush_conns_i,
  input  logic [RingW-1:0] flush_ring_i,
  output logic             flush_conns_done_o
);

  localparam int unsigned PortIdxW = (NumPorts > 1) ? $clog2(NumPorts) : 1;
  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned ConnIdxW = (NumConns > 1) ? $clog2(NumConns) : 1;
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  localparam int unsigned History = 2 * MaxWindow;
  localparam int unsigned EntryW = $clog2(History);

  // What stages 1 to 4 know of a request.
  typedef struct packed {
    logic             alone;   // stages 1 to 4 are empty but for this one
    logic [PortW-1:0] port;
    logic             starts;
    logic             has_ina;
    logic [23:0]      psn;
    ina_t             ina;
    logic [13:0]      tensor_len;
    logic             len_bad;
  } front_t;

  // What stages 5 to 7 know of it.
  typedef struct packed {
    lookup_rsp_t      rsp;      // its fate is final unless it is FateStored
    logic             starts;
    logic             len_bad;
    logic [23:0]      psn;
    logic [SlotW-1:0] msglen;
    logic [SlotW-1:0] base;     // of the ring
    logic [SlotW-1:0] step;     // from there to the message that begins
    logic [SlotW-1:0] span;     // N messages
  } back_t;

  // ---------------------------------------------------------------------------------------------
  // Stage 0: whose turn.

  logic [4:1]              front_valid_q;
  front_t [4:1]            front_q;
  logic [NumPorts-1:0]     flying_q, again_q, others_q, eligible, grant;
  // For an assertion.
  // verilator lint_off UNUSEDSIGNAL
  logic [PortIdxW-1:0]     winner;
  // verilator lint_on UNUSEDSIGNAL
  logic                    any, begin_one, may_begin, front_empty, alone_inside;
  conn_key_t               key_q;
  logic                    conn_set_go;
  front_t                  chosen;

  always_comb begin
    alone_inside = 1'b0;
    for (int unsigned s = 1; s <= 4; s++) alone_inside |= front_valid_q[s] && front_q[s].alone;
  end

  assign front_empty = front_valid_q == '0;
  // Who comes again waits for the stages to be empty; the others wait for it, from the cycle after it was given back.
  // A register write goes in front of all.
  assign eligible    = conn_set_valid_i ? '0 :
      req_valid_i & ~flying_q & ~others_q & ~(front_empty ? '0 : again_q);
  assign may_begin   = !flush_hold_i && !alone_inside;
  assign begin_one   = any && may_begin;

  // By the grants, which are there a level before their number.
  front_t [NumPorts-1:0] asked;
  for (genvar p = 0; p < NumPorts; p++) begin : gen_asked
    assign asked[p] = '{
        alone: again_q[p],
        port: PortW'(p),
        starts: req_i[p].starts,
        has_ina: req_i[p].has_ina,
        psn: req_i[p].psn,
        ina: req_i[p].ina,
        tensor_len: req_i[p].tensor_len,
        len_bad: req_i[p].len_bad
    };
  end

  prim_pick #(
    .Width($bits(front_t)),
    .Words(NumPorts)
  ) u_chosen (
    .in_i    (asked),
    .select_i(grant),
    .out_o   (chosen)
  );

  // A register write asks with the same register, when nobody else does.
  conn_key_t [NumPorts:0] keys;
  conn_key_t              key;
  for (genvar p = 0; p < NumPorts; p++) begin : gen_key
    assign keys[p] = req_i[p].key;
  end
  assign keys[NumPorts] = conn_set_i.key;

  prim_pick #(
    .Width($bits(conn_key_t)),
    .Words(NumPorts + 1)
  ) u_key (
    .in_i    (keys),
    .select_i({conn_set_valid_i, grant}),
    .out_o   (key)
  );

  prim_arb_rr #(
    .N(NumPorts)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i    (eligible),
    .advance_i(begin_one),
    .gnt_o    (grant),
    .idx_o    (winner),
    .valid_o  (any)
  );

  // ---------------------------------------------------------------------------------------------
  // Stages 1 to 3: connection by its key, ring by the RingID of the header.

  logic [NumRings-1:0] ring_match_q;
  logic                header_ring_known_q, conn_hit;
  logic [RingW-1:0]    header_ring_q, conn_ring;
  logic [ConnW-1:0]    conn, free_conn;
  logic [RankW-1:0]    conn_rank;
  logic                table_full;
  logic [NumConns-1:0] table_used, flushed;
  logic [NumRings-1:0][NumRanks-1:0] claimed;
  logic  [7:5]         back_valid_q;
  back_t [7:5]         back_q;

  always_ff @(posedge clk_i) begin
    if (begin_one || (conn_set_valid_i && front_empty)) key_q <= key;
    front_q[1] <= chosen;
    for (int unsigned s = 2; s <= 4; s++) front_q[s] <= front_q[s-1];
    front_valid_q <= {front_valid_q[3:1], begin_one};

    for (int unsigned g = 0; g < NumRings; g++) begin
      ring_match_q[g] <= rings_i[g].enable && rings_i[g].id == front_q[1].ina.ring;
    end
    header_ring_known_q <= |ring_match_q;
    header_ring_q       <= '0;
    // The first of several rings with the same RingID.
    for (int g = NumRings - 1; g >= 0; g--) if (ring_match_q[g]) header_ring_q <= RingW'(g);
    if (!rst_ni) front_valid_q <= '0;
  end

  // Stage 3: the registers of the ring that counts.
  logic [RingW-1:0] ring_of_3, ring_of_4_q;
  // Enable and RingID were looked at before.
  // verilator lint_off UNUSEDSIGNAL
  ring_t            ring_q;
  // verilator lint_on UNUSEDSIGNAL
  logic             known_q, hit_q, header_ring_q4, header_bad_q, mismatch_q, claimed_q;
  logic             near_q, new_q;
  logic [ConnW-1:0] conn_q;
  logic [RankW-1:0] rank_q;

  // Header rules, held against each ring while it is not yet known which it is.
  logic [NumRings-1:0] breaks_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      breaks_q[g] <= 32'(front_q[2].ina.rank) >= 32'(rings_i[g].workers) ||
          32'(front_q[2].ina.workers) != 32'(rings_i[g].workers) || front_q[2].ina.msglen == '0 ||
          32'(front_q[2].ina.msglen) > 32'(rings_i[g].stride) ||
          front_q[2].ina.kind[3:0] > TypeInt32 || front_q[2].ina.kind[7:4] > OpMax;
    end
  end

  logic claimed_3;
  assign claimed_3 = 32'(front_q[3].ina.rank) < NumRanks &&
      claimed[header_ring_q[RingIdxW-1:0]][front_q[3].ina.rank[RankIdxW-1:0]];

  assign ring_of_3 = front_q[3].has_ina ? header_ring_q : conn_ring;

  // Which of a MsgID's bits say where its message is: known as long as the ring is.
  logic [NumRings-1:0][EntryW-1:0] masks_q;
  logic [EntryW-1:0]               mask_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      masks_q[g] <= EntryW'((32'd2 << rings_i[g].window_log2) - 32'd1);
    end
    mask_q <= masks_q[ring_of_3[RingIdxW-1:0]];
  end

  always_ff @(posedge clk_i) begin
    ring_of_4_q    <= ring_of_3;
    ring_q         <= rings_i[ring_of_3[RingIdxW-1:0]];
    hit_q          <= conn_hit;
    known_q        <= conn_hit && rings_i[conn_ring[RingIdxW-1:0]].enable;
    header_ring_q4 <= header_ring_known_q;
    header_bad_q   <= breaks_q[header_ring_q[RingIdxW-1:0]];
    mismatch_q     <= conn_ring != header_ring_q || 8'(conn_rank) != front_q[3].ina.rank;
    claimed_q      <= claimed_3;
    // A good header of an unknown connection, for a rank that nobody has.
    new_q          <= front_q[3].has_ina && header_ring_known_q && !conn_hit && !claimed_3 &&
        !breaks_q[header_ring_q[RingIdxW-1:0]];
    conn_q         <= conn;
    rank_q         <= conn_rank;
    // What one or two cycles ahead asks the history of this connection would not be seen.
    near_q         <= conn_hit && ((front_valid_q[4] && hit_q && conn == conn_q) ||
        (back_valid_q[5] && back_q[5].rsp.fate == FateStored && conn == back_q[5].rsp.conn));
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 4: rules; a request that adds a connection goes on only if it is alone.

  front_t four;
  logic   adds, accept, learn;
  fate_e  fate;

  assign four = front_q[4];

  always_comb begin
    fate = FateStored;
    if (four.has_ina) begin
      if (!header_ring_q4) fate = known_q ? FateBadHeader : FatePassed;
      else if (header_bad_q || (known_q && mismatch_q)) fate = FateBadHeader;
      else if (!known_q) begin
        // An entry of a disabled ring keeps its connection.
        if (!ring_q.learn || hit_q) fate = FateUnregistered;
        else if (claimed_q) fate = FateRankConflict;
        else if (table_full) fate = FateTableFull;
      end
    end else if (!known_q) begin
      fate = FatePassed;
    end else if (four.starts) begin
      fate = FateBadHeader;
    end
  end

  // In time for the table.
  assign adds   = new_q && ring_q.learn && !table_full;
  assign accept = front_valid_q[4] && !near_q && (!adds || four.alone);
  // In one go, for the table's sake: accepted, and adding.
  assign learn  = front_valid_q[4] && !near_q && four.alone && new_q && ring_q.learn &&
      !table_full;

  always_comb begin
    req_ready_o = '0;
    for (int unsigned p = 0; p < NumPorts; p++) req_ready_o[p] = accept && four.port == PortW'(p);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (may_begin && grant[p]) begin
        flying_q[p] <= 1'b1;
        again_q[p]  <= 1'b0;
      end
      if (front_valid_q[4] && four.port == PortW'(p)) begin
        flying_q[p] <= 1'b0;
        if (!accept) again_q[p] <= 1'b1;
      end
    end
    if (!rst_ni) begin
      flying_q <= '0;
      again_q  <= '0;
    end
    others_q <= (again_q == '0 || !rst_ni) ? '0 : ~again_q;
  end

  // ---------------------------------------------------------------------------------------------
  // Changes of the connection table.

  logic set_ok, set_ok_q;

  // A register write asks like a packet whether its connection is known, with the table to itself until the answer
  // is there, and has been looked at. What the table says of itself is a cycle old, and the wait covers that too.
  logic [3:0] set_wait_q;   // a one more each cycle

  // A flush of connections goes first: the table makes one change a cycle.
  assign conn_set_go = conn_set_valid_i && set_wait_q[3] && !flush_conns_i;
  assign set_ok = !conn_hit &&
      32'(conn_set_i.index) < NumConns && 32'(conn_set_i.ring) < NumRings &&
      32'(conn_set_i.rank) < NumRanks && !table_used[conn_set_i.index[ConnIdxW-1:0]] &&
      !claimed[conn_set_i.ring[RingIdxW-1:0]][conn_set_i.rank[RankIdxW-1:0]];
  assign conn_set_ready_o = conn_set_go;
  assign conn_set_error_o = !set_ok_q;

  always_ff @(posedge clk_i) begin
    set_wait_q         <= (conn_set_valid_i && front_empty && !conn_set_go && !flush_conns_i) ?
        {set_wait_q[2:0], 1'b1} : '0;
    set_ok_q           <= set_ok;
    flush_conns_done_o <= flush_conns_i;
    if (!rst_ni) begin
      set_wait_q         <= '0;
      flush_conns_done_o <= 1'b0;
    end
  end

  agg_conn_table #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns)
  ) u_conns (
    .clk_i,
    .rst_ni,
    .query_valid_i(front_valid_q[1] || (conn_set_valid_i && front_empty)),
    .query_key_i  (key_q),
    .hit_o        (conn_hit),
    .conn_o       (conn),
    .ring_o       (conn_ring),
    .rank_o       (conn_rank),
    .claimed_o    (claimed),
    .full_o       (table_full),
    .free_o       (free_conn),
    .used_o       (table_used),
    // A register write is made when nobody is in the stages.
    .set_i        (learn || (conn_set_go && set_ok_q)),
    .set_index_i  (front_valid_q[4] ? free_conn : conn_set_i.index),
    .set_key_i    (key_q),
    .set_ring_i   (front_valid_q[4] ? ring_of_4_q : conn_set_i.ring),
    .set_rank_i   (front_valid_q[4] ? four.ina.rank[RankW-1:0] : conn_set_i.rank),
    .set_learned_i(front_valid_q[4]),
    .flush_i      (flush_conns_i),
    .flush_ring_i,
    .flushed_o    (flushed)
  );

  // ---------------------------------------------------------------------------------------------
  // Stages 5 to 7: the message.

  back_t             four_back;
  logic [ConnW-1:0]  conn_of_4;
  logic [EntryW-1:0] entry;

  // Whoever has no entry gets the free one, if any.
  assign conn_of_4 = hit_q ? conn_q : free_conn;

  always_comb begin
    entry     = four.ina.msgid[EntryW-1:0] & mask_q;
    four_back = '{
        rsp: '{
            port: four.port,
            fate: fate,
            conn: conn_of_4,
            ring: ring_of_4_q,
            rank: four.has_ina ? four.ina.rank[RankW-1:0] : rank_q,
            workers: ring_q.workers,
            msgid: four.ina.msgid,
            offset: '0,
            slot: '0,
            free_slot: '0,
            window_log2: ring_q.window_log2,
            kind: four.ina.kind,
            tensor_len: four.tensor_len
        },
        starts: four.starts,
        len_bad: four.len_bad,
        psn: four.psn,
        msglen: SlotW'(four.ina.msglen),
        base: ring_q.base,
        step: SlotW'(32'(entry) * 32'(ring_q.stride)),
        span: ring_q.stride << ring_q.window_log2
    };
  end

  always_ff @(posedge clk_i) begin
    back_valid_q <= {back_valid_q[6:5], accept};
    back_q       <= {back_q[6:5], four_back};
    if (!rst_ni) back_valid_q <= '0;
  end

  message_t         begins;
  // Its first PSN and length have become the offset.
  // verilator lint_off UNUSEDSIGNAL
  message_t         message;
  // verilator lint_on UNUSEDSIGNAL
  logic             answer_valid, found, stale, conflict;
  logic [SlotW-1:0] offset;

  assign begins = '{
      valid: 1'b1,
      msgid: back_q[5].rsp.msgid,
      psn0: back_q[5].psn,
      base: back_q[5].base + back_q[5].step,
      msglen: back_q[5].msglen,
      kind: back_q[5].rsp.kind
  };

  agg_message_table #(
    .NumConns(NumConns),
    .History (History)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .read_i        (accept && fate == FateStored),
    .conn_i        (conn_of_4),
    .query_valid_i (back_valid_q[5] && back_q[5].rsp.fate == FateStored),
    .starts_i      (back_q[5].starts),
    .message_i     (begins),
    .window_log2_i (back_q[5].rsp.window_log2),
    .answer_valid_o(answer_valid),
    .found_o       (found),
    .stale_o       (stale),
    .conflict_o    (conflict),
    .answer_o      (message),
    .offset_o      (offset),
    .forget_i      (flush_conns_i ? flushed : '0)
  );

  // Stage 7: slot and length.
  // What the message table has used by now.
  // verilator lint_off UNUSEDSIGNAL
  back_t             seven;
  // verilator lint_on UNUSEDSIGNAL
  lookup_rsp_t       answer;
  logic              second_half;
  logic [1:0]        ragged;
  logic [SlotW-1:0]  slot;

  assign seven = back_q[7];

  always_comb begin
    // The message's entry among 2N: in the upper N, the message N before is N below, otherwise N above.
    second_half = message.msgid[5'(seven.rsp.window_log2)];
    ragged      = seven.rsp.tensor_len[1:0] &
        ((message.kind[3:0] == TypeFp16 || message.kind[3:0] == TypeBf16) ? 2'b01 : 2'b11);
    slot          = message.base + offset;
    answer        = seven.rsp;
    if (seven.rsp.fate == FateStored) begin
      answer.msgid     = message.msgid;
      answer.kind      = message.kind;
      answer.offset    = offset;
      answer.slot      = slot;
      // One adder: minus is the complement and one more.
      answer.free_slot = slot + (second_half ? ~seven.span : seven.span) + SlotW'(second_half);
      if (stale) answer.fate = FateStale;
      else if (conflict) answer.fate = FatePsnConflict;
      else if (!found) answer.fate = FateUnknownMessage;
      else if (seven.len_bad || ragged != '0 || 32'(seven.rsp.tensor_len) > SlotBytes) begin
        answer.fate = FateBadLength;
      end
    end
  end

  localparam int unsigned Places = (NumPorts > 2) ? NumPorts : 2;
  logic                         fifo_ready;
  logic [$clog2(Places+1)-1:0]  fifo_count;

  prim_fifo #(
    .T    (lookup_rsp_t),
    .Depth(Places)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i (back_valid_q[7]),
    .in_ready_o (fifo_ready),
    .in_i       (answer),
    .out_valid_o(rsp_valid_o),
    .out_ready_i(rsp_ready_i),
    .out_o      (rsp_o),
    .count_o    (fifo_count)
  );

  assign idle_o = front_empty && back_valid_q == '0 && fifo_count == '0;

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port has one request at a time; a lost answer would stop it for ever.
      a_room : assert (!back_valid_q[7] || fifo_ready)
      else $error("%m: an answer for port %0d finds no room", answer.port);
      // The history answers exactly the requests that asked it.
      a_answer : assert (answer_valid == (back_valid_q[7] && seven.rsp.fate == FateStored))
      else $error("%m: history out of step");
      // Connections come only while nobody in front relies on the table.
      a_alone : assert (!learn || front_valid_q[3:1] == '0)
      else $error("%m: connection learned beside another request");
      // Flushed only when nothing inside relies on a history.
      a_flush : assert (!flush_conns_i || idle_o)
      else $error("%m: flush while requests are inside");
      // Only candidates ask.
      a_candidate : assert (!begin_one || req_i[winner].candidate)
      else $error("%m: port %0d asks about a frame that is no candidate", winner);
    end
  end

endmodule
