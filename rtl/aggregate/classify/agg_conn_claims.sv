// Which ranks of which rings have a connection, and which of these were learned.
//
// A module of its own so that synthesis keeps it shallow: that a connection is learned is known
// late, and beside the comparison of keys it would get as much time as that takes.
module agg_conn_claims
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // One change a cycle: a rank gets a connection, or a ring loses those that were learned.
  input logic             set_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_all_i,     // the others, too
  input logic             clear_i,         // or one rank loses its connection
  input logic [RingW-1:0] clear_ring_i,
  input logic [RankW-1:0] clear_rank_i,

  // (ring, rank) pairs that have a connection, from the cycle after a change on.
  output logic [NumRings-1:0][NumRanks-1:0] claimed_o
);

  logic [NumRings-1:0][NumRanks-1:0] claimed_q, learned_q;   // learned: of those that are claimed
  logic [NumRings-1:0]               ring;   // one-hot
  logic [NumRanks-1:0]               rank;

  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) ring[g] = set_ring_i == RingW'(g);
    for (int unsigned r = 0; r < NumRanks; r++) rank[r] = set_rank_i == RankW'(r);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (set_i && ring[g] && rank[r]) begin
          claimed_q[g][r] <= 1'b1;
          learned_q[g][r] <= set_learned_i;
        end
      end
      if (flush_i && flush_ring_i == RingW'(g)) begin
        claimed_q[g] <= claimed_q[g] & ~learned_q[g] & ~{NumRanks{flush_all_i}};
      end
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (clear_i && clear_ring_i == RingW'(g) && clear_rank_i == RankW'(r)) begin
          claimed_q[g][r] <= 1'b0;
        end
      end
    end
    if (!rst_ni) claimed_q <= '0;
  end

  assign claimed_o = claimed_q;

endmodule
