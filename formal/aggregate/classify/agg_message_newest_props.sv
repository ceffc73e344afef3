// agg_message_newest: of the messages that hold a PSN, the one that is newer than each other one.
module agg_message_newest_props #(
  parameter int unsigned History = 8,
  localparam int unsigned PlaceW = $clog2(History)
) (
  input logic                            clk_i,
  input logic [History-1:0]              holds_i,
  input logic [History-1:0][History-1:0] is_newer_i,
  input logic [PlaceW-1:0]               one_i   // any
);

  logic [History-1:0] newest;
  logic               beaten;   // another one that holds it is newer

  agg_message_newest #(
    .History(History)
  ) u_dut (
    .holds_i,
    .is_newer_i,
    .newest_o(newest)
  );

  always_comb begin
    beaten = 1'b0;
    for (int unsigned i = 0; i < History; i++) begin
      if (i < 32'(one_i) && holds_i[i] && is_newer_i[i][one_i]) beaten = 1'b1;
      if (i > 32'(one_i) && holds_i[i] && !is_newer_i[one_i][i]) beaten = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // Any message is the newest exactly if it holds the PSN and no other that holds it is newer.
    a_newest : assert (newest[one_i] == (holds_i[one_i] && !beaten))
    else $error("%0d is the newest: %b", one_i, newest[one_i]);
    // There is one at most.
    a_one : assert ($onehot0(newest))
    else $error("%b", newest);

    // The last one of all, and none, round the circle.
    c_last : cover (holds_i == '1 && newest[History-1]);
    c_none : cover (holds_i == '1 && newest == '0);
  end

endmodule
