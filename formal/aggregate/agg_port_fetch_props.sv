// agg_port_fetch: each frame leaves with its own verdict, in its turn; and a frame that is passed
// never finds the output full, although others are decided behind it, whatever the output does.
//
// One frame, which is free, is followed from its descriptor until it is taken. The output is a
// queue of `Cap` beats from which anything may leave at any time, or nothing; it says at most how
// many are free. The port is as agg_port makes it: it takes a frame when the one before is done,
// and a passed one moves its beats when it is told that it may.
module agg_port_fetch_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import port_packet_pkg::*;
#(
  /// Frames that are fetched at most, 1 or 2.
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
  // The current frame moves a beat, if it is passed; it is done, if not. A beat leaves the output.
  input logic        moves_i,
  input logic        done_i,
  input logic        leaves_i,
  // Follow the frame whose descriptor is taken now.
  input logic        follow_i
);

  localparam logic [11:0] Cap = 12'd600;

  logic        started_q, desc_ready, lookup_valid, beat, next, load, any, clear;
  frame_desc_t lookup;
  fetched_t    frame;
  verdict_t    verdict;
  initial started_q = 1'b0;

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
    .pass_beat_i   (beat),
    .next_i        (next),
    .load_o        (load),
    .frame_o       (frame),
    .verdict_o     (verdict),
    .any_o         (any),
    .clear_o       (clear)
  );

  // ---------------------------------------------------------------------------------------------
  // The port behind it, and the output.

  logic        current_q, passes_q, goes_q;   // a frame is current; passed; it may move
  logic  [8:0] left_q;                        // its beats that have not moved
  logic [11:0] used_q;                        // beats in the output

  assign beat = current_q && passes_q && goes_q && moves_i;
  assign next = !current_q || (passes_q ? beat && left_q == 9'd1 : done_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (current_q && passes_q && clear) goes_q <= 1'b1;
    if (beat) left_q <= left_q - 9'd1;
    if (next) current_q <= 1'b0;
    if (load) begin
      current_q <= 1'b1;
      passes_q  <= verdict.fate == FatePassed;
      goes_q    <= 1'b0;
      left_q    <= frame.beats;
    end
    used_q <= used_q + 12'(beat) - 12'(leaves_i && used_q != '0);
    if (!rst_ni) begin
      current_q <= 1'b0;
      used_q    <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One frame, until it is taken.

  logic           takes, follows_q, known_q, decides, turn, shown_q, asks_q;
  logic     [1:0] ahead_q;              // fetched frames in front of it
  logic     [1:0] asked_q, before_q;    // look-ups without a verdict: all, in front of its own
  frame_desc_t    frame_q, desc_q;
  verdict_t       verdict_q;

  assign takes   = u_dut.fetch;
  assign decides = follows_q && !known_q && before_q == '0 && verdict_valid_i;
  assign turn    = follows_q && ahead_q == '0;

  always_ff @(posedge clk_i) begin
    shown_q <= rst_ni && desc_valid_i && !desc_ready;
    desc_q  <= desc_i;
    asks_q  <= rst_ni && lookup_valid && !lookup_ready_i;
    asked_q <= asked_q + 2'(lookup_valid && lookup_ready_i) - 2'(verdict_valid_i);
    if (takes && follow_i && !follows_q) begin
      follows_q <= 1'b1;
      ahead_q   <= u_dut.fetched - 2'(load);
      before_q  <= asked_q - 2'(verdict_valid_i);
      frame_q   <= desc_i;
      known_q   <= !desc_i.candidate;
      verdict_q.fate <= FatePassed;
    end else if (follows_q) begin
      if (load && turn) follows_q <= 1'b0;
      if (load && !turn) ahead_q <= ahead_q - 2'd1;
      if (verdict_valid_i && !known_q) before_q <= before_q - 2'd1;
      if (decides) begin
        known_q   <= 1'b1;
        verdict_q <= verdict_i;
      end
    end
    if (!rst_ni) begin
      follows_q <= 1'b0;
      asked_q   <= '0;
    end
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A frame has beats. Dropped: one without any is never over.
      e_desc : assume (!desc_valid_i || desc_i.beats != '0);
      // A descriptor stays shown until it is taken. Dropped: what was asked about is not there.
      e_shown : assume (!shown_q || (desc_valid_i && desc_i == desc_q));
      // The output has the room that it tells. Dropped: it is full.
      e_room : assume (12'(pass_room_i) + used_q <= Cap);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What it holds, the oldest first (helps the proof).

  fetched_t [1:0] entry;
  verdict_t [1:0] decided;
  logic     [1:0] fetched, kept, candidate;
  logic           sure, of_last, place;
  assign fetched = 2'(u_dut.u_fetched.count_q);
  assign kept    = 2'(u_dut.u_verdicts.count_q);
  assign sure    = u_dut.sure_q;
  if (Hand == 1) begin : gen_one
    assign entry   = {2{u_dut.u_fetched.mem_q[0]}};
    assign decided = {2{u_dut.u_verdicts.mem_q[0]}};
  end else begin : gen_two
    assign entry   = {u_dut.u_fetched.mem_q[!u_dut.u_fetched.read_q],
                      u_dut.u_fetched.mem_q[u_dut.u_fetched.read_q]};
    assign decided = {u_dut.u_verdicts.mem_q[!u_dut.u_verdicts.read_q],
                      u_dut.u_verdicts.mem_q[u_dut.u_verdicts.read_q]};
  end
  assign candidate = {fetched == 2'd2 && entry[1].candidate, fetched != '0 && entry[0].candidate};
  // Place of the followed frame's verdict: behind that of a candidate in front of it.
  assign place     = ahead_q[0] && candidate[0];
  assign of_last   = fetched == 2'd2;

  logic [11:0] aside, net;   // beats set aside, as they should be, and as they are
  always_comb begin
    aside = '0;
    if (current_q && passes_q && (fetched != '0 || sure)) aside = 12'(left_q);
    if (fetched != '0 && (fetched != 2'd1 || sure)) aside = aside + 12'(entry[0].beats);
    if (fetched == 2'd2 && sure) aside = aside + 12'(entry[1].beats);
    net = 12'(u_dut.aside_q) - 12'(u_dut.back_q) - 12'(u_dut.beat_q);
  end

  logic pointers;
  if (Hand == 1) begin : gen_no_pointers
    assign pointers = u_dut.u_fetched.read_q == '0 && u_dut.u_fetched.write_q == '0 &&
        u_dut.u_verdicts.read_q == '0 && u_dut.u_verdicts.write_q == '0;
  end else begin : gen_pointers
    assign pointers = u_dut.u_fetched.write_q == (u_dut.u_fetched.read_q ^ fetched[0]) &&
        u_dut.u_verdicts.write_q == (u_dut.u_verdicts.read_q ^ kept[0]);
  end

  fetched_t due;
  always_comb begin
    due           = kept_of(frame_q);
    due.meta.rank = 8'(verdict.rank);
    due.meta.conn = verdict.conn;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A passed frame never finds the output full: it moves all of its beats, whoever waits.
      a_full : assert (!beat || used_q < Cap)
      else $error("%0d beats", used_q);
      // And it may begin as soon as another frame is fetched behind it.
      a_begins : assert (!(current_q && passes_q && any) || clear)
      else $error("held");
      // A frame is taken with what its descriptor says, and its own verdict.
      a_own : assert (!(load && turn) || ((known_q || decides) && frame == due &&
          (frame_q.candidate ?
          verdict == (decides ? verdict_i : verdict_q) : verdict.fate == FatePassed)))
      else $error("fate %0d", verdict.fate);
      // Nothing else is taken in its turn: what waits in front of it goes first, and once.
      a_turn : assert (!follows_q || 32'(ahead_q) < 32'(fetched))
      else $error("%0d ahead", ahead_q);
      // Look-up is asked about candidates, until it has accepted them.
      a_asks : assert ((!lookup_valid || lookup.candidate) &&
                       (!asks_q || (lookup_valid && lookup == desc_q)))
      else $error("asks");
      // Fetched candidates are those without a verdict, and those whose verdict waits (helps the
      // proof).
      a_asked : assert (asked_q == 2'(u_dut.waits_q) && 32'(fetched) <= Hand && 32'(kept) <= Hand &&
          3'(asked_q) + 3'(kept) == 3'(candidate[0]) + 3'(candidate[1]) && pointers)
      else $error("asked");
      // Entries are frames (helps the proof).
      a_entries : assert ((fetched == '0 || entry[0].beats != '0) &&
          (fetched != 2'd2 || entry[1].beats != '0) && (!current_q || !passes_q || left_q != '0))
      else $error("entries");
      // The followed one is where it should be (helps the proof).
      a_followed : assert (!follows_q || (entry[ahead_q[0]] == kept_of(frame_q) &&
          (!frame_q.candidate ? known_q && verdict_q.fate == FatePassed :
           known_q == (kept > 2'(place)) && (known_q ? decided[place] == verdict_q :
                                             before_q == 2'(place) - kept))))
      else $error("followed");
      // Room is set aside for all but perhaps the newest, and there is that much (helps the proof).
      a_aside : assert (12'(u_dut.aside_q) == aside + 12'(u_dut.back_q) + 12'(u_dut.beat_q) &&
          used_q <= Cap && used_q + aside <= Cap && (sure || (u_dut.newest_q ==
              (fetched == '0 ? left_q : entry[of_last].beats) &&
           (fetched != '0 || (current_q && passes_q && !goes_q)) && (u_dut.left_q[10] ||
            used_q + net + 12'(u_dut.left_q[9:0]) <= Cap))))
      else $error("%0d beats", aside);
      a_goes : assert (!(current_q && passes_q && goes_q) || fetched != '0 || sure)
      else $error("moves");
      // A verdict waits, and the frame in front of it has just gone.
      c_waits : cover (load && kept != '0);
      // A candidate is asked about behind a passed frame whose output is full.
      c_behind : cover (lookup_valid && lookup_ready_i && current_q && passes_q &&
                        pass_room_i == '0);
    end
  end

endmodule
