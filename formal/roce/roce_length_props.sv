// roce_parse, with the roce_locate it stands beside: headers, tensor, pad bytes and ICRC of what
// may be a gradient lie inside its frame, its headers end two bytes behind a word, and its pad
// bytes fill the tensor's last word. The rest of the device takes a packet apart by these lengths
// alone.
//
// Only lengths are looked at; what the bytes say is roce_parse_props.
module roce_length_props (
  input logic             clk_i,
  input logic             valid_i,
  input logic             last_i,
  input logic [63:0][7:0] data_i,
  input logic [5:0]       top_i    // last byte of a frame in its last beat
);
  import roce_pkg::*;

  // ---------------------------------------------------------------------------------------------
  // Beats as roce_ingress hands them on.

  logic        between_q, first, done_q;
  logic [8:0]  index, index_q;
  logic [14:0] at_q;

  initial between_q = 1'b1;
  initial done_q    = 1'b0;
  assign first = between_q;
  assign index = first ? '0 : index_q + 9'(index_q != '1);

  always_ff @(posedge clk_i) begin
    done_q <= valid_i && last_i;
    at_q   <= {index, last_i ? top_i : 6'd63};
    if (valid_i) begin
      between_q <= last_i;
      index_q   <= index;
    end
  end

  logic        vlan, v6;
  logic [15:0] ip_len;
  logic [16:0] tail;

  roce_locate u_locate (
    .clk_i,
    .first_i      (valid_i && first),
    .data_i       (data_i[23:0]),
    .now_vlan_o   (),
    .now_v6_o     (),
    .now_ends_o   (),
    .vlan_o       (vlan),
    .v6_o         (v6),
    .ip_len_o     (ip_len),
    .tail_o       (tail)
  );

  logic        ragged;
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
    .roce_o  (),
    .ragged_o(ragged),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // How long the frame was, four cycles later; frames of up to 16383 bytes.

  logic [5:3]       valid_q;
  logic [5:3][15:0] bytes_q;
  logic             check_q;
  logic      [15:0] length_q, packet;

  initial valid_q = '0;
  initial check_q = 1'b0;

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[4:3], done_q && at_q < 15'd16383};
    bytes_q  <= {bytes_q[4:3], 16'(at_q) + 16'd1};
    check_q  <= valid_q[5];
    length_q <= bytes_q[5];
  end

  // Of a candidate whose length is not bad, with its ICRC.
  assign packet = 16'(desc.hdr_len) + 16'(desc.tensor_len) + 16'(desc.pad) + 16'd4;

  // What a frame is until then, stage by stage: the packet of a RoCEv2 frame lies inside it.
  logic [16:0] before2;   // bytes in front of the IP payload
  logic [16:0] before3, before4;
  assign before2 = 17'd14 + (vlan ? 17'd4 : 17'd0) + (v6 ? 17'd40 : 17'd0);
  assign before3 = 17'd14 + (u_dut.vlan3_q ? 17'd4 : 17'd0) + (u_dut.v63_q ? 17'd40 : 17'd20);
  assign before4 = 17'd14 + (u_dut.fields4_q.vlan ? 17'd4 : 17'd0) +
      (u_dut.fields4_q.key.v6 ? 17'd40 : 17'd20);

  logic [15:0] around5;   // what the last stage but one has not told apart
  assign around5 = 16'(u_dut.header5_q) + 16'(u_dut.fields5_q.pad) + 16'd4;

  always_ff @(posedge clk_i) begin
    if (done_q || !between_q) begin
      // Where the packet ends (helps the proof).
      a_tail : assert (tail == 17'(ip_len) + before2 - 17'd1)
      else $error("tail %0d", tail);
    end
    if (done_q) begin
      // The parser is in step with the frames (helps the proof).
      a_step : assert (u_dut.valid_q[2] && between_q)
      else $error("out of step");
    end
    if (valid_q[3]) begin
      // From stage to stage (helps the proof).
      a_three : assert (u_dut.valid_q[3] && (!u_dut.fits_q ||
          17'(u_dut.payload3_q) + before3 <= 17'(bytes_q[3])) &&
          (u_dut.payload3_q[1:0] != '0) == u_dut.ragged3_q)
      else $error("stage 3");
    end
    if (valid_q[4]) begin
      // In the next stage (helps the proof).
      a_four : assert (u_dut.valid_q[4] && (!u_dut.roce4_q ||
          17'(u_dut.payload4_q) + before4 <= 17'(bytes_q[4])) &&
          (u_dut.payload4_q[1:0] != '0) == u_dut.ragged4_q)
      else $error("stage 4");
    end
    if (valid_q[5]) begin
      // And in the next (helps the proof).
      a_five : assert (u_dut.valid_q[5] && u_dut.header5_q >= 7'd54 && u_dut.header5_q <= 7'd98 &&
          u_dut.header5_q[1:0] == 2'd2 && (!u_dut.candidate5_q || u_dut.plain5_q[14] ||
           (16'(u_dut.plain5_q) + around5 <= bytes_q[5] && (u_dut.ragged5_q ||
            2'(u_dut.plain5_q[1:0] + u_dut.fields5_q.pad) == '0))) &&
          u_dut.behind5_q == u_dut.plain5_q - 15'd16)
      else $error("stage 5");
    end
    if (check_q && desc.candidate) begin
      // Headers have lengths that the device is built for.
      a_headers : assert (desc.hdr_len >= 7'd54 && desc.hdr_len <= 7'd114 &&
                          desc.hdr_len[1:0] == 2'd2)
      else $error("headers of %0d bytes", desc.hdr_len);
      // The packet lies inside its frame: no byte of another one is taken for its own.
      a_inside : assert (desc.len_bad || packet <= length_q)
      else $error("%0d of %0d bytes", packet, length_q);
      // Pad bytes fill the last word: of an element of two bytes or more there are two or none.
      a_pad : assert (desc.len_bad || ragged || desc.tensor_len[0] ||
                      desc.pad == {desc.tensor_len[1], 1'b0})
      else $error("%0d pad bytes behind %0d", desc.pad, desc.tensor_len);
      // The longest headers, with a tensor and pad bytes behind them.
      c_longest : cover (desc.hdr_len == 7'd114 && desc.tensor_len == 14'd2 && !ragged &&
                         !desc.len_bad && packet == length_q);
    end
  end

endmodule
