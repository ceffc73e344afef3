// agg_slot_blocked: a rank's result waits exactly while the egress of its port has no room, at the
// sizes that are built.
module agg_slot_blocked_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6
) (
  input logic                           clk_i,
  input logic [MaxRanks-1:0][PortW-1:0] port_i,
  input logic [MaxPorts-1:0]            port_ready_i,
  input logic [RankW-1:0]               rank_i   // any
);

  logic [MaxRanks-1:0] blocked;
  logic [PortW-1:0]    port;
  logic                room;

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_dut (
    .port_i,
    .port_ready_i,
    .blocked_o(blocked)
  );

  assign port = port_i[rank_i];
  assign room = 32'(port) < NumPorts && port_ready_i[port];

  always_ff @(posedge clk_i) begin
    // A rank is blocked exactly while its own port, of those that there are, has no room; a rank
    // that there is not never is.
    a_blocked : assert (blocked[rank_i] == (32'(rank_i) < NumRanks && !room))
    else $error("rank %0d of port %0d: %b", rank_i, port, blocked[rank_i]);

    // One rank waits and another one does not.
    c_one : cover (blocked[0] && !blocked[NumRanks-1]);
  end

endmodule
