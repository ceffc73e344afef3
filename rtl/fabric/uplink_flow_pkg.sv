// What the flow control and the monitors of an uplink device have in common: what is counted, how
// much room a pause needs, which packets have an order.
package uplink_flow_pkg;

  import shell_pkg::*;

  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  /// What a port counts. Of what a MAC hands over, each frame is one of the first six; of what the
  /// inside hands over, one of the next two, once it is out of its queue.
  typedef enum logic [3:0] {
    FlowRx,           // a frame that was handed to the inside
    FlowDropRoom,     // one that found no room
    FlowDropLong,     // one of more than `MaxBeats` beats
    FlowDropBad,      // one that the MAC found in error
    FlowRxPause,      // a pause frame that was obeyed
    FlowRxControl,    // another MAC control frame, or one in error
    FlowTx,           // a frame that was sent
    FlowDropStorm,    // a frame of a priority that has been paused for too long
    FlowTxPause,      // a pause frame that was sent
    FlowHeldCycles,   // cycles in which the neighbour pauses a priority
    FlowXoffCycles,   // cycles in which it is asked to
    FlowStorm,        // a pause became too long; once a priority
    FlowAlarm         // the buffer came to be too full
  } flow_e;
  localparam int unsigned NumFlow = 13;

  /// Beats that can come between the cycle in which `xoff_level` of them are in a queue and that in
  /// which nothing comes any more, at most one a cycle. `delay`: of the cable and what is at its
  /// ends, one way, in cycles; `frame`: of the longest frame each way, in cycles. A pause frame
  /// waits for the frame that is leaving, and so does one before it, if another queue has just
  /// asked for one; the neighbour ends one of his. The rest is what passes inside here: the level
  /// is seen, the frame made and taken through the last stage, its verdict obeyed.
  localparam int unsigned HeadroomFixed = 10;
  function automatic int unsigned headroom(int unsigned delay, int unsigned frame);
    headroom = 2 * delay + 3 * frame + HeadroomFixed;
  endfunction

  /// The priority of a frame by its first beat: of its 802.1Q tag; without one the upper three bits
  /// of the DSCP (Meta RoCE 5.1); 0 if it is no IP either.
  function automatic logic [2:0] flow_prio(bytes_t data, keep_t keep);
    flow_prio = '0;
    if (be16(data, 12) == 16'h8100) flow_prio = data[14][7:5];
    if (be16(data, 12) == 16'h0800 && data[14][7:4] == 4'd4 && keep[15]) flow_prio = data[15][7:5];
    if (be16(data, 12) == 16'h86DD && data[14][7:4] == 4'd6) flow_prio = data[14][3:1];
    if (!keep[14]) flow_prio = '0;
  endfunction

  /// What a packet's sequence number says (Meta RoCE 6.3.1).
  typedef enum logic [2:0] {
    OrderNext,        // the next one, or one behind a READ request, which takes up numbers
    OrderNew,         // the first packet of its connection
    OrderGap,         // packets before it are missing
    OrderDuplicate,   // its number was passed
    OrderFull         // there was no place for its connection, or the table was being cleared
  } order_e;
  localparam int unsigned NumOrder = 5;

  /// What names a connection: where it goes, IPv4 as mapped into IPv6.
  typedef struct packed {
    logic [127:0] dst;
    logic [23:0]  qpn;
  } conn_name_t;

  /// A place of the table of connections (uplink_order): where it goes, the number that comes next,
  /// and what was out of sequence, up to the highest number that there is room for.
  typedef struct packed {
    logic         used;
    logic [127:0] dst;   // IPv4 as mapped into IPv6
    logic [23:0]  qpn;
    logic [23:0]  psn;
    logic [15:0]  gaps;
    logic [15:0]  duplicates;
  } conn_t;

  /// RC requests, whose numbers go on one by one: SEND, WRITE, READ request, atomics, SEND with
  /// invalidate. Responses repeat numbers of the other direction.
  localparam logic [7:0] OpReadRequest = 8'h0C;
  function automatic logic has_order(logic [7:0] opcode);
    has_order = opcode <= OpReadRequest || (opcode >= 8'h13 && opcode <= 8'h17);
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
