// Whole frames of several sources to one port, in turn.
//
// A source's frame begins when its queue behind has room for the longest one: so no frame stops in
// the middle, and a queue that is paused stops nobody who is for another one.
module uplink_merge
  import shell_pkg::*;
#(
  /// Sources, 1 or more; those whose number modulo NumQueues is the same are of one queue.
  parameter int unsigned NumSources = 8,
  parameter int unsigned NumQueues = 2,
  /// Beats of a queue behind, and of the longest frame, less.
  parameter int unsigned Depth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // `valid` may fall as long as a frame has not begun.
  input  logic   [NumSources-1:0]      in_valid_i,
  output logic   [NumSources-1:0]      in_ready_o,
  input  bytes_t [NumSources-1:0]      in_data_i,
  input  keep_t  [NumSources-1:0]      in_keep_i,
  input  logic   [NumSources-1:0]      in_last_i,
  input  logic   [NumSources-1:0][2:0] in_prio_i,

  input  logic [NumQueues-1:0][CountW-1:0] level_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output bytes_t                           out_data_o,
  output keep_t                            out_keep_o,
  output logic                             out_last_o,
  output logic [2:0]                       out_prio_o
);

  if (MaxBeats + 1 > Depth) begin : gen_check
    $fatal(1, "%m: Depth must be more than MaxBeats");
  end

  typedef struct packed {
    bytes_t     data;
    keep_t      keep;
    logic       last;
    logic [2:0] prio;
  } beat_t;
  beat_t beat;
  logic [NumSources-1:0][$bits(beat_t)-1:0] beats;
  logic [NumSources-1:0] request, grant, chosen, chosen_q;
  logic [NumQueues-1:0]  room_q;
  logic busy_q, any;

  // A beat of the cycle before is not in the level yet.
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      room_q[q] <= rst_ni && level_i[q] < CountW'(Depth - MaxBeats);
    end
  end

  for (genvar s = 0; s < NumSources; s++) begin : gen_source
    assign request[s] = in_valid_i[s] && room_q[s%NumQueues];
    assign beats[s]   = {in_data_i[s], in_keep_i[s], in_last_i[s], in_prio_i[s]};
  end

  prim_arb_rr #(
    .N(NumSources)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (request),
    .advance_i(!busy_q && any),
    .gnt_o    (grant),
    /* verilator lint_off PINCONNECTEMPTY */
    .idx_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .valid_o  (any)
  );

  assign chosen      = busy_q ? chosen_q : grant;
  assign out_valid_o = busy_q ? (chosen_q & in_valid_i) != '0 : any;
  assign in_ready_o  = out_ready_i ? chosen : '0;

  prim_pick #(
    .Width($bits(beat_t)),
    .Words(NumSources)
  ) u_pick (
    .in_i    (beats),
    .select_i(chosen),
    .out_o   (beat)
  );
  assign out_data_o = beat.data;
  assign out_keep_o = beat.keep;
  assign out_last_o = beat.last;
  assign out_prio_o = beat.prio;

  always_ff @(posedge clk_i) begin
    if (out_valid_o && out_ready_i) busy_q <= !out_last_o;
    chosen_q <= chosen;
    if (!rst_ni) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame that begins finds room to its end; else it would keep all others from leaving.
      a_room : assert (!out_valid_o || out_ready_i)
      else $error("%m: no room for the rest of a frame");
    end
  end

endmodule
