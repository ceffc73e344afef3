// The payloads and header records of one rank: one row of each slot's packet a cycle in, one out.
//
// The two slots of a pair have one place for payloads, because a column's are needed only until it
// is summed, and slot state lets one of the pair begin when the other's sum was taken
// (docs/protocol.md); header records are needed as long as the message is.
//
// Nobody waits here. That rows are read behind their writes is the duty of emission's locks and of
// the time table of commits (agg_emit, agg_port).
module agg_bank
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Largest tensor part of a packet, bytes; power of two, BeatBytes to 16384.
  parameter int unsigned SlotBytes = 1024,
  /// Slots, even, 2 to 16384.
  parameter int unsigned NumSlots = 680,
  /// 1: the slots of a pair have one place for payloads; 0: each has its own.
  parameter int unsigned Pairs = 1,
  /// 1: words are corrected.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,

  // Write of a payload row or of a row of a header record.
  input logic        we_i,
  input bank_write_t write_i,
  input logic        bad_i,     // what is written is not to be trusted

  // Payload row, BankRead + Ecc cycles after the request, and what was found.
  input  logic                row_re_i,
  input  logic [SlotW-1:0]    row_slot_i,
  input  logic [7:0]          row_row_i,
  output logic [BeatBits-1:0] row_o,
  output ecc_t                row_ecc_o,

  // Row 0 or 1 of a header record, as late; of 128 bytes it has one.
  input  logic                hdr_re_i,
  input  logic [SlotW-1:0]    hdr_slot_i,
  input  logic                hdr_row_i,
  output logic [BeatBits-1:0] hdr_o,
  output ecc_t                hdr_ecc_o
);

  if (SlotBytes < BeatBytes || SlotBytes > 16384 ||
      SlotBytes != 2 ** $clog2(SlotBytes)) begin : gen_check_bytes
    $fatal(1, "%m: SlotBytes must be a power of two from %0d to 16384", BeatBytes);
  end
  if (NumSlots < 2 || NumSlots > 2 ** SlotW || NumSlots % 2 != 0) begin : gen_check_slots
    $fatal(1, "%m: NumSlots must be even, 2 to %0d", 2 ** SlotW);
  end
  if (Pairs > 1) begin : gen_check_pairs
    $fatal(1, "%m: Pairs must be 0 or 1");
  end

  if (BankRead != 2) begin : gen_check_read
    $fatal(1, "%m: prim_ram_deep shows a row two cycles after the request, not %0d", BankRead);
  end

  localparam int unsigned Rows = SlotBytes / BeatBytes;
  localparam int unsigned RowDepth = (NumSlots >> Pairs) * Rows;
  localparam int unsigned RowAw = (RowDepth > 1) ? $clog2(RowDepth) : 1;
  localparam int unsigned HdrAw = $clog2(NumSlots * HdrRows);
  /// A power of two: synthesis cuts other depths into parts, and a LUT a bit chooses among them.
  localparam int unsigned HdrDepth = 2 ** HdrAw;

  logic [RowAw-1:0] row_read, row_written;
  assign row_read    = RowAw'((32'(row_slot_i) >> Pairs) * Rows + 32'(row_row_i));
  assign row_written = RowAw'((32'(write_i.slot) >> Pairs) * Rows + 32'(write_i.row));

  prim_ram_ecc #(
    .Width  (BeatBits),
    .Depth  (RowDepth),
    .Latency(BankRead + Ecc),
    .Deep   (1'b1),
    .Ecc    (Ecc)
  ) u_rows (
    .clk_i,
    .we_i       (we_i && !write_i.header),
    .waddr_i    (row_written),
    .wdata_i    (write_i.data),
    .poison_i   (bad_i),
    .re_i       (row_re_i),
    .raddr_i    (row_read),
    .rdata_o    (row_o),
    .use_i      (1'b1),
    .corrected_o(row_ecc_o.corrected),
    .bad_o      (row_ecc_o.bad)
  );

  prim_ram_ecc #(
    .Width  (BeatBits),
    .Depth  (HdrDepth),
    .Latency(BankRead + Ecc),
    .Ecc    (Ecc)
  ) u_headers (
    .clk_i,
    .we_i       (we_i && write_i.header),
    .waddr_i    (HdrAw'(32'(write_i.slot) * HdrRows + 32'(write_i.row))),
    .wdata_i    (write_i.data),
    .poison_i   (bad_i),
    .re_i       (hdr_re_i),
    .raddr_i    (HdrAw'(32'(hdr_slot_i) * HdrRows + 32'(hdr_row_i))),
    .rdata_o    (hdr_o),
    .use_i      (1'b1),
    .corrected_o(hdr_ecc_o.corrected),
    .bad_o      (hdr_ecc_o.bad)
  );

  // ---------------------------------------------------------------------------------------------

  /// Cycles behind a read of a row in which a write of it is late; fewer than from a read to the
  /// write of the slot's next packet.
  localparam int unsigned Recent = 8;

  logic [Recent:1]            recent_q;
  logic [Recent:1][RowAw-1:0] recent_row_q;
  logic                       late;

  always_comb begin
    late = row_re_i && row_read == row_written;
    for (int unsigned i = 1; i <= Recent; i++) begin
      if (recent_q[i] && recent_row_q[i] == row_written) late = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    recent_q        <= {recent_q[Recent-1:1], row_re_i};
    recent_row_q[1] <= row_read;
    for (int unsigned i = 2; i <= Recent; i++) recent_row_q[i] <= recent_row_q[i-1];
    // A row is not read in the cycles before its write; a result would carry what was there before.
    a_behind : assert (!(we_i && !write_i.header) || !late)
    else $error("%m: row %0d of slot %0d is written after it was read", write_i.row, write_i.slot);
    // The same for headers: emission reads the second row four cycles behind the first, both behind
    // their writes.
    a_header_behind : assert (!(we_i && write_i.header && hdr_re_i &&
        hdr_slot_i == write_i.slot && 8'(hdr_row_i) == write_i.row))
    else $error("%m: header row %0d of slot %0d written as it is read", write_i.row, write_i.slot);
  end

endmodule
