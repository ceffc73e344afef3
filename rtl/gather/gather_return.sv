// The way back in a RIG unit: properties that come are written to host memory, then their filter
// bits are set, then their requests leave the pending table, in this order.
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
  // Everything is dropped; only when no write is open.
  input logic clear_i,

  // The gather.
  input logic              run_i,
  input logic [63:0]       dest_i,
  input logic [3:0]        stride_i,
  input logic [10:0]       len_i,
  input logic [EpochW-1:0] epoch_i,

  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,
  // The pending table is asked in the same cycle, with a PR's first beat.
  output logic     answer_o,
  input  logic     answer_good_i,
  output logic     late_o,

  output logic       write_valid_o,
  input  logic       write_ready_i,
  output mem_write_t write_o,
  input  logic       written_i,

  output logic           mark_valid_o,
  input  logic           mark_ready_i,
  output logic [63:0]    mark_idx_o,
  output logic           leave_o,
  output logic [IdW-1:0] leave_id_o,

  // A write is not yet answered. Nothing is under way.
  output logic open_o,
  output logic empty_o
);

  localparam int unsigned CountW = $clog2(Writes + 1);

  typedef struct packed {
    logic                 last;
    logic [IdW-1:0]       id;
    logic [IndexBits-1:0] idx;
  } write_t;

  logic              good, good_q, room, take, open_ready, open_valid, mark_ready, mark_valid;
  logic [3:0]        beat_q, beat;
  logic [10:0]       left;
  write_t            in, out, mark;
  logic [CountW-1:0] mark_count, open_q;
  write_t            oldest;
  logic              oldest_valid, oldest_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [CountW-1:0] open_count;
  // verilator lint_on UNUSEDSIGNAL

  // The bits of an index that do not count are zero in whatever was asked for.
  assign good = !pr_i.first ? good_q : run_i && answer_good_i && pr_i.pr.response &&
      pr_i.pr.id[31:IdW] == epoch_i && pr_i.pr.len == len_i &&
      64'(pr_i.pr.idx[IndexBits-1:0]) == pr_i.pr.idx;
  // A cycle late, in which one may have come.
  always_ff @(posedge clk_i) room <= 32'(open_q) + 32'(mark_count) < Writes - 2 && rst_ni;
  assign write_valid_o = pr_valid_i && good && room && run_i;
  assign take          = write_valid_o && write_ready_i;
  assign pr_ready_o    = take || !good || !run_i;
  assign answer_o      = take && pr_i.first;
  assign late_o        = pr_valid_i && pr_ready_o && pr_i.last && !take;

  assign beat          = pr_i.first ? '0 : beat_q;
  assign left          = pr_i.pr.len - {1'b0, beat, 6'd0};
  assign write_o.addr  = dest_i + (pr_i.pr.idx << stride_i) + {54'd0, beat, 6'd0};
  assign write_o.bytes = (left > 11'(BeatBytes)) ? 7'(BeatBytes) : left[6:0];
  assign write_o.data  = pr_i.data;
  assign in            = '{last: pr_i.last, id: pr_i.pr.id[IdW-1:0],
                           idx: pr_i.pr.idx[IndexBits-1:0]};

  always_ff @(posedge clk_i) begin
    if (pr_valid_i && pr_ready_o) begin
      good_q <= good && run_i;
      beat_q <= beat + 4'd1;
    end
    if (!run_i) good_q <= 1'b0;
    if (!rst_ni) good_q <= 1'b0;
  end

  prim_fifo_ram #(
    .T    (write_t),
    .Depth(Writes)
  ) u_open (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (take),
    .in_ready_o (open_ready),
    .in_i       (in),
    .out_valid_o(oldest_valid),
    .out_ready_i(oldest_ready),
    .out_o      (oldest),
    .count_o    (open_count)
  );

  prim_skid #(
    .T(write_t)
  ) u_oldest (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (oldest_valid),
    .in_ready_o (oldest_ready),
    .in_i       (oldest),
    .out_valid_o(open_valid),
    .out_ready_i(written_i),
    .out_o      (out)
  );

  always_ff @(posedge clk_i) begin
    open_q <= open_q + CountW'(take) - CountW'(written_i);
    if (!rst_ni || clear_i) open_q <= '0;
  end

  prim_fifo_ram #(
    .T    (write_t),
    .Depth(Writes)
  ) u_marks (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (written_i && out.last),
    .in_ready_o (mark_ready),
    .in_i       (out),
    .out_valid_o(mark_valid),
    .out_ready_i(mark_ready_i && run_i),
    .out_o      (mark),
    .count_o    (mark_count)
  );

  assign mark_valid_o = mark_valid && run_i;
  assign mark_idx_o   = 64'(mark.idx);
  assign leave_o      = mark_valid_o && mark_ready_i;
  assign leave_id_o   = mark.id;
  assign open_o       = open_q != '0;
  assign empty_o      = open_q == '0 && mark_count == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // Memory answers what it was asked to write, four cycles later or more.
      a_open : assert (!written_i || open_valid)
      else $error("%m: an answer to a write that was not asked for");
      a_room : assert ((!take || open_ready) && (!(written_i && out.last) || mark_ready))
      else $error("%m: no room for a property that is written");
      // A property leaves with its last beat.
      a_last : assert (!leave_o || mark.last)
      else $error("%m: half a property leaves");
    end
  end

endmodule
