// The registers of the rings: checks what software wants to store, stores it, and has rings
// flushed.
//
// A bad store is refused with its reason and changes nothing: a ring with more workers than ranks
// would never be complete, a region outside of the slots or over another ring's would add their
// packets. Rings are compared one after the other, so a store takes a few cycles (4 and one a
// ring). A command that comes while one is under way is refused, too. A store and a flush in one
// command flush the ring as it was, and then it is as stored.
//
// A ring is in use from the store that enables it until a flush of it is done while it is disabled;
// until then slots may hold its packets. A drain disables it, and has it flushed when all that its
// hosts were owed has left; a flush in the meantime ends the wait. A reset releases one ring after
// the other and forgets what it was. The data path waits for nothing here; a flush waits for the
// device, and a drain for the outputs.
module weir_rings
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // A command, a pulse: ring `index` becomes `staged`; its slots, messages and learned connections
  // are flushed, and with `release` all its connections are forgotten, which flushes it, too. With
  // `drain` it is disabled first, and what is complete leaves. `reset`: of all rings, whatever the
  // rest says.
  input logic             store_i,
  input logic             flush_i,
  input logic             release_i,
  input logic             drain_i,
  input logic             reset_i,
  input logic [RingW-1:0] index_i,
  input ring_t            staged_i,

  // A command is under way; why the last one was refused (ring_error_e), RingFine if not.
  output logic        busy_o,
  output ring_error_e error_o,
  // Pulse: the command's store is done, of that ring.
  output logic             stored_o,
  output logic [RingW-1:0] stored_ring_o,
  // Pulse with it: the ring was not in use before.
  output logic             begins_o,

  // The rings as they are in force.
  output ring_t [Cfg.NumRings-1:0] rings_o,

  // To the device: a flush, held until `ready`. `slots`: some may hold the ring's packets.
  output logic             flush_valid_o,
  output logic [RingW-1:0] flush_ring_o,
  output logic             flush_release_o,
  output logic             flush_slots_o,
  input  logic             flush_ready_i,
  // Rings of which results are owed.
  input  logic [Cfg.NumRings-1:0] owing_i
);

  localparam int unsigned RingIdxW = (Cfg.NumRings > 1) ? $clog2(Cfg.NumRings) : 1;
  // Behind a region's last slot: 2N messages of `stride` slots each.
  localparam int unsigned EndW = SlotW + 9;
  localparam int unsigned LookW = RingIdxW + 2;

  typedef enum logic [2:0] {Idle, Check, Close, Flush, Store} state_e;
  // A drained ring has owed nothing for so many cycles: packets that were decided as it closed are
  // in their banks by then, if nobody holds these up.
  localparam int unsigned Settled = 255;

  state_e                 state_q;
  ring_t [Cfg.NumRings-1:0] rings_q;
  logic  [Cfg.NumRings-1:0] used_q;
  logic                   was_used_q;   // the command's ring, a cycle ago
  logic                   store_q, flush_q, release_q, drain_q, reset_q;
  logic [7:0]             settled_q;
  logic [RingIdxW-1:0]    index_q;
  ring_t                  staged_q;
  ring_error_e            found_q;   // what is wrong with what it wants to store
  ring_error_e            error_q;

  // Only its region counts.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [EndW-1:0] end_of(ring_t ring);
    // verilator lint_on UNUSEDSIGNAL
    end_of = EndW'(ring.base) + ((EndW'(ring.stride) << ring.window_log2) << 1);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Ring after ring: read in one cycle, its end worked out in the next, compared in a third.

  logic [LookW-1:0]    look_q;       // ring that is read; from NumRings on none any more
  logic [1:0]          other_q;      // those that were read: not the command's, and in use
  logic [1:0]          other_used_q;
  ring_t               read_q;
  // Whether a ring is enabled, or drops, or learns, may change while it is in use.
  // verilator lint_off UNUSEDSIGNAL
  ring_t               other_ring_q;
  // verilator lint_on UNUSEDSIGNAL
  logic [EndW-1:0]     other_end_q, end_q;
  ring_error_e         finding;

  ring_t other;
  assign other = rings_q[look_q[RingIdxW-1:0]];

  always_ff @(posedge clk_i) begin
    read_q       <= other;
    other_ring_q <= read_q;
    other_end_q  <= end_of(read_q);
    end_q        <= end_of(staged_q);
    other_used_q <= {other_used_q[0], used_q[look_q[RingIdxW-1:0]]};
    other_q      <= {other_q[0], look_q[RingIdxW-1:0] != index_q};
  end

  always_comb begin
    finding = RingFine;
    if (!other_q[1]) begin
      // What is in its slots is of the ring as it was.
      if (other_used_q[1] && !flush_q && (staged_q.base != other_ring_q.base ||
          staged_q.stride != other_ring_q.stride || staged_q.id != other_ring_q.id ||
          staged_q.workers != other_ring_q.workers ||
          staged_q.window_log2 != other_ring_q.window_log2)) finding = RingInUse;
      else if (!staged_q.enable) finding = RingFine;
      else if (staged_q.workers == '0 ||
               32'(staged_q.workers) > Cfg.NumRanks) finding = RingWorkers;
      else if ((32'd1 << staged_q.window_log2) > Cfg.MaxWindow) finding = RingWindow;
      else if (Cfg.Without[WithoutLearning] && staged_q.learn) finding = RingLearn;
      else if (staged_q.stride == '0 || staged_q.base[0] ||
               32'(end_q) > Cfg.NumSlots) finding = RingRegion;
    end else if (staged_q.enable && other_used_q[1]) begin
      if (end_q > EndW'(other_ring_q.base) &&
          other_end_q > EndW'(staged_q.base)) finding = RingOverlap;
      else if (other_ring_q.id == staged_q.id) finding = RingSameId;
    end
  end

  // ---------------------------------------------------------------------------------------------

  logic commanded;
  assign commanded = store_i || flush_i || release_i || drain_i || reset_i;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (commanded) begin
        store_q   <= store_i && !reset_i;
        flush_q   <= flush_i || release_i || drain_i || reset_i;
        release_q <= release_i || reset_i;
        drain_q   <= drain_i && !reset_i;
        reset_q   <= reset_i;
        index_q   <= reset_i ? '0 : index_i[RingIdxW-1:0];
        staged_q  <= staged_i;
        look_q    <= '0;
        settled_q <= '0;
        found_q   <= RingFine;
        error_q   <= RingFine;
        if (32'(index_i) >= Cfg.NumRings && !reset_i) error_q <= RingNone;
        else state_q <= reset_i ? Flush : store_i ? Check : drain_i ? Close : Flush;
      end
      Check: begin
        // The first ring is compared in the third cycle; in the last cycle all have been.
        if (32'(look_q) >= 2 && 32'(look_q) < Cfg.NumRings + 2 && found_q == RingFine) begin
          found_q <= finding;
        end
        look_q <= look_q + LookW'(1);
        if (32'(look_q) == Cfg.NumRings + 2) begin
          state_q <= (found_q != RingFine) ? Idle : drain_q ? Close : flush_q ? Flush : Store;
          error_q <= found_q;
        end
      end
      Close: begin
        rings_q[index_q].enable <= 1'b0;
        rings_q[index_q].drop   <= 1'b1;
        settled_q <= owing_i[index_q] ? '0 : settled_q + 8'd1;
        if (settled_q == 8'(Settled) || flush_i) state_q <= Flush;
      end
      Flush: if (flush_ready_i) begin
        if (!rings_q[index_q].enable || reset_q) used_q[index_q] <= 1'b0;
        state_q <= store_q ? Store : Idle;
        if (reset_q) begin
          rings_q[index_q] <= '0;
          if (32'(index_q) != Cfg.NumRings - 1) begin
            index_q <= index_q + RingIdxW'(1);
            state_q <= Flush;
          end
        end
      end
      default: begin
        rings_q[index_q] <= staged_q;
        // After a flush nothing of what it was is left.
        used_q[index_q] <= staged_q.enable || (used_q[index_q] && !flush_q);
        state_q <= Idle;
      end
    endcase
    was_used_q <= used_q[index_q];
    if (commanded && state_q != Idle && !(state_q == Close && flush_i)) error_q <= RingBusy;
    if (!rst_ni) begin
      state_q <= Idle;
      rings_q <= '0;
      used_q  <= '0;
      error_q <= RingFine;
    end
  end

  assign busy_o          = state_q != Idle;
  assign error_o         = error_q;
  assign stored_o        = state_q == Store;
  assign stored_ring_o   = RingW'(index_q);
  // Whether it is used changes before a store only by that command's flush.
  assign begins_o        = stored_o && staged_q.enable && (!was_used_q || flush_q);
  assign rings_o         = rings_q;
  assign flush_valid_o   = state_q == Flush;
  assign flush_ring_o    = RingW'(index_q);
  assign flush_release_o = release_q;
  assign flush_slots_o   = used_q[index_q];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The device is never asked about a ring it does not have.
      a_ring : assert (state_q == Idle || 32'(index_q) < Cfg.NumRings)
      else $error("%m: ring %0d of %0d", index_q, Cfg.NumRings);
      // What is refused changes nothing.
      a_refused : assert (!stored_o || found_q == RingFine)
      else $error("%m: ring %0d is stored, error %0d", index_q, found_q);
      // A ring's counters begin anew exactly when it was not in use.
      a_begins : assert (begins_o == (stored_o && staged_q.enable &&
          (!used_q[index_q] || flush_q)))
      else $error("%m: ring %0d begins anew: %b", index_q, begins_o);
    end
  end

endmodule
