// Which node a column belongs to: the destination solver of a RIG unit (NetSparse 5.3), for a
// partition of the columns into consecutive parts of any size, one a node.
//
// A binary search over where the parts begin, so one column a cycle. A step takes three cycles:
// where the middle part begins; comparison by bytes; which half. Nothing waits in the pipeline;
// what it lets in finds room in the queue behind it.
//
// Who waits: columns for whoever takes them.
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

  // Columns in, with their nodes out, in order.
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [IndexBits-1:0] idx_i,
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [IndexBits-1:0] idx_o,
  output logic [NodeW-1:0]     node_o,
  // This node; the column is one of its own.
  input  logic [31:0]          own_node_i,
  output logic                 own_o
);

  localparam int unsigned Steps = NodeW;
  localparam int unsigned Stages = 3 * Steps;
  /// Columns inside, those of the queue included.
  localparam int unsigned Room = 2 ** $clog2(Stages + 8);
  localparam int unsigned RoomW = $clog2(Room + 1);
  /// Parts of a comparison.
  localparam int unsigned PartW = 8;
  localparam int unsigned Parts = (IndexBits + PartW - 1) / PartW;
  localparam int unsigned PaddedW = Parts * PartW;

  typedef struct packed {
    logic [IndexBits-1:0] idx;
    logic [NodeW-1:0]     node;
  } found_t;

  typedef struct packed {
    found_t found;
    logic   own;
  } solved_t;

  // ---------------------------------------------------------------------------------------------
  // Who is let in

  logic [RoomW-1:0]  inside_q;
  logic [Stages-1:0] valid_q;
  logic              take, give, take_q, give_q;

  assign take = valid_i && ready_o;
  assign give = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    take_q   <= take;
    give_q   <= give;
    inside_q <= inside_q + RoomW'(take_q) - RoomW'(give_q);
    // Three more may have come by then.
    ready_o  <= 32'(inside_q) < Room - 2;
    valid_q  <= (valid_q << 1) | Stages'(take);
    if (!rst_ni) begin
      take_q   <= 1'b0;
      give_q   <= 1'b0;
      inside_q <= '0;
      ready_o  <= 1'b0;
      valid_q  <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Step s finds bit NodeW-1-s of the node: the bits in front of it are found already.

  found_t [Steps:0] found;

  always_comb begin
    found[0] = '{idx: idx_i, node: '0};
  end

  for (genvar s = 0; s < Steps; s++) begin : gen_step
    // Where nodes begin whose number has a one in this bit and zeros behind it.
    localparam int unsigned Bit = NodeW - 1 - s;
    localparam int unsigned Firsts = 2 ** s;
    localparam int unsigned WhichW = (s > 0) ? s : 1;
    logic [Firsts-1:0][IndexBits-1:0] first_q;
    logic [IndexBits-1:0]             first, middle_q;
    found_t                           found1_q, found2_q, found3_q;
    logic                             is1_q, is2_q, above;
    logic [Parts-1:0]                 less_q, same_q;
    logic [PaddedW-1:0]               left, right;

    assign first = first_q[WhichW'(32'(found[s].node) >> (Bit + 1))];

    assign left  = PaddedW'(found1_q.idx);
    assign right = PaddedW'(middle_q);

    // Not below the middle: decided by the first part that differs.
    always_comb begin
      above = 1'b1;
      for (int unsigned p = 0; p < Parts; p++) begin
        if (!same_q[p]) above = !less_q[p];
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Firsts; i++) begin
        if (node_we_i && 32'(node_i) == (2 * i + 1) << Bit) first_q[i] <= node_first_i;
      end
      found1_q <= found[s];
      middle_q <= first;
      is1_q    <= (32'(found[s].node) | (32'd1 << Bit)) < NumNodes;
      found2_q <= found1_q;
      is2_q    <= is1_q;
      for (int unsigned p = 0; p < Parts; p++) begin
        less_q[p] <= left[PartW*p+:PartW] < right[PartW*p+:PartW];
        same_q[p] <= left[PartW*p+:PartW] == right[PartW*p+:PartW];
      end
      found3_q           <= found2_q;
      found3_q.node[Bit] <= is2_q && above;
    end

    assign found[s+1] = found3_q;
  end

  // ---------------------------------------------------------------------------------------------
  // What is solved

  solved_t solved, queued, out;
  logic    queue_ready, queue_valid, out_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Room+1)-1:0] queue_count;
  // verilator lint_on UNUSEDSIGNAL

  assign solved = '{found: found[Steps], own: 32'(found[Steps].node) == own_node_i};

  prim_fifo_ram #(
    .T    (solved_t),
    .Depth(Room)
  ) u_solved (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_q[Stages-1]),
    .in_ready_o (queue_ready),
    .in_i       (solved),
    .out_valid_o(queue_valid),
    .out_ready_i(out_ready),
    .out_o      (queued),
    .count_o    (queue_count)
  );

  prim_skid #(
    .T(solved_t)
  ) u_out (
    .clk_i,
    .rst_ni,
    .in_valid_i (queue_valid),
    .in_ready_o (out_ready),
    .in_i       (queued),
    .out_valid_o(valid_o),
    .out_ready_i(ready_i),
    .out_o      (out)
  );

  assign idx_o  = out.found.idx;
  assign node_o = out.found.node;
  assign own_o  = out.own;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is let in finds room; else an index would be forgotten, and its gather never end.
      a_room : assert (!valid_q[Stages-1] || queue_ready)
      else $error("%m: no room for a column");
    end
  end

endmodule
