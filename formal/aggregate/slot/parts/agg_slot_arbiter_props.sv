// agg_slot_arbiter: which operation enters, what it carries, whose commits it is, and which port is
// next. Whose turn it is is agg_slot_turn's proof; here is what becomes of the turn. One port is
// followed.
module agg_slot_arbiter_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  parameter int unsigned FreeAfter = 5,
  parameter int unsigned Join = 1,
  localparam int unsigned IdxW = $clog2(NumPorts)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   enable_i,
  input logic                   rsp_valid_i,
  input lookup_rsp_t            rsp_i,
  input logic    [NumPorts-1:0] commit_valid_i,
  input commit_t [NumPorts-1:0] commit_i,
  input logic                   take_valid_i,
  input take_t                  take_i,
  input logic                   flush_valid_i,
  input logic [SlotW-1:0]       flush_slot_i,
  input logic                   free_valid_i,
  input logic [SlotW-1:0]       free_slot_i,
  input logic [31:0]            free_msgid_i,
  input logic                   waits_i,
  input logic [IdxW-1:0]        port_i   // any
);

  logic                rsp_ready, take_ready, flush_ready, op_valid;
  logic [NumPorts-1:0] commit_ready, joined;
  slot_op_t            op;
  ahead_t              soon;

  agg_slot_arbiter #(
    .NumPorts (NumPorts),
    .FreeAfter(FreeAfter),
    .Join     (Join)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i,
    .rsp_valid_i,
    .rsp_ready_o   (rsp_ready),
    .rsp_i,
    .commit_valid_i,
    .commit_ready_o(commit_ready),
    .commit_i,
    .take_valid_i,
    .take_ready_o  (take_ready),
    .take_i,
    .flush_valid_i,
    .flush_ready_o (flush_ready),
    .flush_slot_i,
    .free_valid_i,
    .free_slot_i,
    .free_msgid_i,
    .op_valid_o    (op_valid),
    .op_o          (op),
    .joined_o      (joined),
    .waits_i,
    .soon_o        (soon)
  );

  // Whether a commit stands chosen, and of which port; who was chosen last; whether the followed
  // port's commit is part of it.
  logic            there_q, in_q;
  logic [IdxW-1:0] pick_q, last_q, any_q, f;
  logic            started_q, goes;
  initial started_q = 1'b0;
  assign goes = commit_ready != '0;
  assign f    = (32'(any_q) < NumPorts) ? any_q : '0;

  // Who shows a commit that is not part of the chosen one, and who of them comes first behind the
  // last.
  logic [NumPorts-1:0] free;
  logic [IdxW-1:0]     next;
  assign free = commit_valid_i & ~(there_q ? joined : NumPorts'(0));
  always_comb begin
    next = last_q;
    for (int unsigned d = NumPorts; d >= 1; d--) begin
      if (free[(32'(last_q) + d) % NumPorts]) next = IdxW'((32'(last_q) + d) % NumPorts);
    end
  end

  commit_t chosen, followed;
  logic    same_column;   // first packets of one column
  assign chosen      = commit_i[pick_q];
  assign followed    = commit_i[f];
  assign same_column = Join != 0 && followed.first && chosen.first &&
                       {followed.slot, followed.msgid} == {chosen.slot, chosen.msgid};

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) any_q <= port_i;
    if (!there_q || goes) begin
      there_q <= free != '0;
      in_q    <= free != '0 && next == f;
      if (free != '0) {pick_q, last_q} <= {next, next};
    end else if (commit_valid_i[f] && same_column) begin
      in_q <= 1'b1;
    end
    if (!rst_ni) begin
      there_q <= 1'b0;
      last_q  <= IdxW'(NumPorts - 1);
    end
  end

  // The last take: how many cycles ago it was (`Over`: long), and of which slot.
  localparam int unsigned Over = FreeAfter + 2;
  logic [4:0]       age_q;
  logic [SlotW-1:0] taken_q;
  logic             held;
  assign held = age_q < 5'(FreeAfter);
  always_ff @(posedge clk_i) begin
    if (age_q != 5'(Over)) age_q <= age_q + 5'd1;
    if (take_ready) {age_q, taken_q} <= {5'd1, take_i.slot};
    if (!rst_ni) age_q <= 5'(Over);
  end

  // A port shows a commit until it is taken.
  logic    [NumPorts-1:0] waits_q, stays, fills;
  commit_t [NumPorts-1:0] commit_q;
  always_ff @(posedge clk_i) begin
    waits_q  <= rst_ni ? commit_valid_i & ~commit_ready : '0;
    commit_q <= commit_i;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // Dropped: another commit goes with a column's ranks.
    e_stays : assume (!rst_ni || stays == '1);
  end
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      stays[p] = !waits_q[p] || (commit_valid_i[p] && commit_i[p] == commit_q[p]);
      fills[p] = commit_i[p].fills;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Something enters if it is a free or is granted, and the records are ready.
      a_enters : assert (op_valid == (enable_i && (free_valid_i || take_ready || goes ||
                                                   rsp_ready || flush_ready)))
      else $error("operation %b", op_valid);
      if (free_valid_i) begin
        // A free: its slot, and the message that the slot waits for.
        a_free : assert (op.op == SlotFree && op.touch && op.slot == free_slot_i &&
                         op.msgid == free_msgid_i)
        else $error("free of slot %0d", op.slot);
      end
      if (take_ready) begin
        // A take: its slot, and the ports that have room.
        a_take : assert (op.op == SlotTake && op.touch && op.slot == take_i.slot &&
                         op.port_ready == take_i.port_ready && take_valid_i)
        else $error("take of slot %0d", op.slot);
      end
      if (flush_ready) begin
        // A flush: its slot.
        a_flush : assert (op.op == SlotFlush && op.touch && op.slot == flush_slot_i &&
                          flush_valid_i)
        else $error("flush of slot %0d", op.slot);
      end
      if (goes) begin
        // A commit: all that its port shows.
        a_commit : assert (there_q && op.op == SlotCommit && op.touch && {op.port, op.first,
            op.rank, op.slot, op.msgid} == {chosen.port, chosen.first, chosen.rank, chosen.slot,
                                            chosen.msgid})
        else $error("commit of slot %0d", op.slot);
        // Of another port only one that joined is told that it is gone: a first packet of the
        // column.
        a_of_it : assert (!commit_ready[f] || f == pick_q || same_column)
        else $error("port %0d, not of the column", f);
      end
      if (rsp_ready) begin
        // A decision: all that look-up says of the packet. What look-up has decided itself leaves
        // records alone.
        a_decide : assert (op.op == SlotDecide && rsp_valid_i &&
            op.touch == (rsp_i.fate == FateStored) &&
            {op.slot, op.msgid, op.port, op.rank, op.fate, op.conn, op.ring, op.of_ring} ==
            {rsp_i.slot, rsp_i.msgid, rsp_i.port, rsp_i.rank, rsp_i.fate, rsp_i.conn,
             rsp_i.ring, rsp_i.of_ring} &&
            {op.workers, op.offset, op.ends, op.window_log2, op.kind, op.tensor_len} ==
            {rsp_i.workers, rsp_i.offset, rsp_i.ends, rsp_i.window_log2, rsp_i.kind,
             rsp_i.tensor_len})
        else $error("decision on slot %0d", op.slot);
      end
      // What slot state finds out itself is not there yet.
      a_later : assert (!op.ahead && !op.parent && !op.devices)
      else $error("ahead %b, parent %b, devices %b", op.ahead, op.parent, op.devices);

      // Between a take and its free no commit and no decision of its pair enters.
      a_held : assert (!held || !(goes || rsp_ready) ||
                       op.slot[SlotW-1:1] != taken_q[SlotW-1:1])
      else $error("slot %0d, %0d cycles behind the take of %0d", op.slot, age_q, taken_q);

      // A port's commit is part of the one that stands if it was chosen, or is a first packet of
      // the same column and has waited for a cycle.
      a_part : assert (!there_q || joined[f] == in_q)
      else $error("port %0d: %b", f, joined[f]);
      // Its port is told that it is taken when it goes, as part of it, and at no other time.
      a_taken : assert (commit_ready[f] == (goes && in_q))
      else $error("port %0d taken: %b", f, commit_ready[f]);
      // A column will be complete soon if a part of the commit that stands is what it lacked, no
      // decision goes in front, and no packet waits for its bank.
      a_soon : assert (soon.valid == (there_q && !rsp_valid_i && !waits_i && (joined & fills) != '0)
                       && (!soon.valid || soon.slot == chosen.slot))
      else $error("soon %b, slot %0d", soon.valid, soon.slot);

      // What is chosen is what this file has chosen by turns (helps the proof).
      a_chosen : assert (u_dut.pick_valid_q == there_q &&
          (!there_q || (u_dut.pick_q == NumPorts'(1) << pick_q && 32'(pick_q) < NumPorts)) &&
          32'(last_q) < NumPorts && u_dut.u_ports.last == NumPorts'(1) << last_q)
      else $error("chosen %b, port %0d", there_q, pick_q);
      // A part of it has been shown for a cycle (helps the proof).
      a_shown : assert (!there_q || (joined & (u_dut.fills_q ^ fills)) == '0)
      else $error("fills %b", fills);
      // The last take is remembered as long as its pair is held (helps the proof).
      a_age : assert (u_dut.u_turn.since_q == ((age_q == 5'(Over)) ? '0 :
                          (FreeAfter+1)'(1) << (age_q - 5'd1)) &&
                      age_q != '0 && age_q <= 5'(Over) && u_dut.u_turn.hold_q == held &&
                      u_dut.u_turn.resting_q == (age_q != 5'(Over)) &&
                      (!held || u_dut.u_turn.pair_q == taken_q[FreedW:1]))
      else $error("a take %0d cycles ago", age_q);

      // The last port goes, behind another one.
      c_last : cover (goes && in_q && f == IdxW'(NumPorts - 1) && 32'(pick_q) == 1 - Join);
      // A decision goes in front of a commit, and of a pair that is held.
      c_decide : cover (rsp_ready && there_q && held && chosen.slot == taken_q);
    end
  end

endmodule
