// Times, in cycles, that modules of the aggregator count on of each other.
//
// Each stands here once. Who keeps a time is built with its name or asserts it; who relies on one
// asserts it, so that a change on one side is seen on the other. Below stands what turns red: an
// assertion, a check at elaboration, or where there is neither, a unit test.
package agg_timing_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  // Look-up. From a query to its answer: of the connection table (agg_lookup.a_conn_answer, and
  // agg_lookup_set waits for it), and of the message history (agg_lookup.a_answer).
  localparam int unsigned ConnAnswer = 2;
  localparam int unsigned MessageAnswer = 2;

  // Slot state. From the acceptance of a packet or a take to its verdict or answer, one more with
  // corrected memories (agg_slot_state.a_verdict_time, a_take_time; agg_port and agg_flush are
  // built on it).
  localparam int unsigned SlotAnswer = 5;

  // Writing to banks. A packet's first beat is read in cycle F, its last one in cycle L.
  /// Header row 0 leaves agg_align at F + AlignHeader, row 1 behind it (agg_port.a_header_time).
  localparam int unsigned AlignHeader = 2;
  /// A payload row that is complete with beat k leaves at F + k - 1 + AlignRow: row 0 at F +
  /// AlignRow, or one later if headers fill the first beat (agg_port.a_row_time); the last one by L
  /// + AlignRow.
  localparam int unsigned AlignRow = 4;
  /// Pad bytes are known last: header row 1 leaves once more at L + AlignPad (agg_port.a_pad_time).
  localparam int unsigned AlignPad = 5;
  /// From a port's write to that of its bank (agg_store.a_write_time; agg_port's check of what it
  /// is part of).
  localparam int unsigned StoreWrite = 1;
  /// The next owner of a bank reads its first beat at L + BankHandover or later
  /// (agg_port.a_handover, agg_store.a_one_writer).
  localparam int unsigned BankHandover = 3;

  /// From the request of a bank's row to the row, one more with corrected memories (agg_bank is
  /// built with it, agg_emit_read for it; agg_bank's check, test_agg_bank).
  localparam int unsigned BankRead = 2;

  /// So long look-up and ports must be quiet before a flush: longer than a verdict takes
  /// (agg_flush's check). agg_core.a_flush_quiet sees a flush that does not wait for them, not how
  /// long it waits.
  localparam int unsigned FlushQuiet = 15;
  /// Without a frame for so long, a port is taken to be empty: longer than frames are in the
  /// ingress and seen by nobody (weir_counters.a_no_frame_lost, a_sum).
  localparam int unsigned PortQuiet = 31;

  // verilator lint_on UNUSEDPARAM
endpackage
