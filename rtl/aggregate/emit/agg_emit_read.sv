// Reads what was taken out of the banks: eight header words and all payload rows of one slot, all
// banks in lock step.
//
// Payload is read once, for the sum, and then others may write there; rows of a repetition come
// from the sums that were kept, at the end of the reduction, and go along it as if they were summed
// (agg_sum).
//
// One payload row a cycle; 16-bit types without wide lanes every other cycle. Nothing can stop a
// read: rooms were reserved. The next one starts in the cycle after the last row or header word of
// the one before, whichever was later; if nothing is in hand when a take is answered, its first row
// is read in that cycle.
//
// Below a parent rows of its results are read elsewhere (agg_emit_beside), and a lock is given back
// with the last header word where rows follow one another every cycle: then they are read in front
// of any write that starts behind it.
module agg_emit_read
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// 1: the reduction takes a row of 16-bit elements every cycle; 0: every other one.
  parameter int unsigned WideLanes = 0,
  /// 1: below a parent.
  parameter int unsigned Uplink = 0,
  /// 1: banks have corrected words.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // A taken slot, and the lock that covers it; `release`, a pulse with the last read that needs it,
  // gives the lock back.
  input  logic      read_valid_i,
  input  logic      read_now_i,        // it is answered in this cycle
  // Below a parent: its rows are read elsewhere. It waits for header words only.
  input  logic      read_parent_i,
  output logic      read_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */
  input  take_rsp_t read_i,            // status and ring are not looked at
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic      read_lock_i,
  output logic      release_o,
  output logic      release_lock_o,

  // Reads of all ranks' banks alike.
  output logic             row_re_o,
  output logic [SlotW-1:0] row_slot_o,
  output logic [7:0]       row_row_o,
  output logic             hdr_re_o,
  output logic [SlotW-1:0] hdr_slot_o,
  output logic             hdr_row_o,
  // Header rows, BankRead + Ecc cycles after `hdr_re_o`; what was found in them, and as late in
  // payload rows.
  input  logic [NumRanks-1:0][BeatBits-1:0] hdr_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  ecc_t [NumRanks-1:0]               hdr_ecc_i,
  input  ecc_t [NumRanks-1:0]               row_ecc_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // What the rows are, as they come out of the banks BankRead + Ecc cycles after `row_re_o`.
  output logic                reduce_valid_o,
  output logic [RankW:0]      reduce_workers_o,
  output logic [7:0]          reduce_kind_o,
  output logic                reduce_last_o,
  output logic [MaxPorts-1:0] reduce_ports_o,
  output logic                reduce_keep_o,
  output logic                reduce_kept_o,
  output logic [SlotW-1:0]    reduce_slot_o,
  output logic [7:0]          reduce_row_o,
  output ecc_t                reduce_found_o,
  // With a last row: how many of its pairs of bytes are tensor.
  output logic                pairs_valid_o,
  output logic [PairsW-1:0]          pairs_o,

  // Header words to each port's egress, the last of a record first, then bytes 0 to 15; never
  // refused.
  output logic [NumPorts-1:0]                  hdr_we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word_o,
  output logic [NumPorts-1:0]                  hdr_bad_o,

  // What reads of header records found that were of use, by slot.
  output mem_event_t hdr_event_o
);

  /// Bits of the number of a header word in its row.
  localparam int unsigned RowWordW = $clog2(HdrRowWords);

  typedef struct packed {
    logic [RankW:0]                 workers;
    logic [7:0]                     kind;
    logic                           last;
    logic [PairsW-1:0]              pairs;
    logic [MaxPorts-1:0]            ports;
    logic                           keep;
    logic                           kept;
    logic [SlotW-1:0]               slot;
    logic [7:0]                     row;
  } row_ctrl_t;

  typedef struct packed {
    logic [RowWordW-1:0]            word;    // of the row
    logic [NumPorts-1:0]            ports;
    logic [NumPorts-1:0][RankW-1:0] rank;    // whose header goes to which port
  } hdr_ctrl_t;

  // ---------------------------------------------------------------------------------------------
  // The read in hand.

  logic                           busy_q, rows_left_q, words_left_q, gap_q;
  logic                           half_q;    // a row every other cycle
  logic                           at_last_q; // `row_q` is the last row
  logic                           lock_q, sum_q, kept_q;
  logic                           row_goes;
  logic [SlotW-1:0]               slot_q;
  logic [7:0]                     row_q, last_row_q, kind_q;
  logic [2:0]                     word_q;
  logic [PairsW-1:0]              pairs_q, pairs_d;
  logic [RankW:0]                 workers_q;
  logic [NumPorts-1:0]            ports_q, ports_d;
  logic [NumPorts-1:0][RankW-1:0] rank_q, rank_d;
  logic                           load, done, row_last, word_last, half_d;
  logic                           early;     // the first row of what is handed over is read
  logic                           single_d;  // that has one row
  // Below a parent header words may be another slot's than rows.
  logic                           load_rows, words_done;
  logic [SlotW-1:0]               hdr_slot_q, hdr_slot;
  logic [NumPorts-1:0]            hdr_ports_q, hdr_ports;
  logic [7:0]                     last_row_d;

  assign row_goes    = rows_left_q && !gap_q;
  assign early       = read_now_i && !busy_q && !gap_q;
  assign row_re_o    = (row_goes && sum_q) || (early && read_i.sum);
  assign row_slot_o = row_goes ? slot_q : read_i.slot;
  assign row_row_o  = row_goes ? row_q : '0;
  assign row_last   = row_goes && at_last_q;
  assign hdr_re_o   = words_left_q;
  assign hdr_slot_o = hdr_slot;
  assign hdr_row_o  = (HdrRows == 1) ? 1'b0 : word_q[2];
  assign word_last  = words_left_q && word_q == 3'(HdrWords - 2);

  assign words_done     = !words_left_q || word_last;
  assign done           = busy_q && (!rows_left_q || row_last) && words_done;
  // Rows that hold their lock to the end have no header words of another slot beside them.
  assign read_ready_o   = !busy_q || done ||
      (Uplink != 0 && read_parent_i && !half_q && words_done);
  assign load           = read_valid_i && read_ready_o;
  assign load_rows      = load && !(Uplink != 0 && read_parent_i);
  assign hdr_slot       = (Uplink != 0) ? hdr_slot_q : slot_q;
  assign hdr_ports      = (Uplink != 0) ? hdr_ports_q : ports_q;
  assign release_o      = (Uplink != 0 && !half_q) ? word_last : done;
  assign release_lock_o = lock_q;

  always_comb begin
    ports_d = '0;
    rank_d  = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (read_i.ranks[r] && read_i.port[r] == PortW'(p)) begin
          ports_d[p] = 1'b1;
          rank_d[p] |= RankW'(r);
        end
      end
    end
    last_row_d = last_row_of(read_i.tensor_len);
    single_d   = read_i.tensor_len <= 14'(BeatBytes);
    pairs_d    = pairs_of(read_i.tensor_len);
    half_d = WideLanes == 0 && is_half(read_i.kind[3:0]);
  end

  always_ff @(posedge clk_i) begin
    gap_q <= (row_goes && half_q) || (early && half_d);
    if (row_goes) begin
      row_q     <= row_q + 8'd1;
      at_last_q <= row_q + 8'd1 == last_row_q;
    end
    if (row_last) rows_left_q <= 1'b0;
    if (hdr_re_o) word_q <= word_q + 3'd1;
    if (word_last) words_left_q <= 1'b0;
    if (done) busy_q <= 1'b0;
    if (load) begin
      busy_q       <= 1'b1;
      words_left_q <= 1'b1;
      word_q       <= 3'(HdrWords - 1);
      lock_q       <= read_lock_i;
      hdr_slot_q   <= read_i.slot;
      hdr_ports_q  <= ports_d;
      rank_q       <= rank_d;
    end
    if (load_rows) begin
      rows_left_q  <= !(early && single_d);
      row_q        <= 8'(early);
      half_q       <= half_d;
      sum_q        <= read_i.sum;
      kept_q       <= read_i.kept;
      slot_q       <= read_i.slot;
      last_row_q   <= last_row_d;
      at_last_q    <= early ? read_i.tensor_len <= 14'(2 * BeatBytes) : single_d;
      pairs_q      <= pairs_d;
      kind_q       <= read_i.kind;
      workers_q    <= read_i.workers;
      ports_q      <= ports_d;
    end
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      rows_left_q  <= 1'b0;
      words_left_q <= 1'b0;
      gap_q        <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Rows: what they are goes along.

  /// From a read to its row.
  localparam int unsigned Read = BankRead + Ecc;

  row_ctrl_t     row_ctrl_q [1:Read];
  logic [Read:1] row_valid_q;

  always_ff @(posedge clk_i) begin
    row_valid_q           <= {row_valid_q[Read-1:1], row_goes || early};
    row_ctrl_q[1].workers <= row_goes ? workers_q : read_i.workers;
    row_ctrl_q[1].kind    <= row_goes ? kind_q : read_i.kind;
    row_ctrl_q[1].last    <= row_goes ? row_last : single_d;
    row_ctrl_q[1].pairs   <= row_goes ? pairs_q : pairs_d;
    row_ctrl_q[1].ports   <= row_goes ? MaxPorts'(ports_q) : MaxPorts'(ports_d);
    row_ctrl_q[1].keep    <= row_goes ? sum_q : read_i.sum;
    row_ctrl_q[1].kept    <= row_goes ? kept_q : read_i.kept;
    row_ctrl_q[1].slot    <= row_slot_o;
    row_ctrl_q[1].row     <= row_row_o;
    for (int unsigned i = 2; i <= Read; i++) row_ctrl_q[i] <= row_ctrl_q[i-1];
    if (!rst_ni) row_valid_q <= '0;
  end

  assign reduce_valid_o   = row_valid_q[Read];
  assign reduce_workers_o = row_ctrl_q[Read].workers;
  assign reduce_kind_o    = row_ctrl_q[Read].kind;
  assign reduce_last_o    = row_ctrl_q[Read].last;
  assign reduce_ports_o   = row_ctrl_q[Read].ports;
  assign reduce_keep_o    = row_ctrl_q[Read].keep;
  assign reduce_kept_o    = row_ctrl_q[Read].kept;
  assign reduce_slot_o    = row_ctrl_q[Read].slot;
  assign reduce_row_o     = row_ctrl_q[Read].row;
  assign pairs_valid_o    = row_valid_q[Read] && row_ctrl_q[Read].last;
  assign pairs_o          = row_ctrl_q[Read].pairs;

  // ---------------------------------------------------------------------------------------------
  // Headers: one word of each bank's row, then one bank's word for each port.

  hdr_ctrl_t                            hdr_ctrl_q [1:Read+1];
  logic [Read+1:1]                      hdr_valid_q;
  // Of each port the word of each bank, zero but for that of its rank: registers that are cleared
  // choose for no LUT, and one a bit joins them, where a multiplexer of six takes two.
  logic [NumPorts-1:0][NumRanks-1:0]                  its, held_q;   // now; in the cycle before
  logic [NumPorts-1:0][NumRanks-1:0][HdrWordBits-1:0] word3_q;
  logic [NumRanks-1:0][HdrWordBits-1:0]               word3_d;
  logic [NumPorts-1:0][HdrWordBits-1:0]               word4_d;

  always_comb begin
    word4_d = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      word3_d[r] = hdr_i[r][HdrWordBits*hdr_ctrl_q[Read].word+:HdrWordBits];
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        its[p][r] = hdr_valid_q[Read] && hdr_ctrl_q[Read].rank[p] == RankW'(r);
        word4_d[p] |= word3_q[p][r];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    hdr_valid_q         <= {hdr_valid_q[Read:1], hdr_re_o};
    hdr_ctrl_q[1].word  <= word_q[RowWordW-1:0];
    hdr_ctrl_q[1].ports <= hdr_ports;
    hdr_ctrl_q[1].rank  <= rank_q;
    for (int unsigned i = 2; i <= Read + 1; i++) hdr_ctrl_q[i] <= hdr_ctrl_q[i-1];
    held_q <= its;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        if (its[p][r]) word3_q[p][r] <= word3_d[r];
        else if (held_q[p][r]) word3_q[p][r] <= '0;
      end
    end
    hdr_word_o <= word4_d;
    hdr_we_o   <= hdr_valid_q[Read+1] ? hdr_ctrl_q[Read+1].ports : '0;
    if (!rst_ni) begin
      hdr_valid_q <= '0;
      hdr_we_o    <= '0;
      held_q      <= '1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What reads found, of ranks that count: all of the ring in a sum, those of the take in headers.

  if (Ecc != 0) begin : gen_ecc
    logic [SlotW-1:0]    at_q [1:Read];
    logic [NumRanks-1:0] there, used, hdr_bad3_q;
    logic [NumPorts-1:0] hdr_bad_q;
    ecc_t                rows, headers;
    mem_event_t          hdr_event_q;

    always_comb begin
      rows    = '0;
      headers = '0;
      used    = '0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        for (int unsigned r = 0; r < NumRanks; r++) begin
          if (hdr_ctrl_q[Read].ports[p] && hdr_ctrl_q[Read].rank[p] == RankW'(r)) used[r] = 1'b1;
        end
      end
      for (int unsigned r = 0; r < NumRanks; r++) begin
        there[r] = row_ctrl_q[Read].keep && (RankW + 1)'(r) < row_ctrl_q[Read].workers;
        if (there[r]) rows = rows | row_ecc_i[r];
        if (used[r]) headers = headers | hdr_ecc_i[r];
      end
    end

    always_ff @(posedge clk_i) begin
      at_q[1] <= hdr_slot;
      for (int unsigned i = 2; i <= Read; i++) at_q[i] <= at_q[i-1];
      // A row of headers is read once a word.
      hdr_event_q.found <= (hdr_valid_q[Read] && hdr_ctrl_q[Read].word == '0) ? headers : '0;
      hdr_event_q.at    <= at_q[Read];
      for (int unsigned r = 0; r < NumRanks; r++) hdr_bad3_q[r] <= hdr_ecc_i[r].bad;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        hdr_bad_q[p] <= 1'b0;
        for (int unsigned r = 0; r < NumRanks; r++) begin
          if (hdr_ctrl_q[Read+1].rank[p] == RankW'(r)) hdr_bad_q[p] <= hdr_bad3_q[r];
        end
      end
      if (!rst_ni) hdr_event_q.found <= '0;
    end

    assign reduce_found_o = rows;
    assign hdr_bad_o      = hdr_bad_q;
    assign hdr_event_o    = hdr_event_q;
  end else begin : gen_no_ecc
    assign reduce_found_o = '0;
    assign hdr_bad_o      = '0;
    assign hdr_event_o    = '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && load) begin
      // At most one rank a port; the header of a second would be mixed into the first one's.
      a_one : assert ($countones(read_i.ranks) == $countones(ports_d))
      else $error("%m: two results for one port at once");
      // A result goes somewhere, or is a sum that is to be kept; banks would be read for nobody.
      a_some : assert (ports_d != '0 || read_i.sum)
      else $error("%m: nothing to be read");
    end
  end

endmodule
