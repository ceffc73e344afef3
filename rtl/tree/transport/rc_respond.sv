// The receiving half of an RC connection that the device ends (SHARP 3.1; InfiniBand 9.7): decides
// what becomes of a data packet, and which ACK packet leaves when. Packets that it takes stay in a
// buffer of its owner, which says when one is gone (`gone_i`).
//
// Packets are taken in the order of their PSNs, each once, as long as there is room; what is
// missing is asked for once (NAK 0x60), and what finds no room hears "not ready". ACKs are
// cumulative and tell the room there is as credits; one leaves when it was asked for, so many
// cycles later, or after so many packets, or when room has come back for a requester that may have
// run out of credits.
//
// A packet's fate comes two cycles after it; the next one may come in the second cycle behind it.
// `ack_valid_o` does not wait for `ack_ready_i`; what is offered may change, or be taken back,
// while it is not taken.
//
// What is long is worked out a cycle ahead, by the same rules, and stands in registers:
// - A packet's fate. The one before it has been decided by then, and a place that comes free
//   meanwhile counts.
// - The ACK packet that may leave, with the room that it tells. If anything of that changes in the
//   cycle meanwhile, it is not offered, but made anew.
// - Whether room that has come back is to be told is found a cycle behind it, from what stands
// then.
//   No ACK packet is offered in that cycle, so none that tells of it is in between.
module rc_respond
  import roce_pkg::*;
  import rc_pkg::*;
