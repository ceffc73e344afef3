// prim_frame_fifo: a queue of which the newest entries can be taken back.
module prim_frame_fifo_props #(
  /// Places of the queue.
  parameter int unsigned Depth = 8,
  /// An entry that finds the queue empty goes around the RAM.
  parameter bit Around = 1'b1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       follow_i,
  input logic       in_valid_i,
  input logic [1:0] in_i,
  input logic       commit_i,
  input logic       rollback_i,
  input logic       out_ready_i
);

  logic                         in_ready, out_valid, push, followed, started_q, direct_q;
  logic [1:0]                   out, value;
  logic [$clog2(Depth + 1)-1:0] count;
  logic [$clog2(Depth + 2)-1:0] held, readable, ahead;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  prim_frame_fifo #(
    .T     (logic [1:0]),
    .Depth (Depth),
    .Around(Around)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_i,
    .commit_i,
    .rollback_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_o      (out),
    .count_o    (count)
  );

  assign push = in_valid_i && in_ready;

  queue_watch #(
    .Width  (2),
    .Places (Depth),
    .Latency(2)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (push),
    .in_i,
    .commit_i,
    .rollback_i,
    .out_valid_i(out_valid),
    .out_ready_i,
    .out_i      (out),
    .inside_o   (held),
    .readable_o (readable),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );

  // Where the followed entry is. These help the proof: they hold by themselves, and the others
  // follow from them.
  localparam int unsigned Aw = $clog2(Depth);
  logic [Aw:0] at, fetched;
  assign at      = u_dut.read_q + (Aw + 1)'(ahead);
  assign fetched = u_dut.fetch_q - u_dut.read_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The pointers count what is inside, what of it is readable, and what has left the RAM.
      a_pointers : assert (u_dut.write_q - u_dut.read_q == (Aw + 1)'(held) &&
                           u_dut.commit_q - u_dut.read_q == (Aw + 1)'(readable) &&
                           32'(fetched) <= 32'(readable) && fetched == (Aw + 1)'(out_valid))
      else $error("pointers disagree");
      // The followed entry stands behind those in front of it: in the RAM, or shown.
      a_place : assert (!followed || (ahead < held && ((32'(ahead) >= 32'(fetched)) ?
          u_dut.u_ram.mem[at[Aw-1:0]] == value : out == value)))
      else $error("followed entry is not where it should be");
    end
  end

  always_ff @(posedge clk_i) direct_q <= rst_ni && push && commit_i && held == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // `count_o` is the number of entries inside, committed or not; what was rolled back is not
      // among them.
      a_count : assert (32'(count) == 32'(held))
      else $error("count %0d, inside %0d", count, held);
      // There is room as long as not all places are taken.
      a_room : assert (in_ready == (32'(held) < Depth))
      else $error("ready %b with %0d inside", in_ready, held);
      // An entry that is committed as it comes into an empty queue is shown in the next cycle.
      a_around : assert (!Around || !direct_q || out_valid)
      else $error("not shown in the next cycle");
      // A full queue of which nothing is committed is rolled back.
      c_rollback : cover (rollback_i && 32'(held) == Depth && readable == '0);
      // Entries are rolled back in the cycle in which a committed one leaves.
      c_rollback_behind : cover (rollback_i && out_valid && out_ready_i && held > readable);
    end
  end

endmodule
