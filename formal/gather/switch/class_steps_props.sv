// gather_classes: which beat goes into which queue, with what beside it, when packets are thrown
// away and when a class is paused, whatever the queues hold.
//
// The queues have a proof of their own (prim_fifo_ram), and that whoever fits finds room is proved
// with a stand-in (gather_classes). Here what they show is left out of the circuit and free.
module class_steps_props
  import gather_pkg::*;
#(
  parameter int unsigned Beats = 16,
  parameter int unsigned Headroom = 6,
  parameter int unsigned MaxBeats = 4
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               valid_i,
  input packet_t            packet_i,
  input packet_beat_t       data_i,
  input logic [3:0]         target_i,
  input logic [5:0]         out_port_i,
  input logic [Classes-1:0] ready_i
);

  packet_t              look;
  logic   [Classes-1:0] valid, pause, no_room;
  enter_t [Classes-1:0] out;

  gather_classes #(
    .Beats   (Beats),
    .Headroom(Headroom),
    .MaxBeats(MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .packet_i,
    .data_i,
    .look_o    (look),
    .target_i,
    .out_port_i,
    .valid_o   (valid),
    .ready_i,
    .out_o     (out),
    .pause_o   (pause),
    .no_room_o (no_room)
  );

  // What came in one and two cycles ago, and what was in the queues a cycle ago.
  logic         [1:0]          past_q;
  logic                        started_q, run_q;
  logic         [2:1]          valid_q;
  packet_t      [2:1]          packet_q;
  packet_beat_t [2:1]          data_q;
  logic         [Classes-1:0][31:0] count, count_q;
  // The beat before the one of two cycles ago: it did not end its packet; it was kept.
  logic                        inside_q, kept_q;

  // In, and out, of each queue.
  logic   [Classes-1:0] put;
  enter_t [Classes-1:0] in;
  for (genvar c = 0; c < Classes; c++) begin : gen_queue
    assign count[c] = 32'(u_dut.gen_class[c].u_queue.count_o);
    assign put[c]   = u_dut.gen_class[c].u_queue.in_valid_i;
    assign in[c]    = u_dut.gen_class[c].u_queue.in_i;
    always_ff @(posedge clk_i) begin
      // What leaves a queue is its class's, and it waits for its class's pipe alone.
      a_out : assert (valid[c] == u_dut.gen_class[c].u_queue.out_valid_o &&
                      out[c] == u_dut.gen_class[c].u_queue.out_o &&
                      u_dut.gen_class[c].u_queue.out_ready_i == ready_i[c] &&
                      u_dut.gen_class[c].u_queue.rst_ni == rst_ni)
      else $error("class %0d", c);
      // A class is paused while less than `Headroom` of its queue was free a cycle ago,
      a_pause : assert (!past_q[0] || !run_q || pause[c] == (Beats - count_q[c] < Headroom) ||
                        count_q[c] > Beats)
      else $error("class %0d: %0d are inside", c, count_q[c]);
      // and behind a reset.
      a_stop : assert (!past_q[0] || run_q || pause[c])
      else $error("class %0d may be sent behind a reset", c);
    end
  end

  // The oldest beat that is inside: its class, whether it begins a packet, and whether there was
  // room for the longest one, and one beat more that may have been on its way.
  logic which, begins, enough, keeps;
  assign which  = packet_q[2].response;
  assign begins = !inside_q;
  assign enough = count_q[which] < Beats - MaxBeats - 1;
  assign keeps  = begins ? enough : kept_q;

  // A frame of one PR: its first beat, and those from where the PRs begin: header and property of
  // the PR, with its pad, and the ICRC.
  logic        valid_length;   // even, and not longer than a property can be
  logic [11:0] stop;
  logic [31:0] alone;
  assign valid_length = !packet_q[2].len[0] && packet_q[2].len <= 11'(MaxLen);
  assign stop  = 12'(PrStart + PrBytes) + (packet_q[2].response ? 12'(packet_q[2].len) : 12'd0);
  assign alone = 1 + (32'(stop) + 32'(pad_bytes(stop)) + IcrcBytes + BeatBytes - 1) / BeatBytes;

  initial {started_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    past_q    <= {past_q[0], 1'b1};
    run_q     <= rst_ni;
    // The first cycle is one of reset. Dropped: beats are inside that nobody sent.
    e_reset : assume (started_q || !rst_ni);
    valid_q  <= {valid_q[1], valid_i};
    packet_q <= {packet_q[1], packet_i};
    data_q   <= {data_q[1], data_i};
    count_q  <= count;
    if (valid_q[2]) begin
      inside_q <= !data_q[2].last;
      kept_q   <= keeps;
    end
    if (!rst_ni) begin
      valid_q  <= '0;
      inside_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The packet of the cycle before is shown, for the pipe to be chosen that it goes to.
    a_look : assert (!past_q[0] || look == packet_q[1])
    else $error("another packet is shown");
    if (rst_ni) begin
      // Two cycles after it came a beat goes into the queue of its class, if there was room for
      // the longest packet when its packet began; else it is not kept.
      a_put : assert (put == (!valid_q[2] || !keeps ? 2'b00 : which ? 2'b10 : 2'b01))
      else $error("beats go to %b", put);
      // A packet that finds none is counted when its first beat does, in its class.
      a_refused : assert (no_room ==
                          (!valid_q[2] || keeps || !begins ? 2'b00 : which ? 2'b10 : 2'b01))
      else $error("refused: %b", no_room);
      // What is remembered of the beat before is so (helps the proof).
      a_line : assert (u_dut.first_q == begins && (begins || u_dut.fits_q == kept_q))
      else $error("inside a packet: %b", inside_q);
    end
    // The first packet is kept, the one behind it is not, of a queue that has just filled.
    c_full : cover (rst_ni && no_room == 2'b10 && inside_q == 1'b0 && kept_q && pause == 2'b10);
  end

  for (genvar k = 0; k < Classes; k++) begin : gen_same
    always_ff @(posedge clk_i) begin
      // What goes into a queue is what came in, beside the pipe and port that are named now.
      a_same : assert (past_q != '1 || !put[k] ||
                       (in[k].packet == packet_q[2] && in[k].data == data_q[2] &&
                        in[k].target == target_i && in[k].out_port == out_port_i))
      else $error("another beat goes into queue %0d", k);
      // With it stands what is kept for its packet: the beats of a frame for each of its PRs.
      a_kept : assert (past_q != '1 || !put[k] || !valid_length ||
                       in[k].kept == 9'(32'(packet_q[2].count) * alone))
      else $error("%0d beats are kept", in[k].kept);
    end
  end

endmodule
