// Counts the frames of each port: how many came in, what became of them, how many left.
//
// Every frame that comes in meets exactly one fate (fate_e), which the assertions at the foot hold
// the device to. A counter shows an event two cycles after it; nobody waits for this module.
// Counters wrap: those of 48 bits, at 200 million frames a second, after two weeks; those of 32, in
// devices without wide counters, after twenty seconds.
module weir_counters
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// 1: packets may be dropped because a memory has lost something; that fate is counted, too.
  parameter int unsigned Ecc = 0,
  /// Bits of a counter, at most 48.
  parameter int unsigned Bits = 48
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulses of each port: a frame came in; the ingress dropped one, and why; one met its fate behind
  // the ingress, and which; a result, or a passed frame, has left.
  input logic  [NumPorts-1:0] rx_i,
  input logic  [NumPorts-1:0] drop_valid_i,
  input fate_e [NumPorts-1:0] drop_fate_i,
  input logic  [NumPorts-1:0] fate_valid_i,
  input fate_e [NumPorts-1:0] fate_i,
  input logic  [NumPorts-1:0] tx_result_i,
  input logic  [NumPorts-1:0] tx_pass_i,
  // Level: the port has held no frame for PortQuiet cycles. For the assertions only.
  input logic  [NumPorts-1:0] idle_i,

  // One counter, two cycles after it was named: 0 to 18 fates, 19 received, 20 results sent, 21
  // passed frames sent, with Ecc 22 FateMemoryError. Any other number reads 0.
  input  logic [PortW-1:0] port_i,
  input  logic [4:0]       which_i,
  output logic [47:0]      value_o
);

  localparam int unsigned Rx = NumFates;
  localparam int unsigned TxResult = NumFates + 1;
  localparam int unsigned TxPass = NumFates + 2;
  localparam int unsigned NumCounters = NumFates + 3 + Ecc;
  localparam int unsigned Lost = NumCounters - 1;   // with Ecc

  if (NumPorts < 1 || NumPorts > MaxPorts) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be 1 to 16");
  end

  // What each counter grows by, a flop between the data path and the adders. Two frames of a port
  // may meet their fates in one cycle, one in the ingress, one behind it.
  logic [NumPorts-1:0][NumCounters-1:0][1:0]  step_q;
  logic [NumPorts-1:0][NumCounters-1:0][Bits-1:0] count_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      for (int unsigned f = 0; f < NumFates; f++) begin
        step_q[p][f] <= 2'(drop_valid_i[p] && drop_fate_i[p] == fate_e'(f)) +
            2'(fate_valid_i[p] && fate_i[p] == fate_e'(f));
      end
      step_q[p][Rx] <= 2'(rx_i[p]);
      step_q[p][TxResult] <= 2'(tx_result_i[p]);
      step_q[p][TxPass] <= 2'(tx_pass_i[p]);
      if (Ecc != 0) step_q[p][Lost] <= 2'(fate_valid_i[p] && fate_i[p] == FateMemoryError);
      if (step_q[p] != '0) begin
        for (int unsigned c = 0; c < NumCounters; c++) begin
          if (step_q[p][c] != '0) count_q[p][c] <= count_q[p][c] + Bits'(step_q[p][c]);
        end
      end
      if (!rst_ni) begin
        step_q[p] <= '0;
        count_q[p] <= '0;
      end
    end
  end

  // The counter of that number of each port, then that of the port.
  logic [NumPorts-1:0][Bits-1:0] of_port_d, of_port_q;
  logic [Bits-1:0]           value_d;
  logic [PortW-1:0]          port_q;
  always_comb begin
    of_port_d = '0;
    value_d   = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (32'(which_i) < NumCounters) of_port_d[p] = count_q[p][which_i];
      if (port_q == PortW'(p)) value_d = value_d | of_port_q[p];
    end
  end
  always_ff @(posedge clk_i) begin
    port_q    <= port_i;
    of_port_q <= of_port_d;
    value_o   <= 48'(value_d);
  end

  // ---------------------------------------------------------------------------------------------
  // Assertions

  // Frames inside the port: in, and without a fate yet.
  logic [NumPorts-1:0][15:0] inside_q, inside_d;
  logic [NumPorts-1:0]       idle_q, check;
  logic [NumPorts-1:0]       changed_q;   // counters grew since the sum was last checked
  logic [NumPorts-1:0][Bits-1:0] fates;

  always_comb begin
    inside_d = inside_q;
    fates = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      inside_d[p] = inside_q[p] + 16'(rx_i[p]) - 16'(drop_valid_i[p]) - 16'(fate_valid_i[p]);
      check[p] = changed_q[p] && idle_q[p] && step_q[p] == '0;
      if (check[p]) begin
        for (int unsigned f = 0; f < NumFates; f++) fates[p] = fates[p] + count_q[p][f];
        if (Ecc != 0) fates[p] = fates[p] + count_q[p][Lost];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    idle_q <= idle_i;
    inside_q <= inside_d;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      changed_q[p] <= step_q[p] != '0 || (changed_q[p] && !check[p]);
    end
    if (!rst_ni) begin
      idle_q <= '0;
      inside_q <= '0;
      changed_q <= '0;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // No frame gets a fate before it has come in, and none gets two: the sum of fates never
        // passes the frames received.
        a_no_second_fate : assert (!inside_d[p][15])
        else $error("port %0d: more fates than frames", p);
        // Every frame gets a fate: an empty port has settled all that it received.
        a_no_frame_lost : assert (!idle_i[p] || inside_q[p] == '0)
        else $error("port %0d: empty, but %0d frames without a fate", p, inside_q[p]);
        // What software reads adds up: rx = passed + stored + duplicate + each drop reason.
        a_sum : assert (!check[p] || count_q[p][Rx] == fates[p])
        else $error("port %0d: %0d frames in, fates sum to %0d", p, count_q[p][Rx], fates[p]);
      end
    end
  end

endmodule
