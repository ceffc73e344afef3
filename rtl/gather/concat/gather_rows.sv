// Packet storage: rows of 128 bytes, written at any even byte across the end of a row, read a row
// at a time.
//
// One memory for each of the 64 halfwords of a row, each with its own row address: a part of up to
// 82 bytes that begins in one row and ends in another one is still one write a cycle. Nobody waits;
// what is written can be read RowsWrite cycles later.
module gather_rows
  import gather_pkg::*;
#(
  /// Rows, 2 or more.
  parameter int unsigned NumRows = 256,
  localparam int unsigned Aw = $clog2(NumRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // `write_bytes_i` bytes (even, 2 to 82) from byte `write_at_i` (even) of row `write_row_i` on;
  // what does not fit goes to the front of row `write_next_i`. The rows are given a cycle later
  // than all else.
  input logic                    write_valid_i,
  input logic [Aw-1:0]           write_row_i,
  input logic [Aw-1:0]           write_next_i,
  input logic [6:0]              write_at_i,
  input logic [6:0]              write_bytes_i,
  input logic [8*ChunkBytes-1:0] write_data_i,

  // The row is valid RowsRead cycles later, and stays until the next read.
  input  logic               read_valid_i,
  input  logic [Aw-1:0]      read_row_i,
  output logic [RowBits-1:0] read_data_o
);

  if (RowsWrite != 3) begin : gen_check_write
    $fatal(1, "%m: a row is written in the second cycle behind its request, not %0d", RowsWrite);
  end

  localparam int unsigned Lanes = RowBytes / 2;
  localparam int unsigned Parts = ChunkBytes / 2;

  typedef struct packed {
    logic        we;
    logic [15:0] data;
  } lane_t;

  typedef struct packed {
    logic [Aw-1:0] row;
    logic [Aw-1:0] next;
    logic [5:0]    at;
  } where_t;

  /// The lane `by` lanes in front, around the row. (As an index, Verilator 5.006 would not let it
  /// wrap.)
  function automatic logic [5:0] ahead(logic [5:0] lane, logic [5:0] by);
    ahead = lane - by;
  endfunction

  // Rotation in two steps: by eight halfwords, then by one.
  lane_t [Lanes-1:0] in, coarse, coarse_q, fine, fine_q;
  logic [5:0]        at1_q;
  where_t            where2_q;
  logic              valid1_q, valid2_q;

  always_comb begin
    in = '0;
    for (int unsigned p = 0; p < Parts; p++) begin
      in[p].we   = 7'(2 * p) < write_bytes_i;
      in[p].data = write_data_i[16*p+:16];
    end
    for (int unsigned l = 0; l < Lanes; l++) begin
      coarse[l] = in[ahead(6'(l), {write_at_i[6:4], 3'd0})];
      fine[l]   = coarse_q[ahead(6'(l), {3'd0, at1_q[2:0]})];
    end
  end

  always_ff @(posedge clk_i) begin
    valid1_q <= write_valid_i;
    coarse_q <= coarse;
    at1_q    <= write_at_i[6:1];
    valid2_q <= valid1_q;
    fine_q   <= fine;
    where2_q <= '{row: write_row_i, next: write_next_i, at: at1_q};
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    prim_ram_1r1w #(
      .Width  (16),
      .Depth  (NumRows),
      .Latency(RowsRead)
    ) u_ram (
      .clk_i,
      .we_i   (valid2_q && rst_ni && fine_q[l].we),
      .waddr_i((7'(l) >= 7'(where2_q.at)) ? where2_q.row : where2_q.next),
      .wdata_i(fine_q[l].data),
      .re_i   (read_valid_i && rst_ni),
      .raddr_i(read_row_i),
      .rdata_o(read_data_o[16*l+:16])
    );
  end

  // What is read is being written.
  logic written;
  assign written = (valid1_q && (read_row_i == write_row_i)) ||
      (valid2_q && (read_row_i == where2_q.row));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nothing is read sooner than RowsWrite cycles behind its write; the packet would leave with
      // what was there before.
      a_written : assert (!read_valid_i || !written)
      else $error("%m: row %0d is read while it is written", read_row_i);
      // Halfwords only; a byte between two of them would be lost.
      a_even : assert (!write_valid_i || (!write_at_i[0] && !write_bytes_i[0] &&
                       write_bytes_i != '0 && write_bytes_i <= 7'(ChunkBytes)))
      else $error("%m: %0d bytes at %0d", write_bytes_i, write_at_i);
    end
  end

endmodule
