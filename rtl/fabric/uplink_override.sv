// Overrides of traffic engineering: a frame whose source port and destination prefix are those of
// an entry goes to the entry's port, the first entry that matches; where that port is dead, or none
// matches, the hash decides (Meta RoCE 4.3.2). The C twin is uplink_overridden.
//
// A key a cycle; nobody waits. Entries are registers, which change between frames.
module uplink_override
  import uplink_route_pkg::*;
#(
  /// Entries, 1 or more.
  parameter int unsigned Entries = 8,
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 4
) (
  input logic clk_i,
  input logic rst_ni,

  input uplink_override_t [Entries-1:0]  entry_i,
  input logic             [NumPorts-1:0] live_i,   // ports that can be used

  input logic        valid_i,
  // Only what an entry names.
  // verilator lint_off UNUSEDSIGNAL
  input uplink_key_t key_i,
  // verilator lint_on UNUSEDSIGNAL

  // OverrideLatency cycles later; `hit`: it goes to that port.
  output logic             valid_o,
  output logic             hit_o,
  output logic [PortW-1:0] port_o
);

  localparam int unsigned Parts = 8;
  localparam int unsigned PartW = 128 / Parts;

  logic [OverrideLatency-1:0]     valid_q;
  logic [Entries-1:0][Parts-1:0]  part_q;
  logic [Entries-1:0]             sport_q, match_q;
  logic [Entries-1:0][127:0]      unlike;

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    assign unlike[e] = (key_i.dst ^ entry_i[e].prefix) & entry_i[e].mask;
    always_ff @(posedge clk_i) begin
      sport_q[e] <= entry_i[e].valid && key_i.sport == entry_i[e].sport;
      for (int unsigned p = 0; p < Parts; p++) begin
        part_q[e][p] <= unlike[e][PartW*p +: PartW] == '0;
      end
      match_q[e] <= sport_q[e] && part_q[e] == '1;
    end
  end

  // The first one that matches, and beside that, of each, whether its port lives.
  logic [Entries-1:0]  first, alive;
  logic [PortW-1:0]    port;
  logic [MaxPorts-1:0] live;
  assign live = MaxPorts'(live_i);
  always_comb begin
    port = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      first[e] = match_q[e];
      for (int unsigned f = 0; f < e; f++) if (match_q[f]) first[e] = 1'b0;
      alive[e] = live[entry_i[e].port];
      if (first[e]) port |= entry_i[e].port;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[OverrideLatency-2:0], valid_i};
    hit_o   <= (first & alive) != '0;
    port_o  <= port;
    if (!rst_ni) valid_q <= '0;
  end

  assign valid_o = valid_q[OverrideLatency-1];

endmodule
