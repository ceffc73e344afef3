// Which packet enters a middle pipe next: of those that wait for it at all ports, in both classes,
// one after the other of those for which there is room where they leave.
//
// Room is kept as a packet is chosen, for each of its PRs as if it left alone. So whatever is in a
// pipe finds room where it leaves, and never stands in the way of what leaves by another port or is
// of the other class. What is in the way of one class at one port holds up nobody else.
//
// Four steps: who may enter, of the first packets of all queues; one of those is chosen, while the
// one in front still enters; room is kept for it; its beats are taken. One packet every other
// cycle, of different queues, which is as many as gather_split begins; of one queue the next one
// begins four cycles behind the last beat of the one in front. What a packet took is seen in
// `open_i` when two more may have been chosen, so these are short ones: nothing is chosen in the
// four cycles behind one for which ShortKept or more beats are kept.
//
// Who waits: packets for each other, and for room for their class at their port.
module gather_enter
  import gather_pkg::*;
#(
  /// Ports, 1 to 64.
  parameter int unsigned NumPorts = 4,
  /// The number of this pipe.
  parameter int unsigned Pipe = 0,
  localparam int unsigned Waiting = Classes * NumPorts,
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Beats at the ports, by class and port. A packet keeps the pipe to its last beat.
  input  logic   [Waiting-1:0] valid_i,
  input  enter_t [Waiting-1:0] in_i,
  output logic   [Waiting-1:0] taken_o,

  // By class and port that packets leave by: there was room for the longest packet, and for what
  // may be kept before that is seen. And a packet was chosen in the cycle before: room is to be
  // kept for it.
  input  logic [Classes-1:0][NumPorts-1:0] open_i,
  output logic                             enters_o,
  output logic                             response_o,
  output logic [PortW-1:0]                 out_port_o,
  output logic [8:0]                       kept_o,

  // The packet's beats, for gather_split.
  output logic         packet_valid_o,
  output packet_t      packet_o,
  output packet_beat_t data_o,
  input  logic         data_ready_i
);

  localparam int unsigned FromW = $clog2(Waiting);
  /// Packets that are chosen and not wholly taken.
  localparam int unsigned Turns = 4;
  localparam int unsigned TurnW = $clog2(Turns + 1);

  // ---------------------------------------------------------------------------------------------
  // Who may enter: its packet is for this pipe, there is room for it, it was not chosen yet.

  logic [Waiting-1:0] request_q, short_q, held_q, grant, chosen, chosen_q, ended;
  logic [2:0]         blocked_q;
  logic               any, choose, entered_q;
  logic [FromW-1:0]   from, from_d;
  logic [TurnW-1:0]   turns;
  // verilator lint_off UNUSEDSIGNAL
  logic [FromW-1:0]   next;   // it is made of `chosen_q`, a cycle later
  logic               turn_ready;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      request_q[r] <= valid_i[r] && in_i[r].target == 4'(Pipe) && !held_q[r] &&
          open_i[r/NumPorts][in_i[r].out_port[PortW-1:0]];
      short_q[r]   <= 32'(in_i[r].kept) < ShortKept;
    end
    entered_q <= choose && any;
    held_q    <= (held_q & ~ended) | chosen;
    chosen_q  <= chosen;
    blocked_q <= {(chosen_q & ~short_q) != '0, blocked_q[2:1]};
    if (!rst_ni) begin
      request_q <= '0;
      entered_q <= 1'b0;
      held_q    <= '0;
      chosen_q  <= '0;
      blocked_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One of them is chosen, and room is kept for it.

  prim_arb_rr #(
    .N(Waiting)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (request_q),
    .advance_i(choose),
    .gnt_o    (grant),
    .idx_o    (next),
    .valid_o  (any)
  );

  // One may be on its way to the others that wait for their turn. In the cycle behind a choice
  // requests are not yet without it, and whether it is a long one is only being seen.
  assign choose = turns < TurnW'(Turns - 1) && blocked_q == '0 && !entered_q;
  assign chosen = choose ? grant : '0;

  assign enters_o = entered_q;
  always_comb begin
    from_d     = '0;
    response_o = 1'b0;
    out_port_o = '0;
    kept_o     = '0;
    for (int unsigned r = 0; r < Waiting; r++) begin
      if (chosen_q[r]) begin
        from_d     = from_d | FromW'(r);
        response_o = response_o | (r >= NumPorts);
        out_port_o = out_port_o | in_i[r].out_port[PortW-1:0];
        kept_o     = kept_o | in_i[r].kept;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Its beats are taken.

  logic   active, ready, valid, ends;
  // verilator lint_off UNUSEDSIGNAL
  enter_t taken, out;   // it has entered
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (logic [FromW-1:0]),
    .Depth(Turns),
    .Head (1'b1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .in_valid_i (entered_q),
    .in_ready_o (turn_ready),
    .in_i       (from_d),
    .out_valid_o(active),
    .out_ready_i(ends),
    .out_o      (from),
    .count_o    (turns)
  );

  assign taken = in_i[from];
  assign valid = active && valid_i[from];
  assign ends  = valid && ready && taken.data.last;

  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      taken_o[r] = active && ready && from == FromW'(r);
      ended[r]   = ends && from == FromW'(r);
    end
  end

  prim_skid #(
    .T(enter_t)
  ) u_taken (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid),
    .in_ready_o (ready),
    .in_i       (taken),
    .out_valid_o(packet_valid_o),
    .out_ready_i(data_ready_i),
    .out_o      (out)
  );
  assign packet_o = out.packet;
  assign data_o   = out.data;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Who was chosen is for this pipe, and its first beat is still there when room is kept; else
      // the room of another packet would be kept.
      a_chosen : assert ((chosen_q & ~(valid_i & held_q)) == '0 && $onehot0(chosen_q) &&
                         entered_q == (chosen_q != '0) && (!entered_q || turn_ready))
      else $error("%m: %b were chosen, %b are there", chosen_q, valid_i);
    end
  end

endmodule
