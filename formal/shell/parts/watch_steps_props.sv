// shell_watchdog: when a pause is one that lasts too long, and which pauses are kept, for any
// pauses. One priority is followed.
module watch_steps_props
  import shell_pkg::*;
#(
  parameter int unsigned TickCycles = 5
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [15:0]         limit_i,
  input logic                ignore_i,
  input logic [NumPrios-1:0] paused_i,
  input logic [2:0]          prio_i   // any
);

  logic [NumPrios-1:0] hold, expired;
  logic                fired;

  shell_watchdog #(
    .TickCycles(TickCycles)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .limit_i,
    .ignore_i,
    .paused_i,
    .hold_o   (hold),
    .expired_o(expired),
    .fired_o  (fired)
  );

  // Cycles to the next tick; the followed priority: ticks of the pause that lasts, and whether it
  // is too long. What came in a cycle ago, and who was known to be too long.
  localparam int unsigned W = $clog2(TickCycles + 1);
  logic                past_q, reset_q, ignore_q, late_q, tick, held;
  logic [2:0]          prio_q;
  logic [W-1:0]        wait_q;
  logic [15:0]         ticks_q;
  logic [NumPrios-1:0] paused_q, expired_q;
  assign tick = wait_q == '0;
  assign held = paused_i[prio_q];
  initial {past_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= past_q && (reset_q || !rst_ni);
    if (!past_q) prio_q <= prio_i;
    {ignore_q, paused_q, expired_q} <= {ignore_i, rst_ni ? paused_i : 8'd0, expired};
    wait_q <= tick ? W'(TickCycles - 1) : wait_q - W'(1);
    late_q <= held && (late_q || (tick && limit_i != '0 && ticks_q >= limit_i));
    if (tick && ticks_q != 16'hFFFF) ticks_q <= ticks_q + 16'd1;
    if (!held) ticks_q <= '0;
    if (!rst_ni) begin
      wait_q            <= W'(TickCycles);
      {late_q, ticks_q} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && reset_q) begin
      // A pause is too long from the tick that comes when as many as the limit have gone by in it,
      // and until it ends; with a limit of zero none is.
      a_expired : assert (expired[prio_q] == late_q)
      else $error("priority %0d: %b", prio_q, late_q);
      // A pause is kept a cycle later, unless it is too long and those are ignored.
      a_hold : assert (hold[prio_q] == (paused_q[prio_q] && !(ignore_q && late_q)))
      else $error("priority %0d", prio_q);
      // That some pause has become too long is told once.
      a_fired : assert (fired == ((expired & ~expired_q) != '0))
      else $error("fired %b", fired);
      // Where the counters are (helps the proof).
      a_ticks : assert (u_dut.tick_q == tick && 32'(wait_q) <= TickCycles &&
          32'(u_dut.cycle_q) == ((tick || 32'(wait_q) == TickCycles) ? 0 :
                                 TickCycles - 32'(wait_q)) && u_dut.ticks_q[prio_q] == ticks_q)
      else $error("%0d ticks", ticks_q);

      // A pause is too long, is ignored, and goes on.
      c_ignored : cover (late_q && !hold[prio_q] && paused_i[prio_q] && tick);
    end
  end

endmodule
