// Sends messages of a low-latency tree, one after the other: cut into packets, to all its ports at
// once.
//
// A packet begins when all of them have room. Whoever is lost is not waited for. Rows come from the
// sum, or from the parent's message; the header takes the place of the one that they have in front.
module llt_send
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// 1: rows come a cycle later.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [LenW-1:0] mtu_i,   // bytes of a packet's payload at most

  // A message; what it is made of stays until `ready_o` comes back.
  input  logic      valid_i,
  output logic      ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  low_send_t send_i,   // not ports that the node has not
  // verilator lint_on UNUSEDSIGNAL

  // Rows of the sum, and of the parent's message, LowRow cycles later.
  output logic                 re_o,
  output logic [GroupW-1:0]    re_group_o,
  output logic [4:0]           re_row_o,
  output logic                 use_sum_o,      // the row will be used: the sum's,
  output logic                 use_parent_o,   // or the parent's
  input  logic [RcRowBits-1:0] sum_row_i,
  input  logic [RcRowBits-1:0] parent_row_i,

  // Ports with room for a packet, and those of neighbours who are lost.
  input  logic    [NumPorts-1:0] room_i,
  input  logic    [NumPorts-1:0] lost_i,
  input  logic    [NumPorts-1:0] casts_i,   // good answers go there by multicast, too
  output logic    [NumPorts-1:0] begun_o,   // a packet begins at these ports
  output rc_row_t [NumPorts-1:0] out_o,
  output logic    [NumPorts-1:0] cast_o     // with `start`: the packet is multicast, too
);

  if (LowRow != 3) begin : gen_check_row
    $fatal(1, "%m: rows are taken three cycles after their request, not %0d", LowRow);
  end

  typedef logic [NumPorts-1:0] ports_t;

  /// What goes along with a row.
  typedef struct packed {
    logic              valid, start, stop, first, last;
    logic              header;       // it has it in front
    logic              from_parent;
    logic [LenW-1:0]   len;
    ports_t            to;
  } part_t;

  // verilator lint_off UNUSEDSIGNAL
  low_send_t         send_q;       // its ports are `to_q`
  // verilator lint_on UNUSEDSIGNAL
  logic              busy_q, first_q, inside_q;
  ports_t            to_q;
  logic [BytesW-1:0] left_q;       // bytes of the message, from this packet on
  logic [RowsW-1:0]  rows_q;       // of this packet, behind this row
  logic [4:0]        row_q;
  logic              go, issue, ending, last;
  logic [LenW-1:0]   len;
  part_t             part;

  assign ready_o = !busy_q;
  assign last    = LenW'(left_q) <= mtu_i;
  assign len     = last ? LenW'(left_q) : mtu_i;
  assign go      = busy_q && !inside_q && (to_q & ~room_i & ~lost_i) == '0;
  assign issue   = go || inside_q;
  // The shortest MTU has more than one row.
  assign ending  = go ? left_q <= BytesW'(64) : inside_q && rows_q == RowsW'(1);
  assign begun_o = go ? to_q & room_i : '0;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      rows_q   <= go ? RowsW'((len - LenW'(1)) >> 6) : rows_q - RowsW'(1);
      inside_q <= !ending;
      row_q    <= row_q + 5'd1;
    end
    if (go) begin
      first_q <= 1'b0;
      // Whoever is lost gets no more of it.
      to_q    <= to_q & room_i;
    end
    if (ending) begin
      left_q <= left_q - BytesW'(mtu_i);
      if (last) busy_q <= 1'b0;
    end
    if (valid_i && ready_o) begin
      send_q   <= send_i;
      to_q     <= send_i.to[NumPorts-1:0];
      busy_q   <= 1'b1;
      first_q  <= 1'b1;
      row_q    <= '0;
      left_q   <= BytesW'(HeadBytes) + (send_i.carries ? send_i.head.length[BytesW-1:0] : '0);
    end
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      inside_q <= 1'b0;
    end
  end

  assign re_o       = issue;
  assign re_group_o = send_q.group;
  assign re_row_o   = row_q;
  // A message without a vector has a header alone.
  assign use_sum_o    = send_q.carries && !send_q.from_parent;
  assign use_parent_o = send_q.carries && send_q.from_parent;

  always_comb begin
    part = '{valid: issue, start: go, stop: ending, first: first_q, last: last, header: row_q == '0,
             from_parent: send_q.from_parent, len: len,
             to: inside_q ? to_q : to_q & room_i};
  end

  // ---------------------------------------------------------------------------------------------

  // verilator lint_off UNUSEDSIGNAL
  part_t part_q[5+Ecc];   // the first one is `part`
  // verilator lint_on UNUSEDSIGNAL
  sat_head_t            head_q[5+Ecc];
  logic [RcRowBits-1:0] row4_q;
  rc_row_t [NumPorts-1:0] out_q;
  logic    [NumPorts-1:0] cast_q;

  assign part_q[0] = part;
  assign head_q[0] = send_q.head;
  always_ff @(posedge clk_i) begin
    for (int unsigned n = 1; n < 5 + Ecc; n++) part_q[n] <= part_q[n-1];
    for (int unsigned n = 1; n < 5 + Ecc; n++) head_q[n] <= head_q[n-1];
    row4_q  <= part_q[3+Ecc].from_parent ? parent_row_i : sum_row_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      out_q[p] <= '{valid: part_q[4+Ecc].valid && part_q[4+Ecc].to[p], start: part_q[4+Ecc].start,
                    stop: part_q[4+Ecc].stop, first: part_q[4+Ecc].first, last: part_q[4+Ecc].last,
                    len: part_q[4+Ecc].len, row: row4_q};
      // An answer that is a message of one packet. A failure is told once, in order.
      cast_q[p] <= casts_i[p] && part_q[4+Ecc].start && part_q[4+Ecc].first && part_q[4+Ecc].last &&
          head_q[4+Ecc].kind == KindDown && head_q[4+Ecc].verdict == VerdictOk;
      if (part_q[4+Ecc].header) out_q[p].row[HeadBits-1:0] <= turned(head_q[4+Ecc]);
    end
    if (!rst_ni) begin
      for (int unsigned n = 1; n < 5 + Ecc; n++) part_q[n].valid <= 1'b0;
      for (int unsigned p = 0; p < NumPorts; p++) out_q[p].valid <= 1'b0;
    end
  end
  assign out_o  = out_q;
  assign cast_o = cast_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A message fits a place; else its rest would be another group's.
      a_length : assert (!(valid_i && ready_o && send_i.carries) || send_i.head.length <= LowMost)
      else $error("%m: a vector of %0d bytes", send_i.head.length);
    end
  end

endmodule
