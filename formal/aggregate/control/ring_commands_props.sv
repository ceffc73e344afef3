// weir_rings as software sees it: a command does what was written, to the ring that it names and to
// no other, comes to its end, and software hears of each that is not carried out, and why. What
// rings may be is weir_rings_props.
module ring_commands_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// Rings of the device, 2 or more.
  parameter int unsigned NumRings = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // Commands of any kind, at any time, also several at once.
  input logic                store_i,
  input logic                flush_i,
  input logic                release_i,
  input logic                drain_i,
  input logic                reset_i,
  input logic [RingW-1:0]    index_i,
  input ring_t               staged_i,
  input logic                flush_ready_i,
  input logic [NumRings-1:0] owing_i
);

  localparam int unsigned NumRanks = 6;
  localparam int unsigned NumSlots = 680;
  localparam int unsigned MaxWindow = 4;
  localparam cfg_t Cfg = make_cfg(2, NumRanks, 1024, NumSlots, NumRings, 8, MaxWindow, 0, 0, 0,
                                  NumRings, 4096, 0);
  localparam int unsigned IdxW = $clog2(NumRings);
  // The RTL's states.
  localparam logic [2:0] Check = 3'd1;
  localparam logic [2:0] Close = 3'd2;
  localparam logic [2:0] Flush = 3'd3;
  localparam logic [2:0] Store = 3'd4;

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

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  // What software has commanded: the last command that was not one too many.
  logic             said_store_q, said_flush_q, said_release_q, said_drain_q, said_reset_q;
  logic [RingW-1:0] said_at_q;
  ring_t            said_q;
  logic             commanded, hurried, there, checks;
  // In the cycle before.
  logic             ran_q, closed_q, drained_q, stored_q, too_many_q, took_q, checks_q, refused_q;
  logic             hurried_q;
  logic [IdxW-1:0]  at_q;
  ring_t [NumRings-1:0] before_q;
  logic [7:0]       quiet_q;   // cycles in a row in which the ring that is closed owed nothing

  assign commanded = store_i || flush_i || release_i || drain_i || reset_i;
  assign hurried   = u_dut.state_q == Close && flush_i;
  assign there     = said_reset_q || 32'(said_at_q) < NumRings;
  assign checks    = u_dut.state_q == Check;

  always_ff @(posedge clk_i) begin
    before_q   <= rings;
    ran_q      <= rst_ni && started_q;
    at_q       <= u_dut.index_q;
    stored_q   <= rst_ni && stored;
    closed_q   <= rst_ni && u_dut.state_q == Close;
    drained_q  <= quiet_q == 8'd255 || flush_i;
    quiet_q    <= (u_dut.state_q == Close && !owing_i[u_dut.index_q]) ? quiet_q + 8'd1 : '0;
    hurried_q  <= rst_ni && hurried;
    too_many_q <= rst_ni && busy && commanded && !hurried;
    took_q     <= rst_ni && !busy && commanded;
    checks_q   <= rst_ni && checks;
    refused_q  <= u_dut.found_q != RingFine;
    if (!busy && commanded) begin
      said_store_q   <= store_i && !reset_i;
      said_flush_q   <= flush_i || release_i || drain_i || reset_i;
      said_release_q <= release_i || reset_i;
      said_drain_q   <= drain_i && !reset_i;
      said_reset_q   <= reset_i;
      said_at_q      <= index_i;
      said_q         <= staged_i;
    end
  end

  // Behind a ring's last slot.
  function automatic logic [31:0] end_of(ring_t r);
    end_of = 32'(r.base) + ((32'(r.stride) << r.window_log2) << 1);
  endfunction

  // What is wrong with the ring `r` to be stored in the place of `old`, which may still hold
  // packets (`holds`).
  function automatic ring_error_e alone(ring_t r, ring_t old, logic holds);
    alone = RingFine;
    if (holds && (r.base != old.base || r.stride != old.stride || r.id != old.id ||
                  r.workers != old.workers || r.window_log2 != old.window_log2)) begin
      alone = RingInUse;
    end else if (!r.enable) alone = RingFine;
    else if (r.workers == 0 || 32'(r.workers) > NumRanks) alone = RingWorkers;
    else if ((32'd1 << r.window_log2) > MaxWindow) alone = RingWindow;
    else if (r.stride == 0 || r.base[0] || end_of(r) > NumSlots) alone = RingRegion;
  endfunction

  // What is wrong with it beside another ring in use.
  function automatic ring_error_e beside(ring_t r, ring_t other);
    beside = RingFine;
    if (end_of(r) > 32'(other.base) && end_of(other) > 32'(r.base)) beside = RingOverlap;
    else if (r.id == other.id) beside = RingSameId;
  endfunction

  // The first of these with the rings that were compared so far.
  ring_error_e why;
  always_comb begin
    why = RingFine;
    for (int unsigned r = 0; r < NumRings; r++) begin
      if (why == RingFine && 32'(u_dut.look_q) > r + 2) begin
        if (32'(said_at_q) == r) begin
          why = alone(said_q, rings[r], u_dut.used_q[r] && !said_flush_q);
        end else if (said_q.enable && u_dut.used_q[r]) why = beside(said_q, rings[r]);
      end
    end
  end

  // Cycles that a command takes at most, those aside in which it waits for a result that is owed,
  // or for the device.
  logic [9:0] takes, took_before_q;
  logic       waited_q, freed_q, reset_all_q;
  always_comb begin
    unique case (u_dut.state_q)
      Check:   takes = 10'd300 + 10'(NumRings) - 10'(u_dut.look_q);
      Close:   takes = 10'd290 - 10'(u_dut.settled_q);
      Flush:   takes = 10'd2 + (said_reset_q ? 10'(NumRings) - 10'(u_dut.index_q) : 10'd0);
      Store:   takes = 10'd1;
      default: takes = 10'd0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    took_before_q <= takes;
    waited_q      <= u_dut.state_q == Close ? owing_i[u_dut.index_q] :
                     u_dut.state_q == Flush && !flush_ready_i;
    freed_q       <= rst_ni && flush_valid && flush_ready_i &&
                     !rings[flush_ring[IdxW-1:0]].enable;
    reset_all_q   <= rst_ni && flush_valid && said_reset_q;
  end

  // A reset has cleared these rings so far.
  logic [NumRings-1:0] cleared;
  always_comb begin
    for (int unsigned r = 0; r < NumRings; r++) begin
      cleared[r] = (flush_valid && r >= 32'(flush_ring)) || (rings[r] == '0 && !u_dut.used_q[r]);
    end
  end

  logic [NumRings-1:0] untouched;
  always_comb begin
    for (int unsigned r = 0; r < NumRings; r++) begin
      untouched[r] = 32'(at_q) == r || rings[r] == before_q[r];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is stored is what the registers said when software commanded it, bit for bit, in the
      // ring that it named.
      a_stored : assert (!stored_q || (said_store_q && 32'(said_at_q) < NumRings &&
                                       rings[said_at_q[IdxW-1:0]] == said_q))
      else $error("ring %0d", said_at_q);
      // No command changes another ring.
      a_untouched : assert (!ran_q || untouched == '1)
      else $error("rings that kept all their registers: %b", untouched);
      // Only what was commanded is flushed: that ring, or at a reset all, one after the other.
      a_flushes : assert (!flush_valid || (said_flush_q && flush_release == said_release_q &&
          flush_slots == u_dut.used_q[flush_ring[IdxW-1:0]] &&
          (said_reset_q || flush_ring == said_at_q)))
      else $error("flush of %0d, commanded of %0d", flush_ring, said_at_q);
      // A ring that is drained lets in nothing more, and is flushed when it has owed nothing for
      // 256 cycles, or when software does not want to wait.
      a_drains : assert (!closed_q || (!rings[at_q].enable && rings[at_q].drop &&
          (u_dut.state_q == Close || (flush_valid && drained_q))))
      else $error("state %0d after %0d quiet cycles", u_dut.state_q, quiet_q);
      // Software hears of each command that is not carried out, and why: the device has no such
      // ring, something is wrong with it, or another command is under way.
      a_hears : assert ((!too_many_q || error == RingBusy) && (!hurried_q || flush_valid) &&
          (!took_q || (busy == there && error == (there ? RingFine : RingNone))) &&
          (!checks_q || checks || too_many_q || (error != RingFine) == refused_q) &&
          (!checks_q || checks || busy == !refused_q))
      else $error("error %0d", error);
      // What software hears is the first thing that is wrong with the ring; with one that could be
      // nothing is.
      a_why : assert ((!checks || u_dut.found_q == why) &&
                      (!checks_q || checks || too_many_q || error == u_dut.found_q))
      else $error("found %0d, wrong is %0d", u_dut.found_q, why);
      // A command comes to its end, as soon as no result is owed and the device lets it.
      a_ends : assert (!ran_q || took_before_q == '0 || waited_q || takes < took_before_q)
      else $error("%0d cycles after %0d", takes, took_before_q);
      // A ring that is flushed while it is disabled is free.
      a_frees : assert (!freed_q || !u_dut.used_q[at_q])
      else $error("ring %0d", at_q);
      // A reset leaves no ring as it was.
      a_resets : assert (!reset_all_q || (flush_valid && said_reset_q ? cleared == '1 :
          !busy && rings == '0 && u_dut.used_q == '0))
      else $error("rings that a reset has cleared: %b", cleared);
      // What is carried out is what was commanded (helps the proof).
      a_said : assert (!busy || (u_dut.store_q == said_store_q && u_dut.flush_q == said_flush_q &&
          u_dut.release_q == said_release_q && u_dut.drain_q == said_drain_q &&
          u_dut.reset_q == said_reset_q && u_dut.staged_q == said_q && there &&
          (said_reset_q || u_dut.index_q == said_at_q[IdxW-1:0]) &&
          (!checks || u_dut.settled_q == '0) &&
          (u_dut.state_q == Close ? u_dut.settled_q == quiet_q : quiet_q == '0 || flush_valid)))
      else $error("another command");
      // A command is in a state that it has (helps the proof).
      a_state : assert (u_dut.state_q <= Store && (!checks || u_dut.store_q) &&
          (u_dut.state_q != Store || (u_dut.store_q && u_dut.found_q == RingFine)) &&
          (!(u_dut.state_q inside {Close, Flush}) || u_dut.flush_q) &&
          (u_dut.state_q == Check || !busy || !u_dut.store_q || u_dut.found_q == RingFine) &&
          (u_dut.state_q != Close || (u_dut.drain_q && !u_dut.reset_q)) &&
          (!busy || ((!u_dut.reset_q || !u_dut.store_q) && (!u_dut.drain_q || u_dut.flush_q))) &&
          (!(checks && u_dut.look_q != '0) && (u_dut.state_q != Store || u_dut.flush_q) ||
           u_dut.was_used_q == u_dut.used_q[u_dut.index_q]) &&
          (!busy || 32'(u_dut.index_q) < NumRings) &&
          (!checks || 32'(u_dut.look_q) <= NumRings + 2))
      else $error("state %0d", u_dut.state_q);
    end
    // A ring comes into use.
    c_stored : cover (rst_ni && stored_q && rings[1].enable && !before_q[1].enable);
    // A drain that software does not wait for.
    c_hurried : cover (rst_ni && closed_q && flush_valid);
    // One command too many.
    c_too_many : cover (rst_ni && too_many_q && busy);
  end

endmodule
