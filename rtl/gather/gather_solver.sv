// Which node a column belongs to: the destination solver of a RIG unit (NetSparse 5.3), for a
// partition of the columns into consecutive parts of any size, one a node.
//
// A binary search over where the parts begin, one step a stage, so one column a cycle. Everything
// moves on together while `advance_i`.
module gather_solver #(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Bits of a column that count.
  parameter int unsigned IndexBits = 40,
  localparam int unsigned NodeW = $clog2(NumNodes)
) (
  input logic clk_i,
  input logic rst_ni,

  // Node `node_i` begins with column `node_first_i`. All nodes must be told; node 0 begins with 0,
  // and later nodes never begin earlier.
  input logic                 node_we_i,
  input logic [NodeW-1:0]     node_i,
  input logic [IndexBits-1:0] node_first_i,

  input  logic                 advance_i,
  input  logic                 valid_i,
  input  logic [IndexBits-1:0] idx_i,
  output logic                 valid_o,
  output logic [IndexBits-1:0] idx_o,
  output logic [NodeW-1:0]     node_o
);

  localparam int unsigned Stages = NodeW;

  // Stage s finds bit NodeW-1-s of the node: the bits in front of it are found already.
  logic [Stages:0][IndexBits-1:0] idx;
  logic [Stages:0][NodeW-1:0]     found;
  logic [Stages:1][IndexBits-1:0] idx_q;
  logic [Stages:1][NodeW-1:0]     found_q;

  assign idx    = {idx_q, idx_i};
  assign found  = {found_q, NodeW'(0)};
  assign idx_o  = idx[Stages];
  assign node_o = found[Stages];

  logic [Stages-1:0] valid_q;
  assign valid_o = valid_q[Stages-1];
  always_ff @(posedge clk_i) begin
    if (advance_i) valid_q <= (valid_q << 1) | Stages'(valid_i);
    if (!rst_ni) valid_q <= '0;
  end

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    // Where nodes begin whose number has a one in this bit and zeros behind it.
    localparam int unsigned Bit = NodeW - 1 - s;
    localparam int unsigned Firsts = 2 ** s;
    logic [Firsts-1:0][IndexBits-1:0] first_q;
    logic [NodeW-1:0]                 middle;
    logic                             above;
    logic [IndexBits-1:0]             first;

    assign middle = found[s] | (NodeW'(1) << Bit);
    assign above  = 32'(middle) < NumNodes && idx[s] >= first;

    always_comb begin
      first = '0;
      for (int unsigned i = 0; i < Firsts; i++) begin
        if (32'(middle) >> (Bit + 1) == i) first = first_q[i];
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Firsts; i++) begin
        if (node_we_i && 32'(node_i) == (2 * i + 1) << Bit) first_q[i] <= node_first_i;
      end
      if (advance_i) begin
        idx_q[s+1]   <= idx[s];
        found_q[s+1] <= above ? middle : found[s];
      end
    end
  end

endmodule
