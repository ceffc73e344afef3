// agg_port: a frame whose fate is known starts. The one in front moves a beat in each cycle in
// which there is one and it may go; behind its last beat the next one becomes the current one; and
// that starts after few cycles in which nothing outside is in its way: no lock covers its slot, the
// bank that it wants is given, and commits are taken.
//
// Cycles in which something is in its way are not counted, however many there are in between; who
// shows that these end are bank_turns, agg_emit_read (a lock ends with its read) and slot state.
module port_start_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
(
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
  input logic                  commit_ready_i
);

  /// What agg_port makes of a frame.
  localparam logic [1:0] ModePass = 2'd0;
  localparam logic [1:0] ModeWrite = 2'd2;
  /// Behind a packet with pad bytes: from its last beat to the end of its commit.
  localparam int unsigned Longest = 7;

  logic want, commit_valid, fate_valid, beat_ready, started_q;
  initial started_q = 1'b0;

  agg_port #(
    .NumBanks(16),
    .Hand    (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .port_i        (PortW'(1)),
    .desc_valid_i,
    .desc_ready_o  (),
    .desc_i,
    .beat_valid_i,
    .beat_ready_o  (beat_ready),
    .beat_i,
    .beat_bad_i    (1'b0),
    .lookup_valid_o(),
    .lookup_ready_i,
    .lookup_o      (),
    .verdict_valid_i,
    .verdict_i,
    .pass_valid_o  (),
    .pass_ready_i,
    .pass_o        (),
    .pass_room_i,
    .want_o        (want),
    .bank_o        (),
    .grant_i,
    .release_o     (),
    .write_valid_o (),
    .write_rank_o  (),
    .write_o       (),
    .lock_valid_i,
    .lock_slot_i,
    .writing_slot_i('0),
    .writing_o     (),
    .commit_valid_o(commit_valid),
    .commit_ready_i,
    .commit_o      (),
    .fate_valid_o  (fate_valid),
    .fate_o        (),
    .busy_o        (),
    .idle_o        ()
  );

  // The current frame is to be written and has not started; cycles of that in which nothing outside
  // was in its way.
  logic       waits, covered, held;
  logic [3:0] waited_q;

  assign waits = u_dut.current_q && !u_dut.started_q && u_dut.mode_q == ModeWrite;
  always_comb begin
    covered = 1'b0;
    for (int unsigned l = 0; l < 2; l++) begin
      if (lock_valid_i[l] && lock_slot_i[l][SlotW-1:1] == u_dut.packet_q.slot[SlotW-1:1])
        covered = 1'b1;
    end
  end
  assign held = covered || (want && !grant_i) || (commit_valid && !commit_ready_i);

  // The frame behind it, and whether its fate is known.
  logic known, moves;
  assign known = u_dut.u_fetch.any && (!u_dut.u_fetch.head.candidate || u_dut.u_fetch.kept_any ||
      verdict_valid_i);
  assign moves = beat_valid_i && u_dut.current_q && u_dut.started_q &&
      (u_dut.mode_q != ModePass || pass_ready_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!waits) waited_q <= '0;
    else if (!held && waited_q != '1) waited_q <= waited_q + 4'd1;
    if (!rst_ni) waited_q <= '0;
    // The first cycle is one of reset, and the only one. Dropped: started frames from nowhere.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet that is to be written starts within seven cycles in which nothing outside is in
      // its way; it would wait for ever.
      a_starts : assert (!waits || 32'(waited_q) < Longest)
      else $error("waits for %0d cycles", waited_q);
      // A frame that is dropped or passed starts at once, or when its room is clear.
      a_goes : assert (!(u_dut.current_q && !u_dut.started_q && !waits) || u_dut.start ||
          (u_dut.mode_q == ModePass && !u_dut.clear))
      else $error("stands still");
      // A frame that has started moves a beat whenever there is one and its output takes it.
      a_moves : assert (!moves || beat_ready)
      else $error("keeps a beat");
      // Behind its last beat the next frame whose fate is known becomes the current one, and so
      // does one without any in front.
      a_next : assert (!(known && (!u_dut.current_q || (moves && beat_i.last))) || fate_valid)
      else $error("the next one does not follow");
      // A packet waits for the pad bytes of the one in front.
      c_pad : cover (32'(waited_q) == Longest - 1 && want && grant_i);
      // Another one starts, with three in front that are not committed.
      c_fourth : cover (want && grant_i && $countones(u_dut.open) == 3);
    end
  end

endmodule
