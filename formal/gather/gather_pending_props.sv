// gather_pending: an index is never asked for while it is under way.
module gather_pending_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       clear_i,
  input logic       want_i,
  input logic [2:0] want_idx_i,
  input logic       enter_i,
  input logic       answer_i,
  input logic [2:0] answer_id_i,
  input logic [2:0] answer_idx_i,
  input logic       leave_i,
  input logic [2:0] leave_id_i
);

  localparam int unsigned Entries = 8;

  logic       started_q, valid_q, there, look, enter, free_valid, good, empty;
  logic [2:0] idx_q, free_id;

  // Stage 2 of the RIG unit: it keeps an index until that is entered or known to be there.
  assign look  = want_i && (!valid_q || there || enter);
  assign enter = enter_i && valid_q && !there && free_valid && !clear_i;

  gather_pending #(
    .Entries  (Entries),
    .IndexBits(3)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .look_i       (look),
    .look_idx_i   (want_idx_i),
    .there_o      (there),
    .enter_i      (enter),
    .enter_idx_i  (idx_q),
    .free_valid_o (free_valid),
    .free_id_o    (free_id),
    .answer_i,
    .answer_id_i,
    .answer_idx_i,
    .answer_good_o(good),
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
      same[e] = u_dut.valid_q[e] && u_dut.idx_q[e] == idx_q;
    end
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: entries are there that nobody made.
    e_reset : assume (started_q || !rst_ni);
    valid_q <= look || (valid_q && !there && !enter);
    if (look) idx_q <= want_idx_i;
    if (!rst_ni || clear_i) valid_q <= 1'b0;
  end

  logic asked_q;   // an entry is in use and not answered
  always_ff @(posedge clk_i) begin
    asked_q <= enter && rst_ni && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // What the pool thinks is held is what the table holds.
      a_pool : assert (u_dut.u_pool.held_q == u_dut.valid_q)
      else $error("held %b, valid %b", u_dut.u_pool.held_q, u_dut.valid_q);
      // No two entries are of one index.
      a_distinct : assert (twice == '0)
      else $error("entries %b have the index of an earlier one", twice);
      // An index that is under way is found.
      a_found : assert (!valid_q || same == '0 || there)
      else $error("index %0d is under way and not found", idx_q);
      // An answer is taken for good only if its request is under way and was not answered before.
      a_answer : assert (!good || (u_dut.valid_q[answer_id_i] && !u_dut.answered_q[answer_id_i]))
      else $error("entry %0d is answered and was not asked for", answer_id_i);
      // An index is found while its request is under way.
      c_found : cover (valid_q && there && asked_q);
      // A request goes out, is answered and leaves, and another one of its index goes out.
      c_again : cover (enter && u_dut.answered_q != '0);
    end
  end

endmodule
