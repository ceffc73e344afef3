// gather_filter: what waits for its bit, and whether one is under way, whatever queues show.
//
// The queues and the register stage have proofs of their own (prim_fifo_ram, prim_skid). Here what
// they show is left out of the circuit and free.
module filter_waits_props #(
  parameter int unsigned LookUps = 8,
  localparam int unsigned OpenW = $clog2(LookUps + 1)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       clear_i,
  input logic       look_i,
  input logic [7:0] want_i,
  input logic       bit_valid_i,
  input logic       bit_i,
  input logic       ready_i
);

  logic       room, valid, known, open, empty;
  logic [7:0] want;

  gather_filter #(
    .LookUps(LookUps)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .room_o (room),
    .look_i,
    .want_i,
    .bit_valid_i,
    .bit_i,
    .valid_o(valid),
    .ready_i,
    .known_o(known),
    .want_o (want),
    .open_o (open),
    .empty_o(empty)
  );

  // What was told a cycle ago; look-ups without an answer until then.
  logic             reset_q, looked_q, told_q;
  logic [OpenW-1:0] under_way_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    reset_q     <= reset_q || !rst_ni;
    looked_q    <= rst_ni && look_i;
    told_q      <= rst_ni && bit_valid_i;
    under_way_q <= rst_ni ? under_way_q + OpenW'(looked_q) - OpenW'(told_q) : '0;
  end

  // Both queues show their oldest.
  logic both;
  assign both = u_dut.u_wants.out_valid_o && u_dut.u_bits.out_valid_o;

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // It is open while a look-up is unanswered, and a cycle longer than that is known.
      a_open : assert (open == (looked_q || under_way_q != '0))
      else $error("open: %b, %0d are under way", open, under_way_q);
      // That number is known (helps the proof).
      a_count : assert (u_dut.open_q == under_way_q)
      else $error("%0d are under way", under_way_q);
    end
    // What is looked up waits for its bit in a queue, with room as that has it.
    a_wants : assert ({u_dut.u_wants.in_valid_i, u_dut.u_wants.in_i} == {look_i, want_i} &&
                      room == u_dut.u_wants.in_ready_o)
    else $error("another look-up waits");
    // Bits stand in another one.
    a_bits : assert ({u_dut.u_bits.in_valid_i, u_dut.u_bits.in_i} == {bit_valid_i, bit_i})
    else $error("another bit");
    // The oldest of both go on together, as soon as both are there and it can be taken.
    a_pop : assert (u_dut.u_wants.out_ready_i == (both && u_dut.u_both.in_ready_o) &&
                    u_dut.u_bits.out_ready_i == u_dut.u_wants.out_ready_i)
    else $error("one goes on without the other");
    a_both : assert (u_dut.u_both.in_valid_i == both && u_dut.u_both.in_i ==
                     {u_dut.u_bits.out_o, u_dut.u_wants.out_o})
    else $error("a bit beside another look-up");
    a_out : assert ({valid, known, want} == {u_dut.u_both.out_valid_o, u_dut.u_both.out_o} &&
                    u_dut.u_both.out_ready_i == ready_i)
    else $error("another bit is shown");
    // Nothing is inside when no look-up waits, and none is shown.
    a_empty : assert (empty == !(valid || u_dut.u_wants.out_valid_o))
    else $error("empty: %b", empty);
    // A flush empties all three, as a reset does.
    a_flush : assert ({u_dut.u_wants.rst_ni, u_dut.u_bits.rst_ni, u_dut.u_both.rst_ni} ==
                      {3{rst_ni && !clear_i}})
    else $error("one is not flushed");

    // A look-up is answered in the cycle of another one.
    c_open : cover (reset_q && looked_q && told_q && under_way_q == OpenW'(1));
  end

endmodule
