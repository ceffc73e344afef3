// Responses to units, and copies of them to other units that wait for the same property
// (gather_merge).
//
// A response goes to who asked for it, with the ID that it came with; its beats go round for each
// copy, which has unit and ID of who waits. Who waits: responses for each other, for the table, and
// for units to take them, which wait for memory.
module gather_copy
  import gather_pkg::*;
#(
  /// RIG units, 1 to 64.
  parameter int unsigned NumUnits = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // Responses to units that there are.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // Looked up, each once; and who gets copies of the oldest one, taken with its last beat.
  output logic                      look_valid_o,
  input  logic                      look_ready_i,
  input  logic                      known_valid_i,
  output logic                      known_ready_o,
  input  logic [NumUnits-1:0]       copies_i,
  input  logic [NumUnits-1:0][31:0] ids_i,

  // To the unit of their tid.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // Pulse: a copy has left.
  output logic copied_o
);

  localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1;
  /// Beats that a response may have, and that wait until it is known who gets it.
  localparam int unsigned MostBeats = (MaxLen + BeatBytes - 1) / BeatBytes;
  localparam int unsigned Waiting = 8;

  logic     room, in_valid, again_room, again_valid, copying_q, valid, take, keep;
  pr_beat_t in, again, beat;
  logic [NumUnits-1:0] left_q, rest, pick;
  logic [UnitW-1:0]    to;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Waiting+1)-1:0]     in_count;
  logic [$clog2(2*MostBeats+1)-1:0] again_count;
  // verilator lint_on UNUSEDSIGNAL

  assign look_valid_o = pr_valid_i && pr_i.first && room;
  assign pr_ready_o   = room && (!pr_i.first || look_ready_i);

  prim_fifo #(
    .T    (pr_beat_t),
    .Depth(Waiting)
  ) u_in (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i && (!pr_i.first || look_ready_i)),
    .in_ready_o (room),
    .in_i       (pr_i),
    .out_valid_o(in_valid),
    .out_ready_i(take && !copying_q),
    .out_o      (in),
    .count_o    (in_count)
  );

  // Beats that go round. There is room for all of a response while they do.
  prim_fifo_ram #(
    .T    (pr_beat_t),
    .Depth(2 * MostBeats)
  ) u_again (
    .clk_i,
    .rst_ni,
    .in_valid_i (take && keep),
    .in_ready_o (again_room),
    .in_i       (beat),
    .out_valid_o(again_valid),
    .out_ready_i(take && copying_q),
    .out_o      (again),
    .count_o    (again_count)
  );

  // The copy that leaves is that of the lowest unit of those that are left; the rest comes later.
  assign pick = left_q & (~left_q + NumUnits'(1));
  assign rest = copying_q ? left_q & ~pick : copies_i;
  assign keep = rest != '0;

  always_comb begin
    to = '0;
    for (int unsigned u = 0; u < NumUnits; u++) if (pick[u]) to = UnitW'(u);
    beat = copying_q ? again : in;
    pr_o = beat;
    if (copying_q) begin
      pr_o.pr.tid = 16'(to);
      pr_o.pr.id  = ids_i[to];
    end
  end

  assign valid         = copying_q ? again_valid : in_valid && known_valid_i;
  assign pr_valid_o    = valid;
  assign take          = valid && pr_ready_i;
  assign known_ready_o = take && beat.last && !keep;
  assign copied_o      = take && beat.last && copying_q;

  always_ff @(posedge clk_i) begin
    if (take && beat.last) begin
      copying_q <= keep;
      left_q    <= rest;
    end
    if (!rst_ni) copying_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What goes round has room; else a copy lacks a beat.
      a_room : assert (!(take && keep) || again_room)
      else $error("%m: no room for a beat that goes round");
    end
  end

endmodule
