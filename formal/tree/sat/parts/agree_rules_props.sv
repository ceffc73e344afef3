// sat_agree: what the headers of an operation come to, for any headers in any order: which of them
// count, what the operation is then, whether all agree, and who is to blame if not.
module agree_rules_props
  import sat_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input logic        up_i,
  input logic [15:0] node_i,
  input logic        valid_i,
  input logic        last_i,
  input sat_seen_t   seen_i,
  input logic        all_i,
  input logic [3:0]  port_i   // any
);

  logic     agreed, differ;
  sat_end_t blame;
  sat_op_t  op;

  sat_agree u_dut (
    .clk_i,
    .rst_ni,
    .start_i,
    .up_i,
    .node_i,
    .valid_i,
    .last_i,
    .seen_i,
    .all_i,
    .agreed_o(agreed),
    .differ_o(differ),
    .blame_o (blame),
    .op_o    (op)
  );

  // Since headers began anew: whether one has come, whether the scan is over, whether one was wrong
  // and whether the last one was of somebody who sent more than he said, or one before it.
  logic known_q, some_q, over_q, bad_q, more_q;
  initial known_q = 1'b0;

  // The header in this cycle.
  sat_head_t h;
  logic      counts;    // it is of the headers that are compared
  logic      strange;   // it differs from those before it in what all must say
  logic      second;    // it is of a second receiver, or of a second sender
  logic      failed;    // it is of an operation that has failed below
  logic      more;      // who carries nothing sends more than a header, this one or one before
  logic      below;     // a child of a lower port has come
  logic      carried, wanted, nobody;
  always_comb begin
    h       = seen_i.head;
    counts  = valid_i && !over_q;
    strange = 1'b0;
    second  = 1'b0;
    carried = h.flags.carries;
    wanted  = h.flags.wants;
    more    = !h.flags.carries && !seen_i.alone;
    below   = 1'b0;
    if (some_q) begin
      if (h.operation != op.head.operation) strange = 1'b1;
      if (h.elem != op.head.elem) strange = 1'b1;
      if (h.length != op.head.length) strange = 1'b1;
      if (h.sequence_no != op.head.sequence_no) strange = 1'b1;
      if (h.operation == OpReduce && wanted && |op.wanting) second = 1'b1;
      if (h.operation == OpBroadcast && carried && |op.carrying) second = 1'b1;
      if (|op.carrying) carried = 1'b1;
      if (|op.wanting) wanted = 1'b1;
      if (more_q) more = 1'b1;
    end
    for (int p = 0; p < MaxPorts; p++) if (p < int'(seen_i.port) && op.come[p]) below = 1'b1;
    failed = h.verdict != VerdictOk;
    // A reduction that meets here and that nobody wants, or a broadcast that nobody sends.
    nobody = 1'b0;
    if (!up_i && h.operation == OpReduce) nobody = !wanted;
    if (!up_i && h.operation == OpBroadcast) nobody = !carried;
  end
  logic wrong;
  assign wrong = failed || strange || second || !seen_i.possible;

  // The operation, of which all have come.
  logic fine;
  always_comb begin
    fine = !bad_q && !more_q;
    if (!up_i && op.head.operation == OpReduce && !op.head.flags.wants) fine = 1'b0;
    if (!up_i && op.head.operation == OpBroadcast && !op.head.flags.carries) fine = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) known_q <= 1'b1;
    if (counts) begin
      some_q <= 1'b1;
      bad_q  <= wrong || (some_q && bad_q);
      more_q <= more;
      if (seen_i.scan && (last_i || wrong)) over_q <= 1'b1;
    end
    if (start_i || !rst_ni) begin
      some_q <= 1'b0;
      over_q <= 1'b0;
    end
  end

  // What was in the cycle before.
  typedef struct packed {
    logic      reset;
    logic      some, over, counts, strange, second, wrong, more, below, carried, wanted;
    logic      failed, nobody, fine;
    logic      up, last, all;
    logic [3:0] port;
    logic [15:0] node;
    sat_seen_t seen;
    sat_op_t   op;
  } was_t;
  was_t      w;
  sat_head_t older, now, came;
  logic      there_q;
  logic      scanned;   // a header of a scan that is not over
  initial there_q = 1'b0;
  always_ff @(posedge clk_i) begin
    there_q <= known_q;
    w <= '{reset: !rst_ni, some: some_q, over: over_q, counts: counts, strange: strange,
           second: second, wrong: wrong, more: more, below: below, carried: carried,
           wanted: wanted, failed: failed, nobody: nobody, fine: fine, up: up_i, last: last_i,
           all: all_i, port: port_i, node: node_i, seen: seen_i, op: op};
  end
  always_comb begin
    // Headers without the two flags that are of all children.
    older = w.op.head;
    now   = op.head;
    came  = w.seen.head;
    {older.flags.carries, now.flags.carries, came.flags.carries} = '0;
    {older.flags.wants, now.flags.wants, came.flags.wants}       = '0;
    scanned = w.seen.valid && w.seen.scan && !w.over;
  end

  always_ff @(posedge clk_i) begin
    if (there_q) begin
      // A header that does not count changes nothing of the operation.
      a_stands : assert (w.counts || {op.head, op.come, op.carrying, op.wanting} ==
                         {w.op.head, w.op.come, w.op.carrying, w.op.wanting})
      else $error("operation %h", op);
      // What headers do not have to agree on is the lowest child's: a header is taken if it is the
      // first, or if no child below its port has come.
      a_head : assert (!w.counts || now == ((!w.some || !w.below) ? came : older))
      else $error("head %h", now);
      // The sum carries a vector if somebody does, and is wanted if somebody wants it.
      a_flags : assert (!w.counts || {op.head.flags.carries, op.head.flags.wants} ==
                        {w.carried, w.wanted})
      else $error("flags %b", op.head.flags);
      // Of any port: it has come with its header, or before, but not before the first one.
      a_come : assert (!w.counts || op.come[w.port] ==
                       (w.seen.port == w.port || (w.some && w.op.come[w.port])))
      else $error("port %0d: come %b", w.port, op.come[w.port]);
      // It carries, and wants, what its own header says.
      a_carrying : assert (!w.counts || op.carrying[w.port] == ((w.seen.port == w.port) ?
                           w.seen.head.flags.carries : (w.some && w.op.carrying[w.port])))
      else $error("port %0d: carries %b", w.port, op.carrying[w.port]);
      a_wanting : assert (!w.counts || op.wanting[w.port] == ((w.seen.port == w.port) ?
                          w.seen.head.flags.wants : (w.some && w.op.wanting[w.port])))
      else $error("port %0d: wants %b", w.port, op.wanting[w.port]);
      // Where it goes is as the group is when all have come.
      a_up : assert (op.up == (w.all ? w.up : w.op.up))
      else $error("up %b", op.up);
      // Whether it is under way says somebody else.
      a_valid : assert (!op.valid)
      else $error("valid");

      if (w.reset) begin
        // A reset is no answer.
        a_reset : assert (!agreed && !differ && !blame.valid)
        else $error("an answer behind a reset");
      end else begin
        // They differ once all have come, one was wrong, and they have no sense together.
        a_differ : assert ((w.all && !w.some) || differ == (w.all && !w.fine))
        else $error("differ %b", differ);
        // They agree once all have come and nothing is wrong, or at the end of a scan that finds
        // nothing.
        a_agreed : assert ((w.all && !w.some) || agreed == ((w.all && w.fine) ||
                           (scanned && w.last && !w.wrong && !w.more && !w.nobody)))
        else $error("agreed %b", agreed);
        // A scan blames the first header that is wrong at once; behind the last one it blames who
        // has sent more than he said, or that nobody wants the sum, or sends it.
        a_blamed : assert (blame.valid ==
                           (scanned && (w.wrong || (w.last && (w.more || w.nobody)))))
        else $error("blame %b", blame.valid);
      end
      // What was found below stays as it was found.
      a_below : assert (!w.failed || {blame.verdict, blame.node, blame.port} ==
                        {w.seen.head.verdict, w.seen.head.node, w.seen.head.port})
      else $error("verdict %0d of node %0d", blame.verdict, blame.node);
      // What is found here is denied by this node,
      a_here : assert (w.failed || {blame.verdict, blame.node} == {VerdictDenied, w.node})
      else $error("verdict %0d of node %0d", blame.verdict, blame.node);
      // and is of the header's port, but for what is wrong only of all headers together.
      a_port : assert (w.failed ||
                       blame.port == ((!w.wrong && (w.more || w.nobody)) ? 8'd0 :
                                      8'({1'b0, w.seen.port} + 5'd1)))
      else $error("port %0d", blame.port);

      // A second receiver is found; a scan agrees; the lowest child comes last.
      c_second : cover (blame.valid && w.second && !w.strange);
      c_scan : cover (agreed && scanned && !w.all && op.come == 16'hc);
      c_late : cover (w.counts && w.some && !w.below && w.seen.port == 4'd1 && agreed);
    end
  end

endmodule
