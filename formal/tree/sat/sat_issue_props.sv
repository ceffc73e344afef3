// sat_issue: a packet of a child goes into the half rings once, as a whole, row by row together
// with the packet of every other child that has a vector, and all of them are claimed at once; what
// is brought in has room behind the ring.
module sat_issue_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned ResultRows = 128
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
  input logic [1:0]                watched_i
);

  logic [NumPorts-1:0] claim, drop, ring_children, carrying, come;
  logic                ring_valid, ring_stop, piece_valid;
  sat_piece_t          piece;
  logic [LenW-1:0]     mtu_q;   // any, as long as the tree lasts

  sat_issue #(
    .NumPorts  (NumPorts),
    .ResultRows(ResultRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .mtu_i          (mtu_q),
    .op_i,
    .first_i,
    .agreed_i,
    .oldest_i,
    .owed_i,
    .claim_o        (claim),
    .drop_o         (drop),
    .ring_valid_o   (ring_valid),
    .ring_ready_i,
    .ring_kind_o    (),
    .ring_children_o(ring_children),
    .ring_stop_o    (ring_stop),
    .row_gone_i,
    .piece_valid_o  (piece_valid),
    .piece_ready_i,
    .piece_o        (piece),
    .left_o         (),
    .silent_o       (),
    .wrong_o        (),
    .wrong_at_o     ()
  );

  assign carrying = op_i.carrying[NumPorts-1:0];
  assign come     = op_i.come[NumPorts-1:0];

  // One port is followed; what holds for any one holds for all.
  logic                      begun_q;
  logic [1:0]                watched_q;
  rc_packet_t [NumPorts-1:0] before_q;
  logic [NumPorts-1:0]       kept_q;     // was there and not claimed
  logic [NumPorts-1:0]       inside_q;   // who is in the sum under way
  logic [RowsW-1:0]          due_q;      // rows of the watched child's packet to go into the ring
  logic [RowsW-1:0]          rows;
  logic [8:0]                behind_q;   // rows that went in and have not left behind the ring
  logic [NumPorts-1:0]       changed;
  logic                      row, whole;
  rc_packet_t                mine;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      changed[p] = kept_q[p] && open_i && u_dut.some && carrying[p] &&
          (!oldest_i[p].valid || oldest_i[p] != before_q[p]);
    end
  end

  assign mine  = oldest_i[watched_q];
  assign rows  = RowsW'((mine.len + LenW'(63)) >> 6);
  assign row   = ring_valid && ring_ready_i;
  assign whole = claim[watched_q] && !drop[watched_q];

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) watched_q <= watched_i;
    if (!begun_q) mtu_q <= mtu_i;
    before_q <= oldest_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      kept_q[p] <= rst_ni && oldest_i[p].valid && !claim[p];
    end
    if (row) due_q <= (due_q == '0) ? '0 : due_q - RowsW'(1);
    if (whole) due_q <= rows;
    if (claim != '0) inside_q <= claim & ~drop;
    behind_q <= behind_q + 9'(row) - 9'(row_gone_i);
    if (!rst_ni) begin
      due_q    <= '0;
      inside_q <= '0;
      behind_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // A packet has 4096 bytes at most.
    e_length : assume (!begun_q || (mtu_q != '0 && mtu_q <= LenW'(4096)));
    // A row leaves behind the ring that went into it.
    e_gone : assume (!row_gone_i || behind_q != '0);
    // While packets of an operation are to be brought in, what is shown of a child that has a
    // vector in it stays until it is claimed; what is thrown away is of others.
    e_stays : assume (changed == '0);
    if (rst_ni && begun_q) begin
      // The packets of all children that have a vector are claimed at once, and headers alone with
      // the first.
      a_together : assert (claim == '0 || (claim == (carrying | drop) &&
          drop == (piece.first ? come & ~carrying : '0)))
      else $error("claims %b", claim);
      // Only what is there is claimed.
      a_there : assert (!whole || mine.valid)
      else $error("port %0d has none", watched_q);
      // A packet begins behind the last row of the one before.
      a_behind : assert (!whole || due_q == '0 || (due_q == RowsW'(1) && row))
      else $error("%0d rows are left", due_q);
      // All rows of a packet go in, and no more; each with those of all others that were claimed
      // with it.
      a_rows : assert (!inside_q[watched_q] || (ring_valid == (due_q != '0) &&
          (!ring_valid || ring_children == inside_q)))
      else $error("%0d rows are left, ring %b", due_q, ring_valid);
      // The last one is marked.
      a_stop : assert (!ring_valid || !inside_q[watched_q] || ring_stop == (due_q == RowsW'(1)))
      else $error("%0d rows are left", due_q);
      // What is said of a packet behind the ring is what it is.
      a_piece : assert (!whole || (piece_valid && !piece.bare && piece.first == mine.first &&
          piece.last == mine.last && piece.len == mine.len))
      else $error("a packet of %0d bytes", mine.len);
      // Rows that are brought in yet are those of the packet under way; what has room is what was
      // begun.
      a_left : assert ((inside_q[watched_q] ? u_dut.left_q == due_q : due_q == '0) &&
          9'(u_dut.held_q) == behind_q + 9'(u_dut.left_q) && 32'(u_dut.left_q) <= MaxRows)
      else $error("%0d rows are left", u_dut.left_q);
      // Rows on their way have room behind the ring.
      a_room : assert (32'(behind_q) <= ResultRows)
      else $error("%0d rows", behind_q);
      // A packet follows the one before without a hole.
      c_follows : cover (whole && due_q == RowsW'(1) && row && $countones(inside_q) > 1);
      // Headers alone become one.
      c_bare : cover (piece_valid && piece.bare);
    end
  end

endmodule
