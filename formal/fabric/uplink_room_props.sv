// uplink_room: no frame that it hands over is longer than the longest, whatever comes.
module uplink_room_props #(
    parameter int unsigned NumQueues = 2,
    parameter int unsigned Depth = 8,
    parameter int unsigned MaxBeats = 3
) (
    input logic                 clk_i,
    input logic                 rst_ni,
    input logic                 in_valid_i,
    input logic                 in_last_i,
    input logic                 in_bad_i,
    input logic [NumQueues-1:0] in_to_i,
    input logic [NumQueues-1:0] out_ready_i
);

  localparam int unsigned BeatsW = $clog2(MaxBeats + 2);

  logic [NumQueues-1:0] out_valid, out_last;
  logic                             started_q;
  logic [NumQueues-1:0]             longer;
  logic [NumQueues-1:0][BeatsW-1:0] beats_q;  // of the frame that leaves, those that have left
  initial started_q = 1'b0;

  uplink_room #(
    .NumQueues(NumQueues),
    .Depth    (Depth),
    .MaxBeats (MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_last_i,
    .in_bad_i,
    .in_to_i,
    .in_i       ('0),
    .taken_o    (),
    .drop_room_o(),
    .drop_long_o(),
    .drop_bad_o (),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (),
    .level_o    ()
  );

  always_comb begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      longer[q] = out_valid[q] && !out_last[q] && beats_q[q] >= BeatsW'(MaxBeats - 1);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (out_valid[q] && out_ready_i[q]) begin
        beats_q[q] <= out_last[q] ? '0 : beats_q[q] + 1'b1;
      end
    end
    if (!rst_ni) begin
      beats_q <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // No frame that is handed over is longer than the longest; else it would not fit behind,
      // where room for the longest is set aside.
      a_longest : assert (longer == '0)
      else $error("a frame of queues %b is longer than the longest", longer);
      // The longest one leaves.
      c_longest : cover (out_valid[0] && out_last[0] && beats_q[0] == BeatsW'(MaxBeats - 1));
    end
  end

endmodule
