// Whole frames of several sources to one port, in turn.
//
// A source's frame begins when its queue behind has room for the longest one: so no frame stops in
// the middle, and a queue that is paused stops nobody who is for another one. Nobody in front waits
// for who is behind, and what was taken leaves in the cycle after. Whose turn is next is known a
// cycle before; if that one does not ask, the first that does begins.
module uplink_merge
  import shell_pkg::*;
#(
  /// Sources, 1 or more; those whose number modulo NumQueues is the same are of one queue.
  parameter int unsigned NumSources = 8,
  parameter int unsigned NumQueues = 2,
  /// Beats of a queue behind, and of the longest frame, less by Late or more.
  parameter int unsigned Depth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned CountW = $clog2(Depth + 1),
  /// Beats that were let go and are not in a queue's level yet.
  localparam int unsigned Late = 3
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

  output logic taken_o,   // a beat

  input  logic [NumQueues-1:0][CountW-1:0] level_i,   // beats in each queue behind
  output logic                             out_valid_o,   // the queue must take it
  input  logic                             out_ready_i,
  output bytes_t                           out_data_o,
  output keep_t                            out_keep_o,
  output logic                             out_last_o,
  output logic [2:0]                       out_prio_o
);

  if (MaxBeats + Late > Depth) begin : gen_check
    $fatal(1, "%m: Depth must be more than MaxBeats by %0d", Late);
  end

  typedef struct packed {
    bytes_t     data;
    keep_t      keep;
    logic       last;
    logic [2:0] prio;
  } beat_t;
  beat_t beat, beat_q;
  logic [NumSources-1:0][$bits(beat_t)-1:0] beats;
  logic [NumSources-1:0] waits, grant, next_q, chosen, chosen_q;
  logic [NumQueues-1:0]  room_q;
  logic busy_q, any, keeps;

  // A beat of this cycle, one that is shown behind, and one that goes into a queue just now.
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      room_q[q] <= rst_ni && level_i[q] <= CountW'(Depth - MaxBeats - Late);
    end
  end

  for (genvar s = 0; s < NumSources; s++) begin : gen_source
    assign beats[s] = {in_data_i[s], in_keep_i[s], in_last_i[s], in_prio_i[s]};
  end

  prim_arb_rr #(
    .N(NumSources)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (waits),
    .advance_i(!keeps),
    .gnt_o    (grant),
    /* verilator lint_off PINCONNECTEMPTY */
    .idx_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .valid_o  (any)
  );

  uplink_turn #(
    .NumSources(NumSources),
    .NumQueues (NumQueues)
  ) u_turn (
    .valid_i (in_valid_i),
    .room_i  (room_q),
    .within_i(busy_q),
    .whose_i (chosen_q),
    .next_i  (next_q),
    .chosen_o(chosen),
    .waits_o (waits)
  );

  // Who is next stays so while it asks and its frame has not begun. Where nobody else asks it is
  // who leaves now, and may have another frame behind.
  assign keeps      = (next_q & waits) != '0;
  assign taken_o    = (chosen & in_valid_i) != '0;
  assign in_ready_o = chosen;

  prim_pick #(
    .Width($bits(beat_t)),
    .Words(NumSources)
  ) u_pick (
    .in_i    (beats),
    .select_i(chosen),
    .out_o   (beat)
  );
  assign out_data_o = beat_q.data;
  assign out_keep_o = beat_q.keep;
  assign out_last_o = beat_q.last;
  assign out_prio_o = beat_q.prio;

  always_ff @(posedge clk_i) begin
    if (taken_o) busy_q <= !beat.last;
    if (!keeps) next_q <= any ? grant : chosen;
    chosen_q    <= chosen;
    out_valid_o <= taken_o;
    beat_q      <= beat;
    if (!rst_ni) begin
      next_q      <= '0;
      busy_q      <= 1'b0;
      out_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame that begins finds room to its end; else a beat of it would be lost.
      a_room : assert (!out_valid_o || out_ready_i)
      else $error("%m: no room for the rest of a frame");
    end
  end

endmodule
