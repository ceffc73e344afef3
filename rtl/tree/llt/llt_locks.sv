// The lock cells of a tree node: who may stream through which tree, and for how many operations
// (SHARP 3.2; docs/tree.md).
//
// A cell is taken on a request's way up, and what comes down decides: kept, or given back by the
// request that took it. One that is kept is given back by its group, by the last of its operations,
// or with its tree. A tree has one owner, whoever asks.
//
// One thing at a time: cells are compared in one cycle and written in the next. An operation that
// has ended is never refused, and counted before anybody who asks; so it is counted five cycles
// later at the latest, if the next one ends four cycles behind it or later.
module llt_locks
  import llt_pkg::*;
  import sat_pkg::VerdictOk;
#(
  /// Cells, 1 to 8.
  parameter int unsigned NumCells = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // What is asked for; answered two cycles behind, once.
  input  logic         ask_valid_i,
  output logic         ask_ready_o,
  input  lock_ask_t    ask_i,
  output logic         answer_valid_o,
  output lock_answer_t answer_o,

  input  lock_count_t               count_i,   // an operation has ended, and counts
  output lock_cell_t [NumCells-1:0] cells_o   // as they are
);

  if (NumCells < 1 || NumCells > 8) begin : gen_check_cells
    $fatal(1, "%m: NumCells must be 1 to 8");
  end

  typedef logic [NumCells-1:0] cells_t;

  lock_cell_t [NumCells-1:0] cells_q;
  lock_count_t               count_q;   // waits to be counted
  lock_ask_t                 ask_q;
  logic                      asks_q, counts_q;
  logic                      counts, asks;
  cells_t                    tree_q, owned_q, same_q, last_q, free_q;
  logic [15:0]               tree, group;

  assign counts      = count_q.valid && !asks_q && !counts_q;
  assign ask_ready_o = !count_q.valid && !asks_q && !counts_q;
  assign asks        = ask_valid_i && ask_ready_o;
  assign tree        = counts ? count_q.tree : ask_i.tree;
  assign group       = counts ? count_q.group : ask_i.group;
  assign cells_o     = cells_q;

  always_ff @(posedge clk_i) begin
    asks_q   <= asks;
    counts_q <= counts;
    ask_q    <= ask_i;
    for (int unsigned c = 0; c < NumCells; c++) begin
      tree_q[c]  <= cells_q[c].used && cells_q[c].tree == tree;
      owned_q[c] <= cells_q[c].used && cells_q[c].tree == tree && cells_q[c].group == group;
      // One that is kept is of an earlier request.
      same_q[c]  <= !cells_q[c].kept && cells_q[c].sequence_no == ask_i.sequence_no;
      last_q[c]  <= cells_q[c].left == 32'd1;
      free_q[c]  <= !cells_q[c].used;
    end
    if (count_i.valid) count_q <= count_i;
    else if (counts) count_q.valid <= 1'b0;
    if (!rst_ni) begin
      asks_q        <= 1'b0;
      counts_q      <= 1'b0;
      count_q.valid <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What becomes of the cells.

  cells_t     takes, settles, frees;
  // verilator lint_off UNUSEDSIGNAL
  lock_cell_t holder;   // who it is, and what is left
  // verilator lint_on UNUSEDSIGNAL

  assign takes   = (asks_q && ask_q.op == LockTake && tree_q == '0) ?
      free_q & (~free_q + cells_t'(1)) : '0;
  assign settles = (asks_q && ask_q.op == LockSettle) ? owned_q & same_q : '0;

  always_comb begin
    frees = '0;
    if (counts_q) frees = owned_q & last_q;
    if (asks_q) begin
      unique case (ask_q.op)
        LockSettle:  frees = ask_q.keep ? '0 : settles;
        LockRelease: frees = owned_q;
        LockDrop:    frees = tree_q;
        default:     frees = '0;
      endcase
    end
    // Whoever is in the way; of a tree that is free, the first cell.
    holder = cells_q[0];
    for (int unsigned c = 0; c < NumCells; c++) if (tree_q[c]) holder = cells_q[c];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NumCells; c++) begin
      if (settles[c]) cells_q[c].kept <= ask_q.keep;
      if (counts_q && owned_q[c] && cells_q[c].left != LockUnlimited) begin
        cells_q[c].left <= cells_q[c].left - 32'd1;
      end
      if (takes[c]) begin
        cells_q[c] <= '{used: 1'b1, kept: 1'b0, tree: ask_q.tree, group: ask_q.group,
                        sequence_no: ask_q.sequence_no,
                        left: (ask_q.count == '0) ? LockUnlimited : ask_q.count};
      end
      if (frees[c]) cells_q[c].used <= 1'b0;
      if (!rst_ni) cells_q[c].used <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    answer_valid_o <= asks_q;
    answer_o       <= '{good: 1'b0, verdict: VerdictOk, tree: holder.tree, group: holder.group,
                        left: holder.left};
    unique case (ask_q.op)
      LockTake:    answer_o.good <= takes != '0;
      LockSettle:  answer_o.good <= settles != '0;
      LockRelease: answer_o.good <= owned_q != '0;
      LockDrop:    answer_o.good <= tree_q != '0;
      default: begin
        for (int unsigned c = 0; c < NumCells; c++) begin
          if (owned_q[c] && cells_q[c].kept) answer_o.good <= 1'b1;
        end
      end
    endcase
    if (takes == '0) begin
      answer_o.verdict <= (tree_q != '0) ? VerdictLockFailed : VerdictNoResource;
    end
    if (!rst_ni) answer_valid_o <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------

  logic shared;   // two cells of one tree
  always_comb begin
    shared = 1'b0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      for (int unsigned d = 0; d < c; d++) begin
        if (cells_q[c].used && cells_q[d].used && cells_q[c].tree == cells_q[d].tree) begin
          shared = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A tree has one owner; with two, packets of two groups would be added.
      a_owner : assert (!shared)
      else $error("%m: a tree has two owners");
      // Each operation is counted; else a lock would never come back.
      a_count : assert (!count_i.valid || !count_q.valid || counts)
      else $error("%m: an operation ends before the one in front was counted");
    end
  end

endmodule
