// weir_ring_watch beside its two memories, whose answers are free (`cuts` of the task): what is
// counted there, when, and of which ring; and what is told of a ring from what they answer. One
// ring is followed. (A ring stalls if it waits for somebody and nothing of it has moved for longer
// than a limit.)
module ring_watch_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumRings = 3,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned NumSlots = 8,
  parameter int unsigned Ecc = 0,
  localparam int unsigned CountW = $clog2(NumSlots + 1),
  localparam int unsigned IdxW = $clog2(NumRings)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input ring_event_t      event_i,
  input logic             flushed_i,
  input logic [RingW-1:0] flushed_ring_i,
  input logic [RingW-1:0] ring_i,
  input logic             ring_new_i,
  input logic [31:0]      limit_i,
  input logic [IdxW-1:0]  followed_i   // any
);

  logic [CountW-1:0]   columns;
  logic [NumRings-1:0] owing, stalled;
  logic                known;
  logic [MaxRanks-1:0] ranks;
  logic [31:0]         since;

  weir_ring_watch #(
    .NumRings(NumRings),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .event_i,
    .flushed_i,
    .flushed_ring_i,
    .columns_o(columns),
    .owing_o  (owing),
    .ring_i,
    .ring_new_i,
    .known_o  (known),
    .ranks_o  (ranks),
    .since_o  (since),
    .limit_i,
    .stalled_o(stalled)
  );

  localparam int unsigned Turn = 5;   // cycles in which one ring is looked at
  localparam logic [31:0] Longest = 32'h8000_0000;

  logic            begun_q = 1'b0;
  logic [IdxW-1:0] g_q, g;   // the followed ring
  assign g = begun_q ? g_q : (32'(followed_i) < NumRings) ? followed_i : '0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    g_q     <= g;
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
  end

  // What was said in the cycle before, of whichever ring, and of the followed one.
  logic        ran_q, of_q, flushed_q, stored_q, waits;
  ring_event_t said_q;
  always_ff @(posedge clk_i) begin
    ran_q     <= rst_ni;
    said_q    <= rst_ni ? event_i : '0;
    of_q      <= rst_ni ? event_i.ring == RingW'(g) : g == '0;
    stored_q  <= rst_ni && event_i.decided && event_i.fate == FateStored;
    flushed_q <= flushed_i && flushed_ring_i == RingW'(g);
  end
  assign waits = (said_q.waits | said_q.comes) != '0;

  // What has been counted: columns, what the followed ring owes, and time.
  logic [CountW-1:0] columns_q, owes_q;
  logic              owing_q;
  logic [39:0]       time_q;
  always_ff @(posedge clk_i) begin
    columns_q <= columns_q + CountW'(said_q.fills) - CountW'(said_q.empties);
    if (of_q) owes_q <= owes_q + CountW'(said_q.owes) - CountW'(said_q.settles);
    if (Ecc != 0 && flushed_q) owes_q <= '0;
    owing_q <= owes_q != '0;
    time_q  <= time_q + 40'd1;
    if (!rst_ni) {columns_q, owes_q, time_q} <= '0;
  end

  // Whose turn it is: `Turn` cycles each, one ring after the other.
  logic [IdxW-1:0] turn_q;
  logic [2:0]      cycle_q;
  logic            last, moved, moved_now;
  logic [Turn-1:0] moves_q;   // the followed ring moved, so many cycles ago and one
  assign last      = 32'(cycle_q) == Turn - 1;
  assign moved_now = flushed_q || (of_q && (stored_q || waits));
  assign moved     = {moves_q[Turn-2:0], moved_now} != '0;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 3'd1;
    if (last) begin
      cycle_q <= '0;
      turn_q  <= (32'(turn_q) + 1 < NumRings) ? turn_q + IdxW'(1) : '0;
    end
    moves_q <= {moves_q[Turn-2:0], moved_now};
    if (!rst_ni) {cycle_q, turn_q} <= '0;
  end

  // What the memories have answered in its turn: for whom columns wait, and how long ago the last
  // packet was stored, as of two cycles before. Behind the longest time it is for ever, until a
  // packet is stored.
  logic [NumRanks-1:0] behind_q;
  logic                old_q, late_q, ever_q, stalls_q;
  logic [1:0][31:0]    ago_q;
  always_ff @(posedge clk_i) begin
    ago_q <= {ago_q[0], time_q[39:8] - u_dut.last};
    if (turn_q == g_q && 32'(cycle_q) == 3) begin
      for (int unsigned r = 0; r < NumRanks; r++) behind_q[r] <= u_dut.waiting[r] != '0;
      old_q  <= ever_q || ago_q[0] >= Longest;
      late_q <= limit_i != '0 && (ever_q || ago_q[0] > limit_i);
    end
    if (turn_q == g_q && last) begin
      stalls_q <= late_q && behind_q != '0 && !moved;
      ever_q   <= old_q && !moved;
    end
    if (of_q && stored_q) ever_q <= 1'b0;
    if (!rst_ni) {stalls_q, ever_q} <= '0;
  end

  // Cycles of this turn.
  logic [Turn-1:0] turned;
  assign turned = ~(Turn'('1) << cycle_q);

  // What software has been told, if it looks at the followed ring: from the end of its turn on,
  // until it names a ring anew; nothing of a ring that there is not.
  logic                gone, mine_q;
  logic                known_q, mine_now;
  logic [MaxRanks-1:0] ranks_q;
  logic [31:0]         since_q;
  logic                stood_q, read_q, missing_q;
  assign gone = 32'(ring_i) >= NumRings;
  always_ff @(posedge clk_i) begin
    mine_q    <= rst_ni && !ring_new_i && ring_i == RingW'(g_q) && turn_q == g_q && last;
    stood_q   <= rst_ni && !ring_new_i && !gone && !(last && ring_i == RingW'(turn_q));
    missing_q <= rst_ni && gone;
    read_q    <= rst_ni && ring_new_i && !gone;
    known_q   <= known;
    ranks_q   <= mine_now ? (moved ? '0 : MaxRanks'(behind_q)) : ranks;
    since_q   <= mine_now ? (moved ? '0 : old_q ? Longest : ago_q[0]) : since;
  end
  assign mine_now = ring_i == RingW'(g_q) && turn_q == g_q && last;

  always_ff @(posedge clk_i) begin
    // The followed ring is one that there is (helps the proof).
    a_followed : assert (!begun_q || 32'(g_q) < NumRings)
    else $error("ring %0d", g_q);
    if (rst_ni && ran_q) begin
      // Columns that hold packets: one more with each that begins, one less with each that ends.
      a_columns_o : assert (columns == columns_q)
      else $error("%0d columns", columns);
      // A ring owes results while a column of it does; with corrected memories, a flush ends that.
      a_owing : assert (owing[g_q] == owing_q)
      else $error("owing %b", owing);
      // A ring stalls if it waited for somebody, and nothing of it was stored for longer than the
      // limit, and it did not move in the cycles in which it was looked at.
      a_stalled : assert (stalled[g_q] == stalls_q)
      else $error("stalled %b", stalled);
      // Of the ring that software looks at it is told, at the end of that ring's turn, for whom it
      // waits and for how long; a ring that moved meanwhile waits for nobody.
      a_told : assert (!mine_q || (known && ranks == ranks_q && since == since_q))
      else $error("known %b, ranks %b, since %0d", known, ranks, since);
      // That stays, until its next turn, or until software names a ring.
      a_stays : assert (!stood_q || (known == known_q && ranks == ranks_q &&
                                    since == since_q))
      else $error("known %b, ranks %b, since %0d", known, ranks, since);
      // A ring that has just been named is not known yet, and one that there is not waits for
      // nobody.
      a_named : assert (!(read_q || missing_q) ||
                        (known == missing_q && ranks == '0 && since == '0))
      else $error("known %b, ranks %b, since %0d", known, ranks, since);
      // One row of counters a ring: whenever a column begins or ends to wait for a rank, that
      // rank's counter of that ring goes up or down by one.
      a_counts : assert (u_dut.u_waiting.add_i == waits &&
                         (!waits || 32'(u_dut.u_waiting.at_i) == 32'(said_q.ring[IdxW-1:0])))
      else $error("row %0d", u_dut.u_waiting.at_i);
      // They are forgotten as the ring has been flushed.
      a_forgets : assert (u_dut.u_waiting.forget_i[g_q] == flushed_q)
      else $error("forgotten: %b", u_dut.u_waiting.forget_i);
      // Time goes in units of 256 cycles; a packet that is stored is noted with it for its ring.
      a_notes : assert (u_dut.u_last.we_i == stored_q && (!stored_q ||
          (u_dut.u_last.wdata_i == time_q[39:8] &&
           32'(u_dut.u_last.waddr_i) == 32'(said_q.ring[IdxW-1:0]))))
      else $error("noted %0d", u_dut.u_last.wdata_i);
      // Both memories are asked of the ring whose turn it is.
      a_asks : assert (u_dut.u_last.re_i && u_dut.u_last.raddr_i == turn_q &&
                       u_dut.u_waiting.read_at_i == turn_q && 32'(turn_q) < NumRings)
      else $error("ring %0d", u_dut.u_last.raddr_i);
      // What the module remembers of the followed ring (helps the proof).
      a_inside : assert (32'(cycle_q) < Turn && u_dut.step_q == cycle_q &&
          {u_dut.now_q, u_dut.part_q} == time_q && u_dut.owing_q[g_q] == owes_q &&
          u_dut.forever_q[g_q] == ever_q && u_dut.stalled_q[g_q] == stalls_q &&
          (turn_q != g_q || cycle_q == '0 || u_dut.moves_q == ((moves_q & turned) != '0)) &&
          u_dut.since_q == ago_q[0] &&
          (turn_q != g_q || !last || (u_dut.behind_q == behind_q && u_dut.late_q == late_q &&
                                      u_dut.old_q == old_q)))
      else $error("cycle %0d of ring %0d", cycle_q, turn_q);

      // The last ring stalls, and is told of with a wait for its last rank.
      c_stalls : cover (stalled[NumRings-1] && 32'(g_q) == NumRings - 1);
      c_told : cover (mine_q && ranks[NumRanks-1] && since == Longest);
    end
  end

  // Each rank's own.
  for (genvar r = 0; r < NumRanks; r++) begin : gen_rank
    always_ff @(posedge clk_i) begin
      if (rst_ni && ran_q && (said_q.waits | said_q.comes) != '0) begin
        // Up with a column that begins to wait for it, down with one that it comes to.
        a_amount : assert ($signed(u_dut.u_waiting.amount_i[r]) ==
                           (said_q.comes[r] ? -2'sd1 : said_q.waits[r] ? 2'sd1 : 2'sd0))
        else $error("rank %0d: %b", r, u_dut.u_waiting.amount_i[r]);
      end
    end
  end

endmodule
