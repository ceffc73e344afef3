// How long an operation may stand still, and who is to blame when it does.
//
// Patience begins anew with the first child that contributes and with each packet that leaves. It
// is counted in microseconds from the next one on, so that no wait is shorter than it says. The
// lowest silent child is to blame; the parent, once it has all; nobody, if somebody has no room.
module sat_patience
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t    cfg_i,      // not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [31:0] time_i,     // microseconds, of a clock that all share

  input logic active_i,          // an operation is under way
  input logic moved_i,           // it began, or a packet of it left
  input logic rose_i,            // with moved_i: the last one, to the parent

  input logic                asked_i,   // the parent has the whole sum and has not answered
  input logic [NumPorts-1:0] missing_i, // children that have not contributed
  input logic [NumPorts-1:0] silent_i,  // children of whom a packet is missing
  input logic                waits_i,   // packets wait for room

  // The deadline has passed, and nothing moved in the cycle before. Who is to blame: his port's
  // number plus one, 0 if it is nobody.
  output logic       expired_o,
  output logic [7:0] port_o
);

  logic        due_q, moved_q, rose_q;
  logic [31:0] deadline_q;
  logic        asked_q;
  logic [NumPorts-1:0] silent_q;   // who is to blame, if somebody is

  always_ff @(posedge clk_i) begin
    moved_q <= moved_i;
    rose_q  <= rose_i;
    if (moved_q) begin
      deadline_q <= time_i + 32'd1 + (rose_q ? 32'(cfg_i.patience_up) : 32'(cfg_i.patience));
    end
    due_q     <= active_i && !moved_i && !moved_q && $signed(time_i - deadline_q) >= 0;
    expired_o <= due_q && active_i && !moved_i;
    silent_q  <= (missing_i != '0) ? missing_i : waits_i ? '0 : silent_i;
    asked_q   <= asked_i;
    port_o    <= asked_q ? 8'(cfg_i.parent) + 8'd1 : '0;
    for (int unsigned p = NumPorts; p > 0; p--) if (silent_q[p-1]) port_o <= 8'(p);
    if (!rst_ni) begin
      due_q     <= 1'b0;
      expired_o <= 1'b0;
    end
  end

endmodule
