// weir_counters: what software reads of a port adds up, whatever comes in one cycle. Counters are
// 48 bits wide and wrap, so all numbers here are meant modulo 2^48.
module weir_counters_props #(
  /// Ports.
  parameter int unsigned NumPorts = 2,
  /// With a counter of packets that were dropped because a memory has lost something.
  parameter int unsigned Ecc = 0,
  /// Also add up counters of 48 bits: more than a solver can do for runs of any length.
  parameter bit Sums = 1'b0
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic [NumPorts-1:0]      rx_i,
  input logic [NumPorts-1:0]      drop_valid_i,
  input logic [NumPorts-1:0][4:0] drop_fate_i,
  input logic [NumPorts-1:0]      fate_valid_i,
  input logic [NumPorts-1:0][4:0] fate_i,
  input logic [NumPorts-1:0]      tx_result_i,
  input logic [NumPorts-1:0]      tx_pass_i,
  input logic [NumPorts-1:0]      idle_i,
  input logic [3:0]               port_i,
  input logic [4:0]               which_i
);
  import roce_pkg::*;

  /// By number: fates, received, results sent, passed frames sent, with Ecc memory_error.
  localparam int unsigned Rx = NumFates, TxResult = NumFates + 1, TxPass = NumFates + 2;
  localparam int unsigned Counters = NumFates + 3 + Ecc;

  /// Where a fate is counted.
  function automatic int unsigned counter_of(logic [4:0] fate);
    return (fate == FateMemoryError) ? Counters - 1 : 32'(fate);
  endfunction

  logic                 started_q;
  logic [47:0]          value;
  fate_e [NumPorts-1:0] drop_fate, fate;
  logic [NumPorts-1:0]  named;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // A fate is one that has a counter; there is no counter for another, so its frame would be
    // missing in the sum.
    e_fate : assume (named == '1);
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign drop_fate[p] = fate_e'(drop_fate_i[p]);
    assign fate[p]      = fate_e'(fate_i[p]);
    // The ingress reads no memory.
    assign named[p]     = 32'(drop_fate_i[p]) < NumFates && 32'(fate_i[p]) < NumFates + Ecc;
  end

  weir_counters #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rx_i,
    .drop_valid_i,
    .drop_fate_i(drop_fate),
    .fate_valid_i,
    .fate_i     (fate),
    .tx_result_i,
    .tx_pass_i,
    .idle_i,
    .port_i,
    .which_i,
    .value_o    (value)
  );

  // ---------------------------------------------------------------------------------------------
  // Events as a reader of the register map counts them: those of all cycles but the last two are
  // counted.

  logic [NumPorts-1:0][Counters-1:0][1:0]  now, late_q;
  logic [NumPorts-1:0][Counters-1:0][47:0] seen_q;
  logic [NumPorts-1:0][47:0]               inside_q, late_inside_q;
  logic [NumPorts-1:0][47:0]               sum;
  logic [NumPorts-1:0][2:0]                settled, growth;

  always_comb begin
    now = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (drop_valid_i[p]) now[p][counter_of(drop_fate_i[p])] = 2'd1;
      if (fate_valid_i[p]) begin
        now[p][counter_of(fate_i[p])] = now[p][counter_of(fate_i[p])] + 2'd1;
      end
      now[p][Rx]       = 2'(rx_i[p]);
      now[p][TxResult] = 2'(tx_result_i[p]);
      now[p][TxPass]   = 2'(tx_pass_i[p]);
      growth[p]  = '0;
      settled[p] = 3'(drop_valid_i[p]) + 3'(fate_valid_i[p]);
      for (int unsigned f = 0; f < NumFates; f++) growth[p] = growth[p] + 3'(now[p][f]);
      if (Ecc != 0) growth[p] = growth[p] + 3'(now[p][Counters-1]);
    end
  end

  always_ff @(posedge clk_i) begin
    late_q        <= now;
    late_inside_q <= inside_q;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      inside_q[p] <= inside_q[p] + 48'(rx_i[p]) - 48'(drop_valid_i[p]) - 48'(fate_valid_i[p]);
      for (int unsigned c = 0; c < Counters; c++) begin
        seen_q[p][c] <= seen_q[p][c] + 48'(late_q[p][c]);
      end
    end
    if (!rst_ni) begin
      late_q        <= '0;
      late_inside_q <= '0;
      inside_q      <= '0;
      seen_q        <= '0;
    end
  end

  always_comb begin
    sum = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned f = 0; f < NumFates; f++) sum[p] = sum[p] + seen_q[p][f];
      if (Ecc != 0) sum[p] = sum[p] + seen_q[p][Counters-1];
    end
  end

  // What was read.
  logic [1:0]  known_q;
  logic [3:0]  port_q;
  logic [47:0] named_q, expected_q;
  logic [NumPorts-1:0][47:0] of_which;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      of_which[p] = (32'(which_i) < Counters) ? seen_q[p][which_i] : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    known_q    <= rst_ni ? {known_q[0], 1'b1} : '0;
    port_q     <= port_i;
    named_q    <= (32'(port_i) < NumPorts) ? of_which[port_i] : '0;
    expected_q <= named_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A counter is the number of its events since the reset, all but those of the last two
      // cycles: none is lost and none counted twice, and where two frames of a port meet the same
      // fate in one cycle, both count. Behind 2^48 - 1 comes 0.
      a_counts : assert (u_dut.count_q == seen_q)
      else $error("counters differ from the events");
      // The cycle between an event and its counter (helps the proof).
      a_steps : assert (u_dut.step_q == late_q)
      else $error("steps differ from the events");
      // What is read two cycles later is the counter that was named, and 0 where there is none.
      a_read : assert (!known_q[1] || value == expected_q)
      else $error("read %0d instead of %0d", value, expected_q);
      // Half-way, the port's counters (helps the proof).
      a_named : assert (!known_q[0] || (u_dut.port_q == port_q &&
          named_q == ((32'(port_q) < NumPorts) ? u_dut.of_port_q[port_q] : '0)))
      else $error("port %0d", port_q);
      // Both ends of a port settle a frame with the same fate in one cycle, and a third frame comes
      // in.
      c_two_at_once : cover (now[0][3] == 2'd2 && rx_i[0]);
      // A port is checked empty after three frames.
      c_checked : cover (u_dut.check[0] && u_dut.count_q[0][Rx] == 48'd3);
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Every frame that meets its fate makes one counter of a fate grow by one: in no cycle do
        // they grow by more or less than what was settled.
        a_one_counter : assert (growth[p] == settled[p])
        else $error("%0d settled, counters grow by %0d", settled[p], growth[p]);
        // The frames received are at any time those that were passed, stored, duplicate or dropped
        // for each reason, and those still inside the port: no frame vanishes from the books, none
        // is in them twice.
        a_adds_up : assert (!Sums || seen_q[p][Rx] == sum[p] + late_inside_q[p])
        else $error("received %0d, settled %0d", seen_q[p][Rx], sum[p]);
        // The frames inside are the difference, as the RTL counts them too.
        a_inside : assert (inside_q[p] == 48'(u_dut.inside_q[p][14:0]) && !u_dut.inside_q[p][15])
        else $error("inside %0d", inside_q[p]);
      end
    end
  end

endmodule
