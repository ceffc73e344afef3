// agg_slot_state below a parent: a packet's verdict names what was looked up of it, and what was
// refused, or is a repetition, before it came here stays that. So a notification is written where
// relay_accept has a place for it.
//
// What stands in the records is left out of the circuit and free (`cuts` of the task).
module slot_verdict_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
    parameter int unsigned NumPorts = 3,
    parameter int unsigned NumRanks = 3,
    parameter int unsigned NumSlots = 4
) (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic                       rsp_valid_i,
    input lookup_rsp_t                rsp_i,
    input logic        [NumPorts-1:0] commit_valid_i,
    input commit_t     [NumPorts-1:0] commit_i,
    input logic                       take_valid_i,
    input take_t                      take_i,
    input logic                       flush_valid_i,
    input logic        [   SlotW-1:0] flush_slot_i
);

  // Cycles from a packet to its verdict.
  localparam int unsigned Answer = SlotAnswer;

  logic started_q, rsp_ready, verdict_valid;
  verdict_t verdict;
  initial started_q = 1'b0;

  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Uplink  (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .parents_i       ('1),
    .devices_i       ('0),
    .rsp_valid_i,
    .rsp_ready_o     (rsp_ready),
    .rsp_i,
    .verdict_valid_o (verdict_valid),
    .verdict_o       (verdict),
    .commit_valid_i,
    .commit_ready_o  (),
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
    .mem_event_o     (),
    .obs_o           ()
  );

  // The packets of the last cycles.
  logic        [Answer:1] valid_q;
  lookup_rsp_t [Answer:1] rsp_q;
  lookup_rsp_t            its;
  assign its = rsp_q[Answer];
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    valid_q   <= {valid_q[Answer-1:1], rsp_valid_i && rsp_ready};
    rsp_q     <= {rsp_q[Answer-1:1], rsp_i};
    if (!rst_ni) valid_q <= '0;
    // The first cycle is one of reset. Dropped: a verdict that nobody asked for.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A verdict is of the packet that came as long ago, and names its port, slot, rank and
      // message.
      a_its : assert (!verdict_valid || (valid_q[Answer] && verdict.port == its.port &&
          verdict.slot == its.slot && verdict.rank == its.rank && verdict.msgid == its.msgid))
      else $error("slot %0d instead of %0d", verdict.slot, its.slot);
      // A packet that was refused, or is a repetition, stays so.
      a_stays : assert (!verdict_valid || its.fate == FateStored || verdict.fate == its.fate)
      else $error("fate %0d instead of %0d", verdict.fate, its.fate);
      // One of each.
      c_note : cover (verdict_valid && verdict.fate == FateDuplicate && its.fate == FateDuplicate);
    end
  end

endmodule
