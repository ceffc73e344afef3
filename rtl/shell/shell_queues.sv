// Queues between two clocks, one a group of priorities, and an arbiter of whole frames behind them.
//
// The priority of a frame's first beat says which queue all of it goes to. A frame whose priority
// is paused does not begin to leave, and those behind it in its queue wait too; a frame that has
// begun ends, without a hole. With `Wait` the writer waits for a full queue, whichever it is, so a
// queue that is paused for long stops the others in the end. Without it frames are dropped whole.
module shell_queues
  import shell_pkg::*;
#(
  /// What a beat carries beside the mark of a frame's last beat.
  parameter type T = logic [7:0],
  /// Queues, 1 to 8.
  parameter int unsigned NumQueues = 1,
  /// Which of them a priority has.
  parameter queue_of_t QueueOf = '0,
  /// Beats of each queue; power of two, 4 or more.
  parameter int unsigned Depth = 256,
  /// 1: a full queue makes the writer wait. 0: it drops the frame that finds it full.
  parameter bit Wait = 1'b0,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input  logic                       wr_clk_i,
  input  logic                       wr_rst_ni,
  input  logic                       in_valid_i,
  output logic                       in_ready_o,   // without `Wait` always
  input  logic                       in_last_i,
  input  logic [2:0]                 in_prio_i,    // with a frame's first beat
  input  T                           in_i,
  output logic                       drop_o,       // a frame is dropped
  output logic [NumQueues-1:0][Aw:0] level_o,

  input  logic                rd_clk_i,
  input  logic                rd_rst_ni,
  input  logic [NumPrios-1:0] paused_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic                out_last_o,
  output T                    out_o
);

  if (NumQueues < 1 || NumQueues > NumPrios) begin : gen_check
    $fatal(1, "%m: NumQueues must be 1 to 8");
  end
  if (highest(QueueOf) >= NumQueues) begin : gen_check_map
    $fatal(1, "%m: QueueOf names a queue that there is not");
  end

  typedef struct packed {
    logic [2:0] prio;
    T           data;
  } entry_t;
  typedef struct packed {
    logic last;
    T     data;
  } shown_t;

  logic wr_up, wr_clear, rd_up, rd_clear, busy_q, request_any;

  shell_reset u_reset (
    .wr_clk_i,
    .wr_rst_ni,
    .wr_up_o   (wr_up),
    .wr_clear_o(wr_clear),
    .rd_clk_i,
    .rd_rst_ni,
    .rd_idle_i (!out_valid_o),
    .rd_up_o   (rd_up),
    .rd_clear_o(rd_clear)
  );

  // ---------------------------------------------------------------------------------------------
  // Writing

  logic                 within_q;
  logic [2:0]           prio, prio_q;
  logic [NumQueues-1:0] to, in_ready, drop;
  entry_t               written;

  // The verdict on a frame's priority is its first beat's.
  assign prio       = within_q ? prio_q : in_prio_i;
  assign in_ready_o = (to & in_ready) != '0;
  assign drop_o     = drop != '0;
  assign written    = '{prio: prio, data: in_i};

  always_ff @(posedge wr_clk_i) begin
    if (in_valid_i && in_ready_o) within_q <= !in_last_i;
    if (!within_q) prio_q <= in_prio_i;
    if (!wr_rst_ni) within_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Reading

  logic [NumQueues-1:0]                      valid, request, grant, chosen, chosen_q;
  entry_t [NumQueues-1:0]                    entry;
  logic [NumQueues-1:0]                      last;
  logic [NumQueues-1:0][$bits(shown_t)-1:0]  shown;
  shown_t                                    out;

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    assign to[q]      = QueueOf[prio] == 3'(q);
    assign request[q] = valid[q] && rd_up && !paused_i[entry[q].prio];
    assign shown[q]   = {last[q], entry[q].data};

    shell_fifo_async #(
      .T    (entry_t),
      .Depth(Depth),
      .Wait (Wait)
    ) u_fifo (
      .wr_clk_i,
      .wr_rst_ni,
      .wr_up_i    (wr_up),
      .wr_clear_i (wr_clear),
      .in_valid_i (in_valid_i && to[q]),
      .in_ready_o (in_ready[q]),
      .in_last_i,
      .in_i       (written),
      .drop_o     (drop[q]),
      .level_o    (level_o[q]),
      .rd_clk_i,
      .rd_clear_i (rd_clear),
      .out_valid_o(valid[q]),
      .out_ready_i(out_ready_i && chosen[q]),
      .out_last_o (last[q]),
      .out_o      (entry[q])
    );
  end

  prim_arb_rr #(
    .N(NumQueues)
  ) u_arbiter (
    .clk_i    (rd_clk_i),
    .rst_ni   (rd_rst_ni && !rd_clear),
    .req_i    (request),
    .advance_i(!busy_q && request_any),
    .gnt_o    (grant),
    /* verilator lint_off PINCONNECTEMPTY */
    .idx_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .valid_o  (request_any)
  );

  assign chosen      = busy_q ? chosen_q : grant;
  assign out_valid_o = busy_q || request_any;
  assign out_last_o  = out.last;
  assign out_o       = out.data;

  if (NumQueues == 1) begin : gen_one
    assign out = shown;
  end else begin : gen_pick
    prim_pick #(
      .Width($bits(shown_t)),
      .Words(NumQueues)
    ) u_pick (
      .in_i    (shown),
      .select_i(chosen),
      .out_o   (out)
    );
  end

  // What has been shown stays, also when its priority is paused meanwhile.
  always_ff @(posedge rd_clk_i) begin
    busy_q   <= out_valid_o && !(out_ready_i && out_last_o);
    chosen_q <= chosen;
    if (!rd_rst_ni || rd_clear) busy_q <= 1'b0;
  end

  always_ff @(posedge rd_clk_i) begin
    if (rd_rst_ni && !rd_clear) begin
      // A frame that has begun goes on every cycle; a MAC would underflow and cut it.
      a_no_hole : assert (!busy_q || (chosen_q & valid) != '0)
      else $error("%m: a hole inside a frame");
    end
  end

endmodule
