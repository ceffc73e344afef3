// gather_room: the credit of any queue of six, whatever is kept and comes back. (That it is never
// more than what is free, whoever makes frames, is gather_hold's proof.)
module room_credits_props
  import gather_pkg::*;
#(
  parameter int unsigned Queues = 6,
  parameter int unsigned Beats = 512,
  localparam int unsigned QueueW = $clog2(Queues),
  localparam int unsigned RoomW = $clog2(Beats + 1)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              keep_i,
  input logic [QueueW-1:0] keep_queue_i,
  input logic [8:0]        keep_beats_i,
  input logic              turn_i,
  input logic [QueueW-1:0] turn_queue_i,
  input logic [4:0]        turn_beats_i,
  input logic              made_i,
  input logic [QueueW-1:0] made_queue_i,
  input logic [8:0]        made_beats_i,
  input logic              left_i,
  input logic [QueueW-1:0] left_queue_i,
  input logic [QueueW-1:0] queue_i   // any
);

  logic [Queues-1:0][RoomW-1:0] room;

  gather_room #(
    .Queues(Queues),
    .Beats (Beats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .keep_i,
    .keep_queue_i,
    .keep_beats_i,
    .turn_i,
    .turn_queue_i,
    .turn_beats_i,
    .made_i,
    .made_queue_i,
    .made_beats_i,
    .left_i,
    .left_queue_i,
    .room_o(room)
  );

  // What comes back is told three cycles before it is seen; nothing that is told in a reset counts,
  // nor in the cycle in front of one.
  typedef struct packed {
    logic [2:0]             valid;
    logic [2:0][QueueW-1:0] queue;
    logic [2:0][8:0]        beats;
  } back_t;

  back_t [3:0]                  back;
  back_t [2:0]                  back_q;
  logic [2:0]                   past_q;    // so many cycles have gone by
  logic [2:0]                   run_q;     // no reset, so many cycles ago
  logic                         keep_q;
  logic [QueueW-1:0]            keep_queue_q, queue;
  logic [8:0]                   keep_beats_q;
  logic [Queues-1:0][RoomW-1:0] room_q;
  logic [RoomW-1:0]             more, less;

  assign back[0] = '{
    valid: {left_i, made_i, turn_i},
    queue: {left_queue_i, made_queue_i, turn_queue_i},
    beats: {9'd1, made_beats_i, 9'(turn_beats_i)}
  };
  assign back[3:1] = back_q;
  assign queue     = (32'(queue_i) < Queues) ? queue_i : '0;
  always_comb begin
    more = '0;
    less = '0;
    for (int unsigned i = 0; i < 3; i++) begin
      if (run_q[2:1] == '1 && back[3].valid[i] && back[3].queue[i] == queue) begin
        more += RoomW'(back[3].beats[i]);
      end
    end
    if (keep_q && keep_queue_q == queue) less = RoomW'(keep_beats_q);
  end

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q       <= {past_q[1:0], 1'b1};
    run_q        <= {run_q[1:0], rst_ni};
    back_q       <= back[2:0];
    keep_q       <= keep_i;
    keep_queue_q <= keep_queue_i;
    keep_beats_q <= keep_beats_i;
    room_q       <= room;
  end

  always_ff @(posedge clk_i) begin
    // Behind a reset all of any queue is free.
    a_all : assert (!past_q[0] || run_q[0] || 32'(room[queue]) == Beats)
    else $error("queue %0d: %0d are free", queue, room[queue]);
    // From then on what is kept of it is free no more in the next cycle, and all that comes back
    // is, of whoever tells it; nothing else changes it.
    a_step : assert (past_q != '1 || !run_q[0] || room[queue] == room_q[queue] - less + more)
    else $error("queue %0d: %0d are free, %0d were", queue, room[queue], room_q[queue]);

    // The last queue is given back what three told of in one cycle, while some of it is kept.
    c_three : cover (32'(queue) == Queues - 1 && past_q == '1 && run_q == '1 && less == 9 &&
                     back[3].valid == '1 && more == 7);
  end

endmodule
