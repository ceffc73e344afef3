// Commits of a column that are one operation are as if one had come after the other: whatever is
// proved of commits of one rank holds for those of several.
//
// Of any record, which need not be one that can be: the commit of some ranks beside that of all but
// one of them, and behind that the commit of the one that was left out, which one is free. So a
// commit of n ranks is one of n - 1 and one of a single rank, in any order.
module slot_joined_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3
) (
  input logic                           clk_i,
  input slot_op_t                       op_i,
  input logic [NumRanks-1:0]            ranks_i,
  input logic [MaxRanks-1:0][PortW-1:0] ports_i,
  input slot_rec_t                      rec_i,
  input logic                           foreign_i,
  input logic                           needed_i,
  input logic [RankW-1:0]               last_i   // the rank that comes behind the others
);

  slot_op_t            op;
  logic [MaxRanks-1:0] all, one;
  slot_rel_t           rel;
  slot_rec_t           rec, first, behind, joined;
  slot_result_t        result_first, result_behind, result;
  logic [2:0]          foreign, needed;   // the place behind the first, behind both, joined

  always_comb begin
    op       = op_i;
    op.op    = SlotCommit;
    op.touch = 1'b1;
    op.first = 1'b1;   // no others join
    all      = MaxRanks'(ranks_i);
    rec          = rec_i;   // without ranks that there are not
    rec.missing  = rec_i.missing & MaxRanks'((1 << NumRanks) - 1);
    rec.accepted = rec_i.accepted & MaxRanks'((1 << NumRanks) - 1);
    one      = (32'(last_i) < NumRanks) ? all & (MaxRanks'(1) << last_i) : '0;
  end
  // A commit changes no tag.
  assign rel = relate(op.msgid, op.kind, op.tensor_len, rec.tag, rec.kind, rec.tensor_len);

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_first (
    .op_i     (op),
    .rank_i   (all & ~one),
    .port_i   (ports_i),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (rec),
    .foreign_i,
    .needed_i,
    .rel_i    (rel),
    .blocked_i('0),
    .rec_o    (first),
    .foreign_o(foreign[0]),
    .needed_o (needed[0]),
    .result_o (result_first),
    .forward_i(1'b1),
    .other_i  ('0),
    .next_o   ()
  );

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_behind (
    .op_i     (op),
    .rank_i   (one),
    .port_i   (ports_i),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (first),
    .foreign_i(foreign[0]),
    .needed_i (needed[0]),
    .rel_i    (rel),
    .blocked_i('0),
    .rec_o    (behind),
    .foreign_o(foreign[1]),
    .needed_o (needed[1]),
    .result_o (result_behind),
    .forward_i(1'b1),
    .other_i  ('0),
    .next_o   ()
  );

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_joined (
    .op_i     (op),
    .rank_i   (all),
    .port_i   (ports_i),
    .ranks_i  (ranks_of(op.workers)),
    .rec_i    (rec),
    .foreign_i,
    .needed_i,
    .rel_i    (rel),
    .blocked_i('0),
    .rec_o    (joined),
    .foreign_o(foreign[2]),
    .needed_o (needed[2]),
    .result_o (result),
    .forward_i(1'b1),
    .other_i  ('0),
    .next_o   ()
  );

  always_ff @(posedge clk_i) begin
    // The record is the same, however many ranks came at once.
    a_record : assert (joined == behind && foreign[2] == foreign[1] && needed[2] == needed[1]);
    // So is what becomes due, and by which job.
    a_due : assert (result.completes == (result_first.completes || result_behind.completes) &&
        result.push_first == (result_first.push_first || result_behind.push_first) &&
        result.push_again == (result_first.push_again || result_behind.push_again) &&
        result.moves == (result_first.moves | result_behind.moves) && !result.set_tag);
    // It completes once.
    a_once : assert (!(result_first.completes && result_behind.completes));
    // The last of three ranks completes the column, which two have joined.
    c_completes : cover (result_behind.completes && $countones(all & rec.missing) == 3 &&
                         joined.port != rec.port);
  end

endmodule
