// What the port of a tree node and its RC connections say to each other (docs/tree.md).
package rc_port_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  import roce_pkg::*;
  import rc_pkg::*;

  /// Longest payload of a packet, rows.
  localparam int unsigned RcMaxRows = 64;

  // Times, in cycles, that modules count on of each other.
  /// From a data packet to its fate (rc_conn.a_fate_time).
  localparam int unsigned FateAnswer = 2;
  /// From the request of a row to the row: of a packet that came (rc_queue's check; sat_stream is
  /// built with it, sat_fall and llt_inbox check it), and of one that is sent (rc_send_buffer's
  /// check, and rc_leave's).
  localparam int unsigned QueueRow = 2;
  localparam int unsigned SentRow = 2;

  /// A packet as it is kept: what its rows do not say.
  typedef struct packed {
    logic        cast;          // it is multicast, too, in front of the first time that it is sent
    logic        first, last;   // of its message
    logic [12:0] len;           // payload bytes, 0 to 4096
  } rc_kept_t;

  /// A row of what comes in. Rows of a packet come one after the other, with holes; so do packets.
  typedef struct packed {
    logic                 valid;
    logic                 start;   // with the first row of a packet
    logic                 stop;    // the packet has no more rows; with its last one or alone
    logic [RcRowBits-1:0] row;
  } rc_came_t;

  /// What of a frame's headers the parser does not say (rc_fields).
  typedef struct packed {
    logic [15:0] udp_len;
    logic [7:0]  opcode;
    logic        version;       // TVer is not 0
    logic        ack_request;
    logic [7:0]  syndrome;      // of an ACK packet
    logic [31:0] cast_key;      // of a multicast
    logic [23:0] cast_from;
  } rc_fields_t;

  /// Memories of a node whose words are corrected or looked at, and what a word's address is made
  /// of (MEMORY_LAST).
  typedef enum logic [3:0] {
    MemCameRows = 4'd0,   // rows of packets that came: place and row
    MemCame     = 4'd1,   // what is known of them: place
    MemSentRows = 4'd2,   // the same of packets that are sent
    MemSent     = 4'd3,
    MemMessages = 4'd4,   // messages of the low-latency tree: place and row
    MemHeaders  = 4'd5,   // their headers: group and port
    MemSumming  = 4'd6,   // sums under way: row and half
    MemSums     = 4'd7,   // sums of the low-latency tree: group and row
    MemResults  = 4'd8    // sums behind the half rings: place
  } rc_mem_e;

  /// Whose memory it is (COUNTER_SELECT.scope).
  typedef enum logic [1:0] {
    OfPort      = 2'd0,
    OfLow       = 2'd1,   // the port's low-latency connection,
    OfStreaming = 2'd2,   // its streaming one
    OfTrees     = 2'd3
  } rc_scope_e;

  /// A word of a memory.
  typedef struct packed {
    rc_mem_e     memory;
    rc_scope_e   scope;
    logic [3:0]  port;
    logic [15:0] at;
  } rc_word_t;

  /// What was read of memories: pulses, flipped bits were corrected, and what was written is lost;
  /// and of which word that is said.
  typedef struct packed {
    logic     corrected;
    logic     bad;
    rc_word_t word;
  } rc_memory_t;

  /// What was read of two; of words the one that is lost goes first.
  function automatic rc_memory_t both(rc_memory_t a, rc_memory_t b);
    return '{corrected: a.corrected || b.corrected, bad: a.bad || b.bad,
             word: (a.bad || (a.corrected && !b.bad)) ? a.word : b.word};
  endfunction

  /// The same of as many as a node has ports, at most.
  function automatic rc_memory_t all_of(rc_memory_t [15:0] found);
    for (int unsigned half = 8; half > 0; half /= 2) begin
      for (int unsigned i = 0; i < half; i++) found[i] = both(found[i], found[i+half]);
    end
    return found[0];
  endfunction

  /// Everything of a connection that is set once: whose frames it takes, and how it makes its own.
  /// MAC addresses have their first byte on top.
  typedef struct packed {
    logic [47:0]     local_mac, peer_mac;
    conn_key_t       in;           // of frames that come; VLAN 0: without a tag
    conn_key_t       out;          // of frames that leave
    logic [15:0]     udp_source;
    rc_request_cfg_t request;
    rc_respond_cfg_t respond;
  } rc_conn_cfg_t;

  /// A packet that a connection wants to send.
  typedef struct packed {
    logic [PsnW-1:0] psn;
    logic            ack_request;
    logic            again;       // not for the first time
    logic [15:0]     ip_id;
  } rc_send_t;

  /// A frame that is to leave: of a data packet, of a data packet as a multicast, or of an ACK
  /// packet.
  typedef struct packed {
    logic            ack;
    logic            cast;
    logic [7:0]      opcode;
    logic            solicited;
    logic            ack_request;
    logic [PsnW-1:0] psn;
    logic [31:0]     aeth;        // with `ack`
    logic [15:0]     ip_id;
    logic [12:0]     len;         // payload bytes
  } rc_frame_t;

  /// What a connection does: pulses, for counters.
  typedef struct packed {
    rc_request_events_t request;
    logic               answered;   // an ACK packet came
    logic               acked;      // an ACK packet is to leave
    logic               decided;    // of a data packet that came: what becomes of it
    rc_fate_e           fate;       // with `decided`
    logic               gone;       // a packet's room has come back
  } rc_conn_events_t;

  /// What a port does: pulses, for counters.
  typedef struct packed {
    logic came;          // a frame
    logic frame_error;   // of these: the MAC's, or too long
    logic bad_icrc;
    logic stray;         // of these: of no connection, or nothing that RC data or ACKs are made of
    logic cast_in;       // of these: the parent's multicast
    logic left;          // a frame
    logic cast;          // of these, a multicast is to
  } rc_port_events_t;

  /// UD multicast (docs/wire.md): the opcode of SEND_ONLY, the key and the queue pair of all that
  /// listen, and the addresses of a group.
  localparam logic [7:0] OpCast = 8'h64;
  localparam int unsigned CastHead = 8;   // bytes of the DETH in front of its message
  localparam logic [31:0] CastKey = 32'h5765_6972;
  localparam logic [23:0] CastQpn = 24'hFF_FFFF;

  function automatic logic [127:0] cast_ip(logic v6, logic [15:0] group);
    cast_ip = v6 ? {16'hFF15, 80'd0, 16'h5765, group} : {96'd0, 16'hEF57, group};
  endfunction
  function automatic logic [47:0] cast_mac(logic v6, logic [15:0] group);
    cast_mac = v6 ? {32'h3333_5765, group} : {32'h0100_5E57, group};
  endfunction

  /// The opcode of a packet of SEND.
  function automatic logic [7:0] send_opcode(logic first, logic last);
    unique case ({first, last})
      2'b11:   send_opcode = OpSendOnly;
      2'b10:   send_opcode = OpSendFirst;
      2'b01:   send_opcode = OpSendLast;
      default: send_opcode = OpSendMiddle;
    endcase
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
