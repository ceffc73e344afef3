// rc_conn: which wire goes where between the two halves of a connection, their buffers, who uses
// it and the port; what is kept of a packet that is taken, and how frames are numbered.
//
// What the four make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: rc_respond, rc_request, rc_queue,
// rc_send_buffer.
module conn_wires_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// 1: memories are corrected, or looked at.
  parameter int unsigned Ecc = 0,
  localparam int unsigned QueueRoom = 4,
  localparam int unsigned SendRoom = 8,
  localparam int unsigned MaxRows = 4,
  localparam int unsigned AtW = $clog2(SendRoom),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_request_cfg_t request_cfg_i,
  input rc_respond_cfg_t respond_cfg_i,
  input logic [31:0]     time_i,
  input logic            claim_i,
  input logic            claim_drop_i,
  input logic            row_re_i,
  input rc_row_t         send_row_i,
  input logic            send_cast_i,
  input rc_came_t        came_i,
  input logic            data_valid_i,
  input rc_data_t        data_i,
  input logic            answer_valid_i,
  input rc_answer_t      answer_i,
  input logic            ack_ready_i,
  input logic            send_ready_i,
  input logic            sent_re_i,
  input logic [AtW-1:0]  sent_at_i,
  input logic [RowW-1:0] sent_number_i
);

  rc_packet_t           oldest;
  logic [RcRowBits-1:0] row, sent_row;
  logic                 room, ack_valid, send_valid, idle;
  rc_ack_t              ack;
  logic [15:0]          ack_ip_id;
  rc_send_t             send;
  logic [AtW-1:0]       send_at;
  rc_kept_t             sent;
  rc_fault_e            fault;
  rc_conn_events_t      events;
  rc_memory_t           memory;

  rc_conn #(
    .QueueRoom(QueueRoom),
    .SendRoom (SendRoom),
    .MaxRows  (MaxRows),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .request_cfg_i,
    .respond_cfg_i,
    .time_i,
    .oldest_o   (oldest),
    .claim_i,
    .claim_drop_i,
    .row_re_i,
    .row_o      (row),
    .room_o     (room),
    .send_row_i,
    .send_cast_i,
    .came_i,
    .data_valid_i,
    .data_i,
    .answer_valid_i,
    .answer_i,
    .ack_valid_o(ack_valid),
    .ack_ready_i,
    .ack_o      (ack),
    .ack_ip_id_o(ack_ip_id),
    .send_valid_o(send_valid),
    .send_ready_i,
    .send_o     (send),
    .send_at_o  (send_at),
    .sent_o     (sent),
    .sent_re_i,
    .sent_at_i,
    .sent_number_i,
    .sent_row_o (sent_row),
    .idle_o     (idle),
    .fault_o    (fault),
    .events_o   (events),
    .memory_o   (memory)
  );

  // What the two halves say.
  rc_fate_e           fate;
  rc_fault_e          fault_in, fault_out;
  rc_request_events_t sender;
  rc_memory_t         found_in, found_out;
  logic               ends;
  assign fate      = u_dut.u_respond.fate_o;
  assign fault_in  = u_dut.u_respond.fault_o;
  assign fault_out = u_dut.u_request.fault_o;
  assign sender    = u_dut.u_request.events_o;
  assign found_in  = u_dut.u_queue.memory_o;
  assign found_out = u_dut.u_send_buffer.memory_o;
  assign ends      = open_i || close_i;

  // Data packets as they came, up to three cycles ago; whether one is to be kept; and frames that
  // have left since the connection began.
  rc_data_t [3:1] came_q;
  logic           keep_q, counts_q;
  logic [2:0]     past_q;
  logic [15:0]    acks_q, sends_q;
  // A cycle ago: the numbers, whether a frame left, and whether the connection began.
  logic [15:0]    acked_q, sent_q;
  logic           acks_was_q, sends_was_q, began_q;
  initial {past_q, counts_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    came_q <= {came_q[2:1], data_i};
    keep_q <= rst_ni && !ends && u_dut.u_respond.fate_valid_o && fate == RcTaken;
    if (ack_valid && ack_ready_i) acks_q <= acks_q + 16'd1;
    if (send_valid && send_ready_i) sends_q <= sends_q + 16'd1;
    {acked_q, sent_q}         <= {ack_ip_id, send.ip_id};
    {acks_was_q, sends_was_q} <= {ack_valid && ack_ready_i, send_valid && send_ready_i};
    began_q                   <= open_i;
    if (open_i) begin
      counts_q <= 1'b1;
      acks_q   <= '0;
      sends_q  <= '0;
    end
  end

  // What the queue is told of a packet.
  rc_kept_t kept;
  assign kept = u_dut.u_queue.kept_i;

  always_ff @(posedge clk_i) begin
    if (past_q[2]) begin
      // A packet is kept if it was taken, of a connection that neither begins nor ends then.
      a_keep : assert (u_dut.u_queue.keep_i == keep_q)
      else $error("keep %b", u_dut.u_queue.keep_i);
      // It has its own length, three cycles after it came,
      a_len : assert (kept.len == came_q[3].len && !kept.cast)
      else $error("%0d bytes", kept.len);
      // begins a message if it is the first or the only packet of one,
      a_first : assert (kept.first == (came_q[3].opcode inside {
          OpSendFirst, OpSendOnly, OpSendOnlyImm, OpSendOnlyInv, OpWriteFirst, OpWriteOnly,
          OpWriteOnlyImm}))
      else $error("first %b", kept.first);
      // and ends one unless more of it is to come.
      a_last : assert (kept.last == !(came_q[3].opcode inside {
          OpSendFirst, OpSendMiddle, OpWriteFirst, OpWriteMiddle}))
      else $error("last %b", kept.last);
    end

    // All four begin anew with reset, and where the connection begins or ends.
    a_reset : assert ({u_dut.u_respond.rst_ni, u_dut.u_request.rst_ni, u_dut.u_queue.rst_ni,
                       u_dut.u_send_buffer.rst_ni} == {4{rst_ni}})
    else $error("reset");
    a_begins : assert ({u_dut.u_respond.open_i, u_dut.u_respond.close_i, u_dut.u_request.open_i,
                        u_dut.u_request.close_i} == {2{open_i, close_i}} &&
                       u_dut.u_queue.clear_i == ends && u_dut.u_send_buffer.clear_i == ends)
    else $error("begins");
    // Each half has its own settings; the sender has the time.
    a_settings : assert (u_dut.u_respond.cfg_i == respond_cfg_i &&
                         u_dut.u_request.cfg_i == request_cfg_i && u_dut.u_request.time_i == time_i)
    else $error("settings");

    // A packet goes to the half that decides of it, and its rows to the queue.
    a_comes : assert ({u_dut.u_respond.data_valid_i, u_dut.u_respond.data_i,
                       u_dut.u_queue.came_i} == {data_valid_i, data_i, came_i})
    else $error("comes");
    // Room that the queue has again is known to that half.
    a_gone : assert (u_dut.u_respond.gone_i == u_dut.u_queue.gone_o)
    else $error("gone");
    // Who uses the connection reads from the queue.
    a_reads : assert ({u_dut.u_queue.claim_i, u_dut.u_queue.claim_drop_i,
                       u_dut.u_queue.row_re_i} == {claim_i, claim_drop_i, row_re_i} &&
                      {oldest, row} == {u_dut.u_queue.oldest_o, u_dut.u_queue.row_o})
    else $error("reads");
    // ACK packets are that half's.
    a_acks : assert ({ack_valid, ack} == {u_dut.u_respond.ack_valid_o, u_dut.u_respond.ack_o} &&
                     u_dut.u_respond.ack_ready_i == ack_ready_i)
    else $error("acks");

    // Rows that are to leave go to the send buffer, and where and whether is what the sender says.
    a_writes : assert ({u_dut.u_send_buffer.row_i, u_dut.u_send_buffer.row_cast_i,
                        room} == {send_row_i, send_cast_i, u_dut.u_send_buffer.room_o})
    else $error("writes");
    a_place : assert ({u_dut.u_send_buffer.room_i, u_dut.u_send_buffer.more_i,
                       u_dut.u_send_buffer.place_i} ==
                      {u_dut.u_request.room_o, u_dut.u_request.more_o, u_dut.u_request.place_o})
    else $error("place");
    // The sender hears of each packet that the buffer has.
    a_post : assert ({u_dut.u_request.post_i, u_dut.u_request.post_last_i} ==
                     {u_dut.u_send_buffer.post_o, u_dut.u_send_buffer.post_last_o})
    else $error("post");
    // What leaves is the sender's, and what is kept of it is asked for as it is taken.
    a_sends : assert (u_dut.u_request.send_ready_i == send_ready_i &&
                      {send_valid, send.psn, send.ack_request, send_at} ==
                      {u_dut.u_request.send_valid_o, u_dut.u_request.send_psn_o,
                       u_dut.u_request.send_ack_request_o, u_dut.u_request.send_at_o})
    else $error("sends");
    a_again : assert (send.again == sender.repeated)
    else $error("again");
    a_kept : assert (u_dut.u_send_buffer.kept_re_i ==
                     (u_dut.u_request.send_valid_o && send_ready_i) &&
                     u_dut.u_send_buffer.kept_at_i == u_dut.u_request.send_at_o &&
                     sent == u_dut.u_send_buffer.kept_o)
    else $error("kept");
    // Its rows are read by who sends it.
    a_rows : assert ({u_dut.u_send_buffer.row_re_i, u_dut.u_send_buffer.row_at_i,
                      u_dut.u_send_buffer.row_number_i, sent_row} ==
                     {sent_re_i, sent_at_i, sent_number_i, u_dut.u_send_buffer.row_o})
    else $error("rows");
    // An ACK packet that came goes to the sender.
    a_answers : assert ({u_dut.u_request.answer_valid_i, u_dut.u_request.answer_i} ==
                        {answer_valid_i, answer_i} && idle == u_dut.u_request.idle_o)
    else $error("answers");

    // The connection has a fault if either half has one; if both have, it is the sender's.
    a_fault : assert ((fault_out == RcGood || fault == fault_out) &&
                      (fault_out != RcGood || fault == fault_in))
    else $error("fault %0d", fault);
    // Counters hear of what the sender does, of ACK packets that come and leave, of each decision,
    // and of room that is there again.
    a_events : assert (events.request == sender && events.answered == answer_valid_i &&
                       events.acked == (ack_valid && ack_ready_i) &&
                       events.decided == u_dut.u_respond.fate_valid_o && events.fate == fate &&
                       events.gone == u_dut.u_queue.gone_o)
    else $error("events");
    // Flipped bits are told of where memories are looked at: of both, and of words the one that is
    // lost first.
    a_found : assert (Ecc != 0 ? memory.corrected == (found_in.corrected || found_out.corrected) &&
                      memory.bad == (found_in.bad || found_out.bad) : memory == '0)
    else $error("found");
    a_word_in : assert (Ecc == 0 || !(found_in.bad || (found_in.corrected && !found_out.bad)) ||
                        memory.word == found_in.word)
    else $error("word");
    a_word_out : assert (Ecc == 0 || found_in.bad || (found_in.corrected && !found_out.bad) ||
                         memory.word == found_out.word)
    else $error("word");

    // Frames of each half are numbered from 0 on, and each has the number behind the last one's.
    a_numbers : assert (!counts_q || (ack_ip_id == acks_q && send.ip_id == sends_q))
    else $error("IP identification %0d, %0d", ack_ip_id, send.ip_id);
    a_next_number : assert (!past_q[0] || began_q ||
                            (16'(ack_ip_id - acked_q) == {15'd0, acks_was_q} &&
                             16'(send.ip_id - sent_q) == {15'd0, sends_was_q}))
    else $error("IP identification %0d, %0d", ack_ip_id, send.ip_id);

    // A packet of the last kind is kept, and frames of both halves have left.
    c_kept : cover (past_q[2] && u_dut.u_queue.keep_i && kept.last && !kept.first);
    c_left : cover (counts_q && acks_q == 16'd1 && sends_q == 16'd2);
  end

endmodule
