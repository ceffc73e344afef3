// gather_enter: what is said of a packet that enters stays the same to its last beat, as the beats
// of a packet are taken one behind the other from one queue; so gather_split splits all of a packet
// by one header. Beats hold no bytes here.
module gather_enter_props
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic [3:0]      valid_i,
  input packet_t [3:0]   packet_i,
  input logic [3:0]      last_i,
  input logic [3:0]      mine_i,
  input logic [3:0]      out_port_i,
  input logic [3:0][8:0] kept_i,
  input logic [3:0]      open_i,
  input logic            ready_i
);

  localparam int unsigned Waiting = 4;

  logic                 started_q, packet_valid;
  enter_t [Waiting-1:0] in, in_q;
  logic [Waiting-1:0]   taken, waits_q, half_q, same, whole;
  packet_t              packet, packet_q;
  packet_t [Waiting-1:0] half_packet_q;
  packet_beat_t         data;

  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      in[r]           = '0;
      in[r].packet    = packet_i[r];
      in[r].target    = mine_i[r] ? 4'd0 : 4'd1;
      in[r].out_port  = 6'(out_port_i[r]);
      in[r].kept      = kept_i[r];
      in[r].data.last = last_i[r];
      same[r]         = !waits_q[r] || (valid_i[r] && in[r] == in_q[r]);
      whole[r]        = !valid_i[r] || !half_q[r] || packet_i[r] == half_packet_q[r];
    end
  end

  gather_enter #(
    .NumPorts(2),
    .Pipe    (0)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .in_i          (in),
    .taken_o       (taken),
    .open_i,
    .enters_o      (),
    .response_o    (),
    .out_port_o    (),
    .kept_o        (),
    .packet_valid_o(packet_valid),
    .packet_o      (packet),
    .data_o        (data),
    .data_ready_i  (ready_i)
  );

  // What was taken in front of what is shown, or was shown and not taken: of a packet that goes on.
  logic    rest_q;
  packet_t rest_packet_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: half a packet is there that nobody sent.
    e_reset : assume (started_q || !rst_ni);
    // A beat stays until it is taken. Dropped: who was chosen is gone.
    e_stays : assume (same == '1);
    // In a queue all beats of a packet say the same of it. Dropped: it changes inside a packet.
    e_packet : assume (!rst_ni || whole == '1);
    in_q    <= in;
    waits_q <= rst_ni ? (valid_i & ~taken) : '0;
    for (int unsigned r = 0; r < Waiting; r++) begin
      if (valid_i[r] && taken[r]) begin
        half_q[r]        <= !last_i[r];
        half_packet_q[r] <= packet_i[r];
      end
    end
    packet_q <= packet;
    if (packet_valid) begin
      rest_q        <= !(ready_i && data.last);
      rest_packet_q <= packet;
    end
    if (!rst_ni) begin
      half_q <= '0;
      rest_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Of each queue: its packets that were chosen and wait for their turn. And which packet stands
  // in the skid buffer and in front of it. These help the proof.

  logic [Waiting-1:0][2:0] turns;
  logic                    along, goes;   // from the oldest beat to the newest one
  packet_t                 in_front;
  enter_t                  out, skid;

  assign out  = u_dut.u_taken.out_q;
  assign skid = u_dut.u_taken.skid_q;

  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      turns[r] = 3'(u_dut.chosen_q[r]);
      for (int unsigned i = 0; i < 4; i++) begin
        turns[r] = turns[r] + 3'(i < 32'(u_dut.u_turns.count_q) &&
                                 32'(u_dut.u_turns.mem_q[2'(u_dut.u_turns.read_q + 2'(i))]) == r);
      end
    end
    along  = 1'b1;
    goes   = rest_q;
    in_front = rest_packet_q;
    if (u_dut.u_taken.out_valid_q) begin
      along  = along && (!goes || out.packet == in_front);
      goes   = !out.data.last;
      in_front = out.packet;
    end
    if (u_dut.u_taken.skid_valid_q) begin
      along  = along && u_dut.u_taken.out_valid_q && (!goes || skid.packet == in_front);
      goes   = !skid.data.last;
      in_front = skid.packet;
    end
    // The one whose packet goes on has its turn, and nobody else is half through.
    for (int unsigned r = 0; r < Waiting; r++) begin
      if (half_q[r]) begin
        along = along && goes && u_dut.active && 32'(u_dut.from) == r &&
            half_packet_q[r] == in_front;
      end
    end
    along = along && (!goes || half_q != '0);
  end

  for (genvar r = 0; r < Waiting; r++) begin : gen_queue
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A queue has one turn, from when its packet is chosen until its last beat is taken.
        a_turn : assert (turns[r] == 3'(u_dut.held_q[r]) &&
                         !(u_dut.request_q[r] && u_dut.held_q[r] && !u_dut.chosen_q[r]) &&
                         (!u_dut.request_q[r] || valid_i[r]))
        else $error("queue %0d has %0d turns", r, turns[r]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // All beats of a packet that enters say the same of it.
      a_packet : assert (!packet_valid || !rest_q || packet == rest_packet_q)
      else $error("a packet is another one in front of its last beat");
      // What enters is a beat that was taken, and as it came: of one queue at a time.
      a_taken : assert ((valid_i & taken) == ((u_dut.valid && u_dut.ready) ?
                                              Waiting'(1) << u_dut.from : '0) &&
                        u_dut.taken == in[u_dut.from])
      else $error("beats %b are taken of queue %0d", valid_i & taken, u_dut.from);
      // Beats of one packet follow each other.
      a_along : assert (along)
      else $error("beats of another packet");
      // The turn that is shown is the first one.
      a_first : assert ((!u_dut.u_turns.valid_q || u_dut.u_turns.gen_head.head_q ==
                         u_dut.u_turns.mem_q[u_dut.u_turns.read_q]) &&
                        2'(u_dut.u_turns.write_q - u_dut.u_turns.read_q) ==
                        u_dut.u_turns.count_q[1:0] &&
                        u_dut.entered_q == (u_dut.chosen_q != '0))
      else $error("the turn of queue %0d is shown", u_dut.from);
      // A packet of two beats goes on behind one of another queue.
      c_two : cover (packet_valid && rest_q && packet_q == packet && data.last && ready_i);
      c_other : cover (packet_valid && !rest_q && packet != rest_packet_q && ready_i &&
                       32'(u_dut.u_turns.count_q) == 2);
    end
  end

endmodule
