// What a low-latency tree asks of the lock cells for the operation in work, and what their answer
// makes of it. The request is a register; llt_decide says when, and waits for the answer.
module llt_ask
  import sat_pkg::*;
  import llt_pkg::*;
(
  input logic clk_i,

  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t    cfg_i,      // of the tree; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [15:0] group_i,    // id of the group in work,
  input sat_head_t   work_i,     // header of its operation
  input logic        streams_i,  // a vector of that group streams
  input logic        sat_down_i, // the streaming tree has ended

  // Moments at which the cells may be asked: the children have contributed, and agree (`good`); the
  // operation's answer is known; a tree has ended.
  input logic agreed_i,
  input logic good_i,
  input logic decided_i,
  input logic ended_i,

  // The cells' answer.
  input logic         answered_i,
  input lock_answer_t answer_i,

  output lock_ask_t lock_o,
  output logic      needs_o,     // with agreed_i or decided_i: `lock_o` is to be asked
  output logic      rises_o,     // the operation that asks is on its way up
  output sat_head_t work_o,      // the header, with agreed_i or answered_i
  output low_events_t events_o   // what the cells answered, with answered_i
);

  function automatic sat_head_t blamed(sat_head_t h, logic [7:0] verdict, logic [15:0] node);
    blamed         = h;
    blamed.verdict = verdict;
    blamed.node    = node;
    blamed.port    = '0;
    blamed.flags   = '0;
  endfunction

  logic lock, unlock, ok;

  assign lock       = work_i.operation == OpLock;
  assign unlock     = work_i.operation == OpUnlock;
  assign ok         = work_i.verdict == VerdictOk;
  assign rises_o    = lock_o.op inside {LockTake, LockHolds};

  always_comb begin
    events_o             = '0;
    events_o.locked      = answered_i && lock_o.op == LockTake && answer_i.good;
    events_o.lock_failed = answered_i && lock_o.op == LockTake && !answer_i.good;
    events_o.unlocked    = answered_i && !rises_o && answer_i.good && !lock_o.keep;
  end

  always_comb begin
    work_o  = work_i;
    needs_o = decided_i && (lock || (unlock && ok));
    if (agreed_i && good_i) begin
      if (lock && sat_down_i) work_o = blamed(work_i, VerdictNoTree, cfg_i.node);
      // Not while it streams: packets would be under way that nobody owns. Nobody completes that
      // vector any more, since all have come here: no other end than of the streaming tree.
      else if (unlock && streams_i) work_o = blamed(work_i, VerdictTimeOut, cfg_i.node);
      else needs_o = lock || unlock;
    end
    if (events_o.lock_failed) begin
      work_o              = blamed(work_i, answer_i.verdict, cfg_i.node);
      work_o.holder_tree  = answer_i.tree;
      work_o.holder_group = answer_i.group;
      work_o.count        = answer_i.left;
    end else if (answered_i && lock_o.op == LockHolds && !answer_i.good) begin
      work_o = blamed(work_i, VerdictDenied, cfg_i.node);
    end
  end

  always_ff @(posedge clk_i) begin
    if (agreed_i) begin
      lock_o <= '{op: lock ? LockTake : LockHolds, keep: 1'b0, tree: cfg_i.tree, group: group_i,
                  sequence_no: work_i.sequence_no, count: work_i.count};
    end
    if (decided_i) begin
      lock_o <= '{op: lock ? LockSettle : LockRelease, keep: lock && ok, tree: cfg_i.tree,
                  group: group_i, sequence_no: work_i.sequence_no, count: '0};
    end
    if (ended_i) begin
      lock_o <= '{op: LockDrop, keep: 1'b0, tree: cfg_i.tree, group: '0, sequence_no: '0,
                  count: '0};
    end
  end

endmodule
