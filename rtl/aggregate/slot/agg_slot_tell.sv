// Tells others what an operation of slot state did: the observer, and who counts by ring.
//
// A module of its own because nothing of it comes back: both outputs are registers, a cycle behind
// the operation's stage 6. Nobody waits.
module agg_slot_tell
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// 1: the last rank is the parent of some rings (docs/relay.md).
  parameter int unsigned Uplink = 0,
  /// 1: memory may lose a record.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The record in front of the operation in stage 5.
  /* verilator lint_off UNUSEDSIGNAL */
  input slot_rec_t rec5_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // The operation in stage 6: whether there is one, which it is, its record by now, what it did.
  input logic valid_i,
  input logic decide_i,
  input logic commit_i,
  input logic take_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input slot_op_t  op_i,
  input slot_rec_t rec_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input fate_e               fate_i,
  input logic        completes_i,
  input logic        done_i,       // a take was, not of a notification
  input logic [MaxRanks-1:0] ranks_i,             // of a take, or of a commit
  input logic [MaxRanks-1:0][PortW-1:0] ports_i,   // of a commit

  // A cycle later: what it did for its ring, pulses for the counters, and for the observer.
  output ring_event_t ring_event_o,
  output obs_state_t  obs_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  slot_rec_t old_q;   // its record before it
  /* verilator lint_on UNUSEDSIGNAL */
  logic      touched;

  assign touched = valid_i && op_i.touch && rst_ni;

  always_ff @(posedge clk_i) old_q <= rec_told(rec5_i);

  always_ff @(posedge clk_i) begin
    obs_o           <= '0;
    obs_o.valid     <= decide_i || commit_i || (take_i && done_i);
    obs_o.kind      <= take_i ? ObsTake : (commit_i ? ObsCommit : ObsDecide);
    obs_o.port      <= op_i.port;
    obs_o.conn      <= op_i.conn;
    obs_o.rank      <= op_i.rank;
    obs_o.ring      <= decide_i ? op_i.ring : rec_i.ring;
    obs_o.offset    <= decide_i ? op_i.offset : rec_i.offset;
    obs_o.msgid     <= take_i ? rec_i.tag : op_i.msgid;
    obs_o.fate      <= fate_i;
    obs_o.completes <= commit_i ? completes_i :
        (decide_i && op_i.touch && fate_i == FateStored &&
         (Uplink == 0 || op_i.rank != RankW'(NumRanks - 1)) &&
         rec_i.accepted == ranks_of(rec_i.workers));
    obs_o.ranks     <= (take_i || commit_i) ? ranks_i : '0;
    obs_o.ports     <= commit_i ? ports_i : '0;
    if (Ecc != 0) begin
      obs_o.of_ring <= op_i.of_ring;
      obs_o.lost    <= touched && old_q.lost;
      obs_o.slot    <= op_i.slot;
    end
    if (!rst_ni) begin
      obs_o.valid <= 1'b0;
      obs_o.lost  <= 1'b0;
    end
  end

  logic                held, holds, owed, owes;
  logic [MaxRanks-1:0] lacked, lacks;   // ranks that the column waits for

  assign held   = (old_q.valid || (Ecc != 0 && old_q.lost)) && !old_q.empty;
  assign holds  = (rec_i.valid || (Ecc != 0 && rec_i.lost)) && !rec_i.empty;
  // Below a parent a complete column waits for its result.
  always_comb begin
    lacked = held ? ranks_of(old_q.workers) & ~old_q.accepted : '0;
    lacks  = holds ? ranks_of(rec_i.workers) & ~rec_i.accepted : '0;
    if (Uplink != 0) begin
      lacked[NumRanks-1] = old_q.complete && old_q.parent && !old_q.answered;
      lacks[NumRanks-1]  = rec_i.complete && rec_i.parent && !rec_i.answered;
    end
  end
  assign owed   = old_q.owed != '0;
  assign owes   = rec_i.owed != '0;

  always_ff @(posedge clk_i) begin
    ring_event_o <= '{
      ring: decide_i ? op_i.ring : rec_i.ring,
      decided: decide_i && op_i.of_ring,
      fate: fate_i,
      // What goes to the parent is no result.
      results: take_i && done_i ? ranks_i &
          ((MaxRanks'(1) << (NumRanks - Uplink)) - MaxRanks'(1)) : '0,
      fills: touched && !held && holds,
      empties: touched && held && !holds,
      owes: touched && !owed && owes,
      settles: touched && owed && !owes,
      waits: touched ? lacks & ~lacked : '0,
      comes: touched ? lacked & ~lacks : '0
    };
    if (!rst_ni) ring_event_o <= '0;
  end

endmodule
