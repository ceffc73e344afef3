// Says to look-up what a port's packet is in the terms of one rack, by what the device is in the
// packet's ring (docs/relay.md): a leaf's ranks are counted from its first worker (relay_rank), and
// what a child device says of a packet's place is held against its message (relay_place). It says
// so two cycles after the port has shown the packet; where the device can be none of a tree, at
// once.
module relay_child
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// 0: children are workers. 1: those of some rings are devices.
  parameter int unsigned Spine = 0,
  /// 1: some rings have a parent.
  parameter int unsigned Uplink = 0,
  /// 1: notifications may come in at this port.
  parameter int unsigned Notes = 0
) (
  // Registers of a ring change only while it is disabled or flushed. What can be none of a tree has
  // no register.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic clk_i,
  input logic rst_ni,

  // Rings as registers have them, and what the device is in each of them.
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,

  // The port's request, which stays until look-up takes it, and the request for look-up.
  input  logic        valid_i,
  input  logic        taken_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  frame_desc_t desc_i,
  output logic        valid_o,
  output frame_desc_t desc_o
);

  frame_desc_t plain, ranked;
  // What stays as it came needs no register, and is not taken from here.
  /* verilator lint_off UNUSEDSIGNAL */
  frame_desc_t placed;
  /* verilator lint_on UNUSEDSIGNAL */

  // The first of several rings with the same RingID, as look-up has it.
  logic [NumRings-1:0] match;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [NumRings-1:0] ring_q;   // what can be none of a tree does not ask
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      match[g] = rings_i[g].enable && rings_i[g].id == desc_i.ina.ring;
    end
  end
  always_ff @(posedge clk_i) ring_q <= match & ~(match - NumRings'(1));

  // A notification that comes as far as look-up is another device's: any packet.
  always_comb begin
    plain = desc_i;
    if (Notes != 0 && desc_i.ina.kind[7:6] == NoteKind) plain.has_ina = 1'b0;
  end

  if (Uplink != 0) begin : gen_leaf
    relay_rank #(
      .NumRings(NumRings)
    ) u_rank (
      .rings_i,
      .relays_i,
      .ring_i  (ring_q),
      .desc_i  (plain),
      .desc_o  (ranked)
    );
  end else begin : gen_no_leaf
    assign ranked = plain;
  end

  if (Spine != 0) begin : gen_devices
    logic devices;
    always_comb begin
      devices = 1'b0;
      for (int unsigned g = 0; g < NumRings; g++) devices |= ring_q[g] && relays_i[g].devices;
    end
    relay_place u_place (
      .devices_i(devices),
      .desc_i   (ranked),
      .desc_o   (placed)
    );
  end else begin : gen_workers
    assign placed = ranked;
  end

  if (Uplink != 0 || Spine != 0) begin : gen_late
    logic shown_q, known_q;   // `ring_q` is of this packet; header fields are, too
    logic has_ina_q;
    ina_t ina_q;
    always_ff @(posedge clk_i) begin
      shown_q   <= rst_ni && valid_i && !taken_i;
      known_q   <= rst_ni && valid_i && !taken_i && shown_q;
      has_ina_q <= placed.has_ina;
      ina_q     <= placed.ina;
    end
    always_comb begin
      valid_o        = valid_i && known_q;
      desc_o         = desc_i;
      desc_o.has_ina = has_ina_q;
      desc_o.ina     = ina_q;
    end
  end else begin : gen_at_once
    assign valid_o = valid_i;
    assign desc_o  = placed;
  end

endmodule
