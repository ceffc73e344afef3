// Queue in block RAM whose newest entries stay invisible until they are committed, and vanish when rolled back.
//
// For frames whose last beat decides whether they count. Reading never waits for writing or the other way: an entry is
// shown three cycles after its commit, then one a cycle without gap. One that is committed as it comes, with nothing in
// front of it, goes around the RAM and is shown in the next cycle.
module prim_frame_fifo #(
  /// What is queued.
  parameter type T = logic [7:0],
  /// Places, power of two, 8 or more.
  parameter int unsigned Depth = 16,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic in_valid_i,
  output logic in_ready_o,
  input  T     in_i,
  // All written so far, with this cycle's entry, becomes readable; or all of it not yet committed vanishes.
  input  logic commit_i,
  input  logic rollback_i,

  output logic out_valid_o,
  input  logic out_ready_i,
  output T     out_o,

  // Entries inside, committed or not.
  output logic [CountW-1:0] count_o
);

  if (Depth < 8 || Depth != 2 ** $clog2(Depth)) begin : gen_check
    $fatal(1, "%m: Depth must be a power of two, 8 or more");
  end

  localparam int unsigned Aw = $clog2(Depth);
  localparam int unsigned RamLatency = 1;
  /// Entries that may be on their way out of the RAM or shown; they cover its latency.
  localparam int unsigned Ahead = 4;

  // Pointers carry one wrap bit. `fetch_q` runs ahead of `read_q` by what has left the RAM and is not yet taken.
  logic [Aw:0] write_q, write_d, commit_q, fetch_q, read_q;
  logic        push, fetch, fetched_q, pop, around;
  T            ram_data;
  logic        ahead_ready;
  logic [$clog2(Ahead+1)-1:0] ahead_count;

  assign push       = in_valid_i && in_ready_o;
  assign pop        = out_valid_o && out_ready_i;
  assign write_d    = write_q + (Aw + 1)'(push);
  assign count_o    = CountW'(write_q - read_q);
  assign in_ready_o = count_o < CountW'(Depth);
  assign around     = push && commit_i && fetch_q == write_q && !fetched_q &&
      32'(ahead_count) < Ahead;
  assign fetch      = fetch_q != commit_q && 32'(ahead_count) + 32'(fetched_q) < Ahead;

  always_ff @(posedge clk_i) begin
    write_q <= rollback_i ? commit_q : write_d;
    if (commit_i) commit_q <= write_d;
    fetch_q   <= fetch_q + (Aw + 1)'(fetch || around);
    read_q    <= read_q + (Aw + 1)'(pop);
    fetched_q <= fetch;
    if (!rst_ni) begin
      write_q   <= '0;
      commit_q  <= '0;
      fetch_q   <= '0;
      read_q    <= '0;
      fetched_q <= 1'b0;
    end
  end

  prim_ram_1r1w #(
    .Width          ($bits(T)),
    .Depth          (Depth),
    .Latency        (RamLatency),
    .ForbidCollision(1'b1)
  ) u_ram (
    .clk_i,
    .we_i   (push),
    .waddr_i(write_q[Aw-1:0]),
    .wdata_i(in_i),
    .re_i   (fetch),
    .raddr_i(fetch_q[Aw-1:0]),
    .rdata_o(ram_data)
  );

  prim_fifo #(
    .T    (T),
    .Depth(Ahead)
  ) u_ahead (
    .clk_i,
    .rst_ni,
    .in_valid_i (fetched_q || around),
    .in_ready_o (ahead_ready),
    .in_i       (fetched_q ? ram_data : in_i),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .count_o    (ahead_count)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was read from the RAM finds a place; otherwise a beat in the middle of a frame would be lost.
      a_ahead : assert (!(fetched_q || around) || ahead_ready)
      else $error("%m: no place for a fetched entry");
      // A frame is committed or rolled back, not both.
      a_one_verdict : assert (!(commit_i && rollback_i))
      else $error("%m: commit and rollback in one cycle");
      // Nothing uncommitted is ever shown.
      a_committed : assert ((Aw + 1)'(commit_q - fetch_q) <= (Aw + 1)'(write_q - fetch_q))
      else $error("%m: fetched beyond the commit");
    end
  end

endmodule
