// agg_port: each frame meets the fate of its own verdict. A passed one leaves as it came, whole, in
// its turn. A written one goes into the slot and the bank of its verdict, headers and rows once, at
// times that are fixed by its start; emission sees it as started until its commit; a commit is of
// the packets that started, in their order.
//
// Times, with the start (grant) in cycle S: header rows at S+3 and S+4; payload row r at S+6+r or
// earlier, a cycle later at the bank. The commit is shown at S+1 at the earliest, and taken a cycle
// later. A read that a commit in cycle C causes is of row r in C+6+r or later (agg_emit_take: a
// take goes in behind the commit; slot state answers it five cycles later, and agg_emit_read begins
// with the answer). So the read comes behind the write, C+5+r.
//
// What stands in the rows is agg_align's proof; its data is left out here (`cuts` of the task).
module agg_port_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import port_packet_pkg::*;
#(
  /// Rows of the largest packet.
  parameter int unsigned MaxRows = 2
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  desc_valid_i,
  input frame_desc_t           desc_i,
  input logic                  beat_valid_i,
  input beat_t                 beat_i,
  input logic                  lookup_ready_i,
  input logic                  verdict_valid_i,
  input verdict_t              verdict_i,
  input logic                  pass_ready_i,
  input logic            [9:0] pass_room_i,
  input logic                  grant_i,
  input logic            [1:0] lock_valid_i,
  input logic [1:0][SlotW-1:0] lock_slot_i,
  input logic      [SlotW-1:0] writing_slot_i,
  input logic                  commit_ready_i,
  // Follow the packet that starts now; the frame whose descriptor is taken now.
  input logic                  follow_i,
  input logic                  follow_frame_i
);

  localparam int unsigned NumBanks = 16;

  logic                started_q, desc_ready, beat_ready, want, write_valid, commit_valid;
  logic [RankW-1:0]    write_rank;
  logic [NumBanks-1:0] want_bank, give;
  logic             writing;
  logic             lookup_valid, pass_valid, fate_valid, busy, idle;
  frame_desc_t      lookup;
  beat_t            pass;
  fate_e            fate;
  bank_write_t      write;
  commit_t          commit;
  initial started_q = 1'b0;

  agg_port #(
    .NumBanks(NumBanks),
    .Hand    (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .port_i        (PortW'(1)),
    .desc_valid_i,
    .desc_ready_o  (desc_ready),
    .desc_i,
    .beat_valid_i,
    .beat_ready_o  (beat_ready),
    .beat_i,
    .beat_bad_i    (1'b0),
    .lookup_valid_o(lookup_valid),
    .lookup_ready_i,
    .lookup_o      (lookup),
    .verdict_valid_i,
    .verdict_i,
    .pass_valid_o  (pass_valid),
    .pass_ready_i,
    .pass_o        (pass),
    .pass_room_i,
    .want_o        (want),
    .bank_o        (want_bank),
    .grant_i,
    .release_o     (give),
    .write_valid_o (write_valid),
    .write_rank_o  (write_rank),
    .write_o       (write),
    .lock_valid_i,
    .lock_slot_i,
    .writing_slot_i,
    .writing_o     (writing),
    .commit_valid_o(commit_valid),
    .commit_ready_i,
    .commit_o      (commit),
    .fate_valid_o  (fate_valid),
    .fate_o        (fate),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  // ---------------------------------------------------------------------------------------------
  // One packet, from its start on.

  localparam int unsigned Longest = MaxRows + 16;   // cycles until all of it is written, and more

  logic             start, follow, follows_q, again, pending_q;
  logic [7:0]       age_q;            // cycles since the start
  logic [2:0]       ahead_q, open_q;  // started and not committed: in front of it; all
  packet_t          packet_q, packet;
  logic [8:0]       beats_q, beat_q;
  logic             fire, row_time;
  logic [7:0]       row_at;           // row 0 is written at this age
  logic [7:0]       last_at, give_at; // beats are read from age 1 on to this; the bank is released

  assign start   = want && grant_i;
  assign packet  = u_dut.packet_q;
  assign follow  = start && follow_i && !follows_q;
  assign fire    = commit_valid && commit_ready_i;
  assign row_at  = packet_q.meta.hdr_len[6] ? 8'd6 : 8'd5;
  assign last_at = 8'(beats_q);
  assign give_at = last_at + (packet_q.meta.has_pad ? 8'd6 : 8'd1);
  assign row_time = age_q >= row_at && age_q < row_at + packet_q.rows;
  assign again   = packet_q.meta.has_pad && age_q == last_at + 8'd5;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    open_q    <= open_q + 3'(start) - 3'(fire);
    if (follow) begin
      follows_q <= 1'b1;
      pending_q <= 1'b1;
      age_q     <= 8'd1;
      packet_q  <= packet;
      beats_q   <= u_dut.beats_q;
      ahead_q   <= open_q - 3'(fire);
    end else if (follows_q) begin
      if (32'(age_q) < Longest) age_q <= age_q + 8'd1;
      if (fire && ahead_q != '0) ahead_q <= ahead_q - 3'd1;
      if (fire && ahead_q == '0) pending_q <= 1'b0;
    end
    if (beat_valid_i && beat_ready) beat_q <= beat_i.last ? '0 : beat_q + 9'd1;
    if (!rst_ni) begin
      follows_q <= 1'b0;
      pending_q <= 1'b0;
      open_q    <= '0;
      beat_q    <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One frame, from its descriptor on.

  logic        frame_taken, frame_new, frame_follows_q, turn, decides, loads;
  logic        fate_known_q, loaded_q;
  logic [1:0]  frames_q, frame_ahead_q;   // frames whose last beat is to come: all, in front of it
  logic [1:0]  asked_q, asked_ahead_q;    // look-ups without a verdict: all, in front of its own
  frame_desc_t frame_q;
  fetched_t    [1:0] asked_of_q;          // what was asked about, the older one first
  verdict_t    verdict_q;
  logic        last, asked, shown_q, asks_q;
  frame_desc_t desc_q;

  assign frame_taken = desc_valid_i && desc_ready;
  assign frame_new   = frame_taken && follow_frame_i && !frame_follows_q;
  assign last        = beat_valid_i && beat_ready && beat_i.last;
  // The beats that are shown are its own.
  assign turn        = frame_follows_q && frame_ahead_q == '0;
  assign decides     = frame_follows_q && !fate_known_q && asked_ahead_q == '0 && verdict_valid_i;
  assign asked       = lookup_valid && lookup_ready_i;
  // It becomes the current one.
  assign loads       = frame_follows_q && !loaded_q && fate_valid &&
      frame_ahead_q == 2'(u_dut.current_q);

  always_ff @(posedge clk_i) begin
    frames_q <= frames_q + 2'(frame_taken) - 2'(last);
    if (frame_new) begin
      frame_follows_q <= 1'b1;
      frame_ahead_q   <= frames_q - 2'(last);
      asked_ahead_q   <= asked_q - 2'(verdict_valid_i);
      frame_q         <= desc_i;
      loaded_q        <= 1'b0;
      fate_known_q    <= !desc_i.candidate;
      verdict_q.fate  <= FatePassed;
    end else if (frame_follows_q) begin
      if (last && frame_ahead_q != '0) frame_ahead_q <= frame_ahead_q - 2'd1;
      if (last && frame_ahead_q == '0) frame_follows_q <= 1'b0;
      if (verdict_valid_i && !fate_known_q) asked_ahead_q <= asked_ahead_q - 2'd1;
      if (loads) loaded_q <= 1'b1;
      if (decides) begin
        fate_known_q <= 1'b1;
        verdict_q    <= verdict_i;
      end
    end
    asked_q <= asked_q + 2'(asked) - 2'(verdict_valid_i);
    if (verdict_valid_i) asked_of_q[0] <= asked_of_q[1];
    if (asked) asked_of_q[1'(asked_q - 2'(verdict_valid_i))] <= kept_of(lookup);
    shown_q <= rst_ni && desc_valid_i && !desc_ready;
    desc_q  <= desc_i;
    asks_q  <= rst_ni && lookup_valid && !lookup_ready_i;
    if (!rst_ni) begin
      frames_q        <= '0;
      frame_follows_q <= 1'b0;
      asked_q         <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A frame has beats.
      e_desc : assume (!desc_valid_i || desc_i.beats != '0);
      // Look-up gives slots only to packets whose lengths are right, and a slot has room for their
      // rows.
      e_verdict : assume (!(verdict_valid_i && writes(verdict_i.fate)) ||
                          sound(asked_of_q[0], MaxRows));
      // A descriptor stays shown until it is taken.
      e_shown : assume (!shown_q || (desc_valid_i && desc_i == desc_q));
      // The last beat of a frame is marked.
      e_last : assume (!u_dut.started_q || beat_i.last == (beat_q + 9'd1 == u_dut.beats_q));
    end
  end

  // What the header record says of the frame, but for the pad bytes, which come later.
  fetched_t  due;
  hdr_meta_t described;
  assign due = kept_of(frame_q);
  always_comb begin
    described      = due.meta;
    described.rank = 8'(verdict_q.rank);
    described.conn = verdict_q.conn;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // No write starts to a slot that emission has locked, nor to the other one of its pair, whose
      // payloads have the same place.
      a_locked : assert (!(start && ((lock_valid_i[0] && lock_slot_i[0] == packet.slot) ||
                                     (lock_valid_i[1] && lock_slot_i[1] == packet.slot))))
      else $error("slot %0d", packet.slot);
      a_pair_locked : assert (!(start && packet.first &&
          ((lock_valid_i[0] && lock_slot_i[0] == pair_of(packet.slot)) ||
           (lock_valid_i[1] && lock_slot_i[1] == pair_of(packet.slot)))))
      else $error("slot %0d", packet.slot);
      if (follows_q) begin
        // The first header row is written three cycles after the start, into the slot and the bank
        // of the verdict.
        a_head0 : assert (age_q != 8'd3 || (write_valid && write.header && write.row == 8'd0 &&
            write.slot == packet_q.slot && write_rank == packet_q.rank))
        else $error("age %0d", age_q);
        // The second one in the cycle behind it.
        a_head1 : assert (age_q != 8'd4 || (write_valid && write.header && write.row == 8'd1 &&
            write.slot == packet_q.slot && write_rank == packet_q.rank))
        else $error("age %0d", age_q);
        // Payload row r follows six cycles and r after the start, or one cycle earlier: ahead of
        // every read that the commit can cause. Of a repeated packet no payload is written.
        a_rows : assert (!row_time || (write_valid == packet_q.first && (!write_valid ||
            (!write.header && write.row == age_q - row_at && write.slot == packet_q.slot &&
             write_rank == packet_q.rank))))
        else $error("age %0d", age_q);
        // What else is written in its time is its second header row once more, when its pad bytes
        // are known.
        a_pad : assert (age_q < row_at + packet_q.rows ||
            age_q > last_at + (packet_q.meta.has_pad ? 8'd5 : 8'd4) ||
            (again ? (write_valid && write.header && write.row == 8'd1 &&
                      write.slot == packet_q.slot && write_rank == packet_q.rank) : !write_valid))
        else $error("age %0d", age_q);
        // The bank is given back once, when the last beat has been read, or with the pad bytes.
        a_give : assert (age_q > give_at ||
            give == ((age_q == give_at) ? NumBanks'(1) << packet_q.rank : '0))
        else $error("age %0d", age_q);
        // A packet with pad bytes is committed when all of it is written.
        a_late : assert (!(fire && pending_q && ahead_q == '0 && packet_q.meta.has_pad) ||
            age_q > last_at + 8'd5)
        else $error("age %0d", age_q);
        // A commit is of the packets that started, in their order.
        a_commit : assert (!(commit_valid && pending_q && ahead_q == '0) ||
            (commit.slot == packet_q.slot && commit.rank == packet_q.rank &&
             commit.msgid == packet_q.msgid && commit.first == packet_q.first &&
             commit.port == PortW'(1)))
        else $error("slot %0d", commit.slot);
        // Emission sees a started packet until its commit.
        a_busy : assert (!pending_q || writing || writing_slot_i != packet_q.slot)
        else $error("writing %b", writing);
      end
      // Each frame meets one fate: passed, or what its verdict says.
      a_fate : assert (!loads || ((fate_known_q || decides) &&
          fate == (decides ? verdict_i.fate : verdict_q.fate)))
      else $error("fate %0d", fate);
      if (turn) begin
        // What is passed leaves as it came, beat for beat, in its turn; of another frame no beat
        // leaves.
        a_passed : assert ((pass_valid && pass_ready_i) == (beat_valid_i && beat_ready &&
            fate_known_q && verdict_q.fate == FatePassed) && (!pass_valid || pass == beat_i))
        else $error("passes %b", pass_valid);
        // No beat of a frame moves before its fate is known.
        a_waits : assert (!beat_ready || fate_known_q)
        else $error("moves");
        // A packet is written that has to be, to the rank and slot of its verdict, with what its
        // headers say; no other is.
        a_written : assert (!start || (writes(verdict_q.fate) && fate_known_q &&
            packet.rank == verdict_q.rank && packet.slot == verdict_q.slot &&
            packet.msgid == verdict_q.msgid && packet.first == (verdict_q.fate == FateStored) &&
            packet.meta == described && 32'(packet.rows) == payload_rows(frame_q.tensor_len)))
        else $error("slot %0d", packet.slot);
        // All its beats go to its bank, and none of another frame.
        a_beats : assert (u_dut.u_align.beat_valid_i == (beat_valid_i && beat_ready &&
            writes(verdict_q.fate)) && (!u_dut.u_align.beat_valid_i ||
            (u_dut.u_align.packet_i == u_dut.packet_q && u_dut.u_align.beat_i == beat_i &&
             u_dut.u_align.beat_first_i == (beat_q == '0))))
        else $error("beats");
      end
      // Look-up is asked about candidates only, and until it has accepted them.
      a_asks : assert ((!lookup_valid || lookup.candidate) &&
                       (!asks_q || (lookup_valid && lookup == desc_q)))
      else $error("asks");
      // Frames inside are counted: the fetched ones and the current one.
      a_frames : assert (3'(frames_q) == 3'(u_dut.u_fetch.fetched) + 3'(u_dut.current_q) &&
                         (!(pass_valid || start || beat_ready) || u_dut.current_q))
      else $error("%0d frames", frames_q);
      // The port is idle only with nothing in hand.
      a_idle : assert (!idle || (frames_q == '0 && open_q == '0 && !busy))
      else $error("idle");
      // A commit is of a started packet.
      a_started : assert (!commit_valid || open_q != '0)
      else $error("commit of nothing");
      // Started packets are counted (helps the proof).
      a_open : assert (32'(open_q) == 32'($countones(u_dut.open)) && open_q <= 3'd4)
      else $error("%0d", open_q);
      // A packet with pad bytes is written whole.
      c_pad : cover (follows_q && again);
      // Two packets are written right behind each other.
      c_two : cover (follows_q && age_q < 8'd12 && start && packet_q.rows == 8'd2);
      // A frame's verdict waits for its turn, behind one that is passed and one that is current.
      c_ahead : cover (frame_follows_q && frame_ahead_q == 2'd2 && fate_known_q &&
          frame_q.candidate && writes(verdict_q.fate));
    end
  end

  // What helps the proof.
  port_inside_watch #(
    .MaxRows (MaxRows),
    .NumBanks(NumBanks)
  ) u_inside (
    .clk_i,
    .rst_ni,
    .frame_follows_i(frame_follows_q),
    .loaded_i       (loaded_q),
    .frame_ahead_i  (frame_ahead_q),
    .frame_i        (frame_q),
    .fate_known_i   (fate_known_q),
    .verdict_i      (verdict_q),
    .described_i    (described),
    .asked_i        (asked_q),
    .asked_of_i     (asked_of_q),
    .asked_ahead_i  (asked_ahead_q),
    .beat_i         (beat_q),
    .follows_i      (follows_q),
    .packet_i       (packet_q),
    .beats_i        (beats_q),
    .pending_i      (pending_q),
    .ahead_i        (ahead_q),
    .open_i         (open_q),
    .give_i         (give)
  );

endmodule
