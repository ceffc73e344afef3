// Lets beats of PRs, and entries of the expiry queue whose time has come, into the pipeline of
// concatenation, one a cycle.
//
// It exists so that nobody waits inside: whoever is let in finds all that it may need, storage, an
// entry in the expiry queue and room for a packet that it closes. What is due goes first, but never
// between the beats of a PR to its queue: the packet would be closed with half a PR.
//
// Who waits: PRs for storage, for an entry, for packets to leave, and a cycle for each queue that
// is due; queues that are due for packets to leave, and for the rest of a PR of theirs.
module gather_admit
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024. Destinations are 0 to NumNodes - 1.
  parameter int unsigned NumNodes = 16,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned QueueW = NodeW + 1
) (
  input logic clk_i,
  input logic rst_ni,

  // PRs, beat by beat.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // An entry of the expiry queue that is due may enter the pipeline, from a register; and it does
  // so. The queue of the entry that is shown, and of the one behind it, which is shown in the next
  // cycle if it moves.
  output logic              due_ready_o,
  input  logic              due_taken_i,
  input  logic [QueueW-1:0] due_queue_i,
  input  logic              due_moves_i,
  input  logic [QueueW-1:0] due_behind_i,

  // Credits of those behind: room for the packets that the pipeline may close; storage for the
  // longest PR; an entry in the expiry queue.
  input logic room_i,
  input logic enough_i,
  input logic entries_i,

  // Pulse: a beat enters the pipeline; its queue, and bytes of the PR in it. Never in the cycle of
  // an entry.
  output logic              go_o,
  output pr_beat_t          pr_o,
  output logic [QueueW-1:0] queue_o,
  output logic [6:0]        bytes_o,

  // A PR is stalled in this cycle: for storage; for the expiry queue or for closed packets to
  // leave.
  output logic stall_pool_o,
  output logic stall_out_o,
  // Level: no PR waits here.
  output logic idle_o
);

  logic        valid_q, take, ends_in;
  logic [10:0] body_in, rest_q;
  // A queue whose PR is half written is not closed: what is shown in the next cycle is told of it
  // in this one.
  logic              partial_q, half;
  logic [QueueW-1:0] partial_queue_q;

  assign body_in    = pr_i.first ? carried(pr_i.pr.response, pr_i.pr.len) : rest_q;
  assign ends_in    = body_in <= 11'(BeatBytes);
  assign pr_ready_o = (!valid_q || go_o) && rst_ni;
  assign take       = pr_valid_i && pr_ready_o;

  always_ff @(posedge clk_i) begin
    if (take) begin
      pr_o    <= pr_i;
      queue_o <= {pr_i.pr.response, pr_i.pr.dest[NodeW-1:0]};
      // Sums beside the comparison, not behind it.
      if (ends_in) bytes_o <= body_in[6:0] + (pr_i.first ? 7'(PrBytes) : 7'd0);
      else bytes_o <= pr_i.first ? 7'(BeatBytes + PrBytes) : 7'(BeatBytes);
      rest_q  <= body_in - 11'(BeatBytes);   // if it does not end
    end
    valid_q <= take || (valid_q && !go_o);
    if (!rst_ni) valid_q <= 1'b0;
  end

  assign go_o = valid_q && room_i && (!pr_o.first || (enough_i && entries_i)) && !due_taken_i;
  assign half = go_o ?
      !pr_o.last && (due_moves_i ? queue_o == due_behind_i : queue_o == due_queue_i) :
      partial_q && (due_moves_i ? partial_queue_q == due_behind_i : partial_queue_q == due_queue_i);

  always_ff @(posedge clk_i) begin
    if (go_o) begin
      partial_q       <= !pr_o.last;
      partial_queue_q <= queue_o;
    end
    due_ready_o <= room_i && !half;
    if (!rst_ni) begin
      partial_q   <= 1'b0;
      due_ready_o <= 1'b0;
    end
  end

  assign stall_pool_o = valid_q && pr_o.first && !enough_i;
  assign stall_out_o  = valid_q && !stall_pool_o && !go_o;
  assign idle_o       = !valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The destination has a queue; else PRs would go to another node.
      a_dest : assert (!take || pr_i.pr.dest < NumNodes)
      else $error("%m: a PR for node %0d", pr_i.pr.dest);
      // The beats of a PR come one behind the other.
      a_partial : assert (!valid_q || pr_o.first == !partial_q)
      else $error("%m: a PR begins inside another one");
      // A queue is not closed with half a PR.
      a_half : assert (!due_taken_i || !partial_q || partial_queue_q != due_queue_i)
      else $error("%m: queue %0d is closed inside a PR", due_queue_i);
    end
  end

endmodule
