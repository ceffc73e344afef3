// Two registers in a row that take bits over from another clock.
//
// Each bit stands for itself: a word may come through here only if at most one of its bits changes
// at a time (Gray code), or if nobody minds in which order they arrive. Nobody waits for anybody.
// Constraint tools find the registers by the module's name (tools/shell_constraints.py).
module shell_sync #(
  /// Bits, 1 or more.
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,   // clock of the reader
  input  logic [Width-1:0] in_i,    // from registers of the other clock
  output logic [Width-1:0] out_o
);

  if (Width < 1) begin : gen_check
    $fatal(1, "%m: Width must be 1 or more");
  end

  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] meta_q;
  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] sync_q;

  always_ff @(posedge clk_i) begin
    meta_q <= in_i;
    sync_q <= meta_q;
  end
  assign out_o = sync_q;

endmodule
