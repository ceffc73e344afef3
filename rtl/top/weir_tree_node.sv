// The tree node as a device: a node of a pair of aggregation trees (docs/tree.md; SHARP
// Streaming-Aggregation, 3) between AXI4-Stream ports, behind AXI4-Lite registers.
module weir_tree_node
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_cfg_t;
  import sat_pkg::sat_events_t;
  import sat_pkg::Groups;
  import llt_pkg::*;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// 1: a row of 16-bit elements of a streaming vector every cycle; 0: every second one.
  parameter int unsigned WideLanes = 0,
  /// Packets of a connection that wait to be added, and to be acknowledged: powers of two.
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  /// Rows of 64 bytes of the longest packet, a power of two, 4 to 64.
  parameter int unsigned MaxRows = 64,
  /// 1: memories that hold packets and messages correct a flipped bit in 64; when more is lost the
  /// device falls silent (TREE_COMMAND.memory_lost).
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // AXI4-Lite, registers of rtl/csr/tree_csr.rdl.
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  // From and to the MACs, without FCS. A port takes a beat in every cycle, and needs one.
  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,
  output logic [NumPorts-1:0]                m_axis_tuser,   // the frame is to be sent as broken

  // Pulse: a MAC shell's watchdog found an output paused for too long (rtl/shell); 0 without one.
  input  logic [NumPorts-1:0] pause_storm_i,
  // Interrupt line: an enabled cause has come and is not cleared (IRQ_CAUSE, IRQ_ENABLE).
  output logic                irq_o,

  // For a watcher: what the low-latency half decides and what comes to the lock cells, in the order
  // in which it does.
  output node_observed_t obs_o
);

  localparam int unsigned NumCells = 2;

  if (BeatBytes != 64) begin : gen_check_beat
    $fatal(1, "%m: beats must have 64 bytes");
  end
  if (NumPorts < 4 || NumPorts > 16 || NumPorts % 2 != 0) begin : gen_ports
    $fatal(1, "%m: NumPorts must be an even number from 4 to 16");
  end
  if (MaxRows < 4 || MaxRows > 64 || (MaxRows & (MaxRows - 1)) != 0) begin : gen_rows
    $fatal(1, "%m: MaxRows must be a power of two from 4 to 64");
  end
  if (Ecc > 1) begin : gen_ecc
    $fatal(1, "%m: Ecc must be 0 or 1");
  end
  if (WideLanes > 1) begin : gen_lanes
    $fatal(1, "%m: WideLanes must be 0 or 1");
  end

  // ---------------------------------------------------------------------------------------------
  // Registers.

  tree_csr_pkg::tree_csr__in_t  csr_in;
  tree_csr_pkg::tree_csr__out_t csr;

  tree_csr u_csr (
    .clk     (clk_i),
    .rst_n   (rst_ni),
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rdata,
    .s_axil_rresp,
    .hwif_in (csr_in),
    .hwif_out(csr)
  );

  // ---------------------------------------------------------------------------------------------
  // The node.

  logic                              open, close, is_open, low_down, sat_down;
  logic                              pending, changed, changed_good;
  low_change_t                       change;
  sat_cfg_t                          cfg;
  logic            [15:0]            low_tree;
  logic            [NumPorts-1:0]    casts;
  logic                              listens;
  rc_conn_cfg_t    [NumPorts-1:0][1:0] conn_cfg;
  logic            [31:0]            now, count;
  logic            [3:0]             error;
  lock_cell_t      [NumCells-1:0]    cells;
  logic            [NumPorts-1:0][1:0] idle;
  rc_fault_e       [NumPorts-1:0][1:0] fault;
  low_events_t                       low_events;
  sat_events_t                       sat_events;
  rc_conn_events_t [NumPorts-1:0][1:0] conn_events;
  rc_port_events_t [NumPorts-1:0]    port_events;
  rc_memory_t                        memory;

  logic [NumPorts-1:0]                leaves_valid, leaves_ready, leaves_last, unsent;
  logic [NumPorts-1:0][BeatBits-1:0]  leaves_data;
  logic [NumPorts-1:0][BeatBytes-1:0] leaves_keep;

  tree_setup #(
    .NumPorts(NumPorts),
    .MostMtu (64 * MaxRows)
  ) u_setup (
    .clk_i,
    .rst_ni,
    .csr_i     (csr),
    .open_o    (open),
    .close_o   (close),
    .cfg_o     (cfg),
    .low_tree_o(low_tree),
    .casts_o   (casts),
    .listens_o (listens),
    .conn_cfg_o(conn_cfg),
    .change_o      (change),
    .changed_i     (changed),
    .changed_good_i(changed_good),
    .sat_down_i    (sat_down),
    .low_down_i    (low_down),
    .pending_o     (pending),
    .is_open_o (is_open),
    .error_o   (error),
    .time_o    (now)
  );

  tree_node #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .QueueRoom(QueueRoom),
    .SendRoom (SendRoom),
    .MaxRows  (MaxRows),
    .NumCells (NumCells),
    .Ecc      (Ecc)
  ) u_node (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid(leaves_valid),
    .m_axis_tready(leaves_ready),
    .m_axis_tdata (leaves_data),
    .m_axis_tkeep (leaves_keep),
    .m_axis_tlast (leaves_last),
    .open_i       (open),
    .close_i      (close),
    .cfg_i        (cfg),
    .low_tree_i   (low_tree),
    .casts_i      (casts),
    .listens_i    (listens),
    .conn_cfg_i   (conn_cfg),
    .time_i       (now),
    .change_i     (change),
    .changed_o    (changed),
    .changed_good_o(changed_good),
    .low_down_o   (low_down),
    .sat_down_o   (sat_down),
    .cells_o      (cells),
    .idle_o       (idle),
    .fault_o      (fault),
    .observed_o   (obs_o),
    .low_events_o (low_events),
    .sat_events_o (sat_events),
    .conn_events_o(conn_events),
    .port_events_o(port_events),
    .memory_o     (memory)
  );

  // ---------------------------------------------------------------------------------------------
  // Links, and what ends them all: a row that was lost is in a frame that has not left by then.

  logic [NumPorts-1:0] drops;
  logic                memory_lost_q;
  logic                told_q, told_bad_q;   // a word was told of; it was lost
  rc_word_t            told_word_q;
  logic [9:0]          rest_q;   // cycles in which frames of before may still leave

  always_ff @(posedge clk_i) begin
    rest_q <= (rest_q != '0) ? rest_q - 10'd1 : '0;
    if (close && memory_lost_q) rest_q <= 10'd512;
    if (memory.bad) memory_lost_q <= 1'b1;
    else if (rest_q == 10'd1) memory_lost_q <= 1'b0;
    // The word that has ended all is told of until that is over.
    if ((memory.bad || memory.corrected) && !memory_lost_q) begin
      told_q      <= 1'b1;
      told_bad_q  <= memory.bad;
      told_word_q <= memory.word;
    end
    if (!rst_ni) begin
      rest_q        <= '0;
      memory_lost_q <= 1'b0;
      told_q        <= 1'b0;
      told_bad_q    <= 1'b0;
      told_word_q   <= '0;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_link
    roce_link u_link (
      .clk_i,
      .rst_ni,
      .down_i       (csr.PORT_DOWN.ports.value[p] || memory_lost_q),
      .in_valid_i   (leaves_valid[p]),
      .in_ready_o   (leaves_ready[p]),
      .in_data_i    (leaves_data[p]),
      .in_keep_i    (leaves_keep[p]),
      .in_last_i    (leaves_last[p]),
      .in_user_i    (1'b0),
      .m_axis_tvalid(m_axis_tvalid[p]),
      .m_axis_tready(m_axis_tready[p]),
      .m_axis_tdata (m_axis_tdata[p]),
      .m_axis_tkeep (m_axis_tkeep[p]),
      .m_axis_tlast (m_axis_tlast[p]),
      .m_axis_tuser (m_axis_tuser[p]),
      .drops_o      (drops[p])
    );
    assign unsent[p] = port_events[p].left && drops[p];
  end

  // ---------------------------------------------------------------------------------------------
  // Interrupts.

  logic [NumPorts-1:0][1:0] fails_q, failed_q;   // connections; a cycle later
  logic [3:0]               causes;

  assign causes = {csr.IRQ_CAUSE.pause_storm.value, csr.IRQ_CAUSE.memory.value,
                   csr.IRQ_CAUSE.connection.value, csr.IRQ_CAUSE.torn_down.value};

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned c = 0; c < 2; c++) fails_q[p][c] <= fault[p][c] != RcGood;
    end
    failed_q <= fails_q;
    irq_o    <= (csr.IRQ_ENABLE.causes.value & causes) != '0;
    if (!rst_ni) begin
      fails_q  <= '0;
      failed_q <= '0;
      irq_o    <= 1'b0;
    end
  end

  tree_counters #(
    .NumPorts(NumPorts)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .port_events_i(port_events),
    .conn_events_i(conn_events),
    .low_events_i (low_events),
    .sat_events_i (sat_events),
    .unsent_i     (unsent),
    .corrected_i  (memory.corrected),
    .lost_i       (memory.bad),
    .of_i         (csr.COUNTER_SELECT.scope.value),
    .port_i       (csr.COUNTER_SELECT.port_no.value),
    .which_i      (csr.COUNTER_SELECT.which.value),
    .value_o      (count)
  );

  // ---------------------------------------------------------------------------------------------
  // What is read: of the cell and the connection that are named.

  // The number of its request is nobody's business.
  // verilator lint_off UNUSEDSIGNAL
  lock_cell_t cell_q;
  // verilator lint_on UNUSEDSIGNAL
  logic       idle_q;
  rc_fault_e  fault_q;

  always_ff @(posedge clk_i) begin
    cell_q <= '0;
    for (int unsigned c = 0; c < NumCells; c++) begin
      if (32'(csr.LOCK_SELECT.cell_no.value) == c && cells[c].used) cell_q <= cells[c];
    end
    idle_q  <= 1'b0;
    fault_q <= RcGood;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (32'(csr.CONN_COMMAND.port_no.value) == p) begin
        idle_q  <= idle[p][csr.CONN_COMMAND.streaming.value];
        fault_q <= fault[p][csr.CONN_COMMAND.streaming.value];
      end
    end
  end

  always_comb begin
    csr_in                                 = '0;
    csr_in.CAP_SHAPE.ports.next            = 8'(NumPorts);
    csr_in.CAP_SHAPE.groups.next           = 8'(Groups);
    csr_in.CAP_SHAPE.cells.next            = 8'(NumCells);
    csr_in.CAP_ROOM.queue_room.next             = 8'(QueueRoom);
    csr_in.CAP_ROOM.send_room.next              = 8'(SendRoom);
    csr_in.CAP_ROOM.mtu.next               = 13'(64 * MaxRows);
    csr_in.TREE_COMMAND.is_open.next       = is_open;
    csr_in.TREE_COMMAND.low_down.next      = is_open && low_down;
    csr_in.TREE_COMMAND.streaming_down.next = is_open && sat_down;
    csr_in.TREE_COMMAND.pending.next       = pending;
    csr_in.TREE_COMMAND.error.next         = error;
    csr_in.TREE_COMMAND.memory_lost.next   = memory_lost_q;
    csr_in.MEMORY_LAST.some.next           = told_q;
    csr_in.MEMORY_LAST.lost.next           = told_bad_q;
    csr_in.MEMORY_LAST.memory.next         = told_word_q.memory;
    csr_in.MEMORY_LAST.scope.next          = told_word_q.scope;
    csr_in.MEMORY_LAST.port_no.next        = told_word_q.port;
    csr_in.MEMORY_LAST.at.next             = told_word_q.at;
    csr_in.CAP_FEATURES.wide_lanes.next    = WideLanes != 0;
    csr_in.CAP_FEATURES.ecc.next           = Ecc != 0;
    csr_in.IRQ_CAUSE.torn_down.hwset       = low_events.torn_down;
    csr_in.IRQ_CAUSE.connection.hwset      = (fails_q & ~failed_q) != '0;
    csr_in.IRQ_CAUSE.memory.hwset          = memory.bad;
    csr_in.IRQ_CAUSE.pause_storm.hwset     = pause_storm_i != '0;
    csr_in.LOCK_STATE.used.next            = cell_q.used;
    csr_in.LOCK_STATE.kept.next            = cell_q.kept;
    csr_in.LOCK_OWNER.tree.next            = cell_q.tree;
    csr_in.LOCK_OWNER.group.next           = cell_q.group;
    csr_in.LOCK_LEFT.operations.next       = cell_q.left;
    csr_in.COUNTER_VALUE.value.next        = count;
    csr_in.CONN_COMMAND.idle.next          = idle_q;
    csr_in.CONN_COMMAND.fault.next         = fault_q;
  end

endmodule
