// The sending half of an RC connection that the device ends (SHARP 3.1; InfiniBand 9.7): decides
// which packet leaves next and when. The packets themselves stay in a buffer of its owner, which
// asks for room, puts one in and says so (`post_i`), and finds it again by its place (`send_o.at`).
//
// Go-back-N: packets stay until they are acknowledged; a NAK, a "not ready" or silence takes the
// next one back to the oldest, so often and no more. Credits are packets: an ACK of PSN p with n of
// them says that packets up to p + n have room, and what was once promised stays so. One packet may
// leave without a credit, the *limited* one, and no second one until that is answered. A connection
// begins without credits.
//
// An answer counts if it names the packet before the oldest one, or one that was sent when it came;
// it is applied two cycles after it came, and the next may come in the second cycle behind it.
// Times are counted in microseconds from the next one on, so that no wait is shorter than it says.
// `send_valid_o` does not wait for `send_ready_i`; a packet that is offered may be taken back while
// it is not taken.
//
// What is long is worked out a cycle ahead, by the same rules, and stands in registers:
// - The packet that may leave, with its PSN and whether it asks for an ACK. If it leaves or goes
// back
//   in the cycle meanwhile, the next one is not offered, but looked at anew: a packet follows
//   another one in the second cycle behind it. Posts change nothing, they are behind it; what an
//   ACK changes is looked at with it.
// - Which packets an answer acknowledges, against the oldest one and those that were sent. The
// answer
//   before it has been applied by then; a packet that leaves meanwhile was not sent when it came.
module rc_request
  import rc_pkg::*;
