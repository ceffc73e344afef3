// Notices that a priority is paused for too long, to the cycle, and keeps it until it was read.
//
// A neighbour that is broken, or a deadlock, pauses for ever (Meta RoCE 6.3.2). A priority that has
// been paused without a break for `limit_i * TickCycles` cycles, and still is in the next one,
// is in a storm from then on until the pause ends; who holds frames back drops them meanwhile.
// That a storm began and that one ended are kept apart, and neither is lost to the other, nor to
// its own clearing. Nobody waits.
module uplink_watchdog
  import shell_pkg::*;
#(
  /// Cycles of a tick, 2 or more. At 322.265625 MHz 200 ms are 6875 ticks of 9375 cycles.
  parameter int unsigned TickCycles = 9375
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [15:0] limit_i,  // ticks; 0: no watchdog

  input  logic [NumPrios-1:0] paused_i,
  output logic [NumPrios-1:0] storm_o,   // from registers

  // Kept events. One that comes in the cycle in which it is cleared stays.
  output logic [NumPrios-1:0]       stormed_o,
  output logic [NumPrios-1:0]       resumed_o,
  input  logic [NumPrios-1:0]       clear_stormed_i,
  input  logic [NumPrios-1:0]       clear_resumed_i,
  // Storms that began; wraps. As many ended, without the one that lasts.
  output logic [NumPrios-1:0][15:0] storms_o
);

  if (TickCycles < 2) begin : gen_check
    $fatal(1, "%m: TickCycles must be 2 or more");
  end

  // Each priority has a tick of its own, which begins with its pause: so the time is exact, and no
  // counter is longer than 16 bits.
  localparam int unsigned TickW = $clog2(TickCycles);
  logic [NumPrios-1:0][TickW-1:0] cycle_q;
  logic [NumPrios-1:0][15:0]      ticks_q;
  logic [NumPrios-1:0] storm, begins, ends, wrap;

  for (genvar p = 0; p < NumPrios; p++) begin : gen_prio
    assign wrap[p]   = cycle_q[p] == TickW'(TickCycles - 1);
    assign storm[p]  = paused_i[p] && limit_i != '0 && (storm_o[p] || ticks_q[p] >= limit_i);
    assign begins[p] = storm[p] && !storm_o[p];
    assign ends[p]   = storm_o[p] && !storm[p];

    always_ff @(posedge clk_i) begin
      cycle_q[p] <= wrap[p] ? '0 : cycle_q[p] + TickW'(1);
      if (wrap[p] && ticks_q[p] != '1) ticks_q[p] <= ticks_q[p] + 16'd1;
      if (!paused_i[p]) begin
        cycle_q[p] <= '0;
        ticks_q[p] <= '0;
      end
      storm_o[p]   <= storm[p];
      stormed_o[p] <= begins[p] || (stormed_o[p] && !clear_stormed_i[p]);
      resumed_o[p] <= ends[p] || (resumed_o[p] && !clear_resumed_i[p]);
      if (begins[p]) storms_o[p] <= storms_o[p] + 16'd1;
      if (!rst_ni) begin
        cycle_q[p]   <= '0;
        ticks_q[p]   <= '0;
        storm_o[p]   <= 1'b0;
        stormed_o[p] <= 1'b0;
        resumed_o[p] <= 1'b0;
        storms_o[p]  <= '0;
      end
    end
  end

endmodule
