// uplink_merge: which beat leaves, what is remembered of its frame, and whose turn is next, whoever
// is chosen.
//
// Who is chosen, and who waits longest, have proofs of their own (turn_rules, prim_arb_rr). Here
// what they say is left out of the circuit and free.
module merge_beats_props
  import shell_pkg::*;
#(
  parameter int unsigned NumSources = 4,
  parameter int unsigned NumQueues = 2,
  parameter int unsigned Depth = 32,
  parameter int unsigned MaxBeats = 9,
  localparam int unsigned CountW = $clog2(Depth + 1),
  localparam int unsigned SourceW = $clog2(NumSources),
  localparam int unsigned QueueW = $clog2(NumQueues)
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic   [NumSources-1:0]          in_valid_i,
  input bytes_t [NumSources-1:0]          in_data_i,
  input keep_t  [NumSources-1:0]          in_keep_i,
  input logic   [NumSources-1:0]          in_last_i,
  input logic   [NumSources-1:0][2:0]     in_prio_i,
  input logic   [NumQueues-1:0][CountW-1:0] level_i,
  input logic                             out_ready_i,
  input logic   [SourceW-1:0]             source_i,   // any
  input logic   [QueueW-1:0]              queue_i     // any
);

  logic [NumSources-1:0] in_ready;
  logic                  taken, out_valid, out_last;
  bytes_t                out_data;
  keep_t                 out_keep;
  logic [2:0]            out_prio;

  uplink_merge #(
    .NumSources(NumSources),
    .NumQueues (NumQueues),
    .Depth     (Depth),
    .MaxBeats  (MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_prio_i,
    .taken_o    (taken),
    .level_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data),
    .out_keep_o (out_keep),
    .out_last_o (out_last),
    .out_prio_o (out_prio)
  );

  logic [NumSources-1:0] chosen, waits, next;
  logic                  stays;
  assign chosen = u_dut.u_turn.chosen_o;
  assign waits  = u_dut.u_turn.waits_o;
  assign next   = u_dut.u_turn.next_i;
  assign stays  = (next & waits) != '0;

  // A cycle ago; of the source that is followed, if it alone was chosen; whether the latest beat
  // that was taken, of one source, leaves its frame open.
  logic                             past_q, run_q, taken_q, alone_q, open_q, sure_q, stays_q;
  logic                             any_q;
  logic [NumSources-1:0]            chosen_q, next_q, grant_q;
  logic [NumQueues-1:0][CountW-1:0] level_q;
  logic [$bits(bytes_t)+$bits(keep_t)+3:0] beat_q;
  initial {past_q, sure_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q   <= 1'b1;
    run_q    <= rst_ni;
    taken_q  <= rst_ni && taken;
    level_q  <= level_i;
    chosen_q <= chosen;
    next_q   <= next;
    stays_q  <= stays;
    any_q    <= u_dut.u_arbiter.valid_o;
    grant_q  <= u_dut.u_arbiter.gnt_o;
    alone_q  <= chosen == NumSources'(1) << source_i;
    beat_q   <= {in_data_i[source_i], in_keep_i[source_i], in_last_i[source_i],
                 in_prio_i[source_i]};
    if (taken) begin
      open_q <= !in_last_i[source_i];
      sure_q <= chosen == NumSources'(1) << source_i;
    end
    if (!rst_ni) begin
      open_q <= 1'b0;
      sure_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // Who is chosen may send; a beat is taken if that one has one.
    a_taken : assert (in_ready == chosen && taken == ((chosen & in_valid_i) != '0))
    else $error("taken: %b", taken);
    // What was taken leaves in the cycle behind, and nothing else does; nothing behind a reset.
    a_leaves : assert (!past_q || out_valid == taken_q)
    else $error("leaves: %b", out_valid);
    // It is the beat of the source that was chosen.
    a_beat : assert (!past_q || !alone_q || {out_data, out_keep, out_last, out_prio} == beat_q)
    else $error("another beat leaves");
    // A frame has begun and not ended as its latest beat says, and is of who was chosen last.
    a_within : assert (!sure_q || u_dut.u_turn.within_i == open_q)
    else $error("inside a frame: %b", u_dut.u_turn.within_i);
    a_whose : assert (!past_q || (u_dut.u_turn.whose_i == chosen_q &&
                                  u_dut.u_turn.valid_i == in_valid_i))
    else $error("another source's frame");
    // A queue has room if the longest frame fits in beside what was in it a cycle ago, and three
    // beats that may be on their way; not behind a reset.
    a_room : assert (!past_q || u_dut.u_turn.room_i[queue_i] ==
                     (run_q && 32'(level_q[queue_i]) + MaxBeats + 3 <= Depth))
    else $error("queue %0d, %0d inside", queue_i, level_q[queue_i]);
    // Who is next stays so while it waits;
    a_stays : assert (!past_q || !run_q || !stays_q || next == next_q)
    else $error("next: %b", next);
    // else it is who the arbiter says, and where nobody asks who has just sent; nobody behind a
    // reset.
    a_next : assert (!past_q || !run_q || stays_q || next == (any_q ? grant_q : chosen_q))
    else $error("next: %b", next);
    a_none : assert (!past_q || run_q || next == '0)
    else $error("next: %b", next);
    // The arbiter is asked by all that wait, and goes on when another one is next.
    a_asks : assert (u_dut.u_arbiter.rst_ni == rst_ni && u_dut.u_arbiter.req_i == waits &&
                     u_dut.u_arbiter.advance_i == !stays)
    else $error("the arbiter");

    // A source sends the last beat of its frame, and another one is next.
    c_last : cover (past_q && out_valid && alone_q && out_last && next != '0 && next != next_q);
  end

endmodule
