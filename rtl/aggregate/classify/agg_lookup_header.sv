// Stages 1 to 3 of look-up: which ring an INA header names, and whether it keeps that ring's rules.
//
// A module of its own because it looks at nothing but headers and the registers of the rings: it
// runs beside the connection table, which looks at nothing but keys. A request every cycle; the
// answer is there when the request is in stage 3. Nobody waits.
module agg_lookup_header
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,

  // Not looked at: where a ring's slots are, its window, whether it learns.
  // verilator lint_off UNUSEDSIGNAL
  input ring_t [NumRings-1:0] rings_i,

  // The header of the request in stage 1 (its RingID), and of that in stage 2 (all the rest).
  input ina_t ina1_i,
  input ina_t ina2_i,
  // verilator lint_on UNUSEDSIGNAL

  // Of the request in stage 3: an enabled ring has its RingID; which one; a rule of that is broken.
  output logic             known_o,
  // Or else one that drops has it, and which one.
  output logic             drop_o,
  output logic [RingW-1:0] ring_o,
  output logic             bad_o
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;

  logic [NumRings-1:0] match_q;    // stage 2
  logic [NumRings-1:0] drop_q;
  logic [NumRings-1:0] breaks_q;   // stage 3: the header's rules, were it of that ring

  // An element or an operation that others may have, and this device has not.
  logic lacks_kind;
  assign lacks_kind = (Without[WithoutFp32] && ina2_i.kind[3:0] == TypeFp32) ||
      (Without[WithoutFp16] && ina2_i.kind[3:0] == TypeFp16) ||
      (Without[WithoutBf16] && ina2_i.kind[3:0] == TypeBf16) ||
      (Without[WithoutInt32] && ina2_i.kind[3:0] == TypeInt32) ||
      (Without[WithoutMinMax] && ina2_i.kind[7:4] != OpSum);

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      match_q[g]  <= rings_i[g].enable && rings_i[g].id == ina1_i.ring;
      drop_q[g]   <= rings_i[g].drop && rings_i[g].id == ina1_i.ring;
      // Held against each ring while it is not yet known which it is.
      breaks_q[g] <= 32'(ina2_i.rank) >= 32'(rings_i[g].workers) ||
          32'(ina2_i.workers) != 32'(rings_i[g].workers) || ina2_i.msglen == '0 ||
          32'(ina2_i.msglen) > 32'(rings_i[g].stride) ||
          ina2_i.kind[3:0] > TypeInt32 || ina2_i.kind[7:4] > OpMax || lacks_kind;
    end
    known_o <= |match_q;
    drop_o  <= |drop_q;
    ring_o  <= '0;
    // The first of several rings with the same RingID.
    for (int g = NumRings - 1; g >= 0; g--) begin
      if (match_q == '0 ? drop_q[g] : match_q[g]) ring_o <= RingW'(g);
    end
  end

  assign bad_o = breaks_q[ring_o[RingIdxW-1:0]];

endmodule
