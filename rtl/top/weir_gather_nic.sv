// A network interface that gathers (NetSparse 5, figure 4): RIG units that ask for properties of
// other nodes, a server that answers their reads, and a concatenation point in front of the
// network.
//
// Units and server share host memory, and units the index filter, each through a valid/ready port;
// memory and filter answer in the order they were asked, MemAnswer cycles later or more.
//
// Who waits: reads of units, and responses of the server, for the network to take frames of their
// class, PAUSE_LIMIT cycles at most, and not for each other; frames that come in for memory. Reads
// that come in wait in a queue of their own for the server's responses to be taken;
// `pause_reads_o` asks for no more of them in time. So what comes in never waits for what leaves,
// and no circle of nodes that wait for each other can close.
//
// Settings and counters are behind AXI4-Lite: docs/registers/gather-nic.md.
module weir_gather_nic
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// RIG units, 1 to 64. A unit's number is the tid of its PRs.
  parameter int unsigned NumUnits = 2,
  /// Most bytes of an IP packet, 1108 to 2369.
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
  /// Reads of other nodes that may wait for the server. Power of two, 8 or more; half of it is for
  /// what comes when `pause_reads_o` has risen.
  parameter int unsigned ReadQueue = 8192,
  /// Beats of each class that may wait to leave. Power of two, 256 or more.
  parameter int unsigned HoldBeats = 1024,
  /// Beats of 64 bytes that host memory may owe, reads and writes apart. Power of two: at least the
  /// rate times the way there and back. 400 Gb/s and 400 ns are 313, 2 us are 1,563; a property of
  /// less than 46 bytes takes a beat all the same, one a cycle: at 2 GHz 800, and 4,000.
  parameter int unsigned HostBeats = 1024,
  /// Of these, lines of its list that a unit asks for (the published 4 KB), and what it writes.
  /// Powers of two, 8 or more. NumUnits times UnitWrites should be HostBeats or more.
  parameter int unsigned UnitLines = 64,
  parameter int unsigned UnitWrites = 256,
  /// Properties under way that units may share a read of, which MERGE.enable lets them do. Power of
  /// two, 8 to 4096, about as many as all units may have under way; 0: they cannot.
  parameter int unsigned MergeSlots = 0
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

  // A channel a unit: gathers; and the end of each, when all its properties are in memory or it
  // failed.
  input  logic     [NumUnits-1:0] command_valid_i,
  output logic     [NumUnits-1:0] command_ready_o,
  input  command_t [NumUnits-1:0] command_i,
  output logic     [NumUnits-1:0] done_valid_o,
  input  logic     [NumUnits-1:0] done_ready_i,
  output logic     [NumUnits-1:0] done_failed_o,

  // Host memory: reads and writes of 1 to 64 bytes at any address, first byte in the low bits. A
  // read is answered with its data, a write with `written`; no answer is ever refused.
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

  // The index filter, a bit a column. A look-up is answered with the bit, never refused; a mark
  // sets the bit, and is done when it is taken.
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
  output logic                 m_axis_tlast,
  // Level: the network is to send no more reads, of which ReadQueue / 2 may still come; else they
  // are lost.
  output logic                 pause_reads_o,
  // Levels, reads in the lowest bit, responses above: the network wants no more of them, of which a
  // frame or two may still leave.
  input  logic [Classes-1:0]   pause_i,

  // Observation only: a frame is thrown away.
  output stopped_obs_t stopped_o,
  // And: a read of a unit, or a response, was looked up among those that units share.
  output merge_obs_t   merge_o
);

  localparam cfg_t Cfg = nic_cfg(NumNodes, NumUnits, Mtu, Virtual, VirtualRows, ExpiryDepth, ClockW,
                                 IndexBits, Pending, ReadQueue, HoldBeats, HostBeats, UnitLines,
                                 UnitWrites, MergeSlots);

  gather_check #(
    .Cfg(Cfg)
  ) u_check ();

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

  logic [NumUnits-1:0][NumRigCounters-1:0][31:0] unit_counts;
  logic [NumNicCounters-1:0][31:0]               port_counts;
  nic_settings_t settings;
  node_write_t   node;
  first_write_t  first;
  host_req_t     host_req;
  host_rsp_t     host_rsp;

  assign settings = '{
    delay: csr.DELAY.cycles.value,
    timeout: csr.TIMEOUT.word.value,
    pause_limit: csr.PAUSE_LIMIT.word.value,
    merge: csr.MERGE.enable.value,
    own_node: csr.OWN_NODE.node.value,
    generation: csr.GENERATION.generation.value,
    own: '{
      mac: {csr.OWN_MAC_HIGH.word.value, csr.OWN_MAC_LOW.word.value},
      ip: csr.OWN_IP.word.value
    },
    serve: '{
      base: {csr.SERVE_BASE_HIGH.word.value, csr.SERVE_BASE_LOW.word.value},
      stride: csr.SERVE_STRIDE.stride.value,
      first: {csr.SERVE_FIRST_HIGH.word.value, csr.SERVE_FIRST_LOW.word.value},
      count: csr.SERVE_COUNT.word.value
    }
  };
  assign node     = '{
    valid: csr.NODE_COMMAND.store.value && 32'(csr.NODE_COMMAND.index.value) < NumNodes,
    node: csr.NODE_COMMAND.index.value[9:0],
    address: '{
      mac: {csr.NODE_MAC_HIGH.word.value, csr.NODE_MAC_LOW.word.value},
      ip: csr.NODE_IP.word.value
    },
    out_port: '0,
    reads: 1'b1,
    pipes: '1
  };
  assign first    = '{
    valid: node.valid,
    node: node.node,
    first: {csr.NODE_FIRST_HIGH.word.value, csr.NODE_FIRST_LOW.word.value}
  };

  assign mem_read_valid_o    = host_req.read_valid;
  assign mem_read_addr_o     = host_req.read.addr;
  assign mem_read_bytes_o    = host_req.read.bytes;
  assign mem_write_valid_o   = host_req.write_valid;
  assign mem_write_addr_o    = host_req.write.addr;
  assign mem_write_bytes_o   = host_req.write.bytes;
  assign mem_write_data_o    = host_req.write.data;
  assign filter_look_valid_o = host_req.look_valid;
  assign filter_look_idx_o   = host_req.look_idx;
  assign filter_mark_valid_o = host_req.mark_valid;
  assign filter_mark_idx_o   = host_req.mark_idx;
  assign host_rsp            = '{
    read_ready: mem_read_ready_i,
    data_valid: mem_data_valid_i,
    data: mem_data_i,
    write_ready: mem_write_ready_i,
    written: mem_written_i,
    look_ready: filter_look_ready_i,
    bit_valid: filter_bit_valid_i,
    bit_set: filter_bit_i,
    mark_ready: filter_mark_ready_i
  };

  gather_nic #(
    .Cfg(Cfg)
  ) u_nic (
    .clk_i,
    .rst_ni,
    .settings_i  (settings),
    .node_i      (node),
    .first_i     (first),
    .command_valid_i,
    .command_ready_o,
    .command_i,
    .done_valid_o,
    .done_ready_i,
    .done_failed_o,
    .host_o      (host_req),
    .host_i      (host_rsp),
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
    .merge_o,
    .count_unit_o(unit_counts),
    .count_port_o(port_counts)
  );

  // ---------------------------------------------------------------------------------------------
  // What software reads. A counter that there is not reads as zero.

  logic [31:0] port_count, unit_count, count_q;

  // There is one port.
  gather_select #(
    .N(NumNicCounters)
  ) u_port_count (
    .clk_i,
    .rst_ni,
    .row_i  (8'd0),
    .which_i(csr.COUNTER_SELECT.which.value),
    .count_i(port_counts),
    .value_o(port_count)
  );

  gather_select #(
    .Rows(NumUnits),
    .N   (NumRigCounters)
  ) u_unit_count (
    .clk_i,
    .rst_ni,
    .row_i  (csr.COUNTER_SELECT.index.value),
    .which_i(csr.COUNTER_SELECT.which.value),
    .count_i(unit_counts),
    .value_o(unit_count)
  );

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
    csr_in.CAP_HOST.beats.next       = 16'(HostBeats);
    csr_in.CAP_MERGE.slots.next      = 16'(MergeSlots);
    csr_in.COUNTER_VALUE.value.next  = count_q;
  end

endmodule
