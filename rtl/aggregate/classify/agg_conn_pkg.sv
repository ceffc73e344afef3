// What the connection table holds beside keys, and what a flush makes of it.
package agg_conn_pkg;
  import agg_pkg::*;

  /// An entry of the connection table but for its key.
  typedef struct packed {
    logic             used;
    logic             retired;   // forgotten, but its packets are dropped
    logic             learned;   // a flush of its ring retires it
    logic [RingW-1:0] ring;
    logic [RankW-1:0] rank;
  } conn_state_t;

  /// A flush that the connection table is writing into its entries.
  typedef struct packed {
    logic             valid;
    logic             free;      // it forgets all connections of the ring
    logic [RingW-1:0] ring;
  } conn_flush_t;

  /// What such a flush makes of an entry.
  function automatic conn_state_t conn_flushed(conn_state_t entry, conn_flush_t flush);
    conn_flushed = entry;
    if (flush.valid && entry.ring == flush.ring) begin
      if (flush.free) {conn_flushed.used, conn_flushed.retired} = 2'b00;
      else if (entry.used && entry.learned) conn_flushed.retired = 1'b1;
    end
  endfunction

endpackage
