// What registers say a tree node is: its pair of trees, their groups, and the connections of its
// neighbours. It is kept here, looked at as a whole when the trees are to begin, and stands until
// they are closed; a store or a command that cannot be is refused with a reason, and changes
// nothing (rtl/csr/tree_csr.rdl). Nobody waits.
//
// While they are open a group is stored, and a streaming tree that is down begins anew, only when
// the node says that it may be: `change_o` stands until `changed_i`.
module tree_setup
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::low_change_t;
  import llt_pkg::GroupW;
#(
  /// Ports of the node, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// Payload bytes of the longest packet, a power of two, 256 to 4096.
  parameter int unsigned MostMtu = 4096
) (
  input logic clk_i,
  input logic rst_ni,

  // Only what is set up here is of use.
  // verilator lint_off UNUSEDSIGNAL
  input tree_csr_pkg::tree_csr__out_t csr_i,
  // verilator lint_on UNUSEDSIGNAL

  // Pulses: the trees begin, or are no more. The rest stands as long as they last.
  output logic                             open_o,
  output logic                             close_o,
  output sat_cfg_t                         cfg_o,
  output logic         [15:0]              low_tree_o,
  output logic         [NumPorts-1:0]      casts_o,
  output logic                             listens_o,
  output rc_conn_cfg_t [NumPorts-1:0][1:0] conn_cfg_o,   // [1]: of the streaming tree

  // Changes while they are open (tree_node); whether the streaming tree is down, and it alone.
  output low_change_t change_o,
  input  logic        changed_i,
  input  logic        changed_good_i,
  input  logic        sat_down_i,
  input  logic        low_down_i,

  output logic        is_open_o,
  output logic        pending_o,
  output logic [3:0]  error_o,   // of the last store or command: TREE_COMMAND.error
  output logic [31:0] time_o     // microseconds since reset; wraps
);

  typedef logic [NumPorts-1:0] ports_t;

  typedef enum logic [3:0] {
    Good        = 4'd0,
    IsOpen      = 4'd1,
    NotThere    = 4'd2,
    BadMtu      = 4'd3,
    BadPorts    = 4'd4,
    SameTrees   = 4'd5,
    BadGroup    = 4'd6,
    NoPatience  = 4'd7,
    NotStored   = 4'd8,
    BadConn     = 4'd9,
    Busy        = 4'd10
  } error_e;

  /// A connection as it is kept: what rc_conn_cfg_t says twice is here once.
  typedef struct packed {
    logic [47:0]     local_mac, peer_mac;
    logic [127:0]    local_ip, peer_ip;
    logic [11:0]     vlan;
    logic            v6;
    logic [23:0]     local_qpn, peer_qpn;
    logic [15:0]     udp_source;
    rc_request_cfg_t request;
    rc_respond_cfg_t respond;
  } conn_t;

  // ---------------------------------------------------------------------------------------------
  // Time.

  logic [9:0] tick_q;

  always_ff @(posedge clk_i) begin
    tick_q <= tick_q + 10'd1;
    if (tick_q >= csr_i.CLOCK.last_cycle.value) begin
      tick_q <= '0;
      time_o <= time_o + 32'd1;
    end
    if (!rst_ni) begin
      tick_q <= '0;
      time_o <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stores.

  /// Cycles until a command knows of what was written before it.
  localparam int unsigned LookCycles = 3;

  logic [LookCycles:1]            open_q;
  conn_t      [NumPorts-1:0][1:0] conn_q;
  ports_t     [1:0]               stored_q;
  sat_group_t [Groups-1:0]        group_q;
  conn_t                          conn;
  logic [12:0]                    mtu;
  logic                           group_store, conn_store, group_there, conn_there, conn_good;
  logic                           stands;   // the trees are open, or about to be
  logic                           fixed;    // so is the connection that is named
  logic                           pending;  // a change

  assign stands      = is_open_o || open_q != '0;
  // Those of a streaming tree that is down alone are nobody's.
  assign fixed       = open_q != '0 || (is_open_o && !(csr_i.CONN_COMMAND.streaming.value &&
                                                      sat_down_i && !low_down_i && !pending));
  assign mtu         = csr_i.TREE_NODE.mtu.value;
  assign group_store = csr_i.GROUP_COMMAND.store.value;
  assign conn_store  = csr_i.CONN_COMMAND.store.value;
  assign group_there = 32'(csr_i.GROUP_COMMAND.index.value) < Groups;
  assign conn_there  = 32'(csr_i.CONN_COMMAND.port_no.value) < NumPorts;
  assign conn_good   = csr_i.CONN_REQUEST.ack_every_log2.value <= 4'd8 &&
      csr_i.CONN_TIMEOUT.value.value != '0 && csr_i.CONN_RESPOND.coalesce.value != '0;

  assign conn = '{
    local_mac: {csr_i.CONN_LOCAL_MAC_HIGH.word.value, csr_i.CONN_LOCAL_MAC_LOW.word.value},
    peer_mac: {csr_i.CONN_PEER_MAC_HIGH.word.value, csr_i.CONN_PEER_MAC_LOW.word.value},
    local_ip: {csr_i.CONN_LOCAL_IP_3.word.value, csr_i.CONN_LOCAL_IP_2.word.value,
               csr_i.CONN_LOCAL_IP_1.word.value, csr_i.CONN_LOCAL_IP_0.word.value},
    peer_ip: {csr_i.CONN_PEER_IP_3.word.value, csr_i.CONN_PEER_IP_2.word.value,
              csr_i.CONN_PEER_IP_1.word.value, csr_i.CONN_PEER_IP_0.word.value},
    vlan: csr_i.CONN_VLAN.vid.value,
    v6: csr_i.CONN_VLAN.v6.value,
    local_qpn: csr_i.CONN_LOCAL_QPN.value.value,
    peer_qpn: csr_i.CONN_PEER_QPN.value.value,
    udp_source: csr_i.CONN_UDP_SOURCE.word.value,
    request: '{
      psn: csr_i.CONN_PSN_OUT.value.value,
      ack_every_log2: csr_i.CONN_REQUEST.ack_every_log2.value,
      timeout: csr_i.CONN_TIMEOUT.value.value,
      retries: csr_i.CONN_REQUEST.retries.value,
      rnr_retries: csr_i.CONN_REQUEST.rnr_retries.value
    },
    respond: '{
      psn: csr_i.CONN_PSN_IN.value.value,
      mtu: '0,   // the tree's
      coalesce: csr_i.CONN_RESPOND.coalesce.value,
      ack_delay: csr_i.CONN_RESPOND.ack_delay.value,
      rnr_timer: csr_i.CONN_RESPOND.rnr_timer.value,
      no_credits: csr_i.CONN_RESPOND.no_credits.value
    }
  };

  // ---------------------------------------------------------------------------------------------
  // Changes while the trees are open. A group is looked at in the cycle behind its store.

  sat_group_t        group, group_new_q;
  logic              looks_q, new_bad, changes, reopens;
  logic              says_valid_q;   // of a store or a change
  logic [LookCycles:1] again_q;   // open_streaming
  logic [Groups-1:0] others;   // groups that have its number

  assign group = '{
    valid: csr_i.GROUP_COMMAND.there.value,
    id: csr_i.GROUP.id.value,
    children: csr_i.GROUP.children.value,
    up: csr_i.GROUP_COMMAND.up.value
  };
  assign pending   = looks_q || change_o.valid || again_q != '0;
  assign pending_o = pending || says_valid_q;   // until error_o says so
  assign changes   = change_o.valid && changed_i && changed_good_i;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      others[g] = group_q[g].valid && group_q[g].id == group_new_q.id &&
          change_o.group != GroupW'(g);
    end
    new_bad = group_new_q.valid && (group_new_q.children == '0 ||
        (group_new_q.children & ~cfg_o.children) != '0 || others != '0);
  end

  always_ff @(posedge clk_i) begin
    looks_q <= 1'b0;
    if (group_store && is_open_o && !pending && group_there) begin
      looks_q         <= 1'b1;
      group_new_q     <= group;
      change_o.reopen <= 1'b0;
      change_o.group  <= GroupW'(csr_i.GROUP_COMMAND.index.value);
    end
    if (looks_q) change_o.valid <= !new_bad;
    if (reopens) change_o <= '{valid: 1'b1, reopen: 1'b1, group: '0};
    if (changed_i) change_o.valid <= 1'b0;
    if (!rst_ni || csr_i.TREE_COMMAND.close.value) begin
      looks_q        <= 1'b0;
      change_o.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      if (group_store && !stands && 32'(csr_i.GROUP_COMMAND.index.value) == g) begin
        group_q[g] <= group;
      end
      if (changes && !change_o.reopen && change_o.group == GroupW'(g)) group_q[g] <= group_new_q;
      if (!rst_ni) group_q[g].valid <= 1'b0;
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned c = 0; c < 2; c++) begin
        if (conn_store && !fixed && conn_good &&
            32'(csr_i.CONN_COMMAND.port_no.value) == p &&
            32'(csr_i.CONN_COMMAND.streaming.value) == c) begin
          conn_q[p][c]   <= conn;
          stored_q[c][p] <= 1'b1;
        end
      end
    end
    if (!rst_ni) stored_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Is it a pair of trees? Looked at all the time; a command takes effect when what was written
  // before it has been.

  logic                 mtu_bad_q, ports_bad_q, same_bad_q, wait_bad_q, twins_q;
  logic [Groups-1:0]    group_bad_q;
  ports_t               missing_q, neighbours_q, alike_q;
  logic [MaxPorts-1:0]  children, parent, all;
  error_e               found;

  assign children = csr_i.TREE_PORTS.children.value;
  assign parent   = csr_i.TREE_PORTS.has_parent.value ?
      MaxPorts'(1) << csr_i.TREE_PORTS.parent.value : '0;
  assign all      = MaxPorts'({NumPorts{1'b1}});

  always_ff @(posedge clk_i) begin
    open_q      <= {open_q[LookCycles-1:1], csr_i.TREE_COMMAND.open.value};
    again_q     <= {again_q[LookCycles-1:1], csr_i.TREE_COMMAND.open_streaming.value};
    mtu_bad_q   <= (mtu & (mtu - 13'd1)) != '0 || mtu < 13'd256 || 32'(mtu) > MostMtu;
    ports_bad_q <= children == '0 || (children & parent) != '0 ||
        ((children | parent) & ~all) != '0;
    same_bad_q  <= csr_i.TREE_IDS.low.value == csr_i.TREE_IDS.streaming.value;
    wait_bad_q  <= csr_i.PATIENCE.value.value == '0 || csr_i.PATIENCE_UP.value.value == '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      group_bad_q[g] <= group_q[g].valid &&
          (group_q[g].children == '0 || (group_q[g].children & ~children) != '0);
      for (int unsigned h = 0; h < g; h++) begin
        if (group_q[g].valid && group_q[h].valid && group_q[g].id == group_q[h].id) begin
          group_bad_q[g] <= 1'b1;
        end
      end
    end
    neighbours_q <= ports_t'(children | parent);
    for (int unsigned p = 0; p < NumPorts; p++) begin
      alike_q[p] <= conn_q[p][0].local_qpn == conn_q[p][1].local_qpn;
    end
    missing_q <= neighbours_q & ~(stored_q[0] & stored_q[1]);
    twins_q   <= (neighbours_q & alike_q) != '0;
    if (!rst_ni) open_q <= '0;
    if (!rst_ni || csr_i.TREE_COMMAND.close.value) again_q <= '0;
  end

  assign reopens = again_q[LookCycles] && is_open_o && !looks_q && !change_o.valid && !twins_q;

  always_comb begin
    if (is_open_o) found = IsOpen;
    else if (mtu_bad_q) found = BadMtu;
    else if (ports_bad_q) found = BadPorts;
    else if (same_bad_q) found = SameTrees;
    else if (group_bad_q != '0) found = BadGroup;
    else if (wait_bad_q) found = NoPatience;
    else if (missing_q != '0) found = NotStored;
    else if (twins_q) found = BadConn;
    else found = Good;
  end

  // What a store or a change comes to, a cycle later.
  error_e says_q;

  always_ff @(posedge clk_i) begin
    says_valid_q <= rst_ni && (group_store || conn_store || (change_o.valid && changed_i));
    if (conn_store) begin
      if (fixed) says_q <= IsOpen;
      else if (!conn_there) says_q <= NotThere;
      else says_q <= conn_good ? Good : BadConn;
    end else if (change_o.valid && changed_i) begin
      says_q <= changed_good_i ? Good : Busy;
    end else begin
      if (pending) says_q <= Busy;
      else if (open_q != '0) says_q <= IsOpen;
      else says_q <= group_there ? Good : NotThere;
    end
  end

  always_ff @(posedge clk_i) begin
    open_o  <= 1'b0;
    close_o <= csr_i.TREE_COMMAND.close.value;
    if (csr_i.TREE_COMMAND.close.value) begin
      is_open_o <= 1'b0;
      error_o   <= Good;
    end
    if (says_valid_q) error_o <= says_q;
    if (looks_q && new_bad) error_o <= BadGroup;
    if (again_q[LookCycles]) begin
      if (!is_open_o || looks_q || change_o.valid) error_o <= Busy;
      else error_o <= twins_q ? BadConn : Good;
    end
    if (changes && !change_o.reopen) cfg_o.groups[change_o.group] <= group_new_q;
    if (open_q[LookCycles]) begin
      error_o <= found;
      open_o  <= found == Good;
      if (found == Good) begin
        is_open_o  <= 1'b1;
        low_tree_o <= csr_i.TREE_IDS.low.value;
        casts_o    <= ports_t'(csr_i.TREE_CASTS.children.value);
        listens_o  <= csr_i.TREE_CASTS.listens.value;
        cfg_o      <= '{
          parent_valid: csr_i.TREE_PORTS.has_parent.value,
          parent: csr_i.TREE_PORTS.parent.value,
          children: children,
          tree: csr_i.TREE_IDS.streaming.value,
          node: csr_i.TREE_NODE.node.value,
          mtu: mtu,
          patience: csr_i.PATIENCE.value.value,
          patience_up: csr_i.PATIENCE_UP.value.value,
          groups: group_q
        };
      end
    end
    if (!rst_ni) begin
      open_o    <= 1'b0;
      close_o   <= 1'b0;
      is_open_o <= 1'b0;
      error_o   <= Good;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Connections as their ports want them.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    for (genvar c = 0; c < 2; c++) begin : gen_conn
      always_comb begin
        conn_cfg_o[p][c] = '{
          local_mac: conn_q[p][c].local_mac,
          peer_mac: conn_q[p][c].peer_mac,
          in: '{
            vlan: conn_q[p][c].vlan,
            v6: conn_q[p][c].v6,
            src: conn_q[p][c].peer_ip,
            dst: conn_q[p][c].local_ip,
            qpn: conn_q[p][c].local_qpn
          },
          out: '{
            vlan: conn_q[p][c].vlan,
            v6: conn_q[p][c].v6,
            src: conn_q[p][c].local_ip,
            dst: conn_q[p][c].peer_ip,
            qpn: conn_q[p][c].peer_qpn
          },
          udp_source: conn_q[p][c].udp_source,
          request: conn_q[p][c].request,
          respond: conn_q[p][c].respond
        };
        conn_cfg_o[p][c].respond.mtu = cfg_o.mtu;
      end
    end
  end

endmodule
