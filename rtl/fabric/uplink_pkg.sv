// What the modules of an uplink device have in common beside what chooses an uplink
// (uplink_route_pkg): what is read of a frame, what settings there are, what the device shows.
package uplink_pkg;

  import uplink_route_pkg::*;

  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  /// What is read of a frame's headers (struct uplink_read, but for the priority: flow_prio).
  typedef struct packed {
    uplink_key_t key;
    logic        roce;
    logic [7:0]  opcode;
    logic [23:0] psn;
  } read_t;

  /// What is decided on a frame.
  typedef struct packed {
    uplink_way_e      why;
    logic             none;   // no uplink lives
    logic [PortW-1:0] port;
  } decided_t;

  /// Counted behind the ways of uplink_way_e: frames that were dropped because no uplink lives, and
  /// because their port died before they began.
  localparam int unsigned WayNone = 7;
  localparam int unsigned WayLost = 8;
  localparam int unsigned NumWays = 8;
  function automatic logic [2:0] counter_of(logic none, uplink_way_e why);
    counter_of = none ? 3'(WayNone) : why;
  endfunction

  /// The shortest interval of flowlets, cycles.
  localparam int unsigned MinInterval = 8;
  /// Loads forget an eighth of what they are each 2 ** LoadPeriod cycles.
  localparam int unsigned LoadPeriod = 10;

  // When a link goes down or comes up, frames wait, and are decided on by the new state so many
  // cycles later:
  /// LiveQuiet, when those under way are through (uplink_way.a_live_still) ...
  localparam int unsigned LiveQuiet = 40;
  /// ... and they go on by LiveKnown, when the new least load is known (uplink_live's check). Power
  /// of two.
  localparam int unsigned LiveKnown = 64;

  /// What decides, for all down ports.
  typedef struct packed {
    logic [31:0] seed;
    logic        with_qp;    // the hash is over the destination queue pair, too (E-ECMP)
    logic        flowlets;   // what is not overridden is balanced by flowlets, not by its hash
    logic [TimeW-3:0] interval;   // of flowlets, cycles
  } way_settings_t;

  /// Why a command was refused; CommandDone: it was not.
  typedef enum logic [3:0] {
    CommandDone,
    CommandNoEntry,        // there is no such override
    CommandNoPort,         // there is no such uplink
    CommandLongPrefix,     // a prefix of more than 128 bits
    CommandInterval,       // an interval of less than MinInterval cycles, or 2 ** 30 and more
    CommandLevels,         // XON is not below XOFF, or XOFF is more than a queue has
    CommandQuanta,         // a time of pause of less than 64 quanta
    CommandUnknown         // there is no such command
  } command_e;

  // What the device shows, and nobody inside reads. A source is a queue of a port: what its number
  // is, is port * queues + queue.

  /// In this cycle the device decides on the oldest frame of a source on which it has not yet.
  typedef struct packed {
    logic decides;
    // What it was decided on before leaves, or the rest of it: a beat; its first one; dropped.
    logic beat;
    logic begins;
    logic drops;
    logic [PortW-1:0] port;  // if it is not dropped
    uplink_way_e      why;
  } source_obs_t;

  /// Of a port: a frame that the MAC handed over was let in, or dropped by uplink_room; one was
  /// dropped in front of the MAC, because of a storm or a dead link.
  typedef struct packed {
    logic taken;
    logic dropped;
  } port_obs_t;

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
