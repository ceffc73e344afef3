// Filter between banks and reduction below a parent (docs/relay.md): where a read is of the
// parent's result, its row stands in the place of rank 0's.
//
// Reads come out of the banks in the order in which relay_take announces them; few are under way at
// once. Nobody waits.
module relay_row
  import roce_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulse: a read is on its way, in this order; `from_parent`: its sum is the parent's row.
  input relay_read_t read_i,

  // Rows as they leave all banks, `last_i` with a read's last one; in the same cycle the rows for
  // the reduction.
  input  logic                                  last_i,
  input  logic [Cfg.NumBanks-1:0][BeatBits-1:0] rows_i,
  output logic [Cfg.NumRanks-1:0][BeatBits-1:0] rows_o
);

  logic       ready, valid, from_parent;
  logic [2:0] count_unused;

  prim_fifo #(
    .T    (logic),
    .Depth(4)
  ) u_from (
    .clk_i,
    .rst_ni,
    .in_valid_i (read_i.valid),
    .in_ready_o (ready),
    .in_i       (read_i.from_parent),
    .out_valid_o(valid),
    .out_ready_i(last_i),
    .out_o      (from_parent),
    .count_o    (count_unused)
  );

  always_comb begin
    rows_o = rows_i[Cfg.NumRanks-1:0];
    if (from_parent) rows_o[0] = rows_i[Cfg.NumRanks];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each read has its place; a sum would be sent for a result, or the other way round.
      a_room : assert (!read_i.valid || ready)
      else $error("%m: too many reads are under way");
      a_read : assert (!last_i || valid)
      else $error("%m: a read that nobody asked for");
    end
  end

endmodule
