// Addresses of slots, as pure arithmetic: messages of one window never share a slot, and rings that
// were given regions of their own never name each other's slots. agg_lookup_props shows that the
// device computes these addresses.
module slot_address_props
  import agg_pkg::*;
  import slot_address_pkg::*;
#(
  /// Slots of the device.
  parameter int unsigned NumSlots = 680,
  /// Largest log2 of a window.
  parameter int unsigned MaxWindowLog2 = 2
) (
  input logic             clk_i,
  // Two rings; two packets of the first one, one of the other.
  input ring_t            ring_i,
  input ring_t            other_i,
  input logic      [31:0] msgid_i,
  input logic      [31:0] second_msgid_i,
  input logic      [31:0] other_msgid_i,
  input logic [SlotW-1:0] offset_i,
  input logic [SlotW-1:0] second_offset_i,
  input logic [SlotW-1:0] other_offset_i
);

  logic [31:0]      apart, last, window;
  logic [SlotW-1:0] slot, second, other, again, next;

  assign slot   = slot_of(ring_i, msgid_i, offset_i);
  assign second = slot_of(ring_i, second_msgid_i, second_offset_i);
  assign other  = slot_of(other_i, other_msgid_i, other_offset_i);
  assign window = 32'd1 << ring_i.window_log2;
  assign again = slot_of(ring_i, msgid_i - 2 * window, offset_i);
  assign next  = slot_of(ring_i, msgid_i + window, offset_i);
  assign apart  = msgid_i - second_msgid_i;
  assign last   = 32'(ring_i.base) + slots_of(ring_i);

  always_ff @(posedge clk_i) begin
    // Software gives a ring slots that the device has.
    e_fits : assume (last <= NumSlots && 32'(other_i.base) + slots_of(other_i) <= NumSlots &&
                     32'(ring_i.window_log2) <= MaxWindowLog2 &&
                     32'(other_i.window_log2) <= MaxWindowLog2);
    // A packet's offset is less than the longest message's length: look-up refuses messages that
    // are longer.
    e_offset : assume (offset_i < ring_i.stride && second_offset_i < ring_i.stride &&
                       other_offset_i < other_i.stride);
    // A region begins with an even slot; the device refuses another one.
    e_even : assume (!ring_i.base[0] && !other_i.base[0]);
    // Software gives no slot to two rings.
    e_apart : assume (last <= 32'(other_i.base) ||
                      32'(other_i.base) + slots_of(other_i) <= 32'(ring_i.base));

    // Two packets share a slot only if their messages are 2N or more apart, or they are the same
    // packet: no sum mixes two messages of a window.
    a_unshared : assert (slot != second || (apart == '0 ? offset_i == second_offset_i :
                         (apart >= 2 * window && -apart >= 2 * window)))
    else $error("slot %0d", slot);
    // A message's slots are those of the message 2N before.
    a_returns : assert (slot == again)
    else $error("slot %0d, then %0d", again, slot);
    // The other slot of its pair, which has the same place in the banks, is that of the messages N
    // behind and before; no packet that the window allows to be open has it.
    a_pair : assert (next == pair_of(slot))
    else $error("slot %0d, N behind %0d", slot, next);
    // A slot lies in its ring's own region.
    a_region : assert (slot >= ring_i.base && 32'(slot) < last)
    else $error("slot %0d", slot);
    // Rings do not share slots: nothing that happens in one job touches another.
    a_isolated : assert (slot != other)
    else $error("slot %0d of two rings", slot);
    // The last slot of a region is used.
    c_last : cover (32'(slot) == last - 32'd1 && slot > SlotW'(5) && ring_i.window_log2 != '0);
  end

endmodule
