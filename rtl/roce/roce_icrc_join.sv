// ICRCs of a port's results: those of headers, worked out here, joined with those of the rows,
// which other ports have too (roce_icrc_rows).
//
// A CRC is linear: that of a frame is the sum of that of its headers, with as many zeros behind
// them as the tensor has bytes, and that of the tensor. Headers come in words of 16 bytes, one a
// cycle: their CRC, times a power of x from a table, is as good as those zeros, and pad bytes are
// added. The ones that stand for fields that routers may change, and the start value
// (roce_icrc_pkg), are the same for all headers of a shape, and added behind.
//
// The words of a record may come with gaps, and the last one, which says what the record is, comes
// first. The part of the headers is known 14 cycles behind the last of them.
module roce_icrc_join
  import roce_pkg::*;
  import roce_icrc_pkg::*;
#(
  /// Frames whose headers have been taken in and whose ICRC was not, 8 to 32.
  parameter int unsigned Frames = 16,
  /// Frames in front of these whose rows may have been summed already.
  parameter int unsigned HdrFrames = 8,
  /// Bytes of the longest tensor, power of two.
  parameter int unsigned SlotBytes = 1024,
  /// 1: headers may be bad; the table is in LUTs, whose bits are watched over with the rest of an
  /// FPGA's configuration.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Words of header records, and which one it is. Not while `ready_o` is low, and not in the cycle
  // behind a record's last one.
  output logic                   ready_o,
  input  logic                   we_i,
  input  logic [2:0]             at_i,
  input  logic [HdrWordBits-1:0] word_i,
  // What the headers are marked with if they have room for a mark; 0: nothing. With the first word
  // that comes; and the same with all others, and in the cycle behind the last one.
  input  logic [7:0]             epoch_i,
  input  logic [7:0]             epoch_kept_i,
  // In the cycle behind the last word: the record is bad.
  input  logic                   bad_i,

  // The rows' part of each frame, in the order of the frames; never refused.
  input logic        part_we_i,
  input logic [31:0] part_i,

  // ICRCs of the frames whose record was good, in their order; least significant byte first.
  output logic        icrc_valid_o,
  output logic [31:0] icrc_o,
  input  logic        icrc_pop_i
);

  if (Frames < 8 || Frames > 32) begin : gen_check_frames
    $fatal(1, "%m: Frames must be 8 to 32, is %0d", Frames);
  end

  localparam int unsigned Bytes = HdrWordBits / 8;
  /// Bytes that are taken in of each record: all its words.
  localparam int unsigned Taken = HdrWords * Bytes;

  // ---------------------------------------------------------------------------------------------
  // What the first word says.

  // verilator lint_off UNUSEDSIGNAL
  hdr_meta_t meta;
  // verilator lint_on UNUSEDSIGNAL
  logic      first;    // of the record's words, by its number the last one

  assign first = we_i && at_i == 3'(HdrWords - 1);
  assign meta  = word_i[HdrWordBits-1-:HdrMetaBits];

  /// Words of 32 bits up to a frame's end without its ICRC, but for the two bytes of one.
  localparam int unsigned NumPowers = 2 ** $clog2(SlotBytes / 4 + Taken / 4);
  localparam int unsigned PowerW = $clog2(NumPowers);

  logic              v6_q, vlan_q, mark_q;
  logic [4:0]        end_q;     // headers end behind byte 1 of this word
  logic [15:0]       tail_q;    // bytes 112 and 113
  logic [15:0]       pad_q;
  logic [PowerW-1:0] words_q;   // of the frame, in front of byte 1 of its last one

  always_ff @(posedge clk_i) begin
    if (first) begin
      v6_q    <= !Without[WithoutIpv6] && meta.v6;
      vlan_q  <= !Without[WithoutVlan] && meta.vlan;
      mark_q  <= meta.mark && epoch_i != '0;
      end_q   <= meta.hdr_len[6:2];
      tail_q  <= word_i[15:0];
      pad_q   <= meta.has_pad ? meta.pad_bytes : '0;
      words_q <= PowerW'(meta.hdr_len[6:2]) + PowerW'(meta.tensor_len[13:2]) +
          PowerW'(meta.has_pad);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Words as the CRC counts them: nothing of Ethernet and behind the headers, and zeros for now
  // where ones count.

  /// Half bytes of a record that count as they are, for each shape {v6, vlan}.
  function automatic logic [3:0][2*Taken-1:0] kept();
    logic [3:0][2*BeatBits-1:0] bits;
    bits = {OnesV6Vlan, OnesV6, OnesV4Vlan, OnesV4};
    for (int unsigned s = 0; s < 4; s++) begin
      for (int unsigned i = 0; i < 2 * Taken; i++) begin
        kept[s][i] = !bits[s][4*i] && i >= 2 * (s[0] ? IpVlan : Ip);
      end
    end
  endfunction

  localparam logic [3:0][2*Taken-1:0] Kept = kept();

  logic                   rest_q;      // bytes 112 and 113 are taken in now
  logic                   now;         // something is
  logic [2:0]             at;
  logic [4:0]             reached;     // words of 32 bits that the headers reach into, with the
                                       // one that stands across two of 16 bytes
  logic [2*Bytes-1:0]     keep;
  logic [HdrWordBits-1:0] word, word_q;
  logic                   valid_q, first_q, last_q;

  assign now = rest_q || (we_i && !first);
  assign at  = rest_q ? 3'(HdrWords - 1) : at_i;

  always_comb begin
    word = rest_q ? HdrWordBits'(tail_q) : word_i;
    for (int unsigned k = 0; k < 4; k++) begin
      if (mark_q && end_q == {at, 2'(k)}) word[32*k+:8] = epoch_kept_i;
    end
    for (int unsigned k = 0; k < 5; k++) reached[k] = 6'({at, 2'd0}) + 6'(k) <= 6'(end_q);
    for (int unsigned i = 0; i < 2 * Bytes; i++) begin
      keep[i] = Kept[{v6_q, vlan_q}][2*Bytes*at+i] && reached[(i/2+2)/4];
    end
  end

  always_ff @(posedge clk_i) begin
    rest_q  <= rst_ni && we_i && at_i == 3'(HdrWords - 2);
    valid_q <= rst_ni && now;
    first_q <= at == '0;
    last_q  <= rest_q;
    for (int unsigned i = 0; i < 2 * Bytes; i++) word_q[4*i+:4] <= keep[i] ? word[4*i+:4] : '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Their CRC; what is added to it, and what it is multiplied by.

  /// What the ones and the start value of a shape make of the register.
  function automatic logic [3:0][31:0] added();
    logic [3:0][2*BeatBits-1:0] bits;
    bits = {OnesV6Vlan, OnesV6, OnesV4Vlan, OnesV4};
    for (int unsigned s = 0; s < 4; s++) begin
      bits[s][0+:BeatBits] ^= s[0] ? StartVlan : Start;
      added[s] = '0;
      // As many as are taken in.
      for (int unsigned i = 0; i < 8 * Taken; i++) begin
        added[s][0] ^= bits[s][i];
        added[s] = prim_crc32_pkg::step(added[s]);
      end
    end
  endfunction

  /// Zeros behind the headers up to the frame's end, less those behind them in the record.
  function automatic logic [NumPowers-1:0][31:0] powers();
    powers[0] = prim_crc32_pkg::power(2 - int'(Taken));
    for (int unsigned i = 1; i < NumPowers; i++) begin
      powers[i] = prim_crc32_pkg::ahead(powers[i-1], 4);
    end
  endfunction

  localparam logic [3:0][31:0] Added = added();
  localparam logic [NumPowers-1:0][31:0] Powers = powers();

  logic              crc_valid, shape_v6_q, shape_vlan_q, done;
  logic [31:0]       crc, product;
  logic [15:0]       late_pad_q;
  logic [PowerW-1:0] late_words_q;
  logic [9:1]        due_q;

  (* ram_style = Ecc != 0 ? "registers" : "block" *)
  logic [31:0] power_q;

  prim_crc32_beat #(
    .Bytes(Bytes)
  ) u_crc (
    .clk_i,
    .rst_ni,
    .valid_i(valid_q),
    .first_i(first_q),
    .last_i (last_q),
    .data_i (word_q),
    .valid_o(crc_valid),
    .crc_o  (crc)
  );

  // The next record may come meanwhile.
  always_ff @(posedge clk_i) begin
    if (rest_q) begin
      shape_v6_q   <= v6_q;
      shape_vlan_q <= vlan_q;
      late_pad_q   <= pad_q;
      late_words_q <= words_q;
    end
    if (crc_valid) power_q <= Powers[late_words_q];
    due_q <= rst_ni ? {due_q[8:1], crc_valid} : '0;
  end

  prim_crc32_times u_times (
    .clk_i,
    .rst_ni,
    .start_i  (crc_valid),
    .by_i     (crc ^ Added[{shape_v6_q, shape_vlan_q}]),
    .also_i   (late_pad_q),
    .times_i  (power_q),
    .product_o(product)
  );
  assign done = due_q[9];

  // ---------------------------------------------------------------------------------------------
  // Parts that wait for each other, and for the frame. Up to three records are in front of the
  // headers' ones. A frame that is dropped has both.

  logic        bad, head_ready, head_valid, head_bad, rows_ready, rows_valid, pop;
  logic [31:0] rows_part;
  logic [31+Ecc:0] head_part;
  logic [$clog2(Frames+1)-1:0] head_count;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(HdrFrames+Frames+1)-1:0] rows_count;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) ready_o <= rst_ni && 32'(head_count) < Frames - 4;

  if (Ecc != 0) begin : gen_bad
    logic bad_q;
    always_ff @(posedge clk_i) begin
      if (rest_q) bad_q <= bad_i;
      if (crc_valid) bad <= bad_q;
    end
  end else begin : gen_good
    assign bad = 1'b0;
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = bad_i;
    /* verilator lint_on UNUSEDSIGNAL */
  end

  prim_fifo #(
    .T    (logic [31+Ecc:0]),
    .Depth(Frames)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .in_valid_i (done),
    .in_ready_o (head_ready),
    .in_i       ((32+Ecc)'({bad, product})),
    .out_valid_o(head_valid),
    .out_ready_i(pop),
    .out_o      (head_part),
    .count_o    (head_count)
  );

  prim_fifo #(
    .T    (logic [31:0]),
    .Depth(HdrFrames + Frames)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .in_valid_i (part_we_i),
    .in_ready_o (rows_ready),
    .in_i       (part_i),
    .out_valid_o(rows_valid),
    .out_ready_i(pop),
    .out_o      (rows_part),
    .count_o    (rows_count)
  );

  assign head_bad     = Ecc != 0 && head_part[31+Ecc];
  assign icrc_valid_o = head_valid && rows_valid && !head_bad;
  assign icrc_o       = ~(head_part[31:0] ^ rows_part);
  assign pop          = icrc_pop_i || (head_valid && rows_valid && head_bad);

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // There is room for the parts of a frame; else it would get those of another one.
      a_head_room : assert (!done || head_ready)
      else $error("%m: a part of headers comes, and %0d wait", head_count);
      a_rows_room : assert (!part_we_i || rows_ready)
      else $error("%m: a part of rows comes, and %0d wait", rows_count);
      // What is taken is there.
      a_pop : assert (!icrc_pop_i || icrc_valid_o)
      else $error("%m: an ICRC is taken that is not known");
      // A record takes nine cycles; else a product would be begun over the one before.
      a_distance : assert (!crc_valid || due_q[8:1] == '0)
      else $error("%m: a CRC %b behind the one before", due_q);
      // Nobody takes a word for bytes 112 and 113 of the record before.
      a_rest : assert (!rest_q || !we_i)
      else $error("%m: a word right behind a record");
    end
  end

endmodule
