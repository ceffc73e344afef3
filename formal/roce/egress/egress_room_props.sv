// Room between the aligner and the ICRC stage of roce_egress: each beat that is made has a place
// behind, and each place is given back once. And no ICRC is taken that is not there.
//
// It is a matter of control alone: what rows, headers and ICRCs are, and when they come, is left
// out of the circuit and free (`cuts` of the task).
module egress_room_props
  import roce_pkg::*;
(
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   row_we_i,
  input logic    [BeatBits-1:0] row_i,
  input logic                   row_last_i,
  input logic                   part_we_i,
  input logic            [31:0] part_i,
  input logic                   out_ready_i
);

  localparam int unsigned Beats = 24;   // of roce_egress

  logic started_q;
  initial started_q = 1'b0;

  egress_alone #(
    .HdrFrames(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .hdr_we_i,
    .hdr_word_i,
    .row_we_i,
    .row_i,
    .row_last_i,
    .part_we_i,
    .part_i,
    .out_ready_i
  );

  logic [4:0] room, waiting, under_way;
  assign room      = u_dut.u_egress.u_align.room_q;
  assign waiting   = u_dut.u_egress.u_icrc.beat_count;
  assign under_way = 5'(u_dut.u_egress.u_align.valid1_q) + 5'(u_dut.u_egress.beat_valid);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: beats are under way that nobody made.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // The places behind the aligner are those that are free, those of beats under way, and those
      // of beats that wait for an ICRC: none is lost, and none counted twice.
      a_places : assert (32'(room) + 32'(waiting) + 32'(under_way) == Beats)
      else $error("%0d free, %0d wait, %0d under way", room, waiting, under_way);
      // The rest of an ICRC is still there (helps the proof).
      a_rest : assert (!u_dut.u_egress.u_icrc.rest_q || u_dut.u_egress.icrc_valid)
      else $error("half an ICRC");
      // Whether one is free is known of them a cycle ahead.
      a_some : assert (u_dut.u_egress.u_align.some_q == (room != '0))
      else $error("%0d free", room);
      // All places are taken.
      c_full : cover (room == '0 && 32'(waiting) == Beats);
    end
  end

endmodule
