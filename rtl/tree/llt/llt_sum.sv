// Sums the vectors of an operation's children with one set of lanes, in the order of both half
// rings (sat_ring; docs/tree.md): the ports of each half one after the other, then both halves.
// 16-bit types are added as FP32 and rounded once; an only child's bits stay as they are.
//
// A round adds the next port of both halves to all rows; sums of rows wait meanwhile. The first
// round adds the first two ports, the last one both halves, and rounds in which nobody has a vector
// are passed by. A round has a pass a row and half, or two where a lane has two elements, and takes
// six cycles at least, as long as an addition; with so few rows its sums are taken as they come.
//
//   cycle  0   a row of a port is asked for
//          3   it is here; 5 its lanes; 6 the addition begins
//         11   its sum, which waits in a RAM for its next round; or, in the last one,
//         13   a row of the result, which is kept until the group's next one
module llt_sum
  import roce_pkg::*;
  import sat_pkg::Groups;
  import rc_port_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// 1: rows of results are corrected, sums so far are looked at, and all rows that are read, here
  /// and of the ports, come a cycle later.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // A vector to be summed, one at a time.
  input  logic              valid_i,
  output logic              ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  low_sum_t          sum_i,         // of its type only the codes that exist
  // verilator lint_on UNUSEDSIGNAL
  output logic              done_o,        // pulse: rows can be read SumAfter cycles later,
  output logic [GroupW-1:0] done_group_o,  // the sum of this group

  // Rows of the ports' messages.
  output logic [NumPorts-1:0]               re_o,
  output logic [GroupW-1:0]                 re_group_o,
  output logic [4:0]                        re_row_o,
  input  logic [NumPorts-1:0][BeatBits-1:0] row_i,     // LowRow cycles later

  // Rows of sums, LowRow cycles after `re_i`; `use_i`: the row will be used.
  input  logic                re_i,
  input  logic                use_i,
  input  logic [GroupW-1:0]   re_group_i,
  input  logic [4:0]          re_row_i,
  output logic [BeatBits-1:0] row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  if (NumPorts < 4 || NumPorts > 16 || NumPorts % 2 != 0) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be even, 4 to 16");
  end
  if (LowRow != 3) begin : gen_check_row
    $fatal(1, "%m: rows are taken three cycles after their request, not %0d", LowRow);
  end
  if (SumAfter != 4) begin : gen_check_after
    $fatal(1, "%m: a sum's last row is written four cycles after the pulse, not %0d", SumAfter);
  end

  localparam int unsigned Lanes = 16;
  localparam int unsigned Half = NumPorts / 2;
  localparam int unsigned RoundW = $clog2(Half + 1);
  localparam int unsigned PassW = 7;   // up to 4 * LowRows
  localparam logic [PassW-1:0] Shortest = PassW'(6);

  typedef logic [Half-1:0] half_t;
  typedef logic [Lanes-1:0][31:0] lanes_t;

  /// What goes along with a pass.
  typedef struct packed {
    logic              valid;
    logic              first;     // both operands are ports' rows
    logic              meets;     // they are both halves' sums
    logic              forward;   // the sum so far comes out in time
    logic              last;      // of the result
    logic              upper;     // half
    logic              high;      // the upper half of a row of 16-bit elements
    logic [RoundW-1:0] round;
    logic [4:0]        row;
    logic              a, b;      // there are such operands
  } pass_t;

  // ---------------------------------------------------------------------------------------------
  // Rounds and passes.

  logic              busy_q, runs_q, halves_q, bf16_q, is_int_q, single_q, meets_q, first_q;
  logic [1:0]        op_q;
  logic [GroupW-1:0] group_q;
  logic [4:0]        last_row_q;
  logic [1:0][Half-1:0] child_q;
  half_t             later_q;     // ports of a half with a vector in either, behind this round's
  logic [RoundW-1:0] round_q;
  logic [PassW-1:0]  beat_q;      // of the round
  logic [PassW-1:0]  passes_q;    // of a round
  logic              done_row_q;  // all passes of this round are on their way
  logic [4:0]        row_q;
  logic              upper_q, high_q, ends_row, round_ends;
  pass_t             pass;
  logic              result_valid, result_last;
  logic              few;
  logic [PassW-1:0]  wait_q;      // beats of this round

  assign ready_o = !busy_q;
  assign few     = passes_q <= Shortest;

  function automatic logic [RoundW-1:0] lowest(half_t ports);
    lowest = '0;
    for (int unsigned p = Half; p > 0; p--) if (ports[p-1]) lowest = RoundW'(p - 1);
  endfunction

  assign ends_row   = (high_q || !halves_q) && (upper_q || meets_q);
  assign round_ends = beat_q == wait_q;

  half_t below;   // ports of a half in front of this round's
  always_comb begin
    for (int unsigned p = 0; p < Half; p++) below[p] = RoundW'(p) < round_q;
  end

  always_comb begin
    pass         = '0;
    pass.valid   = runs_q && !done_row_q;
    pass.first   = first_q;
    pass.meets   = meets_q;
    pass.forward = few && !first_q && !meets_q;
    pass.last    = meets_q && row_q == last_row_q && ends_row;
    pass.upper   = upper_q;
    pass.high    = high_q;
    pass.round   = round_q;
    pass.row     = row_q;
    pass.a       = meets_q ? child_q[0] != '0 : (child_q[upper_q] & below) != '0;
    pass.b       = meets_q ? child_q[1] != '0 : child_q[upper_q][round_q[$clog2(Half)-1:0]];
  end

  // How long a round is: until its sums are here. The last one begins once all sums are in the RAM.
  logic [PassW-1:0] until_meets;
  assign until_meets = (passes_q >> 1) + PassW'(8);

  always_ff @(posedge clk_i) begin
    if (runs_q) begin
      beat_q <= beat_q + PassW'(1);
      if (!done_row_q) begin
        high_q <= halves_q && !high_q;
        if (high_q || !halves_q) upper_q <= !upper_q && !meets_q;
        if (ends_row) begin
          row_q      <= row_q + 5'd1;
          done_row_q <= row_q == last_row_q;
        end
      end
      if (meets_q ? done_row_q : round_ends) begin
        beat_q     <= PassW'(1);
        row_q      <= '0;
        upper_q    <= 1'b0;
        high_q     <= 1'b0;
        done_row_q <= 1'b0;
        first_q    <= 1'b0;
        runs_q     <= !meets_q;
        meets_q    <= later_q == '0;
        round_q    <= lowest(later_q);
        later_q    <= later_q & (later_q - half_t'(1));
        wait_q     <= ((later_q & (later_q - half_t'(1))) == '0) ?
            ((passes_q > until_meets) ? passes_q : until_meets) : few ? Shortest : passes_q;
      end
    end
    if (valid_i && ready_o) begin
      busy_q     <= 1'b1;
      runs_q     <= 1'b0;
      group_q    <= sum_i.group;
      halves_q   <= is_half(sum_i.elem[3:0]);
      bf16_q     <= sum_i.elem[3:0] == TypeBf16;
      is_int_q   <= sum_i.elem[3:0] == TypeInt32;
      op_q       <= sum_i.elem[5:4];
      last_row_q <= sum_i.rows - 5'd1;
      passes_q   <= is_half(sum_i.elem[3:0]) ? {sum_i.rows, 2'b00} : {1'b0, sum_i.rows, 1'b0};
      child_q[0] <= sum_i.children[Half-1:0];
      child_q[1] <= sum_i.children[NumPorts-1:Half];
      // The first round is that of the second ports, whoever has a vector.
      later_q    <= (sum_i.children[Half-1:0] | sum_i.children[NumPorts-1:Half]) & ~half_t'(3);
      round_q    <= RoundW'(1);
      first_q    <= 1'b1;
      meets_q    <= 1'b0;
      row_q      <= '0;
      upper_q    <= 1'b0;
      high_q     <= 1'b0;
      done_row_q <= 1'b0;
      beat_q     <= PassW'(1);
    end else if (busy_q && first_q && !runs_q) begin
      runs_q   <= 1'b1;
      single_q <= ({child_q[1], child_q[0]} & ({child_q[1], child_q[0]} - NumPorts'(1))) == '0;
      wait_q <= (later_q == '0) ? ((passes_q > until_meets) ? passes_q : until_meets) :
          few ? Shortest : passes_q;
    end
    if (result_valid && result_last) busy_q <= 1'b0;
    if (!rst_ni) begin
      busy_q <= 1'b0;
      runs_q <= 1'b0;
    end
  end

  // The rows of a pass are those of its low half, and of both first ports.
  always_comb begin
    re_o = '0;
    for (int unsigned h = 0; h < 2; h++) begin
      for (int unsigned p = 0; p < Half; p++) begin
        re_o[h*Half+p] = pass.valid && !meets_q && !high_q && upper_q == 1'(h) && child_q[h][p] &&
            (round_q == RoundW'(p) || (first_q && p == 0));
      end
    end
  end
  assign re_group_o = group_q;
  assign re_row_o   = row_q;

  // ---------------------------------------------------------------------------------------------
  // Lanes: [n] is n cycles behind the pass; with Ecc rows come a cycle later, and all else does.

  // verilator lint_off UNUSEDSIGNAL
  pass_t p_q[12+Ecc];   // the last ones need not all of it
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i) begin
    p_q[1] <= pass;
    for (int unsigned n = 2; n < 12 + Ecc; n++) p_q[n] <= p_q[n-1];
    if (!rst_ni) for (int unsigned n = 1; n < 12 + Ecc; n++) p_q[n].valid <= 1'b0;
  end
  assign p_q[0] = pass;

  logic [BeatBits-1:0] a_row_q, b_row_q;
  lanes_t              a_lane, b_lane, a_q, b_q, total;
  lanes_t [1:0]        kept;

  always_ff @(posedge clk_i) begin
    if (p_q[3+Ecc].valid && !p_q[3+Ecc].high) begin
      a_row_q <= row_i[p_q[3+Ecc].upper ? Half : 0];
      for (int unsigned h = 0; h < 2; h++) begin
        for (int unsigned p = 1; p < Half; p++) begin
          if (p_q[3+Ecc].upper == 1'(h) && p_q[3+Ecc].round == RoundW'(p)) begin
            b_row_q <= row_i[h*Half+p];
          end
        end
      end
    end
  end

  prim_row_widen #(
    .Lanes(Lanes)
  ) u_widen_a (
    .clk_i,
    .valid_i(p_q[4+Ecc].valid && p_q[4+Ecc].first),
    .high_i (p_q[4+Ecc].high),
    .half_i (halves_q),
    .bf16_i (bf16_q),
    .row_i  (a_row_q),
    .lane_o (a_lane)
  );

  prim_row_widen #(
    .Lanes(Lanes)
  ) u_widen_b (
    .clk_i,
    .valid_i(p_q[4+Ecc].valid),
    .high_i (p_q[4+Ecc].high),
    .half_i (halves_q),
    .bf16_i (bf16_q),
    .row_i  (b_row_q),
    .lane_o (b_lane)
  );

  // Sums of rows so far, of each half. One is of use where there is one that does not come out just
  // then.
  logic [1:0]      kept_use, kept_bad;
  logic [1:0][5:0] kept_of;
  always_comb begin
    for (int unsigned h = 0; h < 2; h++) begin
      kept_use[h] = p_q[4+Ecc].meets ? (h == 0 ? p_q[4+Ecc].a : p_q[4+Ecc].b) :
          p_q[4+Ecc].a && !p_q[4+Ecc].first && !p_q[4+Ecc].forward && p_q[4+Ecc].upper == 1'(h);
    end
  end

  for (genvar h = 0; h < 2; h++) begin : gen_half
    prim_ram_checked #(
      .Width(BeatBits),
      .Depth(64),
      .Check(Ecc)
    ) u_kept (
      .clk_i,
      .we_i   (p_q[11+Ecc].valid && !p_q[11+Ecc].meets && p_q[11+Ecc].upper == 1'(h)),
      .waddr_i({p_q[11+Ecc].row, p_q[11+Ecc].high}),
      .wdata_i(total),
      .re_i   (p_q[4+Ecc].valid),
      .raddr_i({p_q[4+Ecc].row, p_q[4+Ecc].high}),
      .rdata_o(kept[h]),
      .use_i  (kept_use[h]),
      .bad_o  (kept_bad[h]),
      .at_o   (kept_of[h])
    );
  end

  always_ff @(posedge clk_i) begin
    if (p_q[5+Ecc].valid) begin
      a_q <= p_q[5+Ecc].first ? a_lane : p_q[5+Ecc].forward ? total :
          (p_q[5+Ecc].upper && !p_q[5+Ecc].meets) ? kept[1] : kept[0];
      b_q <= p_q[5+Ecc].meets ? kept[1] : b_lane;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    prim_fp32_reduce u_lane (
      .clk_i,
      .valid_i  (p_q[6+Ecc].valid),
      .is_int_i (is_int_q),
      .op_i     (op_q),
      .a_valid_i(p_q[6+Ecc].a),
      .a_i      (a_q[l]),
      .b_valid_i(p_q[6+Ecc].b),
      .b_i      (b_q[l]),
      .y_o      (total[l])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // The result.

  logic [4:0]          result_row;
  logic [BeatBits-1:0] result;

  prim_row_round #(
    .Lanes (Lanes),
    .AlongW(6)
  ) u_round (
    .clk_i,
    .rst_ni,
    .valid_i (p_q[11+Ecc].valid && p_q[11+Ecc].meets),
    .high_i  (p_q[11+Ecc].high),
    .half_i  (halves_q),
    .bf16_i  (bf16_q),
    .single_i(single_q),
    .lane_i  (total),
    .along_i ({p_q[11+Ecc].last, p_q[11+Ecc].row}),
    .valid_o (result_valid),
    .row_o   (result),
    .along_o ({result_last, result_row})
  );

  logic              re_q, use_q;
  logic [GroupW+4:0] raddr_q;
  always_ff @(posedge clk_i) begin
    re_q    <= re_i;
    use_q   <= use_i;
    raddr_q <= {re_group_i, re_row_i};
  end

  logic              row_corrected, row_bad;
  logic [GroupW+4:0] row_of;

  prim_ram_ecc_at #(
    .Width  (BeatBits),
    .Depth  (Groups * 32),
    .Latency(LowRow - 1 + Ecc),
    .Ecc    (Ecc)
  ) u_results (
    .clk_i,
    .we_i       (result_valid),
    .waddr_i    ({group_q, result_row}),
    .wdata_i    (result),
    .re_i       (re_q),
    .raddr_i    (raddr_q),
    .rdata_o    (row_o),
    .use_i      (use_q),
    .corrected_o(row_corrected),
    .bad_o      (row_bad),
    .at_o       (row_of)
  );

  if (Ecc != 0) begin : gen_memory
    rc_memory_t sums_found, kept_found;

    assign sums_found = '{corrected: row_corrected, bad: row_bad,
                          word: '{memory: MemSums, scope: OfTrees, port: '0, at: 16'(row_of)}};
    assign kept_found = '{corrected: 1'b0, bad: kept_bad != '0,
                          word: '{memory: MemSumming, scope: OfTrees, port: '0,
                                  at: 16'(kept_of[kept_bad[1]])}};

    always_ff @(posedge clk_i) memory_o <= rst_ni ? both(kept_found, sums_found) : '0;
  end else begin : gen_no_memory
    assign memory_o = '0;
    logic unused;
    assign unused = row_corrected || row_bad || row_of != '0 || kept_bad != '0 || kept_of != '0;
  end

  // The last row is written SumAfter cycles later.
  assign done_o       = p_q[9+Ecc].valid && p_q[9+Ecc].last;
  assign done_group_o = group_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A vector of nobody has no value; one that is too long would go on in another group's place.
      a_sum : assert (!(valid_i && ready_o) || (sum_i.children != '0 && sum_i.rows != '0 &&
                                                32'(sum_i.rows) <= LowRows))
      else $error("%m: %0d rows of ports %b", sum_i.rows, sum_i.children);
    end
  end

endmodule
