// Stage 7 of look-up: from the message that holds a packet to its slot, and the last checks of the
// packet. No registers.
//
// A module of its own because where a packet is stored is one rule (docs/protocol.md), and the
// proofs of the address are held against it.
module agg_lookup_slot
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024,
  /// 1: the history may have lost the connection's messages.
  parameter int unsigned Ecc = 0,
  /// 1: who asks wants to know of the ends of messages (docs/relay.md).
  parameter int unsigned Uplink = 0
) (
  // The request.
  input lookup_part_t part_i,

  // What the history answers: the packet's message, or why it has none, and its offset there, which
  // first PSN of the message has served for.
  // verilator lint_off UNUSEDSIGNAL
  input message_t         message_i,
  // verilator lint_on UNUSEDSIGNAL
  input logic             found_i,
  input logic             stale_i,
  input logic             conflict_i,
  input logic             lost_i,
  input logic [SlotW-1:0] offset_i,

  // The answer for slot state.
  output lookup_rsp_t rsp_o
);

  logic [1:0] ragged;   // bytes behind the last whole element

  always_comb begin
    ragged = ragged_of(message_i.kind[3:0], part_i.rsp.tensor_len[1:0]);
    rsp_o  = part_i.rsp;
    if (part_i.rsp.fate == FateStored) begin
      rsp_o.msgid  = message_i.msgid;
      rsp_o.kind   = message_i.kind;
      rsp_o.offset = offset_i;
      rsp_o.ends   = Uplink != 0 &&
          (offset_i == '0 || offset_i + SlotW'(1) == message_i.msglen);
      // Between those of two neighbours are those of the message N before or behind.
      rsp_o.slot   = message_i.base + SlotW'({offset_i, 1'b0});
      if (Ecc != 0 && lost_i) rsp_o.fate = FateMemoryError;
      else if (stale_i) rsp_o.fate = FateStale;
      else if (conflict_i) rsp_o.fate = FatePsnConflict;
      else if (!found_i) rsp_o.fate = FateUnknownMessage;
      else if (part_i.len_bad || ragged != '0 || 32'(part_i.rsp.tensor_len) > SlotBytes) begin
        rsp_o.fate = FateBadLength;
      end
    end
  end

endmodule
