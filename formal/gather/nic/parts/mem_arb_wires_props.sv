// gather_mem_arb: which request is taken for whom, and who gets an answer.
//
// What its registers, the choice of turns and the queue of who waits make of it is left out of the
// circuit and free (`cuts` of the task): this holds whatever they do. They have proofs of their
// own: prim_skid, gather_turns, prim_fifo_ram.
module mem_arb_wires_props #(
  /// Users.
  parameter int unsigned N = 3,
  localparam int unsigned NumW = $clog2(N)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [N-1:0]      req_valid_i,
  input logic [N-1:0][4:0] req_i,
  input logic              mem_ready_i,
  input logic              mem_rsp_valid_i,
  input logic [3:0]        mem_rsp_i
);

  logic [N-1:0] req_ready, rsp_valid;
  logic [3:0]   rsp;
  logic         mem_valid;
  logic [4:0]   mem;

  gather_mem_arb #(
    .Req  (logic [4:0]),
    .Rsp  (logic [3:0]),
    .N    (N),
    .Depth(8)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o(req_ready),
    .req_i,
    .rsp_valid_o(rsp_valid),
    .rsp_o      (rsp),
    .mem_valid_o(mem_valid),
    .mem_ready_i,
    .mem_o      (mem),
    .mem_rsp_valid_i,
    .mem_rsp_i
  );

  // Whose turn it is, if one user's; whether he has a request; whether there is a place in the
  // queue of those who wait for answers, and who is the first one there.
  logic [N-1:0]    turn, has;
  logic            alone, asks, place;
  logic [NumW-1:0] user, first;
  assign turn  = u_dut.u_turns.turn_o;
  assign alone = $onehot(turn);
  assign place = u_dut.u_order.in_ready_o;
  assign first = u_dut.u_order.out_o;
  always_comb begin
    user = '0;
    asks = 1'b0;
    for (int unsigned i = 0; i < N; i++) begin
      if (turn[i]) user = NumW'(i);
      if (turn[i] && has[i]) asks = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // Memory is asked when it is somebody's turn who has a request, and his answer has a place.
    a_asks : assert (mem_valid == (asks ? place : 1'b0))
    else $error("memory is asked: %b", mem_valid);
    // Who is asked for waits from the cycle in which memory takes it.
    a_waits : assert (u_dut.u_order.in_valid_i == (mem_valid && mem_ready_i))
    else $error("somebody waits: %b", u_dut.u_order.in_valid_i);
    // It is the one whose turn it is; in nobody's turn nobody waits.
    a_who : assert (!(alone || turn == '0) || u_dut.u_order.in_i == user)
    else $error("user %0d waits, not %0d", u_dut.u_order.in_i, user);
    // Memory gets the request that was picked.
    a_request : assert (mem == u_dut.u_pick.out_o && u_dut.u_pick.select_i == turn)
    else $error("another request");
    // A turn ends when memory takes and the answer has a place.
    a_turn : assert (u_dut.u_turns.ready_i == !(!mem_ready_i || !place) && u_dut.u_turns.last_i)
    else $error("a turn ends: %b", u_dut.u_turns.ready_i);
    // With each answer the first one has what he waited for; it is everybody's to see.
    a_answer : assert (u_dut.u_order.out_ready_i == mem_rsp_valid_i && rsp == mem_rsp_i)
    else $error("an answer: %b", u_dut.u_order.out_ready_i);
    // An answer is for one user, or nobody.
    a_one : assert ($onehot0(rsp_valid) && (mem_rsp_valid_i || rsp_valid == '0))
    else $error("answers for %b", rsp_valid);
    // All parts are reset together.
    a_reset : assert ({u_dut.u_order.rst_ni, u_dut.u_turns.rst_ni} == {2{rst_ni}})
    else $error("reset");

    // The last user asks while the first one is answered.
    c_both : cover (rst_ni && mem_valid && mem_ready_i && turn == N'(1 << (N - 1)) &&
                    rsp_valid == N'(1));
  end

  for (genvar i = 0; i < N; i++) begin : gen_user
    assign has[i] = u_dut.gen_user[i].u_request.out_valid_o;

    always_ff @(posedge clk_i) begin
      // A user's request goes into a register of its own, which says whether it is taken.
      a_own : assert (u_dut.gen_user[i].u_request.in_valid_i == req_valid_i[i] &&
                      u_dut.gen_user[i].u_request.in_i == req_i[i] &&
                      req_ready[i] == u_dut.gen_user[i].u_request.in_ready_o &&
                      u_dut.gen_user[i].u_request.rst_ni == rst_ni)
      else $error("user %0d", i);
      // It leaves the register in its user's turn when memory takes, and its answer has a place.
      a_goes : assert (u_dut.gen_user[i].u_request.out_ready_i ==
                       (turn[i] ? mem_ready_i && place : 1'b0))
      else $error("user %0d: %b", i, u_dut.gen_user[i].u_request.out_ready_i);
      // Who has one may have a turn, and it is picked of him.
      a_may : assert (u_dut.u_turns.valid_i[i] == has[i] && u_dut.u_turns.request_i[i] == has[i] &&
                      u_dut.u_pick.in_i[i] == u_dut.gen_user[i].u_request.out_o)
      else $error("user %0d", i);
      // An answer is his who has waited longest.
      a_his : assert (rsp_valid[i] == (first == NumW'(i) && mem_rsp_valid_i))
      else $error("user %0d: %b, not %0d", i, rsp_valid[i], first);
    end
  end

endmodule
