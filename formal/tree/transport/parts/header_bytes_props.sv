// rc_header: each frame's headers, byte by byte as they stand on the wire (docs/wire.md), in the
// order in which frames came, for any frames and whatever is set of their connections. One frame is
// followed; what holds for any one holds for all.
module header_bytes_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 2,
  localparam int unsigned ConnW = 1
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input rc_conn_cfg_t [NumConns-1:0] cfg_i,
  input logic [15:0]                 cast_group_i,
  input logic                        in_valid_i,
  input logic [ConnW-1:0]            in_conn_i,
  input rc_frame_t                   in_i,
  input logic                        done_i,
  input logic                        watch_i   // this is the frame
);

  localparam int unsigned HeadBytesMost = 114;

  logic          in_ready, valid;
  logic [1023:0] record;

  rc_header #(
    .NumConns(NumConns)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .cfg_i,
    .cast_group_i,
    .in_valid_i,
    .in_ready_o(in_ready),
    .in_conn_i,
    .in_i,
    .valid_o   (valid),
    .record_o  (record),
    .done_i
  );

  typedef logic [HeadBytesMost-1:0][7:0] bytes_t;

  // ---------------------------------------------------------------------------------------------
  // What a frame is at each step.
  typedef struct packed {
    rc_frame_t   is;
    logic [47:0] from_mac, to_mac;
    conn_key_t   to;
    logic [15:0] udp_source;
    logic [23:0] queue;
    logic [15:0] udp_len;
  } made_t;
  made_t one;

  // The frame that is followed: what it is, and whom it is from and to.

  logic                 begun_q, takes, watched_q;
  rc_frame_t            is_q;
  logic [47:0]          from_mac_q, to_mac_q;
  conn_key_t            to_q;          // where it goes; `src` is this end
  logic [15:0]          udp_source_q;
  logic [23:0]          queue_q;       // of this end
  logic [2:0]           place_q;       // 1 to 3: its step; 4: it is the record
  logic [2:0]           inside_q;      // frames
  logic [2:0]           front_q;       // frames in front of it
  logic                 came_q, came2_q;
  logic                 takes_it;
  // Its UDP length; and of its IPv4 header the sum of all words, step by step: of those that are
  // the same for all frames that go this way, of all, and with the carries added, the checksum.
  logic [15:0]          udp_len_q, checksum_q;
  logic [18:0]          same_q;
  logic [19:0]          sum_q;
  logic [16:0]          carried;
  // Sums are of what is in the step before, which a_kept says is right.
  assign one      = u_dut.made1_q;
  assign carried  = 17'(u_dut.sum_q[15:0]) + 17'(u_dut.sum_q[19:16]);
  assign takes    = in_valid_i && in_ready && rst_ni;
  assign takes_it = takes && watch_i && !watched_q;

  initial {begun_q, watched_q, place_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    came_q   <= takes;
    came2_q  <= came_q;
    inside_q <= inside_q + 3'(takes) - 3'(valid && done_i);
    if (front_q != '0) front_q <= front_q - 3'(valid && done_i);
    unique case (place_q)
      3'd1: begin
        if (u_dut.ready2) begin
          place_q <= 3'd2;
          sum_q   <= 20'(u_dut.same_q) + 20'(one.udp_len) + 20'(one.is.ip_id) +
              20'(one.to.dst[31:16]) + 20'(one.to.dst[15:0]);
        end
      end
      3'd2: begin
        if (u_dut.ready3) begin
          place_q    <= 3'd3;
          checksum_q <= ~(carried[15:0] + 16'(carried[16]));
        end
      end
      3'd3: if (!valid) place_q <= 3'd4;
      3'd4: if (done_i) place_q <= 3'd0;
      default: ;
    endcase
    if (takes_it) begin
      watched_q    <= 1'b1;
      place_q      <= 3'd1;
      front_q      <= inside_q - 3'(valid && done_i);
      is_q         <= in_i;
      from_mac_q   <= cfg_i[in_conn_i].local_mac;
      to_mac_q     <= cfg_i[in_conn_i].peer_mac;
      to_q         <= cfg_i[in_conn_i].out;
      udp_source_q <= cfg_i[in_conn_i].udp_source;
      queue_q      <= cfg_i[in_conn_i].in.qpn;
      // UDP and BTH, what is behind them, and the ICRC; and payload with its pad.
      udp_len_q    <= (in_i.ack ? 16'd28 : in_i.cast ? 16'd32 : 16'd24) +
          (in_i.ack ? 16'd0 : (16'(in_i.len) + 16'd3) & 16'hFFFC);
      same_q       <= 19'h4500 + 19'h4000 + 19'h4011 + 19'd20 +
          19'(cfg_i[in_conn_i].out.src[31:16]) + 19'(cfg_i[in_conn_i].out.src[15:0]);
      // A multicast is to all of its group.
      if (in_i.cast) begin
        to_q.qpn <= 24'hFF_FFFF;
        if (cfg_i[in_conn_i].out.v6) begin
          to_q.dst <= {16'hFF15, 80'd0, 16'h5765, cast_group_i};
          to_mac_q <= {32'h3333_5765, cast_group_i};
        end else begin
          to_q.dst <= {96'd0, 16'hEF57, cast_group_i};
          to_mac_q <= {32'h0100_5E57, cast_group_i};
        end
      end
    end
    if (!rst_ni) begin
      inside_q <= '0;
      place_q  <= '0;
      came_q   <= 1'b0;
      came2_q  <= 1'b0;
    end
  end

  made_t made;
  assign made = {is_q, from_mac_q, to_mac_q, to_q, udp_source_q, queue_q, udp_len_q};

  // ---------------------------------------------------------------------------------------------
  // Its headers, of what it is in the third step (a_kept: what it was when it came).

  logic        sound, tag;
  bytes_t      header, header_q, shown;
  hdr_meta_t   meta, meta_q, says;
  logic [15:0] payload;
  logic [6:0]  behind;
  made_t       m;
  assign m             = u_dut.made3_q;
  assign {says, shown} = record;

  // No frame is an ACK packet and a multicast; and none is longer than a packet can be.
  assign sound = !(is_q.ack && is_q.cast) && is_q.len <= 13'd4096;
  always_comb begin
    tag     = m.to.vlan != '0;
    payload = m.is.ack ? 16'd0 : (16'(m.is.len) + 16'd3) & 16'hFFFC;
    behind  = 7'd14 + (tag ? 7'd4 : 7'd0) + (m.to.v6 ? 7'd40 : 7'd20) + 7'd8 + 7'd12 +
        (m.is.ack ? 7'd4 : m.is.cast ? 7'd8 : 7'd0);
    meta            = '0;
    meta.vlan       = tag;
    meta.v6         = m.to.v6;
    meta.hdr_len    = behind;
    meta.tensor_len = 14'(payload);
    meta.psn        = m.is.psn;
  end
  always_ff @(posedge clk_i) if (!valid) {header_q, meta_q} <= {header, meta};

  // Each layer, first byte on top; behind UDP at most BTH and eight bytes.
  logic [8*12-1:0] macs;
  logic [8*20-1:0] ip4;
  logic [8*40-1:0] ip6;
  logic [8*28-1:0] transport;
  assign macs = {m.to_mac, m.from_mac};
  // Don't fragment; 64 hops, UDP.
  assign ip4  = {16'h4500, m.udp_len + 16'd20, m.is.ip_id, 16'h4000, 8'd64, 8'd17,
                 u_dut.checksum3_q, m.to.src[31:0], m.to.dst[31:0]};
  assign ip6  = {32'h6000_0000, m.udp_len, 8'd17, 8'd64, m.to.src, m.to.dst};
  assign transport = {m.udp_source, 16'd4791, m.udp_len, 16'd0,
                      m.is.opcode, m.is.solicited, 1'b1, m.is.ack ? 2'd0 : 2'd0 - m.is.len[1:0],
                      4'd0, 16'hFFFF, 8'd0, m.to.qpn,
                      m.is.ack_request, 7'd0, m.is.psn,
                      m.is.ack ? {m.is.aeth, 32'd0} :
                      m.is.cast ? {32'h5765_6972, 8'd0, m.queue} : 64'd0};

  // The four shapes of a header, byte 0 on top.
  logic [8*HeadBytesMost-1:0] plain4, plain6, tagged4, tagged6, wire_;
  logic [31:0]                vlan;
  assign vlan    = {16'h8100, 4'd0, m.to.vlan};
  assign plain4  = {macs, 16'h0800, ip4, transport, 416'd0};
  assign plain6  = {macs, 16'h86DD, ip6, transport, 256'd0};
  assign tagged4 = {macs, vlan, 16'h0800, ip4, transport, 384'd0};
  assign tagged6 = {macs, vlan, 16'h86DD, ip6, transport, 224'd0};
  assign wire_   = tag ? (m.to.v6 ? tagged6 : tagged4) : (m.to.v6 ? plain6 : plain4);
  always_comb begin
    for (int unsigned b = 0; b < HeadBytesMost; b++) header[b] = wire_[8*(HeadBytesMost-1-b)+:8];
  end

  // Frames in the steps; how many of some.
  logic [3:0] there;
  assign there = {valid, u_dut.valid3_q, u_dut.valid2_q, u_dut.valid1_q};
  function automatic logic [2:0] steps(logic [3:0] of);
    steps = '0;
    for (int unsigned s = 0; s < 4; s++) steps += 3'(there[s] && of[s]);
  endfunction

  // A cycle ago; `old`: frames that came two cycles before that or more, but the record.
  typedef struct packed {
    logic       there, valid, done;
    logic [2:0] old;
  } was_t;
  was_t was_q;
  logic front2_q;   // it had another one in front
  initial was_q = '0;
  always_ff @(posedge clk_i) begin
    was_q <= '{there: rst_ni && begun_q, valid: valid, done: done_i,
               old: inside_q - 3'(came_q) - 3'(came2_q) - 3'(valid)};
    if (takes_it) front2_q <= inside_q != '0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // Four frames have room.
      a_ready : assert (in_ready == (inside_q < 3'd4))
      else $error("%0d frames inside", inside_q);
      // A record is there in the fourth cycle behind its frame, and one cycle behind the one before
      // at the earliest.
      a_soon : assert (!was_q.there || valid == (was_q.valid ? !was_q.done : was_q.old != '0))
      else $error("valid %b", valid);
      // The frame that is followed is the record once those in front of it are done.
      a_order : assert (place_q == '0 || ((place_q == 3'd4) == (valid && front_q == '0)))
      else $error("%0d frames are in front of it", front_q);
      // Its header is what stands on the wire, and zeros behind that.
      a_header : assert (place_q != 3'd4 || !sound || (!is_q.ack && is_q.aeth != '0) ||
                         shown == header_q)
      else $error("%h", shown);
      // A UDP length counts UDP's header and BTH, what is behind them, the payload with its pad,
      // and the ICRC.
      a_length : assert (place_q == '0 || !sound || udp_len_q == 16'd8 + 16'd12 + 16'd4 +
                         (is_q.ack ? 16'd4 : is_q.cast ? 16'd8 : 16'd0) +
                         (is_q.ack ? 16'd0 : {3'd0, is_q.len + 13'd3} & 16'hFFFC))
      else $error("UDP length %0d", udp_len_q);
      // How long it is, and how long its payload with the pad.
      a_meta : assert (place_q != 3'd4 || !sound || says == meta_q)
      else $error("header of %0d bytes", says.hdr_len);
      // Nothing of it is lost on the way (helps the proof).
      a_kept : assert (!sound ||
          ((place_q != 3'd1 || (u_dut.made1_q == made && u_dut.same_q == same_q)) &&
           (place_q != 3'd2 || (u_dut.made2_q == made && u_dut.sum_q == sum_q)) &&
           (place_q != 3'd3 || (u_dut.made3_q == made && u_dut.checksum3_q == checksum_q))))
      else $error("lost in step %0d", place_q);
      a_steps : assert ((!u_dut.valid1_q || u_dut.valid2_q || came_q) &&
          (!u_dut.valid1_q || u_dut.valid3_q || came_q) &&
          (!u_dut.valid2_q || u_dut.valid3_q || came2_q) && (!came_q || u_dut.valid1_q) &&
          (!came2_q || u_dut.valid2_q))
      else $error("steps %b", there);
      a_count : assert (inside_q == steps(4'b1111) && (place_q == '0 ||
          (there[place_q-3'd1] && front_q == steps(4'b1110 << (place_q - 3'd1)))) &&
          place_q <= 3'd4)
      else $error("%0d frames inside", inside_q);

      // A multicast in IPv6 with a tag, behind another frame; and an ACK packet in IPv4.
      c_cast : cover (place_q == 3'd4 && is_q.cast && to_q.v6 && says.vlan && sound && front2_q);
      c_ack : cover (place_q == 3'd4 && is_q.ack && !to_q.v6 && sound && inside_q == 3'd4);
    end
  end

endmodule
