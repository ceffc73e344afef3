// agg_reduce: no row leaves that has not come in, whatever comes when; so an egress is never given
// more rows than were read for it. What stands in a row, and that each is answered, is
// agg_reduce_props; here its nodes are real ones, and nobody looks at what they say.
module reduce_rows_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ranks.
  parameter int unsigned NumRanks = 3
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i
);

  /// Cycles from a row to its answer, one more for 16-bit elements.
  localparam int unsigned Latency = 5 * $clog2(NumRanks) + 3;

  logic started_q, out_valid;
  initial started_q = 1'b0;

  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    agg_reduce #(
      .NumRanks (NumRanks),
      .WideLanes(0)
    ) u_reduce (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_rows_i,
      .in_workers_i,
      .in_kind_i,
      .in_last_i,
      .in_ports_i,
      .in_keep_i  (1'b0),
      .in_kept_i  (1'b0),
      .in_at_i    ('0),
      .in_found_i ('0),
      .kept_re_o  (),
      .kept_at_o  (),
      .out_valid_o(out_valid),
      .out_row_o  (),
      .out_last_o (),
      .out_ports_o(),
      .out_keep_o (),
      .out_kept_o (),
      .out_at_o   (),
      .out_found_o()
    );
  end

  logic [Latency+1:1] valid_q, half_q;   // a row came in n cycles ago; of 16-bit elements

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    valid_q   <= rst_ni ? {valid_q[Latency:1], in_valid_i} : '0;
    half_q    <= {half_q[Latency:1], is_half(in_kind_i[3:0])};
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What leaves is the answer to a row of its own: no row is answered twice, and none that did
      // not come.
      a_own : assert (!out_valid || (valid_q[Latency] && !half_q[Latency]) ||
                      (valid_q[Latency+1] && half_q[Latency+1]))
      else $error("a row of nobody");
      // Rows of both widths, right behind each other.
      c_both : cover (out_valid && valid_q[Latency+1] && half_q[Latency+1] && valid_q[Latency-1] &&
                      !half_q[Latency-1]);
    end
  end

endmodule
