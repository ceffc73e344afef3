// sat_stream: which wire goes where between parts of a streaming tree's engine, and what ends an
// operation.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own, in formal/tree/sat.
module stream_wires_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                                    clk_i,
  input logic                                    rst_ni,
  input logic                                    open_i,
  input logic                                    close_i,
  input sat_cfg_t                                cfg_i,
  input sat_lock_t                               lock_i,
  input logic [31:0]                             time_i,
  input rc_packet_t [NumPorts-1:0]               oldest_i,
  input logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input logic       [NumPorts-1:0]               room_i
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t                    claim, claim_drop, row_re;
  rc_row_t [NumPorts-1:0]    out;
  sat_end_t                  ends;
  logic                      streams;
  logic [$clog2(Groups)-1:0] group;
  sat_events_t               events;
  rc_port_pkg::rc_memory_t   memory;

  sat_stream #(
    .NumPorts  (NumPorts),
    .ResultRows(128)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .lock_i,
    .time_i,
    .oldest_i,
    .claim_o     (claim),
    .claim_drop_o(claim_drop),
    .row_re_o    (row_re),
    .row_i,
    .room_i,
    .out_o       (out),
    .end_o       (ends),
    .streams_o   (streams),
    .group_o     (group),
    .events_o    (events),
    .memory_o    (memory)
  );

  // The operation; a packet of the sum begins, or one of the parent's answer; the operation ends
  // with the last one, the answer's if it has gone up, else the sum's.
  sat_op_t op;
  logic    rises, falls, done, inner;
  assign op    = u_dut.u_gather.op_o;
  assign rises = u_dut.u_emit.risen_o;
  assign falls = u_dut.u_fall.fallen_o;
  always_comb begin
    done = 1'b0;
    if (op.valid && op.up && falls) done = u_dut.u_fall.last_o;
    if (op.valid && !op.up && rises) done = u_dut.u_emit.last_o;
  end
  // Nothing inside is left of before in a cycle of opening.
  assign inner = rst_ni && !open_i;

  // The parent's port, as it was set in the cycle before; events of that cycle.
  ports_t      parent_q;
  sat_events_t events_q;
  logic        past_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    for (int p = 0; p < NumPorts; p++) begin
      parent_q[p] <= cfg_i.parent_valid && cfg_i.parent == 4'(p);
    end
    events_q <= inner ? {u_dut.u_gather.refused_o, u_dut.u_emit.column_o, done} : '0;
  end

  always_ff @(posedge clk_i) begin
    // Parts begin anew with the tree; its end has to be remembered.
    a_reset : assert ({u_dut.u_gather.rst_ni, u_dut.u_issue.rst_ni, u_dut.u_ring.rst_ni,
                       u_dut.u_results.rst_ni, u_dut.u_emit.rst_ni, u_dut.u_fall.rst_ni,
                       u_dut.u_claims.rst_ni, u_dut.u_leave.rst_ni} == {8{inner}} &&
                      u_dut.u_end.rst_ni == rst_ni)
    else $error("reset");
    // Whoever takes packets knows whether the tree is open, and how it is set up.
    a_open : assert ({u_dut.u_gather.open_i, u_dut.u_issue.open_i, u_dut.u_fall.open_i} ==
                     {3{u_dut.u_end.open_o}})
    else $error("open");
    // All know how the tree is set up.
    a_cfg : assert (u_dut.u_gather.cfg_i == cfg_i && u_dut.u_end.cfg_i == cfg_i &&
                    u_dut.u_issue.mtu_i == cfg_i.mtu && u_dut.u_fall.mtu_i == cfg_i.mtu)
    else $error("another tree");
    // The parent's port is as it was set a cycle before.
    a_parent : assert (!past_q || (u_dut.u_emit.parent_i == parent_q &&
                                   u_dut.u_fall.parent_i == parent_q))
    else $error("another parent");
    // The operation is what headers have agreed on, to all parts, with the moment they did.
    a_op : assert ({u_dut.u_issue.op_i, u_dut.u_emit.op_i, u_dut.u_fall.op_i} == {3{op}} &&
                   {u_dut.u_issue.agreed_i, u_dut.u_fall.agreed_i} == {2{u_dut.u_gather.agreed_o}})
    else $error("another operation");
    // So does who brings packets in with its first header.
    a_first : assert (u_dut.u_issue.first_i == u_dut.u_gather.first_o)
    else $error("another first header");
    // It ends with the last packet to the ports below: the answer's if the sum has gone up, else
    // the sum's.
    a_done : assert (u_dut.u_gather.done_i == done)
    else $error("done %b", done);
    // The lock is looked at by who lets children in.
    a_lock : assert (u_dut.u_gather.lock_i == lock_i)
    else $error("another lock");

    // What was claimed is shown to nobody inside, and rows that are owed are known to all who
    // claim.
    a_oldest : assert ({u_dut.u_gather.oldest_i, u_dut.u_issue.oldest_i, u_dut.u_fall.oldest_i} ==
                       {3{u_dut.u_claims.oldest_o}} && u_dut.u_claims.oldest_i == oldest_i)
    else $error("another packet");
    // Rows that are owed are known to all who claim.
    a_owed : assert ({u_dut.u_gather.owed_i, u_dut.u_issue.owed_i, u_dut.u_fall.owed_i} ==
                     {3{u_dut.u_claims.owed_o}})
    else $error("other rows are owed");
    // Packets are claimed to be thrown away, for the ring, and for the way down.
    a_claims : assert (u_dut.u_claims.claim_i == (u_dut.u_gather.drop_o | u_dut.u_issue.claim_o |
                                                  u_dut.u_fall.claim_o) &&
                       {claim, claim_drop} == {u_dut.u_claims.claim_o,
                                               u_dut.u_claims.claim_drop_o})
    else $error("another claim");
    // Rows are not read of what is thrown away.
    a_drops : assert (u_dut.u_claims.drop_i == (u_dut.u_gather.drop_o | u_dut.u_issue.drop_o |
                                                u_dut.u_fall.drop_o))
    else $error("another claim");
    // Rows are read by the ring and for the way down, which both get what was read.
    a_rows : assert (row_re == (u_dut.u_ring.row_re_o | u_dut.u_fall.row_re_o) &&
                     u_dut.u_claims.row_re_i == row_re && u_dut.u_ring.row_i == row_i &&
                     u_dut.u_fall.row_i == row_i)
    else $error("other rows");

    // The ring adds what is brought into it.
    a_ring : assert ({u_dut.u_ring.in_valid_i, u_dut.u_ring.in_kind_i, u_dut.u_ring.in_children_i,
                      u_dut.u_ring.in_along_i} ==
                     {u_dut.u_issue.ring_valid_o, u_dut.u_issue.ring_kind_o,
                      u_dut.u_issue.ring_children_o, u_dut.u_issue.ring_stop_o} &&
                     u_dut.u_issue.ring_ready_i == u_dut.u_ring.in_ready_o)
    else $error("something else into the ring");
    // Sums wait with the end of their packet until a packet of them leaves.
    a_results : assert ({u_dut.u_results.in_valid_i, u_dut.u_results.in_stop_i,
                         u_dut.u_results.in_row_i} ==
                        {u_dut.u_ring.out_valid_o, u_dut.u_ring.out_along_o,
                         u_dut.u_ring.out_row_o})
    else $error("another sum waits");
    // They leave when who makes packets takes them.
    a_sums : assert ({u_dut.u_emit.row_valid_i, u_dut.u_emit.row_i, u_dut.u_emit.row_stop_i} ==
                     {u_dut.u_results.out_valid_o, u_dut.u_results.out_row_o,
                      u_dut.u_results.out_stop_o} &&
                     u_dut.u_results.out_ready_i == u_dut.u_emit.row_ready_o)
    else $error("another sum leaves");
    // A row's place is free when it leaves.
    a_gone : assert (u_dut.u_issue.row_gone_i ==
                     (u_dut.u_results.out_valid_o && u_dut.u_emit.row_ready_o))
    else $error("another row");
    // Packets that are brought in are those that leave.
    a_pieces : assert ({u_dut.u_emit.piece_valid_i, u_dut.u_emit.piece_i} ==
                       {u_dut.u_issue.piece_valid_o, u_dut.u_issue.piece_o} &&
                       u_dut.u_issue.piece_ready_i == u_dut.u_emit.piece_ready_o)
    else $error("another packet");

    // Packets begin where there is room behind all that is on its way.
    a_room : assert (u_dut.u_leave.room_i == room_i &&
                     {u_dut.u_emit.room_i, u_dut.u_fall.room_i} == {2{u_dut.u_leave.room_o}})
    else $error("other room");
    // The sum's wait for the answer's and for refusals, the answer's for refusals.
    a_taken : assert (u_dut.u_emit.taken_i == (u_dut.u_fall.to_o | u_dut.u_gather.posted_o) &&
                      u_dut.u_fall.taken_i == u_dut.u_gather.posted_o)
    else $error("other ports are taken");
    // Room is claimed at all ports at which a packet begins, and by a refusal.
    a_begun : assert (u_dut.u_leave.begun_i == (u_dut.u_gather.posted_o |
                      (u_dut.u_emit.soon_o & {NumPorts{rises}}) |
                      (u_dut.u_fall.soon_o & {NumPorts{falls}})))
    else $error("other packets begin");
    // Refusals keep off ports of packets that are under way, or begin soon.
    a_under_way : assert (u_dut.u_leave.taken_i ==
                          (u_dut.u_emit.to_o | u_dut.u_emit.soon_o | u_dut.u_fall.to_o |
                           u_dut.u_fall.soon_o))
    else $error("other ports are taken");
    // Rows leave to the ports of their packets,
    a_leave : assert ({u_dut.u_leave.emit_to_i, u_dut.u_leave.emit_row_i, u_dut.u_leave.fall_to_i,
                       u_dut.u_leave.fall_row_to_i, u_dut.u_leave.fall_row_i} ==
                      {u_dut.u_emit.to_o, u_dut.u_emit.row_o, u_dut.u_fall.to_o,
                       u_dut.u_fall.row_to_o, u_dut.u_fall.row_o} && out == u_dut.u_leave.out_o)
    else $error("other rows leave");
    // headers alone to theirs, as the answer has it if its last packet begins,
    a_heads : assert (u_dut.u_leave.head_to_i ==
                      (u_dut.u_emit.head_to_o | u_dut.u_fall.head_to_o) &&
                      u_dut.u_leave.head_i == ((falls && u_dut.u_fall.last_o) ?
                                               u_dut.u_fall.head_o : u_dut.u_emit.head_o))
    else $error("another header leaves");
    // and refusals to whom they are for.
    a_refuse : assert ({u_dut.u_leave.refuse_valid_i, u_dut.u_leave.refuse_i,
                        u_dut.u_leave.refuse_head_i, u_dut.u_leave.posted_i} ==
                       {u_dut.u_gather.refuse_valid_o, u_dut.u_gather.refuse_o,
                        u_dut.u_gather.refuse_head_o, u_dut.u_gather.posted_o} &&
                       u_dut.u_gather.refuse_ready_i == u_dut.u_leave.refuse_ready_o)
    else $error("another refusal");
    // The way down hears of each packet that has gone up.
    a_risen : assert ({u_dut.u_fall.risen_i, u_dut.u_fall.risen_last_i} ==
                      {rises, u_dut.u_emit.last_o})
    else $error("risen");

    // What ends a tree: its closing, headers that do not agree,
    a_ends : assert ({u_dut.u_end.open_i, u_dut.u_end.close_i, u_dut.u_end.time_i,
                      u_dut.u_end.blame_i} == {open_i, close_i, time_i, u_dut.u_gather.blame_o})
    else $error("another end");
    // packets that are not as their headers say, from below and from above.
    a_wrong : assert ({u_dut.u_end.issue_wrong_i, u_dut.u_end.wrong_at_i,
                       u_dut.u_end.fall_wrong_i} ==
                      {u_dut.u_issue.wrong_o, u_dut.u_issue.wrong_at_o, u_dut.u_fall.wrong_o})
    else $error("something else is wrong");
    // Patience begins anew with the first child and with each packet in either direction,
    a_moves : assert (u_dut.u_end.moved_i == (u_dut.u_gather.begun_o || rises || falls) &&
                      u_dut.u_end.active_i == u_dut.u_gather.active_o)
    else $error("moved %b", u_dut.u_end.moved_i);
    // with the parent when the whole sum has gone up,
    a_rose : assert (u_dut.u_end.rose_i == (op.up && rises && u_dut.u_emit.last_o))
    else $error("rose %b", u_dut.u_end.rose_i);
    // and it is the parent who is waited for then, if he says nothing,
    a_asked : assert (u_dut.u_end.asked_i == (op.valid && op.up && u_dut.u_fall.all_risen_o &&
                                              u_dut.u_fall.silent_o))
    else $error("asked %b", u_dut.u_end.asked_i);
    // else children: who has not come, or of whom the next packet is missing; or room.
    a_silent : assert (u_dut.u_end.silent_i == (u_dut.u_issue.silent_o &
                                                {NumPorts{op.valid && u_dut.u_issue.left_o}}) &&
                       u_dut.u_end.missing_i == u_dut.u_gather.missing_o &&
                       u_dut.u_end.waits_i == u_dut.u_emit.waits_o)
    else $error("others are waited for");

    // What is told outside: the end, the operation under way and its group.
    a_told : assert (ends == u_dut.u_end.end_o && group == u_dut.u_gather.group_o &&
                     streams == (u_dut.u_end.open_o && u_dut.u_gather.active_o))
    else $error("end %h", ends);
    // Refusals, columns and ends of operations are counted a cycle later.
    a_events : assert (!past_q || events == events_q)
    else $error("events %b", events);
    // What memories found is of the rows that wait.
    a_memory : assert (memory == u_dut.u_results.memory_o)
    else $error("another memory");

    // An operation ends while a packet begins below; a header alone with the answer's last one.
    c_done : cover (done && op.up && rises);
    c_head : cover (falls && u_dut.u_fall.last_o && u_dut.u_fall.head_to_o == ports_t'(6));
  end

endmodule
