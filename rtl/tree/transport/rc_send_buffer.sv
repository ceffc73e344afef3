// Packets that a connection sends, from their first row until they are acknowledged: the buffer of
// rc_request (docs/tree.md).
//
// Rows come in order, packet by packet, and are written to the place that the requester gives to
// the next packet; with the last one the packet is posted. From then on it can be read, at any time
// and as often as the requester says, until its place is given to another one. If the connection
// begins or ends in the middle of a packet, that one's rows are thrown away.
//
// A packet that is acknowledged while it is read once more may lose its place meanwhile, and its
// rest be the next one's. It leaves with a PSN that the other end has taken; nobody looks at it.
module rc_send_buffer
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Packets that are kept, a power of two.
  parameter int unsigned Room = 64,
  /// Rows of a packet, a power of two.
  parameter int unsigned MaxRows = RcMaxRows,
  /// 1: rows are corrected, and read a cycle later; the rest is looked at (rc_memory_t).
  parameter int unsigned Ecc = 0,
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // The connection begins or ends.
  input logic clear_i,

  // What is to leave; a packet begins only when there is room. A packet counts from the cycle
  // behind its first row on. Without room nothing is taken.
  output logic    room_o,
  input  rc_row_t row_i,
  input  logic    row_cast_i,   // with `start`: the packet is multicast, too

  // The requester: there is room, at this place, and besides it; a packet is in it.
  input  logic           room_i,
  input  logic           more_i,
  input  logic [AtW-1:0] place_i,
  output logic           post_o,
  output logic           post_last_o,

  // What a packet is, a cycle later.
  input  logic           kept_re_i,
  input  logic [AtW-1:0] kept_at_i,
  output rc_kept_t       kept_o,
  // A row of it, SentRow cycles later.
  input  logic                 row_re_i,
  input  logic [AtW-1:0]       row_at_i,
  input  logic [RowW-1:0]      row_number_i,
  output logic [RcRowBits-1:0] row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  if (Room < 2 || Room > 1024 || Room != 2 ** $clog2(Room)) begin : gen_check_room
    $fatal(1, "%m: Room must be a power of two, 2 to 1024");
  end
  if (MaxRows < 4 || MaxRows > RcMaxRows || MaxRows != 2 ** $clog2(MaxRows)) begin : gen_check_rows
    $fatal(1, "%m: MaxRows must be a power of two, 4 to 64");
  end
  if (SentRow != 2) begin : gen_check_row
    $fatal(1, "%m: prim_ram_deep shows a row two cycles after the request, not %0d", SentRow);
  end

  logic            inside_q;     // of a packet whose rows are taken
  logic            takes, starts, last_q;
  logic [RowW-1:0] next_row_q, row_number;

  assign room_o     = inside_q ? more_i : room_i;
  assign starts     = row_i.valid && row_i.start && room_i && !clear_i;
  assign takes      = starts || (row_i.valid && !row_i.start && inside_q && room_i && !clear_i);
  assign row_number = row_i.start ? '0 : next_row_q;
  // The requester says what there is room for; it is no more once the connection has failed.
  assign post_o      = takes && row_i.stop;
  assign post_last_o = row_i.start ? row_i.last : last_q;

  always_ff @(posedge clk_i) begin
    if (takes) begin
      inside_q   <= !row_i.stop;
      next_row_q <= row_number + RowW'(1);
    end
    if (starts) last_q <= row_i.last;
    if (!rst_ni || clear_i || (row_i.valid && !takes)) inside_q <= 1'b0;
  end

  logic           kept_bad, row_corrected, row_bad;
  logic [AtW+RowW-1:0] row_of;
  logic [AtW-1:0] kept_of;
  rc_kept_t       kept;

  prim_ram_checked #(
    .Width($bits(rc_kept_t)),
    .Depth(Room),
    .Check(Ecc)
  ) u_kept (
    .clk_i,
    .we_i   (starts),
    .waddr_i(place_i),
    .wdata_i({row_cast_i, row_i.first, row_i.last, row_i.len}),
    .re_i   (kept_re_i),
    .raddr_i(kept_at_i),
    .rdata_o(kept),
    .use_i  (1'b1),
    .bad_o  (kept_bad),
    .at_o   (kept_of)
  );

  // A word that was lost says something that can be, too: so a frame that is under way has as many
  // rows as its headers say, until no more leaves.
  always_comb begin
    kept_o = kept;
    if (Ecc != 0) begin
      if (kept.len == '0 || 32'(kept.len) > 64 * MaxRows) kept_o.len = 13'(64 * MaxRows);
      kept_o.cast = kept.cast && kept.first && kept.last;
    end
  end

  prim_ram_ecc_at #(
    .Width  (RcRowBits),
    .Depth  (Room * MaxRows),
    .Latency(SentRow + Ecc),
    .Deep   (1'b1),
    .Ecc    (Ecc)
  ) u_ram (
    .clk_i,
    .we_i       (takes),
    .waddr_i    ({place_i, row_number}),
    .wdata_i    (row_i.row),
    .re_i       (row_re_i),
    .raddr_i    ({row_at_i, row_number_i}),
    .rdata_o    (row_o),
    .use_i      (1'b1),
    .corrected_o(row_corrected),
    .bad_o      (row_bad),
    .at_o       (row_of)
  );

  if (Ecc != 0) begin : gen_memory
    rc_memory_t rows_found, packets_found;

    assign rows_found = '{corrected: row_corrected, bad: row_bad,
                          word: '{memory: MemSentRows, scope: OfTrees, port: '0,
                                  at: 16'(row_of)}};
    assign packets_found = '{corrected: 1'b0, bad: kept_bad,
                             word: '{memory: MemSent, scope: OfTrees, port: '0, at: 16'(kept_of)}};

    always_ff @(posedge clk_i) begin
      memory_o <= both(packets_found, rows_found);
      if (!rst_ni) memory_o <= '0;
    end
  end else begin : gen_no_memory
    assign memory_o = '0;
    logic unused;
    assign unused = row_corrected || row_bad || row_of != '0 || kept_bad || kept_of != '0;
  end

  // ---------------------------------------------------------------------------------------------

  logic [RowW-1:0] last_row_q;   // of the packet that comes
  always_ff @(posedge clk_i) if (starts) last_row_q <= RowW'(roce_pkg::last_row_of(14'(row_i.len)));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet has the rows of its length; else it would leave with another one's.
      a_rows : assert (!takes || row_i.stop == (row_number ==
          (row_i.start ? RowW'(roce_pkg::last_row_of(14'(row_i.len))) : last_row_q)))
      else $error("%m: row %0d, and the packet ends with row %0d", row_number, last_row_q);
      // Lengths are those that a packet can have here.
      a_len : assert (!starts || (row_i.len != '0 && 32'(row_i.len) <= 64 * MaxRows))
      else $error("%m: a packet of %0d bytes", row_i.len);
    end
  end

endmodule
