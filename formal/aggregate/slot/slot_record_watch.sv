// What is true of every slot record at all times, as assertions: its ready-made summaries agree
// with the bits they stand for. Used by the property files of all that keep records.
module slot_record_watch
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumRanks = 2,
  /// MsgIDs go round 2^32.
  parameter bit Slides = 1'b0
) (
  input logic           clk_i,
  input logic           rst_ni,
  input slot_rec_t      rec_i,
  // A job of the slot is out.
  input logic           job_i,
  // Of the ring.
  input logic [RankW:0] workers_i
);

  logic [MaxRanks-1:0] all;
  assign all = ranks_of(workers_i);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A record is empty when no rank is accepted.
      a_empty : assert (!rec_i.valid || rec_i.empty == (rec_i.accepted == '0));
      // It is complete when no worker is missing.
      a_complete : assert (rec_i.complete ==
          (rec_i.valid && !rec_i.empty && rec_i.missing == '0));
      // Only the ring's ranks are in it; who is in its bank was accepted.
      a_members : assert (!rec_i.valid || rec_i.empty ||
          ((rec_i.accepted & ~all) == '0 && (rec_i.missing & ~all) == '0 &&
           (all & ~rec_i.missing & ~rec_i.accepted) == '0 && rec_i.workers == workers_i));
      // Results are due of complete columns only.
      a_owed : assert (rec_i.owed == '0 ||
          (rec_i.complete && (rec_i.owed & ~rec_i.accepted) == '0));
      // Before its first emission a complete column owes to all.
      a_pending : assert (!rec_i.first_pending || (rec_i.complete && rec_i.owed == all));
      // A column's packets are held in the banks until its sum is first taken.
      a_held : assert (rec_i.held == (rec_i.valid && !rec_i.empty &&
          (!rec_i.complete || rec_i.first_pending)));
      // Nobody is in a record that is not valid.
      a_invalid : assert (rec_i.valid ||
          (rec_i.accepted == '0 && rec_i.owed == '0 && rec_i.missing == '0));
      // All MsgIDs lie within half of the serial numbers.
      a_window : assert (Slides || !rec_i.valid || rec_i.tag < 32'h7FFF_FFFF);
      // Ranks that the configuration lacks are nowhere.
      a_lacking : assert ((rec_i.accepted >> NumRanks) == '0 &&
          (rec_i.missing >> NumRanks) == '0 && (rec_i.owed >> NumRanks) == '0 &&
          (rec_i.port >> (NumRanks * PortW)) == '0);
      // A stray job of a complete column serves its dues.
      a_stray : assert (!rec_i.stray || !rec_i.complete || rec_i.owed != '0);
      // The slot has one job as long as anything is due.
      a_job : assert (job_i == (rec_i.owed != '0 || rec_i.stray));
    end
  end

endmodule
