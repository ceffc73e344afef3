// From the core's clock into a MAC's transmit clock: whole frames, held while their priority is
// paused, with pause frames between them.
//
// A frame begins to leave when all of it is in its queue, and then has no holes. The core waits
// while the queue of its frame is full. A frame longer than a queue is dropped and counted.
module shell_tx
  import shell_pkg::*;
#(
  /// What a beat carries beside data, bytes kept and last.
  parameter type Tag = logic,
  /// Queues, 1 to 8, and which of them a priority has.
  parameter int unsigned NumQueues = 1,
  parameter queue_of_t QueueOf = '0,
  /// Beats of a queue; power of two, at least the longest frame's.
  parameter int unsigned Depth = 256,
  /// See shell_pause_tx.
  parameter int unsigned QuantumStep = 39719
) (
  // From the core.
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  bytes_t     in_data_i,
  input  keep_t      in_keep_i,
  input  logic       in_last_i,
  input  Tag         in_tag_i,
  input  logic [2:0] in_prio_i,    // with the first beat
  output logic       drop_o,

  // To the MAC.
  input  logic                tx_clk_i,
  input  logic                tx_rst_ni,
  input  logic [NumPrios-1:0] paused_i,    // of any clock, each bit by itself
  input  logic [NumPrios-1:0] xoff_i,
  input  logic [47:0]         mac_i,       // constant
  input  logic [15:0]         quanta_i,    // constant
  output logic                sent_o,      // a pause frame was sent
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output bytes_t              out_data_o,
  output keep_t               out_keep_o,
  output logic                out_last_o,
  output Tag                  out_tag_o
);

  typedef struct packed {
    bytes_t data;
    keep_t  keep;
    Tag     tag;
  } beat_t;

  logic                valid, ready, last, pause_valid, pause_ready;
  logic [NumPrios-1:0] paused, xoff;
  beat_t               taken, beat;
  bytes_t              pause;

  assign taken = '{data: in_data_i, keep: in_keep_i, tag: in_tag_i};

  shell_sync #(
    .Width(2 * NumPrios)
  ) u_sync (
    .clk_i(tx_clk_i),
    .in_i ({paused_i, xoff_i}),
    .out_o({paused, xoff})
  );

  shell_queues #(
    .T        (beat_t),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (Depth),
    .Wait     (1'b1)
  ) u_queues (
    .wr_clk_i   (clk_i),
    .wr_rst_ni  (rst_ni),
    .in_valid_i,
    .in_ready_o,
    .in_last_i,
    .in_prio_i,
    .in_i       (taken),
    .drop_o,
    /* verilator lint_off PINCONNECTEMPTY */
    .level_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .rd_clk_i   (tx_clk_i),
    .rd_rst_ni  (tx_rst_ni),
    .paused_i   (paused),
    .out_valid_o(valid),
    .out_ready_i(ready),
    .out_last_o (last),
    .out_o      (beat)
  );

  shell_pause_tx #(
    .QuantumStep(QuantumStep)
  ) u_pause (
    .clk_i      (tx_clk_i),
    .rst_ni     (tx_rst_ni),
    .mac_i,
    .quanta_i,
    .xoff_i     (xoff),
    .out_valid_o(pause_valid),
    .out_ready_i(pause_ready),
    .out_data_o (pause)
  );
  assign sent_o = pause_valid && pause_ready;

  shell_out #(
    .Tag(Tag)
  ) u_out (
    .clk_i        (tx_clk_i),
    .rst_ni       (tx_rst_ni),
    .in_valid_i   (valid),
    .in_ready_o   (ready),
    .in_data_i    (beat.data),
    .in_keep_i    (beat.keep),
    .in_last_i    (last),
    .in_tag_i     (beat.tag),
    .pause_valid_i(pause_valid),
    .pause_ready_o(pause_ready),
    .pause_data_i (pause),
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_keep_o,
    .out_last_o,
    .out_tag_o
  );

endmodule
