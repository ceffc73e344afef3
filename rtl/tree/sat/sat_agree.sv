// Is what all children of a group sent one operation (docs/tree.md)? Their headers come by one
// after the other, in the order of ports, and with the last one it is known.
//
// Whoever came first, the reference is the lowest child's header, and who differs is to blame. The
// answer comes a cycle behind the last header, or behind the first one that is wrong; nobody waits.
module sat_agree
  import sat_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // The scan begins; no header comes in this cycle.
  input logic        start_i,
  input logic        up_i,      // the group goes on above this node
  input logic [15:0] node_i,    // number of this node
  // A header of the scan.
  input logic        valid_i,
  input logic        last_i,    // the last one of the scan
  // verilator lint_off UNUSEDSIGNAL
  input sat_seen_t   seen_i,    // not all of its fields
  // verilator lint_on UNUSEDSIGNAL

  // What the headers agree on; or, with `blame_o.valid`, why they do not. Pulses.
  output logic     agreed_o,
  output sat_end_t blame_o,
  output sat_op_t  op_o      // `valid` is set by who keeps it
);

  logic      first_q, over_q;
  logic      lone_wrong_q;   // who carries nothing has sent more than a header
  sat_head_t h;
  logic      same, one, lone_wrong, lacks;
  logic      carried, wanted;   // by this child or one before it

  assign h       = seen_i.head;
  assign same    = first_q || (h.operation == op_o.head.operation && h.elem == op_o.head.elem &&
                               h.length == op_o.head.length &&
                               h.sequence_no == op_o.head.sequence_no);
  assign carried = h.flags.carries || (!first_q && op_o.carrying != '0);
  assign wanted  = h.flags.wants || (!first_q && op_o.wanting != '0);
  // One receiver of a reduction, one sender of a broadcast.
  assign one     = first_q ||
      (!(h.operation == OpReduce && h.flags.wants && (op_o.wanting != '0)) &&
       !(h.operation == OpBroadcast && h.flags.carries && (op_o.carrying != '0)));
  assign lone_wrong = (!h.flags.carries && !seen_i.alone) || (!first_q && lone_wrong_q);
  // Where the operation meets, somebody must have a vector, and somebody want it.
  assign lacks   = !up_i && ((h.operation == OpReduce && !wanted) ||
                             (h.operation == OpBroadcast && !carried));

  always_ff @(posedge clk_i) begin
    agreed_o      <= 1'b0;
    blame_o.valid <= 1'b0;
    if (valid_i && !over_q) begin
      first_q      <= 1'b0;
      over_q       <= last_i;
      lone_wrong_q <= lone_wrong;
      if (first_q) begin
        op_o.head     <= h;
        op_o.come     <= '0;
        op_o.carrying <= '0;
        op_o.wanting  <= '0;
      end
      op_o.head.flags.carries    <= carried;
      op_o.head.flags.wants      <= wanted;
      op_o.come[seen_i.port]     <= 1'b1;
      op_o.carrying[seen_i.port] <= h.flags.carries;
      op_o.wanting[seen_i.port]  <= h.flags.wants;
      blame_o.verdict <= VerdictDenied;
      blame_o.node    <= node_i;
      blame_o.port    <= 8'(seen_i.port) + 8'd1;
      if (h.verdict != VerdictOk) begin
        // What was found below stays as it was found.
        over_q          <= 1'b1;
        blame_o.valid   <= 1'b1;
        blame_o.verdict <= h.verdict;
        blame_o.node    <= h.node;
        blame_o.port    <= h.port;
      end else if (!seen_i.possible || !same || !one) begin
        over_q        <= 1'b1;
        blame_o.valid <= 1'b1;
      end else if (last_i && (lacks || lone_wrong)) begin
        blame_o.valid <= 1'b1;
        blame_o.port  <= '0;
      end else begin
        agreed_o <= last_i;
      end
    end
    if (start_i) begin
      first_q <= 1'b1;
      over_q  <= 1'b0;
      op_o.up <= up_i;
    end
    op_o.valid <= 1'b0;
    if (!rst_ni) begin
      over_q        <= 1'b1;
      agreed_o      <= 1'b0;
      blame_o.valid <= 1'b0;
    end
  end

endmodule
