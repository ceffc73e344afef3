// gather_expiry: whatever the clock shows, what is due is a queue that was opened and not flushed,
// it is so once, and no number is in use twice. When it is due is gather_expiry_props's; here any
// entry at the head is late whenever it likes (`is_late_q` is cut, and so is the clock).
//
// Entries stand in the order of their numbers, from the one that is looked at to the one that was
// made last; with that the proof is by induction.
module gather_expiry_entries_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] delay_i,
  input logic       force_i,
  input logic       open_i,
  input logic       open_queue_i,
  input logic       close_i,
  input logic [3:0] close_id_i,
  input logic       due_ready_i,
  input logic       follow_i
);

  localparam int unsigned Depth = 16;
  localparam int unsigned IdW = $clog2(Depth);

  logic           started_q, ready, open, close, taken, moves, due_queue, behind;
  logic           next_q, next_valid_q;
  logic [IdW-1:0] open_id, due_id;

  // What is open is flushed when it is full, or when it is due. It may still be flushed for the
  // former up to four cycles after it was taken for the latter, as gather_concat does.
  logic [Depth-1:0]      open_q;
  logic [3:0][Depth-1:0] taken_q;
  logic [Depth-1:0]      rests;
  assign rests = taken_q[0] | taken_q[1] | taken_q[2] | taken_q[3];
  assign open  = open_i && ready;
  assign close = close_i && (open_q[close_id_i] || rests[close_id_i]);

  gather_expiry #(
    .NumQueues(2),
    .Depth    (Depth),
    .ClockW   (5)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i,
    .force_i,
    .open_ready_o  (ready),
    .open_id_o     (open_id),
    .open_valid_i  (open),
    .open_queue_i,
    .close_valid_i (close),
    .close_id_i,
    .due_ready_i,
    .due_taken_o   (taken),
    .due_queue_o   (due_queue),
    .due_moves_o   (moves),
    .due_behind_o  (behind),
    .due_id_o      (due_id),
    .due_late_o    (),
    .due_lateness_o()
  );

  always_ff @(posedge clk_i) begin
    taken_q <= {taken_q[2:0], taken ? Depth'(1) << due_id : Depth'(0)};
    if (open) open_q[open_id] <= 1'b1;
    if (close) open_q[close_id_i] <= 1'b0;
    if (taken) open_q[due_id] <= 1'b0;
    if (!rst_ni) begin
      open_q  <= '0;
      taken_q <= '0;
    end
  end

  // One entry, which one is free: while it is open, and then until its number is given again.
  logic           live_q, gone_q, queue_q;
  logic [IdW-1:0] id_q;

  // What was shown and is neither taken nor flushed.
  logic           shown_q;
  logic [IdW-1:0] shown_id_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: entries are there that nobody made.
    e_reset : assume (started_q || !rst_ni);
    if (open && follow_i && !live_q) begin
      live_q  <= 1'b1;
      gone_q  <= 1'b0;
      id_q    <= open_id;
      queue_q <= open_queue_i;
    end else begin
      if (open && open_id == id_q) gone_q <= 1'b0;
      if (live_q && ((close && close_id_i == id_q) || (taken && due_id == id_q))) begin
        live_q <= 1'b0;
        gone_q <= 1'b1;
      end
    end
    if (u_dut.due) begin
      shown_q    <= !due_ready_i && !(close && close_id_i == due_id);
      shown_id_q <= due_id;
    end else if (close && close_id_i == shown_id_q) begin
      shown_q <= 1'b0;
    end
    next_q       <= moves ? behind : due_queue;   // the queue of what is shown in the next cycle
    next_valid_q <= rst_ni;
    if (!rst_ni) begin
      live_q  <= 1'b0;
      gone_q  <= 1'b0;
      shown_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where entries stand. These help the proof.

  logic [IdW:0]   count, total;
  logic [1:0]     between;          // in the skid buffer
  logic [IdW-1:0] read, after, oldest;
  logic           numbers, queues, opened, resting;
  logic [IdW-1:0] behind2;

  assign count   = u_dut.count;
  assign between = 2'(u_dut.u_first.out_valid_q) + 2'(u_dut.u_first.skid_valid_q);
  assign read    = u_dut.u_entries.u_fifo.read_q[IdW-1:0];
  assign total   = count + (IdW + 1)'(between) + (IdW + 1)'(u_dut.valid2_q) +
      (IdW + 1)'(u_dut.valid3_q);
  assign after   = read - IdW'(between);              // behind the third and the second one
  assign behind2 = after - IdW'(u_dut.valid2_q);
  assign oldest  = u_dut.next_q - IdW'(total);

  // A number that is inside: so many behind the oldest one.
  function automatic logic inside_of(logic [IdW-1:0] id, logic [IdW-1:0] from, logic [IdW:0] many);
    inside_of = {1'b0, IdW'(id - from)} < many;
  endfunction

  always_comb begin
    numbers = u_dut.u_entries.u_fifo.write_q[IdW-1:0] == u_dut.next_q &&
        (!u_dut.head_valid || u_dut.head.id == read) &&
        (!u_dut.u_first.skid_valid_q || (u_dut.u_first.skid_q.id == read - IdW'(1) &&
                                         u_dut.u_first.out_valid_q)) &&
        (!u_dut.u_first.out_valid_q || u_dut.u_first.out_q.id == after) &&
        (!u_dut.valid2_q || u_dut.entry2_q.id == behind2) &&
        (!u_dut.valid3_q || u_dut.entry3_q.id == oldest);
    queues  = (u_dut.head.id != id_q || !u_dut.head_valid || u_dut.head.which == queue_q) &&
        (u_dut.u_first.skid_q.id != id_q || !u_dut.u_first.skid_valid_q ||
         u_dut.u_first.skid_q.which == queue_q) &&
        (u_dut.u_first.out_q.id != id_q || !u_dut.u_first.out_valid_q ||
         u_dut.u_first.out_q.which == queue_q) &&
        (u_dut.entry2_q.id != id_q || !u_dut.valid2_q || u_dut.entry2_q.which == queue_q) &&
        (u_dut.entry3_q.id != id_q || !u_dut.valid3_q || u_dut.entry3_q.which == queue_q);
    opened  = 1'b1;
    resting = 1'b1;
    for (int unsigned a = 0; a < Depth; a++) begin
      if (inside_of(IdW'(a), read, count)) begin
        numbers = numbers && u_dut.u_entries.u_fifo.u_ram.mem[a][8:5] == IdW'(a);
        if (IdW'(a) == id_q) begin
          queues = queues && u_dut.u_entries.u_fifo.u_ram.mem[a][9] == queue_q;
        end
      end
      // Of those that the second and third one are not, the bits say it.
      if (inside_of(IdW'(a), after, count + (IdW + 1)'(between))) begin
        opened = opened && open_q[a] == u_dut.alive_q[a];
      end
      if (!inside_of(IdW'(a), oldest, total)) opened = opened && !open_q[a];
      for (int unsigned i = 0; i < 4; i++) begin
        if (taken_q[i][a]) resting = resting && 32'(IdW'(oldest - IdW'(a) - IdW'(1))) <= i;
      end
    end
    if (u_dut.valid2_q) opened = opened && open_q[u_dut.entry2_q.id] == u_dut.alive2;
    if (u_dut.valid3_q) opened = opened && open_q[u_dut.entry3_q.id] == u_dut.alive3_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is due is the queue that was opened.
      a_queue : assert (!(live_q && u_dut.due && due_id == id_q) || due_queue == queue_q)
      else $error("queue %0d is due for %0d", due_queue, queue_q);
      // A queue that was flushed is not due any more: no packet is empty, and a queue that was
      // opened again is not flushed by its old entry.
      a_once : assert (!(gone_q && u_dut.due && due_id == id_q))
      else $error("entry %0d is due again", id_q);
      // What was shown as due is shown until it is flushed, and nothing else before.
      a_stays : assert (!shown_q || (due_id == shown_id_q && u_dut.alive3_q))
      else $error("entry %0d is due, and %0d was", due_id, shown_id_q);
      // It goes when it is due and may, and what is due is of the queue that was told before; else
      // a queue would be closed while a PR is written to it.
      a_next : assert (taken == (u_dut.due && due_ready_i) &&
                       (!u_dut.due || !next_valid_q || due_queue == next_q))
      else $error("queue %0d is due, %0d was told", due_queue, next_q);
      // A number is not given to a second queue while the first one is open or may still be
      // flushed.
      a_own : assert (!open || (!open_q[open_id] && !rests[open_id]))
      else $error("entry %0d is given twice", open_id);
      // Entries stand in the order of their numbers; fewer are inside than there are numbers.
      a_numbers : assert (numbers && 32'(count) <= 6 && (!ready || 32'(count) <= 5) &&
                          (!u_dut.head_valid || count != '0) &&
                          u_dut.u_entries.u_fifo.commit_q == u_dut.u_entries.u_fifo.write_q)
      else $error("entries are not in the order of their numbers");
      // The entry that is followed is of its queue, wherever it stands.
      a_place : assert (!live_q || queues)
      else $error("entry %0d is of another queue", id_q);
      // Just those are open whose entry is inside and alive, and what was taken a moment ago is not
      // inside.
      a_open : assert (opened && resting && (!live_q || open_q[id_q]) &&
                       (!gone_q || (!open_q[id_q] && !live_q)))
      else $error("entries %b are open", open_q);
      // A queue is due; one that was flushed is passed over; a number is given again while what was
      // taken of it is remembered.
      c_due : cover (live_q && u_dut.due && due_id == id_q && due_ready_i);
      c_dead : cover (u_dut.valid3_q && !u_dut.alive3_q && gone_q && u_dut.entry3_q.id == id_q);
      c_again : cover (open && open_id == id_q && gone_q);
    end
  end

endmodule
