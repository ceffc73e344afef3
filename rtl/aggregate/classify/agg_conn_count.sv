// How many entries of the connection table are in use, and how many of these are retired, as they
// are stored: one that the walk of a flush has not come to counts as before.
//
// A change counts two cycles after it is made: a step of the walk changes all ways of a bucket, and
// what it changes is added up first.
module agg_conn_count
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Ways of both halves of the table, a power of two.
  parameter int unsigned All = 4
) (
  input logic clk_i,
  input logic rst_ni,

  // An entry is written; what stood there before was in use, or retired.
  input logic set_i,
  input logic set_used_i,
  input logic set_retired_i,

  // A step of the walk: the entries of a bucket as they were, and as they are written.
  input logic                  walk_i,
  // Only whether they are in use and retired.
  // verilator lint_off UNUSEDSIGNAL
  input conn_state_t [All-1:0] old_i,
  input conn_state_t [All-1:0] new_i,
  // verilator lint_on UNUSEDSIGNAL

  // An entry is retired; one is released, which was retired as it is stored.
  input logic retire_i,
  input logic release_i,
  input logic release_retired_i,

  output conn_count_t count_o   // as of two cycles ago
);

  localparam int unsigned SumW = $clog2(All) + 1;

  logic [All-1:0]  freed_q, retired_q, unretired_q;
  logic            added_q;
  logic [SumW-1:0] freed, retired, unretired;

  always_ff @(posedge clk_i) begin
    added_q <= set_i && !set_used_i;
    for (int unsigned w = 0; w < All; w++) begin
      freed_q[w]     <= walk_i && old_i[w].used && !new_i[w].used;
      retired_q[w]   <= walk_i && !old_i[w].retired && new_i[w].retired;
      unretired_q[w] <= walk_i && old_i[w].retired && !new_i[w].retired;
    end
    // One entry, whichever it is.
    if (set_i && set_used_i && set_retired_i) unretired_q[0] <= 1'b1;
    if (release_i) freed_q[0] <= 1'b1;
    if (release_i && release_retired_i) unretired_q[0] <= 1'b1;
    if (retire_i) retired_q[0] <= 1'b1;
    if (!rst_ni) {added_q, freed_q, retired_q, unretired_q} <= '0;
  end

  always_comb begin
    {freed, retired, unretired} = '0;
    for (int unsigned w = 0; w < All; w++) begin
      freed     += SumW'(freed_q[w]);
      retired   += SumW'(retired_q[w]);
      unretired += SumW'(unretired_q[w]);
    end
  end

  always_ff @(posedge clk_i) begin
    count_o.used    <= count_o.used + ConnCountW'(added_q) - ConnCountW'(freed);
    count_o.retired <= count_o.retired + ConnCountW'(retired) - ConnCountW'(unretired);
    if (!rst_ni) count_o <= '0;
  end

endmodule
