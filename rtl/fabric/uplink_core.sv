// The data path in front of a leaf switch's uplinks: ports, the choice of uplinks, and the ways
// between them.
//
// down port ── uplink_port ──► uplink_way (of each queue) ─► uplink_merge ──► uplink_port ── uplink
//                     ▲                                                            │
//                     └── uplink_down ◄── uplink u goes to down port u mod NumDown ┘
//
// Frames of one queue of a port stay in order. A port's receive side never waits: what finds no
// room is dropped and counted, and pause frames keep that from happening to what is lossless.
module uplink_core
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  /// Down ports, 1 or more; uplinks, a multiple of them, 2 to MaxPorts.
  parameter int unsigned NumDown = 2,
  parameter int unsigned NumUp = 4,
  /// See uplink_way.
  parameter int unsigned Places = 1024,
  parameter int unsigned Entries = 16,
  /// See uplink_port.
  parameter int unsigned NumQueues = 2,
  parameter queue_of_t QueueOf = 24'o00001000,
  parameter int unsigned RoomDepth = 1024,
  parameter int unsigned HoldDepth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned NumPorts = NumDown + NumUp,
  localparam int unsigned NumSources = NumPorts * NumQueues,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings.
  input way_settings_t       way_i,
  input uplink_override_t [Entries-1:0] override_i,
  input logic [NumUp-1:0]    up_i,     // links that are up
  input logic [47:0]         mac_i,    // see uplink_port
  input logic [NumPrios-1:0] lossless_i,
  input logic [15:0]         quanta_i,
  input logic [RoomW-1:0]    xoff_level_i,
  input logic [RoomW-1:0]    xon_level_i,
  input logic [15:0]         limit_i,
  output logic               busy_o,   // tables of flowlets are being cleared

  // MACs: there is no ready for what is received.
  input  logic   [NumPorts-1:0] rx_valid_i,
  input  bytes_t [NumPorts-1:0] rx_data_i,
  input  keep_t  [NumPorts-1:0] rx_keep_i,
  input  logic   [NumPorts-1:0] rx_last_i,
  input  logic   [NumPorts-1:0] rx_error_i,
  output logic   [NumPorts-1:0] tx_valid_o,
  input  logic   [NumPorts-1:0] tx_ready_i,
  output bytes_t [NumPorts-1:0] tx_data_o,
  output keep_t  [NumPorts-1:0] tx_keep_o,
  output logic   [NumPorts-1:0] tx_last_o,
  output logic   [NumPorts-1:0] tx_error_o,  // a frame that was cut because its link went down

  // States and events of ports; see uplink_port.
  output logic [NumPorts-1:0][NumPrios-1:0] paused_o,
  output logic [NumPorts-1:0][NumPrios-1:0] xoff_o,
  output logic [NumPorts-1:0][NumPrios-1:0] storm_o,
  output logic [NumPorts-1:0][NumPrios-1:0] stormed_o,
  output logic [NumPorts-1:0][NumPrios-1:0] resumed_o,
  input  logic [NumPorts-1:0][NumPrios-1:0] clear_stormed_i,
  input  logic [NumPorts-1:0][NumPrios-1:0] clear_resumed_i,
  output logic [NumPorts-1:0]               alarm_o,
  output logic [NumPorts-1:0]               alarmed_o,
  output logic [NumPorts-1:0][RoomW-1:0]    peak_o,
  input  logic [NumPorts-1:0]               clear_alarm_i,

  // Counters: of ports (flow_e, then frames that met a link that was down), and of the queues of
  // down ports (see uplink_way).
  output logic [NumPorts-1:0][NumFlow:0][31:0]          port_count_o,
  output logic [NumDown*NumQueues-1:0][NumWays:0][31:0] way_count_o,

  // Headers of frames of each queue of a down port, as they were read.
  output logic  [NumDown*NumQueues-1:0] read_valid_o,
  output read_t [NumDown*NumQueues-1:0] read_o,

  // Observation only. Frames are decided on by the links of `live_o`, which follows `up_i`.
  output logic        [NumUp-1:0]      live_o,
  output source_obs_t [NumSources-1:0] source_o,
  output port_obs_t   [NumPorts-1:0]   port_o
);

  if (NumDown < 1 || NumUp % NumDown != 0) begin : gen_check
    $fatal(1, "%m: NumUp must be a multiple of NumDown");
  end

  localparam int unsigned HoldW = $clog2(HoldDepth + 1);
  localparam int unsigned NumWaySources = NumDown * NumQueues;
  /// Uplinks of a down port.
  localparam int unsigned Fan = NumUp / NumDown;

  logic [TimeW-1:0] now_q;
  always_ff @(posedge clk_i) now_q <= rst_ni ? now_q + TimeW'(1) : '0;

  logic [NumUp-1:0] live;
  logic             hold;
  assign live_o = live;

  uplink_live #(
    .NumUp(NumUp)
  ) u_live (
    .clk_i,
    .rst_ni,
    .up_i,
    .live_o(live),
    .hold_o(hold)
  );

  // ---------------------------------------------------------------------------------------------
  // Ports, and links of uplinks.

  logic   [NumPorts-1:0][NumQueues-1:0] in_valid, in_ready, in_last;
  bytes_t [NumPorts-1:0][NumQueues-1:0] in_data;
  keep_t  [NumPorts-1:0][NumQueues-1:0] in_keep;
  logic   [NumPorts-1:0] to_valid, to_ready, to_last;
  bytes_t [NumPorts-1:0] to_data;
  keep_t  [NumPorts-1:0] to_keep;
  logic   [NumPorts-1:0][2:0] to_prio;
  logic   [NumPorts-1:0][NumQueues-1:0][HoldW-1:0] to_level;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic tx_valid, tx_ready, tx_last;
    bytes_t tx_data;
    keep_t tx_keep;

    uplink_port #(
      .NumQueues(NumQueues),
      .QueueOf  (QueueOf),
      .RoomDepth(RoomDepth),
      .HoldDepth(HoldDepth),
      .MaxBeats (MaxBeats)
    ) u_port (
      .clk_i,
      .rst_ni,
      .mac_i,
      .lossless_i,
      .quanta_i,
      .xoff_level_i,
      .xon_level_i,
      .limit_i,
      .rx_valid_i     (rx_valid_i[p]),
      .rx_data_i      (rx_data_i[p]),
      .rx_keep_i      (rx_keep_i[p]),
      .rx_last_i      (rx_last_i[p]),
      .rx_error_i     (rx_error_i[p]),
      .rx_tag_i       (1'b0),
      .in_valid_o     (in_valid[p]),
      .in_ready_i     (in_ready[p]),
      .in_data_o      (in_data[p]),
      .in_keep_o      (in_keep[p]),
      .in_last_o      (in_last[p]),
      .to_valid_i     (to_valid[p]),
      .to_ready_o     (to_ready[p]),
      .to_data_i      (to_data[p]),
      .to_keep_i      (to_keep[p]),
      .to_last_i      (to_last[p]),
      .to_tag_i       (1'b0),
      .to_prio_i      (to_prio[p]),
      .to_level_o     (to_level[p]),
      .tx_valid_o     (tx_valid),
      .tx_ready_i     (tx_ready),
      .tx_data_o      (tx_data),
      .tx_keep_o      (tx_keep),
      .tx_last_o      (tx_last),
      /* verilator lint_off PINCONNECTEMPTY */
      .in_tag_o       (),
      .tx_tag_o       (),
      .storms_o       (),
      /* verilator lint_on PINCONNECTEMPTY */
      .paused_o       (paused_o[p]),
      .xoff_o         (xoff_o[p]),
      .storm_o        (storm_o[p]),
      .stormed_o      (stormed_o[p]),
      .resumed_o      (resumed_o[p]),
      .clear_stormed_i(clear_stormed_i[p]),
      .clear_resumed_i(clear_resumed_i[p]),
      .alarm_o        (alarm_o[p]),
      .alarmed_o      (alarmed_o[p]),
      .peak_o         (peak_o[p]),
      .clear_alarm_i  (clear_alarm_i[p]),
      .count_o        (port_count_o[p][NumFlow-1:0])
    );

    logic drops, down;
    assign down = (p >= NumDown) && !up_i[(p+NumUp-NumDown)%NumUp];
    roce_link u_link (
      .clk_i,
      .rst_ni,
      .down_i       (down),
      .in_valid_i   (tx_valid),
      .in_ready_o   (tx_ready),
      .in_data_i    (tx_data),
      .in_keep_i    (tx_keep),
      .in_last_i    (tx_last),
      .in_user_i    (1'b0),
      .m_axis_tvalid(tx_valid_o[p]),
      .m_axis_tready(tx_ready_i[p]),
      .m_axis_tdata (tx_data_o[p]),
      .m_axis_tkeep (tx_keep_o[p]),
      .m_axis_tlast (tx_last_o[p]),
      .m_axis_tuser (tx_error_o[p]),
      .drops_o      (drops)
    );

    // What the port has counted since the last cycle is what came to pass in it.
    logic [31:0] taken_q, dropped, dropped_q, met_down_q;
    assign port_count_o[p][NumFlow] = met_down_q;
    assign dropped = port_count_o[p][FlowDropRoom] + port_count_o[p][FlowDropLong] +
        port_count_o[p][FlowDropBad];
    assign port_o[p] = '{
      taken: port_count_o[p][FlowRx] != taken_q,
      dropped: dropped != dropped_q
    };
    always_ff @(posedge clk_i) begin
      taken_q   <= port_count_o[p][FlowRx];
      dropped_q <= dropped;
      if (drops && tx_valid && tx_ready && tx_last) begin
        met_down_q <= met_down_q + 32'd1;
      end
      if (!rst_ni) begin
        taken_q    <= '0;
        dropped_q  <= '0;
        met_down_q <= '0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Up: each queue of a down port decides for itself.

  logic   [NumWaySources-1:0]            way_ready, way_last, way_busy;
  logic   [NumWaySources-1:0][NumUp-1:0] way_to;
  bytes_t [NumWaySources-1:0]            way_data;
  keep_t  [NumWaySources-1:0]            way_keep;
  logic   [NumWaySources-1:0][2:0]       way_prio;
  logic   [NumUp-1:0][NumWaySources-1:0] up_ready;
  logic   [NumUp-1:0] sent_q;
  logic   [PortW-1:0] least;

  uplink_load #(
    .NumUp(NumUp)
  ) u_load (
    .clk_i,
    .rst_ni,
    .now_i  (now_q),
    .sent_i (sent_q),
    .live_i (live),
    .least_o(least)
  );

  for (genvar s = 0; s < NumWaySources; s++) begin : gen_way
    localparam int unsigned Port = s / NumQueues;
    localparam int unsigned Queue = s % NumQueues;

    uplink_way #(
      .NumUp  (NumUp),
      .Places (Places),
      .Entries(Entries)
    ) u_way (
      .clk_i,
      .rst_ni,
      .settings_i (way_i),
      .override_i,
      .busy_o     (way_busy[s]),
      .now_i      (now_q),
      .up_i,
      .live_i     (live),
      .least_i    (least),
      .hold_i     (hold),
      .in_valid_i (in_valid[Port][Queue]),
      .in_ready_o (in_ready[Port][Queue]),
      .in_data_i  (in_data[Port][Queue]),
      .in_keep_i  (in_keep[Port][Queue]),
      .in_last_i  (in_last[Port][Queue]),
      .out_to_o   (way_to[s]),
      .out_ready_i(way_ready[s]),
      .out_data_o (way_data[s]),
      .out_keep_o (way_keep[s]),
      .out_last_o (way_last[s]),
      .out_prio_o (way_prio[s]),
      .read_valid_o(read_valid_o[s]),
      .read_o     (read_o[s]),
      .count_o    (way_count_o[s]),
      .obs_o      (source_o[s])
    );
  end
  assign busy_o = way_busy != '0;

  for (genvar u = 0; u < NumUp; u++) begin : gen_up
    logic [NumWaySources-1:0] mine;
    logic                     taken;
    for (genvar s = 0; s < NumWaySources; s++) begin : gen_mine
      assign mine[s] = way_to[s][u];
    end
    // Loads are a cycle late; the way from a source to them would be too long.
    always_ff @(posedge clk_i) sent_q[u] <= rst_ni && taken;

    uplink_merge #(
      .NumSources(NumWaySources),
      .NumQueues (NumQueues),
      .Depth     (HoldDepth),
      .MaxBeats  (MaxBeats)
    ) u_merge (
      .clk_i,
      .rst_ni,
      .in_valid_i (mine),
      .in_ready_o (up_ready[u]),
      .in_data_i  (way_data),
      .in_keep_i  (way_keep),
      .in_last_i  (way_last),
      .in_prio_i  (way_prio),
      .taken_o    (taken),
      .level_i    (to_level[NumDown+u]),
      .out_valid_o(to_valid[NumDown+u]),
      .out_ready_i(to_ready[NumDown+u]),
      .out_data_o (to_data[NumDown+u]),
      .out_keep_o (to_keep[NumDown+u]),
      .out_last_o (to_last[NumDown+u]),
      .out_prio_o (to_prio[NumDown+u])
    );
  end

  always_comb begin
    way_ready = '0;
    for (int unsigned u = 0; u < NumUp; u++) way_ready |= up_ready[u];
  end

  // ---------------------------------------------------------------------------------------------
  // Down: nothing to choose.

  for (genvar d = 0; d < NumDown; d++) begin : gen_down
    logic   [Fan-1:0][NumQueues-1:0] valid, ready, last;
    bytes_t [Fan-1:0][NumQueues-1:0] data;
    keep_t  [Fan-1:0][NumQueues-1:0] keep;
    source_obs_t [Fan-1:0][NumQueues-1:0] source;

    for (genvar f = 0; f < Fan; f++) begin : gen_uplink
      localparam int unsigned Port = NumDown + d + NumDown * f;
      assign valid[f]       = in_valid[Port];
      assign data[f]        = in_data[Port];
      assign keep[f]        = in_keep[Port];
      assign last[f]        = in_last[Port];
      assign in_ready[Port] = ready[f];
      assign source_o[Port*NumQueues+:NumQueues] = source[f];
    end

    uplink_down #(
      .Fan      (Fan),
      .NumQueues(NumQueues),
      .Depth    (HoldDepth),
      .MaxBeats (MaxBeats)
    ) u_down (
      .clk_i,
      .rst_ni,
      .port_i     (PortW'(d)),
      .in_valid_i (valid),
      .in_ready_o (ready),
      .in_data_i  (data),
      .in_keep_i  (keep),
      .in_last_i  (last),
      .level_i    (to_level[d]),
      .out_valid_o(to_valid[d]),
      .out_ready_i(to_ready[d]),
      .out_data_o (to_data[d]),
      .out_keep_o (to_keep[d]),
      .out_last_o (to_last[d]),
      .out_prio_o (to_prio[d]),
      .source_o   (source)
    );
  end

endmodule
