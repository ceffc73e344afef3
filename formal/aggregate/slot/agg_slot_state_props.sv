// The slot-state pipeline changes no order: every operation sees a slot as those that entered
// before it left it, however close they are and whatever is on its way to the RAM; and a take with
// the free that it causes is one event for commits to the freed slot and for decisions on it. What
// a take answers and what it frees are those of the record that it found.
//
// With agg_slot_update_props this makes the rules of a single record those of the device. Two
// slots, a pair, are the least with which a free goes elsewhere.
module agg_slot_state_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    rsp_valid_i,
  input lookup_rsp_t             rsp_i,
  input logic     [NumPorts-1:0] commit_valid_i,
  input commit_t  [NumPorts-1:0] commit_i,
  input logic                    take_valid_i,
  input take_t                   take_i,
  input logic                    flush_valid_i,
  input logic        [SlotW-1:0] flush_slot_i,
  input ahead_t                  ahead_i,   // what emission says that it takes without a job
  // In the first cycle: the ring's number of workers.
  input logic          [RankW:0] workers_i
);

  localparam int unsigned NumSlots = 2;
  // MsgIDs are below; a freed slot waits for one up to 128 newer.
  localparam logic [31:0] Newest = 32'h7FFF_FF00;

  logic                started_q;
  logic [RankW:0]      workers_q;
  initial started_q = 1'b0;

  logic                rsp_ready, verdict_valid, take_ready, take_rsp_valid, flush_ready;
  logic                job_first, job_again, job_ended;
  logic    [RingW-1:0] job_ring;
  logic [NumPorts-1:0] commit_ready;
  logic [SlotW-1:0]    job_slot;
  verdict_t            verdict;
  take_rsp_t           take_rsp;
  column_t             take_column;
  obs_state_t          obs;

  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .parents_i       ('0),
    .devices_i       ('0),
    .rsp_valid_i,
    .rsp_ready_o     (rsp_ready),
    .rsp_i,
    .verdict_valid_o (verdict_valid),
    .verdict_o       (verdict),
    .commit_valid_i,
    .commit_ready_o  (commit_ready),
    .commit_i,
    .waits_i         (1'b0),
    .soon_o          (),
    .ahead_i,
    .take_valid_i,
    .take_ready_o    (take_ready),
    .take_i,
    .take_rsp_valid_o(take_rsp_valid),
    .take_rsp_o      (take_rsp),
    .take_column_o   (take_column),
    .flush_valid_i,
    .flush_ready_o   (flush_ready),
    .flush_slot_i,
    .job_first_o     (job_first),
    .job_again_o     (job_again),
    .job_ended_o     (job_ended),
    .job_ring_o      (job_ring),
    .job_slot_o      (job_slot),
    .ring_event_o    (),
    .obs_o           (obs)
  );

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  logic [NumPorts-1:0] commit_known, commit_stays, commit_valid_q, commit_ready_q;
  commit_t [NumPorts-1:0] commit_q;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      commit_known[p] = 32'(commit_i[p].slot) < NumSlots && 32'(commit_i[p].port) == p &&
          (RankW + 1)'(commit_i[p].rank) < workers_q;
      commit_stays[p] = !commit_valid_q[p] || commit_ready_q[p] ||
          (commit_valid_i[p] && commit_i[p] == commit_q[p]);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q      <= 1'b1;
    commit_q       <= commit_i;
    commit_ready_q <= commit_ready;
    commit_valid_q <= rst_ni ? commit_valid_i : '0;
    if (!started_q) workers_q <= workers_i;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    e_workers : assume (!started_q || (workers_q != '0 && 32'(workers_q) <= NumRanks));
    if (rst_ni) begin
      // Look-up names slots, ports and ranks that exist.
      e_rsp : assume (!rsp_valid_i || rsp_i.fate != FateStored ||
          (32'(rsp_i.slot) < NumSlots && 32'(rsp_i.offset) < NumSlots &&
           32'(rsp_i.port) < NumPorts && rsp_i.workers == workers_q &&
           (RankW + 1)'(rsp_i.rank) < workers_q));
      // All MsgIDs lie within half of the serial numbers.
      e_window : assume (!rsp_valid_i || rsp_i.msgid < Newest);
      e_commit : assume ((commit_valid_i & ~commit_known) == '0);
      // A port shows a commit until it is taken.
      e_stays : assume (commit_stays == '1);
      e_take : assume (!take_valid_i || 32'(take_i.slot) < NumSlots);
      e_flush : assume (!flush_valid_i || 32'(flush_slot_i) < NumSlots);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Each slot's record after everything that has passed the decision.

  slot_rec_t [NumSlots-1:0] rec_q, kept;
  slot_place_t              place_q;   // of the two, a pair
  logic      [NumSlots-1:0] at5, at6, sees, keeps, pairs, watched, fits, past, jobs;
  logic      [NumSlots-1:0] live, needs;   // as in slot_pair_props

  always_comb begin
    jobs = u_dut.u_watch.job_q;
    // One that emission makes itself is one.
    if (job_first || job_again || u_dut.known6_q) jobs[job_slot[0]] = 1'b1;
    if (take_rsp_valid && take_rsp.status != TakeBlocked && !take_rsp.more) begin
      jobs[take_rsp.slot[0]] = 1'b0;
    end
    for (int unsigned s = 0; s < NumSlots; s++) begin
      at5[s]   = u_dut.valid_q[5] && u_dut.op_q[5].touch && u_dut.op_q[5].slot == SlotW'(s);
      at6[s]   = u_dut.valid_q[6] && u_dut.op_q[6].touch && u_dut.op_q[6].slot == SlotW'(s);
      kept[s]  = u_dut.u_records.unpack(u_dut.u_records.u_ram.mem[s]);
      sees[s]  = !at5[s] || u_dut.rec5_q == rec_q[s];
      past[s]  = !rec_q[s].valid || rec_q[s].empty || rec_q[s].tag < Newest;
      fits[s]  = u_dut.u_records.unpack(u_dut.u_records.pack(rec_q[s])) == rec_q[s];
      keeps[s] = (at6[s] ? u_dut.rec6_q : kept[s]) == rec_q[s];
      pairs[s] = !at5[s] || (u_dut.foreign5_q == (place_q.second != s[0]) &&
                             u_dut.needed5 == place_q.needed);
      live[s]  = rec_q[s].held && (rec_q[s].complete || place_q.second == s[0]);
      needs[s] = needs_banks(rec_q[s]);
      watched[s] = !at6[s] ? (u_dut.u_watch.needs_q[s] == needs[s] &&
          u_dut.u_watch.unsummed_q[s] == (rec_q[s].held && rec_q[s].complete)) :
          (u_dut.u_watch.op_q.slot == SlotW'(s) && u_dut.u_watch.op_q.touch &&
           u_dut.u_watch.rec_q == rec_q[s]);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (at5[s]) begin
        rec_q[s] <= u_dut.rec5_new;
        place_q  <= '{second: u_dut.foreign5_new ^ s[0], needed: u_dut.needed5_new};
      end
    end
    if (!rst_ni) {rec_q, place_q} <= '0;
  end

  for (genvar s = 0; s < NumSlots; s++) begin : gen_watch
    slot_record_watch #(
      .NumRanks(NumRanks)
    ) u_watch (
      .clk_i,
      .rst_ni,
      .rec_i    (rec_q[s]),
      .job_i    (jobs[s]),
      .workers_i(workers_q)
    );
  end

  // ---------------------------------------------------------------------------------------------
  // Operations on their way, the latest first.

  localparam int unsigned Decided = 6;

  logic [Decided:2] named, harmless;

  always_comb begin
    for (int unsigned k = 2; k <= Decided; k++) begin
      named[k] = !u_dut.valid_q[k] || !u_dut.op_q[k].touch || (32'(u_dut.op_q[k].slot) < NumSlots &&
          (u_dut.op_q[k].op != SlotCommit || 32'(u_dut.op_q[k].port) < NumPorts) &&
          (u_dut.op_q[k].op != SlotFree || u_dut.op_q[k].msgid < Newest + 32'd128) &&
          (u_dut.op_q[k].op != SlotDecide || (u_dut.op_q[k].workers == workers_q &&
           u_dut.op_q[k].msgid < Newest)));
      harmless[k] = k == Decided || !u_dut.valid_q[k] || !u_dut.op_q[k].touch ||
          (u_dut.op_q[k].op != SlotCommit && u_dut.op_q[k].op != SlotDecide) ||
          u_dut.op_q[k].slot != u_dut.free_slot;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // A take: the slot and the ports with room that emission named, the record that it found there,
  // and what is due by it: of ranks behind one port the lowest goes. Then its free, in the cycle in
  // which it is to enter and in the one after.

  take_t               asked_q;
  slot_rec_t           found_q;
  logic [MaxRanks-1:0] closed, going;   // ranks of the record whose port has no room; that leave
  logic                take5, held_back;
  take_e               status;
  logic                freed_q;
  logic [SlotW-1:0]    freed_slot, freed_slot_q;
  assign freed_slot = pair_of(asked_q.slot);
  logic [31:0]         freed_msgid_q;

  assign take5 = u_dut.valid_q[5] && u_dut.op_q[5].op == SlotTake;

  always_comb begin
    closed    = '0;
    going     = '0;
    held_back = 1'b0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      closed[r] = !asked_q.port_ready[rec_q[asked_q.slot[0]].port[r]];
      going[r]  = found_q.owed[r];
      if (found_q.owed[r] && !asked_q.port_ready[found_q.port[r]]) held_back = 1'b1;
      for (int unsigned lower = 0; lower < r; lower++) begin
        if (found_q.owed[lower] && found_q.port[lower] == found_q.port[r]) going[r] = 1'b0;
      end
    end
    if (found_q.owed == '0) status = TakeGone;
    else status = held_back ? TakeBlocked : TakeDone;
  end

  always_ff @(posedge clk_i) begin
    if (take_valid_i && take_ready) asked_q <= take_i;
    found_q       <= rec_q[asked_q.slot[0]];
    freed_q       <= rst_ni && take_rsp_valid && status == TakeDone && found_q.first_pending;
    freed_slot_q  <= freed_slot;
    freed_msgid_q <= found_q.tag + (32'd1 << found_q.window_log2);
  end

  slot_rel_t rel;
  assign rel = relate(u_dut.op_q[5].msgid, u_dut.op_q[5].kind, u_dut.op_q[5].tensor_len,
                      u_dut.rec5_q.tag, u_dut.rec5_q.kind, u_dut.rec5_q.tensor_len);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The decision sees the record that the operations before it left.
      a_record : assert (sees == '1);
      // And whose the pair's place in the banks is, as they left it.
      a_pair : assert (pairs == '1);
      // What the device's own watch has noted of that is so (helps the proof).
      a_watched : assert (watched == '1 && u_dut.u_watch.valid_q == u_dut.valid_q[6]);
      // The two slots of a pair never have packets there both that count: neither's are written
      // over by the other's.
      a_apart : assert (live != 2'b11 && !live[!place_q.second] &&
          place_q.needed == needs[place_q.second] &&
          (live[!place_q.second] || !needs[!place_q.second]));
      // And the comparison that belongs to it. An empty record's type and length are nobody's.
      a_relation : assert (at5 == '0 || (u_dut.rel5_q.same_tag == rel.same_tag &&
          u_dut.rel5_q.older == rel.older && (u_dut.rec5_q.empty || !u_dut.rec5_q.valid ||
          u_dut.rel5_q == rel)));
      // What is not under way is in the RAM.
      a_kept : assert (!u_dut.records_ready || (keeps == '1 &&
          ((at6 != '0) ? u_dut.place6_q : u_dut.u_records.u_places.mem[0]) == place_q));
      // What is on its way names slots and ports that exist.
      a_named : assert (named == '1 && (!u_dut.free_valid_q || (32'(u_dut.free_slot) < NumSlots &&
          u_dut.free_msgid_q < Newest + 32'd128)));
      // Only messages that were sent fill a slot.
      a_past : assert (past == '1);
      // A record loses nothing in the RAM, which has no bit that the configuration lacks.
      a_fits : assert (fits == '1);
      // Who could see it is held as long as a take's free is to come, and there is one take at a
      // time.
      a_held : assert ($onehot0(u_dut.u_arbiter.u_turn.since_q) &&
          u_dut.u_arbiter.u_turn.hold_q == (u_dut.u_arbiter.u_turn.since_q[3:0] != '0) &&
          u_dut.u_arbiter.u_turn.resting_q == (u_dut.u_arbiter.u_turn.since_q != '0));
      // Between a take and its free there is no commit to the freed slot, and no decision on it:
      // nobody sees the window half moved.
      a_one_event : assert (!u_dut.free_valid_q || (harmless == '1 && u_dut.valid_q[Decided] &&
          u_dut.op_q[Decided].op == SlotTake));
      // Which ranks have no room is worked out from the ports of the record that the take finds,
      // and from what emission said of the ports: no result is taken for an egress that is full.
      a_blocked : assert (!take5 || u_dut.blocked5_q == closed);
      // A take is answered for the slot that was asked for: whether anything is due, and may leave.
      a_status : assert (!take_rsp_valid || (take_rsp.slot == asked_q.slot &&
          take_rsp.status == status));
      // The ranks that leave are those that are owed a result, the lowest of each port, and there
      // is more if others are owed one, too: nobody gets a result twice, and nobody is forgotten.
      a_ranks : assert (!take_rsp_valid || (take_rsp.ranks == going && take_rsp.more ==
          (status == TakeDone && (found_q.owed & ~going) != '0)));
      // They leave by the ports of their latest packets.
      a_ports : assert (!take_rsp_valid || take_rsp.port == found_q.port);
      // What is summed, and how, is what the record says of its column; it is summed once, and then
      // the sum is that which was kept.
      a_sum : assert (!take_rsp_valid || (take_rsp.workers == found_q.workers &&
          take_rsp.sum == found_q.held && take_rsp.kept == !found_q.held &&
          take_rsp.kind == found_q.kind && take_rsp.tensor_len == found_q.tensor_len));
      // A result names the ring, the message and the offset of its column.
      a_column : assert (!take_rsp_valid || (take_rsp.ring == found_q.ring && !take_column.note &&
          take_column.msgid == found_q.tag && take_column.offset == found_q.offset));
      // The slot's job ends with the last due, more is due behind results only, and a job is of the
      // ring whose column it is.
      a_jobs : assert (job_ended == (take_rsp_valid && take_rsp.status != TakeBlocked &&
          !take_rsp.more) && (!job_ended || job_slot == asked_q.slot) &&
          (!take_rsp_valid || take_rsp.status == TakeDone || !take_rsp.more) &&
          (!(job_first || job_again) || job_ring == rec_q[job_slot[0]].ring));
      // The first take of a column, and no other, frees the other slot of the pair, for the message
      // one window behind the record's: another message's column is not thrown away.
      a_freed : assert (u_dut.free_valid_q == (take_rsp_valid && status == TakeDone &&
          found_q.first_pending) && (!u_dut.free_valid_q || (u_dut.free_slot == freed_slot &&
          u_dut.free_msgid_q == found_q.tag + (32'd1 << found_q.window_log2))));
      // And that is what enters next.
      a_frees : assert (!freed_q || (u_dut.valid_q[2] && u_dut.op_q[2].touch &&
          u_dut.op_q[2].op == SlotFree && u_dut.op_q[2].slot == freed_slot_q &&
          u_dut.op_q[2].msgid == freed_msgid_q));
      // A column is freed and its last result leaves.
      c_free : cover (u_dut.free_valid_q);
      // Three operations in a row decide on one slot.
      c_row : cover (u_dut.valid_q[6:4] == '1 && u_dut.op_q[4].slot == u_dut.op_q[5].slot &&
          u_dut.op_q[5].slot == u_dut.op_q[6].slot && u_dut.op_q[4].touch &&
          u_dut.op_q[5].touch && u_dut.op_q[6].touch);
    end
  end

endmodule
