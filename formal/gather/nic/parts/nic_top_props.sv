// weir_gather_nic: what each register means to the network interface, what software reads of it,
// and which wire goes where at the ports.
//
// What the registers and the data path make of it is left out of the circuit and free (`cuts` of
// the task): this holds whatever they do.
module nic_top_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned NumNodes = 6,
  parameter int unsigned NumUnits = 2
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    s_axil_awvalid,
  input logic [11:0]             s_axil_awaddr,
  input logic [2:0]              s_axil_awprot,
  input logic                    s_axil_wvalid,
  input logic [31:0]             s_axil_wdata,
  input logic [3:0]              s_axil_wstrb,
  input logic                    s_axil_bready,
  input logic                    s_axil_arvalid,
  input logic [11:0]             s_axil_araddr,
  input logic [2:0]              s_axil_arprot,
  input logic                    s_axil_rready,
  input logic     [NumUnits-1:0] command_valid_i,
  input command_t [NumUnits-1:0] command_i,
  input logic     [NumUnits-1:0] done_ready_i,
  input logic                    mem_read_ready_i,
  input logic                    mem_data_valid_i,
  input logic [BeatBits-1:0]     mem_data_i,
  input logic                    mem_write_ready_i,
  input logic                    mem_written_i,
  input logic                    filter_look_ready_i,
  input logic                    filter_bit_valid_i,
  input logic                    filter_bit_i,
  input logic                    filter_mark_ready_i,
  input logic                    s_axis_tvalid,
  input logic [BeatBits-1:0]     s_axis_tdata,
  input logic [BeatBytes-1:0]    s_axis_tkeep,
  input logic                    s_axis_tlast,
  input logic [0:0]              s_axis_tuser,
  input logic                    m_axis_tready,
  input logic [Classes-1:0]      pause_i
);

  logic                 s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
  logic [1:0]           s_axil_bresp, s_axil_rresp;
  logic [31:0]          s_axil_rdata;
  logic [NumUnits-1:0]  command_ready_o, done_valid_o, done_failed_o;
  logic                 mem_read_valid_o, mem_write_valid_o, filter_look_valid_o;
  logic                 filter_mark_valid_o;
  logic [63:0]          mem_read_addr_o, mem_write_addr_o, filter_look_idx_o, filter_mark_idx_o;
  logic [6:0]           mem_read_bytes_o, mem_write_bytes_o;
  logic [BeatBits-1:0]  mem_write_data_o, m_axis_tdata;
  logic                 s_axis_tready, m_axis_tvalid, m_axis_tlast, pause_reads_o;
  logic [BeatBytes-1:0] m_axis_tkeep;
  stopped_obs_t         stopped_o;
  merge_obs_t           merge_o;

  weir_gather_nic #(
    .NumNodes   (NumNodes),
    .NumUnits   (NumUnits),
    .Virtual    (1'b1),
    .VirtualRows(32),
    .ExpiryDepth(16),
    .ClockW     (8),
    .IndexBits  (32),
    .Pending    (8),
    .ReadQueue  (16),
    .HoldBeats  (256),
    .HostBeats  (8),
    .UnitLines  (8),
    .UnitWrites (16),
    .MergeSlots (64)
  ) u_dut (
    .clk_i,
    .rst_ni,
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
    .command_valid_i,
    .command_ready_o,
    .command_i,
    .done_valid_o,
    .done_ready_i,
    .done_failed_o,
    .mem_read_valid_o,
    .mem_read_ready_i,
    .mem_read_addr_o,
    .mem_read_bytes_o,
    .mem_data_valid_i,
    .mem_data_i,
    .mem_write_valid_o,
    .mem_write_ready_i,
    .mem_write_addr_o,
    .mem_write_bytes_o,
    .mem_write_data_o,
    .mem_written_i,
    .filter_look_valid_o,
    .filter_look_ready_i,
    .filter_look_idx_o,
    .filter_bit_valid_i,
    .filter_bit_i,
    .filter_mark_valid_o,
    .filter_mark_ready_i,
    .filter_mark_idx_o,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_reads_o,
    .pause_i,
    .stopped_o,
    .merge_o
  );

  gather_nic_csr_pkg::gather_nic_csr__out_t csr;
  gather_nic_csr_pkg::gather_nic_csr__in_t  shown;
  nic_settings_t                            settings;
  node_write_t                              node;
  logic [9:0]                               index;   // of the node that is written
  logic                                     stores;
  assign csr      = u_dut.u_csr.hwif_out;
  assign shown    = u_dut.u_csr.hwif_in;
  assign settings = u_dut.u_nic.settings_i;
  assign node     = u_dut.u_nic.node_i;
  assign index    = 10'(csr.NODE_COMMAND.index.value);
  // A node that there is not is not written.
  assign stores   = (32'(csr.NODE_COMMAND.index.value) > NumNodes - 1) ? 1'b0 :
      csr.NODE_COMMAND.store.value;

  // The counter that was read last.
  logic        past_q;
  logic [31:0] value_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    value_q <= u_dut.u_port_count.value_o;
    if (csr.COUNTER_SELECT.unit.value) value_q <= u_dut.u_unit_count.value_o;
  end

  always_ff @(posedge clk_i) begin
    // Times, and what the device is.
    a_settings : assert ({settings.delay, settings.timeout, settings.pause_limit, settings.merge,
                          settings.own_node, settings.generation} ==
                         {csr.DELAY.cycles.value, csr.TIMEOUT.word.value,
                          csr.PAUSE_LIMIT.word.value, csr.MERGE.enable.value,
                          csr.OWN_NODE.node.value, csr.GENERATION.generation.value})
    else $error("settings");
    // Its own addresses, in words, the high one first.
    a_own : assert ({settings.own.mac, settings.own.ip} ==
                    {csr.OWN_MAC_HIGH.word.value, csr.OWN_MAC_LOW.word.value,
                     csr.OWN_IP.word.value})
    else $error("own addresses");
    // What it serves.
    a_serve : assert (settings.serve.base[31:0] == csr.SERVE_BASE_LOW.word.value &&
                      settings.serve.base[63:32] == csr.SERVE_BASE_HIGH.word.value &&
                      settings.serve.stride == csr.SERVE_STRIDE.stride.value &&
                      settings.serve.first[31:0] == csr.SERVE_FIRST_LOW.word.value &&
                      settings.serve.first[63:32] == csr.SERVE_FIRST_HIGH.word.value &&
                      settings.serve.count == csr.SERVE_COUNT.word.value)
    else $error("served");
    // A node is written by its command, to all tables.
    a_node : assert (node.valid == stores && node.node == index &&
                     {node.address.mac, node.address.ip} ==
                     {csr.NODE_MAC_HIGH.word.value, csr.NODE_MAC_LOW.word.value,
                      csr.NODE_IP.word.value} &&
                     node.out_port == '0 && node.reads && node.pipes == 16'hFFFF)
    else $error("node %0d", node.node);
    // So is where it begins.
    a_first : assert (u_dut.u_nic.first_i == {stores, index, csr.NODE_FIRST_HIGH.word.value,
                                              csr.NODE_FIRST_LOW.word.value})
    else $error("node %0d", index);

    // Registers are read and written by AXI4-Lite.
    a_axil_in : assert ({u_dut.u_csr.s_axil_awvalid, u_dut.u_csr.s_axil_awaddr,
                         u_dut.u_csr.s_axil_awprot, u_dut.u_csr.s_axil_wvalid,
                         u_dut.u_csr.s_axil_wdata, u_dut.u_csr.s_axil_wstrb,
                         u_dut.u_csr.s_axil_bready, u_dut.u_csr.s_axil_arvalid,
                         u_dut.u_csr.s_axil_araddr, u_dut.u_csr.s_axil_arprot,
                         u_dut.u_csr.s_axil_rready} ==
                        {s_axil_awvalid, s_axil_awaddr, s_axil_awprot, s_axil_wvalid, s_axil_wdata,
                         s_axil_wstrb, s_axil_bready, s_axil_arvalid, s_axil_araddr,
                         s_axil_arprot, s_axil_rready})
    else $error("AXI4-Lite");
    a_axil_out : assert ({s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_bresp,
                          s_axil_arready, s_axil_rvalid, s_axil_rdata, s_axil_rresp} ==
                         {u_dut.u_csr.s_axil_awready, u_dut.u_csr.s_axil_wready,
                          u_dut.u_csr.s_axil_bvalid, u_dut.u_csr.s_axil_bresp,
                          u_dut.u_csr.s_axil_arready, u_dut.u_csr.s_axil_rvalid,
                          u_dut.u_csr.s_axil_rdata, u_dut.u_csr.s_axil_rresp})
    else $error("AXI4-Lite");
    // What the device can do is what it was built with.
    a_shape : assert ({shown.CAP_SHAPE.units.next, shown.CAP_SHAPE.nodes.next} ==
                      {8'(NumUnits), 16'(NumNodes)})
    else $error("shape");
    a_sizes : assert (shown.CAP_REQUESTS.pending.next == 16'd8 &&
                      shown.CAP_REQUESTS.reads.next == 16'd16 &&
                      shown.CAP_QUEUES.pieces.next == 16'd32 &&
                      shown.CAP_QUEUES.expiry.next == 16'd16 &&
                      shown.CAP_HOST.beats.next == 16'd8 && shown.CAP_MERGE.slots.next == 16'd64)
    else $error("sizes");
    // Counters are chosen by number, of a unit or of the port, which there is one of.
    a_select : assert ({u_dut.u_unit_count.row_i, u_dut.u_unit_count.which_i,
                        u_dut.u_port_count.row_i, u_dut.u_port_count.which_i} ==
                       {csr.COUNTER_SELECT.index.value, csr.COUNTER_SELECT.which.value, 8'd0,
                        csr.COUNTER_SELECT.which.value} &&
                       u_dut.u_unit_count.count_i == u_dut.u_nic.count_unit_o &&
                       u_dut.u_port_count.count_i == u_dut.u_nic.count_port_o)
    else $error("another counter");
    // A cycle later it is the value.
    a_value : assert (!past_q || shown.COUNTER_VALUE.value.next == value_q)
    else $error("value %0d", shown.COUNTER_VALUE.value.next);

    // Gathers go to the units, and their ends come back.
    a_commands : assert ({u_dut.u_nic.command_valid_i, u_dut.u_nic.command_i,
                          u_dut.u_nic.done_ready_i, command_ready_o, done_valid_o, done_failed_o} ==
                         {command_valid_i, command_i, done_ready_i, u_dut.u_nic.command_ready_o,
                          u_dut.u_nic.done_valid_o, u_dut.u_nic.done_failed_o})
    else $error("commands");
    // Memory is asked, and answers.
    a_memory : assert ({mem_read_valid_o, mem_read_addr_o, mem_read_bytes_o, mem_write_valid_o,
                        mem_write_addr_o, mem_write_bytes_o, mem_write_data_o,
                        filter_look_valid_o, filter_look_idx_o, filter_mark_valid_o,
                        filter_mark_idx_o} == u_dut.u_nic.host_o)
    else $error("memory is asked");
    a_answers : assert (u_dut.u_nic.host_i == {mem_read_ready_i, mem_data_valid_i, mem_data_i,
                        mem_write_ready_i, mem_written_i, filter_look_ready_i, filter_bit_valid_i,
                        filter_bit_i, filter_mark_ready_i})
    else $error("memory answers");
    // Frames come in and leave as they are.
    a_frames_in : assert ({u_dut.u_nic.s_axis_tvalid, u_dut.u_nic.s_axis_tdata,
                           u_dut.u_nic.s_axis_tkeep, u_dut.u_nic.s_axis_tlast,
                           u_dut.u_nic.s_axis_tuser, s_axis_tready, u_dut.u_nic.m_axis_tready,
                           u_dut.u_nic.pause_i} ==
                          {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser,
                           u_dut.u_nic.s_axis_tready, m_axis_tready, pause_i})
    else $error("frames in");
    a_frames_out : assert ({m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, pause_reads_o,
                            stopped_o, merge_o} ==
                           {u_dut.u_nic.m_axis_tvalid, u_dut.u_nic.m_axis_tdata,
                            u_dut.u_nic.m_axis_tkeep, u_dut.u_nic.m_axis_tlast,
                            u_dut.u_nic.pause_reads_o, u_dut.u_nic.stopped_o,
                            u_dut.u_nic.merge_o})
    else $error("frames out");
    // All are reset together.
    a_reset : assert ({u_dut.u_csr.rst_n, u_dut.u_nic.rst_ni, u_dut.u_port_count.rst_ni,
                       u_dut.u_unit_count.rst_ni} == {4{rst_ni}})
    else $error("reset");

    // A unit's counter is read while the last node is written.
    c_unit : cover (past_q && rst_ni && csr.COUNTER_SELECT.unit.value && node.valid &&
                    32'(node.node) == NumNodes - 1);
  end

endmodule
