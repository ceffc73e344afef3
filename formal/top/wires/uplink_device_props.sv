// weir_uplink: which wire goes where between registers, the data path and the tables of
// connections; what commands are refused, and what the others change; and which counter, port and
// place software reads (rtl/csr/uplink_csr.rdl).
//
// What these parts make of it is left out of the circuit and free (`cuts` of the task), so this
// holds whatever they do. They have proofs of their own.
module uplink_device_props
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  localparam int unsigned NumDown = 2,
  localparam int unsigned NumUp = 4,
  localparam int unsigned Overrides = 3,
  localparam int unsigned RoomDepth = 512,
  localparam int unsigned ConnSets = 8,
  localparam int unsigned NumPorts = NumDown + NumUp,
  localparam int unsigned Ways = NumDown * 2,
  localparam int unsigned NumSources = NumPorts * 2
) (
  input logic                                clk_i,
  input logic                                rst_ni,
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
  input logic [NumPorts-1:0]                 s_axis_tvalid,
  input logic [NumPorts-1:0][BeatBits-1:0]   s_axis_tdata,
  input logic [NumPorts-1:0][BeatBytes-1:0]  s_axis_tkeep,
  input logic [NumPorts-1:0]                 s_axis_tlast,
  input logic [NumPorts-1:0]                 s_axis_tuser,
  input logic [NumPorts-1:0]                 m_axis_tready,
  input logic [1:0]                          entry_i   // any
);

  logic                               awready, wready, bvalid, arready, rvalid;
  logic [1:0]                         bresp, rresp;
  logic [31:0]                        rdata;
  logic [NumPorts-1:0]                s_ready, m_valid, m_last, m_user;
  logic [NumPorts-1:0][BeatBits-1:0]  m_data;
  logic [NumPorts-1:0][BeatBytes-1:0] m_keep;
  source_obs_t [NumSources-1:0]       sources;
  port_obs_t   [NumPorts-1:0]         seen;
  logic        [NumUp-1:0]            up, live;

  weir_uplink #(
    .NumDown  (NumDown),
    .NumUp    (NumUp),
    .Places   (16),
    .Overrides(Overrides),
    .RoomDepth(RoomDepth),
    .ConnSets (ConnSets)
  ) u_dut (
    .clk_i,
    .rst_ni,
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
    .obs_source_o  (sources),
    .obs_port_o    (seen),
    .obs_up_o      (up),
    .obs_live_o    (live)
  );

  uplink_csr_pkg::uplink_csr__out_t csr;
  uplink_csr_pkg::uplink_csr__in_t  says;
  way_settings_t                    way;
  uplink_override_t                 entry, offer, entry_q;
  conn_t                            conn;
  assign csr   = u_dut.u_csr.hwif_out;
  assign says  = u_dut.u_csr.hwif_in;
  assign way   = u_dut.u_core.way_i;
  assign entry = u_dut.u_core.override_i[entry_i];
  assign conn  = u_dut.u_conns.conn_o;

  // ---------------------------------------------------------------------------------------------
  // Commands: one at a time, and each has reasons of its own against it.

  logic       apply, store, clear, good, long, past_q, past2_q;
  logic [3:0] verdict, verdict_q;
  assign apply = csr.COMMAND.apply.value;
  assign store = csr.COMMAND.store.value;
  assign clear = csr.COMMAND.clear.value;
  assign long  = csr.OVERRIDE.length.value > 8'd128;
  always_comb begin
    verdict = 4'd0;
    // Of several reasons the one that is looked at first counts: here the last.
    if (apply) begin
      if (csr.PAUSE.quanta.value < 16'd64) verdict = 4'd6;
      if (csr.LEVELS.xoff.value > 16'(RoomDepth)) verdict = 4'd5;
      if (csr.LEVELS.xon.value >= csr.LEVELS.xoff.value) verdict = 4'd5;
      if (csr.INTERVAL.cycles.value < 32'd8) verdict = 4'd4;
      if (csr.INTERVAL.cycles.value >= 32'h4000_0000) verdict = 4'd4;
    end
    if (store) begin
      if (long) verdict = 4'd3;
      if (csr.OVERRIDE.port.value >= 4'(NumUp)) verdict = 4'd2;
      if (csr.COMMAND.index.value >= 8'(Overrides)) verdict = 4'd1;
    end
    if (clear && csr.PORT_SELECT.port.value >= 8'(NumPorts)) verdict = 4'd7;
    if (2'(apply) + 2'(store) + 2'(clear) != 2'd1) verdict = 4'd7;
    good = verdict == 4'd0;
    offer.valid  = csr.OVERRIDE.valid.value;
    offer.port   = csr.OVERRIDE.port.value;
    offer.sport  = csr.OVERRIDE.sport.value;
    offer.prefix = {csr.OVERRIDE_PREFIX_0.word.value, csr.OVERRIDE_PREFIX_1.word.value,
                    csr.OVERRIDE_PREFIX_2.word.value, csr.OVERRIDE_PREFIX_3.word.value};
    // The first `length` bits.
    for (int unsigned b = 0; b < 128; b++) offer.mask[127-b] = 8'(b) < csr.OVERRIDE.length.value;
  end

  // What was set a cycle ago, or is asked for.
  typedef struct packed {
    way_settings_t       way;
    logic [47:0]         mac;
    logic [NumPrios-1:0] lossless;
    logic [15:0]         quanta, xoff, xon, limit;
  } set_t;
  set_t set, set_q;
  logic [1:0] entry_at_q;
  always_comb begin
    set.way      = way;
    set.mac      = u_dut.u_core.mac_i;
    set.lossless = u_dut.u_core.lossless_i;
    set.quanta   = u_dut.u_core.quanta_i;
    set.xoff     = 16'(u_dut.u_core.xoff_level_i);
    set.xon      = 16'(u_dut.u_core.xon_level_i);
    set.limit    = u_dut.u_core.limit_i;
  end
  initial {past_q, past2_q} = '0;
  always_ff @(posedge clk_i) begin
    {past_q, past2_q} <= {1'b1, past_q};
    verdict_q  <= !rst_ni ? 4'd0 : (apply || store || clear) ? verdict : says.COMMAND.error.next;
    set_q      <= set;
    // From reset on it is what registers are then.
    if (!rst_ni || (apply && good)) begin
      set_q.way.seed     <= csr.SEED.word.value;
      set_q.way.with_qp  <= csr.WAY.with_qp.value;
      set_q.way.flowlets <= csr.WAY.flowlets.value;
      set_q.way.interval <= csr.INTERVAL.cycles.value[29:0];
      set_q.mac          <= {csr.MAC_HIGH.word.value, csr.MAC_LOW.word.value};
      set_q.lossless     <= csr.PAUSE.lossless.value;
      set_q.quanta       <= csr.PAUSE.quanta.value;
      set_q.xoff         <= 16'(csr.LEVELS.xoff.value[9:0]);
      set_q.xon          <= 16'(csr.LEVELS.xon.value[9:0]);
      set_q.limit        <= csr.WATCHDOG.ticks.value;
    end
    entry_at_q <= entry_i;
    entry_q    <= entry;
    if (store && good && csr.COMMAND.index.value == 8'(entry_i)) entry_q <= offer;
    if (!rst_ni) entry_q.valid <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Ports: what is cleared, and what is read of the one that is named.

  logic [7:0]          port_q;
  logic [NumPrios-1:0] paused, xoff, storm, stormed, resumed;
  logic                alarm, alarmed;
  logic [15:0]         peak;
  logic                clears_q, alarm_clear_q, conns_busy_q, there;
  logic [2:0]          port;
  logic [NumPrios-1:0] stormed_clear_q, resumed_clear_q;
  assign there = csr.PORT_SELECT.port.value < 8'(NumPorts);
  assign port  = there ? csr.PORT_SELECT.port.value[2:0] : 3'd0;
  always_ff @(posedge clk_i) begin
    {paused, xoff, storm, stormed, resumed, alarm, alarmed, peak} <= '0;
    if (there) begin
      paused  <= u_dut.u_core.paused_o[port];
      xoff    <= u_dut.u_core.xoff_o[port];
      storm   <= u_dut.u_core.storm_o[port];
      stormed <= u_dut.u_core.stormed_o[port];
      resumed <= u_dut.u_core.resumed_o[port];
      alarm   <= u_dut.u_core.alarm_o[port];
      alarmed <= u_dut.u_core.alarmed_o[port];
      peak    <= 16'(u_dut.u_core.peak_o[port]);
    end
    clears_q        <= clear && good;
    port_q          <= csr.PORT_SELECT.port.value;
    stormed_clear_q <= csr.PORT_CLEAR.stormed.value;
    resumed_clear_q <= csr.PORT_CLEAR.resumed.value;
    alarm_clear_q   <= csr.PORT_CLEAR.alarmed.value;
    conns_busy_q    <= u_dut.u_conns.busy_o;
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic mine;
    assign mine = clears_q && 32'(port_q) == p;
    always_ff @(posedge clk_i) begin
      // Frames of a port go through the data path as they are; what comes never waits.
      a_in : assert ({u_dut.u_core.rx_valid_i[p], u_dut.u_core.rx_data_i[p],
                      u_dut.u_core.rx_keep_i[p], u_dut.u_core.rx_last_i[p],
                      u_dut.u_core.rx_error_i[p], s_ready[p]} ==
                     {s_axis_tvalid[p], s_axis_tdata[p], s_axis_tkeep[p], s_axis_tlast[p],
                      s_axis_tuser[p], 1'b1})
      else $error("port %0d", p);
      a_out : assert ({u_dut.u_core.tx_valid_o[p], u_dut.u_core.tx_data_o[p],
                       u_dut.u_core.tx_keep_o[p], u_dut.u_core.tx_last_o[p],
                       u_dut.u_core.tx_error_o[p], m_axis_tready[p]} ==
                      {m_valid[p], m_data[p], m_keep[p], m_last[p], m_user[p],
                       u_dut.u_core.tx_ready_i[p]})
      else $error("port %0d", p);
      // A command clears those events of the port that are named; nothing else does.
      a_clears : assert (!past_q || {u_dut.u_core.clear_stormed_i[p],
          u_dut.u_core.clear_resumed_i[p], u_dut.u_core.clear_alarm_i[p]} ==
          (mine ? {stormed_clear_q, resumed_clear_q, alarm_clear_q} : '0))
      else $error("port %0d", p);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A counter: what it is called now and was a cycle ago, and its value then. Of ports, then of
  // queues: how frames were decided on, and from 16 on connections.

  logic        of_queue_q, is_way, is_order;
  logic [7:0]  index_q, which;
  logic [31:0] value_q;
  logic [NumPorts-1:0][31:0] port_word_q;
  logic [Ways-1:0][31:0]     queue_word_q;
  assign which    = csr.COUNTER_SELECT.which.value;
  assign is_way   = which < 8'd9;
  assign is_order = which >= 8'd16 && which < 8'd21;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      port_word_q[p] <= (which < 8'd14) ? u_dut.u_core.port_count_o[p][which[3:0]] : '0;
    end
    for (int unsigned w = 0; w < Ways; w++) begin
      queue_word_q[w] <= is_way ? u_dut.u_core.way_count_o[w][which[3:0]] :
          is_order ? u_dut.u_conns.count_o[w][which[2:0]] : '0;
    end
    value_q <= '0;
    if (csr.COUNTER_SELECT.of_queue.value) begin
      if (csr.COUNTER_SELECT.index.value < 8'(Ways))
        value_q <= queue_word_q[csr.COUNTER_SELECT.index.value[1:0]];
    end else if (csr.COUNTER_SELECT.index.value < 8'(NumPorts)) begin
      value_q <= port_word_q[csr.COUNTER_SELECT.index.value[2:0]];
    end
  end

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_csr.rst_n, u_dut.u_core.rst_ni, u_dut.u_conns.rst_ni} ==
                      {3{rst_ni}})
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
    // A command is refused for a reason, which stands until the next one.
    a_error : assert (!past_q || says.COMMAND.error.next == verdict_q)
    else $error("error %0d, not %0d", says.COMMAND.error.next, verdict_q);
    // Settings take effect together, when none of them is refused.
    a_set : assert (!past_q || set == set_q)
    else $error("other settings");
    // An override is what registers said as it was stored; none is valid from reset on.
    a_entry : assert (!past_q || entry_at_q >= 2'(Overrides) ||
                      u_dut.u_core.override_i[entry_at_q] == entry_q)
    else $error("override %0d", entry_at_q);
    // Links that are up are so at once.
    a_up : assert (u_dut.u_core.up_i == csr.LINK.up.value[NumUp-1:0] && up == u_dut.u_core.up_i &&
                   live == u_dut.u_core.live_o)
    else $error("links %b", up);
    // The port that is named is told of a cycle later; of one that there is not, nothing.
    a_port : assert (!past_q || {says.PORT_STATE.paused.next, says.PORT_STATE.xoff.next,
        says.PORT_STATE.storm.next, says.PORT_EVENTS.stormed.next, says.PORT_EVENTS.resumed.next,
        says.PORT_STATE.alarm.next, says.PORT_EVENTS.alarmed.next, says.PORT_PEAK.beats.next} ==
        {paused, xoff, storm, stormed, resumed, alarm, alarmed, peak})
    else $error("another port");
    // Two cycles behind its number a counter's value is there, one behind the name of its port or
    // queue.
    a_counter : assert (!past2_q || !past_q || says.COUNTER_VALUE.value.next == value_q)
    else $error("%0d, not %0d", says.COUNTER_VALUE.value.next, value_q);

    // Headers as they were read come to the tables of connections.
    a_conns : assert (u_dut.u_conns.valid_i == u_dut.u_core.read_valid_o &&
                      u_dut.u_conns.read_i == u_dut.u_core.read_o &&
                      u_dut.u_conns.clear_i == csr.CONN_COMMAND.clear.value)
    else $error("another frame");
    // A place of them is asked for, and told when it is there.
    a_place : assert (u_dut.u_conns.ask_i == csr.CONN_COMMAND.read.value &&
                      u_dut.u_conns.source_i == csr.CONN_SELECT.source.value[1:0] &&
                      u_dut.u_conns.set_i == csr.CONN_SELECT.row.value[2:0] &&
                      u_dut.u_conns.way_i == csr.CONN_SELECT.way.value &&
                      says.CONN_COMMAND.done.next == u_dut.u_conns.done_o)
    else $error("another place");
    a_conn : assert (conn == {says.CONN_QPN.used.next, says.CONN_DST_0.word.next,
        says.CONN_DST_1.word.next, says.CONN_DST_2.word.next, says.CONN_DST_3.word.next,
        says.CONN_QPN.qpn.next, says.CONN_NEXT.psn.next, says.CONN_COUNTS.gaps.next,
        says.CONN_COUNTS.duplicates.next})
    else $error("another connection");
    // They are being cleared for a cycle longer than they say.
    a_busy : assert (!past_q || (says.CONN_COMMAND.clearing.next ==
                     (u_dut.u_conns.busy_o || conns_busy_q) &&
                     says.COMMAND.clearing.next == u_dut.u_core.busy_o))
    else $error("busy");
    // Registers say what was built.
    a_shape : assert (says.CAP_SHAPE.down.next == 8'(NumDown) &&
                      says.CAP_SHAPE.up.next == 8'(NumUp) && says.CAP_SHAPE.queues.next == 8'd2 &&
                      says.CAP_SHAPE.overrides.next == 8'(Overrides) &&
                      says.CAP_ROOM.room.next == 16'(RoomDepth) &&
                      says.CAP_ROOM.places.next == 16'd16 &&
                      says.CONN_COMMAND.sets.next == 16'(ConnSets))
    else $error("another device");
    // Who watches sees what the data path decides.
    a_seen : assert (sources == u_dut.u_core.source_o && seen == u_dut.u_core.port_o)
    else $error("something else is seen");

    // An override of all addresses is stored; a command is refused.
    c_store : cover (past_q && rst_ni && entry_at_q == 2'd2 && entry_q.valid && entry_q.mask == '0);
    c_refused : cover (past_q && rst_ni && verdict_q == 4'd5);
  end

endmodule
