// The in-network aggregator (NetReduce 3.1, 3.2; in a tree of racks, 3.3): a bump in the wire on
// every port of a switch.
//
// What comes in on port p and is no gradient of a known ring leaves on port p, unmodified and in
// order. Gradients are kept; when all ranks of a column are in, each connection gets the reduction,
// on the port its gradient came in on. docs/architecture.md draws the way of a packet and says who
// may wait for whom; docs/protocol.md has the rules.
module weir_aggregator
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have, one payload bank each, 1 to 16; below a parent at most 14.
  parameter int unsigned NumRanks = 6,
  /// Largest tensor part of a packet, bytes; power of two, 64 to 8192.
  parameter int unsigned SlotBytes = 1024,
  /// Slots of all rings together, 2 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, a power of two, 2 to 1,024.
  parameter int unsigned NumConns = 1024,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// 1: 16-bit types at one row a cycle (32 lanes); 0: a row every other cycle.
  parameter int unsigned WideLanes = 0,
  /// 0: workers send. 1: the device can be above others in a tree (docs/relay.md).
  parameter int unsigned Spine = 0,
  /// 1: the device can be below a parent, which adds its sums to others'; the last port leads
  /// there.
  parameter int unsigned Uplink = 0,
  /// Below a parent: connections from other leaves that it may know, 1 to NumRings; a leaf needs
  /// one a ring.
  parameter int unsigned NumRows = NumRings,
  /// Longest frame, bytes; a longer one is dropped.
  parameter int unsigned MaxFrameBytes = 9728,
  /// 1: memories that hold frames, payloads and headers correct a flipped bit in 64, and what has
  /// lost two is dropped (docs/operations.md). Not in a tree.
  parameter int unsigned Ecc = 0,
  /// Functions that are left out, a bit each (roce_pkg, "Without"). Not in a tree.
  parameter int unsigned Without = 0
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

  // Pulse: a MAC shell's watchdog found an output paused for too long (rtl/shell); 0 without one.
  input  logic [NumPorts-1:0] pause_storm_i,
  // Interrupt line: an enabled cause has come and is not cleared (IRQ_CAUSE, IRQ_ENABLE).
  output logic                irq_o,

  // Observation only: state decisions in their order, results that begin to leave, and rings that
  // close and open.
  output obs_state_t                 obs_state_o,
  output obs_result_t [NumPorts-1:0] obs_result_o,
  output obs_flush_t                 obs_flush_o
);

  // One value for all sizes, and for what follows from them.
  localparam cfg_t Cfg = make_cfg(NumPorts, NumRanks, SlotBytes, NumSlots, NumRings, NumConns,
                                  MaxWindow, WideLanes, Spine, Uplink, NumRows, MaxFrameBytes,
                                  Ecc, Without);
  localparam int unsigned UpPort = NumPorts - 1;

  agg_cfg_check #(
    .Cfg(Cfg)
  ) u_check ();

  // ---------------------------------------------------------------------------------------------
  // Registers

  ring_t       [NumRings-1:0] rings;
  logic        [NumPorts-1:0] down;
  core_setup_t                setup;
  relay_ring_t [NumRings-1:0] relays;
  command_req_t               command;
  command_rsp_t               command_done;
  // Of the core's memories only where they are corrected.
  /* verilator lint_off UNUSEDSIGNAL */
  core_events_t               core_events;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                       memory_bad;   // a memory has lost a word
  logic [PortW-1:0]           counter_port;
  logic [5:0]                 counter_which;
  logic [47:0]                counter_value, port_counter, device_counter, link_counter;

  weir_control #(
    .Cfg(Cfg)
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
    .open_o          (setup.open[NumPorts-1:0]),
    .epoch_o         (setup.epoch),
    .down_o          (down),
    .age_limit_o     (setup.age_limit),
    .relays_o        (relays),
    .self_o          (setup.self),
    .command_o       (command),
    .command_i       (command_done),
    .counter_port_o  (counter_port),
    .counter_which_o (counter_which),
    .counter_value_i (counter_value),
    .ring_event_i    (core_events.ring),
    .pause_storm_i,
    .memory_bad_i    (memory_bad),
    .irq_o
  );
  if (NumPorts < MaxPorts) begin : gen_no_port
    assign setup.open[MaxPorts-1:NumPorts] = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Ports

  lookup_req_t   [NumPorts-1:0] lookup;
  logic          [NumPorts-1:0] lookup_ready;
  decide_rsp_t                  verdict;
  bank_req_t     [NumPorts-1:0] bank;
  logic          [NumPorts-1:0] grant;
  lock_t                        lock;
  commit_req_t   [NumPorts-1:0] commit;
  logic          [NumPorts-1:0] commit_ready;
  result_t       [NumPorts-1:0] result;
  credit_t       [NumPorts-1:0] credit;
  obs_core_t                    obs;
  // Only a tree has something to say.
  /* verilator lint_off UNUSEDSIGNAL */
  relay_status_t                relay;
  /* verilator lint_on UNUSEDSIGNAL */

  logic          [NumPorts-1:0] rx, drop_valid, fate_valid, tx_pass, tx_result, unsent, quiet;
  // Only of corrected memories.
  /* verilator lint_off UNUSEDSIGNAL */
  logic          [NumPorts-1:0] spoiled, dropped;
  ecc_t          [NumPorts-1:0] mem_ingress, mem_egress, mem_pass;
  /* verilator lint_on UNUSEDSIGNAL */
  fate_e         [NumPorts-1:0] drop_fate, fate;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    axis_t        m_axis;
    decide_rsp_t  of_port;
    port_events_t events;
    obs_result_t  obs_result;

    assign of_port.valid   = verdict.valid && verdict.verdict.port == PortW'(p);
    assign of_port.verdict = verdict.verdict;

    agg_port_path #(
      .Cfg  (Cfg),
      .Notes((p == UpPort) ? Uplink : 0)
    ) u_path (
      .clk_i,
      .rst_ni,
      .setup_i       ('{port: PortW'(p), notes: relay.ask.of_leaf, epoch: setup.epoch,
                        down: down[p]}),
      .s_axis_i      ('{valid: s_axis_tvalid[p], data: s_axis_tdata[p], keep: s_axis_tkeep[p],
                        last: s_axis_tlast[p], user: s_axis_tuser[p]}),
      .s_axis_ready_o(s_axis_tready[p]),
      .m_axis_o      (m_axis),
      .m_axis_ready_i(m_axis_tready[p]),
      .lookup_o      (lookup[p]),
      .lookup_ready_i(lookup_ready[p]),
      .verdict_i     (of_port),
      .bank_o        (bank[p]),
      .grant_i       (grant[p]),
      .lock_i        (lock),
      .commit_o      (commit[p]),
      .commit_ready_i(commit_ready[p]),
      .result_i      (result[p]),
      .credit_o      (credit[p]),
      .events_o      (events),
      .obs_o         (obs_result)
    );
    assign obs_result_o[p] = Without[WithoutObservation] ? '0 : obs_result;

    assign m_axis_tvalid[p] = m_axis.valid;
    assign m_axis_tdata[p]  = m_axis.data;
    assign m_axis_tkeep[p]  = m_axis.keep;
    assign m_axis_tlast[p]  = m_axis.last;
    assign m_axis_tuser[p]  = m_axis.user;

    assign rx[p]         = events.rx;
    assign drop_valid[p] = events.drop_valid;
    assign drop_fate[p]  = events.drop_fate;
    assign fate_valid[p] = events.fate_valid;
    assign fate[p]       = events.fate;
    assign tx_pass[p]    = events.tx_pass;
    assign tx_result[p]  = events.tx_result;
    assign unsent[p]     = events.unsent;
    assign quiet[p]      = events.quiet;
    assign spoiled[p]     = events.spoiled;
    assign dropped[p]     = events.dropped;
    assign mem_ingress[p] = events.ingress;
    assign mem_egress[p]  = events.egress;
    assign mem_pass[p]    = events.pass;
  end

  // ---------------------------------------------------------------------------------------------
  // What is between them

  agg_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .rings_i       (rings),
    .relays_i      (relays),
    .setup_i       (setup),
    .command_i     (command),
    .command_o     (command_done),
    .lookup_i      (lookup),
    .lookup_ready_o(lookup_ready),
    .verdict_o     (verdict),
    .bank_i        (bank),
    .grant_o       (grant),
    .commit_i      (commit),
    .commit_ready_o(commit_ready),
    .lock_o        (lock),
    .result_o      (result),
    .credit_i      (credit),
    .events_o      (core_events),
    .relay_o       (relay),
    .obs_o         (obs)
  );
  assign obs_state_o = Without[WithoutObservation] ? '0 : obs.state;
  assign obs_flush_o = Without[WithoutObservation] ? '0 : obs.flush;

  // ---------------------------------------------------------------------------------------------
  // Counters

  weir_counters #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc),
    .Bits    (Without[WithoutWideCounters] ? 32 : 48)
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
    .idle_i      (quiet),
    .port_i      (counter_port),
    .which_i     (counter_which[4:0]),
    .value_o     (port_counter)
  );

  if (Ecc == 0) begin : gen_no_memory
    assign memory_bad = 1'b0;
  end

  if (Uplink != 0) begin : gen_relay_counters
    relay_counters u_counters (
      .clk_i,
      .rst_ni,
      .asks_i (relay.ask.events),
      .takes_i(relay.takes),
      .which_i(counter_which[4:0]),
      .value_i(port_counter),
      .value_o(device_counter)
    );
  end else if (Ecc != 0) begin : gen_memory
    logic [47:0] memory_value;

    weir_memory #(
      .NumPorts(NumPorts)
    ) u_memory (
      .clk_i,
      .rst_ni,
      .rows_i   (core_events.memory.rows),
      .headers_i(core_events.memory.headers),
      .slots_i  (core_events.memory.slots),
      .conns_i  (core_events.memory.conns),
      .messages_i(core_events.memory.messages),
      .ingress_i(mem_ingress),
      .egress_i (mem_egress),
      .pass_i   (mem_pass),
      .spoiled_i(spoiled),
      .dropped_i(dropped),
      .bad_o    (memory_bad),
      .index_i  (counter_port),
      .which_i  (counter_which[4:0]),
      .value_o  (memory_value)
    );
    // At most one of them knows the number.
    assign device_counter = port_counter | memory_value;
  end else begin : gen_port_counters
    assign device_counter = port_counter;
  end

  weir_links #(
    .NumPorts(NumPorts)
  ) u_links (
    .clk_i,
    .rst_ni,
    .lost_i (unsent),
    .port_i (counter_port),
    .which_i(counter_which[4:0]),
    .value_o(link_counter)
  );
  assign counter_value = counter_which[5] ? link_counter : device_counter;

endmodule
