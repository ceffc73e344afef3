// Says when a buffer is too full, and not every time a frame comes and goes there.
//
// The alarm rises when more than `RaisePercent` of the places are taken, which points to lasting
// congestion or a fault (Meta RoCE 6.3.2), and falls when no more than `ClearPercent` are. What it
// says is of the cycle before.
module uplink_alarm #(
  /// Places, 1 or more.
  parameter int unsigned Depth = 1024,
  /// Percent of them above which the alarm rises, 1 to 99.
  parameter int unsigned RaisePercent = 80,
  /// Percent at which it falls, less.
  parameter int unsigned ClearPercent = 70,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic [CountW-1:0] level_i,
  output logic              alarm_o,
  output logic              raised_o, // pulse: the alarm has risen

  // The alarm has been up since this was cleared, and the highest level since; what comes in the
  // cycle of the clearing counts.
  input  logic              clear_i,
  output logic              alarmed_o,
  output logic [CountW-1:0] peak_o
);

  if (RaisePercent < 1 || RaisePercent > 99 || ClearPercent >= RaisePercent) begin : gen_check
    $fatal(1, "%m: RaisePercent must be 1 to 99, ClearPercent below it");
  end

  // Highest levels that are not more than a percentage.
  localparam logic [CountW-1:0] Raise = CountW'(64'(Depth) * 64'(RaisePercent) / 64'd100);
  localparam logic [CountW-1:0] Clear = CountW'(64'(Depth) * 64'(ClearPercent) / 64'd100);

  logic rises;
  assign rises = !alarm_o && level_i > Raise;

  always_ff @(posedge clk_i) begin
    alarm_o   <= rises || (alarm_o && level_i > Clear);
    raised_o  <= rises;
    alarmed_o <= rises || alarm_o || (alarmed_o && !clear_i);
    if (clear_i || level_i > peak_o) peak_o <= level_i;
    if (!rst_ni) begin
      alarm_o   <= 1'b0;
      raised_o  <= 1'b0;
      alarmed_o <= 1'b0;
      peak_o    <= '0;
    end
  end

endmodule
