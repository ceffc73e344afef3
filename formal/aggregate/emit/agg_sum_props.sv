// agg_sum: a repetition's row is the row that left for its slot when it was summed, whatever stands
// in the banks by then; it is never part of a sum, nor of the column before. Rows are looked at by
// some of their bits. One row of one slot, free, is followed.
//
// What a reduction makes of rows is agg_reduce_props and the proofs of its nodes: here their
// answers are free (cuts), and what is followed is what leaves.
module agg_sum_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  parameter int unsigned NumRanks = 2
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input reduce_req_t                       req_i,
  input logic [NumRanks-1:0][BeatBits-1:0] rows_i,
  // In the first cycle: the followed row.
  input logic                        [1:0] slot_i,
  input logic                              row_i
);

  localparam int unsigned NumSlots = 4;
  localparam int unsigned Rows = 2;
  localparam int unsigned Least = 7;

  logic                started_q, valid, last, bad;
  logic [BeatBits-1:0] row;
  logic [MaxPorts-1:0] ports;
  logic          [1:0] slot_q;
  logic                row_q;
  initial started_q = 1'b0;

  agg_sum #(
    .Cfg(make_cfg(2, NumRanks, 128, NumSlots, 1, 16, 1, 1, 0, 0, 1, 9728, 0))
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .rows_i,
    .valid_o(valid),
    .row_o  (row),
    .last_o (last),
    .ports_o(ports),
    .bad_o  (bad),
    .event_o()
  );

  // The followed row: cycles since it came last, whether it has been summed, and what left then.
  logic [3:0] since_q;
  logic       comes, summed_q, left_q;
  logic [1:0] value_q;
  logic       here;   // it leaves

  assign comes = req_i.valid && req_i.slot[1:0] == slot_q && req_i.row[0] == row_q;
  assign here  = valid && u_dut.at == {slot_q, row_q};

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {slot_q, row_q} <= {slot_i, row_i};
    if (32'(since_q) < Least) since_q <= since_q + 4'd1;
    if (comes) begin
      since_q <= 4'd1;
      if (req_i.keep) summed_q <= 1'b1;
    end
    if (here && u_dut.keep) begin
      left_q  <= 1'b1;
      value_q <= {row[BeatBits-1], row[0]};
    end
    if (!rst_ni) begin
      since_q  <= 4'(Least);
      summed_q <= 1'b0;
      left_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Rows are those that there are, and either summed or kept, or neither.
      e_rows : assume (!req_i.valid || (32'(req_i.slot) < NumSlots && 32'(req_i.row) < Rows &&
                                        !(req_i.keep && req_i.kept)));
      // A slot's row comes again seven cycles later, or more. Dropped: it is read as it is written.
      e_apart : assume (!comes || 32'(since_q) >= Least);
      // A row is repeated only when it has been summed. Dropped: what was there before leaves.
      e_summed : assume (!comes || !req_i.kept || summed_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A repetition is what left for its slot last.
      a_kept : assert (!(here && u_dut.kept) || (left_q && {row[BeatBits-1], row[0]} == value_q))
      else $error("row %b", row[0]);
      // A repetition behind a second sum.
      c_again : cover (here && u_dut.kept && value_q == 2'b10);
    end
  end

endmodule
