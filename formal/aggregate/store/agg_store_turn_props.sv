// agg_store_turn: a bank has one owner at a time, from a request of the queue's head to a release.
module agg_store_turn_props #(
  parameter int unsigned NumPorts = 6
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                head_valid_i,
  input logic [NumPorts-1:0] head_i,
  input logic [NumPorts-1:0] want_i,
  input logic [NumPorts-1:0] bank_i,
  input logic [NumPorts-1:0] release_i
);

  logic done, open, given;

  agg_store_turn #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .head_valid_i,
    .head_i,
    .want_i,
    .bank_i,
    .release_i,
    .done_o (done),
    .open_o (open),
    .given_o(given)
  );

  // Whether somebody has it, and whether the head asks for this one.
  logic has_q, asks;
  always_comb begin
    asks = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (head_i[p] && want_i[p] && bank_i[p]) asks = 1'b1;
    end
  end

  logic begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b1;
    if (!rst_ni || release_i != '0) has_q <= 1'b0;
    else if (head_valid_i && asks) has_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && begun_q) begin
      // It is given in the cycle behind a request of the head for this bank, and nobody else's, and
      // is free in the cycle behind a release, whoever asks.
      a_given : assert (given == has_q)
      else $error("given %b", given);
      // A request is granted while it is free and there is a head.
      a_open : assert (open == (head_valid_i && !has_q))
      else $error("open %b", open);
      // Any port's release is one.
      a_done : assert (done == (release_i != '0))
      else $error("done %b", done);

      // A request in the cycle of a release.
      c_meet : cover (given && done && head_valid_i && asks);
    end
  end

endmodule
