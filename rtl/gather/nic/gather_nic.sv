// The data path of the network interface: all of it but its registers. The top says what it does.
//
// Who waits: PRs of units and server for concatenation, which waits for frames to leave; frames that
// come in for memory. Reads that come in wait in a queue of their own for the server's responses to
// be taken; only if that is full what comes behind them waits, too. With room for every read that
// other nodes can have under way here, what comes in never waits for what leaves: so no circle of
// nodes that wait for each other can close, however little the network holds.
module gather_nic
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

  // Settings; they change while nothing is inside.
  input logic [ClockW-3:0]    delay_i,
  input logic [31:0]          timeout_i,     // cycles that a gather may take; 0: for ever
  input logic [31:0]          own_node_i,
  input logic [47:0]          own_mac_i,
  input logic [31:0]          own_ip_i,
  // What the server reads: the property of column i is at base + (i << stride).
  input logic [63:0]          serve_base_i,
  input logic [3:0]           serve_stride_i,
  // And of which columns; other reads, and such of more than 2 ** stride bytes, are dropped.
  input logic [63:0]          serve_first_i,
  input logic [31:0]          serve_count_i,
  // The table of nodes, and the first column of each; node 0 begins with column 0.
  input logic                 node_we_i,
  input logic [NodeW-1:0]     node_i,
  input logic [47:0]          node_mac_i,
  input logic [31:0]          node_ip_i,
  input logic [IndexBits-1:0] node_first_i,

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
  output logic                 m_axis_tlast,

  // Counters since reset. Of a unit as gather_rig has them. Of the port, index 0 first: frames
  // received, in error, too long, with a bad ICRC, taken, foreign, of unknown type, of wrong length,
  // not for this node, sent; packets closed full, late, for another length, for room; responses for
  // no unit; reads served; cycles that PRs waited for storage, for packets to leave; the latest of
  // the late packets, cycles; reads of what is not served.
  output logic [NumUnits-1:0][9:0][31:0] count_unit_o,
  output logic [19:0][31:0]              count_port_o
);

  localparam int unsigned MaxFrameBytes = Mtu + 36;
  /// Users of memory, and senders of PRs: units, then the server.
  localparam int unsigned Users = NumUnits + 1;

  if (NumUnits < 1 || NumUnits > 64) begin : gen_check_units
    $fatal(1, "%m: NumUnits must be 1 to 64");
  end

  address_t own, node_address;
  assign own          = '{mac: own_mac_i, ip: own_ip_i};
  assign node_address = '{mac: node_mac_i, ip: node_ip_i};

  // ---------------------------------------------------------------------------------------------
  // Frames in, PRs to units and server

  logic                in_valid, in_ready, in_unit_valid, in_read_ready, in_none;
  pr_beat_t            in;
  logic [NumUnits-1:0] in_unit_ready;
  logic [18:0]         events;

  gather_arrive #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(MaxFrameBytes)
  ) u_arrive (
    .clk_i,
    .rst_ni,
    .own_node_i,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .pr_valid_o(in_valid),
    .pr_ready_i(in_ready),
    .pr_o      (in),
    .events_o  (events[8:0])
  );

  // A read from a node that does not exist could not be answered.
  assign in_none       = in.pr.response ? 32'(in.pr.tid) >= NumUnits : in.pr.src >= NumNodes;
  assign in_unit_valid = in_valid && in.pr.response && !in_none;

  always_comb begin
    in_ready = in_none || (!in.pr.response && in_read_ready);
    for (int unsigned u = 0; u < NumUnits; u++) begin
      if (in.pr.response && in.pr.tid == 16'(u)) in_ready = in_unit_ready[u];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Units and server

  logic [Users-1:0]            read_valid, read_ready, data_valid, out_valid, out_ready;
  mem_read_t [Users-1:0]       read;
  logic [NumUnits-1:0]         write_valid, write_ready, written, look_valid, look_ready, bit_valid;
  logic [NumUnits-1:0]         mark_valid, mark_ready;
  mem_write_t [NumUnits-1:0]   write;
  logic [NumUnits-1:0][63:0]   look_idx, mark_idx;
  logic [BeatBits-1:0]         data;
  logic                        bit_known;
  pr_beat_t [Users-1:0]        out;

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    command_t command;
    pr_t      request;

    assign command = '{source: command_list_i[u], dest: command_dest_i[u],
                       count: command_count_i[u], len: command_len_i[u],
                       stride: command_stride_i[u]};
    assign out[u]  = '{pr: request, first: 1'b1, last: 1'b1, data: '0};

    gather_rig #(
      .NumNodes (NumNodes),
      .IndexBits(IndexBits),
      .Pending  (Pending)
    ) u_rig (
      .clk_i,
      .rst_ni,
      .own_node_i,
      .tid_i          (16'(u)),
      .timeout_i,
      .first_we_i     (node_we_i),
      .first_node_i   (node_i),
      .first_i        (node_first_i),
      .command_valid_i(command_valid_i[u]),
      .command_ready_o(command_ready_o[u]),
      .command_i      (command),
      .done_valid_o   (done_valid_o[u]),
      .done_ready_i   (done_ready_i[u]),
      .done_failed_o  (done_failed_o[u]),
      .read_valid_o   (read_valid[u]),
      .read_ready_i   (read_ready[u]),
      .read_o         (read[u]),
      .data_valid_i   (data_valid[u]),
      .data_i         (data),
      .write_valid_o  (write_valid[u]),
      .write_ready_i  (write_ready[u]),
      .write_o        (write[u]),
      .written_i      (written[u]),
      .look_valid_o   (look_valid[u]),
      .look_ready_i   (look_ready[u]),
      .look_idx_o     (look_idx[u]),
      .bit_valid_i    (bit_valid[u]),
      .bit_i          (bit_known),
      .mark_valid_o   (mark_valid[u]),
      .mark_ready_i   (mark_ready[u]),
      .mark_idx_o     (mark_idx[u]),
      .pr_valid_o     (out_valid[u]),
      .pr_ready_i     (out_ready[u]),
      .pr_o           (request),
      .pr_valid_i     (in_unit_valid && in.pr.tid == 16'(u)),
      .pr_ready_o     (in_unit_ready[u]),
      .pr_i           (in),
      .count_o        (count_unit_o[u])
    );
  end

  logic asked_valid, asked_ready, served, not_served;
  pr_t  asked;

  gather_reads #(
    .NumNodes (NumNodes),
    .ReadQueue(ReadQueue)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .stride_i    (serve_stride_i),
    .first_i     (serve_first_i),
    .count_i     (serve_count_i),
    .pr_valid_i  (in_valid && !in.pr.response && !in_none),
    .pr_ready_o  (in_read_ready),
    .pr_i        (in.pr),
    .read_valid_o(asked_valid),
    .read_ready_i(asked_ready),
    .read_o      (asked),
    .served_o    (served),
    .not_served_o(not_served)
  );

  gather_server u_server (
    .clk_i,
    .rst_ni,
    .base_i      (serve_base_i),
    .stride_i    (serve_stride_i),
    .pr_valid_i  (asked_valid),
    .pr_ready_o  (asked_ready),
    .pr_i        (asked),
    .read_valid_o(read_valid[NumUnits]),
    .read_ready_i(read_ready[NumUnits]),
    .read_o      (read[NumUnits]),
    .data_valid_i(data_valid[NumUnits]),
    .data_i      (data),
    .pr_valid_o  (out_valid[NumUnits]),
    .pr_ready_i  (out_ready[NumUnits]),
    .pr_o        (out[NumUnits])
  );

  // ---------------------------------------------------------------------------------------------
  // Memory and filter

  mem_read_t  mem_read;
  mem_write_t mem_write;

  gather_host #(
    .NumUnits(NumUnits)
  ) u_host (
    .clk_i,
    .rst_ni,
    .read_valid_i     (read_valid),
    .read_ready_o     (read_ready),
    .read_i           (read),
    .data_valid_o     (data_valid),
    .data_o           (data),
    .write_valid_i    (write_valid),
    .write_ready_o    (write_ready),
    .write_i          (write),
    .written_o        (written),
    .look_valid_i     (look_valid),
    .look_ready_o     (look_ready),
    .look_idx_i       (look_idx),
    .bit_valid_o      (bit_valid),
    .bit_o            (bit_known),
    .mark_valid_i     (mark_valid),
    .mark_ready_o     (mark_ready),
    .mark_idx_i       (mark_idx),
    .mem_read_valid_o,
    .mem_read_ready_i,
    .mem_read_o       (mem_read),
    .mem_data_valid_i,
    .mem_data_i,
    .mem_write_valid_o,
    .mem_write_ready_i,
    .mem_write_o      (mem_write),
    .mem_written_i,
    .filter_look_valid_o,
    .filter_look_ready_i,
    .filter_look_idx_o,
    .filter_bit_valid_i,
    .filter_bit_i,
    .filter_mark_valid_o,
    .filter_mark_ready_i,
    .filter_mark_idx_o
  );
  assign mem_read_addr_o   = mem_read.addr;
  assign mem_read_bytes_o  = mem_read.bytes;
  assign mem_write_addr_o  = mem_write.addr;
  assign mem_write_bytes_o = mem_write.bytes;
  assign mem_write_data_o  = mem_write.data;

  // ---------------------------------------------------------------------------------------------
  // PRs out

  logic [3:0]        close;
  logic [1:0]        stall;
  logic [ClockW-1:0] lateness;
  logic              sent;

  gather_leave #(
    .Users      (Users),
    .NumNodes   (NumNodes),
    .Mtu        (Mtu),
    .Virtual    (Virtual),
    .VirtualRows(VirtualRows),
    .ExpiryDepth(ExpiryDepth),
    .ClockW     (ClockW)
  ) u_leave (
    .clk_i,
    .rst_ni,
    .delay_i,
    .own_i         (own),
    .node_we_i,
    .node_i,
    .node_address_i(node_address),
    .pr_valid_i    (out_valid),
    .pr_ready_o    (out_ready),
    .pr_i          (out),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .close_o       (close),
    .lateness_o    (lateness),
    .stall_o       (stall),
    .sent_o        (sent)
  );

  // ---------------------------------------------------------------------------------------------

  assign events[9]     = sent;
  assign events[13:10] = close;
  assign events[14]    = in_valid && in_none && in.last;
  assign events[15]    = served;
  assign events[17:16] = stall;
  assign events[18]    = not_served;

  gather_tally #(
    .N(19)
  ) u_tally (
    .clk_i,
    .rst_ni,
    .events_i(events),
    .count_o ({count_port_o[19], count_port_o[17:0]})
  );

  logic [ClockW-1:0] latest_q;
  assign count_port_o[18] = 32'(latest_q);
  always_ff @(posedge clk_i) begin
    if (close[1] && lateness > latest_q) latest_q <= lateness;
    if (!rst_ni) latest_q <= '0;
  end

endmodule
