// prim_fifo: a queue, at every depth.
module prim_fifo_props #(
  /// Places of the queue.
  parameter int unsigned Depth = 3,
  /// What is shown has a register of its own.
  parameter bit Head = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       follow_i,
  input logic       in_valid_i,
  input logic [1:0] in_i,
  input logic       out_ready_i
);

  logic                         in_ready, out_valid, started_q;
  logic [1:0]                   out;
  logic [$clog2(Depth + 1)-1:0] count;
  logic [$clog2(Depth + 2)-1:0] held;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: pointers start anywhere, and the queue shows what
    // nobody put in.
    e_reset : assume (started_q || !rst_ni);
  end

  prim_fifo #(
    .T    (logic [1:0]),
    .Depth(Depth),
    .Head (Head)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_o      (out),
    .count_o    (count)
  );

  queue_watch #(
    .Width (2),
    .Places(Depth)
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

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // `count_o` is the number of entries inside.
      a_count : assert (32'(count) == 32'(held))
      else $error("count %0d, inside %0d", count, held);
      // There is room as long as not all places are taken.
      a_room : assert (in_ready == (32'(held) < Depth))
      else $error("ready %b with %0d inside", in_ready, held);
    end
  end

endmodule
