// Several users of one memory port, in turn; answers come back in the order of the requests.
//
// Each user's request stands in a register of its own in front of the choice, and whose turn it is
// is known a cycle before. So who asks may change its mind until the request is taken; what is
// taken is answered. Who waits: users for each
// other and for the port. Answers are never refused: a user asks only for what it has room for.
module gather_mem_arb
  import gather_pkg::MemAnswer;
#(
  /// A request, and an answer.
  parameter type Req = logic [63:0],
  parameter type Rsp = logic [63:0],
  /// Users, 1 or more.
  parameter int unsigned N = 2,
  /// Requests that may be unanswered. Power of two, 8 or more.
  parameter int unsigned Depth = 64,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Users. A request that was not taken may be withdrawn; responses come in the order of a user's
  // requests and are not back-pressured.
  input  logic [N-1:0] req_valid_i,
  output logic [N-1:0] req_ready_o,
  input  Req [N-1:0]   req_i,
  output logic [N-1:0] rsp_valid_o,
  output Rsp           rsp_o,

  // The shared port; its responses come in the order of the requests, MemAnswer cycles later or
  // more.
  output logic mem_valid_o,
  input  logic mem_ready_i,
  output Req   mem_o,
  input  logic mem_rsp_valid_i,
  input  Rsp   mem_rsp_i
);

  logic [N-1:0]    valid, turn;
  Req [N-1:0]      req;
  logic            any, ready, order_ready, order_valid;
  logic [IdxW-1:0] from, to;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Depth+1)-1:0] order_count;
  // verilator lint_on UNUSEDSIGNAL

  for (genvar i = 0; i < N; i++) begin : gen_user
    prim_skid #(
      .T(Req)
    ) u_request (
      .clk_i,
      .rst_ni,
      .in_valid_i (req_valid_i[i]),
      .in_ready_o (req_ready_o[i]),
      .in_i       (req_i[i]),
      .out_valid_o(valid[i]),
      .out_ready_i(turn[i] && ready),
      .out_o      (req[i])
    );
  end

  gather_turns #(
    .NumUnits(N),
    .Server  (1'b0)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i  (valid),
    .request_i(valid),
    .turn_o   (turn),
    .ready_i  (ready),
    .last_i   (1'b1)
  );

  prim_pick #(
    .Width($bits(Req)),
    .Words(N)
  ) u_pick (
    .in_i    (req),
    .select_i(turn),
    .out_o   (mem_o)
  );

  always_comb begin
    from = '0;
    for (int unsigned i = 0; i < N; i++) if (turn[i]) from = from | IdxW'(i);
  end

  assign any         = (turn & valid) != '0;
  assign ready       = mem_ready_i && order_ready;
  assign mem_valid_o = any && order_ready;

  // No answer comes before its entry is shown.
  prim_fifo_ram #(
    .T     (logic [IdxW-1:0]),
    .Depth (Depth),
    .Around(1'b0)
  ) u_order (
    .clk_i,
    .rst_ni,
    .in_valid_i (any && ready),
    .in_ready_o (order_ready),
    .in_i       (from),
    .out_valid_o(order_valid),
    .out_ready_i(mem_rsp_valid_i),
    .out_o      (to),
    .count_o    (order_count)
  );

  always_comb begin
    for (int unsigned i = 0; i < N; i++) rsp_valid_o[i] = mem_rsp_valid_i && to == IdxW'(i);
  end
  assign rsp_o = mem_rsp_i;

  // Requests by age, and how many are old enough and unanswered.
  logic [MemAnswer-2:0]       young_q;
  logic [$clog2(Depth+1)-1:0] due_q;
  always_ff @(posedge clk_i) begin
    young_q <= {young_q[MemAnswer-3:0], any && ready};
    due_q   <= due_q + ($bits(due_q))'(young_q[MemAnswer-2]) - ($bits(due_q))'(mem_rsp_valid_i);
    if (!rst_ni) begin
      young_q <= '0;
      due_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // No answer comes sooner than MemAnswer cycles behind its request; whose it is would not be
      // known yet.
      a_mem_time : assert (!mem_rsp_valid_i || due_q != '0)
      else $error("%m: an answer less than %0d cycles after the request", MemAnswer);
      // The memory answers what it was asked; else answers would go to the wrong user.
      a_asked : assert (!mem_rsp_valid_i || order_valid)
      else $error("%m: an answer that nobody waits for");
    end
  end

endmodule
