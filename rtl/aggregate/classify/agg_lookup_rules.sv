// Stage 4 of look-up: the rules. What becomes of a request by all that is known of it but its
// message, and whether it may go on. No registers.
//
// A module of its own because these few lines are the rules of docs/protocol.md on connections, to
// be read beside each other. The request waits for nobody: it goes on in this cycle, or it is given
// back.
module agg_lookup_rules
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// 1: the table may have lost an entry.
  parameter int unsigned Ecc = 0
) (
  // The request in stage 4. Not all of it is needed here.
  input logic          valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input lookup_known_t known_i,
  // verilator lint_on UNUSEDSIGNAL

  // Its fate, final unless FateStored.
  output fate_e fate_o,
  // It is accepted, or else given back to the arbiter; and it adds its connection to the table.
  output logic  accept_o,
  output logic  learn_o
);

  logic  adds, room;
  fate_e strange;   // of what is no ring's

  // Its receiver may expect just the next PSN of a connection that the device has forgotten, and
  // would take one rank's numbers for the sum.
  assign strange = known_i.hit ? FateRetired :
      (!known_i.open || (known_i.req.has_ina && known_i.header_drop)) ? FateClosed : FatePassed;

  always_comb begin
    fate_o = FateStored;
    if (known_i.req.has_ina) begin
      if (!known_i.header_known) fate_o = known_i.known ? FateBadHeader : strange;
      else if (known_i.header_bad || (known_i.known && known_i.mismatch)) fate_o = FateBadHeader;
      else if (!known_i.known) begin
        // An entry of a disabled ring keeps its connection.
        if (known_i.hit && !(known_i.revives && known_i.learn)) fate_o = FateRetired;
        else if (!known_i.learn) fate_o = FateUnregistered;
        else if (known_i.claimed) fate_o = FateRankConflict;
        else if (!known_i.hit && known_i.full) fate_o = FateTableFull;
      end
    end else if (!known_i.known) begin
      fate_o = strange;
    end else if (known_i.req.starts) begin
      fate_o = FateBadHeader;
    end
    // It may be known, so it must not pass; nor is it known, so it must not be stored.
    if (Ecc != 0 && known_i.lost) fate_o = FateMemoryError;
  end

  // A retired connection has its entry.
  assign room     = known_i.hit || !known_i.full;
  // One that adds a connection goes on only if it is alone. `fresh` instead of the fate, and
  // `learn_o` in one go: in time for the table.
  assign adds     = known_i.fresh && known_i.learn && room;
  assign accept_o = valid_i && !known_i.hazard && (!adds || known_i.req.alone);
  assign learn_o  = valid_i && !known_i.hazard && known_i.req.alone && known_i.fresh &&
      known_i.learn && room;

endmodule
