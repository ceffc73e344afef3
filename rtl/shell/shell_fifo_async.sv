// Queue of whole frames between two clocks: a frame can be read when all of it is in, and then
// without a hole; a frame for which there is no room vanishes whole.
//
// What crosses to the reader is no pointer but the number of frames that are in, which grows by one
// a frame: a pointer that jumps to a frame's end changes several bits at once, in Gray code too.
// The pointer back to the writer grows by one a beat. The reader never waits for the writer within
// a frame. The writer waits for the reader if `Wait` says so, and never for a frame that is longer
// than the queue: that one is dropped.
//
// `*_up_i` and `*_clear_i` come from shell_reset.
module shell_fifo_async #(
  /// What is queued, beside the mark of a frame's last beat.
  parameter type T = logic [7:0],
  /// Places, power of two, 4 or more.
  parameter int unsigned Depth = 16,
  /// 1: a full queue makes the writer wait. 0: it drops the frame that finds it full.
  parameter bit Wait = 1'b0,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic wr_clk_i,
  input logic wr_rst_ni,    // forgets that the writer was within a frame
  input logic wr_up_i,
  input logic wr_clear_i,

  input  logic        in_valid_i,
  output logic        in_ready_o,   // without `Wait` always
  input  logic        in_last_i,
  input  T            in_i,
  output logic        drop_o,       // with the last beat of a frame that is dropped
  output logic [Aw:0] level_o,      // places taken, from a register; grows late by a cycle at most

  input logic rd_clk_i,
  input logic rd_clear_i,   // what is inside vanishes

  // What is shown stays until it is taken, or until the queue is cleared.
  output logic out_valid_o,
  input  logic out_ready_i,
  output logic out_last_o,
  output T     out_o
);

  if (Depth < 4 || Depth != 2 ** $clog2(Depth)) begin : gen_check
    $fatal(1, "%m: Depth must be a power of two, 4 or more");
  end

  typedef struct packed {
    logic last;
    T     data;
  } entry_t;

  function automatic logic [Aw:0] gray(logic [Aw:0] number);
    gray = number ^ (number >> 1);
  endfunction
  function automatic logic [Aw:0] number_of(logic [Aw:0] gray_code);
    for (int unsigned i = 0; i <= Aw; i++) number_of[i] = ^(gray_code >> i);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Writing. Pointers carry one wrap bit; there are never more frames inside than places.

  logic [Aw:0] write_q, start_q, frames_q, frames_gray_q, room_gray, read_seen_q;
  logic        within_q, lose_q, full, long, push, take, commit, give_up;
  logic [Aw:0] read_gray_q;
  entry_t      written;

  shell_sync #(
    .Width(Aw + 1)
  ) u_sync_read (
    .clk_i(wr_clk_i),
    .in_i (read_gray_q),
    .out_o(room_gray)
  );

  assign full = (write_q ^ read_seen_q) == {1'b1, {Aw{1'b0}}};
  // The open frame alone fills the queue: it would wait for ever.
  assign long       = (write_q ^ start_q) == {1'b1, {Aw{1'b0}}};
  assign in_ready_o = !Wait || !full || long || lose_q || !wr_up_i;
  assign push       = in_valid_i && in_ready_o;
  assign take       = push && !lose_q && !full && wr_up_i;
  assign commit     = take && in_last_i;
  assign give_up    = push && !take;
  assign drop_o     = give_up && in_last_i;
  assign written    = '{last: in_last_i, data: in_i};

  always_ff @(posedge wr_clk_i) begin
    read_seen_q <= number_of(room_gray);
    level_o     <= write_q - read_seen_q;
    if (push) within_q <= !in_last_i;
    if (push) lose_q <= !take && !in_last_i;
    if (take) write_q <= write_q + (Aw + 1)'(1);
    if (give_up) write_q <= start_q;
    if (commit) begin
      start_q       <= write_q + (Aw + 1)'(1);
      frames_q      <= frames_q + (Aw + 1)'(1);
      frames_gray_q <= gray(frames_q + (Aw + 1)'(1));
    end
    // The rest of a frame that was cut by the reader's reset is dropped too.
    if (!wr_up_i) lose_q <= push ? !in_last_i : within_q;
    if (wr_clear_i) begin
      write_q       <= '0;
      start_q       <= '0;
      frames_q      <= '0;
      frames_gray_q <= '0;
      read_seen_q   <= '0;
      level_o       <= '0;
    end
    if (!wr_rst_ni) begin
      within_q <= 1'b0;
      lose_q   <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Reading. `done_q` counts frames of which the last beat was taken.

  logic [Aw:0] read_q, frames_gray, frames_seen_q, done_q, done_next_q;
  logic        valid_q, pop, fetch, another;
  entry_t      shown;

  shell_sync #(
    .Width(Aw + 1)
  ) u_sync_frames (
    .clk_i(rd_clk_i),
    .in_i (frames_gray_q),
    .out_o(frames_gray)
  );

  assign out_valid_o = valid_q;
  assign out_last_o  = shown.last;
  assign out_o       = shown.data;
  assign pop         = valid_q && out_ready_i;
  // Behind a frame's last beat comes the next frame, if one is in.
  assign another     = frames_seen_q != done_q &&
      !(valid_q && shown.last && frames_seen_q == done_next_q);
  assign fetch       = (out_ready_i || !valid_q) && another;

  always_ff @(posedge rd_clk_i) begin
    frames_seen_q <= number_of(frames_gray);
    if (out_ready_i || !valid_q) valid_q <= another;
    if (fetch) begin
      read_q      <= read_q + (Aw + 1)'(1);
      read_gray_q <= gray(read_q + (Aw + 1)'(1));
    end
    if (pop && shown.last) begin
      done_q      <= done_next_q;
      done_next_q <= done_next_q + (Aw + 1)'(1);
    end
    if (rd_clear_i) begin
      frames_seen_q <= '0;
      valid_q       <= 1'b0;
      read_q        <= '0;
      read_gray_q   <= '0;
      done_q        <= '0;
      done_next_q   <= (Aw + 1)'(1);
    end
  end

  shell_ram #(
    .Width($bits(entry_t)),
    .Depth(Depth)
  ) u_ram (
    .wr_clk_i,
    .we_i   (take),
    .waddr_i(write_q[Aw-1:0]),
    .wdata_i(written),
    .rd_clk_i,
    .re_i   (fetch && !rd_clear_i),
    .raddr_i(read_q[Aw-1:0]),
    .rdata_o(shown)
  );

  always_ff @(posedge wr_clk_i) begin
    if (wr_up_i) begin
      // Never more inside than places; the oldest frame would be overwritten.
      a_room : assert (32'((Aw + 1)'(write_q - read_seen_q)) <= Depth)
      else $error("%m: %0d beats in %0d places", (Aw + 1)'(write_q - read_seen_q), Depth);
      // The open frame is a part of what is inside; else a rollback would take back another frame.
      a_open : assert ((Aw + 1)'(write_q - start_q) <= (Aw + 1)'(write_q - read_seen_q))
      else $error("%m: the open frame begins in front of what was read");
    end
  end

endmodule
