// rc_request: which packet leaves when, and what any answer or silence does to those that are kept
// (InfiniBand 9.7; docs/tree.md), said of all that was posted, sent and heard since the connection
// began. Packets are counted from the oldest one that is kept.
module ask_steps_props
  import rc_pkg::*;
#(
  parameter int unsigned Room = 4,
  localparam int unsigned AtW = $clog2(Room)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_request_cfg_t cfg_i,
  input logic [31:0]     time_i,
  input logic            post_i,
  input logic            post_last_i,
  input logic            send_ready_i,
  input logic            answer_valid_i,
  input rc_answer_t      answer_i
);

  // A number of packets, or of credits.
  typedef logic [17:0] count_t;

  logic               begun_q, rst_n, post, answers, room, more, valid, ask, idle;
  rc_request_cfg_t    cfg, cfg_q;
  logic [AtW-1:0]     place, at;
  logic [23:0]        psn;
  rc_fault_e          fault;
  rc_request_events_t events;

  // ---------------------------------------------------------------------------------------------
  // What is kept: how many packets, how many of them were ever sent, which one is next; and by
  // place whether one ends a message.

  logic            known_q, up_q;         // a connection has begun; it is there without a fault
  logic [23:0]     first_q;               // PSN of the oldest one
  logic [7:0]      number_q;              // and how many there were in front
  logic [AtW-1:0]  at_q;                  // and its place
  count_t          kept_q, sent_q, next_q;
  logic [Room-1:0] ends_q, ends_known_q;
  // So many have room promised, or all; the last one that asked for an answer is in front of this.
  count_t          promised_q, asked_q;
  logic            endless_q;
  // Tries of the oldest one; the time-out that runs, and is over; a wait after "not ready".
  logic [2:0]      tries_q, rnr_tries_q, rnr_tried_q;   // now, and a cycle ago
  logic            runs_q, over_q, waits_q, wait_known_q, deadline_known_q;
  logic [31:0]     deadline_q, wait_until_q;
  rc_fault_e       fault_q;

  // An answer as it came in the cycle before.
  typedef struct packed {
    logic       valid;
    rc_answer_t is;
  } came_t;
  came_t           came_q;

  // The first cycle is one of reset. A packet is posted where there is room, answers come every
  // other cycle at most, and a connection is set up when it begins.
  assign rst_n   = rst_ni && begun_q;
  assign post    = post_i && room && !open_i && !close_i;
  assign answers = answer_valid_i && !came_q.valid;
  assign cfg     = open_i ? cfg_i : cfg_q;

  rc_request #(
    .Room(Room)
  ) u_dut (
    .clk_i,
    .rst_ni            (rst_n),
    .open_i,
    .close_i,
    .cfg_i             (cfg),
    .time_i,
    .post_i            (post),
    .post_last_i,
    .room_o            (room),
    .more_o            (more),
    .place_o           (place),
    .send_valid_o      (valid),
    .send_ready_i,
    .send_psn_o        (psn),
    .send_at_o         (at),
    .send_ack_request_o(ask),
    .answer_valid_i    (answers),
    .answer_i,
    .idle_o            (idle),
    .fault_o           (fault),
    .events_o          (events)
  );

  // ---------------------------------------------------------------------------------------------
  // An answer, a cycle later: what it says.

  typedef struct packed {
    logic        valid;
    logic        about;     // it is about packets that were sent
    logic        ack, missing, not_ready, refused;
    logic [3:0]  gone;      // so many have arrived
    logic        counts;    // it counts credits
    logic [15:0] credits;
    logic [23:0] wait_for;  // microseconds
  } says_t;
  says_t       says, says_q;
  logic [23:0] arrived;

  /// 0, 1, 2, 3, 4, 6, 8, 12 and so on: powers of two, and in the middle between them one more.
  function automatic logic [15:0] number_of(logic [4:0] code);
    if (code < 5'd2) number_of = 16'(code);
    else number_of = (code[0] ? 16'd3 : 16'd2) << (code / 5'd2 - 5'd1);
  endfunction

  always_comb begin
    says           = '0;
    says.ack       = came_q.is.syndrome[7:5] == 3'b000;
    says.not_ready = came_q.is.syndrome[7:5] == 3'b001;
    says.missing   = came_q.is.syndrome == 8'h60;
    says.refused   = came_q.is.syndrome[7:5] == 3'b011 && !says.missing;
    says.valid     = came_q.valid && (says.ack || says.not_ready || says.missing || says.refused);
    // An ACK names the last packet that is there, all others the first one that is not.
    arrived        = came_q.is.psn - first_q + (says.ack ? 24'd1 : 24'd0);
    says.about     = says.ack ? arrived <= 24'(sent_q) : arrived < 24'(sent_q);
    says.gone      = arrived[3:0];
    says.counts    = came_q.is.syndrome[4:0] != 5'h1F;
    says.credits   = number_of(came_q.is.syndrome[4:0]);
    // In tens of microseconds.
    says.wait_for  = 24'd10 * ((came_q.is.syndrome[4:0] == '0) ? 24'd65536 : 24'(says.credits));
  end

  // What follows.
  logic   heard, news, denied, silent, back, leaves, asks, gives_up, brings, fresh;
  count_t gone, promised, next, reach, left;
  logic   endless;
  always_comb begin
    heard  = says_q.valid && says_q.about && up_q;
    gone   = heard ? count_t'(says_q.gone) : '0;
    news   = gone != '0;
    denied = heard && !says_q.ack;
    // Silence is over with any answer that brings something.
    silent = over_q && runs_q && up_q && !denied && !news;
    back   = silent || (heard && (says_q.missing || says_q.not_ready));
    // Credits: of packets behind those that have arrived, and never less than before.
    reach   = count_t'(says_q.credits) + gone;
    left    = (promised_q > gone) ? promised_q - gone : '0;
    brings  = heard && says_q.ack && !endless_q && (!says_q.counts || reach > promised_q);
    endless = endless_q || (brings && !says_q.counts);
    promised = (brings && says_q.counts) ? count_t'(says_q.credits) : left;
    // The next packet is the one that was, or the oldest one.
    next = (back || next_q < gone) ? '0 : next_q - gone;
    // The last try of one packet: with news it is that of another one.
    gives_up = 1'b0;
    if (back && denied && says_q.not_ready) begin
      gives_up = (news ? 3'd0 : rnr_tried_q) == cfg.rnr_retries && cfg.rnr_retries != 3'd7;
    end else if (back) begin
      gives_up = (news ? 3'd0 : tries_q) == cfg.retries;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The packet that is offered, as it is after the answer of that cycle.

  typedef struct packed {
    logic           valid, asks, fresh, limited;
    logic [23:0]    psn;
    logic [AtW-1:0] at;
  } offer_t;
  offer_t          offer, offer_q;
  logic [AtW-1:0]  next_at;
  logic [7:0]      nth, each;
  assign next_at = at_q + AtW'(next_q);
  assign leaves  = offer_q.valid && send_ready_i;
  assign asks    = leaves && offer_q.asks;
  assign fresh   = leaves && offer_q.fresh;

  always_comb begin
    nth  = number_q + 8'(next_q) + 8'd1;
    each = 8'd1 << cfg.ack_every_log2;
    offer.valid   = up_q && next_q < kept_q && (endless_q || next_q <= promised_q) && !waits_q &&
        !leaves && !denied && !silent && next_q >= gone;
    offer.psn     = first_q + 24'(next_q);
    offer.at      = next_at;
    offer.fresh   = next_q == sent_q;
    // One behind what is promised may leave, too, once.
    offer.limited = !endless && next == promised;
    // It asks for an answer if it ends a message or a round, if it is the last one that is kept,
    // and if it is the last one with room or the one behind.
    offer.asks    = ends_q[next_at] || 32'(next) == Room - 1 ||
        (!endless && next + 18'd1 >= promised) || (nth & (each - 8'd1)) == '0;
  end

  logic all_known;   // whether each that is kept ends a message
  always_comb begin
    all_known = 1'b1;
    for (int unsigned n = 0; n < Room; n++) begin
      if (n < 32'(kept_q) && !ends_known_q[at_q+AtW'(n)]) all_known = 1'b0;
    end
  end

  logic opened_q;    // in the cycle before
  initial {begun_q, known_q, came_q, says_q, offer_q, up_q, wait_known_q, deadline_known_q,
           ends_known_q, opened_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    cfg_q   <= cfg;
    came_q  <= '{valid: answers, is: answer_i};
    says_q  <= says;
    offer_q <= offer;

    kept_q   <= kept_q + count_t'(post) - gone;
    sent_q   <= sent_q + count_t'(fresh) - gone;
    // One that leaves as packets behind it are acknowledged is none of those that are kept.
    next_q   <= next + count_t'(leaves && !back && next_q >= gone);
    first_q  <= first_q + 24'(gone);
    number_q <= number_q + 8'(gone);
    at_q     <= at_q + AtW'(gone);
    if (post) {ends_q[place], ends_known_q[place]} <= {post_last_i, 1'b1};
    {promised_q, endless_q} <= {promised, endless};

    // The time-out runs while a packet that asked is under way, from then on or since news.
    asked_q <= (asked_q > gone) ? asked_q - gone : '0;
    if (asks) asked_q <= (next_q >= gone) ? next + 18'd1 : '0;
    if (news) runs_q <= asks ? next_q >= gone : asked_q > gone;
    else if (asks) runs_q <= 1'b1;
    if (!back && (news || (asks && !runs_q))) begin
      deadline_q       <= time_i + 32'd1 + 32'(cfg.timeout);
      deadline_known_q <= 1'b1;
    end
    if (back) {asked_q, runs_q} <= '0;
    over_q <= runs_q && !back && !news && 32'(time_i - deadline_q) < 32'h8000_0000;

    // Times are counted round, as they are.
    if (wait_known_q && 32'(time_i - wait_until_q) < 32'h8000_0000) waits_q <= 1'b0;
    if (denied && says_q.not_ready) begin
      waits_q      <= 1'b1;
      wait_known_q <= 1'b1;
      wait_until_q <= time_i + 32'd1 + 32'(says_q.wait_for);
    end

    rnr_tried_q <= rnr_tries_q;
    opened_q <= open_i;
    if (news) {tries_q, rnr_tries_q} <= '0;
    if (back && !gives_up) begin
      if (denied && says_q.not_ready) rnr_tries_q <= (news ? 3'd0 : rnr_tries_q) + 3'd1;
      else tries_q <= (news ? 3'd0 : tries_q) + 3'd1;
    end
    if (heard && says_q.refused) {up_q, fault_q} <= {1'b0, RcRefused};
    if (gives_up) begin
      up_q    <= 1'b0;
      fault_q <= (denied && says_q.not_ready) ? RcNeverReady : RcUnanswered;
    end

    if (open_i) begin
      {known_q, up_q} <= 2'b11;
      {number_q, at_q, kept_q, sent_q, next_q, promised_q, endless_q, asked_q, tries_q,
       rnr_tries_q, runs_q, over_q, waits_q, ends_known_q} <= '0;
      first_q <= cfg.psn;
      fault_q <= RcGood;
    end
    if (!rst_n || close_i) begin
      {up_q, kept_q} <= '0;
      fault_q        <= RcGood;
    end
    if (!rst_n || open_i || close_i) begin
      {came_q.valid, says_q.valid, offer_q.valid} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // In front of the first cycle there is nothing (helps the proof).
    a_none : assert (begun_q || {known_q, came_q.valid, says_q.valid, offer_q.valid, up_q,
                                 wait_known_q, deadline_known_q, opened_q} == '0)
    else $error("up %b", up_q);
    // And in front of the first connection, nothing of one (helps the proof).
    a_before : assert (!begun_q || known_q ||
                       {u_dut.good_q, up_q, offer_q.valid, wait_known_q, deadline_known_q} == '0)
    else $error("up %b", up_q);
    if (begun_q && known_q) begin
      // There is room for one packet more, or two; and where it goes.
      a_room : assert (room == (up_q && 32'(kept_q) < Room) &&
                       more == (up_q && 32'(kept_q) + 2 <= Room) &&
                       (!room || place == at_q + AtW'(kept_q)))
      else $error("%0d kept", kept_q);
      // All is acknowledged if nothing is kept.
      a_idle : assert (idle == (kept_q == '0))
      else $error("idle %b", idle);
      // What ends a connection: one packet that is tried as often as it may be, or is refused.
      a_fault : assert (fault == fault_q)
      else $error("fault %0d", fault);
      // The next packet is offered a cycle later, if it has room promised or is the one behind, and
      // nothing has changed meanwhile.
      a_offers : assert (valid == offer_q.valid)
      else $error("valid %b", valid);
      // With its PSN, of its place.
      a_which : assert (!valid || (psn == offer_q.psn && at == offer_q.at))
      else $error("PSN %h", psn);
      a_asks : assert (!valid || ask == offer_q.asks)
      else $error("asks %b", ask);
      // Counters hear of what leaves, and how,
      a_sent : assert (events.sent == leaves && events.repeated == (leaves && !offer_q.fresh) &&
                       events.limited == (fresh && offer_q.limited))
      else $error("events %b", events);
      // and of answers that count, and of silence.
      a_heard : assert (events.acknowledged == (brings || (news && says_q.ack)) &&
                        events.sequence_nak == (heard && says_q.missing) &&
                        events.rnr_nak == (heard && says_q.not_ready) && events.timeout == silent)
      else $error("events %b", events);

      // These help the proof: all that is counted.
      a_counts : assert (next_q <= sent_q && sent_q <= kept_q + (up_q ? '0 : sent_q) &&
          32'(kept_q) <= Room && 32'(sent_q) <= Room && asked_q <= sent_q &&
          (!up_q || (count_t'(u_dut.posted_q) == kept_q)) && count_t'(u_dut.most_q) == sent_q &&
          count_t'(u_dut.next_q) == next_q && count_t'(u_dut.asked_q) == asked_q &&
          count_t'(u_dut.limit_q) == promised_q && promised_q <= 18'h1_0000 &&
          u_dut.endless_q == endless_q)
      else $error("%0d, %0d, %0d", next_q, sent_q, kept_q);
      a_places : assert (u_dut.oldest_q == first_q && u_dut.former_q == first_q - 24'd1 &&
          u_dut.number_q == number_q && u_dut.oldest_at_q == at_q && u_dut.next_at_q == next_at &&
          (!up_q || u_dut.place_q == at_q + AtW'(kept_q)) &&
          ((u_dut.last_q ^ ends_q) & ends_known_q) == '0 && (!up_q || all_known))
      else $error("PSN %h", first_q);
      a_times : assert (u_dut.running_q == runs_q && u_dut.due_q == over_q &&
          u_dut.wait_q == waits_q && (!waits_q || wait_known_q) && (!runs_q || deadline_known_q) &&
          (!wait_known_q || u_dut.wait_until_q == wait_until_q) &&
          (!deadline_known_q || u_dut.deadline_q == deadline_q))
      else $error("runs %b", runs_q);
      a_tries : assert (u_dut.tries_q == tries_q && u_dut.rnr_tries_q == rnr_tries_q &&
          u_dut.good_q == up_q && (opened_q ||
          ((!up_q || u_dut.tried_q == (tries_q == cfg_q.retries)) &&
           u_dut.rnr_tried_q == (rnr_tried_q == cfg_q.rnr_retries && cfg_q.rnr_retries != '1))))
      else $error("%0d tries", tries_q);
      a_answer : assert (u_dut.answer_q == came_q.valid && (!came_q.valid ||
          (u_dut.said_q == came_q.is && u_dut.said_ack_q == (came_q.is.syndrome[7:5] == '0))))
      else $error("answer %b", came_q.valid);
      a_says : assert (u_dut.named_q.valid == says_q.valid && !(came_q.valid && says_q.valid) &&
          (!says_q.valid || (says_q.about == (u_dut.named_q.close && u_dut.named_q.sent) &&
          {u_dut.named_q.ack, u_dut.named_q.sequence_nak, u_dut.named_q.rnr,
           u_dut.named_q.refused, u_dut.named_q.counts, u_dut.named_q.credits,
           u_dut.named_q.rnr_wait} == {says_q.ack, says_q.missing, says_q.not_ready,
           says_q.refused, says_q.counts, says_q.credits, says_q.wait_for} &&
          (!says_q.about || (count_t'(u_dut.named_q.gone) == count_t'(says_q.gone) &&
           count_t'(says_q.gone) <= sent_q && (says_q.ack || count_t'(says_q.gone) < sent_q) &&
           u_dut.named_q.some == (says_q.gone != '0) &&
           count_t'(u_dut.named_q.reach) ==
           count_t'(says_q.credits) + count_t'(says_q.gone))))))
      else $error("gone %0d", says_q.gone);
      a_offer : assert (!offer_q.valid || (u_dut.offer_q.fresh == offer_q.fresh &&
          u_dut.offer_q.limited == offer_q.limited && next_q < kept_q &&
          offer_q.fresh == (next_q == sent_q)))
      else $error("fresh %b", offer_q.fresh);

      // A NAK takes the second packet back to the first; an ACK packet brings credits.
      c_back : cover (heard && says_q.missing && next_q == 18'd2);
      c_credits : cover (leaves && promised_q == 18'd6 && next_q == 18'd1);
    end
  end

endmodule
