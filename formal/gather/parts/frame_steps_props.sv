// gather_frame around its memories, queues and the ICRC: what is looked up for a packet, which
// headers it gets, what each beat of its frame is, and its tag.
//
// What the tables of nodes, the queues of headers and tags and the ICRC make of it is left out of
// the circuit and free (`cuts` of the task). They have proofs of their own: prim_ram_1r1w,
// prim_fifo, roce_icrc_insert.
module frame_steps_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 16,
  parameter int unsigned NumPorts = 4,
  parameter int unsigned Pipe = 3,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic         clk_i,
  input logic         rst_ni,
  input node_write_t  node_i,
  input address_t     own_i,
  input logic         packet_valid_i,
  input closed_t      packet_i,
  input logic         data_valid_i,
  input packet_beat_t data_i,
  input logic         out_ready_i
);

  logic       packet_ready, data_ready, out_valid;
  beat_t      out;
  frame_tag_t out_tag;

  gather_frame #(
    .NumNodes(NumNodes),
    .NumPorts(NumPorts),
    .Pipe    (Pipe)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .node_i,
    .own_i,
    .packet_valid_i,
    .packet_ready_o(packet_ready),
    .packet_i,
    .data_valid_i,
    .data_ready_o  (data_ready),
    .data_i,
    .out_valid_o   (out_valid),
    .out_ready_i,
    .out_o         (out),
    .out_tag_o     (out_tag)
  );

  logic past_q;   // it was reset once
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= past_q || !rst_ni;

  frame_heads_watch #(
    .PortW(PortW)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .past_i        (past_q),
    .own_i,
    .packet_valid_i,
    .packet_ready_i(packet_ready),
    .packet_i,
    .take_i        (u_dut.u_addresses.re_i),
    .address_i     (u_dut.u_addresses.rdata_o),
    .read_port_i   (u_dut.gen_ports.u_read_ports.rdata_o),
    .response_port_i(u_dut.gen_ports.u_response_ports.rdata_o),
    .held_i        (u_dut.u_heads.count_o),
    .head_valid_i  (u_dut.u_heads.in_valid_i),
    .head_i        (u_dut.u_heads.in_i),
    .ip_len1_i     (u_dut.ip_len1_q),
    .alone1_i      (u_dut.alone1_q),
    .packet1_i     (u_dut.packet1_q),
    .packet2_i     (u_dut.packet2_q),
    .kept2_i       (u_dut.kept2_q),
    .ip_len2_i     (u_dut.ip_len2_q),
    .same_i        (u_dut.same_q),
    .partial_i     (u_dut.partial_q),
    .head3_i       (u_dut.head3_q),
    .sum3_i        (u_dut.sum_q),
    .stage_i       (u_dut.stage_q)
  );

  always_ff @(posedge clk_i) begin
    // The table of nodes is written by its own port, read for the packet that is taken, by its
    // destination.
    a_addresses : assert (u_dut.u_addresses.we_i == node_i.valid &&
                          u_dut.u_addresses.waddr_i == NodeW'(node_i.node) &&
                          u_dut.u_addresses.wdata_i == node_i.address &&
                          u_dut.u_addresses.raddr_i == NodeW'(packet_i.dest))
    else $error("addresses");
    // Ports are written for reads, and for responses in the middle pipe that this is.
    a_ports : assert (u_dut.gen_ports.u_read_ports.we_i == (node_i.reads ? node_i.valid : 1'b0) &&
                      u_dut.gen_ports.u_response_ports.we_i ==
                      (node_i.valid && ((node_i.pipes >> Pipe) & 16'd1) != '0))
    else $error("ports");
    // Both at the node, and both are read as its address is.
    a_both : assert ({u_dut.gen_ports.u_read_ports.waddr_i, u_dut.gen_ports.u_read_ports.wdata_i,
                      u_dut.gen_ports.u_read_ports.re_i, u_dut.gen_ports.u_read_ports.raddr_i} ==
                     {NodeW'(node_i.node), PortW'(node_i.out_port), u_dut.u_addresses.re_i,
                      u_dut.u_addresses.raddr_i} &&
                     {u_dut.gen_ports.u_response_ports.waddr_i,
                      u_dut.gen_ports.u_response_ports.wdata_i,
                      u_dut.gen_ports.u_response_ports.re_i,
                      u_dut.gen_ports.u_response_ports.raddr_i} ==
                     {NodeW'(node_i.node), PortW'(node_i.out_port), u_dut.u_addresses.re_i,
                      u_dut.u_addresses.raddr_i})
    else $error("ports");
  end

  // ---------------------------------------------------------------------------------------------
  // Beats. First the frame's headers, if there is room, then its packet's.

  typedef struct packed {
    closed_t          packet;
    address_t         address;
    logic [PortW-1:0] out_port;
    logic [8:0]       kept;
    logic [15:0]      ip_len;
    logic [15:0]      checksum;
  } head_t;

  head_t       head;
  logic        begins, goes, ends, some;
  logic        within_q, second_q;   // a frame has begun; its packet has not
  logic [23:0] frames_q;             // so many have begun since reset
  logic [11:0] left_q;               // bytes of the packet's PRs that are left
  logic [4:0]  room_q;
  logic        sound_q;              // the ICRC lets no more beats go than it was given
  assign head   = u_dut.u_heads.out_o;
  assign some   = room_q != '0;
  assign begins = u_dut.u_heads.out_valid_o && !within_q && some;
  assign goes   = within_q && some && data_valid_i;
  assign ends   = goes && data_i.last;

  // What the beat was made of that stands in front of the ICRC.
  logic         valid_q, first_q, last_q, was_second_q, made_q, known_q, left_known_q;
  logic [11:0]  was_left_q;
  logic [23:0]  was_frames_q;
  head_t        was_q;
  address_t     own_q;
  logic [511:0] data_q;
  initial {made_q, known_q, left_known_q} = '0;
  initial sound_q = 1'b0;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && (begins || goes);
    if (begins || goes) begin
      made_q <= past_q;
      known_q <= left_known_q;
      {first_q, last_q, was_second_q, was_left_q} <= {begins, ends, second_q, left_q};
      {was_frames_q, was_q, own_q, data_q} <= {frames_q, head, own_i, data_i.data};
    end
    if (begins) begin
      frames_q <= frames_q + 24'd1;
      left_q   <= head.packet.stop;
      left_known_q <= past_q;
      second_q <= 1'b1;
      within_q <= 1'b1;
    end
    if (goes) begin
      left_q   <= (left_q < 12'd64) ? '0 : left_q - 12'd64;
      second_q <= 1'b0;
    end
    if (ends) within_q <= 1'b0;
    if (u_dut.u_icrc.beat_pop_o && !begins && !goes) room_q <= room_q + 5'd1;
    if (!u_dut.u_icrc.beat_pop_o && (begins || goes)) room_q <= room_q - 5'd1;
    if (u_dut.u_icrc.beat_pop_o && room_q == 5'd16) sound_q <= 1'b0;
    if (!rst_ni) begin
      within_q <= 1'b0;
      frames_q <= '0;
      room_q   <= 5'd16;
      sound_q  <= 1'b1;
    end
    if (!past_q || !sound_q) {made_q, known_q, left_known_q} <= '0;
  end

  /// Byte `at` of a beat, and big-endian numbers that begin there.
  function automatic logic [7:0] b(logic [BeatBits-1:0] beat, int unsigned at);
    b = 8'(beat >> (8 * at));
  endfunction
  function automatic logic [15:0] b2(logic [BeatBits-1:0] beat, int unsigned at);
    b2 = {b(beat, at), b(beat, at + 1)};
  endfunction
  function automatic logic [31:0] b4(logic [BeatBits-1:0] beat, int unsigned at);
    b4 = {b2(beat, at), b2(beat, at + 2)};
  endfunction

  logic [511:0] beat;
  logic [1:0]   pad;    // bytes: behind it the packet ends two bytes behind a multiple of four
  logic [511:0] bytes;  // of a beat of the packet
  assign beat = u_dut.u_icrc.beat_data_i;
  assign pad  = (was_q.packet.stop % 12'd4 < 12'd2) ? 2'd2 : 2'd0;
  always_comb begin
    // Behind the PRs are zeros.
    bytes = data_q & ~('1 << (10'd8 * 10'(was_left_q)));
    if (was_left_q > 12'd63) bytes = data_q;
    // The rest of the concatenation header is in front of them, big-endian.
    if (was_second_q) begin
      for (int unsigned n = 0; n < 4; n++) begin
        bytes[8*n+:8] = 8'(was_q.packet.dest >> (8 * (3 - n)));
      end
      bytes[8*4+:16] = {was_q.packet.generation[7:0], was_q.packet.generation[15:8]};
      bytes[8*6+:16] = {was_q.packet.len[7:0], 5'd0, was_q.packet.len[10:8]};
      bytes[8*8+:32] = {was_q.packet.count, 24'd0};
    end
  end

  always_ff @(posedge clk_i) begin
    // What leaves is what the ICRC shows, with the tag that has waited longest, which goes with a
    // frame's last beat.
    a_out : assert (out_valid == u_dut.u_icrc.out_valid_o && out == u_dut.u_icrc.out_o &&
                    u_dut.u_icrc.out_ready_i == out_ready_i && out_tag == u_dut.u_tags.out_o &&
                    u_dut.u_tags.out_ready_i == (out.last ? out_valid && out_ready_i : 1'b0))
    else $error("out");
    // Frames are of IPv4 without a tag, and none is bad.
    a_kind : assert ({u_dut.u_icrc.beat_second_i, u_dut.u_icrc.beat_v6_i,
                      u_dut.u_icrc.beat_vlan_i, u_dut.u_icrc.beat_bad_i} == '0)
    else $error("another kind of frame");
    // All parts are reset together.
    a_reset : assert ({u_dut.u_heads.rst_ni, u_dut.u_icrc.rst_ni, u_dut.u_tags.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
    if (past_q && sound_q) begin
      // Beats of a packet are taken while its frame has begun, and there is room.
      a_takes : assert (data_ready == (within_q && some))
      else $error("ready %b", data_ready);
      // Headers go with the packet's last beat.
      a_pops : assert (u_dut.u_heads.out_ready_i == ends)
      else $error("headers go: %b", u_dut.u_heads.out_ready_i);
      // A frame has a tag from its first beat on: its class and port, its PRs, and what was kept.
      a_tag : assert (u_dut.u_tags.in_valid_i == begins && u_dut.u_tags.in_i == frame_tag_t'{
        response: head.packet.response,
        out_port: 6'(head.out_port),
        count: head.packet.count,
        kept: head.kept
      })
      else $error("a tag: %b", u_dut.u_tags.in_valid_i);
      // A beat that goes is in front of the ICRC a cycle later.
      a_beat : assert (u_dut.u_icrc.beat_valid_i == valid_q)
      else $error("a beat: %b", u_dut.u_icrc.beat_valid_i);
      if (made_q) begin
        // It is marked as its frame's first, or last.
        a_marks : assert (u_dut.u_icrc.beat_first_i == first_q &&
                          u_dut.u_icrc.beat_last_i == last_q)
        else $error("first %b, last %b", u_dut.u_icrc.beat_first_i, u_dut.u_icrc.beat_last_i);
        // The last one ends with the word in which its PRs and their pad end.
        a_end : assert (!known_q || u_dut.u_icrc.beat_end_i ==
                        4'((was_left_q + 12'(pad) - 12'd2) / 12'd4))
        else $error("ends in word %0d", u_dut.u_icrc.beat_end_i);
        // Ethernet: from the device to the node, IPv4.
        a_ethernet : assert (!first_q || ({b4(beat, 0), b2(beat, 4)} == was_q.address.mac &&
                             {b4(beat, 6), b2(beat, 10)} == own_q.mac && b2(beat, 12) == 16'h0800))
        else $error("Ethernet");
        // IPv4: no options, no fragment, 64 hops, UDP; from the device to the node.
        a_ip : assert (!first_q || (b2(beat, 14) == 16'h4500 && b2(beat, 16) == was_q.ip_len &&
                       b4(beat, 18) == 32'h00004000 && b(beat, 22) == 8'd64 &&
                       b(beat, 23) == 8'd17 && b2(beat, 24) == was_q.checksum &&
                       b4(beat, 26) == own_q.ip && b4(beat, 30) == was_q.address.ip))
        else $error("IP");
        // UDP: to RoCE's port, without a checksum; its length is IP's without IP's header.
        a_udp : assert (!first_q || (b2(beat, 34) == 16'hC000 && b2(beat, 36) == 16'd4791 &&
                        16'(b2(beat, 38) + 16'd20) == was_q.ip_len && b2(beat, 40) == '0))
        else $error("UDP");
        // BTH: UD SEND_ONLY with its pad, default partition, queue pair of gathers, no
        // acknowledgment, and a PSN that counts frames.
        a_bth : assert (!first_q || (b(beat, 42) == 8'h64 && b(beat, 43) == {2'd0, pad, 4'd0} &&
                        b2(beat, 44) == 16'hFFFF && b4(beat, 46) == {8'd0, 24'h004753} &&
                        b4(beat, 50) == {8'd0, was_frames_q}))
        else $error("BTH");
        // DETH, and the type.
        a_deth : assert (!first_q || (b4(beat, 54) == 32'h5745_4952 &&
                         b4(beat, 58) == {8'd0, 24'h004753} &&
                         b2(beat, 62) == (was_q.packet.response ? 16'd2 : 16'd1)))
        else $error("DETH");
        // Beats of the packet: the rest of the concatenation header is in front of its PRs, and
        // behind them are zeros.
        a_packet : assert (first_q || !known_q || beat == bytes)
        else $error("another beat: %h", beat);
      end
      // These help the proof.
      a_within : assert (u_dut.inside_q == within_q && u_dut.psn_q == frames_q &&
                         u_dut.room_q == room_q && u_dut.some_q == some && room_q <= 5'd16)
      else $error("within %b, %0d rooms", u_dut.inside_q, u_dut.room_q);
      a_left : assert (!(within_q || left_known_q) || (left_known_q && u_dut.left_q == left_q &&
                       u_dut.second_q == second_q))
      else $error("%0d left", u_dut.left_q);

      // A packet of two beats has left, and the next frame begins.
      c_two : cover (rst_ni && begins && frames_q == 24'd1 && last_q && known_q && !was_second_q);
      // Four beats are in front of the output.
      c_four : cover (rst_ni && within_q && room_q == 5'd12 && data_valid_i);
    end
  end

endmodule
