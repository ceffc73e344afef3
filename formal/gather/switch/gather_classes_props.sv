// gather_classes: what goes into a queue is what came in, whole packets one behind the other, and
// says how many beats are kept for its packet: those of each of its PRs as if it left alone. So
// what holds of packets that come in, and of their order, holds of those that middle pipes take.
// The queues themselves have a proof of their own (prim_fifo_ram); here they are anything.
module gather_classes_props
  import gather_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input packet_t    packet_i,
  input logic       last_i,
  input logic [3:0] target_i,
  input logic [5:0] out_port_i
);

  logic             started_q, whole;
  packet_beat_t     data;
  assign data = '{last: last_i, data: '0};

  gather_classes #(
    .Beats   (512),
    .Headroom(192),
    .MaxBeats(18)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .packet_i,
    .data_i    (data),
    .look_o    (),
    .target_i,
    .out_port_i,
    .valid_o   (),
    .ready_i   ('0),
    .out_o     (),
    .pause_o   (),
    .no_room_o ()
  );

  // What came in one and two cycles ago.
  logic    [2:1] valid_q, last_q;
  packet_t [2:1] packet_q;
  // Of the packet that came in last, and that came two cycles before.
  logic    half_q, begun_q, kept_q;
  packet_t half_packet_q, begun_packet_q;
  logic    [Classes-1:0] open_q;     // a queue has some beats of a packet, but not its last one
  packet_t [Classes-1:0] open_packet_q;

  assign whole = !valid_i || !half_q || packet_i == half_packet_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: half a packet is there that nobody sent.
    e_reset : assume (started_q || !rst_ni);
    // All beats of a packet say the same of it. Dropped: a queue has half a packet.
    e_packet : assume (!rst_ni || whole);
    valid_q  <= {valid_q[1], valid_i};
    last_q   <= {last_q[1], last_i};
    packet_q <= {packet_q[1], packet_i};
    if (valid_i) begin
      half_q        <= !last_i;
      half_packet_q <= packet_i;
    end
    for (int unsigned c = 0; c < Classes; c++) begin
      if (u_dut.put[c]) begin
        open_q[c]        <= !u_dut.in2.data.last;
        open_packet_q[c] <= u_dut.in2.packet;
      end
    end
    if (valid_q[2]) begin
      begun_q        <= !last_q[2];
      begun_packet_q <= packet_q[2];
      kept_q         <= u_dut.put != '0;
    end
    if (!rst_ni) begin
      valid_q <= '0;
      half_q  <= 1'b0;
      open_q  <= '0;
      begun_q <= 1'b0;
    end
  end

  logic [31:0] kept;
  assign kept = 32'(u_dut.in2.packet.count) *
      32'(alone_beats(u_dut.in2.packet.response, u_dut.in2.packet.len));

  // Beats under way say the same as those in front of them of their packet, from the oldest to the
  // newest; and a queue has half a packet if that is just going into it. These help the proof.
  logic    line, along, goes;
  packet_t in_front;
  always_comb begin
    line = u_dut.valid1_q == valid_q[1] && u_dut.valid2_q == valid_q[2] &&
        u_dut.first_q == !begun_q && (!begun_q || u_dut.fits_q == kept_q) &&
        (!valid_q[1] || (u_dut.in1_q.packet == packet_q[1] && u_dut.in1_q.data.last == last_q[1] &&
                         u_dut.alone1_q == alone_beats(packet_q[1].response, packet_q[1].len))) &&
        (!valid_q[2] || (u_dut.in2_q.packet == packet_q[2] && u_dut.in2_q.data.last == last_q[2]));
    along    = 1'b1;
    goes     = begun_q;
    in_front = begun_packet_q;
    for (int i = 2; i > 0; i--) begin
      if (valid_q[i]) begin
        along    = along && (!goes || packet_q[i] == in_front);
        goes     = !last_q[i];
        in_front = packet_q[i];
      end
    end
    along = along && half_q == goes && (!goes || half_packet_q == in_front);
    for (int unsigned c = 0; c < Classes; c++) begin
      along = along && open_q[c] == (begun_q && kept_q && begun_packet_q.response == 1'(c)) &&
          (!open_q[c] || open_packet_q[c] == begun_packet_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A beat goes into the queue of its class, beside what came with it, or is not kept.
      a_same : assert (u_dut.put == '0 || (valid_q[2] && u_dut.in2.packet == packet_q[2] &&
                                           u_dut.in2.data.last == last_q[2] &&
                                           u_dut.put == (packet_q[2].response ? 2'b10 : 2'b01)))
      else $error("another beat goes into a queue");
      // Beside it stands what is kept for its packet: each PR's beats as if it left alone.
      a_kept : assert (u_dut.put == '0 || u_dut.in2.kept == 9'(kept))
      else $error("%0d beats are kept, not %0d", u_dut.in2.kept, kept);
      // A packet goes into a queue from its first beat to its last one, or not at all.
      a_whole : assert (!valid_q[2] || !begun_q || kept_q == (u_dut.put != '0))
      else $error("half a packet goes into a queue");
      // In a queue all beats of a packet say the same of it.
      a_packet : assert (!(u_dut.put[0] && open_q[0] && u_dut.in2.packet != open_packet_q[0]) &&
                         !(u_dut.put[1] && open_q[1] && u_dut.in2.packet != open_packet_q[1]))
      else $error("beats of two packets stand in a queue as one");
      // Beats under way are those that came in (helps the proof).
      a_line : assert (line && along)
      else $error("beats under way are others");
      // A packet of two beats is kept behind one that is not.
      c_kept : cover (u_dut.put != '0 && begun_q && last_q[2]);
      c_refused : cover (valid_q[2] && u_dut.put == '0 && begun_q);
    end
  end

endmodule
