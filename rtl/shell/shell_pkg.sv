// What modules of the shell have in common: sizes, a beat's data, what pause frames look like.
package shell_pkg;

  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM
  // verilator lint_off UNUSEDSIGNAL

  /// Bytes of a beat. One beat holds a whole pause frame, and a frame that needs padding.
  localparam int unsigned BeatBytes = 64;
  localparam int unsigned BeatBits = 8 * BeatBytes;
  /// Shortest frame without FCS, bytes.
  localparam int unsigned MinFrame = 60;
  /// Priorities of IEEE 802.1Q.
  localparam int unsigned NumPrios = 8;

  /// Bytes of a beat as they are on the wire, the first one in `[0]`.
  typedef logic [BeatBytes-1:0][7:0] bytes_t;
  typedef logic [BeatBytes-1:0] keep_t;
  /// The queue of each priority.
  typedef logic [NumPrios-1:0][2:0] queue_of_t;

  /// MAC control (IEEE 802.3 annex 31): address and type, as numbers whose first byte is the
  /// highest.
  localparam logic [47:0] ControlMac = 48'h0180_C200_0001;
  localparam logic [15:0] ControlType = 16'h8808;
  localparam logic [15:0] OpPause = 16'h0001;
  localparam logic [15:0] OpPfc = 16'h0101;

  /// The events that a port counts.
  typedef enum logic [2:0] {
    EventRxDrop,     // a received frame that found no room, or a reset
    EventRxPause,    // a pause frame that was obeyed
    EventRxControl,  // another MAC control frame, or one in error; it ends here too
    EventTxDrop,     // a frame from the core that is longer than its queue, or met a reset
    EventTxPause,    // a pause frame that was sent
    EventWatchdog    // a pause that lasted too long
  } event_e;
  localparam int unsigned NumEvents = 6;

  /// Two bytes as a number, the first one high.
  function automatic logic [15:0] be16(bytes_t data, int unsigned at);
    be16 = {data[at], data[at+1]};
  endfunction

  /// The priority of a frame by its first beat: that of its outer VLAN tag, else `untagged`.
  /// `has_tag`: the frame is long enough for one (byte 14 is kept).
  function automatic logic [2:0] prio_of(bytes_t data, logic has_tag, logic [2:0] untagged);
    prio_of = untagged;
    if (has_tag && (be16(data, 12) == 16'h8100 || be16(data, 12) == 16'h88A8))
      prio_of = data[14][7:5];
  endfunction

  /// The highest queue that is named.
  function automatic int unsigned highest(queue_of_t queue_of);
    highest = 0;
    for (int unsigned p = 0; p < NumPrios; p++) begin
      if (32'(queue_of[p]) > highest) highest = 32'(queue_of[p]);
    end
  endfunction

  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_on UNUSEDPARAM

endpackage
