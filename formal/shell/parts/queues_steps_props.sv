// shell_queues beside its parts, whose answers are free (`cuts` of the task): which queue a beat
// goes to and what of a frame it knows, and which of the queues leaves, as what the arbiter grants.
// One queue is followed. What is written and what is read meet in the queues alone, which are left
// out, so that one clock for both is no less than two. (What leaves of all that is
// shell_queues_props, between two clocks.)
module queues_steps_props
  import shell_pkg::*;
#(
  parameter int unsigned NumQueues = 3,
  parameter queue_of_t QueueOf = 24'o20121010
) (
  input logic       clk_i,
  input logic       wr_rst_ni,
  input logic       rd_rst_ni,
  input logic       in_valid_i,
  input logic       in_last_i,
  input logic [2:0] in_prio_i,
  input logic [2:0] in_i,
  input logic [7:0] paused_i,
  input logic       out_ready_i,
  input logic [1:0] queue_i   // any
);

  localparam int unsigned Depth = 4;

  logic                      in_ready, drop, valid, last;
  logic [2:0]                out;
  logic [NumQueues-1:0][2:0] level;

  shell_queues #(
    .T        (logic [2:0]),
    .NumQueues(NumQueues),
    .QueueOf  (QueueOf),
    .Depth    (Depth)
  ) u_dut (
    .wr_clk_i   (clk_i),
    .wr_rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_prio_i,
    .in_i,
    .drop_o     (drop),
    .level_o    (level),
    .rd_clk_i   (clk_i),
    .rd_rst_ni,
    .paused_i,
    .out_valid_o(valid),
    .out_ready_i,
    .out_last_o (last),
    .out_o      (out)
  );

  // What the parts are asked and answer, by queue.
  typedef struct packed {
    logic [2:0] prio;
    logic [2:0] data;
  } entry_t;
  logic   [NumQueues-1:0]      offered, offered_last, room, lost, has, ends, taken;
  entry_t [NumQueues-1:0]      written, shown;
  logic   [NumQueues-1:0][2:0] taken_up;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    assign offered[q]      = u_dut.gen_queue[q].u_fifo.in_valid_i;
    assign offered_last[q] = u_dut.gen_queue[q].u_fifo.in_last_i;
    assign written[q]      = u_dut.gen_queue[q].u_fifo.in_i;
    assign room[q]         = u_dut.gen_queue[q].u_fifo.in_ready_o;
    assign lost[q]         = u_dut.gen_queue[q].u_fifo.drop_o;
    assign taken_up[q]     = u_dut.gen_queue[q].u_fifo.level_o;
    assign has[q]          = u_dut.gen_queue[q].u_fifo.out_valid_o;
    assign ends[q]         = u_dut.gen_queue[q].u_fifo.out_last_o;
    assign shown[q]        = u_dut.gen_queue[q].u_fifo.out_o;
    assign taken[q]        = u_dut.gen_queue[q].u_fifo.out_ready_i;
  end

  // Writing: the priority of the frame whose first beat has been taken and whose last has not.
  logic       inside_q, written_q;
  logic [2:0] first_q, prio, past_q;
  logic [1:0] to, any_q, q_q;
  assign prio = inside_q ? first_q : in_prio_i;
  assign to   = QueueOf[prio][1:0];
  assign q_q  = (32'(any_q) < NumQueues) ? any_q : '0;
  // Reading: a frame has begun and not ended, of those queues.
  logic                 open_q, read_q, goes, wants;
  logic [NumQueues-1:0] of_q, of;
  assign of    = open_q ? of_q : u_dut.u_arbiter.gnt_o;
  assign goes  = open_q || u_dut.u_arbiter.valid_o;
  assign wants = has[q_q] && u_dut.u_reset.rd_up_o && !paused_i[shown[q_q].prio];
  initial {past_q, written_q, read_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    if (!past_q[0]) any_q <= queue_i;
    if (!wr_rst_ni) written_q <= 1'b1;
    if (!rd_rst_ni) read_q <= 1'b1;
    if (in_valid_i && room[to]) begin
      inside_q <= !in_last_i;
      if (!inside_q) first_q <= in_prio_i;
    end
    if (!wr_rst_ni) inside_q <= 1'b0;
    of_q   <= of;
    open_q <= goes && !(last && out_ready_i);
    if (!rd_rst_ni || u_dut.u_reset.rd_clear_o) open_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (past_q[0] && written_q) begin
      // A beat goes to the queue of its frame's priority, which is that of the frame's first beat,
      // and to no other.
      a_to : assert (offered[q_q] == (in_valid_i && to == q_q))
      else $error("queue %0d: %b", q_q, offered[q_q]);
      // With it goes that priority, and whether it is the frame's last.
      a_beat : assert (!offered[q_q] || (offered_last[q_q] == in_last_i &&
                                         written[q_q] == {prio, in_i}))
      else $error("written %b", written[q_q]);
      // There is room for it if its queue has some.
      a_room : assert (in_ready == room[to])
      else $error("ready %b", in_ready);
      // What the module knows of the frame (helps the proof).
      a_frame : assert (u_dut.within_q == inside_q && (!inside_q || u_dut.prio_q == first_q))
      else $error("priority %0d", u_dut.prio_q);
    end
    if (past_q[0]) begin
      // A frame that any queue drops is told of; how full a queue is, too.
      a_drop : assert (drop == (lost != '0) && level[q_q] == taken_up[q_q])
      else $error("dropped %b", drop);
      // Each end of a queue and of the resets between both has the reset of its own clock, and the
      // reader rests while nothing is shown.
      a_resets : assert (u_dut.u_reset.wr_rst_ni == wr_rst_ni &&
          u_dut.u_reset.rd_rst_ni == rd_rst_ni && u_dut.u_reset.rd_idle_i == !valid)
      else $error("rests: %b", u_dut.u_reset.rd_idle_i);
    end
    if (past_q[0] && read_q) begin
      // A queue asks to leave when it has a frame whose priority is not paused, and reading is on.
      a_asks : assert (u_dut.u_arbiter.req_i[q_q] == wants)
      else $error("queue %0d: %b", q_q, wants);
      // The next queue has its turn when a frame begins.
      a_turns : assert (u_dut.u_arbiter.advance_i == (!open_q && u_dut.u_arbiter.valid_o) &&
          u_dut.u_arbiter.rst_ni == (rd_rst_ni && !u_dut.u_reset.rd_clear_o))
      else $error("advances %b", u_dut.u_arbiter.advance_i);
      // A frame is shown from when it is granted until its last beat has been taken, whatever is
      // paused meanwhile.
      a_shown : assert (valid == goes)
      else $error("shown %b", valid);
      // It is of the queue that was granted with its first beat: as that has it, and taken there.
      a_of : assert (!$onehot(of) || !of[q_q] || ({last, out} == {ends[q_q], shown[q_q].data}))
      else $error("queue %0d", q_q);
      // Nothing is taken of another queue.
      a_taken : assert (taken[q_q] == (out_ready_i && of[q_q]))
      else $error("queue %0d: %b", q_q, taken[q_q]);
      // What the module knows of the frame that leaves (helps the proof).
      a_open : assert (u_dut.busy_q == open_q && (!open_q || u_dut.chosen_q == of_q))
      else $error("busy %b", u_dut.busy_q);

      // A frame goes on while its priority is paused; the last queue is written inside a frame.
      c_goes_on : cover (open_q && of[q_q] && has[q_q] && !wants && out_ready_i);
      c_inside : cover (inside_q && offered[q_q] && 32'(q_q) == NumQueues - 1);
    end
  end

endmodule
