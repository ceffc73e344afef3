// Registers, retires or releases a connection in the table for the control plane, or refuses to.
//
// A registration asks the table like a packet whether its connection is known, with the table to
// itself: it waits until stages 1 to 4 are empty, and no request begins before it is done
// (agg_lookup_arbiter). The answer says which entry it gets. What the table says of an entry that
// is to be retired or released takes less time. A flush of connections goes first: the table makes
// one change a cycle.
module agg_lookup_set
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Connections, 2 to 1,024.
  parameter int unsigned NumConns = 1024,
  /// 1: the table answers a cycle later, and may have lost an entry.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // As at agg_lookup: `error` with `ready`.
  input  logic      conn_set_valid_i,
  output logic      conn_set_ready_o,
  // The key goes to the table beside this module; `elsewhere` is not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  conn_set_t conn_set_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic      conn_set_error_o,

  // Stages 1 to 4 of look-up hold no request, and the table may be asked; a flush changes it in
  // this cycle.
  input logic empty_i,
  input logic flush_i,

  // The table writes the flush of a ring into its entries: a registration in that ring waits for
  // the end. A flush makes the wait for the table begin anew, so it is early enough to know that a
  // cycle late.
  input logic             walks_i,
  input logic [RingW-1:0] walks_ring_i,

  // It waits for nothing but the table: no request begins.
  output logic asks_o,

  // To the table: query for the key; write of the entry.
  output logic query_o,
  output logic write_o,
  output logic retire_o,
  output logic release_o,

  // To the table: it is to look at the entry.
  output logic act_o,

  // From the table: the connection is known, or there is no place for it (ConnAnswer cycles after
  // its key); the entry is alive, or retired; (ring, rank) pairs that have a connection.
  input logic                              hit_i,
  input logic                              full_i,
  input logic                              lost_i,   // known or not, nobody can say
  input logic                              alive_i,
  input logic                              retired_i,
  input logic [NumRings-1:0][NumRanks-1:0] claimed_i
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;

  // A one more each cycle: the hash is in its register; the key, too; the table answers; the answer
  // is looked at.
  localparam int unsigned Answer = ConnAnswer + Ecc;
  logic [Answer+2:0]     wait_q;
  logic                  ok, ok_q, go, waits_q;
  logic                  write_q, retire_q, release_q;   // good, and which act it is

  assign go = conn_set_valid_i && wait_q[Answer+2] && !flush_i;
  always_comb begin
    unique case (conn_set_i.act)
      ConnRegister: begin
        ok = !hit_i && !full_i && !(Ecc != 0 && lost_i) &&
            32'(conn_set_i.ring) < NumRings && 32'(conn_set_i.rank) < NumRanks &&
            !claimed_i[conn_set_i.ring[RingIdxW-1:0]][conn_set_i.rank[RankIdxW-1:0]];
      end
      ConnRetire:  ok = alive_i && 32'(conn_set_i.index) < NumConns;
      ConnRelease: ok = retired_i && 32'(conn_set_i.index) < NumConns;
      default:     ok = 1'b0;
    endcase
  end

  assign asks_o           = conn_set_valid_i && !waits_q;
  assign query_o          = asks_o && empty_i;
  assign act_o            = query_o;
  assign write_o          = go && write_q;
  assign retire_o         = go && retire_q;
  assign release_o        = go && release_q;
  assign conn_set_ready_o = go;
  assign conn_set_error_o = !ok_q;

  always_ff @(posedge clk_i) begin
    waits_q   <= walks_i && conn_set_i.act == ConnRegister && conn_set_i.ring == walks_ring_i;
    wait_q    <= (query_o && !go && !flush_i) ?
        {wait_q[Answer+1:0], 1'b1} : '0;
    ok_q      <= ok;
    write_q   <= ok && conn_set_i.act == ConnRegister;
    retire_q  <= ok && conn_set_i.act == ConnRetire;
    release_q <= ok && conn_set_i.act == ConnRelease;
    if (!rst_ni) wait_q <= '0;
  end

endmodule
