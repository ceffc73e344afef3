// uplink_watchdog, one cycle after another, from any state: so numbers are looked at as well that
// no trace from a reset comes to. (How long a pause may last is uplink_watchdog's proof.)
module watchdog_steps_props #(
  parameter int unsigned TickCycles = 3
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [2:0]  prio_i,   // any
  input logic [15:0] limit_i,
  input logic [7:0]  paused_i,
  input logic [7:0]  clear_stormed_i,
  input logic [7:0]  clear_resumed_i
);

  logic [7:0]       storm, stormed, resumed;
  logic [7:0][15:0] storms;

  uplink_watchdog #(
    .TickCycles(TickCycles)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .limit_i,
    .paused_i,
    .storm_o  (storm),
    .stormed_o(stormed),
    .resumed_o(resumed),
    .clear_stormed_i,
    .clear_resumed_i,
    .storms_o (storms)
  );

  // Of any priority: what was a cycle ago.
  typedef struct packed {
    logic        reset;
    logic [2:0]  prio;
    logic [15:0] limit;
    logic        paused;
    logic        clear_stormed;
    logic        clear_resumed;
    logic        storm;
    logic        stormed;
    logic        resumed;
    logic [15:0] storms;
    logic [15:0] ticks;   // of its pause, and cycles of the next one
    logic [1:0]  cycles;
  } was_t;
  was_t       was;
  logic       known_q, lasts, due;
  logic [2:0] p;
  initial known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    was <= '{!rst_ni, prio_i, limit_i, paused_i[prio_i], clear_stormed_i[prio_i],
             clear_resumed_i[prio_i], storm[prio_i], stormed[prio_i], resumed[prio_i],
             storms[prio_i], u_dut.ticks_q[prio_i], u_dut.cycle_q[prio_i]};
  end
  assign p = was.prio;
  assign lasts = was.paused && !was.reset;
  // It has been paused for the limit, and still is.
  assign due   = lasts && was.limit != '0 && (was.storm || was.ticks >= was.limit);

  always_ff @(posedge clk_i) begin
    if (known_q) begin
      // A storm lasts as long as the pause, from the limit on, while there is one.
      a_storm : assert (storm[p] == due)
      else $error("storm %b", storm[p]);
      // Each that begins is counted, up to all that fit, and then from 0 on.
      a_storms : assert (was.reset ? storms[p] == '0 :
                         storms[p] - was.storms == 16'(due && !was.storm))
      else $error("%0d storms", storms[p]);
      // That one began is kept, and that one ended, until it is cleared, and longer if another one
      // does.
      a_stormed : assert (stormed[p] == (!was.reset && ((due && !was.storm) ||
                                         (was.stormed && !was.clear_stormed))))
      else $error("stormed %b", stormed[p]);
      a_resumed : assert (resumed[p] == (!was.reset && ((!due && was.storm) ||
                                         (was.resumed && !was.clear_resumed))))
      else $error("resumed %b", resumed[p]);
      // A pause's time goes on by a cycle; of ticks no more are counted than fit.
      a_cycles : assert (u_dut.cycle_q[p] == ((!lasts || 32'(was.cycles) == TickCycles - 1) ? 2'd0 :
                         was.cycles + 2'd1))
      else $error("cycle %0d", u_dut.cycle_q[p]);
      a_ticks : assert (!lasts ? u_dut.ticks_q[p] == '0 : u_dut.ticks_q[p] - was.ticks ==
                        16'(32'(was.cycles) == TickCycles - 1 && was.ticks != '1))
      else $error("%0d ticks", u_dut.ticks_q[p]);

      // The 65536th storm; one that begins as the one before is cleared.
      c_wraps : cover (!was.reset && was.storms == '1 && storms[p] == '0);
      c_again : cover (stormed[p] && was.stormed && was.clear_stormed);
    end
  end

endmodule
