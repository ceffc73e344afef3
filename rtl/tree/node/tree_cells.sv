// The lock cells of a node's trees (llt_locks), and what they say of its groups: who may stream,
// and who holds a lock at all (SHARP 3.2; docs/tree.md).
//
// The streaming tree counts its operations here; the low-latency one asks. Both are answered as
// llt_locks says, and nobody else waits.
module tree_cells
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Cells, 1 to 8.
  parameter int unsigned NumCells = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // The trees begin, and are no more: then they hold nothing. What is set stands meanwhile, but for
  // changes of groups.
  input logic     open_i,
  input logic     close_i,
  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t cfg_i,      // of the trees; not all of its fields
  // verilator lint_on UNUSEDSIGNAL

  // What the low-latency tree asks for (llt_locks).
  input  logic         ask_valid_i,
  output logic         ask_ready_o,
  input  lock_ask_t    ask_i,
  output logic         answer_valid_o,
  output lock_answer_t answer_o,

  // Who may stream through the streaming tree, and the groups that have a cell, kept or not: as the
  // cells were a cycle ago.
  output sat_lock_t         lock_o,
  output logic [Groups-1:0] holds_o,

  // The streaming tree: it is there, has ended, whose vector is in it; an operation of that group
  // has ended, and is counted.
  input logic              there_i,
  input logic              down_i,
  input logic              streams_i,
  input logic [GroupW-1:0] streams_group_i,
  input logic              ended_i,

  output lock_cell_t [NumCells-1:0] cells_o   // as they are
);

  lock_count_t count;

  assign count = '{valid: ended_i, tree: cfg_i.tree, group: cfg_i.groups[streams_group_i].id};

  llt_locks #(
    .NumCells(NumCells)
  ) u_locks (
    .clk_i,
    .rst_ni (rst_ni && !open_i && !close_i),
    .ask_valid_i,
    .ask_ready_o,
    .ask_i,
    .answer_valid_o,
    .answer_o,
    .count_i(count),
    .cells_o
  );

  always_ff @(posedge clk_i) begin
    lock_o.valid <= 1'b0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      for (int unsigned g = Groups; g > 0; g--) begin
        if (cells_o[c].used && cells_o[c].kept && cells_o[c].tree == cfg_i.tree &&
            cfg_i.groups[g-1].valid && cfg_i.groups[g-1].id == cells_o[c].group) begin
          lock_o <= '{valid: 1'b1, group: GroupW'(g - 1)};
        end
      end
    end
    if (!rst_ni || open_i) lock_o.valid <= 1'b0;
  end

  // A group of which nothing is under way has had its cell for longer than a cycle.
  always_ff @(posedge clk_i) begin
    holds_o <= '0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        if (cells_o[c].used && cells_o[c].tree == cfg_i.tree && cfg_i.groups[g].valid &&
            cells_o[c].group == cfg_i.groups[g].id) begin
          holds_o[g] <= 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------

  lock_cell_t [NumCells-1:0] cells_q, cells2_q;   // as they were one and two cycles ago
  logic                      streams_q, held;
  always_ff @(posedge clk_i) begin
    cells_q   <= cells_o;
    cells2_q  <= cells_q;
    streams_q <= streams_i && rst_ni;
  end
  always_comb begin
    held = 1'b0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      held |= cells2_q[c].used && cells2_q[c].kept && cells2_q[c].tree == cfg_i.tree &&
          cells2_q[c].group == cfg_i.groups[streams_group_i].id;
    end
  end

  logic orphan;   // a cell of a group that is not there
  always_comb begin
    orphan = 1'b0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      logic known;
      known = 1'b0;
      for (int unsigned g = 0; g < Groups; g++) begin
        known |= cfg_i.groups[g].valid && cfg_i.groups[g].id == cells_o[c].group;
      end
      orphan |= cells_o[c].used && cells_o[c].tree == cfg_i.tree && !known;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && there_i) begin
      // Who holds a lock is there to give it back; else nobody else would ever stream.
      a_owner : assert (!orphan)
      else $error("%m: a lock of a group that is no more");
    end
    if (rst_ni && there_i && !down_i) begin
      // A vector begins to stream only if the cells say that its group holds the lock; else two
      // groups' packets could meet in one tree.
      a_locked : assert (!(streams_i && !streams_q) || held)
      else $error("%m: group %0d streams without the lock", streams_group_i);
    end
  end

endmodule
