// Which packet enters a middle pipe next: of those that wait for it at all ports, in both classes,
// one after the other of those for which there is room where they leave.
//
// Room is kept as a packet enters, for each of its PRs as if it left alone. So whatever is in a
// pipe finds room where it leaves, and never stands in the way of what leaves by another port or is
// of the other class. What is in the way of one class at one port holds up nobody else.
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

  // By class and port that packets leave by: there was room for the longest packet in the cycle
  // before. And a packet has entered: room is to be kept for it.
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

  logic [Waiting-1:0] here, request;
  logic               any, ready, busy_q, entered_q;
  logic [FromW-1:0]   from;
  enter_t             chosen;
  // verilator lint_off UNUSEDSIGNAL
  enter_t             out;   // it has entered
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    for (int unsigned r = 0; r < Waiting; r++) begin
      here[r]    = valid_i[r] && in_i[r].target == 4'(Pipe);
      // What the packet in front has taken is seen two cycles behind it.
      request[r] = here[r] && (busy_q ||
          (!entered_q && open_i[r/NumPorts][in_i[r].out_port[PortW-1:0]]));
      taken_o[r] = any && ready && from == FromW'(r);
    end
  end

  gather_grant #(
    .N(Waiting)
  ) u_grant (
    .clk_i,
    .rst_ni,
    .request_i(request),
    .valid_o  (any),
    .from_o   (from),
    .ready_i  (ready),
    .last_i   (chosen.data.last)
  );

  assign chosen     = in_i[from];
  assign enters_o   = any && !busy_q;
  assign response_o = chosen.packet.response;
  assign out_port_o = chosen.out_port[PortW-1:0];
  assign kept_o     = chosen.kept;

  always_ff @(posedge clk_i) begin
    if (any) busy_q <= !(ready && chosen.data.last);
    entered_q <= enters_o;
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      entered_q <= 1'b0;
    end
  end

  prim_skid #(
    .T(enter_t)
  ) u_chosen (
    .clk_i,
    .rst_ni,
    .in_valid_i (any),
    .in_ready_o (ready),
    .in_i       (chosen),
    .out_valid_o(packet_valid_o),
    .out_ready_i(data_ready_i),
    .out_o      (out)
  );
  assign packet_o = out.packet;
  assign data_o   = out.data;

endmodule
