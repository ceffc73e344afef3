// llt_decide: one thing at a time. For each step what comes next, what is known then, and what
// the others are told, whatever they say. Where each group's operation is llt_groups says
// (low_turns), what is asked of lock cells llt_ask (low_asks), what ends a tree from outside
// llt_outside; here these are as they are.
module low_steps_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                clk_i,
  input logic                open_i,
  input sat_cfg_t            cfg_i,
  input logic [31:0]         time_i,
  input low_seen_t           seen_i,
  input low_scanned_t        scanned_i,
  input logic                lock_ready_i,
  input logic                lock_answered_i,
  input lock_answer_t        lock_answer_i,
  input logic                streams_i,
  input logic [GroupW-1:0]   streams_group_i,
  input logic [Groups-1:0]   summing_i,
  input logic [Groups-1:0]   owed_i,
  input logic [Groups-1:0]   risen_i,
  input logic                sending_i,
  input logic [GroupW-1:0]   sending_group_i,
  input low_change_t         change_i,
  input logic [Groups-1:0]   holds_i,
  input logic                telling_i,
  input logic [NumPorts-1:0] lost_i,
  input sat_end_t            sat_end_i,
  input logic [1:0]          port_i   // any
);

  typedef logic [NumPorts-1:0] ports_t;

  logic                       seen_ready, flush, cast_take, cast_keep, joins, sum, lock_valid;
  logic                       changed, changed_good, low_down, sat_down;
  ports_t                     take, keep, reply;
  logic [Groups-1:0]          any, rise, from_parent, from_cast;
  logic [Groups-1:0][31:0]    sequence_no;
  low_scan_t                  scan;
  lock_ask_t                  lock;
  low_sum_t                   sum_of;
  sat_head_t [Groups-1:0]     head;
  logic [GroupW-1:0]          group;
  low_owe_t                   answer;
  low_blame_t                 reply_why;
  low_end_t                   tree_end;
  low_observed_t              observed;
  low_events_t                events;

  llt_decide #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .open_i,
    .cfg_i,
    .time_i,
    .seen_i,
    .seen_ready_o  (seen_ready),
    .flush_o       (flush),
    .take_o        (take),
    .keep_o        (keep),
    .cast_take_o   (cast_take),
    .cast_keep_o   (cast_keep),
    .join_o        (joins),
    .any_o         (any),
    .sequence_no_o (sequence_no),
    .scan_o        (scan),
    .scanned_i,
    .lock_valid_o  (lock_valid),
    .lock_ready_i,
    .lock_o        (lock),
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sum_o         (sum),
    .sum_of_o      (sum_of),
    .summing_i,
    .rise_o        (rise),
    .from_parent_o (from_parent),
    .from_cast_o   (from_cast),
    .head_o        (head),
    .group_o       (group),
    .answer_o      (answer),
    .reply_o       (reply),
    .reply_why_o   (reply_why),
    .end_o         (tree_end),
    .owed_i,
    .risen_i,
    .sending_i,
    .sending_group_i,
    .change_i,
    .holds_i,
    .telling_i,
    .changed_o     (changed),
    .changed_good_o(changed_good),
    .lost_i,
    .sat_end_i,
    .low_down_o    (low_down),
    .sat_down_o    (sat_down),
    .observed_o    (observed),
    .events_o      (events)
  );

  // ---------------------------------------------------------------------------------------------
  // The step of this cycle, and all that is known in it; the same of the cycle before.

  typedef enum logic [3:0] {
    Run, Act, Scan, Agreed, Ask, Answered, Complete, Decide, Expire, End, Change
  } step_e;

  typedef struct packed {
    step_e               step;
    logic                open, low_down, sat_down, gathers, expires, all_come, good;
    logic                needs, rises, lock_ready, lock_answered, change_valid;
    logic [GroupW-1:0]   group, due_group;
    logic [MaxPorts-1:0] carry;
    sat_head_t           work, lock_work;
    low_end_t            why, outside;
    low_fate_t           fate;
    low_seen_t           seen;
    low_scanned_t        scanned;
    low_events_t         lock_events;
    logic [7:0]          operation;   // of the group in work, as it went up or came down
    logic                up, due_gathers, changed_good, reopen;
    logic [3:0]          parent;
    logic [15:0]         node;
  } known_t;
  known_t n, b;
  logic   begun_q;
  always_comb begin
    n = '{step: step_e'(u_dut.state_q), open: open_i, low_down: u_dut.low_down_q,
          sat_down: u_dut.sat_down_q, gathers: u_dut.gathers_q, expires: u_dut.expires,
          all_come: u_dut.all_come, good: u_dut.agreed_q, needs: u_dut.lock_needs,
          rises: u_dut.lock_rises, lock_ready: lock_ready_i, lock_answered: lock_answered_i,
          change_valid: change_i.valid, group: u_dut.group_q, due_group: u_dut.due_group,
          carry: u_dut.carry_q, work: u_dut.work_q, lock_work: u_dut.lock_work,
          why: u_dut.end_q, outside: u_dut.outside, fate: u_dut.fate_q, seen: seen_i,
          scanned: scanned_i, lock_events: u_dut.lock_events,
          operation: head[u_dut.group_q].operation, up: cfg_i.groups[u_dut.group_q].up,
          due_gathers: u_dut.phase[u_dut.due_group] == LowGathers, changed_good: changed_good,
          reopen: change_i.reopen, parent: cfg_i.parent, node: cfg_i.node};
  end
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    b       <= n;
  end

  // What comes behind it, in an open tree.
  step_e next;
  logic  gives_up;   // an unlock that failed, while the streaming tree is there
  assign gives_up = b.work.operation == OpUnlock && !b.sat_down &&
      b.work.verdict != VerdictOk && b.work.verdict != VerdictDenied;
  always_comb begin
    unique case (b.step)
      // What ends a tree goes first, then who is late, changes, and messages.
      Run: next = b.outside.valid ? End : b.expires ? Expire : b.change_valid ? Change :
          b.seen.valid ? Act : Run;
      Act: next = b.fate.tears ? End : b.fate.answers ? Decide : b.all_come ? Scan : Run;
      // One that only gathers fails; what has gone up ends both trees.
      Expire: next = b.gathers ? Scan : End;
      Scan: next = !b.scanned.done ? Scan : (b.scanned.head.operation == OpLock ||
          b.scanned.head.operation == OpUnlock) ? Agreed : Complete;
      Agreed: next = b.needs ? Ask : Complete;
      Ask: next = b.lock_ready ? Answered : Ask;
      Answered: next = !b.lock_answered ? Answered : b.rises ? Complete : Run;
      Complete: next = b.up ? Run : Decide;
      Decide: next = gives_up ? End : b.needs ? Ask : Run;
      // With a tree its lock is dropped.
      End: next = Ask;
      default: next = Run;
    endcase
  end

  // The header in work behind it; and where that is another one, what it says.
  sat_head_t work;
  always_comb begin
    work = b.work;
    if (b.step == Run) work = b.seen.head;
    if (b.step == Act && b.fate.answers) work.operation = b.operation;
    if (b.step == Scan) work = b.scanned.head;
    if (b.step == Agreed || (b.step == Answered && b.lock_answered)) work = b.lock_work;
    if (b.step == Complete && !b.up) {work.kind, work.flags.wants} = {KindDown, 1'b0};
  end

  logic [1:0] p;
  ports_t     below, missing;
  assign p       = (32'(port_i) < NumPorts) ? port_i : '0;
  assign below   = NumPorts'((1 << p) - 1);
  assign missing = cfg_i.groups[group].children[NumPorts-1:0] & ~u_dut.come[group];

  always_ff @(posedge clk_i) begin
    // What is done in a step.
    // A message is taken off what is looked at when it is acted on, in an open tree.
    a_ready : assert (seen_ready == (n.step == Act && open_i))
    else $error("ready %b", seen_ready);
    // A contribution that begins its operation, or joins it, is kept for the scan.
    a_join : assert (joins == (seen_ready && (n.fate.begins || n.fate.joins)))
    else $error("joins %b", joins);
    // All that is looked at is of before when an operation begins, something changes, or there is
    // no tree.
    a_flush : assert (flush == (!open_i || n.step == Change || (seen_ready && n.fate.begins)))
    else $error("flush %b", flush);
    // A message is answered at once where it is to be, for that reason.
    a_reply : assert (reply == ((seen_ready && n.fate.replies) ? u_dut.at_q : '0) &&
                      reply_why == n.fate.why)
    else $error("reply %b", reply);
    // A scan begins with the contribution that is the last one, or when it is too late.
    a_scan : assert (scan.start == ((seen_ready && n.all_come) ||
                                    (n.step == Expire && n.gathers)) &&
                     scan.late == (n.step == Expire) && scan.up == n.up)
    else $error("scan %b", scan.start);
    // Of those who have contributed by now.
    a_come : assert (scan.come == MaxPorts'((n.step == Act) ? u_dut.come_next_q :
                                            u_dut.come[group]))
    else $error("come %b", scan.come);
    // It is too late because of the first child that is missing.
    a_missing : assert (!missing[p] || (missing & below) != '0 || scan.why.port == 8'(p) + 8'd1)
    else $error("port %0d", scan.why.port);
    a_nobody : assert (scan.why.verdict == VerdictTimeOut && scan.why.node == cfg_i.node &&
                       (missing != '0 || scan.why.port == '0))
    else $error("why %h", scan.why);
    // Vectors are summed when all is known that children want: of those that have one, in as many
    // rows as header and vector fill.
    a_sum : assert (sum == (n.step == Complete && n.work.flags.carries) &&
                    sum_of.group == n.group && sum_of.elem == n.work.elem &&
                    sum_of.children == n.carry && (n.work.length > LowMost ||
                    32'(sum_of.rows) == (32'd32 + n.work.length + 32'd63) / 64))
    else $error("rows %0d", sum_of.rows);
    // An answer goes to all who have contributed, and the vector to who wants it.
    a_answer : assert (answer.valid == (n.step == Decide) && group == n.group &&
                       answer.want == MaxPorts'(u_dut.come[group] & u_dut.wants[group]) &&
                       answer.rest == MaxPorts'(u_dut.come[group] & ~u_dut.wants[group]))
    else $error("answer %b", answer.valid);
    // A tree ends as it was decided.
    a_end : assert (tree_end.valid == (n.step == End) && tree_end.low == n.why.low &&
                    tree_end.why == n.why.why && tree_end.except == n.why.except)
    else $error("end %b", tree_end.valid);
    // A change is answered: a group's if nothing of it is under way and it holds no lock; the
    // streaming tree begins once more if it alone is down, and all neighbours have heard of that.
    a_change : assert (changed == (open_i && n.step == Change) && changed_good == (change_i.reopen ?
        sat_down && !low_down && !telling_i :
        u_dut.idle[change_i.group] && !holds_i[change_i.group]))
    else $error("changed %b", changed);
    // Lock cells are asked until they take it.
    a_ask : assert (lock_valid == (n.step == Ask))
    else $error("asks %b", lock_valid);
    // Groups are told of each step of theirs; with the low-latency tree all they have is forgotten.
    a_groups : assert (u_dut.u_groups.looks_i == (n.step == Run) &&
                       u_dut.u_groups.acts_i == (n.step == Act) &&
                       u_dut.u_groups.complete_i == (n.step == Complete) &&
                       u_dut.u_groups.decided_i == (n.step == Decide) &&
                       u_dut.u_groups.forget_i == (!open_i || (n.step == End && n.why.low)) &&
                       u_dut.u_groups.anew_i == (n.step == Change && changed_good &&
                                                 !change_i.reopen))
    else $error("step %0d", n.step);
    // So is who asks the lock cells, and whether the vector that streams is this group's.
    a_asks : assert (u_dut.u_ask.agreed_i == (n.step == Agreed) &&
                     u_dut.u_ask.decided_i == (n.step == Decide) &&
                     u_dut.u_ask.ended_i == (n.step == End) &&
                     u_dut.u_ask.answered_i == (n.step == Answered && lock_answered_i) &&
                     u_dut.u_ask.streams_i == (streams_i && streams_group_i == n.group) &&
                     u_dut.u_ask.group_i == cfg_i.groups[n.group].id)
    else $error("step %0d", n.step);
    // Why the streaming tree ended is forgotten when it begins once more.
    a_again : assert (u_dut.u_outside.reopen_i == (changed && changed_good && change_i.reopen))
    else $error("step %0d", n.step);

    if (begun_q) begin
      // What comes behind a step.
      a_next : assert (n.step == (b.open ? next : Run))
      else $error("%0d behind %0d", n.step, b.step);
      // The group in work is the message's, or that of who is late, and stays.
      a_group : assert (n.group == ((b.step != Run) ? b.group : (b.expires && !b.outside.valid) ?
                                    b.due_group : b.seen.group))
      else $error("group %0d", n.group);
      // So does its header, but for what a step makes of it.
      a_work : assert (n.work == work)
      else $error("%h", n.work);
      // Who has a vector, and whether all agree, a scan says.
      a_agreed : assert ({n.carry, n.good} == ((b.step == Scan) ?
                                               {b.scanned.carrying, b.scanned.good} :
                                               {b.carry, b.good}))
      else $error("good %b", n.good);
      // Whether who is late only gathers is seen when it is found.
      a_gathers : assert (n.gathers == ((b.step == Run) ? b.due_gathers : b.gathers))
      else $error("gathers %b", n.gathers);

      // A tree ends from outside as that says.
      a_outside : assert (b.step != Run || !b.outside.valid || n.why == b.outside)
      else $error("%h", n.why);
      // By a message: the one that it names, as it says; and its sender is not told.
      a_told : assert (b.step != Run || b.outside.valid || (n.why.low == b.seen.this_tree &&
          n.why.except == MaxPorts'(1) << b.seen.port && n.why.why.verdict == b.seen.head.verdict &&
          n.why.why.node == b.seen.head.node && n.why.why.port == b.seen.head.port))
      else $error("%h", n.why);
      // Both, because the parent never answers.
      a_late : assert (b.step != Expire || (n.why.low && n.why.except == '0 &&
          n.why.why.verdict == VerdictTimeOut && n.why.why.node == b.node &&
          n.why.why.port == 8'(b.parent) + 8'd1))
      else $error("%h", n.why);
      // Or the streaming one, by how an unlock ended; all are told.
      a_unlock : assert (b.step != Decide || (!n.why.low && n.why.except == '0 &&
          n.why.why.verdict == b.work.verdict && n.why.why.node == b.work.node &&
          n.why.why.port == b.work.port))
      else $error("%h", n.why);
      // Why stays meanwhile.
      a_why : assert (b.step == Run || b.step == Expire || b.step == Decide ||
                      {n.why.low, n.why.why, n.why.except} ==
                      {b.why.low, b.why.why, b.why.except})
      else $error("%h", n.why);
      // A tree is down from its end on, until it is opened; the streaming one may begin once more.
      a_down : assert (low_down == (b.open && (b.low_down || (b.step == End && b.why.low))) &&
                       sat_down == (b.open && (b.step == End || (b.sat_down &&
                           !(b.step == Change && b.changed_good && b.reopen)))))
      else $error("down %b %b", low_down, sat_down);

      // A watcher hears of each decision in its turn: a message that becomes something, a multicast
      // that answers,
      a_observed : assert (
          observed.message == (b.open && b.step == Act && !b.seen.cast &&
                               (b.fate.takes || b.fate.keeps || b.fate.replies)) &&
          observed.cast == (b.open && b.step == Act && b.seen.cast && b.fate.answers) &&
          (!(observed.message || observed.cast) ||
           (observed.port == b.seen.port && observed.group == b.group)))
      else $error("%h", observed);
      // who is late, and of which group, and what ends a tree,
      a_watched : assert (
          observed.expired == (b.open && b.step == Run && b.expires && !b.outside.valid) &&
          (!observed.expired || observed.group == b.due_group) &&
          observed.ended == (b.open && b.step == Run && b.outside.valid) &&
          (!observed.ended || observed.ending == b.outside))
      else $error("%h", observed);
      // and a change.
      a_changes : assert (observed.changed == (b.open && b.step == Change) &&
                          (!observed.changed || observed.change_good == b.changed_good))
      else $error("%h", observed);
      // Counted are messages that are refused, operations that end or fail, trees that end, and
      // answers by multicast;
      a_counted : assert (
          events.refused == (b.open && b.step == Act && (b.fate.refuses || b.fate.replies)) &&
          events.cast == (b.open && b.step == Act && b.seen.cast && b.fate.answers) &&
          events.done == (b.open && b.step == Decide) &&
          events.failed == (events.done && b.work.verdict != VerdictOk) &&
          events.torn_down == (b.open && b.step == End))
      else $error("%h", events);
      // and what the lock cells answer.
      a_locks : assert ({events.locked, events.lock_failed, events.unlocked} == (b.open ?
          {b.lock_events.locked, b.lock_events.lock_failed, b.lock_events.unlocked} : '0))
      else $error("%h", events);

      // A lock is given back as a tree ends behind its answer; a vector is summed, and turns round.
      c_unlock : cover (b.step == Decide && n.step == End);
      c_sum : cover (sum && b.step == Scan && !n.up);
    end
  end

endmodule
