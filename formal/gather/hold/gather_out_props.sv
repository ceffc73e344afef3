// gather_out with two pipes: a receiver that pauses a class, or stops in the middle of a frame,
// stops nothing but what it does not take.
module gather_out_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic [1:0]      pause_i,
  input logic [1:0][1:0] waits_i,
  input logic [1:0]      serve_i,
  input logic            beat_i,
  input logic            last_i,
  input logic            ready_i,
  input logic            limit_i
);

  localparam int unsigned MaxBeats = 4;

  logic       started_q, ask_response, tvalid, tlast, last;
  logic [1:0] ask, taken_q, give_up, gives_up, pause_q;
  logic       comes_q;    // a frame was taken, and is not wholly here
  logic [2:0] length_q;   // beats of it that are
  beat_t      beat;

  // A pipe serves a port that asks, at some time, and says so in the next cycle, whatever the port
  // does; then the frame comes, one of four beats or less.
  assign last  = last_i || length_q == 3'(MaxBeats - 1);
  always_comb begin
    beat      = '0;
    beat.last = last;
  end

  gather_out #(
    .NumPipes(2),
    .MaxBeats(MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pause_limit_i (limit_i ? 32'd2 : 32'd0),
    .pause_i,
    .waits_i,
    .ask_o         (ask),
    .ask_response_o(ask_response),
    .taken_i       (taken_q),
    .give_up_o     (give_up),
    .in_valid_i    (comes_q && beat_i),
    .in_i          (beat),
    .m_axis_tvalid (tvalid),
    .m_axis_tready (ready_i),
    .m_axis_tdata  (),
    .m_axis_tkeep  (),
    .m_axis_tlast  (tlast),
    .gives_up_o    (gives_up)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: a frame comes that nobody asked for.
    e_reset : assume (started_q || !rst_ni);
    pause_q <= pause_i;
    taken_q <= ask & serve_i & ~taken_q;
    if (taken_q != '0) begin
      comes_q  <= 1'b1;
      length_q <= '0;
    end else if (comes_q && beat_i) begin
      comes_q  <= !last;
      length_q <= length_q + 3'd1;
    end
    if (!rst_ni) begin
      taken_q  <= '0;
      comes_q  <= 1'b0;
      length_q <= '0;
    end
  end

  logic [1:0] idle_q;   // cycles in which something could be asked for, and nothing is
  logic       could;
  assign could = !comes_q && u_dut.room_q && ask == '0 && !u_dut.settle_q &&
      ((waits_i[0] | waits_i[1]) & ~pause_i) != '0;

  always_ff @(posedge clk_i) begin
    idle_q <= could ? idle_q + 2'd1 : '0;
    if (!rst_ni) idle_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // No class is asked for that was paused in the cycle before: what is paused never fills the
      // way out of the other class.
      a_asks : assert (ask == '0 || !pause_q[ask_response])
      else $error("class %0d is asked for and paused", ask_response);
      // One frame is asked for at a time, and none while another one comes; so there is room for
      // all of it.
      a_one : assert ($onehot0(ask) && (ask == '0 || !comes_q))
      else $error("%b are asked while a frame comes", ask);
      // If a class waits that is not paused, and there is room, something is asked for at once.
      a_goes_on : assert (idle_q <= 2'd1)
      else $error("nothing was asked for in %0d cycles", idle_q);
      // A class is given up while the other one leaves.
      c_given_up : cover (give_up[0] && tvalid && ready_i && tlast);
      // The way out is full.
      c_full : cover (32'(u_dut.count) >= 7);
    end
  end

endmodule
