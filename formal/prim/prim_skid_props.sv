// prim_skid: a queue of two that never makes anybody wait who need not.
module prim_skid_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       follow_i,
  input logic       in_valid_i,
  input logic [1:0] in_i,
  input logic       out_ready_i
);

  logic       in_ready, out_valid, started_q, flows_q;
  logic [1:0] out, held;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  prim_skid #(
    .T(logic [1:0])
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_o      (out)
  );

  queue_watch #(
    .Width (2),
    .Places(2)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (in_valid_i && in_ready),
    .in_i,
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(out_valid),
    .out_ready_i,
    .out_i      (out),
    .inside_o   (held),
    .readable_o (),
    .followed_o (),
    .ahead_o    (),
    .value_o    ()
  );

  logic reset_q;
  always_ff @(posedge clk_i) begin
    flows_q <= rst_ni && (out_ready_i || !out_valid);
    reset_q <= !rst_ni;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Full rate: whenever the output was free or taken from, the input is open in the next cycle.
      a_full_rate : assert (!flows_q || in_ready)
      else $error("closed though the output moved");
      // Nobody waits while a register is free, and nothing is taken in the cycle behind a reset.
      a_open : assert (in_ready == (held < 2'd2 && !reset_q))
      else $error("open %b with %0d inside", in_ready, held);
      // Nothing is taken when both registers are in use.
      a_room : assert (!in_ready || held < 2'd2)
      else $error("open with %0d inside", held);
    end
  end

endmodule
