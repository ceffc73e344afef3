// relay_take: what a take becomes below a parent, from slot state's answer to emission's. Registers
// and the slot of one message's first packet are free, and stay.
module relay_take_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// Above 0: rings may be above other devices.
  parameter int unsigned Spine = 0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input relay_head_t head_i,
  input take_req_t   take_i,
  input logic        state_ready_i,
  input taken_t      state_taken_i,
  input column_t     state_column_i,
  input relay_note_t note_i,
  // In the first cycle: registers, and the slot that is followed.
  input ring_t       [1:0] rings_i,
  input relay_ring_t [1:0] relays_i,
  input logic        [1:0] slot_i
);

  localparam int unsigned NumRanks = 2;
  localparam int unsigned Entries = 2;
  localparam cfg_t Cfg = make_cfg(3, NumRanks, 256, 4, 2, 16, 1, 0, Spine, 1, 2, 9728, 0);
  localparam logic [MaxRanks-1:0] Parent = MaxRanks'(1) << NumRanks;
  localparam logic [PortW-1:0]    UpPort = PortW'(2);

  logic               started_q;
  ring_t        [1:0] rings_q;
  relay_ring_t  [1:0] relays_q;
  logic         [1:0] followed_q;
  logic               take_ready;
  taken_t             taken;
  take_req_t          ask;
  relay_look_t        look;
  relay_edit_req_t    edit;
  relay_take_events_t events;
  initial started_q = 1'b0;

  relay_take #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i      (rings_q),
    .relays_i     (relays_q),
    .head_i,
    .take_i,
    .take_ready_o (take_ready),
    .taken_o      (taken),
    .state_o      (ask),
    .state_ready_i,
    .state_taken_i,
    .state_column_i,
    .look_o       (look),
    .note_i,
    .edit_o       (edit),
    .events_o     (events)
  );

  // ---------------------------------------------------------------------------------------------
  // A take is under way; slot state owes an answer; it came so many cycles ago.

  logic              busy_q, owes_q, accepts, asks, answers, answered, repeats;
  logic        [4:1] age_q;
  take_t             take_q;
  take_rsp_t         rsp_q;
  column_t           column_q;
  relay_note_t       note_q;
  logic  [SlotW-2:0] look_at_q;
  assign accepts  = take_i.valid && take_ready;
  assign asks     = ask.valid && state_ready_i;
  assign answers  = owes_q && state_taken_i.valid;
  assign answered = age_q[4] && taken.valid;
  assign repeats  = age_q[4] && !taken.valid;

  // What the followed slot was told last of a message that begins there.
  logic        there_q, of_slot_q;
  logic [31:0] msgid_q;
  logic [15:0] msglen_q;

  // As it was when this take looked.
  logic [31:0] known_msgid_q;
  logic [15:0] known_msglen_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: an answer that nobody asked for.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) begin
      rings_q    <= rings_i;
      relays_q   <= relays_i;
      followed_q <= slot_i;
    end
    age_q <= {age_q[3:1], answers};
    if (accepts) take_q <= take_i.take;
    if (asks) owes_q <= 1'b1;
    if (answers) begin
      owes_q   <= 1'b0;
      rsp_q    <= state_taken_i.taken;
      column_q <= state_column_i;
    end
    if (accepts) busy_q <= 1'b1;
    else if (age_q[3] && !u_dut.retake) busy_q <= 1'b0;
    if (answers) begin
      of_slot_q      <= there_q &&
          2'(take_q.slot - SlotW'({state_column_i.offset, 1'b0})) == followed_q;
      known_msgid_q  <= msgid_q;
      known_msglen_q <= msglen_q;
    end
    if (look.valid) look_at_q <= look.at;
    if (age_q[2]) note_q <= note_i;
    if (head_i.valid && head_i.slot[1:0] == followed_q) begin
      there_q  <= 1'b1;
      msgid_q  <= head_i.msgid;
      msglen_q <= head_i.msglen;
    end
    if (!rst_ni) begin
      age_q   <= '0;
      owes_q  <= 1'b0;
      busy_q  <= 1'b0;
      there_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What docs/relay.md says of such a take.

  relay_ring_t         relay;
  logic                up, leaf, whole, last, first, fits, headers, changed;
  logic [MaxRanks-1:0] last_rank;
  assign relay = relays_q[rsp_q.ring[0]];
  assign up    = rsp_q.ranks[NumRanks];
  assign leaf  = Spine == 0 || !relay.devices;
  assign whole = 32'(relay.total) == 32'(rsp_q.workers);
  assign first = column_q.offset == '0;
  // Last packet of several, of a message from elsewhere; headers of it, or of its first packet.
  assign last    = !first && 16'(column_q.offset) + 16'd1 == note_q.numbers.msglen;
  assign fits    = note_q.numbers.msgid == column_q.msgid && note_q.numbers.kind == rsp_q.kind &&
      16'(column_q.offset) < note_q.numbers.msglen;
  assign headers = fits && (last ? note_q.last : note_q.first);
  always_comb begin
    last_rank = '0;
    for (int unsigned r = 0; r < NumRanks; r++) last_rank[r] = 32'(rsp_q.workers) == r + 1;
  end

  // The answer is slot state's, but for the port of what goes up.
  logic same, done, goes;
  always_comb begin
    same = taken.taken.status == rsp_q.status && taken.taken.more == rsp_q.more &&
        taken.taken.sum == rsp_q.sum && taken.taken.kept == rsp_q.kept &&
        taken.taken.ranks == rsp_q.ranks && taken.taken.ring == rsp_q.ring &&
        taken.taken.workers == rsp_q.workers && taken.taken.kind == rsp_q.kind &&
        taken.taken.tensor_len == rsp_q.tensor_len && taken.taken.slot == rsp_q.slot &&
        (up || taken.taken.port == rsp_q.port);
  end
  assign done    = taken.valid && taken.taken.status == TakeDone;
  assign goes    = done && taken.taken.ranks != '0;   // something leaves
  assign changed = edit.edit.what != EditNone;

  logic outward;   // a result that leaves on the connection from elsewhere is due
  assign outward = !up && relay.parent && leaf && !whole && (rsp_q.ranks & last_rank) != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // One take at a time, and slot state is asked about its slot and nothing else, with the ports
      // that had room then.
      a_slot : assert (!asks || ask.take == (busy_q ? take_q : take_i.take));
      a_one : assert (!(accepts && (busy_q || owes_q)) && (!asks || busy_q || accepts) &&
          !(asks && owes_q));
      // Four cycles behind slot state's answer the take is answered, once, or its slot asked again.
      a_answered : assert (taken.valid == answered && (!repeats || ask.valid));
      // What leaves has its edit; nothing else has one.
      a_beside : assert (edit.valid == (done && taken.taken.ranks != '0));
      // A read for nobody is that of a sum that cannot go up, which is kept all the same.
      a_silent : assert (!done || taken.taken.ranks != '0 || rsp_q.ranks == '0 || column_q.note ||
          (up && taken.taken.sum && rsp_q.sum && events.no_way));
      // What slot state believes to be summed is summed: whatever becomes of the take, unless it
      // is taken again.
      a_summed : assert (!answered || rsp_q.status != TakeDone || !rsp_q.sum ||
          (up && column_q.note) || (!up && relay.parent) || (done && taken.taken.sum));
      // What makes no read, and what no parent is part of, is slot state's word.
      a_as_it_was : assert (!answered || rsp_q.status == TakeDone || same);
      a_no_parent : assert (!answered || rsp_q.status != TakeDone || up || relay.parent ||
          (same && !changed));
      // What goes up leaves by the last port, as a packet up or as a notification, and never as a
      // result.
      a_up : assert (!goes || !answered || !up || (edit.edit.port == UpPort &&
          edit.edit.what inside {EditUp, EditNote}));
      a_up_port : assert (!goes || !answered || !up || taken.taken.port[0] == UpPort);
      // A leaf's packet goes up with the length that the message's first packet had; one whose
      // length is not known, or which its message has not, does not go.
      a_length : assert (!goes || !up || !leaf || !of_slot_q ||
          (known_msgid_q == column_q.msgid && 16'(column_q.offset) < known_msglen_q &&
           edit.edit.msglen == known_msglen_q));
      // The packet up is the column's: its numbers, and all its ranks, or the one record of a
      // device below.
      a_packet : assert (!done || !changed || (edit.edit.msgid == column_q.msgid &&
          edit.edit.offset == column_q.offset && edit.edit.ring == rsp_q.ring &&
          edit.edit.kind == rsp_q.kind && edit.edit.tensor_len == rsp_q.tensor_len));
      a_sum : assert (!done || edit.edit.what != EditUp ||
          (taken.taken.ranks == (leaf ? rsp_q.ranks : MaxRanks'(1)) &&
           taken.taken.tensor_len == rsp_q.tensor_len));
      // A notification tells of the last worker's packet, without a tensor, of a message's first or
      // last packet, and where there are other leaves.
      a_note : assert (!done || edit.edit.what != EditNote || (up && column_q.note && !whole &&
          taken.taken.ranks == (leaf ? last_rank : MaxRanks'(1)) &&
          taken.taken.tensor_len == '0 &&
          (!leaf || !of_slot_q || first || 16'(column_q.offset) + 16'd1 == known_msglen_q) &&
          edit.edit.rank == relay.first + 8'(rsp_q.workers) - 8'd1));
      // A result reads the parent's row alone.
      a_down : assert (!done || up || !relay.parent ||
          (!taken.taken.sum && !taken.taken.kept &&
           taken.taken.tensor_len == rsp_q.tensor_len));
      // It leaves on the connection from elsewhere only with headers of just this message.
      a_headers : assert (!done || edit.edit.what != EditResult || (outward && headers &&
          edit.edit.psn == note_q.numbers.psn0 + 24'(column_q.offset) &&
          edit.edit.last == last));
      a_kept : assert (!done || edit.edit.what != EditResult ||
          edit.edit.kept == SlotW'({look_at_q, last}));
      // Without them it is left out, and the other workers' results leave all the same.
      a_left_out : assert (!done || up || !relay.parent || taken.taken.ranks ==
          ((outward && !headers) ? rsp_q.ranks & ~last_rank : rsp_q.ranks));
      a_out : assert (!done || !outward || !headers || edit.edit.what == EditResult);
      // Nothing that is due is dropped but what has no headers or no way up, and both are counted.
      a_counted : assert (!answered || rsp_q.status != TakeDone || done || events.no_headers ||
          events.no_way);
      // A counter counts what happens, once, and nothing else.
      a_events : assert (events.up == (done && edit.edit.what == EditUp) &&
          events.note == (done && edit.edit.what == EditNote) &&
          events.no_headers == ((answered || repeats) && rsp_q.status == TakeDone && outward &&
                                !headers) &&
          (!events.no_way || ((answered || repeats) && rsp_q.status == TakeDone && up && leaf &&
           (!done || (rsp_q.sum && taken.taken.ranks == '0)) &&
           !(of_slot_q && known_msgid_q == column_q.msgid &&
             16'(column_q.offset) < known_msglen_q))));
      a_again : assert (!repeats || (rsp_q.status == TakeDone && ((up && column_q.note) ||
          (rsp_q.more && (events.no_headers || events.no_way)))));
      // Headers are looked for in the place of the ring's message.
      a_look : assert (!look.valid || look.at == (SlotW - 1)'(32'(rsp_q.ring) * Entries +
          32'(entry_of(column_q.msgid[6:0], rings_q[rsp_q.ring[0]].window_log2) & 7'd1)));
      // A take is in the module's hands as it is here (helps the proof).
      a_inside : assert (owes_q == (u_dut.state_q == 3'd2) && age_q[1] == (u_dut.state_q == 3'd3) &&
          age_q[2] == (u_dut.state_q == 3'd4) && age_q[3] == (u_dut.state_q == 3'd5) &&
          busy_q == (u_dut.state_q != 3'd0) &&
          (!busy_q || u_dut.take_q == take_q));
      a_head : assert (!there_q || u_dut.u_heads.mem[followed_q] == {msgid_q, msglen_q});
      // A notification goes up, and a result leaves with headers from elsewhere.
      c_note : cover (done && edit.edit.what == EditNote && of_slot_q);
      c_result : cover (done && edit.edit.what == EditResult);
      // A result is left out.
      c_left_out : cover (answered && events.no_headers);
    end
  end

endmodule
