// Which ranks does a ring wait for, and since when? And does it owe results?
//
// Of each rank it is counted how many columns wait for it. One ring after the other is looked at,
// over and over. What is seen of it counts only if none of its packets was stored meanwhile; else
// it moves, and waits for nobody. A ring's counts are forgotten when it has been flushed. Nobody
// waits for this module.
module weir_ring_watch
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Slots, 2 to 16384.
  parameter int unsigned NumSlots = 680,
  /// 1: a slot's record may be lost, with what its column owes; that is made good when its ring is
  /// flushed.
  parameter int unsigned Ecc = 0,
  localparam int unsigned CountW = $clog2(NumSlots + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // Results are counted elsewhere.
  // verilator lint_off UNUSEDSIGNAL
  input ring_event_t      event_i,
  // verilator lint_on UNUSEDSIGNAL
  // A ring has been flushed.
  input logic             flushed_i,
  input logic [RingW-1:0] flushed_ring_i,

  // Columns that hold packets, of all rings together; and which rings owe results of complete ones.
  output logic [CountW-1:0]   columns_o,
  output logic [NumRings-1:0] owing_o,

  // The ring that software looks at. `known` at most two rounds later, of 5 NumRings cycles each.
  // Ranks that it waits for, and units of 256 cycles since a packet of it was stored, at most 2^31.
  input  logic [RingW-1:0]    ring_i,
  input  logic                ring_new_i,
  output logic                known_o,
  output logic [MaxRanks-1:0] ranks_o,
  output logic [31:0]         since_o,

  // A ring that waits for longer than so many units stalls; 0: none does. Rings that stall.
  input  logic [31:0]         limit_i,
  output logic [NumRings-1:0] stalled_o
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam logic [31:0] Forever = 32'h8000_0000;

  // An event of another module is looked at a cycle later, when it is known whose it is.
  // verilator lint_off UNUSEDSIGNAL
  ring_event_t         event_q;
  // verilator lint_on UNUSEDSIGNAL
  logic                stored;
  logic [NumRings-1:0] of_ring_q, flushed_q;

  assign stored = event_q.decided && event_q.fate == FateStored;

  always_ff @(posedge clk_i) begin
    event_q <= event_i;
    for (int unsigned g = 0; g < NumRings; g++) begin
      of_ring_q[g] <= event_i.ring == RingW'(g);
      flushed_q[g] <= flushed_i && flushed_ring_i == RingW'(g);
    end
    if (!rst_ni) event_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Columns that owe, by ring, and all that hold packets.

  logic [NumRings-1:0][CountW-1:0] owing_q;
  logic [CountW-1:0]               columns_q;

  always_ff @(posedge clk_i) begin
    columns_q <= columns_q + CountW'(event_q.fills) - CountW'(event_q.empties);
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (of_ring_q[g]) begin
        owing_q[g] <= owing_q[g] + CountW'(event_q.owes) - CountW'(event_q.settles);
      end
      if (Ecc != 0 && flushed_q[g]) owing_q[g] <= '0;
      owing_o[g] <= owing_q[g] != '0;
    end
    if (!rst_ni) begin
      columns_q <= '0;
      owing_q   <= '0;
    end
  end

  assign columns_o = columns_q;

  // ---------------------------------------------------------------------------------------------
  // Columns that wait, by ring and rank; when a ring's last packet was stored.

  logic [NumRanks-1:0][1:0]        change;
  logic [NumRanks-1:0][CountW-1:0] waiting;
  logic [7:0]                      part_q;
  logic [31:0]                     now_q, last;
  logic [RingIdxW-1:0]             ring_q;

  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      change[r] = {event_q.comes[r], event_q.waits[r] || event_q.comes[r]};
    end
  end

  prim_tally #(
    .Words  (NumRings),
    .Lanes  (NumRanks),
    .Width  (CountW),
    .AmountW(2)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .add_i    (event_q.waits != '0 || event_q.comes != '0),
    .at_i     (event_q.ring[RingIdxW-1:0]),
    .amount_i (change),
    .forget_i (flushed_q),
    .read_at_i(ring_q),
    .value_o  (waiting)
  );

  always_ff @(posedge clk_i) begin
    part_q <= part_q + 8'd1;
    if (part_q == '1) now_q <= now_q + 32'd1;
    if (!rst_ni) begin
      part_q <= '0;
      now_q  <= '0;
    end
  end

  prim_ram_1r1w #(
    .Width  (32),
    .Depth  (NumRings),
    .Latency(1)
  ) u_last (
    .clk_i,
    .we_i   (stored && rst_ni),
    .waddr_i(event_q.ring[RingIdxW-1:0]),
    .wdata_i(now_q),
    .re_i   (rst_ni),
    .raddr_i(ring_q),
    .rdata_o(last)
  );

  // ---------------------------------------------------------------------------------------------
  // One ring after the other: named, read (two steps), compared, judged.

  localparam logic [2:0] Compare = 3'd3;
  localparam logic [2:0] Judge = 3'd4;

  logic [2:0]          step_q;
  logic                moves, moves_q, late_q, old_q;
  logic [NumRanks-1:0] behind_q;
  logic [31:0]         since_q;
  // Rings that were quiet for the longest time that is told: it would wrap.
  logic [NumRings-1:0] stalled_q, forever_q;

  assign moves = flushed_q[ring_q] || (event_q.ring == RingW'(ring_q) &&
      (stored || event_q.waits != '0 || event_q.comes != '0));

  always_ff @(posedge clk_i) begin
    step_q  <= (step_q == Judge) ? '0 : step_q + 3'd1;
    moves_q <= moves || (moves_q && step_q != '0);
    since_q <= now_q - last;
    if (step_q == Compare) begin
      for (int unsigned r = 0; r < NumRanks; r++) behind_q[r] <= waiting[r] != '0;
      old_q  <= since_q[31] || forever_q[ring_q];
      late_q <= limit_i != '0 && (since_q > limit_i || forever_q[ring_q]);
    end
    if (step_q == Judge) begin
      ring_q            <= (32'(ring_q) == NumRings - 1) ? '0 : ring_q + RingIdxW'(1);
      stalled_q[ring_q] <= !moves_q && !moves && late_q && behind_q != '0;
      forever_q[ring_q] <= !moves_q && !moves && old_q;
      if (ring_i == RingW'(ring_q)) begin
        known_o <= 1'b1;
        ranks_o <= (moves_q || moves) ? '0 : MaxRanks'(behind_q);
        since_o <= (moves_q || moves) ? '0 : old_q ? Forever : since_q;
      end
    end
    if (ring_new_i || 32'(ring_i) >= NumRings) begin
      known_o <= 32'(ring_i) >= NumRings;
      ranks_o <= '0;
      since_o <= '0;
    end
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (stored && of_ring_q[g]) forever_q[g] <= 1'b0;
    end
    if (!rst_ni) begin
      step_q    <= '0;
      ring_q    <= '0;
      known_o   <= 1'b0;
      stalled_q <= '0;
      forever_q <= '0;
    end
  end

  assign stalled_o = stalled_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Slots that hold packets are no more than there are, and none is emptied twice.
      a_columns : assert (32'(columns_q) <= NumSlots)
      else $error("%m: %0d of %0d slots hold packets", columns_q, NumSlots);
      // A flushed ring owes nothing; else it would be drained for ever.
      a_flushed : assert (Ecc != 0 || !flushed_i || owing_q[flushed_ring_i[RingIdxW-1:0]] == '0)
      else $error("%m: ring %0d was flushed and owes results", flushed_ring_i);
    end
  end

endmodule
