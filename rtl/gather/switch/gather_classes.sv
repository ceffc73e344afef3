// Packets that came in at a port, in two queues: reads and responses. Each waits for the middle
// pipe that its first packet goes to, and neither for the other.
//
// Nobody in front is ever refused: while less than `Headroom` beats of a queue are free `pause_o`
// asks the other end of the cable for no more of that class. A packet that finds no room even so is
// thrown away as a whole, and counted.
//
// Who waits: packets of a class for those of their class in front of them.
module gather_classes
  import gather_pkg::*;
#(
  /// Beats of each class. Power of two.
  parameter int unsigned Beats = 2048,
  /// Beats that may still come when a class was paused: those of the cable there and back, of a
  /// frame, and of the FIFOs in front of this.
  parameter int unsigned Headroom = 1024,
  /// Beats of the longest packet, from its second one on.
  parameter int unsigned MaxBeats = 24
) (
  input logic clk_i,
  input logic rst_ni,

  // Well-formed packets, as gather_accept shows them.
  input logic         valid_i,
  input packet_t      packet_i,
  input packet_beat_t data_i,
  // The packet that came in the cycle before; in the cycle behind this, the pipe and the port that
  // it goes to.
  output packet_t     look_o,
  input  logic [3:0]  target_i,
  input  logic [5:0]  out_port_i,

  // By class: beats for the pipes, and no more of it is to be sent.
  output logic   [Classes-1:0] valid_o,
  input  logic   [Classes-1:0] ready_i,
  output enter_t [Classes-1:0] out_o,
  output logic   [Classes-1:0] pause_o,

  // Pulses, by class: a packet was thrown away.
  output logic [Classes-1:0] no_room_o
);

  localparam int unsigned CountW = $clog2(Beats + 1);

  // What is kept for its PRs is known two cycles later.
  logic       valid1_q, valid2_q, first_q, fits_q, fits, class2;
  logic [4:0] alone1_q;
  enter_t     in1_q, in2_q, in2;
  logic               enough2_q;   // for a packet of its class
  logic [Classes-1:0] put, ready, enough;
  logic [Classes-1:0][CountW-1:0] count;

  assign look_o = in1_q.packet;
  assign class2 = in2_q.packet.response;
  assign fits   = first_q ? enough2_q : fits_q;

  always_ff @(posedge clk_i) begin
    valid1_q <= valid_i;
    in1_q    <= '{packet: packet_i, data: data_i, target: '0, out_port: '0, kept: '0};
    alone1_q <= alone_beats(packet_i.response, packet_i.len);
    valid2_q <= valid1_q;
    in2_q    <= in1_q;
    in2_q.kept <= kept_beats(in1_q.packet.count, alone1_q);
    enough2_q <= enough[in1_q.packet.response];
    if (valid2_q) begin
      first_q <= in2_q.data.last;
      fits_q  <= fits;
    end
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      first_q  <= 1'b1;
    end
  end

  always_comb begin
    in2          = in2_q;
    in2.target   = target_i;
    in2.out_port = out_port_i;
  end

  for (genvar c = 0; c < Classes; c++) begin : gen_class
    assign put[c]       = valid2_q && fits && class2 == 1'(c);
    assign no_room_o[c] = valid2_q && first_q && !fits && class2 == 1'(c);

    prim_fifo_ram #(
      .T     (enter_t),
      .Depth (Beats),
      .Around(1'b0)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (put[c]),
      .in_ready_o (ready[c]),
      .in_i       (in2),
      .out_valid_o(valid_o[c]),
      .out_ready_i(ready_i[c]),
      .out_o      (out_o[c]),
      .count_o    (count[c])
    );

    // One more may be taken before that is seen.
    assign enough[c] = 32'(count[c]) + MaxBeats + 1 < Beats;

    always_ff @(posedge clk_i) begin
      pause_o[c] <= 32'(count[c]) + Headroom > Beats;
      if (!rst_ni) pause_o[c] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Whoever was found to fit finds room; else half a packet would go on.
      a_room : assert ((put & ~ready) == '0)
      else $error("%m: no room for a beat of class %b", put);
    end
  end

endmodule
