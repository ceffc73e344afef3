// Where a frame's beats meet what was decided on it, and leave: by one port, or dropped.
//
// Links are looked at in the cycle before a frame's first beat leaves: if its port has died until
// then it is dropped, whole. What has begun goes on; roce_link ends it. A decision comes for each
// frame, in order, behind its first beat; a frame waits for it.
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

  input  logic in_valid_i,   // beats of frames, in order
  output logic in_ready_o,
  input  logic in_last_i,
  input  T     in_i,

  // Of each frame one; there is always room.
  input logic     decided_valid_i,
  input decided_t decided_i,

  // What is shown may be withdrawn as long as a frame has not begun; then it stays.
  output logic [NumUp-1:0] out_to_o,   // a bit for its port, while there is something
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

  // A beat with its way, and a bit for its port.
  typedef struct packed {
    logic             last;
    T                 data;
    decided_t         way;
    logic [NumUp-1:0] to;
  } shown_t;

  entry_t beat_in, beat;
  logic beat_valid, way_valid, way_room, next_valid, next_room_q;
  decided_t way;
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
    .out_ready_i(way_valid && next_room_q),
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
    .out_ready_i(beat_valid && next_room_q && beat.last),
    .out_o      (way),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // ---------------------------------------------------------------------------------------------
  // What is shown, and what waits behind it: as a skid buffer (prim_skid), with what becomes of
  // what is shown worked out a cycle ahead.

  shown_t next, behind, spare_q, shown_q;
  logic spare_valid_q, valid_q, turn, coming, within_q, goes_on, drops, late;

  function automatic logic dies(logic none, logic [NumUp-1:0] to, logic [NumUp-1:0] up);
    dies = none || (to & up) == '0;
  endfunction

  assign next_valid = beat_valid && way_valid;
  always_comb begin
    next = '{last: beat.last, data: beat.data, way: way, to: '0};
    for (int unsigned u = 0; u < NumUp; u++) next.to[u] = way.port == PortW'(u);
  end

  assign turn       = !valid_q || gone_o;
  assign behind     = spare_valid_q ? spare_q : next;
  assign coming     = spare_valid_q || (next_valid && next_room_q);
  // The rest of a frame goes where its first beat went.
  assign goes_on    = valid_q ? !shown_q.last : within_q;
  assign drops      = goes_on ? drops_o : dies(behind.way.none, behind.to, up_i);
  assign late       = dies(shown_q.way.none, shown_q.to, up_i);
  assign begins_o   = !within_q;
  assign gone_o     = valid_q && (drops_o || out_ready_i);
  assign out_last_o = shown_q.last;
  assign out_o      = shown_q.data;
  assign way_o      = shown_q.way;

  always_ff @(posedge clk_i) begin
    if (turn) begin
      valid_q       <= coming;
      shown_q       <= behind;
      drops_o       <= drops;
      out_to_o      <= (coming && !drops) ? behind.to : '0;
      spare_valid_q <= 1'b0;
      next_room_q   <= 1'b1;
    end else begin
      if (next_valid && next_room_q) begin
        spare_valid_q <= 1'b1;
        spare_q       <= next;
        next_room_q   <= 1'b0;
      end
      if (begins_o) begin
        drops_o  <= late;
        out_to_o <= late ? '0 : shown_q.to;
      end
    end
    if (gone_o) within_q <= !shown_q.last;
    if (!rst_ni) begin
      valid_q       <= 1'b0;
      spare_valid_q <= 1'b0;
      next_room_q   <= 1'b0;
      within_q      <= 1'b0;
      out_to_o      <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port is named while there is something for it, and only then; else nothing would leave as
      // if it were a beat.
      a_named : assert ((out_to_o != '0) == (valid_q && !drops_o))
      else $error("%m: ports %b, valid %b, dropped %b", out_to_o, valid_q, drops_o);
      // A decision finds room; else a frame would take the way of the one behind it.
      a_room : assert (!decided_valid_i || way_room)
      else $error("%m: no room for a decision");
    end
  end

endmodule
