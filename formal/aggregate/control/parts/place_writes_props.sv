// weir_places: what a device is in each ring, as registers were written, bit by bit, by the time of
// the last store (rtl/csr/weir_csr.rdl, RELAY_..). What holds for one ring
// holds for all.
module place_writes_props
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned Spine = 1,
  parameter int unsigned Uplink = 1,
  localparam int unsigned NumRings = 3
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input weir_csr_pkg::weir_csr__out_t csr_i,
  input logic                         store_i,
  input logic [RingW-1:0]             ring_i,
  input logic [1:0]                   at_i   // any ring
);

  relay_ring_t [NumRings-1:0] relays;
  relay_self_t                self;

  weir_places #(
    .NumRings(NumRings),
    .Spine   (Spine),
    .Uplink  (Uplink)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .csr_i,
    .store_i,
    .ring_i,
    .relays_o(relays),
    .self_o  (self)
  );

  // Registers in the order of their addresses, a word each, as they were last written, or are in
  // force: of the device, then of its ring.
  localparam int unsigned Words = 8;
  typedef logic [Words-1:0][31:0] words_t;
  words_t             data, enable, staged_q, own, old_own_q, old_q, now;
  logic   [Words-1:0] write;
  assign write = {csr_i.RELAY_ROLE.req, csr_i.RELAY_PLACE.req, csr_i.RELAY_PARENT_MAC_HIGH.req,
                  csr_i.RELAY_PARENT_MAC_LOW.req, csr_i.RELAY_PARENT_IP.req,
                  csr_i.RELAY_SELF_MAC_HIGH.req, csr_i.RELAY_SELF_MAC_LOW.req,
                  csr_i.RELAY_SELF_IP.req};
  assign data   = {32'(csr_i.RELAY_ROLE.wr_data), 32'(csr_i.RELAY_PLACE.wr_data),
                   32'(csr_i.RELAY_PARENT_MAC_HIGH.wr_data),
                   32'(csr_i.RELAY_PARENT_MAC_LOW.wr_data), 32'(csr_i.RELAY_PARENT_IP.wr_data),
                   32'(csr_i.RELAY_SELF_MAC_HIGH.wr_data), 32'(csr_i.RELAY_SELF_MAC_LOW.wr_data),
                   32'(csr_i.RELAY_SELF_IP.wr_data)};
  assign enable = {32'(csr_i.RELAY_ROLE.wr_biten), 32'(csr_i.RELAY_PLACE.wr_biten),
                   32'(csr_i.RELAY_PARENT_MAC_HIGH.wr_biten),
                   32'(csr_i.RELAY_PARENT_MAC_LOW.wr_biten),
                   32'(csr_i.RELAY_PARENT_IP.wr_biten),
                   32'(csr_i.RELAY_SELF_MAC_HIGH.wr_biten),
                   32'(csr_i.RELAY_SELF_MAC_LOW.wr_biten), 32'(csr_i.RELAY_SELF_IP.wr_biten)};

  /// Registers of a ring and of the device as words.
  function automatic words_t words_of(relay_ring_t ring, relay_self_t whole);
    words_of[0] = whole.ip;
    words_of[1] = whole.mac[31:0];
    words_of[2] = 32'(whole.mac[47:32]);
    words_of[3] = ring.parent_ip;
    words_of[4] = ring.parent_mac[31:0];
    words_of[5] = 32'(ring.parent_mac[47:32]);
    words_of[6] = {ring.total, ring.first, ring.siblings, ring.child};
    words_of[7] = {30'd0, ring.devices, ring.parent};
  endfunction

  // Bits that there are, and what they are from reset on: a device is all that it was built for.
  words_t there, begins;
  always_comb begin
    there     = '1;
    there[2]  = 32'h0000_FFFF;
    there[5]  = 32'h0000_FFFF;
    there[7]  = {30'd0, Spine != 0, Uplink != 0};
    begins    = '0;
    begins[7] = there[7];
  end

  logic       reset_q, stored_q;
  logic [1:0] at_q;
  words_t     force_q;     // what comes into force with a store
  initial reset_q = 1'b0;
  assign own = words_of(relays[at_i], self);
  assign now = words_of(relays[at_q], self);
  always_ff @(posedge clk_i) begin
    reset_q <= reset_q || !rst_ni;
    at_q    <= at_i;
    for (int unsigned w = 0; w < Words; w++) begin
      for (int unsigned b = 0; b < 32; b++) begin
        if (write[w] && enable[w][b] && there[w][b]) staged_q[w][b] <= data[w][b];
      end
    end
    stored_q <= store_i;
    force_q  <= own;
    if (store_i) force_q[2:0] <= staged_q[2:0] & there[2:0];
    if (store_i && ring_i == RingW'(at_i)) force_q[7:3] <= staged_q[7:3] & there[7:3];
    if (!rst_ni) begin
      staged_q <= begins;
      force_q  <= '0;
    end
  end

  // Without a parent port nobody reads more than whether children are devices.
  words_t reads;
  always_comb begin
    reads = '1;
    if (Uplink == 0) begin
      reads    = '0;
      reads[7] = 32'd2;
    end
  end

  always_ff @(posedge clk_i) begin
    // In force is what was written by the last store: of the device ...
    a_self : assert (!reset_q || now[2:0] == (force_q[2:0] & reads[2:0]))
    else $error("another device");
    // ... and of its ring; that of other rings stands.
    a_ring : assert (!reset_q || 32'(at_q) >= NumRings ||
                     now[7:3] == (force_q[7:3] & reads[7:3]))
    else $error("ring %0d", at_q);
    // What is written waits for a store.
    a_staged : assert (!reset_q || Uplink == 0 ||
                       words_of(u_dut.staged_q, u_dut.self_staged_q) == (staged_q & there))
    else $error("another word waits");
    // Whether children are devices does, too.
    a_devices : assert (!reset_q || u_dut.staged_q.devices == staged_q[7][1])
    else $error("devices %b", u_dut.staged_q.devices);

    // A ring has a place that was stored.
    c_ring : cover (reset_q && rst_ni && stored_q && 32'(at_q) == 2 && now[7] != '0);
  end

endmodule
