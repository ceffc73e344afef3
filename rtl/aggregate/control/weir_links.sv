// Counts the frames that ports did not send because their link was down (PORT_DOWN).
//
// A counter shows an event two cycles after it; nobody waits for this module. Counters are 32 bits
// wide and wrap.
module weir_links
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulses: a frame was dropped at this port's output.
  input logic [NumPorts-1:0] lost_i,

  // The counter of a port, two cycles after it was named; `which` 0, others read 0.
  input  logic [PortW-1:0] port_i,
  input  logic [4:0]       which_i,
  output logic [47:0]      value_o
);

  logic [NumPorts-1:0]       lost_q;
  logic [NumPorts-1:0][31:0] count_q;
  logic [31:0]               value_d, value_q;

  always_comb begin
    value_d = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (port_i == PortW'(p) && which_i == '0) value_d = value_d | count_q[p];
    end
  end

  always_ff @(posedge clk_i) begin
    lost_q  <= lost_i;
    value_q <= value_d;
    value_o <= 48'(value_q);
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (lost_q[p]) count_q[p] <= count_q[p] + 32'd1;
    end
    if (!rst_ni) begin
      lost_q  <= '0;
      count_q <= '0;
    end
  end

endmodule
