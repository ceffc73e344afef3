// Is what all children of a group sent one operation (docs/tree.md)? The same rules for both kinds
// of trees, in two ways:
// - Headers come by as the children do, in any order, and once all have come (`all_i`) it is known,
//   and the same whoever came first. Who is to blame if they do not agree a scan has to say.
// - A scan: headers come by in the order of ports. The reference is the lowest child's, and who
//   differs from it is to blame. That comes a cycle behind the first one that is wrong, or behind
//   the last one.
// Nobody waits.
module sat_agree
  import sat_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Headers begin anew; none comes in this cycle.
  input logic        start_i,
  input logic        up_i,      // the group goes on above this node
  input logic [15:0] node_i,    // number of this node
  // A header of a child that has come, or, with `seen_i.scan`, of the scan.
  input logic        valid_i,
  input logic        last_i,    // the last one of the scan
  // verilator lint_off UNUSEDSIGNAL
  input sat_seen_t   seen_i,    // not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic        all_i,     // pulse: all have come

  // Pulses: what the headers agree on; all have come, and they do not; why, of a scan.
  output logic     agreed_o,
  output logic     differ_o,
  output sat_end_t blame_o,
  output sat_op_t  op_o       // `valid` is set by who keeps it
);

  logic      first_q, over_q;
  logic      wrong_q;          // a header cannot be, or differs
  logic      lone_wrong_q;     // who carries nothing has sent more than a header
  sat_head_t h;
  logic      same, one, wrong, lone_wrong, fine, scans;
  logic      lowest;           // no child below this one has come
  logic      carried, wanted;  // by this child or one before it

  assign h       = seen_i.head;
  assign scans   = seen_i.valid && seen_i.scan && !over_q;
  assign same    = first_q || (h.operation == op_o.head.operation && h.elem == op_o.head.elem &&
                               h.length == op_o.head.length &&
                               h.sequence_no == op_o.head.sequence_no);
  assign carried = h.flags.carries || (!first_q && op_o.carrying != '0);
  assign wanted  = h.flags.wants || (!first_q && op_o.wanting != '0);
  // One receiver of a reduction, one sender of a broadcast.
  assign one     = first_q ||
      (!(h.operation == OpReduce && h.flags.wants && (op_o.wanting != '0)) &&
       !(h.operation == OpBroadcast && h.flags.carries && (op_o.carrying != '0)));
  assign wrong      = !seen_i.possible || !same || !one;
  assign lone_wrong = (!h.flags.carries && !seen_i.alone) || (!first_q && lone_wrong_q);

  always_comb begin
    lowest = 1'b1;
    for (int unsigned p = 0; p < MaxPorts; p++) begin
      if (op_o.come[p] && 4'(p) < seen_i.port) lowest = 1'b0;
    end
  end

  // Where the operation meets, somebody must have a vector, and somebody want it.
  function automatic logic lacks(logic [7:0] operation, logic carries, logic wants);
    return (operation == OpReduce && !wants) || (operation == OpBroadcast && !carries);
  endfunction

  assign fine = !wrong_q && !lone_wrong_q &&
      (up_i || !lacks(op_o.head.operation, op_o.head.flags.carries, op_o.head.flags.wants));

  always_ff @(posedge clk_i) begin
    agreed_o      <= all_i && fine;
    differ_o      <= all_i && !fine;
    blame_o.valid <= 1'b0;
    if (all_i) op_o.up <= up_i;
    if (valid_i && !over_q) begin
      first_q      <= 1'b0;
      over_q       <= seen_i.scan && (last_i || wrong || h.verdict != VerdictOk);
      wrong_q      <= wrong || h.verdict != VerdictOk || (!first_q && wrong_q);
      lone_wrong_q <= lone_wrong;
      // What headers do not have to agree on is the lowest child's.
      if (first_q || lowest) op_o.head <= h;
      if (first_q) begin
        op_o.come     <= '0;
        op_o.carrying <= '0;
        op_o.wanting  <= '0;
      end
      op_o.head.flags.carries    <= carried;
      op_o.head.flags.wants      <= wanted;
      op_o.come[seen_i.port]     <= 1'b1;
      op_o.carrying[seen_i.port] <= h.flags.carries;
      op_o.wanting[seen_i.port]  <= h.flags.wants;
    end
    // Of a scan.
    blame_o.verdict <= VerdictDenied;
    blame_o.node    <= node_i;
    blame_o.port    <= 8'(seen_i.port) + 8'd1;
    if (h.verdict != VerdictOk) begin
      // What was found below stays as it was found.
      blame_o.valid   <= scans;
      blame_o.verdict <= h.verdict;
      blame_o.node    <= h.node;
      blame_o.port    <= h.port;
    end else if (wrong) begin
      blame_o.valid <= scans;
    end else if (lone_wrong || (!up_i && lacks(h.operation, carried, wanted))) begin
      blame_o.valid <= scans && last_i;
      blame_o.port  <= '0;
    end else if (scans && last_i) begin
      agreed_o <= 1'b1;
    end
    if (start_i) begin
      first_q <= 1'b1;
      over_q  <= 1'b0;
    end
    op_o.valid <= 1'b0;
    if (!rst_ni) begin
      first_q       <= 1'b1;
      over_q        <= 1'b0;
      agreed_o      <= 1'b0;
      differ_o      <= 1'b0;
      blame_o.valid <= 1'b0;
    end
  end

endmodule
