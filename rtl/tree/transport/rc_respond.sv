// The receiving half of an RC connection that the device ends (SHARP 3.1; InfiniBand 9.7): decides
// what becomes of a data packet, and which ACK packet leaves when. Packets that it takes stay in a
// buffer of its owner, which says when one is gone (`gone_i`).
//
// Packets are taken in the order of their PSNs, each once, as long as there is room; what is missing
// is asked for once (NAK 0x60), and what finds no room hears "not ready". ACKs are cumulative and
// tell the room there is as credits; one leaves when it was asked for, so many cycles later, or
// after so many packets, or when room has come back for a requester that may have run out of credits.
//
// A packet's fate comes two cycles after it; the next one may come in the second cycle behind it.
// `ack_valid_o` does not wait for `ack_ready_i`; what is offered may change while it is not taken.
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
  logic [CreditW:0]  promised_q;     // packets to come that have room promised
  logic              inside_q;       // of a message
  logic              write_q;        // it is a WRITE
  logic              complained_q;   // the gap, or the lack of room, has been told
  logic              nak_q;          // a NAK is due
  logic [7:0]        syndrome_q;     // its
  logic              ack_q;          // an ACK is due
  logic              asked_q;        // one will be, in so many cycles
  logic [9:0]        delay_q;
  logic [7:0]        unacked_q;      // packets since the last ACK packet

  // ---------------------------------------------------------------------------------------------
  // A packet. First step: what it is. Second step: what becomes of it.

  typedef struct packed {
    logic valid;
    logic next;         // its PSN is the one expected
    logic older;
    logic starts, finishes, write;
    logic impossible;
    logic ack_request;
  } packet_t;

  logic            came_q;
  rc_data_t        data_q;
  logic [PsnW-1:0] ahead;
  packet_t         packet_q;
  logic            starts, finishes, write;

  assign ahead    = data_q.psn - expected_q;
  assign starts   = begins(data_q.opcode);
  assign finishes = ends(data_q.opcode);
  assign write    = writes(data_q.opcode);

  always_ff @(posedge clk_i) begin
    came_q               <= data_valid_i;
    data_q               <= data_i;
    packet_q.valid       <= came_q;
    packet_q.next        <= ahead == '0;
    packet_q.older       <= ahead[PsnW-1];
    packet_q.starts      <= starts;
    packet_q.finishes    <= finishes;
    packet_q.write       <= write;
    packet_q.ack_request <= data_q.ack_request;
    // Not what can follow, or of a length that it cannot have.
    packet_q.impossible  <= data_q.length_bad || starts == inside_q ||
        (!starts && write != write_q) ||
        data_q.opcode == OpSendLastInv || data_q.opcode == OpSendOnlyInv ||
        data_q.len > cfg_i.mtu || (!finishes && data_q.len != cfg_i.mtu) ||
        (finishes && !starts && data_q.len == '0);
    if (!rst_ni || open_i) begin
      came_q         <= 1'b0;
      packet_q.valid <= 1'b0;
    end
  end

  logic full, takes, ack_leaves, nak_leaves;

  assign full         = waiting_q == CountW'(Room);
  assign fate_valid_o = packet_q.valid;
  always_comb begin
    if (!open_q || fault_q) fate_o = RcClosed;
    else if (packet_q.next) fate_o = packet_q.impossible ? RcInvalid : full ? RcNoRoom : RcTaken;
    else fate_o = packet_q.older ? RcDuplicate : RcGap;
  end
  assign takes = fate_valid_o && fate_o == RcTaken;

  // ---------------------------------------------------------------------------------------------
  // ACK packets.

  logic [CountW-1:0] room;
  logic [4:0]        code;     // the largest that says no more than that

  assign room = CountW'(Room) - waiting_q;
  always_comb begin
    code = 5'(room[0]);
    for (int unsigned b = 1; b < CountW; b++) begin
      if (room[b]) code = {4'(b), room[b-1]};
    end
  end

  assign ack_valid_o = open_q && (nak_q || ack_q);
  assign ack_o       = '{psn: expected_q - PsnW'(!nak_q),
                         syndrome: nak_q ? syndrome_q :
                                   cfg_i.no_credits ? SyndromeAck : {3'b000, code},
                         msn: messages_q};
  assign ack_leaves  = ack_valid_o && ack_ready_i && !nak_q;
  assign nak_leaves  = ack_valid_o && ack_ready_i && nak_q;

  // ---------------------------------------------------------------------------------------------
  // What follows: of an ACK packet that leaves, then of a packet that came, then of one that is gone.

  logic [CreditW:0]  promised, promised_next;
  logic [CountW-1:0] waiting_next;
  logic [7:0]        unacked;
  logic              at_once, soon;      // an ACK is due; is asked for
  logic              complains;
  logic              tells_room;

  assign promised      = ack_leaves ? (CreditW + 1)'(credits_of(code)) : promised_q;
  assign promised_next = (takes && promised != '0) ? promised - 1'b1 : promised;
  assign waiting_next  = waiting_q + CountW'(takes) - CountW'(gone_i);
  assign unacked       = (ack_leaves || nak_leaves) ? '0 : unacked_q;
  // Half of the room is free, and of what was promised a quarter of it is left at most.
  assign tells_room    = gone_i && !cfg_i.no_credits &&
      {promised_next, 2'b00} <= (CreditW + 3)'(Room) &&
      {waiting_next, 1'b0} <= (CountW + 1)'(Room);
  assign at_once       = tells_room || (takes && 9'(unacked) + 1'b1 >= 9'(cfg_i.coalesce));
  assign soon          = fate_valid_o && (fate_o == RcDuplicate || (takes && packet_q.ack_request));
  assign complains     = fate_valid_o && (fate_o == RcInvalid || fate_o == RcNoRoom ||
                                          (fate_o == RcGap && !complained_q));

  always_ff @(posedge clk_i) begin
    if (ack_leaves || nak_leaves) begin
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

    unacked_q  <= unacked + 8'(takes);
    promised_q <= promised_next;
    waiting_q  <= waiting_next;
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
      syndrome_q   <= (fate_o == RcInvalid) ? SyndromeInvalid
                    : (fate_o == RcNoRoom) ? SyndromeRnr | 8'(cfg_i.rnr_timer) : SyndromeSequence;
    end
    if (fate_valid_o && fate_o == RcInvalid) fault_q <= 1'b1;

    if (at_once || (soon && cfg_i.ack_delay <= 10'd1)) ack_q <= 1'b1;
    else if (soon && (ack_leaves || nak_leaves || (!asked_q && !ack_q))) begin
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
