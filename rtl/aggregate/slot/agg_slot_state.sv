// Decides on every gradient packet: one record a slot, one operation a cycle, one order of events
// for the device.
//
// Operations enter through agg_slot_arbiter (which argues why none starves) and pass these stages
// without ever stopping, so that whatever was accepted earlier has also taken effect earlier:
//
//   1  the operation is chosen (agg_slot_arbiter)
//   2  record's address to the RAM; slot compared with the four operations ahead
//   3  RAM data, or a record of the operations three and four ahead; whose the pair's place in the
//      banks is, likewise (agg_slot_forward)
//   4  packet compared with the record, and with what the two operations ahead make of it
//      (agg_slot_compare)
//   5  decision (agg_slot_update): the loop; its result is the next operation's record on this slot
//   6  result written to the RAM; a free starts its way; verdict, take response, jobs
//   7  observation
//
// With Ecc the RAM's data is decoded before it is used, which takes a cycle: the operation is
// chosen in stage 0, and stage 2 is two cycles long.
//
// Operations on one slot in consecutive cycles are the normal case (the last packets of a column),
// hence the forwarding. Nobody waits for anything behind stage 1: verdicts, responses and jobs are
// pulses that their takers always accept.
module agg_slot_state
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_slot_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// 1: the children of some rings are devices (docs/relay.md).
  parameter int unsigned Devices = 0,
  /// 1: the last rank is the parent of some rings, and the last port leads to it (docs/relay.md).
  parameter int unsigned Uplink = 0,
  /// 1: records are coded (docs/operations.md, Memories). One that is lost drops its slot's
  /// packets.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // In a tree: which rings have a parent, and of which the children are devices.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic [2**RingW-1:0] parents_i,
  input logic [2**RingW-1:0] devices_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Looked-up packets; each gets its verdict, a pulse, SlotAnswer + Ecc cycles after it was
  // accepted.
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  lookup_rsp_t rsp_i,
  output logic        verdict_valid_o,
  output verdict_t    verdict_o,

  // Commits of the ports. A commit is seen by any take that is accepted after it.
  input  logic    [NumPorts-1:0] commit_valid_i,
  output logic    [NumPorts-1:0] commit_ready_o,
  input  commit_t [NumPorts-1:0] commit_i,
  // A commit that is about to enter will in all likelihood complete its column (not in a tree, nor
  // while a packet waits for its bank). While emission says that it will take a slot without a job,
  // from the cycle behind to that in which the take enters, commits of the slot push none: what is
  // left of the take is emission's to remember.
  input  logic                   waits_i,
  output ahead_t                 soon_o,
  input  ahead_t                 ahead_i,

  // Takes of emission; each is answered, a pulse, SlotAnswer + Ecc cycles after it was accepted.
  input  logic      take_valid_i,
  output logic      take_ready_o,
  input  take_t     take_i,
  output logic      take_rsp_valid_o,
  output take_rsp_t take_rsp_o,
  // Valid with the answer: the column.
  output column_t   take_column_o,

  // Slots to be flushed: their records become invalid.
  input  logic             flush_valid_i,
  output logic             flush_ready_o,
  input  logic [SlotW-1:0] flush_slot_i,

  // Pulses: a slot has dues, first ones or repeated ones. At most one job of a slot is out until a
  // take of it answers Gone, or Done without more.
  output logic             job_first_o,
  output logic             job_again_o,
  output logic             job_ended_o,
  output logic [RingW-1:0] job_ring_o,
  output logic [SlotW-1:0] job_slot_o,

  // What each operation did for its ring, a cycle later.
  output ring_event_t ring_event_o,
  // Pulses: a record that was read and counts was corrected, or is lost.
  output mem_event_t  mem_event_o,
  output obs_state_t  obs_o
);

  if (NumPorts < 1 || NumPorts > MaxPorts) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be 1 to %0d", MaxPorts);
  end
  if (NumRanks < 1 || NumRanks > MaxRanks) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be 1 to %0d", MaxRanks);
  end
  if (NumSlots < 1 || NumSlots > 2 ** SlotW) begin : gen_check_slots
    $fatal(1, "%m: NumSlots must be 1 to %0d", 2 ** SlotW);
  end

  // ---------------------------------------------------------------------------------------------
  // Operations on their way.

  localparam int unsigned First = 2 - Ecc;   // stage that an operation enters
  localparam int unsigned Out = 6;
  localparam int unsigned Ahead = Out - First;

  slot_op_t            op_in;
  logic                op_in_valid;
  slot_op_t            op_q    [First:Out];
  logic     [Out:First] valid_q;
  // [stage][distance]: same slot as the one so far ahead; same pair.
  logic     [Ahead:1]  match_q [First+1:4];
  logic     [Ahead:1]  pair_q  [First+1:4];
  logic     [Ahead:1]  match_d, pair_d;

  logic                records_ready;
  logic                free_valid_q;
  logic [SlotW-1:0]    free_slot;
  logic [31:0]         free_msgid_q;

  // Ports whose commit an operation is; its ranks, one but for a commit, and their ports.
  logic [NumPorts-1:0]            joined;
  logic [MaxRanks-1:0]            ranks4, rank5_q, rank6_q;
  logic [MaxRanks-1:0][PortW-1:0] ports5, ports6;

  // Commits of a column join where it has a rank for each of them: not in a tree, where the last
  // one may be the parent.
  agg_slot_arbiter #(
    .NumPorts (NumPorts),
    .FreeAfter(Out - First + 1),
    .Join     ((Devices == 0 && Uplink == 0) ? 1 : 0)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .enable_i    (records_ready),
    .rsp_valid_i,
    .rsp_ready_o,
    .rsp_i,
    .commit_valid_i,
    .commit_ready_o,
    .commit_i,
    .take_valid_i,
    .take_ready_o,
    .take_i,
    .flush_valid_i,
    .flush_ready_o,
    .flush_slot_i,
    .free_valid_i(free_valid_q),
    .free_slot_i (free_slot),
    .free_msgid_i(free_msgid_q),
    .op_valid_o  (op_in_valid),
    .op_o        (op_in),
    .joined_o    (joined),
    .waits_i,
    .soon_o
  );

  agg_slot_ranks #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Ecc     (Ecc)
  ) u_ranks (
    .clk_i,
    .joined_i(joined),
    .commit_i,
    .op_i    (op_q[First]),
    .ranks4_o(ranks4),
    .ports5_o(ports5),
    .ports6_o(ports6)
  );

  always_comb begin
    for (int unsigned d = 1; d <= Ahead; d++) begin
      match_d[d] = valid_q[First+d] && op_q[First].touch && op_q[First+d].touch &&
          op_q[First].slot == op_q[First+d].slot;
      pair_d[d]  = valid_q[First+d] && op_q[First].touch && op_q[First+d].touch &&
          op_q[First].slot >> 1 == op_q[First+d].slot >> 1;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Out-1:First], op_in_valid};
    op_q[First] <= op_in;
    for (int unsigned s = First + 1; s <= Out; s++) op_q[s] <= op_q[s-1];
    op_q[First+1].ahead   <= ahead_i.valid && ahead_i.slot == op_q[First].slot;
    op_q[First+1].parent  <= Uplink != 0 && parents_i[op_q[First].ring];
    op_q[First+1].devices <= Devices != 0 && devices_i[op_q[First].ring];
    match_q[First+1] <= match_d;
    pair_q[First+1]  <= pair_d;
    for (int unsigned s = First + 2; s <= 4; s++) begin
      match_q[s] <= match_q[s-1];
      pair_q[s]  <= pair_q[s-1];
    end
    if (!rst_ni) valid_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Records.

  slot_rec_t           rec4_q, rec5_q, rec5_new, rec5_next, rec6_q;
  slot_rel_t           rel5_q;
  slot_result_t        result5;
  // `set_tag` and `restart` have served in stage 5.
  /* verilator lint_off UNUSEDSIGNAL */
  slot_result_t        result6_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [MaxRanks-1:0] ranks5_q;
  slot_rec_t           rec3;
  ecc_t                found3;
  slot_place_t         place3, place4_q, place5_new, place5_ahead, place6_q;
  logic                foreign5_q, foreign5_new, needed5, needed5_new;
  logic                near5_q, needed5_q;

  agg_slot_records #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Tree    ((Uplink != 0 || Devices != 0) ? 1 : 0),
    .Ecc     (Ecc)
  ) u_records (
    .clk_i,
    .rst_ni,
    .ready_o(records_ready),
    .re_i   (valid_q[First] && op_q[First].touch),
    .raddr_i(op_q[First].slot),
    .rdata_o(rec3),
    .found_o(found3),
    .place_o(place3),
    .we_i   (valid_q[6] && op_q[6].touch),
    .waddr_i(op_q[6].slot),
    .wdata_i(rec6_q),
    .place_i(place6_q)
  );

  agg_slot_forward #(
    .Ecc(Ecc)
  ) u_forward (
    .clk_i,
    .rst_ni,
    .read_i     (valid_q[3] && op_q[3].touch),
    .slot_i     (op_q[3].slot),
    .match_i    (match_q[3]),
    .pair_i     (pair_q[3]),
    .rec_i      (rec3),
    .found_i    (found3),
    .place_i    (place3),
    .rec6_i     (rec6_q),
    .place6_i   (place6_q),
    .rec4_o     (rec4_q),
    .place4_o   (place4_q),
    .mem_event_o
  );

  // Stage 4.
  slot_rel_t           rel_d;
  logic [MaxRanks-1:0] blocked_d, blocked5_q;

  agg_slot_compare #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_compare (
    .msgid_i      (op_q[4].msgid),
    .kind_i       (op_q[4].kind),
    .tensor_len_i (op_q[4].tensor_len),
    .port_ready_i (op_q[4].port_ready),
    .rec_i        (rec4_q),
    .forward_i    (match_q[4][2:1]),
    .msgid5_i     (op_q[5].msgid),
    .kind5_i      (op_q[5].kind),
    .tensor_len5_i(op_q[5].tensor_len),
    .port5_i      (ports5),
    .rec5_i       (rec5_q),
    .result5_i    (result5),
    .rec6_i       (rec6_q),
    .rel_o        (rel_d),
    .blocked_o    (blocked_d)
  );

  assign place5_new   = '{second: foreign5_new ^ op_q[5].slot[0], needed: needed5_new};
  assign place5_ahead = pair_q[4][2] ? place6_q : place4_q;   // but for the operation just ahead

  always_ff @(posedge clk_i) begin
    blocked5_q <= blocked_d;
    rec5_q     <= rec5_next;
    foreign5_q <= (pair_q[4][1] ? place5_new.second : place5_ahead.second) ^ op_q[4].slot[0];
    near5_q    <= pair_q[4][1];
    needed5_q  <= place5_ahead.needed;
    if (Ecc == 0) rec5_q.lost <= 1'b0;
    rel5_q  <= rel_d;
    rank5_q  <= ranks4;
    ranks5_q <= ranks_of(op_q[4].workers);
  end

  // Stage 5. Whether the place is needed is the last that the update knows; what it makes of that
  // for the operation just behind is chosen a cycle late, from its register.
  assign needed5 = near5_q ? place6_q.needed : needed5_q;

  // What it pulses has no gate behind the update's logic: its flip-flop is cleared.
  logic live5;
  assign live5 = valid_q[5] && rst_ni;

  agg_slot_update #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Devices (Devices),
    .Uplink  (Uplink),
    .Ecc     (Ecc)
  ) u_update (
    .op_i     (op_q[5]),
    .rank_i   (rank5_q),
    .port_i   (ports5),
    .ranks_i  (ranks5_q),
    .rec_i    (rec5_q),
    .foreign_i(foreign5_q),
    .needed_i (needed5),
    .rel_i    (rel5_q),
    .blocked_i(blocked5_q),
    .rec_o    (rec5_new),
    .foreign_o(foreign5_new),
    .needed_o (needed5_new),
    .result_o (result5),
    .forward_i(match_q[4][1]),
    .other_i  (match_q[4][2] ? rec6_q : rec4_q),
    .next_o   (rec5_next)
  );

  always_ff @(posedge clk_i) begin
    rec6_q       <= rec5_new;
    rank6_q      <= rank5_q;
    if (Ecc == 0) rec6_q.lost <= 1'b0;
    place6_q     <= place5_new;
    result6_q    <= result5;
    if (!live5) free_valid_q <= 1'b0;
    else free_valid_q <= result5.first_take;
    free_msgid_q <= rec5_q.tag + (32'd1 << rec5_q.window_log2);
  end
  assign free_slot = pair_of(op_q[6].slot);

  // ---------------------------------------------------------------------------------------------
  // Stage 6: results, straight from registers; a cycle later for the observer.

  logic decide6_q, commit6_q, take6_q;
  logic known6_q;   // a job that emission has made itself
  always_ff @(posedge clk_i) begin
    decide6_q   <= valid_q[5] && |(op_q[5].op & SlotDecide) && rst_ni;
    commit6_q   <= valid_q[5] && |(op_q[5].op & SlotCommit) && rst_ni;
    take6_q     <= valid_q[5] && |(op_q[5].op & SlotTake) && rst_ni;
    // Only a commit pushes.
    if (!live5 || op_q[5].ahead) job_first_o <= 1'b0;
    else job_first_o <= result5.push_first;
    if (!live5) job_again_o <= 1'b0;
    else job_again_o <= result5.push_again;
    known6_q <= live5 && op_q[5].ahead && result5.push_first;
  end

  // A column is full when all its ranks are decided on; the last one's commit completes it, unless
  // an earlier one waits for its bank. Commits of a tree's columns are not what completes them.
  logic [MaxRanks-1:0] ranks6_q;
  logic                fills;
  always_ff @(posedge clk_i) ranks6_q <= ranks5_q;
  assign fills = Devices == 0 && Uplink == 0 && op_q[6].touch && result6_q.fate == FateStored &&
      rec6_q.accepted == ranks6_q;

  always_comb begin
    verdict_valid_o = decide6_q;
    verdict_o       = verdict_of(op_q[6], result6_q.fate, fills);

    take_rsp_valid_o = take6_q;
    take_rsp_o       = taken_of(op_q[6].slot, rec6_q, result6_q);
    take_column_o    = '{note: result6_q.note, msgid: rec6_q.tag, offset: rec6_q.offset};

    job_ended_o = take6_q && take_rsp_o.status != TakeBlocked && !take_rsp_o.more;
    job_ring_o  = rec6_q.ring;
    job_slot_o  = op_q[6].slot;
  end

  agg_slot_tell #(
    .NumRanks(NumRanks),
    .Uplink  (Uplink),
    .Ecc     (Ecc)
  ) u_tell (
    .clk_i,
    .rst_ni,
    .rec5_i   (rec5_q),
    .valid_i  (valid_q[6]),
    .decide_i (decide6_q),
    .commit_i (commit6_q),
    .take_i   (take6_q),
    .op_i     (op_told(op_q[6])),
    .rec_i    (rec6_q),
    .fate_i   (result6_q.fate),
    .completes_i(result6_q.completes),
    .done_i   (result6_q.take == TakeDone && !result6_q.note),
    .ranks_i  (commit6_q ? rank6_q : result6_q.ranks),
    .ports_i  (ports6),
    .ring_event_o,
    .obs_o
  );

  // ---------------------------------------------------------------------------------------------

  agg_slot_watch #(
    .NumSlots(NumSlots)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .valid_i    (valid_q[5]),
    .op_i       (op_q[5]),
    .rank_i     (rank5_q),
    .old_i      (rec5_q),
    .foreign_i  (foreign5_q),
    .needed_i   (needed5),
    .rec_i      (rec5_new),
    .result_i   (result5),
    .job_push_i (job_first_o || job_again_o || known6_q),
    .job_ended_i(job_ended_o)
  );

  localparam int unsigned Answer = SlotAnswer + Ecc;
  logic [Answer:1] taken_q, decided_q;
  always_ff @(posedge clk_i) begin
    taken_q   <= rst_ni ? {taken_q[Answer-1:1], take_valid_i && take_ready_o} : '0;
    decided_q <= rst_ni ? {decided_q[Answer-1:1], rsp_valid_i && rsp_ready_o} : '0;
    if (rst_ni) begin
      // So are packets; a flush that waits for verdicts would begin before one has come.
      a_verdict_time : assert (verdict_valid_o == decided_q[Answer])
      else $error("%m: a packet has no verdict %0d cycles after it was accepted", Answer);
      // Takes are answered in time; sooner, and a row could be read before its packet has written
      // it.
      a_take_time : assert (take_rsp_valid_o == taken_q[Answer])
      else $error("%m: a take is not answered %0d cycles after it was accepted", Answer);
    end
  end

endmodule
