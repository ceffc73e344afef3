// agg_lookup_header, agg_lookup_known and agg_lookup_set: what is said of a packet's header, what
// is known of its connection and its ring, and when and how a registration is answered, for any
// question.
module lookup_parts_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
  import agg_timing_pkg::*;
#(
  /// 1: the table may have lost an entry, and answers a cycle later.
  parameter int unsigned Ecc = 1,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 1,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0,
  localparam int unsigned NumPorts = 3,
  localparam int unsigned NumRanks = 3,
  localparam int unsigned NumRings = 4,
  localparam int unsigned NumConns = 4,
  localparam int unsigned MaxWindow = 4,
  localparam int unsigned RingIdxW = $clog2(NumRings)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  // Any ring of a device, any rank and port.
  input logic  [RingIdxW-1:0]               any_ring_i,
  input logic  [RankW-1:0]                  any_rank_i,
  input logic  [PortW-1:0]                  any_port_i,
  input ring_t [NumRings-1:0]               rings_i,
  input logic  [NumRings-1:0]               columns_i,
  input logic  [NumPorts-1:0]               open_i,
  input ina_t                               ina1_i,
  input ina_t                               ina2_i,
  input lookup_query_t                      req_i,
  input logic                               header_known_i,
  input logic                               header_drop_i,
  input logic                               header_bad_i,
  input logic  [RingW-1:0]                  header_ring_i,
  input logic                               hit_i,
  input logic                               full_i,
  input logic                               lost_i,
  input logic                               retired_i,
  input logic  [ConnW-1:0]                  conn_i,
  input logic  [RingW-1:0]                  ring_i,
  input logic  [RankW-1:0]                  rank_i,
  input logic  [NumRings-1:0][NumRanks-1:0] claimed_i,
  input logic  [2:0]                        front_valid_i,
  input logic  [2:0][ConnW-1:0]             front_conn_i,
  input logic                               set_valid_i,
  input conn_set_t                          set_i,
  input logic                               empty_i,
  input logic                               flush_i,
  input logic                               walks_i,
  input logic  [RingW-1:0]                  walks_ring_i,
  input logic                               alive_i
);

  logic             header_known, header_drop, header_bad;
  logic [RingW-1:0] header_ring;
  lookup_known_t    known;
  logic             ready, error, asks, query, writes, retires, releases, act;

  agg_lookup_header #(
    .NumRings(NumRings),
    .Without (Without)
  ) u_header (
    .clk_i,
    .rings_i,
    .ina1_i,
    .ina2_i,
    .known_o(header_known),
    .drop_o (header_drop),
    .ring_o (header_ring),
    .bad_o  (header_bad)
  );

  agg_lookup_known #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(MaxWindow),
    .Ecc      (Ecc),
    .Spine    (Spine)
  ) u_known (
    .clk_i,
    .rings_i,
    .columns_i,
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
    .known_o(known)
  );

  agg_lookup_set #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns),
    .Ecc     (Ecc)
  ) u_set (
    .clk_i,
    .rst_ni,
    .conn_set_valid_i(set_valid_i),
    .conn_set_ready_o(ready),
    .conn_set_i      (set_i),
    .conn_set_error_o(error),
    .empty_i,
    .flush_i,
    .walks_i,
    .walks_ring_i,
    .asks_o   (asks),
    .query_o  (query),
    .write_o  (writes),
    .retire_o (retires),
    .release_o(releases),
    .act_o    (act),
    .hit_i,
    .full_i,
    .lost_i,
    .alive_i,
    .retired_i,
    .claimed_i
  );

  // The ring, rank and port that are followed.
  logic [RingIdxW-1:0] g_q;
  logic [RankW-1:0]    k_q;
  logic [PortW-1:0]    p_q;
  ring_t               ring;
  ring_t               ring_q;   // as it was in the cycle before
  logic [7:0]          past_q;   // so many cycles have gone by
  initial past_q = '0;
  assign ring = rings_i[g_q];
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[6:0], 1'b1};
    if (!past_q[0]) {g_q, k_q, p_q} <= {any_ring_i, any_rank_i, any_port_i};
    ring_q <= ring;
  end

  // ---------------------------------------------------------------------------------------------
  // The header. Two cycles ago: which rings had its RingID, enabled or dropping; a cycle ago: the
  // header keeps the rules of the ring that is followed.

  logic [NumRings-1:0]      enabled, drops;
  logic [1:0][NumRings-1:0] enabled_q, drops_q;
  logic                     type_there, op_there, fits, keeps_q;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      enabled[g] = rings_i[g].id == ina1_i.ring && rings_i[g].enable;
      drops[g]   = rings_i[g].id == ina1_i.ring && rings_i[g].drop;
    end
    case (ina2_i.kind[3:0])
      TypeFp32:  type_there = !Without[WithoutFp32];
      TypeFp16:  type_there = !Without[WithoutFp16];
      TypeBf16:  type_there = !Without[WithoutBf16];
      TypeInt32: type_there = !Without[WithoutInt32];
      default:   type_there = 1'b0;
    endcase
    case (ina2_i.kind[7:4])
      OpSum:        op_there = 1'b1;
      OpMin, OpMax: op_there = !Without[WithoutMinMax];
      default:      op_there = 1'b0;
    endcase
    fits = ina2_i.msglen > 16'd0 && ina2_i.msglen <= 16'(ring.stride);
  end
  always_ff @(posedge clk_i) begin
    enabled_q <= {enabled_q[0], enabled};
    drops_q   <= {drops_q[0], drops};
    keeps_q   <= type_there && op_there && fits && ina2_i.workers == 16'(ring.workers) &&
        ina2_i.rank < 8'(ring.workers);
  end

  always_ff @(posedge clk_i) begin
    if (past_q[1]) begin
      // An enabled ring has its RingID, or one that drops.
      a_header_known : assert (header_known == (enabled_q[1] != '0) &&
                               header_drop == (drops_q[1] != '0))
      else $error("known %b, drop %b", header_known, header_drop);
      // No ring in front of the one that is named has it as well; of those that drop only if none
      // is enabled.
      a_first : assert (!enabled_q[1][g_q] || header_ring <= RingW'(g_q))
      else $error("ring %0d", header_ring);
      a_first_drop : assert (enabled_q[1] != '0 || !drops_q[1][g_q] || header_ring <= RingW'(g_q))
      else $error("ring %0d", header_ring);
      // And the one that is named has it.
      a_named : assert (header_ring != RingW'(g_q) || (!header_known && !header_drop) ||
                        (header_known ? enabled_q[1][g_q] : drops_q[1][g_q]))
      else $error("ring %0d", header_ring);
      // It is a ring of the device, the first one if there is none.
      a_exists : assert (32'(header_ring) < NumRings &&
                         (header_known || header_drop || header_ring == '0))
      else $error("ring %0d", header_ring);
      // A header is good for the ring that is named: its rank is one of the ring's workers, of
      // which it knows the number; its message is not empty, and no longer than the ring allows;
      // its type and its operation are there, and this device has them.
      a_bad : assert (header_ring != RingW'(g_q) || header_bad == !keeps_q)
      else $error("bad %b", header_bad);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is known.

  logic counts;   // the ring that is followed is the one that counts
  logic near;     // a request in front is of the same entry
  assign counts = (req_i.has_ina ? header_ring_i[RingIdxW-1:0] : ring_i[RingIdxW-1:0]) == g_q;
  always_comb begin
    near = 1'b0;
    for (int unsigned f = 0; f < ((Ecc != 0) ? 3 : 2); f++) begin
      if (front_valid_i[f] && front_conn_i[f] == conn_i) near = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q[1]) begin
      // What came with the request, what its header says and what the table says stays as it is.
      a_as_it_came : assert (known.req == req_i && {known.header_known, known.header_drop,
          known.header_bad} == {header_known_i, header_drop_i, header_bad_i} &&
          {known.hit, known.full} == {hit_i, full_i} &&
          {known.conn, known.rank} == {conn_i, rank_i})
      else $error("another request");
      // The header's ring counts if there is a header, else that of the connection.
      a_ring : assert (known.ring == (req_i.has_ina ? header_ring_i : ring_i))
      else $error("ring %0d", known.ring);
      // Its registers go with the request.
      a_registers : assert (!counts || {known.learn, known.workers, known.window_log2,
          known.stride, known.base} == {ring.learn, ring.workers, ring.window_log2, ring.stride,
                                        ring.base})
      else $error("registers of another ring");
      // Of a window of N = 2^w messages the low w + 1 bits of a MsgID say which of 2N places is
      // the message's, as the window was in the cycle before.
      a_mask : assert (!counts || (known.mask[k_q[2:0]] ==
          (32'(k_q[2:0]) <= 32'(ring_q.window_log2) && 32'(k_q[2:0]) < $clog2(2 * MaxWindow))) ||
          k_q[2:0] == 3'd7)
      else $error("mask %b", known.mask);
      // Packets say which column they are of if they do in that ring.
      a_columns : assert (!counts || known.columns == (Spine != 0 && columns_i[g_q]))
      else $error("columns %b", known.columns);
      // A connection is known if the table has it, not retired, and its own ring is enabled.
      a_known : assert (ring_i[RingIdxW-1:0] != g_q ||
                        known.known == (hit_i && !retired_i && ring.enable))
      else $error("known %b", known.known);
      // A retired one may be brought back.
      a_revives : assert (known.revives == (hit_i && retired_i))
      else $error("revives %b", known.revives);
      // The header is of the connection if both say the same ring and the same rank.
      a_mismatch : assert (known.mismatch ==
                           !(ring_i == header_ring_i && req_i.ina.rank == {4'd0, rank_i}))
      else $error("mismatch %b", known.mismatch);
      // A rank that the device has is claimed if one of the pairs (ring, rank) that are; no other
      // one is.
      a_claimed : assert (header_ring_i[RingIdxW-1:0] != g_q || req_i.ina.rank != 8'(k_q) ||
                          known.claimed == (32'(k_q) < NumRanks && claimed_i[g_q][k_q[1:0]]))
      else $error("claimed %b", known.claimed);
      a_unclaimed : assert (!known.claimed || 32'(req_i.ina.rank) < NumRanks)
      else $error("rank %0d is claimed", req_i.ina.rank);
      // A port is open that is one of the device and said to be.
      a_open : assert (req_i.port != p_q ||
                       known.open == (32'(p_q) < NumPorts && open_i[p_q[1:0]]))
      else $error("port %0d: %b", p_q, known.open);
      // A request in front that is of its entry may change its history.
      a_hazard : assert (known.hazard == (hit_i && near))
      else $error("hazard %b", known.hazard);
      // What the table has lost, it says, if it can lose anything.
      a_lost : assert (known.lost == (Ecc != 0 && lost_i))
      else $error("lost %b", known.lost);
      // A good header of nobody's rank on a connection that is not alive is a fresh one.
      a_fresh : assert (known.fresh == (req_i.has_ina && known.header_known && !known.header_bad &&
                                        !known.claimed && !known.lost && (!hit_i || retired_i)))
      else $error("fresh %b", known.fresh);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A registration.

  // Cycles in which the table must have been asked, without a flush: the hash and the key are in
  // their registers, the table answers, the answer is looked at.
  localparam int unsigned Wait = 3 + ConnAnswer + Ecc;
  logic [Wait-1:0] asked_q;
  logic            clear, walked_q, good, good_q;
  conn_act_e       act_q;
  logic            others_q;   // another pair than the one that is followed
  assign clear = 32'(set_i.ring) < NumRings && 32'(set_i.rank) < NumRanks &&
      !(g_q == set_i.ring[RingIdxW-1:0] && k_q == set_i.rank && claimed_i[g_q][k_q[1:0]]);
  assign good = (set_i.act == ConnRegister) ?
          !hit_i && !full_i && !(Ecc != 0 && lost_i) && clear :
      32'(set_i.index) < NumConns && ((set_i.act == ConnRetire && alive_i) ||
                                      (set_i.act == ConnRelease && retired_i));
  always_ff @(posedge clk_i) begin
    asked_q  <= {asked_q[Wait-2:0], rst_ni && query && !flush_i && !ready};
    walked_q <= walks_i && walks_ring_i == set_i.ring && set_i.act == ConnRegister;
    good_q   <= good;
    act_q    <= set_i.act;
    others_q <= set_i.act == ConnRegister && 32'(set_i.ring) < NumRings &&
        32'(set_i.rank) < NumRanks && (g_q != set_i.ring[RingIdxW-1:0] || k_q != set_i.rank);
  end

  always_ff @(posedge clk_i) begin
    if (past_q[7]) begin
      // It asks, but in a ring whose flush was being written down in the cycle before.
      a_asks : assert (asks == (set_valid_i && !walked_q))
      else $error("asks %b", asks);
      // The table is asked for the key and to look at the entry when it asks and no request is
      // inside.
      a_query : assert (query == (asks && empty_i) && act == query)
      else $error("query %b, act %b", query, act);
      // It is answered when the table has been asked for as long as it takes, without a flush; not
      // beside a flush.
      a_ready : assert (ready == (set_valid_i && asked_q == '1 && !flush_i))
      else $error("ready %b", ready);
      // A connection is registered if it is new, the table has a place for it and has lost
      // nothing, and its ring and rank are there and nobody's; an entry of the table that is alive
      // is retired, a retired one released. All else is an error.
      a_error : assert (!ready || others_q || error == !good_q)
      else $error("error %b", error);
      // What was answered without an error is done in the same cycle, and nothing else.
      a_done : assert ({writes, retires, releases} == ((ready && !error) ?
          {act_q == ConnRegister, act_q == ConnRetire, act_q == ConnRelease} : 3'b000))
      else $error("write %b, retire %b, release %b", writes, retires, releases);

      // A registration, a release, and a registration that is refused.
      c_write : cover (writes);
      c_release : cover (releases && act_q == ConnRelease);
      c_refused : cover (ready && error && act_q == ConnRegister && !others_q);
    end
    // The last ring of all; a retired connection beside one in front.
    c_last : cover (past_q[1] && header_known && header_ring == RingW'(NumRings - 1) &&
                    header_drop && !header_bad);
    c_fresh : cover (past_q[1] && known.fresh && known.hit && known.hazard);
  end

endmodule
