// weir_aggregator: which wire goes where between registers, ports, core and counters, for any size
// of the device that is proved (docs/architecture.md).
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module aggregator_wires_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is above others, and below one.
  parameter int unsigned Tree = 0,
  /// 1: memories are coded.
  parameter int unsigned Ecc = 1,
  /// Functions that are left out.
  parameter int unsigned Without = 0,
  localparam int unsigned NumPorts = 3,
  localparam int unsigned NumRings = 2
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic [NumPorts-1:0]                 s_axis_tvalid,
  input logic [NumPorts-1:0][BeatBits-1:0]   s_axis_tdata,
  input logic [NumPorts-1:0][BeatBytes-1:0]  s_axis_tkeep,
  input logic [NumPorts-1:0]                 s_axis_tlast,
  input logic [NumPorts-1:0]                 s_axis_tuser,
  input logic [NumPorts-1:0]                 m_axis_tready,
  input logic                                s_axil_awvalid,
  input logic [11:0]                         s_axil_awaddr,
  input logic [2:0]                          s_axil_awprot,
  input logic                                s_axil_wvalid,
  input logic [31:0]                         s_axil_wdata,
  input logic [3:0]                          s_axil_wstrb,
  input logic                                s_axil_bready,
  input logic                                s_axil_arvalid,
  input logic [11:0]                         s_axil_araddr,
  input logic [2:0]                          s_axil_arprot,
  input logic                                s_axil_rready,
  input logic [NumPorts-1:0]                 pause_storm_i
);

  logic                               awready, wready, bvalid, arready, rvalid, irq;
  logic [1:0]                         bresp, rresp;
  logic [31:0]                        rdata;
  logic [NumPorts-1:0]                s_ready, m_valid, m_last, m_user;
  logic [NumPorts-1:0][BeatBits-1:0]  m_data;
  logic [NumPorts-1:0][BeatBytes-1:0] m_keep;
  obs_state_t                         obs_state;
  obs_result_t [NumPorts-1:0]         obs_result;
  obs_flush_t                         obs_flush;

  weir_aggregator #(
    .NumPorts     (NumPorts),
    .NumRanks     (2),
    .SlotBytes    (64),
    .NumSlots     (8),
    .NumRings     (NumRings),
    .NumConns     (4),
    .MaxWindow    (1),
    .Spine        (Tree),
    .Uplink       (Tree),
    .NumRows      (2),
    .MaxFrameBytes(9216),
    .Ecc          (Ecc),
    .Without      (Without)
  ) u_dut (
    .clk_i,
    .rst_ni,
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
    .pause_storm_i,
    .irq_o         (irq),
    .obs_state_o   (obs_state),
    .obs_result_o  (obs_result),
    .obs_flush_o   (obs_flush)
  );

  localparam bit Watched = (Without & (1 << WithoutObservation)) == 0;

  decide_rsp_t   verdict;
  core_events_t  events;
  relay_status_t relay;
  assign verdict = u_dut.u_core.verdict_o;
  assign events  = u_dut.u_core.events_o;
  assign relay   = u_dut.u_core.relay_o;

  // ---------------------------------------------------------------------------------------------
  // Ports.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    port_setup_t  setup;
    axis_t        came, leaves;
    port_events_t says;
    assign setup  = u_dut.gen_port[p].u_path.setup_i;
    assign came   = u_dut.gen_port[p].u_path.s_axis_i;
    assign leaves = u_dut.gen_port[p].u_path.m_axis_o;
    assign says   = u_dut.gen_port[p].u_path.events_o;

    always_ff @(posedge clk_i) begin
      // A port's path has its frames, and those that leave are its own.
      a_frames : assert (u_dut.gen_port[p].u_path.rst_ni == rst_ni &&
                         {came.valid, came.data, came.keep, came.last, came.user} ==
                         {s_axis_tvalid[p], s_axis_tdata[p], s_axis_tkeep[p], s_axis_tlast[p],
                          s_axis_tuser[p]} &&
                         s_ready[p] == u_dut.gen_port[p].u_path.s_axis_ready_o)
      else $error("port %0d", p);
      a_leaves : assert ({leaves.valid, leaves.data, leaves.keep, leaves.last, leaves.user} ==
                         {m_valid[p], m_data[p], m_keep[p], m_last[p], m_user[p]} &&
                         u_dut.gen_port[p].u_path.m_axis_ready_i == m_axis_tready[p])
      else $error("port %0d", p);
      // It knows its number, and what registers say of it; and whether the device is a leaf.
      a_setup : assert (32'(setup.port) == p && setup.notes == relay.ask.of_leaf &&
                        setup.epoch == u_dut.u_control.epoch_o &&
                        setup.down == u_dut.u_control.down_o[p])
      else $error("port %0d", p);
      // It asks the core, and hears verdicts of its own packets alone.
      a_asks : assert (u_dut.u_core.lookup_i[p] == u_dut.gen_port[p].u_path.lookup_o &&
                       u_dut.gen_port[p].u_path.lookup_ready_i == u_dut.u_core.lookup_ready_o[p])
      else $error("port %0d", p);
      a_verdict : assert (
          u_dut.gen_port[p].u_path.verdict_i.verdict == verdict.verdict &&
          u_dut.gen_port[p].u_path.verdict_i.valid ==
          (verdict.valid && 32'(verdict.verdict.port) == p))
      else $error("port %0d", p);
      // It wants banks, is granted them, and hears which slot is locked.
      a_bank : assert (u_dut.u_core.bank_i[p] == u_dut.gen_port[p].u_path.bank_o &&
                       u_dut.gen_port[p].u_path.grant_i == u_dut.u_core.grant_o[p] &&
                       u_dut.gen_port[p].u_path.lock_i == u_dut.u_core.lock_o)
      else $error("port %0d", p);
      // It commits.
      a_commit : assert (u_dut.u_core.commit_i[p] == u_dut.gen_port[p].u_path.commit_o &&
                         u_dut.gen_port[p].u_path.commit_ready_i == u_dut.u_core.commit_ready_o[p])
      else $error("port %0d", p);
      // It gets results, and has credits for them.
      a_result : assert (u_dut.gen_port[p].u_path.result_i == u_dut.u_core.result_o[p] &&
                         u_dut.u_core.credit_i[p] == u_dut.gen_port[p].u_path.credit_o)
      else $error("port %0d", p);
      // Its events are counted as its own.
      a_events : assert (
          u_dut.u_counters.rx_i[p] == says.rx &&
          u_dut.u_counters.drop_valid_i[p] == says.drop_valid &&
          u_dut.u_counters.drop_fate_i[p] == says.drop_fate &&
          u_dut.u_counters.fate_valid_i[p] == says.fate_valid &&
          u_dut.u_counters.fate_i[p] == says.fate &&
          u_dut.u_counters.tx_result_i[p] == says.tx_result &&
          u_dut.u_counters.tx_pass_i[p] == says.tx_pass &&
          u_dut.u_counters.idle_i[p] == says.quiet && u_dut.u_links.lost_i[p] == says.unsent)
      else $error("port %0d", p);
      // Who watches sees its results.
      a_watched : assert (obs_result[p] == (Watched ? u_dut.gen_port[p].u_path.obs_o : '0))
      else $error("port %0d", p);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Registers, core and counters.

  logic [47:0] others;   // the value of a counter that is no link's
  core_setup_t told;
  assign told = u_dut.u_core.setup_i;

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_control.rst_ni, u_dut.u_core.rst_ni, u_dut.u_counters.rst_ni,
                       u_dut.u_links.rst_ni} == {4{rst_ni}})
    else $error("reset");
    // Software writes and reads registers.
    a_registers : assert (
        {u_dut.u_control.s_axil_awvalid, u_dut.u_control.s_axil_awaddr,
         u_dut.u_control.s_axil_awprot, u_dut.u_control.s_axil_wvalid,
         u_dut.u_control.s_axil_wdata, u_dut.u_control.s_axil_wstrb,
         u_dut.u_control.s_axil_bready, u_dut.u_control.s_axil_arvalid,
         u_dut.u_control.s_axil_araddr, u_dut.u_control.s_axil_arprot,
         u_dut.u_control.s_axil_rready} ==
        {s_axil_awvalid, s_axil_awaddr, s_axil_awprot, s_axil_wvalid, s_axil_wdata, s_axil_wstrb,
         s_axil_bready, s_axil_arvalid, s_axil_araddr, s_axil_arprot, s_axil_rready})
    else $error("another access");
    a_answers : assert ({awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp, irq} ==
        {u_dut.u_control.s_axil_awready, u_dut.u_control.s_axil_wready,
         u_dut.u_control.s_axil_bvalid, u_dut.u_control.s_axil_bresp,
         u_dut.u_control.s_axil_arready, u_dut.u_control.s_axil_rvalid,
         u_dut.u_control.s_axil_rdata, u_dut.u_control.s_axil_rresp, u_dut.u_control.irq_o})
    else $error("another answer");
    // The core knows rings, and what registers say of ports that there are; others are closed.
    a_setup : assert (u_dut.u_core.rings_i == u_dut.u_control.rings_o &&
                      u_dut.u_core.relays_i == u_dut.u_control.relays_o &&
                      told.open == MaxPorts'(u_dut.u_control.open_o) &&
                      told.age_limit == u_dut.u_control.age_limit_o &&
                      told.epoch == u_dut.u_control.epoch_o &&
                      told.self == u_dut.u_control.self_o)
    else $error("another set-up");
    // It does what software wants, and says so; what it does for rings is counted.
    a_command : assert (u_dut.u_core.command_i == u_dut.u_control.command_o &&
                        u_dut.u_control.command_i == u_dut.u_core.command_o &&
                        u_dut.u_control.ring_event_i == events.ring)
    else $error("another command");
    // Causes of interrupts come from the shell, and from memories where they are coded.
    a_causes : assert (u_dut.u_control.pause_storm_i == pause_storm_i &&
                       (Ecc != 0 || !u_dut.u_control.memory_bad_i))
    else $error("another cause");
    // All counters are asked for the one that registers name; from 32 on it is a link's.
    a_asks : assert (
        {u_dut.u_counters.port_i, u_dut.u_links.port_i} == {2{u_dut.u_control.counter_port_o}} &&
        {u_dut.u_counters.which_i, u_dut.u_links.which_i} ==
        {2{u_dut.u_control.counter_which_o[4:0]}})
    else $error("another counter");
    a_value : assert (u_dut.u_control.counter_value_i ==
                      (u_dut.u_control.counter_which_o < 6'd32 ? others : u_dut.u_links.value_o))
    else $error("another value");
    // Who watches sees decisions, and rings that close and open.
    a_watched : assert ({obs_state, obs_flush} == (Watched ? u_dut.u_core.obs_o : '0))
    else $error("another decision");

    // A verdict is of the last port, while another one asks.
    c_verdict : cover (rst_ni && verdict.valid && 32'(verdict.verdict.port) == NumPorts - 1 &&
                       u_dut.gen_port[0].u_path.lookup_o.valid);
  end

  // What there is in a tree only, and of coded memories only.
  logic                relay_hears, relay_asked, core_found, memory_asked;
  logic [NumPorts-1:0] port_found;

  always_ff @(posedge clk_i) begin
    // Behind the counters of ports are those of a tree, which hear of the core's filters; ...
    a_relay : assert (relay_hears)
    else $error("other events of a tree");
    // ... they are asked, too, and let through what ports have counted.
    a_through : assert (relay_asked)
    else $error("another counter of a tree");
    // What memories of the core have found is counted, and raises an interrupt.
    a_core : assert (core_found)
    else $error("another memory");
    // It is read beside the counters of ports.
    a_memory : assert (memory_asked)
    else $error("another counter of memories");
    // So is what the memories of each port have found, and what became of its results.
    a_found : assert (port_found == '1)
    else $error("ports %b", ~port_found);
  end

  if (Tree != 0) begin : gen_tree
    assign others      = u_dut.gen_relay_counters.u_counters.value_o;
    assign relay_hears = u_dut.gen_relay_counters.u_counters.rst_ni == rst_ni &&
        u_dut.gen_relay_counters.u_counters.asks_i == relay.ask.events &&
        u_dut.gen_relay_counters.u_counters.takes_i == relay.takes;
    assign relay_asked =
        u_dut.gen_relay_counters.u_counters.which_i == u_dut.u_control.counter_which_o[4:0] &&
        u_dut.gen_relay_counters.u_counters.value_i == u_dut.u_counters.value_o;
  end else begin : gen_no_tree
    assign {relay_hears, relay_asked} = '1;
  end

  if (Ecc != 0) begin : gen_memory
    // Those of ports and of memories have numbers of their own.
    assign others       = u_dut.u_counters.value_o | u_dut.gen_memory.u_memory.value_o;
    assign core_found   = u_dut.gen_memory.u_memory.rst_ni == rst_ni &&
        {u_dut.gen_memory.u_memory.rows_i, u_dut.gen_memory.u_memory.headers_i,
         u_dut.gen_memory.u_memory.slots_i, u_dut.gen_memory.u_memory.conns_i,
         u_dut.gen_memory.u_memory.messages_i} ==
        {events.memory.rows, events.memory.headers, events.memory.slots, events.memory.conns,
         events.memory.messages} &&
        u_dut.u_control.memory_bad_i == u_dut.gen_memory.u_memory.bad_o;
    assign memory_asked = u_dut.gen_memory.u_memory.index_i == u_dut.u_control.counter_port_o &&
        u_dut.gen_memory.u_memory.which_i == u_dut.u_control.counter_which_o[4:0];
    for (genvar p = 0; p < NumPorts; p++) begin : gen_found
      port_events_t says;
      assign says          = u_dut.gen_port[p].u_path.events_o;
      assign port_found[p] = u_dut.gen_memory.u_memory.ingress_i[p] == says.ingress &&
          u_dut.gen_memory.u_memory.egress_i[p] == says.egress &&
          u_dut.gen_memory.u_memory.pass_i[p] == says.pass &&
          u_dut.gen_memory.u_memory.spoiled_i[p] == says.spoiled &&
          u_dut.gen_memory.u_memory.dropped_i[p] == says.dropped;
    end
  end else begin : gen_no_memory
    assign {core_found, memory_asked, port_found} = '1;
    if (Tree == 0) assign others = u_dut.u_counters.value_o;
  end

endmodule
