// Whether a port's current packet requests its bank.
//
// A module of its own so that synthesis keeps it shallow: a bank is granted behind it, in the same
// cycle.
module agg_port_want
  import agg_pkg::*;
#(
  /// Started packets at most, 2 to 8.
  parameter int unsigned MaxStarted = 4
) (
  input logic current_i,   // there is a current frame
  input logic started_i,   // it has its bank
  input logic writes_i,    // it is a packet that is to be written
  input logic gave_i,      // a bank was released a cycle ago
  input logic late_i,      // a packet with pad bytes is not all written yet
  input logic [MaxStarted-1:0] open_i,   // places of started packets that are not committed

  // verilator lint_off UNUSEDSIGNAL
  input logic [SlotW-1:0]      slot_i,   // of the packet; its pair is looked at
  // Emission's locks. Both slots of a pair have one place for payloads.
  input logic [1:0]            lock_valid_i,
  input logic [1:0][SlotW-1:0] lock_slot_i,
  // verilator lint_on UNUSEDSIGNAL

  output logic want_o   // it requests its bank
);

  /// What `prim_differ` makes of a pair's number.
  localparam int unsigned Parts = (SlotW - 1 + 2) / 3;
  logic [1:0][Parts-1:0] differ;
  logic [1:0]            locked;

  for (genvar l = 0; l < 2; l++) begin : gen_lock
    prim_differ #(
      .Width(SlotW - 1)
    ) u_differ (
      .a_i     (lock_slot_i[l][SlotW-1:1]),
      .b_i     (slot_i[SlotW-1:1]),
      .differ_o(differ[l])
    );
    assign locked[l] = lock_valid_i[l] && differ[l] == '0;
  end

  // Not in the cycle of a release: the next packet, be it for another bank, keeps its distance too.
  assign want_o = current_i && !started_i && writes_i && locked == '0 && !gave_i && !late_i &&
      open_i != '1;

endmodule
