// agg_reduce: rows that come as agg_emit_read says never meet the second turn of one of 16-bit
// elements. What agg_reduce's other proofs take for granted of that, as a property of its inside,
// is shown here of its ports.
module reduce_spacing_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumRanks = 3,
  parameter int unsigned WideLanes = 0
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i
);

  logic spacing;
  logic behind_q;   // the second turn was taken in the cycle before

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(WideLanes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_rows_i,
    .in_workers_i,
    .in_kind_i,
    .in_last_i  (1'b0),
    .in_ports_i ('0),
    .in_keep_i  (1'b0),
    .in_kept_i  (1'b0),
    .in_at_i    ('0),
    .in_found_i ('0),
    .kept_re_o  (),
    .kept_at_o  (),
    .out_valid_o(),
    .out_row_o  (),
    .out_last_o (),
    .out_ports_o(),
    .out_keep_o (),
    .out_kept_o (),
    .out_at_o   (),
    .out_found_o()
  );

  rows_handover #(
    .WideLanes(WideLanes)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .valid_i  (in_valid_i),
    .kind_i   (in_kind_i),
    .spacing_o(spacing)
  );

  always_ff @(posedge clk_i) begin
    behind_q <= u_dut.again_q;
    if (rst_ni) begin
      // No row comes right behind one of 16-bit elements. Dropped: it takes the second turn's
      // place.
      e_spacing : assume (spacing);
      // A second turn is taken behind such a row, and no other.
      a_turn : assert (u_dut.again_q == u_rows.half_q);
      // A row comes behind a second turn.
      c_behind : cover (in_valid_i && behind_q);
    end
  end

endmodule
