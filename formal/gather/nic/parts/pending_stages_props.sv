// gather_pending, cycle by cycle: what each stage knows of an index, what becomes of an entry, and
// when a response is good.
//
// One entry and one of the four indices in front are followed; which ones is free in each cycle.
// The pool of numbers and the register in which one stands ready have proofs of their own
// (gather_pool, prim_skid); what they show is left out of the circuit and free. (That an index is
// never entered twice is gather_pending's proof.)
module pending_stages_props #(
  parameter int unsigned Entries = 32,
  parameter int unsigned IndexBits = 12,
  parameter int unsigned TagW = 2,
  localparam int unsigned IdW = $clog2(Entries)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 look_valid_i,
  input logic [IndexBits-1:0] look_idx_i,
  input logic [TagW-1:0]      look_tag_i,
  input logic                 found_ready_i,
  input logic                 answer_go_i,
  input logic                 answer_i,
  input logic [IdW-1:0]       answer_id_i,
  input logic [IndexBits-1:0] answer_idx_i,
  input logic                 answer_take_i,
  input logic                 leave_i,
  input logic [IdW-1:0]       leave_id_i,
  input logic [IdW-1:0]       entry_i,   // the entry that is followed
  input logic [1:0]           front_i    // the one in front that is followed, the nearest first
);

  logic                 look_ready, found_valid, there, free_valid, wait_for, good, empty;
  logic [IndexBits-1:0] found_idx;
  logic [TagW-1:0]      found_tag;
  logic [IdW-1:0]       free_id;

  gather_pending #(
    .Entries  (Entries),
    .IndexBits(IndexBits),
    .TagW     (TagW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .look_valid_i,
    .look_ready_o (look_ready),
    .look_idx_i,
    .look_tag_i,
    .found_valid_o(found_valid),
    .found_ready_i,
    .found_there_o(there),
    .found_idx_o  (found_idx),
    .found_tag_o  (found_tag),
    .free_valid_o (free_valid),
    .free_id_o    (free_id),
    .answer_go_i,
    .answer_i,
    .answer_id_i,
    .answer_idx_i,
    .answer_wait_o(wait_for),
    .answer_good_o(good),
    .answer_take_i,
    .leave_i,
    .leave_id_i,
    .empty_o      (empty)
  );

  // What stands in the stages and what is being entered: whether there is an index, it, its tag.
  typedef struct packed {
    logic                 valid;
    logic [IndexBits-1:0] idx;
    logic [TagW-1:0]      tag;
  } stage_t;

  typedef struct packed {
    logic                 valid;
    logic                 answered;
    logic [IndexBits-1:0] idx;
  } entry_t;

  stage_t [4:1]         stages;
  stage_t               looked, entering, front;
  entry_t               entry, presented;
  logic   [Entries-1:0] seen;   // of the index in stage 2: it stands in that entry
  logic   [3:0]         near;   // it is that one in front
  logic                 moves, takes, flush, enter, fits;

  assign stages = {u_dut.in_q[4], u_dut.want4_q, u_dut.in_q[3], u_dut.want3_q,
                   u_dut.in_q[2], u_dut.want2_q, u_dut.in_q[1], u_dut.want1_q};
  assign looked   = '{valid: look_valid_i, idx: look_idx_i, tag: look_tag_i};
  assign entering = '{valid: u_dut.entered_q, idx: u_dut.entered_idx_q, tag: '0};
  assign front    = (front_i == 2'd3) ? entering : stages[3'(front_i)+3'd2];
  for (genvar e = 0; e < Entries; e++) begin : gen_seen
    assign seen[e] = &u_dut.part2_q[e];
  end
  for (genvar f = 0; f < 4; f++) begin : gen_near
    assign near[f] = &u_dut.near2_q[f];
  end

  assign entry = '{valid: u_dut.valid_q[entry_i], answered: u_dut.answered_q[entry_i],
                   idx: u_dut.idx_q[entry_i]};
  assign presented = '{valid: u_dut.valid_q[answer_id_i], answered: u_dut.answered_q[answer_id_i],
                       idx: u_dut.idx_q[answer_id_i]};
  // The last one stands still if it is not taken; all behind it do, the first one if it is there.
  assign moves = found_ready_i || !found_valid;
  assign takes = moves || !stages[1].valid;
  assign flush = clear_i || !rst_ni;
  assign enter = found_valid && found_ready_i && !there;
  // Of the response that is read: its entry waits for it.
  assign fits  = u_dut.open_q && u_dut.read_idx_q == u_dut.want_idx_q;

  // All of that a cycle ago.
  logic                 past_q, reset_q, moves_q, takes_q, flush_q, enter_q, there_q;
  stage_t [4:1]         stages_q;
  stage_t               looked_q;
  logic   [Entries-1:0] seen_q;
  logic   [3:0]         near_q;
  logic   [1:0]         group_q;
  logic                 near3_q, same_entry_q, same_front_q;
  logic   [IdW-1:0]     entry_id_q, free_id_q, answer_id_q;
  logic   [1:0]         front_q;
  entry_t               entry_q;
  logic                 fills_q, marks_q, leaves_q;
  logic   [IndexBits-1:0] entering_q;
  logic   [IdW:0]       held_q;
  logic                 go_q, read_q, known_q, good_q, asked_q, answers_q, fits_q;
  logic   [IdW-1:0]     read_id_q, known_id_q;

  initial {past_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    reset_q      <= reset_q || !rst_ni;   // there has been a reset
    moves_q      <= moves;
    takes_q      <= takes;
    flush_q      <= flush;
    enter_q      <= enter;
    there_q      <= there;
    stages_q     <= stages;
    looked_q     <= looked;
    seen_q       <= seen;
    near_q       <= near;
    group_q      <= u_dut.group3_q;
    near3_q      <= u_dut.near3_q;
    same_entry_q <= entry.valid && entry.idx == stages[1].idx;
    same_front_q <= front.valid && front.idx == stages[1].idx;
    front_q      <= front_i;
    free_id_q    <= free_id;
    // Of the entry that is followed: it is written, has its answer, becomes free.
    entry_id_q   <= entry_i;
    entry_q      <= entry;
    entering_q   <= entering.idx;
    fills_q      <= entering.valid && u_dut.entered_id_q == entry_i;
    marks_q      <= answer_take_i && u_dut.known_id_q == entry_i;
    leaves_q     <= leave_i && leave_id_i == entry_i;
    held_q       <= u_dut.held_q + (IdW + 1)'(entering.valid) - (IdW + 1)'(leave_i);
    // Of responses.
    go_q         <= answer_go_i;
    answer_id_q  <= answer_id_i;
    asked_q      <= answer_i && !wait_for;
    answers_q    <= presented.valid && !presented.answered && presented.idx == answer_idx_i;
    read_q       <= u_dut.read_q;
    read_id_q    <= u_dut.read_id_q;
    fits_q       <= fits;
    known_q      <= u_dut.known_q;
    known_id_q   <= u_dut.known_id_q;
    good_q       <= good;
  end

  // What stands in each stage now, and in the first one.
  stage_t [4:1] next;
  always_comb begin
    next = stages_q;
    if (moves_q) next[4:2] = stages_q[3:1];
    if (takes_q) next[1] = looked_q;
    for (int unsigned s = 1; s <= 4; s++) if (flush_q) next[s].valid = 1'b0;
  end

  // Which groups of sixteen entries the index in stage 3 stands in.
  logic [1:0] groups;
  assign groups = {seen_q[31:16] != '0, seen_q[15:0] != '0};

  always_ff @(posedge clk_i) begin
    // An index is taken if those in front move on, or if none stands in the first stage.
    a_ready : assert (look_ready == takes)
    else $error("ready: %b", look_ready);
    // The last stage is shown.
    a_shows : assert ({found_valid, found_idx, found_tag} == stages[4])
    else $error("index %h is shown", found_idx);
    if (past_q) begin
      // All indices move on together and stay in order; a flush leaves none.
      a_moves : assert (stages == next)
      else $error("stages %b", u_dut.in_q);
      // Of an index that has moved into stage 2 it is known whether the followed entry holds it;
      // what is known stands until all move on.
      a_seen : assert (seen[entry_id_q] == (moves_q ? same_entry_q : seen_q[entry_id_q]))
      else $error("entry %0d seen: %b", entry_id_q, seen[entry_id_q]);
      // So it is whether one in front of it is the same: in the stages, or being entered.
      a_near : assert (near[front_q] == (moves_q ? same_front_q : near_q[front_q]))
      else $error("%0d in front is the same: %b", front_q, near[front_q]);
      // In stage 3 that is known of groups of entries, and of all in front.
      a_groups : assert (u_dut.group3_q == (moves_q ? groups : group_q) &&
                         u_dut.near3_q == (moves_q ? near_q != '0 : near3_q))
      else $error("groups %b", u_dut.group3_q);
      // In the last one, whether it is there at all.
      a_there : assert (there == (moves_q ? (near3_q || group_q != '0) : there_q))
      else $error("there: %b", there);
      // An index that is taken and was not there is entered in the next cycle, under the number
      // that was free.
      a_enters : assert (u_dut.entered_q == (enter_q && !flush_q) && u_dut.entered_id_q ==
                         free_id_q && u_dut.entered_idx_q == stages_q[4].idx)
      else $error("index %h is entered", u_dut.entered_idx_q);
      // The followed entry is there from when it is entered until it leaves or all are flushed.
      a_valid : assert (u_dut.valid_q[entry_id_q] ==
                        (!flush_q && !leaves_q && (fills_q || entry_q.valid)))
      else $error("entry %0d there: %b", entry_id_q, u_dut.valid_q[entry_id_q]);
      // It has its answer from when that is taken for good until it is entered again.
      a_answered : assert (u_dut.answered_q[entry_id_q] ==
                           (marks_q || (!fills_q && entry_q.answered)))
      else $error("entry %0d answered: %b", entry_id_q, u_dut.answered_q[entry_id_q]);
      // It is of the index with which it was entered last.
      a_index : assert (u_dut.idx_q[entry_id_q] == (fills_q ? entering_q : entry_q.idx))
      else $error("entry %0d is of %h", entry_id_q, u_dut.idx_q[entry_id_q]);
      // Those that have been entered and have not left are counted.
      a_held : assert (u_dut.held_q == (flush_q ? '0 : held_q))
      else $error("%0d entries", u_dut.held_q);
      // A response that need not wait is read, with whether its entry waits for it; not without
      // `go`.
      a_read : assert (u_dut.read_q == (!flush_q && (go_q ? asked_q : read_q)) &&
                       u_dut.read_id_q == (go_q ? answer_id_q : read_id_q) &&
                       fits == (go_q ? answers_q : fits_q))
      else $error("a response to %0d is read", u_dut.read_id_q);
      // So it goes on, and is good if its entry waited for it.
      a_known : assert (u_dut.known_q == (!flush_q && (go_q ? read_q : known_q)) &&
                        u_dut.known_id_q == (go_q ? read_id_q : known_id_q) &&
                        good == (!flush_q && (go_q ? read_q && fits_q : good_q)))
      else $error("a response to %0d is good: %b", u_dut.known_id_q, good);
    end
    // A response waits while one to the same entry is in the pipeline.
    a_waits : assert (wait_for == ((u_dut.read_q ? u_dut.read_id_q == answer_id_i : 1'b0) ||
                                   (u_dut.known_q ? u_dut.known_id_q == answer_id_i : 1'b0)))
    else $error("a response to %0d waits: %b", answer_id_i, wait_for);
    // It is empty when none is counted.
    a_empty : assert (empty != (u_dut.held_q > '0))
    else $error("empty: %b", empty);
    // The pool's number waits in the register until an index is entered; those that leave go back.
    a_pool : assert ({u_dut.u_free.in_valid_i, u_dut.u_free.in_i} ==
                     {u_dut.u_pool.valid_o, u_dut.u_pool.id_o} &&
                     u_dut.u_pool.take_i == (u_dut.u_pool.valid_o && u_dut.u_free.in_ready_o) &&
                     {u_dut.u_pool.give_i, u_dut.u_pool.give_id_i} == {leave_i, leave_id_i})
    else $error("a number is lost");
    a_free : assert ({free_valid, free_id} == {u_dut.u_free.out_valid_o, u_dut.u_free.out_o} &&
                     u_dut.u_free.out_ready_i == enter)
    else $error("number %0d is free", free_id);
    // A flush gives all numbers back.
    a_flush : assert ({u_dut.u_pool.rst_ni, u_dut.u_free.rst_ni} == {2{!flush}})
    else $error("a number outlives a flush");

    // An index is found in an entry of the second group; a response to the last entry is good, and
    // one more to it waits.
    c_there : cover (reset_q && found_valid && there && moves_q && group_q == 2'b10 && !near3_q);
    c_good : cover (reset_q && good && wait_for && u_dut.known_id_q == IdW'(Entries - 1));
  end

endmodule
