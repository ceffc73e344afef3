// Where a packet's slot is, as docs/protocol.md says it: the text that agg_lookup is held against.
package slot_address_pkg;
  import agg_pkg::*;

  /// The slots of a ring: 2N messages of `stride` slots.
  function automatic logic [31:0] slots_of(input ring_t ring);
    slots_of = (32'(ring.stride) << ring.window_log2) << 1;
  endfunction

  /// Slot of the packet `offset` of message `msgid`.
  function automatic logic [SlotW-1:0] slot_of(input ring_t ring, input logic [31:0] msgid,
                                               input logic [SlotW-1:0] offset);
    logic [6:0] place;   // which of N pairs
    logic       second;  // in it
    place   = msgid[6:0] & 7'((8'd1 << ring.window_log2) - 8'd1);
    second  = msgid[5'(ring.window_log2)];
    slot_of = SlotW'(32'(ring.base) + 2 * (32'(place) * 32'(ring.stride) + 32'(offset)) +
                     32'(second));
  endfunction

endpackage
