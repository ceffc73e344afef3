// roce_icrc_place: every beat leaves in its turn and as it came, and behind the last byte of a
// frame stand the four of its ICRC: of the oldest one that is there, which is taken as they leave.
//
// One beat is followed, which one is free, and in it one pair of bytes, which one is free too: what
// holds for them holds for all. What the ICRC is of is roce_icrc_join's proof.
module roce_icrc_place_props
  import roce_pkg::*;
(
  input logic                clk_i,
  input logic                rst_ni,
  input logic                beat_valid_i,
  input logic                beat_first_i,
  input logic                beat_last_i,
  input logic    [WordW-1:0] beat_end_i,
  input logic [BeatBits-1:0] beat_data_i,
  input logic                icrc_valid_i,
  input logic         [31:0] icrc_i,
  input logic                out_ready_i,
  // Follow the beat that comes now; in the first cycle: the pair of bytes.
  input logic                follow_i,
  input logic    [ByteW-2:0] pair_i
);

  localparam int unsigned Beats = 16;
  localparam int unsigned PlaceW = $clog2(Beats);

  logic       started_q, pop, icrc_pop, out_valid, out_first;
  logic [ByteW-2:0] pair_q;
  beat_t      out;
  initial started_q = 1'b0;

  roce_icrc_place #(
    .Beats(Beats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i,
    .beat_last_i,
    .beat_end_i,
    .beat_data_i,
    .beat_bad_i  (1'b0),
    .beat_pop_o  (pop),
    .icrc_valid_i,
    .icrc_i,
    .icrc_pop_o  (icrc_pop),
    .out_valid_o (out_valid),
    .out_ready_i,
    .out_first_o (out_first),
    .out_bad_o   (),
    .out_o       (out)
  );

  logic whole;   // as the output takes it for granted
  whole_handover u_whole (
    .valid_i(out_valid),
    .beat_i (out),
    .whole_o(whole)
  );

  // ---------------------------------------------------------------------------------------------
  // Beats inside, and the followed one: how many are in front of it, and what it was.

  typedef struct packed {
    logic        first;
    logic        last;
    logic [WordW-1:0] end_word;
    logic [15:0] pair;
  } one_t;

  one_t              now, one_q, kept;
  logic              comes, follows_q, leaves, left_q;
  logic   [PlaceW:0] count_q, ahead_q;
  logic [PlaceW-1:0] at;          // its place in the queue

  assign now    = '{first: beat_first_i, last: beat_last_i, end_word: beat_end_i,
                    pair: beat_data_i[{pair_q, 4'd0}+:16]};
  assign comes  = beat_valid_i && follow_i && !follows_q;
  assign leaves = pop && (follows_q ? ahead_q == '0 : comes && count_q == '0);
  assign at     = u_dut.u_beats.read_q + ahead_q[PlaceW-1:0];
  assign kept   = '{first: u_dut.u_beats.mem_q[at][BeatBits+WordW+1],
                    last: u_dut.u_beats.mem_q[at][BeatBits+WordW],
                    end_word: u_dut.u_beats.mem_q[at][BeatBits+:WordW],
                    pair: u_dut.u_beats.mem_q[at][{pair_q, 4'd0}+:16]};

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) pair_q <= pair_i;
    count_q <= count_q + (PlaceW + 1)'(beat_valid_i) - (PlaceW + 1)'(pop);
    if (comes) begin
      follows_q <= !leaves;
      ahead_q   <= count_q - (PlaceW + 1)'(pop);
      one_q     <= now;
    end else if (follows_q) begin
      if (leaves) follows_q <= 1'b0;
      else ahead_q <= ahead_q - (PlaceW + 1)'(pop);
    end
    left_q <= rst_ni && leaves;
    if (!rst_ni) begin
      count_q   <= '0;
      follows_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What leaves behind it: the ICRC that was there as it left; the rest of it in a beat of its own.

  logic        stays, held_q, popped_q, took_q, owes_q;
  logic [31:0] icrc_q;
  beat_t       shown_q;
  logic [BytesW-1:0] length;        // bytes of the followed beat, without ICRC
  logic [15:0] due;           // of the pair
  logic        ends, straddles;

  icrc_handover u_icrc (
    .clk_i,
    .rst_ni,
    .icrc_valid_i,
    .icrc_i,
    .icrc_pop_i(icrc_pop),
    .stays_o   (stays)
  );

  assign length    = one_q.last ? {1'b0, one_q.end_word, 2'd2} : BytesW'(BeatBytes);
  assign straddles = one_q.last && one_q.end_word == '1;
  assign ends      = one_q.last && !straddles;
  always_comb begin
    due = one_q.pair;
    if (one_q.last && {1'b0, pair_q, 1'b0} == length) due = icrc_q[15:0];
    if (one_q.last && {1'b0, pair_q, 1'b0} == length + BytesW'(2)) due = icrc_q[31:16];
  end

  always_ff @(posedge clk_i) begin
    held_q   <= rst_ni && out_valid && !out_ready_i;
    shown_q  <= out;
    popped_q <= rst_ni && pop;
    took_q   <= rst_ni && icrc_pop;
    if (leaves) icrc_q <= icrc_i;
    // The rest of the followed frame's ICRC is to come.
    if (left_q && straddles && !out_ready_i) owes_q <= 1'b1;
    else if (!left_q && out_ready_i) owes_q <= 1'b0;
    if (!rst_ni) owes_q <= 1'b0;
  end

  logic rests_q;   // it is shown
  always_ff @(posedge clk_i) begin
    rests_q <= rst_ni && ((left_q && straddles) || owes_q) && out_ready_i;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // An ICRC that is there stays until it is taken.
      e_icrc : assume (stays);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A beat leaves as it came; behind the last byte of its frame stand those of the oldest ICRC,
      // lowest first, in the same beat as far as it goes. All bytes of a beat count but those
      // behind the ICRC.
      a_leaves : assert (!left_q || (out_valid && out_first == one_q.first && out.last == ends &&
          out.bytes == (ends ? length + BytesW'(4) : BytesW'(BeatBytes)) &&
          out.data[{pair_q, 4'd0}+:16] == due))
      else $error("%0d bytes", out.bytes);
      // What did not fit leaves behind it in a beat of its own, the frame's last.
      a_rest : assert (!rests_q || (out_valid && out.last && !out_first &&
          out.bytes == BytesW'(2) && out.data[15:0] == icrc_q[31:16]))
      else $error("rest");
      // An ICRC is taken as its frame's end is shown, once a frame, and only if it is there.
      a_taken : assert (took_q == (out_valid && !held_q && out.last) &&
          (!icrc_pop || icrc_valid_i))
      else $error("taken %b", took_q);
      // What is shown stays until it is taken; nothing leaves but beats and ends of ICRCs.
      a_stable : assert (held_q ? out_valid && out == shown_q :
          out_valid == (popped_q || (out.last && out.bytes == BytesW'(2) && took_q)))
      else $error("withdrawn or changed");
      // A beat has 1 to BeatBytes bytes, and all of them unless it is the last.
      a_bytes : assert (whole)
      else $error("beat of %0d bytes", out.bytes);
      // A beat has room until it leaves, and that is given back once.
      a_pop : assert (!pop || count_q != '0 || beat_valid_i)
      else $error("nothing inside");
      // Beats inside are in the queue, the followed one in its place (helps the proof).
      a_counted : assert (count_q == u_dut.u_beats.count_q)
      else $error("%0d beats", count_q);
      a_inside : assert ((!follows_q || (ahead_q < count_q && kept == one_q)) &&
          u_dut.u_beats.write_q == PlaceW'(u_dut.u_beats.read_q + count_q[PlaceW-1:0]))
      else $error("another beat");
      // The rest of an ICRC is of the followed frame (helps the proof).
      a_owes : assert (((left_q && straddles) || owes_q) <= u_dut.rest_q && (!u_dut.rest_q ||
          (out_valid && icrc_valid_i)) &&
          (!((left_q && straddles) || owes_q) || icrc_i == icrc_q))
      else $error("rest");
      // A trailer fills its beat but for two bytes; one goes on in a beat of its own.
      c_fills : cover (left_q && ends && out.bytes == BytesW'(BeatBytes - 2));
      c_rest : cover (rests_q && count_q == (PlaceW + 1)'(2));
    end
  end

endmodule
