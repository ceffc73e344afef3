// roce_locate: where the IP packet of a frame starts and ends, from the frame's EtherTypes and IP
// length as the standards have them. Of frames that are neither IPv4 nor IPv6, with at most one
// 802.1Q tag, nothing is said.
module roce_locate_props
  import roce_pkg::*;
(
  input logic             clk_i,
  input logic             first_i,
  input logic [23:0][7:0] bytes_i   // the frame's first bytes; [0] comes first
);

  logic        now_vlan, now_v6, vlan, v6;
  logic [15:0] ip_len;
  logic [16:0] tail;
  logic [BeatBytes/4-1:FirstEnd] now_ends;

  roce_locate u_dut (
    .clk_i,
    .first_i,
    .data_i       (bytes_i),
    .now_vlan_o   (now_vlan),
    .now_v6_o     (now_v6),
    .now_ends_o   (now_ends),
    .vlan_o       (vlan),
    .v6_o         (v6),
    .ip_len_o     (ip_len),
    .tail_o       (tail)
  );

  /// The frame as a reader of the standards sees it: the type behind the addresses or behind the
  /// tag, the IP header behind it.
  typedef struct packed {
    logic        ip;     // IPv4 or IPv6
    logic        with_tag;
    logic        six;
    logic [15:0] field;  // total length of IPv4, payload length of IPv6
    logic [17:0] last;   // the packet's last byte in the frame; all ones for a length of nothing
  } seen_t;

  function automatic seen_t look(logic [23:0][7:0] b);
    logic [15:0] kind;
    int unsigned header;
    look.with_tag = {b[12], b[13]} == 16'h8100;
    header      = look.with_tag ? 18 : 14;
    kind        = {b[header-2], b[header-1]};
    look.six    = kind == 16'h86DD;
    look.ip     = look.six || kind == 16'h0800;
    look.field  = look.six ? {b[header+4], b[header+5]} : {b[header+2], b[header+3]};
    look.last   = 18'(header) + 18'(look.field) + (look.six ? 18'd40 : 18'd0) - 18'd1;
  endfunction

  seen_t now, was_q;
  logic  was_valid_q;
  assign now = look(bytes_i);

  // Which word of the first beat has the packet's last byte.
  logic [BeatBytes/4-1:FirstEnd] ends;
  always_comb begin
    for (int unsigned q = FirstEnd; q < BeatBytes / 4; q++) ends[q] = now.last == 18'(4 * q + 1);
  end

  initial was_valid_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (first_i) begin
      was_q       <= now;
      was_valid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (now.ip) begin
      // Tag and IP version are those of the EtherTypes.
      a_kind : assert (now_vlan == now.with_tag && now_v6 == now.six)
      else $error("tag %b, IPv6 %b", now_vlan, now_v6);
      // A packet that ends in the first beat is told with the word in which it does, and no other:
      // of all packets that hold a whole BTH and an ICRC.
      a_ends : assert (!bth(now) || now_ends == ends)
      else $error("ends at %0d", now.last);
      // A tagged IPv4 packet that ends in the beat's last word.
      c_ends : cover (now.with_tag && now_ends[BeatBytes/4-1] && bth(now));
    end
    if (was_valid_q && was_q.ip) begin
      // From the next cycle on: tag, IP version, and the length field.
      a_length : assert (vlan == was_q.with_tag && v6 == was_q.six && ip_len == was_q.field)
      else $error("length %0d instead of %0d", ip_len, was_q.field);
      // And the packet's last byte in the frame. An IP length beyond the frame never moves it into
      // the frame.
      a_last : assert (18'(tail) == was_q.last)
      else $error("last byte %0d instead of %0d", tail, was_q.last);
      // The longest packet that a length field can name.
      c_longest : cover (was_q.six && was_q.with_tag && was_q.field == 16'hFFFF);
    end
  end

  /// Long enough for UDP, BTH and ICRC, in steps of four bytes as RoCEv2 packets are.
  function automatic logic bth(seen_t seen);
    bth = seen.field >= (seen.six ? 16'd24 : 16'd44) && seen.field[1:0] == 2'd0;
  endfunction

endmodule
