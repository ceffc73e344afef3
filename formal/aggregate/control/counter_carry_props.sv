// weir_counters: a counter grows by its events wherever it stands. From a reset no search comes to
// 2^32, so here counters stand anywhere in the first cycle.
module counter_carry_props
  import roce_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        rx_i,
  input logic        drop_valid_i,
  input logic [4:0]  drop_fate_i,
  input logic        fate_valid_i,
  input logic [4:0]  fate_i,
  input logic        tx_result_i,
  input logic        tx_pass_i,
  // In the first cycle: the counter that is followed.
  input logic [4:0]  counter_i
);

  localparam int unsigned Counters = NumFates + 3;

  logic        started_q, seen_q;   // two cycles have been seen
  logic [4:0]  counter_q;
  logic [47:0] before_q;
  logic [1:0]  grows_q;
  initial begin
    started_q = 1'b0;
    seen_q    = 1'b0;
  end

  weir_counters #(
    .NumPorts(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rx_i,
    .drop_valid_i,
    .drop_fate_i (fate_e'(drop_fate_i)),
    .fate_valid_i,
    .fate_i      (fate_e'(fate_i)),
    .tx_result_i,
    .tx_pass_i,
    .idle_i      (1'b0),
    .port_i      ('0),
    .which_i     ('0),
    .value_o     ()
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    seen_q    <= started_q;
    if (!started_q) counter_q <= (32'(counter_i) < Counters) ? counter_i : '0;
    before_q <= u_dut.count_q[0][counter_q];
    grows_q  <= u_dut.step_q[0][counter_q];
    // Nothing is reset.
    e_runs : assume (rst_ni);
    // What is followed is a counter, and stays (helps the proof).
    a_one : assert (started_q ? 32'(counter_q) < Counters : !seen_q)
    else $error("counter %0d", counter_q);
    if (started_q) begin
      // A counter is in the next cycle what it was and its events of this one, modulo 2^48.
      a_grows : assert (!seen_q || u_dut.count_q[0][counter_q] == before_q + 48'(grows_q))
      else $error("%0d after %0d", u_dut.count_q[0][counter_q], before_q);
      // The lower half of a counter goes round.
      c_carry : cover (seen_q && grows_q != '0 && before_q[31:0] == 32'hFFFF_FFFF);
    end
  end

endmodule
