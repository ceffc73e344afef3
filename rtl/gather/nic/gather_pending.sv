// The requests that a RIG unit has under way: the pending PR table of NetSparse 5.2, a CAM by
// index.
//
// One index a cycle through four stages: it is compared with all entries in parts; the parts are
// put together, and groups of entries; the groups; the index is there, or entered. So is it with
// those in front of it that are not in the table yet: one that is the same has been entered by
// then, or was there. So an index is never entered twice.
//
// Who waits: indices for whoever takes them.
module gather_pending #(
  /// Requests. Power of two, 8 to 256.
  parameter int unsigned Entries = 256,
  /// Bits of an index.
  parameter int unsigned IndexBits = 40,
  /// Bits that go with it.
  parameter int unsigned TagW = 1,
  localparam int unsigned IdW = $clog2(Entries)
) (
  input logic clk_i,
  input logic rst_ni,
  // Flush: all entries vanish.
  input logic clear_i,

  // An index to be looked up, and bits that go with it. It waits for those in front to be taken.
  input  logic                 look_valid_i,
  output logic                 look_ready_o,
  input  logic [IndexBits-1:0] look_idx_i,
  input  logic [TagW-1:0]      look_tag_i,
  // The result, in order. An index that was not there is entered when it is taken, under
  // `free_id_o`; it may be taken only if `free_valid_o`.
  output logic                 found_valid_o,
  input  logic                 found_ready_i,
  output logic                 found_there_o,
  output logic [IndexBits-1:0] found_idx_o,
  output logic [TagW-1:0]      found_tag_o,
  output logic                 free_valid_o,
  output logic [IdW-1:0]       free_id_o,

  // Responses: a pipeline of three stages that advances with `answer_go_i`. A response to entry
  // `id` is presented; the entry's index is read and compared; `answer_good_o` says of the last
  // stage that its entry has waited for it. `answer_take_i`, together with `answer_go_i`, marks
  // that entry as answered. `answer_wait_o`: back-pressure, because a response to the same entry is
  // in the pipeline.
  input  logic                 answer_go_i,
  input  logic                 answer_i,
  input  logic [IdW-1:0]       answer_id_i,
  input  logic [IndexBits-1:0] answer_idx_i,
  output logic                 answer_wait_o,
  output logic                 answer_good_o,
  input  logic                 answer_take_i,

  // Pulse: the property of an answered entry is in memory, and the entry becomes free.
  input logic           leave_i,
  input logic [IdW-1:0] leave_id_i,

  // Level: the table is empty, one cycle late.
  output logic empty_o
);

  /// An index is compared in parts of that many bits, entries are put together in groups of that
  /// many.
  localparam int unsigned PartW = 8;
  localparam int unsigned Parts = (IndexBits + PartW - 1) / PartW;
  localparam int unsigned PaddedW = Parts * PartW;
  localparam int unsigned GroupSize = 16;
  localparam int unsigned Groups = (Entries + GroupSize - 1) / GroupSize;
  /// Indices in front of one in the first stage that are not in the table yet.
  localparam int unsigned Fronts = 4;

  if (Entries < 8 || Entries > 256 || Entries != 2 ** IdW) begin : gen_check
    $fatal(1, "%m: Entries must be a power of two, 8 to 256");
  end

  typedef struct packed {
    logic [IndexBits-1:0] idx;
    logic [TagW-1:0]      tag;
  } want_t;

  logic [Entries-1:0]                valid_q, answered_q;
  logic [Entries-1:0][IndexBits-1:0] idx_q;

  // ---------------------------------------------------------------------------------------------
  // Free entries stand ready in a register.

  logic           pool_valid, pool_ready, enter;
  logic [IdW-1:0] pool_id;
  // verilator lint_off UNUSEDSIGNAL
  logic [IdW:0]   free;
  // verilator lint_on UNUSEDSIGNAL

  gather_pool #(
    .Size(Entries)
  ) u_pool (
    .clk_i,
    .rst_ni   (rst_ni && !clear_i),
    .valid_o  (pool_valid),
    .take_i   (pool_valid && pool_ready),
    .id_o     (pool_id),
    .give_i   (leave_i),
    .give_id_i(leave_id_i),
    .free_o   (free)
  );

  prim_skid #(
    .T(logic [IdW-1:0])
  ) u_free (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (pool_valid),
    .in_ready_o (pool_ready),
    .in_i       (pool_id),
    .out_valid_o(free_valid_o),
    .out_ready_i(enter),
    .out_o      (free_id_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Stages; all move on together. What is entered is written a cycle later.

  logic [4:1]                        in_q;
  want_t                             want1_q, want2_q, want3_q, want4_q;
  logic [Entries-1:0][Parts-1:0]     part2_q;
  logic [Groups-1:0]                 group3_q, group2;
  logic [Fronts-1:0][Parts-1:0]      near2_q;
  logic                              near3_q, there4_q, advance, near2, entered_q;
  logic [IdW-1:0]                    entered_id_q;
  logic [IndexBits-1:0]              entered_idx_q;
  logic [Entries-1:0]                match2;
  logic [PaddedW-1:0]                looked;

  assign advance       = !in_q[4] || found_ready_i;
  assign look_ready_o  = !in_q[1] || advance;
  assign found_valid_o = in_q[4];
  assign found_there_o = there4_q;
  assign found_idx_o   = want4_q.idx;
  assign found_tag_o   = want4_q.tag;
  assign enter         = in_q[4] && found_ready_i && !there4_q;
  assign looked        = PaddedW'(want1_q.idx);

  // Those in front: in the stages, and what is being entered.
  logic [Fronts-1:0]              front;
  logic [Fronts-1:0][PaddedW-1:0] front_idx;
  assign front     = {entered_q, in_q[4:2]};
  assign front_idx = {PaddedW'(entered_idx_q), PaddedW'(want4_q.idx), PaddedW'(want3_q.idx),
                      PaddedW'(want2_q.idx)};

  always_comb begin
    near2 = 1'b0;
    for (int unsigned f = 0; f < Fronts; f++) if (near2_q[f] == '1) near2 = 1'b1;
    group2 = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      match2[e] = part2_q[e] == '1;
      if (match2[e]) group2[e/GroupSize] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (look_ready_o) begin
      in_q[1] <= look_valid_i;
      want1_q <= '{idx: look_idx_i, tag: look_tag_i};
    end
    if (advance) begin
      in_q[4:2] <= in_q[3:1];
      want2_q   <= want1_q;
      want3_q   <= want2_q;
      want4_q   <= want3_q;
      near3_q   <= near2;
      for (int unsigned f = 0; f < Fronts; f++) begin
        for (int unsigned p = 0; p < Parts; p++) begin
          near2_q[f][p] <= looked[PartW*p+:PartW] == front_idx[f][PartW*p+:PartW] &&
              (p != 0 || front[f]);
        end
      end
      for (int unsigned e = 0; e < Entries; e++) begin
        for (int unsigned p = 0; p < Parts; p++) begin
          part2_q[e][p] <= looked[PartW*p+:PartW] == PartW'(PaddedW'(idx_q[e]) >> (PartW * p)) &&
              (p != 0 || valid_q[e]);
        end
      end
      group3_q  <= group2;
      there4_q  <= near3_q || group3_q != '0;
    end
    entered_q     <= enter;
    entered_id_q  <= free_id_o;
    entered_idx_q <= want4_q.idx;
    if (!rst_ni || clear_i) begin
      in_q      <= '0;
      entered_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The table

  logic [IdW:0]         held_q;
  // Responses: read, and known.
  logic                 read_q, open_q, known_q, good_q;
  logic [IdW-1:0]       read_id_q, known_id_q;
  logic [IndexBits-1:0] read_idx_q, want_idx_q;

  typedef struct packed {
    logic                 valid;
    logic                 answered;
    logic [IndexBits-1:0] idx;
  } entry_t;

  entry_t [Entries-1:0] entries;
  entry_t               entry;

  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) entries[e] = {valid_q[e], answered_q[e], idx_q[e]};
  end

  prim_mux_tree #(
    .Width($bits(entry_t)),
    .Words(Entries)
  ) u_read (
    .in_i    (entries),
    .select_i(answer_id_i),
    .out_o   (entry)
  );

  assign answer_wait_o = (read_q && read_id_q == answer_id_i) ||
      (known_q && known_id_q == answer_id_i);
  assign answer_good_o = good_q;
  assign empty_o       = held_q == '0;

  always_ff @(posedge clk_i) begin
    if (answer_go_i) begin
      read_q     <= answer_i && !answer_wait_o;
      read_id_q  <= answer_id_i;
      read_idx_q <= entry.idx;
      want_idx_q <= answer_idx_i;
      open_q     <= entry.valid && !entry.answered;
      known_q    <= read_q;
      known_id_q <= read_id_q;
      good_q     <= read_q && open_q && read_idx_q == want_idx_q;
    end
    if (entered_q) begin
      valid_q[entered_id_q]    <= 1'b1;
      answered_q[entered_id_q] <= 1'b0;
      idx_q[entered_id_q]      <= entered_idx_q;
    end
    if (answer_take_i) answered_q[known_id_q] <= 1'b1;
    if (leave_i) valid_q[leave_id_i] <= 1'b0;
    held_q <= held_q + (IdW + 1)'(entered_q) - (IdW + 1)'(leave_i);
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
      held_q  <= '0;
      read_q  <= 1'b0;
      known_q <= 1'b0;
      good_q  <= 1'b0;
    end
  end

  // Entries that hold what is being entered, for the assertion alone.
  logic [Entries-1:0] same;
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) same[e] = valid_q[e] && idx_q[e] == entered_idx_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // Two requests of one index are never under way at the same time.
      a_once : assert (!entered_q || same == '0)
      else $error("%m: index %h is entered twice", entered_idx_q);
      // What is taken is under way and has no answer.
      a_take : assert (!answer_take_i || (answer_go_i && good_q && valid_q[known_id_q] &&
                                          !answered_q[known_id_q]))
      else $error("%m: entry %0d is answered and was not asked for", known_id_q);
      // Only what is under way is answered and leaves.
      a_leave : assert (!leave_i || (valid_q[leave_id_i] && answered_q[leave_id_i]))
      else $error("%m: entry %0d leaves and was not there", leave_id_i);
      // What is entered has a number of its own; else two requests would have one answer.
      a_free : assert (!enter || free_valid_o)
      else $error("%m: index %h is entered, and no entry is free", want4_q.idx);
    end
  end

endmodule
