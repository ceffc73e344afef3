// Closed packets on their way out of concatenation: to the storage that holds their PRs, and to
// whoever makes their headers.
//
// It exists because both have to learn of a packet in the same cycle and in the same order, and not
// before its last PR is written, ClosedAfter cycles after it was closed; and because whoever may
// close a packet has to know beforehand that both have room.
//
// Who waits: nobody here. `room_o` is seen a cycle later by those who let a PR into the pipeline,
// two cycles later by those who let in what is due, and the packets of all that is in it by then
// find room.
module gather_closed
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Bits of a unit of storage.
  parameter int unsigned UnitW = 8,
  /// Packets that may wait here, and in storage. Power of two, 16 or more.
  parameter int unsigned Closed = 16,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned QueueW = NodeW + 1,
  localparam int unsigned ClosedW = $clog2(Closed + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulse: a packet is closed. Never refused.
  input logic     closed_valid_i,
  // Numbers have as many bits as the largest device needs.
  // verilator lint_off UNUSEDSIGNAL
  input closing_t closed_i,
  // verilator lint_on UNUSEDSIGNAL

  // To storage, ClosedAfter cycles later; and how many packets wait there.
  output logic               store_valid_o,
  input  logic               store_ready_i,
  output logic [11:0]        store_stop_o,
  output logic [UnitW-1:0]   store_first_o,
  input  logic [ClosedW-1:0] store_count_i,

  // Closed packets for gather_frame, in the same order.
  output logic    packet_valid_o,
  input  logic    packet_ready_i,
  output closed_t packet_o,

  // There was room for eight packets more in the cycle before.
  output logic room_o,
  // Level: a packet is on its way to storage.
  output logic busy_o
);

  // verilator lint_off UNUSEDSIGNAL
  closing_t           record1_q, record2_q;
  // verilator lint_on UNUSEDSIGNAL
  logic               record1_valid_q, record2_valid_q, shown_ready;
  logic [ClosedW-1:0] shown_count;
  closed_t            shown;

  always_ff @(posedge clk_i) begin
    record1_valid_q <= closed_valid_i;
    record1_q       <= closed_i;
    record2_valid_q <= record1_valid_q;
    record2_q       <= record1_q;
    if (!rst_ni) begin
      record1_valid_q <= 1'b0;
      record2_valid_q <= 1'b0;
    end
  end

  assign store_valid_o = record2_valid_q;
  assign store_stop_o  = record2_q.stop;
  assign store_first_o = record2_q.first[UnitW-1:0];
  assign shown         = '{response: record2_q.which[QueueW-1],
                           dest: 32'(record2_q.which[NodeW-1:0]),
                           generation: record2_q.generation, len: record2_q.len,
                           count: record2_q.count, stop: record2_q.stop};

  prim_fifo #(
    .T    (closed_t),
    .Depth(Closed)
  ) u_shown (
    .clk_i,
    .rst_ni,
    .in_valid_i (record2_valid_q),
    .in_ready_o (shown_ready),
    .in_i       (shown),
    .out_valid_o(packet_valid_o),
    .out_ready_i(packet_ready_i),
    .out_o      (packet_o),
    .count_o    (shown_count)
  );

  // Each that is in the pipeline may close a packet, and two more are let in before this is seen.
  always_ff @(posedge clk_i) begin
    room_o <= 32'(store_count_i) <= Closed - 8 && 32'(shown_count) <= Closed - 8;
    if (!rst_ni) room_o <= 1'b0;
  end

  assign busy_o = closed_valid_i || record1_valid_q || record2_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A closed packet finds room; else its PRs would be lost.
      a_record : assert (!record2_valid_q || (store_ready_i && shown_ready))
      else $error("%m: no room for a closed packet");
    end
  end

endmodule
