// Stages 4 to 7 of look-up: which message of its connection a packet is of, which slot that gives
// it, and the answer, which waits for slot state in a FIFO.
//
// A module of its own because it starts where a request is accepted: from here on nothing stops it,
// and nobody looks at keys or headers any more, only at the histories of messages. The FIFO has a
// place for every port, whose next request waits for its answer (agg_lookup_arbiter).
module agg_lookup_message
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
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024,
  /// 1: histories are coded, and a request is inside for one cycle more, behind stage 5.
  parameter int unsigned Ecc = 0,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 0,
  /// 1: answers tell of the ends of messages (docs/relay.md).
  parameter int unsigned Uplink = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The request in stage 4 is accepted: what is known of it, its fate, and whether it adds its
  // connection.
  input logic          accept_i,
  input lookup_known_t known_i,
  input fate_e         fate_i,
  input logic          learn_i,

  // Histories that are forgotten: all of a ring that is flushed, and that of a connection which is
  // registered. One that is learned says so as it asks.
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             set_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,

  // Requests that may change a history yet, and their connections: in stage 5, with Ecc also behind
  // it.
  output logic [1:0]            front_valid_o,
  output logic [1:0][ConnW-1:0] front_conn_o,

  // As at agg_lookup. `idle_o`: stages 5 to 7 and the FIFO hold no request.
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output lookup_rsp_t rsp_o,
  output logic        idle_o,
  output conn_seen_t  seen_o,
  output mem_event_t  event_o
);

  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  // Messages are remembered by ring and rank: those have one connection at most.
  localparam int unsigned Rows = NumRings << RankIdxW;

  logic [7:5]   valid_q;
  lookup_seek_t s5_d, s5_q;
  lookup_part_t s6_q, s7_q;

  // With Ecc: the request that waits for its row to be decoded.
  lookup_part_t sixth;
  logic         sixth_valid, sixth_waits;

  if (Ecc != 0) begin : gen_later
    always_ff @(posedge clk_i) begin
      sixth       <= s5_q.part;
      sixth_valid <= valid_q[5] && rst_ni;
    end
    assign sixth_waits = sixth_valid;
  end else begin : gen_now
    assign sixth       = s5_q.part;
    assign sixth_valid = valid_q[5];
    assign sixth_waits = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[6], sixth_valid, accept_i};
    s5_q    <= s5_d;
    s6_q    <= sixth;
    s7_q    <= s6_q;
    if (Spine == 0) s5_q.offset <= '0;
    if (!rst_ni) valid_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 4 to 6: the message.

  logic [Rows-1:0]        forgotten;
  // The row of its connection. Large enough for any configuration.
  logic [RingW+RankW-1:0] row;
  logic                   seeks;   // in stage 5

  agg_lookup_seek #(
    .NumRanks (NumRanks),
    .MaxWindow(MaxWindow),
    .Spine    (Spine)
  ) u_seek (
    .known_i,
    .fate_i,
    .seek_o(s5_d),
    .row_o (row)
  );

  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      for (int unsigned k = 0; k < 2 ** RankIdxW; k++) begin
        forgotten[(g<<RankIdxW)+k] = (flush_i && flush_ring_i == RingW'(g)) ||
            (set_i && set_ring_i == RingW'(g) && set_rank_i == RankW'(k));
      end
    end
  end

  assign seeks         = valid_q[5] && s5_q.part.rsp.fate == FateStored;
  assign front_valid_o = {sixth_waits && sixth.rsp.fate == FateStored, seeks};
  assign front_conn_o  = {sixth.rsp.conn, s5_q.part.rsp.conn};
  assign seen_o        = '{valid: seeks, ring: s5_q.part.rsp.ring, rank: s5_q.part.rsp.rank,
                           conn: s5_q.part.rsp.conn};

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
    .Ecc     (Ecc),
    .Spine   (Spine)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .read_i        (accept_i && fate_i == FateStored),
    .fresh_i       (learn_i),
    .conn_i        (ConnW'(row)),
    .query_valid_i (seeks),
    .starts_i      (s5_q.starts),
    .message_i     (begins_message),
    .offset_i      (s5_q.offset),
    .window_log2_i (s5_q.part.rsp.window_log2),
    .answer_valid_o(answer_valid),
    .found_o       (found),
    .stale_o       (stale),
    .conflict_o    (conflict),
    .lost_o        (lost),
    .answer_o      (message),
    .offset_o      (offset),
    .forget_i      (forgotten),
    .event_o
  );

  // ---------------------------------------------------------------------------------------------
  // Stage 7: slot and length; the answer.

  localparam int unsigned Places = (NumPorts > 2) ? NumPorts : 2;
  lookup_rsp_t                 answer;
  logic                        fifo_ready;
  logic [$clog2(Places+1)-1:0] fifo_count;

  agg_lookup_slot #(
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc),
    .Uplink   (Uplink)
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

  assign idle_o = valid_q == '0 && !sixth_waits && fifo_count == '0;

  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port has one answer to come at a time; a lost one would stop it for ever.
      a_room : assert (!valid_q[7] || fifo_ready)
      else $error("%m: an answer for port %0d finds no room", answer.port);
      // The history answers exactly the requests that asked it.
      a_answer : assert (answer_valid ==
          (valid_q[5+MessageAnswer] && s7_q.rsp.fate == FateStored))
      else $error("%m: history out of step");
    end
  end

endmodule
