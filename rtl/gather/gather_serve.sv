// The reads of other nodes: those of what is served wait in a queue and are answered; others are dropped,
// so that no packet, however it was made, reads what is no property of this node.
//
// Who waits: reads while the queue is full; it waits for responses to be taken.
module gather_serve
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Reads that may wait. Power of two, 8 or more.
  parameter int unsigned ReadQueue = 2048,
  localparam int unsigned NodeW = $clog2(NumNodes)
) (
  input logic clk_i,
  input logic rst_ni,

  // The property of column i is at base + (i << stride), in 2 ** stride bytes; `count_i` columns
  // from `first_i` on are served.
  input logic [31:0] own_node_i,
  input logic [63:0] base_i,
  input logic [3:0]  stride_i,
  input logic [63:0] first_i,
  input logic [31:0] count_i,

  // Reads of nodes that exist.
  input  logic pr_valid_i,
  output logic pr_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  pr_t  pr_i,
  // verilator lint_on UNUSEDSIGNAL

  output logic                read_valid_o,
  input  logic                read_ready_i,
  output mem_read_t           read_o,
  input  logic                data_valid_i,
  input  logic [BeatBits-1:0] data_i,

  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // A read is served, or dropped.
  output logic served_o,
  output logic not_served_o
);

  // What of a read is not the same for all of them, and whether it is of what is served.
  typedef struct packed {
    logic             served;
    logic [NodeW-1:0] src;
    logic [15:0]      tid;
    logic [63:0]      idx;
    logic [31:0]      id;
    logic [10:0]      len;
  } read_t;

  logic [63:0] end_q;   // where the columns that are served end
  read_t       in, out;
  pr_t         asked;
  logic        out_valid, asked_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(ReadQueue+1)-1:0] count;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) end_q <= first_i + 64'(count_i);

  assign in = '{served: pr_i.idx >= first_i && pr_i.idx < end_q &&
                        16'(pr_i.len) <= 16'd1 << stride_i,
                src: pr_i.src[NodeW-1:0], tid: pr_i.tid, idx: pr_i.idx, id: pr_i.id,
                len: pr_i.len};

  prim_fifo_ram #(
    .T    (read_t),
    .Depth(ReadQueue)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i),
    .in_ready_o (pr_ready_o),
    .in_i       (in),
    .out_valid_o(out_valid),
    .out_ready_i(asked_ready || !out.served),
    .out_o      (out),
    .count_o    (count)
  );

  assign asked        = '{response: 1'b0, cacheable: 1'b0, src: 32'(out.src), dest: own_node_i,
                          tid: out.tid, idx: out.idx, id: out.id, len: out.len};
  assign served_o     = out_valid && out.served && asked_ready;
  assign not_served_o = out_valid && !out.served;

  gather_server u_server (
    .clk_i,
    .rst_ni,
    .base_i,
    .stride_i,
    .pr_valid_i  (out_valid && out.served),
    .pr_ready_o  (asked_ready),
    .pr_i        (asked),
    .read_valid_o,
    .read_ready_i,
    .read_o,
    .data_valid_i,
    .data_i,
    .pr_valid_o,
    .pr_ready_i,
    .pr_o
  );

endmodule
