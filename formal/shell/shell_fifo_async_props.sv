// shell_fifo_async: whole frames between two clocks, of which either may tick at any time.
//
// A pointer in Gray code changes one bit a tick, so a synchronizer that catches it in the middle
// reads the old or the new value: what it would have read a moment earlier or later. All moments
// are searched here, so metastability adds none. Registers of both sides are zero at the start;
// shell_reset sees to it.
module shell_fifo_async_props #(
  /// Places of the queue.
  parameter int unsigned Depth = 4,
  /// A full queue makes the writer wait.
  parameter bit Wait = 1'b0
) (
  input logic wr_clk_i,
  input logic rd_clk_i,
  input logic follow_i,
  input logic in_valid_i,
  input logic in_last_i,
  input logic in_i,
  input logic out_ready_i
);

  localparam int unsigned Aw = $clog2(Depth);
  // Beats are counted in more bits than pointers have: more than fit must be seen.
  localparam int unsigned W = Aw + 2;

  logic          in_ready, drop, out_valid, out_last, out, push, pop, wr_seen_q, rd_seen_q;
  logic [Aw:0]   level;

  // Before the first tick of each clock the state is that of a cleared queue.
  initial wr_seen_q = 1'b0;
  initial rd_seen_q = 1'b0;
  always_ff @(posedge wr_clk_i) wr_seen_q <= 1'b1;
  always_ff @(posedge rd_clk_i) rd_seen_q <= 1'b1;

  shell_fifo_async #(
    .T    (logic),
    .Depth(Depth),
    .Wait (Wait)
  ) u_dut (
    .wr_clk_i,
    .wr_rst_ni  (1'b1),
    .wr_up_i    (1'b1),
    .wr_clear_i (1'b0),
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_i,
    .drop_o     (drop),
    .level_o    (level),
    .rd_clk_i,
    .rd_clear_i (1'b0),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (out)
  );

  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;

  // ---------------------------------------------------------------------------------------------
  // Writing, counted from outside: beats of frames that were taken whole, and of the open one.

  logic [W-1:0] whole_q, open_q, place_q;
  logic         followed_q, sure_q, value_q, last_q, full_q, full;

  assign full = 32'((Aw + 1)'(u_dut.write_q - u_dut.read_seen_q)) == Depth;

  always_ff @(posedge wr_clk_i) begin
    if (push) begin
      open_q <= in_last_i ? '0 : (open_q == '1) ? open_q : open_q + W'(1);
      full_q <= !in_last_i && (full_q || full);
      if (in_last_i && !drop) whole_q <= whole_q + open_q + W'(1);
      // The followed beat is any one that is taken; its frame may be dropped yet.
      if (followed_q && !sure_q && in_last_i) begin
        sure_q     <= !drop;
        followed_q <= !drop;
      end
      if (follow_i && !followed_q && open_q != '1) begin
        followed_q <= !(in_last_i && drop);
        sure_q     <= in_last_i && !drop;
        place_q    <= whole_q + open_q;
        value_q    <= in_i;
        last_q     <= in_last_i;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Reading: beats that were taken out.

  logic [W-1:0] taken_q;
  logic [2:0]   idle_q;
  logic         within_q, held_q, held_value_q, past_q;
  // Without this Yosys takes it for a constant: it only ever becomes one.
  initial past_q = 1'b0;

  always_ff @(posedge rd_clk_i) begin
    if (pop) begin
      taken_q  <= taken_q + W'(1);
      within_q <= !out_last;
      if (sure_q && taken_q == place_q) past_q <= 1'b1;
    end
    held_q       <= out_valid && !out_ready_i;
    held_value_q <= out;
    if (out_valid || whole_q == taken_q) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 3'd1;
  end

  always_comb begin
    // The queue and what counts here begin at zero.
    e_start : assume (wr_seen_q || rd_seen_q || (
        {u_dut.write_q, u_dut.start_q, u_dut.frames_q, u_dut.frames_gray_q, u_dut.read_seen_q,
         u_dut.within_q, u_dut.lose_q, u_dut.read_q, u_dut.read_gray_q, u_dut.frames_seen_q,
         u_dut.done_q, u_dut.valid_q, u_dut.u_sync_read.meta_q, u_dut.u_sync_read.sync_q,
         u_dut.u_sync_frames.meta_q, u_dut.u_sync_frames.sync_q} == '0 &&
        u_dut.done_next_q == (Aw + 1)'(1) &&
        {whole_q, open_q, followed_q, sure_q, full_q, taken_q, idle_q, within_q, held_q, past_q} ==
        '0));
  end

  always_ff @(posedge wr_clk_i) begin
    // A frame is dropped only if it met a full queue: a link that has room loses nothing.
    a_dropped : assert (!drop || full || full_q)
    else $error("dropped although there was room");
    // A writer that must wait loses no frame but one that is longer than the queue.
    a_waited : assert (!Wait || !drop || 32'(open_q) >= Depth)
    else $error("a frame of %0d beats dropped", 32'(open_q) + 1);
    // A writer that cannot wait never has to.
    a_ready : assert (Wait || in_ready)
    else $error("not ready");
    // A frame is dropped while another one is in; of one that could wait all places are taken.
    c_dropped : cover (drop && (Wait ? 32'(open_q) >= Depth : whole_q != '0));
  end

  always_ff @(posedge rd_clk_i) begin
    // Nothing leaves that is not a beat of a frame that was taken whole: none is doubled or
    // invented, none begins to leave before its end is in.
    a_whole : assert (!out_valid || W'(whole_q - taken_q) - W'(1) < W'(Depth + 1))
    else $error("%0d beats in, %0d out", whole_q, taken_q);
    // Every beat leaves in its turn and as it was taken, the last of its frame as the last: none is
    // lost, overtaken or changed.
    a_in_order : assert (!(out_valid && sure_q && !past_q && taken_q == place_q) ||
                         (out == value_q && out_last == last_q))
    else $error("another beat than the one that was taken");
    // A frame that has begun to leave has no hole, whatever the other clock does; a MAC would
    // underflow.
    a_no_hole : assert (!within_q || out_valid)
    else $error("a hole inside a frame");
    // What is shown stays until it is taken.
    a_stable : assert (!held_q || (out_valid && out == held_value_q))
    else $error("withdrawn or changed");
    // A frame that is in is shown after at most five ticks: none gets stuck.
    a_in_time : assert (idle_q < 3'd5)
    else $error("not shown in time");
    // No word is read that the writer may still be writing or may take back.
    a_settled : assert (!u_dut.fetch || u_dut.start_q != u_dut.read_q)
    else $error("read too early");
    // The followed beat leaves, inside a frame, while the next frame is in already.
    c_followed : cover (pop && sure_q && !past_q && taken_q == place_q && !out_last &&
                        W'(whole_q - taken_q) > W'(2));
  end

  // ---------------------------------------------------------------------------------------------
  // Where everything is. These help the proof: they hold by themselves at any moment, and the
  // others follow from them.

  typedef logic [Aw:0] ptr_t;

  function automatic ptr_t number(ptr_t code);
    for (int unsigned i = 0; i <= Aw; i++) number[i] = ^(code >> i);
  endfunction

  ptr_t       written, started, read, read1, read2, read3, frames, frames1, frames2, frames3, done;
  ptr_t       stored, ends;
  logic       opens_clean;
  logic [W-1:0] ahead;

  assign written = u_dut.write_q;
  assign started = u_dut.start_q;
  assign read    = u_dut.read_q;
  assign read1   = number(u_dut.u_sync_read.meta_q);
  assign read2   = number(u_dut.u_sync_read.sync_q);
  assign read3   = u_dut.read_seen_q;
  assign frames  = u_dut.frames_q;
  assign frames1 = number(u_dut.u_sync_frames.meta_q);
  assign frames2 = number(u_dut.u_sync_frames.sync_q);
  assign frames3 = u_dut.frames_seen_q;
  assign done    = u_dut.done_q;
  assign stored  = ptr_t'(started - read);
  assign ahead   = place_q - taken_q;

  // Ends of frames that are in and were not taken; `opens_clean`: the open frame has none.
  always_comb begin
    ends        = ptr_t'(out_valid && out_last);
    opens_clean = 1'b1;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (ptr_t'(i) < stored && u_dut.u_ram.mem[Aw'(read + ptr_t'(i))][1]) ends = ends + ptr_t'(1);
      if (ptr_t'(i) < ptr_t'(written - started) && u_dut.u_ram.mem[Aw'(started + ptr_t'(i))][1])
        opens_clean = 1'b0;
    end
  end

  logic [1:0] where_sure, where_open;
  assign where_sure = u_dut.u_ram.mem[Aw'(read + ptr_t'(ahead) - ptr_t'(out_valid))];
  assign where_open = u_dut.u_ram.mem[Aw'(started + ptr_t'(place_q - whole_q))];

  always_comb begin
    // What the writer knows of the reader is old, never new: read pointers stand in their order.
    a_read_order : assert (u_dut.read_gray_q == (read ^ (read >> 1)) &&
        ptr_t'(read2 - read3) <= ptr_t'(read1 - read3) &&
        ptr_t'(read1 - read3) <= ptr_t'(read - read3) &&
        ptr_t'(read - read3) <= ptr_t'(started - read3) &&
        ptr_t'(started - read3) <= ptr_t'(written - read3) &&
        32'(ptr_t'(written - read3)) <= Depth)
    else $error("read pointers out of order");
    // What the reader knows of the writer is old, never new: counts of frames stand in their order.
    a_frame_order : assert (u_dut.frames_gray_q == (frames ^ (frames >> 1)) &&
        u_dut.done_next_q == ptr_t'(done + ptr_t'(1)) &&
        ptr_t'(frames3 - done) <= ptr_t'(frames2 - done) &&
        ptr_t'(frames2 - done) <= ptr_t'(frames1 - done) &&
        ptr_t'(frames1 - done) <= ptr_t'(frames - done) &&
        (!out_valid || frames3 != done))
    else $error("counts of frames out of order");
    // As many frames end in the memory as are counted, and what is in ends with an end.
    a_ends : assert (ends == ptr_t'(frames - done) && opens_clean &&
        (stored == '0 || u_dut.u_ram.mem[Aw'(started - ptr_t'(1))][1]) &&
        (stored != '0 || !out_valid || out_last))
    else $error("%0d ends, %0d frames", ends, ptr_t'(frames - done));
    // The pointers count what was counted outside.
    a_counts : assert (W'(whole_q - taken_q) == W'(stored) + W'(out_valid) &&
        within_q <= out_valid && (open_q != '0) == u_dut.within_q &&
        (u_dut.lose_q ? written == started && full_q && open_q != '0 &&
                        (!Wait || 32'(open_q) >= Depth) :
                        open_q == W'(ptr_t'(written - started))))
    else $error("pointers disagree");
    // The followed beat is where it should be: in the memory, or shown.
    a_place : assert (
        (!followed_q || sure_q || (W'(place_q - whole_q) < open_q && !last_q &&
                                   (u_dut.lose_q || where_open == {last_q, value_q}))) &&
        (!sure_q || past_q || (followed_q && ahead < W'(whole_q - taken_q) &&
            ((ahead == '0 && out_valid) ? {out_last, out} == {last_q, value_q} :
                                          where_sure == {last_q, value_q}))) &&
        (!past_q || sure_q) && (!sure_q || followed_q))
    else $error("the followed beat is elsewhere");
    // While nothing is shown although a frame is in, its count comes a register nearer every tick.
    a_comes : assert (32'(idle_q) < 5 && (idle_q != 3'd4 || out_valid) &&
        (out_valid || ((idle_q < 3'd1 || frames1 != done) && (idle_q < 3'd2 || frames2 != done) &&
                       (idle_q < 3'd3 || frames3 != done))) &&
        (!held_q || (out_valid && out == held_value_q)))
    else $error("a frame gets stuck");
  end

endmodule
