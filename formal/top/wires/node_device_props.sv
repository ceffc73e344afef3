// weir_tree_node: which wire goes where between its registers, their set-up, the node, links and
// counters; what registers say of the device; interrupts; and how it falls silent once a memory has
// lost something (rtl/csr/tree_csr.rdl).
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module node_device_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned NumPorts = 4,
  localparam int unsigned NumCells = 2,
  localparam int unsigned QueueRoom = 16,
  localparam int unsigned SendRoom = 8,
  localparam int unsigned MaxRows = 4
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_axil_awvalid,
  input logic [11:0] s_axil_awaddr,
  input logic [2:0]  s_axil_awprot,
  input logic        s_axil_wvalid,
  input logic [31:0] s_axil_wdata,
  input logic [3:0]  s_axil_wstrb,
  input logic        s_axil_bready,
  input logic        s_axil_arvalid,
  input logic [11:0] s_axil_araddr,
  input logic [2:0]  s_axil_arprot,
  input logic        s_axil_rready,
  input logic [NumPorts-1:0]                s_axis_tvalid,
  input logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input logic [NumPorts-1:0]                s_axis_tlast,
  input logic [NumPorts-1:0]                s_axis_tuser,
  input logic [NumPorts-1:0]                m_axis_tready,
  input logic [NumPorts-1:0]                pause_storm_i
);

  logic                                awready, wready, bvalid, arready, rvalid, irq;
  logic [1:0]                          bresp, rresp;
  logic [31:0]                         rdata;
  logic [NumPorts-1:0]                 s_ready, m_valid, m_last, m_user;
  logic [NumPorts-1:0][BeatBits-1:0]   m_data;
  logic [NumPorts-1:0][BeatBytes-1:0]  m_keep;
  node_observed_t                      observed;

  weir_tree_node #(
    .NumPorts (NumPorts),
    .WideLanes(1),
    .QueueRoom(QueueRoom),
    .SendRoom (SendRoom),
    .MaxRows  (MaxRows),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready(awready),
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready (wready),
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid (bvalid),
    .s_axil_bready,
    .s_axil_bresp  (bresp),
    .s_axil_arvalid,
    .s_axil_arready(arready),
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid (rvalid),
    .s_axil_rready,
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (rresp),
    .s_axis_tvalid,
    .s_axis_tready (s_ready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid (m_valid),
    .m_axis_tready,
    .m_axis_tdata  (m_data),
    .m_axis_tkeep  (m_keep),
    .m_axis_tlast  (m_last),
    .m_axis_tuser  (m_user),
    .pause_storm_i,
    .irq_o         (irq),
    .obs_o         (observed)
  );

  tree_csr_pkg::tree_csr__out_t csr;
  tree_csr_pkg::tree_csr__in_t  says;
  rc_memory_t                   memory;
  low_events_t                  low_events;
  assign csr        = u_dut.u_csr.hwif_out;
  assign says       = u_dut.u_csr.hwif_in;
  assign memory     = u_dut.u_node.memory_o;
  assign low_events = u_dut.u_node.low_events_o;

  // ---------------------------------------------------------------------------------------------
  // As it was a cycle ago, and what was named then.

  logic             past_q, past2_q, reset_q, alive_q, raised_q, idle_q;   // it was reset
  rc_fault_e        fault_q;
  lock_cell_t       cell_q, one;
  logic             silent, silent_q;   // a memory has lost something
  logic             word_q;             // a word was told of; `last_q` is what is said of it
  rc_memory_t       last_q;
  logic [9:0]       since_q;            // cycles since trees were closed then; 512: many
  logic [NumPorts-1:0][1:0] failed, failed_q, failed2_q;
  initial {past_q, past2_q, reset_q} = '0;
  assign silent = says.TREE_COMMAND.memory_lost.next;
  always_comb begin
    one = '0;
    if (csr.LOCK_SELECT.cell_no.value < 4'(NumCells)) begin
      one = u_dut.u_node.cells_o[csr.LOCK_SELECT.cell_no.value[0]];
    end
    if (!one.used) one = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned c = 0; c < 2; c++) failed[p][c] = u_dut.u_node.fault_o[p][c] != RcGood;
    end
  end
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    past2_q <= past_q;
    reset_q <= reset_q || !rst_ni;
    alive_q <= rst_ni;
    // An enabled cause has come.
    raised_q <= (csr.IRQ_ENABLE.causes.value[0] && csr.IRQ_CAUSE.torn_down.value) ||
        (csr.IRQ_ENABLE.causes.value[1] && csr.IRQ_CAUSE.connection.value) ||
        (csr.IRQ_ENABLE.causes.value[2] && csr.IRQ_CAUSE.memory.value) ||
        (csr.IRQ_ENABLE.causes.value[3] && csr.IRQ_CAUSE.pause_storm.value);
    failed_q  <= rst_ni ? failed : '0;
    failed2_q <= rst_ni ? failed_q : '0;
    // The connection that is named, and the cell.
    idle_q  <= 1'b0;
    fault_q <= RcGood;
    if (csr.CONN_COMMAND.port_no.value < 4'(NumPorts)) begin
      idle_q  <= u_dut.u_node.idle_o[csr.CONN_COMMAND.port_no.value[1:0]]
          [csr.CONN_COMMAND.streaming.value];
      fault_q <= u_dut.u_node.fault_o[csr.CONN_COMMAND.port_no.value[1:0]]
          [csr.CONN_COMMAND.streaming.value];
    end
    cell_q <= one;
    // From the word that is lost until 512 cycles behind the end of the trees.
    silent_q <= rst_ni && (memory.bad || (silent && since_q != 10'd511));
    since_q  <= (!rst_ni) ? 10'd512 : (u_dut.u_setup.close_o && silent) ? 10'd0 :
        (since_q == 10'd512) ? 10'd512 : since_q + 10'd1;
    // The last word that flipped; the one that was lost stands while the device is silent.
    word_q <= rst_ni && (says.MEMORY_LAST.some.next ||
                         (!silent && (memory.bad || memory.corrected)));
    last_q.bad         <= says.MEMORY_LAST.lost.next;
    last_q.word.memory <= rc_mem_e'(says.MEMORY_LAST.memory.next);
    last_q.word.scope  <= rc_scope_e'(says.MEMORY_LAST.scope.next);
    last_q.word.port   <= says.MEMORY_LAST.port_no.next;
    last_q.word.at     <= says.MEMORY_LAST.at.next;
    if (!silent && (memory.bad || memory.corrected)) last_q <= memory;
    if (!rst_ni) last_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Links.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // Frames come to the node as they are.
      a_in : assert ({u_dut.u_node.s_axis_tvalid[p], u_dut.u_node.s_axis_tdata[p],
                      u_dut.u_node.s_axis_tkeep[p], u_dut.u_node.s_axis_tlast[p],
                      u_dut.u_node.s_axis_tuser[p], s_ready[p]} ==
                     {s_axis_tvalid[p], s_axis_tdata[p], s_axis_tkeep[p], s_axis_tlast[p],
                      s_axis_tuser[p], u_dut.u_node.s_axis_tready[p]})
      else $error("port %0d", p);
      // What leaves goes through the port's link, and none of it is broken by the node.
      a_leaves : assert (
          {u_dut.gen_link[p].u_link.in_valid_i, u_dut.gen_link[p].u_link.in_data_i,
           u_dut.gen_link[p].u_link.in_keep_i, u_dut.gen_link[p].u_link.in_last_i,
           u_dut.gen_link[p].u_link.in_user_i, u_dut.u_node.m_axis_tready[p]} ==
          {u_dut.u_node.m_axis_tvalid[p], u_dut.u_node.m_axis_tdata[p],
           u_dut.u_node.m_axis_tkeep[p], u_dut.u_node.m_axis_tlast[p], 1'b0,
           u_dut.gen_link[p].u_link.in_ready_o})
      else $error("port %0d", p);
      a_out : assert ({m_valid[p], m_data[p], m_keep[p], m_last[p], m_user[p],
                       u_dut.gen_link[p].u_link.m_axis_tready} ==
                      {u_dut.gen_link[p].u_link.m_axis_tvalid,
                       u_dut.gen_link[p].u_link.m_axis_tdata,
                       u_dut.gen_link[p].u_link.m_axis_tkeep,
                       u_dut.gen_link[p].u_link.m_axis_tlast,
                       u_dut.gen_link[p].u_link.m_axis_tuser, m_axis_tready[p]})
      else $error("port %0d", p);
      // A link is down if software says so, and all are once a memory has lost something.
      a_down : assert (u_dut.gen_link[p].u_link.rst_ni == rst_ni &&
                       u_dut.gen_link[p].u_link.down_i ==
                       (silent || csr.PORT_DOWN.ports.value[p]))
      else $error("port %0d", p);
      // A frame that leaves while its link drops counts as one that was not sent.
      a_unsent : assert (u_dut.u_counters.unsent_i[p] == (u_dut.gen_link[p].u_link.drops_o &&
                         u_dut.u_node.port_events_o[p].left))
      else $error("port %0d", p);
    end
  end

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_csr.rst_n, u_dut.u_setup.rst_ni, u_dut.u_node.rst_ni,
                       u_dut.u_counters.rst_ni} == {4{rst_ni}})
    else $error("reset");
    // Software writes and reads registers.
    a_asks : assert (
        {u_dut.u_csr.s_axil_awvalid, u_dut.u_csr.s_axil_awaddr, u_dut.u_csr.s_axil_awprot,
         u_dut.u_csr.s_axil_wvalid, u_dut.u_csr.s_axil_wdata, u_dut.u_csr.s_axil_wstrb,
         u_dut.u_csr.s_axil_bready, u_dut.u_csr.s_axil_arvalid, u_dut.u_csr.s_axil_araddr,
         u_dut.u_csr.s_axil_arprot, u_dut.u_csr.s_axil_rready} ==
        {s_axil_awvalid, s_axil_awaddr, s_axil_awprot, s_axil_wvalid, s_axil_wdata, s_axil_wstrb,
         s_axil_bready, s_axil_arvalid, s_axil_araddr, s_axil_arprot, s_axil_rready})
    else $error("another access");
    a_answers : assert ({awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp} ==
        {u_dut.u_csr.s_axil_awready, u_dut.u_csr.s_axil_wready, u_dut.u_csr.s_axil_bvalid,
         u_dut.u_csr.s_axil_bresp, u_dut.u_csr.s_axil_arready, u_dut.u_csr.s_axil_rvalid,
         u_dut.u_csr.s_axil_rdata, u_dut.u_csr.s_axil_rresp})
    else $error("another answer");
    // These set trees up, which the node is told.
    a_setup : assert (u_dut.u_setup.csr_i == csr && {u_dut.u_node.open_i, u_dut.u_node.close_i,
        u_dut.u_node.cfg_i, u_dut.u_node.low_tree_i, u_dut.u_node.casts_i,
        u_dut.u_node.listens_i, u_dut.u_node.time_i, u_dut.u_node.change_i} ==
        {u_dut.u_setup.open_o, u_dut.u_setup.close_o, u_dut.u_setup.cfg_o,
         u_dut.u_setup.low_tree_o, u_dut.u_setup.casts_o, u_dut.u_setup.listens_o,
         u_dut.u_setup.time_o, u_dut.u_setup.change_o})
    else $error("other trees");
    a_conns : assert (u_dut.u_node.conn_cfg_i == u_dut.u_setup.conn_cfg_o)
    else $error("other connections");
    // The node answers changes, and says what of the trees is down.
    a_changed : assert ({u_dut.u_setup.changed_i, u_dut.u_setup.changed_good_i,
                         u_dut.u_setup.sat_down_i, u_dut.u_setup.low_down_i} ==
                        {u_dut.u_node.changed_o, u_dut.u_node.changed_good_o,
                         u_dut.u_node.sat_down_o, u_dut.u_node.low_down_o})
    else $error("another change");
    // Counters hear of all events; registers select one.
    a_counts : assert ({u_dut.u_counters.port_events_i, u_dut.u_counters.conn_events_i,
                        u_dut.u_counters.low_events_i, u_dut.u_counters.sat_events_i,
                        u_dut.u_counters.corrected_i, u_dut.u_counters.lost_i} ==
                       {u_dut.u_node.port_events_o, u_dut.u_node.conn_events_o, low_events,
                        u_dut.u_node.sat_events_o, memory.corrected, memory.bad})
    else $error("other events");
    a_counter : assert (u_dut.u_counters.of_i == csr.COUNTER_SELECT.scope.value &&
                        u_dut.u_counters.port_i == csr.COUNTER_SELECT.port_no.value &&
                        u_dut.u_counters.which_i == csr.COUNTER_SELECT.which.value &&
                        says.COUNTER_VALUE.value.next == u_dut.u_counters.value_o)
    else $error("another counter");
    // Who watches sees what the node does.
    a_watched : assert (observed == u_dut.u_node.observed_o)
    else $error("another event is seen");

    // Registers say what was built.
    a_shape : assert (says.CAP_SHAPE.ports.next == 8'(NumPorts) &&
                      says.CAP_SHAPE.groups.next == 8'(Groups) &&
                      says.CAP_SHAPE.cells.next == 8'(NumCells) &&
                      says.CAP_ROOM.queue_room.next == 8'(QueueRoom) &&
                      says.CAP_ROOM.send_room.next == 8'(SendRoom) &&
                      32'(says.CAP_ROOM.mtu.next) == 64 * MaxRows &&
                      says.CAP_FEATURES.wide_lanes.next && says.CAP_FEATURES.ecc.next == (Ecc == 1))
    else $error("another device");
    // And how the trees are; who is down is, while they are open.
    a_trees : assert (says.TREE_COMMAND.is_open.next == u_dut.u_setup.is_open_o &&
                      says.TREE_COMMAND.pending.next == u_dut.u_setup.pending_o &&
                      says.TREE_COMMAND.error.next == u_dut.u_setup.error_o &&
                      {says.TREE_COMMAND.low_down.next, says.TREE_COMMAND.streaming_down.next} ==
                      (u_dut.u_setup.is_open_o ?
                       {u_dut.u_node.low_down_o, u_dut.u_node.sat_down_o} : 2'b00))
    else $error("other trees are told of");
    // A memory that has lost something silences the device, until 512 cycles behind the end of
    // its trees.
    a_silent : assert (!reset_q || silent == silent_q)
    else $error("silent %b", silent);
    // The cycles to its end are counted down.
    a_rest : assert (!reset_q || u_dut.rest_q == 10'd512 - since_q)
    else $error("%0d cycles to go", u_dut.rest_q);
    // The word that did so is told of, or else the last one that was corrected.
    a_word : assert (!past_q || (says.MEMORY_LAST.some.next == word_q &&
                     {says.MEMORY_LAST.lost.next, says.MEMORY_LAST.memory.next,
                      says.MEMORY_LAST.scope.next, says.MEMORY_LAST.port_no.next,
                      says.MEMORY_LAST.at.next} ==
                     {last_q.bad, last_q.word.memory, last_q.word.scope, last_q.word.port,
                      last_q.word.at}))
    else $error("another word");
    // The connection that is named, and the cell, as they were a cycle ago.
    a_named : assert (!past_q || (says.CONN_COMMAND.idle.next == idle_q &&
                      says.CONN_COMMAND.fault.next == fault_q))
    else $error("another connection");
    a_cell : assert (!past_q || (says.LOCK_STATE.used.next == cell_q.used &&
                     says.LOCK_STATE.kept.next == cell_q.kept &&
                     says.LOCK_OWNER.tree.next == cell_q.tree &&
                     says.LOCK_OWNER.group.next == cell_q.group &&
                     says.LOCK_LEFT.operations.next == cell_q.left))
    else $error("another cell");
    // Causes come with what they are of; a connection that fails, once.
    a_causes : assert (says.IRQ_CAUSE.torn_down.hwset == low_events.torn_down &&
                       says.IRQ_CAUSE.memory.hwset == memory.bad &&
                       says.IRQ_CAUSE.pause_storm.hwset == (pause_storm_i != '0))
    else $error("another cause");
    a_fails : assert (!past2_q || says.IRQ_CAUSE.connection.hwset ==
                      ((failed_q & ~failed2_q) != '0))
    else $error("a connection fails: %b", says.IRQ_CAUSE.connection.hwset);
    // The line is up while one that is enabled is not cleared.
    a_irq : assert (!past_q || irq == (alive_q && raised_q))
    else $error("irq %b", irq);

    // The device speaks again; trees end while it is silent.
    c_silent : cover (reset_q && alive_q && silent && u_dut.u_setup.close_o);
    c_told : cover (reset_q && alive_q && !silent && says.MEMORY_LAST.some.next);
  end

endmodule
