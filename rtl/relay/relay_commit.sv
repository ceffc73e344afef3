// Filter between ports and slot state below a parent (docs/relay.md): notifications are written
// behind the banks, and slot state does not hear of them. Combinational; they never wait.
module relay_commit
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  // Commits of the ports, and those that go on to slot state.
  input  commit_req_t [Cfg.NumPorts-1:0] port_i,
  output logic        [Cfg.NumPorts-1:0] port_ready_o,
  output commit_req_t [Cfg.NumPorts-1:0] state_o,
  input  logic        [Cfg.NumPorts-1:0] state_ready_i,

  // Commit of a notification, a pulse, always taken: its headers are in their bank.
  output commit_req_t kept_o
);

  localparam int unsigned UpPort = Cfg.NumPorts - 1;

  always_comb begin
    kept_o               = port_i[UpPort];
    kept_o.valid         = port_i[UpPort].valid &&
        port_i[UpPort].commit.rank == RankW'(Cfg.NumRanks + 1);
    state_o              = port_i;
    state_o[UpPort].valid = port_i[UpPort].valid && !kept_o.valid;
    port_ready_o         = state_ready_i;
    port_ready_o[UpPort] = kept_o.valid || state_ready_i[UpPort];
  end

endmodule
