// rc_respond: what becomes of any data packet, and which ACK packet leaves when (InfiniBand 9.7;
// docs/tree.md), said of all that came since the connection began.
module answer_steps_props
  import roce_pkg::*;
  import rc_pkg::*;
#(
  parameter int unsigned Room = 12,
  localparam int unsigned CountW = $clog2(Room + 1)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_respond_cfg_t cfg_i,
  input logic            data_valid_i,
  input rc_data_t        data_i,
  input logic            gone_i,
  input logic            ack_ready_i,
  input logic [4:0]      code_i   // any credit code
);

  logic            begun_q, rst_n, data_valid, gone, fate_valid, ack_valid;
  rc_respond_cfg_t cfg, cfg_q;
  rc_fate_e        fate;
  rc_ack_t         ack;
  rc_fault_e       fault;

  // ---------------------------------------------------------------------------------------------
  // The connection: it is there, or has a fault; the PSN that is next, and messages so far; packets
  // in the buffer, and those to come that have room promised; the message under way.

  logic              known_q, open_q, broken_q;   // known: a connection has begun
  logic [23:0]       next_q, messages_q;
  logic [CountW-1:0] inside_q, promised_q;
  logic              middle_q, writes_q;

  // A packet: as it came in the cycle before, what becomes of it, and the same a cycle later.
  typedef struct packed {
    logic     valid;
    rc_data_t is;
  } came_t;
  typedef struct packed {
    logic     valid, begins, ends, write, asks;
    rc_fate_e fate;
  } judged_t;
  came_t       now_q;
  judged_t     judged, was_q;
  logic        right, takes;
  logic [23:0] beyond;
  assign takes  = was_q.valid && was_q.fate == RcTaken;
  assign beyond = now_q.is.psn - next_q;

  // The first cycle is one of reset. Packets come every other cycle at most, only one that was
  // taken can be gone, and a connection is set up when it begins.
  assign rst_n      = rst_ni && begun_q;
  assign data_valid = data_valid_i && !now_q.valid;
  assign gone       = gone_i && (inside_q != '0 || takes);
  assign cfg        = open_i ? cfg_i : cfg_q;

  rc_respond #(
    .Room(Room)
  ) u_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .open_i,
    .close_i,
    .cfg_i       (cfg),
    .data_valid_i(data_valid),
    .data_i,
    .fate_valid_o(fate_valid),
    .fate_o      (fate),
    .gone_i      (gone),
    .ack_valid_o (ack_valid),
    .ack_ready_i,
    .ack_o       (ack),
    .fault_o     (fault)
  );

  always_comb begin
    judged        = '0;
    judged.valid  = now_q.valid;
    judged.asks   = now_q.is.ack_request;
    judged.begins = now_q.is.opcode inside {OpSendFirst, OpSendOnly, OpSendOnlyImm, OpSendOnlyInv,
                                            OpWriteFirst, OpWriteOnly, OpWriteOnlyImm};
    judged.ends   = !(now_q.is.opcode inside {OpSendFirst, OpSendMiddle, OpWriteFirst,
                                              OpWriteMiddle});
    judged.write  = now_q.is.opcode inside {OpWriteFirst, OpWriteMiddle, OpWriteLast,
                                            OpWriteLastImm, OpWriteOnly, OpWriteOnlyImm};
    // It may follow: begins a message or goes on with one of its kind, invalidates nothing, and has
    // a length that it can have.
    right = !now_q.is.length_bad && now_q.is.len <= cfg.mtu;
    if (judged.begins == middle_q) right = 1'b0;
    if (!judged.begins && judged.write != writes_q) right = 1'b0;
    if (now_q.is.opcode == OpSendLastInv || now_q.is.opcode == OpSendOnlyInv) right = 1'b0;
    if (!judged.ends && now_q.is.len != cfg.mtu) right = 1'b0;
    if (judged.ends && !judged.begins && now_q.is.len == '0) right = 1'b0;
    // The next one is taken if there is room; others are older or newer, half of all PSNs each.
    if (beyond >= 24'h80_0000) judged.fate = RcDuplicate;
    else if (beyond != '0) judged.fate = RcGap;
    else if (!right) judged.fate = RcInvalid;
    else if (32'(inside_q) == Room && !gone) judged.fate = RcNoRoom;
    else judged.fate = RcTaken;
    if (!open_q || broken_q || close_i) judged.fate = RcClosed;
  end

  // ---------------------------------------------------------------------------------------------
  // Answers: what is due, and what is offered of it a cycle later, if nothing changes meanwhile.

  logic              nak_q, ack_q, told_q, waits_q, room_q;   // told: of the gap; room: came back
  logic [7:0]        why_q, since_q;     // since: packets that were taken since the last answer
  logic [9:0]        left_q;             // cycles until an answer is due
  typedef struct packed {
    logic              valid, nak;
    logic [23:0]       psn, msn;
    logic [7:0]        syndrome;
    logic [CountW-1:0] space;   // that there was
  } offer_t;
  offer_t            offer, offer_q;
  logic              leaves, complains, asked, at_once, half;
  logic [CountW-1:0] tells;     // room that an answer tells of: not all of what there was
  assign leaves = offer_q.valid && ack_ready_i;

  /// Credits of a code: 0, 1, 2, 3, 4, 6, 8, 12 and so on.
  function automatic logic [15:0] credits(logic [4:0] code);
    // Powers of two, and in the middle between two of them one more.
    if (code < 5'd2) credits = 16'(code);
    else credits = (code[0] ? 16'd3 : 16'd2) << (code / 5'd2 - 5'd1);
  endfunction

  always_comb begin
    tells = '0;
    for (int unsigned c = 0; c < 2 * CountW; c++) begin
      if (credits(5'(c)) <= 16'(offer_q.space)) tells = CountW'(credits(5'(c)));
    end
    offer.valid    = open_q && (nak_q || ack_q);
    offer.nak      = nak_q;
    // A NAK names what is missing, an ACK the last one that is here.
    offer.psn      = nak_q ? next_q : next_q - 24'd1;
    offer.msn      = messages_q;
    offer.syndrome = nak_q ? why_q : 8'h1F;
    offer.space    = CountW'(Room) - inside_q;
    // A gap is told of once; what has no room or cannot be, each time.
    complains = was_q.valid && (was_q.fate == RcInvalid || was_q.fate == RcNoRoom ||
                                (was_q.fate == RcGap && !told_q));
    asked     = (takes && was_q.asks) || (was_q.valid && was_q.fate == RcDuplicate);
    // Room is told of when there is much of it, and little that the other end knows of.
    half      = 32'(inside_q) * 2 <= Room && 32'(promised_q) * 4 <= Room;
    at_once   = (takes && 9'(leaves ? 8'd0 : since_q) + 9'd1 >= 9'(cfg.coalesce)) ||
        (room_q && half && !cfg.no_credits);
  end

  logic took_q, opened_q;   // in the cycle before
  initial {begun_q, known_q, now_q, was_q, offer_q, open_q, broken_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    cfg_q    <= cfg;
    now_q    <= '{valid: data_valid, is: data_i};
    was_q    <= judged;
    took_q   <= takes;
    opened_q <= open_i;

    offer_q       <= offer;
    offer_q.valid <= offer.valid && !leaves && !takes && !complains && !gone;

    inside_q <= inside_q + CountW'(takes) - CountW'(gone);
    room_q   <= gone;
    since_q  <= (leaves ? 8'd0 : since_q) + 8'(takes);
    if (leaves && !offer_q.nak) promised_q <= tells - CountW'(takes && tells != '0);
    else if (promised_q != '0) promised_q <= promised_q - CountW'(takes);
    if (takes) begin
      next_q     <= next_q + 24'd1;
      messages_q <= messages_q + 24'(was_q.ends);
      middle_q   <= !was_q.ends;
      if (was_q.begins) writes_q <= was_q.write;
    end

    // A NAK is due until it leaves, or what was missing has come.
    if (takes || leaves) nak_q <= 1'b0;
    if (takes) told_q <= 1'b0;
    if (complains) {nak_q, told_q} <= 2'b11;
    if (complains) begin
      unique case (was_q.fate)
        RcInvalid: why_q <= 8'h61;
        RcNoRoom:  why_q <= {3'b001, cfg.rnr_timer};
        default:   why_q <= 8'h60;
      endcase
    end
    if (was_q.valid && was_q.fate == RcInvalid) broken_q <= 1'b1;

    // An ACK is due at once, or so many cycles after one was asked for; whatever leaves is it.
    if (waits_q) left_q <= left_q - 10'd1;
    if (leaves || (waits_q && left_q == 10'd1)) waits_q <= 1'b0;
    if (asked && (leaves || (!waits_q && !ack_q))) begin
      waits_q <= 1'b1;
      left_q  <= cfg.ack_delay - 10'd1;
    end
    if (leaves) ack_q <= 1'b0;
    else if (waits_q && left_q == 10'd1) ack_q <= 1'b1;
    if (at_once || (asked && cfg.ack_delay <= 10'd1)) ack_q <= 1'b1;

    if (open_i) begin
      {known_q, open_q} <= 2'b11;
      {broken_q, messages_q, inside_q, promised_q, middle_q, told_q, nak_q, ack_q, waits_q,
       since_q, room_q} <= '0;
      next_q <= cfg.psn;
    end
    if (!rst_n || open_i) {now_q.valid, was_q.valid} <= '0;
    if (!rst_n || close_i) {open_q, broken_q} <= '0;
    if (!rst_n || open_i || close_i) offer_q.valid <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // In front of the first cycle there is nothing (helps the proof).
    a_none : assert (begun_q || {known_q, now_q.valid, was_q.valid, offer_q.valid, open_q,
                                 broken_q} == '0)
    else $error("open %b", open_q);
    if (begun_q) begin
      // A packet's fate comes two cycles behind it, if no connection begins meanwhile.
      a_fate : assert (fate_valid == was_q.valid && (!was_q.valid || fate == was_q.fate))
      else $error("fate %0d", fate);
      // A connection that had what cannot be has a fault, and takes nothing any more.
      a_fault : assert (fault == (broken_q ? RcImpossible : RcGood))
      else $error("fault %0d", fault);
      // An answer is offered of what was due in the cycle before, if it is still so.
      a_offers : assert (ack_valid == offer_q.valid)
      else $error("ACK %b", ack_valid);
      // It has the PSN and the messages of that, and says what is missing or that nothing is.
      a_says : assert (!ack_valid || (ack.psn == offer_q.psn && ack.msn == offer_q.msn))
      else $error("PSN %h", ack.psn);
      a_syndrome : assert (!ack_valid || (!offer_q.nak && !cfg_q.no_credits) ||
                           ack.syndrome == offer_q.syndrome)
      else $error("syndrome %h", ack.syndrome);
      // An ACK tells as many credits as a code can say of the room that there was: no more, and no
      // other code is nearer.
      a_credits : assert (!ack_valid || offer_q.nak || cfg_q.no_credits ||
          (ack.syndrome[7:5] == '0 && credits(ack.syndrome[4:0]) <= 16'(offer_q.space) &&
           (code_i <= ack.syndrome[4:0] || credits(code_i) > 16'(offer_q.space))))
      else $error("%0d credits", credits(ack.syndrome[4:0]));

      // These help the proof: the connection as it is.
      a_open : assert (u_dut.open_q == open_q && u_dut.fault_q == broken_q &&
                       (known_q || (!open_q && !ack_valid)) &&
                       u_dut.came_q == now_q.valid && (!now_q.valid || u_dut.data_q == now_q.is))
      else $error("open %b", u_dut.open_q);
      a_counts : assert (!known_q || (u_dut.expected_q == next_q &&
          u_dut.messages_q == messages_q && u_dut.waiting_q == inside_q &&
          u_dut.promised_q == promised_q && 32'(inside_q) <= Room && 32'(promised_q) <= Room &&
          u_dut.inside_q == middle_q && (!middle_q || u_dut.write_q == writes_q)))
      else $error("%0d inside", inside_q);
      a_due : assert (!known_q || ({u_dut.nak_q, u_dut.ack_q, u_dut.complained_q, u_dut.asked_q,
          u_dut.gone_q, u_dut.unacked_q} == {nak_q, ack_q, told_q, waits_q, room_q, since_q} &&
          (!nak_q || u_dut.syndrome_q == why_q) && (!waits_q || u_dut.delay_q == left_q)))
      else $error("ACK %b, NAK %b", ack_q, nak_q);
      a_enough : assert (!known_q || took_q || opened_q ||
                         u_dut.enough_q == (9'(since_q) + 9'd1 >= 9'(cfg_q.coalesce)))
      else $error("%0d packets", since_q);
      a_spaced : assert (!(now_q.valid && was_q.valid) && !(was_q.valid && (took_q || opened_q)))
      else $error("two packets in a row");
      a_judged : assert (!was_q.valid || {u_dut.packet_q.starts, u_dut.packet_q.finishes,
          u_dut.packet_q.write, u_dut.packet_q.ack_request, u_dut.packet_q.takes,
          u_dut.packet_q.twice, u_dut.packet_q.gap, u_dut.packet_q.no_room,
          u_dut.packet_q.invalid} == {was_q.begins, was_q.ends, was_q.write, was_q.asks,
          was_q.fate == RcTaken, was_q.fate == RcDuplicate, was_q.fate == RcGap,
          was_q.fate == RcNoRoom, was_q.fate == RcInvalid})
      else $error("fate %0d", was_q.fate);
      a_offer : assert (!offer_q.valid || (u_dut.offer_q.nak == offer_q.nak &&
          u_dut.offer_q.credits == tells &&
          u_dut.offer_q.less == tells - CountW'(tells != '0) && 32'(offer_q.space) <= Room))
      else $error("%0d credits", u_dut.offer_q.credits);

      // A NAK leaves for a gap, and an ACK that tells of six places.
      c_nak : cover (leaves && offer_q.nak && ack.syndrome == 8'h60 && messages_q == 24'd1);
      c_ack : cover (leaves && !offer_q.nak && !cfg_q.no_credits && ack.syndrome == 8'h06);
    end
  end

endmodule
