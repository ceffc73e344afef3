// The filters of a device in a tree (docs/relay.md) on the channels of look-up: what comes from the
// ports is asked as what it is in this device's place, and answers go on to slot state with those
// of relay_accept, which knows what comes from a parent and from other leaves.
//
// Each channel comes in and goes out. Each filter says who waits for whom.
module relay_in
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes; `Tree` is 1.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings, with the one closed that is being flushed, their places, and the device's
  // own address.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input relay_self_t                    self_i,

  // Ports to look-up.
  input  lookup_req_t [Cfg.NumPorts-1:0] port_i,
  output logic        [Cfg.NumPorts-1:0] port_ready_o,
  output lookup_req_t [Cfg.NumPorts-1:0] lookup_o,
  input  logic        [Cfg.NumPorts-1:0] lookup_ready_i,

  // Look-up to slot state.
  input  decide_req_t answer_i,
  output logic        answer_ready_o,
  output decide_req_t state_o,
  input  logic        state_ready_i,

  // A flush; nothing is inside.
  input  flush_conns_t flush_i,
  output logic         idle_o,

  // The control plane registers a connection from another leaf.
  input  relay_set_req_t row_set_i,
  output relay_set_rsp_t row_set_o,

  // For relay_take: notifications that have come, and messages that begin. Means nothing where
  // there is no parent.
  input  relay_notes_t notes_i,
  output relay_known_t known_o,

  // Level: some ring has a parent above this leaf; and pulses for the counters.
  output relay_ask_status_t status_o
);

  decide_req_t own;
  logic        own_ready;

  relay_ask #(
    .Cfg(Cfg)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i,
    .port_i,
    .port_ready_o,
    .lookup_o,
    .lookup_ready_i,
    .own_o      (own),
    .own_ready_i(own_ready),
    .row_set_i,
    .row_set_o,
    .flush_i,
    .idle_o,
    .kept_i     (notes_i.kept),
    .look_i     (notes_i.look),
    .note_o     (known_o.note),
    .of_leaf_o  (status_o.of_leaf),
    .events_o   (status_o.events)
  );

  relay_answer #(
    .Cfg(Cfg)
  ) u_answer (
    .relays_i,
    .port_i,
    .lookup_i      (answer_i),
    .lookup_ready_o(answer_ready_o),
    .own_i         (own),
    .own_ready_o   (own_ready),
    .state_o,
    .state_ready_i,
    .head_o        (known_o.head)
  );

endmodule
