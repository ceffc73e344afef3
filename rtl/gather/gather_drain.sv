// Reads closed packets out of their storage, one beat of 64 bytes a cycle, and gives the storage
// back.
//
// A row has two beats; the next row is read while the second one leaves, also across packets. In
// linked storage a row says which one follows, and is given back as soon as it was read; otherwise
// a packet's unit is given back with its last beat. Pad that needs a beat of its own gets one, with
// nothing in it.
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

  // Closed packets, all written: where their PRs end, and where their storage begins.
  input  logic             closed_valid_i,
  output logic             closed_ready_o,
  input  logic [11:0]      stop_i,
  input  logic [UnitW-1:0] first_i,

  // Row `to` follows row `from`.
  input logic             link_valid_i,
  input logic [UnitW-1:0] link_from_i,
  input logic [UnitW-1:0] link_to_i,

  // Storage; a row is there one cycle later.
  output logic               read_valid_o,
  output logic [RowW-1:0]    read_row_o,
  input  logic [RowBits-1:0] read_data_i,
  output logic               give_valid_o,
  output logic [UnitW-1:0]   give_unit_o,

  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  output logic busy_o
);

  if (Linked && UnitRows != 1) begin : gen_check
    $fatal(1, "%m: linked units are rows");
  end

  logic            have_q, half_q, emit, last, start, advance;
  logic [6:0]      beats_q;     // still to leave
  logic [5:0]      rows_q;      // still to be read
  logic [RowW-1:0] next;

  assign last  = beats_q == 7'd1;
  assign emit  = have_q && data_ready_i;
  assign start = closed_valid_i && (!have_q || (emit && last));
  // The row is used up; the beat behind it may be pad alone.
  assign advance = emit && !last && half_q && rows_q != '0;

  assign closed_ready_o = !have_q || (emit && last);
  assign data_valid_o   = have_q;
  assign data_o         = '{last: last, data: read_data_i[half_q ? BeatBits : 0 +: BeatBits]};
  assign read_valid_o   = start || advance;
  assign busy_o         = have_q;

  always_ff @(posedge clk_i) begin
    if (start) begin
      have_q  <= 1'b1;
      half_q  <= 1'b0;
      beats_q <= 7'((13'(stop_i) + 13'(pad_bytes(stop_i)) + 13'(BeatBytes - 1)) >> 6);
      rows_q  <= 6'((13'(stop_i) + 13'(RowBytes - 1)) >> 7) - 6'd1;
    end else if (emit) begin
      have_q  <= !last;
      half_q  <= !half_q;
      beats_q <= beats_q - 7'd1;
      if (advance) rows_q <= rows_q - 6'd1;
    end
    if (!rst_ni) have_q <= 1'b0;
  end

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
      .re_i   (read_valid_o && rst_ni),
      .raddr_i(read_row_o),
      .rdata_o(next)
    );
    assign read_row_o   = start ? first_i : next;
    assign give_valid_o = read_valid_o;
    assign give_unit_o  = read_row_o;
  end else begin : gen_whole
    logic [RowW-1:0]  row_q;
    logic [UnitW-1:0] unit_q;
    always_ff @(posedge clk_i) begin
      if (read_valid_o) row_q <= read_row_o;
      if (start) unit_q <= first_i;
    end
    assign next         = row_q + RowW'(1);
    assign read_row_o   = start ? RowW'(32'(first_i) * UnitRows) : next;
    assign give_valid_o = emit && last;
    assign give_unit_o  = unit_q;
    logic unused;
    assign unused = ^{link_valid_i, link_from_i, link_to_i};
  end

endmodule