#(
  /// Packets that are kept, a power of two.
  parameter int unsigned Room = 64,
  localparam int unsigned AtW = $clog2(Room)
) (
  input logic clk_i,
  input logic rst_ni,

  // The connection begins, with nothing kept; `cfg_i` stands as long as it lasts. `close_i`: it is
  // no more. Both may come at any time.
  input logic            open_i,
  input logic            close_i,
  input rc_request_cfg_t cfg_i,
  input logic [31:0]     time_i,        // microseconds, of a clock that all share

  // A packet was put into the buffer, at `place_o`; only where there is room.
  input  logic           post_i,
  input  logic           post_last_i,   // the last packet of its message
  output logic           room_o,        // for a packet
  output logic           more_o,        // for two
  output logic [AtW-1:0] place_o,

  // A packet may leave.
  output logic            send_valid_o,
  input  logic            send_ready_i,
  output logic [PsnW-1:0] send_psn_o,
  output logic [AtW-1:0]  send_at_o,
  output logic            send_ack_request_o,

  // An ACK packet of this connection came in.
  input logic       answer_valid_i,
  input rc_answer_t answer_i,

  output logic               idle_o,    // all that was posted is acknowledged
  output rc_fault_e          fault_o,   // once there is one nothing is sent any more
  output rc_request_events_t events_o
);

  if (Room < 2 || Room > 4096 || 2 ** AtW != Room) begin : gen_check_room
    $fatal(1, "%m: Room must be a power of two, 2 to 4096");
  end

  localparam int unsigned CountW = AtW + 1;   // 0 to Room

  // Packets are counted from the oldest one that is kept: next <= most <= posted <= Room.
  logic [PsnW-1:0]   oldest_q;           // its PSN
  logic [PsnW-1:0]   former_q;           // the one before it
  logic [7:0]        number_q;           // how many of the connection there were before it
  logic [AtW-1:0]    oldest_at_q;        // and its place
  logic [AtW-1:0]    next_at_q;          // the place of the next one that is sent,
  logic [AtW-1:0]    place_q;            // and that is posted
  logic [CountW-1:0] next_q;             // to be sent next
  logic [CountW-1:0] most_q;             // never sent yet: from here on
  logic [CountW-1:0] posted_q;
  logic [Room-1:0]   last_q;             // by place: the last one of its message
  logic [CreditW:0]  limit_q;            // the first one that has no room promised
  logic              endless_q;          // the other end counts no credits
  logic [2:0]        tries_q, rnr_tries_q;
  logic              wait_q;             // after "not ready"
  logic [31:0]       wait_until_q;
  logic [CountW-1:0] asked_q;            // the last one that asked for an ACK is before it
  logic              running_q;          // the time-out
  logic [31:0]       deadline_q;
  rc_fault_e         fault_q;
  logic              good_q;             // open, and without a fault

  assign room_o  = good_q && !posted_q[AtW];
  assign more_o  = good_q && !posted_q[AtW] && posted_q[AtW-1:0] != '1;
  assign place_o = place_q;
  assign idle_o  = posted_q == '0;
  assign fault_o = fault_q;

  // ---------------------------------------------------------------------------------------------
  // Sending: what is offered in the next cycle, if nothing changes that it depends on.

  typedef struct packed {
    logic            valid;
    logic [PsnW-1:0] psn;
    logic [AtW-1:0]  at;
    logic            ack_request;
    logic            fresh;     // for the first time
    logic            limited;   // it is the limited packet
  } offer_t;

  offer_t            offer, offer_q;
  logic              sends, moves, has_credit, at_limit, limited, at_room;
  logic [CreditW:0]  behind_next;
  logic [7:0]        number, round;
  logic              brings, brings_less, brings_it, heard, news;   // an answer: see below

  assign behind_next = (CreditW + 1)'(next_q) + 1'b1;
  assign has_credit  = endless_q || (CreditW + 1)'(next_q) <= limit_q;
  // The last one that has room promised, or the one behind; by the answer that is applied now, too.
  assign at_limit    = !endless_q && behind_next >= limit_q && !(brings && !brings_less);
  assign limited     = !endless_q && (CreditW + 1)'(next_q) == limit_q && (!brings || brings_it);
  assign at_room     = next_q == CountW'(Room - 1) && !news;
  // A round of 2**ack_every_log2 packets ends with this one.
  assign number      = number_q + 8'(next_q);
  assign round       = ~(8'hFF << cfg_i.ack_every_log2);

  always_comb begin
    offer.psn         = oldest_q + PsnW'(next_q);
    offer.at          = next_at_q;
    offer.valid       = good_q && next_q < posted_q && has_credit && !wait_q;
    offer.ack_request = last_q[next_at_q] || at_room || at_limit || (number & round) == round;
    offer.fresh       = next_q == most_q;
    offer.limited     = limited;
  end

  assign send_valid_o       = offer_q.valid;
  assign send_psn_o         = offer_q.psn;
  assign send_at_o          = offer_q.at;
  assign send_ack_request_o = offer_q.ack_request;
  assign sends              = offer_q.valid && send_ready_i;

  always_ff @(posedge clk_i) begin
    offer_q       <= offer;
    offer_q.valid <= offer.valid && !sends && !moves;
    if (!rst_ni || open_i || close_i) offer_q.valid <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Answers. First step: which packets it is about, counted from the oldest one. Second step: what
  // follows.

  typedef struct packed {
    logic               valid;     // an answer, of a kind that counts,
    logic               close;     // and it names one of the packets around,
    logic               sent;      // one that was sent
    logic               ack, sequence_nak, rnr, refused;   // one of these, if it counts
    logic [CountW-1:0]  gone;      // so many packets have arrived
    logic               some;      // one or more
    logic               counts;    // credits
    logic [CreditW-1:0] credits;
    logic [CreditW:0]   reach;     // the first packet without room by this, from the oldest of now
    logic [WaitW-1:0]   rnr_wait;
  } named_t;

  logic            answer_q, said_ack_q;
  rc_answer_t      said_q;
  logic [PsnW-1:0] behind;         // packets that have arrived, from the oldest one on
  logic            known;
  named_t          named_q;

  // An ACK packet names the last one that has arrived, another one the first that has not.
  assign behind = said_q.psn - (said_ack_q ? former_q : oldest_q);
  assign known  = said_ack_q || said_q.syndrome[7:5] == SyndromeSequence[7:5] ||
      said_q.syndrome[7:5] == SyndromeRnr[7:5];

  always_ff @(posedge clk_i) begin
    answer_q             <= answer_valid_i;
    said_q               <= answer_i;
    said_ack_q           <= answer_i.syndrome[7:5] == 3'b000;
    named_q.valid        <= answer_q && known;
    named_q.close        <= behind[PsnW-1:CountW] == '0;
    // As many as were sent, and of a NAK one less.
    named_q.sent         <= {behind[CountW-1:0], !said_ack_q} < {most_q, 1'b1};
    named_q.ack          <= said_ack_q;
    named_q.gone         <= behind[CountW-1:0];
    named_q.some         <= behind[CountW-1:0] != '0;
    named_q.counts       <= said_q.syndrome[4:0] != SyndromeAck[4:0];
    named_q.credits      <= credits_of(said_q.syndrome[4:0]);
    named_q.reach        <= (CreditW + 1)'(credits_of(said_q.syndrome[4:0])) +
        (CreditW + 1)'(behind[CountW-1:0]);
    named_q.sequence_nak <= said_q.syndrome == SyndromeSequence;
    named_q.rnr          <= said_q.syndrome[7:5] == SyndromeRnr[7:5];
    named_q.rnr_wait     <= rnr_wait_of(said_q.syndrome[4:0]);
    named_q.refused      <= said_q.syndrome[7:5] == SyndromeSequence[7:5] &&
        said_q.syndrome != SyndromeSequence;
    if (!rst_ni || open_i || close_i) begin
      answer_q      <= 1'b0;
      named_q.valid <= 1'b0;
    end
  end

  logic              nak, goes_back, backs_rnr, gives_up, timeout, due_q;
  logic [CountW-1:0] gone;          // so many packets have arrived
  logic [31:0]       later, back_from;

  assign heard     = named_q.valid && named_q.close && named_q.sent && good_q;
  assign nak       = heard && !named_q.ack;
  assign news      = heard && named_q.some;
  assign gone      = heard ? named_q.gone : '0;
  assign later     = time_i + 32'd1;

  // An answer that changes the deadline comes before a time-out.
  assign timeout   = due_q && running_q && good_q && !nak && !news;
  assign backs_rnr = nak && named_q.rnr;
  assign goes_back = timeout || (nak && !named_q.refused);
  assign moves     = timeout || nak || (heard && next_q < named_q.gone);
  assign back_from = later + 32'(named_q.rnr_wait);
  // Tries of the packet that is the oldest now: those of another one do not count. Whether the next
  // one would be one too many is worked out with the one before: a NAK may come right behind a
  // time-out. Two that are "not ready" are two cycles apart.
  logic [2:0] tries, rnr_tries;
  logic       tried_q, rnr_tried_q;
  assign tries     = news ? '0 : tries_q;
  assign rnr_tries = news ? '0 : rnr_tries_q;
  assign gives_up  = goes_back && (backs_rnr ? (news ? cfg_i.rnr_retries == '0 : rnr_tried_q)
                                             : (news ? cfg_i.retries == '0 : tried_q));

  // Counts from the packet that is the oldest then, without the one that leaves now, and with it.
  // An ACK that is late for a go-back is about packets behind the next one.
  logic [CountW-1:0] next_kept, next_after, asked_kept;
  assign next_kept  = (next_q > gone) ? next_q - gone : '0;
  assign next_after = (next_q >= gone) ? next_q - gone + 1'b1 : '0;
  assign asked_kept = (asked_q > gone) ? asked_q - gone : '0;

  // What the answer says of the next packet: that it is not among those with room, nor the last
  // one.
  assign brings      = heard && named_q.ack;
  assign brings_less = named_q.counts && behind_next >= named_q.reach;
  assign brings_it   = named_q.counts && (CreditW + 1)'(next_q) >= named_q.reach;

  // Room that was promised before is never less; `reach` is more than it if an ACK brings credits.
  logic [CreditW:0] limit_left;
  logic             more;   // credits than were promised before
  assign limit_left = (limit_q > (CreditW + 1)'(gone)) ? limit_q - (CreditW + 1)'(gone) : '0;
  assign more       = heard && named_q.ack && !endless_q &&
      (!named_q.counts || named_q.reach > limit_q);

  always_ff @(posedge clk_i) begin
    posted_q    <= posted_q + CountW'(post_i) - gone;
    most_q      <= most_q + CountW'(sends && offer_q.fresh) - gone;
    next_q      <= goes_back ? '0 : sends ? next_after : next_kept;
    oldest_q    <= oldest_q + PsnW'(gone);
    former_q    <= former_q + PsnW'(gone);
    number_q    <= number_q + 8'(gone);
    oldest_at_q <= oldest_at_q + gone[AtW-1:0];
    next_at_q   <= (goes_back || next_q < gone) ? oldest_at_q + gone[AtW-1:0]
                                                : next_at_q + AtW'(sends);
    place_q     <= place_q + AtW'(post_i);
    if (post_i) last_q[place_q] <= post_last_i;

    limit_q <= (more && named_q.counts) ? (CreditW + 1)'(named_q.credits) : limit_left;
    if (more && !named_q.counts) endless_q <= 1'b1;

    // Time-out: while a packet that asked is under way, since it is, or since the last news.
    asked_q <= goes_back ? '0 : (sends && offer_q.ack_request) ? next_after : asked_kept;
    if (goes_back) begin
      running_q  <= 1'b0;
    end else if (news) begin
      running_q  <= (sends && offer_q.ack_request) ? next_q >= gone : asked_q > gone;
      deadline_q <= later + 32'(cfg_i.timeout);
    end else if (sends && offer_q.ack_request && !running_q) begin
      running_q  <= 1'b1;
      deadline_q <= later + 32'(cfg_i.timeout);
    end
    due_q <= running_q && !goes_back && !news && $signed(time_i - deadline_q) >= 0;

    if (backs_rnr) begin
      wait_q       <= 1'b1;
      wait_until_q <= back_from;
    end else if ($signed(time_i - wait_until_q) >= 0) begin
      wait_q <= 1'b0;
    end

    tried_q     <= (goes_back && !backs_rnr) ? tries + 3'd1 == cfg_i.retries
                                             : tries == cfg_i.retries;
    rnr_tried_q <= rnr_tries_q == cfg_i.rnr_retries && cfg_i.rnr_retries != '1;
    tries_q     <= tries + 3'(goes_back && !backs_rnr && !gives_up);
    rnr_tries_q <= rnr_tries + 3'(backs_rnr && !gives_up);
    if (gives_up) fault_q <= backs_rnr ? RcNeverReady : RcUnanswered;
    else if (nak && named_q.refused) fault_q <= RcRefused;
    if (gives_up || (nak && named_q.refused)) good_q <= 1'b0;

    if (open_i) begin
      good_q      <= 1'b1;
      oldest_q    <= cfg_i.psn;
      former_q    <= cfg_i.psn - 1'b1;
      number_q    <= '0;
      oldest_at_q <= '0;
      next_at_q   <= '0;
      place_q     <= '0;
      posted_q    <= '0;
      most_q      <= '0;
      next_q      <= '0;
      limit_q     <= '0;
      endless_q   <= 1'b0;
      tries_q     <= '0;
      rnr_tries_q <= '0;
      wait_q      <= 1'b0;
      asked_q     <= '0;
      running_q   <= 1'b0;
      due_q       <= 1'b0;
      fault_q     <= RcGood;
    end
    if (!rst_ni || close_i) begin
      good_q   <= 1'b0;
      posted_q <= '0;
      fault_q  <= RcGood;
    end
  end

  assign events_o = '{
    sent: sends, repeated: sends && !offer_q.fresh,
    limited: sends && offer_q.fresh && offer_q.limited,
    acknowledged: more || (news && named_q.ack),
    sequence_nak: heard && named_q.sequence_nak,
    rnr_nak: backs_rnr, timeout: timeout};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Its owner puts a packet only where there is room, and not while the connection begins or
      // ends.
      a_room : assert (!post_i || (room_o && !open_i && !close_i))
      else $error("%m: a packet without room");
      // Answers come in every second cycle at most.
      a_spacing : assert (!(answer_q && answer_valid_i))
      else $error("%m: two answers in a row");
    end
  end

endmodule
