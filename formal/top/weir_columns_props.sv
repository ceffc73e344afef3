// The device from the descriptor of a packet to the reading of the banks for its result: two ports,
// two rings of two ranks, N = 1, one packet a message. Each port has two packets, one behind the
// other, and hosts keep to nothing: each packet is of any rank and any of four messages, those of
// the second port of any ring too. With `Prior` the device is not fresh from reset: each slot may
// hold a message of which any ranks are in place already, and if all are, whose results have left.
//
// What a packet holds is left out (formal/top/*_stand_in.sv say what stands in for what, and why);
// all that decides, stores, locks, takes and reads is the device's own, wired as the device wires
// it, and all of its assertions are proved along.
module weir_columns_props #(
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2,
  localparam int unsigned NumSlots = 4,
  /// Cycles from the acceptance of a column's last packet to its first results.
  parameter int unsigned Soon = 24,
  /// Slots hold what came before (records_stand_in stands in for agg_slot_records).
  parameter bit Prior = 1'b0,
  /// Cycles from the decision that a packet repeats one of a complete column to the taking of its
  /// result, and how many more if another rank of the column, behind the same port, goes first.
  parameter int unsigned Again = 24,
  parameter int unsigned Behind = 10
) (
  input logic clk_i,
  input logic rst_ni
);
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_slot_pkg::*;

  logic       started_q;
  obs_state_t obs;
  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset, and the only one. Dropped: queues hold jobs that nobody has.
    e_reset : assume (rst_ni == started_q);
  end

  weir_aggregator #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .SlotBytes(64),
    .NumSlots (NumSlots),
    .NumRings (2),
    .NumConns (4),
    .MaxWindow(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid ('0),
    .s_axis_tready (),
    .s_axis_tdata  ('0),
    .s_axis_tkeep  ('0),
    .s_axis_tlast  ('0),
    .s_axis_tuser  ('0),
    .m_axis_tvalid (),
    .m_axis_tready ('1),
    .m_axis_tdata  (),
    .m_axis_tkeep  (),
    .m_axis_tlast  (),
    .m_axis_tuser  (),
    .s_axil_awvalid(1'b0),
    .s_axil_awready(),
    .s_axil_awaddr ('0),
    .s_axil_awprot ('0),
    .s_axil_wvalid (1'b0),
    .s_axil_wready (),
    .s_axil_wdata  ('0),
    .s_axil_wstrb  ('0),
    .s_axil_bvalid (),
    .s_axil_bready (1'b0),
    .s_axil_bresp  (),
    .s_axil_arvalid(1'b0),
    .s_axil_arready(),
    .s_axil_araddr ('0),
    .s_axil_arprot ('0),
    .s_axil_rvalid (),
    .s_axil_rready (1'b0),
    .s_axil_rdata  (),
    .s_axil_rresp  (),
    .pause_storm_i ('0),
    .irq_o         (),
    .obs_state_o   (obs),
    .obs_result_o  ()
  );

  // What slot state writes in this cycle, and the take that it answers.

  slot_rec_t  rec;
  slot_op_t   op;
  logic       taken, touched;
  logic [1:0] slot;
  assign rec     = u_dut.u_core.u_slot_state.rec6_q;
  assign op      = u_dut.u_core.u_slot_state.op_q[6];
  assign slot    = op.slot[1:0];
  assign touched = u_dut.u_core.u_slot_state.valid_q[6] && op.touch;
  assign taken   = u_dut.u_core.taken.valid && u_dut.u_core.taken.taken.status == TakeDone;

  // ---------------------------------------------------------------------------------------------
  // Banks: whose bytes they hold, one place for the two slots of a ring, a pair; of which message
  // the sum is that a slot keeps. A packet's writes cannot be stopped once they start, and
  // agg_bank asserts that they keep in front of every read.

  localparam int unsigned NumPairs = NumSlots / 2;
  logic [NumPairs-1:0][NumRanks-1:0]       filled_q;
  logic [NumPairs-1:0][NumRanks-1:0][31:0] holds_q;
  logic [NumPairs-1:0][NumRanks-1:0]       over_q;   // of a column that is over since
  logic [NumSlots-1:0]                     kept_q;
  logic [NumSlots-1:0][31:0]               kept_msgid_q;
  logic [NumPorts-1:0]                     starts, twice;
  packet_t [NumPorts-1:0]                  packet;

  // What was there before.
  logic [NumSlots-1:0][NumRanks-1:0] prior_stored;
  logic [NumSlots-1:0]               prior_late;
  if (Prior) begin : gen_prior
    for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
      assign prior_stored[s] = u_dut.u_core.u_slot_state.u_records.stored[s] &
          {NumRanks{u_dut.u_core.u_slot_state.u_records.any_valid[s]}};
      assign prior_late[s]   = u_dut.u_core.u_slot_state.u_records.any_late[s];
    end
  end else begin : gen_fresh
    assign prior_stored = '0;
    assign prior_late   = '0;
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_start
    assign packet[p] = u_dut.gen_port[p].u_path.u_port.packet_q;
    assign starts[p] = u_dut.gen_port[p].u_path.u_port.write_start && packet[p].first;
    assign twice[p]  = starts[p] && filled_q[packet[p].slot[1]][packet[p].rank[0]] &&
        !over_q[packet[p].slot[1]][packet[p].rank[0]] &&
        holds_q[packet[p].slot[1]][packet[p].rank[0]] == packet[p].msgid;
  end

  always_ff @(posedge clk_i) begin
    // A column begins, and whatever was in its place is over.
    if (touched && u_dut.u_core.u_slot_state.result6_q.restart) over_q[slot[1]] <= '1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (starts[p]) begin
        over_q[packet[p].slot[1]][packet[p].rank[0]]   <= 1'b0;
        filled_q[packet[p].slot[1]][packet[p].rank[0]] <= 1'b1;
        holds_q[packet[p].slot[1]][packet[p].rank[0]]  <= packet[p].msgid;
      end
    end
    if (taken && u_dut.u_core.taken.taken.sum) begin
      kept_q[slot]       <= 1'b1;
      kept_msgid_q[slot] <= rec.tag;
    end
    if (!rst_ni) begin
      // What is not whole lies in the banks; of what is, the sum was kept.
      filled_q <= '0;
      over_q   <= '0;
      for (int unsigned s = 0; s < NumSlots; s++) begin
        kept_q[s]       <= &prior_stored[s];
        kept_msgid_q[s] <= {30'd0, prior_late[s], s[0]};
        if (^prior_stored[s]) begin
          filled_q[s/2] <= prior_stored[s];
          holds_q[s/2]  <= {NumRanks{30'd0, prior_late[s], s[0]}};
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Takes, completions and reads.

  logic                      sum, read_whole;
  logic [1:0]                read_slot;
  logic [31:0]               read_msgid;     // the first row is read in the cycle of the take
  logic [NumSlots-1:0][31:0] read_msgid_q;
  logic [7:0]                completed_q;    // {ring, message}
  logic [2:0]                obs_message;
  logic                      reads_both, reads_both_q;

  assign read_slot   = u_dut.u_core.read.row_slot[1:0];
  assign read_msgid  = (taken && slot == read_slot) ? rec.tag : read_msgid_q[read_slot];
  assign reads_both  = taken ? u_dut.u_core.taken.taken.ranks[1:0] == 2'b11 : reads_both_q;
  assign obs_message = {obs.ring[0], obs.msgid[1:0]};

  always_comb begin
    sum        = u_dut.u_core.taken.taken.sum || (kept_q[slot] && kept_msgid_q[slot] == rec.tag);
    read_whole = 1'b1;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (u_dut.u_core.taken.taken.sum &&
          (!filled_q[slot[1]][r] || over_q[slot[1]][r] || holds_q[slot[1]][r] != rec.tag)) begin
        sum = 1'b0;
      end
      if (!filled_q[read_slot[1]][r] || holds_q[read_slot[1]][r] != read_msgid) begin
        read_whole = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) read_msgid_q[slot] <= rec.tag;
    if (obs.valid && obs.kind == ObsCommit && obs.completes) completed_q[obs_message] <= 1'b1;
    reads_both_q <= reads_both;
    if (!rst_ni) begin
      completed_q  <= '0;
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (prior_stored[s] == '1) completed_q[{s[1], prior_late[s], s[0]}] <= 1'b1;
      end
      reads_both_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // From the acceptance of a column's last rank to its first result: cycles in which no other
  // column owes anything.

  logic [NumSlots-1:0]      waits_q, others, soon;
  logic [NumSlots-1:0][5:0] age_q;

  always_comb begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      soon[s]   = 32'(age_q[s]) <= Soon;
      others[s] = ((u_dut.u_core.u_slot_state.u_watch.job_q | waits_q) &
                   ~(NumSlots'(1) << s)) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      age_q[s] <= (waits_q[s] && !others[s]) ? age_q[s] + 6'd1 : '0;
      if (touched && slot == 2'(s)) begin
        if ((op.op & SlotDecide) != '0 &&
            u_dut.u_core.u_slot_state.result6_q.fate == FateStored) begin
          waits_q[s] <= rec.accepted[1:0] == 2'b11;
        end
        if (taken) waits_q[s] <= 1'b0;
      end
    end
    if (!rst_ni) begin
      waits_q <= '0;
      age_q   <= '0;
    end
  end

  // From the decision that a packet repeats one of a complete column to the taking of its rank's
  // result: cycles in which no other column owes anything. A newer message that takes the slot ends
  // the wait: the repeat was counted as one.

  // behind_q: while it waits, another rank's result has gone first.
  logic [NumSlots-1:0][NumRanks-1:0]      repeats_q, behind_q, again;
  logic [NumSlots-1:0][NumRanks-1:0][5:0] repeat_age_q;
  logic                                   taken_again;

  assign taken_again = taken && (repeats_q[slot] & u_dut.u_core.taken.taken.ranks[1:0]) != '0;

  always_comb begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        again[s][r] = 32'(repeat_age_q[s][r]) <= (behind_q[s][r] ? Again + Behind : Again);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        repeat_age_q[s][r] <= (repeats_q[s][r] && !others[s]) ? repeat_age_q[s][r] + 6'd1 : '0;
        if (touched && slot == 2'(s)) begin
          if ((op.op & SlotDecide) != '0 &&
              u_dut.u_core.u_slot_state.result6_q.fate == FateDuplicate &&
              rec.complete && op.rank[0] == r[0]) begin
            repeats_q[s][r] <= 1'b1;
          end
          if (taken && u_dut.u_core.taken.taken.ranks[r]) begin
            repeats_q[s][r]    <= 1'b0;
            behind_q[s][r]     <= 1'b0;
            repeat_age_q[s][r] <= '0;
          end else if (taken && repeats_q[s][r]) begin
            behind_q[s][r] <= 1'b1;
          end
          if (!rec.complete) {repeats_q[s][r], behind_q[s][r]} <= '0;
        end
      end
    end
    if (!rst_ni) begin
      repeats_q    <= '0;
      behind_q     <= '0;
      repeat_age_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A sum that is emitted has exactly one part of each rank, all of the message that the slot
      // stands for, whatever hosts do; one that was kept is that of this message.
      a_sum : assert (!taken || sum)
      else $error("slot %0d", slot);
      // And the same bytes are there until the last row is read.
      a_read : assert (!u_dut.u_core.read.row_re || read_whole)
      else $error("slot %0d", read_slot);
      // A rank's part of a message is written once while its column stands: not counted twice, not
      // exchanged.
      a_once : assert (twice == '0)
      else $error("written twice");
      // A message's column completes once, although packets may complete it from two ports in one
      // cycle.
      a_completes : assert (!(obs.valid && obs.kind == ObsCommit && obs.completes) ||
          !completed_q[obs_message])
      else $error("completed twice");
      // No result leaves before that.
      a_not_before : assert (!(obs.valid && obs.kind == ObsTake) || completed_q[obs_message])
      else $error("emitted before it was complete");
      // A packet of one ring decides on slots of this ring only, with its own message and rank; a
      // free stays in the ring too.
      a_ring : assert (!touched || ((op.op & SlotDecide) == '0 || (op.ring[0] == slot[1] &&
          op.conn[1] == slot[1] && op.conn[0] == op.rank[0] && op.msgid[0] == slot[0])))
      else $error("ring");
      a_free_ring : assert (!u_dut.u_core.u_slot_state.free_valid_q ||
          (u_dut.u_core.u_slot_state.free_slot == (op.slot ^ SlotW'(1)) && slot[1] == rec.ring[0]))
      else $error("free");
      // Without back-pressure the first results of a column are on their way soon after its last
      // packet was accepted, when no other column owes any.
      a_soon : assert (soon == '1)
      else $error("waits");
      // Without back-pressure a packet that repeats one of a complete column has its result soon,
      // when no other column owes any and unless a newer message takes the slot; a port sends one
      // result of a column at a time, so two ranks behind one port wait for each other, once.
      a_again : assert (again == '1)
      else $error("a repeat waits");
      // Both ranks' results are taken at once, each for its port, and read.
      c_result : cover (u_dut.u_core.read.row_re && reads_both);
      // Two packets of one column are in place in consecutive cycles, and the second completes it.
      c_close : cover (u_dut.u_core.job.first && u_dut.u_core.u_slot_state.valid_q[6:5] == 2'b11 &&
          u_dut.u_core.u_slot_state.u_forward.rec7_q.missing[1:0] != '0 &&
          u_dut.u_core.u_slot_state.match_q[4] != '0);
      // What hosts that keep to their window never see: a newer message takes the slot of a whole
      // column whose results have not left. They are lost, and no sum is wrong.
      c_lost : cover (touched && (op.op & SlotDecide) != '0 && op.msgid == 32'd2 &&
          u_dut.u_core.u_slot_state.u_watch.result_q.restart &&
          u_dut.u_core.u_slot_state.u_tell.old_q.complete &&
          u_dut.u_core.u_slot_state.u_tell.old_q.owed[1:0] == 2'b11);
    end
  end

  if (Prior) begin : gen_repeat
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // A repeat's result is taken, for its rank alone.
        c_again : cover (taken_again && $onehot(u_dut.u_core.taken.taken.ranks[1:0]));
      end
    end
  end

endmodule
