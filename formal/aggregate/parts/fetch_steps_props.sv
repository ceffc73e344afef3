// agg_port_fetch, cycle by cycle and from any state: when the next frame is asked about and
// fetched, when the oldest one goes and with which verdict, and how room at the output is set aside
// and given back. (agg_port_fetch_props follows a frame through it, with an output that keeps what
// it says; here something also has to go on.)
module fetch_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
#(
  parameter int unsigned Hand = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        desc_valid_i,
  input frame_desc_t desc_i,
  input logic        lookup_ready_i,
  input logic        verdict_valid_i,
  input verdict_t    verdict_i,
  input logic  [9:0] pass_room_i,
  input logic        pass_beat_i,
  input logic        next_i
);

  logic        desc_ready, lookup_valid, load, any, clear;
  frame_desc_t lookup;
  fetched_t    frame;
  verdict_t    verdict;

  agg_port_fetch #(
    .Hand(Hand)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .desc_valid_i,
    .desc_ready_o  (desc_ready),
    .desc_i,
    .lookup_valid_o(lookup_valid),
    .lookup_ready_i,
    .lookup_o      (lookup),
    .verdict_valid_i,
    .verdict_i,
    .pass_room_i,
    .pass_beat_i,
    .next_i,
    .load_o        (load),
    .frame_o       (frame),
    .verdict_o     (verdict),
    .any_o         (any),
    .clear_o       (clear)
  );

  // What waits: so many frames, the oldest; verdicts that came before their turn, the oldest.
  logic     [1:0] frames;
  logic           kept;
  fetched_t       oldest;
  verdict_t       oldest_verdict;
  assign frames         = 2'(u_dut.u_fetched.count_q);
  assign oldest         = u_dut.head;
  assign kept           = u_dut.u_verdicts.valid_q;
  assign oldest_verdict = u_dut.kept;

  // The newest frame looks for room; it finds it where so many beats are free for nobody, by the
  // books of the cycle before.
  logic               seeks, finds, fetches, own_verdict, passed, only_one, gone;
  logic signed [11:0] free;
  assign seeks    = !u_dut.sure_q;
  assign free     = 12'(signed'(u_dut.left_q));
  assign finds    = seeks && free >= signed'(12'(u_dut.newest_q));
  assign fetches  = desc_valid_i && !seeks && 32'(frames) != Hand &&
      (lookup_ready_i || !desc_i.candidate);
  assign passed   = !oldest.candidate || own_verdict;
  assign only_one = frames == 2'd1;
  // The oldest goes and is not passed, so its room is free.
  assign gone     = load && !passed;
  assign own_verdict = kept ? oldest_verdict.fate == FatePassed : verdict_i.fate == FatePassed;

  // A cycle ago.
  typedef struct packed {
    logic               sure;
    logic               fetches;
    logic               finds;
    logic               gone;
    logic               only;
    logic               load;
    logic        [1:0]  frames;
    logic        [8:0]  beats;      // of the oldest
    logic        [8:0]  comes;      // of the one that is fetched
    logic        [8:0]  newest;
    logic               beat;       // one went to the output
    logic        [9:0]  room;
    logic        [9:0]  aside;
    logic        [8:0]  back;
    logic               went;
  } state_t;
  state_t was_q;
  logic   past_q, reset_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= !rst_ni;
    was_q   <= '{
      sure: u_dut.sure_q, fetches: fetches, finds: finds, gone: gone, only: only_one, load: load,
      frames: frames, beats: oldest.beats, comes: desc_i.beats, newest: u_dut.newest_q,
      beat: pass_beat_i, room: pass_room_i, aside: u_dut.aside_q, back: u_dut.back_q,
      went: u_dut.beat_q
    };
    // The first cycle is one of reset.
    e_reset : assume (past_q || !rst_ni);
  end

  // The frame as it is taken: of its verdict are rank and connection.
  fetched_t due;
  always_comb begin
    due           = oldest;
    due.meta.rank = 8'(verdict.rank);
    due.meta.conn = verdict.conn;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && past_q) begin
      // Look-up is asked about a candidate where there is a place for it, and the output's room is
      // known for all in front of it; about no other frame.
      a_asks : assert (lookup_valid == (desc_valid_i && desc_i.candidate && !seeks &&
                                        32'(frames) < Hand) && lookup == desc_i)
      else $error("asks %b", lookup_valid);
      // A descriptor is taken when its frame is fetched: when look-up has accepted it, or need not
      // be asked. Where one frame is fetched at most, a candidate's stays until its verdict.
      a_taken : assert (desc_ready == ((Hand == 1 && desc_i.candidate) ? verdict_valid_i : fetches))
      else $error("taken %b", desc_ready);
      // The oldest frame goes when the port wants one, and its verdict is there or just comes, if
      // it needs one.
      a_goes : assert (any == (frames != '0) && load == (next_i && frames != '0 &&
                       (kept || verdict_valid_i || !oldest.candidate)))
      else $error("goes %b", load);
      // Verdicts go in their order; a frame that asks for none is passed.
      a_verdict : assert (!load || (verdict.fate == (!oldest.candidate ? FatePassed :
          kept ? oldest_verdict.fate : verdict_i.fate) &&
          {verdict.conn, verdict.rank, verdict.slot, verdict.msgid, verdict.fills, verdict.port} ==
          (kept ? {oldest_verdict.conn, oldest_verdict.rank, oldest_verdict.slot,
                   oldest_verdict.msgid, oldest_verdict.fills, oldest_verdict.port} :
           {verdict_i.conn, verdict_i.rank, verdict_i.slot, verdict_i.msgid, verdict_i.fills,
            verdict_i.port})))
      else $error("fate %0d", verdict.fate);
      a_frame : assert (!load || frame == due)
      else $error("%0d beats", frame.beats);
      // So many frames wait.
      a_frames : assert (reset_q ? frames == '0 :
                         frames == was_q.frames + 2'(was_q.fetches) - 2'(was_q.load))
      else $error("%0d frames", frames);
      // What their queue knows of that number (helps the proof).
      a_most : assert (32'(frames) <= Hand && u_dut.u_fetched.ready_q == (32'(frames) != Hand) &&
          u_dut.u_fetched.valid_q == (frames != '0) && u_dut.u_fetched.last_q == only_one &&
          u_dut.u_fetched.room_q == (32'(frames) + 1 == Hand))
      else $error("%0d frames", frames);

      // Room is sought from a frame's fetch on; until it is found, or the frame goes as the only
      // one and is not passed.
      a_seeks : assert (reset_q ? !seeks : seeks == (was_q.fetches ||
          (!was_q.sure && !was_q.finds && !(was_q.gone && was_q.only))))
      else $error("seeks %b", seeks);
      a_newest : assert (reset_q || u_dut.newest_q == (was_q.fetches ? was_q.comes : was_q.newest))
      else $error("%0d beats", u_dut.newest_q);
      // The port may move a frame that it took if that has found its room, or another one is
      // fetched behind it.
      a_clear : assert (clear == (frames != '0 || !seeks || finds))
      else $error("clear %b", clear);
      // What is set aside grows by the newest frame's beats as it finds room; and becomes less, a
      // cycle late, by beats that went to the output, and those of a frame that is not passed, if
      // it had found its room.
      a_aside : assert (reset_q ? u_dut.aside_q == '0 : 10'(u_dut.aside_q + 10'(was_q.back) +
          10'(was_q.went)) == 10'(was_q.aside + (was_q.finds ? 10'(was_q.newest) : 10'd0)))
      else $error("%0d beats", u_dut.aside_q);
      a_back : assert (u_dut.back_q == ((reset_q || !was_q.gone ||
          (was_q.only && !was_q.sure && !was_q.finds)) ? 9'd0 : was_q.beats) &&
          u_dut.beat_q == (!reset_q && was_q.beat))
      else $error("%0d beats", u_dut.back_q);
      // Free are the output's beats that are not set aside; it may be fewer than none.
      a_free : assert (free == signed'(12'(was_q.room)) - signed'(12'(was_q.aside)))
      else $error("%0d beats", free);

      // A frame is asked about while another one waits; room is found by one of two.
      c_asks : cover (lookup_valid && lookup_ready_i && was_q.finds);
      c_gone : cover (was_q.gone && !was_q.only && !reset_q);
    end
  end

endmodule
