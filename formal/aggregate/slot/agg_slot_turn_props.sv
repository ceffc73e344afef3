// agg_slot_turn: who asks has their turn by the rules of its comments, which are here once more as
// ages and counts; and never two at once. Frees come whenever they like.
module agg_slot_turn_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  /// Cycles from a take to its free.
  parameter int unsigned FreeAfter = 5
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                enable_i,
  input logic                free_i,
  input logic                take_i,
  input logic [FreedW-1:0]   take_pair_i,
  input logic                commit_i,
  input logic [FreedW-1:0]   commit_pair_i,
  input logic [NumPorts-1:0] commit_port_i,
  input logic                decide_i,
  input logic [FreedW-1:0]   decide_pair_i,
  input logic                flush_i
);

  logic                take, commit, commit_next, decide, flush;
  logic [NumPorts-1:0] commit_port;

  agg_slot_turn #(
    .NumPorts (NumPorts),
    .FreeAfter(FreeAfter)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i,
    .free_i,
    .take_i,
    .take_pair_i,
    .commit_i,
    .commit_pair_i,
    .commit_port_i,
    .decide_i,
    .decide_pair_i,
    .flush_i,
    .take_o       (take),
    .commit_o     (commit),
    .commit_port_o(commit_port),
    .commit_next_o(commit_next),
    .decide_o     (decide),
    .flush_o      (flush)
  );

  // How many decisions may go in front of a commit, and for how many cycles a flush waits for
  // others.
  localparam int unsigned Patience = 4;
  localparam int unsigned FlushPatience = 15;
  localparam int unsigned Over = FreeAfter + 2;   // a take of so long ago is forgotten

  logic              begun_q;                     // there was a reset
  logic [4:0]        age_q;                       // of the last take; Over: of long ago
  logic [FreedW-1:0] pair_q;                      // that it was of
  logic [2:0]        passed_q;                    // decisions in front of the commit that waits
  logic [3:0]        waited_q;                    // cycles of the flush that waits
  logic              room, first, held, may_commit, may_decide, urgent;

  assign room       = enable_i && !free_i;
  assign first      = take_i && age_q == 5'(Over);
  assign held       = age_q < 5'(FreeAfter);
  assign urgent     = flush_i && waited_q == 4'(FlushPatience);
  assign may_commit = room && !first && !urgent && commit_i && !(held && commit_pair_i == pair_q);
  assign may_decide = room && !first && !urgent && decide_i && !(held && decide_pair_i == pair_q);

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b1;
    if (age_q != 5'(Over)) age_q <= age_q + 5'd1;
    if (take) begin
      age_q  <= 5'd1;
      pair_q <= take_pair_i;
    end
    if (commit) passed_q <= '0;
    else if (decide && may_commit) passed_q <= passed_q + 3'd1;
    if (!flush_i || flush) waited_q <= '0;
    else if (waited_q != 4'(FlushPatience)) waited_q <= waited_q + 4'd1;
    if (!rst_ni) begin
      age_q    <= 5'(Over);
      passed_q <= '0;
      waited_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && begun_q) begin
      // A take goes in front of all but a free, if the one before is over.
      a_take : assert (take == (room && first))
      else $error("take %b", take);
      // A decision goes next, if it is not of the pair of slots that a take is about to free,
      // unless a commit has let four go in front.
      a_decide : assert (decide == (may_decide && !(may_commit && passed_q == 3'(Patience))))
      else $error("decision %b", decide);
      // A commit goes where no decision may, or when four have gone in front of it.
      a_commit : assert (commit == (may_commit && (!may_decide || passed_q == 3'(Patience))))
      else $error("commit %b", commit);
      // Its port is told, and no other; the next one is chosen when it goes.
      a_port : assert (commit_port == (commit ? commit_port_i : '0) &&
                       commit_next == (commit || !commit_i))
      else $error("ports %b, next %b", commit_port, commit_next);
      // A flush goes where nobody else asks, and in front of commits and decisions when it has
      // waited for fifteen cycles.
      a_flush : assert (flush == (room && !first && flush_i && (urgent || !(commit_i || decide_i))))
      else $error("flush %b", flush);
      // What is remembered of the last take is how long ago it was, until it is over, and its pair.
      a_age : assert (u_dut.since_q == ((age_q == 5'(Over)) ? '0 :
                          (FreeAfter+1)'(1) << (age_q - 5'd1)) &&
                      age_q != '0 && age_q <= 5'(Over) && u_dut.hold_q == held &&
                      u_dut.resting_q == (age_q != 5'(Over)) && (!held || u_dut.pair_q == pair_q))
      else $error("a take %0d cycles ago", age_q);
      // And of those who wait for how long they have.
      a_waits : assert (passed_q <= 3'(Patience) && u_dut.waited_q == waited_q &&
                        u_dut.passed_q == Patience'((1 << passed_q) - 1))
      else $error("waited for %0d decisions, for %0d cycles", passed_q, waited_q);

      // A commit goes in front of a decision; a flush in front of both.
      c_commit : cover (commit && may_decide);
      c_flush : cover (flush && commit_i && decide_i);
    end
  end

endmodule
