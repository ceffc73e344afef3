// relay_child, with relay_rank and relay_place inside: what look-up is asked of a packet is what
// docs/relay.md says that it is in this device's place, written down once more below.
//
// Registers are free, and stay.
module relay_child_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumRings = 3,
  parameter int unsigned Spine = 0,
  parameter int unsigned Uplink = 1,
  parameter int unsigned Notes = 1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic        taken_i,
  input frame_desc_t desc_i,
  // In the first cycle: registers.
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i
);

  logic                       started_q;
  ring_t       [NumRings-1:0] rings_q;
  relay_ring_t [NumRings-1:0] relays_q;
  initial started_q = 1'b0;

  logic        valid;
  frame_desc_t desc;

  relay_child #(
    .NumRings(NumRings),
    .Spine   (Spine),
    .Uplink  (Uplink),
    .Notes   (Notes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i (rings_q),
    .relays_i(relays_q),
    .valid_i,
    .taken_i,
    .desc_i,
    .valid_o (valid),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // What the packet is here.

  frame_desc_t want;
  ring_t       ring;
  relay_ring_t relay;
  logic        found, note;
  always_comb begin
    ring  = '0;
    relay = '0;
    found = 1'b0;
    // The last one that is written down is the lowest.
    for (int g = NumRings - 1; g >= 0; g--) begin
      if (rings_q[g].enable && rings_q[g].id == desc_i.ina.ring) begin
        ring  = rings_q[g];
        relay = relays_q[g];
        found = 1'b1;
      end
    end
    note = Notes != 0 && desc_i.ina.kind[7:6] == NoteKind;
    want = desc_i;
    if (note) want.has_ina = 1'b0;
    if (found && Uplink != 0 && relay.parent && !relay.devices) begin
      want.ina.rank    = desc_i.ina.rank - relay.first;
      want.ina.workers = 16'(desc_i.ina.workers == {8'd0, relay.total} ? ring.workers : '0);
    end
    if (found && Spine != 0 && relay.devices && want.has_ina &&
        desc_i.psn >= 24'(desc_i.ina.msglen)) want.ina.msglen = '0;
  end

  // Cycles that the packet has been shown.
  logic [1:0]  shown_q;
  logic        stays_q;
  frame_desc_t was_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      rings_q  <= rings_i;
      relays_q <= relays_i;
    end
    stays_q <= rst_ni && valid_i && !taken_i;
    was_q   <= desc_i;
    if (!rst_ni || !valid_i || taken_i) shown_q <= '0;
    else if (shown_q != 2'd2) shown_q <= shown_q + 2'd1;
    // The first cycle is one of reset. Dropped: a packet that was shown before the first cycle.
    e_reset : assume (started_q || !rst_ni);
    // A port shows a packet until it is taken. Dropped: one packet's header with another one's
    // rank.
    e_stands : assume (!stays_q || (valid_i && desc_i == was_q));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Look-up is asked what the packet is in this device's ring, and of no other packet.
      a_asked : assert (!valid || (valid_i && desc == want))
      else $error("rank %0d, %0d wanted", desc.ina.rank, want.ina.rank);
      // It is asked two cycles after the packet is shown, neither earlier nor later.
      a_time : assert (valid == (valid_i && shown_q == 2'd2));
      // A packet in the second of two rings.
      c_second : cover (valid && found && rings_q[0].id != desc_i.ina.ring && desc != desc_i);
      // One that nothing is changed of.
      c_plain : cover (valid && desc == desc_i);
    end
  end

endmodule
