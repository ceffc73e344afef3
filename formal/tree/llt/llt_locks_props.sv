// llt_locks: a tree has one owner at a time, whoever asks; what was kept is given back by its group
// alone, by the last of its operations, or with its tree; and a tree that is no more holds nothing.
// What a request makes of the cells, and what its asker is told, is here once more, as a function.
module llt_locks_props
  import llt_pkg::*;
  import sat_pkg::VerdictOk;
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

  typedef lock_cell_t [NumCells-1:0] cells_t;

  // The cell of a tree is somebody's, or of this group.
  function automatic logic of(lock_cell_t held, logic [15:0] tree);
    of = held.used && held.tree == tree;
  endfunction
  function automatic logic of_owner(lock_cell_t held, logic [15:0] tree, logic [15:0] group);
    of_owner = held.used && held.tree == tree && held.group == group;
  endfunction

  // Who is in the way of a request for the tree; a cell that is not used if nobody is.
  function automatic lock_cell_t holder(cells_t was, logic [15:0] tree);
    holder = '0;
    for (int unsigned c = 0; c < NumCells; c++) if (of(was[c], tree)) holder = was[c];
  endfunction

  // What a request makes of the cells (SHARP 3.2).
  function automatic cells_t asked(cells_t was, lock_ask_t ask);
    logic done;
    asked = was;
    done  = holder(was, ask.tree).used;
    for (int unsigned c = 0; c < NumCells; c++) begin
      unique case (ask.op)
        LockTake: begin
          if (!done && !was[c].used) begin
            done     = 1'b1;
            asked[c] = '{used: 1'b1, kept: 1'b0, tree: ask.tree, group: ask.group,
                         sequence_no: ask.sequence_no,
                         left: ask.count == 0 ? LockUnlimited : ask.count};
          end
        end
        LockSettle: begin
          if (of_owner(was[c], ask.tree, ask.group) && !was[c].kept &&
              was[c].sequence_no == ask.sequence_no) begin
            if (ask.keep) asked[c].kept = 1'b1;
            else asked[c].used = 1'b0;
          end
        end
        LockRelease: if (of_owner(was[c], ask.tree, ask.group)) asked[c].used = 1'b0;
        LockDrop:    if (of(was[c], ask.tree)) asked[c].used = 1'b0;
        default:     asked[c] = was[c];
      endcase
    end
  endfunction

  // What the end of an operation makes of them.
  function automatic cells_t counted(cells_t was, lock_count_t count);
    counted = was;
    for (int unsigned c = 0; c < NumCells; c++) begin
      if (of_owner(was[c], count.tree, count.group) && was[c].left != LockUnlimited) begin
        counted[c].left = was[c].left - 32'd1;
        if (was[c].left == 1) counted[c].used = 1'b0;
      end
    end
  endfunction

  // Whether there was something to take, settle, give back or drop; or whether it may stream.
  function automatic logic good(cells_t was, lock_ask_t ask);
    good = 1'b0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      unique case (ask.op)
        LockTake: good |= !holder(was, ask.tree).used && !was[c].used;
        LockSettle: good |= of_owner(was[c], ask.tree, ask.group) && !was[c].kept &&
            was[c].sequence_no == ask.sequence_no;
        LockRelease: good |= of_owner(was[c], ask.tree, ask.group);
        LockDrop: good |= of(was[c], ask.tree);
        default: good |= of_owner(was[c], ask.tree, ask.group) && was[c].kept;
      endcase
    end
  endfunction

  // An operation is counted in two cycles, like a request; the cells a cycle ago, and as they are
  // to be.
  logic        counts_q, counts2_q, ran_q, same;
  logic [2:0]  waits_q;   // cycles for which an operation that has ended was not counted, and one
  logic [31:0] ended_what_q;
  logic        lost_q;    // another one has ended in the meantime
  lock_count_t count1_q, count2_q;
  cells_t      before_q, next;
  lock_cell_t  in_way;
  always_ff @(posedge clk_i) begin
    ran_q     <= rst_ni && begun_q;
    before_q  <= cells;
    counts_q  <= rst_ni && u_dut.counts;
    counts2_q <= rst_ni && counts_q;
    count1_q  <= u_dut.count_q;
    count2_q  <= count1_q;
    if (count_i.valid) ended_what_q <= {count_i.tree, count_i.group};
    lost_q  <= rst_ni && count_i.valid && waits_q != '0 && !u_dut.counts;
    waits_q <= !rst_ni ? 3'd0 : count_i.valid ? 3'd1 : (waits_q == 0 || u_dut.counts) ? 3'd0 :
        waits_q + 3'd1;
  end
  assign next   = asked2_q ? asked(before_q, ask2_q) :
      counts2_q ? counted(before_q, count2_q) : before_q;
  assign in_way = holder(before_q, ask2_q.tree);
  always_comb begin
    same = 1'b1;
    for (int unsigned c = 0; c < NumCells; c++) begin
      if (cells[c].used || next[c].used) same &= cells[c] == next[c];
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
      // Cells become what was asked for or counted makes of them, and else stay as they are.
      a_next : assert (!ran_q || same)
      else $error("cells are not what was asked for");
      // Each request has its answer two cycles later: whether it came about; of a lock that was not
      // taken, why, and who has it.
      a_answer : assert (!ran_q || (answer_valid == asked2_q && (!asked2_q ||
          (answer.good == good(before_q, ask2_q) && (ask2_q.op != LockTake || (answer.verdict ==
           (answer.good ? VerdictOk : in_way.used ? VerdictLockFailed : VerdictNoResource) &&
           (!in_way.used || {answer.tree, answer.group, answer.left} ==
            {in_way.tree, in_way.group, in_way.left})))))))
      else $error("another answer");
      // What is counted is the operation that ended, once, and not later than two cycles behind it.
      a_counts : assert (!lost_q && u_dut.count_q.valid == (waits_q != '0) && (waits_q == '0 ||
          (waits_q <= 3'd3 && {u_dut.count_q.tree, u_dut.count_q.group} == ended_what_q)))
      else $error("an operation is not counted");
      // A group has the lock, and all cells are used.
      c_mine : cover (mine && ended_q);
      c_full : cover (full);
    end
  end

endmodule
