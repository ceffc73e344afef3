// What the registers and counters of a device, and its ports and core, tell each other: set-up in,
// events out.
package agg_device_pkg;
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;

  /// What registers say to the core, apart from rings. Changes only when registers do.
  typedef struct packed {
    logic [MaxPorts-1:0] open;        // ports that pass gradients of no ring, too
    logic [31:0]         age_limit;   // units that a learned connection may be idle (agg_conn_age)
    // What results are marked with, and notifications; 0: they are not.
    logic [7:0]          epoch;
    relay_self_t         self;
  } core_setup_t;

  /// What a port is told.
  typedef struct packed {
    // Its number, a constant. No parameter, so that all ports are one module.
    logic [PortW-1:0] port;
    logic             notes;   // where `Notes` is 1: notifications are told from other packets now
    logic [7:0]       epoch;   // what results are marked with; 0: they are not
    logic             down;    // its link is down: what would leave is dropped
  } port_setup_t;

  /// Pulses of a port for the counters.
  typedef struct packed {
    logic  rx;            // a frame came in
    logic  drop_valid;    // the ingress dropped one
    fate_e drop_fate;
    logic  fate_valid;    // one has met its fate
    fate_e fate;
    logic  tx_pass;       // a passed frame has left
    logic  tx_result;     // a result has left
    logic  spoiled;       // one has, with a wrong ICRC: a memory lost some of its sum
    logic  dropped;       // a result was dropped: a memory lost its headers
    ecc_t  ingress;       // what reads of the port's memories found
    ecc_t  egress;
    ecc_t  pass;
    logic  unsent;        // one that would have left was dropped: the link is down
    logic  quiet;         // no pulse: the port has held no frame for some cycles
  } port_events_t;

  /// What reads of the core's memories found.
  typedef struct packed {
    mem_event_t rows;
    mem_event_t headers;
    mem_event_t slots;
    mem_event_t conns;
    mem_event_t messages;
  } mem_events_t;

  /// What happens in the core, for the counters, and what is done for a ring.
  typedef struct packed {
    ring_event_t ring;
    mem_events_t memory;
  } core_events_t;

endpackage
