// gather_count: it counts by one, whatever parts it is made of.
module gather_count_props #(
  /// Bits.
  parameter int unsigned Width = 18
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             start_i,
  input logic [Width-1:0] from_i,
  input logic             step_i
);

  logic             started_q;
  logic [Width-1:0] count, count_q;

  gather_count #(
    .Width(Width)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .start_i,
    .from_i,
    .step_i,
    .count_o(count)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: the parts begin anywhere.
    e_reset : assume (started_q || !rst_ni);
    if (step_i) count_q <= count_q + Width'(1);
    if (start_i) count_q <= from_i;
    if (!rst_ni) count_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // It shows what an adder would.
      a_count : assert (count == count_q)
      else $error("%h instead of %h", count, count_q);
      // It wraps.
      c_wraps : cover (started_q && step_i && count == '1);
    end
  end

endmodule
