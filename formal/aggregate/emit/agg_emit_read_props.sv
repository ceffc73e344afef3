// What was taken is read whole and once: each payload row in turn, all banks in lock step, and for
// every port the eight header words of the rank whose result leaves there.
module agg_emit_read_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned WideLanes = 0
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              read_valid_i,
  input logic                              read_now_i,
  input take_rsp_t                         read_i,
  input logic                              read_lock_i,
  input logic [NumRanks-1:0][BeatBits-1:0] hdr_i,
  // In the first cycle: the port that is followed, and the row of a slot.
  input logic                  [PortW-1:0] port_i,
  input logic                  [SlotW-1:0] slot_i,
  input logic                        [7:0] place_i
);

  localparam int unsigned PortIndexW = (NumPorts > 1) ? $clog2(NumPorts) : 1;

  logic                                 started_q;
  logic                     [PortW-1:0] port_q;
  logic                     [SlotW-1:0] slot_q;
  logic                           [7:0] place_q;
  initial started_q = 1'b0;

  logic                                 read_ready, released, released_lock;
  logic                                 row_re, sum_re, hdr_re, hdr_row, reduce_valid;
  logic                                 reduce_last, reduce_keep, reduce_kept;
  logic                     [SlotW-1:0] reduce_slot;
  logic                           [7:0] reduce_row;
  logic                     [SlotW-1:0] row_slot, hdr_slot;
  logic                           [7:0] row_row, reduce_kind;
  logic                       [RankW:0] reduce_workers;
  logic                  [MaxPorts-1:0] reduce_ports;
  logic                  [NumPorts-1:0] hdr_we;
  logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word;
  logic                                 pairs_valid;
  logic                           [5:0] pairs;

  agg_emit_read #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .WideLanes(WideLanes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .read_valid_i,
    .read_now_i      (read_valid_i && read_now_i),
    .read_parent_i   (1'b0),
    .read_ready_o    (read_ready),
    .read_i,
    .read_lock_i,
    .release_o       (released),
    .release_lock_o  (released_lock),
    .row_re_o        (sum_re),
    .row_slot_o      (row_slot),
    .row_row_o       (row_row),
    .hdr_re_o        (hdr_re),
    .hdr_slot_o      (hdr_slot),
    .hdr_row_o       (hdr_row),
    .hdr_i,
    .hdr_ecc_i       ('0),
    .row_ecc_i       ('0),
    .reduce_valid_o  (reduce_valid),
    .reduce_workers_o(reduce_workers),
    .reduce_kind_o   (reduce_kind),
    .reduce_last_o   (reduce_last),
    .reduce_ports_o  (reduce_ports),
    .reduce_keep_o   (reduce_keep),
    .reduce_kept_o   (reduce_kept),
    .reduce_slot_o   (reduce_slot),
    .reduce_row_o    (reduce_row),
    .reduce_found_o  (),
    .pairs_valid_o   (pairs_valid),
    .pairs_o         (pairs),
    .hdr_we_o        (hdr_we),
    .hdr_word_o      (hdr_word)
  );

  // ---------------------------------------------------------------------------------------------
  // The read in hand, and how far it is.

  take_rsp_t  job_q;
  logic       open_q, lock_q, row_before_q;
  logic [3:0] since_q;          // cycles since the last read began; 8 for more
  logic [2:0] away_q;           // cycles since the followed row was read; 7 for more
  logic [3:0] ended_q;          // cycles since a read of the followed slot ended; 8 for more
  logic       half_job_q;       // that was of 16-bit elements, two cycles a row
  logic       other_q;          // the slot is read again soon, for elements of another size
  logic       comes;            // it is read
  logic       early;            // it is that of what is handed over
  assign early  = u_dut.early;
  assign row_re = u_dut.row_goes || early;
  logic [8:0] rows_q, rows;     // read; of the tensor
  take_rsp_t  now;              // what the row that is read belongs to
  assign now = early ? read_i : job_q;
  logic [3:0] words_q;
  logic [2:0] word;             // that is read: the last one first
  assign word = words_q[2:0] + 3'd7;

  logic slow;                   // rows in hand take two cycles each
  assign slow  = u_dut.half_q;
  assign comes = row_re && row_slot == slot_q && row_row == place_q;
  assign rows = (job_q.tensor_len == '0) ? 9'd1 : 9'((15'(job_q.tensor_len) + 15'd63) >> 6);

  always_ff @(posedge clk_i) begin
    row_before_q <= row_re;
    if (since_q != 4'd8) since_q <= since_q + 4'd1;
    if (away_q != 3'd7) away_q <= away_q + 3'd1;
    if (ended_q < 4'd8) ended_q <= ended_q + 4'd1;
    if (released && job_q.slot == slot_q) begin
      ended_q    <= 4'd1;
      half_job_q <= slow;
    end
    if (comes) away_q <= 3'd1;
    if (u_dut.row_goes) rows_q <= rows_q + 9'd1;
    if (hdr_re) words_q <= words_q + 4'd1;
    if (released) open_q <= 1'b0;
    if (read_valid_i && read_ready) begin
      job_q   <= read_i;
      lock_q  <= read_lock_i;
      open_q  <= 1'b1;
      since_q <= 4'd1;
      rows_q  <= 9'(early);
      words_q <= '0;
    end
    if (read_valid_i && read_ready && read_i.slot == slot_q) begin
      other_q <= (WideLanes == 0 && is_half(read_i.kind[3:0])) !=
          ((released && job_q.slot == slot_q) ? slow : half_job_q) &&
          (ended_q < 4'd8 || (released && job_q.slot == slot_q));
    end
    if (!rst_ni) begin
      open_q  <= 1'b0;
      since_q <= 4'd8;
      away_q  <= 3'd7;
      ended_q <= 4'd8;
    end
  end

  // The ranks whose results leave through the followed port, and the ports that anything leaves
  // through.
  function automatic logic [MaxPorts-1:0] ports_of(take_rsp_t job);
    ports_of = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (job.ranks[r]) ports_of[job.port[r]] = 1'b1;
    end
  endfunction

  logic [NumRanks-1:0] mine;
  logic    [RankW-1:0] who;
  always_comb begin
    who = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      mine[r] = job_q.ranks[r] && job_q.port[r] == port_q;
      if (mine[r]) who = RankW'(r);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What must come out of what was read, later.

  typedef struct packed {
    logic                valid;
    logic                last;
    logic [RankW:0]      workers;
    logic [7:0]          kind;
    logic [MaxPorts-1:0] ports;
    logic                keep;
    logic                kept;
    logic [SlotW-1:0]    slot;
    logic [7:0]          row;
    logic [13:0]         tensor_len;
  } row_t;

  typedef struct packed {
    logic             valid;   // for the followed port
    logic [RankW-1:0] rank;
    logic [1:0]       word;
  } word_t;

  row_t  row_q   [1:2];
  word_t word_q  [1:2];
  logic  due3_q, due4_q;
  logic  [HdrWordBits-1:0] bits3_q, bits4_q;

  always_ff @(posedge clk_i) begin
    row_q[1] <= '{valid: row_re && rst_ni,
                  last: early ? 32'(read_i.tensor_len) <= 64 : rows_q + 9'd1 == rows,
                  workers: now.workers, kind: now.kind, ports: ports_of(now), keep: now.sum,
                  kept: now.kept, slot: now.slot, row: early ? '0 : rows_q[7:0],
                  tensor_len: now.tensor_len};
    row_q[2] <= row_q[1];
    word_q[1] <= '{valid: hdr_re && mine != '0 && rst_ni, rank: who, word: word[1:0]};
    word_q[2] <= word_q[1];
    due3_q  <= word_q[2].valid;
    bits3_q <= hdr_i[word_q[2].rank][HdrWordBits*word_q[2].word+:HdrWordBits];
    due4_q  <= due3_q;
    bits4_q <= bits3_q;
    if (!rst_ni) begin
      row_q[2].valid  <= 1'b0;
      word_q[2].valid <= 1'b0;
      due3_q          <= 1'b0;
      due4_q          <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  logic spacing;   // as the reduction takes it for granted
  rows_handover #(
    .WideLanes(WideLanes)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .valid_i  (reduce_valid),
    .kind_i   (reduce_kind),
    .spacing_o(spacing)
  );

  logic [NumRanks-1:0] rests;   // ranks of which the followed port has no word
  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      rests[r] = u_dut.held_q[port_q[PortIndexW-1:0]][r] ||
          u_dut.word3_q[port_q[PortIndexW-1:0]][r] == '0;
    end
  end

  logic [MaxPorts-1:0] read_ports;
  assign read_ports = ports_of(read_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {port_q, slot_q, place_q} <= {port_i, slot_i, place_i};
    // The first cycle is one of reset. Dropped: rows of nobody's job are read.
    e_reset : assume (started_q || !rst_ni);
    // A port that exists. Dropped: results leave where nobody looks.
    e_port : assume (!started_q || 32'(port_q) < NumPorts);
    // Slot state gives at least one rank, and no two behind one port. Dropped: headers are mixed.
    e_ranks : assume (!read_valid_i || (read_i.ranks != '0 &&
        (read_i.ranks >> NumRanks) == '0 && (read_ports >> NumPorts) == '0 &&
        $countones(read_i.ranks) == $countones(read_ports)));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Rows are read one after the other, of the slot that was taken, and no more than it has.
      a_rows : assert (!row_re || (row_slot == now.slot && (early ?
          read_valid_i && read_ready && row_row == '0 :
          open_q && 9'(row_row) == rows_q && rows_q < rows)));
      // Eight header words are read, of the same slot, the last one first.
      a_words : assert (!hdr_re || (open_q && hdr_slot == job_q.slot && words_q < 4'd8 &&
          hdr_row == word[2]));
      // The lock is given back with the last read, and then all has been read: no port writes into
      // a slot that is being read.
      a_released : assert (!released || (open_q && released_lock == lock_q &&
          rows_q + 9'(row_re) == rows && words_q + 4'(hdr_re) == 4'd8));
      // Nothing new starts before.
      a_ready : assert (read_ready == (!open_q || released));
      // A read never stands still: a row at least every other cycle, a header word in each.
      a_goes_on : assert (!open_q || ((row_re || rows_q == rows || row_before_q) &&
          (hdr_re || words_q == 4'd8)));
      // Two cycles after its read a row goes to the reduction as what it is, the last one marked.
      a_reduce : assert (reduce_valid == row_q[2].valid && (!reduce_valid ||
          {reduce_last, reduce_workers, reduce_kind, reduce_ports, reduce_keep, reduce_kept,
           reduce_slot, reduce_row} ==
          {row_q[2].last, row_q[2].workers, row_q[2].kind, row_q[2].ports, row_q[2].keep,
           row_q[2].kept, row_q[2].slot, row_q[2].row}));
      // With a result's last row it is said how many of its pairs of bytes are tensor; no tensor
      // that is summed has an odd length.
      a_pairs : assert (pairs_valid == (reduce_valid && reduce_last) && (!pairs_valid ||
          row_q[2].tensor_len[0] ||
          14'(row_q[2].tensor_len >> 1) == 14'({reduce_row, 5'd0}) + 14'(pairs)));
      // No row goes to the reduction right behind one of 16-bit elements, which takes two passes
      // there; it would take the second one's place.
      a_spacing : assert (spacing)
      else $error("a row right behind one of 16-bit elements");
      // The banks are read for a sum, of all ranks alike; a sum that was kept is not read here,
      // whatever stands in the banks by then.
      a_source : assert (sum_re == (row_re && now.sum));
      // A read begins eight cycles after the one before, or later.
      a_apart : assert (!(read_valid_i && read_ready) || since_q >= 4'd8);
      // A slot's row is read seven cycles after its last read, or later: its sum has been kept by
      // then. Not where elements of another size are read within eight cycles of the last read.
      a_row_apart : assert (!comes || other_q || away_q == 3'd7)
      else $error("row %0d of slot %0d is read again after %0d cycles", place_q, slot_q, away_q);
      // A row takes a cycle, or two, and the first one a cycle more (helps the proof).
      a_pace : assert (!open_q || rows_q == rows || 11'(since_q) + 11'(u_dut.gap_q) <=
          (slow ? {1'b0, rows_q, 1'b0} : {2'b0, rows_q}) + 11'd2)
      else $error("%0d rows in %0d cycles", rows_q, since_q);
      // A port gets the header words of the rank whose result leaves there, and no others.
      a_header : assert (hdr_we[port_q[PortIndexW-1:0]] == due4_q && (!due4_q ||
          hdr_word[port_q[PortIndexW-1:0]] == bits4_q));
      // The word of a rank that was not meant in the cycle before is clear (helps the proof).
      a_rests : assert (rests == '1);
      // How far it is.
      a_open : assert (u_dut.busy_q == open_q && (!open_q || (u_dut.lock_q == lock_q &&
          u_dut.sum_q == job_q.sum && u_dut.kept_q == job_q.kept &&
          u_dut.slot_q == job_q.slot && 9'(u_dut.last_row_q) + 9'd1 == rows &&
          u_dut.pairs_q == pairs_of(job_q.tensor_len) && u_dut.kind_q == job_q.kind &&
          u_dut.workers_q == job_q.workers &&
          MaxPorts'(u_dut.ports_q) == ports_of(job_q) && $onehot0(mine) &&
          (mine == '0 || u_dut.rank_q[port_q[PortIndexW-1:0]] == who))));
      a_since : assert (since_q == 4'd8 || (open_q && words_q < 4'd8 && since_q == words_q + 4'd1));
      a_far : assert (open_q ? (u_dut.rows_left_q == (rows_q != rows) && rows_q <= rows &&
          (!u_dut.rows_left_q || 9'(u_dut.row_q) == rows_q) &&
          u_dut.words_left_q == (words_q != 4'd8) && words_q <= 4'd8 &&
          (!u_dut.words_left_q || u_dut.word_q == word)) :
          (!u_dut.rows_left_q && !u_dut.words_left_q));
      // One read begins when the one before ends.
      c_next : cover (released && read_valid_i);
      // Three rows, with words before and after the last of them.
      c_long : cover (reduce_valid && reduce_last && rows == 9'd3 && NumRanks > 1);
      // The first row is read as a result is handed over.
      c_early : cover (early && NumRanks > 1);
      // A result of 16-bit elements.
      c_half : cover (row_re && rows_q == 9'd1 && job_q.kind[3:0] == TypeFp16);
    end
  end

endmodule
