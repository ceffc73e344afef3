// All flow control and monitors of one port: whole frames between a MAC of the device's clock and
// the inside, pause both ways, what is lost and why.
//
// MAC ──► pause frames out ──► uplink_room ──► inside ──► uplink_hold ──► last stage ──► MAC
//         │ timers, watchdog ─────────────────────────────▲ held, dropped  ▲ pause frames
//         levels of uplink_room ── thresholds ─────────────────────────────┘
//
// The MAC's receive side never waits; its transmit side meets no hole inside a frame. The inside
// waits for a full queue of uplink_hold, and frames wait in uplink_room for the inside.
module uplink_port
  import shell_pkg::*;
  import uplink_flow_pkg::*;
#(
  /// What goes beside a frame from the MAC to the inside, and from the inside to the MAC.
  parameter type RxTag = logic,
  parameter type TxTag = logic,
  /// Queues each way, 1 to 8, and which of them a priority has (3 bits a priority, the lowest
  /// first).
  parameter int unsigned NumQueues = 2,
  parameter queue_of_t QueueOf = 24'o00001000,
  /// Beats of a queue of what is received, and of what is to be sent; powers of two, 8 or more.
  parameter int unsigned RoomDepth = 1024,
  parameter int unsigned HoldDepth = 256,
  /// Beats of the longest frame, up to either.
  parameter int unsigned MaxBeats = 144,
  /// See uplink_pause.
  parameter int unsigned RxQuantumStep = 39718,
  parameter int unsigned TxQuantumStep = 39719,
  parameter int unsigned TickCycles = 9375,
  /// See uplink_alarm.
  parameter int unsigned RaisePercent = 80,
  parameter int unsigned ClearPercent = 70,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1),
  localparam int unsigned HoldW = $clog2(HoldDepth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings; see uplink_pause.
  input logic [47:0]         mac_i,
  input logic [NumPrios-1:0] lossless_i,
  input logic [15:0]         quanta_i,
  input logic [RoomW-1:0]    xoff_level_i,
  input logic [RoomW-1:0]    xon_level_i,
  input logic [15:0]         limit_i,

  // The MAC's receive side. There is no ready.
  input logic   rx_valid_i,
  input bytes_t rx_data_i,
  input keep_t  rx_keep_i,
  input logic   rx_last_i,
  input logic   rx_error_i,  // with the last beat
  input RxTag   rx_tag_i,

  // To the inside, each queue by itself.
  output logic   [NumQueues-1:0] in_valid_o,
  input  logic   [NumQueues-1:0] in_ready_i,
  output bytes_t [NumQueues-1:0] in_data_o,
  output keep_t  [NumQueues-1:0] in_keep_o,
  output logic   [NumQueues-1:0] in_last_o,
  output RxTag   [NumQueues-1:0] in_tag_o,

  // From the inside.
  input  logic         to_valid_i,
  output logic         to_ready_o,  // depends on `to_prio_i`
  input  bytes_t       to_data_i,
  input  keep_t        to_keep_i,
  input  logic         to_last_i,
  input  TxTag         to_tag_i,
  input  logic   [2:0] to_prio_i,   // with a frame's first beat
  output logic [NumQueues-1:0][HoldW-1:0] to_level_o,  // beats in the queues of uplink_hold

  // The MAC's transmit side.
  output logic   tx_valid_o,
  input  logic   tx_ready_i,
  output bytes_t tx_data_o,
  output keep_t  tx_keep_o,
  output logic   tx_last_o,
  output TxTag   tx_tag_o,

  // States, and events kept until they are cleared (uplink_watchdog, uplink_alarm). Levels are of
  // the queue that is fullest.
  output logic [NumPrios-1:0]       paused_o,
  output logic [NumPrios-1:0]       xoff_o,
  output logic [NumPrios-1:0]       storm_o,
  output logic [NumPrios-1:0]       stormed_o,
  output logic [NumPrios-1:0]       resumed_o,
  input  logic [NumPrios-1:0]       clear_stormed_i,
  input  logic [NumPrios-1:0]       clear_resumed_i,
  output logic [NumPrios-1:0][15:0] storms_o,
  output logic                      alarm_o,
  output logic                      alarmed_o,
  output logic [RoomW-1:0]          peak_o,
  input  logic                      clear_alarm_i,

  // Counters (flow_e) since reset; they wrap. An event shows three cycles after it at most.
  output logic [NumFlow-1:0][31:0] count_o
);

  typedef struct packed {
    RxTag       tag;
    logic [NumQueues-1:0] to;   // the queue of a frame, with its first beat
  } marked_t;
  typedef struct packed {
    bytes_t data;
    keep_t  keep;
    RxTag   tag;
  } rx_beat_t;
  typedef struct packed {
    bytes_t data;
    keep_t  keep;
    TxTag   tag;
  } tx_beat_t;

  if (highest(QueueOf) >= NumQueues) begin : gen_check_queues
    $fatal(1, "%m: QueueOf must name no queue but those that are there");
  end
  if (MaxBeats > HoldDepth) begin : gen_check
    $fatal(1, "%m: MaxBeats must be up to HoldDepth");
  end

  // ---------------------------------------------------------------------------------------------
  // Receiving

  logic valid, last, error, obeyed, other;
  logic taken, drop_room, drop_long, drop_bad;
  rx_beat_t                            beat;
  rx_beat_t [NumQueues-1:0]            shown;
  logic     [NumQueues-1:0][RoomW-1:0] level;
  logic pause_valid, pause_ready;
  logic [2:0] prio;
  logic [NumQueues-1:0] to;
  bytes_t  pause;
  marked_t marked, behind;

  // Looked up in front of the register of uplink_pause, so that no queue waits for it.
  assign prio     = flow_prio(rx_data_i, rx_keep_i);
  assign marked   = '{tag: rx_tag_i, to: to};
  assign beat.tag = behind.tag;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_to
    assign to[q] = QueueOf[prio] == 3'(q);
  end

  uplink_pause #(
    .Tag          (marked_t),
    .NumQueues    (NumQueues),
    .QueueOf      (QueueOf),
    .Depth        (RoomDepth),
    .RxQuantumStep(RxQuantumStep),
    .TxQuantumStep(TxQuantumStep),
    .TickCycles   (TickCycles)
  ) u_pause (
    .clk_i,
    .rst_ni,
    .mac_i,
    .lossless_i,
    .quanta_i,
    .xoff_level_i,
    .xon_level_i,
    .limit_i,
    .in_valid_i   (rx_valid_i),
    .in_data_i    (rx_data_i),
    .in_keep_i    (rx_keep_i),
    .in_last_i    (rx_last_i),
    .in_error_i   (rx_error_i),
    .in_tag_i     (marked),
    .out_valid_o  (valid),
    .out_data_o   (beat.data),
    .out_keep_o   (beat.keep),
    .out_last_o   (last),
    .out_error_o  (error),
    .out_tag_o    (behind),
    .obeyed_o     (obeyed),
    .other_o      (other),
    .paused_o,
    .storm_o,
    .stormed_o,
    .resumed_o,
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o,
    .level_i      (level),
    .xoff_o,
    .pause_valid_o(pause_valid),
    .pause_ready_i(pause_ready),
    .pause_data_o (pause)
  );

  uplink_room #(
    .T        (rx_beat_t),
    .NumQueues(NumQueues),
    .Depth    (RoomDepth),
    .MaxBeats (MaxBeats)
  ) u_room (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid),
    .in_last_i  (last),
    .in_bad_i   (error),
    .in_to_i    (behind.to),
    .in_i       (beat),
    .taken_o    (taken),
    .drop_room_o(drop_room),
    .drop_long_o(drop_long),
    .drop_bad_o (drop_bad),
    .out_valid_o(in_valid_o),
    .out_ready_i(in_ready_i),
    .out_last_o (in_last_o),
    .out_o      (shown),
    .level_o    (level)
  );

  for (genvar q = 0; q < NumQueues; q++) begin : gen_shown
    assign in_data_o[q] = shown[q].data;
    assign in_keep_o[q] = shown[q].keep;
    assign in_tag_o[q]  = shown[q].tag;
  end

  logic [RoomW-1:0] most, most_q;
  logic raised;
  always_comb begin
    most = level[0];
    for (int unsigned q = 1; q < NumQueues; q++) if (level[q] > most) most = level[q];
  end
  always_ff @(posedge clk_i) most_q <= rst_ni ? most : '0;

  uplink_alarm #(
    .Depth       (RoomDepth),
    .RaisePercent(RaisePercent),
    .ClearPercent(ClearPercent)
  ) u_alarm (
    .clk_i,
    .rst_ni,
    .level_i (most_q),
    .alarm_o,
    .raised_o(raised),
    .clear_i (clear_alarm_i),
    .alarmed_o,
    .peak_o
  );

  // ---------------------------------------------------------------------------------------------
  // Sending

  logic out_valid, out_ready, out_last;
  tx_beat_t to_beat, out;
  logic [NumQueues-1:0] drop_storm;

  assign to_beat = '{data: to_data_i, keep: to_keep_i, tag: to_tag_i};

  uplink_hold #(
    .T        (tx_beat_t),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (HoldDepth)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .in_valid_i (to_valid_i),
    .in_ready_o (to_ready_o),
    .in_last_i  (to_last_i),
    .in_prio_i  (to_prio_i),
    .in_i       (to_beat),
    .paused_i   (paused_o),
    .storm_i    (storm_o),
    .drop_o     (drop_storm),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_last_o (out_last),
    .out_o      (out),
    .level_o    (to_level_o)
  );

  shell_out #(
    .Tag(TxTag)
  ) u_out (
    .clk_i,
    .rst_ni,
    .in_valid_i   (out_valid),
    .in_ready_o   (out_ready),
    .in_data_i    (out.data),
    .in_keep_i    (out.keep),
    .in_last_i    (out_last),
    .in_tag_i     (out.tag),
    .pause_valid_i(pause_valid),
    .pause_ready_o(pause_ready),
    .pause_data_i (pause),
    .out_valid_o  (tx_valid_o),
    .out_ready_i  (tx_ready_i),
    .out_data_o   (tx_data_o),
    .out_keep_o   (tx_keep_o),
    .out_last_o   (tx_last_o),
    .out_tag_o    (tx_tag_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Counting. Several queues may drop in one cycle, and several priorities come into a storm.

  localparam int unsigned StepW = 4;
  logic [NumFlow-1:0] [StepW-1:0] step_q;
  logic [NumPrios-1:0]            storm_q;

  function automatic logic [StepW-1:0] ones(logic [NumPrios-1:0] bits);
    ones = '0;
    for (int unsigned i = 0; i < NumPrios; i++) ones += StepW'(bits[i]);
  endfunction

  always_ff @(posedge clk_i) begin
    storm_q                <= storm_o;
    step_q                 <= '0;
    step_q[FlowRx]         <= StepW'(taken);
    step_q[FlowDropRoom]   <= StepW'(drop_room);
    step_q[FlowDropLong]   <= StepW'(drop_long);
    step_q[FlowDropBad]    <= StepW'(drop_bad);
    step_q[FlowRxPause]    <= StepW'(obeyed);
    step_q[FlowRxControl]  <= StepW'(other);
    step_q[FlowTx]         <= StepW'(out_valid && out_ready && out_last);
    step_q[FlowDropStorm]  <= ones(NumPrios'(drop_storm));
    step_q[FlowTxPause]    <= StepW'(pause_valid && pause_ready);
    step_q[FlowHeldCycles] <= StepW'(paused_o != '0);
    step_q[FlowXoffCycles] <= StepW'(xoff_o != '0);
    step_q[FlowStorm]      <= ones(storm_o & ~storm_q);
    step_q[FlowAlarm]      <= StepW'(raised);
    for (int unsigned c = 0; c < NumFlow; c++) count_o[c] <= count_o[c] + 32'(step_q[c]);
    if (!rst_ni) begin
      storm_q <= '0;
      step_q  <= '0;
      count_o <= '0;
    end
  end

endmodule
