// gather_accept: what is handed on is a packet whose fields are in range, which holds the PRs that
// it says, and which stands beside all of its beats. What packets are split by, and what is kept
// for them, rests on that. Bytes are not looked at (`data_o` is cut): a beat is the last one when
// it likes.
module gather_accept_props
  import gather_pkg::*;
  import roce_pkg::beat_t;
#(
  /// Most bytes of an IP packet; frames are 36 bytes longer at most (gather_cfg_pkg).
  parameter int unsigned Mtu = 1108
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

  localparam int unsigned NumNodes = 2;
  localparam int unsigned MaxFrameBytes = Mtu + 36;
  /// Of a frame that are no PRs: Ethernet's header, and what is around them in the packet.
  localparam int unsigned Around = 14 + AroundBytes;
  /// Beats that are kept for the longest packet, as gather_cfg_pkg has it.
  localparam int unsigned Most = (MaxFrameBytes - Around >= 127 * PrBytes) ? 2 * 127 :
      2 * ((MaxFrameBytes - Around) / PrBytes);

  logic         started_q, ready, packet_valid, data_valid, fits;
  packet_t      packet, packet_q, said;
  packet_beat_t data;

  gather_accept #(
    .NumNodes     (NumNodes),
    .MaxFrameBytes(MaxFrameBytes),
    .FifoBeats    (64)
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
    .fate_valid_o  (),
    .fate_o        ()
  );

  // Beats of the frame in front of this one.
  logic       between_q, second_q;   // its second beat has come
  logic [7:0] index_q;
  assign fits = {1'b0, between_q ? 8'd0 : index_q, 6'd0} + 15'(beat_i.bytes) <= 15'(MaxFrameBytes);

  logic begun_q;   // a packet is shown, and its last beat was not taken
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: verdicts are there of no frame.
    e_reset : assume (started_q || !rst_ni);
    // A frame is no longer than the longest one (roce_ingress drops such). Dropped: more is kept
    // for a packet than for the longest one.
    e_fits : assume (!beat_valid_i || !beat_i.last || fits);
    if (beat_valid_i && ready) begin
      between_q <= beat_i.last;
      index_q   <= between_q ? 8'd1 : index_q + 8'(index_q != '1);
      second_q  <= !between_q;
    end
    packet_q <= packet;
    begun_q  <= rst_ni && packet_valid && !(data_valid && data_ready_i && data.last);
    if (!rst_ni) begin
      between_q <= 1'b1;
      second_q  <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is known while a verdict is being found. These help the proof.

  logic [11:0] each;       // bytes of a PR of the packet
  logic [31:0] bytes, kept;
  logic        whole;
  logic [31:0] inside_of;
  logic [5:0]  coming;     // verdicts that are in the queue or on their way there

  assign said  = u_dut.verdict.packet;
  assign each  = 12'(carried(said.response, said.len)) + 12'(PrBytes);
  assign bytes = 32'(said.count) * 32'(each);
  assign kept  = 32'(said.count) * 32'(alone_beats(said.response, said.len));

  assign coming = u_dut.verdict_count + 6'(u_dut.ended_q) + 6'(u_dut.ended2_q);

  always_comb begin
    whole     = 1'b1;
    inside_of = '0;
    for (int unsigned i = 0; i < 32; i++) begin
      inside_of[i] = {1'b0, 5'(5'(i) - u_dut.u_verdicts.read_q)} < u_dut.u_verdicts.count_q;
      // A good verdict is of a frame with beats.
      if (inside_of[i] && u_dut.u_verdicts.mem_q[i][70]) begin
        whole = whole && !u_dut.u_verdicts.mem_q[i][69];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet that is handed on has PRs, and no more of them than a receiver counts.
      a_some : assert (!(u_dut.ended2_q && u_dut.verdict.good) ||
                       (said.count != '0 && said.count <= 8'd127))
      else $error("a packet of %0d PRs", said.count);
      // Its properties are no longer than the longest one, and its destination is a node.
      a_range : assert (!(u_dut.ended2_q && u_dut.verdict.good) ||
                        (said.len != '0 && 32'(said.len) <= MaxLen && !said.len[0] &&
                         said.dest < NumNodes))
      else $error("properties of %0d bytes for node %0d", said.len, said.dest);
      // What is kept for its PRs, each as if it left alone, is no more than for the longest packet.
      a_kept : assert (!(u_dut.ended2_q && u_dut.verdict.good) || kept <= Most)
      else $error("%0d beats are kept for %0d PRs", kept, said.count);
      // A packet stands beside all of its beats.
      a_stays : assert (!begun_q || (packet_valid && packet == packet_q))
      else $error("another packet in front of the last beat of one");
      // The PRs of a packet take the bytes that its lengths leave for them.
      a_bytes : assert (!u_dut.ended2_q || u_dut.verdict2_q.empty || 32'(u_dut.prs_q) == bytes)
      else $error("%0d bytes of PRs, not %0d", u_dut.prs_q, bytes);
      // The frame holds as many (a length less than nothing is a large one).
      a_said : assert (!u_dut.ended2_q || u_dut.verdict2_q.empty || !u_dut.around_q ||
                       32'(u_dut.said_q) <= MaxFrameBytes - Around || u_dut.said_q >= 16'hFFFD)
      else $error("%0d bytes for PRs", u_dut.said_q);
      // What is known as beats pass by is of their frame.
      a_fields : assert (u_dut.first_q == between_q &&
                         (u_dut.first_q || u_dut.index_q == index_q) &&
                         (!u_dut.ended_q || (u_dut.first_q && u_dut.single_q == !second_q)) &&
                         (!u_dut.ended_q || 32'(u_dut.bytes_q) <= MaxFrameBytes) &&
                         (between_q || (index_q != '0 && second_q == (index_q != 8'd1))) &&
                         (!second_q || (u_dut.frame_said_q == 17'(u_dut.ip_len_q) + 17'd14 &&
                                        u_dut.each_q == 12'(PrBytes) + (u_dut.response ?
                                        12'(u_dut.len_q[10:0]) : 12'd0))))
      else $error("fields of another frame");
      // A verdict finds room, and a good one is of a frame with beats.
      a_verdicts : assert (whole && coming <= 6'd31 && (!ready || coming <= 6'd30) &&
                           u_dut.u_verdicts.write_q == 5'(u_dut.u_verdicts.read_q +
                                                          u_dut.u_verdicts.count_q[4:0]) &&
                           (!u_dut.ended2_q || !u_dut.verdict.good || !u_dut.verdict.empty))
      else $error("a packet without beats");
      // A packet of two PRs, and one that leaves behind another one.
      c_two : cover (u_dut.ended2_q && u_dut.verdict.good && said.count == 8'd2);
      c_leaves : cover (packet_valid && packet != packet_q && data_valid && data_ready_i);
    end
  end

endmodule
