// agg_conn_claims: a rank is taken from the cycle behind its connection's on, until that is
// forgotten: followed is one rank of one ring, at the sizes that are built.
module agg_conn_claims_props
  import agg_pkg::*;
#(
  parameter int unsigned NumRanks = 6,
  parameter int unsigned NumRings = 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             set_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_all_i,
  input logic             clear_i,
  input logic [RingW-1:0] clear_ring_i,
  input logic [RankW-1:0] clear_rank_i,
  // In the first cycles: those that are followed.
  input logic [RingW-1:0] ring_i,
  input logic [RankW-1:0] rank_i
);

  localparam int unsigned RingIdxW = $clog2(NumRings);
  localparam int unsigned RankIdxW = $clog2(NumRanks);
  logic [NumRings-1:0][NumRanks-1:0] claimed;
  logic                              begun_q, taken_q, learned_q, there, set, clear, taken, learned;
  logic [RingW-1:0]                  ring_q;
  logic [RankW-1:0]                  rank_q;

  agg_conn_claims #(
    .NumRanks(NumRanks),
    .NumRings(NumRings)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .set_i,
    .set_ring_i,
    .set_rank_i,
    .set_learned_i,
    .flush_i,
    .flush_ring_i,
    .flush_all_i,
    .clear_i,
    .clear_ring_i,
    .clear_rank_i,
    .claimed_o(claimed)
  );

  assign there   = 32'(ring_q) < NumRings && 32'(rank_q) < NumRanks;
  assign set     = set_i && {set_ring_i, set_rank_i} == {ring_q, rank_q};
  assign clear   = clear_i && {clear_ring_i, clear_rank_i} == {ring_q, rank_q};
  assign taken   = claimed[ring_q[RingIdxW-1:0]][rank_q[RankIdxW-1:0]];
  assign learned = u_dut.learned_q[ring_q[RingIdxW-1:0]][rank_q[RankIdxW-1:0]];

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b1;
    if (!begun_q) {ring_q, rank_q} <= {ring_i, rank_i};
    if (set) learned_q <= set_learned_i;
    if (!rst_ni || clear) taken_q <= 1'b0;
    else if (flush_i && flush_ring_i == ring_q) taken_q <= taken_q && !learned_q && !flush_all_i;
    else if (set) taken_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && begun_q && there) begin
      // A rank is taken by a connection of its ring, and free when that is released, or flushed
      // with the ring if it was learned or all are.
      a_taken : assert (taken == taken_q)
      else $error("ring %0d, rank %0d: %b", ring_q, rank_q, taken);
      // Whether it was learned is what its connection said (helps the proof).
      a_learned : assert (!taken || learned == learned_q)
      else $error("ring %0d, rank %0d learned: %b", ring_q, rank_q, learned);

      // A flush of the ring leaves one that was not learned.
      c_stays : cover (taken && !learned && flush_i && flush_ring_i == ring_q && !flush_all_i);
    end
  end

endmodule
