// agg_lookup_seek and agg_lookup_slot: what the history of messages is asked for a packet, and what
// comes of its answer, its place among the slots and its fate, for any packet and any answer.
module lookup_place_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// 1: the history may have lost the connection's messages.
  parameter int unsigned Ecc = 1,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 1,
  /// 1: who asks wants to know of the ends of messages.
  parameter int unsigned Uplink = 1,
  localparam int unsigned NumRanks = 3,
  localparam int unsigned MaxWindow = 4,
  localparam int unsigned SlotBytes = 1024
) (
  input logic             clk_i,
  input lookup_known_t    known_i,
  input fate_e            fate_i,
  input lookup_part_t     part_i,
  input message_t         message_i,
  input logic             found_i,
  input logic             stale_i,
  input logic             conflict_i,
  input logic             lost_i,
  input logic [SlotW-1:0] offset_i
);

  lookup_seek_t           seek;
  lookup_rsp_t            rsp;
  logic [RingW+RankW-1:0] row;

  agg_lookup_seek #(
    .NumRanks (NumRanks),
    .MaxWindow(MaxWindow),
    .Spine    (Spine)
  ) u_seek (
    .known_i,
    .fate_i,
    .seek_o(seek),
    .row_o (row)
  );

  agg_lookup_slot #(
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc),
    .Uplink   (Uplink)
  ) u_slot (
    .part_i,
    .message_i,
    .found_i,
    .stale_i,
    .conflict_i,
    .lost_i,
    .offset_i,
    .rsp_o(rsp)
  );

  // ---------------------------------------------------------------------------------------------
  // What is sought.

  logic             says;   // the packet itself says which column it is of
  logic [RankW-1:0] rank;
  assign says = Spine != 0 && known_i.columns;
  assign rank = known_i.req.has_ina ? known_i.req.ina.rank[RankW-1:0] : known_i.rank;

  // Slots from a ring's first one to the message's, by the rule of docs/protocol.md, for a window
  // of N = 2^w: 2 * ((MsgID mod N) * stride), and one more for every other N messages.
  logic [2:0][SlotW-1:0] step;
  always_comb begin
    for (int unsigned w = 0; w < 3; w++) begin
      step[w] = SlotW'(known_i.req.ina.msgid[w]);
      for (int unsigned b = 0; b < w; b++) begin
        if (known_i.req.ina.msgid[b]) step[w] += SlotW'(known_i.stride << (b + 1));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // The answer begins with what is known: who asked, its fate, its entry in the table and its
    // ring, and what it said itself; of its place nothing is known yet.
    a_begins : assert ({seek.part.rsp.port, seek.part.rsp.fate, seek.part.rsp.conn,
        seek.part.rsp.ring, seek.part.rsp.workers, seek.part.rsp.window_log2} ==
        {known_i.req.port, fate_i, known_i.conn, known_i.ring, known_i.workers,
         known_i.window_log2} &&
        {seek.part.rsp.msgid, seek.part.rsp.kind, seek.part.rsp.tensor_len, seek.part.len_bad} ==
        {known_i.req.ina.msgid, known_i.req.ina.kind, known_i.req.tensor_len,
         known_i.req.len_bad} &&
        {seek.part.rsp.offset, seek.part.rsp.ends, seek.part.rsp.slot} == '0)
    else $error("another request");
    // It is of its ring if a ring has its header's RingID, enabled or dropping; without a header if
    // the table has its connection.
    a_of_ring : assert (seek.part.rsp.of_ring == ((known_i.req.has_ina && known_i.header_known) ||
        (known_i.req.has_ina && known_i.header_drop) || (!known_i.req.has_ina && known_i.hit)))
    else $error("of a ring: %b", seek.part.rsp.of_ring);
    // Its rank is the header's, without a header that of the connection.
    a_rank : assert (seek.part.rsp.rank == rank)
    else $error("rank %0d", seek.part.rsp.rank);
    // The history is that of the ring's rank: of each ring four rows, for up to four ranks.
    a_row : assert (row == {2'd0, known_i.ring, rank[1:0]})
    else $error("row %0d", row);
    // Sought is the packet's PSN; of a message that starts it is the first one's. Where packets
    // say which column they are of, a message's first PSN is 0.
    a_psn : assert ({seek.starts, seek.psn} ==
                    {known_i.req.starts, says ? 24'd0 : known_i.req.psn})
    else $error("PSN %0d", seek.psn);
    // And there the PSN is the offset; else a message starts with its first packet.
    a_offset : assert (seek.offset == (says ? known_i.req.psn[SlotW-1:0] : SlotW'(0)))
    else $error("offset %0d", seek.offset);
    // A message that begins has the header's length, and lies in its ring's slots.
    a_message : assert ({seek.msglen, seek.base} ==
                        {known_i.req.ina.msglen[SlotW-1:0], known_i.base})
    else $error("%0d packets, base %0d", seek.msglen, seek.base);
    // Where it lies there, for windows of 1, 2 and 4 messages.
    a_step_1 : assert (known_i.mask != 7'd1 || seek.step == step[0])
    else $error("step %0d", seek.step);
    a_step_2 : assert (known_i.mask != 7'd3 || seek.step == step[1])
    else $error("step %0d", seek.step);
    a_step_4 : assert (known_i.mask != 7'd7 || seek.step == step[2])
    else $error("step %0d", seek.step);
  end

  // ---------------------------------------------------------------------------------------------
  // What comes of it.

  logic sought;   // look-up had no fate for it
  logic lost;     // nobody can say what its message is
  logic fits;     // its tensor is one of whole elements that fits into a slot
  assign sought = part_i.rsp.fate == FateStored;
  assign lost   = Ecc != 0 && lost_i;
  always_comb begin
    fits = !part_i.len_bad && part_i.rsp.tensor_len <= 14'(SlotBytes);
    case (message_i.kind[3:0])
      TypeFp16, TypeBf16: fits &= part_i.rsp.tensor_len % 14'd2 == '0;
      default:            fits &= part_i.rsp.tensor_len % 14'd4 == '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    // A fate that is final leaves as it is, and all with it.
    a_final : assert (sought || rsp == part_i.rsp)
    else $error("fate %0d", rsp.fate);
    // Who asked, its entry, ring and rank and its length stay also of all others.
    a_stays : assert ({rsp.port, rsp.conn, rsp.ring, rsp.of_ring, rsp.rank, rsp.workers,
                       rsp.window_log2, rsp.tensor_len} ==
                      {part_i.rsp.port, part_i.rsp.conn, part_i.rsp.ring, part_i.rsp.of_ring,
                       part_i.rsp.rank, part_i.rsp.workers, part_i.rsp.window_log2,
                       part_i.rsp.tensor_len})
    else $error("another request");
    // MsgID and type are those of its message, as is its offset.
    a_its_message : assert (!sought || {rsp.msgid, rsp.kind, rsp.offset} ==
                            {message_i.msgid, message_i.kind, offset_i})
    else $error("message %0d, offset %0d", rsp.msgid, rsp.offset);
    // Each packet of a message lies two slots behind the one in front of it.
    a_slot : assert (!sought || SlotW'(rsp.slot - message_i.base) == SlotW'(offset_i + offset_i))
    else $error("slot %0d", rsp.slot);
    // Below a parent the first and the last packet of a message are said to be so.
    a_ends : assert (!sought || rsp.ends == (Uplink != 0 &&
        (offset_i == SlotW'(0) || SlotW'(message_i.msglen - offset_i) == SlotW'(1))))
    else $error("ends %b", rsp.ends);
    // What the history has lost is of no message.
    a_lost : assert (!sought || (rsp.fate == FateMemoryError) == lost)
    else $error("fate %0d", rsp.fate);
    // Else an older message than the one that the history has is stale.
    a_stale : assert (!sought || (rsp.fate == FateStale) == (!lost && stale_i))
    else $error("fate %0d", rsp.fate);
    // Else the same one with another PSN, length or type conflicts with it.
    a_conflict : assert (!sought ||
                         (rsp.fate == FatePsnConflict) == (!lost && !stale_i && conflict_i))
    else $error("fate %0d", rsp.fate);
    // Else its message is unknown if the history has none for it.
    a_unknown : assert (!sought || (rsp.fate == FateUnknownMessage) ==
                        (!lost && !stale_i && !conflict_i && !found_i))
    else $error("fate %0d", rsp.fate);
    // Else it must not be longer than a slot, no element may be cut, and its length not be wrong.
    a_length : assert (!sought || (rsp.fate == FateBadLength) ==
                       (!lost && !stale_i && !conflict_i && found_i && !fits))
    else $error("fate %0d", rsp.fate);
    // All others get their slot.
    a_stored : assert (!sought || (rsp.fate == FateStored) ==
                       (!lost && !stale_i && !conflict_i && found_i && fits))
    else $error("fate %0d", rsp.fate);

    // The last message of eight; the longest tensor.
    c_eighth : cover (known_i.mask == 7'd7 && seek.step == SlotW'(7));
    c_longest : cover (rsp.fate == FateStored && 32'(rsp.tensor_len) == SlotBytes);
  end

endmodule
