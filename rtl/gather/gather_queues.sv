// What every concatenation queue holds: one port that reads and then writes, one that only reads.
//
// What is written in the cycle of a read is in what was read. Nobody waits; an answer stands one
// cycle later, until the next read.
module gather_queues #(
  /// What a queue holds.
  parameter type T = logic [7:0],
  /// Queues. Power of two.
  parameter int unsigned NumQueues = 32,
  localparam int unsigned QueueW = $clog2(NumQueues)
) (
  input logic clk_i,

  input logic              write_i,
  input logic [QueueW-1:0] write_queue_i,
  input T                  write_data_i,

  // Two readers.
  input  logic [1:0]             read_i,
  input  logic [1:0][QueueW-1:0] read_queue_i,
  output T [1:0]                 read_data_o
);

  for (genvar r = 0; r < 2; r++) begin : gen_reader
    T     read, written_q;
    logic forward_q;

    prim_ram_1r1w #(
      .Width  ($bits(T)),
      .Depth  (NumQueues),
      .Latency(1)
    ) u_ram (
      .clk_i,
      .we_i   (write_i),
      .waddr_i(write_queue_i),
      .wdata_i(write_data_i),
      .re_i   (read_i[r]),
      .raddr_i(read_queue_i[r]),
      .rdata_o(read)
    );

    always_ff @(posedge clk_i) begin
      if (read_i[r]) begin
        forward_q <= write_i && read_queue_i[r] == write_queue_i;
        written_q <= write_data_i;
      end
    end
    assign read_data_o[r] = forward_q ? written_q : read;
  end

endmodule
