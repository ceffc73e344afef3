// llt_ask: what a low-latency tree asks of the lock cells, for any operation and at any moment, and
// what their answer makes of it, in the words of docs/tree.md.
module low_asks_props
  import sat_pkg::*;
  import llt_pkg::*;
(
  input logic         clk_i,
  input sat_cfg_t     cfg_i,
  input logic [15:0]  group_i,
  input sat_head_t    work_i,
  input logic         streams_i,
  input logic         sat_down_i,
  input logic         agreed_i,
  input logic         good_i,
  input logic         decided_i,
  input logic         ended_i,
  input logic         answered_i,
  input lock_answer_t answer_i
);

  lock_ask_t   lock;
  logic        needs, rises;
  sat_head_t   work;
  low_events_t events;

  llt_ask u_dut (
    .clk_i,
    .cfg_i,
    .group_i,
    .work_i,
    .streams_i,
    .sat_down_i,
    .agreed_i,
    .good_i,
    .decided_i,
    .ended_i,
    .answered_i,
    .answer_i,
    .lock_o  (lock),
    .needs_o (needs),
    .rises_o (rises),
    .work_o  (work),
    .events_o(events)
  );

  logic is_lock, is_unlock, is_ok;
  logic gone, busy;      // a lock of a tree that is no more; an unlock while a vector streams
  logic refused, none;   // no cell was taken; the group that would unlock has none
  always_comb begin
    is_lock   = work_i.operation == OpLock;
    is_unlock = work_i.operation == OpUnlock;
    is_ok     = work_i.verdict == VerdictOk;
    gone      = agreed_i && good_i && is_lock && sat_down_i;
    busy      = agreed_i && good_i && is_unlock && streams_i;
    refused   = answered_i && lock.op == LockTake && !answer_i.good;
    none      = answered_i && lock.op == LockHolds && !answer_i.good;
  end

  // The header, and where it is that of a failure: nobody's port is to blame.
  sat_head_t failed;
  always_comb begin
    failed       = work_i;
    failed.node  = cfg_i.node;
    failed.port  = '0;
    failed.flags = '0;
  end

  // What was asked of the module in the cycle before, by who asks last.
  logic        is_q, agreed_q, decided_q, ended_q, is_lock_q, is_ok_q;
  logic [15:0] tree_q, group_q;
  logic [31:0] sequence_no_q, count_q;
  lock_ask_t   lock_q;
  initial is_q = 1'b0;
  always_ff @(posedge clk_i) begin
    is_q      <= 1'b1;
    agreed_q  <= agreed_i;
    decided_q <= decided_i;
    ended_q   <= ended_i;
    is_lock_q <= is_lock;
    is_ok_q   <= is_ok;
    {tree_q, group_q}        <= {cfg_i.tree, group_i};
    {sequence_no_q, count_q} <= {work_i.sequence_no, work_i.count};
    lock_q <= lock;
  end

  always_ff @(posedge clk_i) begin
    // Cells are asked for locks and unlocks that children agree on, if there is a tree to lock, and
    // no vector on its way; and when it is known how a lock ended, or that an unlock went well.
    a_needs : assert (needs == ((agreed_i && good_i && is_lock && !sat_down_i) ||
                                (agreed_i && good_i && is_unlock && !streams_i) ||
                                (decided_i && is_lock) || (decided_i && is_unlock && is_ok)))
    else $error("needs %b", needs);
    // An operation rises as long as it asks for a lock, or whether its group has one.
    a_rises : assert (rises == (lock.op == LockTake || lock.op == LockHolds))
    else $error("rises %b", rises);
    // A cell was taken, or was not there; one was given back unless it is to be kept.
    a_events : assert (events.locked == (answered_i && lock.op == LockTake && answer_i.good) &&
                       events.lock_failed == refused &&
                       events.unlocked == (answered_i && answer_i.good && !lock.keep &&
                           lock.op != LockTake && lock.op != LockHolds))
    else $error("%b", events);
    // Nothing else is counted.
    a_counted : assert (!(events.refused || events.done || events.failed || events.torn_down ||
                          events.cast))
    else $error("%b", events);

    // Who cannot have a lock hears why, and who has it: tree, group, operations left.
    a_holder : assert (!refused || (work.verdict == answer_i.verdict &&
                                    work.holder_tree == answer_i.tree &&
                                    work.holder_group == answer_i.group &&
                                    work.count == answer_i.left))
    else $error("%h", work);
    // In all else these say what the header says.
    a_count : assert (refused || (work.count == work_i.count &&
        {work.holder_tree, work.holder_group} == {work_i.holder_tree, work_i.holder_group}))
    else $error("%h", work);
    // A group that holds no lock is denied to unlock it.
    a_none : assert (!none || work.verdict == VerdictDenied)
    else $error("verdict %0d", work.verdict);
    // There is no lock of a tree that is no more.
    a_gone : assert (refused || none || !gone || work.verdict == VerdictNoTree)
    else $error("verdict %0d", work.verdict);
    // Who unlocks while a vector of the group streams hears `time-out`.
    a_busy : assert (refused || none || !busy || work.verdict == VerdictTimeOut)
    else $error("verdict %0d", work.verdict);
    // All these say which node it was, and no port; a failure carries nothing.
    a_node : assert (!(refused || none || gone || busy) || (work.node == cfg_i.node &&
                     work.port == '0 && work.flags == '0))
    else $error("%h", work);
    // All else goes on as it was.
    a_fine : assert (refused || none || gone || busy ||
                     {work.verdict, work.node, work.port, work.flags} ==
                     {work_i.verdict, work_i.node, work_i.port, work_i.flags})
    else $error("%h", work);
    // And so do operation, number and vector, whatever it comes to.
    a_same : assert ({work.tag, work.kind, work.operation, work.elem, work.tree, work.group,
                      work.sequence_no, work.length} ==
                     {work_i.tag, work_i.kind, work_i.operation, work_i.elem, work_i.tree,
                      work_i.group, work_i.sequence_no, work_i.length})
    else $error("%h", work);

    if (is_q) begin
      // With a tree its lock is dropped, whatever else there is.
      a_drop : assert (!ended_q || (lock.op == LockDrop &&
                       {lock.keep, lock.group, lock.sequence_no, lock.count} == '0))
      else $error("%h", lock);
      // By the answer to its request a lock is kept or given back; by that to an unlock it is
      // given back.
      a_settle : assert (ended_q || !decided_q || (lock.count == '0 &&
          (is_lock_q ? lock.op == LockSettle && lock.keep == is_ok_q :
           lock.op == LockRelease && !lock.keep)))
      else $error("%h", lock);
      // A lock is asked for, for as many operations as children say; or whether there is one.
      a_take : assert (ended_q || decided_q || !agreed_q || (!lock.keep &&
          lock.count == count_q && lock.op == (is_lock_q ? LockTake : LockHolds)))
      else $error("%h", lock);
      // Of this group, and by the number of its request.
      a_whose : assert (ended_q || !(decided_q || agreed_q) ||
                        (lock.group == group_q && lock.sequence_no == sequence_no_q))
      else $error("%h", lock);
      // And of the streaming tree.
      a_tree : assert (!(ended_q || decided_q || agreed_q) || lock.tree == tree_q)
      else $error("%h", lock);
      // What is asked stands until the next moment.
      a_stands : assert (ended_q || decided_q || agreed_q || lock == lock_q)
      else $error("%h", lock);

      // A lock that somebody has; one that is given back.
      c_refused : cover (refused);
      c_back : cover (events.unlocked && lock.op == LockSettle);
    end
  end

endmodule
