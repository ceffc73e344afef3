// A network interface that gathers (NetSparse 5, figure 4): RIG units that ask for properties of
// other nodes, a server that answers their reads, and a concatenation point in front of the network.
//
// Units and server share host memory, and units the index filter, each through a valid/ready port;
// memory and filter answer in the order they were asked, four cycles later or more.
//
// Who waits: PRs of units and server for concatenation, which waits for frames to leave; frames that
// come in for memory. Reads that come in wait in a queue of their own for the server's responses to
// be taken; only if that is full what comes behind them waits, too. With room for every read that
// other nodes can have under way here, what comes in never waits for what leaves: so no circle of
// nodes that wait for each other can close, however little the network holds.
//
// Settings and counters are behind AXI4-Lite: docs/registers-gather-nic.md.
module weir_gather_nic
  import roce_pkg::*;
  import gather_pkg::*;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// RIG units, 1 to 64. A unit's number is the tid of its PRs.
  parameter int unsigned NumUnits = 2,
  /// Most bytes of an IP packet, 1108 to 3900.
  parameter int unsigned Mtu = 1500,
  /// 1: virtual queues, of `VirtualRows` rows of 128 bytes.
  parameter bit Virtual = 1'b0,
  parameter int unsigned VirtualRows = 256,
  /// Entries of the expiry queue, power of two, at least the largest delay.
  parameter int unsigned ExpiryDepth = 512,
  /// Bits of the clock for expiry; delays are less than 2 ** (ClockW - 2).
  parameter int unsigned ClockW = 18,
  /// Bits of an index, 16 to 64.
  parameter int unsigned IndexBits = 40,
  /// Requests that a unit may have under way. Power of two, 8 to 256.
  parameter int unsigned Pending = 256,
  /// Reads of other nodes that may wait for the server. Power of two, 8 or more. None ever waits
  /// outside if it is (NumNodes - 1) * NumUnits * Pending or more.
  parameter int unsigned ReadQueue = 2048,
  localparam int unsigned NodeW = $clog2(NumNodes)
) (
  input logic clk_i,
  input logic rst_ni,

  // AXI4-Lite, 32 bits; addresses without a register are answered with SLVERR.
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

  // Gathers, a port a unit: command_t and its end.
  input  logic [NumUnits-1:0]       command_valid_i,
  output logic [NumUnits-1:0]       command_ready_o,
  input  logic [NumUnits-1:0][63:0] command_list_i,
  input  logic [NumUnits-1:0][63:0] command_dest_i,
  input  logic [NumUnits-1:0][31:0] command_count_i,
  input  logic [NumUnits-1:0][10:0] command_len_i,
  input  logic [NumUnits-1:0][3:0]  command_stride_i,
  output logic [NumUnits-1:0]       done_valid_o,
  input  logic [NumUnits-1:0]       done_ready_i,
  output logic [NumUnits-1:0]       done_failed_o,

  // Host memory: 1 to 64 bytes from any address, first byte in the low bits.
  output logic                mem_read_valid_o,
  input  logic                mem_read_ready_i,
  output logic [63:0]         mem_read_addr_o,
  output logic [6:0]          mem_read_bytes_o,
  input  logic                mem_data_valid_i,
  input  logic [BeatBits-1:0] mem_data_i,
  output logic                mem_write_valid_o,
  input  logic                mem_write_ready_i,
  output logic [63:0]         mem_write_addr_o,
  output logic [6:0]          mem_write_bytes_o,
  output logic [BeatBits-1:0] mem_write_data_o,
  input  logic                mem_written_i,

  // The index filter: is a column's bit set; set it (taken is done).
  output logic        filter_look_valid_o,
  input  logic        filter_look_ready_i,
  output logic [63:0] filter_look_idx_o,
  input  logic        filter_bit_valid_i,
  input  logic        filter_bit_i,
  output logic        filter_mark_valid_o,
  input  logic        filter_mark_ready_i,
  output logic [63:0] filter_mark_idx_o,

  // The network: frames without FCS.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast
);

  localparam int unsigned PortCounters = 20;
  localparam int unsigned UnitCounters = 10;

  gather_nic_csr_pkg::gather_nic_csr__in_t  csr_in;
  gather_nic_csr_pkg::gather_nic_csr__out_t csr;

  gather_nic_csr u_csr (
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
  // The data path

  logic [NumUnits-1:0][UnitCounters-1:0][31:0] unit_counts;
  logic [PortCounters-1:0][31:0]               port_counts;
  // Columns have 64 bits in registers, whatever counts of them.
  // verilator lint_off UNUSEDSIGNAL
  logic [63:0]                                 first;
  // verilator lint_on UNUSEDSIGNAL

  assign first = {csr.NODE_FIRST_HIGH.word.value, csr.NODE_FIRST_LOW.word.value};

  gather_nic #(
    .NumNodes   (NumNodes),
    .NumUnits   (NumUnits),
    .Mtu        (Mtu),
    .Virtual    (Virtual),
    .VirtualRows(VirtualRows),
    .ExpiryDepth(ExpiryDepth),
    .ClockW     (ClockW),
    .IndexBits  (IndexBits),
    .Pending    (Pending),
    .ReadQueue  (ReadQueue)
  ) u_nic (
    .clk_i,
    .rst_ni,
    .delay_i       ((ClockW - 2)'(csr.DELAY.cycles.value)),
    .timeout_i     (csr.TIMEOUT.word.value),
    .own_node_i    (csr.OWN_NODE.node.value),
    .own_mac_i     ({csr.OWN_MAC_HIGH.word.value, csr.OWN_MAC_LOW.word.value}),
    .own_ip_i      (csr.OWN_IP.word.value),
    .serve_base_i  ({csr.SERVE_BASE_HIGH.word.value, csr.SERVE_BASE_LOW.word.value}),
    .serve_stride_i(csr.SERVE_STRIDE.stride.value),
    .serve_first_i ({csr.SERVE_FIRST_HIGH.word.value, csr.SERVE_FIRST_LOW.word.value}),
    .serve_count_i (csr.SERVE_COUNT.word.value),
    .node_we_i     (csr.NODE_COMMAND.store.value && 32'(csr.NODE_COMMAND.index.value) < NumNodes),
    .node_i        (csr.NODE_COMMAND.index.value[NodeW-1:0]),
    .node_mac_i    ({csr.NODE_MAC_HIGH.word.value, csr.NODE_MAC_LOW.word.value}),
    .node_ip_i     (csr.NODE_IP.word.value),
    .node_first_i  (first[IndexBits-1:0]),
    .command_valid_i,
    .command_ready_o,
    .command_list_i,
    .command_dest_i,
    .command_count_i,
    .command_len_i,
    .command_stride_i,
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
    .count_unit_o  (unit_counts),
    .count_port_o  (port_counts)
  );

  // ---------------------------------------------------------------------------------------------
  // What software reads. A counter that there is not reads as zero.

  logic [31:0] port_count, unit_count, count_q;
  logic [7:0]  which, index;

  assign which = csr.COUNTER_SELECT.which.value;
  assign index = csr.COUNTER_SELECT.index.value;

  always_comb begin
    port_count = '0;
    unit_count = '0;
    for (int unsigned c = 0; c < PortCounters; c++) begin
      if (32'(which) == c) port_count = port_counts[c];
    end
    for (int unsigned u = 0; u < NumUnits; u++) begin
      for (int unsigned c = 0; c < UnitCounters; c++) begin
        if (32'(index) == u && 32'(which) == c) unit_count = unit_counts[u][c];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    count_q <= csr.COUNTER_SELECT.unit.value ? unit_count : port_count;
  end

  always_comb begin
    csr_in                           = '0;
    csr_in.CAP_SHAPE.units.next      = 8'(NumUnits);
    csr_in.CAP_SHAPE.nodes.next      = 16'(NumNodes);
    csr_in.CAP_REQUESTS.pending.next = 16'(Pending);
    csr_in.CAP_REQUESTS.reads.next   = 16'(ReadQueue);
    csr_in.CAP_QUEUES.pieces.next    = Virtual ? 16'(VirtualRows) : '0;
    csr_in.CAP_QUEUES.expiry.next    = 16'(ExpiryDepth);
    csr_in.COUNTER_VALUE.value.next  = count_q;
  end

endmodule
