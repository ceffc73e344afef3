// The counter that software looks at, out of those of all ports, pipes or units.
module gather_select #(
  /// Ports, pipes or units, 1 to 256.
  parameter int unsigned Rows = 1,
  /// Counters of each, 1 to 256.
  parameter int unsigned N = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Port, pipe or unit, and number of the counter.
  input  logic [7:0]                    row_i,
  input  logic [7:0]                    which_i,
  input  logic [Rows-1:0][N-1:0][31:0]  count_i,
  // The value of the one that was named in the cycle before; 0 where there is none.
  output logic [31:0]                   value_o
);

  logic [Rows-1:0][N-1:0] named_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < N; c++) named_q[r][c] <= 32'(row_i) == r && 32'(which_i) == c;
    end
    if (!rst_ni) named_q <= '0;
  end

  always_comb begin
    value_o = '0;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < N; c++) if (named_q[r][c]) value_o = value_o | count_i[r][c];
    end
  end

endmodule
