// shell_count beside its synchronizer, whose answer is free (`cuts` of the task): what the clock of
// the events hands over, and what the other one makes of any codes that it reads. Both ends meet in
// the synchronizer alone, so one clock for both is no less than two.
module count_steps_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       event_i,
  input logic [7:0] now_i,      // any
  input logic [7:0] before_i    // any
);

  logic [31:0] count;

  shell_count u_dut (
    .src_clk_i(clk_i),
    .event_i,
    .clk_i,
    .rst_ni,
    .count_o  (count)
  );

  // Gray code: a bit is turned round where the one above it is set.
  function automatic logic [7:0] code(logic [7:0] number);
    code[7] = number[7];
    for (int unsigned i = 0; i < 7; i++) code[i] = number[i+1] ? !number[i] : number[i];
  endfunction

  // Events up to a cycle ago, and two; codes that were read one, two and three cycles ago; the
  // count of a cycle ago.
  logic [7:0]      events_q, events2_q;
  logic [2:0][7:0] read_q;
  logic [31:0]     count_q;
  logic            up_q;
  logic [3:0]      past_q;
  initial {events_q, events2_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q    <= {past_q[2:0], 1'b1};
    events_q  <= events_q + 8'(event_i);
    events2_q <= events_q;
    read_q    <= {read_q[1:0], u_dut.u_sync.out_o};
    count_q   <= count;
    up_q      <= rst_ni;
  end

  always_ff @(posedge clk_i) begin
    // Events are handed over as a count in Gray code: all that came, and each of them once.
    a_told : assert (u_dut.u_sync.in_i == code(events2_q))
    else $error("told %b", u_dut.u_sync.in_i);
    // Where the events are (helps the proof).
    a_events : assert (u_dut.events_q == events2_q &&
                       8'(events_q - events2_q) == 8'(u_dut.event_q))
    else $error("%0d events", u_dut.events_q);
    // The counter grows by as much as what is read has grown, whatever it was.
    a_grows : assert (past_q != '1 || !up_q || code(now_i) != read_q[1] ||
                      code(before_i) != read_q[2] || count == count_q + 32'(8'(now_i - before_i)))
    else $error("%0d behind %0d", count, count_q);
    // In reset it is zero.
    a_zero : assert (past_q == '0 || up_q || count == '0)
    else $error("%0d in reset", count);

    // Many events at once, beyond the end of what crosses.
    c_many : cover (past_q == '1 && up_q && read_q[1][7:6] == 2'b00 && read_q[2][7:6] == 2'b10 &&
                    count == 32'd200);
  end

endmodule
