// What the parts of a streaming tree's engine say to each other (docs/tree.md), and the header that
// each message of a tree begins with (docs/wire.md).
package sat_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  /// Most ports of a node; fields of ports have so many bits, whatever NumPorts is.
  localparam int unsigned MaxPorts = 16;
  /// Groups that a node knows of a tree.
  localparam int unsigned Groups = 4;
  /// Payload bytes of a packet: 0 to 4096, and the rows of the longest one.
  localparam int unsigned LenW = 13;
  localparam int unsigned MaxRows = 64;
  localparam int unsigned RowsW = 7;
  /// Cycles from a question of sat_look to its answer (sat_gather.a_look_time).
  localparam int unsigned LookAnswer = 3;
  /// Microseconds of a patience.
  localparam int unsigned WaitW = 24;

  // ---------------------------------------------------------------------------------------------
  // The aggregation header.

  localparam logic [31:0] TreeTag = 32'h5472_6565;
  localparam int unsigned HeadBytes = 32;
  localparam int unsigned HeadBits = 8 * HeadBytes;
  /// Longest vector: the message, with its header, has 2^31 bytes at most.
  localparam logic [31:0] VectorMost = 32'h8000_0000 - 32'(HeadBytes);

  localparam logic [7:0] KindUp = 8'd1;
  localparam logic [7:0] KindDown = 8'd2;
  localparam logic [7:0] KindTeardown = 8'd3;

  localparam logic [7:0] OpAllReduce = 8'd1;
  localparam logic [7:0] OpReduce = 8'd2;
  localparam logic [7:0] OpBroadcast = 8'd3;
  localparam logic [7:0] OpLock = 8'd4;
  localparam logic [7:0] OpMost = 8'd5;

  localparam logic [7:0] VerdictOk = 8'd0;
  localparam logic [7:0] VerdictDenied = 8'd2;
  localparam logic [7:0] VerdictTimeOut = 8'd5;
  localparam logic [7:0] VerdictLost = 8'd6;
  localparam logic [7:0] VerdictMost = VerdictLost;

  /// Its flags.
  typedef struct packed {
    logic [5:0] none;
    logic       wants;     // of contributions: somebody below wants the result
    logic       carries;   // the vector follows
  } sat_flags_t;

  /// The header, byte 0 in the highest bits, so that its fields are numbers.
  typedef struct packed {
    logic [31:0] tag;
    logic [7:0]  kind;
    logic [7:0]  operation;
    logic [7:0]  elem;        // type of elements and what is done to them
    sat_flags_t  flags;
    logic [15:0] tree;
    logic [15:0] group;
    logic [31:0] sequence_no;
    logic [31:0] length;      // of the vector in bytes, whether it follows or not
    logic [31:0] count;
    logic [7:0]  verdict;
    logic [7:0]  port;
    logic [15:0] node;
    logic [15:0] holder_tree;
    logic [15:0] holder_group;
  } sat_head_t;

  /// The header in the first bytes of a row, byte 0 in bits 7:0; and back: it is its own inverse.
  function automatic logic [HeadBits-1:0] turned(logic [HeadBits-1:0] bytes);
    for (int unsigned i = 0; i < HeadBytes; i++) begin
      turned[8*i+:8] = bytes[8*(HeadBytes-1-i)+:8];
    end
  endfunction

  /// What is a header at all: tag, and only codes that there are.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic is_head(sat_head_t h);
    // verilator lint_on UNUSEDSIGNAL
    return h.tag == TreeTag && h.kind >= KindUp && h.kind <= KindTeardown &&
        h.operation <= OpMost && h.verdict <= VerdictMost && h.flags.none == '0;
  endfunction

  /// Operations with a vector; nothing else streams.
  function automatic logic has_vector(logic [7:0] operation);
    return operation inside {OpAllReduce, OpReduce, OpBroadcast};
  endfunction

  /// Of an operation with a vector: flags and length that it has.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic vector_possible(sat_head_t h);
    // verilator lint_on UNUSEDSIGNAL
    logic ragged;
    ragged = h.length[0] || (h.length[1] && !roce_pkg::is_half(h.elem[3:0]));
    if (!has_vector(h.operation)) return 1'b0;
    if (h.elem[3:0] > roce_pkg::TypeInt32 || h.elem[7:4] > roce_pkg::OpMax) return 1'b0;
    if (h.length == '0 || ragged) return 1'b0;
    unique case (h.operation)
      OpAllReduce: return h.flags.carries && h.flags.wants;
      OpReduce:    return h.flags.carries;
      default:     return h.flags.carries || h.flags.wants;
    endcase
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The engine.

  /// A group as this node has it.
  typedef struct packed {
    logic                valid;
    logic [15:0]         id;
    logic [MaxPorts-1:0] children;   // with hosts of it below them; of the tree's children
    logic                up;         // it has hosts that are not below this node
  } sat_group_t;

  /// How a tree is set up.
  typedef struct packed {
    logic                    parent_valid;   // else this is the root
    logic [3:0]              parent;         // its port
    logic [MaxPorts-1:0]     children;       // ports with a child, not with the parent
    logic [15:0]             tree, node;     // numbers on the wire
    logic [LenW-1:0]         mtu;            // 256 to 4096, a power of two
    logic [WaitW-1:0]        patience;       // microseconds, for children
    logic [WaitW-1:0]        patience_up;    // for the parent, once it has all
    sat_group_t [Groups-1:0] groups;
  } sat_cfg_t;

  /// The tree's lock, as the lock cells have it.
  typedef struct packed {
    logic                      valid;   // somebody holds it, and has operations left
    logic [$clog2(Groups)-1:0] group;   // who
  } sat_lock_t;

  /// The end of a tree: why, and who is to blame. It stays until the tree is opened anew.
  typedef struct packed {
    logic        valid;
    logic [7:0]  verdict;
    logic [15:0] node;
    logic [7:0]  port;   // of the node, from 1 on; 0: nobody's
  } sat_end_t;

  /// What happened, pulses for counters.
  typedef struct packed {
    logic refused;   // a message that was no contribution
    logic column;    // packets of all children became one
    logic done;      // an operation
  } sat_events_t;

  /// What a child's oldest packet says (sat_look).
  typedef struct packed {
    logic                      valid;
    logic                      scan;         // asked for by the scan of all children
    logic [3:0]                port;
    logic                      last;         // of its message
    logic                      alone;        // the header and nothing else
    logic                      ours;         // begins a contribution to this tree
    logic                      known;        // of a group that has this child, and may stream
    logic [$clog2(Groups)-1:0] group;
    logic                      possible;     // flags and length that the operation has
    sat_head_t                 head;
  } sat_seen_t;

  /// The operation that all children agree on (sat_gather); it stands until it is done. If the tree
  /// ends before, it stands until that is opened anew.
  typedef struct packed {
    logic                valid;      // they have, and it is not done
    logic                up;         // the sum goes to the parent; else it turns round here
    sat_head_t           head;       // of the sum on its way up
    logic [MaxPorts-1:0] come;       // the group's children
    logic [MaxPorts-1:0] carrying;   // of these, who has a vector,
    logic [MaxPorts-1:0] wanting;    // and who wants the result
  } sat_op_t;

  /// A packet that was brought into the ring (sat_issue), for who makes packets behind it.
  typedef struct packed {
    logic            bare;          // the header alone; no rows of it come
    logic            first, last;   // of its message
    logic [LenW-1:0] len;
  } sat_piece_t;

  /// The header on its way down.
  function automatic sat_head_t answer_of(sat_head_t h, logic carries);
    answer_of = h;
    answer_of.kind = KindDown;
    answer_of.flags = '{none: '0, wants: 1'b0, carries: carries};
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
