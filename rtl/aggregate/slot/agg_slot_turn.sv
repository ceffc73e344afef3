// Says whose operation enters the slot-state pipeline, a take's, a flush's, a commit's or a
// decision's, and what has to wait between a take and its free (agg_slot_arbiter).
//
// A module of its own because ports, look-up and emission wait for its answers: within the arbiter
// synthesis would make them as deep as the operation that is chosen by them.
module agg_slot_turn
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Cycles from that in which a take enters to that in which its free does, 2 to 15.
  parameter int unsigned FreeAfter = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Low: no operation is granted.
  input logic enable_i,
  // A free enters the pipeline; it needs no grant.
  input logic free_i,

  // Requests, and with them low bits of their pairs of slots.
  input logic                take_i,
  input logic [FreedW-1:0]   take_pair_i,
  input logic                commit_i,
  input logic [FreedW-1:0]   commit_pair_i,
  input logic [NumPorts-1:0] commit_port_i,   // whose commit it is, one-hot
  input logic                decide_i,
  input logic [FreedW-1:0]   decide_pair_i,
  input logic                flush_i,

  // Grants, at most one.
  output logic                take_o,
  output logic                commit_o,
  output logic [NumPorts-1:0] commit_port_o,  // grant of a commit, by port
  output logic                commit_next_o,  // another may be chosen for the next cycle
  output logic                decide_o,
  output logic                flush_o
);

  if (FreeAfter < 2 || FreeAfter > 15) begin : gen_check_free
    $fatal(1, "%m: FreeAfter must be 2 to 15");
  end

  // What a take frees is the other slot of its pair. The low bits of the pair tell enough: a false
  // match, or what is for the slot that was taken, waits some cycles more.
  logic [FreeAfter:0] since_q;      // one-hot: cycles since a take; zero when over
  logic               hold_q, resting_q;
  logic [FreedW-1:0]  pair_q;

  always_ff @(posedge clk_i) begin
    since_q <= {since_q[FreeAfter-1:0], take_o};
    if (since_q[FreeAfter-2]) hold_q <= 1'b0;
    if (since_q[FreeAfter]) resting_q <= 1'b0;
    if (take_o) begin
      hold_q    <= 1'b1;
      resting_q <= 1'b1;
      pair_q   <= take_pair_i;
    end
    if (!rst_ni) begin
      since_q   <= '0;
      hold_q    <= 1'b0;
      resting_q <= 1'b0;
    end
  end

  // A take goes first: after one others have their cycles. Then come decisions, because a port
  // waits for each, and commits join while they wait; but one of those goes when CommitPatience
  // decisions have gone in front of it. A flush takes the cycles that nobody wants, and one when it
  // has waited for FlushPatience cycles.
  logic open, rare, commits, decides;
  localparam int unsigned FlushPatience = 15;
  localparam int unsigned PatienceW = $clog2(FlushPatience + 1);
  localparam int unsigned CommitPatience = 4;

  logic [PatienceW-1:0] waited_q;   // cycles that a flush has waited
  logic                 late;
  logic [CommitPatience-1:0] passed_q;   // decisions that went in front of a commit, a one each

  assign open    = enable_i && !free_i;
  assign take_o  = open && take_i && !resting_q;
  assign late    = waited_q == PatienceW'(FlushPatience);
  assign flush_o = open && flush_i && !(take_i && !resting_q) && (late || !(commit_i || decide_i));
  assign rare    = (take_i && !resting_q) || (flush_i && late);
  assign commits = open && !rare && commit_i && !(hold_q && commit_pair_i == pair_q);
  assign decides = open && !rare && decide_i && !(hold_q && decide_pair_i == pair_q);

  assign commit_o      = commits && !(!passed_q[CommitPatience-1] && decides);
  assign commit_port_o = commit_o ? commit_port_i : '0;
  assign commit_next_o = !commit_i || commit_o;
  assign decide_o      = decides && !(passed_q[CommitPatience-1] && commits);

  always_ff @(posedge clk_i) begin
    if (!flush_i || flush_o) waited_q <= '0;
    else if (!late) waited_q <= waited_q + PatienceW'(1);
    if (commit_o) passed_q <= '0;
    else if (decide_o && commits) passed_q <= {passed_q[CommitPatience-2:0], 1'b1};
    if (!rst_ni) begin
      waited_q <= '0;
      passed_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A free enters exactly when the hold ends; later, a decision could see the window half
      // moved.
      a_free_time : assert (!free_i || since_q[FreeAfter-1])
      else $error("%m: a free enters at another time than its take announced");
      // One operation enters a cycle; two would lose one.
      a_one : assert ($onehot0({free_i, take_o, commit_o, decide_o, flush_o}))
      else $error("%m: two operations in one cycle");
    end
  end

endmodule
