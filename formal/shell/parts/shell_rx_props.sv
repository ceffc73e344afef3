// shell_rx beside its parts, whose answers are free (`cuts` of the task): what each is given, what
// of theirs leaves, and when the other end is asked to pause. One queue and one priority are
// followed. The two clocks tick as they like.
module shell_rx_props
  import shell_pkg::*;
#(
  parameter int unsigned NumQueues = 2,
  parameter queue_of_t QueueOf = 24'o10001010
) (
  input logic        rx_clk_i,
  input logic        clk_i,
  input logic        rst_ni,
  input logic        rx_rst_ni,
  input logic        in_valid_i,
  input bytes_t      in_data_i,
  input keep_t       in_keep_i,
  input logic        in_last_i,
  input logic        in_error_i,
  input logic [1:0]  in_tag_i,
  input logic [2:0]  untagged_i,
  input logic [15:0] limit_i,
  input logic        ignore_i,
  input logic        out_ready_i,
  input logic [$clog2(BeatBytes)-1:0] byte_i,   // any
  input logic [2:0]  prio_i                     // any
);

  localparam int unsigned Depth = 16;
  localparam int unsigned Xoff = 9;
  localparam int unsigned Xon = 4;

  logic [NumPrios-1:0] paused, expired, xoff;
  logic                drop, obeyed, other, fired, valid, last, error;
  bytes_t              data;
  keep_t               keep;
  logic [1:0]          tag;

  shell_rx #(
    .Tag      (logic [1:0]),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (Depth),
    .XoffLevel(Xoff),
    .XonLevel (Xon)
  ) u_dut (
    .rx_clk_i,
    .rx_rst_ni,
    .in_valid_i,
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_error_i,
    .in_tag_i,
    .untagged_i,
    .limit_i,
    .ignore_i,
    .paused_o   (paused),
    .expired_o  (expired),
    .xoff_o     (xoff),
    .drop_o     (drop),
    .obeyed_o   (obeyed),
    .other_o    (other),
    .fired_o    (fired),
    .clk_i,
    .rst_ni,
    .out_valid_o(valid),
    .out_ready_i,
    .out_data_o (data),
    .out_keep_o (keep),
    .out_last_o (last),
    .out_error_o(error),
    .out_tag_o  (tag)
  );

  // A beat in a queue: data, bytes kept, error, tag.
  localparam int unsigned KeepAt = 3;
  localparam int unsigned DataAt = KeepAt + BeatBytes;
  localparam int unsigned BeatW = DataAt + BeatBits;
  logic [BeatW-1:0] put, got;
  logic [7:0]       put_byte, got_byte;
  assign put      = u_dut.u_queues.in_i;
  assign got      = u_dut.u_queues.out_o;
  assign put_byte = put[DataAt+8*32'(byte_i)+:8];
  assign got_byte = got[DataAt+8*32'(byte_i)+:8];

  // The beat's priority, if it is a frame's first: of an outer VLAN tag, if there is one.
  logic       has_tag;
  logic [2:0] prio;
  bytes_t     first;
  assign first   = u_dut.u_pause.out_data_o;
  assign has_tag = u_dut.u_pause.out_keep_o[14] &&
      ((first[12] == 8'h81 && first[13] == 8'h00) || (first[12] == 8'h88 && first[13] == 8'hA8));
  assign prio    = has_tag ? first[14][7:5] : untagged_i;

  // The queue of the followed priority: how full, and whether the other end was to stop.
  logic [2:0]             past_q, prio_q, queue;
  logic [$clog2(Depth):0] level;
  logic                   full_q, stop_q;
  initial past_q = '0;
  assign queue = QueueOf[prio_q];
  assign level = u_dut.u_queues.level_o[queue[$clog2(NumQueues)-1:0]];
  always_ff @(posedge rx_clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    if (!past_q[0]) prio_q <= prio_i;
    if (32'(level) >= Xoff) full_q <= 1'b1;
    if (32'(level) <= Xon) full_q <= 1'b0;
    stop_q <= full_q;
    if (!rx_rst_ni) {full_q, stop_q} <= '0;
  end

  logic reset_q;
  initial reset_q = 1'b0;
  always_ff @(posedge rx_clk_i) reset_q <= past_q[0] && (reset_q || !rx_rst_ni);

  always_comb begin
    // What comes in goes through the filter of pause frames first, as it is.
    a_in : assert (u_dut.u_pause.in_valid_i == in_valid_i &&
        u_dut.u_pause.in_data_i[byte_i] == in_data_i[byte_i] &&
        u_dut.u_pause.in_keep_i[byte_i] == in_keep_i[byte_i] &&
        u_dut.u_pause.in_last_i == in_last_i && u_dut.u_pause.in_error_i == in_error_i &&
        u_dut.u_pause.in_tag_i == in_tag_i)
    else $error("byte %0d", byte_i);
    // All up to the queues is of the MAC's clock and its reset; what leaves them, of the core's.
    a_clocks : assert (u_dut.u_pause.clk_i == rx_clk_i && u_dut.u_pause.rst_ni == rx_rst_ni &&
        u_dut.u_watchdog.clk_i == rx_clk_i && u_dut.u_watchdog.rst_ni == rx_rst_ni &&
        u_dut.u_queues.wr_clk_i == rx_clk_i && u_dut.u_queues.wr_rst_ni == rx_rst_ni &&
        u_dut.u_queues.rd_clk_i == clk_i && u_dut.u_queues.rd_rst_ni == rst_ni)
    else $error("another clock or reset");
    // What that lets through goes to the queues, as it is.
    a_queued : assert (u_dut.u_queues.in_valid_i == u_dut.u_pause.out_valid_o &&
        u_dut.u_queues.in_last_i == u_dut.u_pause.out_last_o &&
        put_byte == u_dut.u_pause.out_data_o[byte_i] &&
        put[KeepAt+32'(byte_i)] == u_dut.u_pause.out_keep_o[byte_i] &&
        put[2:0] == {u_dut.u_pause.out_error_o, u_dut.u_pause.out_tag_o})
    else $error("byte %0d", byte_i);
    // With the priority of its VLAN tag, or that of frames without one.
    a_prio : assert (u_dut.u_queues.in_prio_i == prio)
    else $error("priority %0d instead of %0d", u_dut.u_queues.in_prio_i, prio);
    // No pause holds what is received: the core waits by itself.
    a_free : assert (u_dut.u_queues.paused_i == '0 && u_dut.u_queues.out_ready_i == out_ready_i)
    else $error("paused %b", u_dut.u_queues.paused_i);
    // What leaves the queues leaves, as it is.
    a_out : assert (valid == u_dut.u_queues.out_valid_o && last == u_dut.u_queues.out_last_o &&
        data[byte_i] == got_byte && keep[byte_i] == got[KeepAt+32'(byte_i)] &&
        {error, tag} == got[2:0])
    else $error("byte %0d", byte_i);
    // The watchdog looks at what pause frames say, and says which of that counts.
    a_watched : assert (u_dut.u_watchdog.paused_i == u_dut.u_pause.paused_o &&
        u_dut.u_watchdog.limit_i == limit_i && u_dut.u_watchdog.ignore_i == ignore_i &&
        paused == u_dut.u_watchdog.hold_o &&
        expired == u_dut.u_watchdog.expired_o)
    else $error("paused %b", paused);
    // Events are those of the part that sees them.
    a_events : assert (drop == u_dut.u_queues.drop_o && obeyed == u_dut.u_pause.obeyed_o &&
        other == u_dut.u_pause.other_o && fired == u_dut.u_watchdog.fired_o)
    else $error("events");
  end

  always_comb begin
    if (reset_q && past_q[0]) begin
      // A priority is to be paused by the other end from when its queue is at the upper level until
      // it is at the lower one, two cycles behind.
      a_xoff : assert (xoff[prio_q] == stop_q)
      else $error("priority %0d: %b", prio_q, xoff[prio_q]);
      // The step between (helps the proof).
      a_level : assert (u_dut.xoff_q[queue[$clog2(NumQueues)-1:0]] == full_q)
      else $error("queue %0d", queue);
    end
  end

  always_ff @(posedge rx_clk_i) begin
    // A frame of a tagged priority goes to the last queue.
    c_tagged : cover (u_dut.u_queues.in_valid_i && has_tag && 32'(QueueOf[prio]) == NumQueues - 1);
    // A priority stays paused between the levels.
    c_between : cover (reset_q && stop_q && full_q && 32'(level) == Xon + 1);
  end

endmodule
