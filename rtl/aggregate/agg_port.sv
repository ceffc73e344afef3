// Takes the frames of one port in order and does with each what was decided: pass, discard, or
// write to a bank.
//
// Up to `Hand` *fetched* frames learn their verdicts (agg_port_fetch); the *current* one ahead of
// them moves its beats. A frame starts only when nothing can stop it any more: a passed frame when
// the pass FIFO has room for all of it, a stored one when its bank is granted. No frame is fetched
// behind one that may have to wait for that room: nobody knows how long the output is held. So a
// decided frame waits for banks alone, its own or those of the ones in front of it, and banks are
// granted in the order of decisions (agg_store): no circle of waiting.
//
// A bank is released when the packet's last beat is read (L). The next owner reads its first beat
// at L + BankHandover or later, so its first write comes after the last one of this packet
// (agg_timing_pkg).
//
// A packet is committed when it starts: nothing stops its writes any more, and they run ahead of
// any read that the commit can cause (a take is accepted behind the commit and answered SlotAnswer
// cycles later, and the first row is read with the answer at the earliest, when it is written).
// One with pad bytes, which are known last, is committed and gives its bank back when all of it is
// written.
module agg_port
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Banks, one a rank, 1 to 16.
  parameter int unsigned NumBanks = 6,
  /// Frames that are fetched at most, 1 to 8. 1: a descriptor stays shown until the verdict.
  parameter int unsigned Hand = 2,
  /// 1: beats come from a corrected memory, and may be bad.
  parameter int unsigned Ecc = 0,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Number of this port, a constant. No parameter, so that all ports are one module.
  input logic [PortW-1:0] port_i,

  // Frames from the ingress: when a descriptor is shown, all its beats are there.
  input  logic        desc_valid_i,
  output logic        desc_ready_o,
  input  frame_desc_t desc_i,
  input  logic        beat_valid_i,
  output logic        beat_ready_o,
  input  beat_t       beat_i,
  input  logic        beat_bad_i,   // it is not what came in, but for `last`

  // Look-ups, of the frame whose descriptor is shown; verdicts, pulses, come in their order, some
  // cycles after each was accepted.
  output logic        lookup_valid_o,
  input  logic        lookup_ready_i,
  output frame_desc_t lookup_o,
  input  logic        verdict_valid_i,
  input  verdict_t    verdict_i,

  // Passed frames; `pass_room_i` counts free beats.
  output logic       pass_valid_o,
  input  logic       pass_ready_i,
  output beat_t      pass_o,
  output logic       pass_bad_o,
  input  logic [9:0] pass_room_i,

  // Crossbar in front of the banks: `want` requests the bank in `bank` (one-hot) until `grant`,
  // then the packet is written without stall; `release` gives up a bank when the last beat was
  // read.
  output logic                want_o,
  output logic [NumBanks-1:0] bank_o,
  input  logic                grant_i,
  output logic [NumBanks-1:0] release_o,
  output logic                write_valid_o,
  output logic [RankW-1:0]    write_rank_o,
  output bank_write_t         write_o,
  output logic                write_bad_o,   // what is written is not to be trusted

  // Emission's locks: a write to a locked slot does not start. `writing_o` while a started one to
  // the slot that emission asks about is not committed.
  input  logic [1:0]            lock_valid_i,
  input  logic [1:0][SlotW-1:0] lock_slot_i,
  input  logic [SlotW-1:0]      writing_slot_i,
  output logic                  writing_o,

  // Commits to slot state: packets that are in their bank.
  output logic    commit_valid_o,
  input  logic    commit_ready_i,
  output commit_t commit_o,

  // The fate of a frame: one pulse each, as it becomes the current one.
  output logic  fate_valid_o,
  output fate_e fate_o,
  // Level: a packet of this port is between the acceptance of its look-up and its commit.
  output logic  busy_o,
  // Level: no frame is in hand, and nothing is left to commit.
  output logic  idle_o
);

  /// Packets of one port between grant and commit.
  localparam int unsigned MaxStarted = 4;

  // verilator lint_off UNUSEDSIGNAL
  fetched_t    frame;     // the oldest one that is fetched; that it asked is known by its verdict
  verdict_t    verdict;   // the port is this one
  // verilator lint_on UNUSEDSIGNAL
  logic        load;      // it becomes the current one
  logic        any;       // a frame is fetched
  logic        clear;     // the current frame, if it is passed, has room for all of it

  logic        current_q, started_q, last_fire, next;

  agg_port_fetch #(
    .Hand   (Hand),
    .Without(Without)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .desc_valid_i,
    .desc_ready_o,
    .desc_i,
    .lookup_valid_o,
    .lookup_ready_i,
    .lookup_o,
    .verdict_valid_i,
    .verdict_i,
    .pass_room_i,
    .pass_beat_i(pass_valid_o && pass_ready_i),
    .next_i     (next),
    .load_o     (load),
    .frame_o    (frame),
    .verdict_o  (verdict),
    .any_o      (any),
    .clear_o    (clear)
  );

  // ---------------------------------------------------------------------------------------------
  // Current frame: moves its beats.

  typedef enum logic [1:0] {ModePass, ModeDiscard, ModeWrite} mode_e;

  mode_e            mode_q;
  packet_t          packet_q;    // the current frame, if it is to be written
  logic             first_beat_q;
  logic [8:0]       beats_q, beat_q;   // of it, and which one comes; for an assertion
  logic             beat_fire;
  logic             start;
  logic             late_wait_q;     // a packet with pad bytes is not all written yet
  logic             padded;          // now it is
  logic [MaxStarted-1:0] open;       // places of started packets that are not committed
  commit_t          late_q;          // commit of the packet with pad bytes
  logic [NumBanks-1:0]   bank_q, late_bank_q;   // of the current frame, of the one with pad bytes
  logic             gives, gave_q;   // a bank is released

  assign fate_valid_o = load;
  assign fate_o       = verdict.fate;

  assign bank_o = bank_q;

  agg_port_want #(
    .MaxStarted(MaxStarted)
  ) u_want (
    .current_i(current_q),
    .started_i(started_q),
    .writes_i (mode_q == ModeWrite),
    .gave_i   (gave_q),
    .late_i   (late_wait_q),
    .open_i   (open),
    .slot_i   (packet_q.slot),
    .lock_valid_i,
    .lock_slot_i,
    .want_o
  );

  always_comb begin
    unique case (mode_q)
      ModePass:    start = clear;
      ModeDiscard: start = 1'b1;
      ModeWrite:   start = want_o && grant_i;
      default:     start = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (current_q && !started_q) started_q <= start;
    if (last_fire) begin
      current_q <= 1'b0;
      started_q <= 1'b0;
    end
    if (beat_fire) begin
      first_beat_q <= beat_i.last;
      beat_q       <= beat_i.last ? '0 : beat_q + 9'd1;
    end
    if (load) begin
      current_q      <= 1'b1;
      beats_q        <= frame.beats;
      started_q      <= 1'b0;
      packet_q.first <= (verdict.fate == FateStored);
      packet_q.fills <= verdict.fills;
      packet_q.rank  <= verdict.rank;
      packet_q.slot  <= verdict.slot;
      packet_q.msgid <= verdict.msgid;
      packet_q.rows  <= frame.rows;
      packet_q.meta  <= frame.meta;
      for (int unsigned b = 0; b < NumBanks; b++) bank_q[b] <= verdict.rank == RankW'(b);
      unique case (verdict.fate)
        FatePassed:                mode_q <= ModePass;
        FateStored, FateDuplicate: mode_q <= ModeWrite;
        default:                   mode_q <= ModeDiscard;
      endcase
    end
    if (!rst_ni) begin
      current_q    <= 1'b0;
      started_q    <= 1'b0;
      first_beat_q <= 1'b1;
      beat_q       <= '0;
    end
  end

  assign pass_valid_o = beat_valid_i && started_q && mode_q == ModePass;
  assign pass_o       = beat_i;
  assign pass_bad_o   = beat_bad_i;

  agg_port_beat u_beat (
    .current_i   (current_q),
    .started_i   (started_q),
    .passes_i    (mode_q == ModePass),
    .pass_ready_i,
    .beat_valid_i,
    .beat_last_i (beat_i.last),
    .beat_ready_o,
    .beat_fire_o (beat_fire),
    .last_fire_o (last_fire),
    .next_o      (next)
  );

  assign gives = padded || (last_fire && mode_q == ModeWrite && !packet_q.meta.has_pad);

  always_ff @(posedge clk_i) begin
    gave_q    <= gives && rst_ni;
    release_o <= (gives && rst_ni) ? (padded ? late_bank_q : bank_q) : '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Written frames: aligned to rows.

  agg_align #(
    .Ecc    (Ecc),
    .Without(Without)
  ) u_align (
    .clk_i,
    .rst_ni,
    .beat_valid_i (beat_fire && mode_q == ModeWrite),
    .beat_first_i (first_beat_q),
    .beat_i,
    .packet_i     (packet_q),
    .beat_bad_i,
    .write_valid_o,
    .write_rank_o,
    .write_o,
    .write_bad_o,
    .padded_o     (padded)
  );

  // ---------------------------------------------------------------------------------------------
  // Commits, and which slots have a started write.

  logic       commit_in_ready, commit_fire, write_start;
  logic [2:0] commit_count_unused;

  commit_t started;
  logic    commit_in_valid;

  assign write_start     = want_o && grant_i;
  assign commit_in_valid = (write_start && !packet_q.meta.has_pad) || padded;
  assign started         = '{port: port_i, first: packet_q.first, fills: packet_q.fills,
                             rank: packet_q.rank, slot: packet_q.slot, msgid: packet_q.msgid};

  always_ff @(posedge clk_i) begin
    if (padded) late_wait_q <= 1'b0;
    if (write_start && packet_q.meta.has_pad) begin
      late_wait_q <= 1'b1;
      late_q      <= started;
      late_bank_q <= bank_q;
    end
    if (!rst_ni) late_wait_q <= 1'b0;
  end

  prim_fifo #(
    .T(commit_t),
    .Depth(MaxStarted)
  ) u_commits (
    .clk_i,
    .rst_ni,
    .in_valid_i (commit_in_valid),
    .in_ready_o (commit_in_ready),
    .in_i       (padded ? late_q : started),
    .out_valid_o(commit_valid_o),
    .out_ready_i(commit_ready_i),
    .out_o      (commit_o),
    .count_o    (commit_count_unused)
  );

  assign commit_fire = commit_valid_o && commit_ready_i;

  // Slots of started packets, all of which emission looks at.
  logic [MaxStarted-1:0][SlotW-1:0] slots;

  agg_port_started #(
    .MaxStarted(MaxStarted)
  ) u_started (
    .clk_i,
    .rst_ni,
    .start_i       (write_start),
    .slot_i        (packet_q.slot),
    .commit_valid_i(commit_valid_o),
    .commit_ready_i,
    .open_o        (open),
    .slots_o       (slots)
  );

  always_comb begin
    writing_o = 1'b0;
    for (int unsigned i = 0; i < MaxStarted; i++) begin
      if (open[i] && slots[i] == writing_slot_i) writing_o = 1'b1;
    end
  end

  // Packets between their look-up and their commit, those without a verdict and written ones; a
  // cycle late, which is not too late for who waits for none.
  logic [3:0] under_q;
  logic       asked_q, dropped_q, committed_q, written;
  assign written = verdict_i.fate == FateStored || verdict_i.fate == FateDuplicate;
  always_ff @(posedge clk_i) begin
    asked_q     <= lookup_valid_o && lookup_ready_i && rst_ni;
    dropped_q   <= verdict_valid_i && !written && rst_ni;
    committed_q <= commit_fire && rst_ni;
    under_q     <= under_q + 4'(asked_q) - 4'(dropped_q) - 4'(committed_q);
    if (!rst_ni) under_q <= '0;
  end

  assign busy_o = under_q != '0 || asked_q || (current_q && mode_q == ModeWrite);
  assign idle_o = !any && !current_q && !busy_o;

  // ---------------------------------------------------------------------------------------------

  // Times that others count on, of packets that are written: the first beat was read so many cycles
  // ago; one that has its first payload row with the beat behind it; the last one; of pad bytes.
  logic                    first, last, with_row;
  logic [AlignHeader:1]    first_q;
  logic [AlignRow:1]       row_q;
  logic [BankHandover-1:1] last_q;
  logic [AlignPad:1]       pad_q;

  assign first    = beat_fire && mode_q == ModeWrite && first_beat_q;
  assign last     = beat_fire && mode_q == ModeWrite && beat_i.last;
  assign with_row = packet_q.first && !spills_over(packet_q.meta.hdr_len);

  if (BankHandover + AlignHeader <= AlignRow) begin : gen_check_handover
    $fatal(1, "%m: the next owner of a bank would write before the last row of the one before");
  end
  if (1 + SlotAnswer < AlignRow + StoreWrite + 1) begin : gen_check_read
    $fatal(1, "%m: a row could be read before it is written");
  end

  always_ff @(posedge clk_i) begin
    first_q <= rst_ni ? {first_q[AlignHeader-1:1], first} : '0;
    row_q   <= rst_ni ? {row_q[AlignRow-1:1], first && with_row} : '0;
    last_q  <= rst_ni ? {last_q[BankHandover-2:1], last} : '0;
    pad_q   <= rst_ni ? {pad_q[AlignPad-1:1], last && packet_q.meta.has_pad} : '0;
    if (rst_ni) begin
      // Headers and rows leave in time, and pad bytes; else a result would be read before they are
      // in the bank.
      a_header_time : assert (!first_q[AlignHeader] ||
          (write_valid_o && write_o.header && write_o.row == 8'd0))
      else $error("%m: no header row %0d cycles behind the first beat", AlignHeader);
      a_row_time : assert (!row_q[AlignRow] ||
          (write_valid_o && !write_o.header && write_o.row == 8'd0))
      else $error("%m: no payload row %0d cycles behind the first beat", AlignRow);
      a_pad_time : assert (padded == pad_q[AlignPad])
      else $error("%m: pad bytes not written %0d cycles behind the last beat", AlignPad);
      // The next packet keeps its distance, and with it the next owner of the bank; else two would
      // write to it at once.
      a_handover : assert (!first || last_q[BankHandover-1:1] == '0)
      else $error("%m: a packet begins less than %0d cycles behind the one before", BankHandover);
      // A granted write finds all its beats; a gap would break the time table that keeps two
      // writers apart.
      a_no_gap : assert (!(started_q && mode_q == ModeWrite) || beat_valid_i)
      else $error("%m: frame FIFO ran dry inside a frame");
      // A frame has as many beats as its descriptor says; else it would take those of the next one.
      a_beats : assert (!beat_fire || beat_i.last == (beat_q + 9'd1 == beats_q))
      else $error("%m: beat %0d of %0d", beat_q, beats_q);
      // Every written packet's commit has a place; losing one would lose a rank of a column for
      // ever.
      a_commit : assert (!commit_in_valid || commit_in_ready)
      else $error("%m: commit lost");
    end
  end

endmodule
