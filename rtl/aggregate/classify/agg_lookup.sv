// What is this packet? Connection, ring, rank, message, offset and slot of a candidate, or the fate
// that ends it here (NetReduce 3.2, CLT and RetrieveCLT; all rules in docs/protocol.md).
//
// A pipeline, one request a cycle, answers in order:
//
//   stage  request                connection table         ring, then message history
//     0    arbiter: whose turn    buckets of its hash read
//     1    s1_q                   key compared in parts    RingID compared with all rings
//     2    s2_q                   all parts, which entry   header's ring; rules of each ring
//     3    s3_q                   known? ring, rank        registers of the ring that counts
//     4    s4_q: rules, accepted  a new entry is written   history of the connection is read
//     5    s5_q                                            all its messages compared
//     6    s6_q                                            one chosen, or a new one written
//     7    s7_q: slot, length                              message and offset
//          FIFO of answers
//
// A request is accepted ("ready") in stage 4 if it changes nothing another one in flight relies on.
// One that would add a connection, or that comes within two cycles of one of the same connection by
// another port (a hazard: the history is read before it is written), is given back, waits until
// stages 1 to 4 are empty, and comes again alone. That is rare: once for each connection, and when
// a connection has just changed its port. Registrations and flushes wait for the same moment.
// Answers never wait inside: the FIFO has a place for every port, which has one request at a time.
module agg_lookup
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, a power of two, 2 to 1,024.
  parameter int unsigned NumConns = 1024,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024,
  /// 1: both tables are coded, and a request is inside for two cycles more: one in front of stage 1,
  /// one behind stage 5.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // A port's request stays until it is accepted (`ready`); the next one comes only after its
  // verdict.
  input  logic        [NumPorts-1:0] req_valid_i,
  output logic        [NumPorts-1:0] req_ready_o,
  // The number of beats is not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  frame_desc_t [NumPorts-1:0] req_i,
  // verilator lint_on UNUSEDSIGNAL

  // A ring's registers change only while it is disabled or flushed.
  input ring_t [NumRings-1:0] rings_i,
  // Ports that pass what is no ring's.
  input logic  [NumPorts-1:0] open_i,

  // Answers to slot state, in the order of acceptance.
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output lookup_rsp_t rsp_o,

  // The control plane registers a connection. `error` with `ready`: no place for
  // it, connection known already, or (ring, rank) taken. Or it retires an entry, or releases it.
  // `error`: it is not alive, or not retired.
  input  logic      conn_set_valid_i,
  output logic      conn_set_ready_o,
  // `elsewhere` is not looked at: such a connection goes to relay_accept.
  // verilator lint_off UNUSEDSIGNAL
  input  conn_set_t conn_set_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic      conn_set_error_o,
  output logic [ConnW-1:0] conn_set_index_o,   // or else, of a registration: its entry
  output conn_count_t      conn_count_o,
  // Pulses: what reading the tables found.
  output mem_event_t       conn_event_o,
  output mem_event_t       message_event_o,

  // Stall: no request begins while `hold`. `idle_o`: none is inside, nor in the FIFO of answers.
  input  logic             flush_hold_i,
  output logic             idle_o,
  // Flush of a ring: retires its learned connections and forgets all its messages; with `free` it
  // forgets all its connections. Only while idle; `done` a cycle later, and then the table goes
  // through its entries while look-up goes on (`walks`): no other flush meanwhile.
  input  logic             flush_conns_i,
  input  logic [RingW-1:0] flush_ring_i,
  input  logic             flush_free_i,
  output logic             flush_conns_done_o,
  output logic             flush_walks_o,

  // Pulse: a packet of a connection that is alive was accepted.
  output conn_seen_t       seen_o
);

  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  // Messages are remembered by ring and rank: those have one connection at most.
  localparam int unsigned Rows = NumRings << RankIdxW;

  logic [7:1]    valid_q;
  lookup_query_t s1_d, s1_q, s2_q, s3_q;
  lookup_known_t s4_d, s4_q;
  lookup_seek_t  s5_d, s5_q;
  lookup_part_t  s6_q, s7_q;
  logic          begins, accept;

  // With Ecc: the request that waits for its key to be read, and the one that waits for its row.
  lookup_query_t first;
  lookup_part_t  sixth;
  logic          first_valid, sixth_valid, first_waits, sixth_waits;

  if (Ecc != 0) begin : gen_later
    always_ff @(posedge clk_i) begin
      first       <= s1_d;
      first_valid <= begins && rst_ni;
      sixth       <= s5_q.part;
      sixth_valid <= valid_q[5] && rst_ni;
    end
    assign first_waits = first_valid;
    assign sixth_waits = sixth_valid;
  end else begin : gen_now
    assign first       = s1_d;
    assign first_valid = begins;
    assign first_waits = 1'b0;
    assign sixth       = s5_q.part;
    assign sixth_valid = valid_q[5];
    assign sixth_waits = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[6], sixth_valid, accept, valid_q[3:1], first_valid};
    s1_q    <= first;
    s2_q    <= s1_q;
    s3_q    <= s2_q;
    s4_q    <= s4_d;
    s5_q    <= s5_d;
    s6_q    <= sixth;
    s7_q    <= s6_q;
    if (!rst_ni) valid_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 0: whose turn. One key register will do: who writes its key to the table is alone.

  logic       front_empty, alone_inside, set_query, set_valid, table_ready;
  conn_key_t  key, key_q;
  conn_hash_t hash;

  assign front_empty  = valid_q[4:1] == '0 && !first_waits;
  assign alone_inside = (first_waits && first.alone) ||
      (valid_q[4:1] & {s4_q.req.alone, s3_q.alone, s2_q.alone, s1_q.alone}) != '0;

  agg_lookup_arbiter #(
    .NumPorts(NumPorts)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .conn_set_valid_i(set_valid),
    .conn_set_key_i  (conn_set_i.key),
    .hold_i          (flush_hold_i || !table_ready),
    .empty_i         (front_empty),
    .alone_i         (alone_inside),
    .begins_o        (begins),
    .req_o           (s1_d),
    .hash_o          (hash),
    .key_o           (key),
    .end_valid_i     (valid_q[4]),
    .end_port_i      (s4_q.req.port),
    .end_accept_i    (accept)
  );

  always_ff @(posedge clk_i) begin
    if (begins || set_query) key_q <= key;
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 1 to 3: the header, the table's answer, and the registers of the ring that counts.

  logic                              header_known, header_drop, header_bad;
  logic                              conn_answered, conn_hit, conn_retired, table_full, conn_lost;
  logic [RingW-1:0]                  header_ring, conn_ring;
  logic [ConnW-1:0]                  conn;
  logic [RankW-1:0]                  conn_rank;
  logic [NumRings-1:0][NumRanks-1:0] claimed;

  agg_lookup_header #(
    .NumRings(NumRings)
  ) u_header (
    .clk_i,
    .rings_i,
    .ina1_i (s1_q.ina),
    .ina2_i (s2_q.ina),
    .known_o(header_known),
    .drop_o (header_drop),
    .ring_o (header_ring),
    .bad_o  (header_bad)
  );

  agg_lookup_known #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(MaxWindow),
    .Ecc      (Ecc)
  ) u_known (
    .clk_i,
    .rings_i,
    .open_i,
    .req_i         (s3_q),
    .header_known_i(header_known),
    .header_drop_i (header_drop),
    .header_bad_i  (header_bad),
    .header_ring_i (header_ring),
    .hit_i         (conn_hit),
    .full_i        (table_full),
    .lost_i        (conn_lost),
    .retired_i     (conn_retired),
    .conn_i        (conn),
    .ring_i        (conn_ring),
    .rank_i        (conn_rank),
    .claimed_i     (claimed),
    .front_valid_i ({sixth_waits && sixth.rsp.fate == FateStored,
                     valid_q[5] && s5_q.part.rsp.fate == FateStored, valid_q[4] && s4_q.hit}),
    .front_conn_i  ({sixth.rsp.conn, s5_q.part.rsp.conn, s4_q.conn}),
    .known_o       (s4_d)
  );

  // ---------------------------------------------------------------------------------------------
  // Stage 4: rules.

  logic  learn;
  fate_e fate;

  agg_lookup_rules #(
    .Ecc(Ecc)
  ) u_rules (
    .valid_i     (valid_q[4]),
    .known_i     (s4_q),
    .fate_o      (fate),
    .accept_o    (accept),
    .learn_o     (learn)
  );

  // ---------------------------------------------------------------------------------------------
  // The connection table. A request that learns and a registration never change it in the same
  // cycle: the latter waits until there are no requests.

  // A registration in a ring that is being flushed waits for the end of the table's walk; a flush
  // makes it begin anew, so it is early enough to know that a cycle late.
  logic             set_waits_q;
  always_ff @(posedge clk_i) begin
    set_waits_q <= flush_walks_o && conn_set_i.act == ConnRegister &&
        conn_set_i.ring == flush_ring_i;
  end
  assign set_valid = conn_set_valid_i && !set_waits_q;

  logic             set_write, set_retire, set_release, set_act, act_alive, act_retired;

  agg_lookup_set #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns),
    .Ecc     (Ecc)
  ) u_set (
    .clk_i,
    .rst_ni,
    .conn_set_valid_i,
    .waits_i         (set_waits_q),
    .conn_set_ready_o,
    .conn_set_i,
    .conn_set_error_o,
    .empty_i         (front_empty && table_ready),
    .flush_i         (flush_conns_i),
    .query_o         (set_query),
    .write_o         (set_write),
    .retire_o        (set_retire),
    .release_o       (set_release),
    .act_o           (set_act),
    .hit_i           (conn_hit),
    .full_i          (table_full),
    .lost_i          (conn_lost),
    .alive_i         (act_alive),
    .retired_i       (act_retired),
    .claimed_i       (claimed)
  );

  agg_conn_table #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns),
    .Ecc     (Ecc)
  ) u_conns (
    .clk_i,
    .rst_ni,
    .query_valid_i (begins || set_query),
    .query_hash_i  (hash),
    .query_key_i   (key_q),
    .answer_valid_o(conn_answered),
    .hit_o         (conn_hit),
    .full_o        (table_full),
    .lost_o        (conn_lost),
    .retired_o     (conn_retired),
    .conn_o        (conn),
    .ring_o        (conn_ring),
    .rank_o        (conn_rank),
    .claimed_o     (claimed),
    .ready_o       (table_ready),
    .walks_o       (flush_walks_o),
    .count_o       (conn_count_o),
    .event_o       (conn_event_o),
    .set_i         (learn || set_write),
    .set_key_i     (key_q),
    .set_ring_i    (valid_q[4] ? s4_q.ring : conn_set_i.ring),
    .set_rank_i    (valid_q[4] ? s4_q.req.ina.rank[RankW-1:0] : conn_set_i.rank),
    .set_learned_i (valid_q[4]),
    .flush_i       (flush_conns_i),
    .flush_ring_i,
    .flush_free_i,
    .pause_i       (alone_inside || set_valid),
    .act_i         (set_act),
    .act_index_i   (conn_set_i.index),
    .act_alive_o   (act_alive),
    .act_retired_o (act_retired),
    .retire_i      (set_retire),
    .release_i     (set_release)
  );

  assign conn_set_index_o = conn;

  always_ff @(posedge clk_i) flush_conns_done_o <= flush_conns_i && rst_ni;

  // ---------------------------------------------------------------------------------------------
  // Stages 4 to 6: the message.

  logic [Rows-1:0]         forgotten;
  // The row of its connection. Large enough for any configuration.
  logic [RingW+RankW-1:0]  row;

  agg_lookup_seek #(
    .NumRanks (NumRanks),
    .MaxWindow(MaxWindow)
  ) u_seek (
    .known_i(s4_q),
    .fate_i (fate),
    .seek_o (s5_d),
    .row_o  (row)
  );

  // All of a ring that is flushed, and that of a connection which is registered. One that is
  // learned says so as it asks.
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      for (int unsigned k = 0; k < 2 ** RankIdxW; k++) begin
        forgotten[(g<<RankIdxW)+k] = (flush_conns_i && flush_ring_i == RingW'(g)) ||
            (set_write && conn_set_i.ring == RingW'(g) && conn_set_i.rank == RankW'(k));
      end
    end
  end

  assign seen_o = '{valid: valid_q[5] && s5_q.part.rsp.fate == FateStored, ring: s5_q.part.rsp.ring,
                    rank: s5_q.part.rsp.rank, conn: s5_q.part.rsp.conn};

  message_t         begins_message, message;
  logic             answer_valid, found, stale, conflict, lost;
  logic [SlotW-1:0] offset;

  assign begins_message = '{
      valid: 1'b1,
      msgid: s5_q.part.rsp.msgid,
      psn0: s5_q.psn,
      base: s5_q.base + s5_q.step,
      msglen: s5_q.msglen,
      kind: s5_q.part.rsp.kind
  };

  agg_message_table #(
    .NumConns(Rows),
    .History (2 * MaxWindow),
    .Ecc     (Ecc)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .read_i        (accept && fate == FateStored),
    .fresh_i       (learn),
    .conn_i        (ConnW'(row)),
    .query_valid_i (valid_q[5] && s5_q.part.rsp.fate == FateStored),
    .starts_i      (s5_q.starts),
    .message_i     (begins_message),
    .window_log2_i (s5_q.part.rsp.window_log2),
    .answer_valid_o(answer_valid),
    .found_o       (found),
    .stale_o       (stale),
    .conflict_o    (conflict),
    .lost_o        (lost),
    .answer_o      (message),
    .offset_o      (offset),
    .forget_i      (forgotten),
    .event_o       (message_event_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Stage 7: slot and length; the answer.

  localparam int unsigned Places = (NumPorts > 2) ? NumPorts : 2;
  lookup_rsp_t                 answer;
  logic                        fifo_ready;
  logic [$clog2(Places+1)-1:0] fifo_count;

  agg_lookup_slot #(
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc)
  ) u_slot (
    .part_i    (s7_q),
    .message_i (message),
    .found_i   (found),
    .stale_i   (stale),
    .conflict_i(conflict),
    .lost_i    (lost),
    .offset_i  (offset),
    .rsp_o     (answer)
  );

  prim_fifo #(
    .T    (lookup_rsp_t),
    .Depth(Places)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_q[7]),
    .in_ready_o (fifo_ready),
    .in_i       (answer),
    .out_valid_o(rsp_valid_o),
    .out_ready_i(rsp_ready_i),
    .out_o      (rsp_o),
    .count_o    (fifo_count)
  );

  assign idle_o = valid_q == '0 && !first_waits && !sixth_waits && fifo_count == '0 && table_ready;

  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port has one request at a time; a lost answer would stop it for ever.
      a_room : assert (!valid_q[7] || fifo_ready)
      else $error("%m: an answer for port %0d finds no room", answer.port);
      // The table has answered a request in stage 3; else it would get another one's answer.
      a_conn_answer : assert (!valid_q[1+ConnAnswer] || conn_answered)
      else $error("%m: connection table out of step");
      // The history answers exactly the requests that asked it.
      a_answer : assert (answer_valid ==
          (valid_q[5+MessageAnswer] && s7_q.rsp.fate == FateStored))
      else $error("%m: history out of step");
      // Nobody is learned for a ring whose flush is being written down: it is closed, or he would
      // be flushed with it.
      a_closed : assert (!learn || !flush_walks_o || s4_q.ring != flush_ring_i)
      else $error("%m: learned for ring %0d, which is being flushed", s4_q.ring);
      // Connections come only while nobody in front relies on the table.
      a_alone : assert (!learn || (valid_q[3:1] == '0 && !first_waits))
      else $error("%m: connection learned beside another request");
      // No packet asks as an entry is written: it would be found by its old key.
      a_write_alone : assert (!(learn || set_write) || !begins)
      else $error("%m: a request begins as connection %0d is written", conn);
      // Flushed only when nothing inside relies on a history.
      a_flush : assert (!flush_conns_i || idle_o)
      else $error("%m: flush while requests are inside");
    end
  end

endmodule
