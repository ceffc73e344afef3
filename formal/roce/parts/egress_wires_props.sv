// roce_egress: how a header record is loaded, which wire goes where between its parts, and what is
// told of results.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: roce_egress_align, roce_icrc_join,
// roce_icrc_place, prim_frame_fifo.
module egress_wires_props
  import roce_pkg::*;
#(
  parameter int unsigned Ecc = 1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [7:0]             epoch_i,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   hdr_bad_i,
  input logic                   row_we_i,
  input logic [BeatBits-1:0]    row_i,
  input logic                   row_last_i,
  input logic                   row_bad_i,
  input logic                   part_we_i,
  input logic [31:0]            part_i,
  input logic                   out_ready_i,
  input logic [2:0]             word_i   // any, the same one all along
);

  logic                row_pop, frame_pop, out_valid, out_bad, dropped, corrected, bad, starts;
  logic [ConnBits-1:0] start_conn;
  logic [23:0]         start_psn, number;
  beat_t               out;

  roce_egress #(
    .FifoRows (8),
    .HdrFrames(2),
    .SlotBytes(64),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .epoch_i,
    .hdr_we_i,
    .hdr_word_i,
    .hdr_bad_i,
    .row_we_i,
    .row_i,
    .row_last_i,
    .row_bad_i,
    .part_we_i,
    .part_i,
    .row_pop_o    (row_pop),
    .frame_pop_o  (frame_pop),
    .out_valid_o  (out_valid),
    .out_ready_i,
    .out_o        (out),
    .out_bad_o    (out_bad),
    .dropped_o    (dropped),
    .corrected_o  (corrected),
    .bad_o        (bad),
    .start_valid_o(starts),
    .start_conn_o (start_conn),
    .start_psn_o  (start_psn),
    .drop_number_o(number)
  );

  // What waits, as it goes into memory and as it is shown: bad ones are marked in front, but behind
  // a row's end.
  logic [HdrWordBits+Ecc-1:0] word_in, word_out;
  logic [BeatBits+Ecc:0]      row_in, row_out;
  logic [HdrWordBits-1:0]     word;
  logic                       word_bad, row_bad, shows, takes, row_takes;
  always_comb begin
    word_in = (HdrWordBits + Ecc)'({hdr_bad_i, hdr_word_i});
    row_in  = (Ecc != 0) ? (BeatBits + 1 + Ecc)'({row_last_i, row_bad_i, row_i}) :
        (BeatBits + 1 + Ecc)'({row_last_i, row_i});
    word_out = u_dut.u_words.out_o;
    row_out  = u_dut.u_rows.out_o;
    word     = HdrWordBits'(word_out);
    word_bad = u_dut.u_words.out_bad_o || (Ecc != 0 && word_out[HdrWordBits+Ecc-1]);
    row_bad  = u_dut.u_rows.out_bad_o || (Ecc != 0 && row_out[BeatBits+Ecc-1]);
  end

  // The record that is loaded: which of its words is next, whether all are there; one of them, and
  // what it is marked with.
  logic                   set_q, reset_q, full_q, have_q, marked_q, bad_q;
  logic [2:0]             which_q, which, next_q;
  logic [HdrWordBits-1:0] one_q;
  logic [7:0]             mark_q;
  assign which     = set_q ? which_q : word_i;
  assign shows     = u_dut.u_words.out_valid_o;
  assign takes     = shows && u_dut.u_join.ready_o && !full_q;
  assign row_takes = u_dut.u_rows.out_valid_o && u_dut.u_align.row_ready_o;
  initial {set_q, reset_q, have_q, marked_q} = '0;
  always_ff @(posedge clk_i) begin
    {set_q, which_q} <= {1'b1, which};
    if (takes) begin
      next_q <= (next_q == 3'd7) ? 3'd0 : next_q + 3'd1;
      if (next_q == which) {have_q, one_q} <= {1'b1, word};
      if (next_q == 3'd7) {marked_q, mark_q, bad_q} <= {1'b1, epoch_i, word_bad};
      else if (word_bad) bad_q <= 1'b1;
      if (next_q == 3'd6) full_q <= 1'b1;
    end
    if (u_dut.u_align.header_done_o) full_q <= 1'b0;
    if (!rst_ni) begin
      {next_q, full_q} <= {3'd7, 1'b0};
      {reset_q, have_q, marked_q} <= 3'b100;
    end
  end

  // What was told a cycle ago, and how many results have begun or were dropped.
  logic        past_q, was_reset_q, dropped_q, corrected_q, bad_found_q;
  logic [23:0] results_q, result_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    was_reset_q <= !rst_ni;
    dropped_q   <= u_dut.u_align.drop_o;
    corrected_q <= u_dut.u_words.corrected_o || u_dut.u_rows.corrected_o;
    bad_found_q <= u_dut.u_words.bad_o || u_dut.u_rows.bad_o;
    result_q    <= results_q + 24'd1;
    if (u_dut.u_align.begin_valid_o || u_dut.u_align.drop_o) results_q <= results_q + 24'd1;
    if (!rst_ni) results_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    // Words of headers wait, as they come, and none is taken back.
    a_words : assert ({u_dut.u_words.rst_ni, u_dut.u_words.in_valid_i, u_dut.u_words.in_i,
                       u_dut.u_words.commit_i, u_dut.u_words.rollback_i} ==
                      {rst_ni, hdr_we_i, word_in, 2'b10})
    else $error("words");
    // So do rows.
    a_rows : assert ({u_dut.u_rows.rst_ni, u_dut.u_rows.in_valid_i, u_dut.u_rows.in_i,
                      u_dut.u_rows.commit_i, u_dut.u_rows.rollback_i} ==
                     {rst_ni, row_we_i, row_in, 2'b10})
    else $error("rows");
    // A row goes to the aligner, with its end and whether it is bad, and its room is given back
    // when that takes it.
    a_row : assert ({u_dut.u_align.row_valid_i, u_dut.u_align.row_i, u_dut.u_align.row_last_i,
                     u_dut.u_align.row_bad_i} ==
                    {u_dut.u_rows.out_valid_o, row_out[BeatBits-1:0], row_out[BeatBits+Ecc],
                     row_bad} &&
                    u_dut.u_rows.out_ready_i == u_dut.u_align.row_ready_o && row_pop == row_takes)
    else $error("row");
    // Beats go to where the ICRC is put behind them, and what goes on there makes room.
    a_beats : assert ({u_dut.u_icrc.rst_ni, u_dut.u_icrc.beat_valid_i, u_dut.u_icrc.beat_first_i,
                       u_dut.u_icrc.beat_last_i, u_dut.u_icrc.beat_end_i,
                       u_dut.u_icrc.beat_data_i, u_dut.u_icrc.beat_bad_i} ==
                      {rst_ni, u_dut.u_align.beat_valid_o, u_dut.u_align.beat_first_o,
                       u_dut.u_align.beat_last_o, u_dut.u_align.beat_end_o,
                       u_dut.u_align.beat_data_o, u_dut.u_align.beat_bad_o} &&
                      u_dut.u_align.beat_pop_i == u_dut.u_icrc.beat_pop_o &&
                      u_dut.u_align.rst_ni == rst_ni)
    else $error("beats");
    // ICRCs come from where they are joined, and are taken there; the rows' parts as they come.
    a_icrc : assert ({u_dut.u_icrc.icrc_valid_i, u_dut.u_icrc.icrc_i, u_dut.u_join.icrc_pop_i} ==
                     {u_dut.u_join.icrc_valid_o, u_dut.u_join.icrc_o, u_dut.u_icrc.icrc_pop_o} &&
                     {u_dut.u_join.rst_ni, u_dut.u_join.part_we_i, u_dut.u_join.part_i} ==
                     {rst_ni, part_we_i, part_i})
    else $error("ICRC");
    // Frames go out as they are.
    a_out : assert ({out_valid, out, out_bad, u_dut.u_icrc.out_ready_i} ==
                    {u_dut.u_icrc.out_valid_o, u_dut.u_icrc.out_o, u_dut.u_icrc.out_bad_o,
                     out_ready_i})
    else $error("out");
    // Who a frame is for waits from its begin; it is told as its first beat leaves.
    a_begins : assert ({u_dut.u_who.rst_ni, u_dut.u_who.in_valid_i, u_dut.u_who.in_i} ==
                       {rst_ni, u_dut.u_align.begin_valid_o, u_dut.u_align.begin_conn_o,
                        u_dut.u_align.begin_psn_o})
    else $error("begins");
    // The oldest of them.
    a_starts : assert (starts == (out_valid && out_ready_i && u_dut.u_icrc.out_first_o) &&
                       {start_conn, start_psn} == u_dut.u_who.out_o &&
                       u_dut.u_who.out_ready_i == starts)
    else $error("starts");

    if (rst_ni && reset_q) begin
      // A word is taken while the record is not whole and its ICRC has room; with the last but one
      // by its number, which comes last, room for a record is given back.
      a_takes : assert (u_dut.u_words.out_ready_i == (u_dut.u_join.ready_o && !full_q) &&
                        frame_pop == (takes && next_q == 3'd6))
      else $error("takes");
      // The same word goes to its ICRC.
      a_word : assert ({u_dut.u_join.we_i, u_dut.u_join.at_i, u_dut.u_join.word_i} ==
                       {takes, next_q, word})
      else $error("word %0d", u_dut.u_join.at_i);
      // A record is there from its last word on until it is done.
      a_full : assert (u_dut.u_align.header_valid_i == full_q)
      else $error("full %b", full_q);
      // Each word is in its place until the same one of the next record.
      a_header : assert (!have_q || u_dut.u_align.header_i[HdrWordBits*which+:HdrWordBits] == one_q)
      else $error("word %0d", which);
      // Its mark is that of its first word's time, and a bad word makes it bad.
      a_mark : assert (u_dut.u_join.epoch_i == epoch_i && (!marked_q ||
                       {u_dut.u_align.epoch_i, u_dut.u_join.epoch_kept_i,
                        u_dut.u_align.header_bad_i, u_dut.u_join.bad_i} ==
                       {mark_q, mark_q, bad_q, bad_q}))
      else $error("mark");

      // A bad word in the middle of a record with a mark.
      c_bad : cover (full_q && marked_q && mark_q != '0 && bad_q && have_q && which == 3'd3);
    end
    if (past_q && reset_q) begin
      // A dropped result is told, and the how many-th it was.
      a_dropped : assert ((Ecc == 0) ? !dropped && number == '0 :
                          dropped == (!was_reset_q && dropped_q) &&
                          (was_reset_q || number == result_q))
      else $error("dropped %b, %0d", dropped, number);
      // What memories have found as well.
      a_found : assert ({corrected, bad} ==
                        ({2{Ecc != 0 && !was_reset_q}} & {corrected_q, bad_found_q}))
      else $error("corrected %b, bad %b", corrected, bad);
    end
  end

endmodule
