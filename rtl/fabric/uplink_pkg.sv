// What the modules that choose an uplink have in common: what names a flow, how it is hashed, why a
// frame took its way, and what the device shows of it.
//
// tb/model/uplink is the C twin, by name.
package uplink_pkg;

  import shell_pkg::*;

  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  /// Uplinks of a device, at most.
  localparam int unsigned MaxUp = 16;
  localparam int unsigned UpW = $clog2(MaxUp);

  /// What names a flow (struct uplink_key). IPv4 addresses are mapped into IPv6 ones; what a frame
  /// does not have is 0.
  typedef struct packed {
    logic [127:0] src;
    logic [127:0] dst;
    logic [15:0]  sport;
    logic [15:0]  dport;
    logic [7:0]   proto;
    logic [23:0]  qpn;
  } key_t;

  /// What is read of a frame's headers (struct uplink_read, but for the priority: flow_prio).
  typedef struct packed {
    key_t        key;
    logic        roce;
    logic [7:0]  opcode;
    logic [23:0] psn;
  } read_t;

  /// A step of Marsaglia's xorshift64 (uplink_step).
  function automatic logic [63:0] step(logic [63:0] x);
    step = x ^ (x << 13);
    step = step ^ (step >> 7);
    step = step ^ (step << 17);
  endfunction

  /// Rounds of the mix, and some of them: `first` .. `first + count - 1` (uplink_mix).
  localparam int unsigned Rounds = 16;
  function automatic logic [63:0] rounds(logic [63:0] halves, logic [31:0] seed,
                                         int unsigned first, int unsigned count);
    logic [31:0] l, r, key, next;
    {l, r} = halves;
    for (int unsigned i = first; i < first + count; i++) begin
      key  = 32'({seed, seed} >> (32 - 5 * i % 32)) ^ 32'h9E37_79B9 * (i + 1);
      next = r ^ ({l[30:0], l[31]} & {l[23:0], l[31:24]}) ^ {l[29:0], l[31:30]} ^ key;
      r    = l;
      l    = next;
    end
    rounds = {l, r};
  endfunction

  /// Cycles from a key to its hash, and to the override that it matches.
  localparam int unsigned HashLatency = 7;
  localparam int unsigned OverrideLatency = 3;

  /// An entry of traffic engineering (struct uplink_override): packets from a source port to
  /// addresses with a prefix of `length` bits, 0 to 128, go to a port.
  typedef struct packed {
    logic           valid;
    logic [15:0]    sport;
    logic [127:0]   prefix;
    logic [7:0]     length;
    logic [UpW-1:0] port;
  } override_t;

  /// Why a frame goes where it goes. Each frame that is let into a down port meets one of them.
  typedef enum logic [2:0] {
    WayHash,      // its flow's hash
    WayMoved,     // that port is dead: the hash among those that live
    WayOverride,  // an override, whose port lives
    WayGoesOn,    // its flowlet
    WayFirst,     // a flowlet begins: its place in the table was never used
    WayGap,       // a flowlet begins: nothing came for longer than the interval
    WayDead,      // a flowlet begins: the port of the one before is dead
    WayNone       // no uplink lives: the frame is dropped
  } way_e;
  localparam int unsigned NumWays = 8;
  /// Counted behind those: frames that were dropped because their port died before they began.
  localparam int unsigned WayLost = NumWays;

  /// Cycles are counted in so many bits. Who was away for a multiple of 2 ** TimeW is taken for one
  /// who has just been there, and keeps its port.
  localparam int unsigned TimeW = 40;
  /// The shortest interval of flowlets, cycles: more than decisions that are under way at once.
  localparam int unsigned MinInterval = 8;
  /// Bits of a port's load, in beats, which grows no further than all ones (UPLINK_MOST_LOAD).
  localparam int unsigned LoadW = 26;
  /// Loads forget an eighth of what they are each 2 ** LoadPeriod cycles.
  localparam int unsigned LoadPeriod = 10;

  /// What decides, for all down ports.
  typedef struct packed {
    logic [31:0] seed;
    logic        with_qp;    // the hash is over the destination queue pair, too (E-ECMP)
    logic        flowlets;   // what is not overridden is balanced by flowlets, not by its hash
    logic [31:0] interval;   // of flowlets, cycles
  } way_settings_t;

  /// Why a command was refused; CommandDone: it was not.
  typedef enum logic [3:0] {
    CommandDone,
    CommandNoEntry,        // there is no such override
    CommandNoPort,         // there is no such uplink
    CommandLongPrefix,     // a prefix of more than 128 bits
    CommandShortInterval,  // an interval of less than MinInterval cycles
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
    logic [UpW-1:0] port;  // if it is not dropped
    way_e           why;
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
