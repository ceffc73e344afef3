// agg_slot_forward and agg_slot_ranks: what small parts of slot state's pipeline hand on, for any
// question, at the sizes that are built. (agg_slot_state's proof has them in their places.)
module slot_parts_props
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   read_i,
  input logic [SlotW-1:0]       slot_i,
  input logic [5:1]             match_i,
  input logic [5:1]             pair_i,
  input slot_rec_t              rec_i,
  input ecc_t                   found_i,
  input slot_place_t            place_i,
  input slot_rec_t              rec6_i,
  input slot_place_t            place6_i,
  input logic    [NumPorts-1:0] joined_i,
  input commit_t [NumPorts-1:0] commit_i,
  input slot_op_t               op_i,
  input logic [RankW-1:0]       rank_i   // any
);

  slot_rec_t                      rec4;
  slot_place_t                    place4;
  mem_event_t                     event4;
  logic [MaxRanks-1:0]            ranks4;
  logic [MaxRanks-1:0][PortW-1:0] ports5, ports6;

  agg_slot_forward #(
    .Ecc(1)
  ) u_forward (
    .clk_i,
    .rst_ni,
    .read_i,
    .slot_i,
    .match_i,
    .pair_i,
    .rec_i,
    .found_i,
    .place_i,
    .rec6_i,
    .place6_i,
    .rec4_o     (rec4),
    .place4_o   (place4),
    .mem_event_o(event4)
  );

  agg_slot_ranks #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_ranks (
    .clk_i,
    .joined_i,
    .commit_i,
    .op_i,
    .ranks4_o(ranks4),
    .ports5_o(ports5),
    .ports6_o(ports6)
  );

  logic [5:0] past_q;   // so many cycles have gone by
  initial past_q = '0;
  always_ff @(posedge clk_i) past_q <= {past_q[4:0], 1'b1};

  // What was written, now and one and two cycles ago, and what the operation is to find.
  slot_rec_t   [2:0] wrote;
  slot_rec_t   [1:0] wrote_q;
  slot_place_t [2:0] placed;
  slot_place_t [1:0] placed_q;
  slot_rec_t         find, find_q;
  slot_place_t       place, place_q;
  ecc_t              told_q;
  logic [SlotW-1:0]  slot_q;
  assign wrote  = {wrote_q, rec6_i};
  assign placed = {placed_q, place6_i};
  always_comb begin
    find  = rec_i;
    place = place_i;
    for (int d = 2; d >= 0; d--) begin
      if (match_i[3+d]) find = wrote[d];
      if (pair_i[3+d]) place = placed[d];
    end
  end
  always_ff @(posedge clk_i) begin
    wrote_q  <= wrote[1:0];
    placed_q <= placed[1:0];
    find_q   <= find;
    place_q  <= place;
    slot_q   <= slot_i;
    told_q   <= (rst_ni && read_i && match_i == '0) ? found_i : '0;
  end

  // Of one rank: whether a port shows it as the operation enters, and which; whether the operation
  // is of it, one and two cycles ago, and by which port, up to four.
  logic [RankW-1:0]      rank_q;
  logic                  shown, shown_q, of_rank;
  logic [PortW-1:0]      port, port_q;
  logic [2:1]            of_q;
  logic [4:1][PortW-1:0] by_q;
  always_comb begin
    shown = 1'b0;
    port  = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (joined_i[p] && commit_i[p].rank == rank_q) {shown, port} = {1'b1, PortW'(p)};
    end
  end
  assign of_rank = 32'(rank_q) < NumRanks && ((op_i.op & SlotCommit) != '0 ? shown_q :
                                              op_i.rank == rank_q);
  always_ff @(posedge clk_i) begin
    if (!past_q[0]) rank_q <= rank_i;
    shown_q <= shown;
    port_q  <= port;
    of_q    <= {of_q[1], of_rank};
    by_q    <= {by_q[3:1], (of_rank && (op_i.op & SlotCommit) != '0) ? port_q : PortW'(0)};
  end

  always_ff @(posedge clk_i) begin
    if (past_q[5]) begin
      // An operation finds what the one in front of it on its slot, the nearest of several, is
      // writing or has just written, or else what the RAM has.
      a_record : assert (rec4 == find_q)
      else $error("another record");
      // And of the place of its pair.
      a_place : assert (place4 == place_q)
      else $error("another place");
      // What reading has found is told of what came from the RAM, and of nothing else.
      a_told : assert (event4.found == told_q && event4.at == slot_q)
      else $error("told of slot %0d", event4.at);
      // An operation is of its own rank; commits that are one are of the ranks that their ports
      // show.
      a_rank : assert (ranks4[rank_q] == of_q[2])
      else $error("rank %0d: %b", rank_q, ranks4[rank_q]);
      // The port of each stays with it.
      a_port : assert (ports5[rank_q] == by_q[3] && ports6[rank_q] == by_q[4])
      else $error("ports %0d, %0d", ports5[rank_q], ports6[rank_q]);

      // Two are in front of it; the last port commits.
      c_two : cover (match_i[4] && match_i[5] && !match_i[3]);
      c_last : cover (ranks4[rank_q] && ports5[rank_q] == PortW'(NumPorts - 1));
    end
  end

endmodule
