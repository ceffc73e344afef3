// Frames that wait to leave, in one memory: a queue for each port and class.
//
// Nobody in front ever waits: for each PR on its way here room is kept beforehand (gather_room). A
// frame leaves when its port asks for one of its class, and from then on beat by beat: the port has
// room for all of it. So a port or a class whose receiver pauses holds up no other. Of a class that
// its port has given up (gather_out) frames are taken out and thrown away, one turn in two.
//
// Who waits: frames for their port to ask for them, and for each other.
module gather_hold
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
    /// Ports, 1 to 64.
    parameter int unsigned NumPorts = 4,
    /// Beats of each queue. Power of two.
    parameter int unsigned Beats = 512,
    localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1,
    localparam int unsigned Queues = Classes * NumPorts,
    localparam int unsigned QueueW = $clog2(Queues)
) (
    input logic clk_i,
    input logic rst_ni,

    // Frames, each with its tag beside all its beats. Never refused.
    input logic       in_valid_i,
    input beat_t      in_i,
    // verilator lint_off UNUSEDSIGNAL
    input frame_tag_t in_tag_i,    // ports have as many bits as the largest device needs
    // verilator lint_on UNUSEDSIGNAL

    // By class and port: frames wait, as of the cycle before. A port asks for one of a class until
    // it is taken: its turn came in the cycle before. `taken_o` may come once more in the cycle
    // behind one in which it no longer asks. It asks for another one when the last beat of the one
    // in front has come.
    output logic         [ Classes-1:0][NumPorts-1:0] waits_o,
    input  logic         [NumPorts-1:0]               ask_i,
    input  logic         [NumPorts-1:0]               ask_response_i,
    output logic         [NumPorts-1:0]               taken_o,
    // By class and port: what waits is thrown away. Observation: a frame was.
    input  logic         [ Classes-1:0][NumPorts-1:0] give_up_i,
    output stopped_obs_t                              stopped_o,

    // Beats of the frame whose turn it is.
    output logic              out_valid_o,
    output beat_t             out_o,
    output logic  [PortW-1:0] out_port_o,

    // To gather_room: what a frame did not need of what was kept for its PRs; a beat has left.
    output logic              made_o,
    output logic [QueueW-1:0] made_queue_o,
    output logic [       8:0] made_beats_o,
    output logic              left_o,
    output logic [QueueW-1:0] left_queue_o
);

  localparam int unsigned BeatW = $clog2(Beats);
  localparam int unsigned PtrW = BeatW + 1;

  typedef struct packed {
    beat_t      beat;
    logic [7:0] count;  // PRs of the frame
  } held_t;

  function automatic logic [QueueW-1:0] queue_of(logic response, logic [PortW-1:0] at);
    queue_of = QueueW'(32'(response) * NumPorts + 32'(at));
  endfunction

  // ---------------------------------------------------------------------------------------------
  // In

  logic [Queues-1:0][PtrW-1:0] write_q, read_q;
  logic [Queues-1:0] waits_q;
  logic [QueueW-1:0] in_queue;
  logic [       8:0] length_q;  // beats of the frame that comes in, before this one

  assign in_queue     = queue_of(in_tag_i.response, in_tag_i.out_port[PortW-1:0]);
  assign made_o       = in_valid_i && in_i.last;
  assign made_queue_o = in_queue;
  assign made_beats_o = in_tag_i.kept - length_q - 9'd1;

  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Queues; q++) begin
      if (in_valid_i && in_queue == QueueW'(q)) write_q[q] <= write_q[q] + PtrW'(1);
      waits_q[q] <= write_q[q] != read_q[q];
    end
    if (in_valid_i) length_q <= in_i.last ? '0 : length_q + 9'd1;
    if (!rst_ni) begin
      write_q  <= '0;
      waits_q  <= '0;
      length_q <= '0;
    end
  end

  assign waits_o = waits_q;

  // ---------------------------------------------------------------------------------------------
  // Whose turn is next. That a frame waits is seen two cycles behind the last beat that was read,
  // so nothing is thrown away, and behind it nothing leaves, before these are over. A port's own
  // frames are further apart.

  logic [NumPorts-1:0] asks;
  logic [  Queues-1:0] throws_q;
  logic choose_send, choose_throw, any_ask, any_throw, quiet;
  logic [PortW-1:0]    ask_port;
  logic [QueueW-1:0]   throw_queue;
  logic [NumPorts-1:0] ask_gnt;
  // verilator lint_off UNUSEDSIGNAL
  logic [Queues-1:0]   throw_gnt;
  // verilator lint_on UNUSEDSIGNAL

  // The next turn: it is to be thrown away; the last one was; one that is is not over.
  logic next_q, next_throw_q, threw_q, throwing_q;
  logic next_response_q;
  logic [ PortW-1:0] next_port_q;
  logic [QueueW-1:0] next_throw_queue_q, next_queue;
  logic [       1:0] settle_q;

  // A frame leaves, or is thrown away: its queue, the place of the beat that is read.
  logic active_q, throw_q, response_q, got_q, ends, load, there, fetch;
  logic  [ PortW-1:0] port_q;
  logic  [QueueW-1:0] queue_q;
  logic  [  PtrW-1:0] fetch_q, written_q;
  held_t              held;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_ask
    assign asks[p] = ask_i[p] && waits_o[ask_response_i[p]][p] && !taken_o[p];
  end

  prim_arb_rr #(
      .N(NumPorts)
  ) u_asks (
      .clk_i,
      .rst_ni,
      .req_i    (asks),
      .advance_i(choose_send),
      .gnt_o    (ask_gnt),
      .idx_o    (ask_port),
      .valid_o  (any_ask)
  );

  prim_arb_rr #(
      .N(Queues)
  ) u_throws (
      .clk_i,
      .rst_ni,
      .req_i    (throws_q),
      .advance_i(choose_throw),
      .gnt_o    (throw_gnt),
      .idx_o    (throw_queue),
      .valid_o  (any_throw)
  );

  assign quiet        = !next_q && !active_q && settle_q == '0;
  assign choose_send  = !next_q && any_ask && !(throwing_q && !quiet) && !(any_throw && !threw_q);
  assign choose_throw = quiet && any_throw && !(any_ask && threw_q);

  always_ff @(posedge clk_i) begin
    throws_q <= give_up_i & waits_o;
    taken_o  <= choose_send ? ask_gnt : '0;
    settle_q <= {active_q, settle_q[1]};
    if (quiet) throwing_q <= 1'b0;
    if (load) next_q <= 1'b0;
    if (choose_send || choose_throw) begin
      next_q       <= 1'b1;
      next_throw_q <= choose_throw;
      next_port_q  <= ask_port;
      next_response_q    <= (ask_gnt & ask_response_i) != '0;
      next_throw_queue_q <= throw_queue;
      threw_q      <= choose_throw;
      throwing_q   <= choose_throw;
    end
    if (!rst_ni) begin
      throws_q   <= '0;
      taken_o    <= '0;
      settle_q   <= '0;
      next_q     <= 1'b0;
      threw_q    <= 1'b0;
      throwing_q <= 1'b0;
    end
  end

  assign next_queue = next_throw_q ? next_throw_queue_q : queue_of(next_response_q, next_port_q);

  // ---------------------------------------------------------------------------------------------
  // Out. That a beat is the last one is seen when it was read; the one behind it is read in vain.

  assign there = active_q && fetch_q != written_q;
  assign ends  = got_q && held.beat.last;
  assign fetch = there && !ends;
  assign load  = next_q && (!active_q || ends);

  prim_ram_1r1w #(
      .Width  ($bits(held_t)),
      .Depth  (Queues * Beats),
      .Latency(1)
  ) u_ram (
      .clk_i,
      .we_i   (in_valid_i && rst_ni),
      .waddr_i({in_queue, write_q[in_queue][BeatW-1:0]}),
      .wdata_i({in_i, in_tag_i.count}),
      .re_i   (there && rst_ni),
      .raddr_i({queue_q, fetch_q[BeatW-1:0]}),
      .rdata_o(held)
  );

  always_ff @(posedge clk_i) begin
    got_q <= fetch;
    if (fetch) fetch_q <= fetch_q + PtrW'(1);
    for (int unsigned q = 0; q < Queues; q++) begin
      if (got_q && queue_q == QueueW'(q)) read_q[q] <= read_q[q] + PtrW'(1);
    end
    // What was written a cycle ago is there.
    written_q <= load ? write_q[next_queue] : write_q[queue_q];
    if (ends) active_q <= 1'b0;
    if (load) begin
      active_q   <= 1'b1;
      throw_q    <= next_throw_q;
      port_q     <= next_port_q;
      response_q <= 32'(next_queue) >= NumPorts;
      queue_q    <= next_queue;
      fetch_q    <= read_q[next_queue];
    end
    out_valid_o  <= got_q && !throw_q;
    out_o        <= held.beat;
    out_port_o   <= port_q;
    left_o       <= got_q;
    left_queue_o <= queue_q;
    stopped_o    <= '{valid: ends && throw_q, response: response_q, count: held.count};
    if (!rst_ni) begin
      active_q        <= 1'b0;
      got_q           <= 1'b0;
      read_q          <= '0;
      out_valid_o     <= 1'b0;
      left_o          <= 1'b0;
      stopped_o.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What comes finds room; else a frame would be written over another one.
      a_room :
      assert (!in_valid_i || PtrW'(write_q[in_queue] - read_q[in_queue]) < PtrW'(Beats))
      else $error("%m: no room in queue %0d", in_queue);
      // A frame takes no more than was kept for its PRs.
      a_kept :
      assert (!in_valid_i || length_q < in_tag_i.kept)
      else $error("%m: %0d beats were kept for a longer frame", in_tag_i.kept);
      // A port that asks is not given what it does not ask for.
      a_asked :
      assert (!choose_send || asks[ask_port])
      else $error("%m: port %0d did not ask", ask_port);
      // A turn begins with a frame that is there; else all would wait for one that may never come.
      a_there :
      assert (!load || write_q[next_queue] != read_q[next_queue])
      else $error("%m: the turn of queue %0d, which is empty", next_queue);
    end
  end

endmodule
