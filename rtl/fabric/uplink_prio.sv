// The priority of a frame by its first beat (flow_prio).
//
// A module of its own so that synthesis keeps it as few levels deep as it can be: what shows the
// beat is a memory, and behind it is a register.
module uplink_prio
  import shell_pkg::*;
(
  input  bytes_t     data_i,   // the first beat
  input  keep_t      keep_i,
  output logic [2:0] prio_o
);
  assign prio_o = uplink_flow_pkg::flow_prio(data_i, keep_i);
endmodule
