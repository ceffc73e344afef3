// roce_icrc_insert: what is put behind a frame is the complement of the CRC register that its own
// bytes gave.
//
// Piece by piece, as a solver does not compare CRCs of many bytes. What is fed to the CRC is what
// the definition counts, and zeros behind the frame's end (proved here, each byte). What the CRC
// makes of it is prim_crc32_beat's proof, and that the register is run back over those zeros is
// prim_crc32_unwind's; here both registers are free (`cuts` of the task). That beats leave as they
// came, and what is put where behind them, is roce_icrc_place's proof; here it is proved that beats
// and ICRCs stay in step.
module roce_icrc_insert_props
  import roce_pkg::*;
  import icrc_definition_pkg::*;
#(
  /// Beats of the longest frame.
  parameter int unsigned MaxBeats = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             beat_valid_i,
  input logic             beat_last_i,
  input logic       [3:0] beat_end_i,
  input logic             beat_v6_i,
  input logic             beat_vlan_i,
  input logic [63:0][7:0] beat_data_i,
  input logic             out_ready_i
);

  logic       started_q, first, pop;
  logic [7:0] index_q, index;     // of the beat in its frame
  logic       between_q, v6_q, vlan_q;
  initial started_q = 1'b0;

  assign first = between_q;
  assign index = first ? 8'd0 : index_q + 8'd1;

  roce_icrc_insert #(
    .Beats(16)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i (first),
    .beat_second_i(index == 8'd1),
    .beat_last_i,
    .beat_end_i,
    .beat_v6_i,
    .beat_vlan_i,
    .beat_data_i,
    .beat_bad_i   (1'b0),
    .beat_pop_o   (pop),
    .out_valid_o  (),
    .out_ready_i,
    .out_first_o  (),
    .out_bad_o    (),
    .out_o        ()
  );

  // ---------------------------------------------------------------------------------------------
  // Frames as they come.

  logic [15:0] ends_at;           // bytes of the frame, if this is its last beat
  logic        clean;             // nothing but zeros stands behind its end
  logic        v6, vlan;          // what its first beat says of the frame
  logic [31:0] header;            // bytes in front of the IP packet
  assign ends_at = {2'd0, index, beat_end_i, 2'd2};
  assign v6      = first ? beat_v6_i : v6_q;
  assign vlan    = first ? beat_vlan_i : vlan_q;
  assign header  = vlan ? 32'd18 : 32'd14;

  always_comb begin
    clean = 1'b1;
    for (int unsigned i = 0; i < 64; i++) begin
      if (i >= 4 * 32'(beat_end_i) + 2 && beat_data_i[i] != '0) clean = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (beat_valid_i) begin
      between_q <= beat_last_i;
      index_q   <= index;
      v6_q      <= v6;
      vlan_q    <= vlan;
    end
    if (!rst_ni) between_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // Frames have at most so many beats, and all of their IP, UDP and BTH headers.
      e_frame : assume (!beat_valid_i || (beat_last_i ?
          (32'(ends_at) >= header + (v6 ? 32'd60 : 32'd40) && 32'(index) < MaxBeats) :
          32'(index) + 1 < MaxBeats));
      // Behind the end of a frame its last beat is zero.
      e_clean : assume (!(beat_valid_i && beat_last_i) || clean);
      // What is said of a frame's headers is said with all its beats.
      e_kind : assume (!beat_valid_i || first || (beat_v6_i == v6_q && beat_vlan_i == vlan_q));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What the CRC is fed with, and when it is done.

  logic [63:0][7:0] counts, counts_q;     // the beat as the definition counts it
  logic [9:1]       valid_q, last_q;
  logic             first_q;
  logic [4:1][3:0]  end_q;

  always_comb begin
    counts = beat_data_i;
    for (int unsigned k = 0; k < 2; k++) begin
      for (int unsigned h = 14; h <= 18; h += 4) begin
        for (int unsigned i = 0; i < 64; i++) begin
          if (32'(index) == k && h == header) begin
            if (64 * k + i < h) counts[i] = '0;
            else counts[i] = counted(beat_data_i[i], v6, 1'b1, 64 * k + i - h);
          end
        end
      end
    end
    for (int unsigned i = 0; i < 64; i++) begin
      if (beat_last_i && i >= 4 * 32'(beat_end_i) + 2) counts[i] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q  <= rst_ni ? {valid_q[8:1], beat_valid_i} : '0;
    last_q   <= {last_q[8:1], beat_last_i};
    end_q    <= {end_q[3:1], beat_end_i};
    first_q  <= first;
    counts_q <= counts;
  end

  // ---------------------------------------------------------------------------------------------
  // Last beats that wait, and CRCs: in the queue of beats, behind the CRC, in the queue of ICRCs.

  logic [9:1]        under_way;        // a frame's last beat came n cycles ago
  logic [15:0]       lasts;            // of the places of the queue of beats
  logic [5:0]        waiting, due;     // last beats, and CRCs for them
  logic [4:0]        lasts_q, counted_lasts;   // last beats in the queue
  logic [2:0]        ends;
  logic [3:0]        ends_right, in_step;

  assign under_way = valid_q & last_q;

  always_comb begin
    waiting    = 6'(u_dut.u_place.rest_q) + 6'(lasts_q);
    counted_lasts = '0;
    due        = 6'(u_dut.u_icrcs.count_q);
    ends       = '0;
    ends_right = '1;
    for (int unsigned i = 0; i < 16; i++) begin
      lasts[i] = 5'(4'(4'(i) - u_dut.u_place.u_beats.read_q)) < u_dut.u_place.u_beats.count_q &&
          u_dut.u_place.u_beats.mem_q[i][BeatBits+4];
      counted_lasts = counted_lasts + 5'(lasts[i]);
    end
    for (int unsigned n = 1; n <= 9; n++) due = due + 6'(under_way[n]);
    for (int n = 4; n >= 2; n--) begin
      if (under_way[n]) begin
        ends_right[n-1] = u_dut.u_ends.mem_q[4'(u_dut.u_ends.read_q + 4'(ends))] == end_q[n];
        ends = ends + 3'd1;
      end
    end
    for (int unsigned n = 1; n <= 2; n++) begin
      in_step[n-1] = u_dut.u_crc.valid_q[n] == valid_q[n+1] &&
          (!valid_q[n+1] || u_dut.u_crc.last_q[n] == last_q[n+1]);
    end
    in_step[2] = u_dut.u_unwind.valid_q == under_way[9:5];
    in_step[3] = !valid_q[1] || u_dut.crc_in_end_q == end_q[1];
  end

  always_ff @(posedge clk_i) begin
    lasts_q <= rst_ni ? lasts_q + 5'(beat_valid_i && beat_last_i) -
        5'(pop && u_dut.u_place.head.last) : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every byte of a frame is fed to the CRC as the definition counts it: nothing of Ethernet,
      // ones for what routers change, zeros behind its end.
      a_fed : assert (!valid_q[1] || u_dut.crc_in_q == counts_q)
      else $error("fed %h instead of %h", u_dut.crc_in_q, counts_q);
      // The CRC is told of every beat, its frame's first and last.
      a_told : assert (u_dut.crc_in_valid_q == valid_q[1] && (!valid_q[1] ||
          (u_dut.crc_in_first_q == first_q && u_dut.crc_in_last_q == last_q[1])))
      else $error("told otherwise");
      // Four cycles behind a frame's last beat its register is run back over the zeros behind its
      // end, as many as there are; nine cycles behind it, its complement is the ICRC.
      a_unwound : assert (u_dut.crc_valid == under_way[4] && (!u_dut.crc_valid ||
          32'(u_dut.u_unwind.bytes_i) == 32'd62 - 4 * 32'(end_q[4])))
      else $error("%0d bytes", u_dut.u_unwind.bytes_i);
      a_icrc : assert (u_dut.u_icrcs.in_valid_i == under_way[9] &&
                       (!under_way[9] || u_dut.u_icrcs.in_i == ~u_dut.unwound))
      else $error("out of step");
      // There are as many ICRCs, ready or under way, as frames whose last beat or the rest of whose
      // trailer is still to leave. Both are queues in the order of frames, so every frame gets its
      // own ICRC.
      a_own : assert (waiting == due && (!u_dut.u_place.rest_q || u_dut.icrc_valid))
      else $error("%0d last beats, %0d CRCs", waiting, due);
      // The stages of the CRC and its queues are in step (helps the proof).
      a_step : assert (in_step == '1 && 3'(u_dut.u_ends.count_q) == ends &&
          32'(u_dut.u_ends.count_q) == 32'(ends) && ends_right == '1)
      else $error("out of step");
      a_index : assert (between_q || 32'(index_q) + 1 < MaxBeats)
      else $error("beat %0d", index_q);
      a_lasts : assert (lasts_q == counted_lasts)
      else $error("%0d last beats", lasts_q);
      a_pointers : assert (
          u_dut.u_place.u_beats.write_q ==
          4'(u_dut.u_place.u_beats.read_q + u_dut.u_place.u_beats.count_q[3:0]) &&
          u_dut.u_ends.write_q == 4'(u_dut.u_ends.read_q + u_dut.u_ends.count_q[3:0]))
      else $error("pointers");
      // Three frames wait for the output with their ICRCs.
      c_waits : cover (u_dut.u_icrcs.count_q == 5'd3 && waiting == 6'd4);
    end
  end

endmodule
