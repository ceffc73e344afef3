// Reduces a column's rows over the ranks of its ring: a balanced tree over the rank index
// (NetReduce 3.1; docs/wire.md).
//
// Level k combines neighbours; one without a partner passes through. Ranks from `workers` on are
// missing. FP16 and BF16 are widened in front of the tree and rounded once behind it; a ring of one
// rank gets its row back bit for bit. A row a cycle; rows of 16-bit elements need the next cycle
// too unless WideLanes. Answers come in order; nobody waits.
module agg_reduce
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// 1: a lane for each two bytes, a row of 16-bit elements every cycle; 0: one for each four.
  parameter int unsigned WideLanes = 0,
  /// 1: rows may be bad, and kept sums come a cycle later.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg): elements and operations that do not come.
  parameter int unsigned Without = 0,
  /// Bits of the place where a sum is kept.
  parameter int unsigned AtW = 14
) (
  input logic clk_i,
  input logic rst_ni,

  // A row of every bank, and what it is. Without wide lanes nothing comes in the cycle behind a row
  // of 16-bit elements.
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  // verilator lint_off UNUSEDSIGNAL
  input logic [7:0]                        in_kind_i,   // only codes of the wire format come here
  // verilator lint_on UNUSEDSIGNAL
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i,
  input logic                              in_keep_i,    // the sum is kept
  input logic                              in_kept_i,    // a kept one leaves instead
  input logic [AtW-1:0]                    in_at_i,      // where
  input ecc_t                              in_found_i,   // in the row of some rank

  // A kept sum is to leave with the row that leaves BankRead + Ecc cycles later.
  output logic                kept_re_o,
  output logic [AtW-1:0]      kept_at_o,

  // The reduced row, with the rest as it came in with it: Depth + 3 cycles later, one more for
  // 16-bit elements without wide lanes.
  output logic                out_valid_o,
  output logic [BeatBits-1:0] out_row_o,
  output logic                out_last_o,
  output logic [MaxPorts-1:0] out_ports_o,
  output logic                out_keep_o,
  output logic                out_kept_o,
  output logic [AtW-1:0]      out_at_o,
  output ecc_t                out_found_o
);

  if (NumRanks < 1 || NumRanks > MaxRanks) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be 1 to %0d", MaxRanks);
  end
  if (WideLanes > 1) begin : gen_check_lanes
    $fatal(1, "%m: WideLanes must be 0 or 1");
  end

  localparam int unsigned Lanes = (WideLanes != 0) ? BeatBytes / 2 : BeatBytes / 4;
  localparam int unsigned Levels = $clog2(NumRanks);
  localparam int unsigned NodeLatency = 5;
  /// Cycles from an operand register to the tree's root.
  localparam int unsigned Depth = Levels * NodeLatency;

  /// What goes along with the operands of one pass.
  typedef struct packed {
    logic                valid;
    logic                high;     // the upper half of a row of 16-bit elements
    logic                half;     // 16-bit elements
    logic                bf16;
    logic                is_int;
    logic [1:0]          op;
    logic [NumRanks-1:0] there;    // ranks that there are
    logic                last;
    logic [MaxPorts-1:0] ports;
    logic                keep;
    logic                kept;
    logic [AtW-1:0]      at;
    ecc_t                found;
  } pass_t;

  // ---------------------------------------------------------------------------------------------
  // Operands: one pass a row, or two where a lane has two elements.

  pass_t                                 in_pass;
  logic                                  again_q;       // the upper half comes now
  pass_t                                 again_pass_q;
  pass_t                                 next_pass;
  pass_t                                 pass_q[Depth+1];
  logic [NumRanks-1:0][Lanes-1:0][31:0]  operand;

  always_comb begin
    in_pass         = '0;
    in_pass.valid   = in_valid_i;
    in_pass.half    = is_half(in_kind_i[3:0]);
    in_pass.bf16    = in_kind_i[3:0] == TypeBf16;
    in_pass.is_int  = in_kind_i[3:0] == TypeInt32;
    in_pass.op      = in_kind_i[5:4];
    for (int unsigned r = 0; r < NumRanks; r++) in_pass.there[r] = 32'(in_workers_i) > r;
    in_pass.last    = in_last_i;
    in_pass.ports   = in_ports_i;
    in_pass.keep    = in_keep_i;
    in_pass.kept    = in_kept_i;
    in_pass.at      = in_at_i;
    in_pass.found   = (Ecc != 0) ? in_found_i : '0;
  end

  assign next_pass = again_q ? again_pass_q : in_pass;

  always_ff @(posedge clk_i) begin
    again_q <= (WideLanes == 0) && in_valid_i && in_pass.half;
    if (in_valid_i) begin
      again_pass_q      <= in_pass;
      again_pass_q.high <= 1'b1;
    end
    pass_q[0] <= next_pass;
    for (int unsigned s = 1; s <= Depth; s++) pass_q[s] <= pass_q[s-1];
    if (!rst_ni) begin
      again_q <= 1'b0;
      for (int unsigned s = 0; s <= Depth; s++) pass_q[s].valid <= 1'b0;
    end
  end

  for (genvar r = 0; r < NumRanks; r++) begin : gen_rank
    prim_row_widen #(
      .Words(BeatBytes / 4),
      .Lanes(Lanes),
      .Fp16 (!Without[WithoutFp16]),
      .Bf16 (!Without[WithoutBf16])
    ) u_widen (
      .clk_i,
      .valid_i(again_q || in_valid_i),
      .high_i (again_q),
      .half_i (again_q || in_pass.half),
      .bf16_i (again_q ? again_pass_q.bf16 : in_pass.bf16),
      .row_i  (in_rows_i[r]),
      .lane_o (operand[r])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // The tree. Node j of level k stands for ranks from j * 2^k on, and is missing if there is none
  // of them.

  for (genvar k = 0; k <= Levels; k++) begin : gen_level
    localparam int unsigned Nodes = (NumRanks + 2 ** k - 1) / 2 ** k;
    logic [Nodes-1:0][Lanes-1:0][31:0] value;

    if (k == 0) begin : gen_leaves
      assign value = operand;
    end else begin : gen_nodes
      localparam int unsigned Below = (NumRanks + 2 ** (k - 1) - 1) / 2 ** (k - 1);
      // verilator lint_off UNUSEDSIGNAL
      pass_t pass;   // the rest of it is for the root
      // verilator lint_on UNUSEDSIGNAL
      assign pass = pass_q[(k-1)*NodeLatency];

      for (genvar j = 0; j < Nodes; j++) begin : gen_node
        if (2 * j + 1 < Below) begin : gen_pair
          logic a_there, b_there;
          assign a_there = pass.there[2*j*2**(k-1)];
          assign b_there = pass.there[(2*j+1)*2**(k-1)];
          for (genvar l = 0; l < Lanes; l++) begin : gen_lane
            prim_fp32_reduce #(
              .Ints  (!Without[WithoutInt32]),
              .MinMax(!Without[WithoutMinMax])
            ) u_lane (
              .clk_i,
              .valid_i  (pass.valid),
              .is_int_i (pass.is_int),
              .op_i     (pass.op),
              .a_valid_i(a_there),
              .a_i      (gen_level[k-1].value[2*j][l]),
              .b_valid_i(b_there),
              .b_i      (gen_level[k-1].value[2*j+1][l]),
              .y_o      (value[j][l])
            );
          end
        end else begin : gen_through
          logic [Lanes-1:0][31:0] delay_q[NodeLatency];
          always_ff @(posedge clk_i) begin
            delay_q[0] <= gen_level[k-1].value[2*j];
            for (int unsigned s = 1; s < NodeLatency; s++) delay_q[s] <= delay_q[s-1];
          end
          assign value[j] = delay_q[NodeLatency-1];
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Round 16-bit results and put the row together.

  // verilator lint_off UNUSEDSIGNAL
  pass_t root;   // the operation is done
  // verilator lint_on UNUSEDSIGNAL

  assign root = pass_q[Depth];

  prim_row_round #(
    .Words (BeatBytes / 4),
    .Lanes (Lanes),
    .AlongW(MaxPorts + 3 + AtW + $bits(ecc_t)),
    .Fp16  (!Without[WithoutFp16]),
    .Bf16  (!Without[WithoutBf16])
  ) u_round (
    .clk_i,
    .rst_ni,
    .valid_i (root.valid),
    .high_i  (root.high),
    .half_i  (root.half),
    .bf16_i  (root.bf16),
    // A single rank's bits stay as they are.
    .single_i((root.there >> 1) == '0),
    .lane_i  (gen_level[Levels].value[0]),
    .along_i ({root.last, root.ports, root.keep, root.kept, root.at, root.found}),
    .valid_o (out_valid_o),
    .row_o   (out_row_o),
    .along_o ({out_last_o, out_ports_o, out_keep_o, out_kept_o, out_at_o, out_found_o})
  );

  // A kept sum is read with the pass that its row leaves with: the two cycles that rounding takes
  // are those of a read, and with the code there is one more.
  if (BankRead != 2) begin : gen_check_kept
    $fatal(1, "%m: rounding takes two cycles, a read %0d", BankRead);
  end
  // verilator lint_off UNUSEDSIGNAL
  pass_t ahead;
  // verilator lint_on UNUSEDSIGNAL
  if (Depth >= Ecc) begin : gen_ahead
    assign ahead = pass_q[Depth-Ecc];
  end else begin : gen_ahead_of_all
    assign ahead = next_pass;
  end
  assign kept_re_o = ahead.valid && ahead.kept && (WideLanes != 0 || !ahead.half || ahead.high);
  assign kept_at_o = ahead.at;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The second pass of a row meets no other row; it would take that row's place.
      a_spacing : assert (!(again_q && in_valid_i))
      else $error("%m: a row right behind one of 16-bit elements");
    end
  end

endmodule
