// Stands in for agg_conn_table in proofs of the device: four connections that are registered before
// the first packet, connection c with queue pair c, of rank c mod 2 in ring c / 2. Answers two
// cycles after the key, as the table does.
//
// Sound because without learning, registering or flushing the table never changes.
// verilog_lint: waive module-filename
module agg_conn_table
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumRanks = 6,
  parameter int unsigned NumRings = 8,
  parameter int unsigned NumConns = 48,
  parameter int unsigned Ecc = 0,
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic             query_valid_i,
  input  conn_hash_t       query_hash_i,
  input  conn_key_t        query_key_i,
  output logic             answer_valid_o,
  output logic             hit_o,
  output logic             full_o,
  output logic             lost_o,
  output logic             retired_o,
  output logic [ConnW-1:0] conn_o,
  output logic [RingW-1:0] ring_o,
  output logic [RankW-1:0] rank_o,

  output logic [NumRings-1:0][NumRanks-1:0] claimed_o,
  output logic                              ready_o,
  output logic                              walks_o,
  output conn_count_t                       count_o,
  output mem_event_t                        event_o,

  input logic             set_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  input logic             pause_i,
  input  logic             act_i,
  input  logic [ConnW-1:0] act_index_i,
  output logic             act_alive_o,
  output logic             act_retired_o,
  input  logic             retire_i,
  input  logic             release_i
);

  logic [2:1] asked_q;
  logic [1:0] asked_conn_q, conn_q;

  always_ff @(posedge clk_i) begin
    asked_q        <= {asked_q[1], query_valid_i};
    answer_valid_o <= asked_q[2];
    if (asked_q[1]) asked_conn_q <= query_key_i.qpn[1:0];
    if (asked_q[2]) conn_q <= asked_conn_q;
  end

  assign hit_o     = 1'b1;
  assign full_o    = 1'b1;
  assign lost_o    = 1'b0;
  assign retired_o = 1'b0;
  assign conn_o    = ConnW'(conn_q);
  assign ring_o    = RingW'(conn_q[1]);
  assign rank_o    = RankW'(conn_q[0]);
  assign claimed_o = '1;
  assign ready_o   = 1'b1;
  assign walks_o   = 1'b0;
  assign count_o   = '0;
  assign event_o   = '0;

  assign act_alive_o   = 1'b1;
  assign act_retired_o = 1'b0;

endmodule
