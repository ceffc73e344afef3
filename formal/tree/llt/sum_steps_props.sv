// llt_sum, step by step: what a cycle makes of a sum from wherever it may stand, whatever its
// registers are: also of sums that are longer than any bounded proof looks at. (Which row is added
// to what, over a sum: low_adds_props.)
//
// What memories, lanes and the rounding of results answer is any (`cuts` of the task). Followed are
// one port, one lane, and one byte of a row, all free.
module sum_steps_props
  import roce_pkg::*;
  import rc_port_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 8,
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
  input logic [PortW-1:0]                  port_i,   // any port,
  input logic [3:0]                        lane_i,   // lane
  input logic [5:0]                        byte_i    // and byte of a row
);

  localparam int unsigned Half = NumPorts / 2;
  localparam int unsigned Last = 11 + Ecc;
  typedef logic [Half-1:0] half_t;

  logic                ready, done, begun_q, past_q;
  logic [GroupW-1:0]   done_group, asked_group;
  logic [NumPorts-1:0] asked;
  logic [4:0]          asked_row;
  logic [BeatBits-1:0] row;
  rc_memory_t          memory;

  llt_sum #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
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
  // A cycle: what comes, and what is inside.

  typedef struct packed {
    logic       valid, first, meets, forward, last, upper, high;
    logic [2:0] round;
    logic [4:0] row;
    logic       a, b;
  } pass_t;

  typedef struct packed {
    logic                     ran, comes, ends;   // a sum, and its result's last row
    low_sum_t                 want;
    logic [NumPorts-1:0][7:0] rows;     // the followed byte of ports' rows
    logic [31:0]              wide_a, wide_b, total;   // of the followed lane
    logic [1:0][31:0]         kept;
    logic                     re, uses;
    logic [GroupW+4:0]        reads;
    logic                     busy, runs, halves, bf16, is_int, single, meets, first;
    logic [1:0]               op;
    logic [GroupW-1:0]        group;
    logic [4:0]               last_row;
    half_t [1:0]              child;
    half_t                    later;
    logic [2:0]               round;
    logic [6:0]               beat, passes, waits;
    logic                     through;  // all passes of the round are on their way
    logic [4:0]               row;
    logic                     upper, high;
    pass_t [Last:1]           pass;
    logic [7:0]               a_byte, b_byte;
    logic [31:0]              a, b;
  } step_t;

  step_t                now, q;
  logic [PortW-1:0]     p;
  logic [3:0]           l;
  logic [5:0]           k;
  logic [15:0][31:0]    total;
  logic [15:0]          go, is_int, a_there, b_there;
  logic [15:0][1:0]     op;
  logic [15:0][31:0]    a_is, b_is;
  pass_t [Last:1]       passes;
  rc_memory_t           found, found_q;
  logic [1:0]           write, read, use_it, bad;
  logic [1:0][5:0]      write_at, read_at, at;
  for (genvar n = 1; n <= Last; n++) begin : gen_pass
    assign passes[n] = '{u_dut.p_q[n].valid, u_dut.p_q[n].first, u_dut.p_q[n].meets,
                         u_dut.p_q[n].forward, u_dut.p_q[n].last, u_dut.p_q[n].upper,
                         u_dut.p_q[n].high, u_dut.p_q[n].round, u_dut.p_q[n].row,
                         u_dut.p_q[n].a, u_dut.p_q[n].b};
  end
  for (genvar n = 0; n < 16; n++) begin : gen_lane
    assign total[n]   = u_dut.gen_lane[n].u_lane.y_o;
    assign go[n]      = u_dut.gen_lane[n].u_lane.valid_i;
    assign is_int[n]  = u_dut.gen_lane[n].u_lane.is_int_i;
    assign op[n]      = u_dut.gen_lane[n].u_lane.op_i;
    assign a_there[n] = u_dut.gen_lane[n].u_lane.a_valid_i;
    assign b_there[n] = u_dut.gen_lane[n].u_lane.b_valid_i;
    assign a_is[n]    = u_dut.gen_lane[n].u_lane.a_i;
    assign b_is[n]    = u_dut.gen_lane[n].u_lane.b_i;
  end
  for (genvar h = 0; h < 2; h++) begin : gen_half
    assign write[h]    = u_dut.gen_half[h].u_kept.we_i;
    assign write_at[h] = u_dut.gen_half[h].u_kept.waddr_i;
    assign read[h]     = u_dut.gen_half[h].u_kept.re_i;
    assign read_at[h]  = u_dut.gen_half[h].u_kept.raddr_i;
    assign use_it[h]   = u_dut.gen_half[h].u_kept.use_i;
    assign bad[h]      = u_dut.gen_half[h].u_kept.bad_o;
    assign at[h]       = u_dut.gen_half[h].u_kept.at_o;
  end

  always_comb begin
    now          = '0;
    now.ran      = rst_ni;
    now.comes    = valid_i;
    now.ends     = u_dut.u_round.valid_o && u_dut.u_round.along_o[5];
    now.want     = sum_i;
    for (int unsigned n = 0; n < NumPorts; n++) now.rows[n] = row_i[n][8*k+:8];
    now.wide_a   = u_dut.u_widen_a.lane_o[l];
    now.wide_b   = u_dut.u_widen_b.lane_o[l];
    now.total    = total[l];
    now.kept     = {u_dut.gen_half[1].u_kept.rdata_o[32*l+:32],
                    u_dut.gen_half[0].u_kept.rdata_o[32*l+:32]};
    now.re       = re_i;
    now.uses     = use_i;
    now.reads    = {re_group_i, re_row_i};
    now.busy     = u_dut.busy_q;
    now.runs     = u_dut.runs_q;
    now.halves   = u_dut.halves_q;
    now.bf16     = u_dut.bf16_q;
    now.is_int   = u_dut.is_int_q;
    now.single   = u_dut.single_q;
    now.meets    = u_dut.meets_q;
    now.first    = u_dut.first_q;
    now.op       = u_dut.op_q;
    now.group    = u_dut.group_q;
    now.last_row = u_dut.last_row_q;
    now.child    = u_dut.child_q;
    now.later    = u_dut.later_q;
    now.round    = 3'(u_dut.round_q);
    now.beat     = u_dut.beat_q;
    now.passes   = u_dut.passes_q;
    now.waits    = u_dut.wait_q;
    now.through  = u_dut.done_row_q;
    now.row      = u_dut.row_q;
    now.upper    = u_dut.upper_q;
    now.high     = u_dut.high_q;
    now.pass     = passes;
    now.a_byte   = u_dut.a_row_q[8*k+:8];
    now.b_byte   = u_dut.b_row_q[8*k+:8];
    now.a        = u_dut.a_q[l];
    now.b        = u_dut.b_q[l];
  end
  // Flipped bits of what is kept go in front; of the upper half's, if both have some.
  always_comb begin
    found = '0;
    found.corrected = u_dut.u_results.corrected_o;
    found.bad       = u_dut.u_results.bad_o || bad != '0;
    found.word      = '{memory: MemSums, scope: OfTrees, port: '0,
                        at: 16'(u_dut.u_results.at_o)};
    if (bad != '0) found.word = '{memory: MemSumming, scope: OfTrees, port: '0,
                                  at: 16'(bad[1] ? at[1] : at[0])};
    if (Ecc == 0 || !rst_ni) found = '0;
  end
  initial {begun_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    past_q  <= begun_q;
    q       <= now;
    found_q <= found;
    if (!begun_q) {p, l, k} <= {port_i, lane_i, byte_i};
  end

  // ---------------------------------------------------------------------------------------------
  // What is to become of it.

  logic       takes, starts, over, half_sum, alone, last_pass;
  logic [6:0] shortest, apart, long;
  half_t      either;
  logic [2:0] next;
  pass_t      pass;
  half_t      mine;
  assign takes  = q.comes && !q.busy;
  // A sum that was taken begins its rounds a cycle later.
  assign starts = q.busy && q.first && !q.runs;
  // A round is over when its time is; the one in which both halves meet, when all its passes are on
  // their way.
  assign over   = q.runs && (q.meets ? q.through : q.beat == q.waits);
  // The first port in front of whose round no other one is.
  always_comb begin
    next = '0;
    for (int unsigned n = Half; n > 0; n--) if (q.later[n-1]) next = 3'(n - 1);
    for (int unsigned n = 0; n < Half; n++) begin
      either[n] = q.want.children[n] || q.want.children[n+Half];
    end
  end
  // A round is as long as its passes, and six cycles at least; the last one before both halves meet
  // half as long and eight cycles, if that is more.
  assign alone     = over ? $onehot0(q.later) : q.later == '0;
  assign shortest  = (q.passes > 7'd6) ? q.passes : 7'd6;
  assign apart     = 7'd8 + {1'b0, q.passes[6:1]};
  assign long      = alone ? ((apart < q.passes) ? q.passes : apart) : shortest;
  assign half_sum  = q.want.elem[3:0] == TypeFp16 || q.want.elem[3:0] == TypeBf16;

  // A row has a pass for each half of the ports, until they meet; each is two where elements are of
  // 16 bits, the low half of the row first.
  logic behind;   // with this pass the row is behind us
  assign behind    = q.halves ? q.high && (q.meets || q.upper) : q.meets || q.upper;
  assign last_pass = behind && q.row == q.last_row;
  assign mine      = q.upper ? q.child[1] : q.child[0];
  always_comb begin
    pass         = '0;
    pass.valid   = q.runs && !q.through;
    {pass.first, pass.meets, pass.upper, pass.high} = {q.first, q.meets, q.upper, q.high};
    {pass.round, pass.row} = {q.round, q.row};
    // A sum comes out just as it is needed where a round has six passes or less.
    pass.forward = !q.first && !q.meets && q.passes < 7'd7;
    pass.last    = q.meets && last_pass;
    // Operands are both halves' sums; or that of ports in front of this one, and this one's row.
    if (q.meets) begin
      {pass.b, pass.a} = {q.child[1] != '0, q.child[0] != '0};
    end else begin
      pass.b = mine[q.round[$clog2(Half)-1:0]];
      for (int unsigned n = 0; n < Half; n++) if (n < 32'(q.round) && mine[n]) pass.a = 1'b1;
    end
  end

  pass_t p4, p6, q3, q5, p9, p11;
  assign {p4, p6, p9, p11} = {now.pass[4+Ecc], now.pass[6+Ecc], now.pass[9+Ecc], now.pass[11+Ecc]};
  assign {q3, q5} = {q.pass[3+Ecc], q.pass[5+Ecc]};

  logic       upper;   // the followed port is in that half, at this place
  logic [2:0] place;
  assign upper = 32'(p) >= Half;
  assign place = 3'(32'(p) % Half);

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // A sum is under way from when it is taken until the last row of its result.
      a_busy : assert (now.busy == (q.ran && !q.ends && (takes || q.busy)))
      else $error("busy %b", now.busy);
      // It has rounds until that is over in which both halves meet.
      a_runs : assert (now.runs == (q.ran && !takes && (starts || (over ? !q.meets : q.runs))))
      else $error("runs %b", now.runs);
      // What is to be summed, and how, stays.
      a_kind : assert ({now.halves, now.bf16, now.is_int, now.op, now.group, now.last_row} ==
          (takes ? {half_sum, q.want.elem[3:0] == TypeBf16, q.want.elem[3:0] == TypeInt32,
                    q.want.elem[5:4], q.want.group, q.want.rows - 5'd1} :
           {q.halves, q.bf16, q.is_int, q.op, q.group, q.last_row}))
      else $error("another sum");
      a_passes : assert (now.passes == (!takes ? q.passes : 7'(q.want.rows) * (half_sum ? 7'd4 :
                                                                             7'd2)))
      else $error("%0d passes", now.passes);
      a_child : assert ({now.child[1], now.child[0]} ==
                        (takes ? q.want.children[NumPorts-1:0] : {q.child[1], q.child[0]}))
      else $error("ports %b", now.child);
      // An only child's bits stay as they are.
      a_single : assert (now.single == (starts ? $onehot0({q.child[1], q.child[0]}) : q.single))
      else $error("single %b", now.single);
      // Rounds are those of the second ports, and then of each behind them of which either half has
      // a vector; one that comes leaves those that are to come.
      a_later : assert (now.later == (takes ? {either[Half-1:2], 2'b00} :
          over ? q.later & ~(half_t'(1) << next) : q.later))
      else $error("rounds %b", now.later);
      a_round : assert (now.round == (takes ? 3'd1 : over ? next : q.round))
      else $error("round %0d", now.round);
      a_first : assert ({now.first, now.meets} == (takes ? 2'b10 :
          over ? {1'b0, q.later == '0} : {q.first, q.meets}))
      else $error("first %b, meets %b", now.first, now.meets);
      // Cycles of a round are counted from one,
      a_beat : assert (now.beat == ((takes || over) ? 7'd1 : q.beat + 7'(q.runs)))
      else $error("cycle %0d", now.beat);
      // up to the round's length.
      a_waits : assert (now.waits == (((starts && !takes) || over) ? long : q.waits))
      else $error("%0d cycles", now.waits);
      // Where a round stands: one pass a cycle, from its first row on to the sum's last.
      a_where : assert ({now.row, now.through} == ((takes || over) ? 6'd0 :
          (pass.valid && behind) ? {q.row + 5'd1, last_pass} : {q.row, q.through}))
      else $error("row %0d", now.row);
      a_high : assert (now.high == (!takes && !over && (pass.valid ? q.halves && !q.high : q.high)))
      else $error("high %b", now.high);
      a_upper : assert (now.upper == (!takes && !over && ((!pass.valid || (q.halves && !q.high)) ?
                                                          q.upper : !q.meets && !q.upper)))
      else $error("upper %b", now.upper);
      // What a pass is goes along with it; a reset leaves none.
      a_pass : assert (now.pass[1][$bits(pass_t)-2:0] == pass[$bits(pass_t)-2:0] &&
                       now.pass[1].valid == (q.ran && pass.valid))
      else $error("pass %b", now.pass[1]);

      // Rows that come three cycles behind are the first port's of the half, and that of whose
      // round it is. One of which the low half is looked at stays for the high one.
      a_rows : assert (now.a_byte == (!(q3.valid && !q3.high) ? q.a_byte :
          q3.upper ? q.rows[Half] : q.rows[0]) &&
                       now.b_byte == ((!(q3.valid && !q3.high) || q3.round == 3'd0 ||
                                       32'(q3.round) >= Half) ? q.b_byte :
          q.rows[PortW'(32'(q3.round) + (q3.upper ? Half : 32'd0))]))
      else $error("byte %0d: %h, %h", k, now.a_byte, now.b_byte);
      // First the first port's row, then the sum so far: what comes out just then, or what was
      // kept of that half.
      a_a : assert (now.a == (!q5.valid ? q.a : q5.first ? q.wide_a : q5.forward ? q.total :
                              (q5.upper && !q5.meets) ? q.kept[1] : q.kept[0]))
      else $error("lane %0d: %h", l, now.a);
      // To that the row of whose round it is, or the other half's sum.
      a_b : assert (now.b == (!q5.valid ? q.b : q5.meets ? q.kept[1] : q.wide_b))
      else $error("lane %0d: %h", l, now.b);
      // Rows of sums are read a cycle behind their request.
      a_read : assert ({u_dut.u_results.re_i, u_dut.u_results.use_i, u_dut.u_results.raddr_i} ==
                       {q.re, q.uses, q.reads})
      else $error("row %0d", u_dut.u_results.raddr_i);
      // Flipped bits are told a cycle later, with their word.
      a_memory : assert (memory == found_q)
      else $error("%h", memory);
    end

    // Any port's row is asked for in its round, the first one's beside the second one's, with the
    // pass of its half, the low one of two.
    a_asks : assert (asked[p] == (now.runs && !now.through && !now.meets && !now.high &&
        now.upper == upper && now.child[upper][place[$clog2(Half)-1:0]] &&
        (now.round == place || (place == 3'd0 && now.first))))
    else $error("port %0d: %b", p, asked[p]);
    a_which : assert ({asked_group, asked_row} == {now.group, now.row} && ready == !now.busy)
    else $error("row %0d", asked_row);
    // Nine cycles behind its last pass a sum is done.
    a_done : assert (done == (p9.valid && p9.last) && done_group == now.group)
    else $error("done %b", done);
    // Rows become lanes in the fourth cycle; the first ports' in the first round alone.
    a_widens : assert (
        {u_dut.u_widen_a.valid_i, u_dut.u_widen_a.high_i, u_dut.u_widen_a.half_i,
         u_dut.u_widen_a.bf16_i, u_dut.u_widen_a.row_i[8*k+:8]} ==
        {p4.valid && p4.first, p4.high, now.halves, now.bf16, now.a_byte} &&
        {u_dut.u_widen_b.valid_i, u_dut.u_widen_b.high_i, u_dut.u_widen_b.half_i,
         u_dut.u_widen_b.bf16_i, u_dut.u_widen_b.row_i[8*k+:8]} ==
        {p4.valid, p4.high, now.halves, now.bf16, now.b_byte})
    else $error("widens");
    // Sums so far are read beside them, and are of use where both halves meet, or where there is
    // one that does not come out just then.
    a_kept : assert (read == {2{p4.valid}} && read_at == {2{p4.row, p4.high}} &&
                     use_it == (p4.meets ? {p4.b, p4.a} :
                                (!p4.a || p4.first || p4.forward) ? 2'b00 :
                                p4.upper ? 2'b10 : 2'b01))
    else $error("uses %b", use_it);
    // All lanes add them in the sixth.
    a_lane : assert ({go[l], is_int[l], op[l], a_there[l], b_there[l], a_is[l], b_is[l]} ==
                     {p6.valid, now.is_int, now.op, p6.a, p6.b, now.a, now.b})
    else $error("lane %0d", l);
    // In the eleventh a sum is kept for its half's next round,
    a_keeps : assert (write == ({2{p11.valid && !p11.meets}} & {p11.upper, !p11.upper}) &&
                      write_at == {2{p11.row, p11.high}} &&
                      u_dut.gen_half[0].u_kept.wdata_i[32*l+:32] == total[l] &&
                      u_dut.gen_half[1].u_kept.wdata_i[32*l+:32] == total[l])
    else $error("keeps %b", write);
    // or is rounded.
    a_rounds : assert ({u_dut.u_round.rst_ni, u_dut.u_round.valid_i, u_dut.u_round.high_i,
                        u_dut.u_round.half_i, u_dut.u_round.bf16_i, u_dut.u_round.single_i,
                        u_dut.u_round.lane_i[l], u_dut.u_round.along_i} ==
                       {rst_ni, p11.valid && p11.meets, p11.high, now.halves, now.bf16, now.single,
                        total[l], p11.last, p11.row})
    else $error("rounds %b", u_dut.u_round.valid_i);
    // A row of the result is kept with its group, and is the answer of who reads it.
    a_result : assert ({u_dut.u_results.we_i, u_dut.u_results.waddr_i} ==
                       {u_dut.u_round.valid_o, now.group, u_dut.u_round.along_o[4:0]} &&
                       u_dut.u_results.wdata_i[8*k+:8] == u_dut.u_round.row_o[8*k+:8] &&
                       row[8*k+:8] == u_dut.u_results.rdata_o[8*k+:8])
    else $error("row %0d", u_dut.u_results.waddr_i);

    // The second round of a sum begins, and its halves are to meet.
    c_round : cover (past_q && q.ran && now.runs && now.round == 3'd3 && !now.first &&
                     now.later == '0 && now.child[1][3]);
  end

endmodule
