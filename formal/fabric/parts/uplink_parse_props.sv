// uplink_parse: what names a frame's flow, for any bytes, and when it is told.
module uplink_parse_props
  import shell_pkg::*;
  import uplink_pkg::*;
(
  input logic   clk_i,
  input logic   rst_ni,
  input logic   valid_i,
  input bytes_t data_i,
  input keep_t  keep_i,
  input logic   last_i
);

  logic  valid;
  read_t read;

  uplink_parse u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i,
    .keep_i,
    .last_i,
    .valid_o(valid),
    .read_o (read)
  );

  // A frame's bytes up to the end of the longest headers: tag, IPv6, UDP, BTH.
  localparam int unsigned Bytes = 14 + 4 + 40 + 8 + 12;
  localparam int unsigned Ip = 40 + 8 + 12;
  typedef logic [Bytes-1:0][7:0] head_t;
  typedef logic [Ip-1:0][7:0] ip_t;

  // `count` bytes as a number, the first one the highest.
  function automatic logic [127:0] number(ip_t bytes, int unsigned at, int unsigned count);
    number = '0;
    for (int unsigned i = 0; i < count; i++) number = (number << 8) | 128'(bytes[at+i]);
  endfunction

  // What is behind the end counts as zeros.
  logic [63:0][7:0] beat;
  always_comb begin
    for (int unsigned b = 0; b < 64; b++) beat[b] = data_i[b] & {8{keep_i[b]}};
  end

  // Beats of the frame that were there before, up to two; its first one.
  logic [1:0]       beats_q;
  logic [63:0][7:0] first_q;
  logic             reset_q;
  initial reset_q = 1'b0;

  // With its second beat, or its only one, a frame is known.
  logic  known;
  head_t head;
  assign known = valid_i && (beats_q == 2'd1 || (beats_q == 2'd0 && last_i));
  assign head  = (beats_q == 2'd0) ? head_t'(beat) : {beat[Bytes-65:0], first_q};

  // Its type and what is behind it, with an 802.1Q tag or without.
  logic        tag;
  ip_t         ip;
  logic [15:0] of_type;
  assign tag     = head[12] == 8'h81 && head[13] == 8'h00;
  assign ip      = tag ? ip_t'(head >> 8 * 18) : ip_t'(head >> 8 * 14);
  assign of_type = tag ? {head[16], head[17]} : {head[12], head[13]};

  // What of it is told three cycles later.
  typedef struct packed {
    logic         v4, v6, options, fragment, has_ports, is_udp;
    logic [7:0]   proto;
    logic [15:0]  of_type, sport, dport;
    logic [127:0] src, dst;
    logic [47:0]  mac_src, mac_dst;
    logic [7:0]   opcode;
    logic [23:0]  qpn, psn;
  } frame_t;
  frame_t             frame;
  frame_t [3:1]       past_q;
  logic   [3:1]       told_q;
  ip_t                behind;   // the IP header
  always_comb begin
    frame          = '0;
    frame.of_type  = of_type;
    frame.v4       = of_type == 16'h0800 && (ip[0] >> 4) == 8'd4;
    frame.v6       = of_type == 16'h86DD && (ip[0] >> 4) == 8'd6;
    frame.options  = (ip[0] & 8'h0F) != 8'd5;
    frame.fragment = (16'(number(ip, 6, 2)) & 16'h3FFF) != '0;   // more of them, or not the first
    frame.proto    = frame.v6 ? ip[6] : ip[9];
    frame.is_udp   = frame.proto == 8'd17;
    frame.has_ports = frame.is_udp || frame.proto == 8'd6;
    frame.src      = frame.v6 ? number(ip, 8, 16) : number(ip, 12, 4);
    frame.dst      = frame.v6 ? number(ip, 24, 16) : number(ip, 16, 4);
    frame.mac_dst  = 48'(number(ip_t'(head), 0, 6));
    frame.mac_src  = 48'(number(ip_t'(head), 6, 6));
    behind         = frame.v6 ? ip >> 8 * 40 : ip >> 8 * 20;
    frame.sport    = 16'(number(behind, 0, 2));
    frame.dport    = 16'(number(behind, 2, 2));
    frame.opcode   = behind[8];
    frame.qpn      = 24'(number(behind, 13, 3));
    frame.psn      = 24'(number(behind, 17, 3));
  end

  always_ff @(posedge clk_i) begin
    reset_q <= reset_q || !rst_ni;
    past_q  <= {past_q[2:1], frame};
    told_q  <= rst_ni ? {told_q[2:1], known} : '0;
    if (valid_i) beats_q <= last_i ? 2'd0 : (beats_q == 2'd0) ? 2'd1 : 2'd2;
    if (valid_i && beats_q == 2'd0) first_q <= beat;
    if (!rst_ni) beats_q <= 2'd0;
  end

  frame_t of;
  logic   ip_frame, with_ports, roce;
  assign of         = past_q[3];
  assign ip_frame   = of.v4 || of.v6;
  assign with_ports = of.has_ports && (of.v6 || (of.v4 && !of.options && !of.fragment));
  assign roce       = with_ports && of.is_udp && of.dport == 16'd4791;

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // Each frame is told of once, three cycles behind its second beat or its only one.
      a_told : assert (valid == told_q[3])
      else $error("told: %b", valid);
      // How far the frame has come.
      a_beats : assert (u_dut.at_q == beats_q)
      else $error("at %0d, %0d beats before", u_dut.at_q, beats_q);
      // Its first beat is kept for its second one.
      a_first : assert (beats_q == 2'd0 || u_dut.first_q == first_q)
      else $error("another first beat");
      // And what would be behind it is empty until then.
      a_short : assert (beats_q != 2'd1 || u_dut.second_q == '0)
      else $error("a second beat of before");
    end
    if (reset_q && valid) begin
      // IPv4 addresses are mapped into IPv6 ones.
      a_v4 : assert (!of.v4 || {read.key.src, read.key.dst} ==
                     {96'hFFFF, of.src[31:0], 96'hFFFF, of.dst[31:0]})
      else $error("addresses of IPv4");
      // Those of IPv6 are named as they are.
      a_v6 : assert (!of.v6 || {read.key.src, read.key.dst} == {of.src, of.dst})
      else $error("addresses of IPv6");
      // What is no IP is named by its MAC addresses and its type alone.
      a_mac : assert (ip_frame || (read.key.src == {80'd0, of.mac_src} &&
                      read.key.dst == {80'd0, of.mac_dst} && read.key.dport == of.of_type &&
                      read.key.proto == '0 && read.key.sport == '0))
      else $error("MAC addresses");
      // IP's protocol, IPv6's next header.
      a_proto : assert (!ip_frame || read.key.proto == of.proto)
      else $error("protocol %0d", read.key.proto);
      // Ports are those of TCP and UDP.
      a_ports : assert (!with_ports || (read.key.sport == of.sport && read.key.dport == of.dport))
      else $error("ports %0d, %0d", read.key.sport, read.key.dport);
      // IPv4 with options, fragments, and other protocols have none.
      a_no_ports : assert (!ip_frame || with_ports ||
                           (read.key.sport == '0 && read.key.dport == '0))
      else $error("ports %0d, %0d", read.key.sport, read.key.dport);
      // RoCEv2 is UDP to port 4791; its opcode, destination queue pair and number are read.
      a_roce : assert (!roce || (read.roce && read.opcode == of.opcode && read.key.qpn == of.qpn &&
                                 read.psn == of.psn))
      else $error("opcode %h, queue pair %h, psn %h", read.opcode, read.key.qpn, read.psn);
      // Nothing else has them.
      a_no_roce : assert (roce || (!read.roce && read.opcode == '0 && read.key.qpn == '0 &&
                                   read.psn == '0))
      else $error("opcode %h, queue pair %h, psn %h", read.opcode, read.key.qpn, read.psn);

      // RoCEv2 on IPv6 behind a tag; a fragment.
      c_roce : cover (roce && of.v6);
      c_fragment : cover (of.v4 && of.has_ports && of.fragment && !of.options);
    end
  end

endmodule
