// Queue in block RAM whose newest entries stay invisible until they are committed, and vanish when
// rolled back.
//
// For frames whose last beat decides whether they count. Reading never waits for writing or the
// other way: an entry is shown two cycles after its commit, then one a cycle without gap. What is
// shown stands in the RAM's own output register; the next word is fetched in the cycle in which
// that one is taken. With `Around`, an entry that is committed as it comes, with nothing in front
// of it, goes around the RAM and is shown in the next cycle. `in_ready_o` and `out_valid_o` are
// registers.
module prim_frame_fifo #(
  /// What is queued.
  parameter type T = logic [7:0],
  /// Places, power of two, 8 or more.
  parameter int unsigned Depth = 16,
  /// 1: an entry that finds the queue empty is shown in the next cycle, for a register and a
  /// multiplexer of its width.
  parameter bit Around = 1'b1,
  /// 1: block RAM, however small it is.
  parameter bit Block = 1'b0,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic in_valid_i,
  output logic in_ready_o,
  input  T     in_i,
  // Commit: all entries written so far, this cycle's included, become readable. Rollback: all that
  // are not committed, this cycle's included, are discarded. Never both.
  input  logic commit_i,
  input  logic rollback_i,

  output logic out_valid_o,   // the oldest committed entry
  input  logic out_ready_i,
  output T     out_o,

  // Entries inside, committed or not.
  output logic [CountW-1:0] count_o
);

  if (Depth < 8 || Depth != 2 ** $clog2(Depth)) begin : gen_check
    $fatal(1, "%m: Depth must be a power of two, 8 or more");
  end

  localparam int unsigned Aw = $clog2(Depth);

  // Pointers carry one wrap bit. `write_next_q` is one ahead of `write_q`, `fetch_q` is ahead of
  // `read_q` by the entry that is shown.
  logic [Aw:0] write_q, write_next_q, write_d, commit_q, fetch_q, read_q;
  logic        push, pop, free, more, fetch, fresh, around, full, one_left, ready_q, valid_q;
  T            ram_data;

  assign in_ready_o  = ready_q;
  assign out_valid_o = valid_q;
  assign push        = in_valid_i && ready_q;
  assign pop         = valid_q && out_ready_i;
  assign write_d     = push ? write_next_q : write_q;
  assign count_o     = CountW'(write_q - read_q);
  // By equality, which is less deep than the count.
  assign full        = (write_q ^ read_q) == {1'b1, {Aw{1'b0}}};
  assign one_left    = (write_next_q ^ read_q) == {1'b1, {Aw{1'b0}}};
  assign free        = out_ready_i || !valid_q;
  assign more        = fetch_q != commit_q;
  assign fetch       = free && more;
  assign fresh       = Around && push && commit_i && fetch_q == write_q;
  assign around      = free && fresh;

  always_ff @(posedge clk_i) begin
    if (push) begin
      write_q      <= write_next_q;
      write_next_q <= write_next_q + (Aw + 1)'(1);
    end
    if (rollback_i) begin
      write_q      <= commit_q;
      write_next_q <= commit_q + (Aw + 1)'(1);
    end
    if (commit_i) commit_q <= write_d;
    if (fetch || around) fetch_q <= fetch_q + (Aw + 1)'(1);
    if (pop) read_q <= read_q + (Aw + 1)'(1);
    if (free) valid_q <= more || fresh;
    ready_q <= pop || !(full || (one_left && push)) ||
        (rollback_i && (push || commit_q != write_q));
    if (!rst_ni) begin
      write_q      <= '0;
      write_next_q <= (Aw + 1)'(1);
      commit_q     <= '0;
      fetch_q      <= '0;
      read_q       <= '0;
      valid_q      <= 1'b0;
      ready_q      <= 1'b1;
    end
  end

  prim_ram_1r1w #(
    .Width          ($bits(T)),
    .Depth          (Depth),
    .Latency        (1),
    .ForbidCollision(1'b1),
    .Block          (Block)
  ) u_ram (
    .clk_i,
    .we_i   (push),
    .waddr_i(write_q[Aw-1:0]),
    .wdata_i(in_i),
    .re_i   (fetch),
    .raddr_i(fetch_q[Aw-1:0]),
    .rdata_o(ram_data)
  );

  if (Around) begin : gen_around
    logic around_q;   // what is shown came around the RAM
    T     direct_q;
    always_ff @(posedge clk_i) begin
      if (free) around_q <= around;
      if (around) direct_q <= in_i;
    end
    assign out_o = around_q ? direct_q : ram_data;
  end else begin : gen_ram
    assign out_o = ram_data;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is shown is the oldest entry inside, and no other has left the RAM; else one would be
      // shown twice or never.
      a_shown : assert (fetch_q == read_q + (Aw + 1)'(valid_q) && !(fetch && around))
      else $error("%m: fetched up to %0d, read up to %0d, shown %b", fetch_q, read_q, valid_q);
      // The pointer that runs ahead does so by one; else places would be skipped, or room seen
      // where there is none.
      a_next : assert (write_next_q == write_q + (Aw + 1)'(1))
      else $error("%m: %0d behind %0d", write_next_q, write_q);
      // Never more inside than places; the oldest entry would be overwritten.
      a_room : assert (32'(count_o) <= Depth && (!ready_q || 32'(count_o) < Depth))
      else $error("%m: %0d entries in %0d places, ready %b", count_o, Depth, ready_q);
      // A frame is committed or rolled back, not both.
      a_one_verdict : assert (!(commit_i && rollback_i))
      else $error("%m: commit and rollback in one cycle");
      // Nothing uncommitted is ever shown.
      a_committed : assert ((Aw + 1)'(commit_q - fetch_q) <= (Aw + 1)'(write_q - fetch_q))
      else $error("%m: fetched beyond the commit");
    end
  end

endmodule
