// roce_egress in front of its aligner: a header record stands still as long as beats are made of
// it, and room is given back only for rows and headers that came in and have left.
//
// What the aligner and the ICRC stage make of it are their own proofs.
module roce_egress_props
  import roce_pkg::*;
(
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic             [7:0] epoch_i,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   row_we_i,
  input logic    [BeatBits-1:0] row_i,
  input logic                   row_last_i,
  input logic                   out_ready_i
);

  localparam int unsigned FifoRows = 8;
  localparam int unsigned HdrFrames = 2;

  logic started_q, row_pop, frame_pop;
  initial started_q = 1'b0;

  // One name for all, by which the task leaves the design's own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    roce_egress #(
      .FifoRows (FifoRows),
      .HdrFrames(HdrFrames)
    ) u_egress (
      .clk_i,
      .rst_ni,
      .epoch_i,
      .hdr_we_i,
      .hdr_word_i,
      .hdr_bad_i    (1'b0),
      .row_we_i,
      .row_i,
      .row_last_i,
      .row_bad_i    (1'b0),
      .part_we_i    (1'b0),
      .part_i       ('0),
      .row_pop_o    (row_pop),
      .frame_pop_o  (frame_pop),
      .out_valid_o  (),
      .out_ready_i,
      .out_o        (),
      .out_bad_o    (),
      .dropped_o    (),
      .corrected_o  (),
      .bad_o        (),
      .start_valid_o(),
      .start_conn_o (),
      .start_psn_o  (),
      .drop_number_o()
    );
  end

  // ---------------------------------------------------------------------------------------------
  // What came in and has not left: rows, records of eight words, and words of the next record.

  logic          [3:0] rows_q;
  logic          [4:0] words;
  logic          [2:0] at_q;
  logic          [1:0] frames_q;
  logic                valid, done;
  logic                stays, keeps;                   // as record_handover says
  logic                room, order, epoch;             // as words_handover does
  logic          [2:0] loaded;             // words of the record that is loaded

  assign loaded = u_dut.u_egress.word_at_q + 3'd1;
  assign valid  = u_dut.u_egress.u_align.header_valid_i;
  assign done   = u_dut.u_egress.u_align.header_done_o;
  assign words  = 5'(u_dut.u_egress.word_count);

  record_handover u_record (
    .clk_i,
    .rst_ni,
    .epoch_i       (u_dut.u_egress.u_align.epoch_i),
    .header_valid_i(u_dut.u_egress.u_align.header_valid_i),
    .header_i      (u_dut.u_egress.u_align.header_i),
    .header_done_i (u_dut.u_egress.u_align.header_done_o),
    .stays_o       (stays),
    .epoch_o       (keeps)
  );

  words_handover u_words (
    .clk_i,
    .rst_ni,
    .ready_i     (u_dut.u_egress.u_join.ready_o),
    .we_i        (u_dut.u_egress.u_join.we_i),
    .at_i        (u_dut.u_egress.u_join.at_i),
    .epoch_i     (u_dut.u_egress.u_join.epoch_i),
    .epoch_kept_i(u_dut.u_egress.u_join.epoch_kept_i),
    .room_o      (room),
    .order_o     (order),
    .epoch_o     (epoch)
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    rows_q    <= rows_q + 4'(row_we_i) - 4'(row_pop);
    frames_q  <= frames_q + 2'(hdr_we_i && at_q == 3'd7) - 2'(frame_pop);
    if (hdr_we_i) at_q <= at_q + 3'd1;
    if (!rst_ni) begin
      rows_q   <= '0;
      frames_q <= '0;
      at_q     <= '0;
    end
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A record, and what it is marked with, stand until beats are made of it, and in the cycle
      // behind that.
      a_stands : assert (stays)
      else $error("the record changes");
      a_marked : assert (keeps)
      else $error("the mark changes");
      // Its words go to its ICRC when there is room and not behind its last one, in their order,
      // and with one mark.
      a_room : assert (room)
      else $error("a word without room");
      a_order : assert (order)
      else $error("another word");
      a_mark : assert (epoch)
      else $error("two marks");
      // A row's room is given back when the row has come in and leaves.
      a_row : assert (!row_pop || rows_q != '0)
      else $error("no row inside");
      // A record's, when all its words have come in and leave.
      a_frame : assert (!frame_pop || frames_q != '0)
      else $error("no record inside");
      // What is inside is counted (helps the proof).
      a_counted : assert (32'(rows_q) == 32'(u_dut.u_egress.row_count) &&
          32'(rows_q) <= FifoRows && 32'(words) <= 8 * HdrFrames &&
          8'(words) + 8'(loaded) == {3'd0, frames_q, at_q})
      else $error("%0d rows", rows_q);
      a_shown : assert ((!u_dut.u_egress.row_valid || u_dut.u_egress.row_count != '0) &&
                        (!u_dut.u_egress.word_valid || u_dut.u_egress.word_count != '0))
      else $error("shows nothing");
      a_committed : assert (
          u_dut.u_egress.u_rows.gen_plain.u_fifo.commit_q ==
          u_dut.u_egress.u_rows.gen_plain.u_fifo.write_q &&
          u_dut.u_egress.u_words.gen_plain.u_fifo.commit_q ==
          u_dut.u_egress.u_words.gen_plain.u_fifo.write_q)
      else $error("not committed");
      // Beats are made of a record that is there, all of it (helps the proof).
      a_full : assert ((!(u_dut.u_egress.u_align.state_q inside {3'd1, 3'd2}) || valid) &&
                       (!valid || loaded == '0) && (!done || valid))
      else $error("state %0d", u_dut.u_egress.u_align.state_q);
      // Where its words are (helps the proof).
      a_words : assert (u_words.at_q == u_dut.u_egress.word_at_q &&
          (!u_words.rest_q || u_dut.u_egress.header_full_q) &&
          ((u_words.at_q == 3'd7 && !u_words.rest_q) ||
           u_dut.u_egress.epoch_q == u_words.epoch_q))
      else $error("word %0d", u_words.at_q);
      // A second record waits behind the one that beats are made of.
      c_two : cover (done && frames_q != '0);
    end
  end

endmodule
