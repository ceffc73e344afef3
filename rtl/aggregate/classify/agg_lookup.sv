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
// Answers never wait inside: the FIFO has a place for every port, whose next request waits until
// the answer before has left.
// Stages 5 to 7, the histories and the FIFO are agg_lookup_message.
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
  /// 1: both tables are coded, and a request is inside for two cycles more: one in front of stage
  /// 1, one behind stage 5.
  parameter int unsigned Ecc = 0,
  /// 1: of some rings packets say themselves which column they are of (docs/relay.md).
  parameter int unsigned Spine = 0,
  /// 1: answers tell of the ends of messages (docs/relay.md).
  parameter int unsigned Uplink = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // A port's request stays until it is accepted (`ready`).
  input  logic        [NumPorts-1:0] req_valid_i,
  output logic        [NumPorts-1:0] req_ready_o,
  // The number of beats is not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  frame_desc_t [NumPorts-1:0] req_i,
  // verilator lint_on UNUSEDSIGNAL

  // A ring's registers change only while it is disabled or flushed.
  input ring_t [NumRings-1:0] rings_i,
  // With Spine, of each ring: all its packets have an INA header, and their PSN is their offset in
  // the message.
  input logic  [NumRings-1:0] columns_i,
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

  logic [4:1]    valid_q;
  lookup_query_t s1_d, s1_q, s2_q, s3_q;
  lookup_known_t s4_d, s4_q;
  logic          begins, accept;

  // With Ecc: the request that waits for its key to be read.
  lookup_query_t first;
  logic          first_valid, first_waits;

  if (Ecc != 0) begin : gen_later
    always_ff @(posedge clk_i) begin
      first       <= s1_d;
      first_valid <= begins && rst_ni;
    end
    assign first_waits = first_valid;
  end else begin : gen_now
    assign first       = s1_d;
    assign first_valid = begins;
    assign first_waits = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[3:1], first_valid};
    s1_q    <= first;
    s2_q    <= s1_q;
    s3_q    <= s2_q;
    s4_q    <= s4_d;
    if (Spine == 0) s4_q.columns <= 1'b0;
    if (!rst_ni) valid_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 0: whose turn. One key register will do: who writes its key to the table is alone.

  logic       front_empty, alone_inside, set_query, set_valid, table_ready;
  conn_key_t  key, key_q;
  conn_hash_t hash;

  assign front_empty  = valid_q == '0 && !first_waits;
  assign alone_inside = (first_waits && first.alone) ||
      (valid_q & {s4_q.req.alone, s3_q.alone, s2_q.alone, s1_q.alone}) != '0;

  agg_lookup_arbiter #(
    .NumPorts(NumPorts),
    .Without (Without)
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
    .end_accept_i    (accept),
    .answer_valid_i  (rsp_valid_o && rsp_ready_i),
    .answer_port_i   (rsp_o.port)
  );

  localparam conn_key_t Kept = key_kept(Without);

  always_ff @(posedge clk_i) begin
    if (begins || set_query) key_q <= (Kept == '1) ? key : key & Kept;
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 1 to 3: the header, the table's answer, and the registers of the ring that counts.

  logic                              header_known, header_drop, header_bad;
  logic                              conn_answered, conn_hit, conn_retired, table_full, conn_lost;
  logic [RingW-1:0]                  header_ring, conn_ring;
  logic [ConnW-1:0]                  conn;
  logic [RankW-1:0]                  conn_rank;
  logic [1:0]                        front_valid;
  logic [1:0][ConnW-1:0]             front_conn;
  logic [NumRings-1:0][NumRanks-1:0] claimed;

  agg_lookup_header #(
    .NumRings(NumRings),
    .Without (Without)
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
    .Ecc      (Ecc),
    .Spine    (Spine)
  ) u_known (
    .clk_i,
    .rings_i,
    .columns_i,
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
    .front_valid_i ({front_valid, valid_q[4] && s4_q.hit}),
    .front_conn_i  ({front_conn, s4_q.conn}),
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

  logic set_write, set_retire, set_release, set_act, act_alive, act_retired;

  agg_lookup_set #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns),
    .Ecc     (Ecc)
  ) u_set (
    .clk_i,
    .rst_ni,
    .conn_set_valid_i,
    .conn_set_ready_o,
    .conn_set_i,
    .conn_set_error_o,
    .empty_i         (front_empty && table_ready),
    .flush_i         (flush_conns_i),
    .walks_i         (flush_walks_o),
    .walks_ring_i    (flush_ring_i),
    .asks_o          (set_valid),
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
    .Ecc     (Ecc),
    .Without (Without)
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
  // Stages 4 to 7: the message and its slot; the answer.

  logic behind_idle;

  agg_lookup_message #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(MaxWindow),
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc),
    .Spine    (Spine),
    .Uplink   (Uplink)
  ) u_message (
    .clk_i,
    .rst_ni,
    .accept_i     (accept),
    .known_i      (s4_q),
    .fate_i       (fate),
    .learn_i      (learn),
    .flush_i      (flush_conns_i),
    .flush_ring_i,
    .set_i        (set_write),
    .set_ring_i   (conn_set_i.ring),
    .set_rank_i   (conn_set_i.rank),
    .front_valid_o(front_valid),
    .front_conn_o (front_conn),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .idle_o       (behind_idle),
    .seen_o,
    .event_o      (message_event_o)
  );

  assign idle_o = front_empty && behind_idle && table_ready;

  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The table has answered a request in stage 3; else it would get another one's answer.
      a_conn_answer : assert (!valid_q[1+ConnAnswer] || conn_answered)
      else $error("%m: connection table out of step");
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
