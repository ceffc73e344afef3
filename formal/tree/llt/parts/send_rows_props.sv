// llt_send: which rows of a message leave, in which packets, when and where to, for any message and
// any MTU that there is, and what is in each of them, some cycles later.
//
// All is said of the row's number in the message: where a packet begins and ends follows from it.
module send_rows_props
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  /// 1: rows come a cycle later.
  parameter int unsigned Ecc = 0,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [2:0]           mtu_i,
  input logic                 valid_i,
  input low_send_t            send_i,
  input logic [RcRowBits-1:0] sum_row_i,
  input logic [RcRowBits-1:0] parent_row_i,
  input logic [NumPorts-1:0]  room_i,
  input logic [NumPorts-1:0]  lost_i,
  input logic [NumPorts-1:0]  casts_i,
  input logic [PortW-1:0]     port_i,   // any, the same all the time
  input logic [4:0]           byte_i    // any
);

  typedef logic [NumPorts-1:0] ports_t;

  logic                   ready, re, use_sum, use_parent;
  logic [GroupW-1:0]      group;
  logic [4:0]             row;
  ports_t                 begun, cast;
  rc_row_t [NumPorts-1:0] out;

  // The MTU, 256 to 4096, and the followed port stay.
  logic [2:0]       mtu_q;
  logic [LenW-1:0]  mtu;
  logic [PortW-1:0] port_q;
  logic             begun_q;
  initial begun_q = 1'b0;
  assign mtu = LenW'(256) << ((mtu_q > 3'd4) ? 3'd4 : mtu_q);
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) {mtu_q, port_q} <= {mtu_i, port_i};
  end

  llt_send #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .mtu_i       (mtu),
    .valid_i,
    .ready_o     (ready),
    .send_i,
    .re_o        (re),
    .re_group_o  (group),
    .re_row_o    (row),
    .use_sum_o   (use_sum),
    .use_parent_o(use_parent),
    .sum_row_i,
    .parent_row_i,
    .room_i,
    .lost_i,
    .casts_i,
    .begun_o     (begun),
    .out_o       (out),
    .cast_o      (cast)
  );

  // The message, its bytes, and how many rows of it have left; `sane_q`: it is not longer than
  // messages are. Its ports, but for those that were lost.
  low_send_t   m_q;
  logic        known_q, sane_q, busy_q, taken_q;
  logic [15:0] bytes_q, at, from, len;
  logic [5:0]  n_q;
  ports_t      to_q;
  logic        starts, stops, ends, go, issue;
  initial {known_q, sane_q, taken_q} = '0;
  always_comb begin
    at     = 16'({n_q, 6'd0});               // where the row begins, and its packet
    from   = at & ~(16'(mtu) - 16'd1);
    starts = at == from;
    ends   = at + 16'd64 >= bytes_q;         // the message's last row
    stops  = ends || ((at + 16'd64) & (16'(mtu) - 16'd1)) == '0;
    len    = (bytes_q - from < 16'(mtu)) ? bytes_q - from : 16'(mtu);
    // A packet begins when all its ports have room, or are lost; then its rows follow.
    go     = busy_q && starts;
    for (int p = 0; p < NumPorts; p++) if (to_q[p] && !room_i[p] && !lost_i[p]) go = 1'b0;
    issue  = go || (busy_q && !starts);
  end
  always_ff @(posedge clk_i) begin
    if (issue) n_q <= n_q + 6'd1;
    if (issue && ends) busy_q <= 1'b0;
    if (go) to_q <= to_q & room_i;
    if (valid_i && ready) begin
      m_q     <= send_i;
      to_q    <= send_i.to[NumPorts-1:0];
      busy_q  <= 1'b1;
      n_q     <= '0;
      bytes_q <= send_i.carries ? 16'd32 + send_i.head.length[15:0] : 16'd32;
      taken_q <= known_q;
      if (send_i.carries && send_i.head.length > LowMost) sane_q <= 1'b0;
    end
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      sane_q  <= 1'b1;
      taken_q <= 1'b0;
      known_q <= begun_q;
    end
  end

  // What goes along with a row, and the row's bytes; from the request to the port.
  localparam int unsigned Late = 5 + Ecc;
  typedef struct packed {
    logic            there;   // it is said here
    logic            header, from_parent, start, stop, first, last, answer;
    logic [LenW-1:0] len;
    logic            to;      // to the followed port
    sat_head_t       head;
  } part_t;
  part_t part;
  part_t [Late:1] part_q;
  logic [RcRowBits-1:0] row_q, row2_q;
  logic                 casts_q;
  logic [Late:1]        past_q;
  initial past_q = '0;
  always_comb begin
    part = '{there: issue, header: n_q == '0, from_parent: m_q.from_parent, start: go, stop: stops,
             first: n_q == '0, last: bytes_q - from <= 16'(mtu), answer:
             m_q.head.kind == KindDown && m_q.head.verdict == VerdictOk, len: LenW'(len),
             to: to_q[port_q] && (room_i[port_q] || !starts), head: m_q.head};
  end
  always_ff @(posedge clk_i) begin
    past_q <= Late'({past_q, known_q && sane_q});
    for (int n = 2; n <= Late; n++) part_q[n] <= part_q[n-1];
    part_q[1] <= part;
    // Rows come three cycles behind their request, or four.
    row_q   <= part_q[Late-2].from_parent ? parent_row_i : sum_row_i;
    row2_q  <= row_q;
    casts_q <= casts_i[port_q];
    if (!rst_ni) for (int n = 1; n <= Late; n++) part_q[n].there <= 1'b0;
  end

  rc_row_t o;
  part_t   l;
  assign o = out[port_q];
  assign l = part_q[Late];

  always_ff @(posedge clk_i) begin
    if (begun_q && known_q && sane_q) begin
      // A message is taken when the one before has left.
      a_ready : assert (ready == !busy_q)
      else $error("ready %b", ready);
      // What is kept of it: whose it is, what is left of it, and where its rows are.
      a_kept : assert (!taken_q || (u_dut.send_q.head == m_q.head &&
                       {u_dut.send_q.group, u_dut.send_q.carries, u_dut.send_q.from_parent} ==
                       {m_q.group, m_q.carries, m_q.from_parent} &&
                       (!busy_q || u_dut.to_q == to_q)))
      else $error("another message");
      // Bytes that are left are counted from the packet's beginning.
      a_left : assert (!busy_q || (16'(u_dut.left_q) == bytes_q - from &&
                                   u_dut.first_q == (n_q == '0)))
      else $error("%0d bytes are left", u_dut.left_q);
      // Rows of the packet under way.
      a_inside : assert (u_dut.inside_q == (busy_q && !starts))
      else $error("inside %b", u_dut.inside_q);
      // So many are left of it, this one with them.
      a_behind : assert (!busy_q || starts || 16'(u_dut.rows_q) ==
                         ((len + 16'd63) >> 6) - ((at - from) >> 6))
      else $error("%0d rows behind it", u_dut.rows_q);
      // A message is a header, with or without a vector.
      a_bounds : assert (!busy_q || (taken_q && bytes_q >= 16'd32 && bytes_q <= 16'd1056 &&
                                     at < bytes_q))
      else $error("row %0d of %0d bytes", n_q, bytes_q);
      // A row is asked for when its packet begins, and one a cycle behind that.
      a_asks : assert (re == issue && (!busy_q || {group, row} == {m_q.group, n_q[4:0]}))
      else $error("row %0d of group %0d: %b", row, group, re);
      // It will be used if the message carries a vector: the sum's, or the parent's.
      a_use : assert (!taken_q || {use_sum, use_parent} == {m_q.carries && !m_q.from_parent,
                                                m_q.carries && m_q.from_parent})
      else $error("use %b %b", use_sum, use_parent);
      // Of any port: a packet begins there if it is one of the message's, and has room.
      a_begun : assert (begun[port_i] == (go && to_q[port_i] && room_i[port_i]))
      else $error("port %0d: %b", port_i, begun[port_i]);
    end
    if (past_q[Late-1]) begin
      // Rows are taken from the sum or the parent's message, as their message has it, and are in
      // front of the ports a cycle later.
      a_taken : assert (!part_q[Late-1].there || u_dut.row4_q == row_q)
      else $error("row %h", u_dut.row4_q);
    end
    if (past_q[Late]) begin
      // A row leaves at the ports of its packet, so many cycles behind its request.
      a_leaves : assert (o.valid == (l.there && l.to))
      else $error("port %0d: %b", port_q, o.valid);
      // It says where it is in its packet, and the packet in its message.
      a_says : assert (!l.there || {o.start, o.stop, o.first, o.last, o.len} ==
                       {l.start, l.stop, l.first, l.last, l.len})
      else $error("a packet of %0d bytes", o.len);
      // It is as it was read,
      a_row : assert (!l.there || o.row[511:256] == row2_q[511:256])
      else $error("row %h", o.row);
      // but for the header in front of the message, whose first byte is the first.
      a_bytes : assert (!l.there || o.row[8*byte_i+:8] == (l.header ? l.head[255-8*byte_i-:8] :
                                                           row2_q[8*byte_i+:8]))
      else $error("byte %0d is %h", byte_i, o.row[8*byte_i+:8]);
      // A good answer of one packet is multicast where that is taken.
      a_cast : assert (!l.there || cast[port_q] == (casts_q && l.start && l.first && l.last &&
                                                    l.answer))
      else $error("cast %b", cast[port_q]);
    end

    // The second packet of a message begins at a port while another one is lost.
    c_second : cover (known_q && sane_q && go && n_q != '0 && (to_q & lost_i & ~room_i) != '0 &&
                      begun != '0);
  end

  // What goes along with a row that leaves, and its message's header, so many cycles later.
  for (genvar n = 1; n < Late; n++) begin : gen_late
    logic there;
    assign there = part_q[n].there;
    always_ff @(posedge clk_i) begin
      if (past_q[n]) begin
        // A row that was asked for goes along,
        a_there : assert (u_dut.part_q[n].valid == there)
        else $error("%b", u_dut.part_q[n].valid);
        // the first one of its packet and the last one, and what of the message that is,
        a_where : assert (!there || {u_dut.part_q[n].start, u_dut.part_q[n].stop,
                          u_dut.part_q[n].first, u_dut.part_q[n].last, u_dut.part_q[n].len} ==
                          {part_q[n].start, part_q[n].stop, part_q[n].first, part_q[n].last,
                          part_q[n].len})
        else $error("a packet of %0d bytes", u_dut.part_q[n].len);
        // with where it comes from and goes to,
        a_of : assert (!there || {u_dut.part_q[n].header, u_dut.part_q[n].from_parent,
                       u_dut.part_q[n].to[port_q]} ==
                       {part_q[n].header, part_q[n].from_parent, part_q[n].to})
        else $error("to %b", u_dut.part_q[n].to);
        // and its message's header.
        a_head : assert (!there || (u_dut.head_q[n] == part_q[n].head && part_q[n].answer ==
                         (part_q[n].head.kind == KindDown && part_q[n].head.verdict == VerdictOk)))
        else $error("%h", u_dut.head_q[n]);
      end
    end
  end

endmodule
