// Stands in for agg_reduce in proofs of the device that follow control only: a row comes out three
// cycles after it went in.
//
// Sound because agg_reduce never stops and keeps the order of rows; how late they are changes only
// when they leave. What is in a row is agg_reduce's own proof.
// verilog_lint: waive module-filename
module agg_reduce
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned NumRanks = 6,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned Ecc = 0,
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i,
  input logic                              in_bad_i,

  output logic                out_valid_o,
  output logic [BeatBits-1:0] out_row_o,
  output logic                out_last_o,
  output logic [MaxPorts-1:0] out_ports_o,
  output logic                out_bad_o
);

  logic [3:1]               valid_q, last_q;
  logic [3:1][MaxPorts-1:0] ports_q;

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[2:1], in_valid_i};
    last_q  <= {last_q[2:1], in_last_i};
    ports_q <= {ports_q[2:1], in_ports_i};
    if (!rst_ni) valid_q <= '0;
  end

  assign out_valid_o = valid_q[3];
  assign out_row_o   = '0;
  assign out_last_o  = last_q[3];
  assign out_ports_o = ports_q[3];
  assign out_bad_o   = 1'b0;

endmodule
