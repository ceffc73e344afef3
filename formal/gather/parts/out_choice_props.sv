// gather_out around its queue and gather_axis, with three pipes: which frame is asked for and how
// long, what leaves to the receiver, and when a class is given up, whatever pipes and the receiver
// do. How many beats are inside, which is the oldest, and what the receiver is shown, are anything.
module out_choice_props
  import roce_pkg::*;
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic [31:0]     limit_i,
  input logic [1:0]      pause_i,
  input logic [2:0][1:0] waits_i,
  input logic [2:0]      taken_i,
  input logic            in_valid_i,
  input beat_t           in_i,
  input logic            ready_i
);

  localparam int unsigned NumPipes = 3;
  localparam int unsigned MaxBeats = 5;
  localparam int unsigned Depth = 16;   // places for two frames, as a power of two

  logic [2:0] ask;
  logic       response, tvalid, tlast;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;
  logic [1:0] give_up, gives_up;

  gather_out #(
    .NumPipes(NumPipes),
    .MaxBeats(MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pause_limit_i (limit_i),
    .pause_i,
    .waits_i,
    .ask_o         (ask),
    .ask_response_o(response),
    .taken_i,
    .give_up_o     (give_up),
    .in_valid_i,
    .in_i,
    .m_axis_tvalid (tvalid),
    .m_axis_tready (ready_i),
    .m_axis_tdata  (tdata),
    .m_axis_tkeep  (tkeep),
    .m_axis_tlast  (tlast),
    .gives_up_o    (gives_up)
  );

  // ---------------------------------------------------------------------------------------------
  // What is asked for. Reads of pipe 0, 1, 2 are wishes 0, 1, 2, responses are 3, 4, 5.

  logic       started_q, may, any, gone;
  logic [5:0] wishes;
  logic [2:0] wish, wish_q;      // whose turn it is; which is asked for
  logic       asks_q;            // one is
  logic       withdrawn_q;       // it was, to the cycle before: its frame may come even so
  logic       comes_q;           // a frame was taken, and its last beat has not come
  logic       room_q;            // a cycle ago there was room for a frame and one beat

  assign wishes = {waits_i[2][1], waits_i[1][1], waits_i[0][1],
                   waits_i[2][0], waits_i[1][0], waits_i[0][0]} &
      {{3{!pause_i[1]}}, {3{!pause_i[0]}}};
  assign may = !asks_q && !withdrawn_q && !comes_q && room_q;

  prim_arb_rr #(
    .N(6)
  ) u_order (
    .clk_i,
    .rst_ni,
    .req_i    (wishes),
    .advance_i(may),
    .gnt_o    (),
    .idx_o    (wish),
    .valid_o  (any)
  );

  // What is asked for is paused, or does not wait any more.
  assign gone = !wishes[wish_q];

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: it begins with two classes asked for.
    e_reset : assume (started_q || !rst_ni);
    room_q      <= 32'(u_dut.u_frames.count_o) + MaxBeats < Depth;
    withdrawn_q <= asks_q && taken_i == '0 && gone;
    if (may && any) begin
      asks_q <= 1'b1;
      wish_q <= wish;
    end else if (taken_i != '0 || gone) begin
      asks_q <= 1'b0;
    end
    if (!(may && any) && taken_i != '0) comes_q <= 1'b1;
    if (in_valid_i && in_i.last) comes_q <= 1'b0;
    if (!rst_ni) {asks_q, withdrawn_q, comes_q, room_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One frame is asked for, of one pipe and one class, or none: the one whose turn came, until
      // it is taken or not wanted.
      a_asks : assert (ask == (asks_q ? 3'd1 << (wish_q % 3) : 3'd0) &&
                       (!asks_q || response == (wish_q >= 3'd3)))
      else $error("%b are asked for", ask);
      // This helps the proof.
      a_same : assert ({u_dut.settle_q, u_dut.busy_q, u_dut.room_q} ==
                       {withdrawn_q, comes_q, room_q} && u_dut.u_choice.before_q == u_order.before_q
                       && (!asks_q || (wish_q < 3'd6 && u_dut.pipe_q == 2'(wish_q % 3))))
      else $error("another order");
      // The last pipe's response is asked for and withdrawn.
      c_withdrawn : cover (ask == 3'b100 && response && gone);
    end
    // What comes goes into the queue, and what is its oldest leaves.
    a_through : assert (u_dut.u_frames.in_valid_i == in_valid_i && u_dut.u_frames.in_i == in_i &&
                        u_dut.u_axis.in_valid_i == u_dut.u_frames.out_valid_o &&
                        u_dut.u_axis.in_i == u_dut.u_frames.out_o &&
                        u_dut.u_frames.out_ready_i == u_dut.u_axis.in_ready_o)
    else $error("another beat");
    // The receiver is shown that, and takes it.
    a_receiver : assert (tvalid == u_dut.u_axis.m_axis_tvalid &&
                         tlast == u_dut.u_axis.m_axis_tlast &&
                         tdata == u_dut.u_axis.m_axis_tdata &&
                         tkeep == u_dut.u_axis.m_axis_tkeep &&
                         u_dut.u_axis.m_axis_tready == ready_i)
    else $error("another beat is shown");
    // All parts are reset.
    a_reset : assert ({u_dut.u_frames.rst_ni, u_dut.u_axis.rst_ni, u_dut.u_choice.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
  end

  // ---------------------------------------------------------------------------------------------
  // The watchdog of each class: it stands if it was paused in the cycle before, or if the receiver
  // has then refused a beat.

  for (genvar c = 0; c < 2; c++) begin : gen_class
    logic        stands_q, given_q, time_is_up;
    logic [31:0] waited_q;   // cycles in which it stood and had a frame

    assign time_is_up = stands_q && !given_q && limit_i != 32'd0 && waited_q >= limit_i;

    always_ff @(posedge clk_i) begin
      stands_q <= rst_ni && (pause_i[c] || (tvalid && !ready_i));
      given_q  <= rst_ni && stands_q && (given_q || time_is_up);
      if (!stands_q) waited_q <= 32'd0;
      else if (!given_q && waited_q != 32'hFFFF_FFFF &&
               (waits_i[0][c] || waits_i[1][c] || waits_i[2][c])) begin
        waited_q <= waited_q + 32'd1;
      end
      if (rst_ni) begin
        // It is given up when it has stood for that long with frames, once, and until it goes on.
        a_gives : assert (gives_up[c] == time_is_up && give_up[c] == given_q)
        else $error("class %0d: given up %b", c, give_up[c]);
        // This helps the proof.
        a_stands : assert (u_dut.blocked_q[c] == stands_q &&
                           (!stands_q || u_dut.still_q[c] == waited_q))
        else $error("class %0d has waited for %0d cycles", c, waited_q);
        // It is given up for pauses alone.
        c_given : cover (give_up[c] && !tvalid);
      end
    end
  end

endmodule
