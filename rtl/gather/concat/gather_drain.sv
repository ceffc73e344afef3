// Reads closed packets out of their storage, one beat of 64 bytes a cycle, and gives the storage
// back.
//
// A row has two beats. Which row is next, of this packet or the one behind it, stands in a register
// while beats leave, so that one packet follows the other without a gap. In linked storage a row
// says which one follows, and is given back as soon as it was read; otherwise a packet's unit is
// given back with its last row. Pad that needs a beat of its own gets one, with nothing in it.
//
// Who waits: packets for beats to be taken.
module gather_drain
  import gather_pkg::*;
#(
  /// Units of storage.
  parameter int unsigned NumUnits = 256,
  /// Rows of a unit.
  parameter int unsigned UnitRows = 1,
  /// 1: the rows of a packet are linked; a unit is a row.
  parameter bit Linked = 1'b1,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned RowW = $clog2(NumUnits * UnitRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // Closed packets, all written: their beats and rows, and where their storage begins.
  input  logic             closed_valid_i,
  output logic             closed_ready_o,
  input  logic [6:0]       beats_i,
  input  logic [5:0]       rows_i,
  input  logic [UnitW-1:0] first_i,

  // Pulse: row `to` follows row `from`.
  input logic             link_valid_i,
  input logic [UnitW-1:0] link_from_i,
  input logic [UnitW-1:0] link_to_i,

  // Reads of storage, answered RowsRead cycles later; and a unit that is given back, a pulse.
  output logic               read_valid_o,
  output logic [RowW-1:0]    read_row_o,
  input  logic [RowBits-1:0] read_data_i,
  output logic               give_valid_o,
  output logic [UnitW-1:0]   give_unit_o,

  // Beats of packets, in the order in which these were closed; they wait for `data_ready_i`.
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // Level: a packet is leaving.
  output logic busy_o
);

  if (Linked && UnitRows != 1) begin : gen_check
    $fatal(1, "%m: linked units are rows");
  end
  if (RowsRead != 1) begin : gen_check_read
    $fatal(1, "%m: a row is taken in the cycle behind its request, not %0d", RowsRead);
  end

  // The row whose beats leave: beats of its packet that are left, and the packet has rows behind
  // it.
  logic       have_q, half_q, more_q, emit, last, row_end, read, capture;
  logic [6:0] beats_q;
  // The row behind it: it is there, or the link to it is being read; it begins a packet of so many
  // beats; rows of its packet behind it.
  logic             next_valid_q, walks_q, next_first_q, next_more;
  logic [6:0]       next_beats_q;
  logic [5:0]       next_rows_q;
  logic [RowW-1:0]  next_row_q, first_row, link;

  assign last      = beats_q == 7'd1;
  assign emit      = have_q && data_ready_i;
  // Behind the last row a beat may be pad alone.
  assign row_end   = last || (half_q && more_q);
  assign read      = next_valid_q && (!have_q || (emit && row_end));
  assign next_more = next_rows_q != '0;
  assign capture   = (!next_valid_q && !walks_q) || (read && !next_more);

  assign closed_ready_o = capture;
  assign data_valid_o   = have_q;
  assign data_o         = '{last: last, data: read_data_i[half_q ? BeatBits : 0 +: BeatBits]};
  assign read_valid_o   = read;
  assign read_row_o     = next_row_q;
  assign busy_o         = have_q || next_valid_q || walks_q;

  always_ff @(posedge clk_i) begin
    if (read) begin
      have_q  <= 1'b1;
      half_q  <= 1'b0;
      more_q  <= next_more;
      beats_q <= next_first_q ? next_beats_q : beats_q - 7'(emit);
    end else if (emit) begin
      have_q  <= !row_end;
      half_q  <= !half_q;
      beats_q <= beats_q - 7'd1;
    end
    walks_q <= read && next_more;
    if (read) next_valid_q <= 1'b0;
    if (walks_q) begin
      next_valid_q <= 1'b1;
      next_first_q <= 1'b0;
      next_row_q   <= link;
      next_rows_q  <= next_rows_q - 6'd1;
    end
    if (capture) begin
      next_valid_q <= closed_valid_i;
      next_first_q <= 1'b1;
      next_row_q   <= first_row;
      next_rows_q  <= rows_i - 6'd1;
      next_beats_q <= beats_i;
    end
    if (!rst_ni) begin
      have_q       <= 1'b0;
      beats_q      <= '0;
      next_valid_q <= 1'b0;
      walks_q      <= 1'b0;
    end
  end

  logic [UnitW-1:0] unit;   // of the next row
  if (Linked) begin : gen_linked
    prim_ram_1r1w #(
      .Width  (UnitW),
      .Depth  (NumUnits),
      .Latency(1)
    ) u_links (
      .clk_i,
      .we_i   (link_valid_i && rst_ni),
      .waddr_i(link_from_i),
      .wdata_i(link_to_i),
      .re_i   (read && rst_ni),
      .raddr_i(next_row_q),
      .rdata_o(link)
    );
    assign first_row = first_i;
    assign unit      = next_row_q;
  end else begin : gen_whole
    logic [UnitW-1:0] unit_q;
    always_ff @(posedge clk_i) if (capture) unit_q <= first_i;
    assign first_row = RowW'(32'(first_i) * UnitRows);
    assign link      = next_row_q + RowW'(1);
    assign unit      = unit_q;
    logic unused;
    assign unused = ^{link_valid_i, link_from_i, link_to_i};
  end

  always_ff @(posedge clk_i) begin
    give_valid_o <= read && (Linked || !next_more);
    give_unit_o  <= unit;
    if (!rst_ni) give_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet begins when all of the one before has left, and not in the middle of it.
      a_order : assert (!read || (next_first_q == (!have_q ? beats_q == '0 : last)))
      else $error("%m: a row out of turn, %0d beats are left", beats_q);
    end
  end

endmodule
