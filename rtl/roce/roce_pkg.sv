// Header fields, opcodes and descriptors of RoCEv2 packets, as the whole device speaks of them.
//
// Byte order inside the device: byte i of a frame (or of a row) is bits [8*i +: 8], the AXI4-Stream
// convention. Header fields below are numbers, already turned from network order by the
// parser.
package roce_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  // All modules of a device have beats of one size, and packages have no parameters: so it is a
  // macro, which a configuration may set (rtl/top/beat_configs.csv). It stands inside the package,
  // of which proofs hash what they stand on.
`ifndef WEIR_BEAT_BYTES
`define WEIR_BEAT_BYTES 64
`endif

  /// Bytes and bits of one beat of a stream, and of one row of a payload: 64 or, of an aggregator,
  /// 128 bytes (agg_cfg_check).
  localparam int unsigned BeatBytes = `WEIR_BEAT_BYTES;
  localparam int unsigned BeatBits = 8 * BeatBytes;
  /// Bits of the number of one of its bytes, of one of its words of 4 bytes, and of a count of its
  /// bytes or of its pairs of bytes.
  localparam int unsigned ByteW = $clog2(BeatBytes);
  localparam int unsigned WordW = ByteW - 2;
  localparam int unsigned BytesW = ByteW + 1;
  localparam int unsigned PairsW = ByteW;

  /// The first of a first beat's words of 4 bytes with whose byte 1 a RoCEv2 packet may end: IPv4
  /// with nothing between BTH and ICRC.
  localparam int unsigned FirstEnd = 14;

  /// Cycles from a frame's last beat to what parser and ICRC check say of it: each checks its own
  /// stages when it is elaborated, and roce_ingress holds beats as long.
  localparam int unsigned FrameAnswer = 5;

  /// UDP destination port of RoCEv2.
  localparam logic [15:0] RoceUdpPort = 16'd4791;
  /// First word of an INA header, "NetR" (docs/wire.md).
  localparam logic [31:0] InaTag = 32'h4E65_7452;
  /// First word of a notification of a tree, "NetN" (docs/relay.md).
  localparam logic [31:0] NoteTag = 32'h4E65_744E;
  /// Bytes of an INA header.
  localparam int unsigned InaBytes = 16;

  /// CRC-32 register (reflected form) after the eight 0xFF bytes that stand for the LRH (IBA, annex
  /// A17).
  localparam logic [31:0] IcrcSeed = 32'hDEBB_20E3;
  /// CRC-32 register (reflected form) after a message and its own correct CRC.
  localparam logic [31:0] IcrcResidue = 32'hDEBB_20E3;

  typedef enum logic [7:0] {
    OpSendFirst = 8'h00,
    OpSendMiddle = 8'h01,
    OpSendLast = 8'h02,
    OpSendLastImm = 8'h03,
    OpSendOnly = 8'h04,
    OpSendOnlyImm = 8'h05,
    OpWriteFirst = 8'h06,
    OpWriteMiddle = 8'h07,
    OpWriteLast = 8'h08,
    OpWriteLastImm = 8'h09,
    OpWriteOnly = 8'h0A,
    OpWriteOnlyImm = 8'h0B,
    OpReadRequest = 8'h0C,
    OpReadResponseFirst = 8'h0D,
    OpReadResponseMiddle = 8'h0E,
    OpReadResponseLast = 8'h0F,
    OpReadResponseOnly = 8'h10,
    OpAck = 8'h11,
    OpAtomicAck = 8'h12,
    OpCompareSwap = 8'h13,
    OpFetchAdd = 8'h14,
    OpSendLastInv = 8'h16,
    OpSendOnlyInv = 8'h17,
    OpCnp = 8'h81
  } opcode_e;

  /// Elements of a tensor: low half of a type on the wire (docs/wire.md).
  typedef enum logic [3:0] {
    TypeFp32 = 4'd0,
    TypeFp16 = 4'd1,
    TypeBf16 = 4'd2,
    TypeInt32 = 4'd3
  } elem_e;

  /// Elements of 2 bytes; else they have 4.
  function automatic logic is_half(logic [3:0] elem);
    is_half = elem == TypeFp16 || elem == TypeBf16;
  endfunction

  /// Bytes behind the last whole element, of a length's low bits.
  function automatic logic [1:0] ragged_of(logic [3:0] elem, logic [1:0] len);
    ragged_of = len & (is_half(elem) ? 2'b01 : 2'b11);
  endfunction

  /// What is done with them: its high half.
  typedef enum logic [3:0] {
    OpSum = 4'd0,
    OpMin = 4'd1,
    OpMax = 4'd2
  } reduce_e;

  /// One beat of a frame inside the device. `bytes` counts the valid bytes, 1 to BeatBytes; it is
  /// BeatBytes unless `last`.
  typedef struct packed {
    logic               last;
    logic [BytesW-1:0]  bytes;
    logic [BeatBits-1:0] data;
  } beat_t;

  /// What a device may be built without: bits of the parameter `Without`, as the register
  /// CAP_WITHOUT shows them. What becomes of a frame that needs one is in docs/protocol.md.
  localparam int unsigned WithoutIcrcCheck = 0;      // of frames that come in
  localparam int unsigned WithoutIpv6 = 1;           // connections over it
  localparam int unsigned WithoutVlan = 2;           // connections behind a tag
  localparam int unsigned WithoutFp32 = 3;
  localparam int unsigned WithoutFp16 = 4;
  localparam int unsigned WithoutBf16 = 5;
  localparam int unsigned WithoutInt32 = 6;
  localparam int unsigned WithoutMinMax = 7;
  localparam int unsigned WithoutLearning = 8;       // rings that learn
  localparam int unsigned WithoutWideCounters = 9;   // counters of ports have 32 bits, not 48
  localparam int unsigned WithoutObservation = 10;
  localparam int unsigned NumWithout = 11;

  /// By how many words, of four, the headers of packets may reach into a row behind whole steps of
  /// four (`hdr_len[3:2]`), a bit each. Over IPv4 without a tag they are 54 bytes, and with a RETH,
  /// immediate data and an INA header 16, 4 and 16 more.
  function automatic logic [3:0] header_words(int unsigned without);
    return (without[WithoutIpv6] && without[WithoutVlan]) ? 4'b0110 : 4'b1111;
  endfunction

  /// Bits of an entry's number in the connection table.
  localparam int unsigned ConnBits = 10;

  /// What names an RC connection (NetReduce 3.2, with VLAN and IP version in front). IPv4 addresses
  /// stand in the low 32 bits, the rest zero.
  typedef struct packed {
    logic [11:0]  vlan;   // VID; 0 also without a tag
    logic         v6;
    logic [127:0] src;
    logic [127:0] dst;
    logic [23:0]  qpn;
  } conn_key_t;

  /// Bits of a key that are not always the same in a device: of a packet that it cannot read the
  /// key says only that, by `v6` or the lowest bit of `vlan`, which no connection of it has.
  function automatic conn_key_t key_kept(int unsigned without);
    key_kept = '1;
    if (without[WithoutVlan]) key_kept.vlan = 12'd1;
    if (without[WithoutIpv6]) begin
      key_kept.src = 128'(32'hFFFF_FFFF);
      key_kept.dst = 128'(32'hFFFF_FFFF);
    end
  endfunction

  /// A bucket of either half of the connection table; small tables take the low bits.
  typedef struct packed {
    logic [7:0] left;
    logic [7:0] right;
  } conn_hash_t;

  /// The hash of a connection's key (docs/protocol.md): its 32-bit words, each rotated by a number
  /// of its own, folded into one, and the CRC-16 of that.
  function automatic conn_hash_t conn_hash(conn_key_t key);
    logic [9:0][31:0] words;
    logic [31:0]      fold;
    logic [15:0]      crc;
    words = {32'(key.vlan), key.v6, 7'd0, key.qpn, key.dst, key.src};
    fold  = words[0] ^ {words[1][24:0], words[1][31:25]} ^ {words[2][17:0], words[2][31:18]} ^
        {words[3][10:0], words[3][31:11]} ^ {words[4][20:0], words[4][31:21]} ^
        {words[5][13:0], words[5][31:14]} ^ {words[6][6:0], words[6][31:7]} ^
        {words[7][2:0], words[7][31:3]} ^ {words[8][9:0], words[8][31:10]} ^
        {words[9][28:0], words[9][31:29]};
    crc   = '0;
    for (int i = 31; i >= 0; i--) begin
      crc = {crc[14:0], 1'b0} ^ ((crc[15] ^ fold[i]) ? 16'h1021 : 16'h0);
    end
    conn_hash = crc;
  endfunction

  /// Headers of so many bytes reach into a second beat.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic spills_over(logic [6:0] hdr_len);
    spills_over = (BeatBytes == 64) ? hdr_len[6] : 1'b0;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  /// The INA header without its tag (docs/wire.md).
  typedef struct packed {
    logic [15:0] ring;
    logic [7:0]  rank;
    logic [7:0]  kind;      // data type in the low nibble, operation in the high one
    logic [31:0] msgid;
    logic [15:0] msglen;    // packets
    logic [15:0] workers;
  } ina_t;

  /// Rows of `BeatBytes` that a tensor of `len` bytes takes: at least one, also where it has none.
  function automatic logic [8:0] rows_of(logic [13:0] len);
    rows_of = (len == '0) ? 9'd1 : 9'(len[13:ByteW]) + 9'(|len[ByteW-1:0]);
  endfunction

  /// In how many of its pairs of bytes the last of these rows has tensor, 0 to BeatBytes / 2.
  function automatic logic [PairsW-1:0] pairs_of(logic [13:0] len);
    pairs_of = {len[ByteW-1:1] == '0 && len != '0, len[ByteW-1:1]};
  endfunction

  /// The number of the last of these rows, from 0; a level less than `rows_of` and a subtraction.
  function automatic logic [7:0] last_row_of(logic [13:0] len);
    last_row_of = (len[ByteW-1:0] == '0 && len != '0) ? 8'(len[13:ByteW]) - 8'd1 :
        8'(len[13:ByteW]);
  endfunction

  /// What is known of a frame once its ICRC is good; one for each frame that the ingress commits,
  /// in order.
  typedef struct packed {
    /// Beats of the frame in the frame FIFO, 1 to 511.
    logic [8:0]  beats;
    /// A SEND or WRITE data packet of RC, well-formed RoCEv2 with good ICRC. All fields below mean
    /// something only for these; any other frame is passed.
    logic        candidate;
    /// Opcode FIRST or ONLY.
    logic        starts;
    /// `starts`, at least 16 bytes of payload, and they begin with the INA tag.
    logic        has_ina;
    /// The extension headers end with an immediate value.
    logic        has_imm;
    logic        vlan;
    conn_key_t   key;
    conn_hash_t  hash;         // of the key
    logic [23:0] psn;
    ina_t        ina;
    /// Bytes in front of the tensor: up to and with extension headers, and the INA header if
    /// `has_ina`. At most 114.
    logic [6:0]  hdr_len;
    /// Bytes of tensor (payload without INA header and pad), 0 to 16383. 0 where `len_bad`.
    logic [13:0] tensor_len;
    /// Pad bytes at the payload's end, 0 to 3.
    logic [1:0]  pad;
    /// The pad count is larger than the payload behind the INA header.
    logic        len_bad;
  } frame_desc_t;

  /// Bits of a descriptor that are not always 0 in a device.
  function automatic frame_desc_t desc_kept(int unsigned without);
    desc_kept     = '1;
    desc_kept.key = key_kept(without);
  endfunction

  /// Why a frame was dropped, and the other fates of a frame. One enum for hardware, registers and
  /// C (lib/wire/fate.h is its twin, checked by a test). Every received frame meets exactly one of
  /// them.
  typedef enum logic [4:0] {
    FatePassed = 5'd0,
    FateStored = 5'd1,
    FateDuplicate = 5'd2,
    FateFrameError = 5'd3,       // tuser[0]: the MAC saw a bad FCS
    FateOversize = 5'd4,         // longer than MaxFrameBytes
    FateBadIcrc = 5'd5,
    FateBadHeader = 5'd6,        // INA header wrong, missing, or of another ring or rank
    FateUnregistered = 5'd7,     // valid header, unknown connection, and the ring does not learn
    FateRankConflict = 5'd8,     // (ring, rank) already belongs to another connection
    FateTableFull = 5'd9,
    FateUnknownMessage = 5'd10,  // known connection, PSN in none of its messages
    FatePsnConflict = 5'd11,     // first packet of a known message with another PSN, MsgLen or Type
    FateStale = 5'd12,           // older than the history entry or than the slot's tag
    FateWindowViolation = 5'd13, // newer tag on a slot that is neither empty nor complete
    FateTypeMismatch = 5'd14,
    FateLengthMismatch = 5'd15,
    FateBadLength = 5'd16,       // longer than a slot, a broken element, or more pad than payload
    FateRetired = 5'd17,         // of a connection that the device knew and has been told to forget
    FateClosed = 5'd18,          // would pass, or begin a message, where the control plane says no
    FateMemoryError = 5'd19      // a memory has lost what its decision needs (only with Ecc)
  } fate_e;
  /// Fates that every device has: all but the last one.
  localparam int unsigned NumFates = 19;

  /// Bytes 114 to 127 of a stored header record: what the egress must know of the packet.
  typedef struct packed {
    logic [7:0]  rank;
    logic [ConnBits-1:0] conn;
    logic [38-ConnBits:0] reserved;
    logic        mark;        // a result has room for a mark: byte hdr_len - 2 (docs/wire.md)
    logic        vlan;
    logic        v6;
    logic        has_pad;     // two pad bytes follow the tensor
    logic [6:0]  hdr_len;
    logic [13:0] tensor_len;
    logic [23:0] psn;
    logic [15:0] pad_bytes;   // first pad byte in the low half
  } hdr_meta_t;
  localparam int unsigned HdrMetaBits = $bits(hdr_meta_t);

  /// Words of a header record as it travels from the header buffer to the egress: the last one,
  /// with what the egress must know, and then the others from the first on.
  localparam int unsigned HdrWordBits = 128;
  localparam int unsigned HdrWords = 8;
  /// Rows in which it is stored, and words in each.
  localparam int unsigned HdrRows = (HdrWords * HdrWordBits) / BeatBits;
  localparam int unsigned HdrRowWords = HdrWords / HdrRows;

  // verilator lint_on UNUSEDPARAM
endpackage
