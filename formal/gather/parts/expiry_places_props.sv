// gather_expiry around its queue of entries, its skid buffer and its clock: how the head is looked
// up in three places, who of it lives, when it is due, and what is told of it. What the queue and
// the buffer show, and what the clock says, is anything. (That entries come in order is
// gather_expiry's proof.)
module expiry_places_props #(
  parameter int unsigned Depth = 16,
  parameter int unsigned ClockW = 5,
  localparam int unsigned IdW = $clog2(Depth)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [ClockW-3:0] delay_i,
  input logic              force_i,
  input logic              open_valid_i,
  input logic [1:0]        open_queue_i,
  input logic              close_valid_i,
  input logic [IdW-1:0]    close_id_i,
  input logic              due_ready_i
);

  typedef struct packed {
    logic [1:0]        which;
    logic [IdW-1:0]    id;
    logic [ClockW-1:0] at;
  } entry_t;

  logic              open_ready, taken, moves, is_late;
  logic [IdW-1:0]    open_id, due_id;
  logic [1:0]        due_queue, behind;
  logic [ClockW-1:0] lateness;

  gather_expiry #(
    .NumQueues(4),
    .Depth    (Depth),
    .ClockW   (ClockW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i,
    .force_i,
    .open_ready_o  (open_ready),
    .open_id_o     (open_id),
    .open_valid_i,
    .open_queue_i,
    .close_valid_i,
    .close_id_i,
    .due_ready_i,
    .due_taken_o   (taken),
    .due_queue_o   (due_queue),
    .due_moves_o   (moves),
    .due_behind_o  (behind),
    .due_id_o      (due_id),
    .due_late_o    (is_late),
    .due_lateness_o(lateness)
  );

  // What the queue, the buffer and the clock say: an entry is in the first place; the time; how
  // many entries are in the queue.
  logic              first;
  entry_t            first_entry, made;
  logic [ClockW-1:0] now;
  logic [IdW:0]      count;
  assign first       = u_dut.u_first.out_valid_o;
  assign first_entry = u_dut.u_first.out_o;
  assign made        = u_dut.u_entries.in_i;
  assign now         = u_dut.u_now.count_o;
  assign count       = u_dut.u_entries.count_o;

  // ---------------------------------------------------------------------------------------------
  // Numbers: which ones are of queues that are open, as far as is known from what they were in the
  // first cycle; and which one is the next.

  logic             past_q, run_q, reset_q;   // it has been reset
  logic [Depth-1:0] open_q, open_now;
  logic [IdW-1:0]   next_q;

  assign open_now = past_q ? open_q : u_dut.alive_q;
  for (genvar n = 0; n < Depth; n++) begin : gen_number
    always_ff @(posedge clk_i) begin
      open_q[n] <= open_now[n];
      if (open_valid_i && open_id == IdW'(n)) open_q[n] <= 1'b1;
      if (close_valid_i && close_id_i == IdW'(n)) open_q[n] <= 1'b0;
    end
  end

  function automatic logic closes(logic [IdW-1:0] id);
    closes = close_valid_i && close_id_i == id;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // The second and the third place: whether an entry is there, which one was the latest, and
  // whether that lives. It does if its queue was open as it came to the second place and was not
  // closed then or later.

  logic              second_q, third_q, second_known_q, third_known_q, second_lives_q, lives_q;
  logic              due, leaves, first_goes, second_goes;
  entry_t            second_entry_q, third_entry_q;
  logic [ClockW-1:0] now_q;
  logic [IdW:0]      count_q;
  logic              still_q;   // the clock is to stand still

  // It is due if it lives, and its time has come or somebody needs room. A dead one leaves at once,
  // one that is due as soon as it may; who is behind it follows.
  assign due         = lives_q && (is_late || force_i);
  assign leaves      = lives_q ? (due && due_ready_i) : 1'b1;
  assign second_goes = second_q && leaves;
  assign first_goes  = first && (leaves || !second_q);

  initial {past_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    run_q   <= rst_ni;
    reset_q <= reset_q || !rst_ni;
    now_q   <= now;
    count_q <= count;
    // A quarter of what the clock counts, and less than a half.
    still_q <= due && 32'(lateness) >= 2 ** (ClockW - 2) && 32'(lateness) < 2 ** (ClockW - 1);
    next_q  <= open_id + IdW'(open_valid_i);

    if (second_goes) {second_q, third_q} <= 2'b01;
    else if (leaves) third_q <= 1'b0;
    if (first_goes) second_q <= 1'b1;

    if (first_goes) begin
      second_known_q <= 1'b1;
      second_entry_q <= first_entry;
      second_lives_q <= open_now[first_entry.id] && !closes(first_entry.id);
    end else if (closes(second_entry_q.id)) second_lives_q <= 1'b0;

    if (second_goes) begin
      third_known_q <= second_known_q;
      third_entry_q <= second_entry_q;
      lives_q       <= second_lives_q && !closes(second_entry_q.id);
    end else if (leaves || closes(third_entry_q.id)) lives_q <= 1'b0;

    if (!rst_ni) {second_q, third_q, lives_q, still_q, next_q} <= '0;
    if (!rst_ni) {second_known_q, third_known_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_entries.rst_ni, u_dut.u_first.rst_ni, u_dut.u_now.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
    // A queue that is opened gets an entry of the next number, whose time is so much later; entries
    // wait in the queue, and then in the buffer.
    a_entry : assert (u_dut.u_entries.in_valid_i == open_valid_i && made.which == open_queue_i &&
                      made.id == open_id && 32'(made.at) == (32'(now) + 32'(delay_i)) %
                      (2 ** ClockW))
    else $error("queue %0d has entry %0d of time %0d", made.which, made.id, made.at);
    a_buffer : assert (u_dut.u_first.in_valid_i == u_dut.u_entries.out_valid_o &&
                       u_dut.u_first.in_i == u_dut.u_entries.out_o &&
                       u_dut.u_entries.out_ready_i == u_dut.u_first.in_ready_o)
    else $error("another entry is in front");
    // The clock is never set.
    a_clock : assert (!u_dut.u_now.start_i && u_dut.u_now.from_i == '0)
    else $error("the clock is set");
    if (reset_q && run_q) begin
      // It goes on, but not behind a cycle in which one was due and late by a quarter of it.
      a_still : assert (u_dut.u_now.step_i == !still_q)
      else $error("the clock stands still: %b", !u_dut.u_now.step_i);
      // Numbers follow one another.
      a_number : assert (open_id == next_q)
      else $error("entry %0d is made", open_id);
      // A queue may be opened while numbers are left for eleven more.
      a_open : assert (open_ready == (32'(count_q) + 11 < Depth))
      else $error("a queue may be opened: %b", open_ready);
      // An entry comes from the first place if there is one in it, and the second place is free or
      // becomes free.
      a_first : assert (u_dut.u_first.out_ready_i == first_goes)
      else $error("the first entry goes: %b", u_dut.u_first.out_ready_i);
      // And from the second one when the third one becomes free.
      a_moves : assert (moves == second_goes)
      else $error("the second entry goes: %b", moves);
      // What is due is taken when it may be.
      a_taken : assert (taken == (due && due_ready_i))
      else $error("entry %0d is taken: %b", due_id, taken);
      // Of the third entry its queue and its number are told, and how late it was a cycle ago.
      a_third : assert (!third_known_q || {due_queue, due_id} ==
                        {third_entry_q.which, third_entry_q.id})
      else $error("entry %0d of queue %0d", due_id, due_queue);
      a_lateness : assert (!third_known_q || ClockW'(lateness + third_entry_q.at) == now_q)
      else $error("late by %0d cycles", lateness);
      // Of the second one the queue.
      a_behind : assert (!second_known_q || behind == second_entry_q.which)
      else $error("queue %0d is behind", behind);
      // These help the proof.
      a_places : assert ({u_dut.valid2_q, u_dut.valid3_q, u_dut.alive3_q} ==
                         {second_q, third_q, lives_q} && (second_known_q || !second_q) &&
                         (!second_known_q || (u_dut.entry2_q == second_entry_q &&
                          u_dut.alive2 == second_lives_q)) &&
                         (!third_known_q || u_dut.entry3_q == third_entry_q) &&
                         (third_known_q || !third_q) && (third_q || !lives_q))
      else $error("%b %b", u_dut.valid2_q, u_dut.valid3_q);
    end
    if (past_q) begin
      // Its time has come if it is not early, by less than half of what the clock counts.
      a_late : assert (is_late == (32'(lateness) < 2 ** (ClockW - 1)))
      else $error("late: %b", is_late);
      // In reset nothing may be opened, and the clock goes on behind it.
      a_begins : assert (run_q || (!open_ready && open_id == '0 && u_dut.u_now.step_i &&
                                   !taken && !moves))
      else $error("entry %0d is made", open_id);
      // This helps the proof, too.
      a_alive : assert (u_dut.alive_q == open_q)
      else $error("%b live", u_dut.alive_q);
    end

    // One that is due as another one follows it; a dead one in the third place of three.
    c_taken : cover (taken && moves && is_late && !force_i && u_dut.u_first.out_ready_i);
    c_dead : cover (reset_q && run_q && third_q && !lives_q && second_goes && first_goes);
  end

endmodule
