// Reads the headers of gather packets and hands on those that are well-formed, without the beat
// that holds nothing but headers.
//
// Beats wait in a FIFO until their frame's verdict is there, two cycles after its last beat. A
// frame that is refused is taken out of the FIFO unseen, so nobody behind ever meets half a packet
// (NetSparse 6.1.1: a packet has one Type, one Dest, one Len). Bad ICRCs are dropped in front, by
// roce_ingress; a frame that is RoCEv2 by the tests made here had its ICRC checked there.
//
// Who waits: the sender for room in the FIFO alone. What is shown waits for whoever reads it.
module gather_accept
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  /// Nodes of the network, 2 to 1024; a destination must be one of them.
  parameter int unsigned NumNodes = 16,
  /// Longest frame, bytes; longer ones must have been dropped in front.
  parameter int unsigned MaxFrameBytes = 1536,
  /// Beats that may wait. Power of two, two more than the beats of the longest frame or more.
  parameter int unsigned FifoBeats = 64
) (
  input logic clk_i,
  input logic rst_ni,

  // 1: packets to other nodes than `own_node_i` are dropped.
  input logic        own_only_i,
  input logic [31:0] own_node_i,
  // Responses that come in here may be cached.
  input logic        cacheable_i,

  // Beats of whole frames; they wait for room in FIFOs alone.
  input  logic  beat_valid_i,
  output logic  beat_ready_o,
  input  beat_t beat_i,

  // A packet, and its beats from the second one on. Both stand side by side; the packet goes with
  // its last beat.
  output logic         packet_valid_o,
  output packet_t      packet_o,
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // Fate of a frame, one pulse each.
  output logic         fate_valid_o,
  output gather_fate_e fate_o
);

  localparam int unsigned MaxBeats = (MaxFrameBytes + BeatBytes - 1) / BeatBytes;
  /// Frames that may wait; one has two beats or more, or takes no room but its verdict.
  localparam int unsigned Verdicts = 32;

  if (NumNodes < 2 || NumNodes > 1024) begin : gen_check_nodes
    $fatal(1, "%m: NumNodes must be 2 to 1024");
  end
  if (FifoBeats < 8 || FifoBeats != 2 ** $clog2(FifoBeats) ||
      FifoBeats < MaxBeats + 2) begin : gen_check
    $fatal(1, "%m: FifoBeats must be a power of two and hold the longest frame and two beats");
  end

  // ---------------------------------------------------------------------------------------------
  // A: fields, as beats pass by.

  logic        take, store, first_q, ended_q, single_q;
  logic [7:0]  index_q;
  logic        headers_q;
  logic [15:0] ip_len_q, udp_len_q, type_q;
  logic [1:0]  pad_q;
  logic [31:0] dest_q, count_q;
  logic [15:0] generation_q, len_q;
  logic [11:0] each_q;    // bytes of a PR
  logic        response;
  logic [15:0] bytes_q;
  logic        data_in_ready;

  assign take         = beat_valid_i && beat_ready_o;
  assign store        = take && !first_q;
  assign response     = type_q == TypeResponse;

  /// The big-endian number in bytes at .. at+1 of the beat.
  function automatic logic [15:0] be16(logic [BeatBits-1:0] data, int unsigned at);
    be16 = {data[8*at+:8], data[8*at+8+:8]};
  endfunction

  function automatic logic [31:0] be32(logic [BeatBits-1:0] data, int unsigned at);
    be32 = {be16(data, at), be16(data, at + 2)};
  endfunction

  always_ff @(posedge clk_i) begin
    ended_q <= take && beat_i.last;
    if (take) begin
      first_q  <= beat_i.last;
      single_q <= first_q;
      index_q  <= first_q ? 8'd1 : index_q + 8'(index_q != '1);
      bytes_q  <= (first_q ? 16'd0 : {2'd0, index_q, 6'd0}) + 16'(beat_i.bytes);
      if (first_q) begin
        // IPv4 without options or fragment, UDP to RoCE's port, a BTH of version 0 and its opcode.
        headers_q <= be16(beat_i.data, 12) == 16'h0800 && beat_i.data[8*14+:8] == 8'h45 &&
            beat_i.data[8*20+:6] == '0 && beat_i.data[8*21+:8] == '0 &&
            beat_i.data[8*23+:8] == 8'd17 && be16(beat_i.data, 36) == roce_pkg::RoceUdpPort &&
            beat_i.data[8*42+:8] == OpUdSendOnly && beat_i.data[8*43+:4] == '0;
        ip_len_q  <= be16(beat_i.data, 16);
        udp_len_q <= be16(beat_i.data, 38);
        pad_q     <= beat_i.data[8*43+4+:2];
        type_q    <= be16(beat_i.data, 62);
      end
      if (!first_q && index_q == 8'd1) begin
        dest_q  <= be32(beat_i.data, 0);
        generation_q <= be16(beat_i.data, 4);
        len_q   <= be16(beat_i.data, 6);
        count_q <= be32(beat_i.data, 8);
        each_q  <= response ? 12'(be16(beat_i.data, 6) & 16'h07FF) + 12'(PrBytes) : 12'(PrBytes);
      end
    end
    if (!rst_ni) begin
      first_q <= 1'b1;
      ended_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // B: bytes that the PRs take; what can be said without them.

  typedef struct packed {
    logic         good;
    logic         empty;   // no beats in the FIFO
    packet_t      packet;
  } verdict_t;

  logic         ended2_q;
  logic         around_q;   // lengths are in range, and the frame holds the packet
  logic [15:0]  said_q;     // bytes left for PRs by the IP length
  // The UDP length and bytes of the frame that the IP length asks for, known by the cycle in which
  // a frame of two beats or more has ended.
  logic [15:0]  udp_said_q;
  logic [16:0]  frame_said_q;
  logic [18:0]  prs_q;
  gather_fate_e early_q;
  verdict_t     verdict2_q, verdict;
  gather_fate_e fate;
  always_ff @(posedge clk_i) begin
    ended2_q     <= ended_q;
    udp_said_q   <= ip_len_q - 16'd20;
    frame_said_q <= 17'(ip_len_q) + 17'd14;
    if (ended_q) begin
      said_q   <= ip_len_q - 16'(AroundBytes) - 16'(pad_q);
      prs_q    <= 19'(count_q[6:0]) * 19'(each_q);
      around_q <= len_q[15:11] == '0 && len_q[10:0] <= 11'(MaxLen) && len_q != '0 && !len_q[0] &&
          count_q[31:7] == '0 && count_q != '0 && ip_len_q >= 16'(AroundBytes) &&
          ip_len_q[1:0] == '0 && udp_len_q == udp_said_q &&
          17'(bytes_q) >= frame_said_q;
      verdict2_q.good             <= 1'b0;
      verdict2_q.empty            <= single_q;
      verdict2_q.packet.response  <= response;
      verdict2_q.packet.cacheable <= response && cacheable_i;
      verdict2_q.packet.dest      <= dest_q;
      verdict2_q.packet.generation <= generation_q;
      verdict2_q.packet.len       <= len_q[10:0];
      verdict2_q.packet.count     <= {1'b0, count_q[6:0]};
      early_q <= GatherTaken;
      if (dest_q >= NumNodes || (own_only_i && dest_q != own_node_i)) early_q <= GatherBadDest;
      if (!response && type_q != TypeRead) early_q <= GatherBadType;
      if (single_q) early_q <= GatherBadLength;
      if (!headers_q) early_q <= GatherForeign;
    end
    if (!rst_ni) ended2_q <= 1'b0;
  end

  always_comb begin
    fate = early_q;
    if ((early_q == GatherTaken || early_q == GatherBadDest) &&
        !(around_q && prs_q == 19'(said_q))) begin
      fate = GatherBadLength;
    end
    verdict      = verdict2_q;
    verdict.good = fate == GatherTaken;
  end

  always_ff @(posedge clk_i) begin
    fate_valid_o <= ended2_q && rst_ni;
    fate_o       <= fate;
  end

  // ---------------------------------------------------------------------------------------------
  // Beats, and verdicts when they are known.

  localparam int unsigned VerdictW = $clog2(Verdicts + 1);

  logic                verdict_valid, verdict_pop, verdict_in_ready;
  logic [VerdictW-1:0] verdict_count;
  verdict_t            head;
  logic                waits, pop;
  packet_beat_t        data_in;
  logic [$clog2(FifoBeats+1)-1:0] data_count;

  // Two verdicts may still be on their way, and one more comes with the beat that is taken; a beat
  // that is taken now is not counted yet.
  always_ff @(posedge clk_i) begin
    beat_ready_o <= verdict_count < VerdictW'(Verdicts - 4) && 32'(data_count) < FifoBeats - 1 &&
        rst_ni;
  end
  assign data_in      = '{last: beat_i.last, data: beat_i.data};

  prim_fifo_ram #(
    .T     (packet_beat_t),
    .Depth (FifoBeats),
    .Around(1'b0)
  ) u_data (
    .clk_i,
    .rst_ni,
    .in_valid_i (store),
    .in_ready_o (data_in_ready),
    .in_i       (data_in),
    .out_valid_o(waits),
    .out_ready_i(pop),
    .out_o      (data_o),
    .count_o    (data_count)
  );

  prim_fifo #(
    .T    (verdict_t),
    .Depth(Verdicts)
  ) u_verdicts (
    .clk_i,
    .rst_ni,
    .in_valid_i (ended2_q),
    .in_ready_o (verdict_in_ready),
    .in_i       (verdict),
    .out_valid_o(verdict_valid),
    .out_ready_i(verdict_pop),
    .out_o      (head),
    .count_o    (verdict_count)
  );

  assign packet_valid_o = verdict_valid && head.good;
  assign packet_o       = head.packet;
  assign data_valid_o   = packet_valid_o && waits;
  assign pop            = verdict_valid && waits && !head.empty && (!head.good || data_ready_i);
  assign verdict_pop    = head.empty || (pop && data_o.last);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A beat finds room; else a packet would lack it.
      a_beat_room : assert (!store || data_in_ready)
      else $error("%m: no room for a beat");
      // A verdict finds room; else all later ones would be of the wrong frames.
      a_verdict_room : assert (!ended2_q || verdict_in_ready)
      else $error("%m: no room for a verdict");
      // A frame without a second beat is never handed on; its packet would never end.
      a_whole : assert (!(verdict_valid && head.good && head.empty))
      else $error("%m: a packet without PRs is taken");
    end
  end

endmodule
