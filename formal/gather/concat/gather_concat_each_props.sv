// gather_concat: every PR that comes in is in one closed packet of its own queue, and in no second
// one, and each closed packet finds room, for as long as one likes. What becomes of a queue is
// gather_queue's own proof; here it is closed when it likes (queue_stand_in.sv). That closed
// packets are shown as they are is gather_closed's.
//
// One queue is followed; which one is free. PRs that came for it and are in no closed packet are
// those on their way in, those that it holds, and those of the packet that is just being closed.
module gather_concat_each_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic        response_i,
  input logic        dest_i,
  input logic [10:0] len_i,
  input logic        last_i,
  input logic        ready_i,
  input logic [1:0]  watch_i
);

  localparam int unsigned Closed = 16;
  localparam int unsigned Most = (1108 - AroundBytes) / PrBytes;

  logic        started_q, pr_ready, packet_valid, idle, take, mine, closes;
  pr_beat_t    pr, held_q;
  logic        inside_q;   // a PR of several beats is half in
  logic [1:0]  watch_q;
  logic [9:0]  open_q;     // PRs of the queue that came in and are in no closed packet

  // PRs of any length and any number of beats.
  always_comb begin
    pr             = '0;
    pr.pr.response = response_i;
    pr.pr.dest     = 32'(dest_i);
    pr.pr.len      = len_i;
    pr.first       = 1'b1;
    if (inside_q) begin
      pr       = held_q;
      pr.first = 1'b0;
    end
    pr.last = last_i;
  end

  gather_concat #(
    .NumNodes   (2),
    .Mtu        (1108),
    .Virtual    (1'b0),
    .VirtualRows(32),
    .Spare      (4),
    .ExpiryDepth(16),
    .ClockW     (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i       ('0),
    .pr_valid_i    (valid_i),
    .pr_ready_o    (pr_ready),
    .pr_i          (pr),
    .packet_valid_o(packet_valid),
    .packet_ready_i(ready_i),
    .packet_o      (),
    .data_valid_o  (),
    .data_ready_i  (1'b1),
    .data_o        (),
    .obs_o         (),
    .idle_o        (idle)
  );

  assign take   = valid_i && pr_ready && rst_ni;
  assign mine   = take && pr.first && {pr.pr.response, pr.pr.dest[0]} == watch_q;
  assign closes = u_dut.closed_valid && u_dut.closed.which[1:0] == watch_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: packets are there that nobody filled.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) watch_q <= watch_i;
    if (take) begin
      held_q   <= pr;
      inside_q <= !pr.last;
    end
    open_q <= open_q + 10'(mine) - (closes ? 10'(u_dut.closed.count) : 10'd0);
    if (!rst_ni) begin
      inside_q <= 1'b0;
      open_q   <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where they are. These help the proof.

  logic [9:0] in_front;
  logic [4:0] count;
  logic [5:0] moving, total, stored;
  logic [1:0] half_queue;

  assign count    = u_dut.u_closed.shown_count;
  assign in_front = 10'(u_dut.u_admit.valid_q && u_dut.u_admit.pr_o.first &&
                        u_dut.u_admit.queue_o == watch_q) +
      10'(u_dut.u_queue.b_q.valid && !u_dut.u_queue.b_q.due && u_dut.u_queue.b_q.first &&
          u_dut.u_queue.b_q.which == watch_q) +
      10'(u_dut.u_queue.c_q.valid && !u_dut.u_queue.c_q.due && u_dut.u_queue.c_q.first &&
          u_dut.u_queue.c_q.which == watch_q);

  // Packets that may be there when all that moves has closed one.
  assign moving = 6'(u_dut.u_queue.b_q.valid) + 6'(u_dut.u_queue.c_q.valid) +
      6'(u_dut.closed_valid) + 6'(u_dut.u_closed.record1_valid_q) +
      6'(u_dut.u_closed.record2_valid_q);
  assign total  = 6'(count) + moving;
  assign stored = 6'(u_dut.u_store.closed_q) + moving;

  assign half_queue = u_dut.u_admit.valid_q ? u_dut.u_admit.queue_o :
      u_dut.u_admit.partial_queue_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet has a PR: nothing is sent for a queue that was flushed already. It has no PRs but
      // such as came in for its queue and were in no packet before: none is sent twice, none to
      // another node.
      a_once : assert (!closes || (u_dut.closed.count != '0 &&
                                   10'(u_dut.closed.count) <= open_q))
      else $error("%0d PRs in a packet, %0d inside", u_dut.closed.count, open_q);
      // When nothing is queued, every PR that came in was in a packet: none is lost.
      a_none_lost : assert (!idle || open_q == '0)
      else $error("idle, and %0d PRs were in no packet", open_q);
      // Every PR that came in and was in no packet is in one place.
      a_each : assert (open_q == in_front + 10'(u_dut.u_queue.count_q[watch_q]) +
                       (closes ? 10'(u_dut.closed.count) : 10'd0))
      else $error("%0d PRs are in no packet", open_q);
      a_fits : assert ((!closes || 32'(u_dut.closed.count) <= Most) &&
                       32'(u_dut.u_queue.count_q[watch_q]) <= Most)
      else $error("a packet that cannot be");
      // All that may be closed of what was let in finds room.
      a_room : assert (32'(total) <= Closed && 32'(stored) <= Closed &&
                       (!u_dut.room || (32'(total) + 2 <= Closed && 32'(stored) + 2 <= Closed)) &&
                       (!u_dut.due_ready || (32'(total) + 1 <= Closed &&
                                             32'(stored) + 1 <= Closed)))
      else $error("%0d packets may come", total);
      // What is let in is what came in.
      a_beats : assert (inside_q == (u_dut.u_admit.valid_q ? !u_dut.u_admit.pr_o.last :
                                     u_dut.u_admit.partial_q) &&
                        (!inside_q || (half_queue == {held_q.pr.response, held_q.pr.dest[0]} &&
                                       held_q.pr.dest[31:1] == '0)) &&
                        (!u_dut.u_admit.valid_q || u_dut.u_admit.pr_o.first ||
                         u_dut.u_admit.queue_o == u_dut.u_admit.partial_queue_q))
      else $error("a beat of another PR");
      // A queue is not closed while a PR is written to it.
      a_half : assert (!u_dut.due_ready || !u_dut.u_admit.partial_q ||
                       u_dut.u_admit.partial_queue_q != u_dut.due_queue)
      else $error("queue %0d may be closed inside a PR", u_dut.due_queue);
      // A packet of several PRs is closed; as many wait as there is room for.
      c_two : cover (closes && u_dut.closed.count > 8'd1);
      c_full : cover (32'(count) == Closed);
    end
  end

endmodule
