// Descriptors of the aggregator: what travels between look-up, slot state, ports, banks and
// emission.
//
// Index widths are fixed here, wide enough for any configuration, so that the structs need no
// parameters; synthesis trims what a configuration leaves constant.
package agg_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM
  import roce_pkg::*;

  localparam int unsigned PortW = 4;
  localparam int unsigned RankW = 4;
  localparam int unsigned MaxRanks = 16;
  localparam int unsigned MaxPorts = 16;
  localparam int unsigned RingW = 5;
  localparam int unsigned ConnW = ConnBits;
  localparam int unsigned SlotW = 14;
  /// Low bits of a pair's number that tell enough of them apart (agg_slot_turn). One LUT compares
  /// three.
  localparam int unsigned FreedW = 3;

  /// Slots 2c and 2c + 1 are a pair: those of messages N apart, same offset (docs/protocol.md).
  function automatic logic [SlotW-1:0] pair_of(logic [SlotW-1:0] slot);
    return slot ^ SlotW'(1);
  endfunction

  /// From a ring's first slot to the one of a message's first packet. `entry`: the message's place
  /// among 2N; `mask`: bits of it that are its place among N, whose pairs of slots lie one behind
  /// the other.
  function automatic logic [SlotW-1:0] step_of(logic [6:0] entry, logic [6:0] mask,
                                               logic [SlotW-1:0] stride);
    logic [6:0] place;
    place = entry & mask;
    return SlotW'({32'(place) * 32'(stride), entry != place});
  endfunction

  /// One ring as the control plane set it. The region is slots base .. base + 2*window*stride - 1;
  /// `base` is even.
  typedef struct packed {
    logic             enable;       // it aggregates
    logic             drop;         // it does not, and messages of its RingID are dropped
    logic             learn;
    logic [15:0]      id;           // RingID on the wire
    logic [RankW:0]   workers;      // 1 to NumRanks
    logic [2:0]       window_log2;  // N = 2**window_log2
    logic [SlotW-1:0] stride;       // slots a message, at least the longest MsgLen
    logic [SlotW-1:0] base;
  } ring_t;

  /// Why the control plane's command on a ring was refused.
  typedef enum logic [3:0] {
    RingFine = 4'd0,
    RingNone = 4'd1,      // the device has no such ring
    RingBusy = 4'd2,      // a command was under way
    RingInUse = 4'd3,     // slots may hold its packets: another id, shape or region wants a flush
    RingWorkers = 4'd4,   // none, or more than the device has ranks
    RingWindow = 4'd5,    // larger than the device's largest
    RingRegion = 4'd6,    // empty, of an odd base, or not within the device's slots
    RingOverlap = 4'd7,   // its region and that of another ring in use have slots in common
    RingSameId = 4'd8,    // another ring in use has its RingID
    RingLearn = 4'd9      // it learns, and the device does not
  } ring_error_e;

  /// One message a connection is known to have sent (NetReduce 3.2, table CLT, with the rulings of
  /// docs/protocol.md).
  typedef struct packed {
    logic             valid;
    logic [31:0]      msgid;
    logic [23:0]      psn0;
    logic [SlotW-1:0] base;      // slot of the message's first packet
    logic [SlotW-1:0] msglen;    // packets
    logic [7:0]       kind;
  } message_t;

  /// Entries of the connection table in use, and retired ones among them.
  localparam int unsigned ConnCountW = ConnW + 1;
  typedef struct packed {
    logic [ConnCountW-1:0] used;
    logic [ConnCountW-1:0] retired;
  } conn_count_t;

  /// A packet of a connection that is alive: its ring, rank and entry.
  typedef struct packed {
    logic             valid;
    logic [RingW-1:0] ring;
    logic [RankW-1:0] rank;
    logic [ConnW-1:0] conn;
  } conn_seen_t;

  /// What the control plane wants of the connection table. Retire, Release: of an entry that is in
  /// use, whatever its key.
  typedef enum logic [1:0] {
    ConnRegister = 2'd0,   // an entry becomes that of a connection
    ConnRetire = 2'd1,     // a connection that is alive is dropped from now on
    ConnRelease = 2'd2     // a retired one is forgotten: its entry is free
  } conn_act_e;

  /// The control plane registers a connection: an entry of the connection table, which the device
  /// chooses, becomes that of `rank` in `ring`; or it retires or releases entry `index`.
  typedef struct packed {
    conn_act_e        act;
    logic [ConnW-1:0] index;
    conn_key_t        key;
    logic [RingW-1:0] ring;       // index of the ring's registers
    logic [RankW-1:0] rank;
    // It comes from another leaf (docs/relay.md): no worker's here, index and rank mean nothing.
    logic             elsewhere;
  } conn_set_t;

  /// The look-up's answer. `fate` is FateStored where slot state has to decide; any other fate is
  /// final.
  typedef struct packed {
    logic [PortW-1:0] port;
    fate_e            fate;
    logic [ConnW-1:0] conn;
    logic [RingW-1:0] ring;      // index of the ring's registers
    logic             of_ring;   // it is a packet of that ring, whatever its fate
    logic [RankW-1:0] rank;
    logic [RankW:0]   workers;
    logic [31:0]      msgid;
    logic [SlotW-1:0] offset;
    logic             ends;      // below a parent: it is its message's first packet or its last
    logic [SlotW-1:0] slot;
    logic [2:0]       window_log2;
    logic [7:0]       kind;
    logic [13:0]      tensor_len;
  } lookup_rsp_t;

  /// A port's packet has been decided; `fate` is final. Stored and Duplicate go to the banks
  /// (header only for the latter), Passed to the output, the rest is discarded.
  typedef struct packed {
    logic [PortW-1:0] port;
    fate_e            fate;
    logic [ConnW-1:0] conn;
    logic [RankW-1:0] rank;
    logic [SlotW-1:0] slot;
    logic [31:0]      msgid;
    logic             fills;   // it is the last one that its column waited for (not in a tree)
  } verdict_t;

  /// A port commits a decided packet: nothing stops its writes any more, and they keep ahead of any
  /// read that the commit can cause.
  typedef struct packed {
    logic [PortW-1:0] port;
    logic             first;     // the fate was Stored, not Duplicate
    logic             fills;     // it was the last packet of its column that was decided on
    logic [RankW-1:0] rank;
    logic [SlotW-1:0] slot;
    logic [31:0]      msgid;
  } commit_t;

  /// Emission asks slot state for the next results of a slot.
  typedef struct packed {
    logic [SlotW-1:0]    slot;
    logic [MaxPorts-1:0] port_ready; // ports whose egress has room for one more result
  } take_t;

  typedef enum logic [1:0] {
    TakeGone = 2'd0,     // nothing owed any more (freed, reset or flushed since); forget the job
    TakeBlocked = 2'd1,  // a port it needs has no room; ask again
    TakeDone = 2'd2      // emit `ranks` now; ask again for the rest if `more`
  } take_e;

  typedef struct packed {
    take_e                           status;
    logic                            more;
    // What its rows are: the sum of the ranks' packets, which is kept, or the sum as it was kept.
    // Neither: what the parent has sent (docs/relay.md).
    logic                            sum;
    logic                            kept;
    logic [MaxRanks-1:0]             ranks;     // at most one a port
    logic [MaxRanks-1:0][PortW-1:0]  port;      // of each rank in `ranks`
    logic [RingW-1:0]                ring;
    logic [RankW:0]                  workers;
    logic [7:0]                      kind;
    logic [13:0]                     tensor_len;
    logic [SlotW-1:0]                slot;
  } take_rsp_t;

  /// A packet on its way from a port to its bank.
  typedef struct packed {
    logic             first;   // the fate was Stored: payload and headers; else headers only
    logic             fills;   // as its verdict has it
    logic [RankW-1:0] rank;
    logic [SlotW-1:0] slot;
    logic [31:0]      msgid;
    logic [7:0]       rows;    // payload rows, 1 to 128
    hdr_meta_t        meta;
  } packet_t;

  /// Rows a port writes into the bank of its packet's rank.
  typedef struct packed {
    logic                header;  // row 0 or 1 of the header record, else a payload row
    logic [SlotW-1:0]    slot;
    logic [7:0]          row;
    logic [BeatBits-1:0] data;
  } bank_write_t;

  // ---------------------------------------------------------------------------------------------
  // Channels between modules: one struct a direction. A request stands until its `ready`, which
  // comes beside the struct; what has no `ready` is always taken.

  /// A stream of frames (AXI4-Stream). `user` of frames that come in: the MAC found one in error.
  typedef struct packed {
    logic                 valid;
    logic [BeatBits-1:0]  data;
    logic [BeatBytes-1:0] keep;
    logic                 last;
    logic                 user;
  } axis_t;

  /// Port to look-up: what is the packet at the port's head? In a device of a tree it stays there
  /// until its verdict, in another one until it is accepted.
  typedef struct packed {
    logic        valid;
    frame_desc_t desc;
  } lookup_req_t;

  /// Look-up to slot state: decide on a packet.
  typedef struct packed {
    logic        valid;
    lookup_rsp_t packet;
  } decide_req_t;

  /// Slot state to ports: a packet's fate.
  typedef struct packed {
    logic     valid;
    verdict_t verdict;
  } decide_rsp_t;

  /// Port to the crossbar in front of the banks: request of a bank, its release, and writes. The
  /// crossbar answers with a grant, which is for the bank in `bank`.
  typedef struct packed {
    logic                want;         // requests the bank in `bank`
    logic [MaxRanks-1:0] bank;         // one-hot, and stable before `want` rises
    logic [MaxRanks-1:0] released;     // one-hot: the last beat for this bank has been read
    logic                write_valid;
    logic [RankW-1:0]    write_rank;   // bank that is written
    bank_write_t         write;
    logic                writing;      // a started write to `writing_slot` (lock_t) is uncommitted
    logic                write_bad;    // a beat of the packet was bad in memory
  } bank_req_t;

  /// Emission to ports: slots that are being read. No write to one of them starts.
  typedef struct packed {
    logic [1:0]            valid;
    logic [1:0][SlotW-1:0] slot;
    logic [SlotW-1:0]      writing_slot;   // ports say whether a started write to it is uncommitted
  } lock_t;

  /// Port to slot state: a commit.
  typedef struct packed {
    logic    valid;
    logic    busy;     // a packet of this port is between its look-up and its commit
    commit_t commit;
  } commit_req_t;

  /// Slot state to emission: a slot has dues, or the job that was for them has ended. At most one
  /// of the first three.
  typedef struct packed {
    logic             first;   // its column is complete
    logic             again;   // a packet of a complete column was repeated
    logic             ended;   // a take of the slot was answered Gone, or Done without more
    logic [RingW-1:0] ring;    // of a job; means nothing at its end
    logic [SlotW-1:0] slot;
  } job_t;

  /// Slot state to emission: a commit that waits to enter will in all likelihood complete the
  /// column of this slot; nothing is wrong if it does not. Emission to slot state: a take of this
  /// slot will come without a job, so commits bring none.
  typedef struct packed {
    logic             valid;
    logic [SlotW-1:0] slot;
  } ahead_t;

  /// Emission to slot state: a take.
  typedef struct packed {
    logic  valid;
    take_t take;
  } take_req_t;

  /// Slot state to emission: what a take is to read.
  typedef struct packed {
    logic      valid;
    take_rsp_t taken;
  } taken_t;

  /// The column that a take is of.
  typedef struct packed {
    logic             note;     // in a tree: its notification is due (docs/relay.md)
    logic [31:0]      msgid;
    logic [SlotW-1:0] offset;
  } column_t;

  /// Emission to all banks alike: rows to read; data follows BankRead cycles later.
  typedef struct packed {
    logic             row_re;
    logic [SlotW-1:0] row_slot;
    logic [7:0]       row_row;
    logic             parent_re;   // a row of the parent's bank, which is read beside the others
    logic [SlotW-1:0] parent_slot;
    logic [7:0]       parent_row;
    logic             hdr_re;
    logic [SlotW-1:0] hdr_slot;
    logic             hdr_row;     // 0 or 1
  } bank_read_t;

  /// Memories with corrected words: what a read found.
  typedef struct packed {
    logic corrected;   // one flipped bit in a word, or in several
    logic bad;         // two flipped bits in a word: the data is wrong
  } ecc_t;

  /// Emission to the reduction: what the rows are that leave the banks in this cycle.
  typedef struct packed {
    logic                valid;
    logic [RankW:0]      workers;  // ranks 0 to workers-1 are summed
    logic [7:0]          kind;
    logic                last;     // row of its result
    logic [MaxPorts-1:0] ports;    // that the result goes to
    logic                keep;     // the sum is kept for repetitions
    logic                kept;     // instead of a sum of these rows the one that was kept leaves
    logic [SlotW-1:0]    slot;     // that it is kept for
    logic [7:0]          row;
    ecc_t                found;    // in the ranks' rows
  } reduce_req_t;

  /// Emission to the egresses: what row of the parent's result leaves its bank in this cycle. With
  /// the read of the last row of each, BankRead cycles before, how many of its pairs of bytes are
  /// tensor.
  typedef struct packed {
    logic                valid;
    logic                last;
    logic [MaxPorts-1:0] ports;
    logic                pairs_valid;
    logic [5:0]          pairs;
  } parent_rows_t;

  /// Header records to a port's egress, word by word, the last word first.
  typedef struct packed {
    logic                   we;
    logic [HdrWordBits-1:0] word;
    logic                   bad;   // it is not what was written
  } header_t;

  /// A result on its way to a port's egress: header record, rows, and their part of its ICRC.
  typedef struct packed {
    header_t             header;
    logic                row_we;
    logic [BeatBits-1:0] row;
    logic                last;
    logic                bad;    // a sum of what was not written so
    logic                part_we;
    logic [31:0]         part;   // roce_icrc_rows
  } result_t;

  /// Port to emission: room in the egress that is free again, one credit each.
  typedef struct packed {
    logic row_pop;     // a row of a sum has left
    logic frame_pop;   // a header record has left
  } credit_t;

  /// Kinds of corrected memories, as registers number them.
  typedef enum logic [2:0] {
    MemRows = 3'd0,      // banks: payload rows, and sums
    MemHeaders = 3'd1,   // banks: header records
    MemSlots = 3'd2,     // slot records
    MemIngress = 3'd3,   // frames between ICRC check and bank or pass FIFO
    MemEgress = 3'd4,    // header words and rows of results at a port
    MemPass = 3'd5,      // passed frames that wait for their port
    MemConns = 3'd6,     // connection table
    MemMessages = 3'd7   // message table
  } mem_e;
  localparam int unsigned NumMems = 8;

  /// A read of a corrected memory, pulses, and where: a slot, a port, or an entry of a table.
  typedef struct packed {
    ecc_t             found;
    logic [SlotW-1:0] at;
  } mem_event_t;

  /// Software asks for something that takes some cycles; it stays until its `ready`.
  typedef struct packed {
    logic             set_valid;
    conn_set_t        conn;          // a connection that the control plane registers
    logic             flush_valid;
    logic [RingW-1:0] flush_ring;
    logic             flush_release;   // and its connections are forgotten, whatever they are
    logic             flush_slots;     // slots may hold its packets
  } command_req_t;
  typedef struct packed {
    logic set_ready;
    logic set_error;     // with `set_ready`: refused
    logic [ConnW-1:0] set_index;   // or else, of a registration: its entry
    conn_count_t conns;
    logic flush_ready;   // the ring is flushed
  } command_rsp_t;

  /// A flush to whoever knows connections: while `hold` nothing is begun; `valid` comes while all
  /// of them are idle, and makes them forget the ring's.
  typedef struct packed {
    logic             hold;
    logic             valid;
    logic [RingW-1:0] ring;
    logic             free;    // registered and retired ones, too
  } flush_conns_t;

  /// Flush to slot state: a slot of the ring is emptied.
  typedef struct packed {
    logic             valid;
    logic [SlotW-1:0] slot;
  } flush_req_t;

  /// What slot state does for a ring, one operation a cycle: for who counts, and watches.
  typedef struct packed {
    logic [RingW-1:0] ring;      // index of its registers
    logic             decided;   // a packet of it has got `fate`
    fate_e            fate;
    logic [MaxRanks-1:0] results;   // these are on their way, one for each rank
    logic             fills;     // a slot holds a packet now, and held none
    logic             empties;   // or the other way round
    logic             owes;      // a column owes results now, and owed none
    logic             settles;   // or the other way round
    // A column waits for these now and did not, and the other way round.
    logic [MaxRanks-1:0] waits;
    logic [MaxRanks-1:0] comes;
  } ring_event_t;

  /* verilator lint_off UNUSEDSIGNAL */
  /// Whether a take's rows are the parent's. One without bytes has a row that nobody looks at.
  function automatic logic parents_rows(input take_rsp_t take);
    return !take.sum && !take.kept && take.tensor_len != '0;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // verilator lint_on UNUSEDPARAM
endpackage
