// Register stage for a stream: both directions registered, full rate.
module prim_skid #(
  /// What streams.
  parameter type T = logic [7:0]
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic in_valid_i,   // ready comes from a register
  output logic in_ready_o,
  input  T     in_i,

  output logic out_valid_o,   // so do valid and data
  input  logic out_ready_i,
  output T     out_o
);

  logic ready_q, out_valid_q, skid_valid_q;
  T     out_q, skid_q;

  assign in_ready_o  = ready_q;
  assign out_valid_o = out_valid_q;
  assign out_o       = out_q;

  // The skid register holds what arrived in the cycle in which the output stopped.
  always_ff @(posedge clk_i) begin
    if (out_ready_i || !out_valid_q) begin
      out_valid_q  <= skid_valid_q || (in_valid_i && ready_q);
      out_q        <= skid_valid_q ? skid_q : in_i;
      skid_valid_q <= 1'b0;
      ready_q      <= 1'b1;
    end else if (in_valid_i && ready_q) begin
      skid_valid_q <= 1'b1;
      skid_q       <= in_i;
      ready_q      <= 1'b0;
    end
    if (!rst_ni) begin
      ready_q      <= 1'b0;
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nothing is taken while the spare register is in use; it would be overwritten.
      a_skid : assert (!(skid_valid_q && ready_q))
      else $error("%m: ready while the skid register is full");
    end
  end

endmodule
