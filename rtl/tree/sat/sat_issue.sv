// Brings packets of all children into the half rings: packet i of each child that has a vector,
// once all of them are there, row by row.
//
// Packets are claimed when their rows begin, so that the next ones show while these go; rows of two
// packets follow each other without a hole if a packet takes longer than its queue to show the next
// one. Sums come out a fixed time later and cannot wait: a packet begins only when the rows behind
// the ring have room for all of it. What a child sends must be cut as its header says; else it is
// to blame, and nothing more is brought in.
//
// Where no child has a vector, their headers alone become one.
//
// Whether a packet may begin is worked out a cycle ahead: all of it but the rows before it stays
// true once it is, until one begins. The first one of an operation is worked out from the header
// that came first: the others agree with it, or nothing begins.
module sat_issue
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Rows that wait behind the ring, 128 or more.
  parameter int unsigned ResultRows = 256
) (
  input logic clk_i,
  input logic rst_ni,

  input logic            open_i,     // while the tree is
  input logic [LenW-1:0] mtu_i,
  // verilator lint_off UNUSEDSIGNAL
  input sat_op_t         op_i,       // the operation under way; not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic            first_i,    // op_i has the first child's header of an operation
  input logic            agreed_i,   // with the first cycle of op_i.valid

  // verilator lint_off UNUSEDSIGNAL
  input  rc_packet_t [NumPorts-1:0] oldest_i,   // not the headers
  // verilator lint_on UNUSEDSIGNAL
  input  logic       [NumPorts-1:0] owed_i,     // rows of packets claimed before are to be read
  output logic       [NumPorts-1:0] claim_o,
  output logic       [NumPorts-1:0] drop_o,     // of these, whose rows will not be read

  // Rows of the ring, and the last one of each packet.
  output logic                ring_valid_o,
  input  logic                ring_ready_i,
  output logic [7:0]          ring_kind_o,
  output logic [NumPorts-1:0] ring_children_o,
  output logic                ring_stop_o,
  // A row behind the ring has left.
  input  logic                row_gone_i,

  // Each packet that begins, in order; it is taken.
  output logic       piece_valid_o,
  input  logic       piece_ready_i,
  output sat_piece_t piece_o,

  output logic                left_o,     // packets of the operation are to be brought in yet
  output logic [NumPorts-1:0] silent_o,   // of whom one is missing for the next
  // Registered: the next packet is not cut as the header says, and whose.
  output logic                wrong_o,
  output logic [NumPorts-1:0] wrong_at_o
);

  if (ResultRows < 2 * MaxRows) begin : gen_check_rows
    $fatal(1, "%m: ResultRows must be 128 or more");
  end

  typedef logic [NumPorts-1:0] ports_t;
  localparam int unsigned HeldW = $clog2(ResultRows + 1);

  // ---------------------------------------------------------------------------------------------
  // What the next packets must be, and what is there.

  ports_t           carrying, come, here_q, right_q, waited, wrong_at;
  logic             some, ready, first, last, bare, go, all_here;
  logic [LenW-1:0]  len;
  logic [RowsW-1:0] rows;

  assign carrying = op_i.carrying[NumPorts-1:0];
  assign come     = op_i.come[NumPorts-1:0];
  assign bare     = carrying == '0;

  sat_cut u_cut (
    .clk_i,
    .rst_ni (rst_ni && open_i),
    .start_i(first_i || (agreed_i && bare)),
    .bytes_i((bare && !first_i) ? 32'(HeadBytes) : op_i.head.length + 32'(HeadBytes)),
    .mtu_i,
    .step_i (go),
    .some_o (some),
    .ready_o(ready),
    .first_o(first),
    .last_o (last),
    .len_o  (len),
    .rows_o (rows)
  );

  // Of the packet behind a claim only once `ready` says so.
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      here_q[p]  <= oldest_i[p].valid;
      right_q[p] <= oldest_i[p].first == first && oldest_i[p].last == last &&
          oldest_i[p].len == len;
    end
  end

  // Headers alone are of the scan of all children: they are there, and right.
  assign waited     = carrying & ~here_q;
  assign all_here   = ready && waited == '0 && (!bare || (op_i.valid && !agreed_i));
  assign wrong_at   = carrying & ~right_q;
  assign left_o     = some;
  assign silent_o   = waited;

  always_ff @(posedge clk_i) begin
    wrong_o    <= open_i && op_i.valid && all_here && wrong_at != '0;
    wrong_at_o <= wrong_at;
    if (!rst_ni) wrong_o <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // A packet begins.

  logic [HeldW-1:0] held_q;   // rows of packets that have begun, and that have not left
  logic [RowsW-1:0] left_q;   // rows of this one to be brought in
  logic             room, free, row, may_q;
  ports_t           drop;

  assign room   = held_q <= HeldW'(ResultRows - MaxRows);
  assign row    = ring_valid_o && ring_ready_i;
  assign free   = left_q == '0 || (left_q == RowsW'(1) && row);
  assign drop   = first ? come & ~carrying : '0;
  assign go     = open_i && op_i.valid && may_q && free && piece_ready_i;

  assign claim_o       = go ? carrying | drop : '0;
  assign drop_o        = go ? drop : '0;
  assign piece_valid_o = go;
  assign piece_o       = '{bare: bare, first: first, last: last, len: len};

  always_ff @(posedge clk_i) begin
    may_q  <= open_i && all_here && wrong_at == '0 && room && (drop & owed_i) == '0;
    if (!rst_ni || go) may_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    held_q <= held_q + (go && !bare ? HeldW'(rows) : '0) - HeldW'(row_gone_i);
    if (go && !bare) begin
      left_q          <= rows;
      ring_kind_o     <= op_i.head.elem;
      ring_children_o <= carrying;
    end else if (row) begin
      left_q <= left_q - RowsW'(1);
    end
    if (!rst_ni) begin
      held_q <= '0;
      left_q <= '0;
    end
  end

  assign ring_valid_o = left_q != '0;
  assign ring_stop_o  = left_q == RowsW'(1);

  // verilator lint_off UNUSEDSIGNAL
  sat_op_t op_q;   // of the cycle before; not all of it
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i) op_q <= op_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An operation that all agree on stays what it is while packets of it are to be brought in,
      // from the cycle before on; what was found a cycle ahead would be another one's.
      a_op : assert (!some || (!first_i && (!op_i.valid || (op_i.come == op_q.come &&
          op_i.carrying == op_q.carrying && op_i.head == op_q.head))))
      else $error("%m: another operation, and this one is not done");
      // Rows behind the ring have room for all that are on their way; else sums would be lost.
      a_held : assert (32'(held_q) <= ResultRows && !(row_gone_i && held_q == '0))
      else $error("%m: %0d rows in %0d places", held_q, ResultRows);
    end
  end

endmodule
