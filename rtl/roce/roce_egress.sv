// Sends the results of one port: puts a connection's own headers in front of reduced rows, and a
// new ICRC behind them.
//
// A frame is hdr[0..hdr_len) ++ tensor[0..tensor_len) ++ two pad bytes if the connection's packet
// had them ++ ICRC, least significant byte first. Everything comes from the header record, so a
// result differs from the gradient packet it answers only in tensor, UDP checksum (zero), ICRC
// (NetReduce 3.1: the connection must not notice that it was cut), and where it is asked for in the
// mark that no raw packet has (docs/wire.md).
//
// Who waits: nobody in front. Header words and rows are never refused, because emission reserves
// room before it takes a result, and learns from the pop pulses when room comes back. A frame
// starts when its header and its first row are here; from then on it leaves as fast as rows come in
// (cut-through) and as `out_ready_i` allows: five cycles after its first row came in. Its last
// beat waits for the ICRC, ten cycles behind its last row. The next header loads (nine cycles)
// while a frame's rows leave, so frames of ten beats or more follow each other without a gap.
module roce_egress
  import roce_pkg::*;
#(
  /// Rows that wait here, power of two, 8 to 4096.
  parameter int unsigned FifoRows = 512,
  /// Header records that wait here, power of two, 1 to 64.
  parameter int unsigned HdrFrames = 8,
  /// Bytes of the longest tensor, power of two.
  parameter int unsigned SlotBytes = 1024,
  /// 1: what waits here is corrected, and what comes may be bad. A result of bad headers is
  /// dropped; one of bad rows is under way before that is known, and goes out with its ICRC
  /// inverted.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // What results are marked with; 0: they are not. Changes only when a register does.
  input logic [7:0] epoch_i,

  // Header records, eight words each: the last one, which ends with hdr_meta_t, then the others
  // from bytes 0 to 15 on. Never refused: the sender holds a credit.
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic                   hdr_bad_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Rows of the frames in the order of their headers, `rows_of` their tensor, `last` on a frame's
  // last. Bytes behind the tensor may be anything. Never refused: the sender holds
  // credits.
  input logic                row_we_i,
  input logic [BeatBits-1:0] row_i,
  input logic                row_last_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic                row_bad_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // The rows' part of each frame's ICRC (roce_icrc_rows), in the order of the frames; never
  // refused.
  input logic        part_we_i,
  input logic [31:0] part_i,

  // Credits given back, a pulse each: a row, or the eighth word of a header record, left its FIFO.
  output logic row_pop_o,
  output logic frame_pop_o,

  // Finished frames.
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output beat_t out_o,
  output logic  out_bad_o,   // with `last`: the frame's ICRC is wrong on purpose

  // Pulses: a result was dropped; what was found in what waited here.
  output logic dropped_o,
  output logic corrected_o,
  output logic bad_o,

  // Observation: the first beat of a result is taken in this cycle; its connection and PSN.
  output logic        start_valid_o,
  output logic [ConnBits-1:0] start_conn_o,
  output logic [23:0] start_psn_o,
  // With `dropped_o`: which result it was, from 1.
  output logic [23:0] drop_number_o
);

  if (FifoRows < 8 || FifoRows > 4096 || FifoRows != 2 ** $clog2(FifoRows)) begin : gen_check_rows
    $fatal(1, "%m: FifoRows must be a power of two, 8 to 4096, is %0d", FifoRows);
  end
  if (HdrFrames < 1 || HdrFrames > 64 || HdrFrames != 2 ** $clog2(HdrFrames)) begin : gen_check_hdr
    $fatal(1, "%m: HdrFrames must be a power of two, 1 to 64, is %0d", HdrFrames);
  end

  /// Beats between aligner and output: the last beat of a frame waits for its ICRC, and up to here
  /// the beats behind it keep moving.
  localparam int unsigned Beats = 24;

  /// ICRCs of headers that wait: more than start while one takes its way through here.
  localparam int unsigned Parts = 16;

  localparam int unsigned HdrDepth = HdrFrames * HdrWords;

  // ---------------------------------------------------------------------------------------------
  // What waits

  logic                   word_in_ready, word_valid, word_ready;
  logic [HdrWordBits-1:0] word;
  logic [HdrWordBits+Ecc-1:0] word_out;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(HdrDepth+1)-1:0] word_count;   // the counts are for assertions of those who reserve
  logic [$clog2(FifoRows+1)-1:0] row_count;
  // verilator lint_on UNUSEDSIGNAL

  // A word's highest bit says that it was bad when it came; it stands in place of a frame's end,
  // which words do not have.
  logic             word_bad, word_lost, word_was_bad;
  // verilator lint_off UNUSEDSIGNAL
  logic             word_corrected, word_bad_now, row_corrected, row_bad_now;
  // verilator lint_on UNUSEDSIGNAL

  prim_frame_fifo_ecc #(
    .Width (HdrWordBits + Ecc),
    .Depth (HdrDepth),
    .Around(1'b0),   // words come well in front of their rows
    .Block (1'b1),   // half of one's words at most, but a block costs less than their LUTs
    .Ecc   (Ecc)
  ) u_words (
    .clk_i,
    .rst_ni,
    .in_valid_i (hdr_we_i),
    .in_ready_o (word_in_ready),
    .in_i       ((HdrWordBits+Ecc)'({hdr_bad_i, hdr_word_i})),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_o(word_valid),
    .out_ready_i(word_ready),
    .out_o      (word_out),
    .out_bad_o  (word_lost),
    .count_o    (word_count),
    .corrected_o(word_corrected),
    .bad_o      (word_bad_now)
  );
  assign word         = word_out[HdrWordBits-1:0];
  assign word_was_bad = Ecc != 0 && word_out[HdrWordBits+Ecc-1];
  assign word_bad     = word_was_bad || word_lost;

  // The highest bit is a frame's end; with Ecc the next one says that the row was bad when it came.
  localparam int unsigned RowBits = BeatBits + 1 + Ecc;

  logic                row_in_ready, row_valid, row_ready, row_last, row_bad, row_was_bad, row_lost;
  logic [BeatBits-1:0] row;
  logic [RowBits-1:0]  row_in, row_out;

  if (Ecc != 0) begin : gen_row_ecc
    assign row_in      = {row_last_i, row_bad_i, row_i};
    assign row_was_bad = row_out[BeatBits];
  end else begin : gen_row
    assign row_in      = {row_last_i, row_i};
    assign row_was_bad = 1'b0;
  end
  assign row      = row_out[BeatBits-1:0];
  assign row_last = row_out[RowBits-1];
  assign row_bad  = row_was_bad || row_lost;

  prim_frame_fifo_ecc #(
    .Width(RowBits),
    .Depth(FifoRows),
    .Ecc  (Ecc)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .in_valid_i (row_we_i),
    .in_ready_o (row_in_ready),
    .in_i       (row_in),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_o(row_valid),
    .out_ready_i(row_ready),
    .out_o      (row_out),
    .out_bad_o  (row_lost),
    .count_o    (row_count),
    .corrected_o(row_corrected),
    .bad_o      (row_bad_now)
  );

  logic [2:0] word_at_q;

  assign row_pop_o   = row_valid && row_ready;
  assign frame_pop_o = word_valid && word_ready && word_at_q == 3'(HdrWords - 2);

  // ---------------------------------------------------------------------------------------------
  // One header, loaded word by word, the last one first, and what it is marked with. The aligner
  // reads it up to the cycle behind `header_done`; a word is overwritten at the end of that cycle,
  // not earlier.

  logic [HdrWords-1:0][HdrWordBits-1:0] header_q;
  logic                                 header_full_q, header_done;
  logic                                 header_bad_q;   // a word that is loaded was bad
  logic [7:0]                           epoch_q;
  logic                                 head_ready, word_first;

  assign word_ready = !header_full_q && head_ready;
  assign word_first = word_at_q == 3'(HdrWords - 1);

  always_ff @(posedge clk_i) begin
    if (word_valid && word_ready) begin
      for (int unsigned i = 0; i < HdrWords; i++) begin
        if (word_at_q == 3'(i)) header_q[i] <= word;
      end
      word_at_q    <= word_at_q + 3'd1;
      if (word_first) epoch_q <= epoch_i;
      header_bad_q <= word_bad || (header_bad_q && !word_first);
      if (word_at_q == 3'(HdrWords - 2)) header_full_q <= 1'b1;
    end
    if (header_done) header_full_q <= 1'b0;
    if (!rst_ni) begin
      word_at_q     <= 3'(HdrWords - 1);
      header_full_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Assemble; insert the ICRC.

  logic                beat_valid, beat_first, beat_last;
  // verilator lint_off UNUSEDSIGNAL
  logic                beat_second, beat_v6, beat_vlan;   // of use where beats are fed to a CRC
  // verilator lint_on UNUSEDSIGNAL
  logic [WordW-1:0]    beat_end;
  logic [BeatBits-1:0] beat_data;
  logic                begin_valid, beat_pop, out_first, beat_bad;
  // verilator lint_off UNUSEDSIGNAL
  logic                dropped;   // only with Ecc
  // verilator lint_on UNUSEDSIGNAL
  logic [ConnBits+23:0] begin_who, start_who;

  roce_egress_align #(
    .Beats  (Beats),
    .Ecc    (Ecc),
    .Without(Without)
  ) u_align (
    .clk_i,
    .rst_ni,
    .epoch_i       (epoch_q),
    .header_valid_i(header_full_q),
    .header_i      (header_q),
    .header_bad_i  (header_bad_q),
    .header_done_o (header_done),
    .row_valid_i   (row_valid),
    .row_ready_o   (row_ready),
    .row_i         (row),
    .row_last_i    (row_last),
    .row_bad_i     (row_bad),
    .begin_valid_o (begin_valid),
    .begin_conn_o  (begin_who[24+:ConnBits]),
    .begin_psn_o   (begin_who[23:0]),
    .drop_o        (dropped),
    .beat_valid_o  (beat_valid),
    .beat_first_o  (beat_first),
    .beat_second_o (beat_second),
    .beat_last_o   (beat_last),
    .beat_end_o    (beat_end),
    .beat_v6_o     (beat_v6),
    .beat_vlan_o   (beat_vlan),
    .beat_data_o   (beat_data),
    .beat_bad_o    (beat_bad),
    .beat_pop_i    (beat_pop)
  );

  logic        icrc_valid, icrc_pop;
  logic [31:0] icrc;

  roce_icrc_join #(
    .Frames   (Parts),
    .HdrFrames(HdrFrames),
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc),
    .Without  (Without)
  ) u_join (
    .clk_i,
    .rst_ni,
    .ready_o     (head_ready),
    .we_i        (word_valid && word_ready),
    .at_i        (word_at_q),
    .word_i      (word),
    .epoch_i,
    .epoch_kept_i(epoch_q),
    .bad_i       (header_bad_q),
    .part_we_i,
    .part_i,
    .icrc_valid_o(icrc_valid),
    .icrc_o      (icrc),
    .icrc_pop_i  (icrc_pop)
  );

  roce_icrc_place #(
    .Beats(Beats),
    .Ecc  (Ecc)
  ) u_icrc (
    .clk_i,
    .rst_ni,
    .beat_valid_i(beat_valid),
    .beat_first_i(beat_first),
    .beat_last_i (beat_last),
    .beat_end_i  (beat_end),
    .beat_data_i (beat_data),
    .beat_bad_i  (beat_bad),
    .beat_pop_o  (beat_pop),
    .icrc_valid_i(icrc_valid),
    .icrc_i      (icrc),
    .icrc_pop_o  (icrc_pop),
    .out_valid_o,
    .out_ready_i,
    .out_first_o (out_first),
    .out_bad_o,
    .out_o
  );

  // ---------------------------------------------------------------------------------------------
  // Who is on the way: at most one frame for each beat in the aligner and in the ICRC stage, and
  // one at the output.

  logic who_in_ready, who_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Beats+2)-1:0] who_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (logic [ConnBits+23:0]),
    .Depth(Beats + 1)
  ) u_who (
    .clk_i,
    .rst_ni,
    .in_valid_i (begin_valid),
    .in_ready_o (who_in_ready),
    .in_i       (begin_who),
    .out_valid_o(who_valid),
    .out_ready_i(start_valid_o),
    .out_o      (start_who),
    .count_o    (who_count)
  );

  assign start_valid_o = out_valid_o && out_ready_i && out_first;
  assign start_conn_o  = start_who[24+:ConnBits];
  assign start_psn_o   = start_who[23:0];

  if (Ecc != 0) begin : gen_ecc
    logic [23:0] number_q;   // results begun or dropped
    always_ff @(posedge clk_i) begin
      if (begin_valid || dropped) number_q <= number_q + 24'd1;
      dropped_o     <= dropped;
      drop_number_o <= number_q + 24'd1;
      corrected_o   <= word_corrected || row_corrected;
      bad_o         <= word_bad_now || row_bad_now;
      if (!rst_ni) begin
        number_q    <= '0;
        dropped_o   <= 1'b0;
        corrected_o <= 1'b0;
        bad_o       <= 1'b0;
      end
    end
  end else begin : gen_no_ecc
    assign dropped_o     = 1'b0;
    assign drop_number_o = '0;
    assign corrected_o   = 1'b0;
    assign bad_o         = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Room for a row was reserved; else a result would leave with a row missing.
      a_row_room : assert (!row_we_i || row_in_ready)
      else $error("%m: a row comes in, and %0d rows wait", row_count);
      // Room for a header was reserved; else a result would leave with another connection's
      // headers.
      a_header_room : assert (!hdr_we_i || word_in_ready)
      else $error("%m: a header word comes in, and %0d words wait", word_count);
      // A frame that starts has been announced, and there was room for it; else the observer is
      // told of another one.
      a_who : assert ((!start_valid_o || who_valid) && (!begin_valid || who_in_ready))
      else $error("%m: frames begun and frames started do not match");
    end
  end

endmodule
