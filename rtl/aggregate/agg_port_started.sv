// Started packets of one port, whose commits slot state has not taken: a ring of places.
//
// A module of its own so that synthesis keeps it shallow: grants of banks and of commits meet here,
// between other modules.
module agg_port_started
  import agg_pkg::*;
#(
  /// Started packets at most, 2 to 8.
  parameter int unsigned MaxStarted = 4
) (
  input logic clk_i,
  input logic rst_ni,

  // A packet starts, a pulse; not while all places are taken.
  input  logic             start_i,
  input  logic [SlotW-1:0] slot_i,
  // Commits to slot state, in the order of starts.
  input  logic             commit_valid_i,
  input  logic             commit_ready_i,

  // Places of packets that are not committed, and their slots.
  output logic [MaxStarted-1:0]            open_o,
  output logic [MaxStarted-1:0][SlotW-1:0] slots_o
);

  logic [MaxStarted-1:0]            open_q;
  logic [MaxStarted-1:0][SlotW-1:0] slots_q;
  logic [MaxStarted-1:0]            next_q, oldest_q;   // one-hot
  logic                             commit_fire;

  assign commit_fire = commit_valid_i && commit_ready_i;
  assign open_o      = open_q;
  assign slots_o     = slots_q;

  always_ff @(posedge clk_i) begin
    open_q <= (open_q & ~(commit_fire ? oldest_q : '0)) | (start_i ? next_q : '0);
    if (commit_fire) oldest_q <= {oldest_q[MaxStarted-2:0], oldest_q[MaxStarted-1]};
    if (start_i) next_q <= {next_q[MaxStarted-2:0], next_q[MaxStarted-1]};
    for (int unsigned i = 0; i < MaxStarted; i++) begin
      if (start_i && next_q[i]) slots_q[i] <= slot_i;
    end
    if (!rst_ni) begin
      open_q   <= '0;
      next_q   <= MaxStarted'(1);
      oldest_q <= MaxStarted'(1);
    end
  end

endmodule
