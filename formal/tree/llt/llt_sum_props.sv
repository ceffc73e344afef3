// llt_sum: in the sum of an operation each child's row is brought in once, with what the ports
// before it in its half made of the same row, and both halves' sums meet once, when they are there.
// Of any row, half and port; what two elements make, and what rows hold, is left to tests (bit for
// bit) and to prim_fp32_reduce.
module llt_sum_props
  import roce_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  localparam int unsigned Half = NumPorts / 2
) (
  input logic     clk_i,
  input logic     rst_ni,
  input logic     valid_i,
  input low_sum_t sum_i,
  input logic [4:0]                 any_row_i,
  input logic                       any_high_i,
  input logic [$clog2(NumPorts)-1:0] any_port_i
);

  logic                ready, done;
  logic [GroupW-1:0]   done_group, re_group;
  logic [NumPorts-1:0] re;
  logic [4:0]          re_row;
  logic [BeatBits-1:0] row;

  llt_sum #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o     (ready),
    .sum_i,
    .done_o      (done),
    .done_group_o(done_group),
    .re_o        (re),
    .re_group_o  (re_group),
    .re_row_o    (re_row),
    .row_i       ('0),
    .re_i        (1'b0),
    .use_i       (1'b0),
    .re_group_i  ('0),
    .re_row_i    ('0),
    .row_o       (row),
    .memory_o    ()
  );

  // Any port, with its half; any row of the operation, and of 16-bit elements one of its two
  // passes.
  logic                        begun_q, high_q, upper, child, runs;
  logic [4:0]                  row_q;
  logic [$clog2(NumPorts)-1:0] port_q;
  logic [7:0]                  place, at, watched, since_q, former_q;   // passes; cycles
  logic                        is_pass, is_meet, brings, passed_q, used_q, met_q;

  assign upper = 32'(port_q) >= Half;
  assign place = 8'(32'(port_q) % Half);
  assign child = u_dut.child_q[upper][place[$clog2(Half)-1:0]];
  assign runs  = u_dut.runs_q;

  /// Which pass of a round it is.
  function automatic logic [7:0] order(logic [4:0] r, logic u, logic h);
    return u_dut.meets_q ? (u_dut.halves_q ? 8'({r, h}) : 8'(r)) :
        (u_dut.halves_q ? 8'({r, u, h}) : 8'({r, u}));
  endfunction

  assign at      = order(u_dut.row_q, u_dut.upper_q, u_dut.high_q);
  assign watched = u_dut.halves_q ? 8'({row_q, upper, high_q}) : 8'({row_q, upper});
  assign is_pass = u_dut.pass.valid && !u_dut.pass.meets && u_dut.pass.row == row_q &&
      u_dut.pass.upper == upper && u_dut.pass.high == high_q;
  assign is_meet = u_dut.pass.valid && u_dut.pass.meets && u_dut.pass.row == row_q &&
      u_dut.pass.high == high_q;
  // In this pass the port's row is an operand.
  assign brings  = is_pass && child &&
      (8'(u_dut.pass.round) == place || (u_dut.pass.first && place == '0));

  initial begin
    begun_q = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    // The row that is followed is chosen with the operation.
    if (valid_i && ready) begin
      row_q   <= any_row_i;
      high_q  <= any_high_i;
      port_q  <= any_port_i;
      used_q  <= 1'b0;
      met_q   <= 1'b0;
      passed_q <= 1'b0;
    end else begin
      if (brings) used_q <= 1'b1;
      if (is_meet) met_q <= 1'b1;
      if (is_pass) passed_q <= 1'b1;
    end
    since_q <= is_pass ? 8'd1 : (since_q == '1) ? since_q : since_q + 8'd1;
    if (runs && u_dut.round_ends && !u_dut.meets_q) former_q <= 8'(u_dut.wait_q);
  end

  logic in_time;   // the sum of the pass before is where this one takes it from
  always_comb begin
    in_time = 1'b1;
    for (int unsigned n = 5; n <= 11; n++) begin
      if (u_dut.p_q[n].valid && !u_dut.p_q[n].meets && u_dut.p_q[n].row == row_q &&
          u_dut.p_q[n].upper == upper && u_dut.p_q[n].high == high_q) in_time = 1'b0;
    end
  end
  logic reads, forwards, forwarded;
  assign reads     = u_dut.p_q[4].valid && !u_dut.p_q[4].first && !u_dut.p_q[4].forward &&
      (u_dut.p_q[4].meets || u_dut.p_q[4].upper == upper) && u_dut.p_q[4].row == row_q &&
      u_dut.p_q[4].high == high_q;
  assign forwards  = u_dut.p_q[5].valid && u_dut.p_q[5].forward && u_dut.p_q[5].upper == upper &&
      u_dut.p_q[5].row == row_q && u_dut.p_q[5].high == high_q;
  assign forwarded = u_dut.p_q[11].valid && !u_dut.p_q[11].meets && u_dut.p_q[11].upper == upper &&
      u_dut.p_q[11].row == row_q && u_dut.p_q[11].high == high_q;

  // Passes of a round, and how long it must be.
  logic [7:0] passes, wait_due, last_of_round;
  logic [Half-1:0] some, later_due;
  assign passes   = 8'(u_dut.passes_q);
  assign some     = (u_dut.child_q[0] | u_dut.child_q[1]) & ~Half'(3);
  always_comb begin
    for (int unsigned p = 0; p < Half; p++) later_due[p] = some[p] && p > 32'(u_dut.round_q);
  end
  assign wait_due = (u_dut.later_q == '0) ?
      ((passes > (passes >> 1) + 8'd8) ? passes : (passes >> 1) + 8'd8) :
      (passes <= 8'd6) ? 8'd6 : passes;
  assign last_of_round = passes - 8'd1;

  logic [11:1] last_on_way;
  always_comb begin
    for (int unsigned n = 1; n <= 11; n++) last_on_way[n] = u_dut.p_q[n].valid && u_dut.p_q[n].last;
  end

  logic mine;   // the row is one of the operation
  assign mine = row_q <= u_dut.last_row_q && !(high_q && !u_dut.halves_q);

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // The row that is followed is one of the operation.
    e_row : assume (!(valid_i && ready) || (any_row_i < sum_i.rows && 32'(any_port_i) < NumPorts &&
        !(any_high_i && !is_half(sum_i.elem[3:0]))));
    if (rst_ni && begun_q) begin
      // No port's row is brought into a sum twice.
      a_once : assert (!brings || !used_q)
      else $error("port %0d, row %0d, twice", port_q, row_q);
      // When both halves meet, every child's row has been brought in.
      a_all : assert (!is_meet || used_q == child)
      else $error("port %0d, row %0d, is missing", port_q, row_q);
      // They meet once.
      a_meet : assert (!is_meet || !met_q)
      else $error("row %0d is made twice", row_q);
      // A sum so far is read when it has been written, or comes out in the cycle in which it is
      // taken.
      a_in_time : assert (!reads || in_time)
      else $error("row %0d is read before it is written", row_q);
      a_forward : assert (!forwards || forwarded)
      else $error("row %0d is not there yet", row_q);
      // Helper: what runs is of an operation, which has begun, or is over but for its last sums.
      a_idle : assert ((u_dut.busy_q || !runs) &&
          (!u_dut.busy_q || runs || u_dut.first_q || u_dut.meets_q));
      if (u_dut.busy_q) begin
        // Helper: what is followed is of this operation.
        a_mine : assert (mine && 32'(port_q) < NumPorts);
        // Helper: a round has a pass for each row and half, two of 16-bit elements.
        a_passes : assert (passes == (u_dut.halves_q ? 8'({u_dut.last_row_q, 2'b00}) + 8'd4 :
            8'({u_dut.last_row_q, 1'b0}) + 8'd2) && 32'(u_dut.last_row_q) < LowRows);
      end
      if (u_dut.busy_q && !u_dut.meets_q) begin
        // Helper: rounds go through the ports in their order.
        a_later : assert (u_dut.later_q == later_due && 32'(u_dut.round_q) < Half &&
            u_dut.round_q != '0);
      end
      if (runs) begin
        // Helper: a pass is one of the round.
        a_at : assert (u_dut.done_row_q || (u_dut.row_q <= u_dut.last_row_q &&
            !(u_dut.high_q && !u_dut.halves_q) && !(u_dut.meets_q && u_dut.upper_q)));
        // Helper: passes follow each other from the first cycle of a round on.
        a_beat : assert (u_dut.done_row_q || 8'(u_dut.beat_q) == at + 8'd1);
      end
      if (runs && !u_dut.meets_q) begin
        // Helper: a round is as long as it must be.
        a_wait : assert (8'(u_dut.wait_q) == wait_due && 8'(u_dut.beat_q) <= wait_due &&
            (!u_dut.done_row_q || 8'(u_dut.beat_q) > passes) &&
            (u_dut.round_q == '0 || u_dut.first_q == (u_dut.round_q == 1)));
        // Helper: a port is brought in with its round.
        a_used : assert (used_q == (child && (place < 8'(u_dut.round_q) ||
            (place == 8'(u_dut.round_q) && 8'(u_dut.beat_q) > watched + 8'd1)) &&
            !(u_dut.first_q && 8'(u_dut.beat_q) <= watched + 8'd1)));
        // Helper: the round before was as long as it had to be.
        a_former : assert (u_dut.first_q || former_q == ((passes <= 8'd6) ? 8'd6 : passes));
        // Helper: the row has had a pass since the first round.
        a_passed : assert (passed_q == (!u_dut.first_q || 8'(u_dut.beat_q) > watched + 8'd1));
        // Helper: its last pass is as long ago as rounds are.
        a_since : assert (!passed_q || since_q == ((8'(u_dut.beat_q) > watched + 8'd1) ?
            8'(u_dut.beat_q) - watched - 8'd1 : former_q + 8'(u_dut.beat_q) - watched - 8'd1));
        // Helper: halves meet in the last round.
        a_not_met : assert (!met_q);
      end
      if (runs && u_dut.meets_q) begin
        // Helper: behind all others.
        a_meets : assert (used_q == child && passed_q && !u_dut.first_q && u_dut.later_q == '0 &&
            former_q == ((passes > (passes >> 1) + 8'd8) ? passes : (passes >> 1) + 8'd8));
        // Helper: its last pass is as long ago as rounds are.
        a_met_since : assert (since_q == former_q + 8'(u_dut.beat_q) - watched - 8'd1);
        // Helper: once.
        a_met : assert (met_q == (8'(u_dut.beat_q) > order(row_q, 1'b0, high_q) + 8'd1));
      end
      // Helper: an operation's last pass is behind all others, and nothing runs any more when it is
      // through.
      a_last : assert ((last_on_way == '0 || (u_dut.busy_q && !u_dut.first_q)) &&
          (last_on_way[11:2] == '0 || !runs) &&
          (!last_on_way[1] || !runs || (u_dut.meets_q && u_dut.done_row_q)) &&
          $onehot0(last_on_way));
      if (u_dut.busy_q && !runs && u_dut.first_q) begin
        // Helper: an operation begins with nothing of the one before.
        a_start : assert (!used_q && !passed_q && !met_q && u_dut.round_q == 1 &&
            !u_dut.meets_q && u_dut.beat_q == 1 &&
            u_dut.row_q == '0 && !u_dut.upper_q && !u_dut.high_q && !u_dut.done_row_q);
      end
      // A port in the last place of its half is brought in, and both halves meet behind it.
      c_all : cover (is_meet && child && 32'(place) == Half - 1 && u_dut.halves_q);
    end
  end

endmodule
