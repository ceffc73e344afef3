// Property requests (PRs), the packets that carry them, and the segments of the property cache.
//
// A PR asks for one property (a row of the dense operand) by its column index, or brings it
// (NetSparse 2.1). Inside the device PRs stream one a cycle, each with up to 64 bytes of its
// property; a longer property takes further beats. On the wire many PRs share one packet:
//   Ethernet 14 | IPv4 20 | UDP 8 | BTH 12 | DETH 8 | concatenation header 14 | PRs | pad | ICRC
// The PRs begin in the packet's second beat. So the storage of a packet is laid out from that beat
// on, with 12 bytes kept free for what of the concatenation header falls into it.
package gather_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  // Functions look at some fields of what they are given.
  // verilator lint_off UNUSEDSIGNAL

  // A beat of a property is as wide as one of a frame.
  import roce_pkg::BeatBytes;
  import roce_pkg::BeatBits;
  export roce_pkg::BeatBytes;
  export roce_pkg::BeatBits;

  /// Bytes of a PR header.
  localparam int unsigned PrBytes = 18;
  /// Bytes from the IP header on that are no PRs: IPv4, UDP, BTH, DETH, concatenation header, ICRC.
  localparam int unsigned AroundBytes = 20 + 8 + 12 + 8 + 14 + 4;
  /// Where the PRs begin in a packet's second beat.
  localparam int unsigned PrStart = 12;
  /// Longest property, bytes.
  localparam int unsigned MaxLen = 1024;
  /// Most bytes of a PR that one beat of the stream holds.
  localparam int unsigned ChunkBytes = PrBytes + BeatBytes;

  /// Opcode of UD SEND_ONLY in the BTH.
  localparam logic [7:0] OpUdSendOnly = 8'h64;
  /// The queue pair that takes gather packets at every node, and its Q_Key.
  localparam logic [23:0] Qpn = 24'h004753;
  localparam logic [31:0] QKey = 32'h5745_4952;
  /// UDP source port of all gather packets.
  localparam logic [15:0] UdpSource = 16'hC000;

  /// Bytes of a row of packet storage, the "piece" of NetSparse 7.2.
  localparam int unsigned RowBytes = 128;
  localparam int unsigned RowBits = 8 * RowBytes;

  /// Type field of a packet.
  localparam logic [15:0] TypeRead = 16'd1;
  localparam logic [15:0] TypeResponse = 16'd2;

  /// One PR without its property.
  typedef struct packed {
    logic        response;  // carries its property; otherwise asks for it
    logic        cacheable; // a response that the property cache may keep
    logic [31:0] src;       // node that asks, also in the response
    logic [31:0] dest;
    logic [15:0] tid;       // RIG unit that asks
    logic [63:0] idx;
    logic [31:0] id;
    logic [10:0] len;       // bytes of the property, even, 2 to MaxLen; also in reads
  } pr_t;

  /// A beat of the PR stream. A read has one, a response one for each 64 bytes of its property.
  typedef struct packed {
    pr_t                 pr;
    logic                first;
    logic                last;
    logic [BeatBits-1:0] data;
  } pr_beat_t;

  /// What the PRs of a packet have in common.
  typedef struct packed {
    logic        response;
    logic        cacheable;
    logic [31:0] dest;
    logic [10:0] len;
    logic [7:0]  count;     // PRs, 1 or more
  } packet_t;

  /// A beat of a packet from its second beat on.
  typedef struct packed {
    logic                last;
    logic [BeatBits-1:0] data;
  } packet_beat_t;

  /// A packet that concatenation has closed.
  typedef struct packed {
    logic        response;
    logic [31:0] dest;
    logic [10:0] len;
    logic [7:0]  count;
    logic [11:0] stop;      // where its PRs end, counted from the packet's second beat
  } closed_t;

  /// Bytes of pad behind a packet's PRs: they make 14 + PRs a multiple of four.
  function automatic logic [1:0] pad_bytes(logic [11:0] stop);
    pad_bytes = {!stop[1], 1'b0};
  endfunction

  /// A node as the network knows it.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
  } address_t;

  /// A read of memory: 1 to 64 bytes, any alignment. Its answer has the first byte in the low bits.
  typedef struct packed {
    logic [63:0] addr;
    logic [6:0]  bytes;
  } mem_read_t;

  /// A write of memory; its answer says that it is done.
  typedef struct packed {
    logic [63:0]         addr;
    logic [6:0]          bytes;
    logic [BeatBits-1:0] data;
  } mem_write_t;

  /// A gather: for `count` indices at `source`, properties of `len` bytes are to be brought to
  /// dest + (index << stride).
  typedef struct packed {
    logic [63:0] source;
    logic [63:0] dest;
    logic [31:0] count;
    logic [10:0] len;
    logic [3:0]  stride;
  } command_t;

  /// Fate of a frame that came in whole and, if it is RoCEv2, with a good ICRC.
  typedef enum logic [2:0] {
    GatherTaken = 3'd0,
    GatherForeign = 3'd1,    // not an IPv4 UD SEND_ONLY packet
    GatherBadType = 3'd2,    // Type is neither read nor response
    GatherBadLength = 3'd3,  // Len, #PR and the packet's lengths disagree
    GatherBadDest = 3'd4     // no such node, or not this one
  } gather_fate_e;

  /// Property bytes that travel with a PR.
  function automatic logic [10:0] carried(logic response, logic [10:0] len);
    carried = response ? len : 11'd0;
  endfunction

  /// A PR header as it is on the wire, byte 0 in the low bits.
  function automatic logic [8*PrBytes-1:0] pr_header(pr_t pr);
    logic [8*PrBytes-1:0] turned;
    turned = {pr.src, pr.tid, pr.idx, pr.id};
    for (int unsigned b = 0; b < PrBytes; b++) pr_header[8*b+:8] = turned[8*(PrBytes-1-b)+:8];
  endfunction

  /// Segments of the property cache, 16 bytes each (NetSparse 6.2.2).
  localparam int unsigned Segments = 32;
  localparam int unsigned SegmentBytes = 16;

  /// Which segments a property of 16 * 2 ** mode bytes is in. As in the paper's figure the leftmost
  /// bit is segment 0.
  function automatic logic [Segments-1:0] segment_mask(logic [2:0] mode, logic [4:0] segment);
    for (int unsigned s = 0; s < Segments; s++) begin
      segment_mask[Segments-1-s] = (5'(s) >> mode) == (segment >> mode);
    end
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM
endpackage
