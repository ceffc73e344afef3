// What sits in front of a leaf switch's uplinks: it spreads what comes by the down ports over the
// uplinks, by a hash of the flow, by flowlets, or as traffic engineering says, and pauses and is
// paused (RoCE at Meta, SIGCOMM'24, 4 and 5). What comes by an uplink goes to a fixed down port.
//
// Who waits: frames in a port's queue for their output. A MAC never does: what finds no room is
// dropped, counted, and kept from happening by pause frames where it must not.
//
// Settings and counters are behind AXI4-Lite: docs/registers/uplink.md.
module weir_uplink
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  /// Down ports, 1 or more; uplinks, a multiple of them, 2 to 16.
  parameter int unsigned NumDown = 2,
  parameter int unsigned NumUp = 4,
  /// Places for flowlets of each queue of a down port, power of two; overrides, 1 to 255.
  parameter int unsigned Places = 1024,
  parameter int unsigned Overrides = 16,
  /// Beats of a queue of what is received, power of two.
  parameter int unsigned RoomDepth = 1024,
  /// Sets of two connections each, of each queue of a down port, power of two, 2 to 32768.
  parameter int unsigned ConnSets = 256,
  localparam int unsigned NumPorts = NumDown + NumUp,
  localparam int unsigned NumQueues = 2,
  localparam int unsigned NumSources = NumPorts * NumQueues
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

  // Frames without FCS, of down ports, then of uplinks. `s_axis_tready` is always high, as a MAC
  // needs it; `m_axis_tuser` marks the end of a frame that was cut because its link went down.
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
  output logic [NumPorts-1:0]                m_axis_tuser,

  // Observation only (uplink_pkg).
  output source_obs_t [NumSources-1:0] obs_source_o,
  output port_obs_t   [NumPorts-1:0]   obs_port_o,
  output logic        [NumUp-1:0]      obs_up_o,     // links that are up, at once
  output logic        [NumUp-1:0]      obs_live_o    // those by which frames are decided on
);

  localparam int unsigned RoomW = $clog2(RoomDepth + 1);
  localparam int unsigned NumWaySources = NumDown * NumQueues;

  uplink_csr_pkg::uplink_csr__in_t  csr_in;
  uplink_csr_pkg::uplink_csr__out_t csr;

  uplink_csr u_csr (
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
  // Commands: what is refused changes nothing.

  typedef struct packed {
    way_settings_t       way;
    logic [47:0]         mac;
    logic [NumPrios-1:0] lossless;
    logic [15:0]         quanta;
    logic [RoomW-1:0]    xoff;
    logic [RoomW-1:0]    xon;
    logic [15:0]         limit;
  } settings_t;

  settings_t settings_q, asked;
  uplink_override_t entry;
  uplink_override_t [Overrides-1:0] override_q;
  command_e  verdict, error_q;
  logic      apply, store, clear, any;

  assign apply = csr.COMMAND.apply.value;
  assign store = csr.COMMAND.store.value;
  assign clear = csr.COMMAND.clear.value;
  assign any   = apply || store || clear;
  assign asked = '{
    way: '{
      seed: csr.SEED.word.value,
      with_qp: csr.WAY.with_qp.value,
      flowlets: csr.WAY.flowlets.value,
      interval: csr.INTERVAL.cycles.value[TimeW-3:0]
    },
    mac: {csr.MAC_HIGH.word.value, csr.MAC_LOW.word.value},
    lossless: csr.PAUSE.lossless.value,
    quanta: csr.PAUSE.quanta.value,
    xoff: csr.LEVELS.xoff.value[RoomW-1:0],
    xon: csr.LEVELS.xon.value[RoomW-1:0],
    limit: csr.WATCHDOG.ticks.value
  };
  assign entry = '{
    valid: csr.OVERRIDE.valid.value,
    sport: csr.OVERRIDE.sport.value,
    prefix: {csr.OVERRIDE_PREFIX_0.word.value, csr.OVERRIDE_PREFIX_1.word.value,
             csr.OVERRIDE_PREFIX_2.word.value, csr.OVERRIDE_PREFIX_3.word.value},
    mask: uplink_mask(csr.OVERRIDE.length.value),
    port: csr.OVERRIDE.port.value
  };

  always_comb begin
    verdict = CommandDone;
    unique case ({apply, store, clear})
      3'b100: begin
        if (csr.INTERVAL.cycles.value < MinInterval ||
            csr.INTERVAL.cycles.value[31:TimeW-2] != '0) verdict = CommandInterval;
        else if (csr.LEVELS.xon.value >= csr.LEVELS.xoff.value ||
                 32'(csr.LEVELS.xoff.value) > RoomDepth) verdict = CommandLevels;
        else if (csr.PAUSE.quanta.value < 16'd64) verdict = CommandQuanta;
      end
      3'b010: begin
        if (32'(csr.COMMAND.index.value) >= Overrides) verdict = CommandNoEntry;
        else if (32'(csr.OVERRIDE.port.value) >= NumUp) verdict = CommandNoPort;
        else if (csr.OVERRIDE.length.value > 8'd128) verdict = CommandLongPrefix;
      end
      3'b001: if (32'(csr.PORT_SELECT.port.value) >= NumPorts) verdict = CommandUnknown;
      default: verdict = CommandUnknown;
    endcase
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Overrides; e++) begin
      if (store && verdict == CommandDone && csr.COMMAND.index.value == 8'(e)) begin
        override_q[e] <= entry;
      end
      if (!rst_ni) override_q[e].valid <= 1'b0;
    end
    if (any) error_q <= verdict;
    if (apply && verdict == CommandDone) settings_q <= asked;
    if (!rst_ni) begin
      error_q    <= CommandDone;
      settings_q <= asked;   // what registers are after reset
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The data path.

  logic [NumPorts-1:0][NumPrios-1:0] paused, xoff, storm, stormed, resumed;
  logic [NumPorts-1:0][NumPrios-1:0] clear_stormed_q, clear_resumed_q;
  logic [NumPorts-1:0] alarm, alarmed, clear_alarm_q;
  logic [NumPorts-1:0][RoomW-1:0] peak;
  logic [NumPorts-1:0][NumFlow:0][31:0] port_count;
  logic [NumWaySources-1:0][NumWays:0][31:0] way_count;
  logic busy;
  logic  [NumWaySources-1:0] read_valid;
  read_t [NumWaySources-1:0] read;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_clear
    logic here;
    assign here = clear && verdict == CommandDone && csr.PORT_SELECT.port.value == 8'(p);
    always_ff @(posedge clk_i) begin
      clear_stormed_q[p] <= here ? csr.PORT_CLEAR.stormed.value : '0;
      clear_resumed_q[p] <= here ? csr.PORT_CLEAR.resumed.value : '0;
      clear_alarm_q[p]   <= here && csr.PORT_CLEAR.alarmed.value;
    end
  end

  uplink_core #(
    .NumDown  (NumDown),
    .NumUp    (NumUp),
    .Places   (Places),
    .Entries  (Overrides),
    .NumQueues(NumQueues),
    .RoomDepth(RoomDepth)
  ) u_core (
    .clk_i,
    .rst_ni,
    .way_i          (settings_q.way),
    .override_i     (override_q),
    .up_i           (csr.LINK.up.value[NumUp-1:0]),
    .mac_i          (settings_q.mac),
    .lossless_i     (settings_q.lossless),
    .quanta_i       (settings_q.quanta),
    .xoff_level_i   (settings_q.xoff),
    .xon_level_i    (settings_q.xon),
    .limit_i        (settings_q.limit),
    .busy_o         (busy),
    .rx_valid_i     (s_axis_tvalid),
    .rx_data_i      (s_axis_tdata),
    .rx_keep_i      (s_axis_tkeep),
    .rx_last_i      (s_axis_tlast),
    .rx_error_i     (s_axis_tuser),
    .tx_valid_o     (m_axis_tvalid),
    .tx_ready_i     (m_axis_tready),
    .tx_data_o      (m_axis_tdata),
    .tx_keep_o      (m_axis_tkeep),
    .tx_last_o      (m_axis_tlast),
    .tx_error_o     (m_axis_tuser),
    .paused_o       (paused),
    .xoff_o         (xoff),
    .storm_o        (storm),
    .stormed_o      (stormed),
    .resumed_o      (resumed),
    .clear_stormed_i(clear_stormed_q),
    .clear_resumed_i(clear_resumed_q),
    .alarm_o        (alarm),
    .alarmed_o      (alarmed),
    .peak_o         (peak),
    .clear_alarm_i  (clear_alarm_q),
    .port_count_o   (port_count),
    .way_count_o    (way_count),
    .live_o         (obs_live_o),
    .read_valid_o   (read_valid),
    .read_o         (read),
    .source_o       (obs_source_o),
    .port_o         (obs_port_o)
  );
  assign s_axis_tready = '1;

  // ---------------------------------------------------------------------------------------------
  // Connections.

  localparam int unsigned SetW = $clog2(ConnSets);
  localparam int unsigned SourceW = (NumWaySources > 1) ? $clog2(NumWaySources) : 1;
  logic  [NumWaySources-1:0][NumOrder-1:0][31:0] order_count;
  logic  conns_busy, conn_done;
  conn_t conn;

  uplink_conns #(
    .NumSources(NumWaySources),
    .Sets      (ConnSets),
    .Ways      (2)
  ) u_conns (
    .clk_i,
    .rst_ni,
    .valid_i (read_valid),
    .read_i  (read),
    .count_o (order_count),
    .clear_i (csr.CONN_COMMAND.clear.value),
    .busy_o  (conns_busy),
    .ask_i   (csr.CONN_COMMAND.read.value),
    .source_i(csr.CONN_SELECT.source.value[SourceW-1:0]),
    .set_i   (csr.CONN_SELECT.row.value[SetW-1:0]),
    .way_i   (csr.CONN_SELECT.way.value),
    .done_o  (conn_done),
    .conn_o  (conn)
  );

  assign obs_up_o      = csr.LINK.up.value[NumUp-1:0];

  // ---------------------------------------------------------------------------------------------
  // What software reads. What there is not reads as zero.

  // Two cycles and one behind a selection, which is long before anybody can read it: first of each
  // port and queue the counter, then which of them.
  logic [NumPorts-1:0][31:0]      port_word_q;
  logic [NumWaySources-1:0][31:0] queue_word_q;
  logic [31:0] count_q;
  logic [7:0] which, index, port;
  assign which = csr.COUNTER_SELECT.which.value;
  assign index = csr.COUNTER_SELECT.index.value;
  assign port  = csr.PORT_SELECT.port.value;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumPorts; i++) begin
      port_word_q[i] <= '0;
      for (int unsigned c = 0; c <= NumFlow; c++) begin
        if (which == 8'(c)) port_word_q[i] <= port_count[i][c];
      end
    end
    for (int unsigned i = 0; i < NumWaySources; i++) begin
      queue_word_q[i] <= '0;
      for (int unsigned c = 0; c <= NumWays; c++) begin
        if (which == 8'(c)) queue_word_q[i] <= way_count[i][c];
      end
      for (int unsigned c = 0; c < NumOrder; c++) begin
        if (which == 8'(16 + c)) queue_word_q[i] <= order_count[i][c];
      end
    end
    count_q <= '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (!csr.COUNTER_SELECT.of_queue.value && index == 8'(i)) count_q <= port_word_q[i];
    end
    for (int unsigned i = 0; i < NumWaySources; i++) begin
      if (csr.COUNTER_SELECT.of_queue.value && index == 8'(i)) count_q <= queue_word_q[i];
    end
  end

  typedef struct packed {
    logic [NumPrios-1:0] paused, xoff, storm, stormed, resumed;
    logic                alarm, alarmed;
    logic [RoomW-1:0]    peak;
  } state_t;
  state_t state_q;
  logic   conns_busy_q;

  always_ff @(posedge clk_i) begin
    conns_busy_q <= conns_busy;
    state_q      <= '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (port == 8'(p)) begin
        state_q <= '{
          paused: paused[p],
          xoff: xoff[p],
          storm: storm[p],
          stormed: stormed[p],
          resumed: resumed[p],
          alarm: alarm[p],
          alarmed: alarmed[p],
          peak: peak[p]
        };
      end
    end
  end

  always_comb begin
    csr_in                            = '0;
    csr_in.CAP_SHAPE.down.next        = 8'(NumDown);
    csr_in.CAP_SHAPE.up.next          = 8'(NumUp);
    csr_in.CAP_SHAPE.queues.next      = 8'(NumQueues);
    csr_in.CAP_SHAPE.overrides.next   = 8'(Overrides);
    csr_in.CAP_ROOM.room.next         = 16'(RoomDepth);
    csr_in.CAP_ROOM.places.next       = 16'(Places);
    csr_in.COMMAND.clearing.next      = busy;
    csr_in.COMMAND.error.next         = error_q;
    csr_in.COUNTER_VALUE.value.next   = count_q;
    csr_in.CONN_COMMAND.clearing.next = conns_busy_q || conns_busy;
    csr_in.CONN_COMMAND.done.next     = conn_done;
    csr_in.CONN_COMMAND.sets.next     = 16'(ConnSets);
    csr_in.CONN_DST_0.word.next       = conn.dst[127:96];
    csr_in.CONN_DST_1.word.next       = conn.dst[95:64];
    csr_in.CONN_DST_2.word.next       = conn.dst[63:32];
    csr_in.CONN_DST_3.word.next       = conn.dst[31:0];
    csr_in.CONN_QPN.qpn.next          = conn.qpn;
    csr_in.CONN_QPN.used.next         = conn.used;
    csr_in.CONN_NEXT.psn.next         = conn.psn;
    csr_in.CONN_COUNTS.gaps.next      = conn.gaps;
    csr_in.CONN_COUNTS.duplicates.next = conn.duplicates;
    csr_in.PORT_STATE.paused.next     = state_q.paused;
    csr_in.PORT_STATE.xoff.next       = state_q.xoff;
    csr_in.PORT_STATE.storm.next      = state_q.storm;
    csr_in.PORT_STATE.alarm.next      = state_q.alarm;
    csr_in.PORT_EVENTS.stormed.next   = state_q.stormed;
    csr_in.PORT_EVENTS.resumed.next   = state_q.resumed;
    csr_in.PORT_EVENTS.alarmed.next   = state_q.alarmed;
    csr_in.PORT_PEAK.beats.next       = 16'(state_q.peak);
  end

endmodule
