// Jobs that wait for their take: of each ring a list of first results and one of repetitions.
//
// A job that cannot leave, because a port has no room, stands in front of its own list only: one
// ring's unplugged host stops that ring and no other. The lists are linked through one RAM with a
// word a slot, which suffices because a slot has one job at a time.
//
// What is to be taken next is chosen while the take before is under way, in three cycles, and stays
// chosen. A list whose head was blocked gets it back, and is passed over until all ports that the
// head needs have room. Other lists could take that room again and again, a port at a time; so one
// blocked list at a time, the senior, has what comes free at its ports withheld from the others. A
// list that needs a port which has stopped is not made senior, and ceases to be: what it withholds
// would stop its neighbours with it.
//
// Nobody waits for anything here: pushes are always taken.
module agg_job_lists
  import agg_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Slots, 1 to 16384: the most jobs there can be.
  parameter int unsigned NumSlots = 680,
  localparam int unsigned Lists = 2 * NumRings,
  localparam int unsigned ListW = $clog2(Lists)
) (
  input logic clk_i,
  input logic rst_ni,

  // A new job, or the end of the one started last. A ring's list of first results is `ring`,
  // that of its repetitions NumRings + `ring`. `left`: a job for the former is left of a take that
  // was begun without one; it comes when no other does.
  input job_t job_i,
  input logic left_i,

  // The next job; `start_i` begins its take, and it is in no list from then on. A job that finds
  // nothing waiting is shown in its own cycle. A job that is not served at once stays with its
  // taker, who begins its take again without asking here.
  output logic             valid_o,
  output logic [SlotW-1:0] slot_o,
  input  logic             start_i,
  // No list has a job, nor had one come in the cycle before.
  output logic             none_o,

  // The take was blocked: its job goes back to its list's head, which waits until the ports it
  // needs have room. Those ports are told in the cycle after.
  input logic                blocked_i,
  input logic [NumPorts-1:0] needs_i,

  // Ports with room for a largest result, and those that have been without room and without
  // progress for a while.
  input logic [NumPorts-1:0] ready_i,
  input logic [NumPorts-1:0] stopped_i,
  // Those whose room is not for the job started last; from two cycles after its start.
  output logic [NumPorts-1:0] withheld_o,

  // A ring has been flushed: its jobs own nothing any more, so they are taken without waiting.
  input logic             flushed_i,
  input logic [RingW-1:0] flushed_ring_i
);

  if (NumRings < 1 || NumRings > 2 ** RingW) begin : gen_check_rings
    $fatal(1, "%m: NumRings must be 1 to %0d", 2 ** RingW);
  end

  // First results that may go before a waiting repetition.
  localparam int unsigned FirstsInRow = 8;
  localparam int unsigned RowW = $clog2(FirstsInRow + 1);
  localparam int unsigned AddrW = (NumSlots > 1) ? $clog2(NumSlots) : 1;

  logic [Lists-1:0]            some_q, blocked_q, push;
  logic [Lists-1:0][AddrW-1:0] head_q, tail_q;
  logic                        pushes, direct;
  logic [ListW-1:0]            push_list, current_q;
  logic [AddrW-1:0]            push_slot, current_slot_q, tail;
  logic                        started_q;     // a job was started in the cycle before
  logic                        fetch_q;       // what follows it in its list is read
  logic                        loading_q;     // and becomes the list's head
  logic                        listed_q;      // the job started last came from a list
  logic                        ended_q;       // and has ended
  logic                        note_q;        // a job went back in the cycle before
  logic                        none_q;        // no list has a job

  // ---------------------------------------------------------------------------------------------
  // Whose turn it is: a list, then its head. First results come first: they move windows on,
  // repetitions only fill a host's gap.

  logic [Lists-1:0]    ready, turn_d, turn_q;
  logic [NumRings-1:0] first_gnt, again_gnt;
  logic                first_any, again_any, choose_again, choose, show, spoilt;
  logic                turn_valid_q, chosen_q;
  logic [RowW-1:0]     in_row_q;
  logic [AddrW-1:0]    head, chosen_slot_q;
  logic [ListW-1:0]    turn_list, chosen_list_q;
  logic [Lists-1:0]    chosen_hot_q;

  assign ready        = some_q & ~blocked_q;
  assign choose_again = again_any && (!first_any || in_row_q == RowW'(FirstsInRow));
  assign turn_d       = choose_again ? {again_gnt, NumRings'(0)} : {NumRings'(0), first_gnt};
  assign show         = turn_valid_q;
  // One list at a time, and not while one of them is not whole: all others would be in front of it.
  assign choose       = !turn_valid_q && !chosen_q && !started_q && !fetch_q && !loading_q;
  // What is chosen stands behind the job that goes back; so does what is being chosen just then.
  assign spoilt       = ((blocked_i || note_q) && turn_valid_q && turn_q[current_q]) ||
      (blocked_i && chosen_q && chosen_list_q == current_q);

  /* verilator lint_off PINCONNECTEMPTY */
  prim_arb_rr #(
    .N(NumRings)
  ) u_firsts (
    .clk_i,
    .rst_ni,
    .req_i    (ready[NumRings-1:0]),
    .advance_i(choose && !choose_again),
    .gnt_o    (first_gnt),
    .idx_o    (),
    .valid_o  (first_any)
  );

  prim_arb_rr #(
    .N(NumRings)
  ) u_agains (
    .clk_i,
    .rst_ni,
    .req_i    (ready[Lists-1:NumRings]),
    .advance_i(choose && choose_again),
    .gnt_o    (again_gnt),
    .idx_o    (),
    .valid_o  (again_any)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  prim_pick #(
    .Width(AddrW),
    .Words(Lists)
  ) u_head (
    .in_i    (head_q),
    .select_i(turn_q),
    .out_o   (head)
  );

  always_comb begin
    turn_list = '0;
    for (int unsigned l = 0; l < Lists; l++) if (turn_q[l]) turn_list |= ListW'(l);
  end

  always_ff @(posedge clk_i) begin
    if (choose) begin
      turn_q       <= turn_d;
      turn_valid_q <= first_any || again_any;
      if (choose_again) in_row_q <= '0;
      else if (again_any) in_row_q <= in_row_q + RowW'(1);
    end
    if (show) begin
      chosen_slot_q <= head;
      chosen_list_q <= turn_list;
      chosen_hot_q  <= turn_q;
      turn_valid_q  <= 1'b0;
    end
    chosen_q <= show || (chosen_q && !start_i);
    if (spoilt) begin
      turn_valid_q <= 1'b0;
      chosen_q     <= 1'b0;
    end
    if (!rst_ni) begin
      in_row_q     <= '0;
      turn_valid_q <= 1'b0;
      chosen_q     <= 1'b0;
    end
  end

  assign direct  = (job_i.first || job_i.again) && none_q;
  assign valid_o = chosen_q || direct;
  assign none_o  = none_q;
  assign slot_o  = chosen_q ? SlotW'(chosen_slot_q) : SlotW'(push_slot);

  // ---------------------------------------------------------------------------------------------
  // The lists. The head that is started leaves its list; the word that links it to the next one
  // stays right until its job ends, so that it can go back.

  logic [Lists-1:0] last, linked;       // last: its only job is chosen
  logic [Lists-1:0] single_q, pushed_q; // in the cycle before: head and tail were one; a job came
  logic [AddrW-1:0] fetched;
  // A link on its way to the RAM, a cycle behind its job; what is read next comes behind it.
  logic [Lists-1:0] linked_q;
  logic [AddrW-1:0] link_slot_q;
  logic [Lists-1:0][AddrW-1:0] before_q;   // tails in the cycle before

  assign pushes    = job_i.first || job_i.again || left_i;
  assign push_list = job_i.again ? ListW'(NumRings) + ListW'(job_i.ring) : ListW'(job_i.ring);
  assign push_slot = AddrW'(job_i.slot);

  always_comb begin
    tail = '0;
    for (int unsigned l = 0; l < Lists; l++) begin
      push[l] = ((l < NumRings) ? job_i.first || (left_i && !job_i.again) : job_i.again) &&
          job_i.ring == RingW'(l % NumRings);
      // A list's head is set three cycles before it is chosen; its tail may be one cycle old.
      last[l] = chosen_q && chosen_hot_q[l] && single_q[l] && !pushed_q[l];
      // Its tail is a job that is there: in the list, or the one that may go back.
      linked[l] = some_q[l] || (!ended_q && current_q == ListW'(l));
      if (pushed_q[l]) tail |= before_q[l];
    end
  end

  prim_ram_1r1w #(
    .Width  (AddrW),
    .Depth  (NumSlots),
    .Latency(1)
  ) u_next (
    .clk_i,
    .we_i   ((pushed_q & linked_q) != '0),
    .waddr_i(tail),
    .wdata_i(link_slot_q),
    .re_i   (fetch_q),
    .raddr_i(current_slot_q),
    .rdata_o(fetched)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lists; l++) single_q[l] <= head_q[l] == tail_q[l];
    pushed_q    <= push;
    started_q   <= start_i;
    fetch_q     <= started_q && listed_q && some_q[current_q];
    loading_q   <= fetch_q;
    linked_q    <= linked;
    before_q    <= tail_q;
    link_slot_q <= push_slot;
    none_q      <= some_q == '0 && !pushes && !blocked_i;
    if (start_i) begin
      current_q      <= chosen_q ? chosen_list_q : push_list;
      current_slot_q <= AddrW'(slot_o);
      listed_q       <= chosen_q;
    end
    if (job_i.ended) ended_q <= 1'b1;
    if (start_i) ended_q <= 1'b0;

    for (int unsigned l = 0; l < Lists; l++) begin
      if (loading_q && current_q == ListW'(l)) head_q[l] <= fetched;
      if (push[l]) begin
        tail_q[l] <= push_slot;
        if (!some_q[l]) head_q[l] <= push_slot;
      end
      if (blocked_i && current_q == ListW'(l)) head_q[l] <= current_slot_q;
      some_q[l] <= (some_q[l] && !(start_i && last[l])) || (push[l] && !(direct && start_i)) ||
          (blocked_i && current_q == ListW'(l));
    end
    if (!rst_ni) begin
      some_q    <= '0;
      none_q    <= 1'b0;
      started_q <= 1'b0;
      fetch_q   <= 1'b0;
      loading_q <= 1'b0;
      pushed_q  <= '0;
      ended_q   <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Lists that wait for room, and the senior among them.

  logic [Lists-1:0][NumPorts-1:0] needs_q;
  logic                           gone_q, senior_valid_q;
  logic [Lists-1:0]               flushed;
  // The take was begun before its ring had been flushed: what it was answered is of the past.
  logic                           spared_q;
  logic [ListW-1:0]               senior_q;
  logic [NumPorts-1:0]            withheld;

  assign withheld = senior_valid_q ? needs_q[senior_q] : '0;

  always_comb begin
    for (int unsigned l = 0; l < Lists; l++) begin
      flushed[l] = flushed_i && flushed_ring_i == RingW'(l % NumRings);
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) spared_q <= 1'b0;
    else if (flushed[current_q]) spared_q <= 1'b1;
    note_q <= blocked_i;
    gone_q <= job_i.ended;
    withheld_o <= (senior_q == current_q) ? '0 : withheld;
    for (int unsigned l = 0; l < Lists; l++) begin
      if (!(note_q && current_q == ListW'(l)) && (needs_q[l] & ~ready_i) == '0 &&
          (!senior_valid_q || senior_q == ListW'(l) || (needs_q[l] & withheld) == '0)) begin
        blocked_q[l] <= 1'b0;
      end
      if (note_q && current_q == ListW'(l)) needs_q[l] <= needs_i;
      if (blocked_i && !spared_q && current_q == ListW'(l)) blocked_q[l] <= 1'b1;
      if (flushed[l]) blocked_q[l] <= 1'b0;
    end

    // The next list in turn becomes senior, until its head has gone.
    if (!senior_valid_q) begin
      if (blocked_q[senior_q] && (needs_q[senior_q] & stopped_i) == '0) senior_valid_q <= 1'b1;
      else senior_q <= (senior_q == ListW'(Lists - 1)) ? '0 : senior_q + ListW'(1);
    end else if ((gone_q && current_q == senior_q) || (withheld & stopped_i) != '0) begin
      senior_valid_q <= 1'b0;
      senior_q       <= (senior_q == ListW'(Lists - 1)) ? '0 : senior_q + ListW'(1);
    end

    if (!rst_ni) begin
      blocked_q      <= '0;
      note_q         <= 1'b0;
      gone_q         <= 1'b0;
      senior_valid_q <= 1'b0;
      senior_q       <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  logic [2:0] since_q;   // cycles since a take was begun, 4 for more

  always_ff @(posedge clk_i) begin
    if (start_i) since_q <= 3'd1;
    else if (since_q != 3'd4) since_q <= since_q + 3'd1;
    if (!rst_ni) since_q <= 3'd4;
    if (rst_ni) begin
      // A list is whole again before its head can come back; another list's job would be served.
      a_time : assert ((!start_i || valid_o) && (!(blocked_i || job_i.ended) || since_q == 3'd4))
      else $error("%m: a take begins without a job, or ends too soon");
      // A ring that is there; its result would never leave.
      a_ring : assert (!pushes || 32'(job_i.ring) < NumRings)
      else $error("%m: job of ring %0d", job_i.ring);
      // What ends or goes back is the job started last, and has not ended.
      a_current : assert (!(job_i.ended || blocked_i) || (!ended_q &&
          !(start_i || started_q || fetch_q || loading_q) &&
          (!job_i.ended || AddrW'(job_i.slot) == current_slot_q)))
      else $error("%m: slot %0d is not under way", job_i.slot);
    end
  end

endmodule
