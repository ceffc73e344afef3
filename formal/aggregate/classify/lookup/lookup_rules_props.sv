// agg_lookup_rules: the rules of docs/protocol.md on connections, each read by its fate, for
// anything that may be known of a packet. And with what agg_lookup_known says of one: it is stored
// only for a connection that the table has, or gets with it.
module lookup_rules_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// 1: the table may have lost an entry.
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumRings = 2,
  localparam int unsigned NumRanks = 2
) (
  input logic                              clk_i,
  input logic                              valid_i,
  input lookup_known_t                     known_i,
  input logic                              said_i,
  // For what agg_lookup_known says.
  input ring_t [NumRings-1:0]              rings_i,
  input logic  [1:0]                       open_i,
  input lookup_query_t                     req_i,
  input logic                              header_known_i,
  input logic                              header_drop_i,
  input logic                              header_bad_i,
  input logic  [RingW-1:0]                 header_ring_i,
  input logic                              hit_i,
  input logic                              full_i,
  input logic                              lost_i,
  input logic                              retired_i,
  input logic  [ConnW-1:0]                 conn_i,
  input logic  [RingW-1:0]                 ring_i,
  input logic  [RankW-1:0]                 rank_i,
  input logic  [NumRings-1:0][NumRanks-1:0] claimed_i,
  input logic  [2:0]                       front_valid_i,
  input logic  [2:0][ConnW-1:0]            front_conn_i
);

  // What is known of it: anything, or what agg_lookup_known says, which is less.
  lookup_known_t known, said;
  assign known = said_i ? said : known_i;

  agg_lookup_known #(
    .NumPorts (2),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(1),
    .Ecc      (Ecc)
  ) u_known (
    .clk_i,
    .rings_i,
    .columns_i('0),
    .open_i,
    .req_i,
    .header_known_i,
    .header_drop_i,
    .header_bad_i,
    .header_ring_i,
    .hit_i,
    .full_i,
    .lost_i,
    .retired_i,
    .conn_i,
    .ring_i,
    .rank_i,
    .claimed_i,
    .front_valid_i,
    .front_conn_i,
    .known_o  (said)
  );

  fate_e fate;
  logic  accept, learn;

  agg_lookup_rules #(
    .Ecc(Ecc)
  ) u_rules (
    .valid_i,
    .known_i (known),
    .fate_o  (fate),
    .accept_o(accept),
    .learn_o (learn)
  );

  // In the words of docs/protocol.md.
  logic lost;       // nobody can say whether its connection is known
  logic of_ring;    // tagged, with the RingID of an enabled ring
  logic good;       // and its header keeps the ring's rules
  logic nobodys;    // of no ring and of no connection in the table
  logic held;       // of a connection that the table holds, and that is not known
  logic new_one;    // of a connection that may be learned: it is unknown, or retired
  always_comb begin
    lost    = Ecc != 0 && known.lost;
    of_ring = known.req.has_ina && known.header_known;
    good    = of_ring && !known.header_bad;
    nobodys = !of_ring && !known.known && !known.hit;
    held    = !known.known && known.hit;
    new_one = good && !known.known && known.learn && (!known.hit || known.revives);
  end

  always_ff @(posedge clk_i) begin
    // A packet of no ring and of no connection passes if its port is open, but not with the RingID
    // of a ring that drops.
    a_passed : assert ((fate == FatePassed) == (!lost && nobodys && known.open &&
                                                !(known.req.has_ina && known.header_drop)))
    else $error("fate %0d", fate);
    // It is dropped as `closed` otherwise.
    a_closed : assert ((fate == FateClosed) == (!lost && nobodys && (!known.open ||
                                                (known.req.has_ina && known.header_drop))))
    else $error("fate %0d", fate);
    // Of a connection that the table holds, and that is not alive or whose ring is disabled,
    // nothing passes; but with a good header a retired one may begin anew where the ring learns.
    // A bad header is that first.
    a_retired : assert ((fate == FateRetired) ==
                        (!lost && held && !new_one && !(of_ring && known.header_bad)))
    else $error("fate %0d", fate);
    // A header is bad if it breaks a rule of its ring; or on a known connection if it names no
    // enabled ring, or another ring or rank than the connection's; or if the first packet of a
    // known connection has none.
    a_bad_header : assert ((fate == FateBadHeader) == (!lost && ((of_ring && known.header_bad) ||
        (known.known && (known.req.has_ina ? !of_ring || known.mismatch :
                           known.req.starts)))))
    else $error("fate %0d", fate);
    // An unknown connection of a ring that does not learn is `unregistered`.
    a_unregistered : assert ((fate == FateUnregistered) ==
                             (!lost && good && !known.known && !known.hit && !known.learn))
    else $error("fate %0d", fate);
    // Nobody takes a rank that another connection has.
    a_conflict : assert ((fate == FateRankConflict) == (!lost && new_one && known.claimed))
    else $error("fate %0d", fate);
    // A new connection wants a free place; a retired one has its entry.
    a_full : assert ((fate == FateTableFull) == (!lost && new_one && !known.claimed &&
                                                 !known.hit && known.full))
    else $error("fate %0d", fate);
    // What the table has lost neither passes nor is stored.
    a_lost : assert ((fate == FateMemoryError) == lost)
    else $error("fate %0d", fate);
    // A message is sought of two kinds of packets: those of a known connection, tagged ones with a
    // good header of its ring and rank, others in the middle of a message; and of those that begin
    // a connection.
    a_stored : assert ((fate == FateStored) == (!lost && ((known.known && !known.req.has_ina &&
        !known.req.starts) || (known.known && good && !known.mismatch) ||
        (new_one && !known.claimed && (known.hit || !known.full)))))
    else $error("fate %0d", fate);

    // Nothing is accepted that is not there, or whose history a request in front may change yet.
    a_hazard : assert (!accept || (valid_i && !known.hazard))
    else $error("accepted beside another one");
    // All else is, but one that would add a connection waits until it is alone.
    a_accept : assert (!valid_i || known.hazard || accept == (known.req.alone ||
                       !(known.fresh && known.learn && (known.hit || !known.full))))
    else $error("accept %b", accept);
    // A connection is added by a good header of nobody's rank, if the ring learns and there is a
    // place, by a request that is alone and is accepted; by each such one.
    a_learn : assert (learn == (accept && known.req.alone && known.fresh && known.learn &&
                                (known.hit || !known.full)))
    else $error("learn %b", learn);
    // As agg_lookup_known knows it: what is stored is of a known connection, or adds its own; and
    // nothing else adds one.
    a_adds : assert (!accept || !said_i || learn == (fate == FateStored && !known.known))
    else $error("fate %0d, learn %b", fate, learn);

    // Each fate that is not the first one of its kind.
    c_conflict : cover (fate == FateRankConflict && known.hit);
    c_full : cover (fate == FateTableFull && accept);
    c_learn : cover (learn && fate == FateStored && known.hit);
    c_adds : cover (learn && said_i && !hit_i);
  end

endmodule
