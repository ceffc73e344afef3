// rc_arrive: which connection is told of a frame and what, when, and which beats the parts get that
// read its headers, check its ICRC and cut it into rows (docs/tree.md). What these find is any
// value in any cycle here (cuts); they have proofs of their own.
module arrive_rules_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 2
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      tvalid_i,
  input logic [BeatBits-1:0]       tdata_i,
  input logic [BeatBytes-1:0]      tkeep_i,
  input logic                      tlast_i,
  input logic                      tuser_i,
  input conn_key_t [NumConns-1:0]  in_i,
  input logic [NumConns-1:0]       open_i,
  input logic [NumConns-1:0]       clear_i,
  input logic                      listens_i,
  input conn_key_t                 cast_in_i,
  input logic [23:0]               cast_from_i
);

  localparam int unsigned Stages = 7;

  logic                ready, cast_valid, came, error, bad_icrc, stray;
  logic [NumConns-1:0] data_valid, answer_valid;
  rc_data_t            data;
  rc_answer_t          answer;
  logic [12:0]         cast_len;

  rc_arrive #(
    .NumConns(NumConns)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid (tvalid_i),
    .s_axis_tready (ready),
    .s_axis_tdata  (tdata_i),
    .s_axis_tkeep  (tkeep_i),
    .s_axis_tlast  (tlast_i),
    .s_axis_tuser  (tuser_i),
    .in_i,
    .open_i,
    .clear_i,
    .listens_i,
    .cast_in_i,
    .cast_from_i,
    .came_o        (),
    .data_valid_o  (data_valid),
    .data_o        (data),
    .answer_valid_o(answer_valid),
    .answer_o      (answer),
    .cast_valid_o  (cast_valid),
    .cast_len_o    (cast_len),
    .came_pulse_o  (came),
    .error_o       (error),
    .bad_icrc_o    (bad_icrc),
    .stray_o       (stray)
  );

  // ---------------------------------------------------------------------------------------------
  // Beats that were taken, [n] n cycles ago.

  typedef struct packed {
    logic                taken;
    logic                first, last;
    logic [8:0]          index;   // in its frame; 511 also behind that
    logic                wrong;   // in error, not as AXI wants it, or behind the longest frame
    logic [5:0]          top;     // its last byte
    logic [BeatBits-1:0] data;
  } beat_t;

  beat_t              now;
  beat_t [Stages+1:1] beat_q;
  logic               between_q, begun_q, reset_q;
  logic [8:0]         index_q;
  logic [6:0]         bytes;
  logic               whole, from_0;

  always_comb begin
    bytes = '0;
    for (int unsigned b = 0; b < BeatBytes; b++) bytes += 7'(tkeep_i[b]);
    now.taken = tvalid_i && ready;
    now.first = between_q;
    now.last  = tlast_i;
    now.index = between_q ? 9'd0 : (index_q == 9'd511) ? 9'd511 : index_q + 9'd1;
    // Bytes are there from the first one on, and all of them but in a frame's last beat.
    whole     = bytes == 7'(BeatBytes);
    from_0    = bytes != '0 && tkeep_i == BeatBytes'((65'd1 << bytes) - 65'd1);
    now.wrong = tuser_i || !from_0 || !(tlast_i || whole) || now.index >= 9'd255;
    now.top   = tlast_i ? 6'(bytes - 7'd1) : 6'd63;
    now.data  = tdata_i;
  end

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    reset_q <= !rst_ni;
    beat_q  <= {beat_q[Stages:1], now};
    if (now.taken) begin
      between_q <= tlast_i;
      index_q   <= now.index;
    end
    if (!rst_ni) begin
      between_q <= 1'b1;
      for (int unsigned n = 1; n <= Stages + 1; n++) beat_q[n].taken <= 1'b0;
    end
  end

  // Behind a frame of one beat nothing is taken for a cycle, and what comes next begins one.
  logic [Stages:1] pause, next;
  always_comb begin
    for (int unsigned n = 1; n <= Stages; n++) begin
      pause[n] = !beat_q[n+1].taken || !beat_q[n+1].first || !beat_q[n+1].last ||
          !beat_q[n].taken;
      next[n]  = !beat_q[n+1].taken || !beat_q[n].taken || beat_q[n].first == beat_q[n+1].last;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is known of a frame with each of its beats; [n] of the beat n cycles ago.

  typedef struct packed {
    logic [7:0] opcode;
    logic       ack_request;
    logic [7:0] syndrome;
    logic       wrong;
    logic       acks;    // an ACK packet whose lengths fit
    logic       casts;   // a multicast of the parent whose lengths fit, and somebody listens
  } seen_t;

  logic [15:0]         payload_q;   // of IP
  logic                wrong_q, fits, plain;
  seen_t               seen;
  seen_t [6:4]         seen_q;
  logic [6:1][NumConns-1:0] alive_q;   // open since the frame began

  assign fits  = u_dut.fields3_q.udp_len == payload_q;
  assign plain = !u_dut.fields3_q.version;
  always_comb begin
    seen.opcode      = u_dut.fields3_q.opcode;
    seen.ack_request = u_dut.fields3_q.ack_request;
    seen.syndrome    = u_dut.fields3_q.syndrome;
    seen.wrong       = wrong_q;
    // UDP, BTH, AETH and ICRC; or UDP, BTH, DETH, three bytes of pad at most, and ICRC.
    seen.acks        = u_dut.fields3_q.opcode == OpAck && plain && fits && payload_q >= 16'd28;
    seen.casts       = u_dut.fields3_q.opcode == 8'h64 && plain && fits && payload_q >= 16'd35 &&
        listens_i && u_dut.fields3_q.cast_key == CastKey &&
        u_dut.fields3_q.cast_from == cast_from_i;
  end

  always_ff @(posedge clk_i) begin
    if (beat_q[2].taken) begin
      wrong_q   <= beat_q[2].wrong || (wrong_q && !beat_q[2].first);
      payload_q <= u_dut.ip_len - (u_dut.v6 ? 16'd0 : 16'd20);
    end
    seen_q     <= {seen_q[5:4], seen};
    alive_q[1] <= ((now.taken && now.first) ? open_i : alive_q[1]) & ~clear_i;
    for (int unsigned n = 2; n <= 6; n++) alive_q[n] <= alive_q[n-1] & ~clear_i;
  end

  // Between two frames in the third cycle, and so in those in front (helps the proof).
  logic between3_q, between2, between1, under_way;
  assign between2  = beat_q[2].taken ? beat_q[2].last : between3_q;
  assign between1  = beat_q[1].taken ? beat_q[1].last : between2;
  assign under_way = between_q == between1 &&
      (!beat_q[2].taken || beat_q[2].first == between3_q) &&
      (!beat_q[1].taken || beat_q[1].first == between2) &&
      (between3_q || u_dut.error3_q == wrong_q);
  always_ff @(posedge clk_i) begin
    if (beat_q[2].taken) between3_q <= beat_q[2].last;
    if (!rst_ni) between3_q <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // What a frame is, once it has ended; it is told then, or a cycle later.

  typedef struct packed {
    logic                wrong, broken, good;
    logic                data, acks, casts;
    logic [NumConns-1:0] ours;      // by its addresses,
    logic                parents;   // the same of a multicast
    logic [NumConns-1:0] alive;
    rc_data_t            is;
    logic [7:0]          syndrome;
  } frame_t;

  frame_t       frame, frame7_q, frame8_q, told;
  logic         ended7_q, late_q, told_q, telling;
  logic [14:0]  len;

  assign len = 15'(u_dut.desc.tensor_len) + (u_dut.desc.has_ina ? 15'd16 : 15'd0);
  always_comb begin
    frame.wrong    = seen_q[6].wrong;
    frame.good     = !seen_q[6].wrong && u_dut.is_roce && u_dut.icrc_good && !u_dut.ragged;
    frame.broken   = !seen_q[6].wrong && u_dut.is_roce && !frame.good;
    frame.data     = u_dut.desc.candidate;
    frame.acks     = seen_q[6].acks;
    frame.casts    = seen_q[6].casts && !len[13];
    for (int unsigned c = 0; c < NumConns; c++) frame.ours[c] = u_dut.mine[c] == '1;
    frame.parents  = u_dut.mine[NumConns] == '1;
    frame.alive    = alive_q[6];
    frame.is       = '{opcode: seen_q[6].opcode, psn: u_dut.desc.psn,
                       ack_request: seen_q[6].ack_request,
                       length_bad: u_dut.desc.len_bad || len[13], len: len[12:0]};
    frame.syndrome = seen_q[6].syndrome;
  end

  assign telling = (late_q || ended7_q) && !told_q;
  assign told    = late_q ? frame8_q : frame7_q;
  always_ff @(posedge clk_i) begin
    ended7_q       <= beat_q[6].taken && beat_q[6].last;
    frame7_q       <= frame;
    frame7_q.alive <= frame.alive & ~clear_i;
    frame8_q       <= frame7_q;
    frame8_q.alive <= frame7_q.alive & ~clear_i;
    late_q         <= ended7_q && !telling;
    told_q         <= telling;
    if (!rst_ni) {ended7_q, late_q, told_q} <= '0;
  end

  logic [NumConns-1:0] takes;   // connections that take it
  assign takes = (telling && told.good) ? told.ours & told.alive & ~clear_i : '0;

  // Where payload begins, of the frame in the third cycle.
  typedef struct packed {
    logic       there;
    logic [4:0] at;
  } where_t;
  where_t [4:1] where_q;
  initial where_q = '0;
  always_ff @(posedge clk_i) where_q <= {where_q[3:1], rst_ni, u_dut.second, u_dut.word};

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (begun_q) begin
      // Nobody holds up a frame; only behind a frame of one beat a cycle is left out.
      a_ready : assert (ready == (!reset_q && !(beat_q[1].taken && beat_q[1].first &&
                                                beat_q[1].last)))
      else $error("ready %b", ready);
      // Each frame is told of, in its turn, at most one every second cycle.
      a_came : assert (!rst_ni || came == telling)
      else $error("told %b", came);
      // A data packet goes to the connection whose addresses it has, if that has been open since
      // the frame began; so does an ACK packet.
      a_data : assert (!rst_ni || data_valid == (told.data ? takes : '0))
      else $error("data to %b", data_valid);
      a_answer : assert (!rst_ni || answer_valid == ((told.acks && !told.data) ? takes : '0))
      else $error("answer to %b", answer_valid);
      // A multicast of the parent is taken while connection 0 is open.
      a_cast : assert (!rst_ni || cast_valid == (telling && told.good && told.casts &&
                                                 told.parents && told.alive[0] && !clear_i[0]))
      else $error("multicast %b", cast_valid);
      // What is told is of that frame.
      a_is : assert (!rst_ni || !telling || (data == told.is &&
          answer == {told.is.psn, told.syndrome} && cast_len == told.is.len - 13'd8))
      else $error("opcode %h", data.opcode);
      // A frame in error is told as that and nothing else; then RoCE whose ICRC or lengths are bad;
      // then what nobody took.
      a_error : assert (!rst_ni || (error == (telling && told.wrong) &&
                                    bad_icrc == (telling && told.broken)))
      else $error("error %b, ICRC %b", error, bad_icrc);
      a_stray : assert (!rst_ni || stray == (telling && !told.wrong && !told.broken &&
          data_valid == '0 && answer_valid == '0 && !cast_valid))
      else $error("stray %b", stray);
      // The next frame's answer does not come before one that waits is told.
      a_late : assert (!rst_ni || !late_q || (!told_q && !ended7_q))
      else $error("two frames wait");
      // A frame that waits has one beat (helps the proof, and so does what follows).
      a_short : assert (!rst_ni || !late_q ||
                        (beat_q[8].taken && beat_q[8].first && beat_q[8].last))
      else $error("a long frame waits");
      a_turns : assert (!rst_ni || (pause == '1 && next == '1 &&
          (!beat_q[1].taken || between_q == beat_q[1].last) &&
          ended7_q == (beat_q[7].taken && beat_q[7].last)))
      else $error("beats");
    end
    if (rst_ni && begun_q) begin
      // Who finds headers gets each beat a cycle after it was taken, ...
      a_first : assert (u_dut.u_locate.first_i == (beat_q[1].taken && beat_q[1].first) &&
          u_dut.u_icrc_check.valid_i == beat_q[1].taken &&
          u_dut.u_parse.valid_i == beat_q[1].taken && (!beat_q[1].taken || (
          {u_dut.u_parse.first_i, u_dut.u_parse.last_i, u_dut.u_parse.index_i} ==
              {beat_q[1].first, beat_q[1].last, beat_q[1].index} &&
          {u_dut.u_icrc_check.first_i, u_dut.u_icrc_check.index_i} ==
              {beat_q[1].first, beat_q[1].index} &&
          u_dut.u_parse.data_i == beat_q[1].data)))
      else $error("beat 1");
      // ... who takes fields of them and where it ends, two cycles, ...
      a_second : assert (u_dut.u_fields.valid_i == beat_q[2].taken &&
          (!beat_q[2].taken || (u_dut.u_fields.first_i == beat_q[2].first &&
          u_dut.u_fields.second_i == (beat_q[2].index == 9'd1) &&
          u_dut.u_fields.data_i == beat_q[2].data && (beat_q[2].wrong ||
          u_dut.u_parse.at_i == {beat_q[2].index, beat_q[2].top}))))
      else $error("beat 2");
      // ... and who cuts it into rows, all others behind that; with where its payload begins.
      a_seventh : assert (u_dut.u_align.valid_i == beat_q[7].taken && (!beat_q[7].taken || (
          {u_dut.u_align.first_i, u_dut.u_align.last_i, u_dut.u_align.data_i} ==
          {beat_q[7].first, beat_q[7].last, beat_q[7].data})))
      else $error("beat 7");
      a_where : assert (!where_q[4].there ||
                        {u_dut.u_align.second_i, u_dut.u_align.word_i} == where_q[4].at)
      else $error("payload at %0d", u_dut.u_align.word_i);
      // What is counted and remembered is that (helps the proof).
      a_state : assert (under_way && u_dut.between_q == between_q &&
          ((between_q && !beat_q[1].taken) ||
           (u_dut.index1_q == index_q && u_dut.live1_q == alive_q[1])))
      else $error("state");

      // A frame of one beat waits behind another one and is taken.
      c_late : cover (late_q && telling && data_valid == 2'b10);
      c_cast : cover (cast_valid && !late_q);
    end
  end

endmodule
