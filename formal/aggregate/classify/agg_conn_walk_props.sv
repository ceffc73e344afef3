// agg_conn_walk: after reset each bucket is cleared once, in order. A flush takes effect in the
// next cycle and stays as it was asked for; each bucket is read once for it, in order, whenever
// nobody may write an entry, and written a cycle later; with the last one written it is over.
module agg_conn_walk_props
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Buckets, a power of two.
  parameter int unsigned Buckets = 4,
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  input logic             pause_i
);

  logic               clear, busy, write;
  conn_flush_t        flush;
  logic [BucketW-1:0] bucket, write_bucket;

  agg_conn_walk #(
    .Buckets(Buckets)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .flush_i,
    .flush_ring_i,
    .flush_free_i,
    .pause_i,
    .clear_o       (clear),
    .busy_o        (busy),
    .flush_o       (flush),
    .bucket_o      (bucket),
    .write_o       (write),
    .write_bucket_o(write_bucket)
  );

  // Buckets that have been cleared since reset, and that have been read for the flush at hand.
  logic               reset_q;   // there was a reset
  logic [31:0]        cleared_q, read_q;
  logic               under_way_q, reads, wrote_q;
  conn_flush_t        asked_q;
  logic [BucketW-1:0] at_q;
  initial reset_q = 1'b0;

  assign reads = under_way_q && !pause_i && read_q < Buckets;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reset_q     <= 1'b1;
      cleared_q   <= '0;
      under_way_q <= 1'b0;
    end else begin
      if (cleared_q < Buckets) cleared_q <= cleared_q + 32'd1;
      if (flush_i) begin
        under_way_q <= 1'b1;
        read_q      <= '0;
        asked_q     <= '{valid: 1'b1, free: flush_free_i, ring: flush_ring_i};
      end else if (reads) begin
        read_q <= read_q + 32'd1;
      end else if (read_q == Buckets && !wrote_q) begin
        under_way_q <= 1'b0;
      end
    end
    wrote_q <= rst_ni && reads;
    at_q    <= bucket;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // So many cycles as there are buckets from reset on one is cleared, from the first to the
      // last, and none later.
      a_clear : assert (clear == (cleared_q < Buckets) && (!clear || 32'(bucket) == cleared_q) &&
                        cleared_q <= Buckets)
      else $error("clear %b of bucket %0d", clear, bucket);
      // From the cycle after it is asked for until it is written everywhere a flush is under way,
      // and it is the one that was asked for.
      a_flush : assert (busy == under_way_q && flush.valid == under_way_q &&
                        (!under_way_q || flush == asked_q))
      else $error("busy %b with a flush of ring %0d", busy, flush.ring);
      // Buckets are read in order, each in the first cycle in which nobody may write.
      a_read : assert (!under_way_q || read_q == Buckets || 32'(bucket) == read_q)
      else $error("bucket %0d instead of %0d", bucket, read_q);
      // What was read is written a cycle later, there where it was, and nothing else is.
      a_write : assert (write == wrote_q && (!write || write_bucket == at_q))
      else $error("write %b of bucket %0d", write, write_bucket);
      // Behind its end, or before it has begun, the walk is at the first bucket; none has begun
      // while buckets are cleared (helps the proof).
      a_rests : assert (cleared_q < Buckets ? !under_way_q :
          (under_way_q ? (u_dut.all_q == (read_q == Buckets) && read_q <= Buckets &&
                          (read_q != '0 || !wrote_q)) :
           !wrote_q) && ((under_way_q && read_q < Buckets) || bucket == '0))
      else $error("at bucket %0d", bucket);
      // It waits before the last bucket; a second flush follows.
      c_waits : cover (under_way_q && pause_i && read_q == Buckets - 1);
      c_again : cover (flush_i && read_q == Buckets);
    end
  end

endmodule
