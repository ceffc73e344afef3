// What the aggregator shows of itself to whoever watches it: decisions, flushes and results as they
// happen. Carries no logic back; a device without a watcher has none of it.
package agg_obs_pkg;
  import roce_pkg::*;
  import agg_pkg::*;

  typedef enum logic [1:0] {
    ObsDecide = 2'd0,
    ObsCommit = 2'd1,
    ObsTake = 2'd2
  } obs_kind_e;

  /// State decisions in the order in which they took effect, at most one a cycle. Carries no logic
  /// back. Decide: a port's oldest undecided candidate got `fate`; `completes` if its column has
  /// all ranks now. Commit: Stored packets of `ranks` of a column, or a Duplicate one, are in the
  /// banks, each the oldest decided one of its port in `ports`; `completes` if they made the
  /// column's first results due. Take: results for `ranks` of (ring, msgid, offset) are on their
  /// way.
  typedef struct packed {
    logic                valid;
    obs_kind_e           kind;
    logic [PortW-1:0]    port;
    logic [ConnW-1:0]    conn;
    logic [RingW-1:0]    ring;
    logic [RankW-1:0]    rank;
    logic [31:0]         msgid;
    logic [SlotW-1:0]    offset;
    fate_e               fate;
    logic                completes;
    logic [MaxRanks-1:0] ranks;
    logic [MaxRanks-1:0][PortW-1:0] ports;   // Commit: of each of `ranks`
    // With Ecc. The packet is its ring's that was decided. Whatever `valid` says, and in front of
    // it: the record of `slot` is lost, and was perhaps before.
    logic                of_ring;
    logic                lost;
    logic [SlotW-1:0]    slot;
  } obs_state_t;

  /// A ring is being flushed. Between decisions as they come in obs_state_t: `closed`, it has
  /// forgotten its connections, and drops its packets from here on; else its slots are empty, and
  /// it is as it was set up.
  typedef struct packed {
    logic             valid;
    logic             closed;
    logic [RingW-1:0] ring;
    logic             free;    // with `closed`: the flush releases its connections
    // Whatever `valid` says: a connection is retired because of its age. Decisions on packets that
    // came before may follow.
    logic             aged;
    logic [RingW-1:0] aged_ring;
    logic [RankW-1:0] aged_rank;
  } obs_flush_t;

  /// What is seen of the core.
  typedef struct packed {
    obs_state_t state;
    obs_flush_t flush;
  } obs_core_t;

  /// One result begins to leave through a port.
  typedef struct packed {
    logic             valid;
    logic [PortW-1:0] port;
    logic [ConnW-1:0] conn;
    logic [23:0]      psn;
    logic             dropped;   // no result begins: one is dropped (mem_e), whatever `valid` says
    logic [23:0]      number;    // with `dropped`: which one of the port's, from 1
    // Whatever `valid` says: a frame that would have left is dropped, because the link is down; it
    // is a result, not one that passes.
    logic             unsent;
    logic             unsent_result;
  } obs_result_t;

endpackage
