// From a MAC's receive clock into the core's: pause frames taken out, whole frames queued.
//
// The MAC cannot wait, so a frame that finds its queue full is dropped whole and counted. Before
// that the queue asks for pause: `xoff_o` of a queue's priorities rises when `XoffLevel` places are
// taken, and falls at `XonLevel`. What is above must hold all that comes until the other end stops
// (docs/integration.md). Frames that the MAC found in error go to the core, which counts them.
module shell_rx
  import shell_pkg::*;
#(
  /// What a beat carries beside data, bytes kept, last and error.
  parameter type Tag = logic,
  /// Queues, 1 to 8, and which of them a priority has.
  parameter int unsigned NumQueues = 1,
  parameter queue_of_t QueueOf = '0,
  /// Beats of a queue; power of two, 4 or more.
  parameter int unsigned Depth = 1024,
  /// Beats at which pause is asked for, 2 to Depth - 1, and at which it ends, 1 to XoffLevel - 1.
  parameter int unsigned XoffLevel = 512,
  parameter int unsigned XonLevel = 256,
  /// See shell_pause_rx, shell_watchdog.
  parameter int unsigned QuantumStep = 39718,
  parameter int unsigned TickCycles = 322266
) (
  // From the MAC.
  input logic       rx_clk_i,
  input logic       rx_rst_ni,
  input logic       in_valid_i,
  input bytes_t     in_data_i,
  input keep_t      in_keep_i,
  input logic       in_last_i,
  input logic       in_error_i,
  input Tag         in_tag_i,
  input logic [2:0] untagged_i,       // priority of frames without VLAN tag; constant

  // Constants of the watchdog, and what is known of pauses, all of the receive clock.
  input  logic [15:0]         limit_i,
  input  logic                ignore_i,
  output logic [NumPrios-1:0] paused_o,    // not to be sent
  output logic [NumPrios-1:0] expired_o,
  output logic [NumPrios-1:0] xoff_o,      // to be paused by the other end
  output logic                drop_o,      // events
  output logic                obeyed_o,
  output logic                other_o,
  output logic                fired_o,

  // To the core.
  input  logic   clk_i,
  input  logic   rst_ni,
  output logic   out_valid_o,
  input  logic   out_ready_i,
  output bytes_t out_data_o,
  output keep_t  out_keep_o,
  output logic   out_last_o,
  output logic   out_error_o,
  output Tag     out_tag_o
);

  if (XoffLevel < 2 || XoffLevel >= Depth || XonLevel < 1 || XonLevel >= XoffLevel)
  begin : gen_check
    $fatal(1, "%m: XonLevel must be 1 or more, XoffLevel above it and below Depth");
  end

  localparam int unsigned Aw = $clog2(Depth);

  typedef struct packed {
    bytes_t data;
    keep_t  keep;
    logic   error;
    Tag     tag;
  } beat_t;

  logic                       valid, last;
  logic [NumPrios-1:0]        paused;
  beat_t                      beat, out;
  logic [NumQueues-1:0][Aw:0] level;
  logic [NumQueues-1:0]       xoff_q;

  shell_pause_rx #(
    .Tag        (Tag),
    .QuantumStep(QuantumStep)
  ) u_pause (
    .clk_i      (rx_clk_i),
    .rst_ni     (rx_rst_ni),
    .in_valid_i,
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_error_i,
    .in_tag_i,
    .out_valid_o(valid),
    .out_data_o (beat.data),
    .out_keep_o (beat.keep),
    .out_last_o (last),
    .out_error_o(beat.error),
    .out_tag_o  (beat.tag),
    .paused_o   (paused),
    .obeyed_o,
    .other_o
  );

  shell_watchdog #(
    .TickCycles(TickCycles)
  ) u_watchdog (
    .clk_i   (rx_clk_i),
    .rst_ni  (rx_rst_ni),
    .limit_i,
    .ignore_i,
    .paused_i(paused),
    .hold_o  (paused_o),
    .expired_o,
    .fired_o
  );

  shell_queues #(
    .T        (beat_t),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (Depth),
    .Wait     (1'b0)
  ) u_queues (
    .wr_clk_i   (rx_clk_i),
    .wr_rst_ni  (rx_rst_ni),
    .in_valid_i (valid),
    /* verilator lint_off PINCONNECTEMPTY */
    .in_ready_o (),   // always
    /* verilator lint_on PINCONNECTEMPTY */
    .in_last_i  (last),
    .in_prio_i  (prio_of(beat.data, beat.keep[14], untagged_i)),
    .in_i       (beat),
    .drop_o,
    .level_o    (level),
    .rd_clk_i   (clk_i),
    .rd_rst_ni  (rst_ni),
    .paused_i   ('0),
    .out_valid_o,
    .out_ready_i,
    .out_last_o,
    .out_o      (out)
  );
  assign out_data_o  = out.data;
  assign out_keep_o  = out.keep;
  assign out_error_o = out.error;
  assign out_tag_o   = out.tag;

  always_ff @(posedge rx_clk_i) begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (level[q] >= (Aw + 1)'(XoffLevel)) xoff_q[q] <= 1'b1;
      else if (level[q] <= (Aw + 1)'(XonLevel)) xoff_q[q] <= 1'b0;
      for (int unsigned p = 0; p < NumPrios; p++) if (32'(QueueOf[p]) == q) xoff_o[p] <= xoff_q[q];
    end
    if (!rx_rst_ni) begin
      xoff_q <= '0;
      xoff_o <= '0;
    end
  end

endmodule
