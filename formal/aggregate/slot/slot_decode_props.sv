// agg_slot_state at the sizes that are built: which slot, and which rank, an operation is of. The
// other proofs of slot state have two slots and two or three ranks, which would hide that a number
// is decoded by some of its bits; here all of them are there, and what stands in the records is
// left out of the circuit and free (`cuts` of the task).
module slot_decode_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// The sizes of a configuration.
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6,
  parameter int unsigned NumSlots = 680
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    rsp_valid_i,
  input lookup_rsp_t             rsp_i,
  input logic     [NumPorts-1:0] commit_valid_i,
  input commit_t  [NumPorts-1:0] commit_i,
  input logic                    take_valid_i,
  input take_t                   take_i,
  input logic                    flush_valid_i,
  input logic        [SlotW-1:0] flush_slot_i
);

  logic started_q;
  initial started_q = 1'b0;

  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .parents_i       ('0),
    .devices_i       ('0),
    .rsp_valid_i,
    .rsp_ready_o     (),
    .rsp_i,
    .verdict_valid_o (),
    .verdict_o       (),
    .commit_valid_i,
    .commit_ready_o  (),
    .commit_i,
    .take_valid_i,
    .take_ready_o    (),
    .take_i,
    .take_rsp_valid_o(),
    .take_rsp_o      (),
    .take_column_o   (),
    .flush_valid_i,
    .flush_ready_o   (),
    .flush_slot_i,
    .job_first_o     (),
    .job_again_o     (),
    .job_ended_o     (),
    .job_ring_o      (),
    .job_slot_o      (),
    .ring_event_o    (),
    .obs_o           ()
  );

  // ---------------------------------------------------------------------------------------------
  // The operations of the last cycles, as they went in; [n]: n cycles ago.

  localparam int unsigned Far = 8;
  logic [Far:1]            touches_q;
  logic [Far:1][SlotW-1:0] slot_q;
  logic [Far:1][RankW-1:0] rank_q;
  logic [5:1]              four, three;   // same slot as the operation so far ahead
  logic [4:3][5:1]         other;         // the other one of its pair

  always_comb begin
    for (int unsigned d = 1; d <= 5; d++) begin
      three[d] = d <= Far - 3 && touches_q[3] && touches_q[3+d] && slot_q[3] == slot_q[3+d];
      for (int unsigned n = 3; n <= 4; n++) begin
        other[n][d] = d <= Far - n && touches_q[n] && touches_q[n+d] &&
            slot_q[n] == pair_of(slot_q[n+d]);
      end
      four[d]  = d <= Far - 4 && touches_q[4] && touches_q[4+d] && slot_q[4] == slot_q[4+d];
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    touches_q <= rst_ni ? {touches_q[Far-1:1], u_dut.op_in_valid && u_dut.op_in.touch} : '0;
    slot_q    <= {slot_q[Far-1:1], u_dut.op_in.slot};
    rank_q    <= {rank_q[Far-1:1], u_dut.op_in.rank};
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An operation gets the record of one ahead of it exactly if both are of one slot, all bits
      // of it: neither is a column another slot's, nor is what the one ahead did forgotten.
      a_same : assert (!touches_q[4] || (u_dut.match_q[4][1] == four[1] &&
                                         u_dut.match_q[4][2] == four[2]))
      else $error("match %b", u_dut.match_q[4]);
      a_ahead : assert (!touches_q[3] || (u_dut.match_q[3][3] == three[3] &&
          u_dut.match_q[3][4] == three[4] && u_dut.match_q[3][5] == three[5]))
      else $error("match %b", u_dut.match_q[3]);
      // Each slot has a record of its own in the RAM, from which it is read and to which it is
      // written, but while all are being cleared.
      a_read : assert (!touches_q[1] || (u_dut.u_records.u_ram.re_i &&
                                         SlotW'(u_dut.u_records.u_ram.raddr_i) == slot_q[1] ||
                                         32'(slot_q[1]) >= NumSlots))
      else $error("reads %0d", u_dut.u_records.u_ram.raddr_i);
      a_written : assert (!touches_q[6] || u_dut.u_records.sweep_q ||
          (u_dut.u_records.u_ram.we_i && SlotW'(u_dut.u_records.u_ram.waddr_i) == slot_q[6] ||
           32'(slot_q[6]) >= NumSlots))
      else $error("writes %0d", u_dut.u_records.u_ram.waddr_i);
      // And so has the bit that its neighbour asks for; asked is the other slot of the pair.
      a_pair : assert (!touches_q[1] || 32'(slot_q[1]) >= NumSlots ||
          (u_dut.u_records.u_held.re_i &&
           SlotW'(u_dut.u_records.u_held.raddr_i) == pair_of(slot_q[1])))
      else $error("asks %0d", u_dut.u_records.u_held.raddr_i);
      a_pair_ahead : assert ((!touches_q[4] || (u_dut.pair_q[4][1] == other[4][1] &&
          u_dut.pair_q[4][2] == other[4][2])) && (!touches_q[3] ||
          (u_dut.pair_q[3][3] == other[3][3] && u_dut.pair_q[3][4] == other[3][4] &&
           u_dut.pair_q[3][5] == other[3][5])))
      else $error("pair %b", u_dut.pair_q[4]);
      // A packet counts for its own rank, all bits of it.
      a_rank : assert (!touches_q[5] || u_dut.rank5_q ==
          ((32'(rank_q[5]) < NumRanks) ? MaxRanks'(1) << rank_q[5] : '0))
      else $error("rank %b", u_dut.rank5_q);
      // Two operations on slots that differ in their highest bit alone.
      c_high : cover (touches_q[5:4] == '1 && (slot_q[4] ^ slot_q[5]) == SlotW'(512) &&
                      rank_q[5] == RankW'(NumRanks - 1) && u_dut.op_q[5].op == SlotCommit);
    end
  end

endmodule
