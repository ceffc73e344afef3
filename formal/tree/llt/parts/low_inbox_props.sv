// llt_inbox: how a message comes in, whatever its packets, when it is shown, where its rows are
// written, and where those of any group's last one are read. (The rows themselves are in
// prim_ram_ecc_at; its words are left out here, and are any.)
module low_inbox_props
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
(
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input rc_packet_t           oldest_i,
  input logic [RcRowBits-1:0] row_i,
  input logic                 take_i,
  input logic                 keep_i,
  input logic [GroupW-1:0]    group_i,
  input logic                 re_i,
  input logic                 use_i,
  input logic [GroupW-1:0]    re_group_i,
  input logic [4:0]           re_row_i,
  input logic [GroupW-1:0]    any_group_i
);

  logic                 claim, row_re, begun_q, rst_n;
  low_message_t         message;
  logic [RcRowBits-1:0] row;
  rc_memory_t           memory;
  // The first cycle is one of reset.
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;
  assign rst_n = rst_ni && begun_q;

  // A packet has 0 to 4096 bytes.
  rc_packet_t oldest;
  always_comb begin
    oldest = oldest_i;
    if (oldest_i.len > 13'd4096) oldest.len = 13'd4096;
  end

  llt_inbox u_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .clear_i,
    .oldest_i (oldest),
    .claim_o  (claim),
    .row_re_o (row_re),
    .row_i,
    .message_o(message),
    .take_i,
    .keep_i,
    .group_i,
    .re_i,
    .use_i,
    .re_group_i,
    .re_row_i,
    .row_o    (row),
    .memory_o (memory)
  );

  // ---------------------------------------------------------------------------------------------
  // A packet is claimed if none is under way and no message is shown. Then its rows are asked for,
  // one a cycle; one without payload takes as long as one of a row.

  logic        left_last_q, shown_q, claims, now;
  logic [6:0]  rows, left_q;     // of the packet; still to be asked for, this one too
  logic        busy_q;
  logic [12:0] length;           // of the message so far, in bytes; 2,047 and more are the same
  logic [12:0] length_q, length_before_q;
  logic        is_head_q;
  logic [255:0] head_q;
  always_comb begin
    now    = rst_n && !clear_i;
    claims = oldest.valid && !busy_q && !shown_q && !clear_i;
    rows   = 7'((14'(oldest.len) + 14'd63) / 14'd64);
    length = (oldest.first ? 13'd0 : length_q);
    length = (14'(length) + 14'(oldest.len) > 14'd2047) ? 13'd2047 : length + oldest.len;
  end
  always_ff @(posedge clk_i) begin
    if (busy_q) left_q <= (left_q == '0) ? '0 : left_q - 7'd1;
    if (left_q <= 7'd1) busy_q <= 1'b0;
    // It is shown in the cycle in which the last but two of its rows is asked for, or at once: who
    // looks takes it four cycles later, when the last one is written.
    if (busy_q && left_last_q && left_q <= 7'd3) shown_q <= 1'b1;
    if (claims) begin
      busy_q      <= 1'b1;
      left_q      <= rows;
      left_last_q <= oldest.last;
      length_q    <= length;
      if (oldest.last && rows <= 7'd2) shown_q <= 1'b1;
      if (oldest.first) {is_head_q, head_q} <= {1'b1, oldest.head};
    end
    if (take_i) shown_q <= 1'b0;
    if (!now) begin
      {busy_q, shown_q, left_q} <= '0;
      length_q <= '0;
    end
    if (!begun_q) is_head_q <= 1'b0;
    length_before_q <= length_q;
  end

  // Rows come two cycles later, and are written behind each other; those behind the 17th are not.
  logic       begins_q;          // the next row that is asked for is the message's first one
  logic [2:1] comes_q, first_q;
  logic [5:0] place, at_q;       // of the row in its message
  logic [3:1] begun1_q;         // a message has begun, so many cycles ago or more
  assign place = first_q[2] ? 6'd0 : at_q;
  always_ff @(posedge clk_i) begin
    if (left_q != '0) begins_q <= 1'b0;
    if (claims && oldest.first) begins_q <= 1'b1;
    comes_q <= {comes_q[1], left_q != '0};
    first_q <= {first_q[1], begins_q};
    if (comes_q[2]) at_q <= (place == 6'd17) ? 6'd17 : place + 6'd1;
    begun1_q <= {begun1_q[2:1], begun1_q[1] || (claims && oldest.first)};
    if (!now) {comes_q, begun1_q} <= '0;
  end

  // Any group, the same for ever; and another one that changes places.
  logic [GroupW-1:0]      g_q, kept_group_q, asked_group_q;
  logic                   kept_q, asks_q, use_q, is_q;
  logic [4:0]             asked_row_q;
  logic [Groups-1:0][2:0] of_q;
  logic [2:0]             in_q;
  always_ff @(posedge clk_i) begin
    if (!begun_q) g_q <= any_group_i;
    of_q          <= u_dut.of_q;
    in_q          <= u_dut.in_q;
    kept_q        <= keep_i && now;
    kept_group_q  <= group_i;
    is_q          <= now;
    {asks_q, use_q, asked_group_q, asked_row_q} <= {re_i, use_i, re_group_i, re_row_i};
  end

  // Places that are some group's, or the next message's.
  logic [4:0] used;
  always_comb begin
    used = '0;
    for (int unsigned n = 0; n < 5; n++) begin
      used[n] = u_dut.in_q == 3'(n);
      for (int unsigned g = 0; g < Groups; g++) if (u_dut.of_q[g] == 3'(n)) used[n] = 1'b1;
    end
  end

  logic reset_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) reset_q <= begun_q;

  always_ff @(posedge clk_i) begin
    if (begun_q && reset_q) begin
      // A packet is claimed if none is under way and no message is shown.
      a_claim : assert (claim == claims)
      else $error("claim %b", claim);
      // Its rows are asked for from the next cycle on, one a cycle.
      a_rows : assert (row_re == (left_q != '0) && u_dut.left_q == left_q)
      else $error("%b, %0d left", row_re, left_q);
      // It is under way as long as some are left, a cycle at least.
      a_busy : assert (u_dut.busy_q == busy_q && (!busy_q || u_dut.last_q == left_last_q))
      else $error("busy %b", u_dut.busy_q);
      // Nothing is left of one that is not.
      a_left : assert (busy_q || left_q == '0)
      else $error("%0d left", left_q);
      // A message is shown when its rows will be there for who looks, until it is taken.
      a_shown : assert (message.valid == shown_q)
      else $error("shown %b", message.valid);
      // With the head of its first packet, byte 0 in front.
      a_head : assert (!is_head_q || u_dut.head_q == head_q)
      else $error("%h", u_dut.head_q);
      a_turned : assert (turned(message.head) == u_dut.head_q)
      else $error("%h", message.head);
      // As many bytes as its packets have had, up to 2,047.
      a_bytes : assert (u_dut.bytes_q == length_q[10:0] && length_q <= 13'd2047)
      else $error("%0d", u_dut.bytes_q);
      // It is long enough for a header with 32 of them, and all else is behind that.
      a_whole : assert (message.whole == (length_before_q >= 13'd32) && (!message.whole ||
                        13'(message.bytes) == length_before_q - 13'd32))
      else $error("%0d", message.bytes);

      // Rows come two cycles after they are asked for.
      a_comes : assert (u_dut.read_q == comes_q && (!begun1_q[1] || u_dut.begins_q == begins_q) &&
                        (!begun1_q[2] || u_dut.first_q[1] == first_q[1]) && (!begun1_q[3] ||
                        (u_dut.first_q[2] == first_q[2] &&
                         (first_q[2] || ({1'b0, u_dut.at_q} == at_q && at_q <= 6'd17)))))
      else $error("%b", u_dut.read_q);
      // Each is written where the next message is, behind the one before; the first one begins it
      // anew, and the 18th and all behind it go nowhere.
      a_write : assert (!begun1_q[3] || (u_dut.u_rows.we_i == (comes_q[2] && place != 6'd17) &&
                        (!u_dut.u_rows.we_i || (u_dut.u_rows.wdata_i == row_i &&
                         u_dut.u_rows.waddr_i == {u_dut.in_q, place[4:0]}))))
      else $error("row %0d", place);

      // Each group has a place of its own, and so has the next message.
      a_apart : assert (used == '1)
      else $error("%b", used);
      // A message that is kept changes places with its group's last one.
      a_swapped : assert (!kept_q || (u_dut.of_q[kept_group_q] == in_q &&
                                      u_dut.in_q == of_q[kept_group_q]))
      else $error("group %0d", kept_group_q);
      // All others stay; of any group.
      a_stays : assert (!is_q || (kept_q && kept_group_q == g_q) || u_dut.of_q[g_q] == of_q[g_q])
      else $error("group %0d", g_q);
      // And without one the next message's, too.
      a_next : assert (!is_q || kept_q || u_dut.in_q == in_q)
      else $error("place %0d", u_dut.in_q);
      // A row of a group is read in the group's place as it was a cycle before.
      a_read : assert (u_dut.u_rows.re_i == asks_q && u_dut.u_rows.use_i == use_q &&
                       (!asks_q || u_dut.u_rows.raddr_i == {of_q[asked_group_q], asked_row_q}))
      else $error("group %0d, row %0d", asked_group_q, asked_row_q);
      // And is the answer.
      a_row : assert (row == u_dut.u_rows.rdata_o)
      else $error("%h", row);
      // Without a code no bit is corrected.
      a_memory : assert (memory == '0)
      else $error("%h", memory);

      // A message's fifth row is written while it is shown; the second one is in the first place.
      c_long : cover (shown_q && begun1_q[3] && comes_q[2] && place == 6'd4);
      c_place : cover (kept_q && u_dut.in_q == 3'd0);
    end
  end

endmodule
