// What becomes of a message of a low-latency tree, by what it says and where its group's operation
// is (docs/tree.md), a cycle after it was looked at.
module llt_rules
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,

  input logic        looks_i,     // a message is looked at; else the outputs stand
  // verilator lint_off UNUSEDSIGNAL
  input low_seen_t   seen_i,      // the message; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [15:0] node_i,      // number of this node
  input logic        low_down_i,  // the low-latency tree has ended
  input logic        sat_down_i,  // the streaming tree has ended

  // Of the message's group: the phase of its operation, ports that have contributed, all of its
  // children, and how the last operation ended.
  input low_phase_e          phase_i,
  input logic [NumPorts-1:0] come_i,
  input logic [NumPorts-1:0] children_i,
  input low_blame_t          last_i,
  // Reliable copies of multicast answers that are to come.
  input logic [CopiesW-1:0]  copies_i,

  output low_fate_t           fate_o,
  output logic [NumPorts-1:0] at_o,     // port of the message, one-hot
  // The oldest message of these ports, or of the multicasts, is thrown away or kept.
  output logic [NumPorts-1:0] take_o,
  output logic [NumPorts-1:0] keep_o,
  output logic                cast_take_o,
  output logic                cast_keep_o,
  output logic [NumPorts-1:0] come_o,   // ports that have contributed, with this one
  output logic                all_o     // those are all, and it is not too late for any
);

  typedef logic [NumPorts-1:0] ports_t;

  low_blame_t denied, no_tree;
  low_fate_t  fate;
  ports_t     at;
  logic       here, full_q, answer;

  assign at      = ports_t'(1) << seen_i.port;
  assign here    = (come_i & at) != '0;
  assign denied  = '{verdict: VerdictDenied, node: node_i, port: 8'(seen_i.port) + 8'd1};
  assign no_tree = '{verdict: VerdictNoTree, node: node_i, port: 8'(seen_i.port) + 8'd1};

  // What the parent says in time.
  assign answer = seen_i.header && seen_i.parent && seen_i.good && seen_i.known &&
      seen_i.head.kind == KindDown && phase_i == LowWaits && seen_i.same && seen_i.asked;

  always_comb begin
    fate     = '0;
    fate.why = denied;
    if (seen_i.cast) begin
      // Anything else is nothing: it may be old, and nobody counts on it.
      fate.takes   = 1'b1;
      fate.answers = answer && seen_i.head.verdict == VerdictOk &&
          copies_i != CopiesW'(CopiesMost);
    end else if (seen_i.header && seen_i.head.kind == KindTeardown) begin
      fate.takes = 1'b1;
      fate.tears = (seen_i.this_tree && !low_down_i) || (seen_i.that_tree && !sat_down_i);
    end else if (seen_i.header && !seen_i.parent && seen_i.head.kind == KindUp) begin
      if (!seen_i.good || low_down_i) begin
        fate.replies = 1'b1;
        if (!seen_i.this_tree || seen_i.good) fate.why = no_tree;
      end else if (!seen_i.known || !seen_i.child) begin
        fate.replies = 1'b1;
      end else if (phase_i == LowIdle) begin
        fate.begins  = seen_i.ahead;
        fate.replies = !seen_i.ahead;
        // Too late for an operation that has failed without this one: it hears how.
        if (seen_i.same && last_i.verdict != VerdictOk) fate.why = last_i;
      end else if (phase_i != LowAnswers) begin
        // A group has one operation at a time.
        fate.joins   = !here && seen_i.same;
        fate.replies = here || !seen_i.same;
      end
    end else begin
      fate.takes   = 1'b1;
      fate.answers = answer;
      // Messages of the parent come in order, so those of a group are copies until all have come.
      fate.copies  = !answer && seen_i.header && seen_i.parent && seen_i.good && seen_i.known &&
          seen_i.head.kind == KindDown && seen_i.head.verdict == VerdictOk && !seen_i.ahead &&
          copies_i != '0;
      fate.refuses = !answer && !fate.copies;
    end
    fate.keeps = fate.begins || fate.joins || fate.answers;
  end

  always_ff @(posedge clk_i) begin
    if (looks_i) begin
      fate_o <= fate;
      at_o   <= at;
      take_o <= (!seen_i.cast && (fate.takes || fate.keeps)) ? at : '0;
      keep_o <= (!seen_i.cast && fate.keeps) ? at : '0;
      cast_take_o <= seen_i.cast;
      cast_keep_o <= seen_i.cast && fate.keeps;
      come_o <= come_i | at;
      full_q <= (come_i | at) == children_i && phase_i inside {LowIdle, LowGathers};
    end
  end
  assign all_o = full_q && (fate_o.begins || fate_o.joins);

endmodule
