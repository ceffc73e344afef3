// Emission: turns jobs (slots with dues) into rows through the reduction tree and header words for
// every egress.
//
// agg_emit_take picks jobs and takes their dues, agg_emit_read reads the banks for the job before;
// both run at the same time under a lock each. In every port, header words and rows come in the
// order of takes. Who waits for whom is said there; rows and header words that have started never
// wait.
module agg_emit
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, one bank each, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Largest tensor part of a packet, bytes; power of two, 64 to 16384.
  parameter int unsigned SlotBytes = 1024,
  /// 1: the reduction takes a row of 16-bit elements every cycle; 0: every other one.
  parameter int unsigned WideLanes = 0,
  /// Rows that an egress can hold, at least SlotBytes / 64.
  parameter int unsigned FifoRows = 512,
  /// Headers that an egress can hold, 1 or more.
  parameter int unsigned HdrFrames = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // Jobs; never refused.
  input logic             job_first_i,
  input logic             job_again_i,
  input logic [SlotW-1:0] job_slot_i,

  // Slot state; it answers each take some cycles after accepting it.
  output logic      take_valid_o,
  input  logic      take_ready_i,
  output take_t     take_o,
  input  logic      take_rsp_valid_i,
  input  take_rsp_t take_rsp_i,

  // Ports: a write to a locked slot does not start; `writing` while a started one to the slot asked
  // about is not committed.
  output logic [1:0]            lock_valid_o,
  output logic [1:0][SlotW-1:0] lock_slot_o,
  output logic [SlotW-1:0]      writing_slot_o,
  input  logic                  writing_i,

  // All banks alike; data comes two cycles later, the header rows here, the payload rows to the
  // reduction.
  output logic                              row_re_o,
  output logic [SlotW-1:0]                  row_slot_o,
  output logic [7:0]                        row_row_o,
  output logic                              hdr_re_o,
  output logic [SlotW-1:0]                  hdr_slot_o,
  output logic                              hdr_row_o,
  input  logic [NumRanks-1:0][BeatBits-1:0] hdr_i,

  // The reduction: what the rows are that come out of the banks now, and the ports they go to.
  output logic                reduce_valid_o,
  output logic [RankW:0]      reduce_workers_o,
  output logic [7:0]          reduce_kind_o,
  output logic                reduce_last_o,
  output logic [MaxPorts-1:0] reduce_ports_o,

  // Egress: header words, and pulses for rows and headers that left.
  output logic [NumPorts-1:0]                  hdr_we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word_o,
  input  logic [NumPorts-1:0]                  row_pop_i,
  input  logic [NumPorts-1:0]                  frame_pop_i
);

  if (NumPorts < 1 || NumPorts > MaxPorts) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be 1 to %0d", MaxPorts);
  end
  if (NumRanks < 1 || NumRanks > MaxRanks) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be 1 to %0d", MaxRanks);
  end
  if (NumSlots < 1 || NumSlots > 2 ** SlotW) begin : gen_check_slots
    $fatal(1, "%m: NumSlots must be 1 to %0d", 2 ** SlotW);
  end
  if (SlotBytes < BeatBytes || SlotBytes > 16384 || SlotBytes != 2 ** $clog2(SlotBytes))
  begin : gen_check_bytes
    $fatal(1, "%m: SlotBytes must be a power of two from 64 to 16384");
  end

  localparam int unsigned MaxRows = SlotBytes / BeatBytes;

  logic      read_valid, read_ready, read_lock, done, done_lock;
  take_rsp_t read;

  agg_emit_take #(
    .NumPorts(NumPorts),
    .NumSlots(NumSlots),
    .MaxRows(MaxRows),
    .FifoRows(FifoRows),
    .HdrFrames(HdrFrames)
  ) u_take (
    .clk_i,
    .rst_ni,
    .job_first_i,
    .job_again_i,
    .job_slot_i,
    .take_valid_o,
    .take_ready_i,
    .take_o,
    .take_rsp_valid_i,
    .take_rsp_i,
    .lock_valid_o,
    .lock_slot_o,
    .writing_slot_o,
    .writing_i,
    .row_pop_i,
    .frame_pop_i,
    .read_valid_o  (read_valid),
    .read_ready_i  (read_ready),
    .read_o        (read),
    .read_lock_o   (read_lock),
    .release_i     (done),
    .release_lock_i(done_lock)
  );

  agg_emit_read #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .WideLanes(WideLanes)
  ) u_read (
    .clk_i,
    .rst_ni,
    .read_valid_i  (read_valid),
    .read_ready_o  (read_ready),
    .read_i        (read),
    .read_lock_i   (read_lock),
    .release_o     (done),
    .release_lock_o(done_lock),
    .row_re_o,
    .row_slot_o,
    .row_row_o,
    .hdr_re_o,
    .hdr_slot_o,
    .hdr_row_o,
    .hdr_i,
    .reduce_valid_o,
    .reduce_workers_o,
    .reduce_kind_o,
    .reduce_last_o,
    .reduce_ports_o,
    .hdr_we_o,
    .hdr_word_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A lock covers every read of its slot; otherwise a port could be writing what goes into a
      // sum or a header.
      a_row_locked : assert (!row_re_o ||
          (lock_valid_o[done_lock] && lock_slot_o[done_lock] == row_slot_o))
      else $error("%m: row of slot %0d read without a lock", row_slot_o);
      a_hdr_locked : assert (!hdr_re_o ||
          (lock_valid_o[done_lock] && lock_slot_o[done_lock] == hdr_slot_o))
      else $error("%m: header of slot %0d read without a lock", hdr_slot_o);
      // Only rows that a slot has are read; the next slot's bytes would leave in this one's result.
      a_row : assert (!row_re_o || 32'(row_row_o) < MaxRows)
      else $error("%m: row %0d of slot %0d does not exist", row_row_o, row_slot_o);
    end
  end

endmodule
