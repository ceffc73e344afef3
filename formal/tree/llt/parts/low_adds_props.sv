// llt_sum: which row of which port is added to what in any cycle of a sum, and where it goes
// (docs/tree.md). A sum has rounds, and a round a pass for each row; all of that is said of two
// numbers: the port whose turn it is in each half, and how many cycles ago its round began.
//
// What memories, lanes and the rounding of results answer is left out of the circuit and free
// (`cuts` of the task). That a sum is taken when it is there is llt_sum's proof.
module low_adds_props
  import roce_pkg::*;
  import rc_port_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned Ecc = 0,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              valid_i,
  input low_sum_t                          sum_i,
  input logic [NumPorts-1:0][BeatBits-1:0] row_i,
  input logic                              re_i,
  input logic                              use_i,
  input logic [GroupW-1:0]                 re_group_i,
  input logic [4:0]                        re_row_i,
  input logic [PortW-1:0]                  port_i,   // any port
  input logic [3:0]                        lane_i    // any lane
);

  localparam int unsigned Half = NumPorts / 2;
  localparam int unsigned Lanes = 16;

  logic                ready, done, begun_q, rst_n;
  logic [GroupW-1:0]   done_group, asked_group;
  logic [NumPorts-1:0] asked;
  logic [4:0]          asked_row;
  logic [BeatBits-1:0] row;
  rc_memory_t          memory;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;

  llt_sum #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .valid_i,
    .ready_o     (ready),
    .sum_i,
    .done_o      (done),
    .done_group_o(done_group),
    .re_o        (asked),
    .re_group_o  (asked_group),
    .re_row_o    (asked_row),
    .row_i,
    .re_i,
    .use_i,
    .re_group_i,
    .re_row_i,
    .row_o       (row),
    .memory_o    (memory)
  );

  // ---------------------------------------------------------------------------------------------
  // The sum under way.

  typedef logic [Half-1:0] half_t;
  logic              busy_q, came_q, runs_q, meets_q, first_q, sound_q, takes, ended;
  low_sum_t          sum_q;
  logic [3:0]        turn_q;     // whose turn it is in each half; not as both halves meet
  logic [6:0]        at_q;       // cycles of the round
  logic              halves, pairs;
  logic [6:0]        passes, long, here;
  half_t [1:0]       child;
  half_t             behind;     // ports of a half that are to come, with a vector in either
  logic [3:0]        next;
  assign takes  = valid_i && !busy_q && begun_q;
  assign ended  = u_dut.u_round.valid_o && u_dut.u_round.along_o[5];
  assign child  = sum_q.children[NumPorts-1:0];
  // Rows of 16-bit elements have two passes. A round has those of both halves, until they meet.
  assign halves = sum_q.elem[3:0] == TypeFp16 || sum_q.elem[3:0] == TypeBf16;
  assign passes = 7'(sum_q.rows) * (halves ? 7'd4 : 7'd2);
  assign here   = meets_q ? passes / 7'd2 : passes;
  always_comb begin
    for (int unsigned p = 0; p < Half; p++) begin
      behind[p] = 4'(p) > turn_q && (child[0][p] || child[1][p]);
    end
    next = '0;
    for (int unsigned p = Half; p > 0; p--) if (behind[p-1]) next = 4'(p - 1);
    // It takes six cycles at least; the last one before both halves meet until its last sum is
    // written, where a sum may be read half as fast again.
    long = (passes < 7'd6) ? 7'd6 : passes;
    if (behind == '0) long = (passes / 7'd2 + 7'd8 > passes) ? passes / 7'd2 + 7'd8 : passes;
  end

  // The pass of this cycle: `at_q` counts halves of rows, then the halves of the ports, then rows.
  typedef struct packed {
    logic       valid, meets, last, upper, high;
    logic [4:0] row;
    logic       first, forward, a, b;
    logic [3:0] turn;
  } pass_t;
  pass_t             now;
  half_t             mine, front;
  pass_t [11+Ecc:1]  q;   // so many cycles ago
  assign mine = child[now.upper];
  always_comb begin
    now.valid = runs_q && at_q < here;
    now.meets = meets_q;
    now.last  = meets_q && at_q + 7'd1 == here;
    now.upper = !meets_q && (halves ? at_q[1] : at_q[0]);
    now.high  = halves && at_q[0];
    now.row   = 5'(at_q >> ((halves ? 2'd1 : 2'd0) + (meets_q ? 2'd0 : 2'd1)));
    now.first = first_q;
    // Its sum so far comes out just when it is needed.
    now.forward = !first_q && !meets_q && passes <= 7'd6;
    now.turn    = turn_q;
    for (int unsigned p = 0; p < Half; p++) front[p] = 4'(p) < turn_q && mine[p];
    now.a = meets_q ? child[0] != '0 : front != '0;
    now.b = meets_q ? child[1] != '0 : mine[turn_q[$clog2(Half)-1:0]];
  end

  // A sum is of somebody, and no longer than a message; with one that is not, nothing is said until
  // the next reset. The single vector of a sum goes through as it is.
  logic sound, never_q, alone_q, is_q;
  assign sound = sum_i.children[NumPorts-1:0] != '0 && sum_i.rows != '0 && sum_i.rows <= 5'd17;
  initial {busy_q, runs_q, came_q, sound_q, is_q, never_q} = '0;
  always_ff @(posedge clk_i) begin
    q      <= {q[10+Ecc:1], now};
    came_q <= takes;
    if (runs_q) begin
      at_q <= at_q + 7'd1;
      if (meets_q && at_q == here) runs_q <= 1'b0;
      if (!meets_q && at_q + 7'd1 == long) begin
        at_q    <= '0;
        first_q <= 1'b0;
        meets_q <= behind == '0;
        turn_q  <= next;
      end
    end
    // A sum begins with the second port of each half, in the second cycle behind its request.
    if (came_q && busy_q) begin
      runs_q  <= 1'b1;
      alone_q <= $onehot0(sum_q.children[NumPorts-1:0]);
      is_q    <= sound_q;
    end
    if (takes) begin
      busy_q  <= 1'b1;
      sum_q   <= sum_i;
      sound_q <= sound && !never_q;
      never_q <= never_q || !sound;
      if (!sound || never_q) is_q <= 1'b0;
      {runs_q, meets_q, first_q, at_q, turn_q} <= {1'b0, 1'b0, 1'b1, 7'd0, 4'd1};
    end
    if (ended) busy_q <= 1'b0;
    if (!rst_n) begin
      {busy_q, runs_q, came_q, never_q} <= '0;
      for (int unsigned n = 1; n <= 11 + Ecc; n++) q[n].valid <= 1'b0;
    end
  end

  // Rows of the port whose turn it was, and of the first one; a cycle behind them their lanes, and
  // another cycle behind what is added.
  logic [BeatBits-1:0]        zero_q, turn_row_q;
  logic [Lanes-1:0][31:0]     a_q, b_q, a_is, b_is, total;
  logic [Lanes-1:0]           go, a_there, b_there, is_int;
  logic [Lanes-1:0][1:0]      op;
  pass_t q3, q4, q5, q6, q11;
  assign {q3, q4, q5, q6, q11} = {q[3+Ecc], q[4+Ecc], q[5+Ecc], q[6+Ecc], q[11+Ecc]};
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign a_is[l]    = u_dut.gen_lane[l].u_lane.a_i;
    assign b_is[l]    = u_dut.gen_lane[l].u_lane.b_i;
    assign a_there[l] = u_dut.gen_lane[l].u_lane.a_valid_i;
    assign b_there[l] = u_dut.gen_lane[l].u_lane.b_valid_i;
    assign go[l]      = u_dut.gen_lane[l].u_lane.valid_i;
    assign is_int[l]  = u_dut.gen_lane[l].u_lane.is_int_i;
    assign op[l]      = u_dut.gen_lane[l].u_lane.op_i;
    assign total[l]   = u_dut.gen_lane[l].u_lane.y_o;
  end
  always_ff @(posedge clk_i) begin
    if (q3.valid && !q3.high) begin
      zero_q <= q3.upper ? row_i[Half] : row_i[0];
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (p == 32'(q3.turn) + (q3.upper ? Half : 32'd0)) turn_row_q <= row_i[p];
      end
    end
    if (q5.valid) begin
      a_q <= q5.upper ? u_dut.gen_half[1].u_kept.rdata_o : u_dut.gen_half[0].u_kept.rdata_o;
      if (q5.forward) a_q <= total;
      if (q5.first) a_q <= u_dut.u_widen_a.lane_o;
      b_q <= q5.meets ? u_dut.gen_half[1].u_kept.rdata_o : u_dut.u_widen_b.lane_o;
    end
  end

  // Sums so far, of both halves.
  logic [1:0]               write, read, use_it;
  logic [1:0][5:0]          write_at, read_at;
  logic [1:0][BeatBits-1:0] written;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    assign write[h]    = u_dut.gen_half[h].u_kept.we_i;
    assign write_at[h] = u_dut.gen_half[h].u_kept.waddr_i;
    assign written[h]  = u_dut.gen_half[h].u_kept.wdata_i;
    assign read[h]     = u_dut.gen_half[h].u_kept.re_i;
    assign read_at[h]  = u_dut.gen_half[h].u_kept.raddr_i;
    assign use_it[h]   = u_dut.gen_half[h].u_kept.use_i;
  end

  // Any port and lane, and what was asked for of sums a cycle ago.
  logic [PortW-1:0]  p_q;
  logic [3:0]        l_q;
  logic              re_q, use_q, upper;
  logic [GroupW-1:0] re_group_q;
  logic [4:0]        re_row_q;
  logic [3:0]        place;
  assign upper = 32'(p_q) >= Half;
  assign place = 4'(32'(p_q) - (upper ? Half : 32'd0));
  always_ff @(posedge clk_i) begin
    if (!begun_q) {p_q, l_q} <= {(32'(port_i) < NumPorts) ? port_i : '0, lane_i};
    {re_q, use_q, re_group_q, re_row_q} <= {re_i, use_i, re_group_i, re_row_i};
  end

  // A pass so many cycles ago, as far as it is of use there.
  logic [11+Ecc:1] same;
  logic            valid;   // there is one
  always_comb begin
    valid = 1'b0;
    for (int unsigned n = 1; n <= 11 + Ecc; n++) begin
      if (q[n].valid) valid = 1'b1;
      same[n] = u_dut.p_q[n].valid == q[n].valid && (!q[n].valid ||
          {u_dut.p_q[n].meets, u_dut.p_q[n].last, u_dut.p_q[n].upper, u_dut.p_q[n].high,
           u_dut.p_q[n].row} == {q[n].meets, q[n].last, q[n].upper, q[n].high, q[n].row});
      if (q[n].valid && n <= 3 + Ecc && !q[n].meets && (q[n].turn == '0 ||
          32'(q[n].turn) >= Half || 4'(u_dut.p_q[n].round) != q[n].turn)) same[n] = 1'b0;
      if (q[n].valid && q[n].meets && (q[n].upper || q[n].forward || q[n].first)) same[n] = 1'b0;
      if (q[n].valid && n <= 5 + Ecc && (u_dut.p_q[n].first != q[n].first ||
          u_dut.p_q[n].forward != q[n].forward)) same[n] = 1'b0;
      if (q[n].valid && n <= 6 + Ecc && (u_dut.p_q[n].a != q[n].a ||
          u_dut.p_q[n].b != q[n].b)) same[n] = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // In front of the first cycle there was none (helps the proof).
    a_none : assert (begun_q || {busy_q, runs_q, came_q, sound_q, is_q, never_q} == '0)
    else $error("busy %b", busy_q);
    if (begun_q) begin
      // A sum is taken when the one before has its last row.
      a_ready : assert (ready == !busy_q)
      else $error("ready %b", ready);
      if (sound_q) begin
        // A port's row is asked for in its turn, the first one's beside the second one's; of the
        // two passes of a row the first one asks.
        a_asks : assert (32'(p_q) >= NumPorts || asked[p_q] ==
                         (now.valid && !meets_q && !now.high && now.upper == upper &&
                          child[upper][place] && (place == turn_q || (place == '0 && first_q))))
        else $error("port %0d: %b", p_q, asked[p_q]);
        // Of the sum's group; rows in their order.
        a_which : assert (asked == '0 || (asked_group == sum_q.group && asked_row == now.row))
        else $error("row %0d", asked_row);
        // Nine cycles behind its last pass a sum is done.
        a_done : assert (done == (q[9+Ecc].valid && q[9+Ecc].last) &&
                         (!done || done_group == sum_q.group))
        else $error("done %b", done);

        // Rows are made lanes in the cycle behind: the first port's in the first round,
        a_widen_a : assert (u_dut.u_widen_a.valid_i == (q4.valid && q4.first) &&
            (!u_dut.u_widen_a.valid_i || (u_dut.u_widen_a.high_i == q4.high &&
             u_dut.u_widen_a.half_i == halves && (q4.high || u_dut.u_widen_a.row_i == zero_q) &&
             (!halves || u_dut.u_widen_a.bf16_i == (sum_q.elem[3:0] == TypeBf16)))))
        else $error("another row");
        // and that of whose turn it is.
        a_widen_b : assert (q4.meets || (u_dut.u_widen_b.valid_i == q4.valid && (!q4.valid ||
            (u_dut.u_widen_b.high_i == q4.high && u_dut.u_widen_b.half_i == halves &&
             (q4.high || u_dut.u_widen_b.row_i == turn_row_q) &&
             (!halves || u_dut.u_widen_b.bf16_i == (sum_q.elem[3:0] == TypeBf16))))))
        else $error("another row");
        // Sums so far are read beside them,
        a_reads : assert (read == {q4.valid, q4.valid} && (!q4.valid ||
                          read_at == {q4.row, q4.high, q4.row, q4.high}))
        else $error("reads %b", read);
        // and are of use where both halves meet, or the sum is not there without that.
        a_uses : assert (!q4.valid || use_it == (q4.meets ? {q4.b, q4.a} :
            (!q4.a || q4.first || q4.forward) ? 2'b00 : q4.upper ? 2'b10 : 2'b01))
        else $error("uses %b", use_it);

        // All lanes add: who has contributed before in this half, and whose turn it is; or both
        // halves.
        a_lane : assert (go[l_q] == q6.valid && (!q6.valid ||
            (a_there[l_q] == q6.a && b_there[l_q] == q6.b && op[l_q] == sum_q.elem[5:4] &&
             is_int[l_q] == (sum_q.elem[3:0] == TypeInt32))))
        else $error("lane %0d", l_q);
        // The first port's row, or a sum so far: what comes out just then, or what was kept.
        a_a : assert (!q6.valid || !q6.a || a_is[l_q] == a_q[l_q])
        else $error("lane %0d: %h", l_q, a_is[l_q]);
        // The row of whose turn it is; or the other half's sum.
        a_b : assert (!q6.valid || !q6.b || b_is[l_q] == b_q[l_q])
        else $error("lane %0d: %h", l_q, b_is[l_q]);

        // What comes out is kept for its half's next round,
        a_keeps : assert (write == {q11.valid && !q11.meets && q11.upper,
                                    q11.valid && !q11.meets && !q11.upper} &&
            (!write[0] || (write_at[0] == {q11.row, q11.high} && written[0] == total)) &&
            (!write[1] || (write_at[1] == {q11.row, q11.high} && written[1] == total)))
        else $error("keeps %b", write);
        // or is rounded: the lanes of a row, whose it is, and whether it is the last one.
        a_rounds : assert (u_dut.u_round.valid_i == (q11.valid && q11.meets) &&
            (!u_dut.u_round.valid_i || (u_dut.u_round.high_i == q11.high &&
             u_dut.u_round.half_i == halves && u_dut.u_round.single_i == alone_q &&
             (!halves || u_dut.u_round.bf16_i == (sum_q.elem[3:0] == TypeBf16)) &&
             u_dut.u_round.lane_i == total && u_dut.u_round.along_i == {q11.last, q11.row})))
        else $error("rounds %b", u_dut.u_round.valid_i);
      end
      // A row of the result is kept with its group,
      a_result : assert (u_dut.u_results.we_i == u_dut.u_round.valid_o &&
          (!u_dut.u_results.we_i || (u_dut.u_results.wdata_i == u_dut.u_round.row_o && (!sound_q ||
           u_dut.u_results.waddr_i == {sum_q.group, u_dut.u_round.along_o[4:0]}))))
      else $error("writes %b", u_dut.u_results.we_i);
      // and read a cycle behind its request.
      a_read : assert (u_dut.u_results.re_i == re_q && (!re_q || (u_dut.u_results.use_i == use_q &&
                       u_dut.u_results.raddr_i == {re_group_q, re_row_q})) &&
                       row == u_dut.u_results.rdata_o)
      else $error("row %0d", u_dut.u_results.raddr_i);

      // These help the proof: where the sum under way is.
      a_at : assert (u_dut.busy_q == busy_q && (!sound_q || u_dut.runs_q == runs_q) &&
          (!runs_q || !sound_q ||
          (u_dut.beat_q == at_q + 7'd1 && u_dut.meets_q == meets_q && at_q <= 7'd80 &&
           at_q <= (meets_q ? here : long - 7'd1) &&
           u_dut.done_row_q == (at_q >= here) && (at_q >= here ||
           ({u_dut.row_q, u_dut.high_q, u_dut.upper_q} == {now.row, now.high, now.upper})))))
      else $error("cycle %0d of a round", at_q);
      a_turn : assert (!sound_q || (!runs_q && !came_q) || meets_q ||
          (4'(u_dut.round_q) == turn_q && u_dut.later_q == behind && turn_q != '0 &&
           32'(turn_q) < Half && (!runs_q || u_dut.wait_q == long)))
      else $error("turn of %0d", turn_q);
      a_kind : assert (!sound_q || (u_dut.group_q == sum_q.group && u_dut.child_q == child &&
          u_dut.halves_q == halves && u_dut.passes_q == passes && u_dut.op_q == sum_q.elem[5:4] &&
          u_dut.last_row_q == sum_q.rows - 5'd1 &&
          u_dut.bf16_q == (sum_q.elem[3:0] == TypeBf16) &&
          u_dut.is_int_q == (sum_q.elem[3:0] == TypeInt32) && u_dut.first_q == first_q &&
          sum_q.rows != '0 && sum_q.rows <= 5'd17 && child != '0 &&
          (!is_q || u_dut.single_q == alone_q)))
      else $error("another sum");
      a_starts : assert (!came_q || !sound_q || (!meets_q && first_q && at_q == '0 && !runs_q &&
          {u_dut.meets_q, u_dut.row_q, u_dut.upper_q, u_dut.high_q, u_dut.done_row_q} == '0 &&
          u_dut.beat_q == 7'd1 && turn_q == 4'd1))
      else $error("begins at %0d", u_dut.beat_q);
      a_way : assert (!sound_q || (same == '1 && (is_q || (!runs_q && !valid))))
      else $error("passes %b", same);

      a_before : assert (sound_q || (!is_q && (never_q || (!runs_q && !u_dut.runs_q && !valid &&
                         !came_q && same == '1))))
      else $error("no sum, and a pass");

      // The third ports of both halves have a vector of 16-bit elements, and the halves meet.
      c_meets : cover (q11.valid && q11.last && sound_q && child[0][Half-1] && child[1][Half-1] &&
                       halves);
    end
  end

endmodule
