// Counters of events. An event shows two cycles after it.
module gather_tally #(
  /// Counters.
  parameter int unsigned N = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulses, one event each.
  input  logic [N-1:0]       events_i,
  // Since reset; they wrap.
  output logic [N-1:0][31:0] count_o
);

  logic [N-1:0] events_q;

  always_ff @(posedge clk_i) events_q <= rst_ni ? events_i : '0;

  for (genvar e = 0; e < N; e++) begin : gen_count
    gather_count #(
      .Width(32)
    ) u_count (
      .clk_i,
      .rst_ni,
      .start_i(1'b0),
      .from_i ('0),
      .step_i (events_q[e]),
      .count_o(count_o[e])
    );
  end

endmodule
