// shell_reset: two ends of a queue rest together, whenever either of them is reset, for however
// short a time.
module shell_reset_props (
  input logic wr_clk_i,
  input logic wr_rst_ni,
  input logic rd_clk_i,
  input logic rd_rst_ni,
  input logic rd_idle_i
);

  logic wr_up, wr_clear, rd_up, rd_clear, wr_seen_q, rd_seen_q, wr_owes_q, rd_owes_q, rd_calm_q;
  logic wr_cleared_q;

  initial wr_seen_q = 1'b0;
  initial rd_seen_q = 1'b0;
  always_ff @(posedge wr_clk_i) wr_seen_q <= 1'b1;
  always_ff @(posedge rd_clk_i) rd_seen_q <= 1'b1;

  shell_reset u_dut (
    .wr_clk_i,
    .wr_rst_ni,
    .wr_up_o   (wr_up),
    .wr_clear_o(wr_clear),
    .rd_clk_i,
    .rd_rst_ni,
    .rd_idle_i,
    .rd_up_o   (rd_up),
    .rd_clear_o(rd_clear)
  );

  // Phases as numbers: UP 0, DOWN 1, CLEAR 2, READY 3.
  function automatic logic [1:0] number(logic [1:0] phase);
    number = {phase[1], phase[1] ^ phase[0]};
  endfunction
  logic [1:0] wr, wr1, wr2, rd, rd1, rd2;
  assign wr  = number(u_dut.wr_phase_q);
  assign wr1 = number(u_dut.u_sync_wr.meta_q);
  assign wr2 = number(u_dut.u_sync_wr.sync_q);
  assign rd  = number(u_dut.rd_phase_q);
  assign rd1 = number(u_dut.u_sync_rd.meta_q);
  assign rd2 = number(u_dut.u_sync_rd.sync_q);

  // Was reset, and its pointers have not been cleared since.
  always_ff @(posedge wr_clk_i) wr_owes_q <= !wr_rst_ni || (wr_owes_q && !wr_clear);
  // When the reader went down it showed nothing, or had been reset itself.
  always_ff @(posedge rd_clk_i) begin
    rd_owes_q <= !rd_rst_ni || (rd_owes_q && !rd_clear);
    if (rd == 2'd0) rd_calm_q <= rd_idle_i || !rd_rst_ni || u_dut.rd_ask_q;
  end
  // Has been at zero since the other end worked.
  always_ff @(posedge wr_clk_i) wr_cleared_q <= wr_clear;

  always_comb begin
    // After power-up, with both resets low, both ends stand in CLEAR and know it of each other.
    e_start : assume (wr_seen_q || rd_seen_q || (wr == 2'd2 && wr1 == 2'd2 && wr2 == 2'd2 &&
        rd == 2'd2 && rd1 == 2'd2 && rd2 == 2'd2 && !wr_owes_q && !rd_owes_q && !rd_calm_q &&
        wr_cleared_q));
  end

  always_comb begin
    // Neither end works, or is about to, while the other is being cleared: a frame would be lost or
    // doubled.
    a_together : assert (!(wr == 2'd0 && rd == 2'd2) && !(rd == 2'd0 && wr == 2'd2))
    else $error("one end works while the other is cleared");
    // An end that was reset does not work until it was cleared, and with it the other.
    a_cleared : assert (!(wr_owes_q && wr_up) && !(rd_owes_q && rd_up))
    else $error("works with the pointers of before its reset");
    // One that writes finds the other cleared or working: it never fills a queue that stands still
    // with old pointers, except for what the reader is about to leave.
    a_known : assert (!(rd == 2'd1 && wr == 2'd3) && !(wr == 2'd1 && rd == 2'd3))
    else $error("two phases apart");
    // What each end knows of the other is old, never new, by a phase at most (helps the proof).
    a_order : assert (
        2'(rd2 - wr + 2'd1) <= 2'(rd1 - wr + 2'd1) && 2'(rd1 - wr + 2'd1) <= 2'(rd - wr + 2'd1) &&
        2'(rd - wr + 2'd1) <= 2'd2 &&
        2'(wr2 - rd + 2'd1) <= 2'(wr1 - rd + 2'd1) && 2'(wr1 - rd + 2'd1) <= 2'(wr - rd + 2'd1) &&
        2'(wr - rd + 2'd1) <= 2'd2)
    else $error("phases out of order");
    // A frame that has begun to leave is cut by the reading end's own reset alone, and behind that
    // none begins.
    a_not_cut : assert ((rd != 2'd1 || rd_calm_q) && !(u_dut.rd_ask_q && rd_up))
    else $error("a frame is cut");
    // A reset that is not dealt with is remembered (helps the proof).
    a_owes : assert ((!wr_owes_q || u_dut.wr_ask_q || wr[1]) &&
                     (!rd_owes_q || u_dut.rd_ask_q || rd[1]))
    else $error("a reset is forgotten");
  end

  always_ff @(posedge rd_clk_i) begin
    // The reader works again after a reset of the writer alone.
    c_again : cover (rd_up && !rd_owes_q && wr_owes_q);
    // Both are reset at once while they work.
    c_both : cover (rd == 2'd0 && wr == 2'd0 && !rd_rst_ni && !wr_rst_ni);
  end

  always_ff @(posedge wr_clk_i) begin
    // The writer works, has been reset, and works again.
    c_writes : cover (wr_up && wr_cleared_q && !wr_owes_q);
    // The writer is at zero while the reader finishes nothing.
    c_waits : cover (wr == 2'd1 && rd == 2'd0 && !rd_idle_i);
  end

endmodule
