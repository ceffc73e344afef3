// What roce_icrc_join takes for granted of the words of records that come: conditions that the
// proofs of both sides look at, one that takes them for granted and one that shows them.
module words_handover (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       ready_i,
  input  logic       we_i,
  input  logic [2:0] at_i,
  input  logic [7:0] epoch_i,
  input  logic [7:0] epoch_kept_i,
  // Words come when there is room, and not in the cycle behind a record.
  output logic       room_o,
  // A record's last word comes first, then the others in their order.
  output logic       order_o,
  // What its headers are marked with is kept for all other words of it, and the cycle behind.
  output logic       epoch_o
);

  logic       rest_q;    // the record's last word came in the cycle before
  logic [2:0] at_q;
  logic [7:0] epoch_q;

  always_ff @(posedge clk_i) begin
    rest_q <= rst_ni && we_i && at_q == 3'd6;
    if (we_i) at_q <= at_q + 3'd1;
    if (we_i && at_q == 3'd7) epoch_q <= epoch_i;
    if (!rst_ni) at_q <= 3'd7;
  end

  assign room_o  = !we_i || (ready_i && !rest_q);
  assign order_o = !we_i || at_i == at_q;
  assign epoch_o = !(rest_q || (we_i && at_q != 3'd7)) || epoch_kept_i == epoch_q;

endmodule
