// How late the latest of the packets was that concatenation closed late.
module gather_latest
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// Bits of the clock for expiry.
  parameter int unsigned ClockW = 18
) (
  input logic clk_i,
  input logic rst_ni,

  // What concatenation does in this cycle; only packets that are closed late are looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  concat_obs_t obs_i,
  // verilator lint_on UNUSEDSIGNAL
  // The most cycles by which one was late, since reset.
  output logic [31:0] latest_o
);

  logic [ClockW-1:0] latest_q;

  always_ff @(posedge clk_i) begin
    if (obs_i.late && obs_i.lateness[ClockW-1:0] > latest_q) latest_q <= obs_i.lateness[ClockW-1:0];
    if (!rst_ni) latest_q <= '0;
  end
  assign latest_o = 32'(latest_q);

endmodule
