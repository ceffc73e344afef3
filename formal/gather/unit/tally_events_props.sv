// gather_tally: any counter shows how often its event was told, whatever the others count.
module tally_events_props #(
  parameter int unsigned N = 5,
  localparam int unsigned IndexW = $clog2(N)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [N-1:0]      events_i,
  input logic [IndexW-1:0] index_i   // of the one that is followed
);

  logic [N-1:0][31:0] count;

  gather_tally #(
    .N(N)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .events_i,
    .count_o(count)
  );

  // Events of the followed counter until two cycles ago, and whether there was one a cycle ago.
  logic              started_q, one_q;
  logic [IndexW-1:0] index_q;
  logic [31:0]       told_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) index_q <= (32'(index_i) < N) ? index_i : '0;
    // The first cycle is one of reset. Dropped: the counters begin anywhere.
    e_reset : assume (started_q || !rst_ni);
    // A number keeps to those that there are (helps the proof).
    a_index : assert (!started_q || 32'(index_q) < N)
    else $error("counter %0d", index_q);
    one_q <= rst_ni && events_i[index_q];
    if (one_q) told_q <= told_q + 32'd1;
    if (!rst_ni) told_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An event shows two cycles after it, once, at its own counter alone.
      a_count : assert (count[index_q] == told_q)
      else $error("counter %0d shows %0d of %0d events", index_q, count[index_q], told_q);
      // What is told in the cycle of a reset is not counted (helps the proof).
      a_told : assert (u_dut.events_q[index_q] == one_q)
      else $error("an event of counter %0d: %b", index_q, one_q);
      // The last counter counts while its neighbour does not.
      c_last : cover (32'(index_q) == N - 1 && told_q == 32'd2 && count[N-2] == '0);
    end
  end

endmodule
