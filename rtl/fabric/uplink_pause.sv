// Priority flow control of one port (802.1Qbb; Meta RoCE 5.1): what the neighbour asks for, and
// what it is asked for.
//
// Pause frames are taken out of what is received and set a timer for each priority; one that is
// paused for too long is in a storm. The other way: priorities of `lossless_i` whose queue has come
// to `xoff_level_i` beats are paused, until it is down to `xon_level_i`. What the queue has above
// must hold all that comes until the neighbour has stopped (uplink_flow_pkg::headroom); then
// nothing of it is lost. A beat leaves in the cycle after it came; nobody waits.
module uplink_pause
  import shell_pkg::*;
#(
  /// What a beat carries beside data, bytes kept, last and error.
  parameter type Tag = logic,
  /// Queues of what is received, 1 to 8, and which of them a priority has.
  parameter int unsigned NumQueues = 1,
  parameter queue_of_t QueueOf = '0,
  /// Beats of a queue, for the width of its level.
  parameter int unsigned Depth = 1024,
  /// Quanta of 512 bit times in a cycle, in 1/65536, rounded down and up. 100 Gb/s at
  /// 322.265625 MHz: 39718, 39719.
  parameter int unsigned RxQuantumStep = 39718,
  parameter int unsigned TxQuantumStep = 39719,
  /// See uplink_watchdog.
  parameter int unsigned TickCycles = 9375,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings. `quanta_i`: time to ask for, more than twice the longest frame's; `limit_i`: ticks of
  // the watchdog, 0 for none.
  input logic [47:0]         mac_i,
  input logic [NumPrios-1:0] lossless_i,
  input logic [15:0]         quanta_i,
  input logic [CountW-1:0]   xoff_level_i,
  input logic [CountW-1:0]   xon_level_i,   // less
  input logic [15:0]         limit_i,

  // Received, before and behind.
  input  logic   in_valid_i,
  input  bytes_t in_data_i,
  input  keep_t  in_keep_i,
  input  logic   in_last_i,
  input  logic   in_error_i,
  input  Tag     in_tag_i,
  output logic   out_valid_o,
  output bytes_t out_data_o,
  output keep_t  out_keep_o,
  output logic   out_last_o,
  output logic   out_error_o,
  output Tag     out_tag_o,
  output logic   obeyed_o,     // a pause frame was taken
  output logic   other_o,      // another control frame, or one in error, was thrown away

  // What must not be sent, and what of it is to be dropped.
  output logic [NumPrios-1:0]       paused_o,
  output logic [NumPrios-1:0]       storm_o,
  output logic [NumPrios-1:0]       stormed_o,
  output logic [NumPrios-1:0]       resumed_o,
  input  logic [NumPrios-1:0]       clear_stormed_i,
  input  logic [NumPrios-1:0]       clear_resumed_i,
  output logic [NumPrios-1:0][15:0] storms_o,

  // The queues' levels, who is asked to pause, and pause frames to be sent: of one beat of
  // `MinFrame` bytes, that stay until they are taken.
  input  logic   [NumQueues-1:0][CountW-1:0] level_i,
  output logic   [NumPrios-1:0]              xoff_o,
  output logic                               pause_valid_o,
  input  logic                               pause_ready_i,
  output bytes_t                             pause_data_o
);

  logic [NumQueues-1:0] full_q;

  shell_pause_rx #(
    .Tag        (Tag),
    .QuantumStep(RxQuantumStep)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_error_i,
    .in_tag_i,
    .out_valid_o,
    .out_data_o,
    .out_keep_o,
    .out_last_o,
    .out_error_o,
    .out_tag_o,
    .paused_o,
    .obeyed_o,
    .other_o
  );

  uplink_watchdog #(
    .TickCycles(TickCycles)
  ) u_watchdog (
    .clk_i,
    .rst_ni,
    .limit_i,
    .paused_i(paused_o),
    .storm_o,
    .stormed_o,
    .resumed_o,
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (level_i[q] >= xoff_level_i) full_q[q] <= 1'b1;
      else if (level_i[q] <= xon_level_i) full_q[q] <= 1'b0;
    end
    if (!rst_ni) full_q <= '0;
  end

  always_comb begin
    xoff_o = '0;
    for (int unsigned p = 0; p < NumPrios; p++) begin
      for (int unsigned q = 0; q < NumQueues; q++) begin
        if (32'(QueueOf[p]) == q) xoff_o[p] = full_q[q] && lossless_i[p];
      end
    end
  end

  shell_pause_tx #(
    .QuantumStep(TxQuantumStep)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .mac_i,
    .quanta_i,
    .xoff_i     (xoff_o),
    .out_valid_o(pause_valid_o),
    .out_ready_i(pause_ready_i),
    .out_data_o (pause_data_o)
  );

endmodule
