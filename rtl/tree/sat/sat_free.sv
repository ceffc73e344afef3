// Whether all ports that a packet needs have room, and nothing else is on its way there.
//
// A module of its own, so that it is mapped to as few levels as it can have: more comes behind it.
module sat_free #(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic                may_i,     // there is a packet, and nothing else speaks against it
  input logic [NumPorts-1:0] need_i,
  input logic [NumPorts-1:0] room_i,
  input logic [NumPorts-1:0] taken_i,

  output logic go_o   // the packet may go
);

  assign go_o = may_i && (need_i & (~room_i | taken_i)) == '0;

endmodule
