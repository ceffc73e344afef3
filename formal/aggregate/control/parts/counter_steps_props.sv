// weir_counters, a step at a time: what an event adds, what a counter is in the next cycle, and
// what a reading of it answers. Counters hold any numbers. (That events and readings agree over
// several cycles is counter_reads'.)
module counter_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned Bits = 8
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic  [PortW-1:0]      index_i,   // any counter
  input logic  [4:0]            which_i,
  input logic  [NumPorts-1:0]   rx_i,
  input logic  [NumPorts-1:0]   drop_valid_i,
  input fate_e [NumPorts-1:0]   drop_fate_i,
  input logic  [NumPorts-1:0]   fate_valid_i,
  input fate_e [NumPorts-1:0]   fate_i,
  input logic  [NumPorts-1:0]   tx_result_i,
  input logic  [NumPorts-1:0]   tx_pass_i
);

  logic [47:0] value;

  weir_counters #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc),
    .Bits    (Bits)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rx_i,
    .drop_valid_i,
    .drop_fate_i,
    .fate_valid_i,
    .fate_i,
    .tx_result_i,
    .tx_pass_i,
    .idle_i ('0),
    .port_i (index_i),
    .which_i,
    .value_o(value)
  );

  // ---------------------------------------------------------------------------------------------
  // The counter that is named now: whether there is one, its number, what is noted to be added, and
  // how many frames it is told of.

  logic            p, there;
  logic [Bits-1:0] number;
  logic [1:0]      adds, frames;
  assign p     = index_i[0];
  assign there = index_i < PortW'(NumPorts) && which_i < 5'(NumFates + 3 + Ecc);
  always_comb begin
    {number, adds, frames} = '0;
    if (there) begin
      number = u_dut.count_q[p][which_i];
      adds   = u_dut.step_q[p][which_i];
    end
    if (which_i < 5'(NumFates)) begin
      if (drop_valid_i[p] && drop_fate_i[p] == which_i) frames = 2'd1;
      if (fate_valid_i[p] && fate_i[p] == which_i) frames = frames + 2'd1;
    end
    if (which_i == 5'(NumFates)) frames[0] = rx_i[p];
    if (which_i == 5'(NumFates + 1)) frames[0] = tx_result_i[p];
    if (which_i == 5'(NumFates + 2)) frames[0] = tx_pass_i[p];
    if (which_i == 5'(NumFates + 3)) frames[0] = fate_valid_i[p] && fate_i[p] == FateMemoryError;
  end

  // A cycle ago, and two.
  logic            p_q, there_q, ran_q;
  logic [4:0]      which_q;
  logic [Bits-1:0] number_q, number2_q;
  logic [1:0]      adds_q, frames_q, past_q;
  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q                  <= {past_q[0], 1'b1};
    {p_q, which_q}          <= {p, which_i};
    {there_q, ran_q}        <= {there, rst_ni};
    {adds_q, frames_q}      <= {adds, frames};
    {number_q, number2_q}   <= {number, number_q};
  end

  always_ff @(posedge clk_i) begin
    if (past_q[0] && there_q) begin
      // Frames that meet a fate, come in or leave are noted, two of a port at once as two.
      a_noted : assert (u_dut.step_q[p_q][which_q] == (ran_q ? frames_q : 2'd0))
      else $error("%0d of port %0d: %0d frames", which_q, p_q, frames_q);
      // A counter grows by what was noted, and by nothing else; a reset makes it 0.
      a_grows : assert (u_dut.count_q[p_q][which_q] ==
                        (ran_q ? number_q + Bits'(adds_q) : Bits'(0)))
      else $error("%0d of port %0d: %0d, and %0d", which_q, p_q, number_q, adds_q);
    end
    // A reading is the counter's number in the cycle in which it was named; 0 where there is none.
    a_reading : assert (past_q != '1 || value == 48'(number2_q))
    else $error("%0d, not %0d", value, number2_q);

    // Two frames of a fate at once, and two more.
    c_two : cover (past_q[0] && there_q && ran_q && number_q == Bits'(2) && adds_q == 2'd2);
  end

endmodule
