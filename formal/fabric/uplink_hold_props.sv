// uplink_hold: what may begin to leave, and when, while priorities are paused and in storms.
module uplink_hold_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       in_valid_i,
  input logic       in_last_i,
  input logic [2:0] in_prio_i,
  input logic [7:0] paused_i,
  input logic [7:0] storm_i,
  input logic       out_ready_i
);

  // The first beat of a frame is marked. Pauses and storms are those of the cycle before.
  logic            within_q, started_q, in_ready, out_valid, out_last, out;
  logic [1:0]      drop;
  logic [1:0][3:0] level;

  uplink_hold #(
    .T        (logic),
    .NumQueues(2),
    .QueueOf  (24'o00001000),
    .Depth    (8)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_prio_i,
    .in_i       (!within_q),
    .paused_i,
    .storm_i,
    .drop_o     (drop),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (out),
    .level_o    (level)
  );

  // A frame has been shown and its end not taken; what was shown a cycle ago and not taken.
  logic       open_q, inside_q, waits_q, out_q, last_q;   // inside: a beat of it was taken
  logic [7:0] paused_q, storm_q;
  logic [1:0] chosen_q;
  logic [2:0] prio;
  always_comb begin
    prio = '0;
    for (int unsigned q = 0; q < 2; q++) if (u_dut.chosen[q]) prio = u_dut.entry_q[q].prio;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (in_valid_i && in_ready) within_q <= !in_last_i;
    open_q    <= rst_ni && out_valid && !(out_last && out_ready_i);
    waits_q   <= rst_ni && out_valid && !out_ready_i;
    if (out_valid && out_ready_i) inside_q <= !out_last;
    out_q     <= out;
    paused_q  <= paused_i;
    storm_q   <= storm_i;
    last_q    <= out_last;
    chosen_q  <= u_dut.chosen;
    if (!rst_ni) begin
      within_q <= 1'b0;
      inside_q <= 1'b0;
    end
    // The first cycle is one of reset. Dropped: a frame is under way from the start.
    e_reset : assume (started_q || !rst_ni);
  end

  // A frame of the chosen queue that is being dropped, since when.
  logic [1:0] front, first;
  assign front = u_dut.valid_q & ~u_dut.rest_q & ~({2{u_dut.busy_q}} & u_dut.chosen_q);
  assign first = u_dut.drop & front;

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // Nothing of a paused priority begins to leave, nor of one in a storm.
      a_paused : assert (open_q || !out_valid || !(paused_q[prio] || storm_q[prio]))
      else $error("a frame of priority %0d begins", prio);
      // What has begun goes on in every cycle, whatever is paused meanwhile; a MAC would cut it.
      a_no_hole : assert (!open_q || out_valid)
      else $error("a hole inside a frame");
      // What begins is the begin of a frame, and what goes on is none; also behind one that was
      // dropped.
      a_begin : assert (!out_valid || out == !inside_q)
      else $error("a frame that is not whole");
      // What is shown stays as it is until it is taken.
      a_stays : assert (!waits_q || (out_valid && out == out_q && out_last == last_q))
      else $error("changed before it was taken");
      // The beats of a frame are of one queue, and no other is mixed in.
      a_not_mixed : assert (!open_q || (u_dut.chosen == chosen_q && $onehot(chosen_q)))
      else $error("beats of two frames are mixed");
      // A frame goes on although its priority is paused.
      c_goes_on : cover (open_q && paused_i[prio] && out_ready_i);
      // A frame overtakes one of another queue that is paused.
      c_overtakes : cover (out_valid && !open_q && u_dut.valid_q == '1 && paused_q != '0);
      // The rest of a frame is dropped although the storm is over.
      c_rest : cover (u_dut.rest_q[0] && u_dut.valid_q[0] && storm_i == '0);
      // One queue sends while the other drops.
      c_both : cover (out_valid && out_ready_i && drop != '0);
    end
  end

  for (genvar q = 0; q < 2; q++) begin : gen_queue
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // Only frames of a priority in a storm are dropped.
        a_storm_only : assert (!first[q] || storm_q[u_dut.entry_q[q].prio])
        else $error("dropped without a storm");
        // The frame that is leaving is not dropped from.
        a_whole : assert (!(u_dut.drop[q] && open_q && chosen_q[q]))
        else $error("dropped while it leaves");
        // While a storm lasts nothing that it holds back stays in front of the others.
        a_drained : assert (!(front[q] && storm_q[u_dut.entry_q[q].prio]) || u_dut.drop[q])
        else $error("held back in a storm");
      end
    end
  end

endmodule
