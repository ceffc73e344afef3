// A port's way out: asks the pipes for frames, one at a time, of a class that its receiver takes,
// and keeps each until it has left.
//
// A frame is asked for when there is room for all of it here, so a receiver that stops in the
// middle of a frame stops this port alone. The pause watchdog: a class that has frames and could
// send nothing for `pause_limit_i` cycles, because it is paused or because the receiver takes no
// beat, is given up. Its frames are thrown away until the receiver takes again.
//
// Who waits: frames for the receiver.
module gather_out
  import roce_pkg::*;
  import gather_pkg::*;
#(
    /// Pipes, 1 to 16.
    parameter int unsigned NumPipes = 2,
    /// Beats of the longest frame.
    parameter int unsigned MaxBeats = 24,
    localparam int unsigned PipeW = (NumPipes > 1) ? $clog2(NumPipes) : 1
) (
    input logic clk_i,
    input logic rst_ni,

    // Cycles until a class is given up, 0: never. By class: the receiver wants no more for now, of
    // which a frame and what is in here may still come.
    input logic [       31:0] pause_limit_i,
    input logic [Classes-1:0] pause_i,

    // By pipe, and class: frames wait for this port. One of a class is asked for, until it is taken
    // or not wanted any more; in the next cycle it may be taken even so.
    input  logic [NumPipes-1:0][Classes-1:0] waits_i,
    output logic [NumPipes-1:0]              ask_o,
    output logic                             ask_response_o,
    input  logic [NumPipes-1:0]              taken_i,
    output logic [ Classes-1:0]              give_up_o,

    // Its beats. Never refused.
    input logic  in_valid_i,
    input beat_t in_i,

    // Frames without FCS.
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [ BeatBits-1:0] m_axis_tdata,
    output logic [BeatBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,

    // Pulses, by class: it is given up.
    output logic [Classes-1:0] gives_up_o
);

  localparam int unsigned Choices = Classes * NumPipes;
  localparam int unsigned ChoiceW = $clog2(Choices);
  localparam int unsigned Depth = 2 ** $clog2(2 * MaxBeats);
  localparam int unsigned CountW = $clog2(Depth + 1);

  // ---------------------------------------------------------------------------------------------
  // What is asked for

  logic [Choices-1:0] request;
  logic asking, settle_q, busy_q, any, room_q, choose, taken;
  logic [ChoiceW-1:0] choice;
  logic [  PipeW-1:0] pipe_q;
  logic [ CountW-1:0] count;
  logic [Choices-1:0] gnt;

  always_comb begin
    for (int unsigned c = 0; c < Classes; c++) begin
      for (int unsigned m = 0; m < NumPipes; m++) begin
        request[c*NumPipes+m] = waits_i[m][c] && !pause_i[c];
      end
    end
  end

  assign choose = !asking && !settle_q && !busy_q && room_q;

  prim_arb_rr #(
      .N(Choices)
  ) u_choice (
      .clk_i,
      .rst_ni,
      .req_i    (request),
      .advance_i(choose),
      .gnt_o    (gnt),
      .idx_o    (choice),
      .valid_o  (any)
  );

  assign asking = ask_o != '0;
  assign taken = taken_i != '0;

  always_ff @(posedge clk_i) begin
    // The latest beat is not counted yet.
    room_q   <= 32'(count) + 1 + MaxBeats <= Depth;
    settle_q <= 1'b0;
    if (choose && any) begin
      for (int unsigned m = 0; m < NumPipes; m++) begin
        ask_o[m] <= gnt[m] || gnt[NumPipes+m];
      end
      ask_response_o <= 32'(choice) >= NumPipes;
      pipe_q         <= PipeW'((32'(choice) >= NumPipes) ? 32'(choice) - NumPipes : 32'(choice));
    end else if (taken) begin
      ask_o  <= '0;
      busy_q <= 1'b1;
    end else if (pause_i[ask_response_o] || !waits_i[pipe_q][ask_response_o]) begin
      ask_o    <= '0;  // it is paused, or what waited was thrown away
      settle_q <= asking;
    end
    if (in_valid_i && in_i.last) busy_q <= 1'b0;
    if (!rst_ni) begin
      ask_o    <= '0;
      settle_q <= 1'b0;
      busy_q   <= 1'b0;
      room_q   <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Until it has left

  logic put_ready, frame_valid, frame_ready;
  beat_t frame;

  prim_fifo #(
      .T    (beat_t),
      .Depth(Depth)
  ) u_frames (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o (put_ready),
      .in_i,
      .out_valid_o(frame_valid),
      .out_ready_i(frame_ready),
      .out_o      (frame),
      .count_o    (count)
  );

  gather_axis u_axis (
      .clk_i,
      .rst_ni,
      .in_valid_i(frame_valid),
      .in_ready_o(frame_ready),
      .in_i      (frame),
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast
  );

  // ---------------------------------------------------------------------------------------------
  // The pause watchdog

  logic [Classes-1:0] waits, blocked_q;
  logic [Classes-1:0][31:0] still_q;

  always_comb begin
    waits = '0;
    for (int unsigned m = 0; m < NumPipes; m++) waits |= waits_i[m];
  end

  for (genvar c = 0; c < Classes; c++) begin : gen_watch
    assign gives_up_o[c] = blocked_q[c] && !give_up_o[c] && pause_limit_i != '0 &&
        still_q[c] >= pause_limit_i;

    always_ff @(posedge clk_i) begin
      blocked_q[c] <= pause_i[c] || (m_axis_tvalid && !m_axis_tready);
      if (!blocked_q[c]) begin
        still_q[c]   <= '0;
        give_up_o[c] <= 1'b0;
      end else begin
        if (waits[c] && !give_up_o[c] && still_q[c] != '1) still_q[c] <= still_q[c] + 32'd1;
        if (gives_up_o[c]) give_up_o[c] <= 1'b1;
      end
      if (!rst_ni) begin
        blocked_q[c] <= 1'b0;
        give_up_o[c] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame that was asked for finds room; else a beat of it would be lost.
      a_room :
      assert (!in_valid_i || put_ready)
      else $error("%m: no room for a beat");
      // One frame is taken at a time; else there might be no room for the second one.
      a_taken :
      assert (!taken || (!busy_q && (asking || settle_q)))
      else $error("%m: a frame is taken that nobody asked for");
      // Nobody sends what was not asked for.
      a_asked :
      assert (!in_valid_i || busy_q)
      else $error("%m: a beat that nobody asked for");
    end
  end

endmodule
