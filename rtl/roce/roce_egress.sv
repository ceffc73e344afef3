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
// beat waits up to ten cycles more for the ICRC. The next header loads (nine cycles) while a
// frame's rows leave, so frames of ten beats or more follow each other without a gap.
module roce_egress
  import roce_pkg::*;
#(
  /// Rows that wait here, power of two, 8 to 4096.
  parameter int unsigned FifoRows = 512,
  /// Header records that wait here, power of two, 1 to 64.
  parameter int unsigned HdrFrames = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // What results are marked with; 0: they are not. Changes only when a register does.
  input logic [7:0] epoch_i,

  // Header records, eight words each, bytes 0 to 15 first. The last 14 bytes are hdr_meta_t. Never
  // refused: the sender holds a credit.
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,

  // Rows of the frames in the order of their headers, max(1, ceil(tensor_len / 64)) of them, `last`
  // on a frame's last. Bytes behind the tensor may be anything. Never refused: the sender holds
  // credits.
  input logic                row_we_i,
  input logic [BeatBits-1:0] row_i,
  input logic                row_last_i,

  // Credits given back, a pulse each: a row, or the eighth word of a header record, left its FIFO.
  output logic row_pop_o,
  output logic frame_pop_o,

  // Finished frames.
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output beat_t out_o,

  // Observation: the first beat of a result is taken in this cycle; its connection and PSN.
  output logic        start_valid_o,
  output logic [7:0]  start_conn_o,
  output logic [23:0] start_psn_o
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

  localparam int unsigned HdrDepth = HdrFrames * HdrWords;

  // ---------------------------------------------------------------------------------------------
  // What waits

  logic                   word_in_ready, word_valid, word_ready;
  logic [HdrWordBits-1:0] word;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(HdrDepth+1)-1:0] word_count;   // the counts are for assertions of those who reserve
  logic [$clog2(FifoRows+1)-1:0] row_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo_ram #(
    .T     (logic [HdrWordBits-1:0]),
    .Depth (HdrDepth),
    .Around(1'b0)    // words come well in front of their rows
  ) u_words (
    .clk_i,
    .rst_ni,
    .in_valid_i (hdr_we_i),
    .in_ready_o (word_in_ready),
    .in_i       (hdr_word_i),
    .out_valid_o(word_valid),
    .out_ready_i(word_ready),
    .out_o      (word),
    .count_o    (word_count)
  );

  typedef struct packed {
    logic                last;
    logic [BeatBits-1:0] data;
  } row_t;

  logic row_in_ready, row_valid, row_ready;
  row_t row_in, row;

  assign row_in = '{last: row_last_i, data: row_i};

  prim_fifo_ram #(
    .T    (row_t),
    .Depth(FifoRows)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .in_valid_i (row_we_i),
    .in_ready_o (row_in_ready),
    .in_i       (row_in),
    .out_valid_o(row_valid),
    .out_ready_i(row_ready),
    .out_o      (row),
    .count_o    (row_count)
  );

  logic [2:0] word_at_q;

  assign row_pop_o   = row_valid && row_ready;
  assign frame_pop_o = word_valid && word_ready && word_at_q == 3'(HdrWords - 1);

  // ---------------------------------------------------------------------------------------------
  // One header, loaded word by word. The aligner reads it up to the cycle behind `header_done`;
  // word 0 is overwritten at the end of that cycle, not earlier.

  logic [HdrWords-1:0][HdrWordBits-1:0] header_q;
  logic                                 header_full_q, header_done;

  assign word_ready = !header_full_q;

  always_ff @(posedge clk_i) begin
    if (word_valid && word_ready) begin
      header_q[word_at_q] <= word;
      word_at_q           <= word_at_q + 3'd1;
      if (word_at_q == 3'(HdrWords - 1)) header_full_q <= 1'b1;
    end
    if (header_done) header_full_q <= 1'b0;
    if (!rst_ni) begin
      word_at_q     <= '0;
      header_full_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Assemble; insert the ICRC.

  logic                beat_valid, beat_first, beat_second, beat_last, beat_v6, beat_vlan;
  logic [3:0]          beat_end;
  logic [BeatBits-1:0] beat_data;
  logic                begin_valid, beat_pop, out_first;
  logic [31:0]         begin_who, start_who;

  roce_egress_align #(
    .Beats(Beats)
  ) u_align (
    .clk_i,
    .rst_ni,
    .epoch_i,
    .header_valid_i(header_full_q),
    .header_i      (header_q),
    .header_done_o (header_done),
    .row_valid_i   (row_valid),
    .row_ready_o   (row_ready),
    .row_i         (row.data),
    .row_last_i    (row.last),
    .begin_valid_o (begin_valid),
    .begin_conn_o  (begin_who[31:24]),
    .begin_psn_o   (begin_who[23:0]),
    .beat_valid_o  (beat_valid),
    .beat_first_o  (beat_first),
    .beat_second_o (beat_second),
    .beat_last_o   (beat_last),
    .beat_end_o    (beat_end),
    .beat_v6_o     (beat_v6),
    .beat_vlan_o   (beat_vlan),
    .beat_data_o   (beat_data),
    .beat_pop_i    (beat_pop)
  );

  roce_icrc_insert #(
    .Beats(Beats)
  ) u_icrc (
    .clk_i,
    .rst_ni,
    .beat_valid_i (beat_valid),
    .beat_first_i (beat_first),
    .beat_second_i(beat_second),
    .beat_last_i  (beat_last),
    .beat_end_i   (beat_end),
    .beat_v6_i    (beat_v6),
    .beat_vlan_i  (beat_vlan),
    .beat_data_i  (beat_data),
    .beat_pop_o   (beat_pop),
    .out_valid_o,
    .out_ready_i,
    .out_first_o  (out_first),
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
    .T    (logic [31:0]),
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
  assign start_conn_o  = start_who[31:24];
  assign start_psn_o   = start_who[23:0];

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
