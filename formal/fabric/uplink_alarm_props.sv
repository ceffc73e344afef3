// uplink_alarm: up above one level, down at another, as it was between them.
module uplink_alarm_props #(
  /// Places.
  parameter int unsigned Depth = 100,
  /// Percent.
  parameter int unsigned RaisePercent = 80,
  parameter int unsigned ClearPercent = 70,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [CountW-1:0] level_i,
  input logic              clear_i
);

  logic              started_q, after_q, alarm, raised, alarmed, alarm_q, alarmed_q, clear_q;
  logic [CountW-1:0] level_q, peak, peak_q;

  uplink_alarm #(
    .Depth       (Depth),
    .RaisePercent(RaisePercent),
    .ClearPercent(ClearPercent)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .level_i,
    .alarm_o  (alarm),
    .raised_o (raised),
    .clear_i,
    .alarmed_o(alarmed),
    .peak_o   (peak)
  );

  // The highest level since reset.
  logic [CountW-1:0] most_q;
  logic above_q, below_q;
  assign above_q = 32'(level_q) * 100 > Depth * RaisePercent;
  assign below_q = 32'(level_q) * 100 <= Depth * ClearPercent;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    after_q   <= rst_ni;
    level_q   <= level_i;
    clear_q   <= clear_i;
    alarm_q   <= alarm;
    alarmed_q <= alarmed;
    peak_q    <= peak;
    if (level_i > most_q) most_q <= level_i;
    if (!rst_ni) most_q <= '0;
    // The first cycle is one of reset. Dropped: the peak is anything from the start.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q && after_q) begin
      // Above the upper percentage the alarm is up, at the lower one or below it is not.
      a_levels : assert ((!above_q || alarm) && (!below_q || !alarm))
      else $error("alarm %b at %0d", alarm, level_q);
      // Between them it stays as it was: a level that moves a little raises it once.
      a_between : assert (above_q || below_q || alarm == alarm_q)
      else $error("alarm %b at %0d", alarm, level_q);
      // It is said to rise when it does, and kept that it was up, until that is cleared.
      a_told : assert (raised == (alarm && !alarm_q) &&
                       alarmed == (alarm || alarm_q || (alarmed_q && !clear_q)))
      else $error("risen %b, kept %b", raised, alarmed);
      // The peak is no less than any level since it was cleared, and one of them.
      a_peak : assert (peak == ((clear_q || level_q > peak_q) ? level_q : peak_q))
      else $error("peak %0d", peak);
      // Up between the two levels, and down.
      c_up : cover (alarm && !above_q && !below_q);
      c_down : cover (!alarm && alarmed && !above_q && !below_q);
    end
    if (rst_ni && started_q) begin
      // The peak is no more than there ever was.
      a_was : assert (peak <= most_q)
      else $error("peak %0d, there were %0d", peak, most_q);
    end
  end

endmodule
