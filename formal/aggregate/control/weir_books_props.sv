// weir_counters, of one port: what software reads adds up in runs of any length, whatever comes in
// one cycle. Counters are 48 bits wide and wrap, so all numbers here are meant modulo 2^48.
module weir_books_props #(
  /// With a counter of packets that were dropped because a memory has lost something.
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumPorts = 1
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
  input logic [NumPorts-1:0]      idle_i
);
  import roce_pkg::*;

  /// By number: fates, received, results sent, passed frames sent, with Ecc memory_error.
  localparam int unsigned Rx = NumFates, TxResult = NumFates + 1, TxPass = NumFates + 2;
  localparam int unsigned Counters = NumFates + 3 + Ecc;

  /// Where a fate is counted.
  function automatic int unsigned counter_of(logic [4:0] fate);
    return (fate == FateMemoryError) ? Counters - 1 : 32'(fate);
  endfunction

  /// Fates that are counted, and the counter of each.
  localparam int unsigned Fates = NumFates + Ecc;
  function automatic int unsigned at_of(int unsigned f);
    return (f == NumFates) ? Counters - 1 : f;
  endfunction

  logic                 started_q;
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
    .port_i     ('0),
    .which_i    ('0),
    .value_o    ()
  );

  // ---------------------------------------------------------------------------------------------
  // Events as a reader of the register map counts them: those of all cycles but the last two are
  // counted.

  logic [NumPorts-1:0][Counters-1:0][1:0]  now, late_q;
  logic [NumPorts-1:0][Counters-1:0][47:0] seen_q;
  logic [NumPorts-1:0][47:0]               inside_q, late_inside_q;
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

  // The sum of the first counters of fates, for each number of them, as a register that grows by
  // what they grow by together: each is the one before and one counter more, so the last one is the
  // sum of all. One addition at a time is work for a solver, twenty at once are not.
  logic [NumPorts-1:0][Fates:0][47:0] first_q;
  logic [NumPorts-1:0][Fates:0][1:0]  first_late;
  logic [NumPorts-1:0][Fates-1:0]     joins, few;
  always_comb begin
    first_late = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned f = 0; f < Fates; f++) begin
        first_late[p][f+1] = first_late[p][f] + late_q[p][at_of(f)];
        few[p][f]   = first_late[p][f+1] >= first_late[p][f] && first_late[p][f+1] <= 2'd2;
        joins[p][f] = first_q[p][f+1] == first_q[p][f] + u_dut.count_q[p][at_of(f)];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned f = 0; f <= Fates; f++) begin
        first_q[p][f] <= first_q[p][f] + 48'(first_late[p][f]);
      end
    end
    if (!rst_ni) first_q <= '0;
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
        a_adds_up : assert (first_q[p][0] == '0 && joins[p] == '1 &&
            u_dut.count_q[p][Rx] == first_q[p][Fates] + late_inside_q[p])
        else $error("received %0d, settled %0d", u_dut.count_q[p][Rx], first_q[p][Fates]);
        // Of the frames of a cycle, what is not counted yet (helps the proof).
        a_between : assert (few[p] == '1 &&
            inside_q[p] + 48'(first_late[p][Fates]) == late_inside_q[p] + 48'(late_q[p][Rx]))
        else $error("%0d frames inside, %0d a cycle ago", inside_q[p], late_inside_q[p]);
        // The frames inside are the difference, as the RTL counts them too.
        a_inside : assert (inside_q[p] == 48'(u_dut.inside_q[p][14:0]) && !u_dut.inside_q[p][15])
        else $error("inside %0d", inside_q[p]);
      end
    end
  end

endmodule
