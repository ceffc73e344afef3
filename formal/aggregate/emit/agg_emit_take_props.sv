// Slots are asked for that have a job (that none is lost: agg_job_lists_props); what is taken is
// under a lock from before the take to the last read; every take that is answered with results is
// handed on once, with room for it.
module agg_emit_take_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRings = 1,
  parameter int unsigned NumSlots = 2,
  parameter int unsigned MaxRows = 2,
  parameter int unsigned FifoRows = 3,
  parameter int unsigned HdrFrames = 2
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                job_first_i,
  input logic                job_again_i,
  input logic                job_ended_i,
  input logic                job_slot_i,
  input logic                soon_valid_i,
  input logic                soon_slot_i,
  input logic                flushed_i,
  input logic                take_ready_i,
  input logic                take_rsp_valid_i,
  input take_rsp_t           take_rsp_i,
  input logic                writing_i,
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,
  input logic                read_ready_i,
  input logic                release_i,
  input logic                release_lock_i
);

  logic started_q;
  initial started_q = 1'b0;

  logic                  take_valid, read_valid, read_lock;
  take_t                 take;
  take_rsp_t             read;
  logic            [1:0] lock_valid;
  logic [1:0][SlotW-1:0] lock_slot;
  logic      [SlotW-1:0] writing_slot;
  job_t                  job;
  ahead_t                ahead;
  logic                  under;   // the take under way has no job

  assign under = u_dut.ahead_q;
  assign job = '{first: job_first_i, again: job_again_i, ended: job_ended_i, ring: '0,
                 slot: SlotW'(job_slot_i)};

  agg_emit_take #(
    .NumPorts (NumPorts),
    .NumRings (NumRings),
    .NumSlots (NumSlots),
    .MaxRows  (MaxRows),
    .FifoRows (FifoRows),
    .HdrFrames(HdrFrames)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i         (job),
    .soon_i        ('{valid: soon_valid_i, slot: SlotW'(soon_slot_i)}),
    .ahead_o       (ahead),
    .take_valid_o  (take_valid),
    .take_ready_i,
    .take_o        (take),
    .take_rsp_valid_i,
    .take_rsp_i,
    .lock_valid_o  (lock_valid),
    .lock_slot_o   (lock_slot),
    .writing_slot_o(writing_slot),
    .writing_i,
    .row_pop_i,
    .frame_pop_i,
    .flushed_i,
    .flushed_ring_i('0),
    .read_valid_o  (read_valid),
    .read_ready_i,
    .read_o        (read),
    .read_lock_o   (read_lock),
    .release_i,
    .release_lock_i
  );

  // ---------------------------------------------------------------------------------------------
  // Slots that have a job, the take that waits for its answer, what is owed to the reader and what
  // it reads, seen from outside.

  logic [NumSlots-1:0] job_q;
  logic                asked_q, ended_q, clean_q, owed_q, owed_lock_q;
  logic [1:0]          since_q;                   // cycles since a take was accepted, 2 for more
  logic                asked_slot_q;
  logic [NumPorts-1:0] asked_ports_q, ports;
  logic          [1:0] reads_q;                   // locks under which something is read
  logic          [1:0] read_slot_q;
  logic                done;
  take_rsp_t           owed_rsp_q;

  assign done = take_rsp_valid_i && take_rsp_i.status == TakeDone;

  always_comb begin
    ports = '0;
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      if (take_rsp_i.ranks[r] && 32'(take_rsp_i.port[r]) < NumPorts) begin
        ports[take_rsp_i.port[r][0]] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (since_q != 2'd2) since_q <= since_q + 2'd1;
    if (job_ended_i) begin
      ended_q           <= 1'b1;
      job_q[job_slot_i] <= 1'b0;
    end
    if (take_valid && take_ready_i) begin
      asked_q       <= 1'b1;
      ended_q       <= 1'b0;
      since_q       <= 2'd0;
      asked_slot_q  <= take.slot[0];
      asked_ports_q <= take.port_ready[NumPorts-1:0];
    end
    if (take_rsp_valid_i) asked_q <= 1'b0;
    if (job_first_i || job_again_i) job_q[job_slot_i] <= 1'b1;
    // What is left of a take without a job is one.
    if (take_rsp_valid_i && under &&
        (take_rsp_i.status == TakeBlocked || (done && take_rsp_i.more))) begin
      job_q[asked_slot_q] <= 1'b1;
    end

    if (release_i) reads_q[release_lock_i] <= 1'b0;
    if (read_valid && read_ready_i) begin
      reads_q[read_lock]     <= 1'b1;
      read_slot_q[read_lock] <= read.slot[0];
    end
    owed_q     <= (done || owed_q) && !(read_valid && read_ready_i);
    if (done) owed_rsp_q <= take_rsp_i;
    if (!rst_ni) begin
      job_q   <= '0;
      asked_q <= 1'b0;
      reads_q <= '0;
      owed_q  <= 1'b0;
    end
  end

  // What each egress holds or is about to get: room that was given away, and of it what can be
  // leaving again, which is two cycles behind the answer. Ports of the answer a cycle ago.
  localparam int unsigned RowsW = $clog2(FifoRows + MaxRows + 1);
  localparam int unsigned FramesW = $clog2(HdrFrames + 2);

  logic [NumPorts-1:0][RowsW-1:0]   rows_q, rows_comes_q, rows_held;
  logic [NumPorts-1:0][FramesW-1:0] frames_q, frames_held;
  logic [NumPorts-1:0]              frame_comes_q, fits, counts, known, ports_q;
  logic                             blocked_q;

  always_ff @(posedge clk_i) begin
    ports_q   <= ports;
    blocked_q <= rst_ni && take_rsp_valid_i && take_rsp_i.status == TakeBlocked;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      rows_comes_q[p]  <= (done && ports[p]) ?
          RowsW'(roce_pkg::rows_of(take_rsp_i.tensor_len)) : '0;
      frame_comes_q[p] <= done && ports[p];
      rows_q[p]        <= rows_held[p] - RowsW'(row_pop_i[p]);
      frames_q[p]      <= frames_held[p] - FramesW'(frame_pop_i[p]);
    end
    if (!rst_ni) begin
      rows_comes_q  <= '0;
      frame_comes_q <= '0;
      rows_q        <= '0;
      frames_q      <= '0;
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      rows_held[p]   = rows_q[p] + rows_comes_q[p];
      frames_held[p] = frames_q[p] + FramesW'(frame_comes_q[p]);
      fits[p]        = 32'(rows_held[p]) <= FifoRows && 32'(frames_held[p]) <= HdrFrames;
      known[p]       = (!row_pop_i[p] || rows_q[p] != '0) && (!frame_pop_i[p] || frames_q[p] != '0);
    end
  end

  assign counts[0] = 32'(u_dut.u_credits.gen_port[0].rows_q) + 32'(rows_q[0]) == FifoRows &&
      32'(u_dut.u_credits.gen_port[0].frames_q) + 32'(frames_q[0]) == HdrFrames;
  assign counts[1] = 32'(u_dut.u_credits.gen_port[1].rows_q) + 32'(rows_q[1]) == FifoRows &&
      32'(u_dut.u_credits.gen_port[1].frames_q) + 32'(frames_q[1]) == HdrFrames;

  // Since the lock of the coming take is set, no write to its slot was under way in some cycle; no
  // new one starts under the lock, so none is.
  always_ff @(posedge clk_i) begin
    clean_q <= lock_valid[read_lock] && !(read_valid && read_ready_i) &&
        (clean_q || (!writing_i && writing_slot == lock_slot[read_lock]));
    if (!rst_ni) clean_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset, and the only one. Dropped: jobs of nobody.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Slot state gives a slot one job at a time. Dropped: a slot is asked for that has none.
      e_job : assume ($onehot0({job_first_i, job_again_i, job_ended_i}) &&
          (!(job_first_i || job_again_i) || (!job_q[job_slot_i] && !take_rsp_valid_i &&
          !(under && SlotW'(job_slot_i) == u_dut.slot_q))));
      // It ends the job of a take that it has accepted some cycles ago, once, if there is nothing
      // more of it to be taken. Dropped: another slot's job goes.
      e_end : assume ((!job_ended_i || (asked_q && !ended_q && job_slot_i == asked_slot_q &&
          since_q == 2'd2)) && (!take_rsp_valid_i || (since_q == 2'd2 &&
          (ended_q || job_ended_i) ==
          (take_rsp_i.status == TakeGone || (done && !take_rsp_i.more)))));
      // It answers who asked, of a ring that there is, as its jobs are, with results for ports that
      // were ready only. Dropped: room that is not there is taken.
      e_answer : assume (!take_rsp_valid_i || (asked_q &&
          32'(take_rsp_i.slot) == 32'(asked_slot_q) && 32'(take_rsp_i.ring) < NumRings &&
          take_rsp_i.status inside {TakeGone, TakeBlocked, TakeDone} &&
          (take_rsp_i.status == TakeDone || !take_rsp_i.more) &&
          (ports & ~asked_ports_q) == '0 && 32'(take_rsp_i.tensor_len) <= MaxRows * 64));
      // Nothing leaves an egress that has not come. Dropped: room is counted that is not there.
      e_pop : assume (known == '1);
      // The reader gives back a lock that it holds, once. Dropped: a slot is written while it is
      // read.
      e_release : assume (!release_i || reads_q[release_lock_i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Slot state is asked for slots that have a job, or whose column a commit was to complete;
      // then it hears until the take that commits bring none.
      a_job : assert (!take_valid || (under ? ahead.valid && ahead.slot == take.slot :
          job_q[take.slot[0]]));
      // Room that is withheld for another list is none.
      a_room : assert (!take_valid || (take.port_ready & MaxPorts'(u_dut.withheld)) == '0);
      // A take is asked for under a lock of its slot, and no write to it is under way.
      a_clean : assert (!take_valid || (clean_q && lock_valid[read_lock] &&
          lock_slot[read_lock] == take.slot));
      // The lock stays until the last read.
      a_lock0 : assert (!reads_q[0] || (lock_valid[0] && lock_slot[0] == SlotW'(read_slot_q[0])));
      a_lock1 : assert (!reads_q[1] || (lock_valid[1] && lock_slot[1] == SlotW'(read_slot_q[1])));
      // Every egress has room for the rows and the header of each result that is taken for it: none
      // is lost there.
      a_fits : assert (fits == '1);
      // What has left is counted as room again, and nothing else (helps the proof).
      a_counts : assert (counts == '1);
      // A take that was blocked waits for the ports of the ranks that it would serve.
      a_needs : assert (!blocked_q || u_dut.ports_q == ports_q);
      // One take at a time, under a lock that nothing is read under.
      a_one : assert (!take_valid || (!asked_q && !owed_q && !reads_q[read_lock]));
      // What was taken is handed on once, as it was answered.
      a_handed : assert (read_valid == (done || owed_q) &&
          (!owed_q || (read == owed_rsp_q && !done)) && (!done || read == take_rsp_i));
      // A job comes back after another one was served.
      c_two : cover (read_valid && read_ready_i && reads_q != '0 && take_rsp_i.more);
      // A take without a job leaves one.
      c_left : cover (under && take_rsp_valid_i && take_rsp_i.status == TakeBlocked);
      // A blocked job is asked for again.
      c_blocked : cover (take_rsp_valid_i && take_rsp_i.status == TakeBlocked && job_q == '1);
    end
  end

endmodule
