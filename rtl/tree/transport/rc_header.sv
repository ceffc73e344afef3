// Makes the headers of frames that leave by a port of a tree node, as roce_egress_align takes them:
// Ethernet, VLAN tag, IPv4 or IPv6, UDP, BTH, and the AETH of an ACK packet or the DETH of a
// multicast, from what is set of the connection and what its decision says.
//
// Four steps: what is set of the connection | sum of the IPv4 header | its checksum | the record. A
// frame every other cycle; frames in front wait for those that the record is in use by.
module rc_header
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Connections, 1 or more.
  parameter int unsigned NumConns = 2,
  localparam int unsigned ConnW = (NumConns > 1) ? $clog2(NumConns) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // What is set of the connections; it does not change while one of their frames is inside.
  // verilator lint_off UNUSEDSIGNAL
  input rc_conn_cfg_t [NumConns-1:0] cfg_i,   // only addresses and queue pairs
  // verilator lint_on UNUSEDSIGNAL
  input logic         [15:0]         cast_group_i,   // whom multicasts are to

  input  logic             in_valid_i,   // a frame, and the connection it is of
  output logic             in_ready_o,
  input  logic [ConnW-1:0] in_conn_i,
  input  rc_frame_t        in_i,

  // A header record. It stays until the cycle behind `done_i`.
  output logic          valid_o,
  output logic [1023:0] record_o,
  input  logic          done_i
);

  localparam logic [15:0] UdpBthIcrc = 16'd8 + 16'd12 + 16'd4;
  localparam logic [15:0] Deth = 16'd8;

  typedef struct packed {
    logic [47:0] local_mac, peer_mac;
    conn_key_t   out;
    logic [15:0] udp_source;
    logic [23:0] local_qpn;
  } address_t;

  typedef struct packed {
    rc_frame_t   is;
    address_t    from_to;
    logic [15:0] udp_len;
  } made_t;

  logic      valid1_q, valid2_q, valid3_q, record_valid_q, ready1, ready2, ready3;
  address_t  from_to;
  made_t     made1_q, made2_q, made3_q;
  logic [18:0] same_q;       // of the sum what the connection says, and what is the same for all
  logic [19:0] sum_q;
  logic [16:0] folded;
  logic [15:0] checksum3_q;
  logic [10:0] words;        // of payload, with its pad

  always_comb begin
    from_to = '{local_mac: cfg_i[in_conn_i].local_mac, peer_mac: cfg_i[in_conn_i].peer_mac,
                out: cfg_i[in_conn_i].out, udp_source: cfg_i[in_conn_i].udp_source,
                local_qpn: cfg_i[in_conn_i].in.qpn};
    if (in_i.cast) begin
      from_to.peer_mac = cast_mac(from_to.out.v6, cast_group_i);
      from_to.out.dst  = cast_ip(from_to.out.v6, cast_group_i);
      from_to.out.qpn  = CastQpn;
    end
  end
  assign words   = 11'((in_i.len + 13'd3) >> 2);

  assign ready3     = !valid3_q || !record_valid_q;
  assign ready2     = !valid2_q || ready3;
  assign ready1     = !valid1_q || ready2;
  assign in_ready_o = ready1;
  assign folded     = 17'(sum_q[15:0]) + 17'(sum_q[19:16]);

  always_ff @(posedge clk_i) begin
    if (ready1) begin
      valid1_q        <= in_valid_i;
      made1_q.is      <= in_i;
      made1_q.from_to <= from_to;
      made1_q.udp_len <= (in_i.ack ? UdpBthIcrc + 16'd4 :
                          in_i.cast ? UdpBthIcrc + Deth : UdpBthIcrc) +
          (in_i.ack ? 16'd0 : 16'({words, 2'b00}));
      // Version and length of header, don't fragment, TTL 64 and UDP; and the length in front of
      // UDP.
      same_q          <= 19'h4500 + 19'h4000 + 19'h4011 + 19'd20 +
          19'(from_to.out.src[31:16]) + 19'(from_to.out.src[15:0]);
    end
    if (ready2) begin
      valid2_q <= valid1_q;
      made2_q  <= made1_q;
      sum_q    <= 20'(same_q) + 20'(made1_q.udp_len) + 20'(made1_q.is.ip_id) +
          20'(made1_q.from_to.out.dst[31:16]) + 20'(made1_q.from_to.out.dst[15:0]);
    end
    if (ready3) begin
      valid3_q    <= valid2_q;
      made3_q     <= made2_q;
      checksum3_q <= ~(folded[15:0] + 16'(folded[16]));
    end
    if (!record_valid_q) record_valid_q <= valid3_q;
    else if (done_i) record_valid_q <= 1'b0;
    if (!rst_ni) begin
      valid1_q       <= 1'b0;
      valid2_q       <= 1'b0;
      valid3_q       <= 1'b0;
      record_valid_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The record: first byte on top, turned at the end.

  localparam int unsigned TransportBits = 8 * (8 + 12 + 8);
  localparam int unsigned V4Bits = 8 * 20 + TransportBits;
  localparam int unsigned V6Bits = 8 * 40 + TransportBits;
  localparam int unsigned HeadBits = 1024 - HdrMetaBits;

  conn_key_t                out;
  logic [TransportBits-1:0] transport;
  logic [V6Bits-1:0]        network;
  logic [15:0]              ethertype;
  logic [HeadBits-1:0]      head, record_q;
  hdr_meta_t                meta, meta_q;
  logic [1:0]               pad;
  logic                     with_tag;

  assign out    = made3_q.from_to.out;
  assign with_tag = out.vlan != '0;
  assign pad    = made3_q.is.ack ? 2'd0 : -made3_q.is.len[1:0];

  assign transport = {made3_q.from_to.udp_source, RoceUdpPort, made3_q.udp_len, 16'd0,
      // BTH: solicited, MigReq, pad; P_Key; queue pair; ACK request, PSN.
      made3_q.is.opcode, made3_q.is.solicited, 1'b1, pad, 4'd0, 16'hFFFF, 8'd0, out.qpn,
      made3_q.is.ack_request, 7'd0, made3_q.is.psn,
      made3_q.is.cast ? {CastKey, 8'd0, made3_q.from_to.local_qpn} : {made3_q.is.aeth, 32'd0}};
  assign ethertype = out.v6 ? 16'h86DD : 16'h0800;
  assign network   = out.v6 ?
      {32'h6000_0000, made3_q.udp_len, 16'h1140, out.src, out.dst, transport} :
      {16'h4500, made3_q.udp_len + 16'd20, made3_q.is.ip_id, 16'h4000, 16'h4011,
       checksum3_q, out.src[31:0], out.dst[31:0], transport, {(V6Bits - V4Bits){1'b0}}};
  assign head      = {made3_q.from_to.peer_mac, made3_q.from_to.local_mac, with_tag ?
      {16'h8100, 4'd0, out.vlan, ethertype, network} :
      {ethertype, network, 32'd0}, {(HeadBits - 8 * 18 - V6Bits){1'b0}}};

  always_comb begin
    meta            = '0;
    meta.vlan       = with_tag;
    meta.v6         = out.v6;
    meta.hdr_len    = 7'd34 + (with_tag ? 7'd4 : 7'd0) + (out.v6 ? 7'd40 : 7'd20) +
        (made3_q.is.ack ? 7'd4 : made3_q.is.cast ? 7'(Deth) : 7'd0);
    // With its pad: zeros, as all behind a packet's payload.
    meta.tensor_len = made3_q.is.ack ? '0 :
        14'(made3_q.udp_len - (made3_q.is.cast ? UdpBthIcrc + Deth : UdpBthIcrc));
    meta.psn        = made3_q.is.psn;
  end

  always_ff @(posedge clk_i) begin
    if (!record_valid_q) begin
      for (int unsigned b = 0; b < HeadBits / 8; b++) record_q[8*b+:8] <= head[HeadBits-8-8*b+:8];
      meta_q <= meta;
    end
  end

  assign valid_o  = record_valid_q;
  assign record_o = {meta_q, record_q};

endmodule
