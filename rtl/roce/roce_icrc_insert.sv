// Computes the ICRC of frames on their way out and puts it behind them.
//
// The ICRC (IBA annex A17 for RoCEv2) is a CRC-32 over what roce_icrc_pkg says. The last beat is
// fed with zeros behind its end; the register is then run back over them.
//
// Beats come in without stall and wait in roce_icrc_place; `beat_pop_o` tells when one has left.
module roce_icrc_insert
  import roce_pkg::*;
  import roce_icrc_pkg::*;
#(
  /// Beats that wait for output, 16 to 64; more than the CRC takes from last beat to value.
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
  input  logic                beat_second_i,
  input  logic                beat_last_i,
  input  logic [3:0]          beat_end_i,
  input  logic                beat_v6_i,
  input  logic                beat_vlan_i,
  input  logic [BeatBits-1:0] beat_data_i,
  input  logic                beat_bad_i,   // with `last`: the frame is bad
  output logic                beat_pop_o,

  // Finished frames; `out_first_o` goes with a frame's first beat.
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output logic  out_first_o,
  output logic  out_bad_o,     // with `last`: the frame is bad
  output beat_t out_o
);

  // ---------------------------------------------------------------------------------------------
  // What the CRC sees

  logic                crc_in_valid_q, crc_in_first_q, crc_in_last_q;
  logic [3:0]          crc_in_end_q;
  logic [BeatBits-1:0] crc_in_q;
  logic                crc_valid;
  logic [31:0]         crc;

  always_ff @(posedge clk_i) begin
    crc_in_valid_q <= beat_valid_i;
    crc_in_first_q <= beat_first_i;
    crc_in_last_q  <= beat_last_i;
    crc_in_end_q   <= beat_end_i;
    if (beat_valid_i) begin
      crc_in_q <= beat_data_i;
      if (beat_first_i) begin
        unique case ({beat_v6_i, beat_vlan_i})
          2'b00:   crc_in_q <= ((beat_data_i | OnesV4[0]) & Inside) ^ Start;
          2'b01:   crc_in_q <= ((beat_data_i | OnesV4Vlan[0]) & InsideVlan) ^ StartVlan;
          2'b10:   crc_in_q <= ((beat_data_i | OnesV6[0]) & Inside) ^ Start;
          default: crc_in_q <= ((beat_data_i | OnesV6Vlan[0]) & InsideVlan) ^ StartVlan;
        endcase
      end else if (beat_second_i && beat_v6_i) begin
        crc_in_q <= beat_data_i | (beat_vlan_i ? OnesV6Vlan[1] : OnesV6[1]);
      end
    end
    if (!rst_ni) crc_in_valid_q <= 1'b0;
  end

  prim_crc32_beat #(
    .Bytes(BeatBytes)
  ) u_crc (
    .clk_i,
    .rst_ni,
    .valid_i(crc_in_valid_q),
    .first_i(crc_in_first_q),
    .last_i (crc_in_last_q),
    .data_i (crc_in_q),
    .valid_o(crc_valid),
    .crc_o  (crc)
  );

  // Where frames end, for those whose CRC is under way.
  logic       end_in_ready, end_valid;
  logic [3:0] end_word;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Beats+1)-1:0] end_count;
  logic [$clog2(Beats+2)-1:0] icrc_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (logic [3:0]),
    .Depth(Beats)
  ) u_ends (
    .clk_i,
    .rst_ni,
    .in_valid_i (crc_in_valid_q && crc_in_last_q),
    .in_ready_o (end_in_ready),
    .in_i       (crc_in_end_q),
    .out_valid_o(end_valid),
    .out_ready_i(crc_valid),
    .out_o      (end_word),
    .count_o    (end_count)
  );

  logic        icrc_in_valid, icrc_in_ready, icrc_valid, icrc_pop;
  logic [31:0] unwound, icrc;

  // Zero bytes behind byte 1 of word `end`: 62 - 4 * end.
  prim_crc32_unwind #(
    .Bytes(BeatBytes)
  ) u_unwind (
    .clk_i,
    .rst_ni,
    .valid_i(crc_valid),
    .crc_i  (crc),
    .bytes_i({~end_word, 2'd2}),
    .valid_o(icrc_in_valid),
    .crc_o  (unwound)
  );

  // One for each frame whose last beat waits, and one whose last beat has left without the
  // trailer's second half.
  prim_fifo #(
    .T    (logic [31:0]),
    .Depth(Beats + 1)
  ) u_icrcs (
    .clk_i,
    .rst_ni,
    .in_valid_i (icrc_in_valid),
    .in_ready_o (icrc_in_ready),
    .in_i       (~unwound),
    .out_valid_o(icrc_valid),
    .out_ready_i(icrc_pop),
    .out_o      (icrc),
    .count_o    (icrc_count)
  );

  roce_icrc_place #(
    .Beats(Beats),
    .Ecc  (Ecc)
  ) u_place (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i,
    .beat_last_i,
    .beat_end_i,
    .beat_data_i,
    .beat_bad_i,
    .beat_pop_o,
    .icrc_valid_i(icrc_valid),
    .icrc_i      (icrc),
    .icrc_pop_o  (icrc_pop),
    .out_valid_o,
    .out_ready_i,
    .out_first_o,
    .out_bad_o,
    .out_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A CRC comes out for a frame whose end is known, and there is room for it; else ICRCs would
      // go to other frames.
      a_order : assert ((!crc_valid || end_valid) && (!icrc_in_valid || icrc_in_ready) &&
                        (!(crc_in_valid_q && crc_in_last_q) || end_in_ready))
      else $error("%m: frame ends and CRCs do not match");
    end
  end

endmodule
