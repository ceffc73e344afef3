// agg_port: what it tells others as levels, cycle by cycle and from any state: that a started
// packet of a slot is not committed, and that a packet is between its look-up and its commit; and
// when a frame starts. (agg_port_props follows a frame; port_start shows that it starts in time.)
module port_level_props
  import roce_pkg::*;
  import agg_pkg::*;
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
  input logic [SlotW-1:0]      writing_slot_i,
  input logic                  commit_ready_i,
  input logic            [1:0] place_i   // any
);

  /// What agg_port makes of a frame.
  localparam logic [1:0] ModePass = 2'd0;
  localparam logic [1:0] ModeDiscard = 2'd1;
  localparam logic [1:0] ModeWrite = 2'd2;

  logic    lookup_valid, want, writing, commit_valid, fate_valid, busy, idle;

  agg_port #(
    .NumBanks(2),
    .Hand    (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .port_i        (PortW'(1)),
    .desc_valid_i,
    .desc_ready_o  (),
    .desc_i,
    .beat_valid_i,
    .beat_ready_o  (),
    .beat_i,
    .beat_bad_i    (1'b0),
    .lookup_valid_o(lookup_valid),
    .lookup_ready_i,
    .lookup_o      (),
    .verdict_valid_i,
    .verdict_i,
    .pass_valid_o  (),
    .pass_ready_i,
    .pass_o        (),
    .pass_bad_o    (),
    .pass_room_i,
    .want_o        (want),
    .bank_o        (),
    .grant_i,
    .release_o     (),
    .write_valid_o (),
    .write_rank_o  (),
    .write_o       (),
    .write_bad_o   (),
    .lock_valid_i,
    .lock_slot_i,
    .writing_slot_i,
    .writing_o     (writing),
    .commit_valid_o(commit_valid),
    .commit_ready_i,
    .commit_o      (),
    .fate_valid_o  (fate_valid),
    .fate_o        (),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  // Packets between their look-up and their commit, as others see them.
  logic       accepted_q, over_q, committed_q;
  logic [3:0] under_q;
  // The current frame, a cycle ago: whether it was one, had started, could, or went.
  logic       current_q, started_q, could_q, went_q, comes_q, writes_q;
  logic       past_q, reset_q;
  initial past_q = 1'b0;

  logic [1:0] mode;
  logic       could, here;
  assign mode  = u_dut.mode_q;
  assign could = (mode == ModePass && u_dut.clear) || mode == ModeDiscard ||
      (mode == ModeWrite && want && grant_i);
  // The place of a started packet that is followed has the slot that emission asks about.
  assign here  = u_dut.open[place_i] && u_dut.slots[place_i] == writing_slot_i;

  logic [3:0] slots_there;
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) slots_there[i] = u_dut.slots[i] == writing_slot_i;
  end

  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    reset_q     <= !rst_ni;
    accepted_q  <= rst_ni && lookup_valid && lookup_ready_i;
    over_q      <= rst_ni && verdict_valid_i &&
        !(verdict_i.fate inside {FateStored, FateDuplicate});
    committed_q <= rst_ni && commit_valid && commit_ready_i;
    under_q     <= !rst_ni ? 4'd0 : under_q + 4'(accepted_q) - 4'(over_q) - 4'(committed_q);
    current_q   <= u_dut.current_q;
    started_q   <= u_dut.started_q;
    could_q     <= could;
    went_q      <= u_dut.last_fire;
    comes_q     <= fate_valid;
    writes_q    <= mode == ModeWrite;
    // The first cycle is one of reset.
    e_reset : assume (past_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // Emission is told of a started packet that is not committed, whichever its place; and of
      // none if there is none of that slot.
      a_writing : assert (writing || !here)
      else $error("place %0d", place_i);
      a_quiet : assert (!writing || (slots_there & u_dut.open) != '0)
      else $error("open %b", u_dut.open);
      // A packet is under way from the cycle after look-up has accepted it, until its verdict says
      // that it is not written, or it is committed; and as long as it is the current frame.
      a_under : assert (u_dut.under_q == under_q)
      else $error("%0d, and not %0d", u_dut.under_q, under_q);
      a_busy : assert (busy == (under_q != 4'd0 || accepted_q ||
                                (u_dut.current_q && mode == ModeWrite)))
      else $error("busy %b", busy);
      // It is idle without any of these and without a frame in hand.
      a_idle : assert (idle == !(busy || u_dut.current_q || u_dut.u_fetch.u_fetched.valid_q))
      else $error("idle %b", idle);
      // A frame becomes the current one as its fate is told, until its last beat is read.
      a_current : assert (u_dut.current_q == (!reset_q && (comes_q || (current_q && !went_q))))
      else $error("current %b", u_dut.current_q);
      // A passed frame starts when it has room, a dropped one at once, one that is written when its
      // bank is given; it has started until its last beat is read.
      a_starts : assert (u_dut.started_q == (!reset_q && !comes_q && !went_q &&
                         (started_q || (current_q && could_q))))
      else $error("started %b", u_dut.started_q);

      // A packet is under way that is not the current frame; one starts with one in front of it.
      c_under : cover (busy && !u_dut.current_q && !reset_q);
      c_starts : cover (u_dut.started_q && writes_q && writing);
    end
  end

endmodule
