// rc_arrive, step by step: what a cycle makes of frames that come in from wherever they may stand,
// also of those that are longer than any bounded proof looks at. What the parts find that read a
// frame's headers, check its ICRC and compare its addresses is any (`cuts` of the task). (Frames
// from beat to decision: arrive_rules_props.)
//
// Followed are one byte of beats and one connection, both free.
module arrive_steps_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 3
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
  input logic [23:0]               cast_from_i,
  input logic [1:0]                conn_i,   // any
  input logic [5:0]                byte_i    // any
);

  logic                ready, cast_valid, came, error, bad_icrc, stray;
  logic [NumConns-1:0] data_valid, answer_valid;
  rc_data_t            data;
  rc_answer_t          answer;
  logic [12:0]         cast_len;
  rc_came_t            rows;

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
    .came_o        (rows),
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

  logic       begun_q, past_q;
  logic [1:0] conn_q, c;
  logic [5:0] b;
  initial {begun_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    past_q  <= begun_q;
    if (!begun_q) {conn_q, b} <= {conn_i, byte_i};
  end
  assign c = (32'(conn_q) < NumConns) ? conn_q : 2'd0;

  // ---------------------------------------------------------------------------------------------
  // A cycle: what comes, and what is inside.

  typedef struct packed {
    logic [7:0] opcode;
    logic       asks;
    logic [7:0] syndrome;
    logic       wrong, acks, casts;
  } along_t;

  typedef struct packed {
    logic                    wrong, broken, good, data, acks, casts;
    logic [NumConns:0]       ours;    // of the connections, then of the multicast
    logic [NumConns-1:0]     alive;
    rc_data_t                is;
    rc_answer_t              said;
  } frame_t;

  typedef struct packed {
    logic                    ran, comes;
    logic [BeatBytes-1:0]    keep;
    logic [7:0]              came;          // the followed byte
    logic                    ends, errs;    // the beat's last, and its user
    logic                    opens, closes; // the followed connection
    // Stage 1.
    logic                    ready, between, valid1, first1, last1, user1;
    logic [BeatBytes-1:0]    keep1;
    logic [7:0]              byte1;
    logic [8:0]              index1;
    // The line of beats.
    logic [7:2]              valid, first, last;
    logic [7:2][7:0]         bytes;
    logic                    second2, bad2;
    logic [8:0]              index2;
    logic [5:0]              top2;
    logic [7:4]              second;
    logic [7:4][3:0]         word;
    // Of the frame.
    logic                    error3;
    logic [15:0]             payload3;
    along_t [6:4]            along;
    logic [6:1]              live;          // of the followed connection
    logic                    ended, waits, told;
    frame_t                  last7, late;
    // What the parts answer.
    logic                    v6, roce, ragged, icrc, listens;
    logic [15:0]             ip_len;
    rc_fields_t              fields;
    logic [4:0]              payload_at;
    frame_desc_t             desc;
    logic [NumConns:0][3:0]  mine;
    logic [23:0]             parent;
  } step_t;

  step_t now, q;
  along_t [6:4] along;
  for (genvar n = 4; n <= 6; n++) begin : gen_along
    assign along[n] = '{u_dut.along_q[n].opcode, u_dut.along_q[n].ack_request,
                        u_dut.along_q[n].syndrome, u_dut.along_q[n].error,
                        u_dut.along_q[n].answer, u_dut.along_q[n].cast};
  end

  frame_t last7, late;
  always_comb begin
    last7 = '{u_dut.verdict7_q.error, u_dut.verdict7_q.bad_icrc, u_dut.verdict7_q.good,
              u_dut.verdict7_q.candidate, u_dut.verdict7_q.answer, u_dut.verdict7_q.cast, '0,
              u_dut.verdict7_q.live, u_dut.verdict7_q.data, u_dut.verdict7_q.said};
    late  = '{u_dut.late_q.error, u_dut.late_q.bad_icrc, u_dut.late_q.good,
              u_dut.late_q.candidate, u_dut.late_q.answer, u_dut.late_q.cast, '0,
              u_dut.late_q.live, u_dut.late_q.data, u_dut.late_q.said};
    for (int unsigned n = 0; n <= NumConns; n++) begin
      last7.ours[n] = u_dut.verdict7_q.mine[n] == '1;
      late.ours[n]  = u_dut.late_q.mine[n] == '1;
    end
  end

  always_comb begin
    now            = '0;
    now.ran        = rst_ni;
    now.comes      = tvalid_i;
    now.keep       = tkeep_i;
    now.came       = tdata_i[8*b+:8];
    now.ends       = tlast_i;
    now.errs       = tuser_i;
    now.opens      = open_i[c];
    now.closes     = clear_i[c];
    now.ready      = u_dut.ready_q;
    now.between    = u_dut.between_q;
    now.valid1     = u_dut.valid1_q;
    now.first1     = u_dut.first1_q;
    now.last1      = u_dut.last1_q;
    now.user1      = u_dut.user1_q;
    now.keep1      = u_dut.keep1_q;
    now.byte1      = u_dut.data1_q[8*b+:8];
    now.index1     = u_dut.index1_q;
    now.valid      = u_dut.valid_q;
    now.first      = u_dut.first_q;
    now.last       = u_dut.last_q;
    for (int unsigned n = 2; n <= 7; n++) now.bytes[n] = u_dut.data_q[n][8*b+:8];
    now.second2    = u_dut.second2_q;
    now.bad2       = u_dut.bad2_q;
    now.index2     = u_dut.index2_q;
    now.top2       = u_dut.top2_q;
    now.second     = u_dut.second_q;
    now.word       = u_dut.word_q;
    now.error3     = u_dut.error3_q;
    now.payload3   = u_dut.payload3_q;
    now.along      = along;
    now.live[1]    = u_dut.live1_q[c];
    for (int unsigned n = 2; n <= 6; n++) now.live[n] = u_dut.live_q[n][c];
    now.ended      = u_dut.ended7_q;
    now.waits      = u_dut.late_valid_q;
    now.told       = u_dut.told_q;
    now.last7      = last7;
    now.late       = late;
    now.v6         = u_dut.v6;
    now.roce       = u_dut.is_roce;
    now.ragged     = u_dut.ragged;
    now.icrc       = u_dut.icrc_good;
    now.listens    = listens_i;
    now.ip_len     = u_dut.ip_len;
    now.fields     = u_dut.fields3_q;
    now.payload_at = {u_dut.second, u_dut.word};
    now.desc       = u_dut.desc;
    now.mine       = u_dut.mine;
    now.parent     = cast_from_i;
  end
  always_ff @(posedge clk_i) q <= now;

  // ---------------------------------------------------------------------------------------------
  // What is to become of it.

  logic                    took, contiguous;
  logic [BeatBytes-1:0]    ends;        // bytes behind which there is none
  logic [5:0]              top;
  logic [14:0]             len;
  along_t                  seen;
  logic                    fits, late_next;
  frame_t                  judged, told;
  logic                    telling, telling_q;
  logic [NumConns-1:0]     takes;
  assign took       = q.comes && q.ready;
  // Bytes are there from the first one on.
  assign contiguous = q.keep1 != '0 && (q.keep1 & (q.keep1 + 64'd1)) == '0;
  assign ends       = q.keep1 & ~(q.keep1 >> 1);
  // The number of the last one; of several ones, where there are holes, the bits of all.
  assign top = {(ends[63:32] != '0),
                (ends & 64'hFFFF_0000_FFFF_0000) != '0, (ends & 64'hFF00_FF00_FF00_FF00) != '0,
                (ends & 64'hF0F0_F0F0_F0F0_F0F0) != '0, (ends & 64'hCCCC_CCCC_CCCC_CCCC) != '0,
                (ends & 64'hAAAA_AAAA_AAAA_AAAA) != '0};
  assign fits = q.fields.udp_len == q.payload3 && !q.fields.version;
  assign len  = 15'(q.desc.tensor_len) + (q.desc.has_ina ? 15'd16 : 15'd0);
  always_comb begin
    seen = '{opcode: q.fields.opcode, asks: q.fields.ack_request, syndrome: q.fields.syndrome,
             wrong: q.error3, acks: fits && q.fields.opcode == 8'h11 && q.payload3 >= 16'd28,
             casts: fits && q.fields.opcode == 8'h64 && q.payload3 >= 16'd35 && q.listens &&
             q.fields.cast_key == CastKey && q.fields.cast_from == q.parent};
    // A frame in error is that alone; RoCE is good if ICRC and lengths are.
    judged        = '0;
    judged.wrong  = q.along[6].wrong;
    judged.good   = !judged.wrong && q.roce && q.icrc && !q.ragged;
    judged.broken = !judged.wrong && q.roce && !judged.good;
    judged.data   = q.desc.candidate;
    judged.acks   = q.along[6].acks;
    judged.casts  = q.along[6].casts && !len[13];
    for (int unsigned n = 0; n <= NumConns; n++) judged.ours[n] = q.mine[n] == 4'hF;
    judged.is     = '{opcode: q.along[6].opcode, psn: q.desc.psn, ack_request: q.along[6].asks,
                      length_bad: q.desc.len_bad || len[13], len: len[12:0]};
    judged.said   = '{psn: q.desc.psn, syndrome: q.along[6].syndrome};
  end
  // Of two frames that end one behind the other the second one waits, as one is told every second
  // cycle at most.
  assign telling   = (now.waits || now.ended) && !now.told;
  assign telling_q = (q.waits || q.ended) && !q.told;
  assign told      = now.waits ? now.late : now.last7;
  assign takes     = (telling && told.good) ?
      told.ours[NumConns-1:0] & told.alive & ~clear_i : '0;

  /// All of what a frame is but who is alive.
  function automatic frame_t apart(frame_t of);
    apart = of;
    apart.alive = '0;
  endfunction

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // A beat is taken if it is there. Only behind a frame of one beat nobody is ready.
      a_ready : assert (ready == now.ready && now.ready == (q.ran && !(took && q.between &&
                        q.ends)))
      else $error("ready %b", ready);
      // Between two frames is where the last beat was the last one of its frame.
      a_between : assert (now.between == (!q.ran || (took ? q.ends : q.between)) &&
                          now.valid1 == (q.ran && took))
      else $error("between %b", now.between);
      // A beat stands for a cycle, and as long as no other one comes.
      a_beat : assert ({now.first1, now.last1, now.user1, now.keep1, now.byte1} == (took ?
          {q.between, q.ends, q.errs, q.keep, q.came} :
          {q.first1, q.last1, q.user1, q.keep1, q.byte1}))
      else $error("another beat");
      // Beats of a frame are counted, up to 511, however many there are.
      a_index : assert (now.index1 == (!took ? q.index1 : q.between ? 9'd0 :
                                       (q.index1 == 9'd511) ? 9'd511 : q.index1 + 9'd1))
      else $error("beat %0d", now.index1);
      // Of any connection: it is alive for a frame if it was open as that began, and has not begun
      // or ended since.
      a_alive : assert (now.live == ({q.live[5:1], (took && q.between) ? q.opens : q.live[1]} &
                                     {6{!q.closes}}))
      else $error("connection %0d: %b", c, now.live);
      // Beats go on in line; a reset leaves none.
      a_line : assert (now.valid == (q.ran ? {q.valid[6:2], q.valid1} : 6'd0) &&
          {now.first, now.last} == {q.first[6:2], q.first1, q.last[6:2], q.last1} &&
          now.bytes == {q.bytes[6:2], q.byte1})
      else $error("another beat");
      // Beside the second stage: which beat it is, and where its last byte is.
      a_second : assert (now.second2 == (q.valid1 && q.index1 == 9'd1) && now.index2 == q.index1 &&
                         now.top2 == (q.last1 ? top : 6'd63))
      else $error("byte %0d of beat %0d", now.top2, now.index2);
      // A beat is in error that says so, has a hole, or not all bytes before its frame's end; and
      // the 256th one and all behind it.
      a_bad : assert (now.bad2 == (q.user1 || !contiguous || (!q.last1 && q.keep1 != '1) ||
                                   q.index1 >= 9'd255))
      else $error("bad %b", now.bad2);
      // Where payload begins goes along.
      a_payload : assert ({now.second, now.word} ==
                          {q.second[6:4], q.payload_at[4], q.word[6:4], q.payload_at[3:0]})
      else $error("payload at %b", now.word);
      // A frame is in error if a beat of it is; its IP payload is what its header says.
      a_error : assert (now.error3 == (!q.valid[2] ? q.error3 :
                                       (q.bad2 || (q.error3 && !q.first[2]))))
      else $error("error %b", now.error3);
      a_length : assert (now.payload3 == (!q.valid[2] ? q.payload3 :
                                          q.ip_len - (q.v6 ? 16'd0 : 16'd20)))
      else $error("%0d bytes", now.payload3);
      // What the headers say goes along, and whether they are an ACK's or the parent's multicast's.
      a_along : assert (now.along == {q.along[5:4], seen})
      else $error("along %h", now.along);
      // A frame is judged as its end comes to the sixth stage.
      a_judged : assert (apart(now.last7) == apart(judged) &&
                         now.last7.alive[c] == (q.live[6] && !q.closes))
      else $error("opcode %h", now.last7.is.opcode);
      a_ended : assert ({now.ended, now.told, now.waits} == (q.ran ? {q.valid[6] && q.last[6],
                        telling_q, (q.waits || q.ended) && q.told} : 3'd0))
      else $error("ended %b", now.ended);
      // One that waits stays as it is, but for a connection that ends.
      a_waits : assert (apart(now.late) == apart(q.ended ? q.last7 : q.late) &&
                        now.late.alive[c] == ((q.ended ? q.last7.alive[c] : q.late.alive[c]) &&
                                              !q.closes))
      else $error("opcode %h", now.late.is.opcode);
    end

    // What is told, and to whom: data or an ACK of a connection that is alive, a multicast while
    // the first one is, each if the addresses are its.
    a_takes : assert (data_valid == (told.data ? takes : '0) &&
                      answer_valid == ((told.acks && !told.data) ? takes : '0) &&
                      cast_valid == (telling && told.good && told.casts && told.ours[NumConns] &&
                                     told.alive[0] && !clear_i[0]))
    else $error("to %b", data_valid | answer_valid);
    a_says : assert (data == told.is && answer == told.said && cast_len == told.is.len - 13'd8)
    else $error("opcode %h", data.opcode);
    // Frames are counted as what they are, or as strays that nobody took.
    a_counts : assert ({came, error, bad_icrc} == (telling ? {1'b1, told.wrong, told.broken} :
                                                   3'd0) &&
                       stray == (telling && !told.wrong && !told.broken && !cast_valid &&
                                 (data_valid | answer_valid) == '0))
    else $error("came %b", came);

    // The parts get the beat of their stage.
    a_parts1 : assert (u_dut.u_locate.first_i == (now.valid1 && now.first1) &&
        {u_dut.u_icrc_check.valid_i, u_dut.u_icrc_check.first_i, u_dut.u_icrc_check.index_i,
         u_dut.u_parse.valid_i, u_dut.u_parse.first_i, u_dut.u_parse.last_i,
         u_dut.u_parse.index_i, u_dut.u_parse.notes_i} ==
        {now.valid1, now.first1, now.index1, now.valid1, now.first1, now.last1, now.index1, 1'b0} &&
        u_dut.u_icrc_check.data_i[8*b+:8] == now.byte1 &&
        u_dut.u_parse.data_i[8*b+:8] == now.byte1 && (b >= 6'd24 ||
        u_dut.u_locate.data_i[8*b+:8] == now.byte1))
    else $error("beat 1");
    a_parts2 : assert (u_dut.u_parse.at_i == {now.index2, now.top2} &&
        {u_dut.u_fields.valid_i, u_dut.u_fields.first_i, u_dut.u_fields.second_i} ==
        {now.valid[2], now.first[2], now.second2} &&
        u_dut.u_fields.data_i[8*b+:8] == now.bytes[2])
    else $error("beat 2");
    a_parts7 : assert ({u_dut.u_align.valid_i, u_dut.u_align.first_i, u_dut.u_align.last_i,
                        u_dut.u_align.second_i, u_dut.u_align.word_i} ==
        {now.valid[7], now.first[7], now.last[7], now.second[7], now.word[7]} &&
        u_dut.u_align.data_i[8*b+:8] == now.bytes[7] && rows == u_dut.u_align.came_o)
    else $error("beat 7");
    // They are reset with all else, and know what has been found in front of them.
    a_found : assert ({u_dut.u_icrc_check.rst_ni, u_dut.u_align.rst_ni} == {2{rst_ni}} &&
        {u_dut.u_icrc_check.now_vlan_i, u_dut.u_icrc_check.now_v6_i,
         u_dut.u_icrc_check.now_ends_i, u_dut.u_icrc_check.vlan_i, u_dut.u_icrc_check.v6_i,
         u_dut.u_icrc_check.tail_quad_i} ==
        {u_dut.u_locate.now_vlan_o, u_dut.u_locate.now_v6_o, u_dut.u_locate.now_ends_o,
         u_dut.u_locate.vlan_o, u_dut.u_locate.v6_o, u_dut.u_locate.tail_o[16:2]} &&
        {u_dut.u_parse.vlan_i, u_dut.u_parse.v6_i, u_dut.u_parse.ip_len_i,
         u_dut.u_parse.tail_i, u_dut.u_fields.vlan_i, u_dut.u_fields.v6_i} ==
        {u_dut.u_locate.vlan_o, u_dut.u_locate.v6_o, u_dut.u_locate.ip_len_o,
         u_dut.u_locate.tail_o, u_dut.u_locate.vlan_o, u_dut.u_locate.v6_o})
    else $error("found");
    // Addresses are compared with those of all connections, and of the parent's multicasts.
    a_whose : assert (u_dut.u_whose.key_i == u_dut.u_parse.desc_o.key &&
                      u_dut.u_whose.in_i[NumConns] == cast_in_i && u_dut.u_whose.in_i[c] == in_i[c])
    else $error("whose");

    // A frame of one beat waits behind another one, and is a connection's.
    c_waits : cover (past_q && now.waits && telling && data_valid[1]);
  end

endmodule
