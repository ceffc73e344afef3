// Stage 4 of look-up: which message is sought, and in whose history. What stage 5 asks the history
// of messages with, if the fate is FateStored. No registers; nobody waits.
module agg_lookup_seek
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Ranks a ring may have, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Largest window N of a ring, messages; power of two, 1 to 64.
  parameter int unsigned MaxWindow = 4,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 0
) (
  // The request in stage 4, and its fate. Not all of it is needed any more.
  // verilator lint_off UNUSEDSIGNAL
  input  lookup_known_t          known_i,
  // verilator lint_on UNUSEDSIGNAL
  input  fate_e                  fate_i,

  output lookup_seek_t           seek_o,
  // The history that it has: that of a ring's rank.
  output logic [RingW+RankW-1:0] row_o
);

  localparam int unsigned RankIdxW = (NumRanks > 1) ? $clog2(NumRanks) : 1;
  localparam int unsigned EntryW = $clog2(2 * MaxWindow);

  logic [EntryW-1:0] entry;   // which of 2N places is the message's
  logic [RankW-1:0]  rank;

  assign rank  = known_i.req.has_ina ? known_i.req.ina.rank[RankW-1:0] : known_i.rank;
  assign row_o = (RingW + RankW)'({known_i.ring, rank[RankIdxW-1:0]});
  assign entry = known_i.req.ina.msgid[EntryW-1:0] & known_i.mask[EntryW-1:0];

  // Such a packet has its message's INA header, and its PSN is its offset: it begins the message,
  // whichever of its packets it is.
  logic columns;
  assign columns = Spine != 0 && known_i.columns;

  assign seek_o = '{
      part: '{
          rsp: '{
              port: known_i.req.port,
              fate: fate_i,
              conn: known_i.conn,
              ring: known_i.ring,
              of_ring: known_i.req.has_ina ? known_i.header_known || known_i.header_drop :
                  known_i.hit,
              rank: rank,
              workers: known_i.workers,
              msgid: known_i.req.ina.msgid,
              offset: '0,
              ends: 1'b0,
              slot: '0,
              window_log2: known_i.window_log2,
              kind: known_i.req.ina.kind,
              tensor_len: known_i.req.tensor_len
          },
          len_bad: known_i.req.len_bad
      },
      starts: known_i.req.starts,
      psn: columns ? '0 : known_i.req.psn,
      offset: columns ? SlotW'(known_i.req.psn) : '0,
      msglen: SlotW'(known_i.req.ina.msglen),
      base: known_i.base,
      step: step_of(7'(entry), 7'(known_i.mask[EntryW-1:0]) >> 1, known_i.stride)
  };

endmodule
