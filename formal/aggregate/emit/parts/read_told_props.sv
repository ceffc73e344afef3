// agg_emit_read with banks that correct: what is told of reads of header records, for any results,
// beside a parent's or not. (read_steps says what is read and where it goes.)
//
// A record is two rows of four words; reading a row finds the same with each of its words, so it is
// told with one of them.
module read_told_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned Uplink = 1
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
  input ecc_t [NumRanks-1:0]               row_ecc_i
);

  localparam int unsigned Read = 3;   // cycles from a read to what it finds

  logic                ready, hdr_re;
  logic [NumPorts-1:0] hdr_bad;
  mem_event_t          told;

  agg_emit_read #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .WideLanes(0),
    .Uplink   (Uplink),
    .Ecc      (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .read_valid_i,
    .read_now_i      (read_valid_i && read_now_i),
    .read_parent_i,
    .read_ready_o    (ready),
    .read_i,
    .read_lock_i,
    .release_o       (),
    .release_lock_o  (),
    .row_re_o        (),
    .row_slot_o      (),
    .row_row_o       (),
    .hdr_re_o        (hdr_re),
    .hdr_slot_o      (),
    .hdr_row_o       (),
    .hdr_i,
    .hdr_ecc_i,
    .row_ecc_i,
    .reduce_valid_o  (),
    .reduce_workers_o(),
    .reduce_kind_o   (),
    .reduce_last_o   (),
    .reduce_ports_o  (),
    .reduce_keep_o   (),
    .reduce_kept_o   (),
    .reduce_slot_o   (),
    .reduce_row_o    (),
    .reduce_found_o  (),
    .pairs_valid_o   (),
    .pairs_o         (),
    .hdr_we_o        (),
    .hdr_word_o      (),
    .hdr_bad_o       (hdr_bad),
    .hdr_event_o     (told)
  );

  // The result whose words are read, as it was handed over.
  typedef struct packed {
    logic                           words;   // some are left
    logic [2:0]                     past;    // so many have been read
    logic [NumRanks-1:0][NumPorts-1:0] to;   // the ports that a rank's result leaves by
    logic                           mixed;   // two by one port, which slot state does not ask for
    logic                           local_rows;
    logic [SlotW-1:0]               slot;
  } result_t;
  // A word that was read, and whether it tells of its row.
  typedef struct packed {
    logic                tells;
    logic [NumRanks-1:0] whose;   // these ranks get a result
    logic                mixed;
    logic                local_rows;
    logic [SlotW-1:0]    slot;
  } word_t;

  logic             started_q, over;
  result_t          result_q, handed;
  word_t            word, told_word_q;
  word_t [Read:1]   word_q;
  ecc_t             found, found_q;
  logic [2:1]       bads_q;   // some rank's read of headers was bad, one and two cycles ago
  logic [Read:0]    past_q;
  initial begin
    started_q = 1'b0;
    past_q    = '0;
  end
  assign over = read_valid_i && ready;

  logic [NumPorts-1:0] two, by;
  always_comb begin
    handed            = '0;
    handed.words      = 1'b1;
    handed.slot       = read_i.slot;
    handed.local_rows = Uplink == 0 || !read_parent_i;
    two               = '0;
    by                = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        handed.to[r][p] = read_i.ranks[r] && 32'(read_i.port[r]) == p;
        if (handed.to[r][p]) {two[p], by[p]} = {by[p], 1'b1};
      end
      handed.mixed = handed.mixed || (two != '0);
    end
    // The second word tells of the first row, the sixth one of the second row: a record's last word
    // is read first.
    word = '{tells: hdr_re && result_q.past[1:0] == 2'd1, whose: '0, mixed: result_q.mixed,
             local_rows: result_q.local_rows, slot: result_q.slot};
    for (int unsigned r = 0; r < NumRanks; r++) word.whose[r] = result_q.to[r] != '0;
    // What was found in the rows of those that get a result.
    found = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      found |= word_q[Read].whose[r] ? hdr_ecc_i[r] : ecc_t'('0);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    past_q    <= {past_q[Read-1:0], 1'b1};
    if (hdr_re) result_q.past <= result_q.past + 3'd1;
    if (hdr_re && result_q.past == 3'd7) result_q.words <= 1'b0;
    if (over) result_q <= handed;
    word_q      <= {word_q[Read-1:1], word};
    told_word_q <= word_q[Read];
    found_q     <= found;
    if (!rst_ni) begin
      result_q.words    <= 1'b0;
      told_word_q.tells <= 1'b0;
      for (int unsigned n = 1; n <= Read; n++) word_q[n].tells <= 1'b0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  logic bads;
  always_comb begin
    bads = 1'b0;
    for (int unsigned r = 0; r < NumRanks; r++) bads = bads || hdr_ecc_i[r].bad;
  end
  always_ff @(posedge clk_i) bads_q <= {bads_q[1], bads};

  // What the module has of the result (helps the proof).
  logic [NumPorts-1:0] asks, gets;
  logic                same;
  assign asks = (Uplink == 1) ? u_dut.hdr_ports_q : u_dut.ports_q;
  always_comb begin
    gets = '0;
    same = 1'b1;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      gets |= result_q.to[r];
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (result_q.to[r][p] && u_dut.rank_q[p] != RankW'(r)) same = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Eight words are read of each result that is handed over, and of nothing else.
      a_words : assert (hdr_re == result_q.words && (!hdr_re ||
                        (u_dut.busy_q && u_dut.word_q == result_q.past - 3'd1)))
      else $error("%0d words have been read", result_q.past);
      // They are read for the ports that a rank's result leaves by, each port of its own rank.
      a_whose : assert (!hdr_re || (asks == gets && (result_q.mixed || same)))
      else $error("ports %b", asks);
      // Meanwhile rows that are read are of the same result, or of one in front of the parent's.
      a_rows : assert (!hdr_re || !result_q.local_rows || u_dut.slot_q == result_q.slot)
      else $error("slot %0d", u_dut.slot_q);

      if (past_q[Read]) begin
        // Told is what was found in either row of a header record, of all ranks together that get a
        // result by whichever port; of a rank that gets none nothing is told.
        a_found : assert (told_word_q.mixed ||
                          told.found == (told_word_q.tells ? found_q : ecc_t'('0)))
        else $error("found %b", told.found);
        // It is told of the slot that the record is of, whichever rows are read beside it.
        a_at : assert (!told_word_q.tells || told.at == told_word_q.slot)
        else $error("told of slot %0d", told.at);

        // No word is marked bad at a port if no rank's was found bad, two cycles before.
        a_good : assert (hdr_bad == '0 || bads_q[2])
        else $error("bad %b", hdr_bad);

        // Two ranks get a result, and of the last one is told; of the second row of a record, and
        // below a parent of one for its result.
        c_two : cover (told.found != '0 && $countones(told_word_q.whose) == 2 &&
                       told_word_q.whose[NumRanks-1] && told_word_q.local_rows);
        c_second : cover (told.found != '0 && !hdr_re && (Uplink == 0 || !told_word_q.local_rows));
      end
    end
  end

endmodule
