// Makes packets of the rows behind the half rings: to the parent, or, where the operation turns
// round, to all children that want the result.
//
// A packet begins when all ports that it goes to have room, and claims it; then its rows leave as
// they come, with the header of this node in front of the first. With the last packet those who
// want no result hear by a header alone that it is done. A port is left to the parent's packets as
// long as one of them is on its way there. Whoever waits for room holds up the ring's rows behind
// it, and in the end the children; nobody else. What a packet needs is looked at a cycle before it
// begins; it stays true until then, but for room.
module sat_emit
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Packets that wait, 2 or more.
  parameter int unsigned Pieces = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // verilator lint_off UNUSEDSIGNAL
  input sat_op_t             op_i,       // the operation under way; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [NumPorts-1:0] parent_i,   // the parent's port, one-hot, or zero

  // Packets of the sum, in the order in which they are to leave.
  input  logic       piece_valid_i,
  output logic       piece_ready_o,
  input  sat_piece_t piece_i,
  // Rows behind the ring.
  input  logic         row_valid_i,
  output logic         row_ready_o,
  input  logic [511:0] row_i,
  input  logic         row_stop_i,   // the last row of a packet

  // Ports whose send buffer has room for a packet, and those that a packet from above goes to.
  input  logic [NumPorts-1:0] room_i,
  input  logic [NumPorts-1:0] taken_i,
  // With `risen_o` a packet begins at these ports; `head_to_o` of them get a header alone, now.
  output logic [NumPorts-1:0] soon_o,
  output logic [NumPorts-1:0] head_to_o,
  output sat_head_t           head_o,
  output logic                risen_o,   // pulse: a packet begins,
  output logic                last_o,    // the last one of its message
  output logic                column_o,  // pulse: a packet with elements of the vector begins
  output logic                waits_o,   // a packet waits for room, or will

  output logic [NumPorts-1:0] to_o,      // ports that the packet under way goes to
  output rc_pkg::rc_row_t     row_o
);

  typedef logic [NumPorts-1:0] ports_t;

  sat_piece_t piece;
  logic       piece_valid, go, ends, free, may_q;
  ports_t     data_to, head_to, need_q;
  sat_head_t  head;

  prim_fifo #(
    .T    (sat_piece_t),
    .Depth(Pieces)
  ) u_pieces (
    .clk_i,
    .rst_ni,
    .in_valid_i (piece_valid_i),
    .in_ready_o (piece_ready_o),
    .in_i       (piece_i),
    .out_valid_o(piece_valid),
    .out_ready_i(go),
    .out_o      (piece),
    // verilator lint_off PINCONNECTEMPTY
    .count_o    ()
    // verilator lint_on PINCONNECTEMPTY
  );

  always_comb begin
    data_to = op_i.wanting[NumPorts-1:0];
    head_to = piece.last ? op_i.come[NumPorts-1:0] & ~data_to : '0;
    head    = answer_of(op_i.head, 1'b1);
    if (op_i.up) begin
      data_to = piece.bare ? '0 : parent_i;
      head_to = piece.bare ? parent_i : '0;
      head    = op_i.head;
    end
  end

  // What is under way.
  logic            busy_q, start_q, first_q, end_q;
  ports_t          to_q;
  logic [LenW-1:0] len_q;
  sat_head_t       head_q;

  assign ends    = busy_q && row_valid_i && row_stop_i;
  assign free    = !busy_q || ends;

  sat_free #(
    .NumPorts(NumPorts)
  ) u_free (
    .may_i (may_q && free),
    .need_i(need_q),
    .room_i,
    .taken_i,
    .go_o  (go)
  );

  assign waits_o = piece_valid;

  assign soon_o    = may_q ? need_q : '0;
  assign head_to_o = go ? head_to : '0;
  assign risen_o   = go;
  assign column_o  = go && !piece.bare;
  assign last_o    = piece.last;
  always_comb begin
    // One that goes up says what all below want; whoever wants nothing gets no vector.
    head_o = head;
    if (!op_i.up) head_o.flags = '0;
  end

  always_ff @(posedge clk_i) begin
    may_q  <= piece_valid && (head_to & to_o) == '0;
    need_q <= data_to | head_to;
    if (!rst_ni || go) may_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      busy_q  <= !piece.bare;
      start_q <= 1'b1;
      to_q    <= data_to;
      first_q <= piece.first;
      end_q   <= piece.last;
      len_q   <= piece.len;
      head_q  <= head;
    end else begin
      if (busy_q && row_valid_i) start_q <= 1'b0;
      if (ends) busy_q <= 1'b0;
    end
    if (!rst_ni) busy_q <= 1'b0;
  end

  assign to_o        = busy_q ? to_q : '0;
  assign row_ready_o = busy_q;
  always_comb begin
    row_o       = '0;
    row_o.valid = busy_q && row_valid_i;
    row_o.start = start_q;
    row_o.stop  = row_stop_i;
    row_o.first = first_q;
    row_o.last  = end_q;
    row_o.len   = len_q;
    row_o.row   = row_i;
    if (first_q && start_q) row_o.row[HeadBits-1:0] = turned(head_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each port's packet is at least one row, and starts with the first.
      a_rows : assert (!row_valid_i || busy_q || piece_valid)
      else $error("%m: a row of no packet");
    end
  end

endmodule
