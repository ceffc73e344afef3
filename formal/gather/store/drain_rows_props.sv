// gather_drain: which rows are read, which beats leave of them, and when storage comes back, of any
// packets, whoever takes the beats.
//
// Of linked storage the memory of links is left out of the circuit: a link is anything.
module drain_rows_props
  import gather_pkg::*;
#(
  parameter int unsigned NumUnits = 12,
  parameter int unsigned UnitRows = 1,
  parameter bit Linked = 1'b1,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned RowW = $clog2(NumUnits * UnitRows)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               closed_valid_i,
  input logic [6:0]         beats_i,
  input logic [5:0]         rows_i,
  input logic [UnitW-1:0]   first_i,
  input logic               link_valid_i,
  input logic [UnitW-1:0]   link_from_i,
  input logic [UnitW-1:0]   link_to_i,
  input logic [RowBits-1:0] read_data_i,
  input logic               data_ready_i
);

  logic             closed_ready, read, give, valid, busy;
  logic [RowW-1:0]  row;
  logic [UnitW-1:0] unit;
  packet_beat_t     data;

  gather_drain #(
    .NumUnits(NumUnits),
    .UnitRows(UnitRows),
    .Linked  (Linked)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .closed_valid_i,
    .closed_ready_o(closed_ready),
    .beats_i,
    .rows_i,
    .first_i,
    .link_valid_i,
    .link_from_i,
    .link_to_i,
    .read_valid_o  (read),
    .read_row_o    (row),
    .read_data_i,
    .give_valid_o  (give),
    .give_unit_o   (unit),
    .data_valid_o  (valid),
    .data_ready_i,
    .data_o        (data),
    .busy_o        (busy)
  );

  // The row whose beats leave: there is one; its upper half is next; its packet has rows behind it,
  // and so many beats to go.
  logic       shown_q, upper_q, more_q;
  logic [6:0] beats_q;
  // The row behind that: there is one; where, of which unit; its packet begins with it, and how
  // long that is; rows of its packet behind it. Or it is not known yet: its link is read.
  logic             ahead_q, walks_q, begins_q;
  logic [RowW-1:0]  row_q;
  logic [UnitW-1:0] unit_q;
  logic [6:0]       new_beats_q;
  logic [5:0]       rows_q;
  // What was read a cycle ago, and what of it comes back.
  logic             past_q, given_q;
  logic [UnitW-1:0] given_unit_q;

  logic            beat, ends, taken, closes, linked, same;
  logic [RowW-1:0] link, begin_row;
  if (Linked) begin : gen_linked
    assign link      = u_dut.gen_linked.u_links.rdata_o;
    assign begin_row = first_i;
    assign same      = 1'b1;
    assign linked    = u_dut.gen_linked.u_links.we_i == (link_valid_i && rst_ni) &&
        u_dut.gen_linked.u_links.waddr_i == link_from_i &&
        u_dut.gen_linked.u_links.wdata_i == link_to_i &&
        u_dut.gen_linked.u_links.re_i == (read && rst_ni) &&
        (!read || u_dut.gen_linked.u_links.raddr_i == row);
  end else begin : gen_whole
    assign link      = row_q + RowW'(1);
    assign begin_row = RowW'(first_i * UnitRows);
    assign linked    = 1'b1;
    assign same      = u_dut.gen_whole.unit_q == unit_q;
  end

  // A beat leaves. It is the last one of its row if its packet ends, or has another row and this
  // is the upper half.
  assign beat   = valid && data_ready_i;
  assign ends   = beat && (data.last || (upper_q && more_q));
  assign closes = closed_valid_i && closed_ready;
  assign taken  = read && rows_q == '0;

  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    given_q      <= read && (Linked || rows_q == '0);
    given_unit_q <= Linked ? UnitW'(row_q) : unit_q;
    walks_q      <= read && rows_q != '0;
    if (beat) begin
      upper_q <= !upper_q;
      beats_q <= beats_q - 7'd1;
      if (ends) shown_q <= 1'b0;
    end
    if (read) begin
      shown_q <= 1'b1;
      upper_q <= 1'b0;
      more_q  <= rows_q != '0;
      if (begins_q) beats_q <= new_beats_q;
      ahead_q <= 1'b0;
    end
    if (walks_q) begin
      ahead_q  <= 1'b1;
      begins_q <= 1'b0;
      row_q    <= link;
      rows_q   <= rows_q - 6'd1;
    end
    if (closes) begin
      ahead_q     <= 1'b1;
      begins_q    <= 1'b1;
      row_q       <= begin_row;
      unit_q      <= first_i;
      rows_q      <= rows_i - 6'd1;
      new_beats_q <= beats_i;
    end
    if (!rst_ni) begin
      shown_q <= 1'b0;
      beats_q <= '0;
      ahead_q <= 1'b0;
      walks_q <= 1'b0;
      given_q <= 1'b0;
    end
  end

  logic known;   // there was a reset
  initial known = 1'b0;
  always_ff @(posedge clk_i) known <= known || !rst_ni;

  always_ff @(posedge clk_i) begin
    // A link is kept as it is told, and read of each row that is read; not in a reset.
    a_link : assert (linked)
    else $error("another link");
    if (known) begin
      // A beat is shown as long as its row has one,
      a_valid : assert (valid == shown_q)
      else $error("a beat: %b", valid);
      // the half of the row that is its turn,
      a_data : assert (!shown_q || data.data == (upper_q ? read_data_i[RowBits-1:BeatBits] :
                                                 read_data_i[BeatBits-1:0]))
      else $error("another half");
      // and it is the last one when its packet has no more.
      a_last : assert (!shown_q || data.last == (beats_q == 7'd1))
      else $error("last: %b, %0d are left", data.last, beats_q);
      // The row behind is read when nothing is shown, or the last beat of a row leaves.
      a_read : assert (read == (ahead_q && (!shown_q || ends)))
      else $error("reads: %b", read);
      // It is the one that the packet begins with, or that follows the one before.
      a_row : assert (!ahead_q || row == row_q)
      else $error("row %0d", row);
      // The next packet is taken when no row is known or being looked for, and when the last row
      // of one is read.
      a_closed : assert (closed_ready == ((!ahead_q && !walks_q) || taken))
      else $error("takes a packet: %b", closed_ready);
      // A linked row comes back in the cycle behind its read, another unit behind that of its last
      // row.
      a_give : assert (give == given_q && (!give || unit == given_unit_q))
      else $error("unit %0d comes back: %b", unit, give);
      // It is busy while a row is shown, known or looked for.
      a_busy : assert (busy == (shown_q || ahead_q || walks_q))
      else $error("busy: %b", busy);
      // What is remembered of both rows (helps the proof).
      a_helps : assert ({u_dut.walks_q, u_dut.next_valid_q} == {walks_q, ahead_q} &&
                        (!shown_q || ({u_dut.half_q, u_dut.more_q, u_dut.beats_q} ==
                                      {upper_q, more_q, beats_q})) &&
                        (!(ahead_q || walks_q) || (u_dut.next_rows_q == rows_q &&
                                                   u_dut.next_row_q == row_q && same)) &&
                        (!ahead_q || u_dut.next_first_q == begins_q) &&
                        (!ahead_q || !begins_q || u_dut.next_beats_q == new_beats_q) &&
                        (shown_q || u_dut.beats_q == beats_q) &&
                        !(ahead_q && walks_q))
      else $error("rows");

      // A packet of three beats in two rows follows one of one beat without a gap.
      c_follows : cover (valid && data.last && read && begins_q && rows_q == 6'd1 &&
                         new_beats_q == 7'd3);
      // The last beat is pad alone.
      c_pad : cover (valid && data.last && !upper_q && !more_q && given_q == 1'b0);
    end
  end

endmodule
