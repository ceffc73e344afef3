// One port between a 100G MAC and a device: three clocks, whole frames both ways, pause both ways.
//
// The MAC's receive side is never made to wait, its transmit side never meets a hole inside a
// frame. `m_axis_*` is what a device has as `s_axis_*`, and the other way round; tuser[0] is an
// error that the MAC found, the rest of tuser, and tid, go with their frame. All clocks must run;
// shell_reset says what resets do. docs/integration.md has an example of the wiring, and what the
// constraints are.
module shell_port
  import shell_pkg::*;
#(
  /// Bits of tuser and of tid, 1 or more.
  parameter int unsigned UserW = 1,
  parameter int unsigned IdW = 1,
  /// Queues each way, 1 to 8, and which of them a priority has (3 bits a priority, the lowest
  /// first).
  parameter int unsigned NumQueues = 1,
  parameter queue_of_t QueueOf = '0,
  /// Beats of a receive queue; beats at which it asks for pause, and at which that ends.
  parameter int unsigned RxDepth = 1024,
  parameter int unsigned XoffLevel = 512,
  parameter int unsigned XonLevel = 256,
  /// Beats of a transmit queue; at least the longest frame's.
  parameter int unsigned TxDepth = 256,
  /// Quanta of 512 bit times in a cycle of the MAC's clocks, in 1/65536, rounded down and up.
  parameter int unsigned RxQuantumStep = 39718,
  parameter int unsigned TxQuantumStep = 39719,
  /// Cycles of the receive clock in a tick of the watchdog (1 ms).
  parameter int unsigned TickCycles = 322266,
  /// 1: the priority of a frame from the core is tid[2:0], not that of its VLAN tag.
  parameter bit PrioFromId = 1'b0
) (
  // Constants while the port works; `pfc_prios_i`: priorities that are paused if there is no room.
  input logic [47:0]         mac_i,
  input logic [2:0]          untagged_i,          // priority of frames without VLAN tag
  input logic [NumPrios-1:0] pfc_prios_i,
  input logic [15:0]         pfc_quanta_i,        // time to ask for; 65535 is usual
  input logic [15:0]         watchdog_limit_i,    // ticks; 200 is usual, 0 none
  input logic                watchdog_ignore_i,   // 1: a pause that is too long is ignored

  // The MAC's receive side. There is no ready.
  input logic                 rx_clk_i,
  input logic                 rx_rst_ni,
  input logic                 rx_axis_tvalid,
  input logic [BeatBits-1:0]  rx_axis_tdata,
  input logic [BeatBytes-1:0] rx_axis_tkeep,
  input logic                 rx_axis_tlast,
  input logic [UserW-1:0]     rx_axis_tuser,
  input logic [IdW-1:0]       rx_axis_tid,

  // The MAC's transmit side. Valid stays high from a frame's first beat to its last.
  input  logic                 tx_clk_i,
  input  logic                 tx_rst_ni,
  output logic                 tx_axis_tvalid,
  input  logic                 tx_axis_tready,
  output logic [BeatBits-1:0]  tx_axis_tdata,
  output logic [BeatBytes-1:0] tx_axis_tkeep,
  output logic                 tx_axis_tlast,
  output logic [UserW-1:0]     tx_axis_tuser,
  output logic [IdW-1:0]       tx_axis_tid,

  // The device's side.
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic [UserW-1:0]     m_axis_tuser,
  output logic [IdW-1:0]       m_axis_tid,

  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [UserW-1:0]     s_axis_tuser,
  input  logic [IdW-1:0]       s_axis_tid,

  // Counters (event_e) and states, of the device's clock. Counters wrap.
  output logic [NumEvents-1:0][31:0] count_o,
  output logic [NumPrios-1:0]        paused_o,    // not sent
  output logic [NumPrios-1:0]        expired_o,   // paused for too long
  output logic [NumPrios-1:0]        xoff_o       // paused by us
);

  if (UserW < 1 || IdW < 1) begin : gen_check_widths
    $fatal(1, "%m: UserW and IdW must be 1 or more");
  end
  if (PrioFromId && IdW < 3) begin : gen_check_id
    $fatal(1, "%m: PrioFromId needs IdW of 3 or more");
  end

  typedef struct packed {
    logic [UserW-1:0] user;   // received: bit 0 goes beside it
    logic [IdW-1:0]   id;
  } tag_t;

  tag_t                 rx_tag, m_tag, s_tag, tx_tag;
  logic                 m_error;
  logic [NumPrios-1:0]  paused, expired, xoff;
  logic [NumEvents-1:0] event_now;   // each of its own clock
  logic [2:0]           prio;

  assign rx_tag = '{user: rx_axis_tuser, id: rx_axis_tid};
  assign s_tag  = '{user: s_axis_tuser, id: s_axis_tid};

  shell_rx #(
    .Tag        (tag_t),
    .NumQueues  (NumQueues),
    .QueueOf    (QueueOf),
    .Depth      (RxDepth),
    .XoffLevel  (XoffLevel),
    .XonLevel   (XonLevel),
    .QuantumStep(RxQuantumStep),
    .TickCycles (TickCycles)
  ) u_rx (
    .rx_clk_i,
    .rx_rst_ni,
    .in_valid_i (rx_axis_tvalid),
    .in_data_i  (rx_axis_tdata),
    .in_keep_i  (rx_axis_tkeep),
    .in_last_i  (rx_axis_tlast),
    .in_error_i (rx_axis_tuser[0]),
    .in_tag_i   (rx_tag),
    .untagged_i,
    .limit_i    (watchdog_limit_i),
    .ignore_i   (watchdog_ignore_i),
    .paused_o   (paused),
    .expired_o  (expired),
    .xoff_o     (xoff),
    .drop_o     (event_now[EventRxDrop]),
    .obeyed_o   (event_now[EventRxPause]),
    .other_o    (event_now[EventRxControl]),
    .fired_o    (event_now[EventWatchdog]),
    .clk_i,
    .rst_ni,
    .out_valid_o(m_axis_tvalid),
    .out_ready_i(m_axis_tready),
    .out_data_o (m_axis_tdata),
    .out_keep_o (m_axis_tkeep),
    .out_last_o (m_axis_tlast),
    .out_error_o(m_error),
    .out_tag_o  (m_tag)
  );
  always_comb begin
    m_axis_tuser    = m_tag.user;
    m_axis_tuser[0] = m_error;
  end
  assign m_axis_tid = m_tag.id;

  if (PrioFromId) begin : gen_id
    assign prio = s_axis_tid[2:0];
  end else begin : gen_vlan
    assign prio = prio_of(s_axis_tdata, s_axis_tkeep[14], untagged_i);
  end

  shell_tx #(
    .Tag        (tag_t),
    .NumQueues  (NumQueues),
    .QueueOf    (QueueOf),
    .Depth      (TxDepth),
    .QuantumStep(TxQuantumStep)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axis_tvalid),
    .in_ready_o (s_axis_tready),
    .in_data_i  (s_axis_tdata),
    .in_keep_i  (s_axis_tkeep),
    .in_last_i  (s_axis_tlast),
    .in_tag_i   (s_tag),
    .in_prio_i  (prio),
    .drop_o     (event_now[EventTxDrop]),
    .tx_clk_i,
    .tx_rst_ni,
    .paused_i   (paused),
    .xoff_i     (xoff & pfc_prios_i),
    .mac_i,
    .quanta_i   (pfc_quanta_i),
    .sent_o     (event_now[EventTxPause]),
    .out_valid_o(tx_axis_tvalid),
    .out_ready_i(tx_axis_tready),
    .out_data_o (tx_axis_tdata),
    .out_keep_o (tx_axis_tkeep),
    .out_last_o (tx_axis_tlast),
    .out_tag_o  (tx_tag)
  );
  assign tx_axis_tuser = tx_tag.user;
  assign tx_axis_tid   = tx_tag.id;

  // ---------------------------------------------------------------------------------------------
  // What the device's side sees of the other clocks.

  shell_sync #(
    .Width(3 * NumPrios)
  ) u_sync (
    .clk_i,
    .in_i ({paused, expired, xoff}),
    .out_o({paused_o, expired_o, xoff_o})
  );

  for (genvar e = 0; e < NumEvents; e++) begin : gen_count
    localparam bit OfTx = e == 32'(EventTxPause);
    localparam bit OfCore = e == 32'(EventTxDrop);
    logic src_clk;
    if (OfTx) begin : gen_tx
      assign src_clk = tx_clk_i;
    end else if (OfCore) begin : gen_core
      assign src_clk = clk_i;
    end else begin : gen_rx
      assign src_clk = rx_clk_i;
    end
    shell_count u_count (
      .src_clk_i(src_clk),
      .event_i  (event_now[e]),
      .clk_i,
      .rst_ni,
      .count_o  (count_o[e])
    );
  end

endmodule
