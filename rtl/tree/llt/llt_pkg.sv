// What the parts of a low-latency tree's engine, and the lock cells, say to each other
// (docs/tree.md). Header, groups and set-up are those of the streaming tree (sat_pkg).
package llt_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  import sat_pkg::*;

  // ---------------------------------------------------------------------------------------------
  // Lock cells.

  localparam logic [7:0] VerdictLockFailed = 8'd1;
  localparam logic [7:0] VerdictNoResource = 8'd3;
  /// Operations left of a lock without end.
  localparam logic [31:0] LockUnlimited = 32'hFFFF_FFFF;

  typedef enum logic [2:0] {
    LockTake = 3'd0,      // for a request on its way up
    LockSettle = 3'd1,    // its answer came: what it took is kept, or given back
    LockHolds = 3'd2,     // may this group stream?
    LockRelease = 3'd3,   // given back by its owner
    LockDrop = 3'd4       // the tree is no more
  } lock_op_e;

  typedef struct packed {
    lock_op_e    op;
    logic        keep;          // LockSettle
    logic [15:0] tree, group;   // the streaming tree; whose
    logic [31:0] sequence_no;   // of the request: LockTake, LockSettle
    logic [31:0] count;         // LockTake: operations, 0 without end
  } lock_ask_t;

  /// What came of it. If LockTake fails: who is in the way.
  typedef struct packed {
    logic        good;          // a cell was taken, is held, or was there to settle or give back
    logic [7:0]  verdict;       // LockTake
    logic [15:0] tree, group;
    logic [31:0] left;
  } lock_answer_t;

  /// An operation of a group has streamed.
  typedef struct packed {
    logic        valid;
    logic [15:0] tree, group;
  } lock_count_t;

  typedef struct packed {
    logic        used;
    logic        kept;          // else its request is on its way
    logic [15:0] tree, group;
    logic [31:0] sequence_no;   // of the request
    logic [31:0] left;          // operations, or LockUnlimited
  } lock_cell_t;

  // ---------------------------------------------------------------------------------------------
  // The engine.

  /// Longest vector, and the rows of a message that has it, header and all.
  localparam logic [31:0] LowMost = 32'd1024;
  localparam int unsigned LowRows = 17;
  /// Bytes of a message; more are not counted.
  localparam int unsigned BytesW = 11;
  localparam logic [BytesW-1:0] BytesMost = '1;
  localparam int unsigned GroupW = $clog2(Groups);

  // Times, in cycles, that modules count on of each other.
  /// From the request of a row of a port's message, or of a sum, to the row (llt_inbox and llt_sum
  /// are built with it; so are those who ask, llt_sum and llt_send).
  localparam int unsigned LowRow = 3;
  /// A message is taken so long after it is shown, or later (llt_inbox.a_take_time).
  localparam int unsigned TakeAfter = 4;
  /// From the pulse that says that a sum is done until its last row can be asked for
  /// (llt_sum's check).
  localparam int unsigned SumAfter = 4;

  localparam logic [7:0] OpBarrier = 8'd0;
  localparam logic [7:0] OpUnlock = 8'd5;
  localparam logic [7:0] VerdictNoTree = 8'd4;

  /// Answers of a group that were taken from multicasts, and whose reliable copies may be missing:
  /// so many; then it waits for the reliable ones.
  localparam int unsigned CopiesMost = 7;
  localparam int unsigned CopiesW = $clog2(CopiesMost + 1);

  /// A message that is here as a whole (llt_inbox).
  typedef struct packed {
    logic              valid;
    logic              whole;   // it is long enough for a header
    logic [BytesW-1:0] bytes;   // behind that
    sat_head_t         head;
  } low_message_t;

  /// What such a message says (llt_look).
  typedef struct packed {
    logic              valid;
    logic [3:0]        port;
    logic              header;     // it is one
    logic              parent;     // it is from there
    logic              good;       // of this tree, and as long as its header says
    logic              this_tree;
    logic              that_tree;  // of the streaming tree
    logic              known;      // its group is
    logic              child;      // of that group
    logic [GroupW-1:0] group;
    logic              same;       // number of the group's operation
    logic              ahead;      // number behind that one
    logic              asked;      // what the parent was asked for, or that something failed
    logic              cast;       // it came by the parent's multicast
    sat_head_t         head;
  } low_seen_t;

  /// Who was found to be to blame for what.
  typedef struct packed {
    logic [7:0]  verdict;
    logic [15:0] node;
    logic [7:0]  port;   // from 1 on; 0: nobody's
  } low_blame_t;

  /// What becomes of a message (llt_rules). None of it: it waits.
  typedef struct packed {
    logic       takes;      // it is thrown away,
    logic       keeps;      // or of use to its group:
    logic       begins;     // its operation,
    logic       joins;
    logic       answers;    // by the parent
    logic       replies;    // it goes back as an answer with this verdict
    low_blame_t why;
    logic       copies;     // it is the reliable copy of an answer that a multicast brought
    logic       tears;      // it says that a tree is no more
    logic       refuses;    // it says nothing
  } low_fate_t;

  /// Where a group's operation is.
  typedef enum logic [2:0] {
    LowIdle = 3'd0,
    LowGathers = 3'd1,   // some children have contributed
    LowRises = 3'd2,     // all have; the sum is made, or waits for room
    LowWaits = 3'd3,     // for the parent's answer
    LowAnswers = 3'd4    // the answer goes to each child
  } low_phase_e;

  /// A group's headers are to be scanned (llt_scan): of these ports, for an operation that goes up
  /// or ends here; or it is too late for the others, for this reason.
  typedef struct packed {
    logic                start;
    logic                up;
    logic                late;
    low_blame_t          why;
    logic [MaxPorts-1:0] come;
  } low_scan_t;

  /// What all of them want together, and who has a vector.
  typedef struct packed {
    logic                done;
    logic                good;      // they agree
    sat_head_t           head;
    logic [MaxPorts-1:0] carrying;
  } low_scanned_t;

  /// A group's answer is owed to those of its children who want the vector, and to the rest.
  typedef struct packed {
    logic                valid;
    logic [MaxPorts-1:0] want;
    logic [MaxPorts-1:0] rest;
  } low_owe_t;

  /// What a message is sent of (llt_send).
  typedef struct packed {
    sat_head_t           head;
    logic                carries;      // behind the header
    logic                from_parent;  // as it came from there; else the sum
    logic [GroupW-1:0]   group;
    logic [MaxPorts-1:0] to;
  } low_send_t;

  /// A vector to be summed (llt_sum).
  typedef struct packed {
    logic [GroupW-1:0]   group;
    logic [7:0]          elem;
    logic [4:0]          rows;      // of the message with the vector, 1 to LowRows
    logic [MaxPorts-1:0] children;  // who have one
  } low_sum_t;

  /// The end of this tree, or of the streaming one.
  typedef struct packed {
    logic                valid;
    logic                low;      // this one, and with it the other; else that one alone
    low_blame_t          why;
    logic [MaxPorts-1:0] except;   // neighbours who are not told
  } low_end_t;

  /// A change of what is set up while the trees are open: of a group, or the streaming tree begins
  /// once more, from nothing.
  typedef struct packed {
    logic              valid;    // until it is answered
    logic              reopen;   // else
    logic [GroupW-1:0] group;
  } low_change_t;

  /// What is decided, in the order in which it is: a model that is told so comes to the same.
  typedef struct packed {
    logic              message;    // the oldest one of this port,
    logic              cast;       // or one for this group, by the parent's multicast, its answer
    logic              expired;    // this group's operation
    logic              ended;      // a tree, for a neighbour who is lost (low) or by itself
    logic              changed;    // what is asked for is, or is refused
    logic              change_good;
    logic [3:0]        port;
    logic [GroupW-1:0] group;
    low_end_t          ending;     // which, and why
  } low_observed_t;

  /// The same of a whole node, and what else comes to its lock cells: their order is seen, too.
  typedef struct packed {
    low_observed_t low;
    logic          asked;     // whether a lock may be taken, or who holds it
    logic          counted;   // an operation has streamed; behind what is asked in this cycle
  } node_observed_t;

  /// What happened, pulses for counters.
  typedef struct packed {
    logic refused;        // a message that was no contribution, or is answered at once
    logic done;           // an operation
    logic failed;         // of these, with another verdict than ok
    logic locked;         // a cell was taken
    logic lock_failed;    // or was not there
    logic unlocked;       // one was given back, but for those that were counted down
    logic torn_down;      // a tree
    logic cast;           // an answer was taken from the parent's multicast
  } low_events_t;

  /// The first of these ports, from 1 on; 0: there is none.
  function automatic logic [7:0] lowest_port(logic [MaxPorts-1:0] ports);
    lowest_port = '0;
    for (int unsigned p = MaxPorts; p > 0; p--) if (ports[p-1]) lowest_port = 8'(p);
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
