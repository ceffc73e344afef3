// shell_count: events of one clock counted in another, of which either may tick at any time.
//
// What crosses changes one bit a tick, so a synchronizer that catches it in the middle reads the
// old or the new number: what it would have read a moment earlier or later. All moments are
// searched here, so metastability adds none. Registers of the counting side start anywhere.
module shell_count_props #(
  /// Ticks of the events' clock between two of the other one, at most.
  parameter int unsigned Slow = 64
) (
  input logic src_clk_i,
  input logic event_i,
  input logic clk_i,
  input logic rst_ni
);

  logic [31:0] count;

  shell_count u_dut (
    .src_clk_i,
    .event_i,
    .clk_i,
    .rst_ni,
    .count_o(count)
  );

  function automatic logic [7:0] number(logic [7:0] code);
    for (int unsigned i = 0; i < 8; i++) number[i] = ^(code >> i);
  endfunction

  // Ticks of the events' clock; events, and those that are handed over; what crosses, a tick ago.
  logic [7:0]  ticks_q, before_q;
  logic [31:0] came_q, handed_q;
  initial {ticks_q, before_q, came_q, handed_q} = '0;
  always_ff @(posedge src_clk_i) begin
    ticks_q  <= ticks_q + 8'd1;
    came_q   <= came_q + 32'(event_i);
    handed_q <= came_q;
    before_q <= u_dut.gray_q;
  end

  // Events that were handed over at the last tick of the counting clock, and at the three before
  // it; those of them that the counter does not count, because it was in reset behind them.
  logic [3:0][31:0] then_q;
  logic [31:0]      base_q, count_q;
  logic [7:0]       mark_q, since;
  logic [2:0]       past_q;   // ticks, up to four
  logic             known_q;
  assign since = ticks_q - mark_q;
  initial {then_q, base_q, mark_q, past_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    then_q  <= {then_q[2:0], handed_q};
    mark_q  <= ticks_q;
    count_q <= count;
    if (past_q != 3'd4) past_q <= past_q + 3'd1;
    if (!rst_ni) {base_q, known_q} <= {then_q[2], past_q == 3'd4};
  end

  always_comb begin
    // Between two ticks of the counting clock are no more of the other one.
    e_slow : assume (32'(since) <= Slow);
    // The counter is the number of events that were handed over four ticks ago, less those up to
    // its reset: none is lost, doubled or invented, whenever either clock ticks.
    a_exact : assert (!known_q || count == then_q[3] - base_q)
    else $error("%0d counted of %0d", count, then_q[3] - base_q);
    // An event is handed over a tick of its own clock after it was taken.
    a_handed : assert (u_dut.events_q == handed_q[7:0] &&
                       came_q == handed_q + 32'(u_dut.event_q))
    else $error("%0d of %0d events", handed_q, came_q);
    // What crosses changes one bit a tick at most.
    a_one : assert ($onehot0(u_dut.gray_q ^ before_q))
    else $error("%b behind %b", u_dut.gray_q, before_q);
  end

  always_comb begin
    // Each register holds what was handed over as many ticks ago as it is far (helps the proof).
    a_chain : assert (number(u_dut.gray_q) == handed_q[7:0] &&
        (before_q == u_dut.gray_q || number(before_q) == handed_q[7:0] - 8'd1) &&
        (past_q < 3'd1 || number(u_dut.u_sync.meta_q) == then_q[0][7:0]) &&
        (past_q < 3'd2 || number(u_dut.u_sync.sync_q) == then_q[1][7:0]) &&
        (past_q < 3'd3 || u_dut.seen_q == then_q[2][7:0]) &&
        (past_q < 3'd4 || u_dut.known_q == then_q[3][7:0]) && past_q <= 3'd4 &&
        (!known_q || past_q == 3'd4))
    else $error("what crosses is elsewhere");
    // Between two ticks no more events were than ticks of their clock (helps the proof).
    a_steps : assert (handed_q - then_q[0] <= 32'(since) && then_q[0] - then_q[1] <= 32'(Slow) &&
        then_q[1] - then_q[2] <= 32'(Slow) && then_q[2] - then_q[3] <= 32'(Slow))
    else $error("too many at once");
  end

  always_ff @(posedge clk_i) begin
    // Two events came between two ticks, and are counted in one.
    c_two : cover (known_q && count == count_q + 32'd2);
    // The counter goes back to zero, and counts on behind events that it had counted.
    c_again : cover (known_q && count == 32'd1 && base_q != '0 && count_q == '0);
  end

endmodule
