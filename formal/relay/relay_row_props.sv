// relay_row: each read's rows are the parent's where its read was announced so, and the banks' in
// every other place.
module relay_row_props
  import roce_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  localparam cfg_t Cfg = make_cfg(3, 3, 256, 4, 2, 16, 1, 0, 0, 1, 2, 9728, 0)
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input relay_read_t                           read_i,
  input logic                                  last_i,
  input logic [Cfg.NumBanks-1:0][BeatBits-1:0] rows_i,
  // The read that is followed through the queue.
  input logic                                  follow_i
);

  logic [Cfg.NumRanks-1:0][BeatBits-1:0] rows;

  relay_row #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .read_i,
    .last_i,
    .rows_i,
    .rows_o(rows)
  );

  logic [2:0] waiting, ahead;
  logic [1:0] place;   // of the read that is followed
  logic       followed, value;

  queue_watch #(
    .Width (1),
    .Places(4)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (read_i.valid),
    .in_i       (read_i.from_parent),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(u_dut.valid),
    .out_ready_i(last_i),
    .out_i      (u_dut.from_parent),
    .inside_o   (waiting),
    .readable_o (),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );
  assign place = 2'(u_dut.u_from.read_q + 2'(ahead));

  logic started_q, of_sum_q;   // the row before was the last one of a sum
  initial started_q = 1'b0;

  // A cycle ago: what came in, and what left.
  logic [Cfg.NumBanks-1:0][BeatBits-1:0] in_q;
  logic [Cfg.NumRanks-1:0][BeatBits-1:0] out_q;
  logic                                  there_q, from_parent_q;
  always_ff @(posedge clk_i) begin
    in_q          <= rows_i;
    out_q         <= rows;
    there_q       <= rst_ni && waiting != '0;
    from_parent_q <= u_dut.from_parent;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    of_sum_q  <= rst_ni && last_i && waiting != '0 && !u_dut.from_parent;
    // The first cycle is one of reset. Dropped: reads that nobody announced.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // Where the oldest read is of the parent's result, that row stands in rank 0's place, and no
      // worker's does; else rank 0's own.
      a_first : assert (!there_q ||
          out_q[0] == (from_parent_q ? in_q[Cfg.NumRanks] : in_q[0]));
      // All other ranks' rows are their own.
      a_others : assert (!there_q || out_q[Cfg.NumRanks-1:1] == in_q[Cfg.NumRanks-1:1]);
      // Reads wait in their queue (helps the proof).
      a_queue : assert (32'(waiting) == 32'(u_dut.u_from.count_q) &&
          u_dut.ready == (32'(waiting) < 4) && u_dut.valid == (waiting != '0) &&
          2'(u_dut.u_from.write_q - u_dut.u_from.read_q) == 2'(waiting) &&
          (!followed || u_dut.u_from.mem_q[place] == value));
      // A read of the parent's result behind one of a sum.
      c_parent : cover (last_i && u_dut.from_parent && of_sum_q);
    end
  end

endmodule
