// Queues jobs, and takes the dues of one after the other from slot state while the results before
// are still read.
//
// A job's slot is locked first. From then on no port starts a write to it, and when no started
// write is left uncommitted (`writing_i`), what is in the banks is what slot state knows of. Two
// locks, so that the next job is taken while the one before is read; the reader gives its lock
// back. The taker waits for ports (a started write always ends), for slot state (which serves takes
// in turn). A job whose ports have no room gives its lock back, so that it never holds up what the
// room may depend on, and waits in front of its own ring's jobs only (agg_job_lists). Nobody waits
// for the taker but hosts.
//
// When no job waits, the take of a column does not wait for its job: it is begun as the commit that
// will in all likelihood complete the column waits to enter slot state (`soon`), and goes in right
// behind that. No commit that goes in before brings a job (`ahead`). If the column is complete and
// the take is not all of it, what is left is a job for the lists; if it is not complete, the take
// finds nothing owed.
module agg_emit_take
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Slots, 1 to 16384: the most jobs there can be.
  parameter int unsigned NumSlots = 680,
  /// Rows of a largest result, 1 to 256.
  parameter int unsigned MaxRows = 16,
  /// Rows that an egress can hold, at least MaxRows.
  parameter int unsigned FifoRows = 512,
  /// Headers that an egress can hold, 1 or more.
  parameter int unsigned HdrFrames = 8,
  /// 1: below a parent. A take's job has ended some cycles before its answer comes (relay_take),
  /// and the next one is begun with that.
  parameter int unsigned Uplink = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Jobs, pulses; never refused, because a slot has one at a time.
  input job_t job_i,
  // A commit that waits to enter slot state will in all likelihood complete this slot's column.
  // `ahead`: this one's take will come without a job.
  input  ahead_t soon_i,
  output ahead_t ahead_o,

  // Takes to slot state; the answer, a pulse, comes some cycles after a take was accepted.
  output logic  take_valid_o,
  input  logic  take_ready_i,
  output take_t take_o,
  input  logic      take_rsp_valid_i,
  input  take_rsp_t take_rsp_i,

  // Locks: no port starts a write to a locked slot.
  output logic [1:0]            lock_valid_o,
  output logic [1:0][SlotW-1:0] lock_slot_o,
  // Slot of the current take; `writing_i`, in the same cycle: a port has started a write to it that
  // is not committed.
  output logic [SlotW-1:0]      writing_slot_o,
  input  logic                  writing_i,

  // Credits: a row, or a header, has left the port's egress.
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,

  // A ring has been flushed, pulse.
  input logic             flushed_i,
  input logic [RingW-1:0] flushed_ring_i,

  // To the reader: what to read, and under which lock. `release`, a pulse, gives a lock back.
  output logic      read_valid_o,
  output logic      read_now_o,     // with it: in the cycle of the answer
  input  logic      read_ready_i,
  output take_rsp_t read_o,
  output logic      read_lock_o,
  input  logic      release_i,
  input  logic      release_lock_i
);

  // ---------------------------------------------------------------------------------------------
  // Jobs.

  logic                have, start, begins, blocked;
  logic [SlotW-1:0]    slot_d;
  logic [NumPorts-1:0] ready, stopped, withheld, room;
  logic [NumPorts-1:0] ports_q;   // of the answer of the cycle before
  job_t                listed;    // what the lists are told
  logic                left_q;    // a job is left of a take that had none
  logic                none;      // no list has a job

  agg_job_lists #(
    .NumPorts(NumPorts),
    .NumRings(NumRings),
    .NumSlots(NumSlots)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .job_i         (listed),
    .left_i        (left_q),
    .none_o        (none),
    .valid_o       (have),
    .slot_o        (slot_d),
    .start_i       (begins),
    .blocked_i     (blocked),
    .needs_i       (ports_q),
    .ready_i       (ready),
    .stopped_i     (stopped),
    .withheld_o    (withheld),
    .flushed_i,
    .flushed_ring_i
  );

  // ---------------------------------------------------------------------------------------------
  // One take at a time.

  typedef enum logic [2:0] {StIdle, StLock, StAsk, StAnswer, StHand} state_e;

  state_e               state_q;
  logic                 more_q;       // the last job's slot has more dues: it is taken again
  logic [SlotW-1:0]     slot_q;
  logic                 lock_q;       // lock of the current take
  logic                 writing_q;    // a write to its slot was not committed in the last cycle
  logic [1:0]           lock_valid_q;
  logic [1:0][SlotW-1:0] lock_slot_q;
  take_rsp_t            rsp_q;
  logic                 answered, chained;
  logic                 ahead, ahead_q;   // a take begins, or is under way, without a job
  logic [SlotW-1:0]     begun;

  assign start    = state_q == StIdle && (have || more_q) && !lock_valid_q[lock_q] && !left_q;
  assign begins   = (start && !more_q) || chained;
  assign ahead    = state_q == StIdle && soon_i.valid && none && !have && !more_q &&
      !lock_valid_q[lock_q] && !left_q;
  assign begun    = more_q ? slot_q : have ? slot_d : soon_i.slot;
  assign answered = state_q == StAnswer && take_rsp_valid_i && take_rsp_i.status == TakeDone;
  assign chained  = Uplink != 0 && answered && !take_rsp_i.more && read_ready_i && have &&
      !lock_valid_q[!lock_q];
  assign blocked  = state_q == StAnswer && take_rsp_valid_i && take_rsp_i.status == TakeBlocked &&
      !ahead_q;

  // Of a take without a job there is none to end. What is left of it goes to the lists when no
  // other job does; until then no take begins, so that its slot is known. A job that ends is of
  // that slot, too; that one does is known late in its cycle.
  always_comb begin
    listed = job_i;
    listed.ended = job_i.ended && !ahead_q;
    if (!(job_i.first || job_i.again)) begin
      {listed.ring, listed.slot} = {rsp_q.ring, slot_q};
    end
  end
  assign ahead_o = '{valid: ahead_q && (state_q == StLock || state_q == StAsk), slot: slot_q};

  always_ff @(posedge clk_i) begin
    writing_q <= writing_i;
    if (!(job_i.first || job_i.again)) left_q <= 1'b0;

    unique case (state_q)
      StIdle: if (start || ahead) begin
        state_q              <= StLock;
        slot_q               <= begun;
        lock_valid_q[lock_q] <= 1'b1;
        lock_slot_q[lock_q]  <= begun;
        more_q               <= 1'b0;
        ahead_q              <= ahead;
      end
      StLock: state_q <= StAsk;
      StAsk: if (take_valid_o && take_ready_i) state_q <= StAnswer;
      StAnswer: if (take_rsp_valid_i) begin
        rsp_q   <= take_rsp_i;
        ahead_q <= 1'b0;
        left_q  <= ahead_q && (take_rsp_i.status == TakeBlocked || take_rsp_i.more);
        unique case (take_rsp_i.status)
          TakeDone: begin
            // The reader takes it at once, or it waits in hand.
            state_q <= read_ready_i ? StIdle : StHand;
            lock_q  <= read_ready_i ? !lock_q : lock_q;
            more_q  <= take_rsp_i.more && !ahead_q;
            if (chained) begin
              state_q               <= StLock;
              slot_q                <= slot_d;
              lock_valid_q[!lock_q] <= 1'b1;
              lock_slot_q[!lock_q]  <= slot_d;
            end
          end
          default: begin
            state_q              <= StIdle;
            lock_valid_q[lock_q] <= 1'b0;
          end
        endcase
      end
      StHand: if (read_ready_i) begin
        state_q <= StIdle;
        lock_q  <= !lock_q;
      end
      default: state_q <= StIdle;
    endcase

    if (release_i) lock_valid_q[release_lock_i] <= 1'b0;

    if (!rst_ni) begin
      state_q      <= StIdle;
      more_q       <= 1'b0;
      ahead_q      <= 1'b0;
      left_q       <= 1'b0;
      lock_q       <= 1'b0;
      lock_valid_q <= '0;
    end
  end

  assign lock_valid_o = lock_valid_q;
  assign lock_slot_o  = lock_slot_q;
  // The slot under the current take's lock.
  assign writing_slot_o = slot_q;
  // From StAsk on, what is known of the cycle before is of this lock, and no write has started
  // since.
  assign take_valid_o = state_q == StAsk && !writing_q;
  assign read_valid_o = answered || state_q == StHand;
  assign read_now_o   = answered;
  assign read_o       = (state_q == StHand) ? rsp_q : take_rsp_i;
  assign read_lock_o  = lock_q;

  assign room = ready & ~withheld;
  always_comb begin
    take_o            = '0;
    take_o.slot       = slot_q;
    take_o.port_ready = MaxPorts'(room);
  end

  // ---------------------------------------------------------------------------------------------
  // Room, reserved in the cycle after the answer. What is ready follows two cycles later; the next
  // take is accepted no sooner, below a parent a cycle sooner.

  logic                reserve_q;
  logic [NumPorts-1:0] ports_d;
  logic [8:0]          reserve_rows_q, rows_d;

  always_comb begin
    ports_d = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < MaxRanks; r++) begin
        if (take_rsp_i.ranks[r] && take_rsp_i.port[r] == PortW'(p)) ports_d[p] = 1'b1;
      end
    end
    rows_d = rows_of(take_rsp_i.tensor_len);
  end

  always_ff @(posedge clk_i) begin
    reserve_q       <= answered;
    ports_q         <= ports_d;
    reserve_rows_q  <= rows_d;
    if (!rst_ni) reserve_q <= 1'b0;
  end

  agg_emit_credits #(
    .NumPorts(NumPorts),
    .MaxRows(MaxRows),
    .FifoRows(FifoRows),
    .HdrFrames(HdrFrames),
    .Behind   (Uplink)
  ) u_credits (
    .clk_i,
    .rst_ni,
    .reserve_i      (reserve_q),
    .reserve_ports_i(ports_q),
    .reserve_rows_i (reserve_rows_q),
    .row_pop_i,
    .frame_pop_i,
    .ready_o        (ready),
    .stopped_o      (stopped)
  );

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Answers come to who asked.
      a_answer : assert (!take_rsp_valid_i || state_q == StAnswer)
      else $error("%m: answer without a take");
      a_slot : assert (!take_rsp_valid_i || take_rsp_i.slot == slot_q)
      else $error("%m: answer for slot %0d, asked for %0d", take_rsp_i.slot, slot_q);
      // No job comes of a slot that is taken without one; it would be taken twice.
      a_ahead : assert (!ahead_q || !(job_i.first || job_i.again) || job_i.slot != slot_q)
      else $error("%m: a job of slot %0d, which is being taken", slot_q);
      // A take is asked for under a lock; a port could be writing what is about to be read.
      a_locked : assert (!(take_valid_o || read_valid_o) || lock_valid_q[lock_q])
      else $error("%m: slot %0d taken without a lock", slot_q);
    end
  end

endmodule
