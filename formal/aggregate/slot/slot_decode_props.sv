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

  logic                started_q;
  logic [NumPorts-1:0] commit_ready;
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
    .commit_ready_o  (commit_ready),
    .commit_i,
    .waits_i         (1'b0),
    .soon_o          (),
    .ahead_i         ('0),
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
  // The operations of the last cycles, as they went in; [n]: the one in stage n.

  localparam int unsigned Far = 8;
  logic [Far:2]            touches_q;
  logic [Far:2][SlotW-1:0] slot_q;
  logic [Far:2][MaxRanks-1:0] ranks_q;   // those that it is of
  logic [5:2][NumRanks-1:0][PortW-1:0] ports_q;
  logic [MaxRanks-1:0]            ranks;
  logic [NumRanks-1:0][PortW-1:0] ports;     // of a commit
  logic [NumRanks-1:0]            same_port;
  logic [NumPorts-1:0]            granted, of_column, stays, waits_q;
  commit_t [NumPorts-1:0]         commit_q;
  logic [4:1]              four, three;   // same slot as the operation so far ahead
  logic [4:3][4:1]         other;         // a slot of the same pair

  always_comb begin
    for (int unsigned d = 1; d <= 4; d++) begin
      three[d] = d <= Far - 3 && touches_q[3] && touches_q[3+d] && slot_q[3] == slot_q[3+d];
      for (int unsigned n = 3; n <= 4; n++) begin
        other[n][d] = d <= Far - n && touches_q[n] && touches_q[n+d] &&
            slot_q[n][SlotW-1:1] == slot_q[n+d][SlotW-1:1];
      end
      four[d]  = d <= Far - 4 && touches_q[4] && touches_q[4+d] && slot_q[4] == slot_q[4+d];
    end
  end

  assign granted = commit_valid_i & commit_ready;
  always_comb begin
    ranks = '0;
    ports = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      of_column[p] = !granted[p] || (u_dut.op_in_valid && u_dut.op_in.op == SlotCommit &&
          commit_i[p].slot == u_dut.op_in.slot && commit_i[p].msgid == u_dut.op_in.msgid &&
          commit_i[p].first == u_dut.op_in.first &&
          (commit_i[p].first || granted == NumPorts'(1) << p));
      stays[p]     = !waits_q[p] || (commit_valid_i[p] && commit_i[p] == commit_q[p]);
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (granted[p] && commit_i[p].rank == RankW'(r)) begin
          ranks[r] = 1'b1;
          ports[r] = PortW'(p);
        end
      end
    end
    if (u_dut.op_in.op != SlotCommit && 32'(u_dut.op_in.rank) < NumRanks) begin
      ranks[u_dut.op_in.rank] = 1'b1;
    end
    for (int unsigned r = 0; r < NumRanks; r++) begin
      same_port[r] = !ranks_q[5][r] || u_dut.ports5[r] == ports_q[5][r];
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    touches_q <= rst_ni ? {touches_q[Far-1:2], u_dut.op_in_valid && u_dut.op_in.touch} : '0;
    slot_q    <= {slot_q[Far-1:2], u_dut.op_in.slot};
    ranks_q   <= {ranks_q[Far-1:2], ranks};
    ports_q   <= {ports_q[4:2], ports};
    waits_q   <= rst_ni ? commit_valid_i & ~commit_ready : '0;
    commit_q  <= commit_i;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    // A port shows a commit until it is taken. Dropped: another one goes with a column's ranks.
    e_stays : assume (!rst_ni || stays == '1);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An operation gets the record of one ahead of it exactly if both are of one slot, all bits
      // of it: neither is a column another slot's, nor is what the one ahead did forgotten.
      a_same : assert (!touches_q[4] || (u_dut.match_q[4][1] == four[1] &&
                                         u_dut.match_q[4][2] == four[2]))
      else $error("match %b", u_dut.match_q[4]);
      a_ahead : assert (!touches_q[3] || (u_dut.match_q[3][3] == three[3] &&
          u_dut.match_q[3][4] == three[4]))
      else $error("match %b", u_dut.match_q[3]);
      // Each slot has a record of its own in the RAM, from which it is read and to which it is
      // written, but while all are being cleared.
      a_read : assert (!touches_q[2] || (u_dut.u_records.u_ram.re_i &&
                                         SlotW'(u_dut.u_records.u_ram.raddr_i) == slot_q[2] ||
                                         32'(slot_q[2]) >= NumSlots))
      else $error("reads %0d", u_dut.u_records.u_ram.raddr_i);
      a_written : assert (!touches_q[6] || u_dut.u_records.sweep_q ||
          (u_dut.u_records.u_ram.we_i && SlotW'(u_dut.u_records.u_ram.waddr_i) == slot_q[6] ||
           32'(slot_q[6]) >= NumSlots))
      else $error("writes %0d", u_dut.u_records.u_ram.waddr_i);
      // And each pair has its place.
      a_pair : assert (!touches_q[2] || 32'(slot_q[2]) >= NumSlots ||
          (u_dut.u_records.u_places.re_i &&
           SlotW'(u_dut.u_records.u_places.raddr_i) == slot_q[2] >> 1))
      else $error("asks %0d", u_dut.u_records.u_places.raddr_i);
      a_pair_written : assert (!touches_q[6] || u_dut.u_records.sweep_q ||
          (u_dut.u_records.u_places.we_i &&
           SlotW'(u_dut.u_records.u_places.waddr_i) == slot_q[6] >> 1 ||
           32'(slot_q[6]) >= NumSlots))
      else $error("writes %0d", u_dut.u_records.u_places.waddr_i);
      a_pair_ahead : assert ((!touches_q[4] || (u_dut.pair_q[4][1] == other[4][1] &&
          u_dut.pair_q[4][2] == other[4][2])) && (!touches_q[3] ||
          (u_dut.pair_q[3][3] == other[3][3] && u_dut.pair_q[3][4] == other[3][4])))
      else $error("pair %b", u_dut.pair_q[4]);
      // A packet counts for its own rank, all bits of it; a commit for the rank of each port whose
      // packet it is of, and for no other.
      a_rank : assert (!touches_q[5] || u_dut.rank5_q == ranks_q[5])
      else $error("rank %b", u_dut.rank5_q);
      // And a result of that rank leaves by that port.
      a_port : assert (!touches_q[5] || u_dut.op_q[5].op != SlotCommit || same_port == '1)
      else $error("ports %b", same_port);
      // All that go as one are of one column, and first packets.
      a_column : assert (of_column == '1)
      else $error("%b, of them %b", granted, of_column);
      // Who has been chosen is still shown (helps the proof).
      a_chosen : assert (!u_dut.u_arbiter.pick_valid_q || (
          (u_dut.u_arbiter.join_q & ~commit_valid_i) == '0 && $onehot(u_dut.u_arbiter.pick_q) &&
          (u_dut.u_arbiter.pick_q & ~u_dut.u_arbiter.join_q) == '0 &&
          u_dut.u_arbiter.picked == u_dut.u_arbiter.commit &&
          (u_dut.u_arbiter.join_q & ~u_dut.u_arbiter.pick_q & ~u_dut.u_arbiter.same) == '0))
      else $error("chosen %b", u_dut.u_arbiter.join_q);
      // Two operations on slots that differ in their highest bit alone.
      c_high : cover (touches_q[5:4] == '1 && (slot_q[4] ^ slot_q[5]) == SlotW'(512) &&
                      ranks_q[5][NumRanks-1] && u_dut.op_q[5].op == SlotCommit);
      // All ranks at once.
      c_all : cover (touches_q[5] && ranks_q[5] == MaxRanks'((1 << NumRanks) - 1));
    end
  end

endmodule
