// Puts the ICRC behind frames on their way out, when it is known.
//
// Beats come in without stall into a FIFO of `Beats`; `beat_pop_o` tells when one has left. Only
// the last beat of a frame waits for the ICRC, and what is behind it keeps moving up meanwhile.
module roce_icrc_place
  import roce_pkg::*;
#(
  /// Beats that wait for output, 16 to 64.
  parameter int unsigned Beats = 24,
  /// 1: a frame may be bad. Its ICRC is inverted, so that nobody takes it.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Beats of frames, without ICRC, as roce_egress_align makes them: the frame ends behind byte 1 of
  // word `end` of its last beat, and everything behind is zero. Never refused: the sender counts
  // credits, and `beat_pop_o` gives one back as a beat leaves.
  input  logic                beat_valid_i,
  input  logic                beat_first_i,
  input  logic                beat_last_i,
  input  logic [WordW-1:0]    beat_end_i,
  input  logic [BeatBits-1:0] beat_data_i,
  input  logic                beat_bad_i,   // with `last`: the frame is bad
  output logic                beat_pop_o,

  // ICRCs in the order of the frames, least significant byte first; taken as the last byte leaves.
  input  logic        icrc_valid_i,
  input  logic [31:0] icrc_i,
  output logic        icrc_pop_o,

  // Finished frames; `out_first_o` goes with a frame's first beat.
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output logic  out_first_o,
  output logic  out_bad_o,     // with `last`: the frame is bad
  output beat_t out_o
);

  if (Beats < 16 || Beats > 64) begin : gen_check_beats
    $fatal(1, "%m: Beats must be 16 to 64, is %0d", Beats);
  end

  localparam int unsigned Words = BeatBytes / 4;

  // ---------------------------------------------------------------------------------------------
  // Beats wait here while the CRC runs.

  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Beats+1)-1:0] beat_count;
  // verilator lint_on UNUSEDSIGNAL

  logic rest_q;   // the second half of a trailer is to come

  typedef struct packed {
    logic                first;
    logic                last;
    logic [WordW-1:0]    end_word;
    logic [BeatBits-1:0] data;
  } wait_t;

  wait_t wait_in, waiting, head;
  logic  beat_in_ready, waits, head_valid;
  // With the frame's last beat, if it may be bad, whether it is.
  logic [$bits(wait_t)+Ecc-1:0] coded_in, coded;
  logic                         head_bad, spoil, rest_bad_q;
  logic [31:0]                  trailer;

  assign coded_in = ($bits(wait_t)+Ecc)'({beat_bad_i, wait_in});
  assign waiting  = wait_t'(coded[$bits(wait_t)-1:0]);

  assign wait_in = '{first: beat_first_i, last: beat_last_i, end_word: beat_end_i,
                     data: beat_data_i};

  prim_fifo #(
    .T    (logic [$bits(wait_t)+Ecc-1:0]),
    .Depth(Beats)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i (beat_valid_i && (waits || !beat_pop_o)),
    .in_ready_o (beat_in_ready),
    .in_i       (coded_in),
    .out_valid_o(waits),
    .out_ready_i(beat_pop_o),
    .out_o      (coded),
    .count_o    (beat_count)
  );

  // A beat that finds nobody waiting goes on at once.
  assign head_valid = waits || beat_valid_i;
  assign head       = waits ? waiting : wait_in;
  assign head_bad   = Ecc != 0 && (waits ? coded[$bits(wait_t)+Ecc-1] : beat_bad_i);
  assign spoil      = Ecc != 0 && (rest_q ? rest_bad_q : head_bad);
  assign trailer    = icrc_i ^ {32{spoil}};

  // ---------------------------------------------------------------------------------------------
  // Insert: bytes 0 and 1 of the ICRC behind the frame's end in the same word, 2 and 3 in the word
  // behind it, which is a beat of its own if the frame ended in the last word.

  logic load, straddles;

  assign load       = !out_valid_o || out_ready_i;
  assign straddles  = head.last && head.end_word == WordW'(Words - 1);
  assign beat_pop_o = load && !rest_q && head_valid && (!head.last || icrc_valid_i);
  assign icrc_pop_o = load && (rest_q || (beat_pop_o && head.last && !straddles));

  always_ff @(posedge clk_i) begin
    if (load) begin
      out_valid_o <= beat_pop_o || rest_q;
      rest_q      <= beat_pop_o && straddles;
      rest_bad_q  <= head_bad;
      out_bad_o   <= spoil;
    end
    if (beat_pop_o) begin
      out_first_o <= head.first;
      out_o.last  <= head.last && !straddles;
      out_o.bytes <= (head.last && !straddles) ? BytesW'({head.end_word, 2'd0}) + BytesW'(6) :
          BytesW'(BeatBytes);
      out_o.data  <= head.data;
      if (head.last) begin
        for (int unsigned w = 0; w < Words; w++) begin
          if (head.end_word == WordW'(w)) begin
            out_o.data[32*w+16+:16] <= trailer[15:0];
            if (w + 1 < Words) out_o.data[32*(w+1)+:16] <= trailer[31:16];
          end
        end
      end
    end else if (load && rest_q) begin
      out_first_o <= 1'b0;
      out_o.last  <= 1'b1;
      out_o.bytes <= BytesW'(2);
      out_o.data  <= BeatBits'(trailer[31:16]);
    end
    if (!rst_ni) begin
      out_valid_o <= 1'b0;
      rest_q      <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // There is room for a beat that comes in; else a frame would lose it and still carry a good
      // ICRC.
      a_room : assert (!beat_valid_i || beat_in_ready)
      else $error("%m: a beat comes in, and %0d wait", beat_count);
    end
  end

endmodule
