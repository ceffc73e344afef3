// What a device takes from above: results of its parent alone, and, where it is a leaf, headers of
// one connection a ring.
//
// One ring of two is followed, free; what holds for it holds for the other.
module relay_accept_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumRings = 2,
  parameter int unsigned MaxWindow = 1,
  parameter int unsigned NumRows = NumRings,
  localparam int unsigned LookW = $clog2(NumRings * 2 * MaxWindow)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              req_valid_i,
  input frame_desc_t       req_i,
  input logic              other_ready_i,
  input logic              rsp_ready_i,
  input logic              hold_i,
  input logic              flush_i,
  input logic              flush_ring_i,
  input logic              flush_free_i,
  input logic              row_set_valid_i,
  input conn_key_t         row_set_key_i,
  input logic              row_set_ring_i,
  input logic              look_i,
  input logic [LookW-1:0]  look_at_i,
  input logic              kept_valid_i,
  input logic [SlotW-1:0]  kept_slot_i,
  input logic [31:0]       kept_msgid_i,
  // In the first cycle: registers, and the ring that is followed.
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input logic        [31:0]         self_ip_i,
  input logic                       ring_i
);

  localparam int unsigned NumRanks = 2;

  logic                       started_q, followed_q;
  ring_t       [NumRings-1:0] rings_q;
  relay_ring_t [NumRings-1:0] relays_q;
  logic        [31:0]         self_ip_q;
  initial started_q = 1'b0;

  logic                    req_ready, other_valid, rsp_valid, idle;
  logic                    note_refused, table_full, bad_parent, row_set_ready, row_set_error;
  lookup_rsp_t             rsp;
  relay_note_t             looked;

  relay_accept #(
    .NumPorts (2),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(MaxWindow),
    .SlotBytes(64),
    .NumRows  (NumRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i        ('{valid: req_valid_i, desc: req_i}),
    .req_ready_o  (req_ready),
    .other_valid_o(other_valid),
    .other_ready_i,
    .rings_i      (rings_q),
    .relays_i     (relays_q),
    .self_ip_i    (self_ip_q),
    .own_o        ({rsp_valid, rsp}),
    .own_ready_i  (rsp_ready_i),
    .flush_i      ('{hold: hold_i, valid: flush_i, ring: RingW'(flush_ring_i),
                     free: flush_free_i}),
    .idle_o       (idle),
    .row_set_i    ('{valid: row_set_valid_i,
                     conn: '{act: ConnRegister, index: '0, key: row_set_key_i,
                             ring: RingW'(row_set_ring_i), rank: '0, elsewhere: 1'b1}}),
    .row_set_o    ({row_set_ready, row_set_error}),
    .kept_i       ('{valid: kept_valid_i, busy: 1'b0,
                     commit: '{slot: kept_slot_i, msgid: kept_msgid_i, default: '0}}),
    .look_i       ('{valid: look_i, at: (SlotW - 1)'(look_at_i)}),
    .look_o       (looked),
    .events_o     ({table_full, bad_parent, note_refused})
  );

  // The request in hand, as the port showed it.
  frame_desc_t desc_q;
  logic        taken, note, keeps, ours, passes_q;
  logic [7:0]  place;
  assign taken = req_valid_i && req_ready && !other_valid;
  assign note  = 32'(rsp.rank) == NumRanks + 1;
  assign keeps = rsp_valid && note && rsp.fate == FateDuplicate;
  assign ours  = rsp.ring == RingW'(followed_q);
  assign place = ((relays_q[followed_q].first == '0) ? relays_q[followed_q].total :
      relays_q[followed_q].first) - 8'd1;

  // The followed ring's rows.
  logic [NumRows-1:0] own, fixed;
  conn_key_t          own_key;
  always_comb begin
    own_key = '0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      own[r] = u_dut.row_valid_q[r] && u_dut.row_ring_q[r] == RingW'(followed_q);
      fixed[r] = own[r] && u_dut.row_fixed_q[r];
      if (own[r]) own_key |= u_dut.u_keys.mem[r];
    end
  end

  // The rows of the ring in hand, and the first one that is nobody's.
  logic [NumRows-1:0] hand_own, first_free;
  conn_key_t          hand_key;
  always_comb begin
    hand_key = '0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      hand_own[r] = u_dut.row_valid_q[r] && u_dut.row_ring_q[r] == u_dut.ring_q;
      if (hand_own[r]) hand_key |= u_dut.u_keys.mem[r];
    end
    first_free = '0;
    for (int r = NumRows - 1; r >= 0; r--) begin
      if (!u_dut.row_valid_q[r]) first_free = NumRows'(1) << r;
    end
  end
  function automatic logic [SlotW-1:0] slot_of(logic odd);
    slot_of = rings_q[followed_q].base + SlotW'({desc_q.psn, odd});
  endfunction

  logic in_match, in_place, in_ask, in_judge, in_rule, row_kind;
  // By their numbers: names in another module are out of reach here.
  assign in_match = u_dut.state_q == 4'd1;
  assign in_place = u_dut.state_q == 4'd4;
  assign in_ask   = u_dut.state_q == 4'd5;
  assign in_judge = u_dut.state_q == 4'd6;
  assign in_rule  = u_dut.state_q == 4'd7;
  assign row_kind = u_dut.kind_q == 2'd2;

  logic doubled;
  always_comb begin
    doubled = 1'b0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      for (int unsigned s = 0; s < r; s++) begin
        if (u_dut.row_valid_q[r] && u_dut.row_valid_q[s] &&
            u_dut.row_ring_q[r] == u_dut.row_ring_q[s]) doubled = 1'b1;
      end
    end
  end

  // The ring's connection: the one that was registered, or that of its first headers since it was
  // flushed. A flush that frees takes the registered one, too.
  logic      known_q, registered_q, registers;
  logic [2:0] age_q;   // cycles since a request was taken, 7 for more
  conn_key_t key_q;
  assign registers = row_set_valid_i && row_set_ready && row_set_ring_i == followed_q;
  always_ff @(posedge clk_i) begin
    if (taken) desc_q <= req_i;
    if (keeps && ours && !known_q) begin
      known_q <= 1'b1;
      key_q   <= desc_q.key;
    end
    if (registers && !row_set_error) begin
      known_q      <= 1'b1;
      registered_q <= 1'b1;
      key_q        <= row_set_key_i;
    end
    if (flush_i && flush_ring_i == followed_q && (flush_free_i || !registered_q)) begin
      known_q      <= 1'b0;
      registered_q <= 1'b0;
    end
    passes_q <= rsp_valid && !rsp_ready_i;
    age_q    <= taken ? 3'd1 : (age_q == '1) ? age_q : age_q + 3'd1;
    if (!rst_ni) begin
      known_q      <= 1'b0;
      registered_q <= 1'b0;
      passes_q     <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      rings_q    <= rings_i;
      relays_q   <= relays_i;
      self_ip_q  <= self_ip_i;
      followed_q <= ring_i;
    end
    // The first cycle is one of reset. Dropped: rows that nobody wrote.
    e_reset : assume (started_q || !rst_ni);
    // Rings are flushed while nothing is in hand. Dropped: a flushed ring keeps its row.
    e_flush : assume (!flush_i || idle);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Headers are kept of one connection a ring only, the registered one or the first that came:
      // so no result leaves on a connection that is not the ring's.
      a_one_row : assert (!keeps || !ours || !known_q || desc_q.key == key_q);
      // It is the connection that ends at this leaf's first worker and begins in another leaf.
      a_place : assert (!keeps || !ours || (desc_q.ina.rank == place &&
          desc_q.ina.workers[7:0] == relays_q[followed_q].total &&   // above it is the epoch
          32'(relays_q[followed_q].total) > 32'(rings_q[followed_q].workers)));
      // A ring that does not learn has a registered one or none.
      a_learn : assert (!keeps || !ours || rings_q[followed_q].learn || registered_q);
      // A connection is registered unless the ring has another one, or all rows are other rings'.
      a_registers : assert (!registers || row_set_error == (known_q ? key_q != row_set_key_i :
          &u_dut.row_valid_q));
      // Only of rings that have a parent, and whose children are workers, anything is kept.
      a_leaf : assert (!keeps || !ours || relays_q[followed_q].parent);
      // A result is taken from the ring's parent alone, on its virtual connection, and of a packet
      // that its message has.
      a_parent : assert (!rsp_valid || note || !ours || rsp.fate != FateStored ||
          (relays_q[followed_q].parent && !desc_q.key.v6 && desc_q.key.vlan == '0 &&
           desc_q.key.src == 128'(relays_q[followed_q].parent_ip) &&
           desc_q.key.dst == 128'(self_ip_q) &&
           desc_q.key.qpn == {VirtualQpn, rings_q[followed_q].id} &&
           desc_q.ina.ring == rings_q[followed_q].id && desc_q.has_ina &&
           desc_q.psn < 24'(desc_q.ina.msglen)));
      // Its slot is that of its message and offset; N is 1 here.
      a_slot : assert (!rsp_valid || note || !ours || rsp.fate != FateStored ||
          rings_q[followed_q].window_log2 != '0 ||
          rsp.slot == slot_of(desc_q.ina.msgid[0]));
      // Slot state is asked five cycles after the port's request was taken or later: with its own
      // six the verdict comes no sooner than look-up's, on which ports and banks are built.
      a_time : assert (!rsp_valid || 32'(age_q) >= 5)
      else $error("asked %0d cycles after the request", age_q);
      // Slot state is asked about results alone; a notification touches no slot.
      a_untouched : assert (!rsp_valid || !note || rsp.fate != FateStored);
      // What is neither goes on to look-up, and nothing goes both ways.
      a_one_way : assert (!(other_valid && taken));
      // A refused one is counted: nothing disappears.
      a_counted : assert (!(rsp_valid && !passes_q) ||
          note_refused == (note && rsp.fate != FateDuplicate));
      // A notification that is refused for want of a row is counted as such, and only then is no
      // row free.
      a_full : assert (!(rsp_valid && !passes_q) ||
          table_full == (note && rsp.fate == FateTableFull));
      a_all_taken : assert (!(rsp_valid && !passes_q) || !table_full || &u_dut.row_valid_q);
      // The row of the table is the connection that came first; it is written a cycle earlier.
      a_row : assert (!known_q || (own != '0 && own_key == key_q));
      a_row_new : assert (own == '0 || known_q);
      a_row_learned : assert (own == '0 || rings_q[followed_q].learn || registered_q);
      // A registered row stays.
      a_row_fixed : assert (registered_q == (fixed != '0));
      a_stays : assert ((u_dut.row_fixed_q & ~u_dut.row_valid_q) == '0);
      // No two rows are one ring's.
      a_one : assert (!doubled);
      a_hand : assert (!(in_place || in_ask || in_judge || in_rule || rsp_valid) || row_kind ||
          u_dut.desc_q == desc_q);
      // What was found of the rows is so until the request is answered (helps the proof).
      a_own : assert (!(in_place || in_ask || in_judge || in_rule) || u_dut.row_own_q == hand_own);
      a_at : assert (!(in_ask || in_judge || in_rule || u_dut.row_write_q || u_dut.keeps_q) ||
          (u_dut.row_known_q == (hand_own != '0) &&
           u_dut.row_at_q == ((hand_own != '0) ? hand_own : first_free)));
      a_free : assert (!in_place || u_dut.row_free_q == first_free);
      a_key : assert (!in_judge || hand_own == '0 || u_dut.row == hand_key);
      a_same : assert (!in_rule || hand_own == '0 ||
          u_dut.row_same_q == (hand_key == u_dut.desc_q.key));
      a_cfg : assert (!(in_place || in_ask || in_judge || in_rule) ||
          (u_dut.cfg_q == rings_q[u_dut.ring_q[0]] && u_dut.relay_q == relays_q[u_dut.ring_q[0]]));
      a_ring : assert (idle || in_match || 32'(u_dut.ring_q) < NumRings);
      // Headers are kept.
      c_keeps : cover (keeps && ours && known_q);
      // Those of a registered connection, in a ring that does not learn.
      c_registered : cover (keeps && ours && !rings_q[followed_q].learn);
      // Another connection is refused.
      c_refused : cover (rsp_valid && note && ours && rsp.fate == FateRankConflict);
      // A result is taken.
      c_parent : cover (rsp_valid && !note && rsp.fate == FateStored);
    end
  end

  if (NumRows < NumRings) begin : gen_few
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // The other ring has the row.
        c_full : cover (rsp_valid && ours && rsp.fate == FateTableFull);
      end
    end
  end

endmodule
