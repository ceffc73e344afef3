// rc_request and rc_respond at the two ends of a cable that loses, doubles, reorders and delays
// packets as it likes: what is posted is taken in order and once, nothing that was not taken is
// forgotten, and no more is under way than was promised, but for one packet.
//
// A packet is told by its PSN: the requester's owner finds it by place, the responder counts them.
// The cable has no memory here: at any time any packet comes out of it that was sent before, up to
// 2^22 packets ago, or any ACK packet that could have been; so no age of it is forgotten. Older
// ones would be taken for new ones by any RC end (InfiniBand 9.7.5.1).
module rc_pair_props
  import roce_pkg::*;
  import rc_pkg::*;
#(
  parameter int unsigned Room = 4,
  localparam int unsigned AtW = $clog2(Room)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input rc_request_cfg_t request_cfg_i,
  input rc_respond_cfg_t respond_cfg_i,
  input logic [31:0]     time_i,
  input logic            post_i,
  input logic            post_last_i,
  input logic            send_ready_i,
  input logic            answer_valid_i,
  input rc_answer_t      answer_i,
  input logic            data_valid_i,
  input rc_data_t        data_i,
  input logic            gone_i,
  input logic            ack_ready_i
);

  /// So old a packet may be.
  localparam logic [PsnW-1:0] Old = PsnW'(1) << (PsnW - 2);

  logic               room, more, send_valid, idle, fate_valid, ack_valid, ack_request;
  logic [AtW-1:0]     place, send_at;
  logic [PsnW-1:0]    send_psn;
  rc_fault_e          request_fault, respond_fault;
  rc_request_events_t events;
  rc_fate_e           fate;
  rc_ack_t            ack;

  rc_request #(
    .Room(Room)
  ) u_request (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i           (1'b0),
    .cfg_i             (request_cfg_i),
    .time_i,
    .post_i,
    .post_last_i,
    .room_o            (room),
    .more_o            (more),
    .place_o           (place),
    .send_valid_o      (send_valid),
    .send_ready_i,
    .send_psn_o        (send_psn),
    .send_at_o         (send_at),
    .send_ack_request_o(ack_request),
    .answer_valid_i,
    .answer_i,
    .idle_o            (idle),
    .fault_o           (request_fault),
    .events_o          (events)
  );

  rc_respond #(
    .Room(Room)
  ) u_respond (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i     (1'b0),
    .cfg_i       (respond_cfg_i),
    .data_valid_i,
    .data_i,
    .fate_valid_o(fate_valid),
    .fate_o      (fate),
    .gone_i,
    .ack_valid_o (ack_valid),
    .ack_ready_i,
    .ack_o       (ack),
    .fault_o     (respond_fault)
  );

  // ---------------------------------------------------------------------------------------------
  // The cable. What was sent is older than `sent`, what was taken older than `expected`.

  logic [PsnW-1:0] sent, taken, data_age, ack_age, nak_age, said_age, said_nak_age, held_age;
  logic            begun_q, up_q;      // the connection has begun
  logic            answer_acks, said_acks;

  assign sent     = u_request.oldest_q + PsnW'(u_request.most_q);
  assign taken    = u_respond.expected_q - u_request.oldest_q;   // of what the requester keeps
  assign data_age = sent - 1'b1 - data_i.psn;
  assign ack_age  = u_respond.expected_q - 1'b1 - answer_i.psn;
  assign nak_age  = u_respond.expected_q - answer_i.psn;
  assign answer_acks = answer_i.syndrome[7:5] == 3'b000;

  assign held_age     = sent - 1'b1 - u_respond.data_q.psn;
  assign said_age     = u_respond.expected_q - 1'b1 - u_request.said_q.psn;
  assign said_nak_age = u_respond.expected_q - u_request.said_q.psn;
  assign said_acks    = u_request.said_q.syndrome[7:5] == 3'b000;

  // Which of the packets under way the requester was promised room for, by the first one that it
  // was not.
  logic [AtW:0]     under_way;
  logic [CreditW:0] promised;
  assign under_way = u_request.most_q;
  assign promised  = u_request.limit_q;

  // The packet that is decided on.
  logic [PsnW-1:0] decided_q;
  always_ff @(posedge clk_i) decided_q <= u_respond.data_q.psn;

  initial begin
    begun_q = 1'b0;
    up_q    = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    up_q    <= rst_ni && (up_q || open_i);
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // A connection begins once, with the same PSN at both ends.
    e_open : assume (!(open_i && up_q) && (!open_i || request_cfg_i.psn == respond_cfg_i.psn));
    // A data packet was sent, not too long ago.
    e_data : assume (!data_valid_i || (up_q && data_age < Old));
    // An ACK packet was sent by the responder, not too long ago: it acknowledges what was taken, or
    // asks for what was not.
    e_answer : assume (!answer_valid_i || (up_q && (answer_acks ? ack_age < Old : nak_age < Old)));

    if (rst_ni && begun_q && up_q) begin
      // The packet that is taken next is one that the requester keeps, or will post next: nothing
      // was forgotten that was not taken, and nothing was taken that was not sent. The responder
      // takes one PSN after the other, so each packet once.
      a_kept : assert (taken <= PsnW'(u_request.most_q))
      else $error("taken %0d of %0d", taken, u_request.most_q);
      // What is taken is the packet behind the one that was taken before.
      a_in_order : assert (!fate_valid || fate != RcTaken || decided_q == u_respond.expected_q)
      else $error("taken %h, expected %h", decided_q, u_respond.expected_q);
      // Helper: what becomes of a packet is found a cycle ahead, and holds.
      a_decided : assert (!u_respond.takes ||
          (decided_q == u_respond.expected_q && 32'(u_respond.waiting_q) < Room));
      // What leaves is a packet that was posted, at its place.
      a_place : assert (!send_valid || (u_request.next_q < u_request.posted_q &&
          send_at == AtW'(u_request.oldest_at_q + AtW'(u_request.next_q))))
      else $error("place %0d", send_at);
      // No more packets were sent than room was promised for, but for one.
      a_credit : assert (u_request.endless_q || (CreditW + 1)'(under_way) <= promised + 1'b1)
      else $error("%0d under way, %0d promised", under_way, promised);
      // Helper: no code says more.
      a_limit : assert (promised <= (CreditW + 1)'(32768));
      // Counts are in their order.
      a_counts : assert (u_request.next_q <= u_request.most_q &&
          u_request.most_q <= u_request.posted_q && u_request.posted_q <= (AtW + 1)'(Room));
      // The buffer of the responder never has more packets than room.
      a_buffer : assert (32'(u_respond.waiting_q) <= Room)
      else $error("%0d packets", u_respond.waiting_q);
      // Helper: both ends are open.
      a_open : assert (u_request.good_q == (u_request.fault_q == RcGood) && u_respond.open_q);
      // Helpers: what stands in two registers is the same; what is offered is what is next.
      a_places : assert (u_request.former_q == u_request.oldest_q - 1'b1 &&
          u_request.place_q == AtW'(u_request.oldest_at_q + AtW'(u_request.posted_q)) &&
          u_request.next_at_q == AtW'(u_request.oldest_at_q + AtW'(u_request.next_q)));
      a_offer : assert (!send_valid || (send_psn == u_request.oldest_q + PsnW'(u_request.next_q) &&
          u_request.offer_q.fresh == (u_request.next_q == u_request.most_q) &&
          (u_request.endless_q || (CreditW + 1)'(u_request.next_q) <= promised)));
      // Helpers: what is on its way to a decision is what the cable can have brought.
      a_data_held : assert (!u_respond.came_q || held_age < Old + PsnW'(2 * Room));
      a_data_next : assert (!u_respond.takes ||
          taken < PsnW'(u_request.most_q));
      a_answer_held : assert (!u_request.answer_q ||
          (said_acks ? said_age : said_nak_age) < Old + PsnW'(2 * Room));
      a_answer_named : assert (!u_request.named_q.valid || !u_request.named_q.close ||
          PsnW'(u_request.named_q.gone) <= taken);
      // A message is taken, and acknowledged.
      c_through : cover (idle && u_respond.messages_q == 24'd1);
      // A packet is sent that an ACK gave room for.
      c_credit : cover (send_valid && u_request.oldest_q == request_cfg_i.psn + PsnW'(1) &&
          !u_request.offer_q.limited);
      // A packet is sent once more.
      c_repeat : cover (events.repeated);
      // A limited packet is under way.
      c_limited : cover (!u_request.endless_q && (CreditW + 1)'(under_way) == promised + 1'b1);
    end
    if (rst_ni && begun_q && !up_q) begin
      // Helper: nothing is decided before the beginning.
      a_before : assert (!u_respond.came_q && !u_respond.packet_q.valid && !u_request.answer_q &&
          !u_request.named_q.valid && !u_request.good_q && !u_respond.open_q);
    end
  end

endmodule
