// Retires connections that were learned and have been idle for a whole period, as if software did.
//
// Each (ring, rank) has one connection that is alive at most, so what is remembered of connections
// is remembered by ring and rank: its entry in the table, and whether a packet of it has come since
// the last look. Once a period all are looked at, one after the other; who has not been seen is
// retired by the same request that software makes, and waits its turn for that. Rings that do not
// learn have no connection that is known here.
//
// Requests of software go through this module, a cycle later; when software has retired an entry,
// its (ring, rank) is looked for and forgotten before software hears of it: the entry may become
// another connection's next. Look-up waits for nothing here.
module agg_conn_age
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Cycles of a unit of `limit_i`, their binary logarithm, 1 to 31.
  parameter int unsigned UnitLog2 = 16,
  /// 0: no ring learns, so nobody ages.
  parameter int unsigned Used = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // A period in units; 0: nobody ages.
  input logic [31:0] limit_i,

  // Rings; only whether they learn is looked at.
  // verilator lint_off UNUSEDSIGNAL
  input ring_t [NumRings-1:0] rings_i,
  // verilator lint_on UNUSEDSIGNAL
  // Pulse: a packet of a connection that is alive.
  input conn_seen_t           seen_i,
  // Pulse: a ring forgets its connections.
  input logic                 flush_i,
  input logic [RingW-1:0]     flush_ring_i,

  // What software wants of the table; stays until `ready`, and is answered as by the table.
  input  logic      soft_valid_i,
  input  conn_set_t soft_i,
  output logic      soft_ready_o,
  output logic      soft_error_o,

  // To look-up: the same, or a connection to be retired.
  output logic      set_valid_o,
  output conn_set_t set_o,
  input  logic      set_ready_i,
  input  logic      set_error_i,

  // Observation only, pulse: the connection of this ring and rank is retired.
  output logic             aged_o,
  output logic [RingW-1:0] aged_ring_o,
  output logic [RankW-1:0] aged_rank_o
);

  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  localparam int unsigned Rows = NumRings << RankIdxW;
  localparam int unsigned RowW = $clog2(Rows);

  if (UnitLog2 < 1 || UnitLog2 > 31) begin : gen_check
    $fatal(1, "%m: UnitLog2 must be 1 to 31, is %0d", UnitLog2);
  end

  typedef enum logic [2:0] {Idle, Read, Look, Ask, Soft, Purge, Done} state_e;

  state_e            state_q;
  logic              asks_q;   // in Ask or Soft: a bit of its own, because long paths begin with it
  // The row has an entry; its connection was seen since the last look.
  logic [Rows-1:0]   known_q, used_q;
  logic              known_now_q, used_now_q;   // of the row at hand, a cycle ago
  conn_seen_t        seen_q;
  logic [RowW-1:0]   seen_row, row_q, purge_q, purged_q;
  logic              sweep_q, purging_q;
  logic              came_q;   // a packet of the row that is purged came as that was read
  conn_set_t         set_q;   // what is asked for, whatever software writes meanwhile
  logic [ConnW-1:0]  entry;
  logic [UnitLog2-1:0] cycles_q;
  logic              unit_q;
  logic [31:0]       units_q;

  assign seen_row = RowW'({seen_q.ring, seen_q.rank[RankIdxW-1:0]});

  prim_ram_1r1w #(
    .Width  (ConnW),
    .Depth  (Rows),
    .Latency(1)
  ) u_entries (
    .clk_i,
    .we_i   (seen_q.valid),
    .waddr_i(seen_row),
    .wdata_i(seen_q.conn),
    .re_i   (rst_ni),
    .raddr_i(state_q == Purge ? purge_q : row_q),
    .rdata_o(entry)
  );

  // ---------------------------------------------------------------------------------------------
  // Periods

  always_ff @(posedge clk_i) begin
    cycles_q <= cycles_q + UnitLog2'(1);
    unit_q   <= cycles_q == '1;
    if (Used == 0 || limit_i == '0) units_q <= '0;
    else if (unit_q) units_q <= (units_q >= limit_i - 32'd1) ? '0 : units_q + 32'd1;
    if (!rst_ni) begin
      cycles_q <= '0;
      unit_q   <= 1'b0;
      units_q  <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is known of each row, and one row at a time

  logic forget;   // the row at hand, or the one that is purged, has lost its connection
  assign forget = (state_q == Ask && set_ready_i && !set_error_i) ||
      (purging_q && entry == set_q.index && !came_q);

  always_ff @(posedge clk_i) begin
    seen_q       <= seen_i;
    seen_q.valid <= Used != 0 && seen_i.valid && rst_ni;
    // Not if it is being flushed: its entry may have another connection before it would be retired.
    known_now_q  <= known_q[row_q] && !(flush_i && 32'(flush_ring_i) == 32'(row_q) >> RankIdxW);
    used_now_q   <= used_q[row_q];
    for (int unsigned w = 0; w < Rows; w++) begin
      if (state_q == Look && row_q == RowW'(w)) used_q[w] <= 1'b0;
      if (forget && (purging_q ? purged_q : row_q) == RowW'(w)) known_q[w] <= 1'b0;
      if (seen_q.valid && seen_row == RowW'(w)) begin
        used_q[w]  <= 1'b1;
        known_q[w] <= rings_i[w>>RankIdxW].learn;
      end
      if (flush_i && 32'(flush_ring_i) == (w >> RankIdxW)) known_q[w] <= 1'b0;
    end
    if (!rst_ni) known_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    purging_q <= state_q == Purge;
    purged_q  <= purge_q;
    came_q    <= seen_q.valid && seen_row == purge_q;
    if (Used != 0 && unit_q && limit_i != '0 && units_q >= limit_i - 32'd1) sweep_q <= 1'b1;
    unique case (state_q)
      Idle: begin
        set_q <= soft_i;
        asks_q <= soft_valid_i;
        if (soft_valid_i) state_q <= Soft;
        else if (sweep_q) state_q <= Read;
      end
      Read: state_q <= Look;
      Look: begin
        set_q.act   <= ConnRetire;
        set_q.index <= entry;
        asks_q <= known_now_q && !used_now_q;
        if (known_now_q && !used_now_q) state_q <= Ask;
        else state_q <= Idle;
      end
      Ask: if (set_ready_i) begin
        asks_q  <= 1'b0;
        state_q <= Idle;
      end
      Soft: begin
        purge_q <= '0;
        if (set_ready_i) asks_q <= 1'b0;
        if (set_ready_i) state_q <= (set_q.act == ConnRetire && !set_error_i) ? Purge : Idle;
      end
      Purge: begin
        purge_q <= purge_q + RowW'(1);
        if (32'(purge_q) == Rows - 1) state_q <= Done;
      end
      default: if (!purging_q) state_q <= Idle;
    endcase
    // On to the next row.
    if ((state_q == Look && !(known_now_q && !used_now_q)) || (state_q == Ask && set_ready_i)) begin
      row_q <= (32'(row_q) == Rows - 1) ? '0 : row_q + RowW'(1);
      if (32'(row_q) == Rows - 1) sweep_q <= 1'b0;
    end
    if (!rst_ni) begin
      state_q   <= Idle;
      asks_q    <= 1'b0;
      purging_q <= 1'b0;
      sweep_q   <= 1'b0;
      row_q     <= '0;
    end
  end

  assign set_valid_o  = asks_q;
  assign soft_ready_o = state_q == Soft ? set_ready_i && (set_q.act != ConnRetire || set_error_i) :
      state_q == Done && !purging_q;
  assign soft_error_o = state_q == Soft && set_error_i;
  assign set_o = set_q;

  assign aged_o      = state_q == Ask && set_ready_i && !set_error_i;
  assign aged_ring_o = RingW'(32'(row_q) >> RankIdxW);
  assign aged_rank_o = RankW'(row_q[RankIdxW-1:0]);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A request stands exactly while its answer is waited for; else it would be lost or made
      // twice.
      a_stands : assert (asks_q == (state_q == Ask || state_q == Soft))
      else $error("%m: a request %b in state %0d", asks_q, state_q);
      // Nobody is retired while ageing is off and no look is under way.
      a_asked : assert (state_q != Ask || sweep_q)
      else $error("%m: row %0d is retired, and nobody asked", row_q);
    end
  end

endmodule
