// agg_emit: which wire goes where between the two that take jobs and read banks, and what stands
// between them below a parent.
//
// What they make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module emit_wires_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned Uplink = 1,
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 3
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input job_t                               job_i,
  input ahead_t                             soon_i,
  input logic                               flushed_i,
  input logic [RingW-1:0]                   flushed_ring_i,
  input logic                               take_ready_i,
  input taken_t                             taken_i,
  input logic                               writing_i,
  input logic [NumRanks-1:0][BeatBits-1:0]  hdr_i,
  input ecc_t [NumRanks-1:0]                hdr_ecc_i,
  input ecc_t [NumRanks-1:0]                row_ecc_i,
  input credit_t [NumPorts-1:0]             credit_i
);

  ahead_t                  ahead;
  take_req_t               take;
  lock_t                   lock;
  bank_read_t              read;
  reduce_req_t             reduce;
  parent_rows_t            parent;
  logic                    pairs_valid;
  logic [PairsW-1:0]       pairs;
  header_t [NumPorts-1:0]  header;
  mem_event_t              hdr_event;

  agg_emit #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (2),
    .NumSlots (8),
    .SlotBytes(128),
    .FifoRows (8),
    .HdrFrames(4),
    .Uplink   (Uplink),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i,
    .soon_i,
    .ahead_o      (ahead),
    .flushed_i,
    .flushed_ring_i,
    .take_o       (take),
    .take_ready_i,
    .taken_i,
    .lock_o       (lock),
    .writing_i,
    .read_o       (read),
    .hdr_i,
    .hdr_ecc_i,
    .row_ecc_i,
    .reduce_o     (reduce),
    .parent_o     (parent),
    .pairs_valid_o(pairs_valid),
    .pairs_o      (pairs),
    .header_o     (header),
    .credit_i,
    .hdr_event_o  (hdr_event)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // Credits of a port come back to who takes jobs.
      a_credit : assert ({u_dut.u_take.row_pop_i[p], u_dut.u_take.frame_pop_i[p]} ==
                         {credit_i[p].row_pop, credit_i[p].frame_pop})
      else $error("port %0d", p);
      // Its header words are those that the reader makes for it.
      a_header : assert (header[p].we == u_dut.u_read.hdr_we_o[p] &&
                         header[p].word == u_dut.u_read.hdr_word_o[p] &&
                         header[p].bad == u_dut.u_read.hdr_bad_o[p])
      else $error("port %0d", p);
    end
  end

  // What is read, by whom it is handed on; and what is read of the parent's rows.
  logic         handed, now, ours, lock_handed, ready, re;
  take_rsp_t    job;
  logic         beside;
  parent_rows_t rows;
  logic [SlotW-1:0] slot;
  logic [$bits(read.parent_row)-1:0] row;

  always_ff @(posedge clk_i) begin
    // Both are reset.
    a_reset : assert ({u_dut.u_take.rst_ni, u_dut.u_read.rst_ni} == {2{rst_ni}})
    else $error("reset");
    // Jobs, and what soon is one, come to who takes them, and so does the end of a flush; he says
    // which slot is ahead.
    a_jobs : assert ({u_dut.u_take.job_i, u_dut.u_take.soon_i, u_dut.u_take.flushed_i,
                      u_dut.u_take.flushed_ring_i} ==
                     {job_i, soon_i, flushed_i, flushed_ring_i} && ahead == u_dut.u_take.ahead_o)
    else $error("another job");
    // He takes dues of slot state, and is answered.
    a_take : assert ({take.valid, take.take} ==
                     {u_dut.u_take.take_valid_o, u_dut.u_take.take_o} &&
                     {u_dut.u_take.take_ready_i, u_dut.u_take.take_rsp_valid_i,
                      u_dut.u_take.take_rsp_i} ==
                     {take_ready_i, taken_i.valid, taken_i.taken})
    else $error("another take");
    // He locks slots, and waits while one is being written to.
    a_lock : assert ({lock.valid, lock.slot, lock.writing_slot} ==
                     {u_dut.u_take.lock_valid_o, u_dut.u_take.lock_slot_o,
                      u_dut.u_take.writing_slot_o} && u_dut.u_take.writing_i == writing_i)
    else $error("another lock");
    // A lock is given back by who reads.
    a_release : assert ({u_dut.u_take.release_i, u_dut.u_take.release_lock_i} ==
                        {u_dut.u_read.release_o, u_dut.u_read.release_lock_o})
    else $error("another lock is given back");
    // What is taken is read.
    a_handed : assert ({u_dut.u_read.read_valid_i, u_dut.u_read.read_now_i,
                        u_dut.u_read.read_parent_i, u_dut.u_read.read_i,
                        u_dut.u_read.read_lock_i, u_dut.u_take.read_ready_i} ==
                       {handed, now, ours, job, lock_handed, ready})
    else $error("another job is read");
    // Below a parent it goes through who reads the parent's rows as they are summed.
    a_beside : assert (beside)
    else $error("another job beside");
    // Rows and headers are read of the banks, and the parent's where there is one.
    a_read : assert ({read.row_re, read.row_slot, read.row_row, read.hdr_re, read.hdr_slot,
                      read.hdr_row} ==
                     {u_dut.u_read.row_re_o, u_dut.u_read.row_slot_o, u_dut.u_read.row_row_o,
                      u_dut.u_read.hdr_re_o, u_dut.u_read.hdr_slot_o, u_dut.u_read.hdr_row_o})
    else $error("another row");
    a_parent : assert ({read.parent_re, read.parent_slot, read.parent_row, parent} ==
                       {re, slot, row, rows})
    else $error("another row of the parent");
    // What was read comes back, with what was found in it.
    a_found : assert ({u_dut.u_read.hdr_i, u_dut.u_read.hdr_ecc_i, u_dut.u_read.row_ecc_i} ==
                      {hdr_i, hdr_ecc_i, row_ecc_i} && hdr_event == u_dut.u_read.hdr_event_o)
    else $error("another header");
    // The reduction hears what its rows are.
    a_reduce : assert ({reduce.valid, reduce.workers, reduce.kind, reduce.last, reduce.ports,
                        reduce.keep, reduce.kept, reduce.slot, reduce.row, reduce.found} ==
                       {u_dut.u_read.reduce_valid_o, u_dut.u_read.reduce_workers_o,
                        u_dut.u_read.reduce_kind_o, u_dut.u_read.reduce_last_o,
                        u_dut.u_read.reduce_ports_o, u_dut.u_read.reduce_keep_o,
                        u_dut.u_read.reduce_kept_o, u_dut.u_read.reduce_slot_o,
                        u_dut.u_read.reduce_row_o, u_dut.u_read.reduce_found_o})
    else $error("another sum");
    a_pairs : assert ({pairs_valid, pairs} == {u_dut.u_read.pairs_valid_o, u_dut.u_read.pairs_o})
    else $error("%0d pairs", pairs);

    // A job is handed on while another one's rows are summed.
    c_both : cover (rst_ni && u_dut.u_take.read_valid_o && reduce.valid && header[1].we);
  end

  if (Uplink != 0) begin : gen_beside
    // Nothing is read in the cycle in which slot state answers.
    assign {handed, now, ours} = {u_dut.gen_beside.u_beside.read_valid_o, 1'b0,
                                  u_dut.gen_beside.u_beside.read_parent_o};
    assign {job, lock_handed, ready} = {u_dut.gen_beside.u_beside.read_o,
                                        u_dut.gen_beside.u_beside.read_lock_o,
                                        u_dut.gen_beside.u_beside.take_ready_o};
    assign {re, slot, row, rows} = {u_dut.gen_beside.u_beside.parent_re_o,
                                    u_dut.gen_beside.u_beside.parent_slot_o,
                                    u_dut.gen_beside.u_beside.parent_row_o,
                                    u_dut.gen_beside.u_beside.parent_o};
    assign beside = u_dut.gen_beside.u_beside.rst_ni == rst_ni &&
        {u_dut.gen_beside.u_beside.take_valid_i, u_dut.gen_beside.u_beside.take_i,
         u_dut.gen_beside.u_beside.take_lock_i, u_dut.gen_beside.u_beside.read_ready_i,
         u_dut.gen_beside.u_beside.summed_i} ==
        {u_dut.u_take.read_valid_o, u_dut.u_take.read_o, u_dut.u_take.read_lock_o,
         u_dut.u_read.read_ready_o, u_dut.u_read.reduce_valid_o};
  end else begin : gen_alone
    assign {handed, now, ours} = {u_dut.u_take.read_valid_o, u_dut.u_take.read_now_o, 1'b0};
    assign {job, lock_handed, ready} = {u_dut.u_take.read_o, u_dut.u_take.read_lock_o,
                                        u_dut.u_read.read_ready_o};
    assign {re, slot, row, rows} = '0;
    assign beside = 1'b1;
  end

endmodule
