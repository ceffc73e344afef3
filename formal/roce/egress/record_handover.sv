// What roce_egress_align takes for granted of the record that it is shown: conditions that the
// proofs of both sides look at, one that takes them for granted and one that shows them.
module record_handover
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic    [7:0] epoch_i,
  input  logic          header_valid_i,
  input  logic [1023:0] header_i,
  input  logic          header_done_i,
  // A record stays until the cycle behind that in which it is done.
  output logic          stays_o,
  // What it is marked with stays as long.
  output logic          epoch_o
);

  logic          stands_q, done_q;
  logic [1023:0] header_q;
  logic    [7:0] epoch_q;

  always_ff @(posedge clk_i) begin
    stands_q <= rst_ni && header_valid_i && !header_done_i;
    done_q   <= rst_ni && header_done_i;
    header_q <= header_i;
    epoch_q  <= epoch_i;
  end

  assign stays_o = !(stands_q || done_q) || (header_i == header_q && header_valid_i == stands_q);
  assign epoch_o = !(stands_q || done_q) || epoch_i == epoch_q;

endmodule
