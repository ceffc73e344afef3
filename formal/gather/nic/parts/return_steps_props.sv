// gather_return around its queues: what becomes of each beat of a response, what is written where,
// and when a bit is set and an entry leaves.
//
// What the registers and queues make of it is left out of the circuit and free (`cuts` of the
// task). They have proofs of their own: prim_skid, prim_fifo_ram.
module return_steps_props
  import gather_pkg::*;
#(
  parameter int unsigned IndexBits = 20,
  parameter int unsigned IdW = 4,
  parameter int unsigned Writes = 16,
  localparam int unsigned EpochW = 32 - IdW
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              clear_i,
  input logic              run_i,
  input logic [63:0]       dest_i,
  input logic [3:0]        stride_i,
  input logic [10:0]       len_i,
  input logic [EpochW-1:0] epoch_i,
  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic              answer_wait_i,
  input logic              answer_good_i,
  input logic              write_ready_i,
  input logic              written_i,
  input logic              mark_ready_i
);

  logic                 pr_ready, answer_go, answer, answer_take, came, late, write_valid;
  logic                 mark_valid, leave, open, empty;
  logic [IdW-1:0]       answer_id, leave_id;
  logic [IndexBits-1:0] answer_idx;
  mem_write_t           write;
  logic [63:0]          mark_idx;

  gather_return #(
    .IndexBits(IndexBits),
    .IdW      (IdW),
    .Writes   (Writes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .run_i,
    .dest_i,
    .stride_i,
    .len_i,
    .epoch_i,
    .pr_valid_i,
    .pr_ready_o   (pr_ready),
    .pr_i,
    .answer_go_o  (answer_go),
    .answer_o     (answer),
    .answer_id_o  (answer_id),
    .answer_idx_o (answer_idx),
    .answer_wait_i,
    .answer_good_i,
    .answer_take_o(answer_take),
    .came_o       (came),
    .late_o       (late),
    .write_valid_o(write_valid),
    .write_ready_i,
    .write_o      (write),
    .written_i,
    .mark_valid_o (mark_valid),
    .mark_ready_i,
    .mark_idx_o   (mark_idx),
    .leave_o      (leave),
    .leave_id_o   (leave_id),
    .open_o       (open),
    .empty_o      (empty)
  );

  typedef struct packed {
    logic                 last;
    logic [IdW-1:0]       id;
    logic [IndexBits-1:0] idx;
  } place_t;

  logic past_q;   // it was reset once
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= past_q || !rst_ni;

  // ---------------------------------------------------------------------------------------------
  // Beats of responses: one in front, one whose entry is being read, one that is known.

  typedef struct packed {
    logic         valid;
    logic         sure;    // a first beat has come since the first cycle
    logic         first;
    logic         ours;    // what was asked for in this gather
    place_t       place;
    logic [63:0]  at;      // in what is gathered
    logic [31:0]  base;    // low half of where that begins
    logic [6:0]   bytes;
    logic [511:0] data;
  } beat_q_t;

  pr_beat_t    in;
  logic        counted_q;
  initial counted_q = 1'b0;
  beat_q_t     front, read_q, known_q;
  logic        comes, good, moves, goes, kept_q, may_q;
  logic        out_waits, out_ready;      // in front of memory
  logic [3:0]  beats_q, number;           // of its property, modulo 16
  logic [10:0] left;                      // bytes from this beat on
  assign in        = u_dut.u_in.out_o;
  assign out_waits = u_dut.u_write.out_valid_o;
  assign out_ready = u_dut.u_write.in_ready_o;
  always_comb begin
    number = in.first ? 4'd0 : beats_q;
    left   = in.pr.len - 11'(number) * 11'd64;
    front  = '{
      valid: 1'b1,
      sure: counted_q || in.first,
      first: in.first,
      ours: 1'b1,
      place: '{last: in.last, id: IdW'(in.pr.id), idx: IndexBits'(in.pr.idx)},
      at: (in.pr.idx << stride_i) | (64'(number) * 64'd64),
      base: '0,
      bytes: (left >= 11'd64) ? 7'd64 : 7'(left),
      data: in.data
    };
    // Ours are responses with the gather's number, its length, and an index of so many bits.
    if (!in.pr.response || in.pr.len != len_i) front.ours = 1'b0;
    if (in.pr.id >> IdW != 32'(epoch_i)) front.ours = 1'b0;
    if (in.pr.idx >> IndexBits != '0) front.ours = 1'b0;

    // The first beat of what is ours and waited for is good, and all behind it.
    good = known_q.first ? known_q.ours && answer_good_i : kept_q;
    if (!run_i) good = 1'b0;
    // What is good moves when there is room for it, all else at once; in a gather that has ended
    // when nothing waits for memory any more.
    moves = !good || (may_q && out_ready);
    if (!run_i) moves = !out_waits;
    goes  = known_q.valid ? moves : 1'b1;
    // A first beat waits while its entry is written.
    comes = goes && !(in.first && answer_wait_i);
  end

  // ---------------------------------------------------------------------------------------------
  // Writes without an answer (modulo 32), of all that has come to the cycle before.

  logic   took, written_q, shown_q, empty_q;
  place_t written, mark, place;
  mem_write_t to;
  logic [4:0] open_q;
  assign took    = write_valid && write_ready_i;
  assign written = u_dut.u_oldest.out_o;
  assign mark    = u_dut.u_mark.out_o;
  assign {place, to} = u_dut.u_write.in_i;

  always_ff @(posedge clk_i) begin
    if (goes) begin
      read_q  <= front;
      read_q.valid <= u_dut.u_in.out_valid_o && comes;
      known_q <= read_q;
      known_q.base <= dest_i[31:0];
      if (known_q.valid) kept_q <= good;
    end
    if (comes && u_dut.u_in.out_valid_o) beats_q <= number + 4'd1;
    if (past_q && comes && u_dut.u_in.out_valid_o && in.first) counted_q <= 1'b1;
    if (!run_i) kept_q <= 1'b0;
    may_q     <= 32'(open_q) + 32'(u_dut.u_marks.count_o) <= Writes - 5;
    written_q <= written_i;
    open_q    <= open_q + 5'(took) - 5'(written_q);
    shown_q   <= mark_valid && !mark_ready_i;
    empty_q   <= {open_q, u_dut.u_marks.count_o, u_dut.u_mark.out_valid_o} == '0;
    if (!rst_ni || clear_i) begin
      {written_q, open_q, shown_q} <= '0;
      empty_q <= 1'b1;
    end
    if (!rst_ni) {read_q.valid, known_q.valid, kept_q, may_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    // What comes in waits in a register; a first beat asks for its entry.
    a_in : assert (u_dut.u_in.in_valid_i == pr_valid_i && u_dut.u_in.in_i == pr_i &&
                   pr_ready == u_dut.u_in.in_ready_o)
    else $error("in");
    a_asks : assert (answer == (u_dut.u_in.out_valid_o ? in.first : 1'b0) &&
                     answer_id == IdW'(in.pr.id) && answer_idx == IndexBits'(in.pr.idx))
    else $error("asks: %b", answer);
    // Memory is shown what waits while the gather runs; what waits else is thrown away.
    a_shows : assert (write_valid == (run_i ? out_waits : 1'b0) &&
                      write == mem_write_t'(u_dut.u_write.out_o) &&
                      u_dut.u_write.out_ready_i == (run_i ? write_ready_i : 1'b1))
    else $error("shows: %b", write_valid);
    // A property has come when memory takes its last beat.
    a_came : assert (came == (took && u_dut.u_write.out_o[$bits(mem_write_t)+IdW+IndexBits]))
    else $error("came: %b", came);
    // Where a write belongs waits from then on, behind all that wait, until it is the oldest one.
    a_open : assert (u_dut.u_open.in_valid_i == took &&
                     u_dut.u_open.in_i == u_dut.u_write.out_o[$bits(mem_write_t)+:$bits(place_t)] &&
                     u_dut.u_oldest.in_valid_i == u_dut.u_open.out_valid_o &&
                     u_dut.u_oldest.in_i == u_dut.u_open.out_o &&
                     u_dut.u_open.out_ready_i == u_dut.u_oldest.in_ready_o)
    else $error("open: %b", u_dut.u_open.in_valid_i);
    // Marks wait until the register takes them.
    a_next : assert (u_dut.u_mark.in_valid_i == u_dut.u_marks.out_valid_o &&
                     u_dut.u_mark.in_i == u_dut.u_marks.out_o &&
                     u_dut.u_marks.out_ready_i == u_dut.u_mark.in_ready_o)
    else $error("marks");
    // A flush empties all but what comes in and waits for memory.
    a_flush : assert ({u_dut.u_open.rst_ni, u_dut.u_oldest.rst_ni, u_dut.u_marks.rst_ni,
                       u_dut.u_mark.rst_ni} == {4{rst_ni && !clear_i}} &&
                      {u_dut.u_in.rst_ni, u_dut.u_write.rst_ni} == {2{rst_ni}})
    else $error("flush");
    // A bit is set of the oldest mark; its entry leaves as the filter takes it.
    a_leave : assert (mark_idx == 64'(mark.idx) && leave_id == mark.id &&
                      leave == (mark_valid ? mark_ready_i : 1'b0) &&
                      u_dut.u_mark.out_ready_i == leave)
    else $error("leaves: %b", leave);
    if (past_q) begin
      // A beat is taken when those in front go, and a first one when its entry is not written.
      a_goes : assert (answer_go == goes && u_dut.u_in.out_ready_i == comes)
      else $error("goes: %b", answer_go);
      // An entry is answered when the first beat of what it waits for goes to memory.
      a_takes : assert (answer_take == (known_q.valid && known_q.first && good && moves))
      else $error("takes: %b", answer_take);
      // What is good goes to memory if there is room.
      a_writes : assert (u_dut.u_write.in_valid_i == (known_q.valid && good && may_q))
      else $error("writes: %b", u_dut.u_write.in_valid_i);
      // It is written where its property is gathered to, so many beats behind that, and as long as
      // what is left of it. (Where all begins is looked at in halves, the low one a step before.)
      a_where : assert (!known_q.valid || (place == known_q.place &&
                        to.data == known_q.data && (!known_q.sure || (to.bytes == known_q.bytes &&
                        to.addr == {dest_i[63:32], known_q.base} + known_q.at))))
      else $error("written at another place");
      // It is late if its last beat is dropped, or was not taken when the gather ended.
      a_late : assert (late == ((known_q.valid && known_q.place.last && moves && !good) ||
                       (out_waits && !run_i &&
                        u_dut.u_write.out_o[$bits(mem_write_t)+IdW+IndexBits])))
      else $error("late: %b", late);
      // A cycle behind its answer a write is no more; the last one of a property is a mark then.
      a_marks : assert (u_dut.u_oldest.out_ready_i == written_q &&
                        u_dut.u_marks.in_valid_i == (written.last ? written_q : 1'b0) &&
                        u_dut.u_marks.in_i == written)
      else $error("a mark: %b", u_dut.u_marks.in_valid_i);
      // A mark is shown while the gather runs, and then until it is taken.
      a_mark : assert (mark_valid == (u_dut.u_mark.out_valid_o && !(!run_i && !shown_q)))
      else $error("mark %b", mark_valid);
      // It is open with a write that is not answered, or a mark that was shown and not taken; empty
      // a cycle behind neither writes nor marks.
      a_levels : assert (open == (shown_q || open_q != '0) && empty == empty_q)
      else $error("open %b, empty %b", open, empty);
      // These help the proof.
      a_read : assert (u_dut.read_q == read_q.valid && (!read_q.valid ||
                       ({u_dut.read_step_q.first, u_dut.read_step_q.place,
                         u_dut.read_step_q.data, u_dut.ours_q} ==
                        {read_q.first, read_q.place, read_q.data, read_q.ours} &&
                        (!read_q.sure || {u_dut.read_step_q.bytes, u_dut.read_step_q.addr} ==
                         {read_q.bytes, read_q.at}))))
      else $error("read %b", u_dut.read_q);
      a_known : assert (u_dut.known_q == known_q.valid && (!known_q.valid ||
                        {u_dut.known_step_q.first, u_dut.fits_q} == {known_q.first, known_q.ours}))
      else $error("known %b", u_dut.known_q);
      a_rooms : assert (u_dut.kept_q == kept_q && u_dut.room == may_q && u_dut.open_q == open_q &&
                        u_dut.written_q == written_q && u_dut.shown_q == shown_q)
      else $error("%0d open", u_dut.open_q);
    end
    // This one, too: beats are counted alike from the first one on.
    a_number : assert (!counted_q || (past_q && u_dut.beat_q == beats_q))
    else $error("beat %0d", u_dut.beat_q);

    // The second beat of a property is written; a gather ends with a mark that was shown.
    c_second : cover (past_q && rst_ni && known_q.valid && !known_q.first && good && moves &&
                      known_q.place.last);
    c_ends : cover (past_q && rst_ni && mark_valid && !run_i);
  end

endmodule
