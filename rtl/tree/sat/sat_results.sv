// Sums that wait behind the half rings, row by row, in block RAM. With Ecc each row is looked at
// when it leaves (prim_ram_checked).
module sat_results
  import rc_pkg::RcRowBits;
#(
  /// Rows, a power of two, 8 or more.
  parameter int unsigned Rows = 256,
  /// 1: rows are looked at.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic                 in_stop_i,   // the last row of a packet
  input  logic [RcRowBits-1:0] in_row_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 out_stop_o,
  output logic [RcRowBits-1:0] out_row_o,

  // Pulse: a row has left that differs from what came in.
  output logic bad_o
);

  if (Ecc != 0) begin : gen_checked
    localparam int unsigned Parts = RcRowBits / 64;

    typedef struct packed {
      logic [Parts:0]       parity;
      logic                 stop;
      logic [RcRowBits-1:0] row;
    } result_t;

    function automatic logic [Parts:0] parity_of(logic stop, logic [RcRowBits-1:0] row);
      parity_of[Parts] = stop;
      for (int unsigned p = 0; p < Parts; p++) parity_of[p] = ^row[64*p+:64];
    endfunction

    result_t out;

    prim_fifo_ram #(
      .T    (result_t),
      .Depth(Rows)
    ) u_rows (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_i       ('{parity: parity_of(in_stop_i, in_row_i), stop: in_stop_i, row: in_row_i}),
      .out_valid_o,
      .out_ready_i,
      .out_o      (out),
      // verilator lint_off PINCONNECTEMPTY
      .count_o    ()
      // verilator lint_on PINCONNECTEMPTY
    );

    assign out_stop_o = out.stop;
    assign out_row_o  = out.row;
    always_ff @(posedge clk_i) begin
      bad_o <= rst_ni && out_valid_o && out_ready_i &&
          out.parity != parity_of(out.stop, out.row);
    end
  end else begin : gen_plain
    typedef struct packed {
      logic                 stop;
      logic [RcRowBits-1:0] row;
    } result_t;

    result_t out;

    prim_fifo_ram #(
      .T    (result_t),
      .Depth(Rows)
    ) u_rows (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_i       ('{stop: in_stop_i, row: in_row_i}),
      .out_valid_o,
      .out_ready_i,
      .out_o      (out),
      // verilator lint_off PINCONNECTEMPTY
      .count_o    ()
      // verilator lint_on PINCONNECTEMPTY
    );

    assign out_stop_o = out.stop;
    assign out_row_o  = out.row;
    assign bad_o      = 1'b0;
  end

endmodule
