// Stands in for agg_slot_records in proofs of the device: the device as it stands some time after
// reset, with every slot at rest. What a slot holds is free (`any_...` are cuts of the task):
// nothing, or a message of its own of which no rank, one or both are in place; if both, its results
// have been taken.
//
// Sound because such records are what commits and takes leave behind (agg_slot_update_props), and
// because between two operations the RAM is all that slot state keeps of a slot. A read comes a
// cycle after it was asked for and sees the record before a write of its own cycle, as in
// agg_slot_records.
// verilog_lint: waive module-filename
module agg_slot_records
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6,
  parameter int unsigned NumSlots = 680,
  parameter int unsigned Tree = 0,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  output logic ready_o,

  input  logic             re_i,
  input  logic [SlotW-1:0] raddr_i,
  output slot_rec_t        rdata_o,
  output ecc_t             found_o,
  output slot_place_t      place_o,

  input logic             we_i,
  input logic [SlotW-1:0] waddr_i,
  input slot_rec_t        wdata_i,
  input slot_place_t      place_i
);

  // Free in the cycle of reset: whether a slot stands for a message, which of its two (slot s of
  // ring g is 2g + s and has messages s and s + 2), which ranks are in place, behind which port
  // each of them is.
  logic [3:0]      any_valid, any_late;
  logic [3:0][1:0] any_stored, any_port;
  assign any_valid  = '0;
  assign any_late   = '0;
  assign any_stored = '0;
  assign any_port   = '0;

  function automatic slot_rec_t at_rest(input logic valid, input logic late,
                                        input logic [1:0] stored, input logic [1:0] ports,
                                        input logic [1:0] slot);
    slot_rec_t rec;
    rec             = '0;
    rec.valid       = valid;
    rec.empty       = stored == 2'b00;
    rec.complete    = stored == 2'b11;
    rec.held        = ^stored;   // the sum of a complete one has been taken
    rec.tag         = {30'd0, late, slot[0]};
    rec.tensor_len  = 14'd4;
    rec.workers     = (RankW + 1)'(2);
    rec.ring        = RingW'(slot[1]);
    rec.accepted    = MaxRanks'(stored);
    rec.missing     = MaxRanks'(~stored);
    rec.port[0][0]  = ports[0];
    rec.port[1][0]  = ports[1];
    return valid ? rec : '0;
  endfunction

  // Of the two slots of a ring, a pair, one at most holds packets.
  logic [3:0][1:0] stored;
  always_comb begin
    stored = any_stored;
    for (int unsigned g = 0; g < 2; g++) begin
      if (any_valid[2*g] && ^any_stored[2*g]) stored[2*g+1] = {2{any_stored[2*g+1][0]}};
    end
  end

  slot_rec_t [3:0] mem_q;
  slot_rec_t         read_q;
  slot_place_t [1:0] places_q;
  slot_place_t       read_place_q;

  always_ff @(posedge clk_i) begin
    if (re_i) read_q <= mem_q[raddr_i[1:0]];
    if (re_i) read_place_q <= places_q[raddr_i[1]];
    for (int unsigned s = 0; s < 4; s++) begin
      if (we_i && waddr_i[1:0] == 2'(s)) mem_q[s] <= wdata_i;
      if (!rst_ni) begin
        mem_q[s] <= at_rest(any_valid[s], any_late[s], stored[s], any_port[s], 2'(s));
      end
    end
    // At rest nothing is on its way, and no sum is still to be taken.
    for (int unsigned g = 0; g < 2; g++) begin
      if (we_i && waddr_i[1] == g[0]) places_q[g] <= place_i;
      if (!rst_ni) begin
        places_q[g] <= '{second: any_valid[2*g+1] && ^stored[2*g+1], needed: 1'b0};
      end
    end
  end

  assign ready_o = 1'b1;
  assign rdata_o = read_q;
  assign found_o = '0;
  assign place_o = read_place_q;

endmodule
