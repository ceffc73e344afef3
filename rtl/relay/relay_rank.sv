// Turns the rank of a whole ring, as workers write it, into the rank in this leaf (docs/relay.md).
//
// Look-up knows a leaf's own workers only. A rank of another leaf, or a number of workers that is
// not the ring's, becomes one that look-up takes for a bad header. Packets of rings of which the
// device is no leaf stay as they are. Combinational.
module relay_rank
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8
) (
  // Registers of a ring change only while it is disabled or flushed.
  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // The packet, and its ring, one-hot.
  input  logic [NumRings-1:0] ring_i,
  input  frame_desc_t         desc_i,
  output frame_desc_t         desc_o
);

  always_comb begin
    desc_o = desc_i;
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (ring_i[g] && relays_i[g].parent && !relays_i[g].devices) begin
        desc_o.ina.rank    = desc_i.ina.rank - relays_i[g].first;
        desc_o.ina.workers = (desc_i.ina.workers == 16'(relays_i[g].total)) ?
            16'(rings_i[g].workers) : '0;
      end
    end
  end

endmodule
