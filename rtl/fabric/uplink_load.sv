// How much each uplink was given lately: each frame adds its bytes, and with each period an eighth,
// rounded up, is forgotten. The C twin is uplink_load.
//
// A frame a cycle. Which live port has the least is known Levels + 1 cycles later.
module uplink_load
  import uplink_route_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 4,
  localparam int unsigned Levels = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulse: a period is over. What a frame of the same cycle adds is of the new one.
  input logic period_i,

  // A frame goes to a port.
  input logic             add_i,
  input logic [PortW-1:0] port_i,
  input logic [15:0]      bytes_i,

  input logic [NumPorts-1:0] live_i,

  // The live port with the least load, the lowest of equals; `none`: no port lives.
  output logic             none_o,
  output logic [PortW-1:0] least_o,
  output logic [NumPorts-1:0][LoadW-1:0] load_o
);

  localparam int unsigned Leaves = 2 ** Levels;
  localparam logic [LoadW-1:0] Most = '1;

  logic [NumPorts-1:0][LoadW-1:0] load_q;
  logic [NumPorts-1:0][LoadW:0]   sum;
  logic [NumPorts-1:0][LoadW-1:0] kept;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      kept[p] = period_i ? load_q[p] - LoadW'((27'(load_q[p]) + 27'd7) >> 3) : load_q[p];
      sum[p]  = (LoadW + 1)'(kept[p]) +
          ((add_i && 32'(port_i) == p) ? (LoadW + 1)'(bytes_i) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      load_q[p] <= sum[p][LoadW] ? Most : sum[p][LoadW-1:0];
    end
    if (!rst_ni) load_q <= '0;
  end

  assign load_o = load_q;

  // A tree of comparisons, a level a cycle; who is dead loses.
  typedef struct packed {
    logic             dead;
    logic [LoadW-1:0] load;
    logic [PortW-1:0] port;
  } one_t;

  one_t [Leaves-1:0] best[Levels+1];

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Leaves; l++) best[0][l] <= '{dead: 1'b1, load: '1, port: '0};
    for (int unsigned l = 0; l < NumPorts; l++) begin
      best[0][l] <= '{dead: !live_i[l], load: load_q[l], port: PortW'(l)};
    end
    for (int unsigned v = 1; v <= Levels; v++) begin
      best[v] <= '0;
      for (int unsigned l = 0; l < (Leaves >> v); l++) begin
        best[v][l] <= ({best[v-1][2*l+1].dead, best[v-1][2*l+1].load} <
                       {best[v-1][2*l].dead, best[v-1][2*l].load}) ?
            best[v-1][2*l+1] : best[v-1][2*l];
      end
    end
  end

  assign none_o  = best[Levels][0].dead;
  assign least_o = best[Levels][0].port;

endmodule
