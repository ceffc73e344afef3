// What one entry of the connection table is to a query: its state as the flush under way leaves it,
// and whether it is the one that has the key. No registers.
//
// A module of its own so that synthesis keeps it shallow: beside the comparison of keys, which is
// deeper, it would be mapped to as many levels as that has, and the choice among the ways follows.
module agg_conn_seen
  import agg_conn_pkg::*;
#(
  /// Parts in which the key was compared.
  parameter int unsigned Parts = 5
) (
  input  conn_state_t      stored_i,
  input  conn_flush_t      flush_i,
  input  logic             flushed_i,   // `stored` is from before the flush came to the entry
  input  logic [Parts-1:0] equal_i,     // each part of the key

  output logic             match_o,
  output conn_state_t      state_o,
  output conn_state_t      stored_o     // as it is stored by now
);

  assign state_o  = conn_flushed(stored_i, flush_i);
  assign stored_o = flushed_i ? state_o : stored_i;
  assign match_o  = state_o.used && (&equal_i);

endmodule
