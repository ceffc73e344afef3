// Frames of a port that wait for their turn: look-up is asked about them, and their verdicts wait
// beside them, in the order in which they came in.
//
// A module of its own because it alone says when the next frame may be asked about. Nobody knows
// how long the output is held, and no decided frame may wait for it: others wait for the banks of
// decided frames. So a frame is fetched only when room at the output is set aside for each one in
// front of it, in case that is passed; or when that one is known not to be. Where the output has no
// room, frames are fetched one at a time.
//
// It waits for room at the output, for look-up, and for verdicts, which wait for nobody here.
module agg_port_fetch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
#(
  /// Frames that are fetched at most, 1 to 8. 1: a descriptor stays shown until the verdict.
  parameter int unsigned Hand = 2,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Frames from the ingress.
  input  logic        desc_valid_i,
  output logic        desc_ready_o,
  input  frame_desc_t desc_i,

  // Look-ups, of the frame whose descriptor is shown; verdicts, pulses, in their order.
  output logic        lookup_valid_o,
  input  logic        lookup_ready_i,
  output frame_desc_t lookup_o,
  input  logic        verdict_valid_i,
  input  verdict_t    verdict_i,

  // Free beats at the output; a beat of a frame that is passed goes there.
  input logic [9:0] pass_room_i,
  input logic       pass_beat_i,

  // The oldest frame, decided; it is taken when `next` allows it. `any`: a frame is fetched.
  input  logic     next_i,
  output logic     load_o,
  output fetched_t frame_o,
  // verilator lint_off UNUSEDSIGNAL
  output verdict_t verdict_o,   // the port is this one
  // verilator lint_on UNUSEDSIGNAL
  output logic     any_o,

  // If the frame that was taken last is passed, there is room for all of it.
  output logic clear_o
);

  localparam int unsigned HandW = $clog2(Hand + 1);
  /// What is not always 0 of a descriptor.
  localparam frame_desc_t Kept = desc_kept(Without);

  fetched_t         shown, head;
  // verilator lint_off UNUSEDSIGNAL
  verdict_t         kept;
  // verilator lint_on UNUSEDSIGNAL
  logic             fetch, asks, room, any, kept_any, kept_room, passes;
  logic [HandW-1:0] fetched, kept_count_unused;
  logic             sure_q;   // nobody knows of a frame in hand that the output may hold it

  always_comb begin
    shown                 = '0;
    shown.candidate       = desc_i.candidate;
    shown.beats           = desc_i.beats;
    shown.rows            = 8'(rows_of(desc_i.tensor_len));
    shown.meta.mark       = desc_i.has_ina || desc_i.has_imm;
    shown.meta.vlan       = Without[WithoutVlan] ? 1'b0 : desc_i.vlan;
    shown.meta.v6         = Without[WithoutIpv6] ? 1'b0 : desc_i.key.v6;
    shown.meta.has_pad    = (desc_i.pad == 2'd2);
    shown.meta.hdr_len    = desc_i.hdr_len;
    shown.meta.tensor_len = desc_i.tensor_len;
    shown.meta.psn        = desc_i.psn;
  end

  // A descriptor asks where it is shown. What is asked about takes its place at once.
  assign asks           = desc_valid_i && desc_i.candidate && room && sure_q;
  assign lookup_valid_o = asks;
  if (Kept == '1) begin : gen_all
    assign lookup_o = desc_i;
  end else begin : gen_kept
    assign lookup_o = desc_i & Kept;
  end
  assign fetch          = desc_valid_i && room && sure_q && (!desc_i.candidate || lookup_ready_i);
  assign desc_ready_o   = (Hand == 1 && desc_i.candidate) ? verdict_valid_i : fetch;

  prim_fifo #(
    .T    (fetched_t),
    .Depth(Hand)
  ) u_fetched (
    .clk_i,
    .rst_ni,
    .in_valid_i (fetch),
    .in_ready_o (room),
    .in_i       (shown),
    .out_valid_o(any),
    .out_ready_i(load_o),
    .out_o      (head),
    .count_o    (fetched)
  );

  // Verdicts that came before their frame's turn.
  prim_fifo #(
    .T    (verdict_t),
    .Depth(Hand)
  ) u_verdicts (
    .clk_i,
    .rst_ni,
    .in_valid_i (verdict_valid_i && (kept_any || !load_o || !head.candidate)),
    .in_ready_o (kept_room),
    .in_i       (verdict_i),
    .out_valid_o(kept_any),
    .out_ready_i(load_o && head.candidate),
    .out_o      (kept),
    .count_o    (kept_count_unused)
  );

  assign load_o = next_i && any && (!head.candidate || kept_any || verdict_valid_i);
  assign any_o  = any;
  always_comb begin
    verdict_o = kept_any ? kept : verdict_i;
    if (!head.candidate) verdict_o.fate = FatePassed;
    frame_o           = head;
    frame_o.meta.rank = 8'(verdict_o.rank);
    frame_o.meta.conn = verdict_o.conn;
  end
  assign passes = verdict_o.fate == FatePassed;

  // ---------------------------------------------------------------------------------------------
  // Room at the output. The newest frame looks for it; all in front of that one, of those that are
  // fetched, have it, and what turns out not to be passed gives it back.

  logic        fits, returns, beat_q;
  logic [8:0]  newest_q;   // beats of the newest frame
  logic [8:0]  back_q;     // that are given back, a cycle ago; as late: a beat that went
  logic [10:0] left_q;     // free beats that are set aside for nobody, a cycle ago; below 0: none
  logic [9:0]  aside_q;    // beats that are set aside and have not gone there

  assign fits    = !sure_q && !left_q[10] && left_q[9:0] >= 10'(newest_q);
  assign returns = load_o && !passes && (sure_q || fits || fetched != HandW'(1));
  // Frames behind it are fetched, so it is not the newest one.
  assign clear_o = any || sure_q || fits;

  always_ff @(posedge clk_i) begin
    left_q  <= {1'b0, pass_room_i} - {1'b0, aside_q};
    back_q  <= returns ? head.beats : '0;
    beat_q  <= pass_beat_i;
    aside_q <= aside_q + (fits ? 10'(newest_q) : '0) - 10'(back_q) - 10'(beat_q);
    if (fetch) newest_q <= desc_i.beats;
    if (fetch) sure_q <= 1'b0;
    else if (fits || (load_o && !passes && fetched == HandW'(1))) sure_q <= 1'b1;
    if (!rst_ni) begin
      sure_q  <= 1'b1;
      aside_q <= '0;
      back_q  <= '0;
      beat_q  <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  logic [HandW-1:0] waits_q;   // look-ups without a verdict

  always_ff @(posedge clk_i) begin
    waits_q <= waits_q + HandW'(asks && lookup_ready_i) - HandW'(verdict_valid_i);
    if (!rst_ni) waits_q <= '0;
    if (rst_ni) begin
      // A verdict belongs to a frame that waits for one, and has a place; otherwise a frame would
      // get another frame's fate.
      a_verdict : assert (!verdict_valid_i || (waits_q != '0 && kept_room))
      else $error("%m: verdict for a frame that asked for none");
      // A frame is passed into room that was set aside for it; the output would hold it half way,
      // and all that wait for a bank of those behind it.
      a_aside : assert (!pass_beat_i || aside_q > 10'(back_q) + 10'(beat_q))
      else $error("%m: a frame is passed without room");
    end
  end

endmodule
