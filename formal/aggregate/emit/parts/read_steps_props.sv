// agg_emit_read, cycle by cycle and from any state: what is read now follows from the result in
// hand, and what is in hand then from that and from what is handed over; below a parent, too, and
// with banks that correct. (agg_emit_read_props follows a result from its take to its last word.)
// One port and one bit of a header word are followed.
module read_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned Uplink = 1,
  parameter int unsigned Ecc = 1
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              read_valid_i,
  input logic                              read_now_i,
  input logic                              read_parent_i,
  input take_rsp_t                         read_i,
  input logic                              read_lock_i,
  input logic [NumRanks-1:0][BeatBits-1:0] hdr_i,
  input ecc_t [NumRanks-1:0]               hdr_ecc_i,
  input ecc_t [NumRanks-1:0]               row_ecc_i,
  input logic                              port_i,   // any
  input logic [6:0]                        bit_i     // any
);

  localparam int unsigned Read = 2 + Ecc;   // cycles from a read to what it reads

  logic                                 ready, release_now, release_lock, row_re, hdr_re, hdr_row;
  logic                                 reduce_valid, reduce_last, reduce_keep, reduce_kept;
  logic                                 pairs_valid;
  logic [SlotW-1:0]                     row_slot, hdr_slot, reduce_slot;
  logic [7:0]                           row_row, reduce_row, reduce_kind;
  logic [RankW:0]                       reduce_workers;
  logic [MaxPorts-1:0]                  reduce_ports;
  ecc_t                                 reduce_found;
  logic [PairsW-1:0]                    pairs;
  logic [NumPorts-1:0]                  hdr_we, hdr_bad;
  logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word;
  mem_event_t                           told;

  agg_emit_read #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .WideLanes(WideLanes),
    .Uplink   (Uplink),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .read_valid_i,
    .read_now_i      (read_valid_i && read_now_i),
    .read_parent_i,
    .read_ready_o    (ready),
    .read_i,
    .read_lock_i,
    .release_o       (release_now),
    .release_lock_o  (release_lock),
    .row_re_o        (row_re),
    .row_slot_o      (row_slot),
    .row_row_o       (row_row),
    .hdr_re_o        (hdr_re),
    .hdr_slot_o      (hdr_slot),
    .hdr_row_o       (hdr_row),
    .hdr_i,
    .hdr_ecc_i,
    .row_ecc_i,
    .reduce_valid_o  (reduce_valid),
    .reduce_workers_o(reduce_workers),
    .reduce_kind_o   (reduce_kind),
    .reduce_last_o   (reduce_last),
    .reduce_ports_o  (reduce_ports),
    .reduce_keep_o   (reduce_keep),
    .reduce_kept_o   (reduce_kept),
    .reduce_slot_o   (reduce_slot),
    .reduce_row_o    (reduce_row),
    .reduce_found_o  (reduce_found),
    .pairs_valid_o   (pairs_valid),
    .pairs_o         (pairs),
    .hdr_we_o        (hdr_we),
    .hdr_word_o      (hdr_word),
    .hdr_bad_o       (hdr_bad),
    .hdr_event_o     (told)
  );

  logic       started_q, port_q, p;
  logic [6:0] bit_q, at;
  initial started_q = 1'b0;
  assign p  = started_q ? port_q : port_i;
  assign at = started_q ? bit_q : bit_i;

  // What is in hand: rows and words that are to be read, and of what.
  typedef struct packed {
    logic             rows;      // some are left
    logic [7:0]       row;       // the next one
    logic             at_last;
    logic [7:0]       last_row;
    logic             half;
    logic             sum;
    logic             kept;
    logic [SlotW-1:0] slot;
    logic [PairsW-1:0] pairs;
    logic [7:0]       kind;
    logic [RankW:0]   workers;
    logic             port;      // the followed one gets a result
  } rows_t;
  typedef struct packed {
    logic             words;
    logic [2:0]       word;
    logic             lock;
    logic [SlotW-1:0] slot;
    logic             port;
    logic [RankW-1:0] rank;      // whose result leaves there
  } words_t;
  rows_t  rows, rows_q, rows_d;
  words_t words, words_q, words_d;
  assign rows = '{
    rows: u_dut.rows_left_q, row: u_dut.row_q, at_last: u_dut.at_last_q,
    last_row: u_dut.last_row_q, half: u_dut.half_q, sum: u_dut.sum_q, kept: u_dut.kept_q,
    slot: u_dut.slot_q, pairs: u_dut.pairs_q, kind: u_dut.kind_q, workers: u_dut.workers_q,
    port: u_dut.ports_q[p]
  };
  assign words = '{
    words: u_dut.words_left_q, word: u_dut.word_q, lock: u_dut.lock_q, slot: u_dut.hdr_slot_q,
    port: u_dut.hdr_ports_q[p], rank: u_dut.rank_q[p]
  };

  // What is handed over: its rows; the followed port's rank, if it has one.
  logic             over, goes, early, last, words_end, done, one, two, of_port, half;
  logic             busy_q, gap_q;
  logic [RankW-1:0] who;
  logic [8:0]        count;
  logic [PairsW-1:0] full;
  always_comb begin
    of_port = 1'b0;
    who     = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (read_i.ranks[r] && read_i.port[r] == {3'd0, p}) begin
        of_port = 1'b1;
        who     = who | RankW'(r);
      end
    end
  end
  assign count     = (read_i.tensor_len == '0) ? 9'd1 :
      9'((15'(read_i.tensor_len) + 15'd63) >> 6);
  assign half      = WideLanes == 0 && read_i.kind[3:0] inside {TypeFp16, TypeBf16};
  // Pairs of tensor in the last row; no tensor that is summed has an odd length.
  assign full      = read_i.tensor_len[0] ? u_dut.pairs_d :
      PairsW'((read_i.tensor_len - 14'((count - 9'd1) << 6)) >> 1);
  assign one       = count == 9'd1;
  assign two       = count <= 9'd2;
  // A row is read each cycle, or every other one; the first one as the result is handed over, if
  // nothing is in hand.
  assign goes      = rows.rows && !u_dut.gap_q;
  assign early     = read_valid_i && read_now_i && !u_dut.busy_q && !u_dut.gap_q;
  assign last      = goes && rows.at_last;
  assign words_end = !words.words || words.word == 3'd6;
  assign done      = u_dut.busy_q && words_end && (last || !rows.rows);
  assign over      = read_valid_i && ready;

  always_comb begin
    rows_d  = rows;
    words_d = words;
    if (goes) {rows_d.row, rows_d.at_last} = {rows.row + 8'd1, rows.last_row - rows.row == 8'd1};
    if (last) rows_d.rows = 1'b0;
    if (words.words) words_d.word = words.word + 3'd1;
    if (words_end) words_d.words = 1'b0;
    if (over) begin
      words_d = '{words: 1'b1, word: 3'd7, lock: read_lock_i, slot: read_i.slot, port: of_port,
                  rank: who};
    end
    if (over && !(Uplink == 1 && read_parent_i)) begin
      rows_d = '{rows: !(early && one), row: {7'd0, early}, at_last: early ? two : one,
                 last_row: 8'(count - 9'd1), half: half, sum: read_i.sum, kept: read_i.kept,
                 slot: read_i.slot, pairs: full, kind: read_i.kind, workers: read_i.workers,
                 port: of_port};
    end
  end

  // A row that was read so many cycles ago, and a header word.
  typedef struct packed {
    logic              valid;
    logic [RankW:0]    workers;
    logic [7:0]        kind;
    logic              last;
    logic [PairsW-1:0] pairs;
    logic              port;
    logic              keep;
    logic              kept;
    logic [SlotW-1:0]  slot;
    logic [7:0]        row;
  } row_t;
  typedef struct packed {
    logic             valid;
    logic             port;
    logic [RankW-1:0] rank;
    logic [1:0]       word;
    logic [SlotW-1:0] slot;
  } word_t;
  row_t               row_now, row;
  row_t  [Read:1]     row_q;
  word_t              word_now, word;
  word_t [Read+2:1]   word_q;
  logic  [2:1]        bits_q, bads_q;
  logic  [Read+2:0]   past_q;
  initial past_q = '0;
  assign row  = row_q[Read];
  assign word = word_q[Read];
  always_comb begin
    row_now = '{valid: (goes || early) && rst_ni, workers: rows.workers, kind: rows.kind,
                last: last, pairs: rows.pairs, port: rows.port, keep: rows.sum, kept: rows.kept,
                slot: rows.slot, row: rows.row};
    if (!goes) begin
      row_now = '{valid: early && rst_ni, workers: read_i.workers, kind: read_i.kind, last: one,
                  pairs: full, port: of_port, keep: read_i.sum, kept: read_i.kept,
                  slot: read_i.slot, row: '0};
    end
    word_now = '{valid: words.words && rst_ni, port: (Uplink == 1) ? words.port : rows.port,
                 rank: words.rank, word: words.word[1:0], slot: rows.slot};
  end
  logic [NumRanks-1:0] rests;
  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      rests[r] = u_dut.held_q[p][r] || !u_dut.word3_q[p][r][at];
    end
  end

  // What reads found: in rows of the ranks that are summed, and in the header of the one whose
  // result leaves by a port that gets one.
  ecc_t row_found;
  always_comb begin
    row_found = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (row.keep && row.workers > (RankW + 1)'(r)) row_found |= row_ecc_i[r];
    end
    if (Ecc == 0) row_found = '0;
  end

  logic reset_q, any_q, mixed;
  assign mixed = 32'(word_q[Read+2].rank) >= NumRanks;   // ranks that make a number of none
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    {port_q, bit_q} <= {p, at};
    past_q  <= {past_q[Read+1:0], 1'b1};
    reset_q <= !rst_ni;
    rows_q  <= rows_d;
    words_q <= words_d;
    busy_q  <= over || (u_dut.busy_q && !done);
    gap_q   <= (goes && rows.half) || (early && half);
    row_q   <= {row_q[Read-1:1], row_now};
    word_q  <= {word_q[Read+1:1], word_now};
    bits_q  <= {bits_q[1], hdr_i[word.rank][{word.word, 7'd0} + at]};
    bads_q  <= {bads_q[1], hdr_ecc_i[word.rank].bad};
    any_q   <= word.valid && word.word == '0;
    if (!rst_ni) begin
      for (int unsigned n = 1; n <= Read; n++) row_q[n].valid <= 1'b0;
      for (int unsigned n = 1; n <= Read + 2; n++) word_q[n].valid <= 1'b0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // In hand stands what stood there, less what was read; or what was handed over, with its
      // first row read or not.
      a_rows : assert (reset_q || {rows.rows, rows.row, rows.at_last, rows.last_row, rows.half,
          rows.sum, rows.kept, rows.slot} == {rows_q.rows, rows_q.row, rows_q.at_last,
          rows_q.last_row, rows_q.half, rows_q.sum, rows_q.kept, rows_q.slot})
      else $error("row %0d", rows.row);
      a_what : assert (reset_q || {rows.pairs, rows.kind, rows.workers, rows.port} ==
                       {rows_q.pairs, rows_q.kind, rows_q.workers, rows_q.port})
      else $error("kind %0d", rows.kind);
      a_words : assert (reset_q || (words.words == words_q.words && words.word == words_q.word &&
          {words.lock, words.slot, words.port} == {words_q.lock, words_q.slot, words_q.port} &&
          words.rank == words_q.rank))
      else $error("word %0d", words.word);
      a_busy : assert ({u_dut.busy_q, u_dut.gap_q} == (reset_q ? 2'b00 : {busy_q, gap_q}))
      else $error("busy %b, gap %b", u_dut.busy_q, u_dut.gap_q);
      // Without a result in hand nothing is left to be read, and nothing is while it is reset.
      a_idle : assert (u_dut.busy_q || !(rows.rows || words.words))
      else $error("rows and words of nothing");

      // The banks are read for a sum: the next row, or the first one of what is handed over.
      a_read : assert (row_re == ((goes && rows.sum) || (early && read_i.sum)) &&
          ((goes && {row_slot, row_row} == {rows.slot, rows.row}) ||
           (!goes && {row_slot, row_row} == {read_i.slot, 8'd0})))
      else $error("row %0d of slot %0d", row_row, row_slot);
      // A header word is read each cycle, of the slot that was taken.
      a_word : assert (hdr_re == words.words && (!hdr_re || (hdr_row == words.word[2] &&
                       hdr_slot == ((Uplink == 1) ? words.slot : rows.slot))))
      else $error("word %0d of slot %0d", words.word, hdr_slot);
      // The next result is taken when this one is read; one whose rows are the parent's, when the
      // words are, if rows follow each other each cycle.
      a_ready : assert (ready == (!u_dut.busy_q || done || (Uplink == 1 && read_parent_i &&
                                  words_end && !rows.half)))
      else $error("ready %b", ready);
      // The lock is given back with the last read; below a parent with the last word.
      a_release : assert (release_lock == words.lock && release_now ==
          ((Uplink == 1 && !rows.half) ? words.words && words.word == 3'd6 : done))
      else $error("released %b", release_now);

      // A word of a rank that was not meant in the cycle before is clear (helps the proof).
      a_rests : assert (rests == '1)
      else $error("rests %b", rests);

      if (past_q[Read+2]) begin
        // A row goes to the reduction as what it is, when it leaves the banks.
        a_reduce : assert (reduce_valid == row.valid && {reduce_workers, reduce_kind, reduce_last,
            reduce_ports[p], reduce_keep, reduce_kept, reduce_slot, reduce_row} == {row.workers,
            row.kind, row.last, row.port, row.keep, row.kept, row.slot, row.row} &&
            reduce_ports >> NumPorts == '0)
        else $error("row %0d of slot %0d", reduce_row, reduce_slot);
        // With the last one it is said how many pairs of its bytes are tensor.
        a_pairs : assert (pairs_valid == (row.valid && row.last) && pairs == row.pairs)
        else $error("%0d pairs", pairs);
        a_found : assert (reduce_found == row_found)
        else $error("found %b", reduce_found);
        // Two cycles behind the banks, a port gets the word of the rank whose result leaves there;
        // slot state gives no port two.
        a_header : assert (hdr_we[p] == (word_q[Read+2].valid && word_q[Read+2].port) &&
                           (!hdr_we[p] || mixed || hdr_word[p][at] == bits_q[2]))
        else $error("bit %0d", at);
        a_bad : assert (!hdr_we[p] || mixed || hdr_bad[p] == (Ecc == 1 && bads_q[2]))
        else $error("bad %b", hdr_bad);
        // A row of headers is read once a word, and what was found there is told with one of them.
        a_told : assert (any_q || told.found == '0)
        else $error("told of slot %0d", told.at);
        // Header words beside rows of another slot; the last row of three.
        c_beside : cover (hdr_re && goes && ((Uplink == 1) == (hdr_slot != row_slot)));
        c_three : cover (reduce_valid && reduce_last && reduce_row == 8'd2);
      end
    end
  end

endmodule