#(
  /// Packets that may wait in the buffer, 2 to 4096.
  parameter int unsigned Room = 64
) (
  input logic clk_i,
  input logic rst_ni,

  // The connection begins, with nothing in the buffer; `cfg_i` stands as long as it lasts.
  // `close_i`: it is no more. Both may come at any time.
  input logic            open_i,
  input logic            close_i,
  input rc_respond_cfg_t cfg_i,

  // A packet of SEND or WRITE of this connection came in whole, and its ICRC is right.
  input  logic     data_valid_i,
  input  rc_data_t data_i,
  output logic     fate_valid_o,
  output rc_fate_e fate_o,
  input  logic     gone_i,         // a packet that was taken has left the buffer

  // An ACK packet may leave.
  output logic    ack_valid_o,
  input  logic    ack_ready_i,
  output rc_ack_t ack_o,

  output rc_fault_e fault_o        // RcGood or RcImpossible; then nothing is taken any more
);

  if (Room < 2 || Room > 4096) begin : gen_check_room
    $fatal(1, "%m: Room must be 2 to 4096");
  end

  localparam int unsigned CountW = $clog2(Room + 1);

  logic              open_q, fault_q;
  logic [PsnW-1:0]   expected_q;
  logic [23:0]       messages_q;
  logic [CountW-1:0] waiting_q;      // packets in the buffer
  logic [CountW-1:0] promised_q;     // packets to come that have room promised
  logic              inside_q;       // of a message
  logic              write_q;        // it is a WRITE
  logic              complained_q;   // the gap, or the lack of room, has been told
  logic              nak_q;          // a NAK is due
  logic [7:0]        syndrome_q;     // its
  logic              ack_q;          // an ACK is due
  logic              asked_q;        // one will be, in so many cycles
  logic [9:0]        delay_q;
  logic [7:0]        unacked_q;      // packets since the last ACK packet
  logic              gone_q;         // room came back in the cycle before

  // ---------------------------------------------------------------------------------------------
  // A packet. First step: what it is, and what becomes of it. Second step: what follows.

  typedef struct packed {
    logic     valid;
    logic     starts, finishes, write;
    logic     ack_request;
    logic     takes;        // its fate, as it is and one by one; only with `valid`
    logic     twice, gap, no_room, invalid;
    rc_fate_e fate;
  } packet_t;

  logic            came_q;
  rc_data_t        data_q;
  logic [PsnW-1:0] ahead;
  logic            starts, finishes, write, impossible, full;
  packet_t         packet_q;
  rc_fate_e        fate;

  assign ahead    = data_q.psn - expected_q;
  assign starts   = begins(data_q.opcode);
  assign finishes = ends(data_q.opcode);
  assign write    = writes(data_q.opcode);
  // Not what can follow, or of a length that it cannot have.
  assign impossible = data_q.length_bad || starts == inside_q || (!starts && write != write_q) ||
      data_q.opcode == OpSendLastInv || data_q.opcode == OpSendOnlyInv ||
      data_q.len > cfg_i.mtu || (!finishes && data_q.len != cfg_i.mtu) ||
      (finishes && !starts && data_q.len == '0);
  // Of the cycle behind this one; no packet is taken in between.
  assign full     = waiting_q == CountW'(Room) && !gone_i;

  always_comb begin
    if (!open_q || fault_q || close_i) fate = RcClosed;
    else if (ahead == '0) fate = impossible ? RcInvalid : full ? RcNoRoom : RcTaken;
    else fate = ahead[PsnW-1] ? RcDuplicate : RcGap;
  end

  always_ff @(posedge clk_i) begin
    came_q               <= data_valid_i;
    data_q               <= data_i;
    packet_q.valid       <= came_q;
    packet_q.starts      <= starts;
    packet_q.finishes    <= finishes;
    packet_q.write       <= write;
    packet_q.ack_request <= data_q.ack_request;
    packet_q.fate        <= fate;
    packet_q.takes       <= fate == RcTaken;
    packet_q.twice       <= fate == RcDuplicate;
    packet_q.gap         <= fate == RcGap;
    packet_q.no_room     <= fate == RcNoRoom;
    packet_q.invalid     <= fate == RcInvalid;
    if (!rst_ni || open_i) begin
      came_q         <= 1'b0;
      packet_q.valid <= 1'b0;
    end
  end

  logic takes;
  assign fate_valid_o = packet_q.valid;
  assign fate_o       = packet_q.fate;
  assign takes        = packet_q.valid && packet_q.takes;

  // ---------------------------------------------------------------------------------------------
  // ACK packets: what is offered in the next cycle, if nothing changes that it depends on.

  typedef struct packed {
    logic              valid;
    logic              nak;
    rc_ack_t           ack;
    logic [CountW-1:0] credits;   // that it tells
    logic [CountW-1:0] less;      // one less, but not less than none
  } offer_t;

  offer_t            offer, offer_q;
  logic [CountW-1:0] room;
  logic [4:0]        code;     // the largest that says no more than that
  logic              leaves, ack_leaves, complains;

  assign room = CountW'(Room) - waiting_q;
  always_comb begin
    code = 5'(room[0]);
    for (int unsigned b = 1; b < CountW; b++) begin
      if (room[b]) code = {4'(b), room[b-1]};
    end
  end

  always_comb begin
    offer.valid   = open_q && (nak_q || ack_q);
    offer.nak     = nak_q;
    offer.ack     = '{psn: expected_q - PsnW'(!nak_q),
                      syndrome: nak_q ? syndrome_q :
                                cfg_i.no_credits ? SyndromeAck : {3'b000, code},
                      msn: messages_q};
    // A code says no more than there is room.
    offer.credits = CountW'(credits_of(code));
    offer.less    = (offer.credits != '0) ? offer.credits - 1'b1 : '0;
  end

  always_ff @(posedge clk_i) begin
    offer_q       <= offer;
    offer_q.valid <= offer.valid && !leaves && !takes && !complains && !gone_i;
    if (!rst_ni || open_i || close_i) offer_q.valid <= 1'b0;
  end

  assign ack_valid_o = offer_q.valid;
  assign ack_o       = offer_q.ack;
  assign leaves      = offer_q.valid && ack_ready_i;
  assign ack_leaves  = leaves && !offer_q.nak;

  // ---------------------------------------------------------------------------------------------
  // What follows: of an ACK packet that leaves, then of a packet that came, then of one that is
  // gone.

  logic at_once, soon;      // an ACK is due; is asked for
  logic few, enough_q;      // one packet is enough for an ACK; with the next one there are
  logic tells_room;

  // Half of the room is free, and of what was promised a quarter of it is left at most.
  assign tells_room = gone_q && !cfg_i.no_credits &&
      {promised_q, 2'b00} <= (CountW + 2)'(Room) && {waiting_q, 1'b0} <= (CountW + 1)'(Room);
  assign few        = cfg_i.coalesce <= 8'd1;
  assign at_once    = tells_room || (takes && (leaves ? few : enough_q));
  assign soon       = packet_q.valid &&
      (packet_q.twice || (packet_q.takes && packet_q.ack_request));
  assign complains  = packet_q.valid && (packet_q.invalid || packet_q.no_room ||
                                         (packet_q.gap && !complained_q));

  always_ff @(posedge clk_i) begin
    if (leaves) begin
      nak_q   <= 1'b0;
      ack_q   <= 1'b0;
      asked_q <= 1'b0;
    end else if (asked_q) begin
      delay_q <= delay_q - 1'b1;
      if (delay_q == 10'd1) begin
        ack_q   <= 1'b1;
        asked_q <= 1'b0;
      end
    end

    gone_q     <= gone_i;
    // In the cycle in front of a packet that is taken none is.
    enough_q   <= leaves ? few : 9'(unacked_q) + 1'b1 >= 9'(cfg_i.coalesce);
    unacked_q  <= (leaves ? '0 : unacked_q) + 8'(takes);
    if (ack_leaves) promised_q <= takes ? offer_q.less : offer_q.credits;
    else if (takes && promised_q != '0) promised_q <= promised_q - 1'b1;
    waiting_q  <= waiting_q + CountW'(takes) - CountW'(gone_i);
    if (takes) begin
      expected_q   <= expected_q + 1'b1;
      messages_q   <= messages_q + 24'(packet_q.finishes);
      inside_q     <= !packet_q.finishes;
      if (packet_q.starts) write_q <= packet_q.write;
      // All that a NAK was to ask for begins with this packet.
      complained_q <= 1'b0;
      nak_q        <= 1'b0;
    end
    if (complains) begin
      complained_q <= 1'b1;
      nak_q        <= 1'b1;
      syndrome_q   <= packet_q.invalid ? SyndromeInvalid
                    : packet_q.no_room ? SyndromeRnr | 8'(cfg_i.rnr_timer) : SyndromeSequence;
    end
    if (packet_q.valid && packet_q.invalid) fault_q <= 1'b1;

    if (at_once || (soon && cfg_i.ack_delay <= 10'd1)) ack_q <= 1'b1;
    // One that leaves before, whatever for, is that one too.
    if (soon && (leaves || (!asked_q && !ack_q))) begin
      asked_q <= 1'b1;
      delay_q <= cfg_i.ack_delay - 1'b1;
    end

    if (open_i) begin
      open_q       <= 1'b1;
      fault_q      <= 1'b0;
      expected_q   <= cfg_i.psn;
      messages_q   <= '0;
      waiting_q    <= '0;
      promised_q   <= '0;
      inside_q     <= 1'b0;
      complained_q <= 1'b0;
      nak_q        <= 1'b0;
      ack_q        <= 1'b0;
      asked_q      <= 1'b0;
      unacked_q    <= '0;
      gone_q       <= 1'b0;
    end
    if (!rst_ni || close_i) begin
      open_q  <= 1'b0;
      fault_q <= 1'b0;
    end
  end

  assign fault_o = fault_q ? RcImpossible : RcGood;

  always_ff @(posedge clk_i) begin
    if (rst_ni && open_q && !open_i) begin
      // Packets come in every second cycle at most.
      a_spacing : assert (!(came_q && data_valid_i))
      else $error("%m: two packets in a row");
      // Only what was taken can be gone.
      a_gone : assert (!gone_i || waiting_q != '0 || takes)
      else $error("%m: a packet is gone that was not there");
    end
  end

endmodule
