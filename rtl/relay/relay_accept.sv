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
// messages the sender of packets asks at `look`.
//
// One request at a time, as its port asks, or as a row is registered; the port shows its own until
// it is taken. The answer waits for slot state, and what is not for this module for look-up;
// neither ever waits for this module.
module relay_accept
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
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
  /// 0: children are workers. 1: those of some rings are devices.
  parameter int unsigned Spine = 0,
  /// Rows of the translation table, one a ring, 1 to NumRings.
  parameter int unsigned NumRows = NumRings,
  localparam int unsigned Entries = 2 * MaxWindow,
  localparam int unsigned NoteW = $clog2(NumRings * Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  // Request of the port that leads to the parent. What is not for this device is passed on to
  // look-up (`other`), and waits for its ready. Not all of a descriptor is looked at.
  /* verilator lint_off UNUSEDSIGNAL */
  input  lookup_req_t req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        req_ready_o,
  output logic        other_valid_o,
  input  logic        other_ready_i,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // The device's own address, where virtual connections end.
  input logic        [31:0]         self_ip_i,

  // Answers to slot state, one at a time.
  output decide_req_t own_o,
  input  logic        own_ready_i,

  // Hold, and flush of a ring, which comes only while idle. Idle: no request in hand, but for one
  // that look-up has not taken yet.
  input  flush_conns_t flush_i,
  output logic         idle_o,

  // The control plane registers a ring's row; its index and rank are not looked at.
  /* verilator lint_off UNUSEDSIGNAL */
  input  relay_set_req_t row_set_i,
  output relay_set_rsp_t row_set_o,

  // Commit of a notification, always taken: its headers are in their bank. Its slot says of which
  // message and packet they are.
  input commit_req_t kept_i,

  // Read port of relay_take: what is known of a message, a cycle later.
  input  relay_look_t look_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output relay_note_t look_o,

  // Pulses for the counters.
  output relay_ask_events_t events_o
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned RowW = (NumRows > 1) ? $clog2(NumRows) : 1;
  localparam int unsigned EntryW = $clog2(2 * MaxWindow);
  localparam int unsigned NoteEntryW = $clog2(Entries);
  localparam logic [RankW-1:0] ParentRank = RankW'(NumRanks);
  localparam logic [RankW-1:0] NoteRank = RankW'(NumRanks + 1);

  if (NumRanks > MaxRanks - 2) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be at most %0d below a parent", MaxRanks - 2);
  end
  if (NumRows < 1 || NumRows > NumRings) begin : gen_check_rows
    $fatal(1, "%m: NumRows must be 1 to %0d", NumRings);
  end
  if (2 * NumRings * Entries > 2 ** SlotW) begin : gen_check_notes
    $fatal(1, "%m: headers of %0d messages are more than %0d", NumRings * Entries,
           2 ** (SlotW - 1));
  end

  // ---------------------------------------------------------------------------------------------
  // One request in hand. Each state is a cycle but `Other`, which waits for look-up, and `Answer`,
  // which waits for slot state with a packet's answer.

  typedef enum logic [3:0] {Idle, Match, Other, Take, Place, Ask, Judge, Rule, Answer} state_e;
  typedef enum logic [1:0] {KindNote, KindResult, KindRow} kind_e;

  state_e           state_q;
  kind_e            kind_q;
  logic [RingW-1:0] ring_q;
  // Of a row that is registered only the key.
  /* verilator lint_off UNUSEDSIGNAL */
  frame_desc_t      desc_q;
  ring_t            cfg_q;
  relay_ring_t      relay_q;
  /* verilator lint_on UNUSEDSIGNAL */
  lookup_rsp_t      rsp_q, rsp_d;
  logic             begins;
  logic             row_write_q;   // the row in hand is the ring's now

  assign begins          = state_q == Idle && !flush_i.hold;
  assign req_ready_o     = (state_q == Take && kind_q != KindRow) ||
      (state_q == Other && other_ready_i);
  assign other_valid_o   = state_q == Other;
  assign idle_o          = state_q == Idle || state_q == Other;
  assign own_o.valid     = state_q == Answer && kind_q != KindRow;
  assign own_o.packet           = rsp_q;
  assign row_set_o.ready = state_q == Answer && kind_q == KindRow;
  assign row_set_o.error = !row_write_q;

  // ---------------------------------------------------------------------------------------------
  // Match: whose is it? The first of several rings with the same RingID counts.

  logic [NumRings-1:0] match_q, parent_match_q;
  logic                note_like_q, result_like_q, to_self_q;
  logic [RingW-1:0]    ring_index;
  logic                from_parent, of_leaf, is_note, is_result;

  always_comb begin
    ring_index  = '0;
    from_parent = 1'b0;
    of_leaf     = 1'b0;
    for (int g = NumRings - 1; g >= 0; g--) begin
      if (match_q[g]) begin
        ring_index  = RingW'(g);
        from_parent = parent_match_q[g];
        of_leaf     = relays_i[g].parent && (Spine == 0 || !relays_i[g].devices);
      end
    end
  end
  assign is_note   = note_like_q && of_leaf;
  assign is_result = result_like_q && to_self_q && from_parent;

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      for (int unsigned g = 0; g < NumRings; g++) begin
        match_q[g]        <= rings_i[g].enable && rings_i[g].id == req_i.desc.ina.ring;
        parent_match_q[g] <= req_i.desc.key.src == 128'(relays_i[g].parent_ip) &&
            req_i.desc.key.qpn == {VirtualQpn, rings_i[g].id} && relays_i[g].parent;
      end
      note_like_q   <= req_i.desc.has_ina && req_i.desc.ina.kind[7:6] == NoteKind;
      result_like_q <= req_i.desc.has_ina && req_i.desc.starts && req_i.desc.ina.kind[7:6] == '0 &&
          !req_i.desc.key.v6 && req_i.desc.key.vlan == '0;
      to_self_q     <= req_i.desc.key.dst == 128'(self_ip_i);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Take, Place: what is asked about. Which message, its place, and the ring's row or the first one
  // that is nobody's.

  logic [NumRows-1:0]            row_valid_q, row_fixed_q, row_own_q;
  logic [NumRows-1:0]            row_free_q, row_at_q;   // one-hot, if any
  logic [NumRows-1:0][RingW-1:0] row_ring_q;
  logic [RowW-1:0]               row_index;
  logic                          row_known_q;
  conn_key_t                     row;        // read in Ask, there in Judge
  logic [EntryW-1:0]             entry, entry_q;
  logic [NoteW-1:0]              at_q;
  relay_numbers_t                numbers_q;
  logic                          header_bad_q;
  logic [7:0]                    before_first_q;

  assign entry = EntryW'(entry_of(desc_q.ina.msgid[6:0], cfg_q.window_log2));

  always_comb begin
    row_index = '0;
    for (int unsigned r = 0; r < NumRows; r++) if (row_at_q[r]) row_index |= RowW'(r);
  end

  always_ff @(posedge clk_i) begin
    cfg_q   <= rings_i[ring_q[RingIdxW-1:0]];
    relay_q <= relays_i[ring_q[RingIdxW-1:0]];
    if (state_q == Take) begin
      for (int unsigned r = 0; r < NumRows; r++) begin
        row_own_q[r] <= row_valid_q[r] && row_ring_q[r] == ring_q;
      end
      row_free_q <= ~row_valid_q & (row_valid_q + NumRows'(1));
    end
    if (state_q == Place) begin
      row_at_q     <= (row_own_q != '0) ? row_own_q : row_free_q;
      row_known_q  <= row_own_q != '0;
      entry_q      <= entry;
      at_q         <= NoteW'(32'(ring_q) * Entries + 32'(entry[NoteEntryW-1:0]));
      header_bad_q <= desc_q.ina.msglen == '0 || desc_q.ina.kind[3:0] > TypeInt32 ||
          {2'b00, desc_q.ina.kind[5:4]} > OpMax ||
          32'(desc_q.ina.msglen) > 32'(cfg_q.stride);
      before_first_q <= ((relay_q.first == '0) ? relay_q.total : relay_q.first) - 8'd1;
      numbers_q.msgid  <= desc_q.ina.msgid;
      numbers_q.psn0   <= desc_q.starts ? desc_q.psn :
          desc_q.psn - 24'(desc_q.ina.msglen) + 24'd1;
      numbers_q.msglen <= desc_q.ina.msglen;
      numbers_q.kind   <= {2'b00, desc_q.ina.kind[5:0]};
    end
  end

  prim_ram_1r1w #(
    .Width  ($bits(conn_key_t)),
    .Depth  (NumRows),
    .Latency(1)
  ) u_keys (
    .clk_i,
    .we_i   (row_write_q),
    .waddr_i(row_index),
    .wdata_i(desc_q.key),
    .re_i   (state_q == Ask),
    .raddr_i(row_index),
    .rdata_o(row)
  );

  // ---------------------------------------------------------------------------------------------
  // Judge: what is known beside what has come.

  relay_note_t      note;
  logic             older_q, other_q, clash_q, fits_q, row_same_q, ragged_q, beyond_q;
  logic [SlotW-1:0] step_q, place_q;

  always_ff @(posedge clk_i) begin
    row_same_q <= row == desc_q.key;
    // What has no headers yet is forgotten for any other message; it has none to lose.
    older_q    <= (note.first || note.last) &&
        32'(desc_q.ina.msgid - note.numbers.msgid) >= 32'h8000_0000;
    other_q    <= desc_q.ina.msgid != note.numbers.msgid;
    clash_q    <= (note.first || note.last) && numbers_q != note.numbers;   // or of another message
    fits_q     <= !header_bad_q && desc_q.ina.workers[7:0] == relay_q.total &&
        desc_q.ina.rank == before_first_q && 32'(relay_q.total) > 32'(cfg_q.workers);
    step_q     <= step_of(7'(entry_q), 7'(EntryW'((8'd1 << cfg_q.window_log2) - 8'd1)),
                          cfg_q.stride);
    place_q    <= cfg_q.base + SlotW'({desc_q.psn, 1'b0});
    beyond_q   <= desc_q.psn >= 24'(desc_q.ina.msglen);
    ragged_q   <= desc_q.len_bad || 32'(desc_q.tensor_len) > SlotBytes ||
        ragged_of(desc_q.ina.kind[3:0], desc_q.tensor_len[1:0]) != '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Rule: the answer, and what is kept, which is written a cycle later.

  logic keeps, keeps_q, row_ok;

  always_comb begin
    rsp_d             = '0;
    rsp_d.port        = PortW'(NumPorts - 1);
    rsp_d.ring        = ring_q;
    rsp_d.workers     = cfg_q.workers;
    rsp_d.msgid       = desc_q.ina.msgid;
    rsp_d.window_log2 = cfg_q.window_log2;
    rsp_d.kind        = desc_q.ina.kind;
    rsp_d.tensor_len  = desc_q.tensor_len;
    if (kind_q == KindNote) begin
      // Headers are written without a word from slot state, as those of a duplicate are.
      rsp_d.rank = NoteRank;
      rsp_d.slot = SlotW'({at_q, !desc_q.starts});
      rsp_d.fate = FateDuplicate;
      if (!fits_q || desc_q.len_bad || desc_q.tensor_len != '0) rsp_d.fate = FateBadHeader;
      else if (row_known_q ? !row_same_q : !cfg_q.learn) rsp_d.fate = FateRankConflict;
      else if (row_at_q == '0) rsp_d.fate = FateTableFull;
      else if (older_q) rsp_d.fate = FateStale;
      else if (clash_q && !other_q) rsp_d.fate = FatePsnConflict;
    end else begin
      rsp_d.of_ring = 1'b1;
      rsp_d.rank   = ParentRank;
      rsp_d.offset = SlotW'(desc_q.psn);
      rsp_d.slot   = place_q + step_q;
      rsp_d.fate   = FateStored;
      if (header_bad_q || beyond_q) rsp_d.fate = FateBadHeader;
      else if (ragged_q) rsp_d.fate = FateBadLength;
    end
  end

  assign keeps  = state_q == Rule && kind_q == KindNote && rsp_d.fate == FateDuplicate;
  assign row_ok = row_known_q ? row_same_q : row_at_q != '0;

  relay_notes #(
    .NumRings(NumRings),
    .Entries (Entries)
  ) u_notes (
    .clk_i,
    .rst_ni,
    .ask_i       (state_q == Ask),
    .write_i     (keeps_q),
    .other_i     (other_q),
    .at_i        (at_q),
    .numbers_i   (numbers_q),
    .note_o      (note),
    .look_i      (look_i.valid),
    .look_at_i   (look_i.at[NoteW-1:0]),
    .look_o,
    .kept_valid_i(kept_i.valid),
    .kept_at_i   (kept_i.commit.slot[NoteW:1]),
    .kept_last_i (kept_i.commit.slot[0]),
    .kept_msgid_i(kept_i.commit.msgid),
    .flush_i     (flush_i.valid),
    .flush_ring_i(flush_i.ring)
  );

  always_ff @(posedge clk_i) begin
    events_o <= '0;
    unique case (state_q)
      Idle: if (begins) begin
        desc_q <= req_i.desc;
        if (row_set_i.valid) begin
          state_q    <= Take;
          kind_q     <= KindRow;
          ring_q     <= row_set_i.conn.ring;
          desc_q.key <= row_set_i.conn.key;
        end else if (req_i.valid) begin
          state_q <= Match;
        end
      end
      Match: begin
        state_q <= (is_note || is_result) ? Take : Other;
        kind_q  <= is_note ? KindNote : KindResult;
        ring_q  <= ring_index;
      end
      Other: if (other_ready_i) state_q <= Idle;
      Take:  state_q <= Place;
      Place: state_q <= Ask;
      Ask:   state_q <= Judge;
      Judge: state_q <= Rule;
      Rule: begin
        state_q        <= Answer;
        rsp_q          <= rsp_d;
        events_o.note_refused <= kind_q == KindNote && !keeps;
        events_o.table_full   <= kind_q == KindNote && rsp_d.fate == FateTableFull;
        events_o.bad_parent   <= kind_q == KindResult && rsp_d.fate != FateStored;
      end
      Answer:  if (kind_q == KindRow || own_ready_i) state_q <= Idle;
      default: state_q <= Idle;
    endcase

    keeps_q     <= keeps;
    row_write_q <= (keeps && !row_known_q) ||
        (state_q == Rule && kind_q == KindRow && row_ok);
    for (int unsigned r = 0; r < NumRows; r++) begin
      if (flush_i.valid && row_ring_q[r] == flush_i.ring &&
          (flush_i.free || !row_fixed_q[r])) begin
        row_valid_q[r] <= 1'b0;
        row_fixed_q[r] <= 1'b0;
      end
      if (row_write_q && row_at_q[r]) begin
        row_valid_q[r] <= 1'b1;
        row_ring_q[r]  <= ring_q;
        if (kind_q == KindRow) row_fixed_q[r] <= 1'b1;
      end
    end

    if (!rst_ni) begin
      state_q        <= Idle;
      keeps_q        <= 1'b0;
      row_write_q    <= 1'b0;
      row_valid_q    <= '0;
      row_fixed_q    <= '0;
      events_o       <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A ring is flushed only when nothing in hand relies on its row.
      a_flush : assert (!flush_i.valid || idle_o)
      else $error("%m: flush while a request is in hand");
      // A ring has one row at most; with two its results would leave on a connection made of both.
      a_own_row : assert (state_q != Place || $onehot0(row_own_q))
      else $error("%m: two rows of ring %0d", ring_q);
      // A port shows its request until that is taken.
      a_stands : assert (!(state_q == Match || state_q == Other ||
          (state_q == Take && kind_q != KindRow)) || (req_i.valid && req_i.desc == desc_q))
      else $error("%m: a request was withdrawn");
      // And so does the control plane its row.
      a_set_stands : assert (kind_q != KindRow ||
          !(state_q == Take || state_q == Place || state_q == Ask || state_q == Judge ||
            state_q == Rule || state_q == Answer) ||
          (row_set_i.valid && row_set_i.conn.key == desc_q.key && row_set_i.conn.ring == ring_q))
      else $error("%m: a row was withdrawn");
    end
  end

endmodule
