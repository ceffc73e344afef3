// The in-network aggregator (NetReduce 3.1, 3.2; in a tree of racks, 3.3): a bump in the wire on every port of a switch.
//
// What comes in on port p and is no gradient of a known ring leaves on port p, unmodified and in order. Gradients are
// kept; when all ranks of a column are in, each connection gets the reduction, on the port its gradient came in on.
// docs/architecture.md draws the way of a packet and says who may wait for whom; docs/protocol.md has the rules.
module weir_aggregator
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have, one payload bank each, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Largest tensor part of a packet, bytes; power of two, 64 to 8192.
  parameter int unsigned SlotBytes = 1024,
  /// Slots of all rings together, 2 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, 1 to 256.
  parameter int unsigned NumConns = 48,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// 1: 16-bit types at one row a cycle (32 lanes); 0: a row every other cycle.
  parameter int unsigned WideLanes = 0,
  /// 0: workers send. 1 to 15: the device can be above others in a tree. These send messages of up
  /// to 2**SpineShift packets, and the window of their ring is that many times as large
  /// (docs/relay.md).
  parameter int unsigned SpineShift = 0,
  /// 1: the device can be below a parent, which adds its sums to others'; the last port leads there.
  parameter int unsigned Uplink = 0,
  /// Below a parent: connections from other leaves that it may know, 1 to NumRings; a leaf needs one
  /// a ring.
  parameter int unsigned NumRows = NumRings,
  /// Longest frame, bytes; a longer one is dropped.
  parameter int unsigned MaxFrameBytes = 9728
) (
  input logic clk_i,
  input logic rst_ni,

  // Frames in, without FCS. tuser: the MAC found the frame in error.
  input  logic [NumPorts-1:0]               s_axis_tvalid,
  output logic [NumPorts-1:0]               s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0] s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]               s_axis_tlast,
  input  logic [NumPorts-1:0]               s_axis_tuser,

  // Frames out, without FCS.
  output logic [NumPorts-1:0]               m_axis_tvalid,
  input  logic [NumPorts-1:0]               m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0] m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]               m_axis_tlast,
  output logic [NumPorts-1:0]               m_axis_tuser,

  // Registers, AXI4-Lite (docs/registers).
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

  // Observation only: state decisions in their order, and results that begin to leave.
  output obs_state_t                obs_state_o,
  output obs_result_t [NumPorts-1:0] obs_result_o
);

  /// Beats of the frame FIFO and of the pass FIFO of a port: three of the longest frames.
  localparam int unsigned FifoBeats = 512;
  /// Rows and header records that wait at an egress.
  localparam int unsigned FifoRows = (SlotBytes >= 4096) ? 512 : 256;
  localparam int unsigned HdrFrames = 8;
  /// One a rank; below a parent one more for its results, and what a leaf keeps of notifications.
  localparam int unsigned Banks = NumRanks + 2 * Uplink;
  localparam int unsigned UpPort = NumPorts - 1;

  // ---------------------------------------------------------------------------------------------
  // Registers

  ring_t [NumRings-1:0] rings;
  logic                 conn_set_valid, conn_set_ready, conn_set_error;
  conn_set_t            conn_set;
  logic                 flush_valid, flush_ready;
  logic [RingW-1:0]     flush_ring;
  logic [PortW-1:0]     counter_port;
  logic [4:0]           counter_which;
  logic [47:0]          counter_value, port_counter;
  relay_ring_t [NumRings-1:0] relays;
  relay_self_t                self;

  weir_control #(
    .NumPorts  (NumPorts),
    .NumRanks  (NumRanks),
    .SlotBytes (SlotBytes),
    .NumSlots  (NumSlots),
    .NumRings  (NumRings),
    .NumConns  (NumConns),
    .MaxWindow (MaxWindow),
    .WideLanes (WideLanes),
    .SpineShift(SpineShift),
    .Uplink    (Uplink),
    .NumRows   (NumRows)
  ) u_control (
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
    .rings_o         (rings),
    .relays_o        (relays),
    .self_o          (self),
    .conn_set_valid_o(conn_set_valid),
    .conn_set_ready_i(conn_set_ready),
    .conn_set_o      (conn_set),
    .conn_set_error_i(conn_set_error),
    .flush_valid_o   (flush_valid),
    .flush_ready_i   (flush_ready),
    .flush_ring_o    (flush_ring),
    .counter_port_o  (counter_port),
    .counter_which_o (counter_which),
    .counter_value_i (counter_value)
  );

  // ---------------------------------------------------------------------------------------------
  // Ports

  logic                                  of_leaf;
  logic        [NumPorts-1:0]            verdict_valid_of;
  logic        [NumPorts-1:0]            port_valid, port_ready;
  frame_desc_t [NumPorts-1:0]            lookup;
  logic        [NumPorts-1:0]            want, grant, write_valid;
  logic        [NumPorts-1:0][Banks-1:0] want_bank, bank_release;
  logic        [NumPorts-1:0][RankW-1:0] write_rank;
  bank_write_t [NumPorts-1:0]            write;
  logic        [NumPorts-1:0]            commit_valid, commit_ready, busy;
  commit_t     [NumPorts-1:0]            commit;
  logic        [1:0]                     lock_valid;
  logic        [1:0][SlotW-1:0]          lock_slot;
  logic        [SlotW-1:0]               writing_slot;
  logic        [NumPorts-1:0]            writing;
  logic                                  verdict_valid;
  verdict_t                              verdict;

  logic        [NumPorts-1:0]                  hdr_we, row_we, row_pop, frame_pop;
  logic        [NumPorts-1:0][HdrWordBits-1:0] hdr_word;
  logic        [BeatBits-1:0]                  row;
  logic                                        row_last;

  logic  [NumPorts-1:0] rx, drop_valid, fate_valid, tx_pass, tx_result, port_quiet;
  fate_e [NumPorts-1:0] drop_fate, fate;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign verdict_valid_of[p] = verdict_valid && verdict.port == PortW'(p);

    agg_port_path #(
      .Port         (p),
      .NumBanks     (Banks),
      .FifoBeats    (FifoBeats),
      .FifoRows     (FifoRows),
      .HdrFrames    (HdrFrames),
      .MaxFrameBytes(MaxFrameBytes),
      .Notes        ((p == UpPort) ? Uplink : 0)
    ) u_path (
      .clk_i,
      .rst_ni,
      .notes_i        (of_leaf),
      .s_axis_tvalid  (s_axis_tvalid[p]),
      .s_axis_tready  (s_axis_tready[p]),
      .s_axis_tdata   (s_axis_tdata[p]),
      .s_axis_tkeep   (s_axis_tkeep[p]),
      .s_axis_tlast   (s_axis_tlast[p]),
      .s_axis_tuser   (s_axis_tuser[p]),
      .m_axis_tvalid  (m_axis_tvalid[p]),
      .m_axis_tready  (m_axis_tready[p]),
      .m_axis_tdata   (m_axis_tdata[p]),
      .m_axis_tkeep   (m_axis_tkeep[p]),
      .m_axis_tlast   (m_axis_tlast[p]),
      .m_axis_tuser   (m_axis_tuser[p]),
      .lookup_valid_o (port_valid[p]),
      .lookup_ready_i (port_ready[p]),
      .lookup_o       (lookup[p]),
      .verdict_valid_i(verdict_valid_of[p]),
      .verdict_i      (verdict),
      .want_o         (want[p]),
      .bank_o         (want_bank[p]),
      .grant_i        (grant[p]),
      .release_o      (bank_release[p]),
      .write_valid_o  (write_valid[p]),
      .write_rank_o   (write_rank[p]),
      .write_o        (write[p]),
      .lock_valid_i   (lock_valid),
      .lock_slot_i    (lock_slot),
      .writing_slot_i (writing_slot),
      .writing_o      (writing[p]),
      .commit_valid_o (commit_valid[p]),
      .commit_ready_i (commit_ready[p]),
      .commit_o       (commit[p]),
      .hdr_we_i       (hdr_we[p]),
      .hdr_word_i     (hdr_word[p]),
      .row_we_i       (row_we[p]),
      .row_i          (row),
      .row_last_i     (row_last),
      .row_pop_o      (row_pop[p]),
      .frame_pop_o    (frame_pop[p]),
      .busy_o         (busy[p]),
      .rx_o           (rx[p]),
      .drop_valid_o   (drop_valid[p]),
      .drop_fate_o    (drop_fate[p]),
      .fate_valid_o   (fate_valid[p]),
      .fate_o         (fate[p]),
      .tx_pass_o      (tx_pass[p]),
      .tx_result_o    (tx_result[p]),
      .quiet_o        (port_quiet[p]),
      .obs_result_o   (obs_result_o[p])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // What is between them

  agg_core #(
    .NumPorts  (NumPorts),
    .NumRanks  (NumRanks),
    .SlotBytes (SlotBytes),
    .NumSlots  (NumSlots),
    .NumRings  (NumRings),
    .NumConns  (NumConns),
    .MaxWindow (MaxWindow),
    .WideLanes (WideLanes),
    .SpineShift(SpineShift),
    .Uplink    (Uplink),
    .NumRows   (NumRows),
    .FifoRows  (FifoRows),
    .HdrFrames (HdrFrames)
  ) u_core (
    .clk_i,
    .rst_ni,
    .rings_i             (rings),
    .relays_i            (relays),
    .self_i              (self),
    .conn_set_valid_i    (conn_set_valid),
    .conn_set_ready_o    (conn_set_ready),
    .conn_set_i          (conn_set),
    .conn_set_error_o    (conn_set_error),
    .flush_valid_i       (flush_valid),
    .flush_ready_o       (flush_ready),
    .flush_ring_i        (flush_ring),
    .port_valid_i        (port_valid),
    .port_ready_o        (port_ready),
    .port_desc_i         (lookup),
    .verdict_valid_o     (verdict_valid),
    .verdict_o           (verdict),
    .of_leaf_o           (of_leaf),
    .want_i              (want),
    .want_bank_i         (want_bank),
    .grant_o             (grant),
    .release_i           (bank_release),
    .write_valid_i       (write_valid),
    .write_rank_i        (write_rank),
    .write_i             (write),
    .commit_valid_i      (commit_valid),
    .commit_ready_o      (commit_ready),
    .commit_i            (commit),
    .busy_i              (busy),
    .lock_valid_o        (lock_valid),
    .lock_slot_o         (lock_slot),
    .writing_slot_o      (writing_slot),
    .writing_i           (|writing),
    .hdr_we_o            (hdr_we),
    .hdr_word_o          (hdr_word),
    .row_we_o            (row_we),
    .row_o               (row),
    .row_last_o          (row_last),
    .row_pop_i           (row_pop),
    .frame_pop_i         (frame_pop),
    .counter_which_i     (counter_which),
    .counter_value_i     (port_counter),
    .counter_value_o     (counter_value),
    .obs_state_o
  );

  // ---------------------------------------------------------------------------------------------
  // Counters

  weir_counters #(
    .NumPorts(NumPorts)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .rx_i        (rx),
    .drop_valid_i(drop_valid),
    .drop_fate_i (drop_fate),
    .fate_valid_i(fate_valid),
    .fate_i      (fate),
    .tx_result_i (tx_result),
    .tx_pass_i   (tx_pass),
    .idle_i      (port_quiet),
    .port_i      (counter_port),
    .which_i     (counter_which),
    .value_o     (port_counter)
  );

endmodule
