// weir_counters: what software reads of a port's frames, for any events and any numbers that it
// names. A counter that is named in two cycles, one after the other, is read twice; from one
// reading to the next it has grown by its events of one cycle, and by nothing else. So no counter
// needs a second one beside it here, and it may stand anywhere.
module counter_reads_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned Ecc = 0,
  parameter int unsigned Bits = 48
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic  [PortW-1:0]      index_i,
  input logic  [4:0]            which_i,
  input logic  [NumPorts-1:0]   rx_i,
  input logic  [NumPorts-1:0]   drop_valid_i,
  input fate_e [NumPorts-1:0]   drop_fate_i,
  input logic  [NumPorts-1:0]   fate_valid_i,
  input fate_e [NumPorts-1:0]   fate_i,
  input logic  [NumPorts-1:0]   tx_result_i,
  input logic  [NumPorts-1:0]   tx_pass_i
);

  logic [47:0] counters;

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
    .value_o(counters)
  );

  // ---------------------------------------------------------------------------------------------
  // Events of a cycle, and in the next one those of the counter that is named then.

  logic  [NumPorts-1:0] rx_q, drop_q, met_q, result_q, passed_q;
  fate_e [NumPorts-1:0] drop_fate_q, fate_q;
  logic                 ran_q;

  always_ff @(posedge clk_i) begin
    ran_q       <= rst_ni;
    rx_q        <= rx_i;
    drop_q      <= drop_valid_i;
    drop_fate_q <= drop_fate_i;
    met_q       <= fate_valid_i;
    fate_q      <= fate_i;
    result_q    <= tx_result_i;
    passed_q    <= tx_pass_i;
  end

  // Whether there is such a counter, and what it has grown by.
  logic       port, fate, frames;
  logic [1:0] grown;
  logic [$clog2(NumPorts)-1:0] p;
  assign port   = 32'(index_i) < NumPorts;
  assign p      = index_i[$clog2(NumPorts)-1:0];
  assign fate   = 32'(which_i) < NumFates;
  assign frames = port && 32'(which_i) < NumFates + 3 + Ecc;
  always_comb begin
    grown = '0;
    if (fate && drop_q[p] && drop_fate_q[p] == which_i) grown = 2'd1;
    if (fate && met_q[p] && fate_q[p] == which_i) grown += 2'd1;
    if (32'(which_i) == NumFates) grown = 2'(rx_q[p]);
    if (32'(which_i) == NumFates + 1) grown = 2'(result_q[p]);
    if (32'(which_i) == NumFates + 2) grown = 2'(passed_q[p]);
    if (32'(which_i) == NumFates + 3) grown = 2'(met_q[p] && fate_q[p] == FateMemoryError);
    if (!ran_q || !port) grown = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Of the last three cycles: what was named, and what of it had grown in the cycle before.

  typedef struct packed {
    logic             ran;
    logic [PortW-1:0] index;
    logic [4:0]       which;
    logic             frames;
    logic [1:0]       grown;
  } past_t;
  past_t       now;
  past_t [3:1] past_q;
  logic        twice;
  logic [47:0] counters_q;
  assign now   = '{ran: rst_ni, index: index_i, which: which_i, frames: frames, grown: grown};
  assign twice = past_q[3].ran && past_q[3].index == past_q[2].index &&
                 past_q[3].which == past_q[2].which;
  always_ff @(posedge clk_i) begin
    past_q     <= {past_q[2:1], now};
    counters_q <= counters;
  end

  logic [4:0] deep_q;   // so many cycles have gone by
  initial deep_q = '0;
  always_ff @(posedge clk_i) deep_q <= {deep_q[3:0], 1'b1};

  always_ff @(posedge clk_i) begin
    if (deep_q[4]) begin
      // A counter of a port's frames grows by each that met that fate, in the ingress, behind it or
      // both at once, came in, or left; with corrected memories by each that met a lost word.
      a_frames : assert (!twice || !past_q[2].frames ||
                         counters == 48'(Bits'(counters_q + 48'(past_q[3].grown))))
      else $error("%0d, then %0d", counters_q, counters);
      // Another number, or a port that there is not, reads 0.
      a_no_frames : assert (past_q[2].frames || counters == '0)
      else $error("number %0d of %0d reads %0d", past_q[2].which, past_q[2].index, counters);
      // Behind a reset all are 0.
      a_reset : assert (past_q[3].ran || counters == '0)
      else $error("%0d behind a reset", counters);

      // Two frames meet the same fate in one cycle.
      c_two : cover (twice && past_q[3].grown == 2'd2);
    end
  end

endmodule
