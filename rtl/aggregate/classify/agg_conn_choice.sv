// Which entry is the answer to a query of the connection table: the one that has its key, or else
// the first free one of the bucket that has more of them, the left one of two alike
// (docs/protocol.md). No registers.
//
// A module of its own so that synthesis keeps it shallow: that a key matches is known late.
module agg_conn_choice
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Ways of each half, 1 or 2.
  parameter int unsigned Ways = 2,
  /// Bits of a bucket's number.
  parameter int unsigned BucketW = 8,
  localparam int unsigned All = 2 * Ways,
  localparam int unsigned WayW = $clog2(All)
) (
  // Left half first, a bucket of each half. One way at most matches.
  input logic        [All-1:0]              match_i,
  input conn_state_t [All-1:0]              state_i,
  input logic        [1:0][BucketW-1:0]     bucket_i,

  output logic                              full_o,     // no way is free
  output logic                              retired_o,  // of the way that matches
  output logic        [RingW-1:0]           ring_o,
  output logic        [RankW-1:0]           rank_o,
  output logic        [WayW-1:0]            way_o,
  output logic        [BucketW-1:0]         bucket_o
);

  logic [All-1:0] free, place, chosen;   // one-hot but for the first

  always_comb begin
    for (int unsigned w = 0; w < All; w++) free[w] = !state_i[w].used;
    if (Ways == 1) begin
      place = free[0] ? All'(1) : All'(2);
    end else begin
      place = '0;
      if (free[Ways] && free[All-1] && !(free[0] && free[Ways-1])) place[Ways] = 1'b1;
      else if (free[0]) place[0] = 1'b1;
      else if (free[Ways-1]) place[Ways-1] = 1'b1;
      else if (free[Ways]) place[Ways] = 1'b1;
      else place[All-1] = 1'b1;
    end
    // None matches: the place.
    chosen = match_i | ((match_i == '0) ? place : '0);
    way_o  = '0;
    for (int unsigned w = 0; w < All; w++) if (chosen[w]) way_o |= WayW'(w);
    {retired_o, ring_o, rank_o} = '0;
    for (int unsigned w = 0; w < All; w++) begin
      if (match_i[w]) begin
        {retired_o, ring_o, rank_o} |= {state_i[w].retired, state_i[w].ring, state_i[w].rank};
      end
    end
  end

  assign full_o   = free == '0;
  assign bucket_o = (chosen[All-1:Ways] != '0) ? bucket_i[1] : bucket_i[0];

endmodule
