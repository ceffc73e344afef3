// gather_hold between its ports: where beats are written, which frames wait, whose turn is next and
// what becomes of a frame whose turn it is. One queue of eight is followed, whatever ports ask for
// and however frames come. What the memory answers is anything, so a frame ends anywhere.
module hold_turns_props
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic            in_valid_i,
  input beat_t           in_i,
  input frame_tag_t      in_tag_i,
  input logic [3:0]      ask_i,
  input logic [3:0]      ask_response_i,
  input logic [1:0][3:0] give_up_i,
  input logic [2:0]      queue_i   // any
);

  localparam int unsigned NumPorts = 4;
  localparam int unsigned Queues = 8;
  localparam int unsigned Beats = 8;

  logic [1:0][3:0] waits;
  logic [3:0]      taken;
  stopped_obs_t    stopped;
  logic            out_valid, made, left;
  beat_t           out;
  logic [1:0]      out_port;
  logic [2:0]      made_queue, left_queue;
  logic [8:0]      made_beats;

  gather_hold #(
    .NumPorts(NumPorts),
    .Beats   (Beats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_i,
    .in_tag_i,
    .waits_o     (waits),
    .ask_i,
    .ask_response_i,
    .taken_o     (taken),
    .give_up_i,
    .stopped_o   (stopped),
    .out_valid_o (out_valid),
    .out_o       (out),
    .out_port_o  (out_port),
    .made_o      (made),
    .made_queue_o(made_queue),
    .made_beats_o(made_beats),
    .left_o      (left),
    .left_queue_o(left_queue)
  );

  // What the memory answers.
  beat_t      held;
  logic [7:0] held_count;
  assign {held, held_count} = u_dut.u_ram.rdata_o;

  // ---------------------------------------------------------------------------------------------
  // Of one queue: beats that came, as of now and of a cycle ago, and that have left; of the frame
  // that comes: its beats so far.

  logic       started_q;
  logic [2:0] queue_q, in_queue;
  logic [3:0] came_q, known_q, gone, gone_q;
  logic       waited_q;
  logic [8:0] length_q;

  assign in_queue = {in_tag_i.response, in_tag_i.out_port[1:0]};
  assign gone     = gone_q + 4'(left && left_queue == queue_q);

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: it begins in the middle of a frame.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) queue_q <= queue_i;
    came_q   <= came_q + 4'(in_valid_i && in_queue == queue_q);
    known_q  <= came_q;
    gone_q   <= gone;
    waited_q <= came_q != gone;
    if (in_valid_i) length_q <= in_i.last ? 9'd0 : length_q + 9'd1;
    if (!rst_ni) {came_q, gone_q, waited_q, length_q} <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Whose turn is next. Who asks for a class of which a frame waits wants a turn, but not in the
  // cycle in which its turn has come; and so does a queue that is given up.

  logic [3:0] wants, send_gnt;
  logic [7:0] dead_q, throw_gnt;
  logic       want, dead, sends, throws, still;
  logic [1:0] send_port;
  logic [2:0] throw_queue;

  // A turn was chosen and has not begun; a frame is read, or was in one of the last two cycles; the
  // last turn was to throw a frame away, and it is not known yet what that has left.
  logic       turn_q, turn_throws_q, last_threw_q, unknown_q, reading_q, read1_q, read2_q;
  logic [2:0] turn_queue_q;
  logic [3:0] told_q;
  // The frame that is read.
  logic       frame_throws_q, reads, begins, got_q, ends;
  logic [2:0] frame_queue_q;
  logic [3:0] place_q;   // the next beat that is read of the queue that is followed

  for (genvar p = 0; p < NumPorts; p++) begin : gen_wants
    assign wants[p] = ask_i[p] && !taken[p] && (ask_response_i[p] ? waits[1][p] : waits[0][p]);
  end
  assign want  = wants != '0;
  assign dead  = dead_q != '0;
  assign still = !turn_q && !reading_q && !read1_q && !read2_q;

  always_comb begin
    sends  = want;
    throws = dead;
    // One turn at a time is chosen ahead; to throw away, only when nothing is under way.
    if (turn_q) sends = 1'b0;
    if (!still) throws = 1'b0;
    // While something is thrown away nobody is sent anything.
    if (unknown_q && !still) sends = 1'b0;
    // If both are wanted they take turns.
    if (want && dead && last_threw_q) throws = 1'b0;
    if (want && dead && !last_threw_q) sends = 1'b0;
  end

  prim_arb_rr #(
    .N(NumPorts)
  ) u_ports (
    .clk_i,
    .rst_ni,
    .req_i    (wants),
    .advance_i(sends),
    .gnt_o    (send_gnt),
    .idx_o    (send_port),
    .valid_o  ()
  );

  prim_arb_rr #(
    .N(Queues)
  ) u_dead (
    .clk_i,
    .rst_ni,
    .req_i    (dead_q),
    .advance_i(throws),
    .gnt_o    (throw_gnt),
    .idx_o    (throw_queue),
    .valid_o  ()
  );

  // A turn begins when the frame in front has ended.
  assign reads  = u_dut.u_ram.re_i;
  assign ends   = got_q && held.last;
  assign begins = turn_q && (!reading_q || ends);

  always_ff @(posedge clk_i) begin
    dead_q  <= give_up_i & waits;
    told_q  <= sends ? send_gnt : '0;
    read1_q <= reading_q;
    read2_q <= read1_q;
    if (begins) turn_q <= 1'b0;
    if (still) unknown_q <= 1'b0;
    if (sends || throws) begin
      turn_q        <= 1'b1;
      turn_throws_q <= throws;
      turn_queue_q  <= throws ? throw_queue : {ask_response_i[send_port], send_port};
      last_threw_q  <= throws;
      unknown_q     <= throws;
    end
    // Beats are read until the last one has come back; the one behind it does not count.
    got_q <= reads && !ends;
    if (reads && !ends) place_q <= place_q + 4'd1;
    if (ends) reading_q <= 1'b0;
    if (begins) begin
      reading_q      <= 1'b1;
      frame_throws_q <= turn_throws_q;
      frame_queue_q  <= turn_queue_q;
      place_q        <= gone;
    end
    if (!rst_ni) begin
      {dead_q, told_q, read1_q, read2_q, turn_q} <= '0;
      {last_threw_q, unknown_q, reading_q, got_q} <= '0;
    end
  end

  // What came back in the cycle before.
  logic       sent_q, threw_q, gone_now_q;
  logic [2:0] from_q;
  beat_t      beat_q;
  logic [7:0] count_q;
  always_ff @(posedge clk_i) begin
    gone_now_q        <= got_q;
    sent_q            <= got_q && !frame_throws_q;
    threw_q           <= ends && frame_throws_q;
    from_q            <= frame_queue_q;
    {beat_q, count_q} <= {held, held_count};
    if (!rst_ni) {gone_now_q, sent_q, threw_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    // A beat is written behind those of its class and port that came before, its frame's PRs beside
    // it; nothing is in reset.
    a_writes : assert (u_dut.u_ram.we_i == (rst_ni && in_valid_i) && (!u_dut.u_ram.we_i ||
        u_dut.u_ram.wdata_i == {in_i, in_tag_i.count} && u_dut.u_ram.waddr_i[5:3] == in_queue))
    else $error("queue %0d is written", u_dut.u_ram.waddr_i[5:3]);
    a_at : assert (!u_dut.u_ram.we_i || in_queue != queue_q ||
                   u_dut.u_ram.waddr_i[2:0] == came_q[2:0])
    else $error("place %0d is written", u_dut.u_ram.waddr_i[2:0]);
    if (rst_ni) begin
      // With a frame's last beat it is told what of the room kept for it it did not need.
      a_made : assert (made == (in_valid_i && in_i.last) && (!made || (made_queue == in_queue &&
                       made_beats + length_q + 9'd1 == in_tag_i.kept)))
      else $error("queue %0d: %0d beats are given back", made_queue, made_beats);
      // A queue waits in which a cycle ago more had come than had left.
      a_waits : assert (waits[queue_q[2]][queue_q[1:0]] == waited_q)
      else $error("queue %0d waits: %b", queue_q, !waited_q);
      // The ports that are told that their turn has come.
      a_told : assert (taken == told_q && $onehot0(taken))
      else $error("%b are told, not %b", taken, told_q);
      // Where beats are read: of the frame whose turn it is, as long as there are some that were
      // written a cycle ago.
      a_reads : assert ((!reads || reading_q) && (!reading_q || frame_queue_q != queue_q ||
                                                  reads == (place_q != known_q)))
      else $error("queue %0d is read: %b", frame_queue_q, reads);
      a_place : assert (!reads || (u_dut.u_ram.raddr_i[5:3] == frame_queue_q &&
                        (frame_queue_q != queue_q || u_dut.u_ram.raddr_i[2:0] == place_q[2:0])))
      else $error("place %0d is read", u_dut.u_ram.raddr_i[2:0]);
      // A beat that came back leaves by its frame's port, as it is, or is thrown away.
      a_leaves : assert (out_valid == sent_q && (!out_valid || (out == beat_q &&
                                                                 out_port == from_q[1:0])))
      else $error("a beat leaves by port %0d", out_port);
      // Its room is free in either case.
      a_left : assert (left == gone_now_q && (!left || left_queue == from_q))
      else $error("a beat of queue %0d has left", left_queue);
      // A frame that is thrown away is told once, with its class and its PRs.
      a_stopped : assert (stopped.valid == threw_q && (!threw_q ||
                          (stopped.response == from_q[2] && stopped.count == count_q)))
      else $error("%0d PRs are thrown away", stopped.count);
      // These help the proof.
      a_same : assert (u_dut.write_q[queue_q] == came_q && u_dut.read_q[queue_q] == gone &&
                       u_dut.length_q == length_q && u_dut.throws_q == dead_q &&
                       u_dut.u_asks.before_q == u_ports.before_q &&
                       u_dut.u_throws.before_q == u_dead.before_q)
      else $error("another order");
      a_turn : assert ({u_dut.next_q, u_dut.threw_q, u_dut.throwing_q, u_dut.active_q, u_dut.got_q,
                        u_dut.settle_q} ==
                       {turn_q, last_threw_q, unknown_q, reading_q, got_q, read1_q, read2_q} &&
                       (!turn_q || (u_dut.next_queue == turn_queue_q &&
                                    u_dut.next_throw_q == turn_throws_q)))
      else $error("another turn");
      a_frame : assert (!(reading_q || got_q) || (u_dut.queue_q == frame_queue_q &&
                        u_dut.throw_q == frame_throws_q &&
                        (frame_throws_q || u_dut.port_q == frame_queue_q[1:0]) &&
                        u_dut.response_q == frame_queue_q[2] && (!got_q || reading_q) &&
                        (frame_queue_q != queue_q || !reading_q ||
                         (u_dut.fetch_q == place_q && u_dut.written_q == known_q))))
      else $error("another frame");

      // A frame of the last queue leaves; one is thrown away.
      c_leaves : cover (queue_q == 3'd7 && out_valid && out.last && from_q == queue_q &&
                        gone == 4'd3);
      c_thrown : cover (stopped.valid && stopped.response && queue_q == from_q && gone == 4'd2);
    end
  end

endmodule
