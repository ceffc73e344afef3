// prim_frame_fifo_ecc around its memory and its code: what goes in, what is shown and what is told,
// for any entry and whatever memory and code make of it.
module coded_fifo_props #(
  parameter int unsigned Width = 67,
  parameter int unsigned Depth = 8,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             in_valid_i,
  input logic [Width-1:0] in_i,
  input logic             commit_i,
  input logic             rollback_i,
  input logic             out_ready_i
);

  logic              in_ready, valid, bad, corrected, lost;
  logic [Width-1:0]  out;
  logic [CountW-1:0] count;

  prim_frame_fifo_ecc #(
    .Width (Width),
    .Depth (Depth),
    .Around(1'b0),
    .Ecc   (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_i,
    .commit_i,
    .rollback_i,
    .out_valid_o(valid),
    .out_ready_i,
    .out_o      (out),
    .out_bad_o  (bad),
    .count_o    (count),
    .corrected_o(corrected),
    .bad_o      (lost)
  );

  // What the memory shows, as the code has it; the end of a frame is kept five times, in front.
  localparam int unsigned Ends = 5;
  localparam int unsigned Coded = Ends + Width - 1 + 8 * ((Width - 1 + 63) / 64);
  logic [Coded-1:0] in, shown;
  logic [Ends-1:0]  ends;
  logic             shows, takes, fixed;
  assign in    = u_dut.gen_ecc.u_fifo.in_i;
  assign shown = u_dut.gen_ecc.u_fifo.out_o;
  assign ends  = shown[Coded-1-:Ends];
  assign shows = u_dut.gen_ecc.u_fifo.out_valid_o;
  assign takes = out_ready_i || !valid;
  assign fixed = u_dut.gen_ecc.u_decode.corrected_o || !(ends inside {5'd0, 5'd31});

  logic             past_q, known_q, reset_q, shows_q, valid_q, taken_q, entry_bad_q, fixed_q;
  logic [Width-1:0] entry_q;
  initial {past_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= !rst_ni;
    shows_q <= shows;
    valid_q <= valid;
    taken_q <= takes;
    fixed_q <= fixed;
    if (takes && shows) begin
      known_q <= 1'b1;
      entry_bad_q <= u_dut.gen_ecc.u_decode.bad_o;
      entry_q <= {$countones(ends) > 2, u_dut.gen_ecc.u_decode.data_o};
    end
  end

  always_ff @(posedge clk_i) begin
    // An entry is coded, but for its highest bit, which is there five times; it waits, is committed
    // and taken back as its user says.
    a_in : assert ({u_dut.gen_ecc.u_encode.data_i, u_dut.gen_ecc.u_encode.poison_i} ==
                   {in_i[Width-2:0], 1'b0} &&
                   in == {{Ends{in_i[Width-1]}}, u_dut.gen_ecc.u_encode.code_o} &&
                   u_dut.gen_ecc.u_fifo.in_valid_i == in_valid_i &&
                   u_dut.gen_ecc.u_fifo.commit_i == commit_i &&
                   u_dut.gen_ecc.u_fifo.rollback_i == rollback_i)
    else $error("in");
    a_room : assert ({in_ready, count} == {u_dut.gen_ecc.u_fifo.in_ready_o,
                                           u_dut.gen_ecc.u_fifo.count_o})
    else $error("room");
    // It leaves the memory when nothing is shown, or what is shown leaves.
    a_leaves : assert (u_dut.gen_ecc.u_fifo.out_ready_i == takes &&
                       u_dut.gen_ecc.u_decode.code_i == shown[Coded-Ends-1:0])
    else $error("leaves");
    if (past_q) begin
      // It is shown then, and as long as it is not taken.
      a_valid : assert (valid == (!reset_q && (taken_q ? shows_q : valid_q)))
      else $error("valid %b", valid);
      // As the code has it, and with the end that most copies say.
      a_entry : assert (!valid || !known_q || {out, bad} == {entry_q, entry_bad_q})
      else $error("entry %h", out);
      // As it comes to be shown it is told, once, that it was corrected, or one of its ends was, or
      // that it is lost.
      a_told : assert ({corrected, lost} == (reset_q ? 2'b00 : {2{taken_q && shows_q}} &
                                             {fixed_q, entry_bad_q}))
      else $error("corrected %b, lost %b", corrected, lost);

      // Two ends of five have flipped.
      c_ends : cover (valid && known_q && corrected && !lost && out[Width-1] && valid_q);
    end
  end

endmodule
