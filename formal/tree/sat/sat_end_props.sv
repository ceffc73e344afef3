// sat_end and sat_patience: when a streaming tree is open, and whom it blames when it ends, for
// anything that its parts may say (docs/tree.md).
module sat_end_props
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                open_i,
  input logic                close_i,
  input sat_cfg_t            cfg_i,
  input logic [31:0]         time_i,
  input sat_end_t            blame_i,
  input logic                issue_wrong_i,
  input logic [NumPorts-1:0] wrong_at_i,
  input logic                fall_wrong_i,
  input logic                active_i,
  input logic                moved_i,
  input logic                rose_i,
  input logic                asked_i,
  input logic [NumPorts-1:0] missing_i,
  input logic [NumPorts-1:0] silent_i,
  input logic                waits_i
);

  typedef logic [NumPorts-1:0] ports_t;

  logic     open, expired;
  logic [7:0] late_port;
  sat_end_t ended;

  sat_end #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .time_i,
    .blame_i,
    .issue_wrong_i,
    .wrong_at_i,
    .fall_wrong_i,
    .active_i,
    .moved_i,
    .rose_i,
    .asked_i,
    .missing_i,
    .silent_i,
    .waits_i,
    .open_o(open),
    .end_o (ended)
  );
  assign expired   = u_dut.u_patience.expired_o;
  assign late_port = u_dut.u_patience.port_o;

  /// The first of some ports, as they are told: counted from 1 on.
  function automatic logic is_first(logic [7:0] port, ports_t of_ports);
    is_first = port != '0 && 32'(port) <= NumPorts;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (of_ports[p] && 32'(port) > p + 1) is_first = 1'b0;
      if (!of_ports[p] && 32'(port) == p + 1) is_first = 1'b0;
    end
  endfunction

  // What was so a cycle ago, and two.
  logic [2:0]  past_q;          // so many cycles have gone by
  logic        clear_q, clear2_q, open_q, opened_q, closed_q, expired_q;
  logic        issue_q, fall_q;
  ports_t      wrong_at_q;
  logic [7:0]  late_port_q;
  logic [3:0]  parent_q;
  logic [15:0] node_q;
  sat_end_t    blame_q, ended_q;
  logic        asked_q, asked2_q, waits_q, waits2_q;
  ports_t      missing_q, missing2_q, silent_q, silent2_q;
  logic        still_q, still2_q;
  logic        all_is_well;     // nobody was to blame a cycle ago

  // Patience counts from the cycle behind one in which something moved.
  logic        moved_q, rose_q, counts_q, late;
  logic [31:0] since_q;
  logic [23:0] patience_q;
  assign late = ((time_i - since_q) - 32'd1 - 32'(patience_q)) < 32'h8000_0000;

  initial {past_q, counts_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q      <= {past_q[1:0], 1'b1};
    clear_q     <= !rst_ni || open_i;
    clear2_q    <= clear_q;
    open_q      <= open;
    opened_q    <= open_i;
    closed_q    <= !rst_ni || close_i;
    {issue_q, fall_q, wrong_at_q} <= {issue_wrong_i, fall_wrong_i, wrong_at_i};
    {expired_q, late_port_q}      <= {expired, late_port};
    {parent_q, node_q}            <= {cfg_i.parent, cfg_i.node};
    {blame_q, ended_q}            <= {blame_i, ended};
    {asked_q, asked2_q, waits_q, waits2_q}        <= {asked_i, asked_q, waits_i, waits_q};
    {missing_q, missing2_q, silent_q, silent2_q}  <= {missing_i, missing_q, silent_i, silent_q};
    {moved_q, rose_q} <= {moved_i, rose_i};
    still_q     <= active_i && !moved_i;
    still2_q    <= still_q;
    if (moved_q && past_q[0]) begin
      counts_q   <= 1'b1;
      since_q    <= time_i;
      patience_q <= rose_q ? cfg_i.patience_up : cfg_i.patience;
    end
  end
  assign all_is_well = !blame_q.valid && !issue_q && !fall_q && !expired_q;

  // Nothing moves in three cycles that follow each other, and in the second one time is over.
  logic over_q, over2_q, quiet_q;
  always_ff @(posedge clk_i) begin
    quiet_q <= !moved_i;
    over_q  <= counts_q && active_i && !moved_i && quiet_q && past_q[0] && late &&
        rst_ni && !open_i;
    over2_q <= over_q && active_i && !moved_i && rst_ni && !open_i;
  end

  ports_t late_ones;
  assign late_ones = (missing2_q != '0) ? missing2_q : waits2_q ? '0 : silent2_q;

  always_ff @(posedge clk_i) begin
    if (past_q[0]) begin
      // A tree is open from its opening until it is closed or somebody is to blame; closing goes
      // first.
      a_open : assert (open == (!closed_q && (opened_q || (open_q && all_is_well))))
      else $error("open %b", open);
      // It has ended since the first blame while it was open, until it is opened or closed.
      a_ended : assert (ended.valid == (!closed_q && !opened_q &&
                                        (ended_q.valid || (open_q && !all_is_well))))
      else $error("ended %b", ended.valid);
      // Why stays what it is: nobody is blamed while the tree is not open.
      a_stays : assert ((open_q && !all_is_well) || {ended.verdict, ended.node, ended.port} ==
                        {ended_q.verdict, ended_q.node, ended_q.port})
      else $error("verdict %0d", ended.verdict);
      // What a message said goes first, word by word.
      a_said : assert (!open_q || !blame_q.valid || {ended.verdict, ended.node, ended.port} ==
                       {blame_q.verdict, blame_q.node, blame_q.port})
      else $error("verdict %0d", ended.verdict);
      // All else is found by this node; who breaks a rule is denied, who lets it wait is late.
      a_found : assert (!open_q || blame_q.valid || all_is_well || (ended.node == node_q &&
          ended.verdict == ((issue_q || fall_q) ? VerdictDenied : VerdictTimeOut)))
      else $error("verdict %0d of node %0d", ended.verdict, ended.node);
      // Of children whose packets are cut wrongly the first one is to blame.
      a_child : assert (!open_q || blame_q.valid || !issue_q ||
                        ((wrong_at_q == '0) ? ended.port == '0 : is_first(ended.port, wrong_at_q)))
      else $error("port %0d", ended.port);
      // Behind that comes the parent, when what it sends is no answer.
      a_parent : assert (!open_q || blame_q.valid || issue_q || !fall_q ||
                         32'(ended.port) == 32'(parent_q) + 1)
      else $error("port %0d", ended.port);
      // And last who is late.
      a_late : assert (!open_q || blame_q.valid || issue_q || fall_q || !expired_q ||
                       ended.port == late_port_q)
      else $error("port %0d", ended.port);
    end
    // Patience is over when more microseconds have gone by than it has since something moved last;
    // the parent's when that was the last packet to it. It is found a cycle ahead, and the
    // operation is still under way then, and does not move.
    a_expired : assert (!counts_q || past_q != '1 || expired == over2_q)
    else $error("expired %b", expired);
    // It never is in the two cycles behind an opening, nor where nothing is under way.
    a_not : assert (past_q != '1 || !expired || (!clear_q && !clear2_q && still_q && still2_q))
    else $error("expired");
    // The first child that has not contributed is late; or else, if nobody waits for room, the
    // first one of whom a packet is missing.
    a_silent : assert (past_q[1:0] != '1 || late_ones == '0 || is_first(late_port, late_ones))
    else $error("port %0d of %b", late_port, late_ones);
    // Without such a child it is the parent, if it has been asked, or nobody.
    a_nobody : assert (past_q[1:0] != '1 || late_ones != '0 ||
                       32'(late_port) == (asked2_q ? 32'(parent_q) + 1 : 0))
    else $error("port %0d", late_port);
    // What is compared is that time.
    a_deadline : assert (!counts_q || u_dut.u_patience.deadline_q ==
                         since_q + 32'd1 + 32'(patience_q))
    else $error("%0d", u_dut.u_patience.deadline_q);

    // The parent is late, and so is a child that is not the first port.
    c_parent : cover (past_q == '1 && ended.valid && ended.verdict == VerdictTimeOut && asked2_q &&
                      late_ones == '0 && counts_q && patience_q > 24'd2);
    c_child : cover (past_q == '1 && ended.valid && ended.verdict == VerdictTimeOut &&
                     ended.port == 8'd3);
  end

endmodule
