// sat_results: a row that waits is what came in, with its parity where rows are looked at, and one
// that leaves with another parity is told with its place. The queue that rows wait in is left out
// of the circuit and free (`cuts` of the task).
module kept_sums_props
  import rc_pkg::RcRowBits;
  import rc_port_pkg::*;
#(
  parameter int unsigned Rows = 16
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic                 in_stop_i,
  input logic [RcRowBits-1:0] in_row_i,
  input logic                 out_ready_i
);

  localparam int unsigned Parts = RcRowBits / 64;

  logic                 begun_q, rst_n, in_ready, out_valid, out_stop;
  logic [RcRowBits-1:0] out_row;
  rc_memory_t           memory;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && begun_q;

  sat_results #(
    .Rows(Rows),
    .Ecc (1)
  ) u_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_stop_i,
    .in_row_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_stop_o (out_stop),
    .out_row_o  (out_row),
    .memory_o   (memory)
  );

  // A row as it waits: a parity bit of its end, one of each 64 bits, and what it is.
  typedef struct packed {
    logic                 of_stop;
    logic [Parts-1:0]     of_row;
    logic                 stop;
    logic [Parts-1:0][63:0] row;
  } waits_t;
  waits_t comes, leaves;
  assign comes  = u_dut.gen_checked.u_rows.in_i;
  assign leaves = u_dut.gen_checked.u_rows.out_o;

  // A row leaves; how many have since reset, but for whole turns; and what was wrong with one that
  // has left in the cycle before.
  logic                    goes, wrong_q;
  logic [$clog2(Rows)-1:0] left_q, was_q;
  logic [Parts:0]          odd;
  assign goes = out_ready_i && u_dut.gen_checked.u_rows.out_valid_o;
  always_comb begin
    odd[Parts] = leaves.stop != leaves.of_stop;
    for (int unsigned p = 0; p < Parts; p++) odd[p] = ^{leaves.row[p], leaves.of_row[p]};
  end

  logic [Parts-1:0] even;   // what is written is
  always_comb begin
    for (int unsigned p = 0; p < Parts; p++) even[p] = !(^{comes.row[p], comes.of_row[p]});
  end

  initial {begun_q, wrong_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    wrong_q <= rst_n && goes && odd != '0;
    was_q   <= left_q;
    if (goes) left_q <= left_q + $clog2(Rows)'(1);
    if (!rst_n) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // A row waits as it came, with an even number of ones in each part and its bit.
      a_comes : assert (u_dut.gen_checked.u_rows.in_valid_i == in_valid_i &&
                        in_ready == u_dut.gen_checked.u_rows.in_ready_o &&
                        (!in_valid_i || (comes.row == in_row_i && comes.stop == in_stop_i &&
                                         comes.of_stop == in_stop_i && even == '1)))
      else $error("comes %b", u_dut.gen_checked.u_rows.in_valid_i);
      // It leaves as it waited, when it is taken.
      a_leaves : assert (out_valid == u_dut.gen_checked.u_rows.out_valid_o &&
                         u_dut.gen_checked.u_rows.out_ready_i == out_ready_i &&
                         u_dut.gen_checked.u_rows.rst_ni == rst_n &&
                         (!out_valid || (out_stop == leaves.stop && out_row == leaves.row)))
      else $error("leaves %b", out_valid);
      // One of which a bit has flipped is told in the cycle behind; rows take their places in turn.
      a_bad : assert (!memory.corrected && memory.bad == wrong_q && (!memory.bad ||
          memory.word == {MemResults, OfTrees, 4'd0, 16'(was_q)}))
      else $error("%h", memory);
      // As many have left (helps the proof).
      a_left : assert (u_dut.gen_checked.at_q == left_q)
      else $error("%0d rows", left_q);

      // The third row that leaves has a bit that has flipped.
      c_bad : cover (wrong_q && was_q == 4'd2);
    end
  end

endmodule
