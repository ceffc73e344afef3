// Says to look-up what a port's packet is in the terms of one rack, by what the device is in the
// packet's ring (docs/relay.md): a leaf's ranks are counted from its first worker (agg_relay_rank), and
// packets of child devices are messages of their own (agg_relay_place). Combinational.
module agg_relay_child
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_relay_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// 0: children are workers. 1 to 15: those of some rings are devices; messages of up to
  /// 2**SpineShift packets.
  parameter int unsigned SpineShift = 0,
  /// 1: some rings have a parent.
  parameter int unsigned Uplink = 0,
  /// 1: notifications may come in at this port.
  parameter int unsigned Notes = 0
) (
  // Registers of a ring change only while it is disabled or flushed.
  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */

  input  frame_desc_t desc_i,
  output frame_desc_t desc_o
);

  frame_desc_t plain, ranked;

  // A notification that comes as far as look-up is another device's: any packet.
  always_comb begin
    plain = desc_i;
    if (Notes != 0 && desc_i.ina.kind[7:6] == NoteKind) plain.has_ina = 1'b0;
  end

  if (Uplink != 0) begin : gen_leaf
    agg_relay_rank #(
      .NumRings(NumRings)
    ) u_rank (
      .rings_i,
      .relays_i,
      .desc_i  (plain),
      .desc_o  (ranked)
    );
  end else begin : gen_no_leaf
    assign ranked = plain;
  end

  if (SpineShift != 0) begin : gen_devices
    logic devices;
    always_comb begin
      devices = 1'b0;
      for (int g = NumRings - 1; g >= 0; g--) begin
        if (rings_i[g].enable && rings_i[g].id == desc_i.ina.ring) begin
          devices = relays_i[g].devices;   // of the first of several with the same RingID
        end
      end
    end
    agg_relay_place #(
      .Shift(SpineShift)
    ) u_place (
      .devices_i(devices),
      .desc_i   (ranked),
      .desc_o
    );
  end else begin : gen_workers
    assign desc_o = ranked;
  end

endmodule
