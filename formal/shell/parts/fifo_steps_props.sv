// shell_fifo_async beside its memory and its synchronizers, whose answers are free (`cuts` of the
// task): what each end of the queue makes of any two codes of the other end's count. Both ends meet
// in those parts alone, so one clock for both is no less than two. (What the queue is between two
// clocks, with its parts, is shell_fifo_async_props.)
module fifo_steps_props #(
  parameter int unsigned Depth = 4,
  parameter bit Wait = 1'b1,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic        clk_i,
  input logic        wr_rst_ni,
  input logic        wr_up_i,
  input logic        wr_clear_i,
  input logic        in_valid_i,
  input logic        in_last_i,
  input logic [2:0]  in_i,
  input logic        rd_clear_i,
  input logic        out_ready_i,
  input logic [Aw:0] number_i   // any
);

  logic        in_ready, drop, valid, last;
  logic [2:0]  out;
  logic [Aw:0] level;

  shell_fifo_async #(
    .T    (logic [2:0]),
    .Depth(Depth),
    .Wait (Wait)
  ) u_dut (
    .wr_clk_i   (clk_i),
    .wr_rst_ni,
    .wr_up_i,
    .wr_clear_i,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_i,
    .drop_o     (drop),
    .level_o    (level),
    .rd_clk_i   (clk_i),
    .rd_clear_i,
    .out_valid_o(valid),
    .out_ready_i,
    .out_last_o (last),
    .out_o      (out)
  );

  // Gray code: a bit is turned round where the one above it is set.
  function automatic logic [Aw:0] code(logic [Aw:0] number);
    code[Aw] = number[Aw];
    for (int unsigned i = 0; i < Aw; i++) code[i] = number[i+1] ? !number[i] : number[i];
  endfunction

  // Writing: beats of whole frames and of the open one, frames, the code of the reader's count of a
  // cycle ago, and both a cycle before that. A frame is open, and the rest of it is to be lost.
  logic        kept, refused, goes_on, inside_q, lost_q, cleared_q, reset_q;
  logic [Aw:0] whole_q, open_q, frames_q, room_q, room2_q, written2_q, places;
  assign kept    = u_dut.u_ram.we_i;
  assign refused = in_valid_i && in_ready && !kept;
  assign places  = whole_q + open_q - number_i;
  assign goes_on = (in_valid_i && in_ready) ? !in_last_i : inside_q;
  initial {cleared_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    inside_q   <= goes_on;
    lost_q     <= goes_on && (lost_q || refused || !wr_up_i);
    room_q     <= u_dut.u_sync_read.out_o;
    room2_q    <= room_q;
    written2_q <= whole_q + open_q;
    if (refused) open_q <= '0;
    if (kept) begin
      open_q <= in_last_i ? '0 : open_q + 1'b1;
      if (in_last_i) begin
        whole_q  <= whole_q + open_q + 1'b1;
        frames_q <= frames_q + 1'b1;
      end
    end
    if (wr_clear_i) begin
      {whole_q, open_q, frames_q, room_q, room2_q, written2_q} <= '0;
      cleared_q                                                <= 1'b1;
    end
    if (!wr_rst_ni) begin
      {inside_q, lost_q} <= '0;
      reset_q            <= 1'b1;
    end
  end

  // Reading: beats read, frames of which the last beat was taken, the code of the writer's count of
  // a cycle ago; a beat is shown.
  logic        shown_q, begun_q, more, again_q;
  logic [Aw:0] reads_q, done_q, in_q, left;
  assign left = number_i - done_q;
  assign more = left > (Aw + 1)'(shown_q && last);
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    in_q    <= u_dut.u_sync_frames.out_o;
    again_q <= shown_q && last && out_ready_i && u_dut.u_ram.re_i;
    if (u_dut.u_ram.re_i) {reads_q, shown_q} <= {(Aw + 1)'(reads_q + 1'b1), 1'b1};
    else if (out_ready_i) shown_q <= 1'b0;
    if (shown_q && out_ready_i && last) done_q <= done_q + 1'b1;
    if (rd_clear_i) begin
      {reads_q, done_q, in_q, shown_q} <= '0;
      begun_q                          <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cleared_q && reset_q) begin
      // A writer waits, if it may at all, only for a place, and not with a frame that is lost in
      // any case: one that fills the queue alone, or has lost a beat, or meets a queue at rest.
      a_ready : assert (code(number_i) != room_q || in_ready == (!Wait || 32'(places) != Depth ||
                        32'(open_q) == Depth || lost_q || !wr_up_i))
      else $error("ready %b", in_ready);
      // A beat is kept if there is a place for it and nothing of its frame is lost.
      a_kept : assert (code(number_i) != room_q || kept == (in_valid_i && in_ready &&
                       32'(places) != Depth && !lost_q && wr_up_i))
      else $error("kept %b", kept);
      // A frame counts as dropped with its last beat, if that is not kept.
      a_drop : assert (drop == (refused && in_last_i))
      else $error("drop %b", drop);
    end
    if (cleared_q) begin
      // A beat goes behind those of whole frames and of its own, as it is.
      a_put : assert (!kept || (u_dut.u_ram.waddr_i == Aw'(whole_q + open_q) &&
                                u_dut.u_ram.wdata_i == {in_last_i, in_i}))
      else $error("place %0d", u_dut.u_ram.waddr_i);
      // The reader is told how many frames are in, and of none that is open.
      a_told : assert (u_dut.u_sync_frames.in_i == code(frames_q))
      else $error("told %b", u_dut.u_sync_frames.in_i);
      // Places taken are what was written and is not known to have been read, a cycle ago.
      a_level : assert (code(number_i) != room2_q || level == written2_q - number_i)
      else $error("level %0d", level);
    end
    if (begun_q) begin
      // A beat is shown from when it was read until it is taken.
      a_shown : assert (valid == shown_q)
      else $error("shown %b", valid);
      // The next one is read when nothing is shown or that is taken, if its frame is in: one more
      // than were finished, and one more still if what is shown is a frame's end.
      a_read : assert (code(number_i) != in_q || u_dut.u_ram.re_i == (
                       (!shown_q || out_ready_i) && more && !rd_clear_i))
      else $error("reads %b", u_dut.u_ram.re_i);
      // Beats are read in their order, and the writer is told how many.
      a_where : assert (u_dut.u_ram.raddr_i == Aw'(reads_q) &&
                        u_dut.u_sync_read.in_i == code(reads_q))
      else $error("place %0d", u_dut.u_ram.raddr_i);
    end
    // What is read is shown as it was written.
    a_beat : assert ({last, out} == u_dut.u_ram.rdata_o)
    else $error("beat %b", out);

    // A frame that is longer than the queue is lost; behind an end comes another frame at once.
    c_long : cover (cleared_q && reset_q && drop && 32'(open_q) == Depth);
    c_again : cover (begun_q && again_q && shown_q && last);
  end

  always_ff @(posedge clk_i) begin
    // What the writer knows (helps the proof).
    a_writer : assert (!cleared_q || (u_dut.write_q == whole_q + open_q &&
        u_dut.start_q == whole_q && u_dut.frames_q == frames_q &&
        code(u_dut.read_seen_q) == room_q))
    else $error("writes at %0d", u_dut.write_q);
    a_frame : assert (!reset_q || (u_dut.within_q == inside_q && u_dut.lose_q == lost_q &&
                                   (inside_q || !lost_q)))
    else $error("loses %b", u_dut.lose_q);
    // What the reader knows (helps the proof).
    a_reader : assert (!begun_q || (u_dut.read_q == reads_q && u_dut.done_q == done_q &&
        u_dut.done_next_q == done_q + 1'b1 && code(u_dut.frames_seen_q) == in_q))
    else $error("reads at %0d", u_dut.read_q);
  end

endmodule
