// weir_control: which wire goes where between registers, rings, connections, counters and who
// watches rings; what registers of a ring show when it is selected; how a counter is read; and
// interrupts (rtl/csr/weir_csr.rdl).
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module control_wires_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is above others, and below one.
  parameter int unsigned Tree = 0,
  parameter int unsigned Ecc = 1,
  parameter int unsigned Without = 1029,
  localparam cfg_t Cfg = make_cfg(3, 2, 64, 16, 3, 4, 1, 0, Tree, Tree, 2, 9216, Ecc, Without)
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
  input command_rsp_t            command_i,
  input logic [47:0]             counter_value_i,
  input ring_event_t             ring_event_i,
  input logic [Cfg.NumPorts-1:0] pause_storm_i,
  input logic                    memory_bad_i
);

  logic                            awready, wready, bvalid, arready, rvalid, irq;
  logic [1:0]                      bresp, rresp;
  logic [31:0]                     rdata, age_limit;
  ring_t       [Cfg.NumRings-1:0]  rings;
  relay_ring_t [Cfg.NumRings-1:0]  relays;
  relay_self_t                     self;
  logic [Cfg.NumPorts-1:0]         opened, down;
  logic [7:0]                      epoch;
  command_req_t                    command;
  logic [PortW-1:0]                counter_port;
  logic [5:0]                      counter_which;

  weir_control #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready (awready),
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready  (wready),
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid  (bvalid),
    .s_axil_bready,
    .s_axil_bresp   (bresp),
    .s_axil_arvalid,
    .s_axil_arready (arready),
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid  (rvalid),
    .s_axil_rready,
    .s_axil_rdata   (rdata),
    .s_axil_rresp   (rresp),
    .rings_o        (rings),
    .relays_o       (relays),
    .self_o         (self),
    .open_o         (opened),
    .epoch_o        (epoch),
    .down_o         (down),
    .age_limit_o    (age_limit),
    .command_o      (command),
    .command_i,
    .counter_port_o (counter_port),
    .counter_which_o(counter_which),
    .counter_value_i,
    .ring_event_i,
    .pause_storm_i,
    .memory_bad_i,
    .irq_o          (irq)
  );

  weir_csr_pkg::weir_csr__out_t csr;
  weir_csr_pkg::weir_csr__in_t  says;
  ring_t                        staged, chosen;
  assign csr    = u_dut.u_csr.hwif_out;
  assign says   = u_dut.u_csr.hwif_in;
  assign staged = u_dut.u_rings.staged_i;

  // ---------------------------------------------------------------------------------------------
  // As it was a cycle ago.

  logic                    past_q, past2_q, alive_q, selects_q, raised_q, full_q;
  logic [Cfg.NumRings-1:0] stalled_q;
  logic [47:0]             count_q, count_now;
  logic [15:0]             high_q;
  logic [7:0]              writes_q;
  initial {past_q, past2_q} = '0;
  always_comb begin
    // The counter that is named: of a ring one of 32, of a port that there may be one of 64.
    count_now = '0;
    if (csr.COUNTER_SELECT.ring.value) begin
      if (csr.COUNTER_SELECT.which.value < 6'd32) count_now = u_dut.u_ring_counters.value_o;
    end else if (csr.COUNTER_SELECT.port.value < 5'd16) begin
      count_now = counter_value_i;
    end
    // The ring that is named, nothing of one that there is not.
    chosen = '0;
    if (csr.RING_SELECT.index.value < 5'(Cfg.NumRings)) begin
      chosen = u_dut.u_rings.rings_o[csr.RING_SELECT.index.value[1:0]];
    end
  end
  always_ff @(posedge clk_i) begin
    {past_q, past2_q} <= {1'b1, past_q};
    alive_q   <= rst_ni;
    selects_q <= rst_ni && csr.RING_SELECT.index.swmod;
    raised_q  <= rst_ni && ((csr.IRQ_ENABLE.causes.value[0] && csr.IRQ_CAUSE.table_full.value) ||
        (csr.IRQ_ENABLE.causes.value[1] && csr.IRQ_CAUSE.stall.value) ||
        (csr.IRQ_ENABLE.causes.value[2] && csr.IRQ_CAUSE.memory.value) ||
        (csr.IRQ_ENABLE.causes.value[3] && csr.IRQ_CAUSE.pause_storm.value));
    full_q    <= rst_ni && ring_event_i.decided && ring_event_i.fate == FateTableFull;
    stalled_q <= rst_ni ? u_dut.u_watch.stalled_o : '0;
    count_q   <= count_now;
    // The high bits of the value whose low ones are read.
    high_q    <= says.COUNTER_HIGH.value.next;
    if (csr.COUNTER_LOW.value.swacc) high_q <= u_dut.counter_value[47:32];
    if (!rst_ni) high_q <= '0;
    writes_q  <= {csr.RELAY_SELF_IP.req, csr.RELAY_SELF_MAC_LOW.req, csr.RELAY_SELF_MAC_HIGH.req,
                  csr.RELAY_PARENT_IP.req, csr.RELAY_PARENT_MAC_LOW.req,
                  csr.RELAY_PARENT_MAC_HIGH.req, csr.RELAY_PLACE.req, csr.RELAY_ROLE.req};
    if (!rst_ni) writes_q <= '0;
  end

  logic placed;   // what a device in a tree has beside

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_csr.rst_n, u_dut.u_rings.rst_ni, u_dut.u_claims.rst_ni,
                       u_dut.u_ring_counters.rst_ni, u_dut.u_watch.rst_ni} == {5{rst_ni}})
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

    // What registers say of the device is in force at once.
    a_device : assert (epoch == csr.EPOCH.epoch.value && age_limit == csr.AGE_LIMIT.limit.value &&
                       down == csr.PORT_DOWN.ports.value[2:0] &&
                       opened == csr.PORT_OPEN.ports.value[2:0])
    else $error("another device");
    // A ring is stored, flushed, released and drained by commands, as it was written; one that
    // aggregates drops nothing.
    a_commands : assert ({u_dut.u_rings.store_i, u_dut.u_rings.flush_i, u_dut.u_rings.release_i,
                          u_dut.u_rings.drain_i, u_dut.u_rings.reset_i, u_dut.u_rings.index_i} ==
                         {csr.RING_COMMAND.store.value, csr.RING_COMMAND.flush.value,
                          csr.RING_COMMAND.release_.value, csr.RING_COMMAND.drain.value,
                          csr.DEVICE_COMMAND.soft_reset.value, csr.RING_SELECT.index.value})
    else $error("another command");
    a_staged : assert (staged.enable == csr.RING_SHAPE.enable.value &&
                       staged.drop == (!staged.enable && csr.RING_SHAPE.drop.value) &&
                       staged.learn == csr.RING_SHAPE.learn.value &&
                       staged.id == csr.RING_ID.id.value &&
                       staged.workers == csr.RING_SHAPE.workers.value &&
                       staged.window_log2 == csr.RING_SHAPE.window_log2.value &&
                       staged.stride == csr.RING_REGION.stride.value &&
                       staged.base == csr.RING_REGION.base.value)
    else $error("another ring is stored");
    // What the rings are is what is in force, and so is what is to be flushed.
    a_rings : assert (rings == u_dut.u_rings.rings_o &&
                      {command.flush_valid, command.flush_ring, command.flush_release,
                       command.flush_slots} ==
                      {u_dut.u_rings.flush_valid_o, u_dut.u_rings.flush_ring_o,
                       u_dut.u_rings.flush_release_o, u_dut.u_rings.flush_slots_o} &&
                      u_dut.u_rings.flush_ready_i == command_i.flush_ready &&
                      u_dut.u_rings.owing_i == u_dut.u_watch.owing_o)
    else $error("another ring");
    // A command's state and error can be read.
    a_error : assert (says.RING_COMMAND.busy.next == u_dut.u_rings.busy_o &&
                      says.RING_COMMAND.why.next == u_dut.u_rings.error_o &&
                      says.RING_COMMAND.error.next == (u_dut.u_rings.error_o != RingFine))
    else $error("another error");
    // A ring that is selected is shown in its registers, a cycle behind the write.
    a_selects : assert (!past_q || {says.RING_ID.id.we, says.RING_SHAPE.workers.we,
        says.RING_SHAPE.window_log2.we, says.RING_SHAPE.learn.we, says.RING_SHAPE.enable.we,
        says.RING_SHAPE.drop.we, says.RING_REGION.base.we, says.RING_REGION.stride.we,
        u_dut.u_watch.ring_new_i} == {9{selects_q}})
    else $error("selects %b", selects_q);
    a_shown : assert ({says.RING_SHAPE.enable.next, says.RING_SHAPE.drop.next,
                       says.RING_SHAPE.learn.next, says.RING_ID.id.next,
                       says.RING_SHAPE.workers.next, says.RING_SHAPE.window_log2.next,
                       says.RING_REGION.stride.next, says.RING_REGION.base.next} == chosen)
    else $error("another ring is shown");

    // Connections that software registers go to the table, as it answers.
    a_claims : assert (u_dut.u_claims.csr_i == csr &&
                       {command.set_valid, command.conn} ==
                       {u_dut.u_claims.valid_o, u_dut.u_claims.conn_o} &&
                       {u_dut.u_claims.ready_i, u_dut.u_claims.error_i} ==
                       {command_i.set_ready, command_i.set_error})
    else $error("another connection");
    // The entry of a new one is shown, and how many there are.
    a_claimed : assert (says.CONN_COMMAND.busy.next == u_dut.u_claims.busy_o &&
                        says.CONN_COMMAND.error.next == u_dut.u_claims.error_o &&
                        says.CONN_SELECT.index.we == u_dut.u_claims.registers_o &&
                        says.CONN_SELECT.index.next == command_i.set_index &&
                        says.CONN_COUNT.used.next == 16'(command_i.conns.used) &&
                        says.CONN_COUNT.retired.next == 16'(command_i.conns.retired))
    else $error("another entry");

    // Counters of rings hear what is done for them, and when one begins.
    a_counts : assert (u_dut.u_ring_counters.event_i == ring_event_i &&
                       u_dut.u_ring_counters.begins_i == u_dut.u_rings.begins_o &&
                       u_dut.u_ring_counters.begins_ring_i == u_dut.u_rings.stored_ring_o)
    else $error("another event");
    // All counters are asked for the one that is named.
    a_named : assert ({counter_port, counter_which} ==
                      {csr.COUNTER_SELECT.port.value[PortW-1:0],
                       csr.COUNTER_SELECT.which.value} &&
                      u_dut.u_ring_counters.ring_i == csr.COUNTER_SELECT.port.value &&
                      u_dut.u_ring_counters.which_i == csr.COUNTER_SELECT.which.value[4:0])
    else $error("another counter");
    // Its value is there a cycle later, its high bits as they were when the low ones were read.
    a_counter : assert (!past_q || (u_dut.counter_value == count_q &&
                                    says.COUNTER_LOW.value.next == count_q[31:0] &&
                                    says.COUNTER_HIGH.value.next == high_q))
    else $error("another value");

    // Who watches rings hears the same, and of flushes that are done.
    a_watch : assert (u_dut.u_watch.event_i == ring_event_i &&
                      u_dut.u_watch.flushed_i == (command.flush_valid && command_i.flush_ready) &&
                      u_dut.u_watch.flushed_ring_i == command.flush_ring &&
                      u_dut.u_watch.ring_i == csr.RING_SELECT.index.value &&
                      u_dut.u_watch.limit_i == csr.STALL_LIMIT.limit.value)
    else $error("another event is watched");
    // Software reads how rings stand, and whom the selected one waits for; a parent apart.
    a_stands : assert (says.RING_STALLS.rings.next == 32'(u_dut.u_watch.stalled_o) &&
                       says.TABLE_COLUMNS.columns.next == 16'(u_dut.u_watch.columns_o) &&
                       says.RING_WAITS.known.next == u_dut.u_watch.known_o &&
                       says.RING_WAITS.ranks.next == 16'(u_dut.u_watch.ranks_o[1:0]) &&
                       says.RING_WAITS.parent.next ==
                       (Tree == 0 ? 1'b0 : u_dut.u_watch.ranks_o[2]) &&
                       says.RING_QUIET.units.next == u_dut.u_watch.since_o)
    else $error("another ring waits");

    // Causes of interrupts: the table was full, a cycle ago; a ring stalls that did not; a memory;
    // a pause.
    a_causes : assert (!past_q || (says.IRQ_CAUSE.table_full.hwset == full_q &&
                       says.IRQ_CAUSE.stall.hwset ==
                       ((u_dut.u_watch.stalled_o & ~stalled_q) != '0) &&
                       says.IRQ_CAUSE.memory.hwset == memory_bad_i &&
                       says.IRQ_CAUSE.pause_storm.hwset == (pause_storm_i != '0)))
    else $error("another cause");
    // The line is up while one that is enabled is not cleared.
    a_irq : assert (!past_q || irq == raised_q)
    else $error("irq %b", irq);

    // Registers of a tree are taken, each in the cycle behind its write.
    a_taken : assert (!past_q || {says.RELAY_SELF_IP.wr_ack, says.RELAY_SELF_MAC_LOW.wr_ack,
        says.RELAY_SELF_MAC_HIGH.wr_ack, says.RELAY_PARENT_IP.wr_ack,
        says.RELAY_PARENT_MAC_LOW.wr_ack, says.RELAY_PARENT_MAC_HIGH.wr_ack,
        says.RELAY_PLACE.wr_ack, says.RELAY_ROLE.wr_ack} == writes_q)
    else $error("writes %b", writes_q);
    // In a tree they have a meaning, else none.
    a_placed : assert (placed)
    else $error("another place");
    // Registers say what was built, ...
    a_shape : assert (says.CAP_SHAPE.ports.next == 8'd3 && says.CAP_SHAPE.ranks.next == 8'd2 &&
                      says.CAP_SHAPE.rings.next == 8'd3 && says.CAP_SHAPE.max_window.next == 8'd1 &&
                      says.CAP_MEMORY.slots.next == 16'd16 &&
                      says.CAP_MEMORY.slot_bytes.next == 16'd64 &&
                      says.CAP_CONNS.conns.next == 16'd4 && !says.CAP_CONNS.wide_lanes.next &&
                      says.CAP_CONNS.uplink.next == (Tree == 1) &&
                      says.CAP_CONNS.spine.next == (Tree == 1) &&
                      says.CAP_CONNS.ecc.next == (Ecc == 1) &&
                      says.CAP_CONNS.rows.next == (Tree == 1 ? 8'd2 : 8'd0))
    else $error("another device was built");
    // ... and what was not.
    a_without : assert ({says.CAP_WITHOUT.observation.next, says.CAP_WITHOUT.wide_counters.next,
                         says.CAP_WITHOUT.learning.next, says.CAP_WITHOUT.min_max.next,
                         says.CAP_WITHOUT.int32.next, says.CAP_WITHOUT.bf16.next,
                         says.CAP_WITHOUT.fp16.next, says.CAP_WITHOUT.fp32.next,
                         says.CAP_WITHOUT.vlan.next, says.CAP_WITHOUT.ipv6.next,
                         says.CAP_WITHOUT.icrc_check.next} == 11'(Without))
    else $error("something else was left out");

    // The ring that is selected stalls; a counter of a ring is read.
    c_stalls : cover (past_q && alive_q && says.IRQ_CAUSE.stall.hwset && selects_q);
    c_ring : cover (past2_q && alive_q && csr.COUNTER_LOW.value.swacc && count_q[47:32] != '0);
  end

  if (Tree != 0) begin : gen_tree
    assign placed = u_dut.gen_places.u_places.rst_ni == rst_ni &&
        u_dut.gen_places.u_places.csr_i == csr &&
        u_dut.gen_places.u_places.store_i == u_dut.u_rings.stored_o &&
        u_dut.gen_places.u_places.ring_i == u_dut.u_rings.stored_ring_o &&
        relays == u_dut.gen_places.u_places.relays_o &&
        self == u_dut.gen_places.u_places.self_o;
  end else begin : gen_rack
    assign placed = {relays, self} == '0;
  end

endmodule
