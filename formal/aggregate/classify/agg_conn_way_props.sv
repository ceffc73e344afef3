// agg_conn_way: what a query is told of one bucket, any one, is what was written there last. With
// the code memory may give anything instead, whatever flips have made of it (what it gives is cut
// there): then what a query is told follows from that. Check bits are as prim_secded's proof has
// them.
module agg_conn_way_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
  import prim_secded_pkg::*;
#(
  /// Buckets, a power of two.
  parameter int unsigned Buckets = 4,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  /// What the device is without.
  parameter int unsigned Without = 0,
  localparam int unsigned BucketW = (Buckets > 1) ? $clog2(Buckets) : 1
) (
  input logic               clk_i,
  input logic               read_i,
  input logic [BucketW-1:0] read_bucket_i,
  input logic               query_i,
  input logic [BucketW-1:0] query_bucket_i,
  input conn_key_t          query_key_i,
  input conn_flush_t        flush_i,
  input logic               flushed_i,
  input logic               look_i,
  input logic [BucketW-1:0] look_bucket_i,
  input logic               we_i,
  input logic               key_we_i,
  input logic [BucketW-1:0] bucket_i,
  input conn_state_t        state_i,
  input conn_key_t          key_i,
  input logic [BucketW-1:0] one_i   // any
);

  logic        match, lost;
  conn_state_t state, stored, look;
  ecc_t        found;

  agg_conn_way #(
    .Buckets(Buckets),
    .Ecc    (Ecc),
    .Without(Without)
  ) u_dut (
    .clk_i,
    .read_i,
    .read_bucket_i,
    .query_i,
    .query_bucket_i,
    .query_key_i,
    .flush_i,
    .flushed_i,
    .match_o (match),
    .state_o (state),
    .stored_o(stored),
    .lost_o  (lost),
    .found_o (found),
    .look_i,
    .look_bucket_i,
    .look_o  (look),
    .we_i,
    .key_we_i,
    .bucket_i,
    .state_i,
    .key_i
  );

  // ---------------------------------------------------------------------------------------------
  // What stands in memory: a key's bits that may differ, in their order, or all with check bits; a
  // state once or five times.

  localparam conn_key_t Kept = (Ecc != 0) ? '1 : key_kept(Without);
  localparam int unsigned KeyBits = $countones(Kept);
  localparam int unsigned CodeBits = KeyBits + Ecc * SecdedChecks * secded_words(KeyBits);
  localparam int unsigned Copies = (Ecc != 0) ? 5 : 1;
  typedef logic [KeyBits-1:0] kept_t;
  typedef conn_state_t [Copies-1:0] copies_t;

  function automatic kept_t kept_of(conn_key_t key);
    int unsigned n;
    n = 0;
    for (int unsigned i = 0; i < $bits(conn_key_t); i++) begin
      if (Kept[i]) begin
        kept_of[n] = key[i];
        n++;
      end
    end
  endfunction

  // What most copies say, and whether one says something else.
  function automatic conn_state_t most_of(copies_t copies);
    for (int unsigned b = 0; b < $bits(conn_state_t); b++) begin
      int unsigned ones;
      ones = 0;
      for (int unsigned c = 0; c < Copies; c++) ones += 32'(copies[c][b]);
      most_of[b] = 2 * ones > Copies;
    end
  endfunction

  logic                started_q;
  logic [BucketW-1:0]  one_q, one;
  logic [CodeBits-1:0] key_q, key_new, key_read_q;
  copies_t             state_q, copy_q, state_read_q, look_read_q;
  initial started_q = 1'b0;
  assign one = started_q ? one_q : one_i;

  // Of what the last read found: its key, and what is wrong with it.
  kept_t      key_read;
  logic       corrected, bad;
  logic [1:0] late_found;   // in the DUT, a cycle later
  if (Ecc != 0) begin : gen_ecc
    prim_secded_encode #(
      .Width(KeyBits)
    ) u_encode (
      .data_i  (kept_of(key_i)),
      .poison_i(1'b0),
      .code_o  (key_new)
    );
    prim_secded_decode #(
      .Width(KeyBits)
    ) u_decode (
      .code_i     (u_dut.key_read),   // `a_read` says that it is what was read
      .data_o     (key_read),
      .corrected_o(corrected),
      .bad_o      (bad)
    );
    assign late_found = {u_dut.gen_ecc.key_corrected_q, u_dut.gen_ecc.key_bad_q};
  end else begin : gen_plain
    assign key_new          = kept_of(key_i);
    assign key_read         = u_dut.key_read;
    assign {corrected, bad} = '0;
    assign late_found       = '0;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    one_q     <= one;
    if (!started_q) begin
      key_q   <= u_dut.u_keys.mem[one];
      state_q <= u_dut.u_states.mem[one];
      copy_q  <= u_dut.u_copy.mem[one];
    end
    if (bucket_i == one) begin
      if (key_we_i) key_q <= key_new;
      if (we_i) {state_q, copy_q} <= {2 * Copies{state_i}};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A query. Of each step: whether it is of the bucket that is followed.

  logic       read_one_q, read1_q, late_one_q, late_corrected_q, late_bad_q;
  kept_t      late_key_q;
  logic       of_key, query1_q, query_one_q, look_one_q;
  // With the answer.
  logic       state_one_q, key_one_q, same_q, corrected_q, bad_q;
  initial {read_one_q, read1_q, late_one_q, query1_q, state_one_q, key_one_q, look_one_q} = '0;

  assign of_key = (Ecc != 0) ? late_one_q : read_one_q;

  always_ff @(posedge clk_i) begin
    // A read finds what stands there, and with the code it is corrected in the next cycle.
    if (read_i) begin
      read_one_q <= started_q && read_bucket_i == one;
      key_read_q <= key_q;
    end
    read1_q <= read_i;
    if (read1_q) begin
      late_one_q                     <= read_one_q;
      late_key_q                     <= key_read;
      {late_corrected_q, late_bad_q} <= {corrected, bad};
    end
    // Then the key that is asked for is there.
    key_one_q            <= of_key;
    same_q               <= u_dut.key == kept_of(query_key_i);
    {corrected_q, bad_q} <= (Ecc != 0) ? {late_corrected_q, late_bad_q} : '0;
    // The state is read a cycle behind the query.
    query1_q    <= query_i && started_q;
    query_one_q <= query_bucket_i == one;
    if (query1_q) begin
      state_one_q  <= query_one_q;
      state_read_q <= state_q;
    end
    if (look_i) begin
      look_one_q  <= started_q && look_bucket_i == one;
      look_read_q <= copy_q;
    end
  end

  conn_state_t read;   // the state that was read
  logic        ours, differs;
  assign read    = most_of(u_dut.state_read);
  assign ours    = flush_i.valid && flush_i.ring == read.ring;
  assign differs = u_dut.state_read != {Copies{u_dut.state_read[$bits(conn_state_t)-1:0]}};

  always_ff @(posedge clk_i) begin
    if (state_one_q) begin
      // Whose an entry is does not change: ring, rank and whether it was learned are as they were
      // written.
      a_whose : assert ({state.learned, state.ring, state.rank} ==
                        {read.learned, read.ring, read.rank})
      else $error("ring %0d, rank %0d", state.ring, state.rank);
      // An entry is in use if it is as it was written and no flush under way frees its ring.
      a_used : assert (state.used == (read.used && !(ours && flush_i.free)))
      else $error("used %b", state.used);
      // It is retired if that was written, or by a flush under way if it was learned; one that
      // frees leaves none.
      a_retired : assert (state.retired == ((ours && flush_i.free) ? 1'b0 :
                          read.retired || (ours && read.used && read.learned)))
      else $error("retired %b", state.retired);
      // As it is stored it is what was read, or what the flush wrote since.
      a_stored : assert (stored == (flushed_i ? state : read))
      else $error("stored %b", stored);
    end
    if (state_one_q && key_one_q) begin
      // The entry is the one that is asked for exactly if it is in use and has the key, and that is
      // not lost.
      a_match : assert (match == (state.used && same_q && !bad_q))
      else $error("match %b", match);
      // A key that cannot be corrected is told of as lost, if anybody had the entry.
      a_lost : assert (lost == (state.used && bad_q))
      else $error("lost %b", lost);
      // What reading found is told of entries in use: what was corrected in the key, or in a copy
      // of the state; and what is lost.
      a_found : assert (found.bad == (state.used && bad_q) &&
                        found.corrected == (state.used && (corrected_q || differs)))
      else $error("corrected %b, bad %b", found.corrected, found.bad);
      // An entry is found, with the code one with a flip in its state.
      c_match : cover (match && differs == (Ecc != 0));
      // Another one has the bucket, or one whose key is lost.
      c_other : cover (state.used && !match && lost == (Ecc != 0));
    end
    // The walk and the control plane see what is stored, too.
    a_look : assert (!look_one_q || look == most_of(u_dut.look_read))
    else $error("looks at %b", look);

    // What stands in memory is what was written there last: a key only with a key's write.
    a_stands : assert (!started_q || (u_dut.u_keys.mem[one] == key_q &&
                                      u_dut.u_states.mem[one] == state_q &&
                                      u_dut.u_copy.mem[one] == copy_q))
    else $error("another key or state");
    // What was read is what stood there as it was read: a key with its read, the state a cycle
    // behind its query, or when somebody looked.
    a_read : assert ((!read_one_q || u_dut.u_keys.read_q == key_read_q) &&
                     (!state_one_q || u_dut.u_states.read_q == state_read_q) &&
                     (!look_one_q || u_dut.u_copy.read_q == look_read_q))
    else $error("another key or state was read");
    // And what the code makes of it (helps the proof).
    a_late : assert (!late_one_q || Ecc == 0 || {u_dut.key, late_found} ==
                     {late_key_q, late_corrected_q, late_bad_q})
    else $error("another finding");
  end

endmodule
