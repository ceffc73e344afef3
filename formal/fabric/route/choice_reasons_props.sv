// uplink_choice: whose word counts for a frame's port, and why, whatever the hash, overrides and
// flowlets say.
//
// These have proofs of their own. Here what they show is left out of the circuit and free.
module choice_reasons_props
  import uplink_route_pkg::*;
#(
  parameter int unsigned NumPorts = 5,
  parameter int unsigned Overrides = 2,
  parameter int unsigned Flowlets = 16
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic             [31:0]          seed_i,
  input logic                             with_qp_i,
  input logic                             flowlets_i,
  input logic             [TimeW-3:0]     interval_i,
  input uplink_override_t [Overrides-1:0] override_i,
  input logic [TimeW-1:0]                 now_i,
  input logic [NumPorts-1:0]              live_i,
  input logic [PortW-1:0]                 least_i,
  input logic                             valid_i,
  input uplink_key_t                      key_i
);

  logic             busy, valid, none;
  logic [PortW-1:0] port;
  uplink_way_e      why;

  uplink_choice #(
    .NumPorts (NumPorts),
    .Overrides(Overrides),
    .Flowlets (Flowlets)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .seed_i,
    .with_qp_i,
    .flowlets_i,
    .interval_i,
    .override_i,
    .now_i,
    .live_i,
    .least_i,
    .valid_i,
    .key_i,
    .busy_o (busy),
    .valid_o(valid),
    .none_o (none),
    .port_o (port),
    .why_o  (why)
  );

  // An override is told four cycles before flowlets are asked, and seven before hash and flowlets
  // have named a port.
  localparam int unsigned Asked = 4;
  localparam int unsigned Named = 7;

  typedef struct packed {
    logic             rst_n, chosen, by_flowlet;
    logic [PortW-1:0] hash_port, flowlet_port;
    uplink_way_e      flowlet_why;
    logic [NumPorts-1:0] live;
  } said_t;

  logic  [Named:0]              past_q;   // so many cycles have gone by
  said_t                        said_q;   // a cycle ago
  logic  [Named+1:1]            hit_q;    // so many cycles ago
  logic  [Named+1:1][PortW-1:0] hit_port_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q     <= {past_q[Named-1:0], 1'b1};
    said_q     <= '{rst_n: rst_ni, chosen: u_dut.u_choose.valid_o,
                    by_flowlet: u_dut.u_flowlet.valid_o, hash_port: u_dut.u_choose.port_o,
                    flowlet_port: u_dut.u_flowlet.port_o, flowlet_why: u_dut.u_flowlet.why_o,
                    live: live_i};
    hit_q      <= {hit_q[Named:1], u_dut.u_override.hit_o};
    hit_port_q <= {hit_port_q[Named:1], u_dut.u_override.port_o};
  end

  // Who counts: an override, else a flowlet, else the hash; whether that one's port lived.
  logic             hit, flow, lives;
  logic [PortW-1:0] named;
  uplink_way_e      reason;
  assign hit    = hit_q[Named+1];
  assign flow   = !hit && said_q.by_flowlet;
  assign named  = hit ? hit_port_q[Named+1] : flow ? said_q.flowlet_port : said_q.hash_port;
  assign reason = hit ? WayOverride : flow ? said_q.flowlet_why : WayHash;
  assign lives  = 32'(named) < NumPorts && said_q.live[named];

  always_ff @(posedge clk_i) begin
    // A frame has its port a cycle after the hash has named one; none in a reset.
    a_valid : assert (!past_q[0] || valid == (said_q.chosen && said_q.rst_n))
    else $error("a port: %b", valid);
    // Where no link is up that is said, and else not.
    a_none : assert (!past_q[0] || none == (said_q.live == '0))
    else $error("none: %b", none);
    // An override's port counts before a flowlet's, and that one before the hash's, if its link
    // is up; and the reason is that one's.
    a_named : assert (past_q != '1 || !lives || (port == named && why == reason))
    else $error("port %0d by %0d, not %0d by %0d", port, why, named, reason);
    // Else the frame goes to the lowest port that lives, and that is the reason.
    a_moved : assert (past_q != '1 || lives || why == WayMoved)
    else $error("port %0d is dead, and the reason is %0d", named, why);
    a_lowest : assert (past_q != '1 || lives || said_q.live == '0 ||
                       (32'(port) < NumPorts && said_q.live[port] &&
                        (said_q.live & ~({NumPorts{1'b1}} << port)) == '0))
    else $error("port %0d is not the lowest of %b", port, said_q.live);
    a_zero : assert (past_q != '1 || said_q.live != '0 || port == '0)
    else $error("port %0d of none", port);

    // Hash and overrides get each key, by the registers of now.
    a_hash : assert ({u_dut.u_hash.rst_ni, u_dut.u_hash.seed_i, u_dut.u_hash.with_qp_i,
                      u_dut.u_hash.valid_i, u_dut.u_hash.key_i} ==
                     {rst_ni, seed_i, with_qp_i, valid_i, key_i})
    else $error("another key is hashed");
    a_override : assert ({u_dut.u_override.rst_ni, u_dut.u_override.entry_i,
                          u_dut.u_override.live_i, u_dut.u_override.valid_i,
                          u_dut.u_override.key_i} ==
                         {rst_ni, override_i, live_i, valid_i, key_i})
    else $error("another key meets the overrides");
    // A hash names one of the ports.
    a_choose : assert ({u_dut.u_choose.rst_ni, u_dut.u_choose.live_i, u_dut.u_choose.valid_i,
                        u_dut.u_choose.hash_i} ==
                       {rst_ni, live_i, u_dut.u_hash.valid_o, u_dut.u_hash.hash_o})
    else $error("another hash names a port");
    // It is one of a flowlet, if they are on, a link is up, and no override has taken it away.
    a_flowlet : assert (past_q[Asked-1:0] != '1 || u_dut.u_flowlet.valid_i ==
                        (u_dut.u_hash.valid_o && flowlets_i && !hit_q[Asked] && live_i != '0))
    else $error("a frame of a flowlet: %b", u_dut.u_flowlet.valid_i);
    a_entry : assert ({u_dut.u_flowlet.rst_ni, u_dut.u_flowlet.now_i, u_dut.u_flowlet.interval_i,
                       u_dut.u_flowlet.live_i, u_dut.u_flowlet.least_i,
                       u_dut.u_flowlet.index_i} ==
                      {rst_ni, now_i, interval_i, live_i, least_i,
                       u_dut.u_hash.hash_o[$clog2(Flowlets)-1:0]})
    else $error("another flowlet");
    // Keys wait for flowlets alone.
    a_busy : assert (busy == u_dut.u_flowlet.busy_o)
    else $error("busy: %b", busy);

    // An override's port has died, and a flowlet's would have lived.
    c_moved : cover (past_q == '1 && valid && hit && !lives && said_q.by_flowlet && port == 4'd2);
  end

endmodule
