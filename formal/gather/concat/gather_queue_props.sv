// gather_queue: every PR that is let in is in one packet of its own queue, and in no second one,
// for as long as one likes.
//
// One queue is followed; which one is free. PRs that were let in for it and are in no closed packet
// are those that it holds; what it holds is compared in memory and in each stage.
module gather_queue_props
  import gather_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        pr_valid_i,
  input logic        response_i,
  input logic        dest_i,
  input logic [10:0] len_i,
  input logic        kind_i,
  input logic        due_valid_i,
  input logic [1:0]  due_queue_i,
  input logic [2:0]  due_entry_i,
  input logic        due_late_i,
  input logic [3:0]  lateness_i,
  input logic [2:0]  unit_i,
  input logic [2:0]  entry_i,
  input logic [1:0]  watch_i
);

  localparam int unsigned Limit = 1108 - AroundBytes + PrStart;

  // ---------------------------------------------------------------------------------------------
  // As gather_admit lets in: PRs of 0 to MaxLen bytes beat by beat, or an entry that is due; not
  // one of the queue whose PR is half in.

  logic        started_q, partial_q, due_valid, pr_valid, moving;
  pr_beat_t    pr, held_q;
  logic [10:0] rest_q, body, part, rest_a;
  logic [6:0]  bytes;
  logic [1:0]  pr_queue, watch_q;
  due_t        due;

  always_comb begin
    pr               = '0;
    pr.pr.response   = response_i;
    pr.pr.dest       = 32'(dest_i);
    pr.pr.len        = (32'(len_i) > MaxLen) ? 11'(MaxLen) : len_i;
    pr.pr.generation = 16'(kind_i);
    pr.first         = 1'b1;
    if (partial_q) begin
      pr       = held_q;
      pr.first = 1'b0;
    end
    body    = pr.first ? carried(pr.pr.response, pr.pr.len) : rest_q;
    part    = (body > 11'(BeatBytes)) ? 11'(BeatBytes) : body;
    rest_a  = body - part;
    pr.last = rest_a == '0;
    bytes   = part[6:0] + (pr.first ? 7'(PrBytes) : 7'd0);
  end

  assign pr_queue  = {pr.pr.response, pr.pr.dest[0]};
  assign due_valid = due_valid_i && !(partial_q && due_queue_i == pr_queue);
  assign pr_valid  = pr_valid_i && !due_valid;
  assign due       = '{which: 11'(due_queue_i), entry: 16'(due_entry_i), late: due_late_i,
                       lateness: 32'(lateness_i)};

  always_ff @(posedge clk_i) begin
    if (pr_valid) begin
      held_q    <= pr;
      partial_q <= !pr.last;
      rest_q    <= rest_a;
    end
    if (!rst_ni) begin
      partial_q <= 1'b0;
      rest_q    <= '0;
    end
  end

  logic       closed_valid, full, late, length, for_room, idle, take, write_valid, close_valid;
  logic [2:0] close_entry;
  logic [3:0] lateness;
  closing_t   closed;
  part_t      write;

  gather_queue #(
    .NumNodes(2),
    .Limit   (Limit),
    .Virtual (1'b0),
    .UnitW   (3),
    .EntryW  (3),
    .ClockW  (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pr_valid_i    (pr_valid),
    .pr_i          (pr),
    .pr_queue_i    (pr_queue),
    .pr_bytes_i    (bytes),
    .due_valid_i   (due_valid),
    .due_i         (due),
    .take_o        (take),
    .refund_o      (),
    .unit_i,
    .open_valid_o  (),
    .open_queue_o  (),
    .open_entry_i  (entry_i),
    .close_valid_o (close_valid),
    .close_entry_o (close_entry),
    .write_valid_o (write_valid),
    .write_o       (write),
    .closed_valid_o(closed_valid),
    .closed_o      (closed),
    .full_o        (full),
    .late_o        (late),
    .length_o      (length),
    .room_o        (for_room),
    .lateness_o    (lateness),
    .moving_o      (moving),
    .idle_o        (idle)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: packets are there that nobody filled.
    e_reset : assume (started_q || !rst_ni);
    // The memory's word is that of the queue. Dropped: any packet is read.
    e_watch : assume (u_dut.u_queues.watch == watch_q);
    if (!started_q) watch_q <= watch_i;
  end

  // ---------------------------------------------------------------------------------------------
  // What the queue holds: in memory; behind what is in stage d; as what is in b sees it.

  typedef struct packed {
    logic [7:0]  count;
    logic [15:0] generation;
    logic [10:0] len;
    logic [11:0] stop;
    logic [2:0]  first;
    logic [2:0]  tail;
    logic [2:0]  entry;
  } held_t;
  typedef struct packed {
    logic  open;
    held_t held;
  } queue_t;

  queue_t     memory, behind_d, behind_c, state_c, seen_b;
  logic       b, c, d, e, pr_b, pr_c, pr_d_q;
  logic [1:0] which_e_q;

  always_ff @(posedge clk_i) which_e_q <= u_dut.which_d_q;

  assign b        = u_dut.valid_b_q && u_dut.op_b_q.which == watch_q;
  assign c        = u_dut.valid_c_q && u_dut.op_c_q.which == watch_q;
  assign d        = u_dut.valid_d_q && u_dut.which_d_q == watch_q;
  assign e        = u_dut.valid_e_q && which_e_q == watch_q;
  assign pr_b     = b && !u_dut.op_b_q.due;
  assign pr_c     = c && !u_dut.op_c_q.due;
  assign memory   = {u_dut.open_q[watch_q], u_dut.u_queues.word_q};
  assign behind_d = d ? u_dut.state_d_q : memory;
  assign behind_c = c ? u_dut.next_c : behind_d;
  assign state_c  = u_dut.state_c_q;
  assign seen_b   = u_dut.state_b;

  // PRs that came for it and are in no packet yet, of what has passed c. And bytes of its last PR
  // that are to come behind each stage.
  logic [7:0]  inside_q, closes;
  logic [10:0] rest_b_q, rest_c_q, rest_d_q, behind_rest;
  logic        full_c;

  assign full_c = u_dut.close_c;
  assign closes = (u_dut.other_c_q || u_dut.hit_c_q) ? state_c.held.count :
      full_c ? u_dut.next_c.held.count : 8'd0;

  always_ff @(posedge clk_i) begin
    rest_b_q <= rest_a;
    rest_c_q <= rest_b_q;
    if (pr_c) rest_d_q <= rest_c_q;
    if (c) inside_q <= inside_q + 8'(pr_c && u_dut.pr_c_q.first) - closes;
    if (!rst_ni) begin
      inside_q <= '0;
      rest_d_q <= '0;
    end
  end

  function automatic logic [11:0] whole(logic response, logic [10:0] len);
    whole = 12'(carried(response, len)) + 12'(PrBytes);
  endfunction

  // A beat of a PR as it may come behind one that leaves `rest` bytes to come.
  function automatic logic follows(pr_beat_t beat, logic [6:0] has, logic [10:0] then_rest,
                                   logic [10:0] rest);
    follows = beat.first == (rest == '0) && beat.last == (then_rest == '0) &&
        32'(beat.pr.len) <= MaxLen && beat.pr.response == watch_q[1] &&
        (beat.first ? 12'(has) + 12'(then_rest) == whole(watch_q[1], beat.pr.len) :
         11'(has) + then_rest == rest) && 32'(has) <= BeatBytes + PrBytes &&
        (!beat.first || 32'(has) >= PrBytes);
  endfunction

  // What is held may be held: a PR, room for the rest of one that is half in, else for another one.
  function automatic logic may_be(queue_t queue, logic [10:0] rest);
    may_be = !queue.open || (queue.held.count != '0 && 32'(queue.held.len) <= MaxLen &&
        32'(queue.held.stop) >= PrStart + PrBytes * 32'(queue.held.count) &&
        32'(queue.held.stop) + ((rest == '0) ? 32'(whole(watch_q[1], queue.held.len)) :
                                32'(rest)) <= Limit);
  endfunction

  assign behind_rest = pr_c ? rest_c_q : rest_d_q;

  // A piece of storage was taken in the cycle before; how late what was let in was, up to three
  // cycles ago.
  // A packet of the queue was closed in the cycle before, and not by its entry; which one it had.
  logic            took_q, closes_q;
  logic [2:0]      entry_q;
  logic [1:0]      moving_q;   // one was let in one, two cycles ago
  logic [2:0][3:0] lateness_q;
  always_ff @(posedge clk_i) begin
    took_q     <= take;
    moving_q   <= rst_ni ? {moving_q[0], pr_valid || due_valid} : '0;
    closes_q   <= rst_ni && c && (full_c || u_dut.other_c_q);
    entry_q    <= behind_d.held.entry;
    lateness_q <= {lateness_q[1:0], lateness_i};
  end

  logic [10:0] rest_now;   // of the watched queue, behind all that was let in
  assign rest_now = (partial_q && pr_queue == watch_q) ? rest_q : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // PRs that came for the queue and are in no packet are those that it holds: none is lost,
      // none leaves twice, none in another queue's packet.
      a_each : assert (inside_q == (behind_d.open ? behind_d.held.count : 8'd0))
      else $error("%0d PRs are inside, the queue holds %0d", inside_q, behind_d.held.count);
      // A packet has a PR, and ends within the MTU.
      a_packet : assert (!(c && (full_c || u_dut.other_c_q || u_dut.hit_c_q)) || closes != '0)
      else $error("a packet without a PR");
      a_limit : assert (!(closed_valid && closed.which[1:0] == watch_q) ||
                        (closed.count != '0 && 32'(closed.stop) <= Limit))
      else $error("%0d PRs end at %0d", closed.count, closed.stop);
      // What is due closes the packet whose entry it is, and no other one.
      a_own : assert (!(c && u_dut.op_c_q.due) ||
                      u_dut.hit_c_q == (state_c.open && state_c.held.entry == u_dut.op_c_q.entry))
      else $error("entry %0d is due", u_dut.op_c_q.entry);
      // Expiry hears of a packet that is closed before its entry is due, and of that entry alone;
      // else another queue's PRs would wait for ever. A PR that begins a packet never fills it.
      a_dies : assert ((!closed_valid || close_valid == (full || length)) &&
                       (!close_valid || closed_valid) &&
                       (!closes_q || (close_valid && close_entry == entry_q)) &&
                       (!u_dut.valid_c_q || u_dut.fills_c_q ==
                        ($signed(13'(PrStart)) > $signed(u_dut.op_c_q.most))) &&
                       !(c && full_c && u_dut.fresh_c_q))
      else $error("entry %0d dies, the packet had %0d", close_entry, entry_q);
      // A part goes to a new piece of storage just if one was taken for it.
      a_fresh : assert (!write_valid || write.fresh == took_q)
      else $error("a part goes to a piece that nobody took");
      // How late a packet is closed for its time is told as of the cycle in which it is seen
      // closed.
      a_lateness : assert ((!late || lateness == lateness_q[2] + 4'd4) &&
                           (!u_dut.valid_b_q || u_dut.op_b_q.lateness == lateness_q[0]) &&
                           (!u_dut.valid_c_q || u_dut.op_c_q.lateness == lateness_q[1] + 4'd4))
      else $error("%0d cycles late", lateness);
      // A packet is full only if another PR of its kind has no room in it.
      a_full : assert (!(pr_c && full_c) || 32'(u_dut.next_c.held.stop) +
                       32'(whole(watch_q[1], u_dut.pr_c_q.pr.len)) > Limit)
      else $error("a packet of %0d bytes is full", u_dut.next_c.held.stop);
      // That something was let in and has not changed its queue yet is told.
      a_moving : assert (moving == (moving_q != '0) &&
                         {u_dut.valid_c_q, u_dut.valid_b_q} == moving_q)
      else $error("moving %b, let in %b", moving, moving_q);
      // A closed packet names its queue.
      a_which : assert (!closed_valid || closed.which == 11'(u_dut.which_d_q))
      else $error("queue %0d", closed.which);
      // The queue is idle only when it holds nothing; else PRs would be forgotten.
      a_idle : assert (!idle || (inside_q == '0 && !pr_b && !closed_valid))
      else $error("idle, and holds %0d PRs", inside_q);
      a_none : assert (!u_dut.none_open_q || !u_dut.open_q[watch_q] || e)
      else $error("a queue is open, and none is said to be");
      // An operation closes one packet at most; a second one would be lost.
      a_one : assert (!c || 32'(full_c) + 32'(u_dut.other_c_q) + 32'(u_dut.hit_c_q) <= 1)
      else $error("two packets are closed by one PR");
      // A queue that may be closed is closed between PRs.
      a_between : assert (!(c && (u_dut.hit_c_q || u_dut.other_c_q)) || rest_d_q == '0)
      else $error("a packet is closed with half a PR");
      // What each stage sees is what the queue holds.
      a_c : assert (!c || state_c == behind_d)
      else $error("stage c sees an old queue");
      a_b : assert (!b || seen_b == behind_c)
      else $error("stage b sees an old queue");
      a_e : assert (!e || {u_dut.state_e_q} == memory)
      else $error("stage e is not in memory");
      a_near : assert (!b || (u_dut.near == {e, d, c}))
      else $error("operations on one queue are not told so");
      a_differs : assert (u_dut.differs_q ==
                          (u_dut.pr_b_q.pr.len != u_dut.pr_c_q.pr.len ||
                           u_dut.pr_b_q.pr.generation != u_dut.pr_c_q.pr.generation))
      else $error("whether a PR is of the kind of the one in front");
      a_known : assert (!c || (u_dut.is_pr_q == !u_dut.op_c_q.due &&
                        u_dut.opens_q == (pr_c && u_dut.fresh_c_q) &&
                        u_dut.hit_c_q == (u_dut.hit_c_q && u_dut.op_c_q.due && state_c.open) &&
                        u_dut.other_c_q == (pr_c && u_dut.pr_c_q.first && state_c.open &&
                                            u_dut.fresh_c_q) &&
                        (!pr_c || u_dut.fresh_c_q == (u_dut.pr_c_q.first &&
                         (!state_c.open || state_c.held.len != u_dut.pr_c_q.pr.len ||
                          state_c.held.generation != u_dut.pr_c_q.pr.generation)))))
      else $error("stage c does not know what becomes of the queue");
      a_valid : assert ((u_dut.valid_c_q || !(u_dut.is_pr_q || u_dut.hit_c_q ||
                                              u_dut.other_c_q)))
      else $error("an operation of nothing");
      // What is held leaves room; beats follow each other.
      a_room : assert (may_be(behind_d, rest_d_q) && (rest_d_q == '0 || behind_d.open))
      else $error("a queue that holds too much");
      a_beats_c : assert (!pr_c || (follows(u_dut.pr_c_q, u_dut.op_c_q.bytes, rest_c_q, rest_d_q) &&
                          (rest_d_q == '0 || (u_dut.pr_c_q.pr.len == behind_d.held.len &&
                           u_dut.pr_c_q.pr.generation == behind_d.held.generation)) &&
                          u_dut.op_c_q.most == 13'(Limit) - 13'(u_dut.op_c_q.bytes) -
                          13'(whole(watch_q[1], u_dut.pr_c_q.pr.len))))
      else $error("a beat in c that does not follow");
      a_beats_b : assert (!pr_b || (follows(u_dut.pr_b_q, u_dut.op_b_q.bytes, rest_b_q, behind_rest)
                          && (behind_rest == '0 || (u_dut.pr_b_q.pr.len == behind_c.held.len &&
                          u_dut.pr_b_q.pr.generation == behind_c.held.generation)) &&
                          u_dut.op_b_q.most == 13'(Limit) - 13'(u_dut.op_b_q.bytes) -
                          13'(whole(watch_q[1], u_dut.pr_b_q.pr.len))))
      else $error("a beat in b that does not follow");
      a_due : assert ((!(c && u_dut.op_c_q.due) || rest_d_q == '0) &&
                      (!(b && u_dut.op_b_q.due) || behind_rest == '0))
      else $error("a queue is due inside a PR");
      a_rest : assert (rest_now == (pr_b ? rest_b_q : behind_rest))
      else $error("%0d bytes are to come", rest_now);
      a_held : assert (!partial_q || (rest_q != '0 && 32'(held_q.pr.len) <= MaxLen &&
                       32'(rest_q) + BeatBytes <= 32'(held_q.pr.len) && held_q.pr.response &&
                       held_q.pr.dest[31:1] == '0 &&
                       (pr_queue != watch_q ||
                        (pr_b ? held_q.pr.len == u_dut.pr_b_q.pr.len &&
                         held_q.pr.generation == u_dut.pr_b_q.pr.generation :
                         held_q.pr.len == behind_c.held.len &&
                         held_q.pr.generation == behind_c.held.generation))))
      else $error("a PR changes while it comes in");
      // Packets are closed for each reason; one that is full has several PRs.
      c_full : cover (closed_valid && full && closed.count > 8'd1 && closed.which[1:0] == watch_q);
      c_late : cover (closed_valid && late);
      c_length : cover (closed_valid && length && closed.count > 8'd1);
      c_room : cover (closed_valid && for_room && moving);
    end
  end

endmodule
