// How many beats are free of each queue of gather_hold, as a credit: kept before PRs go where
// nobody may wait for them, given back as it is known what they take and as that leaves.
//
// Who waits: nobody.
module gather_room
  import gather_pkg::*;
#(
    /// Queues.
    parameter  int unsigned Queues = 8,
    /// Beats of each. Power of two.
    parameter  int unsigned Beats  = 512,
    localparam int unsigned QueueW = $clog2(Queues),
    localparam int unsigned RoomW  = $clog2(Beats + 1)
) (
    input logic clk_i,
    input logic rst_ni,

    // Pulse: beats are kept. Counts from the next cycle on.
    input logic              keep_i,
    input logic [QueueW-1:0] keep_queue_i,
    input logic [       8:0] keep_beats_i,
    // Pulses: what a read or its response does not need is given back; what a frame did not need of
    // what was kept for its PRs; a beat has left. They count two cycles later.
    input logic              turn_i,
    input logic [QueueW-1:0] turn_queue_i,
    input logic [       4:0] turn_beats_i,
    input logic              made_i,
    input logic [QueueW-1:0] made_queue_i,
    input logic [       8:0] made_beats_i,
    input logic              left_i,
    input logic [QueueW-1:0] left_queue_i,

    // Credit of each queue: beats that may still be kept for it.
    output logic [Queues-1:0][RoomW-1:0] room_o
);

  logic turn_q, made_q, left_q;
  logic [QueueW-1:0] turn_queue_q, made_queue_q, left_queue_q;
  logic [       4:0]            turn_beats_q;
  logic [       8:0]            made_beats_q;
  // What comes back.
  logic [Queues-1:0][RoomW-1:0] back, back_q;

  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      back[q] = RoomW'(left_q && left_queue_q == QueueW'(q)) +
          ((turn_q && turn_queue_q == QueueW'(q)) ? RoomW'(turn_beats_q) : RoomW'(0)) +
          ((made_q && made_queue_q == QueueW'(q)) ? RoomW'(made_beats_q) : RoomW'(0));
    end
  end

  always_ff @(posedge clk_i) begin
    turn_q       <= turn_i;
    turn_queue_q <= turn_queue_i;
    turn_beats_q <= turn_beats_i;
    made_q       <= made_i;
    made_queue_q <= made_queue_i;
    made_beats_q <= made_beats_i;
    left_q       <= left_i;
    left_queue_q <= left_queue_i;
    back_q       <= back;
    for (int unsigned q = 0; q < Queues; q++) begin
      room_o[q] <= room_o[q] + back_q[q] -
          ((keep_i && keep_queue_i == QueueW'(q)) ? RoomW'(keep_beats_i) : RoomW'(0));
    end
    if (!rst_ni) begin
      turn_q <= 1'b0;
      made_q <= 1'b0;
      left_q <= 1'b0;
      back_q <= '0;
      for (int unsigned q = 0; q < Queues; q++) room_o[q] <= RoomW'(Beats);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nobody keeps what is not free; else frames would be written over others.
      a_keep :
      assert (!keep_i || 32'(room_o[keep_queue_i]) >= 32'(keep_beats_i))
      else $error("%m: %0d beats are kept, %0d are free", keep_beats_i, room_o[keep_queue_i]);
      // No more comes back than was kept.
      a_back :
      assert (32'(room_o[0]) <= Beats)
      else $error("%m: %0d of %0d beats are free", room_o[0], Beats);
    end
  end

endmodule
