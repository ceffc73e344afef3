// agg_sum beside its two parts, whose answers are free (`cuts` of the task; agg_reduce_props, and
// prim_ram_word for the RAM): which place a row's sum has, what is kept there, and what leaves. One
// row of one slot is followed. (agg_sum_props has the parts in their places, and says that what is
// repeated is what left.)
module sum_parts_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  parameter int unsigned Ecc = 1
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input reduce_req_t                req_i,
  input logic [1:0][BeatBits-1:0]   rows_i,
  input logic [2:0]                 slot_i,   // any
  input logic [1:0]                 row_i,    // any
  input logic [$clog2(BeatBits)-1:0] bit_i    // any
);

  localparam int unsigned NumSlots = 8;
  localparam int unsigned Rows = 4;

  logic                valid, last, bad;
  logic [BeatBits-1:0] row;
  logic [MaxPorts-1:0] ports;
  mem_event_t          told;

  agg_sum #(
    .Cfg(make_cfg(2, 2, 64 * Rows, NumSlots, 1, 16, 1, 1, 0, 0, 1, 9728, Ecc))
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
    .event_o(told)
  );

  // A row that there is comes in; it is the followed one.
  logic fits, comes;
  assign fits   = 32'(req_i.slot) < NumSlots && 32'(req_i.row) < Rows;
  assign comes  = req_i.slot[2:0] == slot_i && req_i.row[1:0] == row_i;

  always_ff @(posedge clk_i) begin
    // Each row of each slot has a place of its own, and its row in the reduction goes by it.
    a_place : assert (!fits || comes == (u_dut.u_reduce.in_at_i == {slot_i, row_i}))
    else $error("row %0d of slot %0d at %0d", req_i.row, req_i.slot, u_dut.u_reduce.in_at_i);
    if (u_dut.keep) begin
      // A sum that is to be kept is, when it leaves.
      a_kept : assert (u_dut.u_sums.we_i == valid)
      else $error("kept %b", u_dut.u_sums.we_i);
    end else begin
      // Nothing else is.
      a_only : assert (!u_dut.u_sums.we_i)
      else $error("kept at %0d", u_dut.u_sums.waddr_i);
    end
    if (u_dut.kept) begin
      // A repetition is the kept sum, and is as bad as that is when it is read.
      a_repeated : assert (row[bit_i] == u_dut.kept_sum[bit_i] &&
                           bad == (Ecc != 0 && u_dut.kept_found.bad))
      else $error("bit %0d", bit_i);
    end else begin
      // Every other row is the one that was made, and is as bad as what it was made of.
      a_summed : assert (row[bit_i] == u_dut.u_sums.wdata_i[bit_i] &&
                         bad == (Ecc != 0 && u_dut.sum_found.bad))
      else $error("bit %0d", bit_i);
    end
    // What was found is counted as the row leaves: in the kept sum of a repetition, in the ranks'
    // rows of every other one; and for its slot. Without a code there is nothing to be found.
    a_told_bad : assert (told.found.bad == (valid && bad))
    else $error("bad %b", told.found.bad);
    a_told : assert (told.found.corrected == (Ecc != 0 && valid &&
        ((u_dut.kept && u_dut.kept_found.corrected) ||
         (!u_dut.kept && u_dut.sum_found.corrected))))
    else $error("corrected %b", told.found.corrected);
    a_whose : assert ((Ecc == 0) ? told.at == '0 :
                      (told.at == SlotW'(slot_i)) == (u_dut.at[4:2] == slot_i))
    else $error("told of slot %0d", told.at);

    // The last row of the last slot is kept; a bad one is repeated.
    c_kept : cover (u_dut.u_sums.we_i && u_dut.at == '1);
    c_bad : cover (valid && u_dut.kept && (bad || Ecc == 0));
  end

endmodule
