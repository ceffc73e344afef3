// Puts Ethernet, IPv4, UDP, BTH, DETH and concatenation header in front of closed packets, and the
// ICRC behind them.
//
// The destination's addresses and port come from a table of nodes: a hit in the property cache
// turns a PR around, so no header that came in can be used again. Every packet of a device is sent
// by the device itself; its PSN counts up and means nothing, as UD has no sequence.
//
// A frame is a first beat of headers and the packet's beats. The packet's storage already has room
// for what of the concatenation header falls into them.
//
// Who waits: packets and beats for frames to leave.
module gather_frame
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  /// Nodes of the network.
  parameter int unsigned NumNodes = 16,
  /// Ports that frames may leave at, 1 or more.
  parameter int unsigned NumPorts = 1,
  /// The middle pipe of a switch that this is in, 0 to 15: it has a table of its own for responses.
  parameter int unsigned Pipe = 0,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // A write to the table of nodes, one a cycle. Not while packets to that node are inside. Nodes
  // and ports have as many bits as the largest device needs.
  // verilator lint_off UNUSEDSIGNAL
  input node_write_t node_i,
  // verilator lint_on UNUSEDSIGNAL
  // The device's own addresses, the source of all frames.
  input address_t    own_i,

  // Closed packets, and their beats in the same order.
  input  logic         packet_valid_i,
  output logic         packet_ready_o,
  input  closed_t      packet_i,
  input  logic         data_valid_i,
  output logic         data_ready_o,
  input  packet_beat_t data_i,

  // Frames, each with its tag beside all its beats.
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output beat_t      out_o,
  output frame_tag_t out_tag_o
);

  /// Headers that are ready in front of their beats; more than the pipeline that makes them.
  localparam int unsigned Heads = 8;
  /// Beats between here and the output, as roce_icrc_insert has room for them.
  localparam int unsigned Beats = 16;
  localparam int unsigned RoomW = $clog2(Beats + 1);

  typedef struct packed {
    address_t         address;
    logic [PortW-1:0] out_port;
  } node_t;

  typedef struct packed {
    closed_t     packet;
    node_t       node;
    logic [8:0]  kept;
    logic [15:0] ip_len;
    logic [15:0] checksum;
  } head_t;

  // ---------------------------------------------------------------------------------------------
  // Where it goes, and the checksum of its IP header: look up | shown, length | add | fold.

  address_t                   address2;
  logic [PortW-1:0]           read_port2, response_port2;
  node_t                      node2;
  logic [4:1]                 stage_q;   // by stage
  logic                       take, heads_ready, head_valid, head_pop;
  closed_t                    packet1_q, packet2_q;
  logic [15:0]                ip_len1_q, ip_len2_q;
  logic [4:0]                 alone1_q;
  logic [8:0]                 kept2_q;
  // Of the checksum what is the same for all packets: version and length of header, don't fragment,
  // TTL 64 and UDP; the device's own address.
  logic [18:0]                same_q;
  logic [19:0]                partial_q, sum_q;
  head_t                      head3_q, head4_q, head;
  logic [$clog2(Heads+1)-1:0] heads_count;
  logic [16:0]                folded;

  assign packet_ready_o = 32'(heads_count) + 32'(stage_q[1]) + 32'(stage_q[2]) + 32'(stage_q[3]) +
      32'(stage_q[4]) < Heads;
  assign take           = packet_valid_i && packet_ready_o;

  prim_ram_1r1w #(
    .Width  ($bits(address_t)),
    .Depth  (2 ** NodeW),
    .Latency(2)
  ) u_addresses (
    .clk_i,
    .we_i   (node_i.valid),
    .waddr_i(node_i.node[NodeW-1:0]),
    .wdata_i(node_i.address),
    .re_i   (take),
    .raddr_i(packet_i.dest[NodeW-1:0]),
    .rdata_o(address2)
  );

  if (NumPorts > 1) begin : gen_ports
    prim_ram_1r1w #(
      .Width  (PortW),
      .Depth  (2 ** NodeW),
      .Latency(2)
    ) u_read_ports (
      .clk_i,
      .we_i   (node_i.valid && node_i.reads),
      .waddr_i(node_i.node[NodeW-1:0]),
      .wdata_i(node_i.out_port[PortW-1:0]),
      .re_i   (take),
      .raddr_i(packet_i.dest[NodeW-1:0]),
      .rdata_o(read_port2)
    );

    prim_ram_1r1w #(
      .Width  (PortW),
      .Depth  (2 ** NodeW),
      .Latency(2)
    ) u_response_ports (
      .clk_i,
      .we_i   (node_i.valid && node_i.pipes[Pipe]),
      .waddr_i(node_i.node[NodeW-1:0]),
      .wdata_i(node_i.out_port[PortW-1:0]),
      .re_i   (take),
      .raddr_i(packet_i.dest[NodeW-1:0]),
      .rdata_o(response_port2)
    );
  end else begin : gen_port
    assign read_port2     = '0;
    assign response_port2 = '0;
  end

  assign node2 = '{address: address2,
                   out_port: packet2_q.response ? response_port2 : read_port2};

  assign folded  = 17'(sum_q[15:0]) + 17'(sum_q[19:16]);

  always_ff @(posedge clk_i) begin
    stage_q <= {stage_q[3:1], take};
    same_q    <= 19'h4500 + 19'h4000 + 19'h4011 + 19'(own_i.ip[31:16]) + 19'(own_i.ip[15:0]);
    if (take) begin
      packet1_q <= packet_i;
      alone1_q  <= alone_beats(packet_i.response, packet_i.len);
      // With its pad a packet ends two bytes behind a multiple of four.
      ip_len1_q <= {4'd0, packet_i.stop[11:2], 2'b10} + 16'(AroundBytes - PrStart);
    end
    if (stage_q[1]) begin
      packet2_q <= packet1_q;
      kept2_q   <= kept_beats(packet1_q.count, alone1_q);
      ip_len2_q <= ip_len1_q;
      partial_q <= 20'(same_q) + 20'(ip_len1_q);
    end
    if (stage_q[2]) begin
      head3_q <= '{packet: packet2_q, node: node2, kept: kept2_q, ip_len: ip_len2_q,
                   checksum: '0};
      sum_q   <= partial_q + 20'(node2.address.ip[31:16]) + 20'(node2.address.ip[15:0]);
    end
    if (stage_q[3]) begin
      head4_q          <= head3_q;
      head4_q.checksum <= ~(folded[15:0] + 16'(folded[16]));
    end
    if (!rst_ni) stage_q <= '0;
  end

  prim_fifo #(
    .T    (head_t),
    .Depth(Heads)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .in_valid_i (stage_q[4]),
    .in_ready_o (heads_ready),
    .in_i       (head4_q),
    .out_valid_o(head_valid),
    .out_ready_i(head_pop),
    .out_o      (head),
    .count_o    (heads_count)
  );

  // ---------------------------------------------------------------------------------------------
  // Beats of the frame

  logic [23:0]         psn_q;
  logic                inside_q, second_q, step_head, step_data, pop;
  logic [RoomW-1:0]    room_q;
  logic                some_q;    // there is room
  logic [11:0]         left_q;    // bytes of the packet that are still to come
  logic [BeatBits-1:0] first_beat, data_beat;
  logic [11:0]         ends;

  assign step_head    = head_valid && !inside_q && some_q;
  assign data_ready_o = inside_q && some_q;
  assign step_data    = data_ready_o && data_valid_i;
  assign head_pop     = step_data && data_i.last;
  assign ends         = left_q + 12'(pad_bytes(head.packet.stop));

  /// Turns a number of 64 bytes into the bytes of a beat: byte 0 is the most significant one.
  function automatic logic [BeatBits-1:0] turned(logic [BeatBits-1:0] bytes);
    for (int unsigned b = 0; b < BeatBytes; b++) turned[8*b+:8] = bytes[8*(BeatBytes-1-b)+:8];
  endfunction

  assign first_beat = turned({
    head.node.address.mac, own_i.mac, 16'h0800,
    16'h4500, head.ip_len, 32'h0000_4000, 16'h4011, head.checksum, own_i.ip, head.node.address.ip,
    UdpSource, roce_pkg::RoceUdpPort, head.ip_len - 16'd20, 16'd0,
    OpUdSendOnly, 2'd0, pad_bytes(head.packet.stop), 4'd0, 16'hFFFF, 8'd0, Qpn, 8'd0, psn_q,
    QKey, 8'd0, Qpn,
    head.packet.response ? TypeResponse : TypeRead});

  always_comb begin
    // Behind the PRs: pad, and nothing. The storage has anything there.
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      data_beat[8*b+:8] = (12'(b) < left_q) ? data_i.data[8*b+:8] : 8'd0;
    end
    if (second_q) begin
      data_beat[0+:8*PrStart] = (8*PrStart)'(turned({head.packet.dest, head.packet.generation,
          5'd0, head.packet.len, 24'd0, head.packet.count, {(BeatBits - 8*PrStart){1'b0}}}));
    end
  end

  logic                valid_q, first_q, last_q;
  logic [3:0]          end_q;
  logic [BeatBits-1:0] beat_q;

  always_ff @(posedge clk_i) begin
    if (step_head) begin
      inside_q <= 1'b1;
      second_q <= 1'b1;
      left_q   <= head.packet.stop;
      psn_q    <= psn_q + 24'd1;
    end
    if (step_data) begin
      inside_q <= !data_i.last;
      second_q <= 1'b0;
      left_q   <= (left_q > 12'(BeatBytes)) ? left_q - 12'(BeatBytes) : '0;
    end
    valid_q <= step_head || step_data;
    if (step_head || step_data) begin
      first_q <= step_head;
      last_q  <= step_data && data_i.last;
      end_q   <= 4'((ends - 12'd2) >> 2);
      beat_q  <= step_head ? first_beat : data_beat;
    end
    room_q <= room_q + RoomW'(pop) - RoomW'(step_head || step_data);
    some_q <= pop || room_q > RoomW'(1) || (some_q && !(step_head || step_data));
    if (!rst_ni) begin
      inside_q <= 1'b0;
      valid_q  <= 1'b0;
      psn_q    <= '0;
      room_q   <= RoomW'(Beats);
      some_q   <= 1'b1;
    end
  end

  logic out_first, bad_unused;

  roce_icrc_insert #(
    .Beats(Beats)
  ) u_icrc (
    .clk_i,
    .rst_ni,
    .beat_valid_i (valid_q),
    .beat_first_i (first_q),
    .beat_second_i(1'b0),
    .beat_last_i  (last_q),
    .beat_end_i   (end_q),
    .beat_v6_i    (1'b0),
    .beat_vlan_i  (1'b0),
    .beat_data_i  (beat_q),
    .beat_bad_i   (1'b0),
    .beat_pop_o   (pop),
    .out_valid_o,
    .out_ready_i,
    .out_first_o  (out_first),
    .out_bad_o    (bad_unused),
    .out_o
  );

  // Tags of the frames between here and the output; a frame has two beats or more.
  logic       tags_ready, tags_valid;
  frame_tag_t tag;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Beats+1)-1:0] tags_count;
  // verilator lint_on UNUSEDSIGNAL

  assign tag = '{response: head.packet.response, out_port: 6'(head.node.out_port),
                 count: head.packet.count, kept: head.kept};

  prim_fifo #(
    .T    (frame_tag_t),
    .Depth(Beats)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .in_valid_i (step_head),
    .in_ready_o (tags_ready),
    .in_i       (tag),
    .out_valid_o(tags_valid),
    .out_ready_i(out_valid_o && out_ready_i && out_o.last),
    .out_o      (out_tag_o),
    .count_o    (tags_count)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Headers and tags find room; else later frames would go to the wrong nodes.
      a_heads : assert (!stage_q[4] || heads_ready)
      else $error("%m: no room for headers");
      a_tags : assert ((!step_head || tags_ready) && (!out_valid_o || tags_valid))
      else $error("%m: a frame without a tag");
      // A packet has the beats that its length calls for.
      a_beats : assert (!step_data || data_i.last == (ends <= 12'(BeatBytes)))
      else $error("%m: %0d bytes are left, and last is %0b", ends, data_i.last);
      // A frame begins with its first beat.
      a_first : assert (!out_valid_o || !out_first || !out_o.last)
      else $error("%m: a frame of one beat");
    end
  end

endmodule
