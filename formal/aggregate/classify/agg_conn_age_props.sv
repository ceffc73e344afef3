// agg_conn_age: who is retired because of age is a connection of the (ring, rank) that it is said
// to be of, whatever has become of its entry in between; requests keep the rules of look-up's port.
// Beside it stands a table of entries, as far as it matters here.
module agg_conn_age_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Rings and ranks.
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumRanks = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [1:0]       limit_i,
  input logic [1:0]       learn_i,
  input logic             seen_valid_i,
  input logic             seen_ring_i,
  input logic             seen_rank_i,
  input logic [1:0]       seen_conn_i,
  input logic             flush_i,
  input logic             flush_ring_i,
  input logic             soft_valid_i,
  input logic [1:0]       soft_act_i,
  input logic [1:0]       soft_index_i,
  input logic             set_ready_i,
  input logic             set_error_i,
  // The entry and owner of what software registers.
  input logic [1:0]       given_i,
  input logic [1:0]       owner_i
);

  logic                 started_q;
  ring_t [NumRings-1:0] rings;
  conn_seen_t           seen;
  conn_set_t            asked, set, set_q;
  logic                 soft_ready, soft_error, set_valid, aged;
  logic [RingW-1:0]     aged_ring;
  logic [RankW-1:0]     aged_rank;

  initial started_q = 1'b0;

  always_comb begin
    rings = '0;
    for (int unsigned g = 0; g < NumRings; g++) rings[g].learn = learn_i[g];
    asked       = '0;
    asked.act   = conn_act_e'(soft_act_i);
    asked.index = ConnW'(soft_index_i);
  end
  assign seen = '{valid: seen_valid_i, ring: RingW'(seen_ring_i), rank: RankW'(seen_rank_i),
                  conn: ConnW'(seen_conn_i)};

  agg_conn_age #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .UnitLog2(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .limit_i     (32'(limit_i)),
    .rings_i     (rings),
    .seen_i      (seen),
    .flush_i,
    .flush_ring_i(RingW'(flush_ring_i)),
    .soft_valid_i,
    .soft_i      (asked),
    .soft_ready_o(soft_ready),
    .soft_error_o(soft_error),
    .set_valid_o (set_valid),
    .set_o       (set),
    .set_ready_i,
    .set_error_i,
    .aged_o      (aged),
    .aged_ring_o (aged_ring),
    .aged_rank_o (aged_rank)
  );

  // ---------------------------------------------------------------------------------------------
  // Entries that are alive, and of which ring and rank.

  logic [3:0]      used_q;
  logic [3:0][1:0] owner_q;
  logic [1:0]      row, index;
  logic            others, owns;   // a row of a packet, or of a registration, has another entry
  logic            set_waits_q, soft_waits_q, passed_q;   // the table has answered software
  conn_set_t       soft_q;
  // Cycles of a request, at most 6, and without a packet, at most 3; and of those behind a flush
  // how many of 6 are left.
  logic [2:0]      quiet_set_q;
  logic [1:0]      quiet_seen_q;
  logic [2:0]      flushed_q;

  assign row   = {seen_ring_i, seen_rank_i};
  assign index = 2'(set.index);
  always_comb begin
    others = 1'b0;
    owns   = 1'b0;
    for (int unsigned e = 0; e < 4; e++) begin
      if (used_q[e] && owner_q[e] == row && seen_conn_i != 2'(e)) others = 1'b1;
      if (used_q[e] && owner_q[e] == owner_i) owns = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q    <= 1'b1;
    set_waits_q  <= rst_ni && set_valid && !set_ready_i;
    set_q        <= set;
    soft_waits_q <= rst_ni && soft_valid_i && !soft_ready;
    soft_q       <= asked;
    passed_q     <= rst_ni && !soft_ready &&
        (passed_q || (u_dut.state_q == 3'd4 && set_ready_i));
    quiet_set_q  <= !set_valid ? '0 : (quiet_set_q == 3'd6) ? quiet_set_q : quiet_set_q + 3'd1;
    quiet_seen_q <= seen_valid_i ? '0 : (quiet_seen_q == '1) ? quiet_seen_q : quiet_seen_q + 2'd1;
    flushed_q    <= flush_i ? 3'd6 : (flushed_q == '0) ? '0 : flushed_q - 3'd1;
    if (seen_valid_i) begin
      used_q[seen_conn_i]  <= 1'b1;
      owner_q[seen_conn_i] <= row;
    end
    if (set_valid && set_ready_i && !set_error_i) begin
      if (set.act == ConnRetire) used_q[index] <= 1'b0;
      if (set.act == ConnRegister) begin
        used_q[given_i]  <= 1'b1;
        owner_q[given_i] <= owner_i;
      end
    end
    for (int unsigned e = 0; e < 4; e++) begin
      if (flush_i && owner_q[e][1] == flush_ring_i) used_q[e] <= 1'b0;
    end
    if (!rst_ni) {quiet_set_q, quiet_seen_q, flushed_q, used_q} <= '0;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Look-up answers what is asked, some cycles after the last packet inside; it retires nobody
      // who is not there, and registers in a free entry who has none.
      e_answer : assume (!set_ready_i || (set_valid && quiet_seen_q == '1 && !seen_valid_i &&
          (set_error_i || (set.act == ConnRetire ? used_q[index] :
           set.act != ConnRegister || (!used_q[given_i] && !owns)))));
      // Software's request stays until it is answered.
      e_soft : assume (!soft_waits_q || (soft_valid_i && asked == soft_q));
      // A ring's rank has one connection, which keeps its entry, and no other has that.
      e_entry : assume (!seen_valid_i || (!others &&
          (!used_q[seen_conn_i] || owner_q[seen_conn_i] == row)));
      // While a connection is to be retired no packet comes through, but for those inside; a flush
      // waits for these, and the first one behind it needs some cycles.
      e_inside : assume (!(seen_valid_i && quiet_set_q == 3'd6) || set.act == ConnRegister);
      e_later : assume (!seen_valid_i || flushed_q == '0);
      e_flush : assume (!flush_i || (quiet_seen_q == '1 && !seen_valid_i && !set_ready_i));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is remembered of a row is its connection, or software has retired that and its row is yet
  // to be looked for. While a row's connection is to be retired it has its entry, or was flushed
  // since it was looked at, and nobody can have come in since.

  logic [3:0] right;
  logic       asks_right;

  always_comb begin
    for (int unsigned w = 0; w < 4; w++) begin
      logic [1:0] of;
      of       = 2'(u_dut.u_entries.mem[w]);
      right[w] = !u_dut.known_q[w] || (32'(u_dut.u_entries.mem[w]) < 4 && used_q[of] &&
                                       owner_q[of] == 2'(w)) ||
          (u_dut.u_entries.mem[w] == u_dut.set_q.index && u_dut.set_q.act == ConnRetire &&
           ((u_dut.state_q == 3'd5 && 2'(w) >= 2'(u_dut.purge_q)) ||
            (u_dut.purging_q && 2'(w) == 2'(u_dut.purged_q))));
    end
    asks_right = u_dut.state_q != 3'd3 || (u_dut.set_q.act == ConnRetire &&
        32'(u_dut.set_q.index) < 4 &&
        (used_q[index] ? owner_q[index] == u_dut.row_q :
         4'(quiet_set_q) + 4'(flushed_q) >= 4'd6));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Rows are right (helps the proof).
      a_rows : assert (right == '1 && asks_right && u_dut.asks_q == (u_dut.state_q == 3'd3 ||
          u_dut.state_q == 3'd4) && u_dut.state_q != 3'd7 && (!u_dut.purging_q ||
           u_dut.state_q == 3'd5 || u_dut.state_q == 3'd6) &&
          (!(u_dut.state_q inside {3'd5, 3'd6}) || u_dut.set_q.act == ConnRetire))
      else $error("rows %b", right);
      // While software's request is at the table it stands there as software made it (helps the
      // proof).
      a_passes : assert ((u_dut.state_q != 3'd4 || (soft_waits_q && set == soft_q)) &&
          (!(u_dut.state_q inside {3'd5, 3'd6}) || (soft_waits_q && passed_q)))
      else $error("state %0d", u_dut.state_q);
      // A request stays as it is until the table answers: what look-up began for it stays right.
      a_claim : assert (!set_waits_q || (set_valid && set == set_q))
      else $error("a request changes");
      // Software is answered once, by the table's answer to its own request.
      a_soft : assert (!soft_ready || (soft_valid_i && (passed_q ||
          (u_dut.state_q == 3'd4 && set_ready_i && set == asked && soft_error == set_error_i))))
      else $error("software gets another one's answer");
      // Who is retired because of age is a connection of that ring and rank: never one that has
      // been given the entry since.
      a_own : assert (!aged || (used_q[index] && RingW'(owner_q[index][1]) == aged_ring &&
          RankW'(owner_q[index][0]) == aged_rank))
      else $error("another connection is retired");
      // A connection is retired because of age.
      c_aged : cover (aged);
      // Software retires one.
      c_soft : cover (soft_ready && asked.act == ConnRetire && !soft_error);
    end
  end

endmodule
