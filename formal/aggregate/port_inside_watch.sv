// A part of agg_port_props: where the packet and the frame that it follows are inside agg_port. No
// promise to anybody; without it induction would begin in states that never come.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// of that file.
module port_inside_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import port_packet_pkg::*;
#(
  /// As in agg_port_props.
  parameter int unsigned MaxRows = 2,
  parameter int unsigned NumBanks = 16
) (
  input logic clk_i,
  input logic rst_ni,

  // The frame that is followed, from its descriptor to its last beat: it is the current one; frames
  // in front of it; whether its fate is known, and its verdict; what its header record says.
  input logic        frame_follows_i,
  input logic        loaded_i,
  input logic [1:0]  frame_ahead_i,
  input frame_desc_t frame_i,
  input logic        fate_known_i,
  input verdict_t    verdict_i,
  input hdr_meta_t   described_i,

  // Look-ups without an answer; about what, the older one first; those in front of the frame's.
  input logic     [1:0] asked_i,
  input fetched_t [1:0] asked_of_i,
  input logic     [1:0] asked_ahead_i,

  // The beat of the current frame that comes next.
  input logic [8:0] beat_i,

  // The packet that is followed, from its start; it is not committed, behind so many others;
  // packets that are not; banks that are given back.
  input logic                follows_i,
  input packet_t             packet_i,
  input logic [8:0]          beats_i,
  input logic                pending_i,
  input logic [2:0]          ahead_i,
  input logic [2:0]          open_i,
  input logic [NumBanks-1:0] give_i
);

  packet_t packet;   // about to start, or under way
  assign packet = u_dut.packet_q;

  // States of the DUT.
  localparam logic [1:0] ModePass = 2'd0, ModeDiscard = 2'd1, ModeWrite = 2'd2;

  function automatic logic [1:0] mode_of(fate_e one);
    mode_of = (one == FatePassed) ? ModePass : (writes(one) ? ModeWrite : ModeDiscard);
  endfunction

  function automatic logic fits(packet_t one, logic [8:0] beats);
    fits = one.meta.hdr_len >= 7'd54 && one.meta.hdr_len <= 7'd114 &&
        one.meta.hdr_len[1:0] == 2'd2 && 32'(one.meta.tensor_len) <= 64 * MaxRows &&
        !one.meta.tensor_len[0] && one.meta.has_pad == one.meta.tensor_len[1] &&
        32'(one.rows) == payload_rows(one.meta.tensor_len) && 32'(beats) <= max_beats(MaxRows) &&
        32'(one.meta.hdr_len) + 32'(one.meta.tensor_len) +
            (one.meta.has_pad ? 32'd6 : 32'd4) <= 64 * 32'(beats);
  endfunction

  // Fetched frames, the older one first, and which of them are candidates; verdicts that wait for
  // their turn, those of the older candidates.
  fetched_t   [1:0] entry;
  verdict_t   [1:0] decided;
  logic       [1:0] fetched, kept, candidate, known;   // known: the entry's fate
  logic             sure, passes;
  assign fetched = u_dut.u_fetch.u_fetched.count_q;
  assign kept    = u_dut.u_fetch.u_verdicts.count_q;
  assign sure    = u_dut.u_fetch.sure_q;
  assign passes  = u_dut.current_q && u_dut.mode_q == ModePass;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      entry[i]     = u_dut.u_fetch.u_fetched.mem_q[u_dut.u_fetch.u_fetched.read_q ^ 1'(i)];
      decided[i]   = u_dut.u_fetch.u_verdicts.mem_q[u_dut.u_fetch.u_verdicts.read_q ^ 1'(i)];
      candidate[i] = 32'(fetched) > i && entry[i].candidate;
    end
    known = {kept > 2'(candidate[0]), kept != '0};
  end

  // Each candidate has its verdict, or what was asked is about it.
  logic [1:0] verdict_of, place_of;   // by entry: its place among verdicts; among those asked about
  logic [1:0] hand_right;
  assign verdict_of = {candidate[0], 1'b0};
  assign place_of   = {candidate[0] && kept == '0, 1'b0};
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      hand_right[i] = 32'(fetched) <= i || (entry[i].beats != '0 && (!candidate[i] || (known[i] ?
          (!writes(decided[verdict_of[i]].fate) || sound(entry[i], MaxRows)) :
          entry[i] == asked_of_i[place_of[i]])) &&
          entry[i].rows == 8'(payload_rows(entry[i].meta.tensor_len)) &&
          entry[i].meta.rank == '0 && entry[i].meta.conn == '0);
    end
  end

  // The frame that is followed is fetched or the current one.
  logic     at, fetched_right, current_right, held_right;
  packet_t  due;
  fetched_t of_frame;
  assign at       = 1'(frame_ahead_i - 2'(u_dut.current_q));
  assign of_frame = kept_of(frame_i);
  always_comb begin
    due           = '{first: verdict_i.fate == FateStored, fills: verdict_i.fills,
                      rank: verdict_i.rank,
                      slot: verdict_i.slot, msgid: verdict_i.msgid,
                      rows: 8'(payload_rows(frame_i.tensor_len)), meta: described_i};
    fetched_right = frame_ahead_i >= 2'(u_dut.current_q) &&
        frame_ahead_i - 2'(u_dut.current_q) < fetched && entry[at] == of_frame &&
        (frame_i.candidate ? fate_known_i == known[at] && (fate_known_i ?
             decided[verdict_of[at]] == verdict_i : asked_ahead_i == 2'(place_of[at])) :
         fate_known_i && verdict_i.fate == FatePassed);
    current_right = u_dut.current_q && frame_ahead_i == '0 && fate_known_i &&
        u_dut.beats_q == frame_i.beats && u_dut.mode_q == mode_of(verdict_i.fate) &&
        (!writes(verdict_i.fate) || packet == due);
    // Of any frame: what is to be written is sound.
    held_right    = hand_right == '1 && (!u_dut.current_q || u_dut.beats_q != '0) &&
        (!u_dut.current_q || u_dut.mode_q inside {ModePass, ModeDiscard, ModeWrite}) &&
        (!(u_dut.current_q && u_dut.mode_q == ModeWrite) || fits(packet, u_dut.beats_q)) &&
        (!follows_i || fits(packet_i, beats_i));
  end

  // Room at the output that is set aside: for what has not left of the current frame, if it is
  // passed, and for fetched ones; perhaps not for the newest of all.
  logic [11:0] aside;
  always_comb begin
    aside = '0;
    if (passes && (fetched != '0 || sure)) aside = 12'(u_dut.beats_q) - 12'(beat_i);
    if (fetched != '0 && (fetched != 2'd1 || sure)) aside = aside + 12'(entry[0].beats);
    if (fetched == 2'd2 && sure) aside = aside + 12'(entry[1].beats);
    aside = aside + 12'(u_dut.u_fetch.back_q) + 12'(u_dut.u_fetch.beat_q);
  end

  // Packets between their look-up and their commit.
  logic [4:0] under;
  always_comb begin
    under = 5'(asked_i) + 5'(open_i) +
        5'(u_dut.current_q && u_dut.mode_q == ModeWrite && !u_dut.started_q);
    for (int unsigned i = 0; i < 2; i++) begin
      if (32'(kept) > i && writes(decided[i].fate)) under = under + 5'd1;
    end
  end

  // A packet with pad bytes is on its way.
  logic late_inside;
  assign late_inside = u_dut.u_align.padded_q || u_dut.padded ||
      ((u_dut.u_align.turned_valid_q || u_dut.u_align.flush_q || u_dut.u_align.finish_q) &&
       u_dut.u_align.out_q.meta.has_pad) ||
      (u_dut.started_q && u_dut.mode_q == ModeWrite && packet.meta.has_pad);

  // Commits that wait, the oldest first, and the late one behind them.
  logic [1:0] oldest, next;
  logic [3:0] oldest_hot, next_hot;
  assign oldest_hot = u_dut.u_started.oldest_q;
  assign next_hot   = u_dut.u_started.next_q;
  assign oldest     = {oldest_hot[3] || oldest_hot[2], oldest_hot[3] || oldest_hot[1]};
  assign next       = {next_hot[3] || next_hot[2], next_hot[3] || next_hot[1]};
  logic [2:0] waiting;
  logic [3:0] slots_right;
  commit_t    due_commit;
  assign waiting    = u_dut.u_commits.count_q;
  assign due_commit = '{port: PortW'(1), first: packet_i.first, fills: packet_i.fills,
                        rank: packet_i.rank,
                        slot: packet_i.slot, msgid: packet_i.msgid};
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      logic [1:0] place;
      place          = oldest + 2'(i);
      slots_right[i] = (3'(i) >= open_i) ? !u_dut.u_started.open_q[place] :
          u_dut.u_started.open_q[place] && u_dut.u_started.slots_q[place] ==
          (3'(i) < waiting ? u_dut.u_commits.mem_q[2'(u_dut.u_commits.read_q + 2'(i))].slot :
           u_dut.late_q.slot);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The followed frame is where it should be (helps the proof).
      a_frame : assert (!frame_follows_i || (loaded_i ? current_right : fetched_right))
      else $error("frame");
      a_held : assert (held_right)
      else $error("held");
      // A look-up is under way exactly for fetched candidates without a verdict (helps the proof).
      a_asked : assert (asked_i == u_dut.u_fetch.waits_q && fetched <= 2'd2 && kept <= 2'd2 &&
          3'(asked_i) + 3'(kept) == 3'(candidate[0]) + 3'(candidate[1]) &&
          u_dut.u_fetch.u_fetched.write_q == (u_dut.u_fetch.u_fetched.read_q ^ fetched[0]) &&
          u_dut.u_fetch.u_verdicts.write_q == (u_dut.u_fetch.u_verdicts.read_q ^ kept[0]))
      else $error("asked");
      // Room is set aside, for the newest frame perhaps not yet (helps the proof).
      a_aside : assert (12'(u_dut.u_fetch.aside_q) == aside && (sure || (
          u_dut.u_fetch.newest_q ==
              (fetched == '0 ? u_dut.beats_q : entry[fetched == 2'd2].beats) &&
          (fetched != '0 || (passes && !u_dut.started_q)) && (u_dut.u_fetch.left_q[10] ||
           12'(u_dut.u_fetch.aside_q) + 12'(u_dut.u_fetch.left_q[9:0]) <= 12'd1023))))
      else $error("%0d beats", aside);
      a_sure : assert (!(passes && u_dut.started_q) || fetched != '0 || sure)
      else $error("starts without room");
      // Packets that a flush waits for are counted (helps the proof).
      a_under : assert (5'(u_dut.under_q) + 5'(u_dut.asked_q) ==
          under + 5'(u_dut.dropped_q) + 5'(u_dut.committed_q))
      else $error("%0d packets", under);
      // Beats are counted (helps the proof).
      a_beat : assert (u_dut.first_beat_q == (beat_i == '0) &&
          u_dut.beat_q == beat_i &&
          (u_dut.started_q ? u_dut.current_q && beat_i < u_dut.beats_q : beat_i == '0))
      else $error("beat %0d", beat_i);
      // Commits are the started packets (helps the proof).
      a_commits : assert (open_i == waiting + 3'(u_dut.late_wait_q) && slots_right == '1 &&
          $onehot(oldest_hot) && $onehot(next_hot) && next == 2'(oldest + open_i[1:0]) &&
          u_dut.u_commits.write_q == 2'(u_dut.u_commits.read_q + waiting[1:0]))
      else $error("commits");
      // Which bank goes along with whose it is (helps the proof).
      a_banks : assert ((!u_dut.current_q || u_dut.bank_q == NumBanks'(1) << packet.rank) &&
          (!u_dut.late_wait_q || u_dut.late_bank_q == NumBanks'(1) << u_dut.late_q.rank) &&
          u_dut.gave_q == (give_i != '0))
      else $error("banks");
      a_late_inside : assert (u_dut.late_wait_q || !late_inside)
      else $error("late");
      a_pending : assert (!pending_i || (follows_i && ahead_i < open_i &&
          (ahead_i < waiting ?
           u_dut.u_commits.mem_q[2'(u_dut.u_commits.read_q + ahead_i[1:0])] == due_commit :
           u_dut.late_wait_q && u_dut.late_q == due_commit && packet_i.meta.has_pad)))
      else $error("pending");
    end
  end

endmodule
