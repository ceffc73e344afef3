// Emission: turns jobs (slots with dues) into rows through the reduction tree and header words for
// every egress.
//
// agg_emit_take picks jobs and takes their dues, agg_emit_read reads the banks for the job before;
// both run at the same time under a lock each. Below a parent agg_emit_beside stands between them,
// and reads the parent's rows. In every port, header words and rows come in the order of takes. Who
// waits for whom is said there; rows and header words that have started never wait.
module agg_emit
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, one bank each, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Largest tensor part of a packet, bytes; power of two, BeatBytes to 16384.
  parameter int unsigned SlotBytes = 1024,
  /// 1: the reduction takes a row of 16-bit elements every cycle; 0: every other one.
  parameter int unsigned WideLanes = 0,
  /// Rows that an egress can hold, at least SlotBytes / BeatBytes.
  parameter int unsigned FifoRows = 512,
  /// Headers that an egress can hold, 1 or more.
  parameter int unsigned HdrFrames = 8,
  /// 1: the last rank is the parent of some rings (docs/relay.md).
  parameter int unsigned Uplink = 0,
  /// 1: banks have corrected words.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Jobs, pulses; never refused. `flushed`, a pulse: a ring has been flushed, its jobs wait for no
  // port any more.
  input job_t             job_i,
  // A commit that waits to enter slot state will in all likelihood complete this slot's column.
  // `ahead`: this one's take will come without a job.
  input  ahead_t          soon_i,
  output ahead_t          ahead_o,
  input logic             flushed_i,
  input logic [RingW-1:0] flushed_ring_i,

  // Takes to slot state, which answers each one some cycles after accepting it.
  output take_req_t take_o,
  input  logic      take_ready_i,
  input  taken_t    taken_i,

  // Locks for the ports: no write to a locked slot starts. `writing_i`: a started one to the lock's
  // `writing_slot` is not committed.
  output lock_t lock_o,
  input  logic  writing_i,

  // Reads of all banks alike, but for the parent's rows. Data comes BankRead + Ecc cycles later:
  // header rows here, payload rows to the reduction, and of both here what was found in them.
  output bank_read_t                        read_o,
  input  logic [NumRanks-1:0][BeatBits-1:0] hdr_i,
  input  ecc_t [NumRanks-1:0]               hdr_ecc_i,
  input  ecc_t [NumRanks-1:0]               row_ecc_i,

  // To the reduction: what the rows are that leave the banks in this cycle, and for which ports.
  output reduce_req_t reduce_o,

  // What row of the parent's leaves its bank in this cycle.
  output parent_rows_t parent_o,

  // With a sum's last row: how many of its pairs of bytes are tensor (roce_icrc_rows).
  output logic              pairs_valid_o,
  output logic [PairsW-1:0] pairs_o,

  // To the egresses: header words, never refused. From them: credits, as rows and headers leave.
  output header_t [NumPorts-1:0] header_o,
  input  credit_t [NumPorts-1:0] credit_i,

  // What was found in header records, of what was of use.
  output mem_event_t hdr_event_o
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
    $fatal(1, "%m: SlotBytes must be a power of two from %0d to 16384", BeatBytes);
  end

  localparam int unsigned MaxRows = SlotBytes / BeatBytes;

  logic      taken_valid, taken_ready, taken_lock;
  /* verilator lint_off UNUSEDSIGNAL */
  logic      taken_now;   // not below a parent
  /* verilator lint_on UNUSEDSIGNAL */
  logic      read_valid, read_now, read_parent, read_ready, read_lock, done, done_lock;
  take_rsp_t taken, read;

  logic [NumPorts-1:0]                  row_pop, frame_pop, hdr_we, hdr_bad;
  logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign row_pop[p]   = credit_i[p].row_pop;
    assign frame_pop[p] = credit_i[p].frame_pop;
    assign header_o[p]  = '{we: hdr_we[p], word: hdr_word[p], bad: hdr_bad[p]};
  end

  agg_emit_take #(
    .NumPorts(NumPorts),
    .NumRings(NumRings),
    .NumSlots(NumSlots),
    .MaxRows(MaxRows),
    .FifoRows(FifoRows),
    .HdrFrames(HdrFrames),
    .Uplink(Uplink)
  ) u_take (
    .clk_i,
    .rst_ni,
    .job_i,
    .soon_i,
    .ahead_o,
    .take_valid_o    (take_o.valid),
    .take_ready_i,
    .take_o          (take_o.take),
    .take_rsp_valid_i(taken_i.valid),
    .take_rsp_i      (taken_i.taken),
    .lock_valid_o    (lock_o.valid),
    .lock_slot_o     (lock_o.slot),
    .writing_slot_o  (lock_o.writing_slot),
    .writing_i,
    .row_pop_i       (row_pop),
    .frame_pop_i     (frame_pop),
    .flushed_i,
    .flushed_ring_i,
    .read_valid_o    (taken_valid),
    .read_now_o      (taken_now),
    .read_ready_i    (taken_ready),
    .read_o          (taken),
    .read_lock_o     (taken_lock),
    .release_i       (done),
    .release_lock_i  (done_lock)
  );

  if (Uplink != 0) begin : gen_beside
    // Slot state's answer has gone through relay_take's registers, and waits in one more.
    assign read_now = 1'b0;

    agg_emit_beside #(
      .NumPorts(NumPorts),
      .NumRanks(NumRanks)
    ) u_beside (
      .clk_i,
      .rst_ni,
      .take_valid_i (taken_valid),
      .take_ready_o (taken_ready),
      .take_i       (taken),
      .take_lock_i  (taken_lock),
      .read_valid_o (read_valid),
      .read_parent_o(read_parent),
      .read_ready_i (read_ready),
      .read_o       (read),
      .read_lock_o  (read_lock),
      .summed_i     (reduce_o.valid),
      .parent_re_o  (read_o.parent_re),
      .parent_slot_o(read_o.parent_slot),
      .parent_row_o (read_o.parent_row),
      .parent_o
    );
  end else begin : gen_alone
    assign read_valid         = taken_valid;
    assign read_now           = taken_now;
    assign read_parent        = 1'b0;
    assign taken_ready        = read_ready;
    assign read               = taken;
    assign read_lock          = taken_lock;
    assign read_o.parent_re   = 1'b0;
    assign read_o.parent_slot = '0;
    assign read_o.parent_row  = '0;
    assign parent_o           = '0;
  end

  agg_emit_read #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .WideLanes(WideLanes),
    .Uplink(Uplink),
    .Ecc(Ecc)
  ) u_read (
    .clk_i,
    .rst_ni,
    .read_valid_i    (read_valid),
    .read_now_i      (read_now),
    .read_parent_i   (read_parent),
    .read_ready_o    (read_ready),
    .read_i          (read),
    .read_lock_i     (read_lock),
    .release_o       (done),
    .release_lock_o  (done_lock),
    .row_re_o        (read_o.row_re),
    .row_slot_o      (read_o.row_slot),
    .row_row_o       (read_o.row_row),
    .hdr_re_o        (read_o.hdr_re),
    .hdr_slot_o      (read_o.hdr_slot),
    .hdr_row_o       (read_o.hdr_row),
    .hdr_i,
    .hdr_ecc_i,
    .row_ecc_i,
    .reduce_valid_o  (reduce_o.valid),
    .reduce_workers_o(reduce_o.workers),
    .reduce_kind_o   (reduce_o.kind),
    .reduce_last_o   (reduce_o.last),
    .reduce_ports_o  (reduce_o.ports),
    .reduce_keep_o   (reduce_o.keep),
    .reduce_kept_o   (reduce_o.kept),
    .reduce_slot_o   (reduce_o.slot),
    .reduce_row_o    (reduce_o.row),
    .reduce_found_o  (reduce_o.found),
    .pairs_valid_o,
    .pairs_o,
    .hdr_we_o        (hdr_we),
    .hdr_word_o      (hdr_word),
    .hdr_bad_o       (hdr_bad),
    .hdr_event_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A lock covers every read of its slot, below a parent that of its first row; otherwise a
      // port could be writing what goes into a sum or a header.
      a_row_locked : assert (!read_o.row_re || (Uplink != 0 && read_o.row_row != '0) ||
          (lock_o.valid[0] && lock_o.slot[0] == read_o.row_slot) ||
          (lock_o.valid[1] && lock_o.slot[1] == read_o.row_slot))
      else $error("%m: row of slot %0d read without a lock", read_o.row_slot);
      a_parent_locked : assert (!read_o.parent_re || read_o.parent_row != '0 ||
          (lock_o.valid[0] && lock_o.slot[0] == read_o.parent_slot) ||
          (lock_o.valid[1] && lock_o.slot[1] == read_o.parent_slot))
      else $error("%m: parent's row of slot %0d read without a lock", read_o.parent_slot);
      a_hdr_locked : assert (!read_o.hdr_re ||
          (lock_o.valid[done_lock] && lock_o.slot[done_lock] == read_o.hdr_slot))
      else $error("%m: header of slot %0d read without a lock", read_o.hdr_slot);
      // Only rows that a slot has are read; the next slot's bytes would leave in this one's result.
      a_row : assert (!read_o.row_re || 32'(read_o.row_row) < MaxRows)
      else $error("%m: row %0d of slot %0d does not exist", read_o.row_row, read_o.row_slot);
    end
  end

endmodule
