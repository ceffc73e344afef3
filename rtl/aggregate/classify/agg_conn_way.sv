// One way of the connection table: one entry a bucket, its key and its state.
//
// A module of its own because all ways work side by side and know nothing of each other. Key and
// state stand in RAMs of their own, the state of a query a cycle behind its key: it is small, so
// that it is made of LUTs, and its address late; the state twice: queries of packets have one copy, the walk of
// a flush and the control plane the other, so neither waits for the other. Nobody waits.
module agg_conn_way
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Buckets, a power of two.
  parameter int unsigned Buckets = 256,
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1
) (
  input logic clk_i,

  // A query: the bucket, and the key a cycle later. Another cycle later: whether the entry is that of
  // the key, and its state, as the flush under way leaves it and as it is stored.
  input  logic               query_i,
  input  logic [BucketW-1:0] query_bucket_i,
  input  conn_key_t          query_key_i,
  input  conn_flush_t        flush_i,
  input  logic               flushed_i,   // it was written into that bucket in the key's cycle
  output logic               match_o,
  output conn_state_t        state_o,
  output conn_state_t        stored_o,

  // The other copy of the state: read in this cycle, there in the next, as it is stored.
  input  logic               look_i,
  input  logic [BucketW-1:0] look_bucket_i,
  output conn_state_t        look_o,

  // Writes the state, and with `key_we` the key, too. What is read in that cycle is as it was.
  input logic               we_i,
  input logic               key_we_i,
  input logic [BucketW-1:0] bucket_i,
  input conn_state_t        state_i,
  input conn_key_t          key_i
);

  localparam int unsigned KeyBits = $bits(conn_key_t);
  // Each part takes three levels of LUTs to compare, and all of them two.
  localparam int unsigned PartBits = 60;
  localparam int unsigned Parts = (KeyBits + PartBits - 1) / PartBits;

  conn_key_t                 key;
  conn_state_t               stored;
  logic [Parts*PartBits-1:0] difference;
  logic [Parts-1:0]          equal_q;
  logic                      query1_q;
  logic [BucketW-1:0]        bucket1_q;

  prim_ram_1r1w #(
    .Width  (KeyBits),
    .Depth  (Buckets),
    .Latency(1)
  ) u_keys (
    .clk_i,
    .we_i   (key_we_i),
    .waddr_i(bucket_i),
    .wdata_i(key_i),
    .re_i   (query_i),
    .raddr_i(query_bucket_i),
    .rdata_o(key)
  );

  prim_ram_1r1w #(
    .Width  ($bits(conn_state_t)),
    .Depth  (Buckets),
    .Latency(1)
  ) u_states (
    .clk_i,
    .we_i,
    .waddr_i(bucket_i),
    .wdata_i(state_i),
    .re_i   (query1_q),
    .raddr_i((Buckets > 1) ? bucket1_q : '0),
    .rdata_o(stored)
  );

  prim_ram_1r1w #(
    .Width  ($bits(conn_state_t)),
    .Depth  (Buckets),
    .Latency(1)
  ) u_copy (
    .clk_i,
    .we_i,
    .waddr_i(bucket_i),
    .wdata_i(state_i),
    .re_i   (look_i),
    .raddr_i(look_bucket_i),
    .rdata_o(look_o)
  );

  assign difference = {{(Parts * PartBits - KeyBits) {1'b0}}, key ^ query_key_i};

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Parts; k++) begin
      equal_q[k] <= difference[PartBits*k+:PartBits] == '0;
    end
    query1_q  <= query_i;
    bucket1_q <= query_bucket_i;
  end

  agg_conn_seen #(
    .Parts(Parts)
  ) u_seen (
    .stored_i (stored),
    .flush_i,
    .flushed_i,
    .equal_i  (equal_q),
    .match_o,
    .state_o,
    .stored_o
  );

endmodule
