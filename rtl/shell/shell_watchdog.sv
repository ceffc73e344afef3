// Notices a pause that lasts too long, and can end it for the side that is paused.
//
// A neighbour that is broken and asks for pause for ever would stop its port, and in a lossless
// network at last everybody. A priority that has been paused without an end for more than
// `limit_i` ticks is reported once; with `ignore_i` its pause is ignored until the neighbour ends
// it. Nobody waits.
module shell_watchdog
  import shell_pkg::*;
#(
  /// Cycles of a tick, 2 or more. 1 ms at 322.265625 MHz: 322266.
  parameter int unsigned TickCycles = 322266
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [15:0] limit_i,    // ticks; 0: no watchdog
  input logic        ignore_i,

  input  logic [NumPrios-1:0] paused_i,
  output logic [NumPrios-1:0] hold_o,      // the pauses to be kept, from registers
  output logic [NumPrios-1:0] expired_o,   // the pause has lasted too long, and goes on
  output logic                fired_o      // some have just expired
);

  if (TickCycles < 2) begin : gen_check
    $fatal(1, "%m: TickCycles must be 2 or more");
  end

  localparam int unsigned TickW = $clog2(TickCycles);
  logic [TickW-1:0]          cycle_q;
  logic                      tick_q;
  logic [NumPrios-1:0][15:0] ticks_q;
  logic [NumPrios-1:0]       expires;

  // The first tick may come at once, so one more than the limit is waited for.
  for (genvar p = 0; p < NumPrios; p++) begin : gen_prio
    assign expires[p] = tick_q && paused_i[p] && !expired_o[p] && limit_i != '0 &&
        ticks_q[p] >= limit_i;
  end

  always_ff @(posedge clk_i) begin
    tick_q  <= cycle_q == TickW'(TickCycles - 1);
    cycle_q <= (cycle_q == TickW'(TickCycles - 1)) ? '0 : cycle_q + TickW'(1);
    fired_o <= expires != '0;
    for (int unsigned p = 0; p < NumPrios; p++) begin
      if (!paused_i[p]) ticks_q[p] <= '0;
      else if (tick_q && ticks_q[p] != '1) ticks_q[p] <= ticks_q[p] + 16'd1;
      expired_o[p] <= paused_i[p] && (expired_o[p] || expires[p]);
      hold_o[p]    <= paused_i[p] && !(ignore_i && (expired_o[p] || expires[p]));
    end
    if (!rst_ni) begin
      cycle_q   <= '0;
      tick_q    <= 1'b0;
      ticks_q   <= '0;
      expired_o <= '0;
      hold_o    <= '0;
      fired_o   <= 1'b0;
    end
  end

endmodule
