// uplink_flowlet: frames of a flow stay on one way while there is no boundary of a flowlet, so
// none overtakes another. One entry of the table is followed; what holds for any holds for all.
module uplink_flowlet_props
  import uplink_route_pkg::*;
#(
  /// Entries of the table.
  parameter int unsigned Entries = 2,
  /// Bits of time.
  parameter int unsigned TickW = 7,
  localparam int unsigned NumPorts = 3,
  localparam int unsigned IndexW = $clog2(Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [TickW-1:0]    now_i,
  input logic [TickW-3:0]    any_interval_i,
  input logic [NumPorts-1:0] live_i,
  input logic [PortW-1:0]    least_i,
  input logic                valid_i,
  input logic [IndexW-1:0]   index_i,

  // The entry that is followed.
  input logic [IndexW-1:0] follow_i
);

  logic              valid, busy;
  logic [PortW-1:0]  port;
  uplink_way_e       why;
  logic [TickW-3:0]  interval_q;
  logic [IndexW-1:0] follow_q;

  uplink_flowlet #(
    .Entries (Entries),
    .NumPorts(NumPorts),
    .TickW   (TickW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .now_i,
    .interval_i(interval_q),
    .live_i,
    .least_i,
    .valid_i,
    .index_i,
    .valid_o   (valid),
    .port_o    (port),
    .why_o     (why),
    .busy_o    (busy)
  );

  logic started_q;
  initial started_q = 1'b0;

  // Frames of the entry on their way, by how many cycles ago they came.
  logic [3:1]            mine_q;
  logic [3:1][TickW-1:0] at_q;
  // The last one that was answered: its port and when it came.
  logic                  had_q;
  logic [PortW-1:0]      port_q;
  logic [TickW-1:0]      last_q, time_q;
  logic                  answers, goes_on;

  // Too old once, too old until the next frame: time wraps.
  logic       old_q;
  logic [3:0] live_before_q;

  assign answers = valid && mine_q[3];
  assign goes_on = had_q && !old_q && at_q[3] - last_q <= TickW'(interval_q) &&
      live_before_q[port_q[1:0]];

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      interval_q <= any_interval_i;
      follow_q   <= follow_i;
    end
    time_q        <= now_i;
    // What is on its way may be of the flowlet yet.
    if (mine_q == '0 && now_i - last_q > TickW'(interval_q)) old_q <= 1'b1;
    live_before_q <= 4'(live_i);
    mine_q        <= {mine_q[2:1], valid_i && index_i == follow_q};
    at_q          <= {at_q[2:1], now_i};
    if (answers) begin
      had_q  <= 1'b1;
      port_q <= port;
      last_q <= at_q[3];
      old_q  <= 1'b0;
    end
    if (!rst_ni) {had_q, mine_q} <= '0;

    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    // Time goes on by one at most in a cycle.
    e_time : assume (!started_q || now_i - time_q <= TickW'(1));
    // A port with the least load is one of the device's.
    e_least : assume (32'(least_i) < NumPorts);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame that comes no later than an interval behind the one before of its flow takes the
      // same way, as long as that way's link is up: no frame overtakes another.
      a_one_way : assert (!answers || !goes_on || (port == port_q && why == WayGoesOn))
      else $error("port %0d, before %0d", port, port_q);
      // A frame is answered three cycles behind, and nothing else is.
      a_answered : assert (!mine_q[3] || valid)
      else $error("not answered");
      // A frame has a port that lives, or that was the least loaded.
      a_port : assert (!answers || 32'(port) < NumPorts)
      else $error("port %0d", port);
    end
    // A flowlet goes on behind a frame of two cycles ago, and ends behind a gap.
    c_goes_on : cover (rst_ni && answers && goes_on && mine_q[1]);
    c_gap : cover (rst_ni && answers && had_q && why == WayGap && port != port_q);
  end

endmodule
