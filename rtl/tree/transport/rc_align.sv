// Turns the beats of frames into rows of payload, byte 0 of the payload at byte 0 of the first row.
//
// Headers are Ethernet's 14 bytes and whole words, so payload begins behind byte 1 of a word: 16
// positions, two stages of 4:1, and a stage that puts two neighbours together. Rows go on to the
// end of the frame; whoever knows the payload's length knows which of them count. Frames that are
// no RoCEv2 have rows, too, and nobody wants them.
//
// Nobody waits: the row that a beat completes comes three cycles behind it, and what the last beat
// leaves over a cycle later, with `stop`.
module rc_align
  import roce_pkg::*;
  import rc_port_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // A beat. Payload begins in word `word_i` of the first beat, or of the second one if `second_i`.
  input logic                valid_i,
  input logic                first_i,
  input logic                last_i,
  input logic                second_i,
  input logic [3:0]          word_i,
  input logic [BeatBits-1:0] data_i,

  output rc_came_t came_o   // a row, and what it is of
);

  localparam int unsigned Pairs = BeatBytes / 2;

  typedef struct packed {
    logic       valid, last;
    logic       payload;   // there is some of it in the beat
    logic       begins;    // the first such beat
    logic [3:0] word;
  } control_t;

  control_t            control, coarse_is_q, fine_is_q;
  logic                behind_q;   // the beat before this one in its frame had payload
  logic [BeatBits-1:0] coarse_q, fine_q, previous_q;

  assign control = '{valid: valid_i, last: last_i, payload: !(first_i && second_i),
                     begins: first_i ? !second_i : !behind_q, word: word_i};

  // Rotate: byte 4 * word + 2 goes to byte 0.
  logic [3:0][BeatBits-1:0] coarse_ways, fine_ways;
  logic [BeatBits-1:0]      coarse, fine;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      coarse_ways[i] = BeatBits'({data_i, data_i} >> (128 * i));
      fine_ways[i]   = BeatBits'({coarse_q, coarse_q} >> (32 * i + 16));
    end
  end

  prim_mux #(
    .Width(BeatBits),
    .Words(4)
  ) u_coarse (
    .in_i    (coarse_ways),
    .select_i(word_i[3:2]),
    .out_o   (coarse)
  );

  prim_mux #(
    .Width(BeatBits),
    .Words(4)
  ) u_fine (
    .in_i    (fine_ways),
    .select_i(coarse_is_q.word[1:0]),
    .out_o   (fine)
  );

  // A row is what the beat before left over, and the beginning of this one.
  logic             flush_q, flush_row_q, started_q, row;
  logic [Pairs-1:0] earlier_q;   // pairs of bytes of a row that are in the beat before
  rc_came_t         came_q;

  assign row = (fine_is_q.valid && fine_is_q.payload && !fine_is_q.begins) || flush_row_q;

  always_ff @(posedge clk_i) begin
    coarse_is_q <= control;
    fine_is_q   <= coarse_is_q;
    if (valid_i) begin
      behind_q <= !(first_i && second_i);
      coarse_q <= coarse;
    end
    if (coarse_is_q.valid) fine_q <= fine;

    if (fine_is_q.valid) begin
      previous_q <= fine_q;
      earlier_q  <= '1 >> {fine_is_q.word, 1'b1};
    end
    if (row) started_q <= 1'b1;
    // The row may be what the frame in front leaves over.
    if (fine_is_q.valid && fine_is_q.begins) started_q <= 1'b0;
    flush_q     <= fine_is_q.valid && fine_is_q.last;
    flush_row_q <= fine_is_q.valid && fine_is_q.last && fine_is_q.payload;

    came_q.valid <= row;
    came_q.start <= row && !started_q;
    came_q.stop  <= flush_q;
    for (int unsigned i = 0; i < Pairs; i++) begin
      came_q.row[16*i+:16] <= earlier_q[i] ? previous_q[16*i+:16] : fine_q[16*i+:16];
    end
    if (!rst_ni) begin
      coarse_is_q.valid <= 1'b0;
      fine_is_q.valid   <= 1'b0;
      flush_q           <= 1'b0;
      flush_row_q       <= 1'b0;
      came_q.valid      <= 1'b0;
      came_q.stop       <= 1'b0;
    end
  end

  assign came_o = came_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What a frame leaves over and a row of the next one never come at once; one would be lost.
      a_one_row : assert (!(flush_q && fine_is_q.valid && fine_is_q.payload && !fine_is_q.begins))
      else $error("%m: two rows in one cycle");
    end
  end

endmodule
