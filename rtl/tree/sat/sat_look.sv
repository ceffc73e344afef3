// Reads the header of one port's oldest packet and says what it is, for all rules that need nothing
// but the packet and the set-up.
//
// One way for all ports: a port a cycle, whoever asks, and LookAnswer cycles later the answer.
// Nobody waits; who asks must leave that packet where it is until then.
module sat_look
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t                  cfg_i,      // of the tree; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input rc_packet_t [NumPorts-1:0] oldest_i,   // in each port's queue

  input logic             ask_i,
  input logic             scan_i,   // goes along with the answer; the port is scan_port_i then
  input logic [PortW-1:0] port_i,
  input logic [PortW-1:0] scan_port_i,

  output sat_seen_t seen_o   // LookAnswer cycles later
);

  logic             ask_q, scan_q, asked_q, scanned_q;
  logic [PortW-1:0] asked_port_q, scan_port_q, port, looked_q;
  // verilator lint_off UNUSEDSIGNAL
  rc_packet_t       packet_q;   // `valid` was seen by who asks
  // verilator lint_on UNUSEDSIGNAL
  sat_head_t        head;

  assign head = turned(packet_q.head);
  assign port = scan_q ? scan_port_q : asked_port_q;

  always_ff @(posedge clk_i) begin
    ask_q     <= ask_i;
    scan_q    <= scan_i;
    asked_port_q <= port_i;
    scan_port_q  <= scan_port_i;
    asked_q   <= ask_q;
    scanned_q <= scan_q;
    looked_q  <= port;
    packet_q  <= oldest_i[port];

    seen_o.valid    <= asked_q;
    seen_o.scan     <= scanned_q;
    seen_o.port     <= 4'(looked_q);
    seen_o.last     <= packet_q.last;
    seen_o.alone    <= packet_q.last && packet_q.len == LenW'(HeadBytes);
    seen_o.ours     <= packet_q.first && packet_q.len >= LenW'(HeadBytes) && is_head(head) &&
        head.kind == KindUp && head.tree == cfg_i.tree;
    seen_o.possible <= vector_possible(head);
    seen_o.head     <= head;
    seen_o.known    <= 1'b0;
    seen_o.group    <= '0;
    for (int unsigned g = Groups; g > 0; g--) begin
      if (cfg_i.groups[g-1].valid && cfg_i.groups[g-1].id == head.group) begin
        seen_o.known <= cfg_i.groups[g-1].children[4'(looked_q)] && head.length <= VectorMost &&
            has_vector(head.operation);
        seen_o.group <= ($clog2(Groups))'(g - 1);
      end
    end
    if (!rst_ni) begin
      ask_q        <= 1'b0;
      asked_q      <= 1'b0;
      seen_o.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is looked at is there, and stays: else a decision would be about another packet.
      a_there : assert (!ask_q || oldest_i[port].valid)
      else $error("%m: port %0d has no packet to look at", port);
    end
  end

endmodule
