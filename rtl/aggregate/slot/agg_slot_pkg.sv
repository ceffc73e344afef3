// What moves through the slot-state pipeline: one operation a cycle, and the record it reads and
// writes.
//
// Fields have the widths of agg_pkg, good for any configuration; agg_slot_state packs a record
// tightly for its RAM.
package agg_slot_pkg;
  import roce_pkg::*;
  import agg_pkg::*;

  // One-hot: the record's loop has no time to decode.
  typedef enum logic [4:0] {
    SlotDecide = 5'b00001,
    SlotCommit = 5'b00010,
    SlotTake   = 5'b00100,
    SlotFree   = 5'b01000,
    SlotFlush  = 5'b10000
  } slot_kind_e;

  typedef struct packed {
    slot_kind_e          op;
    logic                touch;        // reads and writes a record; what look-up decided does not
    logic                first;        // Commit: of a Stored packet
    logic                ahead;        // Commit: a take without a job comes behind it
    logic [SlotW-1:0]    slot;
    logic [31:0]         msgid;        // Free: the tag that the slot waits for
    logic [PortW-1:0]    port;
    logic [RankW-1:0]    rank;
    logic [MaxPorts-1:0] port_ready;   // Take
    // Decide only.
    fate_e               fate;
    logic [ConnW-1:0]    conn;
    logic [RingW-1:0]    ring;
    logic                of_ring;
    logic [RankW:0]      workers;
    logic [SlotW-1:0]    offset;
    logic [2:0]          window_log2;
    logic [7:0]          kind;
    logic [13:0]         tensor_len;
    // Decide only, in a tree.
    logic                parent;       // the ring has a parent
    logic                devices;      // the ring's children are devices
    logic                ends;         // its message begins or ends with it
  } slot_op_t;

  /// One column. `empty`, `complete` and `missing` are kept ready-made because the decision has no
  /// time to count ranks.
  typedef struct packed {
    logic                           valid;
    logic                           empty;         // no rank accepted
    logic                           complete;      // every worker's packet is in the banks
    logic                           first_pending; // complete, and nothing emitted yet
    // It has packets in the banks: some rank's was accepted, and their sum is not taken. If it is
    // not complete and the pair's place has become the other slot's (slot_place_t), it is over.
    logic                           held;
    logic                           stray;         // its job is queued though its dues are gone
    logic                           parent;        // in a tree: the ring has a parent
    logic                           devices;       // in a tree: the ring's children are devices
    logic                           answered;      // in a tree: the parent's result has come
    logic                           ends;          // in a tree: messages begin or end with it
    // With Ecc: memory lost it, and it stays so until its ring is flushed. Then nothing else of it
    // counts but `stray`, and `empty`: whether it is known already that its packets are lost.
    logic                           lost;
    logic [31:0]                    tag;           // MsgID
    logic [7:0]                     kind;
    logic [13:0]                    tensor_len;
    logic [RankW:0]                 workers;
    logic [2:0]                     window_log2;
    logic [RingW-1:0]               ring;
    logic [SlotW-1:0]               offset;
    logic [MaxRanks-1:0]            accepted;
    logic [MaxRanks-1:0]            missing;       // workers whose packet is not in its bank yet
    logic [MaxRanks-1:0]            owed;          // results due
    logic [MaxRanks-1:0][PortW-1:0] port;          // where each rank's latest packet came in
  } slot_rec_t;

  /// The place in the banks that the two slots of a pair share.
  typedef struct packed {
    logic second;   // it is the second slot's: that began a column there last
    // What its owner has there is needed: the column is complete and its sum not taken, or a packet
    // of it is on its way. Else the other slot may begin a column, and the owner's is over.
    logic needed;
  } slot_place_t;

  /// How an operation's packet relates to a record.
  typedef struct packed {
    logic same_tag;
    logic older;       // the packet, by serial numbers of 32 bits
    logic same_kind;
    logic same_len;
  } slot_rel_t;

  /// What one operation did.
  typedef struct packed {
    fate_e               fate;         // Decide
    logic                restart;      // Decide: the record starts a new column with this packet
    logic                set_tag;      // the record's tag is the operation's now
    logic [MaxRanks-1:0] moves;        // Commit: ranks whose port is the operation's now
    logic                completes;    // Commit: first results are due
    logic                push_first;
    logic                push_again;
    take_e               take;
    logic [MaxRanks-1:0] ranks;        // Take: to be emitted
    logic                first_take;   // Take: the column's first emission
    logic                sum;          // Take: of the packets, whose sum nobody has taken yet
    logic                note;         // Take: of a notification to the parent's side
  } slot_result_t;

  /* verilator lint_off UNUSEDSIGNAL */
  /// What a port is told of its packet.
  function automatic verdict_t verdict_of(slot_op_t op, fate_e fate, logic fills);
    verdict_of.port  = op.port;
    verdict_of.fate  = fate;
    verdict_of.conn  = op.conn;
    verdict_of.rank  = op.rank;
    verdict_of.slot  = op.slot;
    verdict_of.msgid = op.msgid;
    verdict_of.fills = fills;
  endfunction

  /// What emission is told of a take that left `rec` behind.
  function automatic take_rsp_t taken_of(logic [SlotW-1:0] slot, slot_rec_t rec,
                                         slot_result_t result);
    taken_of.status     = result.take;
    taken_of.more       = result.take == TakeDone && rec.owed != '0;
    taken_of.sum        = result.sum;
    taken_of.kept       = !result.sum;
    taken_of.ranks      = result.ranks;
    taken_of.port       = rec.port;
    taken_of.ring       = rec.ring;
    taken_of.workers    = rec.workers;
    taken_of.kind       = rec.kind;
    taken_of.tensor_len = rec.tensor_len;
    taken_of.slot       = slot;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  /// What of an operation, and of the record in front of it, others are told (agg_slot_tell): no
  /// other field is kept for so long.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic slot_op_t op_told(input slot_op_t op);
    op_told         = '0;
    op_told.touch   = op.touch;
    op_told.slot    = op.slot;
    op_told.msgid   = op.msgid;
    op_told.port    = op.port;
    op_told.rank    = op.rank;
    op_told.conn    = op.conn;
    op_told.ring    = op.ring;
    op_told.of_ring = op.of_ring;
    op_told.offset  = op.offset;
  endfunction
  function automatic slot_rec_t rec_told(input slot_rec_t rec);
    rec_told          = '0;
    rec_told.valid    = rec.valid;
    rec_told.empty    = rec.empty;
    rec_told.lost     = rec.lost;
    rec_told.complete = rec.complete;
    rec_told.parent   = rec.parent;
    rec_told.answered = rec.answered;
    rec_told.workers  = rec.workers;
    rec_told.accepted = rec.accepted;
    rec_told.owed     = rec.owed;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  /// Ranks 0 to workers-1.
  function automatic logic [MaxRanks-1:0] ranks_of(input logic [RankW:0] workers);
    logic [MaxRanks-1:0] mask;
    for (int unsigned r = 0; r < MaxRanks; r++) mask[r] = (RankW + 1)'(r) < workers;
    return mask;
  endfunction

  /// Whether a column's packets are needed in the banks: it is complete and their sum is not taken,
  /// or one of them is on its way there.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic needs_banks(input slot_rec_t rec);
    return rec.held && (rec.complete || (rec.accepted & rec.missing) != '0);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic slot_rel_t relate(input logic [31:0] msgid, input logic [7:0] kind,
                                       input logic [13:0] tensor_len, input logic [31:0] tag,
                                       input logic [7:0] rec_kind, input logic [13:0] rec_len);
    slot_rel_t rel;
    rel.same_tag  = (msgid == tag);
    rel.older     = 32'(msgid - tag) >= 32'h8000_0000;
    rel.same_kind = (kind == rec_kind);
    rel.same_len  = (tensor_len == rec_len);
    return rel;
  endfunction

endpackage
