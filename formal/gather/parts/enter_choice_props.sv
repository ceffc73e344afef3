// gather_enter around its queue of turns and its skid buffer, at four ports, as pipe 5: which
// packet is chosen and when, what room is asked for, and whose beats are taken. How many turns
// wait, which is the first, and what the buffer says are anything.
module enter_choice_props
  import gather_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic   [7:0]     valid_i,
  input enter_t [7:0]     in_i,
  input logic [1:0][3:0]  open_i,
  input logic             data_ready_i,
  input logic [2:0]       queue_i   // any
);

  localparam int unsigned Waiting = 8;

  logic [7:0]   taken;
  logic         enters, response, packet_valid;
  logic [1:0]   out_port;
  logic [8:0]   kept;
  packet_t      packet;
  packet_beat_t data;

  gather_enter #(
    .NumPorts(4),
    .Pipe    (5)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .in_i,
    .taken_o       (taken),
    .open_i,
    .enters_o      (enters),
    .response_o    (response),
    .out_port_o    (out_port),
    .kept_o        (kept),
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_o        (data),
    .data_ready_i
  );

  // What the queue of turns and the buffer say.
  logic [2:0] turns, from;
  logic       first, ready;   // a turn is the first; the buffer takes a beat
  enter_t     out;
  assign turns = u_dut.turns;
  assign from  = u_dut.from;
  assign first = u_dut.active;
  assign ready = u_dut.ready;
  assign out   = u_dut.out;

  // ---------------------------------------------------------------------------------------------
  // Of each queue: it has its turn, or waits for it; it wants one.

  logic             started_q, may, any, beat, last;
  logic [7:0]       turn_q, wants_q, grant;
  logic [2:0]       number, number_q;
  logic [4:1]       chose_q;   // so many cycles ago a packet was chosen
  logic [4:1]       long_q;    // and it was a long one

  for (genvar r = 0; r < Waiting; r++) begin : gen_queue
    logic ends;   // the last beat of its packet is taken
    assign ends = beat && last && from == 3'(r);
    always_ff @(posedge clk_i) begin
      // It wants one if its packet is for this pipe, has not got one yet, and is of a class that is
      // open where it leaves.
      wants_q[r] <= valid_i[r] && in_i[r].target == 4'd5 && !turn_q[r] &&
          ((r < 4) ? open_i[0][in_i[r].out_port[1:0]] : open_i[1][in_i[r].out_port[1:0]]);
      if (may && grant[r]) turn_q[r] <= 1'b1;
      else if (ends) turn_q[r] <= 1'b0;
      if (!rst_ni) {wants_q[r], turn_q[r]} <= '0;
    end
  end

  prim_arb_rr #(
    .N(Waiting)
  ) u_order (
    .clk_i,
    .rst_ni,
    .req_i    (wants_q),
    .advance_i(may),
    .gnt_o    (grant),
    .idx_o    (number),
    .valid_o  (any)
  );

  // One is chosen if not more than two wait, none was in the cycle before, and no long one was in
  // the four cycles before.
  assign may  = turns <= 3'd2 && !chose_q[1] && long_q == '0;
  assign beat = first && ready && valid_i[from];
  assign last = in_i[from].data.last;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: it begins in the middle of a choice.
    e_reset : assume (started_q || !rst_ni);
    chose_q  <= {chose_q[3:1], may && any};
    long_q   <= {long_q[3:1], may && any && 32'(in_i[number].kept) >= ShortKept};
    number_q <= number;
    if (!rst_ni) {chose_q, long_q} <= '0;
  end

  // Room is asked for of the one that was chosen in the cycle before.
  logic [17:0] asked;
  always_comb begin
    asked = '0;
    if (chose_q[1]) begin
      asked = {1'b1, number_q[2], in_i[number_q].out_port, 1'b0, in_i[number_q].kept};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet was chosen: room is to be kept for what its first beat says, of its class at the
      // port that it leaves by; else nothing is asked for.
      a_asks : assert ({enters, response, out_port, kept} ==
                       {asked[17:16], asked[11:10], asked[8:0]})
      else $error("room for %0d beats is asked for, not %0d", kept, asked[8:0]);
      // It goes behind those that wait for their turn.
      a_turn : assert (u_dut.u_turns.in_valid_i == chose_q[1] &&
                       (!chose_q[1] || u_dut.u_turns.in_i == number_q))
      else $error("queue %0d has a turn", u_dut.u_turns.in_i);
      // These help the proof.
      a_same : assert (u_dut.request_q == wants_q && u_dut.held_q == turn_q &&
                       u_dut.u_arbiter.before_q == u_order.before_q)
      else $error("other queues want a turn");
      a_chosen : assert (u_dut.chosen_q == (chose_q[1] ? 8'd1 << number_q : 8'd0) &&
                         (u_dut.chosen_q & ~u_dut.short_q) == (long_q[1] ? u_dut.chosen_q : '0) &&
                         u_dut.blocked_q == {long_q[2], long_q[3], long_q[4]})
      else $error("%b were chosen", u_dut.chosen_q);

      // The last queue has a long packet; it is chosen two cycles behind another one.
      c_last : cover (chose_q[1] && number_q == 3'd7 && long_q[1]);
      c_next : cover (any && may && chose_q[2] && number == 3'd7);
    end
    // A beat is taken of the queue that has the first turn, when the buffer takes one, and of no
    // other; its last one ends the turn.
    a_taken : assert (taken[queue_i] == (first && ready && from == queue_i))
    else $error("queue %0d: %b", queue_i, taken[queue_i]);
    a_ends : assert (u_dut.u_turns.out_ready_i == (beat && last))
    else $error("the turn of queue %0d ends", from);
    // What goes into the buffer is that beat, and what comes out of it enters.
    a_beat : assert (u_dut.u_taken.in_valid_i == (first && valid_i[from]) &&
                     (from != queue_i || u_dut.u_taken.in_i == in_i[queue_i]))
    else $error("another beat than that of queue %0d", from);
    a_enters : assert (packet == out.packet && data == out.data)
    else $error("another packet enters");
  end

endmodule
