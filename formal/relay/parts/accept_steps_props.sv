// relay_accept, step by step: what a cycle makes of a request from wherever it may stand, with any
// registers, whatever notes and rows answer (`cuts` of the task). The sentences are those of
// docs/relay.md. (From request to answer, with notes and rows in their places: relay_accept_props.)
module accept_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned Spine = 0,
  parameter int unsigned NumRings = 4,
  parameter int unsigned NumRows = 3
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input lookup_req_t                req_i,
  input logic                       other_ready_i,
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input logic        [31:0]         self_ip_i,
  input logic                       own_ready_i,
  input flush_conns_t               flush_i,
  input relay_set_req_t             row_set_i,
  input commit_req_t                kept_i,
  input relay_look_t                look_i,
  input logic        [1:0]          row_i   // any
);

  localparam int unsigned NumPorts = 3;
  localparam int unsigned NumRanks = 3;
  localparam int unsigned Window = 2;
  localparam int unsigned SlotBytes = 256;
  // The RTL's states and kinds.
  localparam logic [3:0] Idle = 4'd0, Match = 4'd1, Other = 4'd2, Take = 4'd3, Place = 4'd4;
  localparam logic [3:0] Ask = 4'd5, Judge = 4'd6, Rule = 4'd7, Answer = 4'd8;
  localparam logic [1:0] KindNote = 2'd0, KindResult = 2'd1, KindRow = 2'd2;

  logic              req_ready, other_valid, idle;
  decide_req_t       own;
  relay_set_rsp_t    row_set;
  relay_note_t       look;
  relay_ask_events_t events;

  relay_accept #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(Window),
    .SlotBytes(SlotBytes),
    .Spine    (Spine),
    .NumRows  (NumRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .req_ready_o  (req_ready),
    .other_valid_o(other_valid),
    .other_ready_i,
    .rings_i,
    .relays_i,
    .self_ip_i,
    .own_o        (own),
    .own_ready_i,
    .flush_i,
    .idle_o       (idle),
    .row_set_i,
    .row_set_o    (row_set),
    .kept_i,
    .look_i,
    .look_o       (look),
    .events_o     (events)
  );

  // ---------------------------------------------------------------------------------------------
  // The cycles before.

  typedef struct packed {
    logic             ran;
    logic [3:0]       state;
    logic [1:0]       kind;
    logic [RingW-1:0] ring;
    frame_desc_t      desc;
    lookup_rsp_t      rsp;
    ring_t            cfg;
    relay_ring_t      relay;
    logic [NumRows-1:0]            valid, fixed, at;
    logic [NumRows-1:0][RingW-1:0] of;
    logic             known;      // the ring has a row
    logic [1:0]       entry;
    logic [3:0]       note_at;
    relay_numbers_t   numbers;
    logic             bad_header;
    logic [7:0]       ahead;
    logic             writes;     // a row, and headers
    logic             keeps;
  } at_t;

  typedef struct packed {
    lookup_req_t                req;
    logic                       other_ready, own_ready;
    ring_t       [NumRings-1:0] rings;
    relay_ring_t [NumRings-1:0] relays;
    logic        [31:0]         self_ip;
    flush_conns_t               flush;
    relay_set_req_t             row_set;
    relay_note_t                note;
    conn_key_t                  row;
  } came_t;

  at_t        now, q, q2;
  came_t      c, c2, here;
  logic [3:0] past_q;
  logic [1:0] any_q, r;   // the followed row
  initial past_q = '0;
  assign now = '{rst_ni, u_dut.state_q, u_dut.kind_q, u_dut.ring_q, u_dut.desc_q, u_dut.rsp_q,
                 u_dut.cfg_q, u_dut.relay_q, u_dut.row_valid_q, u_dut.row_fixed_q, u_dut.row_at_q,
                 u_dut.row_ring_q, u_dut.row_known_q, u_dut.entry_q, u_dut.at_q, u_dut.numbers_q,
                 u_dut.header_bad_q, u_dut.before_first_q, u_dut.row_write_q, u_dut.keeps_q};
  assign here = '{req_i, other_ready_i, own_ready_i, rings_i, relays_i, self_ip_i, flush_i,
                  row_set_i, u_dut.u_notes.note_o, u_dut.row};
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[2:0], 1'b1};
    {q2, q} <= {q, now};
    {c2, c} <= {c, here};
    if (!past_q[0]) any_q <= row_i;
  end
  assign r = (32'(any_q) < NumRows) ? any_q : 2'd0;

  // ---------------------------------------------------------------------------------------------
  // Whose a request is: of the first ring that is enabled and has its RingID, as it came; a leaf's
  // notification, or a packet of the ring's virtual connection from the parent to this device.

  logic             found, leaf, from_parent, note, result, begins;
  logic [RingW-1:0] ring;
  frame_desc_t      d2;
  assign d2 = c2.req.desc;
  always_comb begin
    {found, ring} = '0;
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (!found && c2.rings[g].enable && c2.rings[g].id == d2.ina.ring) begin
        {found, ring} = {1'b1, RingW'(g)};
      end
    end
    leaf = found && c.relays[ring[1:0]].parent && (Spine == 0 || !c.relays[ring[1:0]].devices);
    from_parent = found && c2.relays[ring[1:0]].parent &&
        d2.key.src == 128'(c2.relays[ring[1:0]].parent_ip) &&
        d2.key.qpn == {VirtualQpn, c2.rings[ring[1:0]].id};
    note   = leaf && d2.has_ina && d2.ina.kind[7:6] == NoteKind;
    result = from_parent && d2.key.dst == 128'(c2.self_ip) && d2.has_ina && d2.starts &&
        d2.ina.kind[7:6] == 2'd0 && !d2.key.v6 && d2.key.vlan == '0;
  end
  assign begins = q.state == Idle && !c.flush.hold;

  // The ring's row, or the first one that is nobody's, as rows were two cycles ago.
  logic [NumRows-1:0] own_row, free_row;
  always_comb begin
    {own_row, free_row} = '0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      own_row[r] = q2.valid[r] && q2.of[r] == q2.ring;
      if (!q2.valid[r] && free_row == '0) free_row[r] = 1'b1;
    end
  end

  // Where the message stands in its ring.
  logic [31:0] place;
  assign place = (32'(q.desc.ina.msgid[6:0]) % (32'd2 << q.cfg.window_log2)) % (2 * Window);

  // ---------------------------------------------------------------------------------------------
  // What is wrong, of the cycle before the ruling, and the ruling.

  logic  some, older, other, clash, fits, same_row, ragged, beyond;
  fate_e fate;
  ina_t  ina;
  logic [31:0] slot;
  assign some     = c2.note.first || c2.note.last;   // headers are there
  assign ina      = q2.desc.ina;
  assign older    = some && $signed(ina.msgid - c2.note.numbers.msgid) < 0;
  assign other    = ina.msgid != c2.note.numbers.msgid;
  assign clash    = some && q2.numbers != c2.note.numbers;
  assign fits     = !q2.bad_header && ina.workers[7:0] == q2.relay.total &&
      ina.rank == q2.ahead && q2.relay.total > 8'(q2.cfg.workers);
  assign same_row = c2.row == q2.desc.key;
  assign ragged   = q2.desc.len_bad || 32'(q2.desc.tensor_len) > SlotBytes ||
      (is_half(ina.kind[3:0]) ? q2.desc.tensor_len[0] : q2.desc.tensor_len[1:0] != 2'd0);
  assign beyond   = q2.desc.psn >= 24'(ina.msglen);
  // A slot of the pair of the message's place among N, or of the one N later; `psn` pairs behind.
  logic [31:0] n;
  assign n    = 32'd1 << q2.cfg.window_log2;
  assign slot = 32'(q2.cfg.base) + 32'(q2.desc.psn) * 2 +
      ((n > 4 ? 32'(q2.entry) : 32'(q2.entry) % n) * 32'(q2.cfg.stride)) * 2 +
      32'(n <= 4 && 32'(q2.entry) % n != 32'(q2.entry));
  always_comb begin
    if (q.kind == KindNote) begin
      fate = (clash && !other) ? FatePsnConflict : FateDuplicate;
      if (older) fate = FateStale;
      if (q.at == '0) fate = FateTableFull;
      if (q.known ? !same_row : !q.cfg.learn) fate = FateRankConflict;
      if (!fits || q.desc.len_bad || q.desc.tensor_len != '0) fate = FateBadHeader;
    end else begin
      fate = ragged ? FateBadLength : FateStored;
      if (q.bad_header || beyond) fate = FateBadHeader;
    end
  end

  logic ruled, kept, fits_row;
  assign ruled    = q.state == Rule;
  assign kept     = ruled && q.kind == KindNote && fate == FateDuplicate;
  assign fits_row = q.known ? same_row : q.at != '0;

  // The followed row.
  logic flushed, sets;
  assign sets    = q.writes && q.at[r];
  assign flushed = c.flush.valid && q.of[r] == c.flush.ring && (c.flush.free || !q.fixed[r]);

  always_ff @(posedge clk_i) begin
    if (past_q[3] && q.ran && q2.ran) begin
      // One request after the other, a row of the control plane first; what is for this device goes
      // through its steps, what is not goes on to look-up.
      a_steps : assert (now.state == (
          q.state == Idle ? (!begins ? Idle : c.row_set.valid ? Take : c.req.valid ? Match : Idle) :
          q.state == Match ? (note || result ? Take : Other) :
          q.state == Other ? (c.other_ready ? Idle : Other) : q.state == Take ? Place :
          q.state == Place ? Ask : q.state == Ask ? Judge : q.state == Judge ? Rule :
          q.state == Rule ? Answer :
          q.state == Answer ? (q.kind == KindRow || c.own_ready ? Idle : Answer) : Idle))
      else $error("state %0d behind %0d", now.state, q.state);
      // A request stays as it came: the port's, or the row's key.
      a_request : assert ((begins && c.row_set.valid) ? now.desc.key == c.row_set.conn.key :
                          now.desc == (begins ? c.req.desc : q.desc))
      else $error("another request");
      if (q.state == Match) begin
        // A notification or a result is of the ring with its RingID.
        a_whose : assert (!(note || result) || (now.ring == ring &&
                                                now.kind == (note ? KindNote : KindResult)))
        else $error("ring %0d, kind %0d", now.ring, now.kind);
      end else begin
        // A row is of the ring that the control plane names; that stays until the answer.
        a_row_of : assert ({now.ring, now.kind} == ((begins && c.row_set.valid) ?
            {c.row_set.conn.ring, KindRow} : {q.ring, q.kind}))
        else $error("ring %0d, kind %0d", now.ring, now.kind);
      end
      // Its registers are the ring's.
      a_registers : assert (now.cfg == c.rings[q.ring[1:0]] && now.relay == c.relays[q.ring[1:0]])
      else $error("registers of ring %0d", q.ring);
      if (q.state == Place) begin
        // The ring's row is the one that is its own, or else the first that is nobody's.
        a_row : assert (now.known == (own_row != '0) &&
                        now.at == (own_row != '0 ? own_row : free_row))
        else $error("rows %b", now.at);
        // A message's notes have a place by its MsgID, in two windows of its ring.
        a_place : assert (32'(now.entry) == place &&
                          32'(now.note_at) == (32'(q.ring) * (2 * Window) + place) % 16)
        else $error("place %0d", now.note_at);
        // A header is bad whose message has no packets or more than a slot of the ring has room
        // for, or whose elements or operation there are not.
        a_header : assert (now.bad_header == (q.desc.ina.msglen == '0 ||
            q.desc.ina.msglen > 16'(q.cfg.stride) || q.desc.ina.kind[3:0] > 4'd3 ||
            q.desc.ina.kind[5:4] == 2'd3))
        else $error("header is bad: %b", now.bad_header);
        // The connection from elsewhere is that of the worker before this leaf's first, around the
        // ring.
        a_before : assert (now.ahead == (q.relay.first == 8'd0 ? q.relay.total : q.relay.first) -
                           8'd1)
        else $error("rank %0d", now.ahead);
        // A message's first PSN: of its first packet, or counted back from its last.
        a_numbers : assert (now.numbers == relay_numbers_t'{
            msgid: q.desc.ina.msgid, msglen: q.desc.ina.msglen,
            kind: {2'd0, q.desc.ina.kind[5:0]}, psn0: q.desc.starts ? q.desc.psn :
            q.desc.psn + 24'd1 - 24'(q.desc.ina.msglen)})
        else $error("message %0d", now.numbers.msgid);
      end else begin
        // All that stays until the answer.
        a_stays : assert ({now.at, now.known, now.entry, now.note_at, now.bad_header, now.ahead,
            now.numbers} == {q.at, q.known, q.entry, q.note_at, q.bad_header, q.ahead, q.numbers})
        else $error("rows %b", now.at);
      end
      if (ruled && q.kind != KindRow) begin
        // What is wrong first decides: a notification without an error is of a message whose
        // headers are kept, a result waits for slot state's word.
        a_fate : assert (now.rsp.fate == fate && now.rsp.port == PortW'(NumPorts - 1))
        else $error("fate %0d instead of %0d", now.rsp.fate, fate);
        // The answer is of that packet of that ring.
        a_rsp : assert (now.rsp.ring == q.ring && now.rsp.workers == q.cfg.workers &&
            now.rsp.msgid == q.desc.ina.msgid && now.rsp.window_log2 == q.cfg.window_log2 &&
            now.rsp.kind == q.desc.ina.kind && now.rsp.tensor_len == q.desc.tensor_len &&
            now.rsp.conn == '0 && !now.rsp.ends)
        else $error("ring %0d", now.rsp.ring);
        // A result is of the parent's rank, and of its column's slot; headers of a notification go
        // to the bank behind, those of a last packet beside those of the first.
        a_slot : assert (q.kind == KindNote ?
            {now.rsp.rank, now.rsp.slot, now.rsp.offset, now.rsp.of_ring} ==
            {RankW'(NumRanks + 1), SlotW'({q.note_at, !q.desc.starts}), SlotW'(0), 1'b0} :
            {now.rsp.rank, now.rsp.slot, now.rsp.offset, now.rsp.of_ring} ==
            {RankW'(NumRanks), SlotW'(slot), SlotW'(q.desc.psn), 1'b1})
        else $error("slot %0d", now.rsp.slot);
      end
      // An answer stands until slot state takes it.
      a_stands : assert (ruled || now.rsp == q.rsp)
      else $error("another answer");
      // What is refused is counted, and nothing else.
      a_events : assert (events.note_refused == (ruled && q.kind == KindNote && !kept) &&
          events.table_full == (ruled && q.kind == KindNote && fate == FateTableFull) &&
          events.bad_parent == (ruled && q.kind == KindResult && fate != FateStored))
      else $error("counted %b", events);
      // Headers are kept of a notification that nothing is wrong with. With the first one of a ring
      // that learns, and with the control plane's, the row is the ring's.
      a_keeps : assert (now.keeps == kept && now.writes == ((kept && !q.known) ||
                        (ruled && q.kind == KindRow && fits_row)))
      else $error("kept %b, row %b", now.keeps, now.writes);
      // A row is in use from when a ring gets it until that ring is flushed: one that the control
      // plane has set until its connections are forgotten.
      a_valid : assert (now.valid[r] == (sets || (q.valid[r] && !flushed)) &&
          now.fixed[r] == ((sets && q.kind == KindRow) || (q.fixed[r] && !flushed)) &&
          now.of[r] == (sets ? q.ring : q.of[r]))
      else $error("row %0d", r);
    end
    // A ring learns its row; a result of the parent goes to slot state.
    c_learns : cover (past_q[3] && q.ran && q2.ran && kept && !q.known && q.cfg.learn);
    c_result : cover (past_q[3] && q.ran && q2.ran && ruled && q.kind == KindResult &&
                      fate == FateStored);
    if (past_q[3] && !q.ran) begin
      // A reset leaves no request and no row.
      a_cleared : assert (now.state == Idle && now.valid == '0 && now.fixed == '0 &&
                          !now.writes && !now.keeps && events == '0)
      else $error("state %0d", now.state);
    end
    if (past_q[3]) begin
      // A port's request is taken when it is known to be for this device, or when look-up takes it.
      a_taken : assert (req_ready == ((now.state == Take && now.kind != KindRow) ||
                                      (now.state == Other && other_ready_i)) &&
          other_valid == (now.state == Other) && idle == (now.state == Idle || now.state == Other))
      else $error("ready %b", req_ready);
      // Each is answered once: a packet to slot state, a row to the control plane, with an error if
      // it was not written.
      a_answered : assert (own.valid == (now.state == Answer && now.kind != KindRow) &&
          own.packet == now.rsp && row_set.ready == (now.state == Answer && now.kind == KindRow) &&
          row_set.error == !now.writes)
      else $error("answered %b%b", own.valid, row_set.ready);
    end
  end

  // What the parts are told.
  logic       other_now;
  logic [1:0] row_at;
  assign other_now = q.desc.ina.msgid != c.note.numbers.msgid;
  always_comb begin
    row_at = '0;
    for (int unsigned r = 0; r < NumRows; r++) if (now.at[r]) row_at = 2'(r);
  end
  always_ff @(posedge clk_i) begin
    if (past_q[3] && q.ran && q2.ran) begin
      // Notes are asked about the message in hand, and told of it when its headers are kept, and
      // whether they had another message's until then.
      a_notes : assert (u_dut.u_notes.ask_i == (now.state == Ask) &&
          u_dut.u_notes.at_i == now.note_at && u_dut.u_notes.write_i == now.keeps &&
          u_dut.u_notes.numbers_i == now.numbers &&
          (!now.keeps || u_dut.u_notes.other_i == other_now))
      else $error("notes");
      // They are told of headers that are in their bank, of flushes, and asked by who takes.
      a_told : assert (u_dut.u_notes.look_i == look_i.valid &&
          u_dut.u_notes.look_at_i == look_i.at[3:0] && look == u_dut.u_notes.look_o &&
          u_dut.u_notes.kept_valid_i == kept_i.valid &&
          {u_dut.u_notes.kept_at_i, u_dut.u_notes.kept_last_i} == kept_i.commit.slot[4:0] &&
          u_dut.u_notes.kept_msgid_i == kept_i.commit.msgid &&
          u_dut.u_notes.flush_i == flush_i.valid && u_dut.u_notes.flush_ring_i == flush_i.ring)
      else $error("notes");
      // A row's key is written when the ring gets it, and read to be compared.
      a_key : assert (u_dut.u_keys.we_i == now.writes && u_dut.u_keys.re_i == (now.state == Ask) &&
          u_dut.u_keys.wdata_i == now.desc.key &&
          (!$onehot(now.at) || (u_dut.u_keys.waddr_i == row_at && u_dut.u_keys.raddr_i == row_at)))
      else $error("key of row %0d", u_dut.u_keys.waddr_i);
    end
  end

endmodule
