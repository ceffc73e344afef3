// uplink_flowlet around its table: what is decided of each entry that is looked at, from any word
// that the table shows and what was decided before of the same one, and what is written. (That
// frames of a flow so keep their order is uplink_flowlet's proof.)
module flowlet_steps_props
  import uplink_route_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned TickW = 7,
  parameter int unsigned NumPorts = 3,
  localparam int unsigned IndexW = $clog2(Entries)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [TickW-1:0]    now_i,
  input logic [TickW-3:0]    interval_i,
  input logic [NumPorts-1:0] live_i,
  input logic [PortW-1:0]    least_i,
  input logic                valid_i,
  input logic [IndexW-1:0]   index_i
);

  logic             valid, busy;
  logic [PortW-1:0] port;
  uplink_way_e      why;

  uplink_flowlet #(
    .Entries (Entries),
    .NumPorts(NumPorts),
    .TickW   (TickW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .now_i,
    .interval_i,
    .live_i,
    .least_i,
    .valid_i,
    .index_i,
    .valid_o(valid),
    .port_o (port),
    .why_o  (why),
    .busy_o (busy)
  );

  typedef struct packed {
    logic             used;
    logic [PortW-1:0] port;
    logic [TickW-1:0] last;
  } entry_t;

  // Who looks at an entry: a frame, or who looks for what is too old, round all of them.
  typedef struct packed {
    logic              looks;
    logic              frame;
    logic [IndexW-1:0] index;
    logic [TickW-1:0]  now;
    logic [TickW-1:0]  oldest;   // that is not too old
  } look_t;

  // It, the ones of the three cycles before, and what was decided of the one two cycles before, and
  // of the three in front of that.
  look_t             look;
  look_t  [5:1]      look_q;
  entry_t            read_q, older, known, decided;
  entry_t [3:1]      decided_q;
  logic              clears_q, reset_q;
  logic [IndexW-1:0] round_q;
  logic signed [TickW-1:0] age;
  uplink_way_e       reason, reason_q;

  always_comb begin
    look = '{1'b1, 1'b0, round_q, now_i, now_i - TickW'(interval_i)};
    if (clears_q) look.looks = 1'b0;
    if (valid_i) {look.looks, look.frame, look.index} = {1'b1, 1'b1, index_i};
  end

  // What is known of the entry: what was decided last, which the table may not have yet.
  always_comb begin
    known = read_q;
    for (int unsigned n = 3; n > 0; n--) begin
      older = known;   // what the one right in front of it has not changed
      if (look_q[2+n].looks && look_q[2+n].index == look_q[2].index) known = decided_q[n];
    end
    age = signed'(known.last - look_q[2].oldest);
    // A flow goes on unless its entry is new, too old, or of a port that is no more.
    reason = WayGoesOn;
    if (known.used && (known.port >= 4'(NumPorts) || !live_i[known.port[1:0]])) reason = WayDead;
    if (known.used && age < 0) reason = WayGap;
    if (!known.used) reason = WayFirst;
    // A look forgets what is too old; a frame is the last one of its entry, with a way.
    decided = known;
    if (age < 0 && !look_q[2].frame) decided.used = 1'b0;
    if (look_q[2].frame) begin
      decided = '{1'b1, (reason == WayGoesOn) ? known.port : least_i, look_q[2].now};
    end
  end

  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    look_q    <= {look_q[4:1], look};
    read_q    <= u_dut.u_table.rdata_o;
    decided_q <= {decided_q[2:1], decided};
    reason_q  <= reason;
    // All are cleared first; then they are looked at in cycles without a frame.
    if (clears_q || !valid_i) round_q <= round_q + IndexW'(1);
    if (32'(round_q) == Entries - 1) clears_q <= 1'b0;
    if (!rst_ni) begin
      {clears_q, reset_q} <= 2'b11;
      round_q <= '0;
      {look_q[1].looks, look_q[2].looks, look_q[3].looks, look_q[4].looks, look_q[5].looks} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // What is on its way, and what was decided of it (helps the proof).
      a_on_its_way : assert ({u_dut.s1_q.valid, u_dut.s2_q.valid, u_dut.s3_q.valid,
                              u_dut.valid4_q} == {look_q[1].looks, look_q[2].looks,
                              look_q[3].looks, look_q[4].looks} &&
                             {u_dut.clears_q, u_dut.at_q} == {clears_q, round_q})
      else $error("on its way");
      a_decided : assert ((!look_q[1].looks || u_dut.s1_q == look_q[1]) &&
                          (!look_q[2].looks || (u_dut.s2_q == look_q[2] && u_dut.e2_q == older &&
                           u_dut.ahead_q == (look_q[3].looks &&
                                             look_q[3].index == look_q[2].index))) &&
                          (!look_q[3].looks || (u_dut.s3_q == look_q[3] &&
                           u_dut.e3_q == decided_q[1])) &&
                          (!look_q[4].looks || (u_dut.index4_q == look_q[4].index &&
                           u_dut.e4_q == decided_q[2])))
      else $error("decided");
      // Read is the entry of a frame, or else the next one in turn.
      a_read : assert (u_dut.u_table.re_i == look.looks &&
                       (!look.looks || u_dut.u_table.raddr_i == look.index))
      else $error("reads %0d", u_dut.u_table.raddr_i);
      // Written is what was decided of it, three cycles behind, or that it is clear.
      a_writes : assert (u_dut.u_table.we_i == (clears_q || look_q[3].looks) &&
                         (!u_dut.u_table.we_i || (u_dut.u_table.waddr_i ==
                          (clears_q ? round_q : look_q[3].index))))
      else $error("writes %0d", u_dut.u_table.waddr_i);
      a_what : assert (clears_q ? u_dut.u_table.wdata_i == '0 :
                       !look_q[3].looks || u_dut.u_table.wdata_i == decided_q[1])
      else $error("writes %h", u_dut.u_table.wdata_i);
      // A frame is answered then, and nothing else.
      a_answers : assert (valid == (look_q[3].looks && look_q[3].frame))
      else $error("answers %b", valid);
      // With the way that it has, and why.
      a_way : assert (!valid || (port == decided_q[1].port && why == reason_q))
      else $error("port %0d", port);
      // While entries are cleared nobody may come.
      a_busy : assert (busy == clears_q)
      else $error("busy %b", busy);

      // Three frames of an entry in a row; a look forgets what a frame in front of it has seen.
      c_row : cover (look_q[5:3] == {3{look_q[3]}} && valid && why == WayGoesOn);
      c_forgets : cover (look_q[3].looks && !look_q[3].frame &&
                         !decided_q[1].used && decided_q[2].used && look_q[4].looks &&
                         look_q[4].index == look_q[3].index);
    end
  end

endmodule
