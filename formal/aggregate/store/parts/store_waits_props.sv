// agg_store: whether a decided packet waits for its bank, as one counts who sees the decisions of
// each rank, the port at the head of its queue ask, and banks given back. (agg_store_props has what
// is written, and who may.)
module store_waits_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2
) (
  input logic                                     clk_i,
  input logic                                     rst_ni,
  input logic                                     verdict_valid_i,
  input verdict_t                                 verdict_i,
  input logic        [NumPorts-1:0]               want_i,
  input logic        [NumPorts-1:0][NumRanks-1:0] bank_i,
  input logic        [NumPorts-1:0][NumRanks-1:0] release_i,
  input logic        [NumPorts-1:0]               write_valid_i,
  input logic        [NumPorts-1:0][RankW-1:0]    write_rank_i,
  input bank_write_t [NumPorts-1:0]               write_i
);

  logic waits;

  agg_store #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Hand    (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .verdict_valid_i,
    .verdict_i,
    .want_i,
    .bank_i,
    .grant_o     (),
    .release_i,
    .write_valid_i,
    .write_rank_i,
    .write_i,
    .write_bad_i ('0),
    .bank_we_o   (),
    .bank_write_o(),
    .bank_bad_o  (),
    .waits_o     (waits)
  );

  // Of each rank: packets that are decided and not done, and whether one of them has the bank.
  logic [NumRanks-1:0][3:0] open_q;
  logic [NumRanks-1:0]      has_q, more, takes, gives, longer, same;
  logic                     written, waited_q, begun_q, past_q;
  initial {begun_q, past_q} = '0;
  assign written = verdict_i.fate == FateStored || verdict_i.fate == FateDuplicate;
  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      more[r]  = verdict_valid_i && written && 32'(verdict_i.rank) == r;
      takes[r] = 1'b0;
      gives[r] = 1'b0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        takes[r] |= u_dut.turn[r][p] && want_i[p] && bank_i[p][r];
        gives[r] |= release_i[p][r];
      end
      longer[r] = open_q[r] > 4'(has_q[r]);
    end
  end
  assign same[0] = 32'(u_dut.gen_rank[0].u_order.count_q) == 32'(open_q[0]) &&
      u_dut.gen_rank[0].u_turn.given_q == has_q[0] && (!has_q[0] || open_q[0] != '0);
  assign same[1] = 32'(u_dut.gen_rank[1].u_order.count_q) == 32'(open_q[1]) &&
      u_dut.gen_rank[1].u_turn.given_q == has_q[1] && (!has_q[1] || open_q[1] != '0);

  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    past_q   <= begun_q && rst_ni;
    waited_q <= |longer;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      open_q[r] <= open_q[r] + 4'(more[r]) - 4'(gives[r]);
      if (gives[r]) has_q[r] <= 1'b0;
      else if (takes[r] && open_q[r] != '0) has_q[r] <= 1'b1;
    end
    if (!rst_ni) {open_q, has_q} <= '0;
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet waits if a cycle ago more of some rank were decided and not done than had its
      // bank.
      a_waits : assert (!past_q || waits == waited_q)
      else $error("waits %b", waits);
      // Queue and grant are as they are counted here (helps the proof).
      a_same : assert (same == '1)
      else $error("%0d, %0d packets", open_q[0], open_q[1]);
      // The second of two waits, of the last rank alone.
      c_second : cover (past_q && waits && open_q[1] == 4'd2 && has_q[1] && open_q[0] == '0);
      // The only one has the bank.
      c_has : cover (past_q && !waits && open_q[1] == 4'd1 && has_q == 2'b10);
    end
  end

endmodule
