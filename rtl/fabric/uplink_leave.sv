// Where a frame's beats meet what was decided on it, and leave: by one port, or dropped.
//
// Links are looked at when a frame's first beat is about to leave: if its port has died meanwhile
// it is dropped, whole. What has begun goes on; roce_link ends it. A decision comes for each frame,
// in order, behind its first beat; a frame waits for it.
module uplink_leave
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  /// What a beat carries beside the mark of a frame's last one.
  parameter type T = logic [7:0],
  /// Uplinks, 1 to MaxPorts.
  parameter int unsigned NumUp = 4,
  /// Beats that wait, and decisions, 1 or more.
  parameter int unsigned Depth = 32
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [NumUp-1:0] up_i,   // links that are up

  input  logic in_valid_i,
  output logic in_ready_o,
  input  logic in_last_i,
  input  T     in_i,

  // Of each frame one; there is always room.
  input logic     decided_valid_i,
  input decided_t decided_i,

  // What is shown may be withdrawn as long as a frame has not begun; then it stays.
  output logic             out_valid_o,
  output logic [NumUp-1:0] out_to_o,     // a bit for its port
  input  logic             out_ready_i,
  output logic             out_last_o,
  output T                 out_o,

  // A beat leaves, or is dropped; it is a frame's first one; what was decided on its frame.
  output logic     gone_o,
  output logic     begins_o,
  output logic     drops_o,
  output decided_t way_o
);

  typedef struct packed {
    logic last;
    T     data;
  } entry_t;

  entry_t beat_in, beat;
  logic beat_valid, way_valid, way_room, dead, within_q, dropping_q;
  logic [MaxPorts-1:0] up;
  assign beat_in = '{last: in_last_i, data: in_i};

  prim_fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_i       (beat_in),
    .out_valid_o(beat_valid),
    .out_ready_i(gone_o),
    .out_o      (beat),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // Each frame that has been decided on has a beat in the queue, or is the last one that came: so
  // there is room.
  prim_fifo #(
    .T    (decided_t),
    .Depth(Depth)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .in_valid_i (decided_valid_i),
    .in_ready_o (way_room),
    .in_i       (decided_i),
    .out_valid_o(way_valid),
    .out_ready_i(gone_o && beat.last),
    .out_o      (way_o),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign up          = MaxPorts'(up_i);
  assign begins_o    = !within_q;
  assign dead        = way_o.none || !up[way_o.port];
  assign drops_o     = begins_o ? dead : dropping_q;
  assign out_valid_o = beat_valid && way_valid && !drops_o;
  assign gone_o      = beat_valid && way_valid && (drops_o || out_ready_i);
  assign out_last_o  = beat.last;
  assign out_o       = beat.data;
  always_comb begin
    for (int unsigned u = 0; u < NumUp; u++) begin
      out_to_o[u] = out_valid_o && way_o.port == PortW'(u);
    end
  end

  always_ff @(posedge clk_i) begin
    if (gone_o) begin
      within_q   <= !beat.last;
      dropping_q <= drops_o;
    end
    if (!rst_ni) within_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A decision finds room; else a frame would take the way of the one behind it.
      a_room : assert (!decided_valid_i || way_room)
      else $error("%m: no room for a decision");
    end
  end

endmodule
