// tree_setup: what every store and command comes to, for anything that registers and the node say:
// what is kept of connections and groups, which trees begin, why others do not, and when time goes
// on (rtl/csr/tree_csr.rdl). What holds for one group holds for all.
module setup_parts_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::low_change_t;
  import llt_pkg::GroupW;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned MostMtu = 1024
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input tree_csr_pkg::tree_csr__out_t csr_i,
  input logic                         changed_i,
  input logic                         changed_good_i,
  input logic                         sat_down_i,
  input logic                         low_down_i,
  input logic [GroupW-1:0]            group_i   // any
);

  typedef logic [NumPorts-1:0] ports_t;

  logic                             opens, closes, listens, is_open, pending;
  sat_cfg_t                         cfg;
  logic         [15:0]              low_tree;
  ports_t                           casts;
  rc_conn_cfg_t [NumPorts-1:0][1:0] conn_cfg;
  low_change_t                      change;
  logic         [3:0]               error;
  logic         [31:0]              now;

  tree_setup #(
    .NumPorts(NumPorts),
    .MostMtu (MostMtu)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .csr_i,
    .open_o    (opens),
    .close_o   (closes),
    .cfg_o     (cfg),
    .low_tree_o(low_tree),
    .casts_o   (casts),
    .listens_o (listens),
    .conn_cfg_o(conn_cfg),
    .change_o  (change),
    .changed_i,
    .changed_good_i,
    .sat_down_i,
    .low_down_i,
    .is_open_o (is_open),
    .pending_o (pending),
    .error_o   (error),
    .time_o    (now)
  );

  // ---------------------------------------------------------------------------------------------
  // Registers as they are, and as they were one and two cycles ago; commands that were written
  // then, and that no reset has forgotten.

  /// The neighbours that registers name.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [MaxPorts-1:0] near(tree_csr_pkg::tree_csr__out_t said);
    // verilator lint_on UNUSEDSIGNAL
    near = said.TREE_PORTS.children.value;
    if (said.TREE_PORTS.has_parent.value) near[said.TREE_PORTS.parent.value] = 1'b1;
  endfunction

  tree_csr_pkg::tree_csr__out_t [2:0] csr;
  logic                         [3:1] open_q, again_q;
  logic                         [2:0] past_q;    // it was reset, one cycle ago or more, two, three
  // Who is named but is not stored; whose connections have one queue pair; a cycle ago, two ago.
  ports_t                             alone, alone_q, alike, alike_q, alike2_q;
  assign csr[0] = csr_i;
  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    csr[2:1] <= csr[1:0];
    past_q   <= {past_q[1:0], past_q[0] || !rst_ni};
    open_q   <= rst_ni ? {open_q[2:1], csr_i.TREE_COMMAND.open.value} : '0;
    again_q  <= rst_ni && !csr_i.TREE_COMMAND.close.value ?
        {again_q[2:1], csr_i.TREE_COMMAND.open_streaming.value} : '0;
    alone_q  <= alone;
    {alike2_q, alike_q} <= {alike_q, alike};
  end
  always_comb begin
    alone = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (near(csr[1])[p] && !(u_dut.stored_q[0][p] && u_dut.stored_q[1][p])) alone[p] = 1'b1;
      alike[p] = conn_cfg[p][0].in.qpn == conn_cfg[p][1].in.qpn;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Why trees do not begin: of the reasons of TREE_COMMAND.error the one with the lowest number.
  // Groups are the ones of a cycle ago, and so is who was stored.

  sat_group_t [Groups-1:0] group, group_q;    // as they are kept
  sat_group_t              renewed, offer;    // what a group is to be; what registers say
  logic       [9:1]        bad;
  logic       [3:0]        reason;
  assign group   = u_dut.group_q;
  assign renewed = u_dut.group_new_q;
  assign offer   = '{valid: csr_i.GROUP_COMMAND.there.value, id: csr_i.GROUP.id.value,
                     children: csr_i.GROUP.children.value, up: csr_i.GROUP_COMMAND.up.value};
  always_ff @(posedge clk_i) group_q <= group;
  always_comb begin
    bad    = '0;
    bad[1] = is_open;
    bad[3] = 32'(csr[1].TREE_NODE.mtu.value) > MostMtu ||
        !(csr[1].TREE_NODE.mtu.value inside {13'd256, 13'd512, 13'd1024, 13'd2048, 13'd4096});
    // No child; a parent that is one; a port that is not there.
    if (csr[1].TREE_PORTS.children.value == '0) bad[4] = 1'b1;
    if (csr[1].TREE_PORTS.has_parent.value &&
        csr[1].TREE_PORTS.children.value[csr[1].TREE_PORTS.parent.value]) bad[4] = 1'b1;
    if ((near(csr[1]) >> NumPorts) != '0) bad[4] = 1'b1;
    bad[5] = csr[1].TREE_IDS.low.value == csr[1].TREE_IDS.streaming.value;
    bad[7] = csr[1].PATIENCE.value.value == '0 || csr[1].PATIENCE_UP.value.value == '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      if (group_q[g].valid) begin
        if (group_q[g].children == '0) bad[6] = 1'b1;
        if ((group_q[g].children | csr[1].TREE_PORTS.children.value) !=
            csr[1].TREE_PORTS.children.value) bad[6] = 1'b1;
        for (int unsigned h = 0; h < Groups; h++) begin
          if (h != g && group_q[h].valid && group_q[h].id == group_q[g].id) bad[6] = 1'b1;
        end
      end
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (alone_q[p]) bad[8] = 1'b1;
      if (near(csr[2])[p] && alike2_q[p]) bad[9] = 1'b1;
    end
    reason = '0;
    for (int unsigned r = 9; r > 0; r--) if (bad[r]) reason = 4'(r);
  end

  logic looks, looks_q;            // at a group that was stored
  logic begins, anew, anew_good;   // trees begin; the streaming one is to begin once more; it may
  assign looks     = u_dut.looks_q;
  assign begins    = open_q[3] && reason == '0;
  assign anew      = again_q[3];
  assign anew_good = anew && is_open && !looks && !change.valid && !bad[9];

  // ---------------------------------------------------------------------------------------------
  // Stores. While the trees are open a group is looked at in the next cycle, if nothing else is
  // under way.

  logic        opening, waits, group_store, conn_store, group_there, conn_good, fixed, takes;
  logic        answered, misfit, conn_takes, says_q;
  logic [3:0]  verdict, verdict_q;   // of a store or a change
  assign opening     = open_q != '0;
  assign waits       = looks || change.valid || again_q != '0;
  assign group_store = csr_i.GROUP_COMMAND.store.value;
  assign conn_store  = csr_i.CONN_COMMAND.store.value;
  assign group_there = csr_i.GROUP_COMMAND.index.value < 8'(Groups);
  assign takes       = group_store && group_there && is_open && !waits;
  assign answered    = change.valid && changed_i;
  always_comb begin
    conn_good = 1'b1;
    if (csr_i.CONN_REQUEST.ack_every_log2.value > 4'd8) conn_good = 1'b0;
    if (csr_i.CONN_TIMEOUT.value.value == '0) conn_good = 1'b0;
    if (csr_i.CONN_RESPOND.coalesce.value == '0) conn_good = 1'b0;
    // Connections of trees that are open stand, but those of a streaming tree that alone is down.
    fixed = is_open;
    if (csr_i.CONN_COMMAND.streaming.value && sat_down_i && !low_down_i && !waits) fixed = 1'b0;
    if (opening) fixed = 1'b1;
    misfit = 1'b0;
    if (renewed.valid) begin
      if (renewed.children == '0) misfit = 1'b1;
      if ((renewed.children | cfg.children) != cfg.children) misfit = 1'b1;
      for (int unsigned g = 0; g < Groups; g++) begin
        if (g != 32'(change.group) && group[g].valid && group[g].id == renewed.id) misfit = 1'b1;
      end
    end
    // What is said of a connection goes before a change, and that before a group.
    verdict = group_there ? 4'd0 : 4'd2;
    if (opening) verdict = 4'd1;
    if (waits) verdict = 4'd10;
    if (answered) verdict = changed_good_i ? 4'd0 : 4'd10;
    if (conn_store) verdict = fixed ? 4'd1 :
        32'(csr_i.CONN_COMMAND.port_no.value) >= NumPorts ? 4'd2 : conn_good ? 4'd0 : 4'd9;
  end
  assign conn_takes = conn_store && conn_good && !fixed;

  // A connection that registers name, as ports want it.
  rc_conn_cfg_t conn;
  always_comb begin
    conn.local_mac  = {csr_i.CONN_LOCAL_MAC_HIGH.word.value, csr_i.CONN_LOCAL_MAC_LOW.word.value};
    conn.peer_mac   = {csr_i.CONN_PEER_MAC_HIGH.word.value, csr_i.CONN_PEER_MAC_LOW.word.value};
    conn.in.vlan    = csr_i.CONN_VLAN.vid.value;
    conn.in.v6      = csr_i.CONN_VLAN.v6.value;
    conn.in.src     = {csr_i.CONN_PEER_IP_3.word.value, csr_i.CONN_PEER_IP_2.word.value,
                       csr_i.CONN_PEER_IP_1.word.value, csr_i.CONN_PEER_IP_0.word.value};
    conn.in.dst     = {csr_i.CONN_LOCAL_IP_3.word.value, csr_i.CONN_LOCAL_IP_2.word.value,
                       csr_i.CONN_LOCAL_IP_1.word.value, csr_i.CONN_LOCAL_IP_0.word.value};
    conn.in.qpn     = csr_i.CONN_LOCAL_QPN.value.value;
    conn.out        = conn.in;
    conn.out.src    = conn.in.dst;
    conn.out.dst    = conn.in.src;
    conn.out.qpn    = csr_i.CONN_PEER_QPN.value.value;
    conn.udp_source = csr_i.CONN_UDP_SOURCE.word.value;
    conn.request.psn            = csr_i.CONN_PSN_OUT.value.value;
    conn.request.ack_every_log2 = csr_i.CONN_REQUEST.ack_every_log2.value;
    conn.request.timeout        = csr_i.CONN_TIMEOUT.value.value;
    conn.request.retries        = csr_i.CONN_REQUEST.retries.value;
    conn.request.rnr_retries    = csr_i.CONN_REQUEST.rnr_retries.value;
    conn.respond.psn            = csr_i.CONN_PSN_IN.value.value;
    conn.respond.mtu            = cfg.mtu;   // the tree's
    conn.respond.coalesce       = csr_i.CONN_RESPOND.coalesce.value;
    conn.respond.ack_delay      = csr_i.CONN_RESPOND.ack_delay.value;
    conn.respond.rnr_timer      = csr_i.CONN_RESPOND.rnr_timer.value;
    conn.respond.no_credits     = csr_i.CONN_RESPOND.no_credits.value;
  end

  // ---------------------------------------------------------------------------------------------
  // What is to be a cycle later.

  logic         begins_q, is_open_q, close_q, listens_q, ended;
  logic [3:0]   error_q;
  logic [9:0]   cycles_q;    // of this microsecond
  logic [31:0]  now_q;
  logic [15:0]  low_tree_q;
  ports_t       casts_q;
  sat_cfg_t     cfg_q;
  sat_group_t   one_q, running_q, renewed_q;
  low_change_t  change_q;
  logic [GroupW-1:0] group_at_q;
  assign ended = u_dut.tick_q >= csr_i.CLOCK.last_cycle.value;

  always_ff @(posedge clk_i) begin
    group_at_q <= group_i;
    // Time.
    cycles_q <= (!rst_ni || ended) ? '0 : u_dut.tick_q + 10'd1;
    now_q    <= !rst_ni ? '0 : ended ? now + 32'd1 : now;
    // Trees.
    begins_q  <= rst_ni && begins;
    is_open_q <= rst_ni && (begins || (is_open && !csr_i.TREE_COMMAND.close.value));
    close_q   <= rst_ni && csr_i.TREE_COMMAND.close.value;
    if (begins) begin
      low_tree_q <= csr_i.TREE_IDS.low.value;
      casts_q    <= csr_i.TREE_CASTS.children.value[NumPorts-1:0];
      listens_q  <= csr_i.TREE_CASTS.listens.value;
      cfg_q.parent_valid <= csr_i.TREE_PORTS.has_parent.value;
      cfg_q.parent       <= csr_i.TREE_PORTS.parent.value;
      cfg_q.children     <= csr_i.TREE_PORTS.children.value;
      cfg_q.tree         <= csr_i.TREE_IDS.streaming.value;
      cfg_q.node         <= csr_i.TREE_NODE.node.value;
      cfg_q.mtu          <= csr_i.TREE_NODE.mtu.value;
      cfg_q.patience     <= csr_i.PATIENCE.value.value;
      cfg_q.patience_up  <= csr_i.PATIENCE_UP.value.value;
      running_q          <= group[group_i];
    end else begin
      {low_tree_q, casts_q, listens_q, cfg_q} <= {low_tree, casts, listens, cfg};
      running_q <= cfg.groups[group_i];
      if (answered && changed_good_i && !change.reopen && change.group == group_i) begin
        running_q <= renewed;
      end
    end
    // Groups.
    one_q <= group[group_i];
    if (group_store && !is_open && !opening && csr_i.GROUP_COMMAND.index.value == 8'(group_i)) begin
      one_q <= offer;
    end
    if (answered && changed_good_i && !change.reopen && change.group == group_i) one_q <= renewed;
    if (!rst_ni) one_q.valid <= 1'b0;
    // A group that is looked at, and the change that comes of it.
    looks_q   <= rst_ni && takes && !csr_i.TREE_COMMAND.close.value;
    renewed_q <= takes ? offer : renewed;
    change_q  <= change;
    if (takes) change_q <= '{1'b0, 1'b0, csr_i.GROUP_COMMAND.index.value[GroupW-1:0]};
    if (anew_good) change_q <= '{1'b0, 1'b1, GroupW'(0)};
    change_q.valid <= rst_ni && !csr_i.TREE_COMMAND.close.value && !changed_i &&
        (anew_good || (looks ? !misfit : change.valid));
    // What is said of it: of two that end together, the one further down.
    says_q    <= rst_ni && (group_store || conn_store || answered);
    verdict_q <= verdict;
    error_q   <= error;
    if (csr_i.TREE_COMMAND.close.value) error_q <= 4'd0;
    if (says_q) error_q <= verdict_q;
    if (looks && misfit) error_q <= 4'd6;
    if (anew) error_q <= (!is_open || looks || change.valid) ? 4'd10 : bad[9] ? 4'd9 : 4'd0;
    if (open_q[3]) error_q <= reason;
    if (!rst_ni) error_q <= 4'd0;
  end
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    for (genvar c = 0; c < 2; c++) begin : gen_conn
      logic         takes_this, stored_q;
      rc_conn_cfg_t conn_q, conn_now;
      assign takes_this = conn_takes && 32'(csr_i.CONN_COMMAND.port_no.value) == p &&
          32'(csr_i.CONN_COMMAND.streaming.value) == c;
      always_ff @(posedge clk_i) begin
        conn_q   <= takes_this ? conn : conn_cfg[p][c];
        stored_q <= rst_ni && (takes_this || u_dut.stored_q[c][p]);
      end
      always_comb begin
        conn_now             = conn_cfg[p][c];
        conn_now.respond.mtu = conn_q.respond.mtu;
      end
      always_ff @(posedge clk_i) begin
        // A connection that is stored is what registers said of it; nothing else changes it.
        a_conn : assert (past_q != '1 || conn_now == conn_q)
        else $error("port %0d, connection %0d", p, c);
        // From then to the reset it is there.
        a_stored : assert (past_q != '1 || u_dut.stored_q[c][p] == stored_q)
        else $error("port %0d, connection %0d", p, c);
        // All its packets have the tree's MTU.
        a_mtu : assert (conn_cfg[p][c].respond.mtu == cfg.mtu)
        else $error("an MTU of %0d bytes", conn_cfg[p][c].respond.mtu);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // A microsecond has the cycles that CLOCK says, and time counts them from reset on.
    a_time : assert (past_q != '1 || (now == now_q && u_dut.tick_q == cycles_q))
    else $error("%0d microseconds, not %0d", now, now_q);
    if (past_q == '1) begin
      // Trees begin three cycles behind the command if there is no reason against it, and are open
      // until they are closed.
      a_open : assert (opens == begins_q && is_open == is_open_q && closes == close_q)
      else $error("opens %b, open %b, closes %b", opens, is_open, closes);
      // Then registers are taken, which stand while they last.
      a_cfg : assert (low_tree == low_tree_q && casts == casts_q && listens == listens_q &&
                      {cfg.parent_valid, cfg.parent, cfg.children, cfg.tree, cfg.node, cfg.mtu,
                       cfg.patience, cfg.patience_up} ==
                      {cfg_q.parent_valid, cfg_q.parent, cfg_q.children, cfg_q.tree, cfg_q.node,
                       cfg_q.mtu, cfg_q.patience, cfg_q.patience_up})
      else $error("another tree");
      // So are groups, one of which is another when the node says that it may be.
      a_running : assert (cfg.groups[group_at_q] == running_q)
      else $error("group %0d", group_at_q);
      // A group that is stored while the trees are closed is there at once, another one when the
      // node says that it may be.
      a_group : assert (group[group_at_q] == one_q)
      else $error("group %0d", group_at_q);
      // A store of a group that is there waits as a change, and so does the streaming tree that is
      // to begin once more, until the node answers.
      a_change : assert (change == change_q && looks == looks_q && renewed == renewed_q)
      else $error("change %b, not %b", change, change_q);
      // That is pending until its error is told.
      a_pending : assert (pending == (waits || says_q))
      else $error("pending %b", pending);
      // What the last store or command came to.
      a_error : assert (error == error_q)
      else $error("error %0d, not %0d", error, error_q);
    end
    if (past_q[0]) begin
      // Commands are on their way for three cycles, what is said of a store for one.
      a_commands : assert (u_dut.open_q == open_q && u_dut.again_q == again_q &&
                           u_dut.says_valid_q == says_q && (!says_q || u_dut.says_q == verdict_q))
      else $error("another command");
      // Each reason is found by itself, of what registers said a cycle ago.
      a_looks : assert (u_dut.mtu_bad_q == bad[3] && u_dut.ports_bad_q == bad[4] &&
                        u_dut.same_bad_q == bad[5] && (u_dut.group_bad_q != '0) == bad[6] &&
                        u_dut.wait_bad_q == bad[7])
      else $error("reasons %b", bad);
      // So is who the neighbours are, and whose connections have one queue pair.
      a_near : assert (u_dut.neighbours_q == ports_t'(near(csr[1])) && u_dut.alike_q == alike_q)
      else $error("other neighbours");
      // What of their connections is missing or wrong is known another cycle later.
      a_missing : assert (!past_q[1] || ((u_dut.missing_q != '0) == bad[8] &&
                                         u_dut.twins_q == bad[9]))
      else $error("reasons %b", bad);
    end

    // Trees begin; a group changes; the streaming tree begins once more; a group that is refused.
    c_opens : cover (past_q == '1 && opens && cfg.children != '0);
    c_changes : cover (past_q == '1 && rst_ni && answered && changed_good_i && !change.reopen);
    c_anew : cover (past_q == '1 && rst_ni && change.valid && change.reopen);
    c_misfit : cover (past_q == '1 && rst_ni && error == 4'd6 && is_open);
  end

endmodule
