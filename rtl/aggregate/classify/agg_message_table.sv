// Which message is this PSN in? A history of 2N messages for each connection (NetReduce 3.2, with
// the correction that one entry is not enough: go-back-N may re-enter an older message).
//
// An entry is only ever replaced by a newer message, so a late first packet cannot hide a living
// one. A query a cycle; the answer comes two cycles later: what can be compared is compared with
// all entries first, then one is chosen. Queries of one connection are three cycles apart or more
// (agg_lookup sees to that), so each finds what the one in front wrote. Nobody waits.
//
// With Ecc a row is coded (prim_secded_pkg) and decoded in front of a register, so all comes a
// cycle later, and queries of one connection are four cycles apart. Of a row that cannot be
// corrected nothing is known, and it is not written: it stays so until it is forgotten.
module agg_message_table
  import roce_pkg::*;
  import agg_pkg::*;
  import prim_secded_pkg::*;
#(
  /// Connections that may be alive, one a row: for each rank of each ring, 1 to 512.
  parameter int unsigned NumConns = 48,
  /// Messages remembered for each: twice the largest window; power of two, 2 to 128.
  parameter int unsigned History = 8,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  /// 1: some messages begin with any of their packets.
  parameter int unsigned Spine = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The connection, a cycle before the rest of its query; it has just been learned, and its row is
  // another one's: it has no messages.
  input logic             read_i,
  input logic             fresh_i,
  // Has the width of the largest configuration.
  // verilator lint_off UNUSEDSIGNAL
  input logic [ConnW-1:0] conn_i,
  // verilator lint_on UNUSEDSIGNAL

  // With `starts`, `message_i` begins now (its `valid` is ignored), with its packet `offset_i`: 0
  // without Spine. Else only its psn0 counts: the PSN to be found.
  input logic     query_valid_i,
  input logic     starts_i,
  input message_t message_i,
  // verilator lint_off UNUSEDSIGNAL
  input logic [SlotW-1:0] offset_i,
  // verilator lint_on UNUSEDSIGNAL
  // log2 of the ring's window N: 2N entries are in use.
  input logic [2:0] window_log2_i,

  // MessageAnswer cycles after `query_valid_i`, with Ecc one more.
  output logic             answer_valid_o,
  output logic             found_o,      // the PSN is in `answer_o`, `offset_o` behind its first
  output logic             stale_o,      // begins, but a newer message has its place
  output logic             conflict_o,   // begins, but with another PSN, length or type than before
  output logic             lost_o,       // the connection's messages are lost
  output message_t         answer_o,
  output logic [SlotW-1:0] offset_o,

  // Flush: these connections have no messages any more. None of them is being queried.
  input logic [NumConns-1:0] forget_i,

  // Pulses: what reading a row found.
  output mem_event_t event_o
);

  if (History < 2 || History > 128 || History != 2 ** $clog2(History)) begin : gen_check
    $fatal(1, "%m: History must be a power of two, 2 to 128");
  end

  localparam int unsigned IndexW = (NumConns > 1) ? $clog2(NumConns) : 1;
  localparam int unsigned EntryW = $clog2(History);

  typedef message_t [History-1:0] row_t;

  // ---------------------------------------------------------------------------------------------
  // Row of the connection, as the query comes.

  row_t                row, row_q, row_new;
  logic                query_q, starts_q, write;
  message_t            message_q;
  logic [EntryW-1:0]   mask, at, at_q;   // entries in use; the one of a message that begins
  logic [IndexW-1:0]   read_conn_q, conn_q;
  logic [NumConns-1:0] fresh_q;   // has no messages; what the RAM says is old
  logic                read_fresh_q, learned_q;
  // For an assertion.
  // verilator lint_off UNUSEDSIGNAL
  logic                read_q;
  // verilator lint_on UNUSEDSIGNAL
  row_t                ram_row;

  // The row as it stands in memory.
  localparam int unsigned RowBits = $bits(row_t) + Ecc * SecdedChecks * secded_words($bits(row_t));
  logic [RowBits-1:0] row_written, row_read;

  // The query, as late as its row.
  typedef struct packed {
    logic              starts;
    message_t          message;
    logic [SlotW-1:0]  offset;
    logic [2:0]        window_log2;
    logic [IndexW-1:0] conn;
    logic              fresh;
  } query_t;
  query_t asked;
  logic [SlotW-1:0] begins_at, begins_at_q;
  assign begins_at = (Spine != 0) ? offset_i : '0;
  logic   asks;
  ecc_t   row_found;   // means nothing of a row that is fresh
  logic   row_lost, lost_q;

  if (Ecc > 1) begin : gen_check_ecc
    $fatal(1, "%m: Ecc must be 0 or 1");
  end

  prim_ram_1r1w #(
    .Width  (RowBits),
    .Depth  (NumConns),
    .Latency(1)
  ) u_rows (
    .clk_i,
    .we_i   (write && rst_ni),   // before the reset its place may be anything
    .waddr_i(conn_q),
    .wdata_i(row_written),
    .re_i   (read_i && rst_ni),
    .raddr_i(conn_i[IndexW-1:0]),
    .rdata_o(row_read)
  );

  if (Ecc != 0) begin : gen_ecc
    logic [$bits(row_t)-1:0] data;
    logic                    corrected, bad;

    prim_secded_encode #(
      .Width($bits(row_t))
    ) u_encode (
      .data_i  (row_new),
      .poison_i(1'b0),
      .code_o  (row_written)
    );

    prim_secded_decode #(
      .Width($bits(row_t))
    ) u_decode (
      .code_i     (row_read),
      .data_o     (data),
      .corrected_o(corrected),
      .bad_o      (bad)
    );

    always_ff @(posedge clk_i) begin
      asks  <= query_valid_i && rst_ni;
      asked <= '{starts: starts_i, message: message_i, offset: begins_at,
                 window_log2: window_log2_i, conn: read_conn_q, fresh: read_fresh_q};
      if (query_valid_i) begin
        ram_row   <= data;
        row_found <= '{corrected: corrected, bad: bad};
      end
      event_o.found <= asks && !asked.fresh && rst_ni ? row_found : '0;
      event_o.at    <= SlotW'(asked.conn);
    end
    assign row_lost = row_found.bad && !asked.fresh;
  end else begin : gen_plain
    assign row_written = row_new;
    assign ram_row     = row_read;
    assign asks        = query_valid_i;
    assign asked       = '{starts: starts_i, message: message_i, offset: begins_at,
                           window_log2: window_log2_i, conn: read_conn_q, fresh: read_fresh_q};
    assign row_found   = '0;
    assign row_lost    = 1'b0;
    assign event_o     = '0;
    logic unused;
    assign unused = ^row_found;
  end

  always_comb begin
    row = ram_row;
    for (int unsigned i = 0; i < History; i++) begin
      if (asked.fresh) row[i].valid = 1'b0;
    end
  end

  assign mask = EntryW'((32'd2 << asked.window_log2) - 32'd1);
  assign at   = asked.message.msgid[EntryW-1:0] & mask;

  // ---------------------------------------------------------------------------------------------
  // As a query comes: which messages hold its PSN, which are newer, and what it would be in the
  // place of each.

  logic [History-1:0]              holds, holds_q;
  logic [History-1:0]              known, known_q;      // the same MsgID
  logic [History-1:0]              newer, newer_q;      // a newer one than the query's
  logic [History-1:0]              differs, differs_q;  // another PSN, length or type
  logic [History-1:0][SlotW-1:0]   offset, offset_q;
  // Entry i is newer than entry j behind it: known for all pairs while it is not yet known who
  // takes part.
  logic [History-1:0][History-1:0] is_newer, is_newer_q;

  always_comb begin
    is_newer = '0;
    for (int unsigned i = 0; i < History; i++) begin
      logic [23:0] ahead;
      ahead     = asked.message.psn0 - row[i].psn0;
      // Of a message that begins nobody asks which holds it: it is the answer itself.
      holds[i]  = row[i].valid && ahead < 24'(row[i].msglen) && EntryW'(i) <= mask &&
          !asked.starts;
      offset[i] = SlotW'(ahead);
      known[i]  = row[i].valid && row[i].msgid == asked.message.msgid;
      // Serial-number order: one half of all numbers is older.
      newer[i]   = row[i].valid && (asked.message.msgid - row[i].msgid) >= 32'h8000_0000;
      differs[i] = row[i].psn0 != asked.message.psn0 ||
          row[i].msglen != asked.message.msglen || row[i].kind != asked.message.kind;
      for (int unsigned j = i + 1; j < History; j++) begin
        is_newer[i][j] = (row[j].msgid - row[i].msgid) >= 32'h8000_0000;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_conn_q  <= conn_i[IndexW-1:0];
      read_fresh_q <= fresh_q[conn_i[IndexW-1:0]] || fresh_i || !rst_ni;
    end
    read_q  <= read_i && rst_ni;
    query_q <= asks;
    lost_q  <= row_lost;
    if (asks) begin
      row_q      <= row;
      conn_q     <= asked.conn;
      starts_q   <= asked.starts;
      message_q  <= asked.message;
      begins_at_q <= asked.offset;
      at_q       <= at;
      holds_q    <= holds;
      known_q    <= known;
      newer_q    <= newer;
      differs_q  <= differs;
      offset_q   <= offset;
      is_newer_q <= is_newer;
    end
    // Who has just been learned is known late; its row is written two cycles later at the earliest.
    learned_q <= read_i && fresh_i && rst_ni;
    fresh_q   <= (fresh_q & ~(write ? NumConns'(1) << conn_q : '0)) | forget_i |
        (learned_q ? NumConns'(1) << read_conn_q : '0);
    if (!rst_ni) begin
      query_q <= 1'b0;
      fresh_q <= '1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A cycle later: a message that begins has its place, or may not have it.

  logic stale, conflict;

  always_comb begin
    stale    = newer_q[at_q];
    conflict = known_q[at_q] && differs_q[at_q];
    write    = query_q && starts_q && !stale && !conflict;
    if (Ecc != 0 && lost_q) write = 1'b0;
    row_new             = row_q;
    row_new[at_q]       = message_q;
    row_new[at_q].valid = 1'b1;
  end

  // A packet inside a message: of those that hold its PSN, the one that is newer than all others.
  // MsgIDs that go round the circle of all numbers have none, and then no message is found.

  typedef struct packed {
    message_t         message;
    logic [SlotW-1:0] offset;
  } held_t;

  logic  [History-1:0] newest;
  held_t [History:0]   choices;
  held_t               held;

  agg_message_newest #(
    .History(History)
  ) u_newest (
    .holds_i   (holds_q),
    .is_newer_i(is_newer_q),
    .newest_o  (newest)
  );

  // A message that begins is chosen beside them: then none of them holds anything.
  for (genvar i = 0; i < History; i++) begin : gen_choice
    assign choices[i] = {row_q[i], offset_q[i]};
  end
  assign choices[History] = {message_q, begins_at_q};

  prim_pick #(
    .Width($bits(held_t)),
    .Words(History + 1)
  ) u_held (
    .in_i    (choices),
    .select_i({starts_q, newest}),
    .out_o   (held)
  );

  always_ff @(posedge clk_i) begin
    answer_valid_o <= query_q;
    if (query_q) begin
      stale_o    <= starts_q && stale;
      conflict_o <= starts_q && conflict;
      found_o    <= starts_q ? (!stale && !conflict) : |newest;
      answer_o   <= held.message;
      offset_o   <= held.offset;
      lost_o     <= Ecc != 0 && lost_q;
    end
    if (!rst_ni) answer_valid_o <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A message is never replaced by an older one; a middle packet of the newer one would be
      // dropped for ever.
      a_monotone : assert (!(write && row_q[at_q].valid) ||
                           32'(message_q.msgid - row_q[at_q].msgid) < 32'h8000_0000)
      else $error("%m: message %0d replaced by %0d", row_q[at_q].msgid, message_q.msgid);
      // A connection's row is not read while a query in front may still write it; otherwise that
      // message would be lost.
      a_apart : assert (!read_i || ((!query_valid_i || conn_i[IndexW-1:0] != read_conn_q) &&
                                    (!asks || conn_i[IndexW-1:0] != asked.conn) &&
                                    (!query_q || conn_i[IndexW-1:0] != conn_q)))
      else $error("%m: queries of connection %0d too close", conn_i);
      // A row is read for the query of the next cycle; a row that was another one's would be read
      // again before that is known.
      a_asked : assert (query_valid_i == read_q)
      else $error("%m: a query without its row, or a row without a query");
      // A connection is not forgotten in the cycles in which it is asked for; otherwise the answer,
      // if it starts a message, would bring back what was forgotten, and late packets of a flushed
      // ring would be taken for live ones.
      a_forget : assert ((!query_valid_i || !forget_i[read_conn_q]) &&
                         (!read_i || !forget_i[conn_i[IndexW-1:0]]))
      else $error("%m: connection %0d is forgotten as it is asked for", read_conn_q);
    end
  end

endmodule
