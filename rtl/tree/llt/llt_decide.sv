// What becomes of each message of a low-latency tree, and of each operation: one thing at a time,
// so that every rule is one of a moment (docs/tree.md; tb/model/tree/tree_low.c).
//
//   message -> refused, or begins or joins its group's operation
//              all have come, or it is too late for the others: do they agree (llt_scan)?
//              a lock is taken or looked at (llt_locks)
//              their vectors are summed beside, and go up with the header (llt_sum, llt_jobs)
//   answer  -> locks are kept or given back, and it goes to all that have contributed
//   end     -> of a tree: its lock is given back, neighbours are told
//   change  -> of a group of which nothing is under way and that holds no lock; a streaming tree
//              that is down, and of which all have been told, begins anew; or it is refused
//
// A group's next operation begins when all have got the answer of the one before, or are on their
// way to; until then a message waits at its port, and those behind it. Nothing else waits for a
// port, so one without room holds up those who share a group with it, until its connection has
// failed.
module llt_decide
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,

  // The tree is there; as long as it is.
  input logic        open_i,
  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t    cfg_i,       // of the tree; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [31:0] time_i,      // microseconds, of a clock that all share

  // Messages of the ports, as they are looked at; taken, for a group or not.
  // verilator lint_off UNUSEDSIGNAL
  input  low_seen_t           seen_i,      // not its tag
  // verilator lint_on UNUSEDSIGNAL
  output logic                seen_ready_o,
  output logic                flush_o,
  output logic [NumPorts-1:0] take_o,
  output logic [NumPorts-1:0] keep_o,      // of take_o, for seen_i.group
  output logic                cast_take_o,   // the same of the parent's multicast
  output logic                cast_keep_o,
  output logic                join_o,      // seen_i is a contribution
  output logic [Groups-1:0]       any_o,
  output logic [Groups-1:0][31:0] sequence_no_o,

  // The scan of an operation's headers (llt_scan): do they agree?
  output low_scan_t    scan_o,
  input  low_scanned_t scanned_i,

  // The lock cells (llt_locks).
  output logic         lock_valid_o,
  input  logic         lock_ready_i,
  output lock_ask_t    lock_o,
  input  logic         lock_answered_i,
  input  lock_answer_t lock_answer_i,
  // The group whose vector streams.
  input  logic              streams_i,
  input  logic [GroupW-1:0] streams_group_i,

  // Vectors to be summed (llt_pending), and groups that have one.
  output logic              sum_o,
  output low_sum_t          sum_of_o,
  input  logic [Groups-1:0] summing_i,

  // What is to be sent (llt_owed, llt_jobs): contributions and answers of groups, refusals, that a
  // tree has ended. And what has been.
  output logic      [Groups-1:0] rise_o,
  output logic      [Groups-1:0] from_parent_o,
  output logic      [Groups-1:0] from_cast_o,
  output sat_head_t [Groups-1:0] head_o,
  output logic      [GroupW-1:0] group_o,         // in work,
  output low_owe_t               answer_o,        // and its answer
  output logic [NumPorts-1:0]    reply_o,
  output low_blame_t             reply_why_o,
  output low_end_t               end_o,           // but for `except` all neighbours are told
  input  logic [Groups-1:0]      owed_i,          // of answers
  input  logic [Groups-1:0]      risen_i,
  input  logic                   sending_i,       // a message of that group
  input  logic [GroupW-1:0]      sending_group_i,

  // What is to be another, in front of all messages; nobody else waits. `changed_o`, a pulse: it
  // is, from the next cycle on, if `changed_good_o`.
  input  low_change_t       change_i,
  input  logic [Groups-1:0] holds_i,       // these groups have a lock cell, kept or not
  input  logic              telling_i,     // neighbours are to hear of the streaming tree's end
  output logic              changed_o,
  output logic              changed_good_o,

  // What ends a tree from outside: a neighbour of this one is lost, or the streaming one has ended.
  input  logic [NumPorts-1:0] lost_i,
  input  sat_end_t            sat_end_i,
  output logic                low_down_o,
  output logic                sat_down_o,

  output low_observed_t observed_o,   // for a watcher
  output low_events_t   events_o   // pulses, for the counters
);

  typedef logic [NumPorts-1:0] ports_t;

  typedef enum logic [3:0] {
    Run,
    Act,        // on a message
    Scan,
    Agreed,     // does it need a lock?
    Ask,
    Answered,
    Complete,   // what all want together is known,
    Decide,     // and how it ended
    Expire,
    End,
    Change
  } state_e;

  // ---------------------------------------------------------------------------------------------
  // Operations.

  low_phase_e [Groups-1:0]       phase;
  ports_t     [Groups-1:0]       come, wants;
  logic       [Groups-1:0]       idle;
  logic                          low_down_q, sat_down_q;

  state_e            state_q;
  logic [GroupW-1:0] group_q;    // in work,
  sat_head_t         work_q;     // and its header
  logic [MaxPorts-1:0] carry_q;
  // verilator lint_off UNUSEDSIGNAL
  low_end_t          end_q;   // that there is one is its state's
  sat_group_t        group;   // not its number's validity
  low_fate_t         fate_q;  // of the message that is acted on; not that it is a copy
  // verilator lint_on UNUSEDSIGNAL
  ports_t            at_q, come_next_q;
  logic              acts, all_come;
  low_end_t          outside;
  logic              expires, forget;
  logic [GroupW-1:0] due_group;

  assign group = cfg_i.groups[group_q];
  // With the low-latency tree all its operations are gone.
  assign forget = !open_i || (state_q == End && end_q.low);

  llt_groups #(
    .NumPorts(NumPorts)
  ) u_groups (
    .clk_i,
    .open_i,
    .cfg_i,
    .time_i,
    .looks_i      (state_q == Run),
    .seen_i,
    .low_down_i   (low_down_q),
    .sat_down_i   (sat_down_q),
    .acts_i       (state_q == Act),
    .group_i      (group_q),
    .work_i       (work_q),
    .complete_i   (state_q == Complete),
    .decided_i    (state_q == Decide),
    .forget_i     (forget),
    .anew_i       (state_q == Change && changed_good_o && !change_i.reopen),
    .anew_group_i (change_i.group),
    .risen_i,
    .owed_i,
    .summing_i,
    .sending_i,
    .sending_group_i,
    .fate_o       (fate_q),
    .at_o         (at_q),
    .take_o,
    .keep_o,
    .cast_take_o,
    .cast_keep_o,
    .come_next_o  (come_next_q),
    .all_o        (all_come),
    .rise_o,
    .phase_o      (phase),
    .come_o       (come),
    .wants_o      (wants),
    .any_o,
    .sequence_no_o,
    .from_parent_o,
    .from_cast_o,
    .idle_o       (idle),
    .head_o,
    .expires_o    (expires),
    .due_group_o  (due_group)
  );

  // ---------------------------------------------------------------------------------------------
  // A message; ends from outside, and changes.

  assign acts          = open_i && state_q == Act;
  assign seen_ready_o  = acts;
  assign join_o        = acts && (fate_q.begins || fate_q.joins);
  assign flush_o       = (acts && fate_q.begins) || changed_o || !open_i;

  llt_outside #(
    .NumPorts(NumPorts)
  ) u_outside (
    .clk_i,
    .open_i,
    .node_i      (cfg_i.node),
    .lost_i,
    .sat_end_i,
    .low_down_i  (low_down_q),
    .sat_down_i  (sat_down_q),
    .reopen_i    (changed_o && changed_good_o && change_i.reopen),
    .end_o       (outside)
  );

  assign changed_o      = open_i && state_q == Change;
  // A group with an operation would lose it; one with a lock would leave it behind; copies that are
  // to come would be another's.
  assign changed_good_o = change_i.reopen ? sat_down_q && !low_down_q && !telling_i :
      idle[change_i.group] && !holds_i[change_i.group];

  // ---------------------------------------------------------------------------------------------
  // What is asked of others.

  logic   agreed_q, gathers_q;
  ports_t here, missing, want, rest;   // of the group in work, who has contributed, or has not

  assign here         = (state_q == Act) ? come_next_q : come[group_q];
  assign missing      = group.children[NumPorts-1:0] & ~come[group_q];
  assign scan_o       = '{start: (acts && all_come) || (state_q == Expire && gathers_q),
                          up: group.up, late: state_q == Expire,
                          why: '{verdict: VerdictTimeOut, node: cfg_i.node,
                                 port: lowest_port(MaxPorts'(missing))},
                          come: MaxPorts'(here)};
  assign sum_o        = state_q == Complete && work_q.flags.carries;
  assign sum_of_o     = '{group: group_q, elem: work_q.elem, children: carry_q,
                          rows: 5'((BytesW'(HeadBytes + 63) + work_q.length[BytesW-1:0]) >> 6)};

  logic        lock_needs, lock_rises;
  sat_head_t   lock_work;
  low_events_t lock_events;

  assign lock_valid_o = state_q == Ask;

  llt_ask u_ask (
    .clk_i,
    .cfg_i,
    .group_i   (group.id),
    .work_i    (work_q),
    .streams_i (streams_i && streams_group_i == group_q),
    .sat_down_i(sat_down_q),
    .agreed_i  (state_q == Agreed),
    .good_i    (agreed_q),
    .decided_i (state_q == Decide),
    .ended_i   (state_q == End),
    .answered_i(state_q == Answered && lock_answered_i),
    .answer_i  (lock_answer_i),
    .lock_o,
    .needs_o   (lock_needs),
    .rises_o   (lock_rises),
    .work_o    (lock_work),
    .events_o  (lock_events)
  );

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    observed_o <= '0;
    events_o   <= lock_events;
    unique case (state_q)
      Run: begin
        group_q   <= seen_i.group;
        work_q    <= seen_i.head;
        gathers_q <= phase[due_group] == LowGathers;
        end_q     <= '{valid: 1'b1, low: seen_i.this_tree,
                       except: MaxPorts'(1) << seen_i.port,
                       why: '{verdict: seen_i.head.verdict, node: seen_i.head.node,
                              port: seen_i.head.port}};
        if (outside.valid) begin
          end_q             <= outside;
          observed_o.ended  <= 1'b1;
          observed_o.ending <= outside;
          state_q           <= End;
        end else if (expires) begin
          group_q            <= due_group;
          observed_o.expired <= 1'b1;
          observed_o.group   <= due_group;
          state_q            <= Expire;
        end else if (change_i.valid) begin
          state_q <= Change;
        end else if (seen_i.valid) begin
          state_q <= Act;
        end
      end

      Act: begin
        state_q            <= Run;
        observed_o.port    <= seen_i.port;
        observed_o.group   <= group_q;
        observed_o.message <= !seen_i.cast && (fate_q.takes || fate_q.keeps || fate_q.replies);
        observed_o.cast    <= seen_i.cast && fate_q.answers;
        events_o.cast      <= seen_i.cast && fate_q.answers;
        events_o.refused   <= fate_q.refuses || fate_q.replies;
        if (all_come) state_q <= Scan;
        if (fate_q.answers) begin
          // A failure may be told in the words of a sibling who asked for something else.
          work_q.operation <= head_o[group_q].operation;
          state_q          <= Decide;
        end
        if (fate_q.tears) state_q <= End;
      end

      Expire: begin
        // What has gone up is decided above: who says something else here gives a lock back that
        // others hear they have. What has just risen, in its last cycle, is too late all the same.
        end_q <= '{valid: 1'b1, low: 1'b1, except: '0,
                   why: '{verdict: VerdictTimeOut, node: cfg_i.node,
                          port: 8'(cfg_i.parent) + 8'd1}};
        state_q <= gathers_q ? Scan : End;
      end

      Scan: begin
        work_q   <= scanned_i.head;
        carry_q  <= scanned_i.carrying;
        agreed_q <= scanned_i.good;
        if (scanned_i.done) begin
          state_q <= (scanned_i.head.operation inside {OpLock, OpUnlock}) ? Agreed : Complete;
        end
      end

      Agreed: begin
        state_q <= lock_needs ? Ask : Complete;
        work_q  <= lock_work;
      end

      Ask: if (lock_ready_i) state_q <= Answered;

      Answered: begin
        if (lock_answered_i) begin
          state_q <= lock_rises ? Complete : Run;
          work_q  <= lock_work;
        end
      end

      Complete: begin
        state_q <= Run;
        if (!group.up) begin
          work_q.kind        <= KindDown;
          work_q.flags.wants <= 1'b0;
          state_q            <= Decide;
        end
      end

      Decide: begin
        events_o.done   <= 1'b1;
        events_o.failed <= work_q.verdict != VerdictOk;
        end_q   <= '{valid: 1'b1, low: 1'b0, except: '0,
                     why: '{verdict: work_q.verdict, node: work_q.node, port: work_q.port}};
        state_q <= lock_needs ? Ask : Run;
        // Somebody did not come, and the nodes above him would keep the lock: nobody may ever come.
        if (work_q.operation == OpUnlock && !(work_q.verdict inside {VerdictOk, VerdictDenied}) &&
            !sat_down_q) begin
          state_q <= End;
        end
      end

      End: begin
        sat_down_q         <= 1'b1;
        events_o.torn_down <= 1'b1;
        if (end_q.low) low_down_q <= 1'b1;
        state_q <= Ask;
      end

      Change: begin
        state_q                <= Run;
        observed_o.changed     <= 1'b1;
        observed_o.change_good <= changed_good_o;
        // Messages of before are nobody's any more.
        if (changed_good_o && change_i.reopen) sat_down_q <= 1'b0;
      end

      default: state_q <= Run;
    endcase

    if (!open_i) begin
      state_q    <= Run;
      low_down_q <= 1'b0;
      sat_down_q <= 1'b0;
      observed_o <= '0;
      events_o   <= '0;
    end
  end

  assign group_o       = group_q;
  assign want          = come[group_q] & wants[group_q];
  assign rest          = come[group_q] & ~wants[group_q];
  assign answer_o      = '{valid: state_q == Decide, want: MaxPorts'(want), rest: MaxPorts'(rest)};
  assign reply_o       = (acts && fate_q.replies) ? at_q : '0;
  assign reply_why_o   = fate_q.why;
  assign low_down_o    = low_down_q;
  assign sat_down_o    = sat_down_q;
  assign end_o         = '{valid: state_q == End, low: end_q.low, why: end_q.why,
                           except: end_q.except};

endmodule
