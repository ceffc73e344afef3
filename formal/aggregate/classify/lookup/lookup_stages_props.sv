// agg_lookup_message: its stages and its queue. What is accepted asks the history of its own
// connection, with its own message, a cycle later; the history's answer meets it again as it comes,
// and what comes of both leaves in the order of acceptance. For any requests, one a cycle or fewer.
//
// What a request asks with and what comes of an answer is taken from agg_lookup_seek and
// agg_lookup_slot beside the device (lookup_place_props says what they do). The history's answers
// are left out of the circuit and free (`cuts` of the task), as are more requests than the queue
// has places for: those are lost here, and agg_lookup's proof shows that there are none.
module lookup_stages_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// 1: histories are coded, and a request is inside for one cycle more.
  parameter int unsigned Ecc = 1,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 1,
  /// 1: answers tell of the ends of messages.
  parameter int unsigned Uplink = 1,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 3,
  localparam int unsigned NumRings = 3,
  localparam int unsigned MaxWindow = 2,
  localparam int unsigned SlotBytes = 1024,
  localparam int unsigned RowW = 4   // of each ring a row for each of up to four ranks
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [RowW-1:0]  row_i,   // any
  input logic             accept_i,
  input lookup_known_t    known_i,
  input fate_e            fate_i,
  input logic             learn_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             set_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             rsp_ready_i
);

  logic                  started_q, rsp_valid, idle;
  logic [1:0]            front_valid;
  logic [1:0][ConnW-1:0] front_conn;
  lookup_rsp_t           rsp;
  conn_seen_t            seen;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  // One name for all, by which the task leaves the design's own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
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
      .accept_i,
      .known_i,
      .fate_i,
      .learn_i,
      .flush_i,
      .flush_ring_i,
      .set_i,
      .set_ring_i,
      .set_rank_i,
      .front_valid_o(front_valid),
      .front_conn_o (front_conn),
      .rsp_valid_o  (rsp_valid),
      .rsp_ready_i,
      .rsp_o        (rsp),
      .idle_o       (idle),
      .seen_o       (seen),
      .event_o      ()
    );
  end

  // ---------------------------------------------------------------------------------------------
  // What a request asks with, and what comes of it with the history's answer.

  localparam int unsigned Last = 3 + Ecc;   // cycles from a request's acceptance to its answer

  lookup_seek_t            seek, seek_q;
  logic [RingW+RankW-1:0]  row;
  logic         [Last:1]   due_q;    // a request was accepted so many cycles ago
  lookup_part_t [Last:1]   part_q;   // and this is known of it
  lookup_rsp_t             answer;
  logic                    asks;     // the one of the cycle before has no other fate

  agg_lookup_seek #(
    .NumRanks (NumRanks),
    .MaxWindow(MaxWindow),
    .Spine    (Spine)
  ) u_ask (
    .known_i,
    .fate_i,
    .seek_o(seek),
    .row_o (row)
  );

  agg_lookup_slot #(
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc),
    .Uplink   (Uplink)
  ) u_place (
    .part_i    (part_q[Last]),
    .message_i (u_dut.u_message.message),
    .found_i   (u_dut.u_message.found),
    .stale_i   (u_dut.u_message.stale),
    .conflict_i(u_dut.u_message.conflict),
    .lost_i    (u_dut.u_message.lost),
    .offset_i  (u_dut.u_message.offset),
    .rsp_o     (answer)
  );

  // Answers that have not left, the oldest one first; as many as there are ports.
  lookup_rsp_t [1:0] queue_q;
  logic        [1:0] held_q;
  logic              comes, leaves;
  assign asks   = due_q[1] && part_q[1].rsp.fate == FateStored;
  assign comes  = due_q[Last] && held_q < 2'd2;
  assign leaves = held_q != 2'd0 && rsp_ready_i;

  // The row that is followed.
  logic [RowW-1:0] row_q;

  always_ff @(posedge clk_i) begin
    if (!started_q) row_q <= row_i;
    seek_q <= seek;
    due_q  <= {due_q[Last-1:1], accept_i};
    part_q <= {part_q[Last-1:1], seek.part};
    held_q <= held_q + 2'(comes) - 2'(leaves);
    if (leaves) queue_q[0] <= queue_q[1];
    if (comes) queue_q[(held_q-2'(leaves))>2'd0] <= answer;
    if (!rst_ni) begin
      due_q  <= '0;
      held_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The histories of a ring that is flushed are forgotten, and that of a rank which is
    // registered; no other one.
    a_forget : assert (32'(row_q) >= NumRings * 4 || u_dut.u_message.u_messages.forget_i[row_q] ==
        ((flush_i && flush_ring_i == RingW'(row_q / 4'd4)) ||
         (set_i && set_ring_i == RingW'(row_q / 4'd4) && set_rank_i == RankW'(row_q % 4'd4))))
    else $error("row %0d", row_q);
    // The row of its ring and rank is read as a request is accepted that has no other fate; if it
    // adds its connection, with the word that what is there was another one's.
    a_read : assert (u_dut.u_message.u_messages.read_i == (accept_i && fate_i == FateStored) &&
                     u_dut.u_message.u_messages.conn_i == ConnW'(row) &&
                     u_dut.u_message.u_messages.fresh_i == learn_i)
    else $error("row %0d", row);

    if (started_q) begin
      // A cycle later the history is asked for it, and only then.
      a_query : assert (u_dut.u_message.u_messages.query_valid_i == asks)
      else $error("asks %b", asks);
      // It is asked for the request's message, with what is known of that: a message that begins
      // has a place behind its ring's first slot.
      a_message : assert (!asks ||
          ({u_dut.u_message.u_messages.starts_i, u_dut.u_message.u_messages.offset_i,
            u_dut.u_message.u_messages.window_log2_i} ==
           {seek_q.starts, seek_q.offset, part_q[1].rsp.window_log2} &&
           u_dut.u_message.u_messages.message_i ==
           {1'b1, part_q[1].rsp.msgid, seek_q.psn, SlotW'(seek_q.base + seek_q.step),
            seek_q.msglen, part_q[1].rsp.kind}))
      else $error("another message");
      // And it is told that a packet of its connection was seen.
      a_seen : assert (seen.valid == asks && (!asks || {seen.ring, seen.rank, seen.conn} ==
          {part_q[1].rsp.ring, part_q[1].rsp.rank, part_q[1].rsp.conn}))
      else $error("seen %b", seen.valid);
      // Until its history is written it is in front of those that come, with coded histories for
      // two cycles.
      a_front : assert (front_valid[0] == asks &&
                        front_valid[1] == (Ecc != 0 && due_q[2] &&
                                           part_q[2].rsp.fate == FateStored))
      else $error("in front: %b", front_valid);
      // By the number of its connection.
      a_front_conn : assert ((!front_valid[0] || front_conn[0] == part_q[1].rsp.conn) &&
                             (!front_valid[1] || front_conn[1] == part_q[2].rsp.conn))
      else $error("connections %0d, %0d", front_conn[0], front_conn[1]);

      // Answers leave in the order of acceptance, each with what was known of its request, and what
      // the history said of just that.
      a_answer : assert (rsp_valid == (held_q != 2'd0) && (!rsp_valid || rsp == queue_q[0]))
      else $error("answer for port %0d", rsp.port);
      // It is idle when no request is inside and all answers have left.
      a_idle : assert (idle == (due_q == '0 && held_q == 2'd0))
      else $error("idle %b", idle);

      // The queue holds what waits (helps the proof).
      a_queue : assert (u_dut.u_message.u_answers.count_q == held_q && held_q <= 2'd2 &&
          u_dut.u_message.u_answers.last_q == (held_q == 2'd1) &&
          u_dut.u_message.u_answers.room_q == (held_q == 2'd1) &&
          u_dut.u_message.u_answers.valid_q == (held_q != 2'd0) &&
          u_dut.u_message.u_answers.ready_q == (held_q != 2'd2) &&
          u_dut.u_message.u_answers.write_q ==
          (u_dut.u_message.u_answers.read_q ^ held_q[0]) &&
          (held_q == 2'd0 || u_dut.u_message.u_answers.mem_q[u_dut.u_message.u_answers.read_q] ==
           queue_q[0]) &&
          (held_q != 2'd2 || u_dut.u_message.u_answers.mem_q[!u_dut.u_message.u_answers.read_q] ==
           queue_q[1]))
      else $error("queue");

      // Two answers wait and requests are in all stages; a message that begins is stored.
      c_full : cover (held_q == 2'd2 && due_q == '1);
      c_stored : cover (rsp_valid && rsp.fate == FateStored && rsp.ring == RingW'(2));
    end
  end

endmodule
