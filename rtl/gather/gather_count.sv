// Counts up by one, in parts whose carries are known a cycle before: a wide counter for a fast clock.
module gather_count #(
  /// Bits. 4 or more.
  parameter int unsigned Width = 32
) (
  input logic clk_i,
  input logic rst_ni,

  // From zero again; otherwise by one, or not.
  input  logic             clear_i,
  input  logic             step_i,
  output logic [Width-1:0] count_o
);

  /// Bits of the lower part.
  localparam int unsigned LowW = Width / 2;

  logic [LowW-1:0]       low_q;
  logic [Width-LowW-1:0] high_q;
  logic                  carry_q;   // the lower part is all ones

  assign count_o = {high_q, low_q};

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      low_q   <= low_q + LowW'(1);
      carry_q <= low_q == ~LowW'(1);
      if (carry_q) high_q <= high_q + (Width - LowW)'(1);
    end
    if (!rst_ni || clear_i) begin
      low_q   <= '0;
      high_q  <= '0;
      carry_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The upper part goes on when the lower one wraps; else time would jump back.
      a_carry : assert (carry_q == (low_q == '1))
      else $error("%m: carry %b at %0d", carry_q, low_q);
    end
  end

endmodule
