// weir_rings: what rings may be. Whatever software writes, whenever it writes it, a ring that is in
// use has workers that the device has ranks for, a window and slots that it has, no slot and no
// RingID of another ring, and keeps all that until a flush of it is done.
module weir_rings_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// Slots of the device.
  parameter int unsigned NumSlots = 680,
  /// Rings of the device, 2 or more.
  parameter int unsigned NumRings = 2,
  localparam int unsigned NumRanks = 6,
  localparam int unsigned MaxWindow = 4
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

  // Behind its last slot.
  function automatic logic [31:0] end_of(ring_t r);
    end_of = 32'(r.base) + ((32'(r.stride) << r.window_log2) << 1);
  endfunction

  function automatic logic fits(ring_t r);
    fits = r.workers != '0 && 32'(r.workers) <= NumRanks && (32'd1 << r.window_log2) <= MaxWindow &&
        r.stride != '0 && !r.base[0] && end_of(r) <= NumSlots;
  endfunction

  function automatic logic apart(ring_t a, ring_t b);
    apart = (end_of(a) <= 32'(b.base) || end_of(b) <= 32'(a.base)) && a.id != b.id;
  endfunction

  function automatic logic same(ring_t a, ring_t b);
    same = a.base == b.base && a.stride == b.stride && a.window_log2 == b.window_log2 &&
        a.workers == b.workers && a.id == b.id;
  endfunction

  logic [NumRings-1:0] used;
  assign used = u_dut.used_q;

  // What has to be right of what is to be stored, of each ring that is there.
  logic [NumRings-1:0] right, compared;
  logic                checks, goes_on, in_step;
  ring_t               wanted;
  logic [IdxW-1:0]     at;

  assign wanted  = u_dut.staged_q;
  assign at      = u_dut.index_q;
  assign checks  = u_dut.state_q == Check;
  // Found good, and not stored yet.
  assign goes_on = u_dut.store_q && (u_dut.state_q inside {Close, Flush, Store});

  always_comb begin
    for (int unsigned r = 0; r < NumRings; r++) begin
      right[r]    = (32'(at) == r) ?
          (!used[r] || u_dut.flush_q || same(wanted, u_dut.rings_q[r])) &&
          (!wanted.enable || fits(wanted)) :
          !wanted.enable || !used[r] || apart(wanted, u_dut.rings_q[r]);
      compared[r] = goes_on || (checks && 32'(u_dut.look_q) > r + 2 && u_dut.found_q == RingFine);
    end
  end

  // The ring that is read, and what stands behind it.
  always_comb begin
    in_step = 1'b1;
    if (checks && u_dut.look_q >= 1) in_step = u_dut.end_q == 24'(end_of(wanted));
    if ((checks && u_dut.look_q >= 1) || (goes_on && !u_dut.flush_q)) begin
      in_step &= u_dut.was_used_q == used[at];
    end
    for (int unsigned r = 0; r < NumRings; r++) begin
      if (checks && 32'(u_dut.look_q) == r + 1) begin
        in_step &= u_dut.read_q == u_dut.rings_q[r] && u_dut.other_used_q[0] == used[r] &&
            u_dut.other_q[0] == (32'(at) != r);
      end
      if (checks && 32'(u_dut.look_q) == r + 2) begin
        in_step &= u_dut.other_ring_q == u_dut.rings_q[r] && u_dut.other_used_q[1] == used[r] &&
            u_dut.other_q[1] == (32'(at) != r) &&
            32'(u_dut.other_end_q) == end_of(u_dut.rings_q[r]);
      end
    end
  end

  logic                 started_q = 1'b0;
  logic                 waits_q, store_of_flush;
  ring_t [NumRings-1:0] before_q;
  logic  [NumRings-1:0] used_before_q, may_q, flushed_q;
  logic  [RingW-1:0]    flush_ring_q;
  logic                 flush_release_q, flush_slots_q;

  // The command that stores a ring's new registers has flushed it just before.
  assign store_of_flush = u_dut.state_q == Store && u_dut.flush_q;

  always_ff @(posedge clk_i) begin
    started_q       <= 1'b1;
    before_q        <= rings;
    used_before_q   <= used;
    waits_q         <= rst_ni && flush_valid && !flush_ready_i;
    flush_ring_q    <= flush_ring;
    flush_release_q <= flush_release;
    flush_slots_q   <= flush_slots;
    for (int unsigned r = 0; r < NumRings; r++) begin
      flushed_q[r] <= flush_valid && flush_ready_i && 32'(flush_ring) == r;
      may_q[r]     <= store_of_flush && 32'(stored_ring) == r;
    end
    if (!rst_ni) {used_before_q, waits_q} <= '0;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  logic [NumRings-1:0] enabled, fitting, parted, kept;
  always_comb begin
    for (int unsigned r = 0; r < NumRings; r++) begin
      enabled[r] = rings[r].enable;
      fitting[r] = !used[r] || fits(rings[r]);
      kept[r]    = !used_before_q[r] || may_q[r] || flushed_q[r] ||
          (used[r] && same(rings[r], before_q[r]));
      parted[r]  = 1'b1;
      for (int unsigned s = 0; s < NumRings; s++) begin
        if (s != r) parted[r] &= !used[r] || !used[s] || apart(rings[r], rings[s]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A ring that aggregates is in use.
      a_used : assert ((~used & enabled) == '0)
      else $error("used %b", used);
      // A ring in use has workers, a window and slots that the device has, in pairs; else a column
      // would never be complete, or be written into slots that are not there.
      a_fits : assert (fitting == '1)
      else $error("rings that fit: %b", fitting);
      // Two rings in use have no slot in common, and no RingID: what happens in one job touches no
      // other.
      a_apart : assert (parted == '1)
      else $error("rings that are apart from all others: %b", parted);
      // A ring in use keeps its registers until a flush of it is done.
      a_keeps : assert (kept == '1)
      else $error("rings that kept their registers: %b", kept);
      // What was compared is right (helps the proof).
      a_compared : assert ((compared & ~right) == '0)
      else $error("compared %b, right %b", compared, right);
      // A flush is not taken back, and its ring's registers stay with it.
      a_flush : assert (!waits_q || (flush_valid && flush_ring == flush_ring_q &&
          flush_release == flush_release_q && flush_slots == flush_slots_q &&
          same(rings[flush_ring[IdxW-1:0]], before_q[flush_ring[IdxW-1:0]])))
      else $error("a flush that waits has changed");
      // What is compared is what was read (helps the proof).
      a_in_step : assert (in_step)
      else $error("look %0d", u_dut.look_q);
      // While rings are compared none is stored, and the command is of one (helps the proof).
      a_busy : assert ((!busy || 32'(at) < NumRings) && (!checks || (u_dut.store_q &&
          32'(u_dut.look_q) <= NumRings + 2)) && (u_dut.state_q <= Store) &&
          (u_dut.state_q != Store || u_dut.store_q) &&
          (u_dut.state_q != Close || !u_dut.reset_q) &&
          (!busy || !u_dut.reset_q || !u_dut.store_q) &&
          (!goes_on || u_dut.found_q == RingFine) &&
          (!(u_dut.state_q inside {Close, Flush}) || u_dut.flush_q) &&
          (!busy || !u_dut.drain_q || u_dut.flush_q))
      else $error("state %0d", u_dut.state_q);
    end
    // All rings at once.
    c_all : cover (rst_ni && enabled == '1);
    // One in use gets other slots with its flush.
    c_moved : cover (rst_ni && may_q[1] && used[1] && rings[1].base != before_q[1].base &&
                     used_before_q[1]);
    // One is refused for the slots of another.
    c_overlap : cover (rst_ni && error == RingOverlap);
  end

endmodule
