// llt_due and llt_outside: when an operation of a low-latency tree has stood still for too long,
// and what ends a tree from outside (docs/tree.md), for any times, neighbours and groups.
module low_ends_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                clk_i,
  // Patience.
  input sat_cfg_t            cfg_i,
  input logic [31:0]         time_i,
  input logic                start_i,
  input logic                up_i,
  input logic [GroupW-1:0]   group_i,
  input logic [Groups-1:0]   timed_i,
  // Ends.
  input logic                open_i,
  input logic [15:0]         node_i,
  input logic [NumPorts-1:0] lost_i,
  input sat_end_t            sat_end_i,
  input logic                low_down_i,
  input logic                sat_down_i,
  input logic                reopen_i,
  input logic [GroupW-1:0]   any_group_i,
  input logic [PortW-1:0]    any_port_i
);

  logic              due;
  logic [GroupW-1:0] due_group;
  low_end_t          ends;

  llt_due u_due (
    .clk_i,
    .cfg_i,
    .time_i,
    .start_i,
    .up_i,
    .group_i,
    .timed_i,
    .due_o  (due),
    .group_o(due_group)
  );

  llt_outside #(
    .NumPorts(NumPorts)
  ) u_outside (
    .clk_i,
    .open_i,
    .node_i,
    .lost_i,
    .sat_end_i,
    .low_down_i,
    .sat_down_i,
    .reopen_i,
    .end_o(ends)
  );

  // Any group, the same for ever: patience with it has begun, until then; it was over, and is.
  logic              begun_q, begun2_q, here, known_q, over, over_q, out_q, started_q;
  logic [GroupW-1:0] g_q;
  logic [31:0]       until_q;
  logic [31:0]       beyond;
  assign here   = start_i && group_i == g_q;
  assign beyond = time_i - until_q;
  // Times are counted round: what is less than half a round behind is in the past.
  assign over   = known_q && timed_i[g_q] && beyond < 32'h8000_0000;

  // What was in the cycle before: who is lost, and all else.
  logic [NumPorts-1:0] lost_q;
  logic [PortW-1:0]    p_q;
  logic                there_q, low_q, first;
  logic [15:0]         node_q;
  sat_end_t            sat_end_q;

  initial {begun_q, begun2_q, known_q, over_q, out_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    begun2_q <= begun_q;
    if (!begun_q) {g_q, p_q} <= {any_group_i, any_port_i};
    started_q <= start_i;
    over_q    <= begun_q && over && !here;
    out_q     <= begun_q && over_q && timed_i[g_q] && !start_i;
    if (here && begun_q) begin
      known_q <= 1'b1;
      // From the next microsecond on.
      until_q <= time_i + 32'd1 + 32'(up_i ? cfg_i.patience_up : cfg_i.patience);
    end

    lost_q    <= lost_i;
    there_q   <= open_i && !reopen_i;
    low_q     <= lost_i != '0 && !low_down_i;
    node_q    <= node_i;
    sat_end_q <= sat_end_i;
  end

  // The port is the first one that is lost.
  always_comb begin
    first = lost_q[p_q];
    for (int unsigned p = 0; p < NumPorts; p++) if (p < 32'(p_q) && lost_q[p]) first = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (begun2_q) begin
      // Who is called late was waited for in both cycles before, and his time was over in the
      // earlier one.
      a_late : assert (!due || due_group != g_q || !known_q || out_q)
      else $error("group %0d is not late", due_group);
      // The lowest group that is late is called, or a lower one.
      a_called : assert (!out_q || (due && due_group <= g_q))
      else $error("group %0d is late", g_q);
      // Nobody is called in the cycle behind one in which a patience begins.
      a_not_yet : assert (!started_q || !due)
      else $error("group %0d", due_group);
      // What is known of the group (helps the proof).
      a_until : assert (!known_q || (u_due.deadline_q[g_q] == until_q &&
                                     u_due.late_q[g_q] == over_q))
      else $error("group %0d", g_q);

      // A tree that is there ends when a neighbour is lost, or the streaming one has ended; until
      // it is down, or for the latter that one.
      a_ends : assert (ends.valid == (there_q && (low_q ? !low_down_i :
                                                  sat_end_q.valid && !sat_down_i)))
      else $error("ends %b", ends.valid);
      if (ends.valid) begin
        // Who is lost ends both trees; while this one is not down.
        a_both : assert (ends.low == low_q)
        else $error("both %b", ends.low);
        // He needs not be told: the first of them.
        a_except : assert (32'(p_q) >= NumPorts || (ends.except[p_q] == (low_q && first) &&
                                                    32'(ends.except) >> NumPorts == '0))
        else $error("except %b", ends.except);
        // It is lost, of this node, at his port; counted from one on.
        a_lost : assert (!low_q || (ends.why.verdict == VerdictLost && ends.why.node == node_q &&
                         (!first || 32'(p_q) >= NumPorts || 32'(ends.why.port) == 32'(p_q) + 1)))
        else $error("why %h", ends.why);
        // Or as the streaming tree says.
        a_as_told : assert (low_q || {ends.why.verdict, ends.why.node, ends.why.port} ==
                            {sat_end_q.verdict, sat_end_q.node, sat_end_q.port})
        else $error("why %h", ends.why);
      end

      // Behind a wait over the clock's turn the third group is late.
      c_late : cover (out_q && due_group == GroupW'(2) && until_q[31]);
      c_lost : cover (ends.valid && low_q && first && p_q == PortW'(2) && lost_q[3]);
    end
  end

endmodule
