// What comes in for this device itself from its parent's side: results, and notifications
// (docs/relay.md). All else goes on to look-up.
//
// A result is a packet on the virtual connection from the parent. Its column is in its MsgID and
// PSN, so it needs no history; slot state decides whether the column still waits for it. A
// notification brings headers of the connection that ends at the leaf's first worker. That is the
// ring's row of the translation table: registered, and then it stays; or, if the ring learns, the
// first one that comes, until the ring is flushed. Another connection, one for another place, and
// one of a message gone by are refused. If all rows are other rings', it is refused too: such a
// ring's results on that connection have no headers and are left out. What is kept of each of 2N
// messages is told from `notes_o`.
//
// One request at a time, as its port asks; the answer waits for slot state, which never waits for
// this module. A row is registered between two requests.
module agg_relay_accept
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_relay_pkg::*;
#(
  /// Ports, 1 to 16. The last one leads to the parent.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have here, 1 to 14. The parent's bank is behind theirs, then the headers.
  parameter int unsigned NumRanks = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two.
  parameter int unsigned MaxWindow = 4,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024,
  /// 0: children are workers. 1 to 15: those of some rings are devices; messages of up to
  /// 2**SpineShift packets.
  parameter int unsigned SpineShift = 0,
  /// Rows of the translation table, one a ring, 1 to NumRings.
  parameter int unsigned NumRows = NumRings,
  localparam int unsigned Window = worker_window(MaxWindow, SpineShift),
  localparam int unsigned Notes = NumRings * 2 * Window
) (
  input logic clk_i,
  input logic rst_ni,

  // The port's request, and the same to look-up where it is none of this device.
  input  logic        req_valid_i,
  output logic        req_ready_o,
  // Beats and such are the port's business.
  /* verilator lint_off UNUSEDSIGNAL */
  input  frame_desc_t req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        other_valid_o,
  input  logic        other_ready_i,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input logic        [31:0]         self_ip_i,

  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output lookup_rsp_t rsp_o,

  // While held nothing is begun. A flush comes only while idle.
  input  logic             hold_i,
  output logic             idle_o,
  input  logic             flush_i,
  input  logic [RingW-1:0] flush_ring_i,

  // The control plane registers a ring's row. `error` with `ready`: the ring has another one, or
  // all are other rings'.
  input  logic             row_set_valid_i,
  output logic             row_set_ready_o,
  input  conn_key_t        row_set_key_i,
  input  logic [RingW-1:0] row_set_ring_i,
  output logic             row_set_error_o,

  // Headers of a notification are in place.
  input logic             kept_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic [SlotW-1:0] kept_slot_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input logic [31:0]      kept_msgid_i,

  output relay_note_t [Notes-1:0] notes_o,

  // Pulses: a notification was refused; and that was for want of a row; a result of the parent was
  // refused.
  output logic note_refused_o,
  output logic table_full_o,
  output logic bad_parent_o
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned RowW = (NumRows > 1) ? $clog2(NumRows) : 1;
  localparam int unsigned EntryW = $clog2(2 * MaxWindow);
  localparam int unsigned NoteEntryW = $clog2(2 * Window);
  localparam int unsigned NoteW = $clog2(Notes);
  localparam logic [RankW-1:0] ParentRank = RankW'(NumRanks);
  localparam logic [RankW-1:0] NoteRank = RankW'(NumRanks + 1);

  if (NumRanks > MaxRanks - 2) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be at most %0d below a parent", MaxRanks - 2);
  end
  if (NumRows < 1 || NumRows > NumRings) begin : gen_check_rows
    $fatal(1, "%m: NumRows must be 1 to %0d", NumRings);
  end
  if (2 * Notes > 2 ** SlotW) begin : gen_check_notes
    $fatal(1, "%m: headers of %0d messages are more than %0d", Notes, 2 ** (SlotW - 1));
  end

  // ---------------------------------------------------------------------------------------------
  // Whose is it?

  logic [NumRings-1:0] ring_match, parent_match;
  logic [RingW-1:0]    ring_index;
  logic                from_parent, of_leaf, is_note, is_parent, mine, take;

  always_comb begin
    ring_index  = '0;
    from_parent = 1'b0;
    of_leaf     = 1'b0;
    for (int g = NumRings - 1; g >= 0; g--) begin
      ring_match[g]   = rings_i[g].enable && rings_i[g].id == req_i.ina.ring;
      parent_match[g] = ring_match[g] && req_i.key.src == 128'(relays_i[g].parent_ip) &&
          req_i.key.qpn == {VirtualQpn, rings_i[g].id} && relays_i[g].parent;
      if (ring_match[g]) begin   // the first of several with the same RingID
        ring_index  = RingW'(g);
        from_parent = parent_match[g];
        of_leaf     = relays_i[g].parent && (SpineShift == 0 || !relays_i[g].devices);
      end
    end
  end

  assign is_note   = req_i.has_ina && req_i.ina.kind[7:6] == NoteKind && of_leaf;
  assign is_parent = req_i.has_ina && req_i.starts && req_i.ina.kind[7:6] == '0 &&
      !req_i.key.v6 && req_i.key.dst == 128'(self_ip_i) && from_parent;
  assign mine      = is_note || is_parent;

  // ---------------------------------------------------------------------------------------------
  // One request in hand.

  typedef enum logic [1:0] {Idle, Judge, Answer} state_e;

  state_e           state_q;
  logic             note_q;
  logic [RingW-1:0] ring_q;
  /* verilator lint_off UNUSEDSIGNAL */
  frame_desc_t      desc_q;
  ring_t            ring;
  relay_ring_t      relay;
  /* verilator lint_on UNUSEDSIGNAL */
  lookup_rsp_t      rsp_q, rsp_d;
  logic             leaf;   // of this ring

  assign take          = req_valid_i && mine && state_q == Idle && !hold_i && !row_set_valid_i;
  assign req_ready_o   = mine ? take : other_ready_i;
  assign other_valid_o = req_valid_i && !mine;
  assign idle_o        = state_q == Idle;
  assign rsp_valid_o   = state_q == Answer;
  assign rsp_o         = rsp_q;
  assign ring          = rings_i[ring_q[RingIdxW-1:0]];
  assign relay         = relays_i[ring_q[RingIdxW-1:0]];
  assign leaf          = SpineShift == 0 || !relay.devices;

  // ---------------------------------------------------------------------------------------------
  // The row of the first worker's connection, and what is kept of its messages.

  logic        [NumRows-1:0]            row_valid_q, row_fixed_q, row_own;
  logic        [NumRows-1:0][RingW-1:0] row_ring_q;
  conn_key_t   [NumRows-1:0]            row_q;
  conn_key_t                            row;
  logic        [RowW-1:0]               row_free;
  logic                                 row_known, rows_full;
  relay_note_t [Notes-1:0]    notes_q;
  logic        [NoteW-1:0]    at, kept_at;
  logic        [EntryW-1:0]   entry;
  logic        [31:0]         msgid;
  relay_note_t                note;
  /* verilator lint_off UNUSEDSIGNAL */
  relay_note_t                note_new;   // says nothing of what is in place
  /* verilator lint_on UNUSEDSIGNAL */
  logic                       fits, row_fits, older, same, other, clash, ragged, header_bad;
  logic        [7:0]          before_first;

  assign msgid   = leaf ? desc_q.ina.msgid :
      32'({desc_q.ina.msgid, 16'd0} >> (16 - SpineShift)) |
      (32'(desc_q.psn) & 32'((32'd1 << SpineShift) - 32'd1));
  assign entry   = msgid[EntryW-1:0] & EntryW'((32'd2 << ring.window_log2) - 32'd1);
  assign at      = NoteW'(32'(ring_q) * 2 * Window + 32'(entry[NoteEntryW-1:0]));
  assign kept_at = kept_slot_i[NoteW:1];
  assign note    = notes_q[at];

  assign before_first = ((relay.first == '0) ? relay.total : relay.first) - 8'd1;
  assign header_bad   = desc_q.ina.msglen == '0 || desc_q.ina.kind[3:0] > TypeInt32 ||
      {2'b00, desc_q.ina.kind[5:4]} > OpMax || 32'(desc_q.ina.msglen) >
      (leaf ? 32'(ring.stride) : (32'd1 << SpineShift));
  assign fits         = !header_bad && desc_q.ina.workers == 16'(relay.total) &&
      desc_q.ina.rank == before_first && 32'(relay.total) > 32'(ring.workers);

  // The ring's own row, and the first one that is nobody's. Which ring: that of the request in hand,
  // or the one whose row is registered.
  logic [RingW-1:0] row_ring;
  logic             row_set, row_set_ok;
  assign row_ring = (state_q == Idle) ? row_set_ring_i : ring_q;
  always_comb begin
    row      = '0;
    row_free = '0;
    for (int r = NumRows - 1; r >= 0; r--) begin
      row_own[r] = row_valid_q[r] && row_ring_q[r] == row_ring;
      if (row_own[r]) row |= row_q[r];
      if (!row_valid_q[r]) row_free = RowW'(r);
    end
  end
  assign row_known = |row_own;
  assign rows_full = &row_valid_q;
  assign row_fits  = row_known ? row == desc_q.key : ring.learn;

  // A flush goes first.
  assign row_set         = row_set_valid_i && state_q == Idle && !flush_i;
  assign row_set_ok      = row_known ? row == row_set_key_i : !rows_full;
  assign row_set_ready_o = row_set;
  assign row_set_error_o = !row_set_ok;

  always_comb begin
    note_new        = '0;
    note_new.msgid  = desc_q.ina.msgid;
    note_new.psn0   = desc_q.starts ? desc_q.psn : desc_q.psn - 24'(desc_q.ina.msglen) + 24'd1;
    note_new.msglen = desc_q.ina.msglen;
    note_new.kind   = {2'b00, desc_q.ina.kind[5:0]};
  end
  // What has no headers yet is forgotten for any other message; it has none to lose.
  assign older  = (note.first || note.last) && 32'(desc_q.ina.msgid - note.msgid) >= 32'h8000_0000;
  assign other  = desc_q.ina.msgid != note.msgid;
  assign same   = (note.first || note.last) && !other;
  assign clash  = same && (note_new.psn0 != note.psn0 || note_new.msglen != note.msglen ||
      note_new.kind != note.kind);
  assign ragged = |(desc_q.tensor_len[1:0] & ((desc_q.ina.kind[3:0] == TypeFp16 ||
      desc_q.ina.kind[3:0] == TypeBf16) ? 2'b01 : 2'b11));

  always_comb begin
    rsp_d             = '0;
    rsp_d.port        = PortW'(NumPorts - 1);
    rsp_d.ring        = ring_q;
    rsp_d.rank        = note_q ? NoteRank : ParentRank;
    rsp_d.workers     = ring.workers;
    rsp_d.msgid       = msgid;
    rsp_d.window_log2 = ring.window_log2;
    rsp_d.kind        = desc_q.ina.kind;
    rsp_d.tensor_len  = desc_q.tensor_len;
    if (note_q) begin
      // Headers are written without a word from slot state, as those of a duplicate are.
      rsp_d.slot = SlotW'({at, !desc_q.starts});
      rsp_d.fate = FateDuplicate;
      if (!fits || desc_q.len_bad || desc_q.tensor_len != '0) rsp_d.fate = FateBadHeader;
      else if (!row_fits) rsp_d.fate = FateRankConflict;
      else if (!row_known && rows_full) rsp_d.fate = FateTableFull;
      else if (older) rsp_d.fate = FateStale;
      else if (clash) rsp_d.fate = FatePsnConflict;
    end else begin
      rsp_d.offset = leaf ? SlotW'(desc_q.psn) : '0;
      rsp_d.slot   = ring.base + SlotW'(32'(entry) * 32'(ring.stride)) + rsp_d.offset;
      rsp_d.fate   = FateStored;
      if (header_bad || desc_q.psn >= 24'(desc_q.ina.msglen)) rsp_d.fate = FateBadHeader;
      else if (desc_q.len_bad || ragged || 32'(desc_q.tensor_len) > SlotBytes) begin
        rsp_d.fate = FateBadLength;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    note_refused_o <= 1'b0;
    table_full_o   <= 1'b0;
    bad_parent_o   <= 1'b0;
    if (take) begin
      note_q <= is_note;
      ring_q <= ring_index;
      desc_q <= req_i;
    end
    unique case (state_q)
      Idle:  if (take) state_q <= Judge;
      Judge: begin
        state_q        <= Answer;
        rsp_q          <= rsp_d;
        note_refused_o <= note_q && rsp_d.fate != FateDuplicate;
        table_full_o   <= note_q && rsp_d.fate == FateTableFull;
        bad_parent_o   <= !note_q && rsp_d.fate != FateStored;
        if (note_q && rsp_d.fate == FateDuplicate) begin
          if (!row_known) begin
            row_valid_q[row_free] <= 1'b1;
            row_ring_q[row_free]  <= ring_q;
            row_q[row_free]       <= desc_q.key;
          end
          notes_q[at].msgid  <= note_new.msgid;
          notes_q[at].psn0   <= note_new.psn0;
          notes_q[at].msglen <= note_new.msglen;
          notes_q[at].kind   <= note_new.kind;
          if (other) begin
            notes_q[at].first <= 1'b0;
            notes_q[at].last  <= 1'b0;
          end
        end
      end
      Answer:  if (rsp_ready_i) state_q <= Idle;
      default: state_q <= Idle;
    endcase

    if (kept_valid_i && notes_q[kept_at].msgid == kept_msgid_i &&
        !(state_q == Judge && note_q && at == kept_at && other)) begin
      if (kept_slot_i[0]) notes_q[kept_at].last <= 1'b1;
      else notes_q[kept_at].first <= 1'b1;
    end

    if (row_set && row_set_ok) begin
      for (int unsigned r = 0; r < NumRows; r++) begin
        if (row_known ? row_own[r] : row_free == RowW'(r)) begin
          row_valid_q[r] <= 1'b1;
          row_fixed_q[r] <= 1'b1;
          row_ring_q[r]  <= row_set_ring_i;
          row_q[r]       <= row_set_key_i;
        end
      end
    end

    if (flush_i) begin
      for (int unsigned r = 0; r < NumRows; r++) begin
        if (row_ring_q[r] == flush_ring_i && !row_fixed_q[r]) row_valid_q[r] <= 1'b0;
      end
      for (int unsigned i = 0; i < 2 * Window; i++) begin
        notes_q[NoteW'(32'(flush_ring_i) * 2 * Window + i)].first <= 1'b0;
        notes_q[NoteW'(32'(flush_ring_i) * 2 * Window + i)].last  <= 1'b0;
      end
    end

    if (!rst_ni) begin
      state_q        <= Idle;
      row_valid_q    <= '0;
      row_fixed_q    <= '0;
      notes_q        <= '0;
      note_refused_o <= 1'b0;
      table_full_o   <= 1'b0;
      bad_parent_o   <= 1'b0;
    end
  end

  assign notes_o = notes_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A ring is flushed only when nothing in hand relies on its row.
      a_flush : assert (!flush_i || state_q == Idle)
      else $error("%m: flush while a request is in hand");
      // A ring has one row at most; with two its results would leave on a connection made of both.
      a_own_row : assert (state_q != Judge || $onehot0(row_own))
      else $error("%m: two rows of ring %0d", ring_q);
    end
  end

endmodule
