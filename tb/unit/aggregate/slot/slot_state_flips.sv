// agg_slot_state with coded records, and a port that flips bits of them, for test_slot_state_flips.
module slot_state_flips
  import agg_pkg::*;
  import agg_obs_pkg::*;
#(
  // As those of agg_slot_state.
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 4,
  parameter int unsigned NumSlots = 8,
  // Bits of such a record in memory.
  localparam int unsigned FlipW = 119
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  lookup_rsp_t rsp_i,
  output logic        verdict_valid_o,
  output verdict_t    verdict_o,

  input  logic    [NumPorts-1:0] commit_valid_i,
  output logic    [NumPorts-1:0] commit_ready_o,
  input  commit_t [NumPorts-1:0] commit_i,

  input  logic      take_valid_i,
  output logic      take_ready_o,
  input  take_t     take_i,
  output logic      take_rsp_valid_o,
  output take_rsp_t take_rsp_o,

  input  logic             flush_valid_i,
  output logic             flush_ready_o,
  input  logic [SlotW-1:0] flush_slot_i,

  output logic             job_first_o,
  output logic             job_again_o,
  output logic             job_ended_o,
  output logic [SlotW-1:0] job_slot_o,
  output ring_event_t      ring_event_o,
  output mem_event_t       mem_event_o,
  output obs_state_t       obs_o,

  // Bits of a record as it stands in the memory, kept bits last, that flip with the clock.
  // verilator lint_off UNUSEDSIGNAL
  input logic             flip_i,
  input logic [SlotW-1:0] flip_slot_i,
  input logic [FlipW-1:0] flip_bits_i
  // verilator lint_on UNUSEDSIGNAL
);

  /* verilator lint_off PINCONNECTEMPTY */
  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Ecc     (1)
  ) u_state (
    .clk_i,
    .rst_ni,
    .parents_i    ('0),
    .devices_i    ('0),
    .rsp_valid_i,
    .rsp_ready_o,
    .rsp_i,
    .verdict_valid_o,
    .verdict_o,
    .commit_valid_i,
    .commit_ready_o,
    .commit_i,
    .waits_i      (1'b0),
    .soon_o       (),
    .ahead_i      ('0),
    .take_valid_i,
    .take_ready_o,
    .take_i,
    .take_rsp_valid_o,
    .take_rsp_o,
    .take_column_o(),
    .flush_valid_i,
    .flush_ready_o,
    .flush_slot_i,
    .job_first_o,
    .job_again_o,
    .job_ended_o,
    .job_ring_o   (),
    .job_slot_o,
    .ring_event_o,
    .mem_event_o,
    .obs_o
  );
  /* verilator lint_on PINCONNECTEMPTY */

  always_ff @(posedge clk_i) begin
    if (flip_i) begin
      u_state.u_records.u_ram.mem[flip_slot_i[$clog2(NumSlots)-1:0]] <=
          u_state.u_records.u_ram.mem[flip_slot_i[$clog2(NumSlots)-1:0]] ^ flip_bits_i;
    end
  end

endmodule
