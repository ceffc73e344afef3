// shell_tx: which wire goes where between the core, queues, pause frames and the MAC, and of which
// clock each part is.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own. The two clocks tick as they like.
module shell_tx_props
  import shell_pkg::*;
(
  input logic                clk_i,
  input logic                rst_ni,
  input logic                in_valid_i,
  input bytes_t              in_data_i,
  input keep_t               in_keep_i,
  input logic                in_last_i,
  input logic [1:0]          in_tag_i,
  input logic [2:0]          in_prio_i,
  input logic                tx_clk_i,
  input logic                tx_rst_ni,
  input logic [NumPrios-1:0] paused_i,
  input logic [NumPrios-1:0] xoff_i,
  input logic [47:0]         mac_i,
  input logic [15:0]         quanta_i,
  input logic                out_ready_i
);

  logic       in_ready, drop, sent, valid, last;
  bytes_t     data;
  keep_t      keep;
  logic [1:0] tag;

  shell_tx #(
    .Tag      (logic [1:0]),
    .NumQueues(2),
    .QueueOf  (24'o10001010),
    .Depth    (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_tag_i,
    .in_prio_i,
    .drop_o     (drop),
    .tx_clk_i,
    .tx_rst_ni,
    .paused_i,
    .xoff_i,
    .mac_i,
    .quanta_i,
    .sent_o     (sent),
    .out_valid_o(valid),
    .out_ready_i,
    .out_data_o (data),
    .out_keep_o (keep),
    .out_last_o (last),
    .out_tag_o  (tag)
  );

  // A beat in a queue.
  typedef struct packed {
    bytes_t     data;
    keep_t      keep;
    logic [1:0] tag;
  } beat_t;
  beat_t put, got;
  assign put = u_dut.u_queues.in_i;
  assign got = u_dut.u_queues.out_o;

  always_comb begin
    // Queues are written by the core's clock; all behind them is of the MAC's.
    a_clocks : assert (u_dut.u_queues.wr_clk_i == clk_i && u_dut.u_queues.wr_rst_ni == rst_ni &&
        u_dut.u_queues.rd_clk_i == tx_clk_i && u_dut.u_queues.rd_rst_ni == tx_rst_ni &&
        u_dut.u_sync.clk_i == tx_clk_i && u_dut.u_pause.clk_i == tx_clk_i &&
        u_dut.u_pause.rst_ni == tx_rst_ni && u_dut.u_out.clk_i == tx_clk_i &&
        u_dut.u_out.rst_ni == tx_rst_ni)
    else $error("another clock or reset");
    // What comes in is queued as it is, with its priority; what is dropped is told of.
    a_queued : assert (u_dut.u_queues.in_valid_i == in_valid_i && put.data == in_data_i &&
        put.keep == in_keep_i && put.tag == in_tag_i && u_dut.u_queues.in_last_i == in_last_i &&
        u_dut.u_queues.in_prio_i == in_prio_i && in_ready == u_dut.u_queues.in_ready_o &&
        drop == u_dut.u_queues.drop_o)
    else $error("another beat");
    // Pauses cross to the MAC's clock; those of the other end stop queues, the device's own make
    // pause frames.
    a_pauses : assert (u_dut.u_sync.in_i[0+:NumPrios] == xoff_i &&
        u_dut.u_sync.in_i[NumPrios+:NumPrios] == paused_i &&
        u_dut.u_pause.xoff_i == u_dut.u_sync.out_o[0+:NumPrios] &&
        u_dut.u_queues.paused_i == u_dut.u_sync.out_o[NumPrios+:NumPrios])
    else $error("paused %b", u_dut.u_queues.paused_i);
    // Pause frames have the sender and the time that are set.
    a_constants : assert (u_dut.u_pause.mac_i == mac_i && u_dut.u_pause.quanta_i == quanta_i)
    else $error("another constant");
    // What leaves the queues and pause frames meet in front of the MAC.
    a_meet : assert (u_dut.u_out.in_valid_i == u_dut.u_queues.out_valid_o &&
        u_dut.u_queues.out_ready_i == u_dut.u_out.in_ready_o &&
        {u_dut.u_out.in_data_i, u_dut.u_out.in_keep_i, u_dut.u_out.in_tag_i} == got &&
        u_dut.u_out.in_last_i == u_dut.u_queues.out_last_o &&
        u_dut.u_out.pause_valid_i == u_dut.u_pause.out_valid_o &&
        u_dut.u_pause.out_ready_i == u_dut.u_out.pause_ready_o &&
        u_dut.u_out.pause_data_i == u_dut.u_pause.out_data_o)
    else $error("another beat in front of the MAC");
    // A pause frame counts as sent when it is taken there.
    a_sent : assert (sent == (u_dut.u_pause.out_valid_o && u_dut.u_out.pause_ready_o))
    else $error("sent %b", sent);
    // The MAC gets what leaves that.
    a_leaves : assert (valid == u_dut.u_out.out_valid_o && data == u_dut.u_out.out_data_o &&
        keep == u_dut.u_out.out_keep_o && last == u_dut.u_out.out_last_o &&
        tag == u_dut.u_out.out_tag_o && u_dut.u_out.out_ready_i == out_ready_i)
    else $error("another beat for the MAC");
  end

  always_ff @(posedge tx_clk_i) begin
    // A pause frame is sent while a frame waits, and while the core's clock stands.
    c_sent : cover (sent && u_dut.u_queues.out_valid_o && !clk_i);
    // A frame leaves while its priority may be paused.
    c_paused : cover (valid && out_ready_i && u_dut.u_queues.paused_i != '0);
  end

endmodule
