// llt_locks: a tree has one owner at a time, whoever asks; what was kept is given back by its group
// alone, by the last of its operations, or with its tree; and a tree that is no more holds nothing.
module llt_locks_props
  import llt_pkg::*;
#(
  parameter int unsigned NumCells = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        ask_valid_i,
  input lock_ask_t   ask_i,
  input lock_count_t count_i,
  input logic [15:0] any_tree_i,
  input logic [15:0] any_group_i
);

  logic                      begun_q, ready, answer_valid;
  lock_answer_t              answer;
  lock_cell_t [NumCells-1:0] cells;
  logic [15:0]               tree_q, group_q;   // any, and always the same

  llt_locks #(
    .NumCells(NumCells)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ask_valid_i,
    .ask_ready_o   (ready),
    .ask_i,
    .answer_valid_o(answer_valid),
    .answer_o      (answer),
    .count_i,
    .cells_o       (cells)
  );

  // Who owns that tree, as one who only hears what is asked for and answered would tell it.
  logic      asked1_q, asked2_q;   // one or two cycles ago
  lock_ask_t ask1_q, ask2_q;
  logic      owned_q;              // by the group; else by another one, or by nobody
  logic      mine, full, counts1_q, ended_q;
  logic [2:0] quiet_q;             // cycles since an operation ended

  always_comb begin
    mine = 1'b0;
    full = 1'b1;
    for (int unsigned c = 0; c < NumCells; c++) begin
      if (cells[c].used && cells[c].tree == tree_q && cells[c].group == group_q) mine = 1'b1;
      full = full && cells[c].used;
    end
  end

  logic of_tree, of_group;
  assign of_tree  = asked2_q && ask2_q.tree == tree_q;
  assign of_group = of_tree && ask2_q.group == group_q;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    if (!begun_q) begin
      tree_q  <= any_tree_i;
      group_q <= any_group_i;
    end
    asked1_q  <= ask_valid_i && ready && rst_ni;
    ask1_q    <= ask_i;
    asked2_q  <= asked1_q;
    ask2_q    <= ask1_q;
    quiet_q   <= count_i.valid ? '0 : (quiet_q == 3'd4) ? quiet_q : quiet_q + 3'd1;
    // Operations of this group and tree may have ended by now.
    counts1_q <= count_i.valid && count_i.tree == tree_q && count_i.group == group_q;
    ended_q   <= (ended_q && quiet_q != 3'd4) || counts1_q ||
        (count_i.valid && count_i.tree == tree_q && count_i.group == group_q);
    owned_q   <= mine;
    if (!rst_ni) begin
      asked1_q  <= 1'b0;
      asked2_q  <= 1'b0;
      owned_q   <= 1'b0;
      counts1_q <= 1'b0;
      ended_q   <= 1'b0;
      quiet_q   <= 3'd4;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // What a group has is given back by itself, by the request that took it, by the last of its
      // operations, or with its tree; nobody else ends its lock.
      a_owner_gives : assert (!(owned_q && !mine) || ended_q ||
          (of_group && (ask2_q.op == LockRelease || (ask2_q.op == LockSettle && !ask2_q.keep))) ||
          (of_tree && ask2_q.op == LockDrop))
      else $error("a lock is gone that nobody gave back");
      // A lock comes by a request that nobody is in the way of; else another group would lose it.
      a_taken : assert (!(!owned_q && mine) || (of_group && ask2_q.op == LockTake))
      else $error("a lock that nobody asked for");
      // When a tree is no more nothing of it is held.
      a_dropped : assert (!(of_tree && ask2_q.op == LockDrop) || !mine)
      else $error("a lock of a tree that is no more");
      // Who hears that the lock was taken has it.
      a_told : assert (!(answer_valid && of_group && ask2_q.op == LockTake && answer.good) || mine)
      else $error("told of a lock that is not there");
      // A group has the lock, and all cells are used.
      c_mine : cover (mine && ended_q);
      c_full : cover (full);
    end
  end

endmodule
