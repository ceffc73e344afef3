// Reads the rows of frames that are to leave ahead of their headers, as long as there is room for
// them, from the buffers of the connections; what is behind a payload is zero (rc_leave).
module rc_ahead
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Connections, 1 or more.
  parameter int unsigned NumConns = 2,
  /// Packets that each of them keeps, and rows of a packet.
  parameter int unsigned Room = 64,
  parameter int unsigned MaxRows = RcMaxRows,
  /// Cycles from a read to its row, 2 or more.
  parameter int unsigned RowRead = SentRow,
  localparam int unsigned ConnW = (NumConns > 1) ? $clog2(NumConns) : 1,
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // The rows of a frame, from 0 to `last`; taken when the last one is asked for. `none`: a row
  // without a byte, which no buffer is asked for. `keep`: bytes of the last row that count.
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic             in_none_i,
  input  logic [ConnW-1:0] in_conn_i,
  input  logic [AtW-1:0]   in_at_i,
  input  logic [RowW-1:0]  in_last_i,
  input  logic [6:0]       in_keep_i,

  // The buffers: of connection c the row is at row_i[c] `RowRead` cycles later.
  output logic [NumConns-1:0] row_re_o,
  output logic [AtW-1:0]      row_at_o,
  output logic [RowW-1:0]     row_number_o,
  input  logic [NumConns-1:0][RcRowBits-1:0] row_i,

  // Rows in the order in which they were asked for.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic                out_last_o,   // the last row of a frame
  output logic [BeatBits-1:0] out_row_o
);

  /// Rows that are read ahead.
  localparam int unsigned Ahead = 16;

  typedef struct packed {
    logic                last;
    logic [BeatBits-1:0] row;
  } row_t;

  logic [$clog2(Ahead+1)-1:0]  room_q;   // for rows that nobody has asked for yet
  logic [RowW-1:0]             number_q;
  logic                        reads, last_row, pop;
  logic [RowRead:1]            read_q, last_q;
  logic [RowRead:1][ConnW-1:0] from_q;
  logic [RowRead-1:1][6:0]     keep_q;
  logic [BeatBytes-1:0]        mask_q;
  row_t                        row_in, row_out;
  logic                        row_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Ahead+1)-1:0]  row_count;
  // verilator lint_on UNUSEDSIGNAL

  assign reads        = in_valid_i && room_q != '0;
  assign last_row     = number_q == in_last_i;
  assign in_ready_o   = reads && last_row;
  assign row_at_o     = in_at_i;
  assign row_number_o = number_q;
  assign pop          = out_valid_o && out_ready_i;

  always_comb begin
    for (int unsigned c = 0; c < NumConns; c++) begin
      row_re_o[c] = reads && !in_none_i && in_conn_i == ConnW'(c);
    end
  end

  always_ff @(posedge clk_i) begin
    if (reads) number_q <= last_row ? '0 : number_q + RowW'(1);
    room_q <= room_q + $bits(room_q)'(pop) - $bits(room_q)'(reads);
    read_q <= {read_q[RowRead-1:1], reads};
    last_q <= {last_q[RowRead-1:1], last_row};
    from_q <= {from_q[RowRead-1:1], in_conn_i};
    keep_q[1] <= last_row ? in_keep_i : 7'(BeatBytes);
    for (int unsigned n = 2; n < RowRead; n++) keep_q[n] <= keep_q[n-1];
    for (int unsigned b = 0; b < BeatBytes; b++) mask_q[b] <= 7'(b) < keep_q[RowRead-1];
    if (!rst_ni) begin
      number_q <= '0;
      room_q   <= $bits(room_q)'(Ahead);
      read_q   <= '0;
    end
  end

  always_comb begin
    row_in.last = last_q[RowRead];
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      row_in.row[8*b+:8] = row_i[from_q[RowRead]][8*b+:8] & {8{mask_q[b]}};
    end
  end

  prim_fifo #(
    .T    (row_t),
    .Depth(Ahead)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .in_valid_i (read_q[RowRead]),
    .in_ready_o (row_ready),
    .in_i       (row_in),
    .out_valid_o,
    .out_ready_i,
    .out_o      (row_out),
    .count_o    (row_count)
  );

  assign out_last_o = row_out.last;
  assign out_row_o  = row_out.row;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is read finds room; else a frame would leave with a hole in it.
      a_row : assert (!read_q[RowRead] || row_ready)
      else $error("%m: a row was read without room");
    end
  end

endmodule
