// shell_queues: what leaves several queues between two clocks, while priorities are paused and
// either clock is reset.
module shell_queues_props #(
  /// Queues.
  parameter int unsigned NumQueues = 2
) (
  input logic       wr_clk_i,
  input logic       wr_rst_ni,
  input logic       in_valid_i,
  input logic       in_last_i,
  input logic [2:0] in_prio_i,
  input logic       in_i,
  input logic       rd_clk_i,
  input logic       rd_rst_ni,
  input logic [7:0] paused_i,
  input logic       out_ready_i
);

  logic                      in_ready, drop, out_valid, out_last, out, wr_seen_q, rd_seen_q;
  logic [NumQueues-1:0][2:0] level;

  initial wr_seen_q = 1'b0;
  initial rd_seen_q = 1'b0;
  always_ff @(posedge wr_clk_i) wr_seen_q <= 1'b1;
  always_ff @(posedge rd_clk_i) rd_seen_q <= 1'b1;

  shell_queues #(
    .T        (logic),
    .NumQueues(NumQueues),
    .QueueOf  (24'o00001000),
    .Depth    (4)
  ) u_dut (
    .wr_clk_i,
    .wr_rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_prio_i,
    .in_i,
    .drop_o     (drop),
    .level_o    (level),
    .rd_clk_i,
    .rd_rst_ni,
    .paused_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (out)
  );

  // A frame has been shown and its end not taken, and of which queue it is.
  logic                 open_q;
  logic [NumQueues-1:0] chosen_q;
  logic [2:0]           prio;
  always_ff @(posedge rd_clk_i) begin
    open_q   <= rd_rst_ni && out_valid && !(out_last && out_ready_i);
    chosen_q <= u_dut.chosen;
  end
  always_comb begin
    prio = '0;
    for (int unsigned q = 0; q < NumQueues; q++) if (u_dut.chosen[q]) prio = u_dut.entry[q].prio;
  end

  always_comb begin
    // After power-up, with both resets low, both ends stand in CLEAR and know it of each other.
    e_start : assume (wr_seen_q || rd_seen_q || (!open_q && !u_dut.busy_q &&
        {u_dut.u_reset.wr_phase_q, u_dut.u_reset.rd_phase_q, u_dut.u_reset.u_sync_wr.meta_q,
         u_dut.u_reset.u_sync_wr.sync_q, u_dut.u_reset.u_sync_rd.meta_q,
         u_dut.u_reset.u_sync_rd.sync_q} == '1));
  end

  always_ff @(posedge rd_clk_i) begin
    // Each beat behind a frame's first is there in every cycle until the last is taken, whatever is
    // paused meanwhile and whoever is reset but the reader itself; a MAC would underflow.
    a_no_hole : assert (!open_q || out_valid)
    else $error("a hole inside a frame");
    // A frame's beats are all of one queue.
    a_not_mixed : assert (!open_q || (u_dut.chosen == chosen_q && $onehot(chosen_q)))
    else $error("beats of two frames are mixed");
    // No frame begins to leave while its priority is paused.
    a_paused : assert (open_q || !out_valid || !paused_i[prio])
    else $error("a frame of priority %0d begins", prio);
    // While the pointers are at zero nothing is shown.
    a_quiet : assert (!u_dut.rd_clear || !rd_rst_ni || !out_valid)
    else $error("shown while cleared");
    // A frame that has begun goes on although its priority is paused.
    c_goes_on : cover (open_q && paused_i[prio] && out_ready_i);
    // A frame overtakes one of another queue that is paused.
    c_overtakes : cover (out_valid && !open_q && u_dut.valid == '1 && paused_i != '0);
  end

endmodule
