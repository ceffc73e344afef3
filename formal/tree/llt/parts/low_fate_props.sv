// llt_rules: what becomes of a message of a low-latency tree, for anything that it may say and
// wherever its group's operation is, in the words of docs/tree.md.
module low_fate_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 6
) (
  input logic                clk_i,
  input logic                looks_i,
  input low_seen_t           seen_i,
  input logic [15:0]         node_i,
  input logic                low_down_i,
  input logic                sat_down_i,
  input low_phase_e          phase_i,
  input logic [NumPorts-1:0] come_i,
  input logic [NumPorts-1:0] children_i,
  input low_blame_t          last_i,
  input logic [CopiesW-1:0]  copies_i,
  input logic [2:0]          port_i   // any
);

  low_fate_t           fate;
  logic [NumPorts-1:0] at, take, keep, come;
  logic                cast_take, cast_keep, all_come;

  llt_rules #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .looks_i,
    .seen_i,
    .node_i,
    .low_down_i,
    .sat_down_i,
    .phase_i,
    .come_i,
    .children_i,
    .last_i,
    .copies_i,
    .fate_o     (fate),
    .at_o       (at),
    .take_o     (take),
    .keep_o     (keep),
    .cast_take_o(cast_take),
    .cast_keep_o(cast_keep),
    .come_o     (come),
    .all_o      (all_come)
  );

  // The message that was looked at in the cycle before, and all that was known then.
  typedef struct packed {
    low_seen_t           m;
    logic [15:0]         node;
    logic                low_down, sat_down;
    low_phase_e          phase;
    logic [NumPorts-1:0] come, children;
    low_blame_t          last;
    logic [CopiesW-1:0]  copies;
  } known_t;
  known_t    q;
  low_seen_t m;
  logic      looked_q, stood_q, all_q;
  logic [$bits({fate, at, take, keep, come, cast_take, cast_keep})-1:0] says, says_q;
  assign says = {fate, at, take, keep, come, cast_take, cast_keep};
  initial {looked_q, stood_q} = '0;
  always_ff @(posedge clk_i) begin
    {looked_q, stood_q} <= {looks_i, !looks_i};
    {says_q, all_q}     <= {says, all_come};
    q <= '{seen_i, node_i, low_down_i, sat_down_i, phase_i, come_i, children_i, last_i, copies_i};
  end
  assign m = q.m;

  logic teardown;      // a reliable message that says that a tree is no more
  logic contribution;  // one of a neighbour who is not the parent
  logic ours;          // of a child of a group of this tree, which is there
  logic under_way;     // the group's operation is
  logic spoke;         // the message's port has contributed
  logic from_above;    // the parent says how an operation of a known group ended
  logic in_time;       // and it is the one that is waited for
  logic port;          // it is of the followed port
  always_comb begin
    teardown     = !m.cast && m.header && m.head.kind == KindTeardown;
    contribution = !m.cast && m.header && m.head.kind == KindUp && !m.parent;
    ours         = m.good && m.known && m.child && !q.low_down;
    under_way    = q.phase != LowIdle && q.phase != LowAnswers;
    spoke        = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) if (m.port == 4'(p)) spoke = q.come[p];
    from_above   = m.header && m.head.kind == KindDown && m.parent && m.good && m.known;
    in_time      = from_above && q.phase == LowWaits && m.same && m.asked;
    port         = m.port == 4'(port_i);
  end

  always_ff @(posedge clk_i) begin
    // What a message comes to stands until the next one is looked at.
    a_stands : assert (!stood_q || (says == says_q && all_come == all_q))
    else $error("%h", says);
    if (looked_q) begin
      // A contribution begins its group's operation if none is under way and its number is new.
      a_begins : assert (fate.begins == (contribution && ours && q.phase == LowIdle && m.ahead))
      else $error("begins %b", fate.begins);
      // It joins the one that is under way, once, if it has its number.
      a_joins : assert (fate.joins == (contribution && ours && under_way && m.same && !spoke))
      else $error("joins %b", fate.joins);
      // While answers of the last one are on their way one of ours waits; any other contribution
      // is answered at once.
      a_replies : assert (fate.replies == (contribution && !fate.begins && !fate.joins &&
                                           !(ours && q.phase == LowAnswers)))
      else $error("replies %b", fate.replies);
      // All that is no contribution is thrown away, and no contribution is.
      a_takes : assert (fate.takes == !contribution)
      else $error("takes %b", fate.takes);
      // The parent's word in time is the answer; by multicast only a good one, and no more of them
      // than copies are counted.
      a_answers : assert (fate.answers == (in_time && (!m.cast ||
                                               (m.head.verdict == VerdictOk && q.copies != '1))))
      else $error("answers %b", fate.answers);
      // A good answer of the parent that is not in time, and of no later operation, is the copy of
      // a multicast while some are to come.
      a_copies : assert (fate.copies == (from_above && !in_time && !m.cast && !m.ahead &&
                                         m.head.verdict == VerdictOk && q.copies != '0))
      else $error("copies %b", fate.copies);
      // A tree ends by a message that names it, but for one that has ended.
      a_tears : assert (fate.tears == (teardown && ((m.this_tree && !q.low_down) ||
                                                    (m.that_tree && !q.sat_down))))
      else $error("tears %b", fate.tears);
      // A reliable message that is thrown away says something, or it is refused.
      a_refuses : assert (fate.refuses == (fate.takes && !m.cast && !teardown && !fate.answers &&
                                           !fate.copies))
      else $error("refuses %b", fate.refuses);
      // Kept is what an operation needs: contributions to it, and its answer.
      a_keeps : assert (fate.keeps == (fate.begins || fate.joins || fate.answers))
      else $error("keeps %b", fate.keeps);

      // `No tree` hears who contributes to a tree that has ended, or to none of ours.
      a_no_tree : assert ((fate.why.verdict == VerdictNoTree && fate.why.node == q.node &&
                           fate.why.port == 8'(m.port) + 8'd1) ||
                          !contribution || (m.good ? !q.low_down : m.this_tree))
      else $error("why %h", fate.why);
      // Who is too late for an operation that has failed without him hears how it ended.
      a_too_late : assert (fate.why == q.last || !(contribution && ours && q.phase == LowIdle &&
                           m.same && q.last.verdict != VerdictOk))
      else $error("why %h", fate.why);
      // All others are denied, and told by which port of this node.
      a_denied : assert ((fate.why.verdict == VerdictDenied && fate.why.node == q.node &&
                          fate.why.port == 8'(m.port) + 8'd1) ||
                         (contribution && ((m.good ? q.low_down : !m.this_tree) || (ours &&
                          q.phase == LowIdle && m.same && q.last.verdict != VerdictOk))))
      else $error("why %h", fate.why);

      if (32'(port_i) < NumPorts) begin
        // The message is of its own port, and of no other.
        a_at : assert (at[port_i] == port)
        else $error("port %0d: %b", port_i, at);
        // It leaves its port when it is thrown away or kept; a multicast has none there.
        a_take : assert (take[port_i] == (port && !m.cast && (fate.takes || fate.keeps)) &&
                         keep[port_i] == (port && !m.cast && fate.keeps))
        else $error("port %0d: %b, %b", port_i, take, keep);
        // With it have contributed who had, and its port.
        a_come : assert (come[port_i] == (q.come[port_i] || port))
        else $error("port %0d: %b", port_i, come);
        // Not all are there while a child of the group is missing, or who is none has come; or of
        // an operation that is closed.
        a_missing : assert (!all_come || (come[port_i] == q.children[port_i] &&
                            (q.phase == LowGathers || q.phase == LowIdle)))
        else $error("without port %0d", port_i);
      end
      // Who begins or joins as the last one closes it, and nothing else does.
      a_all : assert (all_come == ((fate.begins || fate.joins) && come == q.children &&
                                   (q.phase == LowGathers || q.phase == LowIdle)))
      else $error("all %b", all_come);
      // A multicast leaves always, and is kept as the answer.
      a_cast : assert (cast_take == m.cast && cast_keep == (m.cast && fate.answers))
      else $error("cast %b, %b", cast_take, cast_keep);

      // A child that is alone; the answer by multicast, and its copy.
      c_alone : cover (fate.begins && all_come);
      c_cast : cover (cast_keep);
      c_copy : cover (fate.copies);
    end
  end

endmodule
