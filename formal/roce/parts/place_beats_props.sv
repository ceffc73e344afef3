// roce_icrc_place around its queue: which beat leaves, what stands behind a frame's end, and what
// waits, for any beats and whatever the queue shows. (That beats keep their order is
// roce_icrc_place's proof.)
module place_beats_props
  import roce_pkg::*;
#(
  parameter int unsigned Ecc = 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                beat_valid_i,
  input logic                beat_first_i,
  input logic                beat_last_i,
  input logic [WordW-1:0]    beat_end_i,
  input logic [BeatBits-1:0] beat_data_i,
  input logic                beat_bad_i,
  input logic                icrc_valid_i,
  input logic [31:0]         icrc_i,
  input logic                out_ready_i,
  input logic [ByteW-2:0]    pair_i   // any, the same one all along
);

  logic  pop, icrc_pop, valid, first, bad;
  beat_t out;

  roce_icrc_place #(
    .Beats(16),
    .Ecc  (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i,
    .beat_last_i,
    .beat_end_i,
    .beat_data_i,
    .beat_bad_i,
    .beat_pop_o  (pop),
    .icrc_valid_i,
    .icrc_i,
    .icrc_pop_o  (icrc_pop),
    .out_valid_o (valid),
    .out_ready_i,
    .out_first_o (first),
    .out_bad_o   (bad),
    .out_o       (out)
  );

  typedef struct packed {
    logic                bad;    // of a device whose memories say so
    logic                first;
    logic                last;
    logic [WordW-1:0]    end_;
    logic [BeatBits-1:0] data;
  } beat_in_t;
  localparam int unsigned Kept = $bits(beat_in_t) - 1 + Ecc;

  // The beat that is next: the one that waits, or else the one that comes.
  beat_in_t comes, next;
  logic     waits, any, free, full, goes;
  logic     owes_q, owes_bad_q;   // the rest of an ICRC is to come, of a bad frame
  assign waits = u_dut.u_beats.out_valid_o;
  always_comb begin
    comes = '{Ecc != 0 && beat_bad_i, beat_first_i, beat_last_i, beat_end_i, beat_data_i};
    next  = comes;
    if (waits) next = beat_in_t'(u_dut.u_beats.out_o);
    any  = waits || beat_valid_i;
    free = !valid || out_ready_i;     // the output is
    full = next.end_ == '1;           // its last word is where the frame ends
    // Only the last beat of a frame waits for its ICRC, and the rest of an ICRC is in front of all.
    goes = free && !owes_q && any && (icrc_valid_i || !next.last);
  end

  // What is shown then: half of a trailer behind byte 1 of the word, the other half in the next.
  logic [ByteW-2:0] pair, pair_q;
  logic             set_q, reset_q, valid_q;
  logic [15:0]      due_q, shown;
  logic             first_q, last_q, bad_q;
  logic [BytesW-1:0] bytes_q;
  logic [31:0]      trailer;
  assign pair    = set_q ? pair_q : pair_i;
  assign shown   = out.data[{pair, 4'd0}+:16];
  assign trailer = (owes_q ? owes_bad_q : next.bad) ? ~icrc_i : icrc_i;
  initial {set_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    set_q  <= 1'b1;
    pair_q <= pair;
    if (free) begin
      valid_q <= goes || owes_q;
      owes_q  <= goes && next.last && full;
      owes_bad_q <= next.bad;
    end
    if (goes) begin
      first_q <= next.first;
      last_q  <= next.last && !full;
      bad_q   <= next.bad;
      bytes_q <= (next.last && !full) ? 7'd4 * 7'(next.end_) + 7'd6 : 7'd64;
      due_q   <= next.data[{pair, 4'd0}+:16];
      if (next.last && pair == {next.end_, 1'b1}) due_q <= trailer[15:0];
      if (next.last && 6'(pair) == {1'b0, next.end_, 1'b0} + 6'd2) due_q <= trailer[31:16];
    end else if (free && owes_q) begin
      first_q <= 1'b0;
      last_q  <= 1'b1;
      bad_q   <= owes_bad_q;
      bytes_q <= 7'd2;
      due_q   <= (pair == '0) ? trailer[31:16] : 16'd0;
    end
    if (!rst_ni) begin
      {valid_q, owes_q} <= '0;
      reset_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // The rest of an ICRC is to come (helps the proof).
      a_owes : assert (u_dut.rest_q == owes_q && (!owes_q || u_dut.rest_bad_q == owes_bad_q ||
                                                  Ecc == 0))
      else $error("rest");
      // A beat waits unless it is the next one and can go.
      a_waits : assert (u_dut.u_beats.in_valid_i == (beat_valid_i && !(goes && !waits)) &&
                        u_dut.u_beats.in_i == Kept'(comes) && u_dut.u_beats.out_ready_i == goes)
      else $error("waits");
      // Room for a beat is given back as it goes.
      a_pop : assert (pop == goes)
      else $error("pop %b", pop);
      // An ICRC is taken with the last byte of its frame.
      a_icrc : assert (icrc_pop == ((goes && next.last && !full) || (free && owes_q)))
      else $error("ICRC taken %b", icrc_pop);
      // A beat is shown as it goes, or as the rest of an ICRC does, until it is taken.
      a_valid : assert (valid == valid_q)
      else $error("valid %b", valid);
      // It is the first of its frame, or the last, bad, and has as many bytes.
      a_what : assert (!valid || {first, out.last, bad, out.bytes} ==
                       {first_q, last_q, bad_q, bytes_q})
      else $error("first %b, last %b, bad %b", first, out.last, bad);
      // Its bytes are the frame's, and behind its end those of the ICRC, turned round if the frame
      // is bad; nothing else is in a beat that has the rest of one.
      a_bytes : assert (!valid || shown == due_q)
      else $error("pair %0d: %h", pair, shown);

      // A bad frame's ICRC goes on in a beat of its own.
      c_rest : cover (valid && last_q && bytes_q == 7'd2 && (bad || Ecc == 0) && waits);
      c_around : cover (goes && !waits && next.last);
    end
  end

endmodule
