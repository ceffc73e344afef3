// agg_emit_take and its lists of jobs: a list hears of the end of the take that it began last, or
// that this one was blocked, and none is begun before that. A take that leaves more to be taken is
// followed by the next one of its slot; one without a job is nothing to the lists.
//
// What else agg_emit_take keeps to is agg_emit_take_props.
module take_begins_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumSlots = 2
) (
  input logic                clk_i,
  input logic                rst_ni,
  input job_t                job_i,
  input ahead_t              soon_i,
  input logic                take_ready_i,
  input logic                take_rsp_valid_i,
  input take_rsp_t           take_rsp_i,
  input logic                writing_i,
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,
  input logic                flushed_i,
  input logic                read_ready_i,
  input logic                release_i,
  input logic                release_lock_i
);

  // States of the DUT.
  localparam logic [2:0] Idle = 3'd0, Lock = 3'd1, Ask = 3'd2, Answer = 3'd3, Hand = 3'd4;

  logic  started_q, take_valid;
  take_t take;
  initial started_q = 1'b0;

  agg_emit_take #(
    .NumPorts (NumPorts),
    .NumRings (1),
    .NumSlots (NumSlots),
    .MaxRows  (2),
    .FifoRows (3),
    .HdrFrames(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .job_i,
    .soon_i,
    .ahead_o       (),
    .take_valid_o  (take_valid),
    .take_ready_i,
    .take_o        (take),
    .take_rsp_valid_i,
    .take_rsp_i,
    .lock_valid_o  (),
    .lock_slot_o   (),
    .writing_slot_o(),
    .writing_i,
    .row_pop_i,
    .frame_pop_i,
    .flushed_i,
    .flushed_ring_i('0),
    .read_valid_o  (),
    .read_now_o    (),
    .read_ready_i,
    .read_o        (),
    .read_lock_o   (),
    .release_i,
    .release_lock_i
  );

  logic ends, blocks, begins;
  jobs_handover u_begun (
    .clk_i,
    .rst_ni,
    .job_i    (u_dut.u_jobs.job_i),
    .valid_i  (u_dut.u_jobs.valid_o),
    .slot_i   (u_dut.u_jobs.slot_o),
    .start_i  (u_dut.u_jobs.start_i),
    .blocked_i(u_dut.u_jobs.blocked_i),
    .end_o    (ends),
    .blocked_o(blocks),
    .start_o  (begins)
  );

  // The take that waits for its answer: its job has ended; cycles since it was accepted, 2 for
  // more. The list's job is under way, and that of the DUT's slot.
  logic             asked_q, ended_q, done, under_way, same_slot;
  logic       [1:0] since_q;
  logic [SlotW-1:0] asked_slot_q;
  assign done      = take_rsp_valid_i && take_rsp_i.status == TakeDone;
  assign under_way = u_begun.taken_q && !u_begun.ended_q;
  assign same_slot = u_begun.taken_slot_q == u_dut.slot_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (since_q != 2'd2) since_q <= since_q + 2'd1;
    if (job_i.ended) ended_q <= 1'b1;
    if (take_valid && take_ready_i) begin
      asked_q      <= 1'b1;
      ended_q      <= 1'b0;
      since_q      <= 2'd0;
      asked_slot_q <= take.slot;
    end
    if (take_rsp_valid_i) asked_q <= 1'b0;
    if (!rst_ni) asked_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one. Dropped: takes of nobody.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Slot state ends the job of a take that it has accepted some cycles ago, once, if there is
      // nothing more of it to be taken. Dropped: another slot's job goes.
      e_end : assume ((!job_i.ended || (asked_q && !ended_q && job_i.slot == asked_slot_q &&
          since_q == 2'd2)) && (!take_rsp_valid_i || (asked_q && since_q == 2'd2 &&
          (ended_q || job_i.ended) == (take_rsp_i.status == TakeGone ||
                                       (done && !take_rsp_i.more)))));
      // There are three answers, and more of one that is done alone. Dropped: a job that is blocked
      // is taken for over.
      e_answer : assume (!take_rsp_valid_i ||
          (take_rsp_i.status inside {TakeGone, TakeBlocked, TakeDone} &&
           (take_rsp_i.status == TakeDone || !take_rsp_i.more)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Lists hear of the end of the take that they began last, at the earliest four cycles later.
      a_ends : assert (ends);
      // So they do if it was blocked.
      a_blocks : assert (blocks);
      // A take is begun when there is one, and the one before has ended or gone back.
      a_begins : assert (begins);
      // Whose job is under way (helps the proof).
      a_way : assert (u_dut.state_q <= Hand && (!under_way || u_dut.state_q == Answer ||
                                                (same_slot && !u_dut.ahead_q)));
      a_since : assert (!u_begun.taken_q ||
          u_dut.u_jobs.since_q == 3'(u_begun.since_q) + 3'd1);
      a_rests : assert (!(u_dut.state_q inside {Idle, Hand}) || (!u_dut.ahead_q &&
                                                                 under_way == u_dut.more_q));
      a_lock : assert (!(u_dut.state_q inside {Lock, Ask}) || (!u_dut.more_q &&
          under_way == !u_dut.ahead_q && (u_dut.state_q != Ask || u_begun.since_q != 2'd0)));
      a_answer : assert (asked_q == (u_dut.state_q == Answer) && (!asked_q ||
          (!u_dut.more_q && asked_slot_q == u_dut.slot_q && (u_dut.ahead_q ? !under_way :
           u_begun.taken_q && same_slot && u_begun.ended_q == ended_q && u_begun.since_q[1] &&
           (since_q == 2'd0 || u_begun.since_q[0])))));
      // A list's take follows one that left more.
      c_more : cover (u_dut.state_q == Idle && u_dut.more_q && u_dut.start);
      // And one that left none.
      c_next : cover (u_dut.begins && u_begun.ended_q);
    end
  end

endmodule
