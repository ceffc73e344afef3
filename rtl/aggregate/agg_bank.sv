// The payloads and header records of one rank: one row of each slot's packet a cycle in, one out.
//
// Nobody waits here. That no row is read while it is written is the duty of emission's locks (agg_emit, agg_port).
module agg_bank
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Largest tensor part of a packet, bytes; power of two, 64 to 16384.
  parameter int unsigned SlotBytes = 1024,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680
) (
  input logic clk_i,

  input logic        we_i,
  input bank_write_t write_i,

  // Payload row, two cycles after the request.
  input  logic                row_re_i,
  input  logic [SlotW-1:0]    row_slot_i,
  input  logic [7:0]          row_row_i,
  output logic [BeatBits-1:0] row_o,

  // Row 0 or 1 of a header record, two cycles after the request.
  input  logic                hdr_re_i,
  input  logic [SlotW-1:0]    hdr_slot_i,
  input  logic                hdr_row_i,
  output logic [BeatBits-1:0] hdr_o
);

  if (SlotBytes < BeatBytes || SlotBytes > 16384 ||
      SlotBytes != 2 ** $clog2(SlotBytes)) begin : gen_check_bytes
    $fatal(1, "%m: SlotBytes must be a power of two from 64 to 16384");
  end
  if (NumSlots < 1 || NumSlots > 2 ** SlotW) begin : gen_check_slots
    $fatal(1, "%m: NumSlots must be 1 to %0d", 2 ** SlotW);
  end

  localparam int unsigned Rows = SlotBytes / BeatBytes;
  localparam int unsigned RowDepth = NumSlots * Rows;
  localparam int unsigned HdrDepth = NumSlots * 2;
  localparam int unsigned RowAw = (RowDepth > 1) ? $clog2(RowDepth) : 1;
  localparam int unsigned HdrAw = $clog2(HdrDepth);

  prim_ram_1r1w #(
    .Width(BeatBits),
    .Depth(RowDepth),
    .Latency(2)
  ) u_rows (
    .clk_i,
    .we_i   (we_i && !write_i.header),
    .waddr_i(RowAw'(32'(write_i.slot) * Rows + 32'(write_i.row))),
    .wdata_i(write_i.data),
    .re_i   (row_re_i),
    .raddr_i(RowAw'(32'(row_slot_i) * Rows + 32'(row_row_i))),
    .rdata_o(row_o)
  );

  prim_ram_1r1w #(
    .Width(BeatBits),
    .Depth(HdrDepth),
    .Latency(2)
  ) u_headers (
    .clk_i,
    .we_i   (we_i && write_i.header),
    .waddr_i(HdrAw'(32'(write_i.slot) * 2 + 32'(write_i.row))),
    .wdata_i(write_i.data),
    .re_i   (hdr_re_i),
    .raddr_i(HdrAw'(32'(hdr_slot_i) * 2 + 32'(hdr_row_i))),
    .rdata_o(hdr_o)
  );

endmodule
