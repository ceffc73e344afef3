// uplink_pause: who is asked to pause, for any levels of the queues, and which wire goes where
// between what reads pause frames, the watchdog and what makes pause frames.
//
// What the three make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: shell_pause_rx, uplink_watchdog, shell_pause_tx.
module uplink_pause_props
  import shell_pkg::*;
#(
  parameter int unsigned Depth = 12,
  localparam int unsigned NumQueues = 3,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic [47:0]                      mac_i,
  input logic [NumPrios-1:0]              lossless_i,
  input logic [15:0]                      quanta_i,
  input logic [CountW-1:0]                xoff_level_i,
  input logic [CountW-1:0]                xon_level_i,
  input logic [15:0]                      limit_i,
  input logic                             in_valid_i,
  input bytes_t                           in_data_i,
  input keep_t                            in_keep_i,
  input logic                             in_last_i,
  input logic                             in_error_i,
  input logic [2:0]                       in_tag_i,
  input logic [NumPrios-1:0]              clear_stormed_i,
  input logic [NumPrios-1:0]              clear_resumed_i,
  input logic [NumQueues-1:0][CountW-1:0] level_i,
  input logic                             pause_ready_i,
  input logic [2:0]                       prio_i   // any
);

  // Priority 0 has queue 0, 1 has 2, 2 has 1, and so on.
  localparam queue_of_t QueueOf = 24'o12001120;

  logic                      out_valid, out_last, out_error, obeyed, other, pause_valid;
  bytes_t                    out_data, pause_data;
  keep_t                     out_keep;
  logic [2:0]                out_tag;
  logic [NumPrios-1:0]       paused, storm, stormed, resumed, xoff;
  logic [NumPrios-1:0][15:0] storms;

  uplink_pause #(
    .Tag      (logic [2:0]),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (Depth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .mac_i,
    .lossless_i,
    .quanta_i,
    .xoff_level_i,
    .xon_level_i,
    .limit_i,
    .in_valid_i,
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_error_i,
    .in_tag_i,
    .out_valid_o  (out_valid),
    .out_data_o   (out_data),
    .out_keep_o   (out_keep),
    .out_last_o   (out_last),
    .out_error_o  (out_error),
    .out_tag_o    (out_tag),
    .obeyed_o     (obeyed),
    .other_o      (other),
    .paused_o     (paused),
    .storm_o      (storm),
    .stormed_o    (stormed),
    .resumed_o    (resumed),
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o     (storms),
    .level_i,
    .xoff_o       (xoff),
    .pause_valid_o(pause_valid),
    .pause_ready_i,
    .pause_data_o (pause_data)
  );

  // One priority, the level of its queue a cycle ago, and whether it was asked to pause then.
  logic [2:0]        prio_q;
  logic [1:0]        mine;
  logic [CountW-1:0] level_q, high_q, low_q;
  logic              asked, asked_q, reset_q, past_q;
  initial past_q = 1'b0;
  assign mine = (prio_q == 3'd0 || prio_q == 3'd4 || prio_q == 3'd5) ? 2'd0 :
      (prio_q == 3'd1 || prio_q == 3'd6) ? 2'd2 : 2'd1;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!past_q) prio_q <= prio_i;
    reset_q <= !rst_ni;
    level_q <= level_i[mine];
    high_q  <= xoff_level_i;
    low_q   <= xon_level_i;
    asked_q <= u_dut.full_q[mine];
  end
  assign asked = u_dut.full_q[mine];

  // Followed from the second cycle on, in which `prio_q` is there.
  logic past2_q;
  initial past2_q = 1'b0;
  always_ff @(posedge clk_i) past2_q <= past_q;

  always_ff @(posedge clk_i) begin
    // A priority that loses nothing is asked to pause while its queue asks for it; no other is.
    a_xoff : assert (xoff[prio_q] == (lossless_i[prio_q] && asked))
    else $error("priority %0d: %b", prio_q, xoff[prio_q]);
    if (past2_q) begin
      // No queue asks behind a reset.
      a_reset : assert (!reset_q || !asked)
      else $error("queue %0d asks behind a reset", mine);
      // It does once it has come to XOFF.
      a_high : assert (reset_q || level_q < high_q || asked)
      else $error("queue %0d does not ask with %0d beats", mine, level_q);
      // It does no more once it is down to XON.
      a_low : assert (reset_q || level_q >= high_q || level_q > low_q || !asked)
      else $error("queue %0d asks with %0d beats", mine, level_q);
      // Between the two nothing changes.
      a_between : assert (reset_q || level_q >= high_q || level_q <= low_q || asked == asked_q)
      else $error("queue %0d: %b with %0d beats", mine, asked, level_q);
    end

    // All three are reset.
    a_all_reset : assert (u_dut.u_rx.rst_ni == rst_ni && u_dut.u_watchdog.rst_ni == rst_ni &&
                          u_dut.u_tx.rst_ni == rst_ni)
    else $error("reset");
    // What is received goes to who reads pause frames.
    a_in : assert ({u_dut.u_rx.in_valid_i, u_dut.u_rx.in_data_i, u_dut.u_rx.in_keep_i,
                    u_dut.u_rx.in_last_i, u_dut.u_rx.in_error_i, u_dut.u_rx.in_tag_i} ==
                   {in_valid_i, in_data_i, in_keep_i, in_last_i, in_error_i, in_tag_i})
    else $error("another beat is read");
    // What he leaves goes on.
    a_out : assert ({out_valid, out_data, out_keep, out_last, out_error, out_tag} ==
                    {u_dut.u_rx.out_valid_o, u_dut.u_rx.out_data_o, u_dut.u_rx.out_keep_o,
                     u_dut.u_rx.out_last_o, u_dut.u_rx.out_error_o, u_dut.u_rx.out_tag_o})
    else $error("another beat goes on");
    // What he took is told, and what is paused by it.
    a_taken : assert (obeyed == u_dut.u_rx.obeyed_o && other == u_dut.u_rx.other_o &&
                      paused == u_dut.u_rx.paused_o)
    else $error("paused: %b", paused);
    // The watchdog sees the same pauses, and the settings that are its.
    a_watched : assert (u_dut.u_watchdog.paused_i == paused &&
                        u_dut.u_watchdog.limit_i == limit_i &&
                        u_dut.u_watchdog.clear_stormed_i == clear_stormed_i &&
                        u_dut.u_watchdog.clear_resumed_i == clear_resumed_i)
    else $error("the watchdog sees %b", u_dut.u_watchdog.paused_i);
    // What it notices is told.
    a_storm : assert (storm == u_dut.u_watchdog.storm_o && stormed == u_dut.u_watchdog.stormed_o &&
                      resumed == u_dut.u_watchdog.resumed_o && storms == u_dut.u_watchdog.storms_o)
    else $error("storm: %b", storm);
    // Pause frames are about those who are asked to pause, from this device, for the time that is
    // set.
    a_asks : assert (u_dut.u_tx.xoff_i == xoff && u_dut.u_tx.mac_i == mac_i &&
                     u_dut.u_tx.quanta_i == quanta_i)
    else $error("pause frames about %b", u_dut.u_tx.xoff_i);
    // They leave as they were made, when they are taken.
    a_sent : assert (pause_valid == u_dut.u_tx.out_valid_o && pause_data == u_dut.u_tx.out_data_o
                     && u_dut.u_tx.out_ready_i == pause_ready_i)
    else $error("another pause frame");

    // A queue between XON and XOFF asks; another one does not.
    c_between : cover (past2_q && !reset_q && asked && level_q < high_q && level_q > low_q &&
                       xoff[prio_q] && u_dut.full_q != '1);
  end

endmodule
