// agg_conn_table as what stands between its parts: which bucket each way is asked for and when,
// what of their answers becomes the table's, what is written where, and how long all that takes.
// What ways and the walk answer is cut, so it is anything; they have proofs of their own.
module conn_table_wires_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_conn_pkg::*;
#(
  /// Connections, 4 or more.
  parameter int unsigned NumConns = 16,
  /// 1: keys are coded.
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumRanks = 3,
  localparam int unsigned NumRings = 4,
  localparam int unsigned All = 4,
  localparam int unsigned Buckets = NumConns / All,
  localparam int unsigned BucketW = $clog2(Buckets),
  localparam int unsigned WayW = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             query_valid_i,
  input conn_hash_t       query_hash_i,
  input conn_key_t        query_key_i,
  input logic             set_i,
  input conn_key_t        set_key_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             set_learned_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             flush_free_i,
  input logic             pause_i,
  input logic             act_i,
  input logic [ConnW-1:0] act_index_i,
  input logic             retire_i,
  input logic             release_i,
  input logic [WayW-1:0]  one_i   // any way
);

  logic             answers, hit, full, lost, retired, ready, walks, act_alive, act_retired;
  logic [ConnW-1:0] conn;
  logic [RingW-1:0] ring;
  logic [RankW-1:0] rank;
  conn_count_t      count;
  mem_event_t       seen;
  logic [NumRings-1:0][NumRanks-1:0] claimed;

  agg_conn_table #(
    .NumRanks(NumRanks),
    .NumRings(NumRings),
    .NumConns(NumConns),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .query_valid_i,
    .query_hash_i,
    .query_key_i,
    .answer_valid_o(answers),
    .hit_o         (hit),
    .full_o        (full),
    .lost_o        (lost),
    .retired_o     (retired),
    .conn_o        (conn),
    .ring_o        (ring),
    .rank_o        (rank),
    .claimed_o     (claimed),
    .ready_o       (ready),
    .walks_o       (walks),
    .count_o       (count),
    .event_o       (seen),
    .set_i,
    .set_key_i,
    .set_ring_i,
    .set_rank_i,
    .set_learned_i,
    .flush_i,
    .flush_ring_i,
    .flush_free_i,
    .pause_i,
    .act_i,
    .act_index_i,
    .act_alive_o   (act_alive),
    .act_retired_o (act_retired),
    .retire_i,
    .release_i
  );

  // What each way is told.
  typedef struct packed {
    logic               read;
    logic [BucketW-1:0] read_bucket;
    logic               query;
    logic [BucketW-1:0] query_bucket;
    conn_key_t          query_key;
    logic               flushed;
    logic               look;
    logic [BucketW-1:0] look_bucket;
    logic               we;
    logic               key_we;
    logic [BucketW-1:0] bucket;
    conn_state_t        state;
    conn_key_t          key;
  } told_t;
  told_t [All-1:0] all;
  told_t           told;   // the one that is followed
  for (genvar w = 0; w < All; w++) begin : gen_way
    assign all[w] = '{
            read: u_dut.gen_way[w].u_way.read_i,
            read_bucket: u_dut.gen_way[w].u_way.read_bucket_i,
            query: u_dut.gen_way[w].u_way.query_i,
            query_bucket: u_dut.gen_way[w].u_way.query_bucket_i,
            query_key: u_dut.gen_way[w].u_way.query_key_i,
            flushed: u_dut.gen_way[w].u_way.flushed_i,
            look: u_dut.gen_way[w].u_way.look_i,
            look_bucket: u_dut.gen_way[w].u_way.look_bucket_i,
            we: u_dut.gen_way[w].u_way.we_i,
            key_we: u_dut.gen_way[w].u_way.key_we_i,
            bucket: u_dut.gen_way[w].u_way.bucket_i,
            state: u_dut.gen_way[w].u_way.state_i,
            key: u_dut.gen_way[w].u_way.key_i
        };
  end

  // ---------------------------------------------------------------------------------------------
  // A query: [0] as ways are asked, with the code a cycle behind its hash; then the key; then their
  // answers. Of the half that the followed way is in.

  logic                    started_q, after_q;   // `after`: no reset in the last cycle
  logic [WayW-1:0]         one_q;
  logic                    asks, asked_q;
  logic [BucketW-1:0]      bucket, bucket_q;
  conn_key_t               key_q;
  logic [2:1]              query_q;
  logic [2:1][BucketW-1:0] left_q, right_q;
  logic [BucketW-1:0]      left, right, left0_q, right0_q;
  logic                    walk_q;
  logic [BucketW-1:0]      walk_bucket_q;
  initial started_q = 1'b0;

  assign left   = query_hash_i.left[BucketW-1:0];
  assign right  = query_hash_i.right[BucketW-1:0];
  assign asks   = (Ecc != 0) ? asked_q : query_valid_i;
  assign bucket = (32'(one_q) < All / 2) ? left : right;
  assign told   = all[one_q];

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    after_q   <= rst_ni && started_q;
    if (!started_q) one_q <= one_i;
    asked_q       <= rst_ni && query_valid_i;
    bucket_q      <= bucket;
    key_q         <= query_key_i;
    left0_q       <= left;
    right0_q      <= right;
    query_q       <= rst_ni ? {query_q[1], asks} : '0;
    left_q        <= {left_q[1], (Ecc != 0) ? left0_q : left};
    right_q       <= {right_q[1], (Ecc != 0) ? right0_q : right};
    walk_q        <= u_dut.walk;
    walk_bucket_q <= u_dut.walk_write_bucket;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  // What a flush makes of an entry.
  function automatic conn_state_t after_flush(conn_state_t entry, conn_flush_t flush);
    logic ours;
    ours = flush.valid && flush.ring == entry.ring;
    after_flush = entry;
    if (ours && flush.free) begin
      after_flush.used    = 1'b0;
      after_flush.retired = 1'b0;
    end else if (ours && entry.used && entry.learned) begin
      after_flush.retired = 1'b1;
    end
  endfunction

  // What was, when ways answered last.
  logic               met_q, hit_q, full_q, lost_q, retired_q, old_used_q, old_retired_q;
  logic [ConnW-1:0]   conn_q, entry_now;
  logic [RingW-1:0]   ring_q;
  logic [RankW-1:0]   rank_q;
  logic               answers_q;
  mem_event_t         event_q, event_now;
  // What the control plane looks at: its entry, and what stands there.
  logic               act_q, acted_q;
  logic [ConnW-1:0]   act_q_index, entry_q;
  conn_state_t        entry_state_q, entry_state;
  conn_state_t        added, changed;   // as they are to be written
  initial {met_q, acted_q} = '0;

  assign added       = '{used: 1'b1, retired: 1'b0, learned: set_learned_i, ring: set_ring_i,
                         rank: set_rank_i};
  assign changed     = '{used: !release_i, retired: !release_i, learned: entry_state_q.learned,
                         ring: entry_state_q.ring, rank: entry_state_q.rank};
  assign entry_now   = ConnW'(32'(u_dut.u_choice.bucket_o) * All + 32'(u_dut.u_choice.way_o));
  assign entry_state = after_flush(entry_state_q, u_dut.flush);
  // What is bad goes first, and of several ways the last.
  always_comb begin
    event_now = '0;
    for (int unsigned k = 0; k < 2 * All; k++) begin
      int unsigned w;
      w = k % All;
      if (k < All ? u_dut.found[w].corrected : u_dut.found[w].bad) begin
        event_now.at = SlotW'({(w < All / 2) ? left_q[2] : right_q[2], WayW'(w)});
      end
      if (u_dut.found[w].corrected) event_now.found.corrected = 1'b1;
      if (u_dut.found[w].bad) event_now.found.bad = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (query_q[2]) begin
      met_q         <= started_q;
      hit_q         <= u_dut.match != '0;
      full_q        <= u_dut.u_choice.full_o;
      lost_q        <= Ecc != 0 && u_dut.match == '0 && u_dut.lost != '0;
      retired_q     <= u_dut.u_choice.retired_o;
      conn_q        <= entry_now;
      ring_q        <= u_dut.u_choice.ring_o;
      rank_q        <= u_dut.u_choice.rank_o;
      old_used_q    <= u_dut.stored[u_dut.u_choice.way_o].used;
      old_retired_q <= u_dut.stored[u_dut.u_choice.way_o].retired;
    end
    answers_q   <= query_q[2] && rst_ni;
    event_q     <= (Ecc != 0 && query_q[2] && rst_ni) ? event_now : '0;
    act_q       <= act_i && started_q;
    act_q_index <= act_index_i;
    if (act_q) begin
      acted_q       <= started_q;
      entry_q       <= act_q_index;
      entry_state_q <= u_dut.look[act_q_index[WayW-1:0]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      // It is what ways said then, and stays until the next: known if one of them has the key, else
      // maybe known if a key is lost; its entry's number is of its bucket and way.
      a_answer : assert (!met_q || ({hit, full, lost, retired} ==
                         {hit_q, full_q, lost_q, retired_q} && conn == conn_q &&
                         {ring, rank} == {ring_q, rank_q}))
      else $error("entry %0d", conn);
      // What is remembered inside is the same (helps the proof).
      a_inside : assert (u_dut.query_q == query_q && (!met_q || (
          u_dut.way_q == WayW'(conn_q) && u_dut.old_used == old_used_q &&
          u_dut.old_retired == old_retired_q)) && (!acted_q || (
          u_dut.act_stored_q == entry_state_q && u_dut.act_way_q == WayW'(entry_q) &&
          u_dut.act_bucket_q == BucketW'(entry_q >> WayW))))
      else $error("entry %0d", conn_q);
    end
    if (rst_ni) begin
      // Each way reads the key of its half's bucket as a query's hash comes.
      a_read : assert (told.read == query_valid_i && told.read_bucket == bucket)
      else $error("reads bucket %0d", told.read_bucket);
      // It is asked then, or with the code a cycle later, of the same bucket, and a cycle behind
      // that for the key that came behind the hash.
      a_query : assert (!after_q || ((Ecc != 0) ?
          {told.query, told.query_bucket, told.query_key} == {asked_q, bucket_q, key_q} :
          {told.query, told.query_bucket, told.query_key} ==
          {query_valid_i, bucket, query_key_i}))
      else $error("asks for bucket %0d", told.query_bucket);
      // With its answer it is told if the walk wrote that bucket as its state was read.
      a_flushed : assert (!query_q[2] || told.flushed == (walk_q && walk_bucket_q ==
          ((32'(one_q) < All / 2) ? left_q[2] : right_q[2])))
      else $error("flushed %b", told.flushed);
      // The copy is that of the entry that the control plane looks at, or of the walk's bucket,
      // which waits meanwhile.
      a_look : assert (told.look && told.look_bucket == (act_i ? BucketW'(act_index_i >> WayW) :
                       u_dut.walk_bucket) && u_dut.u_walk.pause_i == (pause_i || act_i))
      else $error("looks at bucket %0d", told.look_bucket);
      // An answer comes two cycles behind the key, or three with the code, each once.
      a_answers : assert (answers == answers_q)
      else $error("answer %b", answers);
      // The choice is between ways of the query's own buckets.
      a_choice : assert (!query_q[2] || u_dut.u_choice.bucket_i == {right_q[2], left_q[2]})
      else $error("buckets %0d, %0d", left_q[2], right_q[2]);
      // What was found is told of the entry that was read, if there was a query.
      a_event : assert (!after_q || seen == event_q)
      else $error("event of entry %0d", seen.at);
      // Nobody asks before all is clear.
      a_ready : assert (ready == !u_dut.clear)
      else $error("ready %b", ready);
      // An entry that the control plane looked at two cycles ago, or at last, is alive or retired
      // as the flush under way leaves it.
      a_act : assert (!acted_q || (act_alive == (entry_state.used && !entry_state.retired) &&
                                   act_retired == (entry_state.used && entry_state.retired)))
      else $error("entry %0d", entry_q);
      // A connection's claim ends with its ring and rank as they are stored.
      a_claim : assert (!acted_q || (u_dut.u_claims.clear_ring_i == entry_state_q.ring &&
                                     u_dut.u_claims.clear_rank_i == entry_state_q.rank &&
                                     u_dut.u_count.release_retired_i == entry_state_q.retired))
      else $error("ring %0d, rank %0d", u_dut.u_claims.clear_ring_i, u_dut.u_claims.clear_rank_i);
      // What is counted of an entry that is added is what stood there when it was answered.
      a_old : assert (!met_q || (u_dut.u_count.set_used_i == old_used_q &&
                                 u_dut.u_count.set_retired_i == old_retired_q))
      else $error("used %b", u_dut.u_count.set_used_i);
      // What is counted of a step of the walk is what it writes.
      a_count : assert (u_dut.u_count.new_i[one_q] == after_flush(u_dut.look[one_q], u_dut.flush))
      else $error("way %0d", one_q);
      // Keys are written for nothing else than a connection that is added: its own.
      a_key : assert (!met_q || told.key_we == (set_i && WayW'(conn_q) == one_q))
      else $error("way %0d: %b", one_q, told.key_we);
      // After reset all entries of a bucket are cleared.
      a_clears : assert (!u_dut.clear || (told.we && told.state == '0 &&
                                          told.bucket == u_dut.walk_bucket))
      else $error("bucket %0d", told.bucket);
      if (!u_dut.clear) begin
        // A step of the walk writes all entries of its bucket, as the flush leaves them.
        a_walk : assert (!u_dut.walk || (told.we && told.bucket == u_dut.walk_write_bucket &&
            told.state == after_flush(u_dut.look[one_q], u_dut.flush)))
        else $error("bucket %0d", told.bucket);
        if (!u_dut.walk) begin
          // A connection that is added is written, with its key, where the answer said, and
          // nowhere else: in use, and not retired.
          a_set : assert (!set_i || retire_i || release_i || !met_q ||
              (told.we == (WayW'(conn_q) == one_q) &&
              (!told.we || (told.bucket == BucketW'(conn_q >> WayW) &&
               told.key == set_key_i && told.state == added))))
          else $error("way %0d: %b", one_q, told.key_we);
          // Who is retired keeps ring and rank, and whether it was learned; so does who is
          // released, but is in use no more. No other entry is written.
          a_acts : assert (set_i || !acted_q || (told.we == ((retire_i || release_i) &&
              WayW'(entry_q) == one_q) && (!told.we || (
              told.bucket == BucketW'(entry_q >> WayW) &&
              told.state == changed))))
          else $error("way %0d: %b", one_q, told.we);
        end
      end

      // The last way of another bucket is added; an entry is released.
      c_set : cover (set_i && met_q && told.key_we && one_q == '1 && told.bucket == '1);
      c_release : cover (release_i && told.we && acted_q);
    end
  end

endmodule
