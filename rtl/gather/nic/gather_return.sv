// The way back in a RIG unit: properties that come are written to host memory, then their filter
// bits are set, then their requests leave the pending table, in this order.
//
//   register | entry is read | entry is compared | it is good | register -> write
//                 shift        low half of the address  high half
//
// An answer that nobody waits for is dropped: it is of an earlier gather, or came twice. Responses
// wait for writes to be taken; at most `Writes` are under way.
module gather_return
  import gather_pkg::*;
#(
  /// Bits of an index, and of an entry of the pending table.
  parameter int unsigned IndexBits = 40,
  parameter int unsigned IdW = 8,
  /// Writes whose property has not left. Power of two, 16 or more.
  parameter int unsigned Writes = 64,
  localparam int unsigned EpochW = 32 - IdW
) (
  input logic clk_i,
  input logic rst_ni,
  // Flush: everything is dropped. Only while `open_o` is low.
  input logic clear_i,

  // The gather that runs: where its properties go, 2 ** `stride_i` bytes apart; their length, at
  // most that; its number, which the ID of each request carries. While none runs, PRs are dropped.
  input logic              run_i,
  input logic [63:0]       dest_i,
  input logic [3:0]        stride_i,
  input logic [10:0]       len_i,
  input logic [EpochW-1:0] epoch_i,

  // PRs that came in. They wait for memory writes.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,
  // The pending table's pipeline for responses, as gather_pending has it; a PR's first beat is
  // presented.
  output logic                 answer_go_o,
  output logic                 answer_o,
  output logic [IdW-1:0]       answer_id_o,
  output logic [IndexBits-1:0] answer_idx_o,
  input  logic                 answer_wait_i,
  input  logic                 answer_good_i,
  output logic                 answer_take_o,
  // Pulses, one for each response: memory takes the last of its property; it is dropped, as nobody
  // waits for it any more.
  output logic                 came_o,
  output logic                 late_o,

  // Writes to host memory; answered in order, never refused.
  output logic       write_valid_o,
  input  logic       write_ready_i,
  output mem_write_t write_o,
  input  logic       written_i,

  // A property is in memory: its filter bit is set, and then its entry leaves the pending table.
  output logic           mark_valid_o,
  input  logic           mark_ready_i,
  output logic [63:0]    mark_idx_o,
  output logic           leave_o,
  output logic [IdW-1:0] leave_id_o,

  // Levels: a write is unanswered, or a shown mark not taken; in the cycle before no write and no
  // mark was inside.
  output logic open_o,
  output logic empty_o
);

  localparam int unsigned CountW = $clog2(Writes + 1);

  typedef struct packed {
    logic                 last;
    logic [IdW-1:0]       id;
    logic [IndexBits-1:0] idx;
  } place_t;

  typedef struct packed {
    logic                first;
    place_t              place;
    logic [6:0]          bytes;
    logic [63:0]         addr;    // what is known of it by then
    logic [BeatBits-1:0] data;
  } step_t;

  typedef struct packed {
    place_t     place;
    mem_write_t write;
  } write_t;

  // ---------------------------------------------------------------------------------------------
  // Is it waited for, and where does it belong?

  logic        in_valid, in_go, go, move, fits, good, room, write_ready, write_valid, take;
  pr_beat_t    in;
  logic [10:0] left;
  logic [3:0]  beat_q, beat;
  logic        read_q, known_q, fits_q, kept_q, carry_q;
  // Of a PR, beside its index: all else is as in what was asked for.
  logic        ours_q;
  step_t       step, read_step_q, known_step_q;
  logic [32:0] low;
  write_t      write, out;

  prim_skid #(
    .T(pr_beat_t)
  ) u_in (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i),
    .in_ready_o (pr_ready_o),
    .in_i       (pr_i),
    .out_valid_o(in_valid),
    .out_ready_i(in_go),
    .out_o      (in)
  );

  assign answer_o     = in_valid && in.first;
  assign answer_id_o  = in.pr.id[IdW-1:0];
  assign answer_idx_o = in.pr.idx[IndexBits-1:0];
  assign answer_go_o  = go;
  assign in_go        = go && !(in.first && answer_wait_i);
  assign beat         = in.first ? '0 : beat_q;
  assign left         = in.pr.len - {1'b0, beat, 6'd0};
  assign low          = {1'b0, dest_i[31:0]} + {1'b0, read_step_q.addr[31:0]};
  // The bits of an index that do not count are zero in whatever was asked for.
  assign fits         = in.pr.response && in.pr.id[31:IdW] == epoch_i && in.pr.len == len_i &&
      64'(in.pr.idx[IndexBits-1:0]) == in.pr.idx;

  always_comb begin
    step.first = in.first;
    step.place = '{last: in.last, id: in.pr.id[IdW-1:0], idx: in.pr.idx[IndexBits-1:0]};
    step.bytes = (left > 11'(BeatBytes)) ? 7'(BeatBytes) : left[6:0];
    step.addr  = (in.pr.idx << stride_i) | {54'd0, beat, 6'd0};
    step.data  = in.data;
  end

  // A beat that is known goes to memory or is dropped. What waits for memory goes first.
  assign good = run_i && (known_step_q.first ? fits_q && answer_good_i : kept_q);
  assign move = run_i ? !good || (room && write_ready) : !write_valid;
  assign go   = !known_q || move;
  assign answer_take_o = known_q && move && good && known_step_q.first;

  always_ff @(posedge clk_i) begin
    if (go) begin
      read_q            <= in_valid && in_go;
      read_step_q       <= step;
      ours_q            <= fits;
      known_q           <= read_q;
      known_step_q      <= read_step_q;
      known_step_q.addr <= {read_step_q.addr[63:32], low[31:0]};
      carry_q           <= low[32];
      fits_q            <= ours_q;
      if (known_q) kept_q <= good;
    end
    if (in_valid && in_go) beat_q <= beat + 4'd1;
    if (!run_i) kept_q <= 1'b0;
    if (!rst_ni) begin
      read_q  <= 1'b0;
      known_q <= 1'b0;
      kept_q  <= 1'b0;
    end
  end

  assign write.place       = known_step_q.place;
  assign write.write.addr  = {dest_i[63:32] + known_step_q.addr[63:32] + 32'(carry_q),
                              known_step_q.addr[31:0]};
  assign write.write.bytes = known_step_q.bytes;
  assign write.write.data  = known_step_q.data;

  prim_skid #(
    .T(write_t)
  ) u_write (
    .clk_i,
    .rst_ni,
    .in_valid_i (known_q && good && room),
    .in_ready_o (write_ready),
    .in_i       (write),
    .out_valid_o(write_valid),
    .out_ready_i(write_ready_i || !run_i),
    .out_o      (out)
  );

  assign write_valid_o = write_valid && run_i;
  assign write_o       = out.write;
  assign take          = write_valid_o && write_ready_i;
  assign came_o        = take && out.place.last;
  assign late_o        = (known_q && move && !good && known_step_q.place.last) ||
      (write_valid && !run_i && out.place.last);

  // ---------------------------------------------------------------------------------------------
  // Writes without an answer, and filter bits that are to be set.

  logic              open_ready, open_valid, mark_ready, mark_valid;
  place_t            oldest, next_mark, mark, written;
  logic [CountW-1:0] mark_count, open_q;
  logic              next_valid, next_ready;
  logic              shown_q;   // a mark was shown and not taken
  logic              written_q; // of the cycle before
  logic              oldest_valid, oldest_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [CountW-1:0] open_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo_ram #(
    .T     (place_t),
    .Depth (Writes),
    .Around(1'b0)
  ) u_open (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (take),
    .in_ready_o (open_ready),
    .in_i       (out.place),
    .out_valid_o(oldest_valid),
    .out_ready_i(oldest_ready),
    .out_o      (oldest),
    .count_o    (open_count)
  );

  prim_skid #(
    .T(place_t)
  ) u_oldest (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (oldest_valid),
    .in_ready_o (oldest_ready),
    .in_i       (oldest),
    .out_valid_o(open_valid),
    .out_ready_i(written_q),
    .out_o      (written)
  );

  always_ff @(posedge clk_i) begin
    written_q <= written_i;
    open_q <= open_q + CountW'(take) - CountW'(written_q);
    // A cycle late; by then two may wait to be taken, one was, and one is on its way there.
    room   <= 32'(open_q) + 32'(mark_count) < Writes - 4 && rst_ni;
    shown_q <= mark_valid_o && !mark_ready_i;
    empty_o <= open_q == '0 && mark_count == '0 && !mark_valid;
    if (!rst_ni || clear_i) begin
      open_q  <= '0;
      written_q <= 1'b0;
      shown_q <= 1'b0;
      empty_o <= 1'b1;
    end
  end

  prim_fifo_ram #(
    .T     (place_t),
    .Depth (Writes),
    .Around(1'b0)
  ) u_marks (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (written_q && written.last),
    .in_ready_o (mark_ready),
    .in_i       (written),
    .out_valid_o(next_valid),
    .out_ready_i(next_ready),
    .out_o      (next_mark),
    .count_o    (mark_count)
  );

  prim_skid #(
    .T(place_t)
  ) u_mark (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (next_valid),
    .in_ready_o (next_ready),
    .in_i       (next_mark),
    .out_valid_o(mark_valid),
    .out_ready_i(leave_o),
    .out_o      (mark)
  );

  // A mark that was shown stays until it is taken, also if the gather fails meanwhile: who chooses
  // among units waits for what it has chosen.
  assign mark_valid_o = mark_valid && (run_i || shown_q);
  assign mark_idx_o   = 64'(mark.idx);
  assign leave_o      = mark_valid_o && mark_ready_i;
  assign leave_id_o   = mark.id;
  assign open_o       = open_q != '0 || shown_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // Memory answers what it was asked to write, MemAnswer cycles later or more.
      a_open : assert (!written_q || open_valid)
      else $error("%m: an answer to a write that was not asked for");
      a_room : assert ((!take || open_ready) && (!(written_q && written.last) || mark_ready))
      else $error("%m: no room for a property that is written");
      // A property leaves with its last beat.
      a_last : assert (!leave_o || mark.last)
      else $error("%m: half a property leaves");
    end
  end

endmodule
