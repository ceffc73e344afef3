// weir_rings, step by step: what one cycle makes of a command, from wherever it may stand, so that
// nothing here rests on how it came there. (What commands do from their first cycle to their last
// is ring_commands_props, what rings may be is weir_rings_props.)
module ring_steps_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// Rings of the device, a power of two here, so that any number is one of a ring.
  parameter int unsigned NumRings = 4,
  /// What the device was built without.
  parameter int unsigned Without = 0
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                store_i,
  input logic                flush_i,
  input logic                release_i,
  input logic                drain_i,
  input logic                reset_i,
  input logic [RingW-1:0]    index_i,
  input ring_t               staged_i,
  input logic                flush_ready_i,
  input logic [NumRings-1:0] owing_i,
  input logic [$clog2(NumRings)-1:0] ring_i   // any
);

  localparam int unsigned NumRanks = 6;
  localparam int unsigned NumSlots = 680;
  localparam int unsigned MaxWindow = 4;
  localparam int unsigned IdxW = $clog2(NumRings);
  localparam bit Learns = !Without[8];   // roce_pkg::WithoutLearning
  localparam cfg_t Cfg = make_cfg(2, NumRanks, 1024, NumSlots, NumRings, 8, MaxWindow, 0, 0, 0,
                                  NumRings, 4096, 0, Without);
  // The RTL's states.
  localparam logic [2:0] Idle = 3'd0, Check = 3'd1, Close = 3'd2, Flush = 3'd3, Store = 3'd4;
  // Cycles of a check: two until the first ring has been read, one a ring, one to decide.
  localparam int unsigned Checks = NumRings + 2;

  ring_t       [NumRings-1:0] rings;
  logic                       busy, stored, begins, flush_valid, flush_release, flush_slots;
  logic        [RingW-1:0]    stored_ring, flush_ring;
  ring_error_e                error;

  weir_rings #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .store_i,
    .flush_i,
    .release_i,
    .drain_i,
    .reset_i,
    .index_i,
    .staged_i,
    .busy_o         (busy),
    .error_o        (error),
    .stored_o       (stored),
    .stored_ring_o  (stored_ring),
    .begins_o       (begins),
    .rings_o        (rings),
    .flush_valid_o  (flush_valid),
    .flush_ring_o   (flush_ring),
    .flush_release_o(flush_release),
    .flush_slots_o  (flush_slots),
    .flush_ready_i,
    .owing_i
  );

  // ---------------------------------------------------------------------------------------------
  // A cycle before: what came in, and where the command stood.

  typedef struct packed {
    logic             store;
    logic             flush;
    logic             forget;
    logic             drain;
    logic             reset;
  } kinds_t;

  typedef struct packed {
    logic                ran;
    kinds_t              told;       // the command that came
    logic [RingW-1:0]    index;
    ring_t               staged;
    logic                ready;
    logic                owing;      // the ring of the command owes results
    logic [2:0]          state;
    kinds_t              does;       // the command under way
    logic [IdxW-1:0]     at;         // its ring
    ring_t               wanted;
    logic [IdxW+1:0]     look;
    logic [7:0]          settled;
    ring_error_e         found;
    ring_error_e         error;
    ring_t               mine;       // the ring that is followed, and whether it is in use
    logic                used;
    logic                own_used;   // the command's ring is
    ring_t               read;       // the ring that is read, whether it is in use and another one
    logic                read_used;
    logic                read_other;
    ring_t               read1;      // the same of a cycle ago, and of two, with the slot behind it
    ring_t               read2;
    logic [1:0]          used12;
    logic [1:0]          other12;
    logic [31:0]         read_end;
    logic [31:0]         own_end;
    ring_error_e         finds;      // what is wrong beside it
  } step_t;

  logic [IdxW-1:0] g_q;   // followed
  logic [3:0]      past_q;
  step_t           now, q;
  initial past_q = '0;
  always_comb begin
    now            = '0;
    now.ran        = rst_ni;
    now.told       = {store_i, flush_i, release_i, drain_i, reset_i};
    now.index      = index_i;
    now.staged     = staged_i;
    now.ready      = flush_ready_i;
    now.owing      = owing_i[u_dut.index_q];
    now.state      = u_dut.state_q;
    now.does       = {u_dut.store_q, u_dut.flush_q, u_dut.release_q, u_dut.drain_q, u_dut.reset_q};
    now.at         = u_dut.index_q;
    now.wanted     = u_dut.staged_q;
    now.look       = u_dut.look_q;
    now.settled    = u_dut.settled_q;
    now.found      = u_dut.found_q;
    now.error      = error;
    now.mine       = rings[g_q];
    now.used       = u_dut.used_q[g_q];
    now.own_used   = u_dut.used_q[u_dut.index_q];
    now.read       = rings[u_dut.look_q[IdxW-1:0]];
    now.read_used  = u_dut.used_q[u_dut.look_q[IdxW-1:0]];
    now.read_other = u_dut.look_q[IdxW-1:0] != u_dut.index_q;
    now.read1      = u_dut.read_q;
    now.read2      = u_dut.other_ring_q;
    now.used12     = u_dut.other_used_q;
    now.other12    = u_dut.other_q;
    now.read_end   = 32'(u_dut.other_end_q);
    now.own_end    = 32'(u_dut.end_q);
    now.finds      = u_dut.finding;
  end
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[2:0], 1'b1};
    if (!past_q[0]) g_q <= ring_i;
    q  <= now;
  end

  // Behind a ring's last slot.
  function automatic logic [31:0] end_of(ring_t r);
    end_of = 32'(r.base) + 32'(r.stride) * (32'd2 << r.window_log2);
  endfunction

  // What is wrong with the ring that is wanted beside the one that was read two cycles before:
  // it is the command's own, or another one in use.
  ring_t       w, o;
  logic        shape, other, beside;
  ring_error_e wrong;
  assign w      = now.wanted;
  assign o      = now.read2;
  assign shape  = {w.id, w.workers, w.window_log2, w.stride, w.base} ==
                  {o.id, o.workers, o.window_log2, o.stride, o.base};
  assign other  = now.other12[1];
  assign beside = other && w.enable && now.used12[1];
  always_comb begin
    wrong = RingFine;
    if (beside) begin
      if (w.id == o.id) wrong = RingSameId;
      if (32'(o.base) < now.own_end && 32'(w.base) < now.read_end) wrong = RingOverlap;
    end
    if (!other && w.enable) begin
      if (w.stride == '0 || w.base[0] || now.own_end > NumSlots) wrong = RingRegion;
      if (w.learn && !Learns) wrong = RingLearn;
      if (w.window_log2 > 3'($clog2(MaxWindow))) wrong = RingWindow;
      if (w.workers == '0 || w.workers > (RankW + 1)'(NumRanks)) wrong = RingWorkers;
    end
    if (!other && now.used12[1] && !now.does.flush && !shape) wrong = RingInUse;
  end

  logic told, taken, exists, hurried, last_ring, compares;
  assign told      = q.told != '0;
  assign taken     = q.state == Idle && told;
  assign exists    = q.told.reset || 32'(q.index) < NumRings;
  assign hurried   = q.state == Close && q.told.flush;
  assign last_ring = 32'(q.at) == NumRings - 1;
  assign compares  = 32'(q.look) >= 2 && 32'(q.look) < Checks && q.found == RingFine;

  // What has been decided in the check's last cycle.
  logic decides;
  assign decides = q.state == Check && 32'(q.look) == Checks;

  // The command's ring is the followed one.
  logic mine;
  assign mine = q.at == g_q;

  always_ff @(posedge clk_i) begin
    if (past_q[3] && q.ran) begin
      // A command is taken when none is under way, as it is written: a drain and a release flush,
      // too, and a reset is nothing but a release of all rings from the first one on.
      a_taken : assert (!taken || (now.wanted == q.staged && now.look == '0 && now.settled == '0 &&
          now.found == RingFine && now.at == (q.told.reset ? IdxW'(0) : q.index[IdxW-1:0]) &&
          now.does.store == (q.told.store && !q.told.reset) &&
          now.does.flush == (q.told.flush || q.told.forget || q.told.drain || q.told.reset) &&
          now.does.forget == (q.told.forget || q.told.reset) &&
          now.does.drain == (q.told.drain && !q.told.reset) && now.does.reset == q.told.reset))
      else $error("taken as %b", now.does);
      // It stays that until it is done.
      a_stays : assert (q.state == Idle || (now.does == q.does && now.wanted == q.wanted &&
          (now.at == q.at || (q.does.reset && q.state == Flush && q.ready))))
      else $error("%b became %b", q.does, now.does);
      // First it is checked, if it stores; then the ring is closed, if it is drained; then it is
      // flushed. One of a ring that there is not is not begun.
      a_begins : assert (q.state != Idle || now.state == (!told || !exists ? Idle :
          q.told.reset ? Flush : q.told.store ? Check : q.told.drain ? Close : Flush))
      else $error("state %0d", now.state);
      // What is wrong is the first thing that is found, ring after ring.
      a_found : assert (q.state != Check || (now.look == q.look + (IdxW + 2)'(1) &&
                                             now.found == (compares ? q.finds : q.found)))
      else $error("found %0d, wrong is %0d", now.found, q.finds);
      // Each ring is read as it is, with whether it is in use and another one than the command's.
      a_read : assert (now.read1 == q.read && now.used12[0] == q.read_used &&
                       now.other12[0] == q.read_other)
      else $error("ring %0d was read", q.look);
      // A cycle later is known where its slots end, and where those of the ring that is wanted do.
      a_ends_at : assert (now.read2 == q.read1 && now.used12[1] == q.used12[0] &&
                          now.other12[1] == q.other12[0] && now.read_end == end_of(q.read1) &&
                          now.own_end == end_of(q.wanted))
      else $error("ends at %0d and at %0d", now.read_end, now.own_end);
      // When all rings have been compared, what is right goes on, and what is wrong ends.
      a_decides : assert (q.state != Check || now.state == (!decides ? Check :
          q.found != RingFine ? Idle : q.does.drain ? Close : q.does.flush ? Flush : Store))
      else $error("state %0d", now.state);
      // A ring that is drained waits until it has owed nothing for 256 cycles in a row, or until
      // software sends a flush.
      a_closes : assert (q.state != Close || (now.settled == (q.owing ? 8'd0 : q.settled + 8'd1) &&
          now.state == (q.settled == 8'd255 || q.told.flush ? Flush : Close)))
      else $error("state %0d, %0d quiet cycles", now.state, now.settled);
      // A flush waits for the device. Then comes the store of the same command, or at a reset the
      // next ring, if there is one.
      a_flushes : assert (q.state != Flush || (q.ready ?
          (q.does.reset && !last_ring ? now.state == Flush && now.at == q.at + IdxW'(1) :
           now.state == (q.does.store ? Store : Idle) && now.at == q.at) :
          now.state == Flush && now.at == q.at))
      else $error("state %0d of ring %0d", now.state, now.at);
      // A store takes one cycle.
      a_ends : assert (q.state != Store || now.state == Idle)
      else $error("state %0d", now.state);
      // Software hears why a command was not carried out: at once if there is no such ring, or one
      // is under way (other than a drain that a flush is to end); else when it has been checked. A
      // command that is begun clears what was said of the one before.
      a_hears : assert (now.error == (taken ? (exists ? RingFine : RingNone) :
          (told && !hurried) ? RingBusy : decides ? q.found : q.error))
      else $error("error %0d", now.error);
      if (mine && q.state == Store) begin
        // Of any ring: its registers are what was wanted behind a store of its own.
        a_stored : assert (now.mine == q.wanted)
        else $error("ring %0d", g_q);
      end else if (mine && q.state == Flush && q.ready && q.does.reset) begin
        // They are gone with a reset.
        a_reset : assert (now.mine == '0)
        else $error("ring %0d", g_q);
      end else if (mine && q.state == Close) begin
        // A ring that is drained drops and lets nothing in.
        a_closed : assert (now.mine.enable == 1'b0 && now.mine.drop &&
            {now.mine.learn, now.mine.id, now.mine.workers, now.mine.window_log2, now.mine.stride,
             now.mine.base} == {q.mine.learn, q.mine.id, q.mine.workers, q.mine.window_log2,
             q.mine.stride, q.mine.base})
        else $error("ring %0d", g_q);
      end else begin
        // Nothing else changes them.
        a_kept : assert (now.mine == q.mine)
        else $error("ring %0d", g_q);
      end
      // It comes into use with a store that enables it, and is free when it has been flushed while
      // it is disabled or by a reset, or when a store behind a flush disables it.
      a_used : assert (now.used == (
          mine && q.state == Store ? q.wanted.enable || (q.used && !q.does.flush) :
          mine && q.state == Flush && q.ready && (q.does.reset || !q.mine.enable) ? 1'b0 : q.used))
      else $error("ring %0d in use: %b", g_q, now.used);
    end
    // A region is in the way; the last ring has been flushed, and is free.
    c_wrong : cover (past_q[3] && rst_ni && q.ran && decides && q.found == RingOverlap);
    c_free : cover (past_q[3] && rst_ni && q.ran && q.used && !now.used &&
                    32'(g_q) == NumRings - 1);
    if (past_q[3] && !q.ran) begin
      // A reset of the device leaves no command, no ring and no error.
      a_cleared : assert (now.state == Idle && now.mine == '0 && !now.used && error == RingFine)
      else $error("state %0d", now.state);
    end
    if (past_q[3]) begin
      // A ring in use keeps its shape unless it is flushed. One that is enabled has as many workers
      // as there are ranks at most, a window and slots that there are, and learns only if the
      // device does; its slots and its RingID are no other's.
      a_wrong : assert (now.finds == wrong)
      else $error("found %0d, wrong is %0d", now.finds, wrong);
      // What the device is told: of a store, in its cycle, and whether the ring begins anew with
      // it, which it does if it was not in use or has just been flushed.
      a_told : assert (busy == (now.state != Idle) && stored == (now.state == Store) &&
          stored_ring == RingW'(now.at) && begins == (stored && now.wanted.enable &&
                                                      (now.does.flush || !q.own_used)))
      else $error("stored %b, begins %b", stored, begins);
      // Of a flush it is told whose, whether connections go, and whether slots may hold packets.
      a_asked : assert (flush_valid == (now.state == Flush) && flush_ring == RingW'(now.at) &&
                        flush_release == now.does.forget && flush_slots == now.own_used)
      else $error("flush %b of ring %0d", flush_valid, flush_ring);
    end
  end

endmodule
