// agg_conn_age, cycle by cycle: when a look at all rows begins, in which order rows are looked at,
// what is remembered of one, any one, and what becomes of it, and how software's requests pass.
// (agg_conn_age's proof is of whose connections are retired.)
module conn_age_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ranks and rings, the latter a power of two.
  parameter int unsigned NumRanks = 3,
  parameter int unsigned NumRings = 2,
  /// 0: no ring learns.
  parameter int unsigned Used = 1,
  localparam int unsigned RankIdxW = $clog2(NumRanks),
  localparam int unsigned Rows = NumRings << RankIdxW,
  localparam int unsigned RowW = $clog2(Rows)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [31:0]          limit_i,
  input ring_t [NumRings-1:0] rings_i,
  input conn_seen_t           seen_i,
  input logic                 flush_i,
  input logic [RingW-1:0]     flush_ring_i,
  input logic                 soft_valid_i,
  input conn_set_t            soft_i,
  input logic                 set_ready_i,
  input logic                 set_error_i,
  input logic [RowW-1:0]      one_i   // any
);

  // States of the DUT.
  localparam logic [2:0] InIdle = 3'd0, InRead = 3'd1, InLook = 3'd2, InAsk = 3'd3;
  localparam logic [2:0] InSoft = 3'd4, InPurge = 3'd5, InDone = 3'd6;

  logic             soft_ready, soft_error, asks, aged;
  conn_set_t        set;
  logic [RingW-1:0] aged_ring;
  logic [RankW-1:0] aged_rank;

  agg_conn_age #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .UnitLog2(2),
    .Used    (Used)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .limit_i,
    .rings_i,
    .seen_i,
    .flush_i,
    .flush_ring_i,
    .soft_valid_i,
    .soft_i,
    .soft_ready_o(soft_ready),
    .soft_error_o(soft_error),
    .set_valid_o (asks),
    .set_o       (set),
    .set_ready_i,
    .set_error_i,
    .aged_o      (aged),
    .aged_ring_o (aged_ring),
    .aged_rank_o (aged_rank)
  );

  // ---------------------------------------------------------------------------------------------
  // Time: a unit ends each fourth cycle, a period with as many units as are set, and none if that
  // is zero.

  logic        started_q;
  logic [2:0]  cycle_q;    // of the unit, from 1 on
  logic [31:0] units_q;    // that are over
  logic        unit, due;
  initial started_q = 1'b0;
  assign unit = cycle_q == 3'd4;
  assign due  = Used != 0 && unit && limit_i != '0 && 33'(units_q) + 33'd1 >= 33'(limit_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    cycle_q   <= unit ? 3'd1 : cycle_q + 3'd1;
    if (due || limit_i == '0 || Used == 0) units_q <= '0;
    else if (unit) units_q <= units_q + 32'd1;
    if (!rst_ni) {cycle_q, units_q} <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // One row: its ring's and rank's connection is known, it was seen since the last look, and its
  // entry. What comes in is taken down a cycle later.

  logic [RowW-1:0]  one_q;
  logic             second_q, known_q, used_q, flushed, seen, learn, retired, purged;
  logic [ConnW-1:0] entry_q;
  conn_seen_t       seen_q;
  initial second_q = 1'b0;
  // What was, in the last cycle.
  logic [2:0]       was_q;
  logic             after_q, soft_q, sweep_q, next_q, ready_q, error_q, answered_q, hit_q, came_q;
  logic [2:1]       known_then_q, used_then_q;   // one and two cycles ago
  logic [2:1][ConnW-1:0] entry_then_q;
  logic [RowW-1:0]  row_q, place_q;
  conn_set_t        wanted_q, set_q;
  logic [31:0]      purges_q;   // rows that software's entry was looked for in

  always_comb begin
    seen    = seen_q.valid && RowW'({seen_q.ring, seen_q.rank[RankIdxW-1:0]}) == one_q;
    learn   = rings_i[one_q>>RankIdxW].learn;
    flushed = flush_i && 32'(flush_ring_i) == 32'(one_q) >> RankIdxW;
    retired = aged && u_dut.row_q == one_q;
    purged  = hit_q && was_q == InPurge;
  end

  always_ff @(posedge clk_i) begin
    if (!started_q) one_q <= one_i;
    second_q <= started_q;
    seen_q       <= seen_i;
    seen_q.valid <= Used != 0 && rst_ni && seen_i.valid;
    // The latest first: a flush, a packet, and who is retired. A packet that is taken down as its
    // row is looked for is not forgotten with the entry that stood there in front of it.
    if (!rst_ni || flushed) known_q <= 1'b0;
    else if (seen) known_q <= learn;
    else if (retired || purged) known_q <= 1'b0;
    // At first they are anything.
    if (!second_q) begin
      used_q  <= u_dut.used_q[one_q];
      entry_q <= u_dut.u_entries.mem[one_q];
    end
    if (seen) used_q <= 1'b1;
    else if (u_dut.state_q == InLook && u_dut.row_q == one_q) used_q <= 1'b0;
    if (seen) entry_q <= seen_q.conn;
  end

  always_ff @(posedge clk_i) begin
    after_q      <= rst_ni && started_q;
    was_q        <= u_dut.state_q;
    soft_q       <= soft_valid_i;
    wanted_q     <= soft_i;
    set_q        <= set;
    sweep_q      <= u_dut.sweep_q;
    next_q       <= due;
    ready_q      <= set_ready_i;
    error_q      <= set_error_i;
    answered_q   <= soft_ready;
    row_q        <= u_dut.row_q;
    place_q      <= u_dut.purge_q;
    // As it is read: a flush in that cycle counts, a packet does not.
    known_then_q <= {known_then_q[1], known_q && !flushed};
    used_then_q  <= {used_then_q[1], used_q};
    entry_then_q <= {entry_then_q[1], entry_q};
    // Software's entry is that of the row that is followed, which is looked for it now.
    came_q       <= seen;
    hit_q        <= rst_ni && u_dut.state_q == InPurge && u_dut.purge_q == one_q &&
        entry_q == set.index && !seen;
    purges_q     <= (u_dut.state_q == InPurge) ? purges_q + 32'd1 : '0;
    if (!rst_ni) {was_q, purges_q} <= '0;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  logic moves;   // on to the next row
  assign moves = (was_q == InLook && !asks) || (was_q == InAsk && ready_q);

  always_ff @(posedge clk_i) begin
    // What is remembered of a row is what came of it last, whatever reset does (helps the proof).
    a_known : assert (!second_q || (u_dut.used_q[one_q] == used_q && u_dut.seen_q == seen_q &&
                                    (Used == 0 || u_dut.u_entries.mem[one_q] == entry_q)))
    else $error("row %0d", one_q);
    if (rst_ni) begin
      if (!after_q) begin
        // Behind a reset nothing is asked for, and the first row is the next.
        a_rests : assert (u_dut.state_q == InIdle && !u_dut.sweep_q && u_dut.row_q == '0)
        else $error("state %0d, row %0d", u_dut.state_q, u_dut.row_q);
      end else begin
        // A look at all rows begins when a period ends, and ends with the last row; one that would
        // begin then is left out.
        a_sweep : assert (u_dut.sweep_q == ((sweep_q || next_q) &&
                          !(moves && 32'(row_q) == Rows - 1)))
        else $error("look %b", u_dut.sweep_q);
        // Rows are looked at in their order, each when the one in front is done.
        a_next : assert (u_dut.row_q == (!moves ? row_q :
                         (32'(row_q) == Rows - 1) ? RowW'(0) : row_q + RowW'(1)))
        else $error("row %0d behind %0d", u_dut.row_q, row_q);
        // Software comes first, then a row; else nothing happens.
        a_begins : assert (was_q != InIdle ||
            u_dut.state_q == (soft_q ? InSoft : sweep_q ? InRead : InIdle))
        else $error("state %0d", u_dut.state_q);
        // A row is read and a cycle later looked at. Its connection is to be retired if it is
        // known and was not seen.
        a_looks : assert ((was_q != InRead || u_dut.state_q == InLook) &&
            (was_q != InLook || u_dut.state_q == (asks ? InAsk : InIdle)))
        else $error("state %0d", u_dut.state_q);
        // A request to retire stands until it is answered.
        a_asks : assert (was_q != InAsk || u_dut.state_q == (ready_q ? InIdle : InAsk))
        else $error("state %0d", u_dut.state_q);
        // So does software's; if it has retired an entry that is looked for in all rows.
        a_soft : assert (was_q != InSoft || u_dut.state_q == (!ready_q ? InSoft :
            (set_q.act == ConnRetire && !error_q) ? InPurge : InIdle))
        else $error("state %0d", u_dut.state_q);
        // A row a cycle, from the first to the last, and two cycles more.
        a_purge : assert ((was_q != InPurge ||
                           u_dut.state_q == ((purges_q == Rows) ? InDone : InPurge)) &&
                          (was_q != InDone || u_dut.state_q == (answered_q ? InIdle : InDone)) &&
                          (u_dut.state_q != InPurge || 32'(u_dut.purge_q) == purges_q))
        else $error("state %0d behind %0d rows", u_dut.state_q, purges_q);
        // What is asked for is what software wanted as it began, all of it; for a row, to retire.
        a_set : assert (was_q == InIdle ? set == wanted_q :
            (set.act == (was_q == InLook ? ConnRetire : set_q.act) &&
             (was_q == InLook || set.index == set_q.index) &&
             {set.key, set.ring, set.rank, set.elsewhere} ==
             {set_q.key, set_q.ring, set_q.rank, set_q.elsewhere}))
        else $error("another request");
        // Of the row that is followed: it is asked for if it was known and not seen as it was read,
        // and then by the entry that it had.
        a_row : assert (was_q != InLook || row_q != one_q ||
                        (asks == (known_then_q[2] && !used_then_q[2]) &&
                         (!asks || set.index == entry_then_q[2])))
        else $error("row %0d: %b for entry %0d", row_q, asks, set.index);
      end
      // Software is answered when the table has answered it, or if that has retired its entry, when
      // all rows have been looked at for it.
      a_answer : assert (soft_ready == (u_dut.state_q == InSoft ?
          set_ready_i && (set.act != ConnRetire || set_error_i) :
          u_dut.state_q == InDone && was_q == InDone))
      else $error("answered %b", soft_ready);
      // That the table refuses is the only error.
      a_error : assert (soft_error == (u_dut.state_q == InSoft && set_error_i))
      else $error("error %b", soft_error);
      // Who watches is told of each row's connection that the table has retired, by ring and rank.
      a_aged : assert (aged == (u_dut.state_q == InAsk && set_ready_i && !set_error_i) &&
                       (!aged || (32'(aged_ring) == 32'(u_dut.row_q) >> RankIdxW &&
                                  32'(aged_rank) == 32'(u_dut.row_q) % (32'd1 << RankIdxW))))
      else $error("aged %b: ring %0d, rank %0d", aged, aged_ring, aged_rank);
      // Time is counted as it is here (helps the proof).
      a_time : assert (u_dut.units_q == units_q && u_dut.unit_q == unit &&
                       cycle_q <= 3'd4 && 2'(cycle_q) == u_dut.cycles_q && (!after_q ||
                       cycle_q != '0))
      else $error("%0d units", units_q);
      // So is what is known, and what is on its way (helps the proof).
      a_way : assert (u_dut.known_q[one_q] == known_q &&
          (Used != 0 || !(known_q || u_dut.sweep_q)) &&
          (!(u_dut.state_q inside {InRead, InLook, InAsk}) || u_dut.sweep_q) &&
          u_dut.purging_q == (was_q == InPurge) &&
          (u_dut.state_q != InDone || was_q inside {InPurge, InDone}) &&
          (u_dut.state_q != InLook || (was_q == InRead && u_dut.row_q == row_q)) &&
          (!u_dut.purging_q || u_dut.purged_q == place_q))
      else $error("row %0d is on its way", row_q);
      // And what is read of the row that is followed (helps the proof).
      a_read : assert (!second_q || Used == 0 ||
          ((u_dut.state_q != InLook || row_q != one_q ||
            (u_dut.known_now_q == known_then_q[1] && u_dut.used_now_q == used_then_q[1] &&
             u_dut.entry == entry_then_q[1])) &&
           (!u_dut.purging_q || place_q != one_q || u_dut.entry == entry_then_q[1]) &&
           (!u_dut.purging_q ||
            hit_q == (place_q == one_q && entry_then_q[1] == set.index && !came_q))))
      else $error("another row");
      // Software is answered; a row's connection is retired; software's retired entry is found; a
      // flush beats a packet.
      c_soft : cover (soft_ready && set.act == ConnRetire && !soft_error);
      c_aged : cover (aged && u_dut.row_q == one_q && u_dut.row_q != '0);
      c_purged : cover (purged && known_q);
      c_flushed : cover (flushed && seen && known_q && learn);
    end
  end

endmodule
