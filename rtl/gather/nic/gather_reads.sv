// The reads of other nodes: those of what is served wait here for the server; others are dropped,
// so that no packet, however it was made, reads what is no property of this node.
//
// It exists so that responses behind reads are taken whatever the server waits for: the queue has
// room for all reads that can come, if it is long enough.
//
// Who waits: reads that come in while the queue is full; those in it for the server.
module gather_reads
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

  // What is served; where it lies is the server's business.
  // verilator lint_off UNUSEDSIGNAL
  input serve_t serve_i,
  // verilator lint_on UNUSEDSIGNAL
  // Of the properties that are served; reads of another one are dropped: who sent them has had the
  // property from another try since then.
  input logic [15:0] generation_i,

  // Reads of nodes that exist.
  input  logic pr_valid_i,
  output logic pr_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  pr_t  pr_i,
  // verilator lint_on UNUSEDSIGNAL

  // To the server, without the node that was asked, which is this one.
  output logic read_valid_o,
  input  logic read_ready_i,
  output pr_t  read_o,

  // Pulses: a read goes to the server; one is dropped.
  output logic served_o,
  output logic not_served_o
);

  // What of a read is not the same for all of them.
  typedef struct packed {
    logic [NodeW-1:0] src;
    logic [15:0]      tid;
    logic [63:0]      idx;
    logic [31:0]      id;
    logic [15:0]      generation;
    logic [10:0]      len;
  } read_t;

  // And whether it is of what is served.
  typedef struct packed {
    logic  served;
    read_t read;
  } entry_t;

  logic [63:0] end_q;   // where the columns that are served end
  entry_t      in, head;
  read_t       read;
  logic        head_valid, head_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(ReadQueue+1)-1:0] count;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) end_q <= serve_i.first + 64'(serve_i.count);

  assign in = '{served: pr_i.idx >= serve_i.first && pr_i.idx < end_q &&
                        pr_i.generation == generation_i &&
                        16'(pr_i.len) <= 16'd1 << serve_i.stride,
                read: '{src: pr_i.src[NodeW-1:0], tid: pr_i.tid, idx: pr_i.idx, id: pr_i.id,
                        generation: pr_i.generation, len: pr_i.len}};

  prim_fifo_ram #(
    .T    (entry_t),
    .Depth(ReadQueue)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i (pr_valid_i),
    .in_ready_o (pr_ready_o),
    .in_i       (in),
    .out_valid_o(head_valid),
    .out_ready_i(head_ready || !head.served),
    .out_o      (head),
    .count_o    (count)
  );

  // Whether the server takes a read depends on its address and on memory; the queue does not wait
  // to see that.
  prim_skid #(
    .T(read_t)
  ) u_first (
    .clk_i,
    .rst_ni,
    .in_valid_i (head_valid && head.served),
    .in_ready_o (head_ready),
    .in_i       (head.read),
    .out_valid_o(read_valid_o),
    .out_ready_i(read_ready_i),
    .out_o      (read)
  );

  assign read_o       = '{response: 1'b0, cacheable: 1'b0, src: 32'(read.src), dest: '0,
                          tid: read.tid, idx: read.idx, id: read.id, generation: read.generation,
                          len: read.len};
  assign served_o     = head_valid && head.served && head_ready;
  assign not_served_o = head_valid && !head.served;

endmodule
