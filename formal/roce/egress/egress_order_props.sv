// roce_egress from emission's header words to its aligner: the record that beats are made of is
// eight words that came behind each other, the last one first, each in its place.
//
// Words and rows wait in queues, which have proofs of their own (prim_frame_fifo); the aligner is
// given the oldest row as that is shown. What is made of records and rows, and when they are taken,
// is the aligner's proof.
module egress_order_props
  import roce_pkg::*;
(
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   row_we_i,
  input logic    [BeatBits-1:0] row_i,
  input logic                   row_last_i
);

  logic started_q;
  initial started_q = 1'b0;

  egress_alone #(
    .HdrFrames(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .hdr_we_i,
    .hdr_word_i,
    .row_we_i,
    .row_i,
    .row_last_i,
    .part_we_i  (1'b0),
    .part_i     ('0),
    .out_ready_i(1'b1)
  );

  // ---------------------------------------------------------------------------------------------
  // The place of the next word that comes; words as they left the queue, by their places; those
  // that stand otherwise in the record.

  logic [2:0]                           at_q;
  logic [HdrWords-1:0][HdrWordBits-1:0] record_q;
  logic [HdrWords-1:0]                  wrong;
  logic                                 valid;
  assign valid = u_dut.u_egress.u_align.header_valid_i;
  always_comb begin
    for (int unsigned w = 0; w < HdrWords; w++) begin
      wrong[w] = (valid || 3'(w + 1) < u_dut.u_egress.word_at_q + 3'd1) &&
          u_dut.u_egress.u_align.header_i[HdrWordBits*w+:HdrWordBits] != record_q[w];
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (hdr_we_i) at_q <= at_q + 3'd1;
    if (u_dut.u_egress.word_valid && u_dut.u_egress.word_ready) begin
      record_q[u_dut.u_egress.word_at_q] <= u_dut.u_egress.word;
    end
    if (!rst_ni) at_q <= 3'd7;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The record that beats are made of is eight words that left the queue behind each other,
      // each in its place.
      a_record : assert (wrong == '0)
      else $error("words %b", wrong);
      // It is whole, and nothing of the next one is in it.
      a_whole : assert (!valid || u_dut.u_egress.word_at_q == 3'd7);
      // A word leaves the queue for the place in its record that it came with: as many words wait
      // as have come since one of that place.
      a_place : assert (3'(u_dut.u_egress.word_count) + u_dut.u_egress.word_at_q == at_q);
      // The aligner's words are there (helps the proof).
      a_shown : assert (!u_dut.u_egress.word_valid || u_dut.u_egress.word_count != '0);
      // What waits is committed, and counted (helps the proof).
      a_committed : assert (u_dut.u_egress.u_words.gen_plain.u_fifo.commit_q ==
          u_dut.u_egress.u_words.gen_plain.u_fifo.write_q);
      // Beats are made of a record that is there (helps the proof).
      a_full : assert ((!(u_dut.u_egress.u_align.state_q inside {3'd1, 3'd2}) || valid) &&
          (!u_dut.u_egress.header_done || valid));
      // A record stands, and all words of the next one wait.
      c_second : cover (valid && 32'(u_dut.u_egress.word_count) == 8);
    end
  end

endmodule
