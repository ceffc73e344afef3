// Turns the register block into what the device understands: rings (weir_rings checks and stores
// them), connections (weir_claims), flushes, counter reads.
//
// The generated block (weir_csr.sv, from weir_csr.rdl) knows registers only; all meaning is here.
// Nothing in the data path waits for this module. The other way round, a claim and a flush are held
// until the device takes them, and software sees `busy` meanwhile.
module weir_control
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes. Without Spine and Uplink it ignores the registers RELAY_.., without
  /// Uplink all but RELAY_ROLE.devices.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // AXI4-Lite, 32 bits. Addresses without a register are answered with SLVERR.
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

  // The registers of the rings, as they are in force.
  output ring_t [Cfg.NumRings-1:0] rings_o,
  // Their places in a tree, and this device's own address.
  output relay_ring_t [Cfg.NumRings-1:0] relays_o,
  output relay_self_t                self_o,
  // Ports that pass SENDs of nobody.
  output logic [Cfg.NumPorts-1:0]    open_o,
  // What results are marked with.
  output logic [7:0]                 epoch_o,
  // Ports whose link is down.
  output logic [Cfg.NumPorts-1:0]    down_o,
  // How long a learned connection may be idle; 0: for ever.
  output logic [31:0]                age_limit_o,

  // A connection to be put into the table, and a ring to be flushed: each request is held until its
  // `ready`.
  output command_req_t command_o,
  input  command_rsp_t command_i,

  // The counter that software reads: its port and number; the value follows two cycles later.
  output logic [PortW-1:0] counter_port_o,
  output logic [5:0]       counter_which_o,
  input  logic [47:0]      counter_value_i,

  // What is done for rings.
  input ring_event_t             ring_event_i,
  // Pulse: an output was paused for too long.
  input logic [Cfg.NumPorts-1:0] pause_storm_i,
  // Pulse: a memory has lost a word.
  input logic                    memory_bad_i,
  // Level: an enabled cause has come, and is not cleared.
  output logic                   irq_o
);

  weir_csr_pkg::weir_csr__in_t  csr_in;
  weir_csr_pkg::weir_csr__out_t csr;

  weir_csr u_csr (
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
  // Rings

  ring_t            staged, chosen;
  logic [RingW-1:0] ring_index;
  logic             select_q, ring_busy;
  logic [7:0]       relay_ack_q;   // this register of the tree was written in the last cycle
  ring_error_e      ring_error;
  // For places in a tree.
  /* verilator lint_off UNUSEDSIGNAL */
  logic             stored;
  /* verilator lint_on UNUSEDSIGNAL */
  logic             ring_begins;
  logic [RingW-1:0] stored_ring;
  logic [Cfg.NumRings-1:0] owing;

  assign ring_index = csr.RING_SELECT.index.value;
  assign epoch_o    = csr.EPOCH.epoch.value;
  assign down_o     = csr.PORT_DOWN.ports.value[Cfg.NumPorts-1:0];
  assign age_limit_o = csr.AGE_LIMIT.limit.value;
  assign open_o     = csr.PORT_OPEN.ports.value[Cfg.NumPorts-1:0];

  assign staged = '{
    enable: csr.RING_SHAPE.enable.value,
    drop: csr.RING_SHAPE.drop.value && !csr.RING_SHAPE.enable.value,
    learn: csr.RING_SHAPE.learn.value,
    id: csr.RING_ID.id.value,
    workers: csr.RING_SHAPE.workers.value,
    window_log2: csr.RING_SHAPE.window_log2.value,
    stride: csr.RING_REGION.stride.value,
    base: csr.RING_REGION.base.value
  };

  weir_rings #(
    .Cfg(Cfg)
  ) u_rings (
    .clk_i,
    .rst_ni,
    .store_i        (csr.RING_COMMAND.store.value),
    .flush_i        (csr.RING_COMMAND.flush.value),
    .release_i      (csr.RING_COMMAND.release_.value),
    .drain_i        (csr.RING_COMMAND.drain.value),
    .reset_i        (csr.DEVICE_COMMAND.soft_reset.value),
    .index_i        (ring_index),
    .staged_i       (staged),
    .busy_o         (ring_busy),
    .error_o        (ring_error),
    .stored_o       (stored),
    .stored_ring_o  (stored_ring),
    .begins_o       (ring_begins),
    .rings_o,
    .flush_valid_o  (command_o.flush_valid),
    .flush_ring_o   (command_o.flush_ring),
    .flush_release_o(command_o.flush_release),
    .flush_slots_o  (command_o.flush_slots),
    .flush_ready_i  (command_i.flush_ready),
    .owing_i        (owing)
  );

  always_comb begin
    chosen = '0;
    for (int unsigned r = 0; r < Cfg.NumRings; r++) begin
      if (ring_index == RingW'(r)) chosen = rings_o[r];
    end
  end

  always_ff @(posedge clk_i) begin
    // The select register holds its new value one cycle after the write.
    select_q <= csr.RING_SELECT.index.swmod;
    if (!rst_ni) select_q <= 1'b0;
  end

  if (Cfg.Uplink != 0 || Cfg.Spine != 0) begin : gen_places
    weir_places #(
      .NumRings(Cfg.NumRings),
      .Spine   (Cfg.Spine),
      .Uplink  (Cfg.Uplink)
    ) u_places (
      .clk_i,
      .rst_ni,
      .csr_i   (csr),
      .store_i (stored),
      .ring_i  (stored_ring),
      .relays_o,
      .self_o
    );
  end else begin : gen_no_places
    assign relays_o = '0;
    assign self_o = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Connections

  logic claim_busy, claim_error, claim_registers;

  weir_claims #(
    .Cfg(Cfg)
  ) u_claims (
    .clk_i,
    .rst_ni,
    .csr_i      (csr),
    .valid_o    (command_o.set_valid),
    .conn_o     (command_o.conn),
    .ready_i    (command_i.set_ready),
    .error_i    (command_i.set_error),
    .busy_o     (claim_busy),
    .error_o    (claim_error),
    .registers_o(claim_registers)
  );

  // ---------------------------------------------------------------------------------------------
  // Counters, of ports and of rings

  logic [15:0] counter_high_q;
  logic [47:0] ring_value, counter_value;

  assign counter_port_o = csr.COUNTER_SELECT.port.value[PortW-1:0];
  assign counter_which_o = csr.COUNTER_SELECT.which.value;

  weir_ring_counters #(
    .NumRings(Cfg.NumRings)
  ) u_ring_counters (
    .clk_i,
    .rst_ni,
    .event_i      (ring_event_i),
    .begins_i     (ring_begins),
    .begins_ring_i(stored_ring),
    .ring_i       (csr.COUNTER_SELECT.port.value),
    .which_i      (csr.COUNTER_SELECT.which.value[4:0]),
    .value_o      (ring_value)
  );

  always_ff @(posedge clk_i) begin
    counter_value <= csr.COUNTER_SELECT.ring.value ?
        (csr.COUNTER_SELECT.which.value[5] ? '0 : ring_value) :
        csr.COUNTER_SELECT.port.value[4] ? '0 : counter_value_i;
    if (csr.COUNTER_LOW.value.swacc) counter_high_q <= counter_value[47:32];
    if (!rst_ni) counter_high_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // What an operator watches

  localparam int unsigned ColumnsW = $clog2(Cfg.NumSlots + 1);

  logic [ColumnsW-1:0]     columns;
  logic                    waits_known, full_q;
  logic [MaxRanks-1:0]     waits_ranks;
  logic [31:0]             waits_since;
  logic [Cfg.NumRings-1:0] stalled, stalled_q;

  weir_ring_watch #(
    .NumRings(Cfg.NumRings),
    .NumRanks(Cfg.NumBanks),
    .NumSlots(Cfg.NumSlots),
    .Ecc     (Cfg.Ecc)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .event_i       (ring_event_i),
    .flushed_i     (command_o.flush_valid && command_i.flush_ready),
    .flushed_ring_i(command_o.flush_ring),
    .columns_o     (columns),
    .owing_o       (owing),
    .ring_i        (ring_index),
    .ring_new_i    (select_q),
    .known_o       (waits_known),
    .ranks_o       (waits_ranks),
    .since_o       (waits_since),
    .limit_i       (csr.STALL_LIMIT.limit.value),
    .stalled_o     (stalled)
  );

  logic [3:0] irq_causes;
  assign irq_causes = {csr.IRQ_CAUSE.pause_storm.value, csr.IRQ_CAUSE.memory.value,
                       csr.IRQ_CAUSE.stall.value, csr.IRQ_CAUSE.table_full.value};

  always_ff @(posedge clk_i) begin
    stalled_q <= stalled;
    full_q    <= ring_event_i.decided && ring_event_i.fate == FateTableFull;
    irq_o     <= (csr.IRQ_ENABLE.causes.value & irq_causes) != '0;
    if (!rst_ni) begin
      stalled_q <= '0;
      full_q    <= 1'b0;
      irq_o     <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What software reads

  always_comb begin
    csr_in = '0;
    csr_in.CAP_SHAPE.ports.next = 8'(Cfg.NumPorts);
    csr_in.CAP_SHAPE.ranks.next = 8'(Cfg.NumRanks);
    csr_in.CAP_SHAPE.rings.next = 8'(Cfg.NumRings);
    csr_in.CAP_SHAPE.max_window.next = 8'(Cfg.MaxWindow);
    csr_in.CAP_MEMORY.slots.next = 16'(Cfg.NumSlots);
    csr_in.CAP_MEMORY.slot_bytes.next = 16'(Cfg.SlotBytes);
    csr_in.CAP_CONNS.conns.next = 16'(Cfg.NumConns);
    csr_in.CAP_CONNS.wide_lanes.next = Cfg.WideLanes != 0;
    csr_in.CAP_CONNS.uplink.next = Cfg.Uplink != 0;
    csr_in.CAP_CONNS.ecc.next = Cfg.Ecc != 0;
    csr_in.CAP_CONNS.spine.next = Cfg.Spine != 0;
    csr_in.CAP_WITHOUT.icrc_check.next = Cfg.Without[WithoutIcrcCheck];
    csr_in.CAP_WITHOUT.ipv6.next = Cfg.Without[WithoutIpv6];
    csr_in.CAP_WITHOUT.vlan.next = Cfg.Without[WithoutVlan];
    csr_in.CAP_WITHOUT.fp32.next = Cfg.Without[WithoutFp32];
    csr_in.CAP_WITHOUT.fp16.next = Cfg.Without[WithoutFp16];
    csr_in.CAP_WITHOUT.bf16.next = Cfg.Without[WithoutBf16];
    csr_in.CAP_WITHOUT.int32.next = Cfg.Without[WithoutInt32];
    csr_in.CAP_WITHOUT.min_max.next = Cfg.Without[WithoutMinMax];
    csr_in.CAP_WITHOUT.learning.next = Cfg.Without[WithoutLearning];
    csr_in.CAP_WITHOUT.wide_counters.next = Cfg.Without[WithoutWideCounters];
    csr_in.CAP_WITHOUT.observation.next = Cfg.Without[WithoutObservation];
    csr_in.CAP_CONNS.rows.next = (Cfg.Uplink != 0) ? 8'(Cfg.NumRows) : '0;

    csr_in.RING_ID.id.we = select_q;
    csr_in.RING_ID.id.next = chosen.id;
    csr_in.RING_SHAPE.workers.we = select_q;
    csr_in.RING_SHAPE.workers.next = chosen.workers;
    csr_in.RING_SHAPE.window_log2.we = select_q;
    csr_in.RING_SHAPE.window_log2.next = chosen.window_log2;
    csr_in.RING_SHAPE.learn.we = select_q;
    csr_in.RING_SHAPE.learn.next = chosen.learn;
    csr_in.RING_SHAPE.enable.we = select_q;
    csr_in.RING_SHAPE.enable.next = chosen.enable;
    csr_in.RING_REGION.base.we = select_q;
    csr_in.RING_REGION.base.next = chosen.base;
    csr_in.RING_REGION.stride.we = select_q;
    csr_in.RING_REGION.stride.next = chosen.stride;
    csr_in.RING_SHAPE.drop.we = select_q;
    csr_in.RING_SHAPE.drop.next = chosen.drop;
    csr_in.RING_COMMAND.busy.next = ring_busy;
    csr_in.RING_COMMAND.error.next = ring_error != RingFine;
    csr_in.RING_COMMAND.why.next = ring_error;

    csr_in.RELAY_SELF_IP.wr_ack = relay_ack_q[0];
    csr_in.RELAY_SELF_MAC_LOW.wr_ack = relay_ack_q[1];
    csr_in.RELAY_SELF_MAC_HIGH.wr_ack = relay_ack_q[2];
    csr_in.RELAY_PARENT_IP.wr_ack = relay_ack_q[3];
    csr_in.RELAY_PARENT_MAC_LOW.wr_ack = relay_ack_q[4];
    csr_in.RELAY_PARENT_MAC_HIGH.wr_ack = relay_ack_q[5];
    csr_in.RELAY_PLACE.wr_ack = relay_ack_q[6];
    csr_in.RELAY_ROLE.wr_ack = relay_ack_q[7];

    // The entry of a connection that has just been registered.
    csr_in.CONN_SELECT.index.we = claim_registers;
    csr_in.CONN_SELECT.index.next = command_i.set_index;
    csr_in.CONN_COUNT.used.next = 16'(command_i.conns.used);
    csr_in.CONN_COUNT.retired.next = 16'(command_i.conns.retired);
    csr_in.CONN_COMMAND.busy.next = claim_busy;
    csr_in.CONN_COMMAND.error.next = claim_error;

    csr_in.IRQ_CAUSE.table_full.hwset = full_q;
    csr_in.IRQ_CAUSE.stall.hwset = (stalled & ~stalled_q) != '0;
    csr_in.IRQ_CAUSE.memory.hwset = memory_bad_i;
    csr_in.IRQ_CAUSE.pause_storm.hwset = pause_storm_i != '0;
    csr_in.RING_STALLS.rings.next = 32'(stalled);
    csr_in.TABLE_COLUMNS.columns.next = 16'(columns);
    csr_in.RING_WAITS.known.next = waits_known;
    csr_in.RING_WAITS.ranks.next = waits_ranks & ((16'd1 << Cfg.NumRanks) - 16'd1);
    csr_in.RING_WAITS.parent.next = Cfg.NumBanks != Cfg.NumRanks && waits_ranks[Cfg.NumBanks-1];
    csr_in.RING_QUIET.units.next = waits_since;

    csr_in.COUNTER_LOW.value.next = counter_value[31:0];
    csr_in.COUNTER_HIGH.value.next = counter_high_q;
  end

  always_ff @(posedge clk_i) begin
    relay_ack_q <= {csr.RELAY_ROLE.req, csr.RELAY_PLACE.req, csr.RELAY_PARENT_MAC_HIGH.req,
                    csr.RELAY_PARENT_MAC_LOW.req, csr.RELAY_PARENT_IP.req,
                    csr.RELAY_SELF_MAC_HIGH.req, csr.RELAY_SELF_MAC_LOW.req,
                    csr.RELAY_SELF_IP.req};
    if (!rst_ni) relay_ack_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Assertions

  logic flush_waits_q;
  always_ff @(posedge clk_i) begin
    flush_waits_q <= rst_ni && command_o.flush_valid && !command_i.flush_ready;
    if (rst_ni) begin
      // A flush is not taken back: the device may act on it in any later cycle.
      a_flush_held : assert (!flush_waits_q || command_o.flush_valid)
      else $error("a waiting flush vanished");
    end
  end

endmodule
