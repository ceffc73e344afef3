// uplink_port: which wire goes where between pauses, the two sides' queues, the alarm and the last
// stage, whose queue a frame has, and what is counted.
//
// What the five make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: uplink_pause, uplink_room, uplink_alarm,
// uplink_hold, shell_out.
module uplink_port_props
  import shell_pkg::*;
  import uplink_flow_pkg::*;
#(
  localparam int unsigned NumQueues = 3,
  localparam int unsigned RoomDepth = 16,
  localparam int unsigned HoldDepth = 8,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1),
  localparam int unsigned HoldW = $clog2(HoldDepth + 1)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [47:0]          mac_i,
  input logic [NumPrios-1:0]  lossless_i,
  input logic [15:0]          quanta_i,
  input logic [RoomW-1:0]     xoff_level_i,
  input logic [RoomW-1:0]     xon_level_i,
  input logic [15:0]          limit_i,
  input logic                 rx_valid_i,
  input bytes_t               rx_data_i,
  input keep_t                rx_keep_i,
  input logic                 rx_last_i,
  input logic                 rx_error_i,
  input logic [1:0]           rx_tag_i,
  input logic [NumQueues-1:0] in_ready_i,
  input logic                 to_valid_i,
  input bytes_t               to_data_i,
  input keep_t                to_keep_i,
  input logic                 to_last_i,
  input logic [2:0]           to_tag_i,
  input logic [2:0]           to_prio_i,
  input logic                 tx_ready_i,
  input logic [NumPrios-1:0]  clear_stormed_i,
  input logic [NumPrios-1:0]  clear_resumed_i,
  input logic                 clear_alarm_i,
  input logic [3:0]           counter_i,   // any
  input logic [1:0]           queue_i      // any
);

  // Priority 0 has queue 0, 1 has 2, 2 has 1, and so on.
  localparam queue_of_t QueueOf = 24'o12001120;

  logic   [NumQueues-1:0]            in_valid, in_last;
  bytes_t [NumQueues-1:0]            in_data;
  keep_t  [NumQueues-1:0]            in_keep;
  logic   [NumQueues-1:0][1:0]       in_tag;
  logic   [NumQueues-1:0][HoldW-1:0] to_level;
  logic                              to_ready, tx_valid, tx_last, alarm, alarmed;
  bytes_t                            tx_data;
  keep_t                             tx_keep;
  logic [2:0]                        tx_tag;
  logic [NumPrios-1:0]               paused, xoff, storm, stormed, resumed;
  logic [NumPrios-1:0][15:0]         storms;
  logic [RoomW-1:0]                  peak;
  logic [NumFlow-1:0][31:0]          count;

  uplink_port #(
    .RxTag    (logic [1:0]),
    .TxTag    (logic [2:0]),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .RoomDepth(RoomDepth),
    .HoldDepth(HoldDepth),
    .MaxBeats (6)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .mac_i,
    .lossless_i,
    .quanta_i,
    .xoff_level_i,
    .xon_level_i,
    .limit_i,
    .rx_valid_i,
    .rx_data_i,
    .rx_keep_i,
    .rx_last_i,
    .rx_error_i,
    .rx_tag_i,
    .in_valid_o(in_valid),
    .in_ready_i,
    .in_data_o (in_data),
    .in_keep_o (in_keep),
    .in_last_o (in_last),
    .in_tag_o  (in_tag),
    .to_valid_i,
    .to_ready_o(to_ready),
    .to_data_i,
    .to_keep_i,
    .to_last_i,
    .to_tag_i,
    .to_prio_i,
    .to_level_o(to_level),
    .tx_valid_o(tx_valid),
    .tx_ready_i,
    .tx_data_o (tx_data),
    .tx_keep_o (tx_keep),
    .tx_last_o (tx_last),
    .tx_tag_o  (tx_tag),
    .paused_o  (paused),
    .xoff_o    (xoff),
    .storm_o   (storm),
    .stormed_o (stormed),
    .resumed_o (resumed),
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o  (storms),
    .alarm_o   (alarm),
    .alarmed_o (alarmed),
    .peak_o    (peak),
    .clear_alarm_i,
    .count_o   (count)
  );

  // The priority of a frame by its first beat (Meta RoCE 5.1).
  logic [15:0] of_type;
  logic [2:0]  prio;
  assign of_type = {rx_data_i[12], rx_data_i[13]};
  always_comb begin
    prio = '0;
    if (rx_keep_i[14]) begin
      case (of_type)
        16'h8100: prio = rx_data_i[14][7:5];
        16'h0800: if (rx_keep_i[15] && rx_data_i[14][7:4] == 4'd4) prio = rx_data_i[15][7:5];
        16'h86DD: if (rx_data_i[14][7:4] == 4'd6) prio = rx_data_i[14][3:1];
        default:  prio = '0;
      endcase
    end
  end

  // One queue, and whether it is the frame's.
  logic [1:0] any_queue_q, queue;
  logic       mine;
  assign queue = (any_queue_q < 2'(NumQueues)) ? any_queue_q : '0;
  always_comb begin
    case (queue)
      2'd0:    mine = prio == 3'd0 || prio == 3'd4 || prio == 3'd5;
      2'd1:    mine = prio == 3'd2 || prio == 3'd3 || prio == 3'd7;
      default: mine = prio == 3'd1 || prio == 3'd6;
    endcase
  end

  // One counter: what happens in a cycle, and has happened a cycle and two cycles ago.
  logic [3:0]          any_q, counter;
  logic [3:0]          more, more_q, more2_q;
  logic [31:0]         count_q;
  logic [NumPrios-1:0] storm_q;   // a cycle ago, none behind a reset
  logic                ready_q, out_left;
  logic [2:0]          past_q;    // so many cycles have gone by
  initial past_q = '0;
  assign counter = (any_q < 4'(NumFlow)) ? any_q : '0;
  assign out_left = u_dut.u_out.in_valid_i && u_dut.u_out.in_ready_o;
  always_comb begin
    case (flow_e'(counter))
      FlowRx:         more = 4'(u_dut.u_room.taken_o);
      FlowDropRoom:   more = 4'(u_dut.u_room.drop_room_o);
      FlowDropLong:   more = 4'(u_dut.u_room.drop_long_o);
      FlowDropBad:    more = 4'(u_dut.u_room.drop_bad_o);
      FlowRxPause:    more = 4'(u_dut.u_pause.obeyed_o);
      FlowRxControl:  more = 4'(u_dut.u_pause.other_o);
      FlowTx:         more = 4'(out_left && u_dut.u_out.in_last_i);
      FlowDropStorm:  more = 4'($countones(u_dut.u_hold.drop_o));
      FlowTxPause:    more = 4'(u_dut.u_out.pause_valid_i && u_dut.u_out.pause_ready_o);
      FlowHeldCycles: more = (paused == '0) ? 4'd0 : 4'd1;
      FlowXoffCycles: more = (xoff == '0) ? 4'd0 : 4'd1;
      FlowStorm:      more = 4'($countones(storm & ~storm_q));
      default:        more = 4'(u_dut.u_alarm.raised_o);
    endcase
  end
  // Levels of the received queues a cycle ago.
  logic [NumQueues-1:0][RoomW-1:0] level_q;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    if (!past_q[0]) begin
      any_queue_q <= queue_i;
      any_q       <= counter_i;
    end
    ready_q <= rst_ni;
    storm_q <= rst_ni ? storm : '0;
    more_q  <= rst_ni ? more : '0;
    more2_q <= more_q;
    count_q <= count[counter];
    level_q <= rst_ni ? u_dut.u_room.level_o : '0;
  end

  always_ff @(posedge clk_i) begin
    // All five are reset.
    a_reset : assert ({u_dut.u_pause.rst_ni, u_dut.u_room.rst_ni, u_dut.u_alarm.rst_ni,
                       u_dut.u_hold.rst_ni, u_dut.u_out.rst_ni} == {5{rst_ni}})
    else $error("reset");
    // Settings reach who has them.
    a_settings : assert ({u_dut.u_pause.mac_i, u_dut.u_pause.lossless_i, u_dut.u_pause.quanta_i,
                          u_dut.u_pause.xoff_level_i, u_dut.u_pause.xon_level_i,
                          u_dut.u_pause.limit_i} ==
                         {mac_i, lossless_i, quanta_i, xoff_level_i, xon_level_i, limit_i})
    else $error("other settings");
    // What software clears is cleared.
    a_clears : assert (u_dut.u_pause.clear_stormed_i == clear_stormed_i &&
                       u_dut.u_pause.clear_resumed_i == clear_resumed_i &&
                       u_dut.u_alarm.clear_i == clear_alarm_i)
    else $error("another event is cleared");

    // What the MAC hands over goes to who reads pause frames.
    a_rx : assert ({u_dut.u_pause.in_valid_i, u_dut.u_pause.in_data_i, u_dut.u_pause.in_keep_i,
                    u_dut.u_pause.in_last_i, u_dut.u_pause.in_error_i} ==
                   {rx_valid_i, rx_data_i, rx_keep_i, rx_last_i, rx_error_i} &&
                   u_dut.u_pause.in_tag_i.tag == rx_tag_i)
    else $error("another beat comes in");
    // Of a frame its queue goes with its first beat: the one of its priority.
    a_queue : assert (!past_q[0] || u_dut.u_pause.in_tag_i.to[queue] == mine)
    else $error("queue %0d, priority %0d", queue, prio);
    // Behind it frames wait for the inside.
    a_room : assert ({u_dut.u_room.in_valid_i, u_dut.u_room.in_last_i, u_dut.u_room.in_bad_i,
                      u_dut.u_room.in_to_i} ==
                     {u_dut.u_pause.out_valid_o, u_dut.u_pause.out_last_o,
                      u_dut.u_pause.out_error_o, u_dut.u_pause.out_tag_o.to} &&
                     u_dut.u_room.in_i == {u_dut.u_pause.out_data_o, u_dut.u_pause.out_keep_o,
                                           u_dut.u_pause.out_tag_o.tag})
    else $error("another beat waits");
    // Each queue is shown to the inside, which takes what it likes.
    a_in : assert (!past_q[0] ||
                   ({in_valid[queue], in_last[queue], in_data[queue], in_keep[queue],
                     in_tag[queue]} ==
                    {u_dut.u_room.out_valid_o[queue], u_dut.u_room.out_last_o[queue],
                     u_dut.u_room.out_o[queue]} &&
                    u_dut.u_room.out_ready_i[queue] == in_ready_i[queue]))
    else $error("queue %0d", queue);
    // Pauses are asked for by the levels of these queues.
    a_level : assert (u_dut.u_pause.level_i == u_dut.u_room.level_o)
    else $error("other levels");
    // The alarm is about the fullest of them, a cycle ago: none has more, and one has as much.
    a_fullest : assert (!past_q[1] ||
                        (u_dut.u_alarm.level_i >= level_q[queue] &&
                         (u_dut.u_alarm.level_i == level_q[0] ||
                          u_dut.u_alarm.level_i == level_q[1] ||
                          u_dut.u_alarm.level_i == level_q[2])))
    else $error("%0d beats", u_dut.u_alarm.level_i);
    // It is told.
    a_alarm : assert ({alarm, alarmed, peak} == {u_dut.u_alarm.alarm_o, u_dut.u_alarm.alarmed_o,
                                                 u_dut.u_alarm.peak_o})
    else $error("alarm %b", alarm);

    // What the inside hands over waits in its turn, and the inside for it.
    a_hold : assert ({u_dut.u_hold.in_valid_i, u_dut.u_hold.in_last_i, u_dut.u_hold.in_prio_i,
                      u_dut.u_hold.in_i} ==
                     {to_valid_i, to_last_i, to_prio_i, to_data_i, to_keep_i, to_tag_i} &&
                     to_ready == u_dut.u_hold.in_ready_o && to_level == u_dut.u_hold.level_o)
    else $error("another beat is held");
    // It is held by the neighbour's pauses, and dropped in their storms; both are told.
    a_held : assert (u_dut.u_hold.paused_i == u_dut.u_pause.paused_o &&
                     paused == u_dut.u_pause.paused_o &&
                     u_dut.u_hold.storm_i == u_dut.u_pause.storm_o &&
                     storm == u_dut.u_pause.storm_o)
    else $error("held: %b, dropped: %b", u_dut.u_hold.paused_i, u_dut.u_hold.storm_i);
    // So are the other states of pauses.
    a_told : assert ({xoff, stormed, resumed, storms} ==
                     {u_dut.u_pause.xoff_o, u_dut.u_pause.stormed_o, u_dut.u_pause.resumed_o,
                      u_dut.u_pause.storms_o})
    else $error("other states");
    // What may leave goes to the last stage.
    a_leaves : assert ({u_dut.u_out.in_valid_i, u_dut.u_out.in_last_i, u_dut.u_out.in_data_i,
                        u_dut.u_out.in_keep_i, u_dut.u_out.in_tag_i} ==
                       {u_dut.u_hold.out_valid_o, u_dut.u_hold.out_last_o, u_dut.u_hold.out_o} &&
                       u_dut.u_hold.out_ready_i == u_dut.u_out.in_ready_o)
    else $error("another beat leaves");
    // So do pause frames.
    a_pause : assert (u_dut.u_out.pause_valid_i == u_dut.u_pause.pause_valid_o &&
                      u_dut.u_out.pause_data_i == u_dut.u_pause.pause_data_o &&
                      u_dut.u_pause.pause_ready_i == u_dut.u_out.pause_ready_o)
    else $error("another pause frame");
    // And from there to the MAC.
    a_tx : assert ({tx_valid, tx_data, tx_keep, tx_last, tx_tag} ==
                   {u_dut.u_out.out_valid_o, u_dut.u_out.out_data_o, u_dut.u_out.out_keep_o,
                    u_dut.u_out.out_last_o, u_dut.u_out.out_tag_o} &&
                   u_dut.u_out.out_ready_i == tx_ready_i)
    else $error("another beat is sent");

    // What is counted grows by what happened two cycles ago, of several queues and priorities by
    // each of them; behind a reset nothing has happened.
    a_counts : assert (!past_q[2] || !ready_q || count[counter] == count_q + 32'(more2_q))
    else $error("counter %0d: %0d", counter, count[counter]);
    a_zero : assert (!past_q[2] || ready_q || count[counter] == '0)
    else $error("counter %0d behind a reset", counter);

    // Two queues drop in one cycle; all priorities come into a storm.
    c_two : cover (past_q[2] && ready_q && counter == FlowDropStorm && more2_q == 4'd2 &&
                   count[counter] == 32'd3);
    c_all : cover (past_q[2] && ready_q && counter == FlowStorm && more2_q == 4'd8);
  end

endmodule
