// What becomes of a message of a low-latency tree, by what it says and where its group's operation
// is (docs/tree.md). Combinational: the moment is its user's.
module llt_rules
  import sat_pkg::*;
  import llt_pkg::*;
(
  // verilator lint_off UNUSEDSIGNAL
  input low_seen_t   seen_i,      // not all of it
  // verilator lint_on UNUSEDSIGNAL
  input logic [15:0] node_i,      // of this node
  input logic        low_down_i,
  input logic        sat_down_i,

  // Of its group: where it is, whether this port has contributed, how the last one ended.
  input low_phase_e phase_i,
  input logic       come_i,
  input low_blame_t last_i,

  output low_fate_t fate_o
);

  low_blame_t denied, no_tree;
  assign denied  = '{verdict: VerdictDenied, node: node_i, port: 8'(seen_i.port) + 8'd1};
  assign no_tree = '{verdict: VerdictNoTree, node: node_i, port: 8'(seen_i.port) + 8'd1};

  always_comb begin
    fate_o     = '0;
    fate_o.why = denied;
    if (seen_i.header && seen_i.head.kind == KindTeardown) begin
      fate_o.takes = 1'b1;
      fate_o.tears = (seen_i.this_tree && !low_down_i) || (seen_i.that_tree && !sat_down_i);
    end else if (seen_i.header && !seen_i.parent && seen_i.head.kind == KindUp) begin
      if (!seen_i.good || low_down_i) begin
        fate_o.replies = 1'b1;
        if (!seen_i.this_tree || seen_i.good) fate_o.why = no_tree;
      end else if (!seen_i.known || !seen_i.child) begin
        fate_o.replies = 1'b1;
      end else if (phase_i == LowIdle) begin
        fate_o.begins  = seen_i.ahead;
        fate_o.replies = !seen_i.ahead;
        // Too late for an operation that has failed without this one: it hears how.
        if (seen_i.same && last_i.verdict != VerdictOk) fate_o.why = last_i;
      end else if (phase_i != LowAnswers) begin
        // A group has one operation at a time.
        fate_o.joins   = !come_i && seen_i.same;
        fate_o.replies = come_i || !seen_i.same;
      end
    end else begin
      fate_o.takes   = 1'b1;
      fate_o.answers = seen_i.header && seen_i.parent && seen_i.good && seen_i.known &&
          seen_i.head.kind == KindDown && phase_i == LowWaits && seen_i.same && seen_i.asked;
      fate_o.refuses = !fate_o.answers;
    end
    fate_o.keeps = fate_o.begins || fate_o.joins || fate_o.answers;
  end

endmodule
