// Stage 3 of look-up: what is known of a request. The header's word and that of the connection
// table meet, and the registers of the ring that counts are read: the header's if there is one,
// else the connection's.
//
// Answers in the same cycle; the rules of stage 4 (agg_lookup_rules) decide by what it says. Nobody
// waits.
module agg_lookup_known
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// 1: the table may have lost an entry, and a history is written a cycle later.
  parameter int unsigned Ecc = 0,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 0
) (
  input logic clk_i,

  // A ring's registers change only while it is disabled or flushed.
  input ring_t [NumRings-1:0] rings_i,
  // Of each ring, if there are such: its packets say which column they are of.
  // verilator lint_off UNUSEDSIGNAL
  input logic  [NumRings-1:0] columns_i,
  // verilator lint_on UNUSEDSIGNAL
  // Ports that pass what is no ring's.
  input logic  [NumPorts-1:0] open_i,

  // The request in stage 3.
  input lookup_query_t     req_i,
  // Its header (agg_lookup_header).
  input logic              header_known_i,
  input logic              header_drop_i,
  input logic              header_bad_i,
  input logic [RingW-1:0]  header_ring_i,
  // Its connection, and all (ring, rank) pairs that have one (agg_conn_table).
  input logic              hit_i,
  input logic              full_i,
  input logic              lost_i,
  input logic              retired_i,
  input logic [ConnW-1:0]  conn_i,
  input logic [RingW-1:0]  ring_i,
  input logic [RankW-1:0]  rank_i,
  input logic [NumRings-1:0][NumRanks-1:0] claimed_i,

  // Of the two requests in front, with Ecc of three: it has that entry, and may change its history.
  // verilator lint_off UNUSEDSIGNAL
  input logic [2:0]            front_valid_i,
  input logic [2:0][ConnW-1:0] front_conn_i,
  // verilator lint_on UNUSEDSIGNAL

  output lookup_known_t    known_o   // in the same cycle
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  localparam int unsigned EntryW = $clog2(2 * MaxWindow);

  logic [NumRings-1:0][EntryW-1:0] masks_q;   // of each ring: they stay as long as the ring does
  logic [RingW-1:0]                ring_index;
  // Enable and RingID were looked at before.
  // verilator lint_off UNUSEDSIGNAL
  ring_t                           of;
  // verilator lint_on UNUSEDSIGNAL
  logic                            alive, claimed, port_open;

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      masks_q[g] <= EntryW'((32'd2 << rings_i[g].window_log2) - 32'd1);
    end
  end

  assign ring_index = req_i.has_ina ? header_ring_i : ring_i;
  assign of         = rings_i[ring_index[RingIdxW-1:0]];
  assign alive      = hit_i && !retired_i;
  assign claimed    = 32'(req_i.ina.rank) < NumRanks &&
      claimed_i[header_ring_i[RingIdxW-1:0]][req_i.ina.rank[RankIdxW-1:0]];

  always_comb begin
    port_open = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) if (req_i.port == PortW'(p)) port_open = open_i[p];
  end

  assign known_o = '{
      req: req_i,
      header_known: header_known_i,
      header_drop: header_drop_i,
      header_bad: header_bad_i,
      mismatch: ring_i != header_ring_i || 8'(rank_i) != req_i.ina.rank,
      claimed: claimed,
      hit: hit_i,
      full: full_i,
      known: alive && rings_i[ring_i[RingIdxW-1:0]].enable,
      revives: hit_i && retired_i,
      open: port_open,
      hazard: hit_i && ((front_valid_i[0] && conn_i == front_conn_i[0]) ||
                        (front_valid_i[1] && conn_i == front_conn_i[1]) ||
                        (Ecc != 0 && front_valid_i[2] && conn_i == front_conn_i[2])),
      lost: Ecc != 0 && lost_i,
      fresh: req_i.has_ina && header_known_i && !alive && !claimed && !header_bad_i &&
          !(Ecc != 0 && lost_i),
      conn: conn_i,
      rank: rank_i,
      ring: ring_index,
      learn: of.learn,
      workers: of.workers,
      window_log2: of.window_log2,
      stride: of.stride,
      base: of.base,
      mask: 7'(masks_q[ring_index[RingIdxW-1:0]]),
      columns: Spine != 0 && columns_i[ring_index[RingIdxW-1:0]]
  };

endmodule
