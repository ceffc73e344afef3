// One way of the connection table: one entry a bucket, its key and its state.
//
// A module of its own because all ways work side by side and know nothing of each other. Key and
// state stand in RAMs of their own, the state of a query a cycle behind its key: it is small, so
// that it is made of LUTs, and its address late; the state twice: queries of packets have one copy,
// the walk of a flush and the control plane the other, so neither waits for the other. Nobody
// waits.
//
// With Ecc a key is coded (prim_secded_pkg) and decoded in front of a register of its own, so it is
// read a cycle before the query; a state is kept five times (prim_vote). A key that cannot be
// corrected is nobody's: its entry matches nothing, and says so.
module agg_conn_way
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
  import prim_secded_pkg::*;
#(
  /// Buckets, a power of two.
  parameter int unsigned Buckets = 256,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0,
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1
) (
  input logic clk_i,

  // The bucket whose key is read: with Ecc a cycle before its query, else with it.
  input  logic               read_i,
  input  logic [BucketW-1:0] read_bucket_i,
  // A query: the bucket, and the key a cycle later. Another cycle later: whether the entry is that
  // of the key, and its state, as the flush under way leaves it and as it is stored.
  input  logic               query_i,
  input  logic [BucketW-1:0] query_bucket_i,
  // verilator lint_off UNUSEDSIGNAL
  input  conn_key_t          query_key_i,
  // verilator lint_on UNUSEDSIGNAL
  input  conn_flush_t        flush_i,
  input  logic               flushed_i,   // it was written into that bucket in the key's cycle
  output logic               match_o,
  output conn_state_t        state_o,
  output conn_state_t        stored_o,
  // With them: its key is lost, so it may be that of any connection; and what reading it found.
  output logic               lost_o,
  output ecc_t               found_o,

  // The other copy of the state: read in this cycle, there in the next, as it is stored.
  input  logic               look_i,
  input  logic [BucketW-1:0] look_bucket_i,
  output conn_state_t        look_o,

  // Writes the state, and with `key_we` the key, too. What is read in that cycle is as it was.
  input logic               we_i,
  input logic               key_we_i,
  input logic [BucketW-1:0] bucket_i,
  input conn_state_t        state_i,
  // verilator lint_off UNUSEDSIGNAL
  input conn_key_t          key_i
  // verilator lint_on UNUSEDSIGNAL
);

  // Of a key only what may differ is kept and compared; with the code, all of it.
  localparam conn_key_t Kept = (Ecc != 0) ? '1 : key_kept(Without);
  localparam int unsigned KeyBits = $countones(Kept);
  // Each part takes three levels of LUTs to compare, and all of them two.
  localparam int unsigned PartBits = 60;
  localparam int unsigned Parts = (KeyBits + PartBits - 1) / PartBits;

  logic [KeyBits-1:0]        key;
  conn_state_t               stored;
  logic [Parts*PartBits-1:0] difference;
  logic [Parts-1:0]          equal_q;
  logic                      query1_q;
  logic [BucketW-1:0]        bucket1_q;

  // As they stand in memory.
  localparam int unsigned CodeBits = KeyBits + Ecc * SecdedChecks * secded_words(KeyBits);
  localparam int unsigned StateBits = $bits(conn_state_t) * (1 + 4 * Ecc);
  logic [CodeBits-1:0]  key_written, key_read;
  logic [StateBits-1:0] state_written, state_read, look_read;

  if (Ecc > 1) begin : gen_check_ecc
    $fatal(1, "%m: Ecc must be 0 or 1");
  end

  prim_ram_1r1w #(
    .Width  (CodeBits),
    .Depth  (Buckets),
    .Latency(1),
    .Block  (1'b1)
  ) u_keys (
    .clk_i,
    .we_i   (key_we_i),
    .waddr_i(bucket_i),
    .wdata_i(key_written),
    .re_i   (read_i),
    .raddr_i(read_bucket_i),
    .rdata_o(key_read)
  );

  prim_ram_1r1w #(
    .Width  (StateBits),
    .Depth  (Buckets),
    .Latency(1)
  ) u_states (
    .clk_i,
    .we_i,
    .waddr_i(bucket_i),
    .wdata_i(state_written),
    .re_i   (query1_q),
    .raddr_i((Buckets > 1) ? bucket1_q : '0),
    .rdata_o(state_read)
  );

  prim_ram_1r1w #(
    .Width  (StateBits),
    .Depth  (Buckets),
    .Latency(1)
  ) u_copy (
    .clk_i,
    .we_i,
    .waddr_i(bucket_i),
    .wdata_i(state_written),
    .re_i   (look_i),
    .raddr_i(look_bucket_i),
    .rdata_o(look_read)
  );

  logic bad_q;   // with `equal_q`: the key is lost

  if (Ecc != 0) begin : gen_ecc
    logic [KeyBits-1:0] key_decoded;
    logic               corrected, bad, differs, look_differs, read_q, key_corrected_q, key_bad_q;
    logic               corrected_q;
    logic               unused;

    prim_secded_encode #(
      .Width(KeyBits)
    ) u_encode (
      .data_i  (key_i),
      .poison_i(1'b0),
      .code_o  (key_written)
    );

    prim_secded_decode #(
      .Width(KeyBits)
    ) u_decode (
      .code_i     (key_read),
      .data_o     (key_decoded),
      .corrected_o(corrected),
      .bad_o      (bad)
    );

    assign state_written = {5{state_i}};

    prim_vote #(
      .Width($bits(conn_state_t))
    ) u_state_vote (
      .copies_i(state_read),
      .data_o  (stored),
      .differ_o(differs)
    );

    prim_vote #(
      .Width($bits(conn_state_t))
    ) u_look_vote (
      .copies_i(look_read),
      .data_o  (look_o),
      .differ_o(look_differs)
    );

    always_ff @(posedge clk_i) begin
      read_q <= read_i;
      if (read_q) begin
        key             <= key_decoded;
        key_corrected_q <= corrected;
        key_bad_q       <= bad;
      end
      corrected_q <= key_corrected_q;
      bad_q       <= key_bad_q;
    end

    assign found_o = '{corrected: state_o.used && (corrected_q || differs),
                       bad: state_o.used && bad_q};
    assign unused  = look_differs;
  end else begin : gen_plain
    if (Kept == '1) begin : gen_write
      assign key_written = key_i;
    end else begin : gen_write_kept
      assign key_written = gen_kept.set;
    end
    assign key           = key_read;
    assign state_written = state_i;
    assign stored        = state_read;
    assign look_o        = look_read;
    assign bad_q         = 1'b0;
    assign found_o       = '0;
  end

  if (Kept == '1) begin : gen_whole
    assign difference = {{(Parts * PartBits - KeyBits) {1'b0}}, key ^ query_key_i};
  end else begin : gen_kept
    logic [KeyBits-1:0] set, query;   // of the key to write, of the one that is asked for
    for (genvar i = 0; i < $bits(conn_key_t); i++) begin : gen_bit
      if (Kept[i]) begin : gen_one
        localparam int unsigned At = $countones(Kept & ((conn_key_t'(1) << i) - conn_key_t'(1)));
        assign set[At]   = key_i[i];
        assign query[At] = query_key_i[i];
      end
    end
    assign difference = {{(Parts * PartBits - KeyBits) {1'b0}}, key ^ query};
  end

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
    .equal_i  (equal_q & ~{Parts{bad_q}}),
    .match_o,
    .state_o,
    .stored_o
  );

  assign lost_o = bad_q && state_o.used;

endmodule
