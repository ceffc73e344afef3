// roce_icrc_join: what the ICRC of a result is made of, for headers of any length and shape.
//
// Piece by piece, as a solver compares neither CRCs of many bytes nor products. The CRC is fed with
// the bytes of headers that count, and zeros elsewhere (proved here, each byte); what it makes of
// them is prim_crc32_beat's proof. What ones and the start value add, and the powers in the table,
// are held against the definition when the design is elaborated. The product is prim_crc32_times's
// proof; here it is proved that its factors are those of the same headers. CRC and product are free
// here (`cuts` of the task). That the sum of both parts is the CRC of the frame is what it means
// that a CRC is linear: crc32_definition's proof, and the unit test of roce_egress.
module roce_icrc_join_props
  import roce_pkg::*;
  import icrc_definition_pkg::*;
  import crc32_definition_pkg::*;
(
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   we_i,
  input logic [2:0]             at_i,
  input logic [15:0][7:0]       word_i,
  input logic [7:0]             epoch_i,
  input logic [7:0]             epoch_kept_i,
  input logic                   part_we_i,
  input logic [31:0]            part_i,
  input logic                   icrc_pop_i,
  // In the first cycle: which result of each 64 is followed.
  input logic [5:0]             number_i
);

  localparam int unsigned Frames = 8;
  localparam int unsigned HdrFrames = 2;
  localparam int unsigned SlotBytes = 64;

  logic        started_q, ready, icrc_valid;
  logic [31:0] icrc;
  initial started_q = 1'b0;

  roce_icrc_join #(
    .Frames   (Frames),
    .HdrFrames(HdrFrames),
    .SlotBytes(SlotBytes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o     (ready),
    .we_i,
    .at_i,
    .word_i,
    .epoch_i,
    .epoch_kept_i,
    .bad_i       (1'b0),
    .part_we_i,
    .part_i,
    .icrc_valid_o(icrc_valid),
    .icrc_o      (icrc),
    .icrc_pop_i
  );

  logic room, order, marked;
  words_handover u_words (
    .clk_i,
    .rst_ni,
    .ready_i(ready),
    .we_i,
    .at_i,
    .epoch_i,
    .epoch_kept_i,
    .room_o (room),
    .order_o(order),
    .epoch_o(marked)
  );

  logic stays;
  icrc_handover u_icrc (
    .clk_i,
    .rst_ni,
    .icrc_valid_i(icrc_valid),
    .icrc_i      (icrc),
    .icrc_pop_i,
    .stays_o     (stays)
  );

  // ---------------------------------------------------------------------------------------------
  // The record that comes, and the one whose CRC is under way.

  // verilator lint_off UNUSEDSIGNAL
  hdr_meta_t       meta_in, meta_q, late_q;
  // verilator lint_on UNUSEDSIGNAL
  logic            first;
  logic      [5:0] records_q;      // records whose words have all come
  logic      [5:0] rows_q;         // parts of rows that have come
  logic [1:0][7:0] tail_q;         // bytes 112 and 113
  logic [13:1]     rests_q;        // a record was whole n cycles ago
  logic [3:0]      since_q;        // cycles since then, 9 for more

  assign first   = we_i && u_words.at_q == 3'd7;
  assign meta_in = word_i[15-:HdrMetaBits/8];

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    rests_q   <= rst_ni ? {rests_q[12:1], u_words.rest_q} : '0;
    if (first) begin
      meta_q  <= meta_in;
      tail_q  <= word_i[1:0];
    end
    if (u_words.rest_q) late_q <= meta_q;
    since_q <= u_words.rest_q ? 4'd1 : (since_q == 4'd9) ? since_q : since_q + 4'd1;
    if (!rst_ni) begin
      since_q <= 4'd9;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Words come when there is room, and not in the cycle behind a record; the last one first.
      e_room : assume (room);
      e_order : assume (order);
      // Headers are Ethernet's 14 bytes and whole words, at least those of IP, UDP and BTH.
      e_header : assume (!first || (meta_in.hdr_len[1:0] == 2'd2 && meta_in.hdr_len <= 7'd114 &&
          32'(meta_in.hdr_len) >= 32'd54 + (meta_in.v6 ? 32'd20 : 32'd0) +
          (meta_in.vlan ? 32'd4 : 32'd0)));
      // Tensor and pad bytes are whole words.
      e_tensor : assume (!first || (32'(meta_in.tensor_len) <= SlotBytes &&
          !meta_in.tensor_len[0] && meta_in.has_pad == meta_in.tensor_len[1]));
      // No part of rows comes for a result that has HdrFrames records in front whose words have not
      // all come: room for a record is set aside before its rows are read, until they have.
      e_parts : assume (!part_we_i || rows_q - records_q < 6'(HdrFrames));
      // What headers are marked with is kept for all other words of a record, and the cycle behind.
      e_epoch : assume (marked);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What counts of a word, without the ones that stand for what routers change.

  logic [15:0][7:0] fed, fed_q;
  logic             fed_valid_q, fed_first_q, fed_last_q;
  logic             fed1_q, fed2_q;   // and one and two cycles before
  logic [2:0]       at;

  assign at = u_words.rest_q ? 3'd7 : u_words.at_q;

  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      automatic int unsigned byte_at = 16 * 32'(at) + i;
      automatic int unsigned ip = meta_q.vlan ? 18 : 14;
      fed[i] = u_words.rest_q ? (i < 2 ? tail_q[i[0]] : '0) : word_i[i];
      if (meta_q.mark && u_words.epoch_q != '0 && byte_at + 2 == 32'(meta_q.hdr_len))
        fed[i] = u_words.epoch_q;
      fed[i] &= ~variant(meta_q.v6, byte_at - ip);
      if (byte_at < ip || byte_at >= 32'(meta_q.hdr_len)) fed[i] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    fed_q       <= fed;
    fed_valid_q <= rst_ni && (u_words.rest_q || (we_i && !first));
    fed_first_q <= at == '0;
    fed_last_q  <= u_words.rest_q;
    fed1_q      <= rst_ni && fed_valid_q;
    fed2_q      <= rst_ni && fed1_q;
  end

  /// What ones and start value add to the register, for headers of one shape {v6, vlan}: that of a
  /// record of zeros.
  function automatic logic [3:0][31:0] added();
    for (int unsigned s = 0; s < 4; s++) begin
      added[s] = '0;
      for (int unsigned i = 0; i < 128; i++) begin
        automatic int unsigned ip = s[0] ? 18 : 14;
        added[s] = byte_more(added[s], i < ip ? 8'd0 : counted(8'd0, s[1], 1'b1, i - ip));
      end
    end
  endfunction
  localparam logic [3:0][31:0] Added = added();

  /// A product with a table's entry is as good as four more bytes of zeros than with the one
  /// before, and with entry 0 as 126 less.
  localparam int unsigned Entries = 64;
  logic [Entries-1:0] right;
  always_comb begin
    right[0] = zeros(u_dut.Powers[0], 126) == 32'h8000_0000;
    for (int unsigned i = 1; i < Entries; i++) begin
      right[i] = u_dut.Powers[i] == zeros(u_dut.Powers[i-1], 4);
    end
  end

  // Words from the record's beginning to the frame's end, but for two bytes.
  logic [31:0] words;
  assign words = (32'(late_q.hdr_len) + 32'(late_q.tensor_len) + (late_q.has_pad ? 32'd2 : 32'd0) -
                  32'd2) / 32'd4;

  // Two records that were whole less than nine cycles apart.
  logic [13:1] near;
  always_comb begin
    for (int unsigned i = 1; i <= 13; i++) begin
      near[i] = i < 9 && rests_q[i] != (32'(since_q) == i);
      for (int unsigned j = i + 1; j <= 13 && j < i + 9; j++) begin
        if (rests_q[i] && rests_q[j]) near[i] = 1'b1;
      end
    end
  end

  // The parts of the followed result, and how many of each have come and have been taken.
  logic  [5:0] number_q, heads_q, taken_q;
  logic [31:0] head_q, part_q;
  logic        head_right, rows_right, taken;
  assign taken = u_dut.u_heads.out_valid_o && u_dut.u_heads.out_ready_i;
  always_ff @(posedge clk_i) begin
    if (!started_q) number_q <= number_i;
    if (we_i && u_words.at_q == 3'd6) records_q <= records_q + 6'd1;
    if (u_dut.due_q[9]) heads_q <= heads_q + 6'd1;
    if (part_we_i) rows_q <= rows_q + 6'd1;
    if (taken) taken_q <= taken_q + 6'd1;
    if (u_dut.due_q[9] && heads_q == number_q) head_q <= u_dut.product;
    if (part_we_i && rows_q == number_q) part_q <= part_i;
    if (!rst_ni) {records_q, heads_q, rows_q, taken_q} <= '0;
  end
  // As they wait in the queues.
  logic [5:0] ahead;
  logic [2:0] head_at;
  logic [3:0] part_at;
  assign ahead      = number_q - taken_q;
  assign head_at    = 3'(u_dut.u_heads.read_q) + 3'(ahead);
  assign part_at    = 4'((5'(u_dut.u_rows.read_q) + 5'(ahead)) % 5'd10);
  assign head_right = heads_q - taken_q == 6'(u_dut.u_heads.count_q) &&
      u_dut.u_heads.write_q == 3'(u_dut.u_heads.read_q + 3'(u_dut.u_heads.count_q)) &&
      (ahead >= 6'(u_dut.u_heads.count_q) || u_dut.u_heads.mem_q[head_at] == head_q);
  assign rows_right = rows_q - taken_q == 6'(u_dut.u_rows.count_q) &&
      32'(u_dut.u_rows.read_q) < 10 && 32'(u_dut.u_rows.count_q) <= 10 &&
      32'(u_dut.u_rows.write_q) ==
      (32'(u_dut.u_rows.read_q) + 32'(u_dut.u_rows.count_q)) % 10 &&
      (ahead >= 6'(u_dut.u_rows.count_q) || u_dut.u_rows.mem_q[part_at] == part_q);

  logic        begun_q;
  logic [31:0] words_q;
  always_ff @(posedge clk_i) begin
    begun_q <= rst_ni && u_dut.crc_valid;
    words_q <= words;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each byte of the headers is fed to the CRC as it is if it counts, and nothing else.
      a_fed : assert (u_dut.valid_q == fed_valid_q && (!fed_valid_q || (u_dut.word_q == fed_q &&
          u_dut.first_q == fed_first_q && u_dut.last_q == fed_last_q)))
      else $error("fed %h instead of %h", u_dut.word_q, fed_q);
      // Four cycles behind a record's rest its CRC, with what ones and start value add for its
      // shape in the definition, is a factor, and its pad bytes are added.
      a_factor : assert (u_dut.crc_valid == rests_q[4] && (!u_dut.crc_valid ||
          (u_dut.u_times.by_i == (u_dut.crc ^ Added[{late_q.v6, late_q.vlan}]) &&
           u_dut.u_times.also_i == (late_q.has_pad ? late_q.pad_bytes : '0))))
      else $error("factor");
      // The other one is the power for the bytes between the record's beginning and the frame's
      // end, of a table that has the powers that it is to have.
      a_power : assert (!begun_q || (u_dut.power_q == u_dut.Powers[words_q[5:0]] && right == '1))
      else $error("power of %0d words", words_q);
      // Each ICRC is the complement of the sum of the two parts of its own result: the product of
      // its headers, nine cycles behind its begin, and that of its rows, in the order in which they
      // came.
      a_icrc : assert (!(icrc_valid && taken_q == number_q) || icrc == ~(head_q ^ part_q))
      else $error("ICRC");
      // It is taken once, and stays until then.
      a_taken : assert (icrc_valid == (heads_q != taken_q && rows_q != taken_q) &&
          (!icrc_valid || taken == icrc_pop_i))
      else $error("taken");
      a_stays : assert (stays)
      else $error("ICRC changes");
      // The parts are where they belong in their queues (helps the proof).
      a_parts : assert (head_right && rows_right)
      else $error("parts");
      // There are never more records under way than have room (helps the proof).
      a_under_way : assert (32'(u_dut.u_heads.count_q) + 32'(u_words.rest_q) +
          32'($countones(rests_q)) <= Frames && records_q - heads_q ==
          6'(u_words.rest_q) + 6'($countones(rests_q)) &&
          rows_q - taken_q <= records_q - taken_q + 6'(HdrFrames) &&
          (!ready || 32'(u_dut.u_heads.count_q) <= Frames - 4))
      else $error("%0d parts", u_dut.u_heads.count_q);
      // How far it is (helps the proof).
      a_meta : assert (u_dut.rest_q == u_words.rest_q && (u_words.at_q == 3'd7 && !u_words.rest_q ||
          (u_dut.v6_q == meta_q.v6 && u_dut.vlan_q == meta_q.vlan &&
           u_dut.end_q == meta_q.hdr_len[6:2] && u_dut.tail_q == tail_q &&
           u_dut.mark_q == (meta_q.mark && u_words.epoch_q != '0) &&
           u_dut.pad_q == (meta_q.has_pad ? meta_q.pad_bytes : '0) &&
           32'(u_dut.words_q) == 32'(meta_q.hdr_len[6:2]) + 32'(meta_q.tensor_len[13:2]) +
           32'(meta_q.has_pad) && meta_q.hdr_len[1:0] == 2'd2 && meta_q.hdr_len <= 7'd114 &&
           32'(meta_q.tensor_len) <= SlotBytes && !meta_q.tensor_len[0] &&
           meta_q.has_pad == meta_q.tensor_len[1])))
      else $error("the record");
      a_late : assert (rests_q[4:1] == '0 || (u_dut.shape_v6_q == late_q.v6 &&
          u_dut.shape_vlan_q == late_q.vlan &&
          u_dut.late_pad_q == (late_q.has_pad ? late_q.pad_bytes : '0) &&
          32'(u_dut.late_words_q) == words))
      else $error("the record before");
      a_step : assert (u_dut.u_crc.valid_q[1] == (fed1_q) && u_dut.u_crc.valid_q[2] == fed2_q &&
          (!rests_q[2] || fed1_q) && (!rests_q[3] || fed2_q) &&
          (!fed1_q || u_dut.u_crc.last_q[1] == rests_q[2]) &&
          (!fed2_q || u_dut.u_crc.last_q[2] == rests_q[3]))
      else $error("out of step");
      // Records are nine cycles apart.
      a_apart : assert ((u_words.rest_q ? since_q == 4'd9 :
                         since_q > 4'(3'(u_words.at_q + 3'd1))) &&
          since_q <= 4'd9 && near == '0 && u_dut.due_q == rests_q[13:5])
      else $error("%0d cycles", since_q);
      // The longest headers, with both marks and pad bytes.
      c_long : cover (u_dut.crc_valid && late_q.hdr_len == 7'd114 && late_q.has_pad);
    end
  end

endmodule
