// A part of agg_port_props: where the packet and the frame that it follows are inside agg_port. No
// promise to anybody; without it induction would begin in states that never come.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// of that file.
module port_inside_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import port_packet_pkg::*;
#(
  /// As in agg_port_props.
  parameter int unsigned MaxRows = 2,
  parameter int unsigned NumBanks = 16
) (
  input logic clk_i,
  input logic rst_ni,

  // The frame that is followed, from its descriptor to its last beat: it is the newest one inside;
  // frames in front of it; whether its fate is known, and its verdict; what its header record says.
  input logic        frame_follows_i,
  input logic        frame_newest_i,
  input logic [1:0]  frame_ahead_i,
  input frame_desc_t frame_i,
  input logic        fate_known_i,
  input verdict_t    verdict_i,
  input hdr_meta_t   described_i,

  // Look-up has been asked and has not answered; about what.
  input logic        asked_i,
  input frame_desc_t asked_desc_i,

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
  localparam logic [1:0] FetchEmpty = 2'd0, FetchWait = 2'd2, FetchDecided = 2'd3;
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

  // The frame that is followed is the fetched one or the current one.
  logic fetched_right, current_right, held_right;
  always_comb begin
    packet_t due;
    due           = '{first: verdict_i.fate == FateStored, rank: verdict_i.rank,
                      slot: verdict_i.slot, msgid: verdict_i.msgid,
                      rows: 8'(payload_rows(frame_i.tensor_len)), meta: described_i};
    fetched_right = u_dut.fetch_q != FetchEmpty && u_dut.desc_q == frame_i &&
        frame_ahead_i == 2'(u_dut.current_q) && fate_known_i == (u_dut.fetch_q == FetchDecided) &&
        (!fate_known_i || (u_dut.verdict_q.fate == verdict_i.fate &&
                           (!frame_i.candidate || u_dut.verdict_q == verdict_i)));
    current_right = u_dut.current_q && frame_ahead_i == '0 && fate_known_i &&
        u_dut.beats_q == frame_i.beats && u_dut.mode_q == mode_of(verdict_i.fate) &&
        (!writes(verdict_i.fate) || packet == due);
    // Of any frame: what is to be written is sound.
    held_right    = (u_dut.fetch_q != FetchDecided || !writes(u_dut.verdict_q.fate) ||
                     sound(u_dut.desc_q, MaxRows)) &&
        (u_dut.fetch_q != FetchDecided || u_dut.desc_q.candidate ||
         u_dut.verdict_q.fate == FatePassed) &&
        (u_dut.fetch_q == FetchEmpty || u_dut.desc_q.beats != '0) &&
        (u_dut.fetch_q == FetchEmpty || u_dut.fetch_q == FetchDecided || u_dut.desc_q.candidate) &&
        (!u_dut.current_q || u_dut.beats_q != '0) &&
        (!u_dut.current_q || u_dut.mode_q inside {ModePass, ModeDiscard, ModeWrite}) &&
        (!(u_dut.current_q && u_dut.mode_q == ModeWrite) || fits(packet, u_dut.beats_q)) &&
        (!follows_i || fits(packet_i, beats_i));
  end

  // A packet with pad bytes is on its way.
  logic late_inside;
  assign late_inside = u_dut.u_align.padded_q || u_dut.padded ||
      (u_dut.u_align.rot1_valid_q && u_dut.u_align.begun_q.meta.has_pad) ||
      ((u_dut.u_align.rot2_valid_q || u_dut.u_align.flush_q || u_dut.u_align.finish_q) &&
       u_dut.u_align.out_q.meta.has_pad) ||
      (u_dut.started_q && u_dut.mode_q == ModeWrite && packet.meta.has_pad);

  // Commits that wait, the oldest first, and the late one behind them.
  logic [1:0] oldest, next;
  assign oldest = {u_dut.oldest_q[3] || u_dut.oldest_q[2], u_dut.oldest_q[3] || u_dut.oldest_q[1]};
  assign next   = {u_dut.next_q[3] || u_dut.next_q[2], u_dut.next_q[3] || u_dut.next_q[1]};
  logic [2:0] waiting;
  logic [3:0] slots_right;
  commit_t    due_commit;
  assign waiting    = u_dut.u_commits.count_q;
  assign due_commit = '{port: PortW'(1), first: packet_i.first, rank: packet_i.rank,
                        slot: packet_i.slot, msgid: packet_i.msgid};
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      logic [1:0] place;
      place          = oldest + 2'(i);
      slots_right[i] = (3'(i) >= open_i) ? !u_dut.open_q[place] : u_dut.open_q[place] &&
          u_dut.slots_q[place] ==
          (3'(i) < waiting ? u_dut.u_commits.mem_q[2'(u_dut.u_commits.read_q + 2'(i))].slot :
           u_dut.late_q.slot);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The followed frame is where it should be (helps the proof).
      a_frame : assert (!frame_follows_i || (frame_newest_i ? fetched_right : current_right))
      else $error("frame");
      a_newest : assert (!frame_newest_i || (u_dut.fetch_q != FetchEmpty && frame_follows_i))
      else $error("newest");
      a_held : assert (held_right)
      else $error("held");
      // A look-up is under way exactly while the fetched frame waits (helps the proof).
      a_asked : assert (asked_i == (u_dut.fetch_q == FetchWait) &&
                        (!asked_i || asked_desc_i == u_dut.desc_q))
      else $error("asked");
      // Beats are counted (helps the proof).
      a_beat : assert (u_dut.first_beat_q == (beat_i == '0) &&
          (u_dut.started_q ? u_dut.current_q && beat_i < u_dut.beats_q : beat_i == '0))
      else $error("beat %0d", beat_i);
      // Commits are the started packets (helps the proof).
      a_commits : assert (open_i == waiting + 3'(u_dut.late_wait_q) && slots_right == '1 &&
          $onehot(u_dut.oldest_q) && $onehot(u_dut.next_q) && next == 2'(oldest + open_i[1:0]) &&
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
