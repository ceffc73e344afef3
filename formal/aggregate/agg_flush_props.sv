// agg_flush: a flush waits until nothing is under way, forgets the ring's connections once, then visits every slot of
// the ring once and no other.
module agg_flush_props
  import agg_pkg::*;
#(
  /// Ports.
  parameter int unsigned NumPorts = 2,
  /// Rings.
  parameter int unsigned NumRings = 2
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 flush_valid_i,
  input logic     [RingW-1:0] flush_ring_i,
  input ring_t [NumRings-1:0] rings_i,
  input logic                 lookup_idle_i,
  input logic  [NumPorts-1:0] ports_busy_i,
  input logic                 flush_conns_done_i,
  input logic                 slot_ready_i,
  // Any slot.
  input logic     [SlotW-1:0] one_i
);

  // States of the DUT.
  localparam logic [2:0] InIdle = 3'd0, InDrain = 3'd1, InConns = 3'd2;
  localparam logic [2:0] InSlots = 3'd3, InDone = 3'd4;
  /// Quiet cycles that a flush waits for.
  localparam int unsigned Quiet = 15;

  logic             started_q, flush_ready, hold, flush_conns, slot_valid;
  logic [RingW-1:0] flush_conns_ring;
  logic [SlotW-1:0] slot;
  initial started_q = 1'b0;

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .flush_valid_i,
    .flush_ready_o     (flush_ready),
    .flush_ring_i,
    .rings_i,
    .hold_o            (hold),
    .lookup_idle_i,
    .ports_busy_i,
    .flush_conns_o     (flush_conns),
    .flush_conns_ring_o(flush_conns_ring),
    .flush_conns_done_i,
    .slot_valid_o      (slot_valid),
    .slot_ready_i,
    .slot_o            (slot)
  );

  // ---------------------------------------------------------------------------------------------
  // What has happened since the flush was asked for.

  logic             waits_q, forgot_q, done_q, visited_q, fire, shown_q;
  logic [RingW-1:0] ring_q;
  ring_t            regs_q, ring;
  logic [SlotW-1:0] one_q, count_q, slot_q;
  logic      [31:0] size;        // slots of the ring
  logic       [4:0] quiet_q;     // cycles of quiet up to the one before the last, while held
  logic             busy_q;      // no quiet in the last cycle

  assign ring = rings_i[flush_ring_i[0]];
  assign size = (32'(ring.stride) << ring.window_log2) << 1;
  assign fire = slot_valid && slot_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) one_q <= one_i;
    waits_q <= rst_ni && flush_valid_i && !flush_ready;
    ring_q  <= flush_ring_i;
    regs_q  <= ring;
    shown_q <= rst_ni && slot_valid && !slot_ready_i;
    slot_q  <= slot;
    busy_q <= !lookup_idle_i || ports_busy_i != '0;
    if (!hold || busy_q) quiet_q <= '0;
    else if (32'(quiet_q) < Quiet) quiet_q <= quiet_q + 5'd1;
    if (flush_conns) forgot_q <= 1'b1;
    if (flush_conns_done_i) done_q <= 1'b1;
    if (fire) count_q <= count_q + SlotW'(1);
    if (fire && slot == one_q) visited_q <= 1'b1;
    if (!rst_ni || flush_ready || !flush_valid_i) begin
      forgot_q  <= 1'b0;
      done_q    <= 1'b0;
      count_q   <= '0;
      visited_q <= 1'b0;
    end
    if (!rst_ni) quiet_q <= '0;

    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // A flush stays until it is done, and its ring's registers stay with it.
      e_stays : assume (!waits_q || (flush_valid_i && flush_ring_i == ring_q &&
                                     ring.base == regs_q.base && ring.stride == regs_q.stride &&
                                     ring.window_log2 == regs_q.window_log2));
      // A ring has fewer than 2^14 slots: their number has 14 bits.
      e_size : assume (size < 32'd16384);
      // The answer that connections are forgotten follows the request by one cycle, and quiet stays while look-up is held.
      e_done : assume (flush_conns_done_i == (forgot_q && !done_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Connections are forgotten, once, when look-up is held and everything was quiet for 15 cycles up to the one before the
      // last: no packet that was decided before the flush is written behind it.
      a_quiet : assert (!flush_conns || (hold && !forgot_q && 32'(quiet_q) == Quiet))
      else $error("forgotten after %0d quiet cycles", quiet_q);
      // Look-up is held from then on until the flush is done.
      a_hold : assert (!(forgot_q || slot_valid || flush_ready) || hold)
      else $error("not held");
      // The connections of the ring that was asked for are forgotten.
      a_ring : assert (!flush_conns || (flush_conns_ring == flush_ring_i && flush_valid_i))
      else $error("forgets ring %0d", flush_conns_ring);
      // Slots are emptied behind the connections.
      a_after : assert (!slot_valid || (forgot_q && done_q))
      else $error("slot %0d too early", slot);
      // No slot of another ring is emptied.
      a_own : assert (!slot_valid || 32'(SlotW'(slot - ring.base)) < size)
      else $error("slot %0d is not the ring's", slot);
      // No slot is visited twice.
      a_once : assert (!(fire && slot == one_q) || !visited_q)
      else $error("slot %0d twice", slot);
      // Every slot of the ring has been visited when the flush is done: nothing of the old job adds into the new one.
      a_all : assert (!flush_ready || 32'(SlotW'(one_q - ring.base)) >= size || visited_q)
      else $error("slot %0d left out", one_q);
      // The flush is done only if it was asked for, behind all that.
      a_done : assert (!flush_ready || (flush_valid_i && done_q && 32'(count_q) == size))
      else $error("done after %0d slots", count_q);
      // A slot that is shown stays until it is taken.
      a_shown : assert (!shown_q || (slot_valid && slot == slot_q))
      else $error("withdrawn");
      // Slots are counted (helps the proof).
      a_counted : assert (u_dut.state_q == InSlots ?
                          (u_dut.slot_q == SlotW'(ring.base + count_q) && 32'(count_q) <= size &&
                           32'(u_dut.left_q) == size - 32'(count_q) &&
                           slot_valid == (u_dut.left_q != '0)) : !slot_valid &&
                          ((u_dut.state_q == InDone || count_q == '0) &&
                           !(u_dut.state_q == InConns && forgot_q && 32'(u_dut.left_q) != size)))
      else $error("slot %0d, %0d left", u_dut.slot_q, u_dut.left_q);
      // One slot is visited as soon as the count has passed it (helps the proof).
      a_visited : assert (visited_q == (SlotW'(one_q - ring.base) < count_q))
      else $error("slot %0d", one_q);
      // Both know what was busy (helps the proof).
      a_busy : assert (u_dut.busy_q == busy_q)
      else $error("busy %b", busy_q);
      // The states follow each other (helps the proof).
      a_state : assert (u_dut.state_q <= InDone && (forgot_q || !done_q) &&
          (u_dut.state_q == InIdle || (flush_valid_i && waits_q)) &&
          hold == (u_dut.state_q != InIdle) && (u_dut.state_q == InConns || !flush_conns) &&
          (u_dut.state_q == InConns ? (flush_conns != forgot_q && !done_q) :
           (u_dut.state_q inside {InSlots, InDone} ? (forgot_q && done_q) : !forgot_q)) &&
          (u_dut.state_q != InDrain || u_dut.quiet_q <= 4'(quiet_q)) && quiet_q <= 5'(Quiet) &&
          (u_dut.state_q == InIdle || !(u_dut.state_q == InConns && !forgot_q) ||
           32'(quiet_q) == Quiet))
      else $error("state %0d", u_dut.state_q);
      // A ring of several slots has been emptied.
      c_done : cover (flush_ready && count_q == SlotW'(4));
    end
  end

endmodule
