// agg_lookup with agg_flush: who a packet is said to be from, and where it is said to go. A
// connection keeps its ring and rank, and no other has them; every request has one answer, in
// order; an answer's slot is the one that docs/protocol.md gives to its message and offset; a flush
// finds nothing inside.
//
// Rings are enabled as software says also while they are flushed: that agg_flush closes them then
// is proved there, and takes packets from what is stored only.
//
// The history's answers are left out of the circuit and free (`cuts` of the task), but for what is
// proved elsewhere: a message that is found is one that its connection has begun and that was not
// forgotten (agg_message_table_props). What is begun is at its place (`a_begins`), the ring and
// rank of a connection do not change without a flush, and a flush forgets its messages
// (`a_emptied`): so a message that is found is at its place.
//
// All pairs of connections are one pair here: with two entries, what holds for both holds for any
// two of more (agg_conn_table_props has three).
module agg_lookup_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
  import slot_address_pkg::*;
#(
  /// Ranks a ring may have.
  parameter int unsigned NumRanks = 2,
  /// Largest window N.
  parameter int unsigned MaxWindow = 1,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 0,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRings = 2,
  localparam int unsigned NumConns = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] asks_i,
  input ring_t       [NumRings-1:0] rings_i,
  input logic        [NumRings-1:0] columns_i,
  input logic                       rsp_ready_i,
  input logic                       conn_set_valid_i,
  input conn_set_t                  claims_i,
  input logic                       flush_valid_i,
  input logic           [RingW-1:0] flush_ring_i,
  input logic                       flush_free_i,
  input logic        [NumPorts-1:0] open_i,
  input logic        [NumPorts-1:0] ports_busy_i,
  input logic                       slot_ready_i,
  input logic                       follow_i
);

  // Keys differ in a few bits: look-up hands keys to the table and looks at none of their bits, and
  // agg_conn_table_props takes them whole.
  function automatic conn_key_t one_of_each();
    one_of_each = '0;
    for (int unsigned k = 0; k < 8; k++) one_of_each[37*k] = 1'b1;
  endfunction
  localparam conn_key_t Bits = one_of_each();

  frame_desc_t [NumPorts-1:0] req_i;
  conn_set_t                  conn_set_i;
  always_comb begin
    req_i          = asks_i;
    conn_set_i     = claims_i;
    conn_set_i.key = claims_i.key & Bits;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      req_i[p].key  = asks_i[p].key & Bits;
      req_i[p].hash = conn_hash(req_i[p].key);
    end
  end

  logic                started_q;
  logic [NumPorts-1:0] req_ready;
  logic                rsp_valid, set_ready, set_error, hold, idle;
  logic                flush_conns, flush_done, flush_walks, flush_ready, slot_valid, flush_free;
  logic    [RingW-1:0] flush_ring;
  logic    [SlotW-1:0] flush_slot;
  lookup_rsp_t         rsp;
  lookup_query_t [4:1] front;   // what its stages hold
  lookup_part_t  [7:5] back;
  lookup_seek_t        five;
  ring_t [NumRings-1:0] rings_q, rings;   // as software has set them
  logic  [NumRings-1:0] columns_q;
  initial started_q = 1'b0;

  agg_lookup #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .MaxWindow(MaxWindow),
    .SlotBytes(64),
    .Spine    (Spine)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o       (req_ready),
    .req_i,
    .rings_i           (rings),
    .columns_i         (columns_q),
    .open_i,
    .rsp_valid_o       (rsp_valid),
    .rsp_ready_i,
    .rsp_o             (rsp),
    .conn_set_valid_i,
    .conn_set_ready_o  (set_ready),
    .conn_set_i,
    .conn_set_error_o  (set_error),
    .flush_hold_i      (hold),
    .idle_o            (idle),
    .flush_conns_i     (flush_conns),
    .flush_ring_i      (flush_ring),
    .flush_free_i      (flush_free),
    .flush_conns_done_o(flush_done),
    .flush_walks_o     (flush_walks)
  );

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_flush (
    .clk_i,
    .rst_ni,
    .flush_valid_i,
    .flush_ready_o     (flush_ready),
    .flush_ring_i,
    .flush_free_i,
    .flush_slots_i     (1'b1),
    .rings_i           (rings),
    .hold_o            (hold),
    .lookup_idle_i     (idle),
    .ports_busy_i,
    .flush_conns_o     (flush_conns),
    .flush_conns_ring_o(flush_ring),
    .flush_conns_free_o(flush_free),
    .flush_conns_done_i(flush_done),
    .flush_walks_i     (flush_walks),
    .slot_valid_o      (slot_valid),
    .slot_ready_i,
    .slot_o            (flush_slot)
  );

  assign front = {u_dut.s4_q.req, u_dut.s3_q, u_dut.s2_q, u_dut.s1_q};
  assign five  = u_dut.u_message.s5_q;
  assign back  = {u_dut.u_message.s7_q, u_dut.u_message.s6_q, five.part};

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  logic        [NumPorts-1:0] waits_q, out_q, stays, placed, fits;
  frame_desc_t [NumPorts-1:0] req_q;
  conn_key_t   [NumPorts-1:0] asked_q;    // connection of the request that was accepted last
  logic                       set_waits_q, flush_waits_q;
  conn_set_t                  claim_q;
  logic           [RingW-1:0] flush_ring_q;

  // Windows that the device has histories for; others do not exist here, which keeps products
  // small.
  always_comb begin
    rings = rings_q;
    for (int unsigned g = 0; g < NumRings; g++) begin
      rings[g].window_log2 = rings_q[g].window_log2 & 3'($clog2(MaxWindow));
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      stays[p] = (!waits_q[p] || (req_valid_i[p] && req_i[p] == req_q[p])) &&
          !(req_valid_i[p] && !req_i[p].candidate);
      placed[p] = 1'b1;
      for (int unsigned g = 0; g < NumRings; g++) begin
        if (Spine != 0 && columns_q[g] && req_valid_i[p] && req_i[p].has_ina &&
            req_i[p].ina.ring == rings[g].id && req_i[p].psn >= 24'(req_i[p].ina.msglen) &&
            req_i[p].ina.msglen != '0) placed[p] = 1'b0;
      end
    end
    for (int unsigned g = 0; g < NumRings; g++) begin
      fits[g] = rings[g].workers != '0 && 32'(rings[g].workers) <= NumRanks &&
          !rings[g].base[0] && 32'(rings[g].base) + slots_of(rings[g]) <= 32'd2 ** SlotW;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    if (!started_q) rings_q <= rings_i;
    if (!started_q) columns_q <= (Spine != 0) ? columns_i : '0;
    waits_q       <= rst_ni ? req_valid_i & ~req_ready : '0;
    req_q         <= req_i;
    set_waits_q   <= rst_ni && conn_set_valid_i && !set_ready;
    claim_q       <= conn_set_i;
    flush_waits_q <= rst_ni && flush_valid_i && !flush_ready;
    flush_ring_q  <= flush_ring_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rsp_valid && rsp_ready_i && rsp.port == PortW'(p)) out_q[p] <= 1'b0;
      if (req_ready[p]) begin
        out_q[p]   <= 1'b1;
        asked_q[p] <= req_i[p].key;
      end
    end
    if (!rst_ni) out_q <= '0;

    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    // Software gives rings workers that the device has ranks for, and slots that it has; and
    // changes none of it in a ring that is used.
    e_rings : assume (!started_q || fits == '1);
    if (rst_ni) begin
      // A port asks about candidates, until it is heard.
      e_request : assume (stays == '1);
      // A child device's packet is inside of its message (relay_place_props).
      e_placed : assume (placed == '1);
      // A claim of a connection stays as it is until it is answered.
      e_claim : assume (!set_waits_q || (conn_set_valid_i && conn_set_i == claim_q));
      // A flush stays until it is done.
      e_flush : assume (!flush_waits_q || (flush_valid_i && flush_ring_i == flush_ring_q));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Answers in order; the table of connections; stages 1 to 4.

  logic      [NumConns-1:0]               used, retired;
  conn_key_t [NumConns-1:0]               key;
  logic      [NumConns-1:0][RingW-1:0]    ring;
  logic      [NumConns-1:0][RankW-1:0]    rank;
  logic      [NumRings-1:0][NumRanks-1:0] taken;
  logic                                   changed, query;
  conn_key_t                              query_key;

  lookup_order_watch #(
    .NumPorts(NumPorts)
  ) u_order (
    .clk_i,
    .rst_ni,
    .follow_i,
    .req_valid_i,
    .req_ready_i(req_ready),
    .rsp_valid_i(rsp_valid),
    .rsp_ready_i,
    .rsp_port_i (rsp.port),
    .back_i     (back),
    .waiting_i  (out_q)
  );

  lookup_table_watch #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .KeyBits  (Bits)
  ) u_table (
    .clk_i,
    .rst_ni,
    .flush_conns_i(flush_conns),
    .flush_ring_i (flush_ring),
    .conn_set_i,
    .set_ready_i  (set_ready),
    .set_error_i  (set_error),
    .set_last_i   (claim_q),
    .waiting_i    (out_q),
    .asked_i      (asked_q),
    .used_o       (used),
    .retired_o    (retired),
    .key_o        (key),
    .ring_o       (ring),
    .rank_o       (rank),
    .taken_o      (taken),
    .changed_o    (changed),
    .query_o      (query),
    .query_key_o  (query_key)
  );

  lookup_front_watch #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .MaxWindow(MaxWindow)
  ) u_front (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_i,
    .rings_i         (rings),
    .conn_set_valid_i,
    .conn_set_i,
    .set_waits_i     (set_waits_q),
    .front_i         (front),
    .back_i          (back),
    .used_i          (used),
    .retired_i       (retired),
    .key_i           (key),
    .ring_i          (ring),
    .rank_i          (rank),
    .taken_i         (taken),
    .changed_i       (changed),
    .query_i         (query),
    .query_key_i     (query_key)
  );

  // ---------------------------------------------------------------------------------------------
  // Stages 5 to 7, the history, and the answer.

  // A message of a worker that its ring's slots have room for, at its place.
  function automatic logic sound(ring_t of, logic [RankW-1:0] from, message_t m);
    sound = m.base == slot_of(of, m.msgid, '0) && m.msglen != '0 && m.msglen <= of.stride &&
        (RankW + 1)'(from) < of.workers;
  endfunction

  ring_t of5, of7;
  lookup_back_watch #(
    .NumPorts (NumPorts),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .MaxWindow(MaxWindow)
  ) u_back (
    .clk_i,
    .rst_ni,
    .rings_i(rings),
    .back_i (back),
    .five_i (five),
    .asked_i(asked_q),
    .used_i (used),
    .key_i  (key),
    .ring_i (ring),
    .rank_i (rank)
  );

  logic [7:6] starts_q;
  always_ff @(posedge clk_i) starts_q <= {starts_q[6], five.starts};

  logic seven;

  assign seven = u_dut.u_message.valid_q[7] && back[7].rsp.fate == FateStored;
  assign of5   = rings[ring[back[5].rsp.conn[0]][0]];
  assign of7   = rings[ring[back[7].rsp.conn[0]][0]];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The history finds only messages that the connection has begun and that were not forgotten,
      // at an offset inside; or it answers with the message that begins, at its packet's offset.
      e_message : assume (!seven || !u_dut.u_message.found ||
          (sound(of7, back[7].rsp.rank, u_dut.u_message.message) &&
           u_dut.u_message.offset < u_dut.u_message.message.msglen));
    end
  end

  logic [SlotW:0] flush_size;
  assign flush_size = u_flush.slots;

  // The port of the request in stage 4 was open in the cycle before.
  logic [NumPorts-1:0] open_q;
  logic                was_open;
  always_ff @(posedge clk_i) open_q <= open_i;
  assign was_open = open_q[front[4].port[0]];

  lookup_rsp_t out;      // as it goes into the FIFO of answers
  assign out = u_dut.u_message.answer;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Whoever is said to have sent a packet is who sent it, and has its ring and rank from the
      // table.
      a_hit : assert (!u_dut.u_message.valid_q[7] || out.fate != FateStored ||
          (32'(out.conn) < NumConns && used[out.conn[0]] &&
           (key[out.conn[0]] == asked_q[out.port[0]]) && out.ring == ring[out.conn[0]] &&
           out.rank == rank[out.conn[0]] && out.workers == rings[out.ring[0]].workers &&
           rings[out.ring[0]].enable))
      else $error("connection %0d", out.conn);
      // What passes is of no connection that the device has known, and came in at an open port: no
      // receiver takes it for the sum.
      a_forgotten : assert (!u_dut.valid_q[4] || u_dut.fate != FatePassed ||
          (!(used[0] && key[0] == req_i[front[4].port[0]].key) &&
           !(used[1] && key[1] == req_i[front[4].port[0]].key) && was_open))
      else $error("passes");
      // A stored packet is of one of the ring's workers: no rank outside the ring is summed.
      a_worker : assert (!u_dut.u_message.valid_q[7] || out.fate != FateStored ||
                         (RankW + 1)'(out.rank) < out.workers)
      else $error("rank %0d", out.rank);
      // A packet's slot is the one of its message and offset in its ring's region.
      a_slot : assert (!u_dut.u_message.valid_q[7] || out.fate != FateStored ||
          (out.slot == slot_of(of7, out.msgid, out.offset) && out.offset < of7.stride))
      else $error("slot %0d", out.slot);
      // A message that begins is one of a worker of the ring, no longer than the ring's messages
      // may be, and at its place; the packet that it begins with is inside of it.
      a_begins : assert (!(u_dut.u_message.u_messages.query_valid_i &&
                           u_dut.u_message.u_messages.starts_i) ||
          (sound(of5, back[5].rsp.rank, u_dut.u_message.u_messages.message_i) &&
           five.offset < five.msglen))
      else $error("message %0d", u_dut.u_message.begins_message.msgid);
      // A flush begins with nothing inside (helps the proof).
      a_quiet : assert ((u_flush.state_q != 3'd2 && (u_flush.state_q != 3'd1 ||
          u_flush.quiet_q == '0 || (u_flush.quiet_q == 4'd1 && u_flush.busy_q))) || idle)
      else $error("not idle");
      a_state : assert (u_flush.state_q <= 3'd5 && (u_flush.state_q == '0 || flush_waits_q) &&
          (u_flush.state_q != 3'd3 || (u_flush.left_q <= flush_size &&
           SlotW'(flush_slot - u_flush.ring.base) == SlotW'(flush_size - u_flush.left_q) &&
           u_flush.slot_valid_q == (u_flush.left_q != '0))) &&
          (u_flush.state_q == 3'd3 || !u_flush.slot_valid_q) &&
          (u_flush.state_q == 3'd2 || !u_flush.flush_conns_q) &&
          u_flush.hold_q == !(u_flush.state_q inside {3'd0, 3'd3}) &&
          (u_flush.state_q != 3'd2 || u_flush.flush_conns_q ||
           (u_flush.left_q == flush_size && u_flush.slot_q == u_flush.ring.base)) &&
          (!flush_walks || ((u_flush.state_q == 3'd2 || u_flush.state_q == 3'd3) &&
           u_dut.u_conns.flush.ring == flush_ring && !flush_conns)) &&
          (!flush_done || (u_flush.state_q == 3'd2 && !u_flush.flush_conns_q)))
      else $error("state %0d", u_flush.state_q);
      // A packet that starts no message is given its slot.
      c_middle : cover (u_dut.u_message.valid_q[7] && out.fate == FateStored &&
          out.offset == 14'd2 && !starts_q[7]);
    end
  end

endmodule
