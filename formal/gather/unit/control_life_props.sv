// gather_control: the life of a gather, step by step, whatever the unit says and however long it
// has run.
//
// The timer and the gather's number are counters with a proof of their own (gather_count). Here
// what they show is left out of the circuit and free.
module control_life_props
  import gather_pkg::*;
#(
  parameter int unsigned EpochW = 6
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [31:0] timeout_i,
  input logic        command_valid_i,
  input command_t    command_i,
  input logic [15:0] generation_i,
  input logic        done_ready_i,
  input logic [3:0]  done_i,
  input logic        wrong_i,
  input logic        empty_i,
  input logic        open_i
);

  logic              ready, done, failed, start, run, clear, none_left, aborts;
  logic [EpochW-1:0] epoch;
  logic [63:0]       dest;
  logic [15:0]       generation;
  logic [10:0]       len;
  logic [3:0]        stride;

  gather_control #(
    .EpochW(EpochW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .timeout_i,
    .command_valid_i,
    .command_ready_o(ready),
    .command_i,
    .generation_i,
    .done_valid_o   (done),
    .done_ready_i,
    .done_failed_o  (failed),
    .start_o        (start),
    .run_o          (run),
    .clear_o        (clear),
    .epoch_o        (epoch),
    .dest_o         (dest),
    .generation_o   (generation),
    .len_o          (len),
    .stride_o       (stride),
    .done_i,
    .none_left_o    (none_left),
    .wrong_i,
    .empty_i,
    .open_i
  );

  // A gather that has failed and waits for answers: none of the other three.
  assign aborts = rst_ni && !ready && !run && !done;

  // A cycle ago.
  typedef struct packed {
    logic rst_n, ready, start, run, aborts, done, clear;
    logic none_left, empty, open, done_ready, expired;
  } was_t;

  was_t        now, was_q;
  logic        past_q;      // there was one
  logic        expired_q;   // time had run out then
  // The latest gather that has started since reset: what was asked, whether it went wrong, and
  // indices that are left.
  logic        begun_q, bad_q;
  logic [15:0] generation_q;
  command_t    command_q;
  logic [31:0] left_q;
  logic [4:0]  zero_q;      // it ran and none was left, so many cycles ago

  assign now = '{rst_n: rst_ni, ready: ready, start: start, run: run, aborts: aborts, done: done,
                 clear: clear, none_left: none_left, empty: empty_i, open: open_i,
                 done_ready: done_ready_i, expired: expired_q};

  initial {past_q, begun_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q    <= 1'b1;
    was_q     <= now;
    expired_q <= run && timeout_i != '0 && u_dut.u_timer.count_o >= timeout_i;
    zero_q    <= {zero_q[3:0], run && begun_q && left_q == '0};
    left_q    <= left_q - 32'($countones(done_i));
    if (wrong_i || (run && expired_q && !(none_left && empty_i))) bad_q <= 1'b1;
    if (start) begin
      begun_q      <= 1'b1;
      bad_q        <= 1'b0;
      command_q    <= command_i;
      generation_q <= generation_i;
      left_q       <= command_i.count;
    end
    if (!past_q || !rst_ni) zero_q <= '0;
    if (!rst_ni) begun_q <= 1'b0;
  end

  // What the bytes of the counter come to, when all that is to be taken off them is.
  logic [31:0] settled;
  assign settled = u_dut.left_q - 32'(u_dut.off_q[0]) - (32'(u_dut.off_q[1]) << 8) -
      (32'(u_dut.off_q[2]) << 16) - (32'(u_dut.off_q[3]) << 24);

  logic go;   // there was a cycle, and no reset in it or now
  assign go = past_q && was_q.rst_n && rst_ni;

  always_ff @(posedge clk_i) begin
    // A gather starts when a command is taken, and none is in a reset.
    a_start : assert (start == (command_valid_i && ready) && (rst_ni || !ready))
    else $error("start %b, ready %b", start, ready);
    // Behind a reset the unit waits for a command.
    a_reset : assert (!past_q || was_q.rst_n || (ready == rst_ni && !run && !done && !clear &&
                                           !none_left))
    else $error("inside a gather behind a reset");
    // It waits for one, runs, aborts or has ended, one at a time.
    a_one : assert (!past_q || !rst_ni || $countones({ready, run, aborts, done}) == 1)
    else $error("ready %b, runs %b, has ended %b", ready, run, done);
    // A command that is taken starts a run; without one it waits.
    a_waits : assert (!go || !was_q.ready || (was_q.start ? run : ready))
    else $error("behind a start %b: %b", was_q.start, run);
    // A run ends when nothing is left and no request is under way;
    a_ends : assert (!go || !was_q.run || !was_q.none_left || !was_q.empty || done)
    else $error("nothing is left, and the gather goes on");
    // else it is aborted when its time has run out,
    a_aborts : assert (!go || !was_q.run || (was_q.none_left && was_q.empty) ||
                       !was_q.expired || aborts)
    else $error("the gather runs too long");
    // and else it goes on.
    a_runs : assert (!go || !was_q.run || (was_q.none_left && was_q.empty) ||
                     was_q.expired || run)
    else $error("the gather does not go on");
    // Time runs out when it has run for as many cycles as it may, if there is a limit.
    a_timer : assert (u_dut.u_timer.start_i == !run && u_dut.u_timer.step_i &&
                      u_dut.u_timer.from_i == '0 && u_dut.u_timer.rst_ni == rst_ni)
    else $error("the timer counts other cycles");
    // What an aborted gather has left is flushed when no answer is owed to it, once,
    a_clear : assert (!go || clear == (was_q.aborts && !was_q.open && !was_q.clear))
    else $error("flush: %b", clear);
    // and then it has ended.
    a_flushed : assert (!go || !was_q.aborts || (was_q.clear ? done : aborts))
    else $error("behind a flush %b: %b", was_q.clear, done);
    // Its end waits to be taken; behind that the next command is.
    a_taken : assert (!go || !was_q.done || (was_q.done_ready ? ready : done))
    else $error("behind an end that was taken %b: %b", was_q.done_ready, ready);
    // The number goes on with each end that is taken.
    a_epoch : assert (u_dut.u_epoch.step_i == (done && done_ready_i) && !u_dut.u_epoch.start_i &&
                      u_dut.u_epoch.from_i == '0 && u_dut.u_epoch.rst_ni == rst_ni &&
                      epoch == u_dut.u_epoch.count_o)
    else $error("the gather's number");
    // It failed if an index was out of range since its start, or its time ran out.
    a_failed : assert (!begun_q || failed == bad_q)
    else $error("failed: %b", failed);
    // Place, length and generation are the command's, of its start, until the next one starts.
    a_command : assert (!begun_q || {dest, len, stride, generation} ==
                        {command_q.dest, command_q.len, command_q.stride, generation_q})
    else $error("another command's place");
    // None is left only if as many were done as were asked for,
    a_none : assert (!none_left || !begun_q || zero_q[0])
    else $error("%0d are left, and none is said to be", left_q);
    // while it runs,
    a_none_idle : assert (!go || !none_left || was_q.run)
    else $error("none is left of no gather");
    // and that is said five cycles later at most.
    a_said : assert (zero_q != '1 || none_left)
    else $error("none is left, and that is not said");
    // The bytes of the counter come to what is left (helps the proof).
    a_left : assert (!begun_q || settled == left_q)
    else $error("%0d are left, not %0d", left_q, settled);

    // A gather ends well, or fails.
    c_ends   : cover (rst_ni && done && !failed && command_q.count == 32'd6 && left_q == '0);
    c_failed : cover (rst_ni && done && failed && was_q.clear);
  end

endmodule
