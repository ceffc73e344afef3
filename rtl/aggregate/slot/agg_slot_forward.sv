// Stage 3 of slot state: the record and the place of its pair that an operation finds, which are
// those in the RAM, or what an operation three or four ahead is about to write there, with Ecc also
// one five ahead.
//
// A module of its own because nothing behind it needs to know that the RAM is late, nor keeps what
// has been written. Nobody waits.
module agg_slot_forward
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// 1: records are coded; what reading one has found is told.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  // Of corrected memories only.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic rst_ni,

  // The operation in stage 3: whether it reads a record, and of which slot; how far ahead there is
  // one on the same slot, and one on the same pair.
  input logic             read_i,
  input logic [SlotW-1:0] slot_i,
  input logic [4+Ecc:1]   match_i,
  input logic [4+Ecc:1]   pair_i,

  // From the RAM.
  input slot_rec_t        rec_i,
  input ecc_t             found_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input slot_place_t      place_i,
  // Of the operation in stage 6, which is written now.
  input slot_rec_t        rec6_i,
  input slot_place_t      place6_i,

  // What the operation finds, a cycle later.
  output slot_rec_t       rec4_o,
  output slot_place_t     place4_o,
  // With it, a pulse: what came from the RAM was corrected, or is lost.
  output mem_event_t      mem_event_o
);

  slot_rec_t   rec7_q, rec8_q;
  slot_place_t place7_q, place8_q;

  always_ff @(posedge clk_i) begin
    rec7_q   <= rec6_i;
    rec8_q   <= rec7_q;
    place7_q <= place6_i;
    place8_q <= place7_q;
    if (match_i[3]) rec4_o <= rec6_i;
    else if (match_i[4]) rec4_o <= rec7_q;
    else if (Ecc != 0 && match_i[4+Ecc]) rec4_o <= rec8_q;
    else rec4_o <= rec_i;
    if (pair_i[3]) place4_o <= place6_i;
    else if (pair_i[4]) place4_o <= place7_q;
    else if (Ecc != 0 && pair_i[4+Ecc]) place4_o <= place8_q;
    else place4_o <= place_i;
    if (Ecc == 0) rec4_o.lost <= 1'b0;   // what a configuration lacks costs no flops
  end

  // Only what is not forwarded has come from the RAM.
  if (Ecc != 0) begin : gen_found
    always_ff @(posedge clk_i) begin
      mem_event_o.at    <= slot_i;
      mem_event_o.found <= read_i && match_i == '0 && rst_ni ? found_i : '0;
    end
  end else begin : gen_trusted
    assign mem_event_o = '0;
  end

endmodule
