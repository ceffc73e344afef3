// Which uplink a frame takes: an override's, where there is one, else by hash or by flowlet, always
// one whose link is up (Meta RoCE 4.1 to 4.5).
//
//   key -> uplink_hash -> uplink_choose   by hash
//                      -> uplink_flowlet  by flowlet, with `least_i`
//       -> uplink_override                by traffic engineering
//
// A key a cycle, each answered ChoiceLatency cycles later, in order; nobody waits. A link that goes
// down takes its port out at once, also for frames whose choice is under way: they get the lowest
// port that lives (WayMoved). `none`: no port lives, and the frame has to be dropped.
module uplink_choice
  import uplink_route_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 4,
  /// Overrides, 1 or more.
  parameter int unsigned Overrides = 8,
  /// Entries of the flowlet table. Power of two, 2 or more.
  parameter int unsigned Flowlets = 1024
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: they change between frames.
  input logic             [31:0]          seed_i,
  input logic                             with_qp_i,
  input logic                             flowlets_i,   // not by hash alone
  input logic             [TimeW-3:0]     interval_i,
  input uplink_override_t [Overrides-1:0] override_i,

  // Time of flowlets; links that are up.
  input logic [TimeW-1:0]    now_i,
  input logic [NumPorts-1:0] live_i,

  // The port that lives with the least load (uplink_load).
  input logic [PortW-1:0] least_i,

  // A frame's key. Not while `busy`.
  input  logic        valid_i,
  input  uplink_key_t key_i,
  output logic        busy_o,

  // ChoiceLatency cycles later.
  output logic             valid_o,
  output logic             none_o,
  output logic [PortW-1:0] port_o,
  output uplink_way_e      why_o
);

  localparam int unsigned IndexW = $clog2(Flowlets);
  // From an override until a port has been chosen.
  localparam int unsigned Behind = HashLatency + ChooseLatency - OverrideLatency;

  if (ChooseLatency != FlowletLatency || Behind < 1) begin : gen_check
    $fatal(1, "%m: ports by hash and by flowlet are not there in the same cycle");
  end

  logic             hashed, chosen, overridden, by_flowlet;
  logic [31:0]      hash;
  logic [PortW-1:0] hash_port, override_port, flowlet_port;
  uplink_way_e      flowlet_why;
  // `none` is said of the last moment.
  // verilator lint_off UNUSEDSIGNAL
  logic no_port, override_valid;
  // verilator lint_on UNUSEDSIGNAL

  uplink_hash u_hash (
    .clk_i,
    .rst_ni,
    .seed_i,
    .with_qp_i,
    .valid_i,
    .key_i,
    .valid_o(hashed),
    .hash_o (hash)
  );

  uplink_choose #(
    .NumPorts(NumPorts)
  ) u_choose (
    .clk_i,
    .rst_ni,
    .live_i,
    .valid_i(hashed),
    .hash_i (hash),
    .valid_o(chosen),
    .none_o (no_port),
    .port_o (hash_port)
  );

  uplink_override #(
    .Entries (Overrides),
    .NumPorts(NumPorts)
  ) u_override (
    .clk_i,
    .rst_ni,
    .entry_i(override_i),
    .live_i,
    .valid_i,
    .key_i,
    .valid_o(override_valid),
    .hit_o  (overridden),
    .port_o (override_port)
  );

  logic [Behind-1:0]            hit_q;
  logic [Behind-1:0][PortW-1:0] hit_port_q;

  always_ff @(posedge clk_i) begin
    hit_q[0]      <= overridden;
    hit_port_q[0] <= override_port;
    for (int unsigned s = 1; s < Behind; s++) begin
      hit_q[s]      <= hit_q[s-1];
      hit_port_q[s] <= hit_port_q[s-1];
    end
  end

  // What an override takes away, and what no port lives for, is no frame of a flowlet.
  uplink_flowlet #(
    .Entries (Flowlets),
    .NumPorts(NumPorts),
    .TickW   (TimeW)
  ) u_flowlet (
    .clk_i,
    .rst_ni,
    .now_i,
    .interval_i,
    .live_i,
    .least_i,
    .valid_i(hashed && flowlets_i && !hit_q[Behind-FlowletLatency-1] && live_i != '0),
    .index_i(hash[IndexW-1:0]),
    .valid_o(by_flowlet),
    .port_o (flowlet_port),
    .why_o  (flowlet_why),
    .busy_o
  );

  // ---------------------------------------------------------------------------------------------

  logic [PortW-1:0]    port, lowest;
  uplink_way_e         why;
  logic [MaxPorts-1:0] live;
  logic                lives;

  assign live  = MaxPorts'(live_i);
  assign lives = live[port];

  always_comb begin
    port = hash_port;
    why  = WayHash;
    if (hit_q[Behind-1]) begin
      port = hit_port_q[Behind-1];
      why  = WayOverride;
    end else if (by_flowlet) begin
      port = flowlet_port;
      why  = flowlet_why;
    end
    lowest = '0;
    for (int unsigned p = NumPorts; p > 0; p--) if (live_i[p-1]) lowest = PortW'(p - 1);
  end

  always_ff @(posedge clk_i) begin
    valid_o <= chosen;
    none_o  <= live_i == '0;
    port_o  <= lives ? port : lowest;
    why_o   <= lives ? why : WayMoved;
    if (!rst_ni) valid_o <= 1'b0;
  end

  logic [MaxPorts-1:0] live_q;
  always_ff @(posedge clk_i) begin
    live_q <= live;
    if (rst_ni) begin
      // No frame goes to a port whose link was down a cycle ago.
      a_alive : assert (!valid_o || none_o || live_q[port_o])
      else $error("%m: port %0d is dead", port_o);
      // Each key has been answered, at its time.
      a_in_step : assert (!by_flowlet || chosen)
      else $error("%m: a flowlet without its frame");
    end
  end

endmodule
