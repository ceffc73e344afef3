// Goes through all buckets of the connection table: once after reset, to clear them, and for each
// flush of a ring, which it writes into the entries that the ring has.
//
// Until a flush has come to an entry, whoever looks at it takes it for flushed (conn_flushed), so
// it takes effect at once, and the other rings go on meanwhile. The walk waits while somebody may
// write an entry (`pause_i`), a bucket a cycle else.
module agg_conn_walk
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Buckets, a power of two.
  parameter int unsigned Buckets = 256,
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  // No bucket is read in this cycle: an entry may be written in this cycle or the next.
  input logic             pause_i,

  // After reset all entries are cleared, one bucket a cycle; a flush is under way.
  output logic               clear_o,
  output logic               busy_o,
  output conn_flush_t        flush_o,
  // The bucket that is read or cleared; a cycle later what was read is to be written as the flush
  // leaves it.
  output logic [BucketW-1:0] bucket_o,
  output logic               write_o,
  output logic [BucketW-1:0] write_bucket_o
);

  logic               clear_q, all_q, write_q, step;
  logic [BucketW-1:0] bucket_q, write_bucket_q;
  conn_flush_t        flush_q;

  assign step           = flush_q.valid && !all_q && !pause_i;
  assign clear_o        = clear_q;
  assign busy_o         = flush_q.valid;
  assign flush_o        = flush_q;
  assign bucket_o       = bucket_q;
  assign write_o        = write_q;
  assign write_bucket_o = write_bucket_q;

  always_ff @(posedge clk_i) begin
    write_q        <= step && rst_ni;
    write_bucket_q <= bucket_q;
    if (clear_q || step) bucket_q <= (32'(bucket_q) == Buckets - 1) ? '0 : bucket_q + BucketW'(1);
    if (32'(bucket_q) == Buckets - 1) begin
      clear_q <= 1'b0;
      if (step) all_q <= 1'b1;
    end
    // What was read before the last write has been looked at by then.
    if (all_q && !write_q) flush_q.valid <= 1'b0;
    if (flush_i) begin
      flush_q <= '{valid: 1'b1, free: flush_free_i, ring: flush_ring_i};
      all_q   <= 1'b0;
    end
    if (!rst_ni) begin
      clear_q       <= 1'b1;
      bucket_q      <= '0;
      flush_q.valid <= 1'b0;
      all_q         <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One flush at a time, and none before all is clear; entries of the first would stay for
      // ever.
      a_one : assert (!flush_i || (!flush_q.valid && !clear_q))
      else $error("%m: a flush of ring %0d begins during another walk", flush_ring_i);
    end
  end

endmodule
