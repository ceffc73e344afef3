// What the devices of gathers tell of themselves: events as they happen, and what their registers
// count. Carries no logic back.
package gather_obs_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  /// A frame was thrown away because its receiver has stopped, with so many PRs.
  typedef struct packed {
    logic       valid;
    logic       response;
    logic [7:0] count;
  } stopped_obs_t;

  /// A unit's read, or a response to it, was looked up among those that units share. `lives`: the
  /// gather of who asked before runs. A read waits for that one's response, or leads; of a response
  /// `copies` go to these units.
  typedef struct packed {
    logic        valid;
    logic        answer;
    logic [5:0]  unit;
    logic [31:0] id;
    logic [15:0] generation;
    logic [63:0] idx;
    logic        lives;
    logic        waits;
    logic        leads;
    logic [63:0] copies;
  } merge_obs_t;

  /// A look-up in the property cache. `way` is the one that was hit, or that was written.
  typedef struct packed {
    logic        valid;
    logic        response;
    logic        hit;
    logic        insert;
    logic        evict;
    logic [3:0]  way;
    logic [15:0] generation;
    logic [63:0] idx;
  } cache_obs_t;

  /// What concatenation did in a cycle, and whom it let wait.
  typedef struct packed {
    // A packet is closed: full; late, by `lateness` cycles; for a PR of another length or
    // generation; for room.
    logic        full;
    logic        late;
    logic        other_len;
    logic        for_room;
    logic [31:0] lateness;
    // A PR waits: for storage; for the expiry queue, or for closed packets to leave.
    logic        stall_pool;
    logic        stall_out;
  } concat_obs_t;

  /// Counters of a port, and events that they count: a frame was received, was in error, too long,
  /// had a bad ICRC; it was taken, or met another fate; a frame was sent; a packet of reads, of
  /// responses was taken and thrown away, as who sent it did not pause; reads, responses were given
  /// up, as the receiver has stopped.
  typedef enum int unsigned {
    PortRx,
    PortInError,
    PortOversize,
    PortBadIcrc,
    PortTaken,
    PortForeign,
    PortBadType,
    PortBadLength,
    PortBadDest,
    PortSent,
    PortNoRoomReads,
    PortNoRoomResponses,
    PortStoppedReads,
    PortStoppedResponses,
    NumPortCounters
  } port_counter_e;

  /// Counters of a middle pipe: PRs in, read hits, insertions, evictions; packets closed full,
  /// late, for another length, for room; cycles that PRs waited for storage, for packets to leave;
  /// reads that were not looked up, for want of room for responses; frames of reads, of responses
  /// that were thrown away, as their receiver has stopped; how late the latest packet was, cycles.
  typedef enum int unsigned {
    PipePrs,
    PipeHits,
    PipeInserted,
    PipeEvicted,
    PipeFull,
    PipeLate,
    PipeLength,
    PipeRoom,
    PipeStallPool,
    PipeStallOut,
    PipeNotTurned,
    PipeThrownReads,
    PipeThrownResponses,
    PipeLatest,
    NumPipeCounters
  } pipe_counter_e;

  /// What a network interface counts beside port_counter_e up to PortSent: packets closed, as of a
  /// pipe; responses for no unit; reads served; cycles that PRs waited, as of a pipe; how late the
  /// latest packet was, cycles; reads of what is not served; reads that were dropped for want of
  /// room; as of a port and a pipe, times that reads, responses were given up, and frames of them
  /// that were thrown away; reads that were not sent, as another unit had asked for the same, and
  /// copies of responses for them.
  typedef enum int unsigned {
    NicFull = PortSent + 1,
    NicLate,
    NicLength,
    NicRoom,
    NicNoUnit,
    NicServed,
    NicStallPool,
    NicStallOut,
    NicLatest,
    NicNotServed,
    NicNoRoom,
    NicStoppedReads,
    NicStoppedResponses,
    NicThrownReads,
    NicThrownResponses,
    NicMerged,
    NicCopied,
    NumNicCounters
  } nic_counter_e;

  /// Counters of a RIG unit: indices fetched, local, filtered, coalesced, requested; properties
  /// that memory has taken, answers that came too late: each answer is one of the two; cycles that
  /// an index waited for the pending table, for a filter look-up, for PRs to be taken.
  typedef enum int unsigned {
    RigFetched,
    RigLocal,
    RigFiltered,
    RigCoalesced,
    RigRequested,
    RigCame,
    RigTooLate,
    RigWaitPending,
    RigWaitLook,
    RigWaitPr,
    NumRigCounters
  } rig_counter_e;

  // verilator lint_on UNUSEDPARAM
endpackage
