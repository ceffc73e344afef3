// agg_store: every bank is given to the ports in the order in which slot state decided on packets
// of its rank, to one at a time, and gets exactly what its owner writes, one cycle later.
module agg_store_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
#(
  /// Ports, and ranks.
  parameter int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2,
  /// The rank whose bank is looked at.
  parameter int unsigned Rank = 0,
  /// 1: a port says of a write that it is not to be trusted.
  parameter int unsigned Ecc = 0
) (
  input logic                                   clk_i,
  input logic                                   rst_ni,
  input logic                                   verdict_valid_i,
  input verdict_t                               verdict_i,
  input logic        [NumPorts-1:0]             want_i,
  input logic        [NumPorts-1:0][NumRanks-1:0] bank_i,
  input logic        [NumPorts-1:0][NumRanks-1:0] release_i,
  input logic        [NumPorts-1:0]             write_valid_i,
  input logic        [NumPorts-1:0][RankW-1:0]  write_rank_i,
  input bank_write_t [NumPorts-1:0]             write_i,
  input logic        [NumPorts-1:0]             write_bad_i,
  input logic                                   follow_i
);

  localparam int unsigned Depth = 2 ** $clog2(decided_of(2) * NumPorts);
  localparam int unsigned PlaceW = $clog2(Depth);
  localparam int unsigned CountW = $clog2(Depth + 2);

  logic                       started_q, give_right, places_right, bank_right;
  logic        [NumPorts-1:0] grant;
  logic        [NumRanks-1:0] we, bad;
  bank_write_t [NumRanks-1:0] bank;
  initial started_q = 1'b0;

  agg_store #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .verdict_valid_i,
    .verdict_i,
    .want_i,
    .bank_i,
    .grant_o     (grant),
    .release_i,
    .write_valid_i,
    .write_rank_i,
    .write_i,
    .write_bad_i,
    .bank_we_o   (we),
    .bank_write_o(bank),
    .bank_bad_o  (bad)
  );

  banks_handover #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Hand    (2)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .verdict_valid_i,
    .verdict_i,
    .want_i,
    .bank_i,
    .grant_i  (grant),
    .release_i,
    .give_o   (give_right),
    .places_o (places_right),
    .bank_o   (bank_right)
  );

  // ---------------------------------------------------------------------------------------------
  // One bank, the one of rank `Rank`, and a decision for it: those in front of it, and who owns the
  // bank.

  logic [CountW-1:0]   count, ahead_q;      // decisions for the bank that are not done
  logic                bad_q, follows_q, owned, decided, done, granted;
  logic [PortW-1:0]    owner, port_q, winner;
  logic [NumPorts-1:0] mine, writes_q;
  bank_write_t         write_q;

  assign count   = u_banks.count_q[Rank];
  assign owned   = u_banks.owned_q[Rank];
  assign owner   = u_banks.owner_q[Rank];
  assign decided = u_banks.decided[Rank];
  assign done    = u_banks.done[Rank];
  assign mine    = u_banks.takes[Rank];
  assign granted = mine != '0;

  always_comb begin
    winner = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (mine[p]) winner = PortW'(p);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (decided && follow_i && !follows_q) begin
      follows_q <= 1'b1;
      port_q    <= verdict_i.port;
      ahead_q   <= count - CountW'(done);
    end else if (follows_q && done) begin
      if (ahead_q == '0) follows_q <= 1'b0;
      else ahead_q <= ahead_q - CountW'(1);
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      writes_q[p] <= rst_ni && write_valid_i[p] && write_rank_i[p] == RankW'(Rank);
      if (write_valid_i[p] && write_rank_i[p] == RankW'(Rank)) begin
        write_q <= write_i[p];
        bad_q   <= Ecc != 0 && write_bad_i[p];
      end
    end
    if (!rst_ni) follows_q <= 1'b0;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Only the owner gives a bank back, once.
      e_give : assume (give_right);
      // A port has four packets that are decided and not done, at most; a verdict names a port that
      // there is.
      e_places : assume (places_right);
      // A port asks for one bank.
      e_bank : assume (bank_right);
    end
  end

  logic [PlaceW-1:0] at;
  assign at = u_dut.gen_rank[Rank].u_order.read_q + PlaceW'(ahead_q);

  logic [Depth-1:0] one_port;   // places of the queue that are empty, or name one port
  always_comb begin
    for (int unsigned i = 0; i < Depth; i++) begin
      one_port[i] = CountW'(PlaceW'(PlaceW'(i) - u_dut.gen_rank[Rank].u_order.read_q)) >= count ||
          $onehot(u_dut.gen_rank[Rank].u_order.mem_q[i]);
    end
  end

  logic [NumPorts-1:0] rests;   // ports that have nothing in the bank's registers
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      rests[p] = u_dut.gen_rank[Rank].held_q[p] || u_dut.gen_rank[Rank].write_q[p] == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The register of a port that wrote nothing in the cycle before is clear (helps the proof).
      a_rests : assert (rests == '1)
      else $error("ports %b", rests);
      // One port at a time takes a bank.
      a_one : assert ($onehot0(mine) && !(granted && owned))
      else $error("grants %b", grant);
      // A bank goes to the port whose packet was decided first: headers in it are those of the
      // latest decision.
      a_order : assert (!(granted && follows_q && ahead_q == '0) || winner == port_q)
      else $error("port %0d instead of %0d", winner, port_q);
      // A bank is granted for decided packets only.
      a_decided : assert (!granted || count != '0)
      else $error("granted without a decision");
      // The port whose turn it is gets the bank at once when it asks.
      a_prompt : assert (!(follows_q && ahead_q == '0 && !owned && want_i[port_q[0]] &&
                           bank_i[port_q[0]][Rank]) || mine[port_q[0]])
      else $error("port %0d waits", port_q);
      // What is written to a bank is what a port writes there, a cycle later, unchanged.
      a_write : assert (we[Rank] == (writes_q != '0) && (!we[Rank] || bank[Rank] == write_q))
      else $error("slot %0d", bank[Rank].slot);
      // A bank is told with a write whether its port trusts it.
      a_bad : assert (!we[Rank] || bad[Rank] == bad_q)
      else $error("trusted %b", bad[Rank]);
      // Decisions are in the queue (helps the proof).
      a_queue : assert (count == CountW'(u_dut.gen_rank[Rank].u_order.count_q) &&
          PlaceW'(u_dut.gen_rank[Rank].u_order.write_q - u_dut.gen_rank[Rank].u_order.read_q) ==
          count[PlaceW-1:0] && owned == u_dut.gen_rank[Rank].u_turn.given_q &&
          (!owned || count != '0) &&
          (!owned || (32'(owner) < NumPorts)) && 32'(count) <= Depth)
      else $error("%0d decisions", count);
      a_followed : assert (!follows_q || (ahead_q < count && 32'(port_q) < NumPorts &&
          u_dut.gen_rank[Rank].u_order.mem_q[at] == NumPorts'(1) << port_q))
      else $error("lost");
      // Entries of the queue name one port each (helps the proof).
      a_one_port : assert (one_port == '1)
      else $error("entries %b", one_port);
      // What the queue shows is its oldest entry (helps the proof).
      a_head : assert (count == '0 || u_dut.gen_rank[Rank].head ==
                       u_dut.gen_rank[Rank].u_order.mem_q[u_dut.gen_rank[Rank].u_order.read_q])
      else $error("shows %b", u_dut.gen_rank[Rank].head);
      // Two decisions for a bank wait for the third.
      c_turn : cover (granted && follows_q && ahead_q == '0 && count == CountW'(3) &&
          winner == PortW'(1));
    end
  end

endmodule
