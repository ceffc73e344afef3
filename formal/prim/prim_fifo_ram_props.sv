// prim_fifo_ram: a queue in block RAM.
module prim_fifo_ram_props #(
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
  input logic       out_ready_i
);

  logic                         in_ready, out_valid, followed, started_q, direct_q;
  logic [1:0]                   out, value;
  logic [$clog2(Depth + 1)-1:0] count;
  logic [$clog2(Depth + 2)-1:0] held, readable, ahead;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  prim_fifo_ram #(
    .T     (logic [1:0]),
    .Depth (Depth),
    .Around(Around)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_o      (out),
    .count_o    (count)
  );

  queue_watch #(
    .Width  (2),
    .Places (Depth),
    .Latency(2)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (in_valid_i && in_ready),
    .in_i,
    .commit_i   (1'b1),
    .rollback_i (1'b0),
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
  assign at      = u_dut.u_fifo.read_q + (Aw + 1)'(ahead);
  assign fetched = u_dut.u_fifo.fetch_q - u_dut.u_fifo.read_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The pointers count what is inside, what of it is readable, and what has left the RAM.
      a_pointers : assert (u_dut.u_fifo.write_q - u_dut.u_fifo.read_q == (Aw + 1)'(held) &&
                           u_dut.u_fifo.commit_q - u_dut.u_fifo.read_q == (Aw + 1)'(readable) &&
                           32'(fetched) <= 32'(readable) && fetched == (Aw + 1)'(out_valid))
      else $error("pointers disagree");
      // The followed entry stands behind those in front of it: in the RAM, or shown.
      a_place : assert (!followed || (ahead < held && ((32'(ahead) >= 32'(fetched)) ?
          u_dut.u_fifo.u_ram.mem[at[Aw-1:0]] == value : out == value)))
      else $error("followed entry is not where it should be");
    end
  end

  always_ff @(posedge clk_i) direct_q <= rst_ni && in_valid_i && in_ready && held == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // `count_o` is the number of entries inside.
      a_count : assert (32'(count) == 32'(held))
      else $error("count %0d, inside %0d", count, held);
      // There is room as long as not all places are taken.
      a_room : assert (in_ready == (32'(held) < Depth))
      else $error("ready %b with %0d inside", in_ready, held);
      // An entry that comes into an empty queue is shown in the next cycle.
      a_around : assert (!Around || !direct_q || out_valid)
      else $error("not shown in the next cycle");
    end
  end

endmodule
