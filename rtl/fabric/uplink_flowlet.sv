// The flowlet table (Meta RoCE 4.5): a flow keeps its port until none of its frames has come for
// longer than an interval; then it goes to the port with the least load. Flows that share an entry
// are one, so that nothing overtakes. The C twin is uplink_flowlet_step.
//
// A frame a cycle, also many of one flow: what is on its way to the RAM is seen by those behind it.
// In cycles without a frame entries are looked through, and those that are too old are forgotten,
// so that time may wrap; who comes then is the first of its entry instead of one behind a gap, and
// gets the least loaded port all the same. So while time counts to a quarter of what it can, there
// must be as many cycles without a frame as there are entries. Nobody waits.
module uplink_flowlet
  import uplink_route_pkg::*;
#(
  /// Entries. Power of two, 2 or more.
  parameter int unsigned Entries = 1024,
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 4,
  /// Bits of time, which wraps.
  parameter int unsigned TickW = 32,
  localparam int unsigned IndexW = $clog2(Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  // Time in any unit, and how much of it may lie between two frames of a flowlet: less than a
  // quarter of what it counts to.
  input logic [TickW-1:0] now_i,
  input logic [TickW-3:0] interval_i,

  // Ports that can be used, at least one where there is a frame, and the one with the least load.
  input logic [NumPorts-1:0] live_i,
  input logic [PortW-1:0]    least_i,

  input logic              valid_i,
  input logic [IndexW-1:0] index_i,   // low bits of the flow's hash

  // FlowletLatency cycles later; the table is being cleared while `busy`, and nothing may come.
  output logic             valid_o,
  output logic [PortW-1:0] port_o,
  output uplink_way_e      why_o,
  output logic             busy_o
);

  if (2 ** IndexW != Entries || Entries < 2) begin : gen_check
    $fatal(1, "%m: Entries must be a power of two, 2 or more");
  end

  typedef struct packed {
    logic             valid;
    logic [PortW-1:0] port;
    logic [TickW-1:0] last;
  } entry_t;

  // An operation: a frame's, or a look for what is too old.
  typedef struct packed {
    logic              valid;
    logic              frame;
    logic [IndexW-1:0] index;
    logic [TickW-1:0]  now;
    logic [TickW-1:0]  floor;   // what is older is too old
  } op_t;

  logic              clears_q;
  logic [IndexW-1:0] at_q;   // what is cleared, or looked at, next
  op_t               op, s1_q, s2_q;
  // Of what is being written its time counts no more.
  // verilator lint_off UNUSEDSIGNAL
  op_t               s3_q;
  // verilator lint_on UNUSEDSIGNAL
  logic              valid4_q;
  logic [IndexW-1:0] index4_q;
  entry_t            read, seen, e2_q, known, after, e3_q, e4_q;
  uplink_way_e       why;
  logic              keeps;

  assign op = '{valid: valid_i || !clears_q, frame: valid_i, index: valid_i ? index_i : at_q,
                now: now_i, floor: now_i - TickW'(interval_i)};

  prim_ram_1r1w #(
    .Width  ($bits(entry_t)),
    .Depth  (Entries),
    .Latency(1)
  ) u_table (
    .clk_i,
    .we_i   (clears_q || s3_q.valid),
    .waddr_i(clears_q ? at_q : s3_q.index),
    .wdata_i(clears_q ? '0 : e3_q),
    .re_i   (op.valid),
    .raddr_i(op.index),
    .rdata_o(read)
  );

  // Stage 1: the word is there, unless it has been written since it was read.
  assign seen = (s3_q.valid && s3_q.index == s1_q.index) ? e3_q :
      (valid4_q && index4_q == s1_q.index) ? e4_q : read;
  // Stage 2: who was in front has been decided meanwhile. Both are looked at before it is known
  // which one counts.
  logic                ahead_q;   // the one in front is of the same entry
  logic [TickW-1:0]    age, age2, age3;
  logic [MaxPorts-1:0] live;
  assign live  = MaxPorts'(live_i);
  assign known = ahead_q ? e3_q : e2_q;
  assign age2  = e2_q.last - s2_q.floor;   // negative: too old
  assign age3  = e3_q.last - s2_q.floor;
  assign age   = ahead_q ? age3 : age2;

  always_comb begin
    why = WayGoesOn;
    if (!known.valid) why = WayFirst;
    else if (age[TickW-1]) why = WayGap;
    else if (!live[known.port]) why = WayDead;
    keeps = why == WayGoesOn;
    after = known;
    if (s2_q.frame) begin
      after.valid = 1'b1;
      after.last  = s2_q.now;
      if (!keeps) after.port = least_i;
    end else if (age[TickW-1]) begin
      after.valid = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    s1_q   <= op;
    s2_q   <= s1_q;
    s3_q   <= s2_q;
    ahead_q <= s2_q.valid && s2_q.index == s1_q.index;
    valid4_q <= s3_q.valid;
    index4_q <= s3_q.index;
    e2_q   <= seen;
    e3_q   <= after;
    e4_q   <= e3_q;
    why_o  <= why;
    if (clears_q || !valid_i) at_q <= at_q + IndexW'(1);
    if (at_q == '1) clears_q <= 1'b0;
    if (!rst_ni) begin
      s1_q.valid <= 1'b0;
      s2_q.valid <= 1'b0;
      s3_q.valid <= 1'b0;
      ahead_q    <= 1'b0;
      valid4_q   <= 1'b0;
      at_q       <= '0;
      clears_q   <= 1'b1;
    end
  end

  assign valid_o = s3_q.valid && s3_q.frame;
  assign port_o  = e3_q.port;
  assign busy_o  = clears_q;

  // The ports that lived when it was decided.
  logic [MaxPorts-1:0] live_q;
  logic [PortW-1:0]    least_q;
  always_ff @(posedge clk_i) begin
    live_q  <= live;
    least_q <= least_i;
    if (rst_ni) begin
      // Nothing comes while the table is being cleared; an entry of before reset would be found.
      a_clear : assert (!valid_i || !clears_q)
      else $error("%m: a frame while the table is being cleared");
      // A frame goes to a port that lives, or to the least loaded one.
      a_lives : assert (!valid_o || live_q[port_o] || port_o == least_q)
      else $error("%m: port %0d is dead", port_o);
    end
  end

endmodule
