// Frames that come in by a port of a tree node: whose they are, whether they are right, and what
// their payload is (docs/tree.md).
//
// A frame is taken as it comes; nobody can hold it back. Its payload leaves as rows, the same for
// all connections, while its headers and its ICRC are looked at; what it is comes at most once
// every second cycle, behind the end of the frame in front, and not behind its own. So who keeps
// rows on trial has to know only one packet, and decisions that need two cycles need no queue. A
// frame of one beat takes two cycles for it; all others take a cycle a beat.
//
//   cycle  0        a frame's last beat is taken
//          7 or 8   data_valid_o, answer_valid_o
//          11       its last row, with `stop`
module rc_arrive
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Connections, 1 or more.
  parameter int unsigned NumConns = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // Frames, without FCS. `tkeep` is contiguous from byte 0 and all ones but in the last beat;
  // `tuser` with any beat of a frame: it is in error. A frame that breaks the rule of `tkeep` is
  // taken as one in error. `tready` is a register, and waits for nobody.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,

  // Connections: whose frames each takes, if it is open; in this cycle it begins, or ends. A frame
  // of which some came before that is not taken.
  input conn_key_t [NumConns-1:0] in_i,
  input logic      [NumConns-1:0] open_i,
  input logic      [NumConns-1:0] clear_i,
  // The parent's multicasts, which come beside connection 0: addresses, and the parent's QP.
  input logic        listens_i,
  input conn_key_t   cast_in_i,
  input logic [23:0] cast_from_i,

  output rc_came_t            came_o,
  output logic [NumConns-1:0] data_valid_o,
  output rc_data_t            data_o,
  output logic [NumConns-1:0] answer_valid_o,
  output rc_answer_t          answer_o,
  output logic                cast_valid_o,
  output logic [12:0]         cast_len_o,     // bytes of its message

  // Pulses: a frame came in; what was not taken of it.
  output logic came_pulse_o,
  output logic error_o,
  output logic bad_icrc_o,
  output logic stray_o
);

  /// The parser's answer stands in this stage.
  localparam int unsigned Answer = 6;
  /// From the beat that is looked at to the one that is cut into rows: a frame's end comes behind
  /// the decision of it, and the next one's first row behind that.
  localparam int unsigned Stages = 7;
  /// Longest frame: lengths have 14 bits.
  localparam logic [8:0] TooLong = 9'd255;

  // ---------------------------------------------------------------------------------------------
  // Stage 1: a beat as it came.

  logic                 ready_q, take, between_q;
  logic                 valid1_q, first1_q, last1_q, user1_q;
  logic [8:0]           index1_q;
  logic [BeatBytes-1:0] keep1_q;
  logic [BeatBits-1:0]  data1_q;
  logic [NumConns-1:0]  live1_q;    // open since the frame began

  assign s_axis_tready = ready_q;
  assign take          = s_axis_tvalid && ready_q;

  always_ff @(posedge clk_i) begin
    ready_q  <= !(take && between_q && s_axis_tlast);
    valid1_q <= take;
    if (take) begin
      between_q <= s_axis_tlast;
      first1_q  <= between_q;
      last1_q   <= s_axis_tlast;
      user1_q   <= s_axis_tuser[0];
      keep1_q   <= s_axis_tkeep;
      data1_q   <= s_axis_tdata;
      index1_q  <= between_q ? '0 : index1_q + 9'(index1_q != '1);
    end
    live1_q <= ((take && between_q) ? open_i : live1_q) & ~clear_i;
    if (!rst_ni) begin
      ready_q   <= 1'b0;
      valid1_q  <= 1'b0;
      between_q <= 1'b1;
    end
  end

  /// The last one, of ones that are contiguous from bit 0.
  function automatic logic [5:0] top_byte(logic [BeatBytes-1:0] keep);
    top_byte = '0;
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      if (keep[b] && (b == BeatBytes - 1 || !keep[(b+1)%BeatBytes])) top_byte |= 6'(b);
    end
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Side by side with the rows: ICRC and headers, as in roce_ingress.

  logic        now_vlan, now_v6, vlan, v6;
  logic [BeatBytes/4-1:FirstEnd] now_ends;
  logic [15:0] ip_len;
  logic [16:0] tail;
  logic        icrc_good, is_roce, ragged;
  // verilator lint_off UNUSEDSIGNAL
  frame_desc_t desc;   // what only an aggregator wants is not looked at
  // verilator lint_on UNUSEDSIGNAL
  logic [14:0] at2;

  roce_locate u_locate (
    .clk_i,
    .first_i      (valid1_q && first1_q),
    .data_i       (data1_q[191:0]),
    .now_vlan_o   (now_vlan),
    .now_v6_o     (now_v6),
    .now_ends_o   (now_ends),
    .vlan_o       (vlan),
    .v6_o         (v6),
    .ip_len_o     (ip_len),
    .tail_o       (tail)
  );

  roce_icrc_check u_icrc_check (
    .clk_i,
    .rst_ni,
    .valid_i      (valid1_q),
    .first_i      (first1_q),
    .index_i      (index1_q),
    .data_i       (data1_q),
    .now_vlan_i   (now_vlan),
    .now_v6_i     (now_v6),
    .now_ends_i   (now_ends),
    .vlan_i       (vlan),
    .v6_i         (v6),
    .tail_quad_i  (tail[16:2]),
    .good_o       (icrc_good)
  );

  roce_parse u_parse (
    .clk_i,
    .notes_i (1'b0),
    .valid_i (valid1_q),
    .first_i (first1_q),
    .last_i  (last1_q),
    .index_i (index1_q),
    .data_i  (data1_q),
    .at_i    (at2),
    .vlan_i  (vlan),
    .v6_i    (v6),
    .ip_len_i(ip_len),
    .tail_i  (tail),
    .roce_o  (is_roce),
    .ragged_o(ragged),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // Delay line of beats. What of a frame's headers the parser does not tell is taken from its
  // second stage (rc_fields).

  logic [Stages:2]               valid_q, first_q, last_q;
  logic [Stages:2][BeatBits-1:0] data_q;
  logic [Stages:4]               second_q;   // payload begins in the second beat or behind
  logic [Stages:4][3:0]          word_q;
  logic                          second2_q;  // the second beat
  logic [8:0]                    index2_q;
  logic [5:0]                    top2_q;
  logic                          bad2_q;
  logic [BeatBytes-1:1]          hole;
  rc_fields_t                    fields3_q;
  logic                          second;
  logic [3:0]                    word;

  assign hole = keep1_q[BeatBytes-1:1] & ~keep1_q[BeatBytes-2:0];
  assign at2  = {index2_q, top2_q};

  rc_fields u_fields (
    .clk_i,
    .valid_i (valid_q[2]),
    .first_i (first_q[2]),
    .second_i(second2_q),
    .vlan_i  (vlan),
    .v6_i    (v6),
    .data_i  (data_q[2]),
    .fields_o(fields3_q),
    .second_o(second),
    .word_o  (word)
  );

  always_ff @(posedge clk_i) begin
    valid_q   <= {valid_q[Stages-1:2], valid1_q};
    first_q   <= {first_q[Stages-1:2], first1_q};
    last_q    <= {last_q[Stages-1:2], last1_q};
    data_q    <= {data_q[Stages-1:2], data1_q};
    second2_q <= index1_q == 9'd1 && valid1_q;
    index2_q  <= index1_q;
    top2_q    <= last1_q ? top_byte(keep1_q) : 6'd63;
    bad2_q    <= user1_q || (hole != '0) || !keep1_q[0] || (!last1_q && !keep1_q[BeatBytes-1]) ||
        index1_q >= TooLong;
    second_q  <= {second_q[Stages-1:4], second};
    word_q    <= {word_q[Stages-1:4], word};
    if (!rst_ni) valid_q <= '0;
  end

  rc_align u_align (
    .clk_i,
    .rst_ni,
    .valid_i (valid_q[Stages]),
    .first_i (first_q[Stages]),
    .last_i  (last_q[Stages]),
    .second_i(second_q[Stages]),
    .word_i  (word_q[Stages]),
    .data_i  (data_q[Stages]),
    .came_o
  );

  // ---------------------------------------------------------------------------------------------
  // Stages 3 to 6: what goes along with a frame's end.

  typedef struct packed {
    logic [7:0]  opcode;
    logic        ack_request;
    logic [7:0]  syndrome;
    logic        error;
    logic        answer;    // an ACK packet, of lengths that fit each other
    logic        cast;      // the same of a multicast, to those who listen, from the parent
  } along_t;

  localparam logic [15:0] WithAeth = 16'd8 + 16'd12 + 16'd4 + 16'd4;
  localparam logic [15:0] WithDeth = 16'd8 + 16'd12 + 16'(CastHead) + 16'd3 + 16'd4;   // and a pad

  logic                            error3_q;    // of the frame's beats so far
  logic [15:0]                     payload3_q;  // of IP
  along_t [Answer:4]               along_q;
  logic [Answer:2][NumConns-1:0]   live_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) begin
      error3_q   <= bad2_q || (!first_q[2] && error3_q);
      payload3_q <= v6 ? ip_len : ip_len - 16'd20;
    end
    along_q[4] <= '{
      opcode: fields3_q.opcode,
      ack_request: fields3_q.ack_request,
      syndrome: fields3_q.syndrome,
      error: error3_q,
      answer: fields3_q.opcode == OpAck && !fields3_q.version &&
          fields3_q.udp_len == payload3_q && payload3_q >= WithAeth,
      cast: fields3_q.opcode == OpCast && !fields3_q.version && listens_i &&
          fields3_q.udp_len == payload3_q && payload3_q >= WithDeth &&
          fields3_q.cast_key == CastKey && fields3_q.cast_from == cast_from_i
    };
    along_q[Answer:5] <= along_q[Answer-1:4];
    for (int unsigned s = 2; s <= Answer; s++) begin
      live_q[s] <= ((s == 2) ? live1_q : live_q[s-1]) & ~clear_i;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 7: whose it is. What the last two frames are may come a cycle late, so that there is one
  // every second cycle at most.

  /// A key is compared in so many parts, which meet a cycle later.
  localparam int unsigned KeyParts = 4;

  typedef struct packed {
    logic                error, bad_icrc, good;
    logic                candidate, answer, cast;
    logic [NumConns:0][KeyParts-1:0] mine;   // of the connection's addresses, part by part
    logic [NumConns-1:0] live;      // which is open since the frame began
    rc_data_t            data;
    rc_answer_t          said;
  } verdict_t;

  verdict_t    verdict, verdict7_q, late_q, told;
  logic        ended7_q, late_valid_q, telling, told_q;
  logic [NumConns:0][KeyParts-1:0] mine;   // multicasts on top
  logic [13:0] len;

  assign len = desc.has_ina ? desc.tensor_len + 14'(InaBytes) : desc.tensor_len;

  rc_whose #(
    .NumConns(NumConns + 1),
    .Parts   (KeyParts)
  ) u_whose (
    .key_i (desc.key),
    .in_i  ({cast_in_i, in_i}),
    .mine_o(mine)
  );

  always_comb begin
    verdict.error     = along_q[Answer].error;
    verdict.bad_icrc  = !verdict.error && is_roce && (ragged || !icrc_good);
    verdict.good      = !verdict.error && is_roce && !ragged && icrc_good;
    verdict.candidate = desc.candidate;
    verdict.answer    = along_q[Answer].answer;
    verdict.cast      = along_q[Answer].cast && !len[13];
    verdict.mine      = mine;
    verdict.live      = live_q[Answer];
    verdict.data = '{opcode: along_q[Answer].opcode, psn: desc.psn,
                     ack_request: along_q[Answer].ack_request,
                     // Longer than any MTU: not to be understood either.
                     length_bad: desc.len_bad || len[13], len: len[12:0]};
    verdict.said = '{psn: desc.psn, syndrome: along_q[Answer].syndrome};
  end

  assign telling = !told_q && (late_valid_q || ended7_q);
  assign told    = late_valid_q ? late_q : verdict7_q;

  always_ff @(posedge clk_i) begin
    ended7_q <= valid_q[Answer] && last_q[Answer];
    verdict7_q <= verdict;
    told_q <= telling;
    late_valid_q <= (late_valid_q || ended7_q) && !telling;
    if (ended7_q) late_q <= verdict7_q;
    verdict7_q.live <= verdict.live & ~clear_i;
    late_q.live     <= (ended7_q ? verdict7_q.live : late_q.live) & ~clear_i;
    if (!rst_ni) begin
      ended7_q     <= 1'b0;
      told_q       <= 1'b0;
      late_valid_q <= 1'b0;
    end
  end

  logic [NumConns-1:0] takes;
  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      takes[c] = told.mine[c] == '1 && told.live[c] && !clear_i[c] && telling && told.good;
    end
  end
  assign data_valid_o   = told.candidate ? takes : '0;
  assign data_o         = told.data;
  assign answer_valid_o = (!told.candidate && told.answer) ? takes : '0;
  assign answer_o       = told.said;
  assign cast_valid_o   = told.cast && told.mine[NumConns] == '1 && told.live[0] && !clear_i[0] &&
      telling && told.good;
  assign cast_len_o     = told.data.len - 13'(CastHead);

  assign came_pulse_o = telling;
  assign error_o      = telling && told.error;
  assign bad_icrc_o   = telling && told.bad_icrc;
  assign stray_o      = telling && !told.error && !told.bad_icrc &&
      (data_valid_o | answer_valid_o) == '0 && !cast_valid_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One frame waits at most to be told of; else it would be forgotten, or come too late for its
      // rows.
      a_late : assert (!(late_valid_q && ended7_q && !telling) && !(late_valid_q && told_q))
      else $error("%m: two frames wait");
      // Each frame is one connection's at most.
      a_one : assert ($onehot0({data_valid_o | answer_valid_o, cast_valid_o}))
      else $error("%m: a frame of two connections");
    end
  end

endmodule
