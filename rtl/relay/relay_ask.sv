// Filter between ports and look-up in a device of a tree (docs/relay.md): says to look-up what a
// packet is in the terms of one rack (relay_child), and answers itself what comes from the parent
// for this device (relay_accept).
//
// A port waits for look-up, a few cycles longer than in one rack, or for the one request that
// relay_accept has in hand; that waits for slot state alone.
module relay_ask
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers of a ring change only while it is disabled or flushed.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  // Without a parent the device has no address.
  /* verilator lint_off UNUSEDSIGNAL */
  input relay_self_t                    self_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Look-up requests of the ports, and what becomes of them for look-up.
  input  lookup_req_t [Cfg.NumPorts-1:0] port_i,
  output logic        [Cfg.NumPorts-1:0] port_ready_o,
  output lookup_req_t [Cfg.NumPorts-1:0] lookup_o,
  input  logic        [Cfg.NumPorts-1:0] lookup_ready_i,

  // Answers of relay_accept, to slot state.
  output decide_req_t own_o,

  // From here on: used below a parent only.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic own_ready_i,

  // The control plane registers a ring's connection from another leaf.
  input  relay_set_req_t row_set_i,
  output relay_set_rsp_t row_set_o,

  // Hold: no request begins here. Flush of a ring: comes only while idle.
  input  flush_conns_t flush_i,
  output logic         idle_o,

  // Commit of a notification: its headers are in their bank. Read port of relay_take for what is
  // known of a message; the answer follows a cycle later.
  input  commit_req_t kept_i,
  input  relay_look_t look_i,
  output relay_note_t note_o,
  /* verilator lint_on UNUSEDSIGNAL */

  // The device is a leaf of some enabled ring; pulses for the counters.
  output logic              of_leaf_o,
  output relay_ask_events_t events_o
);

  localparam int unsigned UpPort = Cfg.NumPorts - 1;

  always_ff @(posedge clk_i) begin
    of_leaf_o <= 1'b0;
    for (int unsigned g = 0; g < Cfg.NumRings; g++) begin
      if (rings_i[g].enable && relays_i[g].parent && !relays_i[g].devices) of_leaf_o <= 1'b1;
    end
  end

  // Of the last port's request look-up is asked by relay_accept, if there is a parent.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [Cfg.NumPorts-1:0] asks;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Cfg.NumPorts-1:0] valid, ready;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    relay_child #(
      .NumRings(Cfg.NumRings),
      .Spine   (Cfg.Spine),
      .Uplink  (Cfg.Uplink),
      .Notes   ((p == UpPort) ? Cfg.Uplink : 0)
    ) u_child (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .valid_i(port_i[p].valid),
      .taken_i(ready[p]),
      .desc_i (port_i[p].desc),
      .valid_o(asks[p]),
      .desc_o (lookup_o[p].desc)
    );
    assign lookup_o[p].valid = valid[p];
  end
  assign port_ready_o = ready;

  if (Cfg.Uplink == 0) begin : gen_top
    assign valid     = asks;
    assign ready     = lookup_ready_i;
    assign own_o     = '0;
    assign row_set_o = '0;
    assign idle_o    = 1'b1;
    assign note_o    = '0;
    assign events_o  = '0;
  end else begin : gen_below
    for (genvar p = 0; p < UpPort; p++) begin : gen_child
      assign valid[p] = asks[p];
      assign ready[p] = lookup_ready_i[p];
    end

    relay_accept #(
      .NumPorts (Cfg.NumPorts),
      .NumRanks (Cfg.NumRanks),
      .NumRings (Cfg.NumRings),
      .MaxWindow(Cfg.MaxWindow),
      .SlotBytes(Cfg.SlotBytes),
      .Spine    (Cfg.Spine),
      .NumRows  (Cfg.NumRows)
    ) u_accept (
      .clk_i,
      .rst_ni,
      .req_i        (port_i[UpPort]),
      .req_ready_o  (ready[UpPort]),
      .other_valid_o(valid[UpPort]),
      .other_ready_i(lookup_ready_i[UpPort]),
      .rings_i,
      .relays_i,
      .self_ip_i    (self_i.ip),
      .own_o,
      .own_ready_i,
      .flush_i,
      .idle_o,
      .row_set_i,
      .row_set_o,
      .kept_i,
      .look_i,
      .look_o       (note_o),
      .events_o
    );
  end

endmodule
