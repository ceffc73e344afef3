// gather_pending: an index is never asked for while it is under way.
module gather_pending_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       clear_i,
  input logic       want_i,
  input logic [2:0] want_idx_i,
  input logic       enter_i,
  input logic       answer_go_i,
  input logic       answer_i,
  input logic [2:0] answer_id_i,
  input logic [2:0] answer_idx_i,
  input logic       answer_take_i,
  input logic       leave_i,
  input logic [2:0] leave_id_i
);

  localparam int unsigned Entries = 8;

  logic       started_q, found, there, take, free_valid, good, answered, empty;
  logic [2:0] idx, free_id;

  // The RIG unit takes an index that is there, or enters it if there is room, when it likes.
  assign take = found && enter_i && (there || free_valid) && !clear_i;
  // It takes a response for good when that moves on, or drops it.
  assign answered = good && answer_go_i && answer_take_i;

  gather_pending #(
    .Entries  (Entries),
    .IndexBits(3)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .look_valid_i (want_i),
    .look_ready_o (),
    .look_idx_i   (want_idx_i),
    .look_tag_i   (1'b0),
    .found_valid_o(found),
    .found_ready_i(take),
    .found_there_o(there),
    .found_idx_o  (idx),
    .found_tag_o  (),
    .free_valid_o (free_valid),
    .free_id_o    (free_id),
    .answer_go_i,
    .answer_i,
    .answer_id_i,
    .answer_idx_i,
    .answer_wait_o(),
    .answer_good_o(good),
    .answer_take_i(answered),
    .leave_i      (leave_i && u_dut.valid_q[leave_id_i] && u_dut.answered_q[leave_id_i]),
    .leave_id_i,
    .empty_o      (empty)
  );

  // An index that is under way, looked for by itself.
  logic [Entries-1:0] same;
  // Entries with the index of an earlier one.
  logic [Entries-1:0] twice;
  always_comb begin
    twice = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      for (int unsigned f = 0; f < e; f++) begin
        if (u_dut.valid_q[e] && u_dut.valid_q[f] && u_dut.idx_q[e] == u_dut.idx_q[f]) begin
          twice[e] = 1'b1;
        end
      end
    end
    for (int unsigned e = 0; e < Entries; e++) begin
      same[e] = u_dut.valid_q[e] && u_dut.idx_q[e] == idx;
    end
  end

  // Numbers that are ready in registers, and one that is being written.
  logic [Entries-1:0] ready_ids, entered;
  always_comb begin
    ready_ids = '0;
    if (u_dut.u_free.out_valid_q) ready_ids[u_dut.u_free.out_q] = 1'b1;
    if (u_dut.u_free.skid_valid_q) ready_ids[u_dut.u_free.skid_q] = 1'b1;
    entered = u_dut.entered_q ? Entries'(1) << u_dut.entered_id_q : '0;
  end

  // What the stages say of their index is so: for each of them the entries that hold it are seen,
  // or one in front of it is the same.
  logic [Entries-1:0] same2, same3, same4, sees2;
  logic               ahead2, ahead3, ahead4;
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) begin
      same2[e] = u_dut.valid_q[e] && u_dut.idx_q[e] == u_dut.want2_q.idx;
      same3[e] = u_dut.valid_q[e] && u_dut.idx_q[e] == u_dut.want3_q.idx;
      same4[e] = u_dut.valid_q[e] && u_dut.idx_q[e] == u_dut.want4_q.idx;
      sees2[e] = u_dut.part2_q[e] == '1;
    end
    ahead4 = u_dut.entered_q && u_dut.entered_idx_q == u_dut.want4_q.idx;
    ahead3 = (u_dut.entered_q && u_dut.entered_idx_q == u_dut.want3_q.idx) ||
        (u_dut.in_q[4] && u_dut.want4_q.idx == u_dut.want3_q.idx);
    ahead2 = (u_dut.entered_q && u_dut.entered_idx_q == u_dut.want2_q.idx) ||
        (u_dut.in_q[4] && u_dut.want4_q.idx == u_dut.want2_q.idx) ||
        (u_dut.in_q[3] && u_dut.want3_q.idx == u_dut.want2_q.idx);
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: entries are there that nobody made.
    e_reset : assume (started_q || !rst_ni);
  end

  logic       asked_q;      // an entry is in use and not answered
  logic [2:0] known_idx_q;  // the index of the response that is known
  always_ff @(posedge clk_i) begin
    asked_q <= take && !there && rst_ni;
    if (answer_go_i) known_idx_q <= u_dut.want_idx_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // What the pool thinks is held is what the table holds.
      a_pool : assert (u_dut.u_pool.held_q == (u_dut.valid_q | ready_ids | entered) &&
                       (u_dut.valid_q & ready_ids) == '0 && (u_dut.valid_q & entered) == '0 &&
                       (ready_ids & entered) == '0)
      else $error("held %b, valid %b", u_dut.u_pool.held_q, u_dut.valid_q);
      // The two numbers that are ready are not the same.
      a_ready : assert (!(u_dut.u_free.out_valid_q && u_dut.u_free.skid_valid_q) ||
                        u_dut.u_free.out_q != u_dut.u_free.skid_q)
      else $error("entry %0d is ready twice", u_dut.u_free.out_q);
      a_skid : assert (!u_dut.u_free.skid_valid_q || u_dut.u_free.out_valid_q)
      else $error("an entry stands behind none");
      // Whatever stage an index is in, an entry that has it was seen, or one in front of it is the
      // same.
      a_second : assert (!u_dut.in_q[2] || u_dut.near2_q || ((same2 & ~sees2) == '0 && !ahead2))
      else $error("index %0d was not seen", u_dut.want2_q.idx);
      a_third : assert (!u_dut.in_q[3] || u_dut.near3_q ||
                        ((same3 == '0 || u_dut.group3_q != '0) && !ahead3))
      else $error("index %0d was not seen", u_dut.want3_q.idx);
      a_fourth : assert (!u_dut.in_q[4] || there || !ahead4)
      else $error("index %0d is being entered and not found", u_dut.want4_q.idx);
      // What is being entered is not there yet.
      a_entered : assert (!u_dut.entered_q || u_dut.same == '0)
      else $error("index %0d is entered twice", u_dut.entered_idx_q);
      // No two entries are of one index.
      a_distinct : assert (twice == '0)
      else $error("entries %b have the index of an earlier one", twice);
      // An index that is under way is found.
      a_found : assert (!found || same == '0 || there)
      else $error("index %0d is under way and not found", idx);
      // An answer is taken for good only if its request is under way and was not answered before.
      a_answer : assert (!good || (u_dut.valid_q[u_dut.known_id_q] &&
                                   !u_dut.answered_q[u_dut.known_id_q] &&
                                   u_dut.idx_q[u_dut.known_id_q] == known_idx_q))
      else $error("entry %0d is answered and was not asked for", u_dut.known_id_q);
      // What was read of an entry is so as long as its response is inside, and no two are of one
      // entry.
      a_read : assert (!u_dut.read_q || !u_dut.open_q ||
                       (u_dut.valid_q[u_dut.read_id_q] && !u_dut.answered_q[u_dut.read_id_q] &&
                        u_dut.idx_q[u_dut.read_id_q] == u_dut.read_idx_q))
      else $error("entry %0d has changed since it was read", u_dut.read_id_q);
      a_apart : assert (!u_dut.read_q || !u_dut.known_q || u_dut.read_id_q != u_dut.known_id_q)
      else $error("two responses of entry %0d are inside", u_dut.read_id_q);
      a_known : assert (!good || u_dut.known_q)
      else $error("a response is good, and there is none");
      // An index is found while its request is under way.
      c_found : cover (found && there && asked_q);
      // A request goes out, is answered and leaves, and another one of its index goes out.
      c_again : cover (take && !there && u_dut.answered_q != '0);
    end
  end

endmodule
