// The reads of other nodes: those of what is served wait here for the server; others are dropped,
// so that no packet, however it was made, reads what is no property of this node.
//
// It exists so that responses behind reads are taken whatever the server waits for. A queue for
// all reads that all nodes may have under way would be too long; so the network is told to send no
// more reads while half of the queue is in use. The other half is for what is under way by then:
// on 450 ns of a cable of 400 Gb/s, there and back, 2,500 reads. Who sends on for longer loses
// reads, which is counted, and never holds up a response.
//
// Who waits: reads in the queue for the server, and whoever sends reads while it is half full.
module gather_reads
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Reads that may wait. Power of two, 8 or more.
  parameter int unsigned ReadQueue = 8192,
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

  // Reads of nodes that exist; they never wait.
  input  logic pr_valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input  pr_t  pr_i,
  // verilator lint_on UNUSEDSIGNAL

  // To the server, without the node that was asked, which is this one.
  output logic read_valid_o,
  input  logic read_ready_i,
  output pr_t  read_o,

  // Level: reads are to stop. It falls when a quarter of the queue is in use.
  output logic pause_o,

  // Pulses: a read goes to the server; one is dropped, as it is of what is not served, or for want
  // of room.
  output logic served_o,
  output logic not_served_o,
  output logic no_room_o
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
  logic        in_valid_q;
  entry_t      in_q, head;
  read_t       read;
  logic        head_valid, head_ready, room;
  logic [$clog2(ReadQueue+1)-1:0] count;

  always_ff @(posedge clk_i) begin
    if (32'(count) >= ReadQueue / 2) pause_o <= 1'b1;
    if (32'(count) < ReadQueue / 4) pause_o <= 1'b0;
    if (!rst_ni) pause_o <= 1'b0;
  end

  always_ff @(posedge clk_i) end_q <= serve_i.first + 64'(serve_i.count);

  always_ff @(posedge clk_i) begin
    in_valid_q <= pr_valid_i && rst_ni;
    in_q <= '{served: pr_i.idx >= serve_i.first && pr_i.idx < end_q &&
                      pr_i.generation == generation_i &&
                      16'(pr_i.len) <= 16'd1 << serve_i.stride,
              read: '{src: pr_i.src[NodeW-1:0], tid: pr_i.tid, idx: pr_i.idx, id: pr_i.id,
                      generation: pr_i.generation, len: pr_i.len}};
  end

  prim_fifo_ram #(
    .T    (entry_t),
    .Depth(ReadQueue)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_valid_q),
    .in_ready_o (room),
    .in_i       (in_q),
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
  assign no_room_o    = in_valid_q && !room;

endmodule
