// Puts headers, rows and pad bytes of a result together: the beats of a frame without its ICRC.
//
// Ethernet's header has 14 bytes, everything behind it whole words (also the IPv4 and IPv6 payloads
// of RoCEv2), so headers end at byte 2 of a word, tensor and pad are whole words, and a frame
// without ICRC ends at byte 2 of a word too. So the rotation has a position for each word of a
// beat, and ends are counted in words.
//
// A step makes one beat and is begun only when there is room for its beat behind (`Beats` in all,
// given back by `beat_pop_i`); once begun it runs through two stages without ever waiting:
//   rotate the row, choose what to carry over | merge, cut, pad.
module roce_egress_align
  import roce_pkg::*;
#(
  /// Beats that the stage behind has room for, 4 to 64.
  parameter int unsigned Beats = 24,
  /// 1: headers and rows may be bad. A frame of bad headers is dropped, one of bad rows goes out
  /// with `beat_bad_o`.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // What headers with room for a mark are marked with; 0: nothing.
  input logic [7:0] epoch_i,

  // A header record. It stays until `header_done_o`, a pulse that lets the next one load.
  input  logic          header_valid_i,
  input  logic [1023:0] header_i,
  input  logic          header_bad_i,
  output logic          header_done_o,

  // Rows of the frames, in the order of their headers; they wait for a beat's room behind.
  input  logic                row_valid_i,
  output logic                row_ready_o,
  input  logic [BeatBits-1:0] row_i,
  input  logic                row_last_i,
  input  logic                row_bad_i,     // all but `last`

  // Pulse: a frame begins, two cycles before its first beat is shown.
  output logic        begin_valid_o,
  output logic [ConnBits-1:0] begin_conn_o,
  output logic [23:0] begin_psn_o,
  // Pulse: a frame is dropped.
  output logic        drop_o,

  // Beats, never stalled. `end`, valid with `last`, is the word of the beat that the frame ends in:
  // bytes 0 and 1 of that word are its last ones; all behind is zero.
  output logic                beat_valid_o,
  output logic                beat_first_o,
  output logic                beat_second_o,
  output logic                beat_last_o,
  output logic [WordW-1:0]    beat_end_o,
  output logic                beat_v6_o,
  output logic                beat_vlan_o,
  output logic [BeatBits-1:0] beat_data_o,
  output logic                beat_bad_o,    // with `last`: a row of the frame was bad
  // A beat has left the stage behind: credit for one more.
  input  logic                beat_pop_i
);

  if (Beats < 4 || Beats > 64) begin : gen_check_beats
    $fatal(1, "%m: Beats must be 4 to 64, is %0d", Beats);
  end

  localparam int unsigned Words = BeatBytes / 4;
  /// Bit of a record with which the second beat begins, if headers ever reach into it.
  localparam int unsigned Second = (HdrRows > 1) ? BeatBits : 0;

  // ---------------------------------------------------------------------------------------------
  // The frame whose steps are begun

  typedef enum logic [2:0] {
    StWait,    // no frame
    StHead,    // its first beat
    StSecond,  // its second beat, if the headers reach into it
    StRows,    // one beat a row
    StFlush,   // what the last row left over
    StDrop     // its rows are thrown away
  } state_e;

  typedef struct packed {
    logic        spills;     // the headers reach into the second beat
    logic        flush;      // the last row reaches into a beat of its own
    logic [WordW-1:0] shift;      // the headers end behind byte 4 * shift + 1 of a beat
    logic [WordW-1:0] last_word;  // the frame ends behind byte 1 of this word of its last beat
    logic        v6;
    logic        vlan;
    logic        mark;       // the byte in front of the headers' last one is the epoch
    logic        has_pad;
    logic [15:0] pad_bytes;
  } frame_t;

  state_e    state_q;
  frame_t    frame_q, frame_new;
  // verilator lint_off UNUSEDSIGNAL
  hdr_meta_t meta;         // of no use here: rank and reserved bits
  // verilator lint_on UNUSEDSIGNAL
  logic      step, step_row, finish, take_header;
  logic      dropped, frame_bad;

  assign meta = header_i[1023-:HdrMetaBits];

  always_comb begin
    // A pad of two bytes completes the tensor's last word.
    logic [WordW-1:0] tensor_words;
    logic       overflow;
    tensor_words = meta.tensor_len[ByteW-1:2] + WordW'(meta.has_pad);
    {overflow, frame_new.last_word} = (WordW + 1)'(meta.hdr_len[ByteW-1:2]) +
        (WordW + 1)'(tensor_words);
    frame_new.spills    = spills_over(meta.hdr_len);
    frame_new.shift     = meta.hdr_len[ByteW-1:2];
    // No words in the last row means that it is full, if there is a tensor at all.
    frame_new.flush     = (tensor_words == '0) ? meta.tensor_len != '0 : overflow;
    frame_new.v6        = meta.v6;
    frame_new.vlan      = meta.vlan;
    frame_new.mark      = meta.mark && epoch_i != '0;
    frame_new.has_pad   = meta.has_pad;
    frame_new.pad_bytes = meta.pad_bytes;
  end

  // Room behind, in beats.
  localparam int unsigned RoomW = $clog2(Beats + 1);
  logic [RoomW-1:0] room_q;
  logic             some_q;   // there is some

  always_ff @(posedge clk_i) begin
    if (step && !beat_pop_i) begin
      room_q <= room_q - RoomW'(1);
      some_q <= room_q != RoomW'(1);
    end else if (!step && beat_pop_i) begin
      room_q <= room_q + RoomW'(1);
      some_q <= 1'b1;
    end
    if (!rst_ni) begin
      room_q <= RoomW'(Beats);
      some_q <= 1'b1;
    end
  end

  // A long header's first beat needs no row, but waits for one, so that frames do not start and
  // then hold the port.
  assign step = some_q &&
      ((state_q != StWait && state_q != StDrop && row_valid_i) || state_q == StFlush);
  assign step_row    = step && state_q != StFlush && !(state_q == StHead && frame_q.spills);
  assign row_ready_o = step_row || (Ecc != 0 && state_q == StDrop);
  assign finish      = step && (state_q == StFlush || (step_row && row_last_i && !frame_q.flush));

  // The record is free when the last beat that needs it has begun.
  assign header_done_o = dropped ||
      (step && ((state_q == StHead && !frame_q.spills) || state_q == StSecond));
  assign take_header   = header_valid_i && (state_q == StWait ||
      (finish && (state_q == StRows || state_q == StFlush)));

  assign begin_valid_o = step && state_q == StHead;
  assign begin_conn_o  = meta.conn;
  assign begin_psn_o   = meta.psn;

  always_ff @(posedge clk_i) begin
    if (take_header) begin
      state_q <= (Ecc != 0 && header_bad_i) ? StDrop : StHead;
      frame_q <= frame_new;
    end else if (finish || dropped) begin
      state_q <= StWait;
    end else if (step) begin
      if (!step_row) state_q <= StSecond;
      else if (row_last_i) state_q <= StFlush;
      else state_q <= StRows;
    end
    if (!rst_ni) state_q <= StWait;
  end

  // Frames that memory has changed.
  if (Ecc != 0) begin : gen_ecc
    logic row_bad_q, last_bad_q;   // of the frame's rows so far; of a frame that ends
    assign dropped   = state_q == StDrop && row_valid_i && row_last_i;
    assign frame_bad = last_bad_q;
    always_ff @(posedge clk_i) begin
      if (take_header) row_bad_q <= 1'b0;
      else if (step_row && row_bad_i) row_bad_q <= 1'b1;
      if (step) last_bad_q <= finish && (row_bad_q || (step_row && row_bad_i));
    end
  end else begin : gen_no_ecc
    assign dropped   = 1'b0;
    assign frame_bad = 1'b0;
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = row_bad_i;
    /* verilator lint_on UNUSEDSIGNAL */
  end
  assign drop_o = dropped;

  // ---------------------------------------------------------------------------------------------
  // Steps in their stages

  typedef struct packed {
    logic   head;      // carries over the first beat's bytes of the headers
    logic   last;
    logic   after;     // the step before this one was `head`
    frame_t frame;
  } step_t;

  logic                valid1_q;
  // verilator lint_off UNUSEDSIGNAL
  step_t               step1_q;   // not all of the frame
  // verilator lint_on UNUSEDSIGNAL
  logic                after_q;
  logic [BeatBits-1:0] turned_q, carry_q;
  logic [Words-1:0]    carry_low_q, carry_high_q, keep_low_q, keep_high_q, pad_q;

  // Byte 0 goes to byte 4 * shift + 2; what falls off the end comes in at the front.
  prim_rotate #(
    .Width(BeatBits),
    .Base (16),
    .Step (32),
    .ByW  (WordW),
    .Used (header_words(Without))
  ) u_turn (
    .clk_i,
    .load_i(step_row),
    .by_i  (frame_q.shift),
    .in_i  (row_i),
    .out_o (turned_q)
  );

  // Carried over: headers, or what the row before left over. Headers end behind byte 1 of word
  // `shift`; byte 0 of it may be the mark instead.
  typedef enum logic [1:0] {
    CarryRow = 2'd0,
    CarryHead = 2'd1,
    CarrySecond = 2'd2,
    CarryMark = 2'd3
  } carry_e;

  logic                ends;      // the step has the headers' last byte
  carry_e              carry;
  carry_e [Words-1:0]  marks;     // of byte 0 of each word

  assign ends  = state_q == StSecond || (state_q == StHead && !frame_q.spills);
  assign carry = (state_q == StHead) ? CarryHead : (state_q == StSecond) ? CarrySecond : CarryRow;

  always_comb begin
    marks = {Words{carry}};
    if (ends && frame_q.mark) marks[frame_q.shift] = CarryMark;
  end

  // Ones up to the word in which something ends, with it (`low`) and without it (`high`).
  logic [Words-1:0] shift_low, shift_high, last_low, last_high;

  assign shift_high = ~(Words'('1) << frame_q.shift);
  assign shift_low  = {shift_high[Words-2:0], 1'b1};
  assign last_high  = ~(Words'('1) << frame_q.last_word);
  assign last_low   = {last_high[Words-2:0], 1'b1};

  // A local variable, so that simulation computes it for steps only.
  always_ff @(posedge clk_i) begin
    automatic logic [BeatBits-1:0] second;

    if (step) begin
      step1_q <= '{head: state_q == StHead, last: finish, after: after_q && state_q != StHead,
                   frame: frame_q};
      after_q <= state_q == StHead;
      second  = BeatBits'(header_i[1023-HdrMetaBits:Second]);
      carry_q <= (carry == CarrySecond) ? second :
          (carry == CarryHead) ? header_i[0+:BeatBits] : turned_q;
      for (int unsigned w = 0; w < Words; w++) begin
        unique case (marks[w])
          CarryRow:    carry_q[32*w+:8] <= turned_q[32*w+:8];
          CarryHead:   carry_q[32*w+:8] <= header_i[32*w+:8];
          CarrySecond: carry_q[32*w+:8] <= second[32*w+:8];
          default:     carry_q[32*w+:8] <= epoch_i;
        endcase
      end
      // Carried over: all of a beat that is nothing but headers, else up to where rows begin.
      carry_low_q  <= step_row ? shift_low : '1;
      carry_high_q <= step_row ? shift_high : '1;
      keep_low_q   <= finish ? last_low : '1;
      keep_high_q  <= finish ? last_high : '1;
      pad_q        <= (finish && frame_q.has_pad) ? last_low & ~last_high : '0;
    end
    valid1_q <= step;

    beat_valid_o <= valid1_q;
    if (valid1_q) begin
      beat_first_o  <= step1_q.head;
      beat_second_o <= step1_q.after;
      beat_last_o   <= step1_q.last;
      beat_bad_o    <= frame_bad;
      beat_end_o    <= step1_q.frame.last_word;
      beat_v6_o     <= step1_q.frame.v6;
      beat_vlan_o   <= step1_q.frame.vlan;
      for (int unsigned w = 0; w < Words; w++) begin
        if (!keep_low_q[w]) beat_data_o[32*w+:16] <= '0;
        else if (pad_q[w]) beat_data_o[32*w+:16] <= step1_q.frame.pad_bytes;
        else beat_data_o[32*w+:16] <= carry_low_q[w] ? carry_q[32*w+:16] : turned_q[32*w+:16];
        if (!keep_high_q[w]) beat_data_o[32*w+16+:16] <= '0;
        else if (carry_high_q[w]) beat_data_o[32*w+16+:16] <= carry_q[32*w+16+:16];
        else beat_data_o[32*w+16+:16] <= turned_q[32*w+16+:16];
      end
    end

    if (!rst_ni) begin
      valid1_q     <= 1'b0;
      beat_valid_o <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  // Rows that a frame's lengths call for, and rows it got; for the assertions alone.
  logic [8:0] rows_due_q, rows_got_q;
  always_ff @(posedge clk_i) begin
    if (take_header) begin
      rows_due_q <= rows_of(meta.tensor_len);
      rows_got_q <= '0;
    end else if (step_row) begin
      rows_got_q <= rows_got_q + 9'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Headers are Ethernet's 14 bytes and whole words; else rows would be put into the wrong
      // place.
      a_header : assert (!take_header || (Ecc != 0 && header_bad_i) ||
          (meta.hdr_len[1:0] == 2'd2 && meta.hdr_len >= 7'd54 && meta.hdr_len <= 7'd114))
      else $error("%m: headers of %0d bytes", meta.hdr_len);
      // Tensor and pad are whole words; else the ICRC would be put into the wrong place.
      a_tensor : assert (!take_header || (Ecc != 0 && header_bad_i) || (!meta.tensor_len[0] &&
                         meta.tensor_len[1] == meta.has_pad))
      else $error("%m: tensor of %0d bytes, pad %0b", meta.tensor_len, meta.has_pad);
      // A frame gets the rows of its tensor, no more and no less; else it would send another one's.
      a_rows : assert (!(step_row && row_last_i) || rows_got_q + 9'd1 == rows_due_q)
      else $error("%m: %0d rows instead of %0d", rows_got_q + 9'd1, rows_due_q);
      // Room behind is never given back twice; else beats would be lost there.
      a_room : assert (!beat_pop_i || room_q != RoomW'(Beats))
      else $error("%m: more beats taken than made");
    end
  end

endmodule
