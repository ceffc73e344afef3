// Holds the registers RELAY_..: this device's address, and for each ring its place in a tree and
// what the device is there.
//
// They are outside the generated block (weir_csr.sv) so that a device has none that it cannot use:
// one for a single rack lacks this module, one without a parent port has the bit that says whether
// children are devices. Written words are staged; a store puts them into force, with the registers
// of the ring. A write is taken in its own cycle; nobody waits.
module weir_places
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// 0: children are workers. 1: those of some rings are devices.
  parameter int unsigned Spine = 0,
  /// 1: some rings have a parent.
  parameter int unsigned Uplink = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers of the generated block, of which this module looks at RELAY_.. only: a write is `req`
  // with data and bit enables.
  /* verilator lint_off UNUSEDSIGNAL */
  input weir_csr_pkg::weir_csr__out_t csr_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Store, a pulse: what is staged comes into force, for ring `ring_i` and for the device itself.
  input logic             store_i,
  input logic [RingW-1:0] ring_i,

  // What is in force, from the cycle after a store on.
  output relay_ring_t [NumRings-1:0] relays_o,
  output relay_self_t                self_o
);

  localparam logic [1:0] Built = {Spine != 0, Uplink != 0};

  // Without a parent port most of this is read by nobody.
  /* verilator lint_off UNUSEDSIGNAL */
  relay_self_t self_staged_q, self_q;
  relay_ring_t staged_q;
  relay_ring_t [NumRings-1:0] relays_q;
  /* verilator lint_on UNUSEDSIGNAL */

  /// A word with the written bits in it.
  function automatic logic [31:0] written(logic [31:0] word, logic [31:0] data, logic [31:0] bits);
    return (word & ~bits) | (data & bits);
  endfunction

  always_ff @(posedge clk_i) begin
    if (csr_i.RELAY_SELF_IP.req) begin
      self_staged_q.ip <= written(self_staged_q.ip, csr_i.RELAY_SELF_IP.wr_data,
                                  csr_i.RELAY_SELF_IP.wr_biten);
    end
    if (csr_i.RELAY_SELF_MAC_LOW.req) begin
      self_staged_q.mac[31:0] <= written(self_staged_q.mac[31:0],
                                         csr_i.RELAY_SELF_MAC_LOW.wr_data,
                                         csr_i.RELAY_SELF_MAC_LOW.wr_biten);
    end
    if (csr_i.RELAY_SELF_MAC_HIGH.req) begin
      self_staged_q.mac[47:32] <= 16'(written({16'd0, self_staged_q.mac[47:32]},
          csr_i.RELAY_SELF_MAC_HIGH.wr_data, csr_i.RELAY_SELF_MAC_HIGH.wr_biten));
    end
    if (csr_i.RELAY_PARENT_IP.req) begin
      staged_q.parent_ip <= written(staged_q.parent_ip, csr_i.RELAY_PARENT_IP.wr_data,
                                    csr_i.RELAY_PARENT_IP.wr_biten);
    end
    if (csr_i.RELAY_PARENT_MAC_LOW.req) begin
      staged_q.parent_mac[31:0] <= written(staged_q.parent_mac[31:0],
                                           csr_i.RELAY_PARENT_MAC_LOW.wr_data,
                                           csr_i.RELAY_PARENT_MAC_LOW.wr_biten);
    end
    if (csr_i.RELAY_PARENT_MAC_HIGH.req) begin
      staged_q.parent_mac[47:32] <= 16'(written({16'd0, staged_q.parent_mac[47:32]},
          csr_i.RELAY_PARENT_MAC_HIGH.wr_data, csr_i.RELAY_PARENT_MAC_HIGH.wr_biten));
    end
    if (csr_i.RELAY_PLACE.req) begin
      {staged_q.total, staged_q.first, staged_q.siblings, staged_q.child} <=
          written({staged_q.total, staged_q.first, staged_q.siblings, staged_q.child},
                  csr_i.RELAY_PLACE.wr_data, csr_i.RELAY_PLACE.wr_biten);
    end

    // What the device was built without, it cannot be told to be.
    if (csr_i.RELAY_ROLE.req) begin
      {staged_q.devices, staged_q.parent} <= 2'(written(32'({staged_q.devices, staged_q.parent}),
          csr_i.RELAY_ROLE.wr_data, csr_i.RELAY_ROLE.wr_biten)) & Built;
    end

    if (store_i) self_q <= self_staged_q;
    for (int unsigned r = 0; r < NumRings; r++) begin
      if (store_i && ring_i == RingW'(r)) relays_q[r] <= staged_q;
    end

    if (!rst_ni) begin
      self_staged_q <= '0;
      staged_q      <= '0;
      self_q        <= '0;
      relays_q      <= '0;
      {staged_q.devices, staged_q.parent} <= Built;
    end
  end

  if (Uplink != 0) begin : gen_below
    assign relays_o = relays_q;
    assign self_o   = self_q;
  end else begin : gen_top
    // The other words have no reader, and so no flops.
    for (genvar r = 0; r < NumRings; r++) begin : gen_ring
      assign relays_o[r] = '{devices: relays_q[r].devices, default: '0};
    end
    assign self_o = '0;
  end

endmodule
