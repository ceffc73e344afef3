// sat_cut, sat_claims and sat_room: what the small parts of a streaming tree say that count: where
// the next packet of a message ends, which rows of a queue are still to be read, and which ports
// have room behind what is on its way to them. Whatever is asked of them.
module claim_cuts_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned RoomLate = 3
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      start_i,
  input logic [31:0]               bytes_i,
  input logic [LenW-1:0]           mtu_i,
  input logic                      step_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic [NumPorts-1:0]       row_re_i,
  input logic [NumPorts-1:0]       claim_i,
  input logic [NumPorts-1:0]       drop_i,
  input logic [NumPorts-1:0]       room_i,
  input logic [NumPorts-1:0]       begun_i,
  input logic [NumPorts-1:0]       counted_i
);

  logic                      some, ready, first, last;
  logic [LenW-1:0]           len;
  logic [RowsW-1:0]          rows;
  logic [NumPorts-1:0]       claim, claim_drop, owed, room;
  rc_packet_t [NumPorts-1:0] oldest;

  sat_cut u_cut (
    .clk_i,
    .rst_ni,
    .start_i,
    .bytes_i,
    .mtu_i,
    .step_i,
    .some_o (some),
    .ready_o(ready),
    .first_o(first),
    .last_o (last),
    .len_o  (len),
    .rows_o (rows)
  );

  sat_claims #(
    .NumPorts(NumPorts)
  ) u_claims (
    .clk_i,
    .rst_ni,
    .oldest_i,
    .claim_o     (claim),
    .claim_drop_o(claim_drop),
    .row_re_i,
    .oldest_o    (oldest),
    .claim_i,
    .drop_i,
    .owed_o      (owed)
  );

  sat_room #(
    .NumPorts(NumPorts),
    .RoomLate(RoomLate)
  ) u_room (
    .clk_i,
    .rst_ni,
    .room_i,
    .begun_i,
    .counted_i,
    .room_o(room)
  );

  // ---------------------------------------------------------------------------------------------
  // The message: its bytes, and how many of them are in packets that are used up.

  logic            known_q, begun_q, was_reset_q;
  logic [31:0]     bytes_q, used_q, left, left_q;
  logic [LenW-1:0] mtu_q;
  logic [2:0]      moves_q;   // a start or a step, one, two and three cycles ago
  logic            start_q, step_q, some_q, first_q, last_q;
  initial {known_q, begun_q} = '0;
  assign left = bytes_q - used_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) known_q <= 1'b1;
    was_reset_q <= !rst_ni;
    if (step_i) used_q <= used_q + 32'(len);
    if (start_i) begin
      bytes_q <= bytes_i;
      used_q  <= '0;
      if (known_q) begun_q <= 1'b1;
    end
    {left_q, mtu_q}  <= {left, mtu_i};
    moves_q          <= {moves_q[1:0], start_i || step_i};
    {start_q, step_q} <= {start_i, step_i};
    {some_q, first_q, last_q} <= {some, first, last};
  end

  logic there_q;   // a message has begun, and what is made of it is registered
  initial there_q = 1'b0;
  always_ff @(posedge clk_i) there_q <= begun_q;

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // What is not used up is left.
      a_left : assert (u_cut.left_q == left)
      else $error("%0d bytes are left, not %0d", left, u_cut.left_q);
      // The first packet is that of the start, until it is used.
      a_first : assert (first == (start_q || (!step_q && first_q)))
      else $error("first %b", first);
      // The packet is known three cycles behind a start or a step.
      a_ready : assert (ready == (some && moves_q[1:0] == '0))
      else $error("ready %b", ready);
    end
    if (there_q) begin
      // A packet has as many bytes as the MTU allows,
      a_len : assert (len == mtu_q || left_q < 32'(mtu_q))
      else $error("%0d bytes of %0d", len, left_q);
      // or all that is left: it is the last one.
      a_last : assert (last == (left_q <= 32'(mtu_q)) && (!last || 32'(len) == left_q))
      else $error("last %b, %0d bytes of %0d", last, len, left_q);
    end
    if (known_q) begin
      // There is a packet from a start on, and behind one that is used if it was not the last.
      a_some : assert (some == (!was_reset_q && (start_q || (step_q ? !last_q : some_q))))
      else $error("some %b", some);
    end
    // Its rows hold it, and not a row less does.
    a_rows : assert (32'(len) > 4096 ||
                     (64 * 32'(rows) >= 32'(len) && 64 * 32'(rows) < 32'(len) + 64))
    else $error("%0d rows for %0d bytes", rows, len);

    // A packet that is not the last one, and a row of it less would not do.
    c_long : cover (there_q && ready && !last && 32'(len) == 32'd256 && rows == RowsW'(4));
    // A packet is claimed while rows of another queue are owed.
    c_both : cover (known_q && owed[0] && claim[3] && oldest[1].valid && room[2]);
  end

  // ---------------------------------------------------------------------------------------------
  // Queues and buffers.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [8:0] brought_q, read_q;   // rows that were claimed, and rows that were asked for
    logic       sane_q;              // no packet was longer than packets are
    logic       claim_q, drop_q, owes_q, room_q, begun_now_q, way_q;
    logic [RoomLate-1:0] counted_q;
    always_ff @(posedge clk_i) begin
      {claim_q, drop_q} <= {claim_i[p], drop_i[p]};
      owes_q            <= brought_q != read_q || claim[p];
      read_q            <= read_q + 9'(row_re_i[p]);
      if (claim[p] && !claim_drop[p]) begin
        brought_q <= brought_q + 9'(oldest_i[p].len[LenW-1:6]) + 9'(oldest_i[p].len[5:0] != '0);
      end
      if (32'(oldest_i[p].len) > 4096) sane_q <= 1'b0;
      // Of the buffer: a packet is on its way from its beginning to the row that counts.
      room_q <= room_i[p];
      begun_now_q <= begun_i[p];
      if (begun_i[p]) way_q <= 1'b1;
      else if (counted_i[p]) way_q <= 1'b0;
      counted_q <= {counted_q[RoomLate-2:0], counted_i[p]};
      if (!rst_ni) begin
        {brought_q, read_q} <= '0;
        sane_q              <= 1'b1;
        way_q               <= 1'b0;
        counted_q           <= '0;
      end
    end
    logic way_was_q;
    always_ff @(posedge clk_i) way_was_q <= way_q;

    always_ff @(posedge clk_i) begin
      if (known_q) begin
        // A claim is told in the next cycle, with what is to become of it.
        a_claim : assert ({claim[p], claim_drop[p]} == (was_reset_q ? 2'b00 : {claim_q, drop_q}))
        else $error("port %0d: claim %b", p, claim[p]);
        // Rows are owed from a claim on, and until a cycle behind the last one of what was claimed
        // and is not thrown away.
        a_owed : assert (!sane_q || owed[p] == (claim[p] || (!was_reset_q && owes_q)))
        else $error("port %0d: owed %b", p, owed[p]);
        // So many of them.
        a_count : assert (!sane_q || u_claims.owed_q[p] == 9'(brought_q - read_q))
        else $error("port %0d: %0d rows are owed", p, u_claims.owed_q[p]);
        // A packet is on its way from its beginning until it is counted.
        a_way : assert (u_room.way_q[p] == way_q)
        else $error("port %0d: on its way %b", p, way_q);
        // A port has room if its buffer had in the cycle before, no packet was on its way there or
        // began, and none was counted in that cycle and those in which the buffer is behind.
        a_room : assert (room[p] == (!was_reset_q && room_q && !way_was_q && !begun_now_q &&
                                     counted_q == '0))
        else $error("port %0d: room %b", p, room[p]);
      end
      // The oldest packet is shown as it is, but not while its claim is told.
      a_oldest : assert (oldest[p] == {oldest_i[p].valid && !claim[p],
                                       oldest_i[p][$bits(rc_packet_t)-2:0]})
      else $error("port %0d: another packet", p);
    end
  end

endmodule
