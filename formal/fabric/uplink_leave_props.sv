// uplink_leave: what begins to leave by which port, while links go down and come up.
module uplink_leave_props
  import uplink_route_pkg::*;
  import uplink_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       up_i,
  input logic             in_valid_i,
  input logic             in_last_i,
  input logic             decided_valid_i,
  input logic             none_i,
  input logic [PortW-1:0] port_i,
  input logic             out_ready_i
);

  // The first beat of a frame is marked.
  logic within_q, started_q, in_ready, out_valid, out_last, out, gone, begins, drops;
  logic [2:0] to, to_q, up_q;
  decided_t decided, way;
  assign out_valid = to != '0;
  assign decided = '{why: WayHash, none: none_i, port: port_i};

  uplink_leave #(
    .T    (logic),
    .NumUp(3),
    .Depth(3)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .up_i,
    .in_valid_i,
    .in_ready_o     (in_ready),
    .in_last_i,
    .in_i           (!within_q),
    .decided_valid_i,
    .decided_i      (decided),
    .out_to_o       (to),
    .out_ready_i,
    .out_last_o     (out_last),
    .out_o          (out),
    .gone_o         (gone),
    .begins_o       (begins),
    .drops_o        (drops),
    .way_o          (way)
  );

  // Frames whose first beat has come and that have not been decided on.
  logic [3:0] owed_q;
  logic inside_q, cut_q;   // a beat of a frame has left; its link went down then
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    up_q      <= up_i;
    if (in_valid_i && in_ready) within_q <= !in_last_i;
    owed_q <= owed_q + 4'(in_valid_i && in_ready && !within_q) - 4'(decided_valid_i);
    if (out_valid && out_ready_i) begin
      inside_q <= !out_last;
      to_q     <= to;
      cut_q    <= (to & ~up_i) != '0;
    end
    if (!rst_ni) begin
      within_q <= 1'b0;
      inside_q <= 1'b0;
      owed_q   <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // A frame is decided on once, behind its first beat.
    e_decided : assume (!rst_ni || !decided_valid_i || owed_q != '0);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // No frame begins to leave by a port that was dead a cycle ago.
      a_dead : assert (!out_valid || inside_q || (to & ~up_q) == '0)
      else $error("a frame begins to leave by ports %b, of which %b were up", to, up_q);
      // What leaves leaves by one port.
      a_one : assert ($onehot0(to))
      else $error("a beat by ports %b", to);
      // A frame leaves whole: its first beat first, all of it by the port by which it began.
      a_whole : assert (!out_valid || (out == !inside_q && (!inside_q || to == to_q)))
      else $error("beats of two frames are mixed, or one changes its port");
      // A frame is dropped from its begin to its end, or not at all.
      a_dropped : assert (!(gone && drops) || !inside_q)
      else $error("a frame is dropped that has begun to leave");
      // A frame goes on although its link went down; one is dropped because it did.
      c_goes_on : cover (out_valid && inside_q && cut_q && out_ready_i);
      c_dropped : cover (gone && drops && begins && !way.none);
    end
  end

endmodule
