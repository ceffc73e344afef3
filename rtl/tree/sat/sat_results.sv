// Sums that wait behind the half rings, row by row, in block RAM. With Ecc each row is looked at
// when it leaves (prim_ram_checked).
module sat_results
  import rc_pkg::RcRowBits;
  import rc_port_pkg::*;
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

  // A row has left that differs from what came in.
  output rc_memory_t memory_o
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
    // Places are taken in turn, so rows that have left say which one is next.
    logic [$clog2(Rows)-1:0] at_q;
    logic                    leaves;
    assign leaves = out_valid_o && out_ready_i;

    always_ff @(posedge clk_i) begin
      if (leaves) at_q <= at_q + $clog2(Rows)'(1);
      memory_o <= '{corrected: 1'b0, bad: leaves && out.parity != parity_of(out.stop, out.row),
                    word: '{memory: MemResults, scope: OfTrees, port: '0, at: 16'(at_q)}};
      if (!rst_ni) begin
        at_q         <= '0;
        memory_o.bad <= 1'b0;
      end
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
    assign memory_o   = '0;
  end

endmodule
