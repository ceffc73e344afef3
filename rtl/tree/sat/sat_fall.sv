// Replicates what the parent sends to the children that want it, packet by packet, as it stands.
//
// The parent answers what it was sent: its first packet is of the operation under way, none comes
// before the sum's packet has left, and all are cut as that was. Else it is to blame. A packet is
// claimed when all children that it goes to have room, and its rows are read one a cycle; the next
// one is looked at meanwhile. With the last packet those who want no result get a header alone, and
// the operation is done. Whoever has no room holds up the parent, and nobody else. Sums that went
// down before have left: this operation's went up behind them.
//
// Whether a packet may begin is worked out a cycle ahead: all of it but room stays true once it is,
// until one begins.
module sat_fall
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Cycles from a read to its row.
  parameter int unsigned RowRead = rc_port_pkg::QueueRow
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                open_i,     // the tree is there; as long as it is
  input logic [LenW-1:0]     mtu_i,
  input logic [NumPorts-1:0] parent_i,   // the parent's port, one-hot, or zero
  // verilator lint_off UNUSEDSIGNAL
  input sat_op_t             op_i,       // the operation under way; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic                agreed_i,   // with the first cycle of op_i.valid
  // A packet of the sum leaves for the parent, and is the last one. `all_risen_o`: all have left.
  input logic                risen_i,
  input logic                risen_last_i,
  output logic               all_risen_o,

  // The oldest packet in each port's queue; a claim takes it out, and its rows are read.
  input  rc_packet_t [NumPorts-1:0] oldest_i,
  input  logic       [NumPorts-1:0] owed_i,
  output logic       [NumPorts-1:0] claim_o,
  output logic       [NumPorts-1:0] drop_o,     // of these, whose rows will not be read
  output logic       [NumPorts-1:0] row_re_o,   // from the second cycle behind a claim on
  input  logic [NumPorts-1:0][RcRowBits-1:0] row_i,   // RowRead cycles later

  // Ports whose send buffer has room for a packet, and those where somebody else begins one.
  input  logic [NumPorts-1:0] room_i,
  input  logic [NumPorts-1:0] taken_i,
  // With `fallen_o` a packet begins at these ports; `head_to_o` of them get a header alone, now.
  output logic [NumPorts-1:0] soon_o,
  output logic [NumPorts-1:0] head_to_o,
  output sat_head_t           head_o,
  output logic                fallen_o,    // pulse: a packet begins,
  output logic                last_o,      // the last one of its message
  output logic                wrong_o,     // what the parent sent is no answer; registered
  output logic                silent_o,    // no packet of the parent is there

  output logic [NumPorts-1:0] to_o,        // ports that packets under way go to; registered
  output logic [NumPorts-1:0] row_to_o,    // ports of the row
  output rc_row_t             row_o
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t           wanting, come, data_to, head_to;
  logic             some, ready, first, last, go, free, drops;
  logic [LenW-1:0]  len;
  logic [RowsW-1:0] rows;

  assign wanting = op_i.wanting[NumPorts-1:0];
  assign come    = op_i.come[NumPorts-1:0];
  assign drops   = wanting == '0;   // a header alone, which nobody gets as it is

  sat_cut u_cut (
    .clk_i,
    .rst_ni (rst_ni && open_i),
    .start_i(agreed_i),
    .bytes_i(drops ? 32'(HeadBytes) : op_i.head.length + 32'(HeadBytes)),
    .mtu_i,
    .step_i (go),
    .some_o (some),
    .ready_o(ready),
    .first_o(first),
    .last_o (last),
    .len_o  (len),
    .rows_o (rows)
  );

  // ---------------------------------------------------------------------------------------------
  // How far the sum is ahead.

  logic [23:0] ahead_q;   // packets
  logic        all_risen_q, due;

  assign due         = op_i.valid && op_i.up && some && (all_risen_q || (!drops && ahead_q != '0));
  assign all_risen_o = all_risen_q;

  always_ff @(posedge clk_i) begin
    if (op_i.up) ahead_q <= ahead_q + 24'(risen_i) - 24'(go);
    if (risen_i && risen_last_i) all_risen_q <= 1'b1;
    if (!rst_ni || agreed_i) begin
      ahead_q     <= '0;
      all_risen_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The parent's oldest packet, and whether it is what it should be.

  rc_packet_t packet_q;
  sat_head_t  head;
  logic       valid_q, answer, right_q, beginning_q, ending_q;
  logic [LenW-1:0] len_q;

  assign head   = turned(packet_q.head);
  assign answer = packet_q.len >= LenW'(HeadBytes) && is_head(head) && head.kind == KindDown &&
      head.verdict == VerdictOk && head.group == op_i.head.group &&
      head.sequence_no == op_i.head.sequence_no && head.length == op_i.head.length &&
      head.flags.carries == !drops;

  always_ff @(posedge clk_i) begin
    packet_q.valid <= 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (parent_i[p]) begin
        packet_q       <= oldest_i[p];
        packet_q.valid <= oldest_i[p].valid && open_i && !go;
      end
    end
    valid_q     <= packet_q.valid && open_i && !go;
    right_q     <= answer;
    beginning_q <= packet_q.first;
    ending_q    <= packet_q.last;
    len_q       <= packet_q.len;
    if (!rst_ni) begin
      packet_q.valid <= 1'b0;
      valid_q        <= 1'b0;
    end
  end

  // `ready`: what it should be is known, and was when `right_q` was found.
  logic wrong;
  assign wrong   = (first ? !right_q || !beginning_q : 1'b0) || ending_q != last || len_q != len;
  assign silent_o = !valid_q;

  always_ff @(posedge clk_i) begin
    wrong_o <= open_i && valid_q && (!due || (ready && wrong));
    if (!rst_ni) wrong_o <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // A packet begins; its rows are asked for in the second cycle behind that, and are here RowRead
  // cycles later.

  typedef struct packed {
    logic            valid, start, stop, first, last;
    logic [LenW-1:0] len;
    ports_t          to;
  } read_t;

  logic [RowsW-1:0] left_q;
  read_t            now_q, read_q[RowRead+1];
  logic             may_q;    // but for room
  ports_t           need_q;   // at these ports
  logic [RcRowBits-1:0] row;

  assign data_to = wanting;
  assign head_to = last ? come & ~wanting : '0;
  assign free    = left_q <= RowsW'(1);

  sat_free #(
    .NumPorts(NumPorts)
  ) u_free (
    .may_i  (open_i && may_q),
    .need_i (need_q),
    .room_i,
    .taken_i,
    .go_o   (go)
  );


  assign claim_o   = go ? parent_i : '0;
  assign drop_o    = (go && drops) ? parent_i : '0;
  assign soon_o    = may_q ? need_q : '0;
  assign head_to_o = go ? head_to : '0;
  assign head_o    = answer_of(op_i.head, 1'b0);
  assign fallen_o  = go;
  assign last_o    = last;

  ports_t to;     // of all that is under way
  read_t  here;

  always_comb begin
    to = ((go && !drops) ? data_to : '0) | (now_q.valid ? now_q.to : '0);
    for (int unsigned n = 0; n < RowRead; n++) if (read_q[n].valid) to |= read_q[n].to;
  end

  always_comb begin
    row = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (parent_i[p]) row = row_i[p];
  end

  always_ff @(posedge clk_i) begin
    // One that has two rows left will have one.
    may_q  <= open_i && valid_q && due && ready && !wrong && left_q <= RowsW'(2) &&
        (head_to & to_o) == '0 && !(drops && (owed_i & parent_i) != '0);
    need_q <= data_to | head_to;
    if (!rst_ni || go) may_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    row_re_o <= (left_q != '0) ? parent_i : '0;
    if (left_q != '0) begin
      left_q      <= left_q - RowsW'(1);
      now_q.start <= 1'b0;
    end
    if (go && !drops) begin
      left_q <= rows;
      now_q  <= '{valid: 1'b1, start: 1'b1, stop: 1'b0, first: first, last: last, len: len,
                  to: data_to};
    end else if (free) begin
      now_q.valid <= 1'b0;
    end
    read_q[0]      <= now_q;
    read_q[0].stop <= left_q == RowsW'(1);
    for (int unsigned n = 1; n <= RowRead; n++) read_q[n] <= read_q[n-1];
    to_o           <= to;
    if (!rst_ni) begin
      row_re_o      <= '0;
      to_o          <= '0;
      left_q        <= '0;
      now_q.valid   <= 1'b0;
      for (int unsigned n = 0; n <= RowRead; n++) read_q[n].valid <= 1'b0;
    end
  end

  assign here     = read_q[RowRead];
  assign row_to_o = here.valid ? here.to : '0;
  assign row_o    = '{valid: 1'b1, start: here.start, stop: here.stop, first: here.first,
                      last: here.last, len: here.len, row: row};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A row that is read is of the packet under way.
      a_now : assert (now_q.valid == (left_q != '0))
      else $error("%m: %0d rows left of no packet", left_q);
    end
  end

endmodule
