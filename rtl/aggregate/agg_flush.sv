// Empties one ring: its learned connections, all its messages, all its slots (NetReduce 3.2 leaves
// open how a job ends).
//
// Look-up is held until everything decided so far is in its bank, so that no late write lands in a
// slot that begins anew; then connections go, and the ring is closed: look-up goes on, and drops
// what is for it. Meanwhile the slots are emptied, one after the other as slot state finds time.
// Results already taken still leave. At last look-up is held once more, until what was decided on
// a closed ring is over, and the ring opens. The control plane waits for `ready`; ports wait with
// what needs a look-up while it is held, other frames go on.
module agg_flush
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // A ring to flush; stays until `ready`, which says that it is done.
  input  logic             flush_valid_i,
  output logic             flush_ready_o,
  input  logic [RingW-1:0] flush_ring_i,
  input  logic             flush_free_i,    // its connections are released, too
  input  logic             flush_slots_i,   // slots may hold its packets; else they are not touched

  input ring_t [NumRings-1:0] rings_i,
  // The same, but a ring whose slots are being emptied is not enabled, and drops.
  output ring_t [NumRings-1:0] rings_o,

  // Stalls look-up: it begins nothing while `hold`. Nothing is flushed before look-up has been idle
  // and no port busy for FlushQuiet cycles.
  output logic                hold_o,
  input  logic                lookup_idle_i,
  input  logic [NumPorts-1:0] ports_busy_i,

  // Pulse to look-up: it forgets the ring's connections, and answers `done`.
  output logic             flush_conns_o,
  output logic [RingW-1:0] flush_conns_ring_o,
  output logic             flush_conns_free_o,
  input  logic             flush_conns_done_i,   // a cycle later or more
  input  logic             flush_walks_i,        // it still writes that down; the ring is closed

  // Flushes of the ring's slots, to slot state, one after the other.
  output logic             slot_valid_o,
  input  logic             slot_ready_i,
  output logic [SlotW-1:0] slot_o,

  // Observation only: the ring closes, and opens.
  output obs_flush_t obs_o
);

  if (NumRings < 1 || NumRings > 2 ** RingW) begin : gen_check
    $fatal(1, "%m: NumRings must be 1 to %0d", 2 ** RingW);
  end

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  // What is known of ports and look-up is a cycle old, and a port is busy a cycle after its
  // verdict.
  if (FlushQuiet < SlotAnswer + 3) begin : gen_check_quiet
    $fatal(1, "%m: a verdict takes %0d cycles, a flush waits for %0d", SlotAnswer, FlushQuiet);
  end
  localparam int unsigned QuietW = $clog2(FlushQuiet + 1);

  typedef enum logic [2:0] {
    Idle,
    Drain,
    Conns,
    Slots,
    Settle,
    Done
  } state_e;

  state_e           state_q;
  logic             busy_q;
  logic [QuietW-1:0] quiet_q;
  logic [SlotW-1:0] slot_q;
  logic [SlotW:0]   left_q;   // a ring may have all slots that there are
  // What others see comes straight from registers, which follow the state.
  logic             hold_q, slot_valid_q, flush_conns_q;
  logic [NumRings-1:0] closed_q, enable_q, drop_q;
  // Only its region counts.
  // verilator lint_off UNUSEDSIGNAL
  ring_t            ring;
  logic [SlotW:0]   slots, slots_q;
  // verilator lint_on UNUSEDSIGNAL

  assign ring  = rings_i[flush_ring_i[RingIdxW-1:0]];
  // 2N messages.
  assign slots = ((SlotW + 1)'(ring.stride) << ring.window_log2) << 1;

  always_comb begin
    rings_o = rings_i;
    for (int unsigned g = 0; g < NumRings; g++) begin
      rings_o[g].enable = enable_q[g];
      rings_o[g].drop   = drop_q[g];
    end
  end

  assign obs_o = '{valid: flush_conns_q || flush_ready_o, closed: flush_conns_q, ring: flush_ring_i,
                   free: flush_free_i, aged: 1'b0, aged_ring: '0, aged_rank: '0};

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      enable_q[g] <= rings_i[g].enable && !closed_q[g];
      drop_q[g]   <= rings_i[g].drop || closed_q[g];
    end
    slots_q <= slots;   // known long before it is needed
    // While a closed ring opens again, ports may be busy with others.
    busy_q <= !lookup_idle_i || (ports_busy_i != '0 && state_q != Settle);
    unique case (state_q)
      Idle: begin
        quiet_q <= '0;
        if (flush_valid_i) begin
          state_q <= Drain;
          hold_q  <= 1'b1;
        end
      end
      Drain: begin
        if (busy_q) quiet_q <= '0;
        else if (quiet_q < QuietW'(FlushQuiet)) quiet_q <= quiet_q + QuietW'(1);
        else begin
          state_q       <= Conns;
          flush_conns_q <= 1'b1;
          closed_q[flush_ring_i[RingIdxW-1:0]] <= 1'b1;
        end
      end
      Conns: begin
        flush_conns_q <= 1'b0;
        slot_q        <= ring.base;
        left_q        <= flush_slots_i ? slots_q : '0;
        if (flush_conns_done_i) begin
          state_q      <= Slots;
          hold_q       <= 1'b0;
          slot_valid_q <= left_q != '0;   // loaded in an earlier cycle
        end
      end
      Slots: begin
        quiet_q <= '0;
        if (!slot_valid_q && !flush_walks_i) begin
          state_q <= Settle;
          hold_q  <= 1'b1;
        end else if (slot_valid_q && slot_ready_i) begin
          slot_q       <= slot_q + SlotW'(1);
          left_q       <= left_q - (SlotW + 1)'(1);
          slot_valid_q <= left_q != (SlotW + 1)'(1);
        end
      end
      Settle: begin
        if (busy_q) quiet_q <= '0;
        else if (quiet_q < QuietW'(FlushQuiet)) quiet_q <= quiet_q + QuietW'(1);
        else begin
          state_q  <= Done;
          closed_q <= '0;
        end
      end
      default: begin
        state_q <= Idle;
        hold_q  <= 1'b0;
      end
    endcase
    if (!rst_ni) begin
      state_q       <= Idle;
      hold_q        <= 1'b0;
      slot_valid_q  <= 1'b0;
      flush_conns_q <= 1'b0;
      closed_q      <= '0;
    end
  end

  assign hold_o             = hold_q;
  assign flush_conns_ring_o = flush_ring_i;
  assign flush_conns_free_o = flush_free_i;
  assign slot_valid_o       = slot_valid_q;
  assign slot_o             = slot_q;
  assign flush_ready_o      = state_q == Done;

  // One cycle, on entering the state.
  assign flush_conns_o      = flush_conns_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A flush empties the slots of its ring only.
      a_region : assert (!slot_valid_o ||
          (SlotW + 1)'(SlotW'(slot_o - ring.base)) < slots)
      else $error("%m: slot %0d outside of ring %0d", slot_o, flush_ring_i);
    end
  end

endmodule
