// llt_engine: which wire goes where between the parts of a low-latency tree's engine, and when that
// begins and ends.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own, in formal/tree/llt.
module engine_wires_props
  import rc_pkg::*;
  import rc_port_pkg::rc_memory_t;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  parameter int unsigned NumPorts = 4
) (
  input logic                                     clk_i,
  input logic                                     rst_ni,
  input logic                                     open_i,
  input logic                                     close_i,
  input sat_cfg_t                                 cfg_i,
  input logic [15:0]                              tree_i,
  input logic [31:0]                              time_i,
  input logic [NumPorts-1:0]                      casts_i,
  input rc_packet_t [NumPorts-1:0]                oldest_i,
  input logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input logic       [NumPorts-1:0]                room_i,
  input rc_packet_t                               cast_oldest_i,
  input logic [RcRowBits-1:0]                     cast_row_i,
  input logic                                     lock_ready_i,
  input logic                                     lock_answered_i,
  input lock_answer_t                             lock_answer_i,
  input logic                                     streams_i,
  input logic [GroupW-1:0]                        streams_group_i,
  input sat_end_t                                 sat_end_i,
  input logic [NumPorts-1:0]                      lost_i,
  input low_change_t                              change_i,
  input logic [Groups-1:0]                        holds_i,
  input logic [GroupW-1:0]                        group_i   // any
);

  logic [NumPorts-1:0]    claim, row_re, cast;
  rc_row_t [NumPorts-1:0] out;
  logic                   cast_claim, cast_row_re, lock_valid, low_down, sat_down;
  logic                   changed, changed_good;
  lock_ask_t              lock_ask;
  low_observed_t          observed;
  low_events_t            events;
  rc_memory_t             memory;

  llt_engine #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .tree_i,
    .time_i,
    .casts_i,
    .oldest_i,
    .claim_o       (claim),
    .row_re_o      (row_re),
    .row_i,
    .room_i,
    .out_o         (out),
    .cast_o        (cast),
    .cast_oldest_i,
    .cast_claim_o  (cast_claim),
    .cast_row_re_o (cast_row_re),
    .cast_row_i,
    .lock_valid_o  (lock_valid),
    .lock_ready_i,
    .lock_o        (lock_ask),
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sat_end_i,
    .lost_i,
    .low_down_o    (low_down),
    .sat_down_o    (sat_down),
    .change_i,
    .holds_i,
    .changed_o     (changed),
    .changed_good_o(changed_good),
    .observed_o    (observed),
    .events_o      (events),
    .memory_o      (memory)
  );

  // The tree is open from the cycle behind its opening until its closing, unless it is opened anew
  // with that; parts begin with it, and hold still while it is opened. The parent's port as it was
  // set a cycle before.
  logic                open_q, inner, known_q;
  logic [NumPorts-1:0] parent_q;
  initial known_q = 1'b0;
  assign inner = rst_ni && open_q && !open_i;
  always_ff @(posedge clk_i) begin
    if (open_i) open_q <= 1'b1;
    else if (close_i) open_q <= 1'b0;
    if (!rst_ni) begin
      open_q  <= 1'b0;
      known_q <= 1'b1;
    end
    for (int p = 0; p < NumPorts; p++) begin
      parent_q[p] <= cfg_i.parent_valid && cfg_i.parent == 4'(p);
    end
  end

  // What is sent: whose it is, and a row of it.
  logic [GroupW-1:0] group;
  logic [4:0]        row;
  logic              re;
  assign group = u_dut.u_leave.re_group_o;
  assign row   = u_dut.u_leave.re_row_o;
  assign re    = u_dut.u_leave.re_o;

  // What memories found.
  rc_memory_t [2:0] found;
  assign found = {u_dut.u_scan.memory_o, u_dut.u_inboxes.memory_o, u_dut.u_sum.memory_o};

  // The first one that is lost, or else the first one that was corrected.
  rc_port_pkg::rc_word_t word;
  always_comb begin
    word = found[0].word;
    for (int n = 0; n < 3; n++) if (found[n].corrected) word = found[n].word;
    for (int n = 0; n < 3; n++) if (found[n].bad) word = found[n].word;
  end

  always_ff @(posedge clk_i) begin
    if (known_q) begin
      // Parts begin anew with the tree; inboxes keep what they have begun to take.
      a_reset : assert ({u_dut.u_look.rst_ni, u_dut.u_scan.rst_ni, u_dut.u_pending.rst_ni,
                         u_dut.u_sum.rst_ni, u_dut.u_leave.rst_ni} == {5{inner}} &&
                        u_dut.u_decide.open_i == inner && u_dut.u_inboxes.clear_i == !inner &&
                        u_dut.u_inboxes.rst_ni == rst_ni)
      else $error("reset");
      // The parent's port is known to who keeps what it sends and who sends to it.
      a_parent : assert ({u_dut.u_inboxes.parent_i, u_dut.u_leave.parent_i} == {2{parent_q}})
      else $error("another parent");
    end
    // How the tree is set up.
    a_cfg : assert ({u_dut.u_look.cfg_i, u_dut.u_decide.cfg_i, u_dut.u_leave.cfg_i} ==
                    {3{cfg_i}} && {u_dut.u_look.tree_i, u_dut.u_leave.tree_i} == {2{tree_i}} &&
                    u_dut.u_scan.node_i == cfg_i.node && u_dut.u_decide.time_i == time_i)
    else $error("another tree");

    // Queues of ports and of multicasts are taken from by the inboxes.
    a_queues : assert ({u_dut.u_inboxes.oldest_i, u_dut.u_inboxes.row_i,
                        u_dut.u_inboxes.cast_oldest_i, u_dut.u_inboxes.cast_row_i} ==
                       {oldest_i, row_i, cast_oldest_i, cast_row_i} &&
                       {claim, row_re, cast_claim, cast_row_re} ==
                       {u_dut.u_inboxes.claim_o, u_dut.u_inboxes.row_re_o,
                        u_dut.u_inboxes.cast_claim_o, u_dut.u_inboxes.cast_row_re_o})
    else $error("another queue");
    // A message leaves its inbox when it is decided, or answered; it is kept if that says so.
    a_take : assert (u_dut.u_inboxes.take_i == (u_dut.u_decide.take_o |
                                                u_dut.u_leave.replied_o) &&
                     {u_dut.u_inboxes.keep_i, u_dut.u_inboxes.cast_take_i,
                      u_dut.u_inboxes.cast_keep_i} ==
                     {u_dut.u_decide.keep_o, u_dut.u_decide.cast_take_o,
                      u_dut.u_decide.cast_keep_o} &&
                     u_dut.u_inboxes.group_i == u_dut.u_look.seen_o.group)
    else $error("another message is taken");
    // Messages are looked at, but for those that are being answered, by what their groups do.
    a_looks : assert ({u_dut.u_look.message_i, u_dut.u_look.cast_i} ==
                      {u_dut.u_inboxes.message_o, u_dut.u_inboxes.cast_message_o} &&
                      u_dut.u_look.not_i == u_dut.u_leave.replying_o)
    else $error("another message is looked at");
    // Its group's last operation is known.
    a_groups : assert ({u_dut.u_look.any_i, u_dut.u_look.sequence_no_i} ==
                       {u_dut.u_decide.any_o, u_dut.u_decide.sequence_no_o})
    else $error("another operation");
    // Of any group, with the operation that is under way.
    a_operation : assert (u_dut.u_look.operation_i[group_i] ==
                          u_dut.u_decide.head_o[group_i].operation)
    else $error("group %0d: operation %0d", group_i, u_dut.u_look.operation_i[group_i]);
    // What is seen is decided on, when there is time for it; or forgotten.
    a_seen : assert (u_dut.u_decide.seen_i == u_dut.u_look.seen_o &&
                     {u_dut.u_look.ready_i, u_dut.u_look.flush_i} ==
                     {u_dut.u_decide.seen_ready_o, u_dut.u_decide.flush_o})
    else $error("something else is decided on");

    // Headers of who joins are kept, and compared.
    a_joins : assert ({u_dut.u_scan.write_i, u_dut.u_scan.write_group_i,
                       u_dut.u_scan.write_port_i, u_dut.u_scan.write_head_i} ==
                      {u_dut.u_decide.join_o, u_dut.u_look.seen_o.group, u_dut.u_look.seen_o.port,
                       u_dut.u_look.seen_o.head})
    else $error("another header is kept");
    // A scan is of the group that is decided on.
    a_scan : assert ({u_dut.u_scan.scan_i, u_dut.u_scan.group_i} ==
                     {u_dut.u_decide.scan_o, u_dut.u_decide.group_o} &&
                     u_dut.u_decide.scanned_i == u_dut.u_scan.scanned_o)
    else $error("another scan");
    // The lock cells, the streaming tree and changes are asked for outside.
    a_lock : assert ({lock_valid, lock_ask} ==
                     {u_dut.u_decide.lock_valid_o, u_dut.u_decide.lock_o} &&
                     {u_dut.u_decide.lock_ready_i, u_dut.u_decide.lock_answered_i,
                      u_dut.u_decide.lock_answer_i} ==
                     {lock_ready_i, lock_answered_i, lock_answer_i})
    else $error("another lock");
    // The streaming tree's state is known.
    a_streams : assert ({u_dut.u_decide.streams_i, u_dut.u_decide.streams_group_i,
                         u_dut.u_decide.sat_end_i} == {streams_i, streams_group_i, sat_end_i})
    else $error("another stream");
    // Changes are asked for, and answered.
    a_change : assert ({u_dut.u_decide.change_i, u_dut.u_decide.holds_i} == {change_i, holds_i} &&
                       {changed, changed_good} ==
                       {u_dut.u_decide.changed_o, u_dut.u_decide.changed_good_o})
    else $error("another change");
    // Ends of both trees, and what is told of all of it.
    a_told : assert ({low_down, sat_down, observed, events} ==
                     {u_dut.u_decide.low_down_o, u_dut.u_decide.sat_down_o,
                      u_dut.u_decide.observed_o, u_dut.u_decide.events_o})
    else $error("another end");
    // Who is lost is known to who decides and to who sends.
    a_lost : assert ({u_dut.u_decide.lost_i, u_dut.u_leave.lost_i} == {2{lost_i}})
    else $error("others are lost");

    // Sums wait for their turn, and groups know of them.
    a_pending : assert ({u_dut.u_pending.put_i, u_dut.u_pending.put_sum_i} ==
                        {u_dut.u_decide.sum_o, u_dut.u_decide.sum_of_o} &&
                        {u_dut.u_pending.ready_i, u_dut.u_pending.done_i,
                         u_dut.u_pending.done_group_i} ==
                        {u_dut.u_sum.ready_o, u_dut.u_sum.done_o, u_dut.u_sum.done_group_o})
    else $error("another sum waits");
    // A group's vectors are in use while it waits.
    a_summing : assert ({u_dut.u_decide.summing_i, u_dut.u_leave.summing_i} ==
                        {2{u_dut.u_pending.busy_o}})
    else $error("another sum");
    // A sum's rows are asked of the inboxes.
    a_sums : assert ({u_dut.u_sum.valid_i, u_dut.u_sum.sum_i} ==
                     {u_dut.u_pending.valid_o, u_dut.u_pending.sum_o})
    else $error("another sum");
    // Its rows are asked of the inboxes.
    a_rows : assert ({u_dut.u_inboxes.sum_re_i, u_dut.u_inboxes.sum_re_group_i,
                      u_dut.u_inboxes.sum_re_row_i} ==
                     {u_dut.u_sum.re_o, u_dut.u_sum.re_group_o, u_dut.u_sum.re_row_o} &&
                     u_dut.u_sum.row_i == u_dut.u_inboxes.row_o)
    else $error("other rows are summed");

    // What leaves is read of the sum and of the parent's message alike, with which of them will be
    // used; of its multicast if the group's answer came by that.
    a_reads : assert ({u_dut.u_sum.re_i, u_dut.u_sum.use_i, u_dut.u_sum.re_group_i,
                       u_dut.u_sum.re_row_i} == {re, u_dut.u_leave.use_sum_o, group, row} &&
                      {u_dut.u_inboxes.send_re_i, u_dut.u_inboxes.send_use_i,
                       u_dut.u_inboxes.send_re_group_i, u_dut.u_inboxes.send_re_row_i} ==
                      {re, u_dut.u_leave.use_parent_o, group, row})
    else $error("another row is read");
    // A row is the multicast's if the answer of that very group came by it.
    a_from_cast : assert (u_dut.u_inboxes.from_cast_i == u_dut.u_decide.from_cast_o[group])
    else $error("from a multicast: %b", u_dut.u_inboxes.from_cast_i);
    // Both rows are there for what leaves.
    a_sent : assert ({u_dut.u_leave.sum_row_i, u_dut.u_leave.parent_row_i} ==
                     {u_dut.u_sum.row_o, u_dut.u_inboxes.parent_row_o})
    else $error("another row leaves");
    // Sums, answers, replies and the end of the tree are to leave; messages say to whom.
    a_leave : assert ({u_dut.u_leave.rise_i, u_dut.u_leave.answer_i, u_dut.u_leave.answer_group_i,
                       u_dut.u_leave.from_parent_i, u_dut.u_leave.head_i} ==
                      {u_dut.u_decide.rise_o, u_dut.u_decide.answer_o, u_dut.u_decide.group_o,
                       u_dut.u_decide.from_parent_o, u_dut.u_decide.head_o})
    else $error("something else leaves");
    // Replies are to messages that are in the inboxes.
    a_reply : assert ({u_dut.u_leave.reply_i, u_dut.u_leave.reply_why_i, u_dut.u_leave.end_i,
                       u_dut.u_leave.message_i} ==
                      {u_dut.u_decide.reply_o, u_dut.u_decide.reply_why_o, u_dut.u_decide.end_o,
                       u_dut.u_inboxes.message_o})
    else $error("another reply");
    // Who decides knows what has left, what is owed, and what is being sent.
    a_left : assert ({u_dut.u_decide.risen_i, u_dut.u_decide.owed_i, u_dut.u_decide.sending_i,
                      u_dut.u_decide.sending_group_i, u_dut.u_decide.telling_i} ==
                     {u_dut.u_leave.risen_o, u_dut.u_leave.owed_o, u_dut.u_leave.sending_o, group,
                      u_dut.u_leave.telling_o})
    else $error("something else has left");
    // To the ports' buffers, where they have room; by multicast, too, where children take that.
    a_out : assert ({u_dut.u_leave.room_i, u_dut.u_leave.casts_i} == {room_i, casts_i} &&
                    {out, cast} == {u_dut.u_leave.out_o, u_dut.u_leave.cast_o})
    else $error("another port");

    // What memories found is told; of two words in one cycle one, that of one that is lost first.
    a_memory : assert ((Ecc == 0) ? memory == '0 :
                       (memory.corrected == (found[0].corrected || found[1].corrected ||
                                             found[2].corrected) &&
                        memory.bad == (found[0].bad || found[1].bad || found[2].bad)))
    else $error("memory %b", memory);
    // Of words that are lost the first one is told, or else of those that were corrected.
    a_word : assert (Ecc == 0 || memory.word == word)
    else $error("word %h", memory.word);

    // A row of a multicast answer leaves while another group's vector is summed.
    c_busy : cover (known_q && inner && re && u_dut.u_decide.from_cast_o[group] &&
                    u_dut.u_sum.re_o[3] && u_dut.u_sum.re_group_o != group);
  end

endmodule
