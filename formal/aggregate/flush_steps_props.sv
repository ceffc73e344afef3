// agg_flush, cycle by cycle: what it shows follows from what it was told, in the order that its
// head says. (agg_flush's proof is of what that is good for.)
module flush_steps_props
  import agg_pkg::*;
  import agg_obs_pkg::*;
#(
  /// Ports.
  parameter int unsigned NumPorts = 3,
  /// Rings, a power of two.
  parameter int unsigned NumRings = 4,
  localparam int unsigned RingIdxW = $clog2(NumRings)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 flush_valid_i,
  input logic     [RingW-1:0] flush_ring_i,
  input logic                 flush_free_i,
  input logic                 flush_slots_i,
  input ring_t [NumRings-1:0] rings_i,
  input logic                 lookup_idle_i,
  input logic  [NumPorts-1:0] ports_busy_i,
  input logic                 flush_conns_done_i,
  input logic                 flush_walks_i,
  input logic                 slot_ready_i,
  input logic [RingIdxW-1:0]  any_i   // any ring
);

  /// Cycles of quiet that a flush waits for: 15, and one in which it sees that.
  localparam logic [4:0] Quiet = 5'd16;

  logic                 ready, hold, forget, forget_free, slot_valid;
  logic [RingW-1:0]     forget_ring;
  logic [SlotW-1:0]     slot;
  ring_t [NumRings-1:0] rings;
  obs_flush_t           obs;

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .flush_valid_i,
    .flush_ready_o     (ready),
    .flush_ring_i,
    .flush_free_i,
    .flush_slots_i,
    .rings_i,
    .rings_o           (rings),
    .hold_o            (hold),
    .lookup_idle_i,
    .ports_busy_i,
    .flush_conns_o     (forget),
    .flush_conns_ring_o(forget_ring),
    .flush_conns_free_o(forget_free),
    .flush_conns_done_i,
    .flush_walks_i,
    .slot_valid_o      (slot_valid),
    .slot_ready_i,
    .slot_o            (slot),
    .obs_o             (obs)
  );

  // ---------------------------------------------------------------------------------------------
  // How far a flush has come, each from the cycle behind on: it was seen, connections were told,
  // that was answered, and its slots are empty.

  logic        reset_q, later_q;   // there was a cycle, and it was none of reset
  logic        seen_q, told_q, answered_q, empty_q, first_q;
  logic        looks_q, busy_q;    // look-up or a port was, in the last cycle
  logic [4:0]  quiet_q;            // cycles of quiet so far
  logic [31:0] count_q, size;      // slots that were taken, and all that there are to take
  ring_t       ring, ring_q, one, one_q;
  logic        waits_q, slots_q;
  logic [NumRings-1:0] closed;
  logic        closed_q;           // the one that is followed, in the last cycle
  logic [RingW-1:0] flush_ring_q;
  initial {reset_q, later_q} = '0;

  assign ring   = rings_i[flush_ring_i[RingIdxW-1:0]];
  assign size   = flush_slots_i ? 32'(ring.stride) * (32'd2 << ring.window_log2) : '0;
  assign one    = rings_i[any_i];
  // From when connections are told until it is done, as far as others know a cycle later.
  assign closed = (forget || (told_q && !ready)) ?
      NumRings'(1) << flush_ring_i[RingIdxW-1:0] : '0;

  logic quiet;   // nobody was busy; a closed ring opens without regard to ports, but for the first
  assign quiet = !looks_q && !(busy_q && (!told_q || first_q));

  always_ff @(posedge clk_i) begin
    reset_q <= 1'b1;
    later_q <= rst_ni;
    looks_q <= !lookup_idle_i;
    busy_q  <= ports_busy_i != '0;
    first_q <= 1'b0;
    quiet_q <= '0;
    if ((seen_q && !told_q && !forget) || (empty_q && !ready)) begin
      quiet_q <= quiet ? quiet_q + 5'd1 : '0;
    end
    if (flush_valid_i && !ready) seen_q <= 1'b1;
    if (forget) told_q <= 1'b1;
    if ((forget || told_q) && flush_conns_done_i) answered_q <= 1'b1;
    if (slot_valid && slot_ready_i) count_q <= count_q + 32'd1;
    if (answered_q && !empty_q && !slot_valid && !flush_walks_i) {empty_q, first_q} <= 2'b11;
    if (!rst_ni || ready) begin
      {seen_q, told_q, answered_q, empty_q, first_q} <= '0;
      count_q                                        <= '0;
    end
    if (!rst_ni) quiet_q <= '0;
    waits_q      <= rst_ni && flush_valid_i && !ready;
    slots_q      <= flush_slots_i;
    flush_ring_q <= flush_ring_i;
    ring_q       <= ring;
    one_q        <= one;
    closed_q     <= closed[any_i];
    // The first cycle is one of reset.
    e_reset : assume (reset_q || !rst_ni);
    if (rst_ni) begin
      // A flush stays until it is done, and its ring's registers stay with it.
      e_stays : assume (!waits_q || (flush_valid_i && flush_ring_i == flush_ring_q &&
                                     flush_slots_i == slots_q && ring == ring_q));
      // A ring has 2^14 slots at most.
      e_size : assume (size <= 32'd16384);
      // That connections are forgotten is answered a cycle later or more.
      e_done : assume (!flush_conns_done_i || !forget);
    end
  end

  logic [RingIdxW-1:0] any_q;
  always_ff @(posedge clk_i) any_q <= any_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Look-up is held from when a flush is seen until connections have been forgotten, and again
      // from when its slots are empty until it is done.
      a_hold : assert (hold == (seen_q && (!answered_q || empty_q)))
      else $error("hold %b", hold);
      // Connections are told once, at the end of the first 16 quiet cycles in a row that look-up
      // is held.
      a_forget : assert (forget == (seen_q && !told_q && quiet_q == Quiet))
      else $error("told %b after %0d quiet cycles", forget, quiet_q);
      // It is the ring that was asked for, and they are freed if that was asked for.
      a_whose : assert (!forget || (forget_ring == flush_ring_i && forget_free == flush_free_i))
      else $error("ring %0d, free %b", forget_ring, forget_free);
      // When they are forgotten, slots are shown until all 2N messages' have been taken, and none
      // if slots are not touched.
      a_slot : assert (slot_valid == (answered_q && count_q < size))
      else $error("slot %b, %0d taken", slot_valid, count_q);
      // They are shown in their order, from the ring's first one on.
      a_order : assert (!slot_valid || slot == SlotW'(32'(ring.base) + count_q))
      else $error("slot %0d", slot);
      // The flush is done at the end of the first 16 quiet cycles in a row that look-up is held
      // again, for one cycle.
      a_ready : assert (ready == (empty_q && quiet_q == Quiet))
      else $error("done %b after %0d quiet cycles", ready, quiet_q);
      // Who watches sees the ring close, and open.
      a_obs : assert (obs.valid == (forget || ready) &&
                      (!obs.valid || (obs.closed == forget && obs.ring == flush_ring_i)) &&
                      (!forget || obs.free == flush_free_i) && !obs.aged)
      else $error("valid %b, closed %b", obs.valid, obs.closed);
      // What rings are but for what they let in goes on as it is set up, of any ring.
      a_fields : assert ({rings[any_i].learn, rings[any_i].id, rings[any_i].workers} ==
                         {one.learn, one.id, one.workers} &&
                         {rings[any_i].window_log2, rings[any_i].stride, rings[any_i].base} ==
                         {one.window_log2, one.stride, one.base})
      else $error("ring %0d differs from what is set up", any_i);
      // A ring lets in what it was set up to in the cycle before; one that is closed nothing, and
      // drops.
      a_open : assert (!later_q || any_i != any_q ||
          (rings[any_i].enable == (one_q.enable && !closed_q) &&
           rings[any_i].drop == (one_q.drop || closed_q)))
      else $error("ring %0d: enable %b, drop %b", any_i, rings[any_i].enable, rings[any_i].drop);
      // How far it is inside (helps the proof).
      a_state : assert (u_dut.state_q == (ready ? 3'd5 : empty_q ? 3'd4 : answered_q ? 3'd3 :
          (forget || told_q) ? 3'd2 : seen_q ? 3'd1 : 3'd0) &&
          (waits_q || !seen_q) && (seen_q || !told_q) && (told_q || !answered_q) &&
          (answered_q || !empty_q) && (empty_q || !first_q))
      else $error("state %0d", u_dut.state_q);
      // So many quiet cycles have been counted (helps the proof).
      a_quiet : assert ((!seen_q ||
          u_dut.busy_q == (looks_q || (busy_q && (!empty_q || first_q)))) &&
          (forget || ready || ((!seen_q || told_q) && !empty_q ? quiet_q == '0 :
           (u_dut.quiet_q == 4'(quiet_q) && quiet_q < Quiet))))
      else $error("%0d quiet cycles", quiet_q);
      // So many slots are left, and those of the ring closed (helps the proof).
      a_left : assert ((!seen_q || !flush_slots_i || 32'(u_dut.slots_q) == size) &&
          (!told_q || (32'(u_dut.left_q) == size - count_q && count_q <= size &&
                       u_dut.slot_q == SlotW'(32'(ring.base) + count_q))) &&
          (!empty_q || count_q == size) && (answered_q || count_q == '0) &&
          u_dut.closed_q == closed)
      else $error("%0d slots left", u_dut.left_q);
      // A flush of two slots ends, and one of none.
      c_two : cover (ready && count_q == 32'd2);
      c_none : cover (ready && count_q == '0);
    end
  end

endmodule
