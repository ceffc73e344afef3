// Turns the beats of a packet into rows of its bank: tensor from byte 0 of row 0 on, headers in a
// record of 128 bytes: two rows, or one.
//
// Nothing waits here, so cycles are counted from the read of a packet's first beat (F) and its last
// (L); their names are those of agg_timing_pkg:
//   F + AlignHeader              header row 0, then row 1; the last has what the egress must know
//   F + AlignRow .. L + AlignRow payload rows
// Rows are written as fast as emission can read them, so a packet may be read two cycles behind its
// first row, row behind row. Only pad bytes are not known before the last row: a packet that has
// them writes the last header row once more, at L + AlignPad, with `padded_o`. The next packet's
// first beat may come at L + BankHandover or later, behind `padded_o` a cycle later.
module agg_align
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// 1: beats may be bad.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Beats of a packet, in cycles that follow each other; `packet_i` is valid with the first one.
  input logic    beat_valid_i,
  input logic    beat_first_i,
  // verilator lint_off UNUSEDSIGNAL
  input beat_t   beat_i,        // how many bytes are valid follows from the packet's lengths
  // verilator lint_on UNUSEDSIGNAL
  input packet_t packet_i,
  input logic    beat_bad_i,     // the beat is not what came in

  // Writes to the bank of the packet's rank, never stalled.
  output logic             write_valid_o,
  output logic [RankW-1:0] write_rank_o,
  output bank_write_t      write_o,
  // A beat of the packet was bad, up to the last one of which something is written now.
  output logic             write_bad_o,

  // Pulse: with the last write of a packet that has pad bytes.
  output logic padded_o
);

  // ---------------------------------------------------------------------------------------------
  // Rotate each beat so that the tensor begins at byte 0: 16-byte steps first, then whole words.

  logic                turned_valid_q, turned_first_q, turned_last_q;
  logic                out_bad_q;
  logic [BeatBits-1:0] turned_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [BeatBits-1:0] header0_q;   // the first of two rows
  // verilator lint_on UNUSEDSIGNAL
  // The last row up to byte 113 of the record, the rest of which is ours.
  logic [BeatBits-HdrMetaBits-1:0] header1_q;
  logic                second_q;
  // verilator lint_off UNUSEDSIGNAL
  packet_t             out_q;        // of the packet read last, whose rows leave; not its MsgID
  packet_t             now;          // of the beat read now
  // verilator lint_on UNUSEDSIGNAL
  logic [BeatBits-1:0] cleaned;      // the beat with the UDP checksum zeroed, as results carry it

  assign now = beat_first_i ? packet_i : out_q;

  always_comb begin
    cleaned = beat_i.data;
    // The checksum is at 40 (IPv4), 44 (IPv4 behind a VLAN tag), 60 (IPv6) or 64 (IPv6 behind a
    // tag).
    if (beat_first_i) begin
      unique case ({now.meta.v6, now.meta.vlan})
        2'b00:   cleaned[8*40+:16] = '0;
        2'b01:   cleaned[8*44+:16] = '0;
        2'b10:   cleaned[8*60+:16] = '0;
        default: if (BeatBytes > 64) cleaned[8*(64%BeatBytes)+:16] = '0;
      endcase
    end else if (now.meta.v6 && now.meta.vlan) begin
      cleaned[0+:16] = '0;
    end
  end

  // Headers are Ethernet's 14 bytes and whole words: as many ways as words are enough.
  localparam int unsigned Coarse = BeatBytes / 16;
  logic [Coarse-1:0][BeatBits-1:0] coarse_ways;
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0][BeatBits-1:0] fine_ways;   // not all of them, if there are only two
  // verilator lint_on UNUSEDSIGNAL
  logic [BeatBits-1:0]      coarse, turned;

  always_comb begin
    for (int unsigned i = 0; i < Coarse; i++) begin
      coarse_ways[i] = BeatBits'({beat_i.data, beat_i.data} >> (128 * i));
    end
    for (int unsigned i = 0; i < 4; i++) begin
      fine_ways[i]   = BeatBits'({coarse, coarse} >> (32 * i + 16));
    end
  end

  prim_mux #(
    .Width(BeatBits),
    .Words(Coarse)
  ) u_coarse (
    .in_i    (coarse_ways),
    .select_i(now.meta.hdr_len[ByteW-1:4]),
    .out_o   (coarse)
  );

  if (header_words(Without) == 4'b0110) begin : gen_two
    assign turned = now.meta.hdr_len[2] ? fine_ways[1] : fine_ways[2];
  end else begin : gen_four
    prim_mux #(
      .Width(BeatBits),
      .Words(4)
    ) u_fine (
      .in_i    (fine_ways),
      .select_i(now.meta.hdr_len[3:2]),
      .out_o   (turned)
    );
  end

  always_ff @(posedge clk_i) begin
    turned_valid_q <= beat_valid_i;
    if (beat_valid_i) begin
      turned_first_q <= beat_first_i;
      turned_last_q  <= beat_i.last;
      turned_q       <= turned;
      second_q       <= beat_first_i;
      if (HdrRows == 1) begin
        if (beat_first_i) header1_q <= cleaned[BeatBits-HdrMetaBits-1:0];
      end else begin
        if (beat_first_i) header0_q <= cleaned;
        else if (second_q) header1_q <= cleaned[BeatBits-HdrMetaBits-1:0];
      end
    end
    if (!rst_ni) turned_valid_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Merge two neighbours to a row; write.

  logic [BeatBits-1:0] previous_q;
  logic [BeatBytes/2-1:0] earlier;   // pairs of a row's bytes that are in the beat before
  logic                behind_q;     // the first beat that holds tensor has been merged
  logic [7:0]          rows_done_q;
  logic                flush_q, finish_q, padded_q;
  logic                head_q;        // header row 0 was formed in the cycle before
  logic                last_header;   // the last header row is written next
  logic                row_valid, row_last;
  logic                row_valid_q, row_last_q, row_was_last_q;
  logic [7:0]          row_q;
  // A row in two parts, of which one is 0 wherever the other is not: what chooses clears them.
  logic [BeatBits-1:0] earlier_q, later_q;
  logic [15:0]         pad_now, pad_q;
  hdr_meta_t           meta_out;

  assign earlier = '1 >> out_q.meta.hdr_len[ByteW-1:1];

  // Beat k of the tensor's beats completes row k-1; the last one may hold a whole further row,
  // flushed a cycle later.
  assign row_valid = ((turned_valid_q && !turned_first_q && behind_q) || flush_q) &&
      rows_done_q < out_q.rows;
  assign row_last  = row_valid && (rows_done_q + 8'd1 == out_q.rows);

  // Two pad bytes follow a tensor of 4n+2 bytes; they are always in its last row.
  assign pad_now = write_o.data[{out_q.meta.tensor_len[ByteW-1:1], 4'd0}+:16];

  always_comb begin
    meta_out           = out_q.meta;
    meta_out.pad_bytes = row_was_last_q ? pad_now : pad_q;
  end

  assign last_header = (HdrRows == 1) ? turned_valid_q && turned_first_q : head_q;

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) out_bad_q <= (Ecc != 0 && beat_bad_i) || (out_bad_q && !beat_first_i);
    if (beat_valid_i && beat_first_i) begin
      out_q       <= packet_i;
      rows_done_q <= '0;
    end else if (row_valid) begin
      rows_done_q <= rows_done_q + 8'd1;
    end
    if (turned_valid_q) begin
      previous_q <= turned_q;
      behind_q   <= turned_first_q ? !spills_over(out_q.meta.hdr_len) : 1'b1;
    end
    head_q      <= turned_valid_q && turned_first_q;
    flush_q     <= turned_valid_q && turned_last_q;
    finish_q    <= flush_q;
    padded_q    <= finish_q && out_q.meta.has_pad;
    row_valid_q <= row_valid;
    row_last_q  <= row_last;
    row_q       <= rows_done_q;
    if (row_valid) begin
      for (int unsigned i = 0; i < BeatBytes / 2; i++) begin
        earlier_q[16*i+:16] <= earlier[i] ? previous_q[16*i+:16] : '0;
        later_q[16*i+:16]   <= earlier[i] ? '0 : turned_q[16*i+:16];
      end
    end
    row_was_last_q <= row_last_q;
    if (row_was_last_q) pad_q <= pad_now;

    write_valid_o  <= 1'b0;
    write_rank_o   <= out_q.rank;
    write_bad_o    <= out_bad_q;
    write_o.slot   <= out_q.slot;
    write_o.header <= 1'b0;
    write_o.row    <= row_q;
    if (last_header || padded_q) begin
      write_valid_o  <= 1'b1;
      write_o.header <= 1'b1;
      write_o.row    <= 8'(HdrRows - 1);
      write_o.data   <= {meta_out, header1_q};
    end else if (turned_valid_q && turned_first_q) begin
      write_valid_o  <= 1'b1;
      write_o.header <= 1'b1;
      write_o.row    <= 8'd0;
      write_o.data   <= header0_q;
    end else if (row_valid_q) begin
      // A duplicate's rows are formed, for its pad bytes, but not written: the first copy's payload
      // stays.
      write_valid_o <= out_q.first;
      write_o.data  <= earlier_q | later_q;
    end
    padded_o <= padded_q;
    if (!rst_ni) begin
      head_q         <= 1'b0;
      flush_q        <= 1'b0;
      finish_q       <= 1'b0;
      padded_q       <= 1'b0;
      row_valid_q    <= 1'b0;
      row_last_q     <= 1'b0;
      row_was_last_q <= 1'b0;
      write_valid_o  <= 1'b0;
      padded_o       <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // All rows of a packet are formed before it is done; else a result would carry another
      // packet's bytes.
      a_rows : assert (!finish_q || rows_done_q == out_q.rows)
      else $error("%m: %0d of %0d rows written", rows_done_q, out_q.rows);
      // Packets keep their distance; else one would take the other's headers.
      a_distance : assert (!(beat_valid_i && beat_first_i) ||
          !(turned_valid_q || flush_q || (finish_q && out_q.meta.has_pad) || padded_q))
      else $error("%m: a packet begins while the one before it is still merged");
      // Headers end two bytes behind a word, as the rotation takes for granted; else rows would be
      // shifted.
      a_header : assert (!(beat_valid_i && beat_first_i) || packet_i.meta.hdr_len[1:0] == 2'd2)
      else $error("%m: headers of %0d bytes", packet_i.meta.hdr_len);
      // They end where the rotation can begin.
      a_words : assert (!(beat_valid_i && beat_first_i) ||
          |(header_words(Without) & (4'd1 << packet_i.meta.hdr_len[3:2])))
      else $error("%m: headers of %0d bytes", packet_i.meta.hdr_len);
      // Headers and rows never want the same write; one of them would be lost.
      a_one_write : assert ($onehot0({head_q, padded_q, turned_valid_q && turned_first_q,
                                      row_valid_q}))
      else $error("%m: two writes in one cycle");
    end
  end

endmodule
