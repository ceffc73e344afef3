// sat_emit: which packets leave, where to, when they begin, and what their rows are, whatever waits
// in the queue of packets in front of it (`cuts` of the task: prim_fifo has a proof of its own).
module emit_packets_props
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input sat_op_t             op_i,
  input logic [NumPorts-1:0] parent_i,
  input logic                piece_valid_i,
  input sat_piece_t          piece_i,
  input logic                row_valid_i,
  input logic [511:0]        row_i,
  input logic                row_stop_i,
  input logic [NumPorts-1:0] room_i,
  input logic [NumPorts-1:0] taken_i,
  input logic [PortW-1:0]    port_i,   // any
  input logic [4:0]          byte_i    // any
);

  logic                piece_ready, row_ready, risen, last, column, waits;
  logic [NumPorts-1:0] soon, head_to, to;
  sat_head_t           head;
  rc_pkg::rc_row_t     row;

  sat_emit #(
    .NumPorts(NumPorts),
    .Pieces  (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .op_i,
    .parent_i,
    .piece_valid_i,
    .piece_ready_o(piece_ready),
    .piece_i,
    .row_valid_i,
    .row_ready_o  (row_ready),
    .row_i,
    .row_stop_i,
    .room_i,
    .taken_i,
    .soon_o       (soon),
    .head_to_o    (head_to),
    .head_o       (head),
    .risen_o      (risen),
    .last_o       (last),
    .column_o     (column),
    .waits_o      (waits),
    .to_o         (to),
    .row_o        (row)
  );

  sat_piece_t piece;   // the oldest one that waits, if there is one
  logic       some;
  assign piece = u_dut.u_pieces.out_o;
  assign some  = u_dut.u_pieces.out_valid_o;

  // What it is for each port: its rows, or a header alone. Upwards all goes to the parent; what
  // turns round goes to those who want it, and the last header to all others.
  typedef logic [NumPorts-1:0] ports_t;
  ports_t rows_to, alone_to;
  always_comb begin
    for (int p = 0; p < NumPorts; p++) begin
      if (op_i.up) begin
        rows_to[p]  = !piece.bare && parent_i[p];
        alone_to[p] = piece.bare && parent_i[p];
      end else begin
        rows_to[p]  = op_i.wanting[p];
        alone_to[p] = piece.last && op_i.come[p] && !op_i.wanting[p];
      end
    end
  end

  // A header says which way it goes, and that the vector follows.
  sat_head_t with_rows, alone;
  always_comb begin
    with_rows = op_i.head;
    if (!op_i.up) begin
      with_rows.kind          = KindDown;
      with_rows.flags         = '0;
      with_rows.flags.carries = 1'b1;
    end
    alone = with_rows;
    if (!op_i.up) alone.flags = '0;
  end

  // In the cycle before; the header of the packet that began last.
  typedef struct packed {
    logic            reset, some, mixes, risen, ready, ends, valid;
    ports_t          rows_to, alone_to, to;
    sat_piece_t      piece;
    rc_pkg::rc_row_t row;
  } was_t;
  was_t      w;
  logic      there_q, began_q, may;
  sat_head_t head_q;
  initial {there_q, began_q} = '0;
  always_ff @(posedge clk_i) begin
    there_q <= 1'b1;
    w <= '{reset: !rst_ni, some: some, mixes: (alone_to & to) != '0, risen: risen,
           ready: row_ready, ends: row_valid_i && row_stop_i, valid: row_valid_i,
           rows_to: rows_to, alone_to: alone_to, to: to, piece: piece, row: row};
    if (risen) begin
      began_q <= 1'b1;
      head_q  <= with_rows;
    end
  end
  // A packet is there, and was not the one that began.
  assign may = w.some && !w.reset && !w.risen && !w.mixes;

  always_ff @(posedge clk_i) begin
    // The queue takes what comes, and gives a packet away as it begins.
    a_queue : assert ({u_dut.u_pieces.in_valid_i, u_dut.u_pieces.in_i, u_dut.u_pieces.rst_ni,
                       u_dut.u_pieces.out_ready_i} == {piece_valid_i, piece_i, rst_ni, risen})
    else $error("the queue is asked for something else");
    a_ready : assert (piece_ready == u_dut.u_pieces.in_ready_o)
    else $error("ready %b", piece_ready);
    // A packet that is there waits, whatever for.
    a_waits : assert (waits == some)
    else $error("waits %b", waits);
    // What begins is a column if it has rows; it is the last one of its message if it says so.
    a_column : assert (column == (risen && !piece.bare) && last == piece.last)
    else $error("column %b, last %b", column, last);
    // With a packet its headers alone leave: at the parent if it is one, else, with the last one,
    // at all who have come and want no result.
    a_alone : assert (head_to[port_i] == (risen && alone_to[port_i]))
    else $error("port %0d: %b", port_i, head_to[port_i]);
    // Their header is the sum's, or an answer without a vector.
    a_header : assert (head == alone)
    else $error("header %h", head);
    if (there_q) begin
      // All ports that it goes to are known a cycle before it begins; none while a header alone
      // would leave where a packet is under way.
      a_soon : assert (soon[port_i] == (may && (w.rows_to[port_i] || w.alone_to[port_i])))
      else $error("port %0d: %b", port_i, soon[port_i]);
      // It begins when the one before has ended, or ends now, and all its ports have room and are
      // free.
      a_rises : assert (risen == (may && (!row_ready || (row_valid_i && row_stop_i)) &&
                                  ((w.rows_to | w.alone_to) & ~room_i) == '0 &&
                                  ((w.rows_to | w.alone_to) & taken_i) == '0))
      else $error("risen %b", risen);
      // Rows are taken from the beginning of a packet that has some until its last one.
      a_takes : assert (row_ready == (!w.reset && (w.risen ? !w.piece.bare :
                                                   (w.ready && !w.ends))))
      else $error("ready %b", row_ready);
      // Meanwhile the packet is under way to the same ports, and else to none.
      a_to : assert (to[port_i] == (row_ready && (w.risen ? w.rows_to[port_i] : w.to[port_i])))
      else $error("port %0d: %b", port_i, to[port_i]);
      // Its first row starts it, and no other one does.
      a_start : assert (row.start == (w.risen || (w.row.start && !(w.ready && w.valid))))
      else $error("start %b", row.start);
      // Its rows say what it is as long as it lasts.
      a_fields : assert ({row.first, row.last, row.len} ==
                         (w.risen ? {w.piece.first, w.piece.last, w.piece.len} :
                          {w.row.first, w.row.last, w.row.len}))
      else $error("a packet of %0d bytes", row.len);
    end
    // Rows leave in the cycle in which they come.
    a_row : assert (row.valid == (row_ready && row_valid_i) && row.stop == row_stop_i &&
                    row.row[511:256] == row_i[511:256])
    else $error("row %h", row.row);
    // The header of its beginning is kept for the first row,
    a_kept : assert (!began_q || u_dut.head_q == head_q)
    else $error("header %h", u_dut.head_q);
    // and its bytes, the first one in front, take the place of those that the ring has added.
    a_bytes : assert (!began_q || row.row[8*byte_i+:8] == ((row.start && row.first) ?
                                                           head_q[255-8*byte_i-:8] :
                                                           row_i[8*byte_i+:8]))
    else $error("byte %0d is %h", byte_i, row.row[8*byte_i+:8]);

    // A packet begins as one ends; the last one with headers alone for two others.
    c_next : cover (there_q && !w.reset && row_ready && risen && !piece.bare);
    c_alone : cover (risen && $countones(head_to) == 2 && rows_to != '0);
  end

endmodule
