// The port that a hash names. Its high half names one of all ports; only where that one is dead
// does the low half name one of those that live. So a link that goes down moves no flow but its
// own, and those evenly. The C twin is uplink_choose. A hash a cycle; nobody waits.
module uplink_choose
  import uplink_route_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 4
) (
  input logic clk_i,
  input logic rst_ni,

  // Ports that can be used.
  input logic [NumPorts-1:0] live_i,

  input logic        valid_i,   // a hash
  input logic [31:0] hash_i,

  // ChooseLatency cycles later. `none`: no port lived.
  output logic             valid_o,
  output logic             none_o,
  output logic [PortW-1:0] port_o
);

  localparam int unsigned CountW = $clog2(NumPorts + 1);

  if (NumPorts < 1 || NumPorts > MaxPorts) begin : gen_check
    $fatal(1, "%m: NumPorts must be 1 to 16");
  end

  logic [ChooseLatency-1:0] valid_q;
  logic [CountW-1:0]        count_q;
  logic [PortW-1:0]         first_q, first2_q, nth_q;
  logic [15:0]              low_q;
  logic                     lives_q;
  logic [NumPorts-1:0]      live_q, live2_q;
  logic [MaxPorts-1:0]      named;   // that live, by all numbers that a port can have

  // The live port with `nth` live ones in front of it.
  function automatic logic [PortW-1:0] nth_of(logic [NumPorts-1:0] live, logic [PortW-1:0] nth);
    logic [PortW-1:0] ahead;
    nth_of = '0;
    ahead = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (live[p] && ahead == nth) nth_of = PortW'(p);
      ahead = ahead + PortW'(live[p]);
    end
  endfunction

  assign named = MaxPorts'(live_q);

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[ChooseLatency-2:0], valid_i};
    count_q  <= CountW'($countones(live_i));
    live_q   <= live_i;
    // 1: which of all.
    first_q  <= PortW'((20'(hash_i[31:16]) * 20'(NumPorts)) >> 16);
    low_q    <= hash_i[15:0];
    // 2: which of the live ones.
    first2_q <= first_q;
    lives_q  <= named[first_q];
    live2_q  <= live_q;
    nth_q    <= PortW'((21'(low_q) * 21'(count_q)) >> 16);
    // 3: the one of the two that counts.
    port_o   <= lives_q ? first2_q : nth_of(live2_q, nth_q);
    none_o   <= live2_q == '0;
    if (!rst_ni) valid_q <= '0;
  end

  assign valid_o = valid_q[ChooseLatency-1];

  logic [MaxPorts-1:0] live3_q;
  always_ff @(posedge clk_i) begin
    live3_q <= MaxPorts'(live2_q);
    if (rst_ni) begin
      // A port that is named lived when it was chosen; else a frame would go where nobody is.
      a_lives : assert (!valid_o || none_o || live3_q[port_o])
      else $error("%m: port %0d is dead", port_o);
    end
  end

endmodule
