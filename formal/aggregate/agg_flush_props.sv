// agg_flush: a flush waits until nothing is under way, forgets the ring's connections once, then
// visits every slot of the ring once and no other; whenever look-up is not held meanwhile, the ring
// is closed, and no other ring ever is.
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
  input logic                 flush_slots_i,
  input ring_t [NumRings-1:0] rings_i,
  input logic                 lookup_idle_i,
  input logic  [NumPorts-1:0] ports_busy_i,
  input logic                 flush_conns_done_i,
  input logic                 flush_walks_i,
  input logic                 slot_ready_i,
  // Any slot.
  input logic     [SlotW-1:0] one_i
);

  // States of the DUT.
  localparam logic [2:0] InIdle = 3'd0, InDrain = 3'd1, InConns = 3'd2;
  localparam logic [2:0] InSlots = 3'd3, InSettle = 3'd4, InDone = 3'd5;
  /// Quiet cycles that a flush waits for.
  localparam int unsigned Quiet = 15;

  logic             started_q, flush_ready, hold, flush_conns, slot_valid;
  logic [RingW-1:0] flush_conns_ring;
  logic [SlotW-1:0] slot;
  ring_t [NumRings-1:0] rings;
  initial started_q = 1'b0;

  logic [NumRings-1:0] enable_q, drop_q;   // registers in the last cycle

  // Rings that are as software has set them up, but for what they let in; and in that, too.
  logic [NumRings-1:0] passed, opened;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      ring_t shown;
      shown        = rings[g];
      shown.enable = rings_i[g].enable;
      shown.drop   = rings_i[g].drop;
      passed[g]    = shown == rings_i[g];
      opened[g]    = rings[g].enable == enable_q[g] && rings[g].drop == drop_q[g];
    end
  end

  logic started_twice_q;
  initial started_twice_q = 1'b0;
  always_ff @(posedge clk_i) started_twice_q <= started_q && rst_ni;

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .flush_valid_i,
    .flush_ready_o     (flush_ready),
    .flush_ring_i,
    .flush_free_i      (1'b0),
    .flush_slots_i,
    .rings_i,
    .rings_o           (rings),
    .hold_o            (hold),
    .lookup_idle_i,
    .ports_busy_i,
    .flush_conns_o     (flush_conns),
    .flush_conns_ring_o(flush_conns_ring),
    .flush_conns_done_i,
    .flush_walks_i,
    .slot_valid_o      (slot_valid),
    .slot_ready_i,
    .slot_o            (slot)
  );

  // ---------------------------------------------------------------------------------------------
  // What has happened since the flush was asked for.

  logic             waits_q, forgot_q, done_q, walks_q, visited_q, fire, shown_q, slots_q;
  logic [RingW-1:0] ring_q;
  ring_t            regs_q, ring;
  logic [SlotW-1:0] one_q, slot_q;
  logic   [SlotW:0] count_q;
  logic      [31:0] size;        // slots of the ring
  logic       [4:0] quiet_q;     // cycles of quiet up to the one before the last, while held
  logic       [4:0] settled_q;   // the same of look-up alone
  logic             looks_q;     // look-up was not idle in the last cycle
  logic             busy_q;      // no quiet in the last cycle

  assign ring = rings_i[flush_ring_i[0]];
  assign size = flush_slots_i ? (32'(ring.stride) << ring.window_log2) << 1 : '0;
  assign fire = slot_valid && slot_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) one_q <= one_i;
    waits_q <= rst_ni && flush_valid_i && !flush_ready;
    ring_q  <= flush_ring_i;
    regs_q  <= ring;
    shown_q <= rst_ni && slot_valid && !slot_ready_i;
    slot_q  <= slot;
    slots_q <= flush_slots_i;
    for (int unsigned g = 0; g < NumRings; g++) begin
      enable_q[g] <= rings_i[g].enable;
      drop_q[g]   <= rings_i[g].drop;
    end
    busy_q  <= !lookup_idle_i || (ports_busy_i != '0 && u_dut.state_q != InSettle);
    looks_q <= !lookup_idle_i;
    if (!hold || looks_q) settled_q <= '0;
    else if (32'(settled_q) < Quiet) settled_q <= settled_q + 5'd1;
    if (!hold || busy_q) quiet_q <= '0;
    else if (32'(quiet_q) < Quiet) quiet_q <= quiet_q + 5'd1;
    if (flush_conns) forgot_q <= 1'b1;
    if (flush_conns_done_i) done_q <= 1'b1;
    walks_q <= flush_walks_i && rst_ni;
    if (fire) count_q <= count_q + (SlotW + 1)'(1);
    if (fire && slot == one_q) visited_q <= 1'b1;
    if (!rst_ni || flush_ready || !flush_valid_i) begin
      forgot_q  <= 1'b0;
      done_q    <= 1'b0;
      count_q   <= '0;
      visited_q <= 1'b0;
    end
    if (!rst_ni) quiet_q <= '0;
    if (!rst_ni) settled_q <= '0;

    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // A flush stays until it is done, and its ring's registers stay with it.
      e_stays : assume (!waits_q || (flush_valid_i && flush_ring_i == ring_q &&
                                     flush_slots_i == slots_q &&
                                     ring.base == regs_q.base && ring.stride == regs_q.stride &&
                                     ring.window_log2 == regs_q.window_log2));
      // A ring has 2^14 slots at most.
      e_size : assume (size <= 32'd16384);
      // The answer that connections are forgotten follows the request by one cycle, and quiet stays
      // while look-up is held.
      e_done : assume (flush_conns_done_i == (forgot_q && !done_q));
      // From then on the table may go through its entries, once.
      e_walks : assume (!flush_walks_i || (forgot_q && (!done_q || walks_q)));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // How far the end is: cycles, if nothing is in the way. What is in the way: somebody who is not
  // quiet where quiet is waited for, a table that walks, and a slot that is not taken.

  logic [31:0] left, left_q;   // of a flush that has been asked for
  logic        stalls, stalls_q, flushes_q;

  always_comb begin
    stalls = 1'b0;
    unique case (u_dut.state_q)
      InDrain: begin
        left   = 32'(2 * (Quiet + 1)) - 32'(u_dut.quiet_q) + 32'd6 + size;
        stalls = u_dut.busy_q;
      end
      InConns: left = 32'(Quiet + 1) + 32'd4 + size + 32'(flush_conns) + 32'(!forgot_q);
      InSlots: begin
        left   = 32'(Quiet + 1) + 32'd2 + 32'(u_dut.left_q);
        stalls = slot_valid ? !slot_ready_i : flush_walks_i;
      end
      InSettle: begin
        left   = 32'(Quiet + 1) - 32'(u_dut.quiet_q) + 32'd1;
        stalls = u_dut.busy_q;
      end
      InDone:  left = '0;
      default: left = 32'(2 * (Quiet + 1)) + 32'd7 + size;
    endcase
  end

  always_ff @(posedge clk_i) begin
    left_q    <= left;
    stalls_q  <= stalls;
    flushes_q <= rst_ni && flush_valid_i && !flush_ready;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A flush ends: each cycle in which nothing is in its way brings it a cycle nearer to its
      // end, which is never further than its slots and 39 cycles.
      a_nearer : assert (!flushes_q || stalls_q || left < left_q)
      else $error("%0d cycles left, were %0d", left, left_q);
      a_near : assert (!flush_valid_i || left <= size + 32'd39)
      else $error("%0d cycles left", left);
      // What is in its way costs the quiet that was counted, 15 cycles, and no slot again.
      a_no_further : assert (!flushes_q || left <= left_q + 32'(Quiet))
      else $error("%0d cycles left, were %0d", left, left_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The ring stays closed as long as that takes: what a flush has not come to is not asked for.
      a_walks : assert (!flush_walks_i || !done_q || !rings[flush_ring_i[0]].enable)
      else $error("open before its connections are flushed");
      // When it opens, that is over (helps the proof).
      a_walked : assert (!walks_q || !(u_dut.state_q == InSettle || flush_ready))
      else $error("walks");
      // Connections are forgotten, once, when look-up is held and everything was quiet for 15
      // cycles up to the one before the last: no packet that was decided before the flush is
      // written behind it.
      a_quiet : assert (!flush_conns || (hold && !forgot_q && 32'(quiet_q) == Quiet))
      else $error("forgotten after %0d quiet cycles", quiet_q);
      // Look-up is held, or the ring is closed, from then on until the flush is done: nothing of it
      // is decided between its slots.
      a_closed : assert (!(flush_conns || forgot_q) || hold ||
          (!rings[flush_ring_i[0]].enable && rings[flush_ring_i[0]].drop))
      else $error("neither held nor closed");
      // Where the ring opens again look-up is held, and has been idle for 15 cycles: what was
      // decided on the closed ring is over.
      a_settled : assert (!flush_ready || (hold && 32'(settled_q) == Quiet))
      else $error("opened after %0d cycles", settled_q);
      // All that a flush changes of what rings are is that one of them lets nothing in; once it is
      // done, each is as it is set up.
      a_same : assert (passed == '1 && (!started_twice_q || waits_q || opened == '1))
      else $error("rings that are as set up: %b, open: %b", passed, opened);
      // The other ring goes on as it is set up.
      a_others : assert (!started_twice_q ||
          (rings[!flush_ring_i[0]].enable == enable_q[!flush_ring_i[0]] &&
          rings[!flush_ring_i[0]].drop == drop_q[!flush_ring_i[0]]) || !waits_q)
      else $error("another ring is closed");
      // And a ring that is not being flushed (helps the proof).
      a_masks : assert (u_dut.closed_q == ((u_dut.state_q inside {InConns, InSlots, InSettle}) ?
          NumRings'(1) << flush_ring_i[0] : '0) &&
          (!(u_dut.state_q inside {InSlots, InSettle} || (u_dut.state_q == InConns && forgot_q)) ||
           (!u_dut.enable_q[flush_ring_i[0]] && u_dut.drop_q[flush_ring_i[0]])))
      else $error("closed %b", u_dut.closed_q);
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
      // Every slot of the ring has been visited when the flush is done: nothing of the old job adds
      // into the new one.
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
                          ((u_dut.state_q inside {InSettle, InDone} ? 32'(count_q) == size :
                            count_q == '0) &&
                           !(u_dut.state_q == InConns && forgot_q && 32'(u_dut.left_q) != size)))
      else $error("slot %0d, %0d left", u_dut.slot_q, u_dut.left_q);
      // One slot is visited as soon as the count has passed it (helps the proof).
      a_visited : assert (visited_q == ((SlotW + 1)'(SlotW'(one_q - ring.base)) < count_q))
      else $error("slot %0d", one_q);
      // Both know what was busy (helps the proof).
      a_busy : assert (u_dut.busy_q == busy_q)
      else $error("busy %b", busy_q);
      // The states follow each other (helps the proof).
      a_state : assert (u_dut.state_q <= InDone && (forgot_q || !done_q) &&
          (u_dut.state_q == InIdle || (flush_valid_i && waits_q)) &&
          hold == !(u_dut.state_q inside {InIdle, InSlots}) &&
          (u_dut.state_q == InConns || !flush_conns) &&
          (u_dut.state_q == InConns ? (flush_conns != forgot_q && !done_q) :
           (u_dut.state_q inside {InSlots, InSettle, InDone} ? (forgot_q && done_q) : !forgot_q)) &&
          (u_dut.state_q != InSettle || u_dut.quiet_q <= 4'(settled_q)) && settled_q <= 5'(Quiet) &&
          (u_dut.state_q != InDrain || u_dut.quiet_q <= 4'(quiet_q)) && quiet_q <= 5'(Quiet) &&
          (u_dut.state_q == InIdle || !(u_dut.state_q == InConns && !forgot_q) ||
           32'(quiet_q) == Quiet))
      else $error("state %0d", u_dut.state_q);
      // A ring of several slots has been emptied.
      c_done : cover (flush_ready && count_q == (SlotW + 1)'(4));
    end
  end

endmodule
