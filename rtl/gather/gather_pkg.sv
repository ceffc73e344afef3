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
  /// Of an ICRC, which ends every frame.
  localparam int unsigned IcrcBytes = 4;
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

  /// Reads and responses are two classes: neither ever waits for the other (docs/gather.md). The
  /// number of a class is `response`.
  localparam int unsigned Classes = 2;
  /// Beats of the longest frame that holds one PR.
  localparam int unsigned MaxAlone = 1 + (PrStart + PrBytes + MaxLen + IcrcBytes + BeatBytes - 1) /
      BeatBytes;
  /// Packets for which fewer beats are kept are short ones (gather_enter).
  localparam int unsigned ShortKept = 8;
  /// Beats that may be kept of a queue before that is seen where packets are chosen: for two short
  /// packets, and for the responses of four reads (gather_turn).
  localparam int unsigned KeptUnseen = 2 * (ShortKept - 1) + 4 * MaxAlone;

  /// One PR without its property.
  typedef struct packed {
    logic        response;  // carries its property; otherwise asks for it
    // A response that the property cache may keep; a read that may become a response there.
    logic        cacheable;
    logic [31:0] src;       // node that asks, also in the response
    logic [31:0] dest;
    logic [15:0] tid;       // RIG unit that asks
    logic [63:0] idx;
    logic [31:0] id;
    logic [15:0] generation;  // of the operand that the property is of
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
    logic [15:0] generation;
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
    logic [15:0] generation;
    logic [10:0] len;
    logic [7:0]  count;
    logic [11:0] stop;      // where its PRs end, counted from the packet's second beat
  } closed_t;

  /// A beat of a packet on its way to a middle pipe: the pipe, the port that its PRs leave by as
  /// they are, and the beats of room that are kept for them there.
  typedef struct packed {
    packet_t      packet;
    packet_beat_t data;
    logic [3:0]   target;
    logic [5:0]   out_port;
    logic [8:0]   kept;
  } enter_t;

  /// Of a frame: where it leaves, its PRs, and the beats of room that were kept for them.
  typedef struct packed {
    logic       response;
    logic [5:0] out_port;
    logic [7:0] count;
    logic [8:0] kept;
  } frame_tag_t;

  /// A part of a packet on its way to storage. `unit` was taken for it if `fresh`; `tail` is the
  /// packet's latest unit so far if it was `opened` before. Units have as many bits as the largest
  /// device needs.
  typedef struct packed {
    logic                    fresh;
    logic [15:0]             unit;
    logic                    opened;
    logic [15:0]             tail;
    logic [11:0]             at;      // of its first byte in the packet
    logic [6:0]              bytes;
    logic [8*ChunkBytes-1:0] data;
  } part_t;

  /// A packet that concatenation closes: which queue it is, its PRs, their generation and length,
  /// where they end, and the first unit of its storage.
  typedef struct packed {
    logic [10:0] which;
    logic [7:0]  count;
    logic [15:0] generation;
    logic [10:0] len;
    logic [11:0] stop;
    logic [15:0] first;
  } closing_t;

  /// An entry of the expiry queue whose time has come (late, by how many cycles) or that makes
  /// room.
  typedef struct packed {
    logic [10:0] which;
    logic [15:0] entry;
    logic        late;
    logic [31:0] lateness;
  } due_t;

  // Times, in cycles, that modules count on of each other.
  /// Host memory and index filter answer so long after a request was taken, or later
  /// (gather_mem_arb.a_mem_time).
  localparam int unsigned MemAnswer = 4;
  /// What is written to packet storage can be read so long after, if its rows come a cycle behind
  /// it (gather_rows.a_written and its check); a read row is there so long after its request
  /// (gather_rows is built with it, gather_drain checks it).
  localparam int unsigned RowsWrite = 3;
  localparam int unsigned RowsRead = 1;
  /// A packet is told to storage so long after it was closed (gather_closed), so that it is not
  /// read before its last PR is written (gather_rows.a_written).
  localparam int unsigned ClosedAfter = 2;

  /// Bytes of pad behind a packet's PRs: they make 14 + PRs a multiple of four.
  function automatic logic [1:0] pad_bytes(logic [11:0] stop);
    pad_bytes = {!stop[1], 1'b0};
  endfunction

  /// A node as the network knows it.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
  } address_t;

  /// A write to the tables of nodes: at which addresses `node` is, and behind which port of a
  /// switch: for reads if `reads`, and for responses in those middle pipes that have a bit in
  /// `pipes`.
  typedef struct packed {
    logic        valid;
    logic [9:0]  node;
    address_t    address;
    logic [5:0]  out_port;
    logic        reads;
    logic [15:0] pipes;
  } node_write_t;

  /// Which properties the cache keeps: those of this generation and of `len` bytes, of no other
  /// length; 2 to 16 * 2 ** mode, mode 0 to 5.
  typedef struct packed {
    logic        enable;
    logic [2:0]  mode;
    logic [15:0] generation;
    logic [10:0] len;
  } cache_mode_t;

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

  /// Requests to host memory and to the index filter, which has a bit a column. Each channel has
  /// its own valid; reads, writes and look-ups are answered in the order in which they were taken.
  typedef struct packed {
    logic        read_valid;
    mem_read_t   read;
    logic        write_valid;
    mem_write_t  write;
    // Is the bit of a column set?
    logic        look_valid;
    logic [63:0] look_idx;
    // Set it. Who looks later than this was taken sees it set.
    logic        mark_valid;
    logic [63:0] mark_idx;
  } host_req_t;

  /// Each channel's ready, and the answers, which nobody refuses.
  typedef struct packed {
    logic                read_ready;
    logic                data_valid;
    logic [BeatBits-1:0] data;
    logic                write_ready;
    logic                written;
    logic                look_ready;
    logic                bit_valid;
    logic                bit_set;
    logic                mark_ready;
  } host_rsp_t;

  /// The first column of node `node`. All nodes must be told; node 0 begins with column 0, and
  /// later nodes never begin earlier.
  typedef struct packed {
    logic        valid;
    logic [9:0]  node;
    logic [63:0] first;
  } first_write_t;

  /// What a server reads: the property of column i is at base + (i << stride), at most 2 ** stride
  /// bytes of it; `count` columns from `first` on.
  typedef struct packed {
    logic [63:0] base;
    logic [3:0]  stride;
    logic [63:0] first;
    logic [31:0] count;
  } serve_t;

  /// The settings of a network interface, from its registers. They change while nothing is inside,
  /// but for the generation: of the properties that are served, and of gathers that are commanded.
  /// With it the stride may change.
  typedef struct packed {
    logic [15:0] delay;     // cycles that a PR may wait for others to the same destination
    logic [31:0] timeout;   // cycles that a gather may take, 0: for ever
    logic [31:0] pause_limit;  // cycles that a class may wait for the network, 0: for ever
    logic        merge;        // units share reads of one property, if the device can
    logic [31:0] own_node;
    logic [15:0] generation;
    address_t    own;
    serve_t      serve;
  } nic_settings_t;

  /// The settings of a switch, from its registers. They change while nothing is inside, but for
  /// `cache` and `cache_ports`, which are new in the cycle of `invalidate`: with every new tile and
  /// iteration.
  typedef struct packed {
    logic [15:0] delay;        // cycles that a PR may wait for others to the same destination
    logic [31:0] pause_limit;  // cycles that a class may wait for a receiver, 0: for ever
    cache_mode_t cache;
    logic        invalidate;
    logic [63:0] cache_ports;  // whose responses are kept
    address_t    own;          // who sends
  } switch_settings_t;

  /// Property bytes that travel with a PR.
  function automatic logic [10:0] carried(logic response, logic [10:0] len);
    carried = response ? len : 11'd0;
  endfunction

  /// Beats of a frame that holds one PR: as many are kept for a PR until it is known what it
  /// shares.
  function automatic logic [4:0] alone_beats(logic response, logic [10:0] len);
    // With its pad a packet ends two bytes behind a multiple of four, so the sum need not have it.
    alone_beats = 5'((12'(PrStart + PrBytes + IcrcBytes + 2 * BeatBytes) +
                      12'(carried(response, len))) >> 6);
  endfunction

  /// The beats that are kept for `count` PRs of which each alone takes `alone`.
  function automatic logic [8:0] kept_beats(logic [7:0] count, logic [4:0] alone);
    kept_beats = 9'(count * 9'(alone));
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
  /// Its ways.
  localparam int unsigned CacheWays = 16;

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
