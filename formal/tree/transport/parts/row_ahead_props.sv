// rc_ahead: which rows are asked for, when, of whose buffer, and what of a row leaves: the bytes
// that count, and zeros behind them. (The queue that rows wait in has a proof of its own.)
module row_ahead_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 3,
  parameter int unsigned Room = 8,
  parameter int unsigned MaxRows = 4,
  localparam int unsigned ConnW = $clog2(NumConns),
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic                                in_valid_i,
  input logic                                in_none_i,
  input logic [ConnW-1:0]                    in_conn_i,
  input logic [AtW-1:0]                      in_at_i,
  input logic [RowW-1:0]                     in_last_i,
  input logic [6:0]                          in_keep_i,
  input logic [NumConns-1:0][RcRowBits-1:0]  row_i,
  input logic                                out_ready_i,
  input logic [5:0]                          byte_i,   // any byte of a row
  input logic [ConnW-1:0]                    conn_i    // any connection
);

  /// Rows that may be asked for and not have left.
  localparam int unsigned Most = 16;

  logic                in_ready, out_valid, out_last, is_q, rst_n;
  logic [NumConns-1:0] row_re;
  logic [AtW-1:0]      row_at;
  logic [RowW-1:0]     row_number;
  logic [BeatBits-1:0] out_row;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && is_q;

  rc_ahead #(
    .NumConns(NumConns),
    .Room    (Room),
    .MaxRows (MaxRows)
  ) u_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .in_valid_i,
    .in_ready_o  (in_ready),
    .in_none_i,
    .in_conn_i,
    .in_at_i,
    .in_last_i,
    .in_keep_i,
    .row_re_o    (row_re),
    .row_at_o    (row_at),
    .row_number_o(row_number),
    .row_i,
    .out_valid_o (out_valid),
    .out_ready_i,
    .out_last_o  (out_last),
    .out_row_o   (out_row)
  );

  // What waits for the queue of rows, in its own words; and what leaves it.
  logic                  comes, comes_last;
  logic [BeatBytes-1:0][7:0] came;
  assign comes      = u_dut.u_rows.in_valid_i;
  assign comes_last = u_dut.u_rows.in_i.last;
  assign came       = u_dut.u_rows.in_i.row;

  // Rows that were asked for and have not left; the row of its frame that is next; and of the last
  // two cycles whether a row was asked for, and of what.
  typedef struct packed {
    logic             asked, last;
    logic [ConnW-1:0] conn;
    logic [6:0]       keep;
  } asked_t;

  logic [4:0]      inside_q;
  logic [RowW-1:0] next_q;
  logic            asks, ends;
  asked_t [2:1]    ago_q;

  assign asks = in_valid_i && 32'(inside_q) < Most;
  assign ends = next_q == in_last_i;

  initial is_q = 1'b0;
  always_ff @(posedge clk_i) begin
    is_q     <= 1'b1;
    inside_q <= inside_q + 5'(asks) - 5'(out_valid && out_ready_i);
    if (asks && ends) next_q <= '0;
    else if (asks) next_q <= next_q + RowW'(1);
    ago_q[1] <= '{asked: asks, last: ends, conn: in_conn_i, keep: ends ? in_keep_i : 7'd64};
    ago_q[2] <= ago_q[1];
    if (!rst_n) begin
      inside_q       <= '0;
      next_q         <= '0;
      ago_q[1].asked <= 1'b0;
      ago_q[2].asked <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_q) begin
      // A frame's rows are asked for as long as there is room; it is taken with its last one.
      a_taken : assert (in_ready == (asks && ends))
      else $error("taken %b", in_ready);
      // The buffer of its connection is asked, and nobody's for a row without a byte.
      a_asked : assert (32'(conn_i) >= NumConns ||
                        row_re[conn_i] == (asks && !in_none_i && in_conn_i == conn_i))
      else $error("asked %b", row_re);
      // A frame's rows are asked for in turn, from the first one on, where the frame is.
      a_which : assert (row_re == '0 || (row_at == in_at_i && row_number == next_q))
      else $error("row %0d at %0d", row_number, row_at);

      // Each row that is asked for comes two cycles later, and nothing else does.
      a_comes : assert (comes == ago_q[2].asked)
      else $error("comes %b", comes);
      // The last row of a frame ends it.
      a_last : assert (!comes || comes_last == ago_q[2].last)
      else $error("last %b", comes_last);
      // A byte that counts is the buffer's of its connection; behind those there are zeros.
      a_byte : assert (!comes || 32'(ago_q[2].conn) >= NumConns || came[byte_i] ==
                       (32'(byte_i) < 32'(ago_q[2].keep) ? row_i[ago_q[2].conn][8*byte_i+:8] : '0))
      else $error("byte %0d is %h", byte_i, came[byte_i]);

      // Rows that were asked for are on their way or wait: sixteen at most (helps the proofs).
      a_inside : assert (32'(inside_q) <= Most && 32'(inside_q) + 32'(u_dut.room_q) == Most &&
                         next_q == u_dut.number_q &&
                         32'(inside_q) == 32'(u_dut.u_rows.count_o) + 32'(ago_q[1].asked) +
                         32'(ago_q[2].asked))
      else $error("%0d inside", inside_q);

      // A frame of several rows ends in a part of one.
      c_part : cover (out_valid && out_last && next_q == RowW'(2) && out_row[7:0] != '0);
    end
  end

endmodule
