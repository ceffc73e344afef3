// shell_port: which wire goes where between a MAC, both directions, counters and the device, and of
// which clock each part is.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own. The three clocks tick as they like.
module shell_port_props
  import shell_pkg::*;
#(
  /// 1: the priority of a frame from the core is that of its tid.
  parameter bit PrioFromId = 1'b0,
  parameter int unsigned UserW = 3,
  parameter int unsigned IdW = 4
) (
  input logic [47:0]          mac_i,
  input logic [2:0]           untagged_i,
  input logic [NumPrios-1:0]  pfc_prios_i,
  input logic [15:0]          pfc_quanta_i,
  input logic [15:0]          watchdog_limit_i,
  input logic                 watchdog_ignore_i,
  input logic                 rx_clk_i,
  input logic                 rx_rst_ni,
  input logic                 rx_axis_tvalid,
  input logic [BeatBits-1:0]  rx_axis_tdata,
  input logic [BeatBytes-1:0] rx_axis_tkeep,
  input logic                 rx_axis_tlast,
  input logic [UserW-1:0]     rx_axis_tuser,
  input logic [IdW-1:0]       rx_axis_tid,
  input logic                 tx_clk_i,
  input logic                 tx_rst_ni,
  input logic                 tx_axis_tready,
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 m_axis_tready,
  input logic                 s_axis_tvalid,
  input logic [BeatBits-1:0]  s_axis_tdata,
  input logic [BeatBytes-1:0] s_axis_tkeep,
  input logic                 s_axis_tlast,
  input logic [UserW-1:0]     s_axis_tuser,
  input logic [IdW-1:0]       s_axis_tid
);

  logic                       tx_axis_tvalid, tx_axis_tlast, m_axis_tvalid, m_axis_tlast;
  logic [BeatBits-1:0]        tx_axis_tdata, m_axis_tdata;
  logic [BeatBytes-1:0]       tx_axis_tkeep, m_axis_tkeep;
  logic [UserW-1:0]           tx_axis_tuser, m_axis_tuser;
  logic [IdW-1:0]             tx_axis_tid, m_axis_tid;
  logic                       s_axis_tready;
  logic [NumEvents-1:0][31:0] count;
  logic [NumPrios-1:0]        paused, expired, xoff;

  shell_port #(
    .UserW     (UserW),
    .IdW       (IdW),
    .NumQueues (2),
    .QueueOf   (24'o10001010),
    .RxDepth   (16),
    .XoffLevel (9),
    .XonLevel  (4),
    .TxDepth   (4),
    .PrioFromId(PrioFromId)
  ) u_dut (
    .mac_i,
    .untagged_i,
    .pfc_prios_i,
    .pfc_quanta_i,
    .watchdog_limit_i,
    .watchdog_ignore_i,
    .rx_clk_i,
    .rx_rst_ni,
    .rx_axis_tvalid,
    .rx_axis_tdata,
    .rx_axis_tkeep,
    .rx_axis_tlast,
    .rx_axis_tuser,
    .rx_axis_tid,
    .tx_clk_i,
    .tx_rst_ni,
    .tx_axis_tvalid,
    .tx_axis_tready,
    .tx_axis_tdata,
    .tx_axis_tkeep,
    .tx_axis_tlast,
    .tx_axis_tuser,
    .tx_axis_tid,
    .clk_i,
    .rst_ni,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tid,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tid,
    .count_o   (count),
    .paused_o  (paused),
    .expired_o (expired),
    .xoff_o    (xoff)
  );

  // The priority of a frame from the core, by its first beat.
  logic       has_tag;
  logic [2:0] prio;
  assign has_tag = s_axis_tkeep[14] &&
      (s_axis_tdata[8*12+:16] == 16'h0081 || s_axis_tdata[8*12+:16] == 16'hA888);
  assign prio    = PrioFromId ? s_axis_tid[2:0] : has_tag ? s_axis_tdata[8*14+5+:3] : untagged_i;

  // Each event's clock, and what is to be counted.
  logic [NumEvents-1:0] clock, event_now;
  always_comb begin
    clock                 = {NumEvents{rx_clk_i}};
    clock[EventTxDrop]    = clk_i;
    clock[EventTxPause]   = tx_clk_i;
    event_now             = '0;
    event_now[EventRxDrop]    = u_dut.u_rx.drop_o;
    event_now[EventRxPause]   = u_dut.u_rx.obeyed_o;
    event_now[EventRxControl] = u_dut.u_rx.other_o;
    event_now[EventWatchdog]  = u_dut.u_rx.fired_o;
    event_now[EventTxDrop]    = u_dut.u_tx.drop_o;
    event_now[EventTxPause]   = u_dut.u_tx.sent_o;
  end

  always_comb begin
    // What is received is of the MAC's receive clock, what is sent of its transmit clock; the
    // device's clock is at the other end of both.
    a_clocks : assert (
        {u_dut.u_rx.rx_clk_i, u_dut.u_rx.rx_rst_ni, u_dut.u_rx.clk_i, u_dut.u_rx.rst_ni} ==
        {rx_clk_i, rx_rst_ni, clk_i, rst_ni} &&
        {u_dut.u_tx.tx_clk_i, u_dut.u_tx.tx_rst_ni, u_dut.u_tx.clk_i, u_dut.u_tx.rst_ni} ==
        {tx_clk_i, tx_rst_ni, clk_i, rst_ni} && u_dut.u_sync.clk_i == clk_i)
    else $error("another clock or reset");
    // What the MAC received comes in as it is; the lowest bit beside it is an error.
    a_receives : assert (u_dut.u_rx.in_valid_i == rx_axis_tvalid &&
        u_dut.u_rx.in_data_i == rx_axis_tdata && u_dut.u_rx.in_keep_i == rx_axis_tkeep &&
        u_dut.u_rx.in_last_i == rx_axis_tlast && u_dut.u_rx.in_error_i == rx_axis_tuser[0] &&
        u_dut.u_rx.in_tag_i == {rx_axis_tuser, rx_axis_tid})
    else $error("another beat");
    // The receiving side has the constants of priorities and of the watchdog.
    a_constants : assert (u_dut.u_rx.untagged_i == untagged_i &&
        u_dut.u_rx.limit_i == watchdog_limit_i && u_dut.u_rx.ignore_i == watchdog_ignore_i)
    else $error("another constant");
    // The device gets what leaves that, the error again in the lowest bit.
    a_given : assert (m_axis_tvalid == u_dut.u_rx.out_valid_o &&
        m_axis_tdata == u_dut.u_rx.out_data_o && m_axis_tkeep == u_dut.u_rx.out_keep_o &&
        m_axis_tlast == u_dut.u_rx.out_last_o && m_axis_tuser[0] == u_dut.u_rx.out_error_o &&
        {m_axis_tuser[UserW-1:1], m_axis_tid} ==
        {u_dut.u_rx.out_tag_o.user[UserW-1:1], u_dut.u_rx.out_tag_o.id} &&
        u_dut.u_rx.out_ready_i == m_axis_tready)
    else $error("another beat for the device");
    // What the device sends goes in as it is.
    a_sends : assert (u_dut.u_tx.in_valid_i == s_axis_tvalid &&
        u_dut.u_tx.in_data_i == s_axis_tdata && u_dut.u_tx.in_keep_i == s_axis_tkeep &&
        u_dut.u_tx.in_last_i == s_axis_tlast &&
        u_dut.u_tx.in_tag_i == {s_axis_tuser, s_axis_tid} &&
        s_axis_tready == u_dut.u_tx.in_ready_o)
    else $error("another beat of the device");
    // With the priority of its VLAN tag, of frames without one if there is none, or of its tid.
    a_prio : assert (u_dut.u_tx.in_prio_i == prio)
    else $error("priority %0d instead of %0d", u_dut.u_tx.in_prio_i, prio);
    // What was paused is not sent; the other end is asked to pause priorities for which there is no
    // room, if they are to be paused at all.
    a_pauses : assert (u_dut.u_tx.paused_i == u_dut.u_rx.paused_o &&
        u_dut.u_tx.xoff_i == (pfc_prios_i & u_dut.u_rx.xoff_o) && u_dut.u_tx.mac_i == mac_i &&
        u_dut.u_tx.quanta_i == pfc_quanta_i)
    else $error("paused %b", u_dut.u_tx.paused_i);
    // The MAC gets what leaves that.
    a_leaves : assert (tx_axis_tvalid == u_dut.u_tx.out_valid_o &&
        tx_axis_tdata == u_dut.u_tx.out_data_o && tx_axis_tkeep == u_dut.u_tx.out_keep_o &&
        tx_axis_tlast == u_dut.u_tx.out_last_o &&
        {tx_axis_tuser, tx_axis_tid} == u_dut.u_tx.out_tag_o &&
        u_dut.u_tx.out_ready_i == tx_axis_tready)
    else $error("another beat for the MAC");
    // States are shown as they cross to the device's clock, each in its place.
    a_states : assert (u_dut.u_sync.in_i[0+:NumPrios] == u_dut.u_rx.xoff_o &&
        u_dut.u_sync.in_i[NumPrios+:NumPrios] == u_dut.u_rx.expired_o &&
        u_dut.u_sync.in_i[2*NumPrios+:NumPrios] == u_dut.u_rx.paused_o &&
        xoff == u_dut.u_sync.out_o[0+:NumPrios] &&
        expired == u_dut.u_sync.out_o[NumPrios+:NumPrios] &&
        paused == u_dut.u_sync.out_o[2*NumPrios+:NumPrios])
    else $error("paused %b", paused);
  end

  for (genvar e = 0; e < NumEvents; e++) begin : gen_event
    always_comb begin
      // An event is counted from the clock in which it happens, in its place.
      a_counts : assert (u_dut.gen_count[e].u_count.event_i == event_now[e] &&
          u_dut.gen_count[e].u_count.src_clk_i == clock[e] &&
          u_dut.gen_count[e].u_count.clk_i == clk_i &&
          u_dut.gen_count[e].u_count.rst_ni == rst_ni &&
          count[e] == u_dut.gen_count[e].u_count.count_o)
      else $error("event %0d", e);
    end
  end

  always_ff @(posedge clk_i) begin
    // The device sends a frame of the highest priority while the MAC receives another one.
    c_both : cover (prio == 3'd7 && s_axis_tvalid && s_axis_tready && rx_axis_tvalid);
    // The MAC takes a beat while a priority is paused.
    c_paused : cover (tx_axis_tvalid && tx_axis_tready && paused != '0 && clk_i != tx_clk_i);
  end

endmodule
