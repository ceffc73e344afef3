// sat_fall: when a packet of the parent goes down and to whom, whether it is what it should be, and
// which of its rows goes where (docs/tree.md).
//
// Where the sum's packets are cut is left out of the circuit and free (`cuts` of the task), so this
// holds wherever that is. sat_cut has proofs of its own.
module fall_rows_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic                                open_i,
  input logic [LenW-1:0]                     mtu_i,
  input logic [NumPorts-1:0]                 parent_i,
  input sat_op_t                             op_i,
  input logic                                agreed_i,
  input logic                                risen_i,
  input logic                                risen_last_i,
  input rc_packet_t [NumPorts-1:0]           oldest_i,
  input logic [NumPorts-1:0]                 owed_i,
  input logic [NumPorts-1:0][RcRowBits-1:0]  row_i,
  input logic [NumPorts-1:0]                 room_i,
  input logic [NumPorts-1:0]                 taken_i
);

  typedef logic [NumPorts-1:0] ports_t;

  logic      all_risen, fallen, last, wrong, silent, is_q, rst_n;
  ports_t    claim, drop, row_re, soon, head_to, to, row_to;
  sat_head_t head;
  rc_row_t   row;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && is_q;

  sat_fall #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .open_i,
    .mtu_i,
    .parent_i,
    .op_i,
    .agreed_i,
    .risen_i,
    .risen_last_i,
    .all_risen_o (all_risen),
    .oldest_i,
    .owed_i,
    .claim_o     (claim),
    .drop_o      (drop),
    .row_re_o    (row_re),
    .row_i,
    .room_i,
    .taken_i,
    .soon_o      (soon),
    .head_to_o   (head_to),
    .head_o      (head),
    .fallen_o    (fallen),
    .last_o      (last),
    .wrong_o     (wrong),
    .silent_o    (silent),
    .to_o        (to),
    .row_to_o    (row_to),
    .row_o       (row)
  );

  // The next packet of the sum, as it is cut.
  logic             some, ready, cut_first, cut_last;
  logic [LenW-1:0]  cut_len;
  logic [RowsW-1:0] cut_rows;
  assign some      = u_dut.u_cut.some_o;
  assign ready     = u_dut.u_cut.ready_o;
  assign cut_first = u_dut.u_cut.first_o;
  assign cut_last  = u_dut.u_cut.last_o;
  assign cut_len   = u_dut.u_cut.len_o;
  assign cut_rows  = u_dut.u_cut.rows_o;

  // Who wants the result, and who gets a header with the last packet: the group's other children.
  ports_t wants, others;
  logic   nobody;
  assign wants  = op_i.wanting[NumPorts-1:0];
  assign others = cut_last ? op_i.come[NumPorts-1:0] & ~wants : '0;
  assign nobody = wants == '0;

  // ---------------------------------------------------------------------------------------------
  // The parent's oldest packet: as it was a cycle ago, and two cycles ago, if nothing was claimed
  // since.

  rc_packet_t          of_parent, came_q;
  logic                came2_q, first2_q, last2_q, answers, answers_q;
  logic [LenW-1:0]     len2_q;
  logic [31:0][7:0]    came;   // its first bytes
  assign came = came_q.head;
  always_comb begin
    of_parent = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (parent_i[p]) of_parent = oldest_i[p];
  end

  // It answers if it has a header, of what goes down, well, to this group's operation, and says
  // that a vector follows where somebody wants it.
  always_comb begin
    answers = 1'b1;
    if (came_q.len < 13'd32) answers = 1'b0;
    if ({came[0], came[1], came[2], came[3]} != 32'h5472_6565) answers = 1'b0;
    if (came[4] != 8'd2 || came[5] > 8'd5 || came[24] != 8'd0) answers = 1'b0;
    if (came[7][7:2] != '0 || came[7][0] != !nobody) answers = 1'b0;
    if ({came[10], came[11]} != op_i.head.group) answers = 1'b0;
    if ({came[12], came[13], came[14], came[15]} != op_i.head.sequence_no) answers = 1'b0;
    if ({came[16], came[17], came[18], came[19]} != op_i.head.length) answers = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What the parent may send: an answer goes down behind the sum's packet, or, where it is a header
  // alone, behind all of them.

  logic [23:0] ahead_q;
  logic        all_q, due, amiss, wrong_q, may_q;
  ports_t      need_q;
  always_comb begin
    due   = op_i.valid && op_i.up && some && (all_q || (!nobody && ahead_q != '0));
    amiss = last2_q != cut_last || len2_q != cut_len || (cut_first && !(answers_q && first2_q));
  end

  // ---------------------------------------------------------------------------------------------
  // Rows of a packet: so many, and which one is read. What was read one to three cycles ago.

  typedef struct packed {
    logic            start, stop, first, last;
    logic [LenW-1:0] len;
    ports_t          to;
  } piece_t;
  logic [RowsW-1:0] rows_q, next_q;
  piece_t           piece_q;     // the packet
  logic             reads, sound_q, goes;
  logic [3:1]       read_q;
  piece_t [3:1]     was_q;
  ports_t           asks_q, under_way;
  logic [RcRowBits-1:0] here;
  assign reads = next_q != rows_q;
  assign goes  = open_i && may_q && (need_q & ~room_i) == '0 && (need_q & taken_i) == '0;
  always_comb begin
    under_way = reads ? piece_q.to : '0;
    for (int unsigned n = 1; n <= 3; n++) if (read_q[n]) under_way |= was_q[n].to;
    here = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (parent_i[p]) here = row_i[p];
  end

  initial {is_q, sound_q} = '0;
  always_ff @(posedge clk_i) begin
    is_q <= 1'b1;
    if (parent_i != '0) came_q <= of_parent;
    came_q.valid <= rst_n && open_i && !fallen && of_parent.valid;
    came2_q      <= rst_n && open_i && !fallen && came_q.valid;
    answers_q    <= answers;
    {first2_q, last2_q, len2_q} <= {came_q.first, came_q.last, came_q.len};

    if (agreed_i || !rst_n) {ahead_q, all_q} <= '0;
    else begin
      if (op_i.up) ahead_q <= ahead_q + 24'(risen_i) - 24'(fallen);
      if (risen_i && risen_last_i) all_q <= 1'b1;
    end

    wrong_q <= rst_n && open_i && came2_q && (!due || (ready && amiss));
    // It may begin where what is read is at its last row then, where no header would overtake what
    // is under way, and a header alone where nothing is owed to the parent.
    may_q   <= rst_n && !fallen && open_i && came2_q && due && ready && !amiss &&
        rows_q - next_q <= RowsW'(2) && (others & under_way) == '0 &&
        !(nobody && (owed_i & parent_i) != '0);
    need_q  <= wants | others;

    asks_q   <= (rst_n && reads) ? parent_i : '0;
    read_q   <= {read_q[2:1], reads};
    was_q[3] <= was_q[2];
    was_q[2] <= was_q[1];
    was_q[1] <= '{start: next_q == '0, stop: next_q + RowsW'(1) == rows_q, first: piece_q.first,
                  last: piece_q.last, len: piece_q.len, to: piece_q.to};
    if (reads) next_q <= next_q + RowsW'(1);
    if (fallen && !nobody) begin
      next_q  <= '0;
      rows_q  <= cut_rows;
      piece_q <= '{start: 1'b0, stop: 1'b0, first: cut_first, last: cut_last, len: cut_len,
                   to: wants};
      // There is no packet without a row.
      if (cut_rows == '0) sound_q <= 1'b0;
    end
    if (!rst_n) begin
      {rows_q, next_q, read_q} <= '0;
      sound_q                  <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_q) begin
      // A message is cut as the sum was: anew for each operation, a header alone where nobody wants
      // more, and a packet further with each that goes down.
      a_cut : assert (u_dut.u_cut.rst_ni == (rst_n && open_i) &&
                      u_dut.u_cut.start_i == agreed_i && u_dut.u_cut.mtu_i == mtu_i &&
                      u_dut.u_cut.step_i == fallen &&
                      u_dut.u_cut.bytes_i == 32'd32 + (nobody ? 32'd0 : op_i.head.length))
      else $error("%0d bytes", u_dut.u_cut.bytes_i);
      // All of the sum has left behind its last packet, until the next operation.
      a_all_risen : assert (all_risen == all_q)
      else $error("all risen %b", all_risen);
      // Nothing is there of the parent if it has sent nothing, or if what it sent goes down now.
      a_silent : assert (silent == !came2_q)
      else $error("silent %b", silent);
      // The parent is to blame for what comes early, and for what is no answer or is cut otherwise.
      a_wrong : assert (wrong == wrong_q)
      else $error("wrong %b", wrong);

      if (sound_q) begin
        // Ports are told that a packet may begin at them: those that want it, and with the last one
        // the others.
        a_soon : assert (soon == (may_q ? need_q : '0))
        else $error("soon %b", soon);
        // It begins if all of them have room and nobody else begins there, and only then.
        a_goes : assert (fallen == goes)
        else $error("goes %b", fallen);
      end
      // The parent's packet is claimed then, and dropped if it is a header that nobody gets as it
      // is.
      a_claims : assert (claim == (fallen ? parent_i : '0) &&
                         drop == ((fallen && nobody) ? parent_i : '0))
      else $error("claims %b, drops %b", claim, drop);
      // Who wants no result gets a header with the last packet: the sum's, on its way down, with
      // nothing behind it.
      a_heads : assert (head_to == (fallen ? others : '0) && last == cut_last)
      else $error("heads %b", head_to);
      a_head : assert (head.kind == KindDown && head.flags == '0 &&
                       {head.tag, head.operation, head.elem, head.tree, head.group,
                        head.sequence_no, head.length, head.count, head.verdict, head.port,
                        head.node, head.holder_tree, head.holder_group} ==
                       {op_i.head.tag, op_i.head.operation, op_i.head.elem, op_i.head.tree,
                        op_i.head.group, op_i.head.sequence_no, op_i.head.length, op_i.head.count,
                        op_i.head.verdict, op_i.head.port, op_i.head.node, op_i.head.holder_tree,
                        op_i.head.holder_group})
      else $error("head %h", head);

      if (sound_q) begin
        // A packet's rows are read one a cycle, from the second cycle behind its beginning on.
        a_asks : assert (row_re == asks_q)
        else $error("asks %b", row_re);
        // Each is there two cycles later and goes to those that wanted the packet.
        a_row_to : assert (row_to == (read_q[3] ? was_q[3].to : '0))
        else $error("to %b", row_to);
        // It is the parent's, and says where in the packet it is, and what the packet is.
        a_row : assert (!read_q[3] ||
                        row == {1'b1, was_q[3].start, was_q[3].stop, was_q[3].first, was_q[3].last,
                                was_q[3].len, here})
        else $error("row of %0d bytes", row.len);
        // Ports that packets under way go to are known until their last row is there.
        a_to : assert (to == under_way)
        else $error("under way %b", to);

        // What is known of the packet that is read is so (helps the proof).
        a_left : assert (u_dut.left_q == rows_q - next_q && next_q <= rows_q &&
                         (!may_q || rows_q - next_q <= RowsW'(1)) && u_dut.now_q.valid == reads)
        else $error("%0d rows left", u_dut.left_q);
        a_piece : assert (!reads || (u_dut.now_q.start == (next_q == '0) && !u_dut.now_q.stop &&
                          u_dut.now_q.first == piece_q.first && u_dut.now_q.last == piece_q.last &&
                          u_dut.now_q.len == piece_q.len && u_dut.now_q.to == piece_q.to))
        else $error("%0d rows left", u_dut.left_q);
      end
      // Packets of the sum that have left, and no answer to them has come down (helps the proof).
      a_ahead : assert (u_dut.ahead_q == ahead_q)
      else $error("%0d packets ahead", u_dut.ahead_q);

      // The last packet begins at all ports, some of which get a header; its second row is there.
      c_heads : cover (fallen && head_to != '0 && wants != '0 && cut_last);
      c_second : cover (sound_q && row_to != '0 && !row.start && row.stop && row.last);
    end
  end

endmodule
