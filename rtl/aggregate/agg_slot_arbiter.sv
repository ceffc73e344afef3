// Chooses the operation that enters the slot-state pipeline.
//
// Frees come first: they are rare (at most one a take) and finish what a take began. Take, commit,
// decide and flush share the other cycles round robin, so none waits for more than one grant of
// each other kind; commits share theirs round robin over the ports.
//
// A take and the free it may cause are one event for everybody else: commits, and decisions on the
// slot that may be freed, are held from the take until its free has entered. The held time is fixed
// (`FreeAfter` cycles), so holding cannot become a circle. After it, at least one cycle belongs to
// commits and decisions before the next take.
module agg_slot_arbiter
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Cycles from that in which a take enters to that in which its free does, 2 to 15.
  parameter int unsigned FreeAfter = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Low: nothing enters.
  input logic enable_i,

  // Decisions, from look-up.
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  lookup_rsp_t rsp_i,

  // Packets in place, from each port.
  input  logic    [NumPorts-1:0] commit_valid_i,
  output logic    [NumPorts-1:0] commit_ready_o,
  input  commit_t [NumPorts-1:0] commit_i,

  // Emission.
  input  logic  take_valid_i,
  output logic  take_ready_o,
  input  take_t take_i,

  // Slots to be made invalid.
  input  logic             flush_valid_i,
  output logic             flush_ready_o,
  input  logic [SlotW-1:0] flush_slot_i,

  // From the pipeline's end; always taken at once.
  input logic             free_valid_i,
  input logic [SlotW-1:0] free_slot_i,
  input logic [31:0]      free_msgid_i,

  output logic     op_valid_o,
  output slot_op_t op_o
);

  if (FreeAfter < 2 || FreeAfter > 15) begin : gen_check_free
    $fatal(1, "%m: FreeAfter must be 2 to 15");
  end

  // A decision touches the slot to be freed only if its own message is one window from the taken
  // one, and then the slot that it would free is the taken one. The low bits tell enough; a false
  // match costs some cycles.
  localparam int unsigned MatchBits = 3;

  logic [FreeAfter:0]   since_q;      // one-hot: cycles since a take; zero when over
  logic                 hold_q, resting_q;
  logic [MatchBits-1:0] taken_q;
  logic                 hold_decide;

  assign hold_decide = hold_q && rsp_i.free_slot[MatchBits-1:0] == taken_q;

  always_ff @(posedge clk_i) begin
    since_q <= {since_q[FreeAfter-1:0], take_ready_o};
    if (since_q[FreeAfter-2]) hold_q <= 1'b0;
    if (since_q[FreeAfter]) resting_q <= 1'b0;
    if (take_ready_o) begin
      hold_q    <= 1'b1;
      resting_q <= 1'b1;
      taken_q   <= take_i.slot[MatchBits-1:0];
    end
    if (!rst_ni) begin
      since_q   <= '0;
      hold_q    <= 1'b0;
      resting_q <= 1'b0;
    end
  end

  // The port whose commit goes next is chosen a cycle ahead; a shown commit stays until it is
  // taken.
  logic                pick_valid_q;
  logic [NumPorts-1:0] pick_q, candidates, chosen;
  logic                commit_grant, choose, any_chosen;
  logic [((NumPorts > 1) ? $clog2(NumPorts) : 1)-1:0] chosen_index_unused;

  assign candidates = commit_valid_i & ~(pick_valid_q ? pick_q : '0);
  assign choose     = !pick_valid_q || commit_grant;

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

  always_ff @(posedge clk_i) begin
    if (choose) begin
      pick_valid_q <= any_chosen;
      pick_q       <= chosen;
    end
    if (!rst_ni) pick_valid_q <= 1'b0;
  end

  // Classes: round robin, written so that a grant is one function of four requests and a turn.
  localparam int unsigned Classes = 4;
  typedef enum logic [1:0] {ClassTake, ClassCommit, ClassDecide, ClassFlush} class_e;

  logic [Classes-1:0] req, gnt;
  logic [1:0]         turn_q;    // the class that comes first
  logic               open;

  assign open = enable_i && !free_valid_i;
  always_comb begin
    req              = '0;
    req[ClassTake]   = open && take_valid_i && !resting_q;
    req[ClassCommit] = open && pick_valid_q && !hold_q;
    req[ClassDecide] = open && rsp_valid_i && !hold_decide;
    req[ClassFlush]  = open && flush_valid_i;

    gnt = '0;
    for (int unsigned i = 0; i < Classes; i++) begin
      if (gnt == '0) gnt[turn_q+2'(i)] = req[turn_q+2'(i)];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) begin
      if (gnt[c]) turn_q <= 2'(c + 1);
    end
    if (!rst_ni) turn_q <= '0;
  end

  assign take_ready_o   = gnt[ClassTake];
  assign commit_grant   = gnt[ClassCommit];
  assign commit_ready_o = commit_grant ? pick_q : '0;
  assign rsp_ready_o    = gnt[ClassDecide];
  assign flush_ready_o  = gnt[ClassFlush];

  commit_t commit;
  prim_pick #(
    .Width($bits(commit_t)),
    .Words(NumPorts)
  ) u_commit (
    .in_i    (commit_i),
    .select_i(pick_q),
    .out_o   (commit)
  );

  assign op_valid_o = enable_i && (free_valid_i || gnt != '0);

  always_comb begin
    // Fields of decisions and takes have one source each; the rest is chosen.
    op_o             = '0;
    op_o.op          = SlotDecide;
    op_o.touch       = rsp_i.fate == FateStored;
    op_o.first       = commit.first;
    op_o.slot        = rsp_i.slot;
    op_o.msgid       = rsp_i.msgid;
    op_o.port        = rsp_i.port;
    op_o.rank        = rsp_i.rank;
    op_o.port_ready  = take_i.port_ready;
    op_o.fate        = rsp_i.fate;
    op_o.conn        = rsp_i.conn;
    op_o.ring        = rsp_i.ring;
    op_o.workers     = rsp_i.workers;
    op_o.offset      = rsp_i.offset;
    op_o.free_slot   = rsp_i.free_slot;
    op_o.window_log2 = rsp_i.window_log2;
    op_o.kind        = rsp_i.kind;
    op_o.tensor_len  = rsp_i.tensor_len;
    if (free_valid_i) begin
      op_o.op    = SlotFree;
      op_o.touch = 1'b1;
      op_o.slot  = free_slot_i;
      op_o.msgid = free_msgid_i;
    end else if (gnt[ClassTake]) begin
      op_o.op    = SlotTake;
      op_o.touch = 1'b1;
      op_o.slot  = take_i.slot;
    end else if (gnt[ClassCommit]) begin
      op_o.op    = SlotCommit;
      op_o.touch = 1'b1;
      op_o.slot  = commit.slot;
      op_o.msgid = commit.msgid;
      op_o.port  = commit.port;
      op_o.rank  = commit.rank;
    end else if (gnt[ClassFlush]) begin
      op_o.op    = SlotFlush;
      op_o.touch = 1'b1;
      op_o.slot  = flush_slot_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A free enters exactly when the hold ends; later, a decision could see the window half
      // moved.
      a_free_time : assert (!free_valid_i || since_q[FreeAfter-1])
      else $error("%m: a free enters at another time than its take announced");
      // A shown commit stays; the choice made a cycle ahead would otherwise serve a port that asks
      // no more.
      a_stays : assert (!pick_valid_q || (pick_q & ~commit_valid_i) == '0)
      else $error("%m: a port withdrew its commit");
      // One operation enters a cycle; two would lose one.
      a_one : assert ($onehot0(gnt) && !(free_valid_i && gnt != '0))
      else $error("%m: two operations in one cycle");
    end
  end

endmodule
