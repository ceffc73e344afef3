// uplink_watchdog: a storm begins with the cycle after the limit, and no event is lost.
module uplink_watchdog_props #(
  /// Cycles of a tick.
  parameter int unsigned TickCycles = 3
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [2:0]  which_i,
  input logic [15:0] limit_i,
  input logic [7:0]  paused_i,
  input logic [7:0]  clear_stormed_i,
  input logic [7:0]  clear_resumed_i
);

  logic [7:0]       storm, stormed, resumed;
  logic [7:0][15:0] storms;

  uplink_watchdog #(
    .TickCycles(TickCycles)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .limit_i,
    .paused_i,
    .storm_o  (storm),
    .stormed_o(stormed),
    .resumed_o(resumed),
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o (storms)
  );

  // One priority is followed. For how many cycles it has been paused without a break, this one
  // included, and what was one cycle ago.
  logic        started_q, after_q, storm_q, stormed_q, resumed_q, clear_stormed_q, clear_resumed_q;
  logic [2:0]  which_q;
  logic [31:0] run_q, long, long_q;
  logic [15:0] storms_q, limit_q;
  logic        begins, ends, over_q;

  assign long   = !paused_i[which_q] ? '0 : (run_q == '1) ? run_q : run_q + 32'd1;
  assign begins = storm[which_q] && !storm_q;
  assign ends   = !storm[which_q] && storm_q;
  assign over_q = limit_q != '0 && long_q > 32'(limit_q) * TickCycles;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q       <= 1'b1;
    after_q         <= rst_ni;
    which_q         <= started_q ? which_q : which_i;
    run_q           <= rst_ni ? long : '0;
    long_q          <= long;
    limit_q         <= limit_i;
    storm_q         <= storm[which_q];
    stormed_q       <= stormed[which_q];
    resumed_q       <= resumed[which_q];
    storms_q        <= storms[which_q];
    clear_stormed_q <= clear_stormed_i[which_q];
    clear_resumed_q <= clear_resumed_i[which_q];
    // The first cycle is one of reset. Dropped: the time begins anywhere.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q && after_q) begin
      // A storm does not begin before the priority has been paused, without a break, for the limit
      // and in one cycle more.
      a_not_early : assert (!begins || over_q)
      else $error("a storm after %0d cycles", long_q);
      // Then it does begin: nobody waits for a pause that is too long.
      a_in_time : assert (!over_q || storm[which_q])
      else $error("no storm after %0d cycles", long_q);
      // It ends with the pause.
      a_ends : assert (long_q != '0 || !storm[which_q])
      else $error("a storm without a pause");
      // That a storm began, and that one ended, is shown at once, each by itself.
      a_shown : assert ((!begins || stormed[which_q]) && (!ends || resumed[which_q]))
      else $error("an event is not shown");
      // Neither is lost until it is cleared, whatever the other does; what was cleared stays so.
      a_kept : assert (stormed[which_q] == (begins || (stormed_q && !clear_stormed_q)) &&
                       resumed[which_q] == (ends || (resumed_q && !clear_resumed_q)))
      else $error("an event is lost");
      // Each storm is counted once.
      a_count : assert (storms[which_q] == storms_q + 16'(begins))
      else $error("%0d storms", storms[which_q]);

      // A pause goes on.
      c_goes_on : cover (long_q == 32'd2 && paused_i[which_q]);
      // A pause that lasted just up to the limit.
      c_just : cover (limit_q == 16'd2 && long_q == 32'd2 * TickCycles && !paused_i[which_q]);
      // A storm begins while the end of the one before is being cleared.
      c_meet : cover (begins && resumed_q && clear_resumed_q);
    end
    if (rst_ni && started_q) begin
      // Ticks and cycles of the pause are its time.
      a_time : assert ((u_dut.ticks_q[which_q] == '1) ?
          run_q >= 32'd65535 * TickCycles :
          run_q == 32'(u_dut.ticks_q[which_q]) * TickCycles + 32'(u_dut.cycle_q[which_q]))
      else $error("%0d cycles", run_q);
      // A tick is never longer than it is to be.
      a_tick : assert (32'(u_dut.cycle_q[which_q]) < TickCycles)
      else $error("cycle %0d of a tick", u_dut.cycle_q[which_q]);
    end
  end

endmodule
