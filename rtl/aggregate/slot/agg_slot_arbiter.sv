// Chooses the operation that enters the slot-state pipeline.
//
// Frees come first: they are rare (at most one a take) and finish what a take began. Then come
// takes, seven cycles apart or more; commits and decisions share what is left in turn; flushes have
// what nobody wants, and one cycle in sixteen (agg_slot_turn). So nobody starves. Commits
// share their cycles round robin over the ports. While one waits, those of other ports that are of
// the same column join it, and all of them are one operation: the busier the pipeline, the fewer it
// takes for a column.
//
// A take and the free it may cause are one event for everybody else: commits to the slot that may
// be freed, and decisions on it, are held from the take until its free has entered. The held time
// is fixed (`FreeAfter` cycles), so holding cannot become a circle. After it, at least one cycle
// belongs to commits and decisions before the next take.
module agg_slot_arbiter
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Cycles from that in which a take enters to that in which its free does, 2 to 15.
  parameter int unsigned FreeAfter = 6,
  /// 1: commits of a column join.
  parameter int unsigned Join = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Low: no operation is granted.
  input logic enable_i,

  // Requests of look-up for a decision.
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  lookup_rsp_t rsp_i,

  // Commits of each port. A commit that is shown stays until it is taken.
  input  logic    [NumPorts-1:0] commit_valid_i,
  output logic    [NumPorts-1:0] commit_ready_o,
  input  commit_t [NumPorts-1:0] commit_i,

  // Takes of emission.
  input  logic  take_valid_i,
  output logic  take_ready_o,
  input  take_t take_i,

  // Slots to be flushed.
  input  logic             flush_valid_i,
  output logic             flush_ready_o,
  input  logic [SlotW-1:0] flush_slot_i,

  // Frees, from the end of the pipeline, granted at once: a slot, and the MsgID that it waits for.
  input logic             free_valid_i,
  input logic [SlotW-1:0] free_slot_i,
  input logic [31:0]      free_msgid_i,

  // The granted operation, in the same cycle; and if it is a commit, the ports whose commit it is.
  output logic                op_valid_o,
  output slot_op_t            op_o,
  output logic [NumPorts-1:0] joined_o,

  // A commit that enters, unless its pair is held, will in all likelihood complete its column. It
  // will not while some packet waits for its bank (`waits`), which may be what the column lacks.
  input  logic   waits_i,
  output ahead_t soon_o
);

  // The port whose commit goes next is chosen a cycle ahead; a shown commit stays until it is
  // taken.
  logic                pick_valid_q;
  logic [NumPorts-1:0] pick_q, join_q, same, candidates, chosen, fills, fills_q;
  commit_t             commit, chosen_commit;
  logic                commit_grant, choose, any_chosen;
  logic [((NumPorts > 1) ? $clog2(NumPorts) : 1)-1:0] chosen_index_unused;

  assign candidates = commit_valid_i & ~(pick_valid_q ? join_q : '0);

  prim_arb_rr #(
    .N(NumPorts)
  ) u_ports (
    .clk_i,
    .rst_ni,
    .req_i    (candidates),
    .advance_i(choose && any_chosen),
    .gnt_o    (chosen),
    .idx_o    (chosen_index_unused),
    .valid_o  (any_chosen)
  );

  prim_pick #(
    .Width($bits(commit_t)),
    .Words(NumPorts)
  ) u_commit (
    .in_i    (commit_i),
    .select_i(chosen),
    .out_o   (chosen_commit)
  );

  // First packets of other ranks of the chosen one's column. A repeated one makes a result due for
  // its own rank, and goes alone.
  always_comb begin
    same = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      same[p] = Join != 0 && commit_valid_i[p] && commit_i[p].first && commit.first &&
          commit_i[p].slot == commit.slot && commit_i[p].msgid == commit.msgid;
    end
  end

  always_ff @(posedge clk_i) begin
    if (choose) begin
      pick_valid_q <= any_chosen;
      pick_q       <= chosen;
      join_q       <= chosen;
      commit       <= chosen_commit;
    end else begin
      join_q <= pick_q | same;
    end
    if (!rst_ni) pick_valid_q <= 1'b0;
  end
  assign joined_o = join_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_fills
    assign fills[p] = commit_i[p].fills;
  end
  // Who was chosen, or joined, has been shown for a cycle.
  always_ff @(posedge clk_i) fills_q <= fills;
  // Decisions would go in front of it.
  assign soon_o = '{valid: pick_valid_q && (join_q & fills_q) != '0 && !rsp_valid_i && !waits_i,
                    slot: commit.slot};

  agg_slot_turn #(
    .NumPorts (NumPorts),
    .FreeAfter(FreeAfter)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .enable_i,
    .free_i        (free_valid_i),
    .take_i        (take_valid_i),
    .take_pair_i   (take_i.slot[FreedW:1]),
    .commit_i      (pick_valid_q),
    .commit_pair_i (commit.slot[FreedW:1]),
    .commit_port_i (join_q),
    .decide_i      (rsp_valid_i),
    .decide_pair_i (rsp_i.slot[FreedW:1]),
    .flush_i       (flush_valid_i),
    .take_o        (take_ready_o),
    .commit_o      (commit_grant),
    .commit_port_o (commit_ready_o),
    .commit_next_o (choose),
    .decide_o      (rsp_ready_o),
    .flush_o       (flush_ready_o)
  );

  assign op_valid_o = enable_i &&
      (free_valid_i || take_ready_o || commit_grant || rsp_ready_o || flush_ready_o);

  // What several kinds have is chosen by who enters.
  logic [SlotW-1:0] slot;
  logic [31:0]      msgid;

  prim_pick #(
    .Width(SlotW),
    .Words(5)
  ) u_slot (
    .in_i    ({free_slot_i, take_i.slot, commit.slot, flush_slot_i, rsp_i.slot}),
    .select_i({free_valid_i, take_ready_o, commit_grant, flush_ready_o, rsp_ready_o}),
    .out_o   (slot)
  );

  prim_pick #(
    .Width(32),
    .Words(3)
  ) u_msgid (
    .in_i    ({free_msgid_i, commit.msgid, rsp_i.msgid}),
    .select_i({free_valid_i, commit_grant, rsp_ready_o}),
    .out_o   (msgid)
  );

  always_comb begin
    op_o             = '0;
    op_o.op          = SlotDecide;
    op_o.touch       = rsp_i.fate == FateStored;
    op_o.first       = commit.first;
    op_o.slot        = slot;
    op_o.msgid       = msgid;
    op_o.port        = rsp_i.port;
    op_o.rank        = rsp_i.rank;
    op_o.port_ready  = take_i.port_ready;
    op_o.fate        = rsp_i.fate;
    op_o.conn        = rsp_i.conn;
    op_o.ring        = rsp_i.ring;
    op_o.of_ring     = rsp_i.of_ring;
    op_o.workers     = rsp_i.workers;
    op_o.offset      = rsp_i.offset;
    op_o.ends        = rsp_i.ends;
    op_o.window_log2 = rsp_i.window_log2;
    op_o.kind        = rsp_i.kind;
    op_o.tensor_len  = rsp_i.tensor_len;
    if (free_valid_i) begin
      op_o.op    = SlotFree;
      op_o.touch = 1'b1;
    end else if (take_ready_o) begin
      op_o.op    = SlotTake;
      op_o.touch = 1'b1;
    end else if (commit_grant) begin
      op_o.op    = SlotCommit;
      op_o.touch = 1'b1;
      op_o.port  = commit.port;
      op_o.rank  = commit.rank;
    end else if (flush_ready_o) begin
      op_o.op    = SlotFlush;
      op_o.touch = 1'b1;
    end
  end

  commit_t picked;   // as its port shows it
  always_comb begin
    picked = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (pick_q[p]) picked = picked | commit_i[p];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A shown commit stays; the choice made a cycle ahead would otherwise serve a port that asks
      // no more.
      a_stays : assert (!pick_valid_q || (join_q & ~commit_valid_i) == '0)
      else $error("%m: a port withdrew its commit");
      // What was chosen is what its port still shows; another slot's record would be changed.
      a_picked : assert (!pick_valid_q || ($onehot(pick_q) && (pick_q & ~join_q) == '0 &&
          picked == commit))
      else $error("%m: picked %b has slot %0d, not %0d", pick_q, picked.slot, commit.slot);
      // Who joins is of the same column; his rank would be counted in another one.
      a_joined : assert (!pick_valid_q || (join_q & ~pick_q & ~same) == '0)
      else $error("%m: %b joins %b", join_q, pick_q);
    end
  end

endmodule
