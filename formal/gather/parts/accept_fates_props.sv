// gather_accept around its queues: the fate of every frame, said of its first two beats and its
// bytes, what is handed on of it, and when beats and verdicts go. What waits in the queues is
// anything. (That beats stay with their packet is gather_accept's proof.)
module accept_fates_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 20,
  parameter int unsigned FifoBeats = 32
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        own_only_i,
  input logic [31:0] own_node_i,
  input logic        cacheable_i,
  input logic        beat_valid_i,
  input beat_t       beat_i,
  input logic        data_ready_i
);

  logic         ready, packet_valid, data_valid, fate_valid;
  packet_t      packet;
  packet_beat_t data;
  gather_fate_e fate;

  gather_accept #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(1536),
    .FifoBeats    (FifoBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .own_only_i,
    .own_node_i,
    .cacheable_i,
    .beat_valid_i,
    .beat_ready_o  (ready),
    .beat_i,
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_valid_o  (data_valid),
    .data_ready_i,
    .data_o        (data),
    .fate_valid_o  (fate_valid),
    .fate_o        (fate)
  );

  // ---------------------------------------------------------------------------------------------
  // The frame that comes in: its first beat, its second one, its beats so far (255 are as many as
  // are counted), and its bytes.

  logic                started_q, take, start;
  logic [BeatBits-1:0] one_q, two_q;
  logic [7:0]          beats_q;
  logic                middle_q;         // it has begun and not ended
  logic                ended_q, late_q;  // one has ended in the cycle before, and in the one before
  logic [15:0]         bytes_q;
  logic [18:0]         product_q;

  assign take  = beat_valid_i && ready;
  assign start = !middle_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: it begins in the middle of a frame.
    e_reset : assume (started_q || !rst_ni);
    if (take) begin
      middle_q <= !beat_i.last;
      if (start) one_q <= beat_i.data;
      if (!start && beats_q == 8'd1) two_q <= beat_i.data;
      if (start) beats_q <= 8'd1;
      else if (beats_q != 8'd255) beats_q <= beats_q + 8'd1;
      bytes_q <= start ? 16'(beat_i.bytes) : 16'(beats_q) * 16'd64 + 16'(beat_i.bytes);
    end
    ended_q   <= rst_ni && take && beat_i.last;
    late_q    <= rst_ni && ended_q;
    if (!rst_ni) middle_q <= 1'b0;
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

  // ---------------------------------------------------------------------------------------------
  // Its fate, in the cycle behind its last beat. One beat holds nothing but headers.

  logic         gather, single, lengths, here;
  logic [15:0]  ip, udp, kind, len;
  logic [31:0]  dest, count;
  logic [1:0]   pad;
  gather_fate_e now;

  assign ip     = b2(one_q, 16);
  assign udp    = b2(one_q, 38);
  assign kind   = b2(one_q, 62);
  assign pad    = 2'(b(one_q, 43) >> 4);
  assign dest   = b4(two_q, 0);
  assign len    = b2(two_q, 6);
  assign count  = b4(two_q, 8);
  assign single = beats_q == 8'd1;
  assign here   = dest < NumNodes && (!own_only_i || dest == own_node_i);

  always_comb begin
    gather = 1'b1;
    if (b2(one_q, 12) != 16'h0800 || b(one_q, 14) != 8'h45) gather = 1'b0;   // IPv4, no options
    if (b(one_q, 20) % 8'h40 != 8'd0 || b(one_q, 21) != 8'd0) gather = 1'b0;   // a fragment
    if (b(one_q, 23) != 8'd17 || b2(one_q, 36) != 16'd4791) gather = 1'b0;   // UDP, RoCE's port
    if (b(one_q, 42) != 8'h64 || b(one_q, 43) % 8'd16 != 8'd0) gather = 1'b0;   // UD SEND_ONLY
    // Properties of an even number of bytes, 2 to 1024; 1 to 127 PRs; an IP length that is a
    // multiple of four, which UDP's agrees with, and no longer than the frame.
    lengths = 1'b1;
    if (len == 16'd0 || len > 16'd1024 || len[0]) lengths = 1'b0;
    if (count == 32'd0 || count > 32'd127) lengths = 1'b0;
    if (ip < 16'd66 || ip % 16'd4 != 16'd0 || udp != ip - 16'd20) lengths = 1'b0;
    if (32'(bytes_q) < 32'(ip) + 32'd14) lengths = 1'b0;
  end

  // What is known of it a cycle later: all but whether its PRs fill it, which is known then.
  logic         gather_q, single_q, kind_q, response_q, lengths_q, here_q, fills, cacheable_q;
  logic         known_q;   // it has a second beat
  logic [15:0]  left_q, generation_q;
  logic [31:0]  dest_q;
  logic [10:0]  len_q;
  logic [6:0]   count_q;
  assign fills = 32'(product_q) == 32'(left_q);
  always_ff @(posedge clk_i) begin
    if (ended_q) begin
      gather_q     <= gather;
      single_q     <= single;
      kind_q       <= kind == 16'd1 || kind == 16'd2;
      response_q   <= kind == 16'd2;
      cacheable_q  <= kind == 16'd2 && cacheable_i;
      lengths_q    <= lengths;
      here_q       <= here;
      left_q       <= ip - 16'd66 - 16'(pad);
      generation_q <= b2(two_q, 4);
      dest_q       <= dest;
      len_q        <= len[10:0];
      count_q      <= count[6:0];
      product_q    <= 19'(u_dut.count_q[6:0]) * 19'(u_dut.each_q);
      known_q      <= !single;
    end
    if (!rst_ni) known_q <= 1'b0;
  end
  always_comb begin
    // What comes last counts most.
    now = GatherTaken;
    if (!here_q) now = GatherBadDest;
    if (!lengths_q || !fills) now = GatherBadLength;
    if (!kind_q) now = GatherBadType;
    if (single_q) now = GatherBadLength;
    if (!gather_q) now = GatherForeign;
  end

  logic         told_q, room_q;
  gather_fate_e told_fate_q;
  packet_t      verdict_packet;
  logic         verdict_good, verdict_empty, head_good, head_empty;
  packet_t      head_packet;
  assign {verdict_good, verdict_empty, verdict_packet} = u_dut.u_verdicts.in_i;
  assign {head_good, head_empty, head_packet}          = u_dut.u_verdicts.out_o;
  always_ff @(posedge clk_i) begin
    told_q      <= rst_ni && late_q;
    told_fate_q <= now;
    room_q      <= rst_ni && 32'(u_dut.u_verdicts.count_o) <= 27 &&
        32'(u_dut.u_data.count_o) <= FifoBeats - 2;
  end

  logic waits, pops, goes, next;
  assign waits = u_dut.u_data.out_valid_o;
  assign pops  = u_dut.u_data.out_ready_i;

  always_comb begin
    goes = 1'b0;
    next = 1'b0;
    if (u_dut.u_verdicts.out_valid_o) begin
      if (waits) goes = head_good ? data_ready_i : 1'b1;
      if (head_empty) goes = 1'b0;
      next = data.last ? goes : 1'b0;
      if (head_empty) next = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // Both queues are reset.
    a_reset : assert (u_dut.u_data.rst_ni == rst_ni && u_dut.u_verdicts.rst_ni == rst_ni)
    else $error("reset");
    // What is handed on is the first of the verdicts that wait, if it is of a good frame, beside
    // the first of the beats that wait.
    a_packet : assert (packet_valid == (u_dut.u_verdicts.out_valid_o && head_good) &&
                       packet == head_packet && data == u_dut.u_data.out_o &&
                       data_valid == (packet_valid && waits))
    else $error("a packet is handed on: %b", packet_valid);
    // Beats of a good frame go when they are taken, those of a bad one at once; one that has none
    // takes none. A verdict goes with its frame's last beat, or alone if it has none.
    a_goes : assert (pops == goes && (!u_dut.u_verdicts.out_valid_o ||
                                      u_dut.u_verdicts.out_ready_i == next))
    else $error("a beat goes: %b, a verdict %b", pops, u_dut.u_verdicts.out_ready_i);
    if (rst_ni) begin
      // Beats from the second one on wait, each as it came.
      a_stored : assert (u_dut.u_data.in_valid_i == (take && middle_q) &&
                         u_dut.u_data.in_i == {beat_i.last, beat_i.data})
      else $error("a beat waits: %b", u_dut.u_data.in_valid_i);
      // Beats are taken while a cycle ago there was room for one more, and for five verdicts.
      a_room : assert (!started_q || ready == room_q)
      else $error("ready %b", ready);
      // Two cycles behind its last beat a frame has its verdict: it is good if its fate is to be
      // taken, and has no beats if it was a single one.
      a_verdict : assert (u_dut.u_verdicts.in_valid_i == late_q && (!late_q ||
                          (verdict_good == (now == GatherTaken) && verdict_empty == single_q)))
      else $error("good %b", verdict_good);
      // What its PRs have in common is what its second beat says, to the end of the next frame.
      a_common : assert (!known_q || verdict_packet == packet_t'{
        response: response_q, cacheable: cacheable_q, dest: dest_q, generation: generation_q,
        len: len_q, count: 8'(count_q)
      })
      else $error("another packet, for %0d", verdict_packet.dest);
      // Its fate is told a cycle later.
      a_fate : assert (fate_valid == told_q && (!told_q || fate == told_fate_q))
      else $error("fate %0d, not %0d", fate, told_fate_q);
      // These help the proof.
      a_first : assert (u_dut.first_q == !middle_q && u_dut.ended_q == ended_q &&
                        u_dut.ended2_q == late_q && (!ended_q || !middle_q) &&
                        (!(middle_q || ended_q) || (u_dut.index_q == beats_q && beats_q != '0 &&
                         u_dut.headers_q == gather && u_dut.ip_len_q == ip && u_dut.pad_q == pad &&
                         u_dut.udp_len_q == udp && u_dut.type_q == kind)))
      else $error("another first beat");
      a_second : assert (!(middle_q || ended_q) || single ||
                         (u_dut.dest_q == dest && u_dut.len_q == len && u_dut.count_q == count &&
                          u_dut.generation_q == b2(two_q, 4) && 32'(u_dut.each_q) == 18 +
                          ((kind == 16'd2) ? 32'(len % 16'h0800) : 32'd0)))
      else $error("another second beat");
      a_ended : assert (!ended_q || (u_dut.bytes_q == bytes_q && u_dut.single_q == single &&
                        (single || (u_dut.udp_said_q == ip - 16'd20 &&
                                    32'(u_dut.frame_said_q) == 32'(ip) + 14))))
      else $error("%0d bytes", u_dut.bytes_q);
      a_sums : assert (!late_q || (u_dut.said_q == left_q && u_dut.prs_q == product_q))
      else $error("%0d bytes of PRs", u_dut.prs_q);
      a_late : assert (!late_q || (u_dut.around_q == lengths_q || single_q))
      else $error("lengths");
      a_early : assert (!late_q || u_dut.early_q == (!gather_q ? GatherForeign :
                        single_q ? GatherBadLength : !kind_q ? GatherBadType :
                        !here_q ? GatherBadDest : GatherTaken))
      else $error("fate %0d", u_dut.early_q);
      a_kept : assert (!known_q || u_dut.verdict2_q.packet == packet_t'{
        response: response_q, cacheable: cacheable_q, dest: dest_q, generation: generation_q,
        len: len_q, count: 8'(count_q)
      })
      else $error("another packet");

      // A response is taken.
      c_taken : cover (late_q && now == GatherTaken && response_q && len_q == 11'd2);
    end
  end

endmodule
