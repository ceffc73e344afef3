// Which ranks' results are blocked: the egress of the rank's port has no room for one more.
//
// A module of its own for the same reason as agg_slot_relate: the slot-state loop asks it of all
// candidates side by side, and chooses afterwards.
module agg_slot_blocked
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6
) (
  // Port where each rank's latest packet came in, of one record; ports whose egress has room. Ranks
  // and ports that this configuration lacks are not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [MaxRanks-1:0][PortW-1:0] port_i,
  input  logic [MaxPorts-1:0]            port_ready_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic [MaxRanks-1:0]            blocked_o
);

  always_comb begin
    blocked_o = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      blocked_o[r] = 1'b1;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (port_i[r] == PortW'(p) && port_ready_i[p]) blocked_o[r] = 1'b0;
      end
    end
  end

endmodule
