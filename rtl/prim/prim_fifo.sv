// Small queue of registers; what is inside is shown in the cycle after it was taken.
//
// `in_ready_o` and `out_valid_o` are registers, so nobody waits for anybody combinationally, and
// whoever waits sees them at the start of a cycle. With `Head`, so does whoever looks at what is
// shown.
module prim_fifo #(
  /// What is queued.
  parameter type T = logic [7:0],
  /// Places, 1 or more.
  parameter int unsigned Depth = 4,
  /// 1: what is shown stands in a register of its own, not behind the memory's multiplexer; for
  /// narrow queues.
  parameter bit Head = 1'b0,
  /// Bits that are looked at, ones; all others show 0 and cost nothing. Not with Head.
  parameter T Kept = '1,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic in_valid_i,   // who writes waits for room
  output logic in_ready_o,
  input  T     in_i,

  output logic out_valid_o,   // the oldest entry
  input  logic out_ready_i,
  output T     out_o,

  // Entries inside, from a register.
  output logic [CountW-1:0] count_o
);

  if (Depth < 1) begin : gen_check
    $fatal(1, "%m: Depth must be 1 or more");
  end

  localparam int unsigned PtrW = (Depth > 1) ? $clog2(Depth) : 1;

  localparam logic [CountW-1:0] Two = CountW'(2);      // with one place there are never two
  localparam logic [CountW-1:0] All = CountW'(Depth);
  localparam logic [CountW-1:0] ButTwo = CountW'(Depth - 2);

  T                  mem_q[Depth];
  logic [PtrW-1:0]   write_q, read_q;
  logic [CountW-1:0] count_q;
  logic              push, pop, ready_q, valid_q;
  logic              last_q, room_q;   // one entry inside; room for one

  assign in_ready_o  = ready_q;
  assign out_valid_o = valid_q;
  assign count_o     = count_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;

  function automatic logic [PtrW-1:0] next(logic [PtrW-1:0] ptr);
    next = (ptr == PtrW'(Depth - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  // One more or one less. Bit i changes if all below it are ones, or zeros: who pushes and pops
  // comes late, and no carry chain stands behind it.
  logic [CountW-1:0] count_d;
  always_comb begin
    for (int unsigned i = 0; i < CountW; i++) begin
      count_d[i] = count_q[i] ^ (push ? (~count_q & (CountW'(1 << i) - CountW'(1))) == '0 :
                                        (count_q & (CountW'(1 << i) - CountW'(1))) == '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      mem_q[write_q] <= in_i;
      write_q        <= next(write_q);
    end
    if (pop) read_q <= next(read_q);
    if (push != pop) begin
      count_q <= count_d;
      last_q  <= push ? count_q == '0 : count_q == Two;
      room_q  <= push ? count_q == ButTwo : count_q == All;
    end
    valid_q <= push || (valid_q && !(pop && last_q));
    ready_q <= pop || (ready_q && !(push && room_q));
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
      last_q  <= 1'b0;
      room_q  <= Depth == 1;
      valid_q <= 1'b0;
      ready_q <= 1'b1;
    end
  end

  if (Head) begin : gen_head
    T head_q;
    always_ff @(posedge clk_i) begin
      if (push && (pop ? last_q : !valid_q)) head_q <= in_i;
      else if (pop) head_q <= mem_q[next(read_q)];
    end
    assign out_o = head_q;
  end else if (Kept == '1) begin : gen_memory
    assign out_o = mem_q[read_q];
  end else begin : gen_kept
    assign out_o = mem_q[read_q] & Kept;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Never more inside than places; an overflow would lose the oldest entry unseen.
      a_count : assert (32'(count_q) <= Depth)
      else $error("%m: %0d entries in %0d places", count_q, Depth);
      // The flags say what the count says; else an entry would be lost or shown twice.
      a_flags : assert (valid_q == (count_q != '0) && ready_q == (32'(count_q) < Depth) &&
                        last_q == (count_q == CountW'(1)) &&
                        room_q == (32'(count_q) + 32'd1 == Depth))
      else $error("%m: valid %b and ready %b with %0d entries", valid_q, ready_q, count_q);
    end
  end

endmodule
