// Reduces rows of a tree node's children in two half rings that meet in the collective functional
// unit (SHARP Streaming-Aggregation, 3.1 and Fig. 1b; docs/tree.md).
//
// Ports 0 to NumPorts/2 - 1 are the left half ring, the others the right one. A *step* adds the
// next port's child to the sum of those before it; two steps are the figure's combiner, which has
// two ports. A port without a child is passed by. The order is that of the ports, whoever came
// first, and whoever else has children: left and right alone, then left + right.
//
// Nothing is delayed but what a row is: a port is asked for its row when the sum gets there, so
// rows wait in the ports' buffers and not in registers. Who brings an operation in must know that
// all children's rows are there. A row a cycle, whatever the number of ports; without wide lanes a
// row of 16-bit elements takes two. Answers come in order; nobody waits behind the way in.
//
//   cycle  0      in_valid_i
//          1      row_re_o of ports 0 and 1 of each half; of port p of a half, at 1 + 5 * (p - 1)
//          RowRead later: row_i, and its lanes a cycle later, when the step begins
//          Latency: out_valid_o
module sat_ring
  import roce_pkg::*;
#(
  /// Ports of the node, even, 4 to 32.
  parameter int unsigned NumPorts = 8,
  /// 1: 32 lanes, a row of 16-bit elements every cycle; 0: 16 lanes.
  parameter int unsigned WideLanes = 0,
  /// Cycles from a port's read to its row.
  parameter int unsigned RowRead = 2,
  /// Bits that go along with a row.
  parameter int unsigned AlongW = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // A row of each child, and what it is.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [7:0]          in_kind_i,       // type and operation; only codes of the wire format
  // verilator lint_on UNUSEDSIGNAL
  input  logic [NumPorts-1:0] in_children_i,   // at least one
  input  logic [AlongW-1:0]   in_along_i,

  // Reads of the ports' buffers, in the order of the rows above.
  output logic [NumPorts-1:0]               row_re_o,
  input  logic [NumPorts-1:0][BeatBits-1:0] row_i,

  // The reduced row, Latency cycles after it came in; one more for 16-bit elements without wide
  // lanes.
  output logic                out_valid_o,
  output logic [BeatBits-1:0] out_row_o,
  output logic [AlongW-1:0]   out_along_o
);

  if (NumPorts < 4 || NumPorts > 32 || NumPorts % 2 != 0) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be even, 4 to 32");
  end
  if (WideLanes > 1) begin : gen_check_lanes
    $fatal(1, "%m: WideLanes must be 0 or 1");
  end

  localparam int unsigned Lanes = (WideLanes != 0) ? 32 : 16;
  localparam int unsigned HalfPorts = NumPorts / 2;
  localparam int unsigned StepLatency = 5;
  /// From a pass to the first step, and to the sum of both half rings.
  localparam int unsigned First = RowRead + 1;
  localparam int unsigned Root = First + StepLatency * HalfPorts;
  /// From in_valid_i to out_valid_o; docs/tree.md tells it.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency = 1 + Root + 2;
  // verilator lint_on UNUSEDPARAM

  /// When a pass asks port `p` of a half ring for its row.
  function automatic int unsigned read_at(int unsigned p);
    return (p < 2) ? 0 : StepLatency * (p - 1);
  endfunction

  /// What goes along with the operands of one pass.
  typedef struct packed {
    logic                valid;
    logic                high;      // the upper half of a row of 16-bit elements
    logic                half;      // 16-bit elements
    logic                bf16;
    logic                is_int;
    logic [1:0]          op;
    logic [NumPorts-1:0] children;
    logic [AlongW-1:0]   along;
  } pass_t;

  // ---------------------------------------------------------------------------------------------
  // Passes: one a row, or two where a lane has two elements.

  pass_t in_pass;
  logic  again_q;   // the upper half comes now
  // verilator lint_off UNUSEDSIGNAL
  pass_t [Root:0] pass_q;   // the last ones need not all of it
  // verilator lint_on UNUSEDSIGNAL

  assign in_ready_o = !again_q;

  always_comb begin
    in_pass          = '0;
    in_pass.valid    = in_valid_i;
    in_pass.half     = is_half(in_kind_i[3:0]);
    in_pass.bf16     = in_kind_i[3:0] == TypeBf16;
    in_pass.is_int   = in_kind_i[3:0] == TypeInt32;
    in_pass.op       = in_kind_i[5:4];
    in_pass.children = in_children_i;
    in_pass.along    = in_along_i;
  end

  always_ff @(posedge clk_i) begin
    again_q <= WideLanes == 0 && in_valid_i && in_ready_o && in_pass.half;
    if (again_q) pass_q[0].high <= 1'b1;
    else pass_q[0] <= in_pass;
    pass_q[Root:1] <= pass_q[Root-1:0];
    if (!rst_ni) begin
      again_q <= 1'b0;
      for (int unsigned s = 0; s <= Root; s++) pass_q[s].valid <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The half rings: the sum of a half's ports up to each of them.

  logic [1:0][Lanes-1:0][31:0] half_sum;

  for (genvar h = 0; h < 2; h++) begin : gen_half
    for (genvar p = 0; p < HalfPorts; p++) begin : gen_port
      localparam int unsigned Port = h * HalfPorts + p;
      localparam int unsigned Read = read_at(p);
      logic [Lanes-1:0][31:0] lane, total;

      // With pass_q[Read], as a register.
      if (Read == 0) begin : gen_ask
        always_ff @(posedge clk_i) begin
          row_re_o[Port] <= rst_ni && in_valid_i && in_ready_o && in_children_i[Port];
        end
      end else begin : gen_ask
        always_ff @(posedge clk_i) begin
          row_re_o[Port] <= rst_ni && pass_q[Read-1].valid && !pass_q[Read-1].high &&
              pass_q[Read-1].children[Port];
        end
      end

      prim_row_widen #(
        .Lanes(Lanes)
      ) u_widen (
        .clk_i,
        .valid_i(pass_q[Read+RowRead].valid && pass_q[Read+RowRead].children[Port]),
        .high_i (pass_q[Read+RowRead].high),
        .half_i (pass_q[Read+RowRead].half),
        .bf16_i (pass_q[Read+RowRead].bf16),
        .row_i  (row_i[Port]),
        .lane_o (lane)
      );

      if (p == 0) begin : gen_first
        assign total = lane;
      end else begin : gen_step
        // verilator lint_off UNUSEDSIGNAL
        pass_t pass;
        // verilator lint_on UNUSEDSIGNAL
        assign pass = pass_q[Read+First];
        for (genvar l = 0; l < Lanes; l++) begin : gen_lane
          prim_fp32_reduce u_lane (
            .clk_i,
            .valid_i  (pass.valid),
            .is_int_i (pass.is_int),
            .op_i     (pass.op),
            .a_valid_i(pass.children[h*HalfPorts+:p] != '0),
            .a_i      (gen_half[h].gen_port[p-1].total[l]),
            .b_valid_i(pass.children[Port]),
            .b_i      (lane[l]),
            .y_o      (total[l])
          );
        end
      end
    end
    assign half_sum[h] = gen_port[HalfPorts-1].total;
  end

  // ---------------------------------------------------------------------------------------------
  // The collective functional unit: both half rings' sums, rounded.

  // verilator lint_off UNUSEDSIGNAL
  pass_t meet, root;
  // verilator lint_on UNUSEDSIGNAL
  logic [Lanes-1:0][31:0] result;

  assign meet = pass_q[Root-StepLatency];
  assign root = pass_q[Root];

  // With `root`: it has one child. Found a cycle ahead, since of 16 it takes long.
  logic single_q;
  always_ff @(posedge clk_i) begin
    single_q <= (pass_q[Root-1].children & (pass_q[Root-1].children - NumPorts'(1))) == '0;
  end


  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    prim_fp32_reduce u_lane (
      .clk_i,
      .valid_i  (meet.valid),
      .is_int_i (meet.is_int),
      .op_i     (meet.op),
      .a_valid_i(meet.children[HalfPorts-1:0] != '0),
      .a_i      (half_sum[0][l]),
      .b_valid_i(meet.children[NumPorts-1:HalfPorts] != '0),
      .b_i      (half_sum[1][l]),
      .y_o      (result[l])
    );
  end

  prim_row_round #(
    .Lanes (Lanes),
    .AlongW(AlongW)
  ) u_round (
    .clk_i,
    .rst_ni,
    .valid_i (root.valid),
    .high_i  (root.high),
    .half_i  (root.half),
    .bf16_i  (root.bf16),
    // An only child's bits stay as they are.
    .single_i(single_q),
    .lane_i  (result),
    .along_i (root.along),
    .valid_o (out_valid_o),
    .row_o   (out_row_o),
    .along_o (out_along_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A row of nobody has no value.
      a_children : assert (!in_valid_i || in_children_i != '0)
      else $error("%m: an operation without children");
    end
  end

endmodule
