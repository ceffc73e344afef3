// tree_cells: what lock cells say of the groups of a tree, for any cells; and that who asks, and
// the end of an operation, come to them. What cells there are is llt_locks' proof; here they are
// free. What holds for one group holds for all.
module cells_parts_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumCells = 3
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              open_i,
  input logic              close_i,
  input sat_cfg_t          cfg_i,
  input logic              ask_valid_i,
  input lock_ask_t         ask_i,
  input logic              there_i,
  input logic              down_i,
  input logic              streams_i,
  input logic [GroupW-1:0] streams_group_i,
  input logic              ended_i,
  input logic [GroupW-1:0] group_i,   // any
  input logic [GroupW-1:0] other_i    // any
);

  logic                      ask_ready, answer_valid;
  lock_answer_t              answer;
  sat_lock_t                 who;
  logic       [Groups-1:0]   holds;
  lock_cell_t [NumCells-1:0] cells;

  tree_cells #(
    .NumCells(NumCells)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .ask_valid_i,
    .ask_ready_o   (ask_ready),
    .ask_i,
    .answer_valid_o(answer_valid),
    .answer_o      (answer),
    .lock_o        (who),
    .holds_o       (holds),
    .there_i,
    .down_i,
    .streams_i,
    .streams_group_i,
    .ended_i,
    .cells_o       (cells)
  );

  // Which cells are a group's: those in use that name this tree and its number. What is kept is no
  // request on its way.
  logic [Groups-1:0][NumCells-1:0] owned, kept;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      for (int unsigned c = 0; c < NumCells; c++) begin
        owned[g][c] = 1'b0;
        if (cfg_i.groups[g].valid && cells[c].used) begin
          owned[g][c] = {cells[c].tree, cells[c].group} == {cfg_i.tree, cfg_i.groups[g].id};
        end
        kept[g][c] = cells[c].kept ? owned[g][c] : 1'b0;
      end
    end
  end

  // As it was a cycle ago. That there are cells of two groups, or groups with one number, does not
  // happen (llt_locks, tree_setup); what is said then is here all the same.
  logic       [GroupW-1:0]               group_q, other_q, who_q;
  logic                                  begun_q, clear_q, held_q;
  logic       [Groups-1:0]               any_q;
  logic       [NumCells-1:0]             kept_q;
  logic       [Groups-1:0][NumCells-1:0] all_kept_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q            <= 1'b1;
    {group_q, other_q} <= {group_i, other_i};
    who_q              <= who.group;
    clear_q            <= !rst_ni || open_i;
    held_q             <= owned[group_i] != '0;
    kept_q             <= kept[group_i];
    all_kept_q         <= kept;
    for (int unsigned g = 0; g < Groups; g++) any_q[g] <= kept[g] != '0;
  end

  always_ff @(posedge clk_i) begin
    // Cells hold nothing from a reset on, nor when trees begin or end.
    a_reset : assert (u_dut.u_locks.rst_ni == (rst_ni && !(open_i || close_i)))
    else $error("reset %b", u_dut.u_locks.rst_ni);
    // What the low-latency tree asks for comes to the cells, and their answer to it.
    a_asks : assert (u_dut.u_locks.ask_valid_i == ask_valid_i && u_dut.u_locks.ask_i == ask_i &&
                     ask_ready == u_dut.u_locks.ask_ready_o)
    else $error("asks %b", ask_valid_i);
    a_answers : assert (answer_valid == u_dut.u_locks.answer_valid_o &&
                        answer == u_dut.u_locks.answer_o)
    else $error("answers %b", answer_valid);
    // Everybody sees the cells as they are.
    a_cells : assert (cells == u_dut.u_locks.cells_o)
    else $error("other cells");
    // The end of an operation counts for the group that streams, of this tree.
    a_counts : assert (u_dut.u_locks.count_i.valid == ended_i &&
                       u_dut.u_locks.count_i.tree == cfg_i.tree &&
                       (streams_group_i != group_i ||
                        u_dut.u_locks.count_i.group == cfg_i.groups[group_i].id))
    else $error("counts for group %0d", u_dut.u_locks.count_i.group);
    if (begun_q) begin
      // A group has a cell if it had one a cycle ago, kept or not.
      a_holds : assert (holds[group_q] == held_q)
      else $error("group %0d: %b", group_q, holds[group_q]);
      // Somebody may stream if one of the cells was a group's for good, and nothing has begun.
      a_valid : assert (who.valid == (!clear_q && any_q != '0))
      else $error("lock %b", who.valid);
      // Of cells of several groups the last one says who (groups are of different numbers, so no
      // two have one cell); nobody's cells say nothing new.
      a_who : assert ((any_q == '0) ? who.group == who_q : all_kept_q[who.group] >= kept_q)
      else $error("group %0d, not %0d", who.group, group_q);
      // Of groups with one number the first is the one.
      a_first : assert (!(all_kept_q[group_q] == all_kept_q[other_q] && kept_q != '0 &&
                          group_q < other_q && who.group == other_q))
      else $error("group %0d, not %0d", who.group, group_q);

      // A group with a request on its way, while another one may stream.
      c_both : cover (who.valid && holds[group_q] && who.group != group_q && any_q[0]);
    end
  end

endmodule
