// uplink_core: which wire goes where between ports, queues that decide, what merges them, and
// links; which uplinks belong to a down port; and frames that met a link that was down.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module uplink_wires_props
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  localparam int unsigned NumDown = 2,
  localparam int unsigned NumUp = 4,
  localparam int unsigned Entries = 2,
  localparam int unsigned NumQueues = 2,
  localparam int unsigned RoomDepth = 512,
  localparam int unsigned NumPorts = NumDown + NumUp,
  localparam int unsigned NumSources = NumPorts * NumQueues,
  localparam int unsigned Ways = NumDown * NumQueues,
  localparam int unsigned RoomW = $clog2(RoomDepth + 1)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input way_settings_t                   way_i,
  input uplink_override_t [Entries-1:0]  override_i,
  input logic [NumUp-1:0]                up_i,
  input logic [47:0]                     mac_i,
  input logic [NumPrios-1:0]             lossless_i,
  input logic [15:0]                     quanta_i,
  input logic [RoomW-1:0]                xoff_level_i,
  input logic [RoomW-1:0]                xon_level_i,
  input logic [15:0]                     limit_i,
  input logic   [NumPorts-1:0]           rx_valid_i,
  input bytes_t [NumPorts-1:0]           rx_data_i,
  input keep_t  [NumPorts-1:0]           rx_keep_i,
  input logic   [NumPorts-1:0]           rx_last_i,
  input logic   [NumPorts-1:0]           rx_error_i,
  input logic   [NumPorts-1:0]           tx_ready_i,
  input logic [NumPorts-1:0][NumPrios-1:0] clear_stormed_i,
  input logic [NumPorts-1:0][NumPrios-1:0] clear_resumed_i,
  input logic [NumPorts-1:0]             clear_alarm_i
);

  logic                                         busy;
  logic   [NumPorts-1:0]                        tx_valid, tx_last, tx_error, alarm, alarmed;
  bytes_t [NumPorts-1:0]                        tx_data;
  keep_t  [NumPorts-1:0]                        tx_keep;
  logic   [NumPorts-1:0][NumPrios-1:0]          paused, xoff, storm, stormed, resumed;
  logic   [NumPorts-1:0][RoomW-1:0]             peak;
  logic   [NumPorts-1:0][NumFlow:0][31:0]       port_count;
  logic   [Ways-1:0][NumWays:0][31:0]           way_count;
  logic   [Ways-1:0]                            read_valid;
  read_t  [Ways-1:0]                            read;
  logic   [NumUp-1:0]                           live;
  source_obs_t [NumSources-1:0]                 source;
  port_obs_t   [NumPorts-1:0]                   seen;

  uplink_core #(
    .NumDown  (NumDown),
    .NumUp    (NumUp),
    .Places   (16),
    .Entries  (Entries),
    .NumQueues(NumQueues),
    .RoomDepth(RoomDepth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .way_i,
    .override_i,
    .up_i,
    .mac_i,
    .lossless_i,
    .quanta_i,
    .xoff_level_i,
    .xon_level_i,
    .limit_i,
    .busy_o      (busy),
    .rx_valid_i,
    .rx_data_i,
    .rx_keep_i,
    .rx_last_i,
    .rx_error_i,
    .tx_valid_o  (tx_valid),
    .tx_ready_i,
    .tx_data_o   (tx_data),
    .tx_keep_o   (tx_keep),
    .tx_last_o   (tx_last),
    .tx_error_o  (tx_error),
    .paused_o    (paused),
    .xoff_o      (xoff),
    .storm_o     (storm),
    .stormed_o   (stormed),
    .resumed_o   (resumed),
    .clear_stormed_i,
    .clear_resumed_i,
    .alarm_o     (alarm),
    .alarmed_o   (alarmed),
    .peak_o      (peak),
    .clear_alarm_i,
    .port_count_o(port_count),
    .way_count_o (way_count),
    .read_valid_o(read_valid),
    .read_o      (read),
    .live_o      (live),
    .source_o    (source),
    .port_o      (seen)
  );

  logic             past_q, alive_q;
  logic [TimeW-1:0] now, now_q;
  logic [Ways-1:0]  busies;
  assign now = u_dut.u_load.now_i;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    alive_q <= rst_ni;
    now_q   <= now;
  end

  // ---------------------------------------------------------------------------------------------
  // Ports, each with its link. Those behind the down ports are uplinks.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [31:0] taken_q, dropped, dropped_q, met_q;   // a cycle ago
    logic        meets_q, down;
    assign dropped = u_dut.gen_port[p].u_port.count_o[FlowDropRoom] +
        u_dut.gen_port[p].u_port.count_o[FlowDropLong] +
        u_dut.gen_port[p].u_port.count_o[FlowDropBad];
    always_ff @(posedge clk_i) begin
      taken_q   <= rst_ni ? u_dut.gen_port[p].u_port.count_o[FlowRx] : '0;
      dropped_q <= rst_ni ? dropped : '0;
      met_q     <= rst_ni ? port_count[p][NumFlow] : '0;
      meets_q   <= rst_ni && u_dut.gen_port[p].u_link.drops_o &&
          u_dut.gen_port[p].u_port.tx_valid_o && u_dut.gen_port[p].u_link.in_ready_o &&
          u_dut.gen_port[p].u_port.tx_last_o;
    end
    if (p < NumDown) begin : gen_down
      assign down = 1'b0;
    end else begin : gen_up
      assign down = !up_i[p-NumDown];
    end

    always_ff @(posedge clk_i) begin
      // A port is reset with all others, and has the settings of all.
      a_settings : assert (u_dut.gen_port[p].u_port.rst_ni == rst_ni &&
          {u_dut.gen_port[p].u_port.mac_i, u_dut.gen_port[p].u_port.lossless_i,
           u_dut.gen_port[p].u_port.quanta_i, u_dut.gen_port[p].u_port.xoff_level_i,
           u_dut.gen_port[p].u_port.xon_level_i, u_dut.gen_port[p].u_port.limit_i} ==
          {mac_i, lossless_i, quanta_i, xoff_level_i, xon_level_i, limit_i})
      else $error("port %0d", p);
      // It takes frames of its own MAC, without a tag.
      a_comes : assert (
          {u_dut.gen_port[p].u_port.rx_valid_i, u_dut.gen_port[p].u_port.rx_data_i,
           u_dut.gen_port[p].u_port.rx_keep_i, u_dut.gen_port[p].u_port.rx_last_i,
           u_dut.gen_port[p].u_port.rx_error_i} ==
          {rx_valid_i[p], rx_data_i[p], rx_keep_i[p], rx_last_i[p], rx_error_i[p]} &&
          !u_dut.gen_port[p].u_port.rx_tag_i && !u_dut.gen_port[p].u_port.to_tag_i)
      else $error("port %0d", p);
      // What it sends goes through its link, which breaks what the port did not.
      a_leaves : assert (
          {u_dut.gen_port[p].u_link.in_valid_i, u_dut.gen_port[p].u_link.in_data_i,
           u_dut.gen_port[p].u_link.in_keep_i, u_dut.gen_port[p].u_link.in_last_i,
           u_dut.gen_port[p].u_link.in_user_i} ==
          {u_dut.gen_port[p].u_port.tx_valid_o, u_dut.gen_port[p].u_port.tx_data_o,
           u_dut.gen_port[p].u_port.tx_keep_o, u_dut.gen_port[p].u_port.tx_last_o, 1'b0} &&
          u_dut.gen_port[p].u_port.tx_ready_i == u_dut.gen_port[p].u_link.in_ready_o)
      else $error("port %0d", p);
      a_out : assert (
          {tx_valid[p], tx_data[p], tx_keep[p], tx_last[p], tx_error[p]} ==
          {u_dut.gen_port[p].u_link.m_axis_tvalid, u_dut.gen_port[p].u_link.m_axis_tdata,
           u_dut.gen_port[p].u_link.m_axis_tkeep, u_dut.gen_port[p].u_link.m_axis_tlast,
           u_dut.gen_port[p].u_link.m_axis_tuser} &&
          u_dut.gen_port[p].u_link.m_axis_tready == tx_ready_i[p])
      else $error("port %0d", p);
      // The link of an uplink may be down, that of a down port is not.
      a_down : assert (u_dut.gen_port[p].u_link.rst_ni == rst_ni &&
                       u_dut.gen_port[p].u_link.down_i == down)
      else $error("port %0d", p);
      // Its states are told and cleared as its own.
      a_states : assert (
          {paused[p], xoff[p], storm[p], stormed[p], resumed[p], alarm[p], alarmed[p], peak[p]} ==
          {u_dut.gen_port[p].u_port.paused_o, u_dut.gen_port[p].u_port.xoff_o,
           u_dut.gen_port[p].u_port.storm_o, u_dut.gen_port[p].u_port.stormed_o,
           u_dut.gen_port[p].u_port.resumed_o, u_dut.gen_port[p].u_port.alarm_o,
           u_dut.gen_port[p].u_port.alarmed_o, u_dut.gen_port[p].u_port.peak_o})
      else $error("port %0d", p);
      a_clears : assert (
          {u_dut.gen_port[p].u_port.clear_stormed_i, u_dut.gen_port[p].u_port.clear_resumed_i,
           u_dut.gen_port[p].u_port.clear_alarm_i} ==
          {clear_stormed_i[p], clear_resumed_i[p], clear_alarm_i[p]})
      else $error("port %0d", p);
      // So are its counters; behind them is that of frames that met a link that was down, as their
      // last beat came to it.
      a_counts : assert (port_count[p][NumFlow-1:0] == u_dut.gen_port[p].u_port.count_o)
      else $error("port %0d", p);
      a_met : assert (!past_q || port_count[p][NumFlow] == met_q + 32'(meets_q))
      else $error("port %0d", p);
      // Who watches sees a frame that was taken or dropped as its counter steps.
      a_seen : assert (!past_q || (seen[p].dropped == (dropped != dropped_q) && seen[p].taken ==
                       (u_dut.gen_port[p].u_port.count_o[FlowRx] != taken_q)))
      else $error("port %0d", p);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Up: queues of down ports decide.

  for (genvar s = 0; s < Ways; s++) begin : gen_way
    localparam int unsigned Port = s / NumQueues;
    localparam int unsigned Queue = s % NumQueues;
    logic [NumUp-1:0] takes;
    for (genvar u = 0; u < NumUp; u++) begin : gen_up
      assign takes[u] = u_dut.gen_up[u].u_merge.in_ready_o[s];
      always_ff @(posedge clk_i) begin
        // An uplink hears of a queue's frame if that has decided for it, and gets it as it is.
        a_mine : assert (
            u_dut.gen_up[u].u_merge.in_valid_i[s] == u_dut.gen_way[s].u_way.out_to_o[u])
        else $error("queue %0d, uplink %0d", s, u);
        a_beat : assert (
            u_dut.gen_up[u].u_merge.in_data_i[s] == u_dut.gen_way[s].u_way.out_data_o &&
            u_dut.gen_up[u].u_merge.in_keep_i[s] == u_dut.gen_way[s].u_way.out_keep_o &&
            u_dut.gen_up[u].u_merge.in_last_i[s] == u_dut.gen_way[s].u_way.out_last_o &&
            u_dut.gen_up[u].u_merge.in_prio_i[s] == u_dut.gen_way[s].u_way.out_prio_o)
        else $error("queue %0d, uplink %0d", s, u);
      end
    end
    assign busies[s] = u_dut.gen_way[s].u_way.busy_o;

    always_ff @(posedge clk_i) begin
      // A queue's frames go on when an uplink takes them.
      a_takes : assert (u_dut.gen_way[s].u_way.out_ready_i == (takes != '0))
      else $error("queue %0d", s);
      // It decides on frames of its port and its queue.
      a_queue : assert (
          u_dut.gen_way[s].u_way.in_valid_i == u_dut.gen_port[Port].u_port.in_valid_o[Queue] &&
          u_dut.gen_way[s].u_way.in_data_i == u_dut.gen_port[Port].u_port.in_data_o[Queue] &&
          u_dut.gen_way[s].u_way.in_keep_i == u_dut.gen_port[Port].u_port.in_keep_o[Queue] &&
          u_dut.gen_way[s].u_way.in_last_i == u_dut.gen_port[Port].u_port.in_last_o[Queue] &&
          u_dut.gen_port[Port].u_port.in_ready_i[Queue] == u_dut.gen_way[s].u_way.in_ready_o)
      else $error("queue %0d", s);
      // By settings, links that are up or may be sent to, the time and loads that all have.
      a_way : assert (u_dut.gen_way[s].u_way.rst_ni == rst_ni &&
          {u_dut.gen_way[s].u_way.settings_i, u_dut.gen_way[s].u_way.override_i,
           u_dut.gen_way[s].u_way.now_i, u_dut.gen_way[s].u_way.up_i,
           u_dut.gen_way[s].u_way.live_i, u_dut.gen_way[s].u_way.least_i,
           u_dut.gen_way[s].u_way.hold_i} ==
          {way_i, override_i, now, up_i, u_dut.u_live.live_o, u_dut.u_load.least_o,
           u_dut.u_live.hold_o})
      else $error("queue %0d", s);
      // What it reads, counts and decides is told as its own.
      a_told : assert ({read_valid[s], read[s], way_count[s], source[s]} ==
          {u_dut.gen_way[s].u_way.read_valid_o, u_dut.gen_way[s].u_way.read_o,
           u_dut.gen_way[s].u_way.count_o, u_dut.gen_way[s].u_way.obs_o})
      else $error("queue %0d", s);
    end
  end

  // Uplinks: their ports send what they merge, and say how full they are.
  for (genvar u = 0; u < NumUp; u++) begin : gen_merge
    localparam int unsigned Port = NumDown + u;
    logic sent_q;
    always_ff @(posedge clk_i) begin
      sent_q <= rst_ni && u_dut.gen_up[u].u_merge.taken_o;
      // An uplink's port sends what comes out of the merge, which knows how full it is.
      a_to : assert (
          {u_dut.gen_port[Port].u_port.to_valid_i, u_dut.gen_port[Port].u_port.to_data_i,
           u_dut.gen_port[Port].u_port.to_keep_i, u_dut.gen_port[Port].u_port.to_last_i,
           u_dut.gen_port[Port].u_port.to_prio_i} ==
          {u_dut.gen_up[u].u_merge.out_valid_o, u_dut.gen_up[u].u_merge.out_data_o,
           u_dut.gen_up[u].u_merge.out_keep_o, u_dut.gen_up[u].u_merge.out_last_o,
           u_dut.gen_up[u].u_merge.out_prio_o} &&
          u_dut.gen_up[u].u_merge.out_ready_i == u_dut.gen_port[Port].u_port.to_ready_o &&
          u_dut.gen_up[u].u_merge.level_i == u_dut.gen_port[Port].u_port.to_level_o &&
          u_dut.gen_up[u].u_merge.rst_ni == rst_ni)
      else $error("uplink %0d", u);
      // A frame that it takes is a load of it a cycle later.
      a_load : assert (!past_q || u_dut.u_load.sent_i[u] == sent_q)
      else $error("uplink %0d", u);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Down: uplink U leads to down port U mod NumDown.

  for (genvar u = 0; u < NumUp; u++) begin : gen_back
    localparam int unsigned Port = NumDown + u;
    localparam int unsigned To = u % NumDown;
    localparam int unsigned Of = u / NumDown;
    for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
      always_ff @(posedge clk_i) begin
        // What comes in at an uplink goes to its down port, in its queue.
        a_back : assert (
            {u_dut.gen_down[To].u_down.in_valid_i[Of][q],
             u_dut.gen_down[To].u_down.in_data_i[Of][q],
             u_dut.gen_down[To].u_down.in_keep_i[Of][q],
             u_dut.gen_down[To].u_down.in_last_i[Of][q]} ==
            {u_dut.gen_port[Port].u_port.in_valid_o[q], u_dut.gen_port[Port].u_port.in_data_o[q],
             u_dut.gen_port[Port].u_port.in_keep_o[q], u_dut.gen_port[Port].u_port.in_last_o[q]} &&
            u_dut.gen_port[Port].u_port.in_ready_i[q] ==
            u_dut.gen_down[To].u_down.in_ready_o[Of][q])
        else $error("uplink %0d, queue %0d", u, q);
        // Who watches sees it as that queue's.
        a_source : assert (source[Port*NumQueues+q] ==
                           u_dut.gen_down[To].u_down.source_o[Of][q])
        else $error("uplink %0d, queue %0d", u, q);
      end
    end
  end

  for (genvar d = 0; d < NumDown; d++) begin : gen_down
    always_ff @(posedge clk_i) begin
      // A down port sends what comes out there, which knows the port's number and how full it is.
      a_to : assert (
          {u_dut.gen_port[d].u_port.to_valid_i, u_dut.gen_port[d].u_port.to_data_i,
           u_dut.gen_port[d].u_port.to_keep_i, u_dut.gen_port[d].u_port.to_last_i,
           u_dut.gen_port[d].u_port.to_prio_i} ==
          {u_dut.gen_down[d].u_down.out_valid_o, u_dut.gen_down[d].u_down.out_data_o,
           u_dut.gen_down[d].u_down.out_keep_o, u_dut.gen_down[d].u_down.out_last_o,
           u_dut.gen_down[d].u_down.out_prio_o})
      else $error("down port %0d", d);
      a_level : assert (
          u_dut.gen_down[d].u_down.out_ready_i == u_dut.gen_port[d].u_port.to_ready_o &&
          u_dut.gen_down[d].u_down.level_i == u_dut.gen_port[d].u_port.to_level_o &&
          u_dut.gen_down[d].u_down.rst_ni == rst_ni &&
          32'(u_dut.gen_down[d].u_down.port_i) == d)
      else $error("down port %0d", d);
    end
  end

  always_ff @(posedge clk_i) begin
    // Time goes on in each cycle, from reset on, for loads as for queues.
    a_time : assert (!past_q || now == (alive_q ? now_q + TimeW'(1) : '0))
    else $error("%0d behind %0d", now, now_q);
    // Loads are of links that may be sent to, which follow those that are up, and are told.
    a_live : assert (u_dut.u_load.rst_ni == rst_ni && u_dut.u_live.rst_ni == rst_ni &&
                     u_dut.u_live.up_i == up_i && u_dut.u_load.live_i == u_dut.u_live.live_o &&
                     live == u_dut.u_live.live_o)
    else $error("links %b", live);
    // The tables of one queue that are being cleared are busy.
    a_busy : assert (busy == (busies != '0))
    else $error("busy %b", busy);

    // A frame goes to an uplink that is up, and one meets a link that is down.
    c_way : cover (rst_ni && u_dut.gen_way[0].u_way.out_to_o[1] && up_i[1] &&
                   u_dut.gen_port[5].u_link.drops_o);
  end

endmodule
