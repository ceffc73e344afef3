// roce_parse, with the roce_locate it stands beside: for any frame, what docs/protocol.md ("At the
// port") says of it, read byte by byte. Frames of any length, any bytes, any gaps between beats.
//
// The specification sees zeros where the frame, and inside it the IP packet, has ended; the circuit
// sees whatever was there. So equality says too that no byte behind the end decides anything.
module roce_parse_props
  import roce_pkg::*;
(
  input logic                      clk_i,
  input logic                      valid_i,
  input logic                      last_i,
  input logic [BeatBytes-1:0][7:0] data_i,
  input logic [ByteW-1:0]          top_i    // last byte of a frame in its last beat
);

  // ---------------------------------------------------------------------------------------------
  // Beats as roce_ingress hands them on.

  logic             between_q, first, done_q;
  logic [8:0]       index, index_q;
  logic [8+ByteW:0] at_q;

  initial between_q = 1'b1;
  initial done_q    = 1'b0;
  assign first = between_q;
  assign index = first ? '0 : index_q + 9'(index_q != '1);

  always_ff @(posedge clk_i) begin
    done_q <= valid_i && last_i;
    at_q   <= {index, last_i ? top_i : ByteW'(BeatBytes - 1)};
    if (valid_i) begin
      between_q <= last_i;
      index_q   <= index;
    end
  end

  logic        now_vlan, now_v6, vlan, v6;
  logic [BeatBytes/4-1:FirstEnd] now_ends;
  logic [15:0] ip_len;
  logic [16:0] tail;

  roce_locate u_locate (
    .clk_i,
    .first_i      (valid_i && first),
    .data_i       (data_i[23:0]),
    .now_vlan_o   (now_vlan),
    .now_v6_o     (now_v6),
    .now_ends_o   (now_ends),
    .vlan_o       (vlan),
    .v6_o         (v6),
    .ip_len_o     (ip_len),
    .tail_o       (tail)
  );

  logic        roce, ragged;
  frame_desc_t desc;

  roce_parse u_dut (
    .clk_i,
    .notes_i (1'b0),
    .valid_i,
    .first_i (first),
    .last_i,
    .index_i (index),
    .data_i  (data_i),
    .at_i    (at_q),
    .vlan_i  (vlan),
    .v6_i    (v6),
    .ip_len_i(ip_len),
    .tail_i  (tail),
    .roce_o  (roce),
    .ragged_o(ragged),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // The specification.

  typedef logic [127:0][7:0] bytes_t;

  typedef struct packed {
    logic         roce;        // rule 3
    logic         ragged;      // rule 4
    logic         candidate;   // rules 5 and 6
    logic         starts;
    logic         has_ina;
    logic         has_imm;
    logic         tag;
    logic [11:0]  vid;
    logic         six;
    logic [127:0] from;
    logic [127:0] to;
    logic [23:0]  qpn;
    logic [23:0]  psn;
    logic [1:0]   pad;
    logic         bad_length;
    logic [15:0]  in_front;    // of the tensor
    logic [15:0]  tensor;
    logic [15:0][7:0] ina;     // the bytes behind the extension headers
  } seen_t;

  /// The first `many` bytes, zeros behind them.
  function automatic bytes_t keep(bytes_t b, logic [15:0] many);
    for (int unsigned i = 0; i < 128; i++) keep[i] = (16'(i) < many) ? b[i] : 8'd0;
  endfunction

  /// The `n` bytes from `at` on as one number, first byte in front.
  function automatic logic [127:0] number(bytes_t b, int unsigned at, int unsigned n);
    number = '0;
    for (int unsigned i = 0; i < n; i++) number = {number[119:0], b[at+i]};
  endfunction

  /// Extension headers behind the BTH, bytes (IBA 9.2): RETH 16, ImmDt and IETH 4 each; 63 for what
  /// is no data packet of RC.
  function automatic logic [5:0] extension(logic [7:0] opcode);
    extension = 6'd63;
    if (opcode <= 8'h0B || opcode == 8'h16 || opcode == 8'h17) begin
      extension = 6'd0;
      if (opcode == 8'h06 || opcode == 8'h0A || opcode == 8'h0B) extension = extension + 6'd16;
      if (opcode == 8'h03 || opcode == 8'h05 || opcode == 8'h09 || opcode == 8'h0B ||
          opcode == 8'h16 || opcode == 8'h17) extension = extension + 6'd4;
    end
  endfunction

  function automatic seen_t classify(bytes_t frame, logic [15:0] length);
    bytes_t      b;
    logic [15:0] kind, left, payload, behind;
    logic        ip;
    logic [5:0]  ext;
    classify = '0;
    // Ethernet, with a tag or without.
    b             = keep(frame, length) >> 8 * 12;
    left          = length - 16'd14;
    classify.in_front = 16'd14;
    classify.tag = number(b, 0, 2) == 128'h8100;
    if (classify.tag) begin
      classify.vid = 12'(number(b, 2, 2));
      b    = b >> 8 * 4;
      left = left - 16'd4;
      classify.in_front = 16'd18;
    end
    kind = 16'(number(b, 0, 2));
    b    = b >> 8 * 2;
    // IP. `left` counts what the frame has behind the Ethernet header; of a frame without IP
    // header, nothing.
    if (length < 16'd38) left = '0;
    classify.six = kind == 16'h86DD;
    if (classify.six) begin
      payload = 16'(number(b, 4, 2));
      ip      = b[0][7:4] == 4'd6 && b[6] == 8'd17 && 17'(payload) + 17'd40 <= 17'(left);
      classify.from = number(b, 8, 16);
      classify.to   = number(b, 24, 16);
      classify.in_front = classify.in_front + 16'd40;
      b = b >> 8 * 40;
    end else begin
      payload = 16'(number(b, 2, 2)) - 16'd20;
      ip      = kind == 16'h0800 && b[0] == 8'h45 && b[9] == 8'd17 &&
          (16'(number(b, 6, 2)) & 16'h3FFF) == '0 &&
          16'(number(b, 2, 2)) >= 16'd20 && 16'(number(b, 2, 2)) <= left;
      classify.from = number(b, 12, 4);
      classify.to   = number(b, 16, 4);
      classify.in_front = classify.in_front + 16'd20;
      b = b >> 8 * 20;
    end
    b = keep(b, payload);
    // UDP and BTH.
    classify.roce      = ip && payload >= 16'd24 && number(b, 2, 2) == 128'd4791;
    classify.ragged    = payload % 16'd4 != '0;
    ext                = extension(b[8]);
    classify.candidate = classify.roce && 16'(number(b, 4, 2)) == payload && b[9][3:0] == '0 &&
        ext != 6'd63;
    classify.starts    = b[8] inside {8'h00, 8'h04, 8'h05, 8'h06, 8'h0A, 8'h0B, 8'h17};
    classify.has_imm   = b[8] inside {8'h03, 8'h05, 8'h09, 8'h0B};
    classify.pad       = b[9][5:4];
    classify.qpn       = 24'(number(b, 13, 3));
    classify.psn       = 24'(number(b, 17, 3));
    // Extension headers, payload.
    behind              = payload - 16'd24;   // between BTH and ICRC
    classify.bad_length = behind < 16'(ext) + 16'(classify.pad);
    classify.in_front   = classify.in_front + 16'd20 + 16'(ext);
    b = b >> 8 * 20;
    unique case (ext)
      6'd4:    b = b >> 8 * 4;
      6'd16:   b = b >> 8 * 16;
      6'd20:   b = b >> 8 * 20;
      default: b = b;
    endcase
    classify.ina    = b[15:0];
    classify.tensor = classify.bad_length ? '0 : behind - 16'(ext) - 16'(classify.pad);
    classify.has_ina = classify.starts && !classify.bad_length && classify.tensor >= 16'd16 &&
        number(b, 0, 4) == 128'h4E65_7452;
    if (classify.has_ina) begin
      classify.tensor   = classify.tensor - 16'd16;
      classify.in_front = classify.in_front + 16'd16;
    end
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The frame as it came, and what is to be said of it four cycles later.

  bytes_t          seen_q;
  seen_t           now;
  seen_t [5:3]     due_q;
  logic  [5:3]     due_valid_q;
  logic            check_q;
  seen_t           want_q;

  initial due_valid_q = '0;
  initial check_q     = 1'b0;

  always_ff @(posedge clk_i) begin
    if (valid_i && first) seen_q[BeatBytes-1:0] <= data_i;
    if (BeatBytes == 64 && valid_i && !first && index == 9'd1) seen_q[127-:BeatBytes] <= data_i;
    due_valid_q <= {due_valid_q[4:3], done_q && 16'(at_q) < 16'd16383};
    due_q       <= {due_q[4:3], now};
    check_q     <= due_valid_q[5];
    want_q      <= due_q[5];
  end
  assign now = classify(seen_q, 16'(at_q) + 16'd1);

  logic kept;
  if (BeatBytes == 64) begin : gen_two
    assign kept = u_dut.first_q == seen_q[63:0] &&
        (index_q == '0 || u_dut.gen_second.second_q == seen_q[113:64]);
  end else begin : gen_one
    assign kept = u_dut.first_q == seen_q[113:0];
  end

  always_ff @(posedge clk_i) begin
    if (done_q || !between_q) begin
      // The bytes that are kept are the frame's (helps the proof).
      a_kept : assert (kept)
      else $error("kept other bytes");
      // So is what is known of its EtherTypes and its IP length (helps the proof).
      a_located : assert (vlan == seen_q[12][0] && v6 == seen_q[vlan?16:12][7] &&
                          ip_len == 16'(number(seen_q, (vlan ? 20 : 16) + (v6 ? 2 : 0), 2)) &&
                          tail == 17'(ip_len) + (vlan ? 17'd17 : 17'd13) + (v6 ? 17'd40 : 17'd0))
      else $error("located otherwise");
    end
    if (done_q) begin
      // The parser is in step with the frames (helps the proof).
      a_step : assert (u_dut.valid_q[2] && between_q && at_q[8+ByteW:ByteW] == index_q)
      else $error("out of step");
    end
  end

  ina_t ina;
  always_comb begin
    ina.ring    = {want_q.ina[4], want_q.ina[5]};
    ina.rank    = want_q.ina[6];
    ina.kind    = want_q.ina[7];
    ina.msgid   = {want_q.ina[8], want_q.ina[9], want_q.ina[10], want_q.ina[11]};
    ina.msglen  = {want_q.ina[12], want_q.ina[13]};
    ina.workers = {want_q.ina[14], want_q.ina[15]};
  end

  always_ff @(posedge clk_i) begin
    if (check_q) begin
      // A frame of up to 16383 bytes is RoCEv2 exactly if the rules say so, and no byte behind its
      // end makes it one: no other frame is held against an ICRC that it does not have.
      a_roce : assert (roce == want_q.roce)
      else $error("RoCEv2 %b instead of %b", roce, want_q.roce);
      // A RoCEv2 packet whose length is no multiple of four is known as such.
      a_ragged : assert (!want_q.roce || ragged == want_q.ragged)
      else $error("ragged %b instead of %b", ragged, want_q.ragged);
      // It is a candidate exactly if the rules say so: everything else passes by untouched.
      a_candidate : assert (desc.candidate == want_q.candidate)
      else $error("candidate %b instead of %b", desc.candidate, want_q.candidate);
      if (want_q.candidate) begin
        // A candidate's connection, PSN and place in its message are those of its headers.
        a_fields : assert (desc.starts == want_q.starts && desc.has_imm == want_q.has_imm &&
                           desc.vlan == want_q.tag &&
                           desc.key.vlan == want_q.vid &&
                           desc.hash == conn_hash(desc.key) &&
                           desc.key.v6 == want_q.six && desc.key.src == want_q.from &&
                           desc.key.dst == want_q.to && desc.key.qpn == want_q.qpn &&
                           desc.psn == want_q.psn && desc.pad == want_q.pad)
        else $error("wrong header fields");
        // It is tagged exactly if the rules say so, and no byte behind the packet makes it so.
        a_tagged : assert (desc.has_ina == want_q.has_ina)
        else $error("tagged %b instead of %b", desc.has_ina, want_q.has_ina);
        // The INA header is the packet's.
        a_ina : assert (!want_q.has_ina || desc.ina == ina)
        else $error("wrong INA header");
        // The tensor starts and ends where the rules say, and a bad length is known.
        a_tensor : assert (desc.len_bad == want_q.bad_length &&
                           16'(desc.tensor_len) == want_q.tensor &&
                           16'(desc.hdr_len) == want_q.in_front)
        else $error("tensor of %0d bytes at %0d instead of %0d at %0d", desc.tensor_len,
                    desc.hdr_len, want_q.tensor, want_q.in_front);
      end
      // The longest headers: a tag, IPv6, WRITE Only with immediate, an INA header.
      c_longest : cover (want_q.candidate && want_q.has_ina && want_q.in_front == 16'd114);
      // A bad length.
      c_bad_length : cover (want_q.candidate && want_q.bad_length && want_q.six);
      // The INA tag is there, but its header's end is not.
      c_no_room : cover (want_q.candidate && want_q.starts && !want_q.has_ina &&
                         want_q.ina[3:0] == {8'h52, 8'h74, 8'h65, 8'h4E});
    end
  end

endmodule
