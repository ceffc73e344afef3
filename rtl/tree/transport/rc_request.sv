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
// An answer counts if it names the packet before the oldest one or one that was sent; it is applied
// two cycles after it came, and the next may come in the second cycle behind it. Times are counted
// in microseconds from the next one on, so that no wait is shorter than it says. `send_valid_o` does
// not wait for `send_ready_i`; a packet that is offered may be taken back while it is not taken.
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
  input  logic           post_last_i,   // of its message
  output logic           room_o,
  output logic           more_o,        // there is, for another one besides it
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
  logic              open_q;
  logic [PsnW-1:0]   oldest_q;           // its PSN
  logic [AtW-1:0]    oldest_at_q;        // and its place
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

  // ---------------------------------------------------------------------------------------------
  // Sending.

  logic sends, has_credit, at_limit;

  assign has_credit       = endless_q || (CreditW + 1)'(next_q) <= limit_q;
  assign at_limit     = !endless_q && (CreditW + 1)'(next_q) + 1'b1 >= limit_q;
  assign send_valid_o = open_q && fault_q == RcGood && next_q < posted_q && has_credit && !wait_q;
  assign send_psn_o   = oldest_q + PsnW'(next_q);
  assign send_at_o    = oldest_at_q + next_q[AtW-1:0];
  assign sends        = send_valid_o && send_ready_i;
  assign room_o       = open_q && fault_q == RcGood && posted_q != CountW'(Room);
  assign more_o       = open_q && fault_q == RcGood && posted_q < CountW'(Room - 1);
  assign place_o      = oldest_at_q + posted_q[AtW-1:0];
  assign idle_o       = posted_q == '0;
  assign fault_o      = fault_q;

  // A round of 2**ack_every_log2 packets ends with this one.
  logic [7:0] number, round;
  assign number = send_psn_o[7:0] - cfg_i.psn[7:0];
  assign round  = ~(8'hFF << cfg_i.ack_every_log2);
  assign send_ack_request_o = last_q[send_at_o] || next_q == CountW'(Room - 1) ||
      at_limit ||
      (number & round) == round;

  // ---------------------------------------------------------------------------------------------
  // Answers. First step: which packet, counted from the oldest one. Second step: what follows.

  typedef struct packed {
    logic              valid;
    logic              close;      // it names the packet before the oldest one, or one behind it
    logic              former;     // the one before
    logic [CountW-1:0] count;      // how many behind the oldest one
    logic              ack, sequence_nak, rnr, refused;
    logic              counts;     // credits
    logic [CreditW-1:0] credits;
    logic [WaitW-1:0]  rnr_wait;
  } named_t;

  logic            answer_q;
  rc_answer_t      said_q;
  logic [PsnW-1:0] distance;
  named_t          named_q;

  assign distance = said_q.psn - oldest_q;

  always_ff @(posedge clk_i) begin
    answer_q             <= answer_valid_i;
    said_q               <= answer_i;
    named_q.valid        <= answer_q;
    named_q.former       <= distance == '1;
    named_q.close        <= distance == '1 || distance < PsnW'(Room);
    named_q.count        <= distance[CountW-1:0];
    named_q.ack          <= said_q.syndrome[7:5] == 3'b000;
    named_q.counts       <= said_q.syndrome[4:0] != SyndromeAck[4:0];
    named_q.credits      <= credits_of(said_q.syndrome[4:0]);
    named_q.sequence_nak <= said_q.syndrome == SyndromeSequence;
    named_q.rnr          <= said_q.syndrome[7:5] == SyndromeRnr[7:5];
    named_q.rnr_wait     <= rnr_wait_of(said_q.syndrome[4:0]);
    named_q.refused      <= said_q.syndrome[7:5] == SyndromeSequence[7:5] &&
        said_q.syndrome != SyndromeSequence;
    if (!rst_ni || open_i) begin
      answer_q      <= 1'b0;
      named_q.valid <= 1'b0;
    end
  end

  logic              heard, nak, goes_back, backs_rnr, gives_up, timeout, due_q;
  logic [CountW-1:0] gone;          // so many packets have arrived
  logic [CountW-1:0] next_sent, most_sent, asked_sent;
  logic [31:0]       later, back_from;

  assign heard = named_q.valid && open_q && fault_q == RcGood && named_q.close &&
      (named_q.ack ? (named_q.former || named_q.count < most_q)
                   : (!named_q.former && named_q.count < most_q));
  assign nak   = heard && (named_q.sequence_nak || named_q.rnr || named_q.refused);
  assign gone  = (!heard || (named_q.ack ? named_q.former : !nak)) ? '0
               : named_q.ack ? named_q.count + 1'b1 : named_q.count;

  assign next_sent = next_q + CountW'(sends);
  assign most_sent = (next_sent > most_q) ? next_sent : most_q;
  assign asked_sent = (sends && send_ack_request_o) ? next_sent : asked_q;
  assign later     = time_i + 32'd1;

  // An answer that changes the deadline comes before a time-out.
  assign timeout   = due_q && running_q && open_q && fault_q == RcGood && !nak && gone == '0;
  assign backs_rnr = nak && named_q.rnr;
  assign goes_back = timeout || (nak && !named_q.refused);
  assign back_from = later + (backs_rnr ? 32'(named_q.rnr_wait) : 32'd0);
  // Tries of the packet that is the oldest now: those of another one do not count.
  logic [2:0] tries, rnr_tries;
  assign tries     = (gone == '0) ? tries_q : '0;
  assign rnr_tries = (gone == '0) ? rnr_tries_q : '0;
  assign gives_up  = goes_back && (backs_rnr ? rnr_tries == cfg_i.rnr_retries &&
                                               cfg_i.rnr_retries != '1
                                             : tries == cfg_i.retries);

  logic [CreditW:0] limit_left;
  logic             more;   // credits than were promised before
  assign limit_left = (limit_q > (CreditW + 1)'(gone)) ? limit_q - (CreditW + 1)'(gone) : '0;
  assign more       = heard && named_q.ack && !endless_q &&
      (!named_q.counts || (CreditW + 1)'(named_q.credits) > limit_left);

  always_ff @(posedge clk_i) begin
    posted_q    <= posted_q + CountW'(post_i) - gone;
    most_q      <= most_sent - gone;
    next_q      <= goes_back ? '0 : (next_sent > gone) ? next_sent - gone : '0;
    oldest_q    <= oldest_q + PsnW'(gone);
    oldest_at_q <= oldest_at_q + gone[AtW-1:0];
    if (post_i) last_q[place_o] <= post_last_i;

    limit_q <= limit_left;
    if (more && named_q.counts) limit_q <= (CreditW + 1)'(named_q.credits);
    if (more && !named_q.counts) endless_q <= 1'b1;

    // Time-out: while a packet that asked is under way, since it is, or since the last news.
    asked_q <= goes_back ? '0 : (asked_sent > gone) ? asked_sent - gone : '0;
    if (goes_back) begin
      running_q  <= 1'b0;
    end else if (gone != '0) begin
      running_q  <= asked_sent > gone;
      deadline_q <= later + 32'(cfg_i.timeout);
    end else if (sends && send_ack_request_o && !running_q) begin
      running_q  <= 1'b1;
      deadline_q <= later + 32'(cfg_i.timeout);
    end
    due_q <= running_q && !goes_back && gone == '0 && $signed(time_i - deadline_q) >= 0;

    if (backs_rnr) begin
      wait_q       <= 1'b1;
      wait_until_q <= back_from;
    end else if ($signed(time_i - wait_until_q) >= 0) begin
      wait_q <= 1'b0;
    end

    tries_q     <= tries + 3'(goes_back && !backs_rnr && !gives_up);
    rnr_tries_q <= rnr_tries + 3'(backs_rnr && !gives_up);
    if (gives_up) fault_q <= backs_rnr ? RcNeverReady : RcUnanswered;
    else if (nak && named_q.refused) fault_q <= RcRefused;

    if (open_i) begin
      open_q      <= 1'b1;
      oldest_q    <= cfg_i.psn;
      oldest_at_q <= '0;
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
      open_q   <= 1'b0;
      posted_q <= '0;
      fault_q  <= RcGood;
    end
  end

  assign events_o = '{
    sent: sends, repeated: sends && next_q != most_q,
    limited: sends && next_q == most_q && !endless_q && (CreditW + 1)'(next_q) == limit_q,
    acknowledged: more || (heard && named_q.ack && gone != '0),
    sequence_nak: heard && named_q.sequence_nak,
    rnr_nak: backs_rnr, timeout: timeout};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Its owner puts a packet only where there is room, and not while the connection begins or ends.
      a_room : assert (!post_i || (room_o && !open_i && !close_i))
      else $error("%m: a packet without room");
      // Answers come in every second cycle at most.
      a_spacing : assert (!(answer_q && answer_valid_i))
      else $error("%m: two answers in a row");
    end
  end

endmodule
