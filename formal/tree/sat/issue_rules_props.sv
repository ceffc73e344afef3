// sat_issue: when a packet of the children begins, who is claimed with it, how many of its rows go
// into the half rings, and who is to blame if none can, for any inputs in any cycle. What the next
// packet must be is any value (sat_cut says it). sat_issue's own proof has what this comes to.
module issue_rules_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned ResultRows = 128,
  localparam int unsigned HeldW = $clog2(ResultRows + 1),
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      open_i,
  input logic [LenW-1:0]           mtu_i,
  input sat_op_t                   op_i,
  input logic                      first_i,
  input logic                      agreed_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic [NumPorts-1:0]       owed_i,
  input logic                      ring_ready_i,
  input logic                      row_gone_i,
  input logic                      piece_ready_i,
  input logic [PortW-1:0]          port_i   // any
);

  logic [NumPorts-1:0] claim, drop, ring_children, silent, wrong_at;
  logic                ring_valid, ring_stop, piece_valid, left, wrong;
  logic [7:0]          ring_kind;
  sat_piece_t          piece;

  sat_issue #(
    .NumPorts  (NumPorts),
    .ResultRows(ResultRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .mtu_i,
    .op_i,
    .first_i,
    .agreed_i,
    .oldest_i,
    .owed_i,
    .claim_o        (claim),
    .drop_o         (drop),
    .ring_valid_o   (ring_valid),
    .ring_ready_i,
    .ring_kind_o    (ring_kind),
    .ring_children_o(ring_children),
    .ring_stop_o    (ring_stop),
    .row_gone_i,
    .piece_valid_o  (piece_valid),
    .piece_ready_i,
    .piece_o        (piece),
    .left_o         (left),
    .silent_o       (silent),
    .wrong_o        (wrong),
    .wrong_at_o     (wrong_at)
  );

  // The next packet of each child, as it must be: any, in any cycle.
  logic             known, first, last;
  logic [LenW-1:0]  len;
  logic [RowsW-1:0] rows;
  assign known = u_dut.ready;
  assign first = u_dut.first;
  assign last  = u_dut.last;
  assign len   = u_dut.len;
  assign rows  = u_dut.rows;

  // A child: what it is in the operation, what was seen of its packet a cycle ago.
  logic [NumPorts-1:0] has, comes, seen_q, fits_q, late, unfit;
  logic                bare, begun;
  assign has   = op_i.carrying[NumPorts-1:0];
  assign comes = op_i.come[NumPorts-1:0];
  assign bare  = has == '0;
  assign begun = piece_valid;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      late[p]  = has[p] && !seen_q[p];
      unfit[p] = has[p] && !fits_q[p];
    end
  end

  logic                past_q, past2_q, reset_q;
  logic [1:0]          counted_q;   // since a reset, and since a packet
  logic [RowsW-1:0]    rows_q;      // of the packet under way, not in the ring yet
  logic [HeldW-1:0]    held_q;      // begun and not gone behind the ring
  logic [NumPorts-1:0] with_q, unfit_q;
  logic [7:0]          kind_q;

  // Headers alone wait for the cycle behind the one in which all agree.
  logic may, may_q, blame, blame_q, row;
  logic waits_for_rows;     // those of a packet that is thrown away with this one are to be read
  assign waits_for_rows = first && (comes & ~has & owed_i) != '0;
  assign may   = known && late == '0 && unfit == '0 && (!bare || (op_i.valid && !agreed_i)) &&
      open_i && 32'(held_q) + MaxRows <= ResultRows && !waits_for_rows;
  assign blame = known && late == '0 && unfit != '0 && op_i.valid && open_i;
  assign row   = ring_valid && ring_ready_i;

  initial {past_q, past2_q, counted_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    past2_q <= past_q;
    reset_q <= !rst_ni;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      seen_q[p] <= oldest_i[p].valid;
      fits_q[p] <= {oldest_i[p].first, oldest_i[p].last, oldest_i[p].len} == {first, last, len};
    end
    may_q   <= may && rst_ni && !begun;
    blame_q <= blame;
    unfit_q <= unfit;
    held_q  <= held_q - HeldW'(row_gone_i);
    if (row) rows_q <= rows_q - RowsW'(1);
    if (begun && !bare) begin
      held_q       <= held_q - HeldW'(row_gone_i) + HeldW'(rows);
      rows_q       <= rows;
      with_q       <= has;
      kind_q       <= op_i.head.elem;
      counted_q[1] <= 1'b1;
    end
    if (!rst_ni) begin
      held_q       <= '0;
      rows_q       <= '0;
      counted_q[0] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // The packets begin when a cycle ago they were there, all right and with room behind the ring,
    // and rows of the packet before end now or have ended; and who makes packets behind the ring
    // takes one.
    a_begins : assert (!past2_q || !counted_q[0] || begun == (may_q && open_i && op_i.valid &&
        piece_ready_i && (rows_q == '0 || (rows_q == RowsW'(1) && row))))
    else $error("begins %b", begun);
    // With it each child that has a vector is claimed, and with the first one all others that have
    // come, whose headers alone are thrown away.
    a_claimed : assert (claim[port_i] == (begun && (has[port_i] || (first && comes[port_i]))) &&
                        drop[port_i] == (begun && first && comes[port_i] && !has[port_i]))
    else $error("claims %b, drops %b", claim, drop);
    // What is said of it is what it must be.
    a_piece : assert ({piece.first, piece.last, piece.len} == {first, last, len} &&
                      piece.bare == bare)
    else $error("a packet of %0d bytes", piece.len);
    // The ring gets rows as long as the packet has some; the last one is marked.
    a_rows : assert (!counted_q[0] || (ring_valid == (rows_q != '0) &&
                                       ring_stop == (rows_q == RowsW'(1))))
    else $error("%0d rows are left", rows_q);
    // They are of the children that had a vector when it began, of the type of then.
    a_with : assert (!counted_q[1] || (ring_children == with_q && ring_kind == kind_q))
    else $error("rows of %b", ring_children);
    // Who has a vector and shows nothing is silent.
    a_silent : assert (!past_q || silent[port_i] == (has[port_i] && !seen_q[port_i]))
    else $error("silent %b", silent);
    // A packet that is there with all others, and is not what it must be, is wrong, and whose.
    a_wrong : assert (!past2_q || wrong == (blame_q && !reset_q))
    else $error("wrong %b", wrong);
    a_wrong_at : assert (!past2_q || wrong_at[port_i] == unfit_q[port_i])
    else $error("wrong at %b", wrong_at);
    // A message begins to be cut with the first child's header, which says how long it is; headers
    // alone, when all agree. All ends with the tree.
    a_cut : assert (u_dut.u_cut.start_i == (first_i || (bare && agreed_i)) &&
                    u_dut.u_cut.step_i == begun && u_dut.u_cut.rst_ni == (rst_ni && open_i))
    else $error("cut");
    a_bytes : assert (u_dut.u_cut.bytes_i == 32'(HeadBytes) +
                      ((first_i || !bare) ? op_i.head.length : 32'd0))
    else $error("%0d bytes", u_dut.u_cut.bytes_i);
    // Packets are to be brought in as long as the message has some.
    a_left : assert (left == u_dut.some)
    else $error("left %b", left);
    // What is counted is that.
    a_count : assert (!counted_q[0] || (u_dut.left_q == rows_q && u_dut.held_q == held_q))
    else $error("%0d rows are left, %0d held", u_dut.left_q, u_dut.held_q);

    // A packet follows the one before without a hole; a packet is another's.
    c_follows : cover (counted_q[0] && begun && !bare && rows_q == RowsW'(1) && claim != drop);
    c_wrong : cover (past2_q && wrong && wrong_at == 4'b0100);
  end

endmodule
