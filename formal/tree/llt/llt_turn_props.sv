// The control of a low-latency tree's operations (llt_decide, with llt_owed, llt_jobs and
// llt_pending beside it), followed for any group and any port: an operation is closed when every
// child has contributed, when it is too late, or by the parent's answer to it; a child is in it
// once; who contributed is answered once, before the group's next one begins; and when both trees
// are no more nothing of it is held. Messages, vectors, lock cells and time are free.
module llt_turn_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic clk_i,
  input logic rst_ni,
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
  input low_change_t         change_i,
  input logic [Groups-1:0]   holds_i,
  input logic [NumPorts-1:0] lost_i,
  input sat_end_t            sat_end_i,
  input logic                sum_ready_i,
  input logic                sum_done_i,
  input logic [GroupW-1:0]   sum_group_i,
  input logic [NumPorts-1:0] room_i,
  input logic                send_ready_i,
  input logic [GroupW-1:0]   send_group_i,
  input logic [GroupW-1:0]   any_group_i,
  input logic [$clog2(NumPorts)-1:0] any_port_i
);

  typedef logic [NumPorts-1:0] ports_t;

  logic                              begun_q;
  sat_cfg_t                          cfg_q;
  logic                              seen_ready, flush, join_it, telling_q;
  ports_t                            take, keep, replies, replied, reply, end_to, parent;
  logic      [Groups-1:0]            any, rise, from_parent, summing, owed, risen;
  logic      [Groups-1:0][31:0]      sequence_no;
  low_blame_t                        replies_why;
  low_scan_t                         scan;
  low_owe_t                          answer;
  logic                              lock_valid, sum_put, low_down, sat_down, send_valid;
  lock_ask_t                         lock;
  low_sum_t                          sum_of, sum;
  logic                              sum_valid;
  sat_head_t [Groups-1:0]            head;
  logic      [GroupW-1:0]            group;
  low_end_t                          tree_end;
  low_observed_t                     observed;
  low_events_t                       events;
  ports_t    [Groups-1:0]            want, rest, answered;
  ports_t    [1:0]                   tell, told;
  low_blame_t [1:0]                  tell_why;
  low_blame_t [NumPorts-1:0]         reply_why;
  low_send_t                         send;
  logic                              changed, changed_good;

  llt_decide #(
    .NumPorts(NumPorts)
  ) u_decide (
    .clk_i,
    .open_i,
    .cfg_i          (cfg_q),
    .time_i,
    .seen_i,
    .seen_ready_o   (seen_ready),
    .flush_o        (flush),
    .take_o         (take),
    .keep_o         (keep),
    .join_o         (join_it),
    .any_o          (any),
    .sequence_no_o  (sequence_no),
    .scan_o         (scan),
    .scanned_i,
    .lock_valid_o   (lock_valid),
    .lock_ready_i,
    .lock_o         (lock),
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sum_o          (sum_put),
    .sum_of_o       (sum_of),
    .summing_i      (summing),
    .rise_o         (rise),
    .from_parent_o  (from_parent),
    .head_o         (head),
    .group_o        (group),
    .answer_o       (answer),
    .reply_o        (replies),
    .reply_why_o    (replies_why),
    .end_o          (tree_end),
    .owed_i         (owed),
    .risen_i        (risen),
    .sending_i      (!send_ready_i),
    .sending_group_i(send_group_i),
    .change_i,
    .holds_i,
    .telling_i      (telling_q),
    .changed_o      (changed),
    .changed_good_o (changed_good),
    .lost_i,
    .sat_end_i,
    .low_down_o     (low_down),
    .sat_down_o     (sat_down),
    .observed_o     (observed),
    .events_o       (events)
  );

  always_ff @(posedge clk_i) telling_q <= open_i && tell[0] != '0;

  assign parent = cfg_q.parent_valid ? ports_t'(1) << cfg_q.parent : '0;
  assign end_to = (ports_t'(cfg_q.children) | parent) & ~ports_t'(tree_end.except);
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) owed[g] = want[g] != '0 || rest[g] != '0;
  end

  llt_owed #(
    .NumPorts(NumPorts)
  ) u_owed (
    .clk_i,
    .rst_ni        (open_i),
    .lost_i,
    .answer_i      (answer),
    .answer_group_i(group),
    .reply_i       (replies),
    .reply_why_i   (replies_why),
    .end_i         (tree_end.valid),
    .end_low_i     (tree_end.low),
    .end_why_i     (tree_end.why),
    .end_to_i      (end_to),
    .answered_i    (answered),
    .told_i        (told),
    .replied_i     (replied),
    .want_o        (want),
    .rest_o        (rest),
    .tell_o        (tell),
    .tell_why_o    (tell_why),
    .reply_o       (reply),
    .reply_why_o   (reply_why)
  );

  llt_pending u_pending (
    .clk_i,
    .rst_ni      (open_i),
    .put_i       (sum_put),
    .put_sum_i   (sum_of),
    .valid_o     (sum_valid),
    .ready_i     (sum_ready_i),
    .sum_o       (sum),
    .done_i      (sum_done_i),
    .done_group_i(sum_group_i),
    .busy_o      (summing)
  );

  llt_jobs #(
    .NumPorts(NumPorts)
  ) u_jobs (
    .clk_i,
    .rst_ni       (open_i),
    .parent_i     (parent),
    .room_i,
    .rise_i       (rise),
    .want_i       (want),
    .rest_i       (rest),
    .summing_i    (summing),
    .from_parent_i(from_parent),
    .head_i       (head),
    .tell_i       (tell),
    .tell_why_i   (tell_why),
    .tell_tree_i  ('0),
    .reply_i      (reply),
    .reply_why_i  (reply_why),
    .message_i    ('0),
    .risen_o      (risen),
    .answered_o   (answered),
    .told_o       (told),
    .replied_o    (replied),
    .valid_o      (send_valid),
    .ready_i      (send_ready_i),
    .send_o       (send)
  );

  // ---------------------------------------------------------------------------------------------
  // Any group and port, and what somebody outside would tell of them.

  logic [GroupW-1:0]           g_q;
  logic [$clog2(NumPorts)-1:0] p_q;
  logic      joins, begins, closes, changes, answered_it, child, before_q, ended_q;
  logic      in_q;        // the port has contributed, and is not answered
  logic      closed_q;    // the operation under way is: all have contributed, or it is too late,
  logic      up_q;        // and has gone up
  logic      answers_q;   // its answer is decided
  logic      drops_q;     // a tree has ended, and the cells have not been asked to drop its lock
  low_seen_t seen_q;
  logic      held_q;      // seen_q is still looked at
  ports_t    lost_q;

  assign child       = cfg_q.groups[g_q].children[p_q];
  assign joins       = join_it && seen_i.group == g_q && seen_i.port == 4'(p_q);
  assign begins      = join_it && u_decide.fate_q.begins && seen_i.group == g_q;
  assign closes      = scan.start && (u_decide.group_q == g_q);
  assign changes     = changed && changed_good && !change_i.reopen && change_i.group == g_q;
  assign answered_it = answered[g_q][p_q];

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) begin
      g_q <= any_group_i;
      p_q <= any_port_i;
    end
    if (!begun_q || !open_i) cfg_q <= cfg_i;
    // A group that is changed is any other from the next cycle on.
    if (begun_q && open_i && changed && changed_good && !change_i.reopen) begin
      cfg_q.groups[change_i.group] <= cfg_i.groups[change_i.group];
    end
    before_q <= open_i && begun_q;
    seen_q   <= seen_i;
    held_q   <= seen_i.valid && !seen_ready && !flush;
    lost_q   <= lost_i;
    in_q     <= joins || (in_q && !answered_it);
    if (begins) begin
      closed_q  <= 1'b0;
      up_q      <= 1'b0;
      answers_q <= 1'b0;
    end
    if (closes) closed_q <= 1'b1;
    if (risen[g_q]) up_q <= 1'b1;
    if (answer.valid && group == g_q) answers_q <= 1'b1;
    drops_q <= open_i && (tree_end.valid ||
        (drops_q && !(lock_valid && lock_ready_i && lock.op == LockDrop)));
    ended_q <= open_i && ((tree_end.valid && tree_end.low) || ended_q);
    if (!open_i || (tree_end.valid && tree_end.low)) in_q <= 1'b0;
    if (!open_i) begin
      closed_q  <= 1'b0;
      up_q      <= 1'b0;
      answers_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one before the tree is opened.
    e_reset : assume (begun_q || !open_i);
    // What is looked at stays until it is taken or the pipeline is flushed, as llt_look has it.
    e_seen : assume (!(held_q && before_q) || seen_i == seen_q);
    // Who is lost stays so, as long as the tree is there.
    e_lost : assume (!(before_q && open_i) || (lost_q & ~lost_i) == '0);

    if (begun_q && open_i && before_q) begin
      // A child is in an operation once: it does not join before it has the answer to what it
      // contributed before.
      a_once : assert (!joins || !in_q || lost_i[p_q])
      else $error("port %0d joins group %0d twice", p_q, g_q);
      // An operation is looked at as a whole when each child has contributed, or when it is too
      // late.
      a_all : assert (!closes || scan.late || !child || in_q || joins || lost_i[p_q])
      else $error("group %0d goes on without port %0d", g_q, p_q);
      // It goes up, or its answer is decided, only after that.
      a_closed : assert (!(risen[g_q] || (answer.valid && group == g_q)) || closed_q)
      else $error("group %0d is decided before it is closed", g_q);
      // Where it goes on above this node the parent decides, once it has gone up.
      a_parent : assert (!(answer.valid && group == g_q && cfg_q.groups[g_q].up) || up_q)
      else $error("group %0d is decided, and has not gone up", g_q);
      // An answer goes to who has contributed, once, when it is decided.
      a_answered : assert (!answered_it || (in_q && answers_q) || lost_i[p_q])
      else $error("port %0d of group %0d is answered for nothing", p_q, g_q);
      // The group's next operation does not begin before who was in the one before has its answer.
      a_next : assert (!begins || !in_q || lost_i[p_q])
      else $error("group %0d begins while port %0d waits", g_q, p_q);
      // When both trees are no more nothing is owed or open, and nothing begins.
      a_ended : assert (!ended_q || (!join_it && !want[g_q][p_q] && !rest[g_q][p_q] && !rise[g_q]))
      else $error("something of group %0d is left", g_q);
      // Whatever ends, the lock of the streaming tree is dropped at once, before anything else is
      // decided.
      a_drop : assert (!drops_q || (lock_valid && lock.op == LockDrop && !join_it && !answer.valid))
      else $error("a tree has ended, and its lock is still held");
      // A group becomes another one only while nobody waits in it; else who has contributed would
      // never hear.
      a_change : assert (!changes || !in_q || lost_i[p_q])
      else $error("group %0d is another while port %0d waits", g_q, p_q);
      // A streaming tree begins once more only beside a low-latency one that is there.
      a_again : assert (!(changed && changed_good && change_i.reopen) || !ended_q)
      else $error("the streaming tree begins beside none");
      // A port is answered, and joins the next operation; one is too late; both trees end.
      c_next : cover (joins && answers_q);
      c_late : cover (closes && scan.late && cfg_q.groups[g_q].up);
      c_change : cover (changes && answers_q);
      c_ended : cover (ended_q && low_down && closed_q);
    end
  end

endmodule
