// What decides which uplink a frame takes (docs/fabric.md): the names of flows, their hash, what
// overrides it. The arithmetic is that of tb/model/uplink/uplink_hash.h, which says why.
package uplink_route_pkg;

  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM

  /// Uplinks, at most.
  localparam int unsigned MaxPorts = 16;
  localparam int unsigned PortW = 4;

  /// What names a flow. IPv4 addresses are mapped into IPv6 ones; what a packet does not have is 0.
  typedef struct packed {
    logic [23:0]  qpn;     // destination queue pair
    logic [7:0]   proto;   // IP's protocol, IPv6's next header
    logic [15:0]  dport;
    logic [15:0]  sport;
    logic [127:0] dst;
    logic [127:0] src;
  } uplink_key_t;

  /// Frames from a source port to addresses with a prefix go to a port (Meta RoCE 4.3.2).
  typedef struct packed {
    logic             valid;
    logic [PortW-1:0] port;
    logic [15:0]      sport;
    logic [127:0]     prefix;
    logic [127:0]     mask;     // its bits that count: uplink_mask
  } uplink_override_t;

  /// The bits of an address that a prefix of `length` bits, 0 to 128, is about; IPv4: 96 more.
  function automatic logic [127:0] uplink_mask(logic [7:0] length);
    uplink_mask = (length >= 8'd128) ? '1 : ~({128{1'b1}} >> length);
  endfunction

  /// Why a flow has its port.
  typedef enum logic [2:0] {
    WayHash,       // by its hash
    WayOverride,   // by an override
    WayGoesOn,     // its flowlet goes on
    WayFirst,      // the first of its flowlet table's entry
    WayGap,        // nothing came for longer than the interval
    WayDead,       // its port is no more
    WayMoved       // the port that was chosen has died since
  } uplink_way_e;

  /// Cycles from a key to its hash, from a hash to its port, from a key to its override, and from a
  /// flowlet's hash to its port.
  localparam int unsigned HashLatency = 7;
  localparam int unsigned ChooseLatency = 3;
  localparam int unsigned OverrideLatency = 3;
  localparam int unsigned FlowletLatency = 3;
  /// And from a key to the port that its frame takes (uplink_choice).
  localparam int unsigned ChoiceLatency = HashLatency + ChooseLatency + 1;

  /// Bits of a port's load, in bytes; none grows beyond.
  localparam int unsigned LoadW = 26;
  /// Bits of the time that flowlets know; an interval has two less.
  localparam int unsigned TimeW = 32;

  localparam int unsigned Rounds = 16;

  /// A step of xorshift64.
  function automatic logic [63:0] step(logic [63:0] x);
    logic [63:0] y;
    y = x ^ (x << 13);
    y = y ^ (y >> 7);
    step = y ^ (y << 17);
  endfunction

  /// The same, `times` times.
  function automatic logic [63:0] steps(logic [63:0] x, int unsigned times);
    steps = x;
    for (int unsigned i = 0; i < times; i++) steps = step(steps);
  endfunction

  function automatic logic [31:0] left(logic [31:0] x, int unsigned by);
    left = (x << by) | (x >> (32 - by));
  endfunction

  /// Round `i` of the mix, of {left, right}.
  function automatic logic [63:0] round_of(logic [63:0] lr, logic [31:0] seed, int unsigned i);
    logic [31:0] l, key;
    l   = lr[63:32];
    key = left(seed, 5 * i % 32) ^ 32'(32'h9E37_79B9 * (i + 1));
    round_of = {lr[31:0] ^ (left(l, 1) & left(l, 8)) ^ left(l, 2) ^ key, l};
  endfunction

  // verilator lint_on UNUSEDPARAM

endpackage
