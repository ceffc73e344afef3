// relay_write, where records and edits meet: what is edited is the record that was announced, or
// headers as they are kept, and what is made of it leaves in its place; all others pass.
//
// What is made of a record is left out of the circuit and free (`cuts` of the task);
// relay_fields_props has it. Followed are one port and one place of kept headers, which are free,
// and of every word one bit, which the task names: up to there nothing looks at what bits mean.
module relay_write_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRings = 2,
  /// The bit of each word that is followed.
  parameter int unsigned Bit = 37,
  /// Above 0: rings may be above other devices.
  parameter int unsigned Spine = 0,
  localparam int unsigned Bytes = HdrWords * HdrWordBits / 8,
  localparam int unsigned Kept = NumRings * 4,
  localparam int unsigned KeptW = $clog2(Kept)
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input logic                                  edit_valid_i,
  input relay_edit_t                           edit_i,
  input logic [NumPorts-1:0]                   we_i,
  input logic [NumPorts-1:0][HdrWordBits-1:0]  word_i,
  input logic                                  kept_we_i,
  input logic                                  kept_header_i,
  input logic [KeptW-1:0]                      kept_slot_i,
  input logic                                  kept_row_i,
  input logic [BeatBits-1:0]                   kept_data_i,
  // The announced record that is followed through the queue.
  input logic                                  follow_i,
  // In the first cycle: what is followed.
  input logic                                  port_i,
  input logic [KeptW-1:0]                      place_i
);

  typedef logic [Bytes-1:0][7:0] record_t;
  typedef logic [HdrWords-1:0] bits_t;   // the followed bit of each word of a record
  localparam int unsigned Late = 16;

  logic             started_q;
  logic             port_q;
  logic [KeptW-1:0] place_q;
  initial started_q = 1'b0;

  logic [NumPorts-1:0]                  out_we;
  logic [NumPorts-1:0][HdrWordBits-1:0] out_word;

  relay_write #(
    .NumPorts (NumPorts),
    .NumRings (NumRings),
    .MaxWindow(1),
    .Spine    (Spine)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i  ('0),
    .relays_i ('0),
    .self_i   ('0),
    .epoch_i  ('0),
    .edit_valid_i,
    .edit_i,
    .we_i,
    .word_i,
    .we_o     (out_we),
    .word_o   (out_word),
    .kept_we_i,
    .kept_i   ('{header: kept_header_i, slot: SlotW'(kept_slot_i), row: 8'(kept_row_i),
                 data: kept_data_i})
  );

  // ---------------------------------------------------------------------------------------------
  // Records that come in, and the edit that was announced of each.

  relay_edit_t edit, edit_q;
  logic        any, first, last, edits;
  logic [2:0]  at_q, announced, ahead;
  logic [1:0]  place;           // of the announced record that is followed
  logic        followed;
  relay_edit_t value;
  logic [NumPorts-1:0] mask_q;

  assign edit  = u_dut.edit;
  assign any   = we_i != '0;
  assign first = any && at_q == '0;
  assign last  = any && at_q == 3'd7;
  assign edits = edit.what != EditNone;

  queue_watch #(
    .Width ($bits(relay_edit_t)),
    .Places(4)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (edit_valid_i),
    .in_i       (edit_i),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(u_dut.edit_valid),
    .out_ready_i(last),
    .out_i      (edit),
    .inside_o   (announced),
    .readable_o (),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );
  assign place = 2'(u_dut.u_edits.read_q + 2'(ahead));

  logic                   of_place_q, second_q;
  bits_t                  seen_q, seen;        // of the port whose record is edited
  // Of the place that is followed, by rows; of what was read of it; of what the record in hand is
  // made of; and whether each is known.
  logic [1:0][3:0]        shadow_q, read_q;
  logic [1:0]             written_q, known_q;
  bits_t                  base_q;
  logic                   base_known_q;

  /// The followed bit of each word.
  function automatic bits_t bits_of(record_t of);
    for (int unsigned w = 0; w < HdrWords; w++) bits_of[w] = of[16*w+Bit/8][Bit%8];
  endfunction

  /// And of each in a row of the place that is followed, as the memory has it.
  function automatic logic [3:0] mem_bits(logic row);
    for (int unsigned w = 0; w < 4; w++) begin
      mem_bits[w] = u_dut.u_kept.mem[{place_q, row}][HdrWordBits*w+Bit];
    end
  endfunction

  logic [3:0] kept_bits;
  always_comb begin
    for (int unsigned w = 0; w < 4; w++) kept_bits[w] = kept_data_i[HdrWordBits*w+Bit];
  end

  always_comb begin
    // The last word of a record comes first.
    seen                  = seen_q;
    seen[3'(at_q - 3'd1)] = word_i[edit.port[0]][Bit];
  end

  always_ff @(posedge clk_i) begin
    if (any) at_q <= at_q + 3'd1;
    if (any) seen_q <= seen;
    if (first) mask_q <= we_i;
    second_q <= first;
    if (first) begin
      of_place_q <= edit.kept[KeptW-1:0] == place_q;
      read_q[0]  <= shadow_q[0];
      known_q[0] <= written_q[0];
    end
    if (second_q) begin
      read_q[1]  <= shadow_q[1];
      known_q[1] <= written_q[1];
    end
    if (kept_we_i && kept_header_i && kept_slot_i == place_q) begin
      shadow_q[kept_row_i]  <= kept_bits;
      written_q[kept_row_i] <= 1'b1;
    end
    if (last) begin
      edit_q       <= edit;
      base_q       <= (edit.what == EditResult) ? bits_t'(read_q) : seen;
      base_known_q <= edit.what != EditResult || (of_place_q && known_q == '1);
    end
    if (!rst_ni) begin
      at_q      <= '0;
      second_q  <= 1'b0;
      written_q <= '0;
      base_known_q <= 1'b0;
    end
  end

  // For how many cycles the record that is edited, and its edit, have been these.
  bits_t       base_was_q;
  relay_edit_t edit_was_q;
  logic        record_same, edit_same;
  logic [2:0]  record_age_q, edit_age_q;
  assign record_same = bits_of(u_dut.from_q) == base_was_q;
  assign edit_same   = u_dut.edit1_q == edit_was_q;
  always_ff @(posedge clk_i) begin
    base_was_q   <= bits_of(u_dut.from_q);
    edit_was_q   <= u_dut.edit1_q;
    record_age_q <= !record_same ? '0 : record_age_q + 3'(record_age_q != 3'd7);
    edit_age_q   <= !edit_same ? '0 : edit_age_q + 3'(edit_age_q != 3'd7);
  end

  // ---------------------------------------------------------------------------------------------
  // What leaves by the followed port: each word 17 cycles late.

  bits_t                   made_q;
  logic [Late:1]           we_q, bit_line_q, edited_q, any_q, what_q;
  logic [Late:1][2:0]      word_q;
  logic                    out_we_q, out_bit_q;

  always_ff @(posedge clk_i) begin
    we_q       <= {we_q[Late-1:1], we_i[port_q]};
    any_q      <= {any_q[Late-1:1], any};
    what_q     <= {what_q[Late-1:1], any && edits};
    bit_line_q <= {bit_line_q[Late-1:1], word_i[port_q][Bit]};
    edited_q   <= {edited_q[Late-1:1], any && edits && edit.port == PortW'(port_q)};
    word_q     <= {word_q[Late-1:1], at_q};
    if (u_dut.full_q[8]) made_q <= bits_of(u_dut.done);
    out_we_q   <= we_q[Late];
    out_bit_q  <= (any_q[Late] && edited_q[Late]) ? made_q[3'(word_q[Late] - 3'd1)] :
        bit_line_q[Late];
    if (!rst_ni) begin
      we_q     <= '0;
      any_q    <= '0;
      what_q   <= '0;
      edited_q <= '0;
      out_we_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      {port_q, place_q} <= {port_i, place_i};
    end
    // The first cycle is one of reset. Dropped: a record without its first words.
    e_reset : assume (started_q || !rst_ni);
    // A record's words come in cycles that follow each other, for the same ports. Dropped: a word
    // of the record behind it.
    e_words : assume (at_q == '0 || we_i == mask_q);
  end

  // The words on their way are those of records, each behind the one before; what becomes of a
  // record goes for all of its words.
  logic [2:0] words_inside;
  logic       in_line, in_records, in_steps;
  always_comb begin
    words_inside = '0;
    in_line      = 1'b1;
    in_records   = any_q[1] && word_q[1] != 3'd7 ?
        at_q == word_q[1] + 3'd1 && edits == what_q[1] &&
        edited_q[1] == (edits && edit.port == PortW'(port_q)) : at_q == '0;
    in_steps     = 1'b1;
    for (int i = Late; i >= 1; i--) begin
      if ((u_dut.we_q[i] != '0) != any_q[i] || u_dut.we_q[i][port_q] != we_q[i] ||
          (any_q[i] && (u_dut.word_q[i][port_q][Bit] != bit_line_q[i] ||
           word_q[i] != u_dut.out_at_q + words_inside))) in_line = 1'b0;
      words_inside += 3'(any_q[i]);
      if (i > 1 && any_q[i] && word_q[i] != 3'd7 && !(any_q[i-1] && what_q[i-1] == what_q[i] &&
          edited_q[i-1] == edited_q[i])) in_records = 1'b0;
      if (edited_q[i] && !what_q[i]) in_records = 1'b0;
      if (what_q[i] && !any_q[i]) in_records = 1'b0;
      if (i < Late && any_q[i] && word_q[i] != '0 && !any_q[i+1]) in_records = 1'b0;
      if (i == Late && u_dut.out_at_q != '0 && !any_q[i]) in_records = 1'b0;
      if (i <= 8) begin
        if (u_dut.full_q[i] != (any_q[i] && word_q[i] == 3'd7 && what_q[i]) ||
            (u_dut.full_q[i] && edited_q[i] != (u_dut.edit1_q.port == PortW'(port_q)))) begin
          in_steps = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An edit is made of the record that it was announced of, or of the headers that
      // notifications brought, as they were when the record came: none of another message, half
      // of one, or of another port.
      a_base : assert (!u_dut.full_q[3] || !base_known_q || bits_of(u_dut.from_q) == base_q);
      // A record and its edit stand for as long as it takes to make what leaves (relay_fields).
      a_stands : assert (!u_dut.full_q[8] || (record_same && edit_same && record_age_q >= 3'd4 &&
          edit_age_q >= 3'd6 && u_dut.edit1_q == edit_q));
      // A word leaves 17 cycles after it came, on its port: an edited record's in place of what
      // came, all others as they came.
      a_leaves : assert (out_we[port_q] == out_we_q &&
          (!out_we_q || out_word[port_q][Bit] == out_bit_q));
      // Words on their way, and how far each record is (helps the proof).
      a_at : assert (u_dut.at_q == at_q && at_q == u_dut.out_at_q + words_inside);
      a_line : assert (in_line && in_records && in_steps);
      a_out : assert (u_dut.out_edits_q == (any_q[Late] && what_q[Late]) &&
          (!u_dut.out_edits_q || (bits_of(u_dut.done_q) == made_q &&
           edited_q[Late] == (u_dut.out_port_q == PortW'(port_q)))));
      a_edits : assert (32'(announced) == 32'(u_dut.u_edits.count_q) &&
          u_dut.edit_ready == (32'(announced) < 4) && u_dut.edit_valid == (announced != '0) &&
          2'(u_dut.u_edits.write_q - u_dut.u_edits.read_q) == 2'(announced) &&
          (!followed || u_dut.u_edits.mem_q[place] == value));
      // Headers are kept as they were written (helps the proof).
      a_kept : assert ((!written_q[0] || mem_bits(1'b0) == shadow_q[0]) &&
                       (!written_q[1] || mem_bits(1'b1) == shadow_q[1]));
      // Each kind of edit leaves, and a record that passes.
      c_up : cover (u_dut.full_q[8] && edit_q.what == EditUp);
      c_result : cover (u_dut.full_q[8] && base_known_q && edit_q.what == EditResult);
      c_passes : cover (out_we_q && any_q[16:15] == '1 && what_q[16:15] == 2'b01);
    end
  end

endmodule
