// What both halves of an RC connection that the device ends say to each other (InfiniBand 9.7,
// docs/tree.md).
package rc_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  import roce_pkg::*;

  localparam int unsigned PsnW = 24;
  /// A number of credits: 0 to 32768.
  localparam int unsigned CreditW = 16;
  /// Microseconds of a time-out, of a wait.
  localparam int unsigned WaitW = 24;

  /// Syndromes of an AETH: low five bits of an ACK are a credit code, of RNR a timer code.
  localparam logic [7:0] SyndromeAck = 8'h1F;   // acknowledges, and counts no credits
  localparam logic [7:0] SyndromeRnr = 8'h20;
  localparam logic [7:0] SyndromeSequence = 8'h60;
  localparam logic [7:0] SyndromeInvalid = 8'h61;

  /// What ends a connection for good.
  typedef enum logic [2:0] {
    RcGood = 3'd0,
    RcUnanswered = 3'd1,   // no answer, as often as it was tried
    RcNeverReady = 3'd2,   // "receiver not ready", as often as it was tried
    RcRefused = 3'd3,      // the other end found a request that cannot be
    RcImpossible = 3'd4    // this end did: order of opcodes, or a length
  } rc_fault_e;

  /// How a requester is set up.
  typedef struct packed {
    logic [PsnW-1:0]  psn;             // of the first packet
    logic [3:0]       ack_every_log2;  // asks for an ACK every 2**this packets: 0 to 8
    logic [WaitW-1:0] timeout;         // microseconds, Local ACK Timeout
    logic [2:0]       retries;         // for a time-out or a NAK, to the same packet
    logic [2:0]       rnr_retries;     // after "not ready"; 7: without end
  } rc_request_cfg_t;

  /// An ACK packet that came in.
  typedef struct packed {
    logic [PsnW-1:0] psn;
    logic [7:0]      syndrome;
  } rc_answer_t;

  /// What a requester does, pulses for counters.
  typedef struct packed {
    logic sent;
    logic repeated;       // of these, not for the first time
    logic limited;        // of these, without a credit, for the first time
    logic acknowledged;   // an answer brought something new
    logic sequence_nak;
    logic rnr_nak;
    logic timeout;
  } rc_request_events_t;

  /// How a responder is set up.
  typedef struct packed {
    logic [PsnW-1:0] psn;         // of the first packet to come
    logic [12:0]     mtu;         // payload bytes of a packet: 256 to 4096, a power of two
    logic [7:0]      coalesce;    // an ACK leaves after so many packets at the latest: 1 or more
    logic [9:0]      ack_delay;   // cycles; one that was asked for leaves so late
    logic [4:0]      rnr_timer;   // code
    logic            no_credits;  // tells none
  } rc_respond_cfg_t;

  /// A data packet that came in.
  typedef struct packed {
    logic [7:0]      opcode;      // of SEND or WRITE
    logic [PsnW-1:0] psn;
    logic            ack_request;
    logic            length_bad;  // lengths in its headers do not agree
    logic [12:0]     len;         // payload bytes without pad bytes
  } rc_data_t;

  /// What becomes of it.
  typedef enum logic [2:0] {
    RcTaken = 3'd0,
    RcDuplicate = 3'd1,   // older than expected; acknowledged once more
    RcGap = 3'd2,         // newer than expected
    RcNoRoom = 3'd3,
    RcInvalid = 3'd4,     // cannot be; the connection ends
    RcClosed = 3'd5       // it has ended, or is not set up
  } rc_fate_e;

  /// An ACK packet that is to leave.
  typedef struct packed {
    logic [PsnW-1:0] psn;
    logic [7:0]      syndrome;
    logic [23:0]     msn;         // messages taken in whole
  } rc_ack_t;

  // What a connection and who uses it hand each other: packets as rows of 64 payload bytes, byte 0
  // in bits 7:0.
  localparam int unsigned RcRowBits = 512;

  /// The oldest packet that came and was not claimed yet.
  typedef struct packed {
    logic         valid;
    logic         first, last;   // of its message
    logic [12:0]  len;           // payload bytes, 0 to 4096
    logic [255:0] head;          // the first 32 of them
  } rc_packet_t;

  /// A row of a packet that is to leave; rows of a packet come one after the other, with holes.
  typedef struct packed {
    logic                 valid;
    logic                 start, stop;   // first and last row of the packet
    logic                 first, last;   // with start: of its message
    logic [12:0]          len;           // with start: payload bytes, 1 to 4096
    logic [RcRowBits-1:0] row;
  } rc_row_t;

  /// Credits of a code (InfiniBand, table 46): 1, 2, 3, then in turn 4/3 and 3/2 of the one before.
  function automatic logic [CreditW-1:0] credits_of(logic [4:0] code);
    // Code 2k is 2**k, code 2k + 1 half as much again, but 0 and 1 are what they say. Bit by bit,
    // so that each is a function of five bits and nothing is shifted.
    credits_of = '0;
    for (int unsigned b = 0; b < CreditW; b++) begin
      credits_of[b] = (32'(code[4:1]) == b && (b != 0 || code[0])) ||
          (code[0] && 32'(code[4:1]) == b + 1);
    end
  endfunction

  /// Microseconds of an RNR timer code (InfiniBand, table 45).
  function automatic logic [WaitW-1:0] rnr_wait_of(logic [4:0] code);
    if (code == 5'd0) return WaitW'(655360);
    if (code < 5'd4) return WaitW'(10) * WaitW'(code);
    // In hundredths of a millisecond, code 2k is 2**k, code 2k + 1 half as much again.
    return (WaitW'(10) * WaitW'({1'b1, code[0]})) << (code[4:1] - 4'd1);
  endfunction

  /// Order of opcodes: does a packet of SEND or WRITE begin a message, end one, write?
  function automatic logic begins(logic [7:0] opcode);
    return opcode inside {OpSendFirst, OpSendOnly, OpSendOnlyImm, OpSendOnlyInv,
                          OpWriteFirst, OpWriteOnly, OpWriteOnlyImm};
  endfunction
  function automatic logic ends(logic [7:0] opcode);
    return !(opcode inside {OpSendFirst, OpSendMiddle, OpWriteFirst, OpWriteMiddle});
  endfunction
  function automatic logic writes(logic [7:0] opcode);
    return opcode inside {OpWriteFirst, OpWriteMiddle, OpWriteLast, OpWriteLastImm, OpWriteOnly,
                          OpWriteOnlyImm};
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
