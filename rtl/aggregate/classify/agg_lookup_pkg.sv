// What moves through the pipeline of agg_lookup: a request in stages 1 to 3, what is known of it in
// stage 4, its answer in the making in stages 5 to 7.
package agg_lookup_pkg;
  import roce_pkg::*;
  import agg_pkg::*;

  /// What look-up wants to know of a packet; its key travels apart, to the connection table alone.
  typedef struct packed {
    logic             alone;         // stages 1 to 4 are empty but for this one
    logic [PortW-1:0] port;
    logic             starts;
    logic             has_ina;
    logic [23:0]      psn;
    ina_t             ina;
    logic [13:0]      tensor_len;
    logic             len_bad;
  } lookup_query_t;

  /// All that the rules need to know of it.
  typedef struct packed {
    lookup_query_t      req;
    logic             header_known;  // the header's RingID is that of an enabled ring
    logic             header_drop;   // or else of one that drops
    logic             header_bad;    // the header breaks a rule of its ring
    logic             mismatch;      // the connection has another ring or rank than the header says
    logic             claimed;       // the header's rank has a connection
    logic             hit;           // the connection is in the table
    logic             full;          // it is not, and there is no place for it
    logic             known;         // and alive, and its ring is enabled
    logic             revives;       // or it is retired: a new message may bring it back
    logic             open;          // the port passes what is no ring's
    logic             hazard;        // a request in front may still change its history
    logic             lost;          // nobody can say whether it is: an entry's key is lost
    logic             fresh;         // good header, nobody's rank, connection unknown or retired
    logic [ConnW-1:0] conn;          // its entry, or the one that it would get
    logic [RankW-1:0] rank;          // of the connection
    // The ring of the header if there is one, else of the connection; and its registers.
    logic [RingW-1:0] ring;
    logic             learn;
    logic [RankW:0]   workers;
    logic [2:0]       window_log2;
    logic [SlotW-1:0] stride;
    logic [SlotW-1:0] base;
    logic [6:0]       mask;          // bits of a MsgID that say which of 2N places is the message's
    logic             columns;       // the ring's packets say which column they are of
  } lookup_known_t;

  /// An answer while its message is looked for. `rsp.fate` is final unless it is FateStored.
  typedef struct packed {
    lookup_rsp_t      rsp;
    logic             len_bad;
  } lookup_part_t;

  /// And what the message history is asked with it.
  typedef struct packed {
    lookup_part_t     part;
    logic             starts;
    logic [23:0]      psn;           // of the first packet if a message starts, else to be found
    logic [SlotW-1:0] offset;        // if one starts: from there to this packet
    logic [SlotW-1:0] msglen;
    logic [SlotW-1:0] base;          // first slot of the ring
    logic [SlotW-1:0] step;          // from there to the first slot of the message that begins
  } lookup_seek_t;

endpackage
