// The beginning of each operation: who has contributed, and whether all agree.
//
// The first packet of a child's message says what it is. It stays in its queue, and holds back the
// rest, until the sum's first packet is made; so a child that is early waits, and nobody waits for
// it. Who is not of the group that holds the lock is refused: it gets its header back as an answer,
// *denied*, and the rest of its message is thrown away. What is no contribution is thrown away
// without an answer.
//
//   want -> [select] -> [look: port] -> [look: fields] -> decide: claim, refuse, or `come`, and
//                                                          then to sat_agree, too; if not all agree
//                                                          the same way again, child by child
//
// A packet that cannot be decided on yet is looked at again later: the lock is being counted, the
// port has no room for a refusal, rows of packets before it are still to be read. Nobody stands
// behind it: ports are looked at in turn. A refusal is posted in the second cycle behind its
// decision, if the lock is the same in between and the port has room, or decided anew.
module sat_gather
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Cycles behind `done_i` until `lock_i` counts it, 1 to 15.
  parameter int unsigned LockLate = 4,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                      open_i,     // the tree is there; as long as it is
  input sat_cfg_t                  cfg_i,
  input sat_lock_t                 lock_i,

  // Oldest packets of the queues; what is claimed here is thrown away. Not while `owed_i`: rows of
  // packets claimed before are to be read.
  input  rc_packet_t [NumPorts-1:0] oldest_i,
  input  logic       [NumPorts-1:0] owed_i,
  output logic       [NumPorts-1:0] drop_o,

  // A header that goes back to a port, as a message; with `refuse_ready_i` it is posted in the next
  // cycle, and the header stands for another one.
  output logic [NumPorts-1:0] refuse_o,
  output logic                refuse_valid_o,
  output sat_head_t           refuse_head_o,
  input  logic                refuse_ready_i,
  output logic [NumPorts-1:0] posted_o,

  // The operation under way; `done_i`: it has ended.
  output sat_op_t                   op_o,
  output logic                      first_o,     // pulse: the first header of one is in op_o
  output logic                      agreed_o,    // pulse, with the first cycle of op_o.valid
  output sat_end_t                  blame_o,     // pulse: the children's headers do not agree
  output logic                      begun_o,     // pulse: the first child of an operation has come
  output logic                      active_o,    // from begun_o until done_i
  output logic [$clog2(Groups)-1:0] group_o,     // whose operation it is, or the last one was
  output logic [NumPorts-1:0]       missing_o,   // children of that group that have not come
  input  logic                      done_i,
  output logic                      refused_o    // pulse: a contribution is refused
);

  typedef logic [NumPorts-1:0] ports_t;

  logic                      active_q, all_q;
  logic [$clog2(Groups)-1:0] group_q;
  ports_t                    come_q, discards_q, scan_left_q;
  logic [3:0]                hold_q;   // the lock is being counted
  logic                      held_q;   // for another cycle at least
  // verilator lint_off UNUSEDSIGNAL
  sat_group_t                group;   // not its number
  // verilator lint_on UNUSEDSIGNAL

  assign group     = cfg_i.groups[group_q];
  assign active_o  = active_q;
  assign group_o   = group_q;
  assign missing_o = group.children[NumPorts-1:0] & ~come_q;

  // ---------------------------------------------------------------------------------------------
  // Who is looked at: children of the scan, else whoever is not of the operation yet.

  ports_t           want_q, pick, look0_q, look1_q, look2_q, scan_pick, refuse_q;
  logic [PortW-1:0] picked, scan_port;
  logic             some, scans;
  sat_seen_t        seen;

  // Who is picked now is looked at in the next cycle; nobody else takes a packet away that is
  // wanted.
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      want_q[p] <= open_i && cfg_i.children[p] && oldest_i[p].valid && !come_q[p] &&
          !(pick[p] && !scans) && !look0_q[p] && !look1_q[p] && !look2_q[p] &&
          !refuse_q[p] && !posted_o[p];
    end
    if (!rst_ni) want_q <= '0;
  end

  assign scan_pick = scan_left_q & (~scan_left_q + ports_t'(1));
  assign scans     = scan_left_q != '0;
  always_comb begin
    scan_port = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (scan_pick[p]) scan_port |= PortW'(p);
  end

  prim_arb_rr #(
    .N(NumPorts)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i    (want_q),
    .advance_i(!scans),
    .gnt_o    (pick),
    .idx_o    (picked),
    .valid_o  (some)
  );

  sat_look #(
    .NumPorts(NumPorts)
  ) u_look (
    .clk_i,
    .rst_ni (rst_ni && open_i),
    .cfg_i,
    .oldest_i,
    .ask_i  (scans || some),
    .scan_i (scans),
    .port_i (picked),
    .scan_port_i(scan_port),
    .seen_o (seen)
  );

  always_ff @(posedge clk_i) begin
    look0_q <= scans ? '0 : pick;
    look1_q <= look0_q;
    look2_q <= look1_q;
    if (!rst_ni || !open_i) begin
      look0_q <= '0;
      look1_q <= '0;
      look2_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What becomes of it.

  logic      may, decides, throws, comes, refuses, refuse_last_q, done_q;
  logic      refusing;         // one is on its way
  ports_t    at;               // the port
  logic      thrown_q;         // the rest of its message is thrown away
  logic      owes_q;           // rows in front of it are to be read
  sat_lock_t lock_q;

  assign at       = look2_q;
  assign refusing = refuse_q != '0 || posted_o != '0;

  // Of a port that is looked at neither changes, but that rows are read.
  always_ff @(posedge clk_i) begin
    thrown_q <= (discards_q & look1_q) != '0;
    owes_q   <= (owed_i & look1_q) != '0;
  end

  assign decides = open_i && seen.valid && !seen.scan;
  // Nobody streams who does not hold the lock.
  assign may     = seen.known && lock_i.valid && lock_i.group == seen.group;

  always_comb begin
    throws  = 1'b0;
    comes   = 1'b0;
    refuses = 1'b0;
    if (decides && (thrown_q || !seen.ours)) begin
      throws = !owes_q && !refusing;
    end else if (decides && !held_q) begin
      if (may && (!active_q || group_q == seen.group)) comes = 1'b1;
      else refuses = !owes_q && !refusing;
    end
  end

  logic posts;
  assign refuse_o       = refuse_q;
  assign refuse_valid_o = open_i && !done_q && lock_i == lock_q;
  assign posts     = refuse_ready_i;
  assign drop_o    = (throws ? at : '0) | posted_o;
  assign refused_o = (throws && !thrown_q) || posted_o != '0;
  assign begun_o   = comes && !active_q;

  always_ff @(posedge clk_i) begin
    refuse_q              <= refuses ? at : '0;
    posted_o              <= posts ? refuse_q : '0;
    if (refuses) refuse_last_q <= seen.last;
    lock_q                <= lock_i;
    done_q                <= done_i;
    if (refuses) begin
      refuse_head_o         <= answer_of(seen.head, 1'b0);
      refuse_head_o.verdict <= VerdictDenied;
      refuse_head_o.node    <= cfg_i.node;
      refuse_head_o.port    <= 8'(seen.port) + 8'd1;
    end
    if (!rst_ni || !open_i) begin
      refuse_q <= '0;
      posted_o <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The operation.

  logic    all, scan_start, valid_q, agreed;
  sat_op_t agreed_op;

  assign all = active_q && missing_o == '0 && !all_q;

  sat_agree u_agree (
    .clk_i,
    .rst_ni  (rst_ni && open_i),
    .start_i (done_q || scan_start),
    .up_i    (group.up),
    .node_i  (cfg_i.node),
    .valid_i (comes || (seen.valid && seen.scan)),
    // The highest child of the group is the last one.
    .last_i  ((group.children[NumPorts-1:0] >> seen.port) == ports_t'(1)),
    .seen_i  (seen),
    .all_i   (all),
    .agreed_o(agreed),
    .differ_o(scan_start),
    .blame_o (blame_o),
    .op_o    (agreed_op)
  );

  always_comb begin
    op_o       = agreed_op;
    op_o.valid = valid_q || agreed;
  end
  assign agreed_o = agreed;

  always_ff @(posedge clk_i) begin
    if (throws) discards_q <= seen.last ? discards_q & ~at : discards_q | at;
    else if (!refuse_last_q) discards_q <= discards_q | posted_o;
    if (hold_q != '0) hold_q <= hold_q - 4'd1;
    held_q <= hold_q > 4'd1;
    if (comes) begin
      active_q <= 1'b1;
      come_q   <= come_q | at;
      if (!active_q) group_q <= seen.group;
    end
    scan_left_q <= scan_left_q & ~scan_pick;
    first_o <= begun_o;
    if (all) all_q <= 1'b1;
    if (scan_start) scan_left_q <= group.children[NumPorts-1:0];
    if (agreed) valid_q <= 1'b1;
    if (done_i) begin
      active_q  <= 1'b0;
      valid_q   <= 1'b0;
      all_q     <= 1'b0;
      come_q    <= '0;
      hold_q    <= 4'(LockLate);
      held_q    <= 1'b1;
    end
    if (!rst_ni || !open_i) begin
      active_q    <= 1'b0;
      valid_q     <= 1'b0;
      all_q       <= 1'b0;
      first_o     <= 1'b0;
      come_q      <= '0;
      discards_q  <= '0;
      scan_left_q <= '0;
      hold_q      <= '0;
      held_q      <= 1'b0;
    end
  end

  if (LookAnswer != 3) begin : gen_check_look
    $fatal(1, "%m: the port of an answer is that of three cycles before, not %0d", LookAnswer);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && open_i) begin
      // An answer is of the port that was asked for LookAnswer cycles before; else another port's
      // packet would be taken.
      a_look_time : assert (!decides || at == ports_t'(1) << seen.port)
      else $error("%m: an answer of port %0d, expected of ports %b", seen.port, at);
      // An operation is done once all have agreed; else its packets would be thrown away.
      a_done : assert (!done_i || valid_q || agreed)
      else $error("%m: an operation is done that nobody agreed on");
    end
  end

endmodule
