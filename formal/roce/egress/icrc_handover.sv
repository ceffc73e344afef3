// What roce_icrc_place takes for granted of the ICRCs that it is shown: a condition that the proofs
// of both sides look at, one that takes it for granted and one that shows it.
module icrc_handover (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        icrc_valid_i,
  input  logic [31:0] icrc_i,
  input  logic        icrc_pop_i,
  // An ICRC that is there stays until it is taken.
  output logic        stays_o
);

  logic        waits_q;
  logic [31:0] icrc_q;

  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && icrc_valid_i && !icrc_pop_i;
    icrc_q  <= icrc_i;
  end

  assign stays_o = !waits_q || (icrc_valid_i && icrc_i == icrc_q);

endmodule
